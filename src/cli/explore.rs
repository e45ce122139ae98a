//! `hopscope [INDEX]`: the explorer, or a picture of it.

use super::llm::report;
use super::load::{Aim, judged_by, load_telling, open};
use super::{How, Opening, Reading, about, say, write_file};
use crate::exchange::postgres::is_one;
use crate::explorer::glyphs::GlyphSet;
use crate::explorer::jobs::open::Opener;
use crate::explorer::keys::Stroke;
use crate::explorer::layout::Pane;
use crate::explorer::lesson::Lesson;
use crate::explorer::picture::{self, Caption, Cast, Moving, Recording};
use crate::explorer::runtime::{self, Begin, Options};
use crate::explorer::stage::{self, Shot};
use crate::explorer::store::{Config, Folders};
use crate::explorer::terminal::{CELLS, refusal};
use crate::explorer::theme::{ColorChoice, ColorLevel, PRINT, Theme};
use crate::index::Index;
use crate::llm::Llm;
use crate::retrieve::{Origin, Parameter, Settings};
use crate::text::span;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Seconds between two keys of a recording.
const BETWEEN: f64 = 1.5;

#[derive(Debug, Args)]
pub struct ExploreArgs {
    /// An index folder or a corpus, - for one on standard input, or postgres://HOST/DATABASE; default: the sample.
    index: Option<PathBuf>,
    /// Open with this question instead of the first one in the set.
    #[arg(long)]
    question: Option<String>,
    /// Play a lesson: first-look, pagerank, restart, hubs, parity, walk-beats-words, autopsy, or a file. Uses the sample unless
    /// INDEX is given or the lesson has its own corpus.
    #[arg(long, value_name = "NAME")]
    lesson: Option<String>,
    /// Presentation mode: fewer panes, wider spacing, two-digit numbers.
    #[arg(long)]
    present: bool,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    opening: Opening,
    /// Theme: default-dark, default-light, high-contrast, colour-blind, print, ansi16, mono, or one of your own.
    #[arg(long)]
    theme: Option<String>,
    /// Glyphs: unicode, unicode-safe or ascii.
    #[arg(long)]
    glyphs: Option<String>,
    /// Colours: auto, always, never, truecolor, 256 or 16.
    #[arg(long)]
    color: Option<String>,
    /// Do not capture the mouse.
    #[arg(long)]
    no_mouse: bool,
    /// Line mode for screen readers and pipes: plain sentences, choices by number.
    #[arg(long, conflicts_with_all = ["screenshot", "record", "present"])]
    plain: bool,
    /// Write a screenshot and exit: .svg, .ans or .txt by extension, or .cast with a frame per key.
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// With --screenshot FILE.svg: this pane alone, without the rest of the screen, in the theme print unless --theme is given.
    #[arg(
        long,
        requires = "screenshot",
        conflicts_with = "animate",
        value_name = "NAME"
    )]
    pane: Option<String>,
    /// With --screenshot FILE.svg: an animated SVG with a frame per key, which plays in a browser or a README.
    #[arg(long, requires = "screenshot")]
    animate: bool,
    /// Record the session: .svg as an animated picture, .cast as an asciicast for asciinema play.
    #[arg(long, value_name = "FILE", conflicts_with = "screenshot")]
    record: Option<PathBuf>,
    /// Label file to use instead of your own for this index.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Annotator name. Default: your user name.
    #[arg(long, value_name = "NAME")]
    annotator: Option<String>,
    /// Size of the picture, WIDTHxHEIGHT in cells.
    #[arg(long, default_value = "160x48", requires = "screenshot")]
    size: String,
    /// Keys to press before the screenshot, e.g. "Tab j j Enter"; 'quoted text' is typed, Wait presses nothing for one frame.
    #[arg(long, requires = "screenshot", value_name = "KEYS")]
    keys: Option<String>,
}

pub fn run(args: &ExploreArgs) -> Result<u8> {
    let keys = args.keys.as_deref().map(split_keys).transpose()?;
    if let Some(path) = args
        .record
        .as_deref()
        .filter(|path| !Recording::names(path))
    {
        bail!(
            "--record {}: a recording ends in .svg or .cast",
            path.display()
        );
    }
    let pane = args.pane.as_deref().map(pane).transpose()?;
    if args.animate || pane.is_some() {
        let file = args.screenshot.as_deref();
        let option = if args.animate { "animate" } else { "pane" };
        if let Some(file) = file.filter(|file| file.extension().is_none_or(|it| it != "svg")) {
            bail!(
                "--{option} writes SVG: name a file that ends in .svg, found '{}'",
                file.display()
            );
        }
    }
    if args.screenshot.is_none()
        && !args.plain
        && let Some(said) = refusal()
    {
        bail!("{said}");
    }
    if args.plain
        && args
            .index
            .as_deref()
            .is_some_and(|path| path.as_os_str() == "-")
    {
        bail!(
            "--plain reads its choices from standard input, so a corpus cannot come from there; name a file"
        );
    }
    if let Some(name) = &args.lesson {
        Lesson::find(name).map_err(|said| anyhow!("--lesson {said}"))?;
    }
    let folders = Folders::find();
    // A picture shows what anyone would see, not one person's settings.
    let (mut config, mut notes) = match folders.as_ref().filter(|_| args.screenshot.is_none()) {
        Some(folders) => Config::load(folders),
        None => (Config::default(), Vec::new()),
    };
    if let Some(color) = &args.color {
        config.color = color.parse::<ColorChoice>().map_err(about("--color"))?;
    }
    config.mouse &= !args.no_mouse;
    let level = match args.screenshot {
        Some(_) if args.color.is_none() => ColorLevel::True,
        _ => ColorLevel::detect(config.color),
    };
    let theme = theme(args, &config, folders.as_ref(), level)?;
    let glyphs = glyphs(args, &config)?;

    let mut settings = args.how.settings(
        config
            .method
            .as_deref()
            .filter(|_| args.how.method.is_none()),
    )?;
    configured(&mut settings, &config)?;
    let llm = args.opening.thinking.open()?;
    let begin = match args.index.as_deref() {
        Some(path)
            if (Index::is_index(path) || is_one(path))
                && args.screenshot.is_none()
                && !args.plain =>
        {
            let opener = opener(
                args.how.clone(),
                args.opening.reading.clone(),
                &config,
                &llm,
            );
            Begin::At(path.to_owned(), opener)
        }
        path => {
            let reading = &args.opening.reading;
            let (aim, tell) = (Aim::Questions, &mut |said| say(said));
            let index = load_telling(path, reading, aim, &mut settings, tell)?;
            notes.extend(index.closed().map(ToString::to_string));
            notes.extend(index.copied().and(index.read.clone()));
            Begin::With(helped(index, &args.how, &llm)?)
        }
    };
    let argument = args
        .index
        .as_ref()
        .map_or(String::new(), |path| path.display().to_string());
    match (&args.screenshot, begin) {
        (Some(file), Begin::With(index)) => {
            let shot = Shot {
                size: size(&args.size)?,
                settings,
                question: args.question.clone(),
                lesson: args.lesson.clone(),
                present: args.present,
                argument,
                theme,
                glyphs,
                keys: keys.unwrap_or_default(),
            };
            match pane {
                Some(pane) => {
                    let figure = stage::figure(index, &shot, pane).map_err(|said| {
                        let name = pane.id();
                        anyhow!("--pane {name}: {said}; try the keys of its view (--keys 3 is Flow) or a larger --size")
                    })?;
                    write_file(file, figure.as_bytes())?;
                }
                None => picture(file, index, &shot, args.animate)?,
            }
            Ok(0)
        }
        (_, begin) => {
            let question = args.question.clone();
            let record = args.record.as_ref().map(|path| {
                let file = std::fs::File::create(path);
                let moving = path.extension().is_some_and(|ending| ending == "svg");
                let file = file.with_context(|| path.display().to_string())?;
                Ok::<_, anyhow::Error>((Arc::new(file), moving))
            });
            let record = record.transpose()?;
            let start_panel = config.start_panel;
            let opener = elsewhere(args, &config, &llm);
            let code = runtime::run(
                begin,
                Options {
                    settings,
                    argument,
                    question,
                    lesson: args.lesson.clone(),
                    present: args.present,
                    record,
                    theme,
                    glyphs,
                    config,
                    folders,
                    notes,
                    presets: super::own_presets(),
                    labels: args.labels.clone(),
                    annotator: annotator(args.annotator.as_deref()),
                    opener,
                    plain: args.plain,
                    start: !args.plain
                        && args.index.is_none()
                        && args.lesson.is_none()
                        && args.question.is_none()
                        && !args.present
                        && start_panel,
                },
            );
            if let Some(llm) = &llm {
                report(llm);
            }
            code
        }
    }
}

/// An index with who scores again and who answers, where they were named.
fn helped(index: Arc<Index>, how: &How, llm: &Option<Arc<Llm>>) -> Result<Arc<Index>> {
    let index = judged_by(index, how.reranker.as_deref(), &[])?;
    if let Some(llm) = llm {
        index.think_with(llm.clone());
    }
    Ok(index)
}

/// How another index is opened: with the method and the settings this session was started with, but for what was said of
/// one question or one graph.
fn elsewhere(args: &ExploreArgs, config: &Config, llm: &Option<Arc<Llm>>) -> Opener {
    let how = How {
        seed: Vec::new(),
        patch: Default::default(),
        save_preset: None,
        ..args.how.clone()
    };
    // How a corpus is read was said of the first one.
    let reading = Reading {
        encoder: args.opening.reading.encoder.clone(),
        ..Reading::default()
    };
    opener(how, reading, config, llm)
}

fn opener(how: How, reading: Reading, config: &Config, llm: &Option<Arc<Llm>>) -> Opener {
    let (config, llm) = (config.clone(), llm.clone());
    Arc::new(move |path, progress| {
        let method = config.method.as_deref().filter(|_| how.method.is_none());
        let mut settings = how.settings(method)?;
        configured(&mut settings, &config)?;
        if path.as_os_str() == "-" {
            bail!("standard input was read before; name a file");
        }
        let path = Some(path).filter(|path| !path.as_os_str().is_empty());
        let mut said = Vec::new();
        let mut tell = |words| said.push(words);
        // Whoever waits sees how far it is, and no question waits for a layer after that.
        let aim = Aim::Exploring;
        let index = open(path, &reading, aim, &mut settings, progress, &mut tell)?;
        said.extend(index.closed().map(ToString::to_string));
        Ok((helped(index, &how, &llm)?, settings, said))
    })
}

/// The name that was given, else that of the user.
fn annotator(given: Option<&str>) -> String {
    let user = || {
        let names = ["USER", "LOGNAME", "USERNAME"].into_iter();
        names
            .filter_map(|name| std::env::var(name).ok())
            .find(|name| !name.is_empty())
    };
    let name = given.map(str::to_owned).or_else(user);
    name.unwrap_or_else(|| "annotator".to_owned())
}

fn theme(
    args: &ExploreArgs,
    config: &Config,
    folders: Option<&Folders>,
    level: ColorLevel,
) -> Result<Theme> {
    let paper = args.pane.as_ref().map(|_| PRINT);
    let wanted = args.theme.as_deref().or(paper);
    let wanted = wanted.unwrap_or(&config.theme);
    let name = match wanted {
        "auto" => Theme::suggested(level, std::env::var("COLORFGBG").ok().as_deref()),
        name => name,
    };
    let own = folders.map(Folders::themes);
    Theme::load_from(own.as_deref(), name, level).with_context(|| format!("--theme {name}"))
}

fn glyphs(args: &ExploreArgs, config: &Config) -> Result<GlyphSet> {
    let Some(name) = &args.glyphs else {
        let detected = || match args.screenshot {
            Some(_) => GlyphSet::Unicode,
            None => GlyphSet::detect(|name| std::env::var(name).ok()),
        };
        return Ok(config.glyphs.unwrap_or_else(detected));
    };
    let names: Vec<&str> = GlyphSet::ALL.iter().map(|set| set.id()).collect();
    GlyphSet::from_id(name).ok_or_else(|| {
        anyhow!(
            "--glyphs: expected one of {}, found '{name}'",
            names.join(", ")
        )
    })
}

/// Parameters of the configuration file, below those of the command line.
fn configured(settings: &mut Settings, config: &Config) -> Result<()> {
    for (name, value) in &config.parameters {
        let known = Parameter::from_id(name)
            .is_some_and(|p| matches!(settings.origin(p), Origin::User | Origin::Preset));
        if !known {
            settings
                .set_text(&format!("{name}={value}"))
                .map_err(about("configuration"))?;
        }
    }
    Ok(())
}

/// Keys are separated by spaces; text in single quotes stays together. A quote by itself is the key.
fn split_keys(text: &str) -> Result<Vec<String>> {
    let mut keys: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let quoted = rest.strip_prefix('\'').filter(|_| word > 1);
        let end = match quoted {
            Some(inside) => {
                let closing = inside.find('\'');
                2 + closing.ok_or_else(|| anyhow!("--keys: no quote closes {rest}"))?
            }
            None if span::of(rest, ..word) == stage::WAIT => word,
            None => {
                let key = span::of(rest, ..word).parse::<Stroke>();
                key.map_err(|said| anyhow!("--keys: {said}; 'words' in quotes are typed"))?;
                word
            }
        };
        keys.push(span::of(rest, ..end).to_owned());
        rest = span::of(rest, end..).trim_start();
    }
    Ok(keys)
}

fn pane(name: &str) -> Result<Pane> {
    Pane::from_id(name).ok_or_else(|| {
        let mut names: Vec<&str> = Vec::new();
        for pane in Pane::all() {
            if !names.contains(&pane.id()) {
                names.push(pane.id());
            }
        }
        let names = names.join(", ");
        anyhow!("--pane: expected one of {names}, found '{name}'")
    })
}

fn size(text: &str) -> Result<(u16, u16)> {
    let parsed = text
        .split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((width, height))
            if width > 0 && height > 0 && u32::from(width) * u32::from(height) <= CELLS =>
        {
            Ok((width, height))
        }
        _ => bail!(
            "--size: expected WIDTHxHEIGHT of at most {CELLS} cells, such as 160x48, found '{text}'"
        ),
    }
}

fn picture(file: &Path, index: Arc<Index>, shot: &Shot, animate: bool) -> Result<()> {
    let name = index.name().to_owned();
    if animate {
        let title = format!("hopscope: {name}");
        let caption = Caption::new(&title, "A session in the explorer of hopscope", &shot.theme);
        let mut moving = Moving::new();
        let mut written = Ok(());
        let mut pressed = 0;
        let mut key = String::new();
        let mut seconds = 0.0;
        stage::screenshot(index, shot, |frame| {
            if written.is_ok() {
                written = moving.frame(seconds, frame, &key, &caption);
            }
            if let Some(next) = shot.keys.get(pressed).filter(|next| *next != stage::WAIT) {
                key = next.trim_matches('\'').to_owned();
            }
            pressed += 1;
            seconds += BETWEEN;
        });
        written.map_err(|said| anyhow!("--animate: {said}"))?;
        let text = moving.svg(seconds + BETWEEN, &caption);
        return write_file(file, text.as_bytes());
    }
    if file.extension().is_some_and(|ending| ending == "cast") {
        let mut bytes = Vec::new();
        let mut cast = Cast::new(&mut bytes, format!("hopscope: {name}"));
        let mut written = Ok(());
        let mut seconds = 0.0;
        stage::screenshot(index, shot, |frame| {
            if written.is_ok() {
                written = cast.frame(seconds, frame);
            }
            seconds += BETWEEN;
        });
        written.with_context(|| file.display().to_string())?;
        return write_file(file, &bytes);
    }
    let buffer = stage::screenshot(index, shot, |_| {});
    let text = match file.extension().and_then(|e| e.to_str()) {
        Some("svg") => {
            let title = format!("hopscope: {name}");
            let caption = Caption::new(&title, "The explorer of hopscope", &shot.theme);
            picture::svg(&buffer, &caption)
        }
        Some("ans") => picture::ansi(&buffer),
        Some("txt") => picture::plain(&buffer),
        _ => bail!(
            "{}: a picture ends in .svg, .ans, .txt or .cast",
            file.display()
        ),
    };
    write_file(file, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_words_and_the_quote_itself() {
        assert_eq!(
            split_keys("m 'ket rag' Enter ' s 'p' Tab").unwrap(),
            ["m", "'ket rag'", "Enter", "'", "s", "'p'", "Tab"]
        );
        assert_eq!(split_keys("  ' m").unwrap(), ["'", "m"]);
        assert_eq!(split_keys("'a'b").unwrap(), ["'a'", "b"]);
        let wrong = |keys| split_keys(keys).unwrap_err().to_string();
        assert_eq!(wrong("b 'open m"), "--keys: no quote closes 'open m");
        assert!(wrong("F99 Tab").starts_with("--keys: `F99` is not a key; keys are"));
        assert!(wrong("Tab Nope").contains("`Nope` is not a key"));
    }
}
