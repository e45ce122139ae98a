//! The settings that a search may try: changes of today's, each of which acts.

use crate::evaluate::sweep::{Changes, changed};
use crate::parameters::search::{BESIDE, beside, drawn, placed, turned};
use crate::parameters::{Parameter, Value};
use crate::random::SplitMix;
use crate::retrieve::Settings;

/// Most parameters that one drawn setting changes.
pub(super) const TOGETHER: usize = 6;
/// Draws for each setting that is wanted: some come to one that is there.
const DRAWS: usize = 20;
/// Multiples of it fall apart evenly on a line from 0 to 1, however many there are.
const GOLDEN: f64 = 0.618_033_988_749_895;
/// Places on that line where they may start.
const PLACES: usize = 1 << 20;

/// Settings around today's.
#[derive(Debug)]
pub struct Space {
    today: Settings,
    parameters: Vec<Parameter>,
}

impl Space {
    /// Over these parameters of the method; without any over all that a search may turn.
    ///
    /// # Errors
    /// A parameter that the method does not read.
    pub fn new(today: &Settings, only: &[Parameter]) -> Result<Space, String> {
        let uses = today.method().uses();
        if let Some(other) = only.iter().find(|p| !uses.contains(p)) {
            let method = &today.method().name;
            return Err(format!("{method} does not read {}", other.id()));
        }
        let free = |p: &Parameter| match only {
            [] => turned(*p),
            only => only.contains(p),
        };
        Ok(Space {
            parameters: uses.into_iter().filter(free).collect(),
            today: today.clone(),
        })
    }

    /// Today's settings.
    pub fn today(&self) -> &Settings {
        &self.today
    }

    /// The parameters that are searched.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// How many settings there are with one parameter moved, at most.
    pub(super) fn beside(&self) -> usize {
        let of = |p: &Parameter| beside(*p, self.today.value(*p)).len().max(BESIDE);
        self.parameters.iter().map(of).sum()
    }

    /// The settings that changes come to.
    pub fn settings(&self, changes: &Changes) -> Settings {
        changed(&self.today, changes)
    }

    /// Those that act under some settings.
    fn free(&self, settings: &Settings) -> Vec<Parameter> {
        let all = self.parameters.iter().copied();
        all.filter(|p| settings.idle(*p).is_none()).collect()
    }

    /// Changes in the order of the pipeline, without those that do nothing beside the others.
    fn settled(&self, mut all: Changes) -> Changes {
        all.sort_by_key(|(p, _)| *p);
        loop {
            let settings = self.settings(&all);
            let before = all.len();
            all.retain(|(p, _)| {
                settings.value(*p) != self.today.value(*p) && settings.idle(*p).is_none()
            });
            if all.len() == before {
                return all;
            }
        }
    }

    /// Changes with another value of a parameter; today's value takes the change of it back.
    pub fn with(&self, changes: &Changes, parameter: Parameter, value: Value) -> Changes {
        self.both(changes, &vec![(parameter, value)])
    }

    /// Changes without that of a parameter.
    pub fn without(&self, changes: &Changes, parameter: Parameter) -> Changes {
        self.with(changes, parameter, self.today.value(parameter))
    }

    /// Two sets of changes together; where both change a parameter the later one counts.
    pub fn both(&self, first: &Changes, later: &Changes) -> Changes {
        let changed = |p: &Parameter| later.iter().any(|(other, _)| other == p);
        let kept = first.iter().filter(|(p, _)| !changed(p));
        self.settled(kept.chain(later).copied().collect())
    }

    /// Today's settings, and as many others as there are, at most `count`: each changes one parameter or a few. The same
    /// seed draws the same.
    pub fn drawn(&self, count: usize, seed: u64) -> Vec<Changes> {
        let mut all = vec![Changes::new()];
        let mut free = self.free(&self.today);
        shuffle(&mut free, &mut SplitMix::stream(seed, u64::MAX - 1));
        for number in 0..count * DRAWS {
            if all.len() > count || free.is_empty() {
                break;
            }
            let changes = self.one(&free, number, seed);
            if !all.contains(&changes) {
                all.push(changes);
            }
        }
        all
    }

    /// The parameters take turns, and the values of one are spread over its range: of few settings, drawn without regard
    /// to each other, many parameters would never be moved far. Half of the settings change another parameter as well, a
    /// quarter two more, and so on.
    fn one(&self, free: &[Parameter], number: usize, seed: u64) -> Changes {
        let mut draw = SplitMix::stream(seed, number as u64);
        let (turn, parameter) = (number / free.len(), free[number % free.len()]);
        let start = SplitMix::stream(seed, u64::MAX - 2 - parameter as u64).below(PLACES);
        let place = (start as f64 / PLACES as f64 + turn as f64 * GOLDEN).fract();
        let value = placed(parameter, self.today.value(parameter), place);
        let mut others = 0;
        while others + 1 < TOGETHER && draw.below(2) == 0 {
            others += 1;
        }
        let first = self.with(&Changes::new(), parameter, value);
        (0..others).fold(first, |changes, _| {
            let settings = self.settings(&changes);
            let mut free = self.free(&settings);
            free.retain(|p| changes.iter().all(|(own, _)| own != p));
            let other = free.get(draw.below(free.len())).copied();
            other.map_or(changes.clone(), |other| {
                let value = drawn(other, settings.value(other), &mut draw);
                self.with(&changes, other, value)
            })
        })
    }

    /// Settings with one parameter other than changes have it, at most `count`: those of the parameters that are changed
    /// first, of the others as many as are drawn.
    pub fn around(&self, changes: &Changes, count: usize, seed: u64) -> Vec<Changes> {
        let settings = self.settings(changes);
        let of = |p: &Parameter| {
            let value = settings.value(*p);
            let beside = beside(*p, value).into_iter();
            beside
                .map(|value| self.with(changes, *p, value))
                .collect::<Vec<_>>()
        };
        let free = self.free(&settings);
        let (first, others): (Vec<_>, Vec<_>) = free
            .into_iter()
            .partition(|p| changes.iter().any(|(own, _)| own == p));
        let mut others: Vec<Changes> = others.iter().flat_map(of).collect();
        shuffle(&mut others, &mut SplitMix::stream(seed, u64::MAX - 2));
        let mut all: Vec<Changes> = Vec::new();
        for one in first.iter().flat_map(of).chain(others) {
            if all.len() < count && one != *changes && !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }
}

fn shuffle<T>(all: &mut [T], draw: &mut SplitMix) {
    for at in (1..all.len()).rev() {
        all.swap(at, draw.below(at + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::sweep::present;
    use crate::parameters::{ALPHA, MIX, MIX_A, RESULT_K, STEPS, WALK, Walk};
    use crate::retrieve::{METHODS, Method};
    use proptest::prelude::*;

    fn space(method: &str, only: &[Parameter]) -> Result<Space, String> {
        Space::new(&Settings::new(Method::by_name(method).unwrap()), only)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4))]
        #[test]
        fn each_setting_that_is_drawn_is_valid_and_every_change_of_it_acts(seed: u64) {
            for method in METHODS {
                let today = Settings::new(method);
                let space = Space::new(&today, &[]).unwrap();
                let all = space.drawn(12, seed);
                prop_assert!(all[0].is_empty());
                let around = space.around(&all[all.len() - 1], 12, seed);
                for changes in all.iter().chain(&around) {
                    let settings = space.settings(changes);
                    prop_assert!(changes.is_empty() || !present(&today, changes));
                    for (p, value) in changes {
                        prop_assert!(p.declaration().domain.contains(*value));
                        prop_assert_eq!(settings.value(*p), *value);
                        prop_assert!(settings.idle(*p).is_none(), "{}: {changes:?}", method.name);
                        prop_assert!(space.parameters().contains(p));
                    }
                }
                let mut distinct = all.clone();
                distinct.sort_by_key(|changes| format!("{changes:?}"));
                distinct.dedup();
                prop_assert_eq!(distinct.len(), all.len());
                prop_assert_eq!(all, space.drawn(12, seed));
            }
        }
    }

    #[test]
    fn few_draws_reach_all_parts_of_a_range() {
        let one = space("graph", &[ALPHA.id()]).unwrap();
        for seed in 0..20 {
            let all = one.drawn(4, seed);
            let places = all[1..].iter().map(|changes| {
                let (p, value) = changes[0];
                p.declaration().domain.fraction(value)
            });
            let mut places: Vec<f64> = places.collect();
            places.sort_by(f64::total_cmp);
            assert!(places[0] < 0.4 && places[3] > 0.6, "{places:?}");
        }
    }

    #[test]
    fn a_change_that_another_one_makes_idle_goes() {
        let space = space("graph", &[]).unwrap();
        let steps = space.with(&Changes::new(), STEPS.id(), STEPS.at(3).1);
        assert_eq!(steps, [STEPS.at(3)]);
        let pushed = space.with(&steps, WALK.id(), WALK.at(Walk::Push).1);
        assert_eq!(pushed, [WALK.at(Walk::Push)]);
        assert!(space.without(&pushed, WALK.id()).is_empty());
        assert_eq!(
            space.both(&pushed, &vec![WALK.at(Walk::Power), STEPS.at(3)]),
            steps
        );
    }

    #[test]
    fn only_what_is_named_is_searched_and_how_much_is_returned_only_then() {
        let all = space("graph-hybrid", &[]).unwrap();
        assert!(all.parameters().contains(&MIX_A.id()));
        assert!(!all.parameters().contains(&RESULT_K.id()));
        let one = space("graph-hybrid", &[MIX.id()]).unwrap();
        assert_eq!(one.parameters(), [MIX.id()]);
        // Two other choices, and today's.
        assert_eq!(one.drawn(30, 1).len(), 3);
        assert_eq!(one.around(&Changes::new(), 30, 1).len(), 2);
        let said = space("bm25", &[STEPS.id()]).unwrap_err();
        assert_eq!(said, "bm25 does not read steps");
    }
}
