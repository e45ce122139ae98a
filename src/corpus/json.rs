//! JSON records with their places: the lines of a JSONL file, the elements of an array, the entries of an object.
//!
//! A bad record does not hide the next one: in a document each value is delimited first and decoded after.

use super::intake::Intake;
use super::lines::{Lines, read_bytes, utf8};
use super::{CorpusError, Place, What};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

pub(super) type Record = Map<String, Value>;

/// What a record of a file is, and how a good one looks.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub what: What,
    pub example: &'static str,
}

/// Hands over every record of a file: the lines of JSONL, or the elements of one JSON array.
pub(super) fn records(
    file: &Path,
    shape: Shape,
    intake: &mut Intake,
    mut each: impl FnMut(&mut Intake, &Place, Record) -> Result<(), CorpusError>,
) -> Result<(), CorpusError> {
    intake.report.files.push(file.to_owned());
    let mut take = |intake: &mut Intake, place: &Place, bytes: &[u8]| {
        let result = decode(place, bytes, shape).and_then(|value| match value {
            Value::Object(record) => each(intake, place, record),
            other => Err(CorpusError::record(place, shape.example, kind_of(&other))),
        });
        intake.settle(shape.what, result).map(drop)
    };
    let mut lines = Lines::open(file)?;
    match lines.next()? {
        Some((_, first)) if first.trim_ascii_start().starts_with(b"[") => {
            Document::open(file, shape)?.values(b"[]", intake, |intake, document, span| {
                take(intake, &document.place(span.0), document.slice(span))
            })
        }
        None => Ok(()),
        Some((place, line)) => {
            take(intake, &place, line)?;
            while let Some((place, line)) = lines.next()? {
                take(intake, &place, line)?;
            }
            Ok(())
        }
    }
}

/// Hands over every entry of a file that is one JSON object.
pub(super) fn entries(
    file: &Path,
    shape: Shape,
    intake: &mut Intake,
    mut each: impl FnMut(&mut Intake, &Place, String, Value) -> Result<(), CorpusError>,
) -> Result<(), CorpusError> {
    intake.report.files.push(file.to_owned());
    let mut key = None;
    Document::open(file, shape)?.values(b"{}", intake, |intake, document, span| {
        let place = document.place(span.0);
        let Some(named) = key.take() else {
            key = Some(decode(&place, document.slice(span), shape));
            return Ok(());
        };
        let result = named.and_then(|named| match named {
            Value::String(title) => decode(&place, document.slice(span), shape)
                .and_then(|value| each(intake, &place, title, value)),
            other => Err(CorpusError::record(&place, shape.example, kind_of(&other))),
        });
        intake.settle(shape.what, result).map(drop)
    })
}

/// The elements of an array, or the keys and values of an object, delimited one by one.
struct Document {
    file: PathBuf,
    bytes: Vec<u8>,
    /// Length of the byte order mark that was taken off.
    skipped: usize,
    shape: Shape,
    at: usize,
    /// Lines before `counted`, and where the present one starts.
    line: u64,
    line_start: usize,
    counted: usize,
}

impl Document {
    fn open(file: &Path, shape: Shape) -> Result<Self, CorpusError> {
        let (bytes, skipped) = read_bytes(file)?;
        Ok(Self {
            file: file.to_owned(),
            bytes,
            skipped,
            shape,
            at: 0,
            line: 1,
            line_start: 0,
            counted: 0,
        })
    }

    fn slice(&self, span: (usize, usize)) -> &[u8] {
        &self.bytes[span.0..span.1]
    }

    /// The place of an offset not before the last one asked for.
    fn place(&mut self, at: usize) -> Place {
        for (offset, byte) in self.bytes[self.counted..at].iter().enumerate() {
            if *byte == b'\n' {
                self.line += 1;
                self.line_start = self.counted + offset + 1;
            }
        }
        self.counted = at;
        Place {
            file: self.file.clone(),
            line: Some(self.line),
            column: Some((at - self.line_start + 1) as u64),
            byte: Some((self.skipped + at) as u64),
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.at += self.bytes[self.at..]
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.bytes.get(self.at).copied()
    }

    /// Past one JSON value: its span.
    fn skip(&mut self) -> Result<(usize, usize), CorpusError> {
        self.peek();
        let start = self.at;
        let mut stream =
            serde_json::Deserializer::from_slice(&self.bytes[start..]).into_iter::<IgnoredAny>();
        let trouble = match stream.next() {
            Some(Ok(_)) => {
                self.at = start + stream.byte_offset();
                return Ok((start, self.at));
            }
            Some(Err(error)) => error,
            None => return Err(self.broken("the end of the file")),
        };
        let place = self.place(start);
        Err(lost(syntax_error(
            &place,
            &self.bytes[start..],
            &trouble,
            self.shape,
        )))
    }

    fn broken(&mut self, found: &str) -> CorpusError {
        let place = self.place(self.at);
        lost(CorpusError::record(&place, self.shape.example, found))
    }

    /// Delimits all values between the brackets. Behind a broken bracket, comma or value nothing can be told
    /// apart any more: that is one bad record which says so.
    fn values(
        mut self,
        brackets: &[u8; 2],
        intake: &mut Intake,
        mut each: impl FnMut(&mut Intake, &mut Self, (usize, usize)) -> Result<(), CorpusError>,
    ) -> Result<(), CorpusError> {
        let what = self.shape.what;
        let walked = self.walk(brackets, intake, &mut each);
        match walked {
            Err(Stop::Broken(error)) => intake.settle::<()>(what, Err(error)).map(drop),
            Err(Stop::Refused(error)) => Err(error),
            Ok(()) => Ok(()),
        }
    }

    fn walk(
        &mut self,
        brackets: &[u8; 2],
        intake: &mut Intake,
        each: &mut impl FnMut(&mut Intake, &mut Self, (usize, usize)) -> Result<(), CorpusError>,
    ) -> Result<(), Stop> {
        self.expect(brackets[0])?;
        if self.peek() != Some(brackets[1]) {
            loop {
                let span = self.skip().map_err(Stop::Broken)?;
                each(intake, self, span).map_err(Stop::Refused)?;
                if brackets[0] == b'{' {
                    self.expect(b':')?;
                    let span = self.skip().map_err(Stop::Broken)?;
                    each(intake, self, span).map_err(Stop::Refused)?;
                }
                if self.peek() != Some(b',') {
                    break;
                }
                self.at += 1;
            }
        }
        self.expect(brackets[1])?;
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(Stop::Broken(
                self.broken("more behind the end of the document"),
            )),
        }
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Stop> {
        let found = match self.peek() {
            Some(byte) if byte == wanted => {
                self.at += 1;
                return Ok(());
            }
            Some(byte) => format!(
                "`{}` where `{}` belongs",
                char::from(byte),
                char::from(wanted)
            ),
            None => format!("the end of the file where `{}` belongs", char::from(wanted)),
        };
        Err(Stop::Broken(self.broken(&found)))
    }
}

enum Stop {
    /// The document cannot be followed further.
    Broken(CorpusError),
    /// A record was refused.
    Refused(CorpusError),
}

fn lost(error: CorpusError) -> CorpusError {
    match error {
        CorpusError::Record(mut bad) => {
            bad.found.push_str("; nothing behind it can be read");
            CorpusError::Record(bad)
        }
        other => other,
    }
}

fn decode(place: &Place, bytes: &[u8], shape: Shape) -> Result<Value, CorpusError> {
    let text = utf8(place, bytes)?;
    serde_json::from_str(text).map_err(|error| syntax_error(place, bytes, &error, shape))
}

/// A JSON error in `bytes`, which start at `place`.
fn syntax_error(
    place: &Place,
    bytes: &[u8],
    error: &serde_json::Error,
    shape: Shape,
) -> CorpusError {
    let message = error.to_string();
    let found = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(what, _)| what);
    let lines_before: usize = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    let column = error.column().max(1);
    let first_column = if error.line() <= 1 {
        place.column.unwrap_or(1)
    } else {
        1
    };
    let place = Place {
        file: place.file.clone(),
        line: place
            .line
            .map(|line| line + error.line().saturating_sub(1) as u64),
        column: Some(first_column + column as u64 - 1),
        byte: place
            .byte
            .map(|byte| byte + (lines_before + column - 1) as u64),
    };
    CorpusError::record(&place, shape.example, format!("broken JSON ({found})"))
}

/// What kind of value stands there, for an error.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A string, or a number as its digits: identifiers and answers come as both.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
