//! XML with one tag a line.

use super::Field;
use crate::text::escape_xml;

/// Attributes of a tag.
pub type Attributes<'a> = &'a [(&'a str, &'a str)];

/// A document while it is written.
pub struct Xml {
    text: String,
    open: Vec<&'static str>,
}

impl Xml {
    pub fn new() -> Xml {
        Xml {
            text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(),
            open: Vec::new(),
        }
    }

    /// Opens a tag.
    pub fn open(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.tag(name, attributes);
        self.text += ">\n";
        self.open.push(name);
    }

    /// Closes the tag that was opened last.
    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.text += &format!("</{name}>\n");
        }
    }

    /// A tag with nothing in it.
    pub fn empty(&mut self, name: &str, attributes: Attributes<'_>) {
        self.tag(name, attributes);
        self.text += "/>\n";
    }

    /// A tag with a text in it.
    pub fn text(&mut self, name: &str, attributes: Attributes<'_>, text: &str) {
        self.tag(name, attributes);
        self.text += &format!(">{}</{name}>\n", escape_xml(text));
    }

    /// Closes what is open and gives the document.
    pub fn done(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn indent(&mut self) {
        self.text.extend(self.open.iter().map(|_| ' '));
    }

    fn tag(&mut self, name: &str, attributes: Attributes<'_>) {
        self.indent();
        self.text += &format!("<{name}");
        for (name, value) in attributes {
            self.text += &format!(" {name}=\"{}\"", escape_xml(value));
        }
    }
}

/// The type of a field; `whole` is what the format calls whole numbers.
pub fn type_of(field: &Field<'_>, whole: &'static str) -> &'static str {
    match field {
        Field::Text(_) => "string",
        Field::Number(_) => "double",
        Field::Count(_) => whole,
        Field::Flag(_) => "boolean",
    }
}
