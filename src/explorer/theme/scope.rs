//! The meanings that have a look of their own.

named! {
    /// What a piece of the screen means.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Scope, id {
        /// The whole screen; painted first, and the only scope besides `Popup`, `Selection` and `Heat*` with a background.
        Background "background",
        /// Ordinary words.
        Text "text",
        /// A pane's name in its border.
        Title "title",
        /// The border of a pane.
        Border "border",
        /// The border of the pane that has the keyboard.
        BorderFocus "border.focus",
        /// A key that can be pressed, in hints and help.
        Key "key",
        /// A number or the value of a setting.
        Value "value",
        /// A bar that belongs to no seed.
        Bar "bar",
        /// Something that opens.
        Link "link",
        /// A passage identifier.
        Passage "passage",
        /// A node or entity name.
        Entity "entity",
        /// The first seed, letter A.
        Seed1 "seed.1",
        /// Letter B.
        Seed2 "seed.2",
        /// Letter C.
        Seed3 "seed.3",
        /// Letter D.
        Seed4 "seed.4",
        /// Letter E.
        Seed5 "seed.5",
        /// Letter F.
        Seed6 "seed.6",
        /// A gold passage and its `G`.
        Gold "gold",
        /// A rank or score that got better.
        RankUp "rank.up",
        /// One that got worse.
        RankDown "rank.down",
        /// The mark of a tie band.
        Tie "tie",
        /// The word `hub` and hub edges.
        Hub "hub",
        /// What can be left unread: hints, units, borders of borders.
        Muted "muted",
        /// The selected row.
        Selection "selection",
        /// A message that something needs care.
        Warn "warn",
        /// A message that something failed.
        Error "error",
        /// A message that something worked.
        Ok "ok",
        /// The letters that matched a filter.
        Match "match",
        /// A result that is being replaced by a newer one.
        Stale "stale",
        /// The inside of a panel over the screen.
        Popup "popup",
        /// The name of the open view.
        Tab "tab",
        /// Heat map cells, coldest first.
        Heat0 "heat.0",
        /// The next hotter cell.
        Heat1 "heat.1",
        /// The next hotter cell.
        Heat2 "heat.2",
        /// The next hotter cell.
        Heat3 "heat.3",
        /// The middle.
        Heat4 "heat.4",
        /// The next hotter cell.
        Heat5 "heat.5",
        /// The next hotter cell.
        Heat6 "heat.6",
        /// The next hotter cell.
        Heat7 "heat.7",
        /// The hottest cell.
        Heat8 "heat.8",
    }
}

impl Scope {
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
