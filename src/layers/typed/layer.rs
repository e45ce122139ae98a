//! The schema graph beside an index: objects, names, fields, typed edges both ways, vectors of long fields.

use super::arcs::Arcs;
use super::names::Names;
use super::similar::{self, Similar};
use crate::column::{Column, NONE, Strings, range};
use crate::embed::vectors::Rows;
use crate::embed::{Identity, Vectors};
use crate::exchange::schema::{self, FieldKind, Graph, Schema};
use crate::exchange::table;
use crate::index::layer::{Each, columns};
use crate::index::{Columns, Index, IndexError, Layer};
use crate::parameters::{PAIR_POOL, SIMILAR_PERCENTILE, Scoped};
use crate::text::stems::stem;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a layer is built from.
#[derive(Clone, Debug, PartialEq)]
pub struct Build {
    /// The folder with the tables, see [`table::read`].
    pub folder: PathBuf,
    /// Which objects are joined for being alike, where the schema says that such are.
    pub similar: Similar,
}

impl Build {
    pub fn of(folder: PathBuf, settings: Scoped<'_>) -> Build {
        let similar = Similar {
            pool: settings.get(PAIR_POOL),
            percentile: settings.get(SIMILAR_PERCENTILE),
        };
        Build { folder, similar }
    }
}

columns! {
    /// Objects are numbered in the order of the table, without those that are no passage of the index.
    pub struct SparkLayer(columns, meta: Meta, long: Vec<Long>) {
        pub meta: Meta { meta };
        meta_json: Column<u8> = "meta";
        /// Passage of each object.
        passage: Column<u32> = "objects.passage" [meta.objects] => below(columns.passages());
        /// Object of each passage, or [`NONE`].
        object: Column<u32> = "passages.object" [columns.passages()] => below_or_none(meta.objects);
        /// Type of each object, a place in the schema.
        kind: Column<u32> = "objects.kind" [meta.objects] => below(meta.schema.types.len());
        /// Objects by type, then by number.
        kind_ends: Column<u64> = "kinds.end" [meta.schema.types.len()] => ends(meta.objects);
        of_kind: Column<u32> = "kinds.object" [meta.objects] => below(meta.objects);
        pub labels: Strings = "objects.label" [meta.objects];
        pub names: Names = "" of (meta.objects);
        /// Field values of each object: field, text, and number or NaN.
        value_ends: Column<u64> = "values.end" [meta.objects] => ends(value_field.len());
        value_field: Column<u32> = "values.field" => below(meta.fields.len());
        value_number: Column<f64> = "values.number" [value_field.len()];
        value_text: Strings = "values.text" [value_field.len()];
        /// Edges from and to each object: the other end and the edge's type, ascending.
        out: Arcs = "out" of (&meta);
        back: Arcs = "back" of (&meta);
        long: Vec<Long> { long };
        /// Which objects were joined for being alike, of a layer built here whose schema says that such are.
        pub(super) joined: Option<Similar> { None };
    }
}

columns! {
    /// Vectors of one long field of one type.
    pub struct Long(columns, kind: usize, field: String, objects_of: usize, identity: &Identity) {
        pub kind: usize { kind };
        pub field: String { field };
        /// Objects that have it, ascending; row `i` of the vectors is that of `objects[i]`.
        pub objects: Column<u32> = "object" => below(objects_of);
        pub vectors: Vectors = "" by identity, "scale" [objects.len()];
    }
}

/// What the layer holds and was built from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub schema: Schema,
    /// Field names by the number that values have.
    pub fields: Vec<String>,
    /// Type and field of each group of vectors.
    pub long: Vec<(usize, String)>,
    pub encoder: Option<Identity>,
    pub objects: usize,
    pub edges: usize,
    /// Passages that are no object.
    pub bare_passages: usize,
    /// Objects of the table that are no passage, and edges that ended there.
    pub left_out: usize,
    pub edges_left_out: usize,
}

fn said(said: impl ToString) -> IndexError {
    IndexError::Layer {
        layer: SparkLayer::NAME,
        said: said.to_string(),
    }
}

impl SparkLayer {
    /// # Errors
    /// Tables that cannot be read, an index without vectors, or a cancelled build.
    pub fn build(
        index: &Index,
        options: &Build,
        progress: &dyn Fn(&'static str, usize, usize) -> bool,
    ) -> Result<SparkLayer, IndexError> {
        let graph = read(&options.folder)?;
        let similar = Some(options.similar).filter(|_| graph.schema.similar);
        SparkLayer::made(index, graph, similar, progress)
    }

    #[cfg(test)]
    pub fn from_graph(
        index: &Index,
        graph: Graph,
        progress: &dyn Fn(&'static str, usize, usize) -> bool,
    ) -> Result<SparkLayer, IndexError> {
        SparkLayer::made(index, graph, None, progress)
    }

    fn made(
        index: &Index,
        graph: Graph,
        similar: Option<Similar>,
        progress: &dyn Fn(&'static str, usize, usize) -> bool,
    ) -> Result<SparkLayer, IndexError> {
        let Graph {
            mut schema,
            mut objects,
            edges,
        } = graph;
        let dense = index.dense_for(SparkLayer::NAME)?;
        // Numbers in the layer; a passage that two objects claim stays with the first.
        let mut number = vec![NONE; objects.len()];
        let mut object = vec![NONE; index.len()];
        let mut passage = Vec::with_capacity(objects.len());
        for (at, row) in objects.iter().enumerate() {
            if let Some(p) = index.passage_by_id(&row.id)
                && object[p as usize] == NONE
            {
                object[p as usize] = passage.len() as u32;
                number[at] = passage.len() as u32;
                passage.push(p);
            }
        }
        if passage.is_empty() {
            return Err(said(
                "no object of the schema graph is a passage of the index; index the objects themselves: their identifiers must agree",
            ));
        }
        let (before, edges_before) = (objects.len(), edges.len());
        let mut kept = number.iter().map(|n| *n != NONE);
        objects.retain(|_| kept.next().unwrap_or(false));
        let mut edges: Vec<(u32, u32, u32)> = edges
            .into_iter()
            .map(|(a, b, e)| (number[a as usize], number[b as usize], e))
            .filter(|(a, b, _)| *a != NONE && *b != NONE)
            .collect();
        schema.types.iter_mut().for_each(|t| t.count = 0);
        schema.edges.iter_mut().for_each(|e| e.count = 0);
        let kind: Vec<u32> = (objects.iter())
            .map(|o| schema.type_by_name(&o.kind).unwrap_or(0) as u32)
            .collect();
        let mut of_kind: Vec<Vec<u32>> = vec![Vec::new(); schema.types.len()];
        for (object, kind) in (0..).zip(&kind) {
            of_kind[*kind as usize].push(object);
            schema.types[*kind as usize].count += 1;
        }
        let fields: Vec<String> = schema
            .field_names()
            .into_iter()
            .map(str::to_owned)
            .collect();
        let field_numbers: FxHashMap<&str, u32> =
            fields.iter().map(String::as_str).zip(0..).collect();
        let (mut value_ends, mut value_field, mut value_number) = (vec![], vec![], vec![]);
        let mut value_text: Vec<&str> = Vec::new();
        for object in &objects {
            for (name, value) in &object.fields {
                value_field.push(field_numbers[name.as_str()]);
                value_number.push(
                    value
                        .parse()
                        .ok()
                        .filter(|x: &f64| x.is_finite())
                        .unwrap_or(f64::NAN),
                );
                value_text.push(value);
            }
            value_ends.push(value_field.len() as u64);
        }
        let mut long = Vec::new();
        let groups: Vec<(usize, String)> = (schema.types.iter().enumerate())
            .flat_map(|(at, kind)| kind.long_fields().map(move |f| (at, f.name.clone())))
            .collect();
        for (done, (at, field)) in groups.iter().enumerate() {
            if !progress("fields", done, groups.len()) {
                return Err(IndexError::Cancelled);
            }
            let value = |object: &u32| {
                let fields = &objects[*object as usize].fields;
                fields
                    .iter()
                    .find(|(name, _)| name == field)
                    .map(|(_, value)| ("", value.as_str()))
            };
            let members: Vec<u32> = of_kind[*at]
                .iter()
                .copied()
                .filter(|o| value(o).is_some())
                .collect();
            let texts: Vec<(&str, &str)> = members.iter().filter_map(value).collect();
            let go_on = |_| progress("fields", done, groups.len());
            let rows = dense.encoder.passages(&texts, &go_on)?;
            let mut vectors = Vectors::new(dense.encoder.identity().clone(), rows)?;
            if matches!(dense.vectors.rows(), Rows::I8 { .. }) {
                vectors = vectors.quantised();
            }
            long.push(Long {
                kind: *at,
                field: field.clone(),
                objects: members.into(),
                vectors,
            });
        }
        progress("fields", groups.len(), groups.len());
        let edges_left_out = edges_before - edges.len();
        if let Some(similar) = similar {
            similar::join(&mut schema, &long, similar, &mut edges)?;
        }
        for (_, _, edge) in &edges {
            schema.edges[*edge as usize].count += 1;
        }
        let named = objects.iter().map(|o| (o.name.as_str(), &o.aliases[..]));
        let persons = (0..).zip(&objects).filter(|(_, o)| {
            let kind = schema.type_by_name(&o.kind);
            kind.is_some_and(|at| schema.types[at].person)
        });
        let words = schema.stems();
        let names = Names::build(
            named,
            persons.map(|(at, o)| (at, o.name.as_str())),
            |word| words.contains(&stem(word)),
        );
        let meta = Meta {
            fields,
            long: groups,
            encoder: Some(dense.encoder.identity().clone()),
            objects: objects.len(),
            edges: edges.len(),
            bare_passages: object.iter().filter(|o| **o == NONE).count(),
            left_out: before - objects.len(),
            edges_left_out,
            schema,
        };
        let mut kind_ends = Vec::new();
        of_kind.iter().fold(0, |sum, members| {
            kind_ends.push(sum + members.len() as u64);
            sum + members.len() as u64
        });
        let turned = edges.iter().map(|(a, b, e)| (*b, *a, *e)).collect();
        let layer = SparkLayer {
            meta_json: serde_json::to_vec(&meta).map_err(said)?.into(),
            passage: passage.into(),
            object: object.into(),
            kind: kind.into(),
            kind_ends: kind_ends.into(),
            of_kind: of_kind.concat().into(),
            labels: objects.iter().map(|o| &o.name).collect(),
            names,
            value_ends: value_ends.into(),
            value_field: value_field.into(),
            value_number: value_number.into(),
            value_text: value_text.into_iter().collect(),
            out: Arcs::build(meta.objects, edges),
            back: Arcs::build(meta.objects, turned),
            long,
            joined: similar,
            meta,
        };
        Ok(layer)
    }

    /// Which of these texts are values of text fields, without regard to case: its place, a type that has it, the field
    /// and the value, in the order of the texts.
    pub fn text_values(&self, texts: &[&str]) -> Vec<(usize, usize, String, String)> {
        let mut found: BTreeMap<usize, (usize, String, String)> = BTreeMap::new();
        for object in 0..self.len() as u32 {
            let kind = self.kind(object);
            for at in range(&self.value_ends, object as usize) {
                let value = self.value_text.get(at);
                let same =
                    |text: &&str| text.len() == value.len() && text.eq_ignore_ascii_case(value);
                let Some(place) = texts.iter().position(same) else {
                    continue;
                };
                let field = &self.meta.fields[self.value_field[at] as usize];
                let own = self.schema().types[kind].field(field);
                if own.is_some_and(|own| own.kind == FieldKind::Text) {
                    found
                        .entry(place)
                        .or_insert_with(|| (kind, field.clone(), value.to_owned()));
                }
            }
        }
        found
            .into_iter()
            .map(|(place, (kind, field, value))| (place, kind, field, value))
            .collect()
    }

    pub fn schema(&self) -> &Schema {
        &self.meta.schema
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.passage.len()
    }

    pub fn passage(&self, object: u32) -> u32 {
        self.passage[object as usize]
    }

    pub fn object(&self, passage: u32) -> Option<u32> {
        self.object
            .get(passage as usize)
            .copied()
            .filter(|o| *o != NONE)
    }

    pub fn kind(&self, object: u32) -> usize {
        self.kind[object as usize] as usize
    }

    pub fn label(&self, object: u32) -> &str {
        self.labels.get(object as usize)
    }

    /// The objects of a type, ascending.
    pub fn of_kind(&self, kind: usize) -> &[u32] {
        &self.of_kind[range(&self.kind_ends, kind)]
    }

    /// The values of a field of an object: text, and number or NaN.
    pub fn values(&self, object: u32, field: &str) -> impl Iterator<Item = (&str, f64)> {
        let number = self
            .meta
            .fields
            .iter()
            .position(|f| f == field)
            .map_or(NONE, |at| at as u32);
        range(&self.value_ends, object as usize)
            .filter(move |i| self.value_field[*i] == number)
            .map(|i| (self.value_text.get(i), self.value_number[i]))
    }

    /// Edges from an object (`out`), or to it: the other end and the edge's type.
    pub fn arcs(&self, object: u32, out: bool) -> impl Iterator<Item = (u32, usize)> {
        let arcs = if out { &self.out } else { &self.back };
        arcs.of(object)
    }

    pub fn long(&self, kind: usize, field: &str) -> Option<&Long> {
        self.long
            .iter()
            .find(|l| l.kind == kind && l.field == field)
    }
}

/// Reads tables for a layer.
fn read(folder: &Path) -> Result<Graph, IndexError> {
    table::read(folder).map_err(said)
}

impl Layer for SparkLayer {
    const NAME: &'static str = "spark";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: Each<'_, 'a>) {
        self.write("", each);
        for (i, long) in self.long.iter().enumerate() {
            long.write(&format!("long{i}"), each);
        }
    }

    fn open(columns: &Columns) -> Result<SparkLayer, IndexError> {
        let meta: Meta = columns.json("meta")?;
        let sound = schema::sound(&meta.schema);
        let sound =
            sound.map_err(|(expected, found)| format!("expected {expected}; found {found}"));
        columns.hold([("meta", sound)])?;
        let mut long = Vec::new();
        for (i, (kind, field)) in meta.long.iter().enumerate() {
            let identity = meta.encoder.as_ref();
            let identity = identity.ok_or_else(|| said("no encoder in its description"))?;
            let (prefix, field) = (format!("long{i}"), field.clone());
            long.push(Long::read(
                columns,
                &prefix,
                *kind,
                field,
                meta.objects,
                identity,
            )?);
        }
        SparkLayer::read(columns, "", meta, long)
    }
}
