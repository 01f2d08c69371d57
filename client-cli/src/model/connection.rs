//! The connection to the server, and who the player is there.

use flagfall_protocol::{ClientToServer, CommandId, Player, Secret};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Connection {
    pub link: Link,
    /// Failed attempts to connect since the last welcome.
    pub failures: u32,
    /// When the server was last heard on this connection.
    pub heard_at: u64,
    /// True if the server has sent a ping on this connection. Only then does silence mean
    /// something.
    pub is_pinged: bool,
    /// True if the client was ever welcomed.
    pub was_online: bool,
    /// True if the server says that it cannot reach its store.
    pub is_store_away: bool,
    /// After how many seconds of absence a short game can be claimed, according to the server.
    pub claim_seconds: Option<u64>,
    pub pending: Vec<Pending>,
    /// Number of HTTP requests without an answer.
    pub requests: usize,
    /// The request that the server could not carry out, and when to repeat it.
    pub retry: Option<Retry>,
}

/// Who the player is on the server.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Login {
    pub token: Option<Secret>,
    /// The player, once the server has welcomed them.
    pub player: Option<Player>,
    /// Why the credential or the seat is not saved, and when to try again.
    pub unsaved: Option<Unsaved>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Link {
    /// Connecting, or waiting to connect.
    #[default]
    Dialing,
    /// Connected; the hello is not answered yet.
    Greeting,
    Online,
    /// Closed for good.
    Closed,
}

/// A request that the server could not carry out and that is repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retry {
    pub refusals: u32,
    /// When to ask again. `None` while a request is under way or the connection is down.
    pub at: Option<u64>,
}

/// A command without an answer. It is sent again with the same id on the next connection.
#[derive(Clone, PartialEq, Debug)]
pub struct Pending {
    pub cmd_id: CommandId,
    pub message: ClientToServer,
}

/// Why a credential or a seat could not be saved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsaved {
    pub why: String,
    /// When to try again, by this machine's clock.
    pub again_at: u64,
}
