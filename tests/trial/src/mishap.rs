//! The mishaps that happen during games. They are drawn from the seed in rounds, and each round
//! contains every kind.

use flagfall_board::Chance;
use std::time::Duration;

use crate::chance::{between, chance_for, once_in};
use crate::database::MASTERS;
use crate::proxy::{Way, Weather};
use crate::storage::Storage;

/// How long the store must be unavailable before all clients must have been told.
const LONG: Duration = Duration::from_millis(4_800);
/// The same for a part of the store.
const PART_LONG: Duration = Duration::from_millis(5_200);
/// How long the archive is out of reach. Servers look for games to archive every ten seconds.
const ARCHIVE_LONG: Duration = Duration::from_millis(10_500);
/// The length of the last period, whose data Redis loses.
pub(crate) const LOST_TAIL: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mishap {
    /// `kill -9` of one server.
    KillServer(usize),
    /// `kill -9` of half of the servers, rounded up, at once. At least one server is left.
    KillHalf,
    /// `kill -9` of all servers at once.
    KillAll,
    /// `kill -9` of Redis, or of this master of a cluster.
    KillRedis(Option<usize>),
    /// `kill -9` of Redis or of a master, which then loses its last second. If the servers are
    /// killed too, no process has the lost data.
    LoseTail {
        /// The master. `None` for all.
        part: Option<usize>,
        /// True if the servers are killed too.
        and_servers: bool,
    },
    /// A planned stop (SIGTERM) of one server. The others take over.
    StopServer(usize),
    /// SIGSTOP of one server.
    FreezeServer(usize),
    /// `kill -9` of a master of a cluster. Its replica takes over.
    Promote(usize),
    /// Half of the slots of a master are moved to another one.
    MoveSlots { from: usize, to: usize },
    /// SIGSTOP of Redis, or of this master of a cluster.
    FreezeRedis(Option<usize>),
    /// The connections between a server and Redis break. Without a number, the connections of all
    /// servers break.
    BreakLine(Option<usize>),
    /// The connections between a server and Redis get this weather.
    Line {
        /// The server. `None` for all.
        server: Option<usize>,
        /// The master of a cluster. `None` for all.
        part: Option<usize>,
        weather: Weather,
    },
    /// From this moment on, only this server's connection to Redis is slow.
    SlowLine(usize, Duration),
    /// The folder of the archive is moved away.
    ArchiveAway,
    /// Connections between players and a server break.
    BreakPlayers(usize),
    /// Connections between players and a server get this weather.
    Players(usize, Weather),
    /// A server's wall clock jumps by this many milliseconds, and jumps back after a while.
    JumpServer(usize, i64),
    /// Redis's wall clock jumps, and may jump back after a while.
    JumpRedis {
        /// The size of the jump, in milliseconds.
        by_ms: i64,
        is_undone: bool,
    },
}

impl Mishap {
    #[must_use]
    pub(crate) fn is_kill(self) -> bool {
        use Mishap::{KillAll, KillHalf, KillRedis, KillServer, LoseTail, Promote};
        matches!(self, KillServer(_) | KillHalf | KillAll | KillRedis(_) | LoseTail { .. } | Promote(_))
    }

    /// True if servers may afterwards need time to reconnect to Redis or to restore its data.
    #[must_use]
    pub(crate) fn is_of_redis(self) -> bool {
        use Mishap::{
            ArchiveAway, BreakLine, BreakPlayers, FreezeRedis, FreezeServer, JumpRedis, JumpServer, KillAll,
            KillHalf, KillRedis, KillServer, Line, LoseTail, MoveSlots, Players, Promote, SlowLine,
            StopServer,
        };
        match self {
            KillAll
            | KillRedis(_)
            | LoseTail { .. }
            | Promote(_)
            | MoveSlots { .. }
            | FreezeRedis(_)
            | BreakLine(_)
            | Line { .. }
            | JumpRedis { .. } => true,
            KillServer(_) | KillHalf | StopServer(_) | FreezeServer(_) | SlowLine(..) | ArchiveAway
            | BreakPlayers(_) | Players(..) | JumpServer(..) => false,
        }
    }

    /// True if the mishap needs a library that is loaded into servers or Redis.
    fn needs_preload(self, storage: Storage) -> bool {
        match self {
            Mishap::JumpServer(..) | Mishap::JumpRedis { .. } => true,
            Mishap::BreakLine(_) | Mishap::Line { .. } | Mishap::SlowLine(..) => {
                matches!(storage, Storage::Cluster { .. })
            }
            _ => false,
        }
    }

    /// The mishap's name in the report.
    #[must_use]
    pub(crate) fn words(self) -> &'static str {
        match self {
            Mishap::KillServer(_) => "kill -9: a server",
            Mishap::KillHalf => "kill -9: half of the servers",
            Mishap::KillAll => "kill -9: all servers",
            Mishap::KillRedis(None) => "kill -9: Redis",
            Mishap::KillRedis(Some(_)) => "kill -9: a master",
            Mishap::LoseTail { part: Some(_), .. } => "kill -9: a master, which loses its last second",
            Mishap::LoseTail { and_servers: false, .. } => "kill -9: Redis, which loses its last second",
            Mishap::LoseTail { .. } => "kill -9: Redis and all servers, the last second lost",
            Mishap::Promote(_) => "kill -9: a master, whose replica takes over",
            Mishap::MoveSlots { .. } => "slots moved to another master",
            Mishap::StopServer(_) => "SIGTERM: a server stopped as planned",
            Mishap::FreezeServer(_) => "SIGSTOP: a server",
            Mishap::FreezeRedis(None) => "SIGSTOP: Redis",
            Mishap::FreezeRedis(Some(_)) => "SIGSTOP: a master",
            Mishap::BreakLine(_) => "connections to Redis broken",
            Mishap::Line { part: Some(_), weather: Weather::Cut, .. } => "servers cut off from a master",
            Mishap::Line { part: Some(_), .. } => "connections to a master dead in one or both directions",
            Mishap::Line { weather: Weather::Cut, .. } => "servers cut off from Redis",
            Mishap::Line { .. } => "connections to Redis dead in one or both directions",
            Mishap::SlowLine(..) => "a slow connection to Redis",
            Mishap::ArchiveAway => "the archive out of reach",
            Mishap::BreakPlayers(_) => "players' connections broken",
            Mishap::Players(_, Weather::Slow(_)) => "slow connections to players",
            Mishap::Players(..) => "connections to players dead in one or both ways",
            Mishap::JumpServer(..) => "a server's clock jumped and returned",
            Mishap::JumpRedis { is_undone: true, .. } => "Redis's clock jumped and returned",
            Mishap::JumpRedis { is_undone: false, .. } => "Redis's clock jumped for good",
        }
    }
}

/// A mishap and how long it lasts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    /// The mishap.
    pub mishap: Mishap,
    /// The mishap's duration.
    pub span: Duration,
}

/// Plans this many kills, and between them all other mishaps that this storage allows.
#[must_use]
pub(crate) fn plan_mishaps(seed: u64, kills: usize, storage: Storage, has_preload: bool) -> Vec<Planned> {
    let mut chance = chance_for(seed, "mishaps", kills);
    if storage == Storage::Embedded {
        let span = |number: usize, chance: &mut Chance| {
            // In every second kill, Redis is down long enough to affect clocks.
            if number.is_multiple_of(2) { short(chance) } else { Duration::ZERO }
        };
        return (0..kills)
            .map(|number| Planned { mishap: Mishap::KillAll, span: span(number, &mut chance) })
            .collect();
    }
    let (mut planned, mut done) = (Vec::new(), 0);
    for number in 0_usize.. {
        if done >= kills {
            break;
        }
        let mut round = match storage {
            // A cluster begins with what can only happen to it.
            Storage::Cluster { servers } if number.is_multiple_of(2) => {
                cluster_round(servers.max(1), &mut chance)
            }
            _ => round(storage, &mut chance),
        };
        round.retain(|one| has_preload || !one.mishap.needs_preload(storage));
        shuffle(&mut round, &mut chance);
        for one in round {
            // Even if no more kills are needed, the last round contains all other mishaps.
            if !one.mishap.is_kill() || done < kills {
                done += usize::from(one.mishap.is_kill());
                planned.push(one);
            }
        }
    }
    planned
}

/// The mishaps of the rehearsal: servers are killed several times, and stay down long enough to
/// affect clocks.
#[must_use]
pub(crate) fn rehearsal(storage: Storage) -> Vec<Planned> {
    let between = match storage {
        Storage::Embedded => Mishap::KillAll,
        Storage::Redis { .. } | Storage::Cluster { .. } => Mishap::KillServer(0),
    };
    let planned = |mishap| Planned { mishap, span: Duration::from_millis(300) };
    vec![planned(Mishap::KillAll), planned(between), planned(Mishap::KillAll)]
}

/// The mishaps that expose a server's planted faults.
///
/// Answers come late or never, so that clients send commands again to another server. Redis is
/// unavailable while moves are made. In a cluster, slots move.
#[must_use]
pub(crate) fn for_planted_servers(storage: Storage) -> Vec<Planned> {
    let planned = |mishap, span_ms| Planned { mishap, span: Duration::from_millis(span_ms) };
    if let Storage::Cluster { .. } = storage {
        let slots = |from| planned(Mishap::MoveSlots { from, to: (from + 1) % MASTERS }, 0);
        let others = [planned(Mishap::BreakPlayers(0), 0), planned(Mishap::KillServer(1), 200)];
        let rounds = others.into_iter().flat_map(|other| [slots(0), slots(1), other, slots(2), slots(0)]);
        return rounds.chain([slots(1), slots(2)]).collect();
    }
    let mut planned: Vec<Planned> = vec![
        planned(Mishap::SlowLine(0, Duration::from_millis(150)), 0),
        planned(Mishap::BreakPlayers(0), 0),
        planned(Mishap::KillRedis(None), 600),
        planned(Mishap::BreakPlayers(0), 200),
        planned(Mishap::Line { server: None, part: None, weather: Weather::Cut }, 600),
        planned(Mishap::BreakPlayers(1), 200),
        planned(Mishap::KillServer(1), 200),
    ];
    planned.extend(planned.clone());
    planned
}

/// Returns a round of what can happen only to a cluster, together with kills of servers.
fn cluster_round(servers: usize, chance: &mut Chance) -> Vec<Planned> {
    let mut round = Vec::new();
    let mut add = |mishap: Mishap, span: Duration| round.push(Planned { mishap, span });
    let server = chance.below(servers);
    let first = chance.below(MASTERS);
    let master = |number: usize| (first + number) % MASTERS;
    add(Mishap::KillServer(server), short(chance));
    add(Mishap::KillAll, short(chance));
    // A master that was started again serves its slots after two seconds, so this is an outage.
    add(Mishap::KillRedis(Some(master(0))), ms(between(chance, 1_000, 3_000)));
    add(Mishap::LoseTail { part: Some(master(1)), and_servers: false }, short(chance));
    add(Mishap::Promote(master(2)), short(chance));
    add(Mishap::FreezeRedis(Some(master(1))), ms(between(chance, 500, 4_000)));
    for number in 0..2 {
        add(Mishap::MoveSlots { from: master(number), to: master(number + 1) }, Duration::ZERO);
    }
    let weather = if once_in(chance, 2) { Weather::Cut } else { held(chance) };
    add(Mishap::Line { server: None, part: Some(master(0)), weather }, PART_LONG);
    let weather = if once_in(chance, 2) { Weather::Cut } else { held(chance) };
    add(Mishap::Line { server: Some(server), part: Some(master(2)), weather }, short(chance));
    add(Mishap::BreakLine(Some(server)), Duration::ZERO);
    if servers > 1 {
        add(Mishap::StopServer(chance.below(servers)), short(chance));
    }
    add(Mishap::ArchiveAway, ARCHIVE_LONG);
    round
}

/// Returns a round with all kinds of mishaps, in random order.
fn round(storage: Storage, chance: &mut Chance) -> Vec<Planned> {
    let servers = storage.servers();
    let mut round = Vec::new();
    let mut add = |mishap: Mishap, span: Duration| round.push(Planned { mishap, span });
    let server = |chance: &mut Chance| chance.below(servers);
    // The first of these servers is restarted at once, before other processes can notice the
    // kill.
    for number in 0..4 {
        add(Mishap::KillServer(number % servers), if number == 0 { Duration::ZERO } else { short(chance) });
    }
    if servers > 1 {
        add(Mishap::KillHalf, short(chance));
        add(Mishap::StopServer(server(chance)), short(chance));
    }
    add(Mishap::ArchiveAway, ARCHIVE_LONG);
    add(Mishap::KillAll, short(chance));
    add(Mishap::KillRedis(None), short(chance));
    add(Mishap::LoseTail { part: None, and_servers: false }, short(chance));
    add(Mishap::LoseTail { part: None, and_servers: true }, short(chance));
    add(Mishap::FreezeServer(server(chance)), short(chance));
    add(Mishap::FreezeRedis(None), short(chance));
    add(Mishap::BreakLine(once_in(chance, 2).then(|| server(chance))), Duration::ZERO);
    let line = |server, weather| Mishap::Line { server, part: None, weather };
    add(line(Some(server(chance)), Weather::Cut), LONG);
    let one_held = held(chance);
    add(line(Some(server(chance)), one_held), LONG);
    let all = if once_in(chance, 2) { Weather::Cut } else { held(chance) };
    add(line(None, all), if once_in(chance, 2) { LONG } else { short(chance) });
    add(Mishap::SlowLine(server(chance), ms(between(chance, 5, 60))), Duration::ZERO);
    add(Mishap::BreakPlayers(server(chance)), Duration::ZERO);
    let players = if once_in(chance, 2) { held(chance) } else { Weather::Slow(ms(between(chance, 5, 120))) };
    add(Mishap::Players(server(chance), players), ms(between(chance, 500, 2_000)));
    add(Mishap::JumpServer(server(chance), minutes(chance)), ms(between(chance, 200, 1_500)));
    if let Storage::Cluster { .. } = storage {
        // The nodes of a cluster judge each other by the wall clock.
        return round;
    }
    let (by_ms, is_undone) = match chance.below(3) {
        0 => (minutes(chance).abs(), false),
        1 => (-(between(chance, 1_000, 4_000) as i64), false),
        _ => (-minutes(chance).abs(), true),
    };
    add(Mishap::JumpRedis { by_ms, is_undone }, ms(between(chance, 200, 4_000)));
    round
}

fn held(chance: &mut Chance) -> Weather {
    let way = [Way::Up, Way::Down, Way::Both][chance.below(3)];
    Weather::Held { way, arrives: once_in(chance, 2) }
}

fn ms(count: usize) -> Duration {
    Duration::from_millis(count as u64)
}

/// Returns a time that is too short to count as an outage.
fn short(chance: &mut Chance) -> Duration {
    ms(between(chance, 200, 900))
}

/// Returns a jump of some minutes forward or back, in milliseconds.
fn minutes(chance: &mut Chance) -> i64 {
    let far = between(chance, 60_000, 600_000) as i64;
    if once_in(chance, 2) { far } else { -far }
}

fn shuffle<T>(list: &mut [T], chance: &mut Chance) {
    for at in (1..list.len()).rev() {
        list.swap(at, chance.below(at + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_plans_the_same_and_a_round_has_everything() {
        for (storage, kinds) in [(Storage::Redis { servers: 3 }, 20), (Storage::Cluster { servers: 3 }, 25)] {
            let plan = |seed| plan_mishaps(seed, 8, storage, true).into_iter().map(|one| one.mishap.words());
            assert!(plan(7).eq(plan(7)) && !plan(7).eq(plan(8)));
            let long = plan_mishaps(7, 200, storage, true);
            assert_eq!(long.iter().filter(|one| one.mishap.is_kill()).count(), 200);
            let words: std::collections::BTreeSet<&str> = long.iter().map(|one| one.mishap.words()).collect();
            assert_eq!(words.len(), kinds, "{words:?}");
            let without = plan_mishaps(7, 200, storage, false);
            assert!(without.iter().all(|one| !one.mishap.needs_preload(storage)));
        }
    }
}
