//! What coins hide: a choice in a strike that waits (§Q4). Nothing else of such games is a secret (§Q8), so the specification is short: who was told what, and
//! when, with everything public; a choice is told to its own side, and to the others with the strike.

use std::collections::BTreeMap;

use flagfall_board::{PerSide, Rank, Side, Square};
use flagfall_protocol::{Code, GameEvent, GameView, Phase as SeenPhase, PieceText, ViewChange};
use flagfall_rules::secret::{SecretRecord, StruckRecord, to_record};
use flagfall_rules::{
    Choice, Command, EndReason, Entropy, Fate, Game, Identity, Move, Phase, Refusal, Ruleset, Start,
    TimeControl, Viewer, decide,
};
use flagfall_tests::{Chance, Logged, Match, Step, rulesets};

use crate::doors::{Doors, Real, opened, recorded, refused, told};
use crate::paired::Script;

fn with_coins() -> impl Iterator<Item = &'static Ruleset> {
    rulesets().into_iter().filter(|ruleset| ruleset.start == Start::Coins)
}

/// A piece, or a coin: whose, what, and whether it has moved.
type Stands = (Side, Option<Rank>, bool);

/// The board as everybody knows it, and what was said to one audience.
struct Told {
    viewer: Viewer,
    board: BTreeMap<Square, Stands>,
    pools: PerSide<BTreeMap<Rank, u8>>,
    /// The squares of the strike that waits, and the audience's own choice in it.
    pending: Option<(Square, Square, Option<Rank>)>,
    /// When choices were made: of the strike that waits, and of those that are resolved, which the end opens.
    waiting: Vec<String>,
    resolved: Vec<String>,
    said: Vec<String>,
}

impl Told {
    fn new(viewer: Viewer, ruleset: &Ruleset) -> Told {
        let home =
            |side: Side| ruleset.shape.home(side).iter().map(move |square| (square, (side, None, false)));
        Told {
            viewer,
            board: Side::BOTH.into_iter().flat_map(home).collect(),
            pools: PerSide::from_fn(|_| ruleset.army.iter().collect()),
            pending: None,
            waiting: Vec::new(),
            resolved: Vec::new(),
            said: Vec::new(),
        }
    }

    /// A coin is known from now on.
    fn shown(&mut self, square: Square, rank: Rank) {
        let Some((side, found, _)) = self.board.get_mut(&square) else { panic!("{square}: nothing there") };
        if found.replace(rank).is_some() {
            assert_eq!(*found, Some(rank), "it stays what it is (§Q5)");
            return;
        }
        let left = self.pools[*side].get_mut(&rank).expect("one of these is left");
        *left -= 1;
        if *left == 0 {
            self.pools[*side].remove(&rank);
        }
    }

    fn set_out(&mut self, from: Square, to: Square) {
        let Some((_, _, is_moved)) = self.board.get_mut(&from) else { panic!("{from}: nothing there") };
        *is_moved = true;
        if from.column().abs_diff(to.column()) + from.row().abs_diff(to.row()) > 1 {
            self.shown(from, Rank::Scout);
        }
    }

    fn note(&mut self, record: &SecretRecord, at: u64) {
        match record {
            SecretRecord::Struck { side, from, to, owes, proves: _ } => {
                self.set_out(*from, *to);
                self.pending = Some((*from, *to, None));
                self.said.push(format!("{at}: {side} strikes {from}{to}, {owes:?} choose"));
            }
            SecretRecord::Chosen { side, rank } => {
                self.waiting.push(format!("{at}: {side} chose {rank}"));
                if self.viewer == Viewer::Player(*side) {
                    self.said.push(format!("{at}: you chose {rank}"));
                    let pending = self.pending.as_mut().expect("a strike");
                    pending.2 = Some(*rank);
                }
            }
            SecretRecord::Moved { side, from, to, strike, .. } => {
                self.pending = None;
                self.resolved.append(&mut self.waiting);
                self.said.push(format!(
                    "{at}: {side} {from}{to} {:?}",
                    strike.map(|parts| parts.map(|part| part.rank))
                ));
                self.set_out(*from, *to);
                self.moved(*from, *to, strike.as_ref());
            }
            SecretRecord::DrawOffered { side } => self.said.push(format!("{at}: {side} offers a draw")),
            SecretRecord::DrawDeclined { side } => self.said.push(format!("{at}: {side} declines")),
            SecretRecord::Paused { since } => self.said.push(format!("{at}: paused since {}", since.0)),
            SecretRecord::Resumed => self.said.push(format!("{at}: resumed")),
            SecretRecord::Ended { winner, reason } => {
                self.pending = None;
                // A game that is called off opens nothing.
                let opened = if *reason == EndReason::Aborted { &[][..] } else { &self.resolved[..] };
                self.said.push(format!("{at}: over: {winner:?} {reason:?}, {opened:?}"));
            }
            _ => panic!("no event of a game with coins"),
        }
    }

    fn moved(&mut self, from: Square, to: Square, strike: Option<&[StruckRecord; 2]>) {
        for (square, part) in [from, to].into_iter().zip(strike.into_iter().flatten()) {
            self.shown(square, part.rank);
        }
        let mover = self.board.remove(&from).expect("a mover");
        let fates = strike.map(|parts| parts.each_ref().map(|part| part.fate));
        if matches!(fates, Some([_, Fate::Leaves])) {
            self.board.remove(&to);
        }
        if !matches!(fates, Some([Fate::Leaves, _])) {
            self.board.insert(to, mover);
        }
    }
}

/// Every view and event of random games against the specification; how many pieces were looked at, and how many strikes waited.
fn check(ruleset: &'static Ruleset, seed: u64) -> (usize, usize) {
    let script = Script::random(ruleset, &mut Chance::new(seed));
    let (mut checked, mut waited) = (0, 0);
    for viewer in Viewer::ALL {
        let mut table = Match::new(ruleset, script.time, script.secret, Chance::new(script.salts));
        let mut spec = Told::new(viewer, ruleset);
        for (step, after_ms) in &script.steps {
            for logged in table.step(step, *after_ms).expect("a script can be played again") {
                let before = spec.said.len();
                spec.note(&to_record(&logged.event), logged.at.0);
                let is_told = Real.event(&logged, viewer).is_some();
                assert_eq!(is_told, spec.said.len() > before, "{viewer:?} {:?}", logged.event);
                waited += usize::from(spec.pending.is_some());
                checked += check_view(&Real.view(&logged.after, viewer, logged.at), &spec);
            }
        }
    }
    (checked, waited)
}

fn check_view(view: &GameView, spec: &Told) -> usize {
    let found: BTreeMap<Square, Stands> = view
        .pieces
        .iter()
        .map(|PieceText(piece)| {
            let rank = match piece.identity {
                Identity::Known(rank) => Some(rank),
                Identity::Coin => None,
                other => panic!("{other:?} where nothing is hidden"),
            };
            assert_eq!(piece.is_revealed, rank.is_some());
            (piece.square, (piece.side, rank, piece.is_moved))
        })
        .collect();
    assert_eq!(found, spec.board);
    assert_eq!(view.pools.as_ref(), Some(&spec.pools));
    let pending = view.pending_strike.map(|strike| {
        let Move { from, to } = strike.squares.0;
        (from, to, strike.own_choice)
    });
    assert_eq!(pending, spec.pending.filter(|_| view.phase == SeenPhase::Playing));
    found.len()
}

#[test]
fn with_coins_every_audience_is_shown_what_the_specification_says_and_nothing_else() {
    let seed = Chance::seed_or(9_200);
    for ruleset in with_coins() {
        for game in 0..Chance::games_or(2) {
            let (checked, waited) = check(ruleset, seed + game);
            println!(
                "{}: {checked} pieces looked at, {waited} views of strikes that waited, seed {seed}",
                ruleset.id
            );
            assert!(waited > 50);
        }
    }
}

/// A script as one audience lives it: what it was told, and every byte.
fn live(script: &Script, doors: &impl Doors, viewer: Viewer) -> Option<(Vec<String>, Vec<String>)> {
    let mut table = Match::new(script.ruleset, script.time, script.secret, Chance::new(script.salts));
    let mut spec = Told::new(viewer, script.ruleset);
    let mut bytes = vec![opened(doors, &table.game, viewer, 0, table.now)];
    let mut seq = 0;
    let mut log = Vec::new();
    // Looked at whenever something else than a choice is done: at the same moments in both games of a pair.
    for (step, after_ms) in &script.steps {
        for logged in table.step(step, *after_ms).ok()? {
            spec.note(&to_record(&logged.event), logged.at.0);
            seq += u64::from(doors.counts(&logged, viewer));
            if let Some(event) = doors.event(&logged, viewer) {
                bytes.push(told(&logged.after, seq, event));
            }
            log.push(logged);
        }
        if table.game.position().has_strike_pending() {
            bytes.push(opened(doors, &table.game, viewer, seq, table.now));
            probe(doors, &table, viewer, seq, &mut bytes);
        }
    }
    bytes.push(opened(doors, &table.game, viewer, seq, table.now));
    bytes.push(recorded(&doors.record(&log, &table.game, viewer)));
    Some((spec.said, bytes))
}

/// Asks for everything there is, as the audience's player who does not choose now, and keeps what is refused.
fn probe(doors: &impl Doors, table: &Match, viewer: Viewer, seq: u64, bytes: &mut Vec<String>) {
    let Viewer::Player(side) = viewer else { return };
    let game = &table.game;
    let board = game.terms().ruleset.shape.squares();
    let own = game.position().occupied(side).first().expect("a piece");
    let squares = |to| Move { from: own, to };
    let mut commands: Vec<Command> = board.iter().map(|to| Command::Move(squares(to).into())).collect();
    commands.extend(Rank::ALL.map(|rank| Command::Choose(Choice(rank))));
    commands.extend([Command::AcceptDraw, Command::DeclineDraw, Command::OfferDraw, Command::Abort]);
    for command in commands {
        match decide(game, side, game.ply(), &command, table.now, &Entropy([0; 32])) {
            // Its own choice would be taken: what comes of it is told by the events.
            Ok(_) => bytes.push(format!("{} is taken", refusable(&command))),
            Err(refusal) => {
                let to = if let Command::Move(asked) = &command { asked.squares } else { squares(own) };
                bytes.push(refused(game, seq, doors.refusal(game, to, refusal)));
            }
        }
    }
}

fn refusable(command: &Command) -> String {
    match command {
        Command::Choose(Choice(rank)) => format!("choosing {rank}"),
        other => format!("{other:?}"),
    }
}

/// The same game with the other sides' choices made at other moments, or others where they were never told.
fn twin(script: &Script, viewer: Viewer, chance: &mut Chance) -> Script {
    let mut twin = script.clone();
    let is_hidden =
        |step: &Step| matches!(step, Step::Ask(side, Command::Choose(_)) if viewer != Viewer::Player(*side));
    // Clocks tell how long a choice took once its strike is resolved: with them only the strike that still waits may differ.
    let is_move = |step: &Step| matches!(step, Step::Ask(_, Command::Move(_)));
    let last_move = twin.steps.iter().rposition(|(step, _)| is_move(step)).unwrap_or_default();
    let first = if twin.time == TimeControl::Unlimited { 0 } else { last_move + 1 };
    for at in first..twin.steps.len() {
        if !is_hidden(&twin.steps[at].0) || chance.once_in(4) {
            continue;
        }
        // Steps keep their times; what is done in them changes places with a neighbor.
        let near = if chance.once_in(2) { at + 1 } else { at.saturating_sub(1).max(first) };
        let is_still = |step: &Step| matches!(step, Step::Wait | Step::Ask(_, Command::Choose(_)));
        if near < twin.steps.len() && near != at && is_still(&twin.steps[near].0) {
            let (one, other) = (twin.steps[at].0.clone(), twin.steps[near].0.clone());
            twin.steps[at].0 = other;
            twin.steps[near].0 = one;
        }
    }
    // A strike that is never resolved: another choice, or none.
    let last = twin.steps.iter().rposition(|(step, _)| matches!(step, Step::Ask(_, Command::Choose(_))));
    if let Some(last) = last.filter(|last| is_hidden(&twin.steps[*last].0)) {
        match (chance.below(3), &mut twin.steps[last].0) {
            (0, step) => *step = Step::Wait,
            (1, Step::Ask(_, Command::Choose(Choice(rank)))) => *rank = Rank::ALL[chance.below(Rank::COUNT)],
            _ => {}
        }
    }
    twin
}

/// A game that stops somewhere, often in the middle of a choice, now and then by an end that leaves it unseen.
fn scripts(ruleset: &'static Ruleset, seed: u64) -> impl Iterator<Item = Script> {
    let mut chance = Chance::new(seed);
    let whole = Script::random(ruleset, &mut chance);
    let choices: Vec<usize> = (0..whole.steps.len())
        .filter(|at| matches!(whole.steps[*at].0, Step::Ask(_, Command::Choose(_))))
        .collect();
    (0..12).filter_map(move |number| {
        let at = *choices.get(chance.below(choices.len().max(1)))?;
        let mut script = whole.clone();
        script.steps.truncate(at + 1);
        // Before every choice there is time for another order of things.
        let is_choice = |step: &Step| matches!(step, Step::Ask(_, Command::Choose(_)));
        script.steps = script
            .steps
            .into_iter()
            .flat_map(|(step, ms)| {
                // Two steps at one moment would be looked at apart and told alike.
                let ms = ms.max(1);
                if is_choice(&step) { vec![(Step::Wait, 40), (step, ms)] } else { vec![(step, ms)] }
            })
            .collect();
        script.time = if number % 2 == 0 {
            TimeControl::Unlimited
        } else {
            TimeControl::Fischer { base_ms: 60_000_000, increment_ms: 1_000 }
        };
        let is_waiting = {
            let mut table = Match::new(ruleset, script.time, script.secret, Chance::new(script.salts));
            script.steps.iter().for_each(|(step, ms)| drop(table.step(step, *ms)));
            table.game.position().has_strike_pending()
        };
        if !is_waiting && script.time != TimeControl::Unlimited {
            return None;
        }
        match number % 4 {
            0 => {}
            1 => script.steps.push((Step::Ask(Side::Red, Command::Resign), 50)),
            2 => script.steps.push((Step::Ask(Side::Blue, Command::OfferDraw), 50)),
            _ => script.steps.extend([(Step::Pause, 50), (Step::Resume, 700), (Step::Wait, 60)]),
        }
        Some(script)
    })
}

/// Pairs that tell the audience the same; the first bytes that differ.
fn look(doors: &impl Doors, ruleset: &'static Ruleset, games: u64) -> (usize, Option<(String, String)>) {
    let mut pairs = 0;
    for seed in 0..games {
        for script in scripts(ruleset, 9_300 + seed) {
            for viewer in Viewer::ALL {
                let Some(one) = live(&script, doors, viewer) else { continue };
                let mut chance = Chance::new(seed);
                for _ in 0..6 {
                    let twin = twin(&script, viewer, &mut chance);
                    let is_other = !same_steps(&script, &twin);
                    let Some(other) = live(&twin, doors, viewer).filter(|other| is_other && one.0 == other.0)
                    else {
                        continue;
                    };
                    pairs += 1;
                    if one.1 != other.1 {
                        let different = one.1.iter().zip(&other.1).find(|(one, other)| one != other);
                        let lengths = || (one.1.len().to_string(), other.1.len().to_string());
                        let pair = different.map(|(one, other)| (one.clone(), other.clone()));
                        return (pairs, Some(pair.unwrap_or_else(lengths)));
                    }
                }
            }
        }
    }
    (pairs, None)
}

fn same_steps(one: &Script, other: &Script) -> bool {
    let name = |step: &Step| match step {
        Step::Ask(side, Command::Choose(Choice(rank))) => format!("{side} {rank}"),
        other => format!("{other:?}"),
    };
    one.steps.iter().map(|(step, _)| name(step)).eq(other.steps.iter().map(|(step, _)| name(step)))
}

#[test]
fn no_byte_depends_on_a_choice_that_waits() {
    for ruleset in with_coins() {
        let (pairs, leak) = look(&Real, ruleset, Chance::games_or(8));
        println!("{}: {pairs} pairs with other choices in hiding", ruleset.id);
        assert!(pairs >= 30, "too few pairs to mean anything: {pairs}");
        assert!(leak.is_none(), "{}: a byte depends on a choice: {leak:#?}", ruleset.id);
    }
}

fn finds(name: &str, doors: &impl Doors) {
    for ruleset in with_coins() {
        let (pairs, leak) = look(doors, ruleset, 6);
        let Some((one, other)) = leak else {
            panic!("{name} was not found in {pairs} pairs of {}", ruleset.id)
        };
        assert_ne!(one, other);
    }
}

/// Leak: the number counts every choice.
struct CountsChoices;
impl Doors for CountsChoices {
    fn counts(&self, _logged: &Logged, _viewer: Viewer) -> bool {
        true
    }
}

/// Leak: a choice is told to everybody.
struct TellsChoices;
impl Doors for TellsChoices {
    fn event(&self, logged: &Logged, viewer: Viewer) -> Option<(GameEvent, ViewChange)> {
        Real.event(logged, viewer).or_else(|| {
            let chooser = Side::BOTH.into_iter().find_map(|side| Real.event(logged, Viewer::Player(side)));
            chooser.map(|(event, _)| (event, ViewChange::default()))
        })
    }
}

/// Leak: the clock of a side that has chosen is seen to stand still.
struct ClockStopsEarly;
impl Doors for ClockStopsEarly {
    fn view(&self, game: &Game, viewer: Viewer, now: flagfall_board::Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        let own = |side| Real.view(game, Viewer::Player(side), now).clock;
        if let (Some(clock), Some(red), Some(blue)) = (&mut view.clock, own(Side::Red), own(Side::Blue)) {
            clock.remaining_ms = PerSide::new(red.remaining_ms.red, blue.remaining_ms.blue);
        }
        view
    }
}

/// Leak: who asks for something else is told whether the other has chosen.
struct RefusalTells;
impl Doors for RefusalTells {
    fn refusal(&self, game: &Game, squares: Move, refusal: Refusal) -> (Code, String) {
        let (code, message) = Real.refusal(game, squares, refusal);
        let waiting = Side::BOTH.into_iter().filter(|side| game.is_to_act(*side)).count();
        if game.position().has_strike_pending() && game.phase() == Phase::Playing {
            return (code, format!("{message} ({waiting} to choose)"));
        }
        (code, message)
    }
}

/// Leak: a pool shrinks with a choice that nobody has been shown.
struct PoolShrinksEarly;
impl Doors for PoolShrinksEarly {
    fn view(&self, game: &Game, viewer: Viewer, now: flagfall_board::Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        for side in Side::BOTH {
            let own = Real.view(game, Viewer::Player(side), now).pending_strike;
            let chosen = own.and_then(|strike| strike.own_choice);
            if let (Some(pools), Some(rank)) = (&mut view.pools, chosen) {
                pools[side].remove(&rank);
            }
        }
        view
    }
}

/// Leak: the view says who still owes a choice.
struct OwesLess;
impl Doors for OwesLess {
    fn view(&self, game: &Game, viewer: Viewer, now: flagfall_board::Stamp) -> GameView {
        let mut view = Real.view(game, viewer, now);
        if let Some(strike) = &mut view.pending_strike {
            strike.owes = PerSide::from_fn(|side| game.is_to_act(side));
        }
        view
    }
}

#[test]
fn a_number_that_counts_a_choice_is_found() {
    finds("a number that counts choices", &CountsChoices);
}

#[test]
fn a_choice_told_to_everybody_is_found() {
    finds("a choice told to everybody", &TellsChoices);
}

#[test]
fn a_clock_that_stops_early_is_found() {
    finds("a clock that stops early", &ClockStopsEarly);
}

#[test]
fn a_refusal_that_tells_of_a_choice_is_found() {
    finds("a refusal that tells of a choice", &RefusalTells);
}

#[test]
fn a_pool_that_shrinks_early_is_found() {
    finds("a pool that shrinks early", &PoolShrinksEarly);
}

#[test]
fn a_view_that_says_who_still_owes_is_found() {
    finds("who still owes", &OwesLess);
}
