//! The command line.

mod play;
mod programs;
mod read;
mod records;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use flagfall_board::{GameId, Numbering};
use flagfall_protocol::{Exit, RecordScope, Speed};

use crate::alerts::{Alert, Alerts};
use crate::model::DEFAULT_SERVER;
use programs::{BOT_EXAMPLES, UMPIRE_EXAMPLES};
use read::{parse_ruleset, parse_scope, parse_speed};

pub use play::{PlayArgs, SeekArgs, WishArgs};
pub use programs::{BotArgs, ResultsFormat, UmpireArgs};
pub use records::{CheckArgs, ConvertArgs, RecordSource};

const EXAMPLES: &str = "\
Examples:
  flagfall play --bot                    a game against the house, on the full screen
  flagfall play                          take a fitting open offer, or make one and wait
  flagfall play --rules barrage --time 5+3
  flagfall play --rated --rating 1400-1600
  flagfall play --challenge              a game for a friend: prints the code to type
  flagfall play --accept CODE
  flagfall watch                         pick a running game and follow it
  flagfall rules barrage                 what is played there
  flagfall bot --exec ./ann --rules pbm  let a program play

A guest's credential is kept per server and name, so that a crash costs no seat.
Names of commands, rulesets, levels and speeds may be written in capitals, too.";

/// Play and watch Stratego in the terminal.
#[derive(Clone, Debug, Parser)]
#[command(name = "flagfall", version, after_help = format!("{EXAMPLES}\n\n{}", Exit::HELP), propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// What all commands have in common.
    #[command(flatten)]
    pub common: Common,
}

/// What all commands have in common.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// The server: https://host where it speaks TLS, host:port where it does not. A bare name such
    /// as play.example.org means https. Several servers of one service: separate them by commas;
    /// when one is gone the next one is tried at once.
    #[arg(long, global = true, env = "FLAGFALL_SERVER", default_value = DEFAULT_SERVER, value_name = "URL")]
    pub server: String,
    /// A file with the certificates (PEM) of authorities to trust beside those that browsers trust:
    /// for servers of a club with its own.
    #[arg(long, global = true, env = "FLAGFALL_CA", value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Who you are on that server; a new name is a new guest (2 to 20 letters, digits, - and _).
    #[arg(long, global = true, value_name = "NAME")]
    pub name: Option<String>,
    /// Lines instead of a full screen: for screen readers and scripts.
    #[arg(long, global = true)]
    pub plain: bool,
    /// No colors; the environment's `NO_COLOR` says the same.
    #[arg(long, global = true)]
    pub no_color: bool,
    /// The figures on the pieces: us (1 Marshal to 9 Scout) or eu (10 Marshal to 2 Scout).
    #[arg(long, global = true, value_enum, ignore_case = true, default_value_t = Numbers::Us)]
    pub numbers: Numbers,
    /// Red always at the bottom, instead of your own side.
    #[arg(long, global = true)]
    pub noflip: bool,
    /// How the full screen calls you when it is your turn: bell, title (of the window), desktop (a
    /// notification, in terminals that know OSC 9), or none. Several: separate them by commas.
    #[arg(
        long,
        global = true,
        env = "FLAGFALL_ALERTS",
        value_name = "WAYS",
        value_enum,
        ignore_case = true,
        value_delimiter = ',',
        default_value = "bell,title"
    )]
    pub alerts: Vec<AlertName>,
    /// Leave the mouse to the terminal, for example to select text. With the mouse, a click selects
    /// a piece and another one moves it.
    #[arg(long, global = true)]
    pub no_mouse: bool,
    /// Where credentials and saved deployments are kept; without it the system's folder for such
    /// files (~/.config/flagfall).
    #[arg(long, global = true, env = "FLAGFALL_CONFIG_DIR", value_name = "DIR")]
    pub config_dir: Option<PathBuf>,
}

impl Common {
    /// The ways in which the user wants to be called.
    #[must_use]
    pub fn alerts(&self) -> Alerts {
        Alerts::new(self.alerts.iter().filter_map(|name| name.alert()).collect())
    }
}

/// A way to call the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum AlertName {
    /// The terminal's bell.
    Bell,
    /// The title of the window.
    Title,
    /// A notification of the desktop.
    Desktop,
    /// Not at all.
    None,
}

impl AlertName {
    fn alert(self) -> Option<Alert> {
        match self {
            AlertName::Bell => Some(Alert::Bell),
            AlertName::Title => Some(Alert::Title),
            AlertName::Desktop => Some(Alert::Desktop),
            AlertName::None => None,
        }
    }
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Play a game: take a fitting open offer, or make one and wait.
    Play(PlayArgs),
    /// Wait to be paired with somebody of about your strength; the game begins by itself.
    #[command(
        after_help = "Every few seconds whoever waits for the same ruleset and clock is paired, closest ratings first; the longer one waits, the further the search goes. Quit to leave the pool. A line that drops costs no place.\n\nExamples:\n  flagfall seek --rated\n  flagfall seek --rules barrage --time 5+3 --rated"
    )]
    Seek(SeekArgs),
    /// Follow a running game; without an id pick one from the list.
    Watch {
        /// The game.
        game: Option<GameId>,
    },
    /// List your running games, the most urgent first, and the public ones.
    #[command(
        after_help = "Of each game: whose turn it is, the time left to him, the ply, your side, the opponent, and what is played. An account's games are listed from the server, whichever machine they were begun on.\n\nExamples:\n  flagfall games\n  flagfall next\n  flagfall play --game ID"
    )]
    Games,
    /// Go on with the most urgent game in which it is your turn.
    #[command(
        after_help = "Of the games in which you are to deploy, move or choose, the one whose time ends soonest is opened. When it is your turn in none, that is said, and when the next one may be."
    )]
    Next,
    /// Many games at one prompt, with the words of play by mail: challenge, deploy, move, queue,
    /// show, history and more.
    #[command(
        after_help = "Lines are read from the terminal or a script, one word and what belongs to it each; help lists them all. Challenges stand when you leave, and so do queued moves.\n\nExamples:\n  flagfall mail\n  echo 'challenge bob pbm 3days' | flagfall mail\n  printf 'next\\nmove a4a5\\nqueue a5a6 if b7b6\\n' | flagfall mail"
    )]
    Mail,
    /// Show the record of a game: one that a server has (whole after its end, before that as you
    /// may know it), or a file.
    #[command(
        after_help = "A file may have any format that flagfall convert reads; no server is asked then. On a terminal a file\nis stepped through with the arrow keys, elsewhere it is shown as text.\n\nExamples:\n  flagfall record 0123456789ab --json --out final.json\n  flagfall record 0123456789ab --as public --step\n  flagfall record final.json\n  flagfall record final.json --text\n  flagfall record game.xml --step --plain"
    )]
    Record {
        /// The game's id, or a file with a record; - for standard input.
        #[arg(value_name = "GAME|FILE", value_parser = RecordSource::parse)]
        source: RecordSource,
        /// Whose record: the game as Red, Blue or the public saw it live, or with everything open.
        /// Without it, what you may know now.
        #[arg(long = "as", value_name = "red|blue|public|all", value_parser = parse_scope)]
        scope: Option<RecordScope>,
        /// As JSON.
        #[arg(long, conflicts_with = "text")]
        json: bool,
        /// As text (the default).
        #[arg(long)]
        text: bool,
        /// Into this file instead of the terminal.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Step through it on the board with the arrow keys.
        #[arg(long, conflicts_with_all = ["json", "text", "out"])]
        step: bool,
    },
    /// Check records: whether everything they tell is true of the game they tell.
    #[command(
        after_help = "A line for each record: good, partly (and what could not be checked) or FALSE (with the ply, a code and why).\ndocs/protocol/RECORDS.md explains the codes.\nExit codes: 0 nothing is false, 1 something is, 4 something could not be read.\n\nExamples:\n  flagfall record 0123456789ab --json | flagfall check -\n  flagfall check games/ final.json\n  curl -s https://play.example.org/api/keys > keys.json; flagfall check --key keys.json final.json"
    )]
    Check(CheckArgs),
    /// Write a game in another format: json (our records), text, strados (Gravon's XML), pbm
    /// (play-by-mail text).
    #[command(
        after_help = "Games that come from elsewhere are played move by move: what is no legal game is refused, with the move and why.\ndocs/protocol/RECORDS.md says what each format cannot tell.\n\nExamples:\n  flagfall convert final.json                         as text\n  flagfall convert --to strados final.json game.xml\n  flagfall convert game.xml game.json\n  flagfall convert --rules tournament game.xml"
    )]
    Convert(ConvertArgs),
    /// Explain a ruleset; without an id list them all.
    Rules {
        /// The ruleset's id, with or without changes: classic, or classic,ties=attacker.
        ruleset: Option<String>,
    },
    /// Let outside programs play each other over the line protocol.
    #[command(after_help = UMPIRE_EXAMPLES)]
    Umpire(Box<UmpireArgs>),
    /// Let a program that speaks the line protocol play on a server, or play over it as a house
    /// player.
    #[command(after_help = BOT_EXAMPLES)]
    Bot(Box<BotArgs>),
    /// List, save, show, remove, export and import deployments to load later.
    #[command(
        visible_alias = "setups",
        after_help = "An account's deployments are kept by the server, wherever you log in; a guest's stay in a folder of this machine. While you deploy, l picks one from a list and w saves one.\n\nExamples:\n  flagfall deployments\n  flagfall deployments save barrage corner '.9..1..... ..2......9 ..S.....8. ........FB'\n  flagfall deployments show barrage corner\n  flagfall deployments export mine.json\n  flagfall play --rules barrage --setup corner\n\nThe text has a letter for every home square, the row nearest the enemy first, each row from your\nown left: 1-9 for Marshal to Scout, S Spy, B Bomb, F Flag, and . for a square left empty."
    )]
    Deployments {
        /// What to do with them.
        #[command(subcommand)]
        command: Option<DeploymentsCommand>,
    },
    /// Make an account: of the guest you are here, whose games stay yours, or a new one.
    #[command(after_help = ACCOUNT_HELP)]
    Signup(SignUpArgs),
    /// Log in to an account; the credential is kept on this machine.
    #[command(after_help = ACCOUNT_HELP)]
    Login(LoginArgs),
    /// Log out: the credential kept here is revoked.
    Logout,
    /// Say who you are on the server.
    Whoami,
    /// Show the best of a ruleset at a speed.
    #[command(
        after_help = "Every ruleset has a list for each speed: bullet, blitz, rapid and classical, by the time that a clock gives for forty plies (under 3, under 8, under 25 minutes, or more), and correspondence. On the list is who has played enough lately for a certain rating (deviation 75 or less)."
    )]
    Leaderboard(LeaderboardArgs),
    /// Show what everybody may know of a player: ratings, and how one of them went.
    #[command(
        after_help = "Without --rules and --speed the chart is of the rating with the most games.\n\nExamples:\n  flagfall profile ann\n  flagfall profile ann --rules barrage --speed blitz"
    )]
    Profile(ProfileArgs),
    /// List a player's games that are over, or those of two against each other.
    #[command(
        after_help = "Private games are listed for their players alone. GAME ids are for flagfall record.\n\nExamples:\n  flagfall history\n  flagfall history ann\n  flagfall history ann bob"
    )]
    History(HistoryArgs),
    /// Be told of your turns in games with days per move: the server sends a signed POST to an
    /// address of yours.
    #[command(
        after_help = "What is sent is JSON with an id, the game, its ruleset, the ply and the deadline, nothing secret. Its header Flagfall-Signature is sha256= and the HMAC-SHA256 of the body under the secret that set tells once. A notice that is not answered with a status of the 200s is sent again, five times within three hours; the same notice may come twice, with the same id. After five lost ones in a row the webhook is given up until it is set again.\n\nExamples:\n  flagfall webhook set https://example.org/turns\n  flagfall webhook test\n  flagfall webhook show"
    )]
    Webhook {
        /// What to do with it.
        #[command(subcommand)]
        command: WebhookCommand,
    },
    /// Make a feed of your turns and ended games for a feed reader; make it anew and the address
    /// before is void.
    Feed {
        /// Remove it instead.
        #[arg(long)]
        remove: bool,
    },
    /// Show your own figures: by ruleset, side and deployment. Nobody else is shown them.
    Stats,
    /// Block a player: no games with each other, no pairing, and nothing they say reaches you.
    Block {
        /// The player's name.
        #[arg(value_name = "NAME")]
        player: String,
    },
    /// Let a player go whom you have blocked.
    Unblock {
        /// The player's name.
        #[arg(value_name = "NAME")]
        player: String,
    },
    /// List whom you have blocked.
    Blocks,
    /// List, make and revoke the tokens of your account.
    Tokens {
        /// What to do with them.
        #[command(subcommand)]
        command: Option<TokensCommand>,
    },
    /// Replace a lost password by the recovery code you wrote down at sign-up.
    #[command(after_help = ACCOUNT_HELP)]
    Recover {
        /// The account's name.
        #[arg(value_name = "NAME")]
        account: String,
    },
    /// Export or delete your account, change its password or recovery code.
    Account {
        /// What to do.
        #[command(subcommand)]
        command: AccountCommand,
    },
    /// Answer requests about games, a JSON line each, without a network: for tests and tools.
    #[command(
        after_help = "Reads a JSON request from each line of the standard input and answers each with a JSON line, in order; ends when the input ends. Anyone who talks to it sees every rank. docs/protocol/REFEREE.md has all requests and a session to paste.\n\nExample:\n  echo '{\"type\":\"about\"}' | flagfall referee"
    )]
    Referee,
}

const ACCOUNT_HELP: &str = "\
Passwords, recovery codes and tokens are asked for without being shown; where the standard input is no terminal, each is a line of it.
--name tells several accounts and guests on one machine apart; without it the account you logged in to last is meant.";

/// The account to make.
#[derive(Clone, Debug, Args)]
pub struct SignUpArgs {
    /// Its name: 2 to 20 letters, digits, - and _.
    #[arg(value_name = "NAME")]
    pub account: String,
    /// For a program: a bot account. That never changes, and everybody sees it.
    #[arg(long)]
    pub bot: bool,
    /// A new account, though you have played here as a guest.
    #[arg(long)]
    pub new: bool,
}

/// Whom to log in.
#[derive(Clone, Debug, Args)]
pub struct LoginArgs {
    /// The account's name.
    #[arg(value_name = "NAME", required_unless_present = "token")]
    pub account: Option<String>,
    /// With a token made on another machine (flagfall tokens new) instead of name and password.
    #[arg(long, conflicts_with = "account")]
    pub token: bool,
    /// What this login is called in the list of tokens.
    #[arg(long, value_name = "TEXT", conflicts_with = "token")]
    pub label: Option<String>,
}

/// Which list of the best.
#[derive(Clone, Debug, Args)]
pub struct LeaderboardArgs {
    /// The ruleset's id.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset, default_value = "classic")]
    pub rules: String,
    /// The speed.
    #[arg(long, value_name = "SPEED", value_parser = parse_speed, default_value = "rapid")]
    pub speed: Speed,
    /// The list of bots.
    #[arg(long)]
    pub bots: bool,
}

/// Whose ratings.
#[derive(Clone, Debug, Args)]
pub struct ProfileArgs {
    /// The player's name.
    #[arg(value_name = "NAME")]
    pub player: String,
    /// The ruleset of the chart.
    #[arg(long, value_name = "RULESET", value_parser = parse_ruleset, requires = "speed")]
    pub rules: Option<String>,
    /// The speed of the chart.
    #[arg(long, value_name = "SPEED", value_parser = parse_speed, requires = "rules")]
    pub speed: Option<Speed>,
}

/// Whose games.
#[derive(Clone, Debug, Args)]
pub struct HistoryArgs {
    /// The player's name; your own without it.
    #[arg(value_name = "NAME")]
    pub player: Option<String>,
    /// Only those against this player, with the tally of both.
    #[arg(value_name = "OPPONENT")]
    pub opponent: Option<String>,
    /// Go on behind a page: what it said at its end.
    #[arg(long, value_name = "PLACE")]
    pub after: Option<String>,
}

/// What to do with tokens.
#[derive(Clone, Debug, Subcommand)]
pub enum TokensCommand {
    /// List them.
    List,
    /// Make one, for another machine or a program; it is told once.
    New {
        /// What it is called in the list.
        #[arg(value_name = "TEXT")]
        label: String,
        /// What it may do: play is everything, bot is playing as a bot account and nothing else.
        #[arg(long, value_enum, ignore_case = true, default_value_t = ScopeName::Play)]
        scope: ScopeName,
    },
    /// Revoke one: whoever uses it is logged out at once.
    Revoke {
        /// Its id in the list.
        id: String,
    },
}

/// What a token may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ScopeName {
    /// Everything.
    Play,
    /// Playing as a bot account.
    Bot,
}

/// What to do with one's webhook.
#[derive(Clone, Debug, Subcommand)]
pub enum WebhookCommand {
    /// Set it; its secret is told once.
    Set {
        /// An https address.
        #[arg(value_name = "URL")]
        url: String,
    },
    /// Show it, and what came of the last notice.
    Show,
    /// Remove it.
    Remove,
    /// Send it a test now.
    Test,
}

/// What to do with one's account.
#[derive(Clone, Debug, Subcommand)]
pub enum AccountCommand {
    /// Print everything the server keeps of it, as JSON; passwords and tokens are not among it.
    Export {
        /// Into this file instead of the terminal.
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Change its password; all other logins end.
    Password,
    /// Get another recovery code; the one before is void.
    RecoveryCode,
    /// Delete it for good. Its games stay, without its name.
    Delete,
}

/// What to do with saved deployments.
#[derive(Clone, Debug, Subcommand)]
pub enum DeploymentsCommand {
    /// List them.
    List,
    /// Print one.
    Show {
        /// The ruleset's id.
        ruleset: String,
        /// Its name.
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
    },
    /// Save one.
    Save {
        /// The ruleset's id.
        ruleset: String,
        /// A name: letters, digits, - and _.
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
        /// A file, or the text itself.
        setup: String,
    },
    /// Remove one.
    #[command(visible_alias = "delete")]
    Remove {
        /// The ruleset's id.
        ruleset: String,
        /// Its name.
        #[arg(id = "setup_name", value_name = "NAME")]
        name: String,
    },
    /// Write all of them as JSON: ruleset, name, text.
    Export {
        /// Into this file instead of the terminal.
        #[arg(value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Save all of such a file; those of the same name are replaced.
    Import {
        /// The file, or - for the standard input.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// The figures on the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Numbers {
    /// 1 Marshal to 9 Scout.
    Us,
    /// 10 Marshal to 2 Scout.
    Eu,
}

impl From<Numbers> for Numbering {
    fn from(numbers: Numbers) -> Numbering {
        match numbers {
            Numbers::Us => Numbering::Us,
            Numbers::Eu => Numbering::Eu,
        }
    }
}

/// Lower-cases the names of commands, so that `flagfall Play` works.
///
/// Values of options stay as they are.
#[must_use]
pub fn with_small_commands(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let root = Cli::command();
    let mut command = &root;
    let mut is_value = false;
    for argument in arguments.iter_mut().skip(1) {
        let Some(text) = argument.to_str() else { continue };
        if std::mem::take(&mut is_value) {
            continue;
        }
        if let Some(option) = text.strip_prefix("--") {
            let takes_value =
                |arg: &clap::Arg| arg.get_long() == Some(option) && arg.get_action().takes_values();
            is_value = root.get_arguments().any(takes_value);
            continue;
        }
        let small = text.to_lowercase();
        match command.find_subcommand(&small) {
            Some(found) => {
                command = found;
                *argument = small.into();
            }
            None => break,
        }
    }
    arguments
}

#[cfg(test)]
mod tests;
