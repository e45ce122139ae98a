//! Relations between names by patterns over parts of speech: rule open information extraction.

use super::coreference::{Subject, subjects};
use super::pos::{Pos, Token, tag};
use super::relation_patterns::{Link, coordination, further, link};
use super::span;
use crate::text::mentions::Norm;
use std::ops::Range;

/// What made a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Pattern {
    /// `[aux]*` V [particle or preposition]: "was designed by".
    Verb = 1,
    /// is (a) NP of: "is capital of".
    Copula = 2,
    /// X, a NP of Y.
    Apposition = 3,
    /// X's NP Y.
    Possessive = 4,
    /// X of Y, in, at, from.
    Preposition = 5,
    /// Neighbours in a sentence without a pattern.
    CoOccurrence = 6,
    /// A second verb or a second preposition of a subject named before: "X was born in A and founded Y", "X studied at A
    /// in Y". The source pairs neighbours only; this reads the same patterns with the subject of the clause.
    Clause = 7,
}

#[cfg(test)]
impl Pattern {
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Verb => "verb",
            Pattern::Copula => "copula",
            Pattern::Apposition => "apposition",
            Pattern::Possessive => "possessive",
            Pattern::Preposition => "preposition",
            Pattern::CoOccurrence => "cooc",
            Pattern::Clause => "clause",
        }
    }
}

/// Two names of one sentence and what links them.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    pub subject: String,
    pub predicate: String,
    pub object: String,
    /// Where the subject stands: its name, or the words it was carried over to.
    pub subject_span: Range<usize>,
    pub object_span: Range<usize>,
    /// Number of the sentence in the text.
    pub sentence: u32,
    pub pattern: Pattern,
    /// "was V-ed by": the order of the surface is kept.
    pub passive: bool,
    /// The subject is an inferred mention ([`super::coreference`]).
    pub inferred: bool,
    /// 1, or 0.5 without a pattern.
    pub strength: f32,
}

/// Choices of the extraction.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Link neighbours without a pattern by "occurs with", strength 0.5 (KET-RAG on, NodeRAG off).
    pub cooc: bool,
    /// Let sentences inherit their subject.
    pub carry: bool,
    /// Most relations of one sentence.
    pub most: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            cooc: false,
            carry: true,
            most: 8,
        }
    }
}

/// A name of a sentence, with its token range there.
struct Item {
    name: String,
    span: Range<usize>,
    tokens: Range<usize>,
    inferred: bool,
}

/// The relations of a text, sentence by sentence. `names` are byte ranges in order; `title` is what the first sentence's
/// pronoun stands for.
pub fn relations(
    text: &str,
    title: &str,
    sentences: &[Range<usize>],
    names: &[Range<usize>],
    options: Options,
) -> Vec<Relation> {
    let carried = if options.carry {
        subjects(text, sentences, title, true)
    } else {
        Vec::new()
    };
    let mut found = Vec::new();
    let mut next = 0;
    for (number, sentence) in sentences.iter().enumerate() {
        while names
            .get(next)
            .is_some_and(|name| name.end <= sentence.start)
        {
            next += 1;
        }
        let inside: Vec<Range<usize>> = names[next..]
            .iter()
            .take_while(|name| name.end <= sentence.end)
            .cloned()
            .collect();
        let subject = carried
            .get(number)
            .and_then(Option::as_ref)
            .filter(|s| s.inferred);
        if inside.len() + usize::from(subject.is_some()) < 2 {
            continue;
        }
        let words = span::of(text, sentence.clone());
        let tokens = tag(words);
        let items = items(text, sentence, &tokens, &inside, subject);
        let mut made = pairs(words, &tokens, &items, options);
        made.truncate(options.most);
        found.extend(made.into_iter().map(|(a, b, link)| Relation {
            subject: items[a].name.clone(),
            predicate: link.predicate,
            object: items[b].name.clone(),
            subject_span: items[a].span.clone(),
            object_span: items[b].span.clone(),
            sentence: number as u32,
            pattern: link.pattern,
            passive: link.passive,
            inferred: items[a].inferred,
            strength: if link.pattern == Pattern::CoOccurrence {
                0.5
            } else {
                1.0
            },
        }));
    }
    found
}

/// The names of a sentence in order, the inherited subject among them.
fn items(
    text: &str,
    sentence: &Range<usize>,
    tokens: &[Token],
    names: &[Range<usize>],
    subject: Option<&Subject>,
) -> Vec<Item> {
    let place = |span: &Range<usize>| {
        // A name may begin before the sentence where the splitter took its full stop for an end: "St. Louis".
        let start = span.start.saturating_sub(sentence.start);
        let end = span.end.saturating_sub(sentence.start);
        tokens.partition_point(|t| t.span.end <= start)
            ..tokens.partition_point(|t| t.span.start < end)
    };
    let mut items: Vec<Item> = names
        .iter()
        .map(|span| Item {
            name: span::of(text, span.clone()).to_owned(),
            span: span.clone(),
            tokens: place(span),
            inferred: false,
        })
        .collect();
    if let Some(subject) = subject {
        let clear = items
            .iter()
            .all(|item| item.span.end <= subject.span.start || item.span.start >= subject.span.end);
        if clear {
            let at = items.partition_point(|item| item.span.start < subject.span.start);
            let (span, name) = (subject.span.clone(), subject.name.clone());
            let tokens = place(&span);
            items.insert(
                at,
                Item {
                    name,
                    span,
                    tokens,
                    inferred: true,
                },
            );
        }
    }
    items
}

/// Linked pairs of items, in order.
fn pairs(
    sentence: &str,
    tokens: &[Token],
    items: &[Item],
    options: Options,
) -> Vec<(usize, usize, Link)> {
    let form: Vec<String> = items
        .iter()
        .map(|item| Norm::Simple.apply(&item.name))
        .collect();
    let gap = |a: usize, b: usize| {
        &tokens[items[a].tokens.end.min(items[b].tokens.start)..items[b].tokens.start]
    };
    let joined = |a: usize, b: usize| coordination(sentence, gap(a, b));
    let mut found: Vec<(usize, usize, Link)> = Vec::new();
    // The subject and predicate of the clause so far, and the object it reached last.
    let mut clause: Option<(usize, String, usize)> = None;
    for b in 1..items.len() {
        let a = b - 1;
        let mut push = |a: usize, b: usize, link: &Link| {
            if form[a] != form[b] {
                found.push((a, b, link.clone()));
            }
        };
        let own = sentence_possessive(sentence, tokens, &items[a]);
        if let Some((subject, predicate, reached)) = &clause
            && *reached == a
        {
            // "founded A and B": the verb has both objects.
            if joined(a, b) {
                push(
                    *subject,
                    b,
                    &Link {
                        predicate: predicate.clone(),
                        pattern: Pattern::Clause,
                        passive: false,
                    },
                );
                clause = Some((*subject, predicate.clone(), b));
                continue;
            }
            if let Some(next) = further(sentence, gap(a, b), predicate) {
                push(*subject, b, &next);
                clause = Some((*subject, next.predicate, b));
                continue;
            }
        }
        match link(sentence, gap(a, b), own) {
            Some(link) => {
                let finite = matches!(link.pattern, Pattern::Verb | Pattern::Copula);
                // "A and B founded C": the verb has both.
                if a > 0 && joined(a - 1, a) && finite {
                    push(a - 1, b, &link);
                }
                push(a, b, &link);
                clause = finite.then(|| (a, link.predicate.clone(), b));
            }
            None => {
                clause = None;
                if options.cooc {
                    push(
                        a,
                        b,
                        &Link {
                            predicate: "occurs with".into(),
                            pattern: Pattern::CoOccurrence,
                            passive: false,
                        },
                    );
                }
            }
        }
    }
    found
}

/// Whether an inherited subject stands as "his", "her", "its": then the gap reads like one after 's.
fn sentence_possessive(sentence: &str, tokens: &[Token], item: &Item) -> bool {
    item.inferred
        && tokens[item.tokens.clone()].iter().any(|t| {
            t.pos == Pos::Possessive && !span::of(sentence, t.span.clone()).starts_with(['\'', '’'])
        })
}

#[cfg(test)]
mod tests {
    use super::super::persons::names;
    use super::*;
    use crate::text::sentences::sentences;

    fn of(text: &str, title: &str, options: Options) -> Vec<String> {
        relations(
            text,
            title,
            &sentences(text),
            &names(text, title, None),
            options,
        )
        .into_iter()
        .map(|r| {
            let marks = [(r.passive, " passive"), (r.inferred, " inferred")];
            let marks: String = marks.iter().filter(|m| m.0).map(|m| m.1).collect();
            format!(
                "{} | {} | {} [{}{marks}]",
                r.subject,
                r.predicate,
                r.object,
                r.pattern.name()
            )
        })
        .collect()
    }

    #[test]
    fn one_pattern_each() {
        let cases: &[(&str, &[&str])] = &[
            (
                "They say Mara Voss founded Tidewater Press.",
                &["Mara Voss | founded | Tidewater Press [verb]"],
            ),
            (
                "The Gull Rock Bridge was designed by Ana Lindqvist.",
                &["Gull Rock Bridge | was designed by | Ana Lindqvist [verb passive]"],
            ),
            (
                "Now Mara Voss soon began to work for Tidewater Press.",
                &["Mara Voss | began to work for | Tidewater Press [verb]"],
            ),
            (
                "So Mara Voss received a degree from Hull College.",
                &["Mara Voss | received degree from | Hull College [verb]"],
            ),
            (
                "So Mara Voss, who painted the old harbour of Whitby, left.",
                &["Mara Voss | painted harbour of | Whitby [verb]"],
            ),
            (
                "Here Varna is the third city of Bulgaria.",
                &["Varna | is city of | Bulgaria [copula]"],
            ),
            (
                "Here Salt Wind is a novel written by Mara Voss.",
                &["Salt Wind | is novel written by | Mara Voss [copula]"],
            ),
            (
                "They met Ana Lindqvist, a keeper of Gull Rock.",
                &["Ana Lindqvist | is keeper of | Gull Rock [apposition]"],
            ),
            (
                "They read Mara Voss's novel Salt Wind.",
                &["Mara Voss | has novel | Salt Wind [possessive]"],
            ),
            (
                "They left Whitby in England.",
                &["Whitby | in | England [preposition]"],
            ),
            ("They saw the Royal Fleet (RFX) there.", &[]),
            ("They saw Hull; Whitby slept.", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text, "", Options::default()), *expected, "{text}");
        }
    }

    #[test]
    fn coordinated_subjects_share_the_verb() {
        assert_eq!(
            of(
                "Then Mara Voss and Ana Lindqvist founded Tidewater Press.",
                "",
                Options::default()
            ),
            [
                "Mara Voss | founded | Tidewater Press [verb]",
                "Ana Lindqvist | founded | Tidewater Press [verb]"
            ]
        );
    }

    #[test]
    fn a_clause_goes_on_with_its_subject() {
        assert_eq!(
            of(
                "So Mara Voss was born in Whitby and founded Tidewater Press in Hull.",
                "",
                Options::default()
            ),
            [
                "Mara Voss | was born in | Whitby [verb]",
                "Mara Voss | founded | Tidewater Press [clause]",
                "Mara Voss | founded in | Hull [clause]"
            ]
        );
        assert_eq!(
            of(
                "So Mara Voss visited Whitby, Hull and Varna.",
                "",
                Options::default()
            ),
            [
                "Mara Voss | visited | Whitby [verb]",
                "Mara Voss | visited | Hull [clause]",
                "Mara Voss | visited | Varna [clause]"
            ]
        );
    }

    #[test]
    fn cooc_links_the_rest_and_equal_names_never() {
        let cooc = Options {
            cooc: true,
            ..Options::default()
        };
        let text = "They saw Hull; Whitby slept.";
        let found = relations(text, "", &sentences(text), &names(text, "", None), cooc);
        assert_eq!(
            (found.len(), found[0].strength, found[0].pattern),
            (1, 0.5, Pattern::CoOccurrence)
        );
        assert!(of("They say Hull beat HULL.", "", cooc).is_empty());
    }

    #[test]
    fn a_name_that_begins_before_its_sentence_does_no_harm() {
        let text = "He saw St. Louis founded Harbor Press.";
        let cut = text.find("Louis").unwrap();
        let names = [7..16, 25..37];
        assert_eq!(&text[names[0].clone()], "St. Louis");
        let sentences = [0..cut - 1, cut..text.len()];
        let found = relations(text, "", &sentences, &names, Options::default());
        assert!(found.iter().all(|r| r.object == "Harbor Press"));
    }

    #[test]
    fn carried_subjects_speak() {
        let text = "She founded Tidewater Press. Its director was Ana Lindqvist.";
        assert_eq!(
            of(text, "Mara Voss", Options::default()),
            [
                "Mara Voss | founded | Tidewater Press [verb inferred]",
                "Mara Voss | has director | Ana Lindqvist [possessive inferred]"
            ]
        );
        assert!(
            of(
                text,
                "Mara Voss",
                Options {
                    carry: false,
                    ..Options::default()
                }
            )
            .is_empty()
        );
    }

    #[test]
    fn a_sentence_gives_at_most_so_many() {
        let text = "They left Aa in Bb in Cc in Dd in Ee.";
        assert_eq!(of(text, "", Options::default()).len(), 4);
        assert_eq!(
            of(
                text,
                "",
                Options {
                    most: 2,
                    ..Options::default()
                }
            )
            .len(),
            2
        );
    }
}
