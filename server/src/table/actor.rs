//! The shell around a table: a task that feeds it time, chance and the store's answers.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_bots::{Chance, Level, choose};
use flagfall_protocol::{
    Audience, CloseCode, Code, CommandId, GameCommand, GameRecord, GameSummary, GameView, MoveText, Outcome,
    Phase, Player, Position,
};
use flagfall_rules::{Command, Entropy, View};
use flagfall_store::{ReadError, Store, StoredEntry};
use futures_util::FutureExt as _;
use tokio::sync::{mpsc, oneshot};

use super::answers::{is_same_command, stamp_of};
use super::core::{Asked, Done, Input, Output, ReadFailure, Table};
use super::header::GameHeader;
use super::record;
use super::registry::{TableError, Tables};
use super::replay;
use crate::gateway::{ConnectionId, Outbox};

/// Messages that may wait for a table.
const MAILBOX_MAX: usize = 64;
/// How long a table nobody needs is kept, in milliseconds.
const LINGER_MS: u64 = 30_000;

/// What a connection may want of a table.
pub enum TableInput {
    /// Open the game: the table answers on the outbox with the game, or a refusal.
    Open {
        /// The connection.
        outbox: Outbox,
        /// Who asks.
        player: Player,
        /// What the client has seen already.
        since: Option<Position>,
    },
    /// The connection wants no more news, or is gone.
    Close {
        /// The connection.
        connection: ConnectionId,
    },
    /// A command of a player: accepted or refused on the outbox.
    Command {
        /// The connection.
        outbox: Outbox,
        /// Who asks.
        player: Player,
        /// The client's id for it.
        cmd_id: CommandId,
        /// The ply it was made at.
        ply: Ply,
        /// What is asked.
        command: GameCommand,
    },
    /// A player wants another game: accepted or refused on the outbox.
    Rematch {
        /// The connection.
        outbox: Outbox,
        /// Who asks.
        player: Player,
        /// The client's id for it.
        cmd_id: CommandId,
    },
}

/// The table has left memory: find it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the table has left memory; find it again")]
pub struct TableGone;

pub(super) enum Message {
    Input(TableInput),
    Look { player: Option<String>, reply: oneshot::Sender<Option<(GameSummary, Audience, GameView)>> },
    Record { player: Option<String>, reply: oneshot::Sender<Result<GameRecord, TableError>> },
    Stop { reply: oneshot::Sender<()> },
}

/// A way to a table. Cheap to clone.
#[derive(Clone)]
pub struct TableHandle {
    id: GameId,
    sender: mpsc::Sender<Message>,
    pub(super) shared: Arc<Shared>,
}

/// What others may read of a table without asking it: public facts.
pub(super) struct Shared {
    pub(super) header: GameHeader,
    created: Stamp,
    progress: Mutex<Progress>,
}

#[derive(Clone)]
struct Progress {
    phase: Phase,
    ply: Ply,
    turn: Option<Side>,
    outcome: Option<Outcome>,
}

impl TableHandle {
    /// The game.
    #[must_use]
    pub fn id(&self) -> GameId {
        self.id
    }

    /// Hands the table something; waits while its mailbox is full.
    ///
    /// # Errors
    /// [`TableGone`]: nothing was taken.
    pub async fn send(&self, input: TableInput) -> Result<(), TableGone> {
        self.send_message(Message::Input(input)).await
    }

    pub(super) async fn send_message(&self, message: Message) -> Result<(), TableGone> {
        self.sender.send(message).await.map_err(|_| TableGone)
    }

    /// The game as somebody may know it now.
    ///
    /// # Errors
    /// [`TableError::NotFound`] for private games of others, and what [`Tables::find`] has.
    pub async fn look(&self, player: Option<&str>) -> Result<(GameSummary, Audience, GameView), TableError> {
        let (reply, answer) = oneshot::channel();
        let player = player.map(str::to_owned);
        self.send_message(Message::Look { player, reply }).await.map_err(|_| TableError::Unavailable)?;
        answer.await.map_err(|_| TableError::Unavailable)?.ok_or(TableError::NotFound)
    }

    /// The game's record as somebody may know it: full after the end, fogged before.
    ///
    /// # Errors
    /// As [`TableHandle::look`].
    pub async fn record(&self, player: Option<&str>) -> Result<GameRecord, TableError> {
        let (reply, answer) = oneshot::channel();
        let player = player.map(str::to_owned);
        self.send_message(Message::Record { player, reply }).await.map_err(|_| TableError::Unavailable)?;
        answer.await.map_err(|_| TableError::Unavailable)?
    }

    /// The game in a line, as of its last ply.
    #[must_use]
    pub fn summary(&self) -> GameSummary {
        let Shared { header, created, progress } = &*self.shared;
        let Progress { phase, ply, turn, outcome } =
            progress.lock().unwrap_or_else(PoisonError::into_inner).clone();
        GameSummary {
            id: self.id,
            terms: header.terms.clone(),
            players: header.players.clone(),
            created: created.0,
            phase,
            ply,
            turn,
            outcome,
        }
    }

    /// Whether the game is still going on.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.shared.progress.lock().unwrap_or_else(PoisonError::into_inner).phase != Phase::Over
    }
}

impl fmt::Debug for TableHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableHandle({})", self.id)
    }
}

/// The moment it is.
pub(super) fn now() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

pub(super) struct Actor {
    id: GameId,
    table: Table,
    tables: Tables,
    store: Arc<dyn Store>,
    mailbox: mpsc::Receiver<Message>,
    shared: Arc<Shared>,
    chance: Chance,
    idle_since: Option<Stamp>,
    stopping: Option<oneshot::Sender<()>>,
}

/// A table's task-to-be and the way to it.
pub(super) fn channel(
    id: GameId,
    table: Table,
    tables: &Tables,
    store: Arc<dyn Store>,
) -> (TableHandle, Actor) {
    let (sender, mailbox) = mpsc::channel(MAILBOX_MAX);
    let summary = table.summary();
    let shared = Arc::new(Shared {
        header: table.header().clone(),
        created: Stamp(summary.created),
        progress: Mutex::new(Progress {
            phase: summary.phase,
            ply: summary.ply,
            turn: summary.turn,
            outcome: summary.outcome,
        }),
    });
    let mut seed = [0; 8];
    // Without entropy the house player's games are alike, which harms nobody.
    let _no_seed = getrandom::fill(&mut seed);
    let handle = TableHandle { id, sender, shared: shared.clone() };
    let actor = Actor {
        id,
        table,
        tables: tables.clone(),
        store,
        mailbox,
        shared,
        chance: Chance::new(u64::from_ne_bytes(seed)),
        idle_since: None,
        stopping: None,
    };
    (handle, actor)
}

impl Actor {
    /// Runs the table until nobody needs it. A panic ends this table alone: its connections are told to come back, and find it as the log has it.
    pub(super) async fn run(mut self, recover_since: Option<Stamp>) {
        let ended = AssertUnwindSafe(self.serve(recover_since)).catch_unwind().await;
        self.tables.forget(self.id, &self.shared);
        if ended.is_err() {
            tracing::error!(game = %self.id, "a defect ended this table; it is opened again from its log");
            metrics::counter!("flagfall_table_panics_total").increment(1);
            self.table.close_connections(CloseCode::Shutdown);
        }
        self.mailbox.close();
        // Whoever wrote to the table while it left is served by the next one.
        while let Some(message) = self.mailbox.recv().await {
            if let Ok(handle) = self.tables.find(self.id).await {
                let _gone_again = handle.send_message(message).await;
            }
        }
    }

    async fn serve(&mut self, recover_since: Option<Stamp>) {
        if let Some(since) = recover_since
            && let Some(append) = self.table.recover(since)
        {
            self.carry_out(VecDeque::from([Output::Append(append)])).await;
        }
        self.step(Input::Tick).await;
        loop {
            let wake_at = self.wake_at();
            let message = match wake_at {
                None => self.mailbox.recv().await,
                Some(wake_at) => {
                    let wait = Duration::from_millis(wake_at.ms_since(now()));
                    match tokio::time::timeout(wait, self.mailbox.recv()).await {
                        Ok(message) => message,
                        Err(_elapsed) => {
                            if self.is_to_leave() {
                                return;
                            }
                            self.step(Input::Tick).await;
                            continue;
                        }
                    }
                }
            };
            let Some(message) = message else { return };
            self.receive(message).await;
        }
    }

    fn wake_at(&mut self) -> Option<Stamp> {
        self.idle_since = self.table.is_idle().then(|| self.idle_since.unwrap_or_else(now));
        let leave_at = self.idle_since.map(|since| since.plus_ms(LINGER_MS));
        self.table.wake_at().into_iter().chain(leave_at).min()
    }

    fn is_to_leave(&self) -> bool {
        self.idle_since.is_some_and(|since| now() >= since.plus_ms(LINGER_MS))
    }

    async fn receive(&mut self, message: Message) {
        match message {
            Message::Input(TableInput::Open { outbox, player, since }) => {
                self.step(Input::Open { outbox, player, since }).await;
            }
            Message::Input(TableInput::Close { connection }) => self.step(Input::Close { connection }).await,
            Message::Input(TableInput::Command { outbox, player, cmd_id, ply, command }) => {
                let asked = Asked {
                    outbox: Some(outbox),
                    player_id: player.id,
                    cmd_id,
                    ply,
                    entropy: entropy_for(&command),
                    command,
                };
                self.step(Input::Command(Box::new(asked))).await;
            }
            Message::Input(TableInput::Rematch { outbox, player, cmd_id }) => {
                self.step(Input::Rematch { outbox, player, cmd_id }).await;
            }
            Message::Look { player, reply } => {
                let viewer = self.table.viewer(player.as_deref());
                let seen = viewer.map(|viewer| {
                    let (audience, view) = self.table.look(now(), viewer);
                    (self.table.summary(), audience, view)
                });
                let _caller_left = reply.send(seen);
            }
            Message::Record { player, reply } => {
                let record = self.record(player.as_deref()).await;
                let _caller_left = reply.send(record);
            }
            Message::Stop { reply } => {
                self.stopping = Some(reply);
                self.step(Input::Stop).await;
            }
        }
    }

    async fn step(&mut self, input: Input) {
        let outputs = self.table.step(now(), input);
        self.carry_out(outputs.into()).await;
        self.note_progress();
    }

    fn note_progress(&self) {
        let summary_ply = self.table.progress();
        let mut progress = self.shared.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if (progress.ply, progress.phase) != (summary_ply.1, summary_ply.0) {
            let GameSummary { phase, ply, turn, outcome, .. } = self.table.summary();
            if phase == Phase::Over && progress.phase != Phase::Over {
                let reason = outcome.as_ref().map(|outcome| outcome.reason.clone()).unwrap_or_default();
                metrics::counter!("flagfall_games_ended_total", "reason" => reason).increment(1);
                self.tables.note_end(self.id, &self.shared.header);
            }
            *progress = Progress { phase, ply, turn, outcome };
        }
    }

    /// Does what the table wants done, and hands the answers back, until it wants nothing more.
    async fn carry_out(&mut self, mut outputs: VecDeque<Output>) {
        while let Some(output) = outputs.pop_front() {
            let input = match output {
                Output::Append(append) => {
                    let started = std::time::Instant::now();
                    let outcome = self.store.append(append).await;
                    metrics::histogram!("flagfall_commit_seconds").record(started.elapsed());
                    if matches!(outcome, Ok(flagfall_store::AppendOutcome::Conflict { .. })) {
                        metrics::counter!("flagfall_append_conflicts_total").increment(1);
                    }
                    if let Err(error) = &outcome {
                        tracing::warn!(game = %self.id, %error, "the store did not take an append");
                    }
                    Input::Appended(outcome)
                }
                Output::Read { after } => Input::ReadOn(self.read(after).await),
                Output::FindOld { asked, refusal } => {
                    let found = self.find_old(&asked).await;
                    Input::Old { asked, refusal, found }
                }
                Output::HouseTurn { side, view } => match self.house_command(side, &view) {
                    Some(asked) => Input::Command(Box::new(asked)),
                    None => continue,
                },
                Output::MakeRematch => {
                    let made = self.tables.rematch(self.id, self.table.header()).await;
                    Input::RematchMade(made.map_err(|error| Code::from(&error)))
                }
                Output::Stopped => {
                    if let Some(reply) = self.stopping.take() {
                        let _caller_left = reply.send(());
                    }
                    continue;
                }
            };
            outputs.extend(self.table.step(now(), input));
        }
    }

    async fn read(&self, after: u64) -> Result<Vec<StoredEntry>, ReadFailure> {
        match self.tables.read_all(self.id, after).await {
            Ok(stored) => Ok(stored),
            Err(ReadError::Damaged { .. }) => Err(ReadFailure::Damaged),
            Err(ReadError::Unavailable { .. }) => Err(ReadFailure::Unavailable),
        }
    }

    /// The outcome of a command that was accepted so long ago that only the log knows.
    async fn find_old(&self, asked: &Asked) -> Option<Done> {
        let stored = self.read(0).await.ok()?;
        let stamp = stamp_of(asked);
        let side = self.table.header().side_of(&asked.player_id)?;
        let viewer = flagfall_rules::Viewer::Player(side);
        let (mut seq, mut done) = (0, None);
        let replayed = replay::replay(self.id, &stored, |game, entry| {
            seq += u64::from(flagfall_rules::see(&entry.event, game, viewer).is_some());
            if let Some(found) = entry.command.as_ref().filter(|found| is_same_command(found, &stamp)) {
                done = Some(Done { stamp: found.clone(), seq });
            }
        });
        replayed.ok()?;
        done
    }

    async fn record(&self, player: Option<&str>) -> Result<GameRecord, TableError> {
        let viewer = self.table.viewer(player).ok_or(TableError::NotFound)?;
        let stored = match self.read(0).await {
            Ok(stored) => stored,
            Err(ReadFailure::Damaged) => return Err(TableError::Quarantined),
            Err(ReadFailure::Unavailable) => return Err(TableError::Unavailable),
        };
        record::record(self.id, &stored, viewer).map_err(|_| TableError::Quarantined)
    }

    fn house_command(&mut self, side: Side, view: &View) -> Option<Asked> {
        let player_id = self.table.header().players[side].id.clone();
        let level = player_id.strip_prefix("house:").and_then(Level::from_name)?;
        let command = match choose(level, view, side, &mut self.chance)? {
            Command::Deploy(setup) => {
                GameCommand::Deploy { setup: setup.deploy(side, view.ruleset).ok()?.into_text() }
            }
            Command::Move(squares) => GameCommand::Move { squares: MoveText(squares) },
            Command::OfferDraw => GameCommand::OfferDraw {},
            Command::AcceptDraw => GameCommand::AcceptDraw {},
            Command::DeclineDraw => GameCommand::DeclineDraw {},
            Command::Resign => GameCommand::Resign {},
            Command::Abort => GameCommand::Abort {},
        };
        let phase = if view.phase == flagfall_rules::Phase::Deploying { "deploy" } else { "ply" };
        let cmd_id = format!("{phase}-{}-{side:?}", view.ply).parse().ok()?;
        let entropy = entropy_for(&command);
        Some(Asked { outbox: None, player_id, cmd_id, ply: view.ply, command, entropy })
    }
}

/// Chance for the commands that need it.
fn entropy_for(command: &GameCommand) -> Entropy {
    let mut bytes = [0; 32];
    if matches!(command, GameCommand::Deploy { .. }) && getrandom::fill(&mut bytes).is_err() {
        // A commitment with a guessable salt would betray the deployment: better no table than that.
        panic!("the system gives no entropy");
    }
    Entropy(bytes)
}

/// The two players' ids.
pub(super) fn player_ids(header: &GameHeader) -> PerSide<&str> {
    PerSide::from_fn(|side| header.players[side].id.as_str())
}
