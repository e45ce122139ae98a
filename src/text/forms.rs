//! Names of a graph by their normal forms, and the longest of them that a question has.

use super::chunks::alone;
use super::{Language, Norm, span};
use rustc_hash::FxHashMap;
use std::ops::{Range, RangeInclusive};

/// Names by normal form, and by the stems of their words where the language has stems.
pub struct Forms {
    language: Language,
    exact: FxHashMap<String, u32>,
    /// None where several names have these stems.
    stems: FxHashMap<String, Option<u32>>,
}

/// Hears of a form that no name has.
type Lacks<'l> = &'l dyn Fn(&str);

/// A run of a question that is a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// In normal form, as the question has it.
    pub form: String,
    /// The number of the name.
    pub name: u32,
    /// Whether the name itself has another form: "Keplers" for "Kepler".
    pub inflected: bool,
}

/// Longest name that is looked for, in words.
const LONGEST: usize = 8;
/// The longest name in a script without spaces that is looked for, in letters, and the shortest.
pub const LETTERS: RangeInclusive<usize> = 2..=24;

impl Forms {
    /// Names with their numbers. Of two with one form the first stays. English names are not found by stems: questions and
    /// graphs write them alike.
    pub fn new(language: Language, names: impl IntoIterator<Item = (String, u32)>) -> Forms {
        let mut forms = Forms {
            language,
            exact: FxHashMap::default(),
            stems: FxHashMap::default(),
        };
        for (form, name) in names {
            if let Some(stems) = language.stems_of_name(&form) {
                let known = forms.stems.entry(stems).or_insert(Some(name));
                known.take_if(|known| *known != name);
            }
            forms.exact.entry(form).or_insert(name);
        }
        forms
    }

    /// The name with this very form.
    pub fn exact(&self, form: &str) -> Option<u32> {
        self.exact.get(form).copied()
    }

    /// The same, and tells where there is none.
    fn exact_or(&self, form: &str, lacks: Lacks<'_>) -> Option<u32> {
        let exact = self.exact(form);
        if exact.is_none() {
            lacks(form);
        }
        exact
    }

    /// The number of the name with this form, or of the only one with its stems.
    pub fn like(&self, form: &str) -> Option<u32> {
        self.find(form.to_owned(), &|_| {}).map(|run| run.name)
    }

    /// The name with this form, or the only one with its stems.
    fn find(&self, form: String, lacks: Lacks<'_>) -> Option<Run> {
        let exact = self.exact_or(&form, lacks);
        let stem = || *self.stems.get(&self.language.stems_of_name(&form)?)?;
        Some(Run {
            name: exact.or_else(stem)?,
            inflected: exact.is_none(),
            form,
        })
    }

    /// The longest runs of a question's words that are a name, from the left. A word of a script without spaces is a
    /// sentence: runs of its letters are looked for. A Korean word begins with its name.
    pub fn longest_runs(&self, question: &str) -> Vec<Run> {
        self.longest_runs_or(question, &|_| {})
    }

    /// The same, and tells every form that was looked for and that no name has.
    pub fn longest_runs_or(&self, question: &str, lacks: Lacks<'_>) -> Vec<Run> {
        let form = Norm::Simple.apply(question);
        let words: Vec<&str> = form.split(' ').filter(|word| !word.is_empty()).collect();
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let longest = words.len().min(at + LONGEST);
            let run = (at + 1..=longest)
                .rev()
                .find_map(|end| Some((end, self.find(words[at..end].join(" "), lacks)?)));
            match run {
                Some((end, run)) => {
                    found.push(run);
                    at = end;
                }
                None => {
                    found.extend(self.letter_runs(words[at], lacks));
                    at += 1;
                }
            }
        }
        found
    }

    fn letter_runs(&self, word: &str, lacks: Lacks<'_>) -> Vec<Run> {
        if self.language != Language::Korean && !word.chars().any(alone) {
            return Vec::new();
        }
        let known = |run: &str| self.exact_or(run, lacks).is_some();
        let runs = letter_runs(self.language, word, known).into_iter();
        runs.filter_map(|run| self.find(span::of(word, run).to_owned(), lacks))
            .collect()
    }
}

/// The longest runs of letters of a word that are known, from the left, as byte ranges. Of a Korean word, what it begins
/// with: particles follow.
pub fn letter_runs(
    language: Language,
    word: &str,
    known: impl Fn(&str) -> bool,
) -> Vec<Range<usize>> {
    let begins = language == Language::Korean && !word.chars().any(alone);
    let mut found = Vec::new();
    let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    let end_of = |letter: usize| starts.get(letter).copied().unwrap_or(word.len());
    let mut at = 0;
    while at < starts.len() && (at == 0 || !begins) {
        let most = (*LETTERS.end()).min(starts.len() - at);
        let run = (*LETTERS.start()..=most)
            .rev()
            .find(|letters| known(span::of(word, starts[at]..end_of(at + letters))));
        if let Some(letters) = run {
            found.push(starts[at]..end_of(at + letters));
        }
        at += run.unwrap_or(1);
    }
    found
}

impl Language {
    /// The stems of a normal form's words; none in English and in languages without stems.
    pub fn stems_of_name(self, form: &str) -> Option<String> {
        let inflected = !self.is_english() && !self.has_bigrams();
        let stems = || form.split(' ').map(|word| self.stem(word));
        inflected.then(|| stems().collect::<Vec<_>>().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(language: Language, names: &[&str], question: &str) -> Vec<(String, u32, bool)> {
        let names = names.iter().map(|name| Norm::Simple.apply(name)).zip(0..);
        let runs = Forms::new(language, names).longest_runs(question);
        let runs = runs.into_iter();
        runs.map(|run| (run.form, run.name, run.inflected))
            .collect()
    }

    #[test]
    fn inflected_names_are_found_by_the_stems_of_their_words() {
        let names = ["Johannes Kepler", "Planet", "Москва", "Лев Толстой"];
        assert_eq!(
            found(Language::German, &names, "Johannes Keplers Planeten"),
            [
                ("johannes keplers".into(), 0, true),
                ("planeten".into(), 1, true)
            ]
        );
        assert_eq!(
            found(Language::Russian, &names, "Где в Москве жил Лев Толстой?"),
            [("москве".into(), 2, true), ("лев толстой".into(), 3, false)]
        );
        // English is found as it is written.
        assert_eq!(found(Language::English, &names, "the planets"), []);
    }

    #[test]
    fn the_form_itself_goes_first_and_stems_of_several_names_name_none() {
        let names = ["Planet", "Planeten"];
        assert_eq!(
            found(Language::German, &names, "Planeten"),
            [("planeten".into(), 1, false)]
        );
        assert_eq!(found(Language::German, &names, "Planets"), []);
    }

    #[test]
    fn names_are_found_where_no_space_parts_words() {
        assert_eq!(
            found(
                Language::Chinese,
                &["毕昇", "梦溪笔谈"],
                "毕昇和《梦溪笔谈》的关系是什么"
            ),
            [("毕昇".into(), 0, false), ("梦溪笔谈".into(), 1, false)]
        );
        assert_eq!(
            found(Language::Korean, &["서울", "한글"], "서울은 어디에 있는가"),
            [("서울".into(), 0, false)]
        );
        assert_eq!(found(Language::English, &["서울"], "서울은"), []);
    }
}
