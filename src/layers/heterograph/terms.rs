//! The question's terms, and the entities and overviews that are called so or contain them.

use super::decompose::identity;
use super::layer::NodeRagLayer;
use super::node::Kind;
use crate::layers::QueryName;
use crate::llm::task::{self, OneQuestion};
use crate::llm::{Llm, Origin, any};
use crate::parameters::TermMatch;
use crate::text::Norm;
use crate::text::span;
use crate::text::terms::{TermOut, place, query_terms};
use rustc_hash::FxHashSet;

fn padded(text: &str) -> String {
    format!(" {} ", Norm::Simple.apply(text))
}

/// The nodes of kind N and O whose text contains the words of a term one after the other, ascending; or only those that
/// have no other word, where there are any.
pub fn matches(layer: &NodeRagLayer, form: &str, rule: TermMatch) -> Vec<u32> {
    let lists = form.split(' ').map(|word| layer.with_word(word));
    let Some(shortest) = lists.min_by_key(|list| list.len()) else {
        return Vec::new();
    };
    let wanted = format!(" {form} ");
    let (mut found, mut exact) = (Vec::new(), Vec::new());
    for &node in shortest {
        let label = padded(layer.label(node));
        if label.contains(&wanted) {
            found.push(node);
        }
        if label == wanted {
            exact.push(node);
        }
    }
    match rule {
        TermMatch::ExactFirst if !exact.is_empty() => exact,
        _ => found,
    }
}

/// The terms of a question with the N and O nodes that they mean. The form of a term is its words in lower case, single
/// spaces between them. One of a single letter, as the `s` of a genitive, says nothing and is none.
///
/// A model's terms are taken as far as they stand in the question; a term with a capital is a name.
pub fn linked(layer: &NodeRagLayer, question: &str, llm: &Llm, rule: TermMatch) -> Vec<QueryName> {
    let is_name = |name: &str| {
        let own = identity(name);
        let form = Norm::Simple.apply(name);
        let same = |node: &u32| layer.kind(*node) == Kind::Entity && layer.label(*node) == own;
        matches(layer, &form, rule).iter().any(same)
    };
    let asked = || {
        let input = OneQuestion {
            question: question.to_owned(),
        };
        let made = llm.item::<task::QueryTerms>(&input, &any, |_| task::Terms::default());
        matches!(made.origin, Origin::Llm { .. }).then(|| {
            let mut seen = FxHashSet::default();
            let own = made.value.terms.iter();
            let own = own.filter(|term| seen.insert(Norm::Simple.apply(term)));
            own.filter_map(|term| place(question, term))
                .map(|span| TermOut {
                    name: span::of(question, span.clone()).starts_with(char::is_uppercase),
                    span,
                })
                .collect()
        })
    };
    let told: Option<Vec<TermOut>> = if llm.thinks() { asked() } else { None };
    told.unwrap_or_else(|| query_terms(question, is_name))
        .into_iter()
        .filter_map(|term| {
            let surface = span::of(question, term.span.clone()).to_owned();
            let form = Norm::Simple.apply(&surface);
            if form.chars().count() < 2 {
                return None;
            }
            let nodes = matches(layer, &form, rule);
            Some(QueryName {
                start: term.span.start,
                end: term.span.end,
                form,
                phrase: !term.name,
                ..QueryName::found(question, surface, nodes)
            })
        })
        .collect()
}
