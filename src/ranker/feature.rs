//! What a ranker reads of a candidate: one number a feature, the same list for training and for ranking.

use serde::Serialize;

/// What features are about: the parts into which a score opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// The first order itself: its parts, its score, its gaps.
    First,
    /// Words of the question in the passage, and its title in the question.
    Question,
    /// Words of the question that are open, given what is probably found already.
    Open,
    /// Candidates that name each other.
    Mentions,
    /// Rare names in common that the question does not have.
    Names,
    /// The sentence that makes the link.
    Sentences,
    /// Equal titles, much the same words.
    Alike,
    /// What two or three cover together.
    Pairs,
}

impl Group {
    /// All of them, in the order they are shown.
    pub const ALL: [Group; 8] = [
        Group::First,
        Group::Question,
        Group::Open,
        Group::Mentions,
        Group::Names,
        Group::Sentences,
        Group::Alike,
        Group::Pairs,
    ];

    /// For the screen.
    pub fn label(self) -> &'static str {
        match self {
            Group::First => "first order",
            Group::Question => "question words",
            Group::Open => "open words",
            Group::Mentions => "mentions",
            Group::Names => "shared names",
            Group::Sentences => "linking sentence",
            Group::Alike => "same title",
            Group::Pairs => "pairs",
        }
    }
}

/// Rows of `Variant "id" Group direction "about"`; a direction of 1: more never lowers the score.
macro_rules! features {
    ($($variant:ident $id:literal $group:ident $direction:literal $about:literal;)+) => {
        /// One number about a candidate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Feature { $(#[doc = $about] $variant),+ }

        impl Feature {
            /// All of them: first those that one candidate has whatever else is found, then those given what is found.
            pub const ALL: &'static [Feature] = &[$(Feature::$variant),+];

            /// As files spell it.
            pub fn id(self) -> &'static str {
                match self { $(Feature::$variant => $id),+ }
            }

            /// What it is about.
            pub fn group(self) -> Group {
                match self { $(Feature::$variant => Group::$group),+ }
            }

            /// 1 where more may only raise the score, -1 where it may only lower it, 0 where either.
            pub fn direction(self) -> i8 {
                match self { $(Feature::$variant => $direction),+ }
            }

            /// One line: what it is.
            pub fn about(self) -> &'static str {
                match self { $(Feature::$variant => $about),+ }
            }
        }
    };
}

features! {
    Cosine "cosine" First 1 "the first order's part for the cosine";
    DenseRank "dense_rank" First 1 "its part for the rank by vectors";
    Bm25Rank "bm25_rank" First 1 "its part for the rank by words";
    EntityWalk "entity_walk" First 1 "its part for the walk from names";
    MixedWalk "mixed_walk" First 1 "its part for the walk from names and passages";
    Bridge "bridge" First 1 "its part for the sentence bridge";
    Named "named" First 1 "its part for a title that is named";
    Residual "residual" First 1 "its part for the words that the first passage lacks";
    Score "score" First 1 "score in the first order";
    Lead "gap_first" First 1 "score less that of the first";
    Fifth "gap_fifth" First 1 "score less that of the fifth";
    Rank "rank" First -1 "rank in the first order, from 0";
    Cover "cover" Question 1 "share of the question's words it has, by rarity";
    Only "only" Question 1 "of these, what no other of the first ten has";
    In5 "named_by_5" Mentions 1 "how many of the first five name it";
    In10 "named_by_10" Mentions 1 "how many of the first ten name it";
    Out5 "names_5" Mentions 0 "how many of the first five it names";
    Out10 "names_10" Mentions 0 "how many of the first ten it names";
    InScore "named_by_score" Mentions 1 "scores of the candidates that name it";
    OutScore "names_score" Mentions 0 "scores of the candidates it names";
    Titled "titled" Question 1 "whether the question has its title";
    Words "words" Question 0 "how many words the question has";
    Same "same_title" Alike 0 "how many candidates have its title";
    Adds "adds" Mentions 1 "most it adds to one of the first ten that names it";
    Open "open" Open 1 "open words it has, by rarity";
    OpenShare "open_share" Open 1 "the same as a share of all that are open";
    InMost "named_most" Mentions 1 "most probable candidate that names it";
    OutMost "names_most" Mentions 0 "most probable candidate it names";
    InSum "named_sum" Mentions 1 "probabilities of the candidates that name it";
    OutSum "names_sum" Mentions 0 "probabilities of the candidates it names";
    InAdds "named_adds" Mentions 1 "what it adds to a probable candidate that names it";
    OutAdds "names_adds" Mentions 0 "what it adds to a probable candidate it names";
    NamesSum "shared_sum" Names 0 "rarities of the names it shares, by probability";
    NamesMost "shared_most" Names 1 "rarest name it shares with a probable candidate";
    NamesAdds "shared_adds" Names 1 "the same by what it adds to that candidate";
    Sentence "sentence" Sentences 1 "question words in the sentence that names it";
    SentenceUnion "sentence_union" Sentences 1 "question words in that sentence and in the passage together";
    SentenceNames "sentence_names" Sentences 1 "question words in the two sentences with the shared name";
    SentenceOut "sentence_out" Sentences 0 "question words in its own sentence that names a probable candidate";
    SameFound "same_found" Alike 0 "probabilities of the candidates with its title";
    Pair "pair" Pairs 1 "what it covers together with a probable candidate it is linked to";
    PairGain "pair_gain" Pairs 1 "the same less what it covers alone";
    PairFree "pair_free" Pairs 0 "what it covers together with any probable candidate";
    Triple "triple" Pairs 1 "what it covers together with two linked candidates, at their end";
    Middle "middle" Pairs 1 "what it covers together with two candidates that it links";
}

impl Feature {
    /// How many need nothing but the first order; the others are given what is probably found already.
    pub const OF_ONE: usize = Feature::Open as usize;

    /// The one with this spelling.
    pub fn by_id(id: &str) -> Option<Feature> {
        Feature::ALL.iter().copied().find(|f| f.id() == id)
    }
}
