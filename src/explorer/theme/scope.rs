//! The meanings that have a look of their own.

/// What a piece of the screen means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The whole screen; painted first, and the only scope besides `Popup`, `Selection` and `Heat*` with a background.
    Background,
    /// Ordinary words.
    Text,
    /// A pane's name in its border.
    Title,
    /// The border of a pane.
    Border,
    /// The border of the pane that has the keyboard.
    BorderFocus,
    /// A key that can be pressed, in hints and help.
    Key,
    /// A number or the value of a setting.
    Value,
    /// A bar that belongs to no seed.
    Bar,
    /// Something that opens.
    Link,
    /// A passage identifier.
    Passage,
    /// A node or entity name.
    Entity,
    /// The first seed, letter A.
    Seed1,
    /// Letter B.
    Seed2,
    /// Letter C.
    Seed3,
    /// Letter D.
    Seed4,
    /// Letter E.
    Seed5,
    /// Letter F.
    Seed6,
    /// A gold passage and its `G`.
    Gold,
    /// A rank or score that got better.
    RankUp,
    /// One that got worse.
    RankDown,
    /// The mark of a tie band.
    Tie,
    /// The word `hub` and hub edges.
    Hub,
    /// What can be left unread: hints, units, borders of borders.
    Muted,
    /// The selected row.
    Selection,
    /// A message that something needs care.
    Warn,
    /// A message that something failed.
    Error,
    /// A message that something worked.
    Ok,
    /// The letters that matched a filter.
    Match,
    /// A result that is being replaced by a newer one.
    Stale,
    /// The inside of a panel over the screen.
    Popup,
    /// The name of the open view.
    Tab,
    /// Heat map cells, coldest first.
    Heat0,
    /// The next hotter cell.
    Heat1,
    /// The next hotter cell.
    Heat2,
    /// The next hotter cell.
    Heat3,
    /// The middle.
    Heat4,
    /// The next hotter cell.
    Heat5,
    /// The next hotter cell.
    Heat6,
    /// The next hotter cell.
    Heat7,
    /// The hottest cell.
    Heat8,
}

impl Scope {
    /// How many scopes there are.
    pub const COUNT: usize = 40;

    /// Of a measure between 0 and 1: all of it, nothing of it, or a part.
    pub fn of_measure(worth: f64) -> Scope {
        match worth {
            worth if worth >= 1.0 => Scope::Ok,
            worth if worth <= 0.0 => Scope::Error,
            _ => Scope::Value,
        }
    }

    /// Of a change of what should be large.
    pub fn of_gain(gain: f64) -> Scope {
        match gain {
            gain if gain > 0.0 => Scope::RankUp,
            gain if gain < 0.0 => Scope::RankDown,
            _ => Scope::Muted,
        }
    }

    /// All scopes, in the order of documentation and of snapshots.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Background,
        Self::Text,
        Self::Title,
        Self::Border,
        Self::BorderFocus,
        Self::Key,
        Self::Value,
        Self::Bar,
        Self::Link,
        Self::Passage,
        Self::Entity,
        Self::Seed1,
        Self::Seed2,
        Self::Seed3,
        Self::Seed4,
        Self::Seed5,
        Self::Seed6,
        Self::Gold,
        Self::RankUp,
        Self::RankDown,
        Self::Tie,
        Self::Hub,
        Self::Muted,
        Self::Selection,
        Self::Warn,
        Self::Error,
        Self::Ok,
        Self::Match,
        Self::Stale,
        Self::Popup,
        Self::Tab,
        Self::Heat0,
        Self::Heat1,
        Self::Heat2,
        Self::Heat3,
        Self::Heat4,
        Self::Heat5,
        Self::Heat6,
        Self::Heat7,
        Self::Heat8,
    ];

    const IDS: [&'static str; Self::COUNT] = [
        "background",
        "text",
        "title",
        "border",
        "border.focus",
        "key",
        "value",
        "bar",
        "link",
        "passage",
        "entity",
        "seed.1",
        "seed.2",
        "seed.3",
        "seed.4",
        "seed.5",
        "seed.6",
        "gold",
        "rank.up",
        "rank.down",
        "tie",
        "hub",
        "muted",
        "selection",
        "warn",
        "error",
        "ok",
        "match",
        "stale",
        "popup",
        "tab",
        "heat.0",
        "heat.1",
        "heat.2",
        "heat.3",
        "heat.4",
        "heat.5",
        "heat.6",
        "heat.7",
        "heat.8",
    ];

    /// The name in theme files.
    pub fn id(self) -> &'static str {
        Self::IDS[self as usize]
    }

    /// The scope of a name in a theme file.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::IDS
            .iter()
            .position(|known| *known == id)
            .map(|index| Self::ALL[index])
    }

    /// The scope of a seed counted from 0. Six seeds have letters and colours; the others share one quiet look, because
    /// a seventh hue could not be told from the first six.
    pub fn seed(index: usize) -> Self {
        let seeds = [
            Self::Seed1,
            Self::Seed2,
            Self::Seed3,
            Self::Seed4,
            Self::Seed5,
            Self::Seed6,
        ];
        seeds.get(index).copied().unwrap_or(Self::Muted)
    }

    /// The scope of a heat map cell; the fraction is held to 0 to 1, and what is not a number is cold.
    pub fn heat(fraction: f64) -> Self {
        Self::ALL[Self::Heat0 as usize + heat_level(fraction)]
    }
}

/// Which of the nine heat levels a fraction is.
pub(in crate::explorer) fn heat_level(fraction: f64) -> usize {
    // The cast saturates and turns NaN into 0.
    ((fraction.clamp(0.0, 1.0) * 9.0) as usize).min(8)
}
