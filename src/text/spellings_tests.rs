use super::*;

fn found(names: &[&str], asked: &str) -> Vec<(usize, Variant, usize)> {
    let numbered = names.iter().enumerate();
    let all = Spellings::of(numbered.map(|(at, name)| (at as u32, *name)));
    let alike = all.alike(asked).into_iter();
    let told = alike.map(|f| (f.number as usize, f.variant, f.bearers));
    told.filter(|(at, ..)| names[*at] != asked).collect()
}

/// Whatever is asked for, the other is found, and by one rule.
fn pair(a: &str, b: &str) -> Option<Variant> {
    let both = [found(&[a, b], a), found(&[a, b], b)];
    let by = |at: usize| both[at].first().map(|found| found.1);
    assert_eq!(by(0), by(1), "{a} | {b}");
    by(0)
}

#[test]
fn each_rule_finds_its_pairs_and_leaves_their_neighbors() {
    let cases: &[(&str, &str, Option<Variant>)] = &[
        ("Tekeze River", "Tekezé River", Some(Variant::Accents)),
        ("Øresund", "Oresund", Some(Variant::Accents)),
        ("İzmir", "Izmir", Some(Variant::Accents)),
        ("Mc Donald", "McDonald", Some(Variant::Punctuation)),
        ("The Bronx", "Bronx", Some(Variant::Punctuation)),
        ("St. Louis", "Saint Louis", Some(Variant::Punctuation)),
        (
            "Johnson & Sons",
            "Johnson and Sons",
            Some(Variant::Punctuation),
        ),
        ("US", "Us", None),
        (
            "Richard Nixon",
            "Richard Milhous Nixon",
            Some(Variant::Middle),
        ),
        ("Richard Nixon", "Pat Nixon", None),
        (
            "J. Edgar Hoover",
            "John Edgar Hoover",
            Some(Variant::Initials),
        ),
        ("J. D. Salinger", "Justin Salinger", None),
        (
            "Richard Nixon",
            "President Richard Nixon",
            Some(Variant::Title),
        ),
        ("Duke of Cleves", "Duchess of Cleves", None),
        ("Duke Ferdinand I", "Emperor Ferdinand I", None),
        ("Prime Minister", "Minister", None),
        ("Academy Award", "Academy Awards", Some(Variant::Plural)),
        ("Robert", "Roberts", None),
        ("Microsoft", "Microsoft Corporation", Some(Variant::Kind)),
        ("Chad", "Republic of Chad", Some(Variant::Kind)),
        ("Bhubaneswar", "Bhubaneshwar", Some(Variant::Misspelled)),
        ("Muhammed Ali", "Muhammad Ali", Some(Variant::Misspelled)),
        ("Yokohama", "Yokoyama", None),
        ("Austria", "Austrian", None),
        ("Treaty of 1948", "Treaty of 1949", None),
        ("World War I", "World War II", None),
        ("UN", "United Nations", Some(Variant::Acronym)),
        ("Un", "United Nations", None),
        (
            "NATO",
            "North Atlantic Treaty Organization",
            Some(Variant::Acronym),
        ),
        ("Nixon", "Richard Nixon", Some(Variant::Surname)),
        ("Nixon", "Mr. Nixon", Some(Variant::Title)),
        ("Richard", "Richard Nixon", None),
        ("Atbarah", "Atbarah River", Some(Variant::Beginning)),
        ("York", "New York", None),
        ("Kansas", "Ellis, Kansas", None),
        ("Stargate", "George Hammond (Stargate)", None),
    ];
    for (a, b, expected) in cases {
        assert_eq!(pair(a, b), *expected, "{a} | {b}");
    }
}

#[test]
fn a_surname_of_several_people_is_ambiguous_and_one_person_under_two_names_is_not() {
    let names = ["Nixon", "Richard Nixon", "President Richard M. Nixon"];
    assert!(found(&names, "Nixon").iter().all(|f| f.2 == 1));
    let names = [
        "Nixon",
        "Richard Nixon",
        "Richard Milhous Nixon",
        "Patricia Nixon",
    ];
    let asked = found(&names, "Nixon");
    assert_eq!(asked.len(), 3);
    assert!(
        asked.iter().all(|f| (f.1, f.2) == (Variant::Surname, 2)),
        "{asked:?}"
    );
    // From the other side as well.
    assert!(found(&names, "Patricia Nixon").contains(&(0, Variant::Surname, 2)));
    let many: Vec<String> = [
        "Ada", "Ben", "Carl", "Dora", "Emma", "Felix", "Greta", "Hugo", "Ida", "Jack", "Karl",
        "Laura",
    ]
    .map(|first| format!("{first} Voss"))
    .to_vec();
    let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
    many.push("Voss");
    assert!(found(&many, "Voss").iter().all(|f| f.2 == BEARERS));
}

#[test]
fn the_surest_comes_first() {
    let names = [
        "Nixon",
        "President Richard Nixon",
        "Richard M. Nixon",
        "Richárd Nixon",
    ];
    let order: Vec<Variant> = found(&names, "Richard Nixon").iter().map(|f| f.1).collect();
    assert_eq!(
        order,
        [
            Variant::Accents,
            Variant::Middle,
            Variant::Title,
            Variant::Surname
        ]
    );
}

#[test]
fn marks_that_are_letters_of_their_script_are_no_accents() {
    assert_eq!(pair("कि", "का"), None);
    assert_eq!(pair("カキ", "ガキ"), None);
    assert_eq!(pair("Κωνσταντίνος", "Κωνσταντινος"), Some(Variant::Accents));
}

proptest::proptest! {
    /// Both sides agree on every two names of any letters, and nothing panics.
    #[test]
    fn two_names_are_alike_from_both_sides(a in ".{0,24}", b in "[A-D][a-d]{0,6}( [A-D][a-d]{0,7}){0,3}|\\PC{0,12}") {
        let names = [a.as_str(), b.as_str()];
        let by = |asked: &str, other: u32| {
            let all = Spellings::of(names.iter().enumerate().map(|(at, name)| (at as u32, *name)));
            all.alike(asked).iter().find(|f| f.number == other).map(|f| f.variant)
        };
        proptest::prop_assert_eq!(by(&a, 1), by(&b, 0));
    }
}
