//! The text part of the context: units by keywords, by their own similarity, or by neighbours in the kNN graph
//! (KET-RAG, 3.3, keyword channel; 3.4, Text-RAG and KNNG-RAG).

use super::options::Channel;
use crate::retrieve::pack::{Misfit, Room};

/// A unit that was a candidate for the context.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    pub unit: u32,
    /// To the question.
    pub similarity: f32,
    pub tokens: usize,
    /// Place in which it came into the pool, from 0.
    pub order: usize,
    pub by: Why,
    pub packed: bool,
}

/// What brought a unit into the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its own similarity.
    Similar,
    /// A keyword, by place in the list of keywords.
    Keyword(usize),
    /// A neighbour in the kNN graph that is nearer to the question.
    Neighbour(u32),
}

/// What the pool had no room for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoolStop {
    pub unit: u32,
    /// Place of its keyword in the list.
    pub keyword: usize,
    pub tokens: usize,
}

/// The text part of one search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextPart {
    /// B_t.
    pub budget: usize,
    pub used: usize,
    /// The nearest keywords, best first, and how near.
    pub keywords: Vec<(u32, f32)>,
    /// How many of them were looked at.
    pub visited: usize,
    /// Most tokens of the pool: 2 B_t.
    pub pool_limit: usize,
    pub pool_tokens: usize,
    /// Why the pool was closed before the keywords ended.
    pub stop: Option<PoolStop>,
    /// Candidates in the order of packing; where the first misfit stops it, the packed ones come first.
    pub pool: Vec<Pooled>,
    /// Of KNNG-RAG: how many of the pool are seeds.
    pub seeds: usize,
}

impl TextPart {
    /// Tokens that a candidate of the pool lacks. Where the first misfit stops the packing, all before it need room too.
    pub fn short(&self, at: usize, misfit: Misfit) -> usize {
        let before = self.pool[..at].iter();
        let needing = before.filter(|one| one.packed || misfit == Misfit::Stop);
        let needed: usize = needing.map(|one| one.tokens).sum();
        (needed + self.pool[at].tokens).saturating_sub(self.budget)
    }
}

/// Candidates kept beyond the packed ones where every unit is one.
const BEYOND: usize = 200;
/// Share of its budget that KNNG-RAG fills with seeds before their neighbours come; not published.
const SEED_SHARE: f64 = 0.5;

/// What the parts need to know of units.
pub struct Candidates<'a> {
    /// Similarity of every unit to the question.
    pub similarity: &'a [f32],
    pub tokens: &'a dyn Fn(u32) -> usize,
}

impl Candidates<'_> {
    fn pooled(&self, unit: u32, order: usize, by: Why) -> Pooled {
        Pooled {
            unit,
            similarity: self.similarity[unit as usize],
            tokens: (self.tokens)(unit),
            order,
            by,
            packed: false,
        }
    }

    /// Best first; ties to the lower number.
    fn better(&self, a: u32, b: u32) -> std::cmp::Ordering {
        let similarity = |u: u32| self.similarity[u as usize];
        similarity(b).total_cmp(&similarity(a)).then(a.cmp(&b))
    }
}

/// Marks the candidates that fit as packed, in order. Gives the tokens used.
fn pack(pool: &mut [Pooled], mut room: Room) -> usize {
    for one in pool {
        one.packed = room.takes(|| one.tokens);
    }
    room.used
}

/// Keyword channel: the units of the nearest keywords, keyword by keyword, go into a pool of twice the budget; the pool
/// is then packed by similarity to the question.
pub fn by_keywords<'u>(
    keywords: Vec<(u32, f32)>,
    units_of: impl Fn(u32) -> &'u [u32],
    candidates: &Candidates<'_>,
    budget: usize,
    misfit: Misfit,
) -> TextPart {
    let mut part = TextPart {
        budget,
        pool_limit: 2 * budget,
        ..TextPart::default()
    };
    let mut seen = vec![false; candidates.similarity.len()];
    'keywords: for (place, (keyword, _)) in keywords.iter().enumerate() {
        part.visited = place + 1;
        let mut fresh: Vec<u32> = units_of(*keyword)
            .iter()
            .copied()
            .filter(|u| !seen[*u as usize])
            .collect();
        fresh.sort_unstable_by(|a, b| candidates.better(*a, *b));
        for unit in fresh {
            let one = candidates.pooled(unit, part.pool.len(), Why::Keyword(place));
            if part.pool_tokens + one.tokens > part.pool_limit {
                part.stop = Some(PoolStop {
                    unit,
                    keyword: place,
                    tokens: one.tokens,
                });
                break 'keywords;
            }
            seen[unit as usize] = true;
            part.pool_tokens += one.tokens;
            part.pool.push(one);
        }
    }
    part.pool
        .sort_unstable_by(|a, b| candidates.better(a.unit, b.unit));
    part.used = pack(&mut part.pool, Room::new(budget, misfit));
    part.keywords = keywords;
    part
}

/// Text-RAG: all units by similarity.
pub fn by_similarity(candidates: &Candidates<'_>, budget: usize, misfit: Misfit) -> TextPart {
    let mut order: Vec<u32> = (0..candidates.similarity.len() as u32).collect();
    order.sort_unstable_by(|a, b| candidates.better(*a, *b));
    let mut pool = Vec::new();
    let mut room = Room::new(budget, misfit);
    let mut beyond = 0;
    for (place, unit) in order.into_iter().enumerate() {
        let mut one = candidates.pooled(unit, place, Why::Similar);
        one.packed = room.takes(|| one.tokens);
        if !one.packed {
            beyond += 1;
        }
        if beyond > BEYOND && room.closed() {
            break;
        }
        if one.packed || beyond <= BEYOND {
            pool.push(one);
        }
    }
    let seeds = pool.iter().filter(|p| p.packed).count();
    let pool_tokens = pool.iter().map(|p| p.tokens).sum();
    TextPart {
        budget,
        used: room.used,
        pool_tokens,
        seeds,
        pool,
        ..TextPart::default()
    }
}

/// KNNG-RAG: the most similar units until half of the budget is used, then their neighbours by similarity.
pub fn by_neighbours<I: Iterator<Item = u32>>(
    neighbours: impl Fn(u32) -> I,
    candidates: &Candidates<'_>,
    budget: usize,
    misfit: Misfit,
) -> TextPart {
    let half = (budget as f64 * SEED_SHARE).floor() as usize;
    let mut part = by_similarity(candidates, half, misfit);
    part.budget = budget;
    part.pool.retain(|p| p.packed);
    part.seeds = part.pool.len();
    let mut seen = vec![false; candidates.similarity.len()];
    for seed in &part.pool {
        seen[seed.unit as usize] = true;
    }
    let mut near: Vec<(u32, u32)> = Vec::new();
    for seed in &part.pool {
        for unit in neighbours(seed.unit) {
            if !std::mem::replace(&mut seen[unit as usize], true) {
                near.push((unit, seed.unit));
            }
        }
    }
    near.sort_unstable_by(|a, b| candidates.better(a.0, b.0));
    for (unit, seed) in near {
        let order = part.pool.len();
        part.pool
            .push(candidates.pooled(unit, order, Why::Neighbour(seed)));
    }
    part.pool_tokens = part.pool.iter().map(|p| p.tokens).sum();
    part.used = pack(&mut part.pool, Room::new(budget, misfit));
    part
}

impl Channel {
    pub fn label(self) -> &'static str {
        match self {
            Channel::Text => "units by similarity",
            Channel::Knng => "nearest units and their neighbours",
            Channel::Keyword => "units by keywords",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(
        lists: &'static [&'static [u32]],
        similarity: &[f32],
        tokens: &[usize],
        budget: usize,
    ) -> TextPart {
        let keywords = (0..lists.len() as u32).map(|k| (k, 1.0)).collect();
        let candidates = Candidates {
            similarity,
            tokens: &|u| tokens[u as usize],
        };
        let units = |k: u32| lists[k as usize];
        by_keywords(keywords, units, &candidates, budget, Misfit::Stop)
    }

    fn packed(part: &TextPart) -> Vec<u32> {
        let packed = part.pool.iter().filter(|p| p.packed);
        packed.map(|p| p.unit).collect()
    }

    #[test]
    fn the_pool_is_filled_keyword_by_keyword_and_packed_by_similarity() {
        // Keyword 0 brings 2 before 0 (more similar); keyword 1 brings 1, not 2 again.
        let p = part(&[&[0, 2], &[1, 2]], &[0.1, 0.9, 0.5], &[10, 10, 10], 20);
        let entered: Vec<(usize, u32)> = {
            let mut all: Vec<_> = p.pool.iter().map(|c| (c.order, c.unit)).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(entered, [(0, 2), (1, 0), (2, 1)]);
        assert_eq!(packed(&p), [1, 2]);
        assert_eq!((p.used, p.pool_tokens, p.stop), (20, 30, None));
        assert_eq!(p.pool[0].by, Why::Keyword(1));
    }

    #[test]
    fn a_full_pool_stops_everything() {
        // Limit 2 * 10: the first two fill it; unit 2 would fit no more, unit 3 (one token) is never looked at.
        let p = part(
            &[&[0], &[1, 2], &[3]],
            &[0.1, 0.3, 0.2, 0.9],
            &[10, 10, 5, 1],
            10,
        );
        let stop = p.stop.unwrap();
        assert_eq!((stop.unit, stop.keyword, stop.tokens), (2, 1, 5));
        assert_eq!((p.visited, p.pool.len(), p.pool_tokens), (2, 2, 20));
        assert_eq!(packed(&p), [1]);
        // Exactly twice the budget is still allowed.
        let p = part(&[&[0], &[1]], &[0.1, 0.3], &[10, 10], 10);
        assert_eq!((p.stop, p.pool.len()), (None, 2));
    }

    #[test]
    fn packing_ends_at_the_first_that_does_not_fit() {
        // By similarity 0 (8), 1 (5), 2 (1): 8 fit into 10, 5 more do not, and 2 is not tried.
        let p = part(&[&[0, 1, 2]], &[0.9, 0.8, 0.7], &[8, 5, 1], 10);
        assert_eq!((packed(&p), p.used), (vec![0], 8));
        let p = part(&[&[0, 1]], &[0.9, 0.8], &[8, 5], 0);
        assert_eq!((packed(&p), p.pool.len()), (vec![], 0));
        assert!(p.stop.is_some());
    }

    #[test]
    fn ties_go_to_the_lower_number() {
        let p = part(&[&[0, 1, 2]], &[0.5, 0.5, 0.5], &[1, 1, 1], 2);
        assert_eq!(packed(&p), [0, 1]);
    }

    #[test]
    fn text_rag_packs_by_similarity_and_keeps_some_beyond() {
        let similarity: Vec<f32> = (0..500).map(|i| 1.0 - i as f32 / 500.0).collect();
        let candidates = Candidates {
            similarity: &similarity,
            tokens: &|u| if u == 2 { 50 } else { 1 },
        };
        let p = by_similarity(&candidates, 10, Misfit::Stop);
        assert_eq!((packed(&p), p.used), (vec![0, 1], 2));
        assert_eq!(p.pool.len(), 2 + BEYOND);
    }

    #[test]
    fn a_misfit_stops_the_packing_or_is_skipped() {
        // Unit 1 has no room beside unit 0; unit 2 has.
        let candidates = Candidates {
            similarity: &[0.9, 0.8, 0.7],
            tokens: &|unit| [4, 9, 4][unit as usize],
        };
        let near: [&[u32]; 3] = [&[1, 2], &[], &[]];
        let all = [0, 1, 2];
        for (misfit, taken) in [(Misfit::Stop, vec![0]), (Misfit::Skip, vec![0, 2])] {
            let parts = [
                by_similarity(&candidates, 10, misfit),
                by_keywords(vec![(0, 1.0)], |_| &all, &candidates, 10, misfit),
                by_neighbours(
                    |u| near[u as usize].iter().copied(),
                    &candidates,
                    10,
                    misfit,
                ),
            ];
            for part in parts {
                assert_eq!(packed(&part), taken);
                assert_eq!(part.used, 4 * taken.len());
                assert_eq!(part.short(1, misfit), 3);
            }
        }
    }

    #[test]
    fn neighbours_come_after_seeds() {
        // Budget 6, half 3: seeds 0, 1, 2. Neighbours 5 (of 0), 4 (of 1), 0 again; by similarity 4, 5.
        let near: [&[u32]; 6] = [&[5], &[4, 0], &[], &[], &[], &[]];
        let candidates = Candidates {
            similarity: &[0.9, 0.8, 0.7, 0.6, 0.5, 0.4],
            tokens: &|_| 1,
        };
        let neighbours = |u: u32| near[u as usize].iter().copied();
        let p = by_neighbours(neighbours, &candidates, 6, Misfit::Stop);
        assert_eq!((packed(&p), p.seeds, p.used), (vec![0, 1, 2, 4, 5], 3, 5));
        assert_eq!(p.pool[3].by, Why::Neighbour(1));
        // Unit 3 is more similar than both, but is neither seed nor neighbour.
        assert!(p.pool.iter().all(|c| c.unit != 3));
    }
}
