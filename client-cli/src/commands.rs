//! The subcommands.

mod account;
mod deployments;
mod email;
mod games;
mod manual;
mod output;
mod password;
mod play;
mod record;
mod settings;
mod webhooks;

use std::io::{self, IsTerminal};

use flagfall::cli::help::EXAMPLE_REQUEST;
use flagfall::cli::{
    Cli, Command, Common, DeploymentsCommand, RecordArgs, RecordSource, SettingsCommand, TokensCommand,
};
use flagfall::model::Goal;
use flagfall::net::address::Address;
use flagfall::settings::Settings;
use flagfall::{explain, text, umpire};
use flagfall_referee::RulesetFacts;
use flagfall_rules::Ruleset;

pub(crate) use output::{CommandError, warn};
use output::{Done, find_ruleset, print, print_as_it_is, print_json, usage, written};
use play::{Guest, bot, converse, play, seek, stop_signals};
use record::{record, show_record};
pub(crate) use settings::failure as settings_failure;

pub(crate) fn run(cli: Cli, settings: &Settings) -> Done {
    let Cli { command, common } = cli;
    match command {
        Command::Play(args) => play(args, common),
        Command::Seek(args) => seek(args, common),
        Command::Watch { game } => converse(Goal::Watch(game), common, Guest::Own),
        Command::Games { json: true } => games::print_games(common),
        Command::Games { json: false } => {
            let common = Common { plain: true, ..common };
            converse(Goal::Games, common, Guest::Shared)
        }
        Command::Next => converse(Goal::Next, common, Guest::Shared),
        Command::Mail => {
            let common = Common { plain: true, ..common };
            converse(Goal::Mail, common, Guest::Shared)
        }
        Command::Record(RecordArgs { source, scope, json, text, out, step }) => {
            let shows_text = json || text || out.is_some() || !io::stdout().is_terminal();
            match source {
                RecordSource::Game(game) => record(game, scope, json, out.as_deref(), step, common),
                RecordSource::File(_) if scope.is_some() => Err(usage(text!("record-as-file"))),
                RecordSource::File(path) => {
                    let told = flagfall::records::read_record(&path).map_err(usage)?;
                    let address = Address::parse_all(&common.server).map_err(usage)?.first;
                    show_record(told, json, out.as_deref(), step || !shows_text, &address, &common)
                }
            }
        }
        Command::Check(args) => written(flagfall::records::check(&args, &mut io::stdout().lock())),
        Command::Convert(args) => print_as_it_is(&flagfall::records::convert(&args).map_err(usage)?),
        Command::Rules { ruleset: None, json: true } => {
            let rulesets = Ruleset::all().iter().map(|ruleset| RulesetFacts::of(ruleset));
            print_json(&rulesets.collect::<Vec<_>>())
        }
        Command::Rules { ruleset: Some(id), json: true } => {
            print_json(&[RulesetFacts::of(find_ruleset(&id)?)])
        }
        Command::Rules { ruleset: None, json: false } => print(&explain::list()),
        Command::Rules { ruleset: Some(id), json: false } => {
            print(&explain::ruleset(find_ruleset(&id)?, common.numbers.into()))
        }
        Command::Umpire(args) => umpire::umpire(*args, stop_signals).map_err(usage),
        Command::Bot(args) => bot(*args, common),
        Command::Deployments { command } => {
            deployments::run(command.unwrap_or(DeploymentsCommand::List { json: false }), common)
        }
        Command::Referee => referee(),
        Command::Signup(args) => account::sign_up(args, common),
        Command::Login(args) => account::log_in(args, common),
        Command::Logout => account::log_out(common),
        Command::Whoami { json } => account::who_am_i(json, common),
        Command::Leaderboard(args) => account::leaderboard(&args, common),
        Command::Profile(args) => account::profile(&args, common),
        Command::History(args) => account::history(args, common),
        Command::Stats { json } => account::statistics(json, common),
        Command::Block { player } => account::block(&player, true, common),
        Command::Unblock { player } => account::block(&player, false, common),
        Command::Blocks { json } => account::blocks(json, common),
        Command::Webhook { command } => webhooks::webhook(command, common),
        Command::Email { command } => email::email(command, common),
        Command::Feed { remove } => webhooks::feed(remove, common),
        Command::Tokens { command } => {
            account::tokens(command.unwrap_or(TokensCommand::List { json: false }), common)
        }
        Command::Recover { account } => account::recover(account, common),
        Command::Account { command } => account::account(command, common),
        Command::Settings { command } => {
            settings::run(command.unwrap_or(SettingsCommand::List { json: false }), settings)
        }
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { folder } => manual::pages(&folder),
    }
}

fn referee() -> Done {
    if io::stdin().is_terminal() {
        warn(&text!("referee-hint", request = EXAMPLE_REQUEST))?;
    }
    flagfall_referee::serve_standard().map(|()| 0).map_err(usage)
}
