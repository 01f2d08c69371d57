//! Outcomes of lobby commands, kept by player and command id, so that a repeated command has one
//! outcome.
//!
//! The record is written before the game is created. It describes the whole game, and the same
//! update writes the game's plan (see [`super::plans`]). If a crash comes in between, repeating
//! the command creates the game under the same id, so it is never created twice.

use flagfall_protocol::{Accepted, Code, CommandId, HexBytes, Player, Refusal};
use flagfall_store::{Key, StoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::command::LobbyCommand;
use crate::Refused;
use crate::records::{bytes, parse};
use flagfall_base::keys::COMMANDS;
use flagfall_game::NewGame;

/// Age in milliseconds after which a plan counts as abandoned: creating a game takes milliseconds.
pub(super) const LEFT_AFTER_MS: u64 = 3_000;
pub(crate) const PLAN_MS: u64 = 24 * 3_600_000;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CommandRecord {
    pub(super) fingerprint: String,
    pub(super) outcome: Accepted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<NewGame>,
}

/// A planned game as the store keeps it, next to the state of its job.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct PlanRecord {
    pub(super) plan: NewGame,
}

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// The record is new and in the store.
    New(CommandRecord),
    /// The command was carried out before, over another connection or by another server.
    Before(CommandRecord),
    /// Something that the command depends on has changed.
    Conflict,
}

pub(super) fn key(player: &Player, cmd_id: &CommandId) -> Result<Key, StoreError> {
    COMMANDS.key([&player.id, &cmd_id.as_str()])
}

pub(super) fn fingerprint(command: &LobbyCommand) -> Result<String, StoreError> {
    Ok(HexBytes(Sha256::digest(bytes(command)?).into()).to_string())
}

pub(super) fn read(bytes: &[u8], command: &LobbyCommand) -> Result<CommandRecord, Refused> {
    let record: CommandRecord = parse(bytes, "the record of a lobby command")?;
    let is_same = record.fingerprint == fingerprint(command)?;
    if is_same { Ok(record) } else { Err(Refusal::new(Code::CMD_ID_REUSED).into()) }
}
