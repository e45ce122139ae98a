//! What stands between two names of a sentence, read by the patterns

use super::pos::{Pos, Token};
use super::relations::Pattern;
use super::span;

/// Longest gap between two names, in words.
const GAP: usize = 12;

/// What a gap says.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) predicate: String,
    pub(super) pattern: Pattern,
    pub(super) passive: bool,
}

/// The first pattern that reads the gap between two names.
pub(super) fn link(sentence: &str, gap: &[Token], possessive: bool) -> Option<Link> {
    let word = |t: &Token| span::of(sentence, t.span.clone());
    let words = gap.iter().filter(|t| t.pos != Pos::Mark).count();
    if words > GAP
        || gap
            .iter()
            .any(|t| matches!(word(t), ";" | ":" | "(" | ")" | "\"" | "“" | "”"))
            && !quoted(sentence, gap)
    {
        return None;
    }
    let gap: Vec<&Token> = gap
        .iter()
        .filter(|t| !matches!(word(t), "\"" | "“" | "”" | "‘"))
        .collect();
    let reader = Reader {
        sentence,
        gap: &gap,
    };
    if possessive {
        return reader.possessive(0);
    }
    reader
        .verb()
        .or_else(|| reader.copula())
        .or_else(|| reader.apposition())
        .or_else(|| {
            reader
                .possessive(usize::from(reader.pos(0) == Some(Pos::Possessive)))
                .filter(|_| reader.pos(0) == Some(Pos::Possessive))
        })
        .or_else(|| reader.preposition())
}

/// A gap whose only odd marks are quotes around the second name.
fn quoted(sentence: &str, gap: &[Token]) -> bool {
    !gap.iter()
        .any(|t| matches!(span::of(sentence, t.span.clone()), ";" | ":" | "(" | ")"))
}

struct Reader<'a> {
    sentence: &'a str,
    gap: &'a [&'a Token],
}

impl Reader<'_> {
    fn pos(&self, at: usize) -> Option<Pos> {
        self.gap.get(at).map(|t| t.pos)
    }

    fn word(&self, at: usize) -> &str {
        self.gap
            .get(at)
            .map_or("", |t| span::of(self.sentence, t.span.clone()))
    }

    fn lower(&self, at: usize) -> String {
        self.word(at).to_lowercase()
    }

    fn skip(&self, at: usize, while_in: &[Pos]) -> usize {
        (at..)
            .find(|&i| !self.pos(i).is_some_and(|pos| while_in.contains(&pos)))
            .unwrap_or(at)
    }

    /// Behind ", who" or ", which".
    fn start(&self) -> usize {
        let mut at = usize::from(self.word(0) == ",");
        if matches!(self.lower(at).as_str(), "who" | "which" | "that") {
            at += 1;
        } else if at == 1 && !matches!(self.pos(1), Some(Pos::Participle | Pos::Verb | Pos::Adverb))
        {
            return 0;
        }
        self.skip(at, &[Pos::Adverb])
    }

    /// A noun phrase without "of": determiner, adjectives, numbers, nouns. Its end and its head nouns.
    fn phrase(&self, at: usize) -> (usize, String) {
        let mut end = self.skip(at, &[Pos::Determiner, Pos::Possessive, Pos::Adverb]);
        let mut head: Vec<&str> = Vec::new();
        while let Some(pos) = self.pos(end) {
            match pos {
                Pos::Noun | Pos::Proper => head.push(self.word(end)),
                Pos::Adjective | Pos::Number | Pos::Adverb => head.clear(),
                // "novel and play": the last one counts; a participle between is an attribute.
                Pos::Conjunction if matches!(self.word(end), "and" | "or") && !head.is_empty() => {
                    head.clear()
                }
                _ => break,
            }
            end += 1;
        }
        (end, head.join(" "))
    }

    fn verb(&self) -> Option<Link> {
        let start = self.start();
        let mut at = start;
        let mut group: Vec<&str> = Vec::new();
        let (mut main, mut helped) = (None, false);
        while let Some(pos) = self.pos(at) {
            match pos {
                Pos::Adverb => {}
                Pos::Auxiliary if main.is_none() => {
                    group.push(self.word(at));
                    helped = true;
                }
                pos if pos.verbal() && main.is_none() => {
                    group.push(self.word(at));
                    main = Some(pos);
                }
                // "began to work", "was able to win": the verb that says more.
                Pos::Preposition
                    if main.is_some()
                        && self.word(at) == "to"
                        && self.pos(at + 1) == Some(Pos::Verb) =>
                {
                    group.extend([self.word(at), self.word(at + 1)]);
                    at += 1;
                }
                _ => break,
            }
            at += 1;
        }
        // "has Y": an auxiliary that stands alone and is no form of be.
        let alone =
            main.is_none() && group.len() == 1 && matches!(group[0], "has" | "had" | "have");
        if main.is_none() && !alone || main == Some(Pos::Gerund) && !helped {
            return None;
        }
        // The rest: [particle or preposition] and noun phrases, no second verb.
        let mut predicate = group.join(" ");
        let mut by = false;
        let mut objects = 0;
        loop {
            let after = self.skip(at, &[Pos::Preposition, Pos::Adverb]);
            let prepositions: Vec<&str> = (at..after)
                .filter(|&i| self.pos(i) == Some(Pos::Preposition))
                .map(|i| self.word(i))
                .collect();
            let (end, head) = self.phrase(after);
            let last = end >= self.gap.len();
            if last {
                for preposition in prepositions {
                    predicate = format!("{predicate} {preposition}");
                    by |= preposition == "by" && objects == 0;
                }
                break;
            }
            if end == at || objects == 2 {
                return None;
            }
            // "received a degree from Y": the object belongs to the predicate.
            if objects == 0 && prepositions.is_empty() && !head.is_empty() {
                predicate = format!("{predicate} {head}");
            }
            objects += 1;
            at = end;
        }
        let passive = helped && main == Some(Pos::Participle) && by;
        Some(Link {
            predicate,
            pattern: Pattern::Verb,
            passive,
        })
    }

    fn copula(&self) -> Option<Link> {
        let start = self.start();
        let be = self.lower(start);
        if self.pos(start) == Some(Pos::Possessive)
            || !matches!(
                be.as_str(),
                "is" | "was" | "are" | "were" | "'s" | "became" | "remains"
            )
        {
            return None;
        }
        let (end, mut head) = self.phrase(start + 1);
        // "is famous for Y"
        if head.is_empty() && end > start + 1 && self.pos(end - 1) == Some(Pos::Adjective) {
            head = self.word(end - 1).to_owned();
        }
        if end >= self.gap.len() {
            let predicate = if head.is_empty() {
                be
            } else {
                format!("{be} {head}")
            };
            return Some(Link {
                predicate,
                pattern: Pattern::Copula,
                passive: false,
            });
        }
        self.complement(end, &head)
    }

    /// "(NP) of Y", also "NP written by Y".
    fn complement(&self, at: usize, head: &str) -> Option<Link> {
        let participle = self
            .pos(at)
            .filter(|pos| matches!(pos, Pos::Participle | Pos::Verb))
            .map(|_| self.word(at));
        let at = at + usize::from(participle.is_some());
        let preposition = self.word(at);
        if head.is_empty() && participle.is_none()
            || !matches!(
                preposition,
                "of" | "in" | "by" | "for" | "from" | "at" | "on" | "to" | "with"
            )
        {
            return None;
        }
        let (end, _) = self.phrase(at + 1);
        let said: Vec<&str> = ["is", head]
            .into_iter()
            .chain(participle)
            .chain([preposition])
            .filter(|w| !w.is_empty())
            .collect();
        (end >= self.gap.len()).then(|| Link {
            predicate: said.join(" "),
            pattern: Pattern::Copula,
            passive: false,
        })
    }

    fn apposition(&self) -> Option<Link> {
        if self.word(0) != "," {
            return None;
        }
        let (end, head) = self.phrase(1);
        if end >= self.gap.len() {
            return None;
        }
        self.complement(end, &head)
            .filter(|_| !head.is_empty())
            .map(|link| Link {
                pattern: Pattern::Apposition,
                ..link
            })
    }

    /// "'s NP Y", also "'s NP is Y" and "'s NP, Y". `at` is behind the 's.
    fn possessive(&self, at: usize) -> Option<Link> {
        let (mut end, head) = self.phrase(at);
        let is = matches!(
            self.lower(end).as_str(),
            "is" | "was" | "are" | "were" | ","
        ) && end > at;
        if is {
            end = self.phrase(end + 1).0;
        }
        let predicate = if head.is_empty() {
            "has".to_owned()
        } else {
            format!("has {head}")
        };
        (end >= self.gap.len()).then_some(Link {
            predicate,
            pattern: Pattern::Possessive,
            passive: false,
        })
    }

    fn preposition(&self) -> Option<Link> {
        let preposition = self.word(0);
        let rest = self.skip(1, &[Pos::Determiner, Pos::Adjective]);
        let reads = matches!(preposition, "of" | "in" | "at" | "from") && rest >= self.gap.len();
        reads.then(|| Link {
            predicate: preposition.to_owned(),
            pattern: Pattern::Preposition,
            passive: false,
        })
    }
}

/// What a gap adds to a clause whose subject stands further left: another verb behind "and", or another preposition.
pub(super) fn further(sentence: &str, gap: &[Token], predicate: &str) -> Option<Link> {
    let word = |at: usize| {
        gap.get(at)
            .map_or("", |t| span::of(sentence, t.span.clone()))
    };
    let comma = usize::from(word(0) == ",");
    let mut link = if matches!(word(comma), "and" | "but" | "then") {
        link(sentence, &gap[comma + 1..], false)
            .filter(|link| matches!(link.pattern, Pattern::Verb | Pattern::Copula))?
    } else if comma == 0
        && matches!(
            word(0),
            "in" | "at" | "on" | "from" | "for" | "with" | "as" | "to" | "by" | "under"
        )
    {
        let tokens: Vec<&Token> = gap.iter().collect();
        let reader = Reader {
            sentence,
            gap: &tokens,
        };
        if gap.len() > GAP || reader.phrase(1).0 < gap.len() {
            return None;
        }
        let verb = predicate
            .rsplit_once(' ')
            .map_or(
                predicate,
                |(verb, last)| if last.len() <= 4 { verb } else { predicate },
            );
        Link {
            predicate: format!("{verb} {}", word(0)),
            pattern: Pattern::Clause,
            passive: false,
        }
    } else {
        return None;
    };
    link.pattern = Pattern::Clause;
    Some(link)
}

/// Only ",", "and", "or", "&" and a determiner.
pub(super) fn coordination(sentence: &str, gap: &[Token]) -> bool {
    !gap.is_empty()
        && gap.iter().all(|t| {
            matches!(
                span::of(sentence, t.span.clone()),
                "," | "and" | "or" | "&" | "the" | "as" | "well"
            )
        })
}
