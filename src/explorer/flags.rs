//! Method and settings as a shell takes them.

use crate::retrieve::Settings;

/// What a method and its settings are on the command line, an option an entry.
pub fn flags(settings: &Settings, reranker: &str) -> Vec<String> {
    let mut words = vec![format!("--method {}", quote(&settings.method().name))];
    if let Some(preset) = settings.preset() {
        words.push(format!("--preset {}", preset.name));
    }
    if !reranker.is_empty() && settings.method().reranks() {
        words.push(format!("--reranker {}", quote(reranker)));
    }
    words.extend(
        settings
            .changed()
            .into_iter()
            .map(|set| format!("--set {}", quote(&set))),
    );
    words.extend(seeds(settings));
    words.extend(edits(settings));
    words
}

/// A method and its settings in one word, under a name, as commands take it that have several.
pub fn run(name: &str, settings: &Settings) -> String {
    let set = settings.without_preset().changed();
    let set = set.iter().map(|set| format!("@{set}"));
    let name = match name {
        "" => String::new(),
        name => format!("{name}="),
    };
    format!(
        "{name}{}{}",
        settings.method().name,
        set.collect::<String>()
    )
}

/// The changes of seeds, an option an entry.
pub fn seeds(settings: &Settings) -> Vec<String> {
    let edits = settings.seed_edits().iter();
    edits
        .map(|edit| format!("--seed {}", quote(&edit.to_string())))
        .collect()
}

/// The changes of the graph, an option an entry.
pub fn edits(settings: &Settings) -> Vec<String> {
    let edits = settings.graph_edits().iter();
    edits
        .map(|edit| format!("--edit {}", quote(&edit.to_string())))
        .collect()
}

/// A word as a shell reads it back unchanged.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
