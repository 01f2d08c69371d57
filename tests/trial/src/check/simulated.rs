//! Games that the engine plays without a server, with logs like those of real clients.
//!
//! In every ruleset, the engine's views must equal the views that the checker derives from the
//! same log. If a client's log contains anything else, the checker must find it.

use flagfall_board::{Chance, GameId, PerSide, Side, Stamp};
use flagfall_bots::random_setup;
use flagfall_protocol::{GameCommand, Player, PlayerKind, Recorder, Terms, Time};
use flagfall_rules::{
    Command, Entropy, Event, Game, GameTerms, LagQuota, Phase, Ruleset, Start, TimeControl, Viewer, decide,
    decide_deadline, decide_pause, decide_resume, evolve_compensated, see, see_change, view,
};
use serde_json::{Value, json};

use super::{Fault, Findings, check_game};
use crate::board_plants::RARE_PLANTS;
use crate::chance::{between, chance_for, once_in};
use crate::log::{ClientLog, Entry, GameLog, Role, What};
use crate::moves::{choose, lawful};
use crate::plan::GamePlan;
use crate::plant::{plant_in_games, plant_one};
use crate::site::History;

const BASE_MS: u64 = 300_000;
const INCREMENT_MS: u64 = 2_000;
/// A period that is longer than any player's time.
const FLAG_FALL_MS: u64 = 10_000_000;
const ROLES: [Role; 3] = [Role::Red, Role::Blue, Role::Spectator(0)];

#[derive(Clone, Copy)]
struct Plan {
    /// The ply at which a side resigns or lets its time run out, if it does.
    end_at: u16,
    is_timed: bool,
    is_flag_to_fall: bool,
    secret: [bool; 2],
}

struct Table {
    game: Game,
    terms: Terms,
    now: Stamp,
    chance: Chance,
    recorder: Recorder,
    /// The last sequence number that each audience was told.
    seq: [u64; 3],
    /// The events of each audience, which are sent again to clients that reconnect.
    told: [Vec<Value>; 3],
    entries: [Vec<Entry>; 3],
    commands: usize,
}

impl Table {
    fn new(ruleset: &'static Ruleset, plan: Plan, mut chance: Chance) -> Table {
        let created = Stamp(1_790_000_000_000);
        let time = if plan.is_timed {
            TimeControl::Fischer { base_ms: BASE_MS, increment_ms: INCREMENT_MS }
        } else {
            TimeControl::Unlimited
        };
        let terms = GameTerms {
            game: GameId::from_random([9; 12]),
            ruleset,
            lakes: ruleset.draw_lakes(&Entropy(chance.bytes())),
            time,
            deploy_ms: 300_000,
            created,
            secret: PerSide::new(plan.secret[0], plan.secret[1]),
        };
        let shown_time =
            if plan.is_timed { Time::Fischer { base_s: 300, increment_s: 2 } } else { Time::Unlimited {} };
        let game = Game::new(terms).with_lag_quota(LagQuota { per_ply_ms: 500, stock_ms: 3_000 });
        Table {
            recorder: Recorder::new(game.clone()),
            game,
            terms: Terms {
                ruleset: ruleset.id.to_owned(),
                time: shown_time,
                private: false,
                secret: plan.secret[0],
                rated: false,
            },
            now: created,
            chance,
            seq: [0; 3],
            told: Default::default(),
            entries: Default::default(),
            commands: 0,
        }
    }

    fn note(&mut self, audience: usize, what: What) {
        self.entries[audience].push(Entry { at: self.now.0, what });
    }

    fn receive(&mut self, audience: usize, value: &Value) {
        self.note(audience, What::Received(value.to_string().into()));
    }

    /// A client connects, or reconnects, and is shown the game.
    fn open(&mut self, audience: usize, since: Option<u64>) {
        self.note(audience, What::Connected(0));
        let mut open = json!({"type": "open_game", "game": "x"});
        if let Some(seq) = since {
            open["since"] = json!({"epoch": 0, "seq": seq});
        }
        self.note(audience, What::Sent(open.to_string().into()));
        let view = serde_json::to_value(view(&self.game, Viewer::ALL[audience], self.now).seen)
            .expect("a view has JSON");
        let summary = json!({"ply": view["ply"], "phase": view["phase"]});
        let mut game = json!({
            "type": "game", "epoch": 0, "seq": self.seq[audience], "game": summary,
            "audience": view["audience"], "view": view,
        });
        for field in ["turn", "outcome"] {
            if let Some(value) = view.get(field) {
                game["game"][field] = value.clone();
            }
        }
        let missed = since.map_or(0, |since| usize::try_from(self.seq[audience] - since).unwrap_or(0));
        if missed > 0 {
            let told = &self.told[audience];
            game["events"] = json!(told[told.len() - missed..]);
        }
        self.receive(audience, &game);
    }

    fn carry_out(&mut self, event: &Event, lag_ms: u32) {
        evolve_compensated(&mut self.game, event, self.now, lag_ms);
        self.recorder.note_compensated(event, self.now, lag_ms);
        for (audience, viewer) in Viewer::ALL.into_iter().enumerate() {
            let Some(seen) = see(event, &self.game, viewer) else { continue };
            self.seq[audience] += 1;
            let event_value = json!(seen);
            let change = json!(see_change(event, &self.game, viewer, self.now));
            self.told[audience].push(event_value.clone());
            let seq = self.seq[audience];
            self.receive(
                audience,
                &json!({"type": "event", "seq": seq, "event": event_value, "change": change}),
            );
        }
    }

    /// A side sends a command, which must be accepted.
    fn ask(&mut self, side: Side, asked: &GameCommand) {
        let ply = self.game.ply();
        let command = asked.to_command(side, self.game.terms().ruleset).expect("a command");
        self.commands += 1;
        let id = format!("{}-{}", side.name(), self.commands);
        let sent =
            json!({"type": "command", "cmd_id": id, "game": "x", "ply": ply, "epoch": 0, "command": asked});
        self.note(side as usize, What::Sent(sent.to_string().into()));
        let lag_ms = self.game.lag_credit_ms(side, 40, self.now);
        let events = decide(&self.game, side, ply, &command, self.now, &Entropy(self.chance.bytes()));
        let events = events.unwrap_or_else(|refusal| panic!("{side}: {asked:?}: {refusal}"));
        let is_timed = events.iter().next().is_some_and(|event| event.ends_time_of().is_some());
        let mut lag_ms = if is_timed { lag_ms } else { 0 };
        for event in events {
            self.carry_out(&event, std::mem::take(&mut lag_ms));
        }
        let outcome = json!({"kind": "game", "game": "x", "seq": self.seq[side as usize]});
        let accepted = json!({"type": "accepted", "cmd_id": id, "outcome": outcome});
        self.receive(side as usize, &accepted);
    }

    fn deploy(&mut self, side: Side) {
        let ruleset = self.game.terms().ruleset;
        let setup = random_setup(ruleset, side, &mut self.chance).deploy(side, ruleset);
        let setup = setup.expect("a deployment").into_text();
        self.ask(side, &GameCommand::Deploy { setup });
    }

    fn pass(&mut self, ms: u64) {
        self.now = self.now.plus_ms(ms);
    }

    /// An event between two acts: a client reconnects, the clocks stop, or a draw is offered.
    fn interrupt(&mut self) {
        if once_in(&mut self.chance, 6) {
            let audience = self.chance.below(3);
            self.note(audience, What::Dropped);
            let since = once_in(&mut self.chance, 2).then_some(self.seq[audience].saturating_sub(2));
            self.open(audience, since);
        }
        if once_in(&mut self.chance, 30) {
            let paused = decide_pause(&self.game, self.now);
            paused.iter().for_each(|event| self.carry_out(event, 0));
            self.pass(5_000);
            self.open(2, None);
            let resumed = decide_resume(&self.game);
            resumed.iter().for_each(|event| self.carry_out(event, 0));
        }
        let side = self.game.turn().unwrap_or(Side::Red);
        let offer =
            decide(&self.game, side, self.game.ply(), &Command::OfferDraw, self.now, &Entropy([1; 32]));
        let has_offer = view(&self.game, Viewer::Public, self.now).draw_offer.is_some();
        if once_in(&mut self.chance, 15) && offer.is_ok() && !has_offer {
            self.ask(side, &GameCommand::OfferDraw {});
            if once_in(&mut self.chance, 2) {
                self.ask(side.opponent(), &GameCommand::DeclineDraw {});
            }
        }
    }

    /// Performs one act of a side that must act. The act is chosen from the view that was sent to
    /// this side.
    fn act(&mut self, ruleset: &Ruleset) {
        let to_act: Vec<Side> = Side::BOTH.into_iter().filter(|side| self.game.is_to_act(*side)).collect();
        let side = to_act[self.chance.below(to_act.len())];
        let seen = view(&self.game, Viewer::Player(side), self.now);
        let sent = seen.seen.clone();
        let commands = lawful(&sent).unwrap_or_else(|| panic!("{}: {side} has a legal command", ruleset.id));
        assert!(Some(&commands) == seen.legal_commands().as_ref(), "{}: {commands:?}", ruleset.id);
        let command = choose(&sent, &commands, &mut self.chance).expect("one of them");
        self.ask(side, &GameCommand::from_command(&command).expect("a message"));
    }
}

fn play(ruleset: &'static Ruleset, plan: Plan, seed: u64) -> GameLog {
    let mut table = Table::new(ruleset, plan, chance_for(seed, ruleset.id, 0));
    (0..3).for_each(|audience| table.open(audience, None));
    if ruleset.start == Start::Deployments {
        for side in [Side::Blue, Side::Blue, Side::Red] {
            table.pass(1_000);
            table.deploy(side);
        }
    }
    while table.game.phase() == Phase::Playing {
        table.interrupt();
        let think = between(&mut table.chance, 100, 3_000) as u64;
        table.pass(think);
        let actor = table.game.position().actor();
        if table.game.ply() < plan.end_at {
            table.act(ruleset);
        } else if plan.is_flag_to_fall && plan.is_timed {
            table.pass(FLAG_FALL_MS);
            let fallen = decide_deadline(&table.game, table.now);
            fallen.iter().for_each(|event| table.carry_out(event, 0));
        } else {
            table.ask(actor, &GameCommand::Resign {});
        }
    }
    for audience in 0..3 {
        table.note(audience, What::Dropped);
        table.open(audience, None);
        table.note(audience, What::Dropped);
    }
    let player = |id: &str| Player { id: id.to_owned(), name: id.to_owned(), kind: PlayerKind::Guest };
    let Table { game, terms, recorder, entries, .. } = table;
    let records = Viewer::ALL.map(|viewer| {
        let players = PerSide::new(player("one"), player("two"));
        serde_json::to_string(&recorder.record(viewer, terms.clone(), players)).expect("a record has JSON")
    });
    let clients = ROLES.into_iter().zip(entries).map(|(role, entries)| ClientLog { role, entries });
    GameLog {
        plan: GamePlan {
            number: 0,
            terms,
            is_blue_secret: plan.secret[1],
            setups: Default::default(),
            resign: None,
            is_flag_to_fall: plan.is_flag_to_fall,
            breaks_rules: false,
            think_ms: 0,
            tired_at: u16::MAX,
            seed,
        },
        game: game.terms().game.as_str().to_owned(),
        clients: clients.collect(),
        is_archived: true,
        records,
    }
}

fn plan(number: u64, end_at: u16) -> Plan {
    Plan {
        end_at,
        is_timed: !number.is_multiple_of(3),
        is_flag_to_fall: number.is_multiple_of(2),
        secret: [number.is_multiple_of(4), number.is_multiple_of(5)],
    }
}

fn found(log: &GameLog) -> Findings {
    let mut findings = Findings::default();
    check_game(log, &History::default(), &mut findings);
    findings
}

fn check_ruleset(ruleset: &'static Ruleset, seeds: u64, plies: u16) {
    let (mut views, mut events) = (0, 0);
    for seed in 0..seeds {
        let findings = found(&play(ruleset, plan(seed, plies), seed));
        let faults: Vec<_> = findings.examples().take(3).collect();
        assert!(findings.is_clean(), "{}, seed {seed}: {faults:#?}", ruleset.id);
        (views, events) = (views + findings.views, events + findings.events);
    }
    assert!(views > 10 * seeds && events > 200 * seeds, "{}: {views} views, {events} events", ruleset.id);
}

#[test]
fn the_checker_agrees_with_the_engine_in_every_ruleset() {
    for ruleset in Ruleset::all() {
        check_ruleset(ruleset, 4, 120);
    }
}

/// Plays many more games. Run this after changes to the checker.
#[test]
#[ignore = "takes minutes: cargo test --release -p flagfall-trial --lib -- --ignored"]
fn the_checker_agrees_with_the_engine_in_long_games() {
    for ruleset in Ruleset::all() {
        check_ruleset(ruleset, 12, 600);
    }
}

#[test]
fn faults_are_found_wherever_there_is_a_place_for_them() {
    let all = Ruleset::all();
    let game = |number: usize| play(all[number % all.len()], plan(1 + 6 * number as u64, 80), number as u64);
    let games: Vec<GameLog> = (0..2 * all.len()).map(game).collect();
    for planted in plant_in_games(&games, &History::default()) {
        // There was no outage, so no running clock was compared over one.
        if planted.fault != Fault::Clock && planted.fault != Fault::Astray {
            assert!(planted.is_found(), "{planted:?}");
        }
    }
    for rare in RARE_PLANTS {
        let planted = plant_one(rare, &games, &History::default());
        assert!(planted.is_found(), "{planted:?}");
    }
}
