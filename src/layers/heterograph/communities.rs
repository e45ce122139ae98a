//! Communities, what they are about, and which units that matches (NodeRAG).

use super::attributes::within;
use crate::graph::kmeans::{KMeansOptions, kmeans};
use crate::llm::task::{self, CommunityInput};
use crate::text::phrases::group_titles;
use crate::text::summarize::{Idf, summary};

/// Task `community`: what one community holds.
#[derive(Clone, Debug, Default)]
pub struct Community<'a> {
    /// Units in corpus order.
    pub units: Vec<&'a str>,
    /// Their vectors, row by row.
    pub rows: Vec<&'a [f32]>,
}

/// A high-level element.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementOut {
    pub description: String,
    /// Places in the community's units of the sentences it is made of.
    pub sources: Vec<u32>,
    /// Places of the units it speaks for: what its title is made from.
    pub group: Vec<u32>,
    /// As a model titled it; the rules title all elements at once.
    pub title: Option<String>,
}

/// Communities with fewer units give no element.
pub const LEAST_UNITS: usize = 3;
/// Most elements of a community.
const MOST: usize = 5;
/// Tokens of a description.
const TOKENS: usize = 80;
/// Units nearest to a centroid that its element is made from.
const NEAREST: usize = 20;

/// The elements of a community: of as many centroids as the root of the number of units (1 to 5), chosen by maximal
/// marginal relevance, each a summary of the units that are nearer to it than to the other centroids.
pub fn elements(
    input: &Community<'_>,
    idf: &Idf,
    names: impl Fn(&str) -> Vec<String>,
) -> Vec<ElementOut> {
    let n = input.units.len();
    if n < LEAST_UNITS {
        return Vec::new();
    }
    let count = ((n as f64).sqrt().round() as usize).clamp(1, MOST);
    let centroids = centroids(&input.rows, count);
    let mut groups: Vec<Vec<(u32, f64)>> = vec![Vec::new(); centroids.len()];
    for (at, row) in input.rows.iter().enumerate() {
        let mut best = (0, f64::NEG_INFINITY);
        for (group, &centroid) in centroids.iter().enumerate() {
            let near = cosine(row, input.rows[centroid]);
            if near > best.1 {
                best = (group, near);
            }
        }
        groups[best.0].push((at as u32, best.1));
    }
    let mut out = Vec::new();
    for mut group in groups {
        group.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        group.truncate(NEAREST);
        group.sort_unstable_by_key(|g| g.0);
        let texts: Vec<&str> = group.iter().map(|g| input.units[g.0 as usize]).collect();
        let made = summary(&texts, TOKENS, idf, &names);
        let mut sources: Vec<u32> = made
            .sentences
            .iter()
            .map(|s| group[s.text as usize].0)
            .collect();
        sources.dedup();
        if !made.text.is_empty() {
            out.push(ElementOut {
                description: made.text,
                sources,
                group: group.into_iter().map(|g| g.0).collect(),
                title: None,
            });
        }
    }
    out
}

/// What a model is told of a community at most, in words of units and of profiles each.
const TOLD: usize = 4000;

impl Community<'_> {
    /// The same for a model; none where it gives no element.
    pub fn asked(&self, attributes: &[&str]) -> Option<CommunityInput> {
        (self.units.len() >= LEAST_UNITS).then(|| CommunityInput {
            units: within(&self.units, TOLD),
            attributes: within(attributes, TOLD),
        })
    }
}

/// The elements that a model found; each is made from all units it was told.
pub fn told(input: &CommunityInput, output: &task::Elements) -> Vec<ElementOut> {
    let line = |text: &String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let all: Vec<u32> = (0..input.units.len() as u32).collect();
    let element = |e: &task::Element| ElementOut {
        description: line(&e.description),
        sources: all.clone(),
        group: all.clone(),
        title: Some(line(&e.title)),
    };
    output.elements.iter().map(element).collect()
}

/// A title for each element, from the units it speaks for; what is frequent elsewhere says less.
pub fn overviews(groups: &[Vec<&str>], idf: &Idf) -> Vec<String> {
    group_titles(groups, idf)
}

/// Units chosen one by one: near to the mean of all, far from those chosen (0.7 and 0.3, as in summaries).
fn centroids(rows: &[&[f32]], count: usize) -> Vec<usize> {
    let mut mean = vec![0.0_f64; rows.first().map_or(0, |r| r.len())];
    for row in rows {
        for (sum, &x) in mean.iter_mut().zip(*row) {
            *sum += f64::from(x);
        }
    }
    let length = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
    let relevance: Vec<f64> = rows
        .iter()
        .map(|row| {
            let dot: f64 = row.iter().zip(&mean).map(|(&x, m)| f64::from(x) * m).sum();
            if length > 0.0 { dot / length } else { 0.0 }
        })
        .collect();
    let mut nearest = vec![0.0_f64; rows.len()];
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < count.min(rows.len()) {
        let mut best: Option<(usize, f64)> = None;
        for at in 0..rows.len() {
            let score = 0.7 * relevance[at] - 0.3 * nearest[at];
            if !chosen.contains(&at) && best.is_none_or(|(_, most)| score > most) {
                best = Some((at, score));
            }
        }
        let Some((at, _)) = best else { break };
        chosen.push(at);
        for (other, nearest) in nearest.iter_mut().enumerate() {
            *nearest = nearest.max(cosine(rows[other], rows[at]));
        }
    }
    chosen
}

/// Of unit vectors.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(&x, &y)| f64::from(x) * f64::from(y))
        .sum()
}

/// What an element is held against: a unit or profile and its community, or an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    pub community: u32,
    /// An element of this community, not a member of it.
    pub element: bool,
}

/// What semantic matching did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matched {
    /// Clusters asked for: the root of the number of rows, rounded up.
    pub k: usize,
    /// False when there were so few that every element was linked with its whole community.
    pub clustered: bool,
    /// Element and member, as rows.
    pub pairs: Vec<(u32, u32)>,
}

/// Links elements with the units and profiles of their community that are of the same cluster (`size`: the code's
/// Hcluster_size; with no more rows per cluster than this there is no clustering). Elements are not linked with each
/// other: one formula of the paper allows it, its algorithm and the code do not.
pub fn matched(rows: &[f32], dims: usize, members: &[Member], size: usize, seed: u64) -> Matched {
    let n = members.len();
    if n == 0 {
        return Matched::default();
    }
    let k = (n as f64).sqrt().ceil() as usize;
    let clustered = n as f64 / k as f64 > size as f64;
    let clusters = if clustered {
        let options = KMeansOptions {
            clusters: k,
            iterations: 25,
            seed,
        };
        kmeans(rows, dims, &options).clusters
    } else {
        vec![0; n]
    };
    let mut order: Vec<u32> = (0..n as u32).collect();
    let key = |u: &u32| (members[*u as usize].community, clusters[*u as usize]);
    order.sort_by_key(|u| (key(u), *u));
    let mut pairs = Vec::new();
    for group in order.chunk_by(|a, b| key(a) == key(b)) {
        let element = |u: &&u32| members[**u as usize].element;
        for &h in group.iter().filter(element) {
            pairs.extend(group.iter().filter(|u| !element(u)).map(|&u| (h, u)));
        }
    }
    pairs.sort_unstable();
    Matched {
        k,
        clustered,
        pairs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(community: u32) -> Member {
        Member {
            community,
            element: false,
        }
    }

    fn element(community: u32) -> Member {
        Member {
            community,
            element: true,
        }
    }

    #[test]
    fn few_rows_link_whole_communities() {
        let members = [member(0), member(0), member(1), element(0), element(1)];
        let found = matched(&[0.0; 5], 1, &members, 39, 0);
        // Five rows: k = 3, 5/3 rows a cluster.
        assert_eq!((found.k, found.clustered), (3, false));
        assert_eq!(found.pairs, [(3, 0), (3, 1), (4, 2)]);
        assert_eq!(matched(&[], 1, &[], 39, 0), Matched::default());
    }

    #[test]
    fn many_rows_link_cluster_and_community() {
        // Two heaps on a line; communities lie across them.
        let rows = [0.0, 0.1, 9.0, 9.1, 0.05, 9.05];
        let members = [
            member(0),
            member(1),
            member(0),
            member(1),
            element(0),
            element(1),
        ];
        let found = matched(&rows, 1, &members, 1, 0);
        assert_eq!((found.k, found.clustered), (3, true));
        // With three clusters one heap is split; no pair joins different heaps or communities.
        for &(h, u) in &found.pairs {
            assert_eq!(members[h as usize].community, members[u as usize].community);
            assert!((rows[h as usize] - rows[u as usize]).abs() < 1.0);
        }
        assert!(!found.pairs.is_empty());
    }

    #[test]
    fn a_community_gives_as_many_elements_as_its_root() {
        let units = [
            "The lighthouse at Hull stands on a high rock.",
            "The lighthouse was built of stone by Mara Voss.",
            "The lighthouse lamp burns oil through the night.",
            "Bread is baked in the old town every morning.",
        ];
        let rows: [&[f32]; 4] = [&[1.0, 0.0], &[0.98, 0.2], &[0.98, -0.2], &[0.0, 1.0]];
        let input = Community {
            units: units.to_vec(),
            rows: rows.to_vec(),
        };
        let idf = Idf::new(units);
        let found = elements(&input, &idf, |_| Vec::new());
        // Root of four: two centroids. The mean points to (.947, .320): relevance .947, .993, .865, .320. Unit 1 is first;
        // then .7 * .947 - .3 * .98 = .369 for unit 0 beats .329 and .164.
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].group, [1, 3]);
        assert_eq!(found[1].group, [0, 2]);
        assert_eq!(found[0].description, format!("{}\n{}", units[1], units[3]));
        assert_eq!(found[0].sources, [1, 3]);
        let few = Community {
            units: units[..2].to_vec(),
            rows: rows[..2].to_vec(),
        };
        assert!(elements(&few, &idf, |_| Vec::new()).is_empty());
    }

    #[test]
    fn centroids_by_hand() {
        // Mean direction (2, 1)/sqrt 5: relevance .894, .894 (tie: lower), then .7 * .447 = .313 beats .626 - .3.
        let rows: [&[f32]; 3] = [&[1.0, 0.0], &[1.0, 0.0], &[0.0, 1.0]];
        assert_eq!(centroids(&rows, 1), [0]);
        // For row 1: .7 * .894 - .3 * 1 = .326; for row 2: .7 * .447 - 0 = .313.
        assert_eq!(centroids(&rows, 2), [0, 1]);
        assert_eq!(centroids(&rows, 9).len(), 3);
        assert!(centroids(&[], 2).is_empty());
    }
}
