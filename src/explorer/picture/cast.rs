//! Frames as an asciicast, version 2: a head, then a line for every frame with its time.

use super::ansi;
use ratatui::buffer::Buffer;
use serde_json::json;
use std::io::{self, Write};

/// A recording that is being written, frame by frame.
pub struct Cast<W: Write> {
    out: W,
    title: String,
    size: Option<(u16, u16)>,
    last: String,
}

impl<W: Write> Cast<W> {
    /// Nothing is written before the first frame, whose size the head holds.
    pub fn new(out: W, title: impl Into<String>) -> Cast<W> {
        Cast {
            out,
            title: title.into(),
            size: None,
            last: String::new(),
        }
    }

    /// Writes a frame that looks other than the one before; `seconds` count from the beginning.
    ///
    /// # Errors
    /// What the writer could not write.
    pub fn frame(&mut self, seconds: f64, buffer: &Buffer) -> io::Result<()> {
        let size = (buffer.area.width, buffer.area.height);
        let screen = ansi(buffer)
            .trim_end_matches('\n')
            .replace('\n', "\u{1b}[K\r\n");
        if screen == self.last && self.size == Some(size) {
            return Ok(());
        }
        match self.size {
            None => {
                let head = json!({"version": 2, "width": size.0, "height": size.1, "title": self.title,
                                  "env": {"TERM": "xterm-256color"}});
                writeln!(self.out, "{head}")?;
            }
            Some(before) if before != size => {
                let now = format!("{}x{}", size.0, size.1);
                writeln!(self.out, "{}", json!([seconds, "r", now]))?;
            }
            Some(_) => {}
        }
        // The cursor would stand at the end of every frame.
        let begin = if self.size.is_none() {
            "\u{1b}[?25l\u{1b}[2J"
        } else {
            ""
        };
        let shown = format!("{begin}\u{1b}[H{screen}\u{1b}[K");
        writeln!(self.out, "{}", json!([seconds, "o", shown]))?;
        self.out.flush()?;
        self.size = Some(size);
        self.last = screen;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn a_head_then_frames_that_differ() {
        let mut out = Vec::new();
        let mut cast = Cast::new(&mut out, "t");
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 2));
        cast.frame(0.0, &buffer).unwrap();
        cast.frame(0.5, &buffer).unwrap();
        buffer.set_string(0, 1, "ab", ratatui::style::Style::default());
        cast.frame(1.0, &buffer).unwrap();
        cast.frame(1.5, &Buffer::empty(Rect::new(0, 0, 5, 2)))
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(
            (lines[0]["width"].as_u64(), lines[0]["height"].as_u64()),
            (Some(4), Some(2))
        );
        let kinds: Vec<_> = lines[1..]
            .iter()
            .map(|line| (line[0].as_f64().unwrap(), line[1].as_str().unwrap()))
            .collect();
        assert_eq!(kinds, [(0.0, "o"), (1.0, "o"), (1.5, "r"), (1.5, "o")]);
        assert!(lines[2][2].as_str().unwrap().contains("\r\nab"));
    }
}
