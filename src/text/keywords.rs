//! Keywords of a text: its words without those that say nothing by themselves (KET-RAG, 3.2.5).

use super::chunks::each_token;
use super::span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// Words that say nothing by themselves: articles, pronouns, auxiliaries, prepositions, conjunctions, and what is left
/// of contractions when they are cut at the apostrophe.
static STOP: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "a an the this that these those i me my mine myself we us our ours ourselves you your yours yourself yourselves \
     he him his himself she her hers herself it its itself they them their theirs themselves one's \
     who whom whose which what when where why how whether \
     am is are was were be been being have has had having do does did doing done will would shall should can could \
     may might must ought \
     and or but nor so yet if then else because as until while although though since unless than \
     of at by for with about against between into through during before after above below to from up down in out on \
     off over under upon within without toward towards among amongst across along around behind beside besides beyond \
     near onto per via \
     again further once here there all any both each few more most other another some such no not only own same too \
     very just now also even ever still already rather quite \
     s t d m o re ve ll y don isn aren wasn weren hasn haven hadn doesn didn won wouldn couldn shouldn mightn mustn needn ain"
        .split_whitespace()
        .collect()
});

/// Whether a word, written as it is compared, is no keyword.
pub fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

/// Calls `each` for every keyword of a text, in order. In lower case, or as written with `code_case`: then stop words
/// are met by their case too, and "The" is a keyword.
pub fn each_keyword(text: &str, code_case: bool, mut each: impl FnMut(&str)) {
    let mut lower = String::new();
    each_token(text, |span| {
        let word = span::of(text, span);
        if code_case {
            if !is_stop(word) {
                each(word);
            }
            return;
        }
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase));
        if !is_stop(&lower) {
            each(&lower);
        }
    });
}

/// Most words of a unit that are compared with another's (KET-RAG: the 2000 most frequent).
const MOST_WORDS: usize = 2000;

/// The set of words of a text that lexical neighbours are counted by: alphabetic, in lower case, no stop words.
pub fn word_set(text: &str) -> Vec<String> {
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    each_keyword(text, false, |word| {
        if word.chars().all(char::is_alphabetic) {
            match counts.get_mut(word) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(word.to_owned(), 1);
                }
            }
        }
    });
    let mut words: Vec<(String, usize)> = counts.into_iter().collect();
    words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    words.truncate(MOST_WORDS);
    words.into_iter().map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str, code_case: bool) -> Vec<String> {
        let mut words = Vec::new();
        each_keyword(text, code_case, |w| words.push(w.to_owned()));
        words
    }

    #[test]
    fn keywords_are_words_without_stop_words() {
        let text = "The keeper didn't leave; Straße 7 is The Rock's.";
        assert_eq!(
            list(text, false),
            ["keeper", "leave", "straße", "7", "rock"]
        );
        // As written, and stop words by case: "The" stays.
        assert_eq!(
            list(text, true),
            ["The", "keeper", "leave", "Straße", "7", "The", "Rock"]
        );
    }

    #[test]
    fn word_sets_are_alphabetic_and_each_word_once() {
        let mut set = word_set("Rock, rock and 1820 x7 Keeper");
        set.sort();
        assert_eq!(set, ["keeper", "rock"]);
        let many: String = (0..2100).map(|i| format!("{} ", letters(i))).collect();
        let often = "often often ";
        let set = word_set(&format!("{many}{often}"));
        assert_eq!((set.len(), &*set[0]), (2000, "often"));
    }

    fn letters(mut i: usize) -> String {
        let mut out = String::new();
        for _ in 0..4 {
            out.push((b'a' + (i % 26) as u8) as char);
            i /= 26;
        }
        out
    }
}
