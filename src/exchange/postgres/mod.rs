//! Databases of PostgreSQL: where they are, and how they are reached.
//!
//! | file | what lives there |
//! |---|---|
//! | `address` | addresses of databases, completed as PostgreSQL's own programs do |
//! | `secrets` | passwords, which are never shown |
//! | `client` | a connection, and rows of texts |
//! | `tls` | encrypted connections, with `--features https` |

pub(crate) mod address;
pub(crate) mod client;
mod secrets;
#[cfg(feature = "https")]
mod tls;

pub use address::{is_one, name};
pub use secrets::without as without_password;

/// The table of a schema that holds a published index: which of its versions is asked.
pub const PUBLISHED: &str = "hopscope_current";

#[cfg(test)]
mod fixture {
    use super::address::Around;
    use std::path::PathBuf;
    use tempfile::TempDir;

    /// An environment and a home of a test's own.
    pub struct Room {
        variables: Vec<(&'static str, &'static str)>,
        home: TempDir,
    }

    impl Room {
        pub fn new(variables: &[(&'static str, &'static str)]) -> Room {
            Room {
                variables: variables.to_vec(),
                home: TempDir::new().unwrap(),
            }
        }

        /// Writes a file of the user that nobody else may read.
        pub fn file(&self, name: &str, text: &str) -> PathBuf {
            let path = self.home.path().join(name);
            std::fs::write(&path, text).unwrap();
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            }
            path
        }
    }

    impl Around for Room {
        fn variable(&self, name: &str) -> Option<String> {
            let found = self.variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        }

        fn home(&self) -> Option<PathBuf> {
            Some(self.home.path().to_owned())
        }
    }
}
