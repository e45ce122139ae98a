//! XML piece by piece, with the line of every piece: tags, text, and nothing that can grow without bound. A document type is
//! refused, so that no entity is ever defined; the five of XML itself and numbers are resolved.

use super::super::schema::GraphError;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Deepest nesting that is read.
const DEEPEST: usize = 512;
/// Longest piece of a file in a message, in characters.
const LONGEST: usize = 80;

/// Counts the lines that have been taken from a reader.
struct Lines<R> {
    inner: R,
    line: u64,
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(into)?;
        self.line += breaks(into.get(..read).unwrap_or(into));
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if amount == 0 {
            return;
        }
        if let Ok(held) = self.inner.fill_buf() {
            self.line += breaks(held.get(..amount).unwrap_or(held));
        }
        self.inner.consume(amount);
    }
}

/// Line breaks in bytes.
fn breaks(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// A piece of a file.
pub enum Piece<'a> {
    /// A tag begins. An empty one ends with the next piece.
    Open(Tag<'a>),
    /// A tag ends.
    Close,
    Text(Cow<'a, str>),
    /// One character that was written as a reference.
    Char(char),
    /// A comment, a declaration.
    Nothing,
    /// The file ends, with every tag closed.
    End,
}

/// A tag that begins.
pub struct Tag<'a> {
    start: BytesStart<'a>,
    path: &'a Path,
    /// Where it begins.
    pub line: u64,
}

impl Tag<'_> {
    /// Its name without a prefix.
    pub fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.start.local_name().into_inner())
    }

    /// The value of an attribute.
    ///
    /// # Errors
    /// Attributes that cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<String>, GraphError> {
        let mut attributes = self.start.attributes();
        for attribute in attributes.with_checks(false) {
            let attribute = attribute.map_err(|error| self.broken(&error.to_string()))?;
            if attribute.key.into_inner() == name.as_bytes() {
                let value = attribute.unescape_value();
                let value = value.map_err(|error| self.broken(&error.to_string()))?;
                return Ok(Some(value.into_owned()));
            }
        }
        Ok(None)
    }

    /// The value of an attribute that a tag of its name must have.
    ///
    /// # Errors
    /// There is none, or attributes that cannot be read.
    pub fn need(&self, name: &str) -> Result<String, GraphError> {
        self.get(name)?.ok_or_else(|| {
            let expected = format!("the attribute {name} of <{}>", short(&self.name()));
            GraphError::record(self.path, self.line, expected, "none")
        })
    }

    fn broken(&self, found: &str) -> GraphError {
        let expected = format!("the attributes of <{}>", short(&self.name()));
        GraphError::record(self.path, self.line, expected, short(found))
    }
}

/// The beginning of a text, for a message.
fn short(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// A file of XML that is being read.
pub struct Xml {
    path: PathBuf,
    reader: Reader<Lines<BufReader<File>>>,
    buffer: Vec<u8>,
    /// Names of the tags that are open, outermost first.
    open: Vec<String>,
    /// Name that the outermost tag must have.
    root: &'static str,
    begun: bool,
}

impl Xml {
    /// Opens a file whose outermost tag has the name `root`.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn open(path: &Path, root: &'static str) -> Result<Xml, GraphError> {
        let file = File::open(path).map_err(|error| GraphError::io(path, error))?;
        let mut reader = Reader::from_reader(Lines {
            inner: BufReader::with_capacity(1 << 16, file),
            line: 1,
        });
        reader.config_mut().expand_empty_elements = true;
        Ok(Xml {
            path: path.to_owned(),
            reader,
            buffer: Vec::new(),
            open: Vec::new(),
            root,
            begun: false,
        })
    }

    /// The next piece.
    ///
    /// # Errors
    /// A file that is cut, is not XML, has another outermost tag or a document type, or is nested too deeply.
    pub fn piece(&mut self) -> Result<Piece<'_>, GraphError> {
        self.buffer.clear();
        let (path, line) = (&*self.path, self.reader.get_ref().line);
        let event = self.reader.read_event_into(&mut self.buffer);
        match event.map_err(|error| failure(path, line, error))? {
            Event::Start(start) | Event::Empty(start) => {
                let tag = Tag { start, path, line };
                let name = tag.name().into_owned();
                if self.open.is_empty() && (self.begun || name != self.root) {
                    return Err(stranger(path, line, self.root, &name, self.begun));
                }
                if self.open.len() >= DEEPEST {
                    let expected = format!("at most {DEEPEST} tags within each other");
                    return Err(GraphError::record(path, line, expected, "more"));
                }
                self.begun = true;
                self.open.push(name);
                Ok(Piece::Open(tag))
            }
            Event::End(_) => {
                self.open.pop();
                Ok(Piece::Close)
            }
            Event::Text(text) => match text.xml10_content() {
                Ok(text) => Ok(Piece::Text(text)),
                Err(_) => Err(not_utf8(path, line)),
            },
            Event::CData(text) => match text.xml10_content() {
                Ok(text) => Ok(Piece::Text(text)),
                Err(_) => Err(not_utf8(path, line)),
            },
            Event::GeneralRef(reference) => resolve(path, line, &reference).map(Piece::Char),
            Event::DocType(_) => Err(GraphError::record(
                path,
                line,
                "XML without a document type, which can make a small file grow without bound",
                "<!DOCTYPE",
            )),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => Ok(Piece::Nothing),
            Event::Eof => match (self.open.last(), self.begun) {
                (None, true) => Ok(Piece::End),
                (None, false) => Err(GraphError::record(
                    path,
                    line,
                    format!("<{}>", self.root),
                    "the end of the file",
                )),
                (Some(name), _) => Err(GraphError::record(
                    path,
                    line,
                    format!("</{}>", short(name)),
                    "the end of the file: it is cut",
                )),
            },
        }
    }
}

/// The character that a reference stands for.
fn resolve(path: &Path, line: u64, reference: &BytesRef<'_>) -> Result<char, GraphError> {
    let name = String::from_utf8_lossy(reference);
    let known = match &*name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => reference.resolve_char_ref().ok().flatten(),
    };
    known.ok_or_else(|| {
        let expected = "a character or one of &lt; &gt; &amp; &quot; &apos;";
        GraphError::record(path, line, expected, format!("&{};", short(&name)))
    })
}

fn stranger(path: &Path, line: u64, root: &str, name: &str, begun: bool) -> GraphError {
    let expected = match begun {
        true => format!("nothing after </{root}>"),
        false => format!("<{root}>"),
    };
    GraphError::record(path, line, expected, format!("<{}>", short(name)))
}

fn not_utf8(path: &Path, line: u64) -> GraphError {
    GraphError::record(path, line, "text in UTF-8", "bytes that are not")
}

fn failure(path: &Path, line: u64, error: quick_xml::Error) -> GraphError {
    match error {
        quick_xml::Error::Io(source) => {
            GraphError::io(path, std::io::Error::new(source.kind(), source.to_string()))
        }
        quick_xml::Error::Syntax(error) => {
            let found = format!("{error}: the file is cut or damaged");
            GraphError::record(path, line, "XML", found)
        }
        error => GraphError::record(path, line, "XML", short(&error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Result<String, GraphError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut xml = Xml::open(file.path(), "a")?;
        let mut out = String::new();
        loop {
            match xml.piece()? {
                Piece::Open(tag) => {
                    out += &format!("<{}{}", tag.name(), tag.line);
                    out += &tag.get("x")?.unwrap_or_default();
                }
                Piece::Close => out.push('>'),
                Piece::Text(text) => out += &text,
                Piece::Char(char) => out.push(char),
                Piece::Nothing => {}
                Piece::End => return Ok(out),
            }
        }
    }

    fn fails(text: &[u8], with: &str) {
        let error = all(text).unwrap_err().to_string();
        assert!(error.contains(with), "{error}");
    }

    #[test]
    fn pieces_have_their_lines_and_references_their_characters() {
        let text = "<?xml version='1.0'?>\n<p:a xmlns:p='u'>\n<b x='1 &lt; &#x32;'/>&quot;&#65;<![CDATA[<c>]]><!-- - --></p:a>";
        assert_eq!(all(text.as_bytes()).unwrap(), "\n<a2\n<b31 < 2>\"A<c>>");
        assert_eq!(all("\u{feff}<a>é</a>".as_bytes()).unwrap(), "<a1é>");
    }

    #[test]
    fn what_is_cut_or_hostile_is_an_error_with_its_line() {
        fails(
            b"<a>\n\n<b>",
            ":3: expected </b>; found the end of the file",
        );
        fails(b"", "expected <a>; found the end of the file");
        fails(b"<a>\n<b x='1", ":2: expected XML");
        fails(b"<html/>", "expected <a>; found <html>");
        fails(b"<a/><a/>", "nothing after </a>");
        fails(b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE");
        fails(b"<a>&b;</a>", "found &b;");
        fails(b"<a>\xff</a>", "UTF-8");
        fails(b"<a></b>", "XML");
        fails(b"<a><b x=1 2=/></a>", "attributes of <b>");
        fails("<a>".repeat(1000).as_bytes(), "at most 512 tags");
    }
}
