//! One of the three clients of a session, with its connection and everything that it has been
//! shown.

use std::convert::Infallible;
use std::net::SocketAddr;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    ClientToServer, Code, CommandId, EventPosition, GameEvent, Presence, ServerToClient,
};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::watch;

use crate::client::Client;
use crate::error::TrialError;

/// The spectator's index among the three clients.
pub(super) const PUBLIC: usize = 2;

/// One of the three clients, and what it has been shown.
pub(super) struct Seat {
    pub client: Client,
    /// The number of the client's server.
    pub server: usize,
    addresses: watch::Receiver<Vec<SocketAddr>>,
    pub seen: Option<EventPosition>,
    /// The number of events that the client was sent or will be sent.
    pub events: u64,
    pub due: u64,
    /// For each outage, two positions in the client's log: where the outage begins, and where the
    /// session continues.
    pub outages_at: Vec<(usize, usize)>,
    /// For each outage, the number of events that told the client about the outage itself.
    pub lapses: Vec<u64>,
    /// True if servers are being killed, or the client has not yet been told how the outage
    /// ended.
    pub is_in_outage: bool,
    /// True if the client was told of an unplanned disturbance, which happens if the machine is
    /// too busy for its servers.
    pub is_disturbed: bool,
    /// The number of times that the connection broke as planned.
    pub breaks_planned: u64,
    /// The length of the client's log before each act.
    pub marks: Vec<usize>,
    /// The texts that the client read over HTTP, each with the length of the client's log at that
    /// moment.
    pub fetched: Vec<(usize, String)>,
    /// The presence of both sides, as the client was last told.
    pub presence: [Presence; 2],
}

impl Seat {
    /// A seat without a connection, which will connect to this server.
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

    /// True if the connection broke, now or earlier, although the server was not killed.
    pub(super) fn is_broken(&self) -> bool {
        !self.client.is_connected() || self.client.counts.breaks != self.breaks_planned
    }

    pub(super) fn address(&self) -> Result<SocketAddr, TrialError> {
        let address = self.addresses.borrow().first().copied();
        address.ok_or_else(|| TrialError::Defect("no server".to_owned()))
    }

    pub(super) async fn next(&mut self, what: &str) -> Result<ServerToClient, TrialError> {
        let Some(message) = self.client.receive().await else {
            return Err(self.client.error("-", format!("the line broke, waiting for {what}")));
        };
        match &message {
            ServerToClient::Game { epoch, seq, presence, .. } => {
                if let Some(before) = self.seen {
                    self.lapse(seq.saturating_sub(before.seq) + u64::from(before.epoch != *epoch));
                }
                self.seen = Some(EventPosition { epoch: *epoch, seq: *seq });
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

    /// Records that this many events told the client about an outage.
    fn lapse(&mut self, events: u64) {
        self.is_disturbed |= events > 0 && !self.is_in_outage;
        self.lapses.last_mut().into_iter().for_each(|lapses| *lapses += events);
    }

    /// Sends a command and waits for the answer. Returns `None` if the command was accepted,
    /// otherwise the reason for the refusal.
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

    /// Opens the game and gets the missed events.
    pub(super) async fn open(&mut self, game: GameId) -> Result<(), TrialError> {
        self.client.send(&ClientToServer::OpenGame { game, since: self.seen }).await;
        while !matches!(self.next("the game").await?, ServerToClient::Game { .. }) {}
        self.events = self.due;
        Ok(())
    }

    /// Reads until the client has all events that are due.
    pub(super) async fn catch_up(&mut self) -> Result<(), TrialError> {
        while self.events < self.due {
            self.next("an event").await?;
        }
        Ok(())
    }

    /// Reads until the client has been told that a side has this presence.
    pub(super) async fn await_presence(&mut self, side: usize, presence: Presence) -> Result<(), TrialError> {
        while self.presence[side] != presence {
            self.next("who is there").await?;
        }
        Ok(())
    }

    /// Reads messages while the future is polled, because pings must be answered.
    pub(super) async fn idle(&mut self) -> Infallible {
        while self.client.is_connected() {
            // If a connection breaks at this moment, its server was killed.
            let _broken = self.next("nothing").await;
        }
        std::future::pending().await
    }
}

/// Splits the seats into one of the three and the other two.
pub(super) fn apart(seats: &mut [Seat; 3], who: usize) -> (&mut Seat, [&mut Seat; 2]) {
    let [red, blue, spectator] = seats;
    match who {
        0 => (red, [blue, spectator]),
        1 => (blue, [red, spectator]),
        _ => (spectator, [red, blue]),
    }
}

/// Runs a future while the other seats read their messages.
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
