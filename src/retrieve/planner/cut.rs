//! Where a list of candidates ends: at the first gap in their distances that stands out.

/// The percentile that a gap has to reach.
const PERCENTILE: f64 = 95.0;
/// No smaller gap in cosine distance ends a list.
const LEAST: f64 = 0.01;
/// Distances below this are taken as this when a gap is put in relation to them.
const NEAR: f64 = 1e-9;

/// The percentile of some values by linear interpolation between the two nearest ranks. Zero without values.
pub fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let place = percent / 100.0 * last as f64;
    let low = place.floor() as usize;
    let high = (low + 1).min(last);
    sorted[low] + (sorted[high] - sorted[low]) * (place - low as f64)
}

/// How many of the ascending distances are kept: up to the first gap that is at least the 95th percentile of the
/// relative gaps (gap / distance before it; the source does not say to what they are relative) and at least the 95th
/// percentile of the absolute gaps, or 0.01 where that is more.
pub fn kept(distances: &[f64]) -> usize {
    let gaps: Vec<f64> = distances.windows(2).map(|w| w[1] - w[0]).collect();
    let relative: Vec<f64> = distances
        .windows(2)
        .map(|w| (w[1] - w[0]) / w[0].max(NEAR))
        .collect();
    let (far, far_relative) = (
        percentile(&gaps, PERCENTILE).max(LEAST),
        percentile(&relative, PERCENTILE),
    );
    let stands_out = |i: &usize| gaps[*i] >= far && relative[*i] >= far_relative;
    (0..gaps.len())
        .find(stands_out)
        .map_or(distances.len(), |i| i + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percentiles_by_hand() {
        assert_eq!(percentile(&[], 95.0), 0.0);
        assert_eq!(percentile(&[3.0], 95.0), 3.0);
        // Place 0.5 * 3 = 1.5 between 2 and 3.
        assert_eq!(percentile(&[4.0, 1.0, 3.0, 2.0], 50.0), 2.5);
        assert!((percentile(&[0.0, 1.0], 95.0) - 0.95).abs() < 1e-12);
    }

    #[test]
    fn the_first_outstanding_gap_ends_the_list() {
        assert_eq!(kept(&[]), 0);
        assert_eq!(kept(&[0.5]), 1);
        // One gap is its own percentile: only its size decides.
        assert_eq!(kept(&[0.5, 0.52]), 1);
        assert_eq!(kept(&[0.5, 0.509]), 2);
        // Gaps .02 .3 .02: absolute 95th percentile .272, relative (.1, 1.364, .038) 95th 1.237; the second gap is both.
        assert_eq!(kept(&[0.2, 0.22, 0.52, 0.54]), 2);
        // Gaps .1 .05 .12: the widest is the last, but the first stands out relatively; none is both.
        assert_eq!(kept(&[0.1, 0.2, 0.25, 0.37]), 4);
        // Even gaps stand out alike: the first ends the list, since the relative ones fall.
        assert_eq!(kept(&[0.25, 0.5, 0.75, 1.0]), 1);
        assert_eq!(kept(&[0.3, 0.3, 0.3]), 3, "no gap at all");
    }

    proptest! {
        #[test]
        fn something_is_kept_and_cuts_are_at_gaps(mut distances in prop::collection::vec(0.0..2.0_f64, 1..40)) {
            distances.sort_by(f64::total_cmp);
            let count = kept(&distances);
            prop_assert!((1..=distances.len()).contains(&count));
            prop_assert!(count == distances.len() || distances[count] - distances[count - 1] >= LEAST);
        }
    }
}
