//! Commands of guests: the first one that is accepted stores its guest, in the same update.

use flagfall_protocol::{CommandId, Player, PlayerKind};
use metrics::counter;

use super::command::LobbyCommand;
use super::refusal::LobbyRefusal;
use super::{Asker, Handled, Inner, Lobby};
use crate::players::{Standing, standing};
use flagfall_base::names::player_named;
use flagfall_base::telemetry as names;

/// How often a command is tried again because something happened to its guest at the same moment.
const STANDING_ATTEMPTS: usize = 8;

impl Lobby {
    /// True if a guest is stored under another name than this one: somebody else was called so before
    /// they did anything. Then their connections have to learn it.
    pub async fn is_called_otherwise(&self, player: &Player) -> bool {
        player.kind == PlayerKind::Guest
            && matches!(player_named(&*self.inner.store, &player.id).await, Ok(Some(now)) if now.name != player.name)
    }
}

impl Inner {
    /// Carries a command out, with whatever stores its guest.
    pub(super) async fn carry_out(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: &LobbyCommand,
    ) -> Handled {
        for _ in 0..STANDING_ATTEMPTS {
            let standing = self.standing(player).await?;
            let asker = Asker { inner: self, player: &standing.player, cmd_id, command, standing: &standing };
            let handled = asker.carry_out().await;
            // Refused, and something has happened to the guest meanwhile: then the refusal may be due to that.
            if handled.is_err() && standing.is_outdated(&*self.store).await? {
                continue;
            }
            if standing.is_new && handled.is_ok() {
                counter!(names::GUESTS_STORED).increment(1);
                // A store that is emptied before they come back gets them back too.
                self.store.keep_copies(&standing.player.id, standing.writes.clone());
            }
            return handled;
        }
        Err(LobbyRefusal::Store)
    }

    /// What has to join an act of this player: a guest is stored with the first one.
    async fn standing(&self, player: &Player) -> Result<Standing, LobbyRefusal> {
        let pass = match player.kind {
            PlayerKind::Guest => self.connections.pass_of(&player.id),
            PlayerKind::Account | PlayerKind::Bot | PlayerKind::House => None,
        };
        Ok(standing(&*self.store, player, pass.as_ref(), self.settings.times.guest).await?)
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
