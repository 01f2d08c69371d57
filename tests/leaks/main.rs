//! Tests that bytes for an audience do not depend on secrets (HOUSE, law 10).
//!
//! The specification of what was disclosed is `disclosed.rs`. The checker must find every door
//! with a planted leak in `doors.rs`. Otherwise it could miss leaks in the real doors.

mod beside;
mod choices;
mod choosers;
mod disclosed;
mod doors;
#[path = "../engine_events.rs"]
mod engine_events;
mod paired;
mod records;
mod shown;
mod silent;

use flagfall_rules::{Disclosure, Ruleset, Start};
use flagfall_tests::{Chance, rulesets};

use crate::beside::{
    LinksByOrder, LinksByTime, NamesPlaced, NamesRemoved, RecordNamesPlaced, RemembersMoves,
    TellsFailedColors, TellsReserve, TellsRunners, WarnsOfReserve,
};
use crate::choosers::{
    Clicks, ClockStopsEarly, LongerForRed, OwesLess, PoolShrinksEarly, RecordTellsChoices, RefusalTells,
    StampsFirstChoice, TellsChoices, TurnTells,
};
use crate::doors::{
    CountsPrivate, Doors, LendsRecords, MarksMovable, OneOfLength, OrderedByRank, Real, RefusesSpies,
    ShownFlag, ShownMover, SignsRanks, TellsOfNothing, WarnsOfBombs,
};
use crate::paired::look;
use crate::silent::{
    CapturesNameWinner, EventNamesWinner, MarksWinner, PiecesNameWinner, RecordNamesWinner,
    SpectatorSeesWinner,
};

#[test]
fn no_byte_depends_on_hidden_information() {
    let seed = Chance::seed_or(4_000);
    let games = Chance::games_or(2);
    for ruleset in rulesets() {
        let findings = look(&Real, ruleset, seed, games);
        println!(
            "{}: {} pairs, {} of them with more or fewer private events, {} KB compared, seed {seed}",
            ruleset.id,
            findings.pairs,
            findings.more_or_fewer,
            findings.bytes / 1024
        );
        assert!(findings.pairs >= 10 * games as usize, "too few pairs to mean anything: {findings:?}");
        assert!(findings.more_or_fewer > 0, "no private event more or less in any pair");
        assert!(findings.leak.is_none(), "{}: a byte depends on a secret: {:#?}", ruleset.id, findings.leak);
    }
}

/// The rulesets in which sides deploy. Laws about deployments do not apply to games with coins,
/// for which `choices.rs` has laws about choices.
fn with_deployments() -> impl Iterator<Item = &'static Ruleset> {
    rulesets().into_iter().filter(|ruleset| ruleset.start == Start::Deployments)
}

fn finds(name: &str, doors: &impl Doors) {
    finds_where(name, doors, |_| true);
}

/// Looks for leaks that need a silent winner, in rulesets that have some.
fn finds_in_silence(name: &str, doors: &impl Doors) {
    finds_where(name, doors, |ruleset| ruleset.disclosure == Disclosure::SilentDefense);
}

/// Looks for leaks that need a reserve.
fn finds_beside(name: &str, doors: &impl Doors) {
    finds_where(name, doors, |ruleset| ruleset.reserve);
}

/// Looks for leaks that need secret choices.
fn finds_in_choices(name: &str, doors: &impl Doors) {
    finds_where(name, doors, |ruleset| ruleset.start == Start::Coins);
}

fn finds_where(name: &str, doors: &impl Doors, is_meant: impl Fn(&Ruleset) -> bool) {
    for ruleset in rulesets().into_iter().filter(|ruleset| ruleset.base.is_none() && is_meant(ruleset)) {
        let findings = look(doors, ruleset, 4_000, 12);
        let Some((one, other)) = findings.leak else {
            panic!("{name} was not found in {} pairs of {}", findings.pairs, ruleset.id)
        };
        assert_ne!(one, other);
    }
}

#[test]
fn a_view_that_shows_a_flag_is_found() {
    finds("a shown Flag", &ShownFlag);
}

#[test]
fn an_event_that_shows_a_mover_is_found() {
    // With coins, this leak is impossible, because no piece moves during a pending choice, and a
    // coin that moves has no rank to show.
    finds_where("a shown mover", &ShownMover, |ruleset| ruleset.start == Start::Deployments);
}

#[test]
fn pieces_in_the_order_of_their_ranks_are_found() {
    finds("an order by rank", &OrderedByRank);
}

#[test]
fn a_number_that_counts_private_events_is_found() {
    finds("a number that counts private events", &CountsPrivate);
}

#[test]
fn a_message_about_nothing_is_found() {
    finds("a message about nothing", &TellsOfNothing);
}

#[test]
fn a_refusal_that_depends_on_an_enemy_rank_is_found() {
    finds("a refusal that depends on a rank", &WarnsOfBombs);
}

#[test]
fn a_mark_that_depends_on_a_rank_is_found() {
    finds("a mark that depends on a rank", &MarksMovable);
}

#[test]
fn a_length_that_depends_on_a_rank_is_found() {
    finds("a length that depends on a rank", &OneOfLength);
}

#[test]
fn a_record_lent_to_others_is_found() {
    finds("a record of another audience", &LendsRecords);
}

#[test]
fn a_signature_that_covers_hidden_ranks_is_found() {
    finds_where("a signature of ranks", &SignsRanks, |ruleset| ruleset.start == Start::Deployments);
}

#[test]
fn an_event_that_names_a_silent_winner_is_found() {
    finds_in_silence("a silent winner in the event", &EventNamesWinner);
}

#[test]
fn a_changed_piece_that_names_a_silent_winner_is_found() {
    finds_in_silence("a silent winner among the pieces", &PiecesNameWinner);
}

#[test]
fn captures_that_name_a_silent_winner_are_found() {
    finds_in_silence("a silent winner among the captured", &CapturesNameWinner);
}

#[test]
fn a_spectators_view_that_names_a_silent_winner_is_found() {
    finds_in_silence("a silent winner in a spectator's view", &SpectatorSeesWinner);
}

#[test]
fn a_record_that_names_a_silent_winner_is_found() {
    finds_in_silence("a silent winner in the record", &RecordNamesWinner);
}

#[test]
fn a_mark_on_a_silent_winner_is_found() {
    finds_in_silence("a mark on a silent winner", &MarksWinner);
}

#[test]
fn a_reserve_that_tells_its_ranks_is_found() {
    finds_beside("a reserve's ranks", &TellsReserve);
}

#[test]
fn an_event_that_names_a_placed_piece_is_found() {
    finds_beside("a placed piece's name", &NamesPlaced);
}

#[test]
fn a_placed_piece_that_looks_moved_is_found() {
    finds_beside("a placed piece's past", &RemembersMoves);
}

#[test]
fn a_message_that_names_a_removed_piece_is_found() {
    finds_beside("a removed piece's name", &NamesRemoved);
}

#[test]
fn a_record_that_names_a_placed_piece_is_found() {
    finds_beside("a placed piece's name in the record", &RecordNamesPlaced);
}

#[test]
fn a_refusal_with_another_code_against_a_spy_is_found() {
    finds("a refusal that depends on a Spy", &RefusesSpies);
}

#[test]
fn a_refusal_that_depends_on_a_reserve_is_found() {
    finds_beside("a refusal that depends on a reserve", &WarnsOfReserve);
}

#[test]
fn a_time_that_links_a_removed_and_a_placed_piece_is_found() {
    finds_beside("a link by time", &LinksByTime);
}

#[test]
fn an_order_that_tells_a_placed_piece_is_found() {
    finds_beside("an order of pieces", &LinksByOrder);
}

#[test]
fn an_event_that_names_the_rule_that_carried_a_piece_is_found() {
    finds_where("which rule carried a piece", &TellsRunners, |ruleset| ruleset.supply_lines);
}

#[test]
fn the_color_of_a_strike_that_failed_is_found() {
    finds_where("the color of a strike that failed", &TellsFailedColors, |ruleset| ruleset.chips);
}

#[test]
fn a_choice_told_to_everybody_is_found() {
    finds_in_choices("a choice told to everybody", &TellsChoices);
}

#[test]
fn a_clock_that_stops_early_is_found() {
    finds_in_choices("a clock that stops early", &ClockStopsEarly);
}

#[test]
fn a_refusal_that_tells_of_a_choice_is_found() {
    finds_in_choices("a refusal that tells of a choice", &RefusalTells);
}

#[test]
fn a_pool_that_shrinks_early_is_found() {
    finds_in_choices("a pool that shrinks early", &PoolShrinksEarly);
}

#[test]
fn a_view_that_says_who_still_owes_is_found() {
    finds_in_choices("who still owes", &OwesLess);
}

#[test]
fn a_turn_that_tells_who_has_chosen_is_found() {
    finds_in_choices("a turn that tells who has chosen", &TurnTells);
}

#[test]
fn a_record_that_tells_choices_is_found() {
    finds_in_choices("choices in the record", &RecordTellsChoices);
}

#[test]
fn a_strike_stamped_with_its_first_choice_is_found() {
    finds_in_choices("the moment of the first choice", &StampsFirstChoice);
}

#[test]
fn a_message_more_for_who_chose_last_is_found() {
    finds_in_choices("who chose last", &LongerForRed);
}

#[test]
fn a_message_of_no_words_about_a_choice_is_found() {
    finds_in_choices("a message of no words", &Clicks);
}
