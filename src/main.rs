use clap::Parser;
use hopscope::cli::{self, Cli};
use std::process::ExitCode;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => cli::main(cli),
        Err(other) => cli::without_command(&other),
    }
}
