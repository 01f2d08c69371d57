//! The client's state: plain data. [`crate::update`] changes it; [`crate::render`] and
//! [`crate::plain`] show it.

mod connection;
mod goal;
mod lobby;
mod message;
mod notes;
mod open_game;
mod options;
mod ui;

use std::collections::BTreeMap;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{ClientToServer, PlayerKind};

use crate::commitments::Shown;
use crate::random::Random;
use crate::{text, words};

pub use connection::{Connection, Link, Login, Pending, Retry, Unsaved};
pub use flagfall_protocol::Secret;
pub use goal::{Goal, How, SetupChoice, Wish};
pub use lobby::{Challenges, Lobby, PoolWait};
pub use message::{Effect, Key, Message};
pub use notes::Notes;

pub use open_game::{OpenGame, Premove};
pub use options::{DEFAULT_SERVER, Face, Options, server_flag};
pub use ui::{Choice, Choices, Help, Page, Prompt, Ui, Uncolored};

#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub options: Options,
    pub goal: Goal,
    pub random: Random,
    pub clock: Clock,
    pub connection: Connection,
    pub login: Login,
    pub lobby: Lobby,
    pub challenges: Challenges,
    pub deployments: Deployments,
    pub game: Option<OpenGame>,
    /// The game that the client has requested and not received yet.
    pub opening: Option<GameId>,
    /// The commitments that the server showed, by game, including those from earlier runs.
    pub commitments: BTreeMap<GameId, Shown>,
    pub ui: Ui,
    pub notes: Notes,
    pub input: LineInput,
    /// Lines to print after the screen closes.
    pub last_words: Vec<String>,
    /// The effects of the current message, for the shell to carry out.
    pub(crate) effects: Vec<Effect>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clock {
    /// The current time in milliseconds since 1970, by this machine's clock.
    pub now: u64,
    /// The server's clock minus this machine's clock.
    pub server_ahead_ms: i64,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Deployments {
    /// The texts of the deployments, by ruleset and name.
    pub saved: BTreeMap<String, BTreeMap<String, String>>,
    pub is_loading: bool,
    /// True if the client waits for the saved deployments before it looks for a game.
    pub is_awaited: bool,
}

/// The input of the line-based mode.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineInput {
    /// A line of a script that cannot be carried out yet.
    pub held: Option<String>,
    pub is_over: bool,
    pub was_refused: bool,
}

impl Model {
    pub fn new(options: Options, goal: Goal, random: Random) -> Model {
        let headline = text!("connecting", server = &options.server);
        Model {
            options,
            goal,
            random,
            clock: Clock::default(),
            connection: Connection::default(),
            login: Login::default(),
            lobby: Lobby::default(),
            challenges: Challenges::default(),
            deployments: Deployments::default(),
            game: None,
            opening: None,
            commitments: BTreeMap::new(),
            ui: Ui { page: Page::Waiting { headline, lines: Vec::new() }, ..Ui::default() },
            notes: Notes::default(),
            input: LineInput::default(),
            last_words: Vec::new(),
            effects: Vec::new(),
        }
    }

    pub fn server_now(&self) -> u64 {
        self.clock.now.saturating_add_signed(self.clock.server_ahead_ms)
    }

    pub fn say(&mut self, text: impl Into<String>) {
        let text = words::clean(&text.into());
        if self.options.face.is_screen() && self.notes.last() == Some(&text) {
            // Do not repeat a message that the screen already shows.
            return;
        }
        self.notes.push(text);
    }

    pub(crate) fn say_all(&mut self, texts: impl IntoIterator<Item = impl Into<String>>) {
        texts.into_iter().for_each(|text| self.say(text));
    }

    /// Says why a request was not carried out. A script then ends with an error.
    pub(crate) fn refuse(&mut self, why: impl Into<String>) {
        self.input.was_refused = true;
        self.say(why);
    }

    /// Sends a message that is not a command, so it is not repeated on the next connection.
    pub(crate) fn tell(&mut self, message: ClientToServer) {
        self.effects.push(Effect::Send(message));
    }

    pub fn bottom(&self) -> Side {
        let own = self.game.as_ref().and_then(OpenGame::own_side).filter(|_| self.options.flip);
        let side = own.unwrap_or(Side::Red);
        if self.ui.is_turned { side.opponent() } else { side }
    }

    pub fn wish(&self) -> Option<&Wish> {
        match &self.goal {
            Goal::Play(wish) => Some(wish),
            Goal::Watch(_) | Goal::Games | Goal::Next | Goal::Mail => None,
        }
    }

    pub fn is_for_pool(&self) -> bool {
        self.wish().is_some_and(|wish| wish.how == How::Pool)
    }

    /// True if this is the prompt for play by mail.
    pub fn is_mail(&self) -> bool {
        self.goal == Goal::Mail
    }

    /// True if the server keeps the player's saved deployments, which it does for accounts.
    pub fn is_account(&self) -> bool {
        self.has_rating() && !self.options.face.is_program()
    }

    /// True if the player has ratings. Guests have none.
    pub fn has_rating(&self) -> bool {
        let kind = self.login.player.as_ref().map(|player| player.kind);
        matches!(kind, Some(PlayerKind::Account | PlayerKind::Bot))
    }

    /// True if line-based mode can take the next line: no line is held, and a script has no
    /// unanswered commands.
    pub fn is_ready_for_line(&self) -> bool {
        let is_waiting = self.options.face.is_unattended() && self.is_waiting();
        !self.input.is_over && self.input.held.is_none() && !is_waiting
    }

    /// True if the server has not answered all commands and requests.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.connection.pending.is_empty() || self.connection.requests > 0
    }
}
