//! The terminal interface.

pub mod glyphs;
mod glyphs_text;
pub mod keys;
mod keys_map;
pub mod picture;
mod picture_shapes;
mod picture_text;
pub mod store;
mod store_config;
mod store_history;
mod store_toml;
pub mod terminal;
mod terminal_events;
mod terminal_panic;
pub mod theme;
mod theme_colour;
mod theme_file;
mod theme_level;
mod theme_read;
mod theme_scope;
pub mod worker;
