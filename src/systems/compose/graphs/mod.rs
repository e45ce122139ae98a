//! The graphs of compositions, one file a layer. Weights are the layer's own where it has any, else 1.

mod chunks;
mod entities;
mod ket;
mod meetings;
mod objects;
mod seven;

pub use chunks::Chunks;
pub use entities::Entities;
pub use ket::{Keywords, Names, Units};
pub use meetings::{Meetings, Tree};
pub use objects::Objects;
pub use seven::Seven;
