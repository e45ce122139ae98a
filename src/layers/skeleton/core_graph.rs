//! The skeleton graph: names and relations of the core units, merged by name (KET-RAG, 3.2.4).

use super::extract::{Extracted, GraphText, extract_graph, told};
use super::merge::{Merge, Merged};
use super::neighbours::KnnGraph;
use super::options::{Core, KetBuild};
use super::rows;
use super::units::{Piece, Units, rows as offsets};
use crate::column::{Column, Strings};
use crate::embed::{Identity, Vectors};
use crate::index::layer::columns;
use crate::index::sentences::titled;
use crate::index::{Dense, EntityGraph, Index, IndexError};
use crate::llm::task::{self, ExtractGraph, ExtractInput};
use crate::llm::{Estimate, Llm, Origin, Shares};
use crate::text::summarize::Idf;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_128;

columns! {
    /// Names, relations and the units they were found in.
    pub struct Skeleton(columns, core: Core, of: usize, identity: &Identity) {
        pub core: Core { core };
        /// As first written, in order of first appearance.
        pub names: Strings = "entity.name";
        pub descriptions: Strings = "entity.description" [names.len()];
        /// Of "name: description".
        pub vectors: Vectors = "entity.vector" by identity, "scale" [names.len()];
        /// Tokens of its row in the context.
        pub entity_tokens: Column<u32> = "entity.tokens" [names.len()];
        /// Relations of entity e: `relations[relation_offsets[e]..relation_offsets[e+1]]`, ascending.
        relation_offsets: Column<u32> = "entity.relation_offsets" [names.len() + 1] => offsets(relations.len());
        relations: Column<u32> = "entity.relations" [2 * source.len()] => below(source.len());
        /// Units of entity e, ascending; and how many of its relations were found in each.
        unit_offsets: Column<u32> = "entity.unit_offsets" [names.len() + 1] => offsets(units.len());
        units: Column<u32> = "entity.units" => below(of);
        unit_relations: Column<u32> = "entity.unit_relations" [units.len()];
        /// Entities of unit u, ascending.
        entity_offsets: Column<u32> = "unit.entity_offsets" [of + 1] => offsets(entities.len());
        entities: Column<u32> = "unit.entities" => below(names.len());
        pub source: Column<u32> = "relation.source" => below(names.len());
        pub target: Column<u32> = "relation.target" [source.len()] => below(names.len());
        pub relation_descriptions: Strings = "relation.description" [source.len()];
        /// Sum of strengths.
        pub weight: Column<f32> = "relation.weight" [source.len()] => finite();
        pub relation_tokens: Column<u32> = "relation.tokens" [source.len()];
    }
}

/// The row of an entity in the context.
pub fn entity_row(name: &str, description: &str, degree: usize) -> String {
    format!("{name}|{description}|{degree}")
}

/// The row of a relation in the context.
pub fn relation_row(source: &str, target: &str, description: &str, weight: f32) -> String {
    format!("{source}|{target}|{description}|{weight}")
}

/// What skeletons are built from.
pub struct Sources<'a> {
    pub index: &'a Index,
    pub dense: &'a Dense,
    pub units: &'a Units,
    pub knn: &'a KnnGraph,
    pub idf: &'a Idf,
    /// l: what is read at once.
    pub chunk_tokens: usize,
    /// Who extracts and merges.
    pub llm: &'a Llm,
}

/// Who made names and relations, and who merged long descriptions.
#[derive(Debug, Default)]
pub struct MadeBy {
    pub extracted: Shares,
    pub merged: Shares,
}

impl Sources<'_> {
    /// What each stretch tells, by a model where one is named, and counts who said it.
    fn told(
        &self,
        inputs: &[GraphText],
        cooc: bool,
        made: &mut Shares,
        progress: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Extracted>, IndexError> {
        let by_rules = |input: &GraphText| extract_graph(input, self.idf, cooc);
        if !self.llm.thinks() {
            return Ok(inputs.par_iter().map(by_rules).collect());
        }
        let asked: Vec<ExtractInput> = inputs.iter().map(GraphText::asked).collect();
        // The rules' own result says more than the task's output: they run below, where it is kept.
        let nothing = |_: &ExtractInput| task::Extracted::default();
        let answers = (self.llm)
            .items::<ExtractGraph>(&asked, &crate::llm::any, nothing, progress)
            .map_err(|_| IndexError::Cancelled)?;
        answers.iter().for_each(|answer| made.count(answer));
        let pairs = inputs.par_iter().zip(&answers);
        Ok(pairs
            .map(|(input, answer)| match answer.origin {
                Origin::Llm { .. } => told(input, &answer.value),
                _ => by_rules(input),
            })
            .collect())
    }
}

/// Stretches whose extractions lie in memory at once.
const BATCH: usize = 1024;

/// The text that stands for an entity in vector search.
fn entity_text(name: &str, description: &str) -> String {
    format!("{name}: {description}")
}

/// Vectors of all entities. Texts that another skeleton has too take its rows.
fn encode(
    dense: &Dense,
    merged: &Merged,
    other: Option<&Skeleton>,
    progress: &dyn Fn(usize) -> bool,
) -> Result<Vectors, IndexError> {
    let texts = merged
        .entities
        .iter()
        .map(|e| entity_text(&e.name, &e.description));
    let Some(other) = other else {
        return Ok(rows::encode(dense, &texts.collect::<Vec<_>>(), progress)?);
    };
    let known: FxHashMap<u128, u32> = (0..other.len())
        .map(|e| {
            let text = entity_text(other.names.get(e), other.descriptions.get(e));
            (xxh3_128(text.as_bytes()), e as u32)
        })
        .collect();
    let mut fresh: Vec<String> = Vec::new();
    let pick: Vec<(bool, u32)> = texts
        .map(|text| match known.get(&xxh3_128(text.as_bytes())) {
            Some(row) => (true, *row),
            None => {
                fresh.push(text);
                (false, fresh.len() as u32 - 1)
            }
        })
        .collect();
    let encoded = rows::encode(dense, &fresh, progress)?;
    let identity = dense.vectors.identity();
    Ok(rows::merge(identity, &other.vectors, &encoded, &pick)?)
}

/// Runs of core units of one document, in order, of at most `most` tokens (at least one unit): what is read at once.
/// A run goes on across a gap and ends with its document.
pub fn groups(units: &Units, core: impl Fn(u32) -> bool, most: usize) -> Vec<Vec<u32>> {
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut tokens = 0;
    for unit in (0..units.len() as u32).filter(|u| core(*u)) {
        let own = units.tokens(unit);
        let open = found.last_mut().filter(|run| {
            let same = run
                .last()
                .is_some_and(|last| units.document(*last) == units.document(unit));
            same && tokens + own <= most
        });
        match open {
            Some(run) => {
                run.push(unit);
                tokens += own;
            }
            None => {
                found.push(vec![unit]);
                tokens = own;
            }
        }
    }
    found
}

/// The text of a run with its names. Slices that follow or overlap each other in a passage become one stretch again.
fn stretch(index: &Index, graph: &EntityGraph, units: &Units, run: &[u32]) -> GraphText {
    let passages = index.passages();
    let mut pieces: Vec<Piece> = Vec::new();
    for piece in run.iter().flat_map(|u| units.pieces(*u)) {
        if let Some(last) = pieces.last_mut().filter(|l| l.passage == piece.passage) {
            let gap = Piece {
                passage: piece.passage,
                start: last.end,
                end: piece.start,
            };
            if gap.text(passages).trim().is_empty() {
                last.end = last.end.max(piece.end);
                continue;
            }
        }
        pieces.push(piece);
    }
    let mut input = GraphText {
        text: String::new(),
        titles: Vec::new(),
        names: Vec::new(),
    };
    for piece in pieces {
        if !input.text.is_empty() {
            input.text.push_str("\n\n");
        }
        let at = input.text.len();
        let heading = index.heading(piece.passage);
        input.titles.push((at, heading.into_owned()));
        input.text.push_str(&piece.text(passages));
        let mut found: Vec<_> = graph
            .occurrences_in(piece.passage, piece.start as usize..piece.end as usize)
            .collect();
        found.sort_by_key(|o| (o.start, std::cmp::Reverse(o.end)));
        for o in found {
            let start = at + (o.start - piece.start) as usize;
            let end = at + (o.end - piece.start) as usize;
            if input.names.last().is_none_or(|n| n.0.end <= start) {
                let name = graph.labels.get(o.entity as usize).to_owned();
                input.names.push((start..end, name));
            }
        }
    }
    input
}

impl Skeleton {
    /// Reads the units of every core and merges what they tell: one skeleton a core. A stretch that several cores share
    /// is read once, and a text that several skeletons share is encoded once. `progress` hears of stretches read.
    ///
    /// # Errors
    /// Cancelled, or what the encoder says.
    pub fn build_all(
        from: &Sources<'_>,
        cores: &[Core],
        options: &KetBuild,
        progress: &dyn Fn(usize, usize) -> bool,
    ) -> Result<(Vec<Skeleton>, MadeBy), IndexError> {
        let graph = titled(from.index)?;
        // Runs in order, and which cores have each.
        let mut wanted: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (at, core) in cores.iter().enumerate() {
            let member = |unit: u32| from.knn.is_core(unit, core);
            for run in groups(from.units, member, from.chunk_tokens) {
                wanted.entry(run).or_default().push(at);
            }
        }
        let wanted: Vec<(Vec<u32>, Vec<usize>)> = wanted.into_iter().collect();
        let text = |run: &[u32]| stretch(from.index, &graph, from.units, run);
        if from.llm.thinks() {
            let mut estimate = Estimate::default();
            for runs in wanted.chunks(BATCH) {
                let inputs: Vec<_> = runs.iter().map(|(run, _)| text(run).asked()).collect();
                estimate += from.llm.estimate::<ExtractGraph>(&inputs);
            }
            from.llm.announce::<ExtractGraph>(&estimate);
        }
        let mut made = MadeBy::default();
        let mut merges: Vec<Merge> = cores.iter().map(|_| Merge::default()).collect();
        for (batch, runs) in wanted.chunks(BATCH).enumerate() {
            let inputs: Vec<GraphText> = runs.par_iter().map(|(run, _)| text(run)).collect();
            let go_on = |done| progress(batch * BATCH + done, wanted.len());
            let told = from.told(&inputs, options.cooc, &mut made.extracted, &go_on)?;
            for ((run, cores), told) in runs.iter().zip(told) {
                for core in cores {
                    merges[*core].take(run, &told);
                }
            }
            if !progress((batch * BATCH + runs.len()).min(wanted.len()), wanted.len()) {
                return Err(IndexError::Cancelled);
            }
        }
        drop(wanted);
        let go_on = |_: usize| progress(0, 1);
        let mut built: Vec<Skeleton> = Vec::with_capacity(cores.len());
        for (core, mut merge) in cores.iter().zip(merges) {
            if options.pmi {
                merge.weigh_by_information();
            }
            let merged = merge
                .finish_by(from.idf, from.llm, &mut made.merged, &go_on)
                .map_err(|_| IndexError::Cancelled)?;
            let vectors = encode(from.dense, &merged, built.first(), &go_on)?;
            built.push(Skeleton::into_columns(
                *core,
                from.units.len(),
                merged,
                vectors,
            ));
        }
        Ok((built, made))
    }

    /// Merged names and relations as columns.
    pub fn into_columns(core: Core, units: usize, merged: Merged, vectors: Vectors) -> Skeleton {
        let Merged {
            entities,
            relations,
        } = merged;
        let mut of_entity: Vec<Vec<u32>> = vec![Vec::new(); entities.len()];
        for (r, relation) in (0u32..).zip(&relations) {
            of_entity[relation.source as usize].push(r);
            of_entity[relation.target as usize].push(r);
        }
        let degree = |e: usize| of_entity[e].len();
        let mut of_unit: Vec<Vec<u32>> = vec![Vec::new(); units];
        let mut counts: Vec<Vec<u32>> = Vec::with_capacity(entities.len());
        for (e, entity) in entities.iter().enumerate() {
            let mut found = vec![0; entity.units.len()];
            for r in &of_entity[e] {
                for unit in &relations[*r as usize].units {
                    if let Ok(at) = entity.units.binary_search(unit) {
                        found[at] += 1;
                    }
                }
            }
            counts.push(found);
            for unit in &entity.units {
                of_unit[*unit as usize].push(e as u32);
            }
        }
        let tokens = |row: &str| crate::text::chunks::count(row) as u32;
        let entity_tokens: Vec<u32> = entities
            .par_iter()
            .enumerate()
            .map(|(e, entity)| tokens(&entity_row(&entity.name, &entity.description, degree(e))))
            .collect();
        let relation_tokens: Vec<u32> = relations
            .par_iter()
            .map(|r| {
                let name = |e: u32| &*entities[e as usize].name;
                tokens(&relation_row(
                    name(r.source),
                    name(r.target),
                    &r.description,
                    r.weight as f32,
                ))
            })
            .collect();
        let (relation_offsets, relations_of) = offsets(of_entity);
        let (_, unit_relations) = offsets(counts);
        let (entity_offsets, entities_of) = offsets(of_unit);
        let (unit_offsets, units_of) = offsets(entities.iter().map(|e| e.units.clone()).collect());
        let values = |of: fn(&super::merge::MergedRelation) -> u32| -> Column<u32> {
            relations.iter().map(of).collect::<Vec<u32>>().into()
        };
        let weight: Vec<f32> = relations.iter().map(|r| r.weight as f32).collect();
        Skeleton {
            core,
            names: entities.iter().map(|e| &e.name).collect(),
            descriptions: entities.iter().map(|e| &e.description).collect(),
            vectors,
            entity_tokens: entity_tokens.into(),
            relation_offsets: relation_offsets.into(),
            relations: relations_of.into(),
            unit_offsets: unit_offsets.into(),
            units: units_of.into(),
            unit_relations: unit_relations.into(),
            entity_offsets: entity_offsets.into(),
            entities: entities_of.into(),
            source: values(|r| r.source),
            target: values(|r| r.target),
            relation_descriptions: relations.iter().map(|r| &r.description).collect(),
            weight: weight.into(),
            relation_tokens: relation_tokens.into(),
        }
    }

    /// Number of entities.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub fn relation_count(&self) -> usize {
        self.source.len()
    }

    pub fn relations(&self, entity: u32) -> &[u32] {
        row(&self.relation_offsets, &self.relations, entity)
    }

    /// Distinct neighbours: relations are merged by their two ends.
    pub fn degree(&self, entity: u32) -> usize {
        self.relations(entity).len()
    }

    /// degree(source) + degree(target).
    pub fn rank(&self, relation: u32) -> usize {
        let ends = [&self.source, &self.target];
        ends.map(|c| self.degree(c[relation as usize])).iter().sum()
    }

    /// Units an entity is linked to, and how many of its relations each holds.
    pub fn units(&self, entity: u32) -> (&[u32], &[u32]) {
        let units = row(&self.unit_offsets, &self.units, entity);
        (units, row(&self.unit_offsets, &self.unit_relations, entity))
    }

    /// Entities linked to a unit.
    pub fn entities(&self, unit: u32) -> &[u32] {
        row(&self.entity_offsets, &self.entities, unit)
    }

    pub fn entity_row(&self, entity: u32) -> String {
        let e = entity as usize;
        entity_row(
            self.names.get(e),
            self.descriptions.get(e),
            self.degree(entity),
        )
    }

    pub fn relation_row(&self, relation: u32) -> String {
        let r = relation as usize;
        relation_row(
            self.names.get(self.source[r] as usize),
            self.names.get(self.target[r] as usize),
            self.relation_descriptions.get(r),
            self.weight[r],
        )
    }
}

fn row<'a>(offsets: &[u32], values: &'a [u32], at: u32) -> &'a [u32] {
    let at = at as usize;
    &values[offsets[at] as usize..offsets[at + 1] as usize]
}
