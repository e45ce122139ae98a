//! Asking a language model for the answer.

use super::finder;
use crate::explorer::action::{Effect, Job, Message, Work};
use crate::explorer::answering::{HIDDEN, Inquiry, KEPT, News};
use crate::explorer::state::{FinderKind, Mode, State};

/// Shows the answer to the question on screen, or asks for it.
pub fn begin(state: &mut State) -> Vec<Effect> {
    if state.reply().is_some() {
        return finder::open(state, FinderKind::Answer);
    }
    let Some((question, settings)) = state.on_screen() else {
        return Vec::new();
    };
    let (question, settings) = (question.to_owned(), settings.clone());
    let answering = &mut state.answering;
    answering.asked += 1;
    let inquiry = Inquiry {
        generation: answering.asked,
        question,
        settings,
    };
    answering.running = Some(inquiry.clone());
    let model = state.facts.model.as_deref().unwrap_or_default();
    state.message = Message::plain(format!("answer: asking {model}, Esc stops"));
    vec![Effect::Work(Work::Inquire(Box::new(inquiry)))]
}

/// Keeps an answer, and shows it unless a person went on to something else meanwhile.
pub fn news(state: &mut State, news: News) -> Vec<Effect> {
    let current = |inquiry: &mut Inquiry| inquiry.generation == news.generation;
    let Some(inquiry) = state.answering.running.take_if(current) else {
        return Vec::new();
    };
    match news.told {
        None => {}
        Some(Err(said)) => state.message = Message::error(format!("no answer: {said}")),
        Some(Ok(reply)) => {
            let text = match state.masked {
                true => HIDDEN.to_owned(),
                false => reply.text.clone(),
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
            if matches!(state.mode, Mode::Browse) && state.reply().is_some() {
                return finder::open(state, FinderKind::Answer);
            }
        }
    }
    Vec::new()
}

/// Stops asking, because a person said so. None where nothing is asked.
pub fn stop(state: &mut State) -> Option<Vec<Effect>> {
    state.answering.running.take()?;
    state.message = Message::plain("stopped asking");
    Some(vec![Effect::Stop(Job::Replies)])
}
