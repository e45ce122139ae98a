//! The shape of a task's output: said to the model as JSON Schema, and what its answer is read by.
//!
//! An answer is read leniently: servers that do not decode by a schema add fields, leave some out and write numbers as
//! texts. What cannot be read costs the smallest piece it stands in, an optional field or an element of a list, and is
//! counted; only an answer whose own required fields cannot be read is none.

use serde_json::{Map, Number, Value, json};

/// A shape.
#[derive(Clone, Debug)]
pub enum Schema {
    /// A string; `true` when it may not be blank. One that may is blank where it is missing.
    Text(bool),
    /// A number; this one where it is missing.
    Number(f64),
    /// A whole number of at least this.
    Integer(i64),
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// This, or null, or absent.
    Maybe(Box<Schema>),
    /// Elements, of which some may be dropped; none where it is missing.
    List(Box<Schema>),
    /// Elements that mean nothing without each other: one that cannot be read spoils all.
    Whole(Box<Schema>),
    /// An object whose names are free.
    Map(Box<Schema>),
    /// Other fields than these are passed over.
    Object(Vec<Field>),
    /// One of several objects, told apart by the string in the named field. Closed: a field that is not known could change
    /// what such an object does.
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

pub fn whole(of: Schema) -> Schema {
    Schema::Whole(Box::new(of))
}

pub fn maybe(of: Schema) -> Schema {
    Schema::Maybe(Box::new(of))
}

pub fn object<const N: usize>(fields: [Field; N]) -> Schema {
    Schema::Object(fields.into())
}

/// What of an answer could not be read and was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dropped {
    pub pieces: usize,
    /// What was wrong with the first.
    pub first: Option<String>,
}

impl Dropped {
    fn piece(&mut self, why: String) {
        self.pieces += 1;
        self.first.get_or_insert(why);
    }
}

impl Schema {
    /// As JSON Schema, in the subset that servers with strict decoding take.
    pub fn json(&self) -> Value {
        match self {
            Schema::Text(_) => json!({"type": "string"}),
            Schema::Number(_) => json!({"type": "number"}),
            Schema::Integer(_) => json!({"type": "integer"}),
            Schema::OneOf(names) => json!({"type": "string", "enum": names}),
            Schema::Maybe(of) => json!({"anyOf": [of.json(), {"type": "null"}]}),
            Schema::List(of) | Schema::Whole(of) => json!({"type": "array", "items": of.json()}),
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
            Schema::Maybe(of) | Schema::List(of) | Schema::Whole(of) => of.strict(),
            Schema::Object(fields) => fields.iter().all(|(_, of)| of.strict()),
            Schema::Tagged(_, kinds) => {
                let mut fields = kinds.iter().flat_map(|(_, fields)| fields);
                fields.all(|(_, of)| of.strict())
            }
            _ => true,
        }
    }

    /// The value in this shape, and what of it was left out.
    ///
    /// # Errors
    /// Where the value cannot be read at all, and what was expected there.
    pub fn mend(&self, value: Value) -> Result<(Value, Dropped), String> {
        let mut dropped = Dropped::default();
        let value = self.at("answer", value, &mut dropped)?;
        Ok((value, dropped))
    }

    /// What stands for it where it is missing; nothing where it may not be.
    fn default(&self) -> Option<Value> {
        match self {
            Schema::Text(false) => Some(json!("")),
            Schema::Number(usual) => Some(json!(usual)),
            Schema::Maybe(_) => Some(Value::Null),
            Schema::List(_) => Some(json!([])),
            Schema::Map(_) => Some(json!({})),
            _ => None,
        }
    }

    fn at(&self, place: &str, value: Value, dropped: &mut Dropped) -> Result<Value, String> {
        let expected = |what: &str, found: &Value| {
            Err(format!("{place}: expected {what}; found {}", kind(found)))
        };
        match (self, value) {
            (Schema::Text(filled), Value::String(text)) => {
                match *filled && text.trim().is_empty() {
                    true => Err(format!("{place}: expected a text; found an empty one")),
                    false => Ok(Value::String(text)),
                }
            }
            (Schema::Text(_), Value::Number(number)) => Ok(Value::String(number.to_string())),
            (Schema::Text(_), other) => expected("a string", &other),
            (Schema::Number(_), value) => match number(&value).and_then(Number::from_f64) {
                Some(number) => Ok(Value::Number(match value {
                    Value::Number(own) => own,
                    _ => number,
                })),
                None => expected("a number", &value),
            },
            (Schema::Integer(least), value) => match whole_number(&value) {
                Some(number) if number >= *least => Ok(json!(number)),
                Some(number) => Err(format!("{place}: expected {least} or more; found {number}")),
                None => expected("a whole number", &value),
            },
            (Schema::OneOf(names), Value::String(name)) => {
                let same = |own: &&&str| own.eq_ignore_ascii_case(name.trim());
                match names.iter().find(same) {
                    Some(own) => Ok(json!(own)),
                    None => Err(format!(
                        "{place}: expected one of {}; found '{}'",
                        names.join(", "),
                        short(&name)
                    )),
                }
            }
            (Schema::OneOf(_), other) => expected("a string", &other),
            (Schema::Maybe(_), Value::Null) => Ok(Value::Null),
            (Schema::Maybe(of), value) => of.at(place, value, dropped),
            (Schema::Whole(of), Value::Array(items)) => (items.into_iter().enumerate())
                .map(|(i, item)| of.at(&format!("{place}[{i}]"), item, dropped))
                .collect(),
            (Schema::List(of), Value::Array(items)) => {
                let items = items.into_iter().enumerate();
                Ok(items
                    .filter_map(|(i, item)| of.piece(&format!("{place}[{i}]"), item, dropped))
                    .collect())
            }
            (Schema::List(_) | Schema::Whole(_), other) => expected("an array", &other),
            (Schema::Map(of), Value::Object(map)) => {
                let items = map.into_iter();
                let kept = items.filter_map(|(name, item)| {
                    let item = of.piece(&format!("{place}.{}", short(&name)), item, dropped)?;
                    Some((name, item))
                });
                Ok(Value::Object(kept.collect()))
            }
            (Schema::Object(fields), Value::Object(map)) => members(place, fields, map, dropped),
            (Schema::Tagged(tag, kinds), Value::Object(map)) => {
                let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
                let found = map.get(*tag).and_then(Value::as_str);
                match kinds.iter().find(|(name, _)| Some(*name) == found) {
                    Some((name, fields)) => {
                        let place = format!("{place} ({name})");
                        let known = |own: &str| own == *tag || fields.iter().any(|f| f.0 == own);
                        if let Some(name) = map.keys().find(|name| !known(name)) {
                            return Err(format!("{place}: unknown field '{}'", short(name)));
                        }
                        let mut read = members(&place, fields, map, dropped)?;
                        read[*tag] = json!(name);
                        Ok(read)
                    }
                    None => Err(format!(
                        "{place}.{tag}: expected one of {}; found {}",
                        names.join(", "),
                        found.map_or("none".into(), |name| format!("'{}'", short(name)))
                    )),
                }
            }
            (Schema::Map(_) | Schema::Object(_) | Schema::Tagged(..), other) => {
                expected("an object", &other)
            }
        }
    }

    /// An element among others: dropped, as one piece, where it cannot be read.
    fn piece(&self, place: &str, value: Value, dropped: &mut Dropped) -> Option<Value> {
        let before = dropped.clone();
        self.at(place, value, dropped)
            .map_err(|why| {
                *dropped = before;
                dropped.piece(why);
            })
            .ok()
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
    mut map: Map<String, Value>,
    dropped: &mut Dropped,
) -> Result<Value, String> {
    let mut read = Map::new();
    for (name, of) in fields {
        let given = map.remove(*name).filter(|value| !value.is_null());
        let value = match (given, of.default()) {
            (Some(value), usual) => match of.at(&format!("{place}.{name}"), value, dropped) {
                Ok(value) => value,
                Err(why) => {
                    let usual = usual.ok_or_else(|| why.clone())?;
                    dropped.piece(why);
                    usual
                }
            },
            (None, Some(usual)) => usual,
            (None, None) => return Err(format!("{place}: the field '{name}' is missing")),
        };
        read.insert((*name).into(), value);
    }
    Ok(Value::Object(read))
}

/// A number, or a text that is one.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

/// The same without a fraction.
fn whole_number(value: &Value) -> Option<i64> {
    let exact = value.as_i64();
    let whole = || number(value).filter(|n| n.fract() == 0.0 && n.abs() < 2f64.powi(53));
    exact.or_else(|| whole().map(|n| n as i64))
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
            ("scores", whole(Schema::Number(1.0))),
            ("rank", Schema::Integer(1)),
            ("side", Schema::OneOf(&["left", "right"])),
            ("columns", Schema::Map(Box::new(text()))),
        ])
    }

    fn good() -> Value {
        json!({"name": "a", "note": null, "scores": [1, 2.5], "rank": 1, "side": "left", "columns": {"x": "y"}})
    }

    #[test]
    fn what_fits_stays_as_it_is_and_what_is_required_is_named_by_its_place() {
        assert_eq!(shape().mend(good()).unwrap(), (good(), Dropped::default()));
        for (name, wrong, says) in [
            (
                "name",
                json!([]),
                "answer.name: expected a string; found an array",
            ),
            (
                "name",
                json!(" "),
                "answer.name: expected a text; found an empty one",
            ),
            ("name", Value::Null, "answer: the field 'name' is missing"),
            ("scores", json!({}), "answer.scores: expected an array"),
            (
                "scores",
                json!([1, null]),
                "answer.scores[1]: expected a number; found null",
            ),
            ("scores", json!(["inf"]), "expected a number"),
            ("rank", json!(0), "expected 1 or more; found 0"),
            ("rank", json!(1.5), "expected a whole number"),
            ("rank", json!("1e40"), "expected a whole number"),
            (
                "side",
                json!("up"),
                "expected one of left, right; found 'up'",
            ),
            ("side", json!(true), "found true or false"),
        ] {
            let mut bad = good();
            bad[name] = wrong;
            let said = shape().mend(bad).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
        let said = shape().mend(json!([])).unwrap_err();
        assert!(said.contains("expected an object"), "{said}");
        assert!(!shape().strict());
    }

    #[test]
    fn what_can_be_read_is_read() {
        let loose = json!({"name": 1984, "scores": ["7", " 2.5 ", 3], "rank": "2", "side": " Left", "comment": "ok"});
        let read = json!({"name": "1984", "note": null, "scores": [7.0, 2.5, 3], "rank": 2, "side": "left", "columns": {}});
        assert_eq!(
            shape().mend(loose).unwrap(),
            (read.clone(), Dropped::default())
        );
        let mut again = read.clone();
        again["rank"] = json!(2.0);
        assert_eq!(shape().mend(again).unwrap().0, read);
    }

    #[test]
    fn the_smallest_piece_that_cannot_be_read_is_dropped_and_counted() {
        let things = object([(
            "things",
            list(object([
                ("name", text()),
                ("kind", Schema::Text(false)),
                ("weight", Schema::Number(1.0)),
                ("parts", list(text())),
            ])),
        )]);
        let (read, dropped) = things
            .mend(json!({"things": [
                {"name": "a", "kind": "b", "weight": "7", "parts": ["x", "", 3]},
                {"name": "", "kind": "b", "parts": [[]]},
                "c",
                {"name": "d", "kind": ["e"], "weight": "heavy", "parts": "none"},
                {"name": "f"},
            ]}))
            .unwrap();
        let kept = json!({"things": [
            {"name": "a", "kind": "b", "weight": 7.0, "parts": ["x", "3"]},
            {"name": "d", "kind": "", "weight": 1.0, "parts": []},
            {"name": "f", "kind": "", "weight": 1.0, "parts": []},
        ]});
        assert_eq!(read, kept);
        // An element counts once, whatever else is wrong within it.
        assert_eq!(dropped.pieces, 1 + 1 + 1 + 3);
        assert_eq!(
            dropped.first.unwrap(),
            "answer.things[0].parts[1]: expected a text; found an empty one"
        );
        let (read, dropped) = things.mend(json!({"things": "none"})).unwrap();
        assert_eq!((read, dropped.pieces), (json!({"things": []}), 1));
    }

    #[test]
    fn tagged_objects_are_told_apart_by_their_tag_and_taken_whole() {
        let shape = whole(Schema::Tagged(
            "op",
            vec![("limit", vec![("k", Schema::Integer(1))]), ("all", vec![])],
        ));
        assert!(shape.strict());
        let (read, dropped) = shape
            .mend(json!([{"op": "limit", "k": "3"}, {"op": "all"}]))
            .unwrap();
        assert_eq!(read, json!([{"k": 3, "op": "limit"}, {"op": "all"}]));
        assert_eq!(dropped.pieces, 0);
        for (wrong, says) in [
            (
                json!([{"op": "all"}, {"op": "drop"}]),
                "answer[1].op: expected one of limit, all; found 'drop'",
            ),
            (json!([{"k": 1}]), "found none"),
            (
                json!([{"op": "limit", "k": 0}]),
                "answer[0] (limit).k: expected 1 or more",
            ),
            (
                json!([{"op": "all", "but": 1}]),
                "answer[0] (all): unknown field 'but'",
            ),
        ] {
            let said = shape.mend(wrong).unwrap_err();
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
