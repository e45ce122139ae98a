//! The sliders. Every step re-runs what depends on it.

use super::Words;
use super::{Card, Contents};
use crate::explorer::action::Action;
use crate::explorer::command::Command;
use crate::explorer::glyphs::sparkline;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::layout::{Pane, Slot, cut_bottom};
use crate::explorer::panes::ink::{Chrome, Filling, Ink, flow};
use crate::explorer::panes::row::stack;
use crate::explorer::parameter_keys::{ParameterLine, parameter_lines, stage_title};
use crate::explorer::scene::Scene;
use crate::explorer::state::Mode;
use crate::explorer::state::State;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::ranker::{Feature, Group, Steps};
use crate::retrieve::operators::ranked::weight;
use crate::retrieve::{Domain, Origin, Parameter, Value};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use serde_json::json;

/// Columns of a label.
fn label(width: usize) -> usize {
    match width {
        44.. => 19,
        33.. => 16,
        _ => 14,
    }
}

/// Columns of the track of a slider.
fn track(width: usize) -> usize {
    width.saturating_sub(label(width) + 1 + 6).min(30)
}

fn line(ink: &Ink<'_>, parameter: Parameter, width: usize) -> Line<'static> {
    let state = ink.state;
    let declaration = parameter.declaration();
    let current = state.parameter == parameter;
    let origin = state.settings.origin(parameter);
    let mark = match origin {
        Origin::User => ink.span("*", Scope::Link),
        Origin::Index => ink.span("i", Scope::Muted),
        Origin::Preset => ink.span("p", Scope::Muted),
        Origin::Default => ink.text(" "),
    };
    let idle = state.settings.idle(parameter).is_some();
    let name = ink.span(
        text::pad(declaration.label, label(width)),
        match (current, idle) {
            (true, _) => Scope::Title,
            (false, true) => Scope::Muted,
            (false, false) => Scope::Text,
        },
    );
    let mut spans = vec![name, mark];
    let room = width.saturating_sub(label(width) + 1);
    if let (true, Mode::Number(input)) = (current, &state.mode) {
        spans.push(ink.muted("= "));
        spans.push(ink.span(
            text::cut(input.value(), room.saturating_sub(3)),
            Scope::Value,
        ));
        spans.push(ink.span(ink.glyphs.eighths[8], Scope::Key));
        return Line::from(spans);
    }
    let value_scope = match origin {
        _ if idle => Scope::Muted,
        Origin::User => Scope::Link,
        _ => Scope::Value,
    };
    match &declaration.domain {
        Domain::Choice(choices) => {
            let chosen = state.settings.text(parameter);
            let all: usize = choices.iter().map(|c| c.name.len() + 1).sum::<usize>() + 2;
            if all <= room {
                for choice in *choices {
                    if choice.name == chosen {
                        spans.push(ink.span(format!("[{}]", choice.name), value_scope));
                    } else {
                        spans.push(ink.muted(format!(" {} ", choice.name)));
                    }
                }
            } else {
                let at = choices
                    .iter()
                    .position(|c| c.name == chosen)
                    .map_or(0, |i| i + 1);
                let place = format!(" {at}/{}", choices.len());
                spans.push(ink.span(
                    format!(
                        "[{}]",
                        text::cut(&chosen, room.saturating_sub(place.len() + 2))
                    ),
                    value_scope,
                ));
                spans.push(ink.muted(place));
            }
        }
        domain => {
            let track = track(width);
            let slider = crate::explorer::glyphs::slider(
                domain.fraction(state.settings.value(parameter)),
                track,
                ink.glyphs,
            );
            spans.push(ink.span(slider, if current { Scope::Key } else { Scope::Muted }));
            let value = text::unzero(state.settings.text(parameter));
            // Only the value has its style: a changed one may be underlined.
            spans.push(ink.text(" ".repeat(6usize.saturating_sub(text::width(&value)))));
            spans.push(ink.span(text::cut(&value, 6), value_scope));
        }
    }
    Line::from(spans)
}

fn targets(ink: &Ink<'_>, parameter: Parameter, x: u16, y: u16, width: usize, hits: &mut Hits) {
    let start = x + label(width) as u16 + 1;
    match &parameter.declaration().domain {
        Domain::Choice(choices) => {
            let room = width.saturating_sub(label(width) + 1);
            let all: usize = choices.iter().map(|c| c.name.len() + 1).sum::<usize>() + 2;
            let chosen = ink.state.settings.value(parameter);
            if all > room {
                let Value::Choice(at) = chosen else { return };
                let next = (at + 1) % choices.len();
                hits.add(
                    Rect::new(start, y, room as u16, 1),
                    Target::Choice(parameter, next),
                );
                return;
            }
            let mut x = start;
            for (i, choice) in choices.iter().enumerate() {
                let wide = choice.name.len() as u16 + 2;
                hits.add(Rect::new(x, y, wide, 1), Target::Choice(parameter, i));
                x += wide;
            }
        }
        // The ends of the track are no values: a press on them means the nearest one.
        _ => hits.add(
            Rect::new(start + 1, y, (track(width) as u16).saturating_sub(2), 1),
            Target::Slider(parameter),
        ),
    }
}

/// What the current parameter does, what it may be, and where it comes from.
fn about(ink: &Ink<'_>, width: usize) -> Vec<Line<'static>> {
    let state = ink.state;
    let parameter = state.parameter;
    let declaration = parameter.declaration();
    let mut words = Vec::new();
    if let Some(why) = state.settings.idle(parameter) {
        words.push(ink.span(format!("{why}. "), Scope::Warn));
    }
    words.push(ink.text(declaration.meaning.to_owned()));
    if let (Domain::Choice(choices), Value::Choice(at)) =
        (&declaration.domain, state.settings.value(parameter))
        && let Some(choice) = choices.get(at)
    {
        words.push(ink.text(format!(". {}: ", choice.name)));
        words.push(ink.muted(choice.meaning));
    }
    let mut base = state.settings.clone();
    base.reset(parameter);
    let origin = match state.settings.origin(parameter) {
        Origin::User => ", yours",
        Origin::Index => ", as indexed",
        Origin::Preset | Origin::Default => "",
    };
    let from = match (base.origin(parameter), base.preset()) {
        (Origin::Preset, Some(preset)) => format!("preset {}:", preset.name),
        _ => "default".to_owned(),
    };
    let default = format!(" {from} {}{origin} ", text::unzero(base.text(parameter)));
    // The keys that lead here from anywhere, where there is room for them.
    let keys = match crate::explorer::parameter_keys::keys(state, Command::Tune(parameter)) {
        keys if keys.is_empty() || width < default.len() + keys.len() + 6 => String::new(),
        keys => format!(" {keys} "),
    };
    let rest = width.saturating_sub(default.len() + keys.len() + 3);
    let mut lines = vec![Line::from(vec![
        ink.span(ink.glyphs.rule.repeat(2), Scope::Border),
        ink.muted(default),
        ink.span(ink.glyphs.rule.repeat(rest), Scope::Border),
        ink.span(keys, Scope::Key),
        ink.span(ink.glyphs.rule, Scope::Border),
    ])];
    lines.extend(flow(words, width, 0));
    lines.extend(functions(ink, parameter, width));
    lines
}

/// The step functions that a weight of the ranker is of, each as a small plot over its thresholds.
fn functions(ink: &Ink<'_>, parameter: Parameter, width: usize) -> Vec<Line<'static>> {
    const PLOT: usize = 16;
    let of = |group: &Group| weight(*group).id() == parameter;
    let Some(group) = Group::ALL.into_iter().find(of) else {
        return Vec::new();
    };
    let Some(model) = ink.state.settings.ranker() else {
        return Vec::new();
    };
    let own = model.second.features();
    let own = own.filter(|(feature, steps)| feature.group() == group && !steps.at.is_empty());
    let line = |(feature, steps): (Feature, &Steps)| {
        let (first, last) = (steps.at[0], steps.at[steps.at.len() - 1]);
        let margin = ((last - first) / 8.0).max(1e-6);
        let at = |place: usize| {
            let share = place as f64 / (PLOT - 1) as f64;
            first - margin + share * (last - first + 2.0 * margin)
        };
        let values: Vec<f64> = (0..PLOT).map(|place| steps.of(at(place))).collect();
        let [least, most] = [steps.values[0], steps.values[steps.values.len() - 1]];
        let ends = format!(" {least:+.2} to {most:+.2} ");
        let about = width.saturating_sub(PLOT + ends.len());
        Line::from(vec![
            ink.span(sparkline(&values, None, PLOT, ink.glyphs), Scope::Link),
            ink.text(ends),
            ink.muted(text::cut(feature.about(), about)),
        ])
    };
    own.map(line).collect()
}

/// The parameters that were changed, or else the ones that matter most.
fn summary(ink: &Ink<'_>, width: usize) -> Line<'static> {
    let state = ink.state;
    let mut filling = Filling::new(width);
    let edits = state.settings.graph_edits().len();
    if edits > 0 {
        let edits = text::plural(edits, "graph edit");
        filling.add(vec![ink.span(format!("{edits}  "), Scope::Link)]);
    }
    let uses = state.settings.method().uses();
    let mut shown: Vec<Parameter> = uses
        .iter()
        .copied()
        .filter(|p| state.settings.origin(*p) == Origin::User)
        .collect();
    // Then those a person knows best, then the method's own in the order of the open pane.
    let known = [
        Parameter::Alpha,
        Parameter::Steps,
        Parameter::SeedK,
        Parameter::HubP,
        Parameter::Bm25K1,
        Parameter::Bm25B,
        Parameter::ResultK,
    ];
    let others = parameter_lines(state)
        .into_iter()
        .filter_map(|line| match line {
            ParameterLine::Parameter(parameter) => Some(parameter),
            ParameterLine::Stage(_) => None,
        });
    let first = [crate::explorer::state::favourite(&state.settings)];
    for parameter in first.into_iter().chain(known).chain(others) {
        if uses.contains(&parameter) && !shown.contains(&parameter) {
            shown.push(parameter);
        }
    }
    for parameter in shown {
        let spans = vec![
            ink.muted(format!("{} ", parameter.declaration().symbol)),
            ink.setting(parameter),
            ink.text("  "),
        ];
        if !filling.add(spans) {
            break;
        }
    }
    filling.line
}

pub struct Parameters;

impl Contents for Parameters {
    fn card(&self) -> &'static Card {
        &Card {
            about: "Parameters: each change re-runs; * set by you, i set at indexing",
            keys: &[
                Command::Less,
                Command::More,
                Command::Sweep,
                Command::Default,
                Command::Open,
                Command::Undo,
                Command::Redo,
            ],
            ..Card::PLAIN
        }
    }

    fn draw(&self, ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
        let state = ink.state;
        let changed = state.settings.changed().len();
        let edits = state.settings.graph_edits().len();
        let note = match changed {
            _ if edits > 0 => {
                let said = match changed {
                    0 => String::new(),
                    n => format!("{n} changed, "),
                };
                let edits = text::plural(edits, "graph edit");
                let told = state.scene().map_or(&[][..], |scene| &scene.graph_edits);
                let idle = told.iter().filter(|edited| edited.idle.is_some()).count();
                let mut spans = vec![ink.span(format!("{said}{edits}"), Scope::Link)];
                if idle > 0 {
                    spans.push(ink.span(format!(", {idle} idle"), Scope::Warn));
                }
                Line::from(spans)
            }
            0 => Line::from(vec![ink.muted(state.settings.preset().map_or_else(
                || "defaults".to_owned(),
                |preset| format!("preset {}", preset.name),
            ))]),
            n => Line::from(vec![ink.span(format!("{n} changed"), Scope::Link)]),
        };
        let chrome = Chrome {
            title: "Parameters".into(),
            note,
            summary: summary(ink, usize::from(slot.area.width).saturating_sub(15)),
            ..Chrome::default()
        };
        let Some(area) = ink.frame(slot, chrome, buf, hits) else {
            return;
        };
        let about = about(ink, usize::from(area.width).saturating_sub(2));
        let room = usize::from(area.height);
        let sweep = state.sweep.as_ref();
        let below = match sweep {
            Some(sweep) => super::sweep::height(ink, sweep).min(room.saturating_sub(2)),
            None if room >= 8 => about.len().min(room / 3),
            None => 0,
        };
        let (list, under) = cut_bottom(area, below as u16);
        let lines = parameter_lines(state);
        let width = usize::from(area.width).saturating_sub(1);
        ink.list(
            Pane::Parameters,
            list,
            lines.len(),
            buf,
            hits,
            &|row, width| match lines[row] {
                ParameterLine::Stage(stage) => Line::from(vec![
                    ink.muted(format!("{} ", stage_title(stage))),
                    ink.span(
                        ink.glyphs
                            .rule
                            .repeat(width.saturating_sub(stage_title(stage).len() + 2)),
                        Scope::Border,
                    ),
                ]),
                ParameterLine::Parameter(parameter) => line(ink, parameter, width),
            },
        );
        // The tracks of the visible sliders, for the mouse.
        let offset = state
            .list(Pane::Parameters)
            .window(lines.len(), usize::from(list.height));
        for (y, row) in lines
            .iter()
            .skip(offset)
            .take(usize::from(list.height))
            .enumerate()
        {
            if let ParameterLine::Parameter(parameter) = row {
                targets(ink, *parameter, list.x + 1, list.y + y as u16, width, hits);
            }
        }
        if let Some(sweep) = sweep {
            let strip = Rect {
                x: under.x + 1,
                width: under.width.saturating_sub(2),
                ..under
            };
            super::sweep::render(ink, sweep, strip, buf, hits);
            return;
        }
        stack(&about, under, 1, buf);
    }

    fn count(&self, state: &State) -> usize {
        parameter_lines(state).len()
    }

    fn words(&self, state: &State) -> Vec<Option<Words>> {
        let shown = |line: &ParameterLine| match *line {
            ParameterLine::Stage(_) => None,
            ParameterLine::Parameter(parameter) => {
                let declared = parameter.declaration();
                let value = state.settings.text(parameter);
                let rest = [declared.id, declared.symbol, stage_title(declared.stage)];
                let rest = rest.map(str::to_owned).into_iter().chain([value]);
                Some(Words::new(declared.label, rest))
            }
        };
        parameter_lines(state).iter().map(shown).collect()
    }

    fn passed_over(&self, state: &State) -> Vec<usize> {
        let lines = parameter_lines(state).into_iter().enumerate();
        let heads = lines.filter(|(_, line)| matches!(line, ParameterLine::Stage(_)));
        heads.map(|(row, _)| row).collect()
    }

    fn copied(&self, state: &State, _: &Scene, _: usize) -> Option<(String, String)> {
        let p = state.parameter;
        Some((
            format!("{}={}", p.id(), state.settings.text(p)),
            "parameter".to_owned(),
        ))
    }

    fn json(&self, _: &State, scene: &Scene) -> (serde_json::Value, &'static str) {
        (json!(scene.settings), "settings")
    }

    fn spoken(&self, state: &State) -> Vec<Option<String>> {
        let line = |line: ParameterLine| match line {
            ParameterLine::Stage(stage) => stage_title(stage).to_owned(),
            ParameterLine::Parameter(parameter) => {
                let label = parameter.declaration().label;
                let value = state.settings.text(parameter);
                let own = state.settings.method().default(parameter);
                let own = parameter.declaration().domain.format(own);
                let changed = (own != value).then(|| format!(", default {own}"));
                format!("{label} {value}{}", changed.unwrap_or_default())
            }
        };
        parameter_lines(state)
            .into_iter()
            .map(line)
            .map(Some)
            .collect()
    }

    fn can_enter(&self, _: &State, _: usize) -> Result<(), String> {
        Ok(())
    }

    fn enter(&self, state: &State, _: usize) -> Option<Action> {
        Some(match state.parameter.declaration().domain {
            Domain::Choice(_) => Action::Do(Command::More),
            _ => Action::Type,
        })
    }
}
