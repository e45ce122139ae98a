//! What a question says, read off its words: the type it asks for, the objects it names, the numbers it compares with.

use super::cues::{AUXILIARIES, Cue, cues};
use super::layer::SparkLayer;
use super::likewise::likewise_words;
use super::names::Found;
use super::numbers::{Bound, bounds, of_number};
use crate::exchange::schema::Schema;
use crate::text::names::is_function_word;
use crate::text::span;
use crate::text::stems::{Word, form, phrase, says, singular, spaced, words};
use crate::text::{Language, Ner};
use std::ops::Range;

/// A named object or several of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    pub words: Range<usize>,
    /// As written.
    pub surface: String,
    pub objects: Vec<(u32, Found)>,
}

/// A question taken apart.
#[derive(Clone, Debug)]
pub struct Parts {
    pub words: Vec<Word>,
    /// The type asked for, and the words that say so.
    pub answer: Option<(usize, Range<usize>)>,
    pub anchors: Vec<Anchor>,
    pub bounds: Vec<Bound>,
    pub values: Vec<Said>,
    pub cues: Vec<Cue>,
    /// Where words for types stand.
    pub nouns: Vec<(Range<usize>, usize)>,
    /// Whether it asks by "what", and so for no person.
    pub thing: bool,
}

/// A value of a text field that stands in the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub words: Range<usize>,
    pub kind: usize,
    pub field: String,
    pub value: String,
}

/// Words that ask.
pub const ASKING: &[&str] = &[
    "which", "what", "whose", "who", "whom", "where", "name", "list", "find", "give", "show",
    "tell", "many",
];
/// At most so many objects of one name take part.
const SAME_NAME: usize = 5;
/// The longest name that is looked for without a capital or quotes, in words.
const LONGEST: usize = 5;

impl Parts {
    pub fn read(layer: &SparkLayer, question: &str) -> Parts {
        let words = words(question);
        let schema = layer.schema();
        let thing = asks_for_thing(&words);
        let answer = answer_type(schema, &words, &titles(layer, &words), thing);
        let mut taken = vec![false; words.len()];
        if let Some((_, place)) = &answer {
            place.clone().for_each(|i| taken[i] = true);
        }
        let anchors = anchors(layer, question, &words, &mut taken);
        let bounds = bounds(&words, &mut taken);
        let mut cues = cues(schema, &words, &anchors, |object| layer.kind(object));
        cues.retain(|cue| !of_number(schema, &words, &bounds, &cue.words));
        for cue in &cues {
            taken[cue.words.clone()].fill(true);
        }
        let values = values(layer, question, &words, &mut taken);
        let nouns = nouns(schema, &words);
        Parts {
            words,
            answer,
            anchors,
            bounds,
            values,
            cues,
            nouns,
            thing,
        }
    }

    /// The question without anchors, numbers, function words, words of the schema: step 5. In the question's own words.
    pub fn rest(&self, schema: &Schema) -> Vec<&str> {
        let mut out = vec![false; self.words.len()];
        let spans = (self.anchors.iter().map(|a| &a.words))
            .chain(self.bounds.iter().map(|b| &b.words))
            .chain(self.values.iter().map(|v| &v.words))
            .chain(self.cues.iter().map(|c| &c.words));
        for span in spans {
            span.clone().for_each(|i| out[i] = true);
        }
        let names = synonyms(schema).into_iter().map(|(_, words)| words);
        let fields = schema
            .types
            .iter()
            .flat_map(|t| &t.fields)
            .flat_map(|f| &f.synonyms);
        let fields = fields.map(|s| phrase(s));
        for words in names.chain(fields) {
            for place in noun_places(&self.words, &words) {
                place.for_each(|i| out[i] = true);
            }
        }
        let asks = [
            "name", "names", "list", "find", "give", "show", "tell", "many",
        ];
        let rest = self.words.iter().zip(out);
        rest.filter(|(w, out)| !out && says(w) && !asks.contains(&w.text.as_str()))
            .map(|(w, _)| w.text.as_str())
            .collect()
    }
}

/// Words that ask for each type: its name and synonyms.
fn synonyms(schema: &Schema) -> Vec<(usize, Vec<String>)> {
    let mut all = Vec::new();
    for (at, kind) in schema.types.iter().enumerate() {
        let words = std::iter::once(spaced(&kind.name)).chain(kind.synonyms.iter().cloned());
        all.extend(words.map(|w| (at, phrase(&w))));
    }
    // The schema's own words before those that say the same.
    for (at, own) in all.clone() {
        for said in likewise_words(own).split_off(1) {
            if !all.iter().any(|(_, known)| *known == said) {
                all.push((at, said));
            }
        }
    }
    all
}

/// Where words for types stand, in the order of the types.
fn nouns(schema: &Schema, words: &[Word]) -> Vec<(Range<usize>, usize)> {
    let all = synonyms(schema).into_iter();
    let places = all.flat_map(|(at, noun)| {
        let places = noun_places(words, &noun).into_iter();
        places.map(move |place| (place, at))
    });
    places.collect()
}

/// Where a noun phrase stands, its words also in the plural.
pub fn noun_places(question: &[Word], phrase: &[String]) -> Vec<Range<usize>> {
    if phrase.is_empty() || phrase.len() > question.len() {
        return Vec::new();
    }
    let same =
        |word: &Word, noun: &String| word.text == *noun || singular(&word.text) == singular(noun);
    (0..=question.len() - phrase.len())
        .filter(|i| question[*i..].iter().zip(phrase).all(|(w, n)| same(w, n)))
        .map(|i| i..i + phrase.len())
        .collect()
}

/// "What did they find": what, and no noun with it.
fn asks_for_thing(words: &[Word]) -> bool {
    let what = words.iter().position(|w| w.text == "what");
    let next = what.and_then(|at| words.get(at + 1));
    next.is_some_and(|w| AUXILIARIES.contains(&w.text.as_str()))
}

/// Values of text fields in the words that nothing else has taken, the longest first.
fn values(layer: &SparkLayer, question: &str, words: &[Word], taken: &mut [bool]) -> Vec<Said> {
    let mut spans: Vec<Range<usize>> = (1..=LONGEST.min(words.len()))
        .rev()
        .flat_map(|length| (0..=words.len() - length).map(move |start| start..start + length))
        .filter(|span| words[span.clone()].iter().any(says))
        .collect();
    let texts = |span: &Range<usize>| {
        span::of(
            question,
            words[span.start].span.start..words[span.end - 1].span.end,
        )
    };
    spans.retain(|span| !taken[span.clone()].iter().any(|taken| *taken));
    let all: Vec<&str> = spans.iter().map(texts).collect();
    let mut found = Vec::new();
    for (at, kind, field, value) in layer.text_values(&all) {
        let words = spans[at].clone();
        if !taken[words.clone()].iter().any(|taken| *taken) {
            taken[words.clone()].fill(true);
            found.push(Said {
                words,
                kind,
                field,
                value,
            });
        }
    }
    found
}

/// Step 1: the head of the wh-phrase, or of the first noun group; else the only type that can be asked for.
/// A word inside of an object's name asks for nothing.
fn answer_type(
    schema: &Schema,
    words: &[Word],
    titles: &[Range<usize>],
    thing: bool,
) -> Option<(usize, Range<usize>)> {
    let answerable =
        |at: &usize| schema.types[*at].answerable && !(thing && schema.types[*at].person);
    let mut named: Vec<(Range<usize>, usize)> = Vec::new();
    let inside = |place: &Range<usize>, title: &Range<usize>| {
        title.start <= place.start && place.end <= title.end
    };
    named.extend(
        nouns(schema, words).into_iter().filter(|(place, at)| {
            answerable(at) && !titles.iter().any(|title| inside(place, title))
        }),
    );
    // Longer before shorter at the same start, then types in their order.
    named.sort_by_key(|(place, at)| (place.start, std::cmp::Reverse(place.end), *at));
    let asking = words.iter().position(|w| ASKING.contains(&w.text.as_str()));
    let first = named.first().map(|(place, _)| place.start);
    let found = match (asking, first) {
        // "Scientists who ..."
        (Some(at), Some(first)) if first < at => named.first().cloned(),
        (Some(at), _) if matches!(words[at].text.as_str(), "who" | "whom" | "whose" | "where") => {
            let word = if words[at].text == "where" {
                "where"
            } else {
                "who"
            };
            let asked =
                |(_, phrase): &&(usize, Vec<String>)| phrase.len() == 1 && phrase[0] == word;
            let kinds = synonyms(schema);
            let said = kinds
                .iter()
                .filter(|(k, _)| answerable(k))
                .find(asked)
                .map(|(k, _)| *k);
            let person = || {
                (0..schema.types.len())
                    .find(|k| answerable(k) && word == "who" && schema.types[*k].person)
            };
            said.or_else(person)
                .map(|k| (at..at + 1, k))
                .or_else(|| named.first().cloned())
        }
        (Some(at), _) => {
            // The noun group after the asking word, without what only leads to it: "what is the name of the ...".
            let leads = |w: &Word| {
                is_function_word(&w.text)
                    || ["name", "names", "kind", "type"].contains(&w.text.as_str())
            };
            let start = at + 1 + words[at + 1..].iter().take_while(|w| leads(w)).count();
            let end = start
                + words[start..]
                    .iter()
                    .take_while(|w| !is_function_word(&w.text))
                    .count();
            let inside = |place: &Range<usize>| place.start >= start && place.end <= end;
            let mut group = named.iter().filter(|(place, _)| inside(place));
            let mut head = group.next().cloned();
            for next in group {
                // A compound: its last noun is the head.
                if head
                    .as_ref()
                    .is_some_and(|(place, _)| next.0.start == place.end)
                {
                    head = Some(next.clone());
                }
            }
            head.or_else(|| named.first().cloned())
        }
        (None, _) => named.first().cloned(),
    };
    let only = || {
        let mut kinds = (0..schema.types.len()).filter(answerable);
        kinds
            .next()
            .filter(|_| kinds.next().is_none())
            .map(|at| (at, 0..0))
    };
    found.map(|(place, at)| (at, place)).or_else(only)
}

/// Where names of several words stand.
fn titles(layer: &SparkLayer, words: &[Word]) -> Vec<Range<usize>> {
    let spans = (2..=LONGEST.min(words.len()))
        .flat_map(|length| (0..=words.len() - length).map(move |start| start..start + length));
    let named = |span: &Range<usize>| !layer.names.exact(&form(&words[span.clone()])).is_empty();
    spans.filter(named).collect()
}

/// Step 2: quoted strings, then names and runs of up to five words, the longest first: "Bohr model" before "Bohr".
fn anchors(layer: &SparkLayer, question: &str, words: &[Word], taken: &mut [bool]) -> Vec<Anchor> {
    let within = |range: Range<usize>| {
        let inside = |w: &Word| w.span.start >= range.start && w.span.end <= range.end;
        let start = words.iter().position(inside)?;
        Some(start..start + words[start..].iter().take_while(|w| inside(w)).count())
    };
    let mut names: Vec<Range<usize>> = Vec::new();
    for mention in Ner::RegexPlus.mentions(Language::English, question) {
        let Some(span) = within(mention.span) else {
            continue;
        };
        // "Curie's": the name ends before the s.
        if span.len() > 1 && words[span.end - 1].text == "s" {
            names.push(span.start..span.end - 1);
        }
        names.push(span);
    }
    for length in 1..=LONGEST.min(words.len()) {
        names.extend((0..=words.len() - length).map(|start| start..start + length));
    }
    // Stable: a name found by its capitals stands before other words of its length.
    names.sort_by_key(|span| std::cmp::Reverse(span.len()));
    let spans = quoted(question).into_iter().filter_map(within).chain(names);
    let cased = question.chars().skip(1).any(char::is_uppercase);
    let mut anchors: Vec<Anchor> = Vec::new();
    for span in spans {
        let own = &words[span.clone()];
        if taken[span.clone()].iter().any(|t| *t) || !own.iter().any(says) {
            continue;
        }
        let form = form(own);
        let mut objects = layer.names.exact(&form);
        // In a question that uses capitals a surname has one: "a young man" is not Young.
        let small =
            cased && !span::of(question, own[0].span.clone()).starts_with(char::is_uppercase);
        objects.retain(|(_, by)| !(small && *by == Found::Surname));
        objects.truncate(SAME_NAME);
        let whole = says(&own[0]) && says(&own[own.len() - 1]);
        if objects.is_empty() && whole {
            objects = layer.names.close(&form, SAME_NAME);
        }
        if objects.is_empty() {
            continue;
        }
        taken[span.clone()].fill(true);
        let surface = span::of(question, own[0].span.start..own[own.len() - 1].span.end).to_owned();
        anchors.push(Anchor {
            words: span,
            surface,
            objects,
        });
    }
    anchors.sort_by_key(|a| a.words.start);
    anchors
}

/// What stands in double quotes, straight or curly.
fn quoted(question: &str) -> Vec<Range<usize>> {
    let marks: Vec<(usize, char)> = question
        .char_indices()
        .filter(|(_, c)| matches!(c, '"' | '“' | '”' | '«' | '»'))
        .collect();
    marks
        .chunks_exact(2)
        .map(|m| m[0].0 + m[0].1.len_utf8()..m[1].0)
        .collect()
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
