//! Names in the question, looked up by the graph's own rule.

use super::restart::changed;
use crate::layers::{Class, Code, GraphEdit, GraphView, Link, Mask, Node, QueryName};
use crate::retrieve::change::Change;
use crate::retrieve::edits::SeedChange;
use crate::retrieve::explanation::Reason;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::set::{Member, Origin, Set, Space};
use crate::text::similar::nearest;
use crate::text::span;
use crate::text::{Language, Ner, Norm};
use std::sync::Arc;

/// Finds names in the question and the nodes they are.
#[derive(Debug)]
pub struct Names {
    /// Whether a person's changes are applied here: in plans that start from the names as they are.
    changed: bool,
}

pub static NAMES: Names = Names { changed: false };
pub static NAMES_CHANGED: Names = Names { changed: true };

impl Operator for Names {
    fn declaration(&self) -> Declaration {
        Declaration::seed(
            "names",
            "names in the question, looked up by the graph's own rule",
        )
        .kind("link")
        .edits_seeds(self.changed)
        .like("names")
    }

    fn run(&self, cx: &Context<'_>, _: &[Arc<Set>], _: &mut Desk<'_>) -> Outcome {
        let source = cx.graph().source();
        let names = source.names(cx.index, cx.question, cx.values);
        let mut set = Set::new(Space::Nodes);
        for (name, found) in names.iter().enumerate() {
            for &node in &found.nodes {
                // Of two names that find a node it belongs to the first.
                if !set.members.iter().any(|member| member.node == node) {
                    let df = source.frequency(node);
                    set.members.push(Member {
                        node,
                        value: 1.0,
                        from: Origin::Name { name, df },
                    });
                }
            }
        }
        let linked = names.iter().filter(|name| !name.nodes.is_empty()).count();
        let unknown = names.iter().filter(|name| name.link == Link::NotFound);
        let unknown: Vec<&str> = unknown.map(|name| &*name.surface).collect();
        let mut set = set.fact("extracted", names.len()).fact("linked", linked);
        if !unknown.is_empty() {
            set = set.fact("unknown here", unknown.join(", "));
        }
        let loosely = |is: fn(&QueryName) -> bool| {
            let linked = names.iter().filter(|name| is(name));
            let linked = linked.map(|name| format!("{} for {}", name.form, name.surface));
            linked.collect::<Vec<_>>().join(", ")
        };
        let accents = loosely(|name| name.unaccented);
        let case = loosely(|name| name.any_case);
        let stems = loosely(|name| name.inflected);
        for (how, linked) in [
            ("ignoring accents", accents),
            ("ignoring case", case),
            ("by stems", stems),
        ] {
            if !linked.is_empty() {
                set = set.fact(how, linked);
            }
        }
        if let Some(view) = cx.graph().entities() {
            set = set.fact("masked entities", view.masked);
        }
        let set = set.with(names);
        Ok(match self.changed {
            true => changed(cx, set, true),
            false => set,
        })
    }

    fn refuse(&self, at: &At<'_>, passage: u32) -> Vec<Reason> {
        let names = at.set().get::<Vec<QueryName>>();
        let names = names.map_or(&[][..], |names| names);
        if !at.run.rests_on_walk(at.graph()) {
            return Vec::new();
        }
        match at.graph().entities() {
            Some(view) => unlinked(at, view, names, passage),
            None => {
                let unknown = names.iter().filter(|name| name.nodes.is_empty());
                let unknown: Vec<&str> = unknown.map(|name| &*name.surface).collect();
                let text = format!("no node is called {}", unknown.join(" or "));
                let none = Reason::new(Code::QueryEntityNotLinked, text);
                Vec::from_iter((!unknown.is_empty()).then_some(none))
            }
        }
    }
}

/// Reasons on the way from the question to the passage's entities.
fn unlinked(at: &At<'_>, view: &GraphView, names: &[QueryName], passage: Node) -> Vec<Reason> {
    let index = at.index;
    let mut reasons = Vec::new();
    let text = index.passages().full_text(passage as usize);
    let (row, _) = view.graph.row(passage as usize);
    if view.built.row(passage as usize).0.is_empty() && row.is_empty() {
        let mut found: Vec<&str> = Ner::RegexPlus
            .mentions(index.language(), &text)
            .iter()
            .filter(|m| !m.opener)
            .map(|m| span::of(&text, m.span.clone()))
            .collect();
        found.truncate(5);
        let would = if found.is_empty() {
            "regex_plus finds none either".into()
        } else {
            format!("regex_plus would find {}", found.join(", "))
        };
        let text = format!("no name was found in the passage; {would}");
        reasons.push(Reason::new(Code::NoEntities, text));
    }
    let body = Norm::Simple.apply(&text);
    let language = index.language();
    for form in untaken(language, &at.run.question, names, &text, &body) {
        let text = format!(
            "question and passage both contain '{form}', but the extractor did not treat it as a name"
        );
        let seed = Change::seed(form, SeedChange::Add(1.0));
        reasons.push(Reason::new(Code::QueryEntityNotExtracted, text).undone_by([seed]));
    }
    for name in names {
        let form = Norm::Simple.apply(&name.form);
        let here = form
            .split(' ')
            .any(|w| w.len() > 3 && body.split(' ').any(|b| b == w));
        match name.link {
            Link::NotFound if here => {
                let labels = row
                    .iter()
                    .filter_map(|n| view.entity(*n))
                    .map(|e| view.graph.labels.get(e));
                let near = nearest(&name.surface, labels)
                    .map_or(String::new(), |l| format!("; nearest here: {l}"));
                let text = format!("'{}' matches no entity in the index{near}", name.surface);
                reasons.push(Reason::new(Code::QueryEntityNotLinked, text));
            }
            Link::Ambiguous => {
                let text = format!("'{}' is the alias of several titles", name.surface);
                reasons.push(Reason::new(Code::AmbiguousAlias, text));
            }
            Link::Masked { node, by } if row.binary_search(&node).is_ok() => {
                let df = view.entity(node).map_or(0, |e| view.graph.df(e));
                let code = match by {
                    Mask::Pruned => Code::PrunedHub,
                    Mask::MinDf | Mask::MaxDf => Code::DfFiltered,
                    Mask::Muted => Code::ByHand,
                };
                let how = match by {
                    Mask::Muted => "muted by you",
                    _ => "masked",
                };
                let text = format!(
                    "'{}' (in {df} passages) links the two, but is {how}",
                    name.surface
                );
                let keep = view.entity(node).map(|entity| {
                    let name = view.graph.names.get(entity).to_owned();
                    Change::Graph(GraphEdit::Keep(name))
                });
                reasons.push(Reason::new(code, text).class(Class::F3).undone_by(keep));
            }
            Link::Linked { node } | Link::Masked { node, .. } if view.was_cut(passage, node) => {
                let text = format!("its edge to '{}' was cut by an edit", name.surface);
                reasons.push(Reason::new(Code::ByHand, text));
            }
            Link::Linked { node }
                if view.tf(passage, node) > 0 && view.probability(passage, node) == 0.0 =>
            {
                let text = format!(
                    "the edge to '{}' fell to the cap on edges per entity",
                    name.surface
                );
                reasons.push(Reason::new(Code::CappedEdge, text));
            }
            _ => {}
        }
    }
    reasons
}

/// Names by the widest rules that the question and the passage share, but that this extractor did not take from the
/// question: a name of the passage in any case, or a capitalised word of the question.
fn untaken(
    language: Language,
    question: &str,
    names: &[QueryName],
    text: &str,
    body: &str,
) -> Vec<String> {
    let padded = |text: &str| format!(" {} ", Norm::Simple.apply(text));
    let (asked, body) = (padded(question), padded(body));
    let taken: Vec<String> = names.iter().map(|n| padded(&n.surface)).collect();
    let names = Ner::RegexPlus
        .mentions(language, text)
        .into_iter()
        .filter(|m| !m.opener)
        .map(|m| padded(span::of(text, m.span)));
    let words = Ner::RegexPlus
        .mentions(language, question)
        .into_iter()
        .map(|m| padded(span::of(question, m.span)));
    let mut found: Vec<String> = Vec::new();
    for form in names
        .filter(|form| asked.contains(form))
        .chain(words.filter(|form| body.contains(form)))
    {
        let named = form.trim().chars().count() > 3 && !taken.iter().any(|t| t.contains(&form));
        if named && !found.iter().any(|f| f == form.trim()) {
            found.push(form.trim().to_owned());
        }
    }
    found
}
