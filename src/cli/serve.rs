//! `hopscope serve [INDEX] --stdio`: the calls as JSON lines, for programs that speak no protocol.

use super::calls::{Arguments, Refusal, Session, TOOLS, schema};
use super::interrupt::{self, interrupted};
use super::{Lossy, say};
use anyhow::{Result, bail};
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, IsTerminal, Read, Write, stdin, stdout};
use std::path::PathBuf;

/// Bytes of a request: more is no question.
const LONGEST: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// An index folder, a corpus or postgres://HOST/DATABASE; default: the sample. Nothing else is read, nothing is written,
    /// no other server is contacted.
    index: Option<PathBuf>,
    /// Read requests from standard input and write answers to standard output, one JSON object a line.
    #[arg(long, required = true)]
    stdio: bool,
    #[command(flatten)]
    lossy: Lossy,
}

/// A line of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Given back with the answer.
    #[serde(default)]
    id: Value,
    call: String,
    #[serde(default)]
    arguments: Arguments,
}

/// Opens the index and answers line by line until standard input ends.
///
/// # Errors
/// An index that cannot be opened, an interrupt, standard input or output that fails.
pub fn run(args: &ServeArgs) -> Result<()> {
    let session = Session::open(args.index.as_deref(), args.lossy, &mut |said| say(said))?;
    let (input, output) = (stdin(), stdout());
    if input.is_terminal() {
        note!("hopscope: waits for requests; {{\"call\": \"schema\"}} lists them");
    }
    interrupt::watch();
    answer_all(&session, input.lock(), output.lock())
}

fn answer_all(session: &Session, mut input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut input).take(LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let whole = line.ends_with(b"\n") || (read as u64) < LONGEST;
        let answer = match whole {
            true if line.trim_ascii().is_empty() => continue,
            true => answer(session, &line),
            false => {
                skip_line(&mut input)?;
                let error = format!("a request longer than {LONGEST} bytes");
                refused(&Value::Null, &Refusal::new(error, "one JSON object a line"))
            }
        };
        if interrupted() {
            bail!("interrupted");
        }
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
}

/// Reads the rest of a line away.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let held = input.fill_buf()?;
        let (used, ended) = match held.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (held.len(), held.is_empty()),
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}

fn answer(session: &Session, line: &[u8]) -> Value {
    let request: Request = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => {
            let hint = r#"a request is {"id": 1, "call": "ask", "arguments": {"question": "..."}}"#;
            return refused(&Value::Null, &Refusal::new(error.to_string(), hint));
        }
    };
    let id = request.id;
    if request.call == "schema" {
        return json!({"id": id, "result": schema()});
    }
    let mut tools = TOOLS.iter().filter(|tool| tool.name == request.call);
    let made = match tools.next() {
        Some(tool) => tool.call(session, request.arguments, &|| !interrupted()),
        None => {
            let names = TOOLS.iter().map(|tool| tool.name);
            let error = format!("no call '{}'", request.call);
            let refusal = Refusal::new(error, "schema lists the calls");
            Err(refusal.options(names.chain(["schema"])))
        }
    };
    match made {
        Ok(result) => json!({"id": id, "result": result}),
        Err(refusal) => refused(&id, &refusal),
    }
}

fn refused(id: &Value, refusal: &Refusal) -> Value {
    json!({"id": id, "error": refusal})
}
