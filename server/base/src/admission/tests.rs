//! Tests of admission: which clients are admitted, which are evicted, and what is counted.

use std::net::{IpAddr, Ipv4Addr};
use std::task::{Context, Waker};

use flagfall_board::GameId;

use super::*;

fn limits() -> AdmissionLimits {
    AdmissionLimits::default()
}

fn address(last: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, last).into()
}

fn is_evicted(seat: &Seat) -> bool {
    seat.poll_evicted(&Context::from_waker(Waker::noop()))
}

/// Opens `count` connections from an address. Returns those that are accepted.
fn crowd(admission: &Admission, last: u8, count: usize) -> Vec<Arc<Seat>> {
    let client = admission.client(address(last));
    (0..count).filter_map(|_| admission.accept(client, Instant::now()).ok()).collect()
}

#[test]
fn one_address_gets_a_share_of_the_connections_and_others_get_in() {
    let admission = Admission::new(&limits(), 1_000);
    let seats = crowd(&admission, 1, 500);
    let staying = seats.iter().filter(|seat| !is_evicted(seat)).count();
    assert_eq!(staying, 128, "its own silent connections make room");
    for seat in seats.iter().filter(|seat| !is_evicted(seat)) {
        admission.admit_player(seat, "ana", Instant::now()).ok();
    }
    let more = crowd(&admission, 1, 99);
    for seat in &more {
        admission.note_request(seat);
    }
    assert!(crowd(&admission, 1, 1).len() == 1 && crowd(&admission, 2, 1).len() == 1);
}

#[test]
fn an_address_at_its_limit_is_refused_if_no_connection_can_be_evicted() {
    let limits = AdmissionLimits { connections_per_address: 3, ..limits() };
    let admission = Admission::new(&limits, 1_000);
    let seats = crowd(&admission, 1, 3);
    for seat in &seats {
        admission.admit_guest(seat, Instant::now()).unwrap();
    }
    let refused = admission.accept(admission.client(address(1)), Instant::now()).unwrap_err();
    assert_eq!((refused.limit, refused.scope), (Limit::Connections, Scope::Address));
    drop(seats);
    assert_eq!(crowd(&admission, 1, 3).len(), 3);
}

#[test]
fn handshakes_of_an_address_are_limited_and_come_back() {
    let admission = Admission::new(&limits(), 100_000);
    let (client, now) = (admission.client(address(1)), Instant::now());
    let taken = (0..2_200).filter(|_| admission.accept(client, now).is_ok()).count();
    assert_eq!(taken, 600);
    assert!(admission.accept(admission.client(address(2)), now).is_ok());
    let later = now + Duration::from_secs(1);
    assert_eq!((0..2_200).filter(|_| admission.accept(client, later).is_ok()).count(), 30);
}

#[test]
fn a_full_server_takes_known_players_and_closes_the_oldest_of_the_most_crowded_address() {
    let admission = Admission::new(&AdmissionLimits { handshakes_per_address: 9_000, ..limits() }, 100);
    // Guests from many addresses take all connections for newcomers.
    let mut guests = Vec::new();
    for last in 0..80 {
        let seat = crowd(&admission, last, 1).remove(0);
        admission.admit_guest(&seat, Instant::now()).unwrap();
        guests.push(seat);
    }
    // Silent strangers can fill the places that they share with known players, but cannot
    // take further connections.
    let first = crowd(&admission, 100, 3);
    let second = crowd(&admission, 101, 2);
    assert!(first.iter().chain(&second).all(|seat| !is_evicted(seat)));
    let known = crowd(&admission, 102, 1).remove(0);
    assert!(is_evicted(&first[0]) && !is_evicted(&first[1]), "the oldest of the most crowded address");
    assert!(admission.admit_player(&known, "ana", Instant::now()).is_ok());
    let newcomer = crowd(&admission, 103, 1).remove(0);
    let refused = admission.admit_guest(&newcomer, Instant::now()).unwrap_err();
    assert_eq!((refused.limit, refused.scope), (Limit::Connections, Scope::Server));
    drop(guests.pop());
    assert!(admission.admit_guest(&newcomer, Instant::now()).is_ok());
}

#[test]
fn unknown_connections_do_not_block_known_players() {
    let limits = AdmissionLimits { handshakes_per_address: 90_000, ..limits() };
    let admission = Admission::new(&limits, 200);
    let idle: Vec<_> = (0..8).flat_map(|last| crowd(&admission, last, 100)).collect();
    assert!(admission.state().open <= 200);
    for last in 100..150 {
        let newcomer = crowd(&admission, last, 1).remove(0);
        assert!(!is_evicted(&newcomer));
        assert!(admission.admit_guest(&newcomer, Instant::now()).is_ok());
    }
    drop(idle);
}

#[test]
fn active_connections_are_not_evicted() {
    let admission = Admission::new(&AdmissionLimits { strangers_per_address: 2, ..limits() }, 1_000);
    let seats = crowd(&admission, 1, 2);
    for seat in &seats {
        admission.note_request(seat);
    }
    let refused = admission.accept(admission.client(address(1)), Instant::now()).unwrap_err();
    assert_eq!((refused.limit, refused.scope), (Limit::Strangers, Scope::Address));
    assert!(!seats.iter().any(|seat| is_evicted(seat)));
}

#[test]
fn a_connection_of_a_proxy_counts_as_its_client_when_it_is_named() {
    let limits = AdmissionLimits { connections_per_address: 1, ..limits() };
    let admission = Admission::new(&limits, 1_000);
    let (proxy, client) = (admission.client(address(1)), admission.client(address(2)));
    let seats: Vec<_> = (0..3).map(|_| admission.accept_proxy(proxy).unwrap()).collect();
    let now = Instant::now();
    assert_eq!(seats[0].client(), None);
    admission.name_client(&seats[0], client, now).unwrap();
    assert_eq!(seats[0].client(), Some(client));
    admission.note_request(&seats[0]);
    let refused = admission.name_client(&seats[1], client, now).unwrap_err();
    assert_eq!(refused.limit, Limit::Connections);
    assert!(admission.name_client(&seats[2], admission.client(address(3)), now).is_ok());
}

#[test]
fn trusted_networks_have_no_limits_of_their_own() {
    let trusted_networks = vec!["192.0.2.0/24".parse().unwrap()];
    let limits = AdmissionLimits {
        trusted_networks,
        connections_per_address: 1,
        strangers_per_address: 1,
        handshakes_per_address: 1,
        guests_per_address: 1,
        offers_per_address: 1,
        games_per_address: 1,
        watched_per_address: 1,
        stored_kib_per_address: 1,
        requests_per_minute: 1,
        assets_per_minute: 1,
        ..limits()
    };
    let admission = Admission::new(&limits, 1_000);
    let (client, now) = (admission.client(address(1)), Instant::now());
    let seats: Vec<_> = (0..60).map(|_| admission.accept(client, now).unwrap()).collect();
    let mut kept = Vec::new();
    for (at, seat) in seats.iter().enumerate() {
        let player = format!("p{at}");
        admission.admit_guest(seat, now).unwrap();
        admission.take_request(client, now).unwrap();
        admission.take_asset(client, now).unwrap();
        kept.push(admission.watch(client, Some(&player), now).unwrap());
        assert!(admission.charge_stored(client, &player, 4_096, now).is_zero());
        admission.begin_offer(client).unwrap().keep(&Held::PoolPlace(player.clone()));
        admission.begin_game(client, &player, true).unwrap();
    }
    // The per-player limits and the limits of the whole server apply even to a trusted
    // network.
    assert!(!admission.charge_stored(client, "p0", 9 * 1_024 * 1_024, now).is_zero());
    assert_eq!(crowd(&admission, 1, 2_000).iter().filter(|seat| !is_evicted(seat)).count(), 740);
}

#[test]
fn new_guests_of_an_address_are_limited() {
    let admission = Admission::new(&AdmissionLimits { guests_per_address: 2, ..limits() }, 1_000);
    let (seats, now) = (crowd(&admission, 1, 3), Instant::now());
    assert!(admission.admit_guest(&seats[0], now).is_ok() && admission.admit_guest(&seats[1], now).is_ok());
    let refused = admission.admit_guest(&seats[2], now).unwrap_err();
    assert_eq!((refused.limit, refused.wait), (Limit::Guests, GUEST_WINDOW / 2));
    assert_eq!(admission.take_guest(admission.client(address(1)), now), Err(refused), "also over HTTP");
    assert!(admission.admit_anonymous(&seats[2]).is_ok(), "an anonymous client is no guest");
    let other = crowd(&admission, 2, 1);
    assert!(admission.admit_guest(&other[0], now).is_ok());
    assert!(admission.admit_guest(&seats[2], now + GUEST_WINDOW / 2).is_ok());
}

#[test]
fn repeated_hellos_of_a_player_are_refused() {
    let admission = Admission::new(&AdmissionLimits { hellos_per_player: 2, ..limits() }, 1_000);
    let (seats, now) = (crowd(&admission, 1, 3), Instant::now());
    assert!(admission.admit_player(&seats[0], "ana", now).is_ok());
    assert!(admission.admit_player(&seats[1], "ana", now).is_ok());
    assert_eq!(admission.admit_player(&seats[2], "ana", now).unwrap_err().limit, Limit::Hellos);
    assert!(admission.admit_player(&seats[2], "bo", now).is_ok());
}

#[test]
fn requests_are_counted_by_their_work() {
    let admission = Admission::new(&AdmissionLimits { requests_per_minute: 60, ..limits() }, 1_000);
    let (client, now) = (admission.client(address(1)), Instant::now());
    assert!(admission.take_request(client, now).is_ok());
    admission.charge_request(client, 80, now);
    let refused = admission.take_request(client, now).unwrap_err();
    assert_eq!((refused.limit, refused.wait_s()), (Limit::Requests, 22));
    assert!(admission.take_request(admission.client(address(2)), now).is_ok());
    assert!(admission.take_request(client, now + Duration::from_secs(22)).is_ok());
}

#[test]
fn files_of_the_page_do_not_count_as_requests() {
    let limits = AdmissionLimits { requests_per_minute: 1, assets_per_minute: 60, ..limits() };
    let admission = Admission::new(&limits, 1_000);
    let (client, now) = (admission.client(address(1)), Instant::now());
    assert!((0..60).all(|_| admission.take_asset(client, now).is_ok()));
    let refused = admission.take_asset(client, now).unwrap_err();
    assert_eq!((refused.limit, refused.wait_s()), (Limit::Assets, 1));
    assert!(admission.take_request(client, now).is_ok());
    assert!(admission.take_asset(admission.client(address(2)), now).is_ok());
}

#[test]
fn a_connection_that_waits_for_a_request_makes_room_for_others() {
    let admission = Admission::new(&AdmissionLimits { strangers_per_address: 2, ..limits() }, 1_000);
    let (client, now) = (admission.client(address(1)), Instant::now());
    let seats = [(); 2].map(|()| admission.accept(client, now).unwrap());
    seats.iter().for_each(|seat| admission.note_request(seat));
    assert!(admission.accept(client, now).is_err(), "both are being answered");
    admission.note_idle(&seats[1]);
    let third = admission.accept(client, now).unwrap();
    assert_eq!((is_evicted(&seats[0]), is_evicted(&seats[1]), is_evicted(&third)), (false, true, false));
    admission.note_idle(&seats[1]);
    assert!(is_evicted(&seats[1]));
}

#[test]
fn only_fast_writers_are_slowed_down() {
    let limits = AdmissionLimits { stored_kib_per_player: 60, stored_kib_per_address: 120, ..limits() };
    let admission = Admission::new(&limits, 1_000);
    let (client, now) = (admission.client(address(1)), Instant::now());
    let kib = 1_024;
    assert!(admission.charge_stored(client, "ana", 60 * kib, now).is_zero());
    assert_eq!(admission.charge_stored(client, "ana", kib, now), Duration::from_secs(1));
    assert!(admission.charge_stored(client, "bo", 59 * kib, now).is_zero());
    assert_eq!(admission.charge_stored(client, "cy", 4 * kib, now), Duration::from_secs(2));
    assert!(admission.charge_stored(admission.client(address(2)), "dee", kib, now).is_zero());
}

#[test]
fn watched_games_are_counted_until_they_are_closed() {
    let limits = AdmissionLimits { watched_per_player: 2, watched_per_address: 3, ..limits() };
    let admission = Admission::new(&limits, 1_000);
    let (client, now) = (admission.client(address(1)), Instant::now());
    let watch = |player: &str| admission.watch(client, Some(player), now);
    let first = watch("ana").unwrap();
    let _second = watch("ana").unwrap();
    let refused = watch("ana").err().unwrap();
    assert_eq!((refused.limit, refused.scope), (Limit::Watched, Scope::Player));
    let _third = watch("bo").unwrap();
    assert_eq!(watch("bo").err().unwrap().scope, Scope::Address);
    let anonymous = || admission.watch(client, None, now);
    assert_eq!(anonymous().err().unwrap().scope, Scope::Address);
    drop(first);
    let fourth = anonymous().unwrap();
    assert_eq!(watch("bo").err().unwrap().scope, Scope::Address);
    drop(fourth);
    assert!(watch("bo").is_ok());
}

fn game(number: u8) -> GameId {
    GameId::from_random([number; 12])
}

#[test]
fn offers_count_until_they_are_seen_to_be_closed() {
    let admission = Admission::new(&AdmissionLimits { offers_per_address: 2, ..limits() }, 1_000);
    let client = admission.client(address(1));
    let seek = Held::Seek("s1".to_owned());
    admission.begin_offer(client).unwrap().keep(&seek);
    let pending = admission.begin_offer(client).unwrap();
    let refused = admission.begin_offer(client).unwrap_err();
    assert_eq!((refused.limit, refused.scope), (Limit::Offers, Scope::Address));
    assert!(admission.begin_offer(admission.client(address(2))).is_ok());
    drop(pending);
    admission.begin_offer(client).unwrap().keep(&Held::PoolPlace("ana".to_owned()));
    // A player's place in the pool counts only once.
    let holders = Holder::of(client, "ana");
    let holder = &holders[0];
    let now = Instant::now();
    assert_eq!(admission.to_verify(holder, now).len(), 2);
    assert!(admission.to_verify(holder, now).is_empty(), "not again at once");
    admission.release(holder, &[seek]);
    assert!(admission.begin_offer(client).is_ok());
}

#[test]
fn running_games_count_by_address_and_those_against_the_house_by_player_too() {
    let limits = AdmissionLimits {
        games_per_address: 3,
        house_games_per_address: 2,
        house_games_per_player: 1,
        ..limits()
    };
    let admission = Admission::new(&limits, 1_000);
    let client = admission.client(address(1));
    let begin = |player: &str, is_house| admission.begin_game(client, player, is_house);
    let of = |refused: TooMany| (refused.limit, refused.scope);
    begin("ana", true).unwrap().keep(&Held::Game { game: game(1), is_house: true });
    assert_eq!(of(begin("ana", true).unwrap_err()), (Limit::HouseGames, Scope::Player));
    begin("bo", true).unwrap().keep(&Held::Game { game: game(2), is_house: true });
    assert_eq!(of(begin("cy", true).unwrap_err()), (Limit::HouseGames, Scope::Address));
    // A game that this server did not start also counts once, as soon as its player opens
    // it here.
    admission.note_game(client, "ana", game(3), false);
    admission.note_game(client, "bo", game(3), false);
    assert_eq!(of(begin("cy", false).unwrap_err()), (Limit::Games, Scope::Address));
    for holder in Holder::of(client, "bo") {
        admission.release(&holder, &[Held::Game { game: game(2), is_house: true }]);
    }
    assert!(begin("bo", true).is_ok() && begin("cy", false).is_ok());
}

#[test]
fn memory_is_bounded_and_what_holds_nothing_is_forgotten() {
    let admission = Admission::new(&limits(), 1_000);
    let now = Instant::now();
    for number in 0..60_000_u32 {
        let client = admission.client(Ipv4Addr::from_bits(number).into());
        drop(admission.accept(client, now));
        admission.charge_stored(client, &number.to_string(), 1, now);
        admission.begin_game(client, "ana", false).unwrap();
    }
    let (networks, players, crowds) = admission.state().remembered();
    assert!(networks <= state::COUNTED_MAX && players <= state::COUNTED_MAX && crowds == 0);
    assert!(admission.holders().is_empty());
    let later = now + Duration::from_secs(24 * 3_600);
    admission.charge_stored(admission.client(address(1)), "ana", 1, later);
    let (networks, players, _) = admission.state().remembered();
    assert!(networks <= 1 && players <= 1, "{networks} {players}");
}

#[test]
fn every_refusal_says_what_to_do() {
    for (limit, scopes) in Limit::ALL {
        for scope in scopes {
            let too_many = TooMany { limit, scope: *scope, wait: Duration::from_millis(4_200) };
            let text = flagfall_words::refusal_text(&too_many);
            assert!(text.contains("ry again in 5 seconds") && text.len() < 160, "{text}");
        }
    }
}
