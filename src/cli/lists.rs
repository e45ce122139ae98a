//! `hopscope methods` and `hopscope parameters`: printed from the declarations themselves.

use super::grid::{Grid, cells};
use super::values_json;
use crate::layers::GRAPHS;
use crate::output;
use crate::retrieve::compose::{NAMES, NAMES_ABOUT, Own, PICKS, RESTS, Slot, WALKS, Word, own};
use crate::retrieve::{DEFAULT_METHOD, METHODS, Method, PRESETS, Parameter};
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn methods(args: &ListArgs) -> Result<()> {
    if args.json {
        let entry = |m: &Method| {
            let uses = || m.uses().into_iter();
            let mut entry = json!(m);
            let parts = Slot::ALL.into_iter().zip(own(m));
            let parts = parts.map(|(slot, own)| (slot.name().to_owned(), part(&own)));
            let presets = PRESETS.iter();
            let presets = presets.map(|p| (p.name.to_string(), values_json(p.values(m))));
            entry["parts"] = parts.collect();
            entry["parameters"] = uses().map(Parameter::id).collect();
            entry["defaults"] = values_json(uses().map(|p| (p, m.default(p))));
            entry["presets"] = presets.collect();
            entry["default"] = json!(m.name == DEFAULT_METHOD);
            entry
        };
        let list: Vec<Value> = METHODS.iter().map(entry).collect();
        return super::print_json(&list);
    }
    let mut out = output::text();
    let mut grid = Grid::new("<14 <");
    for method in METHODS {
        let parts = own(method).map(|own| own.to_string()).join(" > ");
        grid.row([&method.name, &method.about]);
        grid.row(cells!["", format!("needs {}", method.needs)]);
        grid.row(cells!["", format!("parts {parts}")]);
    }
    writeln!(
        out,
        "{grid}\nparts: ~ is a word that comes near to a part of the method's own, () a part that no word comes near, - none"
    )?;
    compositions(&mut out)?;
    let mut grid = Grid::new("<14 <");
    for preset in super::own_presets().all() {
        grid.row([&preset.name, &preset.about]);
        grid.row(cells!["", format!("source: {}", preset.source)]);
    }
    write!(out, "\npresets, for --preset NAME:\n{grid}")?;
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
    fn words<T>(words: &[Word<T>]) -> impl Iterator<Item = (&str, &str)> {
        words.iter().map(|word| (word.name, word.about))
    }
    let names = std::iter::once((NAMES, NAMES_ABOUT));
    let seeds = names.chain(words(RESTS)).chain([("names+rrf ...", "both")]);
    let graphs = GRAPHS.iter().map(|kind| (kind.name, kind.about));
    let parts: [(&str, Vec<(&str, &str)>); 4] = [
        ("--seeds", seeds.collect()),
        ("--graph", graphs.collect()),
        ("--spread", words(WALKS).collect()),
        ("--select", words(PICKS).collect()),
    ];
    let mut grid = Grid::new("  <10 <16 <");
    for (flag, words) in parts {
        for (at, (name, about)) in words.into_iter().enumerate() {
            grid.row([if at == 0 { flag } else { "" }, name, about]);
        }
    }
    write!(
        out,
        "\ncompositions, for --method 'SEEDS > GRAPH > SPREAD > SELECT', or one flag a part over a method:\n{grid}"
    )
}

pub fn parameters(args: &ListArgs) -> Result<()> {
    if args.json {
        let entry = |p: &Parameter| {
            let mut entry = json!(p.declaration());
            let users = METHODS.iter().filter(|m| m.uses().contains(p));
            entry["methods"] = users.map(|m| &*m.name).collect();
            entry
        };
        let list: Vec<Value> = Parameter::ALL.iter().map(entry).collect();
        return super::print_json(&list);
    }
    let mut out = output::text();
    // Identifiers that are longer than the indent of most move their own line alone.
    for p in Parameter::ALL {
        let d = p.declaration();
        let default = d.domain.format(d.default);
        writeln!(out, "{:<15} {} (default {default})", d.id, d.meaning)?;
        writeln!(out, "{:15} {}; source: {}", "", d.domain, d.source)?;
    }
    Ok(())
}
