//! What the question linked to, what it failed to link, and what a ranking added.

use crate::explorer::hits::Hits;
use crate::explorer::layout::{Pane, Slot};
use crate::explorer::rows::{SeedLine, muted, seed_lines};
use crate::explorer::scene::{Basis, Name, Scene, Seed};
use crate::explorer::state::Mode;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::explorer::view::ink::{Chrome, Filling, Ink, flow};
use crate::retrieve::SeedChange;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub fn render(ink: &Ink<'_>, slot: Slot, buf: &mut Buffer, hits: &mut Hits) {
    let Some(scene) = ink.state.scene() else {
        ink.frame(
            slot,
            Chrome {
                title: "Seeds".into(),
                ..Chrome::default()
            },
            buf,
            hits,
        );
        return;
    };
    if let Some(story) = scene.story.as_deref() {
        return super::story::seeds(ink, slot, story, buf, hits);
    }
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
    let lines = seed_lines(scene);
    // The last row explains the selected seed, where there is room for it.
    let explain = u16::from(area.height > 4) + u16::from(area.height > 7);
    let list = Rect {
        height: area.height - explain,
        ..area
    };
    ink.list(
        Pane::Seeds,
        list,
        lines.len(),
        buf,
        hits,
        &|row, width| match lines[row] {
            SeedLine::Seed(i) => seed(ink, scene, &scene.seeds[i], width),
            SeedLine::Name(i) => {
                let name = &scene.names[i];
                let note_width = text::width(&name.note).min(width / 2);
                let surface = format!("\"{}\"", name.surface);
                Line::from(vec![
                    ink.span("-   ", Scope::Warn),
                    ink.text(text::pad(&surface, width.saturating_sub(note_width + 5))),
                    ink.span(
                        format!(" {}", text::cut(&name.note, note_width)),
                        Scope::Warn,
                    ),
                ])
            }
            SeedLine::Edit(i) => {
                let edit = &scene.edits[i];
                let note = text::width(&edit.note).min(width / 2);
                Line::from(vec![
                    ink.span("x   ", Scope::Link),
                    ink.muted(text::pad(&edit.label, width.saturating_sub(note + 5))),
                    ink.span(format!(" {}", text::cut(&edit.note, note)), Scope::Link),
                ])
            }
            SeedLine::Group(g) => {
                let group = &scene.groups[g];
                Line::from(vec![
                    ink.letter(g),
                    ink.text(" "),
                    ink.fill(g),
                    ink.text(" "),
                    ink.span(
                        text::pad(&group.label, width.saturating_sub(10)),
                        Scope::Title,
                    ),
                    ink.value(text::pad_left(&text::measure(group.weight), 6)),
                ])
            }
        },
    );
    if explain > 0 {
        let selected = lines.get(
            ink.state
                .list(Pane::Seeds)
                .cursor
                .min(lines.len().saturating_sub(1)),
        );
        let why = match selected {
            Some(SeedLine::Seed(i)) => scene.seeds[*i].why.clone(),
            Some(SeedLine::Name(i)) => {
                format!("{}: {}", scene.names[*i].surface, scene.names[*i].note)
            }
            Some(SeedLine::Edit(i)) => {
                format!(
                    "{}: {}; s x brings it back",
                    scene.edits[*i].label, scene.edits[*i].note
                )
            }
            Some(SeedLine::Group(g)) => {
                format!(
                    "{} passages ranked by words share {}",
                    scene.groups[*g].seeds,
                    text::share(scene.groups[*g].weight)
                )
            }
            None if flat => String::new(),
            None => "no seed: the question named nothing known".to_owned(),
        };
        let lines = flow(
            vec![ink.muted(why)],
            usize::from(area.width).saturating_sub(2),
            0,
        );
        for (y, line) in lines.iter().take(usize::from(explain)).enumerate() {
            buf.set_line(
                area.x + 1,
                area.y + list.height + y as u16,
                line,
                area.width - 1,
            );
        }
    }
}

fn seed(ink: &Ink<'_>, scene: &Scene, seed: &Seed, width: usize) -> Line<'static> {
    let grouped = seed.is_passage && scene.groups.get(seed.group).is_some_and(|g| g.seeds > 1);
    let mut spans = if grouped {
        vec![ink.muted("   "), ink.text(" ")]
    } else {
        vec![
            ink.letter(seed.group),
            ink.text(" "),
            ink.fill(seed.group),
            ink.text(" "),
        ]
    };
    let df = if seed.df > 0 && width > 24 {
        text::pad_left(&text::count(seed.df), 5)
    } else {
        String::new()
    };
    let hub = df_is_hub(ink, seed);
    let changed = changed(ink, seed);
    let room = width.saturating_sub(4 + 6 + df.len() + 1 + changed.width());
    spans.push(ink.span(
        text::pad(&seed.label, room),
        if grouped {
            Scope::Passage
        } else {
            Scope::Entity
        },
    ));
    spans.push(changed);
    spans.push(ink.span(df, if hub { Scope::Hub } else { Scope::Muted }));
    spans.push(ink.value(text::pad_left(&text::measure(seed.weight), 7)));
    Line::from(spans)
}

/// What a person changed about a seed; while its weight is open, what was typed.
fn changed(ink: &Ink<'_>, seed: &Seed) -> Span<'static> {
    if let Mode::Weight(open) = &ink.state.mode
        && open.seed == seed.name
        && !seed.name.is_empty()
    {
        let typed = open.input.value();
        let shown = match (typed, seed.change) {
            ("", Some(SeedChange::Weight(f) | SeedChange::Add(f))) => format!("{f}"),
            ("", _) => "1".to_owned(),
            (typed, _) => typed.to_owned(),
        };
        return ink.span(
            format!(" x{}{}", text::cut(&shown, 8), ink.glyphs.eighths[8]),
            Scope::Key,
        );
    }
    let shown = match seed.change {
        Some(SeedChange::Weight(f)) => format!(" x{}", factor(f)),
        Some(SeedChange::Add(1.0)) => " +".to_owned(),
        Some(SeedChange::Add(f)) => format!(" +x{}", factor(f)),
        Some(SeedChange::Mute) | None => String::new(),
    };
    ink.span(shown, Scope::Link)
}

fn factor(factor: f64) -> String {
    let short = text::score(factor);
    let exact = format!("{factor}");
    if exact.len() <= short.len() {
        exact
    } else {
        short
    }
}

/// In more than one passage out of twenty: what is sent there is spread thin.
fn df_is_hub(ink: &Ink<'_>, seed: &Seed) -> bool {
    let counts = ink
        .state
        .scene()
        .is_some_and(|s| matches!(s.basis, Basis::Walk | Basis::Words));
    counts && seed.df > 5 && seed.df * 20 > ink.state.facts.passages
}

fn note(ink: &Ink<'_>, scene: &Scene) -> Line<'static> {
    if scene.is_flat() {
        let seen = if scene.basis == Basis::Words {
            "in"
        } else {
            "ranks"
        };
        return Line::from(vec![ink.muted(format!("{seen} {} pays", ink.glyphs.dot))]);
    }
    if scene.fallback {
        return Line::from(vec![ink.span("fallback: none linked", Scope::Warn)]);
    }
    let linked = scene.names.iter().filter(|n| n.group.is_some()).count();
    let lost = |n: &&Name| n.group.is_none() && !muted(scene, n);
    let not = scene.names.iter().filter(lost).count();
    let edited = ink.state.settings.seed_edits().len();
    let mut spans = vec![ink.muted(format!("{linked} linked"))];
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
    for (g, group) in scene.groups.iter().enumerate() {
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
    for edit in &scene.edits {
        filling.add(vec![ink.span(
            format!("x {} {}  ", text::cut(&edit.label, 20), edit.note),
            Scope::Link,
        )]);
    }
    let lost = |n: &&Name| n.group.is_none() && !muted(scene, n);
    for name in scene.names.iter().filter(lost) {
        let spans: Vec<Span<'static>> = vec![
            ink.span(
                format!("- \"{}\" {}", text::cut(&name.surface, 20), name.note),
                Scope::Warn,
            ),
            ink.text("  "),
        ];
        if !filling.add(spans) {
            break;
        }
    }
    filling.line
}
