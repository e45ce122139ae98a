//! Words that say the same of most schemas: what a schema says in one of them, a question may say in another.

use crate::text::stems::stem;
use std::sync::LazyLock;

/// Every row is of one part of speech and governs the same prepositions, since a phrase keeps its other words.
const GROUPS: &[&[&str]] = &[
    &[
        "taught",
        "teach",
        "trained",
        "supervised",
        "mentored",
        "instructed",
        "tutored",
        "educated",
        "advised",
    ],
    &[
        "teacher",
        "mentor",
        "supervisor",
        "adviser",
        "advisor",
        "tutor",
        "instructor",
        "trainer",
    ],
    &["student", "pupil", "disciple", "apprentice", "trainee"],
    &["employed", "hired", "appointed"],
    &[
        "discovered",
        "found",
        "find",
        "identified",
        "detected",
        "isolated",
    ],
    &["made", "make"],
    &["led", "lead"],
    &["invented", "devised", "designed", "developed", "created"],
    &["invention", "creation", "design"],
    &[
        "wrote", "write", "written", "authored", "composed", "penned",
    ],
    &["author", "writer"],
    &["published", "released", "issued"],
    &["due", "owed", "attributed", "credited"],
    &["based", "built", "founded", "grounded"],
    &[
        "ground",
        "basis",
        "foundation",
        "origin",
        "source",
        "starting point",
    ],
    &["located", "situated"],
    &["birthplace", "hometown"],
    &["cites", "cited", "references", "referenced", "quotes"],
    &["affiliated", "associated"],
    &["bought", "buy", "purchased"],
    &["viewed", "view", "seen"],
    &["treats", "treated", "cures"],
    &["causes", "caused", "induces"],
    &["finding", "result", "contribution", "achievement"],
    &["person", "people", "man", "woman"],
    &["founded", "established"],
];

type Groups = Vec<Vec<Vec<String>>>;

fn groups(form: impl Fn(&str) -> String) -> Groups {
    let phrase = |words: &&str| words.split(' ').map(&form).collect();
    let group = |group: &&[&str]| group.iter().map(phrase).collect();
    GROUPS.iter().map(group).collect()
}

static STEMS: LazyLock<Groups> = LazyLock::new(|| groups(stem));
static WORDS: LazyLock<Groups> = LazyLock::new(|| groups(str::to_owned));

/// A phrase by stems, and the phrases that say the same with another word of a group in one place.
pub fn likewise(stems: Vec<String>) -> Vec<Vec<String>> {
    swapped(&STEMS, stems)
}

/// As [`likewise`], of words as they are written.
pub fn likewise_words(words: Vec<String>) -> Vec<Vec<String>> {
    swapped(&WORDS, words)
}

fn swapped(groups: &Groups, phrase: Vec<String>) -> Vec<Vec<String>> {
    let mut all = vec![phrase];
    for group in groups {
        for known in group {
            for at in 0..all[0].len() {
                if !all[0][at..].starts_with(known) {
                    continue;
                }
                for other in group {
                    let mut said = all[0].clone();
                    said.splice(at..at + known.len(), other.iter().cloned());
                    if !all.contains(&said) {
                        all.push(said);
                    }
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_is_said_otherwise_and_the_rest_stays() {
        let stems = |text: &str| text.split(' ').map(stem).collect::<Vec<_>>();
        let said = likewise(stems("ground of"));
        assert_eq!(said[0], stems("ground of"));
        assert!(said.contains(&stems("starting point of")) && said.contains(&stems("basis of")));
        assert_eq!(likewise(stems("born in")), [stems("born in")]);
        // "founded on" and "founded in": both groups of the word.
        let said = likewise(stems("founded"));
        assert!(said.contains(&stems("established")) && said.contains(&stems("based")));
    }
}
