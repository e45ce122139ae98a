//! Every verdict on a small world that was made for it: the passage `gold` is lost for one reason, and that is said first.

use hopscope::corpus::{Corpus, Passage};
use hopscope::explain::{compare, standing, why_not};
use hopscope::index::{BuildOptions, Index, Silent, sample};
use hopscope::layers::{Class, Code};
use hopscope::retrieve::{Keep, Method, Retrieval, Retriever, Settings};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A world, how it is asked, and what holds its passage `gold` out.
struct Planted {
    code: Code,
    method: &'static str,
    set: &'static [&'static str],
    question: &'static str,
    /// Identifier and text; none has a title.
    passages: &'static [(&'static str, &'static str)],
}

/// What is in many passages: the hub of a world.
const HUB: [(&str, &str); 6] = [
    ("h1", "omega rain fell on Omega."),
    ("h2", "omega snow fell on Omega."),
    ("h3", "omega hail fell on Omega."),
    ("h4", "omega dust fell on Omega."),
    ("h5", "omega ash fell on Omega."),
    ("h6", "omega soot fell on Omega."),
];

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

const PLANTED: &[Planted] = &[
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

fn world(planted: &Planted) -> Arc<Index> {
    let passage = |&(id, text): &(&str, &str)| Passage {
        id: id.into(),
        title: String::new(),
        // More than the smallest context holds.
        text: text.replace("LONG", &"again and ".repeat(400)),
    };
    let corpus = Corpus {
        name: "planted".into(),
        passages: planted.passages.iter().map(passage).collect(),
        questions: Vec::new(),
    };
    Arc::new(Index::build(corpus, &BuildOptions::default(), &Silent).unwrap())
}

/// What is said to come over an edge in a walk's last step is all that a node has but for its restart.
#[test]
fn what_the_last_step_sends_is_what_lands() {
    let index = Arc::new(sample::index().unwrap());
    for (method, set) in [
        ("graph", "walk=power"),
        ("graph-rrf", "steps=1"),
        ("noderag", "steps=2"),
    ] {
        let mut settings = Settings::of(&index, Method::by_name(method).unwrap());
        settings.set_text(set).unwrap();
        let mut retriever = Retriever::new(index.clone());
        let question = &index.questions()[0].text;
        let run = retriever
            .retrieve(question, &settings, Keep::Scores)
            .unwrap();
        let walk = run.walk().unwrap();
        let (diffusion, before) = (&walk.spread.diffusion, walk.before_last().unwrap());
        let mut landed = 0;
        for node in 0..walk.graph.nodes() as u32 {
            let seeds = walk.seeds().iter().filter(|seed| seed.node == node);
            let restart: f64 = seeds.map(|seed| diffusion.alpha * seed.weight).sum();
            let sent: f64 = walk
                .graph
                .neighbours(node)
                .map(|(from, _)| before[from as usize] * walk.graph.probability(from, node))
                .sum();
            let (is, mass) = (
                restart + diffusion.moving() * sent,
                walk.spread.mass[node as usize],
            );
            assert!(
                (is - mass).abs() < 1e-9,
                "{method}, {node}: {is} and not {mass}"
            );
            landed += usize::from(mass > restart);
        }
        assert!(landed > 5, "{method}: {landed}");
    }
}

/// In the order of output nothing but that order and one number make a score, so one lack is all of the difference.
#[test]
fn a_node_that_comes_later_lacks_what_the_other_is_worth_more() {
    let index = Arc::new(sample::index().unwrap());
    let mut settings = Settings::of(&index, Method::by_name("noderag").unwrap());
    settings.set_text("node_order=output").unwrap();
    let mut retriever = Retriever::new(index.clone());
    let mut seen = BTreeSet::new();
    for question in index.questions().iter().take(20) {
        let run = retriever
            .retrieve(&question.text, &settings, Keep::Scores)
            .unwrap();
        let at = run.last(&index).unwrap();
        for pair in run.passages.windows(2).filter(|p| p[0].score > p[1].score) {
            let lacks = at.operator().lacks(&at, pair[1].passage, pair[0].passage);
            let own = [Code::FarVector, Code::OrderedLater];
            let own: Vec<_> = lacks.iter().filter(|l| own.contains(&l.code)).collect();
            if let [lack] = own[..] {
                let short = f64::from(pair[0].score) - f64::from(pair[1].score);
                assert!((lack.gap - short).abs() < 1e-6, "{} {short}", lack.gap);
                seen.insert(lack.code);
            }
        }
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
}

#[test]
fn missing_words_are_named_by_what_they_are_worth() {
    let words = Planted {
        code: Code::WordsMissing,
        method: "bm25",
        set: &["result_k=1"],
        question: "boats granite harbours",
        passages: &[
            ("one", "boats granite harbours"),
            ("gold", "harbours were sold"),
            ("two", "boats lay there"),
            ("three", "boats went there"),
        ],
    };
    let index = world(&words);
    let run = ask(&words, &index);
    let reasons = why_not(&index, &run, index.passage_by_id("gold").unwrap());
    let said = reasons.iter().find(|r| r.code == Code::WordsMissing);
    let said = &said.unwrap().text;
    assert!(
        said.contains("it lacks the words granite, boats, which 'one' has"),
        "{said}"
    );
}

#[test]
fn thin_words_are_those_that_both_have_and_the_other_more_of() {
    let words = Planted {
        code: Code::WordsThin,
        method: "bm25",
        set: &["result_k=1"],
        question: "boats granite harbours",
        passages: &[
            ("one", "boats boats boats and granite granite"),
            (
                "gold",
                "harbours and boats and granite, all of them were sold to those who live there",
            ),
            ("two", "harbours lay there"),
            ("three", "harbours went there"),
            ("four", "harbours rest"),
        ],
    };
    let index = world(&words);
    let run = ask(&words, &index);
    let reasons = why_not(&index, &run, index.passage_by_id("gold").unwrap());
    let said = reasons.iter().find(|r| r.code == Code::WordsThin);
    let said = &said.unwrap().text;
    // It has more of the harbours itself.
    assert!(
        said.contains("'one' has more of boats, granite for its length"),
        "{said}"
    );
}

#[test]
fn what_another_restarts_with_is_told_beside_what_the_passage_has_of_it() {
    let less = planted(Code::RestartsLess, "graph-hybrid");
    let index = world(less);
    let run = ask(less, &index);
    let gold = index.passage_by_id("gold").unwrap();
    let said = why_not(&index, &run, gold).remove(0).text;
    assert!(
        said.starts_with("'one' is a restart seed, worth "),
        "{said}"
    );
    // It has none of the words of the question.
    assert!(
        said.contains("this one is not in the BM25 list and restarts nothing"),
        "{said}"
    );
}

fn ask(planted: &Planted, index: &Arc<Index>) -> Retrieval {
    let mut settings = Settings::of(index, Method::by_name(planted.method).unwrap());
    // What is planted for hop lies in its weighted sum, but for what the learned order does.
    let learned = planted.code == Code::RankedLower;
    let off = ["ranker=off"]
        .iter()
        .filter(|_| planted.method == "hop" && !learned);
    for set in off.chain(planted.set) {
        settings.set_text(set).unwrap();
    }
    let mut retriever = Retriever::new(index.clone());
    retriever
        .retrieve(planted.question, &settings, Keep::States)
        .unwrap()
}

#[test]
fn the_hub_that_dilutes_is_the_one_that_lets_least_through() {
    let diluted = planted(Code::Diluted, "graph");
    let index = world(diluted);
    let run = ask(diluted, &index);
    let gold = index.passage_by_id("gold").unwrap();
    let mut steps = run.steps(&index);
    let walk = steps
        .find(|at| at.step == run.walk().unwrap().step)
        .unwrap();
    let reasons = walk.operator().refuse(&walk, gold);
    let said = reasons.iter().find(|reason| reason.code == Code::Diluted);
    let said = &said.unwrap().text;
    assert!(said.starts_with("Omega (degree 6) lets only "), "{said}");
}

fn planted(code: Code, method: &str) -> &'static Planted {
    let mut own = PLANTED.iter().filter(|p| p.method == method);
    own.find(|planted| planted.code == code).unwrap()
}

#[test]
fn a_passage_stands_behind_those_on_its_best_way() {
    let later = planted(Code::LaterHop, "graph");
    let index = world(later);
    let run = ask(later, &index);
    let [one, two, gold] = ["one", "two", "gold"].map(|id| index.passage_by_id(id).unwrap());
    let standing = standing(&run, gold);
    assert_eq!((standing.rank, standing.hop), (Some(3), Some(3)));
    assert_eq!(standing.over, [one, two]);
    assert!(standing.short.unwrap() > 0.0);
}

#[test]
fn what_makes_up_the_whole_difference_is_said_to_be_enough() {
    let missing = planted(Code::WordsMissing, "bm25");
    let index = world(missing);
    let gold = index.passage_by_id("gold").unwrap();
    let reasons = why_not(&index, &ask(missing, &index), gold);
    assert!(
        reasons[0]
            .text
            .ends_with(": this alone keeps it out of the top k"),
        "{}",
        reasons[0].text
    );
}

#[test]
fn fusion_drops_what_one_of_its_lists_has_inside() {
    let index = Arc::new(sample::index().unwrap());
    let mut settings = Settings::of(&index, Method::by_name("rrf").unwrap());
    settings.set_text("result_k=3").unwrap();
    let mut retriever = Retriever::new(index.clone());
    let mut dropped = 0;
    for question in &index.questions()[..10] {
        let run = retriever.retrieve(&question.text, &settings, Keep::Scores);
        let run = run.unwrap();
        let fused = run.ranked().unwrap();
        for hit in &run.passages[3..10] {
            let alone = fused.parts.iter().filter_map(|list| list.rank(hit.passage));
            let inside = alone.min().is_some_and(|rank| rank <= 3);
            let reasons = why_not(&index, &run, hit.passage);
            let said = reasons.iter().any(|reason| reason.class == Class::F7);
            assert!(inside || !said, "{}: {reasons:?}", question.text);
            dropped += usize::from(said);
        }
    }
    assert!(dropped > 0);
}

#[test]
fn every_verdict_is_the_one_that_was_planted() {
    let mut wrong = Vec::new();
    for planted in PLANTED {
        let index = world(planted);
        let run = ask(planted, &index);
        let gold = index.passage_by_id("gold").unwrap();
        let reasons = why_not(&index, &run, gold);
        let codes: Vec<Code> = reasons.iter().map(|reason| reason.code).collect();
        // What a search starts from comes first where it is enough; the rest of the world stays as it was planted.
        let start = [Code::NameNotSeed, Code::LeadsElsewhere, Code::LinkNotSeed];
        let mut first = codes.iter().filter(|code| !start.contains(code));
        let first = match start.contains(&planted.code) {
            true => codes.first(),
            false => first.next(),
        };
        if first != Some(&planted.code) {
            let said = reasons.iter().map(|r| format!("{} {}", r.code, r.text));
            let said = said.collect::<Vec<_>>().join("\n    ");
            wrong.push(format!(
                "{} of {}:\n    {said}",
                planted.code, planted.method
            ));
        }
        // The evidence is a difference between the two: it shows in their parts.
        if let Some(last) = run.last_inside().filter(|_| run.place(gold).is_some()) {
            let both = compare(&index, &run, gold, last.passage);
            assert!(
                both.scores[1].unwrap() >= both.scores[0].unwrap(),
                "{}: {both:?}",
                planted.code
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
