//! The playing strengths of house players.

flagfall_board::named! {
    /// The level of a house player.
    ///
    /// Servers and clients list the levels in this order. A player who asks for a house player
    /// without naming a level gets the default level.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub enum Level, name, from_name {
        /// A player that deploys at random and makes random legal moves.
        Random = "random",
        /// A player that captures pieces that it beats, avoids pieces that beat it, and guards
        /// its Flag. It looks ahead to the enemy's next move.
        #[default]
        Simple = "simple",
        /// A player that infers which ranks every hidden piece can have, and searches complete
        /// boards that fit these ranks.
        Good = "good",
    }
}

/// The amount of thinking that a house player may spend on one move, in a unit that is the same
/// on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// The number of positions that the player may examine for one move. At least one.
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
