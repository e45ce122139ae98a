//! `hopscope explain`: why one passage is where it is, or is not there.

use super::ask::AskArgs;
use super::figures::{difference, known, score};
use super::grid::{Grid, cells};
use super::interrupt;
use crate::evaluate::{Comparison, Difference, Resampling, evaluate, recall_at};
use crate::explain::compare::STAYS;
use crate::explain::trace::{Opened, explained};
use crate::explain::{
    Beside, Compared, Kind, LookAlike, Reason, Repair, Repairs, Standing, compare, lookalikes,
    repairs, standing, why_not,
};
use crate::index::Index;
use crate::output;
use crate::parameters::RESULT_K;
use crate::retrieve::Retrieval;
use crate::text::plural;
use anyhow::{Result, anyhow};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

#[derive(Debug, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    ask: AskArgs,
    /// Passage id.
    #[arg(long, short, value_name = "ID")]
    passage: String,
    /// Compare with this passage, part by part. Default for a missed passage: the one at rank k.
    #[arg(long, value_name = "ID")]
    than: Option<String>,
    /// Search for repairs, changes that bring the passage into the top k: other settings, names joined or kept, names of the question as seeds, wrong
    /// links muted. Where no single change is enough, pairs. Changes that would force in any passage are counted apart.
    #[arg(long)]
    repairs: bool,
    /// Price each change of a setting or of the graph over all questions of the index: recall at K and R@5.
    #[arg(long, requires = "repairs")]
    price: bool,
}

/// A repair, and the difference it makes to the measure of all questions, where that was asked for.
#[derive(serde::Serialize)]
pub(super) struct Priced {
    #[serde(flatten)]
    repair: Repair,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<BTreeMap<&'static str, Difference>>,
}

/// What every price is of, beside the recall that fits the list.
const MEASURE: &str = "R@5";
/// Most edges that two passages are held against each other by.
const EDGES: usize = 10;
/// What would be printed as zero says nothing.
const LEAST: f64 = 5e-7;
/// Most look-alikes that are printed.
const ALIKE: usize = 3;
/// Most repairs that are priced: each is an evaluation of the whole set.
const PRICED: usize = 10;

pub fn run(args: &ExplainArgs) -> Result<()> {
    let (index, retrieval) = args.ask.run()?;
    let passage = find(&index, "--passage", &args.passage)?;
    let than = match &args.than {
        Some(id) => Some(find(&index, "--than", id)?),
        None => None,
    };
    let mut explained = Explained::of(&index, &retrieval, passage, than);
    if args.repairs {
        interrupt::watch();
        explained.look(args.price, &|| !interrupt::interrupted())?;
    }
    match args.ask.json {
        true => super::print_json(&explained.json()),
        false => explained.print(&mut output::text()),
    }
}

/// Everything about one passage of a retrieval: its score opened, and where it is missed why, with what would repair it.
pub(super) struct Explained<'a> {
    index: &'a Arc<Index>,
    retrieval: &'a Retrieval,
    passage: u32,
    opened: Opened,
    /// Empty for a returned passage.
    reasons: Vec<Reason>,
    compared: Option<Compared>,
    standing: Standing,
    alike: Vec<LookAlike>,
    /// None before a search, and for a returned passage.
    looked: Option<(Repairs, Vec<Priced>)>,
}

impl Explained<'_> {
    /// Explains a passage, compared with another; a missed one by default with the one at rank k.
    pub(super) fn of<'a>(
        index: &'a Arc<Index>,
        retrieval: &'a Retrieval,
        passage: u32,
        than: Option<u32>,
    ) -> Explained<'a> {
        let reasons = why_not(index, retrieval, passage);
        let last = retrieval.last_inside().filter(|_| !reasons.is_empty());
        let than = than.or(last.map(|last| last.passage));
        let than = than.filter(|other| *other != passage);
        Explained {
            index,
            retrieval,
            passage,
            opened: explained(index, retrieval, passage),
            compared: than.map(|other| compare(index, retrieval, passage, other)),
            standing: standing(retrieval, passage),
            alike: match reasons.is_empty() {
                true => Vec::new(),
                false => lookalikes(index, retrieval, passage),
            },
            reasons,
            looked: None,
        }
    }

    /// Searches for changes that bring the passage in, the first of them with their price over the question set. A returned
    /// passage needs none. Stops early where `go_on` returns false.
    ///
    /// # Errors
    /// The first retrieval that failed.
    pub(super) fn look(&mut self, price: bool, go_on: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        if !self.reasons.is_empty() {
            let found = look(self.index, self.retrieval, self.passage, price, go_on)?;
            self.looked = Some(found);
        }
        Ok(())
    }

    /// The one object of `explain --json`.
    pub(super) fn json(&self) -> Value {
        let (index, retrieval) = (self.index, self.retrieval);
        let mut told = json!(self.opened);
        told["question"] = json!(retrieval.question);
        told["method"] = json!(retrieval.settings.method().name);
        told["settings"] = json!(retrieval.settings);
        told["seed_edits"] = json!(retrieval.edits());
        told["graph_edits"] = json!(retrieval.graph_edits());
        told["text"] = json!(index.text(self.passage));
        told["reasons"] = json!(self.reasons);
        told["short"] = json!(self.standing.short);
        told["hop"] = json!(self.standing.hop);
        let over = self.standing.over.iter().map(|p| index.id(*p));
        told["over"] = json!(over.collect::<Vec<_>>());
        if let Some(compared) = &self.compared {
            told["than"] = json!(compared);
            told["than"]["passage"] = json!(index.id(compared.passage));
            told["than"]["other"] = json!(index.id(compared.other));
        }
        told["look_alikes"] = self.alike.iter().map(told_alike).collect();
        if let Some((repairs, priced)) = &self.looked {
            let forced = repairs.found.iter().filter(|r| r.kind == Kind::Forced);
            let forced: Vec<_> = forced.collect();
            told["repairs"] = json!({"tried": repairs.tried, "of": repairs.of, "found": priced, "forced": forced});
        }
        told
    }

    fn print(self, out: &mut impl Write) -> Result<()> {
        let (index, retrieval, passage) = (self.index, self.retrieval, self.passage);
        let opened = self.opened;
        let place = match retrieval.place(passage) {
            Some((rank, own)) => format!("rank {rank}, score {}", score(own.into())),
            None => "not found".to_owned(),
        };
        let place = place + &stands(index, retrieval, &self.standing);
        let (id, name) = (index.id(passage), index.headed(passage));
        writeln!(out, "{id}  {name}: {place}")?;
        for reason in &self.reasons {
            writeln!(out, "{} [{}, {}]", reason.text, reason.code, reason.class)?;
            match &reason.fix {
                Some(fix) if reason.cause => writeln!(out, "  cause: {fix}")?,
                Some(fix) => writeln!(out, "  tried, not a cause: {fix}")?,
                None => {}
            }
        }
        for alike in self.alike.iter().take(ALIKE) {
            writeln!(out, "look-alike: {}", alike.sentence())?;
            if let Some(join) = alike.join() {
                writeln!(out, "  same entity?  {join}")?;
            }
        }
        if let Some((repairs, priced)) = &self.looked {
            print_repairs(out, repairs, priced)?;
        }
        if retrieval.place(passage).is_some() {
            writeln!(out, "{}", opened.why)?;
        }
        match &self.compared {
            Some(compared) => print_compared(out, index, retrieval, compared)?,
            None => {
                let mut parts = opened.parts;
                parts.retain(|part| part.value.abs() >= LEAST);
                parts.sort_by(|a, b| b.value.total_cmp(&a.value));
                let mut grid = Grid::new(">12  <");
                for part in parts {
                    grid.row([score(part.value), noted(&part.label, &part.why)]);
                }
                write!(out, "{grid}")?;
            }
        }
        let mut grid = Grid::new("< >10  <");
        for path in &opened.paths {
            let nodes: Vec<&str> = path.nodes.iter().map(|stop| &*stop.label).collect();
            grid.row(cells!["path", score(path.mass), nodes.join(" > ")]);
        }
        write!(out, "{grid}")?;
        Ok(())
    }
}

/// How much it is short, and over which passages it is come to.
fn stands(index: &Index, retrieval: &Retrieval, standing: &Standing) -> String {
    let mut told = String::new();
    if let Some(short) = standing.short {
        let k = retrieval.settings.get(RESULT_K);
        told += &format!(", {} below rank {k}", score(short));
    }
    if let Some(hop) = standing.hop {
        let over = standing.over.iter().map(|passage| {
            let rank = retrieval.rank(*passage);
            let rank = rank.map_or("not ranked".to_owned(), |rank| format!("rank {rank}"));
            format!("{} ({rank})", index.id(*passage))
        });
        let over = over.collect::<Vec<_>>().join(", ");
        told += &format!(", passage {hop} on its best path");
        if !over.is_empty() {
            told += &format!(" over {over}");
        }
    }
    told
}

/// Two scores, part by part: what gives the other passage most more comes first.
fn print_compared(
    out: &mut impl Write,
    index: &Index,
    retrieval: &Retrieval,
    compared: &Compared,
) -> Result<()> {
    let other = compared.other;
    let rank = retrieval.place(other);
    let rank = rank.map(|(rank, _)| format!(" (rank {rank})"));
    let (id, rank) = (index.id(other), rank.unwrap_or_default());
    writeln!(out, "beside {id}{rank}  {}", index.headed(other))?;
    let mut grid = Grid::headed(">12 >12 >12  <", "this|other|gap");
    let gap = |value: f64| format!("{value:+.6}");
    let [own, theirs] = compared.scores;
    let between = own.zip(theirs).map(|(own, theirs)| theirs - own);
    let [own, theirs] = [own, theirs].map(|value| known(value, score));
    grid.row(cells![own, theirs, known(between, gap), "score"]);
    let mut row = |label: String, own: f64, theirs: f64| {
        grid.row([score(own), score(theirs), gap(theirs - own), label]);
    };
    let shown = |part: &&Beside| part.own.abs().max(part.other.abs()) >= LEAST;
    for part in compared.parts.iter().filter(shown) {
        row(noted(&part.label, &part.other_why), part.own, part.other);
    }
    for (length, [own, theirs]) in compared.by_length.iter().enumerate() {
        row(format!("over {}", plural(length, "edge")), *own, *theirs);
    }
    let mut edges: Vec<&Beside> = compared.by_edge.iter().filter(shown).collect();
    edges.sort_by(|a, b| b.gap().total_cmp(&a.gap()));
    for edge in edges.iter().take(EDGES) {
        // The last of them is no edge.
        let label = match edge.label == STAYS {
            true => edge.label.clone(),
            false => format!("at the end from {}", edge.label),
        };
        row(label, edge.own, edge.other);
    }
    write!(out, "{grid}")?;
    Ok(())
}

/// A label with what it rests on.
fn noted(label: &str, why: &str) -> String {
    match why {
        "" => label.to_owned(),
        why => format!("{label}  ({why})"),
    }
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
    index: &Arc<Index>,
    retrieval: &Retrieval,
    passage: u32,
    price: bool,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Result<(Repairs, Vec<Priced>)> {
    let repairs = repairs(index, retrieval, passage, |_| go_on())?;
    let all = index.questions();
    let scored = |settings: &_| evaluate(index, all, settings, |_| go_on());
    let measure = recall_at(retrieval.settings.get(RESULT_K));
    let (mut priced, mut before) = (Vec::new(), None);
    let mut left = if price { PRICED } else { 0 };
    for repair in repairs.sensible() {
        let mut price = None;
        if left > 0 && repair.change.is_general() && go_on() {
            left -= 1;
            let base = match before.take() {
                Some(base) => base,
                None => scored(&retrieval.settings)?,
            };
            let after = scored(&repair.change.applied(&retrieval.settings))?;
            let compared = Comparison::new(&base, &after, Resampling::default());
            let of = |name| Some((name, compared.get(name)?.clone()));
            price = Some([measure, MEASURE].into_iter().filter_map(of).collect());
            before = Some(base);
        }
        let repair = repair.clone();
        priced.push(Priced { repair, price });
    }
    // Those that gain for the set first, those that cost it last; of equals those of fewest moves.
    let gain = |priced: &Priced| {
        let price = priced.price.as_ref().and_then(|price| price.get(measure));
        price.map_or(0.0, Difference::sure)
    };
    priced.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    Ok((repairs, priced))
}

fn print_repairs(out: &mut impl Write, repairs: &Repairs, priced: &[Priced]) -> Result<()> {
    let mut grid = Grid::new("  <32 <8 <");
    for Priced { repair, price } in priced {
        let mut cost = plural(repair.moves, "move");
        for (name, price) in price.iter().flatten() {
            let (between, wins, losses) = (difference(price), price.wins, price.losses);
            cost += &format!("; {name} {between}, {wins} won, {losses} lost");
        }
        grid.row(cells![repair.change, format!("rank {}", repair.rank), cost]);
    }
    write!(out, "{}\n{grid}", repairs.sentence())?;
    let forced = repairs.forced();
    if !forced.is_empty() {
        writeln!(out, "  {forced}")?;
    }
    Ok(())
}

fn find(index: &Index, flag: &str, id: &str) -> Result<u32> {
    index.passage_by_id(id.trim_start_matches('#')).ok_or_else(|| {
        anyhow!("{flag}: no passage has the id '{id}'; 'hopscope ask' prints the ids of those it returns")
    })
}
