//! Which word was meant: one rule for settings, parameters and keys.

/// The allowed word that a misspelt one stands for: the one with the fewest edits, a swap of neighbours being one, where
/// they are at most half its length; else the first that contains the word, where that has three letters.
pub fn meant<'a>(word: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase();
    let edits = |candidate: &str| strsim::osa_distance(&word, &candidate.to_lowercase());
    let near = |(edits, candidate): &(usize, &str)| edits * 2 <= candidate.chars().count().max(2);
    let spelt = allowed
        .iter()
        .map(|candidate| (edits(candidate), *candidate));
    let spelt = spelt.filter(near).min_by_key(|(edits, _)| *edits);
    let inside =
        |candidate: &&str| word.chars().count() > 2 && candidate.to_lowercase().contains(&word);
    let whole = || allowed.iter().copied().find(inside);
    spelt.map(|(_, candidate)| candidate).or_else(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_the_meant_one() {
        let allowed = ["theme", "glyphs", "reduced_motion"];
        assert_eq!(meant("tehme", &allowed), Some("theme"));
        assert_eq!(meant("reduce-motion", &allowed), Some("reduced_motion"));
        assert_eq!(meant("Motion", &allowed), Some("reduced_motion"));
        assert_eq!(meant("mo", &allowed), None);
        assert_eq!(meant("colour", &allowed), None);
    }
}
