//! The lobby's lists of seeks and games, and the changes to these lists.

use std::collections::HashMap;
use std::hash::Hash;

use flagfall_board::{GameId, PerSide, Side};
use flagfall_view::{Phase, SeenOutcome};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::player::Player;
use crate::rating::{RatingPoint, Speed};
use crate::rating_range::RatingRange;
use crate::terms::Terms;

/// A summary of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameSummary {
    /// The game's id.
    pub id: GameId,
    /// The terms.
    pub terms: Terms,
    /// The players.
    pub players: PerSide<Player>,
    /// The time at which the game was created, in milliseconds since 1970.
    pub created: u64,
    /// The phase of the game: deploying, playing or over.
    pub phase: Phase,
    /// The number of turns taken so far.
    pub ply: u16,
    /// The side to move, while the game is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
    /// The outcome of the game, after its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<SeenOutcome>,
}

/// An open seek.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Seek {
    /// The id of the seek.
    pub id: String,
    /// The player who opened the seek.
    pub seeker: Player,
    /// The terms of the game.
    pub terms: Terms,
    /// The side that the seeker wants. If absent, the server chooses it at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The ratings with which a player may accept the seek. If absent, any player may accept it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// The seeker's rating for games on these terms, at the time when they opened the seek.
    /// Absent for guests and for games without ratings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeker_rating: Option<RatingPoint>,
}

/// Selects seeks by their terms. A filter without fields selects all seeks.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LobbyFilter {
    /// The id of a ruleset. Games with custom rules based on this ruleset are also selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruleset: Option<String>,
    /// The speed of the game. Games without a clock have no speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
    /// True for rated games only, false for casual games only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rated: Option<bool>,
}

impl LobbyFilter {
    /// True if the filter selects a seek with these terms.
    #[must_use]
    pub fn selects(&self, terms: &Terms) -> bool {
        let base = terms.ruleset.split(',').next();
        self.ruleset.as_ref().is_none_or(|ruleset| Some(ruleset.as_str()) == base)
            && self.speed.is_none_or(|speed| Speed::of(terms.time) == Some(speed))
            && self.rated.is_none_or(|rated| rated == terms.rated)
    }
}

/// Changes to the lobby's lists. To apply them, first remove the seeks in `removed` and the games
/// in `gone`. Then insert the new seeks and games in order, each at its place. Finally, update the
/// games in `progress`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct LobbyChange {
    /// The places of the seeks to remove, in the list before the change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<u32>,
    /// The seeks to insert.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<BriefSeek>,
    /// The ids of the games to remove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<GameId>,
    /// The games to insert.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub came: Vec<PlacedGame>,
    /// The progress of games that stay in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub progress: Vec<GameProgress>,
}

/// A seek that can take its seeker and its terms from other seeks in the list. Places in this type
/// refer to the list after all removals and all earlier insertions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BriefSeek {
    /// The number of seeks before this one. If absent, this seek is the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u32>,
    /// The id of the seek.
    pub id: String,
    /// The player who opened the seek. If absent, it is the seeker of the seek at `seeker_of`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeker: Option<Player>,
    /// The place of a seek with the same seeker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeker_of: Option<u32>,
    /// The terms of the game. If absent, they are those of the seek at `terms_of`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<Terms>,
    /// The place of a seek with the same terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms_of: Option<u32>,
    /// The side that the seeker wants, as in a `Seek`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// The ratings with which a player may accept the seek, as in a `Seek`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<RatingRange>,
    /// The seeker's rating, as in a `Seek`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeker_rating: Option<RatingPoint>,
}

impl BriefSeek {
    /// Returns this seek as it is inserted into a list.
    fn new(at: u32, seek: &Seek, list: &[Seek]) -> BriefSeek {
        let place = |is_same: &dyn Fn(&Seek) -> bool| {
            list.iter().position(is_same).and_then(|place| u32::try_from(place).ok())
        };
        let seeker_of = place(&|other| other.seeker == seek.seeker);
        let terms_of = place(&|other| other.terms == seek.terms);
        let Seek { id, seeker, terms, side, rating, seeker_rating } = seek.clone();
        BriefSeek {
            at: Some(at).filter(|at| place_of(*at) < list.len()),
            id,
            seeker: Some(seeker).filter(|_| seeker_of.is_none()),
            seeker_of,
            terms: Some(terms).filter(|_| terms_of.is_none()),
            terms_of,
            side,
            rating,
            seeker_rating,
        }
    }

    /// Returns the complete seek, to be inserted into this list. `None` if it refers to a missing
    /// seek.
    fn complete(self, list: &[Seek]) -> Option<Seek> {
        let other = |place: Option<u32>| list.get(place_of(place?));
        let seeker = self.seeker.or_else(|| Some(other(self.seeker_of)?.seeker.clone()))?;
        let terms = self.terms.or_else(|| Some(other(self.terms_of)?.terms.clone()))?;
        let BriefSeek { id, side, rating, seeker_rating, .. } = self;
        Some(Seek { id, seeker, terms, side, rating, seeker_rating })
    }
}

/// A game, and its place in the list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlacedGame {
    /// The number of games before this one.
    pub at: u32,
    /// The game.
    pub game: GameSummary,
}

/// The progress of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameProgress {
    /// The game.
    pub game: GameId,
    /// The phase of the game: deploying, playing or over.
    pub phase: Phase,
    /// The number of turns taken so far.
    pub ply: u16,
    /// The side to move, while the game is played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Side>,
}

impl GameProgress {
    fn of(game: &GameSummary) -> GameProgress {
        GameProgress { game: game.id, phase: game.phase, ply: game.ply, turn: game.turn }
    }
}

impl LobbyChange {
    /// True if nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == LobbyChange::default()
    }

    /// True if seeks or games are added or removed, or if a game enters another phase.
    #[must_use]
    pub fn is_major(&self, before: &LobbyLists) -> bool {
        let phase_of = |id: GameId| before.games.iter().find(|game| game.id == id).map(|game| game.phase);
        !(self.removed.is_empty() && self.added.is_empty() && self.gone.is_empty() && self.came.is_empty())
            || self.progress.iter().any(|progress| phase_of(progress.game) != Some(progress.phase))
    }
}

/// The lists of the lobby.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LobbyLists {
    /// The open seeks, oldest first.
    pub seeks: Vec<Seek>,
    /// The most recently created public games that are still running.
    pub games: Vec<GameSummary>,
}

impl LobbyLists {
    /// Returns the change that turns these lists into `next`.
    #[must_use]
    pub fn change_to(&self, next: &LobbyLists) -> LobbyChange {
        let [removed, opened] =
            difference(&self.seeks, &next.seeks, |seek| seek.id.clone(), |one, other| one == other);
        let removed: Vec<u32> = removed.into_iter().map(|(place, _)| place).collect();
        let mut seeks = self.seeks.clone();
        remove(&mut seeks, &removed);
        let mut added = Vec::with_capacity(opened.len());
        for (at, seek) in opened {
            added.push(BriefSeek::new(at, seek, &seeks));
            insert(&mut seeks, at, seek.clone());
        }
        let [gone, came] = difference(&self.games, &next.games, |game| game.id, is_same_game);
        let before: HashMap<GameId, GameProgress> =
            self.games.iter().map(|game| (game.id, GameProgress::of(game))).collect();
        let is_new: Vec<GameId> = came.iter().map(|(_, game)| game.id).collect();
        let progress = next.games.iter().map(GameProgress::of);
        let progress =
            progress.filter(|now| !is_new.contains(&now.game) && before.get(&now.game) != Some(now));
        LobbyChange {
            removed,
            added,
            gone: gone.into_iter().map(|(_, game)| game.id).collect(),
            progress: progress.collect(),
            came: came.into_iter().map(|(at, game)| PlacedGame { at, game: game.clone() }).collect(),
        }
    }

    /// Applies a change. A place beyond the end of a list counts as its end, and unknown ids and
    /// references to missing seeks are ignored.
    pub fn apply(&mut self, change: LobbyChange) {
        let LobbyChange { removed, added, gone, came, progress } = change;
        remove(&mut self.seeks, &removed);
        self.games.retain(|game| !gone.contains(&game.id));
        for brief in added {
            let at = brief.at.unwrap_or(u32::MAX);
            if let Some(seek) = brief.complete(&self.seeks) {
                insert(&mut self.seeks, at, seek);
            }
        }
        for PlacedGame { at, game } in came {
            insert(&mut self.games, at, game);
        }
        for GameProgress { game, phase, ply, turn } in progress {
            if let Some(known) = self.games.iter_mut().find(|known| known.id == game) {
                (known.phase, known.ply, known.turn) = (phase, ply, turn);
            }
        }
    }
}

/// True if two summaries of a game differ only in the game's progress.
fn is_same_game(one: &GameSummary, other: &GameSummary) -> bool {
    let GameProgress { game: _, phase, ply, turn } = GameProgress::of(other);
    GameSummary { phase, ply, turn, ..one.clone() } == *other
}

fn remove(seeks: &mut Vec<Seek>, removed: &[u32]) {
    let mut places = 0_u32..;
    seeks.retain(|_| places.next().is_some_and(|place| !removed.contains(&place)));
}

fn insert<T>(list: &mut Vec<T>, at: u32, item: T) {
    list.insert(place_of(at).min(list.len()), item);
}

fn place_of(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// Returns the changes that turn `before` into `after`: the items to remove, with their places in
/// `before`, and the items to insert, with their places in `after`.
fn difference<'list, T, K: Eq + Hash>(
    before: &'list [T],
    after: &'list [T],
    key: impl Fn(&T) -> K,
    is_same: impl Fn(&T, &T) -> bool,
) -> [Vec<(u32, &'list T)>; 2] {
    let places: HashMap<K, usize> = after.iter().enumerate().map(|(at, item)| (key(item), at)).collect();
    let mut stays = vec![false; after.len()];
    let (mut removed, mut from) = (Vec::new(), 0);
    for (place, item) in (0_u32..).zip(before) {
        // An item that has moved forward in the list is removed and inserted again.
        match places.get(&key(item)).filter(|at| **at >= from && is_same(item, &after[**at])) {
            Some(at) => {
                stays[*at] = true;
                from = at + 1;
            }
            None => removed.push((place, item)),
        }
    }
    let added = (0_u32..).zip(after).zip(stays).filter(|(_, stays)| !stays);
    [removed, added.map(|(added, _)| added).collect()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{PlayerKind, Time};

    fn terms(ruleset: &str, time: Time, rated: bool) -> Terms {
        Terms { ruleset: ruleset.to_owned(), time, private: false, secret: false, rated }
    }

    fn player(name: &str) -> Player {
        Player { id: name.to_owned(), name: name.to_owned(), kind: PlayerKind::Guest }
    }

    fn seek(number: u8, name: &str) -> Seek {
        Seek {
            id: format!("s{number}"),
            seeker: player(name),
            terms: terms("classic", Time::Unlimited {}, false),
            side: None,
            rating: None,
            seeker_rating: None,
        }
    }

    fn game(number: u8, ply: u16) -> GameSummary {
        GameSummary {
            id: GameId::from_random([number; 12]),
            terms: terms("classic", Time::Unlimited {}, false),
            players: PerSide::from_fn(|_| player("ana")),
            created: 1,
            phase: if ply == 0 { Phase::Deploying } else { Phase::Playing },
            ply,
            turn: None,
            outcome: None,
        }
    }

    /// Generates lists in any order, with each id at most once.
    fn lists() -> impl Strategy<Value = LobbyLists> {
        let ids = Just((0..12).collect::<Vec<u8>>()).prop_shuffle();
        (ids.clone(), 0_usize..12, ids, 0_usize..12, any::<u32>()).prop_map(
            |(seeks, open, games, running, more)| {
                let is_other = |number: &u8| more >> (number % 31) & 1 == 1;
                let seek = |number: &u8| seek(*number, if is_other(number) { "bo" } else { "ana" });
                let game = |number: &u8| game(*number, u16::from(is_other(number)) * 7);
                LobbyLists {
                    seeks: seeks.iter().take(open).map(seek).collect(),
                    games: games.iter().take(running).map(game).collect(),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn a_change_turns_the_lists_before_into_those_after(before in lists(), after in lists()) {
            let change = before.change_to(&after);
            prop_assert_eq!(change.is_empty(), before == after);
            let text = serde_json::to_string(&change).unwrap();
            let mut lists = before;
            lists.apply(serde_json::from_str(&text).unwrap());
            prop_assert_eq!(lists, after);
        }
    }

    #[test]
    fn one_more_seek_is_a_small_and_major_change_and_a_ply_a_minor_one() {
        let before = LobbyLists {
            seeks: (0..80).map(|number| seek(number, "ana")).collect(),
            games: (0..30).map(|number| game(number, 7)).collect(),
        };
        let mut after = before.clone();
        after.seeks.remove(40);
        after.seeks.push(seek(80, "bo"));
        let change = before.change_to(&after);
        assert!(change.is_major(&before));
        assert_eq!((&change.removed[..], change.added.len()), (&[40][..], 1));
        let bytes = serde_json::to_string(&change).unwrap().len();
        assert!(bytes < 150, "{bytes} bytes with a new seeker: {change:?}");

        let mut after = before.clone();
        after.games[3].ply = 8;
        let change = before.change_to(&after);
        assert!(!change.is_major(&before) && !change.is_empty());
        after.games[3].phase = Phase::Deploying;
        assert!(before.change_to(&after).is_major(&before));
    }

    #[test]
    fn a_filter_selects_by_ruleset_speed_and_rating() {
        let blitz = Time::Fischer { base_s: 180, increment_s: 2 };
        let terms = terms("barrage,ties=attacker", blitz, true);
        let speed = Speed::of(blitz);
        let selects = |ruleset: Option<&str>, speed, rated| {
            LobbyFilter { ruleset: ruleset.map(str::to_owned), speed, rated }.selects(&terms)
        };
        assert!(selects(None, None, None) && selects(Some("barrage"), speed, Some(true)));
        assert!(!selects(Some("classic"), None, None));
        assert!(!selects(None, Some(Speed::Correspondence), None));
        assert!(!selects(None, None, Some(false)));
    }
}
