//! Passages as resources.

use crate::cli::calls::address::{PREFIX, uri};
use crate::index::Index;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

/// Resources on one page of the list.
const PAGE: usize = 100;

pub fn template() -> ResourceTemplate {
    ResourceTemplate::new(format!("{PREFIX}{{id}}"), "passage")
        .with_title("Passage")
        .with_description("The title and the whole text of a passage of the corpus, by its id.")
        .with_mime_type("text/plain")
}

/// The title and the text of a passage.
pub fn contents(index: &Index, passage: u32) -> ResourceContents {
    let (title, text) = (index.title(passage), index.text(passage));
    let whole = match title {
        "" => text.to_owned(),
        title => format!("{title}\n\n{text}"),
    };
    ResourceContents::text(whole, uri(index.id(passage)))
}

/// A page of the list, from a passage on, and where the next page begins; none after the last.
pub fn page(index: &Index, from: usize) -> (Vec<Resource>, Option<usize>) {
    let end = from.saturating_add(PAGE).min(index.len());
    let resource = |passage: usize| {
        let passage = passage as u32;
        let named = Resource::new(uri(index.id(passage)), index.id(passage));
        let named = named.with_mime_type("text/plain");
        match index.title(passage) {
            "" => named,
            title => named.with_title(title),
        }
    };
    let resources = (from.min(end)..end).map(resource).collect();
    (resources, (end < index.len()).then_some(end))
}
