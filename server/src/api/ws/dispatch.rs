//! Dispatches a client's messages to the lobby or to the table of a game. Messages that anonymous
//! clients may send are handled first. All other messages need a player.

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, ClientToServer, Code, CommandId, Player, Refusal, ServerToClient};
use futures_util::future::BoxFuture;
use smallvec::SmallVec;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::chat;
use crate::allowance::{note_open_game, run_lobby_command};
use crate::app::App;
use flagfall_base::admission::{Client, Watch};
use flagfall_base::delivery::Outbox;
use flagfall_base::delivery::Payload;
use flagfall_base::rate::TokenBucket;
use flagfall_base::refusals;
use flagfall_base::request_id::RequestId;
use flagfall_game::{Asked, Author, Opener, Reply, TableError, TableHandle, TableInput};
use flagfall_services::lobby::{LobbyCommand, LobbyWish};

/// A future that carries out a message. It sends the answers to the outbox.
pub(super) type Work = BoxFuture<'static, Done>;

/// The part of a message's result that the connection has to remember.
pub(super) enum Done {
    Nothing,
    Opened(Open),
}

pub(super) struct Open {
    table: TableHandle,
    /// A guard that counts the client as a spectator until the guard is dropped. `None` for a
    /// player of the game.
    watch: Option<Watch>,
    /// The player's side. `None` for a spectator.
    side: Option<Side>,
}

pub(super) struct Dispatch {
    app: Arc<App>,
    outbox: Outbox,
    /// `None` for an anonymous client.
    player: Option<Arc<Player>>,
    client: Client,
    /// Most connections have at most one game open.
    open: SmallVec<[Open; 1]>,
    is_watching_lobby: bool,
    talk: TokenBucket,
    /// The id of the message that is being carried out.
    request: RequestId,
}

/// Number of chat messages that a connection may send in a period of time.
const TALK: (u32, Duration) = (8, Duration::from_secs(20));

impl Dispatch {
    pub(super) fn new(app: Arc<App>, outbox: Outbox, player: Option<Player>, client: Client) -> Dispatch {
        Dispatch {
            app,
            outbox,
            player: player.map(Arc::new),
            client,
            open: SmallVec::new(),
            is_watching_lobby: false,
            talk: TokenBucket::new(TALK.0, TALK.1, Instant::now()),
            request: RequestId::next(),
        }
    }

    pub(super) fn player_id(&self) -> Option<&str> {
        self.player.as_ref().map(|player| player.id.as_str())
    }

    pub(super) fn take(&mut self, message: ClientToServer, request: RequestId) -> Option<Work> {
        self.request = request;
        let span = tracing::debug_span!("message", connection = %self.outbox.connection(), %request);
        let work = span.in_scope(|| {
            tracing::debug!("message");
            self.begin(message)
        })?;
        Some(if span.is_disabled() { work } else { Box::pin(work.instrument(span)) })
    }

    fn begin(&mut self, message: ClientToServer) -> Option<Work> {
        let message = match self.begin_public(message) {
            Ok(work) => return work,
            Err(message) => message,
        };
        match (&self.player, message) {
            (Some(player), ClientToServer::Command { cmd_id, game, ply, epoch, command }) => {
                let open = self.open.iter().find(|open| open.table.id() == game);
                // Moves are frequent, so the player is left alone if their seat is known.
                let seat = open.and_then(|open| open.side);
                let author = seat.map_or_else(|| Author::Player(player.id.clone()), Author::Seat);
                let asked = Asked::by(author, self.reply(), cmd_id, ply, command, epoch);
                let input = TableInput::Command(asked);
                let input = match open {
                    Some(open) => open.table.try_send(input).err()?,
                    None => input,
                };
                Some(self.hand_over(game, input))
            }
            (Some(player), message) => self.begin_as(&player.clone(), message),
            (None, message) => {
                let (cmd_id, game) = subject_of(message);
                refuse(&self.outbox, self.request, Refusal::new(Code::SIGN_IN_EXPECTED), cmd_id, game);
                None
            }
        }
    }

    /// Handles messages that change nothing and only show what everyone may see. Returns any
    /// other message.
    fn begin_public(&mut self, message: ClientToServer) -> Result<Option<Work>, ClientToServer> {
        Ok(match message {
            ClientToServer::OpenLobby { changes, filter } => {
                match self.app.lobby.watch(&self.outbox, &LobbyWish { changes, filter }) {
                    Ok(()) => self.is_watching_lobby = true,
                    Err(refusal) => refuse(&self.outbox, self.request, refusal, None, None),
                }
                None
            }
            ClientToServer::CloseLobby {} => {
                self.is_watching_lobby = false;
                self.app.lobby.unwatch(self.outbox.connection());
                None
            }
            ClientToServer::ShowChallenge { challenge } => Some(self.show_challenge(challenge)),
            ClientToServer::OpenGame { game, since } => self.open_game(game, since),
            ClientToServer::CloseGame { game } => self.close_game(game),
            other => return Err(other),
        })
    }

    fn begin_as(&mut self, player: &Arc<Player>, message: ClientToServer) -> Option<Work> {
        let message = match LobbyCommand::from_message(message) {
            Ok((cmd_id, command)) => return Some(self.run_lobby_command(player.clone(), cmd_id, command)),
            Err(message) => message,
        };
        match message {
            ClientToServer::Rematch { cmd_id, game } => Some(self.rematch(player.clone(), cmd_id, game)),
            ClientToServer::Say { cmd_id, game, .. } if !self.talk.take(Instant::now()) => {
                let refusal = Refusal::new(Code::TOO_MANY).because("chat");
                refuse(&self.outbox, self.request, refusal, Some(cmd_id), Some(game));
                None
            }
            ClientToServer::Say { cmd_id, game, said } => {
                let (app, player) = (self.app.clone(), player.clone());
                Some(self.answer(cmd_id, game, async move { chat::say(&app, &player, game, said).await }))
            }
            ClientToServer::Report { cmd_id, game, reason } => {
                let (app, player) = (self.app.clone(), player.clone());
                let committed = app.committed.clone();
                let told = async move { chat::tell_operators(&app, &player, game, &reason).await };
                let told = async move { committed.run(told).await };
                Some(self.answer(cmd_id, game, told))
            }
            ClientToServer::MyGames {} => Some(self.my_games(player.clone())),
            // The session handles `Hello` and `Pong`. The code above has already handled the
            // other messages.
            ClientToServer::Hello { .. }
            | ClientToServer::Command { .. }
            | ClientToServer::Pong { .. }
            | ClientToServer::OpenLobby { .. }
            | ClientToServer::CloseLobby {}
            | ClientToServer::ShowChallenge { .. }
            | ClientToServer::OpenGame { .. }
            | ClientToServer::CloseGame { .. }
            | ClientToServer::Seek { .. }
            | ClientToServer::CancelSeek { .. }
            | ClientToServer::AcceptSeek { .. }
            | ClientToServer::Challenge { .. }
            | ClientToServer::CancelChallenge { .. }
            | ClientToServer::AcceptChallenge { .. }
            | ClientToServer::PlayBot { .. }
            | ClientToServer::EnterPool { .. }
            | ClientToServer::LeavePool { .. } => None,
        }
    }

    /// Records that the player leaves on purpose.
    pub(super) fn say_goodbye(&mut self) {
        self.outbox.say_goodbye();
    }

    /// Remembers the result of a finished message.
    pub(super) fn note(&mut self, done: Done) {
        match done {
            Done::Nothing => {}
            Done::Opened(mut opened) => {
                if let Some(at) = self.open.iter().position(|open| open.table.id() == opened.table.id()) {
                    let before = self.open.swap_remove(at);
                    opened.watch = opened.watch.or(before.watch);
                }
                self.open.push(opened);
            }
        }
    }

    /// Returns the recipient of the answer to a command in a game.
    fn reply(&self) -> Reply {
        Reply::Connection { outbox: self.outbox.clone(), request: self.request }
    }

    fn run_lobby_command(&self, player: Arc<Player>, cmd_id: CommandId, command: LobbyCommand) -> Work {
        let (app, outbox) = (self.app.clone(), self.outbox.clone());
        let (client, request) = (self.client, self.request);
        Box::pin(async move {
            let carried = run_lobby_command(&app, client, &player, &cmd_id, command).await;
            outbox.note_stored(carried.stored);
            match carried.outcome {
                Ok(outcome) => {
                    outbox.send(Payload::new(&ServerToClient::Accepted { cmd_id, outcome }));
                    // If the player's name has changed, their connections reconnect and get the new
                    // name in the welcome.
                    if app.lobby.is_called_otherwise(&player).await {
                        app.peers.renew(&app.connections, &player.id).await;
                    }
                }
                Err(why) => refuse(&outbox, request, why.0, Some(cmd_id), None),
            }
            Done::Nothing
        })
    }

    fn rematch(&self, player: Arc<Player>, cmd_id: CommandId, game: GameId) -> Work {
        let (app, outbox, request) = (self.app.clone(), self.outbox.clone(), self.request);
        let (reply, asker) = (self.reply(), Player::clone(&player));
        let asked = TableInput::Rematch { reply, player: asker, cmd_id: cmd_id.clone() };
        let handed_over = self.hand_over(game, asked);
        Box::pin(async move {
            if let Err(why) = app.lobby.check_rematch(&player, game).await {
                refuse(&outbox, request, why.0, Some(cmd_id), Some(game));
                return Done::Nothing;
            }
            handed_over.await
        })
    }

    fn show_challenge(&self, code: String) -> Work {
        let (app, outbox, request) = (self.app.clone(), self.outbox.clone(), self.request);
        Box::pin(async move {
            match app.lobby.show_challenge(&code).await {
                Ok(challenge) => outbox.send(Payload::new(&challenge.message())),
                Err(why) => refuse(&outbox, request, why.0, None, None),
            }
            Done::Nothing
        })
    }

    fn answer(
        &self,
        cmd_id: CommandId,
        game: GameId,
        work: impl Future<Output = Result<Accepted, Refusal>> + Send + 'static,
    ) -> Work {
        let (outbox, request) = (self.outbox.clone(), self.request);
        Box::pin(async move {
            match work.await {
                Ok(outcome) => outbox.send(Payload::new(&ServerToClient::Accepted { cmd_id, outcome })),
                Err(refusal) => refuse(&outbox, request, refusal, Some(cmd_id), Some(game)),
            }
            Done::Nothing
        })
    }

    fn my_games(&self, player: Arc<Player>) -> Work {
        let (app, outbox) = (self.app.clone(), self.outbox.clone());
        Box::pin(async move {
            let games = app.tables.games_of(&player.id).await;
            outbox.send(Payload::new(&ServerToClient::MyGames { games }));
            Done::Nothing
        })
    }

    fn open_game(&self, game: GameId, since: Option<flagfall_protocol::EventPosition>) -> Option<Work> {
        let max = self.app.settings.limits.open_games_per_connection;
        let is_open = self.open.iter().any(|open| open.table.id() == game);
        if !is_open && self.open.len() >= max {
            let refusal = Refusal::new(Code::TOO_MANY).because("open_games").with("count", max);
            refuse(&self.outbox, self.request, refusal, None, Some(game));
            return None;
        }
        let (outbox, request) = (self.outbox.clone(), self.request);
        let player = self.player_id().map(str::to_owned);
        Some(self.hand_over(game, TableInput::Open(Opener { outbox, player, since, request })))
    }

    fn close_game(&mut self, game: GameId) -> Option<Work> {
        let at = self.open.iter().position(|open| open.table.id() == game)?;
        let Open { table, watch: _over, side: _ } = self.open.swap_remove(at);
        let outbox = self.outbox.clone();
        Some(Box::pin(async move {
            let connection = outbox.connection();
            table.send(TableInput::Close { connection, is_on_purpose: true }).await.ok();
            outbox.clear_head(game);
            Done::Nothing
        }))
    }

    /// Sends an input to the table of a game. If that table has left memory, loads the game's
    /// table again and retries, a few times.
    fn hand_over(&self, game: GameId, mut input: TableInput) -> Work {
        const ATTEMPTS: usize = 3;
        let (app, outbox, player) = (self.app.clone(), self.outbox.clone(), self.player.clone());
        let (client, request) = (self.client, self.request);
        let open = self.open.iter().find(|open| open.table.id() == game);
        let (mut known, is_watching) =
            (open.map(|open| open.table.clone()), open.is_some_and(|open| open.watch.is_some()));
        let is_open = matches!(input, TableInput::Open(_));
        let refused = move |why: Refusal, cmd_id| {
            refuse(&outbox, request, why, cmd_id, Some(game));
            Done::Nothing
        };
        Box::pin(async move {
            for _ in 0..ATTEMPTS {
                let found = match known.take() {
                    Some(table) => Ok(table),
                    None => app.tables.find_for(player.as_deref().map(|player| &*player.id), game).await,
                };
                let table = match found {
                    Ok(table) => table,
                    Err(error) => return refused(Refusal::from(&error), input.into_cmd_id()),
                };
                let side = player.as_deref().and_then(|player| table.side_of(&player.id));
                let seated = player.as_deref().filter(|_| side.is_some());
                let is_spectator = is_open && !is_watching && seated.is_none();
                let id = player.as_deref().map(|player| player.id.as_str());
                let watch = is_spectator.then(|| app.admission.watch(client, id, Instant::now()));
                let watch = match watch.transpose() {
                    Ok(watch) => watch,
                    Err(too_many) => return refused(Refusal::from(&too_many), None),
                };
                match table.send(input).await {
                    Ok(()) if is_open => {
                        if let Some(player) = seated {
                            note_open_game(&app, client, player, &table);
                        }
                        return Done::Opened(Open { table, watch, side });
                    }
                    Ok(()) => return Done::Nothing,
                    Err(back) => input = back,
                }
            }
            refused(Refusal::from(&TableError::Unavailable), input.into_cmd_id())
        })
    }
}

impl Drop for Dispatch {
    /// Removes the connection from the lobby and the tables, even after a panic.
    fn drop(&mut self) {
        let (connection, is_on_purpose) = (self.outbox.connection(), self.outbox.has_said_goodbye());
        if self.is_watching_lobby {
            self.app.lobby.unwatch(connection);
        }
        let open = std::mem::take(&mut self.open);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !open.is_empty() {
            runtime.spawn(async move {
                for Open { table, watch, side: _ } in open {
                    drop(watch);
                    // A table that has left memory has already dropped the connection.
                    table.send(TableInput::Close { connection, is_on_purpose }).await.ok();
                }
            });
        }
    }
}

/// Returns the id of the command in a message, and the game that the message is about.
fn subject_of(message: ClientToServer) -> (Option<CommandId>, Option<GameId>) {
    match LobbyCommand::from_message(message) {
        Ok((cmd_id, _)) => (Some(cmd_id), None),
        Err(
            ClientToServer::Rematch { cmd_id, game }
            | ClientToServer::Command { cmd_id, game, .. }
            | ClientToServer::Say { cmd_id, game, .. }
            | ClientToServer::Report { cmd_id, game, .. },
        ) => (Some(cmd_id), Some(game)),
        Err(_) => (None, None),
    }
}

pub(super) fn refuse(
    outbox: &Outbox,
    request: RequestId,
    refusal: Refusal,
    cmd_id: Option<CommandId>,
    game: Option<GameId>,
) {
    refusals::send(outbox, request, refusal, cmd_id, game, None);
}
