//! Important entities and their profiles (NodeRAG, node augmentation).

use crate::graph::adjacency::{Adjacency, degrees, edges};
use crate::graph::betweenness::{Sources, betweenness};
use crate::graph::kcore::core_numbers;
use crate::llm::task::AttributeInput;
use crate::text::summarize::{Idf, centrality};
use std::ops::Range;

pub use crate::parameters::CoreRule;

/// Which entities are important, and by which rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Important {
    /// ln of the nodes times the root of the mean degree, rounded.
    pub k: u32,
    /// Entities of the core.
    pub core: Vec<u32>,
    /// Betweenness must exceed this.
    pub threshold: f64,
    /// Entities whose betweenness does.
    pub between: Vec<u32>,
}

impl Important {
    /// All of them, ascending.
    pub fn all(&self) -> Vec<u32> {
        let mut all = [&*self.core, &*self.between].concat();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Important entities of the graph of units, entities and relations. `entities` are the nodes that can be; one counts
/// when it occurs more than once, as in the code. Rounding is to even, as the code's language does it.
pub fn important(
    graph: &Adjacency,
    entities: Range<u32>,
    occurrences: &[u32],
    rule: CoreRule,
    sources: &Sources,
) -> Important {
    let n = graph.node_count();
    if n == 0 {
        return Important::default();
    }
    let mean = 2.0 * edges(graph) as f64 / n as f64;
    let k = ((n as f64).ln() * mean.sqrt()).round_ties_even();
    let inner = match rule {
        CoreRule::KCore => core_numbers(graph),
        CoreRule::Degree => degrees(graph),
    };
    let between = betweenness(graph, sources);
    let average = between.iter().sum::<f64>() / n as f64;
    let threshold = average * (n as f64).log10().round_ties_even();
    let chosen = |test: &dyn Fn(usize) -> bool| {
        let able = entities.clone().zip(occurrences);
        let able = able.filter(|(u, seen)| **seen > 1 && test(*u as usize));
        able.map(|(u, _)| u - entities.start).collect()
    };
    Important {
        k: k as u32,
        core: chosen(&|u| f64::from(inner[u]) >= k),
        threshold,
        between: chosen(&|u| between[u] > threshold),
    }
}

/// Task `attribute`: one entity to describe.
#[derive(Clone, Debug, Default)]
pub struct Attribute<'a> {
    pub name: &'a str,
    pub person: bool,
    /// Units that mention it, in corpus order.
    pub units: Vec<&'a str>,
    /// Lines of its relations: "a predicate b".
    pub relations: Vec<&'a str>,
}

/// Words of units, and of relations, that a model is told of an entity (the code's limit).
const TOLD: usize = 2000;

/// The first of these texts that have so many words together, and one at least.
pub fn within(texts: &[&str], words: usize) -> Vec<String> {
    let mut left = words;
    let mut some = Vec::new();
    for text in texts {
        let own = text.split_whitespace().count();
        if own > left && !some.is_empty() {
            break;
        }
        left = left.saturating_sub(own);
        some.push((*text).to_owned());
    }
    some
}

impl Attribute<'_> {
    /// The same for a model.
    pub fn asked(&self) -> AttributeInput {
        AttributeInput {
            name: self.name.to_owned(),
            units: within(&self.units, TOLD),
            relations: within(&self.relations, TOLD),
        }
    }
}

/// A profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttributeOut {
    pub text: String,
    /// Places in the units it was made from.
    pub units: Vec<u32>,
}

/// Most units of a profile, and most words; some of these are kept for relations.
const UNITS: usize = 8;
const WORDS: usize = 300;
const RELATION_WORDS: usize = 80;

/// Name, guess of its type, its most central units in their order, its relations; at most 300 words. A unit that does
/// not fit any more is left out and the next tried.
pub fn attribute(input: &Attribute<'_>, idf: &Idf) -> AttributeOut {
    let words = |text: &str| text.split_whitespace().count();
    let mut text = input.name.to_owned();
    if input.person {
        text.push_str(" (person)");
    }
    text.push('.');
    let kept = if input.relations.is_empty() {
        0
    } else {
        RELATION_WORDS
    };
    let mut left = WORDS - kept - words(&text).min(WORDS - kept);
    let weight = centrality(&input.units, idf);
    let mut order: Vec<usize> = (0..input.units.len()).collect();
    order.sort_by(|&a, &b| weight[b].total_cmp(&weight[a]).then(a.cmp(&b)));
    let mut chosen = Vec::new();
    for at in order {
        let own = words(input.units[at]);
        if chosen.len() < UNITS && own <= left {
            left -= own;
            chosen.push(at as u32);
        }
    }
    chosen.sort_unstable();
    for &at in &chosen {
        text.push(' ');
        text.push_str(input.units[at as usize]);
    }
    left += kept;
    let mut opened = false;
    for line in &input.relations {
        let own = words(line) + usize::from(!opened);
        if own > left {
            break;
        }
        left -= own;
        text.push_str(if opened { "; " } else { "\nRelations: " });
        text.push_str(line);
        opened = true;
    }
    AttributeOut {
        text,
        units: chosen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::adjacency::undirected;

    /// Units 0..6 all mention entity 6; unit 0 also 7, units 4 and 5 also 8 and 9 (each once).
    fn star() -> Adjacency {
        let pairs = [
            (0, 6),
            (1, 6),
            (2, 6),
            (3, 6),
            (4, 6),
            (5, 6),
            (0, 7),
            (4, 8),
            (5, 9),
        ];
        undirected(10, pairs.map(|(u, v)| (u, v, 1.0)))
    }

    #[test]
    fn betweenness_decides_where_the_core_is_empty() {
        // ln 10 * sqrt(1.8) = 3.09, so k = 3; the star has no 3-core. round(log10 10) = 1.
        let found = important(
            &star(),
            6..10,
            &[6, 1, 1, 1],
            CoreRule::KCore,
            &Sources::All,
        );
        assert_eq!(found.k, 3);
        assert!(found.core.is_empty());
        assert_eq!(found.between, [0]);
        // By hand: node 6 lies between all pairs of different branches: 36 pairs less the 3 unit-leaf pairs.
        let b = betweenness(&star(), &Sources::All);
        assert!((b[6] - 33.0 / 36.0).abs() < 1e-12, "{}", b[6]);
        // Units 0, 4 and 5 lie between their leaf and the 8 others.
        assert!((b[0] - 8.0 / 36.0).abs() < 1e-12);
        assert!((found.threshold - (33.0 + 3.0 * 8.0) / 360.0).abs() < 1e-12);
    }

    #[test]
    fn the_rule_by_degree_and_single_occurrences() {
        let seen = [6, 1, 1, 1];
        let found = important(&star(), 6..10, &seen, CoreRule::Degree, &Sources::All);
        assert_eq!(found.core, [0]);
        assert_eq!(found.all(), [0]);
        let once = important(&star(), 6..10, &[1; 4], CoreRule::Degree, &Sources::All);
        assert!(once.all().is_empty());
        let none = undirected(0, []);
        let nothing = important(&none, 0..0, &[], CoreRule::KCore, &Sources::All);
        assert_eq!(nothing, Important::default());
    }

    #[test]
    fn a_clique_is_its_own_core() {
        // Nine nodes all linked: mean degree 8, ln 9 * 2.83 = 6.2: k = 6, and the whole is an 8-core.
        let pairs = (0..9).flat_map(|u| (0..u).map(move |v| (u, v, 1.0)));
        let g = undirected(9, pairs);
        let found = important(&g, 0..9, &[2; 9], CoreRule::KCore, &Sources::All);
        assert_eq!(found.k, 6);
        assert_eq!(found.core.len(), 9);
        assert!(found.between.is_empty());
    }

    #[test]
    fn a_profile_names_units_and_relations() {
        let input = Attribute {
            name: "ADA",
            person: true,
            units: vec!["Ada wrote notes on engines.", "Ada met engines in London."],
            relations: vec!["Ada wrote notes", "Ada met Charles"],
        };
        let out = attribute(&input, &Idf::default());
        assert_eq!(
            out.text,
            "ADA (person). Ada wrote notes on engines. Ada met engines in London.\nRelations: Ada wrote notes; Ada met Charles"
        );
        assert_eq!(out.units, [0, 1]);
    }

    #[test]
    fn a_profile_keeps_to_its_words() {
        let unit = "word ".repeat(100);
        let input = Attribute {
            name: "ADA",
            person: false,
            units: vec![&unit; 9],
            relations: vec!["a b c"; 60],
        };
        let out = attribute(&input, &Idf::default());
        assert_eq!(out.units.len(), 2);
        let words = out.text.split_whitespace().count();
        assert!((298..=300).contains(&words), "{words}");
    }
}
