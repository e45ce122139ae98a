//! Names in the question, looked up by the graph's own rule.

use super::restart::changed;
use crate::layers::{Class, Code, GraphEdit, GraphView, Link, Mask, Node, QueryName};
use crate::retrieve::change::Change;
use crate::retrieve::edits::SeedChange;
use crate::retrieve::explanation::Reason;
use crate::retrieve::operator::{At, Context, Declaration, Desk, Operator, Outcome};
use crate::retrieve::set::{Member, Origin, Set, Space};
use crate::text::similar::nearest;
use crate::text::{Language, Ner, Norm};
use crate::text::{plural, span};
use std::sync::Arc;

/// Names off the walk that one passage is told of.
const HIDDEN: usize = 2;

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
        .by_rows(true)
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
        // Of an excerpt it is not known.
        let view = cx.graph().entities();
        if let Some(view) = view.filter(|_| !cx.index.is_excerpt()) {
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
            Link::Ambiguous if here => {
                let text = format!("'{}' is the alias of several titles", name.surface);
                reasons.push(Reason::new(Code::AmbiguousAlias, text));
            }
            Link::Masked { node, by } if row.binary_search(&node).is_ok() => {
                reasons.push(masked(view, node, by, &name.surface, "the two"));
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
    reasons.extend(hidden(at, view, names, passage));
    reasons
}

/// A name that would lead to a passage, but is no node of the walk.
fn masked(view: &GraphView, node: Node, by: Mask, name: &str, what: &str) -> Reason {
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
    let passages = plural(df as usize, "passage");
    let text = format!("'{name}' (in {passages}) links {what}, but is {how}");
    let keep = view.entity(node).map(|entity| {
        let name = view.graph.names.get(entity).to_owned();
        Change::Graph(GraphEdit::Keep(name))
    });
    Reason::new(code, text).class(Class::F3).undone_by(keep)
}

/// Names that a passage without any mass shares with what was returned, but that this walk does not use: the rarest.
fn hidden(at: &At<'_>, view: &GraphView, names: &[QueryName], passage: Node) -> Vec<Reason> {
    let walk = at.run.walk();
    if walk.is_none_or(|walk| walk.spread.mass[passage as usize] > 0.0) {
        return Vec::new();
    }
    let asked = |node: &Node| names.iter().any(|name| name.nodes.contains(node));
    let mut own: Vec<(u32, Node, u32)> = Vec::new();
    for &node in view.graph.row(passage as usize).0 {
        let top = at.run.top().iter().map(|hit| hit.passage);
        let mut shared = top.filter(|other| view.tf(*other, node) > 0);
        let used = view.probability(passage, node) > 0.0;
        if let Some(other) = shared.next().filter(|_| !used && !asked(&node)) {
            let df = view.entity(node).map_or(0, |e| view.graph.df(e));
            own.push((df, node, other));
        }
    }
    own.sort_unstable();
    let reason = |&(_, node, other): &(u32, Node, u32)| {
        let name = view.label(at.index, node);
        let what = format!("it to the returned '{}'", at.index.called(other));
        match view.entity(node).and_then(|e| view.mask(e as u32)) {
            Some(by) => masked(view, node, by, name, &what),
            None => Reason::new(
                Code::CappedEdge,
                format!("'{name}' links {what}, but its edge fell to the cap on edges per entity"),
            ),
        }
    };
    own.iter().take(HIDDEN).map(reason).collect()
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
