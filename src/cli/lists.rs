//! `hopscope methods` and `hopscope parameters`: printed from the declarations themselves.

use super::grid::{Grid, cells};
use super::named::Named;
use crate::layers::GRAPHS;
use crate::output;
use crate::parameters::{Assigned, Declaration};
use crate::retrieve::compose::{NAMES, NAMES_ABOUT, Own, PICKS, RESTS, Slot, WALKS, Word, own};
use crate::retrieve::{DEFAULT_METHOD, METHODS, Method, PRESETS, Parameter};
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use std::io::Write;

#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn methods(args: &ListArgs) -> Result<()> {
    if args.json {
        let list: Vec<Listed<'_>> = METHODS.iter().map(Listed::of).collect();
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

/// A method.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Listed<'a> {
    #[serde(flatten)]
    method: &'a Method,
    /// Its words of a composition: seeds, graph, spread and select; null where it has no such part.
    parts: Named<Option<Part>>,
    /// Identifiers of the parameters it reads.
    parameters: Vec<&'static str>,
    /// Their defaults.
    defaults: Assigned,
    /// Values that each shipped preset sets for it.
    presets: Named<Assigned>,
    /// Whether it runs where no method is named.
    default: bool,
}

/// A part of a method.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Part {
    /// Its word in a composition; null where no word comes near.
    word: Option<String>,
    /// Whether the word is what the method does.
    exact: bool,
    /// The method's own step; absent where the word names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<String>,
}

impl Listed<'_> {
    fn of(method: &Method) -> Listed<'_> {
        let uses = || method.uses().into_iter();
        let parts = Slot::ALL.into_iter().zip(own(method));
        let presets = PRESETS.iter();
        let presets = presets.map(|p| (p.name.clone(), p.values(method).into_iter().collect()));
        Listed {
            method,
            parts: parts
                .map(|(slot, own)| (slot.name(), Part::of(own)))
                .collect(),
            parameters: uses().map(Parameter::id).collect(),
            defaults: uses().map(|p| (p, method.default(p))).collect(),
            presets: presets.collect(),
            default: method.name == DEFAULT_METHOD,
        }
    }
}

impl Part {
    fn of(own: Own) -> Option<Part> {
        let (word, own) = match own {
            Own::Word(word) => (Some(word), None),
            Own::Like(word, what) => (Some(word.to_owned()), Some(what)),
            Own::Alone(what) => (None, Some(what)),
            Own::Nothing => return None,
        };
        Some(Part {
            word,
            exact: own.is_none(),
            own,
        })
    }
}

/// A parameter.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Declared<'a> {
    #[serde(flatten)]
    declaration: &'a Declaration,
    /// Methods that read it.
    methods: Vec<&'a str>,
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
        "\ncompositions, for --method 'SEEDS > GRAPH > SPREAD > SELECT', or one flag a part over a method; rerank and ranked\nalso follow any method, as 'METHOD > ranked':\n{grid}"
    )
}

pub fn parameters(args: &ListArgs) -> Result<()> {
    if args.json {
        let entry = |p: &Parameter| {
            let users = METHODS.iter().filter(|m| m.uses().contains(p));
            Declared {
                declaration: p.declaration(),
                methods: users.map(|m| &*m.name).collect(),
            }
        };
        let list: Vec<Declared<'_>> = Parameter::ALL.iter().map(entry).collect();
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
