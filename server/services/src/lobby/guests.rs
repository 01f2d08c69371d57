//! Commands of guests. The first accepted command of a guest also stores the guest, in the same
//! update.

use std::sync::atomic::Ordering;

use flagfall_protocol::{Code, CommandId, Player, PlayerKind};
use metrics::counter;

use super::command::LobbyCommand;
use super::refusal::store_unclear;
use super::{Asker, Handled, Inner, Lobby};
use crate::players::standing;
use flagfall_base::names::player_named;
use flagfall_base::telemetry as names;
use flagfall_base::transact::Transaction;
use flagfall_game::CreateError;

impl Lobby {
    /// True if the store has this guest under a different name. This happens if another player
    /// took the name before the guest was stored. The guest's connections must then be told the
    /// new name.
    pub async fn is_called_otherwise(&self, player: &Player) -> bool {
        player.kind == PlayerKind::Guest
            && matches!(player_named(&*self.inner.store, &player.id).await, Ok(Some(now)) if now.name != player.name)
    }
}

impl Inner {
    /// Carries out a command that was not carried out before. If the player is a guest, the same
    /// update also stores the guest.
    pub(super) async fn handle(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
    ) -> Handled {
        if let Some(record) = self.recall(player, cmd_id, command).await? {
            return self.repeat(record).await;
        }
        if self.is_stopping.load(Ordering::Relaxed) && !command.is_withdrawal() {
            return Err(CreateError::Stopping.into());
        }
        let mut transaction = Transaction::new(&*self.store, "the guest's record");
        loop {
            let is_guest = player.kind == PlayerKind::Guest;
            let pass = self.connections.pass_of(&player.id).filter(|_| is_guest);
            let stay = self.settings.times.guest;
            let standing = standing(&*self.store, player, pass.as_deref(), stay).await?;
            let asker = Asker { inner: self, player: &standing.player, cmd_id, command, standing: &standing };
            let handled = asker.carry_out().await;
            // The command may have been refused because the guest's record changed in the
            // meantime. If the record has changed, try again.
            if handled.is_err() && standing.is_outdated(&*self.store).await? {
                transaction.count_conflict().map_err(|_| store_unclear())?;
                continue;
            }
            // Another server may have carried out the same command since it was looked for. For
            // example, a player repeats it after the connection to that server was lost.
            if handled.as_ref().is_err_and(|refused| !refused.is(Code::STORE_UNAVAILABLE))
                && let Some(record) = self.recall(player, cmd_id, command).await?
            {
                return self.repeat(record).await;
            }
            if standing.is_new && handled.is_ok() {
                counter!(names::GUESTS_STORED).increment(1);
                // Keep copies of the guest's records. If the store is emptied before the guest
                // returns, the copies restore them.
                self.store.keep_copies(&standing.player.id, standing.writes.clone());
            }
            return handled;
        }
    }
}

impl Asker<'_> {
    async fn carry_out(&self) -> Handled {
        match self.command {
            LobbyCommand::Seek { terms, side, rating } => self.seek(terms, *side, *rating).await,
            LobbyCommand::CancelSeek { seek } => self.cancel_seek(seek).await,
            LobbyCommand::AcceptSeek { seek, secret } => self.accept_seek(seek, *secret).await,
            LobbyCommand::Challenge { terms, side } => self.challenge(terms, *side).await,
            LobbyCommand::CancelChallenge { challenge } => self.cancel_challenge(challenge).await,
            LobbyCommand::AcceptChallenge { challenge, secret } => {
                self.accept_challenge(challenge, *secret).await
            }
            LobbyCommand::PlayBot { bot, terms, side } => self.play_bot(bot, terms, *side).await,
            LobbyCommand::EnterPool { terms } => self.enter_pool(terms).await,
            LobbyCommand::LeavePool {} => self.leave_pool().await,
        }
    }
}
