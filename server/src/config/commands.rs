//! The subcommands of the program.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use flagfall_board::GameId;
use flagfall_protocol::ReportState;
use flagfall_services::dump::Month;

use super::values::socket_address;

/// A command for the program to run instead of serving.
#[derive(Subcommand, Clone, Debug)]
pub enum Command {
    /// Check, back up, restore, export, import or clean up a store. The server's own flags name
    /// the store. This does not start a server.
    #[command(subcommand)]
    Store(StoreCommand),
    /// Publish games from the archive of finished games. The server's own flags name the store and
    /// the archive.
    #[command(subcommand)]
    Archive(ArchiveCommand),
    /// Read and decide reports, close and reopen accounts, undo the effects of games on ratings,
    /// and erase games. Every action is logged. The server's own flags name the store. Servers
    /// that use Redis may be running. A server with a data folder must be stopped first.
    #[command(subcommand)]
    Operator(OperatorCommand),
    /// Ask a running server for its health and print the answer. The exit code is 0 if the server
    /// is healthy, and 1 if it is not or does not answer. This is meant for health checks of
    /// containers and services.
    Health {
        /// Address that the server listens on. The default is the server's own --listen or
        /// FLAGFALL_LISTEN.
        #[arg(id = "health-listen", long = "listen", value_name = "ADDRESS:PORT",
              value_parser = socket_address)]
        listen: Option<SocketAddr>,
    },
}

/// A command on the archive of finished games.
#[derive(Subcommand, Clone, Debug)]
pub enum ArchiveCommand {
    /// Write a dump that can be published: the public records of a month's games, as lines of JSON.
    /// It contains games that ended at least seven days ago, without private and aborted games.
    /// Players appear under pseudonyms, unless they have chosen otherwise. A server with a data
    /// folder must be stopped first.
    Dump {
        /// The month, such as 2026-10.
        month: Month,
        /// The folder for the dump, its checksum and its description.
        folder: PathBuf,
    },
}

/// An operator's command about players.
#[derive(Subcommand, Clone, Debug)]
pub enum OperatorCommand {
    /// List the reports of players with their decisions, oldest first.
    Reports,
    /// Decide a report. The player who sent it can see the decision, but not the reason.
    Decide {
        /// The game's id.
        game: GameId,
        /// The name of the player who sent the report.
        #[arg(long, value_name = "NAME")]
        reporter: String,
        /// The decision.
        decision: Decision,
        /// The reason, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Close an account: its player can no longer log in, and its connections are closed. Open
    /// reports about the player are decided as `acted`.
    Close(OfPlayer),
    /// Reopen a closed account.
    Reopen(OfPlayer),
    /// Undo the effect of a game on the ratings of its players: correct their current ratings,
    /// and note this in their histories. A game can be undone only once.
    Undo {
        /// The game's id.
        game: GameId,
        /// The reason, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Erase a finished game: nobody can read it any more, and it cannot be recovered. The lists of
    /// its players show that it was erased. Its effect on ratings and statistics stays; to undo its
    /// effect on ratings, run `undo` first.
    Erase {
        /// The game's id.
        game: GameId,
        /// The reason, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Undo the effects of all of a player's rated games on ratings, both the player's own and
    /// the opponents'. Each game can be undone only once.
    UndoAll(OfPlayer),
    /// List jobs that failed permanently, and how many jobs of each kind are waiting.
    Jobs {
        /// Put failed jobs back, or discard one.
        #[command(subcommand)]
        command: Option<JobsCommand>,
    },
    /// List the actions of operators, oldest first.
    Log,
}

/// A decision about a report.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum Decision {
    /// You have taken measures.
    Acted,
    /// There is no reason to act.
    Nothing,
}

impl From<Decision> for ReportState {
    fn from(decision: Decision) -> ReportState {
        match decision {
            Decision::Acted => ReportState::Acted,
            Decision::Nothing => ReportState::Nothing,
        }
    }
}

// This struct has no doc comment, because clap would show it instead of the doc comments of the
// commands.
#[derive(Args, Clone, Debug)]
pub struct OfPlayer {
    /// The player's name.
    pub name: String,
    /// The reason, for the log.
    #[arg(long)]
    pub reason: String,
}

/// An operator's command about jobs that failed permanently.
#[derive(Subcommand, Clone, Debug)]
pub enum JobsCommand {
    /// Put a job back, so that a server tries it again within seconds.
    Retry {
        /// The job, as shown in the list.
        #[arg(value_name = "KIND/ID", required_unless_present = "all")]
        job: Option<String>,
        /// All jobs that failed permanently.
        #[arg(long, conflicts_with = "job")]
        all: bool,
        /// The reason, for the log.
        #[arg(long)]
        reason: String,
    },
    /// Delete a job that failed permanently, so that its work is never done. This cannot be
    /// undone.
    Discard {
        /// The job, as shown in the list.
        #[arg(value_name = "KIND/ID")]
        job: String,
        /// Confirm the deletion. Without this flag, nothing is deleted.
        #[arg(long)]
        yes: bool,
        /// The reason, for the log.
        #[arg(long)]
        reason: String,
    },
}

/// A maintenance command on a store.
#[derive(Subcommand, Clone, Debug)]
pub enum StoreCommand {
    /// Read all games and small records and the whole archive, and report errors, without changing
    /// anything. No server may be using the data folder. --data may also name a backup, in which
    /// case its files are checked.
    Check {
        /// Replay all games of the archive and check their signatures. Without this flag, about
        /// 1,000 games are replayed.
        #[arg(long)]
        all: bool,
    },
    /// Copy the data folder to another folder, ideally on another disk, while the server runs.
    /// The next backup to the same folder copies only new data. An interrupted backup leaves the
    /// previous one intact. A backup contains the hidden information of games and the signing
    /// key.
    Backup {
        /// The folder of the previous backup, or an empty or new folder.
        folder: PathBuf,
    },
    /// Create a data folder from a backup. --data names the new folder, which must be empty or not
    /// exist. Every file is checked before anything is written. Changes after the backup are lost.
    /// Clients load their games again. The time since the backup is not charged to any player's
    /// clock.
    Restore {
        /// The folder of the backup.
        backup: PathBuf,
    },
    /// Write the whole store to a file, including the hidden information of games. Stop the
    /// servers first.
    Export {
        /// The file to write, which must not exist yet. `-` is standard output.
        file: PathBuf,
    },
    /// Move all finished games to the archive (--archive), including games that servers do not
    /// move by themselves, such as games from an earlier version or imported games. For a Redis,
    /// this only lists the games, and servers move them.
    Archive,
    /// Delete expired data: guests who never played (--new-guest-days) and finished casual games in
    /// which no account played (--guest-game-days). Servers do this by themselves, except for data
    /// from version 0.1; this command searches the whole store. Servers that use Redis may be
    /// running.
    Prune {
        /// Count only; delete nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Import an exported store into an empty store, with every entry and record unchanged. If
    /// the import is interrupted, repeat it.
    Import {
        /// The file.
        file: PathBuf,
    },
}
