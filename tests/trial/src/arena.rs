//! Plays the games of a run: many at once, on servers that are killed from time to time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::{Chance, GameId, Side};
use flagfall_protocol::{Accepted, ClientToServer, CommandId};
use tokio::sync::{RwLock, Semaphore, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, interval};

use crate::chance::{between, chance_for, once_in};
use crate::client::{Client, LineCounts};
use crate::error::TrialError;
use crate::http;
use crate::log::{GameLog, Role, TextPool};
use crate::mishap::Planned;
use crate::plan::{GamePlan, Options};
use crate::player::{Player, Progress, watch};
use crate::site::{History, Site};

const TELL_EVERY: Duration = Duration::from_secs(5);

/// The games of a run, as their clients observed them.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The games that ended.
    pub games: Vec<GameLog>,
    /// Why other games did not end.
    pub given_up: Vec<String>,
    /// What the servers have left unfinished in Redis, although all games are over.
    pub unfinished: Vec<String>,
    /// The mishaps of the run.
    pub history: History,
    /// Counts of the events on the connections.
    pub lines: LineCounts,
}

/// How mishaps are distributed over the moves of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spread {
    /// Mishaps happen at random moments. Sometimes one follows immediately after another.
    Drawn,
    /// Mishaps are spread evenly, so that each one happens while games are in progress.
    Even,
}

struct Played {
    log: GameLog,
    lines: LineCounts,
    tokens: [Option<String>; 2],
}

/// Plays the games while mishaps happen. At the end, reads the records from new processes.
///
/// # Errors
/// Any [`TrialError`] that stops the run.
pub(crate) async fn play_all(
    site: &mut Site,
    options: &Options,
    plans: Vec<GamePlan>,
    (mishaps, spread): (Vec<Planned>, Spread),
    mut tell: impl FnMut(String),
) -> Result<Run, TrialError> {
    let progress = Arc::new(Progress { gate: site.gate.clone(), ..Progress::default() });
    let room = Arc::new(Semaphore::new(options.concurrency.max(1)));
    let total = plans.len();
    let mut pace = Pace::new(plans.iter().map(moves_at_least).sum(), mishaps.len(), spread, options.seed);
    let mut tasks: JoinSet<Result<Played, TrialError>> = JoinSet::new();
    for plan in plans {
        let (room, progress, spectators) = (room.clone(), progress.clone(), options.spectators);
        let servers = Servers { doors: site.doors(), addresses: site.addresses() };
        tasks.spawn(async move {
            let _place = room.acquire().await.map_err(|error| TrialError::Defect(error.to_string()))?;
            Box::pin(play_one(plan, spectators, servers, progress)).await
        });
    }
    let mut mishaps = mishaps.into_iter().peekable();
    let (mut run, mut played) = (Run::default(), Vec::new());
    site.history = History::default();
    let deadline = Instant::now() + options.patience.run;
    let mut active = (0, Instant::now());
    let mut clock = interval(TELL_EVERY);
    let mut told_at = Instant::now();
    while played.len() + run.given_up.len() < total {
        let acked = progress.acked.load(Ordering::Relaxed);
        if acked > active.0 {
            active = (acked, Instant::now());
        }
        if told_at.elapsed() >= TELL_EVERY {
            told_at = Instant::now();
            let others = progress.others.load(Ordering::Relaxed);
            tell(pace.words(played.len(), total, acked, others, &site.history));
        }
        let is_calm = mishaps.peek().is_none();
        progress.is_calm.store(is_calm, Ordering::Relaxed);
        progress.is_in_haste.store(is_calm || pace.is_behind(acked), Ordering::Relaxed);
        if let Some(ended) = tasks.try_join_next() {
            take_in(ended, &mut played, &mut run.given_up, &mut tell)?;
            continue;
        }
        if acked >= pace.next
            && let Some(planned) = mishaps.next()
        {
            site.undergo(planned).await?;
            active.1 = Instant::now();
            pace.go_on(progress.acked.load(Ordering::Relaxed));
            if mishaps.peek().is_none() {
                // Some connections may still be slow, so make all connections normal for the
                // remaining moves.
                site.clear_up();
            }
            continue;
        }
        tokio::select! {
            () = progress.moved.notified(), if mishaps.peek().is_some() => {}
            ended = tasks.join_next() => match ended {
                Some(ended) => take_in(ended, &mut played, &mut run.given_up, &mut tell)?,
                None => break,
            },
            _ = clock.tick() => {}
            () = tokio::time::sleep_until(deadline.min(active.1 + options.patience.stall)) => {
                if Instant::now() < deadline && progress.acked.load(Ordering::Relaxed) > active.0 {
                    continue;
                }
                // Games that hang are counted separately from those that ended.
                let hung = total - played.len() - run.given_up.len();
                run.given_up.extend((0..hung).map(|_| "a game did not end in time".to_owned()));
            }
        }
    }
    tasks.abort_all();
    site.clear_up();
    run.history = std::mem::take(&mut site.history);
    run.history.elsewhere_max_ms = options.elsewhere_max_ms;
    run.history.told_max_ms = options.told_max_ms;
    let games = played.iter().filter_map(|one| one.log.game.parse().ok()).collect();
    let archived = site.archived(&games, options.patience.archive).await?;
    for log in played.iter_mut().map(|one| &mut one.log) {
        log.is_archived = log.game.parse().is_ok_and(|game| archived.contains(&game));
    }
    if run.history.kills > 0 {
        // Read the records from processes that did not serve any of the games.
        site.kill_all(Duration::ZERO).await?;
    }
    let started = Instant::now();
    read_records(site, &mut run, played).await?;
    tell(format!("all games over; records read in {:.1} s", started.elapsed().as_secs_f64()));
    if run.given_up.is_empty() {
        let games = run.games.iter().map(|log| log.game.as_str()).collect();
        run.unfinished = site.unfinished(&games, options.patience.completion).await?;
    }
    Ok(run)
}

/// Adds a game that ended. If a client gave up, records the reason and counts the game as not
/// ended.
fn take_in(
    ended: Result<Result<Played, TrialError>, JoinError>,
    played: &mut Vec<Played>,
    given_up: &mut Vec<String>,
    tell: &mut impl FnMut(String),
) -> Result<(), TrialError> {
    match ended {
        Ok(Ok(one)) => played.push(one),
        Ok(Err(error @ TrialError::Client { .. })) => {
            tell(error.to_string());
            given_up.push(error.to_string());
        }
        Ok(Err(error)) => return Err(error),
        Err(error) => return Err(TrialError::Defect(error.to_string())),
    }
    Ok(())
}

/// Determines the number of acknowledged moves after which the next mishap happens.
///
/// The remaining mishaps are spread over the moves that are still expected.
struct Pace {
    chance: Chance,
    spread: Spread,
    expected: u64,
    mishaps: u64,
    left: u64,
    next: u64,
    started: Instant,
}

impl Pace {
    fn new(expected: u64, mishaps: usize, spread: Spread, seed: u64) -> Pace {
        let chance = chance_for(seed, "pace", mishaps);
        let mishaps = mishaps as u64;
        let (left, started) = (mishaps, Instant::now());
        let mut pace = Pace { chance, spread, expected, mishaps, left, next: 0, started };
        pace.go_on(0);
        pace
    }

    fn go_on(&mut self, acked: u64) {
        let step = self.expected.saturating_sub(acked) / (self.left + 1);
        self.left = self.left.saturating_sub(1);
        if self.spread == Spread::Even {
            self.next = acked + step;
            return;
        }
        // Sometimes the next mishap follows immediately.
        let is_at_once = once_in(&mut self.chance, 5);
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        let pause = if is_at_once { 0 } else { between(&mut self.chance, step / 4, step) };
        self.next = acked + pause as u64;
    }

    /// True if the games are behind the mishaps: a larger share of the mishaps has happened than
    /// of the expected moves. Players then move without thinking.
    fn is_behind(&self, acked: u64) -> bool {
        acked * self.mishaps < self.expected * (self.mishaps - self.left)
    }

    fn words(&self, ended: usize, total: usize, acked: u64, others: u64, history: &History) -> String {
        let mishaps: usize = history.counts.values().sum();
        let of_moves = acked as f64 / self.expected.max(1) as f64;
        let of_mishaps = mishaps as f64 / self.mishaps.max(1) as f64;
        let share = of_moves.min(of_mishaps).min(1.0);
        let left_s = self.started.elapsed().as_secs_f64() * (1.0 - share) / share.max(0.001);
        let left = if share < 0.02 {
            "too early for an estimate".to_owned()
        } else {
            format!("about {:.0} min {:02.0} s to go", (left_s / 60.0).floor(), left_s % 60.0)
        };
        format!(
            "{ended} of {total} games over, {mishaps} mishaps, {} kills among them, {acked} moves and {others} other commands acknowledged, {left}",
            history.kills
        )
    }
}

async fn read_records(site: &Site, run: &mut Run, mut played: Vec<Played>) -> Result<(), TrialError> {
    played.sort_by_key(|one| one.log.plan.number);
    let addresses = site.addresses().borrow().clone();
    let address = *addresses.first().ok_or_else(|| TrialError::Defect("no server".to_owned()))?;
    for Played { mut log, lines, tokens: [red, blue] } in played {
        for (record, token) in log.records.iter_mut().zip([red, blue, None]) {
            match http::record(address, &log.game, token.as_deref()).await {
                Ok(text) => *record = text,
                // If this text is not a record, the checker will count a fault.
                Err(error) => *record = error.to_string(),
            }
        }
        run.lines.drops += lines.drops;
        run.lines.breaks += lines.breaks;
        run.lines.resends += lines.resends;
        run.games.push(log);
    }
    Ok(())
}

/// Returns a low estimate of the number of moves in a game, for spreading the mishaps.
fn moves_at_least(plan: &GamePlan) -> u64 {
    let most = plan.resign.map_or(60, |(after, _)| u64::from(after));
    if plan.terms.ruleset == "barrage" { most.min(40) } else { most }
}

/// The addresses of the servers.
struct Servers {
    /// The addresses for players.
    doors: watch::Receiver<Vec<SocketAddr>>,
    /// The addresses for other clients.
    addresses: watch::Receiver<Vec<SocketAddr>>,
}

async fn play_one(
    plan: GamePlan,
    spectators: usize,
    servers: Servers,
    progress: Arc<Progress>,
) -> Result<Played, TrialError> {
    let pool = Arc::new(TextPool::default());
    let make = |role: Role, number: usize| {
        let name = format!("t{}-{number}-{:04x}", plan.number, plan.seed & 0xffff);
        let at = if number < 2 { &servers.doors } else { &servers.addresses };
        Client::new(name, role, at.clone(), pool.clone(), chance_for(plan.seed, "client", number))
    };
    let (mut red, mut blue) = (make(Role::Red, 0), make(Role::Blue, 1));
    let open = progress.gate.read().await;
    let game = arrange(&plan, &mut red, &mut blue).await?;
    drop(open);
    let mut watching: JoinSet<(Client, Result<(), TrialError>)> = JoinSet::new();
    for number in 0..spectators {
        // Start each spectator separately. A spectator that waited for the others would not read
        // its messages.
        let (mut client, gate) = (make(Role::Spectator(number), number + 2), progress.gate.clone());
        watching.spawn(async move {
            let result = sign_up_and_watch(&mut client, game, &gate).await;
            (client, result)
        });
    }
    let of_red = Player::new(&mut red, &plan, Side::Red, game, progress.clone()).play();
    let of_blue = Player::new(&mut blue, &plan, Side::Blue, game, progress).play();
    tokio::try_join!(Box::pin(of_red), Box::pin(of_blue))?;
    let tokens = [red.token.clone(), blue.token.clone()];
    let mut clients = vec![red, blue];
    while let Some(watched) = watching.join_next().await {
        let (client, result) = watched.map_err(|error| TrialError::Defect(error.to_string()))?;
        result?;
        clients.push(client);
    }
    let mut lines = LineCounts::default();
    for Client { counts, .. } in &clients {
        lines.drops += counts.drops;
        lines.breaks += counts.breaks;
        lines.resends += counts.resends;
    }
    let log = GameLog {
        plan,
        game: game.as_str().to_owned(),
        clients: clients.into_iter().map(|client| client.log).collect(),
        is_archived: false,
        records: Default::default(),
    };
    Ok(Played { log, lines, tokens })
}

async fn sign_up_and_watch(client: &mut Client, game: GameId, gate: &RwLock<()>) -> Result<(), TrialError> {
    let open = gate.read().await;
    client.connect().await?;
    drop(open);
    watch(client, game).await
}

/// Creates the game: Red challenges by link, Blue accepts.
///
/// # Errors
/// [`TrialError::Client`] if the server refuses.
pub(crate) async fn arrange(
    plan: &GamePlan,
    red: &mut Client,
    blue: &mut Client,
) -> Result<GameId, TrialError> {
    let id = |what: &str| {
        format!("{what}-{}", plan.number)
            .parse::<CommandId>()
            .map_err(|error| TrialError::Defect(error.to_string()))
    };
    let challenge = ClientToServer::Challenge {
        cmd_id: id("challenge")?,
        terms: plan.terms.clone(),
        side: Some(Side::Red),
    };
    let Accepted::Challenge { challenge, .. } = red.ask(&challenge).await? else {
        return Err(red.error("-", "expected the answer to a challenge, got something else"));
    };
    let accept =
        ClientToServer::AcceptChallenge { cmd_id: id("accept")?, challenge, secret: plan.is_blue_secret };
    let accepted = tokio::select! {
        accepted = blue.ask(&accept) => accepted?,
        never = red.listen() => match never {},
    };
    match accepted {
        Accepted::Started { game, side: Side::Blue } => Ok(game),
        other => Err(blue.error("-", format!("expected the game to start with Blue, got: {other:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_steps_leave_as_many_moves_before_the_first_mishap_as_after_the_last() {
        for seed in 0..20 {
            let mut pace = Pace::new(320, 3, Spread::Even, seed);
            let mut due = Vec::new();
            for _ in 0..3 {
                due.push(pace.next);
                pace.go_on(pace.next);
            }
            assert_eq!(due, [80, 160, 240]);
        }
    }
}
