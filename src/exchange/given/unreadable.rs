//! Systems whose files are known and hold their graph in a form that is not read here: each says what to do instead.

use super::super::schema::GraphError;
use super::{Draft, System};
use std::fs;
use std::path::Path;

/// Most entries of a folder that are looked at.
const MOST: usize = 10_000;

/// Whether a folder has a file or folder whose name passes.
fn has(folder: &Path, pass: impl Fn(&str) -> bool) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let names = entries.flatten().take(MOST).map(|entry| entry.file_name());
    names.into_iter().any(|name| pass(&name.to_string_lossy()))
}

fn refuse(folder: &Path, what: &str, remedy: &str) -> Result<(), GraphError> {
    Err(GraphError::Unreadable {
        path: folder.to_owned(),
        what: what.to_owned(),
        remedy: remedy.to_owned(),
    })
}

fn fast_graphrag(folder: &Path, _: &mut Draft) -> Result<(), GraphError> {
    refuse(
        folder,
        "fast-graphrag keeps its graph as Python pickles, which are programs and are not run here",
        "export it with save_graphml() into its own folder, then open that folder",
    )
}

fn kuzu(folder: &Path, _: &mut Draft) -> Result<(), GraphError> {
    refuse(
        folder,
        "a database of Kuzu or LadybugDB, which only its own engine reads",
        "run EXPORT DATABASE 'DIR' (format=\"csv\") in it, and name the tables with their texts",
    )
}

fn lance(folder: &Path, _: &mut Draft) -> Result<(), GraphError> {
    refuse(
        folder,
        "LanceDB tables alone, which hold vectors and not the graph",
        "name the folder that has the tables of the index beside them (GraphRAG: output/)",
    )
}

fn pickles(folder: &Path, _: &mut Draft) -> Result<(), GraphError> {
    refuse(
        folder,
        "a graph as a Python pickle, which is a program and is not run here",
        "name the folder with the tables or the OpenIE results it was made from, or write it as GraphML: networkx.write_graphml(G, FILE)",
    )
}

/// fast-graphrag.
pub static FAST_GRAPHRAG: System = System {
    title: "fast-graphrag",
    about: "graph_igraph_data.pklz: not read, says how to export it",
    finds: |folder| {
        folder
            .join("graph_igraph_data.pklz")
            .is_file()
            .then(|| "pickles".to_owned())
    },
    read: fast_graphrag,
};

/// Kuzu and LadybugDB, the databases of Cognee.
pub static KUZU: System = System {
    title: "Kuzu or LadybugDB",
    about: "catalog.kz, *.kuzu, *.lbug: not read, says how to export it",
    finds: |folder| {
        let known = |name: &str| {
            name == "catalog.kz" || [".kuzu", ".lbug"].iter().any(|end| name.ends_with(end))
        };
        has(folder, known).then(|| "a database".to_owned())
    },
    read: kuzu,
};

/// LanceDB without the tables of an index.
pub static LANCE: System = System {
    title: "LanceDB",
    about: "*.lance folders alone: not read, says which folder to name",
    finds: |folder| {
        has(folder, |name| name.ends_with(".lance")).then(|| "vectors alone".to_owned())
    },
    read: lance,
};

/// Graphs of HippoRAG, NodeRAG and others as pickles, without what they were made from.
pub static PICKLES: System = System {
    title: "a pickled graph",
    about: "graph.pickle, graph.pkl: not read, says what to name instead",
    finds: |folder| {
        let known = |name: &str| ["graph.pickle", "graph.pkl", "new_graph.pkl"].contains(&name);
        has(folder, known).then(|| "a pickle".to_owned())
    },
    read: pickles,
};

#[cfg(test)]
mod tests {
    use super::super::{find, read};

    #[test]
    fn each_says_what_to_do() {
        for (file, title, remedy) in [
            ("graph_igraph_data.pklz", "fast-graphrag", "save_graphml()"),
            ("catalog.kz", "Kuzu or LadybugDB", "EXPORT DATABASE"),
            ("entity_description.lance", "LanceDB", "output/"),
            ("graph.pickle", "a pickled graph", "write_graphml"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(file), "x").unwrap();
            std::fs::write(folder.path().join("notes.md"), "# Notes\n").unwrap();
            let found = find(folder.path()).unwrap();
            assert_eq!(found.system.title, title);
            let said = read(&found).unwrap_err().to_string();
            assert!(said.contains(remedy), "{said}");
        }
    }
}
