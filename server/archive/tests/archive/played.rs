//! Logs of random games, as a store returns them.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_game::GameHeader;
use flagfall_protocol::{LagQuota, Player, PlayerKind, Terms, Time};
use flagfall_rules::{
    Claim, Command, Event, Events, Lakes, Phase, Ruleset, decide_claim, decide_resume_since,
    evolve_compensated,
};
use flagfall_store::record::{self, CommandStamp, Form};
use flagfall_store::{Head, StoredEntry};
use flagfall_tests::{Chance, Logged, Match, Step};

/// The names of the players. The archive must not contain them.
pub(crate) const NAMES: PerSide<&str> = PerSide { red: "Anastasia", blue: "Bonaventura" };

/// The log of a game.
pub(crate) struct Played {
    pub(crate) id: GameId,
    pub(crate) header: GameHeader,
    pub(crate) log: Vec<StoredEntry>,
    pub(crate) head: Head,
}

impl Played {
    pub(crate) fn new(id: GameId, header: GameHeader, created: Stamp) -> Played {
        let mut played = Played { id, header, log: Vec::new(), head: Head::START };
        played.push(created, record::encode_header(&played.header).expect("a header"));
        played
    }

    fn push(&mut self, at: Stamp, body: flagfall_store::SecretBytes) {
        self.head = self.head.then(self.id, &body);
        self.log.push(StoredEntry { seq: self.head.seq, at, body });
    }

    /// Adds an event. `by` is the side whose command caused the event, if there was a command.
    pub(crate) fn add(&mut self, event: &Event, at: Stamp, lag_ms: u32, form: Form, by: Option<Side>) {
        let cmd_id = match self.head.seq % 3 {
            0 => format!("c-{}", self.head.seq),
            _ => format!("0190{:04x}-7e7f-7111-8c3b-f00dfeedbeef", self.head.seq),
        };
        let stamp = by.map(|side| CommandStamp {
            player: self.header.players[side].id.clone().into(),
            cmd_id: cmd_id.into(),
            fingerprint: self.head.seq.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        });
        let body = record::encode(form, self.header.seats(), stamp.as_ref(), lag_ms, event);
        self.push(at, body.expect("an entry"));
    }
}

/// Plays a random game in which a side resigns after `plies` plies, unless the game ends earlier.
/// Tries seeds until the log has at least `plies` entries.
pub(crate) fn game_of(ruleset: &'static Ruleset, seed: u64, plies: u16) -> Played {
    let mut games = (seed..).map(|seed| random_game(ruleset, seed, Some(plies)));
    games.find(|played| played.log.len() >= usize::from(plies)).expect("a long game")
}

/// Plays a random game that may contain every kind of event.
pub(crate) fn random_game(ruleset: &'static Ruleset, seed: u64, plies_max: Option<u16>) -> Played {
    let mut chance = Chance::new(seed);
    let time = match chance.below(5) {
        0 => Time::Unlimited {},
        1 => Time::Fischer { base_s: 60, increment_s: 2 },
        2 => Time::Delay { base_s: 60, free_s: 1 },
        3 => Time::Correspondence { days: 1 },
        _ => Time::Fischer { base_s: 600, increment_s: 0 },
    };
    let secret = PerSide::new(chance.once_in(3), chance.once_in(3));
    let mut table = Match::new(ruleset, time.into(), secret, chance.clone());
    let has_lags = chance.once_in(2);
    let terms = *table.game.terms();
    let is_drawn = ruleset.lakes == Lakes::Drawn;
    let header = GameHeader {
        terms: Terms {
            ruleset: ruleset.id.to_owned(),
            time,
            private: chance.once_in(2),
            secret: chance.once_in(2),
            rated: chance.once_in(2),
        },
        players: PerSide::from_fn(|side| random_player(side, &mut chance)),
        secret,
        deploy_ms: terms.deploy_ms,
        lakes: is_drawn.then(|| terms.lakes.iter().collect()),
        previous: chance.once_in(2).then(|| GameId::from_random([7; 12])),
        lag_quota: has_lags.then_some(LagQuota { per_ply_ms: 100, stock_ms: 500 }),
        whole_turns: has_lags,
    };
    let mut played = Played::new(terms.game, header, terms.created);
    while table.game.phase() != Phase::Over {
        let form = if chance.once_in(2) { Form::Json } else { Form::Binary };
        let side = if chance.once_in(2) { Side::Red } else { Side::Blue };
        let claim = if chance.once_in(2) { Claim::Win } else { Claim::Draw };
        let (now, ply) = (table.now, table.game.ply());
        let is_long = plies_max.is_some_and(|plies| ply >= plies) && !table.game.is_paused();
        let beside = match chance.below(4_000) {
            0 => decide_claim(&table.game, side, ply, claim, now, Some(now)).unwrap_or_default(),
            1..2_000 => decide_resume_since(&table.game, now),
            _ => Events::default(),
        };
        for event in beside {
            evolve_compensated(&mut table.game, &event, now, 0);
            played.add(&event, now, 0, form, None);
        }
        let step = match chance.below(4_000) {
            _ if is_long => Step::Ask(side, Command::Resign),
            0 => Step::Ask(side, Command::Resign),
            1..60 => Step::Ask(side, Command::AcceptDraw),
            60..140 => Step::Ask(side, Command::DeclineDraw),
            140..180 => Step::Ask(side, Command::Abort),
            _ => table.random_step(&mut chance),
        };
        // In rare cases, wait until a side's time is up.
        let after_ms = if chance.once_in(4_000) { 700_000 } else { chance.below(1_500) as u64 };
        let by = match &step {
            Step::Deploy(side, _) | Step::Ask(side, _) => Some(*side),
            Step::Pause | Step::Resume | Step::Wait => None,
        };
        let logged = table.step(&step, after_ms);
        // If the step is refused because time is up, check the clock, which ends the game.
        let logged = logged.or_else(|_| table.step(&Step::Wait, 0)).unwrap_or_default();
        for (nth, Logged { event, at, .. }) in logged.iter().enumerate() {
            let is_compensated = has_lags && nth == 0 && event.ends_time_of().is_some();
            let lag_ms = if is_compensated { chance.below(300) as u32 } else { 0 };
            played.add(event, *at, lag_ms, form, by);
        }
    }
    played
}

fn random_player(side: Side, chance: &mut Chance) -> Player {
    let (id, name, kind) = match chance.below(5) {
        0 => ("house-simple", "simple", PlayerKind::House),
        1 => ("guest-0123456789abcdefghij", NAMES[side], PlayerKind::Guest),
        2 => ("0fxm529wdncz", NAMES[side], PlayerKind::Bot),
        _ => (["zzzzzzzzzzzz", "000000000000"][side as usize], NAMES[side], PlayerKind::Account),
    };
    Player { id: id.to_owned(), name: name.to_owned(), kind }
}
