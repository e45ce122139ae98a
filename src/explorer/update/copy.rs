//! What is taken out of the explorer: text, JSON, and the command that prints the same numbers.

use crate::evaluate::sweep::differences;
use crate::explorer::action::{Effect, Message};
use crate::explorer::filter;
use crate::explorer::layout::Pane;
use crate::explorer::panes::{self, Contents, contents};
use crate::explorer::rows::{self, PassageLine, SessionLine, SpreadLine};
use crate::explorer::scene::{
    Branch, Cell, Flow, PassageRow, Row, Scene, Sign, StepLine, Strand, Timeline, Ways,
};
use crate::explorer::state::State;
use crate::retrieve::Settings;
use serde_json::{Value, json};

/// The selected row, or the open passage.
pub fn text(state: &mut State) -> Vec<Effect> {
    match copied(state) {
        Some((text, what)) => vec![Effect::Copy(text, what)],
        None if state.scene().is_none() => Vec::new(),
        None => {
            state.message = Message::warning("nothing is selected here");
            Vec::new()
        }
    }
}

/// The same, and what it is.
pub fn copied(state: &State) -> Option<(String, String)> {
    let scene = state.scene()?;
    let row = state.list(state.focus).cursor;
    let why = state.detail().and_then(|d| d.passage.as_ref());
    if let Some(contents) = contents(state.focus) {
        return contents.copied(state, row);
    }
    match state.focus {
        Pane::Reader => why.map(|w| {
            (
                format!("{}\n\n{}", w.title, w.text),
                format!("passage {}", w.id),
            )
        }),
        Pane::Why => why.map(|w| (explained(w), format!("why of {}", w.id))),
        Pane::Passages | Pane::Runs => passage(state, scene, row),
        Pane::Changes => {
            let differ = differences(&state.pins.first().settings, &state.settings);
            Some((differ.join("\n"), "changes".to_owned()))
        }
        Pane::Set => state
            .score
            .as_ref()
            .map(|score| (panes::set::copied(score), "set".to_owned())),
        Pane::Lost | Pane::Questions | Pane::Methods => None,
        Pane::Queue => state.queue().get(row).map(|item| {
            let asked = item.at.and_then(|at| state.facts.questions.get(at));
            let asked = asked.map_or("", |asked| &asked.id);
            (
                format!("{asked}\t{}\t{}", item.id, item.title),
                "row".to_owned(),
            )
        }),
        Pane::Label => {
            let label = state.draft().and_then(|draft| state.labelled(&draft));
            label.and_then(|label| Some((serde_json::to_string(&label).ok()?, "label".to_owned())))
        }
        Pane::Question => Some((scene.question.clone(), "question".to_owned())),
        Pane::Seeds => scene.seeds.get(row).map(|row| match row.sign {
            Sign::Plain | Sign::Changed => told(scene, row, "seed"),
            Sign::Lost => told(scene, row, "name"),
            Sign::Heading => told(scene, row, "seeds"),
        }),
        Pane::Spread => {
            let lines = rows::spread_lines(state, scene);
            lines.get(row).map(|line| match *line {
                SpreadLine::Row(i, n) => {
                    let row = &scene.spread[i].rows[n];
                    let (text, what) = told(scene, row, "node");
                    (format!("{text}\t{}", row.value), what)
                }
                SpreadLine::Stage(i) | SpreadLine::More(i) => {
                    let stage = &scene.spread[i];
                    (
                        format!("{}\t{}", stage.name, stage.foot),
                        "stage".to_owned(),
                    )
                }
            })
        }
        Pane::Neighbours => state
            .detail()
            .and_then(|d| d.node.as_ref())
            .and_then(|around| around.neighbours.get(row))
            .map(|row| told(scene, row, "neighbour")),
        Pane::Parameters => {
            let p = state.parameter;
            Some((
                format!("{}={}", p.id(), state.settings.text(p)),
                "parameter".to_owned(),
            ))
        }
        Pane::Session => rows::session_lines(state).get(row).map(|line| {
            let run = &state.session[line.run()];
            if matches!(line, SessionLine::Question(_)) {
                return (run.question.clone(), "question".to_owned());
            }
            let set = run.settings.changed().join(" ");
            let preset = run.settings.preset().map_or("", |p| &*p.name);
            (
                format!("{} {preset} {set}", run.settings.method().name)
                    .replace("  ", " ")
                    .trim()
                    .to_owned(),
                "run".to_owned(),
            )
        }),
        Pane::Flow | Pane::Heat | Pane::Step => {
            let flow = state.flow();
            flow.map(|flow| (flowed(state, flow), "flow".to_owned()))
        }
        Pane::Paths => state.ways().map(|ways| (treed(ways), "paths".to_owned())),
        Pane::Iterations => {
            let timeline = scene.timeline.as_ref();
            timeline.map(|timeline| (steps(timeline), "steps".to_owned()))
        }
    }
}

/// A row's label; of an item its kind and text too.
fn told(scene: &Scene, row: &Row, what: &str) -> (String, String) {
    let items = scene.story.as_deref().map(|story| &story.items);
    let item = items.and_then(|items| items.get(row.node? as usize));
    match item {
        Some(item) => {
            let text = format!("{}\t{}\t{}", item.kind, item.label, item.text);
            (text.trim_end().to_owned(), item.kind.to_owned())
        }
        None => (row.label.trim_matches('"').to_owned(), what.to_owned()),
    }
}

fn passage(state: &State, scene: &Scene, row: usize) -> Option<(String, String)> {
    let copied = |id: &str, title: &str, score: f64| {
        (format!("{id}\t{title}\t{score}"), format!("passage {id}"))
    };
    if rows::step(state, scene).is_some() {
        let why = state.detail()?.passage.as_ref()?;
        return Some(copied(&why.id, &why.title, why.score));
    }
    match *rows::passage_lines(scene).get(row)? {
        PassageLine::Hit(i) => {
            let row = &scene.passages[i];
            Some(copied(&row.id, &row.title, row.score))
        }
        PassageLine::Lost(i) => {
            let gold = &scene.gold[i];
            Some(copied(&gold.id, &gold.title, gold.score))
        }
        PassageLine::Missing(i) => Some((scene.missing[i].clone(), "missing gold".to_owned())),
        PassageLine::Cut => None,
    }
}

fn explained(why: &crate::explorer::scene::Why) -> String {
    let mut lines = vec![format!("{} {}\tscore {}", why.id, why.title, why.score)];
    lines.extend(
        why.parts
            .iter()
            .map(|part| format!("{}\t{}", part.label, part.value)),
    );
    lines.extend(why.paths.iter().map(|path| {
        let stops: Vec<&str> = path.stops.iter().map(|stop| stop.label.as_str()).collect();
        format!("{}\t{}", stops.join(" > "), path.mass)
    }));
    lines.push(why.sentence.clone());
    lines.extend(
        why.reasons
            .iter()
            .map(|reason| format!("{}: {}", reason.code, reason.text)),
    );
    lines.join("\n")
}

/// The table as it is shown.
fn steps(timeline: &Timeline) -> String {
    let names = timeline.steps.iter().filter(|step| !step.name.is_empty());
    let names: Vec<String> = names.map(|step| step.name.clone()).collect();
    let head = format!("{}\t{}", timeline.unit, names.join("\t"));
    let line = |line: &StepLine| {
        let cells: Vec<String> = line.cells.iter().map(Cell::text).collect();
        format!("{}\t{}", line.label, cells.join("\t"))
    };
    let lines = std::iter::once(head).chain(timeline.lines.iter().map(line));
    lines.collect::<Vec<_>>().join("\n")
}

/// The strands of the step that is shown, a line each, and the step in words.
fn flowed(state: &State, flow: &Flow) -> String {
    let Some(step) = flow.steps.get(state.flow_step()) else {
        return flow.note.clone();
    };
    let line = |strand: &Strand| {
        let mut words = stops(flow, strand);
        words.push(strand.value.to_string());
        words.join("\t")
    };
    let told = [step.told.clone(), flow.note.clone()];
    let told = told.into_iter().filter(|words| !words.is_empty());
    let lines: Vec<String> = told.chain(step.strands.iter().map(line)).collect();
    lines.join("\n")
}

/// What a strand passes.
fn stops(flow: &Flow, strand: &Strand) -> Vec<String> {
    let lanes = flow.lanes.iter().zip(strand.at);
    let stops = lanes.filter_map(|(lane, at)| Some(lane.rows[at?].label.clone()));
    stops.collect()
}

/// The paths as an indented list.
fn treed(ways: &Ways) -> String {
    let line = |branch: &Branch| {
        let (lane, row) = branch.place;
        let label = &ways.flow.lanes[lane].rows[row].label;
        format!("{}{label}\t{}", "  ".repeat(branch.depth), branch.mass)
    };
    let lost = ways
        .lost
        .iter()
        .map(|(id, why)| format!("no path: {id}\t{why}"));
    let lines: Vec<String> = ways.tree().iter().map(line).chain(lost).collect();
    lines.join("\n")
}

fn paths_json(state: &State) -> Value {
    let Some(ways) = state.ways() else {
        return Value::Null;
    };
    let strands = ways.flow.steps.iter().flat_map(|step| &step.strands);
    let path = |strand: &Strand| {
        let stops = stops(&ways.flow, strand).into_iter();
        let stops: Vec<String> = stops.filter(|stop| !stop.is_empty()).collect();
        json!({"nodes": stops, "mass": strand.value})
    };
    let lost = ways
        .lost
        .iter()
        .map(|(id, why)| json!({"id": id, "why": why}));
    json!({"paths": strands.map(path).collect::<Vec<_>>(), "lost": lost.collect::<Vec<_>>(), "note": ways.flow.note})
}

fn flow_json(state: &State) -> Value {
    let Some(flow) = state.flow() else {
        return Value::Null;
    };
    let at = state.flow_step();
    let step = flow.steps.get(at);
    let strands = step.map_or(&[][..], |step| &step.strands).iter();
    let strands: Vec<Value> = strands
        .map(|strand| json!({"through": stops(flow, strand), "value": strand.value}))
        .collect();
    json!({"step": at, "told": step.map(|step| &step.told), "note": flow.note, "strands": strands})
}

/// The focused pane as JSON.
pub fn json(state: &mut State) -> Vec<Effect> {
    match as_json(state) {
        Some((value, what)) => {
            let text = serde_json::to_string_pretty(&value).unwrap_or_default();
            let said = narrowed(state);
            vec![Effect::Copy(text, format!("{what} as JSON{said}"))]
        }
        None => Vec::new(),
    }
}

/// The focused pane with the question and the settings, under the name of what it shows.
pub fn as_json(state: &State) -> Option<(Value, &'static str)> {
    let scene = state.scene()?;
    let of_pane = contents(state.focus).map(|contents| contents.json(state));
    let (value, what) = match state.focus {
        _ if of_pane.is_some() => of_pane?,
        Pane::Seeds | Pane::Spread | Pane::Neighbours | Pane::Iterations
            if scene.story.is_some() =>
        {
            (json!(scene.story.as_deref()), "story")
        }
        Pane::Why | Pane::Reader => (why_json(state), "why"),
        Pane::Seeds => (seeds_json(state, scene), "seeds"),
        Pane::Spread => (nodes_json(state, scene), "nodes"),
        Pane::Parameters | Pane::Session => (json!(scene.settings), "settings"),
        Pane::Neighbours => (neighbours_json(state), "neighbours"),
        Pane::Iterations | Pane::Heat | Pane::Step => (steps_json(scene), "steps"),
        Pane::Flow => (flow_json(state), "flow"),
        Pane::Paths => (paths_json(state), "paths"),
        Pane::Question | Pane::Passages => (passages_json(state, scene), "passages"),
        Pane::Runs => (runs_json(state), "runs"),
        Pane::Changes => (
            json!(differences(&state.pins.first().settings, &state.settings)),
            "changes",
        ),
        Pane::Set | Pane::Lost | Pane::Questions | Pane::Methods => (
            panes::set::json(state, panes::questions::QUESTIONS.objects(state)),
            "set",
        ),
        Pane::Queue | Pane::Label => (json!(state.labelling.labels.standing()), "labels"),
    };
    let mut value = json!({
        "question": scene.question,
        "method": scene.settings.method().name,
        "settings": scene.settings,
        what: value,
    });
    // A part must not be taken for the whole.
    if !narrowed(state).is_empty() {
        value["filter"] = json!(filter::typed(state, state.focus));
    }
    Some((value, what))
}

/// What is said of the focused pane as JSON where a filter hides some of its rows. Settings, sets and stories are whole.
pub fn narrowed(state: &State) -> String {
    let told = state.scene().is_some_and(|scene| scene.story.is_some());
    match state.focus {
        Pane::Seeds | Pane::Spread | Pane::Neighbours if told => String::new(),
        // What is taken out is the end, whichever step is on screen.
        Pane::Spread | Pane::Passages if state.earlier_step().is_some() => String::new(),
        Pane::Seeds | Pane::Spread | Pane::Neighbours | Pane::Passages | Pane::Runs => {
            filter::said(state, state.focus)
        }
        pane if contents(pane).is_some_and(Contents::narrows_json) => filter::said(state, pane),
        _ => String::new(),
    }
}

/// The rows of a list that are shown, of all its rows.
fn sighted<T>(state: &State, pane: Pane, rows: impl IntoIterator<Item = T>) -> Vec<T> {
    let shown = filter::shown(state, pane);
    let rows = rows.into_iter().enumerate();
    let seen = rows.filter(|(at, _)| shown.binary_search(at).is_ok());
    seen.map(|(_, row)| row).collect()
}

/// What is ranked: the first K, or of a pane that is narrowed the rows that it shows.
pub fn ranked<'s>(scene: &'s Scene, shown: Option<&[usize]>) -> Vec<&'s PassageRow> {
    let Some(shown) = shown else {
        return scene.passages.iter().take(scene.top_k).collect();
    };
    let lines = rows::passage_lines(scene);
    let lines = shown.iter().filter_map(|row| lines.get(*row));
    let passage = |line: &PassageLine| match *line {
        PassageLine::Hit(at) => scene.passages.get(at),
        PassageLine::Lost(at) => {
            let lost = scene.gold[at].passage;
            scene.passages.iter().find(|row| row.passage == lost)
        }
        PassageLine::Cut | PassageLine::Missing(_) => None,
    };
    let mut seen: Vec<&PassageRow> = lines.filter_map(passage).collect();
    seen.sort_by_key(|row| row.rank);
    seen
}

fn passage_json(rows: &[&PassageRow]) -> Value {
    let row = |r: &&PassageRow| json!({"rank": r.rank, "id": r.id, "title": r.title, "score": r.score, "gold": r.gold});
    Value::Array(rows.iter().map(row).collect())
}

fn passages_json(state: &State, scene: &Scene) -> Value {
    let narrow = (state.focus == Pane::Passages && !narrowed(state).is_empty())
        .then(|| filter::shown(state, Pane::Passages));
    passage_json(&ranked(scene, narrow.as_deref()))
}

fn runs_json(state: &State) -> Value {
    let narrow =
        |scene: &Scene| filter::typed(state, Pane::Runs).map(|_| filter::shown_of(state, scene));
    let one = |name: String, scene: &Scene| {
        let passages = passage_json(&ranked(scene, narrow(scene).as_deref()));
        json!({"run": name, "settings": scene.settings, "passages": passages})
    };
    let pins = state.pins.list.iter().enumerate();
    let pins = pins.filter_map(|(at, pin)| {
        let scene = pin.scene(&state.wanted.question)?;
        Some(one(crate::explorer::pins::letter(at).to_string(), scene))
    });
    let live = state.scene().map(|scene| one("live".to_owned(), scene));
    Value::Array(pins.chain(live).collect())
}

fn seeds_json(state: &State, scene: &Scene) -> Value {
    let row = |s: &Row| match s.sign {
        Sign::Plain => Some(
            json!({"label": s.label, "weight": s.value, "passage": s.is_passage, "why": s.why}),
        ),
        Sign::Changed => Some(json!({"label": s.label, "weight": 0.0, "edit": s.note})),
        Sign::Heading | Sign::Lost => None,
    };
    let shown = sighted(state, Pane::Seeds, &scene.seeds);
    Value::Array(shown.into_iter().filter_map(row).collect())
}

fn nodes_json(state: &State, scene: &Scene) -> Value {
    let groups: Vec<&str> = scene.groups.iter().map(|g| g.label.as_str()).collect();
    let row = |row: &Row| {
        let shares: serde_json::Map<String, Value> = groups
            .iter()
            .zip(&row.shares)
            .map(|(g, share)| ((*g).to_owned(), json!(share)))
            .collect();
        json!({"label": row.label, "degree": row.count, "mass": row.value, "shares": shares})
    };
    let lines = rows::spread_lines(state, scene);
    let narrow = (!narrowed(state).is_empty()).then(|| filter::shown(state, Pane::Spread));
    let seen = |at: &usize| {
        narrow.as_ref().is_none_or(|shown| {
            let line = |row: &usize| lines.get(*row) == Some(&SpreadLine::Row(0, *at));
            shown.iter().any(line)
        })
    };
    let rows = scene.spread.first().map_or(&[][..], |stage| &stage.rows);
    let rows = rows.iter().enumerate().filter(|(at, _)| seen(at));
    Value::Array(rows.map(|(_, node)| row(node)).collect())
}

fn why_json(state: &State) -> Value {
    let Some(why) = state.detail().and_then(|d| d.passage.as_ref()) else {
        return Value::Null;
    };
    let parts: Vec<Value> = why
        .parts
        .iter()
        .map(|p| json!({"from": p.label, "score": p.value, "why": p.why}))
        .collect();
    let paths: Vec<Value> = why
        .paths
        .iter()
        .map(|p| json!({"mass": p.mass, "nodes": p.stops.iter().map(|s| s.label.as_str()).collect::<Vec<_>>()}))
        .collect();
    let reasons: Vec<Value> = why
        .reasons
        .iter()
        .map(|r| json!({"code": r.code, "text": r.text, "fix": r.suggestion()}))
        .collect();
    json!({
        "id": why.id, "title": why.title, "rank": why.rank, "score": why.score, "parts": parts,
        "by_length": why.by_length, "paths": paths, "why": why.sentence, "reasons": reasons,
    })
}

fn neighbours_json(state: &State) -> Value {
    let Some(around) = state.detail().and_then(|d| d.node.as_ref()) else {
        return Value::Null;
    };
    let row = |row: &Row| {
        let cells = around.columns.iter().zip(&row.cells);
        let mut told: serde_json::Map<String, Value> = cells
            .map(|(c, value)| (c.name.to_owned(), value.json()))
            .collect();
        told.insert("label".to_owned(), json!(row.label));
        told.insert("passage".to_owned(), json!(row.is_passage));
        told
    };
    let shown = sighted(state, Pane::Neighbours, &around.neighbours);
    json!({"of": around.label, "degree": around.degree, "rows": shown.into_iter().map(row).collect::<Vec<_>>()})
}

fn steps_json(scene: &Scene) -> Value {
    let Some(timeline) = &scene.timeline else {
        return Value::Null;
    };
    let row = |step: &crate::explorer::scene::Step| {
        let l = step.ledger;
        json!({"entities": l.entities, "passages": l.passages, "dropped": l.dropped, "residual": l.residual,
               "moved": step.moved, "gold_ranks": step.gold})
    };
    Value::Array(timeline.steps.iter().map(row).collect())
}

/// The shell command of this view.
pub fn command(state: &mut State) -> Vec<Effect> {
    vec![Effect::Copy(shell(state), "command".to_owned())]
}

/// What to type in a shell for the numbers that the focused pane shows.
pub fn shell(state: &State) -> String {
    if matches!(state.focus, Pane::Queue | Pane::Label) {
        return exported(state);
    }
    let mut words: Vec<String> = vec!["hopscope".to_owned()];
    let why = state.detail().and_then(|d| d.passage.as_ref());
    let explains = matches!(state.focus, Pane::Why | Pane::Reader);
    words.push(
        match state.focus {
            Pane::Seeds
            | Pane::Spread
            | Pane::Neighbours
            | Pane::Iterations
            | Pane::Flow
            | Pane::Heat
            | Pane::Step
            | Pane::Paths => "trace",
            _ if explains && why.is_some() => "explain",
            _ => "ask",
        }
        .to_owned(),
    );
    if !state.facts.argument.is_empty() {
        words.push(quote(&state.facts.argument));
    }
    words.push(quote(&state.wanted.question));
    words.extend(flags(&state.settings, &state.facts.reranker));
    if let (true, Some(why)) = (explains, why) {
        words.push(format!("--passage {}", quote(&why.id)));
    }
    words.join(" ")
}

/// What takes the labels out as gold.
fn exported(state: &State) -> String {
    let places = match (&*state.facts.argument, &*state.labelling.file) {
        ("", "") => String::new(),
        (index, "") => format!(" {}", quote(index)),
        (index, file) => format!(" {} {}", quote(index), quote(file)),
    };
    format!("hopscope labels{places} --as qrels --out gold.tsv")
}

/// What a method and its settings are on the command line, an option an entry.
pub fn flags(settings: &Settings, reranker: &str) -> Vec<String> {
    let mut words = vec![format!("--method {}", quote(&settings.method().name))];
    if let Some(preset) = settings.preset() {
        words.push(format!("--preset {}", preset.name));
    }
    if !reranker.is_empty() && settings.method().reranks() {
        words.push(format!("--reranker {}", quote(reranker)));
    }
    words.extend(
        settings
            .changed()
            .into_iter()
            .map(|set| format!("--set {}", quote(&set))),
    );
    words.extend(
        settings
            .seed_edits()
            .iter()
            .map(|edit| format!("--seed {}", quote(&edit.to_string()))),
    );
    let edits = settings.graph_edits().iter();
    words.extend(edits.map(|edit| format!("--edit {}", quote(&edit.to_string()))));
    words
}

/// A word as a shell reads it back unchanged.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
