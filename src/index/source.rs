//! An index that lies elsewhere, as one that questions are asked: it has the numbers of the whole, and what they fetch of it.

use super::excerpt::{Excerpt, Numbered, Reads};
use super::rows::{self, Names, Rows, Wanted};
use super::{Index, IndexError};
use crate::corpus::Question;
use crate::text::count;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Questions whose rows are kept, at most.
const KEPT: usize = 4;
/// Nodes of their indexes together, beyond those of the last one: each has the numbers of the whole, forty bytes a node.
const NODES: usize = 1 << 23;

/// Times that something is made of what came, at most: each reads what the one before did not know of.
pub const ROUNDS: usize = 16;
/// Numbers that are fetched at a time because somebody reads them.
const ASKED: usize = 200_000;

/// Where an index lies, and what the last questions fetched of it.
pub struct Source {
    rows: Box<dyn Rows>,
    pub(super) set: Arc<[Question]>,
    /// Newest first.
    kept: Mutex<VecDeque<Arc<Kept>>>,
    /// What answers fetched that needed no index with the numbers of the whole, newest first.
    left: Mutex<VecDeque<Excerpt>>,
}

/// What was fetched for a question, and the index of it.
pub struct Kept {
    pub excerpt: Excerpt,
    pub numbered: Numbered,
    /// What whoever asked it last remembers, for the next one.
    memory: Mutex<Option<Memory>>,
}

/// What was fetched since, and whether walks are as they were.
pub struct More {
    pub kept: Arc<Kept>,
    pub walks: bool,
}

/// What somebody remembers of an index.
pub type Memory = Box<dyn Any + Send>;

impl Kept {
    /// Whether it was fetched for a question over these names.
    pub fn is_for(&self, question: &str, names: Names) -> bool {
        self.excerpt.is_for(question, names)
    }

    /// What was left here, if nobody took it since.
    pub fn remembered(&self) -> Option<Memory> {
        self.memory().take()
    }

    /// Leaves it for the next one.
    pub fn remember(&self, own: Memory) {
        *self.memory() = Some(own);
    }

    fn memory(&self) -> MutexGuard<'_, Option<Memory>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its index has the parts that this reads, and other lists by words lack nothing.
    pub fn has(&self, reads: &Reads) -> bool {
        let own = self.excerpt.reads();
        let parts = |reads: &Reads| (reads.names, reads.vectors, reads.sentences);
        parts(own) == parts(reads) && (own.words == reads.words || !self.excerpt.is_open())
    }
}

impl Source {
    /// An index that has nothing yet but the questions of its set.
    ///
    /// # Errors
    /// What whoever has the rows says.
    pub fn open(rows: Box<dyn Rows>) -> Result<Arc<Index>, IndexError> {
        let source = Arc::new(Source {
            set: rows::set(&*rows)?.into(),
            rows,
            kept: Mutex::default(),
            left: Mutex::default(),
        });
        Ok(source.nothing()?.whole(&source)?.index)
    }

    /// What came of no question.
    fn nothing(&self) -> Result<Excerpt, IndexError> {
        let whole = self.rows.whole();
        let reads = Reads {
            vectors: whole.vectors.is_some(),
            sentences: whole.sentences.is_some(),
            ..Reads::default()
        };
        Excerpt::new(self.rows(), &Question::default(), reads)
    }

    /// Makes something of an index again and again, until all that is read for that came.
    ///
    /// # Errors
    /// What whoever has the rows says.
    pub(super) fn read<T>(
        self: &Arc<Source>,
        mut make: impl FnMut(&Index) -> T,
    ) -> Result<T, IndexError> {
        let mut excerpt = self.nothing()?;
        let mut rounds = 0;
        loop {
            rounds += 1;
            let made = make(&excerpt.whole(self)?.index);
            let lacks = asked(&excerpt)?;
            if rounds == ROUNDS || lacks.is_empty() {
                return Ok(made);
            }
            excerpt.fetch(self.rows(), lacks)?;
        }
    }

    pub fn rows(&self) -> &dyn Rows {
        &*self.rows
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Arc<Kept>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was fetched for a question and left, if nobody took it since.
    pub fn take(&self, question: &str, names: Names) -> Option<Excerpt> {
        let mut left = self.left();
        let at = left.iter().position(|own| own.is_for(question, names))?;
        left.remove(at)
    }

    /// Leaves what was fetched for a question, for whoever asks it next.
    pub fn leave(&self, excerpt: Excerpt) {
        let mut left = self.left();
        left.push_front(excerpt);
        left.truncate(KEPT);
    }

    fn left(&self) -> MutexGuard<'_, VecDeque<Excerpt>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was fetched for a question.
    pub fn find(&self, question: &str, names: Names) -> Option<Arc<Kept>> {
        let kept = self.kept();
        kept.iter().find(|own| own.is_for(question, names)).cloned()
    }

    /// What the index of was made of.
    pub fn of(&self, index: &Arc<Index>) -> Option<Arc<Kept>> {
        let kept = self.kept();
        let mut own = kept.iter();
        own.find(|own| Arc::ptr_eq(&own.numbered.index, index))
            .cloned()
    }

    /// Keeps what was fetched for a question, with an index of it.
    ///
    /// # Errors
    /// Vectors that are not of the index.
    pub fn keep(self: &Arc<Source>, excerpt: Excerpt) -> Result<Arc<Kept>, IndexError> {
        let own = Arc::new(Kept {
            numbered: excerpt.whole(self)?,
            excerpt,
            memory: Mutex::default(),
        });
        let question = own.excerpt.question().text.clone();
        let mut kept = self.kept();
        kept.retain(|other| !other.is_for(&question, own.excerpt.reads().names));
        kept.push_front(own.clone());
        let nodes = own.numbered.index.len() + own.numbered.index.entities();
        kept.truncate((NODES / nodes.max(1)).clamp(1, KEPT));
        Ok(own)
    }

    /// Fetches what somebody read of an index that had not come; none where all had.
    ///
    /// # Errors
    /// What whoever has the rows says.
    pub fn complete(self: &Arc<Source>, kept: &Arc<Kept>) -> Result<Option<More>, IndexError> {
        let lacks = asked(&kept.excerpt)?;
        if lacks.is_empty() {
            return Ok(None);
        }
        let mut excerpt = kept.excerpt.clone();
        let walks = lacks.is_of_texts() && excerpt.lists_all();
        excerpt.fetch(self.rows(), lacks)?;
        let kept = self.keep(excerpt)?;
        Ok(Some(More { kept, walks }))
    }
}

/// What somebody read of an excerpt that had not come.
///
/// # Errors
/// It is so much that all of the index would come.
fn asked(excerpt: &Excerpt) -> Result<Wanted, IndexError> {
    let mut lacks = excerpt.lacking(Wanted::default());
    match lacks.listed() {
        0..=ASKED => Ok(lacks),
        more => {
            let more = count(more);
            let error = format!(
                "this reads {more} names and passages of an index in a database at once; copy the index first: hopscope index \
                 ADDRESS --out DIR"
            );
            Err(IndexError::Rows(error.into()))
        }
    }
}
