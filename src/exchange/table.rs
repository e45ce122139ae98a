//! Schema graphs from tables: `nodes` and `edges` as TSV or JSONL, with `schema.json` beside them where there is one.

use super::schema::{FieldKind, Graph, GraphError, Object, Schema, complete, sound};
use super::stark;
use csv::{ReaderBuilder, StringRecord};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of the schema graph in a folder; none where there is none.
pub fn files(folder: &Path) -> Option<Vec<PathBuf>> {
    match (table(folder, "nodes"), table(folder, "edges")) {
        (Some(nodes), Some(edges)) => Some(vec![nodes, edges]),
        _ => {
            let found = stark::folder(folder)?;
            Some(
                ["node_info.pkl", "edge_index.pt"]
                    .map(|name| found.join(name))
                    .to_vec(),
            )
        }
    }
}

/// Where a corpus path has a schema graph beside it: in the folder itself, or in the folder of the file.
pub fn beside(path: &Path) -> Option<PathBuf> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    files(folder).map(|_| folder.to_owned())
}

/// Reads the schema graph of a folder.
///
/// # Errors
/// A folder without one, or a bad record by file and line.
pub fn read(folder: &Path) -> Result<Graph, GraphError> {
    match (table(folder, "nodes"), table(folder, "edges")) {
        (Some(nodes), Some(edges)) => tables(&nodes, &edges, &folder.join("schema.json")),
        _ => stark::read(folder),
    }
}

fn table(folder: &Path, stem: &str) -> Option<PathBuf> {
    ["tsv", "jsonl"]
        .iter()
        .map(|ending| folder.join(format!("{stem}.{ending}")))
        .find(|path| path.is_file())
}

fn tables(nodes: &Path, edges: &Path, schema: &Path) -> Result<Graph, GraphError> {
    let given: Schema = if schema.is_file() {
        let text = fs::read_to_string(schema).map_err(|e| GraphError::io(schema, e))?;
        let given: Schema = serde_json::from_str(&text).map_err(|e| {
            let form = r#"a schema such as {"types": [{"name": "Paper"}], "edges": []}"#;
            GraphError::record(schema, e.line() as u64, form, e.to_string())
        })?;
        sound(&given)
            .map_err(|(expected, found)| GraphError::record(schema, 0, expected, found))?;
        given
    } else {
        Schema::default()
    };
    let described = !given.types.is_empty();
    let mut objects: Vec<Object> = Vec::new();
    let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
    each(nodes, &mut |line, row| {
        let object = object(nodes, line, row)?;
        let kind = given.type_by_name(&object.kind);
        if described && kind.is_none() {
            let expected = format!("a type of {}", schema.display());
            return Err(GraphError::record(
                nodes,
                line,
                expected,
                format!("'{}'", object.kind),
            ));
        }
        for (name, value) in &object.fields {
            let field = kind.and_then(|at| given.types[at].field(name));
            let number = value.parse::<f64>().is_ok_and(f64::is_finite);
            if field.is_some_and(|f| f.kind == FieldKind::Number) && !number {
                let expected = format!("a number in the field `{name}`");
                return Err(GraphError::record(
                    nodes,
                    line,
                    expected,
                    format!("'{value}'"),
                ));
            }
        }
        if numbers
            .insert(object.id.clone(), objects.len() as u32)
            .is_some()
        {
            let found = format!("'{}' again", object.id);
            return Err(GraphError::record(
                nodes,
                line,
                "an identifier that is there once",
                found,
            ));
        }
        objects.push(object);
        Ok(())
    })?;
    let mut found = Vec::new();
    each(edges, &mut |line, row| {
        let end = |names: &[&str]| {
            let id = pick(&row, names).ok_or_else(|| {
                GraphError::record(edges, line, format!("a column `{}`", names[0]), "none")
            })?;
            numbers.get(&id).copied().ok_or_else(|| {
                GraphError::record(
                    edges,
                    line,
                    "the identifier of an object",
                    format!("'{id}'"),
                )
            })
        };
        let (from, to) = (
            end(&["from", "src", "source", "head"])?,
            end(&["to", "dst", "target", "tail"])?,
        );
        let kind = pick(&row, &["type", "kind", "edge", "relation"])
            .ok_or_else(|| GraphError::record(edges, line, "a column `type`", "none"))?;
        let ends = (&objects[from as usize].kind, &objects[to as usize].kind);
        let named = |e: &&super::schema::EdgeType| e.name == kind;
        let fits = |e: &super::schema::EdgeType| (&e.from, &e.to) == ends;
        if given.edges.iter().any(|e| named(&e)) && !given.edges.iter().filter(named).any(fits) {
            let expected = format!("ends of {kind} as {} has them", schema.display());
            return Err(GraphError::record(
                edges,
                line,
                expected,
                format!("{} and {}", ends.0, ends.1),
            ));
        }
        found.push((from, to, kind));
        Ok(())
    })?;
    Ok(complete(given, objects, found))
}

type Row = Map<String, Value>;

fn pick(row: &Row, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| row.get(*name).and_then(scalar))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|t| !t.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// What joins several values of one field in a cell.
const SEVERAL: char = '|';

fn object(path: &Path, line: u64, row: Row) -> Result<Object, GraphError> {
    let need = |names: &[&str]| {
        pick(&row, names).ok_or_else(|| {
            GraphError::record(
                path,
                line,
                format!("a column `{}`", names[0]),
                "none, or an empty one",
            )
        })
    };
    let (id, kind) = (need(&["id", "_id"])?, need(&["type", "kind"])?);
    let name = need(&["name", "label", "title"])?;
    let aliases = match row.get("aliases") {
        Some(Value::Array(several)) => several.iter().filter_map(scalar).collect(),
        Some(one) => scalar(one)
            .map(|cell| {
                cell.split(SEVERAL)
                    .map(|a| a.trim().to_owned())
                    .filter(|a| !a.is_empty())
                    .collect()
            })
            .unwrap_or_default(),
        None => Vec::new(),
    };
    let own = [
        "id", "_id", "type", "kind", "name", "label", "title", "aliases",
    ];
    let mut fields = Vec::new();
    for (field, value) in row
        .iter()
        .filter(|(field, _)| !own.contains(&field.as_str()))
    {
        let text = match value {
            Value::Array(several) => {
                let parts: Vec<String> = several.iter().filter_map(scalar).collect();
                Some(parts.join("; ")).filter(|t| !t.is_empty())
            }
            one => scalar(one),
        };
        fields.extend(text.map(|text| (field.clone(), text)));
    }
    Ok(Object {
        id,
        kind,
        name,
        aliases,
        fields,
    })
}

/// Hands over every row of a table as named values.
fn each(
    path: &Path,
    take: &mut dyn FnMut(u64, Row) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let bytes = fs::read(path).map_err(|e| GraphError::io(path, e))?;
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count() as u64;
        GraphError::record(path, line, "text in UTF-8", "another byte")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if path.extension().is_some_and(|ending| ending == "jsonl") {
        for (line, record) in (1..).zip(text.lines()) {
            if record.trim().is_empty() {
                continue;
            }
            let row: Row = serde_json::from_str(record)
                .map_err(|e| GraphError::record(path, line, "a JSON object", e.to_string()))?;
            take(line, row)?;
        }
        return Ok(());
    }
    let mut reader = ReaderBuilder::new()
        .delimiter(b'\t')
        .quoting(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let bad = |e: csv::Error| GraphError::record(path, 0, "tab-separated columns", e.to_string());
    let names = reader.headers().map_err(bad)?.clone();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(bad)? {
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() > names.len() {
            let found = format!("{}", record.len());
            return Err(GraphError::record(
                path,
                line,
                format!("{} columns", names.len()),
                found,
            ));
        }
        let cells = names.iter().zip(record.iter());
        take(
            line,
            cells
                .map(|(n, c)| (n.trim().to_owned(), Value::from(c)))
                .collect(),
        )?;
    }
    Ok(())
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
