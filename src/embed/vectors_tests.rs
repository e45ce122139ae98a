use super::*;
use crate::embed::{Kind, unit};
use proptest::prelude::*;

pub fn identity(dims: usize) -> Identity {
    Identity {
        name: "test".into(),
        kind: Kind::File,
        dims,
        fingerprint: "0".into(),
    }
}

/// Clustered unit rows: centres drawn at random, rows around them.
pub fn clustered(len: usize, dims: usize, clusters: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut draw = || {
        // A sum of uniforms is normal enough.
        let mut sum = 0.0;
        for _ in 0..4 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            sum += (state >> 40) as f32 / (1 << 24) as f32 - 0.5;
        }
        sum
    };
    let centres: Vec<f32> = (0..clusters * dims).map(|_| draw()).collect();
    let mut rows = Vec::with_capacity(len * dims);
    for i in 0..len {
        let centre = i * 7919 % clusters * dims;
        let start = rows.len();
        rows.extend((0..dims).map(|d| centres[centre + d] + 0.5 * draw()));
        unit(&mut rows[start..]);
    }
    rows
}

fn plain(a: &[f32], b: &[f32]) -> f64 {
    (a.iter().zip(b))
        .map(|(&x, &y)| f64::from(x) * f64::from(y))
        .sum()
}

proptest! {
    #[test]
    fn scores_are_the_plain_products(dims in 1_usize..400, seed in 0_u64..1000) {
        let rows = clustered(9, dims, 3, seed);
        let vectors = Vectors::new(identity(dims), rows.clone()).unwrap();
        let small = vectors.quantised();
        let query = &clustered(1, dims, 1, seed + 5000)[..];
        let (exact, near) = (vectors.scores(query).unwrap(), small.scores(query).unwrap());
        for (i, row) in rows.chunks(dims).enumerate() {
            let expected = plain(row, query);
            prop_assert!((f64::from(exact[i]) - expected).abs() < 1e-6);
            prop_assert!((f64::from(near[i]) - expected).abs() < 0.02);
            let mut stored = vec![0.0; dims];
            small.row(i as u32, &mut stored);
            prop_assert!((f64::from(near[i]) - plain(&stored, query)).abs() < 3e-4);
            let pair = f64::from(vectors.between(i as u32, 0));
            prop_assert!((pair - plain(row, &rows[..dims])).abs() < 1e-6);
        }
    }

    #[test]
    fn top_is_a_sort(scores in prop::collection::vec((0_i8..5).prop_map(f32::from), 0..60), k in 0_usize..70) {
        let mut sorted: Vec<(u32, f32)> = (0..).zip(scores.iter().copied()).collect();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        sorted.truncate(k);
        prop_assert_eq!(top(&scores, k), sorted);
    }
}

#[test]
fn parallel_and_serial_give_the_same_bits() {
    let dims = 64;
    let rows = clustered(20_000, dims, 10, 1);
    let all = Vectors::new(identity(dims), rows.clone()).unwrap();
    let query = rows[..dims].to_vec();
    let together = all.scores(&query).unwrap();
    let probe = all.probe(&query).unwrap();
    for row in 0..20_000 {
        assert_eq!(
            together[row as usize].to_bits(),
            all.score(&probe, row).to_bits()
        );
    }
    assert_eq!(all.nearest(&query, 3).unwrap()[0].0, 0);
}

#[test]
fn other_identities_shapes_and_values_are_refused() {
    let vectors = Vectors::new(identity(2), vec![1.0, 0.0]).unwrap();
    vectors.check(&identity(2)).unwrap();
    let other = Identity {
        fingerprint: "1".into(),
        ..identity(2)
    };
    let error = vectors.check(&other).unwrap_err().to_string();
    assert!(
        error.contains("made by") && error.contains("index"),
        "{error}"
    );
    assert!(vectors.scores(&[1.0]).is_err());
    assert!(vectors.scores(&[1.0, f32::NAN]).is_err());
    assert!(Vectors::new(identity(2), vec![1.0]).is_err());
    assert!(Vectors::new(identity(2), vec![1.0, f32::INFINITY]).is_err());
    assert!(Vectors::new(identity(0), vec![]).is_err());
    assert!(Vectors::new(identity(2), vec![]).unwrap().is_empty());
}

#[test]
fn gathered_in_parts_as_made_at_once() {
    let rows = clustered(30, 8, 3, 2);
    let once = Vectors::new(identity(8), rows.clone()).unwrap();
    for whole in [false, true] {
        let mut gather = VectorWriter::new(identity(8), whole);
        for part in rows.chunks(7 * 8) {
            gather.push(part).unwrap();
        }
        let parts = gather.finish().unwrap();
        let once = if whole { &once.quantised() } else { &once };
        assert_eq!(
            parts.scores(&rows[..8]).unwrap(),
            once.scores(&rows[..8]).unwrap()
        );
    }
    let mut odd = VectorWriter::new(identity(8), true);
    assert!(odd.push(&[f32::NAN; 8]).is_err());
    odd.push(&[1.0; 9]).unwrap();
    assert!(odd.finish().is_err());
}

#[test]
fn a_row_by_itself_keeps_its_bits_and_odd_bytes_are_none() {
    let plain = Vectors::new(identity(3), vec![0.6, -0.8, 0.0, 1e-3, 0.5, 0.25]).unwrap();
    for vectors in [plain.quantised(), plain] {
        let whole = vectors.is_whole();
        let mut gather = VectorWriter::new(identity(3), whole);
        for row in 0..2 {
            let own = vectors.own(row);
            let bytes = own.bytes();
            assert_eq!(bytes.len(), if whole { 7 } else { 12 });
            assert_eq!(Row::of_bytes(&bytes, 3, whole).as_ref(), Some(&own));
            let mut values = [0.0; 3];
            vectors.row(row, &mut values);
            assert_eq!(own.values(), values);
            gather.keep(Some(&own));
            let (short, long) = (&bytes[1..], [&bytes[..], &[0]].concat());
            assert_eq!(Row::of_bytes(short, 3, whole), None);
            assert_eq!(Row::of_bytes(&long, 3, whole), None);
        }
        gather.keep(None);
        let again = gather.finish().unwrap();
        for row in 0..2 {
            assert_eq!(again.kept(row), vectors.kept(row));
        }
        assert_eq!(again.own(2).values(), [0.0; 3]);
        // What is compared elsewhere comes to the same product.
        let probe = vectors.probe(&[0.1, 0.7, -0.3]).unwrap();
        for row in 0..2 {
            let values = vectors.own(row).values().into_iter().zip(probe.compared());
            let product: f32 = values.map(|(x, y)| x * y).sum();
            assert!((product - vectors.score(&probe, row)).abs() < 1e-6);
        }
    }
    let nan = [f32::NAN.to_le_bytes(); 3].concat();
    assert_eq!(Row::of_bytes(&nan, 3, false), None);
}
