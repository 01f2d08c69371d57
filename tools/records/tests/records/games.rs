//! Random games and their records.

use flagfall_board::{PerSide, Ply, Side};
use flagfall_protocol::{GameEvent, GameRecord, Player, PlayerKind, RecordScope, Recorder, Terms, Time};
use flagfall_rules::{
    Command, Game, Move, Phase, Ruleset, Start, TimeControl, Viewer, decide_deadline, decide_pause, evolve,
};
use flagfall_tests::{Chance, Logged, Match, Step};

/// The parameters of a random game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The clock.
    pub(crate) time: Time,
    /// Number of plies after which a side resigns, or the game is left unfinished.
    pub(crate) plies_max: Ply,
    /// The way in which the game ends after `plies_max` plies.
    pub(crate) end: End,
    /// The sides that keep their deployment secret.
    pub(crate) secret: PerSide<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Resign,
    Draw,
    OutOfTime,
    Abort,
    Open,
}

impl Manner {
    pub(crate) const ENDS: [End; 4] = [End::Resign, End::Draw, End::OutOfTime, End::Open];

    pub(crate) fn new(plies_max: Ply, end: End) -> Manner {
        let time = Time::Fischer { base_s: 60, increment_s: 2 };
        Manner { time, plies_max, end, secret: PerSide::new(false, false) }
    }
}

/// A game with its log.
pub(crate) struct Played {
    pub(crate) game: Game,
    pub(crate) log: Vec<Logged>,
    pub(crate) manner: Manner,
}

/// Plays a random game. Every second ply is a strike if one is possible, because otherwise short
/// games would contain few strikes.
pub(crate) fn play(ruleset: &'static Ruleset, manner: Manner, chance: &mut Chance) -> Played {
    let mut table =
        Match::new(ruleset, TimeControl::from(manner.time), manner.secret, Chance::new(chance.bits()));
    let mut log = Vec::new();
    while table.game.phase() != Phase::Over {
        if table.game.phase() == Phase::Playing
            && !table.game.is_paused()
            && table.game.ply() >= manner.plies_max
        {
            finish(&mut table, manner.end, chance, &mut log);
            break;
        }
        if manner.end == End::Abort && table.game.phase() == Phase::Deploying && chance.once_in(6) {
            finish(&mut table, manner.end, chance, &mut log);
            break;
        }
        if chance.once_in(40) && !table.game.is_paused() {
            outage(&mut table, chance, &mut log);
            continue;
        }
        let step = next_step(&table, chance);
        match table.step(&step, chance.below(1200) as u64) {
            Ok(logged) => log.extend(logged),
            Err(_) => log.extend(table.step(&Step::Wait, 0).unwrap_or_default()),
        }
    }
    Played { game: table.game, log, manner }
}

fn next_step(table: &Match, chance: &mut Chance) -> Step {
    let turn = table.game.position().turn();
    if table.game.phase() == Phase::Playing && !table.game.is_paused() && chance.once_in(2) {
        let foes = table.game.position().occupied(turn.opponent());
        let moves: Vec<Move> =
            table.game.legal_moves().iter().flat_map(|moves| moves.iter().collect::<Vec<_>>()).collect();
        let strikes: Vec<Move> = moves.into_iter().filter(|squares| foes.contains(squares.to)).collect();
        if !strikes.is_empty() && !table.game.terms().ruleset.chips {
            return Step::Ask(turn, Command::Move(strikes[chance.below(strikes.len())].into()));
        }
    }
    if table.game.phase() == Phase::Playing && chance.once_in(15) {
        return Step::Ask(if chance.once_in(2) { Side::Red } else { Side::Blue }, Command::OfferDraw);
    }
    if table.game.phase() == Phase::Playing && chance.once_in(8) {
        return Step::Ask(if chance.once_in(2) { Side::Red } else { Side::Blue }, Command::DeclineDraw);
    }
    table.random_step(chance)
}

/// Simulates an outage. The log contains the start of the outage.
fn outage(table: &mut Match, chance: &mut Chance, log: &mut Vec<Logged>) {
    let since = table.now.plus_ms(chance.below(500) as u64);
    table.now = since.plus_ms(chance.below(100_000) as u64);
    for event in decide_pause(&table.game, since) {
        let before = table.game.clone();
        evolve(&mut table.game, &event, table.now);
        log.push(Logged { before, event, after: table.game.clone(), at: table.now });
    }
}

fn finish(table: &mut Match, end: End, chance: &mut Chance, log: &mut Vec<Logged>) {
    let side = if chance.once_in(2) { Side::Red } else { Side::Blue };
    let mut ask = |table: &mut Match, side, command| {
        log.extend(table.step(&Step::Ask(side, command), 3).unwrap_or_default());
    };
    match end {
        End::Open => {}
        End::Resign => ask(table, side, Command::Resign),
        End::Abort => ask(table, side, Command::Abort),
        End::Draw => {
            ask(table, side, Command::OfferDraw);
            ask(table, side.opponent(), Command::AcceptDraw);
        }
        End::OutOfTime => {
            table.now = table.now.plus_ms(90_000_000);
            for event in decide_deadline(&table.game, table.now) {
                let before = table.game.clone();
                evolve(&mut table.game, &event, table.now);
                log.push(Logged { before, event, after: table.game.clone(), at: table.now });
            }
        }
    }
}

pub(crate) fn players() -> PerSide<Player> {
    let player =
        |id: &str, name: &str| Player { id: id.to_owned(), name: name.to_owned(), kind: PlayerKind::Guest };
    PerSide::new(player("p1", "ann"), player("p2", "bob"))
}

impl Played {
    /// Returns the record for one audience, up to this number of events in the log.
    pub(crate) fn record_until(&self, viewer: Viewer, events: usize) -> GameRecord {
        self.recorder(events).record(viewer, self.terms(), players())
    }

    fn recorder(&self, events: usize) -> Recorder {
        let mut recorder = Recorder::new(Game::new(*self.game.terms()));
        let log = self.log.iter().take(events);
        log.for_each(|Logged { event, at, .. }| recorder.note(event, *at));
        recorder
    }

    fn terms(&self) -> Terms {
        Terms {
            ruleset: self.game.terms().ruleset.id.to_owned(),
            time: self.manner.time,
            private: false,
            secret: self.manner.secret.red || self.manner.secret.blue,
            rated: false,
        }
    }

    /// Returns the record that this audience may request, in this scope. `None` if the audience is
    /// not allowed to have such a record.
    pub(crate) fn record_as(&self, scope: RecordScope, requester: Viewer) -> Option<GameRecord> {
        self.recorder(self.log.len()).record_as(scope, requester, self.terms(), players()).ok()
    }

    pub(crate) fn record(&self, viewer: Viewer) -> GameRecord {
        self.record_until(viewer, self.log.len())
    }
}

/// True for games with coins. They have no deployments, and hide only the times of choices until
/// the end.
pub(crate) fn has_coins(record: &GameRecord) -> bool {
    Ruleset::find(&record.terms.ruleset).is_some_and(|ruleset| ruleset.start == Start::Coins)
}

/// True if the record of a game with coins shows all choices, because the end opened them or
/// because there were none.
pub(crate) fn tells_choices(record: &GameRecord) -> bool {
    let is_open = record.outcome.as_ref().is_some_and(|outcome| outcome.reason != "aborted");
    let is_strike = |event: &GameEvent| matches!(event, GameEvent::Struck(_));
    has_coins(record) && (is_open || !record.events.iter().any(|told| is_strike(&told.event)))
}

/// Plays games of every ruleset with these parameters.
pub(crate) fn of_every_ruleset(
    seed: u64,
    games: u64,
    mut manner: impl FnMut(u64) -> Manner,
) -> Vec<(u64, Played)> {
    let seed = Chance::seed_or(seed);
    let mut played = Vec::new();
    for (number, ruleset) in (0..).zip(Ruleset::all()) {
        for game in 0..games {
            let seed = seed + number * 1000 + game;
            played.push((seed, play(ruleset, manner(game), &mut Chance::new(seed))));
        }
    }
    played
}
