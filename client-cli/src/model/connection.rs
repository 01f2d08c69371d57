//! The connection to the server, and the player's login.

use std::collections::BTreeSet;

use flagfall_board::GameId;
use flagfall_protocol::{ClientToServer, CommandId, Player, Secret};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Connection {
    pub link: Link,
    /// Failed attempts to connect since the last welcome.
    pub failures: u32,
    /// The time of the latest message on this connection.
    pub heard_at: u64,
    /// True if the server has sent a ping on this connection. Without pings, silence is no sign
    /// of a broken connection.
    pub is_pinged: bool,
    /// True if the server has ever welcomed this client.
    pub was_online: bool,
    /// True if the server reported that it cannot reach its store.
    pub is_store_away: bool,
    /// The games that are in parts of the store that the server cannot reach, as the server
    /// reported.
    pub standing_still: BTreeSet<GameId>,
    /// The number of seconds that a player must be absent before the opponent can claim a short
    /// game, as sent by the server.
    pub claim_seconds: Option<u64>,
    /// True if the server can send changes of the lobby instead of the whole lobby.
    pub has_lobby_changes: bool,
    /// The public address of the server's page, if the server has sent it.
    pub page_url: Option<String>,
    pub pending: Vec<Pending>,
    /// Number of HTTP requests without an answer.
    pub requests: usize,
    /// The state of the request that is being repeated, if any.
    pub retry: Option<Retry>,
}

impl Connection {
    /// Returns the link to a challenge on the server's page, if its address is known.
    pub fn challenge_link(&self, code: &str) -> Option<String> {
        self.page_url.as_ref().map(|url| format!("{url}/challenge#{code}"))
    }
}

/// The player's identity on the server.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Login {
    pub token: Option<Secret>,
    /// The player, once the server has welcomed them.
    pub player: Option<Player>,
    /// Set if the credential or the seat could not be saved.
    pub unsaved: Option<Unsaved>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Link {
    /// Connecting, or waiting to connect.
    #[default]
    Dialing,
    /// Connected; the server has not answered the hello yet.
    Greeting,
    Online,
    /// Permanently closed.
    Closed,
}

/// A request that the server could not carry out and that the client repeats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retry {
    pub refusals: u32,
    /// The time at which to send the request again. `None` while the client waits for an answer
    /// or the connection is down.
    pub at: Option<u64>,
}

/// A command without an answer. The client sends it again on the next connection, with the same
/// id.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    pub cmd_id: CommandId,
    pub message: ClientToServer,
}

/// Why a credential or a seat could not be saved, and the time of the next attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsaved {
    pub why: String,
    /// The time of the next attempt, by this machine's clock.
    pub again_at: u64,
}
