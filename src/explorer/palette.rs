//! What the finders list, and in which order. Whole words first, then beginnings of words, then fuzzy matches: a
//! person who types "select line" must not find it at place nine.

mod compose;
mod patches;

use super::action::{Action, Message, Tone};
use super::available::available;
use super::command::{Command, Group};
use super::jobs::look::{Kind, Place, anywhere, path_of};
use super::lack::{Missing, lack};
use super::lesson::Lesson;
use super::parameter_keys;
use super::state::{Entry, FinderKind, State};
use crate::exchange::postgres;
use crate::layers::Class;
use crate::retrieve::{Domain, METHODS, Method, NO_PRESET, Parameter};
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use std::path::Path;

/// How many entries a finder lists at most.
const LIMIT: usize = 400;

/// What a finder lists for what was typed.
pub fn entries(state: &State, kind: FinderKind, typed: &str) -> Vec<Entry> {
    match kind {
        FinderKind::Palette => palette(state, typed),
        FinderKind::Methods => {
            let read = run_file(state, typed.trim());
            read.into_iter()
                .chain(narrowed(methods(state), typed))
                .collect()
        }
        FinderKind::Compose => narrowed(compose::parts(state), typed),
        FinderKind::Preset => compose::saves(state, typed.trim()),
        // Found by the worker.
        FinderKind::Seeds | FinderKind::Join | FinderKind::Node | FinderKind::End => Vec::new(),
        FinderKind::Edits => patches::edits(state, typed.trim()),
        FinderKind::SavePatch => patches::saves(state, typed.trim()),
        FinderKind::LoadPatch => patches::loads(state, typed.trim()),
        FinderKind::History => narrowed(history(state), typed),
        FinderKind::Answer => {
            let entries = |reply| super::jobs::reply::entries(reply, state.masked);
            narrowed(state.reply().map_or_else(Vec::new, entries), typed)
        }
        FinderKind::Doctor => narrowed(faults(state), typed),
        FinderKind::Lessons => narrowed(lessons(), typed),
        FinderKind::Messages => narrowed(messages(state), typed),
        FinderKind::Themes => narrowed(themes(state), typed),
        FinderKind::Indexes => indexes(state, typed.trim()),
        FinderKind::Help => narrowed(help(state), typed),
    }
}

/// The rest of what was typed after the prefix of a kind of thing.
pub fn after_prefix(typed: &str, prefix: char) -> Option<&str> {
    typed.trim_start().strip_prefix(prefix).map(str::trim)
}

fn palette(state: &State, typed: &str) -> Vec<Entry> {
    if let Some(rest) = after_prefix(typed, '?') {
        return narrowed(questions(state), rest);
    }
    if let Some(rest) = after_prefix(typed, '!') {
        return narrowed(classes(state), rest);
    }
    // Nodes and passages are found by the worker.
    if after_prefix(typed, '@').is_some() || after_prefix(typed, '#').is_some() {
        return Vec::new();
    }
    let typed = after_prefix(typed, '>').unwrap_or(typed.trim());
    let mut all: Vec<Entry> = Command::all()
        .map(|command| of_command(state, command))
        .collect();
    if typed.is_empty() {
        // What was chosen lately, then in the order of use; nobody looks up the arrow keys here.
        let order = [
            Group::Question,
            Group::Settings,
            Group::Steps,
            Group::Taking,
            Group::Parameters,
            Group::Panes,
            Group::Program,
            Group::Moving,
        ];
        let place = |entry: &Entry| {
            order
                .iter()
                .position(|group| group.title() == entry.heading)
        };
        all.sort_by_key(place);
        let mut listed: Vec<Entry> = state
            .recent
            .iter()
            .filter_map(|choice| again(state, choice))
            .collect();
        all.retain(|entry| !state.recent.contains(&entry.choice));
        listed.extend(all);
        return listed;
    }
    all.extend(values(state));
    ranked(typed_value(state, typed), all, typed)
}

/// The entry of something that was chosen before.
fn again(state: &State, choice: &Action) -> Option<Entry> {
    match choice {
        Action::Do(command) => Some(of_command(state, *command)),
        Action::Set(parameter, value) => typed_value(state, &format!("{parameter} {value}"))
            .into_iter()
            .next(),
        Action::Method(_) | Action::Preset(_) | Action::Build(_) => values(state)
            .into_iter()
            .find(|entry| entry.choice == *choice),
        Action::Losing(_) => classes(state)
            .into_iter()
            .find(|entry| entry.choice == *choice),
        Action::AskNumber(number) => questions(state).into_iter().nth(*number),
        Action::Ask(text) => Some(Entry::plain(text.clone(), String::new(), choice.clone())),
        // A node's name is not known here; it is a few letters away. A preset's name is asked for each time. Changes of
        // the graph, their files, lessons and indexes have lists of their own.
        _ => None,
    }
}

/// A command with its value, key, and reason.
fn of_command(state: &State, command: Command) -> Entry {
    let now = match command {
        Command::Tune(parameter) => state.settings.text(parameter),
        Command::Method => state.settings.method().name.to_string(),
        Command::GraphEdits if !state.settings.graph_edits().is_empty() => {
            format!("{} made", state.settings.graph_edits().len())
        }
        Command::Undo if !state.undo.is_empty() => format!("{} left", state.undo.len()),
        Command::Redo if !state.redo.is_empty() => format!("{} left", state.redo.len()),
        Command::NextQuestion | Command::PreviousQuestion => match state.wanted.asked {
            Some(at) => format!("{} of {}", at + 1, state.facts.questions.len()),
            None => String::new(),
        },
        _ => String::new(),
    };
    Entry {
        title: command.title(),
        heading: command.group().title(),
        now,
        key: parameter_keys::keys(state, command),
        help: command.help().to_owned(),
        shell: command.shell(),
        unavailable: available(command, state).err(),
        choice: Action::Do(command),
        matched: Vec::new(),
    }
}

/// `edge weight: binary` and the methods, each as one entry.
fn values(state: &State) -> Vec<Entry> {
    let mut entries = methods(state);
    for entry in &mut entries {
        entry.title = format!("Method: {}", entry.title);
    }
    entries.extend(presets(state));
    for mut entry in compose::parts(state) {
        entry.title = format!("{}: {}", entry.heading, entry.title);
        entry.heading = Group::Settings.title();
        entries.push(entry);
    }
    for parameter in state.settings.method().uses() {
        let declaration = parameter.declaration();
        let Domain::Choice(choices) = &declaration.domain else {
            continue;
        };
        for choice in *choices {
            entries.push(Entry {
                help: choice.meaning.to_owned(),
                ..setting(state, parameter, choice.name)
            });
        }
    }
    entries
}

/// A value for a parameter.
fn setting(state: &State, parameter: Parameter, value: &str) -> Entry {
    let (id, label) = (parameter.id(), parameter.declaration().label);
    Entry {
        heading: Group::Parameters.title(),
        shell: format!("hopscope ask QUESTION --set {id}={value}"),
        ..Entry::plain(
            format!("Set {label}: {value}"),
            format!("now {}", state.settings.text(parameter)),
            Action::Set(id.to_owned(), value.to_owned()),
        )
    }
}

/// `alpha .35` and `method bm25` are done as typed.
fn typed_value(state: &State, typed: &str) -> Vec<Entry> {
    let Some((name, value)) = typed.rsplit_once([' ', '=']) else {
        return Vec::new();
    };
    let name = name.trim().trim_end_matches('=').trim().to_lowercase();
    let known = |p: &&Parameter| {
        let declaration = p.declaration();
        let names = [declaration.id, declaration.symbol, declaration.label];
        names
            .iter()
            .any(|n| n.replace(['_', '-'], " ").to_lowercase() == name.replace(['_', '-'], " "))
    };
    let mut found = Vec::new();
    if let Some(parameter) = Parameter::ALL.iter().find(known) {
        let declaration = parameter.declaration();
        let parsed = declaration.domain.parse(value);
        let used = available(Command::Tune(*parameter), state);
        found.push(Entry {
            help: format!("{} ({})", declaration.meaning, declaration.domain),
            unavailable: parsed.err().or(used.err()),
            ..setting(state, *parameter, value)
        });
    }
    found
}

/// The run file of another program whose path was typed, or what is wrong with it.
fn run_file(state: &State, typed: &str) -> Option<Entry> {
    let path = path_of(typed);
    let name = path.to_str().filter(|_| path.is_file())?;
    Some(match Method::by_name(name) {
        Ok(method) => of_method(state, &method),
        Err(said) => {
            let choice = Action::Method(name.to_owned());
            let mut entry = Entry::plain(typed.to_owned(), String::new(), choice);
            entry.unavailable = Some(said);
            entry
        }
    })
}

fn methods(state: &State) -> Vec<Entry> {
    // What is in no list stands before the methods while it is the one in use.
    let now = &**state.settings.method();
    let own = !METHODS.iter().any(|method| method == now);
    let own = own.then_some(now).into_iter();
    own.chain(METHODS)
        .map(|method| of_method(state, method))
        .collect()
}

fn of_method(state: &State, method: &Method) -> Entry {
    let lack = lack(state, method);
    let name = method.name.to_string();
    let now = match lack {
        Some(Missing::Layer(layer)) => format!("Enter builds layer {layer}; {}", method.about),
        Some(Missing::Vectors) => format!("needs vectors; {}", method.about),
        Some(Missing::Typed) => format!("needs a typed graph; {}", method.about),
        Some(Missing::Given) => format!("needs another system's index; {}", method.about),
        Some(Missing::Foreign(layer)) => format!("needs layer {layer}; {}", method.about),
        Some(Missing::Elsewhere) => format!("needs a copy of the index; {}", method.about),
        None => method.about.to_string(),
    };
    let reason = lack.map(|lack| lack.reason(&state.facts));
    let builds = matches!(lack, Some(Missing::Layer(_)));
    let choice = match builds {
        true => Action::Build(name.clone()),
        false => Action::Method(name.clone()),
    };
    let mut entry = Entry::plain(name, now, choice);
    if *method == **state.settings.method() {
        entry.key = "now".to_owned();
    }
    entry.help = match &reason {
        Some(reason) if builds => format!("{reason}. Enter builds it for this session."),
        _ => format!(
            "{}: {}. Needs {}.",
            method.title, method.about, method.needs
        ),
    };
    entry.shell = format!("hopscope ask QUESTION --method {}", method.name);
    entry.unavailable = reason.filter(|_| !builds);
    entry
}

/// The presets, and none of them where one is on.
fn presets(state: &State) -> Vec<Entry> {
    let now = state.settings.preset().map(|p| &*p.name);
    let entry = |name: &str, about: &str, shell: String| Entry {
        heading: Group::Settings.title(),
        help: format!("{about}. Your own settings stay."),
        shell,
        ..Entry::plain(
            format!("Preset: {name}"),
            [about, "now"][usize::from(now == Some(name))].to_owned(),
            Action::Preset(name.to_owned()),
        )
    };
    let on = state.presets.all().map(|preset| {
        let shell = format!("hopscope ask QUESTION --preset {}", preset.name);
        entry(&preset.name, &preset.about, shell)
    });
    let off = now.map(|_| entry(NO_PRESET, "the method's own defaults", String::new()));
    on.chain(off).collect()
}

fn questions(state: &State) -> Vec<Entry> {
    let questions = state.facts.questions.iter().enumerate();
    questions
        .map(|(i, asked)| {
            let gold = match asked.gold {
                0 => "no gold".to_owned(),
                n => format!("{n} gold"),
            };
            Entry::plain(
                asked.text.clone(),
                format!("{} {gold}", asked.kind).trim().to_owned(),
                Action::AskNumber(i),
            )
        })
        .collect()
}

/// The failure classes: each leads to the next question that loses gold so.
fn classes(state: &State) -> Vec<Entry> {
    let unavailable = available(Command::NextLosing, state).err();
    let entry = |class: &Class| Entry {
        title: format!("{class} {}", class.about()),
        now: "next question".to_owned(),
        help: "Goes to the next question that misses gold for this reason.".to_owned(),
        unavailable: unavailable.clone(),
        ..Entry::plain(String::new(), String::new(), Action::Losing(*class))
    };
    Class::ALL.iter().map(entry).collect()
}

fn history(state: &State) -> Vec<Entry> {
    let asked = |q: &String| Entry::plain(q.clone(), String::new(), Action::Ask(q.clone()));
    state.history.iter().map(asked).collect()
}

/// Indexes opened lately and the sample, as far as no path is typed; what lies at a path is looked for outside.
fn indexes(state: &State, typed: &str) -> Vec<Entry> {
    let is_path = typed.starts_with(['/', '.', '~']);
    if postgres::is_one(Path::new(typed)) {
        // Neither the list nor what is remembered of it shows a password.
        let address = postgres::without_password(typed.into());
        let address = address.to_string_lossy().into_owned();
        let choice = Action::OpenIndex(address.clone());
        let mut entry = Entry::plain(address, "database".to_owned(), choice);
        entry.help = "Copies the texts or the graph of this database, and indexes them in memory."
            .to_owned();
        return vec![entry];
    }
    let recent = state.indexes.iter().filter(|_| !is_path).map(|path| {
        let choice = Action::OpenIndex(path.clone());
        Entry::plain(path.clone(), "recent".to_owned(), choice)
    });
    let sample = Entry::plain(
        "the bundled sample".to_owned(),
        "comes with the program".to_owned(),
        Action::OpenIndex(String::new()),
    );
    let sample = (!is_path && !state.facts.argument.is_empty()).then_some(sample);
    let here = anywhere(&state.facts.argument);
    let mut entries: Vec<Entry> = recent.chain(sample).collect();
    for entry in &mut entries {
        if here == Path::new(&entry.title) {
            entry.now = "open now".to_owned();
        }
    }
    narrowed(entries, typed)
}

/// What lies at a typed path, as entries.
pub fn places(places: &[Place]) -> impl Iterator<Item = Entry> {
    places.iter().map(|place| {
        let path = place.path.clone();
        let (now, choice) = match place.kind {
            Kind::Index => ("index", Action::OpenIndex(path)),
            Kind::Folder => ("folder", Action::Into(path)),
            Kind::Corpus => ("possibly corpus files", Action::OpenIndex(path)),
            Kind::Neither => ("", Action::OpenIndex(path)),
        };
        let mut entry = Entry::plain(place.path.clone(), now.to_owned(), choice);
        entry.help = match place.kind {
            Kind::Index => "Opens this index.",
            Kind::Folder => "Looks into this folder; Tab too.",
            Kind::Corpus => "Reads it as a corpus and indexes it in memory; problems are reported.",
            Kind::Neither => "",
        }
        .to_owned();
        if place.kind == Kind::Neither {
            entry.unavailable = Some("no index and no corpus file in this folder".to_owned());
        }
        entry
    })
}

/// The lessons that come with the program.
fn lessons() -> Vec<Entry> {
    let entry = |lesson: super::lesson::Lesson| {
        let steps = super::text::plural(lesson.steps.len(), "step");
        let title = format!("{}: {}", lesson.name, lesson.title);
        let mut entry = Entry::plain(
            title,
            format!("{} min", lesson.minutes),
            Action::Lesson(lesson.name.clone()),
        );
        entry.help = format!("{}. {steps}.", lesson.about);
        entry.shell = format!("hopscope --lesson {}", lesson.name);
        entry
    };
    Lesson::shipped().map(entry).collect()
}

/// The themes there are.
fn themes(state: &State) -> Vec<Entry> {
    let entry = |name: &String| {
        let now = ["", "now"][usize::from(*name == state.theme)];
        let mut entry = Entry::plain(name.clone(), now.to_owned(), Action::Theme(name.clone()));
        entry.shell = format!("hopscope --theme {name}");
        entry
    };
    state.themes.iter().map(entry).collect()
}

/// What the status line said, newest first.
fn messages(state: &State) -> Vec<Entry> {
    let entry = |message: &Message| {
        let tone = match message.tone {
            Tone::Plain => "",
            Tone::Good => "ok",
            Tone::Warning => "note",
            Tone::Error => "error",
        };
        let mut entry = Entry::note(message.text.clone(), tone.to_owned());
        entry.help.clone_from(&message.text);
        entry
    };
    state.said.iter().map(entry).collect()
}

/// Words of the field, for the end of help.
fn glossary() -> Vec<Entry> {
    let entry = |(word, meaning): &(&str, &str)| {
        let mut entry = Entry::note((*word).to_owned(), String::new());
        entry.heading = "Words";
        entry.help = (*meaning).to_owned();
        entry.now = (*meaning).to_owned();
        entry
    };
    GLOSSARY.iter().map(entry).collect()
}

const GLOSSARY: &[(&str, &str)] = &[
    ("passage", "the unit of text that is retrieved and ranked"),
    (
        "entity",
        "a person, place or thing that passages mention; a node of the graph",
    ),
    ("name", "how an entity is written in a question or passage"),
    ("mention", "one occurrence of a name in a text"),
    (
        "seed",
        "a node the walk starts from and restarts at: an entity in the question, or a first-stage passage",
    ),
    (
        "mass",
        "the probability the walk moves: 1 in total on the seeds at first, passed along edges at every step",
    ),
    (
        "restart",
        "restart probability alpha: the share of mass returned to the seeds at every step; damping is 1 - alpha",
    ),
    (
        "spread",
        "how mass moves from the seeds: in steps (power iteration), or largest residual first (push)",
    ),
    (
        "step",
        "one move along all edges: entities send to passages, passages to entities",
    ),
    (
        "parity",
        "mass from an entity seed is on passages after odd steps and on entities after even steps",
    ),
    (
        "residual",
        "in push, mass that has reached a node but has not been pushed on",
    ),
    (
        "hub",
        "an entity in very many passages, which dilutes the mass it receives",
    ),
    (
        "hub penalty",
        "how strongly a passage sends less mass to frequent entities",
    ),
    ("degree", "how many edges a node has"),
    (
        "balance",
        "second-largest seed share divided by the largest: near 1 when two seeds contribute equally",
    ),
    (
        "tie",
        "scores within 0.5 % of each other: their order means little",
    ),
    ("cut", "the end of the returned list, after rank k"),
    ("gold", "passages that people judged relevant"),
    ("qrels", "the file of such judgements"),
    ("run", "what one method with its settings returned"),
    (
        "pin",
        "a run kept on screen to compare others with; in the neighbourhood, the node that best paths lead to",
    ),
    ("R@5", "recall: the share of gold among the first five"),
    (
        "RR",
        "reciprocal rank: one over the rank of the first gold passage",
    ),
    (
        "nDCG@10",
        "gold among the first ten, worth more the higher it stands; 1 is perfect",
    ),
    (
        "All@5",
        "the share of questions with all of their gold among the first five",
    ),
    (
        "interval",
        "95 % confidence interval of the difference, from a paired bootstrap over questions",
    ),
    ("BM25", "ranking by shared words; rare words count more"),
    (
        "fusion",
        "reciprocal rank fusion: merges rankings by summing 1 / (c + rank)",
    ),
    (
        "F0 to F7",
        "failure classes of missed gold, from \"not in the corpus\" to \"lost between stages\"",
    ),
];

/// What the newest check-up found.
fn faults(state: &State) -> Vec<Entry> {
    state
        .faults()
        .map_or_else(Vec::new, super::jobs::doctor::entries)
}

fn help(state: &State) -> Vec<Entry> {
    let mut all: Vec<Entry> = Command::all()
        .map(|command| of_command(state, command))
        .collect();
    all.sort_by_key(|entry| Group::ALL.iter().position(|g| g.title() == entry.heading));
    all.retain(|entry| !entry.key.is_empty());
    let here = super::panes::contents(state.focus).keys(state);
    let mut first: Vec<Entry> = here
        .iter()
        .copied()
        .map(|command| of_command(state, command))
        .collect();
    first
        .iter_mut()
        .for_each(|entry| entry.heading = super::panes::contents(state.focus).card().about);
    first.extend(all);
    first.extend(glossary());
    first
}

/// The entries that match, best first; all of them in their own order when nothing was typed.
fn narrowed(entries: Vec<Entry>, typed: &str) -> Vec<Entry> {
    ranked(Vec::new(), entries, typed)
}

/// How well the letters of an entry match at least, and where what was typed as a value stands: first, or where it cannot
/// be set behind all that has the letters.
const LETTERS: i64 = 1000;
const AS_TYPED: i64 = 10 * LETTERS;

/// What was typed as a value, and the entries that match. Of those that match in the same way, what can be done comes
/// before what cannot.
fn ranked(values: Vec<Entry>, entries: Vec<Entry>, typed: &str) -> Vec<Entry> {
    let typed = typed.trim();
    if typed.is_empty() {
        return entries;
    }
    let matcher = SkimMatcherV2::default().ignore_case();
    let value = |entry: Entry| match entry.unavailable {
        None => (AS_TYPED, entry),
        Some(_) => (LETTERS - 1, entry),
    };
    let mut found: Vec<(i64, Entry)> = values.into_iter().map(value).collect();
    for mut entry in entries {
        let rank = rank(&matcher, &entry, typed);
        if rank > 0 {
            entry.matched = matched(&matcher, &entry.title, typed);
            found.push((rank, entry));
        }
    }
    // The shorter of two equal matches is matched more; the sort is stable.
    found.sort_by_key(|(rank, entry)| {
        let cannot = entry.unavailable.is_some();
        (-rank / LETTERS, cannot, -rank, entry.title.len())
    });
    found.truncate(LIMIT);
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// How well an entry matches; 0 does not. Words match in any order, behind what has them as they were typed.
fn rank(matcher: &SkimMatcherV2, entry: &Entry, typed: &str) -> i64 {
    let whole = rank_of(matcher, entry, typed);
    let mut words = typed.split_whitespace();
    if whole >= LETTERS || words.clone().nth(1).is_none() {
        return whole;
    }
    let each = words.try_fold(i64::MAX, |least, word| {
        let rank = rank_of(matcher, entry, word);
        (rank >= 500).then(|| least.min(rank))
    });
    whole.max(each.map_or(0, |each| each.min(10 * LETTERS) / 10 - 1))
}

fn rank_of(matcher: &SkimMatcherV2, entry: &Entry, typed: &str) -> i64 {
    let wanted = typed.to_lowercase();
    let title = entry.title.to_lowercase();
    let (id, synonyms) = match &entry.choice {
        Action::Do(command) => (command.id(), command.synonyms().to_lowercase()),
        _ => (String::new(), String::new()),
    };
    let words = |text: &str, whole: bool| {
        let mut of_text = text.split(|c: char| !c.is_alphanumeric());
        of_text.any(|word| {
            if whole {
                word == wanted
            } else {
                word.starts_with(&wanted)
            }
        })
    };
    // A key is typed exactly, with its case: z is not Z.
    if entry.key.split("  ").any(|key| key == typed) && wanted.chars().count() > 1 {
        return 9000;
    }
    if title == wanted || id == wanted {
        return 8000;
    }
    if title.starts_with(&wanted) {
        return 7000;
    }
    if words(&title, true) || title.contains(&format!(" {wanted}")) {
        return 6000;
    }
    if words(&id, true) || words(&synonyms, true) {
        return 5000;
    }
    if words(&title, false) {
        return 4000;
    }
    if words(&id, false) || words(&synonyms, false) {
        return 3000;
    }
    if entry.key.split("  ").any(|key| key == typed) {
        return 2500;
    }
    let fuzzy = matcher
        .fuzzy_match(&title, &wanted)
        .map(|score| LETTERS + score.min(900));
    let help = || {
        let text = format!(
            "{synonyms} {} {}",
            entry.help.to_lowercase(),
            entry.now.to_lowercase()
        );
        if text.contains(&wanted) {
            Some(500)
        } else {
            None
        }
    };
    fuzzy.or_else(help).unwrap_or(0)
}

/// Which characters of a title to mark: the first occurrence as a whole, else the fuzzy letters.
pub fn matched(matcher: &SkimMatcherV2, title: &str, typed: &str) -> Vec<usize> {
    let lower = |text: &str| {
        text.chars()
            .map(|c| c.to_lowercase().next().unwrap_or(c))
            .collect::<Vec<char>>()
    };
    let (all, wanted) = (lower(title), lower(typed));
    match all
        .windows(wanted.len().max(1))
        .position(|part| part == wanted)
    {
        Some(at) => (at..at + wanted.len()).collect(),
        None => matcher
            .fuzzy_indices(title, typed)
            .map_or_else(Vec::new, |(_, at)| at),
    }
}
