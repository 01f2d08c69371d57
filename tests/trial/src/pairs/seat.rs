//! One of the three of a session: its line, and what it has been shown.

use std::convert::Infallible;
use std::net::SocketAddr;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{ClientToServer, Code, CommandId, GameEvent, Position, Presence, ServerToClient};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;

use crate::client::Client;
use crate::error::TrialError;

/// The spectator's number among the three.
pub(super) const PUBLIC: usize = 2;

/// One of the three, and what it has been shown.
pub(super) struct Seat {
    pub client: Client,
    /// Its server's number, and where that listens.
    pub server: usize,
    addresses: watch::Receiver<Vec<SocketAddr>>,
    pub seen: Option<Position>,
    /// Events it was told of, and is to be told of.
    pub events: u64,
    pub due: u64,
    /// Where in its log each outage begins, and where the session goes on.
    pub outages_at: Vec<(usize, usize)>,
    /// Over each outage, how many events told of the outage itself.
    pub lapses: Vec<u64>,
    /// Whether servers are being killed, or it has not heard yet what came of it.
    pub is_in_outage: bool,
    /// Whether it was told of trouble that nobody planned, on a machine too busy for its servers.
    pub is_disturbed: bool,
    /// How often its line broke, as far as that was planned.
    pub breaks_planned: u64,
    /// How long its log was before each act.
    pub marks: Vec<usize>,
    /// What it read over HTTP, and after so many entries of its log.
    pub fetched: Vec<(usize, String)>,
    /// Which sides are there, as far as it was told.
    pub presence: [Presence; 2],
}

impl Seat {
    /// One that has no line yet, and is to have it to this server.
    pub(super) fn new(client: Client, server: usize, addresses: watch::Receiver<Vec<SocketAddr>>) -> Seat {
        Seat {
            client,
            server,
            addresses,
            seen: None,
            events: 0,
            due: 0,
            outages_at: Vec::new(),
            lapses: Vec::new(),
            is_in_outage: false,
            is_disturbed: false,
            breaks_planned: 0,
            marks: Vec::new(),
            fetched: Vec::new(),
            presence: Default::default(),
        }
    }

    /// Whether its line is broken, or was and it is back, though nobody killed its server.
    pub(super) fn is_broken(&self) -> bool {
        !self.client.is_connected() || self.client.counts.breaks != self.breaks_planned
    }

    /// Where its server listens.
    pub(super) fn address(&self) -> Result<SocketAddr, TrialError> {
        let address = self.addresses.borrow().first().copied();
        address.ok_or_else(|| TrialError::Defect("no server".to_owned()))
    }

    /// The next message.
    pub(super) async fn next(&mut self, what: &str) -> Result<ServerToClient, TrialError> {
        let Some(message) = self.client.receive().await else {
            return Err(self.client.error("-", format!("the line broke, waiting for {what}")));
        };
        match &message {
            ServerToClient::Game { epoch, seq, presence, .. } => {
                if let Some(before) = self.seen {
                    self.lapse(seq.saturating_sub(before.seq) + u64::from(before.epoch != *epoch));
                }
                self.seen = Some(Position { epoch: *epoch, seq: *seq });
                self.presence = [presence[Side::Red], presence[Side::Blue]];
            }
            ServerToClient::Event { seq, event, .. } => {
                if let Some(seen) = &mut self.seen {
                    seen.seq = *seq;
                }
                if matches!(event, GameEvent::Paused { .. } | GameEvent::Resumed { .. }) {
                    self.lapse(1);
                } else {
                    self.events += 1;
                }
            }
            ServerToClient::Presence { side, presence, .. } => self.presence[*side as usize] = *presence,
            ServerToClient::StoreState { .. } => self.is_disturbed |= !self.is_in_outage,
            _ => {}
        }
        Ok(message)
    }

    /// Takes note of so many events of an outage.
    fn lapse(&mut self, events: u64) {
        self.is_disturbed |= events > 0 && !self.is_in_outage;
        self.lapses.last_mut().into_iter().for_each(|lapses| *lapses += events);
    }

    /// Sends a command and waits for its answer: none, or why it is refused.
    pub(super) async fn ask(
        &mut self,
        message: &ClientToServer,
        id: &CommandId,
    ) -> Result<Option<(Code, String)>, TrialError> {
        self.client.send(message).await;
        loop {
            match self.next("an answer").await? {
                ServerToClient::Accepted { cmd_id, .. } if cmd_id == *id => return Ok(None),
                ServerToClient::Refused { cmd_id: Some(cmd_id), code, message, .. } if cmd_id == *id => {
                    return Ok(Some((code, message)));
                }
                _ => {}
            }
        }
    }

    /// Opens the game. What was missed comes along.
    pub(super) async fn open(&mut self, game: GameId) -> Result<(), TrialError> {
        self.client.send(&ClientToServer::OpenGame { game, since: self.seen }).await;
        while !matches!(self.next("the game").await?, ServerToClient::Game { .. }) {}
        self.events = self.due;
        Ok(())
    }

    /// Reads until it has been told of everything.
    pub(super) async fn catch_up(&mut self) -> Result<(), TrialError> {
        while self.events < self.due {
            self.next("an event").await?;
        }
        Ok(())
    }

    /// Reads until it was told this of a side.
    pub(super) async fn await_presence(&mut self, side: usize, presence: Presence) -> Result<(), TrialError> {
        while self.presence[side] != presence {
            self.next("who is there").await?;
        }
        Ok(())
    }

    /// Reads whatever comes, for as long as it is polled: pings want answers.
    pub(super) async fn idle(&mut self) -> Infallible {
        while self.client.is_connected() {
            // A line that breaks now was killed.
            let _broken = self.next("nothing").await;
        }
        std::future::pending().await
    }
}

/// One of the three, and the two others.
pub(super) fn apart(seats: &mut [Seat; 3], who: usize) -> (&mut Seat, [&mut Seat; 2]) {
    let [red, blue, spectator] = seats;
    match who {
        0 => (red, [blue, spectator]),
        1 => (blue, [red, spectator]),
        _ => (spectator, [red, blue]),
    }
}

/// Does something while others read whatever comes.
pub(super) async fn beside<T, const COUNT: usize>(
    others: [&mut Seat; COUNT],
    work: impl Future<Output = T>,
) -> T {
    let mut listening: FuturesUnordered<_> = others.into_iter().map(|seat| Box::pin(seat.idle())).collect();
    tokio::select! {
        biased;
        done = work => done,
        Some(never) = listening.next() => match never {},
    }
}
