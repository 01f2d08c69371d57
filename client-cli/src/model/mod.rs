//! The client's state: plain data that [`crate::update`] changes and that [`crate::render`] and
//! [`crate::plain`] show.

mod message;
mod open_game;
mod prompts;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use flagfall_board::{GameId, Numbering, Side, Square};
use flagfall_protocol::{
    ClientToServer, CommandId, GameSummary, Invitation, OwnGames, Player, PlayerKind, PoolStatus, RatingWish,
    Seek, Terms, Time,
};

use crate::chance::Chance;
use crate::commitments::Shown;
use crate::replay::Replay;
use crate::words;

pub use flagfall_protocol::Secret;
pub use message::{Effect, Key, Message};
pub use open_game::OpenGame;
pub use prompts::{Choice, Choices, Prompt, Uncolored};

/// Default server.
pub const DEFAULT_SERVER: &str = "ws://127.0.0.1:7171/ws";
/// Most notes that are kept.
pub(crate) const NOTES_MAX: usize = 400;

/// The first square of every board.
pub(crate) const A1: Square = match Square::new(0, 0) {
    Some(square) => square,
    None => panic!("every board has a first square"),
};

/// How the client is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The server's address as the user typed it.
    pub server: String,
    /// The file with the server's own certificate authority, if one was given.
    pub authority_file: Option<PathBuf>,
    /// The name a new guest asks for.
    pub name: Option<String>,
    /// The figures on the pieces.
    pub numbering: Numbering,
    /// True if the player's own side is at the bottom.
    pub flip: bool,
    /// Path of the credential file, to show to the user.
    pub credential_file: String,
    /// True if colors are used.
    pub color: bool,
    /// Who uses the client, and through what.
    pub face: Face,
}

/// Who uses the client, and through what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Face {
    /// A person at the full screen.
    Screen,
    /// A person who types lines.
    Lines,
    /// Lines from a pipe. Each waits until it can be carried out, and no question is asked.
    Script,
    /// A program that plays through its own protocol. Boards, moves and hints are left out.
    Program,
}

impl Face {
    /// True for the full screen.
    #[must_use]
    pub const fn is_screen(self) -> bool {
        matches!(self, Face::Screen)
    }

    /// True if everything is printed, line by line.
    #[must_use]
    pub const fn prints(self) -> bool {
        !self.is_screen()
    }

    /// True for lines, typed or from a pipe.
    #[must_use]
    pub const fn is_lines(self) -> bool {
        matches!(self, Face::Lines | Face::Script)
    }

    /// True if a program plays.
    #[must_use]
    pub const fn is_program(self) -> bool {
        matches!(self, Face::Program)
    }

    /// True if no person can answer a question.
    #[must_use]
    pub const fn is_unattended(self) -> bool {
        matches!(self, Face::Script | Face::Program)
    }
}

impl Options {
    /// The flags that name this server and its authority on a command line. Empty for the defaults.
    #[must_use]
    pub fn server_flag(&self) -> String {
        let mut flags = String::new();
        if self.server != DEFAULT_SERVER {
            flags.push_str(&format!(" --server {}", self.server));
        }
        if let Some(file) = &self.authority_file {
            flags.push_str(&format!(" --ca {}", file.display()));
        }
        flags
    }
}

/// What the user wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// To play.
    Play(Wish),
    /// To watch this game, or one from the list.
    Watch(Option<GameId>),
    /// To list their own and the public games.
    Games,
    /// To go on with the next game in which it is their turn.
    Next,
    /// A prompt for the commands of play by mail.
    Mail,
}

/// The game that the user wants. `None` in a field means any.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    /// How to find it.
    pub how: How,
    /// The ruleset's id.
    pub ruleset: Option<String>,
    /// The clock.
    pub time: Option<Time>,
    /// The player's own side.
    pub side: Option<Side>,
    /// Only the two players see the game.
    pub private: bool,
    /// The player's deployment and the full record stay private after the end.
    pub secret: bool,
    /// The game changes both ratings.
    pub rated: bool,
    /// The opponent's acceptable ratings.
    pub rating: Option<RatingWish>,
    /// The deployment to hand in at once.
    pub setup: Option<SetupChoice>,
}

impl Wish {
    /// The terms to offer. Defaults to classic with 10+5.
    #[must_use]
    pub fn terms(&self) -> Terms {
        Terms {
            ruleset: self.ruleset.clone().unwrap_or_else(|| "classic".to_owned()),
            time: self.time.unwrap_or(Time::Fischer { base_s: 600, increment_s: 5 }),
            private: self.private,
            secret: self.secret,
            rated: self.rated,
        }
    }

    /// True if an offer matches this wish.
    #[must_use]
    pub fn is_met_by(&self, seek: &Seek) -> bool {
        self.ruleset.as_ref().is_none_or(|ruleset| *ruleset == seek.terms.ruleset)
            && self.time.is_none_or(|time| time == seek.terms.time)
            && self.side.is_none_or(|side| seek.side == Some(side.opponent()))
            && (!self.private || seek.terms.private)
            && self.rated == seek.terms.rated
    }
}

/// How to find a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum How {
    /// Accept a matching offer, or make one.
    #[default]
    Any,
    /// Wait in the pool to be paired.
    Pool,
    /// Against a house player of this level.
    Bot(String),
    /// Make an offer that anyone with its code can accept.
    Challenge,
    /// Accept the offer with this code.
    Accept(String),
    /// Go on with this game.
    Game(GameId),
}

/// Which deployment to hand in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetupChoice {
    /// A random one.
    Random,
    /// A suggested one.
    Suggested,
    /// This text of §P4.
    Text(String),
}

/// The state of the connection to the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Link {
    /// Connecting, or waiting to connect.
    Dialing {
        /// Failed attempts since the last welcome.
        failures: u32,
    },
    /// Connected; the hello is not answered yet.
    Greeting {
        /// Failed attempts since the last welcome.
        failures: u32,
    },
    /// Connected and welcomed.
    Online,
    /// Closed for good.
    Closed {
        /// The reason.
        why: String,
    },
}

/// Why a credential or a seat could not be saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsaved {
    /// The reason, to show to the user.
    pub why: String,
    /// When to try again, by this machine's clock.
    pub again_at: u64,
}

/// A request that the server could not carry out and that is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retry {
    /// How often the server refused.
    pub refusals: u32,
    /// When to ask again. `None` while a request is under way or the connection is down.
    pub at: Option<u64>,
}

/// A command without an answer. It is sent again with the same id on the next connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    /// Its id.
    pub cmd_id: CommandId,
    /// The whole message.
    pub message: ClientToServer,
}

/// How the wait in the pool goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PoolWait {
    /// The server's latest status.
    pub status: PoolStatus,
    /// When the user was last told about it, by this machine's clock.
    pub told_at: u64,
}

/// The page on the screen.
#[derive(Clone, PartialEq, Debug)]
pub enum Page {
    /// Waiting for something.
    Waiting {
        /// The headline.
        headline: String,
        /// More lines.
        lines: Vec<String>,
    },
    /// A list to pick from.
    Choosing(Choices),
    /// A challenge's terms, to accept or not.
    Terms {
        /// The challenge's code.
        challenge: String,
        /// What it offers.
        lines: Vec<String>,
    },
    /// The open game.
    Game,
}

/// The client's whole state.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// How the client is run.
    pub options: Options,
    /// What the user wants.
    pub goal: Goal,
    /// The random source.
    pub chance: Chance,
    /// The current time in milliseconds since 1970, by this machine's clock.
    pub now: u64,
    /// The server's clock minus this machine's.
    pub server_ahead_ms: i64,
    /// The connection.
    pub link: Link,
    /// When the server was last heard on this connection.
    pub heard_at: u64,
    /// True if the server has sent a ping on this connection. Only then does silence mean
    /// something.
    pub is_pinged: bool,
    /// True if the client was ever welcomed.
    pub was_online: bool,
    /// True if the server says that it cannot reach its store.
    pub is_store_away: bool,
    /// The credential.
    pub token: Option<Secret>,
    /// Why the credential or the seat is not saved, and when to try again.
    pub unsaved: Option<Unsaved>,
    /// The commitments that were shown in games, including those of earlier runs.
    pub shown: BTreeMap<GameId, Shown>,
    /// The player of this client.
    pub player: Option<Player>,
    /// The player's games at the last welcome. A new one is noticed by comparison.
    pub known_games: Option<Vec<GameId>>,
    /// Commands without an answer yet.
    pub pending: Vec<Pending>,
    /// Number of HTTP requests without an answer.
    pub errands: usize,
    /// The lobby's offers and games.
    pub lobby: Option<(Vec<Seek>, Vec<GameSummary>)>,
    /// Offers that were refused to this player. The lobby may list one for a moment after it is
    /// gone.
    pub refused_seeks: BTreeSet<String>,
    /// The player's running games, as the server last sent them.
    pub own_games: Option<Vec<GameSummary>>,
    /// The same games with their urgency, if they were requested.
    pub urgent_games: Option<OwnGames>,
    /// The player's own offer in the lobby.
    pub seek: Option<String>,
    /// The latest open challenge to this player.
    pub invitation: Option<Invitation>,
    /// The connection was lost, so the offer may be gone. The next lobby message tells.
    pub is_seek_doubtful: bool,
    /// The opponents' names for challenges that are being made, by command id.
    pub addressed: BTreeMap<String, String>,
    /// The player's own challenge.
    pub challenge: Option<String>,
    /// The page on the screen.
    pub page: Page,
    /// The open game.
    pub game: Option<OpenGame>,
    /// The game that was requested and has not arrived yet.
    pub opening: Option<GameId>,
    /// How the wait in the pool goes.
    pub pool: Option<PoolWait>,
    /// The request that the server could not carry out, and when to repeat it.
    pub retry: Option<Retry>,
    /// The board is shown from the other side.
    pub is_turned: bool,
    /// The account's deployments are being loaded.
    pub is_loading_saved: bool,
    /// The goal waits for the account's deployments, because one of them is to be handed in.
    pub is_waiting_for_saved: bool,
    /// Saved deployments: ruleset, name, text.
    pub saved: BTreeMap<String, BTreeMap<String, String>>,
    /// Messages to the user, oldest first.
    pub notes: VecDeque<String>,
    /// Number of the newest notes that have not been printed yet.
    pub notes_unsaid: usize,
    /// The open question.
    pub prompt: Option<Prompt>,
    /// True if the help is shown.
    pub is_help: bool,
    /// A line of a script that waits for its moment.
    pub held_line: Option<String>,
    /// True if the input has ended.
    pub is_input_over: bool,
    /// True if the last request was refused.
    pub was_refused: bool,
    /// The record that is stepped through, if this run shows one.
    pub replay: Option<Replay>,
    /// Lines to print after the screen is closed.
    pub last_words: Vec<String>,
}

impl Model {
    /// A client at its start.
    #[must_use]
    pub fn new(options: Options, goal: Goal, chance: Chance) -> Model {
        let headline = format!("Connecting to {} …", options.server);
        Model {
            options,
            goal,
            chance,
            now: 0,
            server_ahead_ms: 0,
            link: Link::Dialing { failures: 0 },
            heard_at: 0,
            is_pinged: false,
            was_online: false,
            is_store_away: false,
            token: None,
            unsaved: None,
            shown: BTreeMap::new(),
            player: None,
            known_games: None,
            pending: Vec::new(),
            errands: 0,
            lobby: None,
            refused_seeks: BTreeSet::new(),
            own_games: None,
            urgent_games: None,
            seek: None,
            invitation: None,
            is_seek_doubtful: false,
            addressed: BTreeMap::new(),
            challenge: None,
            page: Page::Waiting { headline, lines: Vec::new() },
            game: None,
            opening: None,
            pool: None,
            retry: None,
            is_turned: false,
            is_loading_saved: false,
            is_waiting_for_saved: false,
            saved: BTreeMap::new(),
            notes: VecDeque::new(),
            notes_unsaid: 0,
            prompt: None,
            is_help: false,
            held_line: None,
            is_input_over: false,
            was_refused: false,
            replay: None,
            last_words: Vec::new(),
        }
    }

    /// The current time by the server's clock.
    #[must_use]
    pub fn server_now(&self) -> u64 {
        self.now.saturating_add_signed(self.server_ahead_ms)
    }

    /// Shows a message to the user.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = words::clean(&text.into());
        if self.options.face.is_screen() && self.notes.back() == Some(&text) {
            // The screen shows it already.
            return;
        }
        if self.notes.len() == NOTES_MAX {
            self.notes.pop_front();
        }
        self.notes.push_back(text);
        self.notes_unsaid = (self.notes_unsaid + 1).min(self.notes.len());
    }

    /// Takes the notes that have not been printed yet.
    pub fn take_unsaid(&mut self) -> Vec<String> {
        let first = self.notes.len() - self.notes_unsaid;
        self.notes_unsaid = 0;
        self.notes.iter().skip(first).cloned().collect()
    }

    /// The side at the bottom of the board.
    #[must_use]
    pub fn bottom(&self) -> Side {
        let own = self.game.as_ref().and_then(OpenGame::own_side).filter(|_| self.options.flip);
        let side = own.unwrap_or(Side::Red);
        if self.is_turned { side.opponent() } else { side }
    }

    /// The user's wish, if they want to play.
    #[must_use]
    pub fn wish(&self) -> Option<&Wish> {
        match &self.goal {
            Goal::Play(wish) => Some(wish),
            Goal::Watch(_) | Goal::Games | Goal::Next | Goal::Mail => None,
        }
    }

    /// True if the server keeps the player's saved deployments, as it does for accounts.
    #[must_use]
    pub fn is_account(&self) -> bool {
        let kind = self.player.as_ref().map(|player| player.kind);
        matches!(kind, Some(PlayerKind::Account | PlayerKind::Bot)) && !self.options.face.is_program()
    }

    /// True if the player has ratings. Guests have none.
    #[must_use]
    pub fn has_rating(&self) -> bool {
        let kind = self.player.as_ref().map(|player| player.kind);
        matches!(kind, Some(PlayerKind::Account | PlayerKind::Bot))
    }

    /// True if the next line of the line-based mode can be taken: none is held and nothing is
    /// unanswered.
    #[must_use]
    pub fn is_ready_for_line(&self) -> bool {
        let is_waiting = !self.pending.is_empty() || self.errands > 0;
        !self.is_input_over && self.held_line.is_none() && !(self.options.face.is_unattended() && is_waiting)
    }
}
