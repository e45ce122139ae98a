//! How many colours the terminal can show, and how many the person wants.

use std::io::IsTerminal;
use std::str::FromStr;

named! {
    /// The number of colours used.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum ColorLevel, id {
        /// No colour at all; bold, reversed and underlined text carry the meaning.
        None "none",
        /// The terminal's own sixteen.
        Ansi16 "16",
        /// The 256 of xterm.
        Ansi256 "256",
        /// 24 bits.
        True "true",
    }
}

/// What was asked for with `--color` or in the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorChoice {
    /// What the terminal and the environment say.
    #[default]
    Auto,
    /// Colour even when the output is no terminal, as many as the terminal seems to have.
    Always,
    /// No colour.
    Never,
    /// Exactly this level.
    Level(ColorLevel),
}

impl ColorChoice {
    /// The words `--color` takes, for help and error messages.
    pub const WORDS: [&'static str; 6] = ["auto", "always", "never", "truecolor", "256", "16"];
}

impl FromStr for ColorChoice {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" | "none" => Ok(Self::Never),
            "truecolor" | "truecolour" | "24bit" => Ok(Self::Level(ColorLevel::True)),
            "256" => Ok(Self::Level(ColorLevel::Ansi256)),
            "16" => Ok(Self::Level(ColorLevel::Ansi16)),
            _ => Err(format!(
                "unknown colour choice `{word}`; allowed: {}",
                Self::WORDS.join(", ")
            )),
        }
    }
}

impl ColorLevel {
    /// The level for this process: what was asked for, then the environment, then the terminal.
    pub fn detect(choice: ColorChoice) -> Self {
        Self::decide(choice, std::io::stdout().is_terminal(), |name| {
            std::env::var(name).ok()
        })
    }

    /// [`detect`](Self::detect) with the world given, so that it can be tested.
    ///
    /// The order is: `--color`, `NO_COLOR` (a person's wish for all programs), `FORCE_COLOR` (0 to 3, or any other
    /// word), `CLICOLOR_FORCE`, then no colour when the output is no terminal, `CLICOLOR=0`, and what `COLORTERM`,
    /// `TERM` and the terminal's name promise.
    pub fn decide(
        choice: ColorChoice,
        is_terminal: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let able = capability(&set);
        let at_least_16 = able.max(Self::Ansi16);
        match choice {
            ColorChoice::Never => return Self::None,
            ColorChoice::Always => return at_least_16,
            ColorChoice::Level(level) => return level,
            ColorChoice::Auto => {}
        }
        if set("NO_COLOR").is_some() {
            return Self::None;
        }
        match set("FORCE_COLOR").as_deref() {
            Some("0" | "false") => return Self::None,
            Some("1") => return Self::Ansi16,
            Some("2") => return Self::Ansi256,
            Some("3") => return Self::True,
            Some(_) => return at_least_16,
            None => {}
        }
        if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
            return at_least_16;
        }
        if !is_terminal || set("CLICOLOR").is_some_and(|value| value == "0") {
            return Self::None;
        }
        able
    }
}

/// What the terminal says it can do.
fn capability(set: &impl Fn(&str) -> Option<String>) -> ColorLevel {
    let term = set("TERM").unwrap_or_default().to_lowercase();
    if term == "dumb" {
        return ColorLevel::None;
    }
    let promised = set("COLORTERM").unwrap_or_default().to_lowercase();
    let program = set("TERM_PROGRAM").unwrap_or_default();
    if promised == "truecolor"
        || promised == "24bit"
        || term.ends_with("-direct")
        || [
            "kitty",
            "alacritty",
            "wezterm",
            "ghostty",
            "foot",
            "contour",
        ]
        .iter()
        .any(|name| term.contains(name))
        || ["iTerm.app", "WezTerm", "vscode", "ghostty", "rio"].contains(&program.as_str())
        || set("WT_SESSION").is_some()
    {
        return ColorLevel::True;
    }
    if term.contains("256") || program == "Apple_Terminal" {
        return ColorLevel::Ansi256;
    }
    if term.is_empty() {
        // Windows consoles set no TERM and have had 24 bits since 2016; elsewhere nothing is known.
        return if cfg!(windows) {
            ColorLevel::True
        } else {
            ColorLevel::None
        };
    }
    ColorLevel::Ansi16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(choice: &str, terminal: bool, world: &[(&str, &str)]) -> ColorLevel {
        ColorLevel::decide(choice.parse().unwrap(), terminal, |name| {
            world
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_flag_wins_over_everything() {
        let world = [("NO_COLOR", "1"), ("TERM", "dumb")];
        assert_eq!(level("truecolor", false, &world), ColorLevel::True);
        assert_eq!(level("256", false, &world), ColorLevel::Ansi256);
        assert_eq!(level("16", false, &world), ColorLevel::Ansi16);
        assert_eq!(level("always", false, &world), ColorLevel::Ansi16);
        let rich = [("FORCE_COLOR", "3"), ("COLORTERM", "truecolor")];
        assert_eq!(level("never", true, &rich), ColorLevel::None);
    }

    #[test]
    fn no_color_wins_over_forcing_but_only_when_not_empty() {
        let world = [
            ("NO_COLOR", "1"),
            ("CLICOLOR_FORCE", "1"),
            ("TERM", "xterm"),
        ];
        assert_eq!(level("auto", true, &world), ColorLevel::None);
        let empty = [("NO_COLOR", ""), ("TERM", "xterm")];
        assert_eq!(level("auto", true, &empty), ColorLevel::Ansi16);
    }

    #[test]
    fn forcing() {
        for (value, expected) in [
            ("0", ColorLevel::None),
            ("1", ColorLevel::Ansi16),
            ("2", ColorLevel::Ansi256),
            ("3", ColorLevel::True),
            ("yes", ColorLevel::Ansi16),
        ] {
            let world = [("FORCE_COLOR", value), ("TERM", "dumb")];
            assert_eq!(level("auto", false, &world), expected, "{value}");
        }
        let world = [("CLICOLOR_FORCE", "1"), ("TERM", "xterm-256color")];
        assert_eq!(level("auto", false, &world), ColorLevel::Ansi256);
        let off = [("CLICOLOR_FORCE", "0"), ("TERM", "xterm-256color")];
        assert_eq!(level("auto", false, &off), ColorLevel::None);
    }

    #[test]
    fn what_the_terminal_promises() {
        for (name, value, expected) in [
            ("TERM", "dumb", ColorLevel::None),
            ("TERM", "linux", ColorLevel::Ansi16),
            ("TERM", "screen", ColorLevel::Ansi16),
            ("TERM", "tmux-256color", ColorLevel::Ansi256),
            ("TERM", "xterm-kitty", ColorLevel::True),
            ("TERM", "xterm-direct", ColorLevel::True),
        ] {
            assert_eq!(level("auto", true, &[(name, value)]), expected, "{value}");
        }
        let world = [("TERM", "xterm"), ("COLORTERM", "truecolor")];
        assert_eq!(level("auto", true, &world), ColorLevel::True);
        assert_eq!(level("auto", false, &world), ColorLevel::None);
        let off = [
            ("TERM", "xterm"),
            ("COLORTERM", "truecolor"),
            ("CLICOLOR", "0"),
        ];
        assert_eq!(level("auto", true, &off), ColorLevel::None);
    }

    #[test]
    fn an_unknown_choice_lists_the_known() {
        let error = "sometimes".parse::<ColorChoice>().unwrap_err();
        assert!(error.contains("auto, always, never"), "{error}");
    }
}
