//! INDEX arguments: an index folder, a corpus to index in memory, or nothing for the bundled sample.

use super::{How, Opening, Reading, about, closed, say, vectors_misfit};
use super::{elsewhere, interrupt};
use crate::corpus::{self, Corpus, Question, ReadOptions, Report};
use crate::embed::Reranker;
use crate::explorer::text::count;
use crate::index::source::Source;
use crate::index::{BuildOptions, EntityOptions, Index, Progress, Step, sample};
use crate::layers::TERM_PASSAGE;
use crate::layers::entities::entity_options;
use crate::llm::Announce;
use crate::parameters::RESULT_K;
use crate::retrieve::nearest::near;
use crate::retrieve::{METHODS, Settings};
use anyhow::{Context, Result, anyhow};
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What an index is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// All of it is read: one that is published is copied.
    Whole,
    /// Questions: one that is published is asked where it lies.
    Questions,
    /// The same by a person, who waits once, for all layers.
    Exploring,
}

/// Opens or builds what INDEX names, and completes the settings with what the index was built with. A corpus is indexed
/// with the settings' own extractor, so nothing has to be derived afterwards.
pub fn load(path: Option<&Path>, reading: &Reading, settings: &mut Settings) -> Result<Arc<Index>> {
    load_telling(path, reading, Aim::Whole, settings, &mut |said| say(said))
}

/// The same, with whatever there is to say going to `tell`.
pub fn load_telling(
    path: Option<&Path>,
    reading: &Reading,
    aim: Aim,
    settings: &mut Settings,
    tell: &mut dyn FnMut(String),
) -> Result<Arc<Index>> {
    // An empty one stands for the sample where a file follows it.
    let path = path.filter(|path| !path.as_os_str().is_empty());
    let bars = ProgressBars::of(&[]);
    let index = open(path, reading, aim, settings, &bars, tell);
    bars.clear();
    let index = index?;
    closed(&index).into_iter().for_each(tell);
    Ok(index)
}

/// Opens the index for several runs, each a method, preset or composition with settings of its own, and completes all of
/// them; without one for the method that `how` has. Gives them back with what they are called. A language model is let in
/// where one is named.
pub fn load_runs(
    path: Option<&Path>,
    runs: &[String],
    how: &How,
    top: Option<usize>,
    opening: &Opening,
    aim: Aim,
) -> Result<(Arc<Index>, Vec<String>, Vec<Settings>)> {
    load_runs_telling(path, runs, how, top, opening, aim, &mut |said| say(said))
}

/// The same, with what there is to say of the index going to `tell`.
pub fn load_runs_telling(
    path: Option<&Path>,
    runs: &[String],
    how: &How,
    top: Option<usize>,
    opening: &Opening,
    aim: Aim,
    tell: &mut dyn FnMut(String),
) -> Result<(Arc<Index>, Vec<String>, Vec<Settings>)> {
    let named: Vec<(String, Settings)> = match runs {
        [] => vec![how.named(None)?],
        runs => {
            let named = runs.iter().map(|run| how.named(Some(run.trim())));
            named.collect::<Result<_>>()?
        }
    };
    let (mut names, mut all): (Vec<String>, Vec<Settings>) = named.into_iter().unzip();
    for settings in &mut all {
        set_top(settings, top)?;
    }
    let index = load_telling(path, &opening.reading, aim, &mut all[0], tell)?;
    opening.thinking.of(&index)?;
    let index = judged_by(index, how.reranker.as_deref(), &all)?;
    all.iter_mut().for_each(|settings| settings.adopt(&index));
    if runs.is_empty() && how.leaves_method_open() {
        names = vec![all[0].method().name.to_string()];
    }
    Ok((index, names, all))
}

/// Sets how many passages are returned, where a person named a number.
pub fn set_top(settings: &mut Settings, top: Option<usize>) -> Result<()> {
    let Some(top) = top else { return Ok(()) };
    let set = settings.set_text(&format!("{}={top}", RESULT_K.id().id()));
    set.map_err(about("--top"))
}

/// Holds runs that were read from files against the questions they are asked: says of which they rank passages and of how
/// many passages the index has, where that is not all.
///
/// # Errors
/// A run of other questions or of other passages: it would come to 0 without a word.
pub fn check_runs<'s>(
    index: &Index,
    questions: &[Question],
    all: impl IntoIterator<Item = &'s Settings>,
) -> Result<()> {
    for method in all.into_iter().map(Settings::method) {
        let Some(rankings) = method.rankings() else {
            continue;
        };
        let known = rankings.known(index, questions);
        let known = known.map_err(about(&method.title))?;
        if known.questions < questions.len() || known.passages < known.ranked {
            note!(
                "{}: ranks passages for {} of {} questions; the index has {} of {} passages that it ranks",
                method.title,
                known.questions,
                questions.len(),
                known.passages,
                known.ranked
            );
        }
    }
    Ok(())
}

/// The same with progress and whatever there is to say going where the caller has a place for it, as while the explorer
/// has the screen.
pub fn open(
    path: Option<&Path>,
    reading: &Reading,
    aim: Aim,
    settings: &mut Settings,
    progress: &dyn Progress,
    tell: &mut dyn FnMut(String),
) -> Result<Arc<Index>> {
    if aim != Aim::Whole
        && let Some(rows) = elsewhere::rows(path, reading, settings)?
    {
        return Ok(Source::open(rows)?);
    }
    let whole = aim == Aim::Exploring;
    let index = match path {
        None if reading.encoder.is_none() => sample::index()?,
        Some(path) if Index::is_index(path) => reading.index(path, whole, progress)?,
        path => {
            let Read {
                corpus,
                report,
                options,
                beside,
            } = match path {
                None => sample::corpus()?.into(),
                Some(path) => read(&[path.to_owned()], &reading.options()?, progress)?,
            };
            if let Some(report) = report.as_ref().filter(|report| !report.is_clean()) {
                tell(report.to_string());
            }
            let copied = options.is_some();
            let mut index = built(corpus, path, options, reading, settings, progress)?;
            index.look_beside(&beside);
            for report in report.iter() {
                index.keep_copy(&report.copies);
                // The tables go on changing: which moment this is has to be known.
                if copied || !report.copies.is_empty() {
                    tell(report.summary());
                }
            }
            let encoder = index.dense().map(|dense| &*dense.entry.encoder);
            if let Some(misfit) = vectors_misfit(index.language(), encoder) {
                tell(misfit);
            }
            let language = index.language();
            index.read = report.map(|report| match language.is_english() {
                true => report.summary(),
                false => format!("{}; words cut as {language}", report.summary()),
            });
            index
        }
    };
    settings.adopt(&index);
    Ok(Arc::new(index))
}

/// A corpus that was read.
pub struct Read {
    pub corpus: Corpus,
    /// None of the sample.
    pub report: Option<Report>,
    /// How its names are found: of a published index, whose texts are read, as there.
    pub options: Option<EntityOptions>,
    /// Where more of it may lie: nothing lies beside standard input, or beside what was published.
    pub beside: Vec<PathBuf>,
}

impl From<Corpus> for Read {
    fn from(corpus: Corpus) -> Read {
        Read {
            corpus,
            report: None,
            options: None,
            beside: Vec::new(),
        }
    }
}

/// The corpus at paths, or the texts of an index that is published at an address.
pub fn read(paths: &[PathBuf], options: &ReadOptions, progress: &dyn Progress) -> Result<Read> {
    let published = match paths {
        [path] => elsewhere::published(Some(path), None, false)?,
        _ => None,
    };
    if let Some(published) = published {
        return elsewhere::copied(&published, progress);
    }
    let (corpus, report) = corpus::read(paths, options)?;
    let files = paths.iter().filter(|path| path.as_os_str() != "-");
    Ok(Read {
        report: Some(report),
        beside: files.cloned().collect(),
        ..corpus.into()
    })
}

fn built(
    corpus: Corpus,
    path: Option<&Path>,
    entities: Option<EntityOptions>,
    reading: &Reading,
    settings: &Settings,
    progress: &dyn Progress,
) -> Result<Index> {
    let words = settings.method().graph() == Some(&TERM_PASSAGE);
    let own = || entity_options(words, reading.language(&corpus), settings.all());
    let options = BuildOptions {
        entities: entities.unwrap_or_else(own),
        encoder: reading.encoder(),
        given: None,
        // Whoever only looks is not kept waiting: a graph is built when it is asked for by name.
        near: near(settings.all()).filter(|near| near.from == 0),
        cut: Some(reading.cut()),
        part: None,
    };
    let index = Index::build(corpus, &options, progress);
    let named = || path.map_or("the sample".to_owned(), |path| path.display().to_string());
    index.with_context(named)
}

/// Lets a cross-encoder score candidates again. Says so when none of the settings will have it do so; none at all means
/// that the method may change.
pub fn judged_by(
    index: Arc<Index>,
    reranker: Option<&str>,
    settings: &[Settings],
) -> Result<Arc<Index>> {
    let Some(spec) = reranker else {
        return Ok(index);
    };
    let reranker = Reranker::open(spec).context("--reranker")?;
    let reranks = |s: &Settings| s.method().reranks();
    if !settings.is_empty() && !settings.iter().any(reranks) {
        let methods = METHODS.iter().filter(|m| m.reranks());
        let names: Vec<&str> = methods.map(|m| &*m.name).collect();
        note!(
            "--reranker has nothing to do: {} re-rank",
            names.join(" and ")
        );
    }
    let index = Arc::try_unwrap(index).map_err(|_| anyhow!("the index is in use"))?;
    Ok(Arc::new(index.with_reranker(reranker)))
}

/// Progress of a build on stderr; hidden where that is no terminal.
pub struct ProgressBars {
    all: MultiProgress,
    style: ProgressStyle,
    /// One for each step that was heard of, in that order.
    bars: Mutex<Vec<(Step, ProgressBar)>>,
}

/// A bar of its own, for work that knows how much there is.
pub fn bar(length: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta}");
    ProgressBar::new(length as u64)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// What a second brings: whole, but for what takes seconds each.
fn rate(per_second: f64) -> String {
    match per_second {
        slow if slow < 10.0 => format!("{slow:.1}/s"),
        fast => format!("{}/s", count(fast.round() as usize)),
    }
}

impl ProgressBars {
    /// Bars for these steps; others get theirs when they begin.
    pub fn of(steps: &[Step]) -> ProgressBars {
        let style = ProgressStyle::with_template(
            "{prefix:>12} {bar:30} {human_pos}/{human_len} {rate} {eta}",
        )
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rate", |state: &ProgressState, to: &mut dyn fmt::Write| {
            // A bar has nowhere to report that a line could not be written.
            let _ = to.write_str(&rate(state.per_sec()));
        });
        let bars = ProgressBars {
            all: MultiProgress::new(),
            style,
            bars: Mutex::default(),
        };
        for step in steps {
            bars.bar(*step);
        }
        bars
    }

    fn bar(&self, step: Step) -> ProgressBar {
        let mut bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bar)) = bars.iter().find(|(s, _)| *s == step) {
            return bar.clone();
        }
        let bar = ProgressBar::new(0)
            .with_style(self.style.clone())
            .with_prefix(step.label());
        let bar = self.all.add(bar);
        bars.push((step, bar.clone()));
        bar
    }

    /// Says on stderr what a model is about to be asked, above the bars.
    pub fn announce(&self) -> Announce {
        let all = self.all.clone();
        Box::new(move |task, estimate| all.suspend(|| note!("{task}: {estimate}")))
    }

    pub fn clear(&self) {
        let bars = self.bars.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, bar) in bars.iter() {
            bar.finish_and_clear();
        }
        let _ = self.all.clear();
    }
}

impl Progress for ProgressBars {
    fn advance(&self, step: Step, done: usize, total: usize) -> bool {
        if step == Step::Check {
            // A moment, and nothing to clean up: ctrl-C ends the program by itself where nobody listens yet.
            return !interrupt::interrupted();
        }
        interrupt::watch();
        // Drawing is cheap but not free: a few hundred times in all.
        if done.is_multiple_of((total / 256).max(1)) || done == total {
            let bar = self.bar(step);
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        }
        !interrupt::interrupted()
    }
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn a_rate_is_no_more_exact_than_it_is_steady() {
        assert_eq!(rate(25_789.296_7), "25,789/s");
        assert_eq!(rate(0.52), "0.5/s");
    }
}
