//! Parts of speech by closed-class lists, verb forms, suffixes and the word before (POS-lite).

use super::lexicon::{self as lx, Classes, classes};
use super::pos_cut::cut;
use super::span;
use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pos {
    Determiner,
    /// my, whose, and the 's of a possessive.
    Possessive,
    /// Also relative and question pronouns.
    Pronoun,
    Preposition,
    Conjunction,
    /// be, have, do and the modal verbs.
    Auxiliary,
    /// A finite verb or an infinitive.
    Verb,
    /// A past participle.
    Participle,
    /// A form in -ing that is used as a verb.
    Gerund,
    Adverb,
    Adjective,
    Noun,
    /// A capitalised word that is no closed-class word.
    Proper,
    Number,
    /// Punctuation, one character each.
    Mark,
}

/// A token and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Byte range in the text that was tagged.
    pub span: Range<usize>,
    pub pos: Pos,
}

impl Pos {
    /// A noun or a name.
    pub fn nominal(self) -> bool {
        matches!(self, Pos::Noun | Pos::Proper)
    }

    /// A verb of any form, without auxiliaries.
    pub fn verbal(self) -> bool {
        matches!(self, Pos::Verb | Pos::Participle | Pos::Gerund)
    }
}

/// What a word is rests on at most so many tokens before it: a text without an end of a sentence takes time by its length.
const REACH: usize = 1000;

/// The tokens of one sentence with their parts of speech. Contractions are cut ("it's" is "it" and "'s"), words keep
/// inner hyphens, full stops of initials and abbreviations belong to their word.
pub fn tag(sentence: &str) -> Vec<Token> {
    let words = cut(sentence);
    let mut tokens: Vec<Token> = Vec::with_capacity(words.len());
    let lower: Vec<String> = words
        .iter()
        .map(|word| {
            span::of(sentence, word.clone())
                .to_lowercase()
                .replace('’', "'")
        })
        .collect();
    let known: Vec<Classes> = lower.iter().map(|word| classes(word)).collect();
    let quote = sentence.find(['\'', '‘']).unwrap_or(sentence.len());
    for at in 0..words.len() {
        let first = at.saturating_sub(REACH);
        let view = View {
            sentence,
            words: &words[first..],
            lower: &lower[first..],
            known: &known[first..],
            at: at - first,
            quote,
        };
        let pos = view.decide(&tokens[first..]);
        tokens.push(Token {
            span: words[at].clone(),
            pos,
        });
    }
    tokens
}

/// A token to decide, with its neighbours.
pub(super) struct View<'a> {
    pub(super) sentence: &'a str,
    pub(super) words: &'a [Range<usize>],
    pub(super) lower: &'a [String],
    pub(super) known: &'a [Classes],
    pub(super) at: usize,
    /// Where the sentence has its first mark that may open a quotation.
    quote: usize,
}

impl View<'_> {
    pub(super) fn text(&self, at: usize) -> &str {
        self.words
            .get(at)
            .map_or("", |word| span::of(self.sentence, word.clone()))
    }

    pub(super) fn known(&self, at: usize) -> Classes {
        self.known.get(at).copied().unwrap_or(0)
    }

    pub(super) fn capital(&self, at: usize) -> bool {
        self.text(at).chars().next().is_some_and(char::is_uppercase)
    }

    /// The first word of the sentence, behind quotes and brackets.
    fn opens(&self, before: &[Token]) -> bool {
        before.iter().all(|token| token.pos == Pos::Mark)
    }

    fn decide(&self, before: &[Token]) -> Pos {
        let (word, lower, known) = (
            self.text(self.at),
            self.lower[self.at].as_str(),
            self.known[self.at],
        );
        let first = word.chars().next().unwrap_or(' ');
        let last = before.last().map(|token| token.pos);
        if lower == "'s" {
            let verb = last.is_some_and(|pos| matches!(pos, Pos::Pronoun | Pos::Adverb));
            return if verb {
                Pos::Auxiliary
            } else {
                Pos::Possessive
            };
        }
        if first == '\'' && known & lx::AUXILIARY != 0 {
            return Pos::Auxiliary;
        }
        if !first.is_alphanumeric() {
            // The bare apostrophe after a plural.
            let owns = matches!(word, "'" | "’")
                && last.is_some_and(Pos::nominal)
                && self
                    .text(self.at.wrapping_sub(1))
                    .ends_with(['s', 'z', 'x'])
                && self.words[self.at - 1].end == self.words[self.at].start
                && self.words[self.at].start <= self.quote;
            return if owns { Pos::Possessive } else { Pos::Mark };
        }
        if first.is_ascii_digit()
            || known & lx::NUMBER != 0 && (!self.capital(self.at) || self.opens(before))
        {
            return Pos::Number;
        }
        let closed = known
            & (lx::DETERMINER
                | lx::POSSESSIVE
                | lx::PRONOUN
                | lx::PREPOSITION
                | lx::CONJUNCTION
                | lx::AUXILIARY)
            != 0;
        if self.capital(self.at) {
            let shouted = word.chars().filter(|c| c.is_alphabetic()).count() > 1
                && !word.chars().any(char::is_lowercase);
            let run = self.capital(self.at + 1) && self.known(self.at + 1) & lx::AUXILIARY == 0;
            let name = if self.opens(before) {
                !closed && (known == 0 && suffix(lower).is_none() && !lower.ends_with("ly") || run)
                    || shouted && lower != "i" && lower != "a"
            } else {
                !closed
                    || run && known & (lx::PRONOUN | lx::DETERMINER) == 0
                    || shouted && lower != "i"
            };
            // "May" and "Will" inside a sentence are names unless a verb's place says otherwise.
            if name || !self.opens(before) && matches!(lower, "may" | "will" | "mine") {
                return Pos::Proper;
            }
        }
        self.open(lower, known, before)
    }

    /// A word in lower case, or the opener of a sentence.
    fn open(&self, lower: &str, known: Classes, before: &[Token]) -> Pos {
        let previous = before
            .iter()
            .rev()
            .map(|t| t.pos)
            .find(|&pos| pos != Pos::Adverb);
        let last = before.last().map(|token| token.pos);
        let bound = matches!(
            last,
            Some(Pos::Determiner | Pos::Possessive | Pos::Adjective)
        );
        let next = self.known(self.at + 1);
        let noun_follows = !self.ends(self.at + 1)
            && next
                & (lx::PREPOSITION
                    | lx::CONJUNCTION
                    | lx::AUXILIARY
                    | lx::DETERMINER
                    | lx::PRONOUN
                    | lx::POSSESSIVE)
                == 0
            && (next & (lx::NOUN | lx::ADJECTIVE) != 0
                || next == 0
                || next & lx::BASE != 0 && next & lx::ADVERB == 0);
        if known & lx::AUXILIARY != 0 {
            return Pos::Auxiliary;
        }
        if known & lx::POSSESSIVE != 0
            && (known & lx::PRONOUN == 0 || noun_follows || self.capital(self.at + 1))
        {
            return Pos::Possessive;
        }
        if known & lx::DETERMINER != 0 {
            let relative = matches!(lower, "that" | "which" | "what" | "whichever" | "whatever");
            let alone = self.ends(self.at + 1) || next & (lx::AUXILIARY | lx::PREPOSITION) != 0;
            let pronoun = known & lx::PRONOUN != 0
                && (alone
                    || next & (lx::PAST | lx::THIRD | lx::PRONOUN | lx::DETERMINER) != 0
                        && next & lx::NOUN == 0);
            let relative = relative
                && last.is_some_and(|pos| {
                    pos.nominal() || pos == Pos::Mark || pos == Pos::Preposition
                });
            return if pronoun || relative {
                Pos::Pronoun
            } else {
                Pos::Determiner
            };
        }
        if known & lx::PRONOUN != 0 {
            return Pos::Pronoun;
        }
        if known & lx::PREPOSITION != 0 {
            // "up", "out" after a verb are particles; as prepositions they serve the same patterns.
            let clause = known & lx::CONJUNCTION != 0
                && next & lx::PRONOUN != 0
                && next & lx::POSSESSIVE == 0;
            return if clause {
                Pos::Conjunction
            } else {
                Pos::Preposition
            };
        }
        if known & lx::CONJUNCTION != 0 {
            return Pos::Conjunction;
        }
        if let Some(pos) = self.verb(known, before, previous, bound, noun_follows) {
            return pos;
        }
        if known & lx::ADVERB != 0
            && !(bound && known & (lx::NOUN | lx::ADJECTIVE) != 0)
            && !(known & lx::ADJECTIVE != 0 && noun_follows)
        {
            return Pos::Adverb;
        }
        if known & lx::ADJECTIVE != 0
            && (noun_follows
                || self.capital(self.at + 1)
                || known & lx::NOUN == 0 && !bound
                || previous == Some(Pos::Auxiliary))
        {
            return Pos::Adjective;
        }
        if known & lx::NOUN != 0 {
            return Pos::Noun;
        }
        match suffix(lower) {
            Some(Pos::Adjective) if bound && !noun_follows && !self.capital(self.at + 1) => {
                Pos::Noun
            }
            Some(pos) => pos,
            None => Pos::Noun,
        }
    }

    pub(super) fn ends(&self, at: usize) -> bool {
        !self.text(at).starts_with(char::is_alphanumeric)
    }
}

/// What the end of a word says.
fn suffix(lower: &str) -> Option<Pos> {
    let ends = |list: &[&str]| {
        list.iter()
            .any(|end| lower.len() > end.len() + 2 && lower.ends_with(end))
    };
    if ends(&[
        "tion", "tions", "sion", "sions", "ment", "ments", "ness", "ity", "ities", "er", "ers",
        "or", "ors", "ist", "ists", "ism", "ship", "ships", "age", "ages", "ence", "ance", "ology",
        "graphy", "hood", "dom",
    ]) {
        return Some(Pos::Noun);
    }
    if ends(&["ly"]) {
        return Some(Pos::Adverb);
    }
    ends(&[
        "ous", "ful", "ive", "al", "ic", "less", "able", "ible", "ary", "ish", "ian", "ese", "est",
    ])
    .then_some(Pos::Adjective)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "word/x" with one letter per class.
    fn tagged(sentence: &str) -> String {
        let letter = |pos| match pos {
            Pos::Determiner => 'd',
            Pos::Possessive => 's',
            Pos::Pronoun => 'p',
            Pos::Preposition => 'i',
            Pos::Conjunction => 'c',
            Pos::Auxiliary => 'x',
            Pos::Verb => 'v',
            Pos::Participle => 't',
            Pos::Gerund => 'g',
            Pos::Adverb => 'r',
            Pos::Adjective => 'j',
            Pos::Noun => 'n',
            Pos::Proper => 'N',
            Pos::Number => '9',
            Pos::Mark => '.',
        };
        let words: Vec<String> = tag(sentence)
            .into_iter()
            .map(|token| format!("{}/{}", &sentence[token.span], letter(token.pos)))
            .collect();
        words.join(" ")
    }

    #[test]
    fn sentences_of_our_own() {
        let cases = [
            (
                "The old keeper painted a lighthouse near Varna.",
                "The/d old/j keeper/n painted/v a/d lighthouse/n near/i Varna/N ./.",
            ),
            (
                "She was born in Oslo and plays the violin.",
                "She/p was/x born/t in/i Oslo/N and/c plays/v the/d violin/n ./.",
            ),
            (
                "Mara Voss, who founded Tidewater Press, lives in Hull.",
                "Mara/N Voss/N ,/. who/p founded/v Tidewater/N Press/N ,/. lives/v in/i Hull/N ./.",
            ),
            (
                "The bridge was designed by Ana Lindqvist in 1911.",
                "The/d bridge/n was/x designed/t by/i Ana/N Lindqvist/N in/i 1911/9 ./.",
            ),
            (
                "Its director wants to make a famous film.",
                "Its/s director/n wants/v to/i make/v a/d famous/j film/n ./.",
            ),
            (
                "It's the keeper's dog.",
                "It/p 's/x the/d keeper/n 's/s dog/n ./.",
            ),
            (
                "Dr. J. Moss quickly wrote three novels.",
                "Dr./N J./N Moss/N quickly/r wrote/v three/9 novels/n ./.",
            ),
            (
                "Galaxies are very large.",
                "Galaxies/N are/x very/r large/j ./.",
            ),
            (
                "The happiness of the players mattered.",
                "The/d happiness/n of/i the/d players/n mattered/v ./.",
            ),
            (
                "Where did Mara Voss release the film?",
                "Where/c did/x Mara/N Voss/N release/v the/d film/n ?/.",
            ),
            (
                "Did the film star win in May?",
                "Did/x the/d film/n star/n win/v in/i May/N ?/.",
            ),
            (
                "A running engine is noisy",
                "A/d running/j engine/n is/x noisy/n",
            ),
        ];
        for (sentence, expected) in cases {
            assert_eq!(tagged(sentence), expected);
        }
    }

    #[test]
    fn odd_input_is_tagged_too() {
        assert!(tag("").is_empty());
        assert_eq!(tagged("'"), "'/.");
        assert_eq!(tagged("'s"), "'/. s/n");
        assert_eq!(tagged("U.S. 1,200 3.5%"), "U.S./N 1,200/9 3.5/9 %/.");
        assert_eq!(tagged("the players' goal"), "the/d players/n '/s goal/n");
    }

    #[test]
    fn a_sentence_without_an_end_takes_time_by_its_length() {
        for word in ["sang ", "\" ", "players' ", "and play "] {
            let text = word.repeat(200_000);
            assert!(tag(&text).len() >= 200_000);
        }
    }

    #[test]
    fn spans_are_in_order_and_cover_every_letter() {
        let text = "“Émile’s dog,” said the ex-king; won't he?";
        let tokens = tag(text);
        assert!(tokens.windows(2).all(|w| w[0].span.end <= w[1].span.start));
        let kept: String = tokens.iter().map(|t| &text[t.span.clone()]).collect();
        assert_eq!(kept, text.split_whitespace().collect::<String>());
    }
}
