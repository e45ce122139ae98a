//! The first record of a JSON file, as far as it lies in the file's head: enough to tell the format.

use super::json::Record;
use serde::Deserializer as _;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use std::fmt;

/// The start of the first record, as far as it lies in the head of a file.
#[derive(Default)]
pub(super) struct Opening {
    /// It stands in an array.
    pub in_array: bool,
    pub record: Record,
}

/// Looks at the first object in `head`. A value cut off by the head's end shows as null.
pub(super) fn opening(head: &[u8]) -> Option<Opening> {
    let start = head.trim_ascii_start();
    let in_array = match start.first()? {
        b'[' => true,
        b'{' => false,
        _ => return None,
    };
    let mut record = Record::new();
    // An error here is a visitor that has seen enough, or the end of the head: the record tells.
    let _ = serde_json::Deserializer::from_slice(start).deserialize_any(Peek(&mut record));
    (!record.is_empty()).then_some(Opening { in_array, record })
}

struct Peek<'a>(&'a mut Record);

impl<'de> de::DeserializeSeed<'de> for Peek<'_> {
    type Value = ();
    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Peek<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object or an array of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        const ENOUGH: usize = 32;
        while let Some(key) = map.next_key::<String>()? {
            self.0.insert(key.clone(), Value::Null);
            self.0.insert(key, map.next_value()?);
            if self.0.len() >= ENOUGH {
                return Err(de::Error::custom("seen enough"));
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        elements.next_element_seed(Self(self.0))?;
        Err(de::Error::custom("seen enough"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_record_is_seen_though_the_head_ends_in_it() {
        for (head, in_array, keys) in [
            ("{\"a\": 1, \"b\": \"cut of", false, &["a", "b"][..]),
            (
                " [\n{\"a\": [1], \"b\": {}}, {\"c\": 1}]",
                true,
                &["a", "b"],
            ),
            ("{\"a\": 1}\n{\"b\": 2}", false, &["a"]),
        ] {
            let opening = opening(head.as_bytes()).unwrap();
            assert_eq!(
                (
                    opening.in_array,
                    opening
                        .record
                        .keys()
                        .map(String::as_str)
                        .collect::<Vec<_>>()
                ),
                (in_array, keys.to_vec())
            );
        }
        for head in ["", "words", "[1, 2]", "{}", "{oops"] {
            assert!(opening(head.as_bytes()).is_none(), "{head}");
        }
    }
}
