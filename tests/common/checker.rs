//! JSON held against a schema.

use serde_json::{Map, Value};

/// Whether a value is what a schema says; if not, where and why.
pub fn checked(schema: &Value, value: &Value) -> Result<(), String> {
    Checker { root: schema }.check(schema, value, "")
}

/// Holds values against the keywords that our schemas have; another keyword is an error.
struct Checker<'a> {
    root: &'a Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let keywords = match schema {
            Value::Bool(true) => return Ok(()),
            Value::Bool(false) => return Err(format!("{at}: nothing may be here")),
            Value::Object(keywords) => keywords,
            other => return Err(format!("{at}: no schema: {other}")),
        };
        for (keyword, said) in keywords {
            let fits = match &**keyword {
                "$schema" | "$id" | "$defs" | "title" | "description" => Ok(()),
                "$ref" => self.check(self.named(said), value, at),
                "type" => typed(said, value),
                "const" => same(said == value),
                "enum" => same(said.as_array().unwrap().contains(value)),
                "minimum" => same(value.as_f64().is_none_or(|v| Some(v) >= said.as_f64())),
                "maximum" => same(value.as_f64().is_none_or(|v| Some(v) <= said.as_f64())),
                "minItems" => same(value.as_array().is_none_or(|all| all.len() >= whole(said))),
                "maxItems" => same(value.as_array().is_none_or(|all| all.len() <= whole(said))),
                "anyOf" | "oneOf" => self.either(said, value, at),
                "required" => self.required(said, value),
                "properties" => self.fields(keywords, value, at),
                "additionalProperties" if keywords.contains_key("properties") => Ok(()),
                "additionalProperties" | "patternProperties" => self.fields(keywords, value, at),
                "prefixItems" => self.items(said, value, at),
                "items" => {
                    let all = value.as_array().into_iter().flatten().enumerate();
                    let mut all =
                        all.map(|(n, item)| self.check(said, item, &format!("{at}[{n}]")));
                    all.find(Result::is_err).unwrap_or(Ok(()))
                }
                other => panic!("{at}: the keyword {other} is not checked"),
            };
            fits.map_err(|why| match why.is_empty() {
                true => format!("{at}: {keyword} is {said}, found {value}"),
                false => why,
            })?;
        }
        Ok(())
    }

    fn named(&self, said: &Value) -> &Value {
        let pointer = said.as_str().and_then(|said| said.strip_prefix('#'));
        self.root.pointer(pointer.unwrap()).unwrap()
    }

    fn either(&self, said: &Value, value: &Value, at: &str) -> Result<(), String> {
        let all = said.as_array().unwrap().iter();
        let mut all = all.map(|one| self.check(one, value, at));
        let mut why = Vec::new();
        all.find_map(|tried| tried.map_err(|said| why.push(said)).ok())
            .ok_or_else(|| why.join(" | "))
    }

    fn required(&self, said: &Value, value: &Value) -> Result<(), String> {
        let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
        // A value of another type may be allowed.
        same(!value.is_object() || said.as_array().unwrap().iter().all(has))
    }

    fn fields(&self, keywords: &Map<String, Value>, value: &Value, at: &str) -> Result<(), String> {
        for (key, value) in value.as_object().into_iter().flatten() {
            let number = || key.bytes().all(|b| b.is_ascii_digit()).then_some(r"^\d+$");
            let own = keywords.get("properties").and_then(|all| all.get(key));
            let like = keywords.get("patternProperties");
            let like = like.and_then(|all| all.get(number()?));
            let rest = keywords.get("additionalProperties");
            let schema = own.or(like).or(rest).unwrap_or(&Value::Bool(true));
            self.check(schema, value, &format!("{at}.{key}"))?;
        }
        Ok(())
    }

    fn items(&self, said: &Value, value: &Value, at: &str) -> Result<(), String> {
        let pairs = said.as_array().into_iter().zip(value.as_array());
        for (schema, item) in pairs.flat_map(|(schemas, items)| schemas.iter().zip(items)) {
            self.check(schema, item, at)?;
        }
        Ok(())
    }
}

/// Without a reason: the keyword is one.
fn same(holds: bool) -> Result<(), String> {
    holds.then_some(()).ok_or_else(String::new)
}

fn whole(number: &Value) -> usize {
    number.as_u64().unwrap() as usize
}

fn typed(said: &Value, value: &Value) -> Result<(), String> {
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        // No output has one below zero.
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    };
    let kinds = said
        .as_array()
        .map_or(std::slice::from_ref(said), |all| all);
    same(kinds.iter().any(|kind| is(kind.as_str().unwrap())))
}
