//! LightRAG's tables, asked for the rows that a question needs. Identifiers and names are read when they are opened, so that texts
//! and entities have the numbers of a copy; what texts say, relations and lists of texts are looked up, all within one
//! transaction: what others write meanwhile is not seen.

use super::super::lightrag::rules;
use super::super::{Draft, Given, Relation, plain};
use super::lightrag::{ENTITY_CHUNKS, LIGHTRAG, Parts, Properties, Workspace, namespace};
use super::tables::Table;
use super::{Source, value};
use crate::exchange::postgres::address::{Address, Read};
use crate::exchange::postgres::client::{Row, literal};
use crate::exchange::schema::GraphError;
use rustc_hash::FxHashMap;
use std::path::Path;
use std::time::Instant;

/// Relations up to which those of all entities are counted at once.
const COUNTED: usize = 500_000;
/// Characters of a description that are read.
const DESCRIBED: usize = 2000;

/// What was read when tables were opened.
pub struct Found {
    /// Texts, each with its length in bytes in the place of what it says, and entities by their names. An entity has texts where
    /// no table lists them: they are looked up otherwise.
    pub given: Given,
    /// Texts of all entities together.
    pub places: usize,
    pub relations: usize,
    /// What relations weigh on average.
    pub weight: f64,
}

/// What is asked for at once: texts and entities by their numbers.
#[derive(Default)]
pub struct Wanted {
    /// Entities, with their texts and relations.
    pub entities: Vec<u32>,
    /// Texts, with their entities.
    pub units: Vec<u32>,
    /// Entities, with what is said of them.
    pub about: Vec<u32>,
    /// Entities, with how many texts and relations they have.
    pub degrees: Vec<u32>,
    /// Texts, with what they say.
    pub texts: Vec<u32>,
    /// Parts of words, with how many texts have them.
    pub counts: Vec<String>,
    /// Parts of words, with the texts that have one of them, and what these say.
    pub words: Vec<String>,
}

/// What came of that.
#[derive(Default)]
pub struct Came {
    /// By entity: its texts.
    pub units: FxHashMap<u32, Vec<u32>>,
    /// By text: its entities.
    pub entities: FxHashMap<u32, Vec<u32>>,
    /// Of the entities that were asked for, without their texts.
    pub relations: Vec<Relation>,
    /// By entity: what kind of thing it is, and what is said of it.
    pub about: FxHashMap<u32, (String, String)>,
    pub degrees: FxHashMap<u32, u32>,
    pub texts: FxHashMap<u32, String>,
    /// In the order that they were asked for.
    pub counts: Vec<usize>,
}

/// What look-ups cost.
#[derive(Clone, Copy, Default)]
pub struct Cost {
    pub trips: usize,
    pub rows: usize,
    pub bytes: usize,
    pub seconds: f64,
}

/// Tables that are open for look-ups.
pub struct LookUps {
    source: Source,
    nodes: Table,
    edges: Table,
    chunks: Table,
    lists: Option<Table>,
    workspace: String,
    /// Entities and texts as the tables call them, and by that.
    keys: [Vec<String>; 2],
    places: [FxHashMap<String, u32>; 2],
    /// Texts of entities that no table lists, and the other way.
    units: FxHashMap<u32, Vec<u32>>,
    entities: FxHashMap<u32, Vec<u32>>,
    /// How many texts and relations entities have, as far as somebody asked.
    degrees: FxHashMap<u32, u32>,
    /// Whether those of all entities are known.
    counted: bool,
    relations: usize,
    /// Whether an index serves lists by the texts in them, and texts by parts of words.
    by_text: bool,
    by_parts: bool,
    /// Whether the address asks for rows.
    pub asked: bool,
    /// How many neighbours a node may have that is followed, where the address says so.
    pub hub: Option<u32>,
    /// What makes slow look-ups fast, as statements.
    pub advice: Vec<String>,
    pub cost: Cost,
}

/// Entities, and texts.
const ENTITIES: usize = 0;
const UNITS: usize = 1;

/// What one query of several asks for.
#[derive(Clone, Copy)]
enum Part {
    Lists,
    Entities,
    Relations,
    About,
    Degrees,
    Texts,
    Counts,
}

impl LookUps {
    /// Opens the tables of an address for look-ups, if they are LightRAG's and have at least so many texts, or if the address
    /// asks for rows. None where they are to be copied.
    ///
    /// # Errors
    /// A server that cannot be reached or refuses, and tables that cannot be read, with what to do.
    pub fn open(path: &Path, least: usize) -> Result<Option<(LookUps, Found)>, GraphError> {
        let address = Address::of(path)?;
        let (asked, hub) = (address.read, address.hub);
        if asked == Some(Read::Copy) {
            return Ok(None);
        }
        let (kind, source) = Source::open(address)?;
        if kind.id != LIGHTRAG.id {
            return match asked {
                Some(Read::Rows) => Err(source.snapshot.error(
                    format!("tables of {} are copied, and not asked by rows", kind.title),
                    "leave out read=rows",
                )),
                _ => Ok(None),
            };
        }
        let parts = super::lightrag::parts(&source)?;
        if asked.is_none() && parts.texts < least {
            return Ok(None);
        }
        let mut draft = Draft::default();
        draft.held_by("table");
        draft.made_by(
            LIGHTRAG.title,
            source.generation(&format!("workspace {}", parts.workspace), "as of"),
        );
        let Parts {
            nodes,
            edges,
            chunks,
            workspace,
            ..
        } = parts;
        let (nodes, edges, chunks) = (nodes.clone(), edges.clone(), chunks.clone());
        let read = Workspace {
            source: &source,
            name: &workspace,
        };
        let lists = read.optional(ENTITY_CHUNKS)?.cloned();
        let text = format!(
            "NULLIF(pg_catalog.octet_length({}), 0)::text",
            chunks.text("content")
        );
        read.chunks(&chunks, &text, &mut draft)?;
        names(&read, &nodes, lists.as_ref(), &mut draft)?;
        let (relations, weight) = weights(&read, &edges, &mut draft)?;
        let listed = listed_places(&read, lists.as_ref())?;
        let (given, places) = draft.parted();
        let keys = places.each_ref().map(|places| {
            let mut keys = vec![String::new(); places.len()];
            for (key, place) in places {
                keys[*place as usize].clone_from(key);
            }
            keys
        });
        let mut own = LookUps {
            nodes,
            edges,
            chunks,
            lists,
            workspace,
            keys,
            places,
            units: FxHashMap::default(),
            entities: FxHashMap::default(),
            degrees: FxHashMap::default(),
            counted: false,
            relations,
            by_text: false,
            by_parts: false,
            asked: asked.is_some(),
            hub,
            advice: Vec::new(),
            cost: Cost::default(),
            source,
        };
        for (entity, of) in (0..).zip(&given.entities) {
            if !of.units.is_empty() {
                let mut units = of.units.clone();
                units.sort_unstable();
                own.units.insert(entity, units);
            }
            for unit in &of.units {
                own.entities.entry(*unit).or_default().push(entity);
            }
        }
        own.advise()?;
        let found = Found {
            places: listed + own.units.values().map(Vec::len).sum::<usize>(),
            given,
            relations,
            weight,
        };
        Ok(Some((own, found)))
    }

    /// Finds which look-ups no index serves.
    fn advise(&mut self) -> Result<(), GraphError> {
        let indexes = |table: &Table| {
            let query = format!(
                "SELECT pg_catalog.pg_get_indexdef(indexrelid) FROM pg_catalog.pg_index \
                 WHERE indisvalid AND indrelid = {}::pg_catalog.regclass",
                literal(&table.sql())
            );
            self.source.snapshot.all(&query)
        };
        let has = |rows: &[Row], parts: [&str; 2]| {
            let own = |row: &Row| parts.iter().all(|part| row.get(0).contains(part));
            rows.iter().any(own)
        };
        let mut advice = Vec::new();
        if let Some(lists) = &self.lists {
            self.by_text = has(&indexes(lists)?, ["USING gin (chunk_ids)", ""]);
        }
        if let Some(lists) = self.lists.as_ref().filter(|_| !self.by_text) {
            advice.push(format!(
                "finding the entities of a text scans every list: CREATE INDEX ON {} USING gin (chunk_ids)",
                lists.sql()
            ));
        }
        let of_edges = indexes(&self.edges)?;
        let second = |row: &Row| {
            let columns = row
                .get(0)
                .split_once('(')
                .map_or("", |(_, columns)| columns);
            columns.contains("tgt_id") && !columns.contains("src_id")
        };
        if !of_edges.iter().any(second) {
            advice.push(format!(
                "finding relations by their second entity scans every relation: CREATE INDEX ON {} (workspace, namespace, tgt_id)",
                self.edges.sql()
            ));
        }
        self.by_parts = has(&indexes(&self.chunks)?, ["gin_trgm_ops", "content"]);
        if !self.by_parts {
            advice.push(format!(
                "finding words scans every text: CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE INDEX ON {} USING gin (content gin_trgm_ops)",
                self.chunks.sql()
            ));
        }
        self.advice = advice;
        Ok(())
    }

    /// Everything that is wanted, in one trip.
    ///
    /// # Errors
    /// What the server says.
    pub fn ask(&mut self, wanted: &Wanted) -> Result<Came, GraphError> {
        let asked = self.queries(wanted);
        let mut came = Came::default();
        // What no table lists is here.
        for entity in &wanted.entities {
            came.units
                .insert(*entity, self.units.get(entity).cloned().unwrap_or_default());
        }
        for unit in &wanted.units {
            let own = self.entities.get(unit).cloned().unwrap_or_default();
            came.entities.insert(*unit, own);
        }
        if !asked.is_empty() {
            self.answered(&asked, &mut came)?;
        }
        for entity in &wanted.degrees {
            let count = self.degrees.get(entity).copied();
            let count = count.unwrap_or_else(|| self.unlisted(*entity));
            came.degrees.insert(*entity, count);
        }
        Ok(came)
    }

    /// How many texts of an entity no table lists.
    fn unlisted(&self, entity: u32) -> u32 {
        self.units.get(&entity).map_or(0, Vec::len) as u32
    }

    /// Whether those of all entities are counted at once: that takes as long as a few counts of some.
    fn counts_all(&self) -> bool {
        self.relations <= COUNTED
    }

    fn answered(&mut self, asked: &[(Part, String)], came: &mut Came) -> Result<(), GraphError> {
        let queries: Vec<String> = asked.iter().map(|(_, query)| query.clone()).collect();
        let start = Instant::now();
        let answers = self.source.snapshot.each(&queries);
        let answers = answers.map_err(|error| match self.source.snapshot.is_lost() {
            // Another transaction would see other rows.
            true => self.source.snapshot.error(
                "the connection broke while the tables were open".to_owned(),
                "open them again",
            ),
            false => error,
        })?;
        self.cost.trips += 1;
        self.cost.seconds += start.elapsed().as_secs_f64();
        for ((part, _), rows) in asked.iter().zip(answers) {
            self.cost.rows += rows.len();
            self.cost.bytes += rows.iter().map(Row::bytes).sum::<usize>();
            self.read(*part, &rows, came);
            self.counted |= matches!(part, Part::Degrees) && self.counts_all();
        }
        for (entity, count) in came.degrees.drain() {
            let count = count + self.unlisted(entity);
            self.degrees.insert(entity, count);
        }
        for list in came.units.values_mut().chain(came.entities.values_mut()) {
            list.sort_unstable();
            list.dedup();
        }
        Ok(())
    }

    /// A text by its identifier.
    pub fn unit(&self, id: &str) -> Option<u32> {
        self.place(UNITS, id)
    }

    fn place(&self, of: usize, key: &str) -> Option<u32> {
        self.places[of].get(key).copied()
    }

    fn read(&self, part: Part, rows: &[Row], came: &mut Came) {
        let mut draft = Draft::default();
        for row in rows {
            let key = row.get(0);
            let entity = self.place(ENTITIES, key);
            match (part, entity) {
                (Part::Lists, Some(entity)) => {
                    let ids = value(row.get(1)).texts();
                    let units = ids.iter().filter_map(|id| self.place(UNITS, id));
                    came.units.entry(entity).or_default().extend(units);
                }
                (Part::Entities, Some(entity)) => {
                    if let Some(unit) = self.place(UNITS, row.get(1)) {
                        came.entities.entry(unit).or_default().push(entity);
                    }
                }
                (Part::Relations, Some(source)) => {
                    let ends = [key, row.get(1)];
                    let Some(target) = self.place(ENTITIES, ends[1]).filter(|own| *own != source)
                    else {
                        continue;
                    };
                    let data = Properties::read(row.get(2), "relations", key, &mut draft);
                    let (label, description, weight) = rules::joined(ends, &data, &mut draft);
                    came.relations.push(Relation {
                        source,
                        target,
                        label: label.trim().to_owned(),
                        description: description.trim().to_owned(),
                        weight: draft.weight(weight),
                        units: Vec::new(),
                    });
                }
                (Part::About, Some(entity)) => {
                    let data = Properties::read(row.get(1), "entities", key, &mut draft);
                    let (kind, description) = rules::about(key, &data, &mut draft);
                    let own = (kind.trim().to_owned(), description.trim().to_owned());
                    came.about.insert(entity, own);
                }
                (Part::Degrees, Some(entity)) => {
                    *came.degrees.entry(entity).or_default() += row.get(1).parse().unwrap_or(0);
                }
                (Part::Texts, _) => {
                    if let Some(unit) = self.place(UNITS, key) {
                        came.texts.insert(unit, row.get(1).to_owned());
                    }
                }
                (Part::Counts, _) => {
                    let columns = 0..row.len();
                    let counts = columns.map(|at| row.get(at).parse().unwrap_or(0));
                    came.counts.extend(counts);
                }
                _ => {}
            }
        }
    }

    /// The queries that a batch takes.
    fn queries(&self, wanted: &Wanted) -> Vec<(Part, String)> {
        let read = Workspace {
            source: &self.source,
            name: &self.workspace,
        };
        let keys = |of: usize, numbers: &[u32]| {
            let all = &self.keys[of];
            list(numbers.iter().map(|own| &*all[*own as usize]))
        };
        let mut asked = Vec::new();
        let mut ask = |part, query| asked.push((part, query));
        let of_edges = |columns: &str, only: &str| {
            let (from, own, one) = (
                self.edges.sql(),
                read.own(&self.edges),
                namespace(&self.edges),
            );
            format!("SELECT {columns} FROM {from} WHERE {own} AND {one} AND {only}")
        };
        let [source, target] = ["src_id", "tgt_id"].map(|name| self.edges.own(name));
        let ids = self.lists.as_ref().map(listed);
        if !wanted.entities.is_empty() {
            let own = keys(ENTITIES, &wanted.entities);
            if let Some(lists) = &self.lists {
                let columns = [lists.text("id"), lists.json("chunk_ids")].join(", ");
                let (from, mine, id) = (lists.sql(), read.own(lists), lists.own("id"));
                ask(
                    Part::Lists,
                    format!("SELECT {columns} FROM {from} WHERE {mine} AND {id} = ANY ({own})"),
                );
            }
            let columns = ["src_id", "tgt_id"].map(|name| self.edges.text(name));
            let columns = format!(
                "{}, {}",
                columns.join(", "),
                properties(&self.edges, &["weight", "keywords"])
            );
            let first = of_edges(&columns, &format!("{source} = ANY ({own})"));
            let second = of_edges(
                &columns,
                &format!("{target} = ANY ({own}) AND {source} <> ALL ({own})"),
            );
            ask(
                Part::Relations,
                format!(
                    "SELECT * FROM ({first} UNION ALL {second}) r(source, target, properties) ORDER BY source COLLATE \"C\", target COLLATE \"C\""
                ),
            );
        }
        if let (false, Some(lists), Some(ids)) = (wanted.units.is_empty(), &self.lists, &ids) {
            let own = keys(UNITS, &wanted.units);
            let (from, mine, id) = (lists.sql(), read.own(lists), lists.text("id"));
            let of = match self.by_text {
                true => format!(
                    "pg_catalog.unnest({own}) c(chunk) JOIN {from} ON {} OPERATOR(pg_catalog.?) c.chunk WHERE {mine}",
                    jsonb(lists)
                ),
                false => format!(
                    "{from}, LATERAL pg_catalog.jsonb_array_elements_text({ids}) c(chunk) WHERE {mine} AND c.chunk = ANY ({own})"
                ),
            };
            ask(Part::Entities, format!("SELECT {id}, c.chunk FROM {of}"));
        }
        if !wanted.about.is_empty() {
            let own = keys(ENTITIES, &wanted.about);
            let (from, mine, one) = (
                self.nodes.sql(),
                read.own(&self.nodes),
                namespace(&self.nodes),
            );
            let (id, said, key) = (
                self.nodes.text("id"),
                properties(&self.nodes, &["entity_type"]),
                self.nodes.own("id"),
            );
            ask(
                Part::About,
                format!(
                    "SELECT {id}, {said} FROM {from} WHERE {mine} AND {one} AND {key} = ANY ({own})"
                ),
            );
        }
        let known = |entity: &&u32| self.counted || self.degrees.contains_key(entity);
        let degrees = wanted.degrees.iter().filter(|own| !known(own));
        let degrees: Vec<u32> = degrees.copied().collect();
        if !degrees.is_empty() {
            let only = match self.counts_all() {
                true => None,
                false => Some(keys(ENTITIES, &degrees)),
            };
            let of = |key: &str| match &only {
                None => "true".to_owned(),
                Some(own) => format!("{key} = ANY ({own})"),
            };
            let count = |end: &str, other: &str| {
                of_edges(
                    &format!("{end}, pg_catalog.count(*)"),
                    &format!("{} AND {end} <> {other} GROUP BY 1", of(end)),
                )
            };
            let mut parts = vec![count(&source, &target), count(&target, &source)];
            if let (Some(lists), Some(ids)) = (&self.lists, &ids) {
                let (from, mine, id) = (lists.sql(), read.own(lists), lists.own("id"));
                parts.push(format!(
                    "SELECT {id}, pg_catalog.jsonb_array_length({ids}) FROM {from} WHERE {mine} AND {}",
                    of(&id)
                ));
            }
            ask(Part::Degrees, parts.join(" UNION ALL "));
        }
        let (from, mine) = (self.chunks.sql(), read.own(&self.chunks));
        let (id, content) = (self.chunks.text("id"), self.chunks.text("content"));
        if !wanted.texts.is_empty() {
            let own = keys(UNITS, &wanted.texts);
            let key = self.chunks.own("id");
            ask(
                Part::Texts,
                format!("SELECT {id}, {content} FROM {from} WHERE {mine} AND {key} = ANY ({own})"),
            );
        }
        // An index over parts of words knows texts as they are; without one they are put into lower case, once.
        let (text, texts) = match self.by_parts {
            true => (self.chunks.own("content"), format!("{from} WHERE {mine}")),
            false => (
                "lower".to_owned(),
                format!(
                    "(SELECT *, pg_catalog.lower({content}) AS lower FROM {from} WHERE {mine} OFFSET 0) t WHERE true"
                ),
            ),
        };
        let has = |word: &String| has(&text, word, self.by_parts);
        if self.by_parts {
            for word in &wanted.counts {
                let has = has(word);
                let count = format!("SELECT pg_catalog.count(*) FROM {texts} AND {has}");
                ask(Part::Counts, count);
            }
        } else if !wanted.counts.is_empty() {
            let count = |word| format!("pg_catalog.count(*) FILTER (WHERE {})", has(word));
            let counts: Vec<String> = wanted.counts.iter().map(count).collect();
            let counts = counts.join(", ");
            ask(Part::Counts, format!("SELECT {counts} FROM {texts}"));
        }
        if !wanted.words.is_empty() {
            let any: Vec<String> = wanted.words.iter().map(has).collect();
            let any = any.join(" OR ");
            ask(
                Part::Texts,
                format!("SELECT {id}, {content} FROM {texts} AND ({any})"),
            );
        }
        asked
    }
}

/// Entities by their names, each with its texts where no table lists them.
fn names(
    read: &Workspace<'_>,
    nodes: &Table,
    lists: Option<&Table>,
    draft: &mut Draft,
) -> Result<(), GraphError> {
    read.source.note(nodes, draft);
    let (id, order) = (nodes.text("id"), nodes.order("id"));
    let (own, one, properties) = (read.own(nodes), namespace(nodes), nodes.text("properties"));
    // A join, since tables of names may be too large to be kept for a look-up each.
    let (from, said) = match lists {
        None => (nodes.sql(), properties),
        Some(lists) => {
            read.source.note(lists, draft);
            let (of, mine, ids) = (lists.sql(), read.own(lists), listed(lists));
            let (list, name) = (lists.own("id"), nodes.own("id"));
            (
                format!(
                    "{} LEFT JOIN (SELECT {list} FROM {of} WHERE {mine} AND pg_catalog.jsonb_array_length({ids}) > 0) l(listed) \
                     ON l.listed = {name}",
                    nodes.sql()
                ),
                format!("CASE WHEN l.listed IS NULL THEN {properties} ELSE '{{}}' END"),
            )
        }
    };
    let query = format!("SELECT {id}, {said} FROM {from} WHERE {own} AND {one} ORDER BY {order}");
    let none = rules::Lists::default();
    read.source.snapshot.rows(&query, &mut |row| {
        let data = Properties::read(row.get(1), "entities", row.get(0), draft);
        rules::entity(row.get(0), &data, &none, draft);
    })
}

/// How many relations there are, and what they weigh on average: few weights are written many times.
fn weights(
    read: &Workspace<'_>,
    edges: &Table,
    draft: &mut Draft,
) -> Result<(usize, f64), GraphError> {
    read.source.note(edges, draft);
    let [source, target] = ["src_id", "tgt_id"].map(|name| edges.own(name));
    let query = format!(
        "SELECT {} ->> 'weight', pg_catalog.count(*) FROM {} WHERE {} AND {} AND {source} <> {target} GROUP BY 1",
        edges.own("properties"),
        edges.sql(),
        read.own(edges),
        namespace(edges),
    );
    let (mut relations, mut sum) = (0, 0.0);
    for row in read.source.snapshot.all(&query)? {
        let count: usize = row.get(1).parse().unwrap_or(0);
        let weight = draft.weight(plain::weight(row.get(0)));
        relations += count;
        sum += f64::from(weight as f32) * count as f64;
    }
    Ok((relations, sum / relations.max(1) as f64))
}

/// How many texts the lists of all entities have.
fn listed_places(read: &Workspace<'_>, lists: Option<&Table>) -> Result<usize, GraphError> {
    let Some(lists) = lists else {
        return Ok(0);
    };
    let query = format!(
        "SELECT pg_catalog.sum(pg_catalog.jsonb_array_length({})) FROM {} WHERE {}",
        listed(lists),
        lists.sql(),
        read.own(lists),
    );
    let sum = read.source.snapshot.all(&query)?;
    let sum = sum.first().and_then(|row| row.get(0).parse().ok());
    Ok(sum.unwrap_or(0))
}

/// Texts as an array of SQL.
fn list<'k>(keys: impl Iterator<Item = &'k str>) -> String {
    let keys: Vec<String> = keys.map(literal).collect();
    format!("ARRAY[{}]::text[]", keys.join(","))
}

/// A column of lists of texts as JSON that can be searched.
fn jsonb(lists: &Table) -> String {
    let column = lists.own("chunk_ids");
    match lists.kind("chunk_ids") {
        Some("jsonb") => column,
        _ => format!("{column}::jsonb"),
    }
}

/// The same where it is a list; else an empty one.
fn listed(lists: &Table) -> String {
    let column = jsonb(lists);
    format!("CASE pg_catalog.jsonb_typeof({column}) WHEN 'array' THEN {column} ELSE '[]' END")
}

/// Some attributes and the beginning of the description, in the place of all; what is no object as it is.
fn properties(table: &Table, names: &[&str]) -> String {
    let all = table.own("properties");
    let own: Vec<String> = names
        .iter()
        .map(|name| format!("'{name}', {all} -> '{name}'"))
        .collect();
    format!(
        "CASE pg_catalog.jsonb_typeof({all}) WHEN 'object' THEN pg_catalog.jsonb_build_object({}, 'description', \
         CASE pg_catalog.jsonb_typeof({all} -> 'description') WHEN 'string' \
         THEN pg_catalog.to_jsonb(pg_catalog.left({all} ->> 'description', {DESCRIBED})) ELSE {all} -> 'description' END)::text \
         ELSE {all}::text END",
        own.join(", ")
    )
}

/// Whether a text has a part of a word, in SQL. Not every server knows the two cases of every script.
fn has(text: &str, part: &str, in_any_case: bool) -> String {
    let operator = if in_any_case { "ILIKE" } else { "LIKE" };
    let mut forms = vec![part.to_owned()];
    if !part.is_ascii() {
        let mut letters = part.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string());
        forms.push(first.unwrap_or_default() + letters.as_str());
        forms.push(part.to_uppercase());
    }
    let one = |form: &String| {
        let mut pattern = String::from("%");
        for letter in form.chars() {
            if matches!(letter, '%' | '_' | '\\') {
                pattern.push('\\');
            }
            pattern.push(letter);
        }
        pattern.push('%');
        format!("{text} {operator} {}", literal(&pattern))
    };
    let all: Vec<String> = forms.iter().map(one).collect();
    format!("({})", all.join(" OR "))
}
