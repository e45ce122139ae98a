//! The singular of English nouns, by an irregular list and suffix rules.

use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Plural and singular, in turn.
static IRREGULAR: LazyLock<FxHashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let words: Vec<&str> = "men man women woman children child people person feet foot teeth tooth geese goose mice mouse \
         lice louse oxen ox wives wife knives knife lives life leaves leaf loaves loaf halves half selves self \
         shelves shelf wolves wolf thieves thief calves calf scarves scarf hooves hoof elves elf sheaves sheaf \
         criteria criterion phenomena phenomenon data datum media medium bacteria bacterium strata stratum \
         curricula curriculum memoranda memorandum errata erratum symposia symposium spectra spectrum \
         analyses analysis theses thesis crises crisis axes axis bases basis oases oasis diagnoses diagnosis \
         hypotheses hypothesis parentheses parenthesis syntheses synthesis emphases emphasis \
         alumni alumnus cacti cactus fungi fungus nuclei nucleus radii radius stimuli stimulus foci focus genera genus \
         indices index vertices vertex matrices matrix appendices appendix larvae larva formulae formula \
         alumnae alumna antennae antenna dice die pence penny brethren brother kine cow \
         shoes shoe toes toe foes foe canoes canoe oboes oboe heroes hero echoes echo potatoes potato tomatoes tomato \
         vetoes veto torpedoes torpedo volcanoes volcano cargoes cargo embargoes embargo mosquitoes mosquito \
         buses bus gases gas viruses virus choruses chorus campuses campus statuses status bonuses bonus \
         censuses census quizzes quiz \
         ties tie pies pie lies lie dies die movies movie cookies cookie zombies zombie calories calorie \
         series series species species news news means means headquarters headquarters politics politics \
         mathematics mathematics physics physics economics economics athletics athletics gymnastics gymnastics \
         ethics ethics statistics statistics mechanics mechanics olympics olympics crossroads crossroads barracks barracks \
         gallows gallows works works alias alias atlas atlas canvas canvas bias bias lens lens \
         christmas christmas texas texas kansas kansas arkansas arkansas paris paris james james charles charles \
         thomas thomas wales wales athens athens brussels brussels naples naples los los les les this this \
         was was has has does does is is its its his his as as us us yes yes thus thus plus plus perhaps perhaps \
         always always chaos chaos cosmos cosmos ethos ethos rhinoceros rhinoceros"
        .split_whitespace()
        .collect();
    words
        .chunks_exact(2)
        .map(|pair| (pair[0], pair[1]))
        .collect()
});

/// The singular of a noun in lower case; a word that is none comes back as it is.
///
/// Irregular forms first; else -ies becomes -y in words of more than four letters, -sses -ches -shes -xes lose "es",
/// and -s falls unless the word ends in -ss, -us or -is. Words of fewer than three letters stay.
pub fn lemma(noun: &str) -> Cow<'_, str> {
    if let Some(&singular) = IRREGULAR.get(noun) {
        return Cow::Borrowed(singular);
    }
    let letters = noun.chars().count();
    if letters > 4
        && let Some(stem) = noun.strip_suffix("ies")
    {
        return Cow::Owned(format!("{stem}y"));
    }
    if let Some(stem) = noun.strip_suffix("es")
        && (["ss", "ch", "sh", "x"].iter()).any(|end| stem.ends_with(end))
    {
        return Cow::Borrowed(stem);
    }
    let kept = ["ss", "us", "is"].iter().any(|end| noun.ends_with(end));
    match noun.strip_suffix('s') {
        Some(stem) if letters > 2 && !kept => Cow::Borrowed(stem.trim_end_matches(['\'', '’'])),
        _ => Cow::Borrowed(noun),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_fall_and_singulars_stay() {
        let cases = [
            ("cities", "city"),
            ("ties", "tie"),
            ("flies", "fly"),
            ("classes", "class"),
            ("churches", "church"),
            ("dishes", "dish"),
            ("boxes", "box"),
            ("houses", "house"),
            ("dogs", "dog"),
            ("glass", "glass"),
            ("bus", "bus"),
            ("analysis", "analysis"),
            ("analyses", "analysis"),
            ("wives", "wife"),
            ("people", "person"),
            ("series", "series"),
            ("is", "is"),
            ("as", "as"),
            ("élèves", "élève"),
            ("", ""),
            ("s", "s"),
            ("mathematics", "mathematics"),
        ];
        for (plural, singular) in cases {
            assert_eq!(lemma(plural), singular, "{plural}");
        }
    }

    #[test]
    fn the_list_is_in_pairs() {
        for (plural, singular) in [
            ("teeth", "tooth"),
            ("quizzes", "quiz"),
            ("rhinoceros", "rhinoceros"),
        ] {
            assert_eq!(IRREGULAR.get(plural), Some(&singular));
        }
    }
}
