//! One text, cut by every rule of language.
#![no_main]

mod seeds;

use libfuzzer_sys::fuzz_target;

fn seeds() {
    let texts = seeds::sample().into_iter().enumerate();
    let titled = texts.map(|(number, text)| (number.to_string(), format!("A\u{1f}{text}").into()));
    seeds::put("words", titled);
}

fuzz_target!(init: seeds(), |bytes: &[u8]| {
    let said = String::from_utf8_lossy(bytes);
    let (title, text) = said.split_once('\u{1f}').unwrap_or(("", &said));
    hopscope::text::ranges::hold(title, text);
});
