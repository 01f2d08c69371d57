//! Tests the only secret of coins: a choice in a pending strike (§Q4).
//!
//! Games with coins have no other secret (§Q8), so it is easy to specify what each audience was
//! told, and when. A side sees its own choice immediately. The others see it with the result of
//! the strike.

use std::collections::BTreeMap;
use std::sync::Arc;

use flagfall_board::{PerSide, Rank, Side, Square};
use flagfall_protocol::GameView;
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{
    Choice, Command, EndReason, Entropy, Identity, Move, Phase, Ruleset, SeenPiece, Start, TimeControl,
    Viewer, decide, view,
};
use flagfall_second_opinion::{At, Board, COIN, Piece, rules};
use flagfall_tests::{Chance, Match, Step, rulesets};

use crate::doors::{Doors, Real, opened, recorded, refused, scoped, told};
use crate::engine_events::{at, board_event};
use crate::paired::{Findings, Script};

pub(crate) fn with_coins() -> impl Iterator<Item = &'static Ruleset> {
    rulesets().into_iter().filter(|ruleset| ruleset.start == Start::Coins)
}

/// The board, which everybody knows, and the facts that one audience was told.
struct AudienceKnowledge {
    viewer: Viewer,
    /// The board, with the audience's own choice in a pending strike.
    board: Board,
    /// The moments at which choices were made: `waiting` for the pending strike, and `resolved`
    /// for resolved strikes. At the end of the game, the moments in `resolved` become public.
    waiting: Vec<String>,
    resolved: Vec<String>,
    said: Vec<String>,
}

impl AudienceKnowledge {
    fn new(viewer: Viewer, ruleset: &Ruleset) -> AudienceKnowledge {
        let rules = rules(ruleset.id).expect("the second opinion knows every ruleset");
        let lakes = ruleset.shape.lakes.iter().map(at).collect();
        AudienceKnowledge {
            viewer,
            board: Board::start(Arc::new(rules), lakes, ["", ""]).expect("a board of coins"),
            waiting: Vec::new(),
            resolved: Vec::new(),
            said: Vec::new(),
        }
    }

    fn take(&mut self, record: &SecretRecord) {
        let event = board_event(record).expect("an event on the board");
        if let Err(why) = self.board.take(&event) {
            panic!("{event:?}: {why}");
        }
    }

    fn note(&mut self, record: &SecretRecord, at: u64) {
        match record {
            SecretRecord::Struck { side, from, to, owes, proves: _ } => {
                self.take(record);
                self.said.push(format!("{at}: {side} strikes {from}{to}, {owes:?} choose"));
            }
            SecretRecord::Chosen { side, rank } => {
                self.waiting.push(format!("{at}: {side} chose {rank}"));
                if self.viewer == Viewer::Player(*side) {
                    self.said.push(format!("{at}: you chose {rank}"));
                    let pending = self.board.pending.as_mut().expect("a strike");
                    pending.chosen[*side as usize] = Some(rank.letter());
                }
            }
            SecretRecord::Moved { side, from, to, strike, .. } => {
                self.resolved.append(&mut self.waiting);
                self.said.push(format!(
                    "{at}: {side} {from}{to} {:?}",
                    strike.map(|parts| parts.map(|part| part.rank))
                ));
                self.take(record);
            }
            SecretRecord::DrawOffered { side } => self.said.push(format!("{at}: {side} offers a draw")),
            SecretRecord::DrawDeclined { side } => self.said.push(format!("{at}: {side} declines")),
            SecretRecord::Paused { since } => self.said.push(format!("{at}: paused since {}", since.0)),
            SecretRecord::Resumed { since } => self.said.push(format!("{at}: resumed since {since:?}")),
            SecretRecord::Ended { winner, reason } => {
                // The end of an aborted game does not reveal anything.
                let opened = if *reason == EndReason::Aborted { &[][..] } else { &self.resolved[..] };
                self.said.push(format!("{at}: over: {winner:?} {reason:?}, {opened:?}"));
            }
            _ => panic!("a game with coins has no such event"),
        }
    }
}

/// Checks every view and event of a random game. Returns how many pieces were compared.
pub(crate) fn check(ruleset: &'static Ruleset, seed: u64) -> usize {
    let script = Script::random(ruleset, &mut Chance::new(seed));
    let (mut checked, mut waited) = (0, 0);
    for viewer in Viewer::ALL {
        let mut table = script.table();
        let mut spec = AudienceKnowledge::new(viewer, ruleset);
        for (step, after_ms) in &script.steps {
            for logged in table.step(step, *after_ms).expect("a script can be played again") {
                let before = spec.said.len();
                spec.note(&to_record(&logged.event), logged.at.0);
                let is_told = Real.event(&logged, viewer).is_some();
                assert_eq!(is_told, spec.said.len() > before, "{viewer:?} {:?}", logged.event);
                waited += usize::from(spec.board.pending.is_some());
                checked += check_view(&Real.view(&logged.after, viewer, logged.at), &spec);
            }
        }
    }
    assert!(waited > 50, "too few strikes that wait to mean anything: {waited}");
    checked
}

fn check_view(view: &GameView, spec: &AudienceKnowledge) -> usize {
    let found: BTreeMap<At, (usize, char, bool)> = view
        .pieces
        .iter()
        .map(|piece| {
            let letter = match piece.identity {
                Identity::Known(rank) => rank.letter(),
                Identity::Coin => COIN,
                other => panic!("{other:?}, but nothing is hidden"),
            };
            assert_eq!(piece.is_revealed, letter != COIN);
            (at(piece.square), (piece.side as usize, letter, piece.is_moved))
        })
        .collect();
    let stands = |piece: Piece| (piece.color, piece.letter, piece.is_moved);
    assert_eq!(found, spec.board.pieces().map(|(square, piece)| (square, stands(piece))).collect());
    let pool = |side: Side| {
        let left = spec.board.pools[side as usize].iter().filter(|(_, count)| **count > 0);
        left.filter_map(|(letter, count)| Some((Rank::from_letter(*letter)?, *count as u8))).collect()
    };
    assert_eq!(view.pools, Some(PerSide::from_fn(pool)));
    let pending = view.pending_strike.map(|strike| {
        let Move { from, to } = strike.squares;
        ((at(from), at(to)), strike.own_choice.map(Rank::letter))
    });
    let own = |chosen: [Option<char>; 2]| match spec.viewer {
        Viewer::Player(side) => chosen[side as usize],
        Viewer::Public => None,
    };
    let expected = spec.board.pending.map(|strike| (strike.squares, own(strike.chosen)));
    assert_eq!(pending, expected.filter(|_| view.phase == Phase::Playing));
    found.len()
}

/// Returns the messages that one audience gets in a script. `None` if a step is refused, because
/// such a script is not a valid game.
fn said(script: &Script, viewer: Viewer) -> Option<Vec<String>> {
    let mut table = script.table();
    let mut spec = AudienceKnowledge::new(viewer, script.ruleset);
    for (step, after_ms) in &script.steps {
        for logged in table.step(step, *after_ms).ok()? {
            spec.note(&to_record(&logged.event), logged.at.0);
        }
    }
    Some(spec.said)
}

/// The number of last steps in which a pending strike is always probed. In earlier steps, it is
/// probed in every seventh step.
const LAST_STEPS: usize = 6;

/// Returns all bytes that are sent to one audience in a valid script.
fn live(script: &Script, doors: &impl Doors, viewer: Viewer) -> Vec<String> {
    let mut table = script.table();
    let mut bytes = vec![opened(doors, &table.game, viewer, 0, table.now)];
    let mut seq = 0;
    let mut log = Vec::new();
    for (at, (step, after_ms)) in script.steps.iter().enumerate() {
        let logged = table.step(step, *after_ms).expect("a script can be played again");
        bytes.extend(doors.command(step, &logged, viewer));
        for logged in logged {
            seq += u64::from(doors.counts(&logged, viewer));
            if let Some(event) = doors.event(&logged, viewer) {
                bytes.push(told(&logged.after, seq, event));
            }
            log.push(logged);
        }
        let is_near = at + LAST_STEPS > script.steps.len();
        if table.game.position().has_strike_pending() && (is_near || at.is_multiple_of(7)) {
            bytes.push(opened(doors, &table.game, viewer, seq, table.now));
            probe(doors, &table, viewer, seq, &mut bytes);
            if is_near {
                bytes.push(recorded(&doors.record(&log, &table.game, viewer)));
            }
        }
    }
    bytes.push(opened(doors, &table.game, viewer, seq, table.now));
    bytes.extend(scoped(doors, &log, &table.game, viewer));
    bytes.push(recorded(&doors.record(&log, &table.game, viewer)));
    bytes
}

/// Tries every command as the audience's player and keeps the refusals.
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
            // The answers to the audience's own side may differ, for example because its own
            // choice would be accepted. The events show the consequences of the choice.
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

/// Returns the same game with different choices by the other sides. The choices are made at other
/// moments, or have other ranks if the ranks were never told.
fn twin(script: &Script, last: Option<&LastChoice>, viewer: Viewer, chance: &mut Chance) -> Script {
    let mut twin = script.clone();
    let is_hidden =
        |step: &Step| matches!(step, Step::Ask(side, Command::Choose(_)) if viewer != Viewer::Player(*side));
    // Once a strike is resolved, clocks show how long a choice took. So in games with clocks,
    // only the pending strike may differ.
    let is_move = |step: &Step| matches!(step, Step::Ask(_, Command::Move(_)));
    let last_move = twin.steps.iter().rposition(|(step, _)| is_move(step)).unwrap_or_default();
    let first = if twin.time == TimeControl::Unlimited { 0 } else { last_move + 1 };
    // In a strike that is never resolved, the twin may have another choice, or none.
    if let Some(LastChoice { at, ranks }) = last.filter(|last| is_hidden(&twin.steps[last.at].0)) {
        match (chance.below(4), &mut twin.steps[*at].0) {
            (0, step) => *step = Step::Wait,
            (1 | 2, Step::Ask(_, Command::Choose(Choice(rank)))) => *rank = ranks[chance.below(ranks.len())],
            _ => {}
        }
    }
    for at in first..twin.steps.len() {
        if !is_hidden(&twin.steps[at].0) || chance.once_in(4) {
            continue;
        }
        // Swap the actions of neighboring steps, but not their times.
        let near = if chance.once_in(2) { at + 1 } else { at.saturating_sub(1).max(first) };
        let is_still = |step: &Step| matches!(step, Step::Wait | Step::Ask(_, Command::Choose(_)));
        if near < twin.steps.len() && near != at && is_still(&twin.steps[near].0) {
            let (one, other) = (twin.steps[at].0.clone(), twin.steps[near].0.clone());
            twin.steps[at].0 = other;
            twin.steps[near].0 = one;
        }
    }
    twin
}

/// The first choice in the strike that ends a script, and the ranks that could have been chosen
/// instead.
struct LastChoice {
    at: usize,
    ranks: Vec<Rank>,
}

fn is_choice(step: &Step) -> bool {
    matches!(step, Step::Ask(_, Command::Choose(_)))
}

/// A game that is cut off while a strike waits for the second choice, or right after the strike
/// was resolved.
///
/// Without the cut, the following steps would often end the game before the first choice is
/// shown.
struct Cut {
    script: Script,
    last: Option<LastChoice>,
}

fn cuts(ruleset: &'static Ruleset, seed: u64) -> Vec<Cut> {
    let mut chance = Chance::new(seed);
    let whole = if seed.is_multiple_of(2) {
        Script::random(ruleset, &mut chance)
    } else {
        full_of_strikes(ruleset, &mut chance)
    };
    let (all, first) = moments_of_choices(&whole);
    if first.is_empty() {
        return Vec::new();
    }
    let cut = |number: usize| {
        let moments = if number.is_multiple_of(4) { &all } else { &first };
        // Prefers early moments. At those moments, more of the struck coins have not moved, so
        // they could still be anything.
        let until = 1 + chance.below(moments.len());
        cut(&whole, moments[chance.below(until)], number)
    };
    (0..12).filter_map(cut).collect()
}

/// A random game in which no clock runs and moved coins strike whenever they can.
///
/// Unmoved coins are preferred as targets, because they could still be anything.
fn full_of_strikes(ruleset: &'static Ruleset, chance: &mut Chance) -> Script {
    let (time, secret) = (TimeControl::Unlimited, PerSide::default());
    let mut script = Script { ruleset, time, secret, salts: chance.bits(), steps: Vec::new() };
    let mut table = script.table();
    while table.game.phase() != Phase::Over {
        let owing: Vec<Side> = Side::BOTH.into_iter().filter(|side| table.game.is_to_act(*side)).collect();
        let side = owing[chance.below(owing.len())];
        let view = view(&table.game, Viewer::Player(side), table.now);
        let commands: Vec<Command> =
            view.legal_commands().into_iter().flat_map(|it| it.iter().collect::<Vec<_>>()).collect();
        let stands = |square: Square, is_moved: bool| {
            let is_it = |piece: &SeenPiece| piece.identity == Identity::Coin && piece.is_moved == is_moved;
            view.pieces.iter().any(|piece| piece.square == square && is_it(piece))
        };
        let interest = |command: &Command| match command {
            Command::Move(asked) => {
                let Move { from, to } = asked.squares;
                let is_near = from.column().abs_diff(to.column()) + from.row().abs_diff(to.row()) == 1;
                let is_strike = stands(from, true) && (stands(to, true) || stands(to, false));
                u8::from(is_near) * (1 + u8::from(is_strike) + u8::from(is_strike && stands(to, false)))
            }
            Command::Choose(Choice(rank)) => u8::from(*rank != Rank::Flag),
            _ => 0,
        };
        let most = commands.iter().map(interest).max().unwrap_or_default();
        let best: Vec<&Command> = commands.iter().filter(|command| interest(command) == most).collect();
        let step = Step::Ask(side, best[chance.below(best.len())].clone());
        let after_ms = 1 + chance.below(400) as u64;
        table.step(&step, after_ms).expect("a legal command");
        script.steps.push((step, after_ms));
    }
    script
}

/// Returns the steps of a script in which choices are made, and the steps in which the other side
/// must still choose.
fn moments_of_choices(script: &Script) -> (Vec<usize>, Vec<usize>) {
    let mut table = script.table();
    let (mut all, mut first) = (Vec::new(), Vec::new());
    for (at, (step, after_ms)) in script.steps.iter().enumerate() {
        drop(table.step(step, *after_ms));
        if is_choice(step) {
            all.push(at);
            first.extend(table.game.position().has_strike_pending().then_some(at));
        }
    }
    (all, first)
}

fn cut(whole: &Script, end: usize, number: usize) -> Option<Cut> {
    let mut script = whole.clone();
    script.steps.truncate(end + 1);
    // Leave time before every choice, so that the order can change. If two steps happened at the
    // same moment, audiences would be told the same about both orders, but the test would expect
    // a difference.
    let with_time = |(step, ms): (Step, u64)| {
        let wait = is_choice(&step).then_some((Step::Wait, 40));
        wait.into_iter().chain([(step, ms.max(1))])
    };
    script.steps = script.steps.into_iter().flat_map(with_time).collect();
    script.time = if number.is_multiple_of(4) || number % 3 == 1 {
        TimeControl::Unlimited
    } else {
        TimeControl::Fischer { base_ms: BASE_MS, increment_ms: 1_000 }
    };
    let last = last_choice(&script);
    if last.is_none() && script.time != TimeControl::Unlimited {
        return None;
    }
    let ask = |side, command| (Step::Ask(side, command), 50);
    match number % 6 {
        0 => {}
        1 => script.steps.push(ask(Side::Red, Command::Resign)),
        2 => script.steps.push(ask(Side::Blue, Command::OfferDraw)),
        3 => script.steps.push((Step::Wait, 2 * BASE_MS)),
        4 => script.steps.extend([ask(Side::Red, Command::OfferDraw), ask(Side::Blue, Command::AcceptDraw)]),
        _ => script.steps.extend([(Step::Pause, 50), (Step::Resume, 700), (Step::Wait, 60)]),
    }
    Some(Cut { script, last })
}

/// This time is longer than any game. Otherwise, a side could run out of time while it must
/// choose.
const BASE_MS: u64 = 60_000_000;

fn last_choice(script: &Script) -> Option<LastChoice> {
    let mut table = script.table();
    let (end, before) = script.steps.split_last()?;
    before.iter().for_each(|(step, ms)| drop(table.step(step, *ms)));
    let Step::Ask(side, Command::Choose(_)) = end.0 else { return None };
    let commands = view(&table.game, Viewer::Player(side), table.now).legal_commands()?;
    let ranks = commands.iter().filter_map(|command| match command {
        Command::Choose(Choice(rank)) => Some(rank),
        _ => None,
    });
    let ranks: Vec<Rank> = ranks.collect();
    drop(table.step(&end.0, end.1));
    table.game.position().has_strike_pending().then(|| LastChoice { at: script.steps.len() - 1, ranks })
}

/// Searches games of one ruleset for bytes that depend on a choice, and stops at the first leak.
pub(crate) fn look(doors: &impl Doors, ruleset: &'static Ruleset, seed: u64, games: u64) -> Findings {
    let mut findings = Findings::default();
    for game in 0..games {
        for Cut { script, last } in cuts(ruleset, seed + game) {
            for viewer in Viewer::ALL {
                let Some(one) = said(&script, viewer) else { continue };
                let mut bytes = None;
                let mut chance = Chance::new(seed + game);
                for _ in 0..6 {
                    let twin = twin(&script, last.as_ref(), viewer, &mut chance);
                    if same_steps(&script, &twin) || said(&twin, viewer).as_ref() != Some(&one) {
                        continue;
                    }
                    let bytes = bytes.get_or_insert_with(|| live(&script, doors, viewer));
                    findings.note(bytes, &live(&twin, doors, viewer), choices(&script) != choices(&twin));
                    if findings.leak.is_some() {
                        return findings;
                    }
                }
            }
        }
    }
    findings
}

fn choices(script: &Script) -> usize {
    script.steps.iter().filter(|(step, _)| is_choice(step)).count()
}

fn same_steps(one: &Script, other: &Script) -> bool {
    let name = |step: &Step| match step {
        Step::Ask(side, Command::Choose(Choice(rank))) => format!("{side} {rank}"),
        other => format!("{other:?}"),
    };
    one.steps.iter().map(|(step, _)| name(step)).eq(other.steps.iter().map(|(step, _)| name(step)))
}

#[test]
fn a_choice_that_waits_is_in_no_outgoing_byte() {
    for ruleset in with_coins() {
        let mut waiting = 0;
        for cut in (0..Chance::games_or(4)).flat_map(|game| cuts(ruleset, 9_400 + game)) {
            let Some(LastChoice { at, .. }) = cut.last else { continue };
            let Step::Ask(chooser, _) = cut.script.steps[at].0 else { continue };
            for viewer in Viewer::ALL {
                let mut script = cut.script.clone();
                script.steps.truncate(at + 1);
                let bytes = live(&script, &Real, viewer);
                let last = bytes.last().expect("a record");
                let view = bytes.iter().rfind(|text| text.contains(r#""type":"game""#)).expect("a view");
                let is_own = viewer == Viewer::Player(chooser);
                assert_eq!(view.contains(r#""own_choice""#), is_own, "{viewer:?} {view}");
                let (own, others) = (r#""kind":"chosen""#, r#""side":"#);
                let told = last.split(own).skip(1).filter(|rest| {
                    let (_, rest) = rest.split_once(others).expect("a side");
                    !rest.starts_with(if viewer == Viewer::Player(Side::Red) {
                        r#""red""#
                    } else {
                        r#""blue""#
                    })
                });
                assert_eq!(told.count(), 0, "{viewer:?} {last}");
                waiting += 1;
            }
        }
        assert!(waiting > 6, "{}: {waiting}", ruleset.id);
    }
}

/// The moment of the first choice must not affect what others are sent.
#[test]
fn a_choice_made_earlier_or_later_leaves_no_trace() {
    for ruleset in with_coins() {
        let step = |side, squares: &str| {
            let squares: Move = squares.parse().expect("squares");
            (Step::Ask(side, Command::Move(squares.into())), 10)
        };
        let choose = |side, rank| Step::Ask(side, Command::Choose(Choice(rank)));
        let script = |choices: [Step; 3]| Script {
            ruleset,
            time: TimeControl::Unlimited,
            secret: PerSide::default(),
            salts: 3,
            steps: [step(Side::Red, "a4a5"), step(Side::Blue, "a7a6"), step(Side::Red, "a5a6")]
                .into_iter()
                .chain(choices.map(|step| (step, 20)))
                .collect(),
        };
        let (red, blue) = (choose(Side::Red, Rank::Major), choose(Side::Blue, Rank::Miner));
        let early = script([red.clone(), Step::Wait, blue.clone()]);
        let late = script([Step::Wait, red.clone(), blue.clone()]);
        let none = script([Step::Wait, Step::Wait, Step::Wait]);
        for viewer in [Viewer::Player(Side::Blue), Viewer::Public] {
            assert_eq!(live(&early, &Real, viewer), live(&late, &Real, viewer), "{viewer:?}");
            assert_ne!(said(&early, viewer), said(&none, viewer), "{viewer:?} is told of the strike");
        }
        // The public must not be able to tell which side chose first.
        let other = script([blue, Step::Wait, red]);
        assert_eq!(live(&early, &Real, Viewer::Public), live(&other, &Real, Viewer::Public));
    }
}
