//! A table that a test drives step by step. The test sets the time. Outputs of the table are
//! carried out immediately, or held back until the test releases them.

use std::sync::Arc;

use flagfall_base::background::Background;
use flagfall_base::delivery::Connections;
use flagfall_board::{Chance, GameId, Ply, Side, Stamp};
use flagfall_protocol::{EventPosition, GameCommand, GameView};
use flagfall_rules::{Entropy, Viewer};
use flagfall_store::record::Form;
use flagfall_store::{Store, StoredEntry};
use flagfall_store_testing::{ManualClock, TestStore};

use super::client::REQUEST;
use super::{Client, START, deploy, make_game, now, settings};
use crate::error::TableError;
use crate::header::GameHeader;
use crate::reply::Reply;
use crate::search;
use crate::settings::TableSettings;
use crate::table::{Asked, Author, Input, Output, Table, TableInput};

/// A table of one game on one server, with its store and clock.
pub(crate) struct Hand {
    pub(crate) store: TestStore,
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) id: GameId,
    pub(crate) table: Table,
    /// The outputs of the table that are held back.
    pub(crate) held: Vec<Output>,
    pub(crate) is_holding: bool,
    pub(crate) house_turns: usize,
    /// The time by which this server's clock is ahead of the store's clock, in milliseconds.
    pub(crate) ahead_ms: i64,
    commands: u64,
}

impl Hand {
    pub(crate) fn new(header: &GameHeader) -> Hand {
        let clock = Arc::new(ManualClock::new(START));
        let store = TestStore::new(clock.clone());
        let id = GameId::from_random([7; 12]);
        make_game(&store, id, header);
        Hand::on(store, clock, id)
    }

    /// Returns the table of another server on the same store.
    pub(crate) fn on(store: TestStore, clock: Arc<ManualClock>, id: GameId) -> Hand {
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

    pub(crate) fn twin(&self) -> Hand {
        let mut twin = Hand::on(self.store.clone(), self.clock.clone(), self.id);
        twin.commands = 1_000_000 + self.commands;
        twin
    }

    /// Makes the game continue after an outage that began at this time.
    pub(crate) fn recover(&mut self, since: Stamp) {
        self.table.outage.recover(&self.table.game, since);
    }

    /// Restarts the server.
    pub(crate) fn reload(&mut self) {
        self.held.clear();
        self.table = load(&self.store, self.id);
    }

    /// Returns a game in which both players have deployed.
    pub(crate) fn playing(header: &GameHeader) -> (Hand, Client, Client) {
        let mut hand = Hand::new(header);
        let (mut ana, mut bo) = (Client::new("ana"), Client::new("bo"));
        hand.open(&ana, None);
        hand.open(&bo, None);
        let ruleset = header.terms.ruleset.clone();
        if hand.table.game.phase() == flagfall_protocol::Phase::Deploying {
            hand.command(&ana, 0, deploy(&ruleset, Side::Red, 1));
            hand.command(&bo, 0, deploy(&ruleset, Side::Blue, 2));
        }
        assert_eq!(hand.table.game.phase(), flagfall_protocol::Phase::Playing);
        ana.texts();
        bo.texts();
        (hand, ana, bo)
    }

    pub(crate) fn now(&self) -> Stamp {
        Stamp(flagfall_store::WallClock::now(&*self.clock).0.saturating_add_signed(self.ahead_ms))
    }

    pub(crate) fn advance(&mut self, ms: u64) {
        self.clock.advance_ms(ms);
    }

    /// Advances the time to the moment at which the table wants to wake, and wakes it. Returns
    /// the advance in milliseconds.
    pub(crate) fn wake(&mut self) -> Option<u64> {
        let at = self.table.wake_at()?;
        let ms = at.ms_since(self.now());
        self.advance(ms);
        self.step(Input::Tick);
        Some(ms)
    }

    pub(crate) fn step(&mut self, input: Input) {
        let outputs = self.table.step(self.now(), input);
        self.held.extend(outputs);
        if !self.is_holding {
            self.release();
        }
    }

    /// Carries out the outputs that are held back, and all outputs that result from them.
    pub(crate) fn release(&mut self) {
        self.is_holding = false;
        while !self.held.is_empty() {
            self.release_one();
        }
    }

    pub(crate) fn release_one(&mut self) {
        let input = match self.held.remove(0) {
            Output::Append(append) => Input::Appended(now(self.store.append(append))),
            Output::Read { after } => {
                Input::ReadOn(now(search::read_all(&self.store, self.id, after)).map_err(TableError::from))
            }
            Output::Look { after } => Input::Looked(now(search::look(&self.store, self.id, after))),
            Output::Search { asked } => {
                let found =
                    now(search::find_command(&Background::new("test", 1), &self.store, self.id, &asked));
                Input::Searched { asked, found }
            }
            Output::HouseTurn { .. } => {
                self.house_turns += 1;
                return;
            }
            Output::MakeRematch => Input::RematchMade(Ok(GameId::from_random([9; 12]))),
            Output::TellRematchOffered { .. } | Output::Stopped | Output::Diverged => return,
        };
        let outputs = self.table.step(self.now(), input);
        self.held.extend(outputs);
    }

    pub(crate) fn open(&mut self, client: &Client, since: Option<EventPosition>) {
        self.step(Input::Player(TableInput::Open(client.opener(since))));
    }

    pub(crate) fn close(&mut self, client: &Client) {
        let connection = client.outbox.connection();
        self.step(Input::Player(TableInput::Close { connection, is_on_purpose: false }));
    }

    /// Closes the client's connection as if the player left on purpose.
    pub(crate) fn leave(&mut self, client: &Client) {
        let connection = client.outbox.connection();
        self.step(Input::Player(TableInput::Close { connection, is_on_purpose: true }));
    }

    /// Sends a command with a new id, and returns the id.
    pub(crate) fn command(&mut self, client: &Client, ply: Ply, command: GameCommand) -> String {
        self.commands += 1;
        let id = format!("c-{}", self.commands);
        self.command_as(client, &id, ply, command);
        id
    }

    pub(crate) fn command_as(&mut self, client: &Client, id: &str, ply: Ply, command: GameCommand) {
        self.command_in(client, id, ply, Some(self.table.epoch), command);
    }

    /// Sends a command that the client made in this epoch.
    pub(crate) fn command_in(
        &mut self,
        client: &Client,
        id: &str,
        ply: Ply,
        epoch: Option<u64>,
        command: GameCommand,
    ) {
        let entropy = Entropy([u8::try_from(id.len()).unwrap_or(0); 32]);
        let asked = Asked {
            reply: Reply::Connection { outbox: client.outbox.clone(), request: REQUEST },
            author: Author::Player(client.player.id.clone()),
            cmd_id: id.parse().unwrap(),
            ply,
            epoch,
            command,
            entropy,
            is_new: false,
            is_current: false,
        };
        self.step(Input::Player(TableInput::Command(Box::new(asked))));
    }

    pub(crate) fn rematch(&mut self, client: &Client, id: &str) {
        let (outbox, player) = (client.outbox.clone(), client.player.clone());
        self.step(Input::Player(TableInput::Rematch {
            reply: Reply::Connection { outbox, request: REQUEST },
            player,
            cmd_id: id.parse().unwrap(),
        }));
    }

    /// Returns a random legal command of the side that has to act. It is almost always a move, if
    /// there is a legal one.
    pub(crate) fn any_move(&self, chance: &mut Chance) -> Option<GameCommand> {
        self.table.game.turn()?;
        let commands = self.table.game.position().legal_commands();
        let (moves, all) = (commands.moves_len(), commands.len());
        let is_move = moves == all || moves > 0 && chance.below(6) > 0;
        let end = if is_move { moves } else { all };
        GameCommand::from_command(&commands.nth(chance.below(end.max(1)))?)
    }

    pub(crate) fn play(&mut self, ana: &mut Client, bo: &mut Client, plies: usize, chance: &mut Chance) {
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

    pub(crate) fn log(&self) -> Vec<StoredEntry> {
        now(search::read_all(&self.store, self.id, 0)).unwrap()
    }

    /// Returns the game as an audience sees it now.
    pub(crate) fn view(&self, viewer: Viewer) -> GameView {
        self.table.look(self.now(), viewer)
    }

    pub(crate) fn seq(&self, viewer: Viewer) -> u64 {
        self.table.audiences.shown(viewer).seq
    }

    pub(crate) fn position(&self, seq: u64) -> EventPosition {
        EventPosition { epoch: self.table.epoch, seq }
    }
}

pub(crate) fn load(store: &TestStore, id: GameId) -> Table {
    let stored = now(search::read_all(store, id, 0)).unwrap();
    let epoch = now(store.epoch()).unwrap();
    let settings = TableSettings { spectators_max: 100, ..settings(Connections::new()) };
    let mut table = Table::from_log(id, epoch, Arc::new(settings), &stored).unwrap();
    table.write_form = Form::NEWEST;
    table
}

/// Deploys both sides, and plays random commands for this number of plies.
pub(crate) fn play_plies(store: &TestStore, clock: &Arc<ManualClock>, id: GameId, plies: usize) {
    let mut hand = Hand::on(store.clone(), clock.clone(), id);
    let header = hand.table.header.clone();
    let ruleset = header.terms.ruleset.clone();
    let [mut ana, mut bo] = Side::BOTH.map(|side| Client::new(&header.players[side].id));
    hand.command(&ana, 0, deploy(&ruleset, Side::Red, 1));
    hand.command(&bo, 0, deploy(&ruleset, Side::Blue, 2));
    hand.play(&mut ana, &mut bo, plies, &mut Chance::new(7));
}
