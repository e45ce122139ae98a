//! What is believed of a chat reply: its text, its counts, and the JSON value in the text.

use crate::http::{Answer, HeaderValue};
use crate::text::span;
use serde_json::{Deserializer, Value};

/// What one answer cost, as the server counts it; 0 where it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub prompt: u64,
    pub completion: u64,
}

/// Why an answer has no text to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// It ended at a limit of its length: the same asked again would, too.
    Cut,
    Other(String),
}

/// The text of the first choice and what it cost.
///
/// # Errors
/// A body that is no chat completion, a refusal, or an answer that was cut off.
pub fn content(body: &[u8]) -> (Tokens, Result<String, Lack>) {
    let reply: Value = match serde_json::from_slice(body) {
        Ok(reply) => reply,
        Err(e) => {
            return (
                Tokens::default(),
                Err(Lack::Other(format!("no JSON in its answer: {e}"))),
            );
        }
    };
    let count = |name: &str| reply["usage"][name].as_u64().unwrap_or(0);
    let tokens = Tokens {
        prompt: count("prompt_tokens"),
        completion: count("completion_tokens"),
    };
    let choice = &reply["choices"][0];
    let message = &choice["message"];
    let text = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect(),
        _ => match message["refusal"].as_str() {
            Some(said) => {
                let said = format!("the model refused: {}", brief(said));
                return (tokens, Err(Lack::Other(said)));
            }
            None => return (tokens, Err(Lack::Other("no message in its answer".into()))),
        },
    };
    if choice["finish_reason"] == "length" {
        return (tokens, Err(Lack::Cut));
    }
    (tokens, Ok(text))
}

/// Starts of a value that are tried before a text is held to have none.
const STARTS: usize = 256;

/// The text as JSON, or else its first balanced object. Every task's output is an object, so `[1]` in a sentence is not
/// taken for it. What a model thinks aloud before `</think>` is no part of its answer.
///
/// # Errors
/// A text without one.
pub fn value(text: &str) -> Result<Value, String> {
    let text = text
        .rsplit_once("</think>")
        .map_or(text, |(_, after)| after);
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    for (at, _) in text.match_indices('{').take(STARTS) {
        let mut values = Deserializer::from_str(span::of(text, at..)).into_iter::<Value>();
        if let Some(Ok(value)) = values.next() {
            return Ok(value);
        }
    }
    Err("no JSON object in the answer".into())
}

/// Characters that a screen acts on instead of showing: controls but line feed and tab, and those that turn the
/// direction of text or hide it.
fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The value with every such character taken out of its strings and names.
#[must_use]
pub fn cleaned(value: Value) -> Value {
    let clean = |text: String| match text.contains(acts) {
        true => text.chars().filter(|c| !acts(*c)).collect(),
        false => text,
    };
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(map) => (map.into_iter())
            .map(|(name, item)| (clean(name), cleaned(item)))
            .collect(),
        other => other,
    }
}

/// A stranger's words for a message: short and printable.
pub fn brief(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_control() && !acts(*c))
        .take(200)
        .collect()
}

/// How servers say that what is asked does not fit the model: OpenAI's, vLLM's, llama.cpp's, Anthropic's words.
const TOO_LONG: [&str; 7] = [
    "context length",
    "context_length",
    "context size",
    "context window",
    "maximum context",
    "too many tokens",
    "prompt is too long",
];

/// Whether a refusal means that less has to be asked at once.
pub fn too_long(answer: &Answer) -> bool {
    let said = answer.complaint(None).to_lowercase();
    answer.status == 413
        || matches!(answer.status, 400 | 422) && TOO_LONG.iter().any(|words| said.contains(words))
}

/// What a server said of its refusal: short, printable, without the key.
pub fn refusal(answer: &Answer, key: Option<&HeaderValue>) -> String {
    format!(
        "status {}: {}",
        answer.status,
        brief(&answer.complaint(key))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn the_first_balanced_object_is_the_answer() {
        for (text, found) in [
            (r#"{"a": 1}"#, json!({"a": 1})),
            (" [1] ", json!([1])),
            (
                "Sure [1]:\n```json\n{\"a\": \"}\"}\n```\n{\"b\": 2}",
                json!({"a": "}"}),
            ),
            ("{not this} but {\"a\": {}}", json!({"a": {}})),
            ("<think>{\"a\": 1}</think>\n{\"a\": 2}", json!({"a": 2})),
        ] {
            assert_eq!(value(text).unwrap(), found, "{text}");
        }
        for text in ["", "none", "{\"a\": 1", "<think>{\"a\": 1}</think>"] {
            assert!(value(text).is_err(), "{text}");
        }
        // Deep and wide garbage ends soon.
        assert!(value(&"{\"a\":".repeat(200_000)).is_err());
        assert!(value(&"{\"a\":[".repeat(200_000)).is_err());
    }

    #[test]
    fn characters_that_act_are_taken_out() {
        let dirty = json!({"a\u{1b}[2J": ["b\u{7}\u{9b}\r\nc\td\u{202e}e\u{feff}", 1, null]});
        assert_eq!(cleaned(dirty), json!({"a[2J": ["b\nc\tde", 1, null]}));
    }

    #[test]
    fn replies_of_several_forms() {
        let text = |body: Value| content(body.to_string().as_bytes());
        let whole = json!({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}],
                           "usage": {"prompt_tokens": 7, "completion_tokens": 2}});
        let cost = Tokens {
            prompt: 7,
            completion: 2,
        };
        assert_eq!(text(whole), (cost, Ok("x".into())));
        let parts = json!({"choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}}]});
        assert_eq!(text(parts).1, Ok("ab".into()));
        let says = |body: Value| match text(body).1 {
            Err(Lack::Other(said)) => said,
            other => panic!("{other:?}"),
        };
        assert!(says(json!({"choices": []})).contains("no message"));
        assert!(
            says(json!({"choices": [{"message": {"content": null, "refusal": "no\u{1b}"}}]}))
                .ends_with("refused: no")
        );
        let cut = json!({"choices": [{"message": {"content": "{"}, "finish_reason": "length"}]});
        assert_eq!(text(cut).1, Err(Lack::Cut));
        assert!(matches!(content(b"<html>").1, Err(Lack::Other(said)) if said.contains("no JSON")));
    }

    proptest! {
        #[test]
        fn no_text_panics_and_cleaning_is_done_once(text in any::<String>()) {
            let _ = value(&text);
            let once = cleaned(json!([text]));
            prop_assert_eq!(cleaned(once.clone()), once);
        }

        #[test]
        fn an_object_is_found_in_any_prose(before in "[^{}<]{0,40}", after in "[^<]{0,40}", word in "[a-z{}\"]{0,8}") {
            let object = json!({"w": word});
            prop_assert_eq!(value(&format!("{before}{object}{after}")).unwrap(), object);
        }
    }
}
