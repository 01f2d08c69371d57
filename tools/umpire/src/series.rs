//! Plays many games, several at the same time. Writes a record and a log for each game.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use flagfall_board::{GameId, PerSide, Ply, Side, Stamp};
use flagfall_rules::{EndReason, Entropy, Outcome, Ruleset};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::bout::{Bout, BoutTerms, Ending, Limits, Thinking};
use crate::fault::Fault;
use crate::game;
use crate::line::Quit;
use crate::process::{Aftermath, Arena};
use crate::program::Program;

/// One game to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// The number of the game in the plan, counted from 1.
    pub number: usize,
    /// The index of the program that plays each side.
    pub sides: PerSide<usize>,
}

/// Returns the fixtures of `games` games between the first two programs. With `swap`, the
/// programs change sides after each game.
pub fn duel(games: usize, swap: bool) -> Vec<Fixture> {
    let sides = |game: usize| if swap && game % 2 == 1 { PerSide::new(1, 0) } else { PerSide::new(0, 1) };
    (0..games).map(|game| Fixture { number: game + 1, sides: sides(game) }).collect()
}

/// Returns fixtures in which every pair of programs plays `games` games, with alternating sides.
/// Each round contains one game of every pair, so that the table is fair even before all games
/// are played.
pub fn round_robin(programs: usize, games: usize) -> Vec<Fixture> {
    let pairs = || (0..programs).flat_map(move |one| (one + 1..programs).map(move |other| (one, other)));
    (0..games)
        .flat_map(|game| {
            pairs().map(move |(one, other)| if game % 2 == 0 { (one, other) } else { (other, one) })
        })
        .enumerate()
        .map(|(index, (red, blue))| Fixture { number: index + 1, sides: PerSide::new(red, blue) })
        .collect()
}

/// What to play.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The ruleset.
    pub ruleset: &'static Ruleset,
    /// The time limits.
    pub limits: Limits,
    /// The programs.
    pub programs: Vec<Program>,
    /// The games.
    pub fixtures: Vec<Fixture>,
    /// The number of games to play at the same time, at least one.
    pub parallel: usize,
    /// The folder for records.
    pub records: Option<PathBuf>,
    /// The folder for logs: the moves of each game, and each program's standard error.
    pub logs: Option<PathBuf>,
}

/// A game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Played {
    /// The fixture that was played.
    pub fixture: Fixture,
    /// The game's id.
    pub game: GameId,
    /// The last line of the dialogue.
    pub quit: Quit,
    /// The game's outcome.
    pub outcome: Outcome,
    /// Turns taken.
    pub plies: Ply,
    /// The time that each program used on its turns.
    pub thinking: PerSide<Thinking>,
    /// The fault of each program, in words.
    pub faults: PerSide<Option<String>>,
}

/// Why a series cannot continue.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what each error is")]
pub enum SeriesError {
    #[error("{path:?} cannot be written: {error}")]
    Write { path: PathBuf, error: io::Error },
    #[error("the operating system provides no random numbers: {0}")]
    Entropy(getrandom::Error),
    #[error("a game failed: {0}")]
    Task(#[from] tokio::task::JoinError),
}

/// Plays the plan's games. Returns them in the order of the plan.
///
/// Calls `watch` at the start and after each game, with the finished games and the number of
/// games in progress. When `stop` becomes true, the games in progress are stopped and do not
/// count.
///
/// # Errors
/// [`SeriesError`]. The records that were written before the error remain.
pub async fn play(
    arena: Arena,
    plan: Arc<Plan>,
    stop: watch::Receiver<bool>,
    mut watch: impl FnMut(&[Played], usize),
) -> Result<Vec<Played>, SeriesError> {
    for folder in plan.records.iter().chain(&plan.logs) {
        fs::create_dir_all(folder).map_err(|error| SeriesError::Write { path: folder.clone(), error })?;
    }
    let mut fixtures = plan.fixtures.clone().into_iter();
    let mut under_way = JoinSet::new();
    let mut played = Vec::new();
    loop {
        while under_way.len() < plan.parallel.max(1) && !*stop.borrow() {
            let Some(fixture) = fixtures.next() else { break };
            under_way.spawn(play_one(arena.clone(), Arc::clone(&plan), fixture, stop.clone()));
        }
        watch(&played, under_way.len());
        match under_way.join_next().await {
            None => break,
            Some(done) => played.extend(done??),
        }
    }
    played.sort_by_key(|played| played.fixture.number);
    Ok(played)
}

/// Plays one game. `None` if the game was stopped.
async fn play_one(
    arena: Arena,
    plan: Arc<Plan>,
    fixture: Fixture,
    stop: watch::Receiver<bool>,
) -> Result<Option<Played>, SeriesError> {
    let programs = PerSide::from_fn(|side| &plan.programs[fixture.sides[side]]);
    let terms = BoutTerms {
        game: GameId::from_random(random()?),
        ruleset: plan.ruleset,
        lakes: plan.ruleset.draw_lakes(&Entropy(random()?)),
        created: now(),
        names: PerSide::from_fn(|side| programs[side].name.clone()),
        limits: plan.limits,
        entropy: PerSide::new(Entropy(random()?), Entropy(random()?)),
    };
    let game = terms.game;
    let stem = format!("{:04}-{}-vs-{}-{game}", fixture.number, terms.names.red, terms.names.blue);
    let stderr = PerSide::from_fn(|side| {
        plan.logs.as_ref().map(|folder| folder.join(format!("{stem}.{}.stderr", side.name())))
    });
    let (bout, aftermath) = game::play(&arena, programs, stderr, Bout::new(terms), stop).await;
    let Some(ending) = bout.ending().cloned() else { return Ok(None) };
    let played = Played {
        fixture,
        game,
        quit: ending.quit.clone(),
        outcome: ending.outcome,
        plies: bout.game.ply(),
        thinking: bout.thinking,
        faults: PerSide::from_fn(|side| fault(&ending, side, &aftermath[side])),
    };
    if let Some(folder) = &plan.logs {
        write_whole(&folder.join(format!("{stem}.log")), log(&plan, &played, &bout.moves).as_bytes())?;
    }
    if played.outcome.reason == EndReason::Aborted {
        return Ok(None);
    }
    if let Some(folder) = &plan.records {
        let path = folder.join(format!("{stem}.json"));
        let text = serde_json::to_vec_pretty(&bout.record())
            .map_err(|error| SeriesError::Write { path: path.clone(), error: error.into() })?;
        write_whole(&path, &text)?;
    }
    Ok(Some(played))
}

/// Describes a program's fault, with details about how its process ended.
fn fault(ending: &Ending, side: Side, aftermath: &Aftermath) -> Option<String> {
    let fault = ending.faults[side].as_ref()?;
    let mut words = fault.to_string();
    if let (Fault::Late { .. }, Some(processor)) = (fault, aftermath.processor) {
        // Processor time far below the limit means that the program waited, or that the machine
        // was too busy.
        let seconds = processor.as_secs_f64();
        words.push_str(&format!(", in which it used {seconds:.2} s of processor time"));
    }
    if let Some(exit) = aftermath.exit.filter(|exit| !exit.success()) {
        words.push_str(&format!("; it ended with {exit}"));
    }
    let last = aftermath.stderr_tail.lines().last().unwrap_or_default().trim();
    if !last.is_empty() {
        // Replace control characters, because a program's output could contain terminal escapes.
        let last: String =
            last.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
        words.push_str(&format!("; its last words: {last}"));
    }
    Some(words)
}

/// Returns a game's log: the players, the moves with the outcomes that the mover saw, and the
/// end.
fn log(plan: &Plan, played: &Played, moves: &[String]) -> String {
    let Played { fixture, game, quit, faults, .. } = played;
    let name = |side: Side| &plan.programs[fixture.sides[side]].name;
    let mut text = format!(
        "game {} ({game}), {}: RED {}, BLUE {}\n",
        fixture.number,
        plan.ruleset.id,
        name(Side::Red),
        name(Side::Blue)
    );
    for (index, told) in moves.iter().enumerate() {
        let side = if index % 2 == 0 { "RED" } else { "BLUE" };
        text.push_str(&format!("{} {side}: {told}\n", index / 2 + 1));
    }
    text.push_str(&format!("{quit}\n"));
    for side in Side::BOTH {
        if let Some(fault) = &faults[side] {
            text.push_str(&format!("{}: {fault}\n", name(side)));
        }
    }
    text
}

/// Writes a file completely or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), SeriesError> {
    let partial = path.with_added_extension("partial");
    let write = || {
        fs::write(&partial, bytes)?;
        fs::rename(&partial, path)
    };
    write().map_err(|error| SeriesError::Write { path: path.to_owned(), error })
}

fn random<const LEN: usize>() -> Result<[u8; LEN], SeriesError> {
    let mut bytes = [0; LEN];
    getrandom::fill(&mut bytes).map_err(SeriesError::Entropy)?;
    Ok(bytes)
}

fn now() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Stamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(fixtures: &[Fixture]) -> Vec<(usize, usize)> {
        fixtures.iter().map(|fixture| (fixture.sides.red, fixture.sides.blue)).collect()
    }

    #[test]
    fn sides_alternate_where_they_are_to() {
        assert_eq!(sides(&duel(3, false)), [(0, 1), (0, 1), (0, 1)]);
        assert_eq!(sides(&duel(3, true)), [(0, 1), (1, 0), (0, 1)]);
    }

    #[test]
    fn in_a_round_robin_every_pair_plays_both_sides() {
        let fixtures = round_robin(3, 2);
        assert_eq!(sides(&fixtures), [(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)]);
        let numbers: Vec<usize> = fixtures.iter().map(|fixture| fixture.number).collect();
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
        assert_eq!(round_robin(1, 2), []);
        assert_eq!(round_robin(6, 4).len(), 60);
    }
}
