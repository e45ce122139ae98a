//! Words that are no names by themselves, words that may stand inside one, and what a title adds to a name.

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// English function words, in lower case: a capital on one of them is the sentence's, not a name's.
pub static FUNCTION_WORDS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they \
     this to was will with he she his her him its our my your you we i me us who whom whose which what when where \
     why how did does do has have had were been being than from after before during while until since because \
     although though however also both either neither each every all any some many most more other another one two \
     three first second last new here so too very can could would should may might must shall about above below \
     between under over again further once only own same few nor just now out off up down through against among per \
     via despite unlike like later earlier currently today often originally initially eventually finally meanwhile \
     instead according following"
        .split_whitespace()
        .collect()
});

/// More words that open sentences and questions with a capital without naming anything.
pub static OPENERS: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "those them several various much less least even still yet already thus hence therefore moreover furthermore \
     nevertheless nonetheless besides along around near within without upon across behind beside beyond inside \
     outside onto toward towards whether name list give tell find show let am isn't wasn't aren't weren't don't \
     doesn't didn't they're he's she's it's that's there's what's who's i'm we're you're as-is whereas whereby \
     whenever wherever whichever whatever whoever ever never always sometimes soon then thereafter afterwards \
     likewise similarly additionally consequently subsequently previously formerly recently together perhaps \
     maybe indeed rather almost nearly approximately roughly let's"
        .split_whitespace()
        .collect()
});

/// Lower-case words that may join two capitalised words into one name.
pub static PARTICLES: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "of the de da do dos das di del della delle der den des du la le les el al van von zu zur zum y e bin ibn ben \
     af av ter ten und et"
        .split_whitespace()
        .collect()
});

/// Abbreviations whose full stop belongs to the name that follows.
pub static TITLES: LazyLock<FxHashSet<&'static str>> = LazyLock::new(|| {
    "st dr mr mrs ms mt ft prof gen col capt lt sgt rev jr sr"
        .split_whitespace()
        .collect()
});

/// Words whose "of" stands before a place's name: "Republic of Chad".
pub const KINDS_BEFORE: &[&str] = &[
    "city", "county", "kingdom", "republic", "state", "town", "village",
];

/// Words after a name that say what it is: forms of companies in several languages.
pub const KINDS_AFTER: &[&str] = &[
    "ab",
    "ag",
    "co",
    "company",
    "corp",
    "corporation",
    "gmbh",
    "inc",
    "incorporated",
    "limited",
    "llc",
    "ltd",
    "nv",
    "oy",
    "plc",
    "sa",
    "spa",
    "srl",
];

/// Words after the name of a place or of people that say what it is.
pub const GEOGRAPHY: &[&str] = &[
    "basin",
    "city",
    "district",
    "dynasty",
    "family",
    "island",
    "islands",
    "lake",
    "language",
    "mountain",
    "mountains",
    "municipality",
    "nation",
    "people",
    "peninsula",
    "province",
    "region",
    "river",
    "road",
    "tribe",
    "valley",
    "village",
];

/// Whether a word (lower-cased) can be no name alone.
pub fn is_function_word(lower: &str) -> bool {
    FUNCTION_WORDS.contains(lower) || OPENERS.contains(lower)
}

/// A title without its trailing "(...)".
pub fn without_parenthesis(title: &str) -> &str {
    let inner = title.trim_end().strip_suffix(')');
    match inner.and_then(|inner| inner.rsplit_once('(')) {
        Some((before, inside)) if !inside.contains(')') => before.trim_end(),
        _ => title,
    }
}
