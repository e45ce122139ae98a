//! Terminals disagree about how wide a cluster of several characters is: a Malayalam syllable, a flag, a family. Cells
//! that follow one are therefore put at their own place, so that a row goes wrong in one cell and not from there on.

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use std::iter::from_fn;

/// A backend that never trusts the terminal's cursor after such a cluster, nor a size that no terminal has.
#[derive(Debug)]
pub struct Steady<B>(pub B);

impl<B: Backend> Backend for Steady<B> {
    type Error = B::Error;

    fn draw<'a, I>(&mut self, content: I) -> Result<(), Self::Error>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        while content.peek().is_some() {
            let mut ended = false;
            // Each run begins by moving the cursor.
            let run = from_fn(|| {
                let next = (!ended).then(|| content.next()).flatten()?;
                ended = next.2.symbol().chars().nth(1).is_some();
                Some(next)
            });
            self.0.draw(run)?;
        }
        Ok(())
    }

    fn append_lines(&mut self, n: u16) -> Result<(), Self::Error> {
        self.0.append_lines(n)
    }

    fn hide_cursor(&mut self) -> Result<(), Self::Error> {
        self.0.hide_cursor()
    }

    fn show_cursor(&mut self) -> Result<(), Self::Error> {
        self.0.show_cursor()
    }

    fn get_cursor_position(&mut self) -> Result<Position, Self::Error> {
        self.0.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Self::Error> {
        self.0.set_cursor_position(position)
    }

    fn clear(&mut self) -> Result<(), Self::Error> {
        self.0.clear()
    }

    fn clear_region(&mut self, clear_type: ClearType) -> Result<(), Self::Error> {
        self.0.clear_region(clear_type)
    }

    fn size(&self) -> Result<Size, Self::Error> {
        self.0.size().map(super::drawn)
    }

    fn window_size(&mut self) -> Result<WindowSize, Self::Error> {
        self.0.window_size()
    }

    fn flush(&mut self) -> Result<(), Self::Error> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::backend::CrosstermBackend;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;

    #[test]
    fn what_follows_a_cluster_is_put_at_its_place() {
        let area = Rect::new(0, 0, 12, 1);
        let mut buffer = Buffer::empty(area);
        buffer.set_string(0, 0, "a ലയാb", ratatui::style::Style::default());
        let written = |text: &Buffer| {
            let mut bytes = Vec::new();
            let blank = Buffer::empty(area);
            let cells = blank.diff(text).into_iter();
            Steady(CrosstermBackend::new(&mut bytes))
                .draw(cells)
                .unwrap();
            String::from_utf8(bytes).unwrap()
        };
        // `യാ` is one cluster of two characters: the letter after it is moved to.
        let bytes = written(&buffer);
        let after = bytes.split("യാ").nth(1).unwrap();
        let place = buffer
            .content()
            .iter()
            .position(|c| c.symbol() == "b")
            .unwrap();
        assert!(
            after.contains(&format!("\u{1b}[1;{}H", place + 1)),
            "{bytes:?}"
        );
        // Plain text is written in one go.
        let mut plain = Buffer::empty(area);
        plain.set_string(0, 0, "plain", ratatui::style::Style::default());
        assert_eq!(written(&plain).matches('H').count(), 1);
    }
}
