//! `hopscope methods` and `hopscope parameters`: printed from the declarations themselves.

use crate::layers::GRAPHS;
use crate::output;
use crate::retrieve::compose::{NAMES, NAMES_ABOUT, Own, PICKS, RESTS, Slot, WALKS, Word, own};
use crate::retrieve::{METHODS, Method, PRESETS, Parameter, Preset};
use anyhow::Result;
use clap::Args;
use serde_json::{Map, Value, json};
use std::io::Write;

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn methods(args: &ListArgs) -> Result<()> {
    if args.json {
        let list: Vec<Value> = METHODS
            .iter()
            .map(|m| {
                let mut entry = json!(m);
                let uses: Vec<&str> = m.uses().iter().map(|p| p.id()).collect();
                let defaults: serde_json::Map<String, Value> = m
                    .uses()
                    .iter()
                    .map(|p| (p.id().to_owned(), p.json(m.default(*p))))
                    .collect();
                entry["parts"] = Slot::ALL
                    .into_iter()
                    .zip(own(m))
                    .map(|(slot, own)| (slot.name().to_owned(), part(&own)))
                    .collect();
                entry["parameters"] = json!(uses);
                entry["defaults"] = defaults.into();
                entry["presets"] = presets(m).into();
                entry["default"] = json!(m.name == crate::retrieve::DEFAULT_METHOD);
                entry
            })
            .collect();
        return super::print_json(&list);
    }
    let mut out = output::text();
    for method in METHODS {
        writeln!(
            out,
            "{:<14} {}\n{:14} needs {}\n{:14} parts {}",
            method.name,
            method.about,
            "",
            method.needs,
            "",
            own(method).map(|own| own.to_string()).join(" > ")
        )?;
    }
    writeln!(
        out,
        "\nparts: ~ is a word that comes near to a part of the method's own, () a part that no word comes near, - none"
    )?;
    compositions(&mut out)?;
    writeln!(out, "\npresets, for --preset NAME:")?;
    for preset in super::own_presets().all() {
        writeln!(
            out,
            "{:<14} {}\n{:14} source: {}",
            preset.name, preset.about, "", preset.source
        )?;
    }
    Ok(())
}

/// A method's part: its word, whether that is what the method does, and what its own is where it is not.
fn part(own: &Own) -> Value {
    match own {
        Own::Word(word) => json!({"word": word, "exact": true}),
        Own::Like(word, what) => json!({"word": word, "exact": false, "own": what}),
        Own::Alone(what) => json!({"word": null, "exact": false, "own": what}),
        Own::Nothing => Value::Null,
    }
}

/// The parts of compositions.
fn compositions(out: &mut impl Write) -> std::io::Result<()> {
    fn list<T>(out: &mut impl Write, flag: &str, words: &[Word<T>]) -> std::io::Result<()> {
        for (at, word) in words.iter().enumerate() {
            let flag = if at == 0 { flag } else { "" };
            writeln!(out, "  {flag:<10} {:<16} {}", word.name, word.about)?;
        }
        Ok(())
    }
    writeln!(
        out,
        "\ncompositions, for --method 'SEEDS > GRAPH > SPREAD > SELECT', or one flag a part over a method:"
    )?;
    writeln!(out, "  {:<10} {NAMES:<16} {NAMES_ABOUT}", "--seeds")?;
    list(out, "", RESTS)?;
    writeln!(out, "  {:<10} {:<16} both", "", "names+rrf ...")?;
    for (at, kind) in GRAPHS.iter().enumerate() {
        let flag = if at == 0 { "--graph" } else { "" };
        writeln!(out, "  {flag:<10} {:<16} {}", kind.name, kind.about)?;
    }
    list(out, "--spread", WALKS)?;
    list(out, "--select", PICKS)
}

/// What each preset sets for a method.
fn presets(method: &Method) -> Map<String, Value> {
    let values = |preset: &Preset| -> Map<String, Value> {
        let values = preset.values(method).into_iter();
        values
            .map(|(p, value)| (p.id().to_owned(), p.json(value)))
            .collect()
    };
    PRESETS
        .iter()
        .map(|p| (p.name.to_string(), values(p).into()))
        .collect()
}

pub fn parameters(args: &ListArgs) -> Result<()> {
    if args.json {
        let list: Vec<Value> = Parameter::ALL
            .iter()
            .map(|p| {
                let mut entry = json!(p.declaration());
                let users: Vec<&str> = METHODS
                    .iter()
                    .filter(|m| m.uses().contains(p))
                    .map(|m| &*m.name)
                    .collect();
                entry["methods"] = json!(users);
                entry
            })
            .collect();
        return super::print_json(&list);
    }
    let mut out = output::text();
    for p in Parameter::ALL {
        let d = p.declaration();
        writeln!(
            out,
            "{:<15} {} (default {})",
            d.id,
            d.meaning,
            d.domain.format(d.default)
        )?;
        writeln!(out, "{:15} {}; source: {}", "", d.domain, d.source)?;
    }
    Ok(())
}
