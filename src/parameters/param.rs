//! A parameter with the type of its value.

use super::{Parameter, Value};

/// What the value of a parameter is to the code that reads it.
pub trait ParamType: Copy {
    /// None where the value is of another kind.
    fn from_value(value: Value) -> Option<Self>;

    /// As any parameter has it.
    fn value(self) -> Value;
}

impl ParamType for f64 {
    fn from_value(value: Value) -> Option<f64> {
        match value {
            Value::Real(number) => Some(number),
            _ => None,
        }
    }

    fn value(self) -> Value {
        Value::Real(self)
    }
}

impl ParamType for usize {
    fn from_value(value: Value) -> Option<usize> {
        match value {
            Value::Integer(number) => usize::try_from(number).ok(),
            _ => None,
        }
    }

    fn value(self) -> Value {
        Value::Integer(self as i64)
    }
}

/// A switch: `off` and `on`.
impl ParamType for bool {
    fn from_value(value: Value) -> Option<bool> {
        match value {
            Value::Choice(at @ 0..=1) => Some(at == 1),
            _ => None,
        }
    }

    fn value(self) -> Value {
        Value::Choice(self as usize)
    }
}

/// A parameter whose value is a `T`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param<T> {
    id: Parameter,
    default: T,
}

impl<T> Param<T> {
    pub(super) const fn new(id: Parameter, default: T) -> Param<T> {
        Param { id, default }
    }
}

impl<T: Copy> Param<T> {
    /// Its name, without the type.
    pub const fn id(self) -> Parameter {
        self.id
    }

    /// The value where a method does not declare its own.
    pub const fn default(self) -> T {
        self.default
    }
}

impl<T: ParamType> Param<T> {
    /// The value, typed. One of another kind, which no domain lets in, reads as the default.
    pub fn read(self, value: Value) -> T {
        let read = T::from_value(value);
        debug_assert!(read.is_some(), "{} is {value:?}", self.id.id());
        read.unwrap_or(self.default)
    }

    /// The `name=value` that sets it.
    pub fn assignment(self, value: T) -> String {
        self.id.assignment(value.value())
    }
}

impl Param<f64> {
    /// The parameter with a value, for tables of defaults.
    pub const fn at(self, number: f64) -> (Parameter, Value) {
        (self.id, Value::Real(number))
    }
}

impl Param<usize> {
    /// The parameter with a value, for tables of defaults.
    pub const fn at(self, number: usize) -> (Parameter, Value) {
        (self.id, Value::Integer(number as i64))
    }
}

impl Param<bool> {
    /// The parameter with a value, for tables of defaults.
    pub const fn at(self, on: bool) -> (Parameter, Value) {
        (self.id, Value::Choice(on as usize))
    }
}
