//! Passages and a question, indexed with every layer, by rules or by a model that says anything, and asked by every method.
#![no_main]

#[path = "../../common/anything.rs"]
mod anything;
mod seeds;

use anything::{Anyone, asked_by_all, indexed};
use hopscope::corpus::Passage;
use hopscope::random::SplitMix;
use hopscope::retrieve::METHODS;
use libfuzzer_sys::{Corpus, fuzz_target};

fn seeds() {
    let texts = seeds::sample();
    let four = texts.chunks(4).zip(0u8..);
    let records = four.map(|(texts, number)| {
        let said = format!("Who is it?\u{1e}{}", texts.join("\u{1e}A\u{1f}"));
        let whole = [&[number, number.wrapping_mul(7)], said.as_bytes()].concat();
        (number.to_string(), whole)
    });
    seeds::put("texts", records);
}

fuzz_target!(init: seeds(), |bytes: &[u8]| -> Corpus {
    let [seed, shown, text @ ..] = bytes else {
        return Corpus::Reject;
    };
    let text = String::from_utf8_lossy(text);
    let mut records = text.split('\u{1e}');
    let question = records.next().unwrap_or_default();
    let passage = |(at, said): (usize, &str)| {
        let (title, text) = said.split_once('\u{1f}').unwrap_or(("", said));
        Passage {
            id: format!("a.md#{at}"),
            title: title.into(),
            text: text.into(),
        }
    };
    let passages: Vec<Passage> = records.take(6).enumerate().map(passage).collect();
    if passages.is_empty() {
        return Corpus::Reject;
    }
    let mut random = SplitMix::new(u64::from(*seed));
    let words = || {
        text.split_whitespace()
            .take(40)
            .map(str::to_owned)
            .collect()
    };
    let model = (seed % 2 == 1).then(|| Anyone::saying(words(), random.draw()));
    let index = indexed(passages, question, model);
    asked_by_all(
        &index,
        question,
        &METHODS[usize::from(*shown) % METHODS.len()],
    );
    Corpus::Keep
});
