//! Colours between the levels a terminal can show.
//!
//! The nearest colour is looked for in Oklab, where equal distances look equally different. Comparing red, green and
//! blue directly turns muted blues into greys, which is what a theme author would have to repair by hand.

use ratatui::style::Color;

use super::level::ColorLevel;

/// The sixteen colours by the name used in theme files, in the order of their number.
pub(in crate::explorer) const NAMES: [(&str, Color); 16] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

/// What the sixteen colours look like, about as in xterm. Terminals differ; pictures and nearest-colour searches need
/// one answer.
const XTERM: [[u8; 3]; 16] = [
    [0x00, 0x00, 0x00],
    [0xcd, 0x00, 0x00],
    [0x00, 0xcd, 0x00],
    [0xcd, 0xcd, 0x00],
    [0x1e, 0x5f, 0xd8],
    [0xcd, 0x00, 0xcd],
    [0x00, 0xcd, 0xcd],
    [0xe5, 0xe5, 0xe5],
    [0x7f, 0x7f, 0x7f],
    [0xff, 0x55, 0x55],
    [0x55, 0xff, 0x55],
    [0xff, 0xff, 0x55],
    [0x6c, 0x8c, 0xff],
    [0xff, 0x55, 0xff],
    [0x55, 0xff, 0xff],
    [0xff, 0xff, 0xff],
];

/// Steps of the 6 x 6 x 6 cube of the 256 colours.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The number of one of the sixteen named colours.
pub(in crate::explorer) fn ansi_number(color: Color) -> Option<u8> {
    NAMES
        .iter()
        .zip(0u8..)
        .find(|((_, named), _)| *named == color)
        .map(|(_, number)| number)
}

/// Red, green and blue of a colour; `None` for the terminal's own default.
pub(in crate::explorer) fn rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(index) => Some(indexed_rgb(index)),
        named => ansi_number(named).map(indexed_rgb),
    }
}

fn indexed_rgb(index: u8) -> [u8; 3] {
    match index {
        0..=15 => XTERM[usize::from(index)],
        16..=231 => {
            let cell = usize::from(index - 16);
            [CUBE[cell / 36], CUBE[cell / 6 % 6], CUBE[cell % 6]]
        }
        232..=255 => [8 + 10 * (index - 232); 3],
    }
}

/// The nearest colour that a terminal of this level can show. Colours it already can show stay as they are, so that a
/// theme may follow the terminal's own sixteen.
pub(in crate::explorer) fn reduce(color: Color, level: ColorLevel) -> Color {
    match (color, level) {
        (_, ColorLevel::None) => Color::Reset,
        (Color::Rgb(r, g, b), ColorLevel::Ansi256) => {
            Color::Indexed(nearest(oklab([r, g, b]), 16..=255))
        }
        (Color::Indexed(index), ColorLevel::Ansi16) if index < 16 => named(index),
        (Color::Rgb(..) | Color::Indexed(_), ColorLevel::Ansi16) => {
            rgb(color).map_or(color, |value| named(nearest(oklab(value), 0..=15)))
        }
        _ => color,
    }
}

fn named(number: u8) -> Color {
    NAMES[usize::from(number.min(15))].1
}

/// The nearest of a range of the 256 colours. Bright black is never chosen: several terminals draw it in the
/// background's colour (siomon#19), so text in it would vanish.
fn nearest(wanted: [f32; 3], range: std::ops::RangeInclusive<u8>) -> u8 {
    let mut best = (f32::INFINITY, *range.start());
    for index in range.filter(|&index| index != 8) {
        let candidate = oklab(indexed_rgb(index));
        let distance: f32 = wanted
            .iter()
            .zip(candidate)
            .map(|(a, b)| (a - b) * (a - b))
            .sum();
        if distance < best.0 {
            best = (distance, index);
        }
    }
    best.1
}

fn linear(channel: u8) -> f32 {
    let value = f32::from(channel) / 255.0;
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// Björn Ottosson's Oklab.
fn oklab(rgb: [u8; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(linear);
    let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

/// Perceived lightness, 0 to 1: that of Oklab.
#[cfg(test)]
pub(in crate::explorer) fn lightness(color: Color) -> Option<f32> {
    rgb(color).map(|value| oklab(value)[0])
}

/// The WCAG contrast of two colours, 1 to 21.
#[cfg(test)]
pub(in crate::explorer) fn contrast(a: Color, b: Color) -> Option<f32> {
    let light = |color| {
        rgb(color).map(|value| {
            let [r, g, b] = value.map(linear);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        })
    };
    let (a, b) = (light(a)?, light(b)?);
    Some((a.max(b) + 0.05) / (a.min(b) + 0.05))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_and_grey_corners() {
        assert_eq!(indexed_rgb(16), [0, 0, 0]);
        assert_eq!(indexed_rgb(231), [255, 255, 255]);
        assert_eq!(indexed_rgb(67), [95, 135, 175]);
        assert_eq!(indexed_rgb(232), [8, 8, 8]);
        assert_eq!(indexed_rgb(255), [238, 238, 238]);
    }

    #[test]
    fn every_one_of_the_256_is_its_own_nearest_look() {
        for index in 16..=255u8 {
            let [r, g, b] = indexed_rgb(index);
            let found = reduce(Color::Rgb(r, g, b), ColorLevel::Ansi256);
            assert_eq!(rgb(found), Some([r, g, b]), "{index}");
        }
    }

    #[test]
    fn bright_black_is_never_the_nearest() {
        for grey in 0..=255u8 {
            let found = reduce(Color::Rgb(grey, grey, grey), ColorLevel::Ansi16);
            assert_ne!(found, Color::DarkGray, "{grey}");
        }
    }

    #[test]
    fn named_colours_follow_the_terminal_at_every_level_that_has_colour() {
        for level in [ColorLevel::True, ColorLevel::Ansi256, ColorLevel::Ansi16] {
            assert_eq!(reduce(Color::Red, level), Color::Red);
            assert_eq!(reduce(Color::Reset, level), Color::Reset);
        }
        assert_eq!(reduce(Color::Red, ColorLevel::None), Color::Reset);
    }

    #[test]
    fn hues_survive_in_sixteen() {
        let of = |r, g, b| reduce(Color::Rgb(r, g, b), ColorLevel::Ansi16);
        assert_eq!(of(0xd0, 0x10, 0x10), Color::Red);
        assert_eq!(of(0x10, 0xc0, 0x10), Color::Green);
        assert_eq!(of(0x20, 0x60, 0xd0), Color::Blue);
        assert_eq!(of(0xfa, 0xfa, 0xfa), Color::White);
    }

    #[test]
    fn contrast_of_black_and_white() {
        let value = contrast(Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255)).unwrap();
        assert!((value - 21.0).abs() < 0.01, "{value}");
    }
}
