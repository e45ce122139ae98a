//! Links between sources: a file beside the corpus, two passages a line (SAGE, structural edges).

use crate::index::Passages;
use std::path::Path;

/// What a links file gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// Pairs of passages, as written.
    pub pairs: Vec<(u32, u32)>,
    /// Lines that name an identifier which the index does not have.
    pub unknown: usize,
}

/// Reads `from TAB to` lines; further columns are left alone. `source` finds the passage of a name that is no passage
/// (a document that was cut into several), by its first one.
///
/// # Errors
/// What cannot be read, and the line that has no two columns.
pub fn read(
    path: &Path,
    passages: &Passages,
    source: impl Fn(&str) -> Option<u32>,
) -> Result<Links, String> {
    let said = |said: String| format!("{}: {said}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| {
        said(format!(
            "{e}; name a readable file of links, two identifiers a line"
        ))
    })?;
    let mut links = Links::default();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start_matches('\u{feff}');
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let mut columns = line.split('\t').map(str::trim);
        let (Some(from), Some(to)) = (columns.next(), columns.next().filter(|to| !to.is_empty()))
        else {
            return Err(said(format!(
                "line {number} has no two columns; write the identifiers of two passages with a tab between them"
            )));
        };
        let find = |id: &str| passages.find(id).or_else(|| source(id));
        match (find(from), find(to)) {
            (Some(from), Some(to)) => links.pairs.push((from, to)),
            _ => links.unknown += 1,
        }
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Passage;

    #[test]
    fn lines_of_two_names() {
        let named = |id: &str| Passage {
            id: id.into(),
            ..Passage::default()
        };
        let passages = Passages::new(&[named("T:a"), named("P:b"), named("book.txt#1")]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("links.tsv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            super::read(&path, &passages, |id| (id == "book.txt").then_some(2))
        };
        let found =
            read("\u{feff}T:a\tP:b\tseen\r\n# comment\n\nP:b\tbook.txt\nT:a\tP:none\n").unwrap();
        assert_eq!(
            found,
            Links {
                pairs: vec![(0, 1), (1, 2)],
                unknown: 1
            }
        );
        let said = read("T:a\tP:b\nT:a P:b\n").unwrap_err();
        assert!(
            said.contains("links.tsv: line 2 has no two columns; write"),
            "{said}"
        );
        let said = super::read(&folder.path().join("none"), &passages, |_| None).unwrap_err();
        assert!(said.contains("none: "), "{said}");
    }
}
