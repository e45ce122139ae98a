//! Rows of numbers as bytes: differences of ascending numbers and the numbers beside them, seven bits a byte.

use crate::embed::vectors::Row;
use crate::index::entities::Occurrence;
use crate::index::rows::{Joined, Posting, Span};

fn put(bytes: &mut Vec<u8>, number: u32) {
    put_wide(bytes, number.into());
}

fn put_wide(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A number, and how often something is there: mostly once, which takes no byte. The number is written twice as large, and
/// odd where the other follows.
fn put_often(bytes: &mut Vec<u8>, number: u32, often: u32) {
    let follows = often != 1;
    put_wide(bytes, u64::from(number) << 1 | u64::from(follows));
    if follows {
        put(bytes, often);
    }
}

/// Numbers that come out again.
struct Numbers<'a>(std::slice::Iter<'a, u8>);

impl Numbers<'_> {
    fn of(bytes: &[u8]) -> Numbers<'_> {
        Numbers(bytes.iter())
    }

    /// None where the bytes are none, or not of a number.
    fn next(&mut self) -> Option<u32> {
        u32::try_from(self.wide()?).ok()
    }

    fn wide(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = *self.0.next()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// As [`put_often`] wrote them.
    fn often(&mut self) -> Option<(u32, u32)> {
        let written = self.wide()?;
        let often = match written & 1 {
            0 => 1,
            _ => self.next()?,
        };
        Some((u32::try_from(written >> 1).ok()?, often))
    }

    /// Rows until the bytes end; none where they end within one.
    fn rows<T>(mut self, mut row: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        // Most have two numbers of a byte or more; memory that is not used is none.
        let mut rows = Vec::with_capacity(self.0.len() / 2);
        while !self.0.as_slice().is_empty() {
            rows.push(row(&mut self)?);
        }
        Some(rows)
    }
}

pub fn joined(row: impl Iterator<Item = Joined>) -> Vec<u8> {
    let (mut bytes, mut before) = (Vec::new(), 0);
    for own in row {
        put_often(&mut bytes, own.node - before, own.tf.into());
        put(&mut bytes, own.degree);
        before = own.node;
    }
    bytes
}

pub fn read_joined(bytes: &[u8]) -> Option<Vec<Joined>> {
    let mut before = 0_u32;
    Numbers::of(bytes).rows(|numbers| {
        let (further, tf) = numbers.often()?;
        before = before.checked_add(further)?;
        Some(Joined {
            node: before,
            tf: u16::try_from(tf).ok()?,
            degree: numbers.next()?,
        })
    })
}

pub fn posted(row: &[Posting]) -> Vec<u8> {
    let (mut bytes, mut before) = (Vec::new(), 0);
    for own in row {
        put_often(&mut bytes, own.passage - before, own.tf);
        put(&mut bytes, own.length);
        before = own.passage;
    }
    bytes
}

pub fn read_posted(bytes: &[u8]) -> Option<Vec<Posting>> {
    let mut before = 0_u32;
    Numbers::of(bytes).rows(|numbers| {
        let (further, tf) = numbers.often()?;
        before = before.checked_add(further)?;
        Some(Posting {
            passage: before,
            tf,
            length: numbers.next()?,
        })
    })
}

pub fn mentions(row: &[Occurrence]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for own in row {
        put(&mut bytes, own.start);
        put(&mut bytes, own.end.saturating_sub(own.start));
        put(&mut bytes, own.entity);
        put(&mut bytes, u32::from(own.source));
    }
    bytes
}

pub fn read_mentions(bytes: &[u8]) -> Option<Vec<Occurrence>> {
    Numbers::of(bytes).rows(|numbers| {
        let start = numbers.next()?;
        Some(Occurrence {
            start,
            end: start.checked_add(numbers.next()?)?,
            entity: numbers.next()?,
            source: u8::try_from(numbers.next()?).ok()?,
        })
    })
}

/// Passages of a title, ascending.
pub fn titled(row: &[u32]) -> Vec<u8> {
    let (mut bytes, mut before) = (Vec::new(), 0);
    for number in row {
        put(&mut bytes, number - before);
        before = *number;
    }
    bytes
}

pub fn read_titled(bytes: &[u8]) -> Option<Vec<u32>> {
    let mut before = 0_u32;
    Numbers::of(bytes).rows(|numbers| {
        before = before.checked_add(numbers.next()?)?;
        Some(before)
    })
}

pub fn spans(row: &[Span]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for own in row {
        put(&mut bytes, own.start);
        put(&mut bytes, own.end.saturating_sub(own.start));
    }
    bytes
}

pub fn read_spans(bytes: &[u8]) -> Option<Vec<Span>> {
    Numbers::of(bytes).rows(|numbers| {
        let start = numbers.next()?;
        Some(start..start.checked_add(numbers.next()?)?)
    })
}

/// Vectors in int8, one behind the other, each behind the size of its step.
pub fn vectors(rows: &[Row]) -> Vec<u8> {
    rows.iter().flat_map(Row::bytes).collect()
}

pub fn read_vectors(bytes: &[u8], dims: usize) -> Option<Vec<Row>> {
    let rows = bytes.chunks(dims + size_of::<f32>());
    rows.map(|row| Row::of_bytes(row, dims, true)).collect()
}

/// A vector as the extension reads it.
pub fn vector(values: &[f32]) -> Vec<u8> {
    let head = (values.len() as u16)
        .to_be_bytes()
        .into_iter()
        .chain([0, 0]);
    head.chain(values.iter().flat_map(|value| value.to_be_bytes()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_out_as_they_went_in(
            numbers in prop::collection::btree_set(any::<u32>(), 0..20),
            tf in any::<u16>(),
            other in any::<u32>(),
        ) {
            let row: Vec<Joined> = numbers.iter().map(|&node| Joined { node, tf, degree: other }).collect();
            prop_assert_eq!(read_joined(&joined(row.iter().copied())), Some(row));
            let row: Vec<Posting> = numbers.iter().map(|&passage| Posting { passage, tf: other, length: 7 }).collect();
            prop_assert_eq!(read_posted(&posted(&row)), Some(row));
            let row: Vec<Occurrence> = numbers
                .iter()
                .map(|&start| Occurrence { start: start / 2, end: start, entity: other, source: 3 })
                .collect();
            prop_assert_eq!(read_mentions(&mentions(&row)), Some(row));
            let row: Vec<u32> = numbers.iter().copied().collect();
            prop_assert_eq!(read_titled(&titled(&row)), Some(row));
            let row: Vec<Span> = numbers.iter().map(|&start| start / 2..start).collect();
            prop_assert_eq!(read_spans(&spans(&row)), Some(row));
            let step = f32::from(tf) / 7.0;
            let row = |number: &u32| Row::I8 { values: number.to_le_bytes().map(u8::cast_signed).into(), scale: step };
            let rows: Vec<Row> = numbers.iter().map(row).collect();
            prop_assert_eq!(read_vectors(&vectors(&rows), 4), Some(rows));
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let _ = (read_joined(&bytes), read_posted(&bytes), read_mentions(&bytes));
            let _ = (read_titled(&bytes), read_spans(&bytes), read_vectors(&bytes, 4));
        }
    }
}
