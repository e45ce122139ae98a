//! What stands around the panes: the header, the pipeline of the method, the strip of a lesson, status and hints, and the
//! line that is all a tiny terminal has room for.

pub mod header;
pub mod hints;
pub mod lesson;
pub mod line;
pub mod pipeline;
pub mod status;
