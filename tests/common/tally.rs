//! Trials and failures of one kind, counted.

/// How often something is tried.
pub fn trials(some: usize) -> usize {
    let times = std::env::var("HOPSCOPE_TRIALS").ok();
    some * times.and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// Counts what went wrong of one kind, and fails at the end where anything did.
pub struct Tally {
    kind: &'static str,
    trials: usize,
    failures: Vec<String>,
}

impl Tally {
    pub fn of(kind: &'static str) -> Tally {
        Tally {
            kind,
            trials: 0,
            failures: Vec::new(),
        }
    }

    pub fn count(&mut self, trial: Result<(), String>) {
        self.trials += 1;
        self.failures.extend(trial.err());
    }

    #[track_caller]
    pub fn end(self) {
        let (trials, failed) = (self.trials, self.failures.len());
        println!("{}: {trials} trials, {failed} failures", self.kind);
        assert!(
            self.failures.is_empty(),
            "{}: {:?}",
            self.kind,
            self.failures
        );
    }
}
