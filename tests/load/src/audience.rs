//! Spectators of a game, in this process or in several others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use flagfall_board::GameId;
use flagfall_protocol::ClientToServer;
use futures_util::future::try_join_all;
use tokio::process::{Child, Command};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::duel::{Pair, Socket, connect, guest, next, say, until};
use crate::error::LoadError;
use crate::process::{Output, spawn};

/// The first number in the names of guests. It is so high that these names differ from those of
/// players.
pub(crate) const GUESTS_FROM: u32 = 1_000_000;
/// The time after which a spectator who has not seen a ply is assumed to have missed it.
const PLY_TIMEOUT: Duration = Duration::from_secs(60);
/// The number of spectators in a process. Many machines allow a process 20,000 open files.
const PROCESS_MAX: u32 = 10_000;

/// The lines that a process of spectators prints: when all are watching, and when all have seen
/// a ply.
const WATCHING: &str = "watching";
const SEEN: &str = "seen";

/// Opens an idle connection. On the relay it watches game 0, which sends nothing before it is
/// played.
pub(crate) async fn onlooker(is_relay: bool, address: &str, index: u32) -> Result<Socket, LoadError> {
    if is_relay {
        connect(format!("ws://{address}/watch/0")).await
    } else {
        guest(address, GUESTS_FROM + index).await
    }
}

/// Opens the game on these connections; on the relay, they watch one already.
pub(crate) async fn watch(game: Option<GameId>, mut sockets: Vec<Socket>) -> Result<Vec<Socket>, LoadError> {
    if let Some(game) = game {
        for socket in &mut sockets {
            say(socket, &ClientToServer::OpenGame { game, since: None }).await?;
            until(socket, |text| text.starts_with(r#"{"type":"game""#)).await?;
        }
    }
    Ok(sockets)
}

/// Plays this many plies, each after everybody has seen the previous one, for which `see` waits. If
/// there are several pairs, they play at the same time, and each spectator watches one of them.
///
/// Returns for each ply the time until the last spectator saw it, in milliseconds, sorted.
pub(crate) async fn deliver(
    mut pairs: Vec<Pair>,
    plies: u32,
    mut see: impl AsyncFnMut() -> Result<(), LoadError>,
) -> Result<Vec<f64>, LoadError> {
    let mut latencies = Vec::new();
    for ply in 0..plies {
        let sent = Instant::now();
        try_join_all(pairs.iter_mut().map(|pair| pair.play(ply))).await?;
        see().await?;
        latencies.push(sent.elapsed().as_secs_f64() * 1e3);
    }
    latencies.sort_by(f64::total_cmp);
    Ok(latencies)
}

/// Spectators in this process, each with a task that reads. Their connections stay open until this
/// value is dropped.
pub(crate) struct Audience {
    seen: Arc<Semaphore>,
    count: u32,
    tasks: JoinSet<Result<Socket, LoadError>>,
    /// The connections of those who have seen all plies.
    finished: Vec<Socket>,
}

impl Audience {
    pub(crate) fn new(spectators: Vec<Socket>, plies: u32, is_relay: bool) -> Audience {
        let seen = Arc::new(Semaphore::new(0));
        let count = u32::try_from(spectators.len()).unwrap_or(u32::MAX);
        let mut tasks = JoinSet::new();
        for mut socket in spectators {
            let seen = seen.clone();
            tasks.spawn(async move {
                for _ in 0..plies {
                    if is_relay {
                        next(&mut socket).await?;
                    } else {
                        until(&mut socket, |text| text.starts_with(r#"{"type":"event""#)).await?;
                    }
                    seen.add_permits(1);
                }
                Ok(socket)
            });
        }
        Audience { seen, count, tasks, finished: Vec::new() }
    }

    /// Waits until everyone has seen the next ply.
    ///
    /// # Errors
    /// If a spectator does not see it within [`PLY_TIMEOUT`], or loses the connection.
    pub(crate) async fn see(&mut self) -> Result<(), LoadError> {
        let late = || LoadError::Answer("a spectator did not see a ply".to_owned());
        timeout(PLY_TIMEOUT, self.all_see()).await.unwrap_or_else(|_| Err(late()))
    }

    async fn all_see(&mut self) -> Result<(), LoadError> {
        loop {
            tokio::select! {
                biased;
                all = self.seen.acquire_many(self.count) => {
                    all.into_iter().for_each(SemaphorePermit::forget);
                    return Ok(());
                }
                Some(ended) = self.tasks.join_next() => self.finished.push(ended??),
            }
        }
    }
}

/// The arguments of a process of spectators.
#[derive(Clone, clap::Args)]
pub(crate) struct Spectators {
    /// The game; on relays, they watch game 0.
    #[arg(long)]
    game: Option<GameId>,
    /// The number of the first one.
    #[arg(long)]
    first: u32,
    #[arg(long)]
    count: u32,
    #[arg(long)]
    plies: u32,
    /// The servers or relays to which they connect in turn.
    addresses: Vec<String>,
}

impl Spectators {
    /// Runs as such a process.
    #[expect(clippy::print_stdout, reason = "the process that started this one reads it")]
    pub(crate) async fn run(self) -> Result<(), LoadError> {
        let is_relay = self.game.is_none();
        let mut sockets = Vec::new();
        for (index, address) in (self.first..self.first + self.count).zip(self.addresses.iter().cycle()) {
            sockets.push(onlooker(is_relay, address, index).await?);
        }
        let sockets = watch(self.game, sockets).await?;
        let mut audience = Audience::new(sockets, self.plies, is_relay);
        println!("{WATCHING}");
        for _ in 0..self.plies {
            audience.see().await?;
            println!("{SEEN}");
        }
        Ok(())
    }
}

/// Spectators in processes of their own, which end when this value is dropped.
pub(crate) struct Audiences {
    processes: Vec<(Child, Output)>,
}

impl Audiences {
    /// Starts them, and waits until all are watching.
    pub(crate) async fn start(
        game: Option<GameId>,
        count: u32,
        plies: u32,
        addresses: &[String],
    ) -> Result<Audiences, LoadError> {
        let start = async |first: u32| {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("spectators");
            if let Some(game) = game {
                command.args(["--game", game.as_str()]);
            }
            let numbers =
                [("--first", first), ("--count", PROCESS_MAX.min(count - first)), ("--plies", plies)];
            for (option, number) in numbers {
                command.arg(option).arg(number.to_string());
            }
            command.args(addresses);
            let (child, _, output) = spawn(command, WATCHING).await?;
            Ok::<_, LoadError>((child, output))
        };
        let started = (0..count).step_by(PROCESS_MAX as usize).map(start);
        Ok(Audiences { processes: try_join_all(started).await? })
    }

    /// Waits until everyone has seen the next ply.
    ///
    /// # Errors
    /// If a spectator does not see it in time.
    pub(crate) async fn see(&mut self) -> Result<(), LoadError> {
        for (_, output) in &mut self.processes {
            if output.next_line().await?.is_none_or(|line| line != SEEN) {
                return Err(LoadError::Answer("a spectator did not see a ply".to_owned()));
            }
        }
        Ok(())
    }
}
