//! LightRAG's rules, wherever its graph is kept: the order and titles of chunks, entities by their names, which list of chunks
//! is whole, and attributes of several parts.

use super::super::{Draft, Sort, plain};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Joins the parts of an attribute.
pub const SEPARATOR: &str = "<SEP>";
/// What LightRAG writes where a document has no file.
const NO_FILE: [&str; 4] = ["unknown_source", "no-file-path", "custom_kg", "UNKNOWN"];

/// Attributes of a node or an edge.
pub trait Attributes {
    /// The value of an attribute; empty where there is none.
    fn get(&self, name: &str) -> &str;
}

/// A text with its place in the order of documents.
struct Placed {
    document: usize,
    order: f64,
    id: String,
    title: String,
    text: String,
}

/// Texts while they are read, in the order of their documents.
#[derive(Default)]
pub struct Chunks {
    /// Documents in the order they are met.
    documents: FxHashMap<String, usize>,
    chunks: Vec<Placed>,
    /// Titles of documents, where the chunks have none.
    titles: FxHashMap<usize, String>,
}

impl Chunks {
    /// A chunk of a document, with its number there and the document's file.
    pub fn add(&mut self, id: &str, text: String, order: Option<f64>, document: &str, file: &str) {
        let known = self.documents.len();
        let document = match self.documents.get(document) {
            Some(place) => *place,
            None => *self.documents.entry(document.to_owned()).or_insert(known),
        };
        self.chunks.push(Placed {
            document,
            order: order.unwrap_or(f64::MAX),
            id: id.to_owned(),
            title: title(file),
            text,
        });
    }

    /// Whether titles are to be taken from the documents: there are several, and no chunk names a file.
    pub fn lack_titles(&self) -> bool {
        self.documents.len() > 1 && self.chunks.iter().all(|chunk| chunk.title.is_empty())
    }

    /// The file of a document.
    pub fn document(&mut self, id: &str, file: &str) {
        if let Some(place) = self.documents.get(id) {
            self.titles.insert(*place, title(file));
        }
    }

    /// Gives all of them, each document's in order.
    pub fn give(mut self, draft: &mut Draft) {
        for chunk in &mut self.chunks {
            if let Some(title) = self.titles.get(&chunk.document) {
                chunk.title.clone_from(title);
            }
        }
        let titles: FxHashSet<&str> = self.chunks.iter().map(|chunk| &*chunk.title).collect();
        let titled = titles.len() > 1;
        self.chunks
            .sort_by(|a, b| (a.document.cmp(&b.document)).then(a.order.total_cmp(&b.order)));
        for chunk in self.chunks {
            let title = if titled { &*chunk.title } else { "" };
            draft.unit(&chunk.id, title, &chunk.text);
        }
    }
}

/// The name of a document's file without its ending; empty where the document has no file.
fn title(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    match NO_FILE.contains(&name) {
        true => String::new(),
        false => plain::stem(name),
    }
}

/// Chunks by the name of what they are about: the whole lists, where an attribute may be cut.
#[derive(Default)]
pub struct Lists {
    /// Every identifier once.
    ids: FxHashSet<Rc<str>>,
    lists: FxHashMap<String, Vec<Rc<str>>>,
}

impl Lists {
    /// The whole list of a name.
    pub fn insert(&mut self, name: &str, ids: Vec<String>) {
        let ids = ids.into_iter().map(|id| self.id(id)).collect();
        self.lists.insert(name.to_owned(), ids);
    }

    fn id(&mut self, id: String) -> Rc<str> {
        if let Some(known) = self.ids.get(&*id) {
            return Rc::clone(known);
        }
        let id: Rc<str> = Rc::from(id);
        self.ids.insert(Rc::clone(&id));
        id
    }

    /// The chunks of a name: the whole list where there is one, else those of the attribute.
    fn of<'s>(
        &'s self,
        name: &str,
        data: &'s dyn Attributes,
        of: &str,
        draft: &mut Draft,
    ) -> Vec<&'s str> {
        let whole = self.lists.get(name).filter(|list| !list.is_empty());
        if whole.is_none() && !data.get("truncate").trim().is_empty() {
            let what = format!("{of} whose list of text units was cut when they were written");
            draft.note(Sort::Seen, &what, name);
        }
        match whole {
            Some(list) => list.iter().map(|id| &**id).collect(),
            None => parts(data.get("source_id")).collect(),
        }
    }
}

/// Gives an entity. Its identifier is its name.
pub fn entity(id: &str, data: &dyn Attributes, lists: &Lists, draft: &mut Draft) {
    let units = lists.of(id, data, "entities", draft);
    let (kind, description) = about(id, data, draft);
    draft.entity(id, bare(id), kind, &description, units);
}

/// What kind of thing an entity is, and what is said of it.
pub fn about<'d>(id: &str, data: &'d dyn Attributes, draft: &mut Draft) -> (&'d str, String) {
    let description = description(data, draft, id);
    (kind(data.get("entity_type")), description)
}

/// How a relation is called by its ends: it has no direction.
fn key([source, target]: [&str; 2]) -> String {
    [source.min(target), SEPARATOR, source.max(target)].concat()
}

/// Gives a relation. It has no direction: its list of chunks is found by its ends in the order of their characters.
pub fn relation(ends: [&str; 2], data: &dyn Attributes, lists: &Lists, draft: &mut Draft) {
    let units = lists.of(&key(ends), data, "relations", draft);
    let (label, description, weight) = joined(ends, data, draft);
    draft.relation(ends, &label, &description, weight, units);
}

/// What a relation is called, what is said of it, and what it weighs.
pub fn joined(
    ends: [&str; 2],
    data: &dyn Attributes,
    draft: &mut Draft,
) -> (String, String, Option<f64>) {
    let label = label(data.get("keywords"), draft);
    let description = description(data, draft, &key(ends));
    (label, description, plain::weight(data.get("weight")))
}

/// Parts of an attribute.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let parts = value.split(SEPARATOR).map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// A text without the quotes around it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let within = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    if let Some(within) = within {
        return within.trim();
    }
    match text.matches('"').take(2).count() {
        1 => text.trim_matches('"').trim(),
        _ => text,
    }
}

/// What kind of thing an entity is; empty where the files do not know.
fn kind(value: &str) -> &str {
    let kind = bare(value);
    match kind.eq_ignore_ascii_case("unknown") {
        true => "",
        false => kind,
    }
}

/// A description of one or several parts, one a line, each once.
fn description(data: &dyn Attributes, draft: &mut Draft, of: &str) -> String {
    let mut seen = FxHashSet::default();
    let mut text = String::new();
    let mut repeated = false;
    for part in parts(data.get("description")).map(bare) {
        if !seen.insert(part) {
            repeated = true;
            continue;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    }
    if repeated {
        let what = "descriptions with the same part several times, kept once";
        draft.note(Sort::Repaired, what, bare(of));
    }
    text
}

/// What a relation is called: its keywords, each once.
fn label(keywords: &str, draft: &mut Draft) -> String {
    let mut seen = FxHashSet::default();
    let keywords = parts(keywords).map(bare).filter(|part| seen.insert(*part));
    let label = keywords.collect::<Vec<&str>>().join(", ");
    // "nan" and "infinity" are words here.
    if label.parse::<f64>().is_ok_and(f64::is_finite) {
        let what = "relations whose keywords are only a number, left without a label";
        draft.note(Sort::Repaired, what, &label);
        return String::new();
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_that_are_words_stay() {
        let mut draft = Draft::default();
        assert_eq!(label("Infinity", &mut draft), "Infinity");
        assert_eq!(label("8", &mut draft), "");
    }
}
