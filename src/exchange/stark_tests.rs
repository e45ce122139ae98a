use super::*;
use crate::exchange::schema::FieldKind;
use proptest::prelude::*;

/// A folder of three objects in STaRK's layout, written by Python's pickle in the form torch.save gives tensors.
fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stark")
}

#[test]
fn a_folder_in_starks_layout() {
    let graph = read(&sample()).unwrap();
    let kinds: Vec<(&str, u64, bool)> = graph
        .schema
        .types
        .iter()
        .map(|t| (t.name.as_str(), t.count, t.answerable))
        .collect();
    assert_eq!(
        kinds,
        [
            ("disease", 1, true),
            ("gene/protein", 1, true),
            ("drug", 1, true)
        ]
    );
    let names: Vec<(&str, &str)> = graph
        .objects
        .iter()
        .map(|o| (o.id.as_str(), o.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [("0", "Rare fever"), ("1", "ABC1"), ("2", "Feverless")]
    );
    let fields: Vec<&str> = graph.objects[0]
        .fields
        .iter()
        .map(|(n, _)| n.as_str())
        .collect();
    assert_eq!(
        fields,
        ["source", "mondo_definition"],
        "no identifiers, no scores, no missing values"
    );
    assert_eq!(
        graph.schema.types[0]
            .field("mondo_definition")
            .unwrap()
            .kind,
        FieldKind::Long
    );
    let gene: Vec<(&str, &str)> = graph.objects[1]
        .fields
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    assert_eq!(
        gene,
        [
            ("source", "Y"),
            ("alias", "a; b"),
            ("also", "a; b"),
            ("weight", "2.5")
        ]
    );
    let edges: Vec<(u32, u32, &str)> = graph
        .edges
        .iter()
        .map(|(a, b, e)| (*a, *b, graph.schema.edges[*e as usize].name.as_str()))
        .collect();
    assert_eq!(
        edges,
        [
            (0, 1, "associated with"),
            (0, 2, "indication"),
            (1, 0, "associated with"),
            (2, 0, "indication")
        ]
    );
    assert_eq!(
        graph.schema.edges.len(),
        4,
        "one entry for each pair of ends"
    );
    assert_eq!(crate::exchange::table::beside(&sample()), Some(sample()));
}

fn copy(to: &Path) {
    fs::create_dir_all(to.join("processed")).unwrap();
    for file in fs::read_dir(sample().join("processed")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join("processed").join(file.file_name())).unwrap();
    }
}

#[test]
fn what_is_missing_or_damaged_is_named() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    let path = |name: &str| folder.path().join("processed").join(name);
    fs::write(path("edge_types.pt"), "PK").unwrap();
    assert!(
        read(folder.path())
            .unwrap_err()
            .to_string()
            .contains("edge_types.pt: expected a tensor of torch.save")
    );
    fs::copy(path("node_types.pt"), path("edge_types.pt")).unwrap();
    assert!(
        read(folder.path())
            .unwrap_err()
            .to_string()
            .contains("edge_index.pt: expected the shape [2, 3]; found [2, 4]")
    );
    fs::remove_file(path("edge_types.pt")).unwrap();
    assert!(
        read(folder.path())
            .unwrap_err()
            .to_string()
            .contains("edge_types.pt")
    );
    // A list, and a dictionary of numbers.
    for rubbish in ["].", "(dI0\nI1\ns."] {
        fs::write(path("edge_type_dict.pkl"), rubbish).unwrap();
        let said = read(folder.path()).unwrap_err().to_string();
        let named = said.contains("edge_type_dict.pkl: expected a dictionary of names by number");
        assert!(named, "{said}");
    }
    fs::remove_file(path("edge_type_dict.pkl")).unwrap();
    fs::write(path("node_info.pkl"), "].").unwrap();
    assert!(
        read(folder.path())
            .unwrap_err()
            .to_string()
            .contains("node_info.pkl: expected a dictionary of objects")
    );
}

#[test]
fn names_of_types_may_come_from_the_objects_and_of_edges_from_mag() {
    let folder = tempfile::tempdir().unwrap();
    copy(folder.path());
    let path = |name: &str| folder.path().join("processed").join(name);
    fs::remove_file(path("node_type_dict.pkl")).unwrap();
    fs::remove_file(path("edge_type_dict.pkl")).unwrap();
    let graph = read(folder.path()).unwrap();
    assert_eq!(graph.schema.types[1].name, "gene/protein");
    assert_eq!(graph.schema.edges[0].name, "edge 0");
    // {0: {'type': 'author', 'DisplayName': 'A', 'PaperCount': 2}, 1: paper, 2: paper with a title}
    let mag = b"(dI0\n(dS'type'\nS'author'\nsS'DisplayName'\nS'A'\nsS'PaperCount'\nI2\nssI1\n(dS'type'\nS'paper'\nssI2\n(dS'type'\nS'paper'\nsS'title'\nS'T'\nss.";
    fs::write(path("node_info.pkl"), mag).unwrap();
    let graph = read(folder.path()).unwrap();
    let names: Vec<&str> = graph.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["A", "paper 1", "T"]);
    assert_eq!(graph.schema.edges[0].name, "affiliated_with");
    assert!(graph.schema.types[0].person);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn no_damaged_tensor_panics(at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<prop::sample::Index>()) {
        let whole = fs::read(sample().join("processed/edge_index.pt")).unwrap();
        let mut bytes = whole.clone();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = torch::read(&bytes);
        let _ = torch::read(&whole[..cut.index(whole.len())]);
    }
}

#[test]
fn tensors_are_read_by_their_strides() {
    let bytes = fs::read(sample().join("processed/edge_index.pt")).unwrap();
    let tensor = torch::read(&bytes).unwrap();
    assert_eq!(tensor.shape, [2, 4]);
    assert_eq!(tensor.values, [0, 1, 2, 0, 1, 0, 0, 2]);
}
