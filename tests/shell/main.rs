//! The command line, the servers that it may talk to, and what the package itself is made of.

#[path = "../common/checker.rs"]
mod checker;
#[allow(dead_code, reason = "each test file uses its part")]
#[path = "../../src/llm/server.rs"]
mod server;

mod cli;
mod closed;
mod docs;
mod golden;
mod llm;
mod packages;
mod pictures;
mod postgres;
mod rooms;
mod schema;
mod serve;
mod tls;
