//! Why a store is not backed up or restored.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::embedded::error::EmbeddedOpenError;

/// Why a store is not backed up or restored.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The data folder holds no store.
    #[error("there is no store in {folder}, or no server of this version has opened it yet")]
    NoStore {
        /// The data folder.
        folder: PathBuf,
    },
    /// The store is damaged at its end.
    #[error(
        "the log in {folder} is shorter than what was acknowledged. The backup of before stays as it \
         is. `flagfall-server store check` says more"
    )]
    Short {
        /// The data folder.
        folder: PathBuf,
    },
    /// Segments were compacted again and again before they were copied.
    #[error("parts of the log in {folder} were gone before they were copied: repeat the command")]
    Moving {
        /// The data folder.
        folder: PathBuf,
    },
    /// One of two folders lies in the other.
    #[error("{inner} is the folder {outer} itself or lies in it: name another place")]
    Inside {
        /// The folder that should lie elsewhere.
        inner: PathBuf,
        /// The other folder.
        outer: PathBuf,
    },
    /// The target holds something else than a backup.
    #[error("{file} belongs to no backup: name an empty or new folder")]
    Foreign {
        /// What was found there.
        file: PathBuf,
    },
    /// The target holds the backup of another store.
    #[error("{folder} holds the backup of another store: name an empty or new folder")]
    OtherStore {
        /// The target.
        folder: PathBuf,
    },
    /// The backup has more than the store.
    #[error(
        "the backup in {folder} has more than the store, which seems to be an older copy: restore the \
         backup, or name another folder"
    )]
    Older {
        /// The target.
        folder: PathBuf,
    },
    /// Another process works there.
    #[error("{folder} is in use by another process: wait until that one has ended")]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// There is no complete backup.
    #[error("there is no complete backup in {folder}")]
    NoBackup {
        /// The folder.
        folder: PathBuf,
    },
    /// The backup has a form that this program does not know.
    #[error("the backup in {folder} was made by a newer version of this program (form {form})")]
    Newer {
        /// The folder.
        folder: PathBuf,
        /// The form.
        form: u32,
    },
    /// Files of the backup are not as they were written.
    #[error("the backup in {folder} is damaged: {what}")]
    Damaged {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with which files.
        what: String,
    },
    /// The folder to restore into holds something.
    #[error("{folder} is not empty: name an empty or new folder with --data")]
    NotEmpty {
        /// The folder.
        folder: PathBuf,
    },
    /// The file system refuses.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl BackupError {
    /// For `map_err`: the file system refuses something about this path.
    pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> BackupError {
        let path = path.to_owned();
        move |source| BackupError::Io { path: path.clone(), source }
    }

    /// For `map_err`: a folder cannot be locked.
    pub(super) fn of_lock(error: EmbeddedOpenError) -> BackupError {
        match error {
            EmbeddedOpenError::Locked { folder, .. } => BackupError::Locked { folder },
            EmbeddedOpenError::Io { folder, source } => BackupError::Io { path: folder, source },
            other => BackupError::Io { path: PathBuf::new(), source: io::Error::other(other) },
        }
    }
}
