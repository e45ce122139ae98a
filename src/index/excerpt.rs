//! What was fetched of an index for one question, as an index of its own: few passages and names, with the frequencies,
//! degrees and lengths of the whole. Its numbers ascend as those of the whole do, so ties fall as there.
//!
//! Whoever asks it for a name or a word that was not fetched finds none, and the excerpt remembers what it was asked for.

use super::entities::{Aliases, EntityGraph, Occurrence};
use super::lexical::{Bm25, Held};
use super::passages::{Came, is_checksum};
use super::rows::{Called, Joined, NAMESAKES, Names, Passage, Posting, Rows, Span, Wanted, Whole};
use super::source::Source;
use super::{Dense, HopLayer, Index, IndexError, Lexical, Passages};
use crate::column::Strings;
use crate::corpus::Question;
use crate::embed::fixed::pieces;
use crate::embed::vectors::Row;
use crate::embed::{Encoder, Given, Static, VectorWriter};
use crate::graph::Beyond;
use crate::graph::rows::starts;
use crate::text::Tokens;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What an index made of an excerpt was asked for: written by the readers of one question.
#[derive(Debug, Default)]
pub struct Asked(Mutex<Wanted>);

impl Asked {
    pub fn note(&self, note: impl FnOnce(&mut Wanted)) {
        note(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What was asked for so far.
    pub fn all(&self) -> Wanted {
        let asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.clone()
    }
}

/// Which passages of an excerpt have what the whole has of every one.
pub struct Fetched {
    /// Ascending.
    has: Vec<u32>,
    /// The number in the whole of every passage of the excerpt.
    numbers: Arc<[u32]>,
    /// Passages of the whole.
    pub among: usize,
    pub asked: Arc<Asked>,
}

impl Fetched {
    /// The passages that have it, ascending.
    pub fn all(&self) -> &[u32] {
        &self.has
    }

    /// The place of a passage among those that have it.
    pub fn place(&self, passage: u32) -> Option<u32> {
        let place = self.has.binary_search(&passage).ok()?;
        Some(place as u32)
    }

    /// As [`place`](Self::place), and asks for what a passage lacks in this list.
    pub fn place_or_asks(
        &self,
        passage: u32,
        list: impl FnOnce(&mut Wanted) -> &mut BTreeSet<u32>,
    ) -> Option<u32> {
        let place = self.place(passage);
        if place.is_none() {
            let number = self.numbers[passage as usize];
            self.asked.note(|wanted| {
                list(wanted).insert(number);
            });
        }
        place
    }
}

/// What a graph of an excerpt knows of the whole.
#[derive(Debug)]
pub struct Partial {
    pub whole: Arc<Whole>,
    pub beyond: Beyond,
    pub asked: Arc<Asked>,
    numbers: Numbers,
}

impl Partial {
    /// Asks for all neighbours of a node, where they did not come.
    pub fn asks_for_neighbours(&self, node: u32) {
        if self.numbers == Numbers::Whole && !self.beyond.known[node as usize] {
            self.asked.note(|wanted| {
                wanted.nodes.insert(node);
            });
        }
    }

    /// Asks for what a name is called.
    pub fn asks_for_name(&self, entity: u32) {
        if self.numbers == Numbers::Whole {
            self.asked.note(|wanted| {
                wanted.entities.insert(entity);
            });
        }
    }
}

/// Which passages words alone bring in: as many of the best as any list is deep.
#[derive(Clone, Debug)]
pub struct Deep {
    pub tokens: Tokens,
    pub constants: Bm25,
    /// Words of the question with their weights, in its order.
    pub words: Vec<(String, f64)>,
    pub most: usize,
}

/// What a question reads of an index.
#[derive(Clone, Debug, Default)]
pub struct Reads {
    /// The names it runs over.
    pub names: Names,
    /// Whether it compares vectors of passages, and of sentences.
    pub vectors: bool,
    pub sentences: bool,
    /// Its lists by words, that of the settings first.
    pub words: Vec<Deep>,
}

/// What stands under one of some numbers, with the place of that number; both ascend.
fn shared<'a, T>(
    numbers: &'a [u32],
    all: &'a [T],
    number: impl Fn(&T) -> u32 + 'a,
) -> impl Iterator<Item = (usize, &'a T)> {
    let mut at = 0;
    all.iter().filter_map(move |one| {
        let own = number(one);
        while numbers.get(at).is_some_and(|known| *known < own) {
            at += 1;
        }
        (numbers.get(at) == Some(&own)).then_some((at, one))
    })
}

/// What was fetched under each of some numbers, which ascend.
fn placed<T>(
    numbers: impl Iterator<Item = u32>,
    all: &BTreeMap<u32, T>,
) -> impl Iterator<Item = Option<&T>> {
    let mut all = all.iter().peekable();
    numbers.into_iter().map(move |number| {
        while all.next_if(|(known, _)| **known < number).is_some() {}
        let own = all.next_if(|(known, _)| **known == number);
        own.map(|(_, one)| one)
    })
}

/// Passages by their words: the best, best first, and all that have one, ascending.
#[derive(Clone)]
struct Listed {
    best: Vec<u32>,
    matched: Vec<u32>,
}

/// What was fetched so far, by the numbers of the whole.
#[derive(Clone)]
pub struct Excerpt {
    whole: Arc<Whole>,
    reads: Reads,
    rows: BTreeMap<u32, Vec<Joined>>,
    names: BTreeMap<u32, Called>,
    aliases: BTreeMap<String, String>,
    forms: FxHashSet<String>,
    words: [FxHashMap<String, Vec<Posting>>; Tokens::ALL.len()],
    counts: [FxHashMap<String, u32>; Tokens::ALL.len()],
    passages: BTreeMap<u32, Passage>,
    mentions: BTreeMap<u32, Vec<Occurrence>>,
    /// Sentences of passages, and their vectors.
    spans: BTreeMap<u32, Vec<Span>>,
    sentences: BTreeMap<u32, Vec<Row>>,
    /// Vectors of passages, and as how many of the nearest to the question some were asked for.
    near: BTreeMap<u32, Row>,
    nearest: usize,
    /// The question's vector, where an encoder made it.
    vector: Option<Vec<f32>>,
    /// The word pieces of the question, where its vectors are made of theirs, and what those weigh that came.
    pieces: BTreeSet<u32>,
    weights: Vec<(u32, f32)>,
    /// See [`Excerpt::by_words`]; none since words came.
    listed: Option<Vec<Listed>>,
    question: Question,
    asked: Arc<Asked>,
    /// What could not be asked for.
    gone: Wanted,
}

/// Which passages and names an index of an excerpt numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numbers {
    /// Those that came, from 0.
    Own,
    /// All, as in the whole: they stay as they are while more comes. Whoever reads what did not come finds nothing there, and
    /// the excerpt remembers that it was asked for it.
    Whole,
}

/// An excerpt as an index, and the number of each of its passages and names in the whole.
pub struct Numbered {
    pub index: Arc<Index>,
    nodes: Vec<u32>,
    whole: Arc<Whole>,
}

impl Numbered {
    fn of(index: Index, nodes: Vec<u32>, whole: Arc<Whole>) -> Numbered {
        Numbered {
            index: Arc::new(index),
            nodes,
            whole,
        }
    }

    /// The numbers of its passages in the whole.
    pub fn passages(&self) -> &[u32] {
        &self.nodes[..self.index.len()]
    }

    /// The number in the whole of a name, by its node.
    pub fn entity(&self, node: u32) -> u32 {
        self.whole(node) - self.whole.passages
    }

    /// The number of a node in the whole.
    pub fn whole(&self, node: u32) -> u32 {
        self.nodes[node as usize]
    }
}

impl Excerpt {
    /// Nothing yet, for a question.
    ///
    /// # Errors
    /// An encoder that is not here, and what whoever has the rows says.
    pub fn new(rows: &dyn Rows, question: &Question, reads: Reads) -> Result<Excerpt, IndexError> {
        let mut excerpt = Excerpt {
            whole: Arc::new(rows.whole().clone()),
            reads: Reads::default(),
            rows: BTreeMap::new(),
            names: BTreeMap::new(),
            aliases: BTreeMap::new(),
            forms: FxHashSet::default(),
            words: Default::default(),
            counts: Default::default(),
            passages: BTreeMap::new(),
            mentions: BTreeMap::new(),
            spans: BTreeMap::new(),
            sentences: BTreeMap::new(),
            near: BTreeMap::new(),
            nearest: 0,
            vector: None,
            pieces: BTreeSet::new(),
            weights: Vec::new(),
            listed: None,
            question: question.clone(),
            asked: Arc::default(),
            gone: Wanted::default(),
        };
        excerpt.read(rows, reads)?;
        Ok(excerpt)
    }

    /// Its question from now on reads this, of the same names.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn read(&mut self, rows: &dyn Rows, reads: Reads) -> Result<(), IndexError> {
        let text = &*self.question.text;
        let compares = reads.vectors && self.whole.vectors.is_some() && !text.is_empty();
        if compares && self.vector.is_none() {
            self.vector = rows.vector(text)?;
        }
        let by_pieces = reads.sentences || compares && self.vector.is_none();
        if by_pieces && self.pieces.is_empty() {
            self.pieces = pieces(text)?.into_iter().collect();
        }
        self.reads = reads;
        self.listed = None;
        Ok(())
    }

    /// Its question.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// What its question reads.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// What could not be asked for.
    pub fn gone(&self) -> &Wanted {
        &self.gone
    }

    /// How many nodes were fetched with their neighbours.
    pub fn nodes(&self) -> usize {
        self.rows.len()
    }

    /// What of this was not fetched yet, and what the excerpt was asked for meanwhile.
    pub fn lacking(&self, mut of: Wanted) -> Wanted {
        let asked = self.asked.all();
        of.nodes.extend(asked.nodes);
        of.entities.extend(asked.entities);
        of.titles.extend(asked.titles);
        of.texts.extend(asked.texts);
        of.forms.extend(asked.forms);
        for (words, asked) in of.words.iter_mut().zip(asked.words) {
            words.extend(asked);
        }
        of.counts = asked.counts;
        of.nearest = asked.nearest.filter(|own| own.depth > self.nearest);
        of.sentences.extend(asked.sentences);
        // Names stand in sentences.
        of.nodes.extend(&of.sentences);
        of.vectors.extend(asked.vectors);
        of.pieces = match self.weights.is_empty() {
            true => self.pieces.clone(),
            false => BTreeSet::new(),
        };
        of.sentences.retain(|one| !self.sentences.contains_key(one));
        of.vectors.retain(|one| !self.near.contains_key(one));
        of.nodes.retain(|node| !self.rows.contains_key(node));
        of.forms.retain(|form| !self.forms.contains(form));
        of.entities.retain(|name| !self.names.contains_key(name));
        for (words, known) in of.words.iter_mut().zip(&self.words) {
            words.retain(|word| !known.contains_key(word));
        }
        for (at, counts) in of.counts.iter_mut().enumerate() {
            let words = (&self.words[at], &of.words[at]);
            counts.retain(|word| {
                let posted = words.0.contains_key(word) || words.1.contains(word);
                !posted && !self.counts[at].contains_key(word)
            });
        }
        // A checksum says nothing: such a passage is called by the words that its text opens with.
        let unnamed = |one: &&u32| {
            let passage = self.passages.get(one);
            passage.is_some_and(|passage| passage.title.is_empty() && is_checksum(&passage.id))
        };
        of.texts.extend(of.titles.iter().filter(unnamed));
        let unread = |one: &u32| {
            self.passages
                .get(one)
                .is_none_or(|passage| passage.text.is_none())
        };
        of.texts.retain(unread);
        of.titles
            .retain(|one| !self.passages.contains_key(one) && !of.texts.contains(one));
        of.remove(&mut self.gone.clone());
        of
    }

    /// The passages that were fetched with all their names, and the names that they have.
    pub fn names_of(&self, passages: impl Iterator<Item = u32>) -> BTreeSet<u32> {
        let rows = passages.filter_map(|passage| self.rows.get(&passage));
        let names = rows.flatten().map(|joined| joined.node);
        names.map(|node| node - self.whole.passages).collect()
    }

    /// Fetches what is lacking.
    ///
    /// # Errors
    /// What whoever has the rows says.
    pub fn fetch(&mut self, rows: &dyn Rows, lacks: Wanted) -> Result<(), IndexError> {
        let came = rows.fetch(self.reads.names, &lacks)?;
        self.rows.extend(came.joined);
        self.names
            .extend(came.names.into_iter().map(|name| (name.entity, name)));
        self.aliases.extend(came.aliases);
        self.forms.extend(lacks.forms);
        let words = self
            .words
            .iter_mut()
            .zip(lacks.words.into_iter().zip(came.posted));
        for (known, (asked, posted)) in words {
            // A word that nobody has is known to have no passage.
            if !asked.is_empty() {
                self.listed = None;
            }
            known.extend(asked.into_iter().map(|word| (word, Vec::new())));
            known.extend(posted);
        }
        for (known, (asked, came)) in self
            .counts
            .iter_mut()
            .zip(lacks.counts.into_iter().zip(came.counts))
        {
            known.extend(asked.into_iter().map(|word| (word, 0)));
            known.extend(came);
        }
        self.passages.extend(came.passages);
        self.mentions.extend(came.mentions);
        self.spans.extend(came.spans);
        self.sentences.extend(came.sentences);
        self.weights.extend(came.pieces);
        if let Some(nearest) = lacks.nearest {
            self.nearest = nearest.depth;
        }
        self.near.extend(came.near);
        for passage in came.gone.titles.union(&came.gone.texts) {
            let unread = || Passage {
                id: format!("(passage {passage}, not read)"),
                ..Passage::default()
            };
            self.passages.entry(*passage).or_insert_with(unread);
        }
        for entity in &came.gone.entities {
            let unread = || Called {
                entity: *entity,
                label: format!("(name {entity}, not read)"),
                ..Called::default()
            };
            self.names.entry(*entity).or_insert_with(unread);
        }
        self.gone.extend(came.gone);
        Ok(())
    }

    /// The passages that the words of a list bring in, and all that they match.
    fn by_words(&self, deep: &Deep) -> Listed {
        let known = &self.words[deep.tokens as usize];
        let average = self.average(deep.tokens);
        let mut scores: FxHashMap<u32, f64> = FxHashMap::default();
        for (word, weight) in &deep.words {
            let Some(postings) = known.get(word) else {
                continue;
            };
            let idf = super::lexical::idf(self.whole.passages as usize, postings.len() as u32);
            for posting in postings {
                let length = f64::from(posting.length);
                let tf = deep
                    .constants
                    .saturation(f64::from(posting.tf), length, average);
                *scores.entry(posting.passage).or_insert(0.0) += weight * (tf * idf);
            }
        }
        // As rankings are ordered: by the score as it is kept, of equal ones the lower number first.
        let mut best: Vec<(f32, u32)> = scores.into_iter().map(|(p, s)| (s as f32, p)).collect();
        best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let matched = best.iter().filter(|(score, _)| *score > 0.0);
        let mut matched: Vec<u32> = matched.map(|(_, passage)| *passage).collect();
        matched.sort_unstable();
        best.truncate(deep.most);
        Listed {
            best: best.into_iter().map(|(_, passage)| passage).collect(),
            matched,
        }
    }

    fn average(&self, tokens: Tokens) -> f64 {
        self.whole.words[tokens as usize] as f64 / f64::from(self.whole.passages.max(1))
    }

    /// How many passages of the whole have a word of the question.
    pub fn matched(&self) -> usize {
        let matched = match &self.listed {
            Some(listed) => listed.first().map(|listed| listed.matched.len()),
            None => self
                .reads
                .words
                .first()
                .map(|deep| self.by_words(deep).matched.len()),
        };
        matched.unwrap_or(0)
    }

    /// An index of what was fetched.
    ///
    /// # Errors
    /// Vectors that are not of the index.
    pub fn index(&mut self) -> Result<Numbered, IndexError> {
        let listed = self.listed.take();
        let lists = self.reads.words.iter();
        let listed = listed.unwrap_or_else(|| lists.map(|deep| self.by_words(deep)).collect());
        let nodes = self.came(&listed);
        let index = self.numbered(&nodes, &listed, Numbers::Own);
        self.listed = Some(listed);
        Ok(Numbered::of(index?, nodes, self.whole.clone()))
    }

    /// The same with the numbers of the whole, for questions to an index that lies elsewhere.
    ///
    /// # Errors
    /// Vectors that are not of the index.
    pub(super) fn index_of(&self, source: &Arc<Source>) -> Result<(Index, Vec<u32>), IndexError> {
        let whole = &self.whole;
        let nodes = 0..whole.passages + whole.names(self.reads.names);
        let nodes: Vec<u32> = nodes.collect();
        let index = Index {
            questions: source.set.to_vec(),
            source: Some(source.clone()),
            ..self.numbered(&nodes, &[], Numbers::Whole)?
        };
        Ok((index, nodes))
    }

    pub(super) fn numbered_of(&self, source: &Arc<Source>) -> Result<Numbered, IndexError> {
        let (index, nodes) = self.index_of(source)?;
        Ok(Numbered::of(index, nodes, self.whole.clone()))
    }

    /// The nodes that came, and those that are named with them, ascending.
    fn came(&self, listed: &[Listed]) -> Vec<u32> {
        let whole = &self.whole;
        let mut nodes: Vec<u32> = self.rows.keys().copied().collect();
        nodes.extend(self.rows.values().flatten().map(|joined| joined.node));
        nodes.extend(self.names.keys().map(|entity| whole.passages + entity));
        let titled = self.names.values().map(|name| &name.titled);
        nodes.extend(titled.flat_map(|titled| titled.iter().take(NAMESAKES)));
        nodes.extend(self.passages.keys());
        nodes.extend(listed.iter().flat_map(|listed| &listed.best));
        nodes.extend(self.near.keys());
        // No index has no passage.
        nodes.push(0);
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    fn numbered(
        &self,
        nodes: &[u32],
        listed: &[Listed],
        numbers: Numbers,
    ) -> Result<Index, IndexError> {
        let whole = &self.whole;
        let count = nodes.partition_point(|node| !whole.is_name(*node));
        let passages: Arc<[u32]> = nodes[..count].into();
        let unseen = listed.iter().map(|listed| {
            let seen = shared(&passages, &listed.matched, |passage| *passage).count();
            listed.matched.len() - seen
        });
        let unseen: Vec<usize> = unseen.collect();
        let graph = self.graph(nodes, count, numbers);
        let index = Index {
            questions: self.questions(&passages),
            options: whole.options_of(self.reads.names),
            dense: self.dense(&passages)?,
            ..Index::bare(
                (whole.name.clone(), whole.fingerprint.clone()),
                self.passages(&passages, numbers),
                graph,
                self.lexical(&passages, &unseen),
            )
        };
        if let Some(layer) = self.layer(&index, &passages)? {
            index.add_layer(layer);
        }
        Ok(index)
    }

    /// Which passages have something, by the number of each that came in the whole.
    fn fetched<T>(
        &self,
        passages: &Arc<[u32]>,
        all: &BTreeMap<u32, T>,
        has: impl Fn(&T) -> bool,
    ) -> Fetched {
        let has = all.iter().filter(|(_, one)| has(one));
        let has = has.filter_map(|(own, _)| passages.binary_search(own).ok());
        Fetched {
            has: has.map(|at| at as u32).collect(),
            numbers: passages.clone(),
            among: self.whole.passages as usize,
            asked: self.asked.clone(),
        }
    }

    /// The vectors that came, and an encoder that knows the question.
    fn dense(&self, passages: &Arc<[u32]>) -> Result<Option<Dense>, IndexError> {
        let Some(made) = self.whole.vectors.as_ref().filter(|_| self.reads.vectors) else {
            return Ok(None);
        };
        let text = &*self.question.text;
        let vector = match &self.vector {
            Some(vector) => vector.clone(),
            None if text.is_empty() => vec![0.0; made.entry.identity.dims],
            // Without direction until the weights came.
            None => Static::of_some(&self.weights)?.question(text)?,
        };
        let identity = &made.entry.identity;
        let encoder = Given::stored(identity.clone(), vector.into(), &[text])?;
        let mut rows = VectorWriter::new(identity.clone(), made.whole);
        self.near.values().for_each(|row| rows.keep(Some(row)));
        let dense = Dense::of(&made.entry.encoder, Box::new(encoder), rows.finish()?);
        Ok(Some(dense.within(
            made,
            self.fetched(passages, &self.near, |_| true),
        )))
    }

    /// The sentences that came, with the graph of an index.
    fn layer(&self, index: &Index, passages: &Arc<[u32]>) -> Result<Option<HopLayer>, IndexError> {
        let made = self.whole.sentences.as_ref();
        let Some(identity) = made.filter(|_| self.reads.sentences) else {
            return Ok(None);
        };
        let spans = placed(passages.iter().copied(), &self.spans)
            .map(|spans| spans.map_or(&[][..], |spans| spans));
        let vectors = placed(passages.iter().copied(), &self.sentences)
            .map(|rows| rows.map(|rows| &rows[..]));
        let encoder = Static::of_some(&self.weights)?;
        Ok(Some(HopLayer::fetched(
            index.stored.clone(),
            (index.options.clone(), identity.clone(), encoder),
            spans.zip(vectors),
            self.fetched(passages, &self.sentences, |_| true),
        )?))
    }

    fn passages(&self, passages: &Arc<[u32]>, numbers: Numbers) -> Passages {
        fn text(own: Option<&Passage>) -> &str {
            let text = own.and_then(|own| own.text.as_deref());
            text.unwrap_or_default()
        }
        let all = || placed(passages.iter().copied(), &self.passages);
        let read = |own: &Passage| own.text.is_some();
        let titles = self.fetched(passages, &self.passages, |_| true);
        let twins = titles.all().iter().zip(self.passages.values());
        let twins = twins.filter(|(_, own)| own.twin);
        let twins: FxHashSet<usize> = twins.map(|(at, _)| *at as usize).collect();
        let known = titles.all().to_vec();
        Passages {
            twins: OnceLock::from(twins),
            came: (numbers == Numbers::Whole).then(|| Came {
                titles,
                texts: self.fetched(passages, &self.passages, read),
            }),
            ..Passages::of(
                all().map(|own| own.map_or("", |own| &own.id)).collect(),
                all().map(|own| own.map_or("", |own| &own.title)).collect(),
                all().map(text).collect(),
                known,
            )
        }
    }

    /// The question of a set, with as much of its gold as was fetched.
    fn questions(&self, passages: &[u32]) -> Vec<Question> {
        let own = |question: &Question| {
            let mut question = question.clone();
            question.gold.retain_mut(|gold| {
                let at = passages.binary_search(&gold.passage);
                at.map(|at| gold.passage = at as u32).is_ok()
            });
            question
        };
        let of_set = Some(&self.question).filter(|question| !question.id.is_empty());
        of_set.map(own).into_iter().collect()
    }

    fn graph(&self, nodes: &[u32], passages: usize, numbers: Numbers) -> EntityGraph {
        let place = |node: u32| match numbers {
            Numbers::Own => nodes.partition_point(|known| *known < node) as u32,
            Numbers::Whole => node,
        };
        let mut arcs: Vec<(u32, u32, u16)> = Vec::new();
        let mut degrees = vec![0; nodes.len()];
        let mut known = vec![false; nodes.len()];
        for (&node, row) in &self.rows {
            let from = place(node);
            degrees[from as usize] = row.len() as u32;
            known[from as usize] = true;
            for joined in row {
                let to = place(joined.node);
                degrees[to as usize] = joined.degree;
                arcs.extend([(from, to, joined.tf), (to, from, joined.tf)]);
            }
        }
        arcs.sort_unstable();
        arcs.dedup();
        let mut counts = vec![0; nodes.len()];
        arcs.iter().for_each(|arc| counts[arc.0 as usize] += 1);
        let (own, others) = nodes.split_at(passages);
        let names = || {
            let entities = others.iter().map(|node| node - self.whole.passages);
            placed(entities, &self.names)
        };
        let forms: Strings = names()
            .map(|name| name.map_or("", |name| &name.form))
            .collect();
        let (mut known_names, mut title_entity, mut title_passage) =
            <(Vec<u32>, Vec<u32>, Vec<u32>)>::default();
        for name in self.names.values() {
            let entity = place(self.whole.passages + name.entity) - passages as u32;
            known_names.push(entity);
            let titled = name.titled.iter();
            for passage in titled.filter_map(|titled| own.binary_search(titled).ok()) {
                title_entity.push(entity);
                title_passage.push(passage as u32);
            }
        }
        let mentions = placed(own.iter().copied(), &self.mentions).map(|mentions| {
            let mentions = mentions.map_or(&[][..], |own| own).iter();
            mentions
                .filter_map(|mention| self.mention(mention, others))
                .collect::<Vec<_>>()
        });
        EntityGraph {
            passages,
            labels: names()
                .map(|name| name.map_or("", |name| &name.label))
                .collect(),
            aliases: Aliases {
                names: self.aliases.keys().collect::<Strings>(),
                forms: self.aliases.values().collect::<Strings>(),
            },
            sorted: forms.order_of(known_names).into(),
            names: forms,
            offsets: starts(counts).into(),
            targets: arcs.iter().map(|arc| arc.1).collect::<Vec<_>>().into(),
            tf: arcs.iter().map(|arc| arc.2).collect::<Vec<_>>().into(),
            title_entity: title_entity.into(),
            title_passage: title_passage.into(),
            partial: Some(Arc::new(Partial {
                whole: self.whole.clone(),
                beyond: Beyond { known, degrees },
                asked: self.asked.clone(),
                numbers,
            })),
            ..EntityGraph::default()
        }
        .with_mentions(mentions)
    }

    /// A mention, where its name is here.
    fn mention(&self, mention: &Occurrence, names: &[u32]) -> Option<Occurrence> {
        let node = self.whole.passages + mention.entity;
        let entity = names.binary_search(&node).ok()? as u32;
        Some(Occurrence { entity, ..*mention })
    }

    /// Postings within the excerpt. So many passages match the words of each list beside it.
    fn lexical(&self, passages: &[u32], unseen: &[usize]) -> Lexical {
        let of_cut = |tokens| {
            let lists = self.reads.words.iter().zip(unseen);
            let mut own = lists.filter(|(deep, _)| deep.tokens == tokens);
            own.next().map_or(0, |(_, unseen)| *unseen)
        };
        let cuts = Tokens::ALL.map(|tokens| {
            let mut lengths = vec![0; passages.len()];
            let mut words = FxHashMap::default();
            for (word, postings) in &self.words[tokens as usize] {
                let mut own = Vec::new();
                for (at, posting) in shared(passages, postings, |posting| posting.passage) {
                    lengths[at] = posting.length;
                    own.push((at as u32, posting.tf));
                }
                words.insert(word.clone(), (postings.len() as u32, own));
            }
            Held {
                words,
                counts: self.counts[tokens as usize].clone(),
                lengths,
                average: self.average(tokens),
                unseen: of_cut(tokens),
            }
        });
        let whole = self.whole.passages as usize;
        let language = self.whole.options.language;
        Lexical::held(cuts, (passages.len(), whole), language, self.asked.clone())
    }
}
