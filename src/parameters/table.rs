//! The one table of parameters. Flags, sliders, help, sweeps and memory keys all come from it.

use super::choices::*;
use super::param::Param;
use super::{Choice, Declaration, Domain, Stage};

/// The two names of a switch, with what each means.
macro_rules! switch {
    (off: $off:literal, on: $on:literal $(,)?) => {
        Domain::Choice(&[
            Choice {
                name: "off",
                was: &[],
                meaning: $off,
            },
            Choice {
                name: "on",
                was: &[],
                meaning: $on,
            },
        ])
    };
}

/// Rows of `Variant CONSTANT: type = default, id symbol label, stage, domain, meaning, source`.
macro_rules! parameters {
    ($($variant:ident $constant:ident: $kind:ty = $default:expr, $id:literal $symbol:literal $label:literal,
       $stage:ident, $domain:expr, $meaning:literal, $source:literal;)+) => {
        /// The name of a parameter; its [`Declaration`] says the rest.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Parameter { $(#[doc = $meaning] $variant),+ }

        impl Parameter {
            /// All of them, in the order of the pipeline.
            pub const ALL: &'static [Parameter] = &[$(Parameter::$variant),+];
        }

        $(
            #[doc = $meaning]
            pub const $constant: Param<$kind> = Param::new(Parameter::$variant, $default);
        )+

        static DECLARATIONS: &[Declaration] = &[$(Declaration {
            id: $id, symbol: $symbol, label: $label, domain: $domain, default: $constant.at($default).1,
            stage: Stage::$stage, meaning: $meaning, source: $source,
        }),+];
    };
}

/// Below this, phrases alike are not stored.
pub const SYNONYM_LEAST: f64 = 0.5;

parameters! {
    Ner NER: Ner = Ner::RegexPlus, "ner" "ner" "mentions", Index,
        Domain::Choice(Ner::CHOICES),
        "How names are extracted from passages and questions", "SPRIG, NER options; regex_plus is ours";
    Norm NORM: Norm = Norm::Simple, "norm" "norm" "normal form", Index,
        Domain::Choice(Norm::CHOICES),
        "When two spellings count as one entity", "SPRIG, defaults by data set (HotpotQA simple, 2Wiki lower)";
    AliasLinking ALIAS_LINKING: bool = false, "alias_linking" "EL" "title aliases", Index,
        switch! {
            off: "mentions stand for themselves",
            on: "a mention that is the alias of exactly one title becomes that title",
        },
        "Link mentions to passage titles; a titled passage also mentions its own title", "SPRIG, +EL";
    Gazetteer GAZETTEER: bool = false, "gazetteer" "gaz" "titles as names", Index,
        switch! {
            off: "names are what the extractor finds",
            on: "passage titles are names as well, in questions whatever their case",
        },
        "Treat passage titles as names; a titled passage also mentions its own title", "ours, for hop";
    Subjects SUBJECTS: bool = true, "subjects" "subj" "subjects", Index,
        switch! {
            off: "untitled passages have no subject",
            on: "untitled passages use the name their text opens with, and its aliases",
        },
        "Substitute for a missing title, in the graph and in the vectors", "ours";
    EdgeWeight EDGE_WEIGHT: EdgeWeight = EdgeWeight::TfLogPlus1, "edge_weight" "w" "edge weight", Graph,
        Domain::Choice(EdgeWeight::CHOICES),
        "Weight of a mention edge when mass is distributed", "SPRIG, edge weights; the constant is read as outside the product";
    MinDf MIN_DF: usize = 1, "min_df" "min df" "min df", Graph,
        Domain::Integer { min: 1, max: 20, step: 1, zero: None },
        "Ignore entities found in fewer passages than this", "SPRIG, indexing options";
    MaxDfRatio MAX_DF_RATIO: f64 = 1.0, "max_df_ratio" "max df" "max df share", Graph,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Ignore entities found in a larger share of passages (or chunks) than this", "SPRIG, indexing options; ours in E2GraphRAG";
    PruneTopPct PRUNE_TOP_PCT: f64 = 0.0, "prune_top_pct" "x" "prune top hubs %", Graph,
        Domain::Real { min: 0.0, max: 10.0, step: 0.1 },
        "Remove this percentage of entities, most frequent first", "SPRIG, +PRUNE (1.0)";
    EdgeCap EDGE_CAP: usize = 0, "edge_cap" "L" "edges per entity", Graph,
        Domain::Integer { min: 0, max: 1000, step: 10, zero: Some("none") },
        "Keep at most this many passages per entity, heaviest edges first", "SPRIG, per-entity cap; L is not published";
    HubP HUB_P: f64 = 0.5, "hub_p" "p" "hub penalty", Graph,
        Domain::Real { min: 0.0, max: 2.0, step: 0.05 },
        "Damp frequent entities: a passage sends mass in proportion to weight * df^-p, before normalising", "SPRIG, hub penalty";
    FoldAccents FOLD_ACCENTS: bool = false, "fold_accents" "acc" "names without accents", Graph,
        switch! {
            off: "a name links only to an entity with the same accents",
            on: "if there is no exact match, accents are ignored",
        },
        "Match names ignoring accents when there is no exact match", "ours; off in SPRIG and the reference, and by no sure interval better (RESEARCH.md)";
    AnyCase ANY_CASE: bool = true, "any_case" "case" "names in any case", Graph,
        switch! {
            off: "a question without a linked name has no entity seed",
            on: "if no name links, entities are found in any case, without accents and possessives",
        },
        "If no name of the question links, find entities in any case and without accents", "ours; off in SPRIG and the reference";
    Tokens TOKENS: Tokens = Tokens::Plain, "tokens" "tok" "words", Score,
        Domain::Choice(Tokens::CHOICES),
        "Tokenizer for BM25", "the reference runs use both";
    Bm25K1 BM25_K1: f64 = 1.2, "bm25_k1" "k1" "BM25 k1", Score,
        Domain::Real { min: 0.0, max: 3.0, step: 0.1 },
        "Term-frequency saturation: lower means repeats count less", "not published by SPRIG; the usual default";
    Bm25B BM25_B: f64 = 0.75, "bm25_b" "b" "BM25 b", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Length normalisation: 0 none, 1 full", "not published by SPRIG; the usual default";
    Rm3Docs RM3_DOCS: usize = 10, "rm3_docs" "fb docs" "RM3 passages", Score,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None },
        "Feedback passages used for expansion", "Anserini defaults";
    Rm3Terms RM3_TERMS: usize = 10, "rm3_terms" "fb terms" "RM3 words", Score,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None },
        "Expansion words added to the question", "Anserini defaults";
    Rm3Original RM3_ORIGINAL: f64 = 0.5, "rm3_original" "lambda" "RM3 question share", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Weight of the original question in the expanded one", "Anserini defaults";
    Rm3Pool RM3_POOL: Rm3Pool = Rm3Pool::Heaviest, "rm3_pool" "pool" "RM3 word pool", Score,
        Domain::Choice(Rm3Pool::CHOICES),
        "Which words of a feedback passage are used (df at most 0.1 N either way)", "Anserini (heaviest); the reference runs (all)";
    Step2Docs STEP2_DOCS: usize = 5, "step2_docs" "m" "2-step passages", Score,
        Domain::Integer { min: 1, max: 20, step: 1, zero: None },
        "First-pass passages that names are taken from", "not published";
    Step2Entities STEP2_ENTITIES: usize = 5, "step2_entities" "n" "2-step names", Score,
        Domain::Integer { min: 1, max: 20, step: 1, zero: None },
        "Names added to the question", "not published";
    Step2Weight STEP2_WEIGHT: f64 = 0.5, "step2_weight" "w2" "2-step weight", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Weight of an added word relative to an original one", "not published";
    Step2Rule STEP2_RULE: Step2Rule = Step2Rule::TfIdf, "step2_rule" "rule" "2-step choice", Score,
        Domain::Choice(Step2Rule::CHOICES),
        "How names are chosen", "not published; rank is what the reference runs use";
    VectorSearch VECTOR_SEARCH: VectorSearch = VectorSearch::Auto, "vector_search" "search" "vector search", Score,
        Domain::Choice(VectorSearch::CHOICES),
        "Exact or approximate (HNSW) vector search; auto indexes with HNSW from 200,000 vectors up", "HNSW, Malkov and Yashunin 2016; SPRIG names exact or HNSW";
    HnswM HNSW_M: usize = 32, "hnsw_m" "M" "HNSW links", Index,
        Domain::Integer { min: 4, max: 128, step: 4, zero: None },
        "HNSW links per vector (M); twice as many on the bottom layer", "SAGE's general configuration; its paper has 64";
    HnswEfConstruction HNSW_EF_CONSTRUCTION: usize = 200, "hnsw_ef_construction" "efC" "HNSW build", Index,
        Domain::Integer { min: 8, max: 2000, step: 8, zero: None },
        "HNSW candidates considered when a vector is inserted (efConstruction)", "SAGE's general configuration; its STaRK code has 2000";
    HnswEfSearch HNSW_EF_SEARCH: usize = 64, "hnsw_ef_search" "ef" "HNSW beam", Score,
        Domain::Integer { min: 8, max: 2000, step: 8, zero: None },
        "HNSW search width (ef); at least the list length, 100 or top k", "usual; SAGE's general configuration has 100";
    RrfC RRF_C: usize = 60, "rrf_c" "c" "fusion constant", Score,
        Domain::Integer { min: 1, max: 200, step: 1, zero: None },
        "A passage at rank r of a list adds 1/(c+r)", "reciprocal rank fusion, Cormack et al. 2009";
    RrfDepth RRF_DEPTH: usize = 100, "rrf_depth" "depth" "fusion depth", Score,
        Domain::Integer { min: 10, max: 1000, step: 10, zero: None },
        "Passages taken from each list before fusion", "not published";
    SeedQ SEED_Q: f64 = 0.5, "seed_q" "q" "entity seed q", Seeds,
        Domain::Real { min: 0.0, max: 2.0, step: 0.05 },
        "Seed weight of an entity is df^-q: higher q favours rare entities", "SPRIG, defaults by data set (HotpotQA 0.5, 2Wiki 1.0)";
    SeedK SEED_K: usize = 10, "seed_k" "k" "passage seeds", Seeds,
        Domain::Integer { min: 0, max: 50, step: 1, zero: None },
        "First-stage passages used as seeds", "SPRIG, defaults by data set (Hybrid HotpotQA 10, 2Wiki 5)";
    SeedWeight SEED_WEIGHT: SeedWeight = SeedWeight::Rank, "seed_weight" "sw" "passage seed weight", Seeds,
        Domain::Choice(SeedWeight::CHOICES),
        "What a passage seed at rank r weighs", "SPRIG names rank; its formula is not given, 1/r is the usual reading";
    SoftmaxTau SOFTMAX_TAU: f64 = 1.0, "softmax_tau" "tau" "softmax tau", Seeds,
        Domain::Real { min: 0.05, max: 10.0, step: 0.05 },
        "Temperature of softmax seed weights", "not published";
    Fallback FALLBACK: Fallback = Fallback::Uniform, "fallback" "fb" "no-seed fallback", Seeds,
        Domain::Choice(Fallback::CHOICES),
        "Where the walk starts when no name is linked", "SPRIG, Graph and Graph + BM25 top-1 fallback";
    Mix MIX: Mix = Mix::Mass, "mix" "mix" "mixing", Mix,
        Domain::Choice(Mix::CHOICES),
        "How restart weight is split between entity and passage seeds", "SPRIG, MIX";
    MixA MIX_A: f64 = 0.5, "mix_a" "a" "entity share a", Mix,
        Domain::Real { min: 0.0, max: 1.0, step: 0.01 },
        "Entity share of the restart weight (mix=fixed only)", "SPRIG, MIX";
    Walk WALK: Walk = Walk::Power, "walk" "walk" "walk", Spread,
        Domain::Choice(Walk::CHOICES),
        "How score spreads", "SPRIG, 2Wiki power, HotpotQA push; power is the default here since each of its steps can be shown";
    Alpha ALPHA: f64 = 0.15, "alpha" "alpha" "restart alpha", Spread,
        Domain::Real { min: 0.01, max: 0.99, step: 0.01 },
        "Restart probability: the share of mass that returns to the seeds in every step; damping is 1 - alpha", "SPRIG";
    Steps STEPS: usize = 5, "steps" "T" "steps T", Spread,
        Domain::Integer { min: 0, max: 50, step: 1, zero: None },
        "Power iterations; an odd T favours entity seeds, an even T passage seeds", "SPRIG";
    Epsilon EPSILON: f64 = 1e-5, "epsilon" "eps" "push epsilon", Spread,
        Domain::Log { min: 1e-8, max: 1e-2, factor: 10.0 },
        "Push stops when no residual exceeds this", "not published";
    PushThreshold PUSH_THRESHOLD: PushThreshold = PushThreshold::Plain, "push_threshold" "thr" "push threshold", Spread,
        Domain::Choice(PushThreshold::CHOICES),
        "What a node's residual is compared with", "Andersen, Chung, Lang 2006";
    Dangling DANGLING: Dangling = Dangling::Drop, "dangling" "dang" "dead ends", Spread,
        Domain::Choice(Dangling::CHOICES),
        "What happens to mass at a passage without entities", "SPRIG is silent; drop is what normalising an empty row gives";
    HopSeeds HOP_SEEDS: usize = 10, "hop_seeds" "n" "bridge seeds", Seeds,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None },
        "First-stage passages that seed the mixed walk and the sentence bridge", "ours, measured";
    HopSharpness HOP_SHARPNESS: f64 = 12.0, "hop_sharpness" "beta" "seed sharpness", Seeds,
        Domain::Real { min: 0.0, max: 40.0, step: 1.0 },
        "A seed passage weighs exp(beta (cosine - cosine of the first))", "ours, measured";
    HopTail HOP_TAIL: f64 = 0.5, "hop_tail" "tail" "dense tail", Seeds,
        Domain::Real { min: 0.0, max: 2.0, step: 0.05 },
        "Restart mass given to the 200 nearest passages, relative to 1 for the first seed", "ours, measured";
    LinearRounds LINEAR_ROUNDS: usize = 2, "linear_rounds" "rounds" "activation rounds", Seeds,
        Domain::Integer { min: 0, max: 6, step: 1, zero: Some("none") },
        "Rounds of activation from entity to entity through sentences", "LinearRAG, code max_iterations 3, the seeds counted";
    LinearSentences LINEAR_SENTENCES: usize = 1, "linear_sentences" "sent" "sentences/entity", Seeds,
        Domain::Integer { min: 1, max: 10, step: 1, zero: None },
        "Sentences per active entity, closest to the question first, that pass activation on", "LinearRAG, code top_k_sentence 1";
    LinearThreshold LINEAR_THRESHOLD: f64 = 0.15, "linear_threshold" "thr" "activation threshold", Seeds,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Entities with less activation than this stay inactive", "fits the built-in vectors; LinearRAG, code iteration_threshold .5, for mpnet";
    LinearPassageRatio LINEAR_PASSAGE_RATIO: f64 = 1.5, "linear_passage_ratio" "ratio" "closeness ratio", Mix,
        Domain::Real { min: 0.0, max: 5.0, step: 0.1 },
        "Weight of a passage's similarity relative to its active entities", "LinearRAG, code passage_ratio 1.5";
    LinearPassageWeight LINEAR_PASSAGE_WEIGHT: f64 = 0.05, "linear_passage_weight" "pw" "passage weight", Mix,
        Domain::Real { min: 0.0, max: 1.0, step: 0.01 },
        "Restart weight of passages relative to entities", "LinearRAG and HippoRAG 2, code passage_node_weight .05";
    SynonymThreshold SYNONYM_THRESHOLD: f64 = 0.8, "synonym_threshold" "syn" "synonym cosine", Graph,
        Domain::Real { min: SYNONYM_LEAST, max: 1.0, step: 0.05 },
        "Connect phrases whose vectors have at least this cosine", "HippoRAG 2, code synonymy_edge_sim_threshold .8";
    RelationWeight RELATION_WEIGHT: f64 = 1.0, "relation_weight" "rel" "relation weight", Graph,
        Domain::Real { min: 0.0, max: 10.0, step: 0.1 },
        "Weight of a given graph's average relation, and of its average link between texts; an entity and its text weigh 1. 0 leaves both out", "ours";
    LinkingTopK LINKING_TOP_K: usize = 5, "linking_top_k" "link" "facts and phrases", Seeds,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None },
        "Facts considered, and phrases of theirs used as seeds", "HippoRAG 2, code linking_top_k 5";
    FactFilter FACT_FILTER: FactFilter = FactFilter::Rules, "fact_filter" "filter" "fact filter", Seeds,
        Domain::Choice(FactFilter::CHOICES),
        "How facts near the question are filtered", "HippoRAG 2: a model (recognition memory); the rules are ours, and keep nearly all facts";
    HopGuard HOP_GUARD: f64 = 1.0, "hop_guard" "g" "single-hop guard", Select,
        Domain::Real { min: 0.0, max: 1.0, step: 0.1 },
        "Shift weight from walks to words when one passage covers the question; 0 is off", "ours, measured: keeps one-hop sets at BM25's level";
    WeightCosine WEIGHT_COSINE: f64 = 2.0, "weight_cosine" "w1" "cosine", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 },
        "Weight of cosine, scaled to 0 at the corpus mean and 1 at the best", "ours, measured";
    WeightDenseRank WEIGHT_DENSE_RANK: f64 = 0.8, "weight_dense_rank" "w2" "dense rank", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 },
        "Weight of 1/rank among the nearest 100", "ours, measured";
    WeightBm25Rank WEIGHT_BM25_RANK: f64 = 1.5, "weight_bm25_rank" "w3" "BM25 rank", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 },
        "Weight of 1/rank among the best 100 by words", "ours, measured";
    WeightEntityWalk WEIGHT_ENTITY_WALK: f64 = 2.75, "weight_entity_walk" "w4" "entity walk", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 },
        "Weight of the walk from the question's names, in log space", "ours, measured";
    WeightMixedWalk WEIGHT_MIXED_WALK: f64 = 2.75, "weight_mixed_walk" "w5" "mixed walk", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 },
        "Weight of the walk from names and passages, in log space", "ours, measured";
    WeightBridge WEIGHT_BRIDGE: f64 = 1.75, "weight_bridge" "w6" "sentence bridge", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 },
        "Weight of entities mentioned in a relevant sentence of a seed passage, in log space", "ours, measured";
    WeightNamed WEIGHT_NAMED: f64 = 3.0, "weight_named" "w7" "named", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 },
        "Weight of a title match: the question or a relevant seed sentence mentions the passage's title", "ours, measured";
    WeightResidual WEIGHT_RESIDUAL: f64 = 2.2, "weight_residual" "w8" "residual words", Select,
        Domain::Real { min: 0.0, max: 10.0, step: 0.25 },
        "Weight of question words missing from the top passage, by idf", "ours, measured";
    Ranker RANKER: Learned = Learned::Shipped, "ranker" "rk" "ranker", Select,
        Domain::Choice(Learned::CHOICES),
        "The learned order of the first 50 candidates; a file of hopscope tune is named by its path", "ours, measured with each family of questions held out";
    RankerBeta RANKER_BETA: f64 = 1.0, "ranker_beta" "beta" "first order x", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the first order's own score beside the ranker's, times the ranker's own", "ours, measured";
    RankerFirst RANKER_FIRST: f64 = 1.0, "ranker_first" "rk first" "ranker: first order", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the ranker's functions of its parts, its score and its gaps; 0 mutes them", "ours";
    RankerQuestion RANKER_QUESTION: f64 = 1.0, "ranker_question" "rk question" "ranker: question words", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the ranker's functions of the question words a candidate has; 0 mutes them", "ours";
    RankerOpen RANKER_OPEN: f64 = 1.0, "ranker_open" "rk open" "ranker: open words", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the ranker's functions of question words that are open after what is probably found; 0 mutes them", "ours";
    RankerMentions RANKER_MENTIONS: f64 = 1.0, "ranker_mentions" "rk mentions" "ranker: mentions", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the ranker's functions of candidates that name each other; 0 mutes them", "ours";
    RankerNames RANKER_NAMES: f64 = 1.0, "ranker_names" "rk names" "ranker: shared names", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the ranker's functions of rare names in common; 0 mutes them", "ours";
    RankerSentences RANKER_SENTENCES: f64 = 1.0, "ranker_sentences" "rk sentences" "ranker: linking sentence", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the ranker's functions of the sentence that makes a link; 0 mutes them", "ours";
    RankerAlike RANKER_ALIKE: f64 = 1.0, "ranker_alike" "rk alike" "ranker: same title", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the ranker's functions of equal titles; 0 mutes them", "ours";
    RankerPairs RANKER_PAIRS: f64 = 1.0, "ranker_pairs" "rk pairs" "ranker: pairs", Select,
        Domain::Real { min: 0.0, max: 4.0, step: 0.25 },
        "Weight of the ranker's functions of what two or three candidates cover together; 0 mutes them", "ours";
    DropPercentile DROP_PERCENTILE: f64 = 80.0, "drop_percentile" "drop" "cut above drop percentile", Index,
        Domain::Real { min: 50.0, max: 99.0, step: 1.0 },
        "Split a document where adjacent sentence windows differ more than this percentile of all its differences", "SAGE, chunking (80: the largest fifth)";
    Window WINDOW: usize = 1, "window" "win" "sentence window", Index,
        Domain::Integer { min: 0, max: 3, step: 1, zero: None },
        "Context sentences on either side when adjacent sentences are compared", "SAGE, chunking";
    MinSentences MIN_SENTENCES: usize = 3, "min_sentences" "min s" "min sentences", Index,
        Domain::Integer { min: 1, max: 10, step: 1, zero: None },
        "Merge shorter chunks into the more similar neighbour; 1 merges none", "SAGE, code";
    SegmentRows SEGMENT_ROWS: usize = 10, "segment_rows" "rows" "rows per segment", Index,
        Domain::Integer { min: 5, max: 50, step: 1, zero: None },
        "Rows per table segment; a remainder under half joins the previous segment", "SAGE, table segments (10, rest below 5)";
    PairPool PAIR_POOL: usize = 200, "pair_pool" "pool" "candidate pool", Index,
        Domain::Integer { min: 10, max: 1000, step: 10, zero: None },
        "Candidate pairs per unit, nearest by content", "SAGE, code";
    SimilarPercentile SIMILAR_PERCENTILE: f64 = 95.0, "similar_percentile" "sim q" "likeness percentile", Index,
        Domain::Real { min: 50.0, max: 100.0, step: 0.1 },
        "Objects of a STaRK folder, or of a schema that says `similar`, are linked if all long fields are nearer than this percentile of candidate pairs; 100 links none", "SAGE, code over STaRK 95, all metrics";
    EdgePercentile EDGE_PERCENTILE: f64 = 100.0, "edge_percentile" "q" "edge percentile", Graph,
        Domain::Real { min: 50.0, max: 100.0, step: 0.1 },
        "Threshold of every metric: its percentile over the candidate pairs of the kind; at 100 none makes an edge", "SAGE, edges: paper 95, code 99 for OTT-QA; 100 is ours, measured";
    EdgeLogic EDGE_LOGIC: EdgeLogic = EdgeLogic::Or, "edge_logic" "logic" "edge logic", Graph,
        Domain::Choice(EdgeLogic::CHOICES),
        "How the metrics of a pair decide", "SAGE, edges (paper or, code and)";
    EntityEdges ENTITY_EDGES: EntityEdges = EntityEdges::Subject, "entity_edges" "names" "name edges", Graph,
        Domain::Choice(EntityEdges::CHOICES),
        "What names make of two units", "SAGE, graph construction: paper percentile, code shared; subject is ours, measured";
    EntityMatch ENTITY_MATCH: EntityMatch = EntityMatch::Exact, "entity_match" "match" "name match", Graph,
        Domain::Choice(EntityMatch::CHOICES),
        "When two units share a name", "SAGE, code (fuzzy); exact is ours";
    StructuralEdges STRUCTURAL_EDGES: bool = false, "structural_edges" "source" "source edges", Graph,
        switch! {
            off: "units of the same source are not connected",
            on: "units of the same source are connected",
        },
        "Connect units of the same source", "SAGE, structural edges: paper on; off is ours, measured";
    LinkEdges LINK_EDGES: bool = false, "link_edges" "links" "link edges", Graph,
        switch! {
            off: "links.tsv is ignored",
            on: "units of sources that links.tsv joins are edges",
        },
        "Whether links beside the corpus are edges", "SAGE, OTT-QA: connections are rebuilt from scratch instead of using its hyperlinks (off)";
    FuseLexical FUSE_LEXICAL: f64 = 0.5, "fuse_lexical" "lambda b" "word weight", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Weight of BM25, scaled by the best score, in the fused score", "SAGE, code; the paper's numbers are lost";
    FuseDense FUSE_DENSE: f64 = 0.5, "fuse_dense" "lambda d" "vector weight", Score,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Weight of vector similarity in the fused score", "SAGE, code; the paper's numbers are lost";
    SageNearness SAGE_NEARNESS: SageNearness = SageNearness::Cosine, "sage_nearness" "near" "nearness", Score,
        Domain::Choice(SageNearness::CHOICES),
        "How nearness to the question counts", "SAGE (cosine); code for OTT-QA (distance)";
    SageSeeding SAGE_SEEDING: SageSeeding = SageSeeding::Fused, "sage_seeding" "seeding" "seed choice", Seeds,
        Domain::Choice(SageSeeding::CHOICES),
        "How seeds are chosen", "SAGE (fused); code (cutoff)";
    SageSeeds SAGE_SEEDS: usize = 10, "sage_seeds" "k" "seeds k", Select,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None },
        "Seed units: they start the expansion and are listed first", "SAGE, k of (k, k'): 10; 7 in sage, where seeds fill the places first";
    SageNeighbours SAGE_NEIGHBOURS: usize = 10, "sage_neighbours" "k'" "neighbours k'", Select,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None },
        "Neighbours that pruning keeps", "SAGE, k' of (k, k')";
    ChunkTokens CHUNK_TOKENS: usize = 0, "chunk_tokens" "l" "chunk tokens", Index,
        Domain::Integer { min: 0, max: 4000, step: 50, zero: Some("auto") },
        "Tokens of a chunk; auto is the system's own, KET-RAG's by the median document", "E2GraphRAG 1200, KET-RAG 1200 or 150, NodeRAG 1048";
    ChunkOverlap CHUNK_OVERLAP: usize = 100, "chunk_overlap" "overlap" "chunk overlap", Index,
        Domain::Integer { min: 0, max: 2000, step: 10, zero: Some("none") },
        "Tokens that neighbouring chunks share; at most half a chunk", "E2GraphRAG, KET-RAG 100; NodeRAG has none";
    TreeGroup TREE_GROUP: usize = 5, "tree_group" "g" "tree group", Index,
        Domain::Integer { min: 2, max: 20, step: 1, zero: None },
        "Nodes per summary; a level with no more nodes than this is the top", "E2GraphRAG, code 5";
    TreeOver TREE_OVER: TreeOver = TreeOver::Document, "tree_over" "over" "tree scope", Index,
        Domain::Choice(TreeOver::CHOICES),
        "What one summary tree covers", "E2GraphRAG: one tree a document";
    SummaryTokens SUMMARY_TOKENS: usize = 1000, "summary_tokens" "sum" "summary tokens", Index,
        Domain::Integer { min: 100, max: 2000, step: 100, zero: None },
        "Maximum tokens per summary", "E2GraphRAG, about 1000";
    Hops HOPS: usize = 4, "hops" "h" "hops", Spread,
        Domain::Integer { min: 0, max: 6, step: 1, zero: None },
        "Initial hop limit between two question entities; lowered until the chunk limit holds", "E2GraphRAG, shortest_path_k 4";
    CodeHops CODE_HOPS: bool = false, "code_hops" "code" "hop counting", Spread,
        switch! {
            off: "a pair is within h if its path has at most h edges, as in the paper",
            on: "at most h nodes, as the code counts: one edge less",
        },
        "How the distance of a pair is counted", "E2GraphRAG, paper and code differ";
    ChunkLimit CHUNK_LIMIT: usize = 25, "chunk_limit" "k" "chunk limit", Select,
        Domain::Integer { min: 1, max: 200, step: 1, zero: None },
        "Chunks allowed before the hop limit is lowered; also the number of tree nodes taken", "E2GraphRAG, code 25";
    ChunkOrder CHUNK_ORDER: ChunkOrder = ChunkOrder::Groups, "chunk_order" "by" "chunk order", Select,
        Domain::Choice(ChunkOrder::CHOICES),
        "How the chunks that pairs share are put in order; those of a last h that left nothing are always ranked", "E2GraphRAG; coverage for all and rarity are ours";
    CoreRule CORE_RULE: CoreRule = CoreRule::KCore, "core_rule" "core" "core rule", Index,
        Domain::Choice(CoreRule::CHOICES),
        "Which entities are the core of the graph and get a profile; k = ln(nodes) * sqrt(mean degree)", "NodeRAG: text and code k_core, formula degree";
    MatchClusterSize MATCH_CLUSTER_SIZE: usize = 39, "match_cluster_size" "cluster" "match cluster size", Index,
        Domain::Integer { min: 1, max: 200, step: 1, zero: None },
        "Elements are matched with units by clusters when there are more rows per cluster than this", "NodeRAG code, Hcluster_size";
    HnswEdges HNSW_EDGES: bool = true, "hnsw_edges" "hnsw" "similarity edges", Graph,
        switch! {
            off: "edges of the decomposition only",
            on: "layer 0 of the small-world graph over all vectors joins in, adding 1 to an edge that is there",
        },
        "Whether similar texts, units, profiles and elements are linked", "NodeRAG, graph enrichment; ablated in its table";
    SREdges S_R_EDGES: bool = false, "s_r_edges" "S-R" "unit-relation edges", Graph,
        switch! {
            off: "relations hang on their entities only",
            on: "a relation is linked with the units that state it, too",
        },
        "Whether units are linked with the relations they state", "NodeRAG: the paper has them, the code does not";
    HubBalance HUB_BALANCE: bool = false, "hub_balance" "bal" "hub balance", Graph,
        switch! {
            off: "edges weigh as often as they were made",
            on: "an edge weighs 1 / the greater degree of its ends, however often it was made",
        },
        "Whether edges of hubs are damped before rows are normalised; that leaves nothing of how often an edge was made", "NodeRAG: paper off, code on (unbalance_adjust)";
    VectorHits VECTOR_HITS: usize = 10, "vector_hits" "ef" "vector hits", Seeds,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None },
        "Seed nodes found by vector", "NodeRAG code, HNSW_results";
    TermMatch TERM_MATCH: TermMatch = TermMatch::ExactFirst, "term_match" "match" "term match", Seeds,
        Domain::Choice(TermMatch::CHOICES),
        "How a question term is matched to entities and overviews", "NodeRAG, dual search: paper exact, code contains; the order is ours, measured";
    EntryShare ENTRY_SHARE: EntryShare = EntryShare::Parts, "entry_share" "share" "entry shares", Seeds,
        Domain::Choice(EntryShare::CHOICES),
        "How names and vector hits share the restart", "NodeRAG, shallow PPR: nodes (1 / number of entry points); parts is ours, measured";
    WeightExact WEIGHT_EXACT: f64 = 1.0, "weight_exact" "w_x" "exact match weight", Seeds,
        Domain::Real { min: 0.0, max: 10.0, step: 0.1 },
        "Restart weight of name matches, each or in total (entry_share); 0 disables them", "NodeRAG code, accuracy_weight";
    WeightVector WEIGHT_VECTOR: f64 = 1.0, "weight_vector" "w_v" "vector hit weight", Seeds,
        Domain::Real { min: 0.0, max: 10.0, step: 0.1 },
        "What vector hits weigh among the seeds, each or together (entry_share); 0 leaves them out of the walk, not out of what is chosen", "NodeRAG code, similarity_weight";
    WalkRule WALK_RULE: WalkRule = WalkRule::Restart, "walk_rule" "rule" "walk rule", Spread,
        Domain::Choice(WalkRule::CHOICES),
        "How the shallow walk goes on", "NodeRAG: paper restart, code lazy";
    QuotaN QUOTA_N: usize = 10, "quota_n" "qN" "entity quota", Select,
        Domain::Integer { min: 0, max: 100, step: 1, zero: None },
        "How many entities the walk may choose; their profiles are added", "NodeRAG code, Enode";
    QuotaR QUOTA_R: usize = 30, "quota_r" "qR" "relation quota", Select,
        Domain::Integer { min: 0, max: 100, step: 1, zero: None },
        "How many relations the walk may choose", "NodeRAG code, Rnode";
    QuotaO QUOTA_O: usize = 10, "quota_o" "qO" "overview quota", Select,
        Domain::Integer { min: 0, max: 100, step: 1, zero: None },
        "How many overviews the walk may choose; their elements are added", "NodeRAG code, Hnode";
    QuotaOther QUOTA_OTHER: usize = 10, "quota_other" "q" "quota of the others", Select,
        Domain::Integer { min: 0, max: 100, step: 1, zero: None },
        "How many texts, units, profiles and elements the walk may choose", "NodeRAG code, cross_node";
    QuotaShared QUOTA_SHARED: bool = true, "quota_shared" "share" "shared quota", Select,
        switch! {
            off: "so many of each kind",
            on: "so many of the four kinds together",
        },
        "Whether texts, units, profiles and elements share one quota", "NodeRAG: code shares, paper takes the best of each kind";
    NodeOrder NODE_ORDER: NodeOrder = NodeOrder::Landed, "node_order" "order" "order of nodes", Select,
        Domain::Choice(NodeOrder::CHOICES),
        "By what passages are ordered", "ours, measured: the source returns a set of nodes";
    Halvings HALVINGS: Halvings = Halvings::Auto, "halvings" "tau" "halvings", Index,
        Domain::Choice(Halvings::CHOICES),
        "How often a chunk is halved into the units of the graphs", "KET-RAG, 3 at 1200 tokens, 0 at 150";
    KnnK KNN_K: usize = 2, "knn_k" "K" "kNN edges", Index,
        Domain::Integer { min: 2, max: 20, step: 2, zero: None },
        "Neighbours of a unit, half by words in common, half by cosine", "KET-RAG";
    CoreShare CORE_SHARE: f64 = 0.8, "core_share" "beta" "core share", Index,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Share of the units that the skeleton is made of", "KET-RAG";
    CoreBy CORE_BY: CoreBy = CoreBy::Pagerank, "core_by" "core" "core units", Index,
        Domain::Choice(CoreBy::CHOICES),
        "How the units of the skeleton are chosen (Skeleton-RAG; the U and P methods fix it)", "KET-RAG, -P and -U";
    CodeCase CODE_CASE: bool = false, "code_case" "case" "keyword case", Index,
        switch! {
            off: "keywords in lower case",
            on: "as written; stop words are met by their case, so The is a keyword",
        },
        "Whether keywords keep their case", "KET-RAG, published code (on)";
    Cooc COOC: bool = true, "cooc" "cooc" "co-occurrence", Index,
        switch! {
            off: "relations by patterns only",
            on: "neighbours in a sentence that no pattern links occur with each other, strength 0.5",
        },
        "Relations of the skeleton that no pattern of the sentence gives", "ours; the published system asks a model";
    Pmi PMI: bool = false, "pmi" "PMI" "mutual information", Index,
        switch! {
            off: "relations weigh the sum of their strengths",
            on: "p(a,b) ln(p(a,b)/(p(a)p(b))); names with one mention and the lightest 40 % of relations are dropped",
        },
        "How relations of the skeleton are weighed", "GraphRAG without a model";
    Joined JOINED: bool = false, "joined" "joined" "one text", Index,
        switch! {
            off: "each record or file is a document",
            on: "the collection is one text: short passages share chunks",
        },
        "What a chunk may span; on for the published setting of low cost on paragraphs", "KET-RAG cuts paragraphs of 100 tokens in chunks of 1200";
    KeywordSimilarity KEYWORD_SIMILARITY: KeywordSimilarity = KeywordSimilarity::Cosine, "keyword_similarity" "sim" "keyword similarity", Select,
        Domain::Choice(KeywordSimilarity::CHOICES),
        "How keywords are compared with the question", "KET-RAG, paper (cosine) and code (ip)";
    QueryKeywords QUERY_KEYWORDS: usize = 1000, "query_keywords" "W" "keywords", Select,
        Domain::Integer { min: 10, max: 5000, step: 10, zero: None },
        "How many of the nearest keywords may fill the pool", "KET-RAG, published code";
    QueryEntities QUERY_ENTITIES: usize = 10, "query_entities" "E" "entities", Select,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None },
        "How many of the nearest entities the local search starts from", "GraphRAG, local search";
    Oversample OVERSAMPLE: bool = false, "oversample" "x2" "oversample", Select,
        switch! {
            off: "exactly query_entities",
            on: "twice as many, as the published code takes and never cuts back",
        },
        "Whether twice as many entities are taken", "GraphRAG, published code (on)";
    RelationsPerEntity RELATIONS_PER_ENTITY: usize = 10, "relations_per_entity" "R" "relations per entity", Select,
        Domain::Integer { min: 1, max: 50, step: 1, zero: None },
        "Relations to entities that were not selected, per selected entity", "GraphRAG, local search";
    Theta THETA: f64 = 0.2, "theta" "theta" "skeleton share", Select,
        Domain::Real { min: 0.0, max: 1.0, step: 0.05 },
        "Share of the context given to the skeleton; the text part gets the rest", "KET-RAG (Algorithm 4); the value is not published, swept 0 to 1; ours, measured";
    ContextTokens CONTEXT_TOKENS: usize = 12000, "context_tokens" "lambda" "context tokens", Select,
        Domain::Integer { min: 500, max: 32000, step: 500, zero: None },
        "Tokens of the assembled context", "KET-RAG";
    Pack PACK: Misfit = Misfit::Stop, "pack" "pack" "misfits", Select,
        Domain::Choice(Misfit::CHOICES),
        "What to do with a text that does not fit", "KET-RAG (stop); skip is ours";
    PassageOrder PASSAGE_ORDER: PassageOrder = PassageOrder::Interleaved, "passage_order" "order" "passages of both parts", Select,
        Domain::Choice(PassageOrder::CHOICES),
        "In which order passages of the skeleton and of the text part are returned; the context is read in its own", "ours: the papers rank no passages";
    PlanBy PLAN_BY: PlanBy = PlanBy::Template, "plan_by" "plan" "planner", Seeds,
        Domain::Choice(PlanBy::CHOICES),
        "What plans a question over a typed graph", "SPARK; the template planner is ours, for the model that writes programs";
    EdgePolicy EDGE_POLICY: EdgePolicy = EdgePolicy::Minus, "edge_policy" "edge" "expansion", Seeds,
        Domain::Choice(EdgePolicy::CHOICES),
        "When the answers of a plan are expanded", "SPARK+SAGE, +Edge and -Edge (the better one on all six sets)";
    CandidateLimit CANDIDATE_LIMIT: usize = 25, "candidate_limit" "n" "candidates", Seeds,
        Domain::Integer { min: 1, max: 100, step: 1, zero: None },
        "Maximum objects from a long-field search, before the gap cutoff", "SPARK (25)";
    Fusion FUSION: Fusion = Fusion::Rank, "fusion" "fuse" "list fusion", Select,
        Domain::Choice(Fusion::CHOICES),
        "How the two rankings are fused", "SPRIG gives no formula for RRF+PPR fusion; rank fits its figures";
    RerankDepth RERANK_DEPTH: usize = 100, "rerank_depth" "N" "re-ranked", Select,
        Domain::Integer { min: 10, max: 1000, step: 10, zero: None },
        "Candidates re-ranked; the rest keep their order below", "SPRIG, cross-encoder on the top 100";
    ResultK RESULT_K: usize = 10, "result_k" "K" "top K", Select,
        Domain::Integer { min: 1, max: 200, step: 1, zero: None },
        "How many passages are returned", "all systems";
}

impl Parameter {
    /// All that is declared of it.
    pub fn declaration(self) -> &'static Declaration {
        &DECLARATIONS[self as usize]
    }

    /// As flags, presets and traces spell it.
    pub fn id(self) -> &'static str {
        self.declaration().id
    }

    /// By identifier; hyphens count as underscores.
    pub fn from_id(id: &str) -> Option<Parameter> {
        let id = id.replace('-', "_");
        Self::ALL.iter().copied().find(|p| p.id() == id)
    }
}
