//! Texts to units, entities and relations: the rule-based stand-in for the language model.

use crate::llm::task;
use crate::text::Norm;
use crate::text::chunks;
use crate::text::coreference::{Subject, subjects};
use crate::text::names::without_parenthesis;
use crate::text::persons::{Named, named};
use crate::text::relations::{Options, relations};
use crate::text::sentences::sentences;
use crate::text::span;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Task `decompose`: one text to take apart.
#[derive(Clone, Copy, Debug)]
pub struct Decompose<'a> {
    /// Of the passage; what the first pronoun stands for.
    pub title: &'a str,
    /// Whether the title is a name: then it is an entity of all that the text says (NodeRAG: titles are part of the text).
    pub named: bool,
    pub text: &'a str,
    /// Words that stand capitalised inside sentences of the index, in normal form.
    pub known: &'a FxHashSet<String>,
}

/// What one text says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decomposed {
    pub units: Vec<UnitOut>,
    /// A model said it, and not the rules.
    pub by_model: bool,
}

/// One event or statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UnitOut {
    pub text: String,
    /// What it is about, where only a pronoun says so.
    pub about: String,
    /// Each once, in order of first mention.
    pub entities: Vec<EntityOut>,
    pub relations: Vec<RelationOut>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EntityOut {
    pub name: String,
    /// The rules take it for a person.
    pub person: bool,
}

/// A predicate between two entities, in reading order.
#[derive(Clone, Debug, PartialEq)]
pub struct RelationOut {
    pub source: String,
    pub predicate: String,
    pub target: String,
}

/// A unit is closed when the next sentence would take it past this many tokens.
const UNIT_TOKENS: usize = 120;

/// An entity's identity: the name in capitals, with single spaces (NodeRAG uppercases; the exact string counts).
pub fn identity(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").to_uppercase()
}

/// What a model took a text apart into. Persons are told by the rules: the task does not ask for them.
pub fn told(input: &Decompose<'_>, output: &task::Decomposed) -> Decomposed {
    let names = named(input.text, input.title, Some(input.known));
    let persons = persons(&names, input.text);
    let line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let unit = |unit: &task::Unit| {
        let mut entities = Vec::new();
        titled(&mut entities, input, &persons);
        for name in &unit.entities {
            mention(
                &mut entities,
                &line(name),
                persons.contains(&identity(name)),
            );
        }
        let relations = unit.relations.iter().filter_map(|parts| match &parts[..] {
            [source, predicate, target] => Some(RelationOut {
                source: line(source),
                predicate: line(predicate),
                target: line(target),
            }),
            _ => None,
        });
        UnitOut {
            text: line(&unit.text),
            about: String::new(),
            entities,
            relations: relations.collect(),
        }
    };
    Decomposed {
        units: output.units.iter().map(unit).collect(),
        by_model: true,
    }
}

/// The title, where it is a name.
fn titled(entities: &mut Vec<EntityOut>, input: &Decompose<'_>, persons: &FxHashSet<String>) {
    let title = without_parenthesis(input.title).trim();
    if input.named && !identity(title).is_empty() {
        mention(entities, title, persons.contains(&identity(title)));
    }
}

/// The names of a text that the rules take for persons.
fn persons(names: &[Named], text: &str) -> FxHashSet<String> {
    let persons = names.iter().filter(|n| n.person.is_some());
    persons
        .map(|n| identity(span::of(text, n.span.clone())))
        .collect()
}

/// A unit is a run of sentences with the same subject, after subjects are carried over; it ends with its paragraph.
pub fn decompose(input: &Decompose<'_>) -> Decomposed {
    let text = input.text;
    let title = without_parenthesis(input.title).trim();
    let cut = sentences(text);
    let about = subjects(text, &cut, title, true);
    let names = named(text, title, Some(input.known));
    let persons = persons(&names, text);
    let spans: Vec<Range<usize>> = names.iter().map(|n| n.span.clone()).collect();
    let said = relations(text, title, &cut, &spans, Options::default());
    let mut out = Decomposed::default();
    for run in runs(text, &cut, &about) {
        let span = cut[run.start].start..cut[run.end - 1].end;
        let mut unit = UnitOut {
            text: span::of(text, span.clone()).to_owned(),
            ..UnitOut::default()
        };
        titled(&mut unit.entities, input, &persons);
        let carried = about[run.clone()].iter().flatten();
        for subject in carried.filter(|s| s.inferred && nameish(&s.name)) {
            if unit.about.is_empty() && cut[run.start].contains(&subject.span.start) {
                unit.about.clone_from(&subject.name);
            }
            let person = persons.contains(&identity(&subject.name));
            mention(&mut unit.entities, &subject.name, person);
        }
        for name in &names {
            if span.contains(&name.span.start) {
                mention(
                    &mut unit.entities,
                    span::of(text, name.span.clone()),
                    name.person.is_some(),
                );
            }
        }
        for relation in &said {
            let inside = run.contains(&(relation.sentence as usize));
            if inside && nameish(&relation.subject) && nameish(&relation.object) {
                unit.relations.push(RelationOut {
                    source: relation.subject.clone(),
                    predicate: relation.predicate.clone(),
                    target: relation.object.clone(),
                });
            }
        }
        out.units.push(unit);
    }
    out
}

/// Sentence ranges of the units.
fn runs(text: &str, cut: &[Range<usize>], about: &[Option<Subject>]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut tokens, mut subject) = (0, String::new());
    for (at, sentence) in cut.iter().enumerate() {
        let own = chunks::count(span::of(text, sentence.clone()));
        let form = about[at]
            .as_ref()
            .map_or(String::new(), |s| Norm::Simple.apply(&s.name));
        let paragraph = at > 0
            && span::of(text, cut[at - 1].end..sentence.start)
                .matches('\n')
                .count()
                > 1;
        match found.last_mut() {
            Some(run) if !paragraph && tokens + own <= UNIT_TOKENS && same(&subject, &form) => {
                run.end = at + 1;
                tokens += own;
                if subject.is_empty() {
                    subject = form;
                }
            }
            _ => {
                found.push(at..at + 1);
                tokens = own;
                subject = form;
            }
        }
    }
    found
}

/// Whether two subjects are one: equal, one unknown, or one within the other as whole words ("Voss" and "Mara Voss").
fn same(a: &str, b: &str) -> bool {
    let within = |short: &str, long: &str| format!(" {long} ").contains(&format!(" {short} "));
    a.is_empty() || b.is_empty() || within(a, b) || within(b, a)
}

fn nameish(name: &str) -> bool {
    let first = name.trim().chars().next();
    let letters = name.chars().filter(|c| c.is_alphanumeric()).take(2).count();
    letters == 2 && first.is_some_and(|c| c.is_uppercase() || c.is_numeric())
}

fn mention(entities: &mut Vec<EntityOut>, name: &str, person: bool) {
    let own = identity(name);
    match entities.iter_mut().find(|e| identity(&e.name) == own) {
        Some(known) => known.person |= person,
        None => entities.push(EntityOut {
            name: name.to_owned(),
            person,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(title: &str, text: &str) -> Vec<UnitOut> {
        let known = FxHashSet::default();
        let input = Decompose {
            title,
            named: false,
            text,
            known: &known,
        };
        decompose(&input).units
    }

    fn names(unit: &UnitOut) -> Vec<&str> {
        unit.entities.iter().map(|e| e.name.as_str()).collect()
    }

    #[test]
    fn a_run_of_one_subject_is_a_unit() {
        let text = "Mara Voss designed the Hull Lighthouse. She was born in Leeds. The Humber Bridge opened in 1981.";
        let found = units("Mara Voss", text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!(
            found[0].text,
            "Mara Voss designed the Hull Lighthouse. She was born in Leeds."
        );
        assert_eq!(names(&found[0]), ["Mara Voss", "Hull Lighthouse", "Leeds"]);
        assert_eq!(names(&found[1]), ["Humber Bridge"]);
        let said = &found[0].relations[0];
        assert_eq!(
            (&*said.source, &*said.predicate, &*said.target),
            ("Mara Voss", "designed", "Hull Lighthouse")
        );
        assert!(found[1].relations.is_empty());
    }

    #[test]
    fn a_pronoun_takes_the_title_without_its_parenthesis() {
        let found = units("Mercury (crater)", "It lies near Tycho on the Moon.");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].about, "Mercury");
        assert_eq!(names(&found[0])[0], "Mercury");
    }

    #[test]
    fn a_title_that_is_a_name_is_an_entity_of_every_unit() {
        let known = FxHashSet::default();
        let text = "He lies near Tycho. The Humber Bridge opened in 1981.";
        let said = |named| {
            decompose(&Decompose {
                title: "Ivo Lind (skipper)",
                named,
                text,
                known: &known,
            })
        };
        let has = |unit: &UnitOut| names(unit).contains(&"Ivo Lind");
        assert!(said(true).units.iter().all(has) && said(true).units.len() == 2);
        assert!(!said(false).units.iter().all(has));
    }

    #[test]
    fn paragraphs_and_length_end_a_unit() {
        let two = units("Ada", "She wrote.\n\nShe taught.");
        assert_eq!(two.len(), 2);
        let long = "She wrote one two three four five six seven eight nine ten. ".repeat(20);
        let found = units("Ada", &long);
        assert_eq!(found.len(), 2);
        // Twelve tokens a sentence: ten sentences are 120 tokens.
        assert_eq!(chunks::count(&found[0].text), 120);
        assert!(units("Ada", "").is_empty());
    }

    #[test]
    fn identities_are_in_capitals() {
        assert_eq!(identity(" Mara\n Voss "), "MARA VOSS");
        assert!(same("voss", "mara voss") && !same("mar", "mara") && same("", "x"));
        assert!(nameish("Ada") && nameish("7 Seas") && !nameish("the film") && !nameish("A"));
    }
}
