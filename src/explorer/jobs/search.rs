//! Finds nodes and passages by what was typed into a finder: an index can have a million names, too many for the time
//! between two frames.

use super::{Doer, Job, News, Tell};
use crate::explorer::action::{Effect, Then};
use crate::explorer::scene::Names;
use crate::explorer::state::State;
use crate::explorer::text::{clean, plural};
use crate::index::sentences::graph_of;
use crate::index::{Index, IndexError, Passages};
use crate::layers::entities::entity_options;
use crate::layers::{Graph, Node, TERM_PASSAGE};
use crate::parameters::{EPSILON, FALLBACK, Fallback};
use crate::retrieve::{Keep, Method, Origin, Settings};
use fuzzy_matcher::FuzzyMatcher;
use fuzzy_matcher::skim::SkimMatcherV2;
use std::sync::Arc;

/// How far a walk goes that looks up what was typed, where an index lies elsewhere.
const COARSE: f64 = 1e-2;

/// How many matches are given back.
const MATCHES: usize = 100;

/// What was typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// Passages, else nodes.
    pub passages: bool,
    pub text: String,
    pub settings: Settings,
    /// All nodes of the graph that was walked, of every kind; else the names of passages and entities.
    pub of: Option<Names>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub node: u32,
    pub label: String,
    /// What an edit of seeds calls it.
    pub name: String,
    pub note: String,
    pub is_passage: bool,
}

impl Job for Search {
    type Part = Vec<Match>;
    const THREAD: &'static str = "search";

    fn run(
        &self,
        doer: &mut Doer,
        tell: &Tell<'_, Vec<Match>>,
    ) -> Result<Option<Vec<Match>>, String> {
        let index = match doer.index.source() {
            None => doer.index.clone(),
            Some(_) => self.fetched(doer)?,
        };
        let found = search(&index, self, &|| tell.stopped());
        found.map(Some).map_err(|error| error.to_string())
    }

    fn heard(_: &mut State, news: News<Search>) -> Vec<Effect> {
        match news {
            News::Part(matches) | News::Over(Some(matches)) => {
                vec![Effect::Then(Then::Found(Ok(matches)))]
            }
            News::Over(None) => Vec::new(),
            News::Failed(why) => vec![Effect::Then(Then::Found(Err(why)))],
        }
    }
}

impl Search {
    /// Of an index that lies elsewhere, what was typed is looked up as a question is.
    fn fetched(&self, doer: &mut Doer) -> Result<Arc<Index>, String> {
        let mut settings = self.settings.of_any_question();
        // Passages that have the words, and the names in these.
        let method = match self.passages {
            true => "bm25",
            false => "graph-hybrid",
        };
        settings.set_method(Method::by_name(method)?);
        let (epsilon, coarse) = EPSILON.at(COARSE);
        settings.set(epsilon, coarse, Origin::User);
        let (fallback, none) = FALLBACK.at(Fallback::None);
        settings.set(fallback, none, Origin::User);
        let run = doer.retriever.retrieve(&self.text, &settings, Keep::Scores);
        run.map_err(|error| error.to_string())?;
        Ok(doer.retriever.index().clone())
    }
}

/// How well a label matches what was typed and the same in small letters; none where it does not.
fn likeness(
    matcher: &SkimMatcherV2,
    (typed, wanted): (&str, &str),
    label: &str,
    extra: i64,
) -> Option<i64> {
    let lower = label.to_lowercase();
    match () {
        () if wanted.is_empty() => Some(extra),
        () if lower == wanted => Some(3_000_000 + extra),
        () if lower.starts_with(wanted) => Some(2_000_000 + extra),
        () if lower.contains(wanted) => Some(1_000_000 + extra),
        () => matcher.fuzzy_match(label, typed),
    }
}

/// The best matches among all nodes of a graph.
fn walked(index: &Index, graph: &Graph, search: &Search, stopped: &dyn Fn() -> bool) -> Vec<Match> {
    let matcher = SkimMatcherV2::default().ignore_case();
    let wanted = search.text.to_lowercase();
    let mut best: Vec<(i64, Node)> = Vec::new();
    for node in 0..graph.nodes() as Node {
        if node % 4096 == 0 && stopped() {
            break;
        }
        let typed = (&*search.text, &*wanted);
        let extra = graph.degree(node) as i64;
        let rank = likeness(&matcher, typed, &graph.label(index, node), extra);
        best.extend(rank.map(|rank| (rank, node)));
    }
    best.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    best.truncate(MATCHES);
    let found = best.into_iter().map(|(_, node)| Match {
        node,
        label: clean(&graph.label(index, node)),
        name: String::new(),
        note: format!(
            "{}, {}",
            graph.source().kind(node),
            plural(graph.degree(node), "edge")
        ),
        is_passage: graph.is_passage(node),
    });
    found.collect()
}

/// The best matches, best first. `stopped` is asked now and then; a search that is stopped gives back what it has.
fn search(
    index: &Index,
    search: &Search,
    stopped: &dyn Fn() -> bool,
) -> Result<Vec<Match>, IndexError> {
    if let Some(of) = search.of.as_ref().filter(|_| index.source().is_none()) {
        let graph = of.0.upgrade();
        let walked = |graph: Arc<Graph>| walked(index, &graph, search, stopped);
        return Ok(graph.map_or_else(Vec::new, walked));
    }
    let matcher = SkimMatcherV2::default().ignore_case();
    let wanted = search.text.to_lowercase();
    let mut best: Vec<(i64, usize)> = Vec::new();
    let mut consider = |at: usize, label: &str, extra: i64| {
        if let Some(rank) = likeness(&matcher, (&search.text, &wanted), label, extra) {
            best.push((rank, at));
        }
    };
    let graph = (!search.passages).then(|| {
        graph_of(
            index,
            &entity_options(
                search.settings.method().graph() == Some(&TERM_PASSAGE),
                index.language(),
                search.settings.all(),
            ),
        )
    });
    let graph = graph.transpose()?;
    // What did not come of an index that lies elsewhere is empty.
    match &graph {
        Some(graph) => {
            for entity in 0..graph.entities() {
                if entity % 4096 == 0 && stopped() {
                    break;
                }
                let label = graph.labels.get(entity);
                if !label.is_empty() {
                    consider(entity, label, i64::from(graph.df(entity)));
                }
            }
        }
        None => {
            let Passages { ids, titles, .. } = index.passages();
            for (passage, id) in ids.iter().enumerate() {
                if passage % 4096 == 0 && stopped() {
                    break;
                }
                if !id.is_empty() {
                    consider(passage, &format!("{id} {}", titles.get(passage)), 0);
                }
            }
        }
    }
    best.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    best.truncate(MATCHES);
    let found = best.into_iter();
    let found = found.map(|(_, at)| match &graph {
        Some(graph) => Match {
            node: (graph.passages + at) as u32,
            label: clean(graph.labels.get(at)),
            name: graph.names.get(at).to_owned(),
            note: format!("in {}", plural(graph.df(at) as usize, "passage")),
            is_passage: false,
        },
        None => Match {
            node: at as u32,
            label: clean(index.title(at as u32)),
            name: format!("#{}", index.id(at as u32)),
            note: clean(index.id(at as u32)),
            is_passage: true,
        },
    });
    Ok(found.collect())
}
