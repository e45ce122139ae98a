//! Communities, their elements and overviews, and what the elements match: the second half of the build.

use super::build::Build;
use super::communities::{Community, ElementOut, Member, elements, matched, overviews, told};
use super::decompose::identity;
use super::graph::Place;
use super::node::Kind;
use crate::graph::leiden::{LeidenOptions, leiden};
use crate::index::IndexError;
use crate::llm::task::{self, CommunityInput};
use crate::llm::{Origin, any};
use crate::text::persons;
use crate::text::span;
use rayon::prelude::*;

const AUGMENTED: [Kind; 4] = [Kind::Unit, Kind::Entity, Kind::Relation, Kind::Attribute];

impl Build<'_> {
    /// H, O, their edges and the vectors of H.
    pub(super) fn communities(&mut self) -> Result<(), IndexError> {
        self.tell("communities", 0, 2)?;
        let (graph, first) = self.draft.graph(&AUGMENTED);
        let leiden_options = LeidenOptions {
            resolution: self.options.resolution,
            seed: self.options.seed,
            ..LeidenOptions::default()
        };
        let found = leiden(&graph, &leiden_options);
        self.counts.communities = found.count;
        self.counts.modularity = found.modularity;
        self.tell("communities", 1, 2)?;
        let starts = self.draft.starts();
        let (texts, units) = (self.draft.pieces.len(), self.draft.count(Kind::Unit));
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); found.count];
        for unit in 0..units as u32 {
            members[found.of[unit as usize] as usize].push(unit);
        }
        let labels = &self.draft.labels[Kind::Unit as usize];
        let (known, idf, rows, dims) = (&self.known, &self.idf, &self.rows, self.dims());
        let row = |row: usize| &rows[row * dims..(row + 1) * dims];
        let names = |text: &str| -> Vec<String> {
            let spans = persons::names(text, "", Some(known));
            spans
                .into_iter()
                .map(|span| identity(span::of(text, span)))
                .collect()
        };
        let input = |units: &Vec<u32>| Community {
            units: units.iter().map(|&u| &*labels[u as usize]).collect(),
            rows: units.iter().map(|&u| row(texts + u as usize)).collect(),
        };
        let mut made: Vec<Vec<ElementOut>> = vec![Vec::new(); members.len()];
        let mut open: Vec<usize> = (0..members.len()).collect();
        if self.llm.thinks() {
            let mut profiles: Vec<Vec<&str>> = vec![Vec::new(); members.len()];
            let from = (starts[Kind::Attribute as usize] - first) as usize;
            for (at, text) in self.draft.labels[Kind::Attribute as usize]
                .iter()
                .enumerate()
            {
                profiles[found.of[from + at] as usize].push(text);
            }
            let (which, asked): (Vec<usize>, Vec<CommunityInput>) = (members.iter().enumerate())
                .filter_map(|(at, units)| Some((at, input(units).asked(&profiles[at])?)))
                .unzip();
            self.llm
                .announce::<task::Community>(&self.llm.estimate::<task::Community>(&asked));
            let (watch, total) = (self.watch, asked.len());
            let go_on = |done| watch("communities", done, total);
            let nothing = |_: &CommunityInput| task::Elements::default();
            let answers = self
                .llm
                .items::<task::Community>(&asked, &any, nothing, &go_on)
                .map_err(|_| IndexError::Cancelled)?;
            for ((at, asked), answer) in which.into_iter().zip(&asked).zip(&answers) {
                self.counts.made.count(answer);
                if let Origin::Llm { .. } = answer.origin {
                    made[at] = told(asked, &answer.value);
                    open.retain(|other| *other != at);
                }
            }
        }
        let by_rules: Vec<Vec<ElementOut>> = open
            .par_iter()
            .map(|&at| elements(&input(&members[at]), idf, names))
            .collect();
        for (at, list) in open.into_iter().zip(by_rules) {
            made[at] = list;
        }
        let groups: Vec<Vec<&str>> = (made.iter().zip(&members))
            .flat_map(|(list, units)| list.iter().map(move |element| (element, units)))
            .map(|(element, units)| {
                let own = element.group.iter().map(|&at| units[at as usize]);
                own.map(|u| &*labels[u as usize]).collect()
            })
            .collect();
        let titles = overviews(&groups, idf);
        drop(groups);
        // The community of every row of S, A, H; an element of several communities (equal texts) is a row of the first.
        let profile = (starts[Kind::Attribute as usize] - first) as usize;
        let mut rows: Vec<Member> = (0..units)
            .chain(profile..graph.node_count())
            .map(|node| Member {
                community: found.of[node],
                element: false,
            })
            .collect();
        let mut titles = titles.into_iter();
        for (community, (list, units)) in made.iter().zip(&members).enumerate() {
            for element in list {
                let text = &element.description;
                let node = self.draft.node(Kind::Element, text, text);
                if node.at as usize == self.draft.sources[1].len() {
                    let own = element.sources.iter().map(|&at| units[at as usize]);
                    self.draft.sources[1].push(own.collect());
                    rows.push(Member {
                        community: community as u32,
                        element: true,
                    });
                }
                let title = titles.next().unwrap_or_default();
                let title = element.title.clone().unwrap_or(title);
                if !title.is_empty() {
                    let own = identity(&title);
                    let title = self.draft.node(Kind::Overview, &own, &title);
                    self.draft.tie(node, title);
                }
            }
        }
        let texts_of = std::mem::take(&mut self.draft.labels[Kind::Element as usize]);
        let borrowed: Vec<(&str, &str)> = texts_of.iter().map(|text| ("", &**text)).collect();
        self.embed("communities", &borrowed)?;
        self.draft.labels[Kind::Element as usize] = texts_of;
        self.matching(texts, &rows)
    }

    fn matching(&mut self, texts: usize, members: &[Member]) -> Result<(), IndexError> {
        self.tell("matching", 0, 1)?;
        let (units, profiles) = (
            self.draft.count(Kind::Unit),
            self.draft.count(Kind::Attribute),
        );
        let found = matched(
            &self.rows[texts * self.dims()..],
            self.dims(),
            members,
            self.options.match_cluster_size,
            self.options.seed,
        );
        self.counts.clusters = if found.clustered { found.k } else { 0 };
        self.counts.semantic = found.pairs.len();
        for (element, member) in found.pairs {
            let element = Place {
                kind: Kind::Element,
                at: element - (units + profiles) as u32,
            };
            let member = if (member as usize) < units {
                Place {
                    kind: Kind::Unit,
                    at: member,
                }
            } else {
                Place {
                    kind: Kind::Attribute,
                    at: member - units as u32,
                }
            };
            self.draft.tie(element, member);
        }
        Ok(())
    }
}
