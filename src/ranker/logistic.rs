//! The logistic rule that fits known outcomes best, by Newton's method.

/// Steps of Newton's method at most, and the change of a weight below which it is done.
const STEPS: usize = 50;
const DONE: f64 = 1e-9;

/// The probability, 0 to 1, of log odds.
pub fn probability(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// The weights of the inputs under which the outcomes are most likely. `ridge` holds each weight back by so much, as some
/// must be where the outcomes can be told apart completely; 0 leaves it free, as an offset should be.
pub fn fit<const N: usize>(rows: &[([f64; N], bool)], ridge: [f64; N]) -> [f64; N] {
    let mut at = [0.0f64; N];
    for _ in 0..STEPS {
        let mut slope: [f64; N] = std::array::from_fn(|i| ridge[i] * at[i]);
        let mut bend = [[0.0; N]; N];
        for (i, row) in bend.iter_mut().enumerate() {
            row[i] = ridge[i].max(1e-9);
        }
        for (x, outcome) in rows {
            let odds: f64 = x.iter().zip(at).map(|(x, w)| x * w).sum();
            let p = probability(odds);
            let error = p - f64::from(u8::from(*outcome));
            for i in 0..N {
                slope[i] += error * x[i];
                for j in 0..N {
                    bend[i][j] += p * (1.0 - p) * x[i] * x[j];
                }
            }
        }
        let step = solved(bend, slope);
        for (w, step) in at.iter_mut().zip(step) {
            *w -= step;
        }
        if step.iter().all(|step| step.abs() < DONE) {
            break;
        }
    }
    at
}

/// Linear equations, by elimination with the largest of each column first.
fn solved<const N: usize>(mut m: [[f64; N]; N], mut of: [f64; N]) -> [f64; N] {
    for column in 0..N {
        let size = |row: &usize| m[*row][column].abs();
        let largest = (column..N).max_by(|a, b| size(a).total_cmp(&size(b)));
        let largest = largest.unwrap_or(column);
        m.swap(column, largest);
        of.swap(column, largest);
        let pivot = m[column];
        for row in column + 1..N {
            let share = m[row][column] / pivot[column];
            for (own, pivot) in m[row].iter_mut().zip(pivot).skip(column) {
                *own -= share * pivot;
            }
            of[row] -= share * of[column];
        }
    }
    for row in (0..N).rev() {
        let known: f64 = (row + 1..N).map(|at| m[row][at] * of[at]).sum();
        of[row] = (of[row] - known) / m[row][row];
    }
    of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved_whatever_stands_first() {
        // 2y + z = 7, x + y + z = 6, 3x - z = 0, so (1, 2, 3).
        let of = solved(
            [[0.0, 2.0, 1.0], [1.0, 1.0, 1.0], [3.0, 0.0, -1.0]],
            [7.0, 6.0, 0.0],
        );
        assert!(
            of.iter()
                .zip([1.0, 2.0, 3.0])
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }

    #[test]
    fn an_offset_alone_gives_the_share_of_outcomes() {
        let rows: Vec<_> = (0..10).map(|at| ([1.0], at < 3)).collect();
        let [offset] = fit(&rows, [0.0]);
        assert!((probability(offset) - 0.3).abs() < 1e-9);
    }

    #[test]
    fn what_tells_outcomes_apart_completely_keeps_a_bounded_weight() {
        let rows = (0..20).map(|at| ([f64::from(at) - 9.5, 1.0], at >= 10));
        let [slope, offset] = fit(&rows.collect::<Vec<_>>(), [0.1, 0.0]);
        assert!(slope.is_finite() && slope > 0.5 && offset.abs() < 1e-6);
    }
}
