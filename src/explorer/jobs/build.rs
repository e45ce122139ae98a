//! A layer that a method needs: built while the index is explored, then the method is switched to.

use super::{Doer, Job, News, Running, Tell};
use crate::explorer::action::{Effect, Message, Then, Tone};
use crate::explorer::lack::{Missing, lack};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::index::IndexError;
use crate::layers::build_layers;
use crate::retrieve::{Method, Settings};

/// A layer to build.
#[derive(Clone, Debug, PartialEq)]
pub struct Build {
    pub layer: &'static str,
    /// The method that waits for it.
    pub method: String,
    pub settings: Settings,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// The step, and how far it is.
    At(&'static str, usize, usize),
    /// It is part of the index now; the seconds it took.
    Done(f64),
}

impl Job for Build {
    type Part = Part;
    const THREAD: &'static str = "build";
    const WHOLE: bool = true;

    /// Builds the layer and adds it to the index in memory.
    fn run(&self, doer: &mut Doer, tell: &Tell<'_, Part>) -> Result<Option<Part>, String> {
        let layer = self.layer;
        let mut kinds = doer.kinds.iter();
        let kind = kinds.find(|kind| kind.name == layer);
        let kind = kind.ok_or_else(|| format!("no layer '{layer}'"))?;
        let progress = tell.progress(Part::At);
        match build_layers(&doer.index, &[kind], self.settings.all(), &progress) {
            Ok(built) => Ok(Some(Part::Done(built.iter().map(|b| b.seconds).sum()))),
            Err(IndexError::Cancelled) => Err("stopped".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn heard(state: &mut State, news: News<Build>) -> Vec<Effect> {
        if !state.building.hear(news) {
            return Vec::new();
        }
        match &state.building {
            Running::Failed { request, why } => {
                let words = format!("could not build layer {}: {why}", request.layer);
                state.say(Message::error(words))
            }
            Running::Over {
                request,
                latest: Some(Part::Done(seconds)),
            } => {
                let (layer, method, seconds) = (request.layer, request.method.clone(), *seconds);
                state.layers.push(layer.to_owned());
                let index = match state.facts.argument.as_str() {
                    "" => "INDEX",
                    argument => argument,
                };
                let words = format!(
                    "layer {layer} built in {}, for this session only; to keep it: hopscope index --add {layer} {index}",
                    text::seconds(seconds)
                );
                vec![
                    Effect::Then(Then::Method(method)),
                    Effect::Then(Then::Told(Message::new(Tone::Good, words))),
                ]
            }
            _ => Vec::new(),
        }
    }
}

impl Running<Build> {
    /// How far it is, for the status line.
    pub fn said(&self) -> String {
        let layer = self.request().map_or("", |build| build.layer);
        let (step, far) = match self.latest() {
            Some(Part::At(step, done, total)) if *total > 0 => (
                *step,
                format!("{} of {}", text::count(*done), text::count(*total)),
            ),
            Some(Part::At(step, ..)) => (*step, String::new()),
            _ => (layer, String::new()),
        };
        let step = if step == layer { "" } else { step };
        let words = [&format!("layer {layer}:"), step, &far];
        let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
        words.join(" ")
    }
}

/// Builds the layer that a method needs, unless one is being built.
pub fn begin(state: &mut State, name: &str) -> Vec<Effect> {
    let method = match Method::by_name(name) {
        Ok(method) => method,
        Err(said) => {
            return state.say(Message::error(said));
        }
    };
    match lack(state, &method) {
        Some(Missing::Layer(_)) if state.building.going() => {
            let words = format!(
                "{}; only one layer can be built at a time",
                state.building.said()
            );
            state.say(Message::warning(words))
        }
        Some(Missing::Layer(layer)) => {
            state.message = Message::default();
            vec![state.building.begin(Build {
                layer,
                method: method.name.to_string(),
                settings: state.settings.clone(),
            })]
        }
        // There meanwhile, or not to be had here: the method itself says which.
        _ => vec![Effect::Then(Then::Method(name.to_owned()))],
    }
}
