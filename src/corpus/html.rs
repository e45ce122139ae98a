//! HTML as a person sees it: headings, paragraphs, lists, rows of tables and code, without scripts, styles and menus.
//!
//! The tags are read one by one and no tree is made: whatever is nested in or left open costs no memory.

use super::cut::{Cut, Piece, Sections};
use html5gum::{StartTag, Token, Tokenizer, naive_next_state};

/// What nobody reads, or what is there on every page of a site.
const UNSEEN: &[&[u8]] = &[
    b"script",
    b"style",
    b"template",
    b"noscript",
    b"iframe",
    b"noembed",
    b"noframes",
    b"object",
    b"svg",
    b"canvas",
    b"nav",
    b"button",
    b"select",
    b"textarea",
];

/// Elements whose end tag may be missing, or that have none: `hidden` is heeded in all others.
const OPEN_ENDED: &[&[u8]] = &[
    b"p", b"li", b"dt", b"dd", b"tr", b"td", b"th", b"thead", b"tbody", b"tfoot", b"option",
    b"html", b"head", b"body", b"br", b"hr", b"img", b"input", b"wbr", b"col", b"link", b"meta",
    b"area", b"base", b"embed", b"source", b"track",
];

/// A cell with more bytes is a part of a page that a table holds in place.
const CELL: usize = 600;

/// Whether a text begins as a document of HTML does.
pub(super) fn begins(text: &[u8]) -> bool {
    let mut text = text.trim_ascii_start();
    if text.starts_with(b"<?xml") {
        let end = text.iter().position(|&byte| byte == b'>');
        text = text.split_at(end.map_or(0, |end| end + 1)).1;
    }
    let text = text.trim_ascii_start();
    [&b"<!doctype html"[..], b"<html"].iter().any(|start| {
        let own = text.get(..start.len());
        own.is_some_and(|own| own.eq_ignore_ascii_case(start))
    })
}

/// Cuts a document. Its title is the first heading of all until a heading of the first level comes; `closes` where `<a/>` is a
/// whole element, as in XHTML.
pub(super) fn cut_html(text: &str, closes: bool, cut: Cut) -> Vec<Piece> {
    let mut page = Page {
        sections: Sections::of(cut),
        ..Page::default()
    };
    let mut tokens = Tokenizer::new(text);
    while let Some(Ok(token)) = tokens.next() {
        match token {
            Token::StartTag(tag) => {
                let whole = closes && tag.self_closing;
                let raw = naive_next_state(&tag.name).filter(|_| !whole);
                page.start(&tag, whole);
                if let Some(state) = raw {
                    tokens.set_state(state);
                }
            }
            Token::EndTag(tag) => page.end(&tag.name),
            Token::String(text) => page.text(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    page.finish()
}

/// Where text goes.
#[derive(Default, PartialEq)]
enum Into {
    #[default]
    Line,
    Title,
    Heading(usize),
    Code,
}

#[derive(Default)]
struct Page {
    sections: Sections,
    /// The document has its title.
    titled: bool,
    into: Into,
    /// Runs of space are one, and none stands at the start.
    line: String,
    /// There was space behind the last word.
    apart: bool,
    /// How deep in lists, and in tables.
    lists: usize,
    tables: usize,
    /// An item has begun and has no text yet.
    item: bool,
    /// Where the last cell of a row starts in the line.
    cell: Option<usize>,
    /// The element that is left out, and how many of its name are open.
    unseen: Option<(Vec<u8>, usize)>,
}

impl Page {
    fn text(&mut self, text: &str) {
        if self.unseen.is_some() {
            return;
        }
        if self.into == Into::Code {
            self.line.push_str(text);
            return;
        }
        for letter in text.chars() {
            // A soft hyphen and a place to break a line are not seen.
            if letter.is_whitespace() {
                self.apart = true;
            } else if !matches!(letter, '\u{ad}' | '\u{200b}') {
                if self.item && self.line.is_empty() && self.into == Into::Line {
                    self.line.push_str("- ");
                } else if self.apart && !self.line.is_empty() && !self.line.ends_with(' ') {
                    self.line.push(' ');
                }
                (self.apart, self.item) = (false, false);
                self.line.push(letter);
            }
        }
    }

    fn start(&mut self, tag: &StartTag<()>, whole: bool) {
        let name = &tag.name[..];
        if let Some((unseen, open)) = &mut self.unseen {
            if unseen == name && !whole {
                *open += 1;
            }
            // A menu that nobody closed is no reason to lose the page.
            let menu = matches!(&unseen[..], b"nav" | b"svg" | b"button" | b"select");
            if !menu || !matches!(name, b"main" | b"article" | b"h1") {
                return;
            }
            self.unseen = None;
        }
        let hidden = tag.attributes.contains_key(&b"hidden"[..]) && !OPEN_ENDED.contains(&name);
        if UNSEEN.contains(&name) || hidden {
            self.apart = true;
            self.unseen = (!whole).then(|| (name.to_owned(), 1));
            return;
        }
        match name {
            b"title" if !self.titled && !whole => {
                self.end_line();
                self.into = Into::Title;
            }
            b"pre" | b"listing" | b"xmp" if !whole => {
                self.end_block();
                self.into = Into::Code;
            }
            b"br" if self.into == Into::Code => self.line.push('\n'),
            b"td" | b"th" => self.cell(),
            b"ul" | b"ol" | b"dl" | b"menu" => {
                self.block(name);
                self.lists += 1;
            }
            b"table" => {
                // A table in a table: the outer one holds parts of a page in place.
                self.end_block();
                self.tables += 1;
            }
            _ => match level(name) {
                Some(level) => {
                    self.end_block();
                    (self.lists, self.tables) = (0, 0);
                    self.into = Into::Heading(level);
                }
                None => self.block(name),
            },
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((unseen, open)) = &mut self.unseen {
            if unseen == name {
                *open -= 1;
            }
            if *open == 0 || name == b"body" {
                self.unseen = None;
            }
            return;
        }
        match name {
            b"title" if self.into == Into::Title => self.end_line(),
            b"pre" | b"listing" | b"xmp" if self.into == Into::Code => self.end_block(),
            b"ul" | b"ol" | b"dl" | b"menu" => {
                self.lists = self.lists.saturating_sub(1);
                self.block(name);
            }
            b"table" => {
                self.end_block();
                self.tables = self.tables.saturating_sub(1);
            }
            b"td" | b"th" => {}
            b"li" | b"dt" => self.block(b"dd"),
            name if level(name).is_some() && matches!(self.into, Into::Heading(_)) => {
                self.end_block();
            }
            name => self.block(name),
        }
    }

    /// What a tag that is no heading, list, table or code does to the line.
    fn block(&mut self, name: &[u8]) {
        let heads = matches!(self.into, Into::Heading(_));
        if self.into == Into::Code || heads && self.line.is_empty() {
            return;
        }
        match name {
            b"br" if heads => self.apart = true,
            b"br" | b"p" | b"div" | b"ul" | b"ol" | b"li" if self.in_cell() => self.apart = true,
            b"br" => self.end_line(),
            b"li" | b"dt" => {
                self.end_line();
                self.item = self.lists > 0;
            }
            b"tr" | b"caption" | b"dd" | b"summary" => self.end_line(),
            b"p" | b"div" | b"ul" | b"ol" | b"dl" | b"menu" if self.lists > 0 => self.end_line(),
            b"p" | b"div" | b"ul" | b"ol" | b"dl" | b"menu" | b"section" | b"article" | b"main"
            | b"header" | b"footer" | b"aside" | b"blockquote" | b"figure" | b"figcaption"
            | b"address" | b"form" | b"fieldset" | b"legend" | b"details" | b"dialog" | b"hr"
            | b"center" | b"body" | b"html" | b"head" => self.end_block(),
            b"img" | b"input" | b"audio" | b"video" => self.apart = true,
            _ => {}
        }
    }

    /// In a cell that is still as short as a cell is.
    fn in_cell(&self) -> bool {
        self.tables > 0
            && self
                .cell
                .is_some_and(|start| self.line.len() - start < CELL)
    }

    fn cell(&mut self) {
        if self.cell.is_some() && !self.in_cell() || self.into != Into::Line {
            self.end_block();
        }
        if self.cell.is_some() {
            let space = if self.line.ends_with(' ') { "" } else { " " };
            self.line.push_str(space);
            self.line.push_str("| ");
        }
        self.cell = Some(self.line.len());
        self.apart = false;
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        (self.apart, self.cell) = (false, None);
        let words = line.trim_matches(|c: char| c.is_whitespace() || c == '|');
        match std::mem::take(&mut self.into) {
            Into::Title => {
                if !words.is_empty() {
                    self.titled = true;
                    self.sections.document(words);
                }
            }
            // What leads to a heading from elsewhere is drawn behind it.
            Into::Heading(level) => {
                let words = words.trim_end_matches(['¶', ' ']);
                if !words.is_empty() {
                    self.sections.heading(level, words);
                }
            }
            Into::Code => {
                let code = line.strip_prefix('\n').unwrap_or(&line).trim_end();
                code.lines().for_each(|line| self.sections.code(line));
            }
            Into::Line => {
                if !words.is_empty() {
                    self.sections.line(line.trim(), '\n');
                }
            }
        }
    }

    fn end_block(&mut self) {
        self.end_line();
        self.item = false;
        self.sections.end_paragraph();
    }

    fn finish(mut self) -> Vec<Piece> {
        self.end_block();
        self.sections.finish()
    }
}

/// `h1` to `h6`
fn level(name: &[u8]) -> Option<usize> {
    match name {
        [b'h', digit @ b'1'..=b'6'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut_html(text: &str, closes: bool) -> Vec<Piece> {
        super::cut_html(text, closes, Cut::default())
    }

    fn read(text: &str) -> Vec<(String, String)> {
        let pieces = cut_html(text, false).into_iter();
        pieces
            .map(|piece| (piece.headings.join(" > "), piece.text))
            .collect()
    }

    fn piece(headings: &str, text: &str) -> (String, String) {
        (headings.to_owned(), text.to_owned())
    }

    #[test]
    fn headings_are_the_path_and_the_title_leads_until_there_is_one() {
        let text = "<!DOCTYPE html><head><title>Ada &amp; Co</title><style>p { x: '<h1>' }</style></head>
            <body><nav><h2>Menu</h2><a href=/>Home</a></nav><p>Before.<h2>Life</h2><p>Born
            in <b>18</b>15&nbsp;there.<script>if (a < b) document.write('<p>no</p>')</script></p>
            <h1 id=x>Works<a class=headerlink href=#x>\u{b6}</a></h1><h2><div>Note <i>G</i></div></h2>It is long.";
        assert_eq!(
            read(text),
            [
                piece("Ada & Co", "Before."),
                piece("Ada & Co > Life", "Born in 1815 there."),
                piece("Works > Note G", "It is long."),
            ]
        );
    }

    #[test]
    fn items_and_rows_keep_their_lines_and_code_its_space() {
        let text = "<ul><li><p>one</p><li>two<ol><li>deep</ol></ul><p>x<br>y</p>
            <table><tr><th>Name<th>Year</tr><tr><td><p>Gull</p><td></td><td>18<br>15</table>
            <pre><code>\n  fn main() {\n\n    <span>run</span>();\n  }\n</code></pre>end";
        assert_eq!(
            read(text),
            [piece(
                "",
                "- one\n- two\n- deep\n\nx\ny\n\nName | Year\nGull | | 18 15\n\n  fn main() {\n\n    run();\n  }\n\nend"
            )]
        );
    }

    #[test]
    fn a_page_that_a_table_holds_in_place_keeps_its_paragraphs() {
        let long = "word ".repeat(130);
        let text =
            format!("<table><tr><td><p>{long}</p><p>Second.</p></td><td>Third.</td></tr></table>");
        let lines = read(&text).remove(0).1;
        assert!(lines.ends_with("word\n\nSecond.\n\nThird."), "{lines}");
    }

    #[test]
    fn what_is_not_seen_is_left_out_and_a_menu_without_end_does_not_take_the_page() {
        let text = "<nav><ul><li>Home<main><p>Shown<span hidden> not <span>this</span></span> here.
            <noscript><p>Turn it on</p></noscript><template><p>x</template><svg><title>t</title><text>u</text></svg><button>Go</button></main>";
        assert_eq!(read(text), [piece("", "Shown here.")]);
        assert_eq!(
            read("a<!-- <p>no -->b &notin; <3 &#x41;&bogus;"),
            [piece("", "ab \u{2209} <3 A&bogus;")]
        );
        assert!(read("<script>var x = 1;").is_empty() && read("").is_empty());
    }

    #[test]
    fn in_xhtml_an_element_closes_itself() {
        let text = "<?xml version='1.0'?><html><head><title/><script src='x'/></head><body><p>Kept.</p></body></html>";
        assert!(begins(text.as_bytes()) && read(text).is_empty());
        assert_eq!(cut_html(text, true)[0].text, "Kept.");
        assert!(begins(b" <!DocType HTML>") && !begins(b"<p>") && !begins(b"<?xml <html>"));
    }

    /// A second is far more than any of these takes, and far less than one that is quadratic would.
    #[test]
    fn depth_and_length_cost_no_more_than_their_bytes() {
        const MANY: usize = 200_000;
        for text in [
            "<div>".repeat(MANY) + "x",
            "<ul><li>".repeat(MANY) + "x",
            "<table><tr><td>".repeat(MANY) + "x",
            "<h1>x".repeat(MANY),
            "<p>.".repeat(MANY),
            "<nav>".repeat(MANY),
            "<!--".repeat(MANY),
            "</p".repeat(MANY),
            "&amp".repeat(MANY),
            format!(
                "<h2>{}</h2>{}",
                "long ".repeat(MANY),
                "<h3>a</h3><p>b".repeat(2_000)
            ),
            format!("<a {}>x</a>", "b=c ".repeat(MANY)),
            format!("<a b='{}'>x</a>", "c".repeat(MANY)),
        ] {
            let start = std::time::Instant::now();
            let pieces = cut_html(&text, false);
            let kept: usize = pieces
                .iter()
                .map(|p| p.headings.concat().len() + p.text.len())
                .sum();
            let what = span(&text);
            assert!(
                start.elapsed().as_secs() < 10,
                "{what}: {:?}",
                start.elapsed()
            );
            assert!(
                kept <= 8 * text.len(),
                "{what}: {kept} bytes of {}",
                text.len()
            );
        }
    }

    fn span(text: &str) -> String {
        text.chars().take(20).collect()
    }

    proptest! {
        /// Of tags in any order no word is lost that is seen, and none is made.
        #[test]
        fn words_between_tags_are_kept(parts in prop::collection::vec(("</?(p|b|div|li|ul|ol|table|tr|td|th|h1|h2|pre|br|section)>", "[a-z]{1,6} ?"), 0..60)) {
            let text: String = parts.iter().map(|(tag, word)| format!("{tag}{word}")).collect();
            let letters = |text: &str| -> String { text.chars().filter(char::is_ascii_lowercase).collect() };
            let words: std::collections::HashSet<String> = cut_html(&text, false)
                .iter()
                .flat_map(|piece| [piece.headings.concat(), piece.text.clone()])
                .map(|text| letters(&text))
                .collect();
            for (_, word) in &parts {
                prop_assert!(words.iter().any(|kept| kept.contains(word.trim())), "{word:?} of {text:?} in {words:?}");
            }
        }

        #[test]
        fn any_bytes_give_pieces(text in "(<[a-z/!?-]{0,4}|>|[\"'=&;#]|h[1-6]|\\PC| ){0,200}", closes: bool) {
            for piece in cut_html(&text, closes) {
                prop_assert!(!piece.text.trim().is_empty());
            }
        }
    }
}
