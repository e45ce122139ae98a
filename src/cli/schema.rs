//! `hopscope schema [COMMAND]`: JSON schemas of what commands print as JSON. They are made from the types that are printed,
//! kept in `assets/schema`, and made again by a test of a build with the feature `schema`.

use super::calls;
use crate::output;
use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::Value;
use std::io::Write;

/// The schemas of these outputs, and what makes them.
macro_rules! outputs {
    ($($name:literal $about:literal $output:ty;)*) => {
        /// Name of an output, the arguments that print it, and its schema.
        const OUTPUTS: &[(&str, &str, &str)] =
            &[$(($name, $about, include_str!(concat!("../../assets/schema/", $name, ".json")))),*];

        /// The schemas of all outputs and calls, made anew, by the name of their file.
        #[cfg(feature = "schema")]
        pub fn made() -> Vec<(&'static str, Value)> {
            let outputs = [$(($name, of::<$output>($name))),*];
            outputs.into_iter().chain(calls::made()).collect()
        }
    };
}

outputs! {
    "ask" "ask --json" super::ask::Asked<'static>;
    "eval" "eval --json" super::eval::json::Whole<'static>;
    "explain" "explain --json" super::explain::Whole<'static>;
    "trace" "trace --json" crate::explain::Trace;
    "compare" "compare --json" super::compare::Whole<'static>;
    "doctor" "doctor --json" super::doctor::Checked<'static>;
    "doctor-ppr" "doctor --ppr --json" super::doctor::Tested<'static>;
    "sweep" "sweep --json" super::sweep::Whole<'static>;
    "sweep-sizes" "sweep --over chunk-words --json" super::sweep::sizes::Whole<'static>;
    "tune" "tune --json" super::tune::ranker::Report<'static>;
    "tune-families" "tune --json of several indexes" super::tune::ranker::General<'static>;
    "tune-confidence" "tune --confidence --json" super::tune::confidence::Report<'static>;
    "tune-parameters" "tune --parameters --json" super::tune::parameters::Whole<'static>;
    "index" "index --json, merge --json, import --out --json" super::index::Written<'static>;
    "index-add" "index --add --json" super::index::Added<'static>;
    "import" "import --json" super::import::Report<'static>;
    "labels" "labels --agreement --json" crate::evaluate::labels::Agreement;
    "stats" "stats --json" super::stats::Whole<'static>;
    "methods" "methods --json" Vec<super::lists::Listed<'static>>;
    "parameters" "parameters --json" Vec<super::lists::Declared<'static>>;
}

/// The calls of `hopscope serve`, whose schemas have their arguments too.
const CALLS: &str = "serve";

#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// Command to print the schema of. Default: list them.
    #[arg(value_parser = names(), hide_possible_values = true)]
    command: Option<String>,
}

fn names() -> PossibleValuesParser {
    let names = OUTPUTS.iter().map(|output| output.0);
    PossibleValuesParser::new(names.chain([CALLS]))
}

/// Prints the schema of an output, or which there are.
pub fn run(args: &SchemaArgs) -> Result<()> {
    let Some(command) = &args.command else {
        let mut out = output::text();
        for (name, about, _) in OUTPUTS {
            writeln!(out, "{name:<16} {about}")?;
        }
        writeln!(
            out,
            "{CALLS:<16} calls of serve and mcp, with their arguments"
        )?;
        return Ok(());
    };
    match OUTPUTS.iter().find(|output| output.0 == command) {
        Some((_, _, schema)) => super::print_json(&serde_json::from_str::<Value>(schema)?),
        None => super::print_json(&calls::schema()),
    }
}

/// The schema of a type as it is printed. No object has a key that the schema does not name.
#[cfg(feature = "schema")]
pub(super) fn of<T: schemars::JsonSchema>(name: &str) -> Value {
    use schemars::generate::SchemaSettings;

    let made = SchemaSettings::draft2020_12().for_serialize();
    let made = made.into_generator().into_root_schema_for::<T>();
    let mut made = made.to_value();
    tidy(&mut made);
    made["title"] = Value::from(format!("hopscope {name}"));
    made["$id"] = Value::from(format!("urn:hopscope:{}:{name}", calls::SCHEMA));
    made
}

/// More values than this are listed without what each means; `hopscope reference` has that.
#[cfg(feature = "schema")]
const EXPLAINED: usize = 8;

/// Closes objects, and leaves out what a reader of JSON has no use for: how a number is held in memory, what was the default
/// when it was read, and of a comment all but the first paragraph.
#[cfg(feature = "schema")]
fn tidy(schema: &mut Value) {
    let fields = match schema {
        Value::Array(all) => return all.iter_mut().for_each(tidy),
        Value::Object(fields) => fields,
        _ => return,
    };
    fields.values_mut().for_each(tidy);
    // A field may have the name of a keyword: then it has a schema here.
    fields.retain(|keyword, said| match &**keyword {
        "format" => !said.is_string(),
        "default" => said.is_object(),
        "minimum" => said != 0,
        _ => true,
    });
    if let Some(Value::String(about)) = fields.get_mut("description") {
        let first = about.split("\n\n").next().unwrap_or_default();
        *about = first.replace('\n', " ");
    }
    let values = fields.get("oneOf").and_then(Value::as_array);
    let values = values.filter(|all| all.len() > EXPLAINED);
    let values = values.map(|all| all.iter().map(|one| one["const"].clone()));
    if let Some(values) = values.map(Iterator::collect::<Vec<_>>) {
        fields.shift_remove("oneOf");
        fields.insert("enum".into(), Value::Array(values));
    }
    if fields.contains_key("properties") && !fields.contains_key("additionalProperties") {
        fields.insert("additionalProperties".into(), Value::from(false));
    }
}
