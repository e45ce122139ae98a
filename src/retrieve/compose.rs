//! Compositions: the seeds of one method, the graph of another, the spread and the selection of a third.
//!
//! A composition is written as it is read: `names+rrf > noderag > push > passages`. Its name is a method's name wherever
//! one is asked for. Every part is a word of the lists below, or the name of a method that has such a part.

use super::methods::{DEFAULT_METHOD, METHODS, Method, MethodRef, Ranker, Way};
use super::plans;
use crate::layers::GRAPHS;
use crate::layers::{ENTITY_PASSAGE, GraphKind, TERM_PASSAGE};
use crate::parameters;
use crate::parameters::{FALLBACK, Fallback, Misfit, PACK, Parameter, Parameter as P, Value};
use std::fmt;

/// What starts the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// Names in the question, found and looked up by the graph's own rule.
    pub names: bool,
    pub rest: Option<Rest>,
}

/// What starts it besides names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The best passages of a ranking.
    List(Ranker),
    /// The graph's own nodes nearest to the question's vector.
    Nearest,
}

/// How score spreads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    Power,
    Push,
    Shallow,
    Lazy,
    OneHop,
}

/// How passages are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    Passages,
    Fuse,
    Rerank,
    Bridge,
    Pack,
}

/// A part by its name.
#[derive(Debug)]
pub struct Word<T: 'static> {
    pub part: T,
    pub name: &'static str,
    /// One line: what it is.
    pub about: &'static str,
}

const fn word<T>(part: T, name: &'static str, about: &'static str) -> Word<T> {
    Word { part, name, about }
}

/// What may stand beside `names`, or alone.
pub static RESTS: &[Word<Rest>] = &[
    word(Rest::List(Ranker::Bm25), "bm25", "the best BM25 passages"),
    word(
        Rest::List(Ranker::Rm3),
        "bm25-rm3",
        "the best passages of BM25 with words of feedback",
    ),
    word(
        Rest::List(Ranker::TwoStep),
        "bm25-2step",
        "the best passages of BM25 with names of feedback",
    ),
    word(
        Rest::List(Ranker::Dense),
        "dense",
        "the passages nearest to the question",
    ),
    word(
        Rest::List(Ranker::Rrf),
        "rrf",
        "the best passages of BM25 and dense, fused",
    ),
    word(
        Rest::Nearest,
        "nearest",
        "the graph's own nodes nearest to the question",
    ),
];

pub const NAMES: &str = "names";
pub const NAMES_ABOUT: &str = "names in the question, looked up by the graph's own rule";

pub static WALKS: &[Word<Walk>] = &[
    word(Walk::Power, "power", "T steps of power iteration"),
    word(
        Walk::Push,
        "push",
        "forward push to the limit of many steps",
    ),
    word(
        Walk::Shallow,
        "shallow",
        "NodeRAG's two steps with half of the mass back at the seeds",
    ),
    word(
        Walk::Lazy,
        "lazy",
        "NodeRAG's code: a share moves, the rest stays, nothing restarts",
    ),
    word(
        Walk::OneHop,
        "one-hop",
        "one step: the seeds and their neighbours",
    ),
];

pub static PICKS: &[Word<Pick>] = &[
    word(
        Pick::Passages,
        "passages",
        "by the score of the nodes that stand for them",
    ),
    word(Pick::Fuse, "fuse", "the list and the walk, fused by rank"),
    word(
        Pick::Rerank,
        "rerank",
        "the walk's best, scored again by a cross-encoder or MaxSim",
    ),
    word(
        Pick::Bridge,
        "bridge",
        "what every name reaches: one walk a name, the geometric mean",
    ),
    word(
        Pick::Pack,
        "pack",
        "by score, as many as the tokens of the context hold",
    ),
];

/// What each method has of every part. A word in brackets is why it cannot be taken apart, see [`WHY_NOT`].
static TAKEN: &[(&str, [&str; 4])] = &[
    ("bm25", ["bm25", "(flat)", "(flat)", "passages"]),
    ("bm25-rm3", ["bm25-rm3", "(flat)", "(flat)", "passages"]),
    ("bm25-2step", ["bm25-2step", "(flat)", "(flat)", "passages"]),
    ("dense", ["dense", "(flat)", "(flat)", "passages"]),
    ("rrf", ["rrf", "(flat)", "(flat)", "passages"]),
    ("bm25-ce", ["bm25", "(flat)", "(flat)", "rerank"]),
    ("rrf-ce", ["rrf", "(flat)", "(flat)", "rerank"]),
    (
        "tfidf-graph",
        ["names", "term-passage", "power", "passages"],
    ),
    ("graph", ["names", "entity-passage", "power", "passages"]),
    (
        "graph-hybrid",
        ["names+bm25", "entity-passage", "power", "passages"],
    ),
    (
        "graph-dense",
        ["names+dense", "entity-passage", "power", "passages"],
    ),
    (
        "graph-rrf",
        ["names+rrf", "entity-passage", "power", "passages"],
    ),
    ("rrf-ppr", ["names+rrf", "entity-passage", "power", "fuse"]),
    ("hop", ["names+rrf", "entity-passage", "power", "(signals)"]),
    (
        "linearrag",
        ["(activation)", "entity-passage", "power", "passages"],
    ),
    (
        "hipporag2",
        ["(facts)", "phrase-passage", "power", "passages"],
    ),
    (
        "e2graphrag",
        ["names", "entity-chunk", "(pairs)", "(occurrences)"],
    ),
    ("hyde-rag", ["(made up)", "(flat)", "(flat)", "pack"]),
    ("text-rag", ["nearest", "(flat)", "(flat)", "pack"]),
    ("knng-rag", ["nearest", "unit-knn", "one-hop", "pack"]),
    (
        "keyword-rag",
        ["nearest", "keyword-unit", "one-hop", "pack"],
    ),
    ("skeleton-rag", ["nearest", "skeleton", "one-hop", "pack"]),
    ("ms-graph-rag", ["nearest", "skeleton", "one-hop", "pack"]),
    ("hybrid-rag", ["nearest", "skeleton", "one-hop", "pack"]),
    ("ket-rag-u", ["nearest", "skeleton", "one-hop", "pack"]),
    ("ket-rag-p", ["nearest", "skeleton", "one-hop", "pack"]),
    (
        "noderag",
        ["names+nearest", "noderag", "shallow", "(quotas)"],
    ),
    (
        "sage",
        ["(fused)", "chunk-similarity", "one-hop", "(seeds-first)"],
    ),
    ("sage-flat", ["(fused)", "(flat)", "(flat)", "passages"]),
    ("spark", ["(plan)", "typed", "(operators)", "(answers)"]),
];

/// Why a part belongs to its method alone, and what comes nearest.
static WHY_NOT: &[(&str, &str)] = &[
    ("(flat)", "ranks passages without a graph"),
    (
        "(signals)",
        "adds eight signals, two of them walks of its own; take passages, fuse or bridge",
    ),
    (
        "(made up)",
        "starts from a passage that a model makes up; take nearest",
    ),
    (
        "(facts)",
        "starts from phrases of facts, and from every passage; take names+dense or nearest",
    ),
    (
        "(activation)",
        "starts from names that sentences activate, and from every passage; take names+dense",
    ),
    (
        "(pairs)",
        "intersects what pairs of names share and spreads no score; take one-hop",
    ),
    (
        "(occurrences)",
        "counts occurrences in shared chunks, which no walk gives; take passages",
    ),
    (
        "(quotas)",
        "fills a quota for each of its seven kinds of nodes; take passages",
    ),
    (
        "(fused)",
        "scores its own chunks by words and vectors together; take rrf, bm25, dense or nearest",
    ),
    (
        "(seeds-first)",
        "puts all seeds before all neighbours; take passages",
    ),
    (
        "(plan)",
        "starts from the operators of a plan; take names, or a list",
    ),
    (
        "(operators)",
        "follows typed edges as its plan says; take a walk over typed",
    ),
    (
        "(answers)",
        "returns the set its plan ends with; take passages",
    ),
];

impl Walk {
    /// What the parameter of that name says of it.
    pub fn kernel(self) -> parameters::Walk {
        match self {
            Walk::Push => parameters::Walk::Push,
            _ => parameters::Walk::Power,
        }
    }

    /// What it presets.
    fn defaults(self) -> &'static [(Parameter, Value)] {
        match self {
            Walk::Power | Walk::Push => &[],
            Walk::Shallow | Walk::Lazy => {
                &[(P::Alpha, Value::Real(0.5)), (P::Steps, Value::Integer(2))]
            }
            Walk::OneHop => &[(P::Steps, Value::Integer(1))],
        }
    }
}

/// One of each part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composition {
    pub seeds: Seeds,
    pub graph: &'static GraphKind,
    pub walk: Walk,
    pub pick: Pick,
}

/// The four parts, as their flags are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Seeds,
    Graph,
    Spread,
    Select,
}

impl Slot {
    pub const ALL: [Slot; 4] = [Slot::Seeds, Slot::Graph, Slot::Spread, Slot::Select];

    pub fn name(self) -> &'static str {
        match self {
            Slot::Seeds => "seeds",
            Slot::Graph => "graph",
            Slot::Spread => "spread",
            Slot::Select => "select",
        }
    }

    /// Every word that may stand here, with what it means.
    pub fn words(self) -> Vec<(String, String)> {
        fn of<T>(words: &[Word<T>]) -> Vec<(String, String)> {
            let own = words.iter();
            own.map(|w| (w.name.to_owned(), w.about.to_owned()))
                .collect()
        }
        match self {
            Slot::Seeds => {
                let mut words = vec![(NAMES.to_owned(), NAMES_ABOUT.to_owned())];
                words.extend(of(RESTS));
                let both = RESTS.iter();
                words.extend(both.map(|w| {
                    let about = format!("names in the question, and {}", w.about);
                    (format!("{NAMES}+{}", w.name), about)
                }));
                words
            }
            Slot::Graph => GRAPHS
                .iter()
                .map(|kind| (kind.name.to_owned(), kind.about.to_owned()))
                .collect(),
            Slot::Spread => of(WALKS),
            Slot::Select => of(PICKS),
        }
    }
}

fn find<T: Copy>(words: &[Word<T>], name: &str) -> Option<T> {
    words.iter().find(|w| w.name == name).map(|w| w.part)
}

fn name_of<T: PartialEq>(words: &'static [Word<T>], part: &T) -> &'static str {
    let found = words.iter().find(|w| w.part == *part);
    found.map_or("", |w| w.name)
}

fn about_of<T: PartialEq>(words: &'static [Word<T>], part: &T) -> &'static str {
    let found = words.iter().find(|w| w.part == *part);
    found.map_or("", |w| w.about)
}

fn graph_of(name: &str) -> Option<&'static GraphKind> {
    GRAPHS.iter().find(|kind| kind.name == name).copied()
}

fn seeds_of(text: &str) -> Option<Seeds> {
    let (names, rest) = match text.split_once('+') {
        Some((NAMES, rest)) => (true, Some(rest)),
        None if text == NAMES => (true, None),
        _ => (false, Some(text)),
    };
    let rest = match rest {
        Some(rest) => Some(find(RESTS, rest)?),
        None => None,
    };
    Some(Seeds { names, rest })
}

/// A part by its word, or by the name of a method that has one.
fn part<T>(slot: Slot, text: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    let text = text.trim();
    if let Some(part) = read(text) {
        return Ok(part);
    }
    let Some((method, taken)) = TAKEN.iter().find(|(method, _)| *method == text) else {
        let words: Vec<String> = slot.words().into_iter().map(|(name, _)| name).collect();
        return Err(format!(
            "no {} '{text}'; there are {}, or the name of a method that has one",
            slot.name(),
            words.join(", ")
        ));
    };
    let own = taken[slot as usize];
    read(own).ok_or_else(|| {
        let why = WHY_NOT.iter().find(|(word, _)| *word == own);
        format!(
            "the {} of {method} cannot be composed: it {}",
            slot.name(),
            why.map_or("", |(_, why)| why)
        )
    })
}

impl Composition {
    /// Reads `SEEDS > GRAPH > SPREAD > SELECT`.
    ///
    /// # Errors
    /// A part that is none, with the words there are. Whether the parts fit is [`method`](Self::method)'s to say.
    pub fn parse(text: &str) -> Result<Composition, String> {
        let parts: Vec<&str> = text.split('>').collect();
        let [seeds, graph, walk, pick] = parts[..] else {
            return Err(format!(
                "'{text}' has {} parts; write SEEDS > GRAPH > SPREAD > SELECT, for example 'rrf > chunk-similarity > push > passages'",
                parts.len()
            ));
        };
        let mut own = Composition::of_nothing();
        for (slot, text) in Slot::ALL.into_iter().zip([seeds, graph, walk, pick]) {
            own = own.with(slot, text)?;
        }
        Ok(own)
    }

    fn of_nothing() -> Composition {
        Composition {
            seeds: Seeds {
                names: true,
                rest: Some(Rest::List(Ranker::Rrf)),
            },
            graph: &ENTITY_PASSAGE,
            walk: Walk::Power,
            pick: Pick::Passages,
        }
    }

    /// Another word for one part.
    ///
    /// # Errors
    /// A word that is none, with those there are.
    pub fn with(mut self, slot: Slot, text: &str) -> Result<Composition, String> {
        match slot {
            Slot::Seeds => self.seeds = part(slot, text, seeds_of)?,
            Slot::Graph => self.graph = part(slot, text, graph_of)?,
            Slot::Spread => self.walk = part(slot, text, |t| find(WALKS, t))?,
            Slot::Select => self.pick = part(slot, text, |t| find(PICKS, t))?,
        }
        Ok(self)
    }

    /// What a method has of each part; where it has none that can be taken, SPRIG's: names and fused passages, names and
    /// passages, power, passages.
    pub fn near(method: &Method) -> Composition {
        if let Some(own) = method.composition() {
            return own;
        }
        let taken = TAKEN.iter().find(|(name, _)| *name == method.name);
        let mut own = Composition::of_nothing();
        for (slot, text) in Slot::ALL.into_iter().zip(taken.map_or([""; 4], |t| t.1)) {
            own = own.with(slot, text).unwrap_or(own);
        }
        own
    }

    /// Some parts by their words, the rest a method's. Seeds that were not asked for give way where they do not fit.
    ///
    /// # Errors
    /// A word that is none, or parts that do not fit, with the reason.
    pub fn over(method: &Method, parts: [Option<&str>; 4]) -> Result<Composition, String> {
        let mut own = Composition::near(method);
        for (slot, text) in Slot::ALL.into_iter().zip(parts) {
            if let Some(text) = text {
                own = own.with(slot, text)?;
            }
        }
        if parts[Slot::Seeds as usize].is_none() && own.fits().is_err() {
            let list = |names, rest| Seeds { names, rest };
            let rrf = Some(Rest::List(Ranker::Rrf));
            let others = [list(true, rrf), list(false, rrf)];
            let fitting = others.map(|seeds| Composition { seeds, ..own });
            own = fitting
                .into_iter()
                .find(|c| c.fits().is_ok())
                .unwrap_or(own);
        }
        own.fits()?;
        Ok(own)
    }

    /// Whether the parts can work together.
    ///
    /// # Errors
    /// Why not, and what would.
    pub fn fits(&self) -> Result<(), String> {
        let (seeds, graph) = (self.seeds, self.graph);
        let (seeded, on) = (seeds.to_string(), graph.name);
        if seeds.names && !graph.named {
            return Err(format!(
                "seeds {seeded} do not fit graph {on}: its nodes are {}, none is a name; take bm25, dense, rrf or nearest",
                graph.nodes
            ));
        }
        if seeds.rest == Some(Rest::Nearest) && !graph.embedded {
            return Err(format!(
                "seeds {seeded} do not fit graph {on}: its nodes ({}) have no vectors of their own; take dense, the nearest passages",
                graph.nodes
            ));
        }
        let listed = matches!(seeds.rest, Some(Rest::List(_)));
        if self.pick == Pick::Fuse && !listed {
            return Err(format!(
                "selection fuse does not fit seeds {seeded}: it fuses a list of passages with the walk, and there is none; add bm25, dense or rrf to the seeds"
            ));
        }
        if self.pick == Pick::Bridge && !seeds.names {
            return Err(format!(
                "selection bridge does not fit seeds {seeded}: it multiplies one walk a name, and no names are looked up; add names to the seeds"
            ));
        }
        Ok(())
    }

    pub fn ranker(&self) -> Option<Ranker> {
        match self.seeds.rest {
            Some(Rest::List(ranker)) => Some(ranker),
            _ => None,
        }
    }

    pub fn reads_vectors(&self) -> bool {
        plans::composed(self).needs_vectors()
    }

    /// Where its defaults differ from the declarations': its nearest relative's, then its walk's.
    fn defaults(&self) -> Vec<(Parameter, Value)> {
        // Of SPRIG's kind: what a system presets is for its own steps.
        let own = |m: &&Method| m.layer().is_none();
        let kin = METHODS.iter().filter(own).find(|m| {
            let taken = Composition::near(m);
            m.name != DEFAULT_METHOD
                && (taken.seeds, taken.graph, taken.pick) == (self.seeds, self.graph, self.pick)
        });
        let kin = kin.or_else(|| {
            let words = self.graph == &TERM_PASSAGE;
            let mut methods = METHODS.iter();
            methods.find(|m| words && m.graph() == Some(self.graph))
        });
        let mut defaults = kin.map_or(Vec::new(), |m| m.defaults.to_vec());
        defaults.extend(self.walk.defaults());
        // One long passage does not close the context to all the others.
        defaults.extend((self.pick == Pick::Pack).then_some(PACK.at(Misfit::Skip)));
        // Where nothing starts the walk of a composition nothing is retrieved: of SPRIG's own methods it is published.
        let published = [&ENTITY_PASSAGE, &TERM_PASSAGE].contains(&self.graph);
        let plain = self.seeds.names && self.walk != Walk::Lazy && published;
        if !plain || !matches!(self.pick, Pick::Passages | Pick::Fuse) {
            defaults.push(FALLBACK.at(Fallback::None));
        }
        defaults
    }

    /// The method of this composition.
    ///
    /// # Errors
    /// Parts that do not fit, with the reason.
    pub fn method(self) -> Result<MethodRef, String> {
        self.fits()?;
        let name = self.to_string();
        Ok(MethodRef::from(Method {
            title: name.clone().into(),
            name: name.into(),
            about: self.about().into(),
            needs: self.needs().into(),
            way: Way::Composed(self, plans::composed(&self)),
            defaults: self.defaults().into(),
        }))
    }

    fn about(&self) -> String {
        format!(
            "from {} over {}; {}; {}",
            self.seeds.about(),
            self.graph.about,
            about_of(WALKS, &self.walk),
            about_of(PICKS, &self.pick)
        )
    }

    fn needs(&self) -> String {
        let mut needs = Vec::new();
        if self.ranker().is_some_and(Ranker::reads_words) || self.graph == &TERM_PASSAGE {
            needs.push("words".to_owned());
        }
        if self.graph == &ENTITY_PASSAGE {
            needs.push("entities".to_owned());
        }
        if self.reads_vectors() {
            needs.push("vectors".to_owned());
        }
        needs.extend(self.graph.layer.map(|layer| format!("layer {layer}")));
        needs.join(", ")
    }
}

impl Seeds {
    fn about(self) -> String {
        let rest = self.rest.map(|rest| about_of(RESTS, &rest));
        match (self.names, rest) {
            (true, Some(rest)) => format!("names in the question and {rest}"),
            (true, None) => "names in the question".to_owned(),
            (false, rest) => rest.unwrap_or("").to_owned(),
        }
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.rest.map(|rest| name_of(RESTS, &rest));
        match (self.names, rest) {
            (true, Some(rest)) => write!(f, "{NAMES}+{rest}"),
            (true, None) => f.write_str(NAMES),
            (false, rest) => f.write_str(rest.unwrap_or("")),
        }
    }
}

impl fmt::Display for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} > {} > {} > {}",
            self.seeds,
            self.graph.name,
            name_of(WALKS, &self.walk),
            name_of(PICKS, &self.pick)
        )
    }
}
