//! The graph that another system keeps in a database, asked by rows where it lies. Names are its entities. Words are looked for
//! by the server, and counted here in the passages that have the rarer words of a question.

use super::entities::EntityOptions;
use super::lexical::postings_in;
use super::published::{Spent, rows};
use super::rows::{Called, Came, Joined, Names, Passage, Related, Rows, Theirs, Wanted, Whole};
use super::{IndexError, Passages};
use crate::column::Strings;
use crate::corpus::{Question, full_text};
use crate::exchange::given::postgres::{self, LookUps};
use crate::exchange::given::{Entity, Relation, Unit};
use crate::text::forms::Forms;
use crate::text::{Language, Norm, Tokens};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Texts from which on a graph is asked where it lies, unless its address says otherwise: fewer are copied in less than half a
/// minute, and a copy serves every method and answers faster.
const LEAST: usize = 50_000;
/// Texts that language and length are read from.
const SAMPLED: usize = 256;
/// Passages that the words of a question bring in, at most.
const WORDED: usize = 2000;

/// Tables of another system.
pub struct Attached {
    whole: Whole,
    units: Vec<Unit>,
    /// Passages by their titles, in lower case.
    titles: BTreeMap<String, Vec<u32>>,
    entities: Vec<Entity>,
    forms: Forms,
    look_ups: Mutex<LookUps>,
}

impl Attached {
    /// The tables of an address, if they are those of another system and are to be asked by rows: where they have many texts,
    /// or the address says so. Words are cut as in a `language`, or in that of a sample.
    ///
    /// # Errors
    /// A server that cannot be reached or refuses, and tables that cannot be read, with what to do.
    pub fn find(path: &Path, language: Option<Language>) -> Result<Option<Attached>, IndexError> {
        let Some((mut look_ups, found)) = LookUps::open(path, LEAST).map_err(rows)? else {
            return Ok(None);
        };
        let postgres::Found {
            given,
            places,
            relations,
            weight,
        } = found;
        let passages = given.units.len();
        let step = passages.div_ceil(SAMPLED).max(1);
        let sampled = (0..passages as u32).step_by(step);
        let sample = look_ups.ask(&postgres::Wanted {
            texts: sampled.collect(),
            ..postgres::Wanted::default()
        });
        let sample: BTreeMap<u32, String> = sample.map_err(rows)?.texts.into_iter().collect();
        let texts: Vec<&str> = sample.values().map(|text| &**text).collect();
        let language = language.unwrap_or_else(|| Language::detect(texts.len(), |at| texts[at]));
        // Texts are as long in words as a sample of them is, by their bytes.
        let bytes = |text: &str| text.len() as f64;
        let sampled: f64 = texts.iter().map(|text| bytes(text)).sum();
        let lengths = given.units.iter();
        let all: f64 = lengths
            .filter_map(|unit| unit.text.parse::<f64>().ok())
            .sum();
        let words = Tokens::ALL.map(|tokens| {
            let length = |text: &str| f64::from(words_of(tokens, language, text));
            let own: f64 = texts.iter().map(|text| length(text)).sum();
            let titles = given.units.iter().map(|unit| length(&unit.title));
            (own * all / sampled.max(1.0) + titles.sum::<f64>()).round() as u64
        });
        let forms = given.entities.iter();
        let forms = forms
            .map(|entity| Norm::Simple.apply(&entity.name))
            .zip(0..);
        let mut titles: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (unit, place) in given.units.iter().zip(0..) {
            if !unit.title.is_empty() {
                titles
                    .entry(unit.title.to_lowercase())
                    .or_default()
                    .push(place);
            }
        }
        // What texts say is not read: their lengths stand for it.
        let strings = |of: fn(&Unit) -> &str| given.units.iter().map(of).collect::<Strings>();
        let whole = Whole {
            name: crate::exchange::postgres::name(path).unwrap_or_default(),
            fingerprint: Passages::of(
                strings(|unit| &unit.id),
                strings(|unit| &unit.title),
                strings(|unit| &unit.text),
                Vec::new(),
            )
            .fingerprint(),
            passages: passages as u32,
            entities: given.entities.len() as u32,
            edges: (places + relations) as u64,
            options: EntityOptions {
                language,
                ..EntityOptions::default()
            },
            words,
            given: Some(Theirs {
                system: given.system,
                generation: given.generation,
                relations,
                weight,
            }),
            ..Whole::default()
        };
        Ok(Some(Attached {
            whole,
            titles,
            forms: Forms::new(language, forms),
            units: given.units,
            entities: given.entities,
            look_ups: Mutex::new(look_ups),
        }))
    }

    /// Whether the address asks for rows: then it is not copied for what rows do not serve.
    pub fn is_asked(&self) -> bool {
        self.look_ups().asked
    }

    fn look_ups(&self) -> MutexGuard<'_, LookUps> {
        self.look_ups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn passage(&self, passage: u32, text: Option<String>) -> (u32, Passage) {
        let Unit { id, title, .. } = &self.units[passage as usize];
        let namesakes = self.titles.get(&title.to_lowercase());
        let own = Passage {
            id: id.clone(),
            title: title.clone(),
            twin: namesakes.is_some_and(|all| all.len() > 1),
            text,
        };
        (passage, own)
    }

    /// A name, with what is said of it where that came.
    fn called(&self, entity: u32, about: &mut FxHashMap<u32, (String, String)>) -> Called {
        let label = self.entities[entity as usize].name.clone();
        let (kind, about) = about.remove(&entity).unwrap_or_default();
        Called {
            entity,
            form: Norm::Simple.apply(&label),
            label,
            titled: Vec::new(),
            kind,
            about,
        }
    }

    /// Passages whose title has a part of a word.
    fn titled<'a>(&'a self, part: &'a str) -> impl Iterator<Item = u32> + 'a {
        let own = self
            .titles
            .iter()
            .filter(move |(title, _)| title.contains(part));
        own.flat_map(|(_, passages)| passages.iter().copied())
    }
}

/// How many words a text has.
fn words_of(tokens: Tokens, language: Language, text: &str) -> u32 {
    let mut count = 0;
    tokens.each(language, text, |_| count += 1);
    count
}

/// What every text with a word has, as far as its way of cutting leaves letters as they are: a stem may end in another letter
/// than its words.
fn part_of(tokens: Tokens, word: &str) -> &str {
    match tokens {
        Tokens::Plain => word,
        Tokens::Stem => word.strip_suffix('i').unwrap_or(word),
    }
}

/// In how many passages parts of words are, a passage whose title has one counted twice if its text has it, too.
type Counts<'w> = FxHashMap<&'w str, usize>;

/// The words that bring in passages: the rarer ones, as long as these are few.
fn rarer<'w>(parts: &[&'w str], counts: &Counts<'_>) -> Vec<&'w str> {
    let mut sorted: Vec<&str> = parts.to_vec();
    sorted.sort_by_key(|part| counts.get(part).copied().unwrap_or(0));
    let mut all = 0;
    let few = |part: &&str| {
        all += counts.get(part).copied().unwrap_or(0);
        all <= WORDED
    };
    sorted.into_iter().take_while(few).collect()
}

impl Rows for Attached {
    fn whole(&self) -> &Whole {
        &self.whole
    }

    fn hub(&self) -> Option<u32> {
        self.look_ups().hub
    }

    fn questions(&self, _: Range<u32>) -> Result<Vec<Question>, IndexError> {
        Ok(Vec::new())
    }

    fn vector(&self, _: &str) -> Result<Option<Vec<f32>>, IndexError> {
        Ok(None)
    }

    fn spent(&self) -> Option<Spent> {
        let mut look_ups = self.look_ups();
        let cost = std::mem::take(&mut look_ups.cost);
        (cost.trips > 0).then(|| Spent {
            servers: 1,
            trips: cost.trips,
            rows: cost.rows,
            bytes: cost.bytes,
            seconds: cost.seconds,
            lost: None,
            slow: look_ups.advice.clone(),
        })
    }

    fn fetch(&self, _: Names, wanted: &Wanted) -> Result<Came, IndexError> {
        let passages = self.whole.passages;
        let found = wanted.forms.iter().filter_map(|form| self.forms.like(form));
        let found: BTreeSet<u32> = found.collect();
        let named: BTreeSet<u32> = found.union(&wanted.entities).copied().collect();
        let (units, mut entities): (Vec<u32>, BTreeSet<u32>) = (
            wanted.nodes.range(..passages).copied().collect(),
            wanted
                .nodes
                .range(passages..)
                .map(|node| node - passages)
                .collect(),
        );
        entities.extend(&found);
        let (posted, counted) = parts(wanted);
        let owned = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect();
        let mut look_ups = self.look_ups();
        let first = look_ups.ask(&postgres::Wanted {
            entities: entities.iter().copied().collect(),
            units: units.clone(),
            about: named.iter().copied().collect(),
            texts: wanted.texts.iter().copied().collect(),
            counts: owned(&counted),
            ..postgres::Wanted::default()
        });
        let mut first = first.map_err(rows)?;
        let counts = counted.into_iter().zip(&first.counts);
        let counts = counts.map(|(part, count)| (part, count + self.titled(part).count()));
        let counts: Counts<'_> = counts.collect();
        let rare = rarer(&posted, &counts);
        let mut graph = Rowed::of(passages, &first, &entities);
        let titled: BTreeSet<u32> = rare.iter().flat_map(|part| self.titled(part)).collect();
        let second = look_ups.ask(&postgres::Wanted {
            degrees: graph.beside(&entities),
            words: owned(&rare),
            texts: titled.into_iter().collect(),
            ..postgres::Wanted::default()
        });
        let second = second.map_err(rows)?;
        let ids = wanted.ids.iter().filter_map(|id| look_ups.unit(id));
        let bare: Vec<u32> = ids.chain(wanted.titles.iter().copied()).collect();
        drop(look_ups);
        graph.degrees = Some(&second.degrees);
        let of_units = units.iter().map(|unit| graph.of_unit(*unit));
        let of_entities = entities.iter().map(|entity| graph.of_entity(*entity));
        let mut came = Came {
            joined: of_units.chain(of_entities).collect(),
            related: first.relations.iter().map(related).collect(),
            ..Came::default()
        };
        self.words(wanted, (&counts, &rare), &second.texts, &mut came);
        let called = |entity: &u32| self.called(*entity, &mut first.about);
        came.names = named.iter().map(called).collect();
        let bare = bare.into_iter().map(|passage| self.passage(passage, None));
        let texts = wanted.texts.iter().map(|passage| {
            let text = first.texts.remove(passage).unwrap_or_default();
            self.passage(*passage, Some(text))
        });
        came.passages = bare.chain(texts).collect();
        // Where a name stands in a text the tables do not say.
        let texts = || wanted.texts.iter();
        came.mentions = texts().map(|passage| (*passage, Vec::new())).collect();
        came.spans = texts().map(|passage| (*passage, Vec::new())).collect();
        Ok(came)
    }
}

/// Parts of the words whose postings are wanted, and of these and the words that are to be counted.
fn parts(wanted: &Wanted) -> (Vec<&str>, Vec<&str>) {
    fn of(words: &[BTreeSet<String>]) -> BTreeSet<&str> {
        let cuts = Tokens::ALL.into_iter().zip(words);
        let parts = cuts.flat_map(|(cut, own)| own.iter().map(move |word| part_of(cut, word)));
        parts.collect()
    }
    let (posted, counted) = (of(&wanted.words), of(&wanted.counts));
    let all = posted.union(&counted).copied().collect();
    (posted.into_iter().collect(), all)
}

/// Rows of what came of texts and entities.
struct Rowed<'c> {
    passages: u32,
    came: &'c postgres::Came,
    /// By entity of those that were asked for: the entities that it has relations with.
    joined: FxHashMap<u32, BTreeSet<u32>>,
    /// Of other entities, how many neighbours they have; none until that came.
    degrees: Option<&'c FxHashMap<u32, u32>>,
}

impl<'c> Rowed<'c> {
    fn of(passages: u32, came: &'c postgres::Came, entities: &BTreeSet<u32>) -> Rowed<'c> {
        let mut joined: FxHashMap<u32, BTreeSet<u32>> = FxHashMap::default();
        for relation in &came.relations {
            let ends = (relation.source, relation.target);
            for (one, other) in [ends, (ends.1, ends.0)] {
                if entities.contains(&one) {
                    joined.entry(one).or_default().insert(other);
                }
            }
        }
        Rowed {
            passages,
            came,
            joined,
            degrees: None,
        }
    }

    /// The entities beside those that were asked for: a walk weighs them by how many neighbours they have.
    fn beside(&self, entities: &BTreeSet<u32>) -> Vec<u32> {
        let of_units = self.came.entities.values().flatten();
        let all: BTreeSet<u32> = of_units
            .chain(self.joined.values().flatten())
            .copied()
            .collect();
        all.difference(entities).copied().collect()
    }

    fn others(&self, entity: u32) -> impl Iterator<Item = u32> + '_ {
        self.joined.get(&entity).into_iter().flatten().copied()
    }

    /// How many neighbours an entity has.
    fn degree(&self, entity: u32) -> u32 {
        let own = self.came.units.get(&entity);
        let own = own.map(|units| (units.len() + self.others(entity).count()) as u32);
        let other = || self.degrees?.get(&entity).copied();
        own.or_else(other).unwrap_or(0)
    }

    fn of_entity(&self, entity: u32) -> (u32, Vec<Joined>) {
        let units = self.came.units.get(&entity).into_iter().flatten();
        let units = units.map(|unit| Joined {
            node: *unit,
            tf: 1,
            degree: self.came.entities.get(unit).map_or(0, Vec::len) as u32,
        });
        let others = self.others(entity).map(|other| Joined {
            node: self.passages + other,
            tf: 0,
            degree: self.degree(other),
        });
        (self.passages + entity, units.chain(others).collect())
    }

    fn of_unit(&self, unit: u32) -> (u32, Vec<Joined>) {
        let own = self.came.entities.get(&unit).into_iter().flatten();
        let own = own.map(|entity| Joined {
            node: self.passages + entity,
            tf: 1,
            degree: self.degree(*entity),
        });
        (unit, own.collect())
    }
}

fn related(relation: &Relation) -> Related {
    Related {
        ends: [relation.source, relation.target],
        label: relation.label.clone(),
        about: relation.description.clone(),
        weight: relation.weight as f32,
    }
}

impl Attached {
    /// Postings of the words that are wanted, in the texts that came, and in how many passages each word is.
    fn words(
        &self,
        wanted: &Wanted,
        (counts, rare): (&Counts<'_>, &[&str]),
        texts: &FxHashMap<u32, String>,
        came: &mut Came,
    ) {
        let language = self.whole.options.language;
        let mut sorted: Vec<(&u32, &String)> = texts.iter().collect();
        sorted.sort_unstable_by_key(|(unit, _)| **unit);
        let known = |tokens, word: &String| {
            let count = counts.get(part_of(tokens, word)).copied().unwrap_or(0);
            (word.clone(), count.min(self.units.len()) as u32)
        };
        // A part is in other words, too: of the texts that came so many that have it have the word.
        let share = |part: &str, with: usize| {
            let all = sorted
                .iter()
                .filter(|(_, text)| text.to_lowercase().contains(part));
            (with + 1) as f64 / (all.count() + 1) as f64
        };
        for tokens in Tokens::ALL {
            let cut = tokens as usize;
            let own = &wanted.words[cut];
            let text = |(unit, text): &(&u32, &String)| {
                let title = &self.units[**unit as usize].title;
                (**unit, full_text(title, text))
            };
            let mut posted = postings_in(tokens, language, own, sorted.iter().map(text));
            for word in own {
                let postings = posted.remove(word).unwrap_or_default();
                // Of a word that brought in passages all came. Of another one the passages are counted that have it in a word.
                let part = part_of(tokens, word);
                if !rare.contains(&part) {
                    let (word, count) = known(tokens, word);
                    let share = share(part, postings.len()).min(1.0);
                    came.counts[cut].push((word, (f64::from(count) * share).round() as u32));
                }
                came.posted[cut].push((word.clone(), postings));
            }
            came.counts[cut].extend(wanted.counts[cut].iter().map(|word| known(tokens, word)));
        }
    }
}
