//! What many stretches of text tell, merged by name: descriptions collected, strengths added up.

use super::extract::Extracted;
use crate::llm::task::{self, MergeInput, OneText};
use crate::llm::{Cancelled, Llm, Shares};
use crate::text::Norm;
use crate::text::chunks;
use crate::text::relations::Pattern;
use crate::text::span;
use crate::text::summarize::{Idf, summary};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A name over all its stretches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedEntity {
    pub name: String,
    pub description: String,
    pub mentions: u32,
    /// All units of the stretches it was found in, ascending.
    pub units: Vec<u32>,
}

/// Two names over all their stretches. The order of the ends is that of the first one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergedRelation {
    pub source: u32,
    pub target: u32,
    pub description: String,
    pub weight: f64,
    pub units: Vec<u32>,
}

/// The graph before it is laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    pub entities: Vec<MergedEntity>,
    pub relations: Vec<MergedRelation>,
}

/// A description of more tokens is cut to its central sentences.
const MOST_TOKENS: usize = 500;
/// Marks are no tokens, and they are read and encoded as words are: a description has at most so many bytes as well.
const MOST_BYTES: usize = 16 * 1024;
/// A collected description is cut first to so many sentences, spread evenly: the summary compares each with all.
const MOST_SENTENCES: usize = 400;
/// Tokens of a relation's description: predicates after each other, or one sentence.
const MOST_PREDICATES: usize = 40;
/// GraphRAG without a model: names mentioned less often are dropped, and the lightest relations.
const LEAST_MENTIONS: u32 = 2;
const LIGHTEST: f64 = 0.4;

#[derive(Default)]
struct Entity {
    name: String,
    sentences: Vec<String>,
    known: FxHashSet<u64>,
    mentions: u32,
    units: Vec<u32>,
}

#[derive(Default)]
struct Relation {
    source: u32,
    target: u32,
    /// Predicates, each once.
    predicates: Vec<String>,
    /// The first sentence where no pattern linked the two.
    sentence: String,
    weight: f64,
    units: Vec<u32>,
}

/// Takes one stretch after the other.
#[derive(Default)]
pub struct Merge {
    forms: FxHashMap<String, u32>,
    entities: Vec<Entity>,
    pairs: FxHashMap<(u32, u32), u32>,
    relations: Vec<Relation>,
}

/// Adds units of a later stretch.
fn link(units: &mut Vec<u32>, run: &[u32]) {
    let last = units.last().copied();
    units.extend(run.iter().filter(|u| last.is_none_or(|last| **u > last)));
}

impl Merge {
    /// Takes what a run of units told. Everything is linked to all units of the run.
    pub fn take(&mut self, run: &[u32], told: &Extracted) {
        for entity in &told.entities {
            let number = self.number(&entity.name);
            let own = &mut self.entities[number as usize];
            own.mentions += entity.mentions as u32;
            link(&mut own.units, run);
            for sentence in &entity.description {
                if own
                    .known
                    .insert(xxhash_rust::xxh3::xxh3_64(sentence.as_bytes()))
                {
                    own.sentences.push(sentence.clone());
                }
            }
        }
        for relation in &told.relations {
            let (source, target) = (self.number(&relation.source), self.number(&relation.target));
            let key = (source.min(target), source.max(target));
            let number = *self.pairs.entry(key).or_insert_with(|| {
                self.relations.push(Relation {
                    source,
                    target,
                    ..Relation::default()
                });
                self.relations.len() as u32 - 1
            });
            let own = &mut self.relations[number as usize];
            own.weight += relation.strength;
            link(&mut own.units, run);
            if relation.pattern == Some(Pattern::CoOccurrence) {
                if own.sentence.is_empty() {
                    own.sentence.clone_from(&relation.description);
                }
                continue;
            }
            // Told the other way round, a predicate needs its subject; a model's sentence has it.
            let whole = relation.pattern.is_none();
            let said = if whole || (own.source, own.target) == (source, target) {
                relation.description.clone()
            } else {
                format!(
                    "{} {} {}",
                    relation.source, relation.description, relation.target
                )
            };
            if !own.predicates.contains(&said) {
                own.predicates.push(said);
            }
        }
    }

    fn number(&mut self, name: &str) -> u32 {
        let next = self.entities.len() as u32;
        let number = *self.forms.entry(Norm::Simple.apply(name)).or_insert(next);
        if number == next {
            self.entities.push(Entity {
                name: name.to_owned(),
                ..Entity::default()
            });
        }
        number
    }

    /// Weighs relations by mutual information: p(a,b) ln(p(a,b) / (p(a) p(b))), p of a pair by weight, p of a name by
    /// mentions. Drops names of one mention, then the lightest 40 % of the relations; ties stay with the earlier one.
    pub fn weigh_by_information(&mut self) {
        let often = |e: u32| self.entities[e as usize].mentions >= LEAST_MENTIONS;
        let mut kept: Vec<Relation> = std::mem::take(&mut self.relations)
            .into_iter()
            .filter(|r| often(r.source) && often(r.target))
            .collect();
        let names: f64 = self.entities.iter().map(|e| f64::from(e.mentions)).sum();
        let pairs: f64 = kept.iter().map(|r| r.weight).sum();
        for relation in &mut kept {
            let of = |e: u32| f64::from(self.entities[e as usize].mentions) / names;
            let both = relation.weight / pairs;
            relation.weight = both * (both / (of(relation.source) * of(relation.target))).ln();
        }
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by(|a, b| kept[*b].weight.total_cmp(&kept[*a].weight).then(a.cmp(b)));
        order.truncate(kept.len() - (kept.len() as f64 * LIGHTEST).floor() as usize);
        order.sort_unstable();
        let mut all: Vec<Option<Relation>> = kept.into_iter().map(Some).collect();
        self.relations = order.into_iter().filter_map(|at| all[at].take()).collect();
        // Names of one mention leave, the others move up.
        let mut moved = vec![u32::MAX; self.entities.len()];
        let mut next = 0;
        for (at, entity) in self.entities.iter().enumerate() {
            if entity.mentions >= LEAST_MENTIONS {
                moved[at] = next;
                next += 1;
            }
        }
        self.entities.retain(|e| e.mentions >= LEAST_MENTIONS);
        for relation in &mut self.relations {
            relation.source = moved[relation.source as usize];
            relation.target = moved[relation.target as usize];
        }
    }

    /// Descriptions as text, cut where they grew long.
    pub fn finish(self, idf: &Idf) -> Merged {
        let texts = self.entities.par_iter();
        let texts = texts.map(|e| described(&e.sentences, idf)).collect();
        self.with(texts)
    }

    /// The same, with long descriptions merged by a model where one is named. Counts who did.
    ///
    /// # Errors
    /// When `progress`, which hears of descriptions done, stops it.
    pub fn finish_by(
        self,
        idf: &Idf,
        llm: &Llm,
        shares: &mut Shares,
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Merged, Cancelled> {
        if !llm.thinks() {
            return Ok(self.finish(idf));
        }
        let long: Vec<usize> = (0..self.entities.len())
            .filter(|&e| tokens(&self.entities[e].sentences) > MOST_TOKENS)
            .collect();
        let several: Vec<usize> = (0..self.relations.len())
            .filter(|&r| tokens(&self.relations[r].predicates) > MOST_PREDICATES)
            .collect();
        let input = |name: String, said: &[String]| MergeInput {
            name,
            descriptions: some(said).map(str::to_owned).collect(),
        };
        let inputs = long.iter().map(|&e| {
            let entity = &self.entities[e];
            input(entity.name.clone(), &entity.sentences)
        });
        // What many stretches say of two names is too long to be listed, as what they say of one.
        let pairs = several.iter().map(|&r| {
            let relation = &self.relations[r];
            let ends = [relation.source, relation.target];
            let [a, b] = ends.map(|end| &*self.entities[end as usize].name);
            input(format!("{a} and {b}"), &relation.predicates)
        });
        let inputs: Vec<MergeInput> = inputs.chain(pairs).collect();
        llm.announce::<task::Merge>(&llm.estimate::<task::Merge>(&inputs));
        let fits = |_: &MergeInput, output: &OneText| match chunks::count(&output.text) {
            words if words > 2 * MOST_TOKENS => {
                Err(format!("text: {words} words; at most {MOST_TOKENS} tokens"))
            }
            _ => Ok(()),
        };
        let stand_in = |input: &MergeInput| OneText {
            text: described(&input.descriptions, idf),
        };
        let made = llm.items::<task::Merge>(&inputs, &fits, stand_in, progress)?;
        made.iter().for_each(|one| shares.count(one));
        let mut texts: Vec<String> = (self.entities.par_iter())
            .map(|e| match tokens(&e.sentences) > MOST_TOKENS {
                true => String::new(),
                false => described(&e.sentences, idf),
            })
            .collect();
        let mut made = made.into_iter().map(|one| {
            let words: Vec<&str> = one.value.text.split_whitespace().collect();
            words.join(" ")
        });
        for (e, text) in long.into_iter().zip(made.by_ref()) {
            texts[e] = text;
        }
        let mut merged = self.with(texts);
        for (r, text) in several.into_iter().zip(made) {
            merged.relations[r].description = text;
        }
        Ok(merged)
    }

    /// Everything, with these descriptions.
    fn with(self, texts: Vec<String>) -> Merged {
        let entities = self
            .entities
            .into_iter()
            .zip(texts)
            .map(|(e, description)| MergedEntity {
                description,
                name: e.name,
                mentions: e.mentions,
                units: e.units,
            })
            .collect();
        let relations = self
            .relations
            .into_iter()
            .map(|r| MergedRelation {
                source: r.source,
                target: r.target,
                description: if r.predicates.is_empty() {
                    r.sentence
                } else {
                    predicates(&r.predicates)
                },
                weight: r.weight,
                units: r.units,
            })
            .collect();
        Merged {
            entities,
            relations,
        }
    }
}

fn tokens(sentences: &[String]) -> usize {
    sentences.iter().map(|s| chunks::count(s)).sum()
}

/// At most so many of them, spread evenly.
fn some(sentences: &[String]) -> impl Iterator<Item = &str> {
    let step = sentences.len().div_ceil(MOST_SENTENCES).max(1);
    sentences.iter().step_by(step).map(String::as_str)
}

/// The union of a name's sentences, cut to its central ones above the budget (task `merge`).
fn described(sentences: &[String], idf: &Idf) -> String {
    let bytes: usize = sentences.iter().map(String::len).sum();
    if bytes <= MOST_BYTES && tokens(sentences) <= MOST_TOKENS {
        return sentences.join(" ");
    }
    let some: Vec<&str> = some(sentences).collect();
    let cut = summary(&some, MOST_TOKENS, idf, |_| Vec::new());
    let mut text = cut.text.split('\n').collect::<Vec<_>>().join(" ");
    text.truncate(span::floor(&text, MOST_BYTES));
    text
}

/// Predicates after each other, as many as fit.
fn predicates(all: &[String]) -> String {
    let mut text = all.first().cloned().unwrap_or_default();
    let mut tokens = chunks::count(&text);
    for next in all.iter().skip(1) {
        tokens += chunks::count(next);
        if tokens > MOST_PREDICATES {
            break;
        }
        text.push_str("; ");
        text.push_str(next);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::extract::{GraphEntity, GraphRelation};
    use super::*;
    use crate::llm::server::{Says, serve};

    fn told(entities: &[(&str, &str, usize)], relations: &[(&str, &str, &str, f64)]) -> Extracted {
        Extracted {
            entities: entities
                .iter()
                .map(|(name, said, mentions)| GraphEntity {
                    name: (*name).into(),
                    description: vec![(*said).into()],
                    mentions: *mentions,
                })
                .collect(),
            relations: relations
                .iter()
                .map(|(source, said, target, strength)| GraphRelation {
                    source: (*source).into(),
                    target: (*target).into(),
                    description: (*said).into(),
                    strength: *strength,
                    pattern: Some(if *strength < 1.0 {
                        Pattern::CoOccurrence
                    } else {
                        Pattern::Verb
                    }),
                })
                .collect(),
        }
    }

    #[test]
    fn names_merge_by_their_normal_form_and_link_to_all_units_of_a_run() {
        let mut merge = Merge::default();
        let a = [
            ("Ana Voss", "Ana Voss sang.", 2),
            ("Hull", "Hull is a port.", 1),
        ];
        merge.take(&[0, 1], &told(&a, &[("Ana Voss", "lived in", "Hull", 1.0)]));
        let b = [
            ("Ana  voss", "Ana Voss sang.", 1),
            ("Hull", "Hull burned.", 1),
        ];
        let back = [
            ("Hull", "honoured", "Ana Voss", 1.0),
            ("Ana Voss", "lived in", "Hull", 2.0),
            ("Hull", "A sentence.", "Ana Voss", 0.5),
        ];
        merge.take(&[4], &told(&b, &back));
        let merged = merge.finish(&Idf::default());
        assert_eq!(
            merged.entities,
            [
                MergedEntity {
                    name: "Ana Voss".into(),
                    description: "Ana Voss sang.".into(),
                    mentions: 3,
                    units: vec![0, 1, 4]
                },
                MergedEntity {
                    name: "Hull".into(),
                    description: "Hull is a port. Hull burned.".into(),
                    mentions: 2,
                    units: vec![0, 1, 4]
                },
            ]
        );
        assert_eq!(
            merged.relations,
            [MergedRelation {
                source: 0,
                target: 1,
                description: "lived in; Hull honoured Ana Voss".into(),
                weight: 4.5,
                units: vec![0, 1, 4]
            }]
        );
    }

    #[test]
    fn a_pair_without_a_pattern_keeps_its_sentence() {
        let mut merge = Merge::default();
        let names = [("A1", "x", 1), ("B1", "y", 1)];
        merge.take(&[7], &told(&names, &[("A1", "A1 and B1 met.", "B1", 0.5)]));
        let merged = merge.finish(&Idf::default());
        assert_eq!(merged.relations[0].description, "A1 and B1 met.");
        assert_eq!(merged.relations[0].weight, 0.5);
    }

    #[test]
    fn long_descriptions_are_cut_to_the_budget() {
        let sentences: Vec<String> = (0..900)
            .map(|i| format!("Word{i} stands in the harbour of Hull."))
            .collect();
        let text = described(&sentences, &Idf::default());
        let tokens = chunks::count(&text);
        assert!(
            tokens <= MOST_TOKENS && tokens > MOST_TOKENS - 10,
            "{tokens}"
        );
        // Marks count as no tokens.
        let marks: Vec<String> = (0..90)
            .map(|i| format!("Word{i} {}", "“?!” ".repeat(100)))
            .collect();
        let text = described(&marks, &Idf::default());
        assert!(
            text.len() <= MOST_BYTES && text.starts_with("Word0 “?!”"),
            "{}",
            text.len()
        );
        let many: Vec<String> = (0..50).map(|i| format!("met in {i}")).collect();
        assert_eq!(chunks::count(&predicates(&many)), 39);
    }

    #[test]
    fn a_model_merges_what_many_stretches_say_of_two_names() {
        let server = serve(|_, _| Says::Text(r#"{"text": "They met often."}"#.into()));
        let llm = Llm::open(&format!("endpoint:{}?model=m", server.url), None).unwrap();
        let merged = |times: usize| {
            let mut merge = Merge::default();
            let names = [("A1", "x", 1), ("B1", "y", 1)];
            for time in 0..times {
                let said = format!("A1 met B1 in the town hall in year {time}");
                merge.take(&[time as u32], &told(&names, &[("A1", &said, "B1", 1.0)]));
            }
            let mut shares = Shares::default();
            let all = merge.finish_by(&Idf::default(), &llm, &mut shares, &|_| true);
            (
                all.unwrap().relations.remove(0).description,
                shares.to_string(),
            )
        };
        let (few, by) = merged(2);
        assert!(few.ends_with("in year 1") && by.is_empty(), "{few} {by}");
        let (many, by) = merged(9);
        assert_eq!((&*many, &*by), ("They met often.", "llm(m, merge, 1): 1"));
        let heard = server.heard.lock().unwrap();
        let asked = heard[0].1["messages"][1]["content"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(
            asked.contains("A1 and B1") && asked.contains("in year 8"),
            "{asked}"
        );
    }

    #[test]
    fn mutual_information_by_hand() {
        let mut merge = Merge::default();
        // Mentions 4, 2, 2, 1 of 9. Once D is gone: A-B 3, A-C 1, B-C 1 of 5.
        let names = [
            ("A1", "a", 4),
            ("B1", "b", 2),
            ("C1", "c", 2),
            ("D1", "d", 1),
        ];
        let pairs = [
            ("D1", "p", "A1", 5.0),
            ("A1", "p", "B1", 3.0),
            ("A1", "p", "C1", 1.0),
            ("B1", "p", "C1", 1.0),
        ];
        merge.take(&[0], &told(&names, &pairs));
        merge.weigh_by_information();
        let merged = merge.finish(&Idf::default());
        let left: Vec<&str> = merged.entities.iter().map(|e| &*e.name).collect();
        assert_eq!(left, ["A1", "B1", "C1"]);
        // floor(0.4 * 3) = 1 is dropped: the lightest, A-C.
        let ends: Vec<(u32, u32)> = merged
            .relations
            .iter()
            .map(|r| (r.source, r.target))
            .collect();
        assert_eq!(ends, [(0, 1), (1, 2)]);
        let expected = 0.6 * (0.6_f64 / (4.0 / 9.0 * 2.0 / 9.0)).ln();
        assert!((merged.relations[0].weight - expected).abs() < 1e-12);
    }
}
