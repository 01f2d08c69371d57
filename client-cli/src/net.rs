//! The WebSocket: a task of its own that speaks messages.

use std::time::Duration;

use flagfall_protocol::{ClientToServer, ServerToClient};
use futures_util::{SinkExt, StreamExt};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::connect_async_with_config;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use crate::address::Addresses;
use crate::model::Message;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for one of several servers.
const NEXT_TIMEOUT: Duration = Duration::from_secs(2);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
const MESSAGE_BYTES_MAX: usize = 1 << 20;
/// More messages do not wait to be sent.
const OUTGOING_MAX: usize = 64;

/// A line that is up, or being dialed. Dropping it hangs up.
#[derive(Debug)]
pub struct Line {
    outgoing: mpsc::Sender<ClientToServer>,
    task: tokio::task::JoinHandle<()>,
}

impl Line {
    /// Dials after a delay, one server after the other until one answers, beginning with another one for each number; what happens on the line comes out of `incoming`'s other end, with the line's number.
    #[must_use]
    pub fn dial(
        addresses: &Addresses,
        delay: Duration,
        number: u64,
        incoming: mpsc::Sender<(u64, Message)>,
    ) -> Line {
        let (outgoing, messages) = mpsc::channel(OUTGOING_MAX);
        let urls: Vec<String> = addresses.beginning_with(number - 1).map(ToString::to_string).collect();
        let task = tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            let last = run(&urls, number, messages, &incoming).await;
            // Nobody listens any longer when the program ends.
            drop(incoming.send((number, last)).await);
        });
        Line { outgoing, task }
    }

    /// Sends a message. Whether the line takes it: one that does not is of no use any longer.
    #[must_use]
    pub fn send(&self, message: ClientToServer) -> bool {
        self.outgoing.try_send(message).is_ok()
    }

    /// Hangs up at once.
    pub fn abort(&self) {
        self.task.abort();
    }

    /// Sends what is still to be sent, says goodbye and waits for the end, but not for long.
    pub async fn close(self) {
        let Line { outgoing, task } = self;
        drop(outgoing);
        drop(timeout(CLOSE_TIMEOUT, task).await);
    }
}

async fn run(
    urls: &[String],
    number: u64,
    mut messages: mpsc::Receiver<ClientToServer>,
    incoming: &mpsc::Sender<(u64, Message)>,
) -> Message {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX))
        .read_buffer_size(8 * 1024);
    let mut why = String::new();
    let mut connected = None;
    for url in urls {
        // Where there are others, the next one is asked soon.
        let patience = if urls.len() > 1 { NEXT_TIMEOUT } else { CONNECT_TIMEOUT };
        let connecting = Box::pin(connect_async_with_config(url, Some(config), true));
        match timeout(patience, connecting).await {
            Ok(Ok((socket, _response))) => {
                connected = Some(socket);
                break;
            }
            Ok(Err(error)) => why = reason(&error),
            Err(_) => why = format!("no answer within {} seconds", patience.as_secs()),
        }
    }
    let Some(mut socket) = connected else { return Message::ConnectFailed { why } };
    if incoming.send((number, Message::Connected)).await.is_err() {
        return Message::Disconnected { code: None, why: "the program ends".to_owned() };
    }
    loop {
        tokio::select! {
            message = messages.recv() => {
                let Some(message) = message else {
                    drop(socket.close(None).await);
                    return Message::Disconnected { code: None, why: "the program ends".to_owned() };
                };
                let text = match serde_json::to_string(&message) {
                    Ok(text) => text,
                    Err(error) => return Message::Disconnected { code: None, why: error.to_string() },
                };
                if let Err(error) = socket.send(Frame::text(text)).await {
                    return Message::Disconnected { code: None, why: reason(&error) };
                }
            }
            frame = socket.next() => {
                let message = match frame {
                    Some(Ok(Frame::Text(text))) => parsed(text.as_str()),
                    Some(Ok(Frame::Close(frame))) => {
                        let (code, why) = match frame {
                            Some(frame) => (Some(frame.code.into()), frame.reason.to_string()),
                            None => (None, String::new()),
                        };
                        let why = if why.is_empty() { "closed by the server".to_owned() } else { why };
                        return Message::Disconnected { code, why };
                    }
                    Some(Ok(Frame::Binary(_) | Frame::Ping(_) | Frame::Pong(_) | Frame::Frame(_))) => continue,
                    Some(Err(error)) => return Message::Disconnected { code: None, why: reason(&error) },
                    None => return Message::Disconnected { code: None, why: "the line broke".to_owned() },
                };
                if incoming.send((number, message)).await.is_err() {
                    return Message::Disconnected { code: None, why: "the program ends".to_owned() };
                }
            }
        }
    }
}

fn parsed(text: &str) -> Message {
    match serde_json::from_str::<ServerToClient>(text) {
        Ok(message) => Message::Received(Box::new(message)),
        Err(error) => Message::NotUnderstood { why: error.to_string() },
    }
}

/// The error in words, without the library's own.
fn reason(error: &Error) -> String {
    match error {
        Error::Io(error) => {
            // People need no number of the system's.
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
        Error::Http(response) => format!("it answers with HTTP status {}", response.status()),
        Error::ConnectionClosed | Error::AlreadyClosed => "the line is closed".to_owned(),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => "the line broke".to_owned(),
        Error::Protocol(error) => format!("it does not speak WebSocket as it should ({error})"),
        other => other.to_string(),
    }
}
