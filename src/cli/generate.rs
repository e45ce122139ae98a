//! `hopscope completions SHELL` and `hopscope man`: made from the same arguments that are parsed.

use super::Cli;
use crate::output;
use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell: bash, elvish, fish, powershell or zsh.
    shell: Shell,
}

pub fn completions(args: &CompletionsArgs) -> Result<()> {
    // Into memory first: the generator panics where a reader has gone.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hopscope", &mut text);
    print(&text)
}

pub fn man() -> Result<()> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut text)?;
    print(&text)
}

fn print(text: &[u8]) -> Result<()> {
    output::text().write_all(text)?;
    Ok(())
}
