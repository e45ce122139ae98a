//! The question on screen, answered as a whole.

use super::{Doer, Job, News, Running, Tell};
use crate::explorer::action::{Effect, Message};
use crate::explorer::scene::{Answer, Request};
use crate::explorer::state::State;
use crate::explorer::update::{ask, lesson, settings};

impl Job for Request {
    type Part = Answer;
    const THREAD: &'static str = "retrieval";

    fn run(&self, doer: &mut Doer, _: &Tell<'_, Answer>) -> Result<Option<Answer>, String> {
        let answer = doer.engine().answer(self);
        answer.map(Some).map_err(|error| error.to_string())
    }

    fn heard(state: &mut State, news: News<Request>) -> Vec<Effect> {
        if !state.asking.hear(news) {
            return Vec::new();
        }
        if let Running::Failed { why, .. } = &state.asking {
            let said = Message::error(why.clone());
            settings::take_back(state);
            state.message = said;
        }
        let Some(answer) = state.asking.latest().cloned() else {
            return Vec::new();
        };
        let mut effects = ask::answered(state, answer);
        effects.extend(lesson::advance(state));
        effects
    }
}
