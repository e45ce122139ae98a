//! How like two names are, by rules that know no meaning: letter triples, sets of characters.

use super::mentions::Norm;
use rustc_hash::FxHashSet;

/// The label that shares most letter triples with a name, if it shares a third of them.
pub fn nearest<'a>(name: &str, labels: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let triples = |text: &str| -> FxHashSet<[char; 3]> {
        let letters: Vec<char> = format!("  {} ", Norm::Simple.apply(text)).chars().collect();
        letters.windows(3).map(|w| [w[0], w[1], w[2]]).collect()
    };
    let wanted = triples(name);
    let mut best: Option<(f64, &str)> = None;
    for label in labels {
        let own = triples(label);
        let both = wanted.intersection(&own).count() as f64;
        let score = both / (wanted.len() + own.len()) as f64 * 2.0;
        if score > 0.33 && best.is_none_or(|(known, _)| score > known) {
            best = Some((score, label));
        }
    }
    best.map(|(_, label)| label)
}

/// Names fuzzily alike from this on (SAGE, code).
pub const ALIKE: f64 = 0.75;

/// What the fuzzy rule reads of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameSignature {
    /// The set of its characters, a bit each: ASCII letters, digits and the space have bits of their own, all others
    /// share 91 bits.
    letters: u128,
    /// Characters.
    length: u32,
}

impl NameSignature {
    /// Of a normal form.
    pub fn of(form: &str) -> NameSignature {
        let bit = |c: char| match c {
            'a'..='z' => c as u32 - 'a' as u32,
            '0'..='9' => 26 + c as u32 - '0' as u32,
            ' ' => 36,
            other => 37 + other as u32 % 91,
        };
        NameSignature {
            letters: form.chars().fold(0, |set, c| set | 1 << bit(c)),
            length: form.chars().count() as u32,
        }
    }

    /// `0.7 * Jaccard of the character sets + 0.3 * shorter length / longer length` (SAGE, code): crude, since sets know
    /// no order.
    pub fn alike(self, other: NameSignature) -> f64 {
        let both = (self.letters & other.letters).count_ones();
        let either = (self.letters | other.letters).count_ones();
        let (short, long) = (self.length.min(other.length), self.length.max(other.length));
        if long == 0 {
            return 0.0;
        }
        0.7 * f64::from(both) / f64::from(either) + 0.3 * f64::from(short) / f64::from(long)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_near_by_a_third_of_its_letter_triples() {
        let labels = ["Kepler", "Johannes Kepler", "Oslo"];
        let near = |name| nearest(name, labels.into_iter());
        assert_eq!(near("KEPLER."), Some("Kepler"));
        assert_eq!(near("J. Kepler"), Some("Kepler"));
        assert_eq!(near("Jupiter"), None);
        assert_eq!(near("Osl"), Some("Oslo"));
    }

    #[test]
    fn the_fuzzy_rule_by_hand() {
        // {a b c} and {a b d}: 2 of 4, lengths 3 and 4: .7 * .5 + .3 * .75.
        let found = NameSignature::of("abc").alike(NameSignature::of("abdd"));
        assert!((found - 0.575).abs() < 1e-12);
        // Sets know no order.
        assert!(
            (NameSignature::of("listen").alike(NameSignature::of("silent")) - 1.0).abs() < 1e-12
        );
        assert_eq!(NameSignature::of("").alike(NameSignature::of("")), 0.0);
        // {m a r v o s} with and without the space: 6 of 7, lengths 9 and 8.
        let found = NameSignature::of("mara voss").alike(NameSignature::of("maravoss"));
        assert!((found - (0.7 * 6.0 / 7.0 + 0.3 * 8.0 / 9.0)).abs() < 1e-12);
    }
}
