//! Function words and abbreviations, in lower case: short lists of our own. Each has the articles, pronouns, prepositions,
//! conjunctions, auxiliary verbs and question words of its language, and no word that names a thing.

use super::Language;
use crate::text::sentences::ABBREVIATIONS;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

type Words = LazyLock<FxHashSet<&'static str>>;

macro_rules! list {
    ($name:ident, $text:expr) => {
        static $name: Words = LazyLock::new(|| $text.split_whitespace().collect());
    };
}

list!(
    GERMAN,
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines ich du er sie es \
     wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein dein sein unser euer meine deine seine ihre unsere eure \
     seinen seinem seiner seines ihren ihrem ihrer ihres dieser diese dieses diesen diesem jener jene jenes jenen jenem \
     jeder jede jedes jeden jedem alle allem allen aller alles man und oder aber denn sondern doch auch noch schon nur \
     sehr so als wie wenn weil dass daß ob obwohl während bevor nachdem damit in im an am auf aus bei beim bis durch für \
     gegen hinter mit nach neben ohne seit über um unter von vom vor zu zum zur zwischen wegen trotz ist sind war waren \
     bin bist seid wird werden wurde wurden worden wird hat haben hatte hatten habe kann können konnte konnten muss \
     müssen musste soll sollen sollte will wollen wollte darf dürfen mag nicht nichts wer wen wem wessen was wo wohin \
     woher wann warum weshalb wieso welche welcher welches welchen welchem hier da dort dann nun jetzt immer wieder \
     einige viele mehr andere anderen anderer anderes etwa bereits sowie beide beiden ja nein"
);
list!(
    FRENCH,
    "le la les l un une des du de d au aux ce cet cette ces c ça cela celui celle ceux celles je j tu il elle on nous vous \
     ils elles me m te t se s lui leur leurs moi toi eux y en mon ma mes ton ta tes son sa ses notre nos votre vos qui que \
     qu quoi dont où lequel laquelle lesquels lesquelles duquel auquel quel quelle quels quelles quand comment pourquoi \
     combien et ou mais donc or ni car si comme lorsque puisque quoique dans par pour sur sous avec sans chez vers entre \
     contre depuis pendant avant après dès jusque jusqu selon malgré est sont était étaient être été fut furent sera \
     seront serait suis es sommes êtes ai as a avons avez ont avait avaient avoir eu eut ne n pas plus moins très aussi \
     même mêmes tout toute tous toutes autre autres aucun aucune chaque plusieurs peut peuvent pouvait fait faire ici là \
     alors ainsi encore déjà non oui aujourd hui lors afin"
);
list!(
    SPANISH,
    "el la los las lo un una unos unas de del al a y e o u pero sino ni que qué quien quién quienes quiénes cual cuál \
     cuales cuáles cuyo cuya cuyos cuyas donde dónde cuando cuándo como cómo cuanto cuánto cuántos cuántas porque por \
     para con sin sobre bajo entre hasta hacia desde durante contra según tras ante en se si sí no me te le les nos os mi \
     mis tu tus su sus nuestro nuestra nuestros nuestras yo tú él ella ello ellos ellas usted ustedes nosotros vosotros \
     este esta estos estas ese esa esos esas esto eso aquel aquella aquellos aquellas es son era eran fue fueron ser sido \
     siendo será serán sería está están estaba estaban estar ha han había habían haber hay he hemos tiene tienen tenía \
     puede pueden podía muy más menos también tampoco ya aún todo toda todos todas otro otra otros otras mismo misma cada \
     algún alguna algunos algunas ningún ninguna así entonces luego aquí allí"
);
list!(
    ITALIAN,
    "il lo la i gli le l un uno una di del dello della dei degli delle dell a al allo alla ai agli alle all da dal dallo \
     dalla dai dagli dalle dall in nel nello nella nei negli nelle nell su sul sullo sulla sui sugli sulle sull con col \
     per tra fra e ed o od ma però se che chi cui quale quali quando dove come perché quanto quanta quanti quante cosa d \
     c io tu egli lui lei noi voi essi esse loro mi ti si ci vi ne me te sé mio mia miei mie tuo tua suo sua suoi sue \
     nostro nostra nostri nostre vostro vostra questo questa questi queste quello quella quelli quelle quel quei quegli \
     è sono era erano fu furono essere stato stata stati state sarà saranno sarebbe ha hanno aveva avevano avere ho abbiamo \
     ebbe può possono poteva non più meno molto anche ancora già tutto tutta tutti tutte altro altra altri altre stesso \
     stessa ogni alcuni alcune nessuno così allora poi qui dopo prima durante senza contro verso secondo mentre"
);
list!(
    PORTUGUESE,
    "o a os as um uma uns umas de do da dos das dum duma em no na nos nas num numa ao à aos às por pelo pela pelos pelas \
     para com sem sob sobre entre até desde durante contra segundo após ante e ou mas nem que quê quem qual quais cujo \
     cuja cujos cujas onde quando como quanto quanta quantos quantas porque porquê se si me te lhe lhes nós vós eu tu ele \
     ela eles elas você vocês meu minha meus minhas teu tua seu sua seus suas nosso nossa nossos nossas este esta estes \
     estas esse essa esses essas isto isso aquele aquela aqueles aquelas aquilo deste desta desse dessa daquele daquela \
     neste nesta nesse nessa é são era eram foi foram ser sido sendo será serão seria está estão estava estavam estar há \
     tem têm tinha tinham ter teve havia haver pode podem podia não sim mais menos muito também já ainda todo toda todos \
     todas outro outra outros outras mesmo mesma cada algum alguma alguns algumas nenhum nenhuma assim então depois aqui ali"
);
list!(
    DUTCH,
    "de het een der des den ik jij je u hij zij ze wij we jullie hem haar hen hun mij me ons onze mijn jouw zijn uw dit \
     dat deze die wie wat waar wanneer waarom hoe welk welke wiens waarin waarmee waardoor en of maar want dus noch als \
     dan toen omdat hoewel terwijl zodat indien in op aan bij van voor met door naar uit om onder over tegen tot tussen \
     zonder sinds tijdens na te ter ten per via is was waren ben bent zijn wordt worden werd werden geworden geweest heeft \
     hebben had hadden heb kan kunnen kon konden moet moeten moest zal zullen zou zouden wil willen mag mogen niet geen \
     ook nog al zeer meer minder veel alle alles iets niets er hier daar nu weer zo andere ander elk elke ieder zelf zich \
     men reeds beide"
);
list!(
    SWEDISH,
    "en ett den det de dem jag du han hon vi ni mig dig honom henne oss er sig min mitt mina din ditt dina sin sitt sina \
     hans hennes dess deras vår vårt våra denna detta dessa vem vad var när varför hur vilken vilket vilka vars vart och \
     eller men utan för att som om då där här innan medan eftersom så i på av till från med hos mot under över mellan genom \
     vid efter före utan kring ur inom mellan sedan är var vara varit blir bli blev blivit har hade ha haft kan kunde ska \
     skulle skall vill ville måste får fick inte ej icke också även bara mycket mer mest mindre alla allt någon något några \
     ingen inget inga annan annat andra samma varje båda nu ju man redan"
);
list!(
    RUSSIAN,
    "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее её мне было вот от меня еще \
     ещё нет о об из ему теперь когда даже ну ли если уже или ни быть был была были него до вас нибудь опять уж вам ведь \
     там потом себя себе ей может они тут где есть надо ней для мы тебя их чем сам сама само сами без чего раз тоже под \
     будет будут кто кого кому кем ком этот эта это эти этого этой этому этом этих тот та те того той тому том тех какой \
     какая какое какие какого каком какую который которая которое которые которого которой которому котором которых \
     которую которым сколько почему зачем откуда куда чей чья чьё чьи при через над между перед после около среди против \
     вместо кроме также является являются являлся свой своя своё свои своего своей своих своему своём нас нам ними них ним \
     ею эту этим этими весь вся всё всех всего всей чтобы потому поэтому хотя затем очень более менее"
);

impl Language {
    /// Words before whose full stop a sentence does not end.
    pub(in crate::text) fn abbreviations(self) -> &'static [&'static str] {
        match self {
            Language::English => ABBREVIATIONS,
            Language::German => &[
                "dr", "prof", "hr", "fr", "st", "nr", "bzw", "ca", "vgl", "usw", "etc", "evtl",
                "ggf", "geb", "gest", "jh", "jhd", "mio", "mrd", "sog", "u.a", "z.b", "d.h", "z",
                "d", "u", "o", "s", "v", "chr", "inkl", "bd", "hg", "hrsg", "aufl", "abb", "kap",
                "str", "tel", "jan", "feb", "aug", "sept", "okt", "nov", "dez",
            ],
            Language::French => &[
                "m", "mm", "mme", "mmes", "mlle", "dr", "pr", "me", "st", "ste", "cf", "etc", "ex",
                "p", "pp", "av", "apr", "env", "fig", "vol", "éd", "no", "bd", "hab", "janv",
                "févr", "juil", "sept", "oct", "nov", "déc",
            ],
            Language::Spanish => &[
                "sr", "sra", "srta", "sres", "dr", "dra", "d", "dña", "prof", "st", "sta", "sto",
                "etc", "p", "pp", "pág", "núm", "vol", "ed", "fig", "cap", "av", "c", "ej",
                "aprox", "gral", "ing", "lic", "ud", "uds", "ee", "uu",
            ],
            Language::Italian => &[
                "sig", "sigg", "sig.ra", "dott", "dr", "prof", "avv", "ing", "on", "s", "ss", "st",
                "ecc", "cfr", "p", "pp", "pag", "vol", "ed", "fig", "cap", "ca", "c", "n", "es",
                "art", "gen",
            ],
            Language::Portuguese => &[
                "sr", "sra", "srta", "dr", "dra", "prof", "profa", "d", "eng", "exmo", "st", "sto",
                "sta", "etc", "p", "pp", "pág", "n", "núm", "vol", "ed", "fig", "cap", "av",
                "aprox", "gen", "ex",
            ],
            Language::Dutch => &[
                "dhr", "mevr", "mw", "dr", "drs", "ir", "ing", "mr", "prof", "st", "nr", "bijv",
                "bv", "enz", "etc", "ca", "blz", "p", "pp", "vgl", "jl", "o.a", "d.w.z", "m.b.t",
                "m", "jan", "feb", "aug", "sept", "okt", "nov", "dec",
            ],
            Language::Swedish => &[
                "dr", "prof", "hr", "fr", "st", "nr", "bl.a", "t.ex", "d.v.s", "m.m", "m.fl",
                "osv", "etc", "ca", "s", "f", "d", "kl", "jfr", "resp", "sid", "tel", "tr", "jan",
                "feb", "aug", "sept", "okt", "nov", "dec",
            ],
            Language::Russian => &[
                "г",
                "гг",
                "в",
                "вв",
                "н",
                "э",
                "т",
                "е",
                "д",
                "п",
                "с",
                "см",
                "ср",
                "др",
                "пр",
                "им",
                "ул",
                "пл",
                "пер",
                "просп",
                "обл",
                "р",
                "о",
                "оз",
                "св",
                "стр",
                "рис",
                "табл",
                "гл",
                "изд",
                "тыс",
                "млн",
                "млрд",
                "руб",
                "проф",
                "акад",
                "род",
                "ум",
                "ок",
            ],
            Language::Chinese | Language::Japanese | Language::Korean => &["dr", "mr", "mrs", "st"],
        }
    }
}

/// The function words of a language but English, which has lists of its own; none where words are pairs of characters.
pub(super) fn function_words(language: Language) -> &'static FxHashSet<&'static str> {
    static NONE: Words = LazyLock::new(FxHashSet::default);
    match language {
        Language::German => &GERMAN,
        Language::French => &FRENCH,
        Language::Spanish => &SPANISH,
        Language::Italian => &ITALIAN,
        Language::Portuguese => &PORTUGUESE,
        Language::Dutch => &DUTCH,
        Language::Swedish => &SWEDISH,
        Language::Russian => &RUSSIAN,
        Language::English | Language::Chinese | Language::Japanese | Language::Korean => &NONE,
    }
}
