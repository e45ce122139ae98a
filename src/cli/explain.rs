//! `hopscope explain`: why one passage is where it is, or is not there.

use super::ask::AskArgs;
use super::interrupt;
use crate::evaluate::{Comparison, Difference, Resampling, evaluate};
use crate::explain::trace::explained;
use crate::explain::{Change, LookAlike, Repair, Repairs, lookalikes, repairs, why_not};
use crate::index::Index;
use crate::retrieve::Retrieval;
use crate::text::plural;
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// The passage, by its identifier.
    #[arg(long, short, value_name = "ID")]
    passage: String,
    /// Look for changes that bring the passage in: every other value of a parameter, every seed muted, weighed or added;
    /// each is tried, those of fewest moves first.
    #[arg(long)]
    repairs: bool,
    /// What each change of a parameter does to all questions of the index: R@5, wins and losses.
    #[arg(long, requires = "repairs")]
    price: bool,
}

/// A repair, and the difference it makes to the measure of all questions, where that was asked for.
#[derive(serde::Serialize)]
struct Priced {
    #[serde(flatten)]
    repair: Repair,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<Difference>,
}

/// The measure of a price.
const MEASURE: &str = "R@5";
/// Most look-alikes that are printed.
const ALIKE: usize = 3;
/// Most repairs that are priced: each is an evaluation of the whole set.
const PRICED: usize = 10;

pub fn run(args: &ExplainArgs) -> Result<()> {
    let (index, retrieval) = args.ask.run()?;
    let passage = find(&index, &args.passage)?;
    let mut told = explained(&index, &retrieval, passage);
    let reasons = why_not(&index, &retrieval, passage);
    let alike = match reasons.is_empty() {
        true => Vec::new(),
        false => lookalikes(&index, &retrieval, passage),
    };
    // What is returned needs no repair.
    let looked = match args.repairs && !reasons.is_empty() {
        true => Some(look(args, &index, &retrieval, passage)?),
        false => None,
    };
    if args.ask.json {
        told["question"] = json!(retrieval.question);
        told["method"] = json!(retrieval.settings.method().name);
        told["settings"] = json!(retrieval.settings);
        told["seed_edits"] = json!(retrieval.edits());
        told["text"] = json!(index.text(passage));
        told["reasons"] = json!(reasons);
        told["look_alikes"] = alike.iter().map(told_alike).collect();
        if let Some((repairs, priced)) = &looked {
            told["repairs"] = json!({"tried": repairs.tried, "of": repairs.of, "found": priced});
        }
        return super::print_json(&told);
    }
    let mut out = std::io::stdout().lock();
    let place = match retrieval.place(passage) {
        Some((rank, score)) => format!("rank {rank}, score {score:.6}"),
        None => "not found".to_owned(),
    };
    writeln!(
        out,
        "{}  {}: {place}",
        index.id(passage),
        index.title(passage)
    )?;
    for reason in &reasons {
        writeln!(out, "{} ({}): {}", reason.code, reason.class, reason.text)?;
        if let Some(fix) = &reason.fix {
            writeln!(out, "  try {fix}")?;
        }
    }
    for alike in alike.iter().take(ALIKE) {
        writeln!(out, "look-alike: {}", alike.sentence())?;
        if let Some(join) = alike.join() {
            writeln!(out, "  may be one: {join}")?;
        }
    }
    if let Some((repairs, priced)) = &looked {
        print_repairs(&mut out, repairs, priced)?;
    }
    if retrieval.place(passage).is_some() {
        writeln!(out, "{}", told["why"].as_str().unwrap_or(""))?;
    }
    for (label, value, why) in parts(&told) {
        writeln!(out, "{value:>12.6}  {label}{why}")?;
    }
    for path in told["paths"].as_array().into_iter().flatten() {
        let nodes = path["nodes"].as_array().into_iter().flatten();
        let nodes: Vec<&str> = nodes.filter_map(Value::as_str).collect();
        let mass = path["mass"].as_f64().unwrap_or(0.0);
        writeln!(out, "path {mass:>10.6}  {}", nodes.join(" > "))?;
    }
    Ok(())
}

/// A pair of names, with what is said of it.
fn told_alike(alike: &LookAlike) -> Value {
    let mut told = json!(alike);
    told["sentence"] = json!(alike.sentence());
    told["join"] = json!(alike.join());
    told
}

/// The changes that bring a passage in, the first of them with their price.
fn look(
    args: &ExplainArgs,
    index: &Arc<Index>,
    retrieval: &Retrieval,
    passage: u32,
) -> Result<(Repairs, Vec<Priced>)> {
    interrupt::watch();
    let repairs = repairs(index, retrieval, passage, |_| !interrupt::interrupted())?;
    let all = index.questions();
    let mut before = None;
    let (mut priced, mut evaluated) = (Vec::new(), 0);
    for repair in &repairs.found {
        let mut price = None;
        // A change of seeds is one of this question alone.
        let set = matches!(repair.change, Change::Set(..));
        if args.price && set && evaluated < PRICED && !interrupt::interrupted() {
            evaluated += 1;
            let go_on = |_| !interrupt::interrupted();
            let base = match &before {
                Some(base) => base,
                None => before.insert(evaluate(index, all, &retrieval.settings, go_on)?),
            };
            let settings = repair.change.applied(&retrieval.settings);
            let after = evaluate(index, all, &settings, go_on)?;
            price = Comparison::new(base, &after, Resampling::default())
                .get(MEASURE)
                .cloned();
        }
        let repair = repair.clone();
        priced.push(Priced { repair, price });
    }
    Ok((repairs, priced))
}

fn print_repairs(out: &mut impl Write, repairs: &Repairs, priced: &[Priced]) -> Result<()> {
    writeln!(out, "{}", repairs.sentence())?;
    for Priced { repair, price } in priced {
        let moves = plural(repair.moves, "move");
        write!(
            out,
            "  {:<32} rank {:<3} {moves}",
            repair.change.to_string(),
            repair.rank
        )?;
        if let Some(price) = price {
            write!(out, "; {MEASURE} {:+.4}", price.difference)?;
            if let Some([low, high]) = price.interval {
                write!(out, " [{low:+.4}, {high:+.4}]")?;
            }
            write!(out, ", {} wins, {} losses", price.wins, price.losses)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn find(index: &Index, id: &str) -> Result<u32> {
    index.passage_by_id(id.trim_start_matches('#')).ok_or_else(|| {
        anyhow!("--passage: no passage has the id '{id}'; 'hopscope ask' prints the ids of those it returns")
    })
}

/// What adds up to the score: seeds of a walk, parts of a system, or words, lists and vectors.
fn parts(told: &Value) -> Vec<(String, f64, String)> {
    let rows = |value: &Value, label: &str, number: &str| -> Vec<(String, f64, String)> {
        let row = |part: &Value| {
            let why = match part["why"].as_str().unwrap_or("") {
                "" => String::new(),
                why => format!("  ({why})"),
            };
            let name = part[label].as_str().unwrap_or("");
            // A passage often has the name of an entity beside it.
            let label = match part["kind"].as_str() {
                Some(kind) => format!("{kind} {name}"),
                None => name.to_owned(),
            };
            (label, part[number].as_f64().unwrap_or(0.0), why)
        };
        value.as_array().into_iter().flatten().map(row).collect()
    };
    let mut parts = rows(&told["parts"], "label", "value");
    // What would be printed as zero says nothing.
    parts.retain(|part| part.1.abs() >= 5e-7);
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    parts
}
