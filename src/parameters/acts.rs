//! Which parameters act only while another has a certain value: elsewhere they change nothing, and are shown so.

#![warn(missing_docs)]

use super::Parameter as P;

/// What another parameter must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Must {
    /// One of these choices.
    Be(&'static [&'static str]),
    /// This choice, or `auto` in an index that has stored a small-world graph.
    BeOrStored(&'static str),
    /// A number below this one.
    Below(u32),
    /// A number above 0.
    Exceed0,
    /// 0: passage seeds never leave a walk without any.
    Be0,
    /// One of these choices, where no list of the method is by words.
    BeUnlessListed(&'static [&'static str]),
}

/// A parameter that acts only while another is as it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The one that acts, or not.
    pub parameter: P,
    /// The one it depends on, where a method reads that too.
    pub other: P,
    /// What that must be.
    pub must: Must,
}

const fn needs(parameter: P, other: P, must: Must) -> Needs {
    Needs {
        parameter,
        other,
        must,
    }
}

/// All of them. Held to what they say over every method by `tests/engine/acts.rs`.
pub const NEEDS: &[Needs] = &[
    needs(P::Steps, P::Walk, Must::Be(&["power"])),
    needs(P::Epsilon, P::Walk, Must::Be(&["push"])),
    needs(P::PushThreshold, P::Walk, Must::Be(&["push"])),
    needs(P::SeedWeight, P::SeedK, Must::Exceed0),
    needs(P::SoftmaxTau, P::SeedK, Must::Exceed0),
    needs(P::SoftmaxTau, P::SeedWeight, Must::Be(&["softmax"])),
    needs(P::MixA, P::Mix, Must::Be(&["fixed"])),
    needs(P::Mix, P::SeedK, Must::Exceed0),
    needs(P::HnswM, P::VectorSearch, Must::BeOrStored("hnsw")),
    needs(
        P::HnswEfConstruction,
        P::VectorSearch,
        Must::BeOrStored("hnsw"),
    ),
    needs(P::HnswEfSearch, P::VectorSearch, Must::BeOrStored("hnsw")),
    needs(P::HopTail, P::WeightMixedWalk, Must::Exceed0),
    needs(P::Fallback, P::SeedK, Must::Be0),
    needs(P::Subjects, P::Gazetteer, Must::Be(&["on"])),
    needs(P::EdgeLogic, P::EdgePercentile, Must::Below(100)),
    needs(
        P::EntityMatch,
        P::EntityEdges,
        Must::Be(&["shared", "percentile"]),
    ),
    needs(P::Tokens, P::Fallback, Must::BeUnlessListed(&["bm25_top1"])),
    needs(P::Bm25K1, P::Fallback, Must::BeUnlessListed(&["bm25_top1"])),
    needs(P::Bm25B, P::Fallback, Must::BeUnlessListed(&["bm25_top1"])),
    needs(P::RankerBeta, P::Ranker, Must::Be(&["shipped", "own"])),
    needs(P::RankerFirst, P::Ranker, Must::Be(&["shipped", "own"])),
    needs(P::RankerQuestion, P::Ranker, Must::Be(&["shipped", "own"])),
    needs(P::RankerOpen, P::Ranker, Must::Be(&["shipped", "own"])),
    needs(P::RankerMentions, P::Ranker, Must::Be(&["shipped", "own"])),
    needs(P::RankerNames, P::Ranker, Must::Be(&["shipped", "own"])),
    needs(P::RankerSentences, P::Ranker, Must::Be(&["shipped", "own"])),
    needs(P::RankerAlike, P::Ranker, Must::Be(&["shipped", "own"])),
    needs(P::RankerPairs, P::Ranker, Must::Be(&["shipped", "own"])),
];
