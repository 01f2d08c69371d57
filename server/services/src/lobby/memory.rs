//! Outcomes of lobby commands, kept by player and command id, so that a repeated command has one
//! outcome.
//!
//! The record is written before the game is created. It describes the whole game, and the same
//! update writes the game's plan (see [`super::plans`]). If a crash comes in between, repeating the
//! command creates the game under the same id, so there is never a second one.

use flagfall_protocol::{Accepted, Code, CommandId, HexBytes, Player, Refusal};
use flagfall_store::{Expect, Key, StoreError, SystemClock, Update, UpdateOutcome, WallClock, Write};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::command::LobbyCommand;
use super::refusal::store_unclear;
use super::{Asker, Inner};
use crate::Refused;
use crate::records::{bytes, parse, put};
use crate::settings::ms;
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

impl Inner {
    pub(super) async fn recall(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
    ) -> Result<Option<CommandRecord>, Refused> {
        let bytes = self.store.get(key(player, cmd_id)?).await?;
        bytes.map(|bytes| read(&bytes, command)).transpose()
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

impl Asker<'_> {
    /// Keeps the outcome of the command in one update with what it changes, with its guest, and
    /// with the plan of its game.
    pub(super) async fn keep(
        &self,
        outcome: Accepted,
        game: Option<NewGame>,
        mut update: Update,
    ) -> Result<Kept, Refused> {
        let Asker { inner, player, cmd_id, command, standing } = self;
        let key = key(player, cmd_id)?;
        let record = CommandRecord { fingerprint: fingerprint(command)?, outcome, game };
        let expires = SystemClock.now().plus_ms(ms(inner.settings.times.command_memory));
        update.conditions.push((key.clone(), Expect::Absent));
        update.conditions.extend(standing.conditions.iter().cloned());
        update.writes.push(put(key.clone(), &record, Some(expires))?);
        update.writes.extend(standing.writes.iter().cloned());
        if let Some(plan) = &record.game {
            update.writes.push(inner.planning(plan)?);
        }
        match inner.store.update(update).await? {
            UpdateOutcome::Ok => Ok(Kept::New(record)),
            outcome => match inner.store.get(key).await? {
                Some(stored) if outcome == UpdateOutcome::Unknown && stored == bytes(&record)? => {
                    Ok(Kept::New(record))
                }
                Some(stored) => read(&stored, command).map(Kept::Before),
                None if outcome == UpdateOutcome::Conflict => Ok(Kept::Conflict),
                None => Err(store_unclear()),
            },
        }
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
