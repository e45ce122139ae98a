//! Shares, measures and what tests say of them, as they are read: three digits, and none before the point that is zero.

/// A share or measure: `.25`, `1.0`.
pub fn share(value: f64) -> String {
    if !value.is_finite() {
        return "?".to_owned();
    }
    if value >= 0.995 {
        return format!("{value:.1}");
    }
    if value > 0.0 && value < 0.005 {
        return ".00".to_owned();
    }
    unzero(format!("{value:.2}"))
}

/// A difference of measures with its sign and three digits: `+.006`, `-.012`, `.000`.
pub fn signed(value: f64) -> String {
    let rounded = (value * 1000.0).round() / 1000.0;
    let sign = match rounded {
        rounded if rounded > 0.0 => "+",
        rounded if rounded < 0.0 => "-",
        _ => "",
    };
    format!("{sign}{}", unzero(format!("{:.3}", rounded.abs())))
}

/// The two ends of an interval of differences: `[-.012, +.048]`.
pub fn interval([low, high]: [f64; 2]) -> String {
    format!("[{}, {}]", signed(low), signed(high))
}

/// Seconds of a step of a retrieval.
pub fn milliseconds(seconds: f64) -> String {
    format!("{:.2} ms", seconds * 1e3)
}

/// Seconds of an answer: `0.2 ms`, `1.4 s`.
pub fn seconds(value: f64) -> String {
    match value {
        ..0.000_95 => format!("{:.0} us", value * 1e6),
        ..0.00995 => format!("{:.1} ms", value * 1e3),
        ..0.95 => format!("{:.0} ms", value * 1e3),
        _ => format!("{value:.1} s"),
    }
}

/// A measure with three digits: `.250`, `1.00`.
pub fn measure(value: f64) -> String {
    if value >= 0.9995 {
        format!("{value:.2}")
    } else {
        unzero(format!("{value:.3}"))
    }
}

/// A score or mass in six or seven columns: four significant digits at least, never scientific above 1e-5.
pub fn score(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !value.is_finite() => "?".to_owned(),
        0.0 => "0".to_owned(),
        // Where rounding adds a digit before the point, one less follows it.
        999.95.. => format!("{value:.0}"),
        99.995.. => format!("{value:.1}"),
        9.9995.. => format!("{value:.2}"),
        0.99995.. => format!("{value:.3}"),
        0.001.. => unzero(format!("{value:.4}")),
        0.00001.. => unzero(format!("{value:.5}")),
        _ => format!("{value:.0e}"),
    }
}

/// A number without the zero before its point.
pub fn unzero(text: String) -> String {
    match text.strip_prefix("0.") {
        Some(rest) => format!(".{rest}"),
        None => match text.strip_prefix("-0.") {
            Some(rest) => format!("-.{rest}"),
            None => text,
        },
    }
}

/// The probability of a test: `.012`, `<.001`.
pub fn p(value: f64) -> String {
    match value {
        ..0.0005 => "<.001".to_owned(),
        value => measure(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_take_milliseconds() {
        assert_eq!(milliseconds(0.001_5), "1.50 ms");
        assert_eq!(milliseconds(2.0), "2000.00 ms");
    }
}
