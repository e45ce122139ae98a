//! Every parameter, declared once. Flags, sliders, help, sweeps and memo keys all come from this table.

use serde::{Serialize, Serializer};
use std::fmt;

/// The first step of a retrieval that has to run again when a parameter changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Reads the passages again. An index stores what it was built with; another value is derived in memory.
    Index,
    /// Re-weights or masks the arcs of a built graph.
    Graph,
    /// First-stage ranking of passages.
    Score,
    Seeds,
    Mix,
    Spread,
    Select,
}

/// A parameter's value. Switches are choices between `off` and `on`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Integer(i64),
    Real(f64),
    /// Index into the domain's choices.
    Choice(usize),
}

/// One named alternative of a [`Domain::Choice`].
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    pub name: &'static str,
    pub meaning: &'static str,
}

/// What values a parameter takes, and how a slider steps through them.
#[derive(Debug, PartialEq)]
pub enum Domain {
    /// Whole numbers. `zero` names the value 0 where it means "no limit".
    Integer {
        min: i64,
        max: i64,
        step: i64,
        zero: Option<&'static str>,
    },
    Real {
        min: f64,
        max: f64,
        step: f64,
    },
    /// Positive numbers stepped by a factor.
    Log {
        min: f64,
        max: f64,
        factor: f64,
    },
    Choice(&'static [Choice]),
}

/// The single declaration of a parameter.
#[derive(Debug)]
pub struct Declaration {
    pub id: &'static str,
    /// The symbol used in the papers, or the short form of the label.
    pub symbol: &'static str,
    pub label: &'static str,
    pub domain: Domain,
    /// The value where a method does not declare its own.
    pub default: Value,
    pub stage: Stage,
    /// One line for help and `hopscope parameters`.
    pub meaning: &'static str,
    /// Where the value or formula comes from.
    pub source: &'static str,
}

macro_rules! choices {
    ($($name:literal: $meaning:literal),+ $(,)?) => {
        Domain::Choice(&[$(Choice { name: $name, meaning: $meaning }),+])
    };
}

macro_rules! parameters {
    ($($variant:ident $id:literal $symbol:literal $label:literal, $stage:ident, $domain:expr, $default:expr,
       $meaning:literal, $source:literal;)+) => {
        /// The name of a parameter; its [`Declaration`] says the rest.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Parameter { $($variant),+ }

        impl Parameter {
            /// All of them, in the order of the pipeline.
            pub const ALL: &'static [Parameter] = &[$(Parameter::$variant),+];
        }

        static DECLARATIONS: &[Declaration] = &[$(Declaration {
            id: $id, symbol: $symbol, label: $label, domain: $domain, default: $default,
            stage: Stage::$stage, meaning: $meaning, source: $source,
        }),+];
    };
}

use Value::{Choice as Pick, Integer as Int, Real as Num};

parameters! {
    Ner "ner" "ner" "mentions", Index,
        choices! {
            "regex": "ASCII capitalised runs of up to four words, literally as the paper has them",
            "regex_stop": "regex without one-word function words such as The or He",
            "regex_plus": "Unicode names with initials, acronyms, particles; function words dropped",
        }, Pick(2),
        "How names are found in passages and in the question", "SPRIG, NER options; regex_plus is ours";
    Norm "norm" "norm" "normal form", Index,
        choices! {
            "none": "the name as written",
            "lower": "lower case",
            "simple": "lower case, every run of other characters becomes one space",
        }, Pick(2),
        "When two spellings are the same entity", "SPRIG, defaults by data set (HotpotQA simple, 2Wiki lower)";
    AliasLinking "alias_linking" "EL" "title aliases", Index,
        choices! {
            "off": "mentions stand for themselves",
            "on": "a mention that is the alias of exactly one title becomes that title",
        }, Pick(0),
        "Link mentions to passage titles; each titled passage then mentions its own title", "SPRIG, +EL";
    Gazetteer "gazetteer" "gaz" "titles as names", Index,
        choices! {
            "off": "names are what the extractor finds",
            "on": "passage titles are names as well, in questions whatever their case",
        }, Pick(0),
        "Find passage titles in texts and questions; each passage then mentions its own title", "ours, for hop";
    EdgeWeight "edge_weight" "w" "edge weight", Graph,
        choices! {
            "tf_log_plus1": "tf * ln((N+1)/(df+1)) + 1",
            "tf_x_smoothidf": "tf * (ln((N+1)/(df+1)) + 1)",
            "binary": "1",
            "tf": "number of mentions",
        }, Pick(0),
        "How much one mention edge counts when mass is shared out", "SPRIG, edge weights; the constant is read as outside the product";
    MinDf "min_df" "min df" "least df", Graph,
        Domain::Integer { min: 1, max: 20, step: 1, zero: None }, Int(1),
        "Entities in fewer passages are masked", "SPRIG, indexing options";
    MaxDfRatio "max_df_ratio" "max df" "largest df share", Graph,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 }, Num(1.0),
        "Entities in a larger share of the passages are masked", "SPRIG, indexing options";
    PruneTopPct "prune_top_pct" "x" "prune top hubs %", Graph,
        Domain::Real { min: 0.0, max: 10.0, step: 0.1 }, Num(0.0),
        "Remove this percentage of entities, those of largest df first", "SPRIG, +PRUNE (1.0)";
    EdgeCap "edge_cap" "L" "edges per entity", Graph,
        Domain::Integer { min: 0, max: 1000, step: 10, zero: Some("none") }, Int(0),
        "Each entity keeps its L heaviest passages", "SPRIG, per-entity cap; L is not published";
    HubP "hub_p" "p" "hub penalty", Graph,
        Domain::Real { min: 0.0, max: 2.0, step: 0.05 }, Num(0.5),
        "A passage sends to an entity in proportion to weight * df^-p; applied before the row is normalised", "SPRIG, hub penalty";
    Tokens "tokens" "tok" "words", Score,
        choices! {
            "plain": "lower case, runs of ASCII letters and digits",
            "stem": "Unicode words, 33 stop words dropped, English Snowball stems",
        }, Pick(0),
        "How text is cut into words for BM25", "the reference runs use both";
    Bm25K1 "bm25_k1" "k1" "BM25 k1", Score,
        Domain::Real { min: 0.0, max: 3.0, step: 0.1 }, Num(1.2),
        "How fast repeated words stop counting", "not published by SPRIG; the usual default";
    Bm25B "bm25_b" "b" "BM25 b", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 }, Num(0.75),
        "How much long passages are discounted", "not published by SPRIG; the usual default";
    Rm3Docs "rm3_docs" "fb docs" "RM3 passages", Score,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None }, Int(10),
        "How many passages feed words back", "Anserini defaults";
    Rm3Terms "rm3_terms" "fb terms" "RM3 words", Score,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None }, Int(10),
        "How many words are fed back", "Anserini defaults";
    Rm3Original "rm3_original" "lambda" "RM3 question share", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 }, Num(0.5),
        "Share of the question's own words in the expanded one", "Anserini defaults";
    Rm3Pool "rm3_pool" "pool" "RM3 word pool", Score,
        choices! {
            "heaviest": "of each passage its heaviest words, scaled to sum 1",
            "all": "all words of each passage",
        }, Pick(0),
        "Which words of a feedback passage take part; df at most 0.1 N in both", "Anserini (heaviest); the reference runs (all)";
    Step2Docs "step2_docs" "m" "2-step passages", Score,
        Domain::Integer { min: 1, max: 20, step: 1, zero: None }, Int(5),
        "How many first-pass passages give names", "not published";
    Step2Entities "step2_entities" "n" "2-step names", Score,
        Domain::Integer { min: 1, max: 20, step: 1, zero: None }, Int(5),
        "How many names join the question", "not published";
    Step2Weight "step2_weight" "w2" "2-step weight", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 }, Num(0.5),
        "What a word of such a name weighs beside the question's own", "not published";
    Step2Rule "step2_rule" "rule" "2-step choice", Score,
        choices! {
            "tf_idf": "by the sum of tf * idf / rank; names of the question left out",
            "rank": "by the sum of 1 / rank; all names",
        }, Pick(0),
        "How names are chosen", "not published; rank is what the reference runs use";
    VectorSearch "vector_search" "search" "vector search", Score,
        choices! {
            "auto": "through the graph where the index stores one, else exact",
            "exact": "every vector is compared",
            "hnsw": "through a small-world graph, derived now where the index stores none",
        }, Pick(0),
        "How the vectors nearest to the question are found; when indexing, auto builds the graph from 200,000 vectors on",
        "HNSW, Malkov and Yashunin 2016; SPRIG names exact or HNSW";
    HnswM "hnsw_m" "M" "HNSW links", Index,
        Domain::Integer { min: 4, max: 128, step: 4, zero: None }, Int(32),
        "Neighbours of a vector in the small-world graph; twice as many on its lowest layer", "SAGE's general configuration; its paper has 64";
    HnswEfConstruction "hnsw_ef_construction" "efC" "HNSW build", Index,
        Domain::Integer { min: 8, max: 2000, step: 8, zero: None }, Int(200),
        "Nearest vectors considered for a new one's neighbours", "SAGE's general configuration; its STaRK code has 2000";
    HnswEfSearch "hnsw_ef_search" "ef" "HNSW beam", Score,
        Domain::Integer { min: 8, max: 2000, step: 8, zero: None }, Int(64),
        "Width of a search in the graph; never narrower than the list that is kept, 100 or top K", "usual; SAGE's general configuration has 100";
    RrfC "rrf_c" "c" "fusion constant", Score,
        Domain::Integer { min: 1, max: 200, step: 1, zero: None }, Int(60),
        "A passage at rank r of a list adds 1/(c+r)", "reciprocal rank fusion, Cormack et al. 2009";
    RrfDepth "rrf_depth" "depth" "fusion depth", Score,
        Domain::Integer { min: 10, max: 1000, step: 10, zero: None }, Int(100),
        "How many passages of each list are fused", "not published";
    SeedQ "seed_q" "q" "entity seed q", Seeds,
        Domain::Real { min: 0.0, max: 2.0, step: 0.05 }, Num(0.5),
        "An entity seed weighs df^-q", "SPRIG, defaults by data set (HotpotQA 0.5, 2Wiki 1.0)";
    SeedK "seed_k" "k" "passage seeds", Seeds,
        Domain::Integer { min: 0, max: 50, step: 1, zero: None }, Int(10),
        "How many first-stage passages become seeds", "SPRIG, defaults by data set (Hybrid HotpotQA 10, 2Wiki 5)";
    SeedWeight "seed_weight" "sw" "passage seed weight", Seeds,
        choices! {
            "rank": "1/r",
            "linear": "(k-r+1)/k",
            "rrf": "1/(60+r)",
            "softmax": "exp((score - best)/tau)",
            "raw": "the score, negative ones as 0",
        }, Pick(0),
        "What a passage seed at rank r weighs", "SPRIG names rank; its formula is not given, 1/r is the usual reading";
    SoftmaxTau "softmax_tau" "tau" "softmax tau", Seeds,
        Domain::Real { min: 0.05, max: 10.0, step: 0.05 }, Num(1.0),
        "Temperature of softmax seed weights", "not published";
    Fallback "fallback" "fb" "no-seed fallback", Seeds,
        choices! {
            "uniform": "every passage alike",
            "bm25_top1": "all mass on the best BM25 passage",
            "none": "nothing is retrieved",
        }, Pick(0),
        "What starts the walk when the question has no seed", "SPRIG, Graph and Graph + BM25 top-1 fallback";
    Mix "mix" "mix" "mixing", Mix,
        choices! {
            "mass": "raw masses added: a = |s_e| / (|s_e|+|s_d|)",
            "adaptive": "a = (n_e+1)/(n_e+n_d+2), n = number of seeds",
            "fixed": "a as given",
        }, Pick(0),
        "How entity and passage seeds share the restart mass", "SPRIG, MIX";
    MixA "mix_a" "a" "entity share a", Mix,
        Domain::Real { min: 0.0, max: 1.0, step: 0.01 }, Num(0.5),
        "Entity share of the restart mass when mixing is fixed", "SPRIG, MIX";
    Walk "walk" "walk" "walk", Spread,
        choices! {
            "power": "T steps of power iteration from the seeds",
            "push": "forward push until every residual is below epsilon: the limit of many steps",
        }, Pick(0),
        "How score spreads", "SPRIG, 2Wiki power, HotpotQA push; power is the default here since each of its steps can be shown";
    Alpha "alpha" "alpha" "restart alpha", Spread,
        Domain::Real { min: 0.01, max: 0.99, step: 0.01 }, Num(0.15),
        "Share of mass that restarts at the seeds in every step", "SPRIG";
    Steps "steps" "T" "steps T", Spread,
        Domain::Integer { min: 0, max: 50, step: 1, zero: None }, Int(5),
        "Power iterations; odd T favours entity seeds on passages, even T passage seeds", "SPRIG";
    Epsilon "epsilon" "eps" "push epsilon", Spread,
        Domain::Log { min: 1e-8, max: 1e-2, factor: 10.0 }, Num(1e-5),
        "Push stops when no residual exceeds this", "not published";
    PushThreshold "push_threshold" "thr" "push threshold", Spread,
        choices! {
            "plain": "epsilon",
            "degree": "epsilon * degree, the rule of Andersen, Chung and Lang",
        }, Pick(0),
        "What a residual is compared with", "Andersen, Chung, Lang 2006";
    Dangling "dangling" "dang" "dead ends", Spread,
        choices! {
            "drop": "mass that reaches a passage without entities leaves the walk",
            "reseed": "it returns to the seeds",
            "stay": "it stays where it is",
        }, Pick(0),
        "What happens at a passage without entities", "SPRIG is silent; drop is what normalising an empty row gives";
    HopSeeds "hop_seeds" "n" "bridge seeds", Seeds,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None }, Int(10),
        "How many first-stage passages bridge and seed the mixed walk", "ours, measured";
    HopSharpness "hop_sharpness" "beta" "seed sharpness", Seeds,
        Domain::Real { min: 0.0, max: 40.0, step: 1.0 }, Num(12.0),
        "A seed passage weighs exp(beta (cosine - cosine of the first))", "ours, measured";
    HopTail "hop_tail" "tail" "dense tail", Seeds,
        Domain::Real { min: 0.0, max: 2.0, step: 0.05 }, Num(0.5),
        "Mass of the 200 nearest passages among the mixed walk's seeds, beside 1 for the first seed", "ours, measured";
    HopGuard "hop_guard" "g" "single-hop guard", Select,
        Domain::Real { min: 0.0, max: 1.0, step: 0.1 }, Num(1.0),
        "How far words gain and walks lose where one passage covers the question; 0 is off", "ours, measured: keeps one-hop sets at BM25's level";
    WeightCosine "weight_cosine" "w1" "cosine", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 }, Num(2.0),
        "Weight of the closeness of vectors, 0 at the corpus mean and 1 at the best", "ours, measured";
    WeightDenseRank "weight_dense_rank" "w2" "dense rank", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 }, Num(0.8),
        "Weight of 1/rank among the nearest 100", "ours, measured";
    WeightBm25Rank "weight_bm25_rank" "w3" "BM25 rank", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 }, Num(1.5),
        "Weight of 1/rank among the best 100 by words", "ours, measured";
    WeightEntityWalk "weight_entity_walk" "w4" "entity walk", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 }, Num(2.75),
        "Weight of the walk from the question's names, in log space", "ours, measured";
    WeightMixedWalk "weight_mixed_walk" "w5" "mixed walk", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 }, Num(2.75),
        "Weight of the walk from names and passages, in log space", "ours, measured";
    WeightBridge "weight_bridge" "w6" "sentence bridge", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 }, Num(1.75),
        "Weight of names that a near sentence of a seed mentions, in log space", "ours, measured";
    WeightNamed "weight_named" "w7" "named", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 }, Num(3.0),
        "Weight of the passage's title being named by a near sentence of a seed, or by the question", "ours, measured";
    WeightResidual "weight_residual" "w8" "residual words", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 }, Num(2.2),
        "Weight of the question's words that the first passage lacks, by idf", "ours, measured";
    DropPercentile "drop_percentile" "drop" "cut above drop percentile", Index,
        Domain::Real { min: 50.0, max: 99.0, step: 1.0 }, Num(80.0),
        "A document is cut where neighbouring windows of sentences differ more than this percentile of its differences", "SAGE, chunking (80: the largest fifth)";
    Window "window" "win" "sentence window", Index,
        Domain::Integer { min: 0, max: 3, step: 1, zero: None }, Int(1),
        "Sentences on either side that are read with one when neighbouring sentences are compared", "SAGE, chunking";
    MinSentences "min_sentences" "min s" "least sentences", Index,
        Domain::Integer { min: 1, max: 10, step: 1, zero: None }, Int(3),
        "A chunk of fewer sentences joins the neighbour it is more like; 1 joins none", "SAGE, code";
    SegmentRows "segment_rows" "rows" "rows per segment", Index,
        Domain::Integer { min: 5, max: 50, step: 1, zero: None }, Int(10),
        "Rows of a table segment; a rest of less than half of that joins the segment before", "SAGE, table segments (10, rest below 5)";
    PairPool "pair_pool" "pool" "candidate pool", Index,
        Domain::Integer { min: 10, max: 1000, step: 10, zero: None }, Int(200),
        "Nearest units by content that become candidate pairs of each unit", "SAGE, code";
    EdgePercentile "edge_percentile" "q" "edge percentile", Graph,
        Domain::Real { min: 50.0, max: 99.9, step: 0.1 }, Num(95.0),
        "Threshold of every metric: its percentile over the candidate pairs of the kind", "SAGE, edges (95; code 99 for OTT-QA)";
    EdgeLogic "edge_logic" "logic" "edge logic", Graph,
        choices! {
            "or": "any metric above its threshold makes an edge",
            "and": "all must be",
        }, Pick(0),
        "How the metrics of a pair decide", "SAGE, edges (paper or, code and)";
    EntityEdges "entity_edges" "names" "name edges", Graph,
        choices! {
            "off": "only similarity makes edges",
            "on": "a candidate pair that shares a name is an edge besides",
        }, Pick(1),
        "Whether a shared name makes an edge", "SAGE, code";
    EntityMatch "entity_match" "match" "name match", Graph,
        choices! {
            "exact": "names of equal normal form, one to one",
            "fuzzy": "0.7 * Jaccard of character sets + 0.3 * length ratio at least 0.75, one to one",
        }, Pick(0),
        "When two units share a name", "SAGE, code (fuzzy); exact is ours";
    StructuralEdges "structural_edges" "source" "source edges", Graph,
        choices! {
            "off": "only scored pairs are edges",
            "on": "units of one source and of linked sources are edges",
        }, Pick(1),
        "Whether sources and their links make edges", "SAGE, structural edges; the switch is ours";
    FuseLexical "fuse_lexical" "lambda b" "word weight", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 }, Num(0.5),
        "Weight of BM25, scaled by the best score, in the fused score", "SAGE, code; the paper's numbers are lost";
    FuseDense "fuse_dense" "lambda d" "vector weight", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 }, Num(0.5),
        "Weight of nearness in the fused score", "SAGE, code; the paper's numbers are lost";
    SageNearness "sage_nearness" "near" "nearness", Score,
        choices! {
            "cosine": "cosine of the vectors",
            "distance": "1 / (1 + squared distance)",
        }, Pick(0),
        "How nearness to the question counts", "SAGE (cosine); code for OTT-QA (distance)";
    SageSeeding "sage_seeding" "seeding" "seed choice", Seeds,
        choices! {
            "fused": "the best k by fused score",
            "cutoff": "of 100 hits each, those in the nearest fifth and in the best fifth by words",
        }, Pick(0),
        "How seeds are chosen", "SAGE (fused); code (cutoff)";
    SageSeeds "sage_seeds" "k" "seeds k", Select,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None }, Int(10),
        "Units that start the expansion, and come first", "SAGE, k of (k, k')";
    SageNeighbours "sage_neighbours" "k'" "neighbours k'", Select,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None }, Int(10),
        "Neighbours that pruning keeps", "SAGE, k' of (k, k')";
    ChunkTokens "chunk_tokens" "l" "chunk tokens", Index,
        Domain::Integer { min: 0, max: 4000, step: 50, zero: Some("auto") }, Int(0),
        "Tokens of a chunk; auto is the system's own, KET-RAG's by the median document", "E2GraphRAG 1200, KET-RAG 1200 or 150, NodeRAG 1048";
    ChunkOverlap "chunk_overlap" "overlap" "chunk overlap", Index,
        Domain::Integer { min: 0, max: 2000, step: 10, zero: Some("none") }, Int(100),
        "Tokens that neighbouring chunks share; at most half a chunk", "E2GraphRAG, KET-RAG 100; NodeRAG has none";
    TreeGroup "tree_group" "g" "tree group", Index,
        Domain::Integer { min: 2, max: 20, step: 1, zero: None }, Int(5),
        "Consecutive nodes under one summary; a level of at most so many is the top", "E2GraphRAG, code 5";
    SummaryTokens "summary_tokens" "sum" "summary tokens", Index,
        Domain::Integer { min: 100, max: 2000, step: 100, zero: None }, Int(1000),
        "Most tokens of a summary", "E2GraphRAG, about 1000";
    Hops "hops" "h" "hops", Spread,
        Domain::Integer { min: 0, max: 6, step: 1, zero: None }, Int(4),
        "Farthest distance of two query entities at first; shrinks while more than K chunks are left", "E2GraphRAG, shortest_path_k 4";
    CodeHops "code_hops" "code" "hops as the code", Spread,
        choices! {
            "off": "a pair is within h if its path has at most h edges, as the paper says",
            "on": "at most h nodes, as the code counts: one edge less",
        }, Pick(0),
        "How the distance of a pair is counted", "E2GraphRAG, paper and code differ";
    CoreRule "core_rule" "core" "core rule", Index,
        choices! {
            "k_core": "nodes of the k-core",
            "degree": "nodes of degree k or more",
        }, Pick(0),
        "Which entities are the core of the graph and get a profile; k = ln(nodes) * sqrt(mean degree)", "NodeRAG: text and code k_core, formula degree";
    MatchClusterSize "match_cluster_size" "cluster" "match cluster size", Index,
        Domain::Integer { min: 1, max: 200, step: 1, zero: None }, Int(39),
        "Elements are matched with units by clusters when there are more rows per cluster than this", "NodeRAG code, Hcluster_size";
    HnswEdges "hnsw_edges" "hnsw" "similarity edges", Graph,
        choices! {
            "off": "edges of the decomposition only",
            "on": "layer 0 of the small-world graph over all vectors joins in, adding 1 to an edge that is there",
        }, Pick(1),
        "Whether similar texts, units, profiles and elements are linked", "NodeRAG, graph enrichment; ablated in its table";
    SREdges "s_r_edges" "S-R" "unit-relation edges", Graph,
        choices! {
            "off": "relations hang on their entities only",
            "on": "a relation is linked with the units that state it, too",
        }, Pick(0),
        "Whether units are linked with the relations they state", "NodeRAG: the paper has them, the code does not";
    HubBalance "hub_balance" "bal" "hub balance", Graph,
        choices! {
            "off": "edges weigh as often as they were made",
            "on": "no edge weighs more than 1 / degree of either end",
        }, Pick(1),
        "Damps edges of hubs before rows are normalised", "NodeRAG code, unbalance_adjust; not in the paper";
    VectorHits "vector_hits" "ef" "vector hits", Seeds,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None }, Int(10),
        "How many nodes enter by vector", "NodeRAG code, HNSW_results";
    WeightExact "weight_exact" "w_x" "exact match weight", Seeds,
        Domain::Real { min: 0.0, max: 10.0, step: 0.1 }, Num(1.0),
        "What a name that contains a term weighs among the seeds; 0 leaves names out (no dual search)", "NodeRAG code, accuracy_weight";
    WeightVector "weight_vector" "w_v" "vector hit weight", Seeds,
        Domain::Real { min: 0.0, max: 10.0, step: 0.1 }, Num(1.0),
        "What a vector hit weighs among the seeds; 0 leaves them out of the walk, not out of the answer", "NodeRAG code, similarity_weight";
    WalkRule "walk_rule" "rule" "walk rule", Spread,
        choices! {
            "restart": "alpha p + (1-alpha) P^T pi",
            "lazy": "alpha P^T pi + (1-alpha) pi, without restart",
        }, Pick(0),
        "How the shallow walk goes on", "NodeRAG: paper restart, code lazy";
    QuotaN "quota_n" "qN" "entity quota", Select,
        Domain::Integer { min: 0, max: 100, step: 1, zero: None }, Int(10),
        "How many entities the walk may choose; their profiles are added", "NodeRAG code, Enode";
    QuotaR "quota_r" "qR" "relation quota", Select,
        Domain::Integer { min: 0, max: 100, step: 1, zero: None }, Int(30),
        "How many relations the walk may choose", "NodeRAG code, Rnode";
    QuotaO "quota_o" "qO" "overview quota", Select,
        Domain::Integer { min: 0, max: 100, step: 1, zero: None }, Int(10),
        "How many overviews the walk may choose; their elements are added", "NodeRAG code, Hnode";
    QuotaOther "quota_other" "q" "quota of the others", Select,
        Domain::Integer { min: 0, max: 100, step: 1, zero: None }, Int(10),
        "How many texts, units, profiles and elements the walk may choose", "NodeRAG code, cross_node";
    QuotaShared "quota_shared" "share" "shared quota", Select,
        choices! {
            "off": "so many of each kind",
            "on": "so many of the four kinds together",
        }, Pick(1),
        "Whether texts, units, profiles and elements share one quota", "NodeRAG: code shares, paper takes the best of each kind";
    NodeOrder "node_order" "order" "order of nodes", Select,
        choices! {
            "output": "vector hits by cosine, then the walk's, then attached ones, by mass",
            "mass": "by mass alone",
        }, Pick(0),
        "By what the passages of the returned nodes are ordered", "ours: the source returns a set";
    Halvings "halvings" "tau" "halvings", Index,
        choices! {
            "auto": "slices of about 150 tokens: 3 at 1200, 0 at 150",
            "0": "a chunk is one unit",
            "1": "2 slices of a chunk",
            "2": "4 slices of a chunk",
            "3": "8 slices of a chunk",
            "4": "16 slices of a chunk",
        }, Pick(0),
        "How often a chunk is halved into the units of the graphs", "KET-RAG, 3 at 1200 tokens, 0 at 150";
    KnnK "knn_k" "K" "kNN edges", Index,
        Domain::Integer { min: 2, max: 20, step: 2, zero: None }, Int(2),
        "Neighbours of a unit, half by words in common, half by cosine", "KET-RAG";
    CoreShare "core_share" "beta" "core share", Index,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 }, Num(0.8),
        "Share of the units that the skeleton is made of", "KET-RAG";
    CoreBy "core_by" "core" "core units", Index,
        choices! {
            "pagerank": "the best of PageRank on the kNN graph",
            "uniform": "drawn evenly",
        }, Pick(0),
        "How the units of the skeleton are chosen (Skeleton-RAG; the U and P methods fix it)", "KET-RAG, -P and -U";
    CodeCase "code_case" "case" "keyword case", Index,
        choices! {
            "off": "keywords in lower case",
            "on": "as written; stop words are met by their case, so The is a keyword",
        }, Pick(0),
        "Whether keywords keep their case", "KET-RAG, published code (on)";
    Cooc "cooc" "cooc" "co-occurrence", Index,
        choices! {
            "off": "relations by patterns only",
            "on": "neighbours in a sentence that no pattern links occur with each other, strength 0.5",
        }, Pick(1),
        "Relations of the skeleton that no pattern of the sentence gives", "ours; the published system asks a model";
    Pmi "pmi" "PMI" "mutual information", Index,
        choices! {
            "off": "relations weigh the sum of their strengths",
            "on": "p(a,b) ln(p(a,b)/(p(a)p(b))); names with one mention and the lightest 40 % of relations are dropped",
        }, Pick(0),
        "How relations of the skeleton are weighed", "GraphRAG without a model";
    Joined "joined" "joined" "one text", Index,
        choices! {
            "off": "each record or file is a document",
            "on": "the collection is one text: short passages share chunks",
        }, Pick(0),
        "What a chunk may span; on for the published setting of low cost on paragraphs", "KET-RAG cuts paragraphs of 100 tokens in chunks of 1200";
    KeywordSimilarity "keyword_similarity" "sim" "keyword similarity", Select,
        choices! {
            "cosine": "cosine with the mean of the keyword's sentences",
            "ip": "inner product with the mean as it is: favours words of one context",
        }, Pick(0),
        "How keywords are compared with the question", "KET-RAG, paper (cosine) and code (ip)";
    QueryKeywords "query_keywords" "W" "keywords", Select,
        Domain::Integer { min: 10, max: 5000, step: 10, zero: None }, Int(1000),
        "How many of the nearest keywords may fill the pool", "KET-RAG, published code";
    QueryEntities "query_entities" "E" "entities", Select,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None }, Int(10),
        "How many of the nearest entities the local search starts from", "GraphRAG, local search";
    Oversample "oversample" "x2" "oversample", Select,
        choices! {
            "off": "as many entities as said",
            "on": "twice as many, as the published code takes and never cuts back",
        }, Pick(0),
        "Whether twice as many entities are taken", "GraphRAG, published code (on)";
    RelationsPerEntity "relations_per_entity" "R" "relations per entity", Select,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None }, Int(10),
        "Relations that lead outside, for each selected entity", "GraphRAG, local search";
    Theta "theta" "theta" "skeleton share", Select,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 }, Num(0.5),
        "Share of the context for the skeleton; 0 leaves it out, 1 the text part", "KET-RAG; the value is not published, swept 0 to 1";
    ContextTokens "context_tokens" "lambda" "context tokens", Select,
        Domain::Integer { min: 500, max: 32000, step: 500, zero: None }, Int(12000),
        "Tokens of the assembled context", "KET-RAG";
    PlanBy "plan_by" "plan" "planner", Seeds,
        choices! {
            "template": "rules read the question and the schema",
            "endpoint": "a language model writes operators; whatever does not pass the grammar falls back to the rules",
        }, Pick(0),
        "Who plans a question over a schema graph", "SPARK; the template planner is ours, for the model that writes programs";
    EdgePolicy "edge_policy" "edge" "expansion", Seeds,
        choices! {
            "+edge": "answers are always expanded by their neighbours",
            "-edge": "only where the plan itself follows no edge",
        }, Pick(1),
        "When the answers of a plan are expanded", "SPARK+SAGE, +Edge and -Edge (the better one on all six sets)";
    CandidateLimit "candidate_limit" "n" "candidates", Seeds,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None }, Int(25),
        "Most objects that a search in a long field gives, before the gap cut", "SPARK (25)";
    Fusion "fusion" "fuse" "list fusion", Select,
        choices! {
            "rank": "1/(c+r) of both lists",
            "min_max": "both scores scaled to 0..1 within their lists, averaged",
        }, Pick(0),
        "How the fused ranking and the walk's become one", "SPRIG gives no formula for RRF+PPR fusion; rank fits its figures";
    RerankDepth "rerank_depth" "N" "re-ranked", Select,
        Domain::Integer { min: 10, max: 1000, step: 10, zero: None }, Int(100),
        "How many candidates are scored again; the others keep their order below them", "SPRIG, cross-encoder on the top 100";
    ResultK "result_k" "K" "top K", Select,
        Domain::Integer { min: 1, max: 200, step: 1, zero: None }, Int(10),
        "How many passages are returned", "all systems";
}

impl Parameter {
    pub fn declaration(self) -> &'static Declaration {
        &DECLARATIONS[self as usize]
    }

    pub fn id(self) -> &'static str {
        self.declaration().id
    }

    /// By identifier; hyphens count as underscores.
    pub fn from_id(id: &str) -> Option<Parameter> {
        let id = id.replace('-', "_");
        Self::ALL.iter().copied().find(|p| p.id() == id)
    }
}

impl Domain {
    /// The value a text names.
    ///
    /// # Errors
    /// What was expected, when the text is no value of this domain.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let value = match self {
            Domain::Choice(choices) => choices.iter().position(|c| c.name == text).map(Pick),
            Domain::Integer {
                zero: Some(name), ..
            } if text == *name => Some(Int(0)),
            Domain::Integer { .. } => text.parse().ok().map(Int),
            Domain::Real { .. } | Domain::Log { .. } => text.parse().ok().map(Num),
        };
        value
            .filter(|v| self.contains(*v))
            .ok_or_else(|| format!("expected {self}, found '{text}'"))
    }

    pub fn contains(&self, value: Value) -> bool {
        match (self, value) {
            (Domain::Choice(choices), Pick(i)) => i < choices.len(),
            (Domain::Integer { min, max, .. }, Int(v)) => (*min..=*max).contains(&v),
            (Domain::Real { min, max, .. } | Domain::Log { min, max, .. }, Num(v)) => {
                v >= *min && v <= *max
            }
            _ => false,
        }
    }

    /// `count` slider steps up (or down, when negative), kept inside the domain. Choices wrap around.
    pub fn stepped(&self, value: Value, count: i64) -> Value {
        match (self, value) {
            (Domain::Choice(choices), Pick(i)) => {
                Pick((i as i64 + count).rem_euclid(choices.len() as i64) as usize)
            }
            (Domain::Integer { min, max, step, .. }, Int(v)) => {
                Int((v + count * step).clamp(*min, *max))
            }
            (Domain::Real { min, max, step }, Num(v)) => {
                // Land on the grid of steps, so that a scrub to and fro comes back to the same bits.
                let at = ((v - min) / step).round() + count as f64;
                Num(round_to_step(min + at * step, *step).clamp(*min, *max))
            }
            (Domain::Log { min, max, factor }, Num(v)) => {
                let at = (v.ln() / factor.ln()).round() + count as f64;
                let exact: f64 = format!("{:e}", factor.powf(at)).parse().unwrap_or(*min);
                let tidy: f64 = format!("{exact:.6e}").parse().unwrap_or(exact);
                Num(tidy.clamp(*min, *max))
            }
            (_, value) => value,
        }
    }

    /// Where a value lies between the ends of the slider, 0 to 1.
    pub fn fraction(&self, value: Value) -> f64 {
        let between = |v: f64, min: f64, max: f64| {
            if max > min {
                (v - min) / (max - min)
            } else {
                0.0
            }
        };
        match (self, value) {
            (Domain::Choice(choices), Pick(i)) => {
                between(i as f64, 0.0, choices.len() as f64 - 1.0)
            }
            (Domain::Integer { min, max, .. }, Int(v)) => {
                between(v as f64, *min as f64, *max as f64)
            }
            (Domain::Real { min, max, .. }, Num(v)) => between(v, *min, *max),
            (Domain::Log { min, max, .. }, Num(v)) => between(v.ln(), min.ln(), max.ln()),
            _ => 0.0,
        }
    }

    /// The value on the grid of steps nearest to a place on the slider, 0 to 1.
    pub fn at_fraction(&self, fraction: f64) -> Value {
        let f = fraction.clamp(0.0, 1.0);
        match self {
            Domain::Choice(choices) => Pick((f * (choices.len() as f64 - 1.0)).round() as usize),
            Domain::Integer { min, max, step, .. } => {
                let steps = (f * (max - min) as f64 / *step as f64).round() as i64;
                Int((min + steps * step).clamp(*min, *max))
            }
            Domain::Real { min, max, step } => {
                self.stepped(Num(*min), (f * (max - min) / step).round() as i64)
            }
            Domain::Log { min, max, factor } => self.stepped(
                Num(*min),
                (f * (max / min).ln() / factor.ln()).round() as i64,
            ),
        }
    }

    /// The value as a person writes it.
    pub fn format(&self, value: Value) -> String {
        match (self, value) {
            (Domain::Choice(choices), Pick(i)) => choices.get(i).map_or("?", |c| c.name).to_owned(),
            (
                Domain::Integer {
                    zero: Some(name), ..
                },
                Int(0),
            ) => (*name).to_owned(),
            (_, Int(v)) => v.to_string(),
            (Domain::Log { .. }, Num(v)) => format!("{v:e}"),
            (_, Num(v)) => format!("{v}"),
            (_, Pick(i)) => i.to_string(),
        }
    }
}

/// Removes the noise of binary fractions: 0.15000000000000002 becomes 0.15.
fn round_to_step(value: f64, step: f64) -> f64 {
    let digits = (-step.log10()).ceil().max(0.0) as i32 + 2;
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// What the domain allows, in words for an error or a help line.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Choice(choices) => {
                f.write_str("one of ")?;
                for (i, choice) in choices.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, choice.name)?;
                }
                Ok(())
            }
            Domain::Integer {
                min,
                max,
                zero: Some(name),
                ..
            } => {
                write!(f, "{name} or a whole number from {} to {max}", min.max(&1))
            }
            Domain::Integer { min, max, .. } => write!(f, "a whole number from {min} to {max}"),
            Domain::Real { min, max, .. } => write!(f, "a number from {min} to {max}"),
            Domain::Log { min, max, .. } => write!(f, "a number from {min:e} to {max:e}"),
        }
    }
}

impl Parameter {
    /// The value as JSON has it: a number, or the name of a choice.
    pub fn json(self, value: Value) -> serde_json::Value {
        match value {
            Int(v) => v.into(),
            Num(v) => v.into(),
            Pick(_) => self.declaration().domain.format(value).into(),
        }
    }
}

impl Serialize for Declaration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", self.id)?;
        map.serialize_entry("symbol", self.symbol)?;
        map.serialize_entry("label", self.label)?;
        match &self.domain {
            Domain::Choice(choices) => {
                map.serialize_entry("type", "choice")?;
                map.serialize_entry("choices", choices)?;
            }
            Domain::Integer {
                min,
                max,
                step,
                zero,
            } => {
                map.serialize_entry("type", "integer")?;
                map.serialize_entry("min", min)?;
                map.serialize_entry("max", max)?;
                map.serialize_entry("step", step)?;
                if let Some(name) = zero {
                    map.serialize_entry("zero", name)?;
                }
            }
            Domain::Real { min, max, step } => {
                map.serialize_entry("type", "real")?;
                map.serialize_entry("min", min)?;
                map.serialize_entry("max", max)?;
                map.serialize_entry("step", step)?;
            }
            Domain::Log { min, max, factor } => {
                map.serialize_entry("type", "log")?;
                map.serialize_entry("min", min)?;
                map.serialize_entry("max", max)?;
                map.serialize_entry("factor", factor)?;
            }
        }
        let parameter = Parameter::from_id(self.id);
        map.serialize_entry("default", &parameter.map(|p| p.json(self.default)))?;
        map.serialize_entry("stage", &self.stage)?;
        map.serialize_entry("meaning", self.meaning)?;
        map.serialize_entry("source", self.source)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_in_its_domain_and_survives_text() {
        for p in Parameter::ALL {
            let d = p.declaration();
            assert!(d.domain.contains(d.default), "{}", d.id);
            assert_eq!(
                d.domain.parse(&d.domain.format(d.default)),
                Ok(d.default),
                "{}",
                d.id
            );
            assert_eq!(Parameter::from_id(d.id), Some(*p));
        }
    }

    #[test]
    fn a_step_up_and_down_comes_back_to_the_same_bits() {
        for p in Parameter::ALL {
            let d = &p.declaration().domain;
            for place in 1..20 {
                let start = d.at_fraction(f64::from(place) / 20.0);
                let up = d.stepped(start, 1);
                assert!(
                    d.contains(start) && d.contains(up),
                    "{} {start:?} {up:?}",
                    p.id()
                );
                if up != start {
                    assert_eq!(d.stepped(up, -1), start, "{}", p.id());
                }
                let f = d.fraction(start);
                assert_eq!(d.at_fraction(f), start, "{} at {f}", p.id());
            }
        }
    }

    #[test]
    fn what_is_no_value_says_what_is() {
        let said = Parameter::Alpha
            .declaration()
            .domain
            .parse("2")
            .unwrap_err();
        assert_eq!(said, "expected a number from 0.01 to 0.99, found '2'");
        let said = Parameter::Walk
            .declaration()
            .domain
            .parse("run")
            .unwrap_err();
        assert_eq!(said, "expected one of power, push, found 'run'");
        assert_eq!(
            Parameter::EdgeCap.declaration().domain.parse("none"),
            Ok(Int(0))
        );
    }
}
