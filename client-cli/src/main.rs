//! `flagfall`: the subcommands, and the terminal and files around the library of the same name.

mod account;
mod deployments;
mod password;
mod screen;
mod webhooks;

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use flagfall::address::Address;
use flagfall::cli::{
    Cli, Command, Common, DeploymentsCommand, PlayArgs, SeekArgs, TokensCommand, WishArgs,
    with_small_commands,
};
use flagfall::config::ConfigDir;
use flagfall::dial::Dialer;
use flagfall::model::{Face, Goal, How, Message, Model, Options, Page, Secret, SetupChoice, Wish};
use flagfall::random::Random;
use flagfall::records::RecordSource;
use flagfall::replay::Replay;
use flagfall::shell::Shell;
use flagfall::umpire::BotArgs;
use flagfall::update;
use flagfall::{commitments, explain, http, names, plain, setups, umpire, words};
use flagfall_board::{GameId, Side};
use flagfall_protocol::{Exit, GameRecord, RECORD_FORMAT, RecordScope};
use flagfall_rules::Ruleset;
use tokio::sync::mpsc;

/// An error that ends the program, with its message.
struct CommandError {
    code: Exit,
    message: String,
}

fn usage(error: impl std::fmt::Display) -> CommandError {
    CommandError { code: Exit::Usage, message: error.to_string() }
}

fn network(error: impl std::fmt::Display) -> CommandError {
    CommandError { code: Exit::Network, message: error.to_string() }
}

fn storage(error: impl std::fmt::Display) -> CommandError {
    CommandError { code: Exit::Storage, message: error.to_string() }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(with_small_commands(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors.
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            drop(error.print());
            return ExitCode::from(code.code());
        }
    };
    match run(cli) {
        Ok(code) => ExitCode::from(code),
        Err(CommandError { code, message }) => {
            drop(writeln!(io::stderr(), "flagfall: {}", words::clean(&message)));
            ExitCode::from(code.code())
        }
    }
}

fn run(cli: Cli) -> Result<u8, CommandError> {
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

/// Handles the result of writing output. A closed pipe is not an error.
fn written(result: io::Result<u8>) -> Result<u8, CommandError> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        other => other.map_err(storage),
    }
}

/// Prints text for the user, without characters that control the terminal.
fn print(text: &str) -> Result<u8, CommandError> {
    print_as_it_is(&flagfall::shell::folded(&words::clean(text), flagfall::shell::terminal_columns()))
}

/// Prints output for programs, such as JSON.
fn print_as_it_is(text: &str) -> Result<u8, CommandError> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush()).map(|()| Exit::Done.code()))
}

/// Writes a file that the user asked for, and reports it.
fn write_file(path: &Path, text: String) -> Result<u8, CommandError> {
    fs::write(path, text).map_err(|error| storage(format!("{}: {error}", path.display())))?;
    print(&format!("Written to {}.\n", path.display()))
}

fn referee() -> Result<u8, CommandError> {
    if io::stdin().is_terminal() {
        let hint =
            "A JSON request a line, for example {\"type\":\"about\"}; the end of the input (Ctrl-D) ends it.";
        drop(writeln!(io::stderr(), "{hint}"));
    }
    flagfall_referee::serve_standard().map(|()| 0).map_err(usage)
}

fn find_ruleset(id: &str) -> Result<&'static Ruleset, CommandError> {
    names::ruleset(id).map_err(usage)
}

fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(usage)
}

/// Whose credential a command uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guest {
    /// An account, or a guest that no other client on this machine uses at the moment.
    Own,
    /// The first credential, whether or not another client uses it.
    Shared,
}

fn play(args: PlayArgs, common: Common) -> Result<u8, CommandError> {
    let PlayArgs { wish, setup } = args;
    let setup = setup.map(|word| setup_choice(&word)).transpose()?;
    let game = wish.game;
    let (wish, common) = wish_of(wish, common)?;
    converse(Goal::Play(Wish { setup, ..wish }), game, common, Guest::Own)
}

/// Waits in the pool to be paired.
fn seek(args: SeekArgs, common: Common) -> Result<u8, CommandError> {
    let SeekArgs { rules, time, rated, secret, setup } = args;
    let setup = setup.map(|word| setup_choice(&word)).transpose()?;
    let wish = Wish { how: How::Pool, ruleset: rules, time, rated, secret, setup, ..Wish::default() };
    converse(Goal::Play(wish), None, common, Guest::Own)
}

/// The player's wish, and the options with the server that a challenge's link names.
fn wish_of(args: WishArgs, common: Common) -> Result<(Wish, Common), CommandError> {
    let WishArgs { rules, time, side, private, secret, rated, rating, bot, challenge, accept, game } = args;
    let mut server = None;
    let how = if let Some(bot) = bot {
        How::Bot(bot)
    } else if challenge {
        How::Challenge
    } else if let Some(accept) = accept {
        let (code, address) = Address::parse_challenge(&accept).map_err(usage)?;
        server = address;
        How::Accept(code)
    } else if let Some(game) = game {
        How::Game(game)
    } else {
        How::Any
    };
    let common = match server {
        Some(address) => Common { server: address.to_string(), ..common },
        None => common,
    };
    Ok((Wish { how, ruleset: rules, time, side, private, secret, rated, rating, setup: None }, common))
}

/// Runs a house player over the line protocol, or an outside program on a server.
fn bot(args: BotArgs, common: Common) -> Result<u8, CommandError> {
    match (args.line, &args.exec) {
        (Some(level), _) => umpire::bot(level, &args, Random::System.bits()).map_err(usage),
        (None, Some(command)) => exec(command.clone(), args, common),
        (None, None) => Err(usage("--exec or --line is wanted")),
    }
}

#[cfg(not(unix))]
fn exec(_command: String, _args: BotArgs, _common: Common) -> Result<u8, CommandError> {
    Err(usage("--exec needs a Unix system: Linux, macOS, or WSL on Windows"))
}

/// Lets a program play on the server.
#[cfg(unix)]
fn exec(command: String, args: BotArgs, common: Common) -> Result<u8, CommandError> {
    use flagfall::program::dialogue::Limits;
    use flagfall::program::run::Runner;
    use flagfall::program::session::{Session, tellable_ruleset};
    use flagfall_umpire::process::{Arena, probe};
    use flagfall_umpire::program::Program;

    let BotArgs { games, turn_time, deploy_time, log, wish, .. } = args;
    match (&wish.rules, &wish.accept, wish.game) {
        (Some(rules), ..) => drop(tellable_ruleset(rules).map_err(usage)?),
        (None, None, None) => {
            return Err(usage(
                "which ruleset does the program play? Name it with --rules, as in --rules pbm",
            ));
        }
        (None, ..) => {}
    }
    let program = Program::of_command(&command).map_err(usage)?;
    if let Some(folder) = &log {
        fs::create_dir_all(folder).map_err(|error| storage(format!("{}: {error}", folder.display())))?;
    }
    let seat = wish.game;
    let (wish, common) = wish_of(wish, common)?;
    let (shell, mut model) = client(Goal::Play(wish), seat, &common, Guest::Own)?;
    model.options.face = Face::Program;
    let limits = Limits { turn: turn_time, deploy: deploy_time };
    let session = Session::new(model, limits, (games > 0).then_some(games));
    let arena = Arena::adopting();
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let stop = stop_signals();
        probe(&program)
            .await
            .map_err(|error| storage(format!("{} cannot be started: {error}", program.path.display())))?;
        let runner = Runner::new(shell, session, arena.clone(), program, log);
        match runner.run(stop, &mut io::stdout(), &mut io::stderr()).await {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
            other => other.map_err(storage),
        }
    });
    // By now every remaining program is dropped and thereby killed.
    drop(runtime);
    arena.sweep();
    result
}

fn setup_choice(word: &str) -> Result<SetupChoice, CommandError> {
    Ok(match word.to_ascii_lowercase().as_str() {
        "random" => SetupChoice::Random,
        "suggested" => SetupChoice::Suggested,
        _ => SetupChoice::Text(file_or_text(word)?),
    })
}

/// The contents of the file of this name, or the text itself.
fn file_or_text(text: &str) -> Result<String, CommandError> {
    if Path::new(text).is_file() {
        fs::read_to_string(text).map_err(|error| storage(format!("{text}: {error}")))
    } else {
        Ok(text.to_owned())
    }
}

/// The dialer, which trusts the authorities that the command line names.
fn dialer(common: &Common) -> Result<Dialer, CommandError> {
    Dialer::new(common.ca.as_deref()).map_err(|error| usage(format!("--ca {error}")))
}

/// A client that has not connected yet, with its shell.
fn client(
    goal: Goal,
    game: Option<GameId>,
    common: &Common,
    guest: Guest,
) -> Result<(Shell, Model), CommandError> {
    let addresses = Address::parse_all(&common.server).map_err(usage)?;
    let address = addresses.first.clone();
    let config = ConfigDir::new(common.config_dir.clone());
    let seat = game.map(|game| game.to_string());
    let name = common.name.as_deref();
    let (identity, unsaved) = match guest {
        Guest::Own => match config.identity(&address, name, seat.as_deref()) {
            Ok(identity) => (identity, None),
            // Without a folder they can still play. The client reports that the seat is lost when
            // it ends.
            Err(error) => (config.unkept_identity(&address, name), Some(error.to_string())),
        },
        Guest::Shared => (config.shared_identity(&address, name, seat.as_deref()), None),
    };
    let mut model = model(goal, &address, common);
    model.options.credential_file = identity.path().display().to_string();
    model.login.token = identity.token();
    model.deployments.saved = config.setups();
    model.commitments = config.commitments(&address);
    setups::check_wish(&mut model, identity.is_account()).map_err(usage)?;
    if let Some(why) = unsaved {
        update(&mut model, Message::Unsaved { why });
    }
    Ok((Shell::new(dialer(common)?, addresses, config, identity), model))
}

/// Talks to the server until the goal is reached or the user quits.
fn converse(goal: Goal, game: Option<GameId>, common: Common, guest: Guest) -> Result<u8, CommandError> {
    let (shell, mut model) = client(goal, game, &common, guest)?;
    let is_screen = model.options.face.is_screen();
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let stop = stop_signals();
        if is_screen {
            screen::run(Some(shell), &mut model, stop).await
        } else {
            shell.run_plain(&mut model, stdin_lines(), stop, &mut io::stdout()).await
        }
    });
    // Don't wait for blocking work. The thread that reads the terminal may still wait for input.
    runtime.shutdown_background();
    for word in &model.last_words {
        drop(writeln!(io::stderr(), "{word}"));
    }
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        other => other.map_err(storage),
    }
}

fn model(goal: Goal, address: &Address, common: &Common) -> Model {
    let is_piped = !io::stdin().is_terminal();
    let face = match is_piped {
        true => Face::Script,
        false if common.plain || !io::stdout().is_terminal() => Face::Lines,
        false => Face::Screen,
    };
    let no_color = common.no_color || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let options = Options {
        server: address.to_string(),
        authority_file: common.ca.clone(),
        name: common.name.clone(),
        numbering: common.numbers.into(),
        flip: !common.noflip,
        credential_file: String::new(),
        color: !no_color,
        face,
    };
    Model::new(options, goal, Random::System)
}

/// The lines of standard input. A separate thread reads them, because reading a terminal blocks.
fn stdin_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Sends a message for each signal that asks the program to end.
fn stop_signals() -> mpsc::Receiver<()> {
    let (sender, stop) = mpsc::channel(1);
    tokio::spawn(async move {
        loop {
            signal().await;
            if sender.send(()).await.is_err() {
                return;
            }
        }
    });
    stop
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hang_up)) =
        (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
        _ = hang_up.recv() => {}
    }
}

#[cfg(not(unix))]
async fn signal() {
    drop(tokio::signal::ctrl_c().await);
}

fn record(
    game: GameId,
    scope: Option<RecordScope>,
    json: bool,
    out: Option<&Path>,
    step: bool,
    common: Common,
) -> Result<u8, CommandError> {
    let address = Address::parse_all(&common.server).map_err(usage)?.first;
    let config = ConfigDir::new(common.config_dir.clone());
    let seat = game.to_string();
    let identity = config.shared_identity(&address, common.name.as_deref(), Some(&seat));
    let query = scope.map(|scope| format!("?as={}", scope.name())).unwrap_or_default();
    let path = format!("/api/games/{game}/record{query}");
    let dialer = dialer(&common)?;
    let runtime = runtime()?;
    let get = |token: Option<&Secret>| runtime.block_on(http::get(&dialer, &address, &path, token));
    let bytes = match get(identity.token().as_ref()) {
        Err(error) if error.is_unknown_token() && !identity.is_account() => {
            let word = "The server does not know the guest kept here any more: this is the record as everybody sees it.";
            drop(writeln!(io::stderr(), "{word}"));
            get(None)
        }
        other => other,
    };
    let bytes = bytes.map_err(account::trouble)?;
    let told: GameRecord = serde_json::from_slice(&bytes).map_err(|error| {
        network(format!("the server's record is not one this client understands: {error}"))
    })?;
    if told.format != RECORD_FORMAT {
        return Err(network(format!(
            "the record has format {}, this client reads {RECORD_FORMAT}",
            told.format
        )));
    }
    let judged = judge(&config, &address, &told);
    if let Some(judged) = &judged {
        // Not to standard output: the record may go to a file or a program.
        drop(writeln!(io::stderr(), "{}", judged.words()));
    }
    let code = show_record(told, json, out, step, &address, &common)?;
    let is_mismatch = matches!(judged, Some(commitments::Verdict::Mismatch(_)));
    Ok(if is_mismatch && !step { Exit::Refused.code() } else { code })
}

fn show_record(
    told: GameRecord,
    json: bool,
    out: Option<&Path>,
    step: bool,
    address: &Address,
    common: &Common,
) -> Result<u8, CommandError> {
    let text = if json {
        let mut text = serde_json::to_string_pretty(&told).map_err(usage)?;
        text.push('\n');
        text
    } else {
        let replay = Replay::new(told).map_err(usage)?;
        if step {
            return step_through(replay, address, common);
        }
        replay.text()
    };
    match out {
        Some(path) => write_file(path, text)?,
        None if json => print_as_it_is(&text)?,
        None => print(&text)?,
    };
    Ok(Exit::Done.code())
}

/// Checks a record against the commitments that this client was shown during the game.
fn judge(config: &ConfigDir, address: &Address, record: &GameRecord) -> Option<commitments::Verdict> {
    let all = config.commitments(address);
    let shown = all.get(&record.game).filter(|shown| !shown.late)?;
    let changed = shown.changed(&record.commitments);
    if !changed.is_empty() {
        return Some(commitments::Verdict::Mismatch(commitments::changed_words(&changed, false)));
    }
    commitments::verdict(record.game, shown, &record.deployments)
}

fn step_through(mut replay: Replay, address: &Address, common: &Common) -> Result<u8, CommandError> {
    let mut model = model(Goal::Games, address, common);
    if model.options.face.prints() {
        let mut text = String::new();
        loop {
            let game = replay.game();
            if let Some(ruleset) = game.ruleset {
                let board = plain::board(&game.view, ruleset, model.options.numbering, Side::Red);
                text.push_str(&format!("{}\n{board}\n", replay.sentence()));
            }
            if replay.at() == replay.last() {
                return print(&text);
            }
            replay.go(replay.at() + 1);
        }
    }
    model.ui.page = Page::Game;
    model.game = Some(replay.game());
    model.say(replay.sentence());
    model.ui.replay = Some(replay);
    let runtime = runtime()?;
    let result = runtime.block_on(async { screen::run(None, &mut model, stop_signals()).await });
    runtime.shutdown_background();
    result.map_err(usage)
}
