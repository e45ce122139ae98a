//! Figures as the shell prints them.

use crate::evaluate::Difference;

/// A share or measure: `0.2500`.
pub fn measure(value: f64) -> String {
    format!("{value:.4}")
}

/// A difference of measures: `+0.0120`.
pub fn change(value: f64) -> String {
    format!("{value:+.4}")
}

/// The two ends of an interval of differences.
pub fn interval([low, high]: [f64; 2]) -> String {
    format!("[{}, {}]", change(low), change(high))
}

/// The two ends of an interval of shares.
pub fn interval_of([low, high]: [f64; 2]) -> String {
    format!("[{}, {}]", measure(low), measure(high))
}

/// A difference with its interval, where it has one.
pub fn difference(d: &Difference) -> String {
    let between = d.interval.map(|ends| format!(" {}", interval(ends)));
    change(d.difference) + &between.unwrap_or_default()
}

/// A score, and what adds up to it.
pub fn score(value: f64) -> String {
    format!("{value:.6}")
}

/// A part of a whole, in percent, with this many decimals.
pub fn percent(part: f64, of: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", 100.0 * part / of)
}

/// A count among others, in percent.
pub fn among(part: usize, of: usize, decimals: usize) -> String {
    percent(part as f64, of.max(1) as f64, decimals)
}

/// A size on disk.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Seconds of a build.
pub fn seconds(value: f64) -> String {
    format!("{value:.2} s")
}

/// A number as it is read; all its digits are in `--json`.
pub fn number(value: f64) -> String {
    match value.abs() {
        size if size > 0.0 && size < 1e-4 => format!("{value:.3e}"),
        _ => {
            let text = score(value);
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// A figure, or a dash where there is none.
pub fn known<T>(value: Option<T>, format: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_number_keeps_its_digits() {
        assert_eq!(
            [0.0, 0.5, 0.000_012_34].map(number),
            ["0", "0.5", "1.234e-5"]
        );
    }
}
