//! Settings raced against each other on a set of questions: who is worse than the leader on a part of the questions does
//! not see the others.
//!
//! * Successive halving (Jamieson and Talwalkar, AISTATS 2016) over growing shares of the questions; besides, whoever is worse
//!   than the leader beyond the paired interval of their difference goes, as in F-Race (Birattari and others, GECCO 2002).
//! * A winner was chosen because it does well on the questions of its race, so what it gains there flatters it. [`search`]
//!   races again without a fifth of the questions, five times, and judges each winner on the fifth that it has not seen.

#![warn(missing_docs)]

mod space;

use super::compare::{Difference, Resampling, correct, differences, paired_differences};
use super::learn::{FOLDS, Told};
use super::measures::Measures;
use super::run::each;
use super::sweep::Changes;
use crate::corpus::Question;
use crate::index::Index;
use crate::parameters::{Parameter, Stage};
use crate::ranker::folds;
use crate::retrieve::{Keep, RetrieveError};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use space::Space;
use space::TOGETHER;

/// Shares of the questions that the rounds of a race reach: a fourth, a half, all.
const SHARES: [usize; 3] = [4, 2, 1];
/// Fewest questions of a round.
const FIRST: usize = 10;
/// After each round a third of the settings stays, and at least so many.
const STAY: usize = 4;
/// Resamples of the interval that decides who goes; the report has more.
const RESAMPLES: usize = 500;
/// Settings beside the winner that are put together with it, at most.
const JOINED: usize = 6;

/// How a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Place of the measure in [`MEASURES`](super::MEASURES) that decides.
    pub measure: usize,
    /// Settings that are drawn, and settings beside the winner that are tried, at most.
    pub tries: usize,
    /// Of the draws, of the order of the questions and of the folds.
    pub seed: u64,
}

/// A question, and the points that it is asked under.
pub type Task = (usize, Vec<usize>);

/// Asks questions under points: of each task a value for each of its points. It tells how many were asked; none where that
/// stopped it.
pub type Judge<'a, E> =
    &'a dyn Fn(&[Changes], &[Task], &Heard<'_>) -> Result<Option<Vec<Vec<Measures>>>, E>;

/// Hears how many questions were asked; false stops the work.
pub type Heard<'a> = dyn Fn(usize) -> bool + Sync + 'a;

/// What a search came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The best setting over all questions, as changes of today's; none where that is today's.
    pub winner: Changes,
    /// Its measures and today's on the questions that it was chosen on, in the order of [`MEASURES`](super::MEASURES).
    pub seen: Vec<Difference>,
    /// The same of questions that its like was not chosen on: of each fold the winner of a race without it.
    pub unseen: Vec<Difference>,
    /// The winners of the folds.
    pub folds: Vec<Changes>,
    /// What the measure loses without each change of the winner, in their order; none where it was not asked.
    pub lost: Vec<Option<Difference>>,
    /// Retrievals that were made.
    pub asked: usize,
    /// Whether it came to its end.
    pub whole: bool,
}

impl Found {
    /// The gain of the measure that decides, on questions that were not searched on; none before the first fold.
    pub fn gain(&self, recipe: &Recipe) -> Option<&Difference> {
        self.unseen.get(recipe.measure)
    }

    /// Whether a setting is better than today's beyond its interval, on questions that were not searched on.
    pub fn better(&self, recipe: &Recipe) -> bool {
        let sure = self.gain(recipe).is_some_and(|gain| gain.sure() > 0.0);
        self.whole && sure && !self.winner.is_empty()
    }

    /// Folds whose winner changes a parameter.
    pub fn agree(&self, parameter: Parameter) -> usize {
        let changes = |winner: &&Changes| winner.iter().any(|(p, _)| *p == parameter);
        self.folds.iter().filter(changes).count()
    }
}

/// Sizes of the rounds of a race over so many questions.
fn rounds(count: usize) -> Vec<usize> {
    let size = |share: &usize| (count / share).max(FIRST).min(count);
    let mut sizes: Vec<usize> = SHARES.iter().map(size).collect();
    sizes.dedup();
    sizes
}

/// How many settings go on, today's aside.
fn stay(alive: usize) -> usize {
    alive.min((alive / 3).max(STAY))
}

/// Retrievals of a race of so many settings, at most: what one round asked the next does not ask again.
fn of_race(settings: usize, count: usize) -> usize {
    let (mut alive, mut before, mut all) = (settings, 0, 0);
    for size in rounds(count) {
        all += alive * (size - before);
        before = size;
        // Today's goes on in any case.
        alive = stay(alive) + 1;
    }
    all
}

/// How many settings a search has to do with, at most.
#[derive(Clone, Copy)]
struct Sizes {
    drawn: usize,
    beside: usize,
    /// Changes of a winner.
    changes: usize,
}

impl Sizes {
    fn of(space: &Space, recipe: &Recipe, drawn: &[Changes]) -> Sizes {
        Sizes {
            drawn: drawn.len(),
            beside: recipe.tries.min(space.beside()),
            changes: space.parameters().len().min(TOGETHER + JOINED),
        }
    }

    /// Retrievals of what follows the race of the drawn settings: those beside the winner, some of them put together, each
    /// change taken back.
    fn after(&self, count: usize) -> usize {
        of_race(self.beside + 1, count) + (JOINED.min(self.beside) + self.changes) * count
    }

    /// Of a race over so many questions.
    fn race(&self, count: usize) -> usize {
        of_race(self.drawn, count) + self.after(count)
    }

    /// Of a whole search. What one race asked of the drawn settings no other asks again.
    fn search(&self, count: usize, folds: &[usize]) -> usize {
        let drawn = folds.iter().map(|fold| of_race(self.drawn, *fold));
        let drawn = drawn.sum::<usize>() + of_race(self.drawn, count);
        let after: usize = folds.iter().map(|fold| self.after(*fold)).sum();
        // What the folds hold out, of their winners.
        drawn.min(self.drawn * count) + after + self.after(count) + (self.changes + 1) * count
    }
}

/// Questions of the races that each go without a fold.
fn without(parts: &[usize]) -> Vec<usize> {
    let size = |fold| parts.iter().filter(|part| **part != fold).count();
    (0..FOLDS).map(size).collect()
}

/// Retrievals of a [`search`] over so many questions, at most.
pub fn most(space: &Space, recipe: &Recipe, count: usize) -> usize {
    let drawn = space.drawn(recipe.tries, recipe.seed);
    let parts = folds(count, FOLDS, recipe.seed);
    Sizes::of(space, recipe, &drawn).search(count, &without(&parts))
}

/// What is known of every setting, and how far the work is.
struct Book<'a, E> {
    judge: Judge<'a, E>,
    told: Told<'a>,
    measure: usize,
    /// By the changes as text.
    known: BTreeMap<String, Vec<Option<Measures>>>,
    /// Questions of the set.
    count: usize,
    asked: usize,
    /// How many retrievals the work done was thought to take, and all of it.
    done: usize,
    most: usize,
}

/// Stopped, or an error of the judge.
enum Halt<E> {
    Stopped,
    Failed(E),
}

fn key(changes: &Changes) -> String {
    let words = changes.iter().map(|(p, value)| p.assignment(*value));
    words.collect::<Vec<_>>().join("@")
}

impl<E> Book<'_, E> {
    /// Asks what is not known of these points on these questions.
    fn ask(&mut self, points: &[Changes], places: &[usize]) -> Result<(), Halt<E>> {
        let keys: Vec<String> = points.iter().map(key).collect();
        for key in &keys {
            let blank = || vec![None; self.count];
            self.known.entry(key.clone()).or_insert_with(blank);
        }
        let mut tasks: Vec<Task> = Vec::new();
        for &place in places {
            let open = |at: &usize| self.known[&keys[*at]][place].is_none();
            let points: Vec<usize> = (0..keys.len()).filter(open).collect();
            if !points.is_empty() {
                tasks.push((place, points));
            }
        }
        let all: usize = tasks.iter().map(|task| task.1.len()).sum();
        let (told, before, most) = (self.told, self.done, self.most.max(1));
        let heard = |now: usize| told(((before + now) as f64 / most as f64).min(1.0));
        let rows = match (self.judge)(points, &tasks, &heard) {
            Ok(Some(rows)) => rows,
            Ok(None) => return Err(Halt::Stopped),
            Err(error) => return Err(Halt::Failed(error)),
        };
        for ((place, points), row) in tasks.iter().zip(rows) {
            for (at, measures) in points.iter().zip(row) {
                if let Some(known) = self.known.get_mut(&keys[*at]) {
                    known[*place] = Some(measures);
                }
            }
        }
        self.asked += all;
        self.done += all;
        Ok(())
    }

    /// The measures of two settings on questions that both are known of.
    fn pairs(&self, a: &Changes, b: &Changes, places: &[usize]) -> Vec<(Measures, Measures)> {
        let (Some(a), Some(b)) = (self.known.get(&key(a)), self.known.get(&key(b))) else {
            return Vec::new();
        };
        let pair = |place: &usize| a[*place].zip(b[*place]);
        places.iter().filter_map(pair).collect()
    }

    /// The mean of the measure that decides.
    fn worth(&self, changes: &Changes, places: &[usize]) -> f64 {
        let own = self.pairs(changes, changes, places);
        let sum: f64 = own.iter().map(|(own, _)| own.0[self.measure]).sum();
        sum / own.len().max(1) as f64
    }

    /// Whether a setting is worse than another beyond the paired interval of their difference.
    fn worse(&self, changes: &Changes, than: &Changes, places: &[usize], seed: u64) -> bool {
        let pairs = self.pairs(than, changes, places);
        let own = |(a, b): &(Measures, Measures)| ([a.0[self.measure]], [b.0[self.measure]]);
        let pairs: Vec<_> = pairs.iter().map(own).collect();
        let resampling = Resampling {
            seed,
            resamples: RESAMPLES,
        };
        let between = paired_differences(&pairs, resampling);
        between.first().is_some_and(|d| d.sure() < 0.0)
    }
}

/// A race on some questions, in the order that rounds take them.
struct Race<'r> {
    space: &'r Space,
    recipe: &'r Recipe,
    places: Vec<usize>,
    /// The best so far.
    leader: Changes,
}

impl Race<'_> {
    /// Races settings, the first of which stays to the end. Those that are left come with their worth, the best first; of
    /// equals the earlier one. `leader` is the best of each round.
    fn halved<E>(
        &self,
        book: &mut Book<'_, E>,
        mut pool: Vec<Changes>,
        leader: &mut Changes,
    ) -> Result<Vec<(Changes, f64)>, Halt<E>> {
        let firm = pool[0].clone();
        let sizes = rounds(self.places.len());
        let mut ranked: Vec<(Changes, f64)> = Vec::new();
        for (round, size) in sizes.iter().enumerate() {
            let places = &self.places[..*size];
            book.ask(&pool, places)?;
            let worth = |changes: Changes| {
                let worth = book.worth(&changes, places);
                (changes, worth)
            };
            ranked = pool.into_iter().map(worth).collect();
            ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
            leader.clone_from(&ranked[0].0);
            if round + 1 == sizes.len() {
                break;
            }
            let most = stay(ranked.len());
            let seed = self.recipe.seed;
            let open: &Book<'_, E> = book;
            let going = ranked.iter().take(most).map(|(changes, _)| changes);
            let going = going.filter(|changes| **changes != firm);
            let going = going.filter(|changes| !open.worse(changes, leader, places, seed));
            pool = std::iter::once(&firm).chain(going).cloned().collect();
        }
        Ok(ranked)
    }

    /// The best of the settings drawn, then of those beside it, then without the changes that bring nothing.
    fn run<E>(&mut self, book: &mut Book<'_, E>, drawn: &[Changes]) -> Result<(), Halt<E>> {
        let Recipe { tries, seed, .. } = *self.recipe;
        let mut leader = std::mem::take(&mut self.leader);
        let ranked = self.halved(book, drawn.to_vec(), &mut leader);
        self.leader = leader;
        let ranked = ranked?;
        let (mut best, mut worth) = ranked[0].clone();
        let mut pool = vec![best.clone()];
        pool.extend(self.space.around(&best, tries, seed));
        let beside = self.halved(book, pool, &mut Changes::new())?;
        let better = beside.into_iter().filter(|beside| beside.1 > worth);
        let better: Vec<(Changes, f64)> = better.take(JOINED).collect();
        let start = best.clone();
        for (beside, _) in better {
            // What it has other than the one it was beside, taken back where it took that back.
            let moved = self.moved(&start, &beside);
            let joined = self.space.both(&best, &moved);
            self.better(book, joined, &mut best, &mut worth, |new, old| new > old)?;
        }
        for (parameter, _) in best.clone() {
            let without = self.space.without(&best, parameter);
            self.better(book, without, &mut best, &mut worth, |new, old| new >= old)?;
        }
        Ok(())
    }

    /// What leads from one setting to another.
    fn moved(&self, from: &Changes, to: &Changes) -> Changes {
        let gone = from
            .iter()
            .filter(|(p, _)| to.iter().all(|(other, _)| other != p));
        let back = gone.map(|(p, _)| (*p, self.space.today().value(*p)));
        let fresh = to.iter().filter(|change| !from.contains(change)).copied();
        fresh.chain(back).collect()
    }

    /// Takes a setting in the place of the best where it is better on all questions of the race.
    fn better<E>(
        &mut self,
        book: &mut Book<'_, E>,
        changes: Changes,
        best: &mut Changes,
        worth: &mut f64,
        wins: fn(f64, f64) -> bool,
    ) -> Result<(), Halt<E>> {
        book.ask(std::slice::from_ref(&changes), &self.places)?;
        let own = book.worth(&changes, &self.places);
        if wins(own, *worth) && changes != *best {
            (*best, *worth) = (changes, own);
            self.leader = best.clone();
        }
        Ok(())
    }
}

/// Searches over a set of so many questions. The same seed finds the same on any number of threads. Where `told` stops it,
/// what was found so far comes back.
///
/// # Errors
/// The first retrieval that failed.
pub fn search<E>(
    space: &Space,
    count: usize,
    recipe: &Recipe,
    resampling: Resampling,
    judge: Judge<'_, E>,
    told: Told<'_>,
) -> Result<Found, E> {
    let drawn = space.drawn(recipe.tries, recipe.seed);
    let parts = folds(count, FOLDS, recipe.seed);
    let sizes = Sizes::of(space, recipe, &drawn);
    let races: usize = without(&parts).iter().map(|fold| sizes.race(*fold)).sum();
    let mut book = Book {
        judge,
        told,
        measure: recipe.measure,
        known: BTreeMap::new(),
        count,
        asked: 0,
        done: 0,
        most: races + sizes.race(count),
    };
    let order = shuffled(count, recipe.seed);
    let race = |but: usize| Race {
        space,
        recipe,
        places: (order.iter().copied())
            .filter(|at| parts[*at] != but)
            .collect(),
        leader: Changes::new(),
    };
    let mut found = Found {
        winner: Changes::new(),
        seen: Vec::new(),
        unseen: Vec::new(),
        folds: Vec::new(),
        lost: Vec::new(),
        asked: 0,
        whole: false,
    };
    let mut unseen: Vec<(Measures, Measures)> = Vec::new();
    let all: Vec<usize> = (0..count).collect();
    let today = Changes::new();
    let mut work = || -> Result<(), Halt<E>> {
        let mut whole = race(FOLDS);
        let end = sizes.race(count);
        let ran = whole.run(&mut book, &drawn);
        found.winner = whole.leader;
        ran?;
        book.done = end;
        for (parameter, _) in &found.winner {
            let without = space.without(&found.winner, *parameter);
            book.ask(&[without], &all)?;
        }
        for fold in 0..FOLDS {
            let mut race = race(fold);
            let end = book.done + sizes.race(race.places.len());
            race.run(&mut book, &drawn)?;
            let winner = race.leader;
            let held = all.iter().copied().filter(|at| parts[*at] == fold);
            let held: Vec<usize> = held.collect();
            book.ask(&[today.clone(), winner.clone()], &held)?;
            unseen.extend(book.pairs(&today, &winner, &held));
            found.folds.push(winner);
            book.done = end;
        }
        Ok(())
    };
    match work() {
        Ok(()) => found.whole = true,
        Err(Halt::Stopped) => {}
        Err(Halt::Failed(error)) => return Err(error),
    }
    found.asked = book.asked;
    let told = |pairs: &[(Measures, Measures)]| match pairs {
        [] => Vec::new(),
        pairs => corrected(differences(pairs, resampling), recipe.measure),
    };
    found.seen = told(&book.pairs(&today, &found.winner, &all));
    found.unseen = told(&unseen);
    let lost = |(parameter, _): &(Parameter, _)| {
        let without = space.without(&found.winner, *parameter);
        let pairs = book.pairs(&found.winner, &without, &all);
        let all = (pairs.len() == count).then(|| told(&pairs));
        all.map(|mut all| all.swap_remove(recipe.measure))
    };
    found.lost = found.winner.iter().map(lost).collect();
    Ok(found)
}

/// The measure that decides is tested by itself: the others are told beside it.
fn corrected(mut all: Vec<Difference>, measure: usize) -> Vec<Difference> {
    if let Some(one) = all.get_mut(measure) {
        correct([std::slice::from_mut(one)]);
    }
    all
}

/// The places of questions in a drawn order.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut places: Vec<(usize, usize)> = folds(count, count, seed.wrapping_add(1))
        .into_iter()
        .enumerate()
        .map(|(at, place)| (place, at))
        .collect();
    places.sort_unstable();
    places.into_iter().map(|(_, at)| at).collect()
}

/// A [`Judge`] that asks an index. Settings that read one graph follow each other on a question, so that what they have in
/// common is made once.
///
/// # Errors
/// The first retrieval that failed.
pub fn asking(
    index: &Arc<Index>,
    questions: &[Question],
    space: &Space,
    points: &[Changes],
    tasks: &[Task],
    heard: &Heard<'_>,
) -> Result<Option<Vec<Vec<Measures>>>, RetrieveError> {
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, point) in points.iter().enumerate() {
        let graph = |change: &&(Parameter, _)| change.0.declaration().stage <= Stage::Graph;
        let graph = point.iter().filter(graph).copied().collect();
        groups.entry(key(&graph)).or_default().push(at);
    }
    let mut rows: Vec<BTreeMap<usize, Measures>> = vec![BTreeMap::new(); tasks.len()];
    let done = AtomicUsize::new(0);
    for mut group in groups.into_values() {
        // Those that change the end of the pipeline first: they share what comes before it.
        group.sort_by_key(|at| Reverse(points[*at].first().map(|change| change.0)));
        let all: Vec<_> = group
            .iter()
            .map(|at| space.settings(&points[*at]))
            .collect();
        let own = |at: &usize| tasks[*at].1.iter().any(|point| group.contains(point));
        let own: Vec<usize> = (0..tasks.len()).filter(own).collect();
        if own.is_empty() {
            continue;
        }
        let go_on = |_| heard(done.load(Ordering::Relaxed));
        let made = each(index, own.len(), &all[0], go_on, |retriever, at| {
            let (question, wanted) = &tasks[own[at]];
            let question = &questions[*question];
            let mut row = Vec::new();
            for (point, settings) in group.iter().zip(&all) {
                if wanted.contains(point) {
                    let run = retriever.retrieve(&question.text, settings, Keep::Scores)?;
                    let measures = super::measured(&run, question).unwrap_or_default();
                    row.push((*point, measures));
                    done.fetch_add(1, Ordering::Relaxed);
                }
            }
            Ok(row)
        })?;
        if made.len() < own.len() {
            return Ok(None);
        }
        for (task, row) in own.into_iter().zip(made) {
            rows[task].extend(row);
        }
    }
    let row = |(task, row): (&Task, BTreeMap<usize, Measures>)| -> Vec<Measures> {
        let wanted = task.1.iter();
        wanted.filter_map(|point| row.get(point).copied()).collect()
    };
    Ok(Some(tasks.iter().zip(rows).map(row).collect()))
}

#[cfg(test)]
mod tests;
