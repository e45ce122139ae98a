//! Questions for a corpus that comes without any, made from its own names by rules.

use crate::index::{EntityGraph, Index};

/// Names that are looked at, most frequent first, and neighbours of each.
const NAMES: usize = 60;
const NEIGHBOURS: usize = 30;
/// Names in more than one passage of this many are hubs: they connect everything.
const HUB: usize = 20;

/// Up to three questions: what a frequent name is, and how two names are connected that no passage mentions together but
/// a third name joins.
pub fn suggested(index: &Index) -> Vec<String> {
    // What is wrong with the graph is for a question to say.
    let Ok(graph) = index.entity_graph(index.options()) else {
        return Vec::new();
    };
    let most = (graph.passages / HUB).max(4);
    let mut names: Vec<usize> = (0..graph.entities())
        .filter(|entity| {
            (2..=most).contains(&(graph.df(*entity) as usize)) && tells(&graph, *entity)
        })
        .collect();
    // Of millions of names a few are needed.
    let order = |entity: &usize| (std::cmp::Reverse(graph.df(*entity)), *entity);
    if names.len() > NAMES {
        names.select_nth_unstable_by_key(NAMES, order);
        names.truncate(NAMES);
    }
    names.sort_by_key(order);
    let label = |entity: usize| graph.labels.get(entity);
    let mut questions = Vec::new();
    if let Some(first) = names.first() {
        questions.push(format!("Who or what is {}?", label(*first)));
    }
    let mut taken: Vec<usize> = Vec::new();
    for &from in &names {
        if taken.contains(&from) {
            continue;
        }
        let Some(to) = joined(&graph, from, &names).filter(|to| !taken.contains(to)) else {
            continue;
        };
        let (from_label, to_label) = (label(from), label(to));
        questions.push(match taken.is_empty() {
            true => format!("How is {from_label} connected to {to_label}?"),
            false => format!("What do {from_label} and {to_label} have in common?"),
        });
        taken.extend([from, to]);
        if questions.len() == 3 {
            break;
        }
    }
    questions
}

/// Whether a name reads as one: letters, and not in small ones alone.
fn tells(graph: &EntityGraph, entity: usize) -> bool {
    let label = graph.labels.get(entity);
    let letters = label.chars().filter(|c| c.is_alphabetic()).count();
    letters >= 4
        && label
            .chars()
            .next()
            .is_some_and(|c| !c.is_lowercase() && !c.is_numeric())
}

/// The most frequent of some names that is two passages away and in none together with another.
fn joined(graph: &EntityGraph, from: usize, names: &[usize]) -> Option<usize> {
    let node = |entity: usize| graph.passages + entity;
    let near = |node: usize| {
        graph
            .row(node)
            .0
            .iter()
            .take(NEIGHBOURS)
            .map(|node| *node as usize)
    };
    let together: Vec<usize> = near(node(from)).flat_map(near).collect();
    let mut beyond: Vec<usize> = Vec::new();
    for &between in together.iter().take(NEIGHBOURS) {
        beyond.extend(near(between).flat_map(near));
    }
    let apart = |to: &&usize| {
        let to = node(**to);
        beyond.contains(&to) && !together.contains(&to)
    };
    names.iter().find(apart).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Passage};
    use crate::index::{BuildOptions, Silent};

    fn of(texts: &[&str]) -> Vec<String> {
        let passage = |(at, text): (usize, &&str)| Passage {
            id: at.to_string(),
            text: (*text).to_owned(),
            ..Passage::default()
        };
        let corpus = Corpus {
            passages: texts.iter().enumerate().map(passage).collect(),
            ..Corpus::default()
        };
        suggested(&Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
    }

    #[test]
    fn questions_join_names_that_no_passage_joins() {
        let asked = of(&[
            "Berthold met Ingolf in Hamburg.",
            "Ingolf wrote to Sigrid.",
            "Sigrid lived in Uppsala.",
            "Berthold died in Hamburg.",
            "In Uppsala it snows.",
        ]);
        assert!(asked[0].starts_with("Who or what is "), "{asked:?}");
        let pair = &asked[1];
        assert!(
            pair.starts_with("How is ") && pair.contains(" connected to "),
            "{asked:?}"
        );
        let both = |a: &str, b: &str| pair.contains(a) && pair.contains(b);
        assert!(
            !both("Berthold", "Ingolf") && !both("Ingolf", "Sigrid"),
            "{asked:?}"
        );
    }

    #[test]
    fn a_corpus_without_names_suggests_nothing() {
        assert_eq!(of(&["it rains.", "it snows.", ""]), [] as [&str; 0]);
    }
}
