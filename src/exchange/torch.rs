//! Tensors of whole numbers as PyTorch saves them: a zip file of a pickle and raw values, all stored uncompressed.

use super::pickle::{self, Kind, Pickle};

/// A tensor, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub shape: Vec<usize>,
    pub values: Vec<i64>,
}

/// # Errors
/// What is no such file, or damaged in it.
pub fn read(bytes: &[u8]) -> Result<Tensor, String> {
    let data = member(bytes, |name| name.ends_with("/data.pkl"))?;
    let pickle = pickle::read(data).map_err(|said| format!("data.pkl: {said}"))?;
    tensor(&pickle, bytes).ok_or("no tensor of whole numbers in it")?
}

fn tensor(pickle: &Pickle, bytes: &[u8]) -> Option<Result<Tensor, String>> {
    let Kind::Call(callee, arguments) = pickle.get(pickle.root) else {
        return None;
    };
    let Kind::Global(name) = pickle.get(*callee) else {
        return None;
    };
    let [storage, offset, shape, stride, ..] = *pickle.list(*arguments)? else {
        return None;
    };
    let Kind::Outside(storage) = pickle.get(storage) else {
        return None;
    };
    let [_, class, key, ..] = *pickle.list(*storage)? else {
        return None;
    };
    let (Kind::Global(class), Some(key)) = (pickle.get(class), pickle.text(key)) else {
        return None;
    };
    if !name.starts_with("torch._utils _rebuild_tensor") {
        return None;
    }
    let numbers = |id| {
        let items = pickle.list(id)?.iter();
        items
            .map(|i| pickle.int(*i).and_then(|n| usize::try_from(n).ok()))
            .collect::<Option<Vec<_>>>()
    };
    let (shape, stride) = (numbers(shape)?, numbers(stride)?);
    let offset = usize::try_from(pickle.int(offset)?).ok()?;
    let (width, value): (usize, fn(&[u8]) -> i64) = match class.as_str() {
        "torch LongStorage" => (8, |b| i64::from_le_bytes(b.try_into().unwrap_or_default())),
        "torch IntStorage" => (4, |b| {
            i64::from(i32::from_le_bytes(b.try_into().unwrap_or_default()))
        }),
        "torch ShortStorage" => (2, |b| {
            i64::from(i16::from_le_bytes(b.try_into().unwrap_or_default()))
        }),
        "torch ByteStorage" => (1, |b| i64::from(b[0])),
        "torch FloatStorage" => (4, |b| {
            f32::from_le_bytes(b.try_into().unwrap_or_default()) as i64
        }),
        _ => return None,
    };
    let ending = format!("/data/{key}");
    let raw = match member(bytes, |name| name.ends_with(&ending)) {
        Ok(raw) => raw,
        Err(said) => return Some(Err(said)),
    };
    let count = shape
        .iter()
        .try_fold(1_usize, |product, n| product.checked_mul(*n))?;
    // A view that repeats its storage could claim any size.
    if count > raw.len() / width || shape.len() != stride.len() {
        return Some(Err("fewer values than its header declares".into()));
    }
    let mut values = Vec::with_capacity(count);
    let mut at = vec![0_usize; shape.len()];
    for _ in 0..count {
        let step = |sum: usize, (a, s): (&usize, &usize)| sum.checked_add(a.checked_mul(*s)?);
        let start = at
            .iter()
            .zip(&stride)
            .try_fold(offset, step)?
            .checked_mul(width)?;
        let Some(bytes) = raw.get(start..start.checked_add(width)?) else {
            return Some(Err("fewer values than its header declares".into()));
        };
        values.push(value(bytes));
        for (a, n) in at.iter_mut().zip(&shape).rev() {
            *a += 1;
            if *a < *n {
                break;
            }
            *a = 0;
        }
    }
    Some(Ok(Tensor { shape, values }))
}

const DIRECTORY_END: [u8; 4] = *b"PK\x05\x06";
const DIRECTORY: [u8; 4] = *b"PK\x01\x02";

/// The bytes of the first stored file whose name fits.
fn member(bytes: &[u8], fits: impl Fn(&str) -> bool) -> Result<&[u8], String> {
    const NONE: &str = "no file of torch.save (expected a zip file with stored members)";
    let small = |at: usize, width: usize| -> Option<usize> {
        let taken = bytes.get(at..at.checked_add(width)?)?;
        Some(
            taken
                .iter()
                .rev()
                .fold(0, |sum, b| sum << 8 | usize::from(*b)),
        )
    };
    // The end of the directory is the last 22 bytes and a comment.
    let lowest = bytes.len().saturating_sub(22 + 0xffff);
    let end = (lowest..bytes.len().saturating_sub(21))
        .rev()
        .find(|at| bytes[*at..].starts_with(&DIRECTORY_END))
        .ok_or(NONE)?;
    let entries = small(end + 10, 2).ok_or(NONE)?;
    let mut at = small(end + 16, 4).ok_or(NONE)?;
    for _ in 0..entries {
        if bytes.get(at..at + 4) != Some(&DIRECTORY) {
            return Err(NONE.into());
        }
        let number = |offset: usize, width: usize| small(at + offset, width).ok_or(NONE);
        let (method, size, name) = (number(10, 2)?, number(20, 4)?, number(28, 2)?);
        let (extra, comment, local) = (number(30, 2)?, number(32, 2)?, number(42, 4)?);
        let text = bytes.get(at + 46..at + 46 + name).ok_or(NONE)?;
        if std::str::from_utf8(text).is_ok_and(&fits) {
            if method != 0 {
                return Err(NONE.into());
            }
            let skip = small(local + 26, 2).zip(small(local + 28, 2)).ok_or(NONE)?;
            let start = local + 30 + skip.0 + skip.1;
            return start
                .checked_add(size)
                .and_then(|stop| bytes.get(start..stop))
                .ok_or_else(|| "it ends early".into());
        }
        at += 46 + name + extra + comment;
    }
    Err(NONE.into())
}
