//! Small graphs with published figures, for tests.

use super::adjacency::{Adjacency, undirected};

/// Zachary's karate club (1977): 34 members, 78 ties. Row u lists the neighbours above u.
pub fn karate() -> Adjacency {
    const TIES: [&[u32]; 33] = [
        &[1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 17, 19, 21, 31],
        &[2, 3, 7, 13, 17, 19, 21, 30],
        &[3, 7, 8, 9, 13, 27, 28, 32],
        &[7, 12, 13],
        &[6, 10],
        &[6, 10, 16],
        &[16],
        &[],
        &[30, 32, 33],
        &[33],
        &[],
        &[],
        &[],
        &[33],
        &[32, 33],
        &[32, 33],
        &[],
        &[],
        &[32, 33],
        &[33],
        &[32, 33],
        &[],
        &[32, 33],
        &[25, 27, 29, 32, 33],
        &[25, 27, 31],
        &[31],
        &[29, 33],
        &[33],
        &[31, 33],
        &[32, 33],
        &[32, 33],
        &[32, 33],
        &[33],
    ];
    let ties = TIES.iter().enumerate();
    undirected(
        34,
        ties.flat_map(|(u, row)| row.iter().map(move |&v| (u as u32, v, 1.0))),
    )
}

#[test]
fn the_club_has_its_ties() {
    assert_eq!(super::adjacency::edges(&karate()), 78);
    assert_eq!(karate().out_degree(33), 17);
}
