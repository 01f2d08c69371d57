//! Arguments of the commands about saved deployments.

use std::path::PathBuf;

use clap::Subcommand;

#[derive(Clone, Debug, Subcommand)]
pub enum DeploymentsCommand {
    List {
        #[arg(long)]
        json: bool,
    },
    Show {
        ruleset: String,
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
    },
    Save {
        ruleset: String,
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
        setup: String,
    },
    #[command(visible_alias = "delete")]
    Remove {
        ruleset: String,
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
    },
    Export {
        #[arg(value_name = "FILE")]
        out: Option<PathBuf>,
    },
    Import {
        /// The file; `-` for standard input.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}
