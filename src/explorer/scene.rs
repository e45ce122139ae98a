//! What the screen shows of one request: strings and numbers only, computed by the worker, drawn by the panes.
//!
//! A [`Scene`] is one complete retrieval. A [`Detail`] explains one passage and one node of it; it is cheap to
//! replace, so moving a cursor never re-runs a walk. Nothing here is computed while drawing: a number on screen is a
//! number the core computed, rounded.

pub use super::cell::Cell;
use super::layout::View;
use super::text;
pub use super::text::{Mark, MarkKind};
use crate::index::published::Spent;
use crate::index::rows;
use crate::layers::{Graph, GraphEdited, LayerKind};
use crate::retrieve::explanation::{Reason, Story};
use crate::retrieve::{Confidence, Ledger, Matched, Node, SeedChange, Settings};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// How many groups of seeds have a letter, a colour and a fill.
pub const GROUPS: usize = 6;

/// What never changes while an index is open.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    pub name: String,
    /// What to write for INDEX in a command that repeats this screen; empty for the bundled sample.
    pub argument: String,
    /// Of the index, by which labels know it.
    pub fingerprint: String,
    pub passages: usize,
    pub entities: usize,
    pub edges: usize,
    pub questions: Vec<Asked>,
    /// Where there are none: questions made from the names of the corpus.
    pub suggested: Vec<String>,
    /// What the corpus was read from, where this process did that.
    pub read: Option<String>,
    /// What to write for `--reranker`; empty without a cross-encoder.
    pub reranker: String,
    pub vectors: bool,
    /// How to allow the server that would make them, where that is why there are none.
    pub closed: Option<String>,
    /// The language model that a person named on the command line.
    pub model: Option<String>,
    /// So few passages that a missing layer is built when it is first needed.
    pub small: bool,
    /// A typed graph lies beside the corpus, for the layer of SPARK.
    pub typed: bool,
    /// A graph of another system lies beside the corpus.
    pub given: bool,
    /// What an index that lies elsewhere can be asked; none where it lies here.
    pub elsewhere: Option<Arc<rows::Whole>>,
    /// Layers the index was opened with.
    pub layers: Vec<String>,
    /// Layers that can be built.
    pub kinds: &'static [LayerKind],
}

/// A piece of an accepted answer, by its place, and the passages it stands in: identifiers, and whether they are gold. None
/// where it was not looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Piece {
    pub answer: usize,
    pub words: String,
    pub passages: Option<Vec<(String, bool)>>,
}

/// A question of the opened set.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub id: String,
    pub text: String,
    pub kind: String,
    pub answers: Vec<String>,
    /// Passages known to be relevant.
    pub gold: usize,
}

/// What the worker is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub question: String,
    /// Place in [`Facts::questions`], which tells the gold.
    pub asked: Option<usize>,
    pub settings: Settings,
    pub subject: Subject,
    /// The view that is open: its pictures are made when they are looked at.
    pub view: View,
    /// Where one is in the neighbourhood of nodes, while that is drawn.
    pub browse: Option<Browse>,
}

/// Where one is in the neighbourhood of nodes: the row that is selected in every column, and what is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Browse {
    /// The graph that numbers the nodes, by its kind and size; none before an answer. Nodes of another graph mean nothing.
    pub graph: Option<(&'static str, usize)>,
    /// The first column has this node alone; else the seeds.
    pub root: Option<Node>,
    /// The selected row of every column from the first on. The cursor is in the last; one more column shows its neighbours.
    pub trail: Vec<Pick>,
    /// Left out of all columns, paths and pictures; the last one first to come back.
    pub hidden: Vec<Node>,
    /// Where best paths end.
    pub pinned: Option<Node>,
    pub shows: Shows,
    /// In the picture: nodes whose neighbours are drawn.
    pub unfolded: Vec<Node>,
}

/// A selected row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    Node(Node),
    /// So many rows down, in a column that was not on screen when it was chosen.
    Row(usize),
}

/// What the neighbourhood is drawn as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shows {
    #[default]
    Columns,
    /// The best paths from the node under the cursor to the pinned one.
    Routes,
    /// The nodes that were walked over with what is next to them.
    Picture,
}

impl Browse {
    /// The node under the cursor of the columns, where it is known.
    pub fn node(&self) -> Option<Node> {
        match self.trail.last() {
            Some(Pick::Node(node)) => Some(*node),
            _ => None,
        }
    }
}

/// The neighbourhood of nodes, as far as one walked into it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Browsed {
    /// Where that is: every row is a node that there is.
    pub at: Browse,
    /// Columns of rows: the seeds or the node that was found, then the neighbours of every selected row. Of paths one column
    /// with a row a path, by its end; of a picture the nodes by their distance from the first.
    pub flow: Flow,
    /// Of every column what is over its rows and left out of them.
    pub heads: Vec<Head>,
    /// The way to the node under the cursor.
    pub way: Option<Way>,
    /// The labels of what is pinned, and of hidden nodes.
    pub pinned: Option<String>,
    pub hidden: Vec<String>,
    /// Their masses are shares of what starts there.
    pub routes: Vec<Path>,
    /// Edges of the picture, by numbers of rows.
    pub edges: Vec<(usize, usize)>,
    /// Neighbours that the picture has no room for.
    pub undrawn: usize,
}

impl Browsed {
    /// The node under the cursor, where it is what the other panes are about.
    pub fn subject(&self) -> Option<Subject> {
        let node = self.at.node().filter(|_| self.at.shows == Shows::Columns)?;
        let rows = self.flow.lanes.iter().flat_map(|lane| &lane.rows);
        let row = rows.rev().find(|row| row.node == Some(node))?;
        Some(Subject {
            passage: row.passage.filter(|_| row.is_passage),
            node: Some(node),
            than: None,
        })
    }

    /// The number of the row under the cursor of the columns.
    pub fn cursor(&self) -> Option<usize> {
        let columns = self.at.shows == Shows::Columns;
        let lane = self.at.trail.len().checked_sub(1).filter(|_| columns)?;
        let mut rows = self.flow.lanes.get(lane)?.rows.iter();
        let row = rows.position(|row| row.node == self.at.node())?;
        Some(self.flow.first(lane) + row)
    }
}

/// What is told of a column beside its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// The kind of the node whose neighbours are listed; empty over the first column.
    pub kind: &'static str,
    pub degree: usize,
    /// What the figures of the rows are.
    pub figure: &'static str,
    /// How many rows are not listed, and their figures.
    pub more: (usize, f64),
    /// How many were hidden, and their figures.
    pub hidden: (usize, f64),
}

/// A way from the question to a node, and what it carries of its score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// From the seed on.
    pub stops: Vec<Stop>,
    pub carries: f64,
    /// The score of the node.
    pub of: f64,
    /// It is the heaviest path to a node that was found by name, and not the way one came.
    pub found: bool,
    /// More steps than the walk takes.
    pub long: Option<usize>,
    /// What the node at its end passes on to each neighbour on average, where it is a hub.
    pub each: Option<f64>,
}

/// What is to be explained. `None` lets the worker take the first of the ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    pub passage: Option<u32>,
    pub node: Option<Node>,
    /// What the passage is held against. `None` is the last inside, where it is lost.
    pub than: Option<u32>,
}

/// One complete retrieval.
#[derive(Clone, Debug)]
pub struct Scene {
    pub question: String,
    pub settings: Settings,
    /// Names found in the question, and how many of them became seeds; none of a method that looks for no names.
    pub named: Option<(usize, usize)>,
    /// That nothing of the question is known, and what to do about it.
    pub unrecognised: Option<&'static str>,
    /// How probably the answer is in the first five; none of a method that has learned nothing of that.
    pub confidence: Option<Confidence>,
    /// Nodes that start the walk.
    pub started: usize,
    /// What the nodes beside the passages are: `name`, or `word` on a word graph.
    pub noun: &'static str,
    pub basis: Basis,
    /// What started the search. Names that linked, names that did not, changes that left no seed, then what a ranking
    /// gave, each heaviest first. Of a flat ranking the words of the question.
    pub seeds: Vec<Row>,
    /// What the bars of Spread are split by: seeds, or for flat methods the words of the question.
    pub groups: Vec<Group>,
    /// Whether mass walked over the edges of a graph.
    pub walks: bool,
    pub timeline: Option<Timeline>,
    /// The lists of Spread. As many as `listed` are shown at the end, one at an earlier step.
    pub spread: Vec<Stage>,
    pub listed: usize,
    /// Best first, deeper than top K.
    pub passages: Vec<PassageRow>,
    /// How many passages scored above zero.
    pub matched: Matched,
    pub top_k: usize,
    /// Every gold passage of the question with what became of it.
    pub gold: Vec<Gold>,
    /// Gold the data set names but the corpus has not.
    pub missing: Vec<String>,
    /// Accepted answers of the question.
    pub answers: Vec<String>,
    /// Their pieces, and where they stand.
    pub pieces: Arc<[Piece]>,
    /// Names of ir_measures with their values; empty where no gold is known.
    pub measures: Vec<(&'static str, f64)>,
    /// First-stage ranking: its name and how many passages it matched.
    pub first_stage: Option<(&'static str, Matched)>,
    /// What scored the candidates again, and how many there were.
    pub reranked: Option<(&'static str, usize)>,
    /// How many words or names feedback added to the question.
    pub expanded: usize,
    /// Entity share of the restart mass, where two kinds of seeds were mixed.
    pub mixed: Option<f64>,
    pub fallback: bool,
    /// Why there is nothing, where there is nothing.
    pub nothing: &'static str,
    /// Changes of the graph by hand, and why those change nothing that do not.
    pub graph_edits: Vec<GraphEdited>,
    /// What a plan over a layer told, where no walk is.
    pub story: Option<std::sync::Arc<Story>>,
    /// Titles of the passages that some step shows.
    pub titles: BTreeMap<u32, String>,
    /// Node p of the graph is passage p; where not, [`Scene::node_of`] knows.
    pub of_passages: bool,
    /// The walk restarts at its seeds: it is Personalized PageRank.
    pub restarts: bool,
    /// All of the graph that was walked, where it is small enough to be drawn node by node.
    pub whole: Option<Arc<Whole>>,
    /// The graph that was walked, to find its nodes by name.
    pub names: Names,
}

/// A handle on the names of a graph's nodes that does not keep it in memory.
#[derive(Clone, Debug, Default)]
pub struct Names(pub Weak<Graph>);

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

/// All of a small graph: every node with its mass, every edge with what crosses it, by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Whole {
    /// Columns of nodes: those that are not passages, then the passages. Its steps have the mass of every row.
    pub flow: Flow,
    /// Every edge once, from the earlier column or row.
    pub edges: Vec<Edge>,
    /// By step and edge: the mass that crosses it, from its start and back.
    pub crossed: Vec<Vec<[f64; 2]>>,
    /// By step, column and row: the mass that restarts there.
    pub restarted: Vec<Vec<Vec<f64>>>,
}

/// An edge between two nodes, each by column and row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The earlier end.
    pub from: (usize, usize),
    /// The later end.
    pub to: (usize, usize),
    /// The share of what leaves an end that goes over this edge: from the earlier end, and from the later one.
    pub passes: [f64; 2],
}

impl Whole {
    /// Whether every edge joins the first column with the second.
    pub fn is_bipartite(&self) -> bool {
        let crosses = |edge: &Edge| edge.from.0 != edge.to.0;
        self.flow.lanes.len() == 2 && self.edges.iter().all(crosses)
    }

    /// The place of a node by its label, or by the identifier of the passage that it is.
    pub fn find(&self, scene: &Scene, name: &str) -> Option<(usize, usize)> {
        let id = |row: &Row| {
            let mut passages = scene.passages.iter();
            let own = passages.find(|hit| row.is_passage && Some(hit.passage) == row.passage)?;
            Some(&*own.id)
        };
        let lanes = self.flow.lanes.iter().enumerate();
        let mut rows = lanes.flat_map(|(lane, own)| {
            let rows = own.rows.iter().enumerate();
            rows.map(move |(at, row)| ((lane, at), row))
        });
        let found = rows.find(|(_, row)| row.label == name || id(row) == Some(name));
        found.map(|(place, _)| place)
    }

    /// The edge between two nodes, and which way they are named: 0 from its start, 1 back.
    pub fn edge(&self, a: (usize, usize), b: (usize, usize)) -> Option<(usize, usize)> {
        let is = |edge: &Edge, ends| (edge.from, edge.to) == ends;
        let mut edges = self.edges.iter().enumerate();
        edges.find_map(|(at, edge)| match () {
            () if is(edge, (a, b)) => Some((at, 0)),
            () if is(edge, (b, a)) => Some((at, 1)),
            () => None,
        })
    }
}

/// What the score of a passage is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Mass of the seeds.
    Walk,
    /// Words of the question.
    Words,
    /// Ranks in lists that were fused.
    Lists,
    /// One measured closeness.
    Measure,
    /// What a system with a graph of its own adds up.
    Parts,
    /// The eight signals of `hop`.
    Signals,
}

impl Basis {
    /// What a part of a score is called.
    pub fn noun(self) -> &'static str {
        match self {
            Basis::Walk => "seed",
            Basis::Words => "word",
            Basis::Lists => "list",
            Basis::Measure => "measure",
            Basis::Parts => "part",
            Basis::Signals => "signal",
        }
    }
}

/// A row of Seeds, Spread or Neighbours: a node, a passage, a word of the question, or what a step told of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Where a story was told its place in [`Story::items`], else the node of the graph.
    pub node: Option<Node>,
    pub passage: Option<u32>,
    pub sign: Sign,
    /// What it is, in a plan over several kinds of nodes.
    pub kind: Cow<'static, str>,
    pub label: String,
    /// It is drawn as a passage.
    pub is_passage: bool,
    /// The group of seeds it belongs to.
    pub group: Option<usize>,
    pub gold: bool,
    /// In how many passages it is, or how many edges it has; 0 where that is not told.
    pub count: usize,
    /// So many that what is sent there is spread thin.
    pub hub: bool,
    pub value: f64,
    /// The value as it is written.
    pub figure: String,
    /// By [`Scene::groups`]; they sum to the value. Empty where nothing splits it.
    pub shares: Vec<f64>,
    /// The second largest share over the largest: near 1 for a bridge, near 0 for a one-sided neighbour.
    pub both: f64,
    /// What an edit of the seeds or the graph calls it; empty where it cannot be edited.
    pub name: String,
    /// What a person changed about it.
    pub change: Option<SeedChange>,
    /// What became of it, where the sign says that it is gone.
    pub note: String,
    /// Where it comes from, in words.
    pub why: String,
    /// Of an edge that was told: whether it comes from there.
    pub inward: bool,
    /// By [`Around::columns`]; empty in other lists.
    pub cells: Vec<Cell>,
}

/// Whether a row is in force; one that is gone says so in place of figure and bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sign {
    #[default]
    Plain,
    /// A group of several seeds, above them.
    Heading,
    /// A name that gave no seed, or what a stage removed.
    Lost,
    /// A change of the seeds that left none.
    Changed,
}

/// One fill of the bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    pub label: String,
    /// Share of the restart mass, or a word's part of all scores shown.
    pub weight: f64,
    pub seeds: usize,
}

/// A list of Spread: what a stage came to, or what a walk or a ranking reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The pane's where nothing else is listed.
    pub title: String,
    /// Over its rows, with its counters; empty where it has no heading and never folds.
    pub name: &'static str,
    pub kind: &'static str,
    pub counters: Vec<(&'static str, String)>,
    /// What each part took of a budget of tokens, as shares of it; empty of a stage without one.
    pub spent: Vec<f64>,
    /// Best first, then what was removed.
    pub rows: Vec<Row>,
    /// Rows have a rank.
    pub ranked: bool,
    /// What is said under it.
    pub foot: String,
}

impl Stage {
    /// How many rows were not removed.
    pub fn kept(&self) -> usize {
        let gone = self.rows.iter().rev();
        self.rows.len() - gone.take_while(|row| row.sign == Sign::Lost).count()
    }
}

/// What happened step by step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Iterations of a walk, or the stages of another plan.
    pub title: &'static str,
    /// What one step is called, and the number of the first.
    pub unit: &'static str,
    pub first: usize,
    /// The end in words.
    pub whole: String,
    /// What the figures of [`Step::brief`] are.
    pub brief: &'static str,
    /// The last one is the end, which every pane shows when no step is chosen.
    pub steps: Vec<Step>,
    /// A cell of each for every step; stages have none for the end.
    pub lines: Vec<StepLine>,
    /// What the steps mean, in words that the numbers prove.
    pub told: Vec<String>,
}

impl Timeline {
    /// A step as titles say it: `step 1 of 5`; the end of stages is none of them.
    pub fn place(&self, step: usize) -> String {
        let last = self.steps.len().saturating_sub(1);
        match step + self.first {
            number if number > last => self.whole.clone(),
            number => format!("{} {number} of {last}", self.unit),
        }
    }
}

/// One line of the timeline: a quantity or a gold passage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepLine {
    pub label: String,
    pub gold: bool,
    pub cells: Vec<Cell>,
}

/// The state after one step (power), at a mark (push), or a stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Over its column; empty where it has none.
    pub name: String,
    /// What is said of it beside the scrubber.
    pub note: String,
    /// Name and first figure, for one line over all steps.
    pub brief: (String, String),
    pub ledger: Ledger,
    /// Mass that sits elsewhere than one step before.
    pub moved: f64,
    /// Place in [`Scene::spread`].
    pub stage: usize,
    pub passages: Vec<(u32, f64)>,
    /// By [`Scene::gold`].
    pub gold: Vec<Option<usize>>,
}

/// A ranked passage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassageRow {
    pub passage: u32,
    /// The identifier as the corpus has it.
    pub key: String,
    /// The node that stands for it, of several the one with most mass.
    pub node: Option<Node>,
    pub rank: usize,
    pub id: String,
    pub title: String,
    /// The title, or what the text says that it is about.
    pub headed: String,
    /// What it is called where there is room for one name.
    pub name: String,
    pub score: f64,
    /// Within half a percent of the next one.
    pub tie: bool,
    pub gold: bool,
    /// The group it is a seed of.
    pub seed: Option<usize>,
    /// By [`Scene::groups`]; they sum to `score`.
    pub shares: Vec<f64>,
    pub snippet: String,
    /// Seed names (their group) and question words (none) in `snippet`, by byte.
    pub marks: Vec<Mark>,
}

/// A gold passage and what became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gold {
    pub passage: u32,
    /// The identifier as the corpus has it.
    pub key: String,
    pub node: Option<Node>,
    pub id: String,
    pub title: String,
    /// The title, or what the text says that it is about.
    pub headed: String,
    /// What it is called where there is room for one name.
    pub name: String,
    pub rank: Option<usize>,
    pub score: f64,
    /// The verdict's code where it is not among the top K.
    pub code: String,
    /// The verdict in words.
    pub reason: String,
}

/// One passage and one node of a scene, explained.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    pub passage: Option<Why>,
    pub node: Option<Around>,
    /// Score moving; only made for the view that shows it.
    pub flow: Option<std::sync::Arc<Flow>>,
    /// Ways from seeds to passages; as above.
    pub ways: Option<std::sync::Arc<Ways>>,
    /// The neighbourhood of nodes; none where no walk is, or it is not looked at.
    pub browsed: Option<std::sync::Arc<Browsed>>,
}

/// Ways from seeds to passages, in layers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ways {
    /// A strand is a path. Rows without a label lead past a layer.
    pub flow: Flow,
    /// Between rows of one layer and the next.
    pub links: Vec<Link>,
    /// Gold without a path: what it is, and why.
    pub lost: Vec<(String, String)>,
    /// What a person changed of the graph, and what these paths make of it.
    pub edits: Vec<(String, String)>,
}

/// A stretch of paths, between a layer and a row there and the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    pub from: (usize, usize),
    pub to: (usize, usize),
    /// Of the edge, told where it begins to lead to its end; 0 elsewhere.
    pub weight: f64,
    /// A person added or weighed the edge.
    pub edited: bool,
}

impl Flow {
    /// Nodes of all columns.
    pub fn rows(&self) -> usize {
        self.lanes.iter().map(|lane| lane.rows.len()).sum()
    }

    /// The places of a path, layer and row, without those that only lead past a layer.
    pub fn stops(&self, path: &Strand) -> Vec<(usize, usize)> {
        let all = path.at.iter().enumerate();
        let all = all.filter_map(|(lane, row)| Some((lane, (*row)?)));
        all.filter(|(lane, row)| !self.lanes[*lane].rows[*row].label.is_empty())
            .collect()
    }
}

impl Ways {
    /// The paths as one indented list: depth, layer, row, and the mass of the paths through it from where it hangs.
    pub fn tree(&self) -> Vec<Branch> {
        let mut paths: Vec<&Strand> = self
            .flow
            .steps
            .iter()
            .flat_map(|step| &step.strands)
            .collect();
        paths.sort_by_key(|path| path.at);
        let mut branches: Vec<Branch> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut before: Vec<(usize, usize)> = Vec::new();
        for path in paths {
            let stops = self.flow.stops(path);
            let same = stops
                .iter()
                .zip(&before)
                .take_while(|(a, b)| a == b)
                .count();
            open.truncate(same);
            for (depth, place) in stops.iter().enumerate().skip(same) {
                open.push(branches.len());
                branches.push(Branch {
                    depth,
                    place: *place,
                    mass: 0.0,
                });
            }
            for branch in &open {
                branches[*branch].mass += path.value;
            }
            before = stops;
        }
        branches
    }
}

/// A line of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Branch {
    pub depth: usize,
    /// Layer, and row there.
    pub place: (usize, usize),
    pub mass: f64,
}

/// Columns that score moves through.
pub const LANES: usize = 6;

/// Score moving, as a picture: columns of nodes, and strands of score through them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// Left to right, at most [`LANES`]; none where there is nothing to draw.
    pub lanes: Vec<Lane>,
    /// By step of the timeline; one where there is none.
    pub steps: Vec<FlowStep>,
    /// The heaviest nodes with their mass by step. Empty where no walk is.
    pub heat: Vec<(Row, Vec<f64>)>,
    /// What is to be known of the picture, in a sentence.
    pub note: String,
}

/// A column of the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lane {
    pub head: String,
    pub rows: Vec<Row>,
}

/// One step of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowStep {
    pub strands: Vec<Strand>,
    /// What goes back over the same edges in this step, by the same places.
    pub returns: Vec<Strand>,
    /// What every row of every column holds after it; empty where no walk is.
    pub mass: Vec<Vec<f64>>,
    /// What was moved and what was not, with the words for each.
    pub moved: Vec<(&'static str, f64)>,
    /// From where to where, and how much: most first.
    pub largest: Vec<(String, String, f64)>,
    /// The step in one sentence.
    pub told: String,
}

/// Score on its way: a row of each column that it passes. Where no share is known the value is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strand {
    pub at: [Option<usize>; LANES],
    pub group: Option<usize>,
    pub value: f64,
}

impl Flow {
    /// Where a row is, counted from the first column on.
    pub fn place(&self, row: usize) -> Option<(usize, usize)> {
        let mut first = 0;
        for (lane, Lane { rows, .. }) in self.lanes.iter().enumerate() {
            if row < first + rows.len() {
                return Some((lane, row - first));
            }
            first += rows.len();
        }
        None
    }

    /// The number of the first row of a column.
    pub fn first(&self, lane: usize) -> usize {
        self.lanes[..lane].iter().map(|lane| lane.rows.len()).sum()
    }

    /// What a row holds after a step; where nothing is held, what passes through it.
    pub fn mass(&self, step: usize, lane: usize, row: usize) -> f64 {
        let held = self.steps.get(step).and_then(|step| step.mass.get(lane));
        let held = held.and_then(|lane| lane.get(row)).copied();
        held.unwrap_or_else(|| self.through(step, lane, row))
    }

    /// What passes through a row in a step.
    pub fn through(&self, step: usize, lane: usize, row: usize) -> f64 {
        let step = self.steps.get(step);
        step.map_or(0.0, |step| passing(&step.strands, lane, row))
    }

    /// What crosses edges at a row in a step, either way.
    pub fn crossing(&self, step: usize, lane: usize, row: usize) -> f64 {
        let back = self.steps.get(step);
        let back = back.map_or(0.0, |step| passing(&step.returns, lane, row));
        self.through(step, lane, row) + back
    }
}

fn passing(strands: &[Strand], lane: usize, row: usize) -> f64 {
    let here = strands.iter().filter(|strand| strand.at[lane] == Some(row));
    here.map(|strand| strand.value).sum()
}

/// Why a passage is where it is.
#[derive(Clone, Debug, Default)]
pub struct Why {
    pub passage: u32,
    /// The identifier as the corpus has it.
    pub key: String,
    pub id: String,
    pub title: String,
    /// Without a title the names that it is about, and what says so.
    pub about: Vec<(String, &'static str)>,
    pub rank: Option<usize>,
    pub gold: bool,
    /// It is missed, and what is said of it was not put to the test yet.
    pub testing: bool,
    pub score: f64,
    /// Labelled parts that add up to the score, largest first, with their group; beside another, largest gap first.
    pub parts: Vec<Part>,
    /// What it is held against.
    pub beside: Option<Beside>,
    /// Score by the number of steps walked.
    pub by_length: Vec<f64>,
    pub paths: Vec<Path>,
    /// What the approximation may be off by; 0 when exact.
    pub error: f64,
    /// One sentence.
    pub sentence: String,
    /// With words that are safe to draw. The first is the verdict. Empty for a passage among the top K.
    pub reasons: Vec<Reason>,
    /// Names that should be one with a name of the passage, in a sentence each, the most telling first.
    pub look_alikes: Vec<String>,
    /// Score of the best passage and of the last one inside the cut.
    pub best: f64,
    pub cut: f64,
    pub text: String,
    pub marks: Vec<Mark>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    pub label: String,
    pub group: Option<usize>,
    pub value: f64,
    /// What the part itself rests on.
    pub why: String,
    /// What it gives the passage that this one is held against, and what it rests on there.
    pub other: f64,
    pub other_why: String,
}

impl Part {
    /// Whether it gives both passages as much, but for the last digits of sums.
    pub fn is_equal(&self) -> bool {
        (self.other - self.value).abs() <= 1e-9 * self.other.abs().max(self.value.abs())
    }
}

/// The passage that another is held against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    pub passage: u32,
    pub id: String,
    pub title: String,
    pub rank: Option<usize>,
    pub score: f64,
}

/// A way from a seed to the passage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    pub mass: f64,
    /// Labels from the seed on, and the share of its mass each node kept for the next one.
    pub stops: Vec<Stop>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stop {
    pub node: Node,
    /// What it is, for other programs.
    pub place: Option<crate::explain::Stop>,
    pub label: String,
    pub group: Option<usize>,
    pub is_passage: bool,
    pub degree: usize,
    /// Probability of the step to the next stop; none at the last.
    pub kept: Option<f64>,
}

/// What undoing a reason does, in words.
pub fn suggestion(reason: &Reason) -> Option<String> {
    let fix = reason.fix.as_ref()?;
    Some(text::clean(&fix.to_string()))
}

/// A node and what is next to it; for flat methods a passage and the words of the question.
#[derive(Clone, Debug, Default)]
pub struct Around {
    pub node: Node,
    /// What an edit calls it; empty where it cannot be edited.
    pub name: String,
    pub label: String,
    /// What there is to read of it beyond its label.
    pub text: String,
    pub is_passage: bool,
    pub degree: usize,
    /// How much is next to it, in words.
    pub told: String,
    /// Why nothing is.
    pub none: &'static str,
    /// What stands over the labels.
    pub head: &'static str,
    pub columns: Vec<Column>,
    /// With a cell for every column.
    pub neighbours: Vec<Row>,
    /// What each is sent and sends back, by the step of the walk; empty where no walk is.
    pub flows: Vec<Vec<(f64, f64)>>,
    /// All neighbours, for marking rows in other panes; ascending.
    pub adjacent: Vec<Node>,
}

/// What is told of every neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// As copies call it.
    pub name: &'static str,
    /// As it is headed.
    pub head: &'static str,
    pub width: usize,
    /// Columns with a lower place get room first.
    pub place: u8,
}

/// Columns of Neighbours that change from step to step.
pub const SENDS: &str = "sends";
pub const RECEIVES: &str = "receives";
pub const RANK: &str = "rank";

impl Around {
    /// What stands in a column of a neighbour, after an earlier step of the walk where one is shown.
    pub fn cell(&self, row: usize, column: usize, earlier: Option<(usize, &Step)>) -> Cell {
        let own = &self.neighbours[row];
        let now = own.cells.get(column).cloned().unwrap_or(Cell::Empty);
        let Some((at, step)) = earlier else {
            return now;
        };
        let flow = self.flows.get(at).and_then(|flows| flows.get(row));
        match (self.columns[column].name, flow, own.passage) {
            (SENDS, Some((sent, _)), _) => Cell::Score(*sent),
            (RECEIVES, Some((_, got)), _) => Cell::Score(*got),
            (RANK, Some(_), Some(passage)) => {
                let mut ranked = step.passages.iter();
                Cell::Rank(ranked.position(|p| p.0 == passage).map(|at| at + 1))
            }
            _ => now,
        }
    }

    /// Whether a node is next to this one.
    pub fn touches(&self, node: Node) -> bool {
        self.adjacent.binary_search(&node).is_ok()
    }
}

/// A complete answer to a [`Request`].
#[derive(Clone, Debug)]
pub struct Answer {
    pub scene: std::sync::Arc<Scene>,
    pub detail: std::sync::Arc<Detail>,
    /// Of this answer: where the scene was kept, of explaining its subject.
    pub seconds: f64,
    /// The scene is that of the answer before.
    pub kept: bool,
    /// What it cost where the index lies; none where it lies here.
    pub spent: Option<Spent>,
}

impl Scene {
    /// Place of a passage among the rows.
    pub fn row(&self, passage: u32) -> Option<usize> {
        self.passages.iter().position(|row| row.passage == passage)
    }

    /// Rank of a passage, where it has one that is known.
    pub fn rank(&self, passage: u32) -> Option<usize> {
        let hit = self.passages.iter().find(|row| row.passage == passage);
        let gold = || self.gold.iter().find(|gold| gold.passage == passage);
        hit.map(|row| row.rank).or_else(|| gold()?.rank)
    }

    /// Cells of the longest rank that is shown.
    pub fn rank_width(&self) -> usize {
        let ranks = self.passages.iter().map(|row| row.rank);
        let gold = self.gold.iter().filter_map(|gold| gold.rank);
        let most = ranks.chain(gold).max();
        most.map_or(1, |rank| rank.to_string().len())
    }

    /// The node that stands for a passage, as far as one is known.
    pub fn node_of(&self, passage: u32) -> Option<Node> {
        if self.of_passages {
            return Some(passage);
        }
        let row = self.passages.iter().find(|row| row.passage == passage);
        let gold = || self.gold.iter().find(|gold| gold.passage == passage);
        row.and_then(|row| row.node).or_else(|| gold()?.node)
    }

    /// Whether it is a ranking only: no walk, and no stages that were told.
    pub fn is_flat(&self) -> bool {
        !self.walks && self.story.is_none()
    }

    /// The group that a node is a seed of.
    pub fn seed(&self, node: Node) -> Option<usize> {
        let mut seeds = self.seeds.iter();
        let seed = seeds.find(|s| s.node == Some(node) && s.sign == Sign::Plain)?;
        seed.group
    }

    /// The group of what pays for a score where no walk does: its own, or the last, which holds the rest.
    pub fn group_of(&self, label: &str) -> Option<usize> {
        if self.walks {
            return None;
        }
        let own = self.groups.iter().position(|group| group.label == label);
        let rest = self.groups.last().filter(|group| group.seeds > 1);
        own.or_else(|| rest.map(|_| self.groups.len() - 1))
    }

    /// Whether a passage is known to be relevant.
    pub fn is_gold(&self, passage: u32) -> bool {
        self.gold.iter().any(|gold| gold.passage == passage)
    }

    pub fn measure(&self, name: &str) -> Option<f64> {
        self.measures
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    }

    /// The measure a person looks at first.
    pub fn headline(&self) -> Option<(String, f64)> {
        self.measure("R@5").map(|value| ("R@5".to_owned(), value))
    }
}
