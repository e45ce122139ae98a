//! A screen too small for the explorer: says so, and still shows the answer.

use crate::explorer::panes::ink::Ink;
use crate::explorer::text;
use crate::explorer::theme::Scope;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

pub fn render(ink: &Ink<'_>, area: Rect, buf: &mut Buffer) {
    let width = usize::from(area.width);
    let mut lines = vec![
        (
            format!("needs 60 x 16, this is {} x {}", area.width, area.height),
            Scope::Warn,
        ),
        (ink.state.wanted.question.clone(), Scope::Text),
    ];
    if let Some(scene) = ink.state.scene() {
        let room = usize::from(area.height).saturating_sub(3);
        for row in scene.passages.iter().take(room.max(3)) {
            let gold = if row.gold { ink.glyphs.gold } else { " " };
            let scope = if row.gold { Scope::Gold } else { Scope::Text };
            lines.push((format!("{:>2} {gold} {}", row.rank, row.title), scope));
        }
    }
    let height = usize::from(area.height);
    lines.truncate(height.saturating_sub(usize::from(height > 3)));
    if height > 3 {
        lines.push(("q quit".to_owned(), Scope::Muted));
    }
    for (y, (line, scope)) in lines.iter().enumerate() {
        buf.set_stringn(
            area.x,
            area.y + y as u16,
            text::cut(line, width),
            width,
            ink.style(*scope),
        );
    }
}
