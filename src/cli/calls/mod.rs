//! The calls that other programs and agents make: what each takes, what it returns, and the function behind it. They read
//! one open index and nothing else, and every answer keeps within a bound.

pub mod address;
mod ask;
mod compare;
mod evaluate;
mod refusal;
mod runs;
mod set;
mod size;
mod status;
mod why;

pub use refusal::Refusal;
#[cfg(feature = "mcp")]
pub use runs::passage;
pub use set::{questions, rankings};

use super::load::{Aim, load_telling};
use super::{How, Lossy, Reading};
use crate::explorer::engine::facts;
use crate::explorer::lack::lacks;
use crate::explorer::scene::Facts;
use crate::index::Index;
use crate::retrieve::{METHODS, Method, Presets, Retriever};
use anyhow::Result;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use size::fit;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Tokens of an answer where a request names no bound, at least, and at most.
const TOKENS: usize = 2_000;
const LEAST: usize = 100;
const MOST: usize = 100_000;

/// Version of the schemas: a field that goes or changes its meaning makes another one, a new field does not.
pub const SCHEMA: usize = 1;

/// What is open.
pub struct Session {
    pub index: Arc<Index>,
    pub facts: Facts,
    /// Whether a RUN may name a file: a ranker, the run of another program.
    pub files: bool,
    /// What answers calls, while it waits for one: it remembers graphs and what the last questions came to.
    waiting: Mutex<Vec<Retriever>>,
}

/// Retrievers that wait for a call.
const WAITING: usize = 2;

impl Session {
    /// Opens an index folder, a corpus, or without a path the sample. What is to be known of reading it goes to `tell`. A
    /// `lossy` one may lack databases that cannot be reached.
    ///
    /// # Errors
    /// An index that cannot be opened.
    pub fn open(
        path: Option<&Path>,
        lossy: Lossy,
        tell: &mut dyn FnMut(String),
    ) -> Result<Session> {
        let (_, mut settings) = How::default().named_among(&Presets::default(), None)?;
        let reading = Reading {
            lossy,
            ..Reading::default()
        };
        let index = load_telling(path, &reading, Aim::Questions, &mut settings, tell)?;
        let argument = path.map(|path| path.display().to_string());
        let facts = facts(&index, &argument.unwrap_or_default());
        Ok(Session::over(index, facts))
    }

    /// Of an open index.
    pub fn over(index: Arc<Index>, facts: Facts) -> Session {
        Session {
            index,
            facts,
            files: false,
            waiting: Mutex::default(),
        }
    }

    /// Works with what earlier calls remembered. Of an index that lies elsewhere, that is kept with its rows.
    fn retrieving<T>(&self, work: impl FnOnce(&mut Retriever) -> T) -> T {
        let waiting = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let known = waiting().pop();
        let mut own = known.unwrap_or_else(|| Retriever::new(self.index.clone()));
        let made = work(&mut own);
        let here = self.index.source().is_none();
        let mut waiting = waiting();
        if here && waiting.len() < WAITING {
            waiting.push(own);
        }
        made
    }

    /// The databases that could not be reached and are left out.
    fn lost(&self) -> Vec<String> {
        let source = self.index.source();
        source.map_or_else(Vec::new, |source| source.rows().lost())
    }

    /// What is made of an index again and again, until all that is read for that came from its databases.
    ///
    /// # Errors
    /// What these say, and one that is left out.
    pub fn read<T>(&self, make: impl FnMut(&Index) -> T) -> Result<T, Refusal> {
        let made = self.index.read_for(make)?;
        self.complete()?;
        Ok(made)
    }

    /// Holds that none is left out: what says more than an answer would be wrong without them.
    fn complete(&self) -> Result<(), Refusal> {
        match &*self.lost() {
            [] => Ok(()),
            lost => Err(Refusal::new(
                format!("cannot be reached: {}", lost.join(", ")),
                "ask answers without; for the rest, open the index again once they are back",
            )),
        }
    }

    /// The methods that run on the index.
    pub fn runs(&self) -> impl Iterator<Item = &'static Method> {
        let layers = self.index.layers();
        METHODS
            .iter()
            .filter(move |method| lacks(&self.facts, &layers, method).is_none())
    }
}

/// Whether the work is still wanted.
pub type GoOn<'a> = &'a (dyn Fn() -> bool + Sync);

/// The arguments of a call by name.
pub type Arguments = Map<String, Value>;

/// An argument or a field: its name, its JSON type and what it is.
type Field = (&'static str, &'static str, &'static str);

/// One tool.
pub struct Tool {
    pub name: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    /// Arguments, the required ones first.
    takes: &'static [Field],
    /// How many of them are required.
    required: usize,
    /// The JSON schema of the answer. Its fields are in the order of their importance; the first is always there.
    gives: &'static str,
    call: fn(&Session, Arguments, GoOn) -> Result<Value, Refusal>,
    /// Its answer says what it lacks where databases cannot be reached. Others give none then.
    lossy: bool,
}

const QUESTION: Field = (
    "question",
    "string",
    "A question, or the identifier of one of the question set, such as q72.",
);
const PASSAGE: Field = ("passage", "string", "The id of a passage.");
const METHOD: Field = (
    "method",
    "string",
    "A RUN: METHOD[@PARAMETER=VALUE]..., such as hop@ranker=off. Default: the default method of the index.",
);
const CHANGES: Field = (
    "changes",
    "array",
    "Changes for this call alone, as why_not finds them: {\"edit\": \"join Kepler | Johannes Kepler\"}, {\"set\": \"alpha=0.3\"}, \
     {\"seed\": \"NAME=mute\"}. Default: none.",
);
const K: Field = ("k", "integer", "Passages to return. Default: 10.");

pub static TOOLS: &[Tool] = &[
    Tool {
        name: "open_status",
        title: "What is open",
        about: "Describes the open index: its path, sizes, layers, vectors and question set, the methods that run on it, and for \
                the others why they do not. Call it first.",
        takes: &[],
        required: 0,
        gives: include_str!("../../../assets/schema/calls/open_status.json"),
        call: status::open_status,
        lossy: true,
    },
    Tool {
        name: "ask",
        title: "Retrieve passages",
        about: "Retrieves passages for a question: id, title, score, the part of the text that is about the question, and a short \
                reason. For a question of the set also the ranks of its gold passages.",
        takes: &[QUESTION, METHOD, K, CHANGES],
        required: 1,
        gives: include_str!("../../../assets/schema/calls/ask.json"),
        call: ask::ask,
        lossy: true,
    },
    Tool {
        name: "why",
        title: "Explain a passage",
        about: "Explains the score of a passage: its parts with their shares, the paths from the seeds that carry most, and one \
                sentence. With 'than' it compares the parts with those of another passage. For a missed passage call why_not.",
        takes: &[
            QUESTION,
            PASSAGE,
            METHOD,
            K,
            CHANGES,
            (
                "than",
                "string",
                "Id of a passage to compare with, part by part.",
            ),
        ],
        required: 2,
        gives: include_str!("../../../assets/schema/calls/why.json"),
        call: why::why,
        lossy: false,
    },
    Tool {
        name: "why_not",
        title: "Explain a missed passage",
        about: "Explains why a passage is not returned: verdicts with their failure class, whether each is a tested cause, the gap \
                to rank k, the parts that the passage at rank k has more of. repairs=true tries hundreds of single changes \
                (seconds on a large index) and lists those that bring it in, each with a RUN to try where it is a setting.",
        takes: &[
            QUESTION,
            PASSAGE,
            METHOD,
            K,
            CHANGES,
            (
                "repairs",
                "boolean",
                "Search for changes that bring it in. Default: false.",
            ),
        ],
        required: 2,
        gives: include_str!("../../../assets/schema/calls/why_not.json"),
        call: why::why_not,
        lossy: false,
    },
    Tool {
        name: "compare",
        title: "Compare two runs",
        about: "Compares two RUNs on a question, or without one on the whole question set: what differs in their settings, parts \
                and operators, and for two runs of one method which changed parameter did it. On the set: every measure with its \
                difference, 95 % interval, corrected p and judgement.",
        takes: &[
            (
                "first",
                "string",
                "A RUN: METHOD[@PARAMETER=VALUE]..., such as hop.",
            ),
            ("second", "string", "The RUN to compare with it."),
            (
                "question",
                "string",
                "A question or its identifier. Default: all questions of the set.",
            ),
            K,
        ],
        required: 2,
        gives: include_str!("../../../assets/schema/calls/compare.json"),
        call: compare::compare,
        lossy: false,
    },
    Tool {
        name: "evaluate",
        title: "Evaluate a method",
        about: "Measures a method on the question set of the index: every measure with its 95 % interval, how far gold gets, and \
                why gold is missed, counted by verdict and failure class. Lists the missed gold for why_not.",
        takes: &[
            METHOD,
            K,
            CHANGES,
            (
                "per_question",
                "boolean",
                "List the measures of every question too. Default: false.",
            ),
        ],
        required: 0,
        gives: include_str!("../../../assets/schema/calls/evaluate.json"),
        call: evaluate::evaluate,
        lossy: false,
    },
];

impl Tool {
    /// The JSON schema of the arguments.
    pub fn input(&self) -> Value {
        let mut takes = fields(self.takes);
        takes["max_tokens"] = json!({"type": "integer", "minimum": LEAST, "maximum": MOST, "default": TOKENS,
            "description": "Upper bound of the answer; a token counts as 3 bytes of JSON. left_out names what did not fit."});
        if let Some(k) = takes.get_mut("k") {
            k["minimum"] = json!(1);
        }
        let required: Vec<&str> = self.takes.iter().take(self.required).map(|f| f.0).collect();
        json!({"type": "object", "properties": takes, "required": required, "additionalProperties": false})
    }

    /// The JSON schema of the answer.
    pub fn output(&self) -> Value {
        serde_json::from_str(self.gives).unwrap_or_default()
    }

    /// Answers within the bound that the arguments have.
    pub fn call(
        &self,
        session: &Session,
        mut arguments: Arguments,
        go_on: GoOn,
    ) -> Result<Value, Refusal> {
        let bound = match arguments.shift_remove("max_tokens") {
            None | Some(Value::Null) => TOKENS,
            Some(bound) => match bound.as_u64().map(|bound| bound as usize) {
                Some(bound @ LEAST..=MOST) => bound,
                _ => {
                    let error = format!("max_tokens: expected {LEAST} to {MOST}, found {bound}");
                    return Err(Refusal::new(error, format!("default: {TOKENS}")));
                }
            },
        };
        Ok(fit(self.whole(session, arguments, go_on)?, bound))
    }

    /// The whole answer.
    pub fn whole(
        &self,
        session: &Session,
        arguments: Arguments,
        go_on: GoOn,
    ) -> Result<Value, Refusal> {
        let known = |name: &&String| !self.takes.iter().any(|field| field.0 == **name);
        if let Some(name) = arguments.keys().find(known) {
            return Err(self.misused(format!("no argument '{name}'")));
        }
        let needed = self.takes.iter().take(self.required);
        let mut needed = needed.filter(|field| !arguments.contains_key(field.0));
        if let Some(field) = needed.next() {
            return Err(self.misused(format!("the argument '{}' is missing", field.0)));
        }
        let complete = || match self.lossy {
            true => Ok(()),
            false => session.complete(),
        };
        complete()?;
        let answer = (self.call)(session, arguments, go_on).map_err(|refusal| {
            match refusal.hint.is_empty() {
                true => self.misused(refusal.error),
                false => refusal,
            }
        })?;
        // One may have gone meanwhile.
        complete()?;
        match go_on() {
            true => Ok(answer),
            false => Err(Refusal::cancelled()),
        }
    }

    /// Arguments that are not those of this tool.
    fn misused(&self, error: String) -> Refusal {
        let names = self.takes.iter().map(|field| field.0);
        let required = match self.required {
            0 => "no argument is required".to_owned(),
            some => {
                let needed: Vec<&str> = self.takes.iter().take(some).map(|f| f.0).collect();
                format!("required: {}", needed.join(", "))
            }
        };
        let hint = format!("{} takes these arguments; {required}", self.name);
        Refusal::new(error, hint).options(names.chain(["max_tokens"]))
    }
}

/// The schemas of all calls, as `hopscope serve` gives them.
pub fn schema() -> Value {
    let calls = TOOLS.iter().map(|tool| {
        json!({"call": tool.name, "title": tool.title, "about": tool.about, "arguments": tool.input(), "result": tool.output()})
    });
    json!({"version": SCHEMA, "calls": calls.collect::<Vec<_>>()})
}

/// Arguments as their type.
///
/// # Errors
/// A value of another type; without a hint, which the tool has.
pub fn read<T: DeserializeOwned>(arguments: Arguments) -> Result<T, Refusal> {
    let read = serde_json::from_value(Value::Object(arguments));
    read.map_err(|said| Refusal::new(said.to_string(), ""))
}

/// Properties of a schema.
fn fields(fields: &[Field]) -> Value {
    let field = |(name, kind, about): &Field| {
        let about = json!({"type": kind, "description": about});
        ((*name).to_owned(), about)
    };
    Value::Object(fields.iter().map(field).collect())
}

/// The schemas of all answers, made from their types. As an answer keeps within a bound, only its first field is always
/// there, and the last entries of an object that is a field may give way.
#[cfg(feature = "schema")]
pub fn made() -> Vec<(&'static str, Value)> {
    let bounded = |(name, mut made): (&'static str, Value)| {
        let of = |field: &Value| {
            let either = field["anyOf"].as_array().into_iter().flatten();
            let named = either.chain([field]).find_map(|one| one["$ref"].as_str());
            named.and_then(|named| named.strip_prefix("#/$defs/").map(str::to_owned))
        };
        let fields = made["properties"].as_object().into_iter().flatten();
        for of in fields
            .filter_map(|(_, field)| of(field))
            .collect::<Vec<_>>()
        {
            made["$defs"][of]
                .as_object_mut()
                .map(|of| of.shift_remove("required"));
        }
        if let Some(required) = made["required"].as_array_mut() {
            required.truncate(1);
        }
        made["properties"][size::LEFT_OUT] = json!({"type": "array", "items": {"type": "string"},
            "description": "What max_tokens left no room for: fields, entries of lists, the ends of long texts."});
        (name, made)
    };
    use super::schema::of;
    let all = [
        (
            "calls/open_status",
            of::<status::Answer<'static>>("open_status"),
        ),
        ("calls/ask", of::<ask::Answer<'static>>("ask")),
        ("calls/why", of::<why::Scored<'static>>("why")),
        ("calls/why_not", of::<why::Missed<'static>>("why_not")),
        ("calls/compare", of::<compare::Answer<'static>>("compare")),
        (
            "calls/evaluate",
            of::<evaluate::Answer<'static>>("evaluate"),
        ),
    ];
    all.into_iter().map(bounded).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layers::entities::ENTITY_PASSAGE;

    #[test]
    fn a_call_finds_the_graph_of_the_one_before() {
        let session = Session::open(None, Lossy::default(), &mut |_| {}).unwrap();
        let settings = runs::settings(&session, None, None).unwrap().1;
        let graph = || {
            let graph = session.retrieving(|own| own.graph(&ENTITY_PASSAGE, &settings, &[]));
            graph.unwrap().id
        };
        let first = graph();
        assert_eq!(graph(), first);
        // Calls at one time have a retriever each, and the index shares the graph that one of them holds.
        let within = session.retrieving(|own| {
            own.graph(&ENTITY_PASSAGE, &settings, &[]).unwrap();
            session.retrieving(|_| graph())
        });
        assert_eq!(within, first);
        assert_eq!(session.waiting.lock().unwrap().len(), WAITING);
    }
}
