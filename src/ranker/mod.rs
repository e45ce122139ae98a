//! An order that is learned and still opens into parts: features of candidates, step functions over them, and how these
//! are boosted.
//!
//! | file | what lives there |
//! |---|---|
//! | `feature` | the features, each declared once |
//! | `candidates` | the candidates of a question, what they say of each other, and the features' values |
//! | `model` | the two passes of a ranker, and its file |
//! | `train` | LambdaMART on stumps |
//! | `confidence` | how probably the first of the order hold what a question needs |
//! | `recipe` | from questions with known answers to a ranker |
//! | `logistic` | the logistic rule that fits outcomes best |

mod candidates;
mod confidence;
mod feature;
mod logistic;
mod model;
mod recipe;
mod train;

pub use candidates::{Because, Candidates, Naming, PARTS, Sharing, Table, WORDS};
pub use confidence::{Assured, DEPTH, Sign, Signs, Weighed, signs};
pub use feature::{Feature, Group};
pub use logistic::probability;
pub use model::{Additive, CANDIDATES, Calibration, FORMAT, Model, Ordered, Steps, Tuned};
pub use recipe::{
    CLEAR, Example, Recipe, few, folds, further, guard, guarded, order, places, rounded, standing,
    taken, totals,
};
pub use train::{Boosting, Rows, boost};
