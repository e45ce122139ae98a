//! Why something did not come through, in one word: what traces, evaluations and the explorer call a verdict.

#![warn(missing_docs)]

use serde::{Deserialize, Serialize};
use std::fmt;

/// Enums whose variants have a word, of traces and filters, and a sentence, of help and tables.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal $about:literal)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $(#[doc = $about] #[serde(rename = $word)] $variant,)* }

        impl $name {
            /// Every one, in the order of the declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word it goes by.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// What it means, in a few words.
            pub const fn about(self) -> &'static str {
                match self { $($name::$variant => $about,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

pub(crate) use words;

words! {
    /// The failure classes a person filters by.
    Class {
        F0 "F0" "the corpus does not have it"
        F1 "F1" "nothing of the question was linked"
        F2 "F2" "the passage has no node"
        F3 "F3" "no path leads to it"
        F4 "F4" "reached, but with too little"
        F5 "F5" "lost in a tie"
        F6 "F6" "just below the cut"
        F7 "F7" "dropped by fusion or re-ranking"
    }
}

impl Class {
    /// Of what stands at a rank behind a cut: near it up to twice its depth.
    pub fn behind(rank: usize, cut: usize) -> Class {
        match rank <= 2 * cut {
            true => Class::F6,
            false => Class::F4,
        }
    }
}

words! {
    /// The precise verdicts.
    Code {
        NotInIndex "NOT_IN_INDEX" "no passage of the index has the id"
        NoVector "NO_VECTOR" "the encoder knows no piece of the question, so nothing is near to it"
        NoSharedTerm "NO_SHARED_TERM" "the passage has no word of the question"
        QueryEntityNotExtracted "QUERY_ENTITY_NOT_EXTRACTED" "question and passage share a name that was not taken for one"
        QueryEntityNotLinked "QUERY_ENTITY_NOT_LINKED" "a name of the question is no node"
        SpelledApart "SPELLED_APART" "one name is written two ways, and the passage has the other"
        WrongLink "WRONG_LINK" "words of the question were taken for another name"
        AmbiguousAlias "AMBIGUOUS_ALIAS" "a name of the question is the alias of several titles"
        Fallback "FALLBACK" "nothing was linked, and a fallback ran or none was allowed"
        KeywordNotSelected "KEYWORD_NOT_SELECTED" "no keyword of the passage is among the nearest to the question"
        FactFiltered "FACT_FILTERED" "a fact of the passage is near the question, and the filter left it out"
        FactsElsewhere "FACTS_ELSEWHERE" "the facts nearest to the question are of other passages"
        EntityNotSelected "ENTITY_NOT_SELECTED" "no name of the passage is among the nearest to the question"
        NoEntities "NO_ENTITIES" "no name was found in the passage"
        NotCore "NOT_CORE" "the passage is outside the skeleton"
        Isolated "ISOLATED" "no edge leads to the passage"
        NoPath "NO_PATH" "no path leads from any seed to the passage"
        TooFar "TOO_FAR" "the nearest seed is farther than the walk goes"
        PrunedHub "PRUNED_HUB" "the name that links the two was pruned as a hub"
        DfFiltered "DF_FILTERED" "the name that links the two is too rare or too frequent to take part"
        CappedEdge "CAPPED_EDGE" "the edge fell to the cap on edges per name"
        ByHand "BY_HAND" "a person muted the name or cut the edge that links the two"
        NotNeighbour "NOT_NEIGHBOUR" "no seed is adjacent, and one hop is taken"
        PercentilePruned "PERCENTILE_PRUNED" "the pair was scored, and its edge fell below the percentile"
        NotCandidatePair "NOT_CANDIDATE_PAIR" "no pair with a seed was scored"
        PairTooFar "PAIR_TOO_FAR" "the names of the question are farther apart than pairs may be"
        NoSharedChunk "NO_SHARED_CHUNK" "no pair of names shares a chunk of the passage"
        PlanNoPath "PLAN_NO_PATH" "the plan's edges do not lead to it"
        PlanFiltered "PLAN_FILTERED" "a condition of the plan left it out"
        NotACandidate "NOT_A_CANDIDATE" "no signal has it among its best, so it was not scored"
        BelowThreshold "BELOW_THRESHOLD" "too little activation came to the name"
        Diluted "DILUTED" "a hub on the way passes on little"
        SeedWeak "SEED_WEAK" "only seeds of little mass pay for it"
        Parity "PARITY" "the walk ends on the other side of the graph"
        HReduced "H_REDUCED" "fewer hops were allowed, since too many chunks were found"
        OccZero "OCC_ZERO" "it mentions no name of the question"
        TypeFiltered "TYPE_FILTERED" "its best node is of a kind that is not returned"
        QuotaFull "QUOTA_FULL" "its best node is beyond the quota of its kind"
        PoolFull "POOL_FULL" "the pool of candidates was full before it"
        Budget "BUDGET" "the budget of tokens was spent before it"
        BudgetCut "BUDGET_CUT" "its part of the context did not fit the budget"
        RestartsLess "RESTARTS_LESS" "what is inside restarts the walk, and it does not or with less"
        NotNamed "NOT_NAMED" "the seeds lead straight to what is inside, and not to it"
        LaterHop "LATER_HOP" "it lies farther from the seeds than what is inside"
        BusierWay "BUSIER_WAY" "the way to it passes a node that shares among more than any on the way to what is inside"
        ThinEdge "THIN_EDGE" "an edge on the way to it weighs less than the like on the way to what is inside"
        NotJoined "NOT_JOINED" "as near as what is inside, but not joined to all that leads there"
        FewerSeeds "FEWER_SEEDS" "as near as what is inside, but fewer seeds pay for it"
        FewerWays "FEWER_WAYS" "as near as what is inside, but less comes over the ways to it"
        WordsMissing "WORDS_MISSING" "it lacks words of the question that what is inside has"
        WordsThin "WORDS_THIN" "it has the words of what is inside, fewer times or in a longer text"
        FarVector "FAR_VECTOR" "its vector is farther from the question's than that of what is inside"
        OrderedLater "ORDERED_LATER" "what brought it is put after what brought the passages inside"
        NoBridge "NO_BRIDGE" "no sentence of a seed passage near the question leads to it"
        BridgeWeak "BRIDGE_WEAK" "what leads to it by a sentence is weaker: the seed, the sentence or the name"
        NotTitled "NOT_TITLED" "neither the question nor a seed passage names its title"
        OneSeed "ONE_SEED" "without one seed, which pays what is inside more, it would be inside"
        OneSignal "ONE_SIGNAL" "without one signal, which gives what is inside more, it would be inside"
        FirstStage "FIRST_STAGE" "most of what it lacks comes of the first lists, and not of the graph: words, closeness, a restart for them"
        SignalWeak "SIGNAL_WEAK" "it has less of several things, and no one of them is most of it"
        Tied "TIED" "its score is within the tie band of the cut"
        CutByK "CUT_BY_K" "it ranks behind the cut"
        PrunedByFusion "PRUNED_BY_FUSION" "fusing or scoring again dropped it"
    }
}

impl Code {
    /// The failure class of most of its cases.
    pub const fn class(self) -> Class {
        use Code::*;
        match self {
            NotInIndex => Class::F0,
            NoVector
            | NoSharedTerm
            | QueryEntityNotExtracted
            | QueryEntityNotLinked
            | SpelledApart
            | WrongLink
            | AmbiguousAlias
            | Fallback
            | KeywordNotSelected
            | EntityNotSelected
            | FactFiltered
            | FactsElsewhere => Class::F1,
            NoEntities | NotCore => Class::F2,
            Isolated | NoPath | TooFar | PrunedHub | DfFiltered | CappedEdge | ByHand
            | NotNeighbour | PercentilePruned | NotCandidatePair | PairTooFar | NoSharedChunk
            | PlanNoPath | PlanFiltered | BelowThreshold => Class::F3,
            NotACandidate | Diluted | SeedWeak | Parity | HReduced | OccZero | TypeFiltered
            | QuotaFull | PoolFull | BudgetCut | RestartsLess | NotNamed | LaterHop | BusierWay
            | ThinEdge | NotJoined | FewerSeeds | FewerWays | WordsMissing | WordsThin
            | FarVector | OrderedLater | NoBridge | BridgeWeak | NotTitled | OneSeed
            | OneSignal | FirstStage | SignalWeak | CutByK => Class::F4,
            Tied => Class::F5,
            Budget => Class::F6,
            PrunedByFusion => Class::F7,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_stands_within_twice_the_cut() {
        let behind = [6, 10, 11, usize::MAX].map(|rank| Class::behind(rank, 5));
        assert_eq!(behind, [Class::F6, Class::F6, Class::F4, Class::F4]);
    }
}
