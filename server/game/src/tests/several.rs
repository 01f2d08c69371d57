//! Servers that share a store. Each shows the entries of the others, whether or not it gets their
//! announcements.

use flagfall_board::{Chance, PerSide, Side};
use flagfall_protocol::{EventPosition, GameCommand, Phase, Presence, ServerToClient};
use flagfall_rules::Viewer;
use flagfall_store::{Outage, StoreError};

use super::harness::{Client, Hand, START, header};
use crate::error::TableError;
use crate::table::{Health, Input, Output};
use flagfall_base::cluster::Elsewhere;

/// Returns two servers with the same game, and connections of both players to each of them.
fn pair() -> (Hand, [Client; 2], Hand, [Client; 2]) {
    let (mut one, ana, bo) = Hand::playing(&header("classic"));
    one.table.share(PerSide::default());
    let mut other = one.twin();
    other.table.share(PerSide::default());
    let (mut other_ana, mut other_bo) = (Client::new("ana"), Client::new("bo"));
    other.open(&other_ana, None);
    other.open(&other_bo, None);
    other_ana.texts();
    other_bo.texts();
    (one, [ana, bo], other, [other_ana, other_bo])
}

fn play(hand: &mut Hand, [ana, bo]: &mut [Client; 2], plies: usize, seed: u64) -> u64 {
    hand.play(ana, bo, plies, &mut Chance::new(seed));
    hand.table.head.seq
}

fn assert_alike(one: &Hand, other: &Hand) {
    assert!(one.table.game == other.table.game && one.table.head == other.table.head);
    for viewer in [Viewer::Public, Viewer::Player(Side::Red), Viewer::Player(Side::Blue)] {
        assert_eq!(one.seq(viewer), other.seq(viewer));
    }
}

#[test]
fn announced_entries_are_shown_at_once_to_connections() {
    let (mut one, mut clients, mut other, mut others) = pair();
    let head = play(&mut one, &mut clients, 3, 3);
    other.step(Input::Heard { seq: head });
    assert_alike(&one, &other);
    assert_eq!(others[0].events().len(), 3);
    assert_eq!(others[1].events().len(), 3);
    other.step(Input::Heard { seq: head - 1 });
    assert!(others[0].texts().is_empty(), "what is known is no news");
}

#[test]
fn entries_announced_during_an_append_are_read_after_it() {
    let (mut one, mut clients, mut other, mut others) = pair();
    other.is_holding = true;
    let offer = if one.table.game.turn() == Some(Side::Red) { 0 } else { 1 };
    other.command(&others[offer], 0, GameCommand::OfferDraw {});
    let head = play(&mut one, &mut clients, 1, 3);
    other.step(Input::Heard { seq: head });
    assert_eq!(other.held.len(), 1, "one thing at a time");
    other.release();
    assert_eq!(other.table.head.seq, other.log().len() as u64);
    assert!(others.iter_mut().all(|client| !client.texts().is_empty()));
}

#[test]
fn a_hint_that_is_not_true_is_read_after_once() {
    let (_one, _clients, mut other, _others) = pair();
    other.is_holding = true;
    other.step(Input::Heard { seq: 1_000 });
    assert!(matches!(other.held[..], [Output::Read { .. }]));
    other.release();
    assert!(other.held.is_empty());
}

#[test]
fn a_game_without_connections_is_followed_later() {
    let (mut one, mut clients, ..) = pair();
    let mut other = one.twin();
    other.table.share(PerSide::default());
    let head = play(&mut one, &mut clients, 3, 3);
    other.is_holding = true;
    other.step(Input::Heard { seq: head });
    assert!(other.held.is_empty());
    other.is_holding = false;
    assert_eq!(other.wake(), Some(3_000));
    assert_alike(&one, &other);
}

#[test]
fn an_opened_game_is_shown_as_the_log_has_it() {
    let (mut one, mut clients, mut attended, mut others) = pair();
    let mut unattended = one.twin();
    unattended.table.share(PerSide::default());
    play(&mut one, &mut clients, 3, 3);
    // This server has received no announcements of these plies.
    let mut cy = Client::new("cy");
    unattended.open(&cy, None);
    let ServerToClient::Game { game, .. } = cy.only() else { panic!() };
    assert_eq!(game.ply, 3);
    // If the game has other connections, a server shows its replica without reading the log. But if
    // a client has already seen more than the replica has, the server reads the log first.
    let mut ana = Client::new("ana");
    let seen = one.seq(Viewer::Player(Side::Red));
    attended.open(&ana, Some(one.position(seen)));
    let ServerToClient::Game { game, seq, .. } = ana.only() else { panic!() };
    assert_eq!((game.ply, seq), (3, seen));
    assert_eq!(others[1].events().len(), 3);
}

#[test]
fn a_client_that_has_seen_more_in_another_epoch_waits_for_a_look_too() {
    let (mut one, mut clients, mut attended, _others) = pair();
    play(&mut one, &mut clients, 3, 3);
    // The client comes from a server that restarted and so has a new epoch. This server
    // is still in the old epoch.
    let seen = one.position(one.seq(Viewer::Player(Side::Red)));
    let mut ana = Client::new("ana");
    attended.open(&ana, Some(EventPosition { epoch: seen.epoch + 1, ..seen }));
    let ServerToClient::Game { game, seq, .. } = ana.only() else { panic!() };
    assert_eq!((game.ply, seq), (3, seen.seq));
}

#[test]
fn a_stopping_server_shows_nothing_older_than_a_client_has_seen() {
    let (mut one, mut clients, mut stopping, _others) = pair();
    let before = one.position(one.seq(Viewer::Player(Side::Red)));
    play(&mut one, &mut clients, 3, 3);
    let seen = one.position(one.seq(Viewer::Player(Side::Red)));
    stopping.step(Input::Stop { is_last: false });
    let [mut ahead, mut level] = [Client::new("ana"), Client::new("ana")];
    stopping.open(&level, Some(before));
    let ServerToClient::Game { seq, .. } = level.only() else { panic!() };
    assert_eq!(seq, before.seq);
    stopping.open(&ahead, Some(seen));
    assert_eq!(ahead.texts(), [""; 0], "it sees the game at the next server");
}

#[test]
fn an_opener_without_a_followed_replica_waits_while_the_store_does_not_answer() {
    let (mut one, mut clients, mut attended, _others) = pair();
    let mut other = one.twin();
    other.table.share(PerSide::default());
    play(&mut one, &mut clients, 2, 3);
    other.is_holding = true;
    let [mut cy, mut dee, mut eve] = ["cy", "dee", "eve"].map(Client::new);
    other.open(&cy, None);
    other.open(&dee, None);
    assert!(matches!(other.held[..], [Output::Look { .. }]), "one look for both");
    other.close(&dee);
    other.held.clear();
    other.step(Input::Looked(Err(TableError::Unavailable)));
    other.open(&eve, None);
    assert!(cy.texts().is_empty() && other.held.is_empty());
    other.is_holding = false;
    assert_eq!(other.wake(), Some(1_000));
    for client in [&mut cy, &mut eve] {
        assert!(matches!(client.only(), ServerToClient::Game { game, .. } if game.ply == 2));
    }
    assert!(dee.texts().is_empty(), "a client that has left is shown nothing");
    // If the game has other connections, it is shown without asking the store.
    attended.is_holding = true;
    let mut fay = Client::new("fay");
    attended.open(&fay, None);
    assert!(matches!(fay.only(), ServerToClient::Game { .. }));
}

#[test]
fn a_server_whose_clock_is_behind_shows_no_moment_before_the_last_entry() {
    let (mut one, mut clients, mut other, _others) = pair();
    one.advance(500);
    let head = play(&mut one, &mut clients, 1, 3);
    let behind = flagfall_board::Stamp(other.table.game.latest().0);
    let outputs = other.table.step(behind, Input::Heard { seq: head });
    other.held.extend(outputs);
    other.release();
    let latest = other.table.game.latest();
    assert!(behind < latest);
    assert_eq!(other.table.look(behind, Viewer::Public), other.table.look(latest, Viewer::Public));
}

#[test]
fn an_audit_finds_missed_and_lost_entries() {
    let (mut one, mut clients, mut other, mut others) = pair();
    let head = play(&mut one, &mut clients, 3, 3);
    other.step(Input::Audit);
    assert_eq!(others[0].events().len(), 3);
    other.step(Input::Audit);
    assert!(others[0].texts().is_empty());
    one.store.lose_tail(one.id, head - 1);
    other.is_holding = true;
    other.step(Input::Audit);
    other.release_one();
    assert!(other.table.health == Health::Diverged && matches!(other.held[..], [Output::Diverged]));
}

#[test]
fn a_house_player_is_moved_where_the_game_is_open_or_later_elsewhere() {
    let mut terms = header("classic");
    terms.players.blue = super::harness::player("house-random");
    let mut one = Hand::new(&terms);
    one.table.share(PerSide::default());
    let mut other = one.twin();
    other.table.share(PerSide::default());
    let ana = Client::new("ana");
    let spectator = Client::new("cy");
    one.open(&ana, None);
    other.open(&spectator, None);
    other.step(Input::Tick);
    assert_eq!((one.house_turns, other.house_turns), (1, 0));
    assert_eq!(other.wake(), Some(5_000));
    assert_eq!(other.house_turns, 1);
    assert_eq!(other.table.game.phase(), Phase::Deploying);
    assert_ne!(other.wake(), Some(0), "asked once");
}

#[test]
fn three_servers_let_one_flag_fall_once_and_all_show_it() {
    let (mut one, mut clients, mut other, mut others) = pair();
    let mut third = one.twin();
    third.table.share(PerSide::default());
    let entries = one.log().len();
    assert!(third.wake().is_some());
    other.step(Input::Tick);
    one.step(Input::Tick);
    assert_eq!(one.log().len(), entries + 1);
    assert_eq!((clients[0].events().len(), others[1].events().len()), (1, 1));
    assert_alike(&one, &other);
    assert_alike(&one, &third);
}

#[test]
fn no_clock_runs_while_no_server_reaches_the_store() {
    let (mut one, mut clients, mut other, mut others) = pair();
    let seat = if one.table.game.turn() == Some(Side::Red) { 0 } else { 1 };
    let since = one.now();
    let entries = one.log().len();
    one.advance(3_600_000);
    let outage = Outage { since, until: one.now() };
    one.step(Input::Outage(outage));
    other.step(Input::Outage(outage));
    assert_eq!(one.log().len(), entries + 2, "paused and resumed, once");
    assert!(!one.table.is_over(), "no flag fell in the hour");
    assert_alike(&one, &other);
    let ply = one.table.game.ply();
    let command = one.any_move(&mut Chance::new(3)).unwrap();
    clients.iter_mut().chain(&mut others).for_each(|client| drop(client.texts()));
    one.command(&clients[seat], ply, command);
    clients[seat].accepted();
    let entries = one.log().len();
    one.step(Input::Outage(outage));
    let mut late = one.twin();
    late.step(Input::Outage(outage));
    assert_eq!(one.log().len(), entries, "the log has it already");
}

#[test]
fn a_log_that_went_on_after_the_last_heartbeat_stood_still_from_there() {
    let (mut one, mut clients, ..) = pair();
    let since = one.now();
    one.advance(400);
    play(&mut one, &mut clients, 1, 3);
    let latest = one.table.game.latest();
    one.advance(60_000);
    let (outage, entries) = (Outage { since, until: one.now() }, one.log().len());
    assert!(latest > since);
    one.step(Input::Outage(outage));
    assert_eq!(one.log().len(), entries + 2);
    let left = one.view(Viewer::Public).clock.unwrap().remaining_ms;
    assert!(left.red > 60_000 - 1_000 && left.blue > 60_000 - 1_000, "{left:?}");
}

#[test]
fn an_entry_from_before_an_outage_that_is_read_later_does_not_record_it() {
    let (mut one, mut clients, mut other, _others) = pair();
    let since = one.now();
    one.advance(400);
    play(&mut one, &mut clients, 1, 3);
    let latest = one.table.game.latest();
    one.advance(60_000);
    let (outage, entries) = (Outage { since, until: one.now() }, one.log().len());
    assert!(other.table.game.latest() <= since && since < latest, "the other has not heard of it");
    other.step(Input::Outage(outage));
    assert_eq!(one.log().len(), entries + 2, "paused and resumed");
    let left = other.view(Viewer::Public).clock.unwrap().remaining_ms;
    assert!(left.red > 60_000 - 1_000 && left.blue > 60_000 - 1_000, "{left:?}");
    one.step(Input::Outage(outage));
    assert_eq!(one.log().len(), entries + 2, "once");
    assert_alike(&one, &other);
}

#[test]
fn of_two_outages_that_are_known_at_once_the_first_stops_the_clocks() {
    let (mut one, mut clients, mut other, _others) = pair();
    let since = one.now();
    one.advance(400);
    play(&mut one, &mut clients, 1, 3);
    let latest = one.table.game.latest();
    one.advance(60_000);
    let first = Outage { since, until: one.now() };
    one.advance(20_000);
    let between = one.now();
    one.advance(60_000);
    let second = Outage { since: between, until: one.now() };
    let entries = one.log().len();
    // The other server reads the entry from the first outage only after it has heard of both.
    other.is_holding = true;
    other.step(Input::Outage(first));
    other.step(Input::Outage(second));
    other.release();
    assert_eq!(one.log().len(), entries + 2, "paused and resumed");
    let left = other.view(Viewer::Public).clock.unwrap().remaining_ms;
    assert!(latest > since && left.red > 60_000 - 1_000 && left.blue > 60_000 - 1_000, "{left:?}");
    one.step(Input::Outage(first));
    one.step(Input::Outage(second));
    assert_eq!(one.log().len(), entries + 2, "once");
    assert_alike(&one, &other);
}

/// Returns the input that tells a server about a connection on another server.
fn elsewhere(side: Side, since: u64) -> Input {
    let there = Elsewhere { since: START.plus_ms(since), wins_ties: false };
    let mut elsewhere = PerSide::default();
    elsewhere[side] = Some(there);
    Input::Elsewhere(elsewhere)
}

fn nobody_elsewhere() -> Input {
    Input::Elsewhere(PerSide::default())
}

fn presences(client: &mut Client) -> Vec<(Side, Presence)> {
    let told = |message| match message {
        ServerToClient::Presence { side, presence, .. } => Some((side, presence)),
        _ => None,
    };
    client.read().into_iter().filter_map(told).collect()
}

#[test]
fn the_newest_connection_drives_whichever_server_it_is_on() {
    let (mut one, mut clients, ..) = pair();
    let superseded = |client: &mut Client| {
        client.read().iter().any(|message| matches!(message, ServerToClient::Superseded { .. }))
    };
    one.step(elsewhere(Side::Red, 0));
    assert!(!superseded(&mut clients[0]), "the one elsewhere is not newer");
    one.advance(1_000);
    one.step(elsewhere(Side::Red, 1_000));
    assert!(superseded(&mut clients[0]) && !superseded(&mut clients[1]));
    let (ply, resign) = (one.table.game.ply(), GameCommand::Resign {});
    one.command(&clients[0], ply, resign);
    assert_eq!(clients[0].refusal().0, "superseded");
    // The connection that opens the game last is the newest, even if the clock of its server is
    // behind.
    one.step(elsewhere(Side::Red, 5_000));
    one.open(&clients[0], None);
    assert!(matches!(clients[0].only(), ServerToClient::Game { driving: true, .. }));
    assert_eq!(one.table.attendance.seats_here(&one.table.audiences).red, Some(START.plus_ms(5_001)));
    one.step(elsewhere(Side::Red, 5_000));
    assert!(clients[0].texts().is_empty());
}

#[test]
fn a_player_on_another_server_is_present_until_on_none() {
    let (mut one, clients, ..) = pair();
    let [ana, mut bo] = clients;
    let mut cy = Client::new("cy");
    one.open(&cy, None);
    cy.texts();
    one.step(elsewhere(Side::Red, 1));
    one.close(&ana);
    assert!(presences(&mut bo).is_empty() && one.table.attendance.absent_since(Side::Red).is_none());
    assert!(one.table.attendance.seats_here(&one.table.audiences).red.is_none());
    one.advance(5_000);
    one.step(nobody_elsewhere());
    assert_eq!(presences(&mut bo), [(Side::Red, Presence::Reconnecting)]);
    assert_eq!(presences(&mut cy), [(Side::Red, Presence::Reconnecting)]);
    assert_eq!(one.table.attendance.absent_since(Side::Red), Some(one.now()));
    one.advance(29_999);
    one.step(Input::Tick);
    assert!(presences(&mut bo).is_empty());
    one.advance(1);
    one.step(Input::Tick);
    assert_eq!(presences(&mut bo), [(Side::Red, Presence::Away)]);
    assert_eq!(
        one.table.attendance.absent_since(Side::Red),
        Some(START.plus_ms(5_000)),
        "the start is remembered"
    );
    one.step(elsewhere(Side::Red, 40_000));
    assert_eq!(presences(&mut bo), [(Side::Red, Presence::Present)]);
    assert_eq!(one.table.attendance.absent_since(Side::Red), None);
}

#[test]
fn nobodys_absence_grows_older_while_this_server_does_not_hear_the_others() {
    let (mut one, clients, ..) = pair();
    let [ana, mut bo] = clients;
    one.close(&ana);
    presences(&mut bo);
    one.advance(20_000);
    one.table.attendance.sighted_since = None;
    one.step(Input::Tick);
    assert_eq!(one.table.attendance.absent_since(Side::Red), None);
    one.advance(600_000);
    one.step(Input::Tick);
    assert!(presences(&mut bo).is_empty());
    let sighted = one.now();
    one.table.attendance.sighted_since = Some(sighted);
    one.step(Input::Tick);
    assert!(presences(&mut bo).is_empty());
    assert_eq!(one.table.attendance.absent_since(Side::Red), Some(sighted), "it begins anew");
    one.advance(30_000);
    one.step(Input::Tick);
    assert_eq!(presences(&mut bo), [(Side::Red, Presence::Away)]);
}

#[test]
fn while_the_store_is_away_openers_see_the_replica_and_later_the_log() {
    let (one, ..) = pair();
    let mut other = one.twin();
    other.table.share(PerSide::default());
    other.table.outage.note_contact(true, None);
    other.is_holding = true;
    let mut cy = Client::new("cy");
    other.open(&cy, None);
    assert!(matches!(cy.only(), ServerToClient::Game { .. }), "without the store it is shown without a look");
    other.table.outage.note_contact(false, None);
    other.is_holding = false;
    other.release();
    assert!(matches!(cy.only(), ServerToClient::Game { .. }));
}

#[test]
fn while_a_part_of_the_store_is_away_everyone_who_has_one_of_its_games_open_is_told_once() {
    let (mut one, mut clients, ..) = pair();
    let mut cy = Client::new("cy");
    one.open(&cy, None);
    let clear = |client: &mut Client| drop(client.read());
    clear(&mut cy);
    clients.iter_mut().for_each(clear);
    let state = |available| ServerToClient::StoreState { available, game: Some(one.table.id()) };
    let [away, back] = [state(false), state(true)];
    for (is_away, told) in [(true, &away), (false, &back)] {
        one.table.note_part(is_away);
        one.table.note_part(is_away);
        for client in clients.iter_mut().chain([&mut cy]) {
            assert_eq!(client.only(), *told);
        }
    }
    one.table.note_part(true);
    let mut dee = Client::new("dee");
    one.open(&dee, None);
    let told = dee.read();
    assert!(matches!(&told[..], [ServerToClient::Game { .. }, last] if *last == away), "{told:?}");
}

#[test]
fn of_a_game_that_has_gone_on_elsewhere_nothing_older_is_shown_while_the_store_is_away() {
    let (one, ..) = pair();
    let head = one.log().len() as u64;
    let seen = |epoch, seq| Some(EventPosition { epoch, seq });
    let rows = [(head + 1, None), (head, seen(1, 1_000)), (head, seen(u64::MAX, 0))];
    for (heard, since) in rows {
        let mut other = one.twin();
        other.table.share(PerSide::default());
        other.table.outage.note_contact(true, None);
        other.is_holding = true;
        other.step(Input::Heard { seq: heard });
        let mut cy = Client::new("cy");
        other.open(&cy, since);
        assert!(matches!(cy.only(), ServerToClient::StoreState { available: false, game: None }));
        other.table.outage.note_contact(false, None);
        other.is_holding = false;
        other.release();
        assert!(matches!(cy.only(), ServerToClient::Game { .. }));
    }
}

#[test]
fn while_nothing_is_heard_of_the_store_clocks_are_shown_as_they_stood_and_again_when_it_is_known() {
    let (_one, _clients, mut other, _others) = pair();
    let since = other.now();
    let stood = other.table.look(since, Viewer::Public);
    other.advance(4_800);
    other.table.outage.note_contact(true, Some(since));
    other.is_holding = true;
    let mut cy = Client::new("cy");
    other.open(&cy, None);
    let ServerToClient::Game { view, .. } = cy.only() else { panic!("not shown at once") };
    assert_eq!(view, stood);
    // Another server was able to write in the meantime.
    other.table.outage.note_contact(false, None);
    other.is_holding = false;
    other.release();
    let ServerToClient::Game { view, .. } = cy.only() else { panic!("not shown again") };
    assert_eq!(view, other.table.look(other.now(), Viewer::Public));
    assert_ne!(view, stood);
}

#[test]
fn a_command_that_was_judged_before_an_outage_was_known_is_judged_again() {
    let (mut one, mut clients, ..) = pair();
    let seat = if one.table.game.turn() == Some(Side::Red) { 0 } else { 1 };
    let (since, ply, entries) = (one.now(), one.table.game.ply(), one.log().len());
    one.advance(60_000);
    one.is_holding = true;
    let command = one.any_move(&mut Chance::new(3)).unwrap();
    one.command(&clients[seat], ply, command);
    assert!(matches!(one.held.remove(0), Output::Append(_)));
    one.step(Input::Outage(Outage { since, until: one.now() }));
    one.step(Input::Appended(Err(StoreError::Unavailable { why: "clocks first".to_owned() })));
    one.release();
    clients[seat].accepted();
    assert_eq!(one.log().len(), entries + 3, "paused, resumed, moved");
}
