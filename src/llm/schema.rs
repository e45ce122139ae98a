//! The shape of a task's output: said to the model as JSON Schema, and held against what it answers.

use serde_json::{Map, Value, json};

/// A shape. Objects are closed: a field that is not named here is an error.
#[derive(Clone, Debug)]
pub enum Schema {
    /// A string; `true` when it may not be blank.
    Text(bool),
    Number,
    /// A whole number of at least this.
    Integer(i64),
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// This, or null, or absent.
    Maybe(Box<Schema>),
    List(Box<Schema>),
    /// An object whose names are free.
    Map(Box<Schema>),
    Object(Vec<Field>),
    /// One of several objects, told apart by the string in the named field.
    Tagged(&'static str, Vec<(&'static str, Vec<Field>)>),
}

/// A field of an object.
pub type Field = (&'static str, Schema);

/// A string with something in it.
pub fn text() -> Schema {
    Schema::Text(true)
}

pub fn list(of: Schema) -> Schema {
    Schema::List(Box::new(of))
}

pub fn maybe(of: Schema) -> Schema {
    Schema::Maybe(Box::new(of))
}

pub fn object<const N: usize>(fields: [Field; N]) -> Schema {
    Schema::Object(fields.into())
}

impl Schema {
    /// As JSON Schema, in the subset that servers with strict decoding take.
    pub fn json(&self) -> Value {
        match self {
            Schema::Text(_) => json!({"type": "string"}),
            Schema::Number => json!({"type": "number"}),
            Schema::Integer(_) => json!({"type": "integer"}),
            Schema::OneOf(names) => json!({"type": "string", "enum": names}),
            Schema::Maybe(of) => json!({"anyOf": [of.json(), {"type": "null"}]}),
            Schema::List(of) => json!({"type": "array", "items": of.json()}),
            Schema::Map(of) => json!({"type": "object", "additionalProperties": of.json()}),
            Schema::Object(fields) => closed(fields, None),
            Schema::Tagged(tag, kinds) => {
                let kinds: Vec<Value> = kinds
                    .iter()
                    .map(|(name, fields)| closed(fields, Some((tag, name))))
                    .collect();
                json!({ "anyOf": kinds })
            }
        }
    }

    /// Whether every object is closed, as strict decoding demands.
    pub fn strict(&self) -> bool {
        match self {
            Schema::Map(_) => false,
            Schema::Maybe(of) | Schema::List(of) => of.strict(),
            Schema::Object(fields) => fields.iter().all(|(_, of)| of.strict()),
            Schema::Tagged(_, kinds) => {
                let mut fields = kinds.iter().flat_map(|(_, fields)| fields);
                fields.all(|(_, of)| of.strict())
            }
            _ => true,
        }
    }

    /// # Errors
    /// Where the value is another one than this shape, and what was expected there.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.at("answer", value)
    }

    fn at(&self, place: &str, value: &Value) -> Result<(), String> {
        let expected = |what: &str| Err(format!("{place}: expected {what}; found {}", kind(value)));
        match (self, value) {
            (Schema::Text(true), Value::String(text)) if text.trim().is_empty() => {
                Err(format!("{place}: expected a text; found an empty one"))
            }
            (Schema::Text(_), Value::String(_)) | (Schema::Number, Value::Number(_)) => Ok(()),
            (Schema::Text(_), _) => expected("a string"),
            (Schema::Number, _) => expected("a number"),
            (Schema::Integer(least), _) => match value.as_i64() {
                Some(number) if number >= *least => Ok(()),
                Some(number) => Err(format!("{place}: expected {least} or more; found {number}")),
                None => expected("a whole number"),
            },
            (Schema::OneOf(names), _) => match value.as_str() {
                Some(name) if names.contains(&name) => Ok(()),
                Some(name) => Err(format!(
                    "{place}: expected one of {}; found '{}'",
                    names.join(", "),
                    short(name)
                )),
                None => expected("a string"),
            },
            (Schema::Maybe(_), Value::Null) => Ok(()),
            (Schema::Maybe(of), _) => of.at(place, value),
            (Schema::List(of), Value::Array(items)) => (items.iter().enumerate())
                .try_for_each(|(i, item)| of.at(&format!("{place}[{i}]"), item)),
            (Schema::List(_), _) => expected("an array"),
            (Schema::Map(of), Value::Object(map)) => (map.iter())
                .try_for_each(|(name, item)| of.at(&format!("{place}.{}", short(name)), item)),
            (Schema::Object(fields), Value::Object(map)) => members(place, fields, None, map),
            (Schema::Tagged(tag, kinds), Value::Object(map)) => {
                let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
                let found = map.get(*tag).and_then(Value::as_str);
                match kinds.iter().find(|(name, _)| Some(*name) == found) {
                    Some((name, fields)) => {
                        members(&format!("{place} ({name})"), fields, Some(tag), map)
                    }
                    None => Err(format!(
                        "{place}.{tag}: expected one of {}; found {}",
                        names.join(", "),
                        found.map_or("none".into(), |name| format!("'{}'", short(name)))
                    )),
                }
            }
            (Schema::Map(_) | Schema::Object(_) | Schema::Tagged(..), _) => expected("an object"),
        }
    }
}

fn closed(fields: &[Field], tag: Option<(&&str, &&str)>) -> Value {
    let mut properties = Map::new();
    if let Some((tag, name)) = tag {
        properties.insert((*tag).into(), json!({"type": "string", "enum": [name]}));
    }
    for (name, of) in fields {
        properties.insert((*name).into(), of.json());
    }
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
}

fn members(
    place: &str,
    fields: &[Field],
    tag: Option<&str>,
    map: &Map<String, Value>,
) -> Result<(), String> {
    for (name, of) in fields {
        match (map.get(*name), of) {
            (Some(value), _) => of.at(&format!("{place}.{name}"), value)?,
            (None, Schema::Maybe(_)) => {}
            (None, _) => return Err(format!("{place}: the field '{name}' is missing")),
        }
    }
    let known = |name: &str| Some(name) == tag || fields.iter().any(|(own, _)| *own == name);
    match map.keys().find(|name| !known(name)) {
        Some(name) => Err(format!("{place}: there is no field '{}'", short(name))),
        None => Ok(()),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// What is quoted back of a stranger's text.
fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> Schema {
        object([
            ("name", text()),
            ("note", maybe(Schema::Text(false))),
            ("scores", list(Schema::Number)),
            ("rank", Schema::Integer(1)),
            ("side", Schema::OneOf(&["left", "right"])),
            ("columns", Schema::Map(Box::new(text()))),
        ])
    }

    #[test]
    fn what_fits_passes_and_what_does_not_is_named_by_its_place() {
        let good = json!({"name": "a", "scores": [1, 2.5], "rank": 1, "side": "left", "columns": {"x": "y"}});
        shape().check(&good).unwrap();
        let mut with_null = good.clone();
        with_null["note"] = Value::Null;
        shape().check(&with_null).unwrap();
        for (name, wrong, says) in [
            (
                "name",
                json!(3),
                "answer.name: expected a string; found a number",
            ),
            (
                "name",
                json!(" "),
                "answer.name: expected a text; found an empty one",
            ),
            (
                "note",
                json!([]),
                "answer.note: expected a string; found an array",
            ),
            ("scores", json!({}), "answer.scores: expected an array"),
            (
                "scores",
                json!([1, null]),
                "answer.scores[1]: expected a number; found null",
            ),
            ("rank", json!(0), "expected 1 or more; found 0"),
            ("rank", json!(1.5), "expected a whole number"),
            (
                "side",
                json!("up"),
                "expected one of left, right; found 'up'",
            ),
            ("side", json!(true), "found true or false"),
            (
                "columns",
                json!({"x": 1}),
                "answer.columns.x: expected a string",
            ),
            ("other", json!(1), "answer: there is no field 'other'"),
        ] {
            let mut bad = good.clone();
            bad[name] = wrong;
            let said = shape().check(&bad).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
        let mut lacking = good.clone();
        lacking.as_object_mut().unwrap().remove("rank");
        assert!(
            shape()
                .check(&lacking)
                .unwrap_err()
                .contains("'rank' is missing")
        );
        assert!(
            shape()
                .check(&json!([]))
                .unwrap_err()
                .contains("expected an object")
        );
        assert!(!shape().strict());
    }

    #[test]
    fn tagged_objects_are_told_apart_by_their_tag() {
        let shape = list(Schema::Tagged(
            "op",
            vec![("limit", vec![("k", Schema::Integer(1))]), ("all", vec![])],
        ));
        assert!(shape.strict());
        shape
            .check(&json!([{"op": "limit", "k": 3}, {"op": "all"}]))
            .unwrap();
        for (wrong, says) in [
            (
                json!([{"op": "drop"}]),
                "answer[0].op: expected one of limit, all; found 'drop'",
            ),
            (json!([{"k": 1}]), "found none"),
            (
                json!([{"op": "limit", "k": 0}]),
                "answer[0] (limit).k: expected 1 or more",
            ),
            (
                json!([{"op": "all", "k": 1}]),
                "answer[0] (all): there is no field 'k'",
            ),
        ] {
            let said = shape.check(&wrong).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
        let said = shape.json();
        assert_eq!(said["items"]["anyOf"][0]["required"], json!(["op", "k"]));
        assert_eq!(
            said["items"]["anyOf"][1]["additionalProperties"],
            json!(false)
        );
    }
}
