//! Characters drawn as shapes in an SVG: box lines, blocks, shades and braille.
//!
//! Lines of neighbouring cells then meet exactly, in every viewer and with every font.

use std::fmt::Write as _;

use super::short;

/// Thickness of light and heavy lines.
const LIGHT: f64 = 1.2;
const HEAVY: f64 = 2.6;

/// A piece of a drawn character.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// Left, top, width and height. One that is crisp has its edges on pixels, as blocks that fill a cell need.
    Rect {
        at: [f64; 4],
        opacity: f64,
        crisp: bool,
    },
    /// A dot of braille, by its middle.
    Dot(f64, f64),
    /// A rounded corner: where it starts, the corner it bends around, where it ends.
    Bend([(f64, f64); 3]),
}

/// The shape of a character in the cell `[left, top, width, height]`, or `None` when it is to be written as text.
pub(super) fn shape(symbol: &str, cell: [f64; 4]) -> Option<Vec<Part>> {
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

/// Parts of one colour as paths, one for every kind of them: a screen has thousands of parts.
pub(super) fn paths(parts: &[Part], ink: &str) -> Vec<String> {
    // Rectangles that continue each other are one.
    let mut rects: Vec<([f64; 4], f64, bool)> = Vec::new();
    let (mut dots, mut bends) = (String::new(), String::new());
    for part in parts {
        match *part {
            Part::Rect { at, opacity, crisp } => {
                let before = rects.iter_mut().rev().take(2).find(|(last, lucid, edges)| {
                    let [x, y, width, height] = *last;
                    let meets = (x + width - at[0]).abs() < 1e-6;
                    meets && (y, height, *lucid, *edges) == (at[1], at[3], opacity, crisp)
                });
                match before {
                    Some((last, ..)) => last[2] += at[2],
                    None => rects.push((at, opacity, crisp)),
                }
            }
            Part::Dot(x, y) => {
                let _ = write!(dots, "M{} {}h0", short(x), short(y));
            }
            Part::Bend([from, around, to]) => {
                let [a, b, c] =
                    [from, around, to].map(|(x, y)| format!("{} {}", short(x), short(y)));
                let _ = write!(bends, "M{a}Q{b} {c}");
            }
        }
    }
    let mut out: Vec<String> = Vec::new();
    while let Some(&(_, lucid, edges)) = rects.first() {
        let mut path = String::new();
        rects.retain(|&([x, y, width, height], opacity, crisp)| {
            if (opacity, crisp) != (lucid, edges) {
                return true;
            }
            let width = short(width);
            let _ = write!(
                path,
                "M{} {}h{width}v{}h-{width}z",
                short(x),
                short(y),
                short(height)
            );
            false
        });
        let class = if edges { " class=\"s\"" } else { "" };
        let opacity = match lucid < 1.0 {
            true => format!(" opacity=\"{}\"", short(lucid)),
            false => String::new(),
        };
        out.push(format!(
            "<path{class} fill=\"{ink}\"{opacity} d=\"{path}\"/>"
        ));
    }
    if !dots.is_empty() {
        out.push(format!("<path class=\"d\" stroke=\"{ink}\" d=\"{dots}\"/>"));
    }
    if !bends.is_empty() {
        out.push(format!(
            "<path fill=\"none\" stroke=\"{ink}\" stroke-width=\"{LIGHT}\" d=\"{bends}\"/>"
        ));
    }
    out
}

/// A rectangle given in fractions of the cell.
fn part(cell: [f64; 4], [x, y, width, height]: [f64; 4], opacity: f64) -> Part {
    let [left, top, wide, high] = cell;
    Part::Rect {
        at: [left + x * wide, top + y * high, width * wide, height * high],
        opacity,
        crisp: true,
    }
}

fn block(c: char, cell: [f64; 4]) -> Option<Vec<Part>> {
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
            return Some(vec![part(cell, [0.0, 0.0, 1.0, 1.0], opacity)]);
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
    Some(vec![part(cell, rect, 1.0)])
}

fn braille(c: char, [left, top, wide, high]: [f64; 4]) -> Vec<Part> {
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
    let dots = places.into_iter().enumerate();
    let dots = dots.filter(|(bit, _)| bits >> bit & 1 == 1);
    dots.map(|(_, (column, row))| {
        let x = left + wide * (0.25 + 0.5 * f64::from(column));
        let y = top + high * (0.125 + 0.25 * f64::from(row));
        Part::Dot(x, y)
    })
    .collect()
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

fn lines(c: char, [left, top, wide, high]: [f64; 4]) -> Option<Vec<Part>> {
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
        return Some(vec![Part::Bend([(x, down), (x, y), (side, y)])]);
    }
    // Each arm reaches past the middle by half of the crossing arms, so that corners are filled.
    let across = thick[0].max(thick[2]) / 2.0;
    let along = thick[1].max(thick[3]) / 2.0;
    let mut parts = Vec::new();
    let mut rect = |x: f64, y: f64, width: f64, height: f64| {
        parts.push(Part::Rect {
            at: [x, y, width, height],
            opacity: 1.0,
            crisp: false,
        });
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
        if leftward > 0.0 {
            rect(left, y - leftward / 2.0, wide / 2.0 + across, leftward);
        }
        if right > 0.0 {
            rect(x - across, y - right / 2.0, wide / 2.0 + across, right);
        }
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: [f64; 4] = [10.0, 20.0, 8.0, 16.0];

    fn only(symbol: &str) -> ([f64; 4], f64) {
        match shape(symbol, CELL).as_deref() {
            Some(&[Part::Rect { at, opacity, .. }]) => (at, opacity),
            other => panic!("{symbol}: {other:?}"),
        }
    }

    #[test]
    fn blocks_fill_their_eighths() {
        assert_eq!(only("█"), (CELL, 1.0));
        assert_eq!(only("▁").0, [10.0, 34.0, 8.0, 2.0]);
        assert_eq!(only("▏").0, [10.0, 20.0, 1.0, 16.0]);
        assert_eq!(only("▉").0[2], 7.0);
        assert_eq!(only("▌").0[2], 4.0);
        assert_eq!(only("▒"), (CELL, 0.5));
        assert_eq!(shape("▚", CELL).unwrap().len(), 2);
    }

    #[test]
    fn lines_reach_the_edges_of_their_cell() {
        let ([left, _, width, _], _) = only("─");
        assert_eq!((left, width), (10.0, 8.0));
        assert_eq!(shape("┼", CELL).unwrap().len(), 4);
        assert!(matches!(shape("╭", CELL).unwrap()[..], [Part::Bend(_)]));
    }

    #[test]
    fn every_border_glyph_is_a_shape_and_letters_are_not() {
        for symbol in "┌┐└┘─│┏┓┗┛━┃├┤┬┴┼╋".chars() {
            assert!(shape(&symbol.to_string(), CELL).is_some(), "{symbol}");
        }
        for symbol in ["A", "●", "東", "·", " ", "", "e\u{301}"] {
            assert!(shape(symbol, CELL).is_none(), "{symbol}");
        }
        assert_eq!(shape("⣿", CELL).unwrap().len(), 8);
        assert_eq!(shape("⠁", CELL).unwrap(), [Part::Dot(12.0, 22.0)]);
    }

    #[test]
    fn parts_that_continue_each_other_are_one_path() {
        let at = |column: f64| [10.0 + 8.0 * column, 20.0, 8.0, 16.0];
        let row = |symbols: &[&str]| {
            let cells = symbols.iter().zip(0u8..);
            let parts = cells.filter_map(|(symbol, column)| shape(symbol, at(f64::from(column))));
            paths(&parts.flatten().collect::<Vec<_>>(), "#fff")
        };
        assert_eq!(
            row(&["─", "─", "─"]),
            ["<path fill=\"#fff\" d=\"M10 27.4h24v1.2h-24z\"/>"]
        );
        // Blocks have their edges on pixels, lines have not, and a shade lets the ground through.
        let all = row(&["█", "█", "─", "▒", "⠁", "╭"]);
        assert_eq!(all.len(), 5, "{all:?}");
        assert_eq!(
            all[0],
            "<path class=\"s\" fill=\"#fff\" d=\"M10 20h16v16h-16z\"/>"
        );
        assert!(all[2].contains("opacity=\"0.5\""), "{all:?}");
        assert_eq!(all[3], "<path class=\"d\" stroke=\"#fff\" d=\"M44 22h0\"/>");
        assert!(all[4].contains("M54 36Q54 28 58 28"), "{all:?}");
    }
}
