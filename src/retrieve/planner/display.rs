//! A plan as a query that a person can read, in the manner of Cypher.

use super::plan::{Direction, Op};
use crate::exchange::schema::{FieldKind, Schema};

/// `MATCH (a:Place {name = "Vienna"})<-[:BORN_IN]-(x:Scientist) WHERE x.born < 1900 RETURN x LIMIT 10`. An operator that
/// nothing uses is not part of it.
pub fn query(schema: &Schema, ops: &[Op]) -> String {
    let Some(last) = ops.len().checked_sub(1) else {
        return "no plan".into();
    };
    let mut text = Text {
        ops,
        schema,
        names: 0,
        conditions: Vec::new(),
    };
    let (mut set, mut tail) = (last, String::new());
    if let Op::Limit { set: ranked, k } = &ops[set] {
        tail = format!(" LIMIT {k}");
        set = *ranked;
    }
    if let Op::Rank { set: inner, text } = &ops[set] {
        tail = format!(" ORDER BY relevance(x, \"{text}\"){tail}");
        set = *inner;
    }
    let patterns = text.patterns(set, "x", true);
    let mut query = format!("MATCH {}", patterns.join(", "));
    if !text.conditions.is_empty() {
        query += &format!(" WHERE {}", text.conditions.join(" AND "));
    }
    query + " RETURN x" + &tail
}

struct Text<'p> {
    ops: &'p [Op],
    schema: &'p Schema,
    names: usize,
    conditions: Vec<String>,
}

impl Text<'_> {
    /// The patterns that bind a variable to a set; its type is said where it first stands.
    fn patterns(&mut self, set: usize, variable: &str, first: bool) -> Vec<String> {
        let node = |kind: &str, inner: &str| match first {
            true => format!("({variable}:{kind}{inner})"),
            false => format!("({variable}{inner})"),
        };
        match &self.ops[set] {
            Op::Cand {
                kind,
                field,
                text,
                n,
            } => {
                self.conditions
                    .push(format!("{variable}.{field} NEAR \"{text}\" [{n}]"));
                // A variable that is there already needs no pattern of its own.
                if first {
                    vec![node(kind, "")]
                } else {
                    Vec::new()
                }
            }
            Op::Match {
                kind,
                field,
                test,
                value,
            } => {
                let number = self.schema.type_by_name(kind).is_some_and(|at| {
                    let field = self.schema.types[at].field(field);
                    field.is_some_and(|f| f.kind == FieldKind::Number)
                });
                let value = if number {
                    value.clone()
                } else {
                    format!("\"{value}\"")
                };
                vec![node(kind, &format!(" {{{field} {test} {value}}}"))]
            }
            Op::Expand {
                set,
                edge,
                direction,
                kind,
            } => {
                self.names += 1;
                let inner = name(self.names);
                let mut patterns = self.patterns(*set, &inner, true);
                let arrow = match direction {
                    Direction::Out => format!("-[:{edge}]->"),
                    Direction::In => format!("<-[:{edge}]-"),
                };
                // The last pattern ends with the inner variable, unless sets were combined there.
                let ends = patterns
                    .last()
                    .is_some_and(|p| p.ends_with(')') && p.contains(&format!("({inner}")));
                let alone = patterns.len() == 1 && ends;
                if alone {
                    let chain = patterns.pop().unwrap_or_default();
                    patterns.push(format!("{chain}{arrow}{}", node(kind, "")));
                } else {
                    patterns.push(format!("({inner}){arrow}{}", node(kind, "")));
                }
                patterns
            }
            Op::Filter {
                set,
                field,
                test,
                value,
            } => {
                let patterns = self.patterns(*set, variable, first);
                let number = value.parse::<f64>().is_ok();
                let value = if number {
                    value.clone()
                } else {
                    format!("\"{value}\"")
                };
                self.conditions
                    .push(format!("{variable}.{field} {test} {value}"));
                patterns
            }
            Op::Intersect { sets } => {
                let mut patterns = Vec::new();
                for (i, set) in sets.iter().enumerate() {
                    patterns.extend(self.patterns(*set, variable, first && i == 0));
                }
                patterns
            }
            Op::Union { sets } => {
                let part = |set: &usize| {
                    let mut inner = Text {
                        ops: self.ops,
                        schema: self.schema,
                        names: self.names,
                        conditions: Vec::new(),
                    };
                    let patterns = inner.patterns(*set, variable, true).join(", ");
                    self.names = inner.names;
                    match inner.conditions.is_empty() {
                        true => format!("MATCH {patterns}"),
                        false => {
                            format!("MATCH {patterns} WHERE {}", inner.conditions.join(" AND "))
                        }
                    }
                };
                let parts: Vec<String> = sets.iter().map(part).collect();
                vec![format!(
                    "CALL {{{} RETURN {variable}}}",
                    parts.join(&format!(" RETURN {variable} UNION "))
                )]
            }
            Op::Rank { set, .. } | Op::Limit { set, .. } => self.patterns(*set, variable, first),
        }
    }
}

/// `a`, `b`, ... `w`, then `n24` and so on; `x` is the answer.
fn name(number: usize) -> String {
    match u8::try_from(number).ok().filter(|n| (1..=23).contains(n)) {
        Some(n) => char::from(b'a' + n - 1).to_string(),
        None => format!("n{number}"),
    }
}
