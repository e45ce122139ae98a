//! Graphs whose nodes are of any kind, as a graph database or a graph library writes them: which nodes are texts, which are
//! entities, and what the edges between them mean.

use super::stream::{Loose, Record};
use super::{Draft, Sort};
use rustc_hash::{FxHashMap, FxHashSet};

/// Properties that hold a text.
pub const TEXTS: [&str; 8] = [
    "text",
    "content",
    "page_content",
    "body",
    "chunk",
    "passage",
    "full_text",
    "raw_content",
];
/// Shortest text of a node that its labels do not call a text, in characters.
const LONG: usize = 200;
/// Properties that name a node.
const NAMES: [&str; 5] = ["name", "title", "entity_id", "label", "id"];
/// Properties that describe a node.
const DESCRIPTIONS: [&str; 5] = ["description", "summary", "desc", "abstract", "definition"];
/// Properties that say what kind of thing a node is.
const KINDS: [&str; 6] = [
    "entity_type",
    "type",
    "kind",
    "node_type",
    "category",
    "labels",
];
/// Properties that name the file or the document of a text.
const FILES: [&str; 7] = [
    "title",
    "file_name",
    "fileName",
    "filename",
    "file_path",
    // Before `source`, which is `text` or `message` in Graphiti.
    "source_description",
    "source",
];
/// Properties that name the texts of an entity or an edge.
const SOURCES: [&str; 8] = [
    "triplet_source_id",
    "episodes",
    "chunk_ids",
    "chunk_id",
    "text_unit_ids",
    "source_chunk_ids",
    "source_chunk_id",
    "source_id",
];
/// Properties that other properties call a text by.
const ALIASES: [&str; 4] = ["uuid", "id", "chunk_id", "hash_id"];
/// Properties that call an edge something.
const LABELS: [&str; 8] = [
    "label",
    "relation",
    "relationship",
    "predicate",
    "kind",
    "type",
    "keywords",
    "name",
];
/// Properties that describe an edge.
const FACTS: [&str; 5] = ["fact", "description", "summary", "text", "sentence"];
/// Labels of nodes that say nothing of what a node is.
const GENERIC: [&str; 7] = [
    "entity",
    "__entity__",
    "node",
    "__node__",
    "__kgbuilder__",
    "resource",
    "unknown",
];

/// Something with properties.
pub trait Properties {
    /// The text of a property; empty where there is none.
    fn text(&self, name: &str) -> String;

    /// The texts of a property that is a list or joined by `<SEP>`.
    fn texts(&self, name: &str) -> Vec<String> {
        split(&self.text(name))
    }

    /// The first of some properties that has a text.
    fn first(&self, names: &[&str]) -> String {
        let mut texts = names.iter().map(|name| self.text(name));
        texts
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default()
    }
}

impl Properties for Record {
    fn text(&self, name: &str) -> String {
        self.get(name).text()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        match self.get(name) {
            Loose::List(list) => list.clone(),
            value => split(&value.text()),
        }
    }
}

/// Parts that are joined by `<SEP>`.
pub fn split(text: &str) -> Vec<String> {
    let parts = text.split("<SEP>").map(str::trim);
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thing {
    pub id: String,
    pub name: String,
    /// What kind of thing it is; empty where the files do not say.
    pub kind: String,
    pub description: String,
    /// What is retrieved, where the node is a text.
    pub text: Option<String>,
    /// What a text's document is called.
    pub title: String,
    /// What else a text is called by.
    pub aliases: Vec<String>,
    /// Texts that an entity names.
    pub units: Vec<String>,
    /// What it is besides an entity or a text.
    pub role: Role,
    /// The level of a community.
    pub level: u32,
}

/// What a node without a text is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    #[default]
    Entity,
    /// What texts are parts of.
    Document,
    /// What entities are members of.
    Community,
}

/// An edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    pub from: String,
    pub to: String,
    pub label: String,
    pub description: String,
    pub weight: Option<f64>,
    /// Texts that it names.
    pub units: Vec<String>,
}

impl Thing {
    /// A node by its labels and properties.
    pub fn of(id: &str, labels: &[String], properties: &dyn Properties) -> Thing {
        let mut labels: Vec<String> = labels.to_vec();
        for name in KINDS {
            let more = properties.text(name);
            labels.extend(more.split(':').map(|label| label.trim().to_owned()));
        }
        labels.retain(|label| !label.is_empty());
        let text = properties.first(&TEXTS);
        let is_text = match labels.iter().any(|label| of_texts(label)) {
            true => !text.trim().is_empty(),
            false => text.chars().nth(LONG - 1).is_some() && !labels.iter().any(|l| of_entities(l)),
        };
        let mut name = properties.first(&NAMES);
        if name.trim().is_empty() {
            id.clone_into(&mut name);
        }
        let mut description = properties.first(&DESCRIPTIONS);
        if description.trim().is_empty() && !is_text && text.trim() != name.trim() {
            description.clone_from(&text);
        }
        let aliases = ALIASES.iter().map(|name| properties.text(name));
        Thing {
            id: id.to_owned(),
            kind: kind(&labels),
            title: stem(&properties.first(&FILES)),
            aliases: match is_text {
                true => aliases.filter(|alias| !alias.is_empty()).collect(),
                false => Vec::new(),
            },
            units: sources(properties),
            role: role(&labels),
            level: properties.text("level").parse().unwrap_or(0),
            text: is_text.then_some(text),
            name,
            description,
        }
    }
}

impl Link {
    /// An edge by its properties. `label` is what the format itself calls it.
    pub fn of(from: &str, to: &str, label: &str, properties: &dyn Properties) -> Link {
        let own = properties.text("name");
        let label = match label {
            "" => properties.first(&LABELS),
            // Graphiti's predicate is a property: every edge has this label.
            "RELATES_TO" if !own.trim().is_empty() => own,
            label => label.to_owned(),
        };
        let mut description = properties.first(&FACTS);
        if description.trim() == label.trim() {
            description.clear();
        }
        Link {
            from: from.to_owned(),
            to: to.to_owned(),
            label,
            description,
            weight: weight(&properties.first(&["weight", "value"])),
            units: sources(properties),
        }
    }
}

/// A weight as files write it; no number where it is none, which the draft mends.
pub fn weight(value: &str) -> Option<f64> {
    match value.trim() {
        "" => None,
        value => Some(value.parse().unwrap_or(f64::NAN)),
    }
}

fn sources(properties: &dyn Properties) -> Vec<String> {
    let mut all = SOURCES.iter().flat_map(|name| properties.texts(name));
    let mut seen = FxHashSet::default();
    let mut units = Vec::new();
    for id in all.by_ref() {
        if seen.insert(id.clone()) {
            units.push(id);
        }
    }
    units
}

/// Whether a label says that a node is a text.
fn of_texts(label: &str) -> bool {
    let label = label.trim_matches('_').to_lowercase();
    let within = [
        "chunk",
        "passage",
        "episod",
        "paragraph",
        "textunit",
        "text_unit",
    ];
    let whole = [
        "document", "section", "page", "text", "textnode", "sentence", "article",
    ];
    within.iter().any(|part| label.contains(part)) || whole.contains(&&*label)
}

/// Whether a label says that a node is an entity, however long its text is.
fn of_entities(label: &str) -> bool {
    let label = label.trim_matches('_');
    label.eq_ignore_ascii_case("entity") || label.eq_ignore_ascii_case("community")
}

fn role(labels: &[String]) -> Role {
    let is = |name: &str| {
        let mut labels = labels.iter().map(|label| label.trim_matches('_'));
        labels.any(|label| label.eq_ignore_ascii_case(name))
    };
    match (is("document"), is("community")) {
        (true, _) => Role::Document,
        (_, true) => Role::Community,
        _ => Role::Entity,
    }
}

/// The last label that says what a node is.
fn kind(labels: &[String]) -> String {
    let told = |label: &&String| !GENERIC.contains(&&*label.to_lowercase());
    labels.iter().find(told).cloned().unwrap_or_default()
}

/// The name of a file without its ending.
pub fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    match name.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() && end.len() <= 5 && !end.contains(' ') => {
            stem.to_owned()
        }
        _ => name.to_owned(),
    }
}

/// Nodes and edges of one graph.
#[derive(Debug, Default)]
pub struct Plain {
    pub things: Vec<Thing>,
    pub links: Vec<Link>,
}

/// What an end of an edge is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Document,
    Community,
    /// An entity, or nothing that the files have.
    Else,
}

/// Who is who, by the identifiers of nodes.
#[derive(Default)]
struct Places {
    /// Texts by all that they are called.
    texts: FxHashMap<String, String>,
    /// Texts and other nodes that are not entities, by identifier.
    ends: FxHashMap<String, End>,
}

impl Places {
    fn of(things: &[Thing]) -> Places {
        let mut places = Places::default();
        for thing in things {
            let end = match (&thing.text, thing.role) {
                (Some(_), _) => End::Text,
                (None, Role::Document) => End::Document,
                (None, Role::Community) => End::Community,
                (None, Role::Entity) => continue,
            };
            if end == End::Text {
                let text = || thing.id.clone();
                places.texts.entry(text()).or_insert_with(text);
            }
            places.ends.entry(thing.id.clone()).or_insert(end);
        }
        for thing in things.iter().filter(|thing| thing.text.is_some()) {
            for alias in &thing.aliases {
                let text = || thing.id.clone();
                places.texts.entry(alias.clone()).or_insert_with(text);
            }
        }
        places
    }

    fn end(&self, id: &str) -> End {
        self.ends.get(id).copied().unwrap_or(End::Else)
    }

    /// Texts by what the draft calls them; others as they are.
    fn units<'s>(&'s self, named: &'s [String]) -> impl Iterator<Item = &'s str> {
        let known = |id: &'s String| self.texts.get(id).unwrap_or(id);
        named.iter().map(known).map(String::as_str)
    }
}

/// What edges to texts, documents and communities mean, by the identifier of the other end.
#[derive(Default)]
struct Meant {
    mentions: FxHashMap<String, Vec<String>>,
    /// Documents of texts.
    documents: FxHashMap<String, String>,
    /// Members of communities.
    members: FxHashMap<String, Vec<String>>,
}

impl Meant {
    fn of(links: &[Link], places: &Places, draft: &mut Draft) -> Meant {
        let mut meant = Meant::default();
        for link in links {
            let (from, to) = (&link.from, &link.to);
            match (places.end(from), places.end(to)) {
                (End::Else, End::Else) | (End::Text, End::Text) => {}
                (End::Text, End::Else) => meant.mention(to, from, draft),
                (End::Else, End::Text) => meant.mention(from, to, draft),
                (End::Document, End::Text) => {
                    meant.documents.insert(to.clone(), from.clone());
                }
                (End::Text, End::Document) => {
                    meant.documents.insert(from.clone(), to.clone());
                }
                (End::Community, End::Else) => meant.member(from, to),
                (End::Else, End::Community) => meant.member(to, from),
                _ => {
                    let what = "edges of documents and between communities";
                    draft.note(Sort::LeftOut, what, &link.label);
                }
            }
        }
        meant
    }

    fn mention(&mut self, entity: &str, text: &str, draft: &mut Draft) {
        let what = "edges between a text unit and an entity, taken as mentions";
        draft.note(Sort::Seen, what, "");
        let texts = self.mentions.entry(entity.to_owned()).or_default();
        texts.push(text.to_owned());
    }

    fn member(&mut self, community: &str, entity: &str) {
        let members = self.members.entry(community.to_owned()).or_default();
        members.push(entity.to_owned());
    }
}

impl Plain {
    /// Gives all of it to a draft. Where no node is a text, every entity's description, or its name, is a text of its own.
    pub fn give(mut self, draft: &mut Draft) {
        if self.things.iter().all(|thing| thing.text.is_none()) {
            return self.give_alone(draft);
        }
        let places = Places::of(&self.things);
        let mut meant = Meant::of(&self.links, &places, draft);
        let (texts, others): (Vec<Thing>, Vec<Thing>) =
            (self.things.drain(..)).partition(|thing| thing.text.is_some());
        give_texts(texts, &others, &meant, draft);
        let mut communities = Vec::new();
        for thing in others {
            match thing.role {
                Role::Entity => {
                    let mentions = meant.mentions.remove(&thing.id).unwrap_or_default();
                    let units = places.units(&thing.units).chain(places.units(&mentions));
                    let (kind, description) = (&thing.kind, &thing.description);
                    draft.entity(&thing.id, &thing.name, kind, description, units);
                }
                Role::Document => {
                    let what = "documents without a text of their own, taken as titles";
                    draft.note(Sort::Seen, what, &thing.name);
                }
                Role::Community => communities.push(thing),
            }
        }
        for link in self.links {
            match (places.end(&link.from), places.end(&link.to)) {
                (End::Else, End::Else) => give_link(&link, places.units(&link.units), draft),
                (End::Text, End::Text) => {
                    draft.link([&link.from, &link.to], &link.label, link.weight);
                }
                _ => {}
            }
        }
        give_communities(communities, &mut meant, draft);
    }

    fn give_alone(self, draft: &mut Draft) {
        let what = "entities whose own description or name is their text unit: no node has a text";
        for thing in &self.things {
            let text = match thing.description.trim() {
                "" => &thing.name,
                text => text,
            };
            draft.note(Sort::Seen, what, &thing.name);
            draft.unit(&thing.id, &thing.name, text);
        }
        for thing in &self.things {
            let own = draft.has_unit(&thing.id).then_some(&*thing.id);
            let (kind, description) = (&thing.kind, &thing.description);
            draft.entity(&thing.id, &thing.name, kind, description, own);
        }
        for link in &self.links {
            give_link(link, [], draft);
        }
    }
}

fn give_link<'s>(link: &Link, units: impl IntoIterator<Item = &'s str>, draft: &mut Draft) {
    let ends = [&*link.from, &*link.to];
    draft.relation(ends, &link.label, &link.description, link.weight, units);
}

/// Texts with the titles of their documents, where there are several.
fn give_texts(mut texts: Vec<Thing>, others: &[Thing], meant: &Meant, draft: &mut Draft) {
    let documents = others.iter().filter(|thing| thing.role == Role::Document);
    let documents: FxHashMap<&str, &Thing> = documents.map(|t| (&*t.id, t)).collect();
    for text in &mut texts {
        let document = meant.documents.get(&text.id);
        let document = document.and_then(|id| documents.get(&**id));
        if let Some(document) = document {
            text.title = match &*document.title {
                "" => stem(&document.name),
                title => title.to_owned(),
            };
        }
    }
    let titles: FxHashSet<&str> = texts.iter().map(|text| &*text.title).collect();
    let titled = titles.len() > 1;
    for text in texts {
        let title = if titled { &*text.title } else { "" };
        draft.unit(&text.id, title, &text.text.unwrap_or_default());
    }
}

/// Communities. Graph databases count levels from the finest, so that the highest becomes 0.
fn give_communities(communities: Vec<Thing>, meant: &mut Meant, draft: &mut Draft) {
    let highest = communities.iter().map(|thing| thing.level).max();
    for thing in communities {
        let members = meant.members.remove(&thing.id).unwrap_or_default();
        let level = highest.unwrap_or(0) - thing.level;
        let members = members.iter().map(String::as_str);
        draft.community(&thing.name, level, members, &thing.description);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str) -> Record {
        serde_json::from_str(text).unwrap()
    }

    fn thing(id: &str, labels: &[&str], properties: &str) -> Thing {
        let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
        Thing::of(id, &labels, &record(properties))
    }

    #[test]
    fn labels_and_lengths_say_what_is_a_text() {
        let long = format!(r#"{{"content": "{}"}}"#, "word ".repeat(60));
        let text =
            |labels: &[&str], properties: &str| thing("1", labels, properties).text.is_some();
        assert!(text(&["__Chunk__"], r#"{"text": "Short."}"#));
        assert!(text(&[], r#"{"type": "passage", "text": "Short."}"#));
        assert!(text(&["Thing"], &long));
        assert!(!text(&["__Entity__", "Person"], &long));
        assert!(!text(&["Person"], r#"{"text": "Short."}"#));
        assert!(!text(&["Document"], r#"{"fileName": "a.pdf"}"#));
    }

    #[test]
    fn an_entity_has_a_name_a_kind_and_a_description() {
        let ada = thing(
            "7",
            &["__Entity__", "Person"],
            r#"{"id": "Ada", "text": "A countess."}"#,
        );
        assert_eq!((&*ada.name, &*ada.kind), ("Ada", "Person"));
        assert_eq!(ada.description, "A countess.");
        let bare = thing("7", &["Entity"], "{}");
        assert_eq!((&*bare.name, &*bare.kind), ("7", ""));
        let fact =
            record(r#"{"name": "WORKS_AT", "fact": "Ada works.", "episodes": ["e1", "e1"]}"#);
        let link = Link::of("1", "2", "RELATES_TO", &fact);
        assert_eq!(
            (&*link.label, &*link.description),
            ("WORKS_AT", "Ada works.")
        );
        assert_eq!(link.units, ["e1"]);
    }

    #[test]
    fn a_text_of_graphiti_has_the_title_of_its_source() {
        let episode =
            r#"{"content": "Ada wrote.", "source": "text", "source_description": "letters"}"#;
        assert_eq!(thing("1", &["Episodic"], episode).title, "letters");
    }

    #[test]
    fn edges_mean_mentions_titles_members_and_relations() {
        let things = vec![
            thing("d1", &["Document"], r#"{"fileName": "one.pdf"}"#),
            thing("d2", &["Document"], r#"{"fileName": "two.pdf"}"#),
            thing("c1", &["Chunk"], r#"{"text": "Ada wrote.", "uuid": "u1"}"#),
            thing("c2", &["Chunk"], r#"{"text": "Babbage built."}"#),
            thing("e1", &["Person"], r#"{"name": "Ada"}"#),
            thing(
                "e2",
                &["Person"],
                r#"{"name": "Babbage", "chunk_ids": ["c2", "u1"]}"#,
            ),
            thing(
                "m1",
                &["__Community__"],
                r#"{"title": "London", "summary": "Both.", "level": 1}"#,
            ),
        ];
        let ends = [
            ("c1", "d1", "PART_OF"),
            ("d2", "c2", "HAS"),
            ("c1", "c2", "NEXT_CHUNK"),
            ("c1", "e1", "MENTIONS"),
            ("e1", "m1", "IN_COMMUNITY"),
            ("e1", "e2", "KNOWS"),
            ("e1", "e9", "KNOWS"),
        ];
        let links = ends.map(|(from, to, label)| Link::of(from, to, label, &Record::default()));
        let mut draft = Draft::default();
        let links = links.to_vec();
        Plain { things, links }.give(&mut draft);
        let given = draft.finish();
        let titles: Vec<&str> = given.units.iter().map(|unit| &*unit.title).collect();
        assert_eq!(titles, ["one", "two"]);
        assert_eq!(given.entities[0].units, [0]);
        assert_eq!(given.entities[1].units, [1, 0]);
        assert_eq!(
            (given.relations.len(), &*given.relations[0].label),
            (1, "KNOWS")
        );
        let london = &given.communities[0];
        assert_eq!(
            (&*london.members, &*london.report, london.level),
            (&[0][..], "Both.", 0)
        );
        assert_eq!(given.links.len(), 1);
        assert_eq!(&*given.links[0].label, "NEXT_CHUNK");
        let account = given.account.to_string();
        for part in [
            "edges between a text unit and an entity, taken as mentions: 1",
            "documents without a text of their own, taken as titles: 2",
            "relations that name an entity that no file has: 1 (e9)",
        ] {
            assert!(account.contains(part), "{account}");
        }
    }

    #[test]
    fn without_texts_entities_are_texts() {
        let things = vec![
            thing("1", &[], r#"{"name": "Ada", "description": "A countess."}"#),
            thing("2", &[], r#"{"name": "Babbage"}"#),
        ];
        let links = vec![Link::of("1", "2", "knows", &Record::default())];
        let mut draft = Draft::default();
        Plain { things, links }.give(&mut draft);
        let given = draft.finish();
        let texts: Vec<&str> = given.units.iter().map(|unit| &*unit.text).collect();
        assert_eq!(texts, ["A countess.", "Babbage"]);
        assert_eq!(given.entities[1].units, [1]);
        assert_eq!(given.relations.len(), 1);
    }
}
