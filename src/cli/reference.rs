//! `hopscope reference`: the tables of methods, graphs, operators, parameters and verdicts, from their declarations.
//! `assets/reference.md` is what it prints.

use crate::exchange::given::SYSTEMS;
use crate::layers::{Class, Code, GRAPHS};
use crate::output;
use crate::parameters::Parameter;
use crate::retrieve::compose::{NAMES, PICKS, RESTS, WALKS, own};
use crate::retrieve::operator::{Declaration, Part};
use crate::retrieve::plan::{Plan, Step};
use crate::retrieve::{Composition, METHODS};
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

/// Prints [`markdown`].
pub fn print() -> Result<()> {
    output::text().write_all(markdown().as_bytes())?;
    Ok(())
}

/// All tables, as Markdown.
pub fn markdown() -> String {
    let mut text = String::from("# Reference\n\nPrinted by `hopscope reference`.\n");
    table(
        &mut text,
        "Methods",
        &["method", "what it does", "needs", "steps", "parts"],
        METHODS.iter().map(|method| {
            let plan = method.plan();
            let steps = plan.steps.iter().map(|step| step_of(step));
            let steps: Vec<&str> = steps.collect();
            [
                code(&method.name),
                method.about.to_string(),
                method.needs.to_string(),
                steps.join(", "),
                own(method).map(|own| own.to_string()).join(" > "),
            ]
        }),
    );
    text += "\nParts are words of compositions: `~` comes near to a part of the method's own, `()` has no word, `-` is none.\n";
    let kinds = GRAPHS.iter();
    table(
        &mut text,
        "Graphs",
        &["graph", "what it is", "layer", "parameters"],
        kinds.map(|kind| {
            [
                code(kind.name),
                kind.about.to_owned(),
                kind.layer.map_or_else(String::new, code),
                codes(kind.reads),
            ]
        }),
    );
    table(
        &mut text,
        "Operators",
        &["part", "operator", "what it does", "parameters"],
        operators().into_iter().map(|(of, reads)| {
            [
                part(of.part).to_owned(),
                of.name.to_owned(),
                of.about.to_owned(),
                codes(&reads),
            ]
        }),
    );
    table(
        &mut text,
        "Parameters",
        &["parameter", "what it does", "values", "default", "source"],
        Parameter::ALL.iter().map(|p| {
            let of = p.declaration();
            [
                code(of.id),
                of.meaning.to_owned(),
                of.domain.to_string(),
                of.domain.format(of.default),
                of.source.to_owned(),
            ]
        }),
    );
    table(
        &mut text,
        "Indexes of other systems",
        &["system", "its files"],
        SYSTEMS
            .iter()
            .map(|system| [system.title.to_owned(), system.about.to_owned()]),
    );
    table(
        &mut text,
        "Verdicts on a passage that is not returned",
        &["code", "text", "class of most"],
        Code::ALL.iter().map(|verdict| {
            [
                code(verdict.name()),
                verdict.about().to_owned(),
                verdict.class().to_string(),
            ]
        }),
    );
    table(
        &mut text,
        "Failure classes",
        &["class", "text"],
        Class::ALL
            .iter()
            .map(|class| [class.to_string(), class.about().to_owned()]),
    );
    text
}

fn table<const N: usize>(
    text: &mut String,
    title: &str,
    head: &[&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    // Writing to a string does not fail.
    let _ = write!(text, "\n## {title}\n\n{}", line(&head.map(str::to_owned)));
    text.push_str(&line(
        &[const { String::new() }; N].map(|_| "---".to_owned()),
    ));
    for row in rows {
        text.push_str(&line(&row.map(|cell| cell.replace('|', "\\|"))));
    }
}

fn code(word: &str) -> String {
    format!("`{word}`")
}

fn codes(parameters: &[Parameter]) -> String {
    let all: Vec<String> = parameters.iter().map(|p| code(p.id())).collect();
    all.join(" ")
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Seed => "seed",
        Part::Spread => "spread",
        Part::Select => "select",
    }
}

fn step_of(step: &Step) -> &'static str {
    step.operator.declaration().name
}

/// Every operator of a method or a composition, with all that it reads in any of its forms: part by part, by name.
fn operators() -> Vec<(Declaration, Vec<Parameter>)> {
    let mut all: BTreeMap<(Part, &str, &str), (Declaration, Vec<Parameter>)> = BTreeMap::new();
    for step in plans().iter().flat_map(|plan| &plan.steps) {
        let of = step.operator.declaration();
        let own = all.entry((of.part, of.name, of.about));
        let (_, reads) = own.or_insert_with(|| (of, Vec::new()));
        reads.extend(of.reads);
        reads.sort_unstable();
        reads.dedup();
    }
    all.into_values().collect()
}

/// The plans of all methods, and of a composition with each of the parts there are.
fn plans() -> Vec<Plan> {
    let graphs = GRAPHS.iter().map(|kind| kind.name);
    let rests = RESTS.iter().map(|word| word.name);
    let seeds: Vec<String> = rests
        .flat_map(|rest| [rest.to_owned(), format!("{NAMES}+{rest}")])
        .collect();
    let mut plans: Vec<Plan> = METHODS.iter().map(|m| m.plan().clone()).collect();
    for graph in graphs {
        for seeds in &seeds {
            for walk in WALKS {
                for pick in PICKS {
                    let words = format!("{seeds} > {graph} > {} > {}", walk.name, pick.name);
                    let composed = Composition::parse(&words).and_then(Composition::method);
                    plans.extend(composed.map(|method| method.plan().clone()));
                }
            }
        }
    }
    plans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_reference_is_the_one_in_the_repository() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/reference.md");
        if std::env::var_os("HOPSCOPE_FREEZE").is_some() {
            std::fs::write(path, markdown()).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap();
        assert!(
            kept == markdown(),
            "assets/reference.md is not what the declarations say; write it again: hopscope reference > assets/reference.md"
        );
    }

    #[test]
    fn every_method_graph_and_parameter_is_in_it_and_no_cell_breaks_a_row() {
        let text = markdown();
        let names = METHODS.iter().map(|m| m.name.to_string());
        let graphs = GRAPHS.iter().map(|kind| kind.name.to_owned());
        let parameters = Parameter::ALL.iter().map(|p| p.id().to_owned());
        for name in names.chain(graphs).chain(parameters) {
            assert!(text.contains(&format!("| {} |", code(&name))), "{name}");
        }
        let mut columns = 0;
        for line in text.lines() {
            let cells = line.replace("\\|", "").matches('|').count();
            assert!(columns == 0 || cells == 0 || cells == columns, "{line}");
            columns = cells;
        }
    }
}
