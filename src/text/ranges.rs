//! What holds of every text for every rule that cuts one: each range that is found lies between characters of it. For tests,
//! and for whoever makes up texts beside them.

use super::summarize::Idf;
use super::{
    Language, Ner, Norm, Spellings, Tokens, about, chunks, coreference, dates, forms, gazetteer,
    persons, phrases, relations, sentences, span, stems, summarize, tables, terms,
};
use std::ops::Range;

/// Cuts a text with a title by every rule.
///
/// # Panics
/// Where a range is not of the text.
pub fn hold(title: &str, text: &str) {
    let within = |range: &Range<usize>| {
        assert!(text.get(range.clone()).is_some(), "{range:?} of {text:?}");
    };
    let all = |ranges: &[Range<usize>]| ranges.iter().for_each(within);

    let sentences = sentences::sentences(text);
    all(&sentences);
    all(&chunks::tokens(text));
    for chunk in chunks::windows(text, 7, 2)
        .iter()
        .chain(&chunks::cut_back(text, 9))
    {
        within(&chunk.bytes);
    }
    all(&dates::dates(text));
    for table in tables::tables(text) {
        within(&table.span);
    }
    Language::detect(2, |at| [title, text][at]);
    for language in Language::ALL {
        all(&language.sentences(text));
        for tokens in Tokens::ALL {
            let words = tokens.list(language, text);
            assert!(words.iter().all(|word| !word.is_empty()));
        }
        for ner in [Ner::Regex, Ner::RegexStop, Ner::RegexPlus] {
            for mention in ner.mentions(language, text) {
                within(&mention.span);
            }
        }
        let titles = gazetteer::Gazetteer::new(language, [title].into_iter());
        for mention in titles.mentions(text) {
            within(&mention.span);
        }
        let names = std::iter::once((Norm::Simple.apply(title), 0));
        forms::Forms::new(language, names).longest_runs(text);
    }
    let names = persons::names(text, title, None);
    all(&names);
    for named in persons::named(text, title, None) {
        within(&named.span);
    }
    all(&phrases::candidates(text));
    let idf = Idf::new([text, title]);
    phrases::group_titles(&[vec![text], vec![title]], &idf);
    for carry in [false, true] {
        let options = relations::Options {
            cooc: carry,
            carry,
            ..relations::Options::default()
        };
        for relation in relations::relations(text, title, &sentences, &names, options) {
            within(&relation.subject_span);
            within(&relation.object_span);
        }
        for about in about::about(title, text, carry) {
            assert!(title == about.name || text.get(about.span).is_some());
        }
        coreference::subjects(text, &sentences, title, carry);
    }
    for term in terms::query_terms(text, |name| name == title) {
        within(&term.span);
        assert!(terms::place(text, &text[term.span]).is_some());
    }
    let cut: Vec<&str> = sentences.iter().map(|range| &text[range.clone()]).collect();
    assert!(
        summarize::centrality(&cut, &idf)
            .iter()
            .all(|value| value.is_finite())
    );
    for word in stems::words(text) {
        within(&word.span);
    }
    for norm in [Norm::None, Norm::Lower, Norm::Simple] {
        norm.apply(text);
    }
    let spellings = Spellings::of([(0, title), (1, text)].into_iter());
    spellings.alike(text);
    assert!(chunks::count(&span::clip(text, 9)) <= text.len() + 1);
    span::trim(text, 0..text.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Characters that rules look at, and some that they do not.
    const TEXT: &str = "([A-Za-z]{1,8}|[0-9]{1,4}|[ .,;:!?'\"()|#*\n-]{1,3}|[\u{e0}-\u{17f}\u{300}-\u{36f}\u{4e00}-\u{4e20}\u{1f600}-\u{1f610}]|Dr\\. |born in |which ){0,40}";

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn every_range_lies_between_characters(title in "[A-Z][a-z\u{e4}]{0,6}( [A-Z][a-z]{1,4})?", text in TEXT) {
            hold(&title, &text);
        }
    }

    #[test]
    fn of_the_sample_too() {
        for record in include_str!("../../sample-corpus/corpus.jsonl").lines() {
            let record: serde_json::Value = serde_json::from_str(record).unwrap();
            hold(
                record["title"].as_str().unwrap(),
                record["text"].as_str().unwrap(),
            );
        }
    }
}
