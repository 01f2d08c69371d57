//! The WebSocket: a task that exchanges messages with the server.

use std::convert::Infallible;
use std::time::Duration;

use flagfall_protocol::{
    ClientToServer, GameSummary, PROTOCOL_VERSION, Player, Secret, Seek, ServerToClient,
};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::StatusCode;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::model::Message;
use crate::net::address::{Address, Addresses};
use crate::net::dial::{DialError, Dialer, Stream, leads_to_tls, plain};
use crate::{text, texts};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout for connecting to a server if there are several servers.
const NEXT_TIMEOUT: Duration = Duration::from_secs(2);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
const MESSAGE_BYTES_MAX: usize = 1 << 20;
const OUTGOING_MAX: usize = 64;

/// A connection that is open or being opened. Dropping it closes the connection.
pub struct Socket {
    outgoing: mpsc::Sender<ClientToServer>,
    task: tokio::task::JoinHandle<()>,
}

impl Socket {
    /// Connects after a delay. Tries the servers one after another.
    ///
    /// The server to start with depends on `number`. Messages from the connection go to
    /// `incoming`, together with `number`.
    pub fn dial(
        dialer: &Dialer,
        addresses: &Addresses,
        delay: Duration,
        number: u64,
        incoming: mpsc::Sender<(u64, Message)>,
    ) -> Socket {
        let (outgoing, messages) = mpsc::channel(OUTGOING_MAX);
        let addresses: Vec<Address> = addresses.beginning_with(number - 1).cloned().collect();
        let dialer = dialer.clone();
        let task = tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            let Err(last) = run(&dialer, &addresses, number, messages, &incoming).await;
            // Sending fails if the program is ending.
            drop(incoming.send((number, last)).await);
        });
        Socket { outgoing, task }
    }

    /// Queues a message to send. False if it could not be queued. In this case the connection is
    /// unusable.
    pub fn send(&self, message: ClientToServer) -> bool {
        self.outgoing.try_send(message).is_ok()
    }

    pub fn abort(&self) {
        self.task.abort();
    }

    /// Sends the queued messages, closes the WebSocket, and waits briefly for the close.
    pub async fn close(self) {
        let Socket { outgoing, task } = self;
        drop(outgoing);
        drop(timeout(CLOSE_TIMEOUT, task).await);
    }
}

/// Connects to the first server that answers.
async fn reach(dialer: &Dialer, addresses: &[Address]) -> Result<WebSocketStream<Stream>, Message> {
    // If there are other servers, do not wait long for this one.
    let limit = if addresses.len() > 1 { NEXT_TIMEOUT } else { CONNECT_TIMEOUT };
    let mut failed = Message::ConnectFailed { why: String::new(), advice: String::new() };
    for address in addresses {
        let answer = timeout(limit, Box::pin(shake(dialer, address))).await;
        match answer.unwrap_or(Err(DialError::Timeout(limit.as_secs()))) {
            Ok(socket) => return Ok(socket),
            Err(error) => {
                failed = Message::ConnectFailed { why: error.to_string(), advice: error.advice(address) };
            }
        }
    }
    Err(failed)
}

async fn shake(dialer: &Dialer, address: &Address) -> Result<WebSocketStream<Stream>, DialError> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX))
        .read_buffer_size(8 * 1024);
    let stream = dialer.dial(address).await?;
    let shaken = client_async_with_config(address.to_string(), stream, Some(config)).await;
    let (socket, _response) = shaken.map_err(|error| refusal(&error, address))?;
    Ok(socket)
}

fn refusal(error: &Error, address: &Address) -> DialError {
    let is_plain = !address.is_encrypted;
    match error {
        Error::Http(response) if is_plain && leads_to_tls(response) => DialError::WantsTls,
        Error::Http(response) if is_plain && response.status() == StatusCode::BAD_REQUEST => {
            DialError::NotUnderstood
        }
        Error::Protocol(ProtocolError::HttparseError(_)) if is_plain => DialError::NotUnderstood,
        Error::Io(_) | Error::ConnectionClosed | Error::Protocol(ProtocolError::HandshakeIncomplete)
            if is_plain =>
        {
            DialError::HungUp
        }
        other => DialError::Odd(reason(other)),
    }
}

/// Exchanges messages with the server. When the connection ends, returns the last message for the
/// core.
async fn run(
    dialer: &Dialer,
    addresses: &[Address],
    number: u64,
    mut messages: mpsc::Receiver<ClientToServer>,
    incoming: &mpsc::Sender<(u64, Message)>,
) -> Result<Infallible, Message> {
    let broken = |why| Message::Disconnected { code: None, why };
    let program_ends = || broken(text!("link-program-ends"));
    let mut socket = reach(dialer, addresses).await?;
    incoming.send((number, Message::Connected)).await.map_err(|_| program_ends())?;
    loop {
        tokio::select! {
            message = messages.recv() => {
                let Some(message) = message else {
                    drop(socket.close(None).await);
                    return Err(program_ends());
                };
                let text = serde_json::to_string(&message).map_err(|error| broken(error.to_string()))?;
                socket.send(Frame::text(text)).await.map_err(|error| broken(reason(&error)))?;
            }
            frame = socket.next() => {
                let message = match frame {
                    Some(Ok(Frame::Text(text))) => parsed(text.as_str()),
                    Some(Ok(Frame::Close(frame))) => return Err(ended(frame)),
                    Some(Ok(Frame::Binary(_) | Frame::Ping(_) | Frame::Pong(_) | Frame::Frame(_))) => continue,
                    Some(Err(error)) => return Err(broken(reason(&error))),
                    None => return Err(broken(text!("link-broke"))),
                };
                incoming.send((number, message)).await.map_err(|_| program_ends())?;
            }
        }
    }
}

/// Converts the server's close frame to a message.
fn ended(frame: Option<CloseFrame>) -> Message {
    let (code, why) = match frame {
        Some(frame) if is_unknown_code(&frame) => (None, text!("link-closed-by-gateway")),
        Some(frame) => (Some(frame.code.into()), frame.reason.to_string()),
        None => (None, String::new()),
    };
    let why = if why.is_empty() { text!("link-closed-by-server") } else { why };
    Message::Disconnected { code, why }
}

/// True if the WebSocket library replaced a close code that it does not support.
///
/// The library replaces code 1014, which means that a gateway cannot reach the server, with the
/// code for a protocol error. The client should reconnect after a 1014, but not after a real
/// protocol error.
fn is_unknown_code(frame: &CloseFrame) -> bool {
    frame.code == CloseCode::Protocol && frame.reason.as_str() == "Protocol violation"
}

fn parsed(text: &str) -> Message {
    match serde_json::from_str::<ServerToClient>(text) {
        Ok(message) => Message::Received(Box::new(message)),
        Err(error) => Message::NotUnderstood { why: error.to_string() },
    }
}

/// Describes an error in plain words instead of those of the WebSocket library.
fn reason(error: &Error) -> String {
    match error {
        Error::Io(error) => plain(error),
        Error::Http(response) => text!("link-http-status", status = response.status().to_string()),
        Error::ConnectionClosed | Error::AlreadyClosed => text!("link-closed"),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => text!("link-broke"),
        Error::Protocol(error) => text!("link-not-websocket", why = error.to_string()),
        other => other.to_string(),
    }
}

const VISIT_TIMEOUT: Duration = Duration::from_secs(15);

/// Creates a new guest: says hello without a credential, and returns the credential that the
/// server sends. The error is a message for the user.
pub async fn new_guest(
    dialer: &Dialer,
    addresses: &Addresses,
    name: Option<String>,
) -> Result<(Secret, Player), String> {
    let wanted = |message| match message {
        ServerToClient::Welcome { player: Some(player), token: Some(token), .. } => Some((token, player)),
        _ => None,
    };
    visit(dialer, addresses, None, name, None, wanted).await
}

/// Fetches the contents of the lobby. The error is a message for the user.
pub async fn lobby(
    dialer: &Dialer,
    addresses: &Addresses,
    token: Option<Secret>,
    name: Option<String>,
) -> Result<(Vec<Seek>, Vec<GameSummary>), String> {
    let question = Some(ClientToServer::OPEN_LOBBY);
    let wanted = |message| match message {
        ServerToClient::Lobby { seeks, games, .. } => Some((seeks, games)),
        _ => None,
    };
    visit(dialer, addresses, token, name, question, wanted).await
}

/// Says hello, sends `question` after the welcome, and waits for a message that `wanted` accepts.
async fn visit<T>(
    dialer: &Dialer,
    addresses: &Addresses,
    token: Option<Secret>,
    name: Option<String>,
    mut question: Option<ClientToServer>,
    wanted: impl Fn(ServerToClient) -> Option<T>,
) -> Result<T, String> {
    let (sender, mut incoming) = mpsc::channel(OUTGOING_MAX);
    let line = Socket::dial(dialer, addresses, Duration::ZERO, 1, sender);
    let found = async {
        loop {
            let (_, message) = incoming.recv().await.ok_or_else(|| text!("link-broke"))?;
            let answer = match message {
                Message::Connected => {
                    let client = Some(concat!("flagfall ", env!("CARGO_PKG_VERSION")).to_owned());
                    let (token, name) = (token.clone(), name.clone());
                    let protocol = PROTOCOL_VERSION;
                    Some(ClientToServer::Hello { protocol, token, name, client, session: false })
                }
                Message::Received(message) => {
                    if let ServerToClient::Refused { code, args, message, request, .. } = &*message {
                        return Err(texts::server_refusal(code, args, message, request.as_deref()));
                    }
                    let is_welcome = matches!(*message, ServerToClient::Welcome { .. });
                    if let Some(found) = wanted(*message) {
                        return Ok(found);
                    }
                    question.take_if(|_| is_welcome)
                }
                Message::ConnectFailed { why, .. } | Message::Disconnected { why, .. } => return Err(why),
                _ => None,
            };
            if answer.is_some_and(|answer| !line.send(answer)) {
                return Err(text!("link-broke"));
            }
        }
    };
    let found = timeout(VISIT_TIMEOUT, found).await;
    line.close().await;
    found.unwrap_or_else(|_| Err(text!("link-no-greeting")))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;
    use tokio_tungstenite::tungstenite::protocol::Role;

    use super::*;

    /// Returns the message that the client shows for a close frame that has this code and no
    /// reason.
    async fn closed(code: u16) -> Message {
        let (near, mut far) = tokio::io::duplex(64);
        let mut socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
        let [first, second] = code.to_be_bytes();
        far.write_all(&[0x88, 2, first, second]).await.unwrap();
        match socket.next().await {
            Some(Ok(Frame::Close(frame))) => ended(frame),
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn a_gateways_close_code_is_worth_another_try() {
        for (code, expected) in [(1014, None), (4000, Some(4000)), (1002, Some(1002)), (1013, Some(1013))] {
            let Message::Disconnected { code: understood, why: _ } = closed(code).await else {
                panic!("{code}")
            };
            assert_eq!(understood, expected);
        }
    }
}
