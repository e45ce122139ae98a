//! Walks from names, words, vectors and hop's signals.

use super::{HUB, Planted};
use hopscope::layers::Code;

/// Of hop's signals only those of one kind count.
const ONLY_WORDS: &[&str] = &[
    "result_k=1",
    "weight_cosine=0",
    "weight_dense_rank=0",
    "weight_entity_walk=0",
    "weight_mixed_walk=0",
    "weight_bridge=0",
    "weight_named=0",
];
const ONLY_VECTORS: &[&str] = &[
    "result_k=1",
    "weight_bm25_rank=0",
    "weight_residual=0",
    "weight_entity_walk=0",
    "weight_mixed_walk=0",
    "weight_bridge=0",
    "weight_named=0",
];
const ONLY_NAMES_WALK: &[&str] = &[
    "result_k=1",
    "weight_bm25_rank=0",
    "weight_residual=0",
    "weight_cosine=0",
    "weight_dense_rank=0",
    "weight_mixed_walk=0",
    "weight_bridge=0",
    "weight_named=0",
];
const ONLY_BRIDGE: &[&str] = &[
    "result_k=1",
    "hop_seeds=1",
    "weight_bm25_rank=0",
    "weight_residual=0",
    "weight_cosine=0",
    "weight_dense_rank=0",
    "weight_entity_walk=0",
    "weight_mixed_walk=0",
    "weight_named=0",
];

pub const PLANTED: &[Planted] = &[
    Planted {
        code: Code::NotNamed,
        method: "graph",
        set: &["result_k=1"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    Planted {
        code: Code::LaterHop,
        method: "graph",
        set: &["result_k=2"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("two", "The slopes of Gammahill fall to Deltalake."),
            ("gold", "The water of Deltalake is cold."),
        ],
    },
    Planted {
        code: Code::Diluted,
        method: "graph",
        set: &["result_k=2"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was sold from Omega to Gammahill.",
            ),
            ("two", "The slopes of Gammahill are green."),
            ("gold", "The rule of Omega was hard."),
            HUB[0],
            HUB[1],
            HUB[2],
            HUB[3],
        ],
    },
    Planted {
        code: Code::BusierWay,
        method: "graph",
        set: &["result_k=2"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was sold from Epsilonia to Gammahill.",
            ),
            ("two", "The slopes of Gammahill are green."),
            ("gold", "The rule of Epsilonia was hard."),
            ("e1", "The wine of Epsilonia is red."),
            ("e2", "The salt of Epsilonia is white."),
            HUB[0],
            HUB[1],
            HUB[2],
            HUB[3],
            HUB[4],
            HUB[5],
        ],
    },
    Planted {
        code: Code::FewerSeeds,
        method: "graph",
        set: &["result_k=1"],
        question: "What joins Alphaville and Betatown?",
        passages: &[
            ("one", "The road from Alphaville to Betatown is old."),
            ("gold", "The mill of Alphaville is new."),
            ("two", "The mill of Betatown is lost."),
        ],
    },
    Planted {
        code: Code::ThinEdge,
        method: "graph",
        set: &["result_k=1", "edge_weight=tf"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "In Alphaville, so they say in Alphaville, everybody loves Alphaville.",
            ),
            ("gold", "The mill of Alphaville is new."),
        ],
    },
    Planted {
        code: Code::NotJoined,
        method: "graph",
        set: &["result_k=2", "walk=push"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was sold from Betatown to Gammahill.",
            ),
            ("two", "The road from Betatown to Gammahill is old."),
            ("gold", "The wine of Betatown went to Zetaport."),
            ("three", "The slopes of Gammahill are green."),
        ],
    },
    // The same by power iteration.
    Planted {
        code: Code::NotJoined,
        method: "graph",
        set: &["result_k=2", "walk=power"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was sold from Betatown to Gammahill.",
            ),
            ("two", "The road from Betatown to Gammahill is old."),
            ("gold", "The wine of Betatown went to Zetaport."),
            ("three", "The slopes of Gammahill are green."),
        ],
    },
    Planted {
        code: Code::OneSeed,
        // Of this walk it is not known what its last step sent: by another the verdict would be NOT_JOINED.
        method: "names > entity-passage > lazy > passages",
        set: &["result_k=3", "steps=6"],
        question: "What joins Alphaville and Deltalake?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was sold from Betatown to Gammahill.",
            ),
            ("two", "The road from Betatown to Gammahill is old."),
            ("gold", "The wine of Betatown went to Zetaport."),
            ("three", "The slopes of Gammahill are green."),
            (
                "four",
                "The boats of Deltalake went to Zetaport, Etaburg and Thetaville.",
            ),
            ("five", "The docks of Zetaport are wet."),
        ],
    },
    Planted {
        code: Code::OneSignal,
        method: "hop",
        set: &[
            "result_k=1",
            "weight_cosine=0.5",
            "weight_dense_rank=0",
            "weight_residual=0",
            "weight_entity_walk=0",
            "weight_mixed_walk=0",
            "weight_bridge=0",
            "weight_named=0",
        ],
        question: "the songs of blue whales in the sea",
        passages: &[
            (
                "one",
                "blue songs, blue songs, blue whales, blue whales, sea tax, sea tax on window glass",
            ),
            (
                "gold",
                "the songs of blue whales in the sea, heard far away by ships",
            ),
            HUB[0],
        ],
    },
    // Nearer, with more of the words, and it restarts the walk for that: no one of the three is most of it.
    Planted {
        code: Code::FirstStage,
        method: "hop",
        set: &[
            "result_k=1",
            "hop_seeds=1",
            "hop_tail=0",
            "hop_guard=0",
            "weight_cosine=0.6",
            "weight_dense_rank=0",
            "weight_bm25_rank=1",
            "weight_residual=0",
            "weight_entity_walk=0",
            "weight_mixed_walk=0.6",
            "weight_bridge=0",
            "weight_named=0",
        ],
        question: "the songs of blue whales in the sea",
        passages: &[
            (
                "one",
                "the songs of blue whales in the sea were heard at Gammahill",
            ),
            ("gold", "the ships of the sea lie at Deltalake"),
            HUB[0],
        ],
    },
    // Only the functions of the question's words count, and it has few of these.
    Planted {
        code: Code::RankedLower,
        method: "hop",
        set: &[
            "result_k=1",
            "hop_guard=0",
            "ranker_beta=0",
            "ranker_first=0",
            "ranker_open=0",
            "ranker_mentions=0",
            "ranker_names=0",
            "ranker_sentences=0",
            "ranker_alike=0",
            "ranker_pairs=0",
        ],
        question: "the songs of blue whales in the sea",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("gold", "ships of the sea, heard far away"),
            HUB[0],
        ],
    },
    // Of what it lacks most comes over names, by a walk and by a sentence, and neither of the two is most of it.
    Planted {
        code: Code::SignalWeak,
        method: "hop",
        set: &[
            "result_k=1",
            "hop_seeds=1",
            "hop_tail=0",
            "hop_guard=0",
            "weight_cosine=0.3",
            "weight_dense_rank=0",
            "weight_bm25_rank=0",
            "weight_residual=0",
            "weight_entity_walk=3",
            "weight_mixed_walk=0",
            "weight_bridge=0.75",
            "weight_named=0",
        ],
        question: "Who built the mill of Alphaville?",
        passages: &[
            (
                "seed",
                "The mill of Alphaville was built by the lord of Gammahill.",
            ),
            ("one", "Old maps of Alphaville and Gammahill were sold."),
            ("two", "Boats went from Gammahill to Deltalake."),
            ("gold", "The water of Deltalake is cold."),
            HUB[0],
        ],
    },
    Planted {
        code: Code::NoPath,
        method: "graph",
        set: &["result_k=1"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("gold", "The water of Deltalake is cold."),
            ("two", "The boats of Deltalake are gone."),
        ],
    },
    Planted {
        code: Code::TooFar,
        method: "graph",
        set: &["result_k=1", "steps=2"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    Planted {
        code: Code::NoEntities,
        method: "graph",
        set: &["result_k=1"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("gold", "nobody knows who built it."),
        ],
    },
    Planted {
        code: Code::Tied,
        method: "graph",
        set: &["result_k=1"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("gold", "The gate of Alphaville is old."),
        ],
    },
    Planted {
        code: Code::RestartsLess,
        method: "graph-hybrid",
        set: &["result_k=1"],
        question: "which mill was sold twice",
        passages: &[
            ("one", "which mill was sold twice near Gammahill"),
            ("gold", "The green slopes of Gammahill."),
            HUB[0],
        ],
    },
    Planted {
        code: Code::WordsMissing,
        method: "bm25",
        set: &["result_k=1"],
        question: "blue whales sing songs",
        passages: &[
            ("one", "blue whales sing songs at night"),
            ("gold", "blue paint dries at noon today"),
            HUB[0],
        ],
    },
    Planted {
        code: Code::WordsThin,
        method: "bm25",
        set: &["result_k=1"],
        question: "blue whales",
        passages: &[
            ("one", "blue whales and blue whales"),
            (
                "gold",
                "blue whales are seldom seen by those who fish in the cold water here",
            ),
            HUB[0],
        ],
    },
    Planted {
        code: Code::NoVector,
        method: "dense",
        set: &["result_k=1"],
        question: "\u{16A0}\u{16A2}\u{16A6}",
        passages: &[("one", "blue whales sing"), ("gold", "red paint dries")],
    },
    Planted {
        code: Code::NoSharedTerm,
        method: "bm25",
        set: &["result_k=1"],
        question: "blue whales",
        passages: &[
            ("one", "blue whales sing"),
            ("gold", "red paint dries"),
            HUB[0],
        ],
    },
    Planted {
        code: Code::FarVector,
        method: "dense",
        set: &["result_k=1"],
        question: "the songs of blue whales",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("gold", "a tax on window glass was repealed"),
            HUB[0],
        ],
    },
    Planted {
        code: Code::WordsMissing,
        method: "rrf",
        set: &["result_k=1"],
        question: "blue whales sing songs",
        passages: &[
            ("one", "blue whales sing songs at night"),
            ("gold", "humpback song, a music of sea mammals"),
            HUB[0],
        ],
    },
    Planted {
        code: Code::WordsMissing,
        method: "hop",
        set: ONLY_WORDS,
        question: "which blue whales sing songs",
        passages: &[
            ("one", "blue whales sing songs at night"),
            ("gold", "blue paint dries at noon today"),
            HUB[0],
        ],
    },
    Planted {
        code: Code::FarVector,
        method: "hop",
        set: ONLY_VECTORS,
        question: "the songs of blue whales",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("gold", "a tax on window glass was repealed"),
            HUB[0],
        ],
    },
    Planted {
        code: Code::NotNamed,
        method: "hop",
        set: ONLY_NAMES_WALK,
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    Planted {
        code: Code::NoBridge,
        method: "hop",
        set: ONLY_BRIDGE,
        question: "Where was the miller of the old mill born?",
        passages: &[
            ("one", "The miller of the old mill was born in Gammahill."),
            ("two", "The green slopes of Gammahill were sold."),
            ("gold", "The water of Deltalake is cold."),
        ],
    },
    Planted {
        code: Code::BridgeWeak,
        method: "hop",
        set: ONLY_BRIDGE,
        question: "Where was the miller of the old mill born?",
        passages: &[
            (
                "one",
                "The miller of the old mill was born in Gammahill. Taxes on window glass hurt Deltalake.",
            ),
            ("two", "The green slopes of Gammahill were sold."),
            ("gold", "The water of Deltalake is cold."),
        ],
    },
    Planted {
        code: Code::Budget,
        method: "names > entity-passage > power > pack",
        set: &["context_tokens=500"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("gold", "The green slopes of Gammahill were sold LONG"),
        ],
    },
    Planted {
        code: Code::OrderedLater,
        method: "noderag",
        set: &["result_k=1", "vector_hits=1", "node_order=output"],
        question: "Who sold the mill of Alphaville?",
        passages: &[
            ("one", "Berta Miller sold the mill of Alphaville."),
            ("gold", "The slopes of Alphaville are green."),
        ],
    },
    // Of two steps: the question names Alphaville, the answer hangs on Gammahill.
    Planted {
        code: Code::LinkNotSeed,
        method: "graph",
        set: &["result_k=2"],
        question: "Who bought the land where the mill of Alphaville stands?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("two", "The bridge of Alphaville was painted."),
            ("three", "The church of Alphaville was sold."),
            ("four", "The road to Alphaville was closed."),
            ("gold", "The slopes of Gammahill were sold to Deltaburg."),
        ],
    },
    Planted {
        code: Code::FactFiltered,
        method: "hipporag2",
        set: &["result_k=1"],
        question: "Who founded the mill of Alphaville?",
        passages: &[
            ("one", "Berta Miller founded Alphaville."),
            ("gold", "Carla Stone married Dora Field."),
        ],
    },
];
