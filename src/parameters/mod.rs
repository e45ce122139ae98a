//! Every parameter, declared once, and what it is set to.
//!
//! | file | what lives there |
//! |---|---|
//! | `table` | one row a parameter: type, default, domain, texts; [`Parameter`] and a typed constant for each |
//! | `choices` | the enums of parameters that choose one of several |
//! | `param` | [`Param`], a parameter with the type of its value |
//! | `search` | where a search over parameters looks: values drawn, and the values beside one |
//! | `values` | [`Values`], what everything is set to, and [`Scoped`], what an operator sees of it |
//!
//! Code reads `values.get(ALPHA)` and gets an `f64`. Text, sliders and tables go over the names: [`Parameter`] and [`Value`].

pub(crate) mod acts;
mod choices;
mod param;
pub(crate) mod search;
mod table;
mod values;

pub use choices::*;
pub use param::{Param, ParamType};
pub use table::*;
pub use values::{Origin, Scoped, Values};

use serde::{Serialize, Serializer};
use std::fmt;

/// The first step of a retrieval that has to run again when a parameter changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// Reads the passages again. An index stores what it was built with; another value is derived in memory.
    Index,
    /// Re-weights or masks the arcs of a built graph.
    Graph,
    /// First-stage ranking of passages.
    Score,
    /// Weights of the nodes that restart the walk.
    Seeds,
    /// How names and lists share the restart mass.
    Mix,
    /// The walk itself.
    Spread,
    /// What becomes the ranking.
    Select,
}

/// A parameter's value. Switches are choices between `off` and `on`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// Index into the domain's choices.
    Choice(usize),
}

/// One named alternative of a [`Domain::Choice`].
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Choice {
    /// As flags and traces spell it.
    pub name: &'static str,
    /// What it was called before: settings that were stored then are still read.
    #[serde(skip)]
    pub was: &'static [&'static str],
    /// One line: what choosing it does.
    pub meaning: &'static str,
}

/// What values a parameter takes, and how a slider steps through them.
#[derive(Debug, PartialEq)]
pub enum Domain {
    /// Whole numbers. `zero` names the value 0 where it means "no limit".
    Integer {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
        /// One move of the slider.
        step: i64,
        /// What zero is called, where it turns something off.
        zero: Option<&'static str>,
    },
    /// Real numbers on an even grid.
    Real {
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
        /// One move of the slider.
        step: f64,
    },
    /// Positive numbers stepped by a factor.
    Log {
        /// Least value, above 0.
        min: f64,
        /// Greatest value.
        max: f64,
        /// One move of the slider multiplies by it.
        factor: f64,
    },
    /// One of a few, by name.
    Choice(&'static [Choice]),
}

/// The single declaration of a parameter.
#[derive(Debug)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(from = "Declared", into = "Declared")
)]
pub struct Declaration {
    /// As flags, presets and traces spell it.
    pub id: &'static str,
    /// The symbol used in the papers, or the short form of the label.
    pub symbol: &'static str,
    /// For the screen: a few words.
    pub label: &'static str,
    /// The values there are.
    pub domain: Domain,
    /// The value where a method does not declare its own.
    pub default: Value,
    /// The part of the pipeline it belongs to.
    pub stage: Stage,
    /// One line for help and `hopscope parameters`.
    pub meaning: &'static str,
    /// Where the value or formula comes from.
    pub source: &'static str,
}

use Value::{Choice as Pick, Integer as Int, Real as Num};

impl Domain {
    /// The value a text names.
    ///
    /// # Errors
    /// What was expected, when the text is no value of this domain.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let text = text.trim();
        let value = match self {
            Domain::Choice(choices) => {
                let called = |c: &Choice| c.name == text || c.was.contains(&text);
                choices.iter().position(called).map(Pick)
            }
            Domain::Integer {
                zero: Some(name), ..
            } if text == *name => Some(Int(0)),
            Domain::Integer { .. } => text.parse().ok().map(Int),
            Domain::Real { .. } | Domain::Log { .. } => text.parse().ok().map(Num),
        };
        value
            .filter(|v| self.contains(*v))
            .ok_or_else(|| format!("expected {self}, found '{text}'"))
    }

    /// Whether a value is one of this domain.
    pub fn contains(&self, value: Value) -> bool {
        match (self, value) {
            (Domain::Choice(choices), Pick(i)) => i < choices.len(),
            (Domain::Integer { min, max, .. }, Int(v)) => (*min..=*max).contains(&v),
            (Domain::Real { min, max, .. } | Domain::Log { min, max, .. }, Num(v)) => {
                v >= *min && v <= *max
            }
            _ => false,
        }
    }

    /// `count` slider steps up (or down, when negative), kept inside the domain. Choices wrap around.
    pub fn stepped(&self, value: Value, count: i64) -> Value {
        match (self, value) {
            (Domain::Choice(choices), Pick(i)) => {
                Pick((i as i64 + count).rem_euclid(choices.len() as i64) as usize)
            }
            (Domain::Integer { min, max, step, .. }, Int(v)) => {
                Int((v + count * step).clamp(*min, *max))
            }
            (Domain::Real { min, max, step }, Num(v)) => {
                // Land on the grid of steps, so that a scrub to and fro comes back to the same bits.
                let at = ((v - min) / step).round() + count as f64;
                Num(round_to_step(min + at * step, *step).clamp(*min, *max))
            }
            (Domain::Log { min, max, factor }, Num(v)) => {
                let at = (v.ln() / factor.ln()).round() + count as f64;
                let exact: f64 = format!("{:e}", factor.powf(at)).parse().unwrap_or(*min);
                let tidy: f64 = format!("{exact:.6e}").parse().unwrap_or(exact);
                Num(tidy.clamp(*min, *max))
            }
            (_, value) => value,
        }
    }

    /// Where a value lies between the ends of the slider, 0 to 1.
    pub fn fraction(&self, value: Value) -> f64 {
        let between = |v: f64, min: f64, max: f64| {
            if max > min {
                (v - min) / (max - min)
            } else {
                0.0
            }
        };
        match (self, value) {
            (Domain::Choice(choices), Pick(i)) => {
                between(i as f64, 0.0, choices.len() as f64 - 1.0)
            }
            (Domain::Integer { min, max, .. }, Int(v)) => {
                between(v as f64, *min as f64, *max as f64)
            }
            (Domain::Real { min, max, .. }, Num(v)) => between(v, *min, *max),
            (Domain::Log { min, max, .. }, Num(v)) => between(v.ln(), min.ln(), max.ln()),
            _ => 0.0,
        }
    }

    /// The value on the grid of steps nearest to a place on the slider, 0 to 1.
    pub fn at_fraction(&self, fraction: f64) -> Value {
        let f = fraction.clamp(0.0, 1.0);
        match self {
            Domain::Choice(choices) => Pick((f * (choices.len() as f64 - 1.0)).round() as usize),
            Domain::Integer { min, max, step, .. } => {
                let steps = (f * (max - min) as f64 / *step as f64).round() as i64;
                Int((min + steps * step).clamp(*min, *max))
            }
            Domain::Real { min, max, step } => {
                self.stepped(Num(*min), (f * (max - min) / step).round() as i64)
            }
            Domain::Log { min, max, factor } => self.stepped(
                Num(*min),
                (f * (max / min).ln() / factor.ln()).round() as i64,
            ),
        }
    }

    /// The value as a person writes it.
    pub fn format(&self, value: Value) -> String {
        match (self, value) {
            (Domain::Choice(choices), Pick(i)) => choices.get(i).map_or("?", |c| c.name).to_owned(),
            (
                Domain::Integer {
                    zero: Some(name), ..
                },
                Int(0),
            ) => (*name).to_owned(),
            (_, Int(v)) => v.to_string(),
            (Domain::Log { .. }, Num(v)) => format!("{v:e}"),
            (_, Num(v)) => format!("{v}"),
            (_, Pick(i)) => i.to_string(),
        }
    }
}

/// Removes the noise of binary fractions: 0.15000000000000002 becomes 0.15.
fn round_to_step(value: f64, step: f64) -> f64 {
    let digits = (-step.log10()).ceil().max(0.0) as i32 + 2;
    let scale = 10f64.powi(digits);
    (value * scale).round() / scale
}

/// What the domain allows, in words for an error or a help line.
impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Choice(choices) => {
                f.write_str("one of ")?;
                for (i, choice) in choices.iter().enumerate() {
                    write!(f, "{}{}", if i == 0 { "" } else { ", " }, choice.name)?;
                }
                Ok(())
            }
            Domain::Integer {
                min,
                max,
                zero: Some(name),
                ..
            } => {
                write!(f, "{name} or a whole number from {} to {max}", min.max(&1))
            }
            Domain::Integer { min, max, .. } => write!(f, "a whole number from {min} to {max}"),
            Domain::Real { min, max, .. } => write!(f, "a number from {min} to {max}"),
            Domain::Log { min, max, .. } => write!(f, "a number from {min:e} to {max:e}"),
        }
    }
}

impl Parameter {
    /// The `name=value` that sets it.
    pub fn assignment(self, value: Value) -> String {
        let declaration = self.declaration();
        format!("{}={}", declaration.id, declaration.domain.format(value))
    }

    /// The value as JSON has it.
    pub fn json(self, value: Value) -> Written {
        match value {
            Int(v) => Written::Integer(v),
            Num(v) => Written::Real(v),
            Pick(_) => Written::Choice(self.declaration().domain.format(value)),
        }
    }
}

/// The value of a parameter as JSON has it: a number, or the name of a choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
#[allow(missing_docs)]
pub enum Written {
    Integer(i64),
    Real(f64),
    Choice(String),
}

impl From<Written> for serde_json::Value {
    fn from(written: Written) -> serde_json::Value {
        match written {
            Written::Integer(v) => v.into(),
            Written::Real(v) => v.into(),
            Written::Choice(name) => name.into(),
        }
    }
}

/// Values of parameters, by their identifiers.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(from = "ByParameter", into = "ByParameter")
)]
pub struct Assigned(Vec<(Parameter, Value)>);

#[cfg(feature = "schema")]
pub(crate) type ByParameter = std::collections::BTreeMap<String, Written>;

impl FromIterator<(Parameter, Value)> for Assigned {
    fn from_iter<I: IntoIterator<Item = (Parameter, Value)>>(values: I) -> Assigned {
        Assigned(values.into_iter().collect())
    }
}

impl Serialize for Assigned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.0.iter();
        serializer.collect_map(values.map(|(p, value)| (p.id(), p.json(*value))))
    }
}

/// How a [`Declaration`] is written.
#[derive(Default, Serialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Declaration")
)]
struct Declared {
    /// As `--set` takes it.
    id: &'static str,
    /// The symbol used in the papers, or the short form of the label.
    symbol: &'static str,
    /// A few words for the screen.
    label: &'static str,
    /// choice, integer, real, or log: real, with steps that multiply.
    r#type: &'static str,
    /// Of a choice: its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<&'static [Choice]>,
    /// Of a number: the least value.
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<Written>,
    /// Of a number: the greatest value.
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<Written>,
    /// Of an integer or a real: one move of the slider.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Written>,
    /// Of a log: what one move of the slider multiplies by.
    #[serde(skip_serializing_if = "Option::is_none")]
    factor: Option<f64>,
    /// Of an integer: what 0 is called where it means "no limit".
    #[serde(skip_serializing_if = "Option::is_none")]
    zero: Option<&'static str>,
    /// The value where a method does not declare its own.
    default: Option<Written>,
    /// The part of the pipeline it belongs to.
    stage: Option<Stage>,
    /// One line: what it does.
    meaning: &'static str,
    /// Where the value or formula comes from.
    source: &'static str,
}

impl Serialize for Declaration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let real = |value: f64| Some(Written::Real(value));
        let whole = |value: i64| Some(Written::Integer(value));
        let domain = match self.domain {
            Domain::Choice(choices) => Declared {
                r#type: "choice",
                choices: Some(choices),
                ..Declared::default()
            },
            Domain::Integer {
                min,
                max,
                step,
                zero,
            } => Declared {
                r#type: "integer",
                min: whole(min),
                max: whole(max),
                step: whole(step),
                zero,
                ..Declared::default()
            },
            Domain::Real { min, max, step } => Declared {
                r#type: "real",
                min: real(min),
                max: real(max),
                step: real(step),
                ..Declared::default()
            },
            Domain::Log { min, max, factor } => Declared {
                r#type: "log",
                min: real(min),
                max: real(max),
                factor: Some(factor),
                ..Declared::default()
            },
        };
        let parameter = Parameter::from_id(self.id);
        let declared = Declared {
            id: self.id,
            symbol: self.symbol,
            label: self.label,
            default: parameter.map(|p| p.json(self.default)),
            stage: Some(self.stage),
            meaning: self.meaning,
            source: self.source,
            ..domain
        };
        declared.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_in_its_domain_and_survives_text() {
        for p in Parameter::ALL {
            let d = p.declaration();
            assert!(d.domain.contains(d.default), "{}", d.id);
            assert_eq!(
                d.domain.parse(&d.domain.format(d.default)),
                Ok(d.default),
                "{}",
                d.id
            );
            assert_eq!(Parameter::from_id(d.id), Some(*p));
        }
    }

    #[test]
    fn a_step_up_and_down_comes_back_to_the_same_bits() {
        for p in Parameter::ALL {
            let d = &p.declaration().domain;
            for place in 1..20 {
                let start = d.at_fraction(f64::from(place) / 20.0);
                let up = d.stepped(start, 1);
                assert!(
                    d.contains(start) && d.contains(up),
                    "{} {start:?} {up:?}",
                    p.id()
                );
                if up != start {
                    assert_eq!(d.stepped(up, -1), start, "{}", p.id());
                }
                let f = d.fraction(start);
                assert_eq!(d.at_fraction(f), start, "{} at {f}", p.id());
            }
        }
    }

    #[test]
    fn what_is_no_value_says_what_is() {
        let said = Parameter::Alpha
            .declaration()
            .domain
            .parse("2")
            .unwrap_err();
        assert_eq!(said, "expected a number from 0.01 to 0.99, found '2'");
        let said = Parameter::Walk
            .declaration()
            .domain
            .parse("run")
            .unwrap_err();
        assert_eq!(said, "expected one of power, push, found 'run'");
        assert_eq!(
            Parameter::EdgeCap.declaration().domain.parse("none"),
            Ok(Int(0))
        );
    }
}
