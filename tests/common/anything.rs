//! Any passages, indexed with every layer and asked by every method.

use hopscope::corpus::{Corpus, Passage, Question};
use hopscope::evaluate::{GraphShape, doctor, evaluate};
use hopscope::explain::{Format, reasons, story, trace};
use hopscope::explorer::action::Action;
use hopscope::explorer::glyphs::GlyphSet;
use hopscope::explorer::stage::Stage;
use hopscope::explorer::theme::{ColorLevel, Theme};
use hopscope::index::{BuildOptions, Index, IndexError, Silent};
use hopscope::layers::GRAPHS;
use hopscope::layers::{LAYERS, build_layers, layers_named};
use hopscope::llm::provider::{Job, Prompt, Usage};
use hopscope::llm::schema::Schema;
use hopscope::llm::{Failure, Llm, Provider, reply};
use hopscope::random::SplitMix;
use hopscope::retrieve::explanation::Combine;
use hopscope::retrieve::{
    DEFAULT_METHOD, Domain, Keep, METHODS, Method, MethodRef, Origin, Parameter, RetrieveError,
    Retriever, Settings, Stage as Part, Value as Setting,
};
use serde_json::{Value, json};
use std::fs;
use std::sync::{Arc, Mutex};

/// Indexed, with every layer there is, made by rules or by a model: names of the passages are objects that point at each other.
pub fn indexed(passages: Vec<Passage>, question: &str, model: Option<Llm>) -> Arc<Index> {
    let folder = tempfile::tempdir().unwrap();
    let line = |(at, p): (usize, &Passage)| {
        let aliases = [p.text.chars().take(9).collect::<String>()];
        let year = p
            .text
            .chars()
            .filter(char::is_ascii_digit)
            .take(4)
            .collect::<String>();
        let kind = ["Person", "Œuvre"][at % 2];
        let object = json!({"id": p.id, "type": kind, "name": format!("{} {at}", p.title), "aliases": aliases,
                            "note": p.text, "year": year});
        object.to_string()
    };
    let nodes: Vec<String> = passages.iter().enumerate().map(line).collect();
    let edges: Vec<String> = passages
        .windows(2)
        .map(|w| json!({"from": w[0].id, "to": w[1].id, "type": "WROTE"}).to_string())
        .collect();
    fs::write(folder.path().join("nodes.jsonl"), nodes.join("\n")).unwrap();
    fs::write(folder.path().join("edges.jsonl"), edges.join("\n")).unwrap();
    let questions = vec![Question {
        id: "q".into(),
        text: question.into(),
        ..Question::default()
    }];
    let corpus = Corpus {
        name: "any".into(),
        passages,
        questions,
    };
    let index = Index::build(corpus, &BuildOptions::default(), &Silent).unwrap();
    index.look_beside(&[folder.path().to_owned()]);
    if let Some(model) = model {
        index.think_with(Arc::new(model));
    }
    let settings = Settings::of(&index, Method::by_name(DEFAULT_METHOD).unwrap());
    let names: Vec<String> = LAYERS.iter().map(|kind| kind.name.to_owned()).collect();
    let kinds = layers_named(&names, LAYERS).unwrap();
    for kind in kinds {
        if kind.name == "given" {
            extractions(&index, folder.path());
        }
        match build_layers(&index, &[kind], settings.all(), &Silent) {
            // Of a corpus whose identifiers no table can hold no object is a passage.
            Err(IndexError::Layer { layer: "spark", .. }) => {}
            built => assert_eq!(built.unwrap()[0].name, kind.name),
        }
    }
    Arc::new(index)
}

/// Writes what another system might have extracted from the passages of an index: names, and facts of two names.
pub fn extractions(index: &Index, folder: &std::path::Path) {
    let document = |passage: u32| {
        let words: Vec<&str> = index.text(passage).split_whitespace().take(6).collect();
        let facts: Vec<_> = words.chunks(3).filter(|fact| fact.len() == 3).collect();
        json!({"idx": index.id(passage), "passage": format!("x {}", index.text(passage)),
               "extracted_entities": words, "extracted_triples": facts})
    };
    let documents: Vec<Value> = (0..index.len() as u32).map(document).collect();
    let file = folder.join("openie_results_ner_any.json");
    fs::write(file, json!({"docs": documents}).to_string()).unwrap();
}

/// Half of the time the settings that a method begins with, but for a result from which some passages are cut off; else
/// half of the values that it reads are others, and nothing may be cut off. What layers are built with stays.
fn drawn(random: &mut SplitMix, index: &Index, method: MethodRef) -> Settings {
    let mut settings = Settings::of(index, method);
    settings.set_text("result_k=3").unwrap();
    if random.below(2) == 0 {
        return settings;
    }
    settings
        .set_text(["result_k=10", "result_k=50"][random.below(2)])
        .unwrap();
    for parameter in settings.method().uses() {
        let declared = parameter.declaration();
        let free = declared.stage != Part::Index && parameter != Parameter::ResultK;
        if free && random.below(2) == 0 {
            let value = match &declared.domain {
                Domain::Choice(choices) => Setting::Choice(random.below(choices.len())),
                domain => domain.at_fraction(random.below(9) as f64 / 8.0),
            };
            settings.set(parameter, value, Origin::User);
        }
    }
    settings
}

/// Asks and reads everything that is said of the answer.
pub fn ask(retriever: &mut Retriever, index: &Arc<Index>, settings: &Settings, question: &str) {
    let said = settings.method().uses().into_iter();
    let said = said.filter(|p| settings.origin(*p) == Origin::User);
    let said = said.map(|p| p.assignment(settings.value(p)));
    let name = format!(
        "{} {}",
        settings.method().name,
        Vec::from_iter(said).join(" ")
    );
    let found = match retriever.retrieve(question, settings, Keep::States) {
        Ok(found) => found,
        // An index without a cross-encoder.
        Err(RetrieveError::Vectors(_)) if settings.method().reranks() => return,
        // Nor a typed graph, where none of its objects is a passage.
        Err(RetrieveError::Layer(IndexError::Layer { layer: "spark", .. })) => return,
        Err(error) => panic!("{name}: {error}"),
    };
    let scores: Vec<f32> = found.passages.iter().map(|hit| hit.score).collect();
    assert!(scores.iter().all(|s| s.is_finite()), "{name}: {scores:?}");
    assert!(scores.is_sorted_by(|a, b| a >= b), "{name}: {scores:?}");
    // The first ones, and the last.
    let some = found.passages.iter().take(4).chain(found.passages.last());
    for hit in some {
        let score = f64::from(hit.score);
        let said = reasons::why_here(index, &found, hit.passage);
        assert!((1..100_000).contains(&said.len()), "{name}: {said}");
        let opened = trace::explained(index, &found, hit.passage);
        assert_eq!(opened.id, index.id(hit.passage));
        let opened = found.explain(index, hit.passage);
        let sum: f64 = opened.parts.iter().map(|part| part.value).sum();
        // A push is short of the limit that its parts are of, by as much as the explanation states; the score is
        // rounded to single precision.
        let whole = (sum - score).abs() <= opened.error + 1e-6 * score.abs().max(1.0);
        assert!(
            opened.combine == Combine::Witness || whole,
            "{name}: {score} is not {opened:?}"
        );
    }
    for passage in 0..index.len() as u32 {
        let reasons = reasons::why_not(index, &found, passage);
        assert_eq!(
            reasons.is_empty(),
            found.returns(passage),
            "{name}: {passage}"
        );
        for reason in reasons {
            assert!(!reason.text.is_empty(), "{name}: {reason:?}");
        }
    }
    let story = story(index, &found, &[]);
    let entries = story.stages.iter().flat_map(|stage| &stage.nodes);
    for entry in entries.chain(&story.seeds) {
        assert!(
            entry.value.is_finite() && entry.item < story.items.len(),
            "{name}: {entry:?}"
        );
    }
    let _ = found.text(index);
    let told = trace::trace(index, &found, index.questions().first());
    assert!(serde_json::to_string(&told).is_ok_and(|text| text.starts_with('{')));
    let (nodes, edges) = (
        told.subgraph.graph.node_count(),
        told.subgraph.graph.edge_count(),
    );
    let written = |format: Format| format.write(&told.subgraph);
    assert_eq!(written(Format::Dot).lines().count(), 3 + nodes + edges);
    assert_eq!(written(Format::Graphml).matches("<edge ").count(), edges);
    assert!(written(Format::Html).matches("<line ").count() <= edges);
}

/// Asks the questions of an index by one method and reads everything there is to read, whatever it says: of an index that
/// a stranger made, it may be anything.
pub fn read_all(index: &Arc<Index>, method: MethodRef) -> Result<(), String> {
    if method.reranks() && index.reranker().is_none() {
        return Ok(());
    }
    let graph = method.graph();
    let mut settings = Settings::of(index, method);
    settings.set_text("result_k=3").unwrap();
    // It is read by those alone that search vectors.
    let _ = settings.set_text("vector_search=hnsw");
    let mut retriever = Retriever::new(index.clone());
    let questions = &index.questions()[..index.questions().len().min(2)];
    for question in questions {
        let found = retriever.retrieve(&question.text, &settings, Keep::States);
        let found = found.map_err(|error| error.to_string())?;
        for passage in 0..index.len() as u32 {
            reasons::why_here(index, &found, passage);
            reasons::why_not(index, &found, passage);
            trace::explained(index, &found, passage);
        }
        story(index, &found, &[]);
        found.text(index);
        let told = trace::trace(index, &found, Some(question));
        for format in Format::ALL {
            format.write(&told.subgraph);
        }
    }
    let graph = graph.map(|kind| retriever.graph(kind, &settings, &[]));
    if let Some(view) = graph.transpose().map_err(|e| e.to_string())?
        && let Some(view) = view.entities()
    {
        GraphShape::raw(&view.graph);
        GraphShape::view(view);
    }
    let all = evaluate(index, questions, &settings, |_| true);
    all.map_err(|error| error.to_string())?;
    let checked = doctor(index, questions, &settings, |_, _, _| true);
    checked.map_err(|error| error.to_string())?;
    let mut stage = stage(index, settings);
    stage.draw(120, 36);
    stage.act(Action::AskNumber(0));
    stage.draw(120, 36);
    Ok(())
}

fn stage(index: &Arc<Index>, settings: Settings) -> Stage {
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let glyphs = GlyphSet::Unicode.glyphs();
    Stage::new(index.clone(), "", settings, theme, glyphs)
}

/// Every method, a composition for every graph, and the explorer's screen of one of them.
pub fn asked_by_all(index: &Arc<Index>, question: &str, shown: impl Into<MethodRef>) {
    let mut retriever = Retriever::new(index.clone());
    let mut random = SplitMix::new(question.bytes().map(u64::from).sum());
    let composed = GRAPHS.iter().filter_map(|graph| {
        Method::by_name(&format!(
            "names+bm25-2step > {} > power > passages",
            graph.name
        ))
        .ok()
    });
    for method in METHODS.iter().map(MethodRef::from).chain(composed) {
        let settings = drawn(&mut random, index, method);
        ask(&mut retriever, index, &settings, question);
    }
    let mut stage = stage(index, Settings::of(index, shown));
    stage.draw(120, 36);
    stage.act(Action::AskNumber(0));
    stage.draw(120, 36);
}

/// A model that says anything: of the shape that it is asked for, or nearly.
pub struct Anyone {
    random: Mutex<SplitMix>,
    words: Vec<String>,
}

impl Anyone {
    pub fn saying(words: Vec<String>, seed: u64) -> Llm {
        let random = Mutex::new(SplitMix::new(seed));
        Llm::new(Box::new(Anyone { random, words }), None)
    }

    fn word(&self, random: &mut SplitMix, input: &Value) -> String {
        let texts = input
            .as_object()
            .into_iter()
            .flat_map(|input| input.values());
        let texts: Vec<&str> = texts.filter_map(Value::as_str).collect();
        if random.below(2) == 0 && !texts.is_empty() {
            let said: Vec<&str> = texts[random.below(texts.len())].split(' ').collect();
            let from = random.below(said.len());
            let to = (from + 1 + random.below(3)).min(said.len());
            return said[from..to].join(" ");
        }
        let other = self.words.get(random.below(self.words.len().max(1)));
        other.cloned().unwrap_or_default()
    }

    fn value(&self, random: &mut SplitMix, input: &Value, of: &Schema) -> Value {
        if random.below(24) == 0 {
            let odd = [
                json!(null),
                json!(-7),
                json!([]),
                json!({}),
                json!(true),
                json!("x"),
            ];
            return odd[random.below(odd.len())].clone();
        }
        let several = |random: &mut SplitMix, of| -> Vec<Value> {
            let number = random.below(4);
            (0..number).map(|_| self.value(random, input, of)).collect()
        };
        let object = |random: &mut SplitMix, fields: &[(&'static str, Schema)]| -> Value {
            let fields = fields.iter().filter_map(|(name, of)| {
                let there = random.below(16) > 0;
                there.then(|| ((*name).to_owned(), self.value(random, input, of)))
            });
            Value::Object(fields.collect())
        };
        match of {
            Schema::Text(_) => self.word(random, input).into(),
            Schema::Number(_) => [0.0, -1.0, 0.3, 1e300][random.below(4)].into(),
            Schema::Integer(_) => [0, 1, 2, 3, -1, i64::MAX][random.below(6)].into(),
            Schema::OneOf(names) => names[random.below(names.len())].into(),
            Schema::Maybe(of) => self.value(random, input, of),
            Schema::List(of) | Schema::Whole(of) => several(random, of).into(),
            Schema::Map(of) => {
                let values = several(random, of).into_iter();
                let named = values.map(|value| (self.word(random, input), value));
                Value::Object(named.collect())
            }
            Schema::Object(fields) => object(random, fields),
            Schema::Tagged(tag, kinds) => {
                let (name, fields) = &kinds[random.below(kinds.len())];
                let mut value = object(random, fields);
                value[tag] = (*name).into();
                value
            }
        }
    }
}

impl Provider for Anyone {
    fn model(&self) -> Option<&str> {
        Some("anyone")
    }

    fn generate(&self, prompts: &[Prompt], job: &mut dyn Job) {
        let mut random = self.random.lock().unwrap();
        for (i, prompt) in prompts.iter().enumerate() {
            let value = self.value(&mut random, &prompt.input, &(prompt.spec.schema)());
            let taken = match random.below(12) {
                0 => Err(Failure::Unreachable("gone".into())),
                1 => Err(Failure::TooLong("too long".into())),
                _ => reply::value(&format!("So: {value}"))
                    .and_then(|value| job.take(i, reply::cleaned(value)))
                    .map_err(Failure::Invalid),
            };
            job.done(i, Usage::default(), taken.err());
            if !job.go_on() {
                return;
            }
        }
    }
}
