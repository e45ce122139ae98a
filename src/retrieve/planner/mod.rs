//! SPARK's planner: a question's parts to a plan of closed operators, and running one.
//!
//! | file | what lives there |
//! |---|---|
//! | `plan`, `grammar`, `display` | the operators, what plans may be, a plan as a query |
//! | `path`, `template` | the planner without a model |
//! | `run`, `cut`, `score` | running a plan: sets, the gap cut, the fused score |

mod cut;
pub(crate) mod display;
mod grammar;
mod path;
pub(crate) mod plan;
pub(crate) mod run;
pub(crate) mod score;
pub(crate) mod template;

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
