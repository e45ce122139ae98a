//! K-means (Lloyd) over rows of numbers, with a fixed seed.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What the clustering is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KMeansOptions {
    /// Number of clusters; at most the number of rows.
    pub clusters: usize,
    /// Rounds of assigning and averaging; fewer when nothing changes any more.
    pub iterations: usize,
    pub seed: u64,
}

/// A clustering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KMeans {
    /// The cluster of every row.
    pub clusters: Vec<u32>,
    /// The mean of every cluster, row by row.
    pub centroids: Vec<f32>,
    /// Rounds that were run.
    pub iterations: usize,
}

/// Clusters rows of `dims` numbers by squared Euclidean distance. The first centroids are rows drawn with the seed. A
/// cluster that loses all its rows takes the row farthest from its own centroid. Ties go to the lower cluster, then row.
pub fn kmeans(rows: &[f32], dims: usize, options: &KMeansOptions) -> KMeans {
    let n = rows.len().checked_div(dims).unwrap_or(0);
    let k = options.clusters.min(n);
    if k == 0 {
        return KMeans::default();
    }
    let mut drawn: Vec<u32> = (0..n as u32).collect();
    drawn.sort_by_cached_key(|u| (xxh3_64_with_seed(&u.to_le_bytes(), options.seed), *u));
    let row = |u: usize| &rows[u * dims..(u + 1) * dims];
    let first = drawn[..k].iter().flat_map(|&u| row(u as usize));
    let mut out = KMeans {
        clusters: vec![u32::MAX; n],
        centroids: first.copied().collect(),
        iterations: 0,
    };
    while out.iterations < options.iterations {
        let assigned = assign(rows, dims, &out.centroids);
        let mut clusters: Vec<u32> = assigned.iter().map(|a| a.0).collect();
        refill(&mut clusters, &assigned, k);
        out.iterations += 1;
        let same = clusters == out.clusters;
        out.clusters = clusters;
        if same {
            break;
        }
        out.centroids = means(rows, dims, &out.clusters, &out.centroids);
    }
    out
}

/// The nearest centroid of every row, and its distance up to what is the same for all centroids and the row's length.
fn assign(rows: &[f32], dims: usize, centroids: &[f32]) -> Vec<(u32, f32)> {
    let half: Vec<f32> = centroids
        .chunks_exact(dims)
        .map(|c| dot(c, c) / 2.0)
        .collect();
    rows.par_chunks_exact(dims)
        .map(|row| {
            let mut best = (0, f32::NEG_INFINITY);
            for (c, (centroid, half)) in centroids.chunks_exact(dims).zip(&half).enumerate() {
                let score = dot(row, centroid) - half;
                if score > best.1 {
                    best = (c as u32, score);
                }
            }
            (best.0, dot(row, row) - 2.0 * best.1)
        })
        .collect()
}

/// Gives every empty cluster a row: the one farthest from its centroid that is not alone in its cluster.
fn refill(clusters: &mut [u32], assigned: &[(u32, f32)], k: usize) {
    let mut sizes = vec![0usize; k];
    clusters.iter().for_each(|&c| sizes[c as usize] += 1);
    if sizes.iter().all(|&size| size > 0) {
        return;
    }
    let mut far: Vec<u32> = (0..clusters.len() as u32).collect();
    far.sort_by(|a, b| {
        let of = |u: &u32| assigned[*u as usize].1;
        of(b).total_cmp(&of(a)).then(a.cmp(b))
    });
    let mut far = far.into_iter();
    for empty in 0..k {
        if sizes[empty] > 0 {
            continue;
        }
        let taken = far.find(|&u| sizes[clusters[u as usize] as usize] > 1);
        if let Some(u) = taken {
            sizes[clusters[u as usize] as usize] -= 1;
            clusters[u as usize] = empty as u32;
            sizes[empty] = 1;
        }
    }
}

/// Means in f64, rows in order.
fn means(rows: &[f32], dims: usize, clusters: &[u32], before: &[f32]) -> Vec<f32> {
    let mut sums = vec![0.0_f64; before.len()];
    let mut sizes = vec![0usize; before.len() / dims];
    for (row, &c) in rows.chunks_exact(dims).zip(clusters) {
        sizes[c as usize] += 1;
        let sum = &mut sums[c as usize * dims..(c as usize + 1) * dims];
        for (sum, &x) in sum.iter_mut().zip(row) {
            *sum += f64::from(x);
        }
    }
    let of = |(at, sum): (usize, &f64)| match sizes[at / dims] {
        0 => before[at],
        size => (sum / size as f64) as f32,
    };
    sums.iter().enumerate().map(of).collect()
}

/// Sums side by side in a fixed order: the compiler vectorises them and every machine gets the same bits.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = (left.remainder().iter().zip(right.remainder()))
        .map(|(x, y)| x * y)
        .sum();
    for (x, y) in left.zip(right) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn options(clusters: usize) -> KMeansOptions {
        KMeansOptions {
            clusters,
            iterations: 25,
            seed: 1,
        }
    }

    #[test]
    fn two_heaps_on_a_line() {
        let rows = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0];
        let found = kmeans(&rows, 1, &options(2));
        let (a, b) = (found.clusters[0], found.clusters[3]);
        assert_ne!(a, b);
        assert_eq!(found.clusters, [a, a, a, b, b, b]);
        assert_eq!(found.centroids[a as usize], 1.0);
        assert_eq!(found.centroids[b as usize], 11.0);
        assert!((1..25).contains(&found.iterations));
    }

    #[test]
    fn odd_sizes() {
        assert_eq!(kmeans(&[], 3, &options(4)), KMeans::default());
        assert_eq!(kmeans(&[1.0], 0, &options(4)), KMeans::default());
        // More clusters than rows: each row for itself.
        let mut own = kmeans(&[5.0, 5.0, 7.0], 1, &options(9)).clusters;
        own.sort_unstable();
        assert_eq!(own, [0, 1, 2]);
    }

    #[test]
    fn an_empty_cluster_takes_the_farthest_row() {
        let assigned = [(0, 1.0), (0, 4.0), (0, 4.0), (2, 9.0)];
        let mut clusters = vec![0, 0, 0, 2];
        refill(&mut clusters, &assigned, 3);
        // Row 3 is farther but alone; of rows 1 and 2 the lower goes.
        assert_eq!(clusters, [0, 1, 0, 2]);
    }

    proptest! {
        #[test]
        fn every_row_is_with_its_nearest_mean_at_the_end(rows in prop::collection::vec(-9i8..9, 2..80), k in 1usize..6) {
            let rows: Vec<f32> = rows.chunks_exact(2).flatten().map(|&x| f32::from(x)).collect();
            let many = KMeansOptions { iterations: 500, ..options(k) };
            let found = kmeans(&rows, 2, &many);
            prop_assert_eq!(&found, &kmeans(&rows, 2, &many));
            let k = found.centroids.len() / 2;
            for c in 0..k {
                prop_assert!(found.clusters.contains(&(c as u32)));
            }
            // Duplicates of rows may be spread by refilling; elsewhere no centroid is nearer than the own one.
            let distance = |r: &[f32], c: &[f32]| (r[0] - c[0]).powi(2) + (r[1] - c[1]).powi(2);
            let distinct: std::collections::BTreeSet<Vec<u32>> =
                rows.chunks_exact(2).map(|r| r.iter().map(|x| x.to_bits()).collect()).collect();
            if found.iterations < 500 && distinct.len() * 2 == rows.len() {
                for (row, &own) in rows.chunks_exact(2).zip(&found.clusters) {
                    let own = distance(row, &found.centroids[own as usize * 2..][..2]);
                    for centroid in found.centroids.chunks_exact(2) {
                        prop_assert!(own <= distance(row, centroid) + 1e-3);
                    }
                }
            }
        }
    }
}
