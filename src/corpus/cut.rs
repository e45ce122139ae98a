//! Text cut into passages: at paragraphs, short ones joined, long ones divided at the ends of sentences.

use crate::text::span;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;

/// How long the passages are that texts are cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cut {
    /// A passage above this many words is divided; paragraphs are joined until one has three tenths of it.
    pub words: usize,
    /// A passage begins with the last whole sentences of the one before in its section, up to so many words; below `words`.
    pub overlap: usize,
}

impl Default for Cut {
    fn default() -> Self {
        Self {
            words: 200,
            overlap: 0,
        }
    }
}

impl Cut {
    /// Paragraphs are joined until a passage has this many words.
    fn least(self) -> usize {
        (self.words.saturating_mul(3) / 10).max(1)
    }

    /// A passage above this many words is divided.
    fn most(self) -> usize {
        self.words.max(1)
    }
}

/// A heading of more bytes is text: every passage below a heading carries it.
const LONGEST: usize = 2_000;

/// One passage of a document.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// The headings above it, outermost first. Empty in plain text.
    pub headings: Vec<String>,
    pub text: String,
}

/// Cuts plain text.
pub(super) fn cut_plain(text: &str, cut: Cut) -> Vec<Piece> {
    let mut sections = Sections::of(cut);
    for line in text.lines() {
        sections.line(line.trim(), ' ');
    }
    sections.finish()
}

/// Cuts Markdown. Headings become the path of what stands below them; a heading with nothing below it is text.
pub(super) fn cut_markdown(text: &str, cut: Cut) -> Vec<Piece> {
    let mut sections = Sections::of(cut);
    let mut lines = text.lines().peekable();
    if lines.peek().is_some_and(|line| line.trim_end() == "---") {
        // Front matter is not a heading, though its last line looks like one.
        let front: Vec<&str> = text
            .lines()
            .skip(1)
            .take_while(|line| line.trim_end() != "---")
            .collect();
        if text.lines().count() > front.len() + 1 {
            lines
                .by_ref()
                .take(front.len() + 2)
                .for_each(|line| sections.line(line.trim_end_matches("---"), '\n'));
            sections.end_paragraph();
        }
    }
    let mut fence: Option<&str> = None;
    while let Some(line) = lines.next() {
        let bare = line.trim();
        if let Some(mark) = fence {
            sections.code(line);
            if bare.starts_with(mark) && bare.trim_start_matches(mark).is_empty() {
                fence = None;
            }
        } else if let Some(mark) = ["```", "~~~"]
            .into_iter()
            .find(|mark| bare.starts_with(mark))
        {
            fence = Some(mark);
            sections.code(line);
        } else if let Some((level, title)) = heading(line) {
            sections.heading(level, title);
        } else if let Some(level) = lines
            .peek()
            .and_then(|next| underline(next))
            .filter(|_| sections.may_head(bare))
        {
            sections.heading(level, bare);
            lines.next();
        } else {
            sections.line(bare, if stands_alone(line) { '\n' } else { ' ' });
        }
    }
    sections.finish()
}

/// `## Title ##`
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let bare = line.trim_start_matches(' ');
    let title = bare.trim_start_matches('#');
    let level = bare.len() - title.len();
    if !(1..=6).contains(&level)
        || line.len() - bare.len() > 3
        || !title.starts_with(char::is_whitespace)
    {
        return None;
    }
    let title = title.trim();
    let closed = title.trim_end_matches('#');
    let title = if closed.is_empty() || closed.ends_with(char::is_whitespace) {
        closed.trim_end()
    } else {
        title
    };
    (!title.is_empty()).then_some((level, title))
}

/// The line below a heading of the other kind.
fn underline(line: &str) -> Option<usize> {
    let line = line.trim_end();
    let all = |mark: char| line.len() >= 3 && line.chars().all(|found| found == mark);
    if all('=') {
        Some(1)
    } else {
        all('-').then_some(2)
    }
}

/// Whether a line keeps its own line: an item, a row of a table, a quotation.
fn stands_alone(line: &str) -> bool {
    let bare = line.trim_start();
    let numbered = bare.trim_start_matches(|digit: char| digit.is_ascii_digit());
    bare.starts_with(['|', '>'])
        || ["- ", "* ", "+ "].iter().any(|mark| bare.starts_with(mark))
        || (numbered.len() < bare.len()
            && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

/// What stands under one heading, paragraph by paragraph, and the finished pieces before it.
#[derive(Default)]
pub(super) struct Sections {
    cut: Cut,
    headings: Vec<(usize, String)>,
    /// The last heading has nothing below it yet.
    bare_heading: bool,
    paragraphs: Vec<String>,
    paragraph: String,
    done: Vec<Piece>,
}

impl Sections {
    pub fn of(cut: Cut) -> Self {
        Self {
            cut,
            ..Self::default()
        }
    }

    /// One line, set off from the one before by `separator`; an empty one ends the paragraph.
    pub fn line(&mut self, line: &str, separator: char) {
        if line.is_empty() {
            self.end_paragraph();
            return;
        }
        if !self.paragraph.is_empty() {
            self.paragraph.push(separator);
        }
        self.paragraph.push_str(line);
    }

    /// One line between fences: indentation and empty lines stay.
    pub fn code(&mut self, line: &str) {
        if !self.paragraph.is_empty() {
            self.paragraph.push('\n');
        }
        self.paragraph.push_str(line.trim_end());
    }

    /// Whether a line with an underline is a heading: it starts a paragraph and is no row of a table.
    fn may_head(&self, line: &str) -> bool {
        self.paragraph.is_empty() && !line.is_empty() && !stands_alone(line)
    }

    pub fn end_paragraph(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        if !paragraph.trim().is_empty() {
            self.paragraphs.push(paragraph);
            self.bare_heading = false;
        }
    }

    /// The title of the whole, which leads until a heading of the first level comes.
    pub fn document(&mut self, title: &str) {
        if title.len() <= LONGEST {
            self.headings.push((1, title.to_owned()));
        }
    }

    pub fn heading(&mut self, level: usize, title: &str) {
        if title.len() > LONGEST {
            self.end_paragraph();
            self.line(title, ' ');
            self.end_paragraph();
            return;
        }
        self.end_section(level);
        self.headings.retain(|&(above, _)| above < level);
        self.headings.push((level, title.to_owned()));
        self.bare_heading = true;
    }

    /// Before a heading of `level`. A heading without text is kept by what stands deeper, else as text.
    fn end_section(&mut self, level: usize) {
        self.end_paragraph();
        if self.bare_heading
            && self
                .headings
                .last()
                .is_some_and(|&(above, _)| above >= level)
        {
            self.paragraphs
                .extend(self.headings.pop().map(|(_, title)| title));
        }
        self.bare_heading = false;
        let headings: Vec<String> = self
            .headings
            .iter()
            .map(|(_, title)| title.clone())
            .collect();
        let texts = pack(std::mem::take(&mut self.paragraphs), self.cut);
        let texts = overlapped(texts, self.cut.overlap);
        self.done.extend(texts.into_iter().map(|text| Piece {
            headings: headings.clone(),
            text,
        }));
    }

    pub fn finish(mut self) -> Vec<Piece> {
        self.end_section(0);
        self.done
    }
}

/// Joins and divides the paragraphs of one section.
fn pack(paragraphs: Vec<String>, cut: Cut) -> Vec<String> {
    let mut packed: Vec<String> = Vec::new();
    let mut held = String::new();
    // No word goes from paragraph to paragraph, and to count them all again would take the square of the time.
    let mut words = 0;
    for paragraph in paragraphs {
        append(&mut held, &paragraph);
        words += count(&paragraph);
        if words > cut.most() {
            packed.extend(divide(&held, words, cut));
            held.clear();
            words = 0;
        } else if words >= cut.least() {
            packed.push(std::mem::take(&mut held));
            words = 0;
        }
    }
    match packed.last_mut() {
        _ if held.is_empty() => {}
        Some(last) if count(last) + words <= cut.most() => append(last, &held),
        _ => packed.push(held),
    }
    packed
}

/// Every text after the last whole sentences of the one before, up to so many words.
fn overlapped(mut texts: Vec<String>, most: usize) -> Vec<String> {
    if most == 0 {
        return texts;
    }
    // From the end: the text before is still as it was cut.
    for at in (1..texts.len()).rev() {
        let before = &texts[at - 1];
        let (mut start, mut words) = (before.len(), 0);
        for (sentence, length) in sentences(before, Cut::default()).into_iter().rev() {
            words += length;
            if words > most {
                break;
            }
            start -= sentence.len();
        }
        let tail = span::of(before, start..).trim().to_owned();
        if !tail.is_empty() {
            texts[at] = format!("{tail}\n{}", texts[at]);
        }
    }
    texts
}

fn append(text: &mut String, paragraph: &str) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(paragraph);
}

/// Divides a text of `words` words into parts of about equal length.
fn divide(text: &str, words: usize, cut: Cut) -> Vec<String> {
    let most = cut.most();
    let aim = words.div_ceil(words.div_ceil(most));
    let mut parts: Vec<(String, usize)> = vec![(String::new(), 0)];
    for (sentence, length) in sentences(text, cut) {
        let (part, so_far) = parts.last_mut().expect("one to start with");
        if *so_far > 0 && (*so_far >= aim || *so_far + length > most) {
            parts.push((sentence.to_owned(), length));
        } else {
            part.push_str(sentence);
            *so_far += length;
        }
    }
    if let [.., (before, long), (last, short)] = &mut parts[..]
        && *short < cut.least()
        && *long + *short <= most
    {
        before.push_str(last);
        parts.pop();
    }
    parts
        .into_iter()
        .map(|(part, _)| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// Sentences with their numbers of words; one that is too long comes in pieces.
fn sentences(text: &str, cut: Cut) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let (mut start, mut end) = (0, 0);
    for sentence in text.split_sentence_bounds() {
        end += sentence.len();
        let so_far = span::of(text, start..end);
        if end == text.len() || ends_between_words(so_far) && !ends_in_abbreviation(so_far) {
            pieces(span::of(text, start..end), cut, &mut found);
            start = end;
        }
    }
    found
}

/// Whether a word ends here too: Unicode ends a sentence inside `say?what`. Scripts without spaces have stops of their own.
fn ends_between_words(sentence: &str) -> bool {
    let closed = |c: char| matches!(c, '」' | '』' | '）' | '”' | '’' | '"' | '\'' | ')');
    let stop = sentence.trim_end_matches(closed);
    sentence.ends_with(char::is_whitespace) || stop.ends_with(['。', '！', '？', '｡'])
}

/// `Mr.`, `St.`, an initial: a full stop that rarely ends a sentence.
fn ends_in_abbreviation(sentence: &str) -> bool {
    let word = sentence
        .trim_end()
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    let Some(word) = word.trim_start_matches(['(', '"', '“']).strip_suffix('.') else {
        return false;
    };
    (1..=3).contains(&word.chars().count())
        && word.starts_with(char::is_uppercase)
        && word.chars().all(char::is_alphabetic)
}

/// A sentence, divided between words where it has more than a passage may have. A script without spaces is divided at
/// twice that.
fn pieces<'a>(sentence: &'a str, cut: Cut, found: &mut Vec<(&'a str, usize)>) {
    let most = cut.most();
    let words = count(sentence);
    if words <= most {
        found.push((sentence, words));
        return;
    }
    let aim = words.div_ceil(words.div_ceil(most));
    let (mut start, mut length) = (0, 0);
    for (at, token) in sentence.split_word_bound_indices() {
        let space = token.chars().all(char::is_whitespace);
        let word = token.contains(char::is_alphanumeric);
        if (space && length >= aim) || (word && length >= 2 * most) {
            found.push((span::of(sentence, start..at), length));
            (start, length) = (at, 0);
        }
        length += usize::from(word);
    }
    found.push((span::of(sentence, start..), length));
}

fn count(text: &str) -> usize {
    text.unicode_words().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOST: usize = 200;

    fn cut_plain(text: &str) -> Vec<Piece> {
        super::cut_plain(text, Cut::default())
    }

    fn cut_markdown(text: &str) -> Vec<Piece> {
        super::cut_markdown(text, Cut::default())
    }

    fn sentence(words: usize) -> String {
        format!("{}ends.", "Word ".repeat(words - 1))
    }

    #[test]
    fn short_paragraphs_are_joined_and_the_rest_goes_to_the_one_before() {
        let text = format!(
            "{}\r\n\r\n{}\n\n\n{}\n\n{}",
            sentence(40),
            sentence(30),
            sentence(70),
            sentence(5)
        );
        let lengths: Vec<usize> = cut_plain(&text)
            .iter()
            .map(|piece| count(&piece.text))
            .collect();
        assert_eq!(lengths, [70, 75]);
    }

    #[test]
    fn a_long_paragraph_is_divided_at_sentences_in_equal_parts() {
        let text = vec![sentence(30); 10].join(" ");
        let pieces = cut_plain(&text);
        assert_eq!(
            pieces
                .iter()
                .map(|piece| count(&piece.text))
                .collect::<Vec<_>>(),
            [150, 150]
        );
        assert!(
            pieces
                .iter()
                .all(|piece| piece.text.starts_with("Word") && piece.text.ends_with("ends."))
        );
    }

    #[test]
    fn a_sentence_without_end_is_divided_between_words_and_one_without_spaces_too() {
        let pieces = cut_plain(&"palaver ".repeat(450));
        assert!(
            pieces
                .iter()
                .all(|piece| piece.text.split(' ').all(|word| word == "palaver"))
        );
        assert_eq!(
            pieces
                .iter()
                .map(|piece| count(&piece.text))
                .collect::<Vec<_>>(),
            [150, 150, 150]
        );
        let han = "国".repeat(1000);
        let pieces = cut_plain(&han);
        assert!(
            pieces.len() > 1 && pieces.iter().map(|piece| &*piece.text).collect::<String>() == han
        );
    }

    #[test]
    fn a_stop_inside_a_word_ends_no_sentence() {
        let most = "word ".repeat(MOST * 3 / 4);
        let text = format!("{most}say?What {most}");
        let pieces = cut_plain(&text);
        assert_eq!(pieces.len(), 2);
        assert!(pieces.iter().any(|piece| piece.text.contains("say?What")));
        let most = "\u{6f22}".repeat(MOST * 3 / 4);
        let pieces = cut_plain(&format!("{most}\u{3002}{most}\u{3002}"));
        let ends = |piece: &Piece| piece.text.ends_with('\u{3002}');
        assert!(pieces.len() == 2 && pieces.iter().all(ends), "{pieces:?}");
    }

    #[test]
    fn abbreviations_do_not_end_a_sentence() {
        let found: Vec<&str> = sentences(
            "Then Mr. Darcy met J. Austen. He left. \"St. Ives.\"",
            Cut::default(),
        )
        .iter()
        .map(|s| s.0)
        .collect();
        assert_eq!(
            found,
            [
                "Then Mr. Darcy met J. Austen. ",
                "He left. ",
                "\"St. Ives.\""
            ]
        );
    }

    #[test]
    fn headings_are_the_path_and_an_empty_one_is_text() {
        let text = "Before.\n\n# Guide #\n\n## Install\nRun it\nnow.\n\n```sh\n# no heading\n\ncargo run\n```\n\nUse\n===\n- one\n- two\n\n### Deep\n\n## Last\n";
        let pieces: Vec<(String, String)> = cut_markdown(text)
            .into_iter()
            .map(|piece| (piece.headings.join(">"), piece.text))
            .collect();
        let expected = [
            ("", "Before."),
            (
                "Guide>Install",
                "Run it now.\n\n```sh\n# no heading\n\ncargo run\n```",
            ),
            ("Use", "- one\n- two"),
            ("Use", "Deep"),
            ("Use", "Last"),
        ];
        assert_eq!(
            pieces,
            expected.map(|(headings, text)| (headings.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn front_matter_rules_and_tables_are_no_headings() {
        let text = "---\ntitle: A\n---\nText.\n\n---\n\n| a |\n---\n| b |\n";
        let pieces = cut_markdown(text);
        assert_eq!(pieces.len(), 1);
        assert!(
            pieces[0].headings.is_empty() && pieces[0].text.starts_with("title: A\n\nText."),
            "{pieces:?}"
        );
    }

    #[test]
    fn a_person_may_say_how_long_passages_are() {
        let text = vec![sentence(30); 10].join(" ");
        let lengths = |words: usize, overlap: usize| -> Vec<usize> {
            let pieces = super::cut_plain(&text, Cut { words, overlap });
            pieces.iter().map(|piece| count(&piece.text)).collect()
        };
        assert_eq!(lengths(60, 0), [60; 5]);
        assert_eq!(lengths(300, 0), [300]);
        // One whole sentence of 30 fits into 59 words, two do not; into 29 fits none.
        assert_eq!(lengths(60, 59), [60, 90, 90, 90, 90]);
        assert_eq!(lengths(60, 29), [60; 5]);
        assert_eq!(lengths(1, 0), [1; 300]);
        assert_eq!(
            super::cut_plain(
                &text,
                Cut {
                    words: 0,
                    overlap: 0
                }
            )
            .len(),
            300
        );
    }

    #[test]
    fn overlap_is_of_the_passage_before_as_it_was_cut_and_of_its_section_alone() {
        let text = "# A\n\nOne two. Three four. Five six.\n\n# B\n\nSeven eight.";
        let cut = Cut {
            words: 2,
            overlap: 2,
        };
        let pieces: Vec<String> = super::cut_markdown(text, cut)
            .into_iter()
            .map(|p| p.text)
            .collect();
        assert_eq!(
            pieces,
            [
                "One two.",
                "One two.\nThree four.",
                "Three four.\nFive six.",
                "Seven eight."
            ]
        );
    }

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    proptest! {
        #[test]
        fn no_word_is_lost_or_cut(paragraphs in prop::collection::vec("([A-Za-zé.,!?\"'-]{1,9}[ \n\t]){0,90}", 0..12), gap in "\n\n|\r\n\r\n|\n \n") {
            let text = paragraphs.join(&gap);
            let pieces = cut_plain(&text);
            let kept: Vec<&str> = pieces.iter().flat_map(|piece| words(&piece.text)).collect();
            prop_assert_eq!(kept, words(&text));
            prop_assert!(pieces.iter().all(|piece| count(&piece.text) <= 2 * MOST && !piece.text.trim().is_empty()));
        }

        #[test]
        fn no_word_is_lost_whatever_the_characters(text in "\\PC{0,400}|[\\PC\n]{0,400}") {
            let pieces = cut_plain(&text);
            let kept: Vec<&str> = pieces.iter().flat_map(|piece| words(&piece.text)).collect();
            prop_assert_eq!(kept, words(&text));
        }

        #[test]
        fn no_word_is_lost_at_any_size(text in "([a-z]{1,5}[ .\n]){0,120}", words in 0_usize..30) {
            let pieces = super::cut_plain(&text, Cut { words, overlap: 0 });
            let kept: Vec<&str> = pieces.iter().flat_map(|piece| super::tests::words(&piece.text)).collect();
            prop_assert_eq!(kept, super::tests::words(&text));
            prop_assert!(pieces.iter().all(|piece| count(&piece.text) <= 2 * words.max(1)));
            let overlapped = super::cut_plain(&text, Cut { words, overlap: words / 2 });
            prop_assert_eq!(overlapped.len(), pieces.len());
            prop_assert!(overlapped.iter().zip(&pieces).all(|(over, piece)| over.text.ends_with(&piece.text)));
        }

        #[test]
        fn markdown_loses_no_word(lines in prop::collection::vec("(#{1,3} |- |```|~~~|\\| |---|===|> |    |)([a-z]{1,5} ?){0,6}", 0..40)) {
            let text = lines.join("\n");
            let alphabetic = |text: &str| -> Vec<String> {
                text.split(|letter: char| !letter.is_ascii_lowercase()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
            };
            let pieces = cut_markdown(&text);
            let kept: std::collections::HashSet<String> = pieces
                .iter()
                .flat_map(|piece| alphabetic(&format!("{} {}", piece.headings.join(" "), piece.text)))
                .collect();
            for word in alphabetic(&text) {
                prop_assert!(kept.contains(&word), "{word:?} of {text:?} in {pieces:?}");
            }
        }
    }
}
