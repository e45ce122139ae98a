//! What Python calls: one open index with the calls that agents and other programs make, and the command line. What a person
//! reads and passes is in the package's `__init__.py`; here arguments and answers are JSON.

use hopscope::cli::Lossy;
use hopscope::cli::calls::{self, Refusal, Session, TOOLS};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Open, main, schema};
}

/// How often a call looks whether ctrl-c was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// Rankings of texts: identifiers of passages with their scores.
type Rankings = Vec<Vec<(String, f32)>>;

/// An open index, and what was to be known of reading it.
#[pyclass(frozen)]
struct Open(Arc<Session>, Vec<String>);

#[pymethods]
impl Open {
    /// Opens an index, a corpus, or without a path the sample.
    #[new]
    #[pyo3(signature = (path, partial))]
    fn new(py: Python<'_>, path: Option<PathBuf>, partial: bool) -> PyResult<Open> {
        let mut said = Vec::new();
        let opened = py.detach(|| {
            Session::open(path.as_deref(), Lossy { partial }, &mut |text| {
                said.push(text)
            })
        });
        let mut session = opened.map_err(|error| PyValueError::new_err(format!("{error:#}")))?;
        // Whoever calls this can open them anyway.
        session.files = true;
        Ok(Open(Arc::new(session), said))
    }

    /// Makes a call; the answer is JSON, as the arguments are. `bounded` keeps it within `max_tokens`.
    fn call(&self, py: Python<'_>, name: &str, arguments: &str, bounded: bool) -> PyResult<String> {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        let tool = tool.ok_or_else(|| PyValueError::new_err(format!("no call '{name}'")))?;
        let arguments = serde_json::from_str(arguments);
        let arguments =
            arguments.map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?;
        let call = match bounded {
            true => calls::Tool::call,
            false => calls::Tool::whole,
        };
        let answer = self.work(py, move |session, go_on| {
            call(tool, session, arguments, go_on)
        })?;
        Ok(answer.to_string())
    }

    /// Ranks passages for texts, on all threads.
    fn rankings(
        &self,
        py: Python<'_>,
        texts: Vec<String>,
        method: Option<String>,
        k: Option<usize>,
    ) -> PyResult<Rankings> {
        self.work(py, move |session, go_on| {
            calls::rankings(session, texts, method.as_deref(), k, go_on)
        })
    }

    /// What was to be known of reading it: records left out or repaired, a server that is not contacted.
    fn report(&self) -> Vec<String> {
        self.1.clone()
    }

    /// The question set as JSON.
    fn questions(&self, py: Python<'_>) -> PyResult<String> {
        let questions = self.work(py, |session, _| calls::questions(session))?;
        Ok(questions.to_string())
    }
}

impl Open {
    /// Does something in a thread of its own, so that other threads of Python go on and this one can ask for signals.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Session, calls::GoOn) -> Result<T, Refusal> + Send + 'static,
    ) -> PyResult<T> {
        let session = self.0.clone();
        let wanted = Arc::new(AtomicBool::new(true));
        let go_on = wanted.clone();
        let (sender, answers) = channel();
        thread::spawn(move || {
            // Nobody waits for it after ctrl-c.
            let _ = sender.send(work(&session, &|| go_on.load(Ordering::Relaxed)));
        });
        let answers = Mutex::new(answers);
        let wait = || {
            let answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.recv_timeout(LOOK)
        };
        loop {
            match py.detach(wait) {
                Ok(answer) => return answer.map_err(refused),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let said = "hopscope failed; the reason was printed to standard error";
                    return Err(PyRuntimeError::new_err(said));
                }
            }
            if let Err(signal) = py.check_signals() {
                wanted.store(false, Ordering::Relaxed);
                return Err(signal);
            }
        }
    }
}

/// A refusal as an error whose text is JSON; the package makes its own error of it.
fn refused(refusal: Refusal) -> PyErr {
    let refusal: Value = json!(refusal);
    PyValueError::new_err(refusal.to_string())
}

/// The JSON schemas of all calls.
#[pyfunction]
fn schema() -> String {
    calls::schema().to_string()
}

/// Runs the program on these arguments, the first of which is its name, and returns its exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| hopscope::cli::main(arguments))
}
