//! What a search did, stage by stage.

use super::Answer;
use super::layer::Ket;
use super::local::NearRelation;
use super::options::{Channel, Core};
use super::search::Row;
use super::skeleton::Skeleton;
use super::text_part::{Pooled, TextPart, Why};
use crate::index::Index;
use crate::systems::{Cut, Edge, Entry, Item, Stage, Story};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// Nodes, edges and cuts of a stage, each.
const SHOWN: usize = 200;
/// Keywords among the seeds.
const SEEDS: usize = 50;
/// Characters of an explanation.
const LONGEST: usize = 160;

/// A text cut to the length of an explanation.
pub fn short(text: &str) -> String {
    crate::retrieve::explanation::clip(text, LONGEST)
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Unit(u32),
    Keyword(u32),
    Entity(u32),
    Relation(u32),
}

/// A story under construction: every item once.
struct Teller<'a> {
    answer: &'a Answer,
    index: &'a Index,
    story: Story,
    known: FxHashMap<Key, usize>,
}

/// The label of a unit: its title, and its place in the document where that has several.
pub fn label(layer: &Ket, index: &Index, unit: u32) -> String {
    let passages = index.passages();
    let title = layer.units.title(passages, unit);
    let id = layer.units.pieces(unit).next();
    let id = id.map_or("", |p| passages.id(p.passage as usize));
    match (layer.units.whole(unit), title) {
        (Some(_), "") => id.to_owned(),
        (Some(_), title) => title.to_owned(),
        (None, "") => format!("{id} · unit {unit}"),
        (None, title) => format!("{title} · unit {unit}"),
    }
}

impl Teller<'_> {
    fn layer(&self) -> &Ket {
        &self.answer.layer
    }

    fn item(&mut self, key: Key) -> usize {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let (layer, index) = (self.layer(), self.index);
        let skeleton = self.answer.run.skeleton.as_deref();
        let item = match (key, skeleton) {
            (Key::Unit(unit), _) => Item {
                kind: "chunk",
                label: label(layer, index, unit),
                passage: layer.units.pieces(unit).next().map(|p| p.passage),
                text: layer.units.text(index.passages(), unit),
            },
            (Key::Keyword(keyword), _) => Item {
                kind: "keyword",
                label: layer.keywords.words.get(keyword as usize).to_owned(),
                ..Item::default()
            },
            (Key::Entity(entity), Some(skeleton)) => Item {
                kind: "entity",
                label: skeleton.names.get(entity as usize).to_owned(),
                text: skeleton.descriptions.get(entity as usize).to_owned(),
                ..Item::default()
            },
            (Key::Relation(relation), Some(skeleton)) => {
                let name = |e: u32| skeleton.names.get(e as usize);
                let r = relation as usize;
                let ends = (name(skeleton.source[r]), name(skeleton.target[r]));
                Item {
                    kind: "relation",
                    label: format!("{} - {}", ends.0, ends.1),
                    text: skeleton.relation_descriptions.get(r).to_owned(),
                    ..Item::default()
                }
            }
            (Key::Entity(_) | Key::Relation(_), None) => Item::default(),
        };
        let place = self.story.item(item);
        self.known.insert(key, place);
        place
    }

    fn entry(&mut self, key: Key, value: f64, why: String) -> Entry {
        Entry {
            item: self.item(key),
            value,
            why: short(&why),
        }
    }

    fn cut(&mut self, key: Key, code: &'static str, margin: f64) -> Cut {
        Cut {
            item: self.item(key),
            code,
            margin,
        }
    }

    fn keywords(&mut self, text: &TextPart) {
        let visited = &text.keywords[..text.visited];
        let layer = self.answer.layer.clone();
        let mut stage = Stage {
            name: "keywords",
            kind: "seed",
            counters: vec![
                ("visited", json!(text.visited)),
                ("candidates", json!(text.keywords.len())),
                ("of", json!(layer.keywords.len())),
            ],
            ..Stage::default()
        };
        for (place, &(keyword, similarity)) in visited.iter().enumerate().take(SHOWN) {
            let df = layer.keywords.units(keyword).len();
            let why = format!(
                "keyword {}: similarity {similarity:.3}, in {df} units",
                place + 1
            );
            let entry = self.entry(Key::Keyword(keyword), f64::from(similarity), why);
            if place < SEEDS {
                self.story.seeds.push(entry.clone());
            }
            stage.nodes.push(entry);
        }
        for one in &text.pool {
            if let (Why::Keyword(place), true) = (one.by, stage.edges.len() < SHOWN)
                && place < SHOWN
            {
                let (keyword, similarity) = visited[place];
                stage.edges.push(Edge {
                    from: self.item(Key::Keyword(keyword)),
                    to: self.item(Key::Unit(one.unit)),
                    value: f64::from(similarity),
                    kind: "occurs in",
                    why: format!("brought it into the pool at place {}", one.order + 1),
                });
            }
        }
        self.story.stages.push(stage);

        let mut stage = Stage {
            name: "pool",
            kind: "filter",
            counters: vec![
                ("tokens", json!(text.pool_tokens)),
                ("limit", json!(text.pool_limit)),
                ("units", json!(text.pool.len())),
            ],
            ..Stage::default()
        };
        let mut entered: Vec<&Pooled> = text.pool.iter().collect();
        entered.sort_unstable_by_key(|p| p.order);
        for one in entered.into_iter().take(SHOWN) {
            let why = reason(self, text, one);
            let entry = self.entry(Key::Unit(one.unit), f64::from(one.similarity), why);
            stage.nodes.push(entry);
        }
        if let Some(stop) = text.stop {
            let margin = (text.pool_tokens + stop.tokens - text.pool_limit) as f64;
            let cut = self.cut(Key::Unit(stop.unit), "POOL_FULL", margin);
            stage.cut.push(cut);
        }
        self.timed(stage);
    }

    fn text(&mut self, text: &TextPart, channel: Channel) {
        if channel == Channel::Keyword {
            self.keywords(text);
        } else {
            for one in text.pool.iter().take(10) {
                let why = reason(self, text, one);
                let seed = self.entry(Key::Unit(one.unit), f64::from(one.similarity), why);
                self.story.seeds.push(seed);
            }
        }
        let packed = text.pool.iter().filter(|p| p.packed).count();
        let mut stage = Stage {
            name: "text",
            kind: "pack",
            counters: vec![
                ("tokens", json!(text.used)),
                ("budget", json!(text.budget)),
                ("packed", json!(packed)),
                ("by", json!(channel.label())),
            ],
            ..Stage::default()
        };
        for (place, one) in text.pool.iter().enumerate() {
            let key = Key::Unit(one.unit);
            if one.packed {
                if place < SHOWN {
                    let why = reason(self, text, one);
                    let entry = self.entry(key, f64::from(one.similarity), why);
                    stage.nodes.push(entry);
                }
                continue;
            }
            if stage.cut.len() < SHOWN {
                let short = text.short(place, self.answer.params.pack) as f64;
                let cut = self.cut(key, "BUDGET_CUT", short);
                stage.cut.push(cut);
            }
        }
        self.timed(stage);
    }

    fn skeleton(&mut self, skeleton: &Skeleton) {
        let answer = self.answer;
        let Some(local) = &answer.run.local else {
            return;
        };
        let half = local.half();
        let mut stage = Stage {
            name: "entities",
            kind: "link",
            counters: vec![
                ("tokens", json!(local.entity_tokens)),
                ("budget", json!(half)),
                ("of", json!(skeleton.len())),
            ],
            ..Stage::default()
        };
        let mut seeds = Vec::new();
        let mut left = half as f64 - local.entity_tokens as f64;
        for (place, near) in local.entities.iter().enumerate() {
            let why = format!(
                "entity {}: similarity {:.3}, {} relations, {} tokens",
                place + 1,
                near.similarity,
                skeleton.degree(near.entity),
                near.tokens
            );
            let entry = self.entry(Key::Entity(near.entity), f64::from(near.similarity), why);
            seeds.push(entry.clone());
            stage.nodes.push(entry);
            if !near.packed {
                left -= near.tokens as f64;
                let cut = self.cut(Key::Entity(near.entity), "BUDGET_CUT", -left);
                stage.cut.push(cut);
            }
        }
        // Entities are what the skeleton starts from: before the keywords.
        seeds.append(&mut self.story.seeds);
        self.story.seeds = seeds;
        self.story.stages.push(stage);

        let steps: Vec<Value> = local
            .steps
            .iter()
            .map(|s| {
                json!({"entities": s.entities, "inside": s.inside, "outside": s.outside,
                       "capped": s.capped, "tokens": s.tokens, "kept": s.kept})
            })
            .collect();
        let mut stage = Stage {
            name: "relations",
            kind: "expand",
            counters: vec![
                ("tokens", json!(local.relation_tokens)),
                ("free", json!(half.saturating_sub(local.entity_tokens))),
                ("relations", json!(local.relations.len())),
                ("steps", json!(steps)),
            ],
            ..Stage::default()
        };
        for near in local.relations.iter().take(SHOWN) {
            let edge = self.relation(skeleton, near);
            stage.edges.push(edge);
        }
        // The margin is the place below the last one that was allowed.
        for (place, near) in local.capped.iter().take(SHOWN).enumerate() {
            let cut = self.cut(
                Key::Relation(near.relation),
                "CAPPED_EDGE",
                (place + 1) as f64,
            );
            stage.cut.push(cut);
        }
        self.timed(stage);

        let mut stage = Stage {
            name: "skeleton text",
            kind: "pack",
            counters: vec![
                ("tokens", json!(local.unit_tokens)),
                ("budget", json!(half)),
                (
                    "packed",
                    json!(local.units.iter().filter(|u| u.packed).count()),
                ),
            ],
            ..Stage::default()
        };
        let mut left = half as f64 - local.unit_tokens as f64;
        for near in &local.units {
            let key = Key::Unit(near.unit);
            if near.packed {
                let name = skeleton
                    .names
                    .get(local.entities[near.entity].entity as usize);
                let why = format!(
                    "unit of '{name}' (entity {}), {} of its relations here",
                    near.entity + 1,
                    near.relations
                );
                let entry = self.entry(key, near.relations as f64, why);
                stage.nodes.push(entry);
                continue;
            }
            left -= near.tokens as f64;
            if stage.cut.len() < SHOWN {
                let cut = self.cut(key, "BUDGET_CUT", -left);
                stage.cut.push(cut);
            }
        }
        stage.nodes.truncate(SHOWN);
        self.timed(stage);
    }

    fn relation(&mut self, skeleton: &Skeleton, near: &NearRelation) -> Edge {
        let r = near.relation as usize;
        let said = skeleton.relation_descriptions.get(r);
        let links = if near.inside {
            "both ends selected".to_owned()
        } else {
            format!("{} selected linked to the other end", near.links)
        };
        Edge {
            from: self.item(Key::Entity(skeleton.source[r])),
            to: self.item(Key::Entity(skeleton.target[r])),
            value: near.rank as f64,
            kind: if near.inside { "inside" } else { "outside" },
            why: short(&format!("{said} (rank {}, {links})", near.rank)),
        }
    }

    /// The units of the context in the kNN graph: which are core, and what joins them.
    fn core(&mut self, core: Core) {
        let (answer, layer) = (self.answer, self.answer.layer.clone());
        let knn = &layer.knn;
        let (n, size) = (layer.units.len(), knn.core_size(&core));
        let mut units: Vec<u32> = answer
            .run
            .rows()
            .filter_map(|row| match row {
                Row::SkeletonUnit(unit) | Row::TextUnit(unit) => Some(unit),
                _ => None,
            })
            .collect();
        units.truncate(SHOWN / 2);
        units.sort_unstable();
        units.dedup();
        let mut stage = Stage {
            name: "core",
            kind: "filter",
            counters: vec![
                ("core units", json!(size)),
                ("of", json!(n)),
                ("by", json!(core.by.name())),
                ("knn edges", json!(knn.edges())),
            ],
            ..Stage::default()
        };
        for &unit in &units {
            let place = knn.place(unit, core.by);
            let member = place < size;
            let why = format!(
                "rank {} of {n} by {}, {}, {} neighbours",
                place + 1,
                core.by.name(),
                if member { "core" } else { "not core" },
                knn.neighbours(unit).count()
            );
            let entry = self.entry(Key::Unit(unit), f64::from(knn.score(unit)), why);
            stage.nodes.push(entry);
            if !member {
                let cut = self.cut(Key::Unit(unit), "NOT_CORE", (place + 1 - size) as f64);
                stage.cut.push(cut);
            }
            let near: Vec<_> = knn.neighbours(unit).collect();
            for other in near {
                let both = other.unit > unit && units.binary_search(&other.unit).is_ok();
                if both && stage.edges.len() < SHOWN {
                    let edge = Edge {
                        from: self.item(Key::Unit(unit)),
                        to: self.item(Key::Unit(other.unit)),
                        value: f64::from(other.cosine),
                        kind: "nearest",
                        why: other.evidence(),
                    };
                    stage.edges.push(edge);
                }
            }
        }
        self.story.stages.push(stage);
    }

    /// The one bar: tokens by part.
    fn context(&mut self) {
        let (run, p) = (&self.answer.run, &self.answer.params);
        let local = run.local.as_ref();
        let stage = Stage {
            name: "context",
            kind: "pack",
            counters: vec![
                ("tokens", json!(run.used())),
                ("budget", json!(p.context_tokens)),
                ("theta", json!(p.share())),
                ("entities", json!(local.map_or(0, |l| l.entity_tokens))),
                ("relations", json!(local.map_or(0, |l| l.relation_tokens))),
                ("skeleton text", json!(local.map_or(0, |l| l.unit_tokens))),
                ("text", json!(run.text.as_ref().map_or(0, |t| t.used))),
                ("free", json!(p.context_tokens.saturating_sub(run.used()))),
            ],
            ..Stage::default()
        };
        self.timed(stage);
    }

    fn timed(&mut self, stage: Stage) {
        self.story.timeline.push(self.story.stages.len());
        self.story.stages.push(stage);
    }
}

/// Why a unit was a candidate.
fn reason(teller: &Teller<'_>, text: &TextPart, one: &Pooled) -> String {
    let similarity = format!("similarity {:.3}", one.similarity);
    match one.by {
        Why::Similar => similarity,
        Why::Keyword(place) => {
            let layer = teller.layer();
            let word = text.keywords.get(place).map_or("", |(keyword, _)| {
                layer.keywords.words.get(*keyword as usize)
            });
            format!("{similarity}, by keyword {} '{word}'", place + 1)
        }
        Why::Neighbour(seed) => format!(
            "{similarity}, neighbour of '{}'",
            label(teller.layer(), teller.index, seed)
        ),
    }
}

/// The budget and what each part used of it, and which chunks they are made of.
fn headline(answer: &Answer) -> String {
    let (run, p) = (&answer.run, &answer.params);
    let mut parts = Vec::new();
    if let Some(text) = &run.text {
        parts.push(format!("text {} of {}", text.used, text.budget));
    }
    if let Some(local) = &run.local {
        parts.push(format!("skeleton {} of {}", local.used(), local.budget));
    }
    // The share between the parts is a setting only where there are two of them.
    let theta = match parts.len() {
        2 => format!(", theta {}", p.share()),
        _ => String::new(),
    };
    short(&format!(
        "{}; {} tokens{theta} · {}",
        parts.join(", "),
        p.context_tokens,
        answer.layer.meta.sizes.label()
    ))
}

/// Who made the skeletons, in one line.
fn made_by(answer: &Answer) -> String {
    let meta = &answer.layer.meta;
    match meta.merged.is_empty() {
        true => meta.made.to_string(),
        false => format!("{}; merged by {}", meta.made, meta.merged),
    }
}

/// The whole story.
pub fn story(answer: &Answer, index: &Index) -> Story {
    let mut teller = Teller {
        answer,
        index,
        story: Story {
            headline: headline(answer),
            made_by: made_by(answer),
            ..Story::default()
        },
        known: FxHashMap::default(),
    };
    if let (Some(text), Some(channel)) = (&answer.run.text, answer.params.variant.channel()) {
        teller.text(text, channel);
    }
    if let Some(skeleton) = answer.run.skeleton.clone() {
        teller.core(skeleton.core);
        teller.skeleton(&skeleton);
    } else if answer.params.variant.channel() == Some(Channel::Knng) {
        teller.core(answer.layer.meta.options.core);
    }
    teller.context();
    teller.story
}
