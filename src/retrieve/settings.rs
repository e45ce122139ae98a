//! One value that says everything about how to retrieve: the method and every parameter.

use super::edits::SeedEdit;
use super::methods::Method;
use super::parameters::{Parameter, Value};
use super::presets::{NO_PRESET, Preset};
use crate::embed::HnswOptions;
use crate::index::Index;
use serde::{Serialize, Serializer};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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

/// A method and the value of every parameter. Two equal settings give equal bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    method: &'static Method,
    values: Vec<(Value, Origin)>,
    /// What the opened index was built with, where that differs from the declarations.
    built: Vec<(Parameter, Value)>,
    preset: Option<&'static Preset>,
    /// Changes of this question's seeds, each node at most once.
    seeds: Vec<SeedEdit>,
}

impl Settings {
    /// The defaults of a method.
    pub fn new(method: &'static Method) -> Settings {
        let values = Parameter::ALL
            .iter()
            .map(|p| (method.default(*p), Origin::Default))
            .collect();
        Settings {
            method,
            values,
            built: Vec::new(),
            preset: None,
            seeds: Vec::new(),
        }
    }

    /// The settings a session on this index starts with.
    pub fn of(index: &Index, method: &'static Method) -> Settings {
        let mut settings = Settings::new(method);
        settings.adopt(index);
        settings
    }

    /// Takes over what the index was built with, unless the person set it otherwise.
    pub fn adopt(&mut self, index: &Index) {
        let built = index.options();
        let linking = if built.alias_linking { "on" } else { "off" };
        let graph = index.dense().and_then(|d| d.entry.hnsw.as_ref());
        let number = |value: fn(&HnswOptions) -> usize| {
            graph.map_or(String::new(), |entry| value(&entry.options).to_string())
        };
        let (m, width) = (number(|o| o.m), number(|o| o.ef_construction));
        // Whoever names a language model wants it to plan.
        let planner = match index.llm().thinks() {
            true => "endpoint",
            false => "template",
        };
        let named = [
            (Parameter::Ner, &*built.ner),
            (Parameter::Norm, &*built.norm),
            (Parameter::AliasLinking, linking),
            (Parameter::HnswM, &*m),
            (Parameter::HnswEfConstruction, &*width),
            (Parameter::PlanBy, planner),
        ];
        let values = named
            .iter()
            .filter_map(|(p, name)| Some((*p, p.declaration().domain.parse(name).ok()?)));
        self.built = values
            .filter(|(p, value)| *value != p.declaration().default)
            .collect();
        for parameter in named.map(|(p, _)| p) {
            if self.origin(parameter) != Origin::User {
                self.reset(parameter);
            }
        }
    }

    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// Another method; what the person, the preset or the index set stays, the rest takes the new method's defaults.
    pub fn set_method(&mut self, method: &'static Method) {
        self.method = method;
        self.restart();
    }

    /// The preset these settings stand on.
    pub fn preset(&self) -> Option<&'static Preset> {
        self.preset
    }

    /// Stands these settings on a preset, or on none again (`none`). What the person set stays.
    ///
    /// # Errors
    /// No such preset; the settings stay as they are.
    pub fn apply_preset(&mut self, name: &str) -> Result<(), String> {
        let preset = match name {
            NO_PRESET => None,
            name => Some(Preset::by_name(name)?),
        };
        if let Some(method) = preset.and_then(|preset| preset.method) {
            self.method = method;
        }
        self.stand_on(preset);
        Ok(())
    }

    /// Stands these settings on a preset's values, whatever its method.
    pub fn stand_on(&mut self, preset: Option<&'static Preset>) {
        self.preset = preset;
        self.restart();
    }

    /// Everything the person did not set, anew.
    fn restart(&mut self) {
        for parameter in Parameter::ALL {
            if self.origin(*parameter) != Origin::User {
                self.reset(*parameter);
            }
        }
    }

    /// What [`reset`](Self::reset) goes back to.
    fn start(&self, parameter: Parameter) -> (Value, Origin) {
        if let Some(value) = self.preset.and_then(|p| p.value(self.method, parameter)) {
            return (value, Origin::Preset);
        }
        match self.built.iter().find(|(p, _)| *p == parameter) {
            Some((_, value)) => (*value, Origin::Index),
            None => (self.method.default(parameter), Origin::Default),
        }
    }

    pub fn get(&self, parameter: Parameter) -> Value {
        // What a composition decides by its name no setting changes.
        let fixed = self.method.composition.and_then(|c| c.fixes(parameter));
        fixed.unwrap_or(self.values[parameter as usize].0)
    }

    pub fn origin(&self, parameter: Parameter) -> Origin {
        self.values[parameter as usize].1
    }

    /// Sets a value that the domain contains; others are ignored.
    pub fn set(&mut self, parameter: Parameter, value: Value, origin: Origin) {
        if parameter.declaration().domain.contains(value) {
            self.values[parameter as usize] = (value, origin);
        }
    }

    /// Back to the preset's value, to what the index was built with, or else to the method's default.
    pub fn reset(&mut self, parameter: Parameter) {
        self.values[parameter as usize] = self.start(parameter);
    }

    /// Reads `name=value`.
    ///
    /// # Errors
    /// What was expected and where to see what there is.
    pub fn set_text(&mut self, assignment: &str) -> Result<(), String> {
        let (name, text) = assignment.split_once('=').ok_or_else(|| {
            format!("'{assignment}' is no NAME=VALUE; write for example --set alpha=0.3")
        })?;
        let parameter = Parameter::from_id(name.trim()).ok_or_else(|| {
            format!(
                "no parameter '{}'; 'hopscope parameters' lists them{}",
                name.trim(),
                nearest(name.trim())
            )
        })?;
        let value = parameter
            .declaration()
            .domain
            .parse(text)
            .map_err(|said| format!("parameter {}: {said}", parameter.id()))?;
        self.set(parameter, value, Origin::User);
        Ok(())
    }

    pub fn integer(&self, parameter: Parameter) -> usize {
        match self.get(parameter) {
            Value::Integer(v) => usize::try_from(v).unwrap_or(0),
            Value::Real(v) => v as usize,
            Value::Choice(v) => v,
        }
    }

    pub fn real(&self, parameter: Parameter) -> f64 {
        match self.get(parameter) {
            Value::Real(v) => v,
            Value::Integer(v) => v as f64,
            Value::Choice(v) => v as f64,
        }
    }

    /// The name of the chosen alternative.
    pub fn choice(&self, parameter: Parameter) -> &'static str {
        match (&parameter.declaration().domain, self.get(parameter)) {
            (super::parameters::Domain::Choice(choices), Value::Choice(i)) => choices[i].name,
            _ => "",
        }
    }

    pub fn on(&self, parameter: Parameter) -> bool {
        self.choice(parameter) == "on"
    }

    /// The values of some parameters: what a step's memory of its last result is keyed by.
    pub fn key(&self, reads: &[Parameter]) -> Vec<Value> {
        reads.iter().map(|p| self.get(*p)).collect()
    }

    /// Changes of the seeds, in the order they were made.
    pub fn seed_edits(&self) -> &[SeedEdit] {
        &self.seeds
    }

    /// Changes a seed; a newer edit of a node takes the place of the one before.
    pub fn edit_seed(&mut self, edit: SeedEdit) {
        match self.seeds.iter_mut().find(|e| e.node == edit.node) {
            Some(before) => *before = edit,
            None => self.seeds.push(edit),
        }
    }

    /// Takes back the edit of a node.
    pub fn restore_seed(&mut self, node: &str) {
        self.seeds.retain(|e| e.node != node);
    }

    /// Takes back all edits: they belong to one question.
    pub fn restore_seeds(&mut self) {
        self.seeds.clear();
    }

    /// The value as a person writes it.
    pub fn text(&self, parameter: Parameter) -> String {
        parameter.declaration().domain.format(self.get(parameter))
    }

    /// Differences from what a session on the same index starts with as `name=value`, for commands that repeat a screen.
    pub fn changed(&self) -> Vec<String> {
        let uses = self.method.uses();
        let own = uses.iter().filter(|p| self.get(**p) != self.start(**p).0);
        own.map(|p| format!("{}={}", p.id(), self.text(*p)))
            .collect()
    }
}

fn nearest(name: &str) -> String {
    use fuzzy_matcher::FuzzyMatcher;
    let matcher = fuzzy_matcher::skim::SkimMatcherV2::default();
    let score = |p: &&Parameter| {
        matcher
            .fuzzy_match(p.id(), name)
            .or_else(|| matcher.fuzzy_match(name, p.id()))
            .unwrap_or(0)
    };
    match Parameter::ALL
        .iter()
        .max_by_key(score)
        .filter(|p| score(p) > 0)
    {
        Some(p) => format!("; did you mean {}?", p.id()),
        None => String::new(),
    }
}

/// All parameters the method uses, by identifier.
impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.method
                .uses()
                .into_iter()
                .map(|p| (p.id(), p.json(self.get(p)))),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_checked_and_named() {
        let mut s = Settings::new(Method::by_name("graph-hybrid").unwrap());
        s.set_text("alpha=0.3").unwrap();
        s.set_text("edge-cap=none").unwrap();
        assert_eq!(s.real(Parameter::Alpha), 0.3);
        assert_eq!(s.origin(Parameter::Alpha), Origin::User);
        assert_eq!(s.changed(), vec!["alpha=0.3"]);
        assert!(
            s.set_text("alhpa=0.3")
                .unwrap_err()
                .contains("no parameter 'alhpa'")
        );
        assert!(s.set_text("steps").unwrap_err().contains("NAME=VALUE"));
        assert!(
            s.set_text("steps=-1")
                .unwrap_err()
                .contains("whole number from 0 to 50")
        );
    }

    #[test]
    fn what_the_person_set_survives_a_change_of_method() {
        let mut s = Settings::new(Method::by_name("graph-hybrid").unwrap());
        s.set_text("steps=3").unwrap();
        s.set_method(Method::by_name("graph").unwrap());
        assert_eq!(s.integer(Parameter::Steps), 3);
        s.reset(Parameter::Steps);
        assert_eq!(s.integer(Parameter::Steps), 5);
    }
}
