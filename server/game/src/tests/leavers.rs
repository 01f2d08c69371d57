//! Players who leave a game are recorded, but only once per game.

use flagfall_board::{Chance, Side};
use flagfall_protocol::{Abort, ClaimedResult, GameCommand, ServerToClient, Time};

use super::harness::{Client, DEPLOY_MS, Hand, deploy, header, left_games, now, player};
use crate::header::GameHeader;
use crate::table::Input;

fn rated() -> GameHeader {
    let mut header = header("classic");
    header.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
    header.terms.rated = true;
    header
}

/// Returns the number of games that each player has left.
fn left(hand: &Hand) -> [usize; 2] {
    ["ana", "bo"].map(|id| now(left_games(&hand.store, id)))
}

#[test]
fn the_player_of_a_claimed_game_has_left_it_for_any_claimed_result() {
    for result in [ClaimedResult::Win, ClaimedResult::Draw] {
        let (mut hand, ana, bo) = Hand::playing(&rated());
        hand.close(&ana);
        hand.advance(60_000);
        let id = hand.command(&bo, 0, GameCommand::Claim { result });
        assert_eq!(left(&hand), [1, 0]);
        // Repeating the command or reading the log again does not change the counts.
        hand.command_as(&bo, &id, 0, GameCommand::Claim { result });
        hand.reload();
        hand.step(Input::Tick);
        assert_eq!(left(&hand), [1, 0]);
    }
}

#[test]
fn only_a_player_who_did_not_deploy_in_time_has_left() {
    for (deploys, wanted) in [(&[][..], [1, 1]), (&[Side::Blue][..], [1, 0])] {
        let mut hand = Hand::new(&rated());
        let (ana, bo) = (Client::new("ana"), Client::new("bo"));
        hand.open(&ana, None);
        hand.open(&bo, None);
        for side in deploys {
            let client = if *side == Side::Red { &ana } else { &bo };
            hand.command(client, 0, deploy("classic", *side, 1));
        }
        hand.advance(DEPLOY_MS + 1);
        hand.step(Input::Tick);
        assert!(hand.table.is_over());
        assert_eq!(left(&hand), wanted);
    }
}

#[test]
fn calling_a_rated_game_off_is_leaving_and_losing_is_not() {
    let (mut hand, ana, _bo) = Hand::playing(&rated());
    hand.command(&ana, 0, GameCommand::Abort {});
    assert_eq!(left(&hand), [1, 0]);
    let mut casual = rated();
    casual.terms.rated = false;
    let (mut hand, ana, _bo) = Hand::playing(&casual);
    hand.command(&ana, 0, GameCommand::Abort {});
    assert_eq!(left(&hand), [0, 0]);
    let (mut hand, mut ana, mut bo) = Hand::playing(&rated());
    hand.play(&mut ana, &mut bo, 4, &mut Chance::new(1));
    hand.command(&bo, 4, GameCommand::Resign {});
    assert_eq!(left(&hand), [0, 0]);
    let (mut hand, mut ana, mut bo) = Hand::playing(&rated());
    hand.play(&mut ana, &mut bo, 2, &mut Chance::new(1));
    hand.advance(601_000);
    hand.step(Input::Tick);
    assert!(hand.table.is_over());
    assert_eq!(left(&hand), [0, 0]);
}

#[test]
fn giving_up_a_rated_game_before_it_counts_is_leaving_and_the_other_may_requeue() {
    let games = |is_rated| {
        let mut header = rated();
        header.terms.rated = is_rated;
        // Each game ends at its ply: Red resigns, Blue resigns, or Red's time is up.
        [(0, Some(Side::Red)), (1, Some(Side::Blue)), (1, Some(Side::Red)), (0, None), (2, Some(Side::Red))]
            .map(|(plies, resigns)| {
                let (mut hand, mut ana, mut bo) = Hand::playing(&header);
                hand.play(&mut ana, &mut bo, plies, &mut Chance::new(1));
                match resigns {
                    Some(side) => {
                        let client = if side == Side::Red { &ana } else { &bo };
                        hand.command(client, plies as u16, GameCommand::Resign {});
                    }
                    None => {
                        hand.advance(601_000);
                        hand.step(Input::Tick);
                    }
                }
                assert!(hand.table.is_over());
                (left(&hand), returning(&hand).join(" "))
            })
    };
    let red = ([1, 0], "bo".to_owned());
    let none = ([0, 0], String::new());
    assert_eq!(games(true), [red.clone(), ([0, 1], "ana".to_owned()), red.clone(), red, none.clone()]);
    assert_eq!(games(false), [(); 5].map(|()| none.clone()), "casual games");
}

#[test]
fn losing_on_time_while_away_is_leaving() {
    // Red's time is up after ten minutes. Each case states how long before the end Red left,
    // whether Red left on purpose, and how many games each player has left afterwards.
    for (gone_ms, on_purpose, wanted) in
        [(31_000, false, [1, 0]), (28_000, false, [0, 0]), (5_000, true, [1, 0]), (599_000, true, [1, 0])]
    {
        let (mut hand, mut ana, mut bo) = Hand::playing(&rated());
        hand.play(&mut ana, &mut bo, 2, &mut Chance::new(1));
        hand.advance(600_000 - 10 - gone_ms);
        if on_purpose {
            hand.leave(&ana);
        } else {
            hand.close(&ana);
        }
        hand.advance(gone_ms + 1_000);
        hand.step(Input::Tick);
        assert!(hand.table.is_over());
        assert_eq!(left(&hand), wanted, "gone {gone_ms} ms before the end");
        hand.reload();
        assert_eq!(left(&hand), wanted);
    }
}

#[test]
fn a_player_who_came_back_or_is_waiting_has_not_left() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&rated());
    hand.play(&mut ana, &mut bo, 2, &mut Chance::new(1));
    // Both players leave, but the winner's absence must not count.
    hand.leave(&bo);
    hand.leave(&ana);
    hand.advance(60_000);
    hand.open(&ana, None);
    hand.advance(541_000);
    hand.step(Input::Tick);
    assert!(hand.table.is_over());
    assert_eq!(left(&hand), [0, 0]);
}

#[test]
fn games_with_days_per_move_leave_no_marks() {
    let mut slow = rated();
    slow.terms.time = Time::Correspondence { days: 1 };
    let (mut hand, ana, _bo) = Hand::playing(&slow);
    hand.leave(&ana);
    hand.advance(25 * 60 * 60 * 1_000);
    hand.step(Input::Tick);
    assert!(hand.table.is_over());
    assert_eq!(left(&hand), [0, 0]);
    for give_up in [GameCommand::Abort {}, GameCommand::Resign {}] {
        let (mut hand, ana, _bo) = Hand::playing(&slow);
        hand.command(&ana, 0, give_up);
        assert!(hand.table.is_over());
        assert_eq!((left(&hand), returning(&hand)), ([0, 0], vec!["bo".to_owned()]));
    }
    let mut hand = Hand::new(&slow);
    hand.advance(DEPLOY_MS + 1);
    hand.step(Input::Tick);
    assert!(hand.table.is_over());
    assert_eq!(left(&hand), [0, 0]);
}

#[test]
fn house_players_may_be_left() {
    let mut house = rated();
    house.players.blue = player("house-random");
    let mut hand = Hand::new(&house);
    hand.advance(DEPLOY_MS + 1);
    hand.step(Input::Tick);
    assert!(hand.table.is_over());
    assert_eq!(left(&hand), [0, 0]);
}

/// Returns the players who may return to the pool, according to the append that aborts the game.
fn returning(hand: &Hand) -> Vec<String> {
    let key = flagfall_store::Key::new(format!("pool_returns/{}", hand.id)).unwrap();
    let note = now(flagfall_store::Store::get(&hand.store, key)).unwrap();
    note.map(|note| serde_json::from_slice(&note).unwrap()).unwrap_or_default()
}

/// Returns all information about an abort that a client got, with the event or with the whole
/// game.
fn aborts(client: &mut Client) -> Vec<Abort> {
    let abort = |message| match message {
        ServerToClient::Event { abort, .. } | ServerToClient::Game { abort, .. } => abort,
        _ => None,
    };
    client.read().into_iter().filter_map(abort).collect()
}

#[test]
fn a_missed_deployment_names_its_player_and_the_other_may_requeue() {
    for (deploys, not_deployed, wanted) in [
        (&[][..], vec![Side::Red, Side::Blue], &[][..]),
        (&[Side::Blue][..], vec![Side::Red], &["bo"][..]),
        (&[Side::Red][..], vec![Side::Blue], &["ana"][..]),
    ] {
        let mut hand = Hand::new(&rated());
        let (mut ana, mut bo, mut eve) = (Client::new("ana"), Client::new("bo"), Client::new("eve"));
        for client in [&ana, &bo, &eve] {
            hand.open(client, None);
        }
        for side in deploys {
            let client = if *side == Side::Red { &ana } else { &bo };
            hand.command(client, 0, deploy("classic", *side, 1));
        }
        hand.advance(DEPLOY_MS + 1);
        hand.step(Input::Tick);
        let abort = Abort { called_off_by: None, not_deployed };
        for client in [&mut ana, &mut bo, &mut eve] {
            assert_eq!(aborts(client), std::slice::from_ref(&abort));
        }
        assert_eq!(returning(&hand), wanted);
        // A client that opens the game later gets the same information from a server that has read
        // the log.
        hand.reload();
        hand.open(&eve, None);
        assert_eq!(aborts(&mut eve), [abort]);
    }
}

#[test]
fn an_abort_names_its_player_and_the_other_may_requeue() {
    let (mut hand, ana, mut bo) = Hand::playing(&rated());
    hand.command(&ana, 0, GameCommand::Abort {});
    let abort = Abort { called_off_by: Some(Side::Red), not_deployed: Vec::new() };
    assert_eq!(aborts(&mut bo), std::slice::from_ref(&abort));
    assert_eq!(returning(&hand), ["bo"]);
    let mut twin = hand.twin();
    twin.open(&bo, None);
    assert_eq!(aborts(&mut bo), [abort]);
}

#[test]
fn games_that_end_otherwise_say_nothing_of_an_abort() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&rated());
    hand.play(&mut ana, &mut bo, 2, &mut Chance::new(1));
    hand.command(&ana, 2, GameCommand::Resign {});
    hand.open(&bo, None);
    assert_eq!(aborts(&mut bo), []);
    assert!(returning(&hand).is_empty());
}
