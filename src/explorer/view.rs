//! The only reader of the state. Pure: the same state and size give the same cells, and what is where for the mouse.

use super::glyphs::Glyphs;
use super::hits::Hits;
use super::layout::{Face, Pane, Shape, Slot};
use super::panes::ink::Ink;
use super::picture::{self, Caption};
use super::state::{Mode, State};
use super::theme::{Scope, Theme};
use super::{chrome, overlays, panes};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// Draws into a buffer.
pub fn draw(state: &State, area: Rect, buf: &mut Buffer, theme: &Theme, glyphs: &Glyphs) -> Hits {
    let mut hits = Hits::default();
    let area = area.intersection(buf.area);
    let ink = Ink {
        state,
        theme,
        glyphs,
        paper: false,
    };
    buf.set_style(
        area,
        ink.style(Scope::Background).patch(ink.style(Scope::Text)),
    );
    if area.area() == 0 {
        return hits;
    }
    let plan = state.plan(area);
    if plan.shape == Shape::Line {
        chrome::line::render(&ink, area, buf);
        return hits;
    }
    chrome::header::render(&ink, plan.header, buf, &mut hits);
    chrome::pipeline::render(&ink, plan.pipeline, buf, &mut hits);
    let main = Rect::new(
        area.x,
        plan.header.y + 1,
        area.width,
        area.height.saturating_sub(3),
    );
    let open = matches!(state.mode, Mode::Label(_)) && plan.open(Pane::Label).is_none();
    let strip = open.then(|| overlays::label::place(&ink, main));
    let mut slots = plan.slots.clone();
    for slot in &mut slots {
        // All of a text that is labelled can be read.
        if let (Some(strip), Pane::Reader) = (strip, slot.pane) {
            let room = strip.y.saturating_sub(slot.area.y);
            slot.area.height = slot.area.height.min(room);
        }
    }
    for slot in &slots {
        let contents = panes::contents(slot.pane);
        contents.draw(&ink, *slot, buf, &mut hits);
        if state.outdated() && shows_result(*slot) {
            buf.set_style(inside(*slot), ink.style(Scope::Stale));
        }
    }
    if let Some(playing) = &state.lesson {
        chrome::lesson::render(&ink, playing, plan.lesson, buf, &mut hits);
    }
    chrome::status::render(&ink, plan.status, buf);
    chrome::hints::render(&ink, plan.hints, buf, &mut hits);
    match &state.mode {
        Mode::Finder(open) => overlays::finder::render(&ink, open, main, buf, &mut hits),
        Mode::Start(at) => overlays::start::render(&ink, *at, main, buf, &mut hits),
        Mode::Chord(begun) => overlays::chord::render(&ink, *begun, main, buf, &mut hits),
        Mode::Label(_) if strip.is_some() => overlays::label::render(&ink, main, buf, &mut hits),
        Mode::Label(_)
        | Mode::Browse
        | Mode::Edit
        | Mode::Number(_)
        | Mode::Weight(_)
        | Mode::Filter(_) => {}
    }
    hits
}

/// A pane alone as an SVG: as large as it is on the screen, with a frame of its own and nothing of the keyboard.
///
/// # Errors
/// When the screen does not show the pane, or shows one line of it.
pub fn figure(state: &State, pane: Pane, theme: &Theme, glyphs: &Glyphs) -> Result<String, String> {
    let (width, height) = state.size;
    let plan = state.plan(Rect::new(0, 0, width, height));
    let slot = plan
        .open(pane)
        .ok_or_else(|| format!("the pane {} is not open on this screen", pane.id()))?;
    let (width, height) = (slot.area.width, slot.area.height);
    // A section has no sides and no foot.
    let area = match slot.face {
        Face::Section => Rect::new(0, 0, width + 2, height + 1),
        _ => Rect::new(0, 0, width, height),
    };
    let face = Face::Box;
    let ink = Ink {
        state,
        theme,
        glyphs,
        paper: true,
    };
    let mut buf = Buffer::empty(area);
    buf.set_style(
        area,
        ink.style(Scope::Background).patch(ink.style(Scope::Text)),
    );
    let slot = Slot { pane, area, face };
    panes::contents(pane).draw(&ink, slot, &mut buf, &mut Hits::default());
    let title = format!("hopscope: {}", pane.id());
    let asked = state.scene().map(|scene| {
        let method = &scene.settings.method().name;
        format!("{} (method {method})", scene.question)
    });
    let caption = Caption::new(&title, asked.as_deref().unwrap_or_default(), theme);
    Ok(picture::svg(&buf, &caption))
}

/// Whether a slot shows numbers that a newer request will replace.
fn shows_result(slot: Slot) -> bool {
    !matches!(
        slot.pane,
        Pane::Question | Pane::Parameters | Pane::Session | Pane::Queue
    )
}

fn inside(slot: Slot) -> Rect {
    match slot.face {
        Face::Box | Face::Tabs => Rect::new(
            slot.area.x + 1,
            slot.area.y + 1,
            slot.area.width.saturating_sub(2),
            slot.area.height.saturating_sub(2),
        ),
        _ => slot.area,
    }
}
