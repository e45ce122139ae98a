//! What was fetched of an index for one question, as an index of its own: few passages and names, with the frequencies,
//! degrees and lengths of the whole. Its numbers ascend as those of the whole do, so ties fall as there.
//!
//! Whoever asks it for a name or a word that was not fetched finds none, and the excerpt remembers what it was asked for.

use super::entities::{Aliases, EntityGraph, Occurrence};
use super::lexical::{Bm25, Held};
use super::passages::is_checksum;
use super::rows::{Called, Joined, NAMESAKES, Names, Passage, Posting, Rows, Span, Wanted, Whole};
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
use std::sync::{Arc, Mutex, PoisonError};

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
    has: Vec<bool>,
    /// Their numbers in the whole.
    numbers: Vec<u32>,
    /// Passages of the whole.
    pub among: usize,
    pub asked: Arc<Asked>,
}

impl Fetched {
    pub fn has(&self, passage: u32) -> bool {
        self.has[passage as usize]
    }

    /// As [`has`](Self::has), and asks for what a passage lacks in this list.
    pub fn has_or_asks(
        &self,
        passage: u32,
        list: impl FnOnce(&mut Wanted) -> &mut BTreeSet<u32>,
    ) -> bool {
        let has = self.has(passage);
        if !has {
            let number = self.numbers[passage as usize];
            self.asked.note(|wanted| {
                list(wanted).insert(number);
            });
        }
        has
    }
}

/// What a graph of an excerpt knows of the whole.
#[derive(Debug)]
pub struct Partial {
    pub whole: Arc<Whole>,
    pub beyond: Beyond,
    pub asked: Arc<Asked>,
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

/// Passages by their words: the best, best first, and all that have one, ascending.
struct Listed {
    best: Vec<u32>,
    matched: Vec<u32>,
}

/// What was fetched so far, by the numbers of the whole.
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

/// An excerpt as an index, and the number of each of its passages and names in the whole.
pub struct Numbered {
    pub index: Arc<Index>,
    pub passages: Vec<u32>,
    pub entities: Vec<u32>,
    /// How many passages of the whole have a word of the question.
    pub matched: usize,
    whole: Arc<Whole>,
}

impl Numbered {
    /// The number in the whole of a name, by its node.
    pub fn entity(&self, node: u32) -> u32 {
        self.entities[node as usize - self.passages.len()]
    }

    /// The number of a node in the whole.
    pub fn whole(&self, node: u32) -> u32 {
        let node = node as usize;
        match node.checked_sub(self.passages.len()) {
            None => self.passages[node],
            Some(entity) => self.whole.passages + self.entities[entity],
        }
    }
}

impl Excerpt {
    /// Nothing yet, for a question.
    ///
    /// # Errors
    /// An encoder that is not here, and what whoever has the rows says.
    pub fn new(rows: &dyn Rows, question: &Question, reads: Reads) -> Result<Excerpt, IndexError> {
        let whole = rows.whole();
        let compares = reads.vectors && whole.vectors.is_some();
        let vector = match compares {
            true => rows.vector(&question.text)?,
            false => None,
        };
        let by_pieces = reads.sentences || compares && vector.is_none();
        let pieces = match by_pieces {
            true => pieces(&question.text)?.into_iter().collect(),
            false => BTreeSet::new(),
        };
        Ok(Excerpt {
            whole: Arc::new(whole.clone()),
            reads,
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
            vector,
            pieces,
            weights: Vec::new(),
            listed: None,
            question: question.clone(),
            asked: Arc::default(),
            gone: Wanted::default(),
        })
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
    pub fn lacking(&mut self, mut of: Wanted) -> Wanted {
        let asked = self.asked.all();
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
        of.remove(&mut self.gone);
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

    /// An index of what was fetched.
    ///
    /// # Errors
    /// Vectors that are not of the index.
    pub fn index(&mut self) -> Result<Numbered, IndexError> {
        let listed = self.listed.take();
        let lists = self.reads.words.iter();
        let listed = listed.unwrap_or_else(|| lists.map(|deep| self.by_words(deep)).collect());
        let numbered = self.numbered(&listed);
        self.listed = Some(listed);
        numbered
    }

    fn numbered(&self, listed: &[Listed]) -> Result<Numbered, IndexError> {
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
        let count = nodes.partition_point(|node| !whole.is_name(*node));
        let passages = nodes[..count].to_vec();
        let entities: Vec<u32> = nodes[count..]
            .iter()
            .map(|node| node - whole.passages)
            .collect();
        let unseen = listed.iter().map(|listed| {
            let seen = shared(&passages, &listed.matched, |passage| *passage).count();
            listed.matched.len() - seen
        });
        let unseen: Vec<usize> = unseen.collect();
        let graph = self.graph(&nodes, count);
        let index = Index {
            questions: self.questions(&passages),
            options: whole.options_of(self.reads.names),
            dense: self.dense(&passages)?,
            ..Index::bare(
                (whole.name.clone(), whole.fingerprint.clone()),
                self.passages(&passages),
                graph,
                self.lexical(&passages, &unseen),
            )
        };
        if let Some(layer) = self.layer(&index, &passages)? {
            index.add_layer(layer);
        }
        Ok(Numbered {
            index: Arc::new(index),
            passages,
            entities,
            matched: listed.first().map_or(0, |listed| listed.matched.len()),
            whole: whole.clone(),
        })
    }

    /// Which passages have something.
    fn fetched(&self, passages: &[u32], has: impl Fn(&u32) -> bool) -> Fetched {
        Fetched {
            has: passages.iter().map(has).collect(),
            numbers: passages.into(),
            among: self.whole.passages as usize,
            asked: self.asked.clone(),
        }
    }

    /// The vectors that came, and an encoder that knows the question.
    fn dense(&self, passages: &[u32]) -> Result<Option<Dense>, IndexError> {
        let Some(made) = self.whole.vectors.as_ref().filter(|_| self.reads.vectors) else {
            return Ok(None);
        };
        let text = &*self.question.text;
        let vector = match &self.vector {
            Some(vector) => vector.clone(),
            // Without direction until the weights came.
            None => Static::of_some(&self.weights)?.question(text)?,
        };
        let identity = &made.entry.identity;
        let encoder = Given::stored(identity.clone(), vector.into(), &[text])?;
        let mut rows = VectorWriter::new(identity.clone(), made.whole);
        let own = passages.iter().map(|passage| self.near.get(passage));
        own.for_each(|row| rows.keep(row));
        let dense = Dense::of(&made.entry.encoder, Box::new(encoder), rows.finish()?);
        let has = |passage: &u32| self.near.contains_key(passage);
        Ok(Some(dense.within(made, self.fetched(passages, has))))
    }

    /// The sentences that came, with the graph of an index.
    fn layer(&self, index: &Index, passages: &[u32]) -> Result<Option<HopLayer>, IndexError> {
        let made = self.whole.sentences.as_ref();
        let Some(identity) = made.filter(|_| self.reads.sentences) else {
            return Ok(None);
        };
        let own = |passage: &u32| {
            let spans = self.spans.get(passage).map_or(&[][..], |spans| spans);
            (spans, self.sentences.get(passage).map(|rows| &rows[..]))
        };
        let has = |passage: &u32| self.sentences.contains_key(passage);
        let encoder = Static::of_some(&self.weights)?;
        Ok(Some(HopLayer::fetched(
            index.stored.clone(),
            (index.options.clone(), identity.clone(), encoder),
            passages.iter().map(own),
            self.fetched(passages, has),
        )?))
    }

    fn passages(&self, numbers: &[u32]) -> Passages {
        let unread = Passage::default();
        let all: Vec<&Passage> = numbers
            .iter()
            .map(|number| self.passages.get(number).unwrap_or(&unread))
            .collect();
        let passages = Passages::of(
            all.iter().map(|passage| &passage.id).collect(),
            all.iter().map(|passage| &passage.title).collect(),
            all.iter()
                .map(|passage| passage.text.as_deref().unwrap_or_default())
                .collect(),
        );
        let twins = (0..all.len()).filter(|at| all[*at].twin).collect();
        // It was made now: nobody asked for its twins yet.
        let _ = passages.twins.set(twins);
        passages
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

    fn graph(&self, nodes: &[u32], passages: usize) -> EntityGraph {
        let place = |node: u32| nodes.partition_point(|known| *known < node) as u32;
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
        let unnamed = Called::default();
        let names: Vec<&Called> = nodes[passages..]
            .iter()
            .map(|node| self.names.get(&(node - self.whole.passages)))
            .map(|name| name.unwrap_or(&unnamed))
            .collect();
        let forms: Strings = names.iter().map(|name| &name.form).collect();
        let sorted = forms.order();
        let (own, others) = nodes.split_at(passages);
        let (mut title_entity, mut title_passage) = (Vec::new(), Vec::new());
        for (entity, name) in (0..).zip(&names) {
            let titled = name.titled.iter();
            for passage in titled.filter_map(|titled| own.binary_search(titled).ok()) {
                title_entity.push(entity);
                title_passage.push(passage as u32);
            }
        }
        let mentions = own.iter().map(|own| self.mentions(*own, others));
        EntityGraph {
            passages,
            names: forms,
            labels: names.iter().map(|name| &name.label).collect(),
            aliases: Aliases {
                names: self.aliases.keys().collect::<Strings>(),
                forms: self.aliases.values().collect::<Strings>(),
            },
            sorted: sorted.into(),
            offsets: starts(counts).into(),
            targets: arcs.iter().map(|arc| arc.1).collect::<Vec<_>>().into(),
            tf: arcs.iter().map(|arc| arc.2).collect::<Vec<_>>().into(),
            title_entity: title_entity.into(),
            title_passage: title_passage.into(),
            partial: Some(Arc::new(Partial {
                whole: self.whole.clone(),
                beyond: Beyond { known, degrees },
                asked: self.asked.clone(),
            })),
            ..EntityGraph::default()
        }
        .with_mentions(mentions)
    }

    /// The mentions of a passage that was read, as far as they are of names that are here.
    fn mentions(&self, passage: u32, names: &[u32]) -> Vec<Occurrence> {
        let mentions = self.mentions.get(&passage).map_or(&[][..], |own| own);
        let own = |mention: &Occurrence| {
            let node = self.whole.passages + mention.entity;
            let entity = names.binary_search(&node).ok()? as u32;
            Some(Occurrence { entity, ..*mention })
        };
        mentions.iter().filter_map(own).collect()
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
