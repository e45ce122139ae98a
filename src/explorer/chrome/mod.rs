//! What stands around the panes: the header, the pipeline of the method, the strip of a lesson, status and hints, and the
//! line that is all a tiny terminal has room for.

pub(crate) mod header;
pub(crate) mod hints;
pub(crate) mod lesson;
pub(crate) mod line;
pub(crate) mod pipeline;
pub(crate) mod status;
