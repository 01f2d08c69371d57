//! A player who connects over a real socket, sees only what the server sends, and makes random
//! legal moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use flagfall_board::{Direction, GameId, Side};
use flagfall_protocol::{
    Accepted, ClientToServer, Code, CommandId, EventPosition, GameCommand, GameView, Phase, ServerToClient,
};
use flagfall_rules::{Move, Ruleset};
use tokio::sync::{Notify, RwLock};
use tokio::time::{Instant, sleep_until};

use crate::chance::once_in;
use crate::client::Client;
use crate::error::TrialError;
use crate::moves::{choose, lawful};
use crate::plan::GamePlan;

/// A client drops its connection after one in this many received messages, and before the answer
/// to one in this many commands.
const DROP_ONE_IN: (usize, usize) = (120, 60);
/// In one of this many turns, a player offers a draw, sends a command that must be refused, or
/// repeats a command.
const ODDITY_ONE_IN: usize = 40;

/// The state that all clients of a run share.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The number of moves acknowledged so far.
    pub acked: AtomicU64,
    /// The number of other commands acknowledged so far.
    pub others: AtomicU64,
    /// True if all mishaps are over.
    pub is_calm: AtomicBool,
    /// True if players move without thinking, so that games do not last longer than the mishaps.
    pub is_in_haste: AtomicBool,
    /// Closed while Redis loses data that no other process has. Afterwards, clients check again
    /// whether their games have ended.
    pub gate: Arc<RwLock<()>>,
    /// Wakes tasks that wait for progress.
    pub moved: Notify,
}

/// A command that has not been answered yet.
struct Pending {
    cmd_id: CommandId,
    message: ClientToServer,
    is_sent: bool,
    is_move: bool,
}

pub(crate) struct Player<'a> {
    client: &'a mut Client,
    plan: &'a GamePlan,
    side: Side,
    game: GameId,
    progress: Arc<Progress>,
    view: Option<GameView>,
    seen: Option<EventPosition>,
    pending: Option<Pending>,
    answered: Option<ClientToServer>,
    commands: u32,
    deployed: usize,
    offered_at: Option<u16>,
    /// The sequence number of the last event that was acknowledged to the player. The view is
    /// outdated until this event is shown.
    awaited: u64,
    /// True if the server has reported the store as unavailable. Commands that the server did not
    /// accept are sent again when the store is available.
    is_store_away: bool,
    /// The time at which the player stops thinking and makes the next move.
    thinks_until: Option<Instant>,
}

impl<'a> Player<'a> {
    /// A player who has not opened the game yet.
    pub(crate) fn new(
        client: &'a mut Client,
        plan: &'a GamePlan,
        side: Side,
        game: GameId,
        progress: Arc<Progress>,
    ) -> Player<'a> {
        Player {
            client,
            plan,
            side,
            game,
            progress,
            view: None,
            seen: None,
            pending: None,
            answered: None,
            commands: 0,
            deployed: 0,
            offered_at: None,
            awaited: 0,
            is_store_away: false,
            thinks_until: None,
        }
    }

    /// Plays until the game is over.
    ///
    /// # Errors
    /// [`TrialError::Client`] if the server does something that a player cannot handle.
    pub(crate) async fn play(mut self) -> Result<(), TrialError> {
        let mut is_open = false;
        loop {
            if !self.client.is_connected() {
                self.client.connect().await?;
                is_open = false;
            }
            if !is_open {
                self.is_store_away = false;
                self.client.send(&ClientToServer::OpenGame { game: self.game, since: self.seen }).await;
                if let Some(pending) = &mut self.pending {
                    self.client.send(&pending.message).await;
                    self.client.counts.resends += u64::from(std::mem::replace(&mut pending.is_sent, true));
                }
                is_open = true;
            }
            let Some(message) = self.hear().await else { continue };
            self.take_in(message).await?;
            // First wait for the answer to the last command, because that command must be in the
            // log, too.
            if self.pending.is_none() && self.view.as_ref().is_some_and(|view| view.phase == Phase::Over) {
                self.client.close().await;
                if self.progress.gate.try_read().is_ok() {
                    return Ok(());
                }
                // A loss may undo the end of the game, so look at the game once more.
                drop(self.progress.gate.read().await);
                self.view = None;
                continue;
            }
            if once_in(&mut self.client.chance, DROP_ONE_IN.0) {
                self.client.drop_line();
            } else if self.client.is_connected() {
                self.think().await;
            }
        }
    }

    /// Returns the next message. If the thinking time ends during the wait, makes the move first.
    async fn hear(&mut self) -> Option<ServerToClient> {
        while let Some(until) = self.thinks_until {
            tokio::select! {
                biased;
                message = self.client.receive() => return message,
                () = sleep_until(until) => {
                    self.thinks_until = None;
                    self.act().await;
                }
            }
        }
        self.client.receive().await
    }

    /// Makes a move after some thinking time. All other acts are done immediately.
    async fn think(&mut self) {
        let is_to_move = self.view.as_ref().is_some_and(|view| view.is_to_act(self.side));
        let think_ms = if self.progress.is_in_haste.load(Ordering::Relaxed) { 0 } else { self.plan.think_ms };
        let is_at_once = think_ms == 0 || once_in(&mut self.client.chance, 4);
        if !is_to_move || self.pending.is_some() || is_at_once {
            return self.act().await;
        }
        if self.thinks_until.is_none() {
            let span = Duration::from_millis(self.client.chance.below(think_ms) as u64);
            self.thinks_until = Some(Instant::now() + span);
        }
    }

    async fn take_in(&mut self, message: ServerToClient) -> Result<(), TrialError> {
        match message {
            ServerToClient::Game { epoch, seq, view, .. } => {
                self.view = Some(view);
                self.seen = Some(EventPosition { epoch, seq });
                self.awaited = 0;
            }
            ServerToClient::Event { seq, event, change, .. } => {
                if let (Some(view), Some(seen)) = (&mut self.view, &mut self.seen) {
                    view.apply(&event, &change);
                    seen.seq = seq;
                }
            }
            ServerToClient::Accepted { cmd_id, outcome } => {
                if let Accepted::Game { seq, .. } = outcome {
                    self.awaited = self.awaited.max(seq);
                }
                if self.pending.as_ref().is_some_and(|pending| pending.cmd_id == cmd_id)
                    && let Some(pending) = self.pending.take()
                {
                    if pending.is_move {
                        self.progress.acked.fetch_add(1, Ordering::Relaxed);
                        self.progress.moved.notify_one();
                    } else {
                        self.progress.others.fetch_add(1, Ordering::Relaxed);
                    }
                    self.answered = Some(pending.message);
                }
            }
            ServerToClient::Refused { cmd_id, code, .. }
                if self.pending.as_ref().is_some_and(|pending| Some(&pending.cmd_id) == cmd_id.as_ref()) =>
            {
                match code.as_str() {
                    // The command is sent again over this connection as soon as the store is
                    // available.
                    Code::STORE_UNAVAILABLE if self.is_store_away => {}
                    // The command is sent again with the same id over the next connection.
                    Code::STORE_UNAVAILABLE
                    | Code::TOO_MANY
                    | Code::STOPPING
                    | Code::SUPERSEDED
                    | "paused" => self.client.back_off().await,
                    _ => self.pending = None,
                }
            }
            // The game cannot be opened now, because the part of the store with it is away.
            ServerToClient::Refused { cmd_id: None, code, .. }
                if [Code::STORE_UNAVAILABLE, Code::STOPPING].contains(&code.as_str()) =>
            {
                self.client.back_off().await;
            }
            ServerToClient::StoreState { available, .. } => {
                self.is_store_away = !available;
                if available && let Some(pending) = &self.pending {
                    self.client.counts.resends += 1;
                    self.client.send(&pending.message).await;
                }
            }
            ServerToClient::GameUnavailable { message, .. } => {
                return Err(self.client.error(self.game.as_str(), message));
            }
            _ => {}
        }
        Ok(())
    }

    /// Sends the command that is due now.
    async fn act(&mut self) {
        if self.pending.is_some() || self.seen.is_none_or(|seen| seen.seq < self.awaited) {
            return;
        }
        let Some(view) = &self.view else { return };
        let (phase, ply) = (view.phase, view.ply);
        match phase {
            Phase::Deploying => {
                if !view.ready[self.side] {
                    // No deployment was accepted yet, or it was lost from the log.
                    self.deployed = 0;
                }
                if let Some(setup) = self.plan.setups[self.side as usize].get(self.deployed) {
                    let setup = setup.clone();
                    self.deployed += 1;
                    self.order(ply, GameCommand::Deploy { setup }).await;
                }
            }
            Phase::Playing if view.is_to_act(self.side) => self.take_turn(ply).await,
            Phase::Playing => {
                if view.draw_offer == Some(self.side.opponent())
                    && self.offered_at != Some(ply)
                    && once_in(&mut self.client.chance, 2)
                {
                    self.offered_at = Some(ply);
                    self.order(ply, GameCommand::DeclineDraw {}).await;
                }
            }
            Phase::Over => {}
        }
    }

    async fn take_turn(&mut self, ply: u16) {
        if let Some((after, loser)) = self.plan.resign
            && ply >= after
            && loser == self.side
        {
            if self.plan.is_flag_to_fall {
                return;
            }
            let illegal = if self.plan.breaks_rules { self.impossible_move() } else { None };
            return self.order(ply, illegal.map_or(GameCommand::Resign {}, GameCommand::from)).await;
        }
        if ply >= self.plan.tired_at && self.progress.is_calm.load(Ordering::Relaxed) {
            return self.order(ply, GameCommand::Resign {}).await;
        }
        if once_in(&mut self.client.chance, ODDITY_ONE_IN)
            && let Some(answered) = self.answered.clone()
        {
            // A repeated command is accepted again and has no other effect.
            self.client.counts.resends += 1;
            self.client.send(&answered).await;
        }
        if self.offered_at != Some(ply) && once_in(&mut self.client.chance, ODDITY_ONE_IN) {
            self.offered_at = Some(ply);
            let probe = if once_in(&mut self.client.chance, 2) { self.probe() } else { None };
            let oddity = probe.map_or(GameCommand::OfferDraw {}, GameCommand::from);
            return self.order(ply, oddity).await;
        }
        let Some(view) = &self.view else { return };
        let Some(commands) = lawful(view) else { return };
        let chosen = choose(view, &commands, &mut self.client.chance);
        if let Some(command) = chosen.and_then(|command| GameCommand::from_command(&command)) {
            self.order(ply, command).await;
        }
    }

    /// Returns a move that must be refused because the piece is not the player's own. `None` if
    /// such a move would lose the game, or if the player must do something else first.
    fn probe(&self) -> Option<Move> {
        let view = self.view.as_ref()?;
        let is_deadly = Ruleset::find(&view.ruleset)?.illegal_act_loses;
        let owes = view.pending_strike.is_some() || view.owed_color.is_some();
        if is_deadly || owes { None } else { self.impossible_move() }
    }

    /// A move from a square of the other side, which the player may never make.
    fn impossible_move(&self) -> Option<Move> {
        let other = self.view.iter().flat_map(|view| &view.pieces).find(|piece| piece.side != self.side);
        let from = other?.square;
        let to = Direction::ALL.into_iter().find_map(|direction| from.neighbor(direction))?;
        Some(Move { from, to })
    }

    async fn order(&mut self, ply: u16, command: GameCommand) {
        self.commands += 1;
        let is_move = matches!(
            command,
            GameCommand::Move { .. } | GameCommand::Remove { .. } | GameCommand::Place { .. }
        );
        let text = format!("{}-{}-{}", self.side.name(), self.commands, self.plan.number);
        let Ok(cmd_id) = text.parse::<CommandId>() else { return };
        let epoch = self.seen.map(|seen| seen.epoch);
        let message =
            ClientToServer::Command { cmd_id: cmd_id.clone(), game: self.game, ply, epoch, command };
        // Sometimes the connection drops before the command is sent, sometimes before the answer
        // comes.
        let is_dropped = once_in(&mut self.client.chance, DROP_ONE_IN.1);
        let is_sent = !(is_dropped && once_in(&mut self.client.chance, 3));
        if is_sent {
            self.client.send(&message).await;
        }
        self.pending = Some(Pending { cmd_id, message, is_sent, is_move });
        if is_dropped {
            self.client.drop_line();
        }
    }
}

/// Watches a game until it is over, dropping the connection from time to time.
///
/// # Errors
/// [`TrialError::Client`] if the game cannot be watched.
pub(crate) async fn watch(client: &mut Client, game: GameId) -> Result<(), TrialError> {
    let mut seen: Option<EventPosition> = None;
    let mut is_open = false;
    loop {
        if !client.is_connected() {
            client.connect().await?;
            is_open = false;
        }
        if !std::mem::replace(&mut is_open, true) {
            client.send(&ClientToServer::OpenGame { game, since: seen }).await;
        }
        let Some(message) = client.receive().await else { continue };
        let is_over = match message {
            ServerToClient::Game { epoch, seq, view, .. } => {
                seen = Some(EventPosition { epoch, seq });
                view.phase == Phase::Over
            }
            ServerToClient::Event { seq, event, .. } => {
                if let Some(seen) = &mut seen {
                    seen.seq = seq;
                }
                matches!(event, flagfall_protocol::GameEvent::Ended { .. })
            }
            ServerToClient::Refused { code, .. }
                if [Code::STORE_UNAVAILABLE, Code::STOPPING].contains(&code.as_str()) =>
            {
                client.back_off().await;
                false
            }
            ServerToClient::Refused { code, message, .. } => {
                return Err(client.error(game.as_str(), format!("{code}: {message}")));
            }
            ServerToClient::GameUnavailable { message, .. } => {
                return Err(client.error(game.as_str(), message));
            }
            _ => false,
        };
        if is_over {
            client.close().await;
            return Ok(());
        }
        if once_in(&mut client.chance, 2 * DROP_ONE_IN.0) {
            client.drop_line();
        }
    }
}
