//! Key phrases of a text and titles of groups of texts.

use super::pos::{Pos, Token, tag};
use super::span;
use super::summarize::{Idf, stems};
use crate::text::sentences::sentences;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A noun phrase and how much it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// As it stands at its first occurrence.
    pub text: String,
    /// Byte range of the first occurrence.
    pub span: Range<usize>,
    /// Occurrences of the phrase as a candidate.
    pub count: u32,
    /// Sum over its words of tf * idf * degree / frequency, above 0.
    pub score: f64,
}

/// Longest phrase in words.
const LONGEST: usize = 4;

/// Byte ranges of the noun-ish runs of a text: adjectives, nouns and names, an "of" inside, at most four words, the
/// last a noun or name. Of a longer run the last four words count, where English has the head.
pub fn candidates(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for sentence in sentences(text) {
        let words = span::of(text, sentence.clone());
        let tokens = tag(words);
        let mut at = 0;
        while at < tokens.len() {
            let end = run(words, &tokens, at);
            if let Some(span) = trimmed(words, &tokens[at..end]) {
                found.push(span::shift(&span, sentence.start));
            }
            at = end.max(at + 1);
        }
    }
    found
}

/// The end of the run of adjectives, nouns and names at `at`, with single "of" between nouns.
fn run(sentence: &str, tokens: &[Token], at: usize) -> usize {
    let inside = |i: usize| {
        tokens
            .get(i)
            .is_some_and(|t: &Token| t.pos.nominal() || t.pos == Pos::Adjective)
    };
    let mut end = at;
    while inside(end)
        || end > at
            && tokens[end - 1].pos.nominal()
            && inside(end + 1)
            && span::of(sentence, tokens[end].span.clone()) == "of"
    {
        end += 1;
    }
    end
}

fn trimmed(sentence: &str, run: &[Token]) -> Option<Range<usize>> {
    let last = run.iter().rposition(|t| t.pos.nominal())? + 1;
    let mut first = last.saturating_sub(LONGEST);
    while span::of(sentence, run[first].span.clone()) == "of" {
        first += 1;
    }
    let span = run[first].span.start..run[last - 1].span.end;
    // One letter, or a number, names nothing.
    (span::of(sentence, span.clone())
        .chars()
        .filter(|c| c.is_alphabetic())
        .count()
        > 1)
    .then_some(span)
}

/// A phrase by its stems: "Old Lighthouses" and "old lighthouse" are one.
fn key(phrase: &str) -> Vec<String> {
    let mut key = Vec::new();
    stems(phrase, |stem| key.push(stem.to_owned()));
    key
}

/// Every different candidate of a text in the order of first occurrence, scored.
fn scored(text: &str, idf: &Idf) -> Vec<(Vec<String>, Phrase)> {
    let mut tf: FxHashMap<String, f64> = FxHashMap::default();
    stems(text, |stem| *tf.entry(stem.to_owned()).or_default() += 1.0);
    // Degree: words of the candidates a word stands in; frequency: candidates it stands in.
    let mut uses: FxHashMap<String, (f64, f64)> = FxHashMap::default();
    let mut places: FxHashMap<Vec<String>, usize> = FxHashMap::default();
    let mut found: Vec<(Vec<String>, Phrase)> = Vec::new();
    for span in candidates(text) {
        let key = key(span::of(text, span.clone()));
        if key.is_empty() {
            continue;
        }
        for stem in &key {
            let (degree, frequency) = uses.entry(stem.clone()).or_default();
            *degree += key.len() as f64;
            *frequency += 1.0;
        }
        match places.get(&key) {
            Some(&at) => found[at].1.count += 1,
            None => {
                places.insert(key.clone(), found.len());
                let text = span::of(text, span.clone()).to_owned();
                found.push((
                    key,
                    Phrase {
                        text,
                        span,
                        count: 1,
                        score: 0.0,
                    },
                ));
            }
        }
    }
    for (key, phrase) in &mut found {
        for stem in key.iter() {
            let (degree, frequency) = uses[stem];
            phrase.score +=
                tf.get(stem).copied().unwrap_or(1.0) * idf.of(stem) * degree / frequency;
        }
    }
    found
}

/// How many key phrases of a group compete for its title.
const COMPETING: usize = 20;
/// A second phrase joins the title if its weight is at least this share of the first one's.
const SECOND: f64 = 0.5;

/// A title for each group of texts: class-based tf-idf over its key phrases.
///
/// Weight of a phrase = its occurrences in the group * ln(1 + A / f), with A the mean number of candidate phrases per
/// group and f the occurrences over all groups. The best is the title; the second joins it by " and " where it has at
/// least half the weight and shares no word with the first (the source leaves open when). No phrase: empty.
pub fn group_titles(groups: &[Vec<&str>], idf: &Idf) -> Vec<String> {
    let joined: Vec<String> = groups.iter().map(|texts| texts.join("\n\n")).collect();
    let mut frequency: FxHashMap<Vec<String>, f64> = FxHashMap::default();
    let mut total = 0.0;
    let phrases: Vec<_> = joined.iter().map(|text| scored(text, idf)).collect();
    for (key, phrase) in phrases.iter().flatten() {
        *frequency.entry(key.clone()).or_default() += f64::from(phrase.count);
        total += f64::from(phrase.count);
    }
    let average = total / groups.len().max(1) as f64;
    let title = |mut list: Vec<(Vec<String>, Phrase)>| {
        list.sort_by(|a, b| {
            b.1.score
                .total_cmp(&a.1.score)
                .then(a.1.span.start.cmp(&b.1.span.start))
        });
        list.truncate(COMPETING);
        let mut weighed: Vec<(f64, usize)> = list
            .iter()
            .enumerate()
            .map(|(at, (key, phrase))| {
                (
                    f64::from(phrase.count) * (1.0 + average / frequency[key]).ln(),
                    at,
                )
            })
            .collect();
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let Some(&(most, best)) = weighed.first() else {
            return String::new();
        };
        let second = weighed[1..]
            .iter()
            .take_while(|w| w.0 >= SECOND * most)
            .find(|w| !list[w.1].0.iter().any(|stem| list[best].0.contains(stem)));
        match second {
            Some(&(_, at)) => format!("{} and {}", list[best].1.text, list[at].1.text),
            None => list[best].1.text.clone(),
        }
    };
    phrases.into_iter().map(title).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_noun_runs() {
        let text =
            "The old lighthouse of Gull Rock was painted by Mara Voss. It is very large and quiet.";
        let found: Vec<&str> = candidates(text).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, ["lighthouse of Gull Rock", "Mara Voss"]);
        let long = "a big red wooden herring boat sank";
        let found: Vec<&str> = candidates(long).into_iter().map(|r| &long[r]).collect();
        assert_eq!(found, ["red wooden herring boat"]);
    }

    #[test]
    fn scores_by_hand() {
        // Candidates: "herring boat" twice, "boat" once. tf herring 2, boat 3; degree herring 4, boat 5; frequency 2 and 3.
        let text = "A herring boat sank. The herring boat was lost. The boat was new.";
        let idf = Idf::default();
        let found: Vec<Phrase> = scored(text, &idf)
            .into_iter()
            .map(|(_, said)| said)
            .collect();
        assert_eq!(
            (found[0].text.as_str(), found[0].count),
            ("herring boat", 2)
        );
        // idf of an unseen word in an empty index is ln(1/1) + 1 = 1.
        assert!((found[0].score - (2.0 * 4.0 / 2.0 + 3.0 * 5.0 / 3.0)).abs() < 1e-12);
        assert!(scored("", &idf).is_empty());
    }

    #[test]
    fn titles_tell_groups_apart() {
        let idf = Idf::default();
        let groups = vec![
            vec![
                "The herring boat left the harbour.",
                "A herring boat came to the harbour.",
            ],
            vec!["The kelp farm left the harbour.", "A kelp farm is new."],
            vec!["is"],
        ];
        let titles = group_titles(&groups, &idf);
        // A = 7 / 3; herring boat and kelp farm: 2 ln(1 + 7/6) = 1.55; harbour 2 ln(1 + 7/9) = 1.15 in the first group.
        assert_eq!(titles, ["herring boat and harbour", "kelp farm", ""]);
        assert!(group_titles(&[], &idf).is_empty());
    }
}
