use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    hopscope::cli::main(hopscope::cli::Cli::parse())
}
