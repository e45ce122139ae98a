//! Names in the question, and the entities they are.

use super::parameters::Parameter as P;
use super::retrieval::{Link, QueryName};
use super::settings::Settings;
use super::view::GraphView;
use crate::index::entities::MIN_LENGTH;
use crate::text::{Ner, Norm};

/// Finds names with the extractor, normal form and aliases of the graph, and looks each one up.
pub fn link(view: &GraphView, question: &str, settings: &Settings) -> Vec<QueryName> {
    let norm = Norm::from_name(settings.choice(P::Norm));
    let mut names: Vec<QueryName> = Vec::new();
    for mention in Ner::from_name(settings.choice(P::Ner)).mentions(question) {
        let surface = &question[mention.span.clone()];
        let plain = norm.apply(surface);
        if plain.chars().count() < MIN_LENGTH {
            continue;
        }
        let alias = if settings.on(P::AliasLinking) {
            view.graph.alias(&plain)
        } else {
            None
        };
        let form = alias.filter(|c| !c.is_empty()).unwrap_or(&plain).to_owned();
        let link = match view.graph.find(&form) {
            None if alias == Some("") => Link::Ambiguous,
            None => Link::NotFound,
            Some(entity) => {
                let node = view.entity_node(entity);
                if names.iter().any(|n| n.form == form) {
                    Link::Repeated { node }
                } else if let Some(by) = view.mask(entity) {
                    Link::Masked { node, by }
                } else {
                    Link::Linked { node }
                }
            }
        };
        let (start, end) = (mention.span.start, mention.span.end);
        names.push(QueryName {
            surface: surface.to_owned(),
            start,
            end,
            aliased: form != plain,
            form,
            link,
        });
    }
    names
}
