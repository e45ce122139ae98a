//! What is taken from one stretch of text for the skeleton graph: names with a description, relations with a strength.
//!
//! The rules stand in for the model of the published system (task `extract_graph`). One function maps the task's input
//! to its output, so that a model can answer in its place. Its fidelity is lower (class B-): more names and more
//! relations, descriptions that quote instead of telling.

use crate::llm::task::{self, ExtractInput};
use crate::text::Norm;
use crate::text::chunks;
use crate::text::relations::{Options, Pattern, relations};
use crate::text::sentences::sentences;
use crate::text::span;
use crate::text::summarize::{Idf, centrality};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The name and version of the rules, as the layer keeps it beside what they made.
pub const ORIGIN: &str = "rule(extract_graph, 2)";

/// One stretch of text.
pub struct GraphText {
    pub text: String,
    /// Titles of the passages in it, and where each begins. The first is what the first sentence's pronoun stands for.
    pub titles: Vec<(usize, String)>,
    /// Names in it, left to right and apart: where, and under which name they are known.
    pub names: Vec<(Range<usize>, String)>,
}

/// A name and what the text says of it. Rules tell no types apart, and local search reads none.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphEntity {
    pub name: String,
    /// Its most central sentence, after the title of its passage.
    pub description: Vec<String>,
    pub mentions: usize,
}

/// Two names and what links them.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphRelation {
    pub source: String,
    pub target: String,
    pub description: String,
    /// Sentences that say so; those without a pattern count half.
    pub strength: f64,
    /// None: a model says it in its own words.
    pub pattern: Option<Pattern>,
}

/// What was taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extracted {
    /// In the order of first mention.
    pub entities: Vec<GraphEntity>,
    /// In the order of the text; a pair with one predicate stands once.
    pub relations: Vec<GraphRelation>,
}

/// A sentence of fewer tokens says nothing of its name: titles, mostly.
const LEAST_TOKENS: usize = 4;

/// Bytes of a sentence in a description. What goes on for longer is no sentence, and every name in it would quote all of it.
const LONGEST: usize = 4096;

/// The rules. `cooc` links neighbours in a sentence that no pattern links.
pub fn extract_graph(input: &GraphText, idf: &Idf, cooc: bool) -> Extracted {
    let text = &input.text;
    let spans = sentences(text);
    let said: Vec<&str> = spans.iter().map(|s| span::of(text, s.clone())).collect();
    let central = centrality(&said, idf);
    let mut entities: Vec<GraphEntity> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    // The sentences that mention each name.
    let mut where_said: Vec<Vec<usize>> = Vec::new();
    for (span, name) in &input.names {
        let place = *places.entry(Norm::Simple.apply(name)).or_insert_with(|| {
            where_said.push(Vec::new());
            entities.push(GraphEntity {
                name: name.clone(),
                description: Vec::new(),
                mentions: 0,
            });
            entities.len() - 1
        });
        entities[place].mentions += 1;
        let sentence = spans.partition_point(|s| s.end <= span.start);
        if sentence < spans.len() && where_said[place].last() != Some(&sentence) {
            where_said[place].push(sentence);
        }
    }
    let long: Vec<bool> = said
        .iter()
        .map(|s| chunks::count(s) >= LEAST_TOKENS)
        .collect();
    for (entity, mut own) in entities.iter_mut().zip(where_said) {
        if own.iter().any(|s| long[*s]) {
            own.retain(|s| long[*s]);
        }
        let best = own
            .into_iter()
            .max_by(|a, b| central[*a].total_cmp(&central[*b]).then(b.cmp(a)));
        let told = best.map(|s| {
            let sentence = one_line(said[s]);
            // A sentence that says what its passage is about needs no title.
            match input.title_at(spans[s].start) {
                title if title.is_empty() || sentence.contains(title) => sentence,
                title if title == entity.name => sentence,
                title => format!("{title}. {sentence}"),
            }
        });
        entity.description = Vec::from_iter(told);
    }
    let relations = relate(input, &spans, &said, &places, &entities, cooc);
    Extracted {
        entities,
        relations,
    }
}

impl GraphText {
    /// The title of the passage at a place; empty where it has none.
    fn title_at(&self, place: usize) -> &str {
        let before = self.titles.partition_point(|title| title.0 <= place);
        let title = before.checked_sub(1).and_then(|at| self.titles.get(at));
        title.map_or("", |title| title.1.trim())
    }

    /// The same for a model. Types are free: local search reads none.
    pub fn asked(&self) -> ExtractInput {
        ExtractInput {
            text: self.text.clone(),
            types: Vec::new(),
        }
    }
}

/// Strength that a model gives a relation is from 1 to 10.
const STRENGTH: (f64, f64) = (1.0, 10.0);

/// What a model took from a text. A name is mentioned as often as the text has it, and once at least: a model may spell it
/// otherwise.
pub fn told(input: &GraphText, output: &task::Extracted) -> Extracted {
    let entity = |e: &task::Entity| GraphEntity {
        name: one_line(&e.name),
        description: Some(one_line(&e.description))
            .filter(|said| !said.is_empty())
            .into_iter()
            .collect(),
        mentions: input.text.matches(e.name.trim()).count().max(1),
    };
    let relation = |r: &task::Relation| GraphRelation {
        source: one_line(&r.source),
        target: one_line(&r.target),
        description: one_line(&r.description),
        strength: r.strength.clamp(STRENGTH.0, STRENGTH.1),
        pattern: None,
    };
    let form = |name: &str| Norm::Simple.apply(name);
    Extracted {
        entities: output.entities.iter().map(entity).collect(),
        relations: (output.relations.iter().map(relation))
            .filter(|r| form(&r.source) != form(&r.target))
            .collect(),
    }
}

/// Relations whose both ends are names of the text.
fn relate(
    input: &GraphText,
    spans: &[Range<usize>],
    said: &[&str],
    places: &FxHashMap<String, usize>,
    entities: &[GraphEntity],
    cooc: bool,
) -> Vec<GraphRelation> {
    let options = Options {
        cooc,
        ..Options::default()
    };
    let names: Vec<Range<usize>> = input.names.iter().map(|n| n.0.clone()).collect();
    let known = |span: &Range<usize>, surface: &str| {
        // As it is known where it stands; an inherited subject by its own words.
        let at = names.partition_point(|n| n.start < span.start);
        let name = match input.names.get(at) {
            Some((own, name)) if own == span => name,
            _ => surface,
        };
        places.get(&Norm::Simple.apply(name)).copied()
    };
    let mut found: Vec<GraphRelation> = Vec::new();
    for relation in relations(&input.text, input.title_at(0), spans, &names, options) {
        let (Some(source), Some(target)) = (
            known(&relation.subject_span, &relation.subject),
            known(&relation.object_span, &relation.object),
        ) else {
            continue;
        };
        if source == target {
            continue;
        }
        let description = if relation.pattern == Pattern::CoOccurrence {
            one_line(said[relation.sentence as usize])
        } else {
            relation.predicate
        };
        let (source, target) = (&entities[source].name, &entities[target].name);
        let strength = f64::from(relation.strength);
        let same = found
            .iter_mut()
            .find(|r| r.source == *source && r.target == *target && r.description == description);
        match same {
            Some(same) => same.strength += strength,
            None => found.push(GraphRelation {
                source: source.clone(),
                target: target.clone(),
                description,
                strength,
                pattern: Some(relation.pattern),
            }),
        }
    }
    found
}

/// A sentence on one line: rows of the context are lines.
fn one_line(sentence: &str) -> String {
    let cut = span::of(sentence, ..span::floor(sentence, LONGEST));
    cut.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Language, Ner};

    pub fn of(title: &str, text: &str) -> GraphText {
        let names = Ner::RegexPlus
            .mentions(Language::English, text)
            .into_iter()
            .map(|m| (m.span.clone(), text[m.span].to_owned()))
            .collect();
        GraphText {
            text: text.into(),
            titles: vec![(0, title.into())],
            names,
        }
    }

    #[test]
    fn names_are_described_by_their_sentences() {
        let input = of(
            "Mara Voss",
            "Mara Voss. Mara Voss painted Gull Rock in oil. It was sold to the Hull Museum by Mara Voss. \
             Nobody saw it.\nMara Voss was born in Leeds. Mara Voss died young in Hull Museum.",
        );
        let found = extract_graph(&input, &Idf::new([&*input.text]), false);
        let voss = &found.entities[0];
        assert_eq!((&*voss.name, voss.mentions), ("Mara Voss", 5));
        assert_eq!(voss.description.len(), 1);
        assert!(
            voss.description
                .iter()
                .all(|s| s.contains("Mara Voss") && s.len() > 12)
        );
        let rock = found
            .entities
            .iter()
            .find(|e| e.name == "Gull Rock")
            .unwrap();
        assert_eq!(rock.description, ["Mara Voss painted Gull Rock in oil."]);
    }

    #[test]
    fn a_sentence_stands_after_the_title_of_its_passage() {
        let text = "Gull Rock. It was painted by Mara Voss.\n\nHull. Ivo Lund lived there. Hull burned down in one night.";
        let mut input = of("Gull Rock", text);
        let hull = text.find("Hull").unwrap();
        input.titles.push((hull, "Hull".into()));
        let found = extract_graph(&input, &Idf::default(), false).entities;
        let told = |name: &str| &found.iter().find(|e| e.name == name).unwrap().description;
        assert_eq!(
            told("Mara Voss")[..],
            ["Gull Rock. It was painted by Mara Voss."]
        );
        assert_eq!(told("Ivo Lund")[..], ["Hull. Ivo Lund lived there."]);
        // What says its title does not say it twice, nor is a name told after itself.
        assert_eq!(told("Hull")[..], ["Hull burned down in one night."]);
    }

    #[test]
    fn a_name_said_only_in_a_title_keeps_the_title() {
        let found = extract_graph(
            &of("Gull Rock", "Gull Rock. It is small."),
            &Idf::default(),
            true,
        );
        assert_eq!(found.entities[0].description, ["Gull Rock."]);
    }

    #[test]
    fn relations_join_known_names_and_repeat_as_strength() {
        let input = of(
            "Mara Voss",
            "Mara Voss painted Gull Rock. She lived in Leeds. Mara Voss painted Gull Rock.",
        );
        let found = extract_graph(&input, &Idf::default(), false);
        let told: Vec<(&str, &str, &str, f64)> = found
            .relations
            .iter()
            .map(|r| (&*r.source, &*r.description, &*r.target, r.strength))
            .collect();
        assert_eq!(
            told,
            [
                ("Mara Voss", "painted", "Gull Rock", 2.0),
                ("Mara Voss", "lived in", "Leeds", 1.0)
            ]
        );
    }

    #[test]
    fn neighbours_without_a_pattern_are_linked_on_request() {
        let text = "Between Leeds and the sea of Gull Rock, boats pass.";
        let pairs = |cooc: bool| extract_graph(&of("", text), &Idf::default(), cooc).relations;
        assert!(pairs(false).is_empty());
        let found = pairs(true);
        assert_eq!((found[0].strength, &*found[0].description), (0.5, text));
    }
}
