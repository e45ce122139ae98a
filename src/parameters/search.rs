//! Where a search over parameters looks: which it may turn, values drawn for one, and the values beside one.

#![warn(missing_docs)]

use super::{
    Domain, FACT_FILTER, FactFilter, Learned, PLAN_BY, Parameter, PlanBy, RANKER, Stage, Value,
};
use crate::random::SplitMix;

/// Whether a search turns a parameter that nobody named: not one whose every value reads the passages again, that trades
/// exactness for time, that says how much is returned, or that asks a language model.
pub fn turned(parameter: Parameter) -> bool {
    use Parameter::{ContextTokens, HnswEfSearch, PlanBy, ResultK, VectorSearch};
    let alone = [ResultK, ContextTokens, VectorSearch, HnswEfSearch, PlanBy];
    parameter.declaration().stage != Stage::Index && !alone.contains(&parameter)
}

/// Whether a search may choose a value: not one that needs a language model or a person's file.
fn offered(parameter: Parameter, value: Value) -> bool {
    let outside = [
        FACT_FILTER.at(FactFilter::Model),
        PLAN_BY.at(PlanBy::Endpoint),
        RANKER.at(Learned::Own),
    ];
    !outside.contains(&(parameter, value))
}

/// Moves of the slider from one end to the other.
fn moves(domain: &Domain) -> usize {
    let moves = match domain {
        Domain::Choice(choices) => choices.len() as f64 - 1.0,
        Domain::Integer { min, max, step, .. } => (max - min) as f64 / *step as f64,
        Domain::Real { min, max, step } => (max - min) / step,
        Domain::Log { min, max, factor } => (max / min).ln() / factor.ln(),
    };
    (moves.round() as usize).max(1)
}

/// The choices that may be taken in the place of one.
fn others(parameter: Parameter, now: Value) -> Vec<Value> {
    let Domain::Choice(choices) = &parameter.declaration().domain else {
        return Vec::new();
    };
    let all = (0..choices.len()).map(Value::Choice);
    all.filter(|value| *value != now && offered(parameter, *value))
        .collect()
}

/// A value at a place of the whole range, 0 to 1; of a choice another one.
pub fn placed(parameter: Parameter, now: Value, place: f64) -> Value {
    let domain = &parameter.declaration().domain;
    if !matches!(domain, Domain::Choice(_)) {
        return domain.at_fraction(place);
    }
    let others = others(parameter, now);
    let at = (place * others.len() as f64) as usize;
    others.get(at).or(others.last()).copied().unwrap_or(now)
}

/// A value drawn for a parameter: another choice; a number half of the time from the whole range, half of the time from
/// near the present one, where near ends is drawn too, since a step may be a little or a lot. It may be the present one
/// where that is at an end of the range or there is no other.
pub fn drawn(parameter: Parameter, now: Value, draw: &mut SplitMix) -> Value {
    let domain = &parameter.declaration().domain;
    let moves = moves(domain);
    if draw.below(2) == 0 || matches!(domain, Domain::Choice(_)) {
        let cells = moves + 1;
        return placed(parameter, now, draw.below(cells) as f64 / moves as f64);
    }
    let scales = (moves / 4).max(1).ilog2() as usize + 1;
    let reach = 1 << draw.below(scales);
    let by = 1 + draw.below(reach) as i64;
    let sign = [-1, 1][draw.below(2)];
    domain.stepped(now, sign * by)
}

/// Values beside one of a number, at most.
pub const BESIDE: usize = 4;

/// The values beside one: every other choice; of a number a small and a large move of the slider down and up.
pub fn beside(parameter: Parameter, now: Value) -> Vec<Value> {
    let domain = &parameter.declaration().domain;
    if matches!(domain, Domain::Choice(_)) {
        return others(parameter, now);
    }
    let moves = moves(domain);
    let (small, large) = ((moves / 50).max(1) as i64, (moves / 10).max(2) as i64);
    let by: [i64; BESIDE] = [-large, -small, small, large];
    let mut values: Vec<Value> = by.map(|by| domain.stepped(now, by)).into();
    values.dedup();
    values.retain(|value| *value != now);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_of_a_search_is_one_of_its_domain(seed: u64, place in 0.0..=1.0f64) {
            let mut draw = SplitMix::new(seed);
            for parameter in Parameter::ALL {
                let domain = &parameter.declaration().domain;
                let now = domain.at_fraction(place);
                let value = drawn(*parameter, now, &mut draw);
                let beside = beside(*parameter, now);
                prop_assert!(!beside.contains(&now), "{}", parameter.id());
                for value in beside.into_iter().chain([value]) {
                    prop_assert!(domain.contains(value), "{} {value:?}", parameter.id());
                    prop_assert!(value == now || offered(*parameter, value));
                    // As a person writes it, it is the same value.
                    prop_assert_eq!(domain.parse(&domain.format(value)), Ok(value));
                }
            }
        }
    }

    #[test]
    fn draws_come_from_the_whole_range() {
        let mut draw = SplitMix::new(1);
        let now = Parameter::Alpha.declaration().default;
        let all = (0..200).map(|_| drawn(Parameter::Alpha, now, &mut draw));
        let places = all.map(|value| Parameter::Alpha.declaration().domain.fraction(value));
        let (low, high) = places.fold((1.0, 0.0), |(low, high): (f64, f64), at| {
            (low.min(at), high.max(at))
        });
        assert!(low < 0.1 && high > 0.9, "{low} {high}");
    }
}
