//! Random numbers for resampling: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), one stream per resample, so that the
//! draws of a resample depend on the seed and its number only and never on which thread takes it.

/// The golden ratio as a 64-bit fraction, SplitMix64's step.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// A stream of 64-bit numbers.
pub struct SplitMix(u64);

/// The output function: one bit changed of its input changes half of the bits that come out.
pub fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl SplitMix {
    pub fn new(seed: u64) -> SplitMix {
        SplitMix(seed)
    }

    /// The stream of one resample. Streams start at scattered places of one sequence of 2^64 numbers.
    pub fn stream(seed: u64, number: u64) -> SplitMix {
        let place = mixed(number.wrapping_mul(GAMMA).wrapping_add(GAMMA));
        SplitMix(mixed(seed.wrapping_add(GAMMA)) ^ place)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GAMMA);
        mixed(self.0)
    }

    /// A number below `bound` (0 for 0). The upper half of the product; its bias is below bound / 2^64.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        // First outputs for seed 1234567 of the reference splitmix64.c (also Rosetta Code).
        let mut stream = SplitMix::new(1_234_567);
        assert_eq!(stream.draw(), 6_457_827_717_110_365_317);
        assert_eq!(stream.draw(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn draws_stay_below_and_come_evenly() {
        let mut counts = [0usize; 7];
        for number in 0..700 {
            let mut stream = SplitMix::stream(5, number);
            (0..100).for_each(|_| counts[stream.below(7)] += 1);
        }
        assert!(
            counts.iter().all(|c| (9_600..10_400).contains(c)),
            "{counts:?}"
        );
    }
}
