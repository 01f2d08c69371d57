//! Plays house players against each other in every ruleset, counts the pieces at every ply, and
//! checks every record.
//!
//! `cargo run --release -p flagfall-records --example house_games -- --rules shadowflash-3 --games
//! 1000`

#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;
use flagfall_board::{Chance, GameId, PerSide, Side, Stamp};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_protocol::{Player, PlayerKind, Recorder, SeenOutcome, Terms, Time};
use flagfall_records::{Status, check};
use flagfall_rules::{Entropy, Game, GameTerms, Phase, Ruleset, TimeControl, Viewer, decide, evolve, view};

/// Plays complete games between house players, counts the pieces at every ply, and checks every
/// record.
#[derive(Parser)]
struct Options {
    /// The ruleset to play. If unset, all rulesets are played.
    #[arg(long)]
    rules: Option<String>,
    /// Number of games for each ruleset.
    #[arg(long, default_value_t = 1000)]
    games: usize,
    /// The levels of the house players, which change from game to game.
    #[arg(long, value_delimiter = ',', default_value = "random,simple")]
    levels: Vec<String>,
    /// The seed of all random choices. The same seed plays the same games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The results of the games of one ruleset.
#[derive(Default)]
struct Tally {
    ends: BTreeMap<String, u64>,
    plies: u64,
    faults: u64,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let levels: Option<Vec<Level>> = options.levels.iter().map(|name| Level::from_name(name)).collect();
    let rulesets = match &options.rules {
        Some(name) => Ruleset::find(name).map(|ruleset| vec![ruleset]),
        None => Some(Ruleset::all().to_vec()),
    };
    let (Some(levels), Some(rulesets)) = (levels, rulesets) else {
        println!("there is no such level or ruleset");
        return ExitCode::from(2);
    };
    let mut faults = 0;
    for ruleset in rulesets {
        let mut tally = Tally::default();
        for (number, seed) in (0..options.games).zip(options.seed..) {
            let level = |place: usize| levels[place % levels.len()];
            let pair = PerSide::new(level(number), level(number / levels.len()));
            if let Err(fault) = play(ruleset, pair, seed, &mut tally) {
                tally.faults += 1;
                println!("\r{} seed {seed}: {fault}", ruleset.id);
            }
            if std::io::stdout().is_terminal() && number % 10 == 9 {
                print!("\r{}: {} of {} games", ruleset.id, number + 1, options.games);
                std::io::stdout().flush().ok();
            }
        }
        let ends: Vec<String> =
            tally.ends.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        println!(
            "\r{}: {} games, {} plies, pieces counted at every one, {} faults; {}",
            ruleset.id,
            options.games,
            tally.plies,
            tally.faults,
            ends.join(", ")
        );
        faults += tally.faults;
    }
    if faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Plays a game without a clock in which every turn takes one second.
fn play(
    ruleset: &'static Ruleset,
    levels: PerSide<Level>,
    seed: u64,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut chance = Chance::new(seed);
    let salt = [0; 32].map(|_: u8| u8::try_from(chance.below(256)).unwrap_or_default());
    let mut game = Game::new(GameTerms {
        game: GameId::from_random([7; 12]),
        ruleset,
        lakes: ruleset.draw_lakes(&Entropy(salt)),
        time: TimeControl::Unlimited,
        deploy_ms: 300_000,
        created: Stamp(1_000),
        secret: PerSide::default(),
    });
    let mut players = PerSide::from_fn(|side| {
        HousePlayer::new(levels[side], side, seed * 2 + side as u64, Effort::default())
    });
    let mut recorder = Recorder::new(game.clone());
    let mut now = Stamp(1_000);
    while game.phase() != Phase::Over {
        let mut has_acted = false;
        for side in Side::BOTH {
            now = now.plus_ms(1_000);
            let seen = view(&game, Viewer::Player(side), now);
            let Some(command) = players[side].choose(&seen) else { continue };
            let events = decide(&game, side, game.ply(), &command, now, &Entropy(salt))
                .map_err(|refusal| format!("{side}'s {} was refused: {refusal}", levels[side].name()))?;
            has_acted = true;
            for event in events {
                evolve(&mut game, &event, now);
                recorder.note(&event, now);
                if game.phase() != Phase::Deploying && !game.position().is_conserved() {
                    return Err(format!("pieces are lost at ply {}", game.ply()));
                }
            }
        }
        if !has_acted {
            return Err(format!("nobody acts at ply {}", game.ply()));
        }
    }
    tally.plies += u64::from(game.ply());
    let reason = game.outcome().map(|outcome| SeenOutcome::from(outcome).reason).unwrap_or_default();
    *tally.ends.entry(reason).or_default() += 1;
    let player = |name: &str| Player { id: name.to_owned(), name: name.to_owned(), kind: PlayerKind::House };
    for viewer in Viewer::ALL {
        let terms = Terms {
            ruleset: ruleset.id.to_owned(),
            time: Time::Unlimited {},
            private: false,
            secret: false,
            rated: false,
        };
        let record = recorder.record(viewer, terms, PerSide::new(player("red"), player("blue")));
        let report = check(&record);
        if report.status != Status::Good {
            return Err(format!("its record is not good: {report:?}"));
        }
    }
    Ok(())
}
