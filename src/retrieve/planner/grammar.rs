//! The grammar of plans: what passes here can be run, and nothing else is.

use super::plan::{Direction, MOST_OPS, Op, Test};
use crate::exchange::schema::{FieldKind, NAME, Schema};

const MOST_CHARS: usize = 1_000;
const MOST_LIMIT: usize = 1_000;

/// Holds a plan against the grammar and the schema, and gives the types that each set may hold, ascending.
///
/// # Errors
/// The first operator that does not fit, and why. One such rejects the whole plan.
pub fn check(
    schema: &Schema,
    ops: &[Op],
    candidate_limit: usize,
) -> Result<Vec<Vec<usize>>, String> {
    if ops.len() > MOST_OPS {
        return Err(format!("{} operators; at most {MOST_OPS}", ops.len()));
    }
    let mut types: Vec<Vec<usize>> = Vec::new();
    for (i, op) in ops.iter().enumerate() {
        let found = one(schema, &types, ops, op, candidate_limit);
        types.push(found.map_err(|said| format!("operator {i}, {}: {said}", op.name()))?);
    }
    Ok(types)
}

fn one(
    schema: &Schema,
    types: &[Vec<usize>],
    ops: &[Op],
    op: &Op,
    candidate_limit: usize,
) -> Result<Vec<usize>, String> {
    for set in op.inputs() {
        if *set >= types.len() {
            return Err(format!("set {set} is not made before it"));
        }
        if matches!(ops[*set], Op::Limit { .. })
            || (matches!(ops[*set], Op::Rank { .. }) && !matches!(op, Op::Limit { .. }))
        {
            return Err(format!(
                "set {set} is a ranking: only LIMIT takes one, and nothing follows LIMIT"
            ));
        }
    }
    let kind_of = |name: &str| {
        let known = || {
            schema
                .types
                .iter()
                .map(|t| t.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        schema
            .type_by_name(name)
            .ok_or_else(|| format!("no type '{name}'; there are {}", known()))
    };
    let condition = |kinds: &[usize], field: &str, test: Test, value: &str| {
        short(value)?;
        let of = |k: &usize| schema.types[*k].field(field).map(|f| f.kind);
        let kind = match field {
            NAME => Some(FieldKind::Text),
            _ => kinds.iter().find_map(of),
        };
        let names = || {
            kinds
                .iter()
                .map(|k| schema.types[*k].name.as_str())
                .collect::<Vec<_>>()
                .join(" or ")
        };
        let kind = kind.ok_or_else(|| format!("no field '{field}' of {}", names()))?;
        let number = value.trim().parse::<f64>().is_ok_and(f64::is_finite);
        match (kind, test) {
            (FieldKind::Number, Test::Words) => {
                Err(format!("'{field}' is a number: use =, <, <=, > or >="))
            }
            (FieldKind::Number, _) if !number => Err(format!(
                "'{field}' is compared with '{value}', which is not a number"
            )),
            (FieldKind::Text | FieldKind::Long, test) if test.orders() => {
                Err(format!("'{field}' is not a number: use = or ~"))
            }
            _ => Ok(()),
        }
    };
    match op {
        Op::Cand {
            kind,
            field,
            text,
            n,
        } => {
            let at = kind_of(kind)?;
            short(text)?;
            if !schema.types[at].long_fields().any(|f| f.name == *field) {
                return Err(format!("'{field}' is not a long field of {kind}"));
            }
            if *n == 0 || *n > candidate_limit {
                return Err(format!("n is {n}; expected 1 to {candidate_limit}"));
            }
            Ok(vec![at])
        }
        Op::Match {
            kind,
            field,
            test,
            value,
        } => {
            let at = kind_of(kind)?;
            condition(&[at], field, *test, value)?;
            Ok(vec![at])
        }
        Op::Expand {
            set,
            edge,
            direction,
            kind,
        } => {
            let at = kind_of(kind)?;
            if !schema.edges.iter().any(|e| e.name == *edge) {
                let known: Vec<&str> = schema.edges.iter().map(|e| e.name.as_str()).collect();
                return Err(format!("no edge '{edge}'; there are {}", known.join(", ")));
            }
            if edges(schema, &types[*set], edge, *direction, at)
                .next()
                .is_none()
            {
                let way = if *direction == Direction::Out {
                    "out"
                } else {
                    "in"
                };
                return Err(format!(
                    "{edge} does not lead {way} from set {set} to {kind}"
                ));
            }
            Ok(vec![at])
        }
        Op::Filter {
            set,
            field,
            test,
            value,
        } => {
            condition(&types[*set], field, *test, value)?;
            Ok(types[*set].clone())
        }
        Op::Intersect { sets } | Op::Union { sets } => {
            if sets.is_empty() {
                return Err("no sets".into());
            }
            let union = matches!(op, Op::Union { .. });
            let mut all: Vec<usize> = sets
                .iter()
                .flat_map(|s| types[*s].iter().copied())
                .collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|kind| union || sets.iter().all(|s| types[*s].contains(kind)));
            if all.is_empty() {
                return Err("its sets have no type in common".into());
            }
            Ok(all)
        }
        Op::Rank { set, text } => {
            short(text)?;
            Ok(types[*set].clone())
        }
        Op::Limit { set, k } => {
            if !matches!(ops[*set], Op::Rank { .. }) {
                return Err(format!("set {set} is not a ranking"));
            }
            if *k == 0 || *k > MOST_LIMIT {
                return Err(format!("k is {k}; expected 1 to {MOST_LIMIT}"));
            }
            Ok(types[*set].clone())
        }
    }
}

fn short(text: &str) -> Result<(), String> {
    match text.chars().count() {
        _ if text.trim().is_empty() => Err("an empty text".into()),
        chars if chars > MOST_CHARS => Err(format!("a text of {chars} characters")),
        _ => Ok(()),
    }
}

/// The edge types of a name that lead from one of some types to a type.
pub fn edges<'s>(
    schema: &'s Schema,
    from: &'s [usize],
    name: &'s str,
    direction: Direction,
    to: usize,
) -> impl Iterator<Item = usize> + 's {
    (0..schema.edges.len()).filter(move |e| {
        let (a, b) = schema.ends(*e);
        let (start, end) = if direction == Direction::Out {
            (a, b)
        } else {
            (b, a)
        };
        schema.edges[*e].name == name && end == to && from.contains(&start)
    })
}
