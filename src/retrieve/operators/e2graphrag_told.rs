//! What a run of E2GraphRAG says of a passage: why it is there, and why not.

use super::{
    At, CHUNK_LIMIT, CODE_HOPS, ChunkOrder, E2Graph, EntityChunkGraph, Explanation, HOPS,
    MAX_DF_RATIO, Node, QueryName, rarity,
};
use super::{Dropped, FxHashSet, Norm, Parameter, ScorePart, clip, nearest, plural};
use super::{Edge, SHOWN, Stage, Story};
use super::{FARTHEST, Global, LINE, Mode, Pair, Pairs, Paths, Reason, Scored, Shrunk};
use crate::layers::{Class, Code, Source};
use crate::parameters::Value;
use crate::retrieve::explanation::Fix;
use std::ops::Range;
use std::sync::Arc;

/// A run with what its steps knew.
pub(super) struct Told<'a> {
    at: At<'a>,
    pub layer: Arc<E2Graph>,
    pub graph: &'a EntityChunkGraph,
    pub pairs: &'a Pairs,
    /// Entities of the question that are in too many chunks.
    masked: &'a [Dropped],
    pub shrunk: Option<&'a Shrunk>,
    pub global: Option<&'a Global>,
}

/// The largest values of parameters that are suggested.
const MOST_K: usize = 200;
const MOST_HOPS: usize = 6;
/// Most edges of a stage.
const EDGES: usize = 200;
/// Most names of the question that were overlooked.
const OVERLOOKED: usize = 5;

impl<'a> Told<'a> {
    /// None before the pairs were looked for.
    pub fn of(at: &At<'a>) -> Option<Told<'a>> {
        let (own, pairs) = at.before::<Pairs>()?;
        let graph: &EntityChunkGraph = own.graph().source_as();
        Some(Told {
            at: *at,
            layer: graph.layer.clone(),
            graph,
            pairs,
            masked: &own.set().dropped,
            shrunk: at.before().map(|(_, shrunk)| shrunk),
            global: at.before().map(|(_, global)| global),
        })
    }

    pub fn name(&self, entity: u32) -> &str {
        self.layer.names.get(entity as usize)
    }

    /// The name of an entity of the question by its place.
    pub fn asked(&self, place: usize) -> &str {
        self.name(self.pairs.entities[place].0)
    }

    /// The distance of a pair beyond h.
    pub fn farther(&self, pair: &Pair) -> Option<usize> {
        let [a, b] = [pair.a, pair.b].map(|place| self.pairs.entities[place].0);
        let path = self.layer.graph.path(a, b, FARTHEST, &mut Paths::default());
        Some(path?.len() - 1)
    }

    /// The edges from the entities of the question to the chunks of a stage that have them.
    pub fn occurrences(&self, story: &mut Story, stage: &mut Stage) {
        let source = self.graph;
        for member in self.at.set().members.iter().take(SHOWN) {
            for &(entity, _) in &self.pairs.entities {
                let times = self.layer.occurrences(member.node, entity);
                if times > 0 && stage.edges.len() < EDGES {
                    let from = source.node(entity);
                    stage.edges.push(Edge {
                        from: story.node(&self.at, from),
                        to: story.node(&self.at, member.node),
                        value: f64::from(times),
                        kind: source.edge_name(from, member.node),
                        why: source.evidence(self.at.index, from, member.node),
                    });
                }
            }
        }
    }

    /// The score of what brought a passage, opened.
    pub fn explained(&self, node: Node) -> Explanation {
        match (self.global, self.shrunk) {
            (Some(global), Some(shrunk)) => self.node(global, shrunk.mode, node),
            (None, Some(shrunk)) => {
                let chunk = shrunk.chunks.iter().find(|chunk| chunk.chunk == node);
                chunk.map_or_else(Explanation::default, |chunk| self.chunk(shrunk, chunk))
            }
            _ => Explanation::default(),
        }
    }

    /// What a reader is given.
    pub fn context(&self) -> String {
        let passages = self.at.index.passages();
        let mut pieces: Vec<String> = Vec::new();
        match (self.global, self.shrunk) {
            (None, Some(shrunk)) => {
                for (key, runs) in &shrunk.groups {
                    let names: Vec<&str> = key.iter().map(|&e| self.asked(e)).collect();
                    let texts = runs.iter();
                    let texts = texts.map(|run| self.layer.text(passages, run.clone()));
                    let texts: Vec<String> = texts.collect();
                    pieces.push(format!("{}:\n{}", names.join("-"), texts.join("\n\n")));
                }
            }
            _ => {
                let nodes = self.at.inputs().flat_map(|input| {
                    let members = input.set().members.iter();
                    members.map(|member| member.node).collect::<Vec<Node>>()
                });
                pieces.extend(nodes.map(|node| self.layer.node_text(passages, node)));
            }
        }
        pieces.join("\n\n")
    }

    fn node(&self, global: &Global, mode: Mode, node: Node) -> Explanation {
        let Some(found) = global.candidates.iter().find(|c| c.node == node) else {
            return Explanation::default();
        };
        let leaves = self.layer.leaves(node);
        let below = |&(entity, weight): &(u32, f64)| {
            let own = leaves
                .clone()
                .map(|leaf| self.layer.occurrences(leaf, entity));
            weight * own.map(f64::from).sum::<f64>()
        };
        let mut parts: Vec<ScorePart> = Vec::new();
        let mut counted = String::new();
        if global.counted {
            let own = self.pairs.entities.iter();
            parts.extend(own.map(|entity| {
                ScorePart::new(
                    self.name(entity.0),
                    below(entity),
                    "occurrences in the chunks below",
                )
            }));
            parts.retain(|part| part.value > 0.0);
            counted = format!(", {} occurrences of query entities", found.occurrence);
        } else {
            parts.push(ScorePart::new(
                "cosine",
                f64::from(found.cosine),
                "question and node",
            ));
        }
        let quoted = if self.layer.level(node) > 0 {
            "quoted by "
        } else {
            ""
        };
        let label = self.at.graph().label(self.at.index, node);
        let sentence = format!(
            "{quoted}{label}: cosine {:.3}{counted} ({})",
            found.cosine,
            mode.name()
        );
        opened(parts, &sentence)
    }

    fn chunk(&self, shrunk: &Shrunk, chunk: &Scored) -> Explanation {
        let parts = match shrunk.by {
            ChunkOrder::Coverage => vec![
                ScorePart::new(
                    "coverage",
                    chunk.coverage as f64,
                    "different query entities in the chunk",
                ),
                ScorePart::new(
                    "occurrence",
                    chunk.occurrence_part(),
                    "n / (n + 1) of their occurrences",
                ),
            ],
            ChunkOrder::Rarity => {
                let held = self.pairs.entities.iter();
                let held = held.filter(|e| self.layer.occurrences(chunk.chunk, e.0) > 0);
                let part = |&(entity, weight): &(u32, f64)| {
                    let with = plural(self.layer.chunks_with(entity).0.len(), "chunk");
                    let why = format!("a query entity in {with} of {}", self.layer.chunks());
                    ScorePart::new(self.name(entity), weight * rarity(&self.layer, entity), why)
                };
                let cosine = f64::from(chunk.cosine);
                let cosine = ScorePart::new("cosine", cosine, "question and chunk");
                held.map(part).chain([cosine]).collect()
            }
            ChunkOrder::Groups => {
                let why = "a query entity that led to the chunk; each counts 1";
                chunk
                    .key
                    .iter()
                    .map(|&e| ScorePart::new(self.asked(e), 1.0, why))
                    .collect()
            }
        };
        let own = self.pairs.within(shrunk.h);
        let own = own.filter(|pair| pair.shared.binary_search(&chunk.chunk).is_ok());
        let best = own.min_by_key(|pair| (pair.distance(), pair.a, pair.b));
        let pair = best.map_or_else(String::new, |pair| {
            let path = pair.path.as_deref().unwrap_or_default();
            let inner = path.iter().skip(1).take(path.len().saturating_sub(2));
            let via: Vec<&str> = inner.map(|&entity| self.name(entity)).collect();
            let via = match via.as_slice() {
                [] => String::new(),
                via => format!(" via {}", via.join(", ")),
            };
            let hops = plural(path.len().saturating_sub(1), "hop");
            format!(
                "{} and {}, {hops} apart{via}",
                self.asked(pair.a),
                self.asked(pair.b)
            )
        });
        let (coverage, all) = (chunk.coverage, self.pairs.entities.len());
        let label = self.at.graph().label(self.at.index, chunk.chunk);
        let occurrence = plural(chunk.occurrence, "occurrence");
        let sentence =
            format!("{label} shares {pair}; {coverage} of {all} query entities, {occurrence}");
        opened(parts, &sentence)
    }

    /// What the question did not give.
    pub fn unasked(&self, passage: u32) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let chunks = self.layer.chunks_of(passage);
        let entities = || {
            chunks
                .clone()
                .flat_map(|chunk| self.layer.entities_in(chunk))
        };
        if entities().next().is_none() {
            let text = format!(
                "no name and no noun was found in its {}",
                plural(chunks.len(), "chunk")
            );
            reasons.push(reason(Code::NoEntities, &text));
        }
        let masked = self.masked.iter();
        let masked = masked.filter_map(|d| Some((self.graph.entity(d.node)? as u32, d)));
        for (entity, dropped) in masked.clone().filter(|m| entities().any(|e| *e == m.0)) {
            let with = plural(self.layer.chunks_with(entity).0.len(), "chunk");
            let text = format!(
                "'{}' (in {with} of {}) links the two, but is masked",
                self.name(entity),
                self.layer.chunks()
            );
            let most = self.at.run.settings.get(MAX_DF_RATIO) + dropped.margin;
            let change = MAX_DF_RATIO.at((20.0 * most).ceil() / 20.0);
            let fix = self.at.tried(passage, change);
            reasons.push(reason(Code::DfFiltered, &text).with_fix(fix));
        }
        let linked = self.pairs.entities.iter().map(|e| e.0);
        let linked: FxHashSet<u32> = linked.chain(masked.map(|m| m.0)).collect();
        let padded = |text: &str| format!(" {} ", words(text).join(" "));
        let question = padded(&self.at.run.question);
        let mut overlooked: Vec<&str> = Vec::new();
        for entity in entities().filter(|entity| !linked.contains(entity)) {
            let name = self.name(*entity);
            let form = padded(name);
            let long = form.chars().count() > 4;
            if long && question.contains(&form) && !overlooked.contains(&name) {
                overlooked.push(name);
            }
        }
        if !overlooked.is_empty() {
            overlooked.truncate(OVERLOOKED);
            let text = format!(
                "the question contains {}, which its extraction did not take as this vertex",
                overlooked.join(", ")
            );
            reasons.push(reason(Code::QueryEntityNotExtracted, &text));
        }
        // A common noun that the passage does not have either is no reason, unless nothing else of the question linked.
        let text = words(&self.at.index.passages().full_text(passage as usize));
        let tells = |name: &str| {
            self.pairs.entities.is_empty()
                || name.starts_with(char::is_uppercase)
                || words(name).iter().any(|word| text.contains(word))
        };
        let names = self
            .at
            .before::<Vec<QueryName>>()
            .map_or(&[][..], |(_, names)| names);
        let unknown = names.iter().filter(|name| name.nodes.is_empty());
        for name in unknown.filter(|name| tells(&name.surface)) {
            let near = nearest(&name.surface, self.layer.names.iter());
            let near = near.map_or_else(String::new, |near| format!("; the nearest is '{near}'"));
            let text = format!("'{}' is no vertex{near}", name.surface);
            reasons.push(reason(Code::QueryEntityNotLinked, &text));
        }
        reasons
    }

    fn tried(&self, passage: u32, change: (Parameter, Value), most: usize) -> Option<Fix> {
        let small = |value| matches!(value, Value::Integer(number) if number <= most as i64);
        self.at.tried(passage, change).filter(|_| small(change.1))
    }

    /// Why the shared chunks do not bring a passage.
    pub fn local(&self, shrunk: &Shrunk, passage: u32, reasons: &mut Vec<Reason>) {
        let k = self.at.run.settings.get(CHUNK_LIMIT);
        let chunks = self.layer.chunks_of(passage);
        let inside = |chunk: &u32| chunks.contains(chunk);
        if let Some(at) = shrunk
            .beyond
            .iter()
            .position(|scored| inside(&scored.chunk))
        {
            let (rank, scored) = (k + at + 1, &shrunk.beyond[at]);
            let class = Class::behind(rank, k);
            let text = format!(
                "rank {rank} of {}: coverage {}, occurrence {}",
                shrunk.chunks.len() + shrunk.beyond.len(),
                scored.coverage,
                scored.occurrence
            );
            let fix = self.tried(passage, CHUNK_LIMIT.at(rank), MOST_K);
            reasons.push(reason(Code::CutByK, &text).class(class).with_fix(fix));
            return;
        }
        // The last h at which a chunk of it was in.
        let mut rounds = shrunk.rounds.iter().rev();
        if let Some(round) = rounds.find(|round| self.pairs.shared(round.h).iter().any(inside)) {
            let text = format!(
                "in at h = {} with {}, k is {k}; out since h = {}",
                round.h,
                plural(round.chunks, "chunk"),
                round.h.saturating_sub(1)
            );
            let fix = self.tried(passage, CHUNK_LIMIT.at(round.chunks), MOST_K);
            reasons.push(reason(Code::HReduced, &text).with_fix(fix));
            return;
        }
        self.apart(&chunks, passage, reasons);
    }

    /// No pair of the question's entities brings the passage.
    fn apart(&self, chunks: &Range<u32>, passage: u32, reasons: &mut Vec<Reason>) {
        let entities = &self.pairs.entities;
        let holds = |chunk: u32, place: usize| self.layer.occurrences(chunk, entities[place].0) > 0;
        let both = |pair: &&Pair| {
            let mut chunks = chunks.clone();
            chunks.any(|chunk| holds(chunk, pair.a) && holds(chunk, pair.b))
        };
        let settings = &self.at.run.settings;
        let h = settings.get(HOPS);
        let far = self.pairs.all.iter().filter(|pair| pair.path.is_none());
        let far: Vec<&Pair> = far.filter(both).collect();
        for pair in &far {
            let needed = self
                .farther(pair)
                .map(|d| d + usize::from(settings.get(CODE_HOPS)));
            let said = needed.map_or_else(
                || "no path joins them".to_owned(),
                |h| format!("needs h = {h}"),
            );
            let (a, b) = (self.asked(pair.a), self.asked(pair.b));
            let text = format!("it holds {a} and {b}, farther apart than h = {h}: {said}");
            let fix = needed.and_then(|hops| self.tried(passage, HOPS.at(hops), MOST_HOPS));
            reasons.push(reason(Code::PairTooFar, &text).with_fix(fix));
        }
        if far.is_empty() {
            let all = entities.len();
            let held = (0..all).filter(|&place| chunks.clone().any(|chunk| holds(chunk, place)));
            let held: Vec<&str> = held.map(|place| self.asked(place)).collect();
            let text = match held.as_slice() {
                [] => format!(
                    "it holds none of the {all} query entities; a chunk needs both of a pair"
                ),
                [one] => format!(
                    "it holds {one} alone (coverage 1 of {all}); a chunk needs both of a pair"
                ),
                _ => format!("it holds {}, no two of them in one chunk", held.join(", ")),
            };
            reasons.push(reason(Code::NoSharedChunk, &text));
        }
    }

    /// Why the nodes of the tree do not bring a passage.
    pub fn on_tree(
        &self,
        shrunk: &Shrunk,
        global: &Global,
        passage: u32,
        reasons: &mut Vec<Reason>,
    ) {
        let (entities, k) = (
            self.pairs.entities.len(),
            self.at.run.settings.get(CHUNK_LIMIT),
        );
        let chunks = self.layer.chunks_of(passage);
        // With chunks in reach but pairs too far apart, the pairs are the verdict.
        if shrunk.mode == Mode::GlobalOcc && entities > 1 {
            self.apart(&chunks, passage, reasons);
        }
        let why = match shrunk.mode {
            Mode::GlobalDense => "no query entity is a vertex",
            _ if entities == 1 => "one query entity makes no pair",
            _ => "no chunk holds both of a pair within h",
        };
        let mode = shrunk.mode.name();
        let fallback = reason(
            Code::Fallback,
            &format!("{mode}: {why}, so nodes of the tree are returned"),
        );
        let brings = |node: Node| self.layer.passages(node).contains(&passage);
        let mut candidates = global.candidates.iter().zip(1..);
        match candidates.find(|(candidate, _)| brings(candidate.node)) {
            Some((candidate, rank)) if global.counted && candidate.occurrence == 0.0 => {
                let text = format!("rank {rank} by cosine, but no query entity occurs below it");
                reasons.extend([reason(Code::OccZero, &text), fallback]);
            }
            Some((candidate, rank)) => {
                let occurrence = candidate.occurrence;
                let text = format!(
                    "cosine rank {rank}, occurrence {occurrence}: {k} better nodes are kept"
                );
                let fix = self.tried(passage, CHUNK_LIMIT.at((2 * k).min(MOST_K)), MOST_K);
                let cut = reason(Code::CutByK, &text).class(Class::F6).with_fix(fix);
                reasons.extend([fallback, cut]);
            }
            None => {
                reasons.push(fallback);
                reasons.extend(self.beyond(global, &chunks, passage));
            }
        }
    }

    /// No candidate brings the passage: its place among all nodes.
    fn beyond(&self, global: &Global, chunks: &Range<u32>, passage: u32) -> Option<Reason> {
        let (_, vector) = self.at.context().dense().ok()??;
        let scores = self.layer.vectors.as_ref()?.scores(vector).ok()?;
        let score = |chunk: u32| scores[chunk as usize];
        let best = chunks
            .clone()
            .max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))?;
        let own = score(best);
        let before = (0..)
            .zip(&scores)
            .filter(|&(node, &s)| s > own || (s == own && node < best));
        let rank = 1 + before.count();
        let last = global
            .candidates
            .last()
            .map_or(0.0, |candidate| candidate.cosine);
        let text = format!(
            "its chunk has rank {rank} of {} nodes: cosine {own:.3}, {:.3} short of the last candidate",
            scores.len(),
            last - own
        );
        let fix = self.tried(passage, CHUNK_LIMIT.at(rank), MOST_K);
        Some(reason(Code::CutByK, &text).with_fix(fix))
    }
}

fn opened(parts: Vec<ScorePart>, sentence: &str) -> Explanation {
    Explanation::of(parts, clip(sentence, LINE))
}

fn reason(code: Code, text: &str) -> Reason {
    Reason::new(code, clip(text, LINE))
}

/// Words in lower case.
fn words(text: &str) -> Vec<String> {
    let form = Norm::Simple.apply(text);
    form.split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
