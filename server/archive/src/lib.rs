//! The archive, which permanently keeps finished games in a few hundred bytes each.
//!
//! [`Archive`] keeps any number of games in an [`ArchiveStore`], which is a local folder
//! ([`FolderStore`]) or S3-compatible storage ([`ObjectStoreArchive`]). Several servers can use
//! an archive at the same time. The rest of the crate implements the format of games and objects.
//!
//! [`encode`] turns the log of a game into a few hundred bytes, and [`decode`] turns the bytes
//! into a log again. The decoded log has the same events, stamps and lag compensation. It has no
//! ids of commands and no names of players, and all its entries are in form 2. So its hashes
//! differ from those of the original log. But the bytes contain the head of the original log.
//!
//! [`encode_checked`] also decodes and replays the result, and compares it with the log. Call it
//! before a log is deleted.
//!
//! A segment ([`SegmentWriter`], [`Segment`]) is an object that contains many games.
//!
//! docs/internals/archive.md describes every byte. In short, a move is stored as its index in the
//! engine's list of legal commands, and everything that follows from the rules is left out. So
//! only an engine with the same rules can read the bytes. A checksum covers both the bytes and
//! the decoded events, so an engine that decodes a game differently reports an error.
//!
//! The bytes contain hidden ranks. Protect them like the store.

mod act;
mod archive;
mod archived_store;
mod arrangement;
mod binary;
mod bytes;
mod check;
mod error;
mod folder;
mod frame;
mod front;
mod game;
mod known;
mod objects;
mod plain;
mod remote;
mod segment;

pub use self::archive::{
    Archive, ArchiveError, Check, Damage, Examine, Found, Location, LocationError, Page, Report, Settings,
    Tidied,
};
pub use self::archived_store::ArchivedStore;
pub use self::check::encode_checked;
pub use self::error::{DecodeError, Refused};
pub use self::folder::FolderStore;
pub use self::frame::{archived_signature, decode, encode};
pub use self::game::{Encoded, Log};
pub use self::known::KnownArchive;
pub use self::objects::{ArchiveStore, ObjectError, ObjectName, ObjectNameError, ObjectResult};
pub use self::remote::{ObjectStoreArchive, RemoteError};
pub use self::segment::{
    BYTES_MAX, GAMES_MAX, Place, Segment, SegmentError, SegmentWriter, check as check_segment, read_at,
};
