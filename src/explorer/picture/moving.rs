//! Frames as one SVG that moves by itself: no script, no font and no file beside it, so that it plays wherever a page
//! shows a picture.
//!
//! A frame is the elements of its still picture. An element that stays over several frames is written once; elements
//! with the same moments are a group, and a keyframe rule shows it in them. Where nothing may move, the first frame
//! stays.

use super::{
    BASELINE, CELL_HEIGHT, CELL_WIDTH, Caption, FOOT, Layer, Look, drawn, head, text_element,
};
use ratatui::buffer::Buffer;
use ratatui::style::Modifier;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The most frames: about ten minutes of a busy session. Each of them is written, and played by whoever opens the file.
pub const FRAMES: usize = 2_000;

/// Room under the cells for the key that led to a frame.
const BELOW: f64 = 26.0;

/// From which frame to before which, again and again.
type Moments = Vec<(usize, usize)>;

/// A picture that is being made, frame by frame.
#[derive(Debug, Default)]
pub struct Moving {
    /// When each frame begins, in seconds.
    starts: Vec<f64>,
    size: (u16, u16),
    /// Every element once, by its layer, with the frames that have it.
    elements: Vec<(Layer, String, Moments)>,
    places: FxHashMap<(Layer, String), usize>,
    last: Option<(Buffer, String)>,
    keyed: bool,
}

impl Moving {
    pub fn new() -> Moving {
        Moving::default()
    }

    /// How many frames there are.
    pub fn frames(&self) -> usize {
        self.starts.len()
    }

    /// Takes a frame that looks other than the one before; `seconds` count from the beginning. `key` is what was pressed
    /// for it and is shown under the cells; empty shows nothing.
    ///
    /// # Errors
    /// When there are [`FRAMES`] already.
    pub fn frame(
        &mut self,
        seconds: f64,
        buffer: &Buffer,
        key: &str,
        caption: &Caption<'_>,
    ) -> Result<(), String> {
        let same = (self.last.as_ref()).is_some_and(|(last, said)| last == buffer && said == key);
        if same {
            return Ok(());
        }
        let at = self.starts.len();
        if at == FRAMES {
            return Err(format!(
                "an SVG holds at most {FRAMES} frames; a .cast has no limit"
            ));
        }
        self.starts.push(seconds);
        self.size.0 = self.size.0.max(buffer.area.width);
        self.size.1 = self.size.1.max(buffer.area.height);
        drawn(buffer, caption, |layer, element| {
            self.put(at, layer, element);
        });
        if !key.is_empty() {
            self.keyed = true;
            for element in keycap(buffer.area.height, key, caption) {
                self.put(at, Layer::Ink, element);
            }
        }
        self.last = Some((buffer.clone(), key.to_owned()));
        Ok(())
    }

    fn put(&mut self, frame: usize, layer: Layer, element: String) {
        let key = (layer, element);
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None => {
                let place = self.elements.len();
                self.elements.push((layer, key.1.clone(), Vec::new()));
                self.places.insert(key, place);
                place
            }
        };
        let moments = &mut self.elements[place].2;
        match moments.last_mut() {
            Some((_, end)) if *end == frame => *end += 1,
            // One that a frame has twice is in its place once.
            Some((_, end)) if *end == frame + 1 => {}
            _ => moments.push((frame, frame + 1)),
        }
    }

    /// The document; it begins anew after `end` seconds.
    pub fn svg(&self, end: f64, caption: &Caption<'_>) -> String {
        let all = self.starts.len();
        // What is in all frames needs no rule.
        let mut groups: [BTreeMap<&Moments, Vec<&str>>; 2] = Default::default();
        for (layer, element, moments) in &self.elements {
            let group = &mut groups[usize::from(*layer == Layer::Ink)];
            group.entry(moments).or_default().push(element);
        }
        let always = |moments: &Moments| moments[..] == [(0, all)];
        let mut rules: BTreeMap<&Moments, usize> = BTreeMap::new();
        for moments in groups.iter().flat_map(BTreeMap::keys) {
            let next = rules.len();
            if !always(moments) {
                rules.entry(moments).or_insert(next);
            }
        }
        let end = end.max(self.starts.last().copied().unwrap_or_default() + 0.01);
        let mut style = format!(
            ".m{{visibility:hidden;animation:{}s step-end infinite}}.p{{visibility:visible}}\
             @media(prefers-reduced-motion:reduce){{.m{{animation:none}}}}",
            super::short(end)
        );
        for (moments, rule) in &rules {
            let _ = write!(style, "\n@keyframes k{rule}{{");
            if moments.first().is_some_and(|(first, _)| *first > 0) {
                style.push_str("0%{visibility:hidden}");
            }
            for &(first, after) in *moments {
                let share = |frame: usize| percent(self.starts[frame] / end);
                let _ = write!(style, "{}{{visibility:visible}}", share(first));
                if after < all {
                    let _ = write!(style, "{}{{visibility:hidden}}", share(after));
                }
            }
            let _ = write!(style, "}}.k{rule}{{animation-name:k{rule}}}");
        }
        let below = if self.keyed { BELOW } else { 0.0 };
        let mut out = head(self.size, below, caption, &style);
        for group in groups {
            for (moments, elements) in group {
                let rule = rules.get(moments);
                if let Some(rule) = rule {
                    let first = if moments[0].0 == 0 { " p" } else { "" };
                    let _ = writeln!(out, "<g class=\"m k{rule}{first}\">");
                }
                for element in elements {
                    out.push_str(element);
                    out.push('\n');
                }
                if rule.is_some() {
                    out.push_str("</g>\n");
                }
            }
        }
        out.push_str(FOOT);
        out
    }
}

/// A key under the cells, in a frame as a keyboard has it.
fn keycap(rows: u16, key: &str, caption: &Caption<'_>) -> [String; 2] {
    let top = f64::from(rows) * CELL_HEIGHT + 6.0;
    let width = f64::from(super::word_cells(key)) * CELL_WIDTH;
    let look = Look {
        fg: caption.foreground,
        bg: caption.background,
        modifier: Modifier::BOLD,
    };
    let frame = format!(
        "<rect x=\"0.5\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"none\" stroke=\"{}\" opacity=\"0.5\"/>",
        super::short(top - 0.5),
        super::short(width + 2.0 * CELL_WIDTH),
        super::short(BASELINE + 6.5),
        super::hex(caption.foreground),
    );
    [frame, text_element(CELL_WIDTH, top + 1.0, key, &look)]
}

/// A share of the whole time as CSS has it.
fn percent(share: f64) -> String {
    let text = format!("{:.3}", share * 100.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}%")
}

#[cfg(test)]
mod tests {
    use super::super::{svg, tests::well_formed};
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};

    fn caption() -> Caption<'static> {
        Caption {
            title: "t",
            description: "",
            foreground: [0xee; 3],
            background: [0x11; 3],
        }
    }

    fn screen(text: &str) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 2));
        buffer.set_string(0, 0, "stays", Style::new().fg(Color::Red));
        buffer.set_string(0, 1, text, Style::new().bg(Color::Blue));
        buffer
    }

    /// The elements that the rules show at a share of the time, as a browser would take them.
    fn shown(picture: &str, percent: f64) -> Vec<String> {
        let visible = |rule: &str| {
            let head = format!("@keyframes {rule}{{");
            let rest = &picture[picture.find(&head).unwrap() + head.len()..];
            let body = &rest[..rest.find("}}").unwrap() + 1];
            let mut last = false;
            for step in body.split_inclusive('}') {
                let (at, said) = step.split_once('{').unwrap();
                if at.trim_end_matches('%').parse::<f64>().unwrap() <= percent {
                    last = said == "visibility:visible}";
                }
            }
            last
        };
        let cells = &picture[picture.find("<g transform").unwrap()..];
        let mut found = Vec::new();
        let mut on = true;
        for line in cells.lines().skip(1) {
            if let Some(classes) = line.strip_prefix("<g class=\"m ") {
                on = visible(classes.split([' ', '"']).next().unwrap());
            } else if line == "</g>" {
                on = true;
            } else if on && line != "</svg>" {
                found.push(line.to_owned());
            }
        }
        found.sort();
        found
    }

    fn still(buffer: &Buffer) -> Vec<String> {
        let mut found = Vec::new();
        drawn(buffer, &caption(), |_, element| found.push(element));
        found.sort();
        found.dedup();
        let whole = svg(buffer, &caption());
        assert!(found.iter().all(|element| whole.contains(element)));
        found
    }

    #[test]
    fn every_moment_shows_its_still_picture_and_what_stays_is_written_once() {
        let texts = ["one", "two  ─── ▒", "one", "three"];
        let mut moving = Moving::new();
        for (at, text) in texts.into_iter().enumerate() {
            let seconds = 2.0 * at as f64;
            moving
                .frame(seconds, &screen(text), "", &caption())
                .unwrap();
            // One that looks the same is none.
            moving
                .frame(seconds + 1.0, &screen(text), "", &caption())
                .unwrap();
        }
        assert_eq!(moving.frames(), 4);
        let picture = moving.svg(8.0, &caption());
        well_formed(&picture);
        for (at, text) in texts.into_iter().enumerate() {
            let begins = 25.0 * at as f64;
            for percent in [begins, begins + 24.9] {
                assert_eq!(
                    shown(&picture, percent),
                    still(&screen(text)),
                    "{percent} %"
                );
            }
        }
        assert_eq!(picture.matches(">stays</text>").count(), 1);
        assert_eq!(picture.matches(">one</text>").count(), 1);
        assert!(picture.contains("animation:8s step-end infinite"));
        // Where nothing moves the first frame stays.
        let first = picture.find(">one</text>").unwrap();
        let group = &picture[picture[..first].rfind("<g ").unwrap()..first];
        assert!(group.starts_with("<g class=\"m k"), "{group}");
        assert!(group.lines().next().unwrap().ends_with(" p\">"), "{group}");
    }

    #[test]
    fn the_key_that_led_to_a_frame_is_under_its_cells() {
        let mut moving = Moving::new();
        moving.frame(0.0, &screen("a"), "", &caption()).unwrap();
        moving.frame(1.0, &screen("b"), "<F2>", &caption()).unwrap();
        let picture = moving.svg(2.0, &caption());
        well_formed(&picture);
        let still = svg(&screen("a"), &caption());
        let height = |text: &str| {
            let rest = text.split("height=\"").nth(1).unwrap();
            rest[..rest.find('"').unwrap()].parse::<f64>().unwrap()
        };
        assert_eq!(height(&picture), height(&still) + BELOW);
        assert!(!shown(&picture, 0.0).iter().any(|it| it.contains("F2")));
        let key = |line: &String| line.contains(">&lt;F2&gt;</text>");
        assert!(shown(&picture, 50.0).iter().any(key));
    }

    #[test]
    fn a_picture_without_frames_and_one_that_is_full() {
        let mut moving = Moving::new();
        well_formed(&moving.svg(0.0, &caption()));
        for at in 0..FRAMES {
            let buffer = screen(&at.to_string());
            moving.frame(at as f64, &buffer, "", &caption()).unwrap();
        }
        let said = moving.frame(1e4, &screen("x"), "", &caption()).unwrap_err();
        assert!(said.contains("2000 frames"), "{said}");
    }
}
