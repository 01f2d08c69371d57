//! `flagfall umpire` and `flagfall bot`: matches between programs over the line protocol, and
//! house players that speak this protocol.

use std::io::{self, Read, Write};

use flagfall_board::{Side, SquareSet};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_rules::{Ruleset, View};
use flagfall_umpire::environment;
use flagfall_umpire::lines::{Cut, LineCutter};
use flagfall_umpire::player::LinePlayer;

use crate::cli::{BotArgs, ResultsFormat, UmpireArgs};
use crate::names::tellable_ruleset;
use crate::text;

/// Plays one game as a house player over standard input and output.
pub fn bot(level: Level, args: &BotArgs, seed: u64) -> Result<u8, String> {
    let ruleset = tellable_ruleset(args.wish.rules.as_deref().unwrap_or_default())?;
    let effort = args.nodes.map_or_else(Effort::default, |nodes| Effort { nodes });
    let seed = args.seed.unwrap_or(seed);
    let make = move |side: Side| {
        let mut player = HousePlayer::new(level, side, seed, effort);
        move |view: &View| player.choose(view)
    };
    let mut player = LinePlayer::new(ruleset, make);
    if let Some(lakes) = known_lakes(ruleset)? {
        player = player.with_lakes(lakes);
    }
    let mut cutter = LineCutter::default();
    let mut buffer = [0; 4096];
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut cuts = Vec::new();
    loop {
        let count =
            input.read(&mut buffer).map_err(|error| text!("umpire-input", error = error.to_string()))?;
        if count == 0 {
            // The umpire has closed the input, so the game is over.
            return Ok(0);
        }
        cutter.push(&buffer[..count], |cut| cuts.push(cut));
        for cut in cuts.drain(..) {
            let Cut::Line(line) = cut else { return Err(text!("umpire-not-a-line")) };
            let reaction = player.hear(&line).map_err(|error| error.to_string())?;
            for line in &reaction.lines {
                if writeln!(output, "{line}").is_err() {
                    return Ok(0);
                }
            }
            if output.flush().is_err() || reaction.is_over {
                return Ok(0);
            }
        }
    }
}

/// Returns the lakes that the umpire put in the environment, if any.
fn known_lakes(ruleset: &Ruleset) -> Result<Option<SquareSet>, String> {
    let Ok(text) = std::env::var(environment::LAKES) else { return Ok(None) };
    let lakes = environment::read_lakes(&text).filter(|lakes| ruleset.allows_lakes(*lakes));
    lakes.map(Some).ok_or_else(|| {
        text!("umpire-lakes", variable = environment::LAKES, value = &text, ruleset = ruleset.id)
    })
}

#[cfg(not(unix))]
/// Returns an error, because the umpire needs process groups, which this system does not have.
pub fn umpire(
    _args: UmpireArgs,
    _stop: impl FnOnce() -> tokio::sync::mpsc::Receiver<()>,
) -> Result<u8, String> {
    Err(text!("umpire-unix"))
}

#[cfg(unix)]
pub use self::unix::umpire;

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::io::{self, IsTerminal, Write};
    use std::sync::Arc;

    use flagfall_protocol::Exit;
    use flagfall_umpire::bout::Limits;
    use flagfall_umpire::line::fit_name;
    use flagfall_umpire::process::{self, Arena};
    use flagfall_umpire::program::{Program, set_apart};
    use flagfall_umpire::progress::Progress;
    use flagfall_umpire::series::{self, Plan, duel, round_robin};
    use flagfall_umpire::table::{Format, results};
    use tokio::sync::{mpsc, watch};

    use super::{ResultsFormat, UmpireArgs};
    use crate::text;

    /// Plays the games and prints the results.
    ///
    /// `stop` is a function that creates the receiver for signals that ask the program to end.
    pub fn umpire(args: UmpireArgs, stop: impl FnOnce() -> mpsc::Receiver<()>) -> Result<u8, String> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|e| e.to_string())?;
        let arena = Arena::adopting();
        let result = runtime.block_on(run(args, arena.clone(), stop));
        // All programs that were still running have been dropped, and dropping a program kills
        // it.
        drop(runtime);
        arena.sweep();
        result
    }

    async fn run(
        args: UmpireArgs,
        arena: Arena,
        stop: impl FnOnce() -> mpsc::Receiver<()>,
    ) -> Result<u8, String> {
        let stop = until(stop());
        let plan = Arc::new(plan(&args).await?);
        let is_terminal = io::stderr().is_terminal();
        let mut progress = Progress::new(io::stderr(), is_terminal);
        let watch = {
            let plan = Arc::clone(&plan);
            move |played: &[series::Played], under_way| {
                // The games continue even if progress cannot be written.
                let _unseen = progress.tell(&plan, played, under_way);
                if under_way == 0 {
                    let _unseen = progress.clear();
                }
            }
        };
        let played = series::play(arena, Arc::clone(&plan), stop.clone(), watch).await;
        let played = played.map_err(|error| error.to_string())?;
        let format = match args.format {
            ResultsFormat::Text => Format::Text,
            ResultsFormat::Markdown => Format::Markdown,
            ResultsFormat::Csv => Format::Csv,
        };
        let shown = if args.out.is_some() { Format::Text } else { format };
        let mut text = results(&plan, &played, shown);
        if let Some(path) = &args.out {
            fs::write(path, results(&plan, &played, format)).map_err(|error| {
                text!("umpire-path", path = path.display().to_string(), error = error.to_string())
            })?;
            text.push_str(&format!("\n{}\n", text!("umpire-written", path = path.display().to_string())));
        }
        print(&text)?;
        if *stop.borrow() {
            let (played, all) = (played.len(), plan.fixtures.len());
            // Standard error may be closed.
            let _unseen = writeln!(io::stderr(), "{}", text!("umpire-stopped", played, all));
            return Ok(Exit::Interrupted.code());
        }
        Ok(Exit::Done.code())
    }

    fn print(text: &str) -> Result<(), String> {
        match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
            _ => Ok(()),
        }
    }

    /// Returns a flag that becomes true at the first signal.
    fn until(mut signals: mpsc::Receiver<()>) -> watch::Receiver<bool> {
        let (sender, stop) = watch::channel(false);
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                sender.send_replace(true);
            }
            // Ignore later signals, because the umpire is already stopping.
            while signals.recv().await.is_some() {}
        });
        stop
    }

    /// Returns the plan: the games, and programs that can be started.
    async fn plan(args: &UmpireArgs) -> Result<Plan, String> {
        let games = |without| args.games.map_or(without, |games| games as usize);
        let (programs, fixtures) = match (&args.all, &args.red, &args.blue) {
            (Some(folder), _, _) => {
                let programs = class(folder).await?;
                let fixtures = round_robin(programs.len(), games(2));
                (programs, fixtures)
            }
            (None, Some(red), Some(blue)) => {
                let red = program(red, args.red_name.as_deref()).await?;
                let blue = program(blue, args.blue_name.as_deref()).await?;
                let mut programs = vec![red, blue];
                set_apart(&mut programs);
                (programs, duel(games(1), args.swap))
            }
            (None, _, _) => return Err(text!("umpire-programs-wanted")),
        };
        let deploy = args.deploy_time.unwrap_or(args.turn_time);
        Ok(Plan {
            ruleset: args.rules,
            limits: Limits { turn: args.turn_time, deploy },
            programs,
            fixtures,
            parallel: args.parallel.get(),
            records: args.record.clone(),
            logs: args.log.clone().or_else(|| args.record.clone()),
        })
    }

    async fn program(command: &str, name: Option<&str>) -> Result<Program, String> {
        let mut program = Program::of_command(command).map_err(|error| error.to_string())?;
        process::probe(&program).await.map_err(|error| {
            let path = program.path.display().to_string();
            text!("umpire-cannot-start", path, error = error.to_string())
        })?;
        if let Some(name) = name {
            program.name = fit_name(name);
        }
        Ok(program)
    }

    /// Returns the programs in a folder. Prints which ones were accepted and which were not.
    async fn class(folder: &std::path::Path) -> Result<Vec<Program>, String> {
        let found = Program::find_all(folder).map_err(|error| error.to_string())?;
        let mut passed_over = found.passed_over;
        let mut programs = Vec::new();
        for program in found.programs {
            match process::probe(&program).await {
                Ok(()) => programs.push(program),
                Err(error) => passed_over
                    .push((program.name, text!("umpire-cannot-start-it", error = error.to_string()))),
            }
        }
        let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
        let mut words = text!("umpire-playing", names = names.join(", ")) + "\n";
        for (name, why) in &passed_over {
            words.push_str(&text!("umpire-not-playing", name, why));
            words.push('\n');
        }
        let words: String = words
            .chars()
            .map(|letter| if letter.is_control() && letter != '\n' { '?' } else { letter })
            .collect();
        let _unseen = io::stderr().write_all(words.as_bytes());
        if programs.len() < 2 {
            return Err(text!("umpire-too-few", path = folder.display().to_string()));
        }
        Ok(programs)
    }
}
