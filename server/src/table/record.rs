//! Records of games: what one audience may know, start to end.

use std::fmt::Write as _;

use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{
    GameEvent, GameRecord, GameView, Outcome, RECORD_FORMAT, RecordedEvent, SeenMove, StrikeFate, Time,
};
use flagfall_rules::{Viewer, see, view};
use flagfall_store::StoredEntry;

use super::audience::audience_of;
use super::replay::{self, ReplayError};

/// A game's record for one audience, from its log.
pub(super) fn record(id: GameId, stored: &[StoredEntry], viewer: Viewer) -> Result<GameRecord, ReplayError> {
    let mut events = Vec::new();
    let (header, game, _head) = replay::replay(id, stored, |game, entry| {
        if let Some(seen) = see(&entry.event, game, viewer) {
            events.push(RecordedEvent { at: entry.at.0, event: GameEvent::from(&seen) });
        }
    })?;
    let GameView { commitments, opened, .. } = GameView::from(&view(&game, viewer, game.latest()));
    Ok(GameRecord {
        format: RECORD_FORMAT,
        game: id,
        terms: header.terms,
        players: header.players,
        created: game.terms().created.0,
        audience: audience_of(viewer),
        commitments,
        deployments: opened,
        events,
        outcome: game.outcome().as_ref().map(Outcome::from),
    })
}

/// A record as text for people: a line for each fact of the game, then a line for each ply.
#[must_use]
pub fn text(record: &GameRecord) -> String {
    let mut text = String::new();
    write_text(record, &mut text).map_or_else(|_| String::new(), |()| text)
}

fn write_text(record: &GameRecord, text: &mut String) -> std::fmt::Result {
    writeln!(text, "Flagfall record {}", record.format)?;
    writeln!(text, "Game: {}", record.game)?;
    writeln!(text, "Rules: {}", record.terms.ruleset)?;
    match record.terms.time {
        Time::Unlimited {} => writeln!(text, "Time: no clock")?,
        Time::Fischer { base_s, increment_s } => writeln!(text, "Time: {base_s} s + {increment_s} s a move")?,
    }
    for side in Side::BOTH {
        writeln!(text, "{side}: {}", record.players[side].name)?;
    }
    match &record.outcome {
        None => writeln!(text, "Result: none yet")?,
        Some(Outcome { winner: Some(side), reason }) => writeln!(text, "Result: {side} wins ({reason})")?,
        Some(Outcome { winner: None, reason }) => writeln!(text, "Result: nobody wins ({reason})")?,
    }
    for side in Side::BOTH {
        if let Some(opened) = &record.deployments[side] {
            writeln!(text, "{side} deployed: {}", opened.setup)?;
            writeln!(text, "{side} salt: {}", opened.salt)?;
        }
        if let Some(commitment) = &record.commitments[side] {
            writeln!(text, "{side} committed: {commitment}")?;
        }
    }
    let mut ply = 0;
    for RecordedEvent { at: _, event } in &record.events {
        if let GameEvent::Moved(seen) = event {
            ply += 1;
            write_ply(ply, seen, text)?;
        }
    }
    Ok(())
}

fn write_ply(ply: u32, seen: &SeenMove, text: &mut String) -> std::fmt::Result {
    let mover = PerSide::new("Red", "Blue")[seen.side];
    write!(text, "{ply:>4} {mover:<4} {}", seen.squares)?;
    if let Some(strike) = &seen.strike {
        let (attacker, defender) = (strike.attacker, strike.defender);
        let result = match (strike.attacker_fate, strike.defender_fate) {
            (StrikeFate::Leaves, StrikeFate::Leaves) => "both leave",
            (StrikeFate::Leaves, StrikeFate::Stays | StrikeFate::Advances) => "the attacker leaves",
            (StrikeFate::Stays | StrikeFate::Advances, StrikeFate::Leaves) => "the defender leaves",
            (StrikeFate::Stays | StrikeFate::Advances, StrikeFate::Stays | StrikeFate::Advances) => {
                "both stay"
            }
        };
        write!(text, "  {attacker} strikes {defender}: {result}")?;
    }
    writeln!(text)
}
