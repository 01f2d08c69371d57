mod committed;
mod offers;
#[path = "../../../base/src/delivery/reading.rs"]
pub(super) mod reading;
mod returns;
mod waves;

use flagfall_board::GameId;
use flagfall_protocol::{PlayerKind, ServerToClient, Time};
use flagfall_store_testing::{TestStore, WriteFault};

use super::*;
use crate::features::ServerFeatures;
use flagfall_base::cluster::MemberInfo;
use flagfall_base::delivery::{OutboxReader, Registration, outbox};
use flagfall_base::jobs::JobWriter;

const SEEKS_MAX: usize = 80;

struct House {
    store: TestStore,
    lobby: Lobby,
    connections: Connections,
}

/// Returns a connection's next message.
async fn told(reader: &mut OutboxReader) -> ServerToClient {
    serde_json::from_str(reading::next(reader).await.unwrap().as_str()).unwrap()
}

async fn house() -> House {
    house_on(TestStore::new(SystemClock)).await
}

/// Returns a lobby on this store, as on a server that has just started.
async fn house_on(store: TestStore) -> House {
    house_with(store.clone(), Arc::new(store)).await
}

/// Returns a lobby on a server that reaches the store through `shared`.
async fn house_with(store: TestStore, shared: Arc<dyn Store>) -> House {
    house_of(store, shared, Settings::default()).await
}

/// Returns the refusal for an offer that was closed for this reason.
fn closed(Refused(refusal): Refused, reason: &str) -> Refused {
    refusal.because(reason).into()
}

/// Returns a lobby on a server that has no room for games.
async fn full_house(store: TestStore) -> House {
    let mut settings = Settings::default();
    settings.limits.running_games = 0;
    house_of(store.clone(), Arc::new(store), settings).await
}

async fn house_of(store: TestStore, shared: Arc<dyn Store>, mut settings: Settings) -> House {
    let connections = Connections::new();
    // Choose a low limit, so that a test can open that many seeks.
    settings.limits.seeks_max = SEEKS_MAX;
    let features = Arc::new(ServerFeatures { jobs: JobWriter::default(), signs: false });
    let table_settings = settings.for_tables(connections.clone(), features);
    let tables = Tables::start(shared.clone(), table_settings).await.unwrap();
    let lobby = Lobby::new(shared, tables, connections.clone(), settings);
    House { store, lobby, connections }
}

impl House {
    async fn ask(&self, who: &str, id: &str, command: LobbyCommand) -> Result<Accepted, Refused> {
        self.lobby.handle(&player(who), &id.parse().unwrap(), command).await
    }

    async fn games_of(&self, who: &str) -> Vec<GameId> {
        self.lobby.inner.tables.games_of(who).await.into_iter().map(|game| game.id).collect()
    }

    fn connect(&self, who: &str) -> (Registration, OutboxReader) {
        let (outbox, reader) = outbox(ConnectionId::next());
        let mut registration = self.connections.enter(outbox, None);
        registration.identify(who, "t", 8);
        (registration, reader)
    }

    fn seeks(&self) -> Vec<String> {
        self.lobby.inner.seeks.lock().iter().map(|seek| seek.id.clone()).collect()
    }
}

fn player(who: &str) -> Player {
    Player { id: who.to_owned(), name: who.to_owned(), kind: PlayerKind::Guest }
}

fn terms() -> Terms {
    Terms {
        ruleset: "classic".to_owned(),
        time: Time::Unlimited {},
        private: false,
        secret: false,
        rated: false,
    }
}

fn seek(side: Option<Side>) -> LobbyCommand {
    LobbyCommand::Seek { terms: terms(), side, rating: None }
}

fn challenge() -> LobbyCommand {
    LobbyCommand::Challenge { terms: terms(), side: Some(Side::Red) }
}

fn accept(challenge: &str) -> LobbyCommand {
    LobbyCommand::AcceptChallenge { challenge: challenge.to_owned(), secret: true }
}

fn code_of(outcome: Accepted) -> String {
    match outcome {
        Accepted::Challenge { challenge, .. } => challenge,
        Accepted::Seek { seek } => seek,
        other => panic!("{other:?}"),
    }
}

fn game_of(outcome: Accepted) -> (GameId, Side) {
    match outcome {
        Accepted::Started { game, side } => (game, side),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_accepted_seek_makes_a_game_that_both_players_hear_of() {
    let house = house().await;
    let (_ana, mut ana_reader) = house.connect("ana");
    let id = code_of(house.ask("ana", "1", seek(Some(Side::Blue))).await.unwrap());
    let accept = LobbyCommand::AcceptSeek { seek: id, secret: false };
    let (game, side) = game_of(house.ask("bo", "1", accept).await.unwrap());
    assert_eq!(side, Side::Red);
    assert_eq!(house.games_of("ana").await, [game]);
    match told(&mut ana_reader).await {
        ServerToClient::GameStarted { game: summary, side } => {
            assert_eq!((summary.id, side), (game, Side::Blue));
        }
        other => panic!("{other:?}"),
    }
    assert!(house.seeks().is_empty());
}

#[tokio::test]
async fn repeating_a_command_returns_its_outcome_and_does_nothing() {
    let house = house().await;
    let first = house.ask("ana", "1", seek(None)).await.unwrap();
    assert_eq!(house.ask("ana", "1", seek(None)).await, Ok(first));
    assert_eq!(house.seeks().len(), 1);
}

#[tokio::test]
async fn repeating_an_accept_makes_no_second_game_even_after_a_restart() {
    let house = house().await;
    let code = code_of(house.ask("ana", "1", challenge()).await.unwrap());
    let first = house.ask("bo", "1", accept(&code)).await.unwrap();
    assert_eq!(house.ask("bo", "1", accept(&code)).await, Ok(first.clone()));
    let restarted = house_on(house.store.clone()).await;
    assert_eq!(restarted.ask("bo", "1", accept(&code)).await, Ok(first));
    assert_eq!(restarted.games_of("bo").await.len(), 1);
}

#[tokio::test]
async fn an_id_with_another_command_is_refused() {
    let house = house().await;
    house.ask("ana", "1", seek(None)).await.unwrap();
    assert_eq!(
        house.ask("ana", "1", seek(Some(Side::Red))).await,
        Err(Refusal::new(Code::CMD_ID_REUSED).into())
    );
    assert_eq!(house.ask("ana", "1", challenge()).await, Err(Refusal::new(Code::CMD_ID_REUSED).into()));
    assert!(house.ask("bo", "1", seek(Some(Side::Red))).await.is_ok());
}

#[tokio::test]
async fn a_challenge_survives_a_restart() {
    let house = house().await;
    let code = code_of(house.ask("ana", "1", challenge()).await.unwrap());
    let restarted = house_on(house.store.clone()).await;
    assert_eq!(restarted.lobby.show_challenge(&code).await.unwrap().challenger, player("ana"));
    let (_, side) = game_of(restarted.ask("bo", "1", accept(&code)).await.unwrap());
    assert_eq!(side, Side::Blue);
}

#[tokio::test]
async fn concurrent_acceptances_of_a_challenge_give_it_once() {
    let house = house().await;
    let other_server = house_on(house.store.clone()).await;
    for round in 0..10 {
        let code = code_of(house.ask("ana", &format!("c{round}"), challenge()).await.unwrap());
        let id = format!("a{round}");
        let (bo, cy) =
            tokio::join!(house.ask("bo", &id, accept(&code)), other_server.ask("cy", &id, accept(&code)));
        assert_eq!(i32::from(bo.is_ok()) + i32::from(cy.is_ok()), 1, "{bo:?} {cy:?}");
        let loser = bo.err().or(cy.err());
        assert_eq!(loser, Some(closed(no_such_challenge(), "taken")));
    }
}

#[tokio::test]
async fn concurrent_acceptances_of_a_seek_give_it_once() {
    let house = house().await;
    let id = code_of(house.ask("ana", "1", seek(None)).await.unwrap());
    let accept = || LobbyCommand::AcceptSeek { seek: id.clone(), secret: false };
    let (bo, cy) = tokio::join!(house.ask("bo", "1", accept()), house.ask("cy", "1", accept()));
    assert_eq!(i32::from(bo.is_ok()) + i32::from(cy.is_ok()), 1, "{bo:?} {cy:?}");
}

#[tokio::test]
async fn one_command_over_two_connections_has_one_outcome() {
    let house = house().await;
    let id = code_of(house.ask("ana", "1", seek(None)).await.unwrap());
    let accept = || LobbyCommand::AcceptSeek { seek: id.clone(), secret: false };
    let (one, two) = tokio::join!(house.ask("bo", "1", accept()), house.ask("bo", "1", accept()));
    assert_eq!(one.unwrap(), two.unwrap());
    assert_eq!(house.games_of("bo").await.len(), 1);
}

#[tokio::test]
async fn a_write_that_happened_without_an_answer_is_found_again() {
    let house = house().await;
    house.store.fail_next(WriteFault::UnknownAfterWriting);
    let outcome = house.ask("ana", "1", seek(None)).await.unwrap();
    assert_eq!(house.ask("ana", "1", seek(None)).await, Ok(outcome));
    assert_eq!(house.seeks().len(), 1);
}

#[tokio::test]
async fn a_store_that_fails_leaves_a_seek_open() {
    for fault in [WriteFault::Unavailable, WriteFault::UnknownBeforeWriting] {
        let house = house().await;
        let id = code_of(house.ask("ana", "1", seek(None)).await.unwrap());
        house.store.fail_next(fault);
        let accept = || LobbyCommand::AcceptSeek { seek: id.clone(), secret: false };
        assert_eq!(house.ask("bo", "1", accept()).await, Err(store_unclear()));
        assert_eq!(house.seeks(), std::slice::from_ref(&id));
        assert!(house.ask("bo", "1", accept()).await.is_ok());
    }
}

#[tokio::test]
async fn a_game_that_a_crash_prevented_is_made_when_the_command_comes_again() {
    let house = house().await;
    let code = code_of(house.ask("ana", "1", challenge()).await.unwrap());
    let command = accept(&code);
    // The plan is in the store but the game is not, as after a crash between the two
    // writes.
    let asker = Asker {
        inner: &house.lobby.inner,
        player: &player("bo"),
        cmd_id: &"1".parse().unwrap(),
        command: &command,
        standing: &Standing::plain(&player("bo")),
    };
    let (plan, outcome) = asker.plan(&player("ana"), &terms(), Some(Side::Red), true).unwrap();
    asker.keep(outcome, Some(plan), Update::default()).await.unwrap();
    assert!(house.games_of("bo").await.is_empty());
    let (game, _) = game_of(house.ask("bo", "1", command.clone()).await.unwrap());
    assert_eq!(house.games_of("ana").await, [game]);
    assert_eq!(game_of(house.ask("bo", "1", command).await.unwrap()).0, game);
    assert_eq!(house.games_of("bo").await.len(), 1);
}

#[tokio::test]
async fn only_the_challenger_takes_a_challenge_back() {
    let house = house().await;
    let code = code_of(house.ask("ana", "1", challenge()).await.unwrap());
    let cancel = || LobbyCommand::CancelChallenge { challenge: code.clone() };
    assert_eq!(house.ask("bo", "1", cancel()).await, Err(no_such_challenge()));
    assert_eq!(house.ask("ana", "2", accept(&code)).await, Err(own_offer()));
    assert_eq!(house.ask("ana", "3", cancel()).await, Ok(Accepted::Done {}));
    assert_eq!(house.ask("ana", "3", cancel()).await, Ok(Accepted::Done {}));
    let withdrawn = || closed(no_such_challenge(), "withdrawn");
    assert_eq!(house.lobby.show_challenge(&code).await, Err(withdrawn()));
    assert_eq!(house.ask("bo", "2", accept(&code)).await, Err(withdrawn()));
}

#[tokio::test]
async fn codes_that_are_none_are_refused_like_those_that_are_gone() {
    let house = house().await;
    for code in ["", "x", "../../players", &"0".repeat(12), &"0".repeat(4000)] {
        assert_eq!(house.lobby.show_challenge(code).await, Err(no_such_challenge()));
    }
}

#[tokio::test]
async fn seeks_and_challenges_of_a_player_are_limited() {
    let house = house().await;
    for id in ["1", "2", "3"] {
        house.ask("ana", id, seek(None)).await.unwrap();
    }
    assert_eq!(house.ask("ana", "4", seek(None)).await, Err(too_many("seeks", 3)));
    for id in 0..10 {
        house.ask("ana", &format!("c{id}"), challenge()).await.unwrap();
    }
    assert_eq!(house.ask("ana", "c10", challenge()).await, Err(too_many("challenges", 10)));
}

#[tokio::test]
async fn a_house_player_is_there_at_once() {
    let house = house().await;
    let play =
        |bot: &str| LobbyCommand::PlayBot { bot: bot.to_owned(), terms: terms(), side: Some(Side::Blue) };
    assert_eq!(house.ask("ana", "1", play("brilliant")).await, Err(no_such_bot()));
    let (game, side) = game_of(house.ask("ana", "1", play("random")).await.unwrap());
    assert_eq!(side, Side::Blue);
    assert_eq!(house.games_of("ana").await, [game]);
}

#[tokio::test]
async fn a_player_has_only_so_many_games() {
    let house = house().await;
    let play = || LobbyCommand::PlayBot { bot: "random".to_owned(), terms: terms(), side: None };
    let max = house.lobby.inner.settings.limits.games_per_player;
    for id in 0..max {
        house.ask("ana", &id.to_string(), play()).await.unwrap();
    }
    assert_eq!(house.ask("ana", "x", play()).await, Err(too_many("games", max)));
}

#[tokio::test]
async fn a_stopping_lobby_makes_nothing_new_but_answers_for_the_past() {
    let house = house().await;
    let outcome = house.ask("ana", "1", seek(None)).await.unwrap();
    let id = code_of(outcome.clone());
    house.lobby.stop();
    assert_eq!(house.ask("ana", "1", seek(None)).await, Ok(outcome));
    assert_eq!(house.ask("ana", "2", seek(None)).await, Err(flagfall_game::CreateError::Stopping.into()));
    assert_eq!(house.ask("ana", "3", LobbyCommand::CancelSeek { seek: id }).await, Ok(Accepted::Done {}));
}

#[tokio::test(start_paused = true)]
async fn watchers_hear_of_seeks_and_abandoned_ones_go_after_ten_seconds() {
    let house = house().await;
    let running = tokio::spawn({
        let lobby = house.lobby.clone();
        async move { lobby.run().await }
    });
    let (ana, _ana_reader) = house.connect("ana");
    let (outbox, mut reader) = outbox(ConnectionId::next());
    house.lobby.watch(&outbox, &LobbyWish::default()).unwrap();
    let mut next = async || match told(&mut reader).await {
        ServerToClient::Lobby { seeks, .. } => seeks.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(next().await, 0);
    for id in ["1", "2", "3"] {
        house.ask("ana", id, seek(None)).await.unwrap();
    }
    assert_eq!(next().await, 3);
    let gone = Instant::now();
    drop(ana);
    // Skip messages about the number of players online.
    while next().await != 0 {}
    let elapsed = gone.elapsed();
    assert!((Duration::from_secs(10)..Duration::from_secs(12)).contains(&elapsed), "{elapsed:?}");
    running.abort();
}

/// Returns the lobbies of two servers on one store. The servers know each other.
async fn two_houses() -> (House, House) {
    let store = TestStore::announcing(SystemClock);
    (house_on(store.clone()).await, house_on(store).await)
}

async fn meet(houses: [&House; 2]) {
    for _ in 0..2 {
        for house in houses {
            let info = MemberInfo { online: house.connections.players_online(), ..MemberInfo::default() };
            house.lobby.inner.peers().meet(&info).await.unwrap();
            house.lobby.inner.tick().await;
        }
    }
}

#[tokio::test]
async fn a_seek_is_seen_accepted_and_taken_back_on_any_server() {
    let (one, other) = two_houses().await;
    let taken = code_of(one.ask("ana", "1", seek(None)).await.unwrap());
    let kept = code_of(other.ask("bo", "1", seek(None)).await.unwrap());
    meet([&one, &other]).await;
    assert!(one.seeks().contains(&taken) && one.seeks().contains(&kept));
    assert_eq!(one.seeks(), other.seeks(), "in one order");
    let accept = |seek: &str| LobbyCommand::AcceptSeek { seek: seek.to_owned(), secret: false };
    assert_eq!(other.ask("ana", "2", accept(&taken)).await, Err(own_offer()));
    let (game, _) = game_of(other.ask("bo", "2", accept(&taken)).await.unwrap());
    assert!(one.seeks().contains(&taken), "it does not know of the other server's change yet");
    let refused = one.ask("cy", "1", accept(&taken)).await;
    assert_eq!(refused, Err(closed(no_such_seek(), "taken")));
    assert!(!one.seeks().contains(&taken), "a seek that was just refused is not shown again");
    let withdraw = || LobbyCommand::CancelSeek { seek: kept.clone() };
    assert_eq!(one.ask("ana", "3", withdraw()).await, Err(no_such_seek()), "not her seek");
    assert_eq!(one.ask("bo", "3", withdraw()).await, Ok(Accepted::Done {}));
    let refused = one.ask("cy", "2", accept(&kept)).await;
    assert_eq!(refused, Err(closed(no_such_seek(), "withdrawn")));
    other.lobby.hear_closed(&kept);
    assert!(one.seeks().is_empty() && other.seeks().is_empty());
    assert_eq!(other.games_of("ana").await, [game]);
}

#[tokio::test]
async fn seeks_whose_part_of_the_store_is_away_stay_listed_and_others_are_opened_and_accepted() {
    let (one, other) = two_houses().await;
    let away = code_of(one.ask("ana", "1", seek(None)).await.unwrap());
    meet([&one, &other]).await;
    one.store.take_away(&[&format!("seeks/{away}")]);
    let opened = code_of(one.ask("bo", "1", seek(None)).await.unwrap());
    meet([&one, &other]).await;
    for house in [&one, &other] {
        assert_eq!(house.seeks(), [away.clone(), opened.clone()]);
    }
    let accept = |seek: &str| LobbyCommand::AcceptSeek { seek: seek.to_owned(), secret: false };
    let refused = other.ask("cy", "1", accept(&away)).await.unwrap_err();
    assert!(refused.to_string().starts_with("store_unavailable"), "{refused}");
    assert!(other.seeks().contains(&away));
    game_of(other.ask("cy", "2", accept(&opened)).await.unwrap());
    one.store.take_away(&[]);
    game_of(other.ask("cy", "3", accept(&away)).await.unwrap());
    assert!(other.seeks().is_empty());
}

#[tokio::test]
async fn seeks_are_opened_within_the_limits_while_the_record_of_the_last_opening_is_away() {
    let (one, other) = two_houses().await;
    let first = code_of(one.ask("ana", "1", seek(None)).await.unwrap());
    meet([&one, &other]).await;
    one.store.take_away(&["seek_turn"]);
    let second = code_of(one.ask("bo", "1", seek(None)).await.unwrap());
    meet([&one, &other]).await;
    for house in [&one, &other] {
        assert_eq!(house.seeks(), [first.clone(), second.clone()]);
    }
    other.ask("bo", "2", seek(None)).await.unwrap();
    let last = code_of(one.ask("bo", "3", seek(None)).await.unwrap());
    assert_eq!(one.ask("bo", "4", seek(None)).await, Err(too_many("seeks", 3)));
    one.store.take_away(&[]);
    assert_eq!(other.ask("bo", "4", seek(None)).await, Err(too_many("seeks", 3)));
    assert!(other.seeks().contains(&last), "the seeks are read again");
}

#[tokio::test]
async fn acceptances_on_two_servers_give_a_seek_once() {
    let (one, other) = two_houses().await;
    for round in 0..10 {
        let seek = code_of(one.ask("ana", &format!("s{round}"), seek(None)).await.unwrap());
        let accept = || LobbyCommand::AcceptSeek { seek: seek.clone(), secret: false };
        let id = format!("a{round}");
        // Both servers read the seek before either of them takes it.
        let held = one.store.hold_appends().await;
        let release = async {
            one.store.wait_for_held(2).await;
            drop(held);
        };
        let (bo, cy, ()) =
            tokio::join!(one.ask("bo", &id, accept()), other.ask("cy", &id, accept()), release);
        assert_eq!(i32::from(bo.is_ok()) + i32::from(cy.is_ok()), 1, "{bo:?} {cy:?}");
        assert_eq!(bo.err().or(cy.err()), Some(closed(no_such_seek(), "taken")));
    }
}

#[tokio::test]
async fn the_limits_of_seeks_hold_over_all_servers() {
    let (one, other) = two_houses().await;
    one.ask("ana", "1", seek(None)).await.unwrap();
    one.ask("ana", "2", seek(None)).await.unwrap();
    other.ask("ana", "3", seek(None)).await.unwrap();
    assert_eq!(other.ask("ana", "4", seek(None)).await, Err(too_many("seeks", 3)));
}

#[tokio::test]
async fn concurrent_seeks_on_two_servers_stay_within_the_limit() {
    let (one, other) = two_houses().await;
    one.ask("ana", "1", seek(None)).await.unwrap();
    one.ask("ana", "2", seek(None)).await.unwrap();
    let held = one.store.hold_appends().await;
    let release = async {
        // Both servers count two open seeks before either of them opens another one.
        one.store.wait_for_held(2).await;
        drop(held);
    };
    let (a, b, ()) =
        tokio::join!(one.ask("ana", "3", seek(None)), other.ask("ana", "4", seek(None)), release);
    assert_eq!(usize::from(a.is_ok()) + usize::from(b.is_ok()), 1, "{a:?} {b:?}");
    assert_eq!(a.and(b), Err(too_many("seeks", 3)));
    // When a seek is closed, there is room for another one.
    let id = one.seeks().into_iter().chain(other.seeks()).next().unwrap();
    one.ask("ana", "5", LobbyCommand::CancelSeek { seek: id }).await.unwrap();
    other.ask("ana", "6", seek(None)).await.unwrap();
}

#[tokio::test]
async fn however_many_ask_on_two_servers_at_once_the_lobby_has_no_more_seeks_than_its_limit() {
    let (one, other) = two_houses().await;
    let max = SEEKS_MAX;
    let askers: Vec<String> = (0..max + 20).map(|number| format!("p{number}")).collect();
    let asked = askers.iter().enumerate().map(|(number, player)| {
        let house = if number % 2 == 0 { &one } else { &other };
        house.ask(player, "1", seek(None))
    });
    let answers = futures_util::future::join_all(asked).await;
    let opened = answers.iter().filter(|answer| answer.is_ok()).count();
    let refused: Vec<String> =
        answers.iter().filter_map(|answer| answer.as_ref().err()).map(Refused::to_string).collect();
    assert!(refused.iter().all(|refused| refused == "too_many (reason=lobby)"), "{refused:?}");
    assert_eq!(opened, max);
    let open = one.store.scan(Key::new("seeks/").unwrap(), None, 1_000).await.unwrap();
    assert_eq!(open.len(), max);
}

#[tokio::test(start_paused = true)]
async fn a_seek_stays_while_its_seeker_is_connected_anywhere_and_goes_with_a_server_that_dies() {
    let (one, other) = two_houses().await;
    let (ana, _reader) = one.connect("ana");
    let id = code_of(one.ask("ana", "1", seek(None)).await.unwrap());
    let look = async |houses: [&House; 2]| {
        for _ in 0..15 {
            meet(houses).await;
            tokio::time::advance(Duration::from_secs(1)).await;
        }
    };
    look([&one, &other]).await;
    assert_eq!(other.seeks(), std::slice::from_ref(&id));
    // The seek stays open while ana connects to the other server and loses the connection to the
    // first.
    let (elsewhere, _other_reader) = other.connect("ana");
    drop(ana);
    look([&one, &other]).await;
    assert_eq!((one.seeks(), other.seeks()), (vec![id.clone()], vec![id]));
    // The other server dies, and ana does not come back.
    drop(elsewhere);
    one.lobby.inner.peers().forget_others();
    for _ in 0..15 {
        one.lobby.inner.tick().await;
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert!(one.seeks().is_empty());
}

#[tokio::test(start_paused = true)]
async fn seeks_of_returning_players_survive_a_restart() {
    let house = house().await;
    let [kept, lost] = ["ana", "bo"];
    let id = code_of(house.ask(kept, "1", seek(None)).await.unwrap());
    house.ask(lost, "1", seek(None)).await.unwrap();
    let restarted = house_on(house.store.clone()).await;
    let running = tokio::spawn({
        let lobby = restarted.lobby.clone();
        async move { lobby.run().await }
    });
    let _connected = restarted.connect(kept);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(restarted.seeks().len(), 2);
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(restarted.seeks(), [id]);
    running.abort();
}
