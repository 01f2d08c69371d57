//! The messages between client and server. Everything that the server sends about a game is built
//! from views, which contain only what the recipient may see.
//!
//! The WebSocket at `/ws` carries JSON: [`ClientToServer`] to the server and [`ServerToClient`]
//! to the client. HTTP responses and game records use the same types.

mod account;
mod chat;
mod client_to_server;
mod code;
mod deployment;
mod email;
mod exit;
mod history;
mod invitation;
mod lobby;
mod own_games;
mod parse;
mod player;
mod preferences;
mod push;
mod queue;
mod rating;
mod rating_range;
mod record;
mod refusal;
mod ruleset_data;
mod schema;
mod secret;
mod server_to_client;
mod terms;
mod text;
mod webhook;

/// The types of views, from which messages and records are built.
pub use flagfall_view::{Claim as ClaimedResult, *};

pub use account::{
    AccountExport, BlockList, Conduct, Confirmation, DumpListing, DumpSetting, LoggedIn, Login, MadeToken,
    Me, NewPassword, NewRecoveryCode, NewSession, NewToken, OwnReport, OwnReports, PASSWORD_LEN_MAX,
    PASSWORD_LEN_MIN, Profile, Recover, Recovered, ReportState, Scope, SessionInfo, SignUp, SignedUp,
    TokenInfo, TokenList,
};
pub use chat::{Phrase, Said, is_printable};
pub use client_to_server::{
    ClientMessage, ClientToServer, CommandId, CommandIdError, EventPosition, GameCommand,
};
pub use code::{CloseCode, Code};
pub use deployment::{SaveDeployment, SavedDeployment, SavedDeployments, SuggestedDeployments};
pub use email::{EMAIL_LEN_MAX, EmailInfo, EmailSetting, EmailState, MailLanguage, NewEmail};
pub use exit::Exit;
pub use history::{
    DeploymentTally, HeadToHead, PlayedGame, PlayedGames, RulesetStatistics, RulesetTally, Statistics, Tally,
};
pub use invitation::{Invitation, Invitations, Invite};
pub use lobby::{
    BriefSeek, GameProgress, GameSummary, LobbyChange, LobbyFilter, LobbyLists, PlacedGame, Seek,
};
pub use own_games::{OwnGame, OwnGames};
pub use parse::{Malformed, parse_message};
pub use player::{Player, PlayerKind};
pub use preferences::{
    ChangePreferences, PREFERENCE_NAME_LEN_MAX, PREFERENCE_VALUE_LEN_MAX, PREFERENCES_MAX, Preferences,
};
pub use push::{NewPush, PushInfo, PushKey, RemovePush};
pub use queue::{MoveQueue, NewQueue, QueuedMove};
pub use rating::{
    GameScore, Leaderboard, LeaderboardEntry, RatedGame, RatingChange, RatingHistory, RatingInfo,
    RatingPoint, Speed,
};
pub use rating_range::{RatingRange, RatingWish};
pub use record::{
    DIGEST_VERSION, GameRecord, Imported, NotOpened, RECORD_FORMAT, RecordKind, RecordScope, RecordSignature,
    RecordedEvent, Recorder, SigningKeyInfo, SigningKeys, key_id, signed_message,
};
pub use refusal::{Refusal, RefusalArg, RefusalArgs};
pub use ruleset_data::{
    BombsInfo, DisclosureInfo, DrawnLakes, HousePlayerInfo, LakesInfo, RulesetData, StartInfo, TiesInfo,
};
pub use schema::{SCHEMAS, Schema};
pub use secret::Secret;
pub use server_to_client::{
    Abort, Accepted, GameHead, PoolStatus, Presence, RuleOptionInfo, RuleValueInfo, RulesetInfo,
    ServerMessage, ServerToClient,
};
pub use terms::{Terms, Time};
pub use text::SignatureText;
pub use webhook::{
    Feed, FeedItem, MadeFeed, NewWebhook, Notice, NoticeKind, WebhookAttempt, WebhookInfo, WebhookSet,
};

/// The version of the protocol. A client sends its version in its hello, and the server refuses
/// every other version.
pub const PROTOCOL_VERSION: u32 = 1;

/// True if the field has its default value, so that a message may omit it.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
