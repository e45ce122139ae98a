//! Why something did not come through, in one word: what traces, evaluations and the explorer call a verdict.

#![warn(missing_docs)]

use serde::{Deserialize, Serialize};
use std::fmt;

/// Enums whose variants have a word, of traces and filters, and a sentence, of help and tables.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal $about:literal)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        F0 "F0" "not in the corpus"
        F1 "F1" "wrong seeds or none"
        F2 "F2" "no node in the graph"
        F3 "F3" "no path from a seed"
        F4 "F4" "scored too low"
        F5 "F5" "tied at the cutoff"
        F6 "F6" "just below the cutoff"
        F7 "F7" "lost between stages"
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
        NotInIndex "NOT_IN_INDEX" "the index has no passage with this id"
        NoVector "NO_VECTOR" "the encoder knows no token of the question, so it has no vector to search with"
        NoSharedTerm "NO_SHARED_TERM" "the passage shares no word with the question"
        QueryEntityNotExtracted "QUERY_ENTITY_NOT_EXTRACTED" "question and passage share a name that the extractor did not find"
        QueryEntityNotLinked "QUERY_ENTITY_NOT_LINKED" "a name in the question matches no entity in the graph"
        SpelledApart "SPELLED_APART" "one name is written two ways, and the passage has the other"
        WrongLink "WRONG_LINK" "words of the question were taken for another name"
        NameNotSeed "NAME_NOT_SEED" "the question has a name of the graph that is not among the seeds"
        LeadsElsewhere "LEADS_ELSEWHERE" "a name of the question, or seeds that it does not name, lead to other passages"
        LinkNotSeed "LINK_NOT_SEED" "the name that links the results to the passage is not a seed"
        AmbiguousAlias "AMBIGUOUS_ALIAS" "a name in the question is an alias of several titles"
        Fallback "FALLBACK" "the question gave no usable seed: a fallback ran, or none is allowed"
        KeywordNotSelected "KEYWORD_NOT_SELECTED" "no keyword of the passage is among those nearest to the question"
        FactFiltered "FACT_FILTERED" "a fact in the passage is near the question, but the fact filter rejected it"
        FactsElsewhere "FACTS_ELSEWHERE" "the facts nearest to the question are of other passages"
        EntityNotSelected "ENTITY_NOT_SELECTED" "no entity of the passage is among those nearest to the question"
        NoEntities "NO_ENTITIES" "no name (or fact) was extracted from the passage"
        NotCore "NOT_CORE" "no unit of the passage is among the core units of the skeleton"
        Isolated "ISOLATED" "the passage has no node or no edge in this graph"
        NoPath "NO_PATH" "no path connects any seed to the passage"
        TooFar "TOO_FAR" "the walk stops before it reaches the passage"
        PrunedHub "PRUNED_HUB" "the entity that connects them was pruned as a hub"
        DfFiltered "DF_FILTERED" "the entity that connects them is below min_df or above max_df_ratio"
        CappedEdge "CAPPED_EDGE" "the edge was dropped by edge_cap (edges per entity)"
        ByHand "BY_HAND" "one of your graph edits muted the entity or cut the edge between them"
        NotNeighbour "NOT_NEIGHBOUR" "no seed is adjacent, and this method expands one hop only"
        PercentilePruned "PERCENTILE_PRUNED" "the pair was compared, but scored below the edge percentile"
        NotCandidatePair "NOT_CANDIDATE_PAIR" "the passage and a seed were never compared: it is outside the candidate pool (pair_pool)"
        PairTooFar "PAIR_TOO_FAR" "two entities of the question are more hops apart than a pair may be"
        NoSharedChunk "NO_SHARED_CHUNK" "no chunk of the passage contains both entities of a pair"
        PlanNoPath "PLAN_NO_PATH" "the plan follows no edge to the passage"
        PlanFiltered "PLAN_FILTERED" "a condition in the plan excluded it"
        NotACandidate "NOT_A_CANDIDATE" "it is not among the candidates that the next stage scores"
        BelowThreshold "BELOW_THRESHOLD" "the entity's activation is below linear_threshold"
        Diluted "DILUTED" "a hub on the path passes on too small a share of the mass"
        SeedWeak "SEED_WEAK" "only seeds with little restart weight contribute to it"
        Parity "PARITY" "with this number of steps, its seeds' mass ends on entities instead of passages"
        HReduced "H_REDUCED" "the hop limit was lowered because too many chunks matched"
        OccZero "OCC_ZERO" "it mentions no entity of the question"
        TypeFiltered "TYPE_FILTERED" "its best node is of a type the method does not return"
        QuotaFull "QUOTA_FULL" "the quota for its node type was full"
        PoolFull "POOL_FULL" "the candidate pool was full before it was reached"
        Budget "BUDGET" "the context ran out of tokens before it was reached"
        BudgetCut "BUDGET_CUT" "its part of the context (skeleton or text) ran out of tokens"
        RestartsLess "RESTARTS_LESS" "the passage at rank k is a restart seed; this one is not, or has less restart weight"
        NotNamed "NOT_NAMED" "a seed is adjacent to the passage at rank k; none is adjacent to this one"
        LaterHop "LATER_HOP" "it is more hops from the seeds than the passage at rank k"
        BusierWay "BUSIER_WAY" "its path crosses a node that splits its mass more ways than any on the path to rank k"
        ThinEdge "THIN_EDGE" "an edge on its path weighs less than the matching edge on the path to rank k"
        NotJoined "NOT_JOINED" "as near as the passage at rank k, but lacks an edge from a node that feeds that one"
        FewerSeeds "FEWER_SEEDS" "as near as the passage at rank k, but fewer seeds contribute to it"
        FewerWays "FEWER_WAYS" "as near as the passage at rank k, but its paths carry less mass"
        WordsMissing "WORDS_MISSING" "it lacks words of the question that the passage at rank k contains"
        WordsThin "WORDS_THIN" "it has the same question words as rank k, but fewer times or in a longer text"
        FarVector "FAR_VECTOR" "its vector is farther from the question than that of the passage at rank k"
        OrderedLater "ORDERED_LATER" "its group is listed after the groups that filled the top k"
        NoBridge "NO_BRIDGE" "no relevant sentence in a seed passage leads to it"
        BridgeWeak "BRIDGE_WEAK" "its sentence bridge is weaker: a weaker seed, sentence or entity"
        NotTitled "NOT_TITLED" "neither the question nor a seed passage mentions its title"
        OneSeed "ONE_SEED" "one seed favours the passage at rank k; without that seed, this one enters the top k or closes most of its gap"
        OneSignal "ONE_SIGNAL" "one signal favours the passage at rank k; without that signal, this one enters the top k or closes most of its gap"
        RankedLower "RANKED_LOWER" "re-ranking gives it less than the passage at rank k"
        FirstStage "FIRST_STAGE" "most of the gap comes from first-stage retrieval (words, vectors), not from the graph"
        SignalWeak "SIGNAL_WEAK" "the gap is spread over several parts; none accounts for most of it"
        Tied "TIED" "its score is within the tie band of the score at rank k"
        CutByK "CUT_BY_K" "it ranks below the top k"
        PrunedByFusion "PRUNED_BY_FUSION" "fusion or re-ranking moved it out of the top k"
    }
}

impl Code {
    /// `it ranks below the top k [CUT_BY_K]`.
    pub fn words(self) -> String {
        format!("{} [{self}]", self.about())
    }

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
            | NameNotSeed
            | LeadsElsewhere
            | AmbiguousAlias
            | Fallback
            | KeywordNotSelected
            | EntityNotSelected
            | FactFiltered
            | FactsElsewhere => Class::F1,
            NoEntities | NotCore => Class::F2,
            LinkNotSeed | Isolated | NoPath | TooFar | PrunedHub | DfFiltered | CappedEdge
            | ByHand | NotNeighbour | PercentilePruned | NotCandidatePair | PairTooFar
            | NoSharedChunk | PlanNoPath | PlanFiltered | BelowThreshold => Class::F3,
            Diluted | SeedWeak | Parity | HReduced | OccZero | RestartsLess | NotNamed
            | LaterHop | BusierWay | ThinEdge | NotJoined | FewerSeeds | FewerWays
            | WordsMissing | WordsThin | FarVector | OrderedLater | NoBridge | BridgeWeak
            | NotTitled | OneSeed | OneSignal | RankedLower | FirstStage | SignalWeak | CutByK => {
                Class::F4
            }
            Tied => Class::F5,
            Budget => Class::F6,
            NotACandidate | TypeFiltered | QuotaFull | PoolFull | BudgetCut | PrunedByFusion => {
                Class::F7
            }
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
