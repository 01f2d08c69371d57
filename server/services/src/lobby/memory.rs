//! Outcomes of lobby commands, kept by player and command id, so that a repeated command has one
//! outcome.
//!
//! The record is written before the game is created. It describes the whole game, and the same
//! update writes the game's plan (see [`super::plans`]). If a crash comes in between, repeating the
//! command creates the game under the same id, so there is never a second one.

use std::sync::Arc;

use flagfall_board::Stamp;
use flagfall_protocol::{Accepted, CommandId, HexBytes, Player};
use flagfall_store::{Expect, Key, Store, SystemClock, Update, UpdateOutcome, WallClock, Write};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::command::LobbyCommand;
use super::game_plan::planning;
use super::refusal::LobbyRefusal;
use flagfall_base::keys::COMMANDS;
use flagfall_game::NewGame;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CommandRecord {
    fingerprint: HexBytesText,
    pub(super) outcome: Accepted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<NewGame>,
}

type HexBytesText = String;

/// An update that keeps a command's outcome. The command's other conditions and writes join it.
pub(super) struct Draft {
    key: Key,
    record: CommandRecord,
    value: Vec<u8>,
    update: Update,
}

#[derive(PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// It is in the store.
    New(CommandRecord),
    /// The command was carried out before, over another connection or by another server.
    Before(CommandRecord),
    /// Something that the command depends on has changed.
    Conflict,
}

pub(super) struct CommandMemory {
    store: Arc<dyn Store>,
    memory_ms: u64,
}

impl CommandMemory {
    /// Keeps outcomes in this store for `memory_ms` milliseconds.
    pub(super) fn new(store: Arc<dyn Store>, memory_ms: u64) -> CommandMemory {
        CommandMemory { store, memory_ms }
    }

    pub(super) async fn recall(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
    ) -> Result<Option<CommandRecord>, LobbyRefusal> {
        let bytes = self.store.get(key(player, cmd_id)?).await?;
        bytes.map(|bytes| read(&bytes, command)).transpose()
    }

    pub(super) fn draft(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
        outcome: Accepted,
        game: Option<NewGame>,
    ) -> Result<Draft, LobbyRefusal> {
        let key = key(player, cmd_id)?;
        let record = CommandRecord { fingerprint: fingerprint(command)?, outcome, game };
        let value = serde_json::to_vec(&record).map_err(|error| LobbyRefusal::internal(&error))?;
        let expires: Stamp = SystemClock.now().plus_ms(self.memory_ms);
        let mut writes = vec![Write::Put { key: key.clone(), value: value.clone(), expires: Some(expires) }];
        if let Some(plan) = &record.game {
            writes.push(planning(&*self.store, plan)?);
        }
        let update = Update { conditions: vec![(key.clone(), Expect::Absent)], writes };
        Ok(Draft { key, record, value, update })
    }

    pub(super) async fn keep(&self, draft: Draft, command: &LobbyCommand) -> Result<Kept, LobbyRefusal> {
        let Draft { key, record, value, update } = draft;
        match self.store.update(update).await? {
            UpdateOutcome::Ok => Ok(Kept::New(record)),
            UpdateOutcome::Conflict => match self.store.get(key).await? {
                Some(bytes) => read(&bytes, command).map(Kept::Before),
                None => Ok(Kept::Conflict),
            },
            UpdateOutcome::Unknown => match self.store.get(key).await? {
                Some(bytes) if bytes == value => Ok(Kept::New(record)),
                Some(bytes) => read(&bytes, command).map(Kept::Before),
                None => Err(LobbyRefusal::Store),
            },
        }
    }
}

impl Draft {
    /// Adds the conditions and writes of another update.
    #[must_use]
    pub(super) fn joining(mut self, other: Update) -> Draft {
        self.update.conditions.extend(other.conditions);
        self.update.writes.extend(other.writes);
        self
    }

    #[must_use]
    pub(super) fn expecting(mut self, key: Key, expect: Expect) -> Draft {
        self.update.conditions.push((key, expect));
        self
    }

    #[must_use]
    pub(super) fn writing(mut self, write: Write) -> Draft {
        self.update.writes.push(write);
        self
    }
}

pub(super) fn key(player: &Player, cmd_id: &CommandId) -> Result<Key, LobbyRefusal> {
    COMMANDS.key([&player.id, &cmd_id.as_str()]).map_err(|error| LobbyRefusal::internal(&error))
}

fn fingerprint(command: &LobbyCommand) -> Result<HexBytesText, LobbyRefusal> {
    let bytes = serde_json::to_vec(command).map_err(|error| LobbyRefusal::internal(&error))?;
    Ok(HexBytes(Sha256::digest(bytes).into()).to_string())
}

fn read(bytes: &[u8], command: &LobbyCommand) -> Result<CommandRecord, LobbyRefusal> {
    let record: CommandRecord = serde_json::from_slice(bytes).map_err(|error| {
        tracing::error!(%error, "could not read the record of a lobby command");
        LobbyRefusal::Store
    })?;
    if record.fingerprint == fingerprint(command)? { Ok(record) } else { Err(LobbyRefusal::CommandIdReused) }
}
