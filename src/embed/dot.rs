//! Dot products that the compiler vectorises: many sums side by side, in an order fixed here, so that every machine
//! gets the same bits.

/// Sums kept side by side: enough to keep 4- and 8-wide units busy.
const LANES: usize = 16;

pub fn f32s(a: &[f32], b: &[f32]) -> f32 {
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
    folded(sums) + rest
}

pub fn sum(a: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let chunks = a.chunks_exact(LANES);
    let rest: f32 = chunks.remainder().iter().sum();
    for x in chunks {
        for lane in 0..LANES {
            sums[lane] += x[lane];
        }
    }
    folded(sums) + rest
}

fn folded(mut sums: [f32; LANES]) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    sums[0]
}

/// Exact: see [`MOST_DIMS`].
pub fn i8s(a: &[i8], b: &[i8]) -> i32 {
    (a.iter().zip(b))
        .map(|(&x, &y)| i32::from(i16::from(x) * i16::from(y)))
        .sum()
}

/// Exact: see [`MOST_DIMS`].
pub fn i8_i16(row: &[i8], query: &[i16]) -> i32 {
    (row.iter().zip(query))
        .map(|(&x, &y)| i32::from(i16::from(x)) * i32::from(y))
        .sum()
}

/// Largest magnitude of a query's whole numbers: fine enough to lose nothing, small enough that no sum of
/// `MOST_DIMS` products with an int8 leaves an i32.
pub const QUERY_STEPS: f32 = 4095.0;
pub const MOST_DIMS: usize = 4096;
const _: () = assert!(4095 * 128 * MOST_DIMS <= i32::MAX as usize);

/// A row in whole numbers of at most `steps`, and the size of one.
pub fn quantise<T>(row: &[f32], steps: f32, to: impl Fn(f32) -> T) -> (Vec<T>, f32) {
    let most = row.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    let scale = most / steps;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let values = row.iter().map(|x| to((x * inverse).round())).collect();
    (values, scale)
}
