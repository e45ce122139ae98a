//! A session that is recorded while it runs.

use super::{Caption, Cast, Moving};
use crate::explorer::theme::Theme;
use ratatui::buffer::Buffer;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const TITLE: &str = "hopscope";

/// A recording, in the form that the ending of its file names.
pub struct Recording {
    since: Instant,
    form: Form,
}

enum Form {
    /// Written frame by frame.
    Cast(Cast<Arc<File>>),
    /// Written at the end, which its frames depend on.
    Moving(Box<Moving>, Arc<File>),
}

impl Recording {
    /// Whether a file of this name can hold a recording.
    pub fn names(path: &Path) -> bool {
        path.extension()
            .is_some_and(|ending| ending == "cast" || ending == "svg")
    }

    /// Begins one. `moving` asks for an animated SVG instead of an asciicast.
    pub fn new(file: Arc<File>, moving: bool) -> Recording {
        Recording {
            since: Instant::now(),
            form: match moving {
                true => Form::Moving(Box::default(), file),
                false => Form::Cast(Cast::new(file, TITLE)),
            },
        }
    }

    /// Takes a frame.
    ///
    /// # Errors
    /// What could not be written, or that an SVG is full.
    pub fn frame(&mut self, buffer: &Buffer, theme: &Theme) -> Result<(), String> {
        let seconds = self.since.elapsed().as_secs_f64();
        match &mut self.form {
            Form::Cast(cast) => cast
                .frame(seconds, buffer)
                .map_err(|error| error.to_string()),
            Form::Moving(moving, _) => moving.frame(seconds, buffer, "", &caption(theme)),
        }
    }

    /// Ends it.
    ///
    /// # Errors
    /// What could not be written.
    pub fn end(self, theme: &Theme) -> Result<(), String> {
        let seconds = self.since.elapsed().as_secs_f64();
        match self.form {
            Form::Cast(_) => Ok(()),
            Form::Moving(moving, mut file) => {
                let picture = moving.svg(seconds, &caption(theme));
                let written = file.write_all(picture.as_bytes());
                written.map_err(|error| error.to_string())
            }
        }
    }
}

fn caption(theme: &Theme) -> Caption<'static> {
    Caption::new(TITLE, "A session in the explorer of hopscope", theme)
}
