//! Names in the question, and the entities they are.

use super::methods::GraphKind;
use super::retrieval::{Link, QueryName};
use super::settings::Settings;
use super::view::GraphView;
use crate::index::entities::MIN_LENGTH;
use crate::parameters::{ALIAS_LINKING, GAZETTEER, NER, NORM, TOKENS};
use crate::text::{Mention, Norm, gazetteer};

/// Finds names with the extractor, normal form and aliases of the graph, and looks each one up. On a word graph every
/// word of the question is one.
pub fn link(view: &GraphView, question: &str, settings: &Settings) -> Vec<QueryName> {
    let mut names: Vec<QueryName> = Vec::new();
    if settings.method().reads_graph() == Some(GraphKind::TermPassage) {
        settings.get(TOKENS).each(question, |word| {
            let from = names.last().map_or(0, |n| n.end);
            // Where lower-casing or stemming moved letters, the word has no place in the question.
            let at = question
                .to_lowercase()
                .get(from..)
                .and_then(|rest| rest.find(word))
                .map(|at| from + at);
            let (start, end) = at.map_or((from, from), |at| (at, at + word.len()));
            let link = look_up(view, word, &names, Link::NotFound);
            names.push(QueryName {
                surface: word.to_owned(),
                start,
                end,
                form: word.to_owned(),
                aliased: false,
                link,
            });
        });
        return names;
    }
    let norm = settings.get(NORM);
    for mention in mentions(view, question, norm, settings) {
        let surface = &question[mention.span.clone()];
        let plain = norm.apply(surface);
        if plain.chars().count() < MIN_LENGTH {
            continue;
        }
        let alias = if settings.get(ALIAS_LINKING) {
            view.graph.alias(&plain)
        } else {
            None
        };
        let form = alias.filter(|c| !c.is_empty()).unwrap_or(&plain).to_owned();
        let unknown = if alias == Some("") {
            Link::Ambiguous
        } else {
            Link::NotFound
        };
        let link = look_up(view, &form, &names, unknown);
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

/// What the extractor finds, and with the gazetteer every title that the question names, whatever its case.
fn mentions(view: &GraphView, question: &str, norm: Norm, settings: &Settings) -> Vec<Mention> {
    let mut found = settings.get(NER).mentions(question);
    if settings.get(GAZETTEER) {
        let titled = |form: &str| {
            let entity = view.graph.find(&norm.apply(form));
            entity.is_some_and(|e| view.graph.is_title(e))
        };
        found.extend(gazetteer::in_question(question, titled));
        found.sort_by_key(|m| (m.span.start, m.span.end));
        found.dedup_by(|later, kept| later.span == kept.span);
    }
    found
}

fn look_up(view: &GraphView, form: &str, before: &[QueryName], unknown: Link) -> Link {
    let Some(entity) = view.graph.find(form) else {
        return unknown;
    };
    let node = view.entity_node(entity);
    if before.iter().any(|n| n.form == form) {
        Link::Repeated { node }
    } else if let Some(by) = view.mask(entity) {
        Link::Masked { node, by }
    } else {
        Link::Linked { node }
    }
}
