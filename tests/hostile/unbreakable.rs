//! What a kill, a second program and a damaged disk do to an index: the old one, the new one or none, and never a wrong
//! answer. Trials and failures of every kind are printed; `HOPSCOPE_TRIALS=20 cargo test --test hostile unbreakable -- --nocapture`
//! tries twenty times as often.

use crate::common::tally::{Tally, trials};
use crate::common::within;
use hopscope::index::Index;
use hopscope::index::store::Manifest;
use hopscope::random::SplitMix;
use hopscope::retrieve::{Keep, Method, Retriever, Settings};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sample-corpus");

fn program(args: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_hopscope"));
    program
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    program
}

fn hopscope(args: &[&str]) -> Child {
    program(args).spawn().unwrap()
}

fn done(child: Child) -> Output {
    child.wait_with_output().unwrap()
}

/// What the first question of the sample finds, by the methods of both layers; what is wrong, where the index is not whole.
fn answer(folder: &Path) -> Result<Vec<(u32, u32)>, String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let index = Arc::new(Index::open(folder).map_err(|e| said(&e))?);
    let question = &index.questions()[0].text;
    let mut found = Vec::new();
    for method in ["hop", "sage"] {
        let settings = Settings::of(&index, Method::by_name(method).unwrap());
        let run = Retriever::new(index.clone())
            .retrieve(question, &settings, Keep::Scores)
            .map_err(|e| said(&e))?;
        let hits = run.passages.iter();
        found.extend(hits.map(|hit| (hit.passage, hit.score.to_bits())));
    }
    Ok(found)
}

fn same(found: Result<Vec<(u32, u32)>, String>, whole: &[(u32, u32)]) -> Result<(), String> {
    match found? == whole {
        true => Ok(()),
        false => Err("another answer".into()),
    }
}

/// Fails where something lies in a folder that should not: work of a killed build, layers that no manifest names.
fn tidy(parent: &Path) -> Result<(), String> {
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
        entries
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect::<Vec<_>>()
    };
    let mut left = Vec::new();
    for name in names(parent) {
        match Manifest::read(&parent.join(&name)) {
            Err(_) => left.push(name),
            Ok(manifest) => {
                let files: Vec<&str> = manifest
                    .files
                    .iter()
                    .map(|f| f.path.split('/').next().unwrap())
                    .collect();
                let own = |n: &String| n == "manifest.json" || files.contains(&n.as_str());
                left.extend(names(&parent.join(&name)).into_iter().filter(|n| !own(n)));
            }
        }
    }
    match left.is_empty() {
        true => Ok(()),
        false => Err(format!("left behind: {left:?}")),
    }
}

/// The files of an index.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries
        .flat_map(|entry| match entry.unwrap().path() {
            entry if entry.is_dir() => files(&entry),
            entry => vec![entry],
        })
        .collect();
    files.sort();
    files
}

/// An index that nothing has happened to yet.
struct Whole {
    home: tempfile::TempDir,
    folder: PathBuf,
    /// How long it takes to make.
    takes: Duration,
    /// What it answers.
    whole: Vec<(u32, u32)>,
}

impl Whole {
    fn made() -> Whole {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("index");
        let takes = sample(&folder);
        let whole = answer(&folder).unwrap();
        Whole {
            home,
            folder,
            takes,
            whole,
        }
    }
}

/// A sample index with hop and SAGE, and how long it took.
fn sample(folder: &Path) -> Duration {
    let start = Instant::now();
    let made = done(hopscope(&[
        "index",
        SAMPLE,
        "--out",
        &folder.to_string_lossy(),
        "--with",
        "sage",
    ]));
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    start.elapsed()
}

#[test]
fn killed_while_it_writes() {
    let Whole {
        home,
        folder,
        takes,
        whole,
    } = Whole::made();
    let out = folder.to_string_lossy().into_owned();
    let mut random = SplitMix::new(7);
    let mut tally = Tally::of("killed while it indexes or adds layers");
    for trial in 0..trials(12) {
        // Over nothing, over an old index, and into one.
        let args: &[&str] = match trial % 3 {
            0 => {
                fs::remove_dir_all(&folder).unwrap();
                &["index", SAMPLE, "--out", &out]
            }
            1 => &["index", SAMPLE, "--out", &out],
            _ => &["index", &out, "--add", "sage"],
        };
        let mut child = hopscope(args);
        // The trial: killed at any moment.
        std::thread::sleep(takes * random.below(100) as u32 / 100);
        let _ = child.kill();
        child.wait().unwrap();
        let old = trial % 3 > 0 || folder.exists();
        tally.count(match old {
            true => same(answer(&folder), &whole),
            false => Ok(()),
        });
        if !folder.exists() {
            sample(&folder);
        }
    }
    sample(&folder);
    let added = done(hopscope(&["index", &out, "--add", "sage"]));
    assert!(added.status.success());
    tally.count(tidy(home.path()).and_then(|()| same(answer(&folder), &whole)));
    tally.end();
}

/// Asked to end while it builds, by a person or because the terminal went away, it takes what it made with it; started to
/// outlive its terminal it does.
#[cfg(unix)]
#[test]
fn asked_to_end_while_it_builds() {
    let building = |home: &Path| {
        let entries = fs::read_dir(home).unwrap().map(Result::unwrap);
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .any(|name| name.starts_with(".hopscope-building-"))
    };
    let mut random = SplitMix::new(19);
    let mut tally = Tally::of("asked to end while it builds");
    for trial in 0..trials(8) {
        let signals: &[&str] = [&["HUP", "HUP"][..], &["TERM"], &["INT"], &["HUP"]][trial % 4];
        let outlives = trial % 4 == 3;
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("index").to_string_lossy().into_owned();
        let ignored = if outlives { "trap '' HUP; " } else { "" };
        let mut child = Command::new("sh")
            .args(["-c", &format!("{ignored}exec \"$@\""), "sh"])
            .arg(env!("CARGO_BIN_EXE_hopscope"))
            .args(["index", SAMPLE, "--out", &out, "--with", "sage,e2graphrag"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !building(home.path()) && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(random.below(30) as u64));
        let id = child.id().to_string();
        for signal in signals {
            // It may have ended by now.
            let _ = Command::new("kill").args(["-s", signal, &id]).output();
        }
        let ended = done(child);
        let code = match ended.status.code() {
            Some(0) => Ok(()),
            Some(130) if !outlives => Ok(()),
            _ => Err(format!("{signals:?}: {ended:?}")),
        };
        tally.count(code.and_then(|()| tidy(home.path())));
    }
    tally.end();
}

#[test]
fn two_writers_at_once() {
    let Whole {
        home,
        folder,
        whole,
        ..
    } = Whole::made();
    let out = folder.to_string_lossy().into_owned();
    let mut tally = Tally::of("two writers at once");
    let build = ["index", SAMPLE, "--out", &out];
    let add = ["index", &out, "--add", "sage"];
    let another = ["index", &out, "--add", "e2graphrag"];
    for trial in 0..trials(4) {
        let (one, two): (&[&str], &[&str]) = match trial % 4 {
            0 => (&build, &build),
            1 => (&add, &another),
            2 => (&build, &add),
            _ => {
                fs::remove_dir_all(&folder).unwrap();
                (&build, &build)
            }
        };
        let pair = [hopscope(one), hopscope(two)].map(done);
        let written = pair.iter().filter(|o| o.status.success()).count();
        let refused = pair.iter().filter(|o| {
            let said = String::from_utf8_lossy(&o.stderr);
            said.contains("another hopscope is writing") || said.contains("was replaced")
        });
        tally.count(match written >= 1 && written + refused.count() == 2 {
            true => same(answer(&folder), &whole),
            false => Err(format!("{pair:?}")),
        });
        tally.count(tidy(home.path()));
    }
    tally.end();
}

/// Runs the program where a disk of so many kilobytes is mounted on an empty folder, with a copy of `before` on it, and
/// copies to `after` what is there when it ended. Nothing where this machine lets nobody mount.
#[cfg(target_os = "linux")]
fn on_a_disk_of(
    kilobytes: usize,
    [disk, before, after]: [&Path; 3],
    args: &[&str],
) -> Option<Output> {
    const STEPS: &str = "mount -t tmpfs -o size=$1k tmpfs \"$2\" 2>&- && { [ -z \"$3\" ] || cp -r \"$3\" \"$2/index\"; } || \
                         exit 77; disk=$2; after=$4; shift 4; \"$@\"; code=$?; cp -r \"$disk/.\" \"$after\"; exit $code";
    let size = kilobytes.to_string();
    let paths = [disk, before, after].map(Path::as_os_str);
    mounted(STEPS, &[&[size.as_ref()], &paths[..]].concat(), args)
}

/// Runs the program after steps of a shell that may mount, in a namespace of its own. None where nobody may.
#[cfg(target_os = "linux")]
fn mounted(steps: &str, of_steps: &[&OsStr], args: &[&str]) -> Option<Output> {
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", steps, "sh"])
        .args(of_steps)
        .arg(env!("CARGO_BIN_EXE_hopscope"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    // 1 is of unshare itself, where nobody may have a namespace.
    let mounted = output.status.code() != Some(77) && !output.stderr.starts_with(b"unshare");
    mounted.then_some(output)
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let Whole {
        home: _home,
        folder,
        whole,
        ..
    } = Whole::made();
    let disk = tempfile::tempdir().unwrap();
    let out = disk.path().join("index").to_string_lossy().into_owned();
    let run = disk.path().join("q.run").to_string_lossy().into_owned();
    let size: u64 = files(&folder)
        .iter()
        .map(|file| fs::metadata(file).unwrap().len().next_multiple_of(4096))
        .sum();
    let size = size as usize / 1024;
    let runs = tempfile::tempdir().unwrap();
    let evaluate = [
        "eval",
        &folder.to_string_lossy(),
        "-m",
        "bm25,hop,sage",
        "--run",
    ];
    let whole_run = runs.path().join("q.run").to_string_lossy().into_owned();
    assert!(
        done(hopscope(&[&evaluate[..], &[&whole_run]].concat()))
            .status
            .success()
    );
    // What is written of an evaluation is there as a whole or not at all.
    let complete = |after: &Path| {
        let names = fs::read_dir(after)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let cut = names.filter(|name| Path::new(name).extension().is_some_and(|e| e == "run"));
        cut.into_iter().try_for_each(|name| {
            let same = fs::read(after.join(&name)).ok() == fs::read(runs.path().join(&name)).ok();
            fs::remove_file(after.join(&name)).unwrap();
            same.then_some(()).ok_or(format!("half of {name:?}"))
        })
    };
    let mut random = SplitMix::new(13);
    let mut tally = Tally::of("a disk that gets full");
    let mut full = 0;
    for trial in 0..trials(16) {
        let nothing = Path::new("");
        let (before, least, args): (&Path, usize, &[&str]) = match trial % 4 {
            0 => (
                nothing,
                0,
                &["index", SAMPLE, "--out", &out, "--with", "sage"],
            ),
            1 => (
                &folder,
                size,
                &["index", SAMPLE, "--out", &out, "--with", "sage"],
            ),
            2 => (&folder, size, &["index", &out, "--add", "e2graphrag"]),
            _ => (
                &folder,
                size,
                &["eval", &out, "-m", "bm25,hop,sage", "--run", &run],
            ),
        };
        let more = if trial % 4 == 3 { 400 } else { size * 5 / 4 };
        // The folders and the manifest are somewhat more than the files.
        let kilobytes = least + 200 + random.below(more);
        let after = tempfile::tempdir().unwrap();
        let paths = [disk.path(), before, after.path()];
        let Some(output) = on_a_disk_of(kilobytes, paths, args) else {
            eprintln!("skipped: a_full_disk: nobody may mount a disk here");
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let index = after.path().join("index");
        let there = match index.exists() || output.status.success() {
            true => same(answer(&index), &whole),
            false if before == nothing => Ok(()),
            false => Err("the old index is gone".into()),
        };
        let last = said.lines().next_back().unwrap_or_default();
        let named = last.contains(&*disk.path().to_string_lossy()) && last.contains("make room");
        let told = match output.status.code() {
            Some(0) => Ok(()),
            Some(2) if named && last.matches("No space left").count() == 1 => Ok(()),
            code => Err(format!("{kilobytes} kB, {args:?}, {code:?}: {said}")),
        };
        full += usize::from(!output.status.success());
        let complete = complete(after.path());
        tally.count(
            there
                .and(told)
                .and(complete)
                .and_then(|()| tidy(after.path())),
        );
    }
    assert!(full > 0, "no disk was full");
    tally.end();
}

/// To read an index needs no right to write it, and what may not be read is not called damaged.
#[cfg(unix)]
#[test]
fn an_index_that_may_only_be_read() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let Whole {
        home,
        folder,
        whole,
        ..
    } = Whole::made();
    let locks = files(&folder).into_iter();
    for lock in locks.filter(|file| file.extension().is_some_and(|e| e == "lock")) {
        fs::remove_file(lock).unwrap();
    }
    let before = files(&folder);
    same(answer(&folder), &whole).unwrap();
    assert_eq!(files(&folder), before, "something was written");

    let at = folder.to_string_lossy();
    let (ask, add) = (
        ["ask", &*at, "Who discovered Uranus?"],
        ["index", &*at, "--add", "e2graphrag"],
    );
    let picture = home.path().join("x.txt");
    let picture = [&*at, "--screenshot", &picture.to_string_lossy()];
    let said = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let refuses = |output: &Output, why: &str| {
        let said = said(output);
        let named = said.contains(&*at) && said.contains(why) && !said.contains("damaged");
        assert!(output.status.code() == Some(2) && named, "{said}");
    };
    #[cfg(target_os = "linux")]
    {
        const STEPS: &str = "mount --bind \"$1\" \"$1\" 2>&- && mount -o remount,ro,bind \"$1\" 2>&- || exit 77; \
                             shift; exec \"$@\"";
        let on = |args: &[&str]| mounted(STEPS, &[folder.as_os_str()], args);
        match on(&ask) {
            None => eprintln!("skipped: an_index_that_may_only_be_read: nobody may mount here"),
            Some(asked) => {
                let drawn = on(&picture).unwrap();
                for output in [asked, drawn] {
                    assert!(output.status.success(), "{}", said(&output));
                }
                refuses(&on(&add).unwrap(), "Read-only");
            }
        }
    }

    // As somebody whose it is not; who runs the tests may be root, whom no permission keeps out.
    for open in [home.path(), &folder] {
        fs::set_permissions(open, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let nobody = |args: &[&str]| {
        let mut program = program(args);
        program.env("HOPSCOPE_HOME", "/nowhere");
        program.uid(65_534).gid(65_534).output().ok()
    };
    let Some(asked) = nobody(&ask) else {
        eprintln!("skipped: an_index_that_may_only_be_read: only root may be somebody else");
        return;
    };
    assert!(asked.status.success(), "{}", said(&asked));
    refuses(&nobody(&add).unwrap(), "denied");
    let meta = folder.join("lexical/meta.json");
    fs::set_permissions(meta, fs::Permissions::from_mode(0o600)).unwrap();
    refuses(&nobody(&ask).unwrap(), "meta.json: Permission denied");
}

/// Whether a file is of the graph of names, which the default method does not run over.
fn is_of_graph(file: &str) -> bool {
    let families = ["entities.", "aliases.", "graph.", "mentions.", "titles."];
    families.iter().any(|family| file.starts_with(family))
}

/// Every file of an index with layers: bytes flipped, cut, grown, swapped with another, and taken away.
#[test]
fn damaged_anywhere() {
    let Whole {
        home: _home,
        folder,
        whole,
        ..
    } = Whole::made();
    let manifest = Manifest::read(&folder).unwrap();
    let mut files: Vec<String> = manifest.files.iter().map(|f| f.path.clone()).collect();
    files.push("manifest.json".into());
    let mut random = SplitMix::new(11);
    let mut tally = Tally::of("damaged files of an index");
    for _ in 0..trials(200) {
        let file = &files[random.below(files.len())];
        let path = folder.join(file);
        let before = fs::read(&path).unwrap();
        let mut bytes = before.clone();
        match random.below(5) {
            0 if !bytes.is_empty() => {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            1 => bytes.truncate(random.below(bytes.len() + 1)),
            2 => bytes.extend(vec![0; 1 + random.below(64)]),
            3 => bytes = fs::read(folder.join(&files[random.below(files.len())])).unwrap(),
            _ => bytes.clear(),
        }
        fs::write(&path, &bytes).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        tally.count(match answer(&folder) {
            Ok(found) if bytes == before => same(Ok(found), &whole),
            // It is held as it is read: what was not is no part of the answer.
            Ok(found) if name == "sentences.i8" || is_of_graph(file) => same(Ok(found), &whole),
            Ok(_) => Err(format!("{name} is not guarded")),
            Err(said) if said.contains(&name) => Ok(()),
            Err(said) => Err(format!("{name} is not named: {said}")),
        });
        fs::write(&path, &before).unwrap();
    }
    tally.count(same(answer(&folder), &whole));
    tally.end();
}

/// A pipe may be a corpus, as in `hopscope index <(zcat corpus.jsonl.gz)`. Whoever waits for one in vain may stop.
#[cfg(unix)]
#[test]
fn stopped_while_it_waits_for_a_corpus() {
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("corpus.jsonl");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let out = home.path().join("index");
    let (from, to) = (pipe.to_string_lossy(), out.to_string_lossy());
    let mut tally = Tally::of("stopped while it waits for a corpus");
    for _ in 0..trials(2) {
        let mut child = hopscope(&["index", &from, "--out", &to]);
        // The trial: no one can see when it begins to wait, and stopped before it does it ends all the same.
        std::thread::sleep(Duration::from_millis(300));
        let id = child.id().to_string();
        assert!(Command::new("kill").arg(id).status().unwrap().success());
        let ended = within(Duration::from_secs(10), || {
            child.try_wait().unwrap().is_some()
        });
        if !ended {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        tally.count(ended.then_some(()).ok_or("it goes on waiting".into()));
    }
    tally.end();
}

#[test]
fn presets_kept_by_several_programs_at_once() {
    let home = tempfile::tempdir().unwrap();
    let mut tally = Tally::of("presets kept by several programs at once");
    for trial in 0..trials(1) {
        let names: Vec<String> = (0..8).map(|n| format!("own-{trial}-{n}")).collect();
        let ask = |name: &String| {
            let question = "Who discovered Uranus?";
            let mut ask = program(&["ask", "--set", "alpha=0.3", "--save-preset", name, question]);
            ask.env("HOPSCOPE_HOME", home.path()).spawn().unwrap()
        };
        let asked: Vec<Child> = names.iter().map(ask).collect();
        for child in asked {
            assert!(done(child).status.success());
        }
        let kept = fs::read_to_string(home.path().join("config/presets.toml")).unwrap();
        for name in names {
            tally.count(match kept.contains(&format!("[{name}]")) {
                true => Ok(()),
                false => Err(format!("{name} is lost")),
            });
        }
    }
    tally.end();
}
