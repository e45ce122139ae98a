//! The terminal interface: state, update, view.
//!
//! Each file or folder below is a room; imports go down the list of them in `ARCHITECTURE.md` only.
//!
//! | room | what it is |
//! |---|---|
//! | [`state`] | everything the explorer knows, as plain data |
//! | [`action`] | what can happen, and what the world is asked for |
//! | [`jobs`] | work off the screen's thread, one file a job |
//! | [`labelling`] | what an annotator says, and the queue of what waits for it |
//! | [`lesson`] | files that teach: words, actions, questions, claims |
//! | [`command`] | the one table of commands; [`available`] says why one cannot be done now, [`targets`] what it acts on |
//! | [`parameter_keys`] | the parameters as they are listed, and letters for those that the table has no keys for |
//! | [`update`] | the only writer of the state; pure |
//! | `view` | the only reader; pure; gives back what is where for the mouse |
//! | [`layout`] | where panes are, for every size |
//! | [`panes`] | one file a pane; what they draw with, their rows and filters |
//! | `chrome`, `overlays` | lines around the panes, boxes over them: one file each with one `render` |
//! | [`app`] | what the loop at a terminal and the stage of tests and pictures share |
//! | [`start`] | the first screen where no index was named |
//! | [`plain`] | the same in lines, for a screen reader |
//! | [`scene`] | what a retrieval looks like on screen: strings and numbers |
//! | `export`, `flags` | files and shell commands of what is on screen |
//! | [`theme`], [`glyphs`], [`picture`] | looks, characters, frames as SVG, ANSI and text |
//! | `named` | enums whose variants have a name each |

#[macro_use]
mod named;

pub mod action;
pub mod app;
pub mod available;
pub(crate) mod cell;
pub(crate) mod chrome;
pub(crate) mod clipboard;
pub mod command;
pub mod engine;
pub(crate) mod entering;
pub(crate) mod export;
pub(crate) mod flags;
pub mod glyphs;
pub mod hits;
pub mod jobs;
pub mod keys;
pub mod labelling;
pub mod lack;
pub mod layout;
pub mod lesson;
pub(crate) mod overlays;
pub mod palette;
pub mod panes;
pub mod parameter_keys;
pub mod picture;
pub mod plain;
pub(crate) mod runtime;
pub mod scene;
pub mod stage;
pub mod start;
pub mod state;
pub mod store;
pub mod targets;
pub(crate) mod terminal;
pub mod text;
pub mod theme;
mod toml;
pub mod update;
pub(crate) mod view;
pub(crate) mod worker;
pub(crate) mod workers;
