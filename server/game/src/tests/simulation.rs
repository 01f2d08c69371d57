//! A simulation of three servers on one store, with a network that loses, delays and reorders
//! messages. The seed is printed, and everything depends on it.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use flagfall_board::{Chance, GameId, PerSide, Ply, Side, Stamp};
use flagfall_protocol::{Accepted, Code, GameCommand, ServerToClient, Time};
use flagfall_rules::{Viewer, see};
use flagfall_store::{Append, AppendOutcome, Store as _, StoreError};
use flagfall_store_testing::WriteFault;

use super::harness::{Client, Hand, deploy, header, now};
use crate::error::TableError;
use crate::replay;
use crate::table::{Health, Input, Output};
use flagfall_base::cluster::Elsewhere;

/// A command, and the answer that it got.
struct Asking {
    side: Side,
    ply: Ply,
    command: GameCommand,
    /// The sequence number with which the command was accepted.
    accepted: Option<u64>,
}

/// Number of servers.
const SERVERS: usize = 3;

/// A message in transit.
enum Carried {
    /// A client's command to the server. The number is the index in `askings`.
    Command(usize),
    /// An announcement that the log has this entry.
    Appended(u64),
    /// A server's seats.
    Seats { from: usize, since: PerSide<Option<Stamp>> },
}

struct World {
    chance: Chance,
    servers: [Hand; SERVERS],
    /// True for each server that can reach neither the store nor the other servers.
    is_cut: [bool; SERVERS],
    /// The seats that each server has announced (`told`), and the seats of every other server
    /// that each server has heard of.
    heard: [[PerSide<Option<Stamp>>; SERVERS]; SERVERS],
    told: [PerSide<Option<Stamp>>; SERVERS],
    /// The messages in transit, in no particular order, with the servers to which they go.
    wire: Vec<(usize, Carried)>,
    announced: u64,
    lost: usize,
    /// A hash of everything that was done, and of all messages that clients got.
    trace: DefaultHasher,
    /// The connections of both players to each server.
    clients: [[Client; 2]; SERVERS],
    askings: Vec<Asking>,
    /// The commands that were sent again after they had been accepted, so their correct answers
    /// are known.
    repeated: HashSet<(usize, usize)>,
    refused_as_reused: usize,
    rests: usize,
    ruleset: &'static str,
    conflicts: usize,
}

fn id_of(number: usize) -> String {
    format!("id-{number}")
}

impl World {
    fn new(seed: u64, ruleset: &'static str) -> World {
        let mut terms = header(ruleset);
        // In every second world, the game has a slow clock, so that it may rest.
        terms.terms.time = match seed % 2 {
            0 => Time::Fischer { base_s: 3600, increment_s: 5 },
            _ => Time::Correspondence { days: 1 },
        };
        let one = Hand::new(&terms);
        let others = [one.twin(), one.twin()];
        let [two, three] = others;
        let clients = [(), (), ()].map(|()| ["ana", "bo"].map(Client::new));
        let mut world = World {
            chance: Chance::new(seed),
            servers: [one, two, three],
            is_cut: [false; SERVERS],
            heard: Default::default(),
            told: Default::default(),
            wire: Vec::new(),
            announced: 1,
            lost: 0,
            trace: DefaultHasher::new(),
            clients,
            askings: Vec::new(),
            repeated: HashSet::new(),
            refused_as_reused: 0,
            rests: 0,
            ruleset,
            conflicts: 0,
        };
        for server in 0..SERVERS {
            world.servers[server].is_holding = true;
            world.servers[server].table.share(PerSide::default());
            world.reconnect(server);
        }
        world
    }

    fn reconnect(&mut self, server: usize) {
        self.repeated.retain(|(at, _)| *at != server);
        for (at, id) in ["ana", "bo"].into_iter().enumerate() {
            self.clients[server][at] = Client::new(id);
            let hand = &mut self.servers[server];
            hand.open(&self.clients[server][at], None);
        }
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.chance.below(times) == 0
    }

    fn step(&mut self) {
        let server = self.chance.below(SERVERS);
        let what = self.chance.below(142);
        (server, what).hash(&mut self.trace);
        match what {
            0..=39 => self.ask(server),
            40..=49 => self.repeat(server),
            50..=99 => self.release(server),
            100..=122 => (0..6).for_each(|_| self.deliver()),
            123 | 124 => {
                let faults = [
                    WriteFault::UnknownAfterWriting,
                    WriteFault::UnknownBeforeWriting,
                    WriteFault::Unavailable,
                ];
                self.servers[0].store.fail_next(faults[self.chance.below(3)]);
            }
            125..=128 => {
                // Sometimes choose a time so long that a flag falls, or nearly falls.
                let long_ms = if self.is_slow() { 90_000_000 } else { 4_000_000 };
                let ms = match self.chance.below(800) {
                    0 => long_ms,
                    1 => self.ms_until_flag().map_or(long_ms, |ms| ms.saturating_sub(1_000)),
                    2..=3 => self.ms_until_flag().unwrap_or(1),
                    _ => [1, 50, 2_000][self.chance.below(3)],
                };
                self.servers[0].advance(ms);
            }
            129..=134 => self.servers[server].step(Input::Tick),
            135 => self.is_cut[server] = self.once_in(3),
            136 => self.servers[server].step(Input::Audit),
            137 => self.reconnect(server),
            138 => self.rest(server),
            139 => self.servers[server].ahead_ms = [0, -40, -900, 30, 2_400][self.chance.below(5)],
            _ => self.crash(server),
        }
        // Deliver several messages per step, because stores and networks are faster than people.
        for _ in 0..3 {
            self.deliver();
            let busy = self.chance.below(SERVERS);
            self.release(busy);
        }
        self.tell_others();
        self.read_answers();
    }

    /// Announces new log entries and changed seats. Each message may be lost.
    fn tell_others(&mut self) {
        let head = now(self.servers[0].store.head(self.servers[0].id)).unwrap().seq;
        if head > self.announced {
            self.announced = head;
            (0..SERVERS).for_each(|to| self.carry(to, Carried::Appended(head)));
        }
        for from in 0..SERVERS {
            let since = self.servers[from].table.attendance.seats_here(&self.servers[from].table.audiences);
            if self.told[from] != since && !self.is_cut[from] {
                self.told[from] = since;
                for to in (0..SERVERS).filter(|to| *to != from) {
                    self.carry(to, Carried::Seats { from, since });
                }
            }
        }
    }

    fn carry(&mut self, to: usize, what: Carried) {
        if self.once_in(4) {
            self.lost += 1;
        } else {
            self.wire.push((to, what));
        }
    }

    /// Delivers a randomly chosen message, so that messages arrive out of order.
    fn deliver(&mut self) {
        if self.wire.is_empty() {
            return;
        }
        let at = self.chance.below(self.wire.len());
        let (server, what) = self.wire.swap_remove(at);
        match what {
            Carried::Command(number) => self.send(server, number),
            // A server that is cut off gets no announcements.
            _ if self.is_cut[server] => {}
            Carried::Appended(seq) => self.servers[server].step(Input::Heard { seq }),
            Carried::Seats { from, since } => {
                self.heard[server][from] = since;
                let elsewhere = PerSide::from_fn(|side| {
                    let newest =
                        (0..SERVERS).filter_map(|from| Some((self.heard[server][from][side]?, from))).max();
                    newest.map(|(since, from)| Elsewhere { since, wins_ties: from > server })
                });
                self.servers[server].step(Input::Elsewhere(elsewhere));
            }
        }
    }

    fn ask(&mut self, server: usize) {
        let side = Side::BOTH[self.chance.below(2)];
        let game = &self.servers[server].table.game;
        let ply = game.ply();
        let command = if ply == 0 && !game.is_ready(side) {
            deploy(self.ruleset, side, 1 + self.chance.below(9) as u64)
        } else {
            match self.chance.below(200) {
                0..=2 => GameCommand::OfferDraw {},
                3..=9 => GameCommand::DeclineDraw {},
                10 if self.askings.len() > 250 => GameCommand::Resign {},
                _ => match self.servers[server].any_move(&mut self.chance) {
                    Some(command) => command,
                    None => return,
                },
            }
        };
        let side = match (&command, self.servers[server].table.game.turn()) {
            (
                GameCommand::Move { .. }
                | GameCommand::Remove { .. }
                | GameCommand::Place { .. }
                | GameCommand::Color { .. },
                Some(turn),
            ) => turn,
            _ => side,
        };
        self.askings.push(Asking { side, ply, command, accepted: None });
        self.carry(server, Carried::Command(self.askings.len() - 1));
    }

    fn repeat(&mut self, server: usize) {
        if self.askings.is_empty() {
            return;
        }
        // Mostly repeat recent commands, as a client in doubt does.
        let count = self.askings.len();
        let back = if self.once_in(4) { count } else { count.min(4) };
        let number = count - 1 - self.chance.below(back);
        self.carry(server, Carried::Command(number));
    }

    fn send(&mut self, server: usize, number: usize) {
        let Asking { side, ply, command, accepted } = &self.askings[number];
        if accepted.is_some() {
            self.repeated.insert((server, number));
        }
        let client = &self.clients[server][*side as usize];
        let table = &self.servers[server].table;
        let is_superseded =
            table.audiences.find_player(client.outbox.connection()).is_some_and(|player| !player.is_driving);
        if is_superseded {
            // Open the game again first, like a person who continues on this connection.
            self.servers[server].open(client, None);
        }
        self.servers[server].command_as(client, &id_of(number), *ply, command.clone());
    }

    fn release(&mut self, server: usize) {
        if self.is_cut[server] {
            return self.release_cut(server);
        }
        let hand = &mut self.servers[server];
        if !hand.held.is_empty() {
            self.conflicts += usize::from(matches!(hand.held[0], Output::Read { .. }));
            hand.release_one();
        }
    }

    /// Answers a request of a server that is cut off from the store. The answer is an error, but
    /// a write may have reached the store before the connection was cut.
    fn release_cut(&mut self, server: usize) {
        let is_written = self.once_in(3);
        let hand = &mut self.servers[server];
        if hand.held.is_empty() {
            return;
        }
        let input = match hand.held.remove(0) {
            Output::Append(append) => Input::Appended(self.cut_append(server, append, is_written)),
            Output::Read { .. } => Input::ReadOn(Err(TableError::Unavailable)),
            Output::Look { .. } => Input::Looked(Err(TableError::Unavailable)),
            Output::Search { asked } => Input::Searched { asked, found: Err(TableError::Unavailable) },
            Output::HouseTurn { .. }
            | Output::MakeRematch
            | Output::TellRematchOffered { .. }
            | Output::Stopped
            | Output::Diverged => return,
        };
        self.servers[server].step(input);
    }

    fn cut_append(
        &mut self,
        server: usize,
        append: Append,
        is_written: bool,
    ) -> Result<AppendOutcome, StoreError> {
        if is_written {
            let _no_answer = now(self.servers[server].store.append(append));
            return Ok(AppendOutcome::Unknown);
        }
        Err(StoreError::Unavailable { why: "cut off".to_owned() })
    }

    /// Crashes and restarts a server. The store may have carried out its last write.
    fn crash(&mut self, server: usize) {
        let hand = &mut self.servers[server];
        if !hand.held.is_empty()
            && self.chance.below(2) == 0
            && let Output::Append(append) = hand.held.remove(0)
        {
            let _no_answer = now(hand.store.append(append));
        }
        hand.reload();
        hand.table.share(PerSide::default());
        self.heard[server] = Default::default();
        self.told[server] = PerSide::default();
        self.reconnect(server);
    }

    /// Returns the time until a flag falls, by the store's clock, in milliseconds.
    fn ms_until_flag(&self) -> Option<u64> {
        let Hand { table, clock, .. } = &self.servers[0];
        Some(table.game.flag_fall()?.ms_since(flagfall_store::WallClock::now(&**clock)))
    }

    fn is_slow(&self) -> bool {
        self.servers[0].table.header.is_slow()
    }

    /// Closes all connections to the server. If the game may then rest, unloads it and opens it
    /// again. After that, the players return.
    fn rest(&mut self, server: usize) {
        for client in &self.clients[server] {
            self.servers[server].close(client);
        }
        let hand = &mut self.servers[server];
        if hand.table.may_rest(hand.now()) {
            assert!(hand.held.is_empty(), "nothing is under way");
            let seen = |hand: &Hand| Viewer::ALL.map(|viewer| (hand.seq(viewer), hand.view(viewer)));
            let (before, head) = (seen(hand), hand.table.head);
            hand.reload();
            // The game can differ only if other servers have written entries that this server had
            // not heard of.
            assert!(hand.table.head.seq > head.seq || seen(hand) == before, "it comes back as it was");
            hand.table.share(PerSide::default());
            self.heard[server] = Default::default();
            self.rests += 1;
        }
        self.reconnect(server);
    }

    fn read_answers(&mut self) {
        for server in 0..SERVERS {
            for at in 0..2 {
                let texts = self.clients[server][at].texts();
                texts.hash(&mut self.trace);
                for text in texts {
                    self.note(server, serde_json::from_str(&text).unwrap());
                }
            }
        }
    }

    fn note(&mut self, server: usize, message: ServerToClient) {
        let number = |cmd_id: &flagfall_protocol::CommandId| -> usize {
            cmd_id.as_str().strip_prefix("id-").unwrap().parse().unwrap()
        };
        match message {
            ServerToClient::Accepted { cmd_id, outcome: Accepted::Game { seq, .. } } => {
                let accepted = &mut self.askings[number(&cmd_id)].accepted;
                assert!(accepted.is_none_or(|before| before == seq), "the outcome changed");
                *accepted = Some(seq);
            }
            ServerToClient::Refused { cmd_id: Some(cmd_id), code, .. } => {
                let number = number(&cmd_id);
                self.refused_as_reused += usize::from(code.as_str() == Code::CMD_ID_REUSED);
                let is_doubtful = [Code::STORE_UNAVAILABLE, Code::TOO_MANY].contains(&code.as_str());
                assert!(
                    is_doubtful || !self.repeated.contains(&(server, number)),
                    "an accepted command is refused: {}",
                    code.as_str()
                );
            }
            _ => {}
        }
    }

    /// Lets all pending work finish, and checks the result.
    fn check(mut self) -> Checked {
        self.is_cut = [false; SERVERS];
        for server in 0..SERVERS {
            self.servers[server].ahead_ms = 0;
            self.servers[server].release();
        }
        self.read_answers();
        // Send the accepted commands again, to every server.
        for number in 0..self.askings.len() {
            for server in 0..SERVERS {
                if self.askings[number].accepted.is_some() {
                    self.send(server, number);
                    self.servers[server].release();
                    self.read_answers();
                }
            }
        }
        for hand in &mut self.servers {
            let rest = now(crate::search::read_all(&hand.store, hand.id, hand.table.head.seq)).unwrap();
            assert!(hand.table.catch_up(&rest).is_ok() && hand.table.health != Health::Diverged);
        }
        let [one, two, three] = &self.servers;
        for other in [two, three] {
            assert!(one.table.game == other.table.game && one.table.head == other.table.head);
            for viewer in Viewer::ALL {
                assert_eq!(one.seq(viewer), other.seq(viewer));
                assert_eq!(one.view(viewer), other.view(viewer));
            }
        }
        let stored = one.log();
        let (_, game, head) = replay::replay(one.id, &stored, |_, _| {}).unwrap();
        assert!(game == one.table.game && head == one.table.head, "a replay is the replica");
        let flags = flags_of(one.id, &stored);
        let in_log = commands_of(one.id, &stored);
        let mut acknowledged = 0;
        for (number, asking) in self.askings.iter().enumerate() {
            if let Some(seq) = asking.accepted {
                acknowledged += 1;
                assert_eq!(in_log.get(&id_of(number)), Some(&seq), "acknowledged, and in the log once");
            }
        }
        let (conflicts, lost, rests) = (self.conflicts, self.lost, self.rests);
        Checked { acknowledged, conflicts, lost, rests, flags, trace: self.trace.finish() }
    }
}

/// The results of one or more simulated worlds.
#[derive(PartialEq, Eq, Debug, Default)]
struct Checked {
    acknowledged: usize,
    conflicts: usize,
    lost: usize,
    rests: usize,
    flags: usize,
    trace: u64,
}

/// Runs a world with this seed for this number of steps, and checks it.
fn live(seed: u64, steps: usize) -> Checked {
    let rulesets: Vec<&'static str> =
        flagfall_rules::Ruleset::all().iter().map(|ruleset| ruleset.id).collect();
    let ruleset = rulesets[usize::try_from(seed).unwrap() % rulesets.len()];
    let mut world = World::new(seed, ruleset);
    (0..steps).for_each(|_| world.step());
    world.check()
}

/// Returns a number from an environment variable, or the default.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Returns the commands in a log, with their sequence numbers. Fails if a command occurs twice.
fn commands_of(id: GameId, stored: &[flagfall_store::StoredEntry]) -> HashMap<String, u64> {
    let (header, _) = replay::open(id, &stored[0]).unwrap();
    let mut seqs = [0_u64; 2];
    let mut last = None;
    let mut found = HashMap::new();
    replay::replay(id, stored, |game, entry| {
        for side in Side::BOTH {
            seqs[side as usize] += u64::from(see(&entry.event, game, Viewer::Player(side)).is_some());
        }
        let stamp = entry.command.as_ref().map(|stamp| stamp.cmd_id.clone());
        if let Some(command) = &entry.command {
            let side = header.side_of(&command.player).unwrap();
            let before = found.insert(command.cmd_id.to_string(), seqs[side as usize]);
            assert!(before.is_none() || last == stamp, "in the log twice: {}", command.cmd_id);
        }
        last = stamp;
    })
    .unwrap();
    found
}

/// Returns the number of flags that fell. Fails if a flag fell too early.
fn flags_of(id: GameId, stored: &[flagfall_store::StoredEntry]) -> usize {
    let mut flags = 0;
    let mut flag_fall = replay::open(id, &stored[0]).unwrap().1.flag_fall();
    replay::replay(id, stored, |game, entry| {
        // Only a fallen flag ends a game without a command.
        if entry.command.is_none() && entry.event.outcome().is_some() {
            let up_at = flag_fall.expect("a clock was running");
            assert!(entry.at > up_at, "{} ms early", up_at.ms_since(entry.at));
            flags += 1;
        }
        flag_fall = game.flag_fall();
    })
    .unwrap();
    flags
}

/// Runs several worlds of this length, and adds up the results. If a world fails, its seed is the
/// last one printed.
fn live_many(worlds: u64, steps: usize) -> Checked {
    let first = setting("FLAGFALL_SEED", 1);
    let mut all = Checked::default();
    for seed in first..first + worlds {
        println!("seed {seed}");
        let Checked { acknowledged, conflicts, lost, rests, flags, trace: _ } = live(seed, steps);
        all.flags += flags;
        all.acknowledged += acknowledged;
        all.conflicts += conflicts;
        all.lost += lost;
        all.rests += rests;
    }
    let Checked { acknowledged, conflicts, lost, rests, flags, .. } = all;
    println!(
        "{acknowledged} acknowledged commands, {conflicts} times the log was read on, {lost} messages lost, {rests} rests, {flags} flags"
    );
    all
}

#[test]
fn acknowledged_commands_take_effect_once_on_all_servers() {
    let worlds = setting("FLAGFALL_WORLDS", 24);
    let all = live_many(worlds, 1_500);
    assert!(
        all.acknowledged > 10 * usize::try_from(worlds).unwrap()
            && all.conflicts > 100
            && all.lost > 100
            && all.flags > 0
    );
}

#[test]
fn thousands_of_short_worlds_come_to_the_same() {
    let worlds = setting("FLAGFALL_SHORT_WORLDS", 2_000);
    let all = live_many(worlds, 80);
    assert!(all.acknowledged > 5 * usize::try_from(worlds).unwrap() && all.lost > 100 && all.rests > 100);
}

#[test]
fn the_same_seed_leaves_the_same_trace() {
    for seed in 1..20 {
        assert_eq!(live(seed, 400), live(seed, 400), "seed {seed}");
        assert_ne!(live(seed, 400).trace, live(seed + 100, 400).trace);
    }
}
