//! The entity-passage graph: who is mentioned where (SPRIG, graph).

use super::IndexError;
use super::excerpt::Partial;
use super::layer::{Columns, Layer, columns};
use super::passages::Passages;
use super::readings::{Mentions, Readings};
use crate::column::{self, Column, Strings, Writing};
use crate::derived::{Weighed, of_columns, once};
use crate::text::about::{About, MOST_ABOUT, about};
use crate::text::folded::unaccented;
use crate::text::gazetteer::base_title;
use crate::text::mentions::{self, Mention};
use crate::text::names::without_parenthesis;
use crate::text::span;
use crate::text::{Gazetteer, Language, Ner, Norm, Tokens};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use sprs::CsMatI;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// What words and names are read from the passages by. Two equal options give equal bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntityOptions {
    /// Values of the parameters of the same names.
    pub ner: String,
    /// How names are normalised.
    pub norm: String,
    /// Whether other forms of a title link to it.
    pub alias_linking: bool,
    /// Passage titles are names too.
    #[serde(default)]
    pub gazetteer: bool,
    /// Without a title, what a passage's text says that it is about stands for it.
    // Left out where it is off, as older indexes leave it out: their checksums are of what is written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub subjects: bool,
    /// What the words of the passages, and of questions, are cut by; English is left out likewise.
    #[serde(default, skip_serializing_if = "Language::is_english")]
    pub language: Language,
}

impl Default for EntityOptions {
    fn default() -> Self {
        EntityOptions {
            ner: "regex_plus".into(),
            norm: "simple".into(),
            alias_linking: false,
            gazetteer: false,
            subjects: true,
            language: Language::English,
        }
    }
}

/// The extractor of word graphs; `norm` then names the way words are cut.
const WORDS: &str = "words";

impl EntityOptions {
    /// Whether its nodes are words, and not names.
    pub(super) fn of_words(&self) -> bool {
        self.ner == WORDS
    }

    /// The rules that find names.
    pub(super) fn extractor(&self) -> Ner {
        Ner::from_name(&self.ner).unwrap_or(Ner::RegexPlus)
    }

    /// Every word is an entity.
    pub fn words(tokens: Tokens, language: Language) -> EntityOptions {
        EntityOptions {
            ner: WORDS.into(),
            norm: tokens.name().into(),
            alias_linking: false,
            gazetteer: false,
            subjects: false,
            language,
        }
    }
}

/// Entities shorter than this, in characters of the normal form, are dropped (SPRIG, min_entity_len).
pub const MIN_LENGTH: usize = 2;

columns! {
    /// Title aliases: which normal form stands for which title (SPRIG, +EL).
    #[derive(Clone, Default)]
    pub struct Aliases(columns) {
        /// Sorted.
        pub names: Strings = "name";
        /// The canonical form of each name; empty where several titles own it.
        pub forms: Strings = "form";
    }
}

/// A mention that the rules about capitals found.
pub const BY_RULE: u8 = 1;
/// A mention that the title gazetteer found.
pub const BY_TITLE: u8 = 2;

columns! {
    /// Passages are nodes `0..passages`, entities `passages..`, in order of first appearance.
    #[derive(Default)]
    pub struct EntityGraph(columns, passages: usize) {
        pub passages: usize { passages };
        /// Normal form of each entity.
        pub names: Strings = "entities.name";
        /// As first written.
        pub labels: Strings = "entities.label" [names.len()];
        pub aliases: Aliases = "aliases" of ();
        /// Entities by normal form, ascending: binary search finds a name without building a table. Of an excerpt those that came.
        pub sorted: Column<u32> = "entities.sorted" [names.len()] => below(names.len());
        /// Symmetric adjacency over all nodes: row u is `targets[offsets[u]..offsets[u+1]]`, ascending.
        pub offsets: Column<u32> = "graph.offsets" [passages + names.len() + 1];
        pub targets: Column<u32> = "graph.targets" => symmetric(&offsets, { let tf = &tf[..]; move |arc| u32::from(tf[arc]) });
        /// Mentions behind each arc, at most 65,535.
        pub tf: Column<u16> = "graph.tf" [targets.len()] => positive();
        /// Mentions in the order of the text, then what the passage is about (`MOST_ABOUT`): passage p's are
        /// `mention_ends[p-1]..mention_ends[p]`.
        pub mention_ends: Column<u64> = "mentions.ends" [passages] => ends(mention_start.len());
        /// Byte range in the passage's full text (title, full stop, text).
        pub mention_start: Column<u32> = "mentions.start";
        pub mention_end: Column<u32> = "mentions.stop" [mention_start.len()] => spans(&mention_start);
        /// Entity number, from 0.
        pub mention_entity: Column<u32> = "mentions.entity" [mention_start.len()] => below(names.len());
        /// Which way of looking found the mention: `BY_RULE`, `BY_TITLE` or both.
        pub mention_source: Column<u8> = "mentions.source" [mention_start.len()];
        /// With the gazetteer: entities that are titles, ascending, and beside each a passage of that title.
        pub title_entity: Column<u32> = "titles.entity" => ascending(), below(names.len());
        pub title_passage: Column<u32> = "titles.passage" [title_entity.len()] => below(passages);
        /// Names that a person joined, ascending, and the name each is now: never stored, see [`Rewiring`](super::Rewiring).
        pub joined: Vec<(u32, u32)> { Vec::new() };
        /// What it knows of the whole, where it is an excerpt.
        pub partial: Option<Arc<Partial>> { None };
        /// Names with accents, in the order of their forms without.
        pub(super) accented: OnceLock<Column<u32>> = "entities.accented";
        /// Names in the order of their words' stems, where names are inflected.
        pub(super) inflected: OnceLock<Column<u32>> = "entities.inflected";
    }
}

/// A stored mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    pub start: u32,
    pub end: u32,
    pub entity: u32,
    /// [`BY_RULE`], [`BY_TITLE`] or both.
    pub source: u8,
}

/// A name with accents without them; none of others.
fn bared(name: &str) -> Option<String> {
    let bare = (!name.is_ascii()).then(|| unaccented(name));
    bare.filter(|bare| bare != name)
}

/// What all of them are, where they are one.
fn only(mut all: impl Iterator<Item = u32>) -> Option<u32> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// What the names of its columns begin with.
const FAMILIES: [&str; 5] = ["entities", "aliases", "graph", "mentions", "titles"];

/// An index opens its own graph as it opens a layer, and does not list it among them.
impl Layer for EntityGraph {
    const NAME: &'static str = "names";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: &mut dyn FnMut(&str, &'a [u8])) {
        self.write("", each);
    }

    fn open(columns: &Columns) -> Result<EntityGraph, IndexError> {
        let passages = columns.passages();
        let graph = EntityGraph::read(columns, "", passages)?;
        // Every arc goes both ways, so that there is none between two names either where there are as many from passages
        // as from names, and all of these lead to passages.
        let (of_passages, of_names) = graph.targets.split_at(graph.offsets[passages] as usize);
        columns.length("graph.targets", of_passages.len(), of_names.len())?;
        columns.hold([("graph.targets", column::below(of_names, passages))])?;
        let listed = |list: &OnceLock<Column<u32>>| {
            let list = list.get().map_or(&[][..], |list| list);
            column::below(list, graph.entities())
        };
        columns.hold([
            ("entities.accented", listed(&graph.accented)),
            ("entities.inflected", listed(&graph.inflected)),
        ])?;
        Ok(graph)
    }
}

impl Weighed for EntityGraph {
    fn bytes(&self) -> usize {
        of_columns(|each| self.write("", each))
    }
}

impl EntityGraph {
    pub fn entities(&self) -> usize {
        self.names.len()
    }

    pub fn nodes(&self) -> usize {
        self.passages + self.entities()
    }

    /// Entity-passage edges, each counted once.
    pub fn edges(&self) -> usize {
        self.targets.len() / 2
    }

    pub fn row(&self, node: usize) -> (&[u32], &[u16]) {
        let range = self.offsets[node] as usize..self.offsets[node + 1] as usize;
        (&self.targets[range.clone()], &self.tf[range])
    }

    /// Whether both are excerpts, made of the same arcs.
    pub fn has_arcs_of(&self, other: &EntityGraph) -> bool {
        let both = self.partial.as_ref().zip(other.partial.as_ref());
        both.is_some_and(|(own, other)| own.beyond.is(&other.beyond))
    }

    /// Of an excerpt, the nodes that came, ascending: all others are alike.
    pub fn reached(&self) -> Option<&[u32]> {
        let partial = self.partial.as_ref();
        partial.map(|partial| partial.beyond.reached())
    }

    /// Passages that names are rare among: those of the whole, where it is an excerpt.
    pub fn among(&self) -> usize {
        let whole = |partial: &Arc<Partial>| partial.whole.passages as usize;
        self.partial.as_ref().map_or(self.passages, whole)
    }

    /// Number of passages that mention an entity.
    pub fn df(&self, entity: usize) -> u32 {
        if let Some(partial) = &self.partial {
            return partial.beyond.degree(self.passages + entity);
        }
        let node = self.passages + entity;
        self.offsets[node + 1] - self.offsets[node]
    }

    /// The entity with this normal form, or the one it was joined to.
    pub fn find(&self, form: &str) -> Option<u32> {
        let entity = self.exact(form).map(|entity| self.now(entity));
        if entity.is_none() {
            self.lacks(form);
        }
        entity
    }

    /// The entity with this normal form.
    fn exact(&self, form: &str) -> Option<u32> {
        let at = self
            .sorted
            .partition_point(|&e| self.names.get(e as usize) < form);
        let entity = *self.sorted.get(at)?;
        (self.names.get(entity as usize) == form).then_some(entity)
    }

    /// Remembers that an excerpt was asked for a form that it does not have.
    fn lacks(&self, form: &str) {
        if let Some(partial) = &self.partial {
            partial.asks_for_form(form);
        }
    }

    /// The entities that have a form or differ from it in accents or endings alone.
    pub(super) fn alike_to(&self, language: Language, form: &str) -> Vec<u32> {
        let mut all: Vec<u32> = self.exact(form).into_iter().collect();
        all.extend(self.with_accents(&unaccented(form)));
        if let Some(wanted) = language.stems_of_name(form) {
            all.extend(self.with_stems(language, &wanted));
        }
        all
    }

    /// The name that an entity is, where a person joined names.
    fn now(&self, entity: u32) -> u32 {
        let joined = self.joined.binary_search_by_key(&entity, |(from, _)| *from);
        joined.map_or(entity, |at| self.joined[at].1)
    }

    /// The entity that differs from a form in accents alone, where there is exactly one and none has the form itself.
    pub fn unaccented(&self, form: &str) -> Option<u32> {
        let bare = unaccented(form);
        let alike = self.find(&bare).into_iter();
        only(alike.chain(self.with_accents(&bare)))
    }

    /// The names with accents that have this form without.
    fn with_accents<'l>(&'l self, bare: &'l str) -> impl Iterator<Item = u32> + 'l {
        self.alike(&self.accented, bared, bare)
    }

    /// The only entity whose words have the stems of a form; none in English, where names are not inflected.
    pub fn inflected(&self, language: Language, form: &str) -> Option<u32> {
        let wanted = language.stems_of_name(form)?;
        only(self.with_stems(language, &wanted))
    }

    /// The names whose words have these stems.
    fn with_stems<'l>(
        &'l self,
        language: Language,
        stems: &'l str,
    ) -> impl Iterator<Item = u32> + 'l {
        let key = move |name: &str| language.stems_of_name(name);
        self.alike(&self.inflected, key, stems)
    }

    /// Puts names in order for forms that differ from them in accents and endings, so that this is stored with them.
    pub(super) fn put_in_order(&self, language: Language) {
        self.by(&self.accented, &bared);
        if language.stems_of_name("").is_some() {
            self.by(&self.inflected, &|name| language.stems_of_name(name));
        }
    }

    /// Names in the order of what is made of each; of some nothing is. Worked out on all threads when first asked for.
    fn by<'l>(
        &self,
        place: &'l OnceLock<Column<u32>>,
        key: &(impl Fn(&str) -> Option<String> + Sync),
    ) -> &'l [u32] {
        once::<Column<u32>>(place, || {
            let keyed = |entity: u32| Some((key(self.names.get(entity as usize))?, entity));
            let mut all: Vec<_> = match &self.partial {
                // Few of all came.
                Some(_) => self.sorted.iter().copied().filter_map(keyed).collect(),
                None => {
                    let entities = (0..self.entities() as u32).into_par_iter();
                    entities.filter_map(keyed).collect()
                }
            };
            all.par_sort_unstable();
            let order: Vec<u32> = all.into_iter().map(|(_, entity)| entity).collect();
            order.into()
        })
    }

    /// The entities of which this is made, by their list in the order of that.
    fn alike<'l>(
        &'l self,
        place: &'l OnceLock<Column<u32>>,
        key: impl Fn(&str) -> Option<String> + Sync + 'l,
        wanted: &'l str,
    ) -> impl Iterator<Item = u32> + 'l {
        let list = self.by(place, &key);
        let key = move |entity: &u32| key(self.names.get(*entity as usize)).unwrap_or_default();
        let from = list.partition_point(|entity| *key(entity) < *wanted);
        let own = list[from..].iter();
        let own = own.take_while(move |entity| key(entity) == wanted);
        own.map(|entity| self.now(*entity))
    }

    /// Whether an entity is the title of a passage.
    pub fn is_title(&self, entity: u32) -> bool {
        self.title_entity.binary_search(&entity).is_ok()
    }

    /// The passages whose title an entity is, by number.
    pub fn titled(&self, entity: u32) -> &[u32] {
        let from = self.title_entity.partition_point(|e| *e < entity);
        let to = self.title_entity.partition_point(|e| *e <= entity);
        &self.title_passage[from..to]
    }

    /// What an alias stands for: `Some("")` when several titles own it.
    pub fn alias(&self, form: &str) -> Option<&str> {
        let alias = self.aliases.find(form);
        if alias.is_none() {
            self.lacks(form);
        }
        alias
    }

    /// Whether a column, by its name, is one of a graph of names.
    pub(super) fn stores(column: &str) -> bool {
        let family = column.split_once('.').map(|(family, _)| family);
        family.is_some_and(|family| FAMILIES.contains(&family))
    }

    pub fn occurrences(&self, passage: usize) -> impl Iterator<Item = Occurrence> + '_ {
        self.mentions_of(passage).map(|i| self.occurrence(i))
    }

    /// Places of a passage's mentions in their columns.
    fn mentions_of(&self, passage: usize) -> Range<usize> {
        let start = if passage == 0 {
            0
        } else {
            self.mention_ends[passage - 1] as usize
        };
        let end = self
            .mention_ends
            .get(passage)
            .map_or(start, |e| *e as usize);
        start..end
    }

    fn occurrence(&self, i: usize) -> Occurrence {
        #[cfg(test)]
        work::READ.with(|read| read.set(read.get() + 1));
        Occurrence {
            start: self.mention_start[i],
            end: self.mention_end[i],
            entity: self.mention_entity[i],
            source: self.mention_source[i],
        }
    }

    /// The same graph with other mentions: of some passages, ascending.
    pub(super) fn with_mentions<M: IntoIterator<Item = Occurrence>>(
        self,
        passages: impl Iterator<Item = (usize, M)>,
    ) -> EntityGraph {
        let (mut ends, mut start, mut end) = (Vec::new(), Vec::new(), Vec::new());
        let (mut entity, mut source) = (Vec::new(), Vec::new());
        for (passage, mentions) in passages {
            ends.resize(passage, entity.len() as u64);
            for mention in mentions {
                start.push(mention.start);
                end.push(mention.end);
                entity.push(mention.entity);
                source.push(mention.source);
            }
            ends.push(entity.len() as u64);
        }
        ends.resize(self.passages, entity.len() as u64);
        EntityGraph {
            mention_ends: ends.into(),
            mention_start: start.into(),
            mention_end: end.into(),
            mention_entity: entity.into(),
            mention_source: source.into(),
            ..self
        }
    }

    /// Those that lie within a span of the passage's full text, in bytes. Searched for by place: every sentence of a long
    /// passage asks.
    pub fn occurrences_in(
        &self,
        passage: u32,
        span: Range<usize>,
    ) -> impl Iterator<Item = Occurrence> + '_ {
        let own = self.mentions_of(passage as usize);
        // In the order of the text but for the last, which say what the passage is about.
        let ordered = own.start..own.end.saturating_sub(MOST_ABOUT).max(own.start);
        let starts = self.mention_start.get(ordered.clone()).unwrap_or_default();
        let first = starts.partition_point(|start| (*start as usize) < span.start);
        let last = starts.partition_point(|start| *start as usize <= span.end);
        let inside =
            move |m: &Occurrence| span.start <= m.start as usize && m.end as usize <= span.end;
        (ordered.start + first..ordered.start + last)
            .chain(ordered.end..own.end)
            .map(|i| self.occurrence(i))
            .filter(inside)
    }

    /// Reads the passages and builds the graph. `progress` is called with the number of passages read so far and stops
    /// the build by returning false.
    pub fn build(
        passages: &Passages,
        options: &EntityOptions,
        progress: impl Fn(usize) -> bool + Sync,
    ) -> Option<EntityGraph> {
        EntityGraph::of(passages, options, None, progress)
    }

    /// As [`build`](Self::build), where the passages may have been read before.
    pub fn of(
        passages: &Passages,
        options: &EntityOptions,
        read: Option<&Readings>,
        progress: impl Fn(usize) -> bool + Sync,
    ) -> Option<EntityGraph> {
        if options.of_words() {
            let tokens = Tokens::from_name(&options.norm).unwrap_or(Tokens::Plain);
            let mut builder = Builder::default();
            for p in 0..passages.len() {
                tokens.each(options.language, &passages.full_text(p), |word| {
                    let entity = builder.entity(word, word);
                    *builder.counts.entry(entity).or_insert(0) += 1;
                });
                builder.end_passage();
            }
            return Some(builder.finish(passages.len(), Aliases::default()));
        }
        let ner = options.extractor();
        let norm = Norm::from_name(&options.norm).unwrap_or(Norm::Simple);
        let aliases = if options.alias_linking {
            Aliases::of_titles(passages, norm)
        } else {
            Aliases::default()
        };

        let own;
        let found = match read.filter(|read| read.fits(options)) {
            Some(read) => &read.mentions,
            None => {
                let done = AtomicUsize::new(0);
                let tick = || progress(1 + done.fetch_add(1, Ordering::Relaxed));
                own = Readings::of(passages, options, tick)?;
                &own.mentions
            }
        };
        let about: Vec<Vec<About>> = if options.gazetteer {
            let of = |p| about(passages.title(p), passages.text(p), options.subjects);
            (0..passages.len()).into_par_iter().map(of).collect()
        } else {
            Vec::new()
        };
        let titled = if options.gazetteer {
            let names = about.iter().flatten().map(|about| &*about.name);
            let gazetteer = Gazetteer::new(options.language, names);
            Mentions::of(passages.len(), |p| {
                Some(gazetteer.mentions(&passages.full_text(p)))
            })?
        } else {
            Mentions::default()
        };
        let known = if ner == Ner::RegexPlus {
            known_capitals(passages, found)
        } else {
            FxHashSet::default()
        };

        let mut builder = Builder::default();
        for p in 0..passages.len() {
            let text = passages.full_text(p);
            for (mention, source) in united(found.of_passage(p), titled.of_passage(p)) {
                let surface = span::of(&text, mention.span.clone());
                let form = norm.apply(surface);
                let opener = mention.opener && source == BY_RULE;
                if opener && !known.contains(&Norm::Simple.apply(surface)) {
                    continue;
                }
                let form = match aliases.find(&form) {
                    Some(canonical) if !canonical.is_empty() => canonical,
                    _ => &form,
                };
                builder.mention(form, surface, mention.span.clone(), source);
            }
            let title = passages.title(p);
            if options.alias_linking && !title.is_empty() {
                // Each passage mentions its own title once more (title_self).
                let own = norm.apply(title);
                let form = aliases.find(&own).filter(|c| !c.is_empty()).unwrap_or(&own);
                builder.mention(form, title, 0..title.len(), BY_TITLE);
            }
            for About { name, span, .. } in about.get(p).into_iter().flatten() {
                // As with linked aliases, a passage mentions what it is about once more.
                let own = norm.apply(&base_title(name));
                builder.mention(&own, name, span.clone(), BY_TITLE);
                builder
                    .titles
                    .extend(builder.ids.get(&own).map(|e| (*e, p as u32)));
            }
            builder.end_passage();
        }
        Some(builder.finish(passages.len(), aliases))
    }
}

/// Mentions of both kinds by place; the same span once.
fn united(
    rules: impl Iterator<Item = Mention>,
    titles: impl Iterator<Item = Mention>,
) -> Vec<(Mention, u8)> {
    let mut all: Vec<(Mention, u8)> = rules
        .map(|m| (m, BY_RULE))
        .chain(titles.map(|m| (m, BY_TITLE)))
        .collect();
    all.sort_by_key(|(m, source)| (m.span.start, m.span.end, *source));
    all.dedup_by(|later, kept| {
        let same = later.0.span == kept.0.span;
        if same {
            kept.1 |= later.1;
        }
        same
    });
    all
}

fn known_capitals(passages: &Passages, found: &Mentions) -> FxHashSet<String> {
    let mut known = FxHashSet::default();
    for p in 0..passages.len() {
        let own: Vec<Mention> = found.of_passage(p).collect();
        mentions::known_capitals(&passages.full_text(p), &own, &mut known);
        // A one-word title names its passage, wherever its capital stands.
        let title = passages.title(p);
        if !title.contains(char::is_whitespace) {
            known.insert(Norm::Simple.apply(title));
        }
    }
    known
}

impl Aliases {
    /// norm(title) and norm(title without a trailing parenthesis) stand for the latter, when one title owns them.
    fn of_titles(passages: &Passages, norm: Norm) -> Aliases {
        let mut owners: FxHashMap<String, (usize, String, bool)> = FxHashMap::default();
        for p in 0..passages.len() {
            let title = passages.title(p);
            if title.is_empty() {
                continue;
            }
            let base = norm.apply(without_parenthesis(title));
            let whole = norm.apply(title);
            for alias in if whole == base {
                vec![base.clone()]
            } else {
                vec![whole, base.clone()]
            } {
                if alias.chars().count() < MIN_LENGTH {
                    continue;
                }
                let owner = owners
                    .entry(alias)
                    .or_insert_with(|| (p, base.clone(), true));
                owner.2 &= owner.0 == p;
            }
        }
        let mut sorted: Vec<(String, String)> = owners
            .into_iter()
            .map(|(alias, (_, form, unique))| (alias, if unique { form } else { String::new() }))
            .collect();
        sorted.sort_unstable();
        Aliases {
            names: sorted.iter().map(|a| &a.0).collect(),
            forms: sorted.iter().map(|a| &a.1).collect(),
        }
    }

    fn find(&self, form: &str) -> Option<&str> {
        let (mut low, mut high) = (0, self.names.len());
        while low < high {
            let middle = (low + high) / 2;
            match self.names.get(middle).cmp(form) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(self.forms.get(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// Collects mentions passage by passage.
#[derive(Default)]
struct Builder {
    ids: FxHashMap<String, u32>,
    names: Writing,
    labels: Writing,
    mention_ends: Vec<u64>,
    mention_start: Vec<u32>,
    mention_end: Vec<u32>,
    mention_entity: Vec<u32>,
    mention_source: Vec<u8>,
    /// Mentions of the passage being read: entity -> count.
    counts: FxHashMap<u32, u32>,
    /// (entity, passage) where the entity is the passage's title.
    titles: Vec<(u32, u32)>,
    rows: Vec<(u32, u16)>,
    row_ends: Vec<u32>,
}

impl Builder {
    fn mention(&mut self, form: &str, surface: &str, span: Range<usize>, source: u8) {
        if form.chars().count() < MIN_LENGTH {
            return;
        }
        let entity = self.entity(form, surface);
        self.mention_start.push(span.start as u32);
        self.mention_end.push(span.end as u32);
        self.mention_entity.push(entity);
        self.mention_source.push(source);
        *self.counts.entry(entity).or_insert(0) += 1;
    }

    /// The number of a form, new ones last.
    fn entity(&mut self, form: &str, surface: &str) -> u32 {
        if let Some(entity) = self.ids.get(form) {
            return *entity;
        }
        let entity = self.names.len() as u32;
        self.ids.insert(form.to_owned(), entity);
        self.names.push(form);
        self.labels.push_words(surface);
        entity
    }

    fn end_passage(&mut self) {
        self.mention_ends.push(self.mention_entity.len() as u64);
        let from = self.rows.len();
        self.rows.extend(
            self.counts
                .drain()
                .map(|(e, n)| (e, n.min(u32::from(u16::MAX)) as u16)),
        );
        self.rows[from..].sort_unstable();
        self.row_ends.push(self.rows.len() as u32);
    }

    fn finish(mut self, passages: usize, aliases: Aliases) -> EntityGraph {
        self.titles.sort_unstable();
        self.titles.dedup();
        // Looked up no more; it holds every name once again.
        drop(std::mem::take(&mut self.ids));
        let names = std::mem::take(&mut self.names).finish();
        let entities = names.len();
        let mut offsets = vec![0];
        offsets.append(&mut self.row_ends);
        let (targets, tf) = std::mem::take(&mut self.rows).into_iter().unzip();
        let rows = CsMatI::<u16, u32>::new((passages, entities), offsets, targets, tf);
        let (ends, back, back_tf) = rows.transpose_view().to_csr().into_raw_storage();
        let (mut offsets, mut targets, mut tf) = rows.into_raw_storage();
        offsets.extend(ends[1..].iter().map(|end| end + targets.len() as u32));
        targets
            .iter_mut()
            .for_each(|entity| *entity += passages as u32);
        targets.extend(back);
        tf.extend(back_tf);
        let sorted = names.order();
        EntityGraph {
            passages,
            names,
            labels: self.labels.finish(),
            sorted: sorted.into(),
            offsets: offsets.into(),
            targets: targets.into(),
            tf: tf.into(),
            mention_ends: self.mention_ends.into(),
            mention_start: self.mention_start.into(),
            mention_end: self.mention_end.into(),
            mention_entity: self.mention_entity.into(),
            mention_source: self.mention_source.into(),
            title_entity: self.titles.iter().map(|t| t.0).collect::<Vec<_>>().into(),
            title_passage: self.titles.iter().map(|t| t.1).collect::<Vec<_>>().into(),
            aliases,
            partial: None,
            joined: Vec::new(),
            accented: OnceLock::new(),
            inflected: OnceLock::new(),
        }
    }
}

/// What a test counts: mentions that this thread reads.
#[cfg(test)]
pub(crate) mod work {
    use std::cell::Cell;

    thread_local! {
        pub(super) static READ: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn mentions_read(during: impl FnOnce()) -> usize {
        let before = READ.get();
        during();
        READ.get() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Passage;

    fn graph(texts: &[(&str, &str)], ner: &str, alias_linking: bool) -> EntityGraph {
        let options = EntityOptions {
            ner: ner.into(),
            alias_linking,
            ..EntityOptions::default()
        };
        graph_by(texts, &options)
    }

    fn graph_by(texts: &[(&str, &str)], options: &EntityOptions) -> EntityGraph {
        let passages: Vec<Passage> = texts
            .iter()
            .enumerate()
            .map(|(i, (title, text))| Passage {
                id: i.to_string(),
                title: (*title).into(),
                text: (*text).into(),
            })
            .collect();
        EntityGraph::build(&Passages::new(&passages), options, |_| true).unwrap()
    }

    #[test]
    fn rows_mirror_each_other() {
        let g = graph(
            &[
                ("", "Kepler met Tycho Brahe. Kepler left."),
                ("", "We read Kepler and Galileo."),
            ],
            "regex",
            false,
        );
        assert_eq!(
            g.names.iter().collect::<Vec<_>>(),
            ["kepler", "tycho brahe", "we", "galileo"]
        );
        assert_eq!(g.row(0), (&[2, 3][..], &[2, 1][..]));
        assert_eq!(g.row(2), (&[0, 1][..], &[2, 1][..]));
        assert_eq!(g.df(0), 2);
        assert_eq!(g.find("galileo"), Some(3));
        assert_eq!(g.find("newton"), None);
        let spans: Vec<_> = g
            .occurrences(0)
            .map(|o| (o.start, o.end, o.entity))
            .collect();
        assert_eq!(spans, [(0, 6, 0), (11, 22, 1), (24, 30, 0)]);
    }

    #[test]
    fn mentions_of_a_span_are_searched_for_by_place() {
        let sentence = "Mara Voss founded Gull Press in Hull. ";
        let opening = "Gull Press, known as The Gull, is a printer. ";
        let text = format!("{opening}{}", sentence.repeat(500));
        let options = EntityOptions {
            gazetteer: true,
            alias_linking: true,
            ..EntityOptions::default()
        };
        for title in ["", "Gull Press"] {
            let g = graph_by(&[("Hull", "Hull is a town."), (title, &text)], &options);
            let all: Vec<Occurrence> = g.occurrences(1).collect();
            let end = all.iter().map(|m| m.end as usize).max().unwrap();
            for start in (0..end).step_by(7).chain([end - 1, end, end + 9]) {
                for long in [0, 1, 9, 40, 200, end] {
                    let (start, end) = (start, start + long);
                    let inside =
                        |m: &Occurrence| start <= m.start as usize && m.end as usize <= end;
                    let filtered: Vec<Occurrence> = all.iter().copied().filter(inside).collect();
                    let mut found = Vec::new();
                    let read =
                        work::mentions_read(|| found.extend(g.occurrences_in(1, start..end)));
                    assert_eq!(found, filtered, "{title} {start}..{end}");
                    let touched = all
                        .iter()
                        .filter(|m| (start..=end).contains(&(m.start as usize)));
                    assert!(
                        read <= touched.count() + MOST_ABOUT,
                        "{title} {start}..{end}: {read}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_form_finds_the_one_name_that_differs_in_accents() {
        let text = "They saw Tekezé, Orléans, Orleáns, Aviles and Österreich.";
        let g = graph(&[("", text)], "regex_plus", false);
        let found = |form| g.unaccented(form).map(|e| g.names.get(e as usize));
        assert_eq!(found("tekeze"), Some("tekezé"));
        assert_eq!(found("tékezë"), Some("tekezé"));
        assert_eq!(found("avilés"), Some("aviles"));
        // An umlaut is an accent, "oe" is other letters.
        assert_eq!(found("osterreich"), Some("österreich"));
        assert_eq!(found("oesterreich"), None);
        // Two names: which of them is meant is not known.
        assert_eq!(found("orleans"), None);
        assert_eq!(found("nile"), None);
    }

    #[test]
    fn an_index_stores_the_orders_of_names_that_differ_in_accents_and_endings() {
        use crate::corpus::Corpus;
        use crate::index::{BuildOptions, Index, Silent};
        let language = Language::German;
        let options = BuildOptions::from(EntityOptions {
            language,
            ..EntityOptions::default()
        });
        let text = "Dort sah Johannes Kepler das ferne Österreich und das alte Orléans.";
        let passage = Passage {
            id: "a".into(),
            title: "Reise".into(),
            text: text.into(),
        };
        let corpus = Corpus {
            passages: vec![passage],
            ..Corpus::default()
        };
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("index");
        Index::create(corpus, &options, &folder, &Silent).unwrap();
        let index = Index::open(&folder).unwrap();
        let stored = index.own.graph().unwrap();
        assert!(stored.accented.get().is_some() && stored.inflected.get().is_some());
        let called = |found: Option<u32>| found.map(|e| stored.names.get(e as usize));
        let inflected = |form| called(stored.inflected(language, form));
        let unaccented = |form| called(stored.unaccented(form));
        assert_eq!(inflected("johannes keplers"), Some("johannes kepler"));
        assert_eq!(inflected("johannes brahe"), None);
        assert_eq!(unaccented("osterreich"), Some("österreich"));
        assert_eq!(unaccented("orleans"), Some("orléans"));
    }

    #[test]
    fn an_opener_counts_only_when_capitalised_elsewhere() {
        let g = graph(
            &[("", "Galaxies spin. Kepler saw."), ("", "We met Kepler.")],
            "regex_plus",
            false,
        );
        assert_eq!(g.names.iter().collect::<Vec<_>>(), ["kepler"]);
        assert_eq!(g.df(0), 2);
        // A title of one word is such a place.
        let g = graph(
            &[("Galaxies", "Galaxies spin. Kepler saw.")],
            "regex_plus",
            false,
        );
        assert_eq!(g.names.iter().collect::<Vec<_>>(), ["galaxies"]);
    }

    #[test]
    fn a_mention_tells_all_ways_that_found_it() {
        let options = EntityOptions {
            gazetteer: true,
            ..EntityOptions::default()
        };
        let texts = [("", "They saw Avon and Boro."), ("Avon", "It flows.")];
        let g = graph_by(&texts, &options);
        let sources: Vec<u8> = g.occurrences(0).map(|o| o.source).collect();
        assert_eq!(sources, [BY_RULE | BY_TITLE, BY_RULE]);
    }

    #[test]
    fn an_untitled_passage_mentions_the_name_it_is_about_where_it_stands() {
        let text = "The \"Houphouët-Boigny\" (née Bété) is a stadium; Houphouët-Boigny is large.";
        let options = EntityOptions {
            gazetteer: true,
            ..EntityOptions::default()
        };
        let g = graph_by(&[("", text)], &options);
        let own = g.find("houphouët boigny").unwrap();
        let said: Vec<&str> = g
            .occurrences(0)
            .filter(|o| o.entity == own)
            .map(|o| &text[o.start as usize..o.end as usize])
            .collect();
        assert!(
            said.len() > 1 && said.iter().all(|s| *s == "Houphouët-Boigny"),
            "{said:?}"
        );
        assert_eq!(g.titled(own), [0]);
    }

    #[test]
    fn aliases_of_one_title_link_and_of_two_do_not() {
        let texts = [
            ("Mercury (planet)", "It is small."),
            ("Mercury (element)", "It is a metal."),
            (
                "Kepler (crater)",
                "Kepler is a crater on the Moon. Mercury is a planet",
            ),
        ];
        let g = graph(&texts, "regex", true);
        assert_eq!(g.alias("mercury"), Some(""));
        assert_eq!(g.alias("kepler crater"), Some("kepler"));
        assert_eq!(g.alias("mercury planet"), Some("mercury"));
        let kepler = g.find("kepler").unwrap() as usize;
        assert_eq!(g.df(kepler), 1);
        assert!(g.row(2).1.contains(&3));
    }
}
