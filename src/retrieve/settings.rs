//! One value that says everything about how to retrieve: the method and every parameter.

#![warn(missing_docs)]

use super::edits::SeedEdit;
use super::methods::{Method, MethodRef};
use super::operators::ranked::orders_others;
use super::presets::{Preset, PresetRef};
use crate::embed::HnswOptions;
use crate::index::rows::Whole;
use crate::index::{EntityOptions, Index};
use crate::layers::{GIVEN, GraphEdit, given};
use crate::parameters::acts::{Must, NEEDS};
use crate::parameters::{
    ALIAS_LINKING, Assigned, FACT_FILTER, FALLBACK, FactFilter, Fallback, HNSW_EF_CONSTRUCTION,
    HNSW_M, NER, NORM, Origin, PLAN_BY, Param, ParamType, Parameter, PlanBy, SUBJECTS, Scoped,
    Stage, Value, Values, WALK, Walk,
};
use crate::ranker::{Model, Tuned};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// What an index was built with, or opened with, is the start of these.
const ADOPTED: &[Parameter] = &[
    NER.id(),
    NORM.id(),
    ALIAS_LINKING.id(),
    SUBJECTS.id(),
    HNSW_M.id(),
    HNSW_EF_CONSTRUCTION.id(),
    PLAN_BY.id(),
    FACT_FILTER.id(),
    WALK.id(),
    FALLBACK.id(),
];

/// The default method of an index that lies elsewhere, without hop's layer.
const PLAIN: &str = "graph-hybrid";
/// The same over another system's graph, whose vectors are not read.
const THEIRS: &str = "names+bm25 > given > push > passages";

/// A method and a value for every parameter. Equal settings give bit-identical results.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let mut settings = Settings::of(&index, method("graph-rrf")?);
/// settings.set_text("alpha=0.4").map_err(anyhow::Error::msg)?;
/// assert_eq!(settings.changed(), ["alpha=0.4"]);
/// assert!(settings.set_text("alpha=2").is_err(), "out of range");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(
        from = "crate::parameters::ByParameter",
        into = "crate::parameters::ByParameter"
    )
)]
pub struct Settings {
    method: MethodRef,
    values: Values,
    /// What the opened index was built with, where that differs from the declarations.
    built: Vec<(Parameter, Value)>,
    preset: Option<PresetRef>,
    /// The opened index has stored a small-world graph.
    stored: bool,
    /// No person named the method: an index may have a better one.
    open: bool,
    /// The index lies elsewhere.
    elsewhere: bool,
    /// Changes of this question's seeds, each node at most once.
    seeds: Vec<SeedEdit>,
    /// Changes of the graph, whatever is asked.
    graph: Vec<GraphEdit>,
}

impl Settings {
    /// The defaults of a method.
    pub fn new(method: impl Into<MethodRef>) -> Settings {
        let method = method.into();
        let mut settings = Settings {
            method,
            values: Values::default(),
            built: Vec::new(),
            stored: false,
            open: false,
            elsewhere: false,
            preset: None,
            seeds: Vec::new(),
            graph: Vec::new(),
        };
        settings.restart();
        settings
    }

    /// The settings a session on this index starts with.
    pub fn of(index: &Index, method: impl Into<MethodRef>) -> Settings {
        let mut settings = Settings::new(method);
        settings.adopt(index);
        settings
    }

    /// Leaves the method to the index that is opened: where that came with a graph, the walk on it.
    #[must_use]
    pub fn left_open(self) -> Settings {
        Settings { open: true, ..self }
    }

    /// Takes over what the index was built with, unless the person set it otherwise.
    pub fn adopt(&mut self, index: &Index) {
        if let Some(source) = index.source() {
            return self.adopt_whole(source.rows().whole(), index.llm().thinks());
        }
        self.elsewhere = false;
        if std::mem::take(&mut self.open)
            && given::is_known(index)
            && let Ok(method) = Method::by_name(GIVEN.name)
        {
            self.set_method(method);
        }
        let graph = index.dense().and_then(|d| d.entry.hnsw.as_ref());
        let graph = graph.map(|entry| &entry.options);
        self.adopt_built(index.options(), graph, index.llm().thinks());
    }

    /// The same of an index that lies elsewhere, where a language model `thinks` or not.
    pub(super) fn adopt_whole(&mut self, whole: &Whole, thinks: bool) {
        self.elsewhere = true;
        if std::mem::take(&mut self.open)
            && whole.sentences.is_none()
            && let Ok(method) = Method::by_name(match whole.given {
                Some(_) => THEIRS,
                None => PLAIN,
            })
        {
            self.set_method(method);
        }
        let near = whole.vectors.as_ref().and_then(|made| made.near.as_ref());
        self.adopt_built(&whole.options, near, thinks);
    }

    fn adopt_built(&mut self, built: &EntityOptions, graph: Option<&HnswOptions>, thinks: bool) {
        self.stored = graph.is_some();
        let named = |p: Parameter, name: &str| Some((p, p.declaration().domain.parse(name).ok()?));
        let known = [
            named(NER.id(), &built.ner),
            named(NORM.id(), &built.norm),
            Some(ALIAS_LINKING.at(built.alias_linking)),
            Some(SUBJECTS.at(built.subjects)),
            graph.map(|options| HNSW_M.at(options.m)),
            graph.map(|options| HNSW_EF_CONSTRUCTION.at(options.ef_construction)),
            // Whoever names a language model wants it to plan, and to pick facts.
            Some(PLAN_BY.at(match thinks {
                true => PlanBy::Endpoint,
                false => PlanBy::Template,
            })),
            Some(FACT_FILTER.at(match thinks {
                true => FactFilter::Model,
                false => FactFilter::Rules,
            })),
        ];
        let news = |(p, value): &(Parameter, Value)| {
            let declaration = p.declaration();
            declaration.domain.contains(*value) && *value != declaration.default
        };
        self.built = known.into_iter().flatten().filter(news).collect();
        for parameter in ADOPTED {
            if self.origin(*parameter) != Origin::User {
                self.reset(*parameter);
            }
        }
    }

    /// The method whose parameters these are.
    pub fn method(&self) -> &MethodRef {
        &self.method
    }

    /// Another method; what the person, the preset or the index set stays, the rest takes the new method's defaults.
    pub fn set_method(&mut self, method: impl Into<MethodRef>) {
        self.method = method.into();
        self.restart();
    }

    /// The preset these settings stand on.
    pub fn preset(&self) -> Option<&Preset> {
        self.preset.as_deref()
    }

    /// Stands these settings on a preset and its method, or on none again. What the person set stays.
    pub fn apply_preset(&mut self, preset: Option<PresetRef>) {
        if let Some(method) = preset.as_ref().and_then(|preset| preset.method.as_ref()) {
            self.method = method.clone();
        }
        self.stand_on(preset);
    }

    /// Stands these settings on a preset's values, whatever its method.
    pub fn stand_on(&mut self, preset: Option<PresetRef>) {
        self.preset = preset;
        self.restart();
    }

    /// Everything the person did not set, anew.
    fn restart(&mut self) {
        // What a composition decides by its name no setting changes.
        let composition = self.method.composition();
        let fixed = composition.map(|parts| WALK.at(parts.walk.kernel()));
        self.values.fix(Vec::from_iter(fixed));
        for parameter in Parameter::ALL {
            if self.origin(*parameter) != Origin::User {
                self.reset(*parameter);
            }
        }
    }

    /// What [`reset`](Self::reset) goes back to.
    fn start(&self, parameter: Parameter) -> (Value, Origin) {
        let start = self.start_here(parameter);
        // Over rows walks push, and none starts at every passage.
        let served = [
            (WALK.at(Walk::Power), WALK.at(Walk::Push)),
            (
                FALLBACK.at(Fallback::Uniform),
                FALLBACK.at(Fallback::Bm25Top1),
            ),
        ];
        let served = served.into_iter().filter(|_| self.elsewhere);
        let mut served = served.filter(|(whole, _)| *whole == (parameter, start.0));
        served
            .next()
            .map_or(start, |(_, (_, value))| (value, Origin::Index))
    }

    /// The same of an index that lies here.
    fn start_here(&self, parameter: Parameter) -> (Value, Origin) {
        let preset = self.preset();
        if let Some(value) = preset.and_then(|p| p.value(&self.method, parameter)) {
            return (value, Origin::Preset);
        }
        match self.built.iter().find(|(p, _)| *p == parameter) {
            Some((_, value)) => (*value, Origin::Index),
            None => (self.method.default(parameter), Origin::Default),
        }
    }

    /// The ranker that orders the candidates of these settings; none where it is off.
    pub fn ranker(&self) -> Option<&Model> {
        self.all().ranker(orders_others(self.method.plan()))
    }

    /// The ranker that learning starts from: the one in use, else the shipped one.
    pub fn starting_ranker(&self) -> &Model {
        let shipped = || Model::shipped_for(orders_others(self.method.plan()));
        self.ranker().unwrap_or_else(shipped)
    }

    /// The value of a typed parameter.
    pub fn get<T: ParamType>(&self, param: Param<T>) -> T {
        self.values.get(param)
    }

    /// The value of any parameter.
    pub fn value(&self, parameter: Parameter) -> Value {
        self.values.value(parameter)
    }

    /// Who set it: the declaration, a method, a preset or a person.
    pub fn origin(&self, parameter: Parameter) -> Origin {
        self.values.origin(parameter)
    }

    /// The values alone, without the method.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// All of them, for code that is no step of a plan.
    pub fn all(&self) -> Scoped<'_> {
        Scoped::all(&self.values)
    }

    /// The values as code sees them that reads only these.
    pub fn scoped<'a>(&'a self, reads: &'a [Parameter]) -> Scoped<'a> {
        Scoped::new(&self.values, reads)
    }

    /// Why a parameter changes nothing under these settings; none where it can act.
    pub fn idle(&self, parameter: Parameter) -> Option<String> {
        let plan = self.method.plan();
        if parameter.declaration().stage == Stage::Graph && !plan.spreads() {
            return Some("acts only where score spreads over the graph".to_owned());
        }
        let own = NEEDS.iter().filter(|needs| needs.parameter == parameter);
        let uses = plan.uses();
        let mut own = own.filter(|needs| uses.contains(&needs.other));
        own.find_map(|needs| {
            let value = self.text(needs.other);
            let other = needs.other.id();
            let (acts, what) = match needs.must {
                Must::Be(values) => (
                    values.contains(&&*value),
                    format!("= {}", values.join(" or ")),
                ),
                Must::BeOrStored(named) => (
                    value == named || value == "auto" && self.stored,
                    format!("= {named}"),
                ),
                Must::Below(most) => {
                    let below = value.parse().is_ok_and(|v: f64| v < f64::from(most));
                    (below, format!("below {most}"))
                }
                Must::Exceed0 => (value.parse() != Ok(0.0), "above 0".to_owned()),
                Must::Be0 => (value.parse() == Ok(0.0), "= 0".to_owned()),
                Must::BeUnlessListed(values) => {
                    let told = format!("= {}", values.join(" or "));
                    let listed = plan.reads_beside(parameter, needs.other);
                    (listed || values.contains(&&*value), told)
                }
            };
            (!acts).then(|| format!("acts only with {other} {what}"))
        })
    }

    /// Sets a value that the domain contains; others are ignored.
    pub fn set(&mut self, parameter: Parameter, value: Value, origin: Origin) {
        self.values.set(parameter, value, origin);
    }

    /// Back to the preset's value, to what the index was built with, or else to the method's default.
    pub fn reset(&mut self, parameter: Parameter) {
        let (value, origin) = self.start(parameter);
        self.values.set(parameter, value, origin);
    }

    /// Reads `name=value`.
    ///
    /// # Errors
    /// What was expected and where to see what there is.
    pub fn set_text(&mut self, assignment: &str) -> Result<(), String> {
        self.values.set_text(assignment)
    }

    /// Takes a ranker that a person made.
    pub fn tune(&mut self, tuned: Arc<Tuned>) {
        self.values.tune(tuned);
    }

    /// The values of some parameters: what a step's memory of its last result is keyed by.
    pub fn key(&self, reads: &[Parameter]) -> Vec<Value> {
        self.values.key(reads)
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

    /// These for any question: as they are, without what was done to the seeds of one.
    pub fn of_any_question(&self) -> Settings {
        let mut settings = self.clone();
        settings.restore_seeds();
        settings
    }

    /// Changes of the graph, in the order they were made.
    pub fn graph_edits(&self) -> &[GraphEdit] {
        &self.graph
    }

    /// Changes the graph. A newer edit of the same takes the place of the one before, and an edge that is cut and added
    /// again is as it was.
    pub fn edit_graph(&mut self, edit: GraphEdit) {
        let before = self.graph.len();
        self.graph.retain(|known| !known.taken_back_by(&edit));
        if self.graph.len() < before {
            return;
        }
        match self.graph.iter_mut().find(|e| e.replaced_by(&edit)) {
            Some(before) => *before = edit,
            None => self.graph.push(edit),
        }
    }

    /// Takes back one change of the graph.
    pub fn restore_graph(&mut self, edit: &GraphEdit) {
        self.graph.retain(|e| e != edit);
    }

    /// The value as a person writes it.
    pub fn text(&self, parameter: Parameter) -> String {
        self.values.text(parameter)
    }

    /// The same settings without a preset: what it says is set.
    #[must_use]
    pub fn without_preset(&self) -> Settings {
        let mut plain = self.clone();
        plain.stand_on(None);
        for parameter in self.method.uses() {
            let value = self.value(parameter);
            if plain.value(parameter) != value {
                plain.set(parameter, value, Origin::User);
            }
        }
        plain
    }

    /// Differences from what a session on the same index starts with as `name=value`, for commands that repeat a screen.
    pub fn changed(&self) -> Vec<String> {
        let uses = self.method.uses();
        let own = uses.iter().filter(|p| self.value(**p) != self.start(**p).0);
        own.map(|p| format!("{}={}", p.id(), self.text(*p)))
            .collect()
    }
}

/// All parameters the method uses, by identifier.
impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let uses = self.method.uses().into_iter();
        let values: Assigned = uses.map(|p| (p, self.value(p))).collect();
        values.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{ALPHA, STEPS, WALK, Walk};
    use crate::retrieve::Method;

    #[test]
    fn assignments_are_checked_and_named() {
        let mut s = Settings::new(Method::by_name("graph-hybrid").unwrap());
        s.set_text("alpha=0.3").unwrap();
        s.set_text("edge-cap=none").unwrap();
        assert_eq!(s.get(ALPHA), 0.3);
        assert_eq!(s.origin(Parameter::Alpha), Origin::User);
        assert_eq!(s.changed(), vec!["alpha=0.3"]);
        let said = s.set_text("alhpa=0.3").unwrap_err();
        assert!(said.contains("no parameter 'alhpa'") && said.ends_with("did you mean alpha?"));
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
        assert_eq!(s.get(STEPS), 3);
        s.reset(Parameter::Steps);
        assert_eq!(s.get(STEPS), 5);
    }

    #[test]
    fn a_parameter_of_the_small_world_graph_acts_where_one_is_searched() {
        let mut s = Settings::new(Method::by_name("dense").unwrap());
        let mut idle = |value: &str, stored| {
            s.set_text(&format!("vector_search={value}")).unwrap();
            s.stored = stored;
            s.idle(Parameter::HnswEfSearch).is_some()
        };
        assert!(!idle("hnsw", false) && !idle("hnsw", true) && !idle("auto", true));
        assert!(idle("auto", false) && idle("exact", true));
    }

    #[test]
    fn what_a_composition_decides_wins_and_what_was_set_comes_back() {
        let composed = |name| Method::by_name(name).unwrap();
        let mut s = Settings::new(composed("names+rrf > noderag > push > passages"));
        s.set_text("walk=power").unwrap();
        assert_eq!(
            (s.get(WALK), s.text(WALK.id())),
            (Walk::Push, "push".into())
        );
        assert_eq!(s.scoped(&[WALK.id()]).get(WALK), Walk::Push);
        s.set_method(composed("names+rrf > noderag > lazy > passages"));
        s.set_text("walk=push").unwrap();
        assert_eq!(s.get(WALK), Walk::Power);
        s.set_method(Method::by_name("graph-hybrid").unwrap());
        assert_eq!(s.get(WALK), Walk::Push);
    }
}
