//! A client that connects to a server, drops the connection and connects again, with a log of all
//! messages.

use flagfall_board::Chance;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocol::{Accepted, ClientToServer, Code, PROTOCOL_VERSION, Secret, ServerToClient};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message as Frame;

use crate::error::TrialError;
use crate::log::{ClientLog, Entry, Role, TextPool, What, now_ms};

/// A connection is given up after this much silence. Pings come every five seconds.
const SILENCE_MAX: Duration = Duration::from_secs(15);
const DIAL_MAX: Duration = Duration::from_secs(10);
/// The shortest and the longest pause before dialing again.
const BACK_OFF_MS: (u64, u64) = (10, 1_000);
/// The maximum number of failed dials in a row before the client gives up.
const DIALS_MAX: u32 = 300;

/// The counts that are included in the report.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineCounts {
    /// The number of connections that the client itself dropped.
    pub drops: u64,
    /// The number of connections that broke for another reason, such as a kill of the server.
    pub breaks: u64,
    /// The number of commands that were sent again with the same id.
    pub resends: u64,
}

pub(crate) struct Client {
    /// The client's name in errors.
    pub name: String,
    /// The log of the client's connections so far.
    pub log: ClientLog,
    /// The client's counts.
    pub counts: LineCounts,
    /// The player's id on the server.
    pub player_id: String,
    /// The client's lasting credential.
    pub token: Option<String>,
    /// The client's own random generator.
    pub chance: Chance,
    addresses: watch::Receiver<Vec<SocketAddr>>,
    /// The server that the client is connected to, or that it dialed last.
    at: Option<usize>,
    /// The servers that ended the last connection or have not answered since. The next dial goes to
    /// another server, if there is one.
    failed: Vec<usize>,
    pool: Arc<TextPool>,
    socket: Option<WebSocketStream<TcpStream>>,
}

impl Client {
    /// A client without a connection.
    #[must_use]
    pub(crate) fn new(
        name: String,
        role: Role,
        addresses: watch::Receiver<Vec<SocketAddr>>,
        pool: Arc<TextPool>,
        chance: Chance,
    ) -> Client {
        Client {
            name,
            log: ClientLog { role, entries: Vec::new() },
            counts: LineCounts::default(),
            player_id: String::new(),
            token: None,
            chance,
            addresses,
            at: None,
            failed: Vec::new(),
            pool,
            socket: None,
        }
    }

    pub(crate) fn error(&self, game: &str, what: impl Into<String>) -> TrialError {
        TrialError::Client { who: self.name.clone(), game: game.to_owned(), what: what.into() }
    }

    #[must_use]
    pub(crate) fn is_connected(&self) -> bool {
        self.socket.is_some()
    }

    /// Dials until a server answers with a welcome.
    ///
    /// # Errors [`TrialError::Client`] if no server answers for a long time, or if a server
    /// refuses this client.
    pub(crate) async fn connect(&mut self) -> Result<(), TrialError> {
        let mut pause = BACK_OFF_MS.0;
        for _ in 0..DIALS_MAX {
            if self.dial().await && self.greet().await? {
                self.failed.clear();
                return Ok(());
            }
            self.failed.extend(self.at);
            let jitter = self.chance.below(usize::try_from(pause).unwrap_or(1)) as u64;
            sleep(Duration::from_millis(pause / 2 + jitter)).await;
            pause = (pause * 2).min(BACK_OFF_MS.1);
        }
        Err(self.error("-", "the server does not answer any more"))
    }

    async fn dial(&mut self) -> bool {
        // Chooses any server that has not failed, or any server at all if all have.
        let count = self.addresses.borrow().len();
        if (0..count).all(|at| self.failed.contains(&at)) {
            self.failed.clear();
        }
        let others: Vec<usize> = (0..count).filter(|at| !self.failed.contains(at)).collect();
        let Some(at) = others.get(self.chance.below(others.len().max(1))).copied() else { return false };
        self.at = Some(at);
        let Some(address) = self.addresses.borrow().get(at).copied() else { return false };
        let Ok(Ok(stream)) = timeout(DIAL_MAX, TcpStream::connect(address)).await else { return false };
        drop(stream.set_nodelay(true));
        let shake = Box::pin(client_async(format!("ws://{address}/ws"), stream));
        let Ok(Ok((socket, _response))) = timeout(DIAL_MAX, shake).await else { return false };
        self.socket = Some(socket);
        self.note(What::Connected(at));
        true
    }

    async fn greet(&mut self) -> Result<bool, TrialError> {
        let hello = ClientToServer::Hello {
            protocol: PROTOCOL_VERSION,
            token: self.token.clone().map(Secret::new),
            name: self.token.is_none().then(|| self.name.clone()),
            client: Some("flagfall-trial".to_owned()),
            session: false,
        };
        self.send(&hello).await;
        match self.receive().await {
            Some(ServerToClient::Welcome { token, player: Some(player), .. }) => {
                self.player_id = player.id;
                self.token = token.map(|token| token.expose().to_owned()).or(self.token.take());
                Ok(true)
            }
            Some(ServerToClient::Refused { code, message, .. })
                if ![Code::TOO_MANY, Code::STORE_UNAVAILABLE, Code::STOPPING].contains(&code.as_str()) =>
            {
                Err(self.error("-", format!("not let in: {code}: {message}")))
            }
            _ => {
                self.break_line();
                Ok(false)
            }
        }
    }

    /// Sends a message. If the connection is broken, this is noticed at the next receive.
    pub(crate) async fn send(&mut self, message: &ClientToServer) {
        // Every message of the protocol can be written as JSON.
        let text = serde_json::to_string(message).unwrap_or_default();
        self.note(What::Sent(self.pool.keep(&text)));
        if let Some(socket) = &mut self.socket
            && socket.send(Frame::text(text)).await.is_err()
        {
            self.break_line();
        }
    }

    /// Returns the next message, and answers pings. `None` if the connection broke.
    pub(crate) async fn receive(&mut self) -> Option<ServerToClient> {
        loop {
            let socket = self.socket.as_mut()?;
            let text = match timeout(SILENCE_MAX, socket.next()).await {
                Ok(Some(Ok(Frame::Text(text)))) => text,
                Ok(Some(Ok(Frame::Ping(_) | Frame::Pong(_) | Frame::Binary(_) | Frame::Frame(_)))) => {
                    continue;
                }
                Ok(Some(Ok(Frame::Close(_)) | Err(_)) | None) | Err(_) => {
                    self.break_line();
                    return None;
                }
            };
            self.note(What::Received(self.pool.keep(text.as_str())));
            match serde_json::from_str(text.as_str()) {
                Ok(ServerToClient::Ping { id, .. }) => self.send(&ClientToServer::Pong { id }).await,
                Ok(message) => return Some(message),
                // Such a text is already in the log, where the checker finds and judges it.
                Err(_) => continue,
            }
        }
    }

    /// Logs messages while the future is polled, so that no message appears in the log too late.
    pub(crate) async fn listen(&mut self) -> Infallible {
        while self.receive().await.is_some() {}
        std::future::pending().await
    }

    /// Drops the connection without a closing handshake.
    pub(crate) fn drop_line(&mut self) {
        if self.socket.take().is_some() {
            self.counts.drops += 1;
            self.note(What::Dropped);
        }
    }

    /// Drops the connection to a server that cannot act at the moment, and waits a little before
    /// the next dial.
    pub(crate) async fn back_off(&mut self) {
        self.drop_line();
        sleep(Duration::from_millis(50 + self.chance.below(100) as u64)).await;
    }

    pub(crate) async fn close(&mut self) {
        if let Some(mut socket) = self.socket.take() {
            drop(timeout(Duration::from_secs(1), socket.close(None)).await);
            self.note(What::Dropped);
        }
    }

    fn break_line(&mut self) {
        if self.socket.take().is_some() {
            self.failed.extend(self.at);
            self.counts.breaks += 1;
            self.note(What::Dropped);
        }
    }

    fn note(&mut self, what: What) {
        self.log.entries.push(Entry { at: now_ms(), what });
    }

    /// Sends a command until it is answered, with the same id on every connection.
    ///
    /// # Errors
    /// [`TrialError::Client`] if it is refused.
    pub(crate) async fn ask(&mut self, command: &ClientToServer) -> Result<Accepted, TrialError> {
        let id = match command {
            ClientToServer::Challenge { cmd_id, .. }
            | ClientToServer::AcceptChallenge { cmd_id, .. }
            | ClientToServer::Command { cmd_id, .. } => cmd_id,
            _ => return Err(self.error("-", "this message has no command id")),
        };
        let mut is_repeated = false;
        loop {
            if !self.is_connected() {
                self.connect().await?;
            }
            self.send(command).await;
            self.counts.resends += u64::from(std::mem::replace(&mut is_repeated, true));
            while let Some(message) = self.receive().await {
                match message {
                    ServerToClient::Accepted { cmd_id, outcome } if cmd_id == *id => return Ok(outcome),
                    ServerToClient::Refused { cmd_id: Some(cmd_id), code, message, .. } if cmd_id == *id => {
                        if ![Code::STORE_UNAVAILABLE, Code::STOPPING].contains(&code.as_str()) {
                            return Err(self.error("-", format!("refused: {code}: {message}")));
                        }
                        self.back_off().await;
                    }
                    _ => {}
                }
            }
        }
    }
}
