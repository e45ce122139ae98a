//! What every parameter is set to, and what of it an operator sees.

use super::{Learned, Param, ParamType, Parameter, RANKER, Value};
use crate::ranker::{Model, Tuned};
use crate::spelling::meant;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The method's default.
    Default,
    /// What the opened index was built with.
    Index,
    /// The preset's.
    Preset,
    /// Set by the person.
    User,
}

/// Value and origin of every parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    held: Vec<(Value, Origin)>,
    /// What a method's name decides: these win over what is held, which stays for the next method.
    fixed: Vec<(Parameter, Value)>,
    /// The ranker that a person opened.
    tuned: Option<Arc<Tuned>>,
}

impl Default for Values {
    fn default() -> Values {
        let defaults = Parameter::ALL.iter().map(|p| p.declaration().default);
        Values {
            held: defaults.map(|value| (value, Origin::Default)).collect(),
            fixed: Vec::new(),
            tuned: None,
        }
    }
}

impl Parameter {
    /// The one that a person calls by this name.
    ///
    /// # Errors
    /// Where to see what there is, and what may be meant.
    pub fn named(name: &str) -> Result<Parameter, String> {
        let name = name.trim();
        Parameter::from_id(name).ok_or_else(|| {
            let known: Vec<&str> = Parameter::ALL.iter().map(|p| p.id()).collect();
            let near = meant(name, &known).map(|near| format!("; did you mean {near}?"));
            let near = near.unwrap_or_default();
            format!("no parameter '{name}'; 'hopscope parameters' lists them{near}")
        })
    }

    /// A value as a person writes it.
    ///
    /// # Errors
    /// What was expected.
    pub fn parse(self, text: &str) -> Result<Value, String> {
        let value = self.declaration().domain.parse(text);
        value.map_err(|said| format!("parameter {}: {said}", self.id()))
    }
}

impl Values {
    /// The value of a typed parameter.
    pub fn get<T: ParamType>(&self, param: Param<T>) -> T {
        param.read(self.value(param.id()))
    }

    /// The value of any parameter.
    pub fn value(&self, parameter: Parameter) -> Value {
        found(&self.fixed, parameter).unwrap_or(self.held[parameter as usize].0)
    }

    /// Who set it.
    pub fn origin(&self, parameter: Parameter) -> Origin {
        self.held[parameter as usize].1
    }

    /// Sets a value that the domain contains; others are ignored.
    pub fn set(&mut self, parameter: Parameter, value: Value, origin: Origin) {
        if parameter.declaration().domain.contains(value) {
            self.held[parameter as usize] = (value, origin);
        }
    }

    /// From now on these, and only these, are as said here whatever is set.
    pub fn fix(&mut self, fixed: Vec<(Parameter, Value)>) {
        self.fixed = fixed;
    }

    /// Reads `name=value`, as the person's.
    ///
    /// # Errors
    /// What was expected and where to see what there is.
    pub fn set_text(&mut self, assignment: &str) -> Result<(), String> {
        let (name, text) = assignment.split_once('=').ok_or_else(|| {
            format!("'{assignment}' is not NAME=VALUE; for example --set alpha=0.3")
        })?;
        let parameter = Parameter::named(name)?;
        let value = parameter.parse(text);
        // What is no choice of rankers is the file of one.
        if parameter == RANKER.id() && value.is_err() {
            self.tune(Arc::new(Tuned::open(Path::new(text.trim()))?));
            return Ok(());
        }
        self.set(parameter, value?, Origin::User);
        Ok(())
    }

    /// Takes a ranker that a person made.
    pub fn tune(&mut self, tuned: Arc<Tuned>) {
        self.tuned = Some(tuned);
        self.set(RANKER.id(), RANKER.at(Learned::Own).1, Origin::User);
    }

    /// The ranker that a person made, while it is the one in use.
    pub fn tuned(&self) -> Option<&Arc<Tuned>> {
        let own = self.get(RANKER) == Learned::Own;
        self.tuned.as_ref().filter(|_| own)
    }

    /// The values of some parameters: what a step's memory of its last result is keyed by.
    pub fn key(&self, reads: &[Parameter]) -> Vec<Value> {
        let tuned = self.tuned_of(reads);
        reads.iter().map(|p| self.value(*p)).chain(tuned).collect()
    }

    /// What stands for the ranker that a person made, where it is read.
    fn tuned_of(&self, reads: &[Parameter]) -> Option<Value> {
        let tuned = self.tuned().filter(|_| reads.contains(&RANKER.id()));
        tuned.map(|tuned| Value::Integer(tuned.fingerprint as i64))
    }

    /// The value as a person writes it.
    pub fn text(&self, parameter: Parameter) -> String {
        match self.tuned().filter(|_| parameter == RANKER.id()) {
            Some(tuned) => tuned.path.display().to_string(),
            None => parameter.declaration().domain.format(self.value(parameter)),
        }
    }
}

fn found(fixed: &[(Parameter, Value)], parameter: Parameter) -> Option<Value> {
    let found = fixed.iter().find(|(p, _)| *p == parameter);
    found.map(|(_, value)| *value)
}

/// The values as code sees them that declared which it reads. A step remembers its last result by the values it
/// declares, so reading another would serve a stale one: debug builds panic there.
#[derive(Clone, Copy, Debug)]
pub struct Scoped<'a> {
    values: &'a Values,
    /// None: all of them.
    reads: Option<&'a [Parameter]>,
    fixed: &'a [(Parameter, Value)],
}

impl<'a> Scoped<'a> {
    /// `reads`: what may be asked of it; anything else panics in debug builds.
    pub fn new(values: &'a Values, reads: &'a [Parameter]) -> Scoped<'a> {
        Scoped {
            values,
            reads: Some(reads),
            fixed: &[],
        }
    }

    /// For code that is no step of a plan: everything may be read.
    pub fn all(values: &'a Values) -> Scoped<'a> {
        Scoped {
            values,
            reads: None,
            fixed: &[],
        }
    }

    /// With values that a step of a plan has whatever the settings say.
    pub fn with(self, fixed: &'a [(Parameter, Value)]) -> Scoped<'a> {
        Scoped { fixed, ..self }
    }

    /// The value of a typed parameter.
    pub fn get<T: ParamType>(&self, param: Param<T>) -> T {
        param.read(self.value(param.id()))
    }

    /// The value of any parameter.
    pub fn value(&self, parameter: Parameter) -> Value {
        self.check(parameter);
        found(self.fixed, parameter).unwrap_or_else(|| self.values.value(parameter))
    }

    /// Who set it.
    pub fn origin(&self, parameter: Parameter) -> Origin {
        self.check(parameter);
        self.values.origin(parameter)
    }

    /// Whether the person or the plan decided it: of a layer that was built before, all else is as it was built.
    pub fn chosen(&self, parameter: Parameter) -> bool {
        self.origin(parameter) == Origin::User || found(self.fixed, parameter).is_some()
    }

    /// The values of all that may be read: what a memory of the result is keyed by.
    pub fn key(&self) -> Vec<Value> {
        let reads = self.reads.unwrap_or(Parameter::ALL);
        let tuned = self.values.tuned_of(reads);
        reads.iter().map(|p| self.value(*p)).chain(tuned).collect()
    }

    /// The ranker in use; none where it is off. `others`: for another first order than `hop`'s.
    pub fn ranker(&self, others: bool) -> Option<&'a Model> {
        let shipped = || Model::shipped_for(others);
        match self.get(RANKER) {
            Learned::Off => None,
            Learned::Shipped => Some(shipped()),
            Learned::Own => Some(self.values.tuned().map_or_else(shipped, |own| &own.model)),
        }
    }

    fn check(&self, parameter: Parameter) {
        debug_assert!(
            self.reads.is_none_or(|reads| reads.contains(&parameter)),
            "{} is read, but only these are declared: {}",
            parameter.id(),
            self.reads
                .unwrap_or_default()
                .iter()
                .map(|p| p.id())
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;

    #[test]
    fn values_are_typed_and_keep_their_origin() {
        let mut values = Values::default();
        assert_eq!(
            (values.get(ALPHA), values.get(STEPS), values.get(WALK)),
            (0.15, 5, Walk::Power)
        );
        assert!(!values.get(ALIAS_LINKING));
        for assignment in [
            "alpha=0.3",
            "edge-cap=none",
            "walk=push",
            "alias_linking=on",
        ] {
            values.set_text(assignment).unwrap();
        }
        assert_eq!(
            (values.get(ALPHA), values.get(EDGE_CAP), values.get(WALK)),
            (0.3, 0, Walk::Push)
        );
        assert!(values.get(ALIAS_LINKING));
        assert_eq!(values.origin(Parameter::Alpha), Origin::User);
        assert_eq!(values.origin(Parameter::Steps), Origin::Default);
        assert_eq!(values.text(Parameter::Walk), "push");
        assert_eq!(
            values.key(&[Parameter::Steps, Parameter::Walk]),
            [Value::Integer(5), Value::Choice(1)]
        );
        // What was a switch when settings were stored is still read.
        values.set_text("entity_edges=on").unwrap();
        assert_eq!(values.text(Parameter::EntityEdges), "shared");
        // Outside of its domain, or of another kind: as if nothing had been said.
        values.set(Parameter::Alpha, Value::Real(2.0), Origin::User);
        values.set(Parameter::Alpha, Value::Integer(0), Origin::User);
        assert_eq!(values.get(ALPHA), 0.3);
    }

    #[test]
    fn what_is_fixed_wins_and_what_was_set_comes_back() {
        let mut values = Values::default();
        values.set_text("steps=3").unwrap();
        values.fix(vec![STEPS.at(1)]);
        values.set_text("steps=4").unwrap();
        assert_eq!(values.get(STEPS), 1);
        assert_eq!(Scoped::all(&values).get(STEPS), 1);
        values.fix(Vec::new());
        assert_eq!(values.get(STEPS), 4);
    }

    #[test]
    fn a_step_sees_its_fixed_values_and_what_it_declared() {
        let mut values = Values::default();
        values.set_text("alpha=0.3").unwrap();
        let reads = [Parameter::Alpha, Parameter::Steps];
        let fixed = [STEPS.at(2)];
        let scoped = Scoped::new(&values, &reads).with(&fixed);
        assert_eq!((scoped.get(ALPHA), scoped.get(STEPS)), (0.3, 2));
        assert_eq!(scoped.key(), [Value::Real(0.3), Value::Integer(2)]);
        assert_eq!(scoped.origin(Parameter::Alpha), Origin::User);
        assert!(scoped.chosen(Parameter::Alpha) && scoped.chosen(Parameter::Steps));
        assert!(!Scoped::all(&values).chosen(Parameter::Steps));
        // What is fixed belongs to this step alone.
        assert_eq!(Scoped::all(&values).get(STEPS), 5);
        assert_eq!(Scoped::all(&values).key().len(), Parameter::ALL.len());
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "hub_p is read, but only these are declared: alpha, steps")]
    fn what_was_not_declared_is_not_read() {
        let values = Values::default();
        Scoped::new(&values, &[Parameter::Alpha, Parameter::Steps]).get(HUB_P);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "steps is read")]
    fn to_fix_a_value_is_not_to_declare_it() {
        let values = Values::default();
        let fixed = [STEPS.at(2)];
        Scoped::new(&values, &[Parameter::Alpha])
            .with(&fixed)
            .get(STEPS);
    }
}
