//! Methods on a graph that the corpus came with: three tables of GraphRAG.

use super::{Planted, world};
use hopscope::index::Index;
use hopscope::layers::Code;
use std::sync::Arc;

/// A world whose corpus came with a graph.
pub struct Given {
    pub planted: Planted,
    /// Name, description, and the passages that it is from.
    entities: &'static [(&'static str, &'static str, &'static [&'static str])],
    /// From, to, description, and the passages that it is from.
    relations: &'static [(
        &'static str,
        &'static str,
        &'static str,
        &'static [&'static str],
    )],
}

pub const GIVEN: &[Given] = &[
    Given {
        planted: Planted {
            code: Code::EntityNotSelected,
            method: "graphrag-local",
            set: &["seed_k=1"],
            question: "Who built Alphaville?",
            passages: &[
                ("one", "The mill of Alphaville is new."),
                ("gold", "The slopes of Gammahill are green."),
            ],
        },
        entities: &[
            ("ALPHAVILLE", "A town.", &["one"]),
            ("GAMMAHILL", "A green hill.", &["gold"]),
        ],
        relations: &[],
    },
    Given {
        planted: Planted {
            code: Code::EntityNotSelected,
            method: "nano-local",
            set: &["seed_k=1"],
            question: "Who built Alphaville?",
            passages: &[
                ("one", "The mill of Alphaville is new."),
                ("gold", "The slopes of Gammahill are green."),
            ],
        },
        entities: &[
            ("ALPHAVILLE", "A town.", &["one"]),
            ("GAMMAHILL", "A green hill.", &["gold"]),
        ],
        relations: &[],
    },
    // The graph has no entity from it, though it has its name.
    Given {
        planted: Planted {
            code: Code::Isolated,
            method: "graphrag-local",
            set: &[],
            question: "Who built Alphaville?",
            passages: &[
                ("one", "The mill of Alphaville is new."),
                ("gold", "The slopes of Gammahill are green."),
            ],
        },
        entities: &[
            ("ALPHAVILLE", "A town.", &["one"]),
            ("GAMMAHILL", "A green hill.", &["one"]),
        ],
        relations: &[],
    },
    Given {
        planted: Planted {
            code: Code::EntityNotSelected,
            method: "lightrag-local",
            set: &["seed_k=1"],
            question: "Who built Alphaville?",
            passages: &[
                ("one", "The mill of Alphaville is new."),
                ("gold", "The slopes of Gammahill are green."),
            ],
        },
        entities: &[
            ("ALPHAVILLE", "A town.", &["one"]),
            ("GAMMAHILL", "A green hill.", &["gold"]),
        ],
        relations: &[],
    },
    // The nearest relation brings both, and the other is nearer.
    Given {
        planted: Planted {
            code: Code::FarVector,
            method: "lightrag-global",
            set: &["result_k=1"],
            question: "Which road joins Alphaville and Betatown?",
            passages: &[
                ("one", "The mill of Alphaville is new."),
                ("gold", "The slopes of Gammahill are green."),
            ],
        },
        entities: &[
            ("ALPHAVILLE", "A town.", &["one"]),
            ("GAMMAHILL", "A green hill.", &["gold"]),
            ("BETATOWN", "A town.", &["one", "gold"]),
        ],
        relations: &[
            (
                "ALPHAVILLE",
                "BETATOWN",
                "A road joins Alphaville and Betatown.",
                &["one"],
            ),
            (
                "GAMMAHILL",
                "BETATOWN",
                "Gammahill sold wine to Betatown.",
                &["gold"],
            ),
        ],
    },
    // Neither its entity nor, of the relations, its relation is the nearest one.
    Given {
        planted: Planted {
            code: Code::EntityNotSelected,
            method: "lightrag-hybrid",
            set: &["seed_k=1"],
            question: "Who built Alphaville?",
            passages: &[
                ("one", "The mill of Alphaville is new."),
                ("gold", "The slopes of Gammahill are green."),
            ],
        },
        entities: &[
            ("ALPHAVILLE", "A town.", &["one"]),
            ("GAMMAHILL", "A green hill.", &["gold"]),
            ("BETATOWN", "A town.", &["one"]),
        ],
        relations: &[
            (
                "ALPHAVILLE",
                "BETATOWN",
                "A road joins Alphaville and Betatown.",
                &["one"],
            ),
            (
                "GAMMAHILL",
                "BETATOWN",
                "Gammahill sold wine to Betatown.",
                &["gold"],
            ),
        ],
    },
    // The nearest texts are others, and none of its entities is found.
    Given {
        planted: Planted {
            code: Code::FarVector,
            method: "lightrag-mix",
            set: &["seed_k=1", "result_k=3"],
            question: "Who built Alphaville?",
            passages: &[
                ("one", "The mill of Alphaville is new."),
                ("two", "Alphaville trades with Betatown."),
                ("three", "Boats of Betatown sail to Alphaville."),
                ("gold", "The slopes are green in spring."),
            ],
        },
        entities: &[
            ("ALPHAVILLE", "A town that was built.", &["one"]),
            ("GAMMAHILL", "A hill near Alphaville.", &["gold"]),
            ("BETATOWN", "A harbour.", &["two", "three"]),
        ],
        relations: &[],
    },
    Given {
        planted: Planted {
            code: Code::NotNamed,
            method: "given",
            set: &["result_k=1"],
            question: "Who built Alphaville?",
            passages: &[
                ("one", "The mill of Alphaville is new."),
                ("gold", "The slopes of Gammahill are green."),
            ],
        },
        entities: &[
            ("ALPHAVILLE", "A town.", &["one"]),
            ("GAMMAHILL", "A green hill.", &["gold"]),
            ("BETATOWN", "A town.", &["one", "gold"]),
        ],
        relations: &[
            (
                "ALPHAVILLE",
                "BETATOWN",
                "A road joins Alphaville and Betatown.",
                &["one"],
            ),
            (
                "GAMMAHILL",
                "BETATOWN",
                "Gammahill sold wine to Betatown.",
                &["gold"],
            ),
        ],
    },
];

impl Given {
    /// Its world, with its graph in a folder beside it.
    pub fn world(&self, folder: &std::path::Path) -> Arc<Index> {
        let given = self;
        let list = |ids: &[&str]| {
            let ids: Vec<String> = ids.iter().map(|id| format!("'{id}'")).collect();
            format!("[{}]", ids.join(" "))
        };
        let write = |name: &str, head: &str, rows: Vec<Vec<String>>| {
            let rows = rows.iter().map(|row| {
                let cells: Vec<String> = row.iter().map(|cell| format!("\"{cell}\"")).collect();
                cells.join(",") + "\n"
            });
            let table = format!("{head}\n{}", rows.collect::<String>());
            std::fs::write(folder.join(name), table).unwrap();
        };
        let units = given.planted.passages.iter();
        let units = units.map(|(id, text)| vec![id.to_string(), text.to_string()]);
        write("text_units.csv", "id,text", units.collect());
        let entities = given.entities.iter();
        let entities =
            entities.map(|(name, about, of)| vec![name.to_string(), about.to_string(), list(of)]);
        write(
            "entities.csv",
            "title,description,text_unit_ids",
            entities.collect(),
        );
        let relations = given.relations.iter();
        let relations = relations.map(|(from, to, about, of)| {
            vec![
                from.to_string(),
                to.to_string(),
                about.to_string(),
                list(of),
            ]
        });
        write(
            "relationships.csv",
            "source,target,description,text_unit_ids",
            relations.collect(),
        );
        let index = world(&given.planted);
        index.look_beside(&[folder.to_owned()]);
        index
    }
}
