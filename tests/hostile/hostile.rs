//! Files that are cut, mixed up, or full of what nobody would write: whoever reads them takes or refuses them, by name, and
//! never stops the program. `HOPSCOPE_TRIALS=100 cargo test --test hostile hostile:: -- --nocapture` tries a hundred times as often.

use crate::common::hostile::{self, Kind, ODD};
use crate::common::tally::{Tally, trials};
use hopscope::random::SplitMix;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Changes some bytes, places or lengths.
fn broken(random: &mut SplitMix, whole: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let to = (at + random.below(40)).min(bytes.len());
        match random.below(8) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..to)),
            2 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            3 => {
                let part = bytes[at..to].to_vec();
                let other = random.below(bytes.len() + 1);
                bytes.splice(other..other, part);
            }
            4 => {
                let odd = ODD[random.below(ODD.len())].repeat(3000);
                bytes.splice(at..at, odd);
            }
            _ => {
                let odd = ODD[random.below(ODD.len())];
                let to = if random.below(2) == 0 { at } else { to };
                bytes.splice(at..to, odd.iter().copied());
            }
        }
    }
    bytes
}

/// Breaks one file of the kind, many times over.
fn tried(kind: &Kind, tally: &mut Tally, times: usize) {
    let home = tempfile::tempdir().unwrap();
    kind.write(home.path());
    assert_eq!((kind.read)(home.path()), Ok(()), "{} whole", kind.name);
    for number in 0..times as u64 {
        let mut random = SplitMix::stream(15, number);
        let file = random.below(kind.files.len());
        let (name, bytes) = &kind.files[file];
        let broken = broken(&mut random, bytes);
        let read = || kind.read_with(home.path(), file, &broken);
        let read = catch_unwind(AssertUnwindSafe(read));
        tally.count(read.map(|_| ()).map_err(|_| {
            let broken = String::from_utf8_lossy(&broken);
            kind.write(home.path());
            let kind = kind.name;
            format!("{kind}, file {name}, trial {number}: stopped the program on {broken:?}")
        }));
    }
}

#[test]
fn corpora() {
    let mut tally = Tally::of("corpora and graphs of others, broken");
    for kind in &hostile::corpora() {
        tried(kind, &mut tally, trials(120));
    }
    tally.end();
}

#[test]
fn files_beside_an_index() {
    let mut tally = Tally::of("files beside an index, broken");
    for kind in &hostile::files_beside_an_index() {
        tried(kind, &mut tally, trials(120));
    }
    tally.end();
}

#[test]
fn what_a_person_keeps() {
    let mut tally = Tally::of("what a person keeps, broken");
    for kind in &hostile::what_a_person_keeps() {
        tried(kind, &mut tally, trials(120));
    }
    tally.end();
}

#[test]
fn what_a_person_types() {
    let mut tally = Tally::of("what a person types, broken");
    for kind in &hostile::what_a_person_types() {
        tried(kind, &mut tally, trials(300));
    }
    tally.end();
}
