//! Word lists of the tagger: closed classes, verbs with their forms, common adjectives and adverbs.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What a word form may be, as a set of bits.
pub type Classes = u16;

pub const DETERMINER: Classes = 1;
pub const POSSESSIVE: Classes = 1 << 1;
pub const PRONOUN: Classes = 1 << 2;
pub const PREPOSITION: Classes = 1 << 3;
pub const CONJUNCTION: Classes = 1 << 4;
pub const AUXILIARY: Classes = 1 << 5;
pub const ADVERB: Classes = 1 << 6;
pub const ADJECTIVE: Classes = 1 << 7;
pub const NOUN: Classes = 1 << 8;
/// A verb's base form, or with -s.
pub const BASE: Classes = 1 << 9;
/// A form in -s, beside [`BASE`].
pub const THIRD: Classes = 1 << 10;
pub const PAST: Classes = 1 << 11;
pub const PARTICIPLE: Classes = 1 << 12;
pub const GERUND: Classes = 1 << 13;
pub const NUMBER: Classes = 1 << 14;

const CLOSED: &[(Classes, &str)] = &[
    (
        DETERMINER,
        "the a an this these those each every some any no all both either neither another such what which whatever \
         whichever many much several few most half enough",
    ),
    (POSSESSIVE, "my your his her its our their whose"),
    (
        PRONOUN,
        "i you he she it we they me him us them himself herself itself themselves myself yourself ourselves who whom \
         whoever that this these those there someone anyone everyone somebody anybody everybody nobody something \
         anything everything nothing none others mine yours hers ours theirs one which what",
    ),
    (
        PREPOSITION,
        "of in on at by for from with to into onto as about after before during between among against through under \
         over above below within without across along around behind beside besides beyond despite except inside near \
         off out outside past per since than toward towards until till up upon via like unlike down alongside amid \
         amidst amongst atop beneath concerning notwithstanding opposite regarding throughout underneath versus aboard \
         excluding including following",
    ),
    (
        CONJUNCTION,
        "and or but nor so yet because although though while whereas if unless whether that when where why how since \
         after before until till once lest whenever wherever as than",
    ),
    (
        AUXILIARY,
        "am is are was were be been being has have had having do does did can could will would shall should may might \
         must cannot ain't isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't couldn't won't \
         wouldn't shouldn't mustn't 're 've 'll 'd 'm",
    ),
    (
        ADVERB,
        "not never also only just very too often always usually sometimes soon then now here there again already still \
         even ever almost nearly rather quite perhaps maybe once twice later earlier ago away back together instead \
         however therefore thus hence moreover furthermore nevertheless meanwhile otherwise indeed well far much more \
         most less least abroad afterwards afterward ahead alone altogether apart aside forever forward further else \
         mainly partly largely mostly originally initially eventually finally currently formerly previously recently \
         subsequently today tomorrow yesterday tonight upstairs downstairs indoors outdoors overseas backwards \
         somewhat somewhere anywhere everywhere nowhere seldom thereby therein thereafter likewise namely anyway yes \
         oh please why how when where n't first last off up out down over along about around",
    ),
    (
        ADJECTIVE,
        "new old good great big small large long short high low young little early late own same other different \
         important public private main major minor real whole full free open true false white black red green blue \
         brown grey gray yellow dark light hot cold warm cool dead alive rich poor strong weak hard soft easy fast slow \
         deep wide narrow broad thick thin heavy bright clean dirty dry wet fresh sharp smooth rough quiet loud happy \
         sad angry afraid aware able unable ready sure certain likely unlikely similar common rare best better worst \
         worse top bottom upper lower northern southern eastern western north south east west central inner outer \
         first second third fourth fifth sixth seventh eighth ninth tenth last next previous former latter current \
         recent present modern ancient medieval early mid annual daily weekly monthly senior junior chief head royal \
         popular famous known due so-called various numerous entire complete multiple single double triple total \
         male female human foreign domestic international national local rural urban civil military naval legal right \
         left wrong fair foul wild tame raw ripe flat round square straight direct indirect prior leading living \
         pre-war post-war live elder eldest younger oldest youngest largest smallest longest highest lowest biggest \
         greatest larger smaller higher older newer newest longer shorter worth \
         united american british english french german italian spanish russian chinese japanese indian canadian \
         australian irish scottish welsh dutch swedish norwegian danish finnish polish portuguese greek turkish \
         european african asian korean mexican brazilian austrian swiss belgian hungarian czech israeli egyptian \
         iranian iraqi pakistani vietnamese thai roman catholic protestant christian jewish muslim islamic buddhist \
         hindu arab arabic latin",
    ),
    (
        NUMBER,
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen \
         eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion \
         trillion dozen hundreds thousands millions billions dozens",
    ),
    (
        NOUN,
        // Nouns that a suffix rule or the verb list would take for something else.
        "city country family army navy party company century university county community daughter mother father \
         brother sister son wife husband film album song book band actor writer singer river member leader player \
         manager director producer state states town village people man woman child men women children year years day \
         month week time war king queen prince princess president minister species series news data evening morning \
         building thing something nothing wedding ceiling bed seed speed deed breed reed creed weed ring wing string \
         spring king sibling being beginning meaning feeling painting drawing recording ending opening setting meeting \
         training hearing engineering marketing banking shipping fishing clothing lightning railing offspring \
         dynasty anniversary library family assembly july festival arrival rival animal capital hospital signal canal \
         metal rebel journal carnival medal total individual criminal official original professional principal general \
         material tribunal proposal approval survival trial aerial burial cathedral funeral manual mineral mural numeral \
         referendum music logic magic topic republic clinic fabric arctic public critic comic epic classic relic attic \
         mosaic picnic panic traffic clinic rhetoric fiction mechanic native detective executive archive representative \
         relative alternative objective initiative perspective motive olive narrative captive locomotive cooperative \
         premiere office science species sense case house horse nurse purse expense response increase lease disease \
         east west north south side right left head face hand name title role part place age life end start",
    ),
    // The -er and -ly words that are neither.
    (NOUN | ADVERB, "home"),
    (
        NOUN | ADJECTIVE,
        "daily weekly monthly elder senior junior native official original individual general criminal \
        public classic comic epic total head chief female male human representative alternative royal capital top \
        north south east west right left present second light square round open present academic",
    ),
];

/// Verbs that form -s, -ed and -ing by rule.
const REGULAR: &str = "abandon abolish absorb accept accompany accuse achieve acquire act adapt add address adjust administer admire \
    admit adopt advance advise advocate affect agree aim air allow alter amend amount announce answer apologise appeal appear appoint \
    approach approve argue arrange arrest arrive ask assassinate assemble assign assist associate assume attach attack \
    attempt attend attract attribute award ban base battle believe belong benefit betray block board bomb book border borrow \
    bury call campaign cancel capture care carry cast cause celebrate chair challenge change charge chart chase choreograph \
    cite claim climb close coach collaborate collapse collect colonise combine command comment commission commit compare \
    compete compile complete compose comprise conceive concentrate concern conclude conduct confirm connect conquer consider \
    consist constitute construct consult contain continue contract contribute control convert convict cook cooperate copy \
    correspond couple cover crash create credit criticise cross crown cure damage dance date debut decide declare decline \
    decorate dedicate defeat defend define deliver demand demolish demonstrate deny depart depend depict deploy derive \
    describe design designate destroy detail detect determine develop devote devise die differ direct disappear discover discuss \
    dismiss display dissolve distinguish distribute divide divorce document dominate donate double draft dress drop earn edit \
    educate elect eliminate embrace emerge emigrate employ enable encounter encourage end endorse engage enjoy enlarge enlist enrol ensure \
    enter entertain escape establish evacuate evolve examine exceed exchange execute exhibit exist expand expect experience \
    explain explode explore export expose express extend face fail favour feature fill film finance finish fire fix flank flow \
    focus fold follow force form found frame function fund gain gather generate govern graduate grant guarantee guard guide handle \
    happen hate head help hire hit host house identify ignore illustrate imagine implement import improve include incorporate \
    increase indicate induct influence inform inhabit inherit initiate injure insist inspire install institute intend \
    interact interpret interview introduce invade invent invest investigate invite involve issue join judge jump kick kidnap kill \
    kiss label lack land last laugh launch learn lease lecture license lie like limit link list listen live load locate lock look love \
    maintain manage manufacture march mark marry master match matter measure meditate mention merge migrate minister mix model modify monitor move \
    murder name narrate need negotiate nickname nominate note notice number obey object observe obtain occupy occur offer open \
    operate oppose order organise organize originate overlap own paint participate pass patent pay perform permit persuade \
    pick pioneer place plan plant play pledge point populate portray possess post practise practice praise prefer prepare \
    present preserve press prevent print proceed process proclaim produce programme promise promote propose protect protest \
    prove provide publish pull purchase pursue push qualify question raise range rank reach react realise realize rebuild \
    recall receive recognise recognize recommend record recover recruit reduce refer reflect reform refuse regain regard register \
    reject relate release relocate rely remain remake remark remember remind remove rename renew renovate rent reopen repair replace reply report \
    represent request require rescue research reserve reside resign resist resolve respond rest restore result retain retire \
    retreat return reunite reveal review revise revive reward rob rotate ruin rule sail sample satisfy save score scout seal search secure \
    seek select separate serve settle shape share shift ship shock shop shout show sign signal situate smoke solve sound span spark specialise specialize \
    specify sponsor spot stage star start state stay stop store stretch structure struggle study submit succeed suffer suggest supervise \
    supply support suppose surrender surround survive suspect suspend switch talk target taste teach team tend term terminate test thank \
    tour trace track trade train transfer transform translate transmit transport travel treat trigger try turn undergo unite unveil \
    update upgrade use value vary visit volunteer vote wait walk want warn wash watch water weigh welcome wish witness wonder work worry wound \
    accommodate accumulate advertise aid anticipate appreciate arise assault assert assess authorise authorize authored author \
    broadcast canonise characterise chronicle circulate clarify classify coin coincide compensate complain comply compress \
    confess confine confront consolidate contest contrast co-found cofound co-write co-star co-direct co-produce co-author costar crawl curate dare debate \
    decrease delay descend deserve desire detain dictate dine disband discharge disclose disguise dispute disrupt disturb drain drift drown \
    eject emphasise enact encompass endure enforce envision equip erect erupt evoke exclude excite exile expel exploit facilitate \
    fascinate feed ferry file flee float forecast forge formulate fulfil gaze glance greet grin guess harm haunt hesitate highlight honour honor hunt \
    imply impose impress imprison incite induce insert inspect integrate intervene invoke isolate jail knock lament lead-off linger lobby \
    meander memorise mine mobilise motivate mount neglect nod nurture oversee partner patrol peak penetrate persecute photograph pilot plead plot \
    pose pour pray predict premiere presume probe program prohibit project pronounce prosecute prosper provoke quote rally rate re-elect \
    re-release rebel reckon reconstruct recount redesign refine regret rehearse reign reissue relaunch relieve relinquish render repeat reprise reproduce \
    rescind restrict resume rhyme rival roam roar rush sack scatter schedule scream screen script sculpt seize sentence shelter sigh simulate sketch \
    skip slip smile snap soak solicit spell stabilise stem stir strengthen stress strip subdue substitute sue summon suppress surface surpass surprise \
    sustain swap sweat swell tackle tempt testify thrive tie top toss transition trap triumph trust uncover undertake unify urge utilise utilize \
    vacate vanish venture wander warm whisper wipe yell yield encode code compute store search index retrieve evolve orbit";

/// Base, past and participle of verbs that do not; -s and -ing follow the rule.
const IRREGULAR: &str = "become became become|begin began begun|bear bore borne|beat beat beaten|bend bent bent|bind bound bound|bite bit bitten|\
    blow blew blown|break broke broken|bring brought brought|build built built|burn burned burned|buy bought bought|catch caught caught|\
    choose chose chosen|cling clung clung|come came come|creep crept crept|deal dealt dealt|dig dug dug|draw drew drawn|dream dreamt dreamt|\
    drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found|\
    flee fled fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|\
    get got gotten|give gave given|go went gone|grow grew grown|hang hung hung|hear heard heard|hide hid hidden|hold held held|\
    keep kept kept|kneel knelt knelt|know knew known|lay laid laid|lead led led|lean leant leant|leave left left|lend lent lent|\
    light lit lit|lose lost lost|make made made|mean meant meant|meet met met|overcome overcame overcome|oversee oversaw overseen|\
    pay paid paid|ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said|see saw seen|seek sought sought|\
    sell sold sold|send sent sent|sew sewed sewn|shake shook shaken|shine shone shone|shoot shot shot|show showed shown|\
    shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat sat|sleep slept slept|slide slid slid|speak spoke spoken|\
    spend spent spent|spin spun spun|spring sprang sprung|stand stood stood|steal stole stolen|stick stuck stuck|strike struck struck|\
    strive strove striven|swear swore sworn|sweep swept swept|swim swam swum|swing swung swung|take took taken|teach taught taught|\
    tear tore torn|tell told told|think thought thought|throw threw thrown|understand understood understood|undergo underwent undergone|\
    undertake undertook undertaken|wake woke woken|wear wore worn|weave wove woven|win won won|wind wound wound|withdraw withdrew withdrawn|\
    write wrote written|rewrite rewrote rewritten|co-write co-wrote co-written|arise arose arisen|rebuild rebuilt rebuilt|remake remade remade|\
    retell retold retold|uphold upheld upheld|withstand withstood withstood|outsell outsold outsold|overthrow overthrew overthrown|\
    cut cut cut|put put put|set set set|let let let|cost cost cost|hit hit hit|hurt hurt hurt|shut shut shut|spread spread spread|\
    split split split|cast cast cast|broadcast broadcast broadcast|forecast forecast forecast|burst burst burst|quit quit quit|read read read|\
    bury buried buried|bear bore born|title titled titled|entitle entitled entitled|remain remained remained|lie lay lain|beget begot begotten|bestow bestowed bestowed|cease ceased ceased";

/// Verb forms that double their last consonant.
const DOUBLING: &str = "admit ban cancel commit control drop fit grab hit jog kidnap nod occur permit plan plot prefer pop quit recur refer regret \
    rob run rub ship shop shut sit skip slip snap spin spot star stem step stir stop strip submit swap swim tap top transfer transmit \
    trap win begin forget get let put set cut rebel expel enrol fulfil spit split travel label model equip dig hum knit map wrap rip beg \
    program co-star costar wed equal signal dispel compel propel quarrel patrol level cast-off forbid whip chop clap hug mob pin pat rot sob tip trim wag zip bet";

/// Every listed form and what it may be.
pub static LEXICON: LazyLock<FxHashMap<String, Classes>> = LazyLock::new(|| {
    let mut lexicon: FxHashMap<String, Classes> = FxHashMap::default();
    let mut add =
        |form: &str, classes: Classes| *lexicon.entry(form.to_owned()).or_default() |= classes;
    for &(classes, words) in CLOSED {
        for word in words.split_whitespace() {
            add(word, classes);
        }
    }
    let doubled = |base: &str| DOUBLING.split_whitespace().any(|word| word == base);
    for base in REGULAR.split_whitespace() {
        let past = past(base, doubled(base));
        add(base, BASE);
        add(&third(base), BASE | THIRD);
        add(&past, PAST | PARTICIPLE);
        add(&gerund(base, doubled(base)), GERUND);
    }
    for verb in IRREGULAR.split('|') {
        let mut forms = verb.split_whitespace();
        let (Some(base), Some(past), Some(participle)) = (forms.next(), forms.next(), forms.next())
        else {
            continue;
        };
        add(base, BASE);
        add(&third(base), BASE | THIRD);
        add(past, PAST);
        add(participle, PARTICIPLE);
        add(&gerund(base, doubled(base)), GERUND);
    }
    lexicon
});

/// What the lists know of a word in lower case; 0 if nothing.
pub fn classes(lower: &str) -> Classes {
    LEXICON.get(lower).copied().unwrap_or(0)
}

fn vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// What stands before the y of a word that ends in a consonant and y.
fn soft(base: &str) -> Option<&str> {
    let stem = base.strip_suffix('y')?;
    stem.bytes()
        .next_back()
        .is_some_and(|last| !vowel(last))
        .then_some(stem)
}

/// The last letter of a word once more.
fn doubling(base: &str) -> String {
    base.chars().chain(base.chars().next_back()).collect()
}

fn third(base: &str) -> String {
    if let Some(stem) = soft(base) {
        return format!("{stem}ies");
    }
    let hiss = ["s", "sh", "ch", "x", "z", "o"]
        .iter()
        .any(|end| base.ends_with(end));
    format!("{base}{}", if hiss { "es" } else { "s" })
}

fn past(base: &str, doubled: bool) -> String {
    if let Some(stem) = soft(base) {
        return format!("{stem}ied");
    }
    if base.ends_with('e') {
        return format!("{base}d");
    }
    if doubled {
        return format!("{}ed", doubling(base));
    }
    format!("{base}ed")
}

fn gerund(base: &str, doubled: bool) -> String {
    if let Some(stem) = base.strip_suffix("ie") {
        return format!("{stem}ying");
    }
    if let Some(stem) = base.strip_suffix('e')
        && !stem.ends_with(['e', 'y'])
    {
        return format!("{stem}ing");
    }
    if doubled {
        return format!("{}ing", doubling(base));
    }
    format!("{base}ing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verb_forms_follow_the_rules_of_spelling() {
        for (form, class) in [
            ("carries", THIRD),
            ("carried", PAST),
            ("carrying", GERUND),
            ("stopped", PAST),
            ("stopping", GERUND),
            ("lying", GERUND),
            ("seeing", GERUND),
            ("making", GERUND),
            ("publishes", THIRD),
            ("goes", THIRD),
            ("wrote", PAST),
            ("written", PARTICIPLE),
            ("played", PARTICIPLE),
            ("plays", THIRD),
            ("begins", THIRD),
        ] {
            assert!(classes(form) & class != 0, "{form}");
        }
        assert_eq!(classes("wrote") & PARTICIPLE, 0);
        assert_eq!(classes("quagmire"), 0);
    }

    #[test]
    fn irregular_verbs_come_in_threes() {
        assert!(
            IRREGULAR
                .split('|')
                .all(|verb| verb.split_whitespace().count() == 3)
        );
    }
}
