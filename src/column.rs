//! Flat arrays: owned while building and in memory, borrowed from a map when opened from disk.

use bytemuck::Pod;
use memmap2::Mmap;
use rayon::prelude::*;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A read-only array of plain values. Little-endian on disk; big-endian machines are refused at open. A clone shares them.
#[derive(Clone)]
pub enum Column<T: Pod> {
    Owned(Arc<Vec<T>>),
    /// Checked once at construction: length and alignment fit `T`.
    Mapped(Arc<Mmap>),
}

impl<T: Pod> Column<T> {
    /// Borrows a mapped file.
    ///
    /// # Errors
    /// What does not fit, when the length is no whole number of values.
    pub fn mapped(map: Arc<Mmap>) -> Result<Column<T>, String> {
        match bytemuck::try_cast_slice::<u8, T>(&map) {
            Ok(_) => Ok(Column::Mapped(map)),
            Err(said) => Err(format!(
                "{} bytes are not an array of {}-byte values: {said}",
                map.len(),
                size_of::<T>()
            )),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(self)
    }

    /// The values, for whoever fills them in; none of a column that is mapped or shared.
    pub fn making(&mut self) -> &mut [T] {
        match self {
            Column::Owned(values) => Arc::get_mut(values).map_or(&mut [], |own| own),
            Column::Mapped(_) => &mut [],
        }
    }
}

impl<T: Pod> Deref for Column<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Column::Owned(values) => values,
            Column::Mapped(map) => bytemuck::cast_slice(map),
        }
    }
}

impl<T: Pod> Default for Column<T> {
    fn default() -> Self {
        Column::Owned(Arc::default())
    }
}

impl<T: Pod> From<Vec<T>> for Column<T> {
    fn from(values: Vec<T>) -> Self {
        Column::Owned(Arc::new(values))
    }
}

/// Places of run `i`, where runs lie end to end and each ends at `ends`.
pub fn range<E: Copy + Into<u64>>(ends: &[E], i: usize) -> Range<usize> {
    let start = i.checked_sub(1).map_or(0, |before| ends[before].into());
    start as usize..ends[i].into() as usize
}

/// Stands for nothing in a column of numbers.
pub const NONE: u32 = u32::MAX;

/// What a check of a column found: why the column is damaged. Checks are linear, take all threads, and never panic, so they
/// may run in any order.
pub type Checked = Result<(), String>;

/// Spreads numbers that follow each other.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Values that one thread checks at a time.
const PIECE: usize = 1 << 15;

/// Checks that a column numbers things of which there are `of`.
///
/// # Errors
/// A number that is too large.
pub fn below(numbers: &[u32], of: usize) -> Checked {
    fits(numbers, of, 0)
}

/// As [`below`], where [`NONE`] is allowed too.
///
/// # Errors
/// A number that is too large.
pub fn below_or_none(numbers: &[u32], of: usize) -> Checked {
    fits(numbers, of, 1)
}

/// Numbers are held against the limit with `more` on top: 1 makes 0 of [`NONE`].
fn fits(numbers: &[u32], of: usize, more: u32) -> Checked {
    let most = |piece: &[u32]| {
        let numbers = piece.iter().map(|number| number.wrapping_add(more));
        numbers.fold(0, u32::max)
    };
    match numbers.par_chunks(PIECE).map(most).max() {
        Some(most) if most as usize >= of + more as usize => {
            let number = most - more;
            Err(format!("it names number {number}, and there are {of}"))
        }
        _ => Ok(()),
    }
}

/// Checks that no value is 0.
///
/// # Errors
/// One that is.
pub fn positive(values: &[u16]) -> Checked {
    match values.par_iter().with_min_len(PIECE).all(|v| *v > 0) {
        true => Ok(()),
        false => Err("a value is 0".into()),
    }
}

/// Checks that values ascend; equal ones may follow each other.
///
/// # Errors
/// A value below the one before it.
pub fn ascending<E: Pod + PartialOrd + Sync>(values: &[E]) -> Checked {
    let pieces = values.par_windows(2).with_min_len(PIECE);
    match pieces.all(|pair| pair[0] <= pair[1]) {
        true => Ok(()),
        false => Err("its values do not ascend".into()),
    }
}

/// Checks ends of runs, as [`range`] reads them, over `of` values.
///
/// # Errors
/// Ends that do not ascend, or where the last is not the number of values.
pub fn ends<E: Pod + PartialOrd + Sync + Into<u64>>(ends: &[E], of: usize) -> Checked {
    let last = ends.last().map_or(0, |end| (*end).into());
    if last != of as u64 {
        return Err(format!("its runs end at {last}, and there are {of} values"));
    }
    ascending(ends)
}

/// Checks offsets of rows: a zero, then ends as [`ends`] wants them.
///
/// # Errors
/// No zero at first, or as [`ends`].
pub fn offsets<E: Pod + PartialOrd + Sync + Into<u64>>(offsets: &[E], of: usize) -> Checked {
    match offsets.split_first() {
        Some((first, rest)) if (*first).into() == 0 => ends(rest, of),
        _ => Err("its rows do not begin at 0".into()),
    }
}

/// Checks that the stop of every span is not before its start.
///
/// # Errors
/// A span that stops before it starts.
pub fn spans(stops: &[u32], starts: &[u32]) -> Checked {
    let spans = starts.par_iter().zip(stops).with_min_len(PIECE);
    match spans.all(|(start, stop)| start <= stop) {
        true => Ok(()),
        false => Err("a span stops before it starts".into()),
    }
}

/// Checks that every value is a finite number.
///
/// # Errors
/// One that is not.
pub fn finite<E: Pod + Sync + Into<f64>>(values: &[E]) -> Checked {
    let each = values.par_iter().with_min_len(PIECE);
    match each.all(|v| (*v).into().is_finite()) {
        true => Ok(()),
        false => Err("a value is not finite".into()),
    }
}

/// Checks a symmetric adjacency: row u is `targets[offsets[u]..offsets[u+1]]`, ascending, each once, without u itself, and
/// where v is in row u, u is in row v and `value` is the same of both arcs.
///
/// # Errors
/// Offsets as [`offsets`] refuses them, a target that is no row, a row that does not ascend, an arc without one back.
pub fn symmetric(targets: &[u32], offsets: &[u32], value: impl Fn(usize) -> u32 + Sync) -> Checked {
    self::offsets(offsets, targets.len())?;
    below(targets, offsets.len() - 1)?;
    // Every row has an odd number that looks drawn at random. Arcs up and arcs down have the same sum of both numbers times
    // an odd one of the value if each has its counterpart, and hardly ever if not: never where one arc has none. To look for
    // every counterpart takes a hundred times as long.
    let number = |row: u32| {
        let z = (u64::from(row) + 1).wrapping_mul(SPREAD);
        (z ^ z >> 29).wrapping_mul(SPREAD) | 1
    };
    let row = |(u, ends): (usize, &[u32])| {
        let u = u as u32;
        let (mut up, mut down) = (0_u64, 0_u64);
        let mut before = None;
        let first = ends[0] as usize;
        for (at, &v) in (first..).zip(&targets[first..ends[1] as usize]) {
            if u == v || before.is_some_and(|before| before >= v) {
                return None;
            }
            before = Some(v);
            let arc = number(v).wrapping_mul(u64::from(value(at)) << 1 | 1);
            match u < v {
                true => up = up.wrapping_add(arc),
                false => down = down.wrapping_add(arc),
            }
        }
        Some(number(u).wrapping_mul(up.wrapping_sub(down)))
    };
    let rows = offsets.par_windows(2).enumerate().with_min_len(1 << 10);
    let sum = rows
        .map(row)
        .try_reduce(|| 0, |a, b| Some(a.wrapping_add(b)));
    match sum {
        None => Err("a row does not ascend".into()),
        Some(0) => Ok(()),
        Some(_) => Err("an arc does not go both ways".into()),
    }
}

/// Many strings in one run of bytes: string `i` is `bytes[ends[i-1]..ends[i]]`.
#[derive(Clone, Default)]
pub struct Strings {
    pub ends: Column<u64>,
    pub bytes: Column<u8>,
    /// Where most strings are empty: how many there are in all, and the places of the others.
    placed: Option<(usize, Column<u32>)>,
}

impl Strings {
    /// Strings by where each ends.
    pub fn of(ends: Column<u64>, bytes: Column<u8>) -> Strings {
        let placed = None;
        Strings {
            ends,
            bytes,
            placed,
        }
    }

    pub fn len(&self) -> usize {
        let placed = self.placed.as_ref().map(|(len, _)| *len);
        placed.unwrap_or(self.ends.len())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// String `i`; empty when `i` is past the end.
    pub fn get(&self, i: usize) -> &str {
        match &self.placed {
            None => self.at(i),
            Some((_, places)) => {
                let place = places.binary_search_by(|place| (*place as usize).cmp(&i));
                place.map_or("", |at| self.at(at))
            }
        }
    }

    /// The string that was written as number `i`.
    fn at(&self, i: usize) -> &str {
        let start = if i == 0 {
            0
        } else {
            self.ends.get(i - 1).copied().unwrap_or(0)
        };
        let end = self.ends.get(i).copied().unwrap_or(start);
        let bytes = self
            .bytes
            .get(start as usize..end as usize)
            .unwrap_or_default();
        // Checksums hold what was written, and only text was: this fails on no file that opened.
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// So many, empty but for some, whose places ascend.
    pub fn placed<'a>(len: usize, some: impl Iterator<Item = (u32, &'a str)>) -> Strings {
        let (mut places, mut writing) = (Vec::new(), Writing::default());
        for (place, text) in some {
            places.push(place);
            writing.push(text);
        }
        Strings {
            placed: Some((len, places.into())),
            ..writing.finish()
        }
    }

    /// Their places, by the strings.
    pub fn order(&self) -> Vec<u32> {
        self.order_of((0..self.len() as u32).collect())
    }

    /// Some places, by the strings there.
    pub fn order_of(&self, mut order: Vec<u32>) -> Vec<u32> {
        order.sort_unstable_by(|a, b| self.get(*a as usize).cmp(self.get(*b as usize)));
        order
    }
}

impl<S: AsRef<str>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(items: I) -> Strings {
        let mut writing = Writing::default();
        for item in items {
            writing.push(item.as_ref());
        }
        writing.finish()
    }
}

/// Strings that still come in: end to end from the first on, for millions of small ones would leave memory in pieces.
#[derive(Default)]
pub struct Writing {
    ends: Vec<u64>,
    bytes: Vec<u8>,
}

impl Writing {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.end();
    }

    /// Adds the words of a text with one space between them.
    pub fn push_words(&mut self, text: &str) {
        for (at, word) in text.split_whitespace().enumerate() {
            if at > 0 {
                self.bytes.push(b' ');
            }
            self.bytes.extend_from_slice(word.as_bytes());
        }
        self.end();
    }

    fn end(&mut self) {
        self.ends.push(self.bytes.len() as u64);
    }

    pub fn finish(self) -> Strings {
        Strings::of(self.ends.into(), self.bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn numbers_are_below_what_there_is() {
        assert!(below(&[], 0).is_ok() && below(&[2, 0], 3).is_ok());
        let said = below(&[0, 3, 1], 3).unwrap_err();
        assert_eq!(said, "it names number 3, and there are 3");
        assert!(below(&[NONE], 3).is_err());
        assert!(below_or_none(&[NONE, 2], 3).is_ok() && below_or_none(&[NONE], 0).is_ok());
        let said = below_or_none(&[NONE, 3], 3).unwrap_err();
        assert_eq!(said, "it names number 3, and there are 3");
        assert!(below_or_none(&[NONE - 1], 3).is_err());
        // In any piece.
        let mut many = vec![0; 3 * PIECE];
        many[2 * PIECE] = 7;
        assert!(below(&many, 8).is_ok() && below(&many, 7).is_err());
    }

    #[test]
    fn runs_and_rows_lie_end_to_end() {
        assert!(ends::<u32>(&[], 0).is_ok() && ends::<u64>(&[0, 2, 2, 5], 5).is_ok());
        for wrong in [&[][..], &[4], &[6], &[3, 2, 5]] {
            assert!(ends::<u32>(wrong, 5).is_err(), "{wrong:?}");
        }
        assert!(offsets::<u32>(&[0], 0).is_ok() && offsets::<u32>(&[0, 2, 5], 5).is_ok());
        for wrong in [&[][..], &[1, 5], &[0, 6], &[0, 6, 5], &[0]] {
            assert!(offsets::<u32>(wrong, 5).is_err(), "{wrong:?}");
        }
        assert!(spans(&[0, 4], &[0, 3]).is_ok() && spans(&[1, 2], &[0, 3]).is_err());
        assert!(positive(&[1, 2]).is_ok() && positive(&[1, 0]).is_err());
        assert!(finite(&[-1.0_f32]).is_ok() && finite(&[1.0, f32::NAN]).is_err());
    }

    #[test]
    fn an_adjacency_goes_both_ways() {
        // 0-1, 0-2, 1-2 of four nodes; every edge has a value.
        let rows = [0, 2, 4, 6, 6];
        let targets = [1, 2, 0, 2, 0, 1];
        let values = [5, 6, 5, 7, 6, 7];
        let checked = |rows: &[u32], targets: &[u32], values: &[u32]| {
            symmetric(targets, rows, |at| values[at])
        };
        assert_eq!(checked(&rows, &targets, &values), Ok(()));
        assert_eq!(checked(&[0], &[], &[]), Ok(()));
        for (targets, said) in [
            ([1, 2, 0, 2, 0, 3], "both ways"),
            ([2, 1, 0, 2, 0, 1], "ascend"),
            ([1, 1, 0, 2, 0, 1], "ascend"),
            ([0, 2, 0, 2, 0, 1], "ascend"),
            ([1, 2, 0, 2, 0, 4], "number 4"),
        ] {
            let told = checked(&rows, &targets, &values).unwrap_err();
            assert!(told.contains(said), "{targets:?}: {told}");
        }
        let told = checked(&rows, &targets, &[5, 6, 5, 7, 6, 8]).unwrap_err();
        assert!(told.contains("both ways"), "{told}");
        assert!(checked(&[0, 2, 4, 5, 6], &targets, &values).is_err());
    }

    proptest! {
        #[test]
        fn few_strings_among_empty_ones_are_at_their_places(
            some in prop::collection::btree_map(0..60_u32, "[a-zé]{0,4}", 0..20),
        ) {
            let placed = some.iter().map(|(place, text)| (*place, &**text));
            let strings = Strings::placed(60, placed);
            let all: Vec<&str> = (0..60).map(|i| some.get(&i).map_or("", |text| text)).collect();
            prop_assert!(strings.iter().eq(all.iter().copied()));
            prop_assert_eq!((strings.len(), strings.get(60)), (60, ""));
            let places: Vec<u32> = some.keys().copied().collect();
            let mut sorted = places.clone();
            sorted.sort_by_key(|place| all[*place as usize]);
            let order = strings.order_of(places);
            prop_assert!(order.iter().zip(&sorted).all(|(a, b)| all[*a as usize] == all[*b as usize]));
        }

        #[test]
        fn an_arc_without_its_counterpart_is_found(
            edges in prop::collection::btree_map((0..40_u32, 0..40_u32), 0..u32::MAX, 1..200),
            changed in any::<prop::sample::Index>(),
            value in 0..u32::MAX,
        ) {
            let edges = edges.into_iter().filter(|((u, v), _)| u < v);
            let arcs = edges.flat_map(|((u, v), value)| [((u, v), value), ((v, u), value)]);
            let mut arcs: BTreeMap<(u32, u32), u32> = arcs.collect();
            prop_assume!(!arcs.is_empty());
            let checked = |arcs: &BTreeMap<(u32, u32), u32>| {
                let mut ends = [0; 41];
                arcs.keys().for_each(|(u, _)| ends[*u as usize + 1] += 1);
                for row in 0..40 {
                    ends[row + 1] += ends[row];
                }
                let targets: Vec<u32> = arcs.keys().map(|(_, v)| *v).collect();
                let values: Vec<u32> = arcs.values().copied().collect();
                symmetric(&targets, &ends, |at| values[at])
            };
            prop_assert_eq!(checked(&arcs), Ok(()));
            let all: Vec<(u32, u32)> = arcs.keys().copied().collect();
            let arc = changed.get(&all);
            let before = arcs.insert(*arc, value);
            prop_assert_eq!(checked(&arcs).is_ok(), before == Some(value));
            arcs.remove(arc);
            prop_assert!(checked(&arcs).is_err());
        }
    }
}
