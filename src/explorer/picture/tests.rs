use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::text::Span;
use ratatui::widgets::{Block, Widget};

use super::*;
use crate::explorer::glyphs::{GlyphSet, Glyphs, bar, slider, sparkline, stacked_spans};
use crate::explorer::theme::{BUILT_IN, ColorLevel};

fn caption() -> Caption<'static> {
    Caption {
        title: "Test <1>",
        description: "",
        foreground: [0xee, 0xee, 0xee],
        background: [0x11, 0x11, 0x11],
    }
}

fn line(text: &str, style: Style) -> Buffer {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
    buffer.set_string(0, 0, text, style);
    buffer
}

fn body(buffer: &Buffer) -> String {
    let text = svg(buffer, &caption());
    well_formed(&text);
    let start = text.find("<g transform").unwrap();
    let rest = &text[start..];
    rest[rest.find('\n').unwrap() + 1..]
        .trim_end_matches("</g>\n</svg>\n")
        .to_owned()
}

/// Tags balance, attributes are quoted, `<` and `&` are escaped: what an XML parser would refuse, this refuses.
pub(super) fn well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        entities(&rest[..start]);
        let end = rest[start..].find('>').expect("a tag ends") + start;
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<'), "{tag}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        entities(tag);
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split([' ', '\n']).next().unwrap());
        }
        rest = &rest[end + 1..];
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
}

fn entities(text: &str) {
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;"];
        assert!(
            known.iter().any(|entity| text[at..].starts_with(entity)),
            "{text}"
        );
    }
}

#[test]
fn runs_of_one_style_are_one_element() {
    let mut buffer = line("seeds and ", Style::new().fg(Color::Rgb(1, 2, 3)));
    buffer.set_string(
        10,
        0,
        "AB",
        Style::new()
            .bg(Color::Rgb(9, 9, 9))
            .add_modifier(Modifier::BOLD),
    );
    insta::assert_snapshot!(body(&buffer), @r##"
    <rect class="s" x="84.3" y="0" width="16.86" height="18" fill="#090909"/>
    <text x="0" y="13.5" textLength="75.87" fill="#010203">seeds and</text>
    <text x="84.3" y="13.5" textLength="16.86" fill="#eeeeee" class="b">AB</text>
    "##);
}

#[test]
fn columns_start_anew_and_odd_characters_are_escaped() {
    let text = body(&line("a<&  \"b c\"", Style::new()));
    assert!(text.contains(">a&lt;&amp;</text>"), "{text}");
    assert!(
        text.contains("x=\"42.15\""),
        "the second word starts in its column: {text}"
    );
    assert!(text.contains(">&quot;b c&quot;</text>"), "{text}");
    assert!(svg(&line("", Style::new()), &caption()).contains("<title>Test &lt;1&gt;</title>"));
}

#[test]
fn wide_characters_take_two_cells_and_hide_the_second() {
    let buffer = line("x東京y", Style::new());
    let text = body(&buffer);
    assert!(
        text.contains("<text x=\"8.43\" y=\"13.5\" textLength=\"16.86\""),
        "{text}"
    );
    assert!(
        text.contains("<text x=\"42.15\" y=\"13.5\" textLength=\"8.43\""),
        "y follows in column 5: {text}"
    );
    assert_eq!(plain(&buffer), "x東京y\n");
}

#[test]
fn reversed_dim_hidden_underlined() {
    let of = |modifier| body(&line("ab", Style::new().add_modifier(modifier)));
    let reversed = of(Modifier::REVERSED);
    assert!(
        reversed.contains("width=\"16.86\" height=\"18\" fill=\"#eeeeee\""),
        "{reversed}"
    );
    assert!(reversed.contains("fill=\"#111111\">ab"), "{reversed}");
    assert!(of(Modifier::DIM).contains("fill=\"#959595\">ab"));
    assert!(!of(Modifier::HIDDEN).contains("ab"));
    assert!(of(Modifier::UNDERLINED).contains("y=\"15.5\" width=\"16.86\" height=\"1\""));
}

#[test]
fn borders_are_shapes_and_titles_are_text() {
    let mut buffer = Buffer::empty(Rect::new(3, 2, 12, 3));
    Block::bordered()
        .title("Seeds")
        .render(buffer.area, &mut buffer);
    let text = body(&buffer);
    assert!(text.contains(">Seeds</text>"), "{text}");
    assert!(!text.contains(['─', '┐', '│']), "{text}");
    assert!(
        text.contains("<text x=\"8.43\" y=\"13.5\""),
        "positions count from the buffer's corner: {text}"
    );
}

#[test]
fn ansi_sets_each_look_once_and_resets_each_line() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
    buffer.set_string(
        0,
        0,
        "abc",
        Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
    );
    buffer.set_string(
        3,
        0,
        "d",
        Style::new().fg(Color::Rgb(1, 2, 3)).bg(Color::Indexed(7)),
    );
    buffer.set_string(0, 1, "e", Style::new().bg(Color::LightBlue));
    let text = ansi(&buffer);
    assert_eq!(
        text,
        "\u{1b}[0;1;31mabc\u{1b}[0;38;2;1;2;3;48;5;7md\u{1b}[0m\n\u{1b}[0;104me\u{1b}[0m\n"
    );
    // A terminal reading it shows the same.
    let mut terminal = vt100::Parser::new(4, 20, 0);
    terminal.process(text.replace('\n', "\r\n").as_bytes());
    assert_eq!(
        terminal.screen().contents().trim_end(),
        plain(&buffer).trim_end()
    );
    let cell = terminal.screen().cell(0, 3).unwrap();
    assert_eq!(cell.fgcolor(), vt100::Color::Rgb(1, 2, 3));
    assert_eq!(
        terminal.screen().cell(1, 1).unwrap().bgcolor(),
        vt100::Color::Default
    );
}

#[test]
fn plain_text_has_no_trailing_spaces() {
    let mut buffer = Buffer::empty(Rect::new(0, 0, 9, 3));
    buffer.set_string(1, 0, "a  b", Style::new());
    assert_eq!(plain(&buffer), " a  b\n\n\n");
    assert_eq!(plain(&Buffer::empty(Rect::ZERO)), "");
    well_formed(&svg(&Buffer::empty(Rect::ZERO), &caption()));
}

#[test]
fn same_buffer_same_bytes() {
    let buffer = card("default-dark", ColorLevel::True, GlyphSet::Unicode);
    assert_eq!(svg(&buffer, &caption()), svg(&buffer, &caption()));
}

/// Every scope and every glyph of a theme on one screen: the picture to look at after a change.
fn card(name: &str, level: ColorLevel, set: GlyphSet) -> Buffer {
    let theme = Theme::load(name, level).unwrap();
    let glyphs = set.glyphs();
    let mut buffer = Buffer::empty(Rect::new(0, 0, 100, 30));
    buffer.set_style(buffer.area, theme.style(Scope::Background));
    for (x, set, scope, title) in [
        (0, glyphs.border, Scope::Border, "Scopes"),
        (50, glyphs.border_focus, Scope::BorderFocus, "Glyphs"),
    ] {
        Block::bordered()
            .border_set(set)
            .border_style(theme.style(scope))
            .title(Span::styled(
                format!(" {title}: {name}, {}, {} ", level.id(), glyphs.set.id()),
                theme.style(Scope::Title),
            ))
            .render(Rect::new(x, 0, 50, 30), &mut buffer);
    }
    for (index, scope) in Scope::ALL.into_iter().enumerate() {
        let (column, row) = (index / 28, index % 28);
        let text = format!("{:<12} p29 Südhof", scope.id());
        let x = 2 + 25 * u16::try_from(column).unwrap();
        let y = 1 + u16::try_from(row).unwrap();
        buffer.set_stringn(x, y, &text, 22, theme.style(scope));
    }
    let text = theme.style(Scope::Text);
    let value = theme.style(Scope::Value);
    for seed in 0..7usize {
        let y = 1 + u16::try_from(seed).unwrap();
        let label = format!(
            "{} {}",
            Glyphs::letter(seed),
            bar(0.9 - 0.11 * seed as f64, 10, glyphs)
        );
        buffer.set_string(52, y, label, theme.seed(seed));
        let mut x = 66;
        for span in stacked_spans(&[(seed, 0.45), (seed + 1, 0.3)], 14, glyphs, &theme) {
            buffer.set_span(x, y, &span, 14);
            x += u16::try_from(span.width()).unwrap();
        }
        let gold = format!("{} gold  {}", glyphs.gold, glyphs.tie);
        buffer.set_string(82, y, gold, theme.style(Scope::Gold));
    }
    let wave: Vec<f64> = (0..40)
        .map(|step| (f64::from(step) / 4.0).sin() + 1.0)
        .collect();
    buffer.set_string(
        52,
        9,
        sparkline(&wave, None, 40, glyphs),
        theme.style(Scope::Bar),
    );
    for step in 0..4u16 {
        let fraction = f64::from(step) / 3.0;
        let drawn = slider(fraction, 24, glyphs);
        buffer.set_string(52, 11 + step, format!("damping d  {drawn}"), text);
        buffer.set_string(89, 11 + step, format!("{fraction:.2}"), value);
    }
    for step in 0..9u16 {
        let fraction = f64::from(step) / 8.0;
        let style = theme.style(Scope::heat(fraction));
        let cell = glyphs.shade(fraction).repeat(2);
        let has_ground = style.bg.is_some_and(|bg| bg != Color::Reset);
        buffer.set_string(
            52 + 4 * step,
            16,
            if has_ground {
                format!(" {step}  ")
            } else {
                format!("{cell}  ")
            },
            style,
        );
    }
    buffer.set_string(
        52,
        18,
        format!(
            "{} {} {}",
            glyphs.arrows.join(" "),
            glyphs.tree.join(" "),
            glyphs.ellipsis
        ),
        text,
    );
    buffer.set_string(52, 20, "> 9 G p0  Thomas C. Südhof", text);
    buffer.set_string(52, 21, "東京都 + 10 a\u{308} ⣿⠶⣀ ▖▚▜ ╭──╮ x", text);
    buffer.set_style(Rect::new(52, 20, 40, 1), theme.style(Scope::Selection));
    buffer.set_style(Rect::new(52, 23, 30, 5), theme.style(Scope::Popup));
    buffer.set_string(54, 24, "a panel over the screen", theme.style(Scope::Title));
    buffer.set_string(54, 25, "Ctrl-P", theme.style(Scope::Key));
    buffer
}

#[test]
fn cards_of_all_themes_are_well_formed() {
    let folder = std::env::var_os("HOPSCOPE_CARDS");
    for (name, _) in BUILT_IN {
        for level in ColorLevel::ALL {
            for set in [GlyphSet::Unicode, GlyphSet::Ascii] {
                let buffer = card(name, level, set);
                let theme = Theme::load(name, level).unwrap();
                let picture = svg(&buffer, &Caption::new(name, "", &theme));
                well_formed(&picture);
                if let Some(folder) = &folder {
                    let file = format!("{name}-{}-{}.svg", level.id(), set.id());
                    std::fs::write(std::path::Path::new(folder).join(file), picture).unwrap();
                }
            }
        }
    }
}
