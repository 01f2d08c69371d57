//! The outcomes of lobby commands, stored by player and command id, so that a repeated command
//! has the same outcome.
//!
//! The outcome is written before the game is created. It describes the whole game, and the same
//! update writes the plan of the game (see [`super::plans`]). If a crash prevents the creation of
//! the game, repeating the command creates it. The repeated command uses the same game id, so the
//! game is never created twice.

use flagfall_protocol::{Accepted, Code, CommandId, HexBytes, Player, Refusal};
use flagfall_store::{Key, StoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::command::LobbyCommand;
use crate::Refused;
use crate::records::{bytes, parse};
use flagfall_base::keys::COMMANDS;
use flagfall_game::NewGame;

/// The age at which a plan counts as abandoned, in milliseconds. Creating a game usually takes
/// only milliseconds.
pub(super) const LEFT_AFTER_MS: u64 = 3_000;
pub(crate) const PLAN_MS: u64 = 24 * 3_600_000;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CommandRecord {
    pub(super) fingerprint: String,
    pub(super) outcome: Accepted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<NewGame>,
}

/// A planned game in the store. The record also contains the state of the job that creates the
/// game.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct PlanRecord {
    pub(super) plan: NewGame,
}

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// The command was carried out by this call, and its outcome is in the store.
    New(CommandRecord),
    /// The command had already been carried out, over another connection or by another server.
    Before(CommandRecord),
    /// Nothing was written, because a record on which the command depends has changed.
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
