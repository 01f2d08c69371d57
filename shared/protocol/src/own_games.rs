//! A player's running games, sorted by urgency.

use flagfall_board::{GameId, Side};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lobby::GameSummary;
use flagfall_view::{GameView, Phase, SeenClock};

/// A running game in the player's list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OwnGame {
    /// The game.
    pub game: GameSummary,
    /// The player's side.
    pub side: Side,
    /// True if the player has to act: deploy, take a turn, or choose a rank.
    pub to_act: bool,
    /// The deadline of the side to act, in milliseconds since 1970. Absent if the game has no clock
    /// or the clocks are stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<u64>,
    /// True if the opponent has offered a draw.
    #[serde(default)]
    pub draw_offered: bool,
}

/// The player's running games, most urgent first. Games in which the player has to act come
/// first, sorted by deadline. `GET /api/me/games`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct OwnGames {
    /// The games.
    pub games: Vec<OwnGame>,
    /// The games that cannot be shown now because their logs are damaged or unavailable.
    #[serde(default)]
    pub unavailable: Vec<GameId>,
    /// The server's time in milliseconds since 1970.
    pub server_time: u64,
}

impl OwnGame {
    /// Creates the entry of a game from the view of this side.
    pub fn new(game: GameSummary, side: Side, view: &GameView) -> OwnGame {
        let (to_act, deadline) = match view.phase {
            Phase::Deploying => (!view.ready[side], view.deploy_deadline),
            Phase::Playing => (view.is_to_act(side), view.clock.as_ref().and_then(SeenClock::deadline)),
            Phase::Over => (false, None),
        };
        OwnGame {
            game,
            side,
            to_act,
            deadline: deadline.filter(|_| !view.paused).map(|deadline| deadline.0),
            draw_offered: view.draw_offer == Some(side.opponent()),
        }
    }

    /// Sorts games so that the most urgent ones come first.
    pub fn sort(games: &mut [OwnGame]) {
        games.sort_by_key(|own| {
            let newest_first = std::cmp::Reverse(own.game.created);
            (!own.to_act, own.deadline.unwrap_or(u64::MAX), newest_first, own.game.id)
        });
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::PerSide;

    use super::*;
    use crate::player::{Player, PlayerKind};
    use crate::terms::{Terms, Time};

    fn own(id: u8, to_act: bool, deadline: Option<u64>) -> OwnGame {
        let player =
            |name: &str| Player { id: name.to_owned(), name: name.to_owned(), kind: PlayerKind::Account };
        let game = GameSummary {
            id: GameId::from_random([id; 12]),
            terms: Terms {
                ruleset: "classic".to_owned(),
                time: Time::Correspondence { days: 3 },
                private: false,
                secret: false,
                rated: false,
            },
            players: PerSide::new(player("ann"), player("bob")),
            created: u64::from(id),
            phase: Phase::Playing,
            ply: 4,
            turn: Some(Side::Red),
            outcome: None,
        };
        OwnGame { game, side: Side::Red, to_act, deadline, draw_offered: false }
    }

    #[test]
    fn what_waits_for_oneself_comes_first_and_of_that_what_ends_soonest() {
        let mut games = vec![
            own(1, false, Some(5)),
            own(2, true, None),
            own(3, true, Some(900)),
            own(4, true, Some(100)),
            own(5, false, None),
            own(6, true, None),
        ];
        OwnGame::sort(&mut games);
        let order: Vec<u64> = games.iter().map(|own| own.game.created).collect();
        assert_eq!(order, [4, 3, 6, 2, 1, 5]);
    }
}
