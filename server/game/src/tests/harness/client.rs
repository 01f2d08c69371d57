//! A client that parses every message as real clients do.

#[path = "../../../../base/src/delivery/reading.rs"]
mod reading;

use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use flagfall_base::delivery::{ConnectionId, Outbox, OutboxReader, outbox};
use flagfall_base::request_id::RequestId;
use flagfall_protocol::{Accepted, CloseCode, GameEvent, GameView, Player, ServerToClient};

use super::player;
use crate::reply::Opener;

/// The id of every request. It is always the same, because tests compare messages byte for byte.
pub(crate) const REQUEST: RequestId = RequestId::numbered(7);

/// A client with one connection.
pub(crate) struct Client {
    pub(crate) player: Player,
    is_anonymous: bool,
    pub(crate) outbox: Outbox,
    reader: OutboxReader,
}

impl Client {
    pub(crate) fn new(id: &str) -> Client {
        let (outbox, reader) = outbox(ConnectionId::next());
        Client { player: player(id), is_anonymous: false, outbox, reader }
    }

    pub(crate) fn anonymous() -> Client {
        Client { is_anonymous: true, ..Client::new("nobody") }
    }

    /// Returns an opener for the client's connection.
    pub(crate) fn opener(&self, since: Option<flagfall_protocol::EventPosition>) -> Opener {
        let outbox = self.outbox.clone();
        let player = (!self.is_anonymous).then(|| self.player.id.clone());
        Opener { outbox, player, since, request: REQUEST }
    }

    /// Returns the texts of the messages that arrived since the last call.
    pub(crate) fn texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        let cx = &mut Context::from_waker(Waker::noop());
        while let Poll::Ready(Ok(payload)) = reading::poll_next(&mut self.reader, cx) {
            texts.push(payload.as_str().to_owned());
        }
        texts
    }

    pub(crate) fn read(&mut self) -> Vec<ServerToClient> {
        self.texts().iter().map(|text| serde_json::from_str(text).unwrap()).collect()
    }

    /// Returns the only message that arrived.
    pub(crate) fn only(&mut self) -> ServerToClient {
        let mut all = self.read();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// Returns the code and the sequence number of the only refusal that arrived.
    pub(crate) fn refusal(&mut self) -> (String, Option<u64>) {
        match self.only() {
            ServerToClient::Refused { code, seq, .. } => (code.as_str().to_owned(), seq),
            other => panic!("{other:?}"),
        }
    }

    /// Returns the sequence number of the only acceptance among the messages that arrived.
    pub(crate) fn accepted(&mut self) -> u64 {
        let seqs: Vec<u64> = self
            .read()
            .into_iter()
            .filter_map(|message| match message {
                ServerToClient::Accepted { outcome: Accepted::Game { seq, .. }, .. } => Some(seq),
                ServerToClient::Refused { code, message, .. } => panic!("{}: {message}", code.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(seqs.len(), 1, "{seqs:?}");
        seqs[0]
    }

    pub(crate) fn events(&mut self) -> Vec<GameEvent> {
        self.read()
            .into_iter()
            .filter_map(|message| match message {
                ServerToClient::Event { event, .. } => Some(event),
                _ => None,
            })
            .collect()
    }

    /// Returns the only message with a game that arrived.
    pub(crate) fn game(&mut self) -> (u64, GameView, Vec<GameEvent>) {
        match self.only() {
            ServerToClient::Game { seq, view, events, .. } => (seq, view, events),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn close_code(&mut self) -> Option<CloseCode> {
        match self.reader.poll_write(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(code) => Some(code.unwrap()),
            Poll::Pending => None,
        }
    }

    /// Returns the number of messages credited back to the rate limit since the last call.
    pub(crate) fn credit(&mut self) -> u32 {
        self.reader.take_account().credit
    }

    /// Returns the number of bytes that the connection's commands have stored since the last
    /// call.
    pub(crate) fn stored(&mut self) -> u32 {
        self.reader.take_account().stored
    }

    pub(crate) async fn next(&mut self) -> ServerToClient {
        serde_json::from_str(reading::next(&mut self.reader).await.unwrap().as_str()).unwrap()
    }

    pub(crate) async fn closed(&mut self) -> CloseCode {
        poll_fn(|cx| self.reader.poll_write(cx)).await.unwrap()
    }
}
