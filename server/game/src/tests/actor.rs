//! The tasks around tables: with a store that hangs, a store that panics, and a manual clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side};
use flagfall_protocol::{Accepted, CloseCode, Code, GameCommand, Phase, ServerToClient};
use flagfall_rules::Ruleset;
use flagfall_store::{
    Announcement, Append, AppendOutcome, Head, Key, ManualClock, MemoryStore, Outage, ReadError, Record,
    Store, StoreError, StoreFuture, StoredEntry, Update, UpdateOutcome, Write,
};
use tokio::sync::oneshot;

use super::super::rest::Round;
use super::super::{
    CreateError, NewCommand, NewGame, Reply, TableError, TableHandle, TableInput, TableSettings, Tables,
    relist,
};
use super::harness::{Client, START, deploy, header, player};
use flagfall_base::background::Background;
use flagfall_base::delivery::Connections;
use flagfall_base::jobs::JobError;

/// A memory store whose next append or read panics on request, like a defect in this server.
struct Brittle {
    store: MemoryStore,
    breaks: Arc<AtomicBool>,
    /// True if the server with this store is dead: its tasks go on but reach nothing.
    is_dead: Arc<AtomicBool>,
    outage: Arc<Mutex<Option<Outage>>>,
    silent_since: Arc<Mutex<Option<flagfall_board::Stamp>>>,
    /// The outage that ends the silence right after the next question.
    heard: Arc<Mutex<Option<Outage>>>,
}

impl Brittle {
    /// Answers a question from the current state; then ends the silence if the test asked for that.
    fn answer<T: Copy>(&self, state: &Mutex<T>) -> T {
        let answer = *state.lock().unwrap();
        if let Some(outage) = self.heard.lock().unwrap().take() {
            *self.outage.lock().unwrap() = Some(outage);
            *self.silent_since.lock().unwrap() = None;
        }
        answer
    }

    fn check_alive(&self) -> Result<(), StoreError> {
        let why = || StoreError::Unavailable { why: "the server is dead".to_owned() };
        if self.is_dead.load(Ordering::SeqCst) { Err(why()) } else { Ok(()) }
    }
}

impl Store for Brittle {
    fn append(&self, append: Append) -> StoreFuture<'_, Result<AppendOutcome, StoreError>> {
        Box::pin(async move {
            assert!(!self.breaks.swap(false, Ordering::SeqCst), "told to break");
            self.check_alive()?;
            self.store.append(append).await
        })
    }

    fn read(
        &self,
        game: GameId,
        after_seq: u64,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredEntry>, ReadError>> {
        self.store.read(game, after_seq, limit)
    }

    fn head(&self, game: GameId) -> StoreFuture<'_, Result<Head, ReadError>> {
        self.store.head(game)
    }

    fn get(&self, key: Key) -> StoreFuture<'_, Result<Option<Vec<u8>>, StoreError>> {
        self.store.get(key)
    }

    fn scan(
        &self,
        prefix: Key,
        after: Option<Key>,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<Record>, StoreError>> {
        self.store.scan(prefix, after, limit)
    }

    fn update(&self, update: Update) -> StoreFuture<'_, Result<UpdateOutcome, StoreError>> {
        Box::pin(async move {
            self.check_alive()?;
            self.store.update(update).await
        })
    }

    fn sweep(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        self.store.sweep()
    }

    fn now(&self) -> flagfall_board::Stamp {
        self.store.now()
    }

    fn heartbeat(&self) -> StoreFuture<'_, Result<flagfall_board::Stamp, StoreError>> {
        self.store.heartbeat()
    }

    fn last_heartbeat(&self) -> StoreFuture<'_, Result<Option<flagfall_board::Stamp>, StoreError>> {
        self.store.last_heartbeat()
    }

    fn epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        self.store.epoch()
    }

    fn bump_epoch(&self) -> StoreFuture<'_, Result<u64, StoreError>> {
        self.store.bump_epoch()
    }

    fn quarantined(&self) -> StoreFuture<'_, Result<Vec<(GameId, String)>, StoreError>> {
        self.store.quarantined()
    }

    fn outage(&self) -> Option<Outage> {
        self.answer(&self.outage)
    }

    fn silent_since(&self) -> Option<flagfall_board::Stamp> {
        self.answer(&self.silent_since)
    }

    fn announcements(&self) -> Option<tokio::sync::broadcast::Receiver<Announcement>> {
        self.store.announcements()
    }
}

pub(super) struct House {
    pub(super) store: MemoryStore,
    pub(super) clock: Arc<ManualClock>,
    breaks: Arc<AtomicBool>,
    is_dead: Arc<AtomicBool>,
    /// The outage that the store reports.
    pub(super) outage: Arc<Mutex<Option<Outage>>>,
    /// Since when the store reports silence.
    silent_since: Arc<Mutex<Option<flagfall_board::Stamp>>>,
    /// The outage that the store reports after its next question.
    heard: Arc<Mutex<Option<Outage>>>,
    connections: Connections,
    pub(super) tables: Tables,
}

impl House {
    pub(super) async fn new() -> House {
        let clock = Arc::new(ManualClock::new(START));
        House::on(MemoryStore::new(clock.clone()), clock).await
    }

    /// A server just started on this store.
    pub(super) async fn on(store: MemoryStore, clock: Arc<ManualClock>) -> House {
        House::with(store, clock, |_| {}).await
    }

    /// The same with other settings.
    pub(super) async fn with(
        store: MemoryStore,
        clock: Arc<ManualClock>,
        set: impl FnOnce(&mut TableSettings),
    ) -> House {
        let breaks = Arc::new(AtomicBool::new(false));
        let connections = Connections::new();
        let mut settings = settings(connections.clone());
        set(&mut settings);
        let (outage, silent_since, heard) = (Arc::default(), Arc::default(), Arc::default());
        let is_dead = Arc::new(AtomicBool::new(false));
        let shared = Arc::new(Brittle {
            store: store.clone(),
            breaks: breaks.clone(),
            is_dead: is_dead.clone(),
            outage: Arc::clone(&outage),
            silent_since: Arc::clone(&silent_since),
            heard: Arc::clone(&heard),
        });
        let tables = Tables::start_at(shared, settings, clock.clone()).await.unwrap();
        House { store, clock, breaks, is_dead, outage, silent_since, heard, connections, tables }
    }

    pub(super) fn clock_now(&self) -> flagfall_board::Stamp {
        flagfall_store::WallClock::now(&*self.clock)
    }

    /// The server dies: whatever its tasks still do has no effect.
    pub(super) fn die(self) {
        self.is_dead.store(true, Ordering::SeqCst);
    }

    /// An outage: no server reaches the store for this time, and the store notes it.
    pub(super) async fn outage(&self, ms: u64) {
        let since = self.clock_now();
        self.clock.advance_ms(ms);
        super::super::note_outage(&self.store, since).await.unwrap();
        *self.outage.lock().unwrap() = Some(Outage { since, until: self.clock_now() });
    }

    pub(super) async fn restart(self) -> House {
        self.store.heartbeat().await.unwrap();
        self.store.reopen();
        House::on(self.store, self.clock).await
    }

    pub(super) fn new_game(&self, number: u8, ruleset: &str, players: [&str; 2]) -> NewGame {
        NewGame {
            id: GameId::from_random([number; 12]),
            terms: header(ruleset).terms,
            players: PerSide::new(player(players[0]), player(players[1])),
            secret: PerSide::default(),
            previous: None,
        }
    }

    pub(super) async fn game(&self, number: u8) -> TableHandle {
        let new = self.new_game(number, "classic", ["ana", "bo"]);
        let id = new.id;
        self.tables.create(new).await.unwrap();
        self.tables.find(id).await.unwrap()
    }

    pub(super) async fn advance(&self, ms: u64) {
        self.clock.advance_ms(ms);
        tokio::time::advance(Duration::from_millis(ms)).await;
        settle().await;
    }
}

/// Settings of the tests' tables.
pub(super) fn settings(connections: Connections) -> TableSettings {
    TableSettings {
        lag_quota: None,
        deploy_ms: super::harness::DEPLOY_MS,
        claim_ms: super::harness::CLAIM_MS,
        spectators_max: 10,
        games_per_player_max: 3,
        running_games_max: 1_000_000,
        memory: flagfall_base::memory::MemoryGuard::new(flagfall_base::memory::MemoryLimit::Off),
        rest_ms: super::harness::REST_MS,
        features: Arc::new(super::harness::NotingFeatures),
        connections,
    }
}

/// Lets every task do what it can without waiting.
pub(super) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

pub(super) async fn open(table: &TableHandle, client: &Client) {
    let (outbox, player) = (client.outbox.clone(), client.player.clone());
    table.send(TableInput::Open { outbox, player, since: None }).await.unwrap();
}

pub(super) async fn command(table: &TableHandle, client: &Client, id: &str, command: GameCommand) {
    let (outbox, player) = (client.outbox.clone(), client.player.clone());
    let cmd_id = id.parse().unwrap();
    table
        .send(TableInput::Command {
            reply: Reply::Connection(outbox),
            player: player.id,
            cmd_id,
            ply: 0,
            epoch: None,
            command,
        })
        .await
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn while_the_store_hangs_the_table_shows_itself_and_takes_commands() {
    let house = House::new().await;
    let table = house.game(1).await;
    let (mut ana, mut cy) = (Client::new("ana"), Client::new("cy"));
    let held = house.store.hold_appends().await;
    command(&table, &ana, "deploy", deploy("classic", Side::Red, 1)).await;
    settle().await;
    open(&table, &cy).await;
    assert!(matches!(cy.next().await, ServerToClient::Game { .. }));
    assert!(table.look(None).await.is_ok());
    assert!(table.record(&Background::new("test", 1), None, None).await.is_ok());
    assert!(ana.texts().is_empty());
    drop(held);
    assert!(matches!(ana.next().await, ServerToClient::Accepted { .. }));
    assert!(matches!(cy.next().await, ServerToClient::Event { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_defect_ends_one_table_and_its_game_goes_on_from_the_log() {
    let house = House::new().await;
    let (table, other) = (house.game(1).await, house.game(2).await);
    let (mut ana, mut bo, mut cy) = (Client::new("ana"), Client::new("bo"), Client::new("cy"));
    open(&table, &ana).await;
    command(&table, &ana, "one", deploy("classic", Side::Red, 1)).await;
    open(&table, &cy).await;
    settle().await;
    let mut elsewhere = Client::new("bo");
    open(&other, &elsewhere).await;
    house.breaks.store(true, Ordering::SeqCst);
    command(&table, &bo, "two", deploy("classic", Side::Blue, 2)).await;
    for client in [&mut ana, &mut bo, &mut cy] {
        assert_eq!(client.closed().await, CloseCode::Shutdown, "comes back");
    }
    assert!(elsewhere.close_code().is_none());
    settle().await;
    // Like clients, they reconnect and repeat what is in doubt.
    let (ana, mut bo) = (Client::new("ana"), Client::new("bo"));
    let table = house.tables.find(table.id()).await.unwrap();
    open(&table, &ana).await;
    command(&table, &bo, "two", deploy("classic", Side::Blue, 2)).await;
    assert!(matches!(bo.next().await, ServerToClient::Accepted { .. }));
    assert_eq!(table.summary().phase, Phase::Playing);
}

#[tokio::test(start_paused = true)]
async fn a_caller_whose_table_meets_a_defect_is_told_so_and_not_that_the_store_is_away() {
    let house = House::new().await;
    let table = house.game(1).await;
    house.breaks.store(true, Ordering::SeqCst);
    let command = NewCommand {
        player: player("ana").id,
        cmd_id: "one".parse().unwrap(),
        ply: 0,
        command: deploy("classic", Side::Red, 1),
    };
    let refusal = house.tables.command(table.id(), command).await.unwrap_err();
    assert_eq!(refusal.code.as_str(), Code::INTERNAL);
    settle().await;
    assert_eq!(table.look(None).await.unwrap_err(), TableError::Failed);
    assert!(matches!(JobError::from(TableError::Failed), JobError::Later(_)));
}

#[tokio::test(start_paused = true)]
async fn a_game_whose_table_met_a_defect_is_opened_again_for_its_flag_to_fall() {
    let house = House::new().await;
    let table = house.game(1).await;
    house.breaks.store(true, Ordering::SeqCst);
    command(&table, &Client::new("ana"), "one", deploy("classic", Side::Red, 1)).await;
    settle().await;
    assert_eq!(house.tables.len(), 0);
    house.advance(1_000).await;
    assert_eq!(house.tables.len(), 1);
    house.advance(super::harness::DEPLOY_MS + 1).await;
    let summary = house.tables.find(table.id()).await.unwrap().summary();
    assert_eq!(summary.outcome.unwrap().reason, "aborted");
}

#[tokio::test(start_paused = true)]
async fn the_flag_falls_without_anybody_asking_and_the_table_leaves_when_nobody_needs_it() {
    let house = House::new().await;
    let table = house.game(1).await;
    assert_eq!(house.tables.games_of("ana").await.len(), 1);
    assert_eq!(house.tables.running(10).len(), 1);
    house.advance(super::harness::DEPLOY_MS).await;
    assert!(table.is_running());
    house.advance(1).await;
    assert!(!table.is_running());
    assert!(house.tables.games_of("ana").await.is_empty() && house.tables.running(10).is_empty());
    let (id, cy) = (table.id(), Client::new("cy"));
    open(&table, &cy).await;
    table.send(TableInput::Close { connection: cy.outbox.connection(), is_on_purpose: true }).await.unwrap();
    drop(table);
    settle().await;
    house.advance(29_999).await;
    assert_eq!(house.tables.len(), 1, "somebody had it open a moment ago");
    house.advance(1).await;
    assert_eq!(house.tables.len(), 0);
    assert_eq!(house.tables.find(id).await.unwrap().summary().phase, Phase::Over);
    settle().await;
    house.advance(5_000).await;
    assert_eq!(house.tables.len(), 0, "it was only looked at");
}

#[tokio::test(start_paused = true)]
async fn a_table_does_not_leave_while_somebody_may_write_to_it() {
    let house = House::new().await;
    let table = house.game(1).await;
    house.advance(super::harness::DEPLOY_MS + 1).await;
    house.advance(600_000).await;
    let mut cy = Client::new("cy");
    open(&table, &cy).await;
    assert!(matches!(cy.next().await, ServerToClient::Game { .. }));
    let connection = cy.outbox.connection();
    table.send(TableInput::Close { connection, is_on_purpose: false }).await.unwrap();
    house.advance(600_000).await;
    house.advance(600_000).await;
    assert_eq!(house.tables.len(), 1);
    drop(table);
    house.advance(1_000).await;
    assert_eq!(house.tables.len(), 0);
}

/// Looks at games like the registry, when a client opens the lobby or asks for metrics.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_ends_keeps_nobody_waiting_who_has_the_index_locked() {
    const TIMEOUT: Duration = Duration::from_secs(10);
    let house = House::new().await;
    let table = house.game(1).await;
    let (lock, locked) = oneshot::channel();
    let (release, released) = mpsc::sync_channel::<()>(0);
    let tables = house.tables.clone();
    let holder = thread::spawn(move || {
        let index = tables.index();
        lock.send(()).unwrap();
        released.recv().unwrap_err();
        drop(index);
    });
    locked.await.unwrap();
    command(&table, &Client::new("ana"), "one", GameCommand::Abort {}).await;
    let (tell, told) = oneshot::channel();
    let looker = thread::spawn(move || {
        while table.is_running() {
            thread::yield_now();
        }
        tell.send(()).ok();
    });
    let is_seen = tokio::time::timeout(TIMEOUT, told).await.is_ok();
    drop(release);
    holder.join().unwrap();
    looker.join().unwrap();
    assert!(is_seen, "the game waits for the index and cannot be read meanwhile");
}

#[tokio::test(start_paused = true)]
async fn whoever_looks_while_nothing_is_heard_of_the_store_sees_clocks_as_they_stood() {
    let house = House::new().await;
    let table = house.game(1).await;
    for (client, side) in [("ana", Side::Red), ("bo", Side::Blue)] {
        command(&table, &Client::new(client), "deploy", deploy("classic", side, 1)).await;
    }
    let remaining = async || table.look(None).await.unwrap().2.clock.unwrap().remaining_ms;
    let (since, stood) = (house.clock_now(), remaining().await);
    house.clock.advance_ms(4_800);
    assert_ne!(remaining().await, stood);
    *house.silent_since.lock().unwrap() = Some(since);
    assert_eq!(remaining().await, stood);
    *house.silent_since.lock().unwrap() = None;
    assert_ne!(remaining().await, stood, "another server could write");
    // The silence ends between the two questions. Asking about outages first would miss both.
    let (since, stood) = (house.clock_now(), remaining().await);
    house.clock.advance_ms(4_800);
    *house.silent_since.lock().unwrap() = Some(since);
    *house.heard.lock().unwrap() = Some(Outage { since, until: house.clock_now() });
    assert_eq!(remaining().await, stood);
}

#[tokio::test(start_paused = true)]
async fn house_players_play_whole_games_of_every_ruleset() {
    let house = House::new().await;
    for (number, ruleset) in (1..).zip(Ruleset::all()) {
        let mut new = house.new_game(number, ruleset.id, ["ana", "house-random"]);
        new.terms.time = flagfall_protocol::Time::Unlimited {};
        let id = new.id;
        house.tables.create(new).await.unwrap();
        let table = house.tables.find(id).await.unwrap();
        play_against_the_house(&table, ruleset).await;
        let record = table.record(&Background::new("test", 1), None, None).await.unwrap();
        let has_deployed = ruleset.start == flagfall_rules::Start::Deployments;
        assert!(record.outcome.is_some(), "{}", ruleset.id);
        assert_eq!(record.deployments.blue.is_some(), has_deployed, "{}", ruleset.id);
    }
}

async fn play_against_the_house(table: &TableHandle, ruleset: &Ruleset) {
    let mut chance = flagfall_bots::Chance::new(5);
    let mut ana = Client::new("ana");
    if ruleset.start == flagfall_rules::Start::Deployments {
        command(table, &ana, "deploy", deploy(ruleset.id, Side::Red, 4)).await;
        assert!(matches!(ana.next().await, ServerToClient::Accepted { .. }));
    }
    for number in 0..6000 {
        settle_until_turn(table).await;
        let (summary, _, view) = table.look(Some("ana")).await.unwrap();
        if summary.phase == Phase::Over {
            return;
        }
        let command = any_command(ruleset, &view, &mut chance);
        let (outbox, player) = (ana.outbox.clone(), ana.player.clone());
        let cmd_id = format!("c{number}").parse().unwrap();
        table
            .send(TableInput::Command {
                reply: Reply::Connection(outbox),
                player: player.id,
                cmd_id,
                ply: view.ply,
                epoch: None,
                command,
            })
            .await
            .unwrap();
        let answer = ana.next().await;
        assert!(matches!(answer, ServerToClient::Accepted { .. }), "{answer:?}");
    }
    panic!("the game does not end");
}

async fn settle_until_turn(table: &TableHandle) {
    for _ in 0..100_000 {
        let (summary, _, view) = table.look(Some("ana")).await.unwrap();
        if summary.phase == Phase::Over || view.is_to_act(Side::Red) {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("the house player does not act");
}

/// A player's command according to their view: a color that is owed, a move, or if there is none, a
/// removal or a placing.
fn any_command(
    ruleset: &Ruleset,
    view: &flagfall_protocol::GameView,
    chance: &mut flagfall_bots::Chance,
) -> GameCommand {
    let color = flagfall_board::ChipColor::ALL[chance.below(4)];
    if view.owed_color.is_some() {
        return GameCommand::Color { color };
    }
    if view.pending_strike.is_some() {
        let choices = choices(view);
        return GameCommand::Choose { rank: choices[chance.below(choices.len())] };
    }
    let moves = legal_moves(ruleset, view);
    if moves.is_empty() {
        let own = |piece: &&flagfall_rules::SeenPiece| {
            piece.side == Side::Red
                && piece.identity != flagfall_rules::Identity::Known(flagfall_board::Rank::Flag)
        };
        return match view.pieces.iter().find(own) {
            Some(piece) => GameCommand::Remove { square: piece.square },
            None => any_placing(ruleset, view, color),
        };
    }
    let squares = moves[chance.below(moves.len())];
    let color = ruleset.chips.then_some(color);
    flagfall_rules::MoveCommand { squares, path: None, color }.into()
}

/// What a player's struck coin may become. Nothing immovable if it has moved, and nothing movable
/// if the others must stay (§Q4, §Q6).
fn choices(view: &flagfall_protocol::GameView) -> Vec<flagfall_board::Rank> {
    let strike = view.pending_strike.unwrap();
    let at = if strike.side == Side::Red { strike.squares.from } else { strike.squares.to };
    let coin = view.pieces.iter().find(|piece| piece.square == at).unwrap();
    let pool = &view.pools.as_ref().unwrap()[Side::Red];
    let is_heavy = |rank| matches!(rank, flagfall_board::Rank::Flag | flagfall_board::Rank::Bomb);
    let is_allowed =
        |rank| if is_heavy(rank) { !coin.is_moved } else { coin.is_moved || may_spare_a_coin(view) };
    pool.iter().map(|(rank, _)| rank).filter(|rank| is_allowed(*rank)).collect()
}

/// True if Red has more unmoved coins than Bombs and Flag to become (§Q6).
fn may_spare_a_coin(view: &flagfall_protocol::GameView) -> bool {
    let Some(pools) = &view.pools else { return false };
    let bound: usize = [flagfall_board::Rank::Flag, flagfall_board::Rank::Bomb]
        .iter()
        .map(|rank| usize::from(pools[Side::Red][*rank]))
        .sum();
    let is_unmoved_coin = |piece: &flagfall_rules::SeenPiece| {
        piece.side == Side::Red && piece.identity == flagfall_rules::Identity::Coin && !piece.is_moved
    };
    view.pieces.iter().filter(|piece| is_unmoved_coin(piece)).count() > bound
}

/// The first piece of the reserve onto the first empty square of Red's home.
fn any_placing(
    ruleset: &Ruleset,
    view: &flagfall_protocol::GameView,
    color: flagfall_board::ChipColor,
) -> GameCommand {
    let reserve = &view.reserve.as_ref().expect("a reserve")[Side::Red];
    let unlabeled = reserve.unlabeled.as_ref().expect("one's own");
    let kinds = [(&reserve.labeled, true), (unlabeled, false)];
    let (rank, is_labeled) = kinds
        .iter()
        .find_map(|(ranks, is_labeled)| Some((ranks.iter().next()?.0, *is_labeled)))
        .expect("a side with nothing has lost");
    let is_empty = |square: &_| view.pieces.iter().all(|piece| piece.square != *square);
    let square = ruleset.shape.home(Side::Red).iter().find(is_empty).expect("an empty square");
    let color = ruleset.chips.then_some(color);
    GameCommand::Place { square, rank, labeled: is_labeled, color }
}

/// A player's moves according to their view, including repetition rules.
fn legal_moves(ruleset: &Ruleset, view: &flagfall_protocol::GameView) -> Vec<flagfall_rules::Move> {
    use flagfall_board::{Direction, Rank, Square};
    use flagfall_rules::Identity;
    let at = |square: Square| view.pieces.iter().find(|piece| piece.square == square);
    let mut moves = Vec::new();
    for piece in view.pieces.iter().filter(|piece| piece.side == Side::Red) {
        let reach = match piece.identity {
            Identity::Known(Rank::Flag | Rank::Bomb) => 0,
            Identity::Known(Rank::Scout | Rank::Phoenix) => 20,
            Identity::Known(_) => 1,
            Identity::Coin => usize::from(piece.is_moved || may_spare_a_coin(view)),
            Identity::OneOf(_) | Identity::Hidden => continue,
        };
        for direction in Direction::ALL {
            let mut square = piece.square;
            for step in 0..reach {
                let Some(next) = square.neighbor(direction) else { break };
                let is_open = ruleset.shape.squares().contains(next) && !view.lakes.contains(next);
                if !is_open || at(next).is_some_and(|other| other.side == Side::Red) {
                    break;
                }
                let is_strike = at(next).is_some();
                if !is_strike || step == 0 || ruleset.strikes_afar {
                    moves.push(flagfall_rules::Move { from: piece.square, to: next });
                }
                if is_strike {
                    break;
                }
                square = next;
            }
        }
    }
    moves.retain(|squares| !view.refused_moves.contains(squares));
    moves
}

#[tokio::test(start_paused = true)]
async fn a_game_is_made_once_however_often_it_is_asked_for() {
    let house = House::new().await;
    for number in 1..=3 {
        house.game(number).await;
    }
    let refused = house.tables.create(house.new_game(4, "classic", ["ana", "cy"])).await;
    assert_eq!(refused, Err(CreateError::TooManyGames(3)));
    let again = house.tables.create(house.new_game(3, "classic", ["ana", "bo"])).await.unwrap();
    assert_eq!(again.id, GameId::from_random([3; 12]));
    assert_eq!(house.tables.games_of("ana").await.len(), 3);
    assert!(house.tables.games_of("cy").await.is_empty());
    // Also after the store gave no answer.
    for fault in [
        flagfall_store::memory::Fault::UnknownAfterWriting,
        flagfall_store::memory::Fault::UnknownBeforeWriting,
    ] {
        house.store.fail_next(fault);
        let number = 5 + fault as u8;
        let made = house.tables.create(house.new_game(number, "classic", ["di", "ed"])).await;
        let again = house.tables.create(house.new_game(number, "classic", ["di", "ed"])).await.unwrap();
        assert!(made.is_err() || made.unwrap() == again);
    }
    assert_eq!(house.tables.games_of("di").await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_planned_stop_and_a_return_cost_no_time() {
    let house = House::new().await;
    let table = house.game(1).await;
    let (ana, bo) = (Client::new("ana"), Client::new("bo"));
    command(&table, &ana, "one", deploy("classic", Side::Red, 1)).await;
    command(&table, &bo, "one", deploy("classic", Side::Blue, 2)).await;
    settle().await;
    house.advance(10_000).await;
    house.tables.stop(true).await;
    house.tables.stop(true).await;
    assert_eq!(
        house.tables.create(house.new_game(2, "classic", ["cy", "di"])).await,
        Err(CreateError::Stopping)
    );
    house.advance(500_000).await;
    let house = house.restart().await;
    assert_eq!(house.tables.len(), 0, "opened when somebody asks");
    let opened = house.tables.find(table.id()).await.unwrap();
    settle().await;
    assert_eq!(opened.id(), table.id());
    let (_, _, view) = house.tables.find(table.id()).await.unwrap().look(None).await.unwrap();
    assert_eq!(view.clock.unwrap().remaining_ms, PerSide::new(50_000, 60_000));
    assert!(!view.paused);
}

#[tokio::test(start_paused = true)]
async fn a_damaged_game_keeps_nobody_from_starting_and_counts_for_nobody() {
    let house = House::new().await;
    let (one, other) = (house.game(1).await, house.game(2).await);
    house.store.damage(one.id(), 1);
    let house = house.restart().await;
    assert_eq!(house.tables.len(), 0);
    assert!(matches!(house.tables.find(one.id()).await, Err(TableError::Quarantined)));
    assert!(house.tables.find(other.id()).await.is_ok());
    assert_eq!(house.tables.games_of("ana").await.len(), 1);
    // A game that is found damaged while it is played.
    let table = house.tables.find(other.id()).await.unwrap();
    settle().await;
    let entries = house.store.head(other.id()).await.unwrap().seq;
    house.store.damage(other.id(), entries);
    let _found = house.store.read(other.id(), 0, 100).await;
    let mut ana = Client::new("ana");
    open(&table, &ana).await;
    command(&table, &ana, "one", deploy("classic", Side::Red, 1)).await;
    settle().await;
    assert!(ana.texts().iter().any(|text| text.contains("game_unavailable")));
    assert!(!table.is_running() && house.tables.games_of("ana").await.is_empty());
    assert!(house.tables.running(10).is_empty());
}

#[tokio::test(start_paused = true)]
async fn running_games_that_are_missing_in_the_list_are_listed_again() {
    let house = House::new().await;
    let (one, other) = (house.game(1).await, house.game(2).await);
    let ana = Client::new("ana");
    open(&other, &ana).await;
    command(&other, &ana, "one", GameCommand::Abort {}).await;
    settle().await;
    let games = [one.id(), other.id()];
    assert_eq!(relist(&house.store, &games).await, Ok(0));
    let key = Key::new(format!("live/{}", one.id())).unwrap();
    let update = Update { conditions: Vec::new(), writes: vec![Write::Delete { key: key.clone() }] };
    house.store.update(update).await.unwrap();
    assert_eq!(relist(&house.store, &games).await, Ok(1));
    assert_eq!(house.store.get(key).await, Ok(Some(Vec::new())));
    let house = house.restart().await;
    assert!(house.tables.go_round(&mut Round::default()).await.unwrap());
    assert_eq!(house.tables.running_count(), 1, "the game that was aborted is not listed");
}

#[tokio::test(start_paused = true)]
async fn a_rematch_is_made_and_told_to_both_and_found_again_after_a_restart() {
    let house = House::new().await;
    let table = house.game(1).await;
    let mut ana = Client::new("ana");
    let bo = Client::new("bo");
    let mut registration = house.connections.enter(ana.outbox.clone());
    registration.identify("ana", "t", 8);
    command(&table, &ana, "end", GameCommand::Abort {}).await;
    settle().await;
    ana.texts();
    for (client, id) in [(&ana, "again"), (&bo, "yes")] {
        let (outbox, player) = (client.outbox.clone(), client.player.clone());
        table
            .send(TableInput::Rematch {
                reply: Reply::Connection(outbox),
                player,
                cmd_id: id.parse().unwrap(),
            })
            .await
            .unwrap();
    }
    settle().await;
    let messages = ana.read();
    let made = messages.iter().find_map(|message| match message {
        ServerToClient::GameStarted { game, side: Side::Blue } => Some(game.id),
        _ => None,
    });
    let made = made.unwrap_or_else(|| panic!("{messages:?}"));
    let house = house.restart().await;
    let table = house.tables.find(table.id()).await.unwrap();
    let mut back = Client::new("ana");
    let (outbox, player) = (back.outbox.clone(), back.player.clone());
    table
        .send(TableInput::Rematch {
            reply: Reply::Connection(outbox),
            player,
            cmd_id: "again".parse().unwrap(),
        })
        .await
        .unwrap();
    let answer = back.next().await;
    let ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(game, made);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_lost_events_begins_a_new_epoch_and_the_game_goes_on_as_it_has_it() {
    let house = House::new().await;
    let table = house.game(1).await;
    let mut ana = Client::new("ana");
    open(&table, &ana).await;
    command(&table, &ana, "one", deploy("classic", Side::Red, 1)).await;
    settle().await;
    ana.texts();
    house.advance(5).await;
    house.store.lose_tail(table.id(), 1);
    let epoch = house.store.epoch().await.unwrap();
    command(&table, &ana, "two", deploy("classic", Side::Red, 2)).await;
    assert_eq!(ana.closed().await, CloseCode::Shutdown);
    settle().await;
    assert!(house.store.epoch().await.unwrap() > epoch);
    let mut back = Client::new("ana");
    open(&house.tables.find(table.id()).await.unwrap(), &back).await;
    let ServerToClient::Game { epoch: told, view, .. } = back.next().await else { panic!("a game") };
    assert!(told > epoch && !view.ready.red);
}
