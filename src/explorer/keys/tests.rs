use super::*;

fn chord(text: &str) -> Chord {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn event(code: KeyCode, modifiers: KeyModifiers) -> KeyEvent {
    KeyEvent::new(code, modifiers)
}

#[test]
fn what_is_printed_can_be_read_and_is_the_same() {
    for text in [
        "a",
        "A",
        "?",
        "/",
        "-",
        "+",
        "^",
        "'",
        "{",
        "Ctrl-P",
        "Ctrl--",
        "Ctrl-Space",
        "Alt-x",
        "Enter",
        "Esc",
        "Tab",
        "Shift-Tab",
        "Space",
        "PgUp",
        "PgDn",
        "F1",
        "F12",
        "Shift-Up",
        "Ctrl-Left",
        "p d",
        "E j",
        "' Space",
        "ü",
    ] {
        assert_eq!(chord(text).to_string(), text);
    }
}

#[test]
fn other_ways_to_write_the_same() {
    for (written, shown) in [
        ("ctrl-p", "Ctrl-P"),
        ("C-p", "Ctrl-P"),
        ("Ctrl+P", "Ctrl-P"),
        ("^p", "Ctrl-P"),
        ("Ctrl-Shift-P", "Ctrl-P"),
        ("shift-a", "A"),
        ("S-Tab", "Shift-Tab"),
        ("backtab", "Shift-Tab"),
        ("return", "Enter"),
        ("pageup", "PgUp"),
        ("Minus", "-"),
        ("  p   d ", "p d"),
    ] {
        assert_eq!(chord(written).to_string(), shown, "{written}");
    }
}

#[test]
fn mistakes_are_explained() {
    for (text, wanted) in [
        ("", "missing"),
        ("p d x", "more than two"),
        ("Ctrl-", "`Ctrl-` is not a key"),
        ("Hyper-x", "`Hyper` in `Hyper-x` is not Ctrl, Alt or Shift"),
        (
            "Entr",
            "`Entr` is not a key; keys are single characters, F1 to F12, Enter",
        ),
        ("F99", "not a key"),
    ] {
        let error = text.parse::<Chord>().unwrap_err();
        assert!(error.contains(wanted), "{text:?}: {error}");
    }
}

#[test]
fn shift_is_the_same_press_in_every_terminal() {
    let none = KeyModifiers::NONE;
    let shift = KeyModifiers::SHIFT;
    let ctrl = KeyModifiers::CONTROL;
    for (stroke, events) in [
        (
            "?",
            vec![(KeyCode::Char('?'), none), (KeyCode::Char('?'), shift)],
        ),
        (
            "A",
            vec![
                (KeyCode::Char('A'), none),
                (KeyCode::Char('A'), shift),
                (KeyCode::Char('a'), shift),
            ],
        ),
        (
            "Ü",
            vec![(KeyCode::Char('Ü'), none), (KeyCode::Char('ü'), shift)],
        ),
        (
            "Shift-Tab",
            vec![
                (KeyCode::BackTab, none),
                (KeyCode::BackTab, shift),
                (KeyCode::Tab, shift),
            ],
        ),
        (
            "Ctrl-P",
            vec![
                (KeyCode::Char('p'), ctrl),
                (KeyCode::Char('P'), ctrl),
                (KeyCode::Char('P'), ctrl | shift),
            ],
        ),
        ("Shift-Up", vec![(KeyCode::Up, shift)]),
    ] {
        let stroke = stroke.parse::<Stroke>().unwrap();
        for (code, modifiers) in events {
            assert!(
                Stroke::from_event(&event(code, modifiers)) == Some(stroke),
                "{stroke}: {code:?} {modifiers:?}"
            );
        }
    }
    let a = Stroke::char('a');
    assert_ne!(
        Stroke::from_event(&event(KeyCode::Char('a'), ctrl)),
        Some(a)
    );
    assert_ne!(
        Stroke::from_event(&event(KeyCode::Char('A'), none)),
        Some(a)
    );
    let mut released = event(KeyCode::Char('a'), none);
    released.kind = KeyEventKind::Release;
    assert_eq!(Stroke::from_event(&released), None);
    // Num lock and the like are no part of the press.
    let mut caps = event(KeyCode::Char('a'), none);
    caps.state = crossterm::event::KeyEventState::NUM_LOCK;
    assert_eq!(Stroke::from_event(&caps), Some(a));
    assert_eq!(a.typed(), Some('a'));
    assert_eq!("Ctrl-A".parse::<Stroke>().unwrap().typed(), None);
}

fn map() -> Keymap<&'static str> {
    let mut map = Keymap::new();
    for (keys, command) in [
        ("w", "why"),
        ("Ctrl-W", "why"),
        ("p d", "damping"),
        ("p w", "weight"),
        ("q", "quit"),
        ("1", "explore"),
    ] {
        map.bind(chord(keys), command).unwrap();
    }
    map
}

#[test]
fn looking_up_strokes() {
    let map = map();
    let of = |text: &str| {
        let strokes: Vec<Stroke> = text.split(' ').map(|word| word.parse().unwrap()).collect();
        map.lookup(&strokes)
    };
    assert_eq!(of("w"), Lookup::Command("why"));
    assert_eq!(
        of("p"),
        Lookup::Prefix(vec![
            (Stroke::char('d'), "damping"),
            (Stroke::char('w'), "weight")
        ])
    );
    assert_eq!(of("p d"), Lookup::Command("damping"));
    assert_eq!(of("p x"), Lookup::None);
    assert_eq!(of("x"), Lookup::None);
    assert_eq!(map.lookup(&[]), Lookup::None);
    assert_eq!(map.shown("why"), Some(chord("w")));
    assert_eq!(map.chords("why").count(), 2);
    assert_eq!(map.bindings().count(), 6);
}

#[test]
fn defaults_may_not_clash() {
    let mut map = map();
    let same = map.bind(chord("w"), "wide").unwrap_err();
    assert_eq!((same.by, same.taken), ("why", chord("w")));
    assert_eq!(
        map.bind(chord("p"), "paste").unwrap_err().taken,
        chord("p d")
    );
    assert_eq!(map.bind(chord("q x"), "other").unwrap_err().by, "quit");
    assert!(
        map.bind(chord("w"), "why").is_ok(),
        "the same again is no clash"
    );
}

const IDS: [&str; 6] = [
    "why",
    "damping",
    "weight",
    "quit",
    "explore",
    "view.compare",
];

fn apply(text: &str) -> (Keymap<&'static str>, Vec<String>) {
    let (overrides, problems) = Overrides::parse("keymap.toml", text, &IDS);
    let mut map = map();
    let command = |id: &str| IDS.into_iter().find(|known| *known == id);
    let mut said: Vec<String> = problems.iter().map(ToString::to_string).collect();
    said.extend(
        map.apply(&overrides, command)
            .iter()
            .map(ToString::to_string),
    );
    (map, said)
}

#[test]
fn a_person_rebinds() {
    let (map, said) = apply("why = ['F2', 'x y']\nquit = []\nview.compare = '2'\n");
    assert!(said.is_empty(), "{said:?}");
    assert_eq!(
        map.chords("why").collect::<Vec<_>>(),
        [chord("F2"), chord("x y")]
    );
    assert_eq!(map.shown("quit"), None);
    assert_eq!(map.shown("view.compare"), Some(chord("2")));
    assert_eq!(map.shown("damping"), Some(chord("p d")));
}

#[test]
fn two_commands_can_change_places() {
    let (map, said) = apply("why = 'q'\nquit = 'w'\n");
    assert!(said.is_empty(), "{said:?}");
    assert_eq!(map.lookup(&[Stroke::char('q')]), Lookup::Command("why"));
    assert_eq!(map.lookup(&[Stroke::char('w')]), Lookup::Command("quit"));
}

#[test]
fn conflicts_name_their_lines() {
    for (text, wanted) in [
        (
            "why = 'x'\n\nquit = 'x'\n",
            "keymap.toml:3: `quit`: `x` is already bound on line 1",
        ),
        (
            "why = 'x'\nquit = 'x y'\n",
            "keymap.toml:2: `quit`: `x y` and `x` (line 1) begin alike",
        ),
        (
            "why = '1'\n",
            "keymap.toml:1: `why`: `1` takes `1` from a command that now has no key",
        ),
        (
            "why = 'p'\n",
            "keymap.toml:1: `why`: `p` takes `p d` from a command that now has no key",
        ),
        (
            "whi = 'x'\n",
            "keymap.toml:1: `whi`: unknown key, did you mean `why`?",
        ),
        (
            "[view]\ncompere = 'x'\n",
            "keymap.toml:2: `view.compere`: unknown key, did you mean `view.compare`?",
        ),
        (
            "why = 'Ctrl-I'\n",
            "keymap.toml:1: `why`: `Ctrl-I` cannot be used: Ctrl-I is Tab",
        ),
        ("why = 'Ctrl-1'\n", "cannot tell Ctrl with a digit"),
        (
            "why = [\n  'x',\n  'Hyper-y',\n]\n",
            "keymap.toml:3: `why`: `Hyper` in `Hyper-y`",
        ),
        ("why = 3\n", "keymap.toml:1: `why`: expected a key such as"),
        ("why = = 3\n", "keymap.toml:1: "),
    ] {
        let (_, said) = apply(text);
        assert!(
            said.iter().any(|line| line.contains(wanted)),
            "{text:?} said {said:?}"
        );
    }
}

#[test]
fn a_mistake_leaves_the_other_keys_alone() {
    let (map, said) = apply("why = 'Entr'\nquit = 'x'\n");
    assert_eq!(said.len(), 1);
    assert_eq!(map.shown("why"), Some(chord("w")), "the default stays");
    assert_eq!(map.shown("quit"), Some(chord("x")));
}
