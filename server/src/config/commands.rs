//! The subcommands of the program.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use flagfall_board::GameId;

use super::values::socket_address;

/// What the program does instead of serving.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Check, back up, restore, export, import or clean up a store. The server's own flags name the
    /// store; no server is started.
    #[command(subcommand)]
    Store(StoreCommand),
    /// Read reports, close and reopen accounts, take back what games did to ratings. Every act is
    /// logged. Works on the store that the server's own flags name: on a Redis while servers run,
    /// on a data folder while its server is stopped.
    #[command(subcommand)]
    Operator(OperatorCommand),
    /// Ask a running server for its health. Prints the answer and ends with 0 if the server is
    /// well; ends with 1 if it is not or does not answer. For health checks of containers and
    /// services.
    Health {
        /// Address the server listens on. Without it, --listen or FLAGFALL_LISTEN of the server
        /// itself.
        #[arg(id = "health-listen", long = "listen", value_name = "ADDRESS:PORT",
              value_parser = socket_address)]
        listen: Option<SocketAddr>,
    },
}

/// An operator's command about players.
#[derive(Subcommand, Clone, Debug)]
pub enum OperatorCommand {
    /// List what players have reported, oldest first.
    Reports,
    /// Close an account: nobody gets in with it, and its connections are closed.
    Close(OfPlayer),
    /// Open a closed account again.
    Reopen(OfPlayer),
    /// Take back what a game did to the ratings of its players, once: the current ratings are
    /// corrected, and the histories say so.
    Undo {
        /// The game's id.
        game: GameId,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Take back what all rated games of a player did to the ratings of both, each once.
    UndoAll(OfPlayer),
    /// List jobs that failed for good, and how many jobs of each kind wait.
    Jobs {
        /// Puts failed jobs back, or discards one.
        #[command(subcommand)]
        command: Option<JobsCommand>,
    },
    /// List what operators have done, oldest first.
    Log,
}

// Without a doc comment: each command has its own.
#[derive(Args, Clone, Debug)]
pub struct OfPlayer {
    /// The player's name.
    pub name: String,
    /// Why, for the log.
    #[arg(long)]
    pub reason: String,
}

/// An operator's command about jobs that failed for good.
#[derive(Subcommand, Clone, Debug)]
pub enum JobsCommand {
    /// Put a job back, so that a server tries it again within seconds.
    Retry {
        /// The job, as the list names it.
        #[arg(value_name = "KIND/ID", required_unless_present = "all")]
        job: Option<String>,
        /// All jobs that failed for good.
        #[arg(long, conflicts_with = "job")]
        all: bool,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Delete a job that failed for good: its work is never done. There is no way back.
    Discard {
        /// The job, as the list names it.
        #[arg(value_name = "KIND/ID")]
        job: String,
        /// Do it. Without this nothing is deleted.
        #[arg(long)]
        yes: bool,
        /// Why, for the log.
        #[arg(long)]
        reason: String,
    },
}

/// A maintenance command on a store.
#[derive(Subcommand, Clone, Debug)]
pub enum StoreCommand {
    /// Read every game and small record and say what is wrong, changing nothing. No server may be
    /// using the data folder. --data may also name a backup: its files are then checked.
    Check,
    /// Copy the data folder into another folder, best on another disk, while the server runs. The
    /// next backup into the same folder copies only what is new. A backup that is cut short leaves
    /// the one before. It contains what players must not see and the signing key.
    Backup {
        /// The folder: that of the backup before, or an empty or new one.
        folder: PathBuf,
    },
    /// Make a data folder from a backup: --data names it, and it must be empty or new. Every file
    /// is checked before anything is written. What happened after the backup is gone; clients load
    /// their games again, and no player's clock has run.
    Restore {
        /// The folder of the backup.
        backup: PathBuf,
    },
    /// Write the whole store to a file: what players must not see included. Stop the servers first.
    Export {
        /// The file; it must not be there yet. `-` is standard output.
        file: PathBuf,
    },
    /// Archive all games in a Redis that ended at least this long ago, including those that servers
    /// do not know to be due, such as games of an earlier version or imported ones. Servers may be
    /// running.
    Archive {
        /// How many days ago a game must have ended.
        #[arg(long, value_name = "DAYS", default_value_t = 30)]
        after_days: u32,
    },
    /// Delete what is past its time: guests who never played (--new-guest-days) and finished casual
    /// games without an account (--guest-game-days). Servers delete those of their own time by
    /// themselves; this looks through the whole store, so also through what version 0.1 wrote. On
    /// Redis, servers may be running.
    Prune {
        /// Count only; delete nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Import an exported store into an empty one, every entry and record as it was. Repeat it if
    /// it is cut short.
    Import {
        /// The file.
        file: PathBuf,
    },
}
