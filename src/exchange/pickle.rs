//! Python's pickles as data. Nothing in them is ever run: a class stays its name, a call stays its arguments.

pub use super::unpickle::read;
use serde_json::{Map, Number, Value};

/// A value, by its place among all values of the pickle: lists and dictionaries may be shared.
pub type Id = u32;

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// Lists, tuples and sets.
    List(Vec<Id>),
    Dict(Vec<(Id, Id)>),
    /// A class or function by its module and name.
    Global(String),
    /// What would be a call: the callee and its arguments.
    Call(Id, Id),
    /// A reference to data outside of the pickle.
    Outside(Id),
}

/// All values of one pickle.
#[derive(Debug)]
pub struct Pickle {
    pub(super) values: Vec<Kind>,
    pub root: Id,
}

/// How deep values are followed, and how many of them: shared lists could unfold to any size.
const DEEP: usize = 64;
const MOST: usize = 1 << 20;

impl Pickle {
    pub fn get(&self, id: Id) -> &Kind {
        &self.values[id as usize]
    }

    pub fn text(&self, id: Id) -> Option<&str> {
        match self.get(id) {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self, id: Id) -> Option<&[Id]> {
        match self.get(id) {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn dict(&self, id: Id) -> Option<&[(Id, Id)]> {
        match self.get(id) {
            Kind::Dict(items) => Some(items),
            _ => None,
        }
    }

    /// A whole number, also one of numpy's.
    pub fn int(&self, id: Id) -> Option<i64> {
        match self.get(id) {
            Kind::Int(value) => Some(*value),
            _ => self
                .scalar(id)
                .filter(|x| x.fract() == 0.0)
                .map(|x| x as i64),
        }
    }

    /// A number of numpy's: `scalar(dtype("f8"), bytes)`.
    fn scalar(&self, id: Id) -> Option<f64> {
        let Kind::Call(callee, arguments) = self.get(id) else {
            return None;
        };
        let Kind::Global(name) = self.get(*callee) else {
            return None;
        };
        let &[dtype, bytes] = self.list(*arguments)? else {
            return None;
        };
        let (Kind::Call(_, dtype), Kind::Bytes(bytes)) = (self.get(dtype), self.get(bytes)) else {
            return None;
        };
        let dtype = self.text(*self.list(*dtype)?.first()?)?;
        if !name.ends_with("multiarray scalar") {
            return None;
        }
        let eight = || <[u8; 8]>::try_from(&bytes[..]).ok();
        let four = || <[u8; 4]>::try_from(&bytes[..]).ok();
        match dtype.trim_start_matches('<') {
            "i8" => eight().map(|b| i64::from_le_bytes(b) as f64),
            "f8" => eight().map(f64::from_le_bytes),
            "i4" => four().map(|b| f64::from(i32::from_le_bytes(b))),
            "f4" => four().map(|b| f64::from(f32::from_le_bytes(b))),
            _ => None,
        }
    }

    /// As JSON; what has no counterpart there is null.
    pub fn json(&self, id: Id) -> Value {
        self.json_within(id, DEEP, &mut { MOST })
    }

    fn json_within(&self, id: Id, deep: usize, left: &mut usize) -> Value {
        *left = left.saturating_sub(1);
        let number = |x: f64| Number::from_f64(x).map_or(Value::Null, Value::Number);
        match self.get(id) {
            _ if deep == 0 || *left == 0 => Value::Null,
            Kind::Bool(truth) => Value::Bool(*truth),
            Kind::Int(value) => Value::from(*value),
            Kind::Float(value) => number(*value),
            Kind::Text(text) => Value::from(text.as_str()),
            Kind::List(items) => items
                .iter()
                .map(|i| self.json_within(*i, deep - 1, left))
                .collect(),
            Kind::Dict(items) => {
                let entry = |(key, value): &(Id, Id)| {
                    let name = match self.get(*key) {
                        Kind::Text(text) => text.clone(),
                        _ => self.int(*key)?.to_string(),
                    };
                    Some((name, self.json_within(*value, deep - 1, left)))
                };
                Value::Object(items.iter().filter_map(entry).collect::<Map<_, _>>())
            }
            Kind::Call(..) => self.scalar(id).map_or(Value::Null, number),
            _ => Value::Null,
        }
    }
}

#[cfg(test)]
#[path = "pickle_tests.rs"]
mod tests;
