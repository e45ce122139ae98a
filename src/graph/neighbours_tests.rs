use super::*;
use crate::embed::{Identity, Kind};
use proptest::prelude::*;

fn vectors(dims: usize, rows: Vec<f32>) -> Vectors {
    let identity = Identity {
        name: "test".into(),
        kind: Kind::File,
        dims,
        fingerprint: String::new(),
    };
    Vectors::new(identity, rows).unwrap()
}

/// Unit vectors in the plane at these angles, in degrees.
fn plane(angles: &[f32]) -> Vectors {
    let rows = angles.iter().map(|a| a.to_radians());
    vectors(2, rows.flat_map(|a| [a.cos(), a.sin()]).collect())
}

#[test]
fn nearest_by_angle() {
    let near = exact(&plane(&[0.0, 10.0, 30.0, 90.0]), 2);
    assert_eq!(near.len(), 4);
    assert_eq!(near.row(0).0, [1, 2]);
    assert_eq!(near.row(1).0, [0, 2]);
    assert_eq!(near.row(2).0, [1, 0]);
    assert_eq!(near.row(3).0, [2, 1]);
    assert!((near.row(3).1[0] - 0.5).abs() < 1e-6);
    assert_eq!(near.pairs(), [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]);
}

#[test]
fn zeros_stay_alone_and_ties_go_to_the_lower_number() {
    let v = vectors(2, vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0]);
    let near = exact(&v, 1);
    // Rows 2 and 3 are both at right angles to row 0.
    assert_eq!(near.row(0).0, [2]);
    assert_eq!(near.row(1).0, [0_u32; 0]);
    assert_eq!(near.row(2).0, [0]);
    assert_eq!(exact(&v, 0).row(0).0, [0_u32; 0]);
}

#[test]
fn overlap_by_hand() {
    // Words: 0 {1,2,3}, 1 {2,3}, 2 {3,4}, 3 {9}, 4 {1,2,3}.
    let sets = [
        vec![1, 2, 3],
        vec![2, 3],
        vec![3, 4],
        vec![9],
        vec![1, 2, 3],
    ];
    let near = overlap(&sets, 10, 2);
    assert_eq!(near.row(0), (&[4, 1][..], &[3.0, 2.0][..]));
    // Rows 0 and 4 share two words with row 1 each.
    assert_eq!(near.row(1), (&[0, 4][..], &[2.0, 2.0][..]));
    assert_eq!(near.row(2), (&[0, 1][..], &[1.0, 1.0][..]));
    assert_eq!(near.row(3).0, [0_u32; 0]);
    assert!(overlap(&[], 0, 2).len() == 0);
}

#[test]
fn rows_that_share_the_same_words_are_counted_once() {
    // 3,000 rows of one of 30 words and one that no other has: what is read of the inverted index grows with the rows.
    let sets: Vec<Vec<u32>> = (0..3_000).map(|row| vec![row % 30, 30 + row]).collect();
    let rows: Vec<Vec<u32>> = (0..30)
        .map(|word| (word..3_000).step_by(30).collect())
        .collect();
    let own = [0];
    let rows_of = |word: u32| rows.get(word as usize).map_or(&own[..], Vec::as_slice);
    let groups = equal(common(&sets, rows_of).zip(0..));
    assert_eq!(groups.len(), 30);
    assert_eq!(
        groups.iter().map(|group| group.1.len()).sum::<usize>(),
        3_000
    );
    let near = overlap(&sets, 3_030, 2);
    assert_eq!(near.row(7).0, [37, 67]);
    assert_eq!(near.row(37).0, [7, 67]);
    assert_eq!(near.row(2_997).0, [27, 57]);
}

#[test]
fn the_graph_finds_nearly_all_of_the_exact_ones() {
    let mut draw = crate::random::SplitMix::new(3);
    let rows: Vec<f32> = (0..600 * 8)
        .map(|_| draw.below(2001) as f32 / 1000.0 - 1.0)
        .collect();
    let mut unit = rows.clone();
    for row in unit.chunks_mut(8) {
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.iter_mut().for_each(|x| *x /= length);
    }
    let v = vectors(8, unit);
    let truth = exact(&v, 5);
    let hnsw = Hnsw::build(&v, &HnswOptions::default(), &|_| true).unwrap();
    let found = approximate(&v, &hnsw, 5).unwrap();
    let same: usize = (0..600)
        .map(|i| {
            let exact = truth.row(i).0;
            found.row(i).0.iter().filter(|x| exact.contains(x)).count()
        })
        .sum();
    assert!(same as f64 >= 0.97 * 3000.0, "{same} of 3000");
    assert!(base_layer(&hnsw).len() > 600);
    assert!(base_layer(&hnsw).iter().all(|(u, v)| u < v));
}

#[test]
fn those_alike_are_all_that_are_near_enough_however_many_a_row_has() {
    // Crowds of 3 to 60 rows about one direction each, far from one another; more rows than are compared one by one.
    let mut draw = crate::random::SplitMix::new(5);
    let mut one = |spread: f32, about: &[f32]| -> Vec<f32> {
        let drawn = about
            .iter()
            .map(|x| x + spread * (draw.below(2001) as f32 / 1000.0 - 1.0));
        let row: Vec<f32> = drawn.collect();
        let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
        row.iter().map(|x| x / length).collect()
    };
    let (mut rows, mut crowds) = (Vec::new(), Vec::new());
    while crowds.len() <= EXACT_UP_TO {
        let midst = one(1.0, &[0.0; 16]);
        let crowd = crowds.len();
        for _ in 0..3 + crowd % 58 {
            crowds.push(crowd);
            rows.extend(one(0.1, &midst));
        }
    }
    let v = vectors(16, rows);
    let (k, least) = (50, 0.8);
    let found = alike(&v, k, least, |row| row % 5 > 0).unwrap();
    let (mut same, mut all) = (0, 0);
    for row in (0..v.len()).step_by(7) {
        let mut near: Vec<(u32, f32)> = (0..v.len() as u32)
            .filter(|&other| other != row as u32)
            .map(|other| (other, v.between(row as u32, other)))
            .filter(|hit| f64::from(hit.1) >= least)
            .collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(if row % 5 > 0 { k } else { 0 });
        let (ids, scores) = found.row(row);
        assert!(scores.iter().all(|score| f64::from(*score) >= least));
        assert!(ids.len() <= near.len());
        same += near.iter().filter(|hit| ids.contains(&hit.0)).count();
        all += near.len();
    }
    assert!(
        all > 5_000 && same as f64 >= 0.98 * all as f64,
        "{same} of {all}"
    );
    // Few rows are compared one by one, and told alike.
    let few = plane(&[0.0, 10.0, 30.0, 90.0]);
    let near = alike(&few, 2, 0.9, |row| row != 1).unwrap();
    let told: Vec<&[u32]> = (0..4).map(|row| near.row(row).0).collect();
    assert_eq!(told, [&[1][..], &[], &[1], &[]]);
}

#[test]
fn equal_rows_are_compared_once() {
    // 3,000 rows at 30 angles and 30 of zeros: 30 are compared with 30, in either form.
    let mut rows: Vec<f32> = vec![0.0; 60];
    rows.extend((0..3_000).flat_map(|row| {
        let angle = ((row % 30) as f32).to_radians();
        [angle.cos(), angle.sin()]
    }));
    let v = vectors(2, rows);
    for v in [&v, &v.quantised()] {
        let groups = distinct(v);
        assert_eq!(groups.len(), 30);
        let rows: usize = groups.iter().map(Vec::len).sum();
        assert_eq!(rows, 3_000);
    }
    let near = exact(&v, 2);
    assert_eq!(near.row(7).0, [0_u32; 0]);
    assert_eq!(near.row(37).0, [67, 97]);
    assert_eq!(near.row(3_029).0, [59, 89]);
}

fn plain_overlap(sets: &[Vec<u32>], k: usize) -> Vec<Vec<u32>> {
    let count = |a: &Vec<u32>, b: &Vec<u32>| a.iter().filter(|w| b.contains(w)).count();
    (0..sets.len())
        .map(|i| {
            let mut all: Vec<(usize, usize)> = (0..sets.len())
                .filter(|&j| j != i)
                .map(|j| (count(&sets[i], &sets[j]), j))
                .filter(|(c, _)| *c > 0)
                .collect();
            all.sort_by_key(|&(c, j)| (std::cmp::Reverse(c), j));
            all.truncate(k);
            all.into_iter().map(|(_, j)| j as u32).collect()
        })
        .collect()
}

proptest! {
    #[test]
    fn overlap_counts_as_comparing_pairs_does(
        sets in prop::collection::vec(prop::collection::btree_set(0u32..20, 0..8), 0..25), k in 0usize..6,
    ) {
        let sets: Vec<Vec<u32>> = sets.into_iter().map(|s| s.into_iter().collect()).collect();
        let near = overlap(&sets, 20, k);
        for (i, expected) in plain_overlap(&sets, k).iter().enumerate() {
            prop_assert_eq!(near.row(i).0, expected.as_slice());
        }
    }

    #[test]
    fn exact_is_the_sorted_list_of_all(
        angles in prop::collection::vec(0u16..360, 1..200), apart in 1u16..40, k in 0usize..8, small in any::<bool>(),
    ) {
        // Few angles where they are far apart: most rows are equal to others.
        let v = plane(&angles.iter().map(|&a| f32::from(a / apart * apart)).collect::<Vec<_>>());
        let v = if small { v.quantised() } else { v };
        let near = exact(&v, k);
        for i in 0..angles.len() {
            let mut all: Vec<(f32, u32)> = (0..angles.len() as u32)
                .filter(|&j| j as usize != i).map(|j| (v.between(i as u32, j), j)).collect();
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let expected: Vec<u32> = all.iter().take(k).map(|a| a.1).collect();
            let scores: Vec<f32> = all.iter().take(k).map(|a| a.0).collect();
            prop_assert_eq!(near.row(i), (expected.as_slice(), scores.as_slice()));
        }
    }
}
