//! Laws about the state of a game.

use flagfall_board::{Rank, Side};
use flagfall_rules::secret::{SecretRecord, from_record, to_record};
use flagfall_rules::{
    Command, EndReason, Entropy, Game, Phase, Position, Referee, Viewer, decide, evolve, view,
};
use flagfall_tests::{Chance, Logged, Match, Step, random_setup, setup_of, wrong_setup};

use crate::{Law, hold};

struct Conservation;

impl Law for Conservation {
    fn event(&mut self, logged: &Logged) {
        let position = logged.after.position();
        if logged.after.phase() == Phase::Deploying {
            return;
        }
        if !position.is_conserved() {
            // If pieces are missing, the game never started, and the board has no pieces at all.
            let reason = logged.after.outcome().map(|outcome| outcome.reason);
            assert!(matches!(reason, Some(EndReason::Aborted | EndReason::IllegalAct)), "{reason:?}");
            assert_eq!(logged.before.phase(), Phase::Deploying);
            assert!(position.occupied(Side::Red).is_empty());
            return;
        }
        // Counts the coins again, without using the engine.
        let pieces = Referee.pieces(position);
        for side in Side::BOTH {
            let seen = view(&logged.after, Viewer::Player(side), logged.at);
            let reserves = seen.reserve;
            let coins = pieces.iter().filter(|(_, s, rank)| *s == side && rank.is_none()).count();
            let pooled = seen.pools.map(|pools| pools[side]);
            assert_eq!(
                coins,
                pooled
                    .iter()
                    .flat_map(|pool| pool.iter())
                    .map(|(_, count)| usize::from(count))
                    .sum::<usize>(),
                "{side}"
            );
            for rank in Rank::ALL {
                let on_board = pieces.iter().filter(|(_, s, r)| (*s, *r) == (side, Some(rank))).count();
                let held = reserves.map_or(0, |reserves| {
                    let unlabeled = reserves[side].unlabeled.expect("its own");
                    usize::from(unlabeled[rank]) + usize::from(reserves[side].labeled[rank])
                });
                let held = held + pooled.map_or(0, |pool| usize::from(pool[rank]));
                let all = on_board + held + usize::from(position.captured(side)[rank]);
                assert_eq!(all, usize::from(position.ruleset().army.count(rank)), "{side} {rank}");
            }
        }
    }
}

#[test]
fn pieces_are_conserved() {
    hold("pieces are conserved", 20, || Conservation);
}

#[derive(Default)]
struct Alternation {
    last: Option<Side>,
    ply: u16,
}

impl Law for Alternation {
    fn event(&mut self, logged: &Logged) {
        if let SecretRecord::Moved { side, .. }
        | SecretRecord::Removed { side, .. }
        | SecretRecord::Placed { side, .. } = to_record(&logged.event)
        {
            assert_eq!(side, self.last.map_or(Side::Red, Side::opponent));
            assert_eq!(logged.before.turn(), Some(side));
            self.last = Some(side);
            self.ply += 1;
        }
        assert_eq!(logged.after.ply(), self.ply);
        if let Some(turn) = logged.after.turn() {
            assert_eq!(turn, self.last.map_or(Side::Red, Side::opponent));
        }
    }
}

#[test]
fn turns_alternate_and_red_begins() {
    hold("turns alternate", 20, Alternation::default);
}

#[derive(Default)]
struct Replay {
    log: Vec<(SecretRecord, flagfall_board::Stamp)>,
}

impl Law for Replay {
    fn event(&mut self, logged: &Logged) {
        self.log.push((to_record(&logged.event), logged.at));
    }

    fn end(&mut self, table: &Match) {
        let mut game = Game::new(*table.game.terms());
        for (record, at) in self.log.drain(..) {
            let Ok(event) = from_record(record.clone()) else { panic!("a record of an event") };
            assert!(to_record(&event) == record);
            evolve(&mut game, &event, at);
        }
        assert!(game == table.game, "the replayed game differs from the live one");
    }
}

#[test]
fn the_log_replayed_is_the_live_game() {
    hold("replay equals live", 20, Replay::default);
}

/// Commands of every kind, most of them nonsense.
struct Nonsense {
    refusals: usize,
}

fn random_command(table: &Match, chance: &mut Chance) -> Command {
    let ruleset = table.game.terms().ruleset;
    let square =
        |chance: &mut Chance| flagfall_board::Square::from_index(chance.below(160)).expect("a square");
    match chance.below(14) {
        0 => Command::OfferDraw,
        1 => Command::AcceptDraw,
        2 => Command::DeclineDraw,
        3 => Command::Resign,
        4 => Command::Abort,
        12 => Command::Claim(flagfall_rules::Claim::Win),
        13 => Command::Claim(flagfall_rules::Claim::Draw),
        8 => Command::Choose(flagfall_rules::Choice(Rank::ALL[chance.below(13)])),
        5 => {
            let count = chance.below(60);
            let pieces = (0..count).map(|_| (square(chance), Rank::ALL[chance.below(13)])).collect();
            Command::Deploy(flagfall_rules::Setup::new(pieces))
        }
        6 => Command::Deploy(setup_of(&random_setup(ruleset, chance), Side::Red, ruleset)),
        7 => Command::Deploy(setup_of(&wrong_setup(ruleset, chance), Side::Blue, ruleset)),
        _ => Command::Move(flagfall_rules::Move { from: square(chance), to: square(chance) }.into()),
    }
}

impl Law for Nonsense {
    fn before(&mut self, table: &Match, _step: &Step, chance: &mut Chance) {
        for side in Side::BOTH {
            let command = random_command(table, chance);
            let ply = if chance.once_in(20) { chance.bits() as u16 } else { table.game.ply() };
            let mut game = table.game.clone();
            match decide(&game, side, ply, &command, table.now, &Entropy(chance.bytes())) {
                Ok(events) => {
                    assert!(!events.is_empty(), "an accepted command has an event");
                    events.iter().for_each(|event| evolve(&mut game, event, table.now));
                    assert!(game != table.game, "an event changes the game");
                }
                Err(refusal) => {
                    self.refusals += 1;
                    assert!(!refusal.code().is_empty() && !refusal.to_string().is_empty());
                }
            }
        }
    }

    fn end(&mut self, table: &Match) {
        assert!(self.refusals > 0 || table.game.ply() < 10);
    }
}

#[test]
fn no_command_panics_and_what_is_accepted_happens() {
    hold("decide is total", 20, || Nonsense { refusals: 0 });
}

/// Applying events of another game must not panic, because `evolve` accepts any event.
#[test]
fn no_event_panics_in_a_game_it_does_not_belong_to() {
    struct Collect(Vec<flagfall_rules::Event>);
    impl Law for Collect {
        fn event(&mut self, logged: &Logged) {
            self.0.push(logged.event.clone());
        }
        fn end(&mut self, table: &Match) {
            let mut chance = Chance::new(5);
            for ruleset in flagfall_tests::rulesets() {
                let lakes = ruleset.draw_lakes(&Entropy(chance.bytes()));
                let terms = flagfall_rules::GameTerms { ruleset, lakes, ..*table.game.terms() };
                let mut game = Game::new(terms);
                for _ in 0..2 * self.0.len() {
                    let event = &self.0[chance.below(self.0.len())];
                    evolve(&mut game, event, flagfall_board::Stamp(chance.bits() >> 20));
                    for viewer in flagfall_rules::Viewer::ALL {
                        let seen = flagfall_rules::view(&game, viewer, table.now);
                        assert_eq!(seen.audience, viewer);
                    }
                }
            }
        }
    }
    hold("evolve is total", 3, || Collect(Vec::new()));
}

struct Notation;

impl Law for Notation {
    fn event(&mut self, logged: &Logged) {
        if logged.after.phase() == Phase::Deploying || !logged.after.position().is_conserved() {
            return;
        }
        let position = logged.after.position();
        if position.has_strike_pending() && !position.is_to_act(position.actor()) {
            // The ply of the strike follows the last choice in the same batch. Between these two
            // events, the position cannot be written as text.
            return;
        }
        let text = Referee.position_text(logged.after.position());
        let again = Position::from_text(&text).expect("a position");
        assert_eq!(Referee.position_text(&again), text);
        assert_eq!(Referee.pieces(&again), Referee.pieces(logged.after.position()));
        assert_eq!(again.turn(), logged.after.position().turn());
        for side in Side::BOTH {
            assert_eq!(again.captured(side), logged.after.position().captured(side));
        }
    }
}

#[test]
fn positions_print_and_parse_back() {
    hold("notation round-trips", 10, || Notation);
}

struct Ends;

impl Law for Ends {
    fn end(&mut self, table: &Match) {
        assert!(table.game.outcome().is_some());
        assert!(table.game.ply() <= table.game.terms().ruleset.ply_limit);
        assert_eq!(table.game.deadline(), None);
        assert_eq!(table.game.turn(), None);
    }
}

#[test]
fn games_end() {
    hold("games end", 40, || Ends);
}
