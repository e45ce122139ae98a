//! What a person changes about a graph to see what it would do: names joined, edges cut, added and weighed, names muted
//! and kept. The index stays as it is; the changes are a patch over it.
//!
//! A name is given by its normal form or any spelling of it and a passage by `#` and its identifier, as in changes of
//! seeds, so that a patch means the same on another graph. First names are joined and edges cut and added, in their order;
//! weights, muted and kept names are those of what that leaves.

#![warn(missing_docs)]

use serde::{Serialize, Serializer};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// One change of a graph.
///
/// ```
/// # use hopscope::*; use std::sync::Arc;
/// # fn main() -> anyhow::Result<()> {
/// # let index = Arc::new(hopscope::index::sample::index()?);
/// # let method = |name: &str| Method::by_name(name).map_err(anyhow::Error::msg);
/// let mut settings = Settings::of(&index, method("graph")?);
/// settings.edit_graph("mute uranus".parse().map_err(anyhow::Error::msg)?);
/// assert_eq!(settings.graph_edits().len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(from = "String", into = "String")
)]
pub enum GraphEdit {
    /// A name is another from now on: its mentions, its titles, and itself in questions.
    Join {
        /// The name that is given up.
        name: String,
        /// What it is from now on.
        into: String,
    },
    /// A passage mentions a name no longer.
    Cut(NameEdge),
    /// A passage mentions a name once more, at no place of its text, where it did not.
    Add(NameEdge),
    /// The weight of an edge times a factor above 0.
    Weigh(NameEdge, f64),
    /// A name takes no part, whatever is asked.
    Mute(String),
    /// A name takes part though the settings leave it out.
    Keep(String),
}

/// A name and a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameEdge {
    /// The name.
    pub name: String,
    /// The identifier of the passage, without `#`.
    pub passage: String,
}

/// The largest factor.
const MOST: f64 = 1000.0;

/// What there is to write.
const FORMS: &str = "join NAME | NAME, cut NAME | #ID, add NAME | #ID, weigh NAME | #ID * FACTOR, mute NAME or keep NAME";

impl GraphEdit {
    /// Whether a newer edit takes the place of this one: both decide the same thing of the same name or edge.
    pub fn replaced_by(&self, newer: &GraphEdit) -> bool {
        use GraphEdit::{Join, Keep, Mute, Weigh};
        match (self, newer) {
            (Join { name: a, .. }, Join { name: b, .. }) => a == b,
            (Weigh(a, _), Weigh(b, _)) => a == b,
            (Mute(a) | Keep(a), Mute(b) | Keep(b)) => a == b,
            _ => self == newer,
        }
    }

    /// Whether an edit after this one takes it back: an edge that is cut and added, or added and cut.
    pub fn taken_back_by(&self, newer: &GraphEdit) -> bool {
        use GraphEdit::{Add, Cut};
        match (self, newer) {
            (Cut(a), Add(b)) | (Add(a), Cut(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Display for NameEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | #{}", self.name, self.passage)
    }
}

/// As in a patch and after `--edit`.
impl fmt::Display for GraphEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphEdit::Join { name, into } => write!(f, "join {name} | {into}"),
            GraphEdit::Cut(edge) => write!(f, "cut {edge}"),
            GraphEdit::Add(edge) => write!(f, "add {edge}"),
            GraphEdit::Weigh(edge, factor) => write!(f, "weigh {edge} * {factor}"),
            GraphEdit::Mute(name) => write!(f, "mute {name}"),
            GraphEdit::Keep(name) => write!(f, "keep {name}"),
        }
    }
}

impl FromStr for GraphEdit {
    type Err = String;

    fn from_str(text: &str) -> Result<GraphEdit, String> {
        read(text.trim()).ok_or_else(|| format!("expected {FORMS}, found '{text}'"))
    }
}

fn read(text: &str) -> Option<GraphEdit> {
    let (verb, rest) = text.split_once(char::is_whitespace)?;
    let name = filled(rest);
    match verb {
        "join" => {
            let (name, into) = rest.split_once('|')?;
            let (name, into) = (filled(name)?, filled(into)?);
            Some(GraphEdit::Join { name, into })
        }
        "cut" => edge(rest).map(GraphEdit::Cut),
        "add" => edge(rest).map(GraphEdit::Add),
        "weigh" => {
            let (rest, factor) = rest.rsplit_once('*')?;
            let factor: f64 = factor.trim().parse().ok()?;
            // An edge of weight 0 is none: that is a cut.
            let fits = factor > 0.0 && factor <= MOST;
            Some(GraphEdit::Weigh(edge(rest).filter(|_| fits)?, factor))
        }
        "mute" => name.map(GraphEdit::Mute),
        "keep" => name.map(GraphEdit::Keep),
        _ => None,
    }
}

fn filled(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// `NAME | #ID`; what follows the first `#` after a bar is the identifier, whatever is in it.
fn edge(text: &str) -> Option<NameEdge> {
    let bars = text.match_indices('|');
    let mut parts = bars.map(|(at, bar)| (text.get(..at), text.get(at + bar.len()..)));
    parts.find_map(|(name, passage)| {
        let passage = passage?.trim().strip_prefix('#')?;
        Some(NameEdge {
            name: filled(name?)?,
            passage: filled(passage)?,
        })
    })
}

impl Serialize for GraphEdit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An edit and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GraphEdited {
    /// What a person asked for.
    pub edit: GraphEdit,
    /// Why it changes nothing; none where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
}

/// How a line of a patch begins that is no edit.
const COMMENT: &str = "//";

/// The edits of a patch: one a line, in order; empty lines and lines that begin with `//` are left out.
///
/// # Errors
/// The line, from 1, and what it should have been.
pub fn patch(text: &str) -> Result<Vec<GraphEdit>, (usize, String)> {
    let lines = text.lines().map(str::trim).enumerate();
    let told = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with(COMMENT));
    let edits = told.map(|(at, line)| line.parse().map_err(|said| (at + 1, said)));
    edits.collect()
}

/// The edits of a patch file.
///
/// # Errors
/// A file that cannot be read; the file and line of what is no edit, and what it should have been.
pub fn read_patch(path: &Path) -> Result<Vec<GraphEdit>, String> {
    let text = crate::mapped::given_text(path);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    patch(&text).map_err(|(line, said)| {
        format!("{}:{line}: {said}; comments begin with //", path.display())
    })
}

/// A patch as it is written to a file.
pub fn written(edits: &[GraphEdit]) -> String {
    edits.iter().map(|edit| format!("{edit}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edge_of(name: &str, passage: &str) -> NameEdge {
        NameEdge {
            name: name.into(),
            passage: passage.into(),
        }
    }

    #[test]
    fn edits_are_read_with_any_spaces_and_identifiers_may_hold_anything() {
        for (text, edit) in [
            (
                "join Nixon|Richard Nixon",
                GraphEdit::Join {
                    name: "Nixon".into(),
                    into: "Richard Nixon".into(),
                },
            ),
            (
                "cut  Titan |#a | #b",
                GraphEdit::Cut(edge_of("Titan", "a | #b")),
            ),
            ("add a|b | #7 * 2", GraphEdit::Add(edge_of("a|b", "7 * 2"))),
            (
                "weigh Titan | #a * b * 0.5",
                GraphEdit::Weigh(edge_of("Titan", "a * b"), 0.5),
            ),
            ("mute join us", GraphEdit::Mute("join us".into())),
            ("\tkeep Rome ", GraphEdit::Keep("Rome".into())),
        ] {
            assert_eq!(text.parse(), Ok(edit), "{text}");
        }
        for text in [
            "",
            "join",
            "join Nixon",
            "join Nixon |",
            "cut Titan",
            "cut Titan | a",
            "cut | #a",
            "add Titan | #",
            "weigh Titan | #a",
            "weigh Titan | #a * 0",
            "weigh Titan | #a * -1",
            "weigh Titan | #a * NaN",
            "weigh Titan | #a * 1001",
            "mute",
            "mute  ",
            "Mute Titan",
            "drop Titan",
        ] {
            let said = text.parse::<GraphEdit>().unwrap_err();
            assert!(said.contains("mute NAME"), "{said}");
        }
    }

    #[test]
    fn a_patch_is_read_line_by_line_and_says_which_is_none() {
        let edits = patch("// names\n\nmute Rome\r\n  // more\nkeep Ostia\n").unwrap();
        assert_eq!(written(&edits), "mute Rome\nkeep Ostia\n");
        assert_eq!(patch(&written(&edits)), Ok(edits));
        let (line, said) = patch("mute Rome\n\n# none\n").unwrap_err();
        assert!(line == 3 && said.contains("found '# none'"), "{said}");
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("one.patch");
        assert!(read_patch(&path).unwrap_err().contains("one.patch: "));
        std::fs::write(&path, "mute Rome\nforget Rome\n").unwrap();
        let said = read_patch(&path).unwrap_err();
        assert!(
            said.contains("one.patch:2: expected join NAME | NAME"),
            "{said}"
        );
    }

    fn name() -> impl Strategy<Value = String> {
        "[^|\\s#]([^|\n\r]{0,8}[^|\\s])?".prop_filter("trims to itself", |name| name.trim() == name)
    }

    fn any_edge() -> impl Strategy<Value = NameEdge> {
        let passage = "[^\\s*]([^\n\r]{0,8}[^\\s])?";
        let passage = passage.prop_filter("trims to itself", |passage| passage.trim() == passage);
        (name(), passage).prop_map(|(name, passage)| NameEdge { name, passage })
    }

    fn any_edit() -> impl Strategy<Value = GraphEdit> {
        prop_oneof![
            (name(), name()).prop_map(|(name, into)| GraphEdit::Join { name, into }),
            any_edge().prop_map(GraphEdit::Cut),
            any_edge().prop_map(GraphEdit::Add),
            (any_edge(), 1e-3..MOST).prop_map(|(edge, factor)| GraphEdit::Weigh(edge, factor)),
            name().prop_map(GraphEdit::Mute),
            name().prop_map(GraphEdit::Keep),
        ]
    }

    proptest! {
        #[test]
        fn edits_are_read_as_they_are_written(edits in prop::collection::vec(any_edit(), 0..5)) {
            for edit in &edits {
                prop_assert_eq!(&edit.to_string().parse::<GraphEdit>().unwrap(), edit);
            }
            prop_assert_eq!(patch(&written(&edits)), Ok(edits));
        }
    }
}
