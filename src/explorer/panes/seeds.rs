//! What the question linked to, what it failed to link, and what a ranking added.

use super::Words;
use super::row;
use super::row::{Columns, explained, line};
use super::story;
use super::{Card, Contents};
use crate::explorer::command::Command;
use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot, cut_bottom};
use crate::explorer::panes::filter;
use crate::explorer::panes::ink::{Chrome, Filling, Ink};
use crate::explorer::scene::Subject;
use crate::explorer::scene::{Basis, Row, Scene, Sign};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use serde_json::Value;
use serde_json::json;

fn note(ink: &Ink<'_>, scene: &Scene) -> Line<'static> {
    if scene.is_flat() {
        let seen = if scene.basis == Basis::Words {
            "df"
        } else {
            "ranks"
        };
        return Line::from(vec![ink.muted(format!("{seen} {} share", ink.glyphs.dot))]);
    }
    if scene.fallback {
        return Line::from(vec![ink.span("fallback: no links", Scope::Warn)]);
    }
    if !scene.walks {
        return Line::from(vec![ink.muted(text::plural(scene.seeds.len(), "seed"))]);
    }
    let not = scene.seeds.iter().filter(|s| s.sign == Sign::Lost).count();
    let edited = ink.state.settings.seed_edits().len();
    let mut spans = vec![ink.muted(match scene.named {
        Some((_, linked)) => format!("{linked} linked"),
        None => text::plural(scene.started, "seed"),
    })];
    if not > 0 {
        spans.push(ink.span(format!(", {not} not"), Scope::Warn));
    }
    if edited > 0 {
        spans.push(ink.span(format!(", {edited} changed"), Scope::Link));
    }
    Line::from(spans)
}

/// The seeds in one line.
fn summary(ink: &Ink<'_>, scene: &Scene, width: usize) -> Line<'static> {
    let mut filling = Filling::new(width);
    let lettered = scene.seeds.iter().any(|row| row.group.is_some());
    let there = scene
        .groups
        .iter()
        .enumerate()
        .filter(|(_, group)| group.seeds > 0);
    // A name that was not linked says more than any seed.
    for row in scene.seeds.iter().filter(|row| row.sign == Sign::Lost) {
        let label = text::cut(&row.label, 24);
        filling.add(vec![
            ink.span(format!("- {label} {}  ", row.note), Scope::Warn),
        ]);
    }
    for (g, group) in there.filter(|_| lettered) {
        let spans = vec![
            ink.letter(g),
            ink.text(format!(" {} ", text::cut(&group.label, 24))),
            ink.value(text::share(group.weight)),
            ink.text("  "),
        ];
        if !filling.add(spans) {
            break;
        }
    }
    // Without groups each seed speaks for itself, and so does a name or a change that left none.
    let alone = |row: &&Row| !matches!(row.sign, Sign::Heading | Sign::Lost) && row.group.is_none();
    for row in scene.seeds.iter().filter(alone) {
        let label = text::cut(&row.label, 24);
        let spans = match row.sign {
            Sign::Changed => vec![ink.span(format!("x {label} {}  ", row.note), Scope::Link)],
            _ => vec![
                ink.text(format!("{label} ")),
                ink.value(format!("{}  ", row.figure)),
            ],
        };
        if !filling.add(spans) {
            break;
        }
    }
    filling.line
}

pub struct Seeds;

impl Contents for Seeds {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Seeds: where the walk starts; passages per entity (df) and restart weight",
            keys: &[
                Command::MuteSeed,
                Command::WeighSeed,
                Command::AddSeed,
                Command::PassageSeeds,
                Command::JoinNames,
                Command::MuteName,
                Command::Open,
                Command::Back,
            ],
            verb: "trace",
            selects: true,
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let Some(scene) = ink.state.scene() else {
            return ink.bare(slot, "Seeds", buf, hits);
        };
        let flat = scene.is_flat();
        let chrome = Chrome {
            title: match scene.basis {
                _ if !flat => "Seeds".into(),
                Basis::Lists => "Lists".into(),
                Basis::Measure => "Measure".into(),
                Basis::Walk | Basis::Words | Basis::Parts | Basis::Signals => "Words".into(),
            },
            note: note(ink, scene),
            summary: summary(ink, scene, usize::from(slot.area.width).saturating_sub(15)),
            ..Chrome::default()
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        // The last lines explain the selected seed, where there is room for them.
        let explain = u16::from(area.height > 4) + u16::from(area.height > 7);
        let (list, below) = cut_bottom(area, explain);
        let seeds = &scene.seeds;
        let columns = Columns::of(
            seeds,
            true,
            false,
            usize::from(list.width).saturating_sub(1),
        );
        let draw = |row: usize, _| line(ink, &seeds[row], row, &columns);
        ink.list(Pane::Seeds, list, seeds.len(), buf, hits, &draw);
        let selected = seeds.get(ink.state.list(Pane::Seeds).cursor);
        let why = match selected.or(seeds.last()) {
            Some(row) => &row.why,
            None if flat => "",
            None => "no seed: no name in the question was linked",
        };
        explained(ink, why, below, buf);
    }

    fn count(&self, state: &State) -> usize {
        state.scene().map_or(0, |scene| scene.seeds.len())
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let seeds = state.scene().map_or(&[][..], |scene| &scene.seeds);
        seeds.iter().map(row::words).collect()
    }

    fn subject(&self, state: &State, row: usize) -> Option<Subject> {
        row::subject(state.scene()?.seeds.get(row)?)
    }

    fn copied(&self, _: &State, scene: &Scene, row: usize) -> Option<(String, String)> {
        let seed = scene.seeds.get(row)?;
        let what = match seed.sign {
            Sign::Plain | Sign::Changed => "seed",
            Sign::Lost => "name",
            Sign::Heading => "seeds",
        };
        Some(row::copied(scene, seed, what))
    }

    fn json(&self, state: &State, scene: &Scene) -> (Value, &'static str) {
        if let Some(story) = story(scene) {
            return story;
        }
        let row = |s: &Row| match s.sign {
            Sign::Plain => Some(
                json!({"label": s.label, "weight": s.value, "passage": s.is_passage, "why": s.why}),
            ),
            Sign::Changed => Some(json!({"label": s.label, "weight": 0.0, "edit": s.note})),
            Sign::Heading | Sign::Lost => None,
        };
        let shown = filter::sighted(state, Pane::Seeds, &scene.seeds);
        (shown.into_iter().filter_map(row).collect(), "seeds")
    }

    fn narrows_json(&self, state: &State) -> bool {
        state.scene().is_some_and(|scene| scene.story.is_none())
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        let Some(scene) = state.scene() else {
            return Vec::new();
        };
        let seeds = scene.seeds.iter();
        seeds
            .map(|seed| Some(row::spoken(scene, seed, "weight")))
            .collect()
    }
}
