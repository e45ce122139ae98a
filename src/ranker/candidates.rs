//! The candidates of one question and what they say of each other: the numbers that a ranker reads.

use super::feature::Feature;
use super::model::spread;
use std::borrow::Cow;

/// Parts of a first order that are read one by one: those of `hop`.
pub const PARTS: usize = 8;
/// How many of the most probable are tried in pairs with a third.
const TRIED: usize = 12;
/// A shared name links two candidates from this rarity on.
const LINKING: f64 = 0.5;

/// Mean and deviation of the weighted sum over the candidates of a question, as it usually is: of three sets 3.5 to 5.0 and
/// 1.8 to 2.2.
const MEAN: f64 = 3.8;
const DEVIATION: f64 = 1.9;

/// One candidate names another: its title, or what its text is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Naming {
    pub from: u16,
    pub to: u16,
    /// The name, as the graph numbers it.
    pub name: u32,
    /// The naming sentence with the largest share of the question's words; none where only the title names.
    pub sentence: Option<u32>,
    /// Its share.
    pub share: f64,
    /// The share of some naming sentence and the named passage together, at most.
    pub union: f64,
}

/// Names that two candidates share and the question does not have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sharing {
    pub one: u16,
    pub two: u16,
    /// Rarities of all, and of the rarest, which is named.
    pub sum: f64,
    pub most: f64,
    pub name: u32,
    /// Rarity times the share of the question's words in the two sentences that have the name, at most.
    pub sentences: f64,
}

/// The candidates of one question, best first in the first order.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    pub passages: Vec<u32>,
    /// Of the first order.
    pub scores: Vec<f64>,
    /// Its parts, zeros where it has none of these.
    pub parts: Vec<[f64; PARTS]>,
    /// Words of the question that count, rarest first, and the share of each; shares sum to 1.
    pub words: Vec<String>,
    pub shares: Vec<f64>,
    /// Which of the words each candidate has, by bit.
    pub has: Vec<u64>,
    /// Whether the question has its title.
    pub titled: Vec<bool>,
    /// The first candidate with its title, which may be itself.
    pub twin: Vec<u16>,
    pub namings: Vec<Naming>,
    pub sharings: Vec<Sharing>,
    /// How much the question looks like one that a single passage answers, 0 to 1. What candidates say of each other counts
    /// as much less then.
    pub single: f64,
    /// Whether another first order than `hop`'s weighted sum gave the scores.
    pub foreign: bool,
}

/// The most words of a question that count: one bit each.
pub const WORDS: usize = 64;

/// Shares of sets of words, looked up byte by byte.
struct Cover(Vec<[f64; 256]>);

impl Cover {
    fn new(shares: &[f64]) -> Cover {
        let tables = shares.chunks(8).map(|shares| {
            let mut table = [0.0; 256];
            for set in 1..256usize {
                let low = set.trailing_zeros() as usize;
                table[set] = table[set & (set - 1)] + shares.get(low).copied().unwrap_or(0.0);
            }
            table
        });
        Cover(tables.collect())
    }

    fn of(&self, words: u64) -> f64 {
        let bytes = words.to_le_bytes();
        let each = self.0.iter().zip(bytes);
        each.map(|(table, byte)| table[usize::from(byte)]).sum()
    }
}

/// What a feature of a candidate rests on: the other candidate, and how probable it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Because {
    pub other: usize,
    /// The value that the feature has because of it.
    pub value: f64,
}

/// A table of candidates by features.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub width: usize,
    pub values: Vec<f64>,
}

impl Table {
    pub fn new(rows: usize, width: usize) -> Table {
        Table {
            width,
            values: vec![0.0; rows * width],
        }
    }

    pub fn row(&self, at: usize) -> &[f64] {
        &self.values[at * self.width..(at + 1) * self.width]
    }

    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks(self.width.max(1))
    }

    fn at(&mut self, row: usize, feature: Feature) -> &mut f64 {
        &mut self.values[row * self.width + feature as usize]
    }
}

impl Candidates {
    pub fn len(&self) -> usize {
        self.passages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.passages.is_empty()
    }

    /// Share of the question's words in a set of them.
    pub fn share(&self, words: u64) -> f64 {
        let shares = self.shares.iter().enumerate();
        let has = shares.filter(|(bit, _)| words >> bit & 1 == 1);
        // From zero, since the sum of nothing would be minus zero.
        has.fold(0.0, |sum, (_, share)| sum + share)
    }

    /// Mean and standard deviation of the first order's scores.
    pub fn spread(&self) -> (f64, f64) {
        spread(&self.scores)
    }

    /// The scores as functions read them. Those of another first order are brought to the usual mean and deviation of the
    /// weighted sum, which functions were learned on.
    fn levels(&self) -> Cow<'_, [f64]> {
        if !self.foreign {
            return Cow::Borrowed(&self.scores);
        }
        let (mean, deviation) = self.spread();
        let usual = |score: &f64| MEAN + DEVIATION * (score - mean) / (deviation + 1e-12);
        self.scores.iter().map(usual).collect()
    }

    /// All features; those given what is found are zero until [`Candidates::given`] fills them in.
    pub fn table(&self) -> Table {
        let count = self.len();
        let mut table = Table::new(count, Feature::ALL.len());
        let cover = Cover::new(&self.shares);
        let levels = self.levels();
        let best = levels.first().copied().unwrap_or(0.0);
        let fifth = levels.get(4.min(count.saturating_sub(1)));
        let fifth = fifth.copied().unwrap_or(0.0);
        // Words that one, and that at least two, of the first ten have.
        let (mut once, mut twice) = (0u64, 0u64);
        for has in self.has.iter().take(10) {
            twice |= once & has;
            once |= has;
        }
        let mut same = vec![0u16; count];
        self.twin
            .iter()
            .for_each(|twin| same[usize::from(*twin)] += 1);
        for k in 0..count {
            for (feature, part) in Feature::ALL.iter().zip(self.parts[k]) {
                *table.at(k, *feature) = part;
            }
            let has = self.has[k];
            let others = if k < 10 { twice } else { once };
            for (feature, value) in [
                (Feature::Score, levels[k]),
                (Feature::Lead, levels[k] - best),
                (Feature::Fifth, levels[k] - fifth),
                (Feature::Rank, k as f64),
                (Feature::Cover, cover.of(has)),
                (Feature::Only, cover.of(has & !others)),
                (Feature::Titled, f64::from(u8::from(self.titled[k]))),
                (Feature::Words, self.words.len() as f64),
                (Feature::Same, f64::from(same[usize::from(self.twin[k])])),
            ] {
                *table.at(k, feature) = value;
            }
        }
        for naming in &self.namings {
            let (b, k) = (usize::from(naming.from), usize::from(naming.to));
            *table.at(k, Feature::InScore) += levels[b].max(0.0);
            *table.at(b, Feature::OutScore) += levels[k].max(0.0);
            if b < 10 {
                *table.at(k, Feature::In10) += 1.0;
                let adds = table.at(k, Feature::Adds);
                *adds = adds.max(cover.of(self.has[k] & !self.has[b]));
            }
            if b < 5 {
                *table.at(k, Feature::In5) += 1.0;
            }
            if k < 10 {
                *table.at(b, Feature::Out10) += 1.0;
            }
            if k < 5 {
                *table.at(b, Feature::Out5) += 1.0;
            }
        }
        table
    }

    /// Fills in the features that depend on how probably each candidate is found already. Its own probability does not
    /// count for a candidate.
    pub fn given(&self, p: &[f64], table: &mut Table) {
        let cover = Cover::new(&self.shares);
        let mut keep = |row: usize, feature: Feature, value: f64| {
            let best = table.at(row, feature);
            *best = best.max(value);
        };
        for naming in &self.namings {
            let (b, k) = (usize::from(naming.from), usize::from(naming.to));
            let adds = |to: usize, from: usize| cover.of(self.has[to] & !self.has[from]);
            for (row, feature, value) in [
                (k, Feature::InMost, p[b]),
                (k, Feature::InAdds, p[b] * adds(k, b)),
                (k, Feature::Sentence, p[b] * naming.share),
                (k, Feature::SentenceUnion, p[b] * naming.union),
                (b, Feature::OutMost, p[k]),
                (b, Feature::OutAdds, p[k] * adds(b, k)),
                (b, Feature::SentenceOut, p[k] * naming.share),
            ] {
                keep(row, feature, value);
            }
        }
        for shared in &self.sharings {
            let pair = [usize::from(shared.one), usize::from(shared.two)];
            for [b, k] in [pair, [pair[1], pair[0]]] {
                let adds = cover.of(self.has[k] & !self.has[b]);
                keep(k, Feature::NamesMost, p[b] * shared.most);
                keep(k, Feature::NamesAdds, p[b] * shared.most * adds);
                keep(k, Feature::SentenceNames, p[b] * shared.sentences);
            }
        }
        let links = self.links();
        for &(b, k, strength) in &links {
            let both = cover.of(self.has[k] | self.has[b]);
            keep(k, Feature::Pair, p[b] * strength * both);
            keep(b, Feature::Pair, p[k] * strength * both);
        }
        for naming in &self.namings {
            let (b, k) = (usize::from(naming.from), usize::from(naming.to));
            *table.at(k, Feature::InSum) += p[b];
            *table.at(b, Feature::OutSum) += p[k];
        }
        for shared in &self.sharings {
            let (a, b) = (usize::from(shared.one), usize::from(shared.two));
            *table.at(a, Feature::NamesSum) += p[b] * shared.sum;
            *table.at(b, Feature::NamesSum) += p[a] * shared.sum;
        }
        let open = self.open(p);
        for k in 0..self.len() {
            let (mut own, mut all) = (0.0, 0.0);
            for (bit, share) in self.shares.iter().enumerate() {
                // Without its own share of what covers the word.
                let left = share * open.without(bit, p[k], self.has[k] >> bit & 1 == 1);
                all += left;
                if self.has[k] >> bit & 1 == 1 {
                    own += left;
                }
            }
            *table.at(k, Feature::Open) = own;
            *table.at(k, Feature::OpenShare) = own / (all + 0.05);
            let together = |b: usize| p[b] * cover.of(self.has[k] | self.has[b]);
            let others = (0..self.len()).filter(|b| *b != k).map(together);
            *table.at(k, Feature::PairFree) = others.fold(0.0, f64::max);
            let alone = cover.of(self.has[k]);
            *table.at(k, Feature::PairGain) = *table.at(k, Feature::Pair) - alone;
            let twins = (0..self.len()).filter(|b| *b != k && self.twin[*b] == self.twin[k]);
            *table.at(k, Feature::SameFound) = twins.map(|b| p[b]).sum();
        }
        self.triples(p, &links, &cover, table);
    }

    /// Pairs that are linked in any way, and how strongly: by a name, or by a rare name in common.
    fn links(&self) -> Vec<(usize, usize, f64)> {
        let count = self.len();
        let mut strength = vec![0.0f64; count * count];
        let mut link = |a: u16, b: u16, by: f64| {
            let (a, b) = (usize::from(a.min(b)), usize::from(a.max(b)));
            let known = &mut strength[a * count + b];
            *known = known.max(by);
        };
        self.namings.iter().for_each(|n| link(n.from, n.to, 1.0));
        let rare = self.sharings.iter().filter(|s| s.most > LINKING);
        rare.for_each(|s| link(s.one, s.two, s.most));
        let all = strength.iter().enumerate().filter(|(_, by)| **by > 0.0);
        all.map(|(at, by)| (at / count, at % count, *by)).collect()
    }

    /// What two probable candidates and a third cover together: the third at the end of a chain, or in its middle.
    fn triples(&self, p: &[f64], links: &[(usize, usize, f64)], cover: &Cover, table: &mut Table) {
        let count = self.len();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|a, b| p[*b].total_cmp(&p[*a]).then(a.cmp(b)));
        let tried = &order[..TRIED.min(count)];
        let mut to: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        for &(a, b, by) in links {
            to[a].push((b, by));
            to[b].push((a, by));
        }
        // What links each candidate to one of the pair, written over for every pair.
        let (mut of_a, mut of_b) = (vec![0.0f64; count], vec![0.0f64; count]);
        for (place, &a) in tried.iter().enumerate() {
            to[a].iter().for_each(|(k, by)| of_a[*k] = *by);
            for &b in &tried[place + 1..] {
                to[b].iter().for_each(|(k, by)| of_b[*k] = *by);
                let (mass, joined) = (p[a] * p[b], of_a[b]);
                for k in to[a].iter().chain(&to[b]).map(|(k, _)| *k) {
                    if k == a || k == b || mass == 0.0 {
                        continue;
                    }
                    let all = cover.of(self.has[a] | self.has[b] | self.has[k]);
                    let end = mass * joined * of_a[k].max(of_b[k]) * all;
                    let middle = mass * of_a[k] * of_b[k] * all;
                    for (feature, value) in [(Feature::Triple, end), (Feature::Middle, middle)] {
                        let best = table.at(k, feature);
                        *best = best.max(value);
                    }
                }
                to[b].iter().for_each(|(k, _)| of_b[*k] = 0.0);
            }
            to[a].iter().for_each(|(k, _)| of_a[*k] = 0.0);
        }
    }

    /// How open each word is, given what is probably found.
    fn open(&self, p: &[f64]) -> Openness {
        let mut logs = vec![0.0; self.words.len()];
        for (has, p) in self.has.iter().zip(p) {
            let by = log_left(*p);
            let mut words = *has;
            while words != 0 {
                logs[words.trailing_zeros() as usize] += by;
                words &= words - 1;
            }
        }
        Openness(logs)
    }

    /// The candidate that gives another one most of a feature, where one does.
    pub fn because(&self, feature: Feature, k: usize, p: &[f64]) -> Option<Because> {
        let named = |share: &dyn Fn(&Naming) -> f64| {
            let to = self.namings.iter().filter(|n| usize::from(n.to) == k);
            most(to.map(|n| (usize::from(n.from), p[usize::from(n.from)] * share(n))))
        };
        let shared = |share: &dyn Fn(&Sharing) -> f64| {
            let of = self.sharings.iter().filter_map(|s| {
                let (one, two) = (usize::from(s.one), usize::from(s.two));
                let other = match k {
                    k if k == one => two,
                    k if k == two => one,
                    _ => return None,
                };
                Some((other, p[other] * share(s)))
            });
            most(of)
        };
        match feature.group() {
            super::Group::Mentions => named(&|_| 1.0),
            super::Group::Sentences => match feature {
                Feature::SentenceNames => shared(&|s| s.sentences),
                _ => named(&|n| n.share),
            },
            super::Group::Names => shared(&|s| s.most),
            super::Group::Pairs => {
                let links = self.links().into_iter();
                most(links.filter_map(|(a, b, by)| {
                    let other = match k {
                        k if k == a => b,
                        k if k == b => a,
                        _ => return None,
                    };
                    let both = self.share(self.has[k] | self.has[other]);
                    Some((other, p[other] * by * both))
                }))
            }
            _ => None,
        }
    }
}

fn most(all: impl Iterator<Item = (usize, f64)>) -> Option<Because> {
    let best = all.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    best.filter(|(_, value)| *value > 0.0)
        .map(|(other, value)| Because { other, value })
}

/// Logarithm of what one that is found with this probability leaves open of its words.
fn log_left(p: f64) -> f64 {
    (1.0 - p.clamp(0.0, 0.999)).max(1e-3).ln()
}

/// Of every word, the logarithm of how open it is.
struct Openness(Vec<f64>);

impl Openness {
    /// How open a word is, but for one candidate.
    fn without(&self, word: usize, p: f64, has: bool) -> f64 {
        let own = if has { log_left(p) } else { 0.0 };
        (self.0[word] - own).exp()
    }
}
