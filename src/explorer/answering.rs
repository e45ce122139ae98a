//! The answer of a language model to the question on screen, asked for by a person and fetched on a thread of its own.

use super::palette;
use super::state::{Choice, Entry};
use super::text::{clean, plural};
use crate::explorer::command::Command;
use crate::index::Index;
use crate::llm::Origin;
use crate::retrieve::reading::{self, Reading};
use crate::retrieve::{Keep, Retriever, Settings};
use std::sync::Arc;

/// Answers that are remembered, the newest last.
pub const KEPT: usize = 50;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Inquiry {
    /// News of an older one is dropped.
    pub generation: u64,
    pub question: String,
    pub settings: Settings,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct News {
    pub generation: u64,
    /// None where it was stopped; else the answer, or why there is none.
    pub told: Option<Result<Reply, String>>,
}

/// An answer, and where it comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    pub text: String,
    pub model: String,
    /// Pieces of context it was given.
    pub given: usize,
    pub cited: Vec<Cited>,
    /// It used what the method says beside passages, too.
    pub beside: bool,
}

impl Reply {
    /// Whether it was made from a passage.
    pub fn cites(&self, passage: u32) -> bool {
        self.cited.iter().any(|cited| cited.passage == passage)
    }
}

/// A passage that an answer was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Cited {
    pub passage: u32,
    pub rank: Option<usize>,
    pub id: String,
    pub title: String,
}

/// Answers that were fetched, and the one that is being.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answering {
    pub running: Option<Inquiry>,
    pub kept: Vec<(Inquiry, Reply)>,
    /// How many were asked for.
    pub asked: u64,
}

impl Answering {
    /// What was answered to a question under settings.
    pub fn known(&self, question: &str, settings: &Settings) -> Option<&Reply> {
        let same = |(inquiry, _): &&(Inquiry, Reply)| {
            inquiry.question == question && inquiry.settings == *settings
        };
        self.kept.iter().rev().find(same).map(|(_, reply)| reply)
    }
}

/// Retrieves and lets the model answer, until it has or it is cancelled.
pub fn inquire(
    retriever: &mut Retriever,
    index: &Arc<Index>,
    inquiry: &Inquiry,
    cancelled: &dyn Fn() -> bool,
) -> News {
    let news = |told| News {
        generation: inquiry.generation,
        told,
    };
    let found = retriever.retrieve(&inquiry.question, &inquiry.settings, Keep::Scores);
    let run = match found {
        Ok(run) => run,
        Err(error) => return news(Some(Err(error.to_string()))),
    };
    let llm = index.llm();
    // A person asks: a server that was silent before may be there again.
    llm.again();
    let reading = Reading::of(index, &run);
    let made = reading::answer(&llm, &reading, &|| !cancelled());
    if cancelled() {
        return news(None);
    }
    news(Some(match made {
        Err(failure) => Err(clean(&failure.told())),
        Ok(answer) => {
            let cited = answer.cited.iter().map(|&passage| Cited {
                passage,
                rank: run.rank(passage),
                id: clean(index.id(passage)),
                title: clean(&index.headed(passage)),
            });
            Ok(Reply {
                text: clean(&answer.text),
                model: match &answer.made_by {
                    Origin::Llm { model, .. } => clean(model),
                    other => other.to_string(),
                },
                given: reading.given.len(),
                cited: cited.collect(),
                beside: answer.beside,
            })
        }
    }))
}

/// Stands for an answer where what passages say is hidden.
pub const HIDDEN: &str = "hidden, K shows it";

/// The answer, unless it is to be hidden, and the passages it cites, a line each.
pub fn entries(reply: &Reply, masked: bool) -> Vec<Entry> {
    let text = if masked { HIDDEN } else { &*reply.text };
    let Reply {
        text: _,
        model,
        given,
        cited,
        beside,
    } = reply;
    let mut answer = palette::plain(text.to_owned(), format!("by {model}"), Choice::Nothing);
    answer.heading = "Answer";
    let pieces = plural(*given, "piece");
    let used = match (cited.len(), beside) {
        (0, false) => "it names none that it used".to_owned(),
        (0, true) => "it used names and relations alone".to_owned(),
        (passages, false) => format!("it used {}", plural(passages, "passage")),
        (passages, true) => format!(
            "it used {}, names and relations",
            plural(passages, "passage")
        ),
    };
    answer.help = format!("{text} ({model} was given {pieces} of context: {used})");
    answer.shell = Command::Answer.shell();
    let cited = cited.iter().map(|cited| {
        let rank = cited.rank.map_or("-".to_owned(), |rank| rank.to_string());
        let title = format!("{rank}. {}", cited.title);
        let mut entry = palette::plain(title, cited.id.clone(), Choice::Passage(cited.passage));
        entry.heading = "From";
        entry.help = "Enter goes to the passage; it is marked in the list.".to_owned();
        entry
    });
    std::iter::once(answer).chain(cited).collect()
}
