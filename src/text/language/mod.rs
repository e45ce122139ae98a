//! The language of a corpus: what a word, a stop word and the end of a sentence are in its texts.
//!
//! | file | what lives there |
//! |---|---|
//! | `mod` | the languages, what they are called, their stems |
//! | `lists` | function words and abbreviations |
//! | `cut` | texts of other languages than English, cut into words |
//! | `detect` | which language a corpus has |

mod cut;
mod detect;
mod lists;

pub use cut::pairs;

use super::names;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A language that texts are cut by. English is the default, and what an index without a stored language has.
///
/// ```
/// use hopscope::Language;
/// assert_eq!(Language::from_code("de"), Some(Language::German));
/// assert_eq!(Language::German.stem("gesetze"), "gesetz");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "de")]
    German,
    #[serde(rename = "fr")]
    French,
    #[serde(rename = "es")]
    Spanish,
    #[serde(rename = "it")]
    Italian,
    #[serde(rename = "pt")]
    Portuguese,
    #[serde(rename = "nl")]
    Dutch,
    #[serde(rename = "sv")]
    Swedish,
    #[serde(rename = "ru")]
    Russian,
    #[serde(rename = "zh")]
    Chinese,
    #[serde(rename = "ja")]
    Japanese,
    #[serde(rename = "ko")]
    Korean,
}

/// Longest word that is stemmed, in characters: no word of a language has as many.
const LONGEST_STEMMED: usize = 100;

impl Language {
    /// Every language, in the order of the list above.
    pub const ALL: [Language; 12] = [
        Language::English,
        Language::German,
        Language::French,
        Language::Spanish,
        Language::Italian,
        Language::Portuguese,
        Language::Dutch,
        Language::Swedish,
        Language::Russian,
        Language::Chinese,
        Language::Japanese,
        Language::Korean,
    ];

    /// The code of ISO 639-1: "de".
    pub fn code(self) -> &'static str {
        self.both().0
    }

    /// The English name: "German".
    pub fn name(self) -> &'static str {
        self.both().1
    }

    fn both(self) -> (&'static str, &'static str) {
        match self {
            Language::English => ("en", "English"),
            Language::German => ("de", "German"),
            Language::French => ("fr", "French"),
            Language::Spanish => ("es", "Spanish"),
            Language::Italian => ("it", "Italian"),
            Language::Portuguese => ("pt", "Portuguese"),
            Language::Dutch => ("nl", "Dutch"),
            Language::Swedish => ("sv", "Swedish"),
            Language::Russian => ("ru", "Russian"),
            Language::Chinese => ("zh", "Chinese"),
            Language::Japanese => ("ja", "Japanese"),
            Language::Korean => ("ko", "Korean"),
        }
    }

    /// The language with a code.
    pub fn from_code(code: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|l| l.code() == code)
    }

    /// Whether this is English, which an index does not store.
    pub fn is_english(&self) -> bool {
        *self == Language::English
    }

    /// Whether words are cut into pairs of characters: Chinese and Japanese put no space between words, and a Korean word
    /// carries its particles.
    pub fn has_bigrams(self) -> bool {
        matches!(
            self,
            Language::Chinese | Language::Japanese | Language::Korean
        )
    }

    /// The Snowball stem of a lower-cased word; the word itself in a language without stems.
    pub fn stem(self, word: &str) -> Cow<'_, str> {
        match self.stemmer() {
            // A run without a space may be as long as a text.
            Some(stemmer) if word.chars().nth(LONGEST_STEMMED).is_none() => stemmer.stem(word),
            _ => word.into(),
        }
    }

    fn stemmer(self) -> Option<frostem::Stemmer> {
        use frostem::Algorithm;
        Some(frostem::Stemmer::new(match self {
            Language::English => Algorithm::English,
            Language::German => Algorithm::German,
            Language::French => Algorithm::French,
            Language::Spanish => Algorithm::Spanish,
            Language::Italian => Algorithm::Italian,
            Language::Portuguese => Algorithm::Portuguese,
            Language::Dutch => Algorithm::Dutch,
            Language::Swedish => Algorithm::Swedish,
            Language::Russian => Algorithm::Russian,
            Language::Chinese | Language::Japanese | Language::Korean => return None,
        }))
    }

    /// Whether a lower-cased word can be no name alone: an article, a pronoun, a question word. BM25 over stems drops these
    /// words too; English has the shorter list of `STOP_WORDS` for that.
    pub fn is_function_word(self, lower: &str) -> bool {
        match self {
            Language::English => names::is_function_word(lower),
            other => lists::function_words(other).contains(lower),
        }
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_that_are_stored_and_named() {
        for language in Language::ALL {
            let stored = serde_json::to_value(language).unwrap();
            assert_eq!(stored, language.code());
            assert_eq!(Language::from_code(language.code()), Some(language));
        }
        assert_eq!(Language::from_code("xx"), None);
        assert_eq!(Language::default(), Language::English);
    }

    #[test]
    fn inflected_words_have_the_stem_of_their_plain_form() {
        for (language, inflected, plain) in [
            (Language::German, "planeten", "planet"),
            (Language::French, "planètes", "planète"),
            (Language::Spanish, "planetas", "planeta"),
            (Language::Italian, "pianeti", "pianeta"),
            (Language::Portuguese, "planetas", "planeta"),
            (Language::Dutch, "sterren", "ster"),
            (Language::Swedish, "stjärnorna", "stjärna"),
            (Language::Russian, "планеты", "планета"),
            (Language::Chinese, "行星", "行星"),
        ] {
            assert_eq!(language.stem(inflected), language.stem(plain), "{language}");
        }
        let long = "a".repeat(10_000);
        assert_eq!(Language::German.stem(&long), long);
    }

    #[test]
    fn each_language_has_its_own_function_words() {
        for (language, word, content) in [
            (Language::German, "der", "sonne"),
            (Language::French, "dans", "soleil"),
            (Language::Spanish, "quién", "sol"),
            (Language::Italian, "della", "sole"),
            (Language::Portuguese, "não", "sol"),
            (Language::Dutch, "het", "zon"),
            (Language::Swedish, "och", "sol"),
            (Language::Russian, "который", "солнце"),
            (Language::English, "which", "der"),
        ] {
            assert!(language.is_function_word(word), "{language} {word}");
            assert!(!language.is_function_word(content), "{language} {content}");
        }
    }
}
