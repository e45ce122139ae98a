//! What is printed: the way to standard output and standard error of all commands, and of the explorer in lines.
//!
//! Corpora hold what people pasted into them, and what others put there for whoever looks. A terminal acts on control
//! characters wherever they come from; so none but line breaks and tabs gets out, nor a mark that turns the direction of
//! writing around.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, StdoutLock, Write};

/// Whether a terminal would act on a character in the place of showing it.
pub fn acts(c: char) -> bool {
    c.is_control() || turns(c)
}

/// The marks that switch the direction of writing, and the byte-order mark.
fn turns(c: char) -> bool {
    matches!(
        c,
        '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    )
}

/// Adds a character as it is shown on one line. Line breaks and tabs become spaces; other control characters are written
/// out (`^[`), so that their presence can be seen; marks that turn the direction of writing are dropped, because one of
/// them would turn around everything after it on the row.
pub fn show(c: char, shown: &mut String) {
    match c {
        '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' => shown.push(' '),
        '\0'..='\u{1f}' => {
            shown.push('^');
            shown.push(char::from(c as u8 + b'@'));
        }
        '\u{7f}' => shown.push_str("^?"),
        c if c.is_control() => shown.push_str(&format!("\\x{:02x}", c as u32)),
        c if turns(c) => {}
        c => shown.push(c),
    }
}

/// The text with every character that a terminal would act on, but line breaks and tabs, written by `write`.
fn tamed(text: &str, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let odd = |c: char| acts(c) && !matches!(c, '\n' | '\t');
    if !text.contains(odd) {
        return Cow::Borrowed(text);
    }
    let mut tamed = String::with_capacity(text.len());
    for c in text.chars() {
        match odd(c) {
            true => write(c, &mut tamed),
            false => tamed.push(c),
        }
    }
    Cow::Owned(tamed)
}

/// Writes a character as JSON spells it inside a string, the only place where JSON has one that is not ASCII.
fn escape(c: char, json: &mut String) {
    let mut units = [0; 2];
    for unit in c.encode_utf16(&mut units) {
        json.push_str(&format!("\\u{unit:04x}"));
    }
}

/// What is written for whom.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Json,
    /// As it is.
    Bytes,
}

/// Standard output. Whatever is written is whole strings: none is cut inside a character.
pub struct Output<W = StdoutLock<'static>> {
    out: W,
    form: Form,
}

/// Standard output for text to read, on a terminal or in a pipe.
pub fn text() -> Output {
    text_to(io::stdout().lock())
}

/// The same text into a file.
pub fn text_to<W>(out: W) -> Output<W> {
    let form = Form::Text;
    Output { out, form }
}

/// Standard output for JSON: what a terminal would act on is escaped, so that a program that parses it gets every
/// character.
pub fn json() -> Output {
    json_to(io::stdout().lock())
}

/// The same JSON into a file.
pub fn json_to<W>(out: W) -> Output<W> {
    let form = Form::Json;
    Output { out, form }
}

/// Standard output for tables that a program takes back, as TREC's judgements: they know no escapes, and an identifier must
/// be that of the corpus to the last byte. On a terminal they are text to read.
pub fn table() -> Output {
    let out = io::stdout().lock();
    let form = match out.is_terminal() {
        true => Form::Text,
        false => Form::Bytes,
    };
    Output { out, form }
}

/// Whether a person reads standard output.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

impl<W: Write> Output<W> {
    /// Writes a text in bold where that can be shown.
    pub fn strong(&mut self, text: &str) -> io::Result<()> {
        let shown = is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let [begin, end] = if shown {
            ["\x1b[1m", "\x1b[22m"]
        } else {
            [""; 2]
        };
        self.out.write_all(begin.as_bytes()).map_err(named)?;
        self.write_all(text.as_bytes())?;
        self.out.write_all(end.as_bytes()).map_err(named)
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let text = match self.form {
            Form::Text => tamed(&text, show),
            Form::Json => tamed(&text, escape),
            Form::Bytes => text,
        };
        self.out.write_all(text.as_bytes()).map_err(named)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(named)
    }
}

/// An error that says where it was.
fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("standard output: {error}"))
}

/// Says something on standard error, line by line. Where that is full or nobody reads it the work goes on.
pub fn say(text: impl Display) {
    let text = text.to_string();
    let lines = text
        .lines()
        .flat_map(|line| [tamed(line, show), "\n".into()]);
    let _ = io::stderr().write_all(lines.collect::<String>().as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODD: &str = "a\u{1b}]52;c;aGFjaw==\u{7}\u{9b}31m\u{202e}\u{61c}\u{2066}\u{7f}\r\tb\n";

    fn written(form: Form, text: &str) -> String {
        let out = Vec::new();
        let mut output = Output { out, form };
        write!(output, "{text}").unwrap();
        String::from_utf8(output.out).unwrap()
    }

    #[test]
    fn text_shows_what_a_terminal_would_act_on() {
        let shown = "a^[]52;c;aGFjaw==^G\\x9b31m^? \tb\n";
        assert_eq!(written(Form::Text, ODD), shown);
        assert_eq!(written(Form::Bytes, ODD), ODD);
        assert_eq!(written(Form::Text, "e\u{301} 東\n"), "e\u{301} 東\n");
    }

    #[test]
    fn json_means_the_same_and_has_nothing_to_act_on() {
        let value = serde_json::json!({ODD: [ODD]});
        let text = written(Form::Json, &serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.contains(|c| acts(c) && c != '\n'), "{text:?}");
        let back: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back, value);
    }
}
