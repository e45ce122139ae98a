//! What a question needs of an index, asked for by number and by name: the seam behind which an index may lie elsewhere. An
//! index in memory has it too, so that answers over rows are held against answers over the whole.

use super::dense::DenseEntry;
use super::entities::Occurrence;
use super::published::Spent;
use super::{Dense, EntityGraph, EntityOptions, HopLayer, Index, IndexError};
use crate::corpus::{self, Corpus, Question};
use crate::embed::fixed::is_of_table;
use crate::embed::vectors::Row;
use crate::embed::{Encoder, HnswOptions, Identity, Kind};
use crate::text::Tokens;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// The vectors of an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoded {
    /// Which encoder made them.
    pub entry: DenseEntry,
    /// What the small-world graph over them is built with, where there is one; without it they are searched exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<HnswOptions>,
    /// Whether they are kept in int8.
    pub whole: bool,
    /// Their mean, each number by its bits: as JSON writes numbers, the last of them could be another.
    mean: Vec<u64>,
}

impl Encoded {
    /// The row of such vectors that bytes are of.
    pub fn row(&self, bytes: &[u8]) -> Option<Row> {
        Row::of_bytes(bytes, self.entry.identity.dims, self.whole)
    }

    /// The mean of all vectors.
    pub fn mean(&self) -> Vec<f64> {
        self.mean.iter().copied().map(f64::from_bits).collect()
    }
}

/// Which names a question runs over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Those that the index was built with.
    #[default]
    Own,
    /// Those of hop's layer: titles of passages are among them.
    Titled,
}

impl Names {
    pub const ALL: [Names; 2] = [Names::Own, Names::Titled];
}

/// The graph of another system, where the names of an index are its entities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Theirs {
    /// The system, and which of its tables.
    pub system: String,
    pub generation: String,
    pub relations: usize,
    /// What relations weigh on average.
    pub weight: f64,
}

/// An index by its sizes and what it was built with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    pub name: String,
    pub fingerprint: String,
    pub passages: u32,
    pub entities: u32,
    /// Entity-passage edges, each once, and relations.
    pub edges: u64,
    pub options: EntityOptions,
    /// Words of all passages together, by the way words are cut.
    pub words: [u64; Tokens::ALL.len()],
    /// Questions of its set.
    pub questions: u32,
    /// None where no question can be compared with its passages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<Encoded>,
    /// What made the vectors of sentences, where hop's layer is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentences: Option<Identity>,
    /// Names of hop's layer, titles among them.
    pub titled: u32,
    /// None where names were found in the texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Theirs>,
}

impl Whole {
    /// Whether it has a graph of these names.
    pub fn has(&self, names: Names) -> bool {
        names == Names::Own || self.sentences.is_some() && !self.options.gazetteer
    }

    /// How many names the graph of these has.
    pub fn names(&self, names: Names) -> u32 {
        match names {
            Names::Titled if self.has(Names::Titled) => self.titled,
            _ => self.entities,
        }
    }

    /// What the graph of these names was built with.
    pub fn options_of(&self, names: Names) -> EntityOptions {
        EntityOptions {
            gazetteer: self.options.gazetteer || names == Names::Titled,
            ..self.options.clone()
        }
    }

    /// The names whose graph was built with these options.
    pub fn names_of(&self, options: &EntityOptions) -> Option<Names> {
        let built = |names: &Names| self.has(*names) && self.options_of(*names) == *options;
        Names::ALL.into_iter().find(built)
    }

    /// Whether a node is a name; the others are passages, which come first.
    pub fn is_name(&self, node: u32) -> bool {
        node >= self.passages
    }
}

/// One neighbour of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    pub node: u32,
    /// Mentions behind the edge; of two entities none.
    pub tf: u16,
    /// How many neighbours it has itself; 0 where that is not known.
    pub degree: u32,
}

/// A name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    pub entity: u32,
    /// Its normal form.
    pub form: String,
    /// As first written.
    pub label: String,
    /// The passages whose title it is, ascending, where titles are among the names.
    pub titled: Vec<u32>,
    /// What kind of thing an entity of another system is, and what that says of it.
    pub kind: String,
    pub about: String,
}

/// What joins two entities of another system.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// Their numbers among the names.
    pub ends: [u32; 2],
    pub label: String,
    pub about: String,
    pub weight: f32,
}

/// How many passages have a word at most that comes with them at once: of a more common one only the count comes, and those
/// are asked for where nothing else decides which passages are best.
pub const FEW: u32 = 1 << 15;

/// How many neighbours a node has at most that an answer follows a walk through, unless whoever has the rows says another
/// number: the row of one with more may be as long as all others of a question together.
pub const HUB: u32 = 1_000_000;

/// How many passages of one title a seed can name.
pub const NAMESAKES: usize = 5;

/// A passage that has a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    pub passage: u32,
    pub tf: u32,
    /// Words of the passage.
    pub length: u32,
}

/// A passage as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    pub id: String,
    pub title: String,
    /// Whether others have its title.
    pub twin: bool,
    /// None where only the rest was asked for.
    pub text: Option<String>,
}

/// Where a sentence stands in its passage's full text, in bytes.
pub type Span = Range<u32>;

/// The passages that are nearest to a vector, by their product with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    pub vector: Vec<f32>,
    pub depth: usize,
    /// How wide a small-world graph is searched; none compares all.
    pub beam: Option<usize>,
}

/// What is asked for at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// The question of its set that has this text or identifier.
    pub question: Option<String>,
    /// Nodes, with all their neighbours.
    pub nodes: BTreeSet<u32>,
    /// Names that have one of some forms, or one that differs in accents or endings alone, with all their neighbours; and
    /// what the forms stand for.
    pub forms: BTreeSet<String>,
    /// Names by number.
    pub entities: BTreeSet<u32>,
    /// Words by the way they are cut, with the passages that have them where these are few; else with their number.
    pub words: [BTreeSet<String>; Tokens::ALL.len()],
    /// The same, with all of those passages.
    pub common: [BTreeSet<String>; Tokens::ALL.len()],
    /// The same, with the number of those passages alone.
    pub counts: [BTreeSet<String>; Tokens::ALL.len()],
    /// Passages that have one of some identifiers, without their texts.
    pub ids: BTreeSet<String>,
    /// Identifiers and titles of passages.
    pub titles: BTreeSet<u32>,
    /// Passages with their texts, mentions and, where hop's layer is there, the places of their sentences.
    pub texts: BTreeSet<u32>,
    /// Passages with the places and vectors of their sentences, and mentions.
    pub sentences: BTreeSet<u32>,
    /// Passages near to a vector, with their own.
    pub nearest: Option<Nearest>,
    /// Passages with their vectors.
    pub vectors: BTreeSet<u32>,
    /// Word pieces, with what they weigh.
    pub pieces: BTreeSet<u32>,
}

impl Wanted {
    pub fn is_empty(&self) -> bool {
        *self == Wanted::default()
    }

    /// Whether it is neighbours of nodes and nothing else.
    pub fn is_of_nodes(&self) -> bool {
        let nodes = self.nodes.clone();
        let of_nodes = Wanted {
            nodes,
            ..Wanted::default()
        };
        !self.nodes.is_empty() && *self == of_nodes
    }

    /// Whether it is what passages and names say and are called, and nothing else.
    pub fn is_of_texts(&self) -> bool {
        let own = Wanted {
            entities: self.entities.clone(),
            titles: self.titles.clone(),
            texts: self.texts.clone(),
            ..Wanted::default()
        };
        *self == own
    }

    /// Its lists by number, and whether each is of names, which come behind passages where nodes are numbered.
    pub fn numbers(&mut self) -> [(&mut BTreeSet<u32>, bool); 7] {
        [
            (&mut self.nodes, false),
            (&mut self.entities, true),
            (&mut self.titles, false),
            (&mut self.texts, false),
            (&mut self.sentences, false),
            (&mut self.vectors, false),
            (&mut self.pieces, false),
        ]
    }

    /// Its lists of words, cut by cut.
    pub(super) fn by_word(&mut self) -> impl Iterator<Item = &mut BTreeSet<String>> {
        let Wanted {
            words,
            common,
            counts,
            ..
        } = self;
        words.iter_mut().chain(common).chain(counts)
    }

    /// How many numbers it lists.
    pub fn listed(&mut self) -> usize {
        let lists = self.numbers().into_iter();
        lists.map(|(list, _)| list.len()).sum()
    }

    /// Takes in another's lists by number, and its words.
    pub(super) fn extend(&mut self, mut other: Wanted) {
        for ((own, _), (other, _)) in self.numbers().into_iter().zip(other.numbers()) {
            own.append(other);
        }
        for (own, other) in self.by_word().zip(other.by_word()) {
            own.append(other);
        }
    }

    /// Leaves out another's lists by number.
    pub(super) fn remove(&mut self, gone: &mut Wanted) {
        for ((own, _), (gone, _)) in self.numbers().into_iter().zip(gone.numbers()) {
            own.retain(|one| !gone.contains(one));
        }
    }
}

/// What came of that, by what it was asked for.
#[derive(Clone, Debug, Default)]
pub struct Came {
    /// With its gold.
    pub question: Option<Question>,
    /// By node: its neighbours, ascending.
    pub joined: Vec<(u32, Vec<Joined>)>,
    pub names: Vec<Called>,
    /// All that joins two entities, of those whose neighbours were asked for.
    pub related: Vec<Related>,
    /// Forms that stand for a title, each with the form of that; empty where several titles own it.
    pub aliases: Vec<(String, String)>,
    /// Passages that have a word, ascending.
    pub posted: [Vec<(String, Vec<Posting>)>; Tokens::ALL.len()],
    /// In how many passages a word is, where it is in any; of a word whose passages were asked for, where not all came.
    pub counts: [Vec<(String, u32)>; Tokens::ALL.len()],
    pub passages: Vec<(u32, Passage)>,
    /// Names in a passage.
    pub mentions: Vec<(u32, Vec<Occurrence>)>,
    /// Sentences of a passage, and their vectors.
    pub spans: Vec<(u32, Vec<Span>)>,
    pub sentences: Vec<(u32, Vec<Row>)>,
    /// Vectors of passages: the nearest, and those that were asked for.
    pub near: Vec<(u32, Row)>,
    /// What word pieces weigh.
    pub pieces: Vec<(u32, f32)>,
    /// What could not be asked for, because whoever has it was not reached.
    pub gone: Wanted,
}

/// What a question needs of an index.
pub trait Rows: Send + Sync {
    /// Its sizes.
    fn whole(&self) -> &Whole;

    /// Questions of its set, by their places.
    ///
    /// # Errors
    /// What whoever has the rows says.
    fn questions(&self, places: Range<u32>) -> Result<Vec<Question>, IndexError>;

    /// The vector of a question, made by the encoder of the passages' vectors; none where these have none, or where the
    /// question's word pieces say it.
    ///
    /// # Errors
    /// An encoder that is not here, and what whoever has the rows says.
    fn vector(&self, question: &str) -> Result<Option<Vec<f32>>, IndexError>;

    /// What was spent on them since this was asked last; none where they lie here.
    fn spent(&self) -> Option<Spent> {
        None
    }

    /// Who could not be reached and was left out, where a partial answer was asked for.
    fn lost(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many neighbours a node has at most that an answer follows a walk through, in the place of [`HUB`]. Names of the
    /// question are always followed.
    fn hub(&self) -> Option<u32> {
        None
    }

    /// All that is wanted, in one trip. Nodes, forms and mentions are those of the graph of these names.
    ///
    /// # Errors
    /// What whoever has the rows says.
    fn fetch(&self, names: Names, wanted: &Wanted) -> Result<Came, IndexError>;
}

/// Rows that are copied at a time.
const COPIED: u32 = 2000;

fn parts(count: u32) -> impl Iterator<Item = Range<u32>> {
    let starts = (0..count).step_by(COPIED as usize);
    starts.map(move |start| start..count.min(start + COPIED))
}

/// The passages and the questions of an index, to be built anew. `go_on` hears how many passages there are so far.
///
/// # Errors
/// What whoever has the rows says, and that it was stopped.
pub fn copy(rows: &dyn Rows, go_on: &dyn Fn(usize) -> bool) -> Result<Corpus, IndexError> {
    let whole = rows.whole();
    let mut corpus = Corpus {
        name: whole.name.clone(),
        passages: Vec::with_capacity(whole.passages as usize),
        questions: Vec::new(),
    };
    for part in parts(whole.passages) {
        if !go_on(corpus.passages.len()) {
            return Err(IndexError::Cancelled);
        }
        let wanted = Wanted {
            texts: part.collect(),
            ..Wanted::default()
        };
        let mut came = rows.fetch(Names::Own, &wanted)?.passages;
        came.sort_unstable_by_key(|(passage, _)| *passage);
        let own = |(_, own): (u32, Passage)| corpus::Passage {
            id: own.id,
            title: own.title,
            text: own.text.unwrap_or_default(),
        };
        corpus.passages.extend(came.into_iter().map(own));
    }
    corpus.questions = set(rows)?;
    Ok(corpus)
}

/// The questions of an index.
///
/// # Errors
/// What whoever has the rows says.
pub fn set(rows: &dyn Rows) -> Result<Vec<Question>, IndexError> {
    let count = rows.whole().questions;
    let mut all = Vec::with_capacity(count as usize);
    for part in parts(count) {
        all.extend(rows.questions(part)?);
    }
    Ok(all)
}

/// What is done with a word and its postings.
pub type EachWord<'a> = &'a mut dyn FnMut(&str, &[Posting]) -> Result<(), IndexError>;

/// Vectors that questions can be compared with; those that were given as files come with no encoder.
fn encoded(dense: &Dense) -> Option<Encoded> {
    let entry = DenseEntry {
        hnsw: None,
        ..dense.entry.clone()
    };
    let near = dense.entry.hnsw.as_ref();
    (entry.identity.kind != Kind::File).then(|| Encoded {
        entry,
        near: near.map(|near| near.options.clone()),
        whole: dense.vectors.is_whole(),
        mean: dense.mean().iter().map(|x| x.to_bits()).collect(),
    })
}

/// Hop's layer, where the index has it. Its word pieces weigh what those of the passages' vectors do, where these are of the
/// table, too: whoever asks looks up each piece once.
fn layer_of(index: &Index) -> Result<Option<Arc<HopLayer>>, IndexError> {
    let layer = match index.layer::<HopLayer>() {
        Err(IndexError::NoLayer { .. }) => return Ok(None),
        layer => layer?,
    };
    let identity = index.dense().map(|dense| &dense.entry.identity);
    let other = identity.filter(|own| own.kind == Kind::Static);
    let same = other.is_none_or(|own| own == layer.encoder.identity());
    Ok(Some(layer).filter(|_| same))
}

/// An index that lies here, asked by rows.
pub struct Here<'a> {
    index: &'a Index,
    graph: Arc<EntityGraph>,
    layer: Option<Arc<HopLayer>>,
    whole: Whole,
    few: u32,
    hub: Option<u32>,
}

impl<'a> Here<'a> {
    /// # Errors
    /// A damaged graph or layer.
    pub fn of(index: &'a Index) -> Result<Here<'a>, IndexError> {
        let total = |tokens| index.lexical.lengths(tokens).iter().map(|l| u64::from(*l));
        let layer = layer_of(index)?;
        let whole = Whole {
            name: index.name.clone(),
            fingerprint: index.fingerprint.clone(),
            passages: index.len() as u32,
            entities: index.entities() as u32,
            edges: index.edges() as u64,
            options: index.options.clone(),
            words: Tokens::ALL.map(|tokens| total(tokens).sum()),
            questions: index.questions.len() as u32,
            vectors: index.dense().and_then(encoded),
            sentences: layer.as_ref().map(|own| own.encoder.identity().clone()),
            titled: layer.as_ref().map_or(0, |own| own.graph.entities() as u32),
            given: None,
        };
        Ok(Here {
            index,
            graph: index.entity_graph(index.options())?,
            layer,
            whole,
            few: FEW,
            hub: None,
        })
    }

    /// The same with words that fewer passages have sent with these.
    #[must_use]
    pub fn with_few(mut self, few: u32) -> Here<'a> {
        self.few = few;
        self
    }

    /// The same with answers that follow no node with more neighbours.
    #[must_use]
    pub fn with_hub(mut self, hub: u32) -> Here<'a> {
        self.hub = Some(hub);
        self
    }

    /// The same without its vectors.
    #[must_use]
    pub fn without_vectors(mut self) -> Here<'a> {
        self.whole.vectors = None;
        self
    }

    /// The same without a small-world graph, where vectors have more numbers than so many.
    #[must_use]
    pub fn without_graph_beyond(mut self, dims: usize) -> Here<'a> {
        if let Some(made) = &mut self.whole.vectors {
            made.near.take_if(|_| made.entry.identity.dims > dims);
        }
        self
    }

    /// The graph of these names.
    pub fn graph(&self, names: Names) -> &EntityGraph {
        match &self.layer {
            Some(layer) if names == Names::Titled => &layer.graph,
            _ => &self.graph,
        }
    }

    fn dense(&self) -> Option<&'a Dense> {
        let dense = self.index.dense();
        dense.filter(|_| self.whole.vectors.is_some())
    }

    /// Every vector, by passage.
    pub fn vectors(&self) -> impl Iterator<Item = Row> + '_ {
        let vectors = self.dense().map(|dense| &dense.vectors).into_iter();
        vectors.flat_map(|own| (0..own.len() as u32).map(|passage| own.own(passage)))
    }

    /// What the word pieces weigh, where a table of pieces made the vectors of sentences or of passages.
    pub fn weights(&self) -> &[f32] {
        let of_sentences = self.layer.as_ref().and_then(|own| own.encoder.weights());
        let of_passages = || self.dense().and_then(|dense| dense.encoder.weights());
        let weights = of_sentences.or_else(of_passages);
        weights.map_or(&[][..], |weights| weights.column())
    }

    /// The sentences of a passage, and their vectors.
    ///
    /// # Errors
    /// A vector of other bytes than were stored.
    pub fn sentences(&self, passage: u32) -> Result<(Vec<Span>, Vec<Row>), IndexError> {
        let layer = self.layer.iter();
        let own = layer.flat_map(|layer| {
            let sentences = layer.sentences(passage);
            sentences.map(|sentence| {
                let span = layer.span(sentence);
                Ok((span.start as u32..span.end as u32, layer.vector(sentence)?))
            })
        });
        own.collect()
    }

    /// The questions of its set.
    pub fn set(&self) -> &[Question] {
        &self.index.questions
    }

    pub fn aliases(&self, names: Names) -> impl Iterator<Item = (&str, &str)> {
        let aliases = &self.graph(names).aliases;
        aliases.names.iter().zip(aliases.forms.iter())
    }

    /// Every word with its postings.
    ///
    /// # Errors
    /// What the engine could not read, and what `each` says.
    pub fn each_word(&self, tokens: Tokens, each: EachWord<'_>) -> Result<(), IndexError> {
        self.index.lexical.each_word(tokens, each)
    }

    pub fn row(&self, names: Names, node: u32) -> impl Iterator<Item = Joined> + '_ {
        let graph = self.graph(names);
        let (targets, tf) = graph.row(node as usize);
        let arcs = targets.iter().zip(tf);
        arcs.map(|(&to, &tf)| Joined {
            node: to,
            tf,
            degree: graph.row(to as usize).0.len() as u32,
        })
    }

    pub fn name(&self, names: Names, entity: u32) -> Called {
        let graph = self.graph(names);
        Called {
            entity,
            form: graph.names.get(entity as usize).to_owned(),
            label: graph.labels.get(entity as usize).to_owned(),
            titled: graph.titled(entity).to_vec(),
            ..Called::default()
        }
    }

    /// The names in a passage.
    pub fn mentions(&self, names: Names, passage: u32) -> Vec<Occurrence> {
        self.graph(names).occurrences(passage as usize).collect()
    }

    pub fn id(&self, passage: u32) -> &str {
        self.index.passages.id(passage as usize)
    }

    pub fn passage(&self, passage: u32, text: bool) -> Passage {
        let passages = &self.index.passages;
        let at = passage as usize;
        Passage {
            id: passages.id(at).to_owned(),
            title: passages.title(at).to_owned(),
            twin: passages.is_twin(at),
            text: text.then(|| passages.text(at).to_owned()),
        }
    }
}

impl Rows for Here<'_> {
    fn whole(&self) -> &Whole {
        &self.whole
    }

    fn hub(&self) -> Option<u32> {
        self.hub
    }

    fn questions(&self, places: Range<u32>) -> Result<Vec<Question>, IndexError> {
        let own = places.map(|place| self.index.questions[place as usize].clone());
        Ok(own.collect())
    }

    fn vector(&self, question: &str) -> Result<Option<Vec<f32>>, IndexError> {
        match self.dense() {
            Some(dense) if !is_of_table(&dense.entry.identity)? => {
                Ok(Some(dense.encoder.question(question)?))
            }
            _ => Ok(None),
        }
    }

    fn fetch(&self, names: Names, wanted: &Wanted) -> Result<Came, IndexError> {
        let (graph, language) = (self.graph(names), self.index.language());
        let found = wanted
            .forms
            .iter()
            .flat_map(|form| graph.alike_to(language, form));
        let found: BTreeSet<u32> = found.collect();
        let nodes = found.iter().map(|entity| self.whole.passages + entity);
        let nodes = nodes.chain(wanted.nodes.iter().copied());
        let alias = |form: &String| Some((form.clone(), graph.alias(form)?.to_owned()));
        let asked = wanted.question.as_deref();
        let question = asked.and_then(|asked| self.index.question(asked));
        let mut came = Came {
            question: question.cloned(),
            joined: nodes
                .map(|node| (node, self.row(names, node).collect()))
                .collect(),
            names: found
                .union(&wanted.entities)
                .map(|name| self.name(names, *name))
                .collect(),
            aliases: wanted.forms.iter().filter_map(alias).collect(),
            ..Came::default()
        };
        for tokens in Tokens::ALL {
            let cut = tokens as usize;
            let count = |word: &String| {
                let count = self.index.lexical.count_of(tokens, word);
                let count = count.map_err(|cause| IndexError::Lexical(cause.to_string()));
                count.map(|count| (word.clone(), count))
            };
            let counted = wanted.words[cut].iter().map(count);
            let counted = counted.collect::<Result<Vec<_>, _>>()?.into_iter();
            let (few, many): (Vec<_>, _) = counted.partition(|(_, count)| *count <= self.few);
            let few = few.iter().map(|(word, _)| word);
            for word in few.chain(&wanted.common[cut]) {
                let postings = self.index.lexical.postings_of(tokens, word);
                let postings = postings.map_err(|cause| IndexError::Lexical(cause.to_string()))?;
                came.posted[cut].push((word.clone(), postings));
            }
            came.counts[cut] = many;
            for word in &wanted.counts[cut] {
                came.counts[cut].push(count(word)?);
            }
        }
        let titles = wanted.titles.iter().map(|&p| (p, self.passage(p, false)));
        let texts = wanted.texts.iter().map(|&p| (p, self.passage(p, true)));
        let ids = wanted.ids.iter();
        let ids = ids.filter_map(|id| self.index.passage_by_id(id));
        let named = ids.map(|p| (p, self.passage(p, false)));
        came.passages = named.chain(titles).chain(texts).collect();
        for &passage in wanted.texts.union(&wanted.sentences) {
            let (spans, vectors) = self.sentences(passage)?;
            came.mentions.push((passage, self.mentions(names, passage)));
            came.spans.push((passage, spans));
            if wanted.sentences.contains(&passage) {
                came.sentences.push((passage, vectors));
            }
        }
        let weights = self.weights();
        let weighed = |piece: &u32| Some((*piece, *weights.get(*piece as usize)?));
        came.pieces = wanted.pieces.iter().filter_map(weighed).collect();
        if let Some(dense) = self.dense() {
            let found = match &wanted.nearest {
                Some(own) => dense.found(own)?,
                None => Vec::new(),
            };
            let found = found.into_iter().map(|(passage, _)| passage);
            let asked = found.chain(wanted.vectors.iter().copied());
            came.near = asked.map(|own| (own, dense.vectors.own(own))).collect();
        }
        Ok(came)
    }
}
