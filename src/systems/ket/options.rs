//! What a KET-RAG layer is built with, and what a search over it is told.

use crate::retrieve::pack::Misfit;
use serde::{Deserialize, Serialize};

pub use crate::parameters::{CoreBy, KeywordSimilarity};

/// What decides which units are core. A share of 1 makes the graph of all units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Core {
    pub by: CoreBy,
    /// beta, 0 to 1: the core is the best `floor(beta n)` units.
    pub share: f64,
}

impl Core {
    /// Every unit: what Microsoft's GraphRAG extracts from.
    pub const ALL: Core = Core {
        by: CoreBy::Pagerank,
        share: 1.0,
    };

    /// Which rule ranks the units matters only when some are left out.
    pub fn same(&self, other: &Core) -> bool {
        self.share == other.share && (self.by == other.by || self.share >= 1.0)
    }
}

/// What the layer is built from an index by. Equal options give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KetBuild {
    /// l, tokens of a chunk. None chooses by the median length of a document: up to [`SHORT`] tokens the published
    /// setting of high accuracy (150), else that of low cost (1200).
    pub chunk_tokens: Option<usize>,
    /// Tokens a chunk shares with the one before, at most half a chunk (published: 100).
    pub chunk_overlap: usize,
    /// tau: a chunk is cut into 2^tau slices. None gives slices of about 150 tokens: 3 at 1200, 0 at 150, as published.
    pub halvings: Option<usize>,
    /// K: half of a unit's neighbours by words in common, half by cosine.
    pub knn_k: usize,
    pub core: Core,
    /// Keywords keep their case and stop words are met by their case, as in the published code ("The" is a keyword).
    pub code_case: bool,
    /// Names of a sentence that no rule of relations links are linked by "occurs with", strength 0.5.
    pub cooc: bool,
    /// Relations weigh p(a,b) ln(p(a,b) / (p(a) p(b))); names with one mention and the lightest 40 % of relations are
    /// dropped, as GraphRAG does without a model.
    pub pmi: bool,
    /// The collection is one text: short passages share chunks. What the published runs at 1200 tokens did with
    /// paragraphs of about 100.
    pub joined: bool,
}

impl Default for KetBuild {
    fn default() -> Self {
        KetBuild {
            chunk_tokens: None,
            chunk_overlap: 100,
            halvings: None,
            knn_k: 2,
            core: Core {
                by: CoreBy::Pagerank,
                share: 0.8,
            },
            code_case: false,
            cooc: true,
            pmi: false,
            joined: false,
        }
    }
}

/// What a session wants otherwise than the layer was built. None: as built.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub chunk_tokens: Option<usize>,
    pub chunk_overlap: Option<usize>,
    pub halvings: Option<usize>,
    pub knn_k: Option<usize>,
    pub core_share: Option<f64>,
    pub core_by: Option<CoreBy>,
    pub code_case: Option<bool>,
    pub cooc: Option<bool>,
    pub pmi: Option<bool>,
    pub joined: Option<bool>,
}

impl Changes {
    /// The options that result.
    pub fn apply(&self, built: &KetBuild) -> KetBuild {
        KetBuild {
            chunk_tokens: self.chunk_tokens.or(built.chunk_tokens),
            chunk_overlap: self.chunk_overlap.unwrap_or(built.chunk_overlap),
            // Another chunk has its own number of slices unless that is set too.
            halvings: self
                .halvings
                .or(built.halvings.filter(|_| self.chunk_tokens.is_none())),
            knn_k: self.knn_k.unwrap_or(built.knn_k),
            core: Core {
                by: self.core_by.unwrap_or(built.core.by),
                share: self.core_share.unwrap_or(built.core.share),
            },
            code_case: self.code_case.unwrap_or(built.code_case),
            cooc: self.cooc.unwrap_or(built.cooc),
            pmi: self.pmi.unwrap_or(built.pmi),
            joined: self.joined.unwrap_or(built.joined),
        }
    }

    /// As they are set on the command line.
    pub fn text(&self) -> String {
        let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
        let named = [
            ("chunk_tokens", self.chunk_tokens.map(|v| v.to_string())),
            ("chunk_overlap", self.chunk_overlap.map(|v| v.to_string())),
            ("halvings", self.halvings.map(|v| v.to_string())),
            ("knn_k", self.knn_k.map(|v| v.to_string())),
            ("core_share", self.core_share.map(|v| v.to_string())),
            ("core_by", self.core_by.map(|v| v.name().to_owned())),
            ("code_case", self.code_case.map(switch)),
            ("cooc", self.cooc.map(switch)),
            ("pmi", self.pmi.map(switch)),
            ("joined", self.joined.map(switch)),
        ];
        let set = named
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        set.collect::<Vec<_>>().join(" ")
    }
}

/// A median document of at most this many tokens is short.
pub const SHORT: usize = 300;
/// Tokens of a chunk in the published settings of high accuracy and of low cost.
pub const ACCURATE: usize = 150;
pub const CHEAP: usize = 1200;

/// Chunk sizes as they were used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    pub chunk_tokens: usize,
    pub overlap: usize,
    pub halvings: usize,
    /// Whether the sizes were chosen by the median document.
    pub chosen: bool,
    /// Tokens of the median document.
    pub median: usize,
}

impl Sizes {
    /// Settles what the options leave open.
    pub fn of(options: &KetBuild, median: usize) -> Sizes {
        let chunk_tokens =
            options
                .chunk_tokens
                .unwrap_or(if median <= SHORT { ACCURATE } else { CHEAP });
        let chunk_tokens = chunk_tokens.max(1);
        let halvings = options.halvings.unwrap_or_else(|| {
            let times = chunk_tokens as f64 / ACCURATE as f64;
            times.log2().round().clamp(0.0, 4.0) as usize
        });
        Sizes {
            chunk_tokens,
            overlap: options.chunk_overlap.min(chunk_tokens / 2),
            halvings: halvings.min(8),
            chosen: options.chunk_tokens.is_none(),
            median,
        }
    }

    /// Tokens of a slice.
    pub fn slice(&self) -> usize {
        self.chunk_tokens.div_ceil(1 << self.halvings)
    }

    /// For the headline.
    pub fn label(&self) -> String {
        let how = if self.chosen {
            format!(", chosen by a median document of {} tokens", self.median)
        } else {
            String::new()
        };
        format!(
            "chunks of {} tokens, tau {}{how}",
            self.chunk_tokens, self.halvings
        )
    }
}

/// The eight methods over one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    TextRag,
    KnngRag,
    KeywordRag,
    SkeletonRag,
    MsGraphRag,
    HybridRag,
    KetRagU,
    KetRagP,
}

/// What fills the text part of the context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Units by their own similarity to the question.
    Text,
    /// The nearest units, then their neighbours in the kNN graph.
    Knng,
    /// Units of the nearest keywords, by similarity.
    Keyword,
}

impl Variant {
    pub const ALL: [Variant; 8] = [
        Variant::TextRag,
        Variant::KnngRag,
        Variant::KeywordRag,
        Variant::SkeletonRag,
        Variant::MsGraphRag,
        Variant::HybridRag,
        Variant::KetRagU,
        Variant::KetRagP,
    ];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Variant::TextRag => "text-rag",
            Variant::KnngRag => "knng-rag",
            Variant::KeywordRag => "keyword-rag",
            Variant::SkeletonRag => "skeleton-rag",
            Variant::MsGraphRag => "ms-graph-rag",
            Variant::HybridRag => "hybrid-rag",
            Variant::KetRagU => "ket-rag-u",
            Variant::KetRagP => "ket-rag-p",
        }
    }

    pub fn channel(self) -> Option<Channel> {
        match self {
            Variant::TextRag | Variant::HybridRag => Some(Channel::Text),
            Variant::KnngRag => Some(Channel::Knng),
            Variant::KeywordRag | Variant::KetRagU | Variant::KetRagP => Some(Channel::Keyword),
            Variant::SkeletonRag | Variant::MsGraphRag => None,
        }
    }

    /// The core of the skeleton it searches; none where it reads no skeleton.
    pub fn core(self, core: Core) -> Option<Core> {
        match self {
            Variant::TextRag | Variant::KnngRag | Variant::KeywordRag => None,
            Variant::MsGraphRag | Variant::HybridRag => Some(Core::ALL),
            Variant::SkeletonRag => Some(core),
            Variant::KetRagU => Some(Core {
                by: CoreBy::Uniform,
                ..core
            }),
            Variant::KetRagP => Some(Core {
                by: CoreBy::Pagerank,
                ..core
            }),
        }
    }

    /// The share of the skeleton: fixed where there is one part only.
    pub fn theta(self, theta: f64) -> f64 {
        match (self.channel(), self.core(Core::ALL)) {
            (_, None) => 0.0,
            (None, _) => 1.0,
            _ => theta.clamp(0.0, 1.0),
        }
    }
}

/// What a search is told: the parameters of the registry by their names there.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    pub variant: Variant,
    /// Share of the context for the skeleton. 0 leaves the skeleton out, 1 the text part.
    pub theta: f64,
    /// lambda.
    pub context_tokens: usize,
    pub query_entities: usize,
    pub relations_per_entity: usize,
    pub query_keywords: usize,
    pub keyword_similarity: KeywordSimilarity,
    /// Of the text part; the tables of entities and relations, their texts and the pool always stop, as published.
    pub pack: Misfit,
    /// Takes twice as many entities, which the published code never cuts back.
    pub oversample: bool,
    pub result_k: usize,
    /// What is to be otherwise than the layer was built.
    pub changes: Changes,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            variant: Variant::KetRagP,
            theta: 0.5,
            context_tokens: 12_000,
            query_entities: 10,
            relations_per_entity: 10,
            query_keywords: 1000,
            keyword_similarity: KeywordSimilarity::Cosine,
            pack: Misfit::Stop,
            oversample: false,
            result_k: 10,
            changes: Changes::default(),
        }
    }
}

impl Params {
    /// Of one method, else defaults.
    pub fn of(variant: Variant) -> Params {
        Params {
            variant,
            ..Params::default()
        }
    }

    /// The theta in force.
    pub fn share(&self) -> f64 {
        self.variant.theta(self.theta)
    }

    /// Tokens of the text part: floor((1 - theta) lambda).
    pub fn text_tokens(&self) -> usize {
        // 1 - 0.9 is a little below 0.1; a share of whole per cent must not lose a token to that.
        let exact = (1.0 - self.share()) * self.context_tokens as f64;
        (exact + 1e-6).floor() as usize
    }

    /// How many entities the local search starts from.
    pub fn entities(&self) -> usize {
        self.query_entities * if self.oversample { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_median_document() {
        let auto = KetBuild::default();
        let short = Sizes::of(&auto, 110);
        assert_eq!(
            (short.chunk_tokens, short.halvings, short.slice()),
            (150, 0, 150)
        );
        assert_eq!(short.overlap, 75, "an overlap is at most half a chunk");
        let long = Sizes::of(&auto, 70_000);
        assert_eq!(
            (long.chunk_tokens, long.overlap, long.halvings, long.slice()),
            (1200, 100, 3, 150)
        );
        assert!(long.label().contains("median document of 70000"));
        let set = KetBuild {
            chunk_tokens: Some(600),
            halvings: Some(1),
            ..auto
        };
        let set = Sizes::of(&set, 110);
        assert_eq!((set.slice(), set.chosen), (300, false));
        let odd = Sizes {
            chunk_tokens: 10,
            halvings: 2,
            ..set
        };
        assert_eq!(odd.slice(), 3);
    }

    #[test]
    fn the_methods_reduce_as_published() {
        let core = KetBuild::default().core;
        for variant in Variant::ALL {
            let p = Params::of(variant);
            let both = variant.channel().is_some() && variant.core(core).is_some();
            assert_eq!(p.share() == 0.5, both, "{}", variant.name());
        }
        assert_eq!(Params::of(Variant::TextRag).text_tokens(), 12_000);
        assert_eq!(Params::of(Variant::MsGraphRag).text_tokens(), 0);
        assert_eq!(Variant::MsGraphRag.core(core).map(|c| c.share), Some(1.0));
        assert_eq!(
            Variant::KetRagU.core(core).map(|c| c.by),
            Some(CoreBy::Uniform)
        );
        for (theta, tokens) in [(0.9, 1200), (0.35, 7800), (0.3333, 8000), (1.0, 0)] {
            let p = Params {
                theta,
                ..Params::default()
            };
            assert_eq!(p.text_tokens(), tokens);
        }
    }
}
