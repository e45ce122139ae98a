//! Answers on disk, one file each, named by what was asked. A killed run leaves whole files only and goes on from them.

use super::LlmError;
use super::task::Spec;
use crate::journal::replace;
use crate::text::span;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of answers. Several runs may share it.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// What one file holds. Neither the input nor the address nor a key of the server is among it.
#[derive(Serialize, Deserialize)]
struct Entry {
    model: String,
    task: String,
    version: u32,
    output: Value,
}

/// SHA-256 of (model, task, version, canonical input) as 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    pub fn new(model: &str, spec: &Spec, input: &Value) -> Key {
        let whole = Value::from(vec![
            Value::from(model),
            Value::from(spec.name),
            Value::from(spec.version),
            canonical(input),
        ]);
        let digest = Sha256::digest(whole.to_string());
        Key(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The value with the fields of every object in order of their names.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            let fields = fields.into_iter();
            Value::Object(
                fields
                    .map(|(n, v)| (n.clone(), canonical(v)))
                    .collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => items.iter().map(canonical).collect(),
        other => other.clone(),
    }
}

impl Cache {
    /// # Errors
    /// A folder that cannot be made.
    pub fn open(folder: &Path) -> Result<Cache, LlmError> {
        fs::create_dir_all(folder).map_err(|source| LlmError::Cache {
            path: folder.to_owned(),
            source,
        })?;
        Ok(Cache {
            folder: folder.to_owned(),
        })
    }

    /// An answer, where there is a whole one. What is torn or another's is no answer, and the next one replaces it.
    pub fn get(&self, model: &str, spec: &Spec, key: &Key) -> Option<Value> {
        let entry: Entry = serde_json::from_slice(&fs::read(self.path(key)).ok()?).ok()?;
        let own = entry.model == model && entry.task == spec.name && entry.version == spec.version;
        own.then_some(entry.output)
    }

    /// Whether [`Cache::get`] has a file to read.
    pub fn has(&self, key: &Key) -> bool {
        self.path(key).is_file()
    }

    /// Keeps an answer: written aside, flushed to the disk, renamed.
    ///
    /// # Errors
    /// A full or read-only disk.
    pub fn put(&self, model: &str, spec: &Spec, key: &Key, output: &Value) -> std::io::Result<()> {
        let path = self.path(key);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let entry = Entry {
            model: model.to_owned(),
            task: spec.name.to_owned(),
            version: spec.version,
            output: output.clone(),
        };
        replace(&path, &serde_json::to_vec(&entry)?)
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder
            .join(span::clipped(&key.0, ..2))
            .join(format!("{}.json", key.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::task::{Hyde, Merge, Task};
    use serde_json::json;

    #[test]
    fn a_key_is_the_digest_of_all_four_and_of_no_order() {
        let key = |model: &str, spec: &Spec, input: Value| Key::new(model, spec, &input).0;
        let one = key("m", Hyde::SPEC, json!({"b": {"y": 1, "x": [2]}, "a": "é"}));
        let two = key("m", Hyde::SPEC, json!({"a": "é", "b": {"x": [2], "y": 1}}));
        assert_eq!(one, two);
        // sha256sum of: ["m","hyde",1,{"a":"é","b":{"x":[2],"y":1}}]
        assert_eq!(
            one,
            "e68f2e107ba7d1d45b4e0cd6a8ed8812b9c5e612dbcb59b108258d1229391335"
        );
        let other = Spec {
            version: 2,
            ..Spec {
                name: "hyde",
                version: 1,
                about: "",
                schema: Hyde::SPEC.schema,
            }
        };
        let input = || json!({"a": "é", "b": {"x": [2], "y": 1}});
        let keys = [
            one,
            key("n", Hyde::SPEC, input()),
            key("m", Merge::SPEC, input()),
            key("m", &other, input()),
            key(
                "m",
                Hyde::SPEC,
                json!({"a": "é", "b": {"x": [2], "y": 1.5}}),
            ),
        ];
        for (i, a) in keys.iter().enumerate() {
            assert!(keys[..i].iter().all(|b| a != b));
        }
    }

    #[test]
    fn answers_are_kept_whole_and_torn_ones_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("answers")).unwrap();
        let key = Key::new("m", Hyde::SPEC, &json!({"text": "x"}));
        assert!(!cache.has(&key) && cache.get("m", Hyde::SPEC, &key).is_none());
        cache
            .put("m", Hyde::SPEC, &key, &json!({"text": "a"}))
            .unwrap();
        assert_eq!(cache.get("m", Hyde::SPEC, &key), Some(json!({"text": "a"})));
        assert_eq!(cache.get("other", Hyde::SPEC, &key), None);
        let whole = fs::read(cache.path(&key)).unwrap();
        for cut in 0..whole.len() {
            fs::write(cache.path(&key), &whole[..cut]).unwrap();
            assert_eq!(cache.get("m", Hyde::SPEC, &key), None);
        }
        cache
            .put("m", Hyde::SPEC, &key, &json!({"text": "b"}))
            .unwrap();
        assert_eq!(cache.get("m", Hyde::SPEC, &key), Some(json!({"text": "b"})));
        let shelf = cache.path(&key).parent().unwrap().to_owned();
        assert_eq!(
            fs::read_dir(shelf).unwrap().count(),
            1,
            "nothing is left beside"
        );
    }

    #[test]
    fn a_folder_that_cannot_be_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Cache::open(&file.path().join("x")).unwrap_err().to_string();
        assert!(error.contains(&*file.path().to_string_lossy()), "{error}");
    }
}
