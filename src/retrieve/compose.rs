//! Compositions: the seeds of one method, the graph of another, the spread and the selection of a third.
//!
//! A composition is written as it is read: `names+rrf > noderag > push > passages`. Its name is a method's name wherever
//! one is asked for. Every part is a word of the lists below, or the name of a method that has such a part.

use super::methods::{DEFAULT_METHOD, METHODS, Method, MethodRef, Ranker, Way};
use super::operator::{Operator, Part};
use super::operators::walk::{LAZY, POWER, PUSH, WALK};
use super::plan::{Plan, Step};
use super::plans;
use crate::layers::GRAPHS;
use crate::layers::{ENTITY_PASSAGE, GraphKind, TERM_PASSAGE};
use crate::parameters;
use crate::parameters::{FALLBACK, Fallback, Misfit, PACK, Parameter, Parameter as P, Value};
use std::fmt;
use std::sync::LazyLock;

/// What starts the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// Names in the question, found and looked up by the graph's own rule.
    pub names: bool,
    pub rest: Option<Rest>,
}

/// What starts it besides names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The best passages of a ranking.
    List(Ranker),
    /// The graph's own nodes nearest to the question's vector.
    Nearest,
}

/// How score spreads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    Power,
    Push,
    Shallow,
    Lazy,
    OneHop,
}

/// How passages are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    Passages,
    Fuse,
    Rerank,
    Bridge,
    Pack,
    Ranked,
}

/// A part by its name.
#[derive(Debug)]
pub struct Word<T: 'static> {
    pub part: T,
    pub name: &'static str,
    /// One line: what it is.
    pub about: &'static str,
}

const fn word<T>(part: T, name: &'static str, about: &'static str) -> Word<T> {
    Word { part, name, about }
}

/// What may stand beside `names`, or alone.
pub static RESTS: &[Word<Rest>] = &[
    word(Rest::List(Ranker::Bm25), "bm25", "the best BM25 passages"),
    word(
        Rest::List(Ranker::Rm3),
        "bm25-rm3",
        "the best passages of BM25 with words of feedback",
    ),
    word(
        Rest::List(Ranker::TwoStep),
        "bm25-2step",
        "the best passages of BM25 with names of feedback",
    ),
    word(
        Rest::List(Ranker::Dense),
        "dense",
        "the passages nearest to the question",
    ),
    word(
        Rest::List(Ranker::Rrf),
        "rrf",
        "the best passages of BM25 and dense, fused",
    ),
    word(
        Rest::Nearest,
        "nearest",
        "the graph's own nodes nearest to the question",
    ),
];

pub const NAMES: &str = "names";
pub const NAMES_ABOUT: &str = "names in the question, looked up by the graph's own rule";

pub static WALKS: &[Word<Walk>] = &[
    word(Walk::Power, "power", "T steps of power iteration"),
    word(
        Walk::Push,
        "push",
        "forward push to the limit of many steps",
    ),
    word(
        Walk::Shallow,
        "shallow",
        "NodeRAG's two steps with half of the mass back at the seeds",
    ),
    word(
        Walk::Lazy,
        "lazy",
        "NodeRAG's code: a share moves, the rest stays, nothing restarts",
    ),
    word(
        Walk::OneHop,
        "one-hop",
        "one step: the seeds and their neighbours",
    ),
];

pub static PICKS: &[Word<Pick>] = &[
    word(
        Pick::Passages,
        "passages",
        "by the score of the nodes that stand for them",
    ),
    word(Pick::Fuse, "fuse", "the list and the walk, fused by rank"),
    word(
        Pick::Rerank,
        "rerank",
        "the walk's best, scored again by a cross-encoder or MaxSim",
    ),
    word(
        Pick::Bridge,
        "bridge",
        "what every name reaches: one walk a name, the geometric mean",
    ),
    word(
        Pick::Pack,
        "pack",
        "by score, as many as the tokens of the context hold",
    ),
    word(
        Pick::Ranked,
        "ranked",
        "the first 50, put in the learned order",
    ),
];

impl Walk {
    /// What the parameter of that name says of it.
    pub fn kernel(self) -> parameters::Walk {
        match self {
            Walk::Push => parameters::Walk::Push,
            _ => parameters::Walk::Power,
        }
    }

    /// What it presets.
    fn defaults(self) -> &'static [(Parameter, Value)] {
        match self {
            Walk::Power | Walk::Push => &[],
            Walk::Shallow | Walk::Lazy => {
                &[(P::Alpha, Value::Real(0.5)), (P::Steps, Value::Integer(2))]
            }
            Walk::OneHop => &[(P::Steps, Value::Integer(1))],
        }
    }
}

/// One of each part.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let text = "names > entity-passage > power > passages";
/// let composed = Composition::parse(text).map_err(anyhow::Error::msg)?;
/// let settings = Settings::of(&index, composed.method().map_err(anyhow::Error::msg)?);
/// let run = Retriever::new(index.clone()).retrieve("Who discovered Uranus?", &settings, Keep::Scores)?;
/// assert!(!run.top().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composition {
    pub seeds: Seeds,
    pub graph: &'static GraphKind,
    pub walk: Walk,
    pub pick: Pick,
}

/// The four parts, as their flags are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Seeds,
    Graph,
    Spread,
    Select,
}

impl Slot {
    pub const ALL: [Slot; 4] = [Slot::Seeds, Slot::Graph, Slot::Spread, Slot::Select];

    pub fn name(self) -> &'static str {
        match self {
            Slot::Seeds => "seeds",
            Slot::Graph => "graph",
            Slot::Spread => "spread",
            Slot::Select => "select",
        }
    }

    /// Every word that may stand here, with what it means.
    pub fn words(self) -> Vec<(String, String)> {
        fn of<T>(words: &[Word<T>]) -> Vec<(String, String)> {
            let own = words.iter();
            own.map(|w| (w.name.to_owned(), w.about.to_owned()))
                .collect()
        }
        match self {
            Slot::Seeds => {
                let mut words = vec![(NAMES.to_owned(), NAMES_ABOUT.to_owned())];
                words.extend(of(RESTS));
                let both = RESTS.iter();
                words.extend(both.map(|w| {
                    let about = format!("names in the question, and {}", w.about);
                    (format!("{NAMES}+{}", w.name), about)
                }));
                words
            }
            Slot::Graph => GRAPHS
                .iter()
                .map(|kind| (kind.name.to_owned(), kind.about.to_owned()))
                .collect(),
            Slot::Spread => of(WALKS),
            Slot::Select => of(PICKS),
        }
    }
}

fn find<T: Copy>(words: &[Word<T>], name: &str) -> Option<T> {
    words.iter().find(|w| w.name == name).map(|w| w.part)
}

fn name_of<T: PartialEq>(words: &'static [Word<T>], part: &T) -> &'static str {
    let found = words.iter().find(|w| w.part == *part);
    found.map_or("", |w| w.name)
}

fn about_of<T: PartialEq>(words: &'static [Word<T>], part: &T) -> &'static str {
    let found = words.iter().find(|w| w.part == *part);
    found.map_or("", |w| w.about)
}

fn graph_of(name: &str) -> Option<&'static GraphKind> {
    GRAPHS.iter().find(|kind| kind.name == name).copied()
}

fn seeds_of(text: &str) -> Option<Seeds> {
    let (names, rest) = match text.split_once('+') {
        Some((NAMES, rest)) => (true, Some(rest)),
        None if text == NAMES => (true, None),
        _ => (false, Some(text)),
    };
    let rest = match rest {
        Some(rest) => Some(find(RESTS, rest)?),
        None => None,
    };
    Some(Seeds { names, rest })
}

/// What a method has of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Own {
    /// A part that compositions have, by its word.
    Word(String),
    /// One of its own, and the word that comes nearest; what it is.
    Like(&'static str, String),
    /// One of its own that no word comes near; what it is.
    Alone(String),
    /// It has no such step.
    Nothing,
}

impl Own {
    /// The word that it is, or that comes nearest.
    pub fn word(&self) -> Option<&str> {
        match self {
            Own::Word(word) => Some(word),
            Own::Like(word, _) => Some(word),
            Own::Alone(_) | Own::Nothing => None,
        }
    }
}

/// How a method's part is written: `~` before a word that only comes near to it, `()` around what has none.
impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Own::Word(word) => f.write_str(word),
            Own::Like(word, _) => write!(f, "~{word}"),
            Own::Alone(what) => {
                let name = what.split_once(": ").map_or(&**what, |(name, _)| name);
                write!(f, "({name})")
            }
            Own::Nothing => f.write_str("-"),
        }
    }
}

/// What the listed methods have of every part, read off their plans.
static OWN: LazyLock<Vec<[Own; 4]>> =
    LazyLock::new(|| METHODS.iter().map(|m| taken(m.plan())).collect());

/// What a method has of every part: those of its plan.
pub fn own(method: &Method) -> [Own; 4] {
    if let Some(composition) = method.composition() {
        return Slot::ALL.map(|slot| Own::Word(composition.word(slot)));
    }
    if let Way::Ended(of, pick, _) = &method.way {
        let [seeds, graph, spread, _] = own(of);
        let select = Own::Word(name_of(PICKS, pick).to_owned());
        return [seeds, graph, spread, select];
    }
    let listed = METHODS.iter().position(|m| m.name == method.name);
    match listed.and_then(|at| OWN.get(at)) {
        Some(own) => own.clone(),
        None => taken(method.plan()),
    }
}

/// The parts of a plan, each held against what compositions do: the same operators on the same graphs with the same values.
fn taken(plan: &Plan) -> [Own; 4] {
    let walked = plan.part(Part::Spread).find_map(|step| step.graph);
    let steps = |plan: &Plan, part: Part| {
        let steps = plan.part(part).map(|step| {
            let graph = step.graph.map(|graph| graph.name);
            (step.label.clone(), graph, step.fixed.clone())
        });
        steps.collect::<Vec<_>>()
    };
    let like = |pick: Pick, seeds: Seeds| {
        plans::composed(&Composition {
            seeds,
            graph: walked.unwrap_or(&ENTITY_PASSAGE),
            walk: Walk::Power,
            pick,
        })
    };
    // A ranking without a graph neither restarts a walk nor ranks by one.
    let flat = walked.is_none();
    let seeds = || {
        let own = steps(plan, Part::Seed);
        let words = Slot::Seeds.words().into_iter();
        let is_own = |word: &String| {
            let seeds = seeds_of(word)?;
            let listed = matches!(seeds.rest, Some(Rest::List(_)));
            let mut picks = vec![Pick::Passages];
            picks.extend(listed.then_some(Pick::Fuse));
            let same = picks.into_iter().any(|pick| {
                let mut steps = steps(&like(pick, seeds), Part::Seed);
                if flat {
                    steps.pop();
                }
                steps == own
            });
            same.then_some(())
        };
        words
            .map(|(word, _)| word)
            .find(|word| is_own(word).is_some())
    };
    let picks = || {
        let own = steps(plan, Part::Select);
        let all = Seeds {
            names: true,
            rest: Some(Rest::List(Ranker::Rrf)),
        };
        let is_own = |word: &&Word<Pick>| {
            let mut steps = steps(&like(word.part, all), Part::Select);
            if flat {
                steps.remove(0);
            }
            steps == own
        };
        PICKS.iter().find(is_own).map(|word| word.name.to_owned())
    };
    let spreads = || {
        let walks: Vec<&Step> = plan.part(Part::Spread).collect();
        let is =
            |walk: &dyn Operator| matches!(walks[..], [one] if *one.label == format!("{walk:?}"));
        // The walk of a parameter is power iteration until that says otherwise.
        let words: [(&dyn Operator, &str); 4] = [
            (&WALK, "power"),
            (&POWER, "power"),
            (&PUSH, "push"),
            (&LAZY, "lazy"),
        ];
        words
            .iter()
            .find(|(walk, _)| is(*walk))
            .map(|(_, word)| (*word).to_owned())
    };
    let of = |part: Part, word: Option<String>| match (word, plan.part(part).last()) {
        (Some(word), _) => Own::Word(word),
        (None, None) => Own::Nothing,
        (None, Some(step)) => {
            let of = step.operator.declaration();
            let what = format!("{}: {}", of.name, of.about);
            of.like
                .map_or(Own::Alone(what.clone()), |word| Own::Like(word, what))
        }
    };
    let names: Vec<&str> = plan.graphs().iter().map(|graph| graph.name).collect();
    let graph = match walked {
        None => Own::Nothing,
        Some(graph) if names.len() < 2 => Own::Word(graph.name.to_owned()),
        Some(graph) => Own::Like(graph.name, format!("graphs: {}", names.join(", "))),
    };
    [
        of(Part::Seed, seeds()),
        graph,
        of(Part::Spread, spreads()),
        of(Part::Select, picks()),
    ]
}

/// A part by its word, or by the name of a method that has one.
fn part<T>(slot: Slot, text: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, String> {
    let text = text.trim();
    if let Some(part) = read(text) {
        return Ok(part);
    }
    let name = slot.name();
    let words = || -> String {
        let words: Vec<String> = slot.words().into_iter().map(|(name, _)| name).collect();
        words.join(", ")
    };
    let Some(method) = METHODS.iter().find(|method| method.name == text) else {
        return Err(format!(
            "no {name} '{text}'; there are {}, or the name of a method that has one",
            words()
        ));
    };
    let own = &own(method)[slot as usize];
    if let Some(part) = own.word().and_then(read) {
        return Ok(part);
    }
    let why = match own {
        Own::Nothing => "it ranks passages without a graph".to_owned(),
        Own::Alone(what) | Own::Like(_, what) | Own::Word(what) => {
            format!("it is its own ({what}); take {}", words())
        }
    };
    Err(format!("the {name} of {text} cannot be composed: {why}"))
}

impl Composition {
    /// Reads `SEEDS > GRAPH > SPREAD > SELECT`.
    ///
    /// # Errors
    /// A part that is none, with the words there are. Whether the parts fit is [`method`](Self::method)'s to say.
    pub fn parse(text: &str) -> Result<Composition, String> {
        let parts: Vec<&str> = text.split('>').collect();
        let [seeds, graph, walk, pick] = parts[..] else {
            return Err(format!(
                "'{text}' has {} parts; write SEEDS > GRAPH > SPREAD > SELECT, for example 'rrf > chunk-similarity > push > passages'",
                parts.len()
            ));
        };
        let mut own = Composition::of_nothing();
        for (slot, text) in Slot::ALL.into_iter().zip([seeds, graph, walk, pick]) {
            own = own.with(slot, text)?;
        }
        Ok(own)
    }

    fn of_nothing() -> Composition {
        Composition {
            seeds: Seeds {
                names: true,
                rest: Some(Rest::List(Ranker::Rrf)),
            },
            graph: &ENTITY_PASSAGE,
            walk: Walk::Power,
            pick: Pick::Passages,
        }
    }

    /// Another word for one part.
    ///
    /// # Errors
    /// A word that is none, with those there are.
    pub fn with(mut self, slot: Slot, text: &str) -> Result<Composition, String> {
        match slot {
            Slot::Seeds => self.seeds = part(slot, text, seeds_of)?,
            Slot::Graph => self.graph = part(slot, text, graph_of)?,
            Slot::Spread => self.walk = part(slot, text, |t| find(WALKS, t))?,
            Slot::Select => self.pick = part(slot, text, |t| find(PICKS, t))?,
        }
        Ok(self)
    }

    /// What a method has of each part; where it has none that can be taken, SPRIG's: names and fused passages, names and
    /// passages, power, passages.
    pub fn near(method: &Method) -> Composition {
        if let Some(own) = method.composition() {
            return own;
        }
        let mut near = Composition::of_nothing();
        for (slot, own) in Slot::ALL.into_iter().zip(own(method)) {
            if let Some(word) = own.word() {
                near = near.with(slot, word).unwrap_or(near);
            }
        }
        near
    }

    /// Where words of a composition over a method stand for parts of the method's own, or of those that are named, a
    /// sentence for each: the composition is not the method with another part.
    pub fn stand_ins(&self, method: &Method, parts: [Option<&str>; 4]) -> Vec<String> {
        let mut said = Vec::new();
        for (slot, named) in Slot::ALL.into_iter().zip(parts) {
            let of = match named {
                None => method,
                Some(name) => match METHODS.iter().find(|method| method.name == name.trim()) {
                    Some(method) => method,
                    None => continue,
                },
            };
            let (word, name) = (self.word(slot), slot.name());
            match &own(of)[slot as usize] {
                Own::Like(_, what) | Own::Alone(what) => said.push(format!(
                    "{name} {word} stands in for the {name} of {} ({what})",
                    of.name
                )),
                Own::Word(own) if *own != word => said.push(format!(
                    "{name} {word} stands in for {own}, which does not fit"
                )),
                Own::Word(_) | Own::Nothing => {}
            }
        }
        said
    }

    /// The word of a part.
    pub fn word(&self, slot: Slot) -> String {
        match slot {
            Slot::Seeds => self.seeds.to_string(),
            Slot::Graph => self.graph.name.to_owned(),
            Slot::Spread => name_of(WALKS, &self.walk).to_owned(),
            Slot::Select => name_of(PICKS, &self.pick).to_owned(),
        }
    }

    /// Some parts by their words, the rest a method's. Seeds that were not asked for give way where they do not fit.
    ///
    /// # Errors
    /// A word that is none, or parts that do not fit, with the reason.
    fn over(method: &Method, parts: [Option<&str>; 4]) -> Result<Composition, String> {
        let mut own = Composition::near(method);
        for (slot, text) in Slot::ALL.into_iter().zip(parts) {
            if let Some(text) = text {
                own = own.with(slot, text)?;
            }
        }
        if parts[Slot::Seeds as usize].is_none() && own.fits().is_err() {
            let list = |names, rest| Seeds { names, rest };
            let rrf = Some(Rest::List(Ranker::Rrf));
            let others = [list(true, rrf), list(false, rrf)];
            let fitting = others.map(|seeds| Composition { seeds, ..own });
            own = fitting
                .into_iter()
                .find(|c| c.fits().is_ok())
                .unwrap_or(own);
        }
        own.fits()?;
        Ok(own)
    }

    /// Whether the parts can work together.
    ///
    /// # Errors
    /// Why not, and what would.
    pub fn fits(&self) -> Result<(), String> {
        let (seeds, graph) = (self.seeds, self.graph);
        let (seeded, on) = (seeds.to_string(), graph.name);
        if seeds.names && !graph.named {
            return Err(format!(
                "seeds {seeded} do not fit graph {on}: its nodes are {}, none is a name; take bm25, dense, rrf or nearest",
                graph.nodes
            ));
        }
        if seeds.rest == Some(Rest::Nearest) && !graph.embedded {
            return Err(format!(
                "seeds {seeded} do not fit graph {on}: its nodes ({}) have no vectors of their own; take dense, the nearest passages",
                graph.nodes
            ));
        }
        let listed = matches!(seeds.rest, Some(Rest::List(_)));
        if self.pick == Pick::Fuse && !listed {
            return Err(format!(
                "selection fuse does not fit seeds {seeded}: it fuses a list of passages with the walk, and there is none; add bm25, dense or rrf to the seeds"
            ));
        }
        if self.pick == Pick::Bridge && !seeds.names {
            return Err(format!(
                "selection bridge does not fit seeds {seeded}: it multiplies one walk a name, and no names are looked up; add names to the seeds"
            ));
        }
        Ok(())
    }

    pub fn ranker(&self) -> Option<Ranker> {
        match self.seeds.rest {
            Some(Rest::List(ranker)) => Some(ranker),
            _ => None,
        }
    }

    pub fn reads_vectors(&self) -> bool {
        plans::composed(self).needs_vectors()
    }

    /// Where its defaults differ from the declarations': its nearest relative's, then its walk's.
    fn defaults(&self) -> Vec<(Parameter, Value)> {
        // Of SPRIG's kind: what a system presets is for its own steps.
        let own = |m: &&Method| m.layer().is_none();
        let kin = METHODS.iter().filter(own).find(|m| {
            let near = Composition::near(m);
            m.name != DEFAULT_METHOD
                && (near.seeds, near.graph, near.pick) == (self.seeds, self.graph, self.pick)
        });
        let kin = kin.or_else(|| {
            let words = self.graph == &TERM_PASSAGE;
            let mut methods = METHODS.iter();
            methods.find(|m| words && m.graph() == Some(self.graph))
        });
        let mut defaults = kin.map_or(Vec::new(), |m| m.defaults.to_vec());
        defaults.extend(self.walk.defaults());
        // One long passage does not close the context to all the others.
        defaults.extend((self.pick == Pick::Pack).then_some(PACK.at(Misfit::Skip)));
        // Where nothing starts the walk of a composition nothing is retrieved: of SPRIG's own methods it is published.
        let published = [&ENTITY_PASSAGE, &TERM_PASSAGE].contains(&self.graph);
        let plain = self.seeds.names && self.walk != Walk::Lazy && published;
        if !plain || !matches!(self.pick, Pick::Passages | Pick::Fuse) {
            defaults.push(FALLBACK.at(Fallback::None));
        }
        defaults
    }

    /// The method of this composition.
    ///
    /// # Errors
    /// Parts that do not fit, with the reason.
    pub fn method(self) -> Result<MethodRef, String> {
        self.fits()?;
        let name = self.to_string();
        Ok(MethodRef::from(Method {
            title: name.clone().into(),
            name: name.into(),
            about: self.about().into(),
            needs: self.needs().into(),
            way: Way::Composed(self, plans::composed(&self)),
            defaults: self.defaults().into(),
        }))
    }

    fn about(&self) -> String {
        format!(
            "from {} over {}; {}; {}",
            self.seeds.about(),
            self.graph.about,
            about_of(WALKS, &self.walk),
            about_of(PICKS, &self.pick)
        )
    }

    fn needs(&self) -> String {
        let mut needs = Vec::new();
        if self.ranker().is_some_and(Ranker::reads_words) || self.graph == &TERM_PASSAGE {
            needs.push("words".to_owned());
        }
        if self.graph == &ENTITY_PASSAGE {
            needs.push("entities".to_owned());
        }
        if self.reads_vectors() {
            needs.push("vectors".to_owned());
        }
        needs.extend(self.graph.layer.map(|layer| format!("layer {layer}")));
        needs.join(", ")
    }
}

/// A method with parts that a person chose.
#[derive(Debug)]
pub struct Chosen {
    pub method: MethodRef,
    /// Parts that stand in for some of the method's own, a sentence each.
    pub stand_ins: Vec<String>,
}

/// Puts parts by their words in the place of a method's own. Where only the selection is named and can follow any ranking, the
/// method stays as it is and ends so.
///
/// # Errors
/// A word that is none, or parts that do not fit, with the reason.
pub fn over(method: &MethodRef, parts: [Option<&str>; 4]) -> Result<Chosen, String> {
    if let ([None, None, None, Some(word)], None) = (parts, method.composition()) {
        let base = method.base().unwrap_or(method).clone();
        let method = match find(PICKS, word.trim()) {
            _ if own(&base)[Slot::Select as usize] == Own::Word(word.trim().to_owned()) => {
                Some(base)
            }
            Some(pick) if pick.follows() => Some(ended(base, pick)?),
            _ => None,
        };
        if let Some(method) = method {
            let stand_ins = Vec::new();
            return Ok(Chosen { method, stand_ins });
        }
    }
    let composed = Composition::over(method, parts)?;
    Ok(Chosen {
        stand_ins: composed.stand_ins(method, parts),
        method: composed.method()?,
    })
}

/// Reads `METHOD > SELECT`.
///
/// # Errors
/// A name or word that is none; a selection that cannot follow the method.
pub fn ending(method: &str, select: &str) -> Result<MethodRef, String> {
    let (method, select) = (Method::by_name(method.trim())?, select.trim());
    match find(PICKS, select).filter(|pick| pick.follows()) {
        Some(pick) => ended(method, pick),
        None => {
            let words = PICKS.iter().filter(|word| word.part.follows());
            let words: Vec<&str> = words.map(|word| word.name).collect();
            Err(format!(
                "'{select}' cannot follow a method; METHOD > SELECT takes {}, a whole composition is SEEDS > GRAPH > SPREAD > SELECT",
                words.join(", ")
            ))
        }
    }
}

/// A method whose ranking is taken in by one more selection.
fn ended(of: MethodRef, pick: Pick) -> Result<MethodRef, String> {
    let word = name_of(PICKS, &pick);
    let plan = plans::ended(of.plan(), pick);
    let last = |plan: &Plan| plan.steps.last().map(|step| step.label.clone());
    if last(&plan) == last(of.plan()) {
        return Err(format!("{} ends in the selection {word} already", of.name));
    }
    let name = format!("{} > {word}", of.name);
    Ok(MethodRef::from(Method {
        title: name.clone().into(),
        name: name.into(),
        about: format!("{}; then {}", of.about, about_of(PICKS, &pick)).into(),
        needs: of.needs.clone(),
        defaults: of.defaults.clone(),
        way: Way::Ended(of, pick, plan),
    }))
}

impl Pick {
    /// Whether it chooses from any ranking, not from a walk alone.
    fn follows(self) -> bool {
        matches!(self, Pick::Rerank | Pick::Ranked)
    }
}

impl Seeds {
    fn about(self) -> String {
        let rest = self.rest.map(|rest| about_of(RESTS, &rest));
        match (self.names, rest) {
            (true, Some(rest)) => format!("names in the question and {rest}"),
            (true, None) => "names in the question".to_owned(),
            (false, rest) => rest.unwrap_or("").to_owned(),
        }
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.rest.map(|rest| name_of(RESTS, &rest));
        match (self.names, rest) {
            (true, Some(rest)) => write!(f, "{NAMES}+{rest}"),
            (true, None) => f.write_str(NAMES),
            (false, rest) => f.write_str(rest.unwrap_or("")),
        }
    }
}

impl fmt::Display for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Slot::ALL.map(|slot| self.word(slot)).join(" > "))
    }
}
