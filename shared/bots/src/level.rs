//! How well a house player plays.

flagfall_board::named! {
    /// The level of a house player.
    ///
    /// Servers offer the levels, and clients name them, in this order. The default is for players
    /// who ask for a house player without naming a level.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum Level, name, from_name {
        /// Deploys at random and makes any legal move.
        Random = "random",
        /// Takes what it beats, avoids what beats it, and guards its Flag. Looks at a move and the
        /// answer.
        #[default]
        Simple = "simple",
        /// Works out which ranks every hidden piece can have, and searches whole boards that fit.
        Good = "good",
    }
}

/// How much a house player may think about one move, in a unit that is the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Positions it may look at for one move, at least one.
    pub nodes: u32,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort { nodes: 40_000 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_names() {
        for level in Level::ALL {
            assert_eq!(Level::from_name(level.name()), Some(level));
        }
        assert_eq!(Level::from_name("grandmaster"), None);
    }
}
