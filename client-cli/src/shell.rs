//! Connects the pure core to the outside: the network, the clock and files.

use std::io::IsTerminal as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ratatui::crossterm::terminal::size;
use tokio::sync::mpsc;

use crate::config::{ConfigDir, ConfigError, Credential};
use crate::model::{Effect, Message, Model, Secret};
use crate::net::address::Addresses;
use crate::net::dial::Dialer;
use crate::net::http;
use crate::net::socket::Socket;
use crate::request::Request;
use crate::{text, update, words};

/// Maximum number of received messages that wait to be handled. The connection waits if there are
/// more.
const INCOMING_MAX: usize = 256;
/// Minimum number of columns for folding lines. In a narrower terminal, lines are not folded.
const COLUMNS_MIN: usize = 40;

/// Returns the width of the terminal on standard output. `None` if lines need no folding:
/// standard output is not a terminal, or the terminal is too narrow.
pub fn terminal_columns() -> Option<usize> {
    let size = std::io::stdout().is_terminal().then(size)?;
    size.ok().map(|(columns, _)| usize::from(columns)).filter(|columns| *columns >= COLUMNS_MIN)
}

pub fn folded(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    text.split('\n').flat_map(|line| words::fold(line, columns)).collect::<Vec<_>>().join("\n")
}

/// Carries out the core's effects.
pub struct Shell {
    dialer: Dialer,
    addresses: Addresses,
    config: ConfigDir,
    credential: Credential,
    socket: Option<Socket>,
    number: u64,
    incoming: mpsc::Receiver<(u64, Message)>,
    incoming_sender: mpsc::Sender<(u64, Message)>,
}

impl Shell {
    pub fn new(dialer: Dialer, addresses: Addresses, config: ConfigDir, credential: Credential) -> Shell {
        let (incoming_sender, incoming) = mpsc::channel(INCOMING_MAX);
        Shell { dialer, addresses, config, credential, socket: None, number: 0, incoming, incoming_sender }
    }

    /// Handles a message and carries out its effects.
    ///
    /// Returns the exit code if the program must end. The connection is closed in that case.
    pub async fn step(&mut self, model: &mut Model, message: Message) -> Option<u8> {
        let mut messages = vec![message];
        while let Some(message) = messages.pop() {
            model.clock.now = now_ms();
            for effect in update(model, message) {
                if let Effect::Request(request) = effect {
                    self.request(request, model.login.token.clone());
                    continue;
                }
                match self.carry_out(effect).await {
                    Outcome::Done => {}
                    Outcome::Happened(message) => messages.push(message),
                    Outcome::Exit(code) => return Some(code),
                }
            }
        }
        None
    }

    pub(crate) async fn carry_out(&mut self, effect: Effect) -> Outcome {
        match effect {
            Effect::Connect { delay_ms } => {
                self.number += 1;
                let delay = Duration::from_millis(delay_ms);
                let incoming = self.incoming_sender.clone();
                self.socket = Some(Socket::dial(&self.dialer, &self.addresses, delay, self.number, incoming));
            }
            Effect::Disconnect => return self.hang_up(text!("link-silent")),
            Effect::Request(request) => self.request(request, self.credential.token()),
            Effect::Send(message) => {
                if self.socket.as_ref().is_some_and(|socket| !socket.send(message)) {
                    return self.hang_up(text!("link-stuck"));
                }
            }
            Effect::SaveToken { token, name } => {
                return self.saved(self.credential.save_token(&token, &name));
            }
            Effect::SaveSeat { game } => return self.saved(self.credential.save_seat(&game)),
            Effect::SetGuestAside => return written(self.credential.set_aside()),
            Effect::KeepCommitments { game, shown } => {
                return written(self.config.keep_commitments(&self.addresses.first, game, &shown));
            }
            Effect::SaveSetup { ruleset, name, text } => {
                return written(self.config.save_setup(&ruleset, &name, &text).map(drop));
            }
            Effect::Exit { code } => {
                if let Some(socket) = self.socket.take() {
                    socket.close().await;
                }
                return Outcome::Exit(code);
            }
        }
        Outcome::Done
    }

    /// Returns the outcome of saving a credential or a seat. A seat counts as saved only if its
    /// credential is also saved.
    fn saved(&self, result: Result<(), ConfigError>) -> Outcome {
        match result {
            Ok(()) if self.credential.token().is_some() => Outcome::Happened(Message::Saved),
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Happened(Message::Unsaved { why: error.to_string() }),
        }
    }

    /// Sends an HTTP request in a separate task, to the first server in the list that answers.
    fn request(&self, request: Request, token: Option<Secret>) {
        let (dialer, addresses) = (self.dialer.clone(), self.addresses.clone());
        let (sender, number) = (self.incoming_sender.clone(), self.number);
        tokio::spawn(async move {
            let answer = answer_to(&dialer, &addresses, &request, token.as_ref()).await;
            // Sending fails if the program has ended.
            drop(sender.send((number, Message::Answered { request, answer })).await);
        });
    }

    fn hang_up(&mut self, why: String) -> Outcome {
        let Some(socket) = self.socket.take() else { return Outcome::Done };
        socket.abort();
        self.number += 1;
        Outcome::Happened(Message::Disconnected { code: None, why })
    }

    /// Returns the next message, from the current connection or an HTTP request.
    pub async fn next(&mut self) -> Message {
        loop {
            match self.incoming.recv().await {
                Some((number, message)) if number == self.number => return message,
                // An HTTP answer does not belong to a connection.
                Some((_, message @ Message::Answered { .. })) => return message,
                // Ignore messages from former connections.
                Some(_) => {}
                // This channel cannot close, because `self` holds a sender.
                None => std::future::pending().await,
            }
        }
    }
}

/// Returns the body of the server's answer. The error is a message for the user.
async fn answer_to(
    dialer: &Dialer,
    addresses: &Addresses,
    request: &Request,
    token: Option<&Secret>,
) -> Result<Vec<u8>, String> {
    let token = token.filter(|_| request.is_own());
    let mut failure = String::new();
    for address in addresses.beginning_with(0) {
        let body = request.body().map_err(|error| error.to_string())?;
        match http::send(dialer, address, request.method(), &request.path(), token, body).await {
            Ok(answer) => return Ok(answer),
            Err(refused @ http::HttpError::Refused { .. }) => return Err(refused.to_string()),
            Err(error) => failure = error.to_string(),
        }
    }
    Err(failure)
}

pub(crate) enum Outcome {
    Done,
    Happened(Message),
    Exit(u8),
}

fn written(result: Result<(), ConfigError>) -> Outcome {
    result.map_or_else(
        |error| Outcome::Happened(Message::FileError { why: text!("not-written", why = error.to_string()) }),
        |()| Outcome::Done,
    )
}

pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
