//! The methods: named combinations of a first-stage ranking, a graph, seeds and a spread.

use super::compose::Composition;
use super::hop;
use super::shared::Shared;
use crate::parameters::{Parameter, Parameter as P, Value};
use crate::systems::{System, e2graphrag, ket, noderag, sage, spark};
use serde::Serialize;
use std::borrow::Cow;

/// A first-stage ranking of passages: the whole answer of a flat method, or the passage seeds of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranker {
    Bm25,
    /// BM25 with the question expanded by words of its best passages.
    Rm3,
    /// BM25 with the question expanded by names of its best passages.
    TwoStep,
    /// Cosine with the question's vector.
    Dense,
    /// Reciprocal rank fusion of BM25 and dense.
    Rrf,
}

/// How the final ranking comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Select {
    /// The scores of the walk, or else of the first stage.
    Score,
    /// The best of the first stage, scored again by a cross-encoder or by MaxSim over token vectors.
    Rerank,
    /// The first-stage ranking and a walk from names alone, fused.
    Fuse,
    /// Eight signals, among them two walks, in one weighted sum.
    Signals,
}

impl Ranker {
    /// The parameters of its list, in pipeline order.
    pub fn uses(self) -> Vec<Parameter> {
        let mut uses = Vec::new();
        if self == Ranker::TwoStep {
            uses.extend_from_slice(NAMES);
        }
        if self.reads_words() {
            uses.extend_from_slice(BM25);
        }
        if self.reads_vectors() {
            uses.extend_from_slice(VECTORS);
        }
        match self {
            Ranker::Rm3 => uses.extend_from_slice(RM3),
            Ranker::TwoStep => uses.extend_from_slice(TWO_STEP),
            Ranker::Rrf => uses.extend_from_slice(&[P::RrfC, P::RrfDepth]),
            Ranker::Bm25 | Ranker::Dense => {}
        }
        uses
    }

    /// Whether words of the question are scored.
    pub fn reads_words(self) -> bool {
        self != Ranker::Dense
    }

    /// Whether vectors are.
    pub fn reads_vectors(self) -> bool {
        matches!(self, Ranker::Dense | Ranker::Rrf)
    }

    /// The stage that makes its list.
    pub fn stage(self) -> &'static str {
        match self {
            Ranker::Bm25 => "score",
            Ranker::Rm3 | Ranker::TwoStep => "expand",
            Ranker::Dense => "vectors",
            Ranker::Rrf => "fuse",
        }
    }

    /// For the screen.
    pub fn label(self) -> &'static str {
        match self {
            Ranker::Bm25 => "BM25",
            Ranker::Rm3 => "BM25+RM3",
            Ranker::TwoStep => "BM25 2-step",
            Ranker::Dense => "dense",
            Ranker::Rrf => "RRF",
        }
    }
}

/// What a walk runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GraphKind {
    /// Passages and the entities they mention.
    EntityPassage,
    /// Passages and their words.
    TermPassage,
}

/// A method: which parts run, and where its defaults differ from the declarations'.
#[derive(Debug, Serialize)]
pub struct Method {
    pub name: Cow<'static, str>,
    pub title: Cow<'static, str>,
    /// One line: what it does.
    pub about: Cow<'static, str>,
    /// One line: what it needs of an index.
    pub needs: Cow<'static, str>,
    pub ranker: Option<Ranker>,
    /// The graph that score spreads over; none for a flat ranking.
    pub graph: Option<GraphKind>,
    pub select: Select,
    /// What retrieves over a layer of its own; the fields above are then empty.
    #[serde(skip)]
    pub system: Option<&'static dyn System>,
    /// Where it was composed by a person.
    #[serde(skip)]
    pub composition: Option<Composition>,
    #[serde(skip)]
    pub defaults: Cow<'static, [(Parameter, Value)]>,
}

/// A method as settings and presets hold it.
pub type MethodRef = Shared<Method>;

/// A flat method without a ranking of its own: what the list below departs from.
const FLAT: Method = Method {
    name: Cow::Borrowed(""),
    title: Cow::Borrowed(""),
    about: Cow::Borrowed(""),
    needs: Cow::Borrowed(""),
    ranker: None,
    graph: None,
    select: Select::Score,
    system: None,
    composition: None,
    defaults: Cow::Borrowed(&[]),
};

/// All methods, in the order they are listed.
pub static METHODS: &[Method] = &[
    Method {
        name: Cow::Borrowed("bm25"),
        title: Cow::Borrowed("BM25"),
        about: Cow::Borrowed("words of the question, weighted by rarity; no graph"),
        needs: Cow::Borrowed("words"),
        ranker: Some(Ranker::Bm25),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("bm25-rm3"),
        title: Cow::Borrowed("BM25 + RM3"),
        about: Cow::Borrowed("BM25 again with the question expanded by words of its best passages"),
        needs: Cow::Borrowed("words"),
        ranker: Some(Ranker::Rm3),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("bm25-2step"),
        title: Cow::Borrowed("BM25 2-step"),
        about: Cow::Borrowed("BM25 again with the question expanded by names of its best passages"),
        needs: Cow::Borrowed("words, entities"),
        ranker: Some(Ranker::TwoStep),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("dense"),
        title: Cow::Borrowed("Dense"),
        about: Cow::Borrowed("cosine of the question's and the passage's vectors; no graph"),
        needs: Cow::Borrowed("vectors"),
        ranker: Some(Ranker::Dense),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("rrf"),
        title: Cow::Borrowed("RRF"),
        about: Cow::Borrowed("BM25 and dense, fused by rank; no graph"),
        needs: Cow::Borrowed("words, vectors"),
        ranker: Some(Ranker::Rrf),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("bm25-ce"),
        title: Cow::Borrowed("BM25 + re-ranker"),
        about: Cow::Borrowed("the best BM25 passages, scored again by a cross-encoder or MaxSim"),
        needs: Cow::Borrowed("words, vectors"),
        ranker: Some(Ranker::Bm25),
        select: Select::Rerank,
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("rrf-ce"),
        title: Cow::Borrowed("RRF + re-ranker"),
        about: Cow::Borrowed("the best fused passages, scored again by a cross-encoder or MaxSim"),
        needs: Cow::Borrowed("words, vectors"),
        ranker: Some(Ranker::Rrf),
        select: Select::Rerank,
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("tfidf-graph"),
        title: Cow::Borrowed("TF-IDF graph"),
        about: Cow::Borrowed("walk from the words of the question over the word-passage graph"),
        needs: Cow::Borrowed("words"),
        graph: Some(GraphKind::TermPassage),
        defaults: Cow::Borrowed(&[
            (P::MinDf, Value::Integer(3)),
            (P::MaxDfRatio, Value::Real(0.1)),
        ]),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("graph"),
        title: Cow::Borrowed("SPRIG Graph"),
        about: Cow::Borrowed("walk from the names in the question over the entity-passage graph"),
        needs: Cow::Borrowed("words, entities"),
        graph: Some(GraphKind::EntityPassage),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("graph-hybrid"),
        title: Cow::Borrowed("SPRIG GraphHybrid"),
        about: Cow::Borrowed("walk from the names in the question and from the best BM25 passages"),
        needs: Cow::Borrowed("words, entities"),
        ranker: Some(Ranker::Bm25),
        graph: Some(GraphKind::EntityPassage),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("graph-dense"),
        title: Cow::Borrowed("SPRIG GraphDense"),
        about: Cow::Borrowed(
            "walk from the names in the question and from the passages nearest to it",
        ),
        needs: Cow::Borrowed("entities, vectors"),
        ranker: Some(Ranker::Dense),
        graph: Some(GraphKind::EntityPassage),
        defaults: Cow::Borrowed(&[(P::SeedK, Value::Integer(5))]),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("graph-rrf"),
        title: Cow::Borrowed("SPRIG GraphRRF"),
        about: Cow::Borrowed(
            "walk from the names in the question and from the best fused passages",
        ),
        needs: Cow::Borrowed("words, entities, vectors"),
        ranker: Some(Ranker::Rrf),
        graph: Some(GraphKind::EntityPassage),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("rrf-ppr"),
        title: Cow::Borrowed("RRF + PPR fusion"),
        about: Cow::Borrowed("the fused ranking and a walk from names alone, fused"),
        needs: Cow::Borrowed("words, entities, vectors"),
        ranker: Some(Ranker::Rrf),
        graph: Some(GraphKind::EntityPassage),
        select: Select::Fuse,
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("hop"),
        title: Cow::Borrowed("hop"),
        about: Cow::Borrowed(
            "two walks, a sentence bridge, closeness and words in one score of eight parts",
        ),
        needs: Cow::Borrowed("words, entities, titles; vectors help"),
        ranker: Some(Ranker::Rrf),
        graph: Some(GraphKind::EntityPassage),
        select: Select::Signals,
        defaults: Cow::Borrowed(&[
            (P::Gazetteer, Value::Choice(1)),
            (P::Tokens, Value::Choice(1)),
            (P::Bm25K1, Value::Real(0.9)),
            (P::Bm25B, Value::Real(0.4)),
            // As good as power iteration in log space, and several times as fast.
            (P::Walk, Value::Choice(1)),
            (P::Epsilon, Value::Real(1e-4)),
        ]),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("e2graphrag"),
        title: Cow::Borrowed("E2GraphRAG"),
        about: Cow::Borrowed(
            "chunks shared by pairs of query entities within h hops, h adapts; else nodes of a summary tree",
        ),
        needs: Cow::Borrowed("layer e2graphrag; vectors for questions without a pair"),
        system: Some(&e2graphrag::E2GraphRag),
        defaults: Cow::Borrowed(&[(P::ResultK, Value::Integer(25))]),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("text-rag"),
        title: Cow::Borrowed("Text-RAG"),
        about: Cow::Borrowed("units nearest to the question, packed into the context; no graph"),
        needs: Cow::Borrowed("vectors, layer ket"),
        system: Some(&ket::KetRag {
            variant: ket::Variant::TextRag,
        }),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("knng-rag"),
        title: Cow::Borrowed("KNNG-RAG"),
        about: Cow::Borrowed("nearest units and their neighbours in the kNN graph, packed"),
        needs: Cow::Borrowed("vectors, layer ket"),
        system: Some(&ket::KetRag {
            variant: ket::Variant::KnngRag,
        }),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("keyword-rag"),
        title: Cow::Borrowed("Keyword-RAG"),
        about: Cow::Borrowed("units of the nearest keywords, packed by similarity"),
        needs: Cow::Borrowed("vectors, layer ket"),
        system: Some(&ket::KetRag {
            variant: ket::Variant::KeywordRag,
        }),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("skeleton-rag"),
        title: Cow::Borrowed("Skeleton-RAG"),
        about: Cow::Borrowed("local search in the graph of names and relations of the core units"),
        needs: Cow::Borrowed("vectors, layer ket"),
        system: Some(&ket::KetRag {
            variant: ket::Variant::SkeletonRag,
        }),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("ms-graph-rag"),
        title: Cow::Borrowed("MS-Graph-RAG"),
        about: Cow::Borrowed(
            "local search in the graph of names and relations of all units, without communities",
        ),
        needs: Cow::Borrowed("vectors, layer ket"),
        system: Some(&ket::KetRag {
            variant: ket::Variant::MsGraphRag,
        }),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("hybrid-rag"),
        title: Cow::Borrowed("Hybrid-RAG"),
        about: Cow::Borrowed("half MS-Graph-RAG, half Text-RAG under one budget"),
        needs: Cow::Borrowed("vectors, layer ket"),
        system: Some(&ket::KetRag {
            variant: ket::Variant::HybridRag,
        }),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("ket-rag-u"),
        title: Cow::Borrowed("KET-RAG-U"),
        about: Cow::Borrowed(
            "skeleton of evenly drawn core units, and units by keywords, under one budget",
        ),
        needs: Cow::Borrowed("vectors, layer ket"),
        system: Some(&ket::KetRag {
            variant: ket::Variant::KetRagU,
        }),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("ket-rag-p"),
        title: Cow::Borrowed("KET-RAG-P"),
        about: Cow::Borrowed(
            "skeleton of the most central units, and units by keywords, under one budget",
        ),
        needs: Cow::Borrowed("vectors, layer ket"),
        system: Some(&ket::KetRag {
            variant: ket::Variant::KetRagP,
        }),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("noderag"),
        title: Cow::Borrowed("NodeRAG"),
        about: Cow::Borrowed(
            "names and vectors enter a graph of seven kinds of nodes; a walk of two steps, quotas by kind",
        ),
        needs: Cow::Borrowed("vectors, layer noderag"),
        system: Some(&noderag::NodeRag),
        defaults: Cow::Borrowed(&[(P::Alpha, Value::Real(0.5)), (P::Steps, Value::Integer(2))]),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("sage"),
        title: Cow::Borrowed("SAGE"),
        about: Cow::Borrowed(
            "fused seeds, one hop over the graph of chunks and table segments, pruned by the same score",
        ),
        needs: Cow::Borrowed("vectors, layer sage"),
        system: Some(&sage::Sage {
            variant: sage::Variant::Graph,
        }),
        defaults: Cow::Borrowed(&[(P::Bm25K1, Value::Real(1.5))]),
        ..FLAT
    },
    Method {
        name: Cow::Borrowed("sage-flat"),
        title: Cow::Borrowed("SAGE flat"),
        about: Cow::Borrowed(
            "the best k + k' chunks and table segments by the fused score of SAGE's seeds; no graph",
        ),
        needs: Cow::Borrowed("vectors, layer sage"),
        system: Some(&sage::Sage {
            variant: sage::Variant::Flat,
        }),
        defaults: Cow::Borrowed(&[(P::Bm25K1, Value::Real(1.5))]),
        ..FLAT
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
        system: Some(&spark::Spark),
        // SAGE's constants of BM25.
        defaults: Cow::Borrowed(&[(P::Bm25K1, Value::Real(1.5))]),
        ..FLAT
    },
];

/// What `hopscope`, `ask` and `eval` use when no method is named.
pub const DEFAULT_METHOD: &str = "hop";

const NAMES: &[Parameter] = &[P::Ner, P::Norm, P::AliasLinking, P::Gazetteer];
const WEIGHTS: &[Parameter] = &[
    P::EdgeWeight,
    P::MinDf,
    P::MaxDfRatio,
    P::PruneTopPct,
    P::EdgeCap,
    P::HubP,
];
const BM25: &[Parameter] = &[P::Tokens, P::Bm25K1, P::Bm25B];
const VECTORS: &[Parameter] = &[
    P::VectorSearch,
    P::HnswM,
    P::HnswEfConstruction,
    P::HnswEfSearch,
];
const RM3: &[Parameter] = &[P::Rm3Docs, P::Rm3Terms, P::Rm3Original, P::Rm3Pool];
const TWO_STEP: &[Parameter] = &[P::Step2Docs, P::Step2Entities, P::Step2Weight, P::Step2Rule];
const SPREAD: &[Parameter] = &[
    P::Walk,
    P::Alpha,
    P::Steps,
    P::Epsilon,
    P::PushThreshold,
    P::Dangling,
];

impl Method {
    /// A method by its name, or a composition by its parts.
    ///
    /// # Errors
    /// The name and the names there are, or why the parts do not fit.
    pub fn by_name(name: &str) -> Result<MethodRef, String> {
        if name.contains('>') {
            return Composition::parse(name)?.method();
        }
        let listed = METHODS.iter().find(|m| m.name == name);
        listed.map(MethodRef::from).ok_or_else(|| {
            let names: Vec<&str> = METHODS.iter().map(|m| &*m.name).collect();
            format!(
                "no method '{name}'; there are {}, and compositions SEEDS > GRAPH > SPREAD > SELECT",
                names.join(", ")
            )
        })
    }

    /// Whether passages of the first stage restart the walk.
    pub fn seeds_passages(&self) -> bool {
        self.graph.is_some() && self.ranker.is_some() && self.select == Select::Score
    }

    /// Whether it needs vectors.
    pub fn reads_vectors(&self) -> bool {
        // hop uses vectors where there are any.
        self.select != Select::Signals && self.ranker.is_some_and(Ranker::reads_vectors)
            || self.select == Select::Rerank
            || self.system.is_some_and(System::reads_vectors)
            || self.composition.is_some_and(|c| c.reads_vectors())
    }

    /// The layer of an index it reads.
    pub fn layer(&self) -> Option<&'static str> {
        let composed = self.composition.and_then(|c| c.graph.layer());
        self.system.and_then(System::layer).or(composed)
    }

    /// Which of SPRIG's graphs it reads, in the pipeline or in a composition.
    pub fn reads_graph(&self) -> Option<GraphKind> {
        self.graph.or(self.composition.and_then(|c| c.graph.kind()))
    }

    /// Where it has a graph of its own and tells what it did as a story.
    pub fn tells(&self) -> bool {
        self.system.is_some() || self.composition.is_some_and(|c| !c.plain())
    }

    /// The parameters that can change this method's result, in pipeline order.
    pub fn uses(&self) -> Vec<Parameter> {
        let mut uses = Vec::new();
        if let Some(system) = self.system {
            uses.extend_from_slice(system.uses());
            uses.push(P::ResultK);
            return uses;
        }
        if let Some(parts) = self.composition.filter(|c| !c.plain()) {
            uses.extend(parts.uses());
            uses.push(P::ResultK);
            return uses;
        }
        if self.graph == Some(GraphKind::EntityPassage) || self.ranker == Some(Ranker::TwoStep) {
            uses.extend_from_slice(NAMES);
        }
        if self.graph.is_some() {
            uses.extend_from_slice(WEIGHTS);
        }
        // A walk without words still scores them for its bm25_top1 fallback.
        if self.graph.is_some() || self.ranker.is_some_and(Ranker::reads_words) {
            uses.extend_from_slice(BM25);
        }
        if self.ranker.is_some_and(Ranker::reads_vectors) {
            uses.extend_from_slice(VECTORS);
        }
        match self.ranker {
            Some(Ranker::Rm3) => uses.extend_from_slice(RM3),
            Some(Ranker::TwoStep) => uses.extend_from_slice(TWO_STEP),
            Some(Ranker::Rrf) => uses.extend_from_slice(&[P::RrfC, P::RrfDepth]),
            Some(Ranker::Bm25 | Ranker::Dense) | None => {}
        }
        if self.graph.is_some() {
            uses.push(P::SeedQ);
            if self.select == Select::Signals {
                uses.extend_from_slice(hop::READS);
            }
            if self.seeds_passages() {
                uses.extend_from_slice(&[P::SeedK, P::SeedWeight, P::SoftmaxTau]);
            }
            if self.select != Select::Signals {
                uses.push(P::Fallback);
            }
            if self.seeds_passages() {
                uses.extend_from_slice(&[P::Mix, P::MixA]);
            }
            uses.extend_from_slice(SPREAD);
            uses.retain(|p| self.composition.is_none_or(|c| c.fixes(*p).is_none()));
        }
        match self.select {
            Select::Rerank => uses.push(P::RerankDepth),
            Select::Fuse => uses.push(P::Fusion),
            Select::Signals => uses.extend_from_slice(hop::WEIGHTS),
            Select::Score => {}
        }
        uses.push(P::ResultK);
        uses
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
