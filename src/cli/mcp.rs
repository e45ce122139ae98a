//! `hopscope mcp [INDEX]`: the calls, for agents, over the Model Context Protocol on standard input and output.

#[cfg(feature = "mcp")]
mod passages;
#[cfg(feature = "mcp")]
mod server;

use super::Lossy;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct McpArgs {
    /// An index folder, a corpus or postgres://HOST/DATABASE; default: the sample. Nothing else is read, nothing is written,
    /// no other server is contacted.
    index: Option<PathBuf>,
    #[command(flatten)]
    lossy: Lossy,
}

#[cfg(not(feature = "mcp"))]
pub fn run(args: &McpArgs) -> Result<()> {
    let _ = (&args.index, args.lossy);
    anyhow::bail!(
        "this build has no MCP server; install with --features mcp, or use 'hopscope serve --stdio'"
    )
}

/// Opens the index and answers until the client closes standard input.
///
/// # Errors
/// An index that cannot be opened, a first message that opens no session, an interrupt.
#[cfg(feature = "mcp")]
pub fn run(args: &McpArgs) -> Result<()> {
    use super::calls::Session;
    use super::say;
    use std::io::IsTerminal;

    let session = Session::open(args.index.as_deref(), args.lossy, &mut |said| say(said))?;
    if std::io::stdin().is_terminal() {
        note!("hopscope: waits for an MCP client on standard input; see docs/agents.md");
    }
    super::interrupt::watch();
    server::serve(std::sync::Arc::new(session))
}
