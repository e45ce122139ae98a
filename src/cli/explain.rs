//! `hopscope explain`: why one passage is where it is, or is not there.

use super::ask::AskArgs;
use crate::explain::trace::explained;
use crate::explain::{why_here, why_not};
use crate::index::Index;
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// The passage, by its identifier.
    #[arg(long, short, value_name = "ID")]
    passage: String,
}

pub fn run(args: &ExplainArgs) -> Result<()> {
    let (index, retrieval) = args.ask.run()?;
    let passage = find(&index, &args.passage)?;
    let mut told = explained(&index, &retrieval, passage);
    let reasons = why_not(&index, &retrieval, passage);
    if args.ask.json {
        told["question"] = json!(retrieval.question);
        told["method"] = json!(retrieval.settings.method().name);
        told["settings"] = json!(retrieval.settings);
        told["seed_edits"] = json!(retrieval.edits());
        told["text"] = json!(index.text(passage));
        told["reasons"] = json!(reasons);
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
    if retrieval.place(passage).is_some() {
        writeln!(out, "{}", why_here(&index, &retrieval, passage))?;
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
