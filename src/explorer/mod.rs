//! The terminal interface: state, update, view.
//!
//! | file | what it is |
//! |---|---|
//! | [`state`] | everything the explorer knows, as plain data |
//! | [`action`] | what can happen, and what the world is asked for |
//! | [`command`] | the one table of commands; [`available`] says why one cannot be done now |
//! | [`parameter_keys`] | letters for the parameters that the table has no keys for |
//! | [`update`] | the only writer of the state; pure |
//! | [`view`] | the only reader; pure; gives back what is where for the mouse |
//! | [`layout`] | where panes are, for every size |
//! | [`lesson`] | files that teach: words, actions, questions, claims |
//! | [`start`] | the first screen where no index was named
//! | [`plain`] | the same in lines, for a screen reader |
//! | [`labelling`] | what an annotator says, and the queue of what waits for it |
//! | [`filter`] | what a list is narrowed by
//! | [`jobs`] | work off the screen's thread, one file a job |
//! | [`scene`] | what a retrieval looks like on screen: strings and numbers |
//! | [`panes`], [`overlays`] | one file each with one `render` |
//! | [`theme`], [`glyphs`], [`picture`] | looks, characters, frames as SVG, ANSI and text |

pub mod action;
pub mod available;
pub mod cell;
pub mod clipboard;
pub mod command;
pub mod engine;
pub mod entering;
pub mod filter;
pub mod glyphs;
pub mod hits;
pub mod jobs;
pub mod keys;
pub mod labelling;
pub mod layout;
pub mod lesson;
pub mod overlays;
pub mod palette;
pub mod panes;
pub mod parameter_keys;
pub mod picture;
pub mod plain;
pub mod rows;
pub mod runtime;
pub mod scene;
pub mod stage;
pub mod start;
pub mod state;
pub mod store;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod update;
pub mod view;
pub mod worker;
pub mod workers;
