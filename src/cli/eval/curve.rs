//! The curve of answers against tokens read, as a picture.

use crate::evaluate::{Evaluation, READ_TOKENS};
use crate::text::escape_xml;
use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 290.0;
const BOTTOM: f64 = 60.0;
/// Told apart in print and by most eyes that see few colours (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", BLACK,
];
const BLACK: &str = "#000000";
/// After so many methods the colours begin again, with broken lines.
const DASHES: [&str; 3] = ["none", "6 3", "2 3"];

/// An SVG picture: a line a method, tokens on a scale of halvings. None where no question has an answer.
pub fn picture(title: &str, evaluations: &[Evaluation]) -> Option<String> {
    let curves = evaluations.iter().filter_map(|e| Some((e, e.curve()?)));
    let curves: Vec<_> = curves.collect();
    let questions = curves.first()?.0.answers().questions;
    let (first, last) = (
        READ_TOKENS[0] as f64,
        READ_TOKENS[READ_TOKENS.len() - 1] as f64,
    );
    let x =
        |tokens: f64| LEFT + (WIDTH - LEFT - RIGHT) * (tokens / first).ln() / (last / first).ln();
    let y = |share: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let head =
        format!("{title}: share of {questions} answers that were read, by tokens of context");
    write(&mut svg, (LEFT, TOP - 16.0), "start", BLACK, &head);
    for tokens in READ_TOKENS {
        let at = (x(tokens as f64), HEIGHT - BOTTOM + 18.0);
        write(&mut svg, at, "middle", BLACK, &tokens.to_string());
    }
    let middle = (x((first * last).sqrt()), HEIGHT - 16.0);
    write(&mut svg, middle, "middle", BLACK, "tokens read");
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (from, to, at) = (x(first), x(last), y(share));
        let said = format!("{share:.2}");
        write(&mut svg, (LEFT - 8.0, at + 4.0), "end", BLACK, &said);
        let _ = writeln!(
            svg,
            "<line x1=\"{from:.1}\" y1=\"{at:.1}\" x2=\"{to:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>"
        );
    }
    // Names of lines that end close together are moved apart.
    let ends = curves.iter().map(|(_, curve)| y(curve[curve.len() - 1]));
    let mut ends: Vec<(usize, f64)> = ends.enumerate().collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut least = TOP;
    for (at, end) in ends {
        least = end.max(least);
        let (e, _) = &curves[at];
        let name = format!("{} ({:.0} in all)", e.name, e.answers().mean_tokens());
        let place = (WIDTH - RIGHT + 8.0, least + 4.0);
        write(&mut svg, place, "start", COLOURS[at % COLOURS.len()], &name);
        least += 14.0;
    }
    for (at, (_, curve)) in curves.iter().enumerate() {
        let points = READ_TOKENS.iter().zip(curve);
        let points = points.map(|(t, share)| format!("{:.1},{:.1}", x(*t as f64), y(*share)));
        let points: Vec<String> = points.collect();
        let colour = COLOURS[at % COLOURS.len()];
        let dash = DASHES[at / COLOURS.len() % DASHES.len()];
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>",
            points.join(" ")
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// A text that begins, ends or has its middle at a place.
fn write(svg: &mut String, (x, y): (f64, f64), anchor: &str, colour: &str, said: &str) {
    let said = escape_xml(said);
    let _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{said}</text>"
    );
}
