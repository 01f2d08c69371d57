//! Committed work is completed, even if a connection closes or a server dies at any moment.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use flagfall_board::Stamp;
use flagfall_store::{
    Append, AppendOutcome, Head, ReadError, Record, StoreFuture, StoreResult, StoredEntry, Update,
    UpdateOutcome,
};
use flagfall_store_testing::{ManualClock, TestStore};
use tokio::task::yield_now;

use super::*;
use crate::jobs::with_plans;
use flagfall_base::jobs::{JobWriter, Jobs};

const HOUR_MS: u64 = 3_600_000;

/// Creates the planned games that are due, as the server of this lobby would do.
async fn complete_plans(house: &House) {
    let jobs = Jobs::new(Arc::new(house.store.clone()), JobWriter::default());
    with_plans(jobs, &house.lobby).run_due("plans").await.unwrap();
}

/// A store in which each call awaits once before it acts, and once after that.
struct Stepwise(TestStore);

fn stepwise<'a, T: Send + 'a>(call: impl Future<Output = T> + Send + 'a) -> StoreFuture<'a, T> {
    Box::pin(async move {
        yield_now().await;
        let answer = call.await;
        yield_now().await;
        answer
    })
}

impl Store for Stepwise {
    flagfall_store::forward! { 0:
        fn sweep() -> StoreResult<'_, u64>;
        fn now() -> Stamp;
        fn heartbeat() -> StoreResult<'_, Stamp>;
        fn last_heartbeat() -> StoreResult<'_, Option<Stamp>>;
        fn epoch() -> StoreResult<'_, u64>;
        fn bump_epoch() -> StoreResult<'_, u64>;
        fn quarantined() -> StoreResult<'_, Vec<(GameId, String)>>;
    }

    fn append(&self, append: Append) -> StoreFuture<'_, Result<AppendOutcome, StoreError>> {
        stepwise(self.0.append(append))
    }

    fn read(
        &self,
        game: GameId,
        after: u64,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredEntry>, ReadError>> {
        stepwise(self.0.read(game, after, limit))
    }

    fn head(&self, game: GameId) -> StoreFuture<'_, Result<Head, ReadError>> {
        stepwise(self.0.head(game))
    }

    fn get(&self, key: Key) -> StoreFuture<'_, Result<Option<Vec<u8>>, StoreError>> {
        stepwise(self.0.get(key))
    }

    fn scan(
        &self,
        prefix: Key,
        after: Option<Key>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Record>, StoreError>> {
        stepwise(self.0.scan(prefix, after, limit))
    }

    fn update(&self, update: Update) -> StoreFuture<'_, Result<UpdateOutcome, StoreError>> {
        stepwise(self.0.update(update))
    }
}

/// A way in which bo gets a game.
#[derive(Clone, Copy, Debug)]
enum Way {
    Seek,
    Challenge,
    House,
}

const WAYS: [Way; 3] = [Way::Seek, Way::Challenge, Way::House];

/// A lobby, and the command with which bo gets a game in it.
struct Scene {
    house: House,
    clock: Arc<ManualClock>,
    way: Way,
    offer: String,
    command: LobbyCommand,
    ana: (Registration, OutboxReader),
}

async fn scene(way: Way) -> Scene {
    let clock = Arc::new(ManualClock::new(SystemClock.now()));
    let store = TestStore::new(clock.clone());
    let house = house_with(store.clone(), Arc::new(Stepwise(store))).await;
    let ana = house.connect("ana");
    let (offer, command) = match way {
        Way::Seek => {
            let seek = code_of(house.ask("ana", "1", seek(None)).await.unwrap());
            (seek.clone(), LobbyCommand::AcceptSeek { seek, secret: false })
        }
        Way::Challenge => {
            let code = code_of(house.ask("ana", "1", challenge()).await.unwrap());
            (code.clone(), accept(&code))
        }
        Way::House => {
            let bot = LobbyCommand::PlayBot { bot: "random".to_owned(), terms: terms(), side: None };
            (String::new(), bot)
        }
    };
    Scene { house, clock, way, offer, command, ana }
}

impl Scene {
    async fn is_offer_open(&self) -> bool {
        let store: Arc<dyn Store> = Arc::new(self.house.store.clone());
        match self.way {
            Way::Seek => seeks::find(&store, &self.offer).await.is_ok(),
            Way::Challenge => challenges::find(&store, &self.offer).await.is_ok(),
            Way::House => false,
        }
    }

    /// Repeats the command that opened the offer. Returns the offer in its outcome.
    async fn ask_for_offer(&self) -> String {
        let command = if let Way::Challenge = self.way { challenge() } else { seek(None) };
        code_of(self.house.ask("ana", "1", command).await.unwrap())
    }

    async fn plans(&self) -> usize {
        self.house.store.scan(Key::new("plans/").unwrap(), None, 9).await.unwrap().len()
    }
}

/// Returns the started games that were announced to this connection.
fn started(reader: &mut OutboxReader) -> Vec<GameId> {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let mut games = Vec::new();
    while let Poll::Ready(Ok(payload)) = reading::poll_next(reader, &mut cx) {
        if let Ok(ServerToClient::GameStarted { game, .. }) = serde_json::from_str(payload.as_str()) {
            games.push(game.id);
        }
    }
    games
}

/// Polls a future up to `times` times, and lets other tasks run in between. Returns true if it was
/// ready.
async fn poll_times<F: Future + ?Sized>(mut future: Pin<&mut F>, times: usize) -> bool {
    for _ in 0..times {
        let is_ready = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx).is_ready())).await;
        if is_ready {
            return true;
        }
        yield_now().await;
    }
    false
}

#[tokio::test]
async fn a_connection_that_closes_at_any_moment_takes_nothing_back() {
    for way in WAYS {
        let (mut unfinished, mut polls) = (0, 0);
        loop {
            let mut scene = scene(way).await;
            // The future is dropped at the end of this statement.
            let is_done = poll_times(pin!(scene.house.ask("bo", "1", scene.command.clone())), polls).await;
            scene.house.lobby.commands_finished().await;
            let games = scene.house.games_of("bo").await;
            if polls == 0 {
                assert!(games.is_empty() && (scene.is_offer_open().await || matches!(way, Way::House)));
            } else {
                assert_eq!(games.len(), 1, "{way:?}, dropped after {polls} polls");
                assert!(!scene.is_offer_open().await);
                if !matches!(way, Way::House) {
                    assert_eq!(started(&mut scene.ana.1), games, "ana is told");
                }
            }
            assert_eq!(scene.plans().await, 0);
            if is_done {
                break;
            }
            (unfinished, polls) = (unfinished + 1, polls + 1);
        }
        assert!(unfinished > 5, "{way:?}: {unfinished} moments were tried");
    }
}

#[tokio::test]
async fn a_server_that_dies_at_any_moment_leaves_the_offer_or_a_game_that_another_server_makes() {
    for way in WAYS {
        let (mut made_by_others, mut polls) = (0, 0);
        loop {
            let scene = scene(way).await;
            // Dropping this future simulates the death of the server, because the server runs no
            // other task.
            let (bo, id) = (player("bo"), "1".parse().unwrap());
            let carried = scene.house.lobby.carry_out(&bo, &id, scene.command.clone());
            let is_done = poll_times(pin!(carried), polls).await;
            let is_planned = scene.plans().await == 1;
            let other = house_on(scene.house.store.clone()).await;
            let (_ana, mut ana) = other.connect("ana");
            let (_bo, mut bo_reader) = other.connect("bo");
            complete_plans(&other).await;
            assert!(!is_planned || other.games_of("bo").await.is_empty(), "its server may be at it");
            scene.clock.advance_ms(3_000);
            for _ in 0..2 {
                complete_plans(&other).await;
            }
            let games = other.games_of("bo").await;
            let is_open = scene.is_offer_open().await;
            let context = format!("{way:?}, dead after {polls} polls");
            match way {
                Way::House => assert!(games.len() <= 1, "{context}"),
                Way::Seek | Way::Challenge => assert!(is_open != (games.len() == 1), "{context}: {games:?}"),
            }
            assert_eq!(scene.plans().await, 0, "{context}");
            if is_planned {
                made_by_others += 1;
                assert_eq!(started(&mut bo_reader), games, "{context}");
                if !matches!(way, Way::House) {
                    assert_eq!(started(&mut ana), games, "{context}");
                }
            }
            // Repeating the command returns the same outcome.
            if let (false, [game]) = (is_open, &games[..]) {
                let again = other.ask("bo", "1", scene.command.clone()).await.unwrap();
                assert_eq!(game_of(again).0, *game, "{context}");
            }
            if is_done {
                break;
            }
            polls += 1;
        }
        assert!(made_by_others > 0, "{way:?}");
    }
}

#[tokio::test]
async fn a_command_repeated_at_another_server_at_any_moment_has_one_outcome() {
    for way in WAYS {
        for polls in 0.. {
            let scene = scene(way).await;
            let (bo, id) = (player("bo"), "1".parse().unwrap());
            let mut first = Box::pin(scene.house.lobby.carry_out(&bo, &id, scene.command.clone()));
            if poll_times(first.as_mut(), polls).await {
                assert!(polls > 5, "{way:?}: {polls} moments were tried");
                break;
            }
            let other = house_on(scene.house.store.clone()).await;
            let (_ana, _ana_reader) = other.connect("ana");
            let second = other.ask("bo", "1", scene.command.clone()).await;
            assert_eq!(first.await, second, "{way:?}, repeated after {polls} polls");
            assert!(second.is_ok(), "{way:?}, repeated after {polls} polls: {second:?}");
        }
    }
}

#[tokio::test]
async fn a_store_that_fails_between_the_two_appends_costs_no_game() {
    for fault in [WriteFault::Unavailable, WriteFault::UnknownBeforeWriting, WriteFault::UnknownAfterWriting]
    {
        let scene = scene(Way::Seek).await;
        let (bo, id) = (player("bo"), "1".parse().unwrap());
        let mut carried = Box::pin(scene.house.lobby.carry_out(&bo, &id, scene.command.clone()));
        while scene.plans().await == 0 {
            assert!(poll_fn(|cx| Poll::Ready(carried.as_mut().poll(cx).is_pending())).await);
        }
        scene.house.store.fail_next(fault);
        let answer = carried.await;
        assert_eq!(answer.is_ok(), fault == WriteFault::UnknownAfterWriting, "{fault:?}: {answer:?}");
        scene.clock.advance_ms(3_000);
        complete_plans(&scene.house).await;
        assert_eq!(scene.house.games_of("ana").await.len(), 1, "{fault:?}");
        assert_eq!(scene.plans().await, 0);
    }
}

#[tokio::test]
async fn a_planned_game_that_cannot_be_made_is_planned_no_more() {
    let scene = scene(Way::Seek).await;
    let (bo, id) = (player("bo"), "1".parse().unwrap());
    let mut carried = Box::pin(scene.house.lobby.carry_out(&bo, &id, scene.command.clone()));
    while scene.plans().await == 0 {
        assert!(poll_fn(|cx| Poll::Ready(carried.as_mut().poll(cx).is_pending())).await);
    }
    drop(carried);
    // In the meantime, bo starts so many games that the limit per player is reached.
    let max = Settings::default().limits.games_per_player;
    for number in 0..max {
        let bot = LobbyCommand::PlayBot { bot: "random".to_owned(), terms: terms(), side: None };
        scene.house.ask("bo", &format!("bot-{number}"), bot).await.unwrap();
    }
    scene.clock.advance_ms(3_000);
    complete_plans(&scene.house).await;
    assert_eq!((scene.plans().await, scene.house.games_of("ana").await.len()), (0, 0));
}

#[tokio::test]
async fn a_full_server_takes_no_offer_and_leaves_plans_to_servers_with_room() {
    for way in WAYS {
        let scene = scene(way).await;
        let full = full_house(scene.house.store.clone()).await;
        let refused = full.ask("bo", "1", scene.command.clone()).await.unwrap_err();
        assert!(refused.is(Code::SERVER_FULL), "{way:?}: {refused}");
        assert!(scene.is_offer_open().await || matches!(way, Way::House));
        assert_eq!(scene.plans().await, 0);
        // Let the command write its plan, and then let the command's server die.
        let (bo, id) = (player("bo"), "1".parse().unwrap());
        let mut carried = Box::pin(scene.house.lobby.carry_out(&bo, &id, scene.command.clone()));
        while scene.plans().await == 0 {
            assert!(poll_fn(|cx| Poll::Ready(carried.as_mut().poll(cx).is_pending())).await);
        }
        drop(carried);
        for _ in 0..20 {
            scene.clock.advance_ms(60_000);
            complete_plans(&full).await;
        }
        assert_eq!(scene.plans().await, 1, "{way:?}");
        scene.clock.advance_ms(60_000);
        complete_plans(&house_on(scene.house.store.clone()).await).await;
        assert_eq!((scene.plans().await, full.games_of("bo").await.len()), (0, 1), "{way:?}");
    }
}

#[tokio::test]
async fn an_offer_is_open_again_if_its_game_cannot_be_made() {
    for way in [Way::Seek, Way::Challenge] {
        let scene = scene(way).await;
        let (bo, id) = (player("bo"), "1".parse().unwrap());
        let mut carried = Box::pin(scene.house.lobby.carry_out(&bo, &id, scene.command.clone()));
        while scene.plans().await == 0 {
            assert!(poll_fn(|cx| Poll::Ready(carried.as_mut().poll(cx).is_pending())).await);
        }
        assert!(!scene.is_offer_open().await);
        // In the meantime, bo reaches the limit of games per player on another server.
        let other = house_on(scene.house.store.clone()).await;
        for number in 0..Settings::default().limits.games_per_player {
            let bot = LobbyCommand::PlayBot { bot: "random".to_owned(), terms: terms(), side: None };
            other.ask("bo", &format!("bot-{number}"), bot).await.unwrap();
        }
        let refused = carried.await.unwrap_err();
        assert!(refused.to_string().contains("reason=games"), "{way:?}: {refused}");
        assert_eq!((scene.plans().await, scene.is_offer_open().await), (0, true), "{way:?}");
        if let Way::Seek = way {
            assert_eq!(scene.house.seeks(), std::slice::from_ref(&scene.offer));
        }
        // The offer is open again, so ana's command opens no second one, and another player can
        // take it.
        scene.clock.advance_ms(2 * HOUR_MS);
        assert_eq!(scene.ask_for_offer().await, scene.offer);
        scene.house.ask("cy", "1", scene.command.clone()).await.unwrap();
    }
}

#[tokio::test]
async fn a_command_is_remembered_for_an_hour_and_as_long_as_the_offer_that_it_opened() {
    for way in [Way::Seek, Way::Challenge] {
        let scene = scene(way).await;
        let Scene { house, clock, command, offer, .. } = &scene;
        clock.advance_ms(2 * HOUR_MS);
        assert_eq!(scene.ask_for_offer().await, *offer, "{way:?}: there is no second one");
        let taken = house.ask("bo", "1", command.clone()).await.unwrap();
        clock.advance_ms(HOUR_MS - 1_000);
        assert_eq!(house.ask("bo", "1", command.clone()).await, Ok(taken), "{way:?}");
        assert_eq!(scene.ask_for_offer().await, *offer, "{way:?}");
        clock.advance_ms(2_000);
        for kind in ["commands/", "closed_offers/"] {
            let left = house.store.scan(Key::new(kind).unwrap(), None, 9).await.unwrap();
            assert_eq!(left, [], "{way:?}");
        }
        let refused = house.ask("bo", "1", command.clone()).await.unwrap_err();
        assert!(refused.is(Code::NO_SUCH_SEEK) || refused.is(Code::NO_SUCH_CHALLENGE), "{way:?}: {refused}");
    }
}
