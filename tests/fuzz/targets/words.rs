//! One text, cut by every rule of language: each range that is found lies between characters of it.
#![no_main]

mod seeds;

use hopscope::text::spellings::Spellings;
use hopscope::text::summarize::Idf;
use hopscope::text::*;
use libfuzzer_sys::fuzz_target;
use std::ops::Range;

fn seeds() {
    let texts = seeds::sample().into_iter().enumerate();
    let titled = texts.map(|(number, text)| (number.to_string(), format!("A\u{1f}{text}").into()));
    seeds::put("words", titled);
}

fuzz_target!(init: seeds(), |bytes: &[u8]| {
    let said = String::from_utf8_lossy(bytes);
    let (title, text) = said.split_once('\u{1f}').unwrap_or(("", &said));
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
});
