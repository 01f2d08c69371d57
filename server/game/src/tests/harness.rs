//! Drives a table by hand: a test sets the time, and its outputs are carried out at once or held
//! back. Every message is parsed as a client parses it.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use flagfall_board::{GameId, PerSide, Ply, Side, Square, Stamp};
use flagfall_bots::{Chance, random_setup};
use flagfall_protocol::{
    Accepted, CloseCode, Code, GameCommand, GameEvent, GameView, Player, PlayerKind, Position,
    ServerToClient, Terms, Time,
};
use flagfall_rules::{Entropy, Ruleset, Viewer};
use flagfall_store::record::{self, LogBody, LogEntry};
use flagfall_store::{Append, Head, ManualClock, MemoryStore, Store, StoredEntry, Write};

use super::super::commit::index_keys;
use super::super::features::{Features, Milestone};
use super::super::header::GameHeader;
use super::super::reply::Reply;
use super::super::search;
use super::super::settings::TableSettings;
use super::super::table::{Asked, Input, Output, Table};
use flagfall_base::delivery::{ConnectionId, Connections, Outbox, OutboxReader, Outgoing, outbox};
use flagfall_base::keys::{LEFT, POOL_RETURNS};

pub(super) const START: Stamp = Stamp(1_000_000);
pub(super) const CLAIM_MS: u64 = 60_000;
pub(super) const DEPLOY_MS: u64 = 300_000;
pub(super) const REST_MS: u64 = 600_000;

/// Finishes a future that never waits, such as the memory store's.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the store does not answer at once"),
    }
}

pub(super) fn player(id: &str) -> Player {
    let kind = if id.starts_with("house-") { PlayerKind::House } else { PlayerKind::Guest };
    Player { id: id.to_owned(), name: id.to_owned(), kind }
}

pub(in super::super) fn header(ruleset: &str) -> GameHeader {
    GameHeader {
        terms: Terms {
            ruleset: ruleset.to_owned(),
            time: Time::Fischer { base_s: 60, increment_s: 5 },
            private: false,
            secret: false,
            rated: false,
        },
        players: PerSide::new(player("ana"), player("bo")),
        secret: PerSide::default(),
        deploy_ms: DEPLOY_MS,
        lakes: drawn_lakes(ruleset),
        previous: None,
        lag_quota: None,
    }
}

/// Lakes for rulesets that draw them; always the same.
fn drawn_lakes(ruleset: &str) -> Option<Vec<Square>> {
    let ruleset = Ruleset::find(ruleset)?;
    let lakes = ruleset.draw_lakes(&Entropy([3; 32]));
    (lakes != ruleset.shape.lakes).then(|| lakes.iter().collect())
}

pub(super) fn setup_text(ruleset: &str, side: Side, seed: u64) -> String {
    let ruleset = Ruleset::find(ruleset).unwrap();
    random_setup(ruleset, side, &mut Chance::new(seed)).deploy(side, ruleset).unwrap().into_text()
}

/// A random deployment of the whole army, fixed by the seed.
pub(super) fn deploy(ruleset: &str, side: Side, seed: u64) -> GameCommand {
    GameCommand::Deploy { setup: setup_text(ruleset, side, seed) }
}

/// One connection of a client.
pub(super) struct Client {
    pub(super) player: Player,
    pub(super) outbox: Outbox,
    reader: OutboxReader,
}

impl Client {
    pub(super) fn new(id: &str) -> Client {
        let (outbox, reader) = outbox(ConnectionId::next());
        Client { player: player(id), outbox, reader }
    }

    /// The messages received, as text.
    pub(super) fn texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        while let Poll::Ready(Outgoing::Message(payload)) =
            self.reader.poll_next(&mut Context::from_waker(Waker::noop()))
        {
            texts.push(payload.as_str().to_owned());
        }
        texts
    }

    pub(super) fn read(&mut self) -> Vec<ServerToClient> {
        self.texts().iter().map(|text| serde_json::from_str(text).unwrap()).collect()
    }

    /// The only message received.
    pub(super) fn only(&mut self) -> ServerToClient {
        let mut all = self.read();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    /// Code and sequence number of the only refusal received.
    pub(super) fn refusal(&mut self) -> (String, Option<u64>) {
        match self.only() {
            ServerToClient::Refused { code, seq, .. } => (code.as_str().to_owned(), seq),
            other => panic!("{other:?}"),
        }
    }

    /// Sequence number of the only acceptance among the messages received.
    pub(super) fn accepted(&mut self) -> u64 {
        let seqs: Vec<u64> = self
            .read()
            .into_iter()
            .filter_map(|message| match message {
                ServerToClient::Accepted { outcome: Accepted::Game { seq, .. }, .. } => Some(seq),
                ServerToClient::Refused { code, message, .. } => panic!("{}: {message}", code.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(seqs.len(), 1, "{seqs:?}");
        seqs[0]
    }

    pub(super) fn events(&mut self) -> Vec<GameEvent> {
        self.read()
            .into_iter()
            .filter_map(|message| match message {
                ServerToClient::Event { event, .. } => Some(event),
                _ => None,
            })
            .collect()
    }

    /// The only game message received.
    pub(super) fn game(&mut self) -> (u64, GameView, Vec<GameEvent>) {
        match self.only() {
            ServerToClient::Game { seq, view, events, .. } => (seq, view, events),
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn close_code(&mut self) -> Option<CloseCode> {
        match self.reader.poll_close(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(code) => Some(code),
            Poll::Pending => None,
        }
    }

    /// Returns and clears the message credits given back.
    pub(super) fn credit(&mut self) -> u32 {
        self.reader.take_account().credit
    }

    /// Returns and clears the bytes that this connection's commands have stored.
    pub(super) fn stored(&mut self) -> u32 {
        self.reader.take_account().stored
    }

    pub(super) async fn next(&mut self) -> ServerToClient {
        match poll_fn(|cx| self.reader.poll_next(cx)).await {
            Outgoing::Message(payload) => serde_json::from_str(payload.as_str()).unwrap(),
            Outgoing::Close(code) => panic!("closed: {code:?}"),
        }
    }

    pub(super) async fn closed(&mut self) -> CloseCode {
        poll_fn(|cx| self.reader.poll_close(cx)).await
    }
}

/// One server's view of one game: the table, the store and the clock.
pub(super) struct Hand {
    pub(super) store: MemoryStore,
    pub(super) clock: Arc<ManualClock>,
    pub(super) id: GameId,
    pub(super) table: Table,
    /// Outputs of the table that the test holds back.
    pub(super) held: Vec<Output>,
    pub(super) is_holding: bool,
    pub(super) house_turns: usize,
    /// How far this server's clock is ahead of the store's, in milliseconds.
    pub(super) ahead_ms: i64,
    commands: u64,
}

impl Hand {
    pub(super) fn new(header: &GameHeader) -> Hand {
        let clock = Arc::new(ManualClock::new(START));
        let store = MemoryStore::new(clock.clone());
        let id = GameId::from_random([7; 12]);
        make_game(&store, id, header);
        Hand::on(store, clock, id)
    }

    /// Another server on the same store.
    pub(super) fn on(store: MemoryStore, clock: Arc<ManualClock>, id: GameId) -> Hand {
        let table = load(&store, id);
        Hand {
            store,
            clock,
            id,
            table,
            held: Vec::new(),
            is_holding: false,
            house_turns: 0,
            ahead_ms: 0,
            commands: 0,
        }
    }

    pub(super) fn twin(&self) -> Hand {
        let mut twin = Hand::on(self.store.clone(), self.clock.clone(), self.id);
        twin.commands = 1_000_000 + self.commands;
        twin
    }

    /// Restarts the server.
    pub(super) fn reload(&mut self) {
        self.held.clear();
        self.table = load(&self.store, self.id);
    }

    /// A game in which both have deployed.
    pub(super) fn playing(header: &GameHeader) -> (Hand, Client, Client) {
        let mut hand = Hand::new(header);
        let (mut ana, mut bo) = (Client::new("ana"), Client::new("bo"));
        hand.open(&ana, None);
        hand.open(&bo, None);
        let ruleset = header.terms.ruleset.clone();
        if hand.table.progress().0 == flagfall_protocol::Phase::Deploying {
            hand.command(&ana, 0, deploy(&ruleset, Side::Red, 1));
            hand.command(&bo, 0, deploy(&ruleset, Side::Blue, 2));
        }
        assert_eq!(hand.table.progress().0, flagfall_protocol::Phase::Playing);
        ana.texts();
        bo.texts();
        (hand, ana, bo)
    }

    pub(super) fn now(&self) -> Stamp {
        Stamp(flagfall_store::WallClock::now(&*self.clock).0.saturating_add_signed(self.ahead_ms))
    }

    pub(super) fn advance(&mut self, ms: u64) {
        self.clock.advance_ms(ms);
    }

    /// Advances the time to the table's wake-up and wakes it; returns the advance in milliseconds.
    pub(super) fn wake(&mut self) -> Option<u64> {
        let at = self.table.wake_at()?;
        let ms = at.ms_since(self.now());
        self.advance(ms);
        self.step(Input::Tick);
        Some(ms)
    }

    pub(super) fn step(&mut self, input: Input) {
        let outputs = self.table.step(self.now(), input);
        self.held.extend(outputs);
        if !self.is_holding {
            self.release();
        }
    }

    /// Carries out the outputs held back, and those that follow.
    pub(super) fn release(&mut self) {
        self.is_holding = false;
        while !self.held.is_empty() {
            self.release_one();
        }
    }

    pub(super) fn release_one(&mut self) {
        let input = match self.held.remove(0) {
            Output::Append(append) => Input::Appended(now(self.store.append(append))),
            Output::Read { after } => Input::ReadOn(now(search::read_all(&self.store, self.id, after))),
            Output::Look { after } => Input::Looked(now(search::look(&self.store, self.id, after))),
            Output::Search { asked } => {
                let found = now(search::find_command(&self.store, self.id, &asked));
                Input::Searched { asked, found }
            }
            Output::HouseTurn { .. } => {
                self.house_turns += 1;
                return;
            }
            Output::MakeRematch => Input::RematchMade(Ok(GameId::from_random([9; 12]))),
            Output::Stopped | Output::Diverged => return,
        };
        let outputs = self.table.step(self.now(), input);
        self.held.extend(outputs);
    }

    pub(super) fn open(&mut self, client: &Client, since: Option<Position>) {
        let (outbox, player) = (client.outbox.clone(), client.player.clone());
        self.step(Input::Open { outbox, player, since });
    }

    pub(super) fn close(&mut self, client: &Client) {
        self.step(Input::Close { connection: client.outbox.connection(), is_on_purpose: false });
    }

    /// The player leaves on purpose.
    pub(super) fn leave(&mut self, client: &Client) {
        self.step(Input::Close { connection: client.outbox.connection(), is_on_purpose: true });
    }

    /// Sends a command under a new id and returns the id.
    pub(super) fn command(&mut self, client: &Client, ply: Ply, command: GameCommand) -> String {
        self.commands += 1;
        let id = format!("c-{}", self.commands);
        self.command_as(client, &id, ply, command);
        id
    }

    pub(super) fn command_as(&mut self, client: &Client, id: &str, ply: Ply, command: GameCommand) {
        self.command_in(client, id, ply, Some(self.table.epoch), command);
    }

    /// Sends a command that was made in this epoch.
    pub(super) fn command_in(
        &mut self,
        client: &Client,
        id: &str,
        ply: Ply,
        epoch: Option<u64>,
        command: GameCommand,
    ) {
        let entropy = Entropy([u8::try_from(id.len()).unwrap_or(0); 32]);
        let asked = Asked {
            reply: Reply::Connection(client.outbox.clone()),
            player_id: client.player.id.clone(),
            cmd_id: id.parse().unwrap(),
            ply,
            epoch,
            command,
            entropy,
            is_new: false,
            is_current: false,
        };
        self.step(Input::Command(Box::new(asked)));
    }

    pub(super) fn rematch(&mut self, client: &Client, id: &str) {
        let (outbox, player) = (client.outbox.clone(), client.player.clone());
        self.step(Input::Rematch { reply: Reply::Connection(outbox), player, cmd_id: id.parse().unwrap() });
    }

    /// A random legal command of the side that acts next: nearly always a move if there is one.
    pub(super) fn any_move(&self, chance: &mut Chance) -> Option<GameCommand> {
        self.table.game.turn()?;
        let commands = self.table.game.position().legal_commands();
        let (moves, all) = (commands.moves_len(), commands.len());
        let is_move = moves == all || moves > 0 && chance.below(6) > 0;
        let end = if is_move { moves } else { all };
        GameCommand::from_command(&commands.nth(chance.below(end.max(1)))?)
    }

    /// Plays this number of plies.
    pub(super) fn play(&mut self, ana: &mut Client, bo: &mut Client, plies: usize, chance: &mut Chance) {
        for _ in 0..plies {
            if self.table.game.turn().is_none() {
                return;
            }
            let side = self.table.game.position().actor();
            let command = self.any_move(chance).unwrap();
            let mover = if side == Side::Red { &*ana } else { &*bo };
            let ply = self.table.game.ply();
            self.command(mover, ply, command);
            self.advance(10);
            assert!(ana.texts().iter().chain(&bo.texts()).all(|text| !text.contains("refused")));
        }
    }

    pub(super) fn log(&self) -> Vec<StoredEntry> {
        now(search::read_all(&self.store, self.id, 0)).unwrap()
    }

    /// What an audience knows now.
    pub(super) fn view(&self, viewer: Viewer) -> GameView {
        self.table.look(self.now(), viewer).1
    }

    pub(super) fn seq(&self, viewer: Viewer) -> u64 {
        self.table.audiences.shown(viewer).seq
    }

    pub(super) fn position(&self, seq: u64) -> Position {
        Position { epoch: self.table.epoch, seq }
    }
}

pub(super) fn make_game(store: &MemoryStore, id: GameId, header: &GameHeader) {
    let body =
        record::encode(LogEntry { command: None, lag_ms: 0, body: LogBody::Opened(header.clone()) }).unwrap();
    let writes = index_keys(id, header)
        .map(|key| flagfall_store::Write::Put { key, value: Vec::new(), expires: None })
        .collect();
    let append = Append {
        game: id,
        expected: Head::START,
        deadline: None,
        not_before: None,
        bodies: vec![body],
        writes,
    };
    assert!(matches!(now(store.append(append)), Ok(flagfall_store::AppendOutcome::Ok { .. })));
}

pub(super) fn load(store: &MemoryStore, id: GameId) -> Table {
    let stored = now(search::read_all(store, id, 0)).unwrap();
    let epoch = now(store.epoch()).unwrap();
    let settings = TableSettings { spectators_max: 100, ..super::actor::settings(Connections::new()) };
    Table::from_log(id, epoch, Arc::new(settings), &stored).unwrap()
}

/// How many games the player has left, according to [`NotingFeatures`].
pub(super) async fn left_games(store: &MemoryStore, player: &str) -> usize {
    store.scan(LEFT.under([&player]).unwrap(), None, 10).await.unwrap().len()
}

/// Features that note who left a game, and who did not cause its abort.
pub(super) struct NotingFeatures;

impl Features for NotingFeatures {
    fn writes(&self, game: GameId, header: &GameHeader, event: Milestone, _now: Stamp) -> Vec<Write> {
        let Milestone::Ended(end) = event else { return Vec::new() };
        let put = |key, value| Write::Put { key, value, expires: None };
        let ids = |is_it: &dyn Fn(Side) -> bool| -> Vec<&str> {
            let sides = Side::BOTH.into_iter().filter(|side| is_it(*side));
            sides.map(|side| header.players[side].id.as_str()).collect()
        };
        let left = ids(&|side| end.left[side]);
        let mut writes: Vec<Write> =
            left.iter().map(|id| put(LEFT.key([id, &game]).unwrap(), Vec::new())).collect();
        if let Some(by) = end.aborted_by {
            let innocent = ids(&|side| !by[side] && !header.has_house());
            writes.push(put(POOL_RETURNS.key([&game]).unwrap(), serde_json::to_vec(&innocent).unwrap()));
        }
        writes
    }

    fn note_end(&self, _game: GameId) {}
}

pub(super) fn code(code: &'static str) -> String {
    Code::new(code).as_str().to_owned()
}

/// Has both sides deploy, and plays this number of plies.
pub(super) fn play_plies(store: &MemoryStore, clock: &Arc<ManualClock>, id: GameId, plies: usize) {
    let mut hand = Hand::on(store.clone(), clock.clone(), id);
    let header = hand.table.header().clone();
    let ruleset = header.terms.ruleset.clone();
    let [mut ana, mut bo] = Side::BOTH.map(|side| Client::new(&header.players[side].id));
    hand.command(&ana, 0, deploy(&ruleset, Side::Red, 1));
    hand.command(&bo, 0, deploy(&ruleset, Side::Blue, 2));
    hand.play(&mut ana, &mut bo, plies, &mut Chance::new(7));
}
