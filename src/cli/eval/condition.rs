//! `--fail-under`: a measure that must be reached.

use crate::evaluate::measures::place;
use crate::evaluate::{Evaluation, MEASURES};
use std::str::FromStr;

/// A lower bound on a measure, of one method or of every one.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    method: Option<String>,
    measure: &'static str,
    bound: f64,
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let (name, bound) = text
            .split_once('=')
            .ok_or("write [METHOD:]MEASURE=VALUE, for example R@10=.8")?;
        let (method, name) = match name.split_once(':') {
            Some((method, name)) => (Some(method.trim().to_owned()), name.trim()),
            None => (None, name.trim()),
        };
        let measure = MEASURES[place(name)?];
        let bound = bound
            .trim()
            .parse()
            .ok()
            .filter(|bound| (0.0..=1.0).contains(bound))
            .ok_or_else(|| format!("'{}' is not a number from 0 to 1", bound.trim()))?;
        Ok(Condition {
            method,
            measure,
            bound,
        })
    }
}

impl Condition {
    /// The method that it names.
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// What is wrong with each evaluation that does not reach the bound.
    pub fn misses(&self, evaluations: &[Evaluation]) -> Vec<String> {
        evaluations
            .iter()
            .map(|e| (&*e.name, e.measures.get(self.measure)))
            .filter(|(name, _)| self.method().is_none_or(|wanted| wanted == *name))
            .filter_map(|(name, value)| {
                let value = value.unwrap_or(0.0);
                // A mean of 500 values that is .8 on paper must not miss .8 by its rounding.
                (value + 1e-12 < self.bound).then(|| {
                    format!(
                        "{name}: {} is {value:.4}, below {}",
                        self.measure, self.bound
                    )
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_refused() {
        let read = |text: &str| text.parse::<Condition>();
        let plain = read("R@10=.8").unwrap();
        assert_eq!(
            (plain.method(), plain.measure, plain.bound),
            (None, "R@10", 0.8)
        );
        assert_eq!(read("bm25:RR=0.5").unwrap().method(), Some("bm25"));
        for (text, said) in [
            ("R@10", "[METHOD:]MEASURE=VALUE"),
            ("P@5=.8", "no measure 'P@5'"),
            ("R@10=80", "not a number from 0 to 1"),
            ("R@10=NaN", "not a number from 0 to 1"),
        ] {
            assert!(read(text).unwrap_err().contains(said), "{text}");
        }
    }
}
