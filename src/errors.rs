//! An error in one line, for whoever reads it.

use std::io::{Error, ErrorKind};

/// What went wrong and every cause that was not told yet, and what to do where a disk is full.
pub fn told(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    let full = |error: &Error| {
        matches!(
            error.kind(),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded
        )
    };
    let mut causes = error.chain();
    if causes.any(|cause| cause.downcast_ref().is_some_and(full)) {
        said += "; make room there, or name another place";
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::IndexError;
    use std::path::Path;

    #[test]
    fn a_cause_is_told_once_and_a_full_disk_has_a_remedy() {
        let full = || Error::from(ErrorKind::StorageFull);
        let remedy = "; make room there, or name another place";
        let of_index = IndexError::io(Path::new("a/b"), full()).into();
        assert_eq!(told(&of_index), format!("a/b: {}{remedy}", full()));
        let in_context = anyhow::Error::from(full()).context("q.run");
        assert_eq!(told(&in_context), format!("q.run: {}{remedy}", full()));
        let missing = anyhow::Error::from(Error::from(ErrorKind::NotFound)).context("q.run");
        assert_eq!(told(&missing), "q.run: entity not found");
    }
}
