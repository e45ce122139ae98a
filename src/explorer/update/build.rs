//! A layer that a method needs: built in the background, then the method is switched to.

use super::settings;
use crate::explorer::action::{Effect, Message, Tone, Work};
use crate::explorer::available::{Missing, lack};
use crate::explorer::building::{Building, News};
use crate::explorer::state::State;
use crate::explorer::text;
use crate::retrieve::Method;

pub fn begin(state: &mut State, name: &str) -> Vec<Effect> {
    let method = match Method::by_name(name) {
        Ok(method) => method,
        Err(said) => {
            state.message = Message::error(said);
            return Vec::new();
        }
    };
    match (lack(state, &method), &state.building) {
        (Some(Missing::Layer(layer)), None) => {
            state.building = Some(Building {
                layer,
                method: method.name.to_string(),
                step: layer,
                done: 0,
                total: 0,
            });
            state.message = Message::default();
            vec![Effect::Work(Work::Build(
                layer,
                Box::new(state.settings.clone()),
            ))]
        }
        (Some(Missing::Layer(_)), Some(building)) => {
            let words = format!("{}; one layer is built at a time", building.said());
            state.message = Message::warning(words);
            Vec::new()
        }
        // There meanwhile, or not to be had here: the method itself says which.
        _ => settings::method(state, name),
    }
}

pub fn news(state: &mut State, news: News) -> Vec<Effect> {
    let Some(building) = &mut state.building else {
        return Vec::new();
    };
    match news {
        News::At(step, done, total) => {
            (building.step, building.done, building.total) = (step, done, total);
            Vec::new()
        }
        News::Done(seconds) => {
            let (layer, method) = (building.layer, std::mem::take(&mut building.method));
            state.building = None;
            state.layers.push(layer.to_owned());
            let effects = settings::method(state, &method);
            let index = match state.facts.argument.as_str() {
                "" => "INDEX",
                argument => argument,
            };
            let words = format!(
                "layer {layer} built in {} for this session; keep it with: hopscope index --add {layer} {index}",
                text::seconds(seconds)
            );
            state.message = Message::new(Tone::Good, words);
            effects
        }
        News::Failed(said) => {
            let words = format!("layer {} was not built: {said}", building.layer);
            state.building = None;
            state.message = Message::error(words);
            Vec::new()
        }
    }
}
