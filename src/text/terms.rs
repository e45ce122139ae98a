//! The terms of a question by rules: names, and noun phrases that tell something (NodeRAG, task `query_terms`).

use super::mentions::{Ner, Norm};
use super::names::is_function_word;
use super::phrases::candidates;
use super::{Language, span};
use rustc_hash::FxHashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Task `query_terms`: a term of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermOut {
    /// Byte range in the question.
    pub span: Range<usize>,
    /// A name, or else a noun phrase.
    pub name: bool,
}

/// Nouns that say of what kind the answer is, not what it has to do with.
static GENERIC: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "person persons people man men woman women guy someone human individual individuals one ones \
     city cities town country countries state place places location nation area region county village \
     name names title term word words type types kind kinds sort form part parts number numbers amount age length \
     year years date day month time times century decade period era season birthday birthplace nationality profession occupation \
     film films movie movies book books novel song songs album albums band bands show shows series program magazine magazines newspaper \
     game games team teams company companies business group organization organisation institution school university college \
     actor actress actors singer singers writer author director producer musician artist player politician character characters role \
     member members founder owner brother sister father mother son daughter husband wife family thing things work works \
     answer question example fact genus species animal plant breed building river lake mountain island war battle event"
        .split_whitespace()
        .collect()
});

/// The rule-based stand-in: names by the wider rules, then noun phrases without question words and generic heads. A name
/// that opens the question alone counts where `is_name` knows it. Nothing is said twice.
pub fn query_terms(question: &str, is_name: impl Fn(&str) -> bool) -> Vec<TermOut> {
    let mut found: Vec<TermOut> = Vec::new();
    for mention in Ner::RegexPlus.mentions(Language::English, question) {
        if !mention.opener || is_name(span::of(question, mention.span.clone())) {
            found.push(TermOut {
                span: mention.span,
                name: true,
            });
        }
    }
    let names: Vec<Range<usize>> = found.iter().map(|t| t.span.clone()).collect();
    for span in candidates(question) {
        for span in between(&span, &names) {
            if let Some(span) = telling(question, span) {
                found.push(TermOut { span, name: false });
            }
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|t| seen.insert(Norm::Simple.apply(span::of(question, t.span.clone()))));
    found
}

/// Where a term stands in a question; capitals of ASCII letters do not count.
pub fn place(question: &str, term: &str) -> Option<Range<usize>> {
    let term = term.trim();
    let spans = question.char_indices().map(|(at, _)| at..at + term.len());
    let same = |span: &Range<usize>| {
        let text = question.get(span.clone());
        text.is_some_and(|text| text.eq_ignore_ascii_case(term))
    };
    spans.into_iter().find(same).filter(|_| !term.is_empty())
}

/// What is left of a phrase beside the names in it, in order.
fn between(phrase: &Range<usize>, names: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut left = Vec::new();
    let mut start = phrase.start;
    for name in names
        .iter()
        .filter(|n| n.start < phrase.end && phrase.start < n.end)
    {
        left.push(start..name.start.max(start));
        start = name.end;
    }
    left.push(start..phrase.end.max(start));
    left
}

/// A noun phrase without the generic nouns and function words at its ends. One that loses its head and keeps a single
/// word says too little.
fn telling(question: &str, span: Range<usize>) -> Option<Range<usize>> {
    let words: Vec<Range<usize>> = span::of(question, span)
        .split_whitespace()
        .map(|word| span::part(question, word))
        .collect();
    let form = |word: &Range<usize>| Norm::Simple.apply(span::of(question, word.clone()));
    let generic = |word: &Range<usize>| GENERIC.contains(form(word).as_str());
    let empty = |word: &Range<usize>| {
        let form = form(word);
        form.is_empty() || is_function_word(&form) || GENERIC.contains(form.as_str())
    };
    let start = words.iter().position(|w| !empty(w))?;
    let end = words.iter().rposition(|w| !empty(w))? + 1;
    if words[end..].iter().any(generic) && end - start < 2 {
        return None;
    }
    Some(words[start].start..words[end - 1].end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(question: &str) -> Vec<&str> {
        let found = query_terms(question, |name| name == "Galileo");
        found.into_iter().map(|t| &question[t.span]).collect()
    }

    #[test]
    fn names_first_then_telling_phrases() {
        assert_eq!(
            terms("Which lighthouse keeper of Hull met the director Mara Voss?"),
            ["Hull", "Mara Voss", "lighthouse keeper"]
        );
        assert_eq!(terms("What year was the film made?"), [""; 0]);
        assert_eq!(terms("Galileo saw which moons?"), ["Galileo", "moons"]);
        // A single word that opens the question is a name where it is known as one, else a phrase.
        let opener = |question| query_terms(question, |name| name == "Galileo")[0].name;
        assert!(opener("Galileo saw which moons?") && !opener("Kepler saw what?"));
    }

    #[test]
    fn generic_heads_fall() {
        assert_eq!(
            terms("a young adult fantasy series"),
            ["young adult fantasy"]
        );
        assert_eq!(terms("the older actor"), [""; 0]);
    }
}
