//! The pages of a Parquet file, looked at before they are unpacked: the reader of Parquet makes room for as much as a page claims
//! to hold, and a few damaged bytes claim gigabytes.

use super::super::super::schema::GraphError;
use super::footer::Scan;
use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// How much larger than packed a page of snappy can be: 64 bytes are at best a copy of three.
const RATIO: u64 = 22;
/// Longest head of a page, in bytes: the smallest and the largest value of the page may stand in it.
const LONGEST: u64 = 1 << 20;
/// How many bytes of a head are read at first.
const FIRST: u64 = 1 << 10;

/// Looks at every page of some columns of a file.
///
/// # Errors
/// A file that cannot be read, or a page that claims more than can be in it.
pub fn check<'c>(
    path: &Path,
    mut columns: impl Iterator<Item = &'c ColumnChunkMetaData>,
) -> Result<(), GraphError> {
    let file = File::open(path).map_err(|source| GraphError::io(path, source))?;
    let mut file = BufReader::new(file);
    columns.try_for_each(|column| check_column(path, &mut file, column))
}

fn check_column(
    path: &Path,
    file: &mut BufReader<File>,
    column: &ColumnChunkMetaData,
) -> Result<(), GraphError> {
    let wrong = |found: String| GraphError::record(path, 0, "a whole Parquet file", found);
    let start = column
        .dictionary_page_offset()
        .unwrap_or(column.data_page_offset());
    let place = u64::try_from(start).ok();
    let length = u64::try_from(column.compressed_size()).ok();
    let (Some(mut at), Some(length)) = (place, length) else {
        return Err(wrong("a column at a place below zero".into()));
    };
    let ratio = match column.compression() {
        Compression::UNCOMPRESSED => 1,
        Compression::SNAPPY => RATIO,
        // The reader says that it does not read it.
        _ => return Ok(()),
    };
    let end = at.saturating_add(length);
    while at < end {
        let head = head(file, at, end - at).map_err(|source| GraphError::io(path, source))?;
        let Some(Head { own, packed, whole }) = head else {
            return Err(wrong("the head of a page that is damaged".into()));
        };
        if whole > packed.saturating_mul(ratio).saturating_add(LONGEST) {
            let found = format!("a page of {packed} bytes that claims to hold {whole}");
            return Err(wrong(found));
        }
        at = at.saturating_add(own).saturating_add(packed);
    }
    Ok(())
}

/// The head of a page.
struct Head {
    /// Its own length.
    own: u64,
    /// The page's, as it is in the file.
    packed: u64,
    /// The page's, unpacked.
    whole: u64,
}

/// Reads the head of a page; none where it makes no sense.
fn head(file: &mut BufReader<File>, at: u64, rest: u64) -> std::io::Result<Option<Head>> {
    for most in [FIRST, LONGEST] {
        let from = file.stream_position()?;
        match (i64::try_from(at), i64::try_from(from)) {
            (Ok(to), Ok(from)) => file.seek_relative(to.saturating_sub(from))?,
            _ => file.seek(SeekFrom::Start(at)).map(|_| ())?,
        }
        let mut bytes = Vec::new();
        file.take(most.min(rest)).read_to_end(&mut bytes)?;
        if let Some(head) = of(&bytes) {
            return Ok(Some(head));
        }
        if most >= rest {
            break;
        }
    }
    Ok(None)
}

fn of(bytes: &[u8]) -> Option<Head> {
    let mut scan = Scan { bytes };
    let (mut whole, mut packed) = (None, None);
    scan.record(0, &mut |scan, number, kind| match (number, kind) {
        (2, 5) => {
            whole = Some(scan.count()?);
            Some(true)
        }
        (3, 5) => {
            packed = Some(scan.count()?);
            Some(true)
        }
        _ => Some(false),
    })?;
    Some(Head {
        own: (bytes.len() - scan.bytes.len()) as u64,
        packed: packed?,
        whole: whole?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_and_damaged_ones_are_none() {
        // Kind 0, 200 bytes unpacked, 100 packed, a record within, an end.
        let bytes = [
            0x15, 0, 0x15, 0x90, 3, 0x15, 0xc8, 1, 0x2c, 0x15, 2, 0, 0, 9,
        ];
        let head = of(&bytes).unwrap();
        assert_eq!((head.own, head.packed, head.whole), (13, 100, 200));
        for cut in 0..13 {
            assert!(of(&bytes[..cut]).is_none(), "{cut}");
        }
        assert!(of(&[0x15, 0, 0x15, 1, 0x15, 2, 0]).is_none(), "below zero");
    }
}
