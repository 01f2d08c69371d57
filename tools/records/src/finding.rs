//! What a check has to say of a record.

use flagfall_board::{GameId, Ply};
use flagfall_protocol::Viewer;
use serde::Serialize;

use crate::signature::SignatureStatus;

macro_rules! codes {
    ($(#[$of:meta])* $name:ident { $($(#[$doc:meta])* $kind:ident = $code:literal,)+ }) => {
        $(#[$of])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {
            $($(#[$doc])* $kind,)+
        }

        impl $name {
            /// Every kind.
            pub const ALL: &[$name] = &[$($name::$kind,)+];

            /// The kind's code; stable.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $($name::$kind => $code,)+
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.code())
            }
        }
    };
}

codes! {
    /// A kind of falsehood.
    Falsehood {
        /// A field is missing, or does not have the form its place wants.
        Malformed = "malformed",
        /// The record is of another format than this program reads.
        Format = "format",
        /// The ruleset is unknown, or nobody may play with that clock.
        Terms = "terms",
        /// A player has no id, or a name that nobody can have.
        Players = "players",
        /// A stamp lies before the one ahead of it, or apart from the one it was written with.
        Stamp = "stamp",
        /// More of the network's delay is given back than the quota allows.
        Lag = "lag",
        /// A deployment is none of its ruleset (§A4).
        Setup = "setup",
        /// Lakes that no game of this ruleset has, or none where they are drawn (§U2).
        Lakes = "lakes",
        /// The position the game began with is none of its ruleset.
        Start = "start",
        /// What was opened is not what the player was told to have handed in last.
        Deployment = "deployment",
        /// An opened deployment and its salt do not have the hash that was published.
        Commitment = "commitment",
        /// The record and the start of the game tell different commitments.
        CommitmentsDiffer = "commitments_differ",
        /// A deployment is open that cannot be, or hidden that must be open, or the record and its end tell different ones.
        Opened = "opened",
        /// An event that this audience is never told.
        Viewer = "audience",
        /// The change of an event is missing or wrong.
        Change = "change",
        /// The view before the first event is missing or wrong.
        FirstView = "first_view",
        /// Something that cannot happen at this point of a game.
        Unexpected = "unexpected",
        /// Something that must follow is not told.
        Missing = "missing",
        /// A move against the rules.
        IllegalMove = "illegal_move",
        /// A strike where there was nothing to strike, or none where there was.
        Strike = "strike",
        /// A piece stays, advances or leaves against the rules.
        Fate = "fate",
        /// A rank that the piece does not have.
        Rank = "rank",
        /// A rank that this audience cannot know is told, or one that it was shown is not.
        Shown = "shown",
        /// Something happened after the time for it had run out.
        FlagFall = "flag_fall",
        /// Time is said to have run out, and had not.
        TimeLeft = "time_left",
        /// The game had ended here, and goes on in the record.
        NotEnded = "not_ended",
        /// The record ends the game by a rule that did not end it.
        EndedEarly = "ended_early",
        /// The wrong side is said to have won, or for the wrong reason.
        Outcome = "outcome",
        /// Something happened after the end.
        AfterEnd = "after_end",
        /// No deployment at all makes possible what the record tells.
        Impossible = "impossible",
        /// The signature is that of another game, or of the game told otherwise.
        Signature = "signature",
    }
}

codes! {
    /// A kind of fact that a record does not give enough of to check.
    UncheckedKind {
        /// A side's ranks, as far as they were not shown.
        Ranks = "ranks",
        /// A side's commitment.
        Commitment = "commitment",
        /// Whether deployments came in time.
        Deadline = "deadline",
        /// When things happened.
        Stamps = "stamps",
        /// An end that depends on ranks that were not opened.
        End = "end",
        /// Everything from some event on, for it depends on where pieces stand that were not told.
        Rest = "rest",
        /// Fields that this program does not know.
        Fields = "fields",
        /// Keys were given, and the record has no signature that they verify.
        Signature = "signature",
        /// A pause longer than a week: nothing but the server's word speaks for it.
        Pause = "pause",
    }
}

/// Something that is false in a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// What kind of falsehood.
    pub code: Falsehood,
    /// The place in the list of events, from 0, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<usize>,
    /// The ply, from 1: of the ply itself, or the last one before the event. 0 is before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// Why, for a person.
    pub detail: String,
}

/// Something that could not be checked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Unchecked {
    /// What kind of fact.
    pub code: UncheckedKind,
    /// What and why, for a person.
    pub detail: String,
}

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Everything the record tells is true of the game it tells.
    Good,
    /// What could be checked is true; the rest is named.
    Partly,
    /// Something is false.
    False,
}

/// What a check has to say of a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// How it came out.
    pub status: Status,
    /// The game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<GameId>,
    /// The ruleset's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruleset: Option<String>,
    /// To whom it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audience: Option<Viewer>,
    /// Plies in the record.
    pub plies: usize,
    /// Plies that were replayed and found true.
    pub plies_checked: usize,
    /// How the game ended, as the record says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the end is somebody's decision and no consequence of the board or the clock: possible here, and taken on trust.
    pub on_trust: bool,
    /// What is known of the server's signature, where the record has one or keys were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<SignatureStatus>,
    /// What is false: facts of the whole record first, then the first false event.
    pub findings: Vec<Finding>,
    /// What could not be checked.
    pub unchecked: Vec<Unchecked>,
}
