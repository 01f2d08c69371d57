//! The archive: finished games that are kept permanently, in few bytes.
//!
//! [`Archive`] keeps any number of games in an [`ArchiveStore`], which is a local folder
//! ([`FolderStore`]) or S3-compatible storage ([`ObjectStoreArchive`]). Several servers can use it
//! at the same time. The rest of the crate is the format of a game and of the objects.
//!
//! [`encode`] turns the log of a game into a few hundred bytes, and [`decode`] turns the bytes
//! into a log again. The decoded log has the same events, stamps and lag compensation. It has no
//! ids of commands and no names of players, and all its entries are in form 2. So its hashes
//! differ from those of the log, but the bytes contain the head of the log's own hash chain.
//!
//! [`encode_checked`] also decodes, replays and compares the result. A caller that wants to delete
//! a log must use it.
//!
//! Many games together are a segment ([`SegmentWriter`], [`Segment`]), which is an object of the
//! store.
//!
//! docs/internals/archive.md describes every byte. In short, a move is its index in the engine's
//! list of legal commands, and everything that follows from the rules is left out. So the bytes
//! can be read only by an engine with the same rules. A checksum covers the decoded events as
//! well as the bytes: an engine that decodes a game differently reports an error.
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
pub use self::objects::{ArchiveStore, ObjectError, ObjectName, ObjectNameError, ObjectResult};
pub use self::remote::{ObjectStoreArchive, RemoteError};
pub use self::segment::{
    BYTES_MAX, GAMES_MAX, Place, Segment, SegmentError, SegmentWriter, check as check_segment, read_at,
};
