//! When a word that may be a verb is one: the tagger's rules of place.

use super::lexicon::{self as lx, Classes};
use super::pos::{Pos, Token, View};

impl View<'_> {
    /// A listed or regular verb form, if its place is a verb's.
    pub(super) fn verb(
        &self,
        known: Classes,
        before: &[Token],
        previous: Option<Pos>,
        bound: bool,
        noun_follows: bool,
    ) -> Option<Pos> {
        let lower = self.lower[self.at].as_str();
        let listed = known & (lx::BASE | lx::PAST | lx::PARTICIPLE | lx::GERUND) != 0;
        // An unlisted word in -ing is a verb's where a noun cannot stand: "herring boats" stay nouns.
        let apart = !matches!(
            previous,
            Some(Pos::Noun | Pos::Proper | Pos::Adjective | Pos::Number)
        );
        let gerund = known & lx::GERUND != 0
            || known == 0
                && lower.len() > 5
                && lower.ends_with("ing")
                && (apart || bound && noun_follows);
        let past = known & (lx::PAST | lx::PARTICIPLE) != 0
            || known == 0 && lower.len() > 4 && lower.ends_with("ed") && !lower.ends_with("eed");
        let only_noun = known & lx::NOUN != 0 && !listed;
        if only_noun {
            return None;
        }
        // "the": only a noun, or a participle that stands as an adjective.
        if bound {
            return match () {
                _ if (gerund || past) && (noun_follows || self.capital(self.at + 1)) => {
                    Some(Pos::Adjective)
                }
                _ if past && known & lx::BASE == 0 && known & lx::NOUN == 0 => {
                    Some(Pos::Participle)
                }
                _ if listed || gerund || past => Some(Pos::Noun),
                _ => None,
            };
        }
        if gerund {
            return Some(Pos::Gerund);
        }
        let third = known & lx::THIRD != 0;
        let finite = clause(before).any(|pos| pos == Pos::Verb);
        let auxiliary = clause(before)
            .rev()
            .take_while(|pos| matches!(pos, Pos::Adverb | Pos::Auxiliary))
            .any(|pos| pos == Pos::Auxiliary);
        if known & lx::BASE != 0 {
            let word_before = before
                .iter()
                .rposition(|token| token.pos != Pos::Adverb)
                .map_or("", |at| self.lower[at].as_str());
            let helped = word_before == "to" || auxiliary && !third && !be_or_have(word_before);
            if helped || !third && self.inverted(before) {
                return Some(Pos::Verb);
            }
            if !past {
                let subject = match previous {
                    Some(Pos::Pronoun) => true,
                    Some(Pos::Noun | Pos::Proper) => {
                        third
                            || before.last().is_some_and(|_| word_before.ends_with('s'))
                                && known & lx::NOUN == 0
                    }
                    Some(Pos::Mark) => {
                        third && word_before == "," && (!finite || self.closes(before))
                    }
                    Some(Pos::Conjunction) => {
                        word_before != "than"
                            && !self.ends(self.at + 1)
                            && before
                                .iter()
                                .any(|t| matches!(t.pos, Pos::Verb | Pos::Auxiliary))
                    }
                    _ => false,
                };
                let takes = self.ends(self.at + 1)
                    || self.capital(self.at + 1)
                    || self.known(self.at + 1)
                        & (lx::DETERMINER
                            | lx::POSSESSIVE
                            | lx::PRONOUN
                            | lx::PREPOSITION
                            | lx::ADVERB
                            | lx::NUMBER)
                        != 0
                    || self
                        .text(self.at + 1)
                        .starts_with(|c: char| c.is_ascii_digit());
                let place = subject
                    && (takes || previous == Some(Pos::Pronoun) || third && known & lx::NOUN == 0);
                let noun = known & lx::NOUN != 0 && previous != Some(Pos::Pronoun);
                return if place
                    && (!finite
                        || matches!(previous, Some(Pos::Pronoun | Pos::Conjunction | Pos::Mark)))
                    && !noun
                {
                    Some(Pos::Verb)
                } else {
                    (known & (lx::ADJECTIVE | lx::ADVERB) == 0).then_some(Pos::Noun)
                };
            }
        }
        if !past || known & lx::ADJECTIVE != 0 && noun_follows {
            return None;
        }
        // "left" the adjective, "found" the verb.
        let participle_only = known & lx::PAST == 0 && known & lx::PARTICIPLE != 0;
        let attribute = noun_follows
            && !self.capital(self.at + 1)
            && !auxiliary
            && matches!(
                previous,
                Some(Pos::Preposition | Pos::Number | Pos::Conjunction) | None
            );
        if attribute {
            return Some(Pos::Adjective);
        }
        Some(
            if auxiliary
                || participle_only
                || finite && previous != Some(Pos::Conjunction) && previous != Some(Pos::Pronoun)
            {
                Pos::Participle
            } else {
                Pos::Verb
            },
        )
    }

    /// "Did the keeper paint", "Where does Mara Voss live": behind a helping verb and its subject, nothing verbal between.
    fn inverted(&self, before: &[Token]) -> bool {
        let helps = |at: usize| {
            matches!(
                self.lower[at].as_str(),
                "do" | "does"
                    | "did"
                    | "can"
                    | "could"
                    | "will"
                    | "would"
                    | "shall"
                    | "should"
                    | "may"
                    | "might"
                    | "must"
            )
        };
        let opened = before
            .iter()
            .rposition(|token| token.pos == Pos::Auxiliary)
            .filter(|&at| helps(at));
        opened.is_some_and(|at| {
            let asks = at == 0
                || matches!(
                    self.lower[0].as_str(),
                    "who"
                        | "what"
                        | "which"
                        | "when"
                        | "where"
                        | "why"
                        | "how"
                        | "whose"
                        | "whom"
                        | "in"
                        | "on"
                        | "at"
                        | "to"
                        | "for"
                        | "from"
                        | "by"
                        | "with"
                );
            let between = &before[at + 1..];
            let noun_ends = between.last().is_some_and(|token| {
                token.pos.nominal() || matches!(token.pos, Pos::Pronoun | Pos::Adverb)
            });
            // "Did the film star win": a noun before another noun is a part of the subject.
            let goes_on = self.known(self.at + 1) & (lx::BASE | lx::NOUN) == lx::BASE
                && self.known(self.at + 1) & lx::PREPOSITION == 0;
            asks && noun_ends && !goes_on && !between.iter().any(|token| token.pos.verbal())
        })
    }

    /// A comma that ends a relative clause: "Mara, who sang, left".
    fn closes(&self, before: &[Token]) -> bool {
        let relative = before.iter().rposition(|token| token.pos == Pos::Pronoun);
        relative.is_some_and(|at| {
            at > 0 && matches!(self.lower[at].as_str(), "who" | "which") && self.text(at - 1) == ","
        })
    }
}

fn be_or_have(word: &str) -> bool {
    matches!(
        word,
        "am" | "is"
            | "are"
            | "was"
            | "were"
            | "be"
            | "been"
            | "being"
            | "has"
            | "have"
            | "had"
            | "having"
            | "'s"
            | "'ve"
            | "isn't"
            | "aren't"
            | "wasn't"
            | "weren't"
            | "hasn't"
            | "haven't"
            | "hadn't"
            | "'m"
            | "'re"
    )
}

/// The tokens since the last border of a clause.
fn clause(before: &[Token]) -> impl DoubleEndedIterator<Item = Pos> + '_ {
    let start = before
        .iter()
        .rposition(|token| {
            token.pos == Pos::Conjunction || token.pos == Pos::Pronoun && token.span.len() > 2
        })
        .unwrap_or(0);
    before[start..].iter().map(|token| token.pos)
}
