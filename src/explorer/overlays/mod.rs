//! What opens over the screen: the finders and the panel of a begun chord.

pub mod chord;
pub mod finder;
