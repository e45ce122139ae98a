//! GEXF, the files of Gephi, as a stream: nodes and edges with their attributes by title.

use super::super::schema::GraphError;
use super::plain::Properties;
use super::xml::{Piece, Tag, Xml};
use rustc_hash::FxHashMap;
use std::path::Path;

/// Attributes of a node or an edge, with the defaults of the file.
pub struct Attributes<'a> {
    own: &'a [(String, String)],
    defaults: &'a FxHashMap<String, String>,
}

impl Properties for Attributes<'_> {
    fn text(&self, name: &str) -> String {
        let own = self.own.iter().rev().find(|(known, _)| known == name);
        let value = own.map(|(_, value)| value);
        let value = value.or_else(|| self.defaults.get(name));
        value.cloned().unwrap_or_default()
    }
}

/// What a graph is made of.
pub enum Item<'a> {
    Node(&'a str, Attributes<'a>),
    /// Its source, its target.
    Edge(&'a str, &'a str, Attributes<'a>),
}

/// Gives every node and edge of a file, in the order of the file.
///
/// # Errors
/// A file that cannot be read, is cut, or is not GEXF, with the line.
pub fn read(path: &Path, each: &mut dyn FnMut(Item<'_>)) -> Result<(), GraphError> {
    let mut xml = Xml::open(path, "gexf")?;
    let mut parser = Parser::default();
    loop {
        match xml.piece()? {
            Piece::Open(tag) => parser.begin(&tag)?,
            Piece::Close => parser.end(each),
            Piece::Text(text) => parser.text(&text),
            Piece::Char(char) => parser.text(char.encode_utf8(&mut [0; 4])),
            Piece::Nothing => {}
            Piece::End => return Ok(()),
        }
    }
}

/// Titles and defaults of the attributes of one class.
#[derive(Default)]
struct Class {
    titles: FxHashMap<String, String>,
    defaults: FxHashMap<String, String>,
}

/// A tag that is open.
enum Open {
    /// One attribute, by its title.
    Attribute(String),
    /// The default of the attribute around it.
    Default(String),
    Node(String, Vec<(String, String)>),
    Edge([String; 2], Vec<(String, String)>),
    Else,
}

#[derive(Default)]
struct Parser {
    nodes: Class,
    edges: Class,
    /// Whether the attributes that are declared are those of edges.
    of_edges: bool,
    open: Vec<Open>,
}

impl Parser {
    fn begin(&mut self, tag: &Tag<'_>) -> Result<(), GraphError> {
        let open = match &*tag.name() {
            "attributes" => {
                self.of_edges = tag.get("class")?.as_deref() == Some("edge");
                Open::Else
            }
            "attribute" => {
                let id = tag.need("id")?;
                let title = tag.get("title")?.unwrap_or_else(|| id.clone());
                self.class().titles.insert(id, title.clone());
                Open::Attribute(title)
            }
            "default" => Open::Default(String::new()),
            "node" => Open::Node(tag.need("id")?, own(tag, &["label"])?),
            "edge" => {
                let ends = [tag.need("source")?, tag.need("target")?];
                Open::Edge(ends, own(tag, &["label", "weight", "kind"])?)
            }
            "attvalue" => {
                self.value(tag)?;
                Open::Else
            }
            _ => Open::Else,
        };
        self.open.push(open);
        Ok(())
    }

    fn class(&mut self) -> &mut Class {
        match self.of_edges {
            true => &mut self.edges,
            false => &mut self.nodes,
        }
    }

    /// Keeps a value for the node or the edge around it: `<node><attvalues><attvalue>`.
    fn value(&mut self, tag: &Tag<'_>) -> Result<(), GraphError> {
        let key = match tag.get("for")? {
            Some(key) => key,
            None => tag.need("id")?,
        };
        let value = tag.get("value")?.unwrap_or_default();
        let around = self.open.iter_mut().rev().nth(1);
        let (titles, data) = match around {
            Some(Open::Node(_, data)) => (&self.nodes.titles, data),
            Some(Open::Edge(_, data)) => (&self.edges.titles, data),
            _ => return Ok(()),
        };
        let title = titles.get(&key).cloned().unwrap_or(key);
        data.push((title, value));
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(Open::Default(value)) = self.open.last_mut() {
            value.push_str(text);
        }
    }

    fn end(&mut self, each: &mut dyn FnMut(Item<'_>)) {
        match self.open.pop() {
            Some(Open::Default(value)) => {
                if let Some(Open::Attribute(title)) = self.open.last() {
                    let title = title.clone();
                    self.class().defaults.insert(title, value);
                }
            }
            Some(Open::Node(id, own)) => {
                let defaults = &self.nodes.defaults;
                let own = &own;
                each(Item::Node(&id, Attributes { own, defaults }));
            }
            Some(Open::Edge([source, target], own)) => {
                let defaults = &self.edges.defaults;
                let own = &own;
                each(Item::Edge(&source, &target, Attributes { own, defaults }));
            }
            _ => {}
        }
    }
}

/// What is written on a tag itself.
fn own(tag: &Tag<'_>, names: &[&str]) -> Result<Vec<(String, String)>, GraphError> {
    let mut own = Vec::new();
    for name in names {
        if let Some(value) = tag.get(name)? {
            own.push(((*name).to_owned(), value));
        }
    }
    Ok(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_edges_have_attributes_by_title() {
        let text = r#"<gexf xmlns="http://gexf.net/1.3" version="1.3"><meta><creator>x</creator></meta><graph>
            <attributes class="node"><attribute id="0" title="kind" type="string"><default>thing</default></attribute></attributes>
            <attributes class="edge"><attribute id="0" title="fact"/></attributes>
            <nodes><node id="a" label="A &amp; B"><attvalues><attvalue for="0" value="person"/></attvalues></node><node id="b"/></nodes>
            <edges><edge source="a" target="b" weight="2.5"><attvalues><attvalue for="0" value="met"/></attvalues></edge></edges>
            </graph></gexf>"#;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut seen = Vec::new();
        read(file.path(), &mut |item| {
            seen.push(match item {
                Item::Node(id, data) => {
                    format!("{id} {} {}", data.text("label"), data.text("kind"))
                }
                Item::Edge(from, to, data) => {
                    format!("{from}>{to} {} {}", data.text("weight"), data.text("fact"))
                }
            });
        })
        .unwrap();
        assert_eq!(seen, ["a A & B person", "b  thing", "a>b 2.5 met"]);
        std::fs::write(file.path(), "<gexf>\n<node/></gexf>").unwrap();
        let error = read(file.path(), &mut |_| {}).unwrap_err().to_string();
        assert!(error.contains(":2: expected the attribute id"), "{error}");
    }
}
