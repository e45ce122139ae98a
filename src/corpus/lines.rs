//! Lines of a file with their places. Bytes first: what is not UTF-8 gets an error that says where.

use super::{CorpusError, Place};
use crate::mapped::{self, UNSIZED};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What was looked at of pipes, and their rest: they can be read once, and how they begin tells how.
static BEGUN: Mutex<Vec<(PathBuf, Vec<u8>, File)>> = Mutex::new(Vec::new());

/// At most so much of a file is looked at to tell its format.
const HEAD: u64 = 1 << 20;

pub(super) const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A file read line by line, without its byte order mark and its line ends.
pub(super) struct Lines {
    file: PathBuf,
    reader: BufReader<Box<dyn Read>>,
    line: u64,
    next_byte: u64,
    buffer: Vec<u8>,
}

impl Lines {
    pub fn open(file: &Path) -> Result<Self, CorpusError> {
        let reader = open(file)?;
        Ok(Self {
            file: file.to_owned(),
            reader: BufReader::with_capacity(1 << 16, reader),
            line: 0,
            next_byte: 0,
            buffer: Vec::new(),
        })
    }

    /// The next line that is not blank, and where it starts.
    pub fn next(&mut self) -> Result<Option<(Place, &[u8])>, CorpusError> {
        loop {
            self.buffer.clear();
            let start = self.next_byte;
            // Of a device it may never end.
            let most = Read::by_ref(&mut self.reader).take(UNSIZED + 1);
            let read = { most }
                .read_until(b'\n', &mut self.buffer)
                .map_err(|source| CorpusError::io(&self.file, source))?;
            if read as u64 > UNSIZED {
                let line = self.line + 1;
                let said =
                    format!("line {line} goes on after half a gigabyte; name a file of lines");
                return Err(CorpusError::io(&self.file, std::io::Error::other(said)));
            }
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            self.next_byte += read as u64;
            let skip = if self.line == 1 && self.buffer.starts_with(BOM) {
                BOM.len()
            } else {
                0
            };
            let line = &self.buffer[skip..];
            if !line.trim_ascii().is_empty() {
                let place = Place {
                    byte: Some(start + skip as u64),
                    ..Place::line(&self.file, self.line)
                };
                let end = line.strip_suffix(b"\n").unwrap_or(line);
                let length = end.strip_suffix(b"\r").unwrap_or(end).len();
                return Ok(Some((place, &self.buffer[skip..skip + length])));
            }
        }
    }
}

/// Text out of bytes that start at `place`.
pub(super) fn utf8<'a>(place: &Place, bytes: &'a [u8]) -> Result<&'a str, CorpusError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let place = Place {
            byte: place.byte.map(|byte| byte + at as u64),
            ..place.clone()
        };
        let found = format!(
            "the byte 0x{:02X}; save the file as UTF-8 (iconv -t UTF-8)",
            bytes[at]
        );
        CorpusError::record(&place, "UTF-8 text", found)
    })
}

/// A file from its beginning, also a pipe that was looked at before.
pub(super) fn open(file: &Path) -> Result<Box<dyn Read>, CorpusError> {
    let mut begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = begun.iter().position(|(path, ..)| path == file) {
        let (_, head, rest) = begun.swap_remove(at);
        return Ok(Box::new(Cursor::new(head).chain(rest)));
    }
    let opened = mapped::open(file).map_err(|source| CorpusError::io(file, source))?;
    Ok(Box::new(opened))
}

/// The whole file, without its byte order mark; and how long that mark was.
pub(super) fn read_bytes(file: &Path) -> Result<(Vec<u8>, usize), CorpusError> {
    let whole = open(file)?;
    let bytes = mapped::whole(whole, file.is_file());
    let mut bytes = bytes.map_err(|source| CorpusError::io(file, source))?;
    let skip = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
    bytes.drain(..skip);
    Ok((bytes, skip))
}

/// The start of a file, at most a mebibyte, without its byte order mark.
pub(super) fn read_head(file: &Path) -> Result<Vec<u8>, CorpusError> {
    let mut begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = begun.iter().find(|(path, ..)| path == file);
    let mut head = match known {
        Some((_, head, _)) => head.clone(),
        None => {
            let mut head = Vec::new();
            let opened = mapped::open(file).and_then(|mut open| {
                (&mut open).take(HEAD).read_to_end(&mut head)?;
                Ok(open)
            });
            let rest = opened.map_err(|source| CorpusError::io(file, source))?;
            if !file.is_file() {
                begun.push((file.to_owned(), head.clone(), rest));
            }
            head
        }
    };
    if head.starts_with(BOM) {
        head.drain(..BOM.len());
    }
    Ok(head)
}

/// The file's name without folder and extension.
pub(super) fn stem(file: &Path) -> String {
    file.file_stem()
        .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The file's name without folder.
pub(super) fn name(file: &Path) -> String {
    file.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
