//! The doctor of an index: what is wrong with it, each fault with examples, a remedy, and how much lost gold it explains.

#![warn(missing_docs)]

use super::faults::{Anatomy, SURE, twins};
use super::run::each;
use crate::corpus::Question;
use crate::explain::lookalike::{graph_of, lookalikes};
use crate::index::Index;
use crate::layers::Node;
use crate::parameters::{GAZETTEER, HUB_P, MAX_DF_RATIO, NER, Ner, VECTOR_SEARCH, VectorSearch};
use crate::retrieve::nearest::{Search, search};
use crate::retrieve::{Keep, Origin, Retrieval, RetrieveError, Retriever, Settings};
use crate::text::Variant;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Something that may be wrong with an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// A node whose degree is among the highest hundredth. It explains a lost passage that no way from a seed leads to but
    /// over hubs.
    Hub,
    /// A passage without an edge.
    Isolated,
    /// A passage in which no name was found.
    Nameless,
    /// A passage outside the largest component. It explains a lost passage whose component has no seed.
    Split,
    /// Two names that are probably one. They explain a lost passage where the other one holds mass, or is asked for.
    LookAlike,
    /// A name that is a stop word or a single word of the language. It explains a lost passage that has no other names.
    CommonWord,
    /// A passage whose text another one has too. It explains a lost passage whose twin is returned.
    Duplicate,
    /// A nearest passage that the small-world graph misses. It explains a lost passage that exact search brings in.
    SmallWorld,
}

/// Every fault, in the order they are looked for.
const FAULTS: [Fault; 8] = [
    Fault::Hub,
    Fault::Isolated,
    Fault::Nameless,
    Fault::Split,
    Fault::LookAlike,
    Fault::CommonWord,
    Fault::Duplicate,
    Fault::SmallWorld,
];

impl Fault {
    /// What is counted.
    pub fn about(self) -> &'static str {
        match self {
            Fault::Hub => "hubs",
            Fault::Isolated => "passages without an edge",
            Fault::Nameless => "passages without an entity",
            Fault::Split => "passages outside the largest component",
            Fault::LookAlike => "pairs of names that are probably one entity",
            Fault::CommonWord => "names that are stop words or single common words",
            Fault::Duplicate => "passages with duplicate text",
            Fault::SmallWorld => "nearest passages that the small-world graph misses",
        }
    }

    /// What they are counted among.
    pub fn among(self) -> &'static str {
        match self {
            Fault::Hub => "nodes",
            Fault::LookAlike | Fault::CommonWord => "names",
            Fault::SmallWorld => "nearest of a sample",
            _ => "passages",
        }
    }

    /// What helps, as far as the method has it.
    fn remedy(self, settings: &Settings) -> String {
        let method = settings.method();
        let uses = |parameter| method.uses().contains(&parameter);
        let leave_out = match uses(MAX_DF_RATIO.id()) {
            true => "a lower max_df_ratio, which ignores names found in most passages",
            false => {
                "a method over entity-passage, where max_df_ratio ignores names found in most passages"
            }
        };
        // The way round a walk that cannot come there.
        let beside = match &*method.name {
            "hop" | "rrf-ppr" => "none needed: this method also ranks by words and vectors",
            _ => "a method that also ranks by words and vectors, such as hop",
        };
        match self {
            Fault::Hub if uses(HUB_P.id()) => format!("a higher hub_p, or {leave_out}"),
            Fault::Hub => "a method with a hub penalty, such as graph or hop".to_owned(),
            Fault::Nameless if uses(GAZETTEER.id()) && !settings.get(GAZETTEER) => {
                format!("gazetteer=on, which treats titles as names, or {beside}")
            }
            Fault::Isolated | Fault::Nameless => beside.to_owned(),
            Fault::Split => format!("join look-alikes on both sides, or {beside}"),
            Fault::LookAlike => {
                "join them; hopscope explain shows which pair costs a passage its mass".to_owned()
            }
            Fault::CommonWord if uses(NER.id()) && settings.get(NER) != Ner::RegexPlus => {
                format!("ner=regex_plus, or {leave_out}")
            }
            Fault::CommonWord => leave_out.to_owned(),
            Fault::Duplicate => {
                "leave one of each out of the corpus and build the index again".to_owned()
            }
            Fault::SmallWorld => "a higher hnsw_ef_search, or vector_search=exact".to_owned(),
        }
    }
}

/// One kind of fault in an index.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Which.
    pub fault: Fault,
    /// How many there are.
    pub count: usize,
    /// Of how many.
    pub of: usize,
    /// More of them, in one line; empty where there is none.
    pub detail: String,
    /// A few, the worst first.
    pub examples: Vec<String>,
    /// What helps; empty where there is nothing wrong.
    pub remedy: String,
    /// Lost gold passages for which it holds. One may be counted under several faults.
    pub explains: usize,
}

/// What a doctor found.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let settings = Settings::of(&index, method("graph")?);
/// let found = doctor(&index, &index.questions()[..5], &settings, |_, _, _| true)?.unwrap();
/// for finding in &found.findings {
///     println!("{} {}: {}", finding.count, finding.fault.about(), finding.remedy);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Checkup {
    /// The method whose graph and losses were looked at.
    pub method: String,
    /// The graph; none of a method without one, whose faults are those of passages and vectors alone.
    pub graph: Option<&'static str>,
    /// Pairs of a question and a gold passage.
    pub gold: usize,
    /// Of these, how many are not in top K.
    pub lost: usize,
    /// Of these, how many at least one fault explains.
    pub explained: usize,
    /// What explains most lost gold first, then in the order they are looked for.
    pub findings: Vec<Finding>,
}

/// Where a check-up is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Names are compared.
    Names,
    /// Questions are asked.
    Questions,
}

/// Examples of each fault.
const EXAMPLES: usize = 5;
/// Passages whose nearest are searched both ways, and how many of them.
const SAMPLE: usize = 200;
const NEAREST: usize = 10;

/// Checks an index for faults under the given settings, and counts the missed gold each fault explains. Calls `progress`
/// with work done and total; return `false` to stop without a result.
///
/// # Errors
/// The first retrieval that failed.
pub fn doctor(
    index: &Arc<Index>,
    questions: &[Question],
    settings: &Settings,
    progress: impl Fn(Doing, usize, usize) -> bool + Sync,
) -> Result<Option<Checkup>, RetrieveError> {
    // The graph as the method runs on it; any question opens it.
    let first = questions.first().map_or("?", |question| &question.text);
    let run = Retriever::new(index.clone()).retrieve(first, settings, Keep::Scores)?;
    let anatomy = match graph_of(&run) {
        None => None,
        Some(graph) => {
            let tell = |done, all| progress(Doing::Names, done, all);
            match Anatomy::of(index, graph, tell) {
                Some(anatomy) => Some(anatomy),
                None => return Ok(None),
            }
        }
    };
    let patient = Patient {
        index,
        settings,
        anatomy,
        twins: twins(index),
        approximate: approximate(index, settings),
    };
    let tell = |done| progress(Doing::Questions, done, questions.len());
    let told = each(index, questions.len(), settings, tell, |retriever, at| {
        let question = &questions[at];
        let run = retriever.retrieve(&question.text, settings, Keep::Scores)?;
        let gold = question.gold.iter().map(|gold| gold.passage);
        let lost = gold.filter(|&passage| !run.returns(passage));
        let lost: Vec<u32> = lost.collect();
        Ok((question.gold.len(), patient.explained(&run, &lost)?))
    })?;
    if told.len() < questions.len() {
        return Ok(None);
    }
    let mut findings: Vec<Finding> = Vec::new();
    for fault in FAULTS {
        findings.extend(patient.finding(fault)?);
    }
    let mut checkup = Checkup {
        method: settings.method().name.to_string(),
        graph: patient.anatomy.as_ref().map(|a| a.graph.kind.name),
        gold: 0,
        lost: 0,
        explained: 0,
        findings,
    };
    for (gold, lost) in told {
        checkup.gold += gold;
        checkup.lost += lost.len();
        for faults in lost {
            checkup.explained += usize::from(!faults.is_empty());
            for finding in &mut checkup.findings {
                finding.explains += usize::from(faults.contains(&finding.fault));
            }
        }
    }
    checkup
        .findings
        .sort_by_key(|finding| (std::cmp::Reverse(finding.explains), finding.fault));
    Ok(Some(checkup))
}

/// The beam of the small-world graph, where the settings search by it.
fn approximate(index: &Index, settings: &Settings) -> Option<usize> {
    let dense = index.dense()?;
    let uses = settings.method().uses().contains(&VECTOR_SEARCH.id());
    match search(dense, settings.all(), NEAREST) {
        Search::Hnsw { ef, .. } if uses => Some(ef),
        _ => None,
    }
}

/// An index, its settings, and what is known of it before anything is asked.
struct Patient<'a> {
    index: &'a Arc<Index>,
    settings: &'a Settings,
    anatomy: Option<Anatomy>,
    twins: rustc_hash::FxHashMap<u32, u64>,
    approximate: Option<usize>,
}

impl Patient<'_> {
    /// The faults that hold for each lost passage of a run.
    fn explained(&self, run: &Retrieval, lost: &[u32]) -> Result<Vec<Vec<Fault>>, RetrieveError> {
        if lost.is_empty() {
            return Ok(Vec::new());
        }
        let mut around: Option<(Vec<Node>, Vec<bool>)> = None;
        let mut exact: Option<Retrieval> = None;
        let mut all = Vec::new();
        for &passage in lost {
            let mut faults = Vec::new();
            if let Some(anatomy) = &self.anatomy {
                let p = passage as usize;
                let (seeds, reached) = around.get_or_insert_with(|| {
                    let seeds = anatomy.seeds(self.index, run);
                    let reached = anatomy.reached_around_hubs(&seeds);
                    (seeds, reached)
                });
                let seeded = |own: u32| seeds.iter().any(|s| anatomy.component[*s as usize] == own);
                let joined = anatomy.components(passage).any(seeded);
                let mut nodes = anatomy.graph.nodes_of(passage).to_vec().into_iter();
                let direct = nodes.any(|node| reached[node as usize]);
                let mut holds = |is: bool, fault: Fault| {
                    if is {
                        faults.push(fault);
                    }
                };
                holds(joined && !direct, Fault::Hub);
                holds(anatomy.isolated[p], Fault::Isolated);
                holds(anatomy.nameless[p], Fault::Nameless);
                let apart = !seeds.is_empty() && !joined && !anatomy.isolated[p];
                holds(apart, Fault::Split);
                let alike = lookalikes(self.index, run, passage);
                let told =
                    |pair: &crate::explain::LookAlike| pair.of_passage && pair.strength >= SURE;
                holds(alike.iter().any(told), Fault::LookAlike);
                holds(anatomy.only_words(passage), Fault::CommonWord);
            }
            let twin =
                |other: u32| other != passage && self.twins.get(&other) == self.twins.get(&passage);
            if self.twins.contains_key(&passage) && run.top().iter().any(|hit| twin(hit.passage)) {
                faults.push(Fault::Duplicate);
            }
            if self.approximate.is_some() {
                let again = match &exact {
                    Some(again) => again,
                    None => {
                        let mut settings = self.settings.clone();
                        let (parameter, value) = VECTOR_SEARCH.at(VectorSearch::Exact);
                        settings.set(parameter, value, Origin::User);
                        exact.insert(run.again(self.index, &settings)?)
                    }
                };
                if again.returns(passage) {
                    faults.push(Fault::SmallWorld);
                }
            }
            all.push(faults);
        }
        Ok(all)
    }

    /// How many there are of a fault; none where it cannot be looked for.
    fn finding(&self, fault: Fault) -> Result<Option<Finding>, RetrieveError> {
        let passages = self.index.len();
        let found = match (fault, &self.anatomy) {
            (Fault::Duplicate, _) => Some(self.duplicates()),
            (Fault::SmallWorld, _) => self.small_world()?,
            (_, None) => None,
            (Fault::Hub, Some(a)) => Some(self.hubs(a)),
            (Fault::Isolated, Some(a)) => Some(self.passages(passages, |p| a.isolated[p])),
            (Fault::Nameless, Some(a)) => Some(self.passages(passages, |p| a.nameless[p])),
            (Fault::Split, Some(a)) => Some(self.split(a)),
            (Fault::LookAlike, Some(a)) => Some(self.look_alikes(a)),
            (Fault::CommonWord, Some(a)) => Some(self.words(a)),
        };
        Ok(found.map(|(count, of, detail, examples)| Finding {
            fault,
            count,
            of,
            detail,
            examples,
            remedy: match count {
                0 => String::new(),
                _ => fault.remedy(self.settings),
            },
            explains: 0,
        }))
    }

    fn hubs(&self, a: &Anatomy) -> Found {
        let mut hubs: Vec<Node> = (0..a.graph.nodes() as Node)
            .filter(|node| a.hubs[*node as usize])
            .collect();
        hubs.sort_by_key(|node| std::cmp::Reverse(a.graph.degree(*node)));
        let ends: usize = hubs.iter().map(|node| a.graph.degree(*node)).sum();
        let all = a.graph.transition().arcs().max(1);
        let detail = format!(
            "{} edges or more; they hold {:.0} % of all edge ends",
            a.graph.hub(),
            100.0 * ends as f64 / all as f64
        );
        (
            hubs.len(),
            a.graph.nodes(),
            detail,
            self.labels(a, hubs.into_iter()),
        )
    }

    /// Nodes with their degree.
    fn labels(&self, a: &Anatomy, nodes: impl Iterator<Item = Node>) -> Vec<String> {
        let label = |node| {
            format!(
                "{} ({})",
                a.graph.named(self.index, node),
                a.graph.degree(node)
            )
        };
        nodes.take(EXAMPLES).map(label).collect()
    }

    fn passages(&self, of: usize, is: impl Fn(usize) -> bool) -> Found {
        let all: Vec<usize> = (0..of).filter(|p| is(*p)).collect();
        let examples = all.iter().take(EXAMPLES);
        let examples = examples.map(|p| self.index.id(*p as u32).to_owned());
        (all.len(), of, String::new(), examples.collect())
    }

    fn split(&self, a: &Anatomy) -> Found {
        let outside = |p: usize| {
            let own = a.components(p as u32).next();
            !a.isolated[p] && own.is_some_and(|own| own != a.largest)
        };
        let (count, of, _, examples) = self.passages(self.index.len(), outside);
        let others: Vec<String> = a
            .sizes
            .iter()
            .skip(1)
            .take(EXAMPLES)
            .map(usize::to_string)
            .collect();
        let detail = match a.sizes.first() {
            Some(largest) if a.sizes.len() > 1 => format!(
                "{} components; the largest has {largest} passages, the next {}",
                a.sizes.len(),
                others.join(", ")
            ),
            _ => String::new(),
        };
        (count, of, detail, examples)
    }

    fn look_alikes(&self, a: &Anatomy) -> Found {
        let mut counts: BTreeMap<Variant, usize> = BTreeMap::new();
        a.pairs
            .iter()
            .for_each(|pair| *counts.entry(pair.variant).or_default() += 1);
        let mut detail: Vec<String> = counts
            .iter()
            .map(|(variant, count)| format!("{count} {}", variant.about()))
            .collect();
        let ambiguous = a.pairs.iter().filter(|pair| pair.ambiguous).count();
        detail.extend((ambiguous > 0).then(|| format!("{ambiguous} ambiguous")));
        // Those whose join would bring most passages together.
        let fewer =
            |pair: &&super::faults::AlikePair| a.graph.degree(pair.a).min(a.graph.degree(pair.b));
        let mut worst: Vec<_> = a.pairs.iter().filter(|pair| !pair.ambiguous).collect();
        worst.sort_by_key(|pair| std::cmp::Reverse(fewer(pair)));
        let label = |node| a.graph.named(self.index, node);
        let examples = worst.iter().take(EXAMPLES);
        let examples = examples.map(|pair| format!("{} | {}", label(pair.a), label(pair.b)));
        let names = a.graph.spellings(self.index).len();
        (a.pairs.len(), names, detail.join(", "), examples.collect())
    }

    fn words(&self, a: &Anatomy) -> Found {
        let mut all: Vec<Node> = (0..a.graph.nodes() as Node)
            .filter(|node| a.words[*node as usize])
            .collect();
        all.sort_by_key(|node| std::cmp::Reverse(a.graph.degree(*node)));
        let names = a.graph.spellings(self.index).len();
        (
            all.len(),
            names,
            String::new(),
            self.labels(a, all.iter().copied()),
        )
    }

    fn duplicates(&self) -> Found {
        let mut groups: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (passage, hash) in &self.twins {
            groups.entry(*hash).or_default().push(*passage);
        }
        let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort_unstable();
        let ids = |group: &Vec<u32>| {
            let ids: Vec<&str> = group
                .iter()
                .take(EXAMPLES)
                .map(|p| self.index.id(*p))
                .collect();
            ids.join(" = ")
        };
        let examples = groups.iter().take(EXAMPLES).map(ids).collect();
        (self.twins.len(), self.index.len(), String::new(), examples)
    }

    /// Recall of the graph that the settings search by, over a sample of the passages.
    fn small_world(&self) -> Result<Option<Found>, RetrieveError> {
        let (Some(dense), Some(ef)) = (self.index.dense(), self.approximate) else {
            return Ok(None);
        };
        let options = crate::retrieve::nearest::near(self.settings.all());
        let Some(options) = options else {
            return Ok(None);
        };
        let graph = dense.hnsw(&options.graph)?;
        let k = NEAREST.min(dense.vectors.len());
        let recall = graph.recall_against_exact(&dense.vectors, SAMPLE, k, ef)?;
        let step = (dense.vectors.len() / SAMPLE).max(1);
        let all = dense.vectors.len().div_ceil(step) * k;
        let missed = ((1.0 - recall) * all as f64).round() as usize;
        let detail = format!("recall@{k} {recall:.3} with a beam of {ef}");
        Ok(Some((missed, all, detail, Vec::new())))
    }
}

/// How many, of how many, a line more, and examples.
type Found = (usize, usize, String, Vec<String>);

#[cfg(test)]
#[path = "doctor_tests.rs"]
mod tests;
