//! The explorer: keys, screens, lessons, lines without a screen, and the real binary in a pseudo-terminal.

#[path = "../common/mod.rs"]
mod common;
mod support;

mod annotate;
mod around;
mod choices;
mod commands;
mod elsewhere;
mod figures;
mod flow;
mod habits;
mod lessons;
mod odd;
mod plain;
mod properties;
mod pty;
mod screens;
mod story;
mod taken;
mod typed;
mod update;
mod views;
