//! SPARK's planner: a question's parts to a plan of closed operators, and running one.
//!
//! | file | what lives there |
//! |---|---|
//! | `plan`, `grammar`, `display` | the operators, what plans may be, a plan as a query |
//! | `path`, `template` | the planner without a model |
//! | `run`, `cut`, `score` | running a plan: sets, the gap cut, the fused score |

mod cut;
pub mod display;
mod grammar;
mod path;
pub mod plan;
pub mod run;
pub mod score;
pub mod template;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_planner;
#[cfg(test)]
mod tests_story;
#[cfg(test)]
mod tests_whole;
