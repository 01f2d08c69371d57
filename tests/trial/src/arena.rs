//! The run itself: many games at once over servers that are killed now and then.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{Accepted, ClientToServer, CommandId};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

use crate::chance::{between, chance_for, once_in};
use crate::client::{Client, LineCounts};
use crate::error::TrialError;
use crate::http;
use crate::log::{GameLog, Outage, Role, TextPool};
use crate::plan::{GamePlan, Options};
use crate::player::{Player, Progress, watch};
use crate::site::{Kills, Site};

const TELL_EVERY: Duration = Duration::from_secs(5);

/// A run's games, as their clients saw them.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// The games that ended.
    pub games: Vec<GameLog>,
    /// The times without a server.
    pub outages: Vec<Outage>,
    /// How often what was killed.
    pub kills: Kills,
    /// What happened on the lines.
    pub lines: LineCounts,
}

struct Played {
    log: GameLog,
    lines: LineCounts,
    tokens: [Option<String>; 2],
}

/// Plays the games, kills servers and what they store in meanwhile, and reads the records when all is over, from new processes.
///
/// # Errors
/// [`TrialError`] of whatever could not go on.
pub(crate) async fn play_all(
    site: &mut Site,
    options: &Options,
    plans: Vec<GamePlan>,
    kills: usize,
    mut tell: impl FnMut(String),
) -> Result<Run, TrialError> {
    let progress = Arc::new(Progress::default());
    let room = Arc::new(Semaphore::new(options.concurrency.max(1)));
    let total = plans.len();
    let expected: usize = plans.iter().map(moves_at_least).sum();
    let mut tasks: JoinSet<Result<Played, TrialError>> = JoinSet::new();
    for plan in plans {
        let (room, progress, addresses) = (room.clone(), progress.clone(), site.addresses());
        let spectators = options.spectators;
        tasks.spawn(async move {
            let _place = room.acquire().await.map_err(|error| TrialError::Defect(error.to_string()))?;
            Box::pin(play_one(plan, spectators, addresses, progress)).await
        });
    }
    let mut chance = chance_for(options.seed, "kills", kills);
    let step = expected / (kills + 1);
    let mut next_kill = between(&mut chance, step / 4, step) as u64;
    let (mut run, mut played) = (Run::default(), Vec::new());
    site.kills = Kills::default();
    let deadline = Instant::now() + options.run_max;
    let mut clock = interval(TELL_EVERY);
    while played.len() < total {
        let acked = progress.acked.load(Ordering::Relaxed);
        let done = site.kills.count();
        if done < kills && acked >= next_kill {
            // Every other time it is gone long enough for clocks to show it.
            let down = if done.is_multiple_of(2) { between(&mut chance, 200, 600) } else { 0 };
            run.outages.extend(site.kill_and_restart(Duration::from_millis(down as u64)).await?);
            // Now and then the next one is killed before it has done anything.
            let pause = if once_in(&mut chance, 5) { 0 } else { between(&mut chance, step / 4, step) };
            next_kill = progress.acked.load(Ordering::Relaxed) + pause as u64;
            continue;
        }
        tokio::select! {
            () = progress.moved.notified(), if done < kills => {}
            ended = tasks.join_next() => match ended {
                Some(Ok(result)) => {
                    played.push(result?);
                    progress.ended.fetch_add(1, Ordering::Relaxed);
                }
                Some(Err(error)) => return Err(TrialError::Defect(error.to_string())),
                None => break,
            },
            _ = clock.tick() => tell(format!(
                "{} of {total} games ended, {acked} moves acknowledged, {done} kills", played.len(),
            )),
            () = tokio::time::sleep_until(deadline) => {
                return Err(TrialError::TooSlow(format!("{} of {total} games ended", played.len())));
            }
        }
    }
    if kills > 0 {
        // What the records say is read from a process that saw none of it.
        let last = site.kill_all_and_restart(Duration::ZERO).await?;
        tell(format!(
            "all games ended; the last new processes were up after {} ms",
            last.up_at - last.spawned_at
        ));
    }
    played.sort_by_key(|one| one.log.plan.number);
    run.kills = site.kills;
    let addresses = site.addresses().borrow().clone();
    let address = *addresses.first().ok_or_else(|| TrialError::Defect("no server".to_owned()))?;
    for Played { mut log, lines, tokens: [red, blue] } in played {
        for (record, token) in log.records.iter_mut().zip([red, blue, None]) {
            *record = http::record(address, &log.game, token.as_deref()).await?;
        }
        run.lines.drops += lines.drops;
        run.lines.breaks += lines.breaks;
        run.lines.resends += lines.resends;
        run.games.push(log);
    }
    Ok(run)
}

/// Moves a game surely has, or nearly: kills are spread over them.
fn moves_at_least(plan: &GamePlan) -> usize {
    let most = plan.resign.map_or(60, |(after, _)| usize::from(after));
    if plan.terms.ruleset == "barrage" { most.min(40) } else { most }
}

async fn play_one(
    plan: GamePlan,
    spectators: usize,
    addresses: watch::Receiver<Vec<SocketAddr>>,
    progress: Arc<Progress>,
) -> Result<Played, TrialError> {
    let pool = Arc::new(TextPool::default());
    let make = |role: Role, number: usize| {
        let name = format!("t{}-{number}-{:04x}", plan.number, plan.seed & 0xffff);
        Client::new(name, role, addresses.clone(), pool.clone(), chance_for(plan.seed, "client", number))
    };
    let (mut red, mut blue) = (make(Role::Red, 0), make(Role::Blue, 1));
    let game = arrange(&plan, &mut red, &mut blue).await?;
    let mut watching: JoinSet<(Client, Result<(), TrialError>)> = JoinSet::new();
    for number in 0..spectators {
        let mut client = make(Role::Spectator(number), number + 2);
        watching.spawn(async move {
            let result = watch(&mut client, game).await;
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
        records: Default::default(),
    };
    Ok(Played { log, lines, tokens })
}

/// Makes the game: Red challenges by link, Blue accepts.
///
/// # Errors
/// [`TrialError::Client`] when the server refuses.
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
        return Err(red.error("-", "a challenge was asked for, and something else came"));
    };
    let accept =
        ClientToServer::AcceptChallenge { cmd_id: id("accept")?, challenge, secret: plan.is_blue_secret };
    match blue.ask(&accept).await? {
        Accepted::Started { game, side: Side::Blue } => Ok(game),
        other => Err(blue.error("-", format!("the game should have started with Blue, but: {other:?}"))),
    }
}
