//! Passages as resources: `hopscope://passage/ID`, with what is not a letter, a digit or one of `-._~` of the ID as `%XX`.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use crate::index::Index;

const PREFIX: &str = "hopscope://passage/";
/// Resources on one page of the list.
const PAGE: usize = 100;

/// The address of a passage.
pub fn uri(id: &str) -> String {
    let mut uri = PREFIX.to_owned();
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

/// The identifier that an address has; any other text as it is.
pub fn named(said: &str) -> String {
    let Some(escaped) = said.strip_prefix(PREFIX) else {
        return said.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = escaped.bytes();
    while let Some(byte) = rest.next() {
        let hex = |byte: u8| char::from(byte).to_digit(16);
        let mut ahead = rest.clone();
        let pair = (ahead.next().and_then(hex), ahead.next().and_then(hex));
        match (byte, pair) {
            (b'%', (Some(high), Some(low))) => {
                bytes.push((high * 16 + low) as u8);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_the_identifier() {
        for id in ["titan", "a b/c#1", "Ørsted %41", "%", "%zz", "100%"] {
            let uri = uri(id);
            assert!(uri.is_ascii() && !uri.contains([' ', '#']), "{uri}");
            assert_eq!(named(&uri), id);
        }
        assert_eq!(uri("a b"), "hopscope://passage/a%20b");
        assert_eq!(named("a%20b"), "a%20b");
    }
}
