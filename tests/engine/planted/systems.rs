//! LinearRAG, HippoRAG 2, NodeRAG and SAGE.

use super::{HUB, Planted};
use hopscope::layers::Code;

pub const PLANTED: &[Planted] = &[
    // Both sentences of Alphaville carry; what comes to Gammahill by the second is too little.
    Planted {
        code: Code::BelowThreshold,
        method: "linearrag",
        set: &["result_k=3", "linear_sentences=2", "linear_threshold=0.5"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The lord of Betatown built Alphaville."),
            ("two", "The wine of Alphaville goes to Gammahill."),
            ("three", "The mill of Betatown is old."),
            ("four", "The road to Betatown is long."),
            ("five", "The bridge of Betatown is new."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    // No name in the question: closeness alone. The walk from the nearest passage reaches both.
    Planted {
        code: Code::Fallback,
        method: "linearrag",
        set: &["result_k=1"],
        question: "which boats were sold in the old harbour",
        passages: &[
            ("one", "the boats were sold in the old harbour of Gammahill"),
            ("gold", "The slopes of Gammahill are green."),
        ],
    },
    // Nearer to the question, but of no active name.
    Planted {
        code: Code::NotNamed,
        method: "linearrag",
        set: &["result_k=1"],
        question: "Who built the old mill of Alphaville?",
        passages: &[
            ("one", "The wine of Alphaville is red."),
            ("gold", "Who built the old mill is told at Deltalake."),
            ("two", "The water of Deltalake is cold."),
        ],
    },
    // Deltalake gives both as much; the three other names are three edges from the one and five from the other.
    Planted {
        code: Code::LaterHop,
        method: "linearrag",
        set: &["result_k=2", "linear_rounds=none"],
        question: "What joins Alphaville, Betatown and Epsilonia to Deltalake?",
        passages: &[
            (
                "one",
                "The road from Alphaville over Betatown and Epsilonia to Gammahill is old.",
            ),
            ("two", "The slopes of Gammahill fall to Deltalake."),
            ("gold", "The water of Deltalake feeds Zetaport."),
            ("three", "The docks of Zetaport are wet."),
        ],
    },
    Planted {
        code: Code::SpelledApart,
        method: "linearrag",
        set: &["result_k=2"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("gold", "The wine of Alphavile is red."),
            ("two", "The slopes of Gammahill are green."),
        ],
    },
    // The only fact that is taken is another's; its own is the next.
    Planted {
        code: Code::FactsElsewhere,
        method: "hipporag2",
        set: &["result_k=2", "linking_top_k=1"],
        question: "Who painted Alphaville?",
        passages: &[
            ("one", "Berta Miller painted Alphaville."),
            ("two", "Berta Miller married Dora Field."),
            ("three", "Berta Miller left Gammahill."),
            ("gold", "Carla Stone painted Betatown."),
        ],
    },
    Planted {
        code: Code::NoEntities,
        method: "hipporag2",
        set: &["result_k=1"],
        question: "Who founded Alphaville?",
        passages: &[
            ("one", "Berta Miller founded Alphaville."),
            ("gold", "nobody knows who it was."),
        ],
    },
    // Room for one text or unit beside the one vector hit.
    Planted {
        code: Code::QuotaFull,
        method: "noderag",
        set: &[
            "result_k=2",
            "vector_hits=1",
            "node_order=mass",
            "quota_n=0",
            "quota_other=1",
        ],
        question: "Who sold the mill of Alphaville?",
        passages: &[
            ("one", "Berta Miller sold the mill of Alphaville."),
            ("gold", "The slopes of Alphaville are green."),
            ("two", "Old boats lay in the harbour."),
        ],
    },
    // Nearest to the question, but Alphaville pays the other alone, and what Gammahill pays is shared by three.
    Planted {
        code: Code::NotJoined,
        method: "noderag",
        set: &["result_k=1", "hnsw_edges=off", "weight_exact=3"],
        question: "Is the wine that Gammahill sells to Alphaville red and sweet?",
        passages: &[
            ("one", "Berta Miller sold the boats of Alphaville."),
            ("gold", "The wine of Gammahill is red and sweet."),
            ("two", "The road to Gammahill is old."),
            ("three", "The inn of Gammahill is full."),
        ],
    },
    Planted {
        code: Code::LaterHop,
        method: "noderag",
        set: &["result_k=2", "steps=6", "weight_vector=0", "hnsw_edges=off"],
        question: "Who built Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("two", "The slopes of Gammahill fall to Deltalake."),
            ("gold", "The water of Deltalake is cold."),
        ],
    },
    // The other is so long that it is cut into two units, and Alphaville is joined to both. It is no hub: Omega is.
    Planted {
        code: Code::FewerWays,
        method: "noderag",
        set: &["result_k=1", "weight_vector=0", "hnsw_edges=off"],
        question: "Who built Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville is old LONG. The mill of Alphaville burns.",
            ),
            ("gold", "The green slopes of Alphaville were sold."),
            HUB[0],
            HUB[1],
            HUB[2],
            HUB[3],
            HUB[4],
        ],
    },
    Planted {
        code: Code::WrongLink,
        method: "noderag",
        set: &["result_k=1"],
        question: "Who sold the mill to Gamma?",
        passages: &[
            ("one", "Gamma Deltaport bought the old bridge."),
            ("gold", "The mill was sold by nobody in the end."),
        ],
    },
    // Two hops: the seed names what the second is about, that one what this is about. More edges bring others before it.
    Planted {
        code: Code::NotNeighbour,
        method: "sage",
        set: &["result_k=7", "sage_seeds=1"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            (
                "one",
                "Who built the mill of Alphaville is told at Gammahill.",
            ),
            ("two", "Gammahill is a village near Deltalake."),
            ("gold", "Deltalake is a cold water."),
            ("three", "the mill was built of wood"),
            ("four", "who built the bridge, nobody knows"),
            ("five", "a mill stood there before it was built"),
            ("six", "the wall was built by the miller"),
            ("seven", "the mill burns"),
            ("eight", "the town hall was built late"),
            ("nine", "nobody built a mill there"),
        ],
    },
    // No pair is more alike, but at percentile 100 likeness makes no edge.
    Planted {
        code: Code::PercentilePruned,
        method: "sage",
        set: &["result_k=2", "sage_seeds=1"],
        question: "which blue whales sing songs",
        passages: &[
            ("one", "blue whales sing songs in the cold sea near the ice"),
            ("gold", "the cold sea near the ice is deep and dark"),
            ("two", "songs were sung at the town hall"),
            ("three", "red paint dries at noon"),
            ("four", "a tax on window glass was paid"),
        ],
    },
    // Chunks of a sentence or a few, so that there are more than ten nearer to either of the two.
    Planted {
        code: Code::NotCandidatePair,
        method: "sage",
        set: &[
            "result_k=2",
            "sage_seeds=1",
            "pair_pool=10",
            "min_sentences=1",
            "window=0",
            "drop_percentile=50",
        ],
        question: "What laws, taxes, banks and loans has Gammahill?",
        passages: &[
            ("one", "Gammahill has laws, taxes, banks and loans."),
            (
                "two",
                "Gammahill is a village at the deep cold water of Deltalake.",
            ),
            ("gold", "Deltalake is deep, cold, dark water."),
            (
                "three",
                "Laws tax the bank. Deep water is cold. A tax is law. The lake is dark. Banks have loans. Cold water is dark. Loans are taxed. The deep lake is cold. The bank has laws. Dark water is deep.",
            ),
            (
                "four",
                "A loan is taxed. Cold lakes are deep. Laws on loans help banks. The water is dark. Taxes are law. Deep lakes are dark. The law of banks is old. Dark lakes are cold. Banks are taxed. The water of the lake is deep.",
            ),
            ("five", "the laws of deep cold water"),
            ("six", "a tax on cold dark water"),
            ("seven", "the banks of the deep dark lake"),
            ("eight", "the law of the lake and its deep water"),
            ("nine", "loans for wells of cold water"),
        ],
    },
    Planted {
        code: Code::Isolated,
        method: "sage",
        set: &["result_k=2", "sage_seeds=1"],
        question: "the songs of blue whales in the sea",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("two", "blue whales of the sea"),
            ("three", "whales sing songs at night"),
            ("gold", "a tax on window glass was repealed"),
            ("four", "a tax on salt was paid at Gammahill"),
            ("five", "window glass was made at Deltalake"),
        ],
    },
    // The only neighbour, and two seeds come before it.
    Planted {
        code: Code::OrderedLater,
        method: "sage",
        set: &["result_k=2", "sage_seeds=2"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was built by the lord of Gammahill.",
            ),
            ("two", "who built it, the mill?"),
            ("gold", "Gammahill is a cold village."),
            ("three", "a tax on window glass was paid"),
        ],
    },
    // The third of three seeds.
    Planted {
        code: Code::CutByK,
        method: "sage",
        set: &["result_k=2", "sage_seeds=3"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            (
                "one",
                "The mill of Alphaville was built by the lord of Gammahill.",
            ),
            ("two", "The wall of Alphaville was built later."),
            ("gold", "Gammahill is a cold village."),
            ("three", "a tax on window glass was paid"),
        ],
    },
    Planted {
        code: Code::CutByK,
        method: "sage-flat",
        set: &["result_k=2"],
        question: "the songs of blue whales in the sea",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("two", "blue whales of the sea"),
            ("three", "whales sing songs at night"),
            ("gold", "a tax on window glass was repealed"),
        ],
    },
    // By words the second, by nearness the third.
    Planted {
        code: Code::OneSignal,
        method: "sage-flat",
        set: &["result_k=2", "sage_seeds=1", "sage_neighbours=1"],
        question: "blue whales",
        passages: &[
            ("one", "blue whales sing songs"),
            ("two", "whales sing songs as well"),
            (
                "gold",
                "a tax on blue paint which dries, blue glass, blue boats and blue hats",
            ),
        ],
    },
    // NOT_NAMED as a cause: with linear_rounds=2 gold is rank 3.
    Planted {
        code: Code::NotNamed,
        method: "linearrag",
        set: &["result_k=3", "linear_rounds=1"],
        question: "What else was built by the lord who built the mill of Alphaville?",
        passages: &[
            ("one", "The lord of Gammahill built the mill of Alphaville."),
            (
                "two",
                "What else was built by the lord of Gammahill was the mill of Deltalake.",
            ),
            ("gold", "The water of Deltalake is cold."),
            ("three", "The rain of Gammahill is new."),
            ("four", "The road to Gammahill is old."),
            ("five", "The slopes of Gammahill are green."),
            ("six", "The inn of Gammahill is full."),
            ("seven", "The wine of Gammahill is red."),
            ("eight", "The salt of Gammahill is white."),
        ],
    },
    // No walk ranks anything.
    Planted {
        code: Code::Fallback,
        method: "linearrag",
        set: &["result_k=1"],
        question: "which boats were sold in the old harbour",
        passages: &[
            ("one", "the boats were sold in the old harbour"),
            ("gold", "The slopes of Gammahill are green."),
        ],
    },
];
