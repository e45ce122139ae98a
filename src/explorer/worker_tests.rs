use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;

use super::*;

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

#[test]
fn answers_carry_their_generation() {
    let mut worker = Worker::spawn("double", |x: u32, _: &Task<'_, u32>| x * 2).unwrap();
    for x in 1..=5 {
        let asked = worker.submit(x);
        let done = block(worker.recv()).unwrap();
        assert_eq!((done.generation, done.is_last), (asked, true));
        assert_eq!(done.result, Ok(x * 2));
    }
    assert_eq!(worker.name(), "double");
}

#[test]
fn the_latest_wins_and_the_ones_between_never_run() {
    let (started, has_started) = mpsc::channel();
    let (go, gate) = mpsc::channel::<()>();
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let mut worker = Worker::spawn("gate", move |x: u32, task: &Task<'_, u32>| {
        count.fetch_add(1, Ordering::SeqCst);
        started.send(x).unwrap();
        gate.recv().unwrap();
        assert!(x == 100 || task.is_cancelled());
        x
    })
    .unwrap();
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
    let done = block(worker.recv()).unwrap();
    assert_eq!(
        (done.generation, done.result),
        (101, Ok(100)),
        "0 was dropped as too old"
    );
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[test]
fn a_result_that_waits_while_a_newer_request_is_made_is_dropped() {
    let (finished, has_finished) = mpsc::channel();
    let mut worker = Worker::spawn("echo", move |x: u32, task: &Task<'_, u32>| {
        task.report(x);
        finished.send(()).unwrap();
        x
    })
    .unwrap();
    worker.submit(1);
    has_finished.recv().unwrap();
    worker.submit(2);
    let first = block(worker.recv()).unwrap();
    assert_eq!((first.result, first.is_last), (Ok(2), false));
    let second = block(worker.recv()).unwrap();
    assert_eq!((second.result, second.is_last), (Ok(2), true));
    assert!(worker.try_recv().is_none());
}

#[test]
fn a_panic_is_a_result_and_the_worker_lives_on() {
    let mut worker = Worker::spawn("fragile", |x: u32, _: &Task<'_, u32>| {
        assert!(x != 13, "unlucky {x}");
        x
    })
    .unwrap();
    worker.submit(13);
    let error = block(worker.recv()).unwrap().result.unwrap_err();
    assert_eq!(error.to_string(), "internal error in fragile: unlucky 13");
    worker.submit(14);
    assert_eq!(block(worker.recv()).unwrap().result, Ok(14));
}

#[test]
fn cancelling_stops_the_work_and_silences_it() {
    let (started, has_started) = mpsc::channel();
    let mut worker = Worker::spawn("loop", move |x: u32, task: &Task<'_, u32>| {
        started.send(()).unwrap();
        let cancel = task.cancel();
        while x == 0 && !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        x
    })
    .unwrap();
    worker.submit(0);
    has_started.recv().unwrap();
    worker.cancel();
    worker.submit(7);
    assert_eq!(block(worker.recv()).unwrap().result, Ok(7));
    assert!(!Cancel::never().is_cancelled());
}

#[test]
fn dropping_joins_even_with_a_full_channel() {
    let ended = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ended);
    let (full, is_full) = mpsc::channel();
    let worker = Worker::spawn("flood", move |(): (), task: &Task<'_, u32>| {
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
    })
    .unwrap();
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
        drop(Worker::spawn("idle", |(): (), _: &Task<'_, ()>| ()).unwrap());
    }
}
