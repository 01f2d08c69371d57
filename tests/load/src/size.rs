//! Measures the cost of connections, spectators and games: memory, processor time per delivered
//! view, and disk.

use std::path::Path;

use crate::audience::{Audience, GUESTS_FROM, deliver, onlooker, watch};
use crate::duel::{ACKNOWLEDGEMENT_BYTES, UPDATE_BYTES, pair_of_relay, pair_of_server};
use crate::error::LoadError;
use crate::figure::{Figure, Target};
use crate::stand::{Bench, Rival, Stand};

/// The number of connections or games opened before anything is measured, so that the one-time
/// costs of a process do not count.
const WARM_UP: u32 = 64;
/// The number of plies in each game that is played before anything is measured.
const WARM_UP_PLIES: u32 = 20;

/// The highest acceptable processor time of a view to a spectator, compared with the relay.
const VIEW_MOST: f64 = 0.7;
/// The highest acceptable growth of the data folder, in bytes per move.
const GROWTH_MOST: f64 = 110.0;

/// How much to measure.
#[derive(Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) connections: u32,
    pub(crate) spectators: u32,
    pub(crate) games: u32,
    /// Moves of each side.
    pub(crate) moves: u32,
}

/// Takes all measurements in turn and prints them.
///
/// # Errors
/// [`LoadError`] if a client gets an unexpected answer.
pub(crate) async fn run(plan: Plan, bench: &Bench) -> Result<Vec<Figure>, LoadError> {
    let mut figures = Vec::new();
    let mut note = |figure: Figure| {
        figure.print();
        figures.push(figure);
    };
    let mut relay_view = 0.0;
    for rival in [Rival::Relay, Rival::Memory] {
        let crowd = Crowd::measure(rival, plan, bench).await?;
        let name = rival.name();
        note(Figure::of(format!("an idle connection, {name}"), crowd.connection_bytes / 1024.0, "KiB"));
        note(Figure::of(format!("a spectator beyond it, {name}"), crowd.spectator_bytes, "B"));
        note(Figure::of(format!("a view to a spectator, {name}"), crowd.view_us, "µs"));
        note(Figure::of(format!("99 % to the last spectator, {name}"), crowd.last_ms, "ms"));
        match rival {
            Rival::Relay => relay_view = crowd.view_us,
            _ => {
                let view = format!("a view to a spectator, {name}, to the relay's");
                note(Figure::ratio(view, crowd.view_us / relay_view).with_target(Target::AtMost(VIEW_MOST)));
            }
        }
    }
    for rival in Rival::SERVERS {
        let games = Games::measure(rival, plan, bench).await?;
        let (name, plies) = (rival.name(), plan.moves * 2);
        note(Figure::of(
            format!("a game with its players, after {WARM_UP} others, {name}"),
            games.begun_bytes / 1024.0,
            "KiB",
        ));
        note(Figure::of(format!("the same after {plies} plies, {name}"), games.played_bytes / 1024.0, "KiB"));
        if rival != Rival::Memory {
            note(Figure::of(format!("disk a game, {name}"), games.disk_bytes / 1024.0, "KiB"));
        }
        if let Some(bytes) = games.redis_bytes {
            note(Figure::of("Redis's memory a game", bytes / 1024.0, "KiB"));
        }
    }
    let growth = growth_bytes(plan, bench).await?;
    note(
        Figure::of("growth of the data folder a move", growth, "B").with_target(Target::AtMost(GROWTH_MOST)),
    );
    Ok(figures)
}

struct Crowd {
    connection_bytes: f64,
    spectator_bytes: f64,
    view_us: f64,
    last_ms: f64,
}

impl Crowd {
    async fn measure(rival: Rival, plan: Plan, bench: &Bench) -> Result<Crowd, LoadError> {
        let stand = Stand::start(rival, bench, [UPDATE_BYTES, ACKNOWLEDGEMENT_BYTES]).await?;
        let address = &stand.server.address;
        let mut warm = Vec::new();
        for index in 0..WARM_UP {
            warm.push(onlooker(rival == Rival::Relay, address, index).await?);
        }
        let empty = stand.server.memory_bytes()?;
        let mut idle = Vec::new();
        for index in WARM_UP..WARM_UP + plan.connections {
            idle.push(onlooker(rival == Rival::Relay, address, index).await?);
        }
        let connected = stand.server.memory_bytes()?;
        let pair = match rival {
            Rival::Relay => pair_of_relay(address, 0).await?,
            _ => pair_of_server(address, 0, false).await?,
        };
        let spectators = idle.drain(..idle.len().min(plan.spectators as usize));
        let spectators = watch(pair.game, spectators.collect()).await?;
        let watched = stand.server.memory_bytes()?;
        let count = spectators.len();
        let before = stand.server.cpu_seconds()?;
        let plies = plan.moves * 2;
        let mut audience = Audience::new(spectators, plies, pair.game.is_none());
        let latencies = deliver(vec![pair], plies, async || audience.see().await).await?;
        let cpu = stand.server.cpu_seconds()? - before;
        let views = f64::from(plies) * (count as f64 + 2.0);
        Ok(Crowd {
            connection_bytes: (connected - empty) / f64::from(plan.connections),
            spectator_bytes: (watched - connected) / count as f64,
            view_us: cpu * 1e6 / views,
            last_ms: percentile_99(&latencies),
        })
    }
}

/// The 99th percentile of sorted values.
pub(crate) fn percentile_99(sorted: &[f64]) -> f64 {
    sorted.get(sorted.len() * 99 / 100).copied().unwrap_or(0.0)
}

/// The cost of games, including their players' connections, but without what a process needs
/// once.
struct Games {
    begun_bytes: f64,
    played_bytes: f64,
    disk_bytes: f64,
    redis_bytes: Option<f64>,
}

impl Games {
    async fn measure(rival: Rival, plan: Plan, bench: &Bench) -> Result<Games, LoadError> {
        let stand = Stand::start(rival, bench, [UPDATE_BYTES, ACKNOWLEDGEMENT_BYTES]).await?;
        let mut warm = Vec::new();
        for index in GUESTS_FROM..GUESTS_FROM + WARM_UP {
            let mut pair = pair_of_server(&stand.server.address, index, true).await?;
            for turn in 0..WARM_UP_PLIES {
                pair.play(turn).await?;
            }
            warm.push(pair);
        }
        let each = |bytes: f64| bytes / f64::from(plan.games);
        let redis = |stand: &Stand| stand.redis.as_ref().map(|redis| redis.memory_bytes()).transpose();
        let (empty, empty_disk, empty_redis) =
            (stand.server.memory_bytes()?, disk_bytes(stand.folder.path())?, redis(&stand)?);
        let mut pairs = Vec::new();
        for index in 0..plan.games {
            pairs.push(pair_of_server(&stand.server.address, index, true).await?);
        }
        let begun = stand.server.memory_bytes()?;
        for turn in 0..plan.moves * 2 {
            for pair in &mut pairs {
                pair.play(turn).await?;
            }
        }
        Ok(Games {
            begun_bytes: each(begun - empty),
            played_bytes: each(stand.server.memory_bytes()? - empty),
            disk_bytes: each(disk_bytes(stand.folder.path())? - empty_disk),
            redis_bytes: redis(&stand)?.zip(empty_redis).map(|(after, before)| each(after - before)),
        })
    }
}

/// Measures how many bytes per move the data folder grows, after a planned stop. Compares a
/// server that has these games with a server that has the same games without moves.
async fn growth_bytes(plan: Plan, bench: &Bench) -> Result<f64, LoadError> {
    let mut folders = [0.0; 2];
    for (moves, bytes) in [0, plan.moves].into_iter().zip(&mut folders) {
        let Stand { server, folder, redis: _ } = Stand::start(Rival::Embedded, bench, [0, 0]).await?;
        let mut pairs = Vec::new();
        for index in 0..plan.games {
            pairs.push(pair_of_server(&server.address, index, true).await?);
        }
        for turn in 0..moves * 2 {
            for pair in &mut pairs {
                pair.play(turn).await?;
            }
        }
        server.stop().await?;
        *bytes = disk_bytes(folder.path())?;
    }
    let [without, with] = folders;
    Ok((with - without) / f64::from(plan.games * plan.moves * 2))
}

/// Bytes that the files in a folder take up on the disk.
fn disk_bytes(folder: &Path) -> std::io::Result<f64> {
    use std::os::unix::fs::MetadataExt as _;
    let mut bytes = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // A file may have disappeared since it was listed, because the store deletes old files.
        let Ok(metadata) = entry.metadata() else { continue };
        bytes +=
            if metadata.is_dir() { disk_bytes(&entry.path())? } else { metadata.blocks() as f64 * 512.0 };
    }
    Ok(bytes)
}
