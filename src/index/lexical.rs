//! Words: tantivy keeps the postings, this module scores them by the exact formula.
//!
//! The engine stores passage lengths in one byte, so its own BM25 differs from the formula and breaks ties by internal
//! order. Exact lengths are kept beside it, and scores are computed here from its postings and those lengths.

use super::IndexError;
use super::excerpt::Asked;
use super::passages::Passages;
use super::rows::{EachWord, Posting};
use crate::column::Column;
use crate::text::{Language, Tokens, span};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tantivy::directory::error::{OpenDirectoryError, OpenReadError, OpenWriteError};
use tantivy::directory::{Directory, MmapDirectory, RamDirectory};
use tantivy::indexer::merge_indices;
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{InvertedIndexReader, SegmentReader, TantivyDocument, TantivyError, Term};

/// Postings of the two word cuts and exact passage lengths.
pub struct Lexical {
    cuts: Vec<Cut>,
    passages: usize,
    /// How many passages words are rare among: those of the whole, where these are some of them.
    among: usize,
    language: Language,
}

/// One way of cutting words: its postings, and its lengths.
struct Cut {
    postings: Postings,
    lengths: Column<u32>,
    average: f64,
    /// What stands beside tf in the saturation, by passage, for the constants that were asked for last.
    norms: Mutex<Option<(Bm25, Arc<Vec<f64>>)>>,
    /// Passages that match the question and are not among these, and whether there are more of them.
    unseen: usize,
    has_more: bool,
}

enum Postings {
    /// The engine's, of all passages.
    Engine(Field, Arc<InvertedIndexReader>),
    /// Those that were fetched, by word, each with how many passages of the whole have it. A word that was not fetched is
    /// remembered.
    Held(ByWord, FxHashMap<String, u32>, Arc<Asked>),
}

/// Postings by word: how many passages of the whole have it, and those that are here.
pub type ByWord = FxHashMap<String, (u32, Arc<Vec<Posting>>)>;

/// What is fetched for one way of cutting words.
pub struct Held {
    pub words: ByWord,
    /// How many passages have a word, of those that were only counted.
    pub counts: FxHashMap<String, u32>,
    /// By passage.
    pub lengths: Column<u32>,
    /// Of the whole.
    pub average: f64,
    pub unseen: usize,
    pub has_more: bool,
}

/// Where a word's postings are.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    Engine(TermInfo),
    Held,
}

/// A word of a question, with what the index knows of it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Weighted {
    pub word: String,
    /// How often it stands in the question, or its weight in an expanded one.
    pub weight: f64,
    /// Passages that contain it.
    pub df: u32,
    pub idf: f64,
    /// Where its postings are; none for a word that no passage has.
    #[serde(skip)]
    place: Option<Place>,
}

/// The constants of BM25.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bm25 {
    pub k1: f64,
    pub b: f64,
}

impl Bm25 {
    /// The saturated word frequency: `tf / (tf + k1 (1 - b + b len/average))`, Lucene's form without (k1+1).
    pub fn saturation(self, tf: f64, length: f64, average: f64) -> f64 {
        tf / (tf + self.norm(length, average))
    }

    fn norm(self, length: f64, average: f64) -> f64 {
        self.k1 * (1.0 - self.b + self.b * length / average.max(1e-9))
    }
}

/// `ln(1 + (N - df + 0.5) / (df + 0.5))` of a word that `df` of `texts` texts have.
pub fn idf(texts: usize, df: u32) -> f64 {
    let (n, df) = (texts as f64, f64::from(df));
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
}

/// The words of a question in order of first appearance, and how often each stands there.
pub fn counted(tokens: Tokens, language: Language, text: &str) -> Vec<(String, f64)> {
    let mut words: Vec<(String, f64)> = Vec::new();
    tokens.each(language, text, |word| {
        match words.iter_mut().find(|w| w.0 == word) {
            Some(known) => known.1 += 1.0,
            None => words.push((word.to_owned(), 1.0)),
        }
    });
    words
}

/// The postings of some words in these texts, which come in the order of their passages.
pub fn postings_in(
    tokens: Tokens,
    language: Language,
    words: &BTreeSet<String>,
    texts: impl Iterator<Item = (u32, String)>,
) -> BTreeMap<String, Vec<Posting>> {
    let mut all: BTreeMap<String, Vec<Posting>> = BTreeMap::new();
    if words.is_empty() {
        return all;
    }
    for (passage, text) in texts {
        let (mut length, mut tf): (_, BTreeMap<&str, u32>) = (0, BTreeMap::new());
        tokens.each(language, &text, |word| {
            length += 1;
            if let Some(word) = words.get(word) {
                *tf.entry(word).or_default() += 1;
            }
        });
        for (word, tf) in tf {
            let own = Posting {
                passage,
                tf,
                length,
            };
            match all.get_mut(word) {
                Some(known) => known.push(own),
                None => drop(all.insert(word.to_owned(), vec![own])),
            }
        }
    }
    all
}

/// What the system did not let the engine do, where that is why it failed.
pub fn refused(error: &TantivyError) -> Option<io::Error> {
    let cause = match error {
        TantivyError::IoError(cause) => cause,
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) => io_error,
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => io_error,
        TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error, .. }) => io_error,
        _ => return None,
    };
    // Without the engine's words round it.
    let code = cause.raw_os_error().map(io::Error::from_raw_os_error);
    Some(code.unwrap_or_else(|| cause.kind().into()))
}

fn field_name(tokens: Tokens) -> &'static str {
    tokens.name()
}

fn schema() -> Schema {
    let mut builder = Schema::builder();
    for tokens in Tokens::ALL {
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(field_name(tokens))
            .set_index_option(IndexRecordOption::WithFreqs)
            .set_fieldnorms(false);
        builder.add_text_field(
            field_name(tokens),
            TextOptions::default().set_indexing_options(indexing),
        );
    }
    builder.build()
}

impl Lexical {
    /// Indexes all passages into a folder, or into memory without one. `progress` gets the number of passages done
    /// and stops the work by returning false.
    ///
    /// # Errors
    /// What the engine could not write.
    pub fn build(
        passages: &Passages,
        language: Language,
        folder: Option<&Path>,
        progress: impl Fn(usize) -> bool,
    ) -> tantivy::Result<Option<Lexical>> {
        let directory: Box<dyn Directory> = match folder {
            Some(folder) => Box::new(MmapDirectory::open(folder)?),
            None => Box::new(RamDirectory::create()),
        };
        let tokenizers = tantivy::tokenizer::TokenizerManager::new();
        // The engine cuts the words; the tokenizer tells how many there were, so that text is cut once.
        let counts = Tokens::ALL.map(|_| Arc::new(AtomicU32::new(0)));
        for (tokens, count) in Tokens::ALL.into_iter().zip(&counts) {
            tokenizers.register(field_name(tokens), Words(tokens, language, count.clone()));
        }
        let schema = schema();
        let fields: Vec<Field> = Tokens::ALL
            .iter()
            .map(|t| schema.get_field(field_name(*t)))
            .collect::<Result<_, _>>()?;
        // One segment, filled in order by one thread: the engine's document number is the passage number.
        let mut writer = tantivy::Index::builder()
            .schema(schema)
            .tokenizers(tokenizers)
            .single_segment_index_writer::<TantivyDocument>(directory, 64 << 20)?;
        let mut lengths = vec![Vec::with_capacity(passages.len()); Tokens::ALL.len()];
        for p in 0..passages.len() {
            if !progress(p) {
                return Ok(None);
            }
            let text = passages.full_text(p);
            let mut document = TantivyDocument::new();
            for field in &fields {
                document.add_text(*field, &text);
            }
            writer.add_document(document)?;
            for (lengths, count) in lengths.iter_mut().zip(&counts) {
                lengths.push(count.swap(0, Ordering::Relaxed));
            }
        }
        let engine = writer.finalize()?;
        Lexical::new(
            &engine,
            lengths.into_iter().map(Column::from).collect(),
            passages.len(),
            language,
        )
        .map(Some)
    }

    /// Joins the engines of parts of a corpus, in order, in a new folder.
    ///
    /// # Errors
    /// What the engine could not read or write.
    pub fn joined(
        parts: Vec<PathBuf>,
        lengths: Vec<Column<u32>>,
        passages: usize,
        language: Language,
        folder: &Path,
    ) -> tantivy::Result<Lexical> {
        let parts = parts.iter().map(tantivy::Index::open_in_dir);
        let parts = parts.collect::<tantivy::Result<Vec<_>>>()?;
        let directory: Box<dyn Directory> = Box::new(MmapDirectory::open(folder)?);
        // Documents stay in the order of the parts.
        let engine = merge_indices(&parts, directory)?;
        Lexical::new(&engine, lengths, passages, language)
    }

    /// Opens the engine's folder beside the exact lengths. The language is that of the passages: questions are cut like them.
    ///
    /// # Errors
    /// What the engine could not read.
    pub fn open(
        folder: &Path,
        lengths: Vec<Column<u32>>,
        passages: usize,
        language: Language,
    ) -> tantivy::Result<Lexical> {
        let engine = tantivy::Index::open_in_dir(folder)?;
        Lexical::new(&engine, lengths, passages, language)
    }

    fn new(
        engine: &tantivy::Index,
        lengths: Vec<Column<u32>>,
        passages: usize,
        language: Language,
    ) -> tantivy::Result<Lexical> {
        // The engine's own reader locks the folder against a writer, for which it writes into it. An index is written once,
        // and whoever may only read it may ask it.
        let segments = engine.searchable_segments()?;
        let segments = segments.iter().map(SegmentReader::open);
        let segments = segments.collect::<tantivy::Result<Vec<_>>>()?;
        let corrupt = |said: String| {
            TantivyError::DataCorruption(tantivy::error::DataCorruption::comment_only(said))
        };
        let mut cuts = Vec::new();
        for (tokens, lengths) in Tokens::ALL.into_iter().zip(lengths) {
            let field = engine.schema().get_field(field_name(tokens))?;
            let postings = match &segments[..] {
                [segment]
                    if segment.max_doc() as usize == passages && lengths.len() == passages =>
                {
                    segment.inverted_index(field)?
                }
                [] if passages == 0 => {
                    Arc::new(InvertedIndexReader::empty(IndexRecordOption::WithFreqs))
                }
                _ => {
                    return Err(corrupt(format!(
                        "the lexical index does not hold the {passages} passages beside it"
                    )));
                }
            };
            let total: u64 = lengths.iter().map(|l| u64::from(*l)).sum();
            let average = total as f64 / passages.max(1) as f64;
            cuts.push(Cut {
                postings: Postings::Engine(field, postings),
                lengths,
                average,
                norms: Mutex::default(),
                unseen: 0,
                has_more: false,
            });
        }
        Ok(Lexical {
            cuts,
            passages,
            among: passages,
            language,
        })
    }

    /// Of some passages out of many.
    pub(super) fn held(
        cuts: [Held; Tokens::ALL.len()],
        (passages, among): (usize, usize),
        language: Language,
        asked: Arc<Asked>,
    ) -> Lexical {
        let cut = |held: Held| Cut {
            postings: Postings::Held(held.words, held.counts, asked.clone()),
            lengths: held.lengths,
            average: held.average,
            norms: Mutex::default(),
            unseen: held.unseen,
            has_more: held.has_more,
        };
        Lexical {
            cuts: cuts.into_iter().map(cut).collect(),
            passages,
            among,
            language,
        }
    }

    fn cut(&self, tokens: Tokens) -> &Cut {
        &self.cuts[tokens as usize]
    }

    /// How many passages words are rare among: those of the whole, where these are some of them.
    pub fn among(&self) -> usize {
        self.among
    }

    /// Exact number of words of each passage.
    pub fn lengths(&self, tokens: Tokens) -> &Column<u32> {
        &self.cut(tokens).lengths
    }

    pub fn average_length(&self, tokens: Tokens) -> f64 {
        self.cut(tokens).average
    }

    /// The words of a question in order of first appearance, repeats counted.
    pub fn question(&self, tokens: Tokens, text: &str) -> io::Result<Vec<Weighted>> {
        let weighted = |(word, weight)| self.weighted(tokens, word, weight);
        let words = counted(tokens, self.language, text);
        words.into_iter().map(weighted).collect()
    }

    /// How many passages have a word.
    pub fn count_of(&self, tokens: Tokens, word: &str) -> io::Result<u32> {
        match &self.cut(tokens).postings {
            Postings::Engine(field, postings) => {
                let term = Term::from_field_text(*field, word);
                postings.doc_freq(&term)
            }
            Postings::Held(words, counts, asked) => {
                let posted = words.get(word).map(|(df, _)| *df);
                let known = posted.or_else(|| counts.get(word).copied());
                Ok(known.unwrap_or_else(|| {
                    asked.note(|lacks| {
                        lacks.counts[tokens as usize].insert(word.to_owned());
                    });
                    0
                }))
            }
        }
    }

    /// A word with what the index knows of it.
    pub fn weighted(&self, tokens: Tokens, word: String, weight: f64) -> io::Result<Weighted> {
        let (df, place) = match &self.cut(tokens).postings {
            Postings::Engine(field, postings) => {
                let term = Term::from_field_text(*field, &word);
                let place = postings.get_term_info(&term)?;
                let df = place.as_ref().map_or(0, |place| place.doc_freq);
                (df, place.map(Place::Engine))
            }
            Postings::Held(words, _, asked) => match words.get(&word) {
                Some((df, _)) => (*df, Some(Place::Held).filter(|_| *df > 0)),
                None => {
                    asked.note(|lacks| {
                        lacks.words[tokens as usize].insert(word.clone());
                    });
                    (0, None)
                }
            },
        };
        Ok(Weighted {
            word,
            weight,
            df,
            idf: idf(self.among, df),
            place,
        })
    }

    /// Calls `each` for every passage that has a word, in order.
    pub fn passages_with(
        &self,
        tokens: Tokens,
        word: &str,
        mut each: impl FnMut(u32),
    ) -> io::Result<()> {
        self.each_posting(tokens, word, |passage, _| each(passage))
    }

    fn each_posting(
        &self,
        tokens: Tokens,
        word: &str,
        mut each: impl FnMut(u32, u32),
    ) -> io::Result<()> {
        match &self.cut(tokens).postings {
            Postings::Engine(field, postings) => {
                let term = Term::from_field_text(*field, word);
                let block = postings.read_block_postings(&term, IndexRecordOption::WithFreqs)?;
                if let Some(mut block) = block {
                    each_posting(&mut block, each);
                }
            }
            Postings::Held(words, ..) => {
                let own = words.get(word).into_iter();
                let own = own.flat_map(|(_, own)| own.iter());
                own.for_each(|posting| each(posting.passage, posting.tf));
            }
        }
        Ok(())
    }

    /// The postings of a word, ascending.
    pub(super) fn postings_of(&self, tokens: Tokens, word: &str) -> io::Result<Vec<Posting>> {
        let (posting, mut all) = (self.posting(tokens), Vec::new());
        self.each_posting(tokens, word, |passage, tf| all.push(posting(passage, tf)))?;
        Ok(all)
    }

    fn posting(&self, tokens: Tokens) -> impl Fn(u32, u32) -> Posting {
        let lengths = self.lengths(tokens);
        move |passage, tf| Posting {
            passage,
            tf,
            length: lengths[passage as usize],
        }
    }

    /// Every word with its postings, in order of the words.
    pub(super) fn each_word(&self, tokens: Tokens, each: EachWord<'_>) -> Result<(), IndexError> {
        let Postings::Engine(_, postings) = &self.cut(tokens).postings else {
            return Ok(());
        };
        let failed = |said: io::Error| IndexError::Lexical(said.to_string());
        let posting = self.posting(tokens);
        let mut words = postings.terms().stream().map_err(failed)?;
        let mut all = Vec::new();
        while words.advance() {
            let place = words.value();
            let block =
                postings.read_block_postings_from_terminfo(place, IndexRecordOption::WithFreqs);
            all.clear();
            each_posting(&mut block.map_err(failed)?, |passage, tf| {
                all.push(posting(passage, tf));
            });
            each(&String::from_utf8_lossy(words.key()), &all)?;
        }
        Ok(())
    }

    /// How many passages match the question beside those that are here: none, unless this is an excerpt.
    pub fn unseen(&self, tokens: Tokens) -> usize {
        self.cut(tokens).unseen
    }

    /// Whether more may match it: not all passages of its words came.
    pub fn has_more(&self, tokens: Tokens) -> bool {
        self.cut(tokens).has_more
    }

    /// BM25 score of every passage, 0 where no word is shared. Words are added in the order given, in f64.
    pub fn scores(
        &self,
        tokens: Tokens,
        words: &[Weighted],
        constants: Bm25,
        scores: &mut Vec<f64>,
    ) -> io::Result<()> {
        scores.clear();
        scores.resize(self.passages, 0.0);
        let cut = self.cut(tokens);
        let norms = cut.norms(constants);
        let mut block: Option<BlockSegmentPostings> = None;
        for word in words {
            let (weight, idf) = (word.weight, word.idf);
            let add = |passage: u32, tf: u32| {
                let (passage, tf) = (passage as usize, f64::from(tf));
                scores[passage] += weight * (tf / (tf + norms[passage]) * idf);
            };
            match (&cut.postings, &word.place) {
                (Postings::Engine(_, postings), Some(Place::Engine(place))) => {
                    let block = match &mut block {
                        Some(block) => {
                            postings.reset_block_postings_from_terminfo(place, block)?;
                            block
                        }
                        none => none.insert(postings.read_block_postings_from_terminfo(
                            place,
                            IndexRecordOption::WithFreqs,
                        )?),
                    };
                    each_posting(block, add);
                }
                (Postings::Held(..), Some(Place::Held)) => {
                    self.each_posting(tokens, &word.word, add)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Cut {
    /// What stands beside tf in the saturation, by passage.
    fn norms(&self, constants: Bm25) -> Arc<Vec<f64>> {
        let mut known = self.norms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, norms)) = known.as_ref().filter(|(of, _)| *of == constants) {
            return norms.clone();
        }
        let norm = |length: &u32| constants.norm(f64::from(*length), self.average);
        let norms: Arc<Vec<f64>> = Arc::new(self.lengths.iter().map(norm).collect());
        *known = Some((constants, norms.clone()));
        norms
    }
}

fn each_posting(block: &mut BlockSegmentPostings, mut each: impl FnMut(u32, u32)) {
    loop {
        let docs = block.docs();
        if docs.is_empty() {
            return;
        }
        for (doc, tf) in docs.iter().zip(block.freqs()) {
            each(*doc, *tf);
        }
        block.advance();
    }
}

/// Hands our words to the engine, and adds how many there are.
#[derive(Clone)]
struct Words(Tokens, Language, Arc<AtomicU32>);

struct Stream {
    text: String,
    ends: Vec<usize>,
    at: usize,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Stream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream {
        let mut stream = Stream {
            text: String::with_capacity(text.len()),
            ends: Vec::new(),
            at: 0,
            token: Token::default(),
        };
        self.0.each(self.1, text, |word| {
            stream.text.push_str(word);
            stream.ends.push(stream.text.len());
        });
        self.2
            .fetch_add(stream.ends.len() as u32, Ordering::Relaxed);
        stream
    }
}

impl TokenStream for Stream {
    fn advance(&mut self) -> bool {
        let Some(&end) = self.ends.get(self.at) else {
            return false;
        };
        let start = if self.at == 0 {
            0
        } else {
            self.ends[self.at - 1]
        };
        self.token.text.clear();
        self.token.text.push_str(span::of(&self.text, start..end));
        self.token.position = self.at;
        self.at += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Passage;

    #[test]
    fn length_counts_as_far_as_b_says_whatever_was_asked_before() {
        let passage = |text: &str| Passage {
            id: text.into(),
            title: String::new(),
            text: text.into(),
        };
        let passages = ["whales sing", "whales sleep a while and sing again"].map(passage);
        let lexical = Lexical::build(&Passages::new(&passages), Language::English, None, |_| true);
        let lexical = lexical.unwrap().unwrap();
        let words = lexical.question(Tokens::Plain, "whales").unwrap();
        let mut scores = Vec::new();
        let mut scored = |k1, b| {
            let constants = Bm25 { k1, b };
            let done = lexical.scores(Tokens::Plain, &words, constants, &mut scores);
            done.unwrap();
            (scores[0], scores[1])
        };
        let (short, long) = scored(1.2, 1.0);
        assert!(short > long);
        let (short, long) = scored(1.2, 0.0);
        assert_eq!(short, long);
        let twice = lexical.question(Tokens::Plain, "Whales, whales").unwrap();
        assert_eq!((twice.len(), twice[0].weight), (1, 2.0));
        // A larger k1 saturates later: one mention counts less.
        assert!(scored(2.0, 0.0).0 < short);
    }
}
