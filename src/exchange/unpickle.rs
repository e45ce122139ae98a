//! The machine that a pickle is a program for, reduced to what builds data.

use super::pickle::{Id, Kind, Pickle};
use rustc_hash::FxHashMap;

/// Reads one pickle, protocols 0 to 5.
///
/// # Errors
/// At which byte it is damaged or does what data does not.
pub fn read(bytes: &[u8]) -> Result<Pickle, String> {
    let mut reader = Reader {
        bytes,
        at: 0,
        values: Vec::new(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: FxHashMap::default(),
    };
    match reader.run() {
        Ok(root) => Ok(Pickle {
            values: reader.values,
            root,
        }),
        Err(said) => Err(format!("byte {}: {said}", reader.at)),
    }
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    values: Vec<Kind>,
    stack: Vec<Id>,
    marks: Vec<usize>,
    memo: FxHashMap<u64, Id>,
}

type Said<T> = Result<T, String>;

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Said<&'b [u8]> {
        let end = self
            .at
            .checked_add(count)
            .filter(|end| *end <= self.bytes.len());
        let end = end.ok_or("it ends early")?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// A little-endian number of so many bytes.
    fn number(&mut self, bytes: usize) -> Said<u64> {
        let taken = self.take(bytes)?;
        Ok(taken
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    }

    fn sized(&mut self, bytes: usize) -> Said<&'b [u8]> {
        let length = usize::try_from(self.number(bytes)?).map_err(|e| e.to_string())?;
        self.take(length)
    }

    fn line(&mut self) -> Said<&'b str> {
        std::str::from_utf8(self.bytes_of_line()?).map_err(|e| e.to_string())
    }

    fn bytes_of_line(&mut self) -> Said<&'b [u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|b| *b == b'\n')
            .ok_or("a line without an end")?;
        Ok(&self.take(length + 1)?[..length])
    }

    fn push(&mut self, kind: Kind) -> Said<()> {
        self.stack
            .push(u32::try_from(self.values.len()).map_err(|_| "too many values")?);
        self.values.push(kind);
        Ok(())
    }

    fn pop(&mut self) -> Said<Id> {
        let least = self.marks.last().copied().unwrap_or(0);
        match self.stack.pop() {
            Some(id) if self.stack.len() >= least => Ok(id),
            _ => Err("nothing on the stack".into()),
        }
    }

    fn top(&self) -> Said<Id> {
        self.stack
            .last()
            .copied()
            .ok_or_else(|| "nothing on the stack".into())
    }

    /// Everything above the last mark.
    fn marked(&mut self) -> Said<Vec<Id>> {
        let mark = self.marks.pop().ok_or("no mark")?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn text(&mut self, bytes: &[u8]) -> Said<()> {
        // Python writes lone surrogates, which no Rust string has.
        self.push(Kind::Text(String::from_utf8_lossy(bytes).into_owned()))
    }

    fn tuple(&mut self, count: usize) -> Said<()> {
        let mut items = (0..count).map(|_| self.pop()).collect::<Said<Vec<Id>>>()?;
        items.reverse();
        self.push(Kind::List(items))
    }

    fn append(&mut self, items: Vec<Id>) -> Said<()> {
        match &mut self.values[self.stack.last().copied().ok_or("no list")? as usize] {
            Kind::List(list) => list.extend(items),
            // A subclass of list: what it holds is kept out.
            Kind::Call(..) => {}
            _ => return Err("no list to add to".into()),
        }
        Ok(())
    }

    fn set(&mut self, items: Vec<Id>) -> Said<()> {
        match &mut self.values[self.stack.last().copied().ok_or("no dictionary")? as usize] {
            Kind::Dict(dict) => dict.extend(items.chunks_exact(2).map(|pair| (pair[0], pair[1]))),
            Kind::Call(..) => {}
            _ => return Err("no dictionary to add to".into()),
        }
        Ok(())
    }

    fn call(&mut self) -> Said<()> {
        let (arguments, callee) = (self.pop()?, self.pop()?);
        let of = |kind: &Kind, names: &[&str]| matches!(kind, Kind::Global(name) if names.contains(&name.as_str()));
        let callee_kind = &self.values[callee as usize];
        if of(
            callee_kind,
            &[
                "collections OrderedDict",
                "collections defaultdict",
                "builtins dict",
            ],
        ) {
            return self.push(Kind::Dict(Vec::new()));
        }
        if of(
            callee_kind,
            &[
                "builtins set",
                "builtins frozenset",
                "__builtin__ set",
                "builtins list",
            ],
        ) {
            let first = match &self.values[arguments as usize] {
                Kind::List(items) => items.first().copied(),
                _ => None,
            };
            let items = match first.map(|id| &self.values[id as usize]) {
                Some(Kind::List(items)) => items.clone(),
                _ => Vec::new(),
            };
            return self.push(Kind::List(items));
        }
        self.push(Kind::Call(callee, arguments))
    }

    fn remember(&mut self, place: u64) -> Said<()> {
        let top = self.top()?;
        self.memo.insert(place, top);
        Ok(())
    }

    fn recall(&mut self, place: u64) -> Said<()> {
        let id = self.memo.get(&place).ok_or("a value that was never kept")?;
        self.stack.push(*id);
        Ok(())
    }

    fn long(&mut self, bytes: &[u8]) -> Said<()> {
        let value = match bytes.len() {
            0 => Kind::Int(0),
            1..=8 => {
                let fill = if bytes[bytes.len() - 1] >= 0x80 {
                    0xff
                } else {
                    0
                };
                let mut whole = [fill; 8];
                whole[..bytes.len()].copy_from_slice(bytes);
                Kind::Int(i64::from_le_bytes(whole))
            }
            // Larger than any number a graph has.
            _ => Kind::None,
        };
        self.push(value)
    }

    fn run(&mut self) -> Said<Id> {
        loop {
            let code = self.take(1)?[0];
            match code {
                b'.' => return self.pop(),
                0x80 => drop(self.take(1)?),
                0x95 => drop(self.take(8)?),
                b'(' => self.marks.push(self.stack.len()),
                b'0' => drop(self.pop()?),
                b'1' => drop(self.marked()?),
                b'2' => self.stack.push(self.top()?),
                b'N' => self.push(Kind::None)?,
                0x88 => self.push(Kind::Bool(true))?,
                0x89 => self.push(Kind::Bool(false))?,
                b'K' => {
                    let value = self.number(1)?;
                    self.push(Kind::Int(value as i64))?;
                }
                b'M' => {
                    let value = self.number(2)?;
                    self.push(Kind::Int(value as i64))?;
                }
                b'J' => {
                    let value = self.number(4)? as u32 as i32;
                    self.push(Kind::Int(i64::from(value)))?;
                }
                0x8a => {
                    let bytes = self.sized(1)?;
                    self.long(bytes)?;
                }
                0x8b => {
                    let bytes = self.sized(4)?;
                    self.long(bytes)?;
                }
                b'I' | b'L' => {
                    let value = match self.line()? {
                        "01" if code == b'I' => Kind::Bool(true),
                        "00" if code == b'I' => Kind::Bool(false),
                        text => Kind::Int(
                            text.trim_end_matches('L')
                                .parse()
                                .map_err(|_| "no number")?,
                        ),
                    };
                    self.push(value)?;
                }
                b'F' => {
                    let value = self.line()?.parse().map_err(|_| "no number")?;
                    self.push(Kind::Float(value))?;
                }
                b'G' => {
                    let value = f64::from_bits(self.number(8)?.swap_bytes());
                    self.push(Kind::Float(value))?;
                }
                b'X' | 0x8c | 0x8d => {
                    let bytes = self.sized(match code {
                        b'X' => 4,
                        0x8c => 1,
                        _ => 8,
                    })?;
                    self.text(bytes)?;
                }
                b'T' | b'U' => {
                    let bytes = self.sized(if code == b'T' { 4 } else { 1 })?;
                    self.text(bytes)?;
                }
                b'V' => {
                    let text = unescaped(self.bytes_of_line()?);
                    self.push(Kind::Text(text))?;
                }
                b'S' => {
                    let line = self.line()?;
                    self.text(line.trim_matches(['\'', '"']).as_bytes())?;
                }
                b'B' | b'C' | 0x8e | 0x96 => {
                    let bytes = self.sized(match code {
                        b'B' => 4,
                        b'C' => 1,
                        _ => 8,
                    })?;
                    self.push(Kind::Bytes(bytes.to_vec()))?;
                }
                b']' | b')' | 0x8f => self.push(Kind::List(Vec::new()))?,
                b'}' => self.push(Kind::Dict(Vec::new()))?,
                b't' | b'l' | 0x91 => {
                    let items = self.marked()?;
                    self.push(Kind::List(items))?;
                }
                b'd' => {
                    let items = self.marked()?;
                    self.push(Kind::Dict(Vec::new()))?;
                    self.set(items)?;
                }
                0x85..=0x87 => self.tuple(usize::from(code - 0x84))?,
                b'a' => {
                    let item = self.pop()?;
                    self.append(vec![item])?;
                }
                b'e' | 0x90 => {
                    let items = self.marked()?;
                    self.append(items)?;
                }
                b's' => {
                    let (value, key) = (self.pop()?, self.pop()?);
                    self.set(vec![key, value])?;
                }
                b'u' => {
                    let items = self.marked()?;
                    self.set(items)?;
                }
                b'q' | b'r' => {
                    let place = self.number(if code == b'q' { 1 } else { 4 })?;
                    self.remember(place)?;
                }
                0x94 => self.remember(self.memo.len() as u64)?,
                b'h' | b'j' => {
                    let place = self.number(if code == b'h' { 1 } else { 4 })?;
                    self.recall(place)?;
                }
                b'p' | b'g' => {
                    let place = self.line()?.parse().map_err(|_| "no number")?;
                    if code == b'p' {
                        self.remember(place)?
                    } else {
                        self.recall(place)?
                    }
                }
                b'c' => {
                    let (module, name) = (self.line()?, self.line()?);
                    self.push(Kind::Global(format!("{module} {name}")))?;
                }
                0x93 => {
                    let (name, module) = (self.pop()?, self.pop()?);
                    let part = |id: Id| match &self.values[id as usize] {
                        Kind::Text(text) => Ok(text.as_str()),
                        _ => Err("a class without a name"),
                    };
                    let global = format!("{} {}", part(module)?, part(name)?);
                    self.push(Kind::Global(global))?;
                }
                b'R' | 0x81 => self.call()?,
                0x92 => {
                    // Named arguments of a constructor say nothing to us.
                    self.pop()?;
                    self.call()?;
                }
                // The state of an object is left out.
                b'b' => drop(self.pop()?),
                b'Q' => {
                    let id = self.pop()?;
                    self.push(Kind::Outside(id))?;
                }
                b'P' => {
                    let line = self.line()?;
                    self.text(line.as_bytes())?;
                    let id = self.pop()?;
                    self.push(Kind::Outside(id))?;
                }
                _ => {
                    return Err(format!(
                        "an instruction {code:#04x} that data does not have"
                    ));
                }
            }
        }
    }
}

/// Text of protocol 0: Latin-1, all else as `\\uXXXX` and `\\UXXXXXXXX`.
fn unescaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = match bytes[at..] {
            [b'\\', b'u', ..] => 4,
            [b'\\', b'U', ..] => 8,
            _ => 0,
        };
        let hex = bytes.get(at + 2..at + 2 + digits).filter(|_| digits > 0);
        let code = hex.and_then(|hex| u32::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match code.and_then(char::from_u32) {
            Some(c) => {
                text.push(c);
                at += 2 + digits;
            }
            None => {
                text.push(char::from(bytes[at]));
                at += 1;
            }
        }
    }
    text
}
