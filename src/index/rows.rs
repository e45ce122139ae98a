//! What a question needs of an index, asked for by number and by name: the seam behind which an index may lie elsewhere. An
//! index in memory has it too, so that answers over rows are held against answers over the whole.

use super::dense::DenseEntry;
use super::entities::Occurrence;
use super::{Dense, EntityOptions, Index, IndexError};
use crate::corpus::{self, Corpus, Question};
use crate::embed::Kind;
use crate::embed::vectors::Row;
use crate::text::Tokens;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::ops::Range;

/// The vectors of an index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Encoded {
    /// Which encoder made them; they are searched exactly.
    pub entry: DenseEntry,
    /// Whether they are kept in int8.
    pub whole: bool,
}

impl Encoded {
    /// The row of such vectors that bytes are of.
    pub fn row(&self, bytes: &[u8]) -> Option<Row> {
        Row::of_bytes(bytes, self.entry.identity.dims, self.whole)
    }
}

/// An index by its sizes and what it was built with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Whole {
    pub name: String,
    pub fingerprint: String,
    pub passages: u32,
    pub entities: u32,
    /// Entity-passage edges, each once.
    pub edges: u64,
    pub options: EntityOptions,
    /// Words of all passages together, by the way words are cut.
    pub words: [u64; Tokens::ALL.len()],
    /// Questions of its set.
    pub questions: u32,
    /// None where no question can be compared with its passages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vectors: Option<Encoded>,
}

impl Whole {
    /// Whether a node is a name; the others are passages, which come first.
    pub fn is_name(&self, node: u32) -> bool {
        node >= self.passages
    }
}

/// One neighbour of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    pub node: u32,
    /// Mentions behind the edge.
    pub tf: u16,
    /// How many neighbours it has itself.
    pub degree: u32,
}

/// A name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    pub entity: u32,
    /// Its normal form.
    pub form: String,
    /// As first written.
    pub label: String,
}

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
    pub text: Option<Text>,
}

/// The text of a passage, and the names in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    pub mentions: Vec<Occurrence>,
}

/// The passages that are nearest to a vector, by their product with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    pub vector: Vec<f32>,
    pub depth: usize,
}

/// What is asked for at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Nodes, with all their neighbours.
    pub nodes: BTreeSet<u32>,
    /// Names that have one of some forms, or one that differs in accents or endings alone, with all their neighbours; and
    /// what the forms stand for.
    pub forms: BTreeSet<String>,
    /// Names by number.
    pub entities: BTreeSet<u32>,
    /// Words by the way they are cut, with the passages that have them.
    pub words: [BTreeSet<String>; Tokens::ALL.len()],
    /// The same, with the number of those passages alone.
    pub counts: [BTreeSet<String>; Tokens::ALL.len()],
    /// Identifiers and titles of passages.
    pub titles: BTreeSet<u32>,
    /// Passages with their texts.
    pub texts: BTreeSet<u32>,
    /// Passages near to a vector, with their own.
    pub nearest: Option<Nearest>,
}

impl Wanted {
    pub fn is_empty(&self) -> bool {
        *self == Wanted::default()
    }
}

/// What came of that, by what it was asked for.
#[derive(Clone, Debug, Default)]
pub struct Came {
    /// By node: its neighbours, ascending.
    pub joined: Vec<(u32, Vec<Joined>)>,
    pub names: Vec<Called>,
    /// Forms that stand for a title, each with the form of that; empty where several titles own it.
    pub aliases: Vec<(String, String)>,
    /// Passages that have a word, ascending.
    pub posted: [Vec<(String, Vec<Posting>)>; Tokens::ALL.len()],
    /// In how many passages a word is, where it is in any.
    pub counts: [Vec<(String, u32)>; Tokens::ALL.len()],
    pub passages: Vec<(u32, Passage)>,
    /// Vectors of passages.
    pub near: Vec<(u32, Row)>,
}

/// What a question needs of an index.
pub trait Rows: Send + Sync {
    /// Its sizes.
    fn whole(&self) -> &Whole;

    /// The question of its set that has this text or identifier, with its gold.
    ///
    /// # Errors
    /// What whoever has the rows says.
    fn question(&self, asked: &str) -> Result<Option<Question>, IndexError>;

    /// Questions of its set, by their places.
    ///
    /// # Errors
    /// What whoever has the rows says.
    fn questions(&self, places: Range<u32>) -> Result<Vec<Question>, IndexError>;

    /// The vector of a question, made by the encoder of the passages' vectors; none where these have none.
    ///
    /// # Errors
    /// An encoder that is not here, and what whoever has the rows says.
    fn vector(&self, question: &str) -> Result<Option<Vec<f32>>, IndexError>;

    /// All that is wanted, in one trip.
    ///
    /// # Errors
    /// What whoever has the rows says.
    fn fetch(&self, wanted: &Wanted) -> Result<Came, IndexError>;
}

/// Rows that are copied at a time.
const COPIED: u32 = 2000;

/// The passages and the questions of an index, to be built anew. `go_on` hears how many passages there are so far.
///
/// # Errors
/// What whoever has the rows says, and that it was stopped.
pub fn copy(rows: &dyn Rows, go_on: &dyn Fn(usize) -> bool) -> Result<Corpus, IndexError> {
    let whole = rows.whole();
    let parts = |count: u32| {
        let starts = (0..count).step_by(COPIED as usize);
        starts.map(move |start| start..count.min(start + COPIED))
    };
    let mut corpus = Corpus {
        name: whole.name.clone(),
        passages: Vec::with_capacity(whole.passages as usize),
        questions: Vec::with_capacity(whole.questions as usize),
    };
    for part in parts(whole.passages) {
        if !go_on(corpus.passages.len()) {
            return Err(IndexError::Cancelled);
        }
        let wanted = Wanted {
            texts: part.collect(),
            ..Wanted::default()
        };
        let mut came = rows.fetch(&wanted)?.passages;
        came.sort_unstable_by_key(|(passage, _)| *passage);
        let own = |(_, own): (u32, Passage)| corpus::Passage {
            id: own.id,
            title: own.title,
            text: own.text.unwrap_or_default().text,
        };
        corpus.passages.extend(came.into_iter().map(own));
    }
    for part in parts(whole.questions) {
        corpus.questions.extend(rows.questions(part)?);
    }
    Ok(corpus)
}

/// What is done with a word and its postings.
pub type EachWord<'a> = &'a mut dyn FnMut(&str, &[Posting]) -> Result<(), IndexError>;

/// Vectors that questions can be compared with; those that were given as files come with no encoder.
fn encoded(dense: &Dense) -> Option<Encoded> {
    let entry = DenseEntry {
        hnsw: None,
        ..dense.entry.clone()
    };
    (entry.identity.kind != Kind::File).then(|| Encoded {
        entry,
        whole: dense.vectors.is_whole(),
    })
}

/// An index that lies here, asked by rows.
pub struct Here<'a> {
    index: &'a Index,
    whole: Whole,
}

impl<'a> Here<'a> {
    pub fn of(index: &'a Index) -> Here<'a> {
        let total = |tokens| index.lexical.lengths(tokens).iter().map(|l| u64::from(*l));
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
        };
        Here { index, whole }
    }

    /// The same without its vectors.
    #[must_use]
    pub fn without_vectors(mut self) -> Here<'a> {
        self.whole.vectors = None;
        self
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

    /// What the word pieces weigh, where a table of pieces made the vectors.
    pub fn weights(&self) -> &[f32] {
        let weights = self.dense().and_then(|dense| dense.encoder.weights());
        weights.map_or(&[][..], |weights| weights.column())
    }

    /// The questions of its set.
    pub fn set(&self) -> &[Question] {
        &self.index.questions
    }

    pub fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        let aliases = &self.index.stored.aliases;
        aliases.names.iter().zip(aliases.forms.iter())
    }

    /// Every word with its postings.
    ///
    /// # Errors
    /// What the engine could not read, and what `each` says.
    pub fn each_word(&self, tokens: Tokens, each: EachWord<'_>) -> Result<(), IndexError> {
        self.index.lexical.each_word(tokens, each)
    }

    pub fn row(&self, node: u32) -> impl Iterator<Item = Joined> + '_ {
        let graph = &self.index.stored;
        let (targets, tf) = graph.row(node as usize);
        let arcs = targets.iter().zip(tf);
        arcs.map(|(&to, &tf)| Joined {
            node: to,
            tf,
            degree: graph.row(to as usize).0.len() as u32,
        })
    }

    pub fn name(&self, entity: u32) -> Called {
        let graph = &self.index.stored;
        Called {
            entity,
            form: graph.names.get(entity as usize).to_owned(),
            label: graph.labels.get(entity as usize).to_owned(),
        }
    }

    pub fn passage(&self, passage: u32, text: bool) -> Passage {
        let passages = &self.index.passages;
        let at = passage as usize;
        Passage {
            id: passages.id(at).to_owned(),
            title: passages.title(at).to_owned(),
            twin: passages.is_twin(at),
            text: text.then(|| Text {
                text: passages.text(at).to_owned(),
                mentions: self.index.stored.occurrences(at).collect(),
            }),
        }
    }
}

impl Rows for Here<'_> {
    fn whole(&self) -> &Whole {
        &self.whole
    }

    fn question(&self, asked: &str) -> Result<Option<Question>, IndexError> {
        Ok(self.index.question(asked).cloned())
    }

    fn questions(&self, places: Range<u32>) -> Result<Vec<Question>, IndexError> {
        let own = places.map(|place| self.index.questions[place as usize].clone());
        Ok(own.collect())
    }

    fn vector(&self, question: &str) -> Result<Option<Vec<f32>>, IndexError> {
        let vector = self.dense().map(|dense| dense.encoder.question(question));
        Ok(vector.transpose()?)
    }

    fn fetch(&self, wanted: &Wanted) -> Result<Came, IndexError> {
        let (graph, language) = (&self.index.stored, self.index.language());
        let found = wanted
            .forms
            .iter()
            .flat_map(|form| graph.alike_to(language, form));
        let found: BTreeSet<u32> = found.collect();
        let nodes = found.iter().map(|entity| self.whole.passages + entity);
        let nodes = nodes.chain(wanted.nodes.iter().copied());
        let alias = |form: &String| Some((form.clone(), graph.alias(form)?.to_owned()));
        let mut came = Came {
            joined: nodes.map(|node| (node, self.row(node).collect())).collect(),
            names: found
                .union(&wanted.entities)
                .map(|name| self.name(*name))
                .collect(),
            aliases: wanted.forms.iter().filter_map(alias).collect(),
            ..Came::default()
        };
        for tokens in Tokens::ALL {
            let cut = tokens as usize;
            for word in &wanted.words[cut] {
                let postings = self.index.lexical.postings_of(tokens, word);
                let postings = postings.map_err(|cause| IndexError::Lexical(cause.to_string()))?;
                came.posted[cut].push((word.clone(), postings));
            }
            for word in &wanted.counts[cut] {
                let count = self.index.lexical.count_of(tokens, word);
                let count = count.map_err(|cause| IndexError::Lexical(cause.to_string()))?;
                came.counts[cut].push((word.clone(), count));
            }
        }
        let titles = wanted.titles.iter().map(|&p| (p, self.passage(p, false)));
        let texts = wanted.texts.iter().map(|&p| (p, self.passage(p, true)));
        came.passages = titles.chain(texts).collect();
        if let (Some(nearest), Some(dense)) = (&wanted.nearest, self.dense()) {
            let (found, _) = dense.nearest(&nearest.vector, nearest.depth)?;
            let own = |(passage, _)| (passage, dense.vectors.own(passage));
            came.near = found.into_iter().map(own).collect();
        }
        Ok(came)
    }
}
