//! Which units name what another is about: the edges of `entity_edges=subject`.
//!
//! SAGE's paper counts the entities that two chunks share, with about one entity a chunk. Rules find eleven, so that a
//! shared one says little. The one a chunk is about is its passage's title, where that is a name. Units of one source are
//! about the same: they are no such edges, `structural_edges` has them.

use super::build::subject;
use super::layer::Sage;
use crate::column::NONE;
use crate::index::Index;
use crate::text::Norm;

/// Most pairs that one name joins: a title that so many units have tells nothing apart.
const MOST: usize = 1 << 16;

/// The subjects of units, and who names them.
#[derive(Default)]
pub struct Subjects {
    /// By unit: the number of the name it is about, or [`NONE`].
    of: Vec<u32>,
    /// Units and those that name their subject or whose subject they name, both ways, ascending, each once.
    arcs: Vec<(u32, u32)>,
}

impl Subjects {
    pub fn new(index: &Index, layer: &Sage) -> Subjects {
        let labels = (0..layer.names.labels.len()).map(|id| layer.names.labels.get(id));
        let forms: Vec<String> = labels.map(|label| Norm::Simple.apply(label)).collect();
        let about = |unit: u32| {
            let form = Norm::Simple.apply(&subject(index, layer.passage[unit as usize])?);
            let mut names = layer.names.of(unit).iter().copied();
            names.find(|&name| forms[name as usize] == form)
        };
        let units = 0..layer.len() as u32;
        let of: Vec<u32> = units.map(|unit| about(unit).unwrap_or(NONE)).collect();
        let mut about: Vec<(u32, u32)> = (0..).zip(&of).map(|(unit, &name)| (name, unit)).collect();
        about.retain(|(name, _)| *name != NONE);
        about.sort_unstable();
        let units = 0..layer.len() as u32;
        let names = |unit| layer.names.of(unit).iter().map(move |&name| (name, unit));
        let mut named: Vec<(u32, u32)> = units.flat_map(names).collect();
        named.sort_unstable();
        let source = |unit: u32| layer.source[unit as usize];
        let mut arcs = Vec::new();
        for about in about.chunk_by(|a, b| a.0 == b.0) {
            let name = about[0].0;
            let first = named.partition_point(|entry| entry.0 < name);
            let after = named.partition_point(|entry| entry.0 <= name);
            if about.len() * (after - first) > MOST {
                continue;
            }
            for &(_, namer) in &named[first..after] {
                let others = about.iter().map(|entry| entry.1);
                let others = others.filter(|&unit| source(unit) != source(namer));
                arcs.extend(others.flat_map(|unit| [(namer, unit), (unit, namer)]));
            }
        }
        arcs.sort_unstable();
        arcs.dedup();
        Subjects { of, arcs }
    }

    /// Whether a unit is about nothing that has a name: a part of a text file, or one without a title.
    pub fn lacks(&self, unit: u32) -> bool {
        self.of.get(unit as usize) == Some(&NONE)
    }

    /// The units that name a unit's subject, and those whose subject it names; ascending.
    pub fn near(&self, unit: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.arcs.partition_point(|arc| arc.0 < unit);
        let own = self.arcs[first..]
            .iter()
            .take_while(move |arc| arc.0 == unit);
        own.map(|arc| arc.1)
    }

    /// The subjects of either of two units that the other names, the first's first.
    pub fn named<'a>(&self, layer: &'a Sage, a: u32, b: u32) -> Vec<&'a str> {
        if self.arcs.binary_search(&(a, b)).is_err() {
            return Vec::new();
        }
        let said = |of: u32, by: u32| {
            let name = *self.of.get(of as usize)?;
            let named = layer.names.of(by).binary_search(&name).is_ok();
            named.then(|| layer.names.labels.get(name as usize))
        };
        let mut found = Vec::from_iter(said(a, b));
        found.extend(said(b, a).filter(|name| !found.contains(name)));
        found
    }
}
