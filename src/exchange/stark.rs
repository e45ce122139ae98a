//! STaRK's folders: `processed/` with pickles of the objects and tensors of the edges, `stark_qa/` with questions.

use super::pickle::{self, Pickle};
use super::schema::{Graph, GraphError, Object, Schema, complete};
use super::torch;
use crate::mapped;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Fields that hold an object's name in one of the three sets, the first that is there.
const NAMES: &[&str] = &[
    "name",
    "title",
    "DisplayName",
    "OriginalTitle",
    "brand_name",
    "category_name",
    "color_name",
];
/// Longer values are cut: reviews and abstracts in full are no fields for a person to read.
const MOST_CHARS: usize = 20_000;

/// Where the processed files lie: in the folder, in `processed`, or below it in the cache of AMAZON's link types.
pub fn folder(root: &Path) -> Option<PathBuf> {
    let processed = root.join("processed");
    let mut places = vec![root.to_owned(), processed.clone()];
    if let Ok(entries) = fs::read_dir(processed.join("cache")) {
        let mut cached: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
        cached.sort();
        places.splice(0..0, cached);
    }
    let whole = |place: &PathBuf| {
        place.join("node_info.pkl").is_file() && place.join("edge_index.pt").is_file()
    };
    places.into_iter().find(whole)
}

/// The synthetic questions of a set: in the folder, or where the snapshot of all sets keeps those of `skb/NAME`.
pub fn questions(root: &Path) -> Option<PathBuf> {
    let set = match root.file_name() {
        Some(name) if name == "processed" => root.parent()?,
        _ => root,
    };
    let mut folders = vec![set.to_owned()];
    if let (Some(name), Some(all)) = (set.file_name(), set.parent().and_then(Path::parent)) {
        folders.push(all.join("qa").join(name));
    }
    let files = folders
        .iter()
        .map(|folder| folder.join("stark_qa/stark_qa.csv"));
    files.into_iter().find(|file| file.is_file())
}

/// Reads the graph of one set. Identifiers are the numbers of the objects, as the questions use them.
///
/// # Errors
/// A folder without one, or a damaged file by name.
pub fn read(root: &Path) -> Result<Graph, GraphError> {
    let folder = folder(root).ok_or_else(|| GraphError::None {
        path: root.to_owned(),
    })?;
    let info_path = folder.join("node_info.pkl");
    let info = unpickled(&info_path)?;
    let entries = info.dict(info.root).ok_or_else(|| {
        GraphError::record(
            &info_path,
            0,
            "a dictionary of objects by number",
            "something else",
        )
    })?;
    let type_names = names(&folder.join("node_type_dict.pkl"))?;
    let edge_names = names(&folder.join("edge_type_dict.pkl"))?;
    let node_types = tensor(&folder.join("node_types.pt"))?;
    let mut rows: Vec<(i64, Value)> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let number = info
            .int(*key)
            .filter(|n| *n >= 0)
            .ok_or_else(|| GraphError::record(&info_path, 0, "numbers as keys", "another key"))?;
        rows.push((number, info.json(*value)));
    }
    rows.sort_by_key(|(number, _)| *number);
    let mut objects = Vec::with_capacity(rows.len());
    for (place, (number, row)) in rows.iter().enumerate() {
        if *number != place as i64 {
            return Err(GraphError::record(
                &info_path,
                0,
                format!("object {place}"),
                format!("{number} next"),
            ));
        }
        let kind = node_types
            .values
            .get(place)
            .and_then(|t| name_of(&type_names, *t));
        let kind = kind
            .or_else(|| row["type"].as_str().map(str::to_owned))
            .unwrap_or_else(|| "object".into());
        objects.push(object(place, kind, row));
    }
    let index_path = folder.join("edge_index.pt");
    let index = tensor(&index_path)?;
    let types = tensor(&folder.join("edge_types.pt"))?;
    let count = types.values.len();
    if index.shape != [2, count] {
        let found = format!("{:?}", index.shape);
        return Err(GraphError::record(
            &index_path,
            0,
            format!("the shape [2, {count}]"),
            found,
        ));
    }
    let mag = ["author", "institution", "field_of_study", "paper"];
    let is_mag = edge_names.is_empty() && objects.iter().all(|o| mag.contains(&o.kind.as_str()));
    let mut edges = Vec::with_capacity(count);
    for i in 0..count {
        let end = |at: usize| {
            let number = index.values[at];
            u32::try_from(number)
                .ok()
                .filter(|n| (*n as usize) < objects.len())
                .ok_or_else(|| {
                    let expected = format!("an object below {}", objects.len());
                    GraphError::record(&index_path, 0, expected, format!("{number} in edge {i}"))
                })
        };
        // MAG's dictionaries are part of its program, not of its files.
        const OF_MAG: [&str; 4] = ["affiliated_with", "cites", "has_topic", "writes"];
        let kind = types.values[i];
        let known = usize::try_from(kind)
            .ok()
            .filter(|_| is_mag)
            .and_then(|at| OF_MAG.get(at));
        let name = known
            .map(|n| (*n).to_owned())
            .or_else(|| name_of(&edge_names, kind))
            .unwrap_or_else(|| format!("edge {kind}"));
        // `author___writes___paper` says its ends besides.
        let name = name.split("___").nth(1).unwrap_or(&name).to_owned();
        edges.push((end(i)?, end(count + i)?, name));
    }
    let mut graph = complete(
        Schema {
            similar: true,
            ..Schema::default()
        },
        objects,
        edges,
    );
    if graph.schema.type_by_name("gene/protein").is_some() {
        // PRIME asks for objects of every type.
        graph
            .schema
            .types
            .iter_mut()
            .for_each(|t| t.answerable = true);
    }
    Ok(graph)
}

fn object(place: usize, kind: String, row: &Value) -> Object {
    let mut object = Object {
        id: place.to_string(),
        kind,
        ..Object::default()
    };
    let name_field = NAMES
        .iter()
        .find(|name| row[**name].as_str().is_some_and(|n| !n.trim().is_empty()));
    object.name = match name_field {
        Some(name) => row[*name].as_str().unwrap_or_default().trim().to_owned(),
        None => format!("{} {place}", object.kind),
    };
    let mut take = |name: &str, value: &Value| {
        let number = name == "id" || ["_id", "Id", "ID"].iter().any(|end| name.ends_with(end));
        let skip = number || name.starts_with('_') || name == "type";
        let text = said(value);
        if !skip && !matches!(text.as_str(), "" | "-1" | "nan") {
            object
                .fields
                .push((name.to_owned(), text.chars().take(MOST_CHARS).collect()));
        }
    };
    for (name, value) in row.as_object().into_iter().flatten() {
        match value {
            _ if name_field.is_some_and(|own| own == name) => {}
            // PRIME and AMAZON keep what they know besides in here.
            Value::Object(details) if name == "details" => {
                details.iter().for_each(|(name, value)| take(name, value));
            }
            value => take(name, value),
        }
    }
    object
}

/// A value as text: lists and records joined.
fn said(value: &Value) -> String {
    let join = |parts: Vec<String>, by: &str| {
        let parts: Vec<String> = parts.into_iter().filter(|p| !p.is_empty()).collect();
        parts.join(by)
    };
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.trim().to_owned(),
        Value::Array(items) => join(items.iter().map(said).collect(), "; "),
        Value::Object(map) => join(map.values().map(said).collect(), ". "),
        other => other.to_string(),
    }
}

fn unpickled(path: &Path) -> Result<Pickle, GraphError> {
    let bytes = mapped::read(path).map_err(|e| GraphError::io(path, e))?;
    pickle::read(&bytes).map_err(|said| GraphError::record(path, 0, "a pickle of plain data", said))
}

/// Names by number; none where there is no such file.
fn names(path: &Path) -> Result<Vec<(i64, String)>, GraphError> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let pickle = unpickled(path)?;
    let wrong = |found| GraphError::record(path, 0, "a dictionary of names by number", found);
    let entries = pickle.dict(pickle.root);
    let entries = entries.ok_or_else(|| wrong("something else"))?;
    let entry =
        |(key, value): &(u32, u32)| Some((pickle.int(*key)?, pickle.text(*value)?.to_owned()));
    let named = |pair| entry(pair).ok_or_else(|| wrong("another entry"));
    entries.iter().map(named).collect()
}

fn name_of(names: &[(i64, String)], number: i64) -> Option<String> {
    names
        .iter()
        .find(|(n, _)| *n == number)
        .map(|(_, name)| name.clone())
}

fn tensor(path: &Path) -> Result<torch::Tensor, GraphError> {
    let bytes = mapped::read(path).map_err(|e| GraphError::io(path, e))?;
    torch::read(&bytes).map_err(|said| GraphError::record(path, 0, "a tensor of torch.save", said))
}

#[cfg(test)]
#[path = "stark_tests.rs"]
mod tests;
