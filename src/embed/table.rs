//! The token table in the binary: borrowed as it stands, after a look at its header (see `assets/README.md`).

use super::EmbedError;
use super::wordpiece::{Ranges, WordPiece};
use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

/// `include_bytes!` promises no alignment, and the sections are read as `f32` and `u32`.
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

static FILE: &Aligned<[u8]> = &Aligned(*include_bytes!("../../assets/static-encoder.bin"));
const NAME: &str = "assets/static-encoder.bin";
const MAGIC: &[u8] = b"HOPSTAT1";
const HEADER: usize = 128;

/// The embedded table, its vocabulary and what identifies it.
pub struct Table {
    pub dims: usize,
    pub unknown: u32,
    rows: &'static [i8],
    /// One step of a row's numbers.
    scales: &'static [f32],
    /// How much a piece counts, before any corpus is known.
    pub weights: &'static [f32],
    pub wordpiece: WordPiece<'static>,
    /// Classes of characters, for other BERT vocabularies too.
    pub ranges: Ranges<'static>,
    /// First half of the SHA-256 of the content.
    pub digest: String,
}

/// The table, read once.
///
/// # Errors
/// Only in a program built with a damaged `assets/static-encoder.bin`.
pub fn table() -> Result<&'static Table, EmbedError> {
    static TABLE: OnceLock<Result<Table, String>> = OnceLock::new();
    TABLE
        .get_or_init(|| read(&FILE.0))
        .as_ref()
        .map_err(|said| {
            EmbedError::file(
                Path::new(NAME),
                said,
                "regenerate it (see assets/README.md) and rebuild",
            )
        })
}

fn read(file: &'static [u8]) -> Result<Table, String> {
    if cfg!(target_endian = "big") {
        return Err("its numbers are little-endian, this machine's are not".into());
    }
    if file.len() < HEADER || &file[..8] != MAGIC {
        return Err("no static encoder".into());
    }
    let small = |at: usize| -> usize {
        let word = file[at..at + 4].try_into().unwrap_or_default();
        u32::from_le_bytes(word) as usize
    };
    let large = |at: usize| -> usize {
        let word = file[at..at + 8].try_into().unwrap_or_default();
        usize::try_from(u64::from_le_bytes(word)).unwrap_or(usize::MAX)
    };
    if small(8) != HEADER || large(88) != file.len() {
        return Err(format!(
            "{} bytes, which does not match its header",
            file.len()
        ));
    }
    let (pieces, dims, unknown) = (small(12), small(16), small(20));
    let lengths: &[u8] = section(file, large(56), pieces)?;
    let text: &[u8] = section(file, large(64), large(80))?;
    let mut end = 0;
    let pieces_of = lengths.iter().map(|&length| {
        let start = end;
        end += usize::from(length);
        Cow::Borrowed(text.get(start..end).unwrap_or_default())
    });
    let ranges = Ranges(section(file, large(72), small(28))?);
    Ok(Table {
        dims,
        unknown: unknown as u32,
        rows: section(file, large(32), pieces * dims)?,
        scales: section(file, large(40), pieces)?,
        weights: section(file, large(48), pieces)?,
        wordpiece: WordPiece::new(pieces_of, ranges, unknown as u32, true),
        ranges,
        digest: file[96..112].iter().map(|b| format!("{b:02x}")).collect(),
    })
}

fn section<T: bytemuck::AnyBitPattern>(
    file: &'static [u8],
    at: usize,
    count: usize,
) -> Result<&'static [T], String> {
    count
        .checked_mul(size_of::<T>())
        .and_then(|length| file.get(at..at.checked_add(length)?))
        .and_then(|bytes| bytemuck::try_cast_slice(bytes).ok())
        .ok_or_else(|| format!("no {count} values at byte {at}"))
}

impl Table {
    pub fn pieces(&self) -> usize {
        self.scales.len()
    }

    /// Adds `factor` times the direction of a piece, a vector of unit length, to `out`.
    pub fn add(&self, piece: u32, factor: f32, out: &mut [f32]) {
        let piece = piece as usize;
        let factor = factor * self.scales[piece];
        let row = &self.rows[piece * self.dims..(piece + 1) * self.dims];
        for (sum, &value) in out.iter_mut().zip(row) {
            *sum += factor * f32::from(value);
        }
    }
}
