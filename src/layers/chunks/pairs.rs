//! Candidate pairs of units with every metric, and which of them a view takes for edges (SAGE, edges).
//!
//! No pair is dropped at build: thresholds are percentiles of the stored metrics, which lie sorted beside them, so that
//! percentile, logic and name edges change in a moment.

use super::subjects::Subjects;
use crate::column::{self, Column};
use crate::index::{Columns, IndexError};
use crate::text::chunking::percentile;
use serde::Serialize;
use sprs::TriMatI;
use std::ops::Range;
use std::sync::Arc;

/// What a pair consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    TextText,
    TableTable,
    TextTable,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::TextText, Kind::TableTable, Kind::TextTable];

    pub fn label(self) -> &'static str {
        match self {
            Kind::TextText => "text-text",
            Kind::TableTable => "table-table",
            Kind::TextTable => "text-table",
        }
    }

    /// The similarity metrics of a pair, in the order they are stored.
    pub fn metrics(self) -> &'static [&'static str] {
        match self {
            Kind::TextText => &["topic", "content"],
            Kind::TableTable => &["columns", "title", "description"],
            Kind::TextTable => &["columns", "topic-title", "topic-summary"],
        }
    }
}

pub use crate::parameters::{EdgeLogic, EntityEdges};

/// Which candidate pairs are edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeRule {
    /// Threshold of every metric: its percentile over the candidate pairs of the kind.
    pub percentile: f64,
    pub logic: EdgeLogic,
    /// What names make of two units.
    pub names: EntityEdges,
    /// Whether names match by the published fuzzy rule, else by normal form.
    pub fuzzy: bool,
    /// Whether units of one source are edges, and units of linked sources.
    pub sources: bool,
    pub links: bool,
}

/// An edge rule with its thresholds looked up.
pub struct Thresholds {
    pub rule: EdgeRule,
    /// By kind.
    pub bars: [Bars; 3],
    /// Empty where subjects make no edges.
    pub subjects: Arc<Subjects>,
}

/// The thresholds of one kind of pairs; infinite where there are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bars {
    pub metrics: [f64; 3],
    /// Names shared.
    pub names: f64,
}

/// What a pair passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Bit m: metric m is above its threshold.
    pub metrics: u8,
    /// The metrics make an edge by the rule's logic.
    pub similar: bool,
    /// Shared names make an edge.
    pub named: bool,
}

impl Passed {
    pub fn edge(self) -> bool {
        self.similar || self.named
    }
}

/// The candidate pairs of one kind, by their first unit: the lower one, or the text of a text and a table.
#[derive(Default)]
pub struct Pairs {
    /// Second units of unit u's pairs: `targets[ends[u-1]..ends[u]]`, ascending.
    pub ends: Column<u32>,
    pub targets: Column<u32>,
    /// Numbers of the pairs whose second unit is u: `back[back_ends[u-1]..back_ends[u]]`, ascending.
    pub back_ends: Column<u32>,
    pub back: Column<u32>,
    /// By metric: cosines, by pair.
    pub metrics: Vec<Column<f32>>,
    /// By metric: the same, ascending.
    pub sorted: Vec<Column<f32>>,
    /// Names shared by normal form and by the fuzzy rule, at most 255.
    pub exact: Column<u8>,
    pub fuzzy: Column<u8>,
}

/// The measures of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    pub metrics: [f32; 3],
    pub exact: u8,
    pub fuzzy: u8,
}

impl Pairs {
    /// From pairs in ascending order and their measures.
    pub fn new(kind: Kind, units: usize, pairs: &[(u32, u32)], measured: &[Measured]) -> Pairs {
        let (first, second) = pairs.iter().copied().unzip();
        let numbers = (0..pairs.len() as u32).collect();
        let square = TriMatI::<u32, u32>::from_triplets((units, units), first, second, numbers);
        let (ends, targets, _) = square.to_csr::<u32>().into_raw_storage();
        let (back_ends, _, back) = square.to_csc::<u32>().into_raw_storage();
        let columns = 0..kind.metrics().len();
        let metrics: Vec<Vec<f32>> = columns
            .map(|m| measured.iter().map(|pair| pair.metrics[m]).collect())
            .collect();
        let sorted = metrics.iter().map(|values| {
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f32::total_cmp);
            sorted.into()
        });
        Pairs {
            targets: targets.into(),
            ends: ends[1..].to_vec().into(),
            back_ends: back_ends[1..].to_vec().into(),
            back: back.into(),
            sorted: sorted.collect(),
            metrics: metrics.into_iter().map(Column::from).collect(),
            exact: measured.iter().map(|p| p.exact).collect::<Vec<_>>().into(),
            fuzzy: measured.iter().map(|p| p.fuzzy).collect::<Vec<_>>().into(),
        }
    }

    pub fn len(&self) -> usize {
        self.targets.len()
    }

    fn span(ends: &[u32], unit: u32) -> Range<usize> {
        let end = |at: usize| ends.get(at).map_or(0, |&e| e as usize);
        (unit as usize).checked_sub(1).map_or(0, end)..end(unit as usize)
    }

    /// Every pair of a unit: its number and the other unit.
    pub fn of(&self, unit: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let own = Self::span(&self.ends, unit);
        let back = Self::span(&self.back_ends, unit);
        let forth = own.map(|pair| (pair as u32, self.targets[pair]));
        forth.chain(self.back[back].iter().map(|&pair| (pair, self.first(pair))))
    }

    /// The first unit of a pair.
    fn first(&self, pair: u32) -> u32 {
        self.ends.partition_point(|&end| end <= pair) as u32
    }

    /// The number of a pair, first unit first.
    pub fn find(&self, first: u32, second: u32) -> Option<u32> {
        let span = Self::span(&self.ends, first);
        let row = self.targets.get(span.clone())?;
        let at = row.binary_search(&second).ok()?;
        Some((span.start + at) as u32)
    }

    /// The metrics of a pair.
    pub fn values(&self, pair: u32) -> impl Iterator<Item = f32> + '_ {
        self.metrics.iter().map(move |values| values[pair as usize])
    }

    /// Names that the pair shares.
    pub fn names(&self, pair: u32, fuzzy: bool) -> u8 {
        if fuzzy {
            self.fuzzy[pair as usize]
        } else {
            self.exact[pair as usize]
        }
    }

    /// Whether a pair is an edge, and by what. `bars` are those of its kind.
    pub fn passed(&self, pair: u32, bars: &Bars, rule: &EdgeRule) -> Passed {
        let mut metrics = 0;
        for (m, value) in self.values(pair).enumerate() {
            metrics |= u8::from(f64::from(value) > bars.metrics[m]) << m;
        }
        let all = (1 << self.metrics.len()) - 1;
        let named = match rule.names {
            EntityEdges::Off | EntityEdges::Subject => false,
            EntityEdges::Shared | EntityEdges::Percentile => {
                f64::from(self.names(pair, rule.fuzzy)) > bars.names
            }
        };
        let metric = rule.names == EntityEdges::Percentile;
        match rule.logic {
            EdgeLogic::Or => Passed {
                metrics,
                similar: metrics != 0,
                named,
            },
            EdgeLogic::And => Passed {
                metrics,
                similar: metrics == all && (named || !metric),
                named: named && !metric,
            },
        }
    }

    /// The thresholds of a rule.
    pub fn bars(&self, rule: &EdgeRule) -> Bars {
        let mut metrics = [f64::INFINITY; 3];
        for (bar, sorted) in metrics.iter_mut().zip(&self.sorted) {
            *bar = percentile(sorted, rule.percentile).unwrap_or(f64::INFINITY);
        }
        let names = match rule.names {
            EntityEdges::Percentile => {
                let counts = (0..self.len() as u32).map(|p| f32::from(self.names(p, rule.fuzzy)));
                let mut counts: Vec<f32> = counts.collect();
                counts.sort_unstable_by(f32::total_cmp);
                percentile(&counts, rule.percentile).unwrap_or(f64::INFINITY)
            }
            _ => 0.0,
        };
        Bars { metrics, names }
    }

    /// The percentile that a value of a metric has: at any lower one the value is above the threshold.
    pub fn percentile_of(&self, metric: usize, value: f32) -> f64 {
        let sorted = &self.sorted[metric];
        let below = sorted.partition_point(|&v| v < value);
        100.0 * below as f64 / (sorted.len().max(2) - 1) as f64
    }

    /// The percentile below which the metrics of a pair make it an edge.
    pub fn needed(&self, pair: u32, logic: EdgeLogic) -> f64 {
        let each = (self.values(pair).enumerate()).map(|(m, value)| self.percentile_of(m, value));
        match logic {
            EdgeLogic::Or => each.fold(0.0, f64::max),
            EdgeLogic::And => each.fold(100.0, f64::min),
        }
    }

    /// Every column, by name under a prefix.
    pub fn columns<'a>(&'a self, kind: Kind, each: &mut dyn FnMut(&str, &'a [u8])) {
        let mut put =
            |name: &str, bytes: &'a [u8]| each(&format!("{}.{name}", kind.label()), bytes);
        put("ends", self.ends.bytes());
        put("targets", self.targets.bytes());
        put("back.ends", self.back_ends.bytes());
        put("back", self.back.bytes());
        put("names.exact", self.exact.bytes());
        put("names.fuzzy", self.fuzzy.bytes());
        for (m, name) in kind.metrics().iter().enumerate() {
            put(&format!("metric.{name}"), self.metrics[m].bytes());
            put(&format!("sorted.{name}"), self.sorted[m].bytes());
        }
    }

    /// # Errors
    /// Columns that are missing or do not fit each other.
    pub fn open(kind: Kind, units: usize, columns: &Columns) -> Result<Pairs, IndexError> {
        let name = |name: &str| format!("{}.{name}", kind.label());
        let metric = |prefix: &str| -> Result<Vec<Column<f32>>, IndexError> {
            let names = kind.metrics().iter();
            names
                .map(|m| columns.column(&name(&format!("{prefix}.{m}"))))
                .collect()
        };
        let pairs = Pairs {
            ends: columns.column(&name("ends"))?,
            targets: columns.column(&name("targets"))?,
            back_ends: columns.column(&name("back.ends"))?,
            back: columns.column(&name("back"))?,
            exact: columns.column(&name("names.exact"))?,
            fuzzy: columns.column(&name("names.fuzzy"))?,
            metrics: metric("metric")?,
            sorted: metric("sorted")?,
        };
        let count = pairs.targets.len();
        let fits = [
            ("ends", pairs.ends.len(), units),
            ("back.ends", pairs.back_ends.len(), units),
            ("back", pairs.back.len(), count),
            ("names.exact", pairs.exact.len(), count),
            ("names.fuzzy", pairs.fuzzy.len(), count),
        ];
        for (column, found, expected) in fits {
            columns.length(&name(column), found, expected)?;
        }
        for (m, metric) in kind.metrics().iter().enumerate() {
            columns.length(
                &name(&format!("metric.{metric}")),
                pairs.metrics[m].len(),
                count,
            )?;
            columns.length(
                &name(&format!("sorted.{metric}")),
                pairs.sorted[m].len(),
                count,
            )?;
            columns.hold([
                (
                    &name(&format!("metric.{metric}")),
                    column::finite(&pairs.metrics[m]),
                ),
                (
                    &name(&format!("sorted.{metric}")),
                    column::ascending(&pairs.sorted[m]),
                ),
            ])?;
        }
        columns.hold([
            (&name("ends"), column::ends(&pairs.ends, count)),
            (&name("targets"), column::below(&pairs.targets, units)),
            (&name("back.ends"), column::ends(&pairs.back_ends, count)),
            (&name("back"), column::below(&pairs.back, count)),
        ])?;
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(topic: f32, content: f32, exact: u8, fuzzy: u8) -> Measured {
        Measured {
            metrics: [topic, content, 0.0],
            exact,
            fuzzy,
        }
    }

    /// Five pairs of four texts; topic .1 .2 .3 .4 .5, content the other way round but for the last.
    fn pairs() -> Pairs {
        let units = [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)];
        let values = [
            measured(0.1, 0.5, 0, 0),
            measured(0.2, 0.4, 0, 1),
            measured(0.3, 0.3, 2, 2),
            measured(0.4, 0.2, 0, 0),
            measured(0.5, 0.5, 0, 0),
        ];
        Pairs::new(Kind::TextText, 4, &units, &values)
    }

    fn rule(percentile: f64, logic: EdgeLogic, names: EntityEdges, fuzzy: bool) -> EdgeRule {
        EdgeRule {
            percentile,
            logic,
            names,
            fuzzy,
            sources: false,
            links: false,
        }
    }

    fn kept(
        pairs: &Pairs,
        percentile: f64,
        logic: EdgeLogic,
        names: EntityEdges,
        fuzzy: bool,
    ) -> Vec<u32> {
        let rule = rule(percentile, logic, names, fuzzy);
        let bars = pairs.bars(&rule);
        let edge = |&pair: &u32| pairs.passed(pair, &bars, &rule).edge();
        (0..pairs.len() as u32).filter(edge).collect()
    }

    #[test]
    fn pairs_are_found_from_both_ends() {
        let pairs = pairs();
        assert_eq!(pairs.of(3).collect::<Vec<_>>(), [(1, 0), (3, 1), (4, 2)]);
        assert_eq!(pairs.of(1).collect::<Vec<_>>(), [(2, 2), (3, 3), (0, 0)]);
        assert_eq!(
            (pairs.find(1, 3), pairs.find(3, 1), pairs.find(0, 2)),
            (Some(3), None, None)
        );
        let empty = Pairs::new(Kind::TableTable, 2, &[], &[]);
        assert_eq!(empty.of(1).count(), 0);
        let off = rule(95.0, EdgeLogic::Or, EntityEdges::Off, false);
        assert_eq!(empty.bars(&off).metrics, [f64::INFINITY; 3]);
    }

    #[test]
    fn or_takes_any_metric_and_takes_all() {
        let pairs = pairs();
        // At 75: place 3; topic .4, content sorted .2 .3 .4 .5 .5: .5. Only above counts.
        let bars = pairs.bars(&rule(75.0, EdgeLogic::Or, EntityEdges::Off, false));
        assert!((bars.metrics[0] - 0.4).abs() < 1e-6 && (bars.metrics[1] - 0.5).abs() < 1e-6);
        assert_eq!(
            kept(&pairs, 75.0, EdgeLogic::Or, EntityEdges::Off, false),
            [4]
        );
        assert_eq!(
            kept(&pairs, 75.0, EdgeLogic::And, EntityEdges::Off, false),
            [] as [u32; 0]
        );
        // At 50: topic .3, content .4.
        assert_eq!(
            kept(&pairs, 50.0, EdgeLogic::Or, EntityEdges::Off, false),
            [0, 3, 4]
        );
        assert_eq!(
            kept(&pairs, 50.0, EdgeLogic::And, EntityEdges::Off, false),
            [4]
        );
    }

    #[test]
    fn shared_names_are_edges_besides() {
        let pairs = pairs();
        assert_eq!(
            kept(&pairs, 99.0, EdgeLogic::And, EntityEdges::Shared, false),
            [2]
        );
        assert_eq!(
            kept(&pairs, 99.0, EdgeLogic::And, EntityEdges::Shared, true),
            [1, 2]
        );
        let rule = rule(50.0, EdgeLogic::Or, EntityEdges::Shared, false);
        let passed = pairs.passed(4, &pairs.bars(&rule), &rule);
        assert_eq!(
            (passed.metrics, passed.similar, passed.named),
            (3, true, false)
        );
    }

    #[test]
    fn shared_names_as_one_more_metric() {
        let pairs = pairs();
        let by = |q, logic, fuzzy| kept(&pairs, q, logic, EntityEdges::Percentile, fuzzy);
        // Names in common: 0 0 0 0 2, by the fuzzy rule 0 0 0 1 2; the 75th percentile is 0 and 1.
        assert_eq!(by(75.0, EdgeLogic::Or, false), [2, 4]);
        assert_eq!(by(75.0, EdgeLogic::Or, true), [2, 4]);
        assert_eq!(by(50.0, EdgeLogic::Or, true), [0, 1, 2, 3, 4]);
        // No pair is above all three.
        assert_eq!(by(50.0, EdgeLogic::And, false), [] as [u32; 0]);
        assert_eq!(by(100.0, EdgeLogic::Or, false), [] as [u32; 0]);
    }

    #[test]
    fn the_percentile_needed_is_the_least_that_refuses() {
        let pairs = pairs();
        // Topic .4 is third of 0..4: 75; content .2 is the least.
        assert_eq!(
            (
                pairs.needed(3, EdgeLogic::Or),
                pairs.needed(3, EdgeLogic::And)
            ),
            (75.0, 0.0)
        );
        for pair in 0..5 {
            for logic in [EdgeLogic::Or, EdgeLogic::And] {
                let needed = pairs.needed(pair, logic);
                let edge = |q: f64| kept(&pairs, q, logic, EntityEdges::Off, false).contains(&pair);
                assert!(
                    !edge(needed) && (needed < 1.0 || edge(needed - 0.1)),
                    "{pair} {logic:?} {needed}"
                );
            }
        }
    }
}
