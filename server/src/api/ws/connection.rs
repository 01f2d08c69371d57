//! A WebSocket connection: a task that reads and writes messages, carries them out one at a time,
//! and enforces deadlines.
//!
//! The task finishes a message before it reads the next one. This keeps the client's messages in
//! order, and the messages of an impatient client wait in its socket. While a message is being
//! carried out, the task still writes and pings.

use std::future::{pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use flagfall_protocol::{CloseCode, Code, PROTOCOL_VERSION, Player, Refusal, ServerToClient};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use metrics::counter;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::time::{Instant, Sleep, sleep_until, timeout};
use tracing::Instrument as _;

use super::dispatch::{Dispatch, Done, Work, refuse};
use super::frames::Violation;
use super::handshake::{Admitted, Introduction, admit};
use super::listener::Lingering;
use super::session::{Closing, RefusedMessage, Session, Step};
use super::wire::{Broken, Received, recycle};
use crate::api::page::Page;
use crate::app::App;
use flagfall_base::SERVER;
use flagfall_base::admission::{Client, Seat};
use flagfall_base::delivery::Payload;
use flagfall_base::delivery::Registration;
use flagfall_base::delivery::{Account, ConnectionId, Outbox, OutboxReader, outbox};
use flagfall_base::identity::Token;
use flagfall_base::recorder::HOT;
use flagfall_base::request_id::RequestId;
use flagfall_base::telemetry::CLOSES;
use flagfall_services::players::PlayerError;

/// The time to which the timer is set if there is no deadline.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);
/// The close code of a client that leaves on purpose.
const CLOSED_NORMALLY: u16 = 1000;

/// The number of stored bytes after which a client is charged for them. All connections share the
/// counters, so charging for every move would be costly. A move stores far fewer bytes.
const CHARGED_BYTES: u32 = 1024;

/// Maximum number of messages to read and ignore between the server's close frame and the
/// client's.
const PASSED_OVER_MAX: usize = 64;

pub(super) type Socket = super::wire::Socket<Lingering, OwnedWriteHalf>;

/// A connection, from its upgrade until it is closed.
pub(super) struct Connection {
    app: Arc<App>,
    client: Client,
    /// The token in the session cookie. It is used when the client sends its hello.
    cookie: Option<Token>,
    seat: Arc<Seat>,
    line: Line,
    outbox: Outbox,
    session: Session,
    stage: Stage,
    /// The id of the client's latest message.
    request: RequestId,
    /// The number of bytes that the client's commands stored and that are not charged yet.
    uncharged: u32,
}

enum Stage {
    Greeting(Registration),
    /// The client is being identified. Until the future completes, it owns the connection's
    /// registration.
    Entering(BoxFuture<'static, Entered>),
    In {
        registration: Registration,
        dispatch: Dispatch,
        work: Option<Work>,
    },
}

/// The player who was identified (`None` for an anonymous client), and the connection's entry in
/// the registry.
type Entered = Result<(Registration, Option<Player>), PlayerError>;

enum Ending {
    Close(Closing),
    Goodbye {
        /// True if the player leaves on purpose. A reloading page sends a different close code.
        is_leaving: bool,
    },
    Gone,
}

enum Wake {
    Received(Received),
    Entered(Box<Entered>),
    Done(Done),
    Time,
    End(Ending),
}

impl Connection {
    /// Registers a connection. The token comes from the session cookie that was sent with the
    /// connection's upgrade request. `None` if the connection is not counted toward a limit.
    ///
    /// The connection is boxed, because its task would otherwise reserve space for it several
    /// times.
    pub(super) fn open(
        socket: Socket,
        app: Arc<App>,
        client: Client,
        cookie: Option<Token>,
    ) -> Option<Box<Connection>> {
        let (outbox, mut reader) = outbox(ConnectionId::next());
        let seat = socket.input().seat()?.clone();
        reader.connect(socket.sink());
        let registration = app.connections.enter(outbox.clone(), Some(client.network));
        let session = Session::new(&app.settings, Instant::now());
        tracing::debug!(connection = %outbox.connection(), "opened");
        Some(Box::new(Connection {
            app,
            client,
            cookie,
            seat,
            line: Line { socket, reader },
            outbox,
            session,
            stage: Stage::Greeting(registration),
            request: RequestId::next(),
            uncharged: 0,
        }))
    }

    /// Serves the connection until it is closed.
    pub(super) async fn serve(mut self: Box<Self>) {
        let ending = self.talk().await;
        // Boxed, because closing needs more space than serving and happens only once.
        self.close(ending).boxed().await;
    }

    async fn close(mut self: Box<Self>, ending: Ending) {
        let Account { stored, .. } = self.line.reader.take_account();
        self.settle(Instant::now(), stored, 1);
        let (id, grace) = (self.outbox.connection(), self.app.settings.times.close_grace);
        let Connection { mut line, stage, .. } = *self;
        // Tell the tables immediately that the player is gone. Tell the registry only after the
        // closing handshake.
        let registration = match stage {
            Stage::Greeting(registration) => Some(registration),
            Stage::In { registration, mut dispatch, work } => {
                if matches!(ending, Ending::Goodbye { is_leaving: true }) {
                    dispatch.say_goodbye();
                }
                drop((dispatch, work));
                Some(registration)
            }
            Stage::Entering(_) => None,
        };
        match ending {
            Ending::Close(closing) => {
                counter!(CLOSES, "code" => closing.code.to_string()).increment(1);
                tracing::debug!(connection = %id, code = closing.code, reason = closing.reason, "closing");
                timeout(grace, line.say_goodbye(Some(closing))).await.ok();
            }
            Ending::Goodbye { is_leaving: _ } => {
                counter!(CLOSES, "code" => "client").increment(1);
                timeout(grace, line.say_goodbye(None)).await.ok();
            }
            Ending::Gone => counter!(CLOSES, "code" => "gone").increment(1),
        }
        drop((line, registration));
        tracing::debug!(connection = %id, "ended");
    }

    async fn talk(&mut self) -> Ending {
        let mut timer = pin!(sleep_until(Instant::now()));
        loop {
            let deadline = self.session.deadline(self.is_reading());
            let deadline = deadline.unwrap_or_else(|| Instant::now() + NEVER);
            if timer.deadline() != deadline {
                timer.as_mut().reset(deadline);
            }
            let wake = poll_fn(|cx| self.poll(cx, timer.as_mut())).await;
            let now = Instant::now();
            let step = match wake {
                Wake::Received(Received::Text(text)) => {
                    let Account { credit, stored } = self.line.reader.take_account();
                    self.settle(now, stored, CHARGED_BYTES);
                    self.request = RequestId::next();
                    let step = self.session.on_text(now, credit, &text);
                    recycle(text);
                    step
                }
                Wake::Received(Received::Binary) => self.session.on_binary(),
                Wake::Received(Received::Fragment | Received::Control) => self.session.on_part(now),
                Wake::Received(Received::Close(code)) => {
                    let is_leaving = code.is_none_or(|code| code == CLOSED_NORMALLY);
                    return Ending::Goodbye { is_leaving };
                }
                Wake::Time => self.session.on_time(now, self.is_reading()),
                Wake::Done(done) => {
                    self.session.resumed(now);
                    if let Stage::In { dispatch, work, .. } = &mut self.stage {
                        *work = None;
                        dispatch.note(done);
                    }
                    Step::Wait
                }
                Wake::Entered(entered) => self.let_in(now, *entered),
                Wake::End(ending) => return ending,
            };
            if let Some(closing) = self.follow(step) {
                return Ending::Close(closing);
            }
        }
    }

    /// True if no message is being carried out, so that the next one may be read.
    fn is_reading(&self) -> bool {
        matches!(self.stage, Stage::Greeting(_) | Stage::In { work: None, .. })
    }

    /// Charges the client for the bytes that its commands have stored, once there are at least
    /// `least` of them. Pauses reading if the client exceeds its limit.
    fn settle(&mut self, now: Instant, stored: u32, least: u32) {
        self.uncharged = self.uncharged.saturating_add(stored);
        if self.uncharged >= least
            && let Stage::In { dispatch, .. } = &self.stage
        {
            let bytes = std::mem::take(&mut self.uncharged);
            let player = dispatch.player_id();
            let wait = player.map(|id| self.app.admission.charge_stored(self.client, id, bytes, now));
            self.session.pause(now, wait.unwrap_or_default());
        }
    }

    /// Carries out a step of the session. If the connection must close, returns the code and
    /// reason.
    fn follow(&mut self, step: Step) -> Option<Closing> {
        match step {
            Step::Wait => {}
            Step::Enter { token, name, client, has_session } => {
                let cookie = self.cookie.take();
                let introduction = match token {
                    Some(token) => Introduction::Token(token),
                    None if has_session => Introduction::Session(cookie),
                    None => Introduction::NewGuest(name),
                };
                self.enter(introduction, has_session, client);
            }
            Step::Carry(message) => {
                if let Stage::In { dispatch, work, .. } = &mut self.stage {
                    *work = dispatch.take(message, self.request);
                }
            }
            Step::Refuse(RefusedMessage { cmd_id, why }) => {
                refuse(&self.outbox, self.request, why, cmd_id, None);
            }
            Step::Close(last_words, closing) => {
                if let Some(RefusedMessage { cmd_id, why }) = last_words {
                    refuse(&self.outbox, self.request, why, cmd_id, None);
                }
                return Some(closing);
            }
            Step::Ping(id) => {
                let (heads, pool) = (self.line.reader.heads(), self.line.reader.pool());
                HOT.outbox_queued.record(u32::try_from(self.outbox.queued()).unwrap_or(u32::MAX));
                let ping = ServerToClient::Ping { id, server_time: self.app.store.now().0, heads, pool };
                self.outbox.send(Payload::new(&ping));
            }
            Step::RoundTrip(time) => {
                HOT.round_trip.record(time.as_secs_f64());
                self.outbox.note_round_trip(time);
            }
        }
        None
    }

    /// Starts to identify and welcome the client. `is_page` is true if the client is this
    /// server's page in a browser.
    fn enter(&mut self, introduction: Introduction, is_page: bool, client: String) {
        let before = std::mem::replace(&mut self.stage, Stage::Entering(pending().boxed()));
        let Stage::Greeting(mut registration) = before else { return };
        let (app, outbox, seat) = (self.app.clone(), self.outbox.clone(), self.seat.clone());
        app.admission.note_request(&seat);
        let request = self.request;
        let span = tracing::debug_span!("hello", connection = %outbox.connection(), %request);
        let entering = async move {
            let Admitted { player, new_token } = admit(&app, &seat, &mut registration, introduction).await?;
            // List the games after the registration. Otherwise, a game that starts between the two
            // steps would be missing. In this order, the client may receive such a game twice.
            let games = match &player {
                Some(player) => app.tables.games_of(&player.id).await,
                None => Vec::new(),
            };
            let (id, name) = player.as_ref().map(|player| (&*player.id, &*player.name)).unzip();
            tracing::info!(connection = %outbox.connection(), %request, player = id, name, client, "welcome");
            outbox.send(Payload::new(&ServerToClient::Welcome {
                protocol: PROTOCOL_VERSION,
                server: SERVER.to_owned(),
                player: player.clone(),
                token: new_token,
                server_time: app.store.now().0,
                claim_seconds: Some(app.settings.times.claim.as_secs()),
                games,
                page: Page::hash(&app.settings.page).filter(|_| is_page).map(str::to_owned),
                about: app.settings.about.is_some(),
                lobby_changes: true,
                page_url: app.settings.page_url(),
            }));
            Ok((registration, player))
        };
        self.stage = Stage::Entering(entering.instrument(span).boxed());
    }

    fn let_in(&mut self, now: Instant, entered: Entered) -> Step {
        match entered {
            Ok((registration, player)) => {
                self.session.entered(now);
                if self.app.connections.is_store_away() {
                    self.outbox
                        .send(Payload::new(&ServerToClient::StoreState { available: false, game: None }));
                }
                let dispatch = Dispatch::new(self.app.clone(), self.outbox.clone(), player, self.client);
                self.stage = Stage::In { registration, dispatch, work: None };
                Step::Wait
            }
            Err(error) => {
                let refusal = Refusal::from(&error);
                let closing = match refusal.code.as_str() {
                    Code::BAD_NAME => CloseCode::BadName.into(),
                    Code::BAD_TOKEN => CloseCode::BadToken.into(),
                    Code::ACCOUNT_CLOSED => CloseCode::Banned.into(),
                    Code::TOO_MANY => CloseCode::TooManyRequests.into(),
                    _ => Closing::LATER,
                };
                Step::Close(Some(refusal.into()), closing)
            }
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>, timer: Pin<&mut Sleep>) -> Poll<Wake> {
        if let Poll::Ready(ending) = self.line.poll_write(cx) {
            return Poll::Ready(Wake::End(ending));
        }
        match &mut self.stage {
            Stage::Entering(entering) => {
                if let Poll::Ready(entered) = entering.poll_unpin(cx) {
                    return Poll::Ready(Wake::Entered(Box::new(entered)));
                }
            }
            Stage::In { work: Some(work), .. } => {
                if let Poll::Ready(done) = work.poll_unpin(cx) {
                    return Poll::Ready(Wake::Done(done));
                }
            }
            Stage::Greeting(_) | Stage::In { work: None, .. } if self.session.is_paused() => {}
            Stage::Greeting(_) | Stage::In { work: None, .. } => {
                if let Poll::Ready(wake) = self.line.poll_read(cx) {
                    return Poll::Ready(wake);
                }
            }
        }
        timer.poll(cx).map(|()| Wake::Time)
    }
}

/// The socket, and the messages that wait to be written to it.
struct Line {
    socket: Socket,
    reader: OutboxReader,
}

impl Line {
    /// Writes queued messages. Returns `Pending` once all are written, or once the socket accepts
    /// no more bytes.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<Ending> {
        self.reader.poll_write(cx).map(|close| match close {
            Ok(code) => Ending::Close(code.into()),
            Err(_) => Ending::Gone,
        })
    }

    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Wake> {
        self.socket.poll_next(cx).map(|received| match received {
            Ok(received) => Wake::Received(received),
            Err(Broken::Gone) => Wake::End(Ending::Gone),
            Err(Broken::Violation(violation)) => Wake::End(Ending::Close(violation.into())),
        })
    }

    async fn say_goodbye(&mut self, closing: Option<Closing>) {
        let Some(Closing { code, reason }) = closing else {
            // The answer to the client's close frame may not be sent yet.
            self.socket.flush().await.ok();
            return;
        };
        let written = poll_fn(|cx| self.reader.poll_written(cx)).await;
        if written.is_err() || self.socket.close(code, reason).await.is_err() {
            return;
        }
        // Ignore a limited number of messages, so that a flooding client cannot keep the server
        // reading.
        for _ in 0..PASSED_OVER_MAX {
            match poll_fn(|cx| self.socket.poll_next(cx)).await {
                Ok(Received::Close(_)) | Err(_) => return,
                Ok(_) => {}
            }
        }
    }
}

impl From<Violation> for Closing {
    fn from(violation: Violation) -> Closing {
        match violation {
            Violation::Protocol => Closing::PROTOCOL,
            Violation::NotUtf8 => Closing::NOT_UTF8,
            Violation::TooLong => Closing::TOO_LONG,
        }
    }
}
