//! Plays many games between two levels of house players, without a server.
//!
//! `cargo run --release -p flagfall-bots --example duel -- --red good --blue simple --rules classic
//! --games 400 --swap`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use flagfall_board::{Chance, PerSide, Ply, Side, SquareSet};
use flagfall_bots::{Effort, HousePlayer, Level, random_setup, sensible_setup};
use flagfall_rules::{EndReason, Entropy, Ruleset, Setup};
use flagfall_tests::duel;

/// Plays house players against each other, to measure their strength. Prints the score of the
/// level given with --red. A draw counts as half a point.
#[derive(Parser)]
struct Duel {
    /// The level whose score is printed.
    #[arg(long, value_parser = parse_level)]
    red: Level,
    /// The level of the opponent.
    #[arg(long, value_parser = parse_level)]
    blue: Level,
    /// A ruleset, or `all` for every ruleset.
    #[arg(long, default_value = "classic", value_parser = parse_rules)]
    rules: RuleList,
    /// The number of games for each ruleset.
    #[arg(long, default_value_t = 100)]
    games: usize,
    /// The number of positions that a player may examine for one move.
    #[arg(long, default_value_t = Effort::default().nodes)]
    nodes: u32,
    /// The number of positions that --blue may examine, if it differs from the number for --red.
    #[arg(long)]
    blue_nodes: Option<u32>,
    /// The seed. A run with the same seed plays the same games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Swap the sides in every second game. That game uses the same two deployments as the previous
    /// one, unless the levels choose their own.
    #[arg(long)]
    swap: bool,
    /// The number of games to play at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// The source of --red's deployments: own (the level chooses), random, sensible, or a file of
    /// deployments, one per line.
    #[arg(long, default_value = "own")]
    red_setups: String,
    /// The source of --blue's deployments.
    #[arg(long, default_value = "own")]
    blue_setups: String,
}

fn parse_level(text: &str) -> Result<Level, String> {
    let names = Level::ALL.map(Level::name).join(", ");
    Level::from_name(text).ok_or_else(|| format!("there is no such level; there are {names}"))
}

/// The rulesets that the argument selects: one ruleset, or all of them.
#[derive(Clone)]
struct RuleList(Vec<&'static Ruleset>);

fn parse_rules(text: &str) -> Result<RuleList, String> {
    if text == "all" {
        return Ok(RuleList(Ruleset::all().to_vec()));
    }
    let ids: Vec<&str> = Ruleset::all().iter().map(|ruleset| ruleset.id).collect();
    let found = Ruleset::find(text).map(|ruleset| RuleList(vec![ruleset]));
    found.ok_or_else(|| format!("there is no such ruleset; there are all, {}", ids.join(", ")))
}

/// The source of a player's deployments.
enum Source {
    Own,
    Random,
    Sensible,
    File(Vec<String>),
}

impl Source {
    fn read(text: &str) -> Result<Source, String> {
        match text {
            "own" => Ok(Source::Own),
            "random" => Ok(Source::Random),
            "sensible" => Ok(Source::Sensible),
            path => {
                let lines =
                    std::fs::read_to_string(PathBuf::from(path)).map_err(|e| format!("{path}: {e}"))?;
                let lines: Vec<String> =
                    lines.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
                if lines.is_empty() {
                    Err(format!("{path} has no deployments"))
                } else {
                    Ok(Source::File(lines))
                }
            }
        }
    }

    /// Draws a deployment. Returns `None` if the level chooses its own deployment.
    fn draw(
        &self,
        ruleset: &'static Ruleset,
        lakes: SquareSet,
        side: Side,
        chance: &mut Chance,
    ) -> Result<Option<Setup>, String> {
        match self {
            Source::Own => Ok(None),
            Source::Random => Ok(Some(random_setup(ruleset, side, chance))),
            Source::Sensible => Ok(Some(sensible_setup(ruleset, lakes, side, chance))),
            Source::File(lines) => {
                let line = &lines[chance.below(lines.len())];
                let setup = Setup::from_text(line, side, ruleset).map_err(|e| format!("{line:?}: {e}"))?;
                setup.deploy(side, ruleset).map_err(|e| format!("{line:?}: {e}"))?;
                Ok(Some(setup))
            }
        }
    }
}

/// The result of one game for the level given with --red.
#[derive(Clone, Copy)]
struct Scored {
    /// The points: 1, 0.5 or 0.
    points: f64,
    reason: EndReason,
    plies: Ply,
    /// For --red and for --blue, the total thinking time and the number of moves.
    think: [(Duration, u32); 2],
}

struct Arena<'a> {
    duel: &'a Duel,
    ruleset: &'static Ruleset,
    sources: [Source; 2],
}

impl Arena<'_> {
    fn play(&self, number: usize) -> Result<Scored, String> {
        let exchanged = self.duel.swap && number % 2 == 1;
        // With --swap, both games of a pair draw lakes and deployments from the same seed. They
        // differ only in which player has which side.
        let draw = if self.duel.swap { number / 2 } else { number };
        let mut chance = Chance::new(mix(self.duel.seed, draw as u64, 0));
        let lakes = self.ruleset.draw_lakes(&Entropy(chance.bytes()));
        let side_of = |level: usize| if (level == 0) == exchanged { Side::Blue } else { Side::Red };
        let mut setups = PerSide::default();
        for (level, source) in self.sources.iter().enumerate() {
            setups[side_of(level)] = source.draw(self.ruleset, lakes, side_of(level), &mut chance)?;
        }
        let levels = [self.duel.red, self.duel.blue];
        let nodes = [self.duel.nodes, self.duel.blue_nodes.unwrap_or(self.duel.nodes)];
        let level_of = |side: Side| usize::from(side_of(0) != side);
        let mut players = PerSide::from_fn(|side| {
            let level = level_of(side);
            let seed = mix(self.duel.seed, number as u64, level as u64 + 1);
            HousePlayer::new(levels[level], side, seed, Effort { nodes: nodes[level] })
        });
        let mut think = [(Duration::ZERO, 0); 2];
        let played = duel::play(self.ruleset, lakes, setups, |side, view| {
            let start = Instant::now();
            let command = players[side].choose(view);
            let (time, count) = &mut think[level_of(side)];
            *time += start.elapsed();
            *count += 1;
            command
        });
        let played = played.map_err(|error| format!("game {number}: {error:?}"))?;
        let points = match played.outcome.winner {
            None => 0.5,
            Some(winner) => f64::from(u8::from(winner == side_of(0))),
        };
        Ok(Scored { points, reason: played.outcome.reason, plies: played.plies, think })
    }

    /// Plays all games, `jobs` of them at the same time. The result of a game depends only on the
    /// game's number and the arguments.
    fn play_all(&self) -> Result<Vec<Scored>, String> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = std::sync::mpsc::sync_channel(64);
        std::thread::scope(|scope| {
            for _ in 0..self.duel.jobs.max(1) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= self.duel.games || sender.send(self.play(number)).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut scored = Vec::with_capacity(self.duel.games);
            let mut progress = Progress::new(self.ruleset.id, self.duel.games);
            for result in receiver {
                scored.push(result?);
                progress.show(&scored);
            }
            progress.clear();
            Ok(scored)
        })
    }
}

/// Derives a seed that is independent of other seeds (splitmix64, Steele, Lea, Flood 2014).
fn mix(seed: u64, number: u64, part: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number << 8 | part);
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A progress line that is updated once a second. Nothing is printed if the output is not a
/// terminal.
struct Progress {
    id: &'static str,
    games: usize,
    shown: Instant,
    is_watched: bool,
}

impl Progress {
    fn new(id: &'static str, games: usize) -> Progress {
        Progress { id, games, shown: Instant::now(), is_watched: std::io::stderr().is_terminal() }
    }

    fn show(&mut self, scored: &[Scored]) {
        if self.is_watched && self.shown.elapsed() >= Duration::from_secs(1) {
            self.shown = Instant::now();
            let points: f64 = scored.iter().map(|game| game.points).sum();
            let percent = 100.0 * points / scored.len() as f64;
            eprint!("\r{}: {} of {} games, {percent:.1} % ", self.id, scored.len(), self.games);
            let _unseen = std::io::stderr().flush();
        }
    }

    fn clear(&self) {
        if self.is_watched {
            eprint!("\r{:60}\r", "");
        }
    }
}

/// Returns the 95% confidence interval of a mean score. This is Wilson's score interval (1927),
/// corrected for draws, which make the variance smaller than that of a coin toss.
fn interval(scored: &[Scored]) -> (f64, f64) {
    const Z: f64 = 1.96;
    let games = scored.len() as f64;
    let mean = scored.iter().map(|game| game.points).sum::<f64>() / games;
    let squares = scored.iter().map(|game| game.points * game.points).sum::<f64>() / games;
    let coin = mean * (1.0 - mean);
    // The variance of the scores, divided by that of a coin toss with the same mean. Without
    // draws, the ratio is 1.
    let ratio = if coin > 0.0 { ((squares - mean * mean) / coin).clamp(0.05, 1.0) } else { 1.0 };
    let games = games / ratio;
    let center = (mean + Z * Z / (2.0 * games)) / (1.0 + Z * Z / games);
    let half = Z / (1.0 + Z * Z / games) * (coin / games + Z * Z / (4.0 * games * games)).sqrt();
    (center - half, center + half)
}

fn report(duel: &Duel, ruleset: &Ruleset, scored: &[Scored]) {
    let count = |points: f64| scored.iter().filter(|game| game.points.total_cmp(&points).is_eq()).count();
    let mean = scored.iter().map(|game| game.points).sum::<f64>() / scored.len() as f64;
    let (low, high) = interval(scored);
    println!(
        "{}: {} against {}: {:.1} % [{:.1}, {:.1}] in {} games: {} won, {} drawn, {} lost",
        ruleset.id,
        duel.red.name(),
        duel.blue.name(),
        100.0 * mean,
        100.0 * low,
        100.0 * high,
        scored.len(),
        count(1.0),
        count(0.5),
        count(0.0)
    );
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    scored.iter().for_each(|game| *reasons.entry(game.reason.code()).or_default() += 1);
    let reasons: Vec<String> = reasons
        .iter()
        .map(|(code, count)| format!("{code} {:.1} %", 100.0 * *count as f64 / scored.len() as f64))
        .collect();
    let plies: f64 = scored.iter().map(|game| f64::from(game.plies)).sum::<f64>() / scored.len() as f64;
    let per_move = |level: usize| {
        let time: Duration = scored.iter().map(|game| game.think[level].0).sum();
        let moves: u32 = scored.iter().map(|game| game.think[level].1).sum();
        time.as_secs_f64() * 1e6 / f64::from(moves.max(1))
    };
    println!(
        "  {}; {plies:.0} plies a game; {:.0} and {:.0} µs a move",
        reasons.join(", "),
        per_move(0),
        per_move(1)
    );
}

fn run(duel: &Duel) -> Result<(), String> {
    if duel.games == 0 {
        return Err("at least one game is wanted".to_owned());
    }
    for ruleset in &duel.rules.0 {
        let sources = [Source::read(&duel.red_setups)?, Source::read(&duel.blue_setups)?];
        let scored = Arena { duel, ruleset, sources }.play_all()?;
        report(duel, ruleset, &scored);
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(&Duel::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duel: {error}");
            ExitCode::FAILURE
        }
    }
}
