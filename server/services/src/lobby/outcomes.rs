//! Stores the outcome of a command in the update that carries it out.

use flagfall_board::Stamp;
use flagfall_protocol::{Accepted, CommandId, Player};
use flagfall_store::{Expect, StoreError, Update, UpdateOutcome, Write};

use super::command::LobbyCommand;
use super::memory::{CommandRecord, Kept, LEFT_AFTER_MS, PLAN_MS, PlanRecord, fingerprint, key, read};
use super::refusal::store_unclear;
use super::{Asker, Inner};
use crate::Refused;
use crate::records::{bytes, put};
use flagfall_base::jobs::not_before;
use flagfall_base::keys::PLANS;
use flagfall_game::NewGame;

/// The time for which the outcome of a command is remembered, in milliseconds.
const COMMAND_MEMORY_MS: u64 = 60 * 60 * 1_000;
/// Like [`COMMAND_MEMORY_MS`], for a command that opens an offer or begins a game with a house
/// player, because nothing else keeps a repetition from doing so again. A challenge may be open for
/// longer.
const OFFER_MEMORY_MS: u64 = 24 * 60 * 60 * 1_000;

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

    /// Returns two writes for the outcome of the command that opened an offer. The first is made
    /// when the offer is taken: from then on, the outcome is remembered as long as that of any
    /// other command. The second is made if the offer opens again. `until` is the end of the offer.
    pub(super) async fn remember_taken(
        &self,
        offerer: &Player,
        opened_by: Option<&CommandId>,
        until: Stamp,
    ) -> Result<Option<[Write; 2]>, StoreError> {
        let Some(cmd_id) = opened_by else { return Ok(None) };
        let (key, now) = (key(offerer, cmd_id)?, self.store.now());
        let Some(value) = self.store.get(key.clone()).await? else { return Ok(None) };
        let times = [now.plus_ms(COMMAND_MEMORY_MS), now.plus_ms(OFFER_MEMORY_MS).max(until)];
        Ok(Some(times.map(|at| Write::Put { key: key.clone(), value: value.clone(), expires: Some(at) })))
    }

    fn planning(&self, plan: &NewGame) -> Result<Write, StoreError> {
        let since = self.store.now();
        let fields = bytes(&PlanRecord { plan: plan.clone() })?;
        // Delay the job, because the command that plans the game usually creates it. The job is
        // needed only if that fails.
        let value = not_before(&fields, since, since.plus_ms(LEFT_AFTER_MS));
        Ok(Write::Put { key: PLANS.key([&plan.id])?, value, expires: Some(since.plus_ms(PLAN_MS)) })
    }
}

impl Asker<'_> {
    /// Stores the outcome of the command. The same update carries out the command, stores its
    /// guest, and writes the plan of its game.
    pub(super) async fn keep(
        &self,
        outcome: Accepted,
        game: Option<NewGame>,
        mut update: Update,
    ) -> Result<Kept, Refused> {
        let Asker { inner, player, cmd_id, command, standing } = self;
        let key = key(player, cmd_id)?;
        let record = CommandRecord { fingerprint: fingerprint(command)?, outcome, game };
        let now = inner.store.now();
        let expires = match (command, &record.outcome) {
            (_, Accepted::Challenge { expires, .. }) => now.plus_ms(OFFER_MEMORY_MS).max(Stamp(*expires)),
            (LobbyCommand::Seek { .. } | LobbyCommand::PlayBot { .. }, _) => now.plus_ms(OFFER_MEMORY_MS),
            _ => now.plus_ms(COMMAND_MEMORY_MS),
        };
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
