//! Encoders by name.

use super::{EmbedError, Encoder, Static, Weights};

/// Opens an encoder by its name.
pub fn open(spec: &str, weights: Weights) -> Result<Box<dyn Encoder>, EmbedError> {
    match spec {
        "static" => Ok(Box::new(Static::new(weights)?)),
        _ => Err(EmbedError::Spec {
            given: spec.to_owned(),
            said: "no such encoder".into(),
        }),
    }
}
