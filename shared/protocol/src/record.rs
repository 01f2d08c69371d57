use std::fmt;

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_rules as rules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::client_to_server::{Terms, Time};
use crate::game_view::{GameEvent, GameView, Opened, Outcome, SeenMove, SeenPlacing, StrikeFate};
use crate::server_to_client::{Audience, Player};
use crate::text::HexBytes;

/// The version of [`GameRecord`].
pub const RECORD_FORMAT: u32 = 1;

/// A game as one audience may know it, start to end: full after the end, fogged before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GameRecord {
    /// [`RECORD_FORMAT`].
    pub format: u32,
    /// The game.
    pub game: GameId,
    /// What was played.
    pub terms: Terms,
    /// Who played.
    pub players: PerSide<Player>,
    /// When it was made, in milliseconds since 1970.
    pub created: u64,
    /// The lakes that were drawn for this game, where they are not the ruleset's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lakes: Option<Vec<Square>>,
    /// How long deployments were taken after that, in milliseconds; records of old games do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deploy_ms: Option<u64>,
    /// What of the network's delay was given back; nothing where it is not named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_quota: Option<LagQuota>,
    /// As whom it is told.
    pub audience: Audience,
    /// Each side's commitment to its deployment.
    pub commitments: PerSide<Option<HexBytes>>,
    /// The deployments that are open to this audience.
    pub deployments: PerSide<Option<Opened>>,
    /// The position a game began with that was set up and not deployed, in the one-line notation of positions, ranks that are not open
    /// to this audience as `?`. A server's games are deployed: it never writes this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// What happened, oldest first.
    pub events: Vec<RecordedEvent>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Where the record comes from, if no Flagfall game wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}

/// What an imported record was made from. Its stamps are all zero, for nobody stamped it; its players are known by name alone; and unless
/// the format carries commitments it has none: they are null, and the salts are 32 zero bytes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// The format's name: `text`, `strados` or `pbm`.
    pub from: String,
}

/// An event and when it happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecordedEvent {
    /// In milliseconds since 1970.
    pub at: u64,
    /// What of the network's delay the side that acted was given back, in milliseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lag_ms: u32,
    /// What.
    pub event: GameEvent,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks this way")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// How much of the network's delay a side is given back with a ply: what the server measured on its line, while its stock lasts. In milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LagQuota {
    /// What the stock grows by with a ply, and the longest a flag waits for a ply that may be under way.
    pub per_ply_ms: u32,
    /// What the stock is at the beginning, and at most.
    pub stock_ms: u32,
}

impl From<LagQuota> for rules::LagQuota {
    fn from(quota: LagQuota) -> rules::LagQuota {
        let LagQuota { per_ply_ms, stock_ms } = quota;
        rules::LagQuota { per_ply_ms, stock_ms }
    }
}

/// Writes down what one audience sees of a game, while it is played or replayed.
pub struct Recorder {
    viewer: rules::Viewer,
    lag_quota: Option<LagQuota>,
    events: Vec<RecordedEvent>,
    /// Events of which the end may open more than was seen, with their places among the others.
    closed: Vec<(usize, rules::Event)>,
    /// Choices nobody of this audience saw, with the number of events before them: those of strikes that were resolved, and of the one that waits (§Q4).
    choices: Vec<(usize, Noted)>,
    waiting: Vec<(usize, Noted)>,
}

/// An event nobody of the audience saw.
struct Noted {
    at: Stamp,
    lag_ms: u32,
    event: rules::Event,
}

impl Recorder {
    /// A record as this viewer may know it, of which nothing is written yet.
    #[must_use]
    pub fn new(viewer: rules::Viewer) -> Recorder {
        Recorder {
            viewer,
            lag_quota: None,
            events: Vec::new(),
            closed: Vec::new(),
            choices: Vec::new(),
            waiting: Vec::new(),
        }
    }

    /// The record of a game in which sides are given back what the network takes of their time.
    #[must_use]
    pub fn with_lag_quota(self, lag_quota: Option<LagQuota>) -> Recorder {
        Recorder { lag_quota, ..self }
    }

    /// Notes an event, stamped `at`; `after` is the game after it.
    pub fn note(&mut self, event: &rules::Event, after: &rules::Game, at: Stamp) {
        self.note_compensated(event, after, at, 0);
    }

    /// Notes an event before which the side that acted was given back so much of its time, in milliseconds.
    pub fn note_compensated(&mut self, event: &rules::Event, after: &rules::Game, at: Stamp, lag_ms: u32) {
        if let Some(seen) = rules::see(event, after, self.viewer) {
            if let rules::SeenEvent::Exchanged(rules::SeenExchange::Placed {
                piece: rules::Identity::Hidden,
                ..
            }) = &seen
            {
                self.closed.push((self.events.len(), event.clone()));
            }
            if matches!(seen, rules::SeenEvent::Moved(_)) {
                self.choices.append(&mut self.waiting);
            }
            self.events.push(RecordedEvent { at: at.0, lag_ms, event: GameEvent::from(&seen) });
        } else if after.position().has_strike_pending() {
            self.waiting.push((self.events.len(), Noted { at, lag_ms, event: event.clone() }));
        }
    }

    /// The record of the game as it stands after the last event noted.
    #[must_use]
    pub fn record(mut self, game: &rules::Game, terms: Terms, players: PerSide<Player>) -> GameRecord {
        for (place, event) in &self.closed {
            let opened = rules::see_opened(event, game, self.viewer);
            if let (Some(opened), Some(recorded)) = (opened, self.events.get_mut(*place)) {
                recorded.event = GameEvent::from(&opened);
            }
        }
        // From the last on: places count events before.
        for (place, Noted { at, lag_ms, event }) in self.choices.iter().rev() {
            if let Some(opened) = rules::see_opened(event, game, self.viewer) {
                let recorded = RecordedEvent { at: at.0, lag_ms: *lag_ms, event: GameEvent::from(&opened) };
                self.events.insert(*place, recorded);
            }
        }
        let view = GameView::from(&rules::view(game, self.viewer, game.latest()));
        GameRecord {
            format: RECORD_FORMAT,
            game: game.terms().game,
            terms,
            players,
            created: game.terms().created.0,
            lakes: drawn_lakes(game.terms()),
            deploy_ms: Some(game.terms().deploy_ms),
            lag_quota: self.lag_quota,
            audience: self.viewer.into(),
            commitments: view.commitments,
            deployments: view.opened,
            start: None,
            events: self.events,
            outcome: view.outcome,
            imported: None,
        }
    }
}

/// The lakes of a game, where they are not its ruleset's own.
fn drawn_lakes(terms: &rules::GameTerms) -> Option<Vec<Square>> {
    match terms.ruleset.lakes {
        rules::Lakes::OfTheShape => None,
        rules::Lakes::Drawn => Some(terms.lakes.iter().collect()),
    }
}

/// Text for people: a line for each fact of the game, then a line for each ply.
impl fmt::Display for GameRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Flagfall record {}", self.format)?;
        writeln!(f, "Game: {}", self.game)?;
        writeln!(f, "Rules: {}", self.terms.ruleset)?;
        if let Some(lakes) = &self.lakes {
            let lakes: Vec<String> = lakes.iter().map(Square::to_string).collect();
            writeln!(f, "Lakes: {}", lakes.join(" "))?;
        }
        match self.terms.time {
            Time::Unlimited {} => writeln!(f, "Time: no clock")?,
            Time::Fischer { base_s, increment_s } => {
                writeln!(f, "Time: {base_s} s + {increment_s} s a move")?;
            }
            Time::Delay { base_s, free_s } => {
                writeln!(f, "Time: {base_s} s, {free_s} s of each turn free")?;
            }
            Time::Correspondence { days: 1 } => writeln!(f, "Time: 1 day a move")?,
            Time::Correspondence { days } => writeln!(f, "Time: {days} days a move")?,
        }
        for side in Side::BOTH {
            writeln!(f, "{side}: {}", self.players[side].name)?;
        }
        match &self.outcome {
            None => writeln!(f, "Result: none yet")?,
            Some(Outcome { winner: Some(side), reason }) => writeln!(f, "Result: {side} wins ({reason})")?,
            Some(Outcome { winner: None, reason }) => writeln!(f, "Result: nobody wins ({reason})")?,
        }
        for side in Side::BOTH {
            if let Some(opened) = &self.deployments[side] {
                writeln!(f, "{side} deployed: {}", opened.setup)?;
                writeln!(f, "{side} salt: {}", opened.salt)?;
            }
            if let Some(commitment) = &self.commitments[side] {
                writeln!(f, "{side} committed: {commitment}")?;
            }
        }
        if let Some(start) = &self.start {
            writeln!(f, "Start: {start}")?;
        }
        let mut ply = 0;
        for RecordedEvent { at: _, lag_ms: _, event } in &self.events {
            match event {
                GameEvent::Moved(seen) => {
                    ply += 1;
                    write_ply(ply, seen, f)?;
                }
                GameEvent::Removed { side, square } => {
                    ply += 1;
                    writeln!(f, "{ply:>4} {:<4} -{square}", mover(*side))?;
                }
                GameEvent::Placed(seen) => {
                    ply += 1;
                    write_placing(ply, seen, f)?;
                }
                GameEvent::Colored { side, square, color } => {
                    writeln!(f, "{:>4} {:<4} {square}={}", "", mover(*side), color.letter())?;
                }
                // What was chosen is told with its ply, and what was never resolved stays untold (§Q4).
                GameEvent::Struck(_)
                | GameEvent::Chosen { .. }
                | GameEvent::Deployed { .. }
                | GameEvent::Ready { .. }
                | GameEvent::Started { .. }
                | GameEvent::DrawOffered { .. }
                | GameEvent::DrawDeclined { .. }
                | GameEvent::Paused { .. }
                | GameEvent::Resumed { .. }
                | GameEvent::Ended { .. } => {}
            }
        }
        Ok(())
    }
}

fn mover(side: Side) -> &'static str {
    PerSide::new("Red", "Blue")[side]
}

fn write_placing(ply: u32, seen: &SeenPlacing, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let SeenPlacing { side, square, piece, labeled, color } = seen;
    write!(f, "{ply:>4} {:<4} {piece}{}@{square}", mover(*side), if *labeled { "^" } else { "" })?;
    if let Some(color) = color {
        write!(f, "={}", color.letter())?;
    }
    writeln!(f)
}

fn write_ply(ply: u32, seen: &SeenMove, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{ply:>4} {:<4} {}", mover(seen.side), seen.squares)?;
    if let Some(laid) = &seen.laid {
        write!(f, "  {laid}")?;
    }
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
        write!(f, "  {attacker} strikes {defender}: {result}")?;
    }
    writeln!(f)
}
