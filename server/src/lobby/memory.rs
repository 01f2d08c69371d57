//! What became of lobby commands: kept under the player and his command id, so that repeating one has one outcome.
//!
//! The record is written before the game is made, and names the game in full, together with the plan of the game (see
//! [`super::plans`]). A command that is repeated after a crash in between makes the game then, under the same id: there is never
//! a second one, and never an answer without a game.

use std::sync::Arc;

use flagfall_board::{GameId, PerSide, Stamp};
use flagfall_protocol::{Accepted, CommandId, HexBytes, Player, Terms};
use flagfall_store::{Expect, Key, Store, SystemClock, Update, UpdateOutcome, WallClock, Write};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::command::LobbyCommand;
use super::plans::planning;
use super::refusal::LobbyRefusal;
use crate::table::NewGame;
use flagfall_base::keys::COMMANDS;

/// A game to be made, as the record of its command keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GamePlan {
    /// The id it will have.
    pub id: GameId,
    /// What is played.
    pub terms: Terms,
    /// Who plays.
    pub players: PerSide<Player>,
    /// Who asked for secrecy.
    pub secret: PerSide<bool>,
}

impl From<GamePlan> for NewGame {
    fn from(plan: GamePlan) -> NewGame {
        let GamePlan { id, terms, players, secret } = plan;
        NewGame { id, terms, players, secret, previous: None }
    }
}

/// What became of a command.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CommandRecord {
    fingerprint: HexBytesText,
    /// The answer.
    pub(super) outcome: Accepted,
    /// The game that comes of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<GamePlan>,
}

/// A SHA-256 as text.
type HexBytesText = String;

/// The condition and the write that keep a command's outcome; whatever else it changes joins them in one update.
pub(super) struct Draft {
    key: Key,
    record: CommandRecord,
    value: Vec<u8>,
    update: Update,
}

/// What became of a draft.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// It is in the store.
    New(CommandRecord),
    /// The command had been carried out before, by another connection or server.
    Before(CommandRecord),
    /// What it wanted to change has changed.
    Conflict,
}

/// The memory of lobby commands.
pub(super) struct CommandMemory {
    store: Arc<dyn Store>,
    memory_ms: u64,
}

impl CommandMemory {
    /// The memory in this store, forgetting after `memory_ms` milliseconds.
    pub(super) fn new(store: Arc<dyn Store>, memory_ms: u64) -> CommandMemory {
        CommandMemory { store, memory_ms }
    }

    /// What became of the command, if it was accepted before.
    ///
    /// # Errors
    /// [`LobbyRefusal::CommandIdReused`] when the id belongs to another command, [`LobbyRefusal::Store`].
    pub(super) async fn recall(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
    ) -> Result<Option<CommandRecord>, LobbyRefusal> {
        let bytes = self.store.get(key(player, cmd_id)?).await?;
        bytes.map(|bytes| read(&bytes, command)).transpose()
    }

    /// Prepares the record of an accepted command.
    ///
    /// # Errors
    /// [`LobbyRefusal::Internal`].
    pub(super) fn draft(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
        outcome: Accepted,
        game: Option<GamePlan>,
    ) -> Result<Draft, LobbyRefusal> {
        let key = key(player, cmd_id)?;
        let record = CommandRecord { fingerprint: fingerprint(command)?, outcome, game };
        let value = serde_json::to_vec(&record).map_err(|_| LobbyRefusal::Internal("unwritable record"))?;
        let expires: Stamp = SystemClock.now().plus_ms(self.memory_ms);
        let mut writes = vec![Write::Put { key: key.clone(), value: value.clone(), expires: Some(expires) }];
        if let Some(plan) = &record.game {
            writes.push(planning(&*self.store, plan)?);
        }
        let update = Update { conditions: vec![(key.clone(), Expect::Absent)], writes };
        Ok(Draft { key, record, value, update })
    }

    /// Carries a draft out.
    ///
    /// # Errors
    /// [`LobbyRefusal::Store`]: it may be in the store or not; repeating the command tells.
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
    /// Joins a further condition.
    #[must_use]
    pub(super) fn expecting(mut self, key: Key, expect: Expect) -> Draft {
        self.update.conditions.push((key, expect));
        self
    }

    /// Joins a further write.
    #[must_use]
    pub(super) fn writing(mut self, write: Write) -> Draft {
        self.update.writes.push(write);
        self
    }
}

fn key(player: &Player, cmd_id: &CommandId) -> Result<Key, LobbyRefusal> {
    COMMANDS.key([&player.id, &cmd_id.as_str()]).map_err(|_| LobbyRefusal::Internal("impossible key"))
}

fn fingerprint(command: &LobbyCommand) -> Result<HexBytesText, LobbyRefusal> {
    let bytes = serde_json::to_vec(command).map_err(|_| LobbyRefusal::Internal("unwritable command"))?;
    Ok(HexBytes(Sha256::digest(bytes).into()).to_string())
}

fn read(bytes: &[u8], command: &LobbyCommand) -> Result<CommandRecord, LobbyRefusal> {
    let record: CommandRecord = serde_json::from_slice(bytes).map_err(|error| {
        tracing::error!(%error, "the record of a lobby command cannot be read");
        LobbyRefusal::Store
    })?;
    if record.fingerprint == fingerprint(command)? { Ok(record) } else { Err(LobbyRefusal::CommandIdReused) }
}
