//! GraphML as a stream: nodes and edges with their attributes by name, one at a time. Whoever needs the nodes before the edges
//! reads twice, so that nothing is held.
//!
//! Files of networkx (ids are names), igraph (ids `n0`, the name in an attribute), APOC (labels as attributes of the tag) and yEd
//! (labels as text within a drawing) are all read.

use super::super::schema::GraphError;
use super::xml::{Piece, Tag, Xml};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::rc::Rc;

/// What a graph is made of.
pub enum Item<'a> {
    Node(Node<'a>),
    Edge(Edge<'a>),
    /// An edge of more than two ends, which nothing here reads.
    Hyperedge,
}

/// A node.
pub struct Node<'a> {
    pub id: &'a str,
    pub data: Data<'a>,
}

/// An edge.
pub struct Edge<'a> {
    pub source: &'a str,
    pub target: &'a str,
    pub data: Data<'a>,
}

/// Attributes of a node or an edge.
#[derive(Clone, Copy)]
pub struct Data<'a> {
    own: &'a [(Rc<str>, String)],
    defaults: &'a FxHashMap<Rc<str>, String>,
}

impl<'a> Data<'a> {
    /// The value of an attribute: its own, else the default, else empty.
    pub fn get(&self, name: &str) -> &'a str {
        let own = self.own.iter().rev().find(|(known, _)| **known == *name);
        let value = own.map(|(_, value)| value);
        value
            .or_else(|| self.defaults.get(name))
            .map_or("", String::as_str)
    }
}

/// Gives every node and edge of a file, in the order of the file.
///
/// # Errors
/// A file that cannot be read, is cut, or is not GraphML, with the line; whatever `each` returns.
pub fn read(
    path: &Path,
    each: &mut dyn FnMut(Item<'_>) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let mut xml = Xml::open(path, "graphml")?;
    let mut parser = Parser::default();
    loop {
        match xml.piece()? {
            Piece::Open(tag) => parser.begin(&tag)?,
            Piece::Close => parser.end(each)?,
            Piece::Text(text) => parser.text(&text),
            Piece::Char(char) => parser.text(char.encode_utf8(&mut [0; 4])),
            Piece::Nothing => {}
            Piece::End => return Ok(()),
        }
    }
}

/// What a key is for.
#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Node,
    Edge,
    All,
    /// The graph as a whole: nothing here reads it.
    Else,
}

impl Scope {
    fn named(name: &str) -> Scope {
        match name {
            "node" => Scope::Node,
            "edge" => Scope::Edge,
            "all" | "" => Scope::All,
            _ => Scope::Else,
        }
    }
}

/// A key: what `<data key="d3">` means.
struct Key {
    name: Rc<str>,
    scope: Scope,
}

/// A tag that is open.
enum Open {
    Key(Key),
    /// The default of the key around it.
    Default(String),
    Node(Held),
    Edge(Held),
    Hyperedge,
    /// The value of an attribute.
    Data(Value),
    /// A tag within a value, as yEd draws; whether it is a label.
    Drawing(bool),
    Else,
}

/// A node or an edge while its attributes are read.
struct Held {
    /// The identifier, or the source.
    from: String,
    /// The target; empty for a node.
    to: String,
    data: Vec<(Rc<str>, String)>,
}

/// A value while it is read.
struct Value {
    name: Rc<str>,
    text: String,
    /// Text of labels within it.
    label: String,
}

#[derive(Default)]
struct Parser {
    keys: FxHashMap<String, Key>,
    node_defaults: FxHashMap<Rc<str>, String>,
    edge_defaults: FxHashMap<Rc<str>, String>,
    open: Vec<Open>,
    /// Place of the value in `open`, where one is being read.
    value: Option<usize>,
}

impl Parser {
    fn begin(&mut self, tag: &Tag<'_>) -> Result<(), GraphError> {
        let name = tag.name();
        if self.value.is_some() {
            self.open.push(Open::Drawing(name.ends_with("Label")));
            return Ok(());
        }
        let open = match &*name {
            "key" => Open::Key(self.key(tag)?),
            "default" => Open::Default(String::new()),
            "node" => Open::Node(held(tag, tag.need("id")?, String::new())?),
            "edge" => Open::Edge(held(tag, tag.need("source")?, tag.need("target")?)?),
            "hyperedge" => Open::Hyperedge,
            "data" => {
                self.value = Some(self.open.len());
                Open::Data(self.value(tag.need("key")?))
            }
            _ => Open::Else,
        };
        self.open.push(open);
        Ok(())
    }

    fn key(&mut self, tag: &Tag<'_>) -> Result<Key, GraphError> {
        let id = tag.need("id")?;
        let scope = Scope::named(&tag.get("for")?.unwrap_or_default());
        let name = match tag.get("attr.name")? {
            Some(name) => name,
            None if tag.get("yfiles.type")?.is_some() => "drawing".to_owned(),
            None => id.clone(),
        };
        let name: Rc<str> = Rc::from(name);
        let key = Key {
            name: Rc::clone(&name),
            scope,
        };
        self.keys.insert(id, key);
        Ok(Key { name, scope })
    }

    fn value(&self, key: String) -> Value {
        let name = match self.keys.get(&key) {
            Some(key) => Rc::clone(&key.name),
            None => Rc::from(key),
        };
        Value {
            name,
            text: String::new(),
            label: String::new(),
        }
    }

    fn text(&mut self, text: &str) {
        let labelled = match self.open.last() {
            Some(Open::Drawing(labelled)) => *labelled,
            Some(Open::Data(_) | Open::Default(_)) => false,
            _ => return,
        };
        let nested = matches!(self.open.last(), Some(Open::Drawing(_)));
        let place = self.value.unwrap_or(self.open.len().saturating_sub(1));
        match self.open.get_mut(place) {
            Some(Open::Data(value)) if labelled => value.label.push_str(text),
            Some(Open::Data(value)) if !nested => value.text.push_str(text),
            Some(Open::Default(value)) => value.push_str(text),
            _ => {}
        }
    }

    fn end(
        &mut self,
        each: &mut dyn FnMut(Item<'_>) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        match self.open.pop() {
            Some(Open::Data(value)) => self.keep(value),
            Some(Open::Default(value)) => self.keep_default(value),
            Some(Open::Node(held)) => {
                return each(Item::Node(Node {
                    id: &held.from,
                    data: Data {
                        own: &held.data,
                        defaults: &self.node_defaults,
                    },
                }));
            }
            Some(Open::Edge(held)) => {
                return each(Item::Edge(Edge {
                    source: &held.from,
                    target: &held.to,
                    data: Data {
                        own: &held.data,
                        defaults: &self.edge_defaults,
                    },
                }));
            }
            Some(Open::Hyperedge) => return each(Item::Hyperedge),
            _ => {}
        }
        Ok(())
    }

    fn keep(&mut self, value: Value) {
        self.value = None;
        if let Some(Open::Node(held) | Open::Edge(held)) = self.open.last_mut() {
            if !value.label.trim().is_empty() {
                let label = value.label.trim().to_owned();
                held.data.push((Rc::from("label"), label));
            }
            held.data.push((value.name, value.text));
        }
    }

    fn keep_default(&mut self, value: String) {
        let Some(Open::Key(key)) = self.open.last() else {
            return;
        };
        if matches!(key.scope, Scope::Node | Scope::All) {
            self.node_defaults
                .insert(Rc::clone(&key.name), value.clone());
        }
        if matches!(key.scope, Scope::Edge | Scope::All) {
            self.edge_defaults.insert(Rc::clone(&key.name), value);
        }
    }
}

/// A node or an edge, with what APOC writes on the tag itself.
fn held(tag: &Tag<'_>, from: String, to: String) -> Result<Held, GraphError> {
    let mut data = Vec::new();
    for name in ["labels", "label"] {
        if let Some(value) = tag.get(name)? {
            data.push((Rc::from(name), value));
        }
    }
    Ok(Held { from, to, data })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::damage;
    use super::*;
    use proptest::prelude::*;

    fn lines(bytes: &[u8], names: &[&str]) -> Result<Vec<String>, GraphError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        let mut out = Vec::new();
        read(file.path(), &mut |item| {
            let shown = |data: Data<'_>| -> Vec<String> {
                names.iter().map(|name| data.get(name).to_owned()).collect()
            };
            out.push(match item {
                Item::Node(node) => format!("{} {:?}", node.id, shown(node.data)),
                Item::Edge(edge) => {
                    format!("{}>{} {:?}", edge.source, edge.target, shown(edge.data))
                }
                Item::Hyperedge => "hyperedge".to_owned(),
            });
            Ok(())
        })?;
        Ok(out)
    }

    const NETWORKX: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d2" for="edge" attr.name="weight" attr.type="double"><default>0.5</default></key>
  <key id="d1" for="node" attr.name="source_id" attr.type="string" />
  <key id="d0" for="all" attr.name="kind"><default>thing</default></key>
  <graph edgedefault="undirected"><data key="d1">of the graph</data>
    <node id="&quot;A &amp; B&quot;"><data key="d1">c1&lt;SEP&gt;c2&#33;</data></node>
    <node id="C"><data key="d0"><![CDATA[<place>]]></data></node>
    <edge source="&quot;A &amp; B&quot;" target="C"><data key="d2">2.0</data></edge>
    <edge source="C" target="C" />
    <hyperedge><endpoint node="C"/><data key="d0">x</data></hyperedge>
  </graph>
</graphml>"#;

    #[test]
    fn networkx_has_keys_defaults_and_references() {
        let lines = lines(NETWORKX.as_bytes(), &["source_id", "kind", "weight"]).unwrap();
        assert_eq!(
            lines,
            [
                r#""A & B" ["c1<SEP>c2!", "thing", ""]"#,
                r#"C ["", "<place>", ""]"#,
                r#""A & B">C ["", "thing", "2.0"]"#,
                r#"C>C ["", "thing", "0.5"]"#,
                "hyperedge",
            ]
        );
    }

    #[test]
    fn other_flavours_are_read() {
        let igraph = r#"<g:graphml xmlns:g="u"><g:key id="v_name" for="node" attr.name="name"/><g:graph>
            <g:node id="n0"><g:data key="v_name">passage-1</g:data></g:node></g:graph></g:graphml>"#;
        let apoc = r#"<graphml><graph><node id="n1" labels=":Person"><data key="labels">:Person</data>
            <data key="name">Ada</data></node><edge id="e0" source="n1" target="n1" label="KNOWS"/></graph></graphml>"#;
        let yed = r#"<graphml><key for="node" id="d6" yfiles.type="nodegraphics"/><graph><node id="n0"><graph>
            <node id="n0::n1"><data key="d6"><y:ShapeNode xmlns:y="u"><y:NodeLabel>Ada<y:LabelModel>m</y:LabelModel></y:NodeLabel>
            </y:ShapeNode></data></node></graph><data key="d6">own</data></node></graph></graphml>"#;
        let seen = |text: &str, name: &str| lines(text.as_bytes(), &[name]).unwrap();
        assert_eq!(seen(igraph, "name"), [r#"n0 ["passage-1"]"#]);
        assert_eq!(seen(apoc, "labels"), [r#"n1 [":Person"]"#, r#"n1>n1 [""]"#]);
        assert_eq!(seen(apoc, "name"), [r#"n1 ["Ada"]"#, r#"n1>n1 [""]"#]);
        assert_eq!(seen(apoc, "label"), [r#"n1 [""]"#, r#"n1>n1 ["KNOWS"]"#]);
        let nested = seen(yed, "label");
        assert!(nested[0].starts_with(r#"n0::n1 ["Ada"#), "{nested:?}");
        assert_eq!(nested[1], r#"n0 [""]"#);
    }

    #[test]
    fn what_is_missing_is_an_error_with_its_line() {
        let error = |text: &str| lines(text.as_bytes(), &[]).unwrap_err().to_string();
        assert!(error("<graphml>\n<node/></graphml>").contains(":2: expected the attribute id"));
        assert!(error("<graphml><edge source='a'/></graphml>").contains("target of <edge>"));
        assert!(error("<gexf/>").contains("expected <graphml>; found <gexf>"));
        let cut = &NETWORKX[..NETWORKX.len() - 30];
        assert!(error(cut).contains("the file is cut or damaged"));
        let cut = NETWORKX.rsplit_once("</graph>").unwrap().0;
        assert!(error(cut).contains("expected </graph>; found the end of the file"));
    }

    #[test]
    fn many_defaults_are_not_copied_into_many_nodes() {
        let mut text = String::from("<graphml>");
        for at in 0..20_000 {
            text += &format!(
                "<key id='k{at}' for='node' attr.name='k{at}'><default>{at}</default></key>"
            );
        }
        for at in 0..20_000 {
            text += &format!("<node id='{at}'/>");
        }
        text += "</graphml>";
        assert_eq!(lines(text.as_bytes(), &["k7"]).unwrap().len(), 20_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn damage_never_panics(damage in damage()) {
            let _ = lines(&damage.of(NETWORKX.as_bytes()), &["kind"]);
        }
    }
}
