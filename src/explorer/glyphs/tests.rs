use proptest::prelude::*;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Rect;

use super::*;
use crate::explorer::theme::ColorLevel;

fn unicode() -> &'static Glyphs {
    GlyphSet::Unicode.glyphs()
}

fn ascii() -> &'static Glyphs {
    GlyphSet::Ascii.glyphs()
}

fn every_glyph(glyphs: &Glyphs) -> Vec<(&'static str, usize)> {
    let mut all = vec![(glyphs.ellipsis, 2)];
    for set in [glyphs.border, glyphs.border_focus] {
        all.extend([
            (set.top_left, 1),
            (set.top_right, 1),
            (set.bottom_left, 1),
            (set.bottom_right, 1),
            (set.vertical_left, 1),
            (set.vertical_right, 1),
            (set.horizontal_top, 1),
            (set.horizontal_bottom, 1),
        ]);
    }
    all.extend(glyphs.tree.map(|glyph| (glyph, 2)));
    all.extend(glyphs.fills.map(|glyph| (glyph, 1)));
    all.extend(glyphs.levels.map(|glyph| (glyph, 1)));
    all.extend(glyphs.shades.map(|glyph| (glyph, 1)));
    all.extend(glyphs.arrows.map(|glyph| (glyph, 1)));
    all.extend(glyphs.fold.map(|glyph| (glyph, 1)));
    let eighths = glyphs.eighths.into_iter().filter(|glyph| !glyph.is_empty());
    all.extend(eighths.map(|glyph| (glyph, 1)));
    all.extend(
        [
            glyphs.rest,
            glyphs.track_left,
            glyphs.track_done,
            glyphs.knob,
            glyphs.track_rest,
            glyphs.track_right,
            glyphs.cursor,
            glyphs.dot,
            glyphs.rule,
            glyphs.tie,
            glyphs.gold,
            glyphs.passage,
        ]
        .map(|glyph| (glyph, 1)),
    );
    all
}

#[test]
fn glyphs_have_their_width_and_ascii_is_ascii() {
    for set in GlyphSet::ALL {
        for (glyph, cells) in every_glyph(set.glyphs()) {
            assert_eq!(
                usize::from(glyph.cell_width()),
                cells,
                "{} {glyph:?}",
                set.id()
            );
            assert!(set != GlyphSet::Ascii || glyph.is_ascii(), "{glyph:?}");
            assert!(
                glyph
                    .chars()
                    .all(|c| !('\u{2800}'..='\u{28ff}').contains(&c))
            );
        }
        assert_eq!(GlyphSet::from_id(set.id()), Some(set));
        let mut fills = set.glyphs().fills.to_vec();
        fills.push(set.glyphs().rest);
        fills.sort_unstable();
        fills.dedup();
        assert_eq!(
            fills.len(),
            7,
            "{}: seeds must differ without colour",
            set.id()
        );
    }
}

#[test]
fn the_locale_chooses_the_set() {
    let of = |world: &[(&str, &str)]| {
        GlyphSet::detect(|name| {
            let found = world.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    assert_eq!(of(&[]), GlyphSet::Unicode);
    assert_eq!(of(&[("LANG", "de_DE.UTF-8")]), GlyphSet::Unicode);
    assert_eq!(
        of(&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")]),
        GlyphSet::Ascii
    );
    assert_eq!(
        of(&[("LANG", "C.utf8"), ("TERM", "linux")]),
        GlyphSet::UnicodeSafe
    );
}

#[test]
fn bars() {
    assert_eq!(bar(0.0, 4, unicode()), "    ");
    assert_eq!(bar(1.0, 4, unicode()), "████");
    assert_eq!(bar(0.5, 4, unicode()), "██  ");
    assert_eq!(bar(0.53, 4, unicode()), "██▏ ");
    assert_eq!(
        bar(1e-9, 4, unicode()),
        "▏   ",
        "something is never drawn as nothing"
    );
    assert_eq!(bar(1e-9, 4, ascii()), "#   ");
    assert_eq!(bar(0.60, 4, ascii()), "##  ");
    assert_eq!(bar(0.65, 4, ascii()), "### ");
    assert_eq!(bar(7.0, 3, unicode()), "███");
    assert_eq!(bar(f64::NAN, 3, unicode()), "   ");
    assert_eq!(bar(0.5, 0, unicode()), "");
}

#[test]
fn stacked_bars_add_up() {
    let text = |parts: &[(usize, f64)], width| -> String {
        let bar = stacked_bar(parts, width, unicode());
        bar.into_iter().map(|part| part.text).collect()
    };
    // Südhof of the design: .0074 from A, .0085 from B, of the greatest .0170, in 12 cells: 11.2 cells in all.
    let parts = [(0, 0.0074 / 0.0170), (1, 0.0085 / 0.0170)];
    assert_eq!(text(&parts, 12), "█████▒▒▒▒▒▒");
    // Three thirds of 10: the cell left over goes to the first of the equal remainders.
    assert_eq!(shares(&[1.0 / 3.0; 3], 10), [4, 3, 3]);
    assert_eq!(shares(&[0.0, 0.0], 10), [0, 0]);
    assert_eq!(shares(&[2.0, 2.0], 10), [5, 5], "too much is scaled down");
    assert_eq!(
        text(&[(9, 0.5)], 4),
        "··",
        "a seed without a letter has the common fill"
    );
    let theme = Theme::load("mono", ColorLevel::None).unwrap();
    let spans = stacked_spans(&parts, 12, unicode(), &theme);
    assert_eq!(spans.iter().map(Span::width).sum::<usize>(), 12);
}

#[test]
fn sparklines() {
    assert_eq!(sparkline(&[0.0, 0.5, 1.0], None, 3, unicode()), "▁▅█");
    assert_eq!(
        sparkline(&[0.25; 9], Some((0.0, 1.0)), 9, unicode()),
        "▃▃▃▃▃▃▃▃▃"
    );
    assert_eq!(sparkline(&[1.0, f64::NAN, 1.0], None, 4, unicode()), "█ █ ");
    assert_eq!(sparkline(&[0.0, 0.0, 1.0, 1.0], None, 2, ascii()), "_#");
    assert_eq!(sparkline(&[3.0, 3.0], Some((3.0, 3.0)), 2, unicode()), "▁▁");
    assert_eq!(sparkline(&[], None, 3, unicode()), "   ");
    assert_eq!(sparkline(&[-1.0, 1.0], None, 2, unicode()), "▁█");
    assert_eq!(sparkline(&[1.0; 5], None, 0, unicode()), "");
}

#[test]
fn sliders() {
    assert_eq!(slider(0.5, 11, ascii()), "|----o----|");
    assert_eq!(slider(0.0, 7, unicode()), "├●────┤");
    assert_eq!(slider(1.0, 7, unicode()), "├━━━━●┤");
    assert_eq!(slider(0.5, 3, unicode()), "●  ");
    assert_eq!(slider(0.5, 0, unicode()), "");
}

#[test]
fn cutting() {
    assert_eq!(cut("Gerard D. Schellenberg", 20), "Gerard D. Schellen..");
    assert_eq!(cut("Robert Malenka", 14), "Robert Malenka");
    assert_eq!(
        cut("Robert Malenka", 9),
        "Robert..",
        "no space before the dots"
    );
    assert_eq!(cut("Robert", 2), "..");
    assert_eq!(cut("Robert", 1), ".");
    assert_eq!(cut("Robert", 0), "");
    assert_eq!(cut("AB", 2), "AB");
}

#[test]
fn wide_and_joined_characters_stay_whole() {
    assert_eq!(cut("東京都知事", 10), "東京都知事");
    assert_eq!(cut("東京都知事", 9), "東京都..");
    assert_eq!(
        cut("東京都知事", 7),
        "東京..",
        "half a character is not shown"
    );
    assert_eq!(pad("東京都知事", 7), "東京.. ");
    assert_eq!(width("東京"), 4);
    // A family is one character of two cells.
    let family = "👩‍👩‍👧 and friends";
    assert_eq!(cut(family, 4), "👩‍👩‍👧..");
    // Decomposed and composed are the same text.
    assert_eq!(cut("Su\u{308}dhof", 6), "Südhof");
    assert_eq!(pad_left("ü", 3), "  ü");
}

#[test]
fn nothing_in_a_corpus_can_move_the_cursor() {
    assert_eq!(clean("a\r\nb\tc\nd"), "a b c d");
    assert_eq!(clean("\u{1b}[2Jx\u{7f}"), "^[[2Jx^?");
    assert_eq!(clean("a\u{9b}31m"), "a\\x9b31m");
    assert_eq!(clean("user\u{202e}txt.exe"), "usertxt.exe");
    assert!(matches!(clean("plain ü"), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn counts() {
    assert_eq!(
        (count(0), count(999), count(1_000), count(12_345_678)),
        (
            "0".into(),
            "999".into(),
            "1,000".into(),
            "12,345,678".into()
        )
    );
}

proptest! {
    #[test]
    fn any_text_fits_any_room(text in "\\PC*|[\\x00-\\x7f]*|[a-z東\u{308}\u{200d}👩🏽ﾞ ]*", room in 0usize..30) {
        let short = cut(&text, room);
        prop_assert!(width(&short) <= room);
        prop_assert_eq!(width(&pad(&text, room)), room);
        prop_assert_eq!(width(&pad_left(&text, room)), room);
        prop_assert!(!short.contains(char::is_control));
        prop_assert_eq!(&cut(&short, room), &short, "cutting twice changes nothing");
        // What ratatui draws is as wide as we said.
        let mut buffer = Buffer::empty(Rect::new(0, 0, 64, 1));
        let (end, _) = buffer.set_stringn(0, 0, &short, 64, Style::new());
        prop_assert_eq!(usize::from(end), width(&short));
    }

    #[test]
    fn shares_add_up_to_the_rounded_whole(parts in prop::collection::vec(0.0f64..0.4, 0..8), width in 0usize..200) {
        let cells = shares(&parts, width);
        let sum: f64 = parts.iter().sum::<f64>().min(1.0);
        prop_assert_eq!(cells.iter().sum::<usize>(), (sum * width as f64).round() as usize);
        for (part, cells) in parts.iter().zip(&cells) {
            let scale = if parts.iter().sum::<f64>() > 1.0 { 1.0 / parts.iter().sum::<f64>() } else { 1.0 };
            prop_assert!((part * scale * width as f64 - *cells as f64).abs() <= 1.0);
        }
    }

    #[test]
    fn drawings_are_exactly_as_wide_as_asked(fraction in prop::num::f64::ANY, wide in 0usize..60, values in prop::collection::vec(prop::num::f64::ANY, 0..90)) {
        for set in GlyphSet::ALL {
            let glyphs = set.glyphs();
            prop_assert_eq!(width(&bar(fraction, wide, glyphs)), wide);
            prop_assert_eq!(width(&slider(fraction, wide, glyphs)), wide);
            prop_assert_eq!(width(&sparkline(&values, None, wide, glyphs)), wide);
        }
    }
}
