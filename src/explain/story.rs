//! What happened, stage by stage: every step of a run tells its own.

use crate::index::Index;
use crate::layers::Code;
use crate::parameters::RESULT_K;
use crate::retrieve::Retrieval;
use crate::retrieve::explanation::{Cut, Story};
use std::sync::Arc;

/// Passages beyond the cut that are told.
const BEYOND: usize = 20;

/// Builds the stages of a run for display. Passages in `always` (the gold) appear in every walk state, however small their
/// mass.
pub fn story(index: &Arc<Index>, retrieval: &Retrieval, always: &[u32]) -> Story {
    let mut story = Story {
        always: always.to_vec(),
        ..Story::default()
    };
    let mut headline = Vec::new();
    let tells = retrieval.settings.method().tells();
    let starts: Vec<usize> = retrieval.starts(index).map(|at| at.step).collect();
    for at in retrieval.steps(index) {
        let first = story.stages.len();
        at.operator().tell(&at, &mut story);
        let record = at.record();
        if let Some(stage) = story.stages.get_mut(first) {
            stage.seconds = Some(record.seconds);
            stage.reused = record.reused;
            if tells && starts.contains(&at.step) {
                story.seeds.extend(stage.nodes.iter().cloned());
            }
        }
        // No walk told its restart and its steps: what started it, and every stage after it is a step.
        if tells && starts.first().is_some_and(|start| *start <= at.step) {
            story.timeline.extend(first..story.stages.len());
        }
        if let Some((name, value)) = at.set().facts.first() {
            let step = at.operator().declaration().name;
            headline.push(match value {
                serde_json::Value::String(text) => format!("{step}: {text}"),
                // A step is often called what it counts.
                number if *name == step => format!("{number} {name}"),
                number => format!("{step}: {number} {name}"),
            });
        }
    }
    story.headline = headline.join(", ");
    let graphs = retrieval.records.iter().filter_map(|r| r.graph.as_ref());
    let mut made = graphs.map(|graph| graph.source().made_by());
    story.made_by = made.find(|by| !by.is_empty()).unwrap_or_default();
    // Of the result, what lies beyond the cut was left out.
    let k = retrieval.settings.get(RESULT_K);
    if let (Some(at), Some(stage)) = (retrieval.last(index), story.stages.last_mut()) {
        let last = retrieval.passages.get(k.saturating_sub(1));
        let last = last.map_or(0.0, |hit| hit.score);
        stage.nodes.truncate(k);
        let mut stage = std::mem::take(stage);
        for hit in retrieval.passages.iter().skip(k).take(BEYOND) {
            stage.cut.push(Cut {
                item: story.passage(&at, hit.passage),
                code: Code::CutByK,
                margin: f64::from(last - hit.score),
            });
        }
        if let Some(place) = story.stages.last_mut() {
            *place = stage;
        }
    }
    story
}
