//! What the candidates of a question say of each other, read off the tables of the index: which words of the question each
//! has and in which sentence, who names whom, and which rare names two have in common.

use super::RetrieveError;
use super::retrieval::Hit;
use crate::index::{EntityGraph, Index};
use crate::layers::HopLayer;
use crate::parameters::Tokens;
use crate::ranker::{Candidates, Naming, PARTS, Sharing, WORDS};
use crate::text::names::without_parenthesis;
use crate::text::words::is_word;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Read of each candidate, at most: bytes of its text, sentences, and mentions of names.
const READ: usize = 1 << 16;
const SENTENCES: usize = 1 << 10;
const MENTIONS: usize = 1 << 11;

/// A candidate of a first order: its passage, its score, and the eight parts where it has them.
pub struct First {
    pub passage: u32,
    pub score: f64,
    pub parts: [f64; PARTS],
}

impl First {
    /// Of an order without these parts.
    pub fn plain(hit: &Hit) -> First {
        First {
            passage: hit.passage,
            score: f64::from(hit.score),
            parts: [0.0; PARTS],
        }
    }
}

/// The question's words that count, by bit.
struct Asked {
    /// Every word, those that do not count too.
    all: FxHashSet<String>,
    bits: FxHashMap<String, u32>,
    words: Vec<String>,
    shares: Vec<f64>,
    /// First bytes and lengths, up to 63, of the words that count: most words of a text are none of them by these.
    begins: [bool; 256],
    lengths: u64,
}

/// The bit of a length.
fn length(word: &str) -> u64 {
    1 << word.len().min(63)
}

impl Asked {
    fn of(index: &Index, question: &str) -> Result<Asked, RetrieveError> {
        let mut all = FxHashSet::default();
        let mut weighed: Vec<(String, f64)> = Vec::new();
        let mut failed = None;
        let count = index.among() as f64;
        each_word(question, |word| {
            if !all.insert(word.to_owned()) || index.language().is_function_word(word) {
                return;
            }
            // The words cut at what is not ASCII are no words of other scripts.
            let tokens = match word.is_ascii() {
                true => Tokens::Plain,
                false => Tokens::Stem,
            };
            match index.lexical().question(tokens, word) {
                Ok(known) => {
                    let df = known.iter().map(|word| word.df).max().unwrap_or(0);
                    let idf = ((count + 1.0) / (f64::from(df) + 0.5)).ln();
                    weighed.push((word.to_owned(), idf.max(0.0)));
                }
                Err(error) => failed = Some(error),
            }
        });
        if let Some(error) = failed {
            return Err(error.into());
        }
        if weighed.len() > WORDS {
            weighed.sort_by(|a, b| b.1.total_cmp(&a.1));
            weighed.truncate(WORDS);
        }
        let sum: f64 = weighed.iter().map(|(_, idf)| idf).sum();
        let bits = weighed.iter().zip(0..);
        let mut begins = [false; 256];
        let firsts = weighed.iter().filter_map(|(word, _)| word.bytes().next());
        firsts.for_each(|first| begins[usize::from(first)] = true);
        Ok(Asked {
            begins,
            lengths: weighed.iter().fold(0, |all, (word, _)| all | length(word)),
            all,
            bits: bits.map(|((word, _), bit)| (word.clone(), bit)).collect(),
            shares: weighed.iter().map(|(_, idf)| idf / (sum + 1e-9)).collect(),
            words: weighed.into_iter().map(|(word, _)| word).collect(),
        })
    }

    /// Which of the words a text has.
    fn in_text(&self, text: &str) -> u64 {
        let mut has = 0;
        each_word(text, |word| {
            let may = self.lengths & length(word) != 0;
            if may && self.begins[usize::from(word.as_bytes()[0])] {
                self.bits.get(word).inspect(|bit| has |= 1 << **bit);
            }
        });
        has
    }
}

/// Every run of letters and digits, in lower case.
fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let mut word = String::new();
    for c in text.chars() {
        match c {
            'a'..='z' | '0'..='9' => word.push(c),
            'A'..='Z' => word.push(c.to_ascii_lowercase()),
            c if !c.is_ascii() && is_word(c) => word.extend(c.to_lowercase()),
            _ if word.is_empty() => {}
            _ => {
                each(&word);
                word.clear();
            }
        }
    }
    if !word.is_empty() {
        each(&word);
    }
}

/// A name in a candidate: the words of the question in each sentence that has it.
struct Mention {
    entity: u32,
    candidate: u16,
    /// Sentence of the layer, and its words; none where only the title has the name.
    sentence: Option<(u32, u64)>,
}

/// What a passage says, as far as it is read.
struct Reader<'a> {
    index: &'a Index,
    layer: &'a HopLayer,
    graph: &'a EntityGraph,
    asked: &'a Asked,
}

impl Reader<'_> {
    /// The question's words in a candidate, and its names. Long texts are read up to a limit.
    fn read(&self, passage: u32, candidate: u16, mentions: &mut Vec<Mention>) -> u64 {
        let passages = self.index.passages();
        let own = self.layer.sentences(passage);
        let own = own.start..own.end.min(own.start + SENTENCES as u32);
        let mut has = self.asked.in_text(passages.title(passage as usize));
        let reading = passages.read(passage as usize);
        let mut sentences: Vec<(Range<usize>, u32, u64)> = Vec::with_capacity(own.len());
        for sentence in own {
            let span = self.layer.span(sentence);
            if span.end > READ {
                break;
            }
            let text = reading.part(span.clone());
            let words = self.asked.in_text(&text);
            has |= words;
            sentences.push((span, sentence, words));
        }
        let before = mentions.len();
        for mention in self.graph.occurrences(passage as usize).take(MENTIONS) {
            let (start, end) = (mention.start as usize, mention.end as usize);
            let at = sentences.partition_point(|(span, ..)| span.start <= start);
            let inside = at.checked_sub(1).map(|at| &sentences[at]);
            let inside = inside.filter(|(span, ..)| end <= span.end);
            mentions.push(Mention {
                entity: mention.entity,
                candidate,
                sentence: inside.map(|(_, sentence, words)| (*sentence, *words)),
            });
        }
        let own = &mut mentions[before..];
        own.sort_unstable_by_key(|m| (m.entity, m.sentence));
        let mut kept = before;
        for at in before..mentions.len() {
            let same = |a: &Mention, b: &Mention| a.entity == b.entity && a.sentence == b.sentence;
            if kept == before || !same(&mentions[kept - 1], &mentions[at]) {
                mentions.swap(kept, at);
                kept += 1;
            }
        }
        mentions.truncate(kept);
        has
    }
}

/// What a first order's best say of each other.
///
/// # Errors
/// A damaged index.
pub fn candidates(
    index: &Index,
    layer: &HopLayer,
    question: &str,
    first: &[First],
) -> Result<Candidates, RetrieveError> {
    let asked = Asked::of(index, question)?;
    let reader = Reader {
        index,
        layer,
        graph: &layer.graph,
        asked: &asked,
    };
    let mut mentions = Vec::new();
    let passages: Vec<u32> = first.iter().map(|first| first.passage).collect();
    let each = passages.iter().zip(0u16..);
    let has: Vec<u64> = each
        .map(|(p, k)| reader.read(*p, k, &mut mentions))
        .collect();
    let lower = question.to_lowercase();
    let titles: Vec<String> = passages
        .iter()
        .map(|p| without_parenthesis(index.title(*p)).to_lowercase())
        .collect();
    let mut seen: FxHashMap<&str, u16> = FxHashMap::default();
    let twin = titles.iter().zip(0u16..);
    let twin = twin.map(|(title, at)| match title.is_empty() {
        true => at,
        false => *seen.entry(title).or_insert(at),
    });
    let twin = twin.collect();
    let titled = titles
        .iter()
        .map(|title| !title.is_empty() && lower.contains(&**title));
    let mut all = Candidates {
        scores: first.iter().map(|first| first.score).collect(),
        parts: first.iter().map(|first| first.parts).collect(),
        titled: titled.collect(),
        twin,
        has,
        passages,
        words: Vec::new(),
        shares: asked.shares.clone(),
        namings: Vec::new(),
        sharings: Vec::new(),
        single: 0.0,
        foreign: false,
    };
    mentions.sort_by_key(|m| (m.entity, m.candidate));
    join(&mut all, &mentions, &layer.graph, &asked, index.among());
    all.words = asked.words;
    Ok(all)
}

/// Joins the candidates that name each other or have a name in common. `mentions` are by name, then by candidate.
fn join(
    all: &mut Candidates,
    mentions: &[Mention],
    graph: &EntityGraph,
    asked: &Asked,
    passages: usize,
) {
    let count = all.len();
    let total = passages as f64 + 1.0;
    let mut namings: FxHashMap<(u16, u16), Naming> = FxHashMap::default();
    let mut sharings: FxHashMap<(u16, u16), Sharing> = FxHashMap::default();
    for of_name in mentions.chunk_by(|a, b| a.entity == b.entity) {
        let entity = of_name[0].entity;
        let by: Vec<&[Mention]> = of_name
            .chunk_by(|a, b| a.candidate == b.candidate)
            .collect();
        if by.len() < 2 {
            continue;
        }
        let titled = graph.titled(entity);
        for to in by.iter().map(|own| own[0].candidate) {
            if !titled.contains(&all.passages[usize::from(to)]) {
                continue;
            }
            for own in by.iter().filter(|own| own[0].candidate != to) {
                let naming = naming(all, own, to);
                let known = namings.entry((naming.from, to)).or_insert(naming);
                known.union = known.union.max(naming.union);
                if naming.share > known.share {
                    *known = Naming {
                        union: known.union,
                        ..naming
                    };
                }
            }
        }
        let mut of_question = true;
        each_word(graph.names.get(entity as usize), |word| {
            of_question &= asked.all.contains(word);
        });
        if of_question {
            continue;
        }
        let rarity = (total / (f64::from(graph.df(entity as usize)) + 0.5)).ln() / total.ln();
        let words = |own: &[Mention]| {
            let each = own.iter().filter_map(|m| m.sentence);
            each.fold(0, |all, (_, words)| all | words)
        };
        let by: Vec<(u16, u64)> = by
            .iter()
            .map(|own| (own[0].candidate, words(own)))
            .collect();
        for (place, (one, own)) in by.iter().enumerate() {
            for (two, other) in &by[place + 1..] {
                let sentences = rarity * all.share(own | other);
                let shared = sharings.entry((*one, *two)).or_insert(Sharing {
                    one: *one,
                    two: *two,
                    sum: 0.0,
                    most: 0.0,
                    name: entity,
                    sentences: 0.0,
                });
                shared.sum += rarity;
                shared.sentences = shared.sentences.max(sentences);
                if rarity > shared.most {
                    (shared.most, shared.name) = (rarity, entity);
                }
            }
        }
    }
    debug_assert!(count <= usize::from(u16::MAX));
    all.namings = namings.into_values().collect();
    all.namings.sort_unstable_by_key(|n| (n.from, n.to));
    all.sharings = sharings.into_values().collect();
    all.sharings.sort_unstable_by_key(|s| (s.one, s.two));
}

/// One candidate names another by the name that these mentions are of.
fn naming(all: &Candidates, own: &[Mention], to: u16) -> Naming {
    let mut naming = Naming {
        from: own[0].candidate,
        to,
        name: own[0].entity,
        sentence: None,
        share: 0.0,
        union: 0.0,
    };
    for (sentence, words) in own.iter().filter_map(|m| m.sentence) {
        let share = all.share(words);
        if naming.sentence.is_none() || share > naming.share {
            (naming.share, naming.sentence) = (share, Some(sentence));
        }
        let union = all.share(words | all.has[usize::from(to)]);
        naming.union = naming.union.max(union);
    }
    naming
}
