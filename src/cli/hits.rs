//! Returned passages as `hopscope ask` prints them: rank, title, score, the place of the text that is about the question,
//! and one short reason.

use super::figures::percent;
use super::grid::{Grid, cells};
use crate::explorer::text::{cut, pad, pad_left, score, width, wrap};
use crate::index::Index;
use crate::output::{self, Output};
use crate::retrieve::explanation::{Combine, Explanation, Part};
use crate::retrieve::marks::{Mark, begin, pieces, question_words, snippet};
use crate::retrieve::{Hit, Node, Retrieval};
use crate::text::figures::signed;
use crate::text::span;
use ratatui::crossterm::terminal;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

/// Cells of a line where no terminal says how wide it is, and at most.
const WIDTH: usize = 100;
/// Before the text of a passage.
const INDENT: &str = "     ";
/// Lines of text.
const LINES: usize = 2;
/// Most parts of a score that a reason names, and that `--why` lists.
const NAMED: usize = 3;
const LISTED: usize = 12;
/// Cells of a reason that is short.
const SHORT: usize = 80;
/// Cells of an identifier at most.
const ID: usize = 32;

/// What the passages of one retrieval are printed with.
pub struct Hits<'a> {
    index: &'a Arc<Index>,
    retrieval: &'a Retrieval,
    words: BTreeSet<String>,
    seeds: BTreeMap<Node, usize>,
}

impl Hits<'_> {
    pub fn of<'a>(index: &'a Arc<Index>, retrieval: &'a Retrieval) -> Hits<'a> {
        let walk = retrieval.walk();
        let seeds = walk.map_or(&[][..], |walk| walk.seeds());
        Hits {
            index,
            retrieval,
            words: question_words(&retrieval.question),
            seeds: seeds.iter().map(|seed| (seed.node, 0)).collect(),
        }
    }

    /// The part of a passage that says most about the question, on one line, and what is marked in it.
    pub fn snippet(&self, passage: u32) -> (String, Vec<Mark>) {
        let (index, retrieval) = (self.index, self.retrieval);
        snippet(index, retrieval, passage, &self.seeds, &self.words)
    }

    /// Prints the list; with `parts` what each score is made of.
    pub fn print(&self, out: &mut Output, parts: bool) -> io::Result<()> {
        let wide = match output::is_terminal() {
            true => terminal::size().map_or(WIDTH, |(wide, _)| usize::from(wide).clamp(40, WIDTH)),
            false => WIDTH,
        };
        let top = self.retrieval.top();
        let ids = top.iter().map(|hit| width(self.index.id(hit.passage)));
        let ids = ids.max().unwrap_or(0).min(ID.min(wide / 3));
        for (at, hit) in top.iter().enumerate() {
            let title = wide.saturating_sub(INDENT.len() + 9 + 2 + ids);
            let headed = pad(&self.index.headed(hit.passage), title);
            let (rank, score) = (at + 1, pad_left(&score(hit.score.into()), 9));
            let id = cut(self.index.id(hit.passage), wide / 2);
            writeln!(out, "{rank:>3}  {headed}{score}  {id}")?;
            self.text(out, hit, wide - INDENT.len())?;
            let opened = parts.then(|| self.retrieval.explain(self.index, hit.passage));
            let reason = self.reason(hit.passage, opened.as_ref());
            writeln!(out, "{INDENT}{}", cut(&reason, wide - INDENT.len()))?;
            if let Some(opened) = &opened {
                write!(out, "{}", listed(opened))?;
            }
        }
        Ok(())
    }

    /// Two lines of a passage's text.
    fn text(&self, out: &mut Output, hit: &Hit, wide: usize) -> io::Result<()> {
        let (text, marks) = self.snippet(hit.passage);
        let start = begin(&text, &marks, LINES * wide);
        for line in lines(span::of(&text, start..), wide) {
            let (range, more) = line;
            write!(out, "{INDENT}")?;
            for (piece, mark) in pieces(&text, start + range.start..start + range.end, &marks) {
                match mark {
                    Some(_) => out.strong(piece)?,
                    None => write!(out, "{piece}")?,
                }
            }
            writeln!(out, "{}", if more { " ..." } else { "" })?;
        }
        Ok(())
    }

    /// Why a passage is here, in a few words: the parts that are most of its score, and its way from a seed. `opened` is what
    /// its score is made of, where that is known; else no more of it is found than the words need.
    pub fn reason(&self, passage: u32, opened: Option<&Explanation>) -> String {
        let way = self.way(passage);
        let brief = || self.retrieval.brief(self.index, passage);
        let own = opened.map_or_else(|| Cow::Owned(brief()), Cow::Borrowed);
        let parts = match () {
            // What seeds paid is what the way says.
            () if !own.paths.is_empty() && way.is_some() => None,
            // With all evidence a sentence that is long is longer still.
            () if opened.is_some() || is_long(&own) => Some(in_words(&own)),
            () => Some(in_words(&self.retrieval.explain(self.index, passage))),
        };
        let reason: Vec<String> = way.into_iter().chain(parts).collect();
        reason.join("; ")
    }

    /// How the walk reaches a passage, by the path that carries most.
    fn way(&self, passage: u32) -> Option<String> {
        let walk = self.retrieval.walk()?;
        let path = walk.path(walk.best_node(passage)?)?;
        let (_, before) = path.nodes.split_last()?;
        let name = |node: &Node| walk.graph.label(self.index, *node).into_owned();
        Some(match before {
            [] => "itself a seed".to_owned(),
            [seed] => format!("next to the seed {}", name(seed)),
            [seed, over @ ..] => {
                let over: Vec<String> = over.iter().map(name).collect();
                format!("from the seed {} over {}", name(seed), over.join(" > "))
            }
        })
    }
}

/// Whether the parts of a score say in fewer words what the sentence says.
fn is_long(opened: &Explanation) -> bool {
    let sums = opened.combine == Combine::Sum && opened.parts.len() > 1;
    sums && width(&opened.sentence) > SHORT
}

fn in_words(opened: &Explanation) -> String {
    match is_long(opened) {
        true => shares(opened),
        false => opened.sentence.clone(),
    }
}

/// The first lines of a text, and whether the text goes on behind a line that is the last.
fn lines(text: &str, wide: usize) -> Vec<(Range<usize>, bool)> {
    let mut lines = wrap(text, wide);
    let more = lines.len() > LINES;
    lines.truncate(LINES);
    let last = lines.len();
    if let Some(line) = lines.last_mut().filter(|_| more) {
        let room = wrap(span::of(text, line.clone()), wide - 4);
        let first = room.first().map_or(0, |first| first.end);
        line.end = line.start + first;
    }
    let ends = (1..=last).map(|at| more && at == last);
    lines.into_iter().zip(ends).collect()
}

/// The largest parts of a sum: in percent of it, or as they are where some are taken off.
fn shares(opened: &Explanation) -> String {
    let (sum, mut parts) = (opened.sum(), largest(opened));
    let taken = parts.last().is_some_and(|part| part.value < 0.0);
    if taken {
        parts.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    }
    let named = parts.into_iter().take(NAMED).map(|part| match taken {
        true => format!("{} {}", part.label, signed(part.value)),
        false => format!("{} {}", part.label, percent(part.value, sum, 0)),
    });
    named.collect::<Vec<_>>().join(", ")
}

/// The parts that count, largest first.
fn largest(opened: &Explanation) -> Vec<&Part> {
    let mut parts: Vec<&Part> = opened.parts.iter().filter(|p| p.value != 0.0).collect();
    parts.sort_by(|a, b| b.value.total_cmp(&a.value));
    parts
}

/// The parts of a score, one a line.
fn listed(opened: &Explanation) -> Grid {
    let mut grid = Grid::new(&format!("{INDENT}>9  <16  <"));
    let parts = largest(opened);
    for part in parts.iter().take(LISTED) {
        grid.row(cells![score(part.value), part.label, part.why]);
    }
    if let Some(rest) = parts.get(LISTED..).filter(|rest| !rest.is_empty()) {
        let sum = rest.iter().map(|part| part.value).sum();
        grid.row(cells![score(sum), format!("{} more parts", rest.len())]);
    }
    grid
}
