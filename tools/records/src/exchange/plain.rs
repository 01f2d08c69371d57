//! A game, reduced to the facts that the formats of other programs can express.

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_protocol::{
    GameEvent, GameRecord, HexBytes, Imported, Opened, Player, PlayerKind, RECORD_FORMAT, RecordedEvent,
    SeenMove, SeenOutcome, Terms, Time, Viewer,
};
use flagfall_rules::{Game, Identity, Move, Ruleset, Start};
use sha2::{Digest, Sha256};

use super::error::{ExportError, ImportError};
use super::format::Format;
use super::told;
use crate::check::NAME_LEN_MAX;
use crate::finding::Status;

/// A complete game.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Plain {
    pub(super) ruleset: &'static Ruleset,
    /// The lakes, if the ruleset draws them.
    pub(super) lakes: Option<Vec<Square>>,
    pub(super) time: Time,
    pub(super) players: PerSide<String>,
    /// The deployment texts in the format of §P4, without spaces.
    pub(super) deployments: PerSide<String>,
    pub(super) moves: Vec<Move>,
    pub(super) outcome: SeenOutcome,
}

/// The names of games in a format, each with its possible rulesets. A name can mean several
/// rulesets, because the format does not state all rules. An import assumes the first one.
pub(super) struct Games {
    pub(super) format: Format,
    pub(super) rulesets: &'static [(&'static str, &'static [&'static str])],
}

impl Games {
    /// Returns the name that this format uses for games of a ruleset.
    pub(super) fn name_of(&self, ruleset: &Ruleset) -> Result<&'static str, ExportError> {
        let game = self.rulesets.iter().find(|(_, rulesets)| rulesets.contains(&ruleset.id));
        game.map(|(name, _)| *name).ok_or_else(|| {
            let allowed = self.rulesets.iter().flat_map(|(_, rulesets)| rulesets.iter().copied());
            not_told(self.format, ruleset, allowed)
        })
    }

    /// Returns `wanted` if it is one of the rulesets that this name can mean. If `wanted` is
    /// `None`, returns the first of these rulesets.
    pub(super) fn ruleset(
        &self,
        name: &str,
        wanted: Option<&'static Ruleset>,
    ) -> Result<&'static Ruleset, ImportError> {
        let no_ruleset = || {
            let format = self.format.name();
            ImportError::Form(format!("no ruleset matches games of the type {name:?} in {format}"))
        };
        let (_, rulesets) = self.rulesets.iter().find(|(game, _)| *game == name).ok_or_else(no_ruleset)?;
        match wanted {
            None => rulesets.first().and_then(|id| Ruleset::find(id)).ok_or_else(no_ruleset),
            Some(ruleset) if rulesets.contains(&ruleset.id) => Ok(ruleset),
            Some(ruleset) => {
                Err(format!("a game of the type {name:?} is not a game of {}", ruleset.id).into())
            }
        }
    }
}

fn not_told<'a>(format: Format, ruleset: &Ruleset, allowed: impl Iterator<Item = &'a str>) -> ExportError {
    let allowed = allowed.collect::<Vec<_>>().join(", ");
    ExportError::Ruleset { format: format.name(), ruleset: ruleset.id.to_owned(), allowed }
}

/// True if deployments and moves are enough to describe a game of the ruleset.
fn is_told_by_moves(ruleset: &Ruleset) -> bool {
    !ruleset.reserve && ruleset.start == Start::Deployments
}

/// Checks that a record is true, has a known ruleset, and has no set-up position.
pub(super) fn check_told(record: &GameRecord) -> Result<&'static Ruleset, ExportError> {
    if record.start.is_some() {
        return Err(ExportError::Start);
    }
    let ruleset = Ruleset::find(&record.terms.ruleset)
        .ok_or_else(|| ExportError::False("there is no such ruleset".to_owned()))?;
    let report = crate::check(record);
    match (report.status, report.findings.first()) {
        (Status::False, Some(finding)) => Err(ExportError::False(finding.detail.clone())),
        _ => Ok(ruleset),
    }
}

impl Plain {
    /// Converts a true and complete record.
    pub(super) fn of(record: &GameRecord, format: Format) -> Result<Plain, ExportError> {
        let ruleset = check_told(record)?;
        if !is_told_by_moves(ruleset) {
            let told = Ruleset::all().iter().filter(|ruleset| is_told_by_moves(ruleset));
            return Err(not_told(format, ruleset, told.map(|ruleset| ruleset.id)));
        }
        let (Some(red), Some(blue), Some(outcome)) =
            (&record.deployments.red, &record.deployments.blue, &record.outcome)
        else {
            return Err(ExportError::NotOpened(format.name()));
        };
        if !record.has_started() {
            return Err(ExportError::NotStarted);
        }
        let moves = record.events.iter().filter_map(|told| match &told.event {
            GameEvent::Moved(seen) => Some(seen.squares),
            _ => None,
        });
        Ok(Plain {
            ruleset,
            lakes: record.lakes.clone(),
            time: record.terms.time,
            players: PerSide::from_fn(|side| record.players[side].name.clone()),
            deployments: PerSide::new(red.setup.clone(), blue.setup.clone()),
            moves: moves.collect(),
            outcome: outcome.clone(),
        })
    }

    /// Replays the game. Returns its record and the game after the last event.
    pub(super) fn play(&self, from: &str) -> Result<(GameRecord, Game), ImportError> {
        if !is_told_by_moves(self.ruleset) {
            return Err(format!(
                "games of {} consist of more than moves: only json can contain them",
                self.ruleset.id
            )
            .into());
        }
        let mut told = blank(self.id(), self.ruleset, self.time, &self.players, from);
        told.lakes.clone_from(&self.lakes);
        told.outcome = Some(self.outcome.clone());
        told.deployments = PerSide::from_fn(|side| {
            Some(Opened { setup: self.deployments[side].clone(), salt: HexBytes([0; 32]) })
        });
        let started = GameEvent::Started { commitments: PerSide::default() };
        let moves = Side::BOTH.into_iter().cycle().zip(&self.moves).map(|(side, squares)| {
            let piece = Identity::Hidden;
            GameEvent::Moved(SeenMove { side, squares: *squares, piece, strike: None, laid: None })
        });
        let events = std::iter::once(started).chain(moves);
        told.events = events.map(|event| RecordedEvent::new(Stamp(0), 0, event)).collect();
        told::play(&told, self.ruleset)
    }

    /// Returns an id computed from the contents of the game, so that it does not depend on the
    /// source of the game.
    fn id(&self) -> GameId {
        let mut hasher = Sha256::new();
        let SeenOutcome { winner, reason } = &self.outcome;
        let moves: String = self.moves.iter().map(Move::to_string).collect();
        for part in [
            "flagfall-import-1",
            self.ruleset.id,
            &self.deployments.red,
            &self.deployments.blue,
            &moves,
            winner.map_or("", Side::name),
            reason,
        ] {
            hasher.update(part);
            hasher.update(b"\0");
        }
        let hash: [u8; 32] = hasher.finalize().into();
        GameId::from_random(std::array::from_fn(|index| hash[index]))
    }
}

/// Returns the public record of an imported game, without any events.
pub(super) fn blank(
    game: GameId,
    ruleset: &Ruleset,
    time: Time,
    names: &PerSide<String>,
    from: &str,
) -> GameRecord {
    let player = |name: &String| Player { id: String::new(), name: name.clone(), kind: PlayerKind::Guest };
    GameRecord {
        format: RECORD_FORMAT,
        game,
        terms: Terms::casual(ruleset, time),
        players: PerSide::from_fn(|side| player(&names[side])),
        created: 0,
        lakes: None,
        deploy_ms: None,
        lag_quota: None,
        whole_turns: false,
        audience: Viewer::Public,
        kind: None,
        first_view: None,
        commitments: PerSide::default(),
        deployments: PerSide::default(),
        start: None,
        events: Vec::new(),
        outcome: None,
        imported: Some(Imported { from: from.to_owned() }),
        signature: None,
    }
}

/// Returns a deployment text in upper case, without spaces.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// Returns a player's name without the characters that records do not allow, shortened to the
/// maximum length.
pub(super) fn named(name: &str) -> String {
    let name: String = name.trim().chars().filter(|letter| !letter.is_control()).take(NAME_LEN_MAX).collect();
    match name.trim() {
        "" => "unknown".to_owned(),
        name => name.to_owned(),
    }
}
