//! What a KET-RAG layer is built with.

use crate::parameters::{
    CHUNK_OVERLAP, CHUNK_TOKENS, CODE_CASE, COOC, CORE_BY, CORE_SHARE, HALVINGS, JOINED, KNN_K,
    PMI, Parameter as P, Scoped,
};
use serde::{Deserialize, Serialize};

pub use crate::parameters::CoreBy;

/// What decides which units are core. A share of 1 makes the graph of all units.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
}

/// Which rule ranks the units matters only when some are left out.
impl PartialEq for Core {
    fn eq(&self, other: &Core) -> bool {
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

/// All that a layer is built with.
pub const BUILDS: [P; 10] = [
    P::ChunkTokens,
    P::ChunkOverlap,
    P::Halvings,
    P::Joined,
    P::CodeCase,
    P::KnnK,
    P::CoreShare,
    P::CoreBy,
    P::Cooc,
    P::Pmi,
];

impl KetBuild {
    /// These options, but for those among some parameters that the person or the plan chose. What nobody chose stays as
    /// the layer was built.
    pub fn changed(&self, values: Scoped<'_>, among: &[P]) -> KetBuild {
        let mut options = self.clone();
        for &parameter in among.iter().filter(|p| values.chosen(**p)) {
            match parameter {
                P::ChunkTokens if values.get(CHUNK_TOKENS) > 0 => {
                    options.chunk_tokens = Some(values.get(CHUNK_TOKENS));
                    // Another chunk has its own number of slices unless that is set too.
                    options.halvings = None;
                }
                P::ChunkOverlap => options.chunk_overlap = values.get(CHUNK_OVERLAP),
                P::Halvings => options.halvings = values.get(HALVINGS).count().or(options.halvings),
                P::Joined => options.joined = values.get(JOINED),
                P::CodeCase => options.code_case = values.get(CODE_CASE),
                P::KnnK => options.knn_k = values.get(KNN_K),
                P::CoreShare => options.core.share = values.get(CORE_SHARE),
                P::CoreBy => options.core.by = values.get(CORE_BY),
                P::Cooc => options.cooc = values.get(COOC),
                P::Pmi => options.pmi = values.get(PMI),
                _ => {}
            }
        }
        options
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Values;

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
    fn only_what_was_chosen_changes_the_options() {
        let built = KetBuild {
            halvings: Some(2),
            ..KetBuild::default()
        };
        let mut values = Values::default();
        let changed = |values: &Values| built.changed(Scoped::all(values), &BUILDS);
        assert_eq!(changed(&values), built);
        values.set_text("knn_k=4").unwrap();
        assert_eq!(
            (changed(&values).knn_k, changed(&values).halvings),
            (4, Some(2))
        );
        // Another chunk has its own number of slices, unless that is chosen as well; auto chooses nothing.
        for (set, expected) in [
            ("chunk_tokens=300", (Some(300), None)),
            ("halvings=1", (Some(300), Some(1))),
            ("chunk_tokens=auto", (None, Some(1))),
        ] {
            values.set_text(set).unwrap();
            let options = changed(&values);
            assert_eq!((options.chunk_tokens, options.halvings), expected, "{set}");
        }
        // A plan's step chooses as well, and a graph sees only what it reads.
        let fixed = [CORE_SHARE.at(1.0), CORE_BY.at(CoreBy::Uniform)];
        let options = built.changed(Scoped::all(&values).with(&fixed), &[P::CoreShare]);
        assert_eq!(
            (options.core.share, options.core.by),
            (1.0, CoreBy::Pagerank)
        );
        assert_eq!((options.knn_k, options.chunk_tokens), (2, None));
    }
}
