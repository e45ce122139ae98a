//! What was fetched of an index for one question, as an index of its own: few passages and names, with the frequencies,
//! degrees and lengths of the whole. Its numbers ascend as those of the whole do, so ties fall as there.
//!
//! Whoever asks it for a name or a word that was not fetched finds none, and the excerpt remembers what it was asked for.

use super::entities::{Aliases, EntityGraph, Occurrence};
use super::lexical::{Bm25, ByWord, Held, postings_in};
use super::numbers::Numbers;
use super::passages::{Came, is_checksum};
use super::rows::{
    Called, HUB, Joined, NAMESAKES, Names, Passage, Posting, Related, Rows, Span, Wanted, Whole,
};
use super::source::Source;
use super::{Dense, HopLayer, Index, IndexError, Lexical, OwnGraph, Passages};
use crate::column::{Column, Strings};
use crate::corpus::{Question, full_text};
use crate::derived::once;
use crate::embed::fixed::pieces;
use crate::embed::vectors::{Row, top};
use crate::embed::{Encoder, Given, Static, VectorWriter};
use crate::graph::Beyond;
use crate::graph::rows::{no_counts, starts};
use crate::text::Tokens;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
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
    numbers: Arc<Numbers>,
    pub asked: Arc<Asked>,
}

impl Fetched {
    /// Passages of the whole.
    pub fn among(&self) -> usize {
        self.numbers.among() as usize
    }

    /// Whether it has the numbers of the whole.
    pub fn is_whole(&self) -> bool {
        self.numbers.is_whole()
    }

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
            let number = self.numbers.whole(passage);
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
    /// What another system says of its entities, by name, and what joins two of them.
    pub told: Option<Told>,
    numbers: Arc<Numbers>,
}

/// What came of another system's graph beside its names and their passages.
pub struct Told {
    pub kinds: Strings,
    pub about: Strings,
    /// By the numbers of names here.
    pub related: Vec<([u32; 2], Arc<Related>)>,
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Told({} relations)", self.related.len())
    }
}

impl Partial {
    /// Asks for all neighbours of a node, where they did not come.
    pub fn asks_for_neighbours(&self, node: u32) {
        if self.numbers.is_whole() && !self.beyond.knows(node as usize) {
            self.asked.note(|wanted| {
                wanted.nodes.insert(node);
            });
        }
    }

    /// Asks for the names of a form.
    pub fn asks_for_form(&self, form: &str) {
        self.asked.note(|wanted| {
            wanted.forms.insert(form.to_owned());
        });
    }

    /// Asks for what a name is called.
    pub fn asks_for_name(&self, entity: u32) {
        if self.numbers.is_whole() {
            self.asked.note(|wanted| {
                wanted.entities.insert(entity);
            });
        }
    }
}

/// Which passages words alone bring in: as many of the best as any list is deep.
#[derive(Clone, Debug, PartialEq)]
pub struct Deep {
    pub tokens: Tokens,
    pub constants: Bm25,
    /// Words of the question with their weights, in its order.
    pub words: Vec<(String, f64)>,
    pub most: usize,
}

/// What a question reads of an index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reads {
    /// The names it runs over.
    pub names: Names,
    /// Whether it compares vectors of passages, and of sentences.
    pub vectors: bool,
    pub sentences: bool,
    /// Its lists by words, that of the settings first.
    pub words: Vec<Deep>,
}

/// Passages by their words: the best, best first, and how many have one, or at least so many where not all passages of the
/// words came.
#[derive(Clone)]
struct Listed {
    best: Vec<u32>,
    matched: usize,
    /// What may change them: texts of passages, or common words with all of theirs.
    lacks: Wanted,
}

/// Whether lists lack nothing.
fn exact(listed: &[Listed]) -> bool {
    listed.iter().all(|listed| listed.lacks.is_empty())
}

/// Bytes that a passage with a word takes among those of the word; and what its text takes, for each of its words and since
/// it lies apart from others. The less of both is fetched.
const POSTING: f64 = 3.0;
const WORD: f64 = 8.0;
const APART: f64 = 1000.0;

/// Passages that are scored by their words at a time.
const SCORED: u32 = 1 << 15;

/// The arcs that came, row by row.
#[derive(Clone)]
struct Arcs {
    offsets: Column<u32>,
    targets: Column<u32>,
    tf: Column<u16>,
    beyond: Beyond,
}

/// What was fetched so far, by the numbers of the whole.
#[derive(Clone)]
pub struct Excerpt {
    whole: Arc<Whole>,
    reads: Reads,
    rows: BTreeMap<u32, Arc<[Joined]>>,
    /// The same by the numbers of the whole; unset since more came.
    arcs: OnceLock<Arcs>,
    /// The nodes of all rows and their neighbours, ascending.
    reached: Vec<u32>,
    names: BTreeMap<u32, Called>,
    /// What joins two names, in the order of these.
    related: BTreeMap<[u32; 2], Vec<Arc<Related>>>,
    aliases: BTreeMap<String, String>,
    forms: FxHashSet<String>,
    words: [FxHashMap<String, Arc<Vec<Posting>>>; Tokens::ALL.len()],
    /// Words of which no passages came, since so many have them: above are those whose texts are here.
    common: [BTreeSet<String>; Tokens::ALL.len()],
    counts: [FxHashMap<String, u32>; Tokens::ALL.len()],
    /// Lengths of passages by the numbers of the whole, as far as postings give them; unset since words came.
    lengths: [OnceLock<Column<u32>>; Tokens::ALL.len()],
    passages: BTreeMap<u32, Passage>,
    /// Identifiers that passages were asked for by.
    ids: FxHashSet<String>,
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
    /// See [`Excerpt::by_words`]; unset since words came.
    listed: OnceLock<Vec<Listed>>,
    question: Question,
    asked: Arc<Asked>,
    /// What could not be asked for.
    gone: Wanted,
    /// How many neighbours a node has at most that is followed, and those that came with more.
    hub: u32,
    hubs: FxHashSet<u32>,
}

/// An excerpt as an index, and the number of each of its passages and names in the whole.
pub struct Numbered {
    pub index: Arc<Index>,
    numbers: Arc<Numbers>,
}

impl Numbered {
    /// The number in the whole of a name, by its node.
    pub fn entity(&self, node: u32) -> u32 {
        self.whole(node) - self.numbers.among()
    }

    /// The number of a node in the whole.
    pub fn whole(&self, node: u32) -> u32 {
        self.numbers.whole(node)
    }

    /// The node of a number in the whole.
    pub fn node(&self, number: u32) -> Option<u32> {
        self.numbers.node(number)
    }
}

/// Numbers that ascend, with others among them.
fn united(mut own: Vec<u32>, mut more: Vec<u32>) -> Vec<u32> {
    more.sort_unstable();
    own.append(&mut more);
    // Two runs that ascend are merged.
    own.sort();
    own.dedup();
    own
}

impl Excerpt {
    /// Nothing yet, for a question.
    ///
    /// # Errors
    /// An encoder that is not here, and what whoever has the rows says.
    pub fn new(rows: &dyn Rows, question: &Question, reads: Reads) -> Result<Excerpt, IndexError> {
        let mut excerpt = Excerpt {
            question: question.clone(),
            hub: rows.hub().unwrap_or(HUB),
            ..Excerpt::empty(Arc::new(rows.whole().clone()))
        };
        excerpt.read(rows, reads)?;
        Ok(excerpt)
    }

    /// Nothing yet, for no question.
    fn empty(whole: Arc<Whole>) -> Excerpt {
        Excerpt {
            whole,
            reads: Reads::default(),
            rows: BTreeMap::new(),
            arcs: OnceLock::new(),
            reached: Vec::new(),
            names: BTreeMap::new(),
            related: BTreeMap::new(),
            aliases: BTreeMap::new(),
            forms: FxHashSet::default(),
            words: Default::default(),
            common: Default::default(),
            counts: Default::default(),
            lengths: Default::default(),
            passages: BTreeMap::new(),
            ids: FxHashSet::default(),
            mentions: BTreeMap::new(),
            spans: BTreeMap::new(),
            sentences: BTreeMap::new(),
            near: BTreeMap::new(),
            nearest: 0,
            vector: None,
            pieces: BTreeSet::new(),
            weights: Vec::new(),
            listed: OnceLock::new(),
            question: Question::default(),
            asked: Arc::default(),
            gone: Wanted::default(),
            hub: HUB,
            hubs: FxHashSet::default(),
        }
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
        if reads.words != self.reads.words {
            self.listed = OnceLock::new();
        }
        self.reads = reads;
        Ok(())
    }

    /// Its question.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Whether it was fetched for a question over these names.
    pub fn is_for(&self, question: &str, names: Names) -> bool {
        self.question.text == question && self.reads.names == names
    }

    /// What its question reads.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// What could not be asked for.
    pub fn gone(&self) -> &Wanted {
        &self.gone
    }

    /// From now on all nodes are followed, however many neighbours they have.
    pub fn follow_all(&mut self) {
        self.hub = u32::MAX;
        self.hubs.clear();
    }

    /// Whether a node has more neighbours than are followed, and did not come with them.
    pub fn is_hub(&self, node: u32) -> bool {
        self.hubs.contains(&node) && !self.rows.contains_key(&node)
    }

    /// How many nodes were fetched with their neighbours.
    pub fn nodes(&self) -> usize {
        self.rows.len()
    }

    /// These nodes, ascending.
    pub fn known(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows.keys().copied()
    }

    /// Whether it has words of which only the passages are known whose texts came.
    pub fn is_open(&self) -> bool {
        self.common.iter().any(|words| !words.is_empty())
    }

    /// What of this was not fetched yet, what decides which passages words bring in, and what the excerpt was asked for
    /// meanwhile.
    pub fn lacking(&self, mut of: Wanted) -> Wanted {
        let mut asked = self.asked.all();
        of.forms.append(&mut asked.forms);
        of.ids.append(&mut asked.ids);
        let nearest = asked.nearest.take();
        of.nearest = nearest.filter(|own| own.depth > self.nearest);
        of.extend(asked);
        if self.is_open() {
            let lists = self.listed().iter();
            lists.for_each(|listed| of.extend(listed.lacks.clone()));
        }
        // Names stand in sentences.
        of.nodes.extend(&of.sentences);
        of.pieces = match self.weights.is_empty() {
            true => self.pieces.clone(),
            false => BTreeSet::new(),
        };
        of.sentences.retain(|one| !self.sentences.contains_key(one));
        of.vectors.retain(|one| !self.near.contains_key(one));
        of.nodes
            .retain(|node| !self.rows.contains_key(node) && !self.hubs.contains(node));
        of.forms.retain(|form| !self.forms.contains(form));
        of.ids.retain(|id| !self.ids.contains(id));
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
        of.texts.retain(|one| self.is_unread(*one));
        of.titles
            .retain(|one| !self.passages.contains_key(one) && !of.texts.contains(one));
        of.remove(&mut self.gone.clone());
        of
    }

    /// Whether its lists by words lack nothing.
    pub fn lists_all(&self) -> bool {
        exact(self.listed())
    }

    /// The passages that were fetched with all their names, and the names that they have.
    pub fn names_of(&self, passages: impl Iterator<Item = u32>) -> BTreeSet<u32> {
        let rows = passages.filter_map(|passage| self.rows.get(&passage));
        let names = rows.flat_map(|row| row.iter()).map(|joined| joined.node);
        names.map(|node| node - self.whole.passages).collect()
    }

    /// Fetches what is lacking.
    ///
    /// # Errors
    /// What whoever has the rows says.
    pub fn fetch(&mut self, rows: &dyn Rows, mut lacks: Wanted) -> Result<(), IndexError> {
        let came = rows.fetch(self.reads.names, &lacks)?;
        if let Some(question) = came.question {
            self.question = question;
        }
        let own = came.joined.iter().map(|(node, _)| *node);
        let beside = came.joined.iter().flat_map(|(_, row)| row);
        let wide = beside.clone().filter(|joined| joined.degree > self.hub);
        self.hubs.extend(wide.map(|joined| joined.node));
        let nodes = own.chain(beside.map(|joined| joined.node));
        if !came.joined.is_empty() {
            self.arcs = OnceLock::new();
        }
        self.reached = united(std::mem::take(&mut self.reached), nodes.collect());
        let rows = came.joined.into_iter();
        self.rows.extend(rows.map(|(node, row)| (node, row.into())));
        self.names
            .extend(came.names.into_iter().map(|name| (name.entity, name)));
        // Where both ends were asked for, they came twice.
        for related in &came.related {
            self.related.remove(&related.ends);
        }
        for related in came.related {
            let known = self.related.entry(related.ends).or_default();
            known.push(related.into());
        }
        self.aliases.extend(came.aliases);
        self.forms.extend(lacks.forms);
        let mut worded = false;
        let counted = self.common.clone();
        for (cut, posted) in came.posted.into_iter().enumerate() {
            let (known, common) = (&mut self.words[cut], &mut self.common[cut]);
            let asked = std::mem::take(&mut lacks.words[cut]);
            worded |= !asked.is_empty() || !lacks.common[cut].is_empty();
            let counted = came.counts[cut].iter().map(|(word, _)| word);
            common.extend(counted.filter(|word| asked.contains(*word)).cloned());
            common.retain(|word| !lacks.common[cut].contains(word));
            // A word that nobody has is known to have no passage.
            known.extend(asked.into_iter().map(|word| (word, Arc::default())));
            for (word, own) in posted {
                common.remove(&word);
                known.insert(word, Arc::new(own));
            }
        }
        for (known, (asked, came)) in self
            .counts
            .iter_mut()
            .zip(lacks.counts.into_iter().zip(came.counts))
        {
            known.extend(asked.into_iter().map(|word| (word, 0)));
            known.extend(came);
        }
        self.ids.extend(lacks.ids);
        let mut read = BTreeSet::new();
        for (passage, own) in came.passages {
            if own.text.is_some() && self.is_unread(passage) {
                read.insert(passage);
            }
            // One that was looked up by its identifier may be here with its text.
            let known = self.passages.entry(passage).or_default();
            if own.text.is_some() || known.text.is_none() {
                *known = own;
            }
        }
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
        if worded || self.is_open() && !read.is_empty() {
            // Of lists that lacked nothing no text changes the best.
            let known = self.listed.get().filter(|_| !worded);
            if !known.is_some_and(|listed| exact(listed)) {
                self.listed = OnceLock::new();
            }
            self.count_common(&counted, &read);
            self.lengths = Default::default();
        }
        Ok(())
    }

    /// Whether the text of a passage did not come.
    fn is_unread(&self, passage: u32) -> bool {
        let own = self.passages.get(&passage);
        own.is_none_or(|own| own.text.is_none())
    }

    /// Counts common words in the texts that came: those that were `counted` before in the texts that were `read` since.
    fn count_common(
        &mut self,
        counted: &[BTreeSet<String>; Tokens::ALL.len()],
        read: &BTreeSet<u32>,
    ) {
        let language = self.whole.options.language;
        let text = |(passage, own): (&u32, &Passage)| {
            let text = own.text.as_ref()?;
            Some((*passage, full_text(&own.title, text)))
        };
        for tokens in Tokens::ALL {
            let common = &self.common[tokens as usize];
            let (old, new): (BTreeSet<String>, BTreeSet<String>) = common
                .iter()
                .cloned()
                .partition(|word| counted[tokens as usize].contains(word));
            let known = &mut self.words[tokens as usize];
            let texts = self.passages.iter().filter_map(text);
            let mut posted = postings_in(tokens, language, &new, texts);
            for word in new {
                let own = posted.remove(&word).unwrap_or_default();
                known.insert(word, Arc::new(own));
            }
            let texts = read.iter();
            let texts = texts.filter_map(|passage| self.passages.get_key_value(passage));
            for (word, own) in postings_in(tokens, language, &old, texts.filter_map(text)) {
                let known = Arc::make_mut(known.entry(word).or_default());
                known.extend(own);
                known.sort_by_key(|posting| posting.passage);
            }
        }
    }

    /// The lists by words.
    fn listed(&self) -> &[Listed] {
        let listed: &Vec<Listed> = once(&self.listed, || {
            let lists = self.reads.words.iter();
            lists.map(|deep| self.by_words(deep)).collect()
        });
        listed
    }

    /// Scores of all passages by the words of a list, as far as passages of these came, some passages at a time: what is read
    /// of each part, which begins with that passage.
    fn scored<T: Send>(&self, deep: &Deep, read: impl Fn(u32, &[f32]) -> T + Sync) -> Vec<T> {
        let known = &self.words[deep.tokens as usize];
        let (average, passages) = (self.average(deep.tokens), self.whole.passages);
        let words = deep.words.iter().filter_map(|(word, weight)| {
            let postings = known.get(word)?;
            let df = self.df(deep.tokens, word, postings);
            let idf = super::lexical::idf(passages as usize, df);
            Some((*weight, idf, &postings[..]))
        });
        let words: Vec<(f64, f64, &[Posting])> = words.collect();
        // A common word is in most passages: of all of them together the scores would take longer to write than to add up.
        let some = |sums: &mut Vec<f64>, at: u32| {
            let (from, to) = (at * SCORED, at.saturating_add(1).saturating_mul(SCORED));
            sums.clear();
            sums.resize(SCORED as usize, 0.0);
            for (weight, idf, postings) in &words {
                let start = postings.partition_point(|own| own.passage < from);
                let own = postings[start..].iter();
                for posting in own.take_while(|own| own.passage < to) {
                    let (tf, length) = (f64::from(posting.tf), f64::from(posting.length));
                    let tf = deep.constants.saturation(tf, length, average);
                    sums[(posting.passage - from) as usize] += weight * (tf * idf);
                }
            }
            let scores: Vec<f32> = sums.iter().map(|sum| *sum as f32).collect();
            read(from, &scores)
        };
        let parts = (0..passages.div_ceil(SCORED)).into_par_iter();
        parts.map_init(Vec::new, some).collect()
    }

    /// The passages that the words of a list bring in, and how many they match.
    fn by_words(&self, deep: &Deep) -> Listed {
        let parts = self.scored(deep, |from, scores| {
            let best = top(scores, deep.most).into_iter();
            let best = best.filter(|(_, score)| *score > 0.0);
            let best: Vec<(u32, f32)> = best.map(|(own, score)| (from + own, score)).collect();
            (scores.iter().filter(|score| **score > 0.0).count(), best)
        });
        let matched: usize = parts.iter().map(|(matched, _)| matched).sum();
        // Equal scores stand in the order of their passages.
        let best = parts.into_iter().flat_map(|(_, best)| best);
        let (passages, scores): (Vec<u32>, Vec<f32>) = best.unzip();
        let best = top(&scores, deep.most);
        let last = deep.most.checked_sub(1).and_then(|last| best.get(last));
        let last = last.map_or(0.0, |(_, score)| f64::from(*score));
        let place = |(place, _): &(u32, f32)| passages[*place as usize];
        Listed {
            lacks: self.lacks_of(deep, last),
            best: best.iter().map(place).collect(),
            matched: matched.max(self.matched_by_one(deep)),
        }
    }

    /// The words of a list of which not all passages came, with how many have each, rarest first.
    fn open<'a>(&self, deep: &'a Deep) -> Vec<(u32, &'a (String, f64))> {
        let (cut, tokens) = (deep.tokens as usize, deep.tokens);
        let words = deep.words.iter();
        let open = words.filter(|(word, _)| self.common[cut].contains(word));
        let open = open.map(|own| (self.df(tokens, &own.0, &[]), own));
        let mut open: Vec<_> = open.collect();
        open.sort_by_key(|(df, _)| *df);
        open
    }

    /// How many passages have the commonest word of a list whose passages did not all come.
    fn matched_by_one(&self, deep: &Deep) -> usize {
        let open = self.open(deep);
        open.last().map_or(0, |(df, _)| *df as usize)
    }

    /// What may change the best passages by the words of a list, the last of which has this score. A passage gains from a word
    /// less than its weight; so one that has only words which together weigh less is not among them, nor one that does not
    /// come near enough by its other words.
    fn lacks_of(&self, deep: &Deep, last: f64) -> Wanted {
        let (mut lacks, open) = (Wanted::default(), self.open(deep));
        let passages = self.whole.passages as usize;
        let gains = open.iter().map(|(df, (_, weight))| {
            let idf = super::lexical::idf(passages, *df);
            weight * idf
        });
        let gains: Vec<f64> = gains.collect();
        // What the words gain together without the rarest so many.
        let without = |rarest: usize| -> f64 { gains[rarest..].iter().sum() };
        // Scores are rounded; where fewer matched than are listed, the next may have a third of what is to be had.
        let last = match last > 0.0 {
            true => last * (1.0 - f64::from(f32::EPSILON)),
            false => without(0) / 3.0,
        };
        let mut rarest = (0..open.len())
            .find(|rarest| without(*rarest) < last)
            .unwrap_or(open.len());
        if rarest == 0 && !open.is_empty() {
            let near = self.near(deep, last - without(0));
            let texts = |rarest: &usize| {
                let near = near.iter().filter(|own| own.1 >= last - without(*rarest));
                near.count() as f64 * (APART + self.average(Tokens::Plain) * WORD)
            };
            let words = |rarest: &usize| {
                let words: f64 = open[..*rarest].iter().map(|own| f64::from(own.0)).sum();
                words * POSTING
            };
            let bytes = |rarest: &usize| words(rarest) + texts(rarest);
            let least = (0..=open.len()).min_by(|a, b| bytes(a).total_cmp(&bytes(b)));
            rarest = least.unwrap_or(0);
            if rarest == 0 {
                lacks.texts = near.into_iter().map(|own| own.0).collect();
            }
        }
        let common = open.iter().map(|(_, own)| own.0.clone());
        lacks.common[deep.tokens as usize] = common.take(rarest).collect();
        lacks
    }

    /// The passages whose texts did not come and that have such a score by the words of a list, or a better one.
    fn near(&self, deep: &Deep, least: f64) -> Vec<(u32, f64)> {
        let near = self.scored(deep, |from, scores| {
            let near = (from..).zip(scores.iter().map(|score| f64::from(*score)));
            let near = near.filter(|(_, score)| *score > 0.0 && *score >= least);
            let near = near.filter(|(passage, _)| self.is_unread(*passage));
            near.collect::<Vec<_>>()
        });
        near.concat()
    }

    /// How many passages have a word, of which these came.
    fn df(&self, tokens: Tokens, word: &str, postings: &[Posting]) -> u32 {
        let counts = &self.counts[tokens as usize];
        let count = counts.get(word).copied().unwrap_or(0);
        count.max(postings.len() as u32)
    }

    fn average(&self, tokens: Tokens) -> f64 {
        self.whole.words[tokens as usize] as f64 / f64::from(self.whole.passages.max(1))
    }

    /// Whether any passage of the whole has a word of a list.
    pub fn matches(&self, list: &Deep) -> bool {
        let known = &self.words[list.tokens as usize];
        let posted = (list.words.iter()).filter_map(|(word, _)| Some((word, known.get(word)?)));
        let mut counts = posted.map(|(word, postings)| self.df(list.tokens, word, postings));
        counts.any(|count| count > 0)
    }

    /// An index of what was fetched. While a question still `walks`, only the passages that words alone bring in have their
    /// words: walks begin there, and of all that they reach none is scored before they end.
    ///
    /// # Errors
    /// Vectors that are not of the index.
    pub fn index(&self, walks: bool) -> Result<Numbered, IndexError> {
        let listed = self.listed();
        let numbers = Arc::new(Numbers::own(self.came(listed), self.whole.passages));
        let index = self.of(&numbers, listed, walks)?;
        Ok(Numbered {
            index: Arc::new(index),
            numbers,
        })
    }

    /// An index of the graph alone, with the neighbours of some nodes: these weigh as much as in an index of all that came.
    ///
    /// # Errors
    /// As [`index`](Self::index).
    pub fn piece(&self, nodes: &BTreeSet<u32>) -> Result<Numbered, IndexError> {
        let rows = nodes
            .iter()
            .filter_map(|node| self.rows.get_key_value(node));
        let rows: BTreeMap<u32, Arc<[Joined]>> =
            rows.map(|(node, row)| (*node, row.clone())).collect();
        let beside = rows.values().flat_map(|row| row.iter());
        let reached = rows.keys().copied().chain(beside.map(|joined| joined.node));
        let piece = Excerpt {
            reads: Reads {
                names: self.reads.names,
                ..Reads::default()
            },
            reached: united(Vec::new(), reached.collect()),
            rows,
            related: self.related.clone(),
            ..Excerpt::empty(self.whole.clone())
        };
        piece.index(true)
    }

    /// The same with the numbers of the whole, for questions to an index that lies elsewhere.
    ///
    /// # Errors
    /// Vectors that are not of the index.
    pub(super) fn whole(&self, source: &Arc<Source>) -> Result<Numbered, IndexError> {
        let numbers = Arc::new(Numbers::Whole {
            passages: self.whole.passages,
            names: self.whole.names(self.reads.names),
        });
        let index = Index {
            questions: source.set.clone(),
            source: Some(source.clone()),
            ..self.of(&numbers, &[], false)?
        };
        Ok(Numbered {
            index: Arc::new(index),
            numbers,
        })
    }

    /// The nodes that came, and those that are named with them, ascending.
    fn came(&self, listed: &[Listed]) -> Vec<u32> {
        let whole = &self.whole;
        let names = self.names.values();
        let titled = names.flat_map(|name| name.titled.iter().take(NAMESAKES));
        let mut nodes: Vec<u32> = titled.copied().collect();
        nodes.extend(self.names.keys().map(|entity| whole.passages + entity));
        nodes.extend(self.passages.keys());
        nodes.extend(listed.iter().flat_map(|listed| &listed.best));
        nodes.extend(self.near.keys());
        // No index has no passage.
        nodes.push(0);
        united(self.reached.clone(), nodes)
    }

    fn of(
        &self,
        numbers: &Arc<Numbers>,
        listed: &[Listed],
        walks: bool,
    ) -> Result<Index, IndexError> {
        let whole = &self.whole;
        let worded = walks.then(|| {
            let best = listed.iter().flat_map(|listed| &listed.best);
            let best = united(Vec::new(), best.copied().collect());
            Numbers::own(best, whole.passages)
        });
        let (passages, (graph, lexical)) = rayon::join(
            || self.passages(numbers),
            || {
                rayon::join(
                    || self.graph(numbers),
                    || self.lexical(numbers, worded.as_ref(), listed),
                )
            },
        );
        let index = Index {
            questions: self.questions(numbers).into(),
            options: whole.options_of(self.reads.names),
            dense: self.dense(numbers)?,
            ..Index::bare(
                (whole.name.clone(), whole.fingerprint.clone()),
                passages,
                OwnGraph::built(graph),
                lexical,
            )
        };
        if let Some(layer) = self.layer(&index, numbers)? {
            index.add_layer(layer);
        }
        Ok(index)
    }

    /// Which passages have something, by the number of each that came in the whole.
    fn fetched<T>(
        &self,
        numbers: &Arc<Numbers>,
        all: &BTreeMap<u32, T>,
        has: impl Fn(&T) -> bool,
    ) -> Fetched {
        let has = numbers.passages_of(all).filter(|(_, one)| has(one));
        Fetched {
            has: has.map(|(at, _)| at).collect(),
            numbers: numbers.clone(),
            asked: self.asked.clone(),
        }
    }

    /// The vectors that came, and an encoder that knows the question.
    fn dense(&self, numbers: &Arc<Numbers>) -> Result<Option<Dense>, IndexError> {
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
        Ok(Some(
            dense.within(made, self.fetched(numbers, &self.near, |_| true)),
        ))
    }

    /// The sentences that came, with the graph of an index.
    fn layer(&self, index: &Index, numbers: &Arc<Numbers>) -> Result<Option<HopLayer>, IndexError> {
        let made = self.whole.sentences.as_ref();
        let Some(identity) = made.filter(|_| self.reads.sentences) else {
            return Ok(None);
        };
        let own = self.spans.iter().filter_map(|(passage, spans)| {
            let vectors = self.sentences.get(passage).map(|rows| &rows[..]);
            Some((numbers.node(*passage)? as usize, &spans[..], vectors))
        });
        let encoder = Static::of_some(&self.weights)?;
        Ok(Some(HopLayer::fetched(
            index.own.graph()?,
            (index.options.clone(), identity.clone(), encoder),
            own,
            self.fetched(numbers, &self.sentences, |_| true),
        )?))
    }

    fn passages(&self, numbers: &Arc<Numbers>) -> Passages {
        let own = || numbers.passages_of(&self.passages);
        let strings = |of: fn(&Passage) -> &str| {
            Strings::placed(numbers.passages(), own().map(|(at, own)| (at, of(own))))
        };
        let twins = own().filter(|(_, own)| own.twin);
        let twins: Vec<u32> = twins.map(|(at, _)| at).collect();
        Passages {
            twins: OnceLock::from(Column::from(twins)),
            came: Some(Came {
                titles: self.fetched(numbers, &self.passages, |_| true),
                texts: self.fetched(numbers, &self.passages, |own| own.text.is_some()),
            }),
            ..Passages::of(
                strings(|own| &own.id),
                strings(|own| &own.title),
                strings(|own| own.text.as_deref().unwrap_or_default()),
                own().map(|(at, _)| at).collect(),
            )
        }
    }

    /// The question of a set, with as much of its gold as was fetched.
    fn questions(&self, numbers: &Numbers) -> Vec<Question> {
        let own = |question: &Question| {
            let mut question = question.clone();
            question.gold.retain_mut(|gold| {
                let at = numbers.node(gold.passage);
                at.map(|at| gold.passage = at).is_some()
            });
            question
        };
        let of_set = Some(&self.question).filter(|question| !question.id.is_empty());
        of_set.map(own).into_iter().collect()
    }

    fn arcs(&self, numbers: &Numbers) -> Arcs {
        let reached = match numbers.is_whole() {
            true => self.reached.clone(),
            false => (0..numbers.nodes() as u32).collect(),
        };
        let mut degrees = vec![0; numbers.nodes()];
        let mut known = vec![false; numbers.nodes()];
        // Each stands one place later, as starts do below.
        let mut counts = no_counts(numbers.nodes() + 1);
        // Of another system's graph a relation is no mention.
        let given = self.whole.given.is_some();
        let mentions = |joined: &Joined| !given || joined.tf > 0;
        let rows = self.rows.par_iter().filter_map(|(&node, row)| {
            // What is joined came with what it is joined to.
            let beside = numbers.shared(row, |joined| joined.node);
            Some((numbers.node(node)?, beside.collect()))
        });
        let rows: Vec<(u32, Vec<(usize, &Joined)>)> = rows.collect();
        for (node, beside) in &rows {
            known[*node as usize] = true;
            let mentions = beside.iter().filter(|(_, joined)| mentions(joined));
            counts[*node as usize + 1] = mentions.count() as u32;
        }
        // Of a node whose own row did not come, those of its neighbours that came make one: nodes ascend, so it does.
        for (node, beside) in &rows {
            degrees[*node as usize] = beside.len() as u32;
            for (to, joined) in beside.iter().filter(|(to, _)| !known[*to]) {
                counts[*to + 1] += u32::from(mentions(joined));
                degrees[*to] = joined.degree;
            }
        }
        // Where the next arc of each row goes: at the end that is where the row ends.
        let arcs = counts.iter().map(|count| *count as usize).sum();
        let (mut targets, mut tf) = (vec![0; arcs], vec![0; arcs]);
        let mut ends = starts(counts);
        ends.pop();
        for (node, beside) in &rows {
            for (to, joined) in beside.iter().filter(|(_, joined)| mentions(joined)) {
                let mut put = |from: usize, to: u32| {
                    let place = &mut ends[from + 1];
                    targets[*place as usize] = to;
                    tf[*place as usize] = joined.tf;
                    *place += 1;
                };
                put(*node as usize, *to as u32);
                if !known[*to] {
                    put(*to, *node);
                }
            }
        }
        Arcs {
            offsets: ends.into(),
            targets: targets.into(),
            tf: tf.into(),
            beyond: Beyond::new(known, degrees, reached),
        }
    }

    fn graph(&self, numbers: &Arc<Numbers>) -> EntityGraph {
        let arcs = match numbers.is_whole() {
            true => once(&self.arcs, || self.arcs(numbers)).clone(),
            false => self.arcs(numbers),
        };
        let names = || {
            let names = self.names.values();
            names.filter_map(|name| Some((numbers.name(name.entity)?, name)))
        };
        let count = numbers.nodes() - numbers.passages();
        let strings = |of: fn(&Called) -> &str| {
            Strings::placed(count, names().map(|(at, name)| (at, of(name))))
        };
        let (mut title_entity, mut title_passage) = (Vec::new(), Vec::new());
        for (entity, name) in names() {
            let titled = name.titled.iter();
            for passage in titled.filter_map(|titled| numbers.node(*titled)) {
                title_entity.push(entity);
                title_passage.push(passage);
            }
        }
        // As far as they are of names that are here.
        let mention = |mention: &Occurrence| {
            let entity = numbers.name(mention.entity)?;
            Some(Occurrence { entity, ..*mention })
        };
        let mentions = numbers.passages_of(&self.mentions);
        let mentions = mentions.map(|(at, own)| (at as usize, own.iter().filter_map(mention)));
        let forms = strings(|name| &name.form);
        let joined = |related: &Arc<Related>| {
            let [source, target] = related.ends.map(|end| numbers.name(end));
            Some(([source?, target?], related.clone()))
        };
        let told = self.whole.given.as_ref().map(|_| Told {
            kinds: strings(|name| &name.kind),
            about: strings(|name| &name.about),
            related: self.related.values().flatten().filter_map(joined).collect(),
        });
        EntityGraph {
            passages: numbers.passages(),
            labels: strings(|name| &name.label),
            aliases: Aliases {
                names: self.aliases.keys().collect::<Strings>(),
                forms: self.aliases.values().collect::<Strings>(),
            },
            sorted: forms.order_of(names().map(|(at, _)| at).collect()).into(),
            names: forms,
            offsets: arcs.offsets,
            targets: arcs.targets,
            tf: arcs.tf,
            title_entity: title_entity.into(),
            title_passage: title_passage.into(),
            partial: Some(Arc::new(Partial {
                whole: self.whole.clone(),
                beyond: arcs.beyond,
                asked: self.asked.clone(),
                told,
                numbers: numbers.clone(),
            })),
            ..EntityGraph::default()
        }
        .with_mentions(mentions)
    }

    /// Postings within the excerpt: of some passages, where only they are to have their words.
    fn lexical(&self, numbers: &Numbers, worded: Option<&Numbers>, listed: &[Listed]) -> Lexical {
        // How many others match the first list of a cut.
        let unseen = |tokens, words: &ByWord| {
            let mut lists = self.reads.words.iter().enumerate();
            let Some((at, deep)) = lists.find(|(_, deep)| deep.tokens == tokens) else {
                return 0;
            };
            let by_one = || self.matched_by_one(deep);
            let matched = listed.get(at).map_or_else(by_one, |listed| listed.matched);
            if matched == 0 {
                return 0;
            }
            let mut seen = vec![false; numbers.passages()];
            let own = deep.words.iter().filter_map(|(word, _)| words.get(word));
            let own = own.flat_map(|(_, own)| own.iter());
            let first = |own: &&Posting| !std::mem::replace(&mut seen[own.passage as usize], true);
            let here = own.filter(first).count();
            matched.saturating_sub(here)
        };
        let cuts = Tokens::ALL.map(|tokens| {
            let words: Vec<_> = self.words[tokens as usize].iter().collect();
            let own = words.into_par_iter().map(|(word, postings)| {
                let read = |posting: &Posting| posting.passage;
                let shared = worded.map(|worded| worded.shared(postings, read));
                let worded = shared.map(|own| own.map(|(_, posting)| *posting).collect());
                let worded: Cow<'_, [Posting]> = worded.unwrap_or(Cow::Borrowed(postings));
                let own = |(at, posting): (usize, &Posting)| Posting {
                    passage: at as u32,
                    ..*posting
                };
                let own = match numbers.is_whole() {
                    true => postings.clone(),
                    false => Arc::new(numbers.shared(&worded, read).map(own).collect()),
                };
                (word.clone(), (self.df(tokens, word, postings), own))
            });
            let words: ByWord = own.collect::<Vec<_>>().into_iter().collect();
            let lengths = || {
                let mut lengths = vec![0; numbers.passages()];
                for posting in words.values().flat_map(|(_, own)| own.iter()) {
                    lengths[posting.passage as usize] = posting.length;
                }
                Column::from(lengths)
            };
            Held {
                unseen: unseen(tokens, &words),
                has_more: !self.common[tokens as usize].is_empty(),
                counts: self.counts[tokens as usize].clone(),
                lengths: match numbers.is_whole() {
                    true => once(&self.lengths[tokens as usize], lengths).clone(),
                    false => lengths(),
                },
                words,
                average: self.average(tokens),
            }
        });
        let whole = self.whole.passages as usize;
        let language = self.whole.options.language;
        let passages = numbers.passages();
        Lexical::held(cuts, (passages, whole), language, self.asked.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::rows::Here;
    use crate::index::sample;

    #[test]
    fn the_best_of_many_passages_are_the_best_of_all() {
        let index = sample::index().unwrap();
        let here = Here::of(&index).unwrap();
        let mut excerpt = Excerpt::new(&here, &Question::default(), Reads::default()).unwrap();
        excerpt.whole = Arc::new(Whole {
            passages: 3 * SCORED + 7,
            ..here.whole().clone()
        });
        let posted = |step: u32, tf: u32| {
            let own = (step..3 * SCORED + 7).step_by(step as usize);
            let own = own.map(move |passage| Posting {
                passage,
                tf: 1 + passage / 3 % tf,
                length: 20 + passage % 41,
            });
            Arc::new(own.collect::<Vec<_>>())
        };
        let words = [("common", posted(2, 4)), ("rare", posted(1_000, 3))];
        let known = &mut excerpt.words[Tokens::Plain as usize];
        known.extend((words.iter()).map(|(word, posted)| ((*word).to_owned(), posted.clone())));
        let mut deep = Deep {
            tokens: Tokens::Plain,
            constants: Bm25 { k1: 1.2, b: 0.75 },
            words: vec![
                ("common".into(), 1.0),
                ("none".into(), 1.0),
                ("rare".into(), 2.0),
            ],
            most: 40,
        };
        let mut scores: BTreeMap<u32, f64> = BTreeMap::new();
        for ((_, posted), weight) in words.iter().zip([1.0, 2.0]) {
            let idf = super::super::lexical::idf(3 * SCORED as usize + 7, posted.len() as u32);
            for own in posted.iter() {
                let (tf, length) = (f64::from(own.tf), f64::from(own.length));
                let average = excerpt.average(Tokens::Plain);
                let tf = deep.constants.saturation(tf, length, average);
                *scores.entry(own.passage).or_default() += weight * (tf * idf);
            }
        }
        let mut best: Vec<(u32, f32)> = scores.iter().map(|(p, s)| (*p, *s as f32)).collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1));
        for most in [0, 1, 40, 200, scores.len(), usize::MAX] {
            deep.most = most;
            let listed = excerpt.by_words(&deep);
            let wanted: Vec<u32> = best.iter().take(most).map(|own| own.0).collect();
            assert_eq!(listed.best, wanted, "{most}");
            assert_eq!(listed.matched, scores.len());
        }
    }
}
