//! The end of a Parquet file, looked at before the reader of Parquet sees it: that reader follows nested groups as deep as they
//! go, and a file of groups within groups would end the program.

use super::super::super::schema::GraphError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// What a file begins and ends with.
const MAGIC: &[u8; 4] = b"PAR1";
/// The same, of a file that is encrypted.
const LOCKED: &[u8; 4] = b"PARE";
/// Bytes after the description of a file: its length, and the magic word.
const TAIL: u64 = 8;
/// Longest description, in bytes. What is made of it is tens of times larger.
const LONGEST: u64 = 1 << 24;
/// Deepest nesting of columns. A list of texts takes three levels.
const DEEPEST: usize = 32;
/// Most columns, with the groups that they are in.
const MOST: u64 = 10_000;

/// Whether a file can be given to the reader of Parquet. Gives its length.
///
/// # Errors
/// A file that cannot be read, that is cut or no Parquet, that is encrypted, or whose columns are too many or too deep.
pub fn check(path: &Path) -> Result<u64, GraphError> {
    let failed = |source| GraphError::io(path, source);
    let mut file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let bytes = description(&mut file, length).map_err(failed)?;
    let wrong = |expected: &str, found: String| Err(GraphError::record(path, 0, expected, found));
    match bytes {
        End::Locked => Err(GraphError::Unreadable {
            path: path.to_owned(),
            what: "an encrypted Parquet file".into(),
            remedy: "write it again without encryption".into(),
        }),
        End::Other(found) => wrong("a whole Parquet file", found),
        End::Whole(bytes) => match (Scan { bytes: &bytes }).columns() {
            Some(Columns::Fine) => Ok(length),
            Some(Columns::Many(count)) => wrong(
                "at most 10000 columns, with the groups that they are in",
                count.to_string(),
            ),
            Some(Columns::Deep) => wrong(
                "columns nested at most 32 deep",
                "groups within groups, deeper".into(),
            ),
            None => wrong(
                "a whole Parquet file",
                "a description of its columns that is damaged".into(),
            ),
        },
    }
}

/// How a file ends.
enum End {
    /// With a description of what is in it.
    Whole(Vec<u8>),
    Locked,
    /// In words.
    Other(String),
}

fn description(file: &mut File, length: u64) -> std::io::Result<End> {
    let (mut first, mut size, mut last) = ([0; 4], [0; 4], [0; 4]);
    if length < TAIL + 4 {
        return Ok(End::Other(format!("{length} bytes")));
    }
    file.read_exact(&mut first)?;
    file.seek(SeekFrom::Start(length - TAIL))?;
    file.read_exact(&mut size)?;
    file.read_exact(&mut last)?;
    if last == *LOCKED {
        return Ok(End::Locked);
    }
    if first != *MAGIC || last != *MAGIC {
        let place = if first == *MAGIC { "end" } else { "beginning" };
        return Ok(End::Other(format!("no PAR1 at its {place}")));
    }
    let size = u64::from(u32::from_le_bytes(size));
    if size > length - TAIL - 4 {
        let found = format!("{length} bytes, of which its end claims {size}: it is cut");
        return Ok(End::Other(found));
    }
    if size > LONGEST {
        return Ok(End::Other(format!("a description of {size} bytes")));
    }
    file.seek(SeekFrom::Start(length - TAIL - size))?;
    let mut bytes = vec![0; size as usize];
    file.read_exact(&mut bytes)?;
    Ok(End::Whole(bytes))
}

/// What columns a file has.
#[derive(Debug, PartialEq)]
enum Columns {
    Fine,
    Many(u64),
    Deep,
}

/// Walks through the compact form of Thrift that a description is in. Every step is none where the bytes end or make no sense.
pub struct Scan<'b> {
    /// What is still to come.
    pub bytes: &'b [u8],
}

impl<'b> Scan<'b> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn skip_bytes(&mut self, count: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    /// A whole number, seven bits in a byte.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number with a sign that is not below zero.
    pub fn count(&mut self) -> Option<u64> {
        u64::try_from(signed(self.number()?)).ok()
    }

    /// The number and the kind of the next field of a record; the kind is 0 at the end of the record.
    fn field(&mut self, last: i64) -> Option<(i64, u8)> {
        let head = self.byte()?;
        let (step, kind) = (head >> 4, head & 0xf);
        Some(match (kind, step) {
            (0, _) => (0, 0),
            (_, 0) => (signed(self.number()?), kind),
            _ => (last.checked_add(i64::from(step))?, kind),
        })
    }

    /// The kind of the things in a list, and how many there are.
    fn list(&mut self) -> Option<(u8, u64)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.number()?,
            few => u64::from(few),
        };
        Some((head & 0xf, count))
    }

    /// Steps over a value of a kind.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            // A truth stands in the kind itself.
            1 | 2 => Some(()),
            3 => self.skip_bytes(1),
            4..=6 => self.number().map(|_| ()),
            7 => self.skip_bytes(8),
            8 => {
                let length = self.number()?;
                self.skip_bytes(length)
            }
            9 | 10 => {
                let (kind, count) = self.list()?;
                for _ in 0..count {
                    match kind {
                        1 | 2 => self.skip_bytes(1)?,
                        kind => self.skip(kind, depth + 1)?,
                    }
                }
                Some(())
            }
            12 => self.record(depth, &mut |_, _, _| Some(false)),
            _ => None,
        }
    }

    /// Steps over a record. `take` may read the value of a field, by its number and kind, and says whether it did.
    pub fn record(
        &mut self,
        depth: usize,
        take: &mut dyn FnMut(&mut Scan<'b>, i64, u8) -> Option<bool>,
    ) -> Option<()> {
        let mut last = 0;
        loop {
            let (number, kind) = self.field(last)?;
            if kind == 0 {
                return Some(());
            }
            last = number;
            if !take(self, number, kind)? {
                self.skip(kind, depth + 1)?;
            }
        }
    }

    /// Looks at the columns, the second field of a description; what comes after them is left to the reader.
    fn columns(mut self) -> Option<Columns> {
        let mut last = 0;
        loop {
            let (number, kind) = self.field(last)?;
            match (number, kind) {
                (_, 0) => return None,
                (2, 9) => return self.tree(),
                _ => self.skip(kind, 0)?,
            }
            last = number;
        }
    }

    /// Columns stand in one list, each group before its children.
    fn tree(&mut self) -> Option<Columns> {
        let (kind, count) = self.list()?;
        if kind != 12 {
            return None;
        }
        if count > MOST {
            return Some(Columns::Many(count));
        }
        // How many children every open group still lacks.
        let mut open: Vec<u64> = Vec::new();
        for _ in 0..count {
            let mut children = 0;
            self.record(0, &mut |scan, number, kind| {
                let counts = number == 5 && kind == 5;
                if counts {
                    children = scan.count()?;
                }
                Some(counts)
            })?;
            if let Some(lacks) = open.last_mut() {
                *lacks = lacks.saturating_sub(1);
            }
            if children > 0 {
                open.push(children);
            }
            // A group is open until its last child is closed.
            while open.last() == Some(&0) {
                open.pop();
            }
            if open.len() > DEEPEST {
                return Some(Columns::Deep);
            }
        }
        Some(Columns::Fine)
    }
}

/// A number with a sign, which stands in its last bit.
fn signed(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column or, with children, a group.
    fn column(children: u8) -> Vec<u8> {
        let mut bytes = vec![0x48, 1, b'x'];
        if children > 0 {
            bytes.extend([0x15, children << 1]);
        }
        bytes.push(0);
        bytes
    }

    /// The description of a file with some columns.
    fn described(columns: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19, 0xfc, columns.len() as u8 | 0x80];
        bytes.push((columns.len() >> 7) as u8);
        bytes.extend(columns.iter().flat_map(|children| column(*children)));
        bytes
    }

    #[test]
    fn nesting_has_an_end() {
        let of = |columns: &[u8]| {
            Scan {
                bytes: &described(columns),
            }
            .columns()
        };
        assert_eq!(of(&[2, 0, 1, 1, 0]), Some(Columns::Fine));
        assert_eq!(of(&[40; 40]), Some(Columns::Deep));
        let mut flat = vec![40];
        flat.extend([1, 0].repeat(40));
        assert_eq!(of(&flat), Some(Columns::Fine));
        assert_eq!(of(&[1; 33]), Some(Columns::Deep));
        assert_eq!(of(&[0; 16_000]), Some(Columns::Many(16_000)));
        let whole = described(&[2, 0, 1, 1, 0]);
        for cut in 0..whole.len() {
            assert_eq!(
                (Scan {
                    bytes: &whole[..cut]
                })
                .columns(),
                None,
                "{cut}"
            );
        }
    }

    #[test]
    fn ends_that_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let fails = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            check(&path).unwrap_err().to_string()
        };
        for (bytes, found) in [
            (&b""[..], "found 0 bytes"),
            (b"PAR1....PAR1....", "no PAR1 at its end"),
            (b"<html>..........", "no PAR1 at its beginning"),
            (b"PAR1\xff\0\0\0PAR1", "of which its end claims 255"),
            (b"PAR1\xff\xff\0\0\0\0PARE", "encrypted"),
            (b"PAR1\x15\x02\x02\0\0\0PAR1", "columns that is damaged"),
        ] {
            let error = fails(bytes);
            assert!(
                error.contains("t.parquet") && error.contains(found),
                "{error}"
            );
        }
    }
}
