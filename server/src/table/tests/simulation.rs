//! Two servers over one store, whatever happens: a seed decides, and is printed.

use std::collections::{HashMap, HashSet};

use flagfall_board::{GameId, Ply, Side};
use flagfall_bots::Chance;
use flagfall_protocol::{Accepted, Code, GameCommand, ServerToClient};
use flagfall_rules::{Viewer, see};
use flagfall_store::Store as _;
use flagfall_store::memory::Fault;

use super::super::core::{Input, Output};
use super::super::replay;
use super::harness::{Client, Hand, deploy, header, now};

/// What was asked, and what was answered.
struct Asking {
    side: Side,
    ply: Ply,
    command: GameCommand,
    /// The number it was accepted with.
    accepted: Option<u64>,
}

struct World {
    chance: Chance,
    servers: [Hand; 2],
    /// Each server's connections of both players.
    clients: [[Client; 2]; 2],
    askings: Vec<Asking>,
    /// Those sent after they had been accepted: their answer is known beforehand.
    repeated: HashSet<(usize, usize)>,
    refused_as_reused: usize,
    ruleset: &'static str,
    conflicts: usize,
}

fn id_of(number: usize) -> String {
    format!("id-{number}")
}

impl World {
    fn new(seed: u64, ruleset: &'static str) -> World {
        let mut terms = header(ruleset);
        terms.terms.time = flagfall_protocol::Time::Fischer { base_s: 3600, increment_s: 5 };
        let one = Hand::new(&terms);
        let other = one.twin();
        let clients = [(), ()].map(|()| ["ana", "bo"].map(Client::new));
        let mut world = World {
            chance: Chance::new(seed),
            servers: [one, other],
            clients,
            askings: Vec::new(),
            repeated: HashSet::new(),
            refused_as_reused: 0,
            ruleset,
            conflicts: 0,
        };
        for server in 0..2 {
            world.servers[server].is_holding = true;
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
        let server = self.chance.below(2);
        match self.chance.below(120) {
            0..=39 => self.ask(server),
            40..=49 => self.repeat(server),
            50..=106 => self.release(server),
            107 | 108 => {
                let faults = [Fault::UnknownAfterWriting, Fault::UnknownBeforeWriting, Fault::Unavailable];
                self.servers[0].store.fail_next(faults[self.chance.below(3)]);
            }
            109..=112 => {
                // Now and then so long that a flag falls.
                let ms = if self.once_in(400) { 4_000_000 } else { [1, 50, 2_000][self.chance.below(3)] };
                self.servers[0].advance(ms);
            }
            113..=118 => self.servers[server].step(Input::Tick),
            _ => self.crash(server),
        }
        self.read_answers();
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
        self.send(server, self.askings.len() - 1);
    }

    fn repeat(&mut self, server: usize) {
        if self.askings.is_empty() {
            return;
        }
        // Mostly what is not old, as clients do that doubt.
        let count = self.askings.len();
        let back = if self.once_in(4) { count } else { count.min(4) };
        let number = count - 1 - self.chance.below(back);
        self.send(server, number);
    }

    fn send(&mut self, server: usize, number: usize) {
        let Asking { side, ply, command, accepted } = &self.askings[number];
        if accepted.is_some() {
            self.repeated.insert((server, number));
        }
        let client = &self.clients[server][*side as usize];
        self.servers[server].command_as(client, &id_of(number), *ply, command.clone());
    }

    fn release(&mut self, server: usize) {
        let hand = &mut self.servers[server];
        if !hand.held.is_empty() {
            self.conflicts += usize::from(matches!(hand.held[0], Output::Read { .. }));
            hand.release_one();
        }
    }

    /// The server dies, perhaps after the store has taken what it wrote, and comes back.
    fn crash(&mut self, server: usize) {
        let hand = &mut self.servers[server];
        if !hand.held.is_empty()
            && self.chance.below(2) == 0
            && let Output::Append(append) = hand.held.remove(0)
        {
            let _nobody_hears_it = now(hand.store.append(append));
        }
        hand.reload();
        self.reconnect(server);
    }

    fn read_answers(&mut self) {
        for server in 0..2 {
            for at in 0..2 {
                let messages = self.clients[server][at].read();
                messages.into_iter().for_each(|message| self.note(server, message));
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
                    "what was accepted is refused: {}",
                    code.as_str()
                );
            }
            _ => {}
        }
    }

    /// Lets everything settle and looks at what became of it.
    fn check(mut self) -> (usize, usize) {
        for server in 0..2 {
            self.servers[server].release();
        }
        self.read_answers();
        // What is doubtful is asked again, of either server.
        for number in 0..self.askings.len() {
            for server in 0..2 {
                if self.askings[number].accepted.is_some() {
                    self.send(server, number);
                    self.servers[server].release();
                    self.read_answers();
                }
            }
        }
        for hand in &mut self.servers {
            let rest =
                now(super::super::search::read_all(&hand.store, hand.id, hand.table.head.seq)).unwrap();
            assert!(hand.table.catch_up(&rest).is_ok() && !hand.table.is_diverged);
        }
        let [one, other] = &self.servers;
        assert!(one.table.game == other.table.game && one.table.head == other.table.head);
        let stored = one.log();
        let (_, game, head) = replay::replay(one.id, &stored, |_, _| {}).unwrap();
        assert!(game == one.table.game && head == one.table.head, "a replay is the replica");
        for viewer in Viewer::ALL {
            assert_eq!(one.seq(viewer), other.seq(viewer));
            assert_eq!(one.view(viewer), other.view(viewer));
        }
        let in_log = commands_of(one.id, &stored);
        let mut acknowledged = 0;
        for (number, asking) in self.askings.iter().enumerate() {
            if let Some(seq) = asking.accepted {
                acknowledged += 1;
                assert_eq!(in_log.get(&id_of(number)), Some(&seq), "acknowledged, and in the log once");
            }
        }
        (acknowledged, self.conflicts)
    }
}

/// The commands of a log with the numbers they led to; none twice.
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
            let before = found.insert(command.cmd_id.clone(), seqs[side as usize]);
            assert!(before.is_none() || last == stamp, "doubled: {}", command.cmd_id);
        }
        last = stamp;
    })
    .unwrap();
    found
}

#[test]
fn whatever_happens_nothing_acknowledged_is_lost_or_doubled_and_both_servers_agree() {
    let first: u64 = std::env::var("FLAGFALL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let worlds: u64 = std::env::var("FLAGFALL_WORLDS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
    let rulesets: Vec<&'static str> =
        flagfall_rules::Ruleset::all().iter().map(|ruleset| ruleset.id).collect();
    let (mut acknowledged, mut conflicts) = (0, 0);
    for seed in first..first + worlds {
        println!("seed {seed}");
        let ruleset = rulesets[usize::try_from(seed).unwrap() % rulesets.len()];
        let mut world = World::new(seed, ruleset);
        for _ in 0..1500 {
            world.step();
        }
        let (more, also) = world.check();
        acknowledged += more;
        conflicts += also;
    }
    println!("{acknowledged} acknowledged commands, {conflicts} times the log was read on");
    assert!(acknowledged > 50 * usize::try_from(worlds).unwrap() && conflicts > 100);
}
