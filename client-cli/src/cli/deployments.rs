//! Arguments of the commands about saved deployments.

use std::path::PathBuf;

use clap::Subcommand;

/// What to do with saved deployments.
#[derive(Clone, Debug, Subcommand)]
pub enum DeploymentsCommand {
    /// List them.
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print one.
    Show {
        /// The ruleset's id.
        ruleset: String,
        /// Its name.
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
    },
    /// Save one.
    Save {
        /// The ruleset's id.
        ruleset: String,
        /// Its name.
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
        /// A file, or the text itself.
        setup: String,
    },
    /// Remove one.
    #[command(visible_alias = "delete")]
    Remove {
        /// The ruleset's id.
        ruleset: String,
        /// Its name.
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
    },
    /// Write all of them as JSON: ruleset, name, text.
    Export {
        /// Into this file instead of the terminal.
        #[arg(value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Save all deployments of such a file.
    Import {
        /// The file; `-` for standard input.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}
