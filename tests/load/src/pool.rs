//! Bot accounts in the ranked pool.
//!
//! Each bot signs up, and then repeatedly waits, is paired, plays a few plies and resigns. At the
//! end, all results are recomputed from the records.
//!
//! Each bot has a true strength. The winner of a game is drawn from the game's id, with the
//! probabilities that follow from both strengths. So both bots can compute the winner.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    ClientToServer, CommandId, GameCommand, GameEvent, GameSummary, PROTOCOL_VERSION, PlayerKind,
    RatingChange, Secret, ServerToClient, SignedUp, Terms, Time,
};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::error::LoadError;
use crate::http;
use crate::ladder;
use crate::process::Measured;

/// A deployment of `pbm` with Scouts on the outer squares of the front row.
const SETUP: &str = "9394924939 56691S9575 574BB7668B 88BF7B88B9";
/// Bots that sign up at once.
const SIGN_UPS_AT_ONCE: usize = 16;
/// The time between two lines of progress.
const PROGRESS_EVERY: Duration = Duration::from_secs(10);
/// The longest wait for any message while a game is played.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest wait for a game in the pool.
const POOL_PATIENCE: Duration = Duration::from_secs(600);
/// The largest difference between the true strengths of two bots, in points.
const STRENGTH_SPREAD: f64 = 600.0;
/// One in this many games is drawn.
const DRAWN_OF: u64 = 12;

/// The length and size of a run.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) bots: usize,
    pub(crate) minutes: f64,
    /// The number of finished games after which the run ends early.
    pub(crate) games: Option<u64>,
    /// Seconds between two pairings of the waiting players.
    pub(crate) wave_seconds: u32,
}

/// The state that all bots share.
struct Floor {
    address: String,
    ends: Instant,
    games: Option<u64>,
    over: AtomicU64,
    has_ended: Notify,
    is_ending: std::sync::atomic::AtomicBool,
    notes: Mutex<Notes>,
    /// True strengths by player id.
    strengths: HashMap<String, f64>,
}

/// Observations of all bots.
#[derive(Default)]
struct Notes {
    waits_ms: Vec<u64>,
    /// The time from the start of each game to its end, as its players saw it.
    games_ms: Vec<u64>,
    /// The number of bots that are waiting, and the number that are playing.
    waiting: usize,
    playing: usize,
    changes: BTreeMap<GameId, RatingChange>,
    refusals: BTreeMap<String, u64>,
    games: BTreeMap<GameId, GameSummary>,
    /// The number of players who were paired while they were still playing a paired game.
    doubles: Vec<String>,
}

impl Notes {
    /// A line of progress after this many seconds.
    fn progress(&self, seconds: u64) -> String {
        let Notes { waiting, playing, games, changes, .. } = self;
        format!(
            "{seconds:>4} s: {waiting:>4} wait, {playing:>4} play; {} games made, {} rated; wait {:.1} s, game {:.2} s in the median",
            games.len(),
            changes.len(),
            seconds_of(&self.waits_ms, 50),
            seconds_of(&self.games_ms, 50)
        )
    }
}

/// Returns this percentile of the times, in seconds.
fn seconds_of(times_ms: &[u64], percent: usize) -> f64 {
    let mut sorted = times_ms.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or(0) as f64 / 1_000.0
}

impl Floor {
    fn notes(&self) -> std::sync::MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
        self.has_ended.notify_waiters();
    }
}

struct Bot {
    id: String,
    name: String,
    token: Secret,
}

/// Runs the pool and checks the results. Returns true if all are correct.
pub(crate) async fn run(plan: Plan, server: &Path) -> Result<bool, LoadError> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data").display().to_string();
    let wave = plan.wave_seconds.to_string();
    let words = [
        "--listen",
        "127.0.0.1:0",
        "--metrics-listen",
        "none",
        "--log",
        "warn",
        "--data",
        &data,
        "--pool-wave-seconds",
        &wave,
        "--trusted-network",
        "127.0.0.0/8",
        "--reserved-percent",
        "0",
        "--password-memory-kib",
        "32",
        "--password-passes",
        "1",
    ];
    let server = Measured::start(server, &words.map(str::to_owned), None).await?;
    let began = Instant::now();
    let bots = sign_up_all(&server.address, plan.bots).await?;
    println!("{} accounts in {:.1} s", bots.len(), began.elapsed().as_secs_f64());

    let spread = |index: usize| (index as f64 / plan.bots as f64 - 0.5) * STRENGTH_SPREAD;
    let floor = Arc::new(Floor {
        address: server.address.clone(),
        ends: Instant::now() + Duration::from_secs_f64(plan.minutes * 60.0),
        games: plan.games,
        over: AtomicU64::new(0),
        has_ended: Notify::new(),
        is_ending: std::sync::atomic::AtomicBool::new(false),
        notes: Mutex::default(),
        strengths: bots.iter().enumerate().map(|(index, bot)| (bot.id.clone(), spread(index))).collect(),
    });
    let cpu = server.cpu_seconds()?;
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for bot in &bots {
        tasks.spawn(Player::play(floor.clone(), bot.name.clone(), bot.token.clone()));
    }
    let clock = floor.clone();
    tokio::spawn(async move {
        tokio::time::sleep_until(clock.ends.into()).await;
        clock.end();
    });
    let reporter = tokio::spawn(report(floor.clone(), began));
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    reporter.abort();
    let seconds = began.elapsed().as_secs_f64();
    let cpu = server.cpu_seconds()? - cpu;
    let notes = std::mem::take(&mut *floor.notes());
    let is_fine = tell(&notes, seconds, cpu);
    let names: HashMap<String, String> = bots.into_iter().map(|bot| (bot.id, bot.name)).collect();
    let is_right = ladder::judge(&server.address, &names, &notes.games, &notes.changes).await?;
    Ok(is_fine && is_right)
}

/// Prints progress every few seconds.
async fn report(floor: Arc<Floor>, began: Instant) {
    let mut ticks = tokio::time::interval(PROGRESS_EVERY);
    ticks.tick().await;
    loop {
        ticks.tick().await;
        let line = floor.notes().progress(began.elapsed().as_secs());
        println!("{line}");
    }
}

async fn sign_up_all(address: &str, count: usize) -> Result<Vec<Bot>, LoadError> {
    let made = futures_util::stream::iter((0..count).map(|index| async move {
        let SignedUp { player, token, .. } = http::sign_up(address, &format!("bot-{index}"), true).await?;
        let token = token.ok_or_else(|| LoadError::Answer("an account without a token".to_owned()))?;
        Ok::<Bot, LoadError>(Bot { id: player.id, name: player.name, token })
    }));
    let made: Vec<Result<Bot, LoadError>> = made.buffered(SIGN_UPS_AT_ONCE).collect().await;
    made.into_iter().collect()
}

/// Prints the observations. Returns true if they contain no fault.
fn tell(notes: &Notes, seconds: f64, cpu: f64) -> bool {
    let mut gaps: Vec<u64> = notes
        .changes
        .values()
        .map(|change| u64::from(change.before.red.rating.abs_diff(change.before.blue.rating)))
        .collect();
    gaps.sort_unstable();
    let part =
        |sorted: &[u64], percent: usize| sorted.get(sorted.len() * percent / 100).copied().unwrap_or(0);
    println!(
        "{} games in {seconds:.0} s, {} rated; the server used {cpu:.1} s of processor time",
        notes.games.len(),
        notes.changes.len()
    );
    let of = |times: &[u64]| (seconds_of(times, 50), seconds_of(times, 95));
    let ((wait, longest_wait), (game, longest_game)) = (of(&notes.waits_ms), of(&notes.games_ms));
    println!("wait:       median {wait:.1} s, 95 % under {longest_wait:.1} s");
    println!(
        "played:     median {game:.2} s from hearing of a game to its end, 95 % under {longest_game:.2} s"
    );
    println!("rating gap: median {}, 95 % under {}", part(&gaps, 50), part(&gaps, 95));
    for (code, count) in &notes.refusals {
        println!("REFUSED {count} times: {code}");
    }
    for double in &notes.doubles {
        println!("IN TWO GAMES: {double}");
    }
    if notes.games.is_empty() {
        println!("NOTHING WAS PLAYED");
    }
    notes.refusals.is_empty() && notes.doubles.is_empty() && !notes.games.is_empty()
}

fn ms_since(moment: Instant) -> u64 {
    u64::try_from(moment.elapsed().as_millis()).unwrap_or(u64::MAX)
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

struct Player {
    floor: Arc<Floor>,
    socket: Socket,
    id: String,
    name: String,
    commands: u64,
    entered: Option<Instant>,
    /// The time at which the bot's current game began.
    started: Option<Instant>,
    /// The command with which the bot finally leaves the pool.
    leaving: Option<CommandId>,
    /// The running game that was made by pairing the bot.
    game: Option<GameSummary>,
    side: Side,
}

impl Player {
    /// Plays until time is up, then finishes the current game.
    async fn play(floor: Arc<Floor>, name: String, token: Secret) -> Result<(), LoadError> {
        let (socket, _) = tokio_tungstenite::connect_async(format!("ws://{}/ws", floor.address)).await?;
        let mut player = Player {
            floor,
            socket,
            id: String::new(),
            name,
            commands: 0,
            entered: None,
            started: None,
            leaving: None,
            game: None,
            side: Side::Red,
        };
        let hello = ClientToServer::Hello {
            protocol: PROTOCOL_VERSION,
            token: Some(token),
            name: None,
            client: None,
            session: false,
        };
        player.say(&hello).await?;
        loop {
            if player.game.is_none() && player.entered.is_none() && !player.id.is_empty() {
                if player.floor.is_over() {
                    return Ok(());
                }
                player.enter().await?;
            }
            let is_waiting = player.game.is_none() && player.entered.is_some();
            if is_waiting && player.leaving.is_none() && player.floor.is_over() {
                player.leave().await?;
            }
            let floor = player.floor.clone();
            let patience = if player.game.is_some() { TIMEOUT } else { POOL_PATIENCE };
            let message = tokio::select! {
                message = timeout(patience, player.socket.next()) => {
                    message.map_err(|_| LoadError::Answer(format!("{}: nothing goes on", player.name)))?
                }
                () = floor.has_ended.notified(), if is_waiting && !floor.is_over() => continue,
            };
            match message {
                Some(Ok(Message::Text(text))) => {
                    let message = serde_json::from_str(text.as_str())
                        .map_err(|error| LoadError::Answer(format!("{error}: {}", text.as_str())))?;
                    if player.take(message).await? {
                        return Ok(());
                    }
                }
                other => return Err(LoadError::Answer(format!("{}: {other:?}", player.name))),
            }
        }
    }

    async fn say(&mut self, message: &ClientToServer) -> Result<(), LoadError> {
        let text = serde_json::to_string(message).map_err(|error| LoadError::Answer(error.to_string()))?;
        Ok(self.socket.send(Message::text(text)).await?)
    }

    fn cmd_id(&mut self) -> CommandId {
        self.commands += 1;
        let text = format!("c{}", self.commands);
        text.parse().unwrap_or_else(|_| unreachable!("{text} is a command id"))
    }

    async fn enter(&mut self) -> Result<(), LoadError> {
        self.entered = Some(Instant::now());
        self.floor.notes().waiting += 1;
        let terms = Terms {
            ruleset: "pbm".to_owned(),
            time: Time::Fischer { base_s: 600, increment_s: 5 },
            private: false,
            secret: false,
            rated: true,
        };
        let cmd_id = self.cmd_id();
        self.say(&ClientToServer::EnterPool { cmd_id, terms }).await
    }

    async fn leave(&mut self) -> Result<(), LoadError> {
        let cmd_id = self.cmd_id();
        self.leaving = Some(cmd_id.clone());
        self.say(&ClientToServer::LeavePool { cmd_id }).await
    }

    async fn act(&mut self, ply: u16, command: GameCommand) -> Result<(), LoadError> {
        let Some(game) = self.game.as_ref().map(|game| game.id) else { return Ok(()) };
        let cmd_id = self.cmd_id();
        self.say(&ClientToServer::Command { cmd_id, game, ply, epoch: None, command }).await
    }

    /// Handles a message. Returns true if the bot is done.
    async fn take(&mut self, message: ServerToClient) -> Result<bool, LoadError> {
        match message {
            ServerToClient::Welcome { player: Some(player), .. } => {
                if player.kind != PlayerKind::Bot {
                    return Err(LoadError::Answer(format!("{} is no bot", player.name)));
                }
                self.id = player.id;
            }
            ServerToClient::Ping { id, .. } => self.say(&ClientToServer::Pong { id }).await?,
            ServerToClient::GameStarted { game, side } => self.started(game, side).await?,
            ServerToClient::Event { game, event, .. }
                if self.game.as_ref().is_some_and(|own| own.id == game) =>
            {
                self.happened(&event).await?;
            }
            ServerToClient::Rated { change } => {
                self.floor.notes().changes.insert(change.game, change);
            }
            ServerToClient::Accepted { cmd_id, .. } if self.leaving.as_ref() == Some(&cmd_id) => {
                return Ok(self.game.is_none());
            }
            ServerToClient::Refused { code, .. } => return Ok(self.refused(code.as_str())),
            _ => {}
        }
        Ok(false)
    }

    /// Records a refusal. Returns true if the bot is done.
    ///
    /// A bot that leaves the pool at the moment it is paired is refused and plays that game.
    fn refused(&mut self, code: &str) -> bool {
        if self.leaving.is_none() || !matches!(code, "not_in_pool" | "already_paired") {
            *self.floor.notes().refusals.entry(code.to_owned()).or_default() += 1;
        }
        self.leaving.is_some() && code == "not_in_pool" && self.game.is_none()
    }

    async fn started(&mut self, game: GameSummary, side: Side) -> Result<(), LoadError> {
        let waited = self.entered.take().map(ms_since);
        self.started = Some(Instant::now());
        {
            let mut notes = self.floor.notes();
            notes.waits_ms.extend(waited);
            notes.waiting = notes.waiting.saturating_sub(usize::from(waited.is_some()));
            notes.playing += usize::from(self.game.is_none());
            if let Some(own) = &self.game {
                notes.doubles.push(format!("{} plays {} and is paired for {}", self.name, own.id, game.id));
            }
            notes.games.insert(game.id, game.clone());
        }
        let id = game.id;
        (self.game, self.side) = (Some(game), side);
        self.say(&ClientToServer::OpenGame { game: id, since: None }).await?;
        self.act(0, GameCommand::Deploy { setup: SETUP.to_owned() }).await
    }

    async fn happened(&mut self, event: &GameEvent) -> Result<(), LoadError> {
        match event {
            GameEvent::Started { .. } if self.side == Side::Red => self.act(0, moving("a4a5")?).await,
            GameEvent::Moved(moved) if moved.side == Side::Red && self.side == Side::Blue => {
                self.act(1, moving("j7j6")?).await
            }
            GameEvent::Moved(moved) if moved.side == Side::Blue => match self.winner() {
                Some(winner) if winner != self.side => self.act(2, GameCommand::Resign {}).await,
                None if self.side == Side::Red => self.act(2, GameCommand::OfferDraw {}).await,
                _ => Ok(()),
            },
            GameEvent::DrawOffered { .. } if self.side == Side::Blue => {
                self.act(2, GameCommand::AcceptDraw {}).await
            }
            GameEvent::Ended { .. } => {
                let id = self.game.take().map(|game| game.id);
                let played = self.started.take().map(ms_since);
                {
                    let mut notes = self.floor.notes();
                    notes.games_ms.extend(played);
                    notes.playing = notes.playing.saturating_sub(1);
                }
                if let Some(game) = id {
                    self.say(&ClientToServer::CloseGame { game }).await?;
                }
                // Each game was counted by both players, so halve the number.
                let over = self.floor.over.fetch_add(1, Ordering::Relaxed) / 2;
                if self.floor.games.is_some_and(|games| over >= games) {
                    self.floor.end();
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The side that must win. It is drawn from the game's id, with the probabilities that follow
    /// from the true strengths.
    fn winner(&self) -> Option<Side> {
        let game = self.game.as_ref()?;
        let drawn = game.id.as_str().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let drawn = (drawn ^ (drawn >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        if drawn % DRAWN_OF == 0 {
            return None;
        }
        let strength = |side: Side| self.floor.strengths.get(&game.players[side].id).copied().unwrap_or(0.0);
        let red = 1.0 / (1.0 + 10_f64.powf((strength(Side::Blue) - strength(Side::Red)) / 400.0));
        let at = (drawn >> 11) as f64 / (1_u64 << 53) as f64;
        Some(if at < red { Side::Red } else { Side::Blue })
    }
}

fn moving(squares: &str) -> Result<GameCommand, LoadError> {
    let squares: flagfall_protocol::Move =
        squares.parse().map_err(|_| LoadError::Answer("no move".to_owned()))?;
    Ok(GameCommand::from(squares))
}
