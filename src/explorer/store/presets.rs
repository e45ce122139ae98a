//! `presets.toml`: a person's own presets, one table each.
//!
//! ```toml
//! [bridges]
//! method = "names+rrf > noderag > push > passages"
//! alpha = 0.3
//! ```

use super::{Folders, claimed, read, replace};
use crate::explorer::toml::{FileError, Source, kind};
use crate::retrieve::{Method, MethodRef, Origin, Parameter, Preset, PresetRef, Presets, Settings};
use std::fmt::Write;
use std::path::PathBuf;
use toml::de::{DeTable, DeValue};

const METHOD: &str = "method";

/// The presets there are with those of the file. What is wrong is said, and the rest still counts.
pub fn load(folders: &Folders) -> (Presets, Vec<String>) {
    let path = folders.presets_file();
    match read(&path) {
        Ok(None) => (Presets::default(), Vec::new()),
        Ok(Some(text)) => {
            let (presets, errors) = take(&path.display().to_string(), &text);
            (presets, errors.iter().map(ToString::to_string).collect())
        }
        Err(message) => (Presets::default(), vec![message]),
    }
}

/// [`load`] from text.
fn take(file: &str, text: &str) -> (Presets, Vec<FileError>) {
    let source = Source { file, text };
    let mut presets = Presets::default();
    let table = match source.table() {
        Ok(table) => table,
        Err(error) => return (presets, vec![error]),
    };
    let mut errors = Vec::new();
    for (key, value) in &table {
        let (name, at) = (key.get_ref().as_ref(), key.span().start);
        let DeValue::Table(own) = value.get_ref() else {
            let said = format!("expected a table, this is {}", kind(value.get_ref()));
            errors.push(source.complain(at, name, said));
            continue;
        };
        match preset(&source, name, own) {
            Ok((method, values)) => match Preset::own(name, method, &values) {
                Ok(preset) => presets.keep(preset),
                Err(said) => errors.push(source.complain(at, name, said)),
            },
            Err(error) => errors.push(error),
        }
    }
    errors.sort_by_key(|error| error.line);
    (presets, errors)
}

type Read = (MethodRef, Vec<(Parameter, String)>);

fn preset(source: &Source<'_>, name: &str, table: &DeTable<'_>) -> Result<Read, FileError> {
    let mut method = None;
    let mut values = Vec::new();
    for (key, value) in table {
        let (word, at) = (key.get_ref().as_ref(), value.span().start);
        let dotted = format!("{name}.{word}");
        let text = match value.get_ref() {
            DeValue::String(text) => text.to_string(),
            DeValue::Integer(number) => number.to_string(),
            DeValue::Float(number) => number.to_string(),
            DeValue::Boolean(on) => (if *on { "on" } else { "off" }).to_owned(),
            other => {
                let said = format!("expected one value, this is {}", kind(other));
                return Err(source.complain(at, dotted, said));
            }
        };
        let complain = |said: String| source.complain(at, dotted.clone(), said);
        if word == METHOD {
            method = Some(Method::by_name(&text).map_err(complain)?);
            continue;
        }
        let Some(parameter) = Parameter::from_id(word) else {
            let mut ids: Vec<&str> = Parameter::ALL.iter().map(|p| p.id()).collect();
            ids.push(METHOD);
            return Err(source.unknown_key(key.span().start, &dotted, &ids));
        };
        let parsed = parameter.declaration().domain.parse(&text);
        parsed.map_err(complain)?;
        values.push((parameter, text));
    }
    match method {
        Some(method) => Ok((method, values)),
        None => {
            let at = table.iter().next().map_or(0, |(key, _)| key.span().start);
            Err(source.complain(at, name, "it names no method"))
        }
    }
}

/// Keeps a method with everything the person set under a name, in the place of an earlier preset of that name; the
/// rest of the file stays as it is. The preset, and where it was kept.
///
/// # Errors
/// A name that cannot be one, a damaged file, a folder that cannot be written.
pub fn save(
    folders: &Folders,
    name: &str,
    settings: &Settings,
) -> Result<(PresetRef, PathBuf), String> {
    let method = settings.method();
    // What a preset under it set belongs to the new one as much.
    let chosen = |p: &Parameter| matches!(settings.origin(*p), Origin::User | Origin::Preset);
    let values: Vec<(Parameter, String)> = method
        .uses()
        .into_iter()
        .filter(chosen)
        .map(|p| (p, settings.text(p)))
        .collect();
    let path = folders.presets_file();
    let _claim = claimed(&path);
    let text = read(&path)?.unwrap_or_default();
    if let Err(error) = (Source {
        file: &path.display().to_string(),
        text: &text,
    })
    .table()
    {
        return Err(format!("not saved: {error}"));
    }
    let preset = Preset::own(name, method.clone(), &values)?;
    replace(&path, with_table(&text, name, method, &values).as_bytes())?;
    Ok((preset, path))
}

/// [`save`], and where it is now; the preset is known from then on.
///
/// # Errors
/// As [`save`].
pub fn keep(
    folders: &Folders,
    name: &str,
    settings: &Settings,
    known: &mut Presets,
) -> Result<String, String> {
    let (preset, path) = save(folders, name, settings)?;
    known.keep(preset);
    Ok(format!("preset {name} kept in {}", path.display()))
}

/// The text with this table, in the place of one of its name or at the end.
fn with_table(text: &str, name: &str, method: &Method, values: &[(Parameter, String)]) -> String {
    let mut own = format!("[{name}]\nmethod = {:?}\n", method.name);
    for (parameter, text) in values {
        let number = text.parse::<f64>().is_ok_and(f64::is_finite) && !text.starts_with(['.', '+']);
        let _ = match number {
            true => writeln!(own, "{} = {text}", parameter.id()),
            false => writeln!(own, "{} = {text:?}", parameter.id()),
        };
    }
    let header = |line: &str| line.trim_start().starts_with('[');
    let is_own = |line: &str| {
        let inner = line
            .trim()
            .strip_prefix('[')
            .and_then(|l| l.split_once(']'));
        inner.is_some_and(|(inner, _)| inner.trim().trim_matches(['"', '\'']) == name)
    };
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(|line| is_own(line));
    let Some(start) = start else {
        let gap = if text.is_empty() { "" } else { "\n" };
        return format!("{}{gap}{own}", ended(text));
    };
    let rest = lines[start + 1..].iter().position(|line| header(line));
    let end = rest.map_or(lines.len(), |at| start + 1 + at);
    let before = lines[..start].iter().map(|line| format!("{line}\n"));
    let after = lines[end..].iter().map(|line| format!("{line}\n"));
    let gap = if end < lines.len() { "\n" } else { "" };
    format!(
        "{}{own}{gap}{}",
        before.collect::<String>(),
        after.collect::<String>()
    )
}

/// With a newline at its end.
fn ended(text: &str) -> String {
    match text.ends_with('\n') || text.is_empty() {
        true => text.to_owned(),
        false => format!("{text}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{ALPHA, BM25_K1, EDGE_LOGIC, EdgeLogic};

    #[test]
    fn a_preset_comes_back_as_it_was_saved_and_the_rest_of_the_file_stays() {
        let home = tempfile::tempdir().unwrap();
        let folders = Folders::under(home.path());
        std::fs::create_dir_all(&folders.config).unwrap();
        let before = "# mine\n[older-one]\nmethod = \"bm25\"\nbm25_k1 = 0.9 # Anserini\n";
        std::fs::write(folders.presets_file(), before).unwrap();
        let composed = "rrf > chunk-similarity > push > passages";
        let mut settings = Settings::new(Method::by_name(composed).unwrap());
        settings.set_text("alpha=0.3").unwrap();
        settings.set_text("edge_logic=and").unwrap();
        save(&folders, "round-trip", &settings).unwrap();
        settings.set_text("alpha=0.4").unwrap();
        let (_, path) = save(&folders, "round-trip", &settings).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with(before), "{text}");
        assert_eq!(text.matches("[round-trip]").count(), 1, "{text}");
        assert!(text.contains("alpha = 0.4\n") && !text.contains("0.3"));
        let (presets, said) = load(&folders);
        assert_eq!(said, Vec::<String>::new());
        let mut again = Settings::new(Method::by_name("graph").unwrap());
        again.apply_preset(presets.by_name("round-trip").unwrap());
        assert_eq!(again.method().name, composed);
        assert_eq!(again.get(ALPHA), 0.4);
        assert_eq!(again.get(EDGE_LOGIC), EdgeLogic::And);
        again.apply_preset(presets.by_name("older-one").unwrap());
        assert_eq!(again.method().name, "bm25");
        assert_eq!(again.get(BM25_K1), 0.9);
    }

    #[test]
    fn what_is_wrong_names_the_line_and_the_rest_counts() {
        let text = "[no-method]\nalpha = 0.2\n\n[bad-value]\nmethod = \"graph\"\nalpha = 7\n\n[bad-key]\nmethod = \"graph\"\nalhpa = 1\n\n[misfit]\nmethod = \"names > unit-knn > push > passages\"\n\n[sound-one]\nmethod = \"graph\"\ngazetteer = true\n\n[none]\nmethod = \"graph\"\n";
        let (presets, errors) = take("presets.toml", text);
        let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 5, "{said:#?}");
        assert!(said[0].starts_with("presets.toml:2: `no-method`: it names no method"));
        assert!(said[1].starts_with("presets.toml:6: `bad-value.alpha`"));
        assert!(
            said[2].contains("`bad-key.alhpa`: unknown key, did you mean `alpha`?"),
            "{}",
            said[2]
        );
        assert!(said[3].contains("do not fit graph unit-knn"), "{}", said[3]);
        assert!(
            said[4].contains("'none' is the program's own"),
            "{}",
            said[4]
        );
        let sound = presets.by_name("sound-one").unwrap().unwrap();
        assert_eq!(sound.about, "graph, gazetteer=on");
    }
}
