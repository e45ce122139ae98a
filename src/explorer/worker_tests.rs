use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;

use super::*;
use tokio::sync::mpsc::channel;

fn block<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let limit = Duration::from_secs(20);
        tokio::time::timeout(limit, future).await.expect("in time")
    })
}

/// A worker that has a channel of its own, and says nothing where its work panics.
fn alone<Req: Send + 'static, Res: Default + Send + 'static>(
    name: &str,
    work: impl FnMut(&Req, &Task<'_, Res>) -> Res + Send + 'static,
) -> (Worker<Req>, Receiver<Done<Res>>) {
    let (sender, results) = channel(WAITING_RESULTS);
    let worker = Worker::spawn(name, sender, work, |_, _| Res::default()).unwrap();
    (worker, results)
}

#[test]
fn every_request_is_answered() {
    let (worker, mut results) = alone("double", |&x: &u32, _: &Task<'_, u32>| x * 2);
    for x in 1..=5 {
        worker.submit(x);
        let done = block(wanted(&mut results)).unwrap();
        assert_eq!(done.result, x * 2);
    }
}

#[test]
fn the_latest_wins_and_the_ones_between_never_run() {
    let (started, has_started) = mpsc::channel();
    let (go, gate) = mpsc::channel::<()>();
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let (worker, mut results) = alone("gate", move |&x: &u32, task: &Task<'_, u32>| {
        count.fetch_add(1, Ordering::SeqCst);
        started.send(x).unwrap();
        gate.recv().unwrap();
        assert!(x == 100 || task.is_cancelled());
        x
    });
    worker.submit(0);
    assert_eq!(has_started.recv(), Ok(0));
    for x in 1..=100 {
        worker.submit(x);
    }
    go.send(()).unwrap();
    assert_eq!(
        has_started.recv(),
        Ok(100),
        "1 to 99 were replaced while waiting"
    );
    go.send(()).unwrap();
    let done = block(wanted(&mut results)).unwrap();
    assert_eq!(done.result, 100, "0 was dropped as too old");
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[test]
fn a_result_that_waits_while_a_newer_request_is_made_is_dropped() {
    let (finished, has_finished) = mpsc::channel();
    let (worker, mut results) = alone("echo", move |&x: &u32, task: &Task<'_, u32>| {
        task.report(x);
        finished.send(()).unwrap();
        x
    });
    worker.submit(1);
    has_finished.recv().unwrap();
    worker.submit(2);
    for _part_and_whole in 0..2 {
        assert_eq!(block(wanted(&mut results)).unwrap().result, 2);
    }
    assert!(results.try_recv().is_err());
}

#[test]
fn a_panic_is_a_result_and_the_worker_lives_on() {
    let (sender, mut results) = channel(WAITING_RESULTS);
    let work = |x: &u32, _: &Task<'_, Result<u32, String>>| {
        assert!(*x != 13, "unlucky {x}");
        Ok(*x)
    };
    let broken = |x: &u32, said: String| Err(format!("{x}: {said}"));
    let worker = Worker::spawn("fragile", sender, work, broken).unwrap();
    worker.submit(13);
    let error = block(wanted(&mut results)).unwrap().result.unwrap_err();
    assert_eq!(error, "13: internal error in fragile: unlucky 13");
    worker.submit(14);
    assert_eq!(block(wanted(&mut results)).unwrap().result, Ok(14));
}

#[test]
fn cancelling_stops_the_work_and_silences_it() {
    let (started, has_started) = mpsc::channel();
    let (worker, mut results) = alone("loop", move |&x: &u32, task: &Task<'_, u32>| {
        started.send(()).unwrap();
        while x == 0 && !task.is_cancelled() {
            std::thread::yield_now();
        }
        x
    });
    worker.submit(0);
    has_started.recv().unwrap();
    worker.cancel();
    worker.submit(7);
    assert_eq!(block(wanted(&mut results)).unwrap().result, 7);
}

#[test]
fn dropping_joins_even_with_a_full_channel() {
    let ended = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ended);
    let (full, is_full) = mpsc::channel();
    let (worker, _results) = alone("flood", move |(): &(), task: &Task<'_, u32>| {
        for x in 0..u32::MAX {
            if x == u32::try_from(WAITING_RESULTS).unwrap() {
                full.send(()).unwrap();
            }
            if task.is_cancelled() {
                break;
            }
            task.report(x);
        }
        flag.store(true, Ordering::SeqCst);
        0
    });
    worker.submit(());
    is_full.recv().unwrap();
    drop(worker);
    assert!(
        ended.load(Ordering::SeqCst),
        "the thread has ended before drop returns"
    );
}

#[test]
fn an_idle_worker_can_be_dropped() {
    for _ in 0..100 {
        drop(alone("idle", |(): &(), _: &Task<'_, ()>| ()));
    }
}
