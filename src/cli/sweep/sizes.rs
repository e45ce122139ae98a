//! `hopscope sweep CORPUS --over chunk-words=100,200`: an index for every size of passages, and what each finds of the same
//! gold.

use super::{COMPARED as DIFFERENCE, SweepArgs, compared, told};
use crate::cli::eval::asked;
use crate::cli::figures::{measure, score};
use crate::cli::grid::{Form, Grid, cells};
use crate::cli::load::{Aim, bar, load_runs_telling};
use crate::cli::{Opening, Reading, interrupt, say};
use crate::corpus::{self, Cut, Question};
use crate::evaluate::answers::{Covered, READ_TOKENS, curve};
use crate::evaluate::cuts::{self, COMPARED, Places, Row, solid};
use crate::evaluate::measures::Ranks;
use crate::evaluate::{Difference, Resampling, compare::correct, evaluate};
use crate::explorer::text::count;
use crate::index::Index;
use crate::output;
use crate::retrieve::Settings;
use crate::text::chunks;
use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;

/// What is swept here: the options of a reading, not parameters of a method.
const WORDS: &str = "chunk-words";
const OVERLAP: &str = "chunk-overlap";
/// Of the lengths of reading those of a table.
const SHOWN: [usize; 3] = [1, COMPARED, 3];

/// Whether a value of --over is one of a size.
pub fn is_one(over: &str) -> bool {
    named(over).is_some()
}

fn named(over: &str) -> Option<&'static str> {
    let name = over.split_once('=').map_or(over, |(name, _)| name);
    let name = name.trim().replace('_', "-");
    [WORDS, OVERLAP].into_iter().find(|own| *own == name)
}

/// A sweep over sizes of passages.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::cli) struct Whole<'a> {
    /// Name of the corpus.
    index: &'a str,
    /// Name of the method.
    method: &'a str,
    /// All parameters of the method.
    settings: &'a Settings,
    /// The measure that is reported.
    measure: &'a str,
    /// Lengths of reading for which there is a recall.
    tokens: [usize; READ_TOKENS.len()],
    /// Questions with gold.
    judged: usize,
    /// Every cutting in order; that of the gold has no difference.
    cuts: Vec<Tried>,
}

/// One cutting and its result.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Tried {
    /// How the texts were cut.
    #[serde(flatten)]
    cut: Named,
    /// Number of passages.
    passages: usize,
    /// Tokens of a passage with its title on average.
    tokens: f64,
    /// The measure, mean over the questions: a gold passage has the rank at which half of it is read.
    value: f64,
    /// Share of the gold that is found within so many tokens, for each of `tokens`.
    within: [f64; READ_TOKENS.len()],
    /// From the cutting of the gold: of the share of answers within 1,000 tokens where questions have some, else of the gold.
    difference: Option<Difference>,
    /// Share of the questions with an accepted answer that stands in so many tokens, for each of `tokens`; null where no
    /// question has one. It depends on no cutting.
    answers: Option<[f64; READ_TOKENS.len()]>,
    /// What every question comes to by what cuttings are compared by.
    #[serde(skip)]
    compared: Vec<f64>,
}

/// What a set comes to in one cutting.
struct Asked {
    rows: Vec<Row>,
    /// How soon an accepted answer is read, of the questions that have one.
    read: Vec<Covered>,
}

/// A cutting by the names of its options.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Named {
    /// Most words of a passage.
    chunk_words: usize,
    /// Words that a passage repeats of the one before, at most.
    chunk_overlap: usize,
}

impl Named {
    fn of(cut: Cut) -> Named {
        Named {
            chunk_words: cut.words,
            chunk_overlap: cut.overlap,
        }
    }
}

/// A corpus in one cutting.
struct Opened {
    index: Arc<Index>,
    settings: Settings,
    places: Places,
    /// Tokens of every passage with its title.
    tokens: Vec<usize>,
}

pub fn run(args: &SweepArgs) -> Result<()> {
    if args.question.is_some() {
        bail!("--over {WORDS} is measured over the questions with gold; leave out the question");
    }
    if Index::is_index(&args.index) {
        let path = args.index.display();
        bail!("{path}: the texts of an index are cut already; name its corpus instead");
    }
    if Ranks::default().measure(args.measure).is_none() {
        let measure = args.measure;
        bail!(
            "--measure {measure}: two gold passages can have one rank here; name R@2, R@5, R@10, R@20, Success@10, RR or All@5"
        );
    }
    let base = args.opening.reading.cut();
    let cuts = all(args, base)?;
    interrupt::watch();
    // What there is to say of the files it says once.
    let first = opened(args, base, &mut |said| say(said))?;
    let files = [&args.questions, &args.qrels].map(|file| file.as_deref());
    let mut questions = asked(&first.index, files, &args.opening.reading)?;
    questions.retain(|question| question.wanted() > 0);
    if questions.is_empty() {
        let path = args.index.display();
        bail!("{path}: no question with gold; name a file with --questions FILE [--qrels FILE]");
    }
    let name = first.index.name().to_owned();
    let settings = first.settings.clone();
    let gold = first.places.clone();
    let bar = bar(cuts.len() * questions.len());
    let mut tried: Vec<Tried> = Vec::new();
    let mut first = Some(first);
    // The one of the gold comes first: the others are compared with it.
    let order = std::iter::once(base).chain(cuts.iter().copied().filter(|cut| *cut != base));
    for (at, cut) in order.enumerate() {
        let own = match first.take() {
            Some(first) => first,
            None => opened(args, cut, &mut |_| ())?,
        };
        let progress = |done: usize| {
            bar.set_position((at * questions.len() + done) as u64);
            !interrupt::interrupted()
        };
        let asked = rows(args, &own, (&gold, &questions), progress)?;
        let Some(asked) = asked else {
            bail!("interrupted after {at} of {} sizes", cuts.len());
        };
        tried.push(Tried::of(cut, &own, &asked, tried.first()));
    }
    bar.finish_and_clear();
    if tried.len() > 1 && tried.iter().all(|one| one.lengths() == tried[0].lengths()) {
        note!("every size gave the same passages: only texts, Markdown and HTML are cut");
    }
    let differences = tried.iter_mut().filter_map(|one| one.difference.as_mut());
    correct(differences.map(std::slice::from_mut));
    tried.sort_by_key(|one| (one.cut.chunk_words, one.cut.chunk_overlap));
    let whole = Whole {
        index: &name,
        method: &settings.method().name,
        settings: &settings,
        measure: args.measure,
        tokens: READ_TOKENS,
        judged: questions.len(),
        cuts: tried,
    };
    match args.form {
        _ if args.json => crate::cli::print_json(&whole),
        Form::Json => crate::cli::print_json(&whole),
        Form::Text => whole.text(Named::of(base)),
        form => Ok(whole.table().print(form)?),
    }
}

/// Every cutting that --over names, that of the gold among them.
fn all(args: &SweepArgs, base: Cut) -> Result<Vec<Cut>> {
    let mut values = [vec![base.words], vec![base.overlap]];
    let mut seen = [false; 2];
    for over in &args.over {
        let Some(name) = named(over) else {
            bail!(
                "--over {over}: sizes of passages are swept by themselves, at most {WORDS} and {OVERLAP}"
            );
        };
        let list = over.split_once('=').map(|(_, list)| list);
        let Some(list) = list.filter(|list| !list.trim().is_empty()) else {
            bail!("--over {over}: name the values, as in {WORDS}=100,200,400");
        };
        let number = |text: &str| {
            let number: Option<u32> = text.trim().parse().ok();
            let fits = number.filter(|number| *number > 0 || name == OVERLAP);
            fits.map(|number| number as usize)
                .ok_or_else(|| anyhow!("--over {over}: '{text}' is not a number of words"))
        };
        let which = usize::from(name == OVERLAP);
        if std::mem::replace(&mut seen[which], true) {
            bail!("--over {over}: given twice");
        }
        values[which] = list.split(',').map(number).collect::<Result<_>>()?;
    }
    let [words, overlaps] = values;
    let mut cuts = vec![base];
    for &words in &words {
        for &overlap in &overlaps {
            if overlap >= words {
                bail!(
                    "{OVERLAP} {overlap}: a passage of {words} words cannot repeat so many; name fewer"
                );
            }
            cuts.push(Cut { words, overlap });
        }
    }
    cuts.sort_by_key(|cut| (cut.words, cut.overlap));
    cuts.dedup();
    Ok(cuts)
}

/// Reads and indexes the corpus in one cutting.
fn opened(args: &SweepArgs, cut: Cut, tell: &mut dyn FnMut(String)) -> Result<Opened> {
    let path = &*args.index;
    let opening = Opening {
        reading: args.opening.reading.cut_as(cut),
        ..args.opening.clone()
    };
    let loaded = load_runs_telling(
        Some(path),
        &[],
        &args.how,
        args.top,
        &opening,
        Aim::Whole,
        tell,
    );
    let (index, _, mut all) = loaded?;
    let passages = index.passages();
    let whole = (0..passages.len()).map(|at| solid(passages.text(at)));
    let whole: Vec<usize> = whole.collect();
    let apart = match cut.overlap {
        0 => None,
        _ => Some(apart(
            path,
            &opening.reading.cut_as(Cut { overlap: 0, ..cut }),
        )?),
    };
    let places = Places::of(&whole, apart.as_ref().unwrap_or(&whole));
    let places = places.ok_or_else(|| anyhow!("{}: changed while it was read", path.display()))?;
    let tokens = (0..passages.len()).map(|at| chunks::count(&passages.full_text(at)));
    Ok(Opened {
        tokens: tokens.collect(),
        settings: all.remove(0),
        places,
        index,
    })
}

/// Characters of every passage as the texts are cut without overlap.
fn apart(path: &std::path::Path, reading: &Reading) -> Result<Vec<usize>> {
    let (corpus, _) = corpus::read(&[path.to_owned()], &reading.options()?)?;
    Ok(corpus
        .passages
        .iter()
        .map(|passage| solid(&passage.text))
        .collect())
}

/// Asks every question with gold; none where a person stopped it.
fn rows(
    args: &SweepArgs,
    own: &Opened,
    (gold, questions): (&Places, &[Question]),
    progress: impl Fn(usize) -> bool + Sync,
) -> Result<Option<Asked>> {
    if own.places.length() != gold.length() {
        bail!("{}: changed while it was read", args.index.display());
    }
    // Their gold is of another cutting.
    let bare = |question: &Question| Question {
        gold: Vec::new(),
        missing: Vec::new(),
        ..question.clone()
    };
    let bare: Vec<Question> = questions.iter().map(bare).collect();
    let evaluation = evaluate(&own.index, &bare, &own.settings, progress)?;
    if evaluation.per_question.len() < bare.len() {
        return Ok(None);
    }
    let passages = (&own.places, &own.tokens[..]);
    let asked = questions.iter().zip(&evaluation.per_question);
    let rows = asked.filter_map(|(question, outcome)| {
        cuts::row(args.measure, question, gold, &outcome.ranking, passages)
    });
    let rows = rows.collect();
    let read = evaluation.per_question.iter();
    let read = read.filter_map(|outcome| outcome.read).collect();
    Ok(Some(Asked { rows, read }))
}

impl Tried {
    fn lengths(&self) -> (usize, f64) {
        (self.passages, self.tokens)
    }

    fn of(cut: Cut, own: &Opened, asked: &Asked, base: Option<&Tried>) -> Tried {
        let [value, within @ ..] = cuts::means(&asked.rows);
        let soon = |read: &Covered| read.after.is_some_and(|at| at <= READ_TOKENS[COMPARED]);
        let compared: Vec<f64> = match asked.read.is_empty() {
            // Gold of one cutting favours that one; an answer is the same in all.
            false => asked
                .read
                .iter()
                .map(|read| f64::from(u8::from(soon(read))))
                .collect(),
            true => asked.rows.iter().map(|row| row[1 + COMPARED]).collect(),
        };
        let from =
            |base: &Tried| cuts::difference(&base.compared, &compared, Resampling::default());
        Tried {
            cut: Named::of(cut),
            passages: own.tokens.len(),
            tokens: own.tokens.iter().sum::<usize>() as f64 / own.tokens.len().max(1) as f64,
            value,
            within,
            difference: base.and_then(from),
            answers: curve(asked.read.iter()),
            compared,
        }
    }

    /// The mean of what cuttings are compared by.
    fn worth(&self) -> f64 {
        self.answers.unwrap_or(self.within)[COMPARED]
    }
}

impl Whole<'_> {
    /// Whether any question has an accepted answer.
    fn answered(&self) -> bool {
        self.cuts.iter().any(|one| one.answers.is_some())
    }

    /// The heads of every cutting's figures; those within some tokens as `of` has them.
    fn heads(&self, of: impl Fn(&str, usize) -> String) -> Vec<String> {
        let heads = [WORDS, "overlap", "passages", "tokens", self.measure];
        let within = SHOWN.map(|at| of("R", READ_TOKENS[at]));
        let answers = self.answered().then(|| of("answer", READ_TOKENS[COMPARED]));
        let heads = heads.map(str::to_owned).into_iter();
        heads.chain(within).chain(answers).collect()
    }

    fn text(&self, base: Named) -> Result<()> {
        let mut out = output::text();
        let compared = count(READ_TOKENS[COMPARED]);
        writeln!(
            out,
            "{} over {} questions with gold of the passages marked *: found where half of one is read",
            self.method, self.judged
        )?;
        match self.answered() {
            true => writeln!(
                out,
                "differences from * are of the questions whose answer stands in the first {compared} tokens"
            )?,
            false => writeln!(
                out,
                "differences from * are of the recall within {compared} tokens; it favours passages as long as the gold's"
            )?,
        }
        // A mark stands at the best by what cuttings are compared by.
        let place = match self.answered() {
            true => 9,
            false => 7,
        };
        let answers = if self.answered() { "  >" } else { "" };
        let mut grid = Grid::new(&format!(">  >1<1 >  >  >  >  >  >{answers}  <"));
        let mut heads = self.heads(|what, tokens| format!("{what} {}", count(tokens)));
        heads.insert(2, String::new());
        heads[place].push(' ');
        grid.row(heads);
        let best = self.cuts.iter().map(Tried::worth);
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        for one in &self.cuts {
            let Named {
                chunk_words,
                chunk_overlap,
            } = one.cut;
            let same = chunk_words == base.chunk_words && chunk_overlap == base.chunk_overlap;
            let [few, some, many] = SHOWN.map(|at| measure(one.within[at]));
            let mut cells = Vec::from(cells![
                chunk_words,
                chunk_overlap,
                [" ", "*"][usize::from(same)],
                count(one.passages),
                format!("{:.0}", one.tokens),
                measure(one.value),
                few,
                some,
                many
            ]);
            cells.extend(one.answers.map(|curve| measure(curve[COMPARED])));
            cells[place].push_str([" ", "^"][usize::from(one.worth() == best)]);
            cells.extend(one.difference.as_ref().map(told));
            grid.row(cells);
        }
        write!(out, "{grid}")?;
        Ok(())
    }

    /// Every cutting in a row, with all digits.
    fn table(&self) -> Grid {
        let mut grid = Grid::new(&"> ".repeat(16));
        let heads = self.heads(|what, tokens| format!("{what} in {tokens} tokens"));
        grid.row(heads.into_iter().chain(DIFFERENCE.map(str::to_owned)));
        for one in &self.cuts {
            let mut cells = Vec::from(cells![
                one.cut.chunk_words,
                one.cut.chunk_overlap,
                one.passages,
                score(one.tokens),
                score(one.value)
            ]);
            cells.extend(SHOWN.map(|at| score(one.within[at])));
            cells.extend(one.answers.map(|curve| score(curve[COMPARED])));
            cells.extend(one.difference.iter().flat_map(compared));
            grid.row(cells);
        }
        grid
    }
}
