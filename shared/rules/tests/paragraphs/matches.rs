//! §A4, §A9, §A11 and PLAY: whole games with deployments, clocks and draw offers, and all reasons
//! why a game ends.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_rules::rulesets::{CLASSIC, PBM};
use flagfall_rules::{
    Claim, Command, EndReason, Entropy, Events, Game, GameTerms, Outcome, Phase, Refusal, TimeControl,
    Viewer, clock_seen, decide, decide_claim, decide_deadline, decide_pause, decide_resume,
    decide_resume_since, evolve, view,
};

use crate::deployments::CLASSIC_SETUP;
use crate::table::{FISCHER, START, Table, deploy, step};

use Side::{Blue, Red};

// Deploying

#[test]
fn a4_a_side_may_deploy_again_until_the_other_is_ready() {
    let mut table = Table::new(&CLASSIC, TimeControl::Unlimited);
    let other = CLASSIC_SETUP.replacen("93", "39", 1);
    table.does(Red, &deploy(CLASSIC_SETUP, Red, &CLASSIC)).does(Red, &deploy(&other, Red, &CLASSIC));
    assert_eq!(table.game.phase(), Phase::Deploying);
    table.does(Blue, &deploy(CLASSIC_SETUP, Blue, &CLASSIC));
    assert_eq!(table.game.phase(), Phase::Playing);
    // The game uses Red's second deployment.
    let seen = view(&table.game, Viewer::Player(Red), table.now);
    let a4 = seen.pieces.iter().find(|piece| piece.square.to_string() == "a4").expect("a piece");
    assert_eq!(a4.identity, flagfall_rules::Identity::Known(flagfall_board::Rank::Colonel));
    table.refuses(Red, &deploy(CLASSIC_SETUP, Red, &CLASSIC), "not_deploying");
}

#[test]
fn a4_a_refused_deployment_changes_nothing() {
    let mut table = Table::new(&CLASSIC, TimeControl::Unlimited);
    let text = CLASSIC_SETUP.replacen('S', "1", 1);
    table.refuses(Red, &deploy(&text, Red, &CLASSIC), "setup_wrong_count");
    assert!(!table.game.is_ready(Red));
    table.does(Red, &deploy(CLASSIC_SETUP, Red, &CLASSIC)).refuses(
        Red,
        &deploy(&text, Red, &CLASSIC),
        "setup_wrong_count",
    );
    assert!(table.game.is_ready(Red));
}

#[test]
fn a4_nothing_is_played_before_both_sides_are_ready() {
    let mut table = Table::new(&CLASSIC, TimeControl::Unlimited);
    for command in
        [step("a4a5"), Command::OfferDraw, Command::AcceptDraw, Command::DeclineDraw, Command::Resign]
    {
        table.refuses(Red, &command, "not_playing");
    }
    table.does(Red, &deploy(CLASSIC_SETUP, Red, &CLASSIC)).refuses(Red, &step("a4a5"), "not_playing");
}

#[test]
fn the_deployment_deadline_aborts_the_game_for_both() {
    let mut table = Table::new(&CLASSIC, FISCHER);
    table.does(Red, &deploy(CLASSIC_SETUP, Red, &CLASSIC)).later(300_000);
    assert_eq!(table.game.deadline(), Some(table.now));
    assert!(decide_deadline(&table.game, table.now).is_empty(), "the last moment still counts");
    table.later(1).refuses(Blue, &deploy(CLASSIC_SETUP, Blue, &CLASSIC), "out_of_time");
    for event in decide_deadline(&table.game, table.now) {
        evolve(&mut table.game, &event, table.now);
    }
    assert_eq!(table.ended(), (None, EndReason::Aborted));
    assert!(decide_deadline(&table.game, table.now).is_empty());
}

#[test]
fn a_pause_extends_the_deployment_deadline() {
    let mut table = Table::new(&CLASSIC, FISCHER);
    let paused = decide_pause(&table.game, table.now.plus_ms(10_000));
    table.later(20_000);
    paused.iter().for_each(|event| evolve(&mut table.game, event, table.now));
    assert_eq!(table.game.deadline(), None);
    table.refuses(Red, &deploy(CLASSIC_SETUP, Red, &CLASSIC), "paused").later(1_000_000);
    decide_resume(&table.game).iter().for_each(|event| evolve(&mut table.game, event, table.now));
    // The clock was stopped from 10 s to 1020 s, so the deadline is extended by 1010 s.
    assert_eq!(table.game.deadline(), Some(START.plus_ms(300_000 + 1_010_000)));
    table.does(Red, &deploy(CLASSIC_SETUP, Red, &CLASSIC));
}

#[test]
fn a10_is_judged_once_before_the_first_ply() {
    // In this deployment, six Bombs block the open columns. All other pieces stand behind the
    // Bombs or behind the lakes.
    let blocked = "BB99BB99BB 9999172S66 6655553444 888887773F";
    let mut table = Table::new(&CLASSIC, FISCHER);
    table.does(Red, &deploy(blocked, Red, &CLASSIC)).does(Blue, &deploy(CLASSIC_SETUP, Blue, &CLASSIC));
    assert_eq!(table.ended(), (Some(Blue), EndReason::NoLegalMove));

    let mut table = Table::new(&CLASSIC, FISCHER);
    table.does(Red, &deploy(blocked, Red, &CLASSIC)).does(Blue, &deploy(blocked, Blue, &CLASSIC));
    assert_eq!(table.ended(), (None, EndReason::BothBlocked));

    // Here, only Blue is blocked. Red moves first, so the game continues until Red has moved.
    let mut table = Table::new(&CLASSIC, FISCHER);
    table.does(Red, &deploy(CLASSIC_SETUP, Red, &CLASSIC)).does(Blue, &deploy(blocked, Blue, &CLASSIC));
    assert_eq!(table.game.phase(), Phase::Playing);
    table.moves("a4a5");
    assert_eq!(table.ended(), (Some(Red), EndReason::NoLegalMove));
}

// Turns and plies

#[test]
fn a9_the_turn_alternates_and_the_other_side_waits() {
    let mut table = Table::started(&CLASSIC, TimeControl::Unlimited);
    table
        .refuses(Blue, &step("a7a6"), "not_your_turn")
        .moves("a4a5")
        .refuses(Red, &step("b4b5"), "not_your_turn")
        .moves("a7a6");
    assert_eq!(table.game.turn(), Some(Red));
    assert_eq!(table.game.ply(), 2);
}

#[test]
fn a_command_for_another_ply_is_stale() {
    let mut table = Table::started(&CLASSIC, TimeControl::Unlimited);
    table.moves("a4a5").moves("a7a6");
    for named in [0, 1, 3] {
        let refusal = decide(&table.game, Red, named, &step("b4b5"), table.now, &Entropy([0; 32]));
        assert_eq!(refusal, Err(Refusal::StalePly { named, current: 2 }));
    }
}

#[test]
fn a_refusal_changes_nothing() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    let before = table.game.clone();
    table.later(5_000).refuses(Red, &step("c4c5"), "lake");
    assert!(table.game == before);
}

// Clocks

#[test]
fn a9_each_clock_runs_in_its_own_turn_and_gains_the_increment() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    assert_eq!(table.remaining(), (60_000, 60_000));
    table.later(10_000);
    assert_eq!(table.remaining(), (50_000, 60_000));
    table.moves("a4a5");
    assert_eq!(table.remaining(), (52_000, 60_000));
    table.later(30_000);
    assert_eq!(table.remaining(), (52_000, 30_000));
    table.moves("a7a6");
    assert_eq!(table.remaining(), (52_000, 32_000));
}

#[test]
fn a_ply_in_the_last_moment_counts_and_one_beyond_is_too_late() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.later(60_000).moves("a4a5");
    assert_eq!(table.remaining(), (2_000, 60_000));
    table.later(60_001).refuses(Blue, &step("a7a6"), "out_of_time");
    table.refuses(Red, &Command::OfferDraw, "out_of_time");
}

#[test]
fn a11_running_out_of_time_loses() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.moves("a4a5").later(60_000);
    assert!(decide_deadline(&table.game, table.now).is_empty());
    table.later(1);
    decide_deadline(&table.game, table.now).iter().for_each(|event| {
        evolve(&mut table.game, event, table.now);
    });
    assert_eq!(table.ended(), (Some(Red), EndReason::OutOfTime));
    assert_eq!(table.remaining(), (62_000, 0));
    assert_eq!(table.game.deadline(), None);
}

#[test]
fn clocks_stand_still_while_paused() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.later(10_000);
    // The set-up: the server's last heartbeat was at 10 s. A new server pauses the game at 70 s,
    // with effect from 10 s, and resumes it at 80 s.
    let since = table.now;
    table.later(60_000);
    let paused = decide_pause(&table.game, since);
    paused.iter().for_each(|event| evolve(&mut table.game, event, table.now));
    table.refuses(Red, &step("a4a5"), "paused").later(10_000);
    assert_eq!(table.remaining(), (50_000, 60_000));
    assert!(decide_pause(&table.game, table.now).is_empty(), "paused already");
    decide_resume(&table.game).iter().for_each(|event| evolve(&mut table.game, event, table.now));
    assert!(decide_resume(&table.game).is_empty(), "running already");
    table.later(1_000);
    assert_eq!(table.remaining(), (49_000, 60_000));
    table.moves("a4a5");
    assert_eq!(table.remaining(), (51_000, 60_000));
}

#[test]
fn a_pause_that_is_logged_late_counts_from_when_it_ended() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.later(10_000);
    let since = table.now;
    table.later(100_000);
    let paused = decide_pause(&table.game, since);
    paused.iter().for_each(|event| evolve(&mut table.game, event, table.now));
    assert!(decide_resume_since(&table.game, since.minus_ms(1)).is_empty(), "not before the pause began");
    // The set-up: servers were running again 80 s after the last heartbeat, and the game was
    // opened 20 s later. The clocks must run from the earlier of these two times.
    let resumed = decide_resume_since(&table.game, since.plus_ms(80_000));
    resumed.iter().for_each(|event| evolve(&mut table.game, event, table.now));
    assert!(decide_resume_since(&table.game, table.now).is_empty(), "running already");
    assert_eq!(table.remaining(), (30_000, 60_000));
    table.later(1_000).moves("a4a5");
    assert_eq!(table.remaining(), (31_000, 60_000));
    let late = Table::started(&CLASSIC, FISCHER).game.flag_fall();
    assert!(table.game.flag_fall() > late);
}

#[test]
fn a_pause_never_begins_before_the_latest_event() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.later(10_000).moves("a4a5");
    let paused = decide_pause(&table.game, START);
    paused.iter().for_each(|event| evolve(&mut table.game, event, table.now));
    assert_eq!(table.remaining(), (52_000, 60_000));
}

#[test]
fn stamps_that_run_backwards_add_no_time() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.later(10_000).moves("a4a5");
    table.now = START;
    assert_eq!(table.remaining(), (52_000, 60_000));
    table.moves("a7a6");
    assert_eq!(table.remaining(), (52_000, 62_000));
}

#[test]
fn an_unlimited_game_has_no_clock_and_no_deadline() {
    let mut table = Table::started(&CLASSIC, TimeControl::Unlimited);
    assert_eq!(table.game.deadline(), None);
    assert_eq!(clock_seen(&table.game, Viewer::Public, table.now), None);
    table.later(1_000_000_000_000).moves("a4a5");
}

// Draws

#[test]
fn a11_a_draw_is_agreed_by_accepting() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.does(Red, &Command::OfferDraw).does(Blue, &Command::AcceptDraw);
    assert_eq!(table.ended(), (None, EndReason::DrawAgreed));
}

#[test]
fn a11_offers_that_cross_agree() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.does(Red, &Command::OfferDraw).does(Blue, &Command::OfferDraw);
    assert_eq!(table.ended(), (None, EndReason::DrawAgreed));
}

#[test]
fn a_player_cannot_answer_their_own_offer_or_none() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.refuses(Red, &Command::AcceptDraw, "no_draw_offer").refuses(
        Red,
        &Command::DeclineDraw,
        "no_draw_offer",
    );
    table
        .does(Red, &Command::OfferDraw)
        .refuses(Red, &Command::AcceptDraw, "no_draw_offer")
        .refuses(Red, &Command::DeclineDraw, "no_draw_offer")
        .refuses(Red, &Command::OfferDraw, "draw_already_offered");
}

#[test]
fn an_offer_survives_its_makers_ply_and_lapses_with_the_opponents() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.does(Red, &Command::OfferDraw).moves("a4a5");
    assert_eq!(view(&table.game, Viewer::Public, table.now).draw_offer, Some(Red));
    table.moves("a7a6");
    assert_eq!(view(&table.game, Viewer::Public, table.now).draw_offer, None);
    table.refuses(Blue, &Command::AcceptDraw, "no_draw_offer");
}

#[test]
fn an_offer_made_in_the_others_turn_lapses_with_its_ply() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.does(Blue, &Command::OfferDraw).moves("a4a5").refuses(Red, &Command::AcceptDraw, "no_draw_offer");
}

#[test]
fn a_draw_can_be_offered_again_only_after_twenty_plies() {
    let mut table = Table::started(&PBM, TimeControl::Unlimited);
    table
        .does(Red, &Command::OfferDraw)
        .does(Blue, &Command::DeclineDraw)
        .refuses(Red, &Command::OfferDraw, "draw_offered_recently")
        .plies(19)
        .refuses(Red, &Command::OfferDraw, "draw_offered_recently")
        .plies(1)
        .does(Red, &Command::OfferDraw);
}

#[test]
fn an_offer_of_the_other_side_frees_the_next() {
    let mut table = Table::started(&PBM, TimeControl::Unlimited);
    table
        .does(Red, &Command::OfferDraw)
        .does(Blue, &Command::DeclineDraw)
        .does(Blue, &Command::OfferDraw)
        .does(Red, &Command::DeclineDraw)
        .does(Red, &Command::OfferDraw)
        .does(Blue, &Command::DeclineDraw)
        .does(Blue, &Command::OfferDraw);
}

#[test]
fn the_refusal_of_an_offer_says_how_long() {
    let mut table = Table::started(&PBM, TimeControl::Unlimited);
    table.does(Red, &Command::OfferDraw).does(Blue, &Command::DeclineDraw).plies(5);
    assert_eq!(table.ask(Red, &Command::OfferDraw), Err(Refusal::DrawOfferedRecently { plies_left: 15 }));
}

// Ends

#[test]
fn a11_resigning_loses_in_either_turn() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.does(Red, &Command::Resign);
    assert_eq!(table.ended(), (Some(Blue), EndReason::Resigned));
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.does(Blue, &Command::Resign);
    assert_eq!(table.ended(), (Some(Red), EndReason::Resigned));
}

#[test]
fn a_game_is_called_off_before_the_askers_first_ply_only() {
    for side in Side::BOTH {
        let mut table = Table::new(&CLASSIC, FISCHER);
        table.does(side, &Command::Abort);
        assert_eq!(table.ended(), (None, EndReason::Aborted));
        let mut table = Table::started(&CLASSIC, FISCHER);
        table.does(side, &Command::Abort);
        assert_eq!(table.ended(), (None, EndReason::Aborted));
    }
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.moves("a4a5").refuses(Red, &Command::Abort, "too_late_to_abort").does(Blue, &Command::Abort);
    assert_eq!(table.ended(), (None, EndReason::Aborted));
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.moves("a4a5").moves("a7a6").refuses(Blue, &Command::Abort, "too_late_to_abort");
}

fn claim(table: &Table, side: Side, claim: Claim, from: Option<Stamp>) -> Result<Events, Refusal> {
    decide_claim(&table.game, side, table.game.ply(), claim, table.now, from)
}

#[test]
fn a_game_that_the_other_side_has_left_is_claimed_as_a_win_or_a_draw() {
    for (wanted, winner) in [(Claim::Win, Some(Blue)), (Claim::Draw, None)] {
        // A claim is possible on either side's turn: Red's after 0 and 4 plies, Blue's after 1
        // ply.
        for plies in [0, 1, 4] {
            let mut table = Table::started(&CLASSIC, FISCHER);
            table.plies(plies);
            let events = claim(&table, Blue, wanted, Some(table.now)).expect("a claim");
            events.iter().for_each(|event| evolve(&mut table.game, event, table.now));
            assert_eq!(table.ended(), (winner, EndReason::Abandoned));
        }
    }
}

#[test]
fn a_claim_is_refused_while_the_other_side_is_here_and_before_its_time() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    assert_eq!(claim(&table, Red, Claim::Win, None), Err(Refusal::OpponentPresent));
    // The plain command is refused, because it does not prove that the other side is absent.
    table.refuses(Red, &Command::Claim(Claim::Win), "opponent_present");
    for (ms, seconds_left) in [(1, 1), (1_000, 1), (1_001, 2), (60_000, 60)] {
        let early = claim(&table, Red, Claim::Draw, Some(table.now.plus_ms(ms)));
        assert_eq!(early, Err(Refusal::ClaimTooEarly { seconds_left }), "{ms} ms");
    }
    let now = table.now;
    assert_eq!(
        decide_claim(&table.game, Red, 3, Claim::Win, now, Some(now)),
        Err(Refusal::StalePly { named: 3, current: 0 })
    );
    let deploying = Table::new(&CLASSIC, FISCHER);
    assert_eq!(claim(&deploying, Red, Claim::Win, Some(deploying.now)), Err(Refusal::NotPlaying));
    table.does(Blue, &Command::Resign);
    assert_eq!(claim(&table, Red, Claim::Win, Some(table.now)), Err(Refusal::GameOver));
}

#[test]
fn where_a_ply_has_days_nothing_can_be_claimed() {
    let table = Table::started(&CLASSIC, TimeControl::PerPly { ply_ms: 86_400_000 });
    assert_eq!(claim(&table, Red, Claim::Win, Some(table.now)), Err(Refusal::NoClaims));
}

#[test]
fn the_slower_the_clock_the_later_a_claim() {
    let minutes = |base: u64, increment_s: u64| TimeControl::Fischer {
        base_ms: base * 60_000,
        increment_ms: increment_s * 1_000,
    };
    let waits =
        [minutes(1, 0), minutes(5, 3), minutes(10, 5), minutes(25, 10), minutes(60, 0), minutes(90, 30)]
            .map(|time| time.claim_wait_ms(60_000).map(|ms| ms / 1_000));
    assert_eq!(waits, [Some(60), Some(60), Some(60), Some(126), Some(240), Some(300)]);
    assert_eq!(minutes(60, 0).claim_wait_ms(1_000), Some(4_000));
    assert_eq!(TimeControl::Unlimited.claim_wait_ms(60_000), Some(300_000));
    let delay = TimeControl::Delay { base_ms: 20 * 60_000, free_ms: 15_000 };
    assert_eq!(delay.claim_wait_ms(60_000), Some(120_000));
}

#[test]
fn a_finished_game_refuses_every_command() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.does(Red, &Command::Resign);
    for command in [
        deploy(CLASSIC_SETUP, Red, &CLASSIC),
        step("a4a5"),
        Command::OfferDraw,
        Command::AcceptDraw,
        Command::DeclineDraw,
        Command::Resign,
        Command::Abort,
        Command::Claim(Claim::Win),
    ] {
        table.refuses(Red, &command, "game_over").refuses(Blue, &command, "game_over");
    }
    assert!(decide_pause(&table.game, table.now).is_empty());
    assert!(decide_resume(&table.game).is_empty());
    assert!(decide_deadline(&table.game, table.now.plus_ms(1_000_000_000)).is_empty());
}

#[test]
fn a11_end_reasons_are_frozen_codes() {
    let codes: Vec<_> = EndReason::ALL.iter().map(|reason| reason.code()).collect();
    assert_eq!(
        codes,
        [
            "flag_captured",
            "no_legal_move",
            "both_blocked",
            "resigned",
            "draw_agreed",
            "quiet_limit",
            "ply_limit",
            "out_of_time",
            "abandoned",
            "illegal_act",
            "forfeited_reserve",
            "aborted"
        ]
    );
    for reason in EndReason::ALL {
        assert_eq!(EndReason::from_code(reason.code()), Some(reason));
    }
    assert_eq!(EndReason::from_code("won"), None);
}

// Commitments

#[test]
fn the_commitments_published_at_the_start_are_those_opened_at_the_end() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    let published = view(&table.game, Viewer::Public, table.now).commitments;
    table.does(Red, &Command::Resign);
    for viewer in Viewer::ALL {
        let seen = view(&table.game, viewer, table.now);
        for side in Side::BOTH {
            let opened = seen.opened[side].as_ref().expect("an open deployment");
            let game = table.game.terms().game;
            let again = flagfall_rules::Commitment::of_text(game, side, &opened.setup, &opened.salt.0);
            assert_eq!(published[side], Some(again), "{viewer:?} {side}");
        }
    }
}

#[test]
fn a_commitment_is_the_documented_hash() {
    // The expected value is the SHA-256 of these parts joined together: "flagfall-commitment-1\0",
    // "k3k3k3k3k3k3", "\0", "red", "\0", "1F", "\0", and 32 bytes that are each 1.
    let game: GameId = "k3k3k3k3k3k3".parse().expect("an id");
    let found = flagfall_rules::Commitment::of_text(game, Red, "1F", &[1; 32]);
    assert_eq!(found.to_string(), "ba25b6951cf21b6280077341e67599f0e7b5fad633a37d1266299f4fb01e43a9");
}

#[test]
fn a_game_that_was_called_off_opens_nothing() {
    let mut table = Table::started(&CLASSIC, FISCHER);
    table.does(Red, &Command::Abort);
    for viewer in Viewer::ALL {
        let seen = view(&table.game, viewer, table.now);
        assert!(Side::BOTH.into_iter().all(|side| seen.opened[side].is_none()), "{viewer:?}");
        let hidden = seen.pieces.iter().filter(|piece| !viewer.is_side(piece.side));
        assert!(hidden.clone().all(|piece| piece.identity == flagfall_rules::Identity::Hidden), "{viewer:?}");
    }
}

#[test]
fn a_player_who_asked_for_secrecy_is_opened_to_the_other_player_alone() {
    let mut table = Table::new(&CLASSIC, FISCHER);
    let terms = GameTerms { secret: PerSide::new(true, false), ..*table.game.terms() };
    table.game = Game::new(terms);
    for side in Side::BOTH {
        table.does(side, &deploy(CLASSIC_SETUP, side, &CLASSIC));
    }
    table.does(Blue, &Command::Resign);
    let opened = |viewer| {
        let seen = view(&table.game, viewer, table.now);
        (seen.opened.red.is_some(), seen.opened.blue.is_some())
    };
    assert_eq!(opened(Viewer::Player(Red)), (true, true));
    assert_eq!(opened(Viewer::Player(Blue)), (true, true));
    assert_eq!(opened(Viewer::Public), (false, true));
}

#[test]
fn a11_an_umpires_verdict_ends_a_game_and_leaves_the_boards_own_ends_to_the_board() {
    for reason in EndReason::ALL {
        let mut table = Table::started(&CLASSIC, FISCHER);
        let outcome = Outcome { winner: Some(Side::Blue), reason };
        let events = flagfall_rules::decide_verdict(&table.game, outcome);
        let is_umpires =
            matches!(reason.code(), "resigned" | "out_of_time" | "abandoned" | "illegal_act" | "aborted");
        assert_eq!(!events.is_empty(), is_umpires, "{}", reason.code());
        for event in events {
            flagfall_rules::evolve(&mut table.game, &event, table.now);
            assert_eq!(table.game.outcome(), Some(outcome));
        }
        if is_umpires {
            assert!(flagfall_rules::decide_verdict(&table.game, outcome).is_empty(), "it is over");
        }
    }
}
