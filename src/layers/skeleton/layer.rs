//! The layer of an index that all eight methods read: units, kNN graph, keyword graph, skeletons.

use super::core_graph::{MadeBy, Skeleton, Sources};
use super::extract::ORIGIN;
use super::keywords::Keywords;
use super::neighbours::KnnGraph;
use super::options::{Core, CoreBy, KetBuild, Sizes};
use super::rows;
use super::units::Units;
use crate::column::Column;
use crate::derived::{Derived, Weighed, of_columns};
use crate::embed::vectors::Rows;
use crate::embed::{Identity, Vectors};
use crate::index::layer::{Columns, Each, SMALL, Stored, vectors};
use crate::index::{Dense, Index, IndexError, Layer, Passages};
use crate::llm::{Llm, Shares};
use crate::parameters::{Parameter as P, Scoped};
use crate::text::summarize::Idf;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the layer was built with, and how much there is of everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub options: KetBuild,
    pub sizes: Sizes,
    /// What made names, descriptions and relations.
    pub origin: String,
    /// Who made how many stretches, and who merged how many long descriptions; empty where no model was asked.
    #[serde(default, skip_serializing_if = "Shares::is_empty")]
    pub made: Shares,
    #[serde(default, skip_serializing_if = "Shares::is_empty")]
    pub merged: Shares,
    pub documents: usize,
    pub chunks: usize,
    pub units: usize,
    pub knn_edges: usize,
    pub keywords: usize,
    pub keyword_edges: usize,
    pub skeletons: Vec<SkeletonMeta>,
    /// The encoder of all vectors.
    pub identity: Identity,
    /// Vectors are kept in int8.
    pub small: bool,
    /// Units have vectors of their own; else unit and passage are one and share theirs.
    pub own_vectors: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkeletonMeta {
    pub core: Core,
    /// Units it was made from.
    pub units: usize,
    pub entities: usize,
    pub relations: usize,
}

/// KET-RAG over an index.
pub struct Ket {
    pub meta: Meta,
    meta_bytes: Column<u8>,
    pub units: Units,
    own: Option<Vectors>,
    pub knn: KnnGraph,
    pub keywords: Keywords,
    skeletons: Vec<Arc<Skeleton>>,
    /// Skeletons of other cores, and whole layers of other options.
    cores: Derived<Core, Skeleton>,
    cuts: Derived<KetBuild, Ket>,
    /// What made the stored layer in whose place this one was derived; empty of a stored one, and where rules made that.
    instead_of: String,
}

/// Up to so many passages a layer is cut anew for a question that asks for other units: that takes seconds. Its skeletons are
/// made when one is asked for.
const DERIVED_UP_TO: usize = 10 * SMALL;

/// `done` of `total` of a named step; false cancels.
pub type Progress<'a> = dyn Fn(&'static str, usize, usize) -> bool + 'a;

/// Vectors of the units; none where unit and passage are one.
fn unit_vectors(
    passages: &Passages,
    units: &Units,
    dense: &Dense,
    progress: &dyn Fn(usize, usize) -> bool,
) -> Result<Option<Vectors>, IndexError> {
    let whole: Vec<Option<u32>> = (0..units.len() as u32).map(|u| units.whole(u)).collect();
    let same = |(u, passage): (usize, &Option<u32>)| *passage == Some(u as u32);
    if whole.len() == passages.len() && whole.iter().enumerate().all(same) {
        return Ok(None);
    }
    let cut: Vec<u32> = (0..units.len() as u32)
        .filter(|u| whole[*u as usize].is_none())
        .collect();
    let texts: Vec<String> = cut.iter().map(|u| units.text(passages, *u)).collect();
    let encoded = rows::encode(dense, &texts, &|done| progress(done, cut.len()))?;
    let mut next = 0;
    let pick: Vec<(bool, u32)> = whole
        .iter()
        .map(|passage| match passage {
            Some(passage) => (true, *passage),
            None => {
                next += 1;
                (false, next - 1)
            }
        })
        .collect();
    let identity = dense.vectors.identity();
    Ok(Some(rows::merge(
        identity,
        &dense.vectors,
        &encoded,
        &pick,
    )?))
}

/// How often each stem occurs over all passages.
fn idf(passages: &Passages) -> Idf {
    let texts: Vec<String> = (0..passages.len()).map(|p| passages.full_text(p)).collect();
    Idf::new(texts.iter().map(String::as_str))
}

impl Ket {
    /// Builds everything from an index. Skeletons are made of the core, of an even draw of the same size, and of all.
    ///
    /// # Errors
    /// An index without vectors, a cancelled build, or what the encoder says.
    pub fn build(
        index: &Index,
        options: &KetBuild,
        progress: &Progress<'_>,
    ) -> Result<Ket, IndexError> {
        let cores = [CoreBy::Pagerank, CoreBy::Uniform].map(|by| Core { by, ..options.core });
        Ket::build_with(index, options, &[Core::ALL, cores[0], cores[1]], progress)
    }

    fn build_with(
        index: &Index,
        options: &KetBuild,
        cores: &[Core],
        progress: &Progress<'_>,
    ) -> Result<Ket, IndexError> {
        let (passages, dense) = (index.passages(), index.dense_for(Ket::NAME)?);
        let step = |name: &'static str, done: usize, total: usize| {
            if progress(name, done, total) {
                Ok(())
            } else {
                Err(IndexError::Cancelled)
            }
        };
        step("units", 0, 1)?;
        let (units, sizes) = Units::build(passages, options);
        let own = unit_vectors(passages, &units, dense, &|d, t| progress("units", d, t))?;
        let vectors = own.as_ref().unwrap_or(&dense.vectors);
        step("neighbours", 0, 1)?;
        let knn = KnnGraph::build(passages, &units, vectors, options.knn_k)?;
        step("keywords", 0, 1)?;
        let each = |d: usize, t: usize| progress("keywords", d, t);
        let keywords = Keywords::build(passages, &units, dense, options.code_case, &each)?;
        let mut distinct: Vec<Core> = Vec::new();
        for core in cores {
            if !distinct.contains(core) {
                distinct.push(*core);
            }
        }
        let mut skeletons: Vec<Arc<Skeleton>> = Vec::new();
        let mut made = MadeBy::default();
        if !distinct.is_empty() {
            step("skeleton", 0, 1)?;
            let from = Sources {
                index,
                dense,
                units: &units,
                knn: &knn,
                idf: &idf(passages),
                chunk_tokens: sizes.chunk_tokens,
                llm: &index.llm(),
            };
            let each = |d: usize, t: usize| progress("skeleton", d, t);
            let (built, by) = Skeleton::build_all(&from, &distinct, options, &each)?;
            made = by;
            skeletons = built.into_iter().map(Arc::new).collect();
        }
        let last = units.len().checked_sub(1).map(|u| u as u32);
        let meta = Meta {
            options: options.clone(),
            sizes,
            origin: made.extracted.said(ORIGIN),
            made: made.extracted,
            merged: made.merged,
            documents: last.map_or(0, |u| units.document(u) as usize + 1),
            chunks: last.map_or(0, |u| units.chunk(u) as usize + 1),
            units: units.len(),
            knn_edges: knn.edges(),
            keywords: keywords.len(),
            keyword_edges: keywords.edges(),
            skeletons: skeletons
                .iter()
                .map(|s| SkeletonMeta {
                    core: s.core,
                    units: knn.core_size(&s.core),
                    entities: s.len(),
                    relations: s.relation_count(),
                })
                .collect(),
            identity: dense.vectors.identity().clone(),
            small: matches!(dense.vectors.rows(), Rows::I8 { .. }),
            own_vectors: own.is_some(),
        };
        let meta_bytes = serde_json::to_vec(&meta).unwrap_or_default();
        Ok(Ket {
            meta,
            meta_bytes: meta_bytes.into(),
            units,
            own,
            knn,
            keywords,
            skeletons,
            cores: Derived::default(),
            cuts: Derived::default(),
            instead_of: String::new(),
        })
    }

    /// The layer under some values: the index's, or on a small index one derived for what of `among` was chosen otherwise.
    /// Another core alone asks for no other layer.
    ///
    /// # Errors
    /// No layer on a large index, or options that it was not built with: both name the command.
    pub fn of(index: &Index, values: Scoped<'_>, among: &[P]) -> Result<Arc<Ket>, IndexError> {
        // Changes are changes of what was built: built here, that is always the same.
        let options = KetBuild::default();
        let layer = index.layer_or(|_| true, || Ket::build(index, &options, &|_, _, _| true))?;
        let core = [P::CoreShare, P::CoreBy];
        let among: Vec<P> = among
            .iter()
            .copied()
            .filter(|p| !core.contains(p))
            .collect();
        layer.derived(index, values, &among)
    }

    fn derived(
        self: Arc<Self>,
        index: &Index,
        values: Scoped<'_>,
        among: &[P],
    ) -> Result<Arc<Ket>, IndexError> {
        let built = &self.meta.options;
        let wanted = built.changed(values, among);
        let sizes = |options: &KetBuild| Sizes {
            chosen: true,
            ..Sizes::of(options, self.meta.sizes.median)
        };
        let (own, other) = (sizes(built), sizes(&wanted));
        let rest = KetBuild {
            chunk_tokens: built.chunk_tokens,
            chunk_overlap: built.chunk_overlap,
            halvings: built.halvings,
            ..wanted.clone()
        };
        if own == other && rest == *built {
            return Ok(self);
        }
        if index.len() > DERIVED_UP_TO {
            let set = among.iter().filter(|p| values.chosen(**p));
            let set = set.map(|p| format!(" --set {}", p.assignment(values.value(*p))));
            let said = format!(
                "it was built with other options; for these build it again with: hopscope index --add ket INDEX{}",
                set.collect::<String>()
            );
            return Err(IndexError::Layer {
                layer: Ket::NAME,
                said,
            });
        }
        self.cuts.get(&wanted, || {
            let built = Ket::build_with(index, &wanted, &[], &|_, _, _| true)?;
            Ok(Arc::new(Ket {
                instead_of: self.stored_by(),
                ..built
            }))
        })
    }

    /// Who made what is stored; empty where rules did.
    fn stored_by(&self) -> String {
        let (made, merged) = (&self.meta.made, &self.meta.merged);
        match (self.instead_of.is_empty(), merged.is_empty()) {
            (false, _) => self.instead_of.clone(),
            (true, true) => made.to_string(),
            (true, false) => format!("{made}; merged by {merged}"),
        }
    }

    /// Who made a skeleton; empty where rules did, and no model made what is stored either. What is derived is by rules,
    /// whoever made the layer.
    pub fn made_by(&self, skeleton: &Arc<Skeleton>) -> String {
        let by = self.stored_by();
        let stored = self.skeletons.iter().any(|own| Arc::ptr_eq(own, skeleton));
        match stored || by.is_empty() {
            true => by,
            false => format!("{ORIGIN} under these settings; the stored layer by {by}"),
        }
    }

    /// A unit in few words: its title, and its place in the document where that has several.
    pub fn label(&self, index: &Index, unit: u32) -> String {
        let passages = index.passages();
        let title = self.units.title(passages, unit);
        let id = self.units.pieces(unit).next();
        let id = id.map_or("", |p| passages.id(p.passage as usize));
        match (self.units.whole(unit), title) {
            (Some(_), "") => id.to_owned(),
            (Some(_), title) => title.to_owned(),
            (None, "") => format!("{id} · unit {unit}"),
            (None, title) => format!("{title} · unit {unit}"),
        }
    }

    /// Vectors of the units.
    ///
    /// # Errors
    /// An index whose vectors are not those the layer was built with.
    pub fn vectors<'a>(&'a self, index: &'a Index) -> Result<&'a Vectors, IndexError> {
        let passages = &index.dense_for(Ket::NAME)?.vectors;
        passages.check(&self.meta.identity)?;
        let vectors = self.own.as_ref().unwrap_or(passages);
        if vectors.len() == self.units.len() {
            return Ok(vectors);
        }
        Err(IndexError::Layer {
            layer: Ket::NAME,
            said: format!(
                "{} vectors for {} units; build it again with: hopscope index --add ket INDEX",
                vectors.len(),
                self.units.len()
            ),
        })
    }

    /// The skeleton of a core: a stored one, or one derived from the passages now and kept.
    ///
    /// # Errors
    /// What the encoder says.
    pub fn skeleton(&self, index: &Index, core: &Core) -> Result<Arc<Skeleton>, IndexError> {
        if let Some(skeleton) = self.skeletons.iter().find(|s| s.core == *core) {
            return Ok(skeleton.clone());
        }
        let from = Sources {
            index,
            dense: index.dense_for(Ket::NAME)?,
            units: &self.units,
            knn: &self.knn,
            idf: &idf(index.passages()),
            chunk_tokens: self.meta.sizes.chunk_tokens,
            // A slider asks no model: that would take minutes and money at every step.
            llm: &Llm::rules(),
        };
        self.cores.get(core, || {
            let built = Skeleton::build_all(&from, &[*core], &self.meta.options, &|_, _| true);
            Ok(Arc::new(built?.0.remove(0)))
        })
    }
}

impl Weighed for Ket {
    fn bytes(&self) -> usize {
        of_columns(|each| self.columns(each))
    }
}

impl Weighed for Skeleton {
    fn bytes(&self) -> usize {
        of_columns(|each| self.write("", each))
    }
}

impl Layer for Ket {
    const NAME: &'static str = "ket";
    const VERSION: u32 = 1;

    fn columns<'a>(&'a self, each: Each<'_, 'a>) {
        self.meta_bytes.write("meta", each);
        self.units.write("", each);
        if let Some(own) = &self.own {
            vectors("unit.vector", "scale", own, each);
        }
        self.knn.write("", each);
        self.keywords.write("", each);
        for (at, skeleton) in self.skeletons.iter().enumerate() {
            skeleton.write(&format!("skeleton{at}"), each);
        }
    }

    fn open(columns: &Columns) -> Result<Self, IndexError> {
        let meta: Meta = columns.json("meta")?;
        let units = Units::read(columns, "")?;
        let (of, identity) = (units.len(), &meta.identity);
        columns.length("unit.tokens", of, meta.units)?;
        let own = match meta.own_vectors {
            true => Some(columns.vectors("unit.vector", "scale", identity)?),
            false => None,
        };
        columns.length("unit.vector", own.as_ref().map_or(of, Vectors::len), of)?;
        let skeletons = meta.skeletons.iter().enumerate().map(|(at, s)| {
            Skeleton::read(columns, &format!("skeleton{at}"), s.core, of, identity).map(Arc::new)
        });
        let skeletons: Result<Vec<_>, IndexError> = skeletons.collect();
        Ok(Ket {
            meta_bytes: columns.column("meta")?,
            own,
            knn: KnnGraph::read(columns, "", of)?,
            keywords: Keywords::read(columns, "", of, identity)?,
            skeletons: skeletons?,
            cores: Derived::default(),
            cuts: Derived::default(),
            instead_of: String::new(),
            units,
            meta,
        })
    }
}
