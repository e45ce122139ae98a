//! Where a question says an edge, and who is the subject there.

use super::likewise::{likewise, likewise_words};
use super::question::{ASKING, Anchor, Parts, noun_places};
use crate::exchange::schema::Schema;
use crate::text::stems::{Word, phrase, places, stem};
use std::ops::Range;

/// A place where a cue of an edge stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    pub words: Range<usize>,
    pub edge: usize,
    /// Whether it is said with the edge's end as the subject.
    pub inverse: bool,
    /// Whether it names an end of the edge: `teacher of`.
    pub noun: bool,
}

const PREPOSITIONS: &[&str] = &[
    "by", "under", "at", "in", "on", "from", "for", "with", "of", "to",
];
const ARTICLES: &[&str] = &["the", "a", "an"];
/// What may stand between a subject and its verb.
pub const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "be", "been", "has", "have", "had", "did", "does", "do", "also",
];

/// Words for somebody without a name.
const UNNAMED: &[&str] = &[
    "someone",
    "somebody",
    "anyone",
    "anybody",
    "those",
    "one",
    "something",
];

fn one_of(word: Option<&Word>, list: &[&str]) -> bool {
    word.is_some_and(|word| list.contains(&word.text.as_str()))
}

/// Every place where an edge's cue stands, but for those inside of a longer cue.
pub fn cues(
    schema: &Schema,
    words: &[Word],
    anchors: &[Anchor],
    kind: impl Fn(u32) -> usize,
) -> Vec<Cue> {
    let mut found: Vec<Cue> = Vec::new();
    let mut apart: Vec<(usize, bool, Range<usize>)> = Vec::new();
    // "Under whom did she study": the verb's preposition stands before the asking word.
    let fronted = words
        .first()
        .filter(|w| PREPOSITIONS.contains(&w.text.as_str()) && one_of(words.get(1), ASKING));
    for (edge, of) in schema.edges.iter().enumerate() {
        let passive = |cue: &String| format!("{cue} by");
        let said = (of.cues.iter().map(|cue| (cue.clone(), false)))
            .chain(of.inverse_cues.iter().map(|cue| (cue.clone(), true)))
            // A verb alone has a passive, whether the schema says so or not.
            .chain(
                (of.cues.iter().filter(|cue| !cue.contains(' '))).map(|cue| (passive(cue), true)),
            );
        for (cue, inverse) in said {
            let noun = cue.ends_with(" of");
            let own = phrase(&cue);
            let stems: Vec<String> = own.iter().map(|w| stem(w)).collect();
            let mut at = Vec::new();
            for stems in likewise(stems) {
                let whole = places(words, &stems);
                if let (true, Some(first), Some((last, verb))) =
                    (whole.is_empty() && !noun, fronted, stems.split_last())
                    && first.stem == *last
                {
                    let verbs = places(words, verb);
                    apart.extend(verbs.iter().map(|verb| (edge, inverse, verb.clone())));
                    at.extend(verbs);
                }
                at.extend(whole);
            }
            if noun {
                // "Her students" as well as "students of hers": right behind a name.
                let nouns = likewise_words(own[..own.len() - 1].to_vec());
                let nouns = nouns.iter().flat_map(|noun| noun_places(words, noun));
                at.extend(
                    nouns.filter(|place| anchors.iter().any(|a| behind(words, a) == place.start)),
                );
            }
            for words in at {
                let cue = Cue {
                    words,
                    edge,
                    inverse,
                    noun,
                };
                if !found.contains(&cue) {
                    found.push(cue);
                }
            }
        }
    }
    // With its preposition it says more than the verb alone, which stands in the same place.
    found.retain(|cue| {
        let same = |(edge, _, verb): &&(usize, bool, Range<usize>)| {
            (*edge, verb) == (cue.edge, &cue.words)
        };
        let mut same = apart.iter().filter(same).peekable();
        same.peek().is_none() || same.any(|(_, inverse, _)| *inverse == cue.inverse)
    });
    let all = found.clone();
    found.retain(|cue| {
        let longer = all.iter().find(|other| {
            let (a, b) = (&cue.words, &other.words);
            a.start >= b.start && a.end <= b.end && a != b
        });
        // "Worked in Vienna", where nobody works at a city: the preposition says the edge that leads there.
        longer.is_none_or(|other| {
            let (start, end) = schema.ends(other.edge);
            let after = anchors.iter().find(|a| a.words.start == cue.words.end);
            let foreign = |a: &Anchor| {
                let mut kinds = a.objects.iter().map(|(object, _)| kind(*object));
                kinds.all(|kind| kind != start && kind != end)
            };
            cue.words.end == other.words.end
                && cue.words.len() == 1
                && one_of(words.get(cue.words.start), PREPOSITIONS)
                && after.is_some_and(foreign)
        })
    });
    found
}

/// The place after a name and its possessive s.
fn behind(words: &[Word], anchor: &Anchor) -> usize {
    let end = anchor.words.end;
    end + usize::from(one_of(words.get(end), &["s"]))
}

impl Parts {
    /// The noun that a name belongs to: the students in "students of the man" and in "the man's students".
    pub fn owner(&self, name: &Range<usize>, mut fits: impl FnMut(&Cue) -> bool) -> Option<&Cue> {
        let article = one_of(
            name.start.checked_sub(1).map(|at| &self.words[at]),
            ARTICLES,
        );
        let before = name.start - usize::from(article);
        let after = name.end + usize::from(one_of(self.words.get(name.end), &["s"]));
        let mut nouns = self.cues.iter().filter(|cue| cue.noun && fits(cue));
        nouns.find(|cue| cue.words.end == before || cue.words.start == after)
    }

    /// The verb between the objects asked for and others of their type that have no name, of whom the first name behind
    /// it says more: "taught" in "taught by somebody born in Vienna".
    pub fn between(&self, schema: &Schema, name: &Range<usize>) -> Option<&Cue> {
        self.cues.iter().find(|cue| {
            let (from, to) = schema.ends(cue.edge);
            let mut others = self
                .anchors
                .iter()
                .filter(|a| a.words.start >= cue.words.end);
            let articles = self.words[cue.words.end..].iter();
            let skip = articles.take_while(|w| ARTICLES.contains(&w.text.as_str()));
            let at = cue.words.end + skip.count();
            let noun = |(place, kind): &(Range<usize>, usize)| place.start == at && *kind == from;
            let unnamed = one_of(self.words.get(at), UNNAMED) || self.nouns.iter().any(noun);
            from == to
                && !cue.noun
                && unnamed
                && others.next().is_some_and(|first| first.words == *name)
        })
    }

    /// Whether the name is the subject of the verb: nothing but auxiliaries stand between them, and no preposition before.
    pub fn is_subject(&self, name: &Range<usize>, verb: &Cue) -> bool {
        let Some(between) = self.words.get(name.end..verb.words.start) else {
            return false;
        };
        let mut before = self.words[..name.start].iter().rev();
        let first = before.find(|w| !ARTICLES.contains(&w.text.as_str()));
        let apart = |w: &Word| {
            let word = w.text.as_str();
            AUXILIARIES.contains(&word) || ARTICLES.contains(&word)
        };
        let predicate = !verb.noun || !between.is_empty();
        predicate && between.iter().all(apart) && !one_of(first, PREPOSITIONS)
    }
}
