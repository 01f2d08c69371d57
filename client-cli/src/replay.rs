//! A game's record: told as text, and stepped through on a board.

use std::fmt::Write;

use flagfall_board::{Direction, PerSide, Ply, Rank, Side, Square};
use flagfall_protocol::{
    Audience, GameEvent, GameRecord, GameSummary, GameView, IdentityText, OwedColor, Phase, PieceText,
    Presence, Reserve, SeenMove, SeenStrike, StrikeFate, ViewChange,
};
use flagfall_rules::{Fill, Identity, Move, Ruleset, SeenPiece, Start};

use crate::layouts;
use crate::model::OpenGame;
use crate::words;

/// A record and the place in it: how many of its events have happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Replay {
    record: GameRecord,
    ruleset: &'static Ruleset,
    at: usize,
    view: GameView,
}

/// A record that this client cannot play back.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this client does not know the ruleset {0}: update it")]
pub struct UnknownRuleset(String);

impl Replay {
    /// The record before its first ply.
    ///
    /// # Errors
    /// When the ruleset is unknown.
    pub fn new(record: GameRecord) -> Result<Replay, UnknownRuleset> {
        let id = &record.terms.ruleset;
        let ruleset = Ruleset::find(id).ok_or_else(|| UnknownRuleset(id.clone()))?;
        let view = before(&record, ruleset);
        let mut replay = Replay { record, ruleset, at: 0, view };
        let start =
            replay.record.events.iter().position(|told| matches!(told.event, GameEvent::Started { .. }));
        // Games with coins have begun before their first event.
        replay.go(start.map_or(0, |index| index + 1));
        Ok(replay)
    }

    /// How many events have happened.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// How many events there are.
    #[must_use]
    pub fn last(&self) -> usize {
        self.record.events.len()
    }

    /// Goes to the place after so many events; beyond the end to the end.
    pub fn go(&mut self, at: usize) {
        let at = at.min(self.last());
        if at < self.at {
            self.view = before(&self.record, self.ruleset);
            self.at = 0;
        }
        while let Some(told) = self.record.events.get(self.at).filter(|_| self.at < at) {
            step(&mut self.view, &self.record, self.ruleset, &told.event);
            self.at += 1;
        }
    }

    /// What happened last, as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self.at.checked_sub(1).and_then(|index| self.record.events.get(index)) {
            Some(told) => words::event(&told.event),
            None => "Before the first event.".to_owned(),
        }
    }

    /// The place as a game that is looked at.
    #[must_use]
    pub fn game(&self) -> OpenGame {
        let record = &self.record;
        let view = self.view.clone();
        let cursor = self.ruleset.shape.home_square(Side::Red, 0).or(Square::from_index(0));
        OpenGame {
            summary: GameSummary {
                id: record.game,
                terms: record.terms.clone(),
                players: record.players.clone(),
                created: record.created,
                phase: view.phase,
                ply: view.ply,
                turn: view.turn,
                outcome: record.outcome.clone(),
            },
            ruleset: Some(self.ruleset),
            audience: Audience::Public,
            driving: false,
            superseded: false,
            epoch: 0,
            seq: 0,
            view,
            presence: PerSide::new(Presence::Present, Presence::Present),
            left: PerSide::default(),
            claimable_at: PerSide::default(),
            is_claim_told: false,
            is_muted: false,
            rematch: Vec::new(),
            reopening: false,
            editor: None,
            cursor: cursor.unwrap_or(crate::model::A1),
            selected: None,
            typed: String::new(),
            unavailable: false,
        }
    }

    /// The whole record as text.
    #[must_use]
    pub fn text(&self) -> String {
        let record = &self.record;
        let mut text = format!("Game {}\n{}\n", record.game, words::terms(&record.terms));
        let _ = writeln!(text, "Made {}", words::date(record.created));
        for side in Side::BOTH {
            let _ = writeln!(text, "{side}: {}", crate::words::player(&record.players[side]));
        }
        if let Some(lakes) = &record.lakes {
            let _ = writeln!(text, "Lakes: {}", words::squares(lakes));
        }
        if let Some(side) = record.audience.side() {
            let _ = writeln!(text, "As {side} may know it");
        }
        for side in Side::BOTH {
            if let Some(opened) = &record.deployments[side] {
                let _ = writeln!(text, "{side} deployed: {}", layouts::in_rows(&opened.setup, self.ruleset));
            }
        }
        text.push('\n');
        let mut ply: Ply = 0;
        for told in &record.events {
            match &told.event {
                played if played.is_ply() => {
                    ply += 1;
                    let _ = writeln!(text, "{ply:>4}. {}", words::event(played));
                }
                other => {
                    let _ = writeln!(text, "      {}", words::event(other));
                }
            }
        }
        words::clean(&text)
    }
}

/// The view before anything happened.
fn before(record: &GameRecord, ruleset: &Ruleset) -> GameView {
    let has_coins = ruleset.start == Start::Coins;
    let coins = Side::BOTH.into_iter().filter(|_| has_coins).flat_map(|side| {
        let squares = ruleset.shape.home(side).iter();
        squares.map(move |square| PieceText(SeenPiece { identity: Identity::Coin, ..unknown(square, side) }))
    });
    GameView {
        audience: Audience::Public,
        ruleset: record.terms.ruleset.clone(),
        phase: if has_coins { Phase::Playing } else { Phase::Deploying },
        paused: false,
        ready: PerSide::default(),
        deploy_deadline: None,
        own_deployment: None,
        lakes: record.lakes.clone().unwrap_or_else(|| ruleset.shape.lakes.iter().collect()),
        pieces: coins.collect(),
        captured: PerSide::default(),
        ply: 0,
        turn: has_coins.then_some(Side::Red),
        last_move: None,
        last_exchange: None,
        reserve: ruleset.reserve.then(|| {
            let size = ruleset.army.len().saturating_sub(ruleset.shape.home_len());
            PerSide::from_fn(|_| Reserve {
                size: u16::try_from(size).unwrap_or(u16::MAX),
                labeled: std::collections::BTreeMap::new(),
                unlabeled: None,
            })
        }),
        chips: ruleset.chips.then(std::collections::BTreeMap::new),
        owed_color: None,
        pools: has_coins.then(|| PerSide::from_fn(|_| ruleset.army.iter().collect())),
        pending_strike: None,
        refused_moves: Vec::new(),
        clock: None,
        draw_offer: None,
        plies_to_limit: None,
        commitments: PerSide::default(),
        opened: PerSide::default(),
        outcome: None,
    }
}

fn step(view: &mut GameView, record: &GameRecord, ruleset: &Ruleset, event: &GameEvent) {
    let mut change =
        ViewChange { turn: view.turn, pending_strike: view.pending_strike, ..ViewChange::default() };
    match event {
        GameEvent::Started { .. } => {
            change.turn = Some(Side::Red);
            let pieces = Side::BOTH.into_iter().flat_map(|side| army(record, ruleset, side));
            change.pieces = Some(pieces.map(PieceText).collect());
        }
        GameEvent::Struck(strike) => {
            change.pending_strike = Some(*strike);
            let Move { from, to } = strike.squares.0;
            let is_far = !matches!(Direction::between(from, to), Some((_, 1)));
            let attacker = crate::targets::piece_at(view, from).unwrap_or(unknown(from, strike.side));
            let scout = IdentityText(Identity::Known(Rank::Scout));
            let now = if is_far { shown(attacker, scout) } else { attacker };
            change.pools = shrunk(view, &[(attacker, now.identity)]);
            change.pieces = Some(vec![PieceText(SeenPiece { is_moved: true, ..now })]);
        }
        GameEvent::Moved(seen) => {
            change.turn = Some(seen.side.opponent());
            change.pending_strike = None;
            let Move { from, to } = seen.squares.0;
            let mut before: Vec<(SeenPiece, Identity)> = Vec::new();
            let defender = seen.strike.map(|strike| (to, strike.defender.0));
            for (square, identity) in [Some((from, seen.piece.0)), defender].into_iter().flatten() {
                before.extend(crate::targets::piece_at(view, square).map(|piece| (piece, identity)));
            }
            change.pools = shrunk(view, &before);
            let (pieces, captured) = ply(view, ruleset, seen);
            let is_owed = ruleset.chips
                && seen.strike.is_some_and(|strike| strike.defender_fate == StrikeFate::Advances);
            change.owed_color =
                is_owed.then_some(OwedColor { side: seen.side.opponent(), square: seen.squares.0.from });
            change.pieces = Some(pieces.into_iter().map(PieceText).collect());
            change.captured = Some(captured);
        }
        GameEvent::Removed { side, square } => {
            change.turn = Some(side.opponent());
            let label = crate::targets::piece_at(view, *square).filter(|piece| piece.is_labeled);
            change.reserve = exchanged(view, *side, label.map(|piece| piece.identity), true);
            change.pieces = Some(Vec::new());
        }
        GameEvent::Placed(seen) => {
            change.turn = Some(seen.side.opponent());
            let label = seen.labeled.then_some(seen.piece.0);
            change.reserve = exchanged(view, seen.side, label, false);
            change.pieces = Some(vec![PieceText(SeenPiece {
                square: seen.square,
                side: seen.side,
                identity: seen.piece.0,
                is_moved: false,
                is_revealed: seen.labeled,
                is_labeled: seen.labeled,
            })]);
        }
        GameEvent::Ended { .. } => (change.turn, change.pending_strike) = (None, None),
        GameEvent::Colored { .. }
        | GameEvent::Chosen { .. }
        | GameEvent::Deployed { .. }
        | GameEvent::Ready { .. }
        | GameEvent::DrawOffered { .. }
        | GameEvent::DrawDeclined { .. }
        | GameEvent::Paused { .. }
        | GameEvent::Resumed { .. } => {}
    }
    view.apply(event, &change);
}

fn unknown(square: Square, side: Side) -> SeenPiece {
    SeenPiece {
        square,
        side,
        identity: Identity::Hidden,
        is_moved: false,
        is_revealed: false,
        is_labeled: false,
    }
}

/// The pools after coins among these have become something.
fn shrunk(
    view: &GameView,
    known: &[(SeenPiece, Identity)],
) -> Option<PerSide<std::collections::BTreeMap<Rank, u8>>> {
    let mut pools = view.pools.clone()?;
    for (piece, now) in known.iter().filter(|(piece, _)| piece.identity == Identity::Coin) {
        let Identity::Known(rank) = now else { continue };
        let count = pools[piece.side].entry(*rank).or_insert(0);
        *count = count.saturating_sub(1);
        if *count == 0 {
            pools[piece.side].remove(rank);
        }
    }
    Some(pools)
}

/// A side's pieces at the start: as deployed where that is open, else hidden on the home squares, where they must all be.
fn army(record: &GameRecord, ruleset: &Ruleset, side: Side) -> Vec<SeenPiece> {
    let opened = record.deployments[side].as_ref().map(|opened| opened.setup.as_str());
    let places =
        opened.or_else(|| own_setup(record, side)).and_then(|text| layouts::places(text, ruleset).ok());
    let identity = |place: usize| match &places {
        Some(places) => places.get(place).copied().flatten().map(Identity::Known),
        None => (ruleset.fill == Fill::EveryHomeSquare).then_some(Identity::Hidden),
    };
    (0..ruleset.shape.home_len())
        .filter_map(|place| {
            let square = ruleset.shape.home_square(side, place)?;
            let identity = identity(place)?;
            Some(SeenPiece { square, side, identity, is_moved: false, is_revealed: false, is_labeled: false })
        })
        .collect()
}

/// What the side to which the record is told handed in last.
fn own_setup(record: &GameRecord, side: Side) -> Option<&str> {
    let told = record.events.iter().rev().filter(|_| record.audience.side() == Some(side));
    told.into_iter().find_map(|told| match &told.event {
        GameEvent::Deployed { setup } => Some(setup.as_str()),
        _ => None,
    })
}

/// The reserves after a piece of a side came to its own or left it; with a label everybody knows which.
fn exchanged(
    view: &GameView,
    side: Side,
    label: Option<Identity>,
    is_coming: bool,
) -> Option<PerSide<Reserve>> {
    let mut reserves = view.reserve.clone()?;
    let Reserve { size, labeled, unlabeled: _ } = &mut reserves[side];
    *size = if is_coming { size.saturating_add(1) } else { size.saturating_sub(1) };
    if let Some(Identity::Known(rank)) = label {
        let count = labeled.entry(rank).or_insert(0);
        *count = if is_coming { count.saturating_add(1) } else { count.saturating_sub(1) };
        if *count == 0 {
            labeled.remove(&rank);
        }
    }
    Some(reserves)
}

type Captured = PerSide<std::collections::BTreeMap<Rank, u8>>;

/// What stands on the two squares of a ply afterwards, and what has been captured.
fn ply(view: &GameView, ruleset: &Ruleset, seen: &SeenMove) -> (Vec<SeenPiece>, Captured) {
    let Move { from, to } = seen.squares.0;
    let mut captured = view.captured.clone();
    let at = |square: Square, side: Side| {
        let found = crate::targets::piece_at(view, square).filter(|piece| piece.side == side);
        found.unwrap_or(unknown(square, side))
    };
    let mover = shown(at(from, seen.side), seen.piece);
    let mover = SeenPiece { is_moved: true, ..mover };
    let Some(SeenStrike { attacker, attacker_fate, defender, defender_fate }) = seen.strike else {
        return (vec![SeenPiece { square: to, ..mover }], captured);
    };
    let attacker = shown(mover, attacker);
    // Whatever a Scout or a Phoenix found out stays face up (§S2.1, §S2.2).
    let finds_out = ruleset.labels
        && matches!(attacker.identity, Identity::Known(Rank::Scout | Rank::Phoenix))
        && defender_fate != StrikeFate::Leaves;
    let defender = shown(at(to, seen.side.opponent()), defender);
    let defender = SeenPiece { is_labeled: defender.is_labeled || finds_out, ..defender };
    let mut pieces = Vec::new();
    let mut settle =
        |piece: SeenPiece, fate: StrikeFate, own: Square, other: Square| match (fate, piece.identity) {
            (StrikeFate::Stays, _) => pieces.push(SeenPiece { square: own, ..piece }),
            (StrikeFate::Advances, _) => pieces.push(SeenPiece { square: other, is_moved: true, ..piece }),
            (StrikeFate::Leaves, Identity::Known(rank)) => {
                *captured[piece.side].entry(rank).or_insert(0) += 1;
            }
            (StrikeFate::Leaves, Identity::OneOf(_) | Identity::Coin | Identity::Hidden) => {}
        };
    settle(attacker, attacker_fate, from, to);
    settle(defender, defender_fate, to, from);
    (pieces, captured)
}

/// The piece after something was shown of it.
fn shown(piece: SeenPiece, told: IdentityText) -> SeenPiece {
    match (told.0, piece.identity) {
        (Identity::Known(_), _) => SeenPiece { identity: told.0, is_revealed: true, ..piece },
        (Identity::OneOf(_), Identity::Hidden) => SeenPiece { identity: told.0, ..piece },
        (Identity::OneOf(_) | Identity::Coin | Identity::Hidden, _) => piece,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> GameRecord {
        let setup = "..9.1...9. .....2S... ...8...... ....FB....".replace(' ', "");
        let salt = "00".repeat(32);
        let text = format!(
            r#"{{"format":1,"game":"0123456789ab","terms":{{"ruleset":"barrage","time":{{"kind":"unlimited"}}}},
            "players":{{"red":{{"id":"1","name":"ann","kind":"guest"}},"blue":{{"id":"2","name":"bob","kind":"guest"}}}},
            "created":1795270000000,"audience":"public","commitments":{{"red":null,"blue":null}},
            "deployments":{{"red":{{"setup":"{setup}","salt":"{salt}"}},"blue":{{"setup":"{setup}","salt":"{salt}"}}}},
            "events":[{{"at":1,"event":{{"kind":"ready","side":"red"}}}},{{"at":2,"event":{{"kind":"started","commitments":{{"red":null,"blue":null}}}}}},
            {{"at":3,"event":{{"kind":"moved","side":"red","move":"e4f4","piece":"?"}}}},
            {{"at":4,"event":{{"kind":"moved","side":"blue","move":"f7f4","piece":"1","strike":{{"attacker":"1","attacker_fate":"leaves","defender":"1","defender_fate":"leaves"}}}}}},
            {{"at":5,"event":{{"kind":"ended","outcome":{{"winner":"blue","reason":"resigned"}},"opened":{{"red":null,"blue":null}}}}}}]}}"#
        );
        serde_json::from_str(&text).expect("a record")
    }

    #[test]
    fn stepping_forth_and_back_shows_the_same() {
        let mut replay = Replay::new(record()).expect("a known ruleset");
        assert_eq!((replay.at(), replay.last()), (2, 5));
        assert_eq!(replay.game().view.pieces.len(), 16);
        let start = replay.clone();
        replay.go(4);
        assert_eq!(replay.game().view.pieces.len(), 14);
        assert_eq!(replay.game().view.captured.red.get(&Rank::Marshal), Some(&1));
        replay.go(99);
        assert_eq!(replay.game().view.phase, Phase::Over);
        replay.go(2);
        assert_eq!(replay, start);
    }

    #[test]
    fn the_text_tells_the_game() {
        insta::assert_snapshot!(Replay::new(record()).expect("a known ruleset").text());
    }
}
