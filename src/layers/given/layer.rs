//! The graph that a corpus came with, as columns of an index.

use super::build;
use crate::column::{Column, Strings, range};
use crate::embed::{Identity, Vectors};
use crate::exchange::given::Account;
use crate::index::layer::{Each, columns};
use crate::index::{Columns, Index, IndexError, Layer};
use serde::{Deserialize, Serialize};

/// Counts, and where the graph comes from; stored as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The system that made the graph, and which generation of its files was read.
    pub system: String,
    pub generation: String,
    pub entities: usize,
    pub relations: usize,
    pub communities: usize,
    /// Links between two passages.
    pub links: usize,
    /// What was read, kept, mended and left out.
    pub account: Account,
    pub identity: Option<Identity>,
}

columns! {
    /// Entities, relations and communities, and the passages that each is from.
    pub struct GivenLayer(columns, meta: Meta, identity: &Identity) {
        pub meta: Meta { meta };
        pub(super) meta_json: Column<u8> = "meta";
        pub names: Strings = "entity" [meta.entities];
        /// What kind of thing each is, in the system's words; may be empty.
        pub kinds: Strings = "entity.kind" [meta.entities];
        pub descriptions: Strings = "entity.description" [meta.entities];
        pub(super) entity_ends: Column<u32> = "entity.passage.ends" [meta.entities] => ends(entity_passages.len());
        pub(super) entity_passages: Column<u32> = "entity.passage" => below(columns.passages());
        pub sources: Column<u32> = "relation.source" [meta.relations] => below(meta.entities);
        pub targets: Column<u32> = "relation.target" [meta.relations] => below(meta.entities);
        /// What each is called, where it is.
        pub labels: Strings = "relation.label" [meta.relations];
        pub texts: Strings = "relation.description" [meta.relations];
        /// As the files have them.
        pub weights: Column<f32> = "relation.weight" [meta.relations] => finite();
        pub(super) relation_ends: Column<u32> = "relation.passage.ends" [meta.relations] => ends(relation_passages.len());
        pub(super) relation_passages: Column<u32> = "relation.passage" => below(columns.passages());
        /// Two passages that are joined, and what joins them.
        pub link_sources: Column<u32> = "link.source" [meta.links] => below(columns.passages());
        pub link_targets: Column<u32> = "link.target" [meta.links] => below(columns.passages());
        pub link_labels: Strings = "link.label" [meta.links];
        pub link_weights: Column<f32> = "link.weight" [meta.links] => finite();
        pub communities: Strings = "community" [meta.communities];
        pub reports: Strings = "community.report" [meta.communities];
        pub levels: Column<u32> = "community.level" [meta.communities];
        pub(super) member_ends: Column<u32> = "community.member.ends" [meta.communities] => ends(members.len());
        pub(super) members: Column<u32> = "community.member" => below(meta.entities);
        /// Of every entity the vector of its name and description, of every relation that of its label, ends and description.
        pub entity_vectors: Vectors = "entity.vector" by identity, "scale" [meta.entities];
        pub relation_vectors: Vectors = "relation.vector" by identity, "scale" [meta.relations];
    }
}

impl std::fmt::Debug for GivenLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GivenLayer")
            .field("meta", &self.meta)
            .finish_non_exhaustive()
    }
}

impl GivenLayer {
    /// For `--layers` and messages.
    pub const LABEL: &'static str = "given";

    /// Builds the layer from the files beside the corpus of an index. `progress` hears of step, done, total, and cancels by
    /// `false`.
    ///
    /// # Errors
    /// An index without vectors, no files of another system, files that cannot be read, or cancelled.
    pub fn build(
        index: &Index,
        progress: &dyn Fn(&'static str, usize, usize) -> bool,
    ) -> Result<GivenLayer, IndexError> {
        build::build(index, progress)
    }

    /// The passages that an entity is from, in the order of its files.
    pub fn entity_passages(&self, entity: u32) -> &[u32] {
        &self.entity_passages[range(&self.entity_ends, entity as usize)]
    }

    /// The passages that a relation is from, in the order of its files.
    pub fn relation_passages(&self, relation: u32) -> &[u32] {
        &self.relation_passages[range(&self.relation_ends, relation as usize)]
    }

    /// Entities' places in passages, relations, and links between passages.
    pub fn edges(&self) -> usize {
        self.entity_passages.len() + self.meta.relations + self.meta.links
    }

    /// The two passages of a link.
    pub fn linked(&self, link: u32) -> [u32; 2] {
        [
            self.link_sources[link as usize],
            self.link_targets[link as usize],
        ]
    }

    /// The entities of a community.
    pub fn members(&self, community: u32) -> &[u32] {
        &self.members[range(&self.member_ends, community as usize)]
    }

    /// Source and target of a relation.
    pub fn ends(&self, relation: u32) -> [u32; 2] {
        [
            self.sources[relation as usize],
            self.targets[relation as usize],
        ]
    }

    /// The system and the generation of its files.
    pub fn made_by(&self) -> String {
        format!("{} ({})", self.meta.system, self.meta.generation)
    }

    /// A relation in words: its label, or else its description.
    pub fn said(&self, relation: u32) -> &str {
        match self.labels.get(relation as usize) {
            "" => self.texts.get(relation as usize),
            label => label,
        }
    }
}

impl Layer for GivenLayer {
    const NAME: &'static str = GivenLayer::LABEL;
    const VERSION: u32 = 2;

    fn columns<'a>(&'a self, each: Each<'_, 'a>) {
        self.write("", each);
    }

    fn open(columns: &Columns) -> Result<GivenLayer, IndexError> {
        let meta: Meta = columns.json("meta")?;
        let Some(identity) = meta.identity.clone() else {
            return Err(IndexError::NoVectors {
                layer: GivenLayer::NAME,
            });
        };
        GivenLayer::read(columns, "", meta, &identity)
    }
}
