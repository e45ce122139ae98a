//! The methods: named plans.

#![warn(missing_docs)]

use super::compose::{self, Composition, Pick};
use super::operator::{Operator, Part};
use super::operators::ket::{self, Text};
use super::operators::rerank::RERANK;
use super::operators::run_file::Rankings;
use super::operators::{e2graphrag, given, hipporag, lightrag, linearrag, noderag, sage, spark};
use super::plan::Plan;
use super::shared::Shared;
use super::{hop, plans};
use crate::index::{Index, Layer};
use crate::layers::given::GivenLayer;
use crate::layers::typed::SparkLayer;
use crate::layers::{ENTITY_PASSAGE, GIVEN, GraphKind, TERM_PASSAGE};
use crate::parameters::{CHUNK_ORDER, ChunkOrder, Parameter, Parameter as P, Value};
use serde::Serialize;
use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

/// What ranked passages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranker {
    /// BM25 with the question as it is.
    Bm25,
    /// BM25 with the question expanded by words of its best passages.
    Rm3,
    /// BM25 with the question expanded by names of its best passages.
    TwoStep,
    /// Cosine with the question's vector.
    Dense,
    /// Lists fused.
    Rrf,
    /// What a walk landed on them.
    Walk,
    /// The geometric mean of several walks.
    Bridge,
    /// A budget of tokens filled in the order of another ranking.
    Pack,
    /// The weighted sum of `hop`'s signals.
    Signals,
    /// The operators of a plan over a layer of its own, which say themselves what a score is made of.
    Parts,
}

impl Ranker {
    /// Whether words of the question are scored.
    pub fn reads_words(self) -> bool {
        matches!(
            self,
            Ranker::Bm25 | Ranker::Rm3 | Ranker::TwoStep | Ranker::Rrf
        )
    }

    /// For the screen.
    pub fn label(self) -> &'static str {
        match self {
            Ranker::Bm25 => "BM25",
            Ranker::Rm3 => "BM25+RM3",
            Ranker::TwoStep => "BM25 2-step",
            Ranker::Dense => "dense",
            Ranker::Rrf => "RRF",
            Ranker::Walk => "walk",
            Ranker::Bridge => "bridge",
            Ranker::Pack => "context",
            Ranker::Signals => "signals",
            Ranker::Parts => "parts",
        }
    }
}

/// How a method comes by its plan.
#[derive(Debug)]
pub enum Way {
    /// It is always the same.
    Fixed(LazyLock<Plan>),
    /// It was composed by a person.
    Composed(Composition, Plan),
    /// Another one, whose ranking one more selection takes in.
    Ended(MethodRef, Pick, Plan),
    /// It is the file of another program's run.
    Read(Rankings, Plan),
}

/// A retrieval method: its plan, and the parameter defaults it overrides.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let hop = method("hop")?;
/// assert!(hop.walks() && hop.plan().spreads());
/// assert!(Method::by_name("hob").unwrap_err().contains("hop"), "names what is alike");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Method {
    /// As `--method` spells it.
    pub name: Cow<'static, str>,
    /// For the screen.
    pub title: Cow<'static, str>,
    /// One line: what it does.
    pub about: Cow<'static, str>,
    /// One line: what it needs of an index.
    pub needs: Cow<'static, str>,
    /// How it comes by its plan.
    #[serde(skip)]
    pub way: Way,
    /// Its own defaults, where they differ from the declarations'.
    #[serde(skip)]
    pub defaults: Cow<'static, [(Parameter, Value)]>,
}

/// A method as settings and presets hold it.
pub type MethodRef = Shared<Method>;

/// A method whose defaults are those of the declarations.
const NONE: Cow<'static, [(Parameter, Value)]> = Cow::Borrowed(&[]);

/// A method of the program's own, whose plan is made when it is first read.
const fn fixed(plan: fn() -> Plan) -> Way {
    Way::Fixed(LazyLock::new(plan))
}

/// All methods, in the order they are listed.
pub static METHODS: &[Method] = &LISTED;

static LISTED: [Method; 38] = [
    Method {
        name: Cow::Borrowed("bm25"),
        title: Cow::Borrowed("BM25"),
        about: Cow::Borrowed("words of the question, weighted by rarity; no graph"),
        needs: Cow::Borrowed("words"),
        way: fixed(|| plans::flat(Ranker::Bm25, false)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("bm25-rm3"),
        title: Cow::Borrowed("BM25 + RM3"),
        about: Cow::Borrowed("BM25 again with the question expanded by words of its best passages"),
        needs: Cow::Borrowed("words"),
        way: fixed(|| plans::flat(Ranker::Rm3, false)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("bm25-2step"),
        title: Cow::Borrowed("BM25 2-step"),
        about: Cow::Borrowed("BM25 again with the question expanded by names of its best passages"),
        needs: Cow::Borrowed("words, entities"),
        way: fixed(|| plans::flat(Ranker::TwoStep, false)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("dense"),
        title: Cow::Borrowed("Dense"),
        about: Cow::Borrowed("cosine of the question's and the passage's vectors; no graph"),
        needs: Cow::Borrowed("vectors"),
        way: fixed(|| plans::flat(Ranker::Dense, false)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("rrf"),
        title: Cow::Borrowed("RRF"),
        about: Cow::Borrowed("BM25 and dense, fused by rank; no graph"),
        needs: Cow::Borrowed("words, vectors"),
        way: fixed(|| plans::flat(Ranker::Rrf, false)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("bm25-ce"),
        title: Cow::Borrowed("BM25 + re-ranker"),
        about: Cow::Borrowed("the best BM25 passages re-ranked by a cross-encoder or MaxSim"),
        needs: Cow::Borrowed("words, vectors"),
        way: fixed(|| plans::flat(Ranker::Bm25, true)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("rrf-ce"),
        title: Cow::Borrowed("RRF + re-ranker"),
        about: Cow::Borrowed(
            "the best fused passages re-ranked by a cross-encoder; without one by MaxSim, which ranks lower than rrf",
        ),
        needs: Cow::Borrowed("words, vectors"),
        way: fixed(|| plans::flat(Ranker::Rrf, true)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("tfidf-graph"),
        title: Cow::Borrowed("TF-IDF graph"),
        about: Cow::Borrowed("walk from the words of the question over the word-passage graph"),
        needs: Cow::Borrowed("words"),
        defaults: Cow::Borrowed(&[
            (P::MinDf, Value::Integer(3)),
            (P::MaxDfRatio, Value::Real(0.1)),
        ]),
        way: fixed(|| plans::sprig(&TERM_PASSAGE, None)),
    },
    Method {
        name: Cow::Borrowed("graph"),
        title: Cow::Borrowed("SPRIG Graph"),
        about: Cow::Borrowed("walk from the names in the question over the entity-passage graph"),
        needs: Cow::Borrowed("words, entities"),
        way: fixed(|| plans::sprig(&ENTITY_PASSAGE, None)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("graph-hybrid"),
        title: Cow::Borrowed("SPRIG GraphHybrid"),
        about: Cow::Borrowed("walk from the names in the question and from the best BM25 passages"),
        needs: Cow::Borrowed("words, entities"),
        way: fixed(|| plans::sprig(&ENTITY_PASSAGE, Some(Ranker::Bm25))),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("graph-dense"),
        title: Cow::Borrowed("SPRIG GraphDense"),
        about: Cow::Borrowed(
            "walk from the names in the question and from the passages nearest to it",
        ),
        needs: Cow::Borrowed("entities, vectors"),
        defaults: Cow::Borrowed(&[(P::SeedK, Value::Integer(5))]),
        way: fixed(|| plans::sprig(&ENTITY_PASSAGE, Some(Ranker::Dense))),
    },
    Method {
        name: Cow::Borrowed("graph-rrf"),
        title: Cow::Borrowed("SPRIG GraphRRF"),
        about: Cow::Borrowed(
            "walk from the names in the question and from the best fused passages",
        ),
        needs: Cow::Borrowed("words, entities, vectors"),
        way: fixed(|| plans::sprig(&ENTITY_PASSAGE, Some(Ranker::Rrf))),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("rrf-ppr"),
        title: Cow::Borrowed("RRF + PPR fusion"),
        about: Cow::Borrowed("the fused ranking and a walk from names alone, fused"),
        needs: Cow::Borrowed("words, entities, vectors"),
        way: fixed(plans::rrf_ppr),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("hop"),
        title: Cow::Borrowed("hop"),
        about: Cow::Borrowed(
            "two walks, a sentence bridge, closeness and words in one score of eight parts",
        ),
        needs: Cow::Borrowed("words, entities, titles; vectors help"),
        defaults: Cow::Borrowed(&[
            (P::Gazetteer, Value::Choice(1)),
            (P::Tokens, Value::Choice(1)),
            (P::Bm25K1, Value::Real(0.9)),
            (P::Bm25B, Value::Real(0.4)),
            // As good as power iteration in log space, and several times as fast.
            (P::Walk, Value::Choice(1)),
            (P::Epsilon, Value::Real(1e-4)),
        ]),
        way: fixed(hop::plan),
    },
    Method {
        name: Cow::Borrowed("linearrag"),
        title: Cow::Borrowed("LinearRAG"),
        about: Cow::Borrowed(
            "names activate names through sentences close to the question; then a walk over names and passages",
        ),
        needs: Cow::Borrowed("entities, vectors"),
        defaults: Cow::Borrowed(&[
            (P::Gazetteer, Value::Choice(1)),
            (P::EdgeWeight, Value::Choice(4)),
            (P::HubP, Value::Real(0.0)),
            // The source walks to convergence with damping .5: what is left after 20 steps is a millionth.
            (P::Alpha, Value::Real(0.5)),
            (P::Steps, Value::Integer(20)),
        ]),
        way: fixed(linearrag::plan),
    },
    Method {
        name: Cow::Borrowed("hipporag2"),
        title: Cow::Borrowed("HippoRAG 2"),
        about: Cow::Borrowed(
            "phrases of the facts nearest to the question, and every passage by closeness; then a walk over both",
        ),
        needs: Cow::Borrowed("layer facts; vectors"),
        defaults: Cow::Borrowed(&[
            // As LinearRAG, whose source is made after this one.
            (P::Alpha, Value::Real(0.5)),
            (P::Steps, Value::Integer(20)),
        ]),
        way: fixed(hipporag::plan),
    },
    Method {
        name: Cow::Borrowed("e2graphrag"),
        title: Cow::Borrowed("E2GraphRAG"),
        about: Cow::Borrowed(
            "chunks shared by pairs of query entities within h hops, h adapts; else nodes of a summary tree",
        ),
        needs: Cow::Borrowed("layer e2graphrag; vectors for questions without a pair"),
        way: fixed(e2graphrag::plan),
        defaults: Cow::Borrowed(&[(P::ResultK, Value::Integer(25))]),
    },
    Method {
        name: Cow::Borrowed("e2graphrag-rrf"),
        title: Cow::Borrowed("E2GraphRAG + dense"),
        about: Cow::Borrowed(
            "E2GraphRAG's chunks by the rarity of the names in them, fused with the passages nearest to the question",
        ),
        needs: Cow::Borrowed("layer e2graphrag; vectors"),
        way: fixed(e2graphrag::fused),
        defaults: Cow::Borrowed(&[
            CHUNK_ORDER.at(ChunkOrder::Rarity),
            (P::MaxDfRatio, Value::Real(0.02)),
        ]),
    },
    Method {
        name: Cow::Borrowed("text-rag"),
        title: Cow::Borrowed("Text-RAG"),
        about: Cow::Borrowed("units nearest to the question, packed into the context; no graph"),
        needs: Cow::Borrowed("vectors, layer ket"),
        way: fixed(|| ket::plan(Some(Text::Units), None)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("hyde-rag"),
        title: Cow::Borrowed("HyDE"),
        about: Cow::Borrowed(
            "units nearest to a passage that a model makes up in answer to the question, packed; no graph",
        ),
        needs: Cow::Borrowed(
            "vectors, layer ket, --llm; without a model the question stands for the passage",
        ),
        way: fixed(|| ket::plan(Some(Text::MadeUp), None)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("knng-rag"),
        title: Cow::Borrowed("KNNG-RAG"),
        about: Cow::Borrowed("nearest units and their neighbours in the kNN graph, packed"),
        needs: Cow::Borrowed("vectors, layer ket"),
        way: fixed(|| ket::plan(Some(Text::Neighbours), None)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("keyword-rag"),
        title: Cow::Borrowed("Keyword-RAG"),
        about: Cow::Borrowed("units of the nearest keywords, packed by similarity"),
        needs: Cow::Borrowed("vectors, layer ket"),
        way: fixed(|| ket::plan(Some(Text::Keywords), None)),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("skeleton-rag"),
        title: Cow::Borrowed("Skeleton-RAG"),
        about: Cow::Borrowed("local search in the graph of names and relations of the core units"),
        needs: Cow::Borrowed("vectors, layer ket"),
        way: fixed(|| ket::plan(None, Some(ket::ANY))),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("ms-graph-rag"),
        title: Cow::Borrowed("MS-Graph-RAG"),
        about: Cow::Borrowed(
            "local search in the graph of names and relations of all units, without communities",
        ),
        needs: Cow::Borrowed("vectors, layer ket"),
        way: fixed(|| ket::plan(None, Some(ket::ALL))),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("hybrid-rag"),
        title: Cow::Borrowed("Hybrid-RAG"),
        about: Cow::Borrowed("half MS-Graph-RAG, half Text-RAG under one budget"),
        needs: Cow::Borrowed("vectors, layer ket"),
        way: fixed(|| ket::plan(Some(Text::Units), Some(ket::ALL))),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("ket-rag-u"),
        title: Cow::Borrowed("KET-RAG-U"),
        about: Cow::Borrowed(
            "skeleton of evenly drawn core units, and units by keywords, under one budget",
        ),
        needs: Cow::Borrowed("vectors, layer ket"),
        way: fixed(|| ket::plan(Some(Text::Keywords), Some(ket::EVEN))),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("ket-rag-p"),
        title: Cow::Borrowed("KET-RAG-P"),
        about: Cow::Borrowed(
            "skeleton of the most central units, and units by keywords, under one budget",
        ),
        needs: Cow::Borrowed("vectors, layer ket"),
        way: fixed(|| ket::plan(Some(Text::Keywords), Some(ket::CENTRAL))),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("noderag"),
        title: Cow::Borrowed("NodeRAG"),
        about: Cow::Borrowed(
            "names and vectors enter a graph of seven node types; a walk of two steps; passages by the mass they receive",
        ),
        needs: Cow::Borrowed("vectors, layer noderag"),
        way: fixed(noderag::plan),
        defaults: Cow::Borrowed(&[(P::Alpha, Value::Real(0.5)), (P::Steps, Value::Integer(2))]),
    },
    Method {
        name: Cow::Borrowed("sage"),
        title: Cow::Borrowed("SAGE"),
        about: Cow::Borrowed(
            "fused seeds, one hop over the graph of chunks and table segments, pruned by the same score",
        ),
        needs: Cow::Borrowed("vectors, layer sage"),
        way: fixed(|| sage::plan(false)),
        // Seeds come first: with as many as are returned the graph adds nothing.
        defaults: Cow::Borrowed(&[
            (P::Bm25K1, Value::Real(1.5)),
            (P::SageSeeds, Value::Integer(7)),
        ]),
    },
    Method {
        name: Cow::Borrowed("sage-flat"),
        title: Cow::Borrowed("SAGE flat"),
        about: Cow::Borrowed(
            "the best k + k' chunks and table segments by the fused score of SAGE's seeds; no graph",
        ),
        needs: Cow::Borrowed("vectors, layer sage"),
        way: fixed(|| sage::plan(true)),
        defaults: Cow::Borrowed(&[(P::Bm25K1, Value::Real(1.5))]),
    },
    Method {
        name: Cow::Borrowed("spark"),
        title: Cow::Borrowed("SPARK + SAGE"),
        about: Cow::Borrowed(
            "a plan of typed operators over a schema graph; answers expanded by their neighbours",
        ),
        needs: Cow::Borrowed(
            "words, vectors, layer spark (built from nodes and edges beside the corpus)",
        ),
        way: fixed(spark::plan),
        // SAGE's constants of BM25.
        defaults: Cow::Borrowed(&[(P::Bm25K1, Value::Real(1.5))]),
    },
    Method {
        name: Cow::Borrowed("given"),
        title: Cow::Borrowed("PPR on given graph"),
        about: Cow::Borrowed(
            "walk from names and fused lists over the graph that the corpus came with (LightRAG, GraphRAG ...)",
        ),
        needs: Cow::Borrowed(
            "words, vectors, layer given (built from the files beside the corpus)",
        ),
        way: fixed(|| plans::sprig(&GIVEN, Some(Ranker::Rrf))),
        defaults: NONE,
    },
    Method {
        name: Cow::Borrowed("graphrag-local"),
        title: Cow::Borrowed("GraphRAG local"),
        about: Cow::Borrowed(
            "texts of the 20 entities nearest to the question, as GraphRAG's local search orders them",
        ),
        needs: Cow::Borrowed("vectors, layer given (built from the files beside the corpus)"),
        way: fixed(given::graphrag_local),
        defaults: Cow::Borrowed(&[(P::SeedK, Value::Integer(20))]),
    },
    Method {
        name: Cow::Borrowed("nano-local"),
        title: Cow::Borrowed("nano-graphrag local"),
        about: Cow::Borrowed(
            "texts of the 20 entities nearest to the question, as nano-graphrag's local search orders them",
        ),
        needs: Cow::Borrowed("vectors, layer given (built from the files beside the corpus)"),
        way: fixed(given::nano_local),
        defaults: Cow::Borrowed(&[(P::SeedK, Value::Integer(20))]),
    },
    Method {
        name: Cow::Borrowed("lightrag-local"),
        title: Cow::Borrowed("LightRAG local"),
        about: Cow::Borrowed(
            "texts nearest to the question, of those of its 40 nearest entities and of their relations; the question stands for a model's keywords",
        ),
        needs: Cow::Borrowed("vectors, layer given (built from the files beside the corpus)"),
        way: fixed(lightrag::local),
        defaults: Cow::Borrowed(&[(P::SeedK, Value::Integer(40))]),
    },
    Method {
        name: Cow::Borrowed("lightrag-global"),
        title: Cow::Borrowed("LightRAG global"),
        about: Cow::Borrowed(
            "texts nearest to the question, of those of its 40 nearest relations and of their ends; the question stands for a model's keywords",
        ),
        needs: Cow::Borrowed("vectors, layer given (built from the files beside the corpus)"),
        way: fixed(lightrag::global),
        defaults: Cow::Borrowed(&[(P::SeedK, Value::Integer(40))]),
    },
    Method {
        name: Cow::Borrowed("lightrag-hybrid"),
        title: Cow::Borrowed("LightRAG hybrid"),
        about: Cow::Borrowed(
            "texts nearest to the question, of the entities and relations of local and global; the question stands for a model's keywords",
        ),
        needs: Cow::Borrowed("vectors, layer given (built from the files beside the corpus)"),
        way: fixed(lightrag::hybrid),
        defaults: Cow::Borrowed(&[(P::SeedK, Value::Integer(40))]),
    },
    Method {
        name: Cow::Borrowed("lightrag-mix"),
        title: Cow::Borrowed("LightRAG mix"),
        about: Cow::Borrowed(
            "nearest texts, and those of hybrid, in turn; the question stands for a model's keywords",
        ),
        needs: Cow::Borrowed("vectors, layer given (built from the files beside the corpus)"),
        way: fixed(lightrag::mix),
        defaults: Cow::Borrowed(&[(P::SeedK, Value::Integer(40))]),
    },
];

/// What `hopscope`, `ask` and `eval` use when no method is named.
pub const DEFAULT_METHOD: &str = "hop";

impl Method {
    /// A method by its name, a composition by its parts, or the run file of another program by its path.
    ///
    /// # Errors
    /// The name and the names there are, why the parts do not fit, or what is wrong with the file.
    pub fn by_name(name: &str) -> Result<MethodRef, String> {
        match name.split('>').collect::<Vec<_>>()[..] {
            [_] => {}
            [method, select] => return compose::ending(method, select),
            _ => return Composition::parse(name)?.method(),
        }
        if let Some(listed) = METHODS.iter().find(|m| m.name == name) {
            return Ok(MethodRef::from(listed));
        }
        let file = Path::new(name);
        if file.is_file() {
            return Method::read(name, file);
        }
        let names: Vec<&str> = METHODS.iter().map(|m| &*m.name).collect();
        Err(format!(
            "no method '{name}'; there are {}, METHOD > SELECT, compositions SEEDS > GRAPH > SPREAD > SELECT, and run files by their paths",
            names.join(", ")
        ))
    }

    fn read(name: &str, file: &Path) -> Result<MethodRef, String> {
        let rankings = Rankings::open(file)?;
        let title = file.file_stem().unwrap_or_default().to_string_lossy();
        Ok(MethodRef::from(Method {
            name: name.to_owned().into(),
            title: title.into_owned().into(),
            about: Cow::Borrowed("what another program ranked, read from its file"),
            needs: Cow::Borrowed("questions of the set"),
            way: Way::Read(rankings, plans::read(name)),
            defaults: NONE,
        }))
    }

    /// Of a run file, what it says.
    pub fn rankings(&self) -> Option<&Rankings> {
        match &self.way {
            Way::Read(rankings, _) => Some(rankings),
            Way::Ended(of, ..) => of.rankings(),
            Way::Fixed(_) | Way::Composed(..) => None,
        }
    }

    /// The steps that it takes.
    pub fn plan(&self) -> &Plan {
        match &self.way {
            Way::Fixed(plan) => plan,
            Way::Composed(_, plan) | Way::Read(_, plan) | Way::Ended(_, _, plan) => plan,
        }
    }

    /// Why nothing was retrieved.
    pub fn why_nothing(&self) -> &'static str {
        match self.rankings() {
            Some(_) => "the file has no ranking of this question; it covers questions of the set",
            None => "no passage has a score above zero",
        }
    }

    /// Where it was composed by a person.
    pub fn composition(&self) -> Option<Composition> {
        match &self.way {
            Way::Composed(composition, _) => Some(*composition),
            Way::Fixed(_) | Way::Read(..) | Way::Ended(..) => None,
        }
    }

    /// Whether it needs vectors.
    pub fn reads_vectors(&self) -> bool {
        self.plan().needs_vectors()
    }

    /// The layer of an index it reads.
    pub fn layer(&self) -> Option<&'static str> {
        self.plan().layer()
    }

    /// Whether an index has what its layer is read from: a typed graph, or the graph of another system. What is computed from
    /// texts alone, every index has.
    pub fn fits(&self, index: &Index) -> bool {
        match self.layer() {
            Some(GivenLayer::LABEL) => crate::layers::given::is_known(index),
            Some(SparkLayer::NAME) => {
                let stored = index.layers().iter().any(|name| name == SparkLayer::NAME);
                stored || crate::layers::typed::tables(index).is_ok()
            }
            _ => true,
        }
    }

    /// The method whose ranking its last selection takes in, where a person put that behind it.
    pub fn base(&self) -> Option<&MethodRef> {
        match &self.way {
            Way::Ended(of, ..) => Some(of),
            _ => None,
        }
    }

    /// Whether mass walks over the edges of a graph.
    pub fn walks(&self) -> bool {
        let mut steps = self.plan().steps.iter();
        steps.any(|step| step.operator.declaration().walks)
    }

    /// Whether it works on a layer without a walk: what its steps did is told stage by stage.
    pub fn tells(&self) -> bool {
        self.layer().is_some() && !self.walks()
    }

    /// The graph that it walks.
    pub fn graph(&self) -> Option<&'static GraphKind> {
        self.plan().part(Part::Spread).last()?.graph
    }

    /// Whether candidates are scored again.
    pub fn reranks(&self) -> bool {
        let mut selects = self.plan().part(Part::Select);
        selects.any(|step| step.operator.declaration().name == RERANK.declaration().name)
    }

    /// What keeps changes of the seeds from changing anything; none where they are obeyed.
    pub fn ignores_edits(&self) -> Option<&'static str> {
        let mut steps = self.plan().steps.iter();
        match steps.any(|step| step.operator.declaration().edits_seeds) {
            true => None,
            false => Some("starts from no seeds"),
        }
    }

    /// What keeps changes of the graph from changing anything; none where some graph of the plan takes them.
    pub fn ignores_graph_edits(&self) -> Option<String> {
        let graphs = self.plan().graphs();
        match graphs.first() {
            None => Some("works on no graph".to_owned()),
            Some(_) if graphs.iter().any(|graph| graph.takes_edits()) => None,
            Some(graph) => Some(format!("works on {}, which cannot be edited", graph.name)),
        }
    }

    /// The graphs of its plan that changes by hand do not reach, where they reach another.
    pub fn graphs_without_edits(&self) -> Vec<&'static str> {
        let graphs = self.plan().graphs();
        let closed = graphs.iter().filter(|graph| !graph.takes_edits());
        let names: Vec<&str> = closed.map(|graph| graph.name).collect();
        match names.len() < graphs.len() {
            true => names,
            false => Vec::new(),
        }
    }

    /// The parameters that can change this method's result, in the order they are declared.
    pub fn uses(&self) -> Vec<Parameter> {
        self.plan().uses()
    }

    /// This method's default for a parameter.
    pub fn default(&self, parameter: Parameter) -> Value {
        let own = self.defaults.iter().find(|(p, _)| *p == parameter);
        own.map_or(parameter.declaration().default, |(_, value)| *value)
    }
}

impl PartialEq for Method {
    fn eq(&self, other: &Method) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ends_in_ce_scores_candidates_again() {
        for method in METHODS {
            let again = method.name.ends_with("-ce");
            assert_eq!(method.reranks(), again, "{}", method.name);
        }
    }
}
