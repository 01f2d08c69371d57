//! Tests that the mover's view, the position and `decide` agree about which moves are legal.

use std::collections::BTreeSet;

use flagfall_board::{ChipColor, Direction, Rank, Side, Sign, Square};
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{
    Choice, Command, EndReason, Entropy, Events, Move, MoveCommand, Phase, Placing, Refusal, Viewer, decide,
    view,
};
use flagfall_tests::{Chance, Logged, Match, Step};

use crate::{Law, hold};

/// Checks all pairs of squares. There are many pairs, so they are checked only every few steps,
/// and whenever a repetition rule forbids a move.
struct Legal {
    step: usize,
    every: usize,
    by_repetition: usize,
}

impl Law for Legal {
    fn before(&mut self, table: &Match, _step: &Step, _chance: &mut Chance) {
        let game = &table.game;
        if game.phase() != Phase::Playing
            || game.is_paused()
            || game.deadline().is_some_and(|at| table.now > at)
        {
            return;
        }
        if game.position().has_strike_pending() {
            return self.choices(table);
        }
        let turn = game.position().turn();
        let seen = view(game, Viewer::Player(turn), table.now);
        let in_view = seen.legal_moves().expect("it is the viewer's turn");
        let in_position = game.legal_moves().expect("the game is running");
        assert_eq!(in_view, in_position);
        assert_eq!(in_position.iter().count(), in_position.len());
        let ruleset = game.terms().ruleset;
        assert!(ruleset.reserve || !in_position.is_empty(), "a side without a move has lost already");
        for viewer in [Viewer::Player(turn.opponent()), Viewer::Public] {
            let seen = view(game, viewer, table.now);
            assert_eq!(seen.legal_moves(), None);
            assert!(seen.refused_moves.is_empty());
            assert_eq!(seen.more_squares, None);
        }
        self.step += 1;
        if seen.refused_moves.is_empty() && !self.step.is_multiple_of(self.every) {
            return;
        }
        if ruleset.chips {
            // Moves may also need a color here, so this law skips them. The law about commands
            // covers them.
            return;
        }
        for (n, squares) in in_position.iter().enumerate() {
            assert_eq!(in_position.nth(n), Some(squares));
        }
        // A repetition rule forbids only moves of the side's own pieces, so try moves from other
        // squares only every few steps.
        let is_every = self.step.is_multiple_of(self.every);
        let own = game.position().occupied(turn);
        let (mut refused, mut chases) = (Vec::new(), Vec::new());
        for from in squares().filter(|from| is_every || own.contains(*from)) {
            for to in squares() {
                let squares = Move { from, to };
                let entropy = Entropy([0; 32]);
                let verdict =
                    decide(game, turn, game.ply(), &Command::Move(squares.into()), table.now, &entropy);
                // If an illegal act loses the game, an illegal command is accepted, too, but does
                // not count as a ply (§U7).
                let is_ply = verdict.as_ref().is_ok_and(is_ply);
                assert_eq!(is_ply, in_position.contains(squares), "{squares}");
                if game.terms().ruleset.illegal_act_loses {
                    let is_loss = verdict.as_ref().is_ok_and(|events| lost_by_illegal_act(events, turn));
                    assert_eq!(is_loss, !is_ply, "{squares}");
                }
                if let Err(Refusal::TwoSquares | Refusal::MoreSquares) = verdict {
                    refused.push(squares);
                }
                if let Err(Refusal::MoreSquares) = verdict {
                    chases.push(squares);
                }
                let verdict = decide(
                    game,
                    turn.opponent(),
                    game.ply(),
                    &Command::Move(squares.into()),
                    table.now,
                    &entropy,
                );
                assert_eq!(verdict, Err(Refusal::NotYourTurn));
            }
        }
        let mut listed = seen.refused_moves.clone();
        listed.sort_unstable();
        assert_eq!(listed, refused, "the view lists what a repetition rule refuses");
        let mut listed = seen.more_squares.clone();
        listed.iter_mut().for_each(|moves| moves.sort_unstable());
        assert_eq!(listed, (!refused.is_empty()).then_some(chases), "the view tells which rule refuses");
        self.by_repetition += refused.len();
    }

    fn end(&mut self, table: &Match) {
        if table.game.terms().ruleset.two_squares_limit.is_none() {
            assert_eq!(self.by_repetition, 0);
        }
    }
}

impl Legal {
    /// Checks that choosing is the only act on the board during a pending strike (§Q4).
    fn choices(&mut self, table: &Match) {
        let game = &table.game;
        assert!(game.legal_moves().expect("the game is running").is_empty());
        for side in Side::BOTH {
            let seen = view(game, Viewer::Player(side), table.now);
            let listed: Vec<Command> = seen.legal_commands().iter().flat_map(|list| list.iter()).collect();
            assert_eq!(game.is_to_act(side), !listed.is_empty(), "there is always a choice");
            for rank in Rank::ALL {
                let command = Command::Choose(Choice(rank));
                let verdict = decide(game, side, game.ply(), &command, table.now, &Entropy([0; 32]));
                assert_eq!(verdict.is_ok(), listed.contains(&command), "{side} {rank}");
            }
        }
        assert_eq!(view(game, Viewer::Public, table.now).legal_commands(), None);
    }
}

/// True if the events contain a move, or a strike that waits for choices.
fn is_ply(events: &Events) -> bool {
    let is_move = |record| matches!(record, SecretRecord::Moved { .. } | SecretRecord::Struck { .. });
    events.iter().next().is_some_and(|event| is_move(to_record(event)))
}

fn lost_by_illegal_act(events: &Events, loser: Side) -> bool {
    let lost = |record| matches!(record, SecretRecord::Ended { winner, reason: EndReason::IllegalAct } if winner == Some(loser.opponent()));
    events.iter().map(to_record).any(lost)
}

fn squares() -> impl Iterator<Item = Square> {
    (0..Square::LIMIT).filter_map(Square::from_index)
}

#[test]
fn legal_in_the_view_is_legal_in_the_position_is_what_decide_accepts() {
    hold("legal moves agree", 6, || Legal { step: 0, every: 60, by_repetition: 0 });
}

/// Random games rarely repeat positions. So here each side moves back and forth until a rule
/// forbids the move.
#[test]
fn legal_moves_agree_in_games_full_of_repetitions() {
    let seed = Chance::seed_or(77);
    for ruleset in flagfall_tests::rulesets() {
        let mut law = Legal { step: 0, every: usize::MAX, by_repetition: 0 };
        for game in 0..8 {
            let mut chance = Chance::new(seed + game);
            let mut table = Match::new(
                ruleset,
                flagfall_rules::TimeControl::Unlimited,
                flagfall_board::PerSide::default(),
                chance.clone(),
            );
            let mut last: flagfall_board::PerSide<Option<Move>> = flagfall_board::PerSide::default();
            for _ in 0..600 {
                if table.game.phase() == Phase::Over {
                    break;
                }
                let side = table.game.turn().unwrap_or(Side::Red);
                let back = last[side].map(|Move { from, to }| Move { from: to, to: from });
                let legal = table.game.legal_moves();
                let step = match (back, legal) {
                    (Some(back), Some(legal)) if legal.contains(back) && !chance.once_in(5) => {
                        Step::Ask(side, Command::Move(back.into()))
                    }
                    _ => table.random_step(&mut chance),
                };
                law.before(&table, &step, &mut chance);
                if let (Ok(_), Step::Ask(side, Command::Move(asked))) = (table.step(&step, 10), &step) {
                    last[*side] = Some(asked.squares);
                }
            }
        }
        println!("{}: {} moves refused by repetition rules, seed {seed}", ruleset.id, law.by_repetition);
        assert_eq!(law.by_repetition > 0, ruleset.two_squares_limit.is_some());
    }
}

/// Compares all commands of a side, not only moves. Three lists must agree: the view's list, the
/// position's list, and all possible commands that `decide` accepts.
struct LegalCommands {
    step: usize,
    every: usize,
}

/// Returns every possible board command from these squares, in every notation.
fn candidates(from: &[Square]) -> Vec<Command> {
    let colors = || std::iter::once(None).chain(ChipColor::ALL.map(Some));
    let paths = || [None, Some(Sign::Plus), Some(Sign::Minus)].into_iter();
    let mut all: Vec<Command> = ChipColor::ALL.into_iter().map(Command::Color).collect();
    all.extend(Rank::ALL.map(|rank| Command::Choose(Choice(rank))));
    for square in from.iter().copied() {
        all.push(Command::Remove(square));
        for to in squares() {
            let squares = Move { from: square, to };
            all.extend(paths().flat_map(|path| {
                colors().map(move |color| Command::Move(MoveCommand { squares, path, color }))
            }));
        }
        for rank in Rank::ALL {
            all.extend([false, true].into_iter().flat_map(|is_labeled| {
                colors().map(move |color| Command::Place(Placing { square, rank, is_labeled, color }))
            }));
        }
    }
    all
}

/// True if the command is listed. On boards with joints, listed commands name their path, so a
/// command without a path must match one of them.
fn is_listed(listed: &BTreeSet<String>, command: &Command, has_joints: bool) -> bool {
    match command {
        Command::Move(asked @ MoveCommand { path: None, .. }) if has_joints => {
            let with = |sign| Command::Move(MoveCommand { path: Some(sign), ..*asked });
            [Sign::Plus, Sign::Minus].map(with).iter().any(|command| listed.contains(&name(command)))
        }
        Command::Move(asked @ MoveCommand { path: Some(sign), squares, .. }) if !has_joints => {
            let is_way =
                Direction::between(squares.from, squares.to).is_some_and(|(way, _)| way.sign() == *sign);
            is_way && listed.contains(&name(&Command::Move(MoveCommand { path: None, ..*asked })))
        }
        _ => listed.contains(&name(command)),
    }
}

/// A command in notation.
pub(crate) fn name(command: &Command) -> String {
    match command {
        Command::Move(asked) => asked.to_string(),
        Command::Place(placing) => placing.to_string(),
        Command::Remove(square) => format!("-{square}"),
        Command::Color(color) => format!("={}", color.letter()),
        Command::Choose(Choice(rank)) => format!("!{}", rank.letter()),
        other => format!("{other:?}"),
    }
}

impl Law for LegalCommands {
    /// Checks that the side to move can foresee the end that a ply causes.
    fn event(&mut self, logged: &Logged) {
        use EndReason::{BothBlocked, FlagCaptured, NoLegalMove, PlyLimit, QuietLimit};
        let SecretRecord::Ended { reason, .. } = to_record(&logged.event) else { return };
        if matches!(reason, BothBlocked | FlagCaptured | NoLegalMove | PlyLimit | QuietLimit) {
            let actor = logged.before.position().actor();
            assert!(view(&logged.before, Viewer::Player(actor), logged.at).is_end_next(), "{reason:?}");
        }
    }

    fn before(&mut self, table: &Match, _step: &Step, chance: &mut Chance) {
        let game = &table.game;
        self.step += 1;
        if game.phase() != Phase::Playing
            || game.is_paused()
            || game.deadline().is_some_and(|at| table.now > at)
            || !(self.step.is_multiple_of(self.every)
                || game.position().owed_color().is_some()
                || game.position().has_strike_pending())
        {
            return;
        }
        let turn = game.position().actor();
        let listed = game.position().legal_commands();
        let seen = view(game, Viewer::Player(turn), table.now);
        assert_eq!(seen.legal_commands().as_ref(), Some(&listed));
        for viewer in [Viewer::Player(turn.opponent()), Viewer::Public] {
            let may_act = matches!(viewer, Viewer::Player(side) if game.is_to_act(side));
            assert_eq!(view(game, viewer, table.now).legal_commands().is_some(), may_act);
        }
        let names: BTreeSet<String> = listed.iter().map(|command| name(&command)).collect();
        assert_eq!((names.len(), listed.nth(listed.len())), (listed.len(), None), "each once");
        assert!(!listed.is_empty() && !seen.is_end_next(), "a side without an act has lost already");
        // Takes only a few squares at a time, because there are a hundred thousand commands.
        let board: Vec<Square> = squares().collect();
        let from: Vec<Square> = (0..12).map(|_| board[chance.below(board.len())]).collect();
        let has_joints = game.terms().ruleset.shape.has_joints();
        let verdict = |command: &Command| {
            decide(game, turn, game.ply(), command, table.now, &Entropy([0; 32]))
                .is_ok_and(|events| events.iter().next().is_some_and(|event| !event.is_end()))
        };
        for command in candidates(&from) {
            let wanted = is_listed(&names, &command, has_joints);
            // A command without a path means the shorter legal path. But the command's color may
            // fit only the other path.
            let is_open = matches!(command, Command::Move(MoveCommand { path: None, .. })) && has_joints;
            if !(is_open && wanted) {
                assert_eq!(verdict(&command), wanted, "{} {command:?}", name(&command));
            }
        }
        for n in (0..listed.len()).step_by(1 + listed.len() / 60) {
            let command = listed.nth(n).expect("as many as it says");
            assert!(verdict(&command), "{}", name(&command));
        }
    }
}

#[test]
fn every_listed_command_is_legal_and_no_other() {
    hold("legal commands", 3, || LegalCommands { step: 0, every: 60 });
}
