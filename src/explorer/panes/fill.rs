//! Fitting styled text into lines.

use crate::explorer::text;
use crate::text::span;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Adds spans until a line is full; what no longer fits is left out whole. Used where order is importance.
pub struct Filling {
    pub line: Line<'static>,
    room: usize,
}

impl Filling {
    pub fn new(room: usize) -> Filling {
        Filling {
            line: Line::default(),
            room,
        }
    }

    /// Adds the spans when all of them fit. Says whether they did.
    pub fn add(&mut self, spans: Vec<Span<'static>>) -> bool {
        let width: usize = spans.iter().map(Span::width).sum();
        if width > self.room {
            return false;
        }
        self.room -= width;
        self.line.spans.extend(spans);
        true
    }

    pub fn room(&self) -> usize {
        self.room
    }
}

/// Puts groups of spans into lines of a width: a group is never broken, and following lines are indented.
pub fn packed(groups: Vec<Vec<Span<'static>>>, width: usize, indent: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> = Vec::new();
    let mut used = 0;
    for group in groups {
        let own: usize = group.iter().map(Span::width).sum();
        match lines.last_mut() {
            Some(line) if used + own <= width => {
                line.spans.extend(group);
                used += own;
            }
            last => {
                let indent = if last.is_some() { indent } else { 0 };
                let mut spans = vec![Span::raw(" ".repeat(indent))];
                spans.extend(group);
                lines.push(Line::from(spans));
                used = indent + own;
            }
        }
    }
    lines
}

/// Breaks spans into lines of a width, at spaces; following lines are indented.
pub fn flow(spans: Vec<Span<'static>>, width: usize, indent: usize) -> Vec<Line<'static>> {
    let mut whole = String::new();
    let mut styles: Vec<(usize, Style)> = Vec::new();
    for span in &spans {
        whole.push_str(&span.content);
        styles.push((whole.len(), span.style));
    }
    let first = text::wrap(&whole, width);
    let lines = match first.first() {
        Some(head) if first.len() > 1 && indent > 0 => {
            let rest = head.end..whole.len();
            let mut lines = vec![head.clone()];
            let shift = rest.start;
            lines.extend(
                text::wrap(span::of(&whole, rest), width.saturating_sub(indent))
                    .into_iter()
                    .map(|r| span::shift(&r, shift)),
            );
            lines
        }
        _ => first,
    };
    let style_at = |at: usize| {
        styles
            .iter()
            .find(|(end, _)| at < *end)
            .map_or(Style::default(), |(_, s)| *s)
    };
    lines
        .into_iter()
        .enumerate()
        .map(|(i, range)| {
            let mut out: Vec<Span<'static>> = Vec::new();
            if i > 0 && indent > 0 {
                out.push(Span::raw(" ".repeat(indent)));
            }
            let mut at = range.start;
            while at < range.end {
                let end = styles
                    .iter()
                    .map(|(end, _)| *end)
                    .find(|end| *end > at)
                    .unwrap_or(range.end)
                    .min(range.end);
                out.push(Span::styled(
                    span::of(&whole, at..end).to_owned(),
                    style_at(at),
                ));
                at = end;
            }
            Line::from(out)
        })
        .collect()
}
