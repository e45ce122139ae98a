//! Mentions of names in a text, by rules: no model, the same for passages and questions (SPRIG, NER options).

use super::names::{FUNCTION_WORDS, PARTICLES, TITLES};
use super::words::is_word;
use super::{Language, span};
use rustc_hash::FxHashSet;
use std::ops::Range;

pub use crate::parameters::{Ner, Norm};

/// A name in a text: where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Byte range in the text.
    pub span: Range<usize>,
    /// A single capitalised word that opens a sentence: a name only if it is capitalised elsewhere too.
    pub opener: bool,
}

impl Ner {
    /// The mentions of a text in a language, left to right, never overlapping. The rules of the papers read no language.
    pub fn mentions(self, language: Language, text: &str) -> Vec<Mention> {
        match self {
            Ner::Regex => literal(text),
            Ner::RegexStop => {
                let mut found = literal(text);
                found.retain(|m| {
                    !FUNCTION_WORDS.contains(span::of(text, m.span.clone()).to_lowercase().as_str())
                });
                found
            }
            Ner::RegexPlus => plus(language, text),
        }
    }
}

impl Norm {
    /// The normal form. Shorter than two characters means: no entity.
    pub fn apply(self, name: &str) -> String {
        match self {
            Norm::None => name.to_owned(),
            Norm::Lower => name.to_lowercase(),
            Norm::Simple => {
                let mut form = String::with_capacity(name.len());
                let mut gap = false;
                for c in name.chars().flat_map(char::to_lowercase) {
                    if c.is_alphanumeric() {
                        if gap && !form.is_empty() {
                            form.push(' ');
                        }
                        gap = false;
                        form.push(c);
                    } else {
                        gap = true;
                    }
                }
                form
            }
        }
    }
}

/// The literal pattern, scanned by hand: ten times a general matcher's speed, and the same spans.
fn literal(text: &str) -> Vec<Mention> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_uppercase() || !boundary_before(text, at) {
            at += 1;
            continue;
        }
        let Some(mut end) = capitalised(text, at) else {
            at += 1;
            continue;
        };
        for _ in 0..3 {
            let after = text.len() - span::of(text, end..).trim_start().len();
            match capitalised(text, after) {
                Some(next) if after > end => end = next,
                _ => break,
            }
        }
        found.push(Mention {
            span: at..end,
            opener: false,
        });
        at = end;
    }
    found
}

fn boundary_before(text: &str, at: usize) -> bool {
    !span::of(text, ..at)
        .chars()
        .next_back()
        .is_some_and(is_word)
}

/// The end of an ASCII capital and its lower-case letters at `at`, if a word ends there.
fn capitalised(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !bytes.get(at)?.is_ascii_uppercase() {
        return None;
    }
    let end = at
        + 1
        + bytes[at + 1..]
            .iter()
            .take_while(|b| b.is_ascii_lowercase())
            .count();
    let ended = !span::of(text, end..).chars().next().is_some_and(is_word);
    (end > at + 1 && ended).then_some(end)
}

/// A word of the text for the wider rules: letters, digits, inner apostrophes, hyphens and full stops of initials.
struct Word<'t> {
    span: Range<usize>,
    text: &'t str,
    /// What lies between the word before and this one joins them: white space only.
    joined: bool,
    /// First word of a sentence, as far as punctuation shows.
    opens: bool,
    /// Ends with a full stop that belongs to it: an initial or a title such as "St.".
    dotted: bool,
    /// Of the text.
    language: Language,
}

fn words(language: Language, text: &str) -> Vec<Word<'_>> {
    let mut found: Vec<Word<'_>> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut last_end = 0;
    while let Some((start, c)) = chars.next() {
        if !c.is_alphanumeric() {
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some(&(at, c)) = chars.peek() {
            let inner = matches!(c, '\'' | '’' | '-' | '‑' | '&')
                && span::of(text, at + c.len_utf8()..)
                    .chars()
                    .next()
                    .is_some_and(char::is_alphanumeric);
            if !c.is_alphanumeric() && !unicode_normalization::char::is_combining_mark(c) && !inner
            {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        let between = span::of(text, last_end..start);
        let word = span::of(text, start..end);
        let mut letters = word.chars();
        let initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
        let dotted = span::of(text, end..).starts_with('.')
            && (initial || TITLES.contains(word.to_lowercase().as_str()));
        if dotted {
            end += 1;
            chars.next();
        }
        let opens = found.is_empty()
            || between.contains(['.', '!', '?', ':', '\n', '"', '“', '|'])
            || between.starts_with(')');
        let joined = !between.is_empty() && between.chars().all(char::is_whitespace) && !between.contains("\n\n")
            // Initials may stand without a space: "J.R.R. Tolkien".
            || between.is_empty() && found.last().is_some_and(|w| w.dotted);
        found.push(Word {
            span: start..end,
            text: word,
            joined,
            opens,
            dotted,
            language,
        });
        last_end = end;
    }
    found
}

impl Word<'_> {
    fn capital(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }

    fn lower(&self) -> String {
        self.text.to_lowercase().replace('’', "'")
    }

    fn function(&self) -> bool {
        // "The" is one, "THE" and "IT" may be acronyms; "I" never names anything in running text.
        let shouted = self.text.len() > 1 && self.text.chars().all(char::is_uppercase);
        !shouted && self.language.is_function_word(&self.lower())
    }

    fn number(&self) -> bool {
        self.text.chars().all(|c| c.is_ascii_digit())
    }
}

/// The wider rules.
fn plus(language: Language, text: &str) -> Vec<Mention> {
    let words = words(language, text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if !words[at].capital() {
            at += 1;
            continue;
        }
        // The run: capitalised words and initials, with particles only between two of them, numbers after one.
        let mut end = at + 1;
        // Words of the run that name something.
        let mut head = usize::from(!words[at].function());
        loop {
            let mut next = end;
            while next < words.len()
                && next < end + 3
                && words[next].joined
                && PARTICLES.contains(words[next].text)
            {
                next += 1;
            }
            let particles = next > end;
            // "University of Paris" is one name; "Charles Babbage of London" and "Royal Society of London" are two.
            if particles && words[end].text == "of" && head > 1 {
                break;
            }
            let Some(word) = words.get(next).filter(|w| w.joined) else {
                break;
            };
            let continues = word.capital() && (!word.opens || words[next - 1].dotted);
            let numbered = word.number() && !particles;
            // "Battle of the Bulge" is one name; "President of The Hague and ..." ends where a function word opens anew.
            if (!continues && !numbered) || (particles && word.function()) {
                break;
            }
            end = next + 1;
            if numbered {
                break;
            }
            head += usize::from(!word.function());
        }
        let run = &words[at..end];
        // "New York" begins with a name's own word, "World War I" ends with one.
        let opens_name = |at: usize| {
            run[at].text == "New"
                && run
                    .get(at + 1)
                    .is_some_and(|w| w.capital() && !w.function())
        };
        let lead = (0..run.len())
            .take_while(|&at| run[at].function() && !run[at].dotted && !opens_name(at))
            .count();
        let tail = run[lead..]
            .iter()
            .rev()
            .take_while(|w| w.function() && w.text != "I")
            .count();
        let kept = &run[lead..run.len() - tail];
        // A particle that led the rest of the run falls with the function word before it.
        let skip = kept.iter().take_while(|w| !w.capital()).count();
        let kept = &kept[skip..];
        if let (Some(first), Some(last)) = (kept.first(), kept.last()) {
            let mut span = first.span.start..last.span.end;
            for possessive in ["'s", "’s"] {
                if let Some(name) = span::of(text, span.clone()).strip_suffix(possessive) {
                    span.end = span.start + name.len();
                }
            }
            let single = kept.len() == 1;
            let shout =
                single && first.text.len() > 1 && first.text.chars().all(|c| !c.is_lowercase());
            let opener = single && lead == 0 && first.opens && !shout;
            if span::of(text, span.clone())
                .chars()
                .filter(|c| c.is_alphanumeric())
                .count()
                >= 2
            {
                found.push(Mention { span, opener });
            }
        }
        at = end;
    }
    found
}

/// Single words capitalised inside sentences of a text: what tells a name from a sentence's capital.
pub fn known_capitals(text: &str, mentions: &[Mention], known: &mut FxHashSet<String>) {
    for mention in mentions.iter().filter(|m| !m.opener) {
        let name = span::of(text, mention.span.clone());
        if !name.contains(char::is_whitespace) {
            known.insert(Norm::Simple.apply(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ner: Ner, text: &str) -> Vec<&str> {
        ner.mentions(Language::English, text)
            .into_iter()
            .map(|m| &text[m.span])
            .collect()
    }

    #[test]
    fn the_literal_pattern_keeps_its_faults() {
        let found = names(
            Ner::Regex,
            "The Royal Society of London met Thomas C. Südhof, NASA and McDonald in Saint Kitts And Nevis Today",
        );
        assert_eq!(
            found,
            [
                "The Royal Society",
                "London",
                "Thomas",
                "Saint Kitts And Nevis",
                "Today"
            ]
        );
        assert_eq!(names(Ner::Regex, "Émile xRay Q Zola2 Ab\n Cd"), ["Ab\n Cd"]);
        assert_eq!(names(Ner::RegexStop, "The He London"), ["The He London"]);
        assert_eq!(names(Ner::RegexStop, "He saw London. The end"), ["London"]);
    }

    #[test]
    fn the_wider_rules_find_whole_names() {
        let cases: &[(&str, &[&str])] = &[
            (
                "The Royal Society of London met Thomas C. Südhof, NASA and Ronald McDonald.",
                &[
                    "Royal Society",
                    "London",
                    "Thomas C. Südhof",
                    "NASA",
                    "Ronald McDonald",
                ],
            ),
            (
                "Which Stanford University professor works on Alzheimer's?",
                &["Stanford University", "Alzheimer"],
            ),
            (
                "J.R.R. Tolkien and C. V. Raman were born in the 19th century.",
                &["J.R.R. Tolkien", "C. V. Raman"],
            ),
            (
                "St. Petersburg was renamed. Leonardo da Vinci painted the Mona Lisa.",
                &["St. Petersburg", "Leonardo da Vinci", "Mona Lisa"],
            ),
            (
                "Is Apollo 11 older than Voyager 2?",
                &["Apollo 11", "Voyager 2"],
            ),
            (
                "What is the capital of France? In Paris it rains.",
                &["France", "Paris"],
            ),
            (
                "The Battle of the Bulge was in the Ardennes. O'Brien-Smith's dog",
                &["Battle of the Bulge", "Ardennes", "O'Brien-Smith"],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(&names(Ner::RegexPlus, text), expected, "{text}");
        }
    }

    #[test]
    fn a_single_sentence_opener_is_marked() {
        let text = "Galaxies spin. Kepler saw them.";
        let marks: Vec<bool> = Ner::RegexPlus
            .mentions(Language::English, text)
            .iter()
            .map(|m| m.opener)
            .collect();
        assert_eq!(marks, [true, true]);
        let mut known = FxHashSet::default();
        let other = "He met Kepler.";
        known_capitals(
            other,
            &Ner::RegexPlus.mentions(Language::English, other),
            &mut known,
        );
        assert!(known.contains("kepler") && !known.contains("galaxies"));
    }

    #[test]
    fn a_name_without_an_end_takes_time_by_its_length() {
        let text = "Ab ".repeat(200_000);
        let found = Ner::RegexPlus.mentions(Language::English, &text);
        assert_eq!((found.len(), found[0].span.end), (1, text.len() - 1));
    }

    #[test]
    fn normal_forms() {
        assert_eq!(
            Norm::Simple.apply(" O'Brien–Smith, Jr. "),
            "o brien smith jr"
        );
        assert_eq!(Norm::Lower.apply("Royal Society"), "royal society");
        assert_eq!(Norm::None.apply("Royal"), "Royal");
    }
}
