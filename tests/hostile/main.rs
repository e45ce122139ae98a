//! Broken files, kills, full disks and random keys. Each kind counts its trials.

#[path = "../common/mod.rs"]
mod common;

mod hostile;
mod soak;
mod unbreakable;
