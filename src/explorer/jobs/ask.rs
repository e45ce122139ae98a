//! The question on screen, answered as a whole.

use super::{Doer, Job, News, Running, Tell};
use crate::explorer::action::{Effect, Message, Then};
use crate::explorer::scene::{Answer, Request};
use crate::explorer::state::State;

impl Job for Request {
    type Part = Answer;
    const THREAD: &'static str = "retrieval";

    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Answer>) -> Result<Option<Answer>, String> {
        let going = || !tell.stopped();
        let answer = doer
            .engine()
            .answer_while(self, &|part| tell.part(part), &going);
        answer.map(Some).map_err(|error| error.to_string())
    }

    fn heard(state: &mut State, news: News<Request>) -> Vec<Effect> {
        if !state.asking.hear(news) {
            return Vec::new();
        }
        let mut next = Vec::new();
        if let Running::Failed { why, .. } = &state.asking {
            next.push(Then::TakeBack);
            next.push(Then::Told(Message::error(why.clone())));
        }
        next.extend(state.asking.latest().map(|_| Then::Answered));
        next.into_iter().map(Effect::Then).collect()
    }
}
