//! Objects by name: by the same normal form, by an alias, or by most of the same trigrams.

use crate::column::{Column, Strings, range};
use crate::index::layer::columns;
use crate::text::stems::{form, words};
use serde::Serialize;
use std::collections::BTreeMap;

/// How a name was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Found {
    Exact,
    Alias,
    /// The last word of a person's name, which nobody else has.
    Surname,
    /// Share of common trigrams.
    Trigram {
        jaccard: f64,
    },
}

/// Two names are close when they share this much of their trigrams.
pub const CLOSE: f64 = 0.85;

columns! {
    /// Normal forms in order, the objects that have them, and the trigrams in them.
    #[derive(Default)]
    pub struct Names(columns, of: usize) {
        forms: Strings = "names.form";
        /// Objects of form `i`: `ends[i-1]..ends[i]`; those named so before those also called so.
        ends: Column<u64> = "names.end" [forms.len()] => ends(objects.len());
        objects: Column<u32> = "names.object" => below(of);
        /// 1 for an alias, 2 for a surname.
        alias: Column<u8> = "names.alias" [objects.len()];
        /// Distinct trigrams of each form.
        sizes: Column<u32> = "names.size" [forms.len()];
        grams: Column<u64> = "grams.value";
        gram_ends: Column<u64> = "grams.end" [grams.len()] => ends(gram_forms.len());
        gram_forms: Column<u32> = "grams.form" => below(forms.len());
    }
}

fn normal(name: &str) -> String {
    form(&words(name))
}

/// The distinct trigrams of a form with a space on either side, ascending: three characters of 21 bits.
fn grams(form: &str) -> Vec<u64> {
    let chars: Vec<u64> = std::iter::once(' ')
        .chain(form.chars())
        .chain([' '])
        .map(u64::from)
        .collect();
    let mut grams: Vec<u64> = chars
        .windows(3)
        .map(|w| w[0] << 42 | w[1] << 21 | w[2])
        .collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

impl Names {
    /// From each object's name and its aliases, and the names of persons, whose surnames are taken where they are nothing
    /// else: no other name, no word that is `said` of the schema.
    pub fn build<'n>(
        objects: impl Iterator<Item = (&'n str, &'n [String])>,
        persons: impl Iterator<Item = (u32, &'n str)>,
        said: impl Fn(&str) -> bool,
    ) -> Names {
        let mut by_form: BTreeMap<String, Vec<(u8, u32)>> = BTreeMap::new();
        for (object, (name, aliases)) in (0..).zip(objects) {
            by_form.entry(normal(name)).or_default().push((0, object));
            for alias in aliases {
                let known = by_form.entry(normal(alias)).or_default();
                if !known.iter().any(|(_, other)| *other == object) {
                    known.push((1, object));
                }
            }
        }
        by_form.remove("");
        let mut surnames: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (person, name) in persons {
            if let Some((_, last)) = name.rsplit_once(' ') {
                surnames.entry(normal(last)).or_default().push(person);
            }
        }
        for (surname, persons) in surnames {
            let word = surname.chars().count() > 2 && !surname.contains(' ') && !said(&surname);
            if word && persons.len() == 1 && !by_form.contains_key(&surname) {
                by_form.insert(surname, vec![(2, persons[0])]);
            }
        }
        let (mut ends, mut members, mut alias, mut sizes) = (vec![], vec![], vec![], vec![]);
        let mut postings: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (at, (form, found)) in (0_u32..).zip(&mut by_form) {
            found.sort_unstable();
            for (flag, object) in found {
                alias.push(*flag);
                members.push(*object);
            }
            ends.push(members.len() as u64);
            let grams = grams(form);
            sizes.push(grams.len() as u32);
            for gram in grams {
                postings.entry(gram).or_default().push(at);
            }
        }
        let (mut gram_ends, mut gram_forms) = (vec![], vec![]);
        for forms in postings.values() {
            gram_forms.extend(forms);
            gram_ends.push(gram_forms.len() as u64);
        }
        Names {
            forms: by_form.keys().collect(),
            ends: ends.into(),
            objects: members.into(),
            alias: alias.into(),
            sizes: sizes.into(),
            grams: postings.into_keys().collect::<Vec<_>>().into(),
            gram_ends: gram_ends.into(),
            gram_forms: gram_forms.into(),
        }
    }

    /// The objects of a normal form: exact ones, else those also called so.
    pub fn exact(&self, form: &str) -> Vec<(u32, Found)> {
        let at = self.position(form);
        let Some(at) = at else { return Vec::new() };
        let range = range(&self.ends, at);
        let all = range.map(|i| (self.objects[i], self.alias[i]));
        let named: Vec<(u32, Found)> = all
            .clone()
            .filter(|(_, alias)| *alias == 0)
            .map(|(o, _)| (o, Found::Exact))
            .collect();
        if named.is_empty() {
            let by = |alias: u8| match alias {
                2 => Found::Surname,
                _ => Found::Alias,
            };
            all.map(|(o, alias)| (o, by(alias))).collect()
        } else {
            named
        }
    }

    fn position(&self, form: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.forms.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.forms.get(middle).cmp(form) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    /// The objects whose form shares at least [`CLOSE`] of the trigrams, closest first, then by number; at most `most`.
    pub fn close(&self, form: &str, most: usize) -> Vec<(u32, Found)> {
        let own = grams(form);
        // Close forms share at least `least` trigrams, so each has one of the rarest `own - least + 1`.
        let least = (CLOSE * own.len() as f64).ceil() as usize;
        let posting = |gram: &u64| match self.grams.binary_search(gram) {
            Ok(at) => range(&self.gram_ends, at),
            Err(_) => 0..0,
        };
        let mut postings: Vec<_> = own.iter().map(posting).collect();
        postings.sort_by_key(|p| (p.len(), p.start));
        let rarest = postings.iter().take((own.len() + 1).saturating_sub(least));
        let mut forms: Vec<u32> = rarest
            .flat_map(|p| self.gram_forms[p.clone()].iter().copied())
            .collect();
        forms.sort_unstable();
        forms.dedup();
        let mut found: Vec<(f64, u32)> = Vec::new();
        for at in forms {
            let size = self.sizes[at as usize] as usize;
            // Two sets are at most as alike as their sizes are.
            if (own.len().min(size) as f64) < CLOSE * own.len().max(size) as f64 {
                continue;
            }
            let other = grams(self.forms.get(at as usize));
            let both = own
                .iter()
                .filter(|g| other.binary_search(g).is_ok())
                .count();
            let jaccard = both as f64 / (own.len() + other.len() - both) as f64;
            if jaccard >= CLOSE {
                let objects = range(&self.ends, at as usize).map(|i| (jaccard, self.objects[i]));
                found.extend(objects);
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut objects: Vec<(u32, Found)> = Vec::new();
        for (jaccard, object) in found {
            if objects.len() < most && !objects.iter().any(|(o, _)| *o == object) {
                objects.push((object, Found::Trigram { jaccard }));
            }
        }
        objects
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named<'n>(objects: impl Iterator<Item = (&'n str, &'n [String])>) -> Names {
        Names::build(objects, std::iter::empty(), |_| false)
    }

    #[test]
    fn a_surname_is_taken_where_it_is_nothing_else() {
        let none: &[String] = &[];
        let persons = [
            "Humphry Davy",
            "Marie Curie",
            "Pierre Curie",
            "Max Born",
            "Josef Stefan",
        ];
        let objects = persons.iter().chain(&["Stefan"]).map(|n| (*n, none));
        let numbered = (0..).zip(persons);
        let names = Names::build(objects, numbered, |word| word == "born");
        assert_eq!(names.exact("davy"), [(0, Found::Surname)]);
        assert_eq!(names.exact("curie"), []);
        assert_eq!(names.exact("born"), []);
        assert_eq!(names.exact("stefan"), [(5, Found::Exact)]);
    }

    proptest! {
        /// The short way finds what comparing with every form finds.
        #[test]
        fn close_names_are_those_of_every_comparison(names in prop::collection::vec("[ab]{1,3}( [abc]{8,14}){1,2}", 1..12), edit in any::<prop::sample::Index>(), letter in "[abc]") {
            let none: &[String] = &[];
            let index = named(names.iter().map(|n| (n.as_str(), none)));
            let mut asked = names[0].clone();
            asked.insert_str(edit.index(asked.len()), &letter);
            let own = grams(&normal(&asked));
            let mut all: Vec<(f64, u32)> = Vec::new();
            for (object, name) in (0..).zip(&names) {
                let other = grams(&normal(name));
                let both = own.iter().filter(|g| other.contains(g)).count();
                let jaccard = both as f64 / (own.len() + other.len() - both) as f64;
                if jaccard >= CLOSE {
                    all.push((jaccard, object));
                }
            }
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let found = index.close(&normal(&asked), 100);
            prop_assert_eq!(found.iter().map(|(o, _)| *o).collect::<Vec<_>>(), all.iter().map(|(_, o)| *o).collect::<Vec<_>>());
        }
    }

    #[test]
    fn exact_before_alias_before_close() {
        let none: &[String] = &[];
        let (curie, planet): (&[String], &[String]) =
            (&["Maria Skłodowska".into()], &["Quicksilver".into()]);
        let names = named(
            [
                ("Marie Curie", curie),
                ("Mercury", none),
                ("Mercury", planet),
                ("Quicksilver", none),
                ("!", none),
            ]
            .into_iter(),
        );
        assert_eq!(names.exact("marie curie"), [(0, Found::Exact)]);
        assert_eq!(names.exact("maria skłodowska"), [(0, Found::Alias)]);
        assert_eq!(
            names.exact("mercury"),
            [(1, Found::Exact), (2, Found::Exact)]
        );
        assert_eq!(
            names.exact("quicksilver"),
            [(3, Found::Exact)],
            "its own name wins"
        );
        assert_eq!(names.exact("curie"), []);
        assert_eq!(names.exact(""), []);
        // " marie curie " has 9 distinct trigrams ("rie" and "ie " stand there twice), all of them in the 11 of the other.
        let close = names.close("marie curies", 5);
        assert_eq!(close, []);
        let jaccard = |a: &str, b: &str| {
            let (a, b) = (grams(a), grams(b));
            let both = a.iter().filter(|g| b.contains(g)).count();
            both as f64 / (a.len() + b.len() - both) as f64
        };
        assert!((jaccard("marie curie", "marie curies") - 9.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn close_names_share_most_trigrams() {
        let none: &[String] = &[];
        let long = "Kaiser Wilhelm Institute for Chemistry";
        let names = named([(long, none), ("Institute for Chemistry", none)].into_iter());
        let found = names.close("kaiser wilhelm institut for chemistry", 5);
        assert_eq!(found.len(), 1);
        // The two spellings have 38 and 37 trigrams and share 36 of them at "institut"'s end less two.
        let Found::Trigram { jaccard } = found[0].1 else {
            panic!("{found:?}")
        };
        assert!((0.85..1.0).contains(&jaccard), "{jaccard}");
        assert_eq!(names.close("kaiser wilhelm institut for chemistry", 0), []);
    }
}
