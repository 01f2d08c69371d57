//! The plan of a run, derived from its seed, so that a run can be repeated.

use std::path::{Path, PathBuf};
use std::time::Duration;

use flagfall_board::{Chance, Side};
use flagfall_bots::{random_setup, sensible_setup};
use flagfall_protocol::{Terms, Time};
use flagfall_rules::{Ruleset, Setup, Start};

use crate::chance::{between, chance_for, once_in};
use crate::storage::Storage;

/// The base time, in seconds, of games in which a flag must fall.
const FLAG_BASE_S: u32 = 10;

/// The time limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For all games together.
    pub run: Duration,
    /// Without an acknowledged move and without a mishap. The games that are not over then count as
    /// not ended.
    pub stall: Duration,
    /// For servers to complete what others have left unfinished, once all games are over. They look
    /// for it in turns, and leave it alone for some seconds, or for a minute if nothing was done.
    pub completion: Duration,
    /// For servers to archive the games, once all are over.
    pub archive: Duration,
}

/// The size of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of games.
    pub games: usize,
    /// The number of spectators of each game.
    pub spectators: usize,
    /// The number of times that the server is killed while games run.
    pub kills: usize,
    /// The number of games that are played twice.
    pub pairs: usize,
    /// The number of games at a time.
    pub concurrency: usize,
    /// The ply after which most games are resigned.
    pub resign_after: u16,
    /// The longest time that a player thinks about a move, in milliseconds, so that games last as
    /// long as the mishaps.
    pub think_ms: usize,
    /// The seed of everything random, except for the order of events on the network.
    pub seed: u64,
    /// The time limits of a run.
    pub patience: Patience,
    /// The place where the servers store the games, and the number of servers.
    pub storage: Storage,
    /// The server's program.
    pub server: PathBuf,
    /// Environment variables for the servers, in addition to the trial's own.
    pub environment: Vec<(String, String)>,
    /// The time within which clients of a killed server must continue on another one, in
    /// milliseconds.
    pub elsewhere_max_ms: u64,
    /// The time within which clients must be told that the store is away, in milliseconds.
    pub told_max_ms: u64,
    /// True if the checker must first find planted faults.
    pub rehearses: bool,
    /// True if the servers' folders are kept at the end.
    pub keeps: bool,
    /// The folder of deployments by people.
    pub data: PathBuf,
}

#[derive(Clone, Debug)]
pub(crate) struct GamePlan {
    /// The number of the game in the run.
    pub number: usize,
    /// The agreed terms. `secret` says whether Red's deployment stays secret.
    pub terms: Terms,
    /// True if Blue's deployment stays secret.
    pub is_blue_secret: bool,
    /// The deployments that Red and Blue submit. Each side submits its own one after the other.
    pub setups: [Vec<String>; 2],
    /// The ply at which a side resigns, and the side. If `None`, the game goes on until the rules
    /// end it.
    pub resign: Option<(u16, Side)>,
    /// True if that side lets its time run out instead of resigning.
    pub is_flag_to_fall: bool,
    /// True if that side makes an illegal move instead, in a ruleset in which this loses the game
    /// (§U7).
    pub breaks_rules: bool,
    /// The longest time that a player thinks about a move, in milliseconds.
    pub think_ms: usize,
    /// From this ply on, the side to move resigns once all mishaps are over.
    pub tired_at: u16,
    /// The seed of the game's own choices.
    pub seed: u64,
}

/// Deployments to choose from, by ruleset.
#[derive(Clone, Debug, Default)]
pub(crate) struct SetupFiles {
    classic: Vec<String>,
    barrage: Vec<String>,
    /// Notes about which files were read and which are missing.
    pub notes: Vec<String>,
}

impl SetupFiles {
    /// Reads the files. For each missing file, adds a note and uses random deployments instead.
    #[must_use]
    pub(crate) fn read(folder: &Path) -> SetupFiles {
        let mut files = SetupFiles::default();
        let mut read = |name: &str| match std::fs::read_to_string(folder.join(name)) {
            Ok(text) => {
                let lines: Vec<String> =
                    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
                files.notes.push(format!("{name}: {} deployments", lines.len()));
                lines
            }
            Err(error) => {
                files.notes.push(format!("{name}: skipped ({error}); using random deployments"));
                Vec::new()
            }
        };
        let (classic, barrage) = (read("setups-classic.txt"), read("setups-barrage.txt"));
        SetupFiles { classic, barrage, ..files }
    }

    /// A deployment in the text form of §P4.
    pub(crate) fn choose(&self, ruleset: &Ruleset, side: Side, chance: &mut Chance) -> String {
        let list = match ruleset.id {
            "classic" => &self.classic,
            "barrage" => &self.barrage,
            _ => &Vec::new(),
        };
        if list.is_empty() {
            return text_of(&random_setup(ruleset, side, chance), ruleset, side);
        }
        list[chance.below(list.len())].clone()
    }

    /// Returns a deployment for a game that should be long.
    ///
    /// Without a file, every second deployment is one that a careful player would choose. In
    /// rulesets with a reserve, all deployments are of this kind, because back rows may be
    /// joined.
    fn choose_for_game(&self, ruleset: &Ruleset, side: Side, chance: &mut Chance) -> String {
        let has_file = ["classic", "barrage"].contains(&ruleset.id);
        if !has_file && (ruleset.reserve || once_in(chance, 2)) {
            return text_of(&sensible_setup(ruleset, ruleset.shape.lakes, side, chance), ruleset, side);
        }
        self.choose(ruleset, side, chance)
    }
}

/// Returns a house player's deployment, which is always valid, in the text form of §P4.
fn text_of(setup: &Setup, ruleset: &Ruleset, side: Side) -> String {
    setup.deploy(side, ruleset).map(|deployment| deployment.into_text()).unwrap_or_default()
}

/// The rulesets of a run's games, used in turn.
///
/// The first twelve entries contain every ruleset once. Rulesets with short games, and those with
/// the most hidden information, come more often.
const TURNS: [&str; 18] = [
    "classic",
    "barrage",
    "shadowflash-3",
    "quantum",
    "tournament",
    "silent-defense",
    "course",
    "original",
    "pbm",
    "shadowflash-1",
    "pbm-small",
    "shadowflash-2",
    "classic",
    "barrage",
    "quantum",
    "shadowflash-3",
    "classic",
    "barrage",
];

#[must_use]
pub(crate) fn ruleset_at(number: usize) -> &'static str {
    TURNS[number % TURNS.len()]
}

#[must_use]
pub(crate) fn plan_games(options: &Options, setups: &SetupFiles) -> Vec<GamePlan> {
    (0..options.games).map(|number| plan_game(options, setups, number, ruleset_at(number))).collect()
}

/// The game with this number and ruleset.
#[must_use]
pub(crate) fn plan_game(options: &Options, setups: &SetupFiles, number: usize, id: &str) -> GamePlan {
    let mut chance = chance_for(options.seed, "game", number);
    // The list contains only existing rulesets.
    let ruleset = Ruleset::find(id).unwrap_or(Ruleset::all()[0]);
    let mut of_side = |side: Side| {
        let count = match ruleset.start {
            Start::Deployments if once_in(&mut chance, 4) => 2,
            Start::Deployments => 1,
            Start::Coins => 0,
        };
        (0..count).map(|_| setups.choose_for_game(ruleset, side, &mut chance)).collect::<Vec<String>>()
    };
    let both = [of_side(Side::Red), of_side(Side::Blue)];
    let time = match chance.below(9) {
        0..3 => Time::Fischer { base_s: 900, increment_s: 2 },
        3 => Time::Fischer { base_s: FLAG_BASE_S, increment_s: 1 },
        _ => Time::Unlimited {},
    };
    let is_flag_to_fall = matches!(time, Time::Fischer { base_s: FLAG_BASE_S, .. });
    let plays_on = match ruleset.id {
        "barrage" => once_in(&mut chance, 2),
        // Such a game would take too long without a resignation.
        _ => !ruleset.reserve && once_in(&mut chance, 8),
    } && !is_flag_to_fall;
    let limit = usize::from(options.resign_after);
    let limit = if is_flag_to_fall { limit.min(40) } else { limit };
    let resign_at = u16::try_from(between(&mut chance, limit / 2, limit)).unwrap_or(u16::MAX);
    let loser = if once_in(&mut chance, 2) { Side::Red } else { Side::Blue };
    GamePlan {
        number,
        terms: Terms {
            ruleset: ruleset.id.to_owned(),
            time,
            private: false,
            secret: once_in(&mut chance, 6),
            rated: false,
        },
        is_blue_secret: once_in(&mut chance, 6),
        setups: both,
        resign: (!plays_on).then_some((resign_at, loser)),
        is_flag_to_fall,
        breaks_rules: ruleset.illegal_act_loses && once_in(&mut chance, 2),
        think_ms: options.think_ms,
        tired_at: options.resign_after.saturating_mul(2),
        seed: options.seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    }
}
