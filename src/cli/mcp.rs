//! `hopscope mcp [INDEX]`: tools that debug a retrieval, for agents, over standard input and output.

#[cfg(feature = "mcp")]
mod ask;
#[cfg(feature = "mcp")]
mod compare;
#[cfg(feature = "mcp")]
mod evaluate;
#[cfg(feature = "mcp")]
mod passages;
#[cfg(feature = "mcp")]
mod refusal;
#[cfg(feature = "mcp")]
mod runs;
#[cfg(feature = "mcp")]
mod server;
#[cfg(feature = "mcp")]
mod size;
#[cfg(feature = "mcp")]
mod status;
#[cfg(feature = "mcp")]
mod tools;
#[cfg(feature = "mcp")]
mod why;

use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct McpArgs {
    /// An index folder or a corpus; default: the sample. Nothing else is read, nothing is written, no server is contacted.
    index: Option<PathBuf>,
}

#[cfg(not(feature = "mcp"))]
pub fn run(args: &McpArgs) -> Result<()> {
    let _ = &args.index;
    anyhow::bail!("this build has no MCP server; install with --features mcp")
}

/// Opens the index and answers until the client closes standard input.
///
/// # Errors
/// An index that cannot be opened, a first message that opens no session, an interrupt.
#[cfg(feature = "mcp")]
pub fn run(args: &McpArgs) -> Result<()> {
    use super::load::load;
    use super::{How, Reading, interrupt};
    use crate::explorer::engine::facts;
    use crate::retrieve::Presets;
    use std::io::IsTerminal;
    use std::sync::Arc;

    let (_, mut settings) = How::default().named_among(&Presets::default(), None)?;
    let index = load(args.index.as_deref(), &Reading::default(), &mut settings)?;
    let argument = args.index.as_ref().map(|path| path.display().to_string());
    let argument = argument.unwrap_or_default();
    let facts = facts(&index, &argument);
    if std::io::stdin().is_terminal() {
        note!("hopscope: waits for an MCP client on standard input; see docs/agents.md");
    }
    interrupt::watch();
    server::serve(Arc::new(tools::Session { index, facts }))
}
