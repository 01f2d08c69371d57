//! Everything the client knows: plain data, changed by [`crate::update`], shown by [`crate::render`] and [`crate::plain`].

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

/// Where a server is, unless somebody says otherwise.
pub const DEFAULT_SERVER: &str = "ws://127.0.0.1:7171/ws";
/// How many notes are kept.
pub(crate) const NOTES_MAX: usize = 400;

/// The first square of every board.
pub(crate) const A1: Square = match Square::new(0, 0) {
    Some(square) => square,
    None => panic!("every board has a first square"),
};

/// How the client is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The server's address, as a person types it.
    pub server: String,
    /// The file of a server's own authority, where one was named.
    pub authority_file: Option<PathBuf>,
    /// The name a new guest asks for.
    pub name: Option<String>,
    /// Which figures are on the pieces.
    pub numbering: Numbering,
    /// Whether one's own side is at the bottom.
    pub flip: bool,
    /// Where the credential is kept, for a person.
    pub credential_file: String,
    /// Whether colors are used.
    pub color: bool,
    /// Lines instead of a screen.
    pub plain: bool,
    /// The lines come from a pipe: they wait for the moment in which they can be carried out, and nothing is asked.
    pub scripted: bool,
    /// A program plays, with lines of its own: boards, moves and hints for a person are left out.
    pub is_program: bool,
}

impl Options {
    /// The server as a command line names it, where it is not the usual one, and whom it is to trust.
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

/// What the person wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// To play.
    Play(Wish),
    /// To watch this game, or one to be picked.
    Watch(Option<GameId>),
    /// A list of one's own and the public games.
    Games,
    /// To play on in the next game in which it is one's turn.
    Next,
    /// A prompt for the words of play by mail.
    Mail,
}

/// A game as the person wants it; what is not named does not matter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    /// How to find it.
    pub how: How,
    /// The ruleset's id.
    pub ruleset: Option<String>,
    /// The clock.
    pub time: Option<Time>,
    /// One's own side.
    pub side: Option<Side>,
    /// Only the two players see the game.
    pub private: bool,
    /// One's own deployment and the full record stay private after the end.
    pub secret: bool,
    /// The game changes both ratings.
    pub rated: bool,
    /// The ratings the other player may have.
    pub rating: Option<RatingWish>,
    /// The deployment to hand in at once.
    pub setup: Option<SetupChoice>,
}

impl Wish {
    /// The terms to offer: what the person named, else classic with ten minutes and five seconds per move.
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

    /// Whether somebody's offer is what the person wants.
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
    /// Take a fitting offer, or make one.
    #[default]
    Any,
    /// Wait in the pool to be paired.
    Pool,
    /// Against a house player of this level.
    Bot(String),
    /// Make an offer for whoever has its code.
    Challenge,
    /// Accept the offer with this code.
    Accept(String),
    /// Go on with this game.
    Game(GameId),
}

/// Which deployment to hand in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetupChoice {
    /// The army at random.
    Random,
    /// One of the client's own.
    Suggested,
    /// This text of §P4.
    Text(String),
}

/// The line to the server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Link {
    /// Being dialed, or waiting to be, for the n-th time since it was last up.
    Dialing {
        /// How often it came to no welcome since.
        failures: u32,
    },
    /// Up, and the hello is not answered yet.
    Greeting {
        /// How often it came to no welcome since it was last up.
        failures: u32,
    },
    /// Up.
    Online,
    /// Gone for good.
    Closed {
        /// Why.
        why: String,
    },
}

/// A credential or a seat that could not be saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsaved {
    /// Why, for a person.
    pub why: String,
    /// When it is tried again, by this machine's clock.
    pub again_at: u64,
}

/// What the server could not do when it was asked, and is asked for again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retry {
    /// How often it could not.
    pub refusals: u32,
    /// When it is asked again; none while it is on its way, or the line is down.
    pub at: Option<u64>,
}

/// A command that was sent and not answered yet: sent again, with the same id, on the next line.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    /// Its id.
    pub cmd_id: CommandId,
    /// The whole message.
    pub message: ClientToServer,
}

/// How the player waits in the pool.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PoolWait {
    /// As the server said last.
    pub status: PoolStatus,
    /// When a line was said about it last, by this machine's clock.
    pub told_at: u64,
}

/// Which page is on the screen.
#[derive(Clone, PartialEq, Debug)]
pub enum Page {
    /// Something is awaited: a headline and what to know meanwhile.
    Waiting {
        /// The headline.
        headline: String,
        /// More lines.
        lines: Vec<String>,
    },
    /// Something is to be picked.
    Choosing(Choices),
    /// A challenge's terms, to be accepted or not.
    Terms {
        /// The challenge's code.
        challenge: String,
        /// What it offers.
        lines: Vec<String>,
    },
    /// The open game.
    Game,
}

/// Everything the client knows.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// How the client is used.
    pub options: Options,
    /// What the person wants.
    pub goal: Goal,
    /// Random numbers.
    pub chance: Chance,
    /// Now, in milliseconds since 1970, by this machine's clock.
    pub now: u64,
    /// The server's clock minus this machine's.
    pub server_ahead_ms: i64,
    /// The line.
    pub link: Link,
    /// When the server was heard last on this line.
    pub heard_at: u64,
    /// Whether the server has sent a ping on this line, so that silence means something.
    pub is_pinged: bool,
    /// Whether a line was ever up.
    pub was_online: bool,
    /// Whether the server says that it does not reach its store.
    pub is_store_away: bool,
    /// The credential.
    pub token: Option<Secret>,
    /// Why the credential or the seat is not saved, and when it is tried again.
    pub unsaved: Option<Unsaved>,
    /// The commitments that were shown in games, those of earlier runs included.
    pub shown: BTreeMap<GameId, Shown>,
    /// Who one is.
    pub player: Option<Player>,
    /// One's games at the last welcome, to notice a new one.
    pub known_games: Option<Vec<GameId>>,
    /// Commands without an answer yet.
    pub pending: Vec<Pending>,
    /// How much was asked beside the line and is not answered yet.
    pub errands: usize,
    /// The lobby's offers and games.
    pub lobby: Option<(Vec<Seek>, Vec<GameSummary>)>,
    /// Offers that were refused to this player. The lobby may list one for a moment after it is gone.
    pub refused_seeks: BTreeSet<String>,
    /// One's own running games, as last told.
    pub own_games: Option<Vec<GameSummary>>,
    /// The same with what is urgent about them, where that was asked for.
    pub urgent_games: Option<OwnGames>,
    /// One's own offer in the lobby.
    pub seek: Option<String>,
    /// The latest challenge addressed to oneself that waits for an answer.
    pub invitation: Option<Invitation>,
    /// The line was lost since: the offer may be gone, which the lobby tells.
    pub is_seek_doubtful: bool,
    /// The names to which challenges are addressed that are on their way, by the ids of their commands.
    pub addressed: BTreeMap<String, String>,
    /// One's own challenge.
    pub challenge: Option<String>,
    /// What is on the screen.
    pub page: Page,
    /// The open game.
    pub game: Option<OpenGame>,
    /// The game that was asked for and has not come yet.
    pub opening: Option<GameId>,
    /// How the player waits in the pool, as the server said last.
    pub pool: Option<PoolWait>,
    /// What the server could not do for now.
    pub retry: Option<Retry>,
    /// The board is turned from the side on which it would be.
    pub is_turned: bool,
    /// The deployments that one's account keeps are on their way.
    pub is_loading_saved: bool,
    /// Nothing is asked for until they are there: one of them is to be handed in.
    pub is_waiting_for_saved: bool,
    /// Saved deployments: ruleset, name, text.
    pub saved: BTreeMap<String, BTreeMap<String, String>>,
    /// What was said, oldest first.
    pub notes: VecDeque<String>,
    /// How many of the notes have not been printed yet.
    pub notes_unsaid: usize,
    /// The question in the way.
    pub prompt: Option<Prompt>,
    /// The help is shown.
    pub is_help: bool,
    /// A line that waits for its moment (scripted).
    pub held_line: Option<String>,
    /// No more lines will come.
    pub is_input_over: bool,
    /// The last thing asked was refused.
    pub was_refused: bool,
    /// The record that is stepped through, where this is what the client is used for.
    pub replay: Option<Replay>,
    /// What is printed after the screen is gone.
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

    /// Now by the server's clock.
    #[must_use]
    pub fn server_now(&self) -> u64 {
        self.now.saturating_add_signed(self.server_ahead_ms)
    }

    /// Says something to the person.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = words::clean(&text.into());
        if !self.options.plain && self.notes.back() == Some(&text) {
            // The screen shows it already.
            return;
        }
        if self.notes.len() == NOTES_MAX {
            self.notes.pop_front();
        }
        self.notes.push_back(text);
        self.notes_unsaid = (self.notes_unsaid + 1).min(self.notes.len());
    }

    /// What was said and not printed yet.
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

    /// The person's wish, where he wants to play.
    #[must_use]
    pub fn wish(&self) -> Option<&Wish> {
        match &self.goal {
            Goal::Play(wish) => Some(wish),
            Goal::Watch(_) | Goal::Games | Goal::Next | Goal::Mail => None,
        }
    }

    /// Whether one's saved deployments are kept by the server: those of accounts are.
    #[must_use]
    pub fn is_account(&self) -> bool {
        let kind = self.player.as_ref().map(|player| player.kind);
        matches!(kind, Some(PlayerKind::Account | PlayerKind::Bot)) && !self.options.is_program
    }

    /// Whether one has ratings: accounts do, guests do not.
    #[must_use]
    pub fn has_rating(&self) -> bool {
        let kind = self.player.as_ref().map(|player| player.kind);
        matches!(kind, Some(PlayerKind::Account | PlayerKind::Bot))
    }

    /// Whether the next line can be taken (line-based mode): none is held and no command is on its way.
    #[must_use]
    pub fn is_ready_for_line(&self) -> bool {
        let is_waiting = !self.pending.is_empty() || self.errands > 0;
        !self.is_input_over && self.held_line.is_none() && !(self.options.scripted && is_waiting)
    }
}
