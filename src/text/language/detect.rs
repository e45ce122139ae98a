//! Which language a corpus has, by a sample of its texts.

use super::Language;
use crate::text::span;
use whatlang::Lang;

/// Texts that are read, at most, spread evenly over the corpus, and bytes of each.
const TEXTS: usize = 128;
const BYTES: usize = 1024;
/// Texts are read together up to this length: a line alone is often taken for another language.
const PIECE: usize = 512;

impl Language {
    /// The language of `count` texts: the one that two thirds of a sample are surely in, and English where that is none or
    /// another language than these. The same texts have the same language at every run.
    pub fn detect<'t>(count: usize, text: impl Fn(usize) -> &'t str) -> Language {
        let mut votes = [0; Language::ALL.len()];
        let (mut pieces, mut piece, mut all) = (0, String::new(), String::new());
        let mut vote = |piece: &str| {
            pieces += 1;
            let found = whatlang::detect(piece).filter(|found| found.is_reliable());
            if let Some(language) = found.and_then(|found| Language::of(found.lang())) {
                votes[language as usize] += 1;
            }
        };
        let read = count.min(TEXTS);
        for at in 0..read {
            let text = text(at * count / read);
            piece.push_str(span::of(text, ..span::floor(text, BYTES)));
            piece.push('\n');
            if piece.len() >= PIECE || at + 1 == read {
                vote(&piece);
                all.push_str(&piece);
                piece.clear();
            }
        }
        let sure = |language: &Language| 3 * votes[*language as usize] >= 2 * pieces.max(1);
        let found = Language::ALL.into_iter().find(sure).unwrap_or_default();
        match found.has_bigrams() || found.outnumbers_english(&all) {
            true => found,
            false => Language::English,
        }
    }

    /// Whether a text has more function words of this language than English ones. Lists of names and codes look like many
    /// a language, and have none.
    fn outnumbers_english(self, text: &str) -> bool {
        let (mut own, mut english) = (0, 0);
        self.words(text, |word, _| {
            own += usize::from(self.is_function_word(word));
            english += usize::from(Language::English.is_function_word(word));
        });
        own > english
    }

    fn of(found: Lang) -> Option<Language> {
        Some(match found {
            Lang::Eng => Language::English,
            Lang::Deu => Language::German,
            Lang::Fra => Language::French,
            Lang::Spa => Language::Spanish,
            Lang::Ita => Language::Italian,
            Lang::Por => Language::Portuguese,
            Lang::Nld => Language::Dutch,
            Lang::Swe => Language::Swedish,
            Lang::Rus => Language::Russian,
            Lang::Cmn => Language::Chinese,
            Lang::Jpn => Language::Japanese,
            Lang::Kor => Language::Korean,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn detected(texts: &[&str]) -> Language {
        Language::detect(texts.len(), |at| texts[at])
    }

    const GERMAN: &str = "Johannes Kepler veröffentlichte seine ersten beiden Gesetze im Jahr 1609. Die Planeten bewegen \
        sich auf Ellipsen, in deren einem Brennpunkt die Sonne steht.";
    const ENGLISH: &str = "Johannes Kepler published his first two laws in 1609. The planets move on ellipses with the Sun \
        at one focus, and they are faster when they are near to it.";

    #[test]
    fn every_language_is_recognised_by_a_few_sentences() {
        for (language, text) in [
            (Language::English, ENGLISH),
            (Language::German, GERMAN),
            (
                Language::French,
                "Marie Curie est née à Varsovie en 1867. Elle a découvert le polonium et le radium avec son mari, et elle \
                 a été la première femme à recevoir un prix Nobel.",
            ),
            (
                Language::Spanish,
                "Miguel de Cervantes nació en Alcalá de Henares en 1547. Es el autor de la novela más conocida de la \
                 lengua española, que se publicó en dos partes.",
            ),
            (
                Language::Italian,
                "Galileo Galilei nacque a Pisa nel 1564. Con il suo telescopio scoprì quattro lune di Giove, che dedicò \
                 alla famiglia dei Medici di Firenze.",
            ),
            (
                Language::Portuguese,
                "Vasco da Gama nasceu em Sines e chegou à Índia em 1498. A sua viagem abriu o caminho marítimo entre a \
                 Europa e o Oriente, que não era conhecido.",
            ),
            (
                Language::Dutch,
                "Antoni van Leeuwenhoek werd in 1632 geboren in Delft. Hij bouwde zijn eigen microscopen en zag als \
                 eerste mens bacteriën in een druppel water.",
            ),
            (
                Language::Swedish,
                "Carl von Linné föddes år 1707 i Småland. Han gav växter och djur namn som består av två ord, och dessa \
                 namn används fortfarande i hela världen.",
            ),
            (
                Language::Russian,
                "Дмитрий Менделеев родился в Тобольске в 1834 году. Он открыл периодический закон и составил таблицу \
                 химических элементов, которая носит его имя.",
            ),
            (
                Language::Chinese,
                "李时珍是明代的医学家，他用了二十七年写成《本草纲目》，书中记载了一千八百多种药物。",
            ),
            (
                Language::Japanese,
                "紫式部は平安時代の作家で、『源氏物語』を書いた。この物語は世界で最も古い長編小説のひとつである。",
            ),
            (
                Language::Korean,
                "세종대왕은 조선의 네 번째 왕이며 1443년에 한글을 만들었다. 한글은 배우기 쉬운 문자로 알려져 있다.",
            ),
        ] {
            assert_eq!(detected(&[text, text]), language, "{text}");
        }
    }

    #[test]
    fn mixed_unknown_and_unsure_texts_count_as_english() {
        assert_eq!(detected(&[]), Language::English);
        assert_eq!(detected(&["", "1609", "K2-18b"]), Language::English);
        let (german, english) = ([GERMAN; 8].join(" "), [ENGLISH; 8].join(" "));
        assert_eq!(detected(&[&german, &english]), Language::English);
        assert_eq!(
            detected(&[&german, &english, &german, &german]),
            Language::German
        );
        let danish = "Tycho Brahe blev født i 1546 og byggede et observatorium på øen Hven. Han målte planeternes bevægelser \
            mere nøjagtigt end nogen før ham, og hans tal blev senere brugt af Kepler.";
        assert_eq!(detected(&[danish, danish]), Language::English);
        let names = "Real Madrid; Valencia CF; Deportivo Alaves; Sevilla FC; Rayo Vallecano; Real Betis; Villarreal CF";
        assert_eq!(detected(&[names, names, names]), Language::English);
    }

    proptest! {
        #[test]
        fn any_texts_have_one_language(texts in prop::collection::vec("\\PC{0,40}", 0..6)) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            prop_assert_eq!(detected(&texts), detected(&texts));
        }
    }
}
