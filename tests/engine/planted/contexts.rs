//! KET-RAG's methods and E2GraphRAG.

use super::{HUB, Planted};
use hopscope::layers::Code;

pub const PLANTED: &[Planted] = &[
    Planted {
        code: Code::FarVector,
        method: "text-rag",
        set: &["result_k=1"],
        question: "the songs of blue whales",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("gold", "a tax on window glass was repealed"),
            HUB[0],
        ],
    },
    // All units of the other passage are nearer, and there are more of them than the context holds.
    Planted {
        code: Code::BudgetCut,
        method: "text-rag",
        set: &["context_tokens=500", "chunk_overlap=none"],
        question: "Who came to Alphaville again and again?",
        passages: &[
            ("one", "Berta Miller came to Alphaville LONG"),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    Planted {
        code: Code::FarVector,
        method: "knng-rag",
        set: &["result_k=1"],
        question: "the songs of blue whales",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("gold", "a tax on window glass was repealed"),
            HUB[0],
        ],
    },
    // The ten nearest keywords are all those of the others.
    Planted {
        code: Code::KeywordNotSelected,
        method: "keyword-rag",
        set: &["query_keywords=10"],
        question: "the songs of blue whales in the sea",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("gold", "a tax on window glass was repealed"),
            ("two", "humpback whales sing songs under water"),
            ("three", "dolphins and fish swim in the blue ocean"),
        ],
    },
    // Two units fill the pool before the keywords of the third are reached.
    Planted {
        code: Code::PoolFull,
        method: "keyword-rag",
        set: &["context_tokens=850", "chunk_tokens=1000", "halvings=0"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new. LONG"),
            ("two", "The mill of Alphaville is old. LONG"),
            ("gold", "The green slopes of Gammahill were sold. LONG"),
        ],
    },
    Planted {
        code: Code::EntityNotSelected,
        method: "skeleton-rag",
        set: &["query_entities=1", "core_share=1"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    // Three passages of one town hold together; it stands apart.
    Planted {
        code: Code::NotCore,
        method: "skeleton-rag",
        set: &["core_share=0.5"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("two", "The mill of Alphaville is old."),
            ("gold", "The green slopes of Gammahill were sold."),
            ("three", "The mill of Alphaville was sold."),
        ],
    },
    // The even draw takes the first of two.
    Planted {
        code: Code::NotCore,
        method: "skeleton-rag",
        set: &["core_share=0.5", "core_by=uniform"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    // The units before it fill twice the budget.
    Planted {
        code: Code::BudgetCut,
        method: "knng-rag",
        set: &["context_tokens=600", "chunk_overlap=none"],
        question: "Who came to Alphaville again and again?",
        passages: &[
            ("one", "Berta Miller came to Alphaville LONG"),
            ("two", "Carla Stone came to Alphaville LONG"),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    Planted {
        code: Code::EntityNotSelected,
        method: "ms-graph-rag",
        set: &["query_entities=1"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville is new."),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    // The units of the nearer names fill the half of the context that is for units.
    Planted {
        code: Code::BudgetCut,
        method: "ms-graph-rag",
        set: &["context_tokens=600", "chunk_overlap=none"],
        question: "Who came to Alphaville?",
        passages: &[
            ("one", "Berta Miller came to Alphaville LONG"),
            ("gold", "The green slopes of Gammahill were sold."),
        ],
    },
    // It is nearer, but the skeleton part comes first: it has no name, so only the text part has it.
    Planted {
        code: Code::OrderedLater,
        method: "hybrid-rag",
        set: &["result_k=1"],
        question: "Who built the old stone mill of Alphaville?",
        passages: &[
            (
                "one",
                "In Alphaville a tax on window glass, salt and butter was repealed.",
            ),
            ("gold", "the old stone mill was built by three brothers"),
        ],
    },
    // Of two parts only that of the keywords has a share.
    Planted {
        code: Code::KeywordNotSelected,
        method: "ket-rag-u",
        set: &["query_keywords=10", "theta=0"],
        question: "the songs of blue whales in the sea",
        passages: &[
            ("one", "the songs of blue whales in the sea"),
            ("gold", "a tax on window glass was repealed"),
            ("two", "humpback whales sing songs under water"),
            ("three", "dolphins and fish swim in the blue ocean"),
        ],
    },
    // As in hybrid-rag, with the pool of keywords as the text part.
    Planted {
        code: Code::OrderedLater,
        method: "ket-rag-p",
        set: &["result_k=1", "core_share=1"],
        question: "Who built the old stone mill of Alphaville?",
        passages: &[
            (
                "one",
                "In Alphaville a tax on window glass, salt and butter was repealed.",
            ),
            ("gold", "the old stone mill was built by three brothers"),
        ],
    },
    // No method of KET-RAG leaves a ranked passage out for want of tokens: a walk over its units does, packed by score.
    Planted {
        code: Code::Budget,
        method: "nearest > unit-knn > one-hop > pack",
        set: &["context_tokens=500"],
        question: "Who built the mill of Alphaville?",
        passages: &[
            ("one", "The mill of Alphaville stands at Gammahill."),
            ("gold", "The mill of Gammahill was sold. LONG"),
        ],
    },
    // Its two names meet over Deltalake, in two steps.
    Planted {
        code: Code::PairTooFar,
        method: "e2graphrag",
        set: &["hops=1"],
        question: "What joins Alphaville, Betatown and Gammahill?",
        passages: &[
            ("one", "The road from Alphaville to Gammahill is old."),
            ("gold", "Alphaville is small. Betatown is large."),
            ("two", "Alphaville fought Deltalake."),
            ("three", "Deltalake fought Betatown."),
        ],
    },
    Planted {
        code: Code::NoSharedChunk,
        method: "e2graphrag",
        set: &[],
        question: "What joins Alphaville and Betatown?",
        passages: &[
            ("one", "The road from Alphaville to Betatown is old."),
            ("gold", "The mill of Alphaville is new."),
            ("two", "The mill of Betatown is lost."),
        ],
    },
    // At two hops there are two chunks, which is one too many.
    Planted {
        code: Code::HReduced,
        method: "e2graphrag",
        set: &["chunk_limit=1"],
        question: "What joins Alphaville, Betatown and Gammahill?",
        passages: &[
            ("one", "The road from Alphaville to Gammahill is old."),
            ("gold", "Alphaville is small. Betatown is large."),
            ("two", "Alphaville fought Deltalake."),
            ("three", "Deltalake fought Betatown."),
        ],
    },
    // It has the pair, but one of the two is in three chunks of four.
    Planted {
        code: Code::DfFiltered,
        method: "e2graphrag",
        set: &["max_df_ratio=0.5"],
        question: "What joins Alphaville, Betatown and Gammahill?",
        passages: &[
            ("one", "The road from Betatown to Gammahill is old."),
            ("gold", "The road from Alphaville to Betatown is long."),
            ("two", "Alphaville fought Deltalake."),
            ("three", "Alphaville fought Epsilonia."),
        ],
    },
    // No name and no noun of the question: the nearest node of the tree is returned.
    Planted {
        code: Code::Fallback,
        method: "e2graphrag",
        set: &["chunk_limit=1"],
        question: "Who sang there?",
        passages: &[
            ("one", "She sang there, in Alphaville."),
            ("gold", "The water of Deltalake is cold."),
        ],
    },
    // The question writes the name with a letter less.
    Planted {
        code: Code::QueryEntityNotLinked,
        method: "e2graphrag",
        set: &[],
        question: "What joins Alphaville, Betatown and Gamahill?",
        passages: &[
            ("one", "The road from Alphaville to Betatown is old."),
            ("gold", "The road from Alphaville to Gammahill is long."),
        ],
    },
    Planted {
        code: Code::NoEntities,
        method: "e2graphrag",
        set: &[],
        question: "What joins Alphaville and Betatown?",
        passages: &[
            ("one", "The road from Alphaville to Betatown is old."),
            ("gold", "nobody knows where it went."),
        ],
    },
    Planted {
        code: Code::NoSharedChunk,
        method: "e2graphrag-rrf",
        set: &["max_df_ratio=1", "result_k=1"],
        question: "What joins Alphaville and Betatown?",
        passages: &[
            ("one", "The road from Alphaville to Betatown is old."),
            ("gold", "The mill of Alphaville is new."),
            ("two", "The mill of Betatown is lost."),
        ],
    },
    // Both have the pair.
    Planted {
        code: Code::FarVector,
        method: "e2graphrag-rrf",
        set: &["max_df_ratio=1", "result_k=1"],
        question: "What joins Alphaville and Betatown?",
        passages: &[
            ("one", "The road that joins Alphaville and Betatown is old."),
            ("gold", "Rain fell on Alphaville and snow on Betatown."),
        ],
    },
    // With one hop more it has a pair too, of rarer names, and is nearest besides.
    Planted {
        code: Code::PairTooFar,
        method: "e2graphrag-rrf",
        set: &["max_df_ratio=1", "hops=1", "result_k=1"],
        question: "What joins Alphaville, Betatown and Gammahill?",
        passages: &[
            (
                "one",
                "Rain and snow fell on old roads between the hills of Alphaville and Gammahill.",
            ),
            ("gold", "It joins Alphaville. It joins Betatown."),
            ("two", "Alphaville fought Deltalake."),
            ("three", "Deltalake fought Betatown."),
            ("four", "The rule of Gammahill was hard."),
            ("five", "The wine of Gammahill is red."),
        ],
    },
    // Nearer than what neighbours of the nearest unit are, which come first.
    Planted {
        code: Code::OrderedLater,
        method: "knng-rag",
        set: &["result_k=2"],
        question: "the songs of humpback whales in the deep blue sea",
        passages: &[
            (
                "one",
                "the songs of humpback whales were heard by the miller, the baker, the butcher and the tailor of Alphaville",
            ),
            (
                "two",
                "the miller, the baker, the butcher and the tailor of Alphaville paid a tax on window glass",
            ),
            ("gold", "sea music sung by mammals under deep water"),
            ("three", "songs heard by the miller and the baker"),
            ("four", "dolphins in the ocean make music and sounds"),
        ],
    },
];
