//! Presets: the settings that a paper used for a data set, declared once.
//!
//! A preset lies between what the index was built with and what the person sets: it replaces the former, yields to the
//! latter, and a reset goes back to it.

#![warn(missing_docs)]

use super::methods::{Method, MethodRef};
use super::shared::Shared;
use crate::parameters::{Parameter, Parameter as P, Value};
use std::borrow::Cow;

/// Named values for some parameters, some of them by method.
#[derive(Debug)]
pub struct Preset {
    /// As `--preset` spells it.
    pub name: Cow<'static, str>,
    /// One line for lists.
    pub about: Cow<'static, str>,
    /// Where the values come from.
    pub source: &'static str,
    /// For every method.
    values: Cow<'static, [(Parameter, Cow<'static, str>)]>,
    /// For single methods.
    by_method: &'static [(&'static str, Parameter, &'static str)],
    /// The method it stands for as well: only a person's own presets have one.
    pub method: Option<MethodRef>,
}

/// A preset as settings hold it.
pub type PresetRef = Shared<Preset>;

/// What takes a preset off again.
pub const NO_PRESET: &str = "none";

/// SPRIG's defaults by data set. Mentions are found as its cheap option has it, so that figures can be compared; its main
/// tables use spaCy names, which this program does not have.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: Cow::Borrowed("hotpotqa"),
        about: Cow::Borrowed("SPRIG on HotpotQA: push, normal form simple, q 0.5, k 10 (dense 5)"),
        source: "SPRIG, defaults by data set; its option of regex mentions",
        values: Cow::Borrowed(&[
            (P::Ner, Cow::Borrowed("regex")),
            (P::Norm, Cow::Borrowed("simple")),
            (P::HubP, Cow::Borrowed("0.5")),
            (P::SeedQ, Cow::Borrowed("0.5")),
            (P::SeedWeight, Cow::Borrowed("rank")),
            (P::Mix, Cow::Borrowed("mass")),
            (P::Walk, Cow::Borrowed("push")),
            (P::Alpha, Cow::Borrowed("0.15")),
        ]),
        by_method: &[
            ("graph-hybrid", P::SeedK, "10"),
            ("graph-rrf", P::SeedK, "10"),
            ("graph-dense", P::SeedK, "5"),
        ],
        method: None,
    },
    Preset {
        name: Cow::Borrowed("2wiki"),
        about: Cow::Borrowed(
            "SPRIG on 2WikiMultiHopQA: power with 5 steps, normal form lower, q 1, k 5 (dense 3)",
        ),
        source: "SPRIG, defaults by data set; its option of regex mentions",
        values: Cow::Borrowed(&[
            (P::Ner, Cow::Borrowed("regex")),
            (P::Norm, Cow::Borrowed("lower")),
            (P::HubP, Cow::Borrowed("0.5")),
            (P::SeedQ, Cow::Borrowed("1")),
            (P::SeedWeight, Cow::Borrowed("rank")),
            (P::Mix, Cow::Borrowed("mass")),
            (P::Walk, Cow::Borrowed("power")),
            (P::Alpha, Cow::Borrowed("0.15")),
            (P::Steps, Cow::Borrowed("5")),
        ]),
        by_method: &[
            ("graph-hybrid", P::SeedK, "5"),
            ("graph-rrf", P::SeedK, "5"),
            ("graph-dense", P::SeedK, "3"),
        ],
        method: None,
    },
    Preset {
        name: Cow::Borrowed("published"),
        about: Cow::Borrowed(
            "as published where the defaults differ: LinearRAG threshold .5 (mpnet vectors), SAGE 10 seeds",
        ),
        source: "LinearRAG, code; SAGE",
        values: Cow::Borrowed(&[]),
        by_method: &[
            ("linearrag", P::LinearThreshold, "0.5"),
            ("sage", P::SageSeeds, "10"),
        ],
        method: None,
    },
];

/// The presets there are: those of papers, and a person's own.
#[derive(Clone, Debug, Default)]
pub struct Presets {
    /// By name.
    own: Vec<PresetRef>,
}

impl Presets {
    /// The preset of a name; none for [`NO_PRESET`].
    ///
    /// # Errors
    /// The name, and the names there are.
    pub fn by_name(&self, name: &str) -> Result<Option<PresetRef>, String> {
        let found = self.all().find(|p| p.name == name);
        if found.is_some() || name == NO_PRESET {
            return Ok(found);
        }
        let all: Vec<PresetRef> = self.all().collect();
        let names: Vec<&str> = all.iter().map(|p| &*p.name).collect();
        Err(format!(
            "no preset '{name}'; there are {}",
            names.join(", ")
        ))
    }

    /// Those of papers, then a person's own by name.
    pub fn all(&self) -> impl Iterator<Item = PresetRef> {
        let papers = PRESETS.iter().map(PresetRef::from);
        papers.chain(self.own.iter().cloned())
    }

    /// Adds a person's own, in the place of an earlier one of its name.
    pub fn keep(&mut self, preset: PresetRef) {
        self.own.retain(|p| p.name != preset.name);
        self.own.push(preset);
        self.own.sort_by(|a, b| a.name.cmp(&b.name));
    }
}

impl Preset {
    /// A person's own preset. What it does not set is the method's own.
    ///
    /// # Errors
    /// A name that a paper's preset has, or that no command line could hold; a value outside its parameter's domain.
    pub fn own(
        name: &str,
        method: MethodRef,
        values: &[(Parameter, String)],
    ) -> Result<PresetRef, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!(
                "'{name}' is not a preset name: use letters, digits, - and _"
            ));
        }
        if name == NO_PRESET || PRESETS.iter().any(|p| p.name == name) {
            return Err(format!("'{name}' is the program's own; take another name"));
        }
        for (parameter, text) in values {
            let parsed = parameter.declaration().domain.parse(text);
            parsed.map_err(|said| format!("parameter {}: {said}", parameter.id()))?;
        }
        let set = values.iter().map(|(p, text)| format!("{}={text}", p.id()));
        let set: Vec<String> = set.collect();
        let about = match set.is_empty() {
            true => method.name.to_string(),
            false => format!("{}, {}", method.name, set.join(" ")),
        };
        let values = values.iter().map(|(p, text)| (*p, text.clone().into()));
        Ok(PresetRef::from(Preset {
            name: name.to_owned().into(),
            about: about.into(),
            source: "your own",
            values: values.collect(),
            by_method: &[],
            method: Some(method),
        }))
    }

    /// What this preset says of a parameter, for a method.
    pub fn value(&self, method: &Method, parameter: Parameter) -> Option<Value> {
        let base = method.base().map_or(&method.name, |of| &of.name);
        let own = self
            .by_method
            .iter()
            .find(|(name, p, _)| name == base && *p == parameter)
            .map(|(_, _, text)| *text);
        let common = || self.values.iter().find(|(p, _)| *p == parameter);
        let text = own.or_else(|| common().map(|(_, text)| &**text))?;
        parameter.declaration().domain.parse(text).ok()
    }

    /// What it says of the parameters that a method uses, in pipeline order.
    pub fn values(&self, method: &Method) -> Vec<(Parameter, Value)> {
        let uses = method.uses().into_iter();
        uses.filter_map(|p| Some((p, self.value(method, p)?)))
            .collect()
    }
}

impl PartialEq for Preset {
    fn eq(&self, other: &Preset) -> bool {
        self.name == other.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{BuildOptions, EntityOptions, Index, Silent, sample};
    use crate::parameters::{ALPHA, NORM, Norm, SEED_K, SEED_Q, WALK, Walk};
    use crate::retrieve::{METHODS, Origin, Settings};
    use std::sync::Arc;

    fn settings(method: &str) -> Settings {
        Settings::new(Method::by_name(method).unwrap())
    }

    fn paper(name: &str) -> Option<PresetRef> {
        Presets::default().by_name(name).unwrap()
    }

    #[test]
    fn every_value_is_one_of_its_domain_and_every_method_is_there() {
        for preset in PRESETS {
            assert_ne!(preset.name, NO_PRESET);
            let by_method = preset.by_method.iter().map(|(_, p, text)| (*p, *text));
            let common = preset.values.iter().map(|(p, text)| (*p, &**text));
            for (p, text) in common.chain(by_method) {
                let domain = &p.declaration().domain;
                assert!(
                    domain.parse(text).is_ok(),
                    "{} {}={text}",
                    preset.name,
                    p.id()
                );
            }
            for (name, p, _) in preset.by_method {
                assert!(Method::by_name(name).unwrap().uses().contains(p));
            }
        }
        let said = Presets::default().by_name("wiki").unwrap_err();
        assert_eq!(
            said,
            "no preset 'wiki'; there are hotpotqa, 2wiki, published"
        );
    }

    #[test]
    fn the_published_table() {
        let texts = |preset: &str, method: &str, ids: &[P]| -> Vec<String> {
            let mut s = settings(method);
            s.apply_preset(paper(preset));
            ids.iter().map(|p| s.text(*p)).collect()
        };
        let ids = [P::Ner, P::Norm, P::Walk, P::Alpha, P::HubP, P::SeedQ];
        assert_eq!(
            texts("hotpotqa", "graph", &ids),
            ["regex", "simple", "push", "0.15", "0.5", "0.5"]
        );
        assert_eq!(
            texts("2wiki", "graph", &ids),
            ["regex", "lower", "power", "0.15", "0.5", "1"]
        );
        for (preset, hybrid, dense) in [("hotpotqa", "10", "5"), ("2wiki", "5", "3")] {
            let ids = [P::SeedK, P::SeedWeight, P::Mix];
            assert_eq!(
                texts(preset, "graph-hybrid", &ids),
                [hybrid, "rank", "mass"]
            );
            assert_eq!(texts(preset, "graph-rrf", &ids), [hybrid, "rank", "mass"]);
            assert_eq!(texts(preset, "graph-dense", &ids), [dense, "rank", "mass"]);
        }
    }

    #[test]
    fn the_person_goes_before_the_preset_and_a_reset_goes_back_to_it() {
        let mut s = settings("graph-hybrid");
        s.set_text("alpha=0.4").unwrap();
        s.set_text("seed_k=7").unwrap();
        s.apply_preset(paper("2wiki"));
        assert_eq!(
            (s.get(ALPHA), s.origin(P::Alpha)),
            (0.4, Origin::User),
            "set before"
        );
        assert_eq!((s.get(SEED_Q), s.origin(P::SeedQ)), (1.0, Origin::Preset));
        assert_eq!(s.origin(P::Epsilon), Origin::Default);
        assert_eq!(s.changed(), ["seed_k=7", "alpha=0.4"]);
        s.reset(P::SeedK);
        assert_eq!((s.get(SEED_K), s.origin(P::SeedK)), (5, Origin::Preset));
        s.set_method(Method::by_name("graph-dense").unwrap());
        assert_eq!((s.get(SEED_K), s.origin(P::SeedK)), (3, Origin::Preset));
        assert_eq!(s.get(ALPHA), 0.4);
        // One replaces the other, and taking it off gives the method's defaults back.
        s.apply_preset(paper("hotpotqa"));
        assert_eq!(
            (s.get(WALK), s.get(SEED_K), s.get(ALPHA)),
            (Walk::Push, 5, 0.4)
        );
        assert_eq!(s.preset().map(|p| &*p.name), Some("hotpotqa"));
        s.apply_preset(paper(NO_PRESET));
        assert_eq!(s.preset(), None);
        s.reset(P::Alpha);
        assert_eq!(s, settings("graph-dense"));
    }

    #[test]
    fn it_goes_before_what_the_index_was_built_with() {
        let options: BuildOptions = EntityOptions {
            norm: "none".into(),
            ..EntityOptions::default()
        }
        .into();
        let index = Index::build(sample::corpus().unwrap(), &options, &Silent).unwrap();
        let mut s = settings("graph");
        s.apply_preset(paper("2wiki"));
        s.adopt(&index);
        assert_eq!(
            (s.get(NORM), s.origin(P::Norm)),
            (Norm::Lower, Origin::Preset)
        );
        s.apply_preset(paper(NO_PRESET));
        assert_eq!(
            (s.get(NORM), s.origin(P::Norm)),
            (Norm::None, Origin::Index)
        );
    }

    #[test]
    fn what_a_person_made_goes_with_the_last_who_holds_it() {
        let held = |one: &PresetRef| match one {
            Shared::Made(one) => Arc::downgrade(one),
            Shared::Listed(_) => panic!("a person made it"),
        };
        let method = Method::by_name("names+rrf > noderag > push > passages").unwrap();
        let keep = |presets: &mut Presets, alpha: &str| {
            let values = [(P::Alpha, alpha.to_owned())];
            let preset = Preset::own("mine", method.clone(), &values).unwrap();
            presets.keep(preset.clone());
            held(&preset)
        };
        let mut presets = Presets::default();
        let first = keep(&mut presets, "0.3");
        let second = keep(&mut presets, "0.4");
        assert!(first.upgrade().is_none() && second.upgrade().is_some());
        let mut settings = settings("graph");
        settings.apply_preset(presets.by_name("mine").unwrap());
        drop(presets);
        assert_eq!((settings.method(), settings.get(ALPHA)), (&method, 0.4));
        let Shared::Made(composed) = &method else {
            panic!("a person composed it");
        };
        let composed = Arc::downgrade(composed);
        drop(settings);
        drop(method);
        assert!(second.upgrade().is_none() && composed.upgrade().is_none());
    }

    #[test]
    fn lists_hold_what_a_method_uses() {
        let listed = |method: &str| {
            let method = Method::by_name(method).unwrap();
            PRESETS[0].values(&method).len()
        };
        assert_eq!((listed("bm25"), listed("graph-hybrid")), (0, 9));
        assert!(METHODS.iter().all(|m| listed(&m.name) <= m.uses().len()));
    }
}
