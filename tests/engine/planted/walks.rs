//! What a name, a seed, a mask or a step does to a walk; feedback, re-ranking and hop's candidates.

use super::{HUB, Planted};
use hopscope::layers::Code;

pub const PLANTED: &[Planted] = &[
    // Of ten names the one in most passages is a tenth.
    Planted {
        code: Code::PrunedHub,
        method: "graph",
        set: &["result_k=2", "prune_top_pct=10"],
        question: "Was Alphaville ever at war with Omega?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("two", "The slopes of Gammahill are green."),
            (
                "gold",
                "The armies of Omega burned the mills; such was Omega.",
            ),
            ("three", "The wine of Omega is red."),
            ("four", "The salt of Omega is white."),
            (
                "five",
                "Boats went from Betatown to Deltalake, Epsilonia, Zetaport, Etaburg, Thetaville and Iotafield.",
            ),
        ],
    },
    Planted {
        code: Code::DfFiltered,
        method: "graph",
        set: &["result_k=2", "max_df_ratio=0.5"],
        question: "Was Alphaville ever at war with Omega?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("two", "The slopes of Gammahill are green."),
            (
                "gold",
                "The armies of Omega burned the mills; such was Omega.",
            ),
            ("three", "The wine of Omega is red."),
            ("four", "The salt of Omega is white."),
        ],
    },
    // By itself the method wants words of three passages, and of a tenth of them at most.
    Planted {
        code: Code::DfFiltered,
        method: "tfidf-graph",
        set: &["result_k=2", "min_df=1", "max_df_ratio=0.4"],
        question: "whales singing",
        passages: &[
            ("one", "men singing"),
            ("two", "men dancing songs"),
            ("gold", "whales whales whales whales sang"),
            ("three", "whales drowned"),
            ("four", "whales"),
            ("five", "red paint"),
            ("six", "blue glass"),
        ],
    },
    Planted {
        code: Code::CappedEdge,
        method: "graph",
        set: &["result_k=2", "edge_cap=1"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "They built Alphaville on the ruins of Alphaville near Gammahill.",
            ),
            ("two", "The slopes of Gammahill are green."),
            (
                "gold",
                "The lords of Alphaville built it, as stones at Betatown say.",
            ),
            ("three", "The stones of Betatown are old."),
        ],
    },
    // After an even number of steps what the passages restart is on passages, and what the name restarts on names.
    Planted {
        code: Code::Parity,
        method: "graph-hybrid",
        set: &["result_k=1", "steps=4"],
        question: "Who painted the old mill of Alphaville?",
        passages: &[
            ("one", "Who painted the old mill nobody knows at Gammahill."),
            ("gold", "The lords of Alphaville are dead."),
        ],
    },
    // What has gone on for longest would bring it in, and that is on names.
    Planted {
        code: Code::Parity,
        method: "graph",
        set: &["result_k=1", "steps=4", "alpha=0.01", "hub_p=0"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was sold from Betatown to Gammahill and Deltalake.",
            ),
            (
                "gold",
                "Roads lead from Betatown, Gammahill and Deltalake to Epsilonia, Zetaport, Etaburg, Thetaville and Iotafield.",
            ),
        ],
    },
    // By a walk whose last step is known the verdict would be NOT_JOINED.
    Planted {
        code: Code::SeedWeak,
        method: "names > entity-passage > lazy > passages",
        set: &["result_k=1", "seed_q=2"],
        question: "Who joined Alphaville and Betatown with Omega and Sigma?",
        passages: &[
            ("one", "The road from Alphaville to Betatown is old."),
            ("gold", "The road from Omega to Sigma is new."),
            (
                "two",
                "The wine of Omega went to Sigma, Gammahill and Deltalake.",
            ),
            (
                "three",
                "The salt of Omega went to Sigma, Epsilonia and Zetaport.",
            ),
            (
                "four",
                "The corn of Omega went to Sigma, Etaburg and Thetaville.",
            ),
        ],
    },
    // The best way is the same for both, and what comes back from Betatown is not.
    Planted {
        code: Code::FewerWays,
        method: "graph",
        set: &["result_k=1", "edge_weight=tf"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "From Alphaville one sees Betatown, all Betatown and but Betatown.",
            ),
            ("gold", "From Alphaville a road leads to Betatown."),
        ],
    },
    Planted {
        code: Code::SpelledApart,
        method: "graph",
        set: &["result_k=2"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was sold from Gammahill to Betatown.",
            ),
            ("two", "The slopes of Betatown are green."),
            ("three", "The woods of Betatown are dark."),
            ("gold", "The lord of Gamma Hill was rich."),
        ],
    },
    // A person is taken for a wine.
    Planted {
        code: Code::WrongLink,
        method: "graph",
        set: &["result_k=1", "fold_accents=on"],
        question: "Whom did Rose marry when Alphaville was sold?",
        passages: &[
            ("one", "They drank Ros\u{E9}."),
            (
                "gold",
                "When Alphaville was sold, Dora Field was married to a singer, Berta Miller.",
            ),
            ("two", "The mill of Alphaville was burned."),
        ],
    },
    Planted {
        code: Code::QueryEntityNotLinked,
        method: "graph",
        set: &["result_k=1"],
        question: "Who bridged Alphaville River for Betatown?",
        passages: &[
            ("one", "The mill of Betatown is new."),
            ("two", "The road to Betatown is old."),
            ("gold", "The bridge over the Alphaville was built by monks."),
        ],
    },
    Planted {
        code: Code::QueryEntityNotExtracted,
        method: "graph",
        set: &["result_k=1"],
        question: "who built alphaville for Betatown?",
        passages: &[
            ("one", "The mill of Betatown is new."),
            ("two", "The road to Betatown is old."),
            ("gold", "The monks built Alphaville."),
        ],
    },
    // It does not say the name itself, but is beside what does.
    Planted {
        code: Code::NameNotSeed,
        method: "graph",
        set: &["result_k=2"],
        question: "who built alphaville for Betatown?",
        passages: &[
            ("one", "The mill of Betatown is new."),
            ("two", "The road to Betatown is old."),
            ("three", "The slopes of Betatown are green."),
            (
                "four",
                "The monks of Alphaville came from Zetaport, rich Zetaport.",
            ),
            ("five", "The salt of Betatown is white."),
            ("gold", "They built it at Zetaport."),
        ],
    },
    // The last inside has two seeds and stays without either; the first hangs on one.
    Planted {
        code: Code::LeadsElsewhere,
        method: "graph",
        set: &["result_k=2"],
        question: "What joins Alphaville, Betatown, Deltalake and Gammahill?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            (
                "two",
                "From Betatown to Deltalake, then Betatown to Deltalake, and Betatown to Deltalake.",
            ),
            ("gold", "The slopes of Gammahill are green."),
            ("three", "The woods of Gammahill are dark."),
            ("four", "The wine of Betatown is red."),
            ("five", "The salt of Deltalake is white."),
        ],
    },
    Planted {
        code: Code::Fallback,
        method: "graph",
        set: &["result_k=1"],
        question: "who sold the old mill?",
        passages: &[
            (
                "one",
                "The road from Gammahill to Deltalake and Betatown is old.",
            ),
            ("two", "The slopes of Gammahill are green."),
            ("three", "The water of Deltalake is cold."),
            ("gold", "The old mill of Betatown was sold by monks."),
        ],
    },
    Planted {
        code: Code::Fallback,
        method: "graph",
        set: &["result_k=1", "fallback=bm25_top1"],
        question: "who sold the old mill?",
        passages: &[
            ("one", "The old mill stands at Gammahill."),
            (
                "gold",
                "The monks of Gammahill made money and gave up grinding.",
            ),
        ],
    },
    Planted {
        code: Code::Fallback,
        method: "graph",
        set: &["result_k=1", "fallback=none"],
        question: "who sold the old mill?",
        passages: &[
            ("one", "The road from Gammahill to Deltalake is old."),
            ("gold", "The old mill was sold by Berta Miller."),
        ],
    },
    // Its only name is in no other passage, and is left out.
    Planted {
        code: Code::Isolated,
        method: "graph",
        set: &["result_k=1", "min_df=2"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("two", "The road to Alphaville is old."),
            ("gold", "The water of Deltalake is cold."),
        ],
    },
    // Of walks that are multiplied nothing says what one passage lacks beside another.
    Planted {
        code: Code::CutByK,
        method: "names > entity-passage > power > bridge",
        set: &["result_k=1"],
        question: "What joins Alphaville and Betatown?",
        passages: &[
            ("one", "The road from Alphaville to Betatown is old."),
            ("gold", "The mill of Alphaville is new."),
            ("two", "The mill of Betatown is lost."),
        ],
    },
    Planted {
        code: Code::RestartsLess,
        method: "graph-dense",
        set: &["result_k=1"],
        question: "which mill was sold twice",
        passages: &[
            ("one", "which mill was sold twice near Gammahill"),
            ("gold", "The green slopes of Gammahill."),
            HUB[0],
        ],
    },
    Planted {
        code: Code::RestartsLess,
        method: "graph-rrf",
        set: &["result_k=1"],
        question: "which mill was sold twice",
        passages: &[
            ("one", "which mill was sold twice near Gammahill"),
            ("gold", "The green slopes of Gammahill."),
            HUB[0],
        ],
    },
    Planted {
        code: Code::LaterHop,
        method: "graph-rrf",
        set: &["result_k=2", "seed_k=1"],
        question: "which mill was sold twice",
        passages: &[
            ("one", "which mill was sold twice near Gammahill"),
            ("two", "The slopes of Gammahill fall to Deltalake."),
            ("gold", "The water of Deltalake is cold."),
        ],
    },
    // First by words and closeness, third by the walk.
    Planted {
        code: Code::NotNamed,
        method: "rrf-ppr",
        set: &["result_k=1"],
        question: "Which songs of blue whales in the sea did Alphaville hear?",
        passages: &[
            ("one", "Alphaville would hear songs from Gammahill."),
            ("two", "The tax of Alphaville was high."),
            (
                "gold",
                "The songs of blue whales in the sea, as Gammahill did hear them.",
            ),
            HUB[0],
        ],
    },
    // It lacks the words that the best passage adds to the question.
    Planted {
        code: Code::WordsMissing,
        method: "bm25-rm3",
        set: &["result_k=2", "rm3_docs=1"],
        question: "blue whales",
        passages: &[
            ("one", "blue whales sing songs"),
            ("two", "songs that men sing"),
            (
                "gold",
                "blue paint dries slowly at noon where it is cold and damp and dark, and never at night in the rain",
            ),
            HUB[0],
            HUB[1],
            HUB[2],
            HUB[3],
            HUB[4],
            HUB[5],
        ],
    },
    // Neither a word of the question nor one that is added.
    Planted {
        code: Code::NoSharedTerm,
        method: "bm25-rm3",
        set: &["result_k=1"],
        question: "blue whales",
        passages: &[
            ("one", "blue whales sing songs"),
            ("gold", "red paint dries"),
            HUB[0],
            HUB[1],
            HUB[2],
            HUB[3],
            HUB[4],
            HUB[5],
        ],
    },
    // It lacks the name that the best passage adds to the question.
    Planted {
        code: Code::WordsMissing,
        method: "bm25-2step",
        set: &["result_k=2"],
        question: "Who painted the mill?",
        passages: &[
            ("one", "A monk painted the mill at Gammahill."),
            ("two", "slopes of Gammahill"),
            (
                "gold",
                "A house was painted red and white by a man from far away, and stood for a year and a day.",
            ),
            HUB[0],
            HUB[1],
            HUB[2],
        ],
    },
    // First before it is scored again, word by word.
    Planted {
        code: Code::PrunedByFusion,
        method: "bm25-ce",
        set: &["result_k=1"],
        question: "blue whales songs",
        passages: &[
            (
                "one",
                "songs that old sailors sang of blue nights and of whales that they had never seen",
            ),
            ("gold", "songs whales songs whales"),
            ("two", "a tax on window glass was repealed"),
            ("b1", "blue rain fell"),
            ("b2", "blue snow fell"),
            ("b3", "blue hail fell"),
            ("b4", "blue dust fell"),
            ("b5", "blue ash fell"),
        ],
    },
    // First before it is scored again, word by word.
    Planted {
        code: Code::PrunedByFusion,
        method: "rrf-ce",
        set: &["result_k=1"],
        question: "blue whales songs",
        passages: &[
            (
                "one",
                "songs that old sailors sang of blue nights and of whales that they had never seen",
            ),
            ("gold", "songs whales songs whales"),
            ("two", "a tax on window glass was repealed"),
            ("b1", "blue rain fell"),
            ("b2", "blue snow fell"),
            ("b3", "blue hail fell"),
            ("b4", "blue dust fell"),
            ("b5", "blue ash fell"),
        ],
    },
    // The encoder knows no such letters, no word is shared, and both walks end before it.
    Planted {
        code: Code::NotACandidate,
        method: "hop",
        set: &["result_k=1", "walk=power"],
        question: "\u{2C00}\u{2C31}\u{2C32}\u{2C33}\u{2C34}\u{2C35}",
        passages: &[
            (
                "one",
                "The mill of \u{2C00}\u{2C31}\u{2C32}\u{2C33}\u{2C34}\u{2C35} stands at Gammahill.",
            ),
            ("two", "The slopes of Gammahill fall to Deltalake."),
            ("three", "The water of Deltalake runs to Zetaport."),
            ("gold", "The boats of Zetaport are old."),
        ],
    },
    // What a passage opens with stands for its title.
    Planted {
        code: Code::NotTitled,
        method: "hop",
        set: &[
            "result_k=1",
            "weight_bm25_rank=0",
            "weight_residual=0",
            "weight_cosine=0",
            "weight_dense_rank=0",
            "weight_entity_walk=0",
            "weight_mixed_walk=0",
            "weight_bridge=0",
        ],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "Alphaville is a mill at Gammahill."),
            ("gold", "Deltalake is a lake at Gammahill."),
        ],
    },
    Planted {
        code: Code::LaterHop,
        method: "hop",
        set: &[
            "result_k=2",
            "weight_bm25_rank=0",
            "weight_residual=0",
            "weight_cosine=0",
            "weight_dense_rank=0",
            "weight_mixed_walk=0",
            "weight_bridge=0",
            "weight_named=0",
        ],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("two", "The slopes of Gammahill fall to Deltalake."),
            ("gold", "The water of Deltalake is cold."),
        ],
    },
    // The question does not name what is masked on the way.
    Planted {
        code: Code::PrunedHub,
        method: "graph",
        set: &["result_k=2", "prune_top_pct=10"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("gold", "The green slopes of Gammahill were sold."),
            (
                "five",
                "Boats went from Betatown to Deltalake, Epsilonia, Zetaport, Etaburg, Thetaville, Iotafield and Kappatown.",
            ),
        ],
    },
    Planted {
        code: Code::DfFiltered,
        method: "graph",
        set: &["result_k=4", "min_df=3"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("two", "The road to Alphaville is old."),
            ("three", "The salt of Alphaville is white."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    Planted {
        code: Code::CappedEdge,
        method: "graph",
        set: &["result_k=2", "edge_cap=1"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    // It was outside before, too.
    Planted {
        code: Code::RankedLower,
        method: "bm25-ce",
        set: &["result_k=1"],
        question: "the songs of blue whales in the sea",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("gold", "whales sea"),
            ("two", "a tax on window glass was repealed"),
        ],
    },
    // The same text twice: ranks make scores of them that differ.
    Planted {
        code: Code::Tied,
        method: "hop",
        set: &["result_k=1"],
        question: "Who sold the mill of Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("gold", "The mill of Alphaville is new."),
            ("two", "red paint dries"),
        ],
    },
];
