//! The one line that never collapses: what ran, with which settings, and how well it did on this question.

use crate::explorer::command::Command;
use crate::explorer::hits::{Hits, Target};
use crate::explorer::panes::ink::{Filling, Ink};
use crate::explorer::scene::Scene;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use crate::parameters::{WALK, Walk};
use crate::retrieve::{Origin, Parameter};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

pub fn render(ink: &Ink<'_>, area: Rect, buf: &mut Buffer, hits: &mut Hits) {
    let state = ink.state;
    let width = usize::from(area.width);
    let name = &*state.settings.method().name;
    let story = state.scene().and_then(|scene| scene.story.as_deref());
    let said = story.map_or(0, |story| text::width(&story.headline) + 2);
    // What a system says it did goes before the measures that are looked at last.
    let choices = [width, 149.min(width), 99.min(width)];
    let mut shown = choices.map(|width| match state.scene().filter(|_| !state.blind()) {
        Some(scene) => measures(ink, scene, width),
        None => Vec::new(),
    });
    let wide = |spans: &Vec<Span<'static>>| spans.iter().map(Span::width).sum::<usize>();
    let fits = |spans: &Vec<Span<'static>>| 3 + name.len() + said + wide(spans) <= width;
    let fitting = shown.iter().position(fits);
    let at = fitting.unwrap_or(if said > 0 { shown.len() - 1 } else { 0 });
    let measures = std::mem::take(&mut shown[at]);
    let measured = wide(&measures);
    let mut filling = Filling::new(width.saturating_sub(measured + 2));
    filling.add(vec![ink.text(" "), ink.span(name, Scope::Tab)]);
    hits.add(
        Rect::new(area.x + 1, area.y, (name.len() as u16).min(area.width), 1),
        Target::Command(Command::Method),
    );
    if let Some(story) = story {
        let room = filling.room().saturating_sub(2);
        filling.add(vec![
            ink.text(format!("  {}", text::cut(&story.headline, room))),
        ]);
    }
    // Where not all fits, the counts go first: settings are what a person changes.
    let stages = stages(ink);
    let fits = |least: u8| {
        let kept = stages.iter().filter(|(rank, _)| *rank >= least);
        kept.map(|(_, spans)| 3 + spans.iter().map(Span::width).sum::<usize>())
            .sum::<usize>()
            <= filling.room()
    };
    let least = (0..=4).find(|least| fits(*least)).unwrap_or(4);
    for (i, (_, stage)) in stages.iter().filter(|(rank, _)| *rank >= least).enumerate() {
        let mut spans = vec![ink.muted(if i == 0 { "  " } else { " > " })];
        spans.extend(stage.iter().cloned());
        filling.add(spans);
    }
    buf.set_line(area.x, area.y, &filling.line, area.width);
    let x = area.x + area.width.saturating_sub(measured as u16 + 1);
    buf.set_line(x, area.y, &Line::from(measures), measured as u16);
}

/// What ran, in the order it ran, each with how much it would be missed: counts from the last result, settings as they
/// are wanted.
fn stages(ink: &Ink<'_>) -> Vec<(u8, Vec<Span<'static>>)> {
    let state = ink.state;
    let set = |parameter: Parameter, symbol: &str| {
        vec![ink.muted(format!("{symbol} ")), ink.setting(parameter)]
    };
    let method = state.settings.method();
    let scene = state.scene();
    let listed = scene.is_some_and(|scene| scene.first_stage.is_some());
    if scene.is_some_and(|scene| scene.story.is_some()) {
        return Vec::new();
    }
    let mut stages = Vec::new();
    if let Some(scene) = scene.filter(|s| !s.is_flat() && method.walks()) {
        let linked = match scene.named {
            Some((names, linked)) => vec![
                ink.muted(format!("{}s ", scene.noun)),
                ink.value(names.to_string()),
                ink.muted(", linked "),
                ink.value(linked.to_string()),
            ],
            None => vec![ink.muted("seeds "), ink.value(text::count(scene.started))],
        };
        stages.push((1, linked));
    }
    if listed {
        let ranking = scene.and_then(|s| s.first_stage);
        // A flat method is its ranking and was named already.
        let mut spans = match ranking.filter(|_| method.walks()) {
            Some((name, _)) => vec![ink.muted(format!("{name} "))],
            None => Vec::new(),
        };
        if let Some(added) = scene.map(|s| s.expanded).filter(|added| *added > 0) {
            spans.push(ink.value(format!("+{added} ")));
        }
        if let Some((_, matched)) = ranking {
            spans.push(ink.muted("found "));
            spans.push(ink.value(matched.to_string()));
        }
        if method.uses().contains(&Parameter::SeedK) {
            spans.push(ink.muted(" top "));
            spans.push(ink.value(state.settings.text(Parameter::SeedK)));
        }
        stages.push((2, spans));
    }
    if let Some((name, candidates)) = scene.and_then(|s| s.reranked) {
        let by = vec![
            ink.muted(format!("{name} of ")),
            ink.value(candidates.to_string()),
        ];
        stages.push((2, by));
    }
    if method.walks() {
        if listed && method.uses().contains(&Parameter::Mix) {
            let mut spans = set(Parameter::Mix, "mix");
            if let Some(a) = scene.and_then(|s| s.mixed) {
                spans.push(ink.muted(" a "));
                spans.push(ink.value(text::share(a)));
            }
            stages.push((0, spans));
        }
        let uses = method.uses();
        // NodeRAG's walk has a rule of its own.
        let ruled = uses.contains(&Parameter::WalkRule);
        let rule = [Parameter::Walk, Parameter::WalkRule][usize::from(ruled)];
        let mut spans = vec![ink.value(state.settings.text(rule))];
        let push = !ruled && state.settings.get(WALK) == Walk::Push;
        let detail = if push {
            (Parameter::Epsilon, "eps")
        } else {
            (Parameter::Steps, "T")
        };
        let shown = [(Parameter::Alpha, "alpha"), detail, (Parameter::HubP, "p")];
        // What a person left alone is in the list of parameters; alpha and the steps are what a walk is known by.
        let known = |parameter| match parameter {
            Parameter::Alpha | Parameter::Steps => true,
            _ => state.settings.origin(parameter) == Origin::User,
        };
        let shown = shown
            .into_iter()
            .filter(|p| uses.contains(&p.0) && known(p.0));
        for (parameter, symbol) in shown {
            spans.push(ink.text(" "));
            spans.extend(set(parameter, symbol));
        }
        stages.push((4, spans));
    }
    let mut top = set(Parameter::ResultK, "top");
    if let Some(scene) = scene {
        top.push(ink.muted(format!(" of {}", scene.matched)));
    }
    stages.push((3, top));
    stages
}

/// The measures of this question; fewer on narrow screens.
fn measures(ink: &Ink<'_>, scene: &Scene, width: usize) -> Vec<Span<'static>> {
    let names: &[&str] = match width {
        150.. => &["R@2", "R@5", "R@10", "R@20", "RR", "nDCG@10"],
        100.. => &["R@5", "R@10", "RR", "nDCG@10"],
        _ => &["R@5", "RR"],
    };
    let mut spans = Vec::new();
    if !ink.state.moment(false).is_empty() && !scene.measures.is_empty() {
        spans.push(ink.span(" at the end", Scope::Warn));
    }
    for name in names {
        let Some(value) = scene.measure(name) else {
            continue;
        };
        spans.push(ink.muted(format!("  {name} ")));
        spans.push(ink.span(text::share(value), Scope::of_measure(value)));
    }
    spans
}
