//! Tests that game events are unchanged after they were encoded as entry bodies and decoded
//! again, for every ruleset and in both forms.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use flagfall_board::{PerSide, Side};
use flagfall_rules::{Game, Phase, TimeControl, evolve};
use flagfall_store::record::{CommandStamp, Form, decode, encode};
use flagfall_tests::{Chance, Logged, Match, rulesets};

const SEATS: PerSide<&str> = PerSide::new("ana", "bo");

/// Checks that an event is unchanged after encoding and decoding, in both forms.
fn check(logged: &Logged, chance: &mut Chance, replayed: &mut Game) {
    let player = match chance.below(3) {
        0 => SEATS[Side::Red],
        1 => SEATS[Side::Blue],
        _ => "eve",
    };
    let stamp = CommandStamp { player: player.into(), cmd_id: "m-1".into(), fingerprint: chance.bits() };
    let command = chance.once_in(2).then_some(&stamp);
    for form in [Form::Json, Form::Binary] {
        let body = encode(form, SEATS, command, 9, &logged.event).unwrap();
        let read = decode(&body, SEATS).unwrap();
        assert!(read.event == logged.event && read.lag_ms == 9);
        assert_eq!(read.command.as_ref(), command);
        if form == Form::Binary {
            evolve(replayed, &read.event, logged.at);
        }
    }
    assert!(*replayed == logged.after);
}

#[test]
fn the_events_of_every_ruleset_come_back_from_their_bodies() {
    let seed = Chance::seed_or(20_261_125);
    for (number, ruleset) in (0..).zip(rulesets()) {
        for game in 0..Chance::games_or(2) {
            let mut chance = Chance::new(seed + number * 1000 + game);
            let time = TimeControl::Fischer { base_ms: 600_000, increment_ms: 2_000 };
            let mut table = Match::new(ruleset, time, PerSide::default(), chance.clone());
            let mut replayed = table.game.clone();
            while table.game.phase() != Phase::Over {
                let step = table.random_step(&mut chance);
                // A step that is refused has no events to check.
                for logged in table.step(&step, 900).unwrap_or_default() {
                    check(&logged, &mut chance, &mut replayed);
                }
            }
        }
    }
}
