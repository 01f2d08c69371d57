//! Tests of seats on several servers.

use super::*;

const GAME: fn() -> GameId = || GameId::from_random([7; 12]);
const SECOND: Duration = Duration::from_secs(1);

fn here(since: u64) -> Seating {
    Seating(GAME(), Side::Red, Some(Stamp(since)))
}

fn gone() -> Seating {
    Seating(GAME(), Side::Red, None)
}

fn seats_only(seats: &[Seating]) -> SeatNews {
    SeatNews { seats: seats.to_vec(), left: Vec::new() }
}

fn sighted(server: &str, now: Instant) -> Seats {
    let seats = Seats::new(server.to_owned());
    assert!(seats.hear(now, Stamp(1), server, &seats_only(&[])).is_empty());
    seats
}

fn news(seats: &Seats) -> SeatNews {
    let mut news = seats.take_outgoing(false).news;
    assert!(news.len() <= 1 && news.iter().all(|(game, _)| *game == GAME()));
    news.pop().map(|(_, news)| news).unwrap_or_default()
}

#[test]
fn followers_hear_of_changes_and_servers_of_earlier_versions_of_everything_again() {
    let seats = Seats::new("a".to_owned());
    seats.note(GAME(), Side::Red, Some(Stamp(5)), false);
    assert_eq!(
        (news(&seats), seats.take_listing(true)),
        (seats_only(&[here(5)]), (seats_only(&[here(5)]), true))
    );
    seats.note(GAME(), Side::Red, Some(Stamp(5)), false);
    assert_eq!((news(&seats), seats.take_listing(true)), (seats_only(&[]), (seats_only(&[]), true)));
    seats.repeat();
    assert_eq!((news(&seats), seats.take_listing(true)), (seats_only(&[]), (seats_only(&[here(5)]), true)));
    seats.note(GAME(), Side::Red, None, false);
    let gone_news = news(&seats);
    assert_eq!(gone_news, seats_only(&[gone()]));
    assert_eq!(seats.take_listing(false), (seats_only(&[]), true), "there are no such servers");
    assert_eq!(seats.take_listing(true), (seats_only(&[]), true), "and later ones hear of what is new");
    seats.put_back(GAME(), &gone_news);
    assert_eq!(news(&seats), gone_news);
    let games: Vec<GameId> = (0..200_u8)
        .map(|number| GameId::from_random(std::array::from_fn(|at| number >> (4 * (at % 2)))))
        .collect();
    for (game, side) in games.iter().flat_map(|game| Side::BOTH.map(|side| (*game, side))) {
        seats.note(game, side, Some(Stamp(1)), false);
    }
    let (all, is_all) = seats.take_listing(true);
    assert!(is_all && all.seats.len() == 400);
    assert!(
        serde_json::to_vec(&all.seats).unwrap().len() * TOLD_MAX / 400 < 60 * 1024,
        "a notice has room for it"
    );
}

#[test]
fn other_servers_are_told_once_that_a_player_left_on_purpose() {
    let now = Instant::now();
    let [a, b] = ["a", "b"].map(|server| sighted(server, now));
    a.follow(GAME());
    b.note(GAME(), Side::Red, Some(Stamp(7)), false);
    assert!(a.hear_of_game(now, "b", GAME(), &news(&b)));
    b.note(GAME(), Side::Red, None, true);
    let left = news(&b);
    b.put_back(GAME(), &left);
    let left = news(&b);
    assert_eq!(left.left, [(GAME(), Side::Red)]);
    assert!(a.hear_of_game(now, "b", GAME(), &left));
    assert_eq!(a.elsewhere(GAME()), PerSide::default(), "a seat that was left does not count");
    assert_eq!(a.take_left(GAME()), PerSide::new(true, false));
    assert_eq!(a.take_left(GAME()), PerSide::default());
    // A lost connection does not count as leaving on purpose.
    b.note(GAME(), Side::Red, Some(Stamp(8)), false);
    a.hear_of_game(now, "b", GAME(), &news(&b));
    b.note(GAME(), Side::Red, None, false);
    assert!(a.hear_of_game(now, "b", GAME(), &news(&b)));
    assert_eq!(a.take_left(GAME()), PerSide::default());
    // Departures from a game are forgotten when this server stops following the game.
    b.note(GAME(), Side::Red, Some(Stamp(9)), false);
    a.hear_of_game(now, "b", GAME(), &news(&b));
    b.note(GAME(), Side::Red, None, true);
    let left = news(&b);
    a.hear_of_game(now, "b", GAME(), &left);
    a.unfollow(GAME());
    assert_eq!(a.take_left(GAME()), PerSide::default());
    assert!(!a.hear_of_game(now, "b", GAME(), &seats_only(&[here(9)])), "it concerns this server no more");
    assert_eq!(a.elsewhere(GAME()), PerSide::default());
}

#[test]
fn seats_that_nobody_confirms_when_asked_are_dropped() {
    let mut now = Instant::now();
    let [a, b] = ["a", "b"].map(|server| sighted(server, now));
    a.follow(GAME());
    for side in Side::BOTH {
        b.note(GAME(), side, Some(Stamp(7)), false);
        a.hear_of_game(now, "b", GAME(), &news(&b));
    }
    a.ask_for_all();
    assert_eq!(a.take_outgoing(false).asks, [GAME()]);
    a.ask_again(GAME());
    assert_eq!(a.take_outgoing(false).asks, []);
    assert_eq!(a.take_outgoing(true).asks, [GAME()], "with a beat");
    now += SECOND;
    a.note_asked(now, GAME());
    // The blue player has left, but this server missed the notice about it. The answer to
    // its request confirms only the red seat.
    b.note(GAME(), Side::Blue, None, false);
    b.answer(GAME(), "a".to_owned());
    assert_eq!(b.take_outgoing(false).answers, [(GAME(), "a".to_owned())]);
    a.hear_of_game(now, "b", GAME(), &b.of_game(GAME()));
    for second in 1..=5 {
        now += SECOND;
        for server in ["a", "b"] {
            a.hear(now, Stamp(1), server, &SeatNews::default());
        }
        assert_eq!(a.expire(now), if second == 4 { vec![GAME()] } else { vec![] }, "{second}");
    }
    assert!(a.elsewhere(GAME()).red.is_some() && a.elsewhere(GAME()).blue.is_none());
}

#[test]
fn a_server_of_version_0_1_reads_the_seats_and_passes_the_rest_over() {
    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Old {
        Seats { server: String, seats: Vec<Seating> },
    }
    let (server, seats) = ("b".to_owned(), vec![gone()]);
    let left = vec![(GAME(), Side::Red)];
    let news = SeatNews { seats: seats.clone(), left };
    let told = crate::cluster::BusMessage::Seats { server, news, is_copy: true };
    let Old::Seats { server, seats: read } =
        serde_json::from_slice(&serde_json::to_vec(&told).unwrap()).unwrap();
    assert_eq!((server.as_str(), read), ("b", seats));
}

#[test]
fn the_newest_seat_counts_and_of_two_of_one_moment_both_servers_name_the_same() {
    let now = Instant::now();
    let [a, b] = ["a", "b"].map(|server| sighted(server, now));
    assert_eq!(a.hear(now, Stamp(9), "b", &seats_only(&[here(7)])), [GAME()]);
    assert_eq!(a.hear(now, Stamp(9), "b", &seats_only(&[here(7)])), [], "no news");
    assert_eq!(b.hear(now, Stamp(9), "a", &seats_only(&[here(7)])), [GAME()]);
    let (at_a, at_b) = (a.elsewhere(GAME()).red.unwrap(), b.elsewhere(GAME()).red.unwrap());
    assert!(at_a.is_after(Stamp(7)) && !at_b.is_after(Stamp(7)));
    assert!(at_b.is_after(Stamp(6)) && !at_a.is_after(Stamp(8)));
    a.hear(now, Stamp(9), "c", &seats_only(&[here(8)]));
    assert_eq!(a.elsewhere(GAME()).red.unwrap().since, Stamp(8));
    assert_eq!(a.hear(now, Stamp(9), "c", &seats_only(&[gone()])), [GAME()]);
    assert_eq!(a.elsewhere(GAME()).red.unwrap().since, Stamp(7));
    assert_eq!(a.forget("b"), [GAME()]);
    assert_eq!(a.elsewhere(GAME()), PerSide::default());
}

#[test]
fn silent_servers_and_unreported_seats_count_as_absent() {
    let mut now = Instant::now();
    let a = sighted("a", now);
    a.hear(now, Stamp(1), "b", &seats_only(&[here(7)]));
    a.hear(now, Stamp(1), "c", &seats_only(&[Seating(GAME(), Side::Blue, Some(Stamp(7)))]));
    for second in 1..=17 {
        now += SECOND;
        a.hear(now, Stamp(1), "a", &seats_only(&[]));
        a.hear(now, Stamp(1), "c", &seats_only(&[]));
        let expected = if second == 4 || second == 17 { vec![GAME()] } else { vec![] };
        assert_eq!(a.expire(now), expected, "{second}");
    }
    assert_eq!(a.elsewhere(GAME()), PerSide::default());
}

#[test]
fn a_server_that_cannot_hear_itself_judges_no_absence() {
    let start = Instant::now();
    let a = Seats::new("a".to_owned());
    assert_eq!(a.sighted_since(start), None, "before it has heard anything");
    a.hear(start, Stamp(100), "a", &seats_only(&[]));
    a.hear(start, Stamp(100), "b", &seats_only(&[here(7)]));
    assert_eq!(a.sighted_since(start + 3 * SECOND), Some(Stamp(100)));
    let later = start + 60 * SECOND;
    assert_eq!(a.sighted_since(later), None);
    assert_eq!(a.expire(later), [], "others may be there");
    a.hear(later, Stamp(60_100), "a", &seats_only(&[]));
    assert_eq!(a.sighted_since(later), Some(Stamp(60_100)), "it counts from now on");
    assert_eq!(a.expire(later + 3 * SECOND), []);
    a.hear(later + 3 * SECOND, Stamp(63_100), "a", &seats_only(&[]));
    assert_eq!(a.expire(later + 4 * SECOND), [GAME()], "b had time to say something");
}
