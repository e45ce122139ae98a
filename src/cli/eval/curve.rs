//! The curve of answers against tokens read, as a picture.

use crate::evaluate::{Evaluation, READ_TOKENS};
use std::fmt::Write;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const RIGHT: f64 = 290.0;
const BOTTOM: f64 = 60.0;
/// Told apart in print and by most eyes that see few colours (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];
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
    let mut write = |x: f64, y: f64, anchor: &str, colour: &str, said: &str| {
        let said = said.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{said}</text>"
        );
    };
    let mut text = |x: f64, y: f64, anchor: &str, said: &str| write(x, y, anchor, "#000000", said);
    let head =
        format!("{title}: share of {questions} answers that were read, by tokens of context");
    text(LEFT, TOP - 16.0, "start", &head);
    for tokens in READ_TOKENS {
        text(
            x(tokens as f64),
            HEIGHT - BOTTOM + 18.0,
            "middle",
            &tokens.to_string(),
        );
    }
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        text(LEFT - 8.0, y(share) + 4.0, "end", &format!("{share:.2}"));
    }
    text(
        x((first * last).sqrt()),
        HEIGHT - 16.0,
        "middle",
        "tokens read",
    );
    // Names of lines that end close together are moved apart.
    let mut ends: Vec<(usize, f64)> = curves
        .iter()
        .map(|(_, curve)| y(curve[curve.len() - 1]))
        .enumerate()
        .collect();
    ends.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut least = TOP;
    for (at, end) in ends {
        least = end.max(least);
        let (e, _) = &curves[at];
        let tokens = e.answers().mean_tokens();
        let name = format!("{} ({tokens:.0} in all)", e.name);
        let (x, colour) = (WIDTH - RIGHT + 8.0, COLOURS[at % COLOURS.len()]);
        write(x, least + 4.0, "start", colour, &name);
        least += 14.0;
    }
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (from, to, at) = (x(first), x(last), y(share));
        let _ = writeln!(
            svg,
            "<line x1=\"{from:.1}\" y1=\"{at:.1}\" x2=\"{to:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>"
        );
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
