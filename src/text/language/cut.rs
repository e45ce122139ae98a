//! Texts of other languages than English, cut into words.

use super::Language;
use crate::text::chunks::alone;
use crate::text::span;
use crate::text::words::{LONGEST, is_word};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

impl Language {
    /// Calls `each` for every word of a text in lower case, in order: runs of letters and digits of any script, and of Han,
    /// kana and Hangul every two neighbours of a run, or the one letter of a run of one. The second argument says whether
    /// the word is such a pair.
    pub fn words(self, text: &str, mut each: impl FnMut(&str, bool)) {
        let text = self.composed(text);
        let mut from = 0;
        let mut paired = None;
        for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
            let kind = is_word(c).then(|| pairs(c));
            if kind == paired {
                continue;
            }
            let run = span::of(&text, from..at);
            match paired {
                Some(true) => bigrams(run, |pair| each(pair, true)),
                Some(false) => each(span::of(run, ..span::floor(run, LONGEST)), false),
                None => {}
            }
            (from, paired) = (at, kind);
        }
    }

    /// Lower case, one code point a letter where there is one; full and half width alike where those are written.
    fn composed(self, text: &str) -> String {
        let lower = text.to_lowercase();
        if self.has_bigrams() {
            return lower.nfkc().collect();
        }
        match is_nfc_quick(lower.chars()) {
            IsNormalized::Yes => lower,
            _ => lower.nfc().collect(),
        }
    }
}

/// Whether a letter is cut in pairs with its neighbours.
pub fn pairs(c: char) -> bool {
    alone(c) || matches!(c, '\u{ac00}'..='\u{d7a3}')
}

fn bigrams(run: &str, mut each: impl FnMut(&str)) {
    let mut starts = run.char_indices().map(|(at, _)| at).skip(1);
    let Some(mut middle) = starts.next() else {
        return each(run);
    };
    let mut first = 0;
    for end in starts.chain([run.len()]) {
        each(span::of(run, first..end));
        (first, middle) = (middle, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Tokens;
    use proptest::prelude::*;

    fn list(language: Language, text: &str) -> Vec<String> {
        Tokens::Plain.list(language, text)
    }

    #[test]
    fn runs_of_han_kana_and_hangul_are_cut_in_pairs() {
        assert_eq!(
            list(Language::Chinese, "居里夫人1903年获奖。"),
            ["居里", "里夫", "夫人", "1903", "年获", "获奖"]
        );
        assert_eq!(
            list(Language::Japanese, "東京タワーは高い"),
            ["東京", "京タ", "タワ", "ワー", "ーは", "は高", "高い"]
        );
        assert_eq!(
            list(Language::Korean, "서울은 큰 도시다"),
            ["서울", "울은", "큰", "도시", "시다"]
        );
        // Half and full width are one.
        assert_eq!(list(Language::Japanese, "ＡＢＣ ｱｲ"), ["abc", "アイ"]);
    }

    #[test]
    fn words_of_other_scripts_stay_whole() {
        assert_eq!(
            list(Language::German, "Größe, l’eau 3,5 Южный"),
            ["größe", "l", "eau", "3", "5", "южный"]
        );
        // Letters with marks of their own, as some systems write file names.
        assert_eq!(list(Language::German, "Su\u{308}dhof"), ["südhof"]);
    }

    #[test]
    fn stems_leave_out_the_function_words_of_the_language() {
        assert_eq!(
            Tokens::Stem.list(Language::German, "Die Gesetze der Planeten"),
            ["gesetz", "planet"]
        );
        assert_eq!(
            Tokens::Stem.list(Language::Russian, "Кто родился в Москве?"),
            ["род", "москв"]
        );
        assert_eq!(
            Tokens::Stem.list(Language::French, "L’étoile n’est pas la planète"),
            ["étoil", "planet"]
        );
        assert_eq!(
            Tokens::Stem.list(Language::Chinese, "DNA双螺旋"),
            ["dna", "双螺", "螺旋"]
        );
    }

    proptest! {
        #[test]
        fn every_letter_is_in_a_word(
            text in "[a-zäé中文字カタ한국 .,1-9]{0,60}",
            at in 0..Language::ALL.len(),
        ) {
            let language = Language::ALL[at];
            prop_assume!(!language.is_english());
            let mut expected: Vec<String> = Vec::new();
            for run in text.split(|c| !is_word(c)) {
                let letters: Vec<char> = run.chars().collect();
                for piece in letters.chunk_by(|a, b| pairs(*a) == pairs(*b)) {
                    let size = if pairs(piece[0]) { piece.len().min(2) } else { piece.len() };
                    expected.extend(piece.windows(size).map(|word| word.iter().collect::<String>()));
                }
            }
            prop_assert_eq!(list(language, &text), expected);
        }

        #[test]
        fn any_text_is_cut(text in "\\PC{0,80}") {
            for language in Language::ALL {
                for tokens in Tokens::ALL {
                    for word in tokens.list(language, &text) {
                        prop_assert!(!word.is_empty() && word.len() <= LONGEST + 4);
                    }
                }
            }
        }
    }
}
