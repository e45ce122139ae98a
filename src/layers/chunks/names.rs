//! The names of every unit, and how many two units share: by normal form, or by the published fuzzy rule.

use crate::column::{Column, Strings};
use crate::index::layer::columns;
use crate::text::Norm;
use crate::text::similar::{ALIKE, NameSignature};
use rustc_hash::FxHashMap;

columns! {
    /// Names by unit.
    #[derive(Default)]
    pub struct Names(columns, units: usize) {
        /// As first written, by number.
        pub labels: Strings = "labels";
        /// Names of unit u: `ids[ends[u-1]..ends[u]]`, ascending, each once.
        pub ends: Column<u32> = "ends" [units] => ends(ids.len());
        pub ids: Column<u32> = "ids" => below(labels.len());
    }
}

impl Names {
    /// Numbers names by normal form in order of first appearance. Returns the signs of the names, too.
    pub fn new(units: &[Vec<String>]) -> (Names, Vec<NameSignature>) {
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        let (mut labels, mut signs): (Vec<&str>, Vec<NameSignature>) = (Vec::new(), Vec::new());
        let (mut ends, mut ids) = (Vec::new(), Vec::new());
        for names in units {
            let first = ids.len();
            for name in names {
                let form = Norm::Simple.apply(name);
                let next = labels.len() as u32;
                let id = *numbers.entry(form).or_insert_with_key(|form| {
                    labels.push(name);
                    signs.push(NameSignature::of(form));
                    next
                });
                ids.push(id);
            }
            ids[first..].sort_unstable();
            let mut kept = first;
            for at in first..ids.len() {
                if at == first || ids[at] != ids[at - 1] {
                    ids[kept] = ids[at];
                    kept += 1;
                }
            }
            ids.truncate(kept);
            ends.push(ids.len() as u32);
        }
        let names = Names {
            labels: labels.into_iter().collect(),
            ends: ends.into(),
            ids: ids.into(),
        };
        (names, signs)
    }

    /// The names of a unit, ascending.
    pub fn of(&self, unit: u32) -> &[u32] {
        let end = |unit: usize| self.ends.get(unit).map_or(0, |&e| e as usize);
        let start = (unit as usize).checked_sub(1).map_or(0, end);
        self.ids.get(start..end(unit as usize)).unwrap_or_default()
    }

    /// The names that two units share.
    pub fn shared(&self, a: u32, b: u32) -> Vec<&str> {
        let mut found = Vec::new();
        each_shared(self.of(a), self.of(b), |id| {
            found.push(self.labels.get(id as usize))
        });
        found
    }
}

fn each_shared(a: &[u32], b: &[u32], mut each: impl FnMut(u32)) {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        if x == y {
            each(*x);
        }
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
}

/// How many names two ascending lists share.
pub fn exact(a: &[u32], b: &[u32]) -> usize {
    let mut count = 0;
    each_shared(a, b, |_| count += 1);
    count
}

/// How many names can be matched one to one: equal ones first, then each of `a` in order with the free one of `b` that
/// it is most like, from [`ALIKE`] on; ties go to the lower number. `free` is scratch.
pub fn fuzzy(a: &[u32], b: &[u32], signs: &[NameSignature], free: &mut Vec<u32>) -> usize {
    free.clear();
    free.extend(b.iter().filter(|id| a.binary_search(id).is_err()));
    let mut count = b.len() - free.len();
    for id in a.iter().filter(|id| b.binary_search(id).is_err()) {
        let sign = signs[*id as usize];
        let mut best: Option<(f64, usize)> = None;
        for (at, other) in free.iter().enumerate() {
            let alike = sign.alike(signs[*other as usize]);
            if alike >= ALIKE && best.is_none_or(|(most, _)| alike > most) {
                best = Some((alike, at));
            }
        }
        if let Some((_, at)) = best {
            free.remove(at);
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(units: &[&[&str]]) -> (Names, Vec<NameSignature>) {
        let units: Vec<Vec<String>> = (units.iter())
            .map(|u| u.iter().map(|n| (*n).to_owned()).collect())
            .collect();
        Names::new(&units)
    }

    #[test]
    fn names_are_numbered_by_normal_form() {
        let (found, _) = names(&[
            &["Mara Voss", "Ivo", "MARA  VOSS"],
            &[],
            &["Oslo", "mara-voss"],
        ]);
        assert_eq!(
            (found.of(0), found.of(1), found.of(2)),
            (&[0, 1][..], &[][..], &[0, 2][..])
        );
        assert_eq!(found.of(9), &[] as &[u32]);
        assert_eq!(found.shared(0, 2), ["Mara Voss"]);
        assert_eq!(
            (
                exact(found.of(0), found.of(2)),
                exact(found.of(0), found.of(1))
            ),
            (1, 0)
        );
    }

    #[test]
    fn matches_are_one_to_one_and_equal_names_first() {
        let (found, signs) = names(&[
            &["Mara Voss", "Maria Voss"],
            &["Mara Voss", "Oslo"],
            &["Mara Vos"],
            &["Mara Vos", "Mario Voss"],
        ]);
        let mut free = Vec::new();
        let mut count = |a, b| fuzzy(found.of(a), found.of(b), &signs, &mut free);
        // The equal name is taken; Maria Voss finds nothing free.
        assert_eq!(count(0, 1), 1);
        // Two are like the one name, which is matched once.
        assert_eq!(count(0, 2), 1);
        assert_eq!(count(0, 3), 2);
        assert_eq!((count(1, 2), count(2, 1)), (1, 1));
    }
}
