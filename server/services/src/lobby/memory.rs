//! Outcomes of lobby commands, kept by player and command id, so that a repeated command has one
//! outcome.
//!
//! The record is written before the game is created. It describes the whole game, and the same
//! update writes the game's plan (see [`super::plans`]). If a crash comes in between, repeating the
//! command creates the game under the same id, so there is never a second one.

use std::sync::Arc;

use flagfall_protocol::{Accepted, Code, CommandId, HexBytes, Player, Refusal};
use flagfall_store::{Expect, Key, Store, StoreError, SystemClock, Update, UpdateOutcome, WallClock, Write};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::command::LobbyCommand;
use super::refusal::store_unclear;
use crate::Refused;
use crate::records::{bytes, parse, put};
use flagfall_base::jobs::not_before;
use flagfall_base::keys::{COMMANDS, PLANS};
use flagfall_game::NewGame;

/// Age in milliseconds after which a plan counts as abandoned: creating a game takes milliseconds.
const LEFT_AFTER_MS: u64 = 3_000;
pub(crate) const PLAN_MS: u64 = 24 * 3_600_000;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct CommandRecord {
    fingerprint: String,
    pub(super) outcome: Accepted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<NewGame>,
}

/// A planned game, as the store keeps it, besides the state of the job.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct PlanRecord {
    pub(super) plan: NewGame,
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
    pub(super) fn new(store: Arc<dyn Store>, memory_ms: u64) -> CommandMemory {
        CommandMemory { store, memory_ms }
    }

    pub(super) async fn recall(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
    ) -> Result<Option<CommandRecord>, Refused> {
        let bytes = self.store.get(key(player, cmd_id)?).await?;
        bytes.map(|bytes| read(&bytes, command)).transpose()
    }

    /// Keeps the outcome of a command in one update with what the command changes, and with the
    /// plan of its game.
    pub(super) async fn keep(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
        (outcome, game): (Accepted, Option<NewGame>),
        mut update: Update,
    ) -> Result<Kept, Refused> {
        let key = key(player, cmd_id)?;
        let record = CommandRecord { fingerprint: fingerprint(command)?, outcome, game };
        let expires = SystemClock.now().plus_ms(self.memory_ms);
        update.conditions.push((key.clone(), Expect::Absent));
        update.writes.push(put(key.clone(), &record, Some(expires))?);
        if let Some(plan) = &record.game {
            update.writes.push(self.planning(plan)?);
        }
        match self.store.update(update).await? {
            UpdateOutcome::Ok => Ok(Kept::New(record)),
            outcome => match self.store.get(key).await? {
                Some(stored) if outcome == UpdateOutcome::Unknown && stored == bytes(&record)? => {
                    Ok(Kept::New(record))
                }
                Some(stored) => read(&stored, command).map(Kept::Before),
                None if outcome == UpdateOutcome::Conflict => Ok(Kept::Conflict),
                None => Err(store_unclear()),
            },
        }
    }

    fn planning(&self, plan: &NewGame) -> Result<Write, StoreError> {
        let since = self.store.now();
        let fields = bytes(&PlanRecord { plan: plan.clone() })?;
        // The command that plans the game also creates it. The job is for the case that it does
        // not.
        let value = not_before(&fields, since, since.plus_ms(LEFT_AFTER_MS));
        Ok(Write::Put { key: PLANS.key([&plan.id])?, value, expires: Some(since.plus_ms(PLAN_MS)) })
    }
}

pub(super) fn key(player: &Player, cmd_id: &CommandId) -> Result<Key, StoreError> {
    COMMANDS.key([&player.id, &cmd_id.as_str()])
}

fn fingerprint(command: &LobbyCommand) -> Result<String, StoreError> {
    Ok(HexBytes(Sha256::digest(bytes(command)?).into()).to_string())
}

fn read(bytes: &[u8], command: &LobbyCommand) -> Result<CommandRecord, Refused> {
    let record: CommandRecord = parse(bytes, "the record of a lobby command")?;
    let is_same = record.fingerprint == fingerprint(command)?;
    if is_same { Ok(record) } else { Err(Refusal::new(Code::CMD_ID_REUSED).into()) }
}
