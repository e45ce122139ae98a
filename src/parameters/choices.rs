//! The enums of parameters that choose one of several: variants, the names people write, and what each means.

use super::param::{Param, ParamType};
use super::{Choice, Parameter, Value};
use serde::{Deserialize, Serialize};

macro_rules! choices {
    ($($(#[$about:meta])* pub enum $choice:ident {
        $($(#[$more:meta])* $variant:ident = $name:literal $(| $was:literal)?: $meaning:literal,)+
    })+) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $choice {
            $(#[doc = $meaning] #[doc = ""] $(#[$more])* #[serde(rename = $name)] $variant,)+
        }

        impl $choice {
            /// All of them, in the order of the sliders.
            pub const ALL: [$choice; [$($name),+].len()] = [$($choice::$variant),+];
            pub(super) const CHOICES: &'static [Choice] = &[$(Choice { name: $name, was: &[$($was)?], meaning: $meaning }),+];

            /// As people write it.
            pub const fn name(self) -> &'static str {
                Self::CHOICES[self as usize].name
            }

            /// By the name people write.
            pub fn from_name(name: &str) -> Option<$choice> {
                Self::ALL.into_iter().find(|c| c.name() == name)
            }
        }

        impl ParamType for $choice {
            fn from_value(value: Value) -> Option<$choice> {
                match value {
                    Value::Choice(at) => Self::ALL.get(at).copied(),
                    _ => None,
                }
            }

            fn value(self) -> Value {
                Value::Choice(self as usize)
            }
        }

        impl Param<$choice> {
            /// The parameter with a value, for tables of defaults.
            pub const fn at(self, choice: $choice) -> (Parameter, Value) {
                (self.id(), Value::Choice(choice as usize))
            }
        }
    )+};
}

choices! {
    /// Which learned order hop ends in.
    pub enum Learned {
        Off = "off": "hop's own weighted sum",
        Shipped = "shipped": "learned on released sets of questions; reads no question of yours",
        Own = "own": "learned by hopscope tune, from a file; without one as shipped",
    }

    /// Which rules find names.
    pub enum Ner {
        /// Literally `\b[A-Z][a-z]+(\s+[A-Z][a-z]+){0,3}\b`: sentence openers become names; accents, acronyms,
        /// digits and particles split or hide them; runs are cut after the fourth word.
        Regex = "regex": "runs of up to four capitalised ASCII words, exactly as in the paper",
        RegexStop = "regex_stop": "regex without one-word function words such as The or He",
        /// Inner apostrophes and hyphens and digits are parts of names too.
        RegexPlus = "regex_plus": "Unicode names with initials, acronyms, particles; function words dropped",
    }

    /// When two spellings are one entity.
    pub enum Norm {
        None = "none": "the name as written",
        Lower = "lower": "lower case",
        Simple = "simple": "lower case, every run of other characters becomes one space",
    }

    /// What a mention edge weighs.
    pub enum EdgeWeight {
        TfLogPlus1 = "tf_log_plus1": "tf * ln((N+1)/(df+1)) + 1",
        TfXSmoothidf = "tf_x_smoothidf": "tf * (ln((N+1)/(df+1)) + 1)",
        Binary = "binary": "1",
        Tf = "tf": "number of mentions",
        Share = "share": "number of mentions / all mentions of the passage",
    }

    /// The two ways the reference runs cut words.
    pub enum Tokens {
        /// Lower case by Unicode rules; anything else than ASCII letters and digits separates.
        Plain = "plain": "lower case, runs of letters and digits, of ASCII in English",
        /// Runs of Unicode letters, digits and `_`.
        Stem = "stem": "Unicode words, stop words dropped, Snowball stems of the language",
    }

    /// Which words of a feedback passage take part in RM3.
    pub enum Rm3Pool {
        Heaviest = "heaviest": "of each passage its heaviest words, scaled to sum 1",
        All = "all": "all words of each passage",
    }

    /// How the names of the second step are chosen.
    pub enum Step2Rule {
        TfIdf = "tf_idf": "by the sum of tf * idf / rank; names of the question left out",
        Rank = "rank": "by the sum of 1 / rank; all names",
    }

    /// How the vectors nearest to the question are found.
    pub enum VectorSearch {
        Auto = "auto": "through the graph where the index stores one, else exact",
        Exact = "exact": "every vector is compared",
        Hnsw = "hnsw": "through a small-world graph, derived now where the index stores none",
    }

    /// What a passage seed at rank r weighs.
    pub enum SeedWeight {
        Rank = "rank": "1/r",
        Linear = "linear": "(k-r+1)/k",
        Rrf = "rrf": "1/(60+r)",
        Softmax = "softmax": "exp((score - best)/tau)",
        Raw = "raw": "the score, negative ones as 0",
    }

    /// What starts the walk when the question has no seed.
    pub enum Fallback {
        Uniform = "uniform": "every passage equally",
        Bm25Top1 = "bm25_top1": "all mass on the best BM25 passage",
        None = "none": "nothing is retrieved",
    }

    /// How entity and passage seeds share the restart mass.
    pub enum Mix {
        Mass = "mass": "raw masses added: a = |s_e| / (|s_e|+|s_d|)",
        Adaptive = "adaptive": "a = (n_e+1)/(n_e+n_d+2), n = number of seeds",
        Fixed = "fixed": "a as given",
    }

    /// How score spreads.
    pub enum Walk {
        Power = "power": "T steps of power iteration from the seeds",
        Push = "push": "forward push until every residual is below epsilon: the limit of many steps",
    }

    /// What a residual is compared with before a node is pushed.
    pub enum PushThreshold {
        Plain = "plain": "epsilon",
        /// The degree counts at least 1.
        Degree = "degree": "epsilon * degree, the rule of Andersen, Chung and Lang",
    }

    /// What happens to mass at a node without arcs.
    pub enum Dangling {
        /// The ledger counts it.
        Drop = "drop": "mass that reaches a passage without entities leaves the walk",
        Reseed = "reseed": "it returns to the seeds",
        Stay = "stay": "mass stays on the passage",
    }

    /// When the similarity of a pair makes an edge.
    pub enum EdgeLogic {
        /// The paper.
        Or = "or": "any metric above its threshold makes an edge",
        /// The published code.
        And = "and": "all must be",
    }

    /// What names make of two units.
    pub enum EntityEdges {
        Off = "off": "names make no edge",
        /// Ours: one entity a unit, as the paper's model gives most of them. Needs no candidate pair.
        Subject = "subject": "units are neighbours where the title of one is a name in the other; units without a title where both have a name",
        /// The published code.
        Shared = "shared" | "on": "a candidate pair that shares a name is an edge besides",
        /// The paper, whose entity overlap is a metric like the others.
        Percentile = "percentile": "shared names are one more metric, with a threshold at the same percentile",
    }

    /// When two units share a name.
    pub enum EntityMatch {
        Exact = "exact": "names of equal normal form, one to one",
        Fuzzy = "fuzzy": "0.7 * Jaccard of character sets + 0.3 * length ratio at least 0.75, one to one",
    }

    /// How nearness to the question counts.
    pub enum SageNearness {
        Cosine = "cosine": "cosine of the vectors",
        /// The published code for OTT-QA.
        Distance = "distance": "1 / (1 + squared distance)",
    }

    /// How seeds are chosen.
    pub enum SageSeeding {
        Fused = "fused": "the best k by fused score",
        /// The published code.
        Cutoff = "cutoff": "of 100 hits each, those in the nearest fifth and in the best fifth by words",
    }

    /// How the core of the graph is read.
    pub enum CoreRule {
        /// The paper's text and the code.
        KCore = "k_core": "nodes of the k-core",
        /// The paper's formula.
        Degree = "degree": "nodes of degree k or more",
    }

    /// How the walk goes on from a step to the next.
    pub enum WalkRule {
        /// The paper.
        Restart = "restart": "alpha p + (1-alpha) P^T pi",
        /// The code.
        Lazy = "lazy": "alpha P^T pi + (1-alpha) pi, without restart",
    }

    /// Which nodes a term of the question means.
    pub enum TermMatch {
        ExactFirst = "exact_first": "exact name; if none, names containing the term",
        /// The published code.
        Contains = "contains": "all whose name contains it",
    }

    /// How names and vector hits share the restart.
    pub enum EntryShare {
        Parts = "parts": "names and vector hits get one part each; the names' part is split equally by term, a term's by node",
        /// The paper.
        Nodes = "nodes": "every node alike",
    }

    /// What passages are ordered by. The source returns a set; this is ours. `Output` beats `Mass` at R@2 and R@5, and
    /// hardly differs at R@10.
    pub enum NodeOrder {
        /// What the quotas leave out counts, too.
        Landed = "landed": "by the mass on a passage's own texts and units",
        Output = "output": "vector hits by cosine, then the walk's, then attached ones, by mass",
        /// All vector hits restart with the same mass, so what flows in decides between them.
        Mass = "mass": "by mass alone",
    }

    /// How often a chunk is halved into the units of the graphs.
    pub enum Halvings {
        Auto = "auto": "slices of about 150 tokens: 3 at 1200, 0 at 150",
        None = "0": "a chunk is one unit",
        Once = "1": "2 slices of a chunk",
        Twice = "2": "4 slices of a chunk",
        Thrice = "3": "8 slices of a chunk",
        FourTimes = "4": "16 slices of a chunk",
    }

    /// Which units are the core that the skeleton graph is made of.
    pub enum CoreBy {
        /// KET-RAG-P.
        Pagerank = "pagerank": "the best of PageRank on the kNN graph",
        /// KET-RAG-U: by a hash of the unit's number.
        Uniform = "uniform": "drawn evenly",
    }

    /// How keywords are compared with the question.
    pub enum KeywordSimilarity {
        /// As the paper says.
        Cosine = "cosine": "cosine with the mean of the keyword's sentences",
        /// As the published code does.
        InnerProduct = "ip": "inner product with the mean as it is: favours words of one context",
    }

    /// What a text does that does not fit into a budget.
    pub enum Misfit {
        Stop = "stop": "the first text that does not fit closes the context",
        Skip = "skip": "it is left out, and a shorter one after it may still fit",
    }

    /// In which order passages of both parts of a context are returned.
    pub enum PassageOrder {
        /// Ranks then say what both parts found, and not the skeleton alone.
        Interleaved = "interleaved": "in turn one of the skeleton and one of the text part",
        Context = "context": "as the context is read: those of the skeleton, then those of the text part",
    }

    /// Who plans.
    pub enum PlanBy {
        Template = "template": "rules read the question and the schema",
        Endpoint = "endpoint": "a language model writes operators; whatever does not pass the grammar falls back to the rules",
    }

    /// When the answers are expanded by their neighbours.
    pub enum EdgePolicy {
        Plus = "+edge": "answers are always expanded by their neighbours",
        Minus = "-edge": "only where the plan itself follows no edge",
    }

    /// What one tree of summaries is over.
    pub enum TreeOver {
        /// A document of no more chunks than a group has no summary, as in the paper.
        Document = "document": "the chunks of one document",
        /// Gives a collection of short passages summaries at all, of passages that have nothing in common but their place.
        Neighbours = "neighbours": "short documents that stand side by side share a tree",
    }

    /// How the chunks that pairs of names share are put in order.
    pub enum ChunkOrder {
        /// As the paper joins them to a text: what one set of names leads to stands together.
        Groups = "groups": "chunks of the same names together, those of more names first",
        Coverage = "coverage": "more of the question's names first, then more occurrences, then the closer text",
        Rarity = "rarity": "by the rarity of the names in a chunk, ln(chunks / chunks with it), and closeness",
    }

    /// Which of the facts near a question are kept.
    pub enum FactFilter {
        Off = "off": "all",
        Rules = "rules": "facts sharing a name or distinctive word with the question or with a kept fact",
        Model = "model": "those that a language model picks, where one is named; else as the rules do",
    }

    /// How lists become one.
    pub enum Fusion {
        Rank = "rank": "1/(c+r) of both lists",
        MinMax = "min_max": "both scores scaled to 0..1 within their lists, averaged",
        After = "after": "the first list as it is, then what the other adds",
    }
}

impl Halvings {
    /// How often, where that is said.
    pub fn count(self) -> Option<usize> {
        (self as usize).checked_sub(1)
    }
}
