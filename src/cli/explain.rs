//! `hopscope explain`: one passage of one question.

use super::ask::AskArgs;
use crate::explain::explained;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use std::io::Write;

#[derive(Debug, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// The passage, by its identifier.
    #[arg(long, value_name = "ID")]
    passage: String,
}

/// Words and paths that are printed without `--json`.
const SHOWN: usize = 5;

pub fn run(args: &ExplainArgs) -> Result<()> {
    let (index, retrieval, _) = args.ask.run()?;
    let Some(passage) = index.passage_by_id(&args.passage) else {
        let said = crate::explain::reasons::not_in_index(&index, &args.passage);
        bail!("{}", said.text);
    };
    let mut told = explained(&index, &retrieval, passage);
    told["question"] = json!(retrieval.question);
    told["method"] = json!(retrieval.settings.method().name);
    if args.ask.json {
        return super::print_json(&told);
    }
    let mut out = std::io::stdout().lock();
    let place = match told["rank"].as_u64() {
        Some(rank) => format!("rank {rank}, score {}", number(&told["score"])),
        None => "no score".to_owned(),
    };
    writeln!(out, "{}  {}", args.passage, index.title(passage))?;
    writeln!(out, "{place}: {}", text(&told["why"]))?;
    for part in list(&told["parts"]) {
        let (label, why) = (text(&part["label"]), text(&part["why"]));
        writeln!(out, "  {:>10}  {label}  {why}", number(&part["value"]))?;
    }
    for share in list(&told["attribution"]["shares"]).iter().take(SHOWN) {
        let seed = text(&share["seed"]);
        writeln!(out, "  {:>10}  from {seed}", number(&share["share"]))?;
    }
    for path in list(&told["attribution"]["paths"]).iter().take(SHOWN) {
        let nodes: Vec<&str> = list(&path["nodes"]).iter().map(text).collect();
        writeln!(
            out,
            "  {:>10}  over {}",
            number(&path["mass"]),
            nodes.join(" > ")
        )?;
    }
    for reason in list(&told["reasons"]) {
        let (code, class) = (text(&reason["code"]), text(&reason["class"]));
        writeln!(out, "  {class} {code}: {}", text(&reason["text"]))?;
        if let Some(fix) = reason["fix"].as_str() {
            writeln!(out, "     try {fix}")?;
        }
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> String {
    value.as_f64().map_or(String::new(), |v| format!("{v:.6}"))
}
