//! Tests that a program derives the correct view from its lines. On every turn, in games of every
//! ruleset, the view must equal the engine's view.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Stamp};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_rules::rulesets::{CLASSIC, PBM};
use flagfall_rules::{Entropy, Viewer, view};

use super::*;
use crate::bout::{Bout, BoutTerms, Input, Limits, Output};
use crate::line::can_tell;
use crate::lines::Cut;

/// A house player that stores every view that it sees.
type Watched = Box<dyn FnMut(&View) -> Option<Command>>;
type Maker = Box<dyn FnOnce(Side) -> Watched>;

struct Program {
    player: LinePlayer<Watched, Maker>,
    seen: Rc<RefCell<Vec<View>>>,
}

impl Program {
    fn new(ruleset: &'static Ruleset, level: Level, seed: u64) -> Program {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let views = Rc::clone(&seen);
        let make: Maker = Box::new(move |side| {
            let mut player = HousePlayer::new(level, side, seed, Effort { nodes: 50 });
            Box::new(move |view| {
                views.borrow_mut().push(view.clone());
                player.choose(view)
            })
        });
        Program { player: LinePlayer::new(ruleset, make), seen }
    }

    fn hear(&mut self, text: &str) -> Vec<String> {
        text.lines().flat_map(|line| self.player.hear(line).expect("sense").lines).collect()
    }
}

/// Returns a chooser that plays like the house player of the level Random.
fn random(side: Side) -> impl FnMut(&View) -> Option<Command> {
    let mut player = HousePlayer::new(Level::Random, side, 1, Effort::default());
    move |view| player.choose(view)
}

/// Returns the engine's view without the parts that the protocol cannot express: commitments,
/// opened deployments and deadlines.
fn as_told(engine: &View) -> View {
    let mut told = engine.clone();
    told.deploy_deadline = None;
    told.commitments = PerSide::default();
    told.opened = PerSide::default();
    told
}

fn bout(ruleset: &'static Ruleset, seed: u64) -> Bout {
    Bout::new(BoutTerms {
        game: GameId::from_random([7; 12]),
        ruleset,
        lakes: ruleset.draw_lakes(&Entropy([seed as u8; 32])),
        created: Stamp(1_790_000_000_000),
        names: PerSide::new("ann".to_owned(), "bob".to_owned()),
        limits: Limits::default(),
        entropy: PerSide::new(Entropy([1; 32]), Entropy([2; 32])),
    })
}

/// The number of times that each situation occurred in the games.
#[derive(Default)]
struct Met {
    views: usize,
    refused: usize,
    announced: usize,
}

/// Plays a whole game between two programs, and compares every view.
fn compare(ruleset: &'static Ruleset, level: Level, seed: u64, met: &mut Met) {
    let mut bout = bout(ruleset, seed);
    let mut programs = PerSide::from_fn(|side| Program::new(ruleset, level, seed * 2 + side as u64));
    let mut waiting: Vec<Output> = bout.start();
    while !waiting.is_empty() {
        let mut said = Vec::new();
        for output in std::mem::take(&mut waiting) {
            let Output::Tell(side, text) = output else { panic!("{}: nobody is muted", ruleset.id) };
            let before = programs[side].seen.borrow().len();
            said.extend(programs[side].hear(&text).into_iter().map(|line| (side, line)));
            let Some(told) = programs[side].player.view() else { continue };
            let engine = as_told(&view(&bout.game, Viewer::Player(side), Stamp(0)));
            let seen = programs[side].seen.borrow();
            if seen.len() > before {
                assert_eq!(told, engine, "{} seed {seed} ply {}", ruleset.id, engine.ply);
                assert_eq!(told.legal_moves(), engine.legal_moves());
                met.views += 1;
                met.refused += engine.refused_moves.len();
                met.announced += usize::from(engine.plies_to_limit.is_some());
            }
        }
        for (side, line) in said {
            waiting.extend(bout.step(Duration::ZERO, Input::Said(side, Cut::Line(line))));
        }
    }
    let ending = bout.ending().expect("an end");
    assert_eq!(ending.faults, PerSide::default(), "{} seed {seed}", ruleset.id);
}

#[test]
fn the_view_made_of_lines_is_the_engines_at_every_turn_of_every_ruleset() {
    let mut met = Met::default();
    for ruleset in Ruleset::all().iter().filter(|ruleset| can_tell(ruleset)) {
        for level in Level::ALL {
            for seed in 1..=6 {
                compare(ruleset, level, seed, &mut met);
            }
        }
    }
    assert!(
        met.views > 5_000 && met.refused > 0 && met.announced > 0,
        "{} {} {}",
        met.views,
        met.refused,
        met.announced
    );
}

#[test]
fn before_the_deployments_the_view_is_the_engines_too() {
    for ruleset in Ruleset::all().iter().filter(|ruleset| can_tell(ruleset)) {
        for side in Side::BOTH {
            let mut program = Program::new(ruleset, Level::Random, 1);
            let opening = bout(ruleset, 1).start();
            let Output::Tell(_, text) = &opening[side as usize] else { panic!("an opening") };
            program.hear(text);
            let engine = view(&bout(ruleset, 1).game, Viewer::Player(side), Stamp(0));
            // The lines show drawn lakes only with the first board, so use the lakes that the
            // program saw.
            let mut told = as_told(&engine);
            told.lakes = program.seen.borrow()[0].lakes;
            assert_eq!(program.seen.borrow()[0], told, "{}", ruleset.id);
        }
    }
}

fn error(ruleset: &'static Ruleset, lines: &[&str]) -> PlayerError {
    let mut player = LinePlayer::new(ruleset, random);
    lines.iter().find_map(|line| player.hear(line).err()).expect("all of it makes sense")
}

#[test]
fn invalid_umpire_lines_get_an_error() {
    assert!(matches!(error(&CLASSIC, &["START"]), PlayerError::Line(_)));
    assert!(matches!(error(&CLASSIC, &["RED bob 8 8"]), PlayerError::Size { .. }));
    assert!(matches!(error(&CLASSIC, &["BLUE ann 10 10", "START OK"]), PlayerError::Line(_)));
    let mut lines = vec!["RED bob 10 10", "START"];
    lines.extend([".........."; 10]);
    assert!(matches!(error(&CLASSIC, &lines), PlayerError::Misheard { .. }), "no lakes");
    lines.truncate(2);
    lines.extend(["##########"; 4]);
    lines.extend(["..++..++.."; 2]);
    lines.extend(["##########"; 4]);
    assert!(matches!(error(&PBM, &lines), PlayerError::Misheard { .. }), "enemies at home");
}

#[test]
fn quit_ends_the_program_whatever_it_says() {
    for lines in [&["QUIT"][..], &["RED bob 10 10", "QUIT bob BLUE VICTORY 7 1 2"]] {
        let mut player = LinePlayer::new(&CLASSIC, random);
        let mut is_over = false;
        for line in lines {
            is_over = player.hear(line).expect("sense").is_over;
        }
        assert!(is_over);
    }
}

impl<C, M> LinePlayer<C, M> {
    /// Returns the program's view of the game, once the program has seen a board.
    fn view(&self) -> Option<View> {
        match &self.state {
            State::Playing(_, Next::Outcome(game) | Next::Move(game) | Next::Board(game, _)) => {
                Some(game.view())
            }
            State::Playing(_, Next::First | Next::FirstBoard(..)) | State::Opening(_) | State::Over => None,
        }
    }
}
