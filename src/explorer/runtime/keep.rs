//! The session of an index, written while one works and at the end.

use super::{KEEP, Loop};
use crate::explorer::action::Message;
use crate::explorer::store::{Folders, Session};
use crate::explorer::update::session;
use tokio::time::Instant as Clock;

impl Loop {
    /// What the session's file lacks, once something was done here: a start alone takes no place of an earlier session.
    fn unkept(&self) -> Option<(Folders, Session)> {
        let folders = self.app.folders.clone()?;
        let state = &self.app.state;
        let begun = state.session.len() > 1 || state.pins.by_hand || self.kept.is_none();
        let now = session::kept(state);
        let taught = state.lesson.is_some() || state.aside;
        let news = begun && !taught && self.kept.as_ref() != Some(&now);
        (news && !state.session.is_empty()).then_some((folders, now))
    }

    /// Writes the session where it changed, on a thread of its own: a slow disk stops no key.
    pub(super) fn keep_session(&mut self) {
        if self
            .saving
            .as_ref()
            .is_some_and(|saving| !saving.is_finished())
        {
            self.keeping = Some(Clock::now() + KEEP);
            return;
        }
        self.keeping = None;
        if let Some((folders, now)) = self.unkept() {
            self.kept = Some(now.clone());
            let own = self.app.state.facts.fingerprint.clone();
            let teller = self.teller.clone();
            self.saving = Some(tokio::task::spawn_blocking(move || {
                let saved = now.save(&folders, &own);
                if let Err(said) = &saved {
                    // The explorer may have been left meanwhile.
                    let _ = teller.blocking_send(Message::warning(said.clone()));
                }
                saved
            }));
        }
    }

    /// The same at the end, when there is time to wait.
    pub(super) async fn keep_last(&mut self) -> Result<(), String> {
        if let Some(saving) = self.saving.take() {
            let _ = saving.await;
        }
        match self.unkept() {
            Some((folders, now)) => now.save(&folders, &self.app.state.facts.fingerprint),
            None => Ok(()),
        }
    }
}
