use ratatui::style::{Color, Modifier};

use super::colour::{contrast, lightness, rgb};
use super::*;
use crate::explorer::glyphs::{self, GlyphSet};

fn load(name: &str, level: ColorLevel) -> Theme {
    Theme::load(name, level).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn refuse(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.toml"), text).unwrap();
    let error = Theme::load_from(Some(folder.path()), "mine", ColorLevel::True).unwrap_err();
    error
        .to_string()
        .replace(&folder.path().display().to_string(), "DIR")
}

/// The colours a scope ends up with over the theme's background.
fn seen(theme: &Theme, scope: Scope) -> (Color, Color) {
    let base = theme.style(Scope::Background);
    let style = base.patch(theme.style(scope));
    (style.fg.unwrap(), style.bg.unwrap())
}

#[test]
fn ids_and_scopes_agree() {
    for (index, scope) in Scope::ALL.into_iter().enumerate() {
        assert_eq!(scope as usize, index, "{}", scope.id());
        assert_eq!(Scope::from_id(scope.id()), Some(scope));
    }
    assert_eq!(Scope::from_id("seed.7"), None);
}

#[test]
fn seeds_past_the_sixth_and_odd_heats_have_a_look() {
    assert_eq!(Scope::seed(0), Scope::Seed1);
    assert_eq!(Scope::seed(5), Scope::Seed6);
    assert_eq!(Scope::seed(6), Scope::Muted);
    assert_eq!(Scope::heat(-1.0), Scope::Heat0);
    assert_eq!(Scope::heat(f64::NAN), Scope::Heat0);
    assert_eq!(Scope::heat(0.5), Scope::Heat4);
    assert_eq!(Scope::heat(1.0), Scope::Heat8);
    assert_eq!(Scope::heat(f64::INFINITY), Scope::Heat8);
}

#[test]
fn every_built_in_theme_loads_at_every_level_and_stays_inside_it() {
    for (name, _) in BUILT_IN {
        for level in ColorLevel::ALL {
            let theme = load(name, level);
            for scope in Scope::ALL {
                let style = theme.style(scope);
                for colour in [style.fg, style.bg, style.underline_color]
                    .into_iter()
                    .flatten()
                {
                    let fits = match colour {
                        Color::Rgb(..) => level == ColorLevel::True,
                        Color::Indexed(_) => level >= ColorLevel::Ansi256,
                        _ => level >= ColorLevel::Ansi16,
                    };
                    assert!(fits, "{name} {} {}: {colour:?}", level.id(), scope.id());
                    assert_ne!(colour, Color::DarkGray, "{name} {}", scope.id());
                }
            }
        }
    }
}

#[test]
fn every_built_in_theme_says_something_about_every_scope() {
    for (name, _) in BUILT_IN {
        let file = gather(None, name).unwrap();
        for scope in Scope::ALL {
            let level = if name == "mono" {
                ColorLevel::None
            } else {
                ColorLevel::True
            };
            assert!(
                file.style(scope, level).unwrap().is_some(),
                "{name} {}",
                scope.id()
            );
        }
    }
}

#[test]
fn letters_are_legible() {
    // WCAG: 4.5 to 1 for text, 3 to 1 for large or bold text and for lines and bars.
    for (name, text, bold) in [
        ("default-dark", 4.5, 3.0),
        ("default-light", 4.5, 4.5),
        (PRINT, 4.5, 4.5),
        ("colour-blind", 4.5, 3.0),
        ("high-contrast", 7.0, 7.0),
    ] {
        for level in [ColorLevel::True, ColorLevel::Ansi256] {
            let theme = load(name, level);
            for scope in Scope::ALL {
                let least = match scope {
                    Scope::Border | Scope::Bar => 3.0,
                    _ if scope.id().starts_with("seed.") => bold,
                    _ => text,
                };
                let (fg, bg) = seen(&theme, scope);
                let found = contrast(fg, bg).unwrap();
                assert!(
                    found >= least,
                    "{name} {} {}: {found:.2}",
                    level.id(),
                    scope.id()
                );
            }
        }
    }
}

#[test]
fn letters_are_legible_on_the_selected_row_and_in_popups() {
    for name in ["default-dark", "default-light", "colour-blind", PRINT] {
        for level in [ColorLevel::True, ColorLevel::Ansi256] {
            let theme = load(name, level);
            for under in [Scope::Selection, Scope::Popup] {
                let bg = theme.style(under).bg.unwrap();
                for scope in Scope::ALL {
                    let id = scope.id();
                    if ["border", "background"].contains(&id)
                        || id.starts_with("heat.")
                        || id == "tab"
                    {
                        continue;
                    }
                    let found = contrast(seen(&theme, scope).0, bg).unwrap();
                    let least = if id.starts_with("seed.") || id == "bar" {
                        2.3
                    } else {
                        3.5
                    };
                    assert!(
                        found >= least,
                        "{name} {} {id} on {}: {found:.2}",
                        level.id(),
                        under.id()
                    );
                }
            }
        }
    }
}

#[test]
fn heat_rises_evenly_away_from_the_background() {
    for name in [
        "default-dark",
        "default-light",
        "high-contrast",
        "colour-blind",
        PRINT,
    ] {
        for level in [ColorLevel::True, ColorLevel::Ansi256] {
            let theme = load(name, level);
            let paper = theme.style(Scope::Background).bg.unwrap();
            let mut before = 0.99;
            for step in 0..9u8 {
                let bg = theme.style(Scope::heat(f64::from(step) / 8.0)).bg.unwrap();
                let far = contrast(bg, paper).unwrap();
                assert!(
                    far > before,
                    "{name} {} heat.{step}: {far:.2} after {before:.2}",
                    level.id()
                );
                before = far;
            }
        }
    }
}

/// Every theme at every level, with its name for messages.
fn everywhere() -> impl Iterator<Item = (String, Theme)> {
    BUILT_IN.iter().flat_map(|(name, _)| {
        let named = move |level: ColorLevel| (format!("{name} {}", level.id()), load(name, level));
        ColorLevel::ALL.into_iter().map(named)
    })
}

/// How much ink a glyph of a heat map has, of a full cell.
fn coverage(glyph: &str) -> f32 {
    let known = [
        (" ", 0.0),
        ("·", 0.03),
        (":", 0.06),
        ("░", 0.25),
        ("▒", 0.5),
        ("▓", 0.75),
        ("█", 1.0),
        (".", 0.03),
        ("-", 0.08),
        ("=", 0.15),
        ("+", 0.2),
        ("*", 0.25),
        ("%", 0.35),
        ("#", 0.45),
    ];
    let found = known.iter().find(|(known, _)| *known == glyph);
    found
        .unwrap_or_else(|| panic!("no heat map has `{glyph}`"))
        .1
}

#[test]
fn a_hotter_cell_is_drawn_further_from_the_paper() {
    for (named, theme) in everywhere() {
        for glyphs in GlyphSet::ALL.map(GlyphSet::glyphs) {
            // Of what the terminal decides, dark and light are as good as any.
            let paper = theme.style(Scope::Background).bg.and_then(lightness);
            let ink = paper.map_or(1.0, |paper| 1.0 - paper.round());
            let drawn = |part: f64| {
                let cell = glyphs::heat(part, 1, glyphs, &theme);
                let ground = cell.style.bg.and_then(lightness).or(paper).unwrap_or(0.0);
                let glyph = cell.style.fg.and_then(lightness).unwrap_or(ink);
                ground + coverage(&cell.content) * (glyph - ground)
            };
            let away = if ink > 0.5 { 1.0 } else { -1.0 };
            let empty = drawn(0.0);
            let mut before = empty;
            for percent in 1..=100 {
                let now = drawn(f64::from(percent) / 100.0);
                let set = glyphs.set.id();
                assert!(
                    (now - before) * away >= 0.0,
                    "{named} {set} {percent} %: {before} {now}"
                );
                assert!(
                    (now - empty) * away > 0.025,
                    "{named} {set} {percent} %: {empty} {now}"
                );
                before = now;
            }
            // Nine tenths of the way, so that few levels look alike.
            assert!((before - empty) * away > 0.4, "{named}: {empty} {before}");
        }
    }
}

/// Looks that mean one thing or another of the same words.
const APART: [(Scope, Scope); 23] = [
    (Scope::Text, Scope::Selection),
    (Scope::Text, Scope::Muted),
    (Scope::Text, Scope::Title),
    (Scope::Text, Scope::Key),
    (Scope::Text, Scope::Link),
    (Scope::Text, Scope::Match),
    (Scope::Text, Scope::Stale),
    (Scope::Text, Scope::Tab),
    (Scope::Text, Scope::Gold),
    (Scope::Text, Scope::Warn),
    (Scope::Text, Scope::Error),
    (Scope::Muted, Scope::Key),
    (Scope::Muted, Scope::RankUp),
    (Scope::Muted, Scope::RankDown),
    (Scope::Muted, Scope::Tab),
    (Scope::Border, Scope::BorderFocus),
    (Scope::Passage, Scope::Gold),
    (Scope::RankUp, Scope::RankDown),
    (Scope::Value, Scope::RankDown),
    (Scope::Value, Scope::Error),
    (Scope::Ok, Scope::Warn),
    (Scope::Ok, Scope::Error),
    (Scope::Warn, Scope::Error),
];

#[test]
fn what_must_be_told_apart_differs_in_lightness_or_in_shape() {
    let shape = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
    let mut alike = Vec::new();
    for (named, theme) in everywhere() {
        // What the terminal's own sixteen look like nobody knows; dim text and italics are lighter or slanted in some.
        let paper = theme.style(Scope::Background);
        let known = theme.level() >= ColorLevel::Ansi256
            && theme.name() != "ansi16"
            && paper.fg.is_some()
            && paper.bg.is_some();
        let faint = if known {
            shape
        } else {
            shape | Modifier::DIM | Modifier::ITALIC
        };
        for (a, b) in APART {
            let shaped = |scope: Scope| theme.style(scope).add_modifier & faint;
            let ((ink_a, paper_a), (ink_b, paper_b)) = match known {
                true => (seen(&theme, a), seen(&theme, b)),
                false => Default::default(),
            };
            let far = |a: Color, b: Color| match (lightness(a), lightness(b)) {
                (Some(a), Some(b)) => (a - b).abs(),
                _ => 0.0,
            };
            let light = far(ink_a, ink_b) >= 0.1 || far(paper_a, paper_b) >= 0.05;
            if !light && shaped(a) == shaped(b) {
                alike.push(format!("{named}: {} and {}", a.id(), b.id()));
            }
        }
        for glyphs in GlyphSet::ALL.map(GlyphSet::glyphs) {
            let mut fills = glyphs.fills.to_vec();
            fills.push(glyphs.rest);
            fills.sort_unstable();
            fills.dedup();
            assert_eq!(
                fills.len(),
                7,
                "{}: two seeds share a fill",
                glyphs.set.id()
            );
        }
    }
    assert!(alike.is_empty(), "{}", alike.join("\n"));
}

#[test]
fn seeds_are_those_of_okabe_and_ito_and_all_different() {
    let wanted = [
        [0x56, 0xb4, 0xe9],
        [0xe6, 0x9f, 0x00],
        [0x00, 0x9e, 0x73],
        [0xcc, 0x79, 0xa7],
        [0xd5, 0x5e, 0x00],
        [0x00, 0x72, 0xb2],
    ];
    for name in ["default-dark", "colour-blind"] {
        let theme = load(name, ColorLevel::True);
        for (index, wanted) in wanted.into_iter().enumerate() {
            assert_eq!(rgb(theme.seed(index).fg.unwrap()), Some(wanted), "{name}");
        }
    }
    for (name, _) in BUILT_IN.iter().filter(|(name, _)| *name != "mono") {
        for level in [ColorLevel::True, ColorLevel::Ansi256, ColorLevel::Ansi16] {
            let theme = load(name, level);
            let mut colours: Vec<_> = (0..6).map(|index| theme.seed(index).fg).collect();
            colours.sort_by_key(|colour| format!("{colour:?}"));
            colours.dedup();
            assert_eq!(colours.len(), 6, "{name} {}", level.id());
        }
    }
}

/// Paper is often copied without its colours.
#[test]
fn the_seeds_of_the_print_theme_differ_in_lightness() {
    let theme = load(PRINT, ColorLevel::True);
    assert_eq!(
        theme.style(Scope::Background).bg,
        Some(Color::Rgb(0xff, 0xff, 0xff))
    );
    let mut light: Vec<f32> = (0..6)
        .map(|seed| lightness(theme.seed(seed).fg.unwrap()).unwrap())
        .collect();
    light.sort_by(f32::total_cmp);
    assert!(
        light.windows(2).all(|pair| pair[1] - pair[0] > 0.05),
        "{light:?}"
    );
}

#[test]
fn meaning_survives_without_colour() {
    for (name, _) in BUILT_IN {
        let theme = load(name, ColorLevel::None);
        let plain = theme.style(Scope::Text);
        for scope in [
            Scope::Title,
            Scope::BorderFocus,
            Scope::Key,
            Scope::Link,
            Scope::Gold,
            Scope::RankUp,
            Scope::RankDown,
            Scope::Hub,
            Scope::Muted,
            Scope::Selection,
            Scope::Warn,
            Scope::Error,
            Scope::Match,
            Scope::Stale,
            Scope::Tab,
        ] {
            assert_ne!(theme.style(scope), plain, "{name} {}", scope.id());
        }
        assert_ne!(
            theme.style(Scope::RankUp),
            theme.style(Scope::RankDown),
            "{name}"
        );
        let chosen = theme.style(Scope::Selection);
        assert!(chosen.add_modifier.contains(Modifier::REVERSED), "{name}");
    }
}

#[test]
fn colour_blind_uses_only_blue_and_orange_for_good_and_bad() {
    let theme = load("colour-blind", ColorLevel::True);
    assert_eq!(theme.style(Scope::RankUp).fg, theme.style(Scope::Ok).fg);
    assert_eq!(theme.style(Scope::RankDown).fg, theme.style(Scope::Warn).fg);
}

#[test]
fn a_persons_theme_inherits_and_repaints() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "mine.toml",
        "inherits = 'default-dark'\nlink = 'gold'\n[palette]\ngold = '#123456'\n",
    );
    write(
        "default-light.toml",
        "inherits = 'default-light'\n[rank]\nup = { fg = 5 }\n",
    );
    let mine = Theme::load_from(Some(folder.path()), "mine", ColorLevel::True).unwrap();
    let blue = Some(Color::Rgb(0x12, 0x34, 0x56));
    assert_eq!(
        mine.style(Scope::Gold).fg,
        blue,
        "a replaced palette repaints inherited scopes"
    );
    assert_eq!(mine.style(Scope::Link).fg, blue);
    let light = Theme::load_from(Some(folder.path()), "default-light", ColorLevel::True).unwrap();
    assert_eq!(light.style(Scope::RankUp).fg, Some(Color::Indexed(5)));
    assert_eq!(
        light.style(Scope::Text),
        load("default-light", ColorLevel::True).style(Scope::Text)
    );
    assert_eq!(
        Theme::names(Some(folder.path())),
        [
            "default-dark",
            "default-light",
            "high-contrast",
            "colour-blind",
            "print",
            "ansi16",
            "mono",
            "mine"
        ]
    );
}

#[test]
fn levels_may_be_given_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let text = "gold = { fg = 'amber', modifiers = ['bold'], '16' = { fg = 'bright-yellow', modifiers = [] }, none = { modifiers = ['italic'] } }\n\
                border.focus = 'amber'\n[palette]\namber = { true = '#f0e442', '256' = 3 }\n";
    std::fs::write(folder.path().join("mine.toml"), text).unwrap();
    let gold = |level| {
        let theme = Theme::load_from(Some(folder.path()), "mine", level).unwrap();
        (theme.style(Scope::Gold), theme.style(Scope::BorderFocus).fg)
    };
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let amber = Color::Rgb(0xf0, 0xe4, 0x42);
    assert_eq!(gold(ColorLevel::True), (bold.fg(amber), Some(amber)));
    assert_eq!(gold(ColorLevel::Ansi256).0, bold.fg(Color::Indexed(3)));
    assert_eq!(
        gold(ColorLevel::Ansi16),
        (Style::new().fg(Color::LightYellow), Some(Color::Yellow))
    );
    assert_eq!(
        gold(ColorLevel::None).0,
        Style::new().add_modifier(Modifier::ITALIC)
    );
}

#[test]
fn complaints_name_file_line_key_and_what_is_allowed() {
    let cases = [
        (
            "text = '#ccc'\n",
            "DIR/mine.toml:1: `text`: expected a colour: \"#rrggbb\"",
        ),
        (
            "\ngld = 'red'\n",
            "DIR/mine.toml:2: `gld`: unknown key, did you mean `gold`?",
        ),
        (
            "\n\n[seed]\n9 = 'red'\n",
            "DIR/mine.toml:4: `seed.9`: unknown key, did you mean `seed.1`?",
        ),
        (
            "gold = { fgg = 'red' }",
            "DIR/mine.toml:1: `gold.fgg`: unknown key, did you mean `fg`? Allowed: fg, bg,",
        ),
        (
            "gold = { modifiers = ['blod'] }",
            "DIR/mine.toml:1: `gold.modifiers`: unknown modifier `blod`, did you mean `bold`? Allowed: bold, dim",
        ),
        (
            "gold = { modifiers = 'bold' }",
            "expected a list of bold, dim",
        ),
        (
            "gold = { '16' = 'red' }",
            "DIR/mine.toml:1: `gold.16`: expected a table such as",
        ),
        (
            "gold = 'amber'\n[palette]\nambre = 'red'\n",
            "DIR/mine.toml:1: `gold`: `amber` is neither a palette name nor a colour (#rrggbb, 0 to 255, default), did you mean `ambre`?",
        ),
        ("gold = 256\n", "DIR/mine.toml:1: `gold`: expected a colour"),
        (
            "[palette]\nx = { tru = 'red' }\n",
            "DIR/mine.toml:2: `tru`: unknown key, did you mean `true`? Allowed: true, 256, 16",
        ),
        (
            "inherits = 3\n",
            "DIR/mine.toml:1: `inherits`: expected a string, this is a number",
        ),
        (
            "inherits = 'nowhere'\n",
            "no theme `nowhere`; there are: default-dark, default-light",
        ),
        ("inherits = 'mine'\n", "no theme `mine`"),
        ("a = = 1\n", "DIR/mine.toml:1: "),
    ];
    for (text, wanted) in cases {
        let found = refuse(text);
        assert!(
            found.contains(wanted),
            "{text:?}\n  gave   {found}\n  wanted {wanted}"
        );
    }
}

#[test]
fn circles_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, parent) in [("a", "b"), ("b", "a")] {
        let path = folder.path().join(format!("{name}.toml"));
        std::fs::write(path, format!("inherits = '{parent}'\n")).unwrap();
    }
    let error = Theme::load_from(Some(folder.path()), "a", ColorLevel::True).unwrap_err();
    assert!(!error.to_string().is_empty(), "{error}");
}

#[test]
fn a_name_is_no_path() {
    let folder = tempfile::tempdir().unwrap();
    let error =
        Theme::load_from(Some(folder.path()), "../etc/passwd", ColorLevel::True).unwrap_err();
    assert!(matches!(error, ThemeError::Unknown { .. }), "{error}");
}

#[test]
fn the_suggested_theme_follows_the_background() {
    let of = Theme::suggested;
    assert_eq!(of(ColorLevel::True, Some("15;0")), "default-dark");
    assert_eq!(of(ColorLevel::True, Some("0;default;15")), "default-light");
    assert_eq!(of(ColorLevel::True, None), "default-dark");
    assert_eq!(of(ColorLevel::Ansi16, Some("0;15")), "ansi16");
    assert_eq!(of(ColorLevel::None, Some("0;15")), "mono");
}
