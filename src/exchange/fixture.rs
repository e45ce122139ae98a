//! A graph small enough to work out by hand, as tables.

use super::schema::Graph;
use super::table;
use std::fs;
use std::path::Path;

pub const NODES: &str = "id\ttype\tname\taliases\tyear\tnote
ada\tPerson\tAda Lovelace\tCountess of Lovelace\t\t
alan\tPerson\tAlan Turing\t\t\t
grace\tPerson\tGrace Hopper\t\t\t
notes\tWork\tNotes\t\t1843\tred red red blue blue blue blue
machine\tWork\tMachine\t\t1936\tred
compiler\tWork\tCompiler\t\t1952\tgreen
brain\tWork\tMachine\t\t1950\tblue
london\tCity\tLondon\t\t\t
york\tCity\tNew York\t\t\t
";

pub const EDGES: &str = "from\tto\ttype
ada\tnotes\tWROTE
alan\tmachine\tWROTE
alan\tbrain\tWROTE
grace\tcompiler\tWROTE
ada\tlondon\tLIVED_IN
alan\tlondon\tLIVED_IN
grace\tyork\tLIVED_IN
machine\tnotes\tCITES
brain\tmachine\tCITES
alan\tgrace\tTAUGHT
ada\talan\tTAUGHT
";

pub const SCHEMA: &str = r#"{"types": [
 {"name": "Person", "synonyms": ["who", "author"], "person": true},
 {"name": "Work", "synonyms": ["book", "work"], "fields": [
   {"name": "year", "kind": "number", "synonyms": ["written", "year"]}, {"name": "note", "kind": "long"}]},
 {"name": "City", "synonyms": ["where", "town"]}],
 "edges": [
 {"name": "WROTE", "from": "Person", "to": "Work", "cues": ["wrote", "author of"], "inverse_cues": ["written by", "books of"]},
 {"name": "LIVED_IN", "from": "Person", "to": "City", "cues": ["lived in", "from"]},
 {"name": "CITES", "from": "Work", "to": "Work", "cues": ["cites", "cite"], "inverse_cues": ["cited by"]},
 {"name": "TAUGHT", "from": "Person", "to": "Person", "cues": ["taught"], "inverse_cues": ["taught by"]}]}"#;

/// Writes tables into a folder.
pub fn tables(folder: &Path, nodes: &str, edges: &str, schema: Option<&str>) {
    fs::write(folder.join("nodes.tsv"), nodes).unwrap();
    fs::write(folder.join("edges.tsv"), edges).unwrap();
    if let Some(schema) = schema {
        fs::write(folder.join("schema.json"), schema).unwrap();
    }
}

pub fn graph() -> Graph {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path(), NODES, EDGES, Some(SCHEMA));
    table::read(folder.path()).unwrap()
}
