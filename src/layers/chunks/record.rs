//! The record of an edge: every metric with its threshold, what passed, and what the two units have in common.

use super::layer::{Sage, TEXT};
use super::pairs::{Kind, Passed, Thresholds};
use crate::index::Index;
use crate::text::Norm;
use serde::Serialize;

/// Most references of a text to a table.
const REFERENCES: usize = 10;
/// A value must be longer, in characters, to count as a reference.
const SHORT: usize = 2;

/// One metric of a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metric {
    pub name: &'static str,
    pub value: f32,
    pub threshold: f64,
    pub passed: bool,
    /// The percentile of the value: at any lower one it is above the threshold.
    pub percentile: f64,
}

/// Everything known of two units that are neighbours, or might have been.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    pub kind: Kind,
    /// Empty when the pair is no candidate: outside the pool of both.
    pub metrics: Vec<Metric>,
    /// An edge by similarity, by names that both have, by source, by link.
    pub similar: bool,
    pub named: bool,
    pub same_source: bool,
    pub linked: bool,
    pub shared: Vec<String>,
    /// What one is about and the other names, where that makes edges.
    pub subjects: Vec<String>,
    /// Tables: columns of equal name, or of a similarity above the column threshold, most similar first.
    pub joinable: Vec<(String, String)>,
    /// Tables: rows that both have, of all rows that either has.
    pub row_overlap: f64,
    /// Text and table: headers and values of the segment that the text has.
    pub columns: Vec<String>,
    pub values: Vec<String>,
}

impl Record {
    /// The record of two units, in any order.
    pub fn new(layer: &Sage, index: &Index, bars: &Thresholds, a: u32, b: u32) -> Record {
        let kind = layer.kind(a, b);
        let pair = layer.pair(a, b).map(|(_, pair)| pair);
        let passed = pair.map_or(Passed::default(), |pair| {
            layer.passed(kind as usize, pair, [a, b], bars)
        });
        let pairs = &layer.pairs[kind as usize];
        let metrics = pair
            .into_iter()
            .flat_map(|pair| pairs.values(pair).enumerate())
            .map(|(m, value)| Metric {
                name: kind.metrics()[m],
                value,
                threshold: bars.bars[kind as usize].metrics[m],
                passed: passed.metrics & (1 << m) != 0,
                percentile: pairs.percentile_of(m, value),
            });
        let (from, to) = (layer.source[a as usize], layer.source[b as usize]);
        let mut record = Record {
            kind,
            metrics: metrics.collect(),
            similar: passed.similar,
            named: passed.named,
            same_source: bars.rule.sources && from == to,
            linked: bars.rule.links && layer.linked(from).binary_search(&to).is_ok(),
            shared: layer
                .names
                .shared(a, b)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            subjects: (bars.subjects.named(layer, a, b))
                .into_iter()
                .map(str::to_owned)
                .collect(),
            joinable: Vec::new(),
            row_overlap: 0.0,
            columns: Vec::new(),
            values: Vec::new(),
        };
        match kind {
            Kind::TextText => {}
            Kind::TableTable => record.tables(layer, bars, a, b),
            Kind::TextTable if layer.table[a as usize] == TEXT => {
                record.references(layer, index, a, b)
            }
            Kind::TextTable => record.references(layer, index, b, a),
        }
        record
    }

    fn tables(&mut self, layer: &Sage, bars: &Thresholds, a: u32, b: u32) {
        let (first, second) = (layer.table[a as usize], layer.table[b as usize]);
        let bar = bars.bars[Kind::TableTable as usize].metrics[0];
        let mut found: Vec<(f32, &str, &str)> = Vec::new();
        for x in layer.tables.columns(first) {
            let own = layer.tables.headers.get(x);
            let alike = layer.tables.columns(second).map(|y| {
                let other = layer.tables.headers.get(y);
                let equal = Norm::Simple.apply(own) == Norm::Simple.apply(other);
                let cosine = layer.columns.between(x as u32, y as u32);
                (if equal { f32::INFINITY } else { cosine }, own, other)
            });
            let most = alike.fold(None, |most: Option<(f32, &str, &str)>, next| match most {
                Some(most) if most.0 >= next.0 => Some(most),
                _ => Some(next),
            });
            found.extend(most.filter(|m| f64::from(m.0) > bar || m.0 == f32::INFINITY));
        }
        found.sort_by(|x, y| y.0.total_cmp(&x.0));
        self.joinable = found
            .into_iter()
            .map(|(_, x, y)| (x.to_owned(), y.to_owned()))
            .collect();
        let rows = |unit: u32, table: u32| {
            let rows = layer.rows_of(unit).unwrap_or_default();
            let mut forms: Vec<String> = layer
                .tables
                .rows(table, rows)
                .map(|row| Norm::Simple.apply(row))
                .collect();
            forms.sort_unstable();
            forms.dedup();
            forms
        };
        self.row_overlap = jaccard(&rows(a, first), &rows(b, second));
    }

    fn references(&mut self, layer: &Sage, index: &Index, text: u32, segment: u32) {
        let table = layer.table[segment as usize];
        let body = format!(" {} ", Norm::Simple.apply(&layer.content(index, text)));
        let named = |value: &str| {
            let form = Norm::Simple.apply(value);
            form.chars().count() > SHORT && body.contains(&format!(" {form} "))
        };
        let add = |value: &str, to: &mut Vec<String>| {
            if to.len() < REFERENCES && named(value) && !to.iter().any(|known| known == value) {
                to.push(value.to_owned());
            }
        };
        layer
            .tables
            .headers(table)
            .for_each(|header| add(header, &mut self.columns));
        for row in layer
            .tables
            .rows(table, layer.rows_of(segment).unwrap_or_default())
        {
            row.split(super::layer::CELL)
                .for_each(|cell| add(cell, &mut self.values));
        }
    }

    /// The evidence in a few words: what passed with its threshold, names, links, joins, references.
    pub fn evidence(&self) -> String {
        let mut said: Vec<String> = Vec::new();
        if self.same_source {
            said.push("same source".into());
        }
        if self.linked {
            said.push("linked".into());
        }
        let passed = self.metrics.iter().filter(|m| m.passed && self.similar);
        said.extend(passed.map(|m| format!("{} {:.2} > {:.2}", m.name, m.value, m.threshold)));
        if !self.subjects.is_empty() {
            said.push(format!("names the subject {}", some(&self.subjects)));
        }
        if self.named {
            said.push(format!("names {}", some(&self.shared)));
        }
        if !self.joinable.is_empty() {
            let joins: Vec<String> = (self.joinable.iter())
                .map(|(x, y)| {
                    if x == y {
                        x.clone()
                    } else {
                        format!("{x} = {y}")
                    }
                })
                .collect();
            said.push(format!("joins {}", some(&joins)));
        }
        if self.row_overlap > 0.0 {
            said.push(format!("rows {:.2}", self.row_overlap));
        }
        if !self.values.is_empty() {
            said.push(format!("says {}", some(&self.values)));
        }
        clip(&said.join("; "), 160)
    }

    /// The metric that is least below its threshold, in percentiles.
    pub fn nearest(&self) -> Option<&Metric> {
        let worse = |a: &&Metric, b: &&Metric| a.percentile.total_cmp(&b.percentile);
        self.metrics.iter().max_by(worse)
    }
}

/// At most two, and how many more.
fn some(names: &[String]) -> String {
    match names {
        [first, second, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second} and {} more", rest.len())
        }
        names => names.join(", "),
    }
}

pub use crate::text::clip;

/// Of two ascending lists without repeats: how much both have of what either has.
fn jaccard(a: &[String], b: &[String]) -> f64 {
    let both = a.iter().filter(|x| b.binary_search(x).is_ok()).count();
    let either = a.len() + b.len() - both;
    if either == 0 {
        0.0
    } else {
        both as f64 / either as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_common_of_all_rows() {
        let rows = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        assert_eq!(jaccard(&rows(&["a", "b"]), &rows(&["b", "c"])), 1.0 / 3.0);
        assert_eq!(jaccard(&[], &[]), 0.0);
        assert_eq!(some(&rows(&["a", "b", "c", "d"])), "a, b and 2 more");
        assert_eq!(clip("abcdef", 4), "ab..");
    }
}
