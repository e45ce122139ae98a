//! JSON record by record: a large file is never held as a whole, and neither are the vectors in it.

use super::super::schema::GraphError;
use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Longest message of the JSON reader that is passed on, in characters.
const LONGEST: usize = 160;
/// How much of a file its beginning is, in bytes.
const BEGINNING: u64 = 1 << 16;
/// Longest first record whose keys are looked at.
const FIRST: u64 = 1 << 24;
/// Most entries of a folder that are looked at.
const MOST_ENTRIES: usize = 1000;

/// Takes a record with its key, which is empty in a list.
pub type Each<'f, T> = &'f mut dyn FnMut(&str, T) -> Result<(), GraphError>;

/// The beginning of a file as text; empty where it cannot be read.
pub fn beginning(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        let _ = file.take(BEGINNING).read_to_end(&mut bytes);
    }
    let text = String::from_utf8_lossy(&bytes);
    text.trim_start_matches('\u{feff}').trim_start().to_owned()
}

/// The beginning of a file without white space; a list without its bracket.
pub fn compact(path: &Path) -> String {
    let mut text = beginning(path);
    text.retain(|char| !char.is_whitespace());
    match text.strip_prefix('[') {
        Some(inner) => inner.to_owned(),
        None => text,
    }
}

/// The keys of the first record of a file of JSON lines; none where there is none.
pub fn keys(path: &Path) -> Vec<String> {
    let Ok(file) = open(path) else {
        return Vec::new();
    };
    let mut records = serde_json::Deserializer::from_reader(file.take(FIRST)).into_iter::<Record>();
    let first = records.next().and_then(Result::ok).unwrap_or_default();
    first.0.into_iter().map(|(name, _)| name).collect()
}

/// Files of a folder with one of some endings, in order of their names, among the first entries of a large folder. A link is
/// not followed.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    listed(folder, endings, MOST_ENTRIES)
}

/// As [`files`], among all entries: for a folder that has a file for every record.
pub fn all_files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    listed(folder, endings, usize::MAX)
}

fn listed(folder: &Path, endings: &[&str], most: usize) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let entries = entries.flatten().take(most);
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut files: Vec<PathBuf> = files
        .map(|entry| entry.path())
        .filter(|path| {
            let ending = path.extension().unwrap_or_default().to_string_lossy();
            endings
                .iter()
                .any(|known| ending.eq_ignore_ascii_case(known))
        })
        .collect();
    files.sort();
    files
}

/// Gives every record of one list or object of a file. `within` are the keys that lead there, none for the file as a whole.
/// Returns whether it is there.
///
/// # Errors
/// A file that cannot be read or is cut, with the line; `what` names a record. Whatever `each` returns.
pub fn records<T: DeserializeOwned>(
    path: &Path,
    within: &[&str],
    what: &str,
    each: Each<'_, T>,
) -> Result<bool, GraphError> {
    let mut json = serde_json::Deserializer::from_reader(open(path)?);
    let mut walk = Walk {
        each,
        failed: None,
        there: false,
        of: PhantomData,
    };
    let step = Step {
        walk: &mut walk,
        within,
    };
    let read = step.deserialize(&mut json).and_then(|()| json.end());
    if let Some(failed) = walk.failed {
        return Err(failed);
    }
    read.map_err(|error| failure(path, what, error))?;
    Ok(walk.there)
}

/// Gives every record of a file of JSON lines, or of one list.
///
/// # Errors
/// As [`records`].
pub fn lines<T: DeserializeOwned>(
    path: &Path,
    what: &str,
    each: Each<'_, T>,
) -> Result<(), GraphError> {
    if beginning(path).starts_with('[') {
        return records(path, &[], what, each).map(|_| ());
    }
    let json = serde_json::Deserializer::from_reader(open(path)?);
    for record in json.into_iter() {
        let record = record.map_err(|error| failure(path, what, error))?;
        each("", record)?;
    }
    Ok(())
}

/// A file without the mark that some editors write at its beginning.
fn open(path: &Path) -> Result<BufReader<Strict<File>>, GraphError> {
    let failed = |error| GraphError::io(path, error);
    let file = Strict::new(File::open(path).map_err(failed)?);
    let mut reader = BufReader::with_capacity(1 << 16, file);
    if reader
        .fill_buf()
        .map_err(failed)?
        .starts_with(b"\xef\xbb\xbf")
    {
        reader.consume(3);
    }
    Ok(reader)
}

/// JSON as Python writes it, made strict: `NaN`, which pandas has for an empty cell, becomes an empty text of the same length,
/// so that lines and places stay.
struct Strict<R> {
    from: R,
    spot: Spot,
    /// Letters of `NaN` that came last.
    letters: usize,
}

/// Where in JSON a byte stands.
#[derive(Clone, Copy, PartialEq)]
enum Spot {
    Outside,
    InText,
    /// In a text, behind a backslash.
    Escaped,
}

impl<R> Strict<R> {
    fn new(from: R) -> Strict<R> {
        Strict {
            from,
            spot: Spot::Outside,
            letters: 0,
        }
    }

    fn mend(&mut self, byte: &mut u8) {
        let letters = std::mem::take(&mut self.letters);
        self.spot = match (self.spot, *byte) {
            (Spot::Escaped, _) => Spot::InText,
            (Spot::InText, b'\\') => Spot::Escaped,
            (Spot::InText, b'"') => Spot::Outside,
            (Spot::Outside, b'"') => Spot::InText,
            (spot, _) => spot,
        };
        if self.spot != Spot::Outside {
            return;
        }
        (*byte, self.letters) = match (letters, *byte) {
            (0, b'N') => (b'"', 1),
            (1, b'a') => (b'"', 2),
            (2, b'N') => (b' ', 0),
            (_, byte) => (byte, 0),
        };
    }
}

impl<R: Read> Read for Strict<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(into)?;
        for byte in into.iter_mut().take(read) {
            self.mend(byte);
        }
        Ok(read)
    }
}

fn failure(path: &Path, what: &str, error: serde_json::Error) -> GraphError {
    if error.is_io() {
        return GraphError::io(path, error.into());
    }
    let line = error.line() as u64;
    let message = error.to_string();
    let message = message
        .rsplit_once(" at line ")
        .map_or(&*message, |cut| cut.0);
    let mut found: String = message.chars().take(LONGEST).collect();
    if error.is_eof() {
        found = "the end of the file: it is cut".to_owned();
    }
    GraphError::record(path, line, what, found)
}

/// What a walk through a file carries along.
struct Walk<'f, T> {
    each: Each<'f, T>,
    failed: Option<GraphError>,
    there: bool,
    of: PhantomData<T>,
}

impl<T> Walk<'_, T> {
    fn give<E: serde::de::Error>(&mut self, key: &str, record: T) -> Result<(), E> {
        (self.each)(key, record).map_err(|error| {
            self.failed = Some(error);
            E::custom("stopped")
        })
    }
}

/// One step of a walk.
struct Step<'w, 'f, 'k, T> {
    walk: &'w mut Walk<'f, T>,
    within: &'k [&'k str],
}

impl<'de, T: DeserializeOwned> DeserializeSeed<'de> for Step<'_, '_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        match self.within.is_empty() {
            true => from.deserialize_any(self),
            false => from.deserialize_map(self),
        }
    }
}

impl<'de, T: DeserializeOwned> Visitor<'de> for Step<'_, '_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.within.first() {
            Some(key) => write!(f, "an object with {key}"),
            None => write!(f, "a list or an object"),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((key, within)) = self.within.split_first() else {
            self.walk.there = true;
            while let Some(key) = map.next_key::<String>()? {
                let record = map.next_value()?;
                self.walk.give(&key, record)?;
            }
            return Ok(());
        };
        while let Some(found) = map.next_key::<String>()? {
            if found != *key {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            map.next_value_seed(Step {
                walk: &mut *self.walk,
                within,
            })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.walk.there = true;
        while let Some(record) = list.next_element()? {
            self.walk.give("", record)?;
        }
        Ok(())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A value of any form. Vectors are dropped while they are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Loose {
    /// Null, or not there.
    #[default]
    Nothing,
    Text(String),
    Number(f64),
    /// A list: what in it is text, or a whole number, which may be an identifier.
    List(Vec<String>),
    Record(Record),
    Truth(bool),
}

/// Most numbers of a list that are kept: a longer one is a vector.
const FEW: usize = 16;

impl Loose {
    /// The text; a number as text; empty for any other form.
    pub fn text(&self) -> String {
        match self {
            Loose::Text(text) => text.clone(),
            Loose::Number(number) => number.to_string(),
            Loose::Truth(truth) => truth.to_string(),
            Loose::Nothing | Loose::List(_) | Loose::Record(_) => String::new(),
        }
    }

    /// The number, also where it is written as text.
    pub fn number(&self) -> Option<f64> {
        match self {
            Loose::Number(number) => Some(*number),
            Loose::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A text alone, or all of a list.
    pub fn texts(self) -> Vec<String> {
        match self {
            Loose::List(list) => list,
            Loose::Text(text) if !text.is_empty() => vec![text],
            Loose::Number(number) => vec![number.to_string()],
            _ => Vec::new(),
        }
    }
}

/// An object of any keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record(pub Vec<(String, Loose)>);

impl Record {
    /// The value of a key; the last, where there are several.
    pub fn get(&self, name: &str) -> &Loose {
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found.map_or(&Loose::Nothing, |(_, value)| value)
    }

    /// The first of some keys that has a text.
    pub fn first(&self, names: &[&str]) -> String {
        let mut texts = names.iter().map(|name| self.get(name).text());
        texts
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default()
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Loose, D::Error> {
        from.deserialize_any(Any)
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Record, D::Error> {
        Ok(match Loose::deserialize(from)? {
            Loose::Record(record) => record,
            _ => Record::default(),
        })
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Loose;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Loose, E> {
        Ok(Loose::Nothing)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Loose, E> {
        Ok(Loose::Truth(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Loose, E> {
        Ok(whole(number, number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Loose, E> {
        Ok(whole(number, number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Loose, E> {
        Ok(Loose::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Loose, E> {
        Ok(Loose::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Loose, E> {
        Ok(Loose::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Loose, A::Error> {
        let mut texts = Vec::new();
        let mut numbers = 0;
        while let Some(value) = list.next_element::<Loose>()? {
            match value {
                Loose::Text(text) => texts.push(text),
                Loose::Number(number) if numbers < FEW => {
                    numbers += 1;
                    texts.push(number.to_string());
                }
                _ => {}
            }
        }
        Ok(Loose::List(texts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Loose, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(Loose::Record(Record(fields)))
    }
}

/// A whole number that a floating one cannot hold stays as it is written: it is an identifier.
fn whole(exact: impl fmt::Display, number: f64) -> Loose {
    match number.abs() < 9e15 {
        true => Loose::Number(number),
        false => Loose::Text(exact.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, within: &[&str]) -> Result<(bool, Vec<String>), GraphError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut seen = Vec::new();
        let there = records(file.path(), within, "a record", &mut |key, value: Loose| {
            seen.push(format!("{key}={}", value.text()));
            Ok(())
        })?;
        Ok((there, seen))
    }

    #[test]
    fn lists_and_objects_are_walked() {
        let (there, seen) = read(
            r#"{"x": [[1]], "a": {"b": {"k": "v", "n": 2}}}"#,
            &["a", "b"],
        )
        .unwrap();
        assert!(there);
        assert_eq!(seen, ["k=v", "n=2"]);
        assert_eq!(read("\u{feff}[\"v\", null]", &[]).unwrap().1, ["=v", "="]);
        assert!(!read("{}", &["a"]).unwrap().0);
    }

    #[test]
    fn damage_has_a_line() {
        let fails = |text: &str| read(text, &[]).unwrap_err().to_string();
        assert!(fails("{\"a\": 1,\n\"b\"").contains(":2: expected a record; found the end"));
        assert!(fails("{\"a\": Nan}").contains(":1: expected a record"));
        assert!(fails("{\"a\": nan}").contains(":1: expected a record"));
        assert!(fails("[] x").contains("trailing characters"));
        assert!(fails("3").contains("a list or an object"));
        assert!(fails(&"[".repeat(100_000)).contains("recursion limit"));
        assert!(fails("").contains("the end of the file"));
    }

    #[test]
    fn an_empty_cell_of_pandas_is_an_empty_text() {
        let text = r#"{"a": NaN, "NaN": "a \"NaN\" in \\", "c": [NaN,NaN]}"#;
        let (_, seen) = read(text, &[]).unwrap();
        assert_eq!(seen, ["a=", "NaN=a \"NaN\" in \\", "c="]);
        // The letters may come one by one.
        let mut one_by_one = Strict::new(&b"[NaN, 1]"[..]);
        let mut mended = Vec::new();
        let mut byte = [0];
        while one_by_one.read(&mut byte).unwrap() > 0 {
            mended.extend(byte);
        }
        assert_eq!(mended, b"[\"\" , 1]");
    }

    #[test]
    fn lines_stand_alone_or_in_a_list() {
        for text in [
            "{\"a\": \"b\"}\n\n{\"a\": \"c\"}\n",
            "[{\"a\": \"b\"}, {\"a\": \"c\"}]",
        ] {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), text).unwrap();
            let mut seen = String::new();
            lines(file.path(), "a record", &mut |_, record: Record| {
                seen += &record.first(&["z", "a"]);
                Ok(())
            })
            .unwrap();
            assert_eq!(seen, "bc");
        }
    }

    #[test]
    fn vectors_are_not_kept() {
        let vector: Vec<f32> = (0..1000).map(|n| n as f32 / 3.0).collect();
        let list: Loose = serde_json::from_str(&serde_json::to_string(&vector).unwrap()).unwrap();
        assert_eq!(list.texts().len(), FEW);
        let id: Loose = serde_json::from_str("12345678901234567890").unwrap();
        assert_eq!(id.text(), "12345678901234567890");
    }
}
