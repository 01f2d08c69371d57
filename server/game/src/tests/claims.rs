//! Tests of players who leave, of the messages that other clients get about them, and of claims.

use flagfall_board::{Chance, PerSide, Side};
use flagfall_protocol::{
    ClaimedResult, GameCommand, GameEvent, Presence, RefusalArg, RefusalArgs, SeenOutcome, ServerToClient,
    Time,
};
use flagfall_rules::Viewer;

use super::harness::{Client, Hand, header};
use crate::header::GameHeader;
use crate::table::Input;
use flagfall_base::cluster::Elsewhere;

const WIN: GameCommand = GameCommand::Claim { result: ClaimedResult::Win };
const DRAW: GameCommand = GameCommand::Claim { result: ClaimedResult::Draw };

/// Returns the header of games with ten minutes per player. They can be claimed after a minute.
fn rapid() -> GameHeader {
    let mut header = header("classic");
    header.terms.time = Time::Fischer { base_s: 600, increment_s: 0 };
    header
}

/// A message that a client got about a player.
#[derive(PartialEq, Eq, Debug)]
enum Told {
    Is(Side, Presence),
    /// The player is absent because they left on purpose.
    Left(Side, Presence),
    /// The time at which the opponent may claim the game.
    Claimable(Side, Option<u64>),
}

use Told::{Claimable, Is, Left};

/// Returns the messages about presence and claims that a client got, in order.
fn told(client: &mut Client) -> Vec<Told> {
    let told = |message| match message {
        ServerToClient::Presence { side, presence, left: false, .. } => Some(Is(side, presence)),
        ServerToClient::Presence { side, presence, left: true, .. } => Some(Left(side, presence)),
        ServerToClient::Claimable { gone, at, .. } => Some(Claimable(gone, at)),
        _ => None,
    };
    client.read().into_iter().filter_map(told).collect()
}

/// Returns the code and the arguments of the only refusal that a client got.
fn refusal(client: &mut Client) -> (String, RefusalArgs) {
    match client.only() {
        ServerToClient::Refused { code, args, .. } => (code.as_str().to_owned(), args),
        other => panic!("{other:?}"),
    }
}

fn ended(client: &mut Client) -> Option<SeenOutcome> {
    client.events().into_iter().find_map(|event| match event {
        GameEvent::Ended { outcome, .. } => Some(outcome),
        _ => None,
    })
}

fn at(hand: &Hand, ms: u64) -> Option<u64> {
    Some(hand.now().plus_ms(ms).0)
}

#[test]
fn an_absence_is_a_countdown_for_the_opponent_and_for_spectators_and_ends_in_a_claim() {
    for (claim, winner) in [(WIN, Some(Side::Blue)), (DRAW, None)] {
        let (mut hand, ana, mut bo) = Hand::playing(&rapid());
        let mut eve = Client::new("eve");
        hand.open(&eve, None);
        eve.texts();
        hand.close(&ana);
        let claim_at = at(&hand, 60_000);
        for client in [&mut bo, &mut eve] {
            let gone = [Is(Side::Red, Presence::Reconnecting), Claimable(Side::Red, claim_at)];
            assert_eq!(told(client), gone);
        }
        assert_eq!(hand.wake(), Some(30_000));
        for client in [&mut bo, &mut eve] {
            assert_eq!(told(client), [Is(Side::Red, Presence::Away)]);
        }
        // A client that has only just opened the game sees the same countdown.
        hand.open(&eve, None);
        let ServerToClient::Game { presence, claimable_at, .. } = eve.only() else { panic!("no game") };
        assert_eq!((presence.red, claimable_at), (Presence::Away, PerSide::new(claim_at, None)));

        hand.advance(29_999);
        hand.command(&bo, 0, claim.clone());
        let (code, args) = refusal(&mut bo);
        assert_eq!(code, "claim_too_early");
        assert_eq!(args.get("seconds"), Some(&RefusalArg::Number(1)));
        hand.advance(1);
        hand.step(Input::Tick);
        assert!(ended(&mut bo).is_none(), "nothing happens by itself");
        let id = hand.command(&bo, 0, claim.clone());
        let outcome = SeenOutcome { winner, reason: "abandoned".to_owned() };
        assert_eq!(ended(&mut eve), Some(outcome.clone()));
        assert_eq!(ended(&mut bo), Some(outcome.clone()));

        // The end of the game is in the log, so after a restart the game is over, and the repeated
        // command has the same outcome.
        let seq = hand.seq(Viewer::Player(Side::Blue));
        hand.reload();
        hand.open(&bo, None);
        let (_, view, _) = bo.game();
        assert_eq!(view.outcome, Some(outcome));
        hand.command_as(&bo, &id, 0, claim);
        assert_eq!(bo.accepted(), seq);
    }
}

#[test]
fn a_player_who_comes_back_in_time_has_lost_nothing() {
    let (mut hand, ana, mut bo) = Hand::playing(&rapid());
    hand.close(&ana);
    hand.advance(59_999);
    hand.step(Input::Tick);
    bo.texts();
    let ana = Client::new("ana");
    hand.open(&ana, None);
    assert_eq!(told(&mut bo), [Is(Side::Red, Presence::Present), Claimable(Side::Red, None)]);
    hand.advance(100_000);
    hand.command(&bo, 0, WIN);
    assert_eq!(bo.refusal().0, "opponent_present");
    // The earlier absence does not shorten the wait for the next one.
    hand.close(&ana);
    assert_eq!(told(&mut bo).last(), Some(&Claimable(Side::Red, at(&hand, 60_000))));
}

#[test]
fn the_wait_is_half_as_long_for_a_player_who_left_on_purpose() {
    let (mut hand, ana, mut bo) = Hand::playing(&rapid());
    let other = Client::new("ana");
    hand.open(&other, None);
    hand.leave(&ana);
    assert_eq!(told(&mut bo), [], "they are here on another connection");
    hand.leave(&other);
    assert_eq!(told(&mut bo).last(), Some(&Claimable(Side::Red, at(&hand, 30_000))));
    hand.advance(30_000);
    hand.command(&bo, 0, DRAW);
    assert_eq!(bo.accepted(), hand.seq(Viewer::Player(Side::Blue)));
}

#[test]
fn all_learn_whether_a_player_left_or_lost_the_connection() {
    for on_purpose in [true, false] {
        let is = |presence| if on_purpose { Left(Side::Red, presence) } else { Is(Side::Red, presence) };
        let (mut hand, ana, mut bo) = Hand::playing(&rapid());
        let mut eve = Client::new("eve");
        hand.open(&eve, None);
        eve.texts();
        if on_purpose {
            hand.leave(&ana);
        } else {
            hand.close(&ana);
        }
        hand.advance(30_000);
        hand.step(Input::Tick);
        for client in [&mut bo, &mut eve] {
            let mut told = told(client);
            told.retain(|told| !matches!(told, Claimable(..)));
            assert_eq!(told, [is(Presence::Reconnecting), is(Presence::Away)]);
        }
        // Until the player returns, a message with the whole game says whether they left on
        // purpose.
        hand.open(&eve, None);
        let ServerToClient::Game { left, .. } = eve.only() else { panic!("no game") };
        assert_eq!(left, PerSide::new(on_purpose, false));
        hand.open(&ana, None);
        assert_eq!(told(&mut eve).first(), Some(&Is(Side::Red, Presence::Present)));
        hand.open(&eve, None);
        let ServerToClient::Game { left, .. } = eve.only() else { panic!("no game") };
        assert_eq!(left, PerSide::default());
        // A connection that drops after the player has returned does not count as leaving on
        // purpose.
        hand.close(&ana);
        assert_eq!(told(&mut eve).first(), Some(&Is(Side::Red, Presence::Reconnecting)));
    }
}

#[test]
fn a_goodbye_counts_even_if_the_table_notices_first_that_the_connection_is_closed() {
    let (mut hand, ana, mut bo) = Hand::playing(&rapid());
    ana.outbox.say_goodbye();
    drop(ana);
    hand.step(Input::Tick);
    assert_eq!(told(&mut bo).first(), Some(&Left(Side::Red, Presence::Reconnecting)));
}

#[test]
fn leaving_another_server_is_leaving() {
    let (mut hand, ana, mut bo) = Hand::playing(&rapid());
    hand.table.share(PerSide::default());
    let there = Elsewhere { since: hand.now(), wins_ties: true };
    hand.step(Input::Elsewhere(PerSide::new(Some(there), None)));
    hand.close(&ana);
    assert_eq!(told(&mut bo), []);
    hand.table.note_left_elsewhere(PerSide::new(true, false));
    hand.step(Input::Elsewhere(PerSide::default()));
    let gone = [Left(Side::Red, Presence::Reconnecting), Claimable(Side::Red, at(&hand, 30_000))];
    assert_eq!(told(&mut bo), gone);
}

#[test]
fn a_claim_is_never_in_the_way_of_a_move() {
    let (mut hand, ana, mut bo) = Hand::playing(&rapid());
    let mut chance = Chance::new(5);
    let first = hand.any_move(&mut chance).unwrap();
    hand.command(&ana, 0, first);
    hand.close(&ana);
    hand.advance(90_000);
    let answer = hand.any_move(&mut chance).unwrap();
    hand.command(&bo, 1, answer);
    bo.texts();
    // A claim that names the previous ply is refused.
    hand.command(&bo, 1, WIN);
    assert_eq!(bo.refusal().0, "stale_ply");
    hand.command(&bo, 2, WIN);
    bo.accepted();
}

#[test]
fn the_side_that_is_gone_and_strangers_claim_nothing() {
    let (mut hand, mut ana, bo) = Hand::playing(&rapid());
    let mut eve = Client::new("eve");
    hand.close(&bo);
    hand.advance(90_000);
    hand.step(Input::Tick);
    hand.command(&eve, 0, WIN);
    assert_eq!(eve.refusal().0, "not_your_game");
    ana.texts();
    // The opponent is present.
    let mut bo = Client::new("bo");
    hand.open(&bo, None);
    bo.texts();
    hand.command(&bo, 0, WIN);
    assert_eq!(bo.refusal().0, "opponent_present");
}

#[test]
fn time_counts_only_while_the_other_side_is_there_to_wait() {
    let (mut hand, ana, bo) = Hand::playing(&rapid());
    let mut eve = Client::new("eve");
    hand.open(&eve, None);
    eve.texts();
    // The network of the server failed, so both players are gone.
    hand.close(&ana);
    hand.close(&bo);
    hand.advance(70_000);
    hand.step(Input::Tick);
    let both = told(&mut eve);
    let last = |gone: Side| both.iter().rfind(|told| matches!(told, Claimable(side, _) if *side == gone));
    assert_eq!(last(Side::Red), Some(&Claimable(Side::Red, None)), "no opponent waits");
    assert_eq!(last(Side::Blue), Some(&Claimable(Side::Blue, None)));
    let mut bo = Client::new("bo");
    hand.open(&bo, None);
    let back = at(&hand, 60_000);
    assert_eq!(told(&mut eve), [Is(Side::Blue, Presence::Present), Claimable(Side::Red, back)]);
    bo.texts();
    hand.command(&bo, 0, WIN);
    assert_eq!(bo.refusal().0, "claim_too_early");
    // The claimant's connection drops for a short time, which does not matter.
    hand.advance(30_000);
    hand.close(&bo);
    hand.advance(10_000);
    hand.open(&bo, None);
    hand.advance(20_000);
    bo.texts();
    hand.command(&bo, 0, WIN);
    bo.accepted();
}

#[test]
fn a_server_that_was_away_counts_as_no_players_absence() {
    let (mut hand, _ana, mut bo) = Hand::playing(&rapid());
    hand.advance(500_000);
    hand.reload();
    hand.step(Input::Tick);
    hand.open(&bo, None);
    bo.texts();
    hand.command(&bo, 0, WIN);
    let (code, args) = refusal(&mut bo);
    assert_eq!(code, "claim_too_early");
    assert_eq!(args.get("seconds"), Some(&RefusalArg::Number(60)));
    // An outage does not count toward the wait, because no server could accept a move during the
    // outage.
    hand.advance(59_000);
    let (since, until) = (hand.now(), hand.now().plus_ms(10_000));
    hand.advance(10_000);
    hand.step(Input::Outage(flagfall_store::Outage { since, until }));
    bo.texts();
    hand.command(&bo, 0, WIN);
    let (code, args) = refusal(&mut bo);
    assert_eq!(code, "claim_too_early");
    assert_eq!(args.get("seconds"), Some(&RefusalArg::Number(60)));
}

#[test]
fn before_the_game_has_started_nothing_counts() {
    let mut hand = Hand::new(&rapid());
    let (mut ana, bo) = (Client::new("ana"), Client::new("bo"));
    hand.open(&ana, None);
    hand.open(&bo, None);
    hand.command(&bo, 0, super::harness::deploy("classic", Side::Blue, 2));
    hand.close(&bo);
    hand.advance(100_000);
    hand.step(Input::Tick);
    ana.texts();
    hand.command(&ana, 0, WIN);
    assert_eq!(ana.refusal().0, "not_playing");
    hand.command(&ana, 0, super::harness::deploy("classic", Side::Red, 1));
    assert_eq!(told(&mut ana), [Claimable(Side::Blue, at(&hand, 60_000))]);
}

#[test]
fn players_need_not_be_present_where_a_ply_has_days() {
    let mut slow = rapid();
    slow.terms.time = Time::Correspondence { days: 3 };
    let (mut hand, ana, mut bo) = Hand::playing(&slow);
    hand.close(&ana);
    assert_eq!(told(&mut bo), [Is(Side::Red, Presence::Reconnecting)]);
    hand.advance(24 * 60 * 60 * 1_000);
    hand.step(Input::Tick);
    bo.texts();
    hand.command(&bo, 0, WIN);
    assert_eq!(bo.refusal().0, "no_claims");
}

#[test]
fn a_house_player_never_leaves() {
    let mut house = rapid();
    house.players.blue = super::harness::player("house-random");
    let mut hand = Hand::new(&house);
    let mut ana = Client::new("ana");
    hand.open(&ana, None);
    hand.advance(100_000);
    hand.step(Input::Tick);
    assert_eq!(told(&mut ana), []);
}

#[test]
fn nothing_can_be_claimed_while_other_servers_are_not_heard() {
    let (mut hand, ana, mut bo) = Hand::playing(&rapid());
    hand.table.share(PerSide::default());
    hand.table.attendance.sighted_since = None;
    hand.close(&ana);
    assert_eq!(told(&mut bo), [Is(Side::Red, Presence::Reconnecting)]);
    hand.advance(100_000);
    hand.command(&bo, 0, WIN);
    assert_eq!(bo.refusal().0, "opponent_present");
    // Absence counts from the time at which this server receives notices from other servers.
    hand.table.attendance.sighted_since = Some(hand.now());
    hand.step(Input::Tick);
    assert_eq!(told(&mut bo), [Claimable(Side::Red, at(&hand, 60_000))]);
}

#[test]
fn a_player_of_another_server_is_here() {
    let (mut hand, ana, mut bo) = Hand::playing(&rapid());
    hand.table.share(PerSide::default());
    let there = Elsewhere { since: hand.now(), wins_ties: false };
    hand.step(Input::Elsewhere(PerSide::new(Some(there), None)));
    hand.close(&ana);
    hand.advance(200_000);
    hand.step(Input::Tick);
    assert_eq!(told(&mut bo), []);
    hand.command(&bo, 0, WIN);
    assert_eq!(bo.refusal().0, "opponent_present");
    hand.step(Input::Elsewhere(PerSide::default()));
    let gone = [Is(Side::Red, Presence::Reconnecting), Claimable(Side::Red, at(&hand, 60_000))];
    assert_eq!(told(&mut bo), gone);
    // Just before the claim is possible, Red comes back on another server.
    hand.advance(59_999);
    hand.step(Input::Elsewhere(PerSide::new(Some(there), None)));
    hand.advance(1);
    bo.texts();
    hand.command(&bo, 0, WIN);
    assert_eq!(bo.refusal().0, "opponent_present");
}

#[test]
fn a_player_who_acts_on_another_server_was_there_then() {
    let (mut hand, ana, mut bo) = Hand::playing(&rapid());
    hand.close(&ana);
    hand.advance(59_000);
    let mut twin = hand.twin();
    let mut there = Client::new("ana");
    twin.open(&there, None);
    let first = twin.any_move(&mut Chance::new(3)).unwrap();
    twin.command(&there, 0, first);
    there.accepted();
    let acted = at(&hand, 60_000);
    hand.advance(5_000);
    bo.texts();
    // A claim for an earlier ply is refused because of the ply. A claim for the current ply is
    // refused because it is too early.
    hand.command(&bo, 0, WIN);
    assert!(bo.texts().iter().any(|text| text.contains("stale_ply")));
    hand.command(&bo, 1, WIN);
    assert_eq!(bo.refusal().0, "claim_too_early");
    assert_eq!(hand.table.claim_at(Side::Red).map(|at| at.0), acted);
}
