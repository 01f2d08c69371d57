//! The errors of opening a store.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
pub enum EmbeddedOpenError {
    /// The store is in use by another process. `holder` describes that process, if it is known.
    #[error("the store in {folder} is in use by another process ({holder}): stop that one first")]
    Locked { folder: PathBuf, holder: String },
    #[error("the store in {folder} holds {what}: it was written by a newer version of this program")]
    Newer { folder: PathBuf, what: String },
    /// The folder has the old layout and cannot be converted.
    #[error(
        "the store in {folder} was written by an earlier version of this program and cannot be \
         converted: {why}. Start it once with the version that wrote it, which mends what it can, or \
         export it with that version and import it with this one"
    )]
    Convert { folder: PathBuf, why: String },
    /// The disk became full while a folder of the old layout was converted.
    #[error(
        "the disk of {folder} has no room to convert the store in it, which was written by an earlier \
         version of this program: {why}. Make room, then start again: what was there before is untouched"
    )]
    NoRoomToConvert { folder: PathBuf, why: String },
    /// The folder contains a log, and a database of the old layout that was not converted.
    #[error(
        "{folder} holds two stores: the log in {folder}/log, and a database in {folder}/db, which version \
         0.1 of this program began later. Move `db`, `mirror` and `witness` into a folder of their own. \
         Then this folder goes on with the log, and the other one can be opened too"
    )]
    TwoStores { folder: PathBuf },
    #[error(
        "the disk of {folder} is full ({free_mib} MiB are free), and to open the store needs {least_mib} MiB"
    )]
    DiskFull { folder: PathBuf, free_mib: u64, least_mib: u64 },
    /// The disk became full while the store was opened.
    #[error(
        "the disk of {folder} has no room to open the store: {why}. Make room, then start again: nothing \
         that was acknowledged is lost"
    )]
    NoRoom { folder: PathBuf, why: String },
    #[error("the store in {folder} cannot be opened: {source}")]
    Io { folder: PathBuf, source: io::Error },
    /// Acknowledged changes are missing, and it is unknown which games are affected.
    #[error(
        "the store in {folder} has lost acknowledged changes, and nothing tells which games they belong to \
         ({what}). Restore a better copy of the whole folder, or accept the loss: what is whole goes on, \
         games that are seen to be short are kept apart, and a new epoch begins"
    )]
    LostTail { folder: PathBuf, what: String },
    /// The index cannot be used and cannot be rebuilt.
    #[error("the index of the store in {folder} cannot be used: {why}")]
    Index { folder: PathBuf, why: String },
}

impl EmbeddedOpenError {
    /// Returns a function for `map_err` that adds the store's folder to an I/O error.
    pub(super) fn io(folder: &Path) -> impl Fn(io::Error) -> EmbeddedOpenError + Copy {
        move |source| EmbeddedOpenError::Io { folder: folder.to_owned(), source }
    }

    /// Replaces the folder in the error with the one that the operator named.
    pub(super) fn in_folder(mut self, named: &Path) -> EmbeddedOpenError {
        let (EmbeddedOpenError::Locked { folder, .. }
        | EmbeddedOpenError::Newer { folder, .. }
        | EmbeddedOpenError::Convert { folder, .. }
        | EmbeddedOpenError::NoRoomToConvert { folder, .. }
        | EmbeddedOpenError::TwoStores { folder }
        | EmbeddedOpenError::DiskFull { folder, .. }
        | EmbeddedOpenError::NoRoom { folder, .. }
        | EmbeddedOpenError::Io { folder, .. }
        | EmbeddedOpenError::LostTail { folder, .. }
        | EmbeddedOpenError::Index { folder, .. }) = &mut self;
        named.clone_into(folder);
        self
    }
}
