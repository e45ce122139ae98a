//! The answer of a language model to the question on screen, asked for by a person.

use super::{Doer, Job, News, Running, Tell};
use crate::explorer::action::{Action, Effect, Message, Then};
use crate::explorer::command::Command;
use crate::explorer::state::{Entry, FinderKind, Mode, State};
use crate::explorer::text::{clean, plural};
use crate::llm::Origin;
use crate::retrieve::reading::{self, Reading};
use crate::retrieve::{Keep, Settings};

/// Answers that are remembered, the newest last.
const KEPT: usize = 50;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Inquiry {
    pub question: String,
    pub settings: Settings,
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
#[derive(Clone, Debug, Default)]
pub struct Answering {
    pub running: Running<Inquiry>,
    pub kept: Vec<(Inquiry, Reply)>,
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

impl Job for Inquiry {
    type Part = Reply;
    const THREAD: &'static str = "answer";

    /// Retrieves and lets the model answer.
    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Reply>) -> Result<Option<Reply>, String> {
        let run = doer
            .retriever
            .retrieve(&self.question, &self.settings, Keep::Scores)
            .map_err(|error| error.to_string())?;
        let index = doer.retriever.index();
        let llm = index.llm();
        // A person asks: a server that was silent before may be there again.
        llm.again();
        let reading = Reading::of(index, &run);
        let made = reading::answer(&llm, &reading, &|| !tell.stopped());
        if tell.stopped() {
            return Ok(None);
        }
        let answer = made.map_err(|failure| clean(&failure.told()))?;
        let cited = answer.cited.iter().map(|&passage| Cited {
            passage,
            rank: run.rank(passage),
            id: clean(index.id(passage)),
            title: clean(&index.headed(passage)),
        });
        Ok(Some(Reply {
            text: clean(&answer.text),
            model: match &answer.made_by {
                Origin::Llm { model, .. } => clean(model),
                other => other.to_string(),
            },
            given: reading.given.len(),
            cited: cited.collect(),
            beside: answer.beside,
        }))
    }

    /// Keeps an answer, and shows it unless a person went on to something else meanwhile.
    fn heard(state: &mut State, news: News<Inquiry>) -> Vec<Effect> {
        if !state.answering.running.hear(news) {
            return Vec::new();
        }
        let (inquiry, reply) = match &state.answering.running {
            Running::Failed { why, .. } => {
                return state.say(Message::error(format!("no answer: {why}")));
            }
            Running::Over {
                request,
                latest: Some(reply),
            } => (request.clone(), reply.clone()),
            _ => return Vec::new(),
        };
        let text = match state.masked {
            true => HIDDEN,
            false => &*reply.text,
        };
        let said = match state.on_screen() {
            Some((question, _)) if question == inquiry.question => format!("answer: {text}"),
            // A person went on meanwhile.
            _ => format!("answer to '{}': {text}", inquiry.question),
        };
        state.message = Message::plain(said);
        let kept = &mut state.answering.kept;
        kept.push((inquiry, reply));
        let over = kept.len().saturating_sub(KEPT);
        kept.drain(..over);
        match matches!(state.mode, Mode::Browse) && state.reply().is_some() {
            true => vec![Effect::Then(Then::List(FinderKind::Answer))],
            false => Vec::new(),
        }
    }
}

/// Shows the answer to the question on screen, or asks for it.
pub fn begin(state: &mut State) -> Vec<Effect> {
    if state.reply().is_some() {
        return vec![Effect::Then(Then::List(FinderKind::Answer))];
    }
    let Some((question, settings)) = state.on_screen() else {
        return Vec::new();
    };
    let inquiry = Inquiry {
        question: question.to_owned(),
        settings: settings.clone(),
    };
    let model = state.facts.model.as_deref().unwrap_or_default();
    state.message = Message::plain(format!("asking {model} for an answer; Esc stops"));
    vec![state.answering.running.begin(inquiry)]
}

/// Stands for an answer where what passages say is hidden.
const HIDDEN: &str = "hidden; K shows it";

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
    let mut answer = Entry::note(text.to_owned(), format!("by {model}"));
    answer.heading = "Answer";
    let pieces = plural(*given, "piece");
    let used = match (cited.len(), beside) {
        (0, false) => "it cites no passage".to_owned(),
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
        let mut entry = Entry::plain(title, cited.id.clone(), Action::Passage(cited.passage));
        entry.heading = "From";
        entry.help = "Enter goes to the passage; it is marked in the list.".to_owned();
        entry
    });
    std::iter::once(answer).chain(cited).collect()
}
