//! `hopscope explain`: why one passage is where it is, or is not there.

use super::ask::{AskArgs, warn};
use super::figures::{difference, known, score};
use super::grid::{Grid, cells};
use super::llm::report;
use super::load::Aim;
use super::{elsewhere, interrupt};
use crate::evaluate::{Comparison, Difference, Resampling, evaluate, recall_at};
use crate::explain::compare::STAYS;
use crate::explain::trace::{Opened, explained};
use crate::explain::{
    Beside, Compared, Kind, LookAlike, Reason, Repair, Repairs, Standing, compare, lookalikes,
    repairs, standing, why_not,
};
use crate::index::Index;
use crate::layers::{GraphEdit, GraphEdited};
use crate::output;
use crate::parameters::RESULT_K;
use crate::retrieve::explanation::Combine;
use crate::retrieve::{Edited, Keep, Retrieval, Retriever, Settings};
use crate::text::plural;
use anyhow::{Result, anyhow};
use clap::Args;
use serde::Serialize;
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
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Priced {
    #[serde(flatten)]
    pub(super) repair: Repair,
    /// By measure: what the change does over all questions, against the run as it is. With `--price` alone.
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
    let (index, question, settings) = args.ask.opened(Aim::Questions)?;
    let number = |flag, id| index.read_for(|index| find(index, flag, id))?;
    let passage = number("--passage", &args.passage)?;
    let than = args.than.as_deref().map(|id| number("--than", id));
    let than = than.transpose()?;
    if args.repairs {
        interrupt::watch();
    }
    let mut retriever = Retriever::new(index.clone());
    let made = retriever.long_rounds(args.repairs, |own, long| {
        let run = own.retrieve(&question, &settings, Keep::States)?;
        let (index, mut bytes) = (own.index(), Vec::new());
        let mut explained = Explained::of(index, &run, passage, than);
        if long {
            explained.look(args.price, &|| !interrupt::interrupted())?;
        }
        match args.ask.json {
            true => super::write_json(output::json_to(&mut bytes), &explained.whole())?,
            false => explained.print(&mut output::text_to(&mut bytes))?,
        }
        anyhow::Ok((run, bytes))
    });
    report(&index.llm());
    let (run, bytes) = made?;
    warn(retriever.index(), &run);
    output::text().write_all(&bytes)?;
    elsewhere::spent(&index);
    Ok(())
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

/// A passage of a retrieval, explained.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Whole<'a> {
    #[serde(flatten)]
    pub(super) opened: &'a Opened,
    /// As it was asked.
    question: &'a str,
    /// Name of the method.
    method: &'a str,
    /// All parameters of the method.
    settings: &'a Settings,
    /// Your changes of the seeds, and whether each had something to change.
    seed_edits: Vec<Edited>,
    /// Your changes of the graph.
    graph_edits: Vec<GraphEdited>,
    /// Its text, without the title.
    pub(super) text: &'a str,
    /// Verdicts, the likeliest first; empty for a returned passage.
    pub(super) reasons: &'a [Reason],
    /// Gap of its score to that at rank k; null for a returned passage, and where either has no score.
    pub(super) short: Option<f64>,
    /// Place on its best path, counted in passages from the seed, itself included; null where nothing reaches it.
    pub(super) hop: Option<usize>,
    /// Ids of the passages on that path before it.
    pub(super) over: Vec<&'a str>,
    /// Its score compared with that of another passage; by default for a missed passage the one at rank k.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) than: Option<Than<'a>>,
    /// Pairs of names that may be one.
    pub(super) look_alikes: Vec<Alike<'a>>,
    /// Changes that bring the passage into the top k; with `--repairs` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) repairs: Option<Found<'a>>,
}

/// Two scores, part by part.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Than<'a> {
    /// Id of the passage that is explained.
    passage: &'a str,
    /// Id of the one it is compared with.
    pub(super) other: &'a str,
    /// Whether the parts add up to the scores.
    combine: Combine,
    /// The two scores; of a passage that is not ranked the sum of its parts, null where they are no sum.
    pub(super) scores: [Option<f64>; 2],
    /// How far sums of parts may be off the scores.
    error: f64,
    /// By seed, word, list or signal, those that give the other more first.
    pub(super) parts: &'a [Beside],
    /// Of a walk of steps: both scores by length of the path, 0 to T.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    by_length: &'a [[f64; 2]],
    /// Of a walk that ends on passages: by the last edge; mass that restarts or stays comes last.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    by_edge: &'a [Beside],
}

impl<'a> Than<'a> {
    fn of(index: &'a Index, compared: &'a Compared) -> Than<'a> {
        Than {
            passage: index.id(compared.passage),
            other: index.id(compared.other),
            combine: compared.combine,
            scores: compared.scores,
            error: compared.error,
            parts: &compared.parts,
            by_length: &compared.by_length,
            by_edge: &compared.by_edge,
        }
    }
}

/// A pair of names that may be one.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Alike<'a> {
    #[serde(flatten)]
    pair: &'a LookAlike,
    /// The pair in a sentence.
    pub(super) sentence: String,
    /// The graph edit that joins them; null where one of them is not in the graph.
    join: Option<GraphEdit>,
}

impl Alike<'_> {
    fn of(pair: &LookAlike) -> Alike<'_> {
        Alike {
            pair,
            sentence: pair.sentence(),
            join: pair.join(),
        }
    }
}

/// The result of a search for repairs.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Found<'a> {
    /// Changes that were tried.
    pub(super) tried: usize,
    /// Changes there are.
    pub(super) of: usize,
    /// Those that bring the passage into the top k: the largest gain over the set first, then the fewest moves.
    pub(super) found: &'a [Priced],
    /// Those that would bring any passage in.
    pub(super) forced: Vec<&'a Repair>,
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
    pub(super) fn whole(&self) -> Whole<'_> {
        let (index, retrieval) = (self.index, self.retrieval);
        let over = self.standing.over.iter().map(|p| index.id(*p));
        let repairs = self.looked.as_ref().map(|(repairs, priced)| Found {
            tried: repairs.tried,
            of: repairs.of,
            found: priced,
            forced: (repairs.found.iter())
                .filter(|r| r.kind == Kind::Forced)
                .collect(),
        });
        Whole {
            opened: &self.opened,
            question: &retrieval.question,
            method: &retrieval.settings.method().name,
            settings: &retrieval.settings,
            seed_edits: retrieval.edits(),
            graph_edits: retrieval.graph_edits(),
            text: index.text(self.passage),
            reasons: &self.reasons,
            short: self.standing.short,
            hop: self.standing.hop,
            over: over.collect(),
            than: self.compared.as_ref().map(|c| Than::of(index, c)),
            look_alikes: self.alike.iter().map(Alike::of).collect(),
            repairs,
        }
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
