//! The terms and players of a game: the first entry of its log.

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_protocol::{LagQuota, Player, PlayerKind, Terms};
use flagfall_rules::{GameTerms, Ruleset, Viewer};
use serde::{Deserialize, Serialize};

/// The first entry of a game's log. It never changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameHeader {
    pub terms: Terms,
    /// In a log, the names of people are empty, unless servers of version 0.1 may have to read it.
    /// They are looked up when the game is loaded.
    pub players: PerSide<Player>,
    /// For each player, true if their deployment stays private after the end of the game.
    pub secret: PerSide<bool>,
    pub deploy_ms: u64,
    /// The lakes drawn for this game (§U2), if they are not the ruleset's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lakes: Option<Vec<Square>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<GameId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_quota: Option<LagQuota>,
    /// True if each turn begins with its whole days or free seconds, even if the side has used some
    /// of that time to choose a rank in a strike (§Q4). Version 0.1 cannot read this field, so it
    /// is written only together with entries of form 2.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole_turns: bool,
}

impl GameHeader {
    pub fn game_terms(&self, game: GameId, created: Stamp) -> Option<GameTerms> {
        let ruleset = Ruleset::find(&self.terms.ruleset)?;
        let lakes = self.lakes.as_ref().map_or(ruleset.shape.lakes, |lakes| lakes.iter().copied().collect());
        ruleset.allows_lakes(lakes).then_some(GameTerms {
            game,
            ruleset,
            lakes,
            time: self.terms.time.into(),
            deploy_ms: self.deploy_ms,
            created,
            secret: self.secret,
        })
    }

    /// Returns the header without the names of people, as logs and the archive keep it. The names
    /// of house players stay.
    #[must_use]
    pub fn without_names(mut self) -> GameHeader {
        for side in Side::BOTH {
            if !self.is_house(side) {
                self.players[side].name.clear();
            }
        }
        self
    }

    pub fn seats(&self) -> PerSide<&str> {
        PerSide::new(&self.players.red.id, &self.players.blue.id)
    }

    pub fn side_of(&self, player_id: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.players[*side].id == player_id)
    }

    /// Returns the audience to which a person belongs. `None` if the game is private and the
    /// person does not play in it.
    pub fn viewer(&self, player_id: Option<&str>) -> Option<Viewer> {
        match player_id.and_then(|id| self.side_of(id)) {
            Some(side) => Some(Viewer::Player(side)),
            None => (!self.terms.private).then_some(Viewer::Public),
        }
    }

    pub fn is_house(&self, side: Side) -> bool {
        self.players[side].kind == PlayerKind::House
    }

    pub fn has_house(&self) -> bool {
        Side::BOTH.into_iter().any(|side| self.is_house(side))
    }

    /// True if the clock allows days per ply, or time is unlimited.
    pub fn is_slow(&self) -> bool {
        self.terms.time.is_slow()
    }
}
