//! The subcommands.

mod account;
mod deployments;
mod output;
mod password;
mod play;
mod record;
mod webhooks;

use std::io::{self, IsTerminal, Write};

use flagfall::cli::{Cli, Command, Common, DeploymentsCommand, RecordSource, TokensCommand};
use flagfall::model::Goal;
use flagfall::net::address::Address;
use flagfall::{explain, umpire};

pub(crate) use output::CommandError;
use output::{find_ruleset, print, print_as_it_is, usage, written};
use play::{Guest, bot, converse, play, seek, stop_signals};
use record::{record, show_record};

pub(crate) fn run(cli: Cli) -> Result<u8, CommandError> {
    let Cli { command, common } = cli;
    match command {
        Command::Play(args) => play(args, common),
        Command::Seek(args) => seek(args, common),
        Command::Watch { game } => converse(Goal::Watch(game), None, common, Guest::Own),
        Command::Games => {
            let common = Common { plain: true, ..common };
            converse(Goal::Games, None, common, Guest::Shared)
        }
        Command::Next => converse(Goal::Next, None, common, Guest::Shared),
        Command::Mail => {
            let common = Common { plain: true, ..common };
            converse(Goal::Mail, None, common, Guest::Shared)
        }
        Command::Record { source, scope, json, text, out, step } => {
            let shows_text = json || text || out.is_some() || !io::stdout().is_terminal();
            match source {
                RecordSource::Game(game) => record(game, scope, json, out.as_deref(), step, common),
                RecordSource::File(_) if scope.is_some() => {
                    Err(usage("--as needs the id of a game on a server: a file has one record"))
                }
                RecordSource::File(path) => {
                    let told = flagfall::records::read_record(&path).map_err(usage)?;
                    let address = Address::parse_all(&common.server).map_err(usage)?.first;
                    show_record(told, json, out.as_deref(), step || !shows_text, &address, &common)
                }
            }
        }
        Command::Check(args) => written(flagfall::records::check(&args, &mut io::stdout().lock())),
        Command::Convert(args) => print_as_it_is(&flagfall::records::convert(&args).map_err(usage)?),
        Command::Rules { ruleset: None } => print(&explain::list()),
        Command::Rules { ruleset: Some(id) } => {
            print(&explain::ruleset(find_ruleset(&id)?, common.numbers.into()))
        }
        Command::Umpire(args) => umpire::umpire(*args, stop_signals).map_err(usage),
        Command::Bot(args) => bot(*args, common),
        Command::Deployments { command } => {
            deployments::run(command.unwrap_or(DeploymentsCommand::List), common)
        }
        Command::Referee => referee(),
        Command::Signup(args) => account::sign_up(args, common),
        Command::Login(args) => account::log_in(args, common),
        Command::Logout => account::log_out(common),
        Command::Whoami => account::who_am_i(common),
        Command::Leaderboard(args) => account::leaderboard(&args, common),
        Command::Profile(args) => account::profile(&args, common),
        Command::History(args) => account::history(args, common),
        Command::Stats => account::statistics(common),
        Command::Block { player } => account::block(&player, true, common),
        Command::Unblock { player } => account::block(&player, false, common),
        Command::Blocks => account::blocks(common),
        Command::Webhook { command } => webhooks::webhook(command, common),
        Command::Feed { remove } => webhooks::feed(remove, common),
        Command::Tokens { command } => account::tokens(command.unwrap_or(TokensCommand::List), common),
        Command::Recover { account } => account::recover(account, common),
        Command::Account { command } => account::account(command, common),
    }
}

fn referee() -> Result<u8, CommandError> {
    if io::stdin().is_terminal() {
        let hint =
            "A JSON request a line, for example {\"type\":\"about\"}; the end of the input (Ctrl-D) ends it.";
        drop(writeln!(io::stderr(), "{hint}"));
    }
    flagfall_referee::serve_standard().map(|()| 0).map_err(usage)
}
