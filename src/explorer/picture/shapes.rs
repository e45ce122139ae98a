//! Characters drawn as shapes in an SVG: box lines, blocks, shades and braille.
//!
//! Lines of neighbouring cells then meet exactly, in every viewer and with every font.

use std::fmt::Write as _;

use super::short;

/// Thickness of light and heavy lines.
const LIGHT: f64 = 1.2;
const HEAVY: f64 = 2.6;

/// The shape of a character in the cell `[left, top, width, height]`, or `None` when it is to be written as text.
pub(super) fn shape(symbol: &str, cell: [f64; 4]) -> Option<String> {
    let mut chars = symbol.chars();
    let (c, None) = (chars.next()?, chars.next()) else {
        return None;
    };
    match c {
        '\u{2580}'..='\u{259f}' => block(c, cell),
        '\u{2500}'..='\u{257f}' => lines(c, cell),
        '\u{2800}'..='\u{28ff}' => Some(braille(c, cell)),
        _ => None,
    }
}

/// A rectangle given in fractions of the cell.
fn part(cell: [f64; 4], [x, y, width, height]: [f64; 4], opacity: f64) -> String {
    let [left, top, wide, high] = cell;
    let mut text = format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        short(left + x * wide),
        short(top + y * high),
        short(width * wide),
        short(height * high),
    );
    if opacity < 1.0 {
        let _ = write!(text, " opacity=\"{}\"", short(opacity));
    }
    text.push_str(" shape-rendering=\"crispEdges\"/>");
    text
}

fn block(c: char, cell: [f64; 4]) -> Option<String> {
    let code = u32::from(c);
    let eighths = |count: u32| f64::from(count) / 8.0;
    let rect = match c {
        '▀' => [0.0, 0.0, 1.0, 0.5],
        '▁'..='█' => {
            let level = eighths(code - 0x2580);
            [0.0, 1.0 - level, 1.0, level]
        }
        '▉'..='▏' => [0.0, 0.0, eighths(0x2590 - code), 1.0],
        '▐' => [0.5, 0.0, 0.5, 1.0],
        '▔' => [0.0, 0.0, 1.0, 0.125],
        '▕' => [0.875, 0.0, 0.125, 1.0],
        '░' | '▒' | '▓' => {
            let opacity = f64::from(code - 0x2590) * 0.25;
            return Some(part(cell, [0.0, 0.0, 1.0, 1.0], opacity));
        }
        _ => {
            // Quadrants, by which quarters they fill: upper left 8, upper right 4, lower left 2, lower right 1.
            let quarters = match c {
                '▖' => 2,
                '▗' => 1,
                '▘' => 8,
                '▙' => 11,
                '▚' => 9,
                '▛' => 14,
                '▜' => 13,
                '▝' => 4,
                '▞' => 6,
                '▟' => 7,
                _ => return None,
            };
            let places = [(8, 0.0, 0.0), (4, 0.5, 0.0), (2, 0.0, 0.5), (1, 0.5, 0.5)];
            return Some(
                places
                    .into_iter()
                    .filter(|(bit, _, _)| quarters & bit != 0)
                    .map(|(_, x, y)| part(cell, [x, y, 0.5, 0.5], 1.0))
                    .collect(),
            );
        }
    };
    Some(part(cell, rect, 1.0))
}

fn braille(c: char, [left, top, wide, high]: [f64; 4]) -> String {
    let bits = u32::from(c) - 0x2800;
    // Dots 1 to 8 as Unicode numbers them: column, row.
    let places = [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 1),
        (1, 2),
        (0, 3),
        (1, 3),
    ];
    let mut text = String::new();
    for (bit, (column, row)) in places.into_iter().enumerate() {
        if bits >> bit & 1 == 1 {
            let x = left + wide * (0.25 + 0.5 * f64::from(column));
            let y = top + high * (0.125 + 0.25 * f64::from(row));
            let _ = write!(
                text,
                "<circle cx=\"{}\" cy=\"{}\" r=\"1.3\"/>",
                short(x),
                short(y)
            );
        }
    }
    text
}

/// The weights of the four arms of a box character, up right down left: 0 none, 1 light, 2 heavy.
fn arms(c: char) -> Option<[u8; 4]> {
    Some(match c {
        '─' | '╌' | '┄' | '┈' => [0, 1, 0, 1],
        '━' | '╍' | '┅' | '┉' => [0, 2, 0, 2],
        '│' | '╎' | '┆' | '┊' => [1, 0, 1, 0],
        '┃' | '╏' | '┇' | '┋' => [2, 0, 2, 0],
        '┌' | '╭' => [0, 1, 1, 0],
        '┐' | '╮' => [0, 0, 1, 1],
        '└' | '╰' => [1, 1, 0, 0],
        '┘' | '╯' => [1, 0, 0, 1],
        '┏' => [0, 2, 2, 0],
        '┓' => [0, 0, 2, 2],
        '┗' => [2, 2, 0, 0],
        '┛' => [2, 0, 0, 2],
        '├' => [1, 1, 1, 0],
        '┤' => [1, 0, 1, 1],
        '┬' => [0, 1, 1, 1],
        '┴' => [1, 1, 0, 1],
        '┼' => [1, 1, 1, 1],
        '┣' => [2, 2, 2, 0],
        '┫' => [2, 0, 2, 2],
        '┳' => [0, 2, 2, 2],
        '┻' => [2, 2, 0, 2],
        '╋' => [2, 2, 2, 2],
        '┝' => [1, 2, 1, 0],
        '┠' => [2, 1, 2, 0],
        '┥' => [1, 0, 1, 2],
        '┨' => [2, 0, 2, 1],
        '┯' => [0, 2, 1, 2],
        '┰' => [0, 1, 2, 1],
        '┷' => [1, 2, 0, 2],
        '┸' => [2, 1, 0, 1],
        '┿' => [1, 2, 1, 2],
        '╂' => [2, 1, 2, 1],
        '┢' => [1, 2, 2, 0],
        '┡' => [2, 2, 1, 0],
        '┪' => [1, 0, 2, 2],
        '┩' => [2, 0, 1, 2],
        '╆' => [1, 2, 2, 1],
        '╅' => [1, 1, 2, 2],
        '╄' => [2, 2, 1, 1],
        '╃' => [2, 1, 1, 2],
        '╴' => [0, 0, 0, 1],
        '╵' => [1, 0, 0, 0],
        '╶' => [0, 1, 0, 0],
        '╷' => [0, 0, 1, 0],
        '╸' => [0, 0, 0, 2],
        '╹' => [2, 0, 0, 0],
        '╺' => [0, 2, 0, 0],
        '╻' => [0, 0, 2, 0],
        _ => return None,
    })
}

fn lines(c: char, [left, top, wide, high]: [f64; 4]) -> Option<String> {
    let arms = arms(c)?;
    let thick = arms.map(|weight| match weight {
        0 => 0.0,
        1 => LIGHT,
        _ => HEAVY,
    });
    let (x, y) = (left + wide / 2.0, top + high / 2.0);
    if matches!(c, '╭' | '╮' | '╰' | '╯') {
        let down = if arms[2] > 0 { top + high } else { top };
        let side = if arms[1] > 0 { left + wide } else { left };
        return Some(format!(
            "<path d=\"M{} {}Q{} {} {} {}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"{LIGHT}\"/>",
            short(x),
            short(down),
            short(x),
            short(y),
            short(side),
            short(y),
        ));
    }
    // Each arm reaches past the middle by half of the crossing arms, so that corners are filled.
    let across = thick[0].max(thick[2]) / 2.0;
    let along = thick[1].max(thick[3]) / 2.0;
    let mut text = String::new();
    let mut rect = |x: f64, y: f64, width: f64, height: f64| {
        let _ = write!(
            text,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            short(x),
            short(y),
            short(width),
            short(height)
        );
    };
    let [up, right, down, leftward] = thick;
    if up > 0.0 && up == down && along == 0.0 {
        rect(x - up / 2.0, top, up, high);
    } else {
        if up > 0.0 {
            rect(x - up / 2.0, top, up, high / 2.0 + along);
        }
        if down > 0.0 {
            rect(x - down / 2.0, y - along, down, high / 2.0 + along);
        }
    }
    if right > 0.0 && right == leftward && across == 0.0 {
        rect(left, y - right / 2.0, wide, right);
    } else {
        if right > 0.0 {
            rect(x - across, y - right / 2.0, wide / 2.0 + across, right);
        }
        if leftward > 0.0 {
            rect(left, y - leftward / 2.0, wide / 2.0 + across, leftward);
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: [f64; 4] = [10.0, 20.0, 8.0, 16.0];

    #[test]
    fn blocks_fill_their_eighths() {
        assert!(
            shape("█", CELL)
                .unwrap()
                .contains("x=\"10\" y=\"20\" width=\"8\" height=\"16\"")
        );
        assert!(
            shape("▁", CELL)
                .unwrap()
                .contains("y=\"34\" width=\"8\" height=\"2\"")
        );
        assert!(
            shape("▏", CELL)
                .unwrap()
                .contains("x=\"10\" y=\"20\" width=\"1\"")
        );
        assert!(shape("▉", CELL).unwrap().contains("width=\"7\""));
        assert!(shape("▌", CELL).unwrap().contains("width=\"4\""));
        assert!(shape("▒", CELL).unwrap().contains("opacity=\"0.5\""));
        assert_eq!(shape("▚", CELL).unwrap().matches("<rect").count(), 2);
    }

    #[test]
    fn lines_reach_the_edges_of_their_cell() {
        let text = shape("─", CELL).unwrap();
        assert!(
            text.contains("x=\"10\"") && text.contains("width=\"8\""),
            "{text}"
        );
        assert_eq!(shape("┼", CELL).unwrap().matches("<rect").count(), 4);
        assert!(shape("╭", CELL).unwrap().starts_with("<path"));
    }

    #[test]
    fn every_border_glyph_is_a_shape_and_letters_are_not() {
        for symbol in "┌┐└┘─│┏┓┗┛━┃├┤┬┴┼╋●".chars().filter(|c| *c != '●')
        {
            assert!(shape(&symbol.to_string(), CELL).is_some(), "{symbol}");
        }
        for symbol in ["A", "●", "東", "·", " ", "", "e\u{301}"] {
            assert!(shape(symbol, CELL).is_none(), "{symbol}");
        }
        assert_eq!(shape("⣿", CELL).unwrap().matches("<circle").count(), 8);
        assert_eq!(
            shape("⠁", CELL).unwrap(),
            "<circle cx=\"12\" cy=\"22\" r=\"1.3\"/>"
        );
    }
}
