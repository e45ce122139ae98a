use super::*;
use crate::index::sample;
use crate::parameters::{ALPHA, Parameter, STEPS, Value};
use crate::random::mixed;
use crate::retrieve::{Method, Settings};
use std::convert::Infallible;

const QUESTIONS: usize = 120;
const ALPHA_ID: Parameter = ALPHA.id();

fn recipe(tries: usize) -> Recipe {
    Recipe {
        measure: 1,
        tries,
        seed: 3,
    }
}

fn graph() -> Space {
    Space::new(&Settings::new(Method::by_name("graph").unwrap()), &[]).unwrap()
}

/// Searches a world in which a question has this much of the measure under settings.
fn planted(world: &dyn Fn(&Settings, usize) -> f64) -> Found {
    let space = graph();
    let judge = |points: &[Changes], tasks: &[Task], _: &Heard<'_>| {
        let row = |(question, points_of): &Task| -> Vec<Measures> {
            let own = points_of.iter().map(|at| space.settings(&points[*at]));
            own.map(|settings| Measures([world(&settings, *question); 9]))
                .collect()
        };
        Ok::<_, Infallible>(Some(tasks.iter().map(row).collect()))
    };
    let recipe = recipe(40);
    let Ok(found) = search(
        &space,
        QUESTIONS,
        &recipe,
        Resampling::default(),
        &judge,
        &|_| true,
    );
    assert!(found.whole && found.folds.len() == FOLDS);
    assert!(
        found.asked <= most(&space, &recipe, QUESTIONS),
        "{}",
        found.asked
    );
    found
}

/// Drawn evenly from 0 to 1, the same for the same words.
fn even(words: &str) -> f64 {
    let all = words
        .bytes()
        .fold(7, |sum, byte| mixed(sum ^ u64::from(byte)));
    (all >> 11) as f64 / (1u64 << 53) as f64
}

#[test]
fn a_value_that_is_truly_better_is_found_and_its_gain_is_about_what_was_planted() {
    // A large alpha answers a fifth of the questions more; many steps answer a tenth less.
    let found = planted(&|settings, question| {
        let ease = even(&format!("{question}"));
        let alpha = if settings.get(ALPHA) > 0.4 { 0.2 } else { 0.0 };
        let steps = if settings.get(STEPS) > 9 { 0.1 } else { 0.0 };
        f64::from(u8::from(ease < 0.4 + alpha - steps))
    });
    // What else was drawn with it brings nothing, and is taken back.
    let [(ALPHA_ID, Value::Real(alpha))] = found.winner[..] else {
        panic!("{found:?}");
    };
    assert!(alpha > 0.4 && found.better(&recipe(40)));
    let gain = found.gain(&recipe(40)).unwrap();
    let [low, high] = gain.interval.unwrap();
    assert!(low < 0.2 && 0.2 < high && low > 0.0, "{gain:?}");
    assert_eq!(found.agree(ALPHA_ID), FOLDS);
    let lost = found.lost[0].as_ref().unwrap();
    assert!((lost.difference + found.seen[1].difference).abs() < 1e-12);
}

#[test]
fn where_nothing_is_better_the_best_is_luck_and_its_gain_says_so() {
    // Every setting answers other questions, and each of them half of all.
    let worlds = ["one", "two", "three", "four"].map(|name| {
        planted(&|settings, question| {
            let words = format!("{name} {} {question}", settings.changed().join(" "));
            f64::from(u8::from(even(&words) < 0.5))
        })
    });
    // On the questions that it was chosen on, luck looks like a gain.
    let seen = worlds.each_ref().map(|found| found.seen[1].difference);
    let gains = worlds
        .each_ref()
        .map(|found| found.gain(&recipe(40)).unwrap());
    let mean = |all: [f64; 4]| all.iter().sum::<f64>() / 4.0;
    let unseen = gains.map(|gain| gain.difference);
    assert!(mean(seen) > 0.05, "{seen:?}");
    assert!(mean(unseen).abs() < 0.05, "{unseen:?}");
    // An interval of 95 % may be wrong about one in twenty.
    let covers = |gain: &&&Difference| {
        gain.interval
            .is_some_and(|[low, high]| low <= 0.0 && 0.0 <= high)
    };
    assert!(gains.iter().filter(covers).count() >= 3, "{gains:?}");
    let better = worlds.iter().filter(|found| found.better(&recipe(40)));
    assert!(better.count() <= 1);
}

#[test]
fn where_every_setting_is_alike_todays_stays() {
    let found = planted(&|_, question| even(&format!("{question}")));
    assert_eq!(found.winner, Changes::new());
    assert!(found.folds.iter().all(Vec::is_empty) && !found.better(&recipe(40)));
    assert_eq!((found.seen[1].wins, found.unseen[1].losses), (0, 0));
}

#[test]
fn what_was_found_before_it_was_stopped_comes_back() {
    let space = graph();
    let calls = AtomicUsize::new(0);
    let stopped_after = |most: usize| {
        calls.store(0, Ordering::Relaxed);
        let judge = |points: &[Changes], tasks: &[Task], _: &Heard<'_>| {
            if calls.fetch_add(1, Ordering::Relaxed) >= most {
                return Ok::<_, Infallible>(None);
            }
            let worth = |at: &usize| space.settings(&points[*at]).get(ALPHA) > 0.4;
            let row = |task: &Task| -> Vec<Measures> {
                let own = task.1.iter().map(worth);
                own.map(|good| Measures([f64::from(u8::from(good)); 9]))
                    .collect()
            };
            Ok(Some(tasks.iter().map(row).collect()))
        };
        let resampling = Resampling::default();
        let Ok(found) = search(&space, QUESTIONS, &recipe(40), resampling, &judge, &|_| {
            true
        });
        found
    };
    let whole = stopped_after(usize::MAX);
    assert!(whole.whole && whole.better(&recipe(40)));
    let all = calls.load(Ordering::Relaxed);
    // After a round of the first race, and among the folds.
    let early = stopped_after(1);
    assert!(!early.whole && early.seen[1].difference == 1.0);
    assert!(early.unseen.is_empty() && early.gain(&recipe(40)).is_none());
    let later = stopped_after(all * 3 / 5);
    assert!(!later.whole && !later.better(&recipe(40)));
    assert_eq!(later.winner, whole.winner);
    assert!((1..FOLDS).contains(&later.folds.len()) && !later.unseen.is_empty());
}

#[test]
fn the_same_seed_finds_the_same_on_any_number_of_threads() {
    let index = Arc::new(sample::index().unwrap());
    let today = Settings::of(&index, Method::by_name("graph").unwrap());
    let space = Space::new(&today, &[]).unwrap();
    let questions: Vec<Question> = index.questions().iter().take(20).cloned().collect();
    let find = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let found = pool.build().unwrap().install(|| {
            let judge = |points: &[Changes], tasks: &[Task], heard: &Heard<'_>| {
                asking(&index, &questions, &space, points, tasks, heard)
            };
            let (count, resampling) = (questions.len(), Resampling::default());
            search(&space, count, &recipe(8), resampling, &judge, &|_| true)
        });
        found.unwrap()
    };
    let one = find(1);
    assert_eq!(one, find(4));
    assert!(one.whole && one.asked > 0);
}

#[test]
fn rounds_grow_and_the_bound_counts_each_question_once() {
    assert_eq!(rounds(100), [25, 50, 100]);
    assert_eq!(rounds(12), [10, 12]);
    assert_eq!(rounds(10), [10]);
    // 60 on 25 questions, 21 on the next 25, 8 on the last 50.
    assert_eq!(of_race(60, 100), 60 * 25 + 21 * 25 + 8 * 50);
    assert_eq!(shuffled(5, 1).len(), 5);
    let mut order = shuffled(50, 1);
    assert_ne!(order, (0..50).collect::<Vec<_>>());
    order.sort_unstable();
    assert_eq!(order, (0..50).collect::<Vec<_>>());
}
