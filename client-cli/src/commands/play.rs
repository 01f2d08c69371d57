//! `flagfall play`, `watch`, `bot` and other commands that keep a connection to a server.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};

use flagfall::cli::{BotArgs, Common, PlayArgs, SeekArgs, WishArgs};
use flagfall::config::ConfigDir;
use flagfall::faces::lines::{self, Prompt};
use flagfall::faces::screen;
use flagfall::model::{Face, Goal, How, Message, Model, Options, SetupChoice, Wish};
use flagfall::net::address::Address;
use flagfall::random::Random;
use flagfall::shell::Shell;
use flagfall::{setup_check, text, umpire, update};

use tokio::sync::mpsc;

use super::output::{Done, dialer, file_error, file_or_text, runtime, storage, usage, written};

/// The credential that a command uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guest {
    /// An account, or a guest that no other client on this machine uses at the moment.
    Own,
    /// An account or a guest, even if another client on this machine uses it.
    Shared,
}

pub(crate) fn play(args: PlayArgs, common: Common) -> Done {
    let PlayArgs { wish, setup } = args;
    let setup = setup.map(|word| setup_choice(&word)).transpose()?;
    let (wish, common) = wish_of(wish, common)?;
    converse(Goal::Play(Wish { setup, ..wish }), common, Guest::Own)
}

/// Runs a client that waits in the pool for an opponent.
pub(crate) fn seek(args: SeekArgs, common: Common) -> Done {
    let SeekArgs { rules, time, rated, secret, setup } = args;
    let setup = setup.map(|word| setup_choice(&word)).transpose()?;
    let wish = Wish { how: How::Pool, ruleset: rules, time, rated, secret, setup, ..Wish::default() };
    converse(Goal::Play(wish), common, Guest::Own)
}

/// Returns the game that the player wants, and the options that several commands share. If a
/// challenge link names a server, these options contain that server.
fn wish_of(args: WishArgs, common: Common) -> Done<(Wish, Common)> {
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
pub(crate) fn bot(args: BotArgs, common: Common) -> Done {
    match (args.line, &args.exec) {
        (Some(level), _) => umpire::bot(level, &args, Random::System.bits()).map_err(usage),
        (None, Some(command)) => exec(command.clone(), args, common),
        (None, None) => Err(usage(text!("bot-needs-one"))),
    }
}

#[cfg(not(unix))]
fn exec(_command: String, _args: BotArgs, _common: Common) -> Done {
    Err(usage(text!("exec-needs-unix")))
}

#[cfg(unix)]
fn exec(command: String, args: BotArgs, common: Common) -> Done {
    use flagfall::faces::program::dialogue::Limits;
    use flagfall::faces::program::run::Runner;
    use flagfall::faces::program::session::Session;
    use flagfall::names::tellable_ruleset;
    use flagfall_umpire::process::{Arena, probe};
    use flagfall_umpire::program::Program;

    let BotArgs { games, turn_time, deploy_time, log, wish, .. } = args;
    match (&wish.rules, &wish.accept, wish.game) {
        (Some(rules), ..) => drop(tellable_ruleset(rules).map_err(usage)?),
        (None, None, None) => return Err(usage(text!("exec-needs-rules"))),
        (None, ..) => {}
    }
    let program = Program::of_command(&command).map_err(usage)?;
    if let Some(folder) = &log {
        fs::create_dir_all(folder).map_err(|error| file_error(folder, &error))?;
    }
    let (wish, common) = wish_of(wish, common)?;
    let (shell, mut model) = client(Goal::Play(wish), &common, Guest::Own)?;
    model.options.face = Face::Program;
    let limits = Limits { turn: turn_time, deploy: deploy_time };
    let session = Session::new(model, limits, (games > 0).then_some(games));
    let arena = Arena::adopting();
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let stop = stop_signals();
        probe(&program).await.map_err(|error| {
            let (program, why) = (program.path.display().to_string(), error.to_string());
            storage(text!("program-not-started", program, why))
        })?;
        let runner = Runner::new(shell, session, arena.clone(), program, log);
        written(runner.run(stop, &mut io::stdout(), &mut io::stderr()).await)
    });
    // All programs that were still running have been dropped, and dropping a program kills it.
    drop(runtime);
    arena.sweep();
    result
}

fn setup_choice(word: &str) -> Done<SetupChoice> {
    Ok(match word.to_ascii_lowercase().as_str() {
        "random" => SetupChoice::Random,
        "suggested" => SetupChoice::Suggested,
        _ => SetupChoice::Text(file_or_text(word)?),
    })
}

/// Creates a client that has not connected yet, and its shell.
fn client(goal: Goal, common: &Common, guest: Guest) -> Done<(Shell, Model)> {
    let addresses = Address::parse_all(&common.server).map_err(usage)?;
    let address = addresses.first.clone();
    let config = ConfigDir::new(common.config_dir.clone());
    let seat = match &goal {
        Goal::Play(Wish { how: How::Game(game), .. }) => Some(game.to_string()),
        _ => None,
    };
    let name = common.name.as_deref();
    let (credential, unsaved) = match guest {
        Guest::Own => match config.credential(&address, name, seat.as_deref()) {
            Ok(credential) => (credential, None),
            // If the folder cannot be used, the player can play, but loses the seat when the
            // client ends. The client warns the player about this.
            Err(error) => (config.unkept_credential(&address, name), Some(error.to_string())),
        },
        Guest::Shared => (config.shared_credential(&address, name, seat.as_deref()), None),
    };
    let mut model = model(goal, &address, common);
    model.options.credential_file = credential.path().display().to_string();
    model.login.token = credential.token();
    model.deployments.saved = config.setups();
    model.commitments = config.commitments(&address);
    setup_check::check_wish(&mut model, credential.is_account()).map_err(usage)?;
    if let Some(why) = unsaved {
        update(&mut model, Message::Unsaved { why });
    }
    Ok((Shell::new(dialer(common)?, addresses, config, credential), model))
}

/// Runs the client until it reaches the goal or the user quits.
pub(crate) fn converse(goal: Goal, common: Common, guest: Guest) -> Done {
    let (shell, mut model) = client(goal, &common, guest)?;
    let is_screen = model.options.face.is_screen();

    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let (interrupt, stop) = stop_channel();
        if is_screen {
            return screen::run(Some(shell), &mut model, &common, stop).await;
        }
        if model.options.face != Face::Lines || !can_edit(&common) {
            return lines::run(shell, &mut model, stdin_lines(), stop, &mut io::stdout()).await;
        }
        let (prompt, typed, mut out) = Prompt::new(interrupt)?;
        let code = lines::run(shell, &mut model, typed, stop, &mut out).await;
        prompt.end().await.and(code)
    });
    // Don't wait for blocking work, because the thread that reads the terminal may still be
    // waiting for input.
    runtime.shutdown_background();
    for word in &model.last_words {
        drop(writeln!(io::stderr(), "{word}"));
    }
    written(result)
}

pub(crate) fn model(goal: Goal, address: &Address, common: &Common) -> Model {
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

/// Returns the lines of standard input. A separate thread reads them, because reading from a
/// terminal blocks.
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

/// True if the terminal can move its cursor and the player wants to edit lines.
fn can_edit(common: &Common) -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    !common.no_editing && !is_dumb && io::stdout().is_terminal()
}

/// Returns a channel with a message for each signal that asks the program to end.
pub(crate) fn stop_signals() -> mpsc::Receiver<()> {
    stop_channel().1
}

/// Like [`stop_signals`], but also returns a sender, so that a key can end the program.
fn stop_channel() -> (mpsc::Sender<()>, mpsc::Receiver<()>) {
    let (sender, stop) = mpsc::channel(1);
    let signals = sender.clone();
    tokio::spawn(async move {
        loop {
            signal().await;
            if signals.send(()).await.is_err() {
                return;
            }
        }
    });
    (sender, stop)
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
