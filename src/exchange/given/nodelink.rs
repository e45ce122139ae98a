//! Graphs of no system in particular: node-link JSON of networkx, GraphML, GEXF; one such file in a folder.
//!
//! Nodes with a long text are texts. Where none has one, every entity's description, or its name, is a text of its own, so that
//! there is something to retrieve.

use super::super::schema::GraphError;
use super::graphml::{self, Data};
use super::plain::{Link, Plain, Properties, Thing};
use super::stream::{self, Loose, Record};
use super::{Draft, Sort, System, gexf};
use std::path::{Path, PathBuf};

/// Node-link JSON.
pub static NODE_LINK: System = System {
    title: "node-link JSON",
    about: "one JSON file of nodes and links or edges, as networkx writes",
    finds: |folder| finds(folder, Kind::NodeLink),
    read: |folder, draft| read(folder, Kind::NodeLink, draft),
};

/// GraphML.
pub static GRAPHML: System = System {
    title: "GraphML",
    about: "one file *.graphml",
    finds: |folder| finds(folder, Kind::GraphMl),
    read: |folder, draft| read(folder, Kind::GraphMl, draft),
};

/// GEXF.
pub static GEXF: System = System {
    title: "GEXF",
    about: "one file *.gexf",
    finds: |folder| finds(folder, Kind::Gexf),
    read: |folder, draft| read(folder, Kind::Gexf, draft),
};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    NodeLink,
    GraphMl,
    Gexf,
}

/// Files of texts: beside them a graph is not what the folder is about.
const OTHERS: [&str; 9] = [
    "md", "txt", "jsonl", "html", "htm", "pdf", "parquet", "tsv", "docx",
];
/// Names of files that say what a folder is.
const ABOUT: [&str; 5] = ["readme", "about", "license", "notes", "citation"];
/// Most files that a message lists.
const MOST_LISTED: usize = 8;

fn graphs(folder: &Path, kind: Kind) -> Vec<PathBuf> {
    match kind {
        Kind::GraphMl => stream::files(folder, &["graphml"]),
        Kind::Gexf => stream::files(folder, &["gexf"]),
        Kind::NodeLink => {
            let mut files = stream::files(folder, &["json"]);
            files.retain(|path| is_node_link(path));
            files
        }
    }
}

fn is_node_link(path: &Path) -> bool {
    let head = stream::compact(path);
    let networkx = ["{\"directed\":", "{\"multigraph\":", "{\"graph\":{"];
    let networkx = networkx.iter().any(|key| head.starts_with(key));
    let pairs = head.starts_with("{\"nodes\":[{") || head.starts_with("{\"links\":[{");
    let edges = head.contains("\"links\":[") || head.contains("\"edges\":[");
    let documents = head.contains("\"relationships\":");
    let nodes = head.contains("\"nodes\":[");
    let graph = (networkx && nodes) || (pairs && (edges || head.contains("\"id\":")));
    graph && !documents && !stream::beginning(path).starts_with('[')
}

fn finds(folder: &Path, kind: Kind) -> Option<String> {
    let graphs = graphs(folder, kind);
    let first = graphs.first()?;
    let texts = stream::files(folder, &OTHERS).into_iter().any(|path| {
        let name = name_of(&path).to_lowercase();
        !ABOUT.iter().any(|about| name.starts_with(about))
    });
    if texts {
        return None;
    }
    Some(match graphs.len() {
        1 => name_of(first),
        many => format!("{many} files"),
    })
}

/// The name of a file.
pub(super) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn read(folder: &Path, kind: Kind, draft: &mut Draft) -> Result<(), GraphError> {
    let graphs = graphs(folder, kind);
    let [path] = &*graphs else {
        return Err(not_one(folder, &graphs));
    };
    draft.file(path);
    let plain = match kind {
        Kind::NodeLink => node_link(path)?,
        Kind::GraphMl => graph_ml(path, draft)?,
        Kind::Gexf => from_gexf(path)?,
    };
    plain.give(draft);
    Ok(())
}

fn not_one(folder: &Path, graphs: &[PathBuf]) -> GraphError {
    let names: Vec<String> = (graphs.iter().take(MOST_LISTED))
        .map(|path| name_of(path))
        .collect();
    GraphError::Unreadable {
        path: folder.to_owned(),
        what: format!("{} graphs: {}", graphs.len(), names.join(", ")),
        remedy: "move the graph you want into its own folder".to_owned(),
    }
}

fn node_link(path: &Path) -> Result<Plain, GraphError> {
    let mut plain = Plain::default();
    let mut number = 0_usize;
    stream::records(path, &["nodes"], "a node", &mut |_, node: Record| {
        let id = match node.get("id") {
            Loose::Nothing | Loose::List(_) | Loose::Record(_) => node.first(&["key"]),
            id => id.text(),
        };
        // Old files have no identifiers: links name places in the list.
        let id = match &*id {
            "" => number.to_string(),
            id => id.to_owned(),
        };
        number += 1;
        plain.things.push(Thing::of(&id, &[], &node));
        Ok(())
    })?;
    for section in ["links", "edges"] {
        let what = "a link with source and target";
        stream::records(path, &[section], what, &mut |_, link: Record| {
            let (from, to) = (end(link.get("source")), end(link.get("target")));
            plain.links.push(Link::of(&from, &to, "", &link));
            Ok(())
        })?;
    }
    Ok(plain)
}

fn end(value: &Loose) -> String {
    match value {
        Loose::Record(record) => record.get("id").text(),
        value => value.text(),
    }
}

impl Properties for Data<'_> {
    fn text(&self, name: &str) -> String {
        self.get(name).to_owned()
    }
}

fn graph_ml(path: &Path, draft: &mut Draft) -> Result<Plain, GraphError> {
    let mut plain = Plain::default();
    graphml::read(path, &mut |item| {
        match item {
            graphml::Item::Node(node) => {
                plain.things.push(Thing::of(node.id, &[], &node.data));
            }
            graphml::Item::Edge(edge) => {
                let link = Link::of(edge.source, edge.target, edge.data.get("label"), &edge.data);
                plain.links.push(link);
            }
            graphml::Item::Hyperedge => {
                draft.note(Sort::LeftOut, "edges of more than two ends", "");
            }
        }
        Ok(())
    })?;
    Ok(plain)
}

fn from_gexf(path: &Path) -> Result<Plain, GraphError> {
    let mut plain = Plain::default();
    gexf::read(path, &mut |item| match item {
        gexf::Item::Node(id, data) => plain.things.push(Thing::of(id, &[], &data)),
        gexf::Item::Edge(from, to, data) => plain.links.push(Link::of(from, to, "", &data)),
    })?;
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{damage, folder, given};
    use super::*;
    use proptest::prelude::*;

    const JSON: &str = r#"{"directed": false, "multigraph": false, "graph": {}, "nodes": [
        {"id": "p1", "type": "passage", "text": "Ada wrote to Babbage.", "title": "Letters"},
        {"id": "ada", "label": "Ada", "type": "person", "description": "A countess.", "vector": [0.1]},
        {"id": 7, "label": "Babbage", "type": "person"}],
        "links": [{"source": "p1", "target": "ada", "kind": "mentions"},
        {"source": "ada", "target": 7, "kind": "wrote to", "weight": 2, "description": "A letter."}]}"#;

    const XML: &str = r#"<graphml><key id="d0" for="node" attr.name="name"/><key id="d1" for="node" attr.name="description"/>
        <key id="d2" for="edge" attr.name="weight"/><key id="d3" for="edge" attr.name="relation"/><graph>
        <node id="n0"><data key="d0">Ada</data><data key="d1">A countess.</data></node><node id="n1"><data key="d0">Babbage</data></node>
        <edge source="n0" target="n1"><data key="d2">2</data><data key="d3">wrote to</data></edge><hyperedge/></graph></graphml>"#;

    const GEPHI: &str = r#"<gexf><graph><nodes><node id="0" label="Ada"/><node id="1" label="Babbage"/></nodes>
        <edges><edge source="0" target="1" weight="2" label="wrote to" type="directed"/></edges></graph></gexf>"#;

    #[test]
    fn node_link_has_texts_and_entities() {
        for text in [JSON.to_owned(), JSON.replace("links", "edges")] {
            let (found, given) = given(&NODE_LINK, "g.json", text.as_bytes()).unwrap();
            assert_eq!(found, "g.json");
            assert_eq!((given.units.len(), given.entities.len()), (1, 2));
            let ada = &given.entities[0];
            assert_eq!(
                (&*ada.name, &*ada.kind, &*ada.units),
                ("Ada", "person", &[0][..])
            );
            let edge = &given.relations[0];
            assert_eq!(
                (&*edge.label, edge.weight, &*edge.description),
                ("wrote to", 2.0, "A letter.")
            );
        }
    }

    #[test]
    fn links_may_name_places() {
        let old = r#"{"nodes": [{"name": "Ada"}, {"name": "Babbage"}], "links": [{"source": 0, "target": 1, "value": 3}]}"#;
        let (_, given) = given(&NODE_LINK, "g.json", old.as_bytes()).unwrap();
        assert_eq!(given.entities[1].name, "Babbage");
        assert_eq!((given.relations.len(), given.relations[0].weight), (1, 3.0));
    }

    #[test]
    fn lone_graphs_without_texts_have_their_entities_as_texts() {
        let cases = [(&GRAPHML, "a.graphml", XML), (&GEXF, "a.gexf", GEPHI)];
        for (system, name, text) in cases {
            let (found, given) = given(system, name, text.as_bytes()).unwrap();
            assert_eq!(found, name);
            assert_eq!((given.units.len(), given.entities.len()), (2, 2));
            assert_eq!(&*given.units[1].text, "Babbage");
            assert_eq!(given.entities[1].units, [1]);
            let edge = &given.relations[0];
            assert_eq!((&*edge.label, edge.weight), ("wrote to", 2.0));
        }
    }

    #[test]
    fn several_graphs_are_listed_and_other_folders_not_taken() {
        let two = folder(&[
            ("a.graphml", XML.as_bytes()),
            ("b.graphml", XML.as_bytes()),
            ("README.md", b""),
        ]);
        assert_eq!((GRAPHML.finds)(two.path()).unwrap(), "2 files");
        let error = (GRAPHML.read)(two.path(), &mut Draft::default()).unwrap_err();
        assert!(
            error.to_string().contains("2 graphs: a.graphml, b.graphml"),
            "{error}"
        );
        let others: [&[(&str, &[u8])]; 4] = [
            &[("a.graphml", XML.as_bytes()), ("note.md", b"x")],
            &[("corpus.jsonl", b"{}"), ("g.json", JSON.as_bytes())],
            &[(
                "hotpot.json",
                br#"[{"_id": "1", "context": [], "nodes": [{"id": 1}]}]"#,
            )],
            &[("data.json", br#"{"nodes": {"a": {"id": 1}}, "edges": {}}"#)],
        ];
        for files in others {
            let folder = folder(files);
            for system in [&NODE_LINK, &GRAPHML, &GEXF] {
                assert_eq!((system.finds)(folder.path()), None, "{files:?}");
            }
        }
    }

    #[test]
    fn cut_files_are_errors() {
        for (system, name, text) in [
            (&NODE_LINK, "a.json", JSON),
            (&GRAPHML, "a.graphml", XML),
            (&GEXF, "a.gexf", GEPHI),
        ] {
            let cut = &text.as_bytes()[..text.len() - 10];
            let error = given(system, name, cut).unwrap_err().to_string();
            assert!(error.contains("cut"), "{error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn damage_never_panics(which in 0..3usize, damage in damage()) {
            let cases = [(&NODE_LINK, "a.json", JSON), (&GRAPHML, "a.graphml", XML), (&GEXF, "a.gexf", GEPHI)];
            let (system, name, text) = cases[which];
            let _ = given(system, name, &damage.of(text.as_bytes()));
        }
    }
}
