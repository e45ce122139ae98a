//! The panes of the Explore view, one file each with one `render`.

pub mod changes;
pub mod flow;
pub mod header;
pub mod heat;
pub mod hints;
pub mod iterations;
pub mod label;
pub mod lesson;
pub mod line;
pub mod lost;
pub mod methods;
pub mod neighbours;
pub mod parameters;
pub mod passages;
pub mod paths;
pub mod pipeline;
pub mod question;
pub mod questions;
pub mod queue;
pub mod reader;
pub mod row;
pub mod runs;
pub mod seeds;
pub mod session;
pub mod set;
pub mod spread;
pub mod status;
pub mod step;
pub mod sweep;
pub mod why;

use super::layout::Pane;

/// What a pane shows, for the top of its help.
pub fn about(pane: Pane) -> &'static str {
    match pane {
        Pane::Question => "Question: what was asked, and what is known about its answer",
        Pane::Seeds => {
            "Seeds: what the question linked to, in how many passages, and its share of the restart mass"
        }
        Pane::Parameters => "Parameters: every step re-runs; * set here, i as the index was built",
        Pane::Session => "Session: runs so far; Enter takes the settings of one back",
        Pane::Spread => {
            "Spread: mass on names, split by the seed it came from; * next to the selected node, ! a hub"
        }
        Pane::Neighbours => {
            "Neighbours: edges of the selected node, and the mass that crosses each per step"
        }
        Pane::Passages => "Passages: G gold, ~ within .5% of the next, * next to the selected node",
        Pane::Why => "Why: the score opened into parts that add up, and the ways it came",
        Pane::Iterations => {
            "Iterations: gold ranks and mass after each step; stepping back changes Spread, Neighbours and Passages"
        }
        Pane::Runs => {
            "Runs: the pinned ones and the live one; lines join the places of one passage"
        }
        Pane::Changes => {
            "Changes: what the live run has other than A, and what each change alone does to this question"
        }
        Pane::Flow => {
            "Flow: score on its way into the passages; what is selected is bright, a band is as thick as its share"
        }
        Pane::Heat => "Heat: mass of the heaviest nodes by step, the most of a row in full shade",
        Pane::Step => "Step: where all mass is, and what moved over which edges",
        Pane::Paths => {
            "Paths: the heaviest ways from seeds to passages; figures on lines are weights, t draws them otherwise"
        }
        Pane::Lost => {
            "Lost: how far gold gets, and why what is lost is lost; Enter lists the questions of a class"
        }
        Pane::Questions => {
            "Questions: the most harmed against A first; Enter opens one, and n then walks this list"
        }
        Pane::Methods => "Methods: each on this question; Enter takes it",
        Pane::Queue => {
            "Queue: lost and doubtful gold; Enter labels a row, Left and Right list one kind"
        }
        Pane::Label => {
            "Label: what you say of the passage; Enter opens the strip, where 0 1 2 are grades"
        }
        Pane::Set => "Set: all questions with gold under A and under the live settings",
        Pane::Reader => {
            "Passage: seeds in their colours, words of the question, names of the graph underlined"
        }
    }
}
