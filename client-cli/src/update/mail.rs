//! The commands for play by mail, for players who have many games and do not want to open each of
//! them.

use flagfall_board::{GameId, Numbering, Ply, Side};
use flagfall_protocol::{ClientToServer, GameCommand, Phase, QueuedMove, Speed, Terms, Time};
use flagfall_rules::Ruleset;

use super::{challenges, game, goal, outbox};
use crate::model::Model;
use crate::request::Request;
use crate::{command_text, names, text, words};

/// The commands that work without an open game.
const WORDS: [&str; 12] = [
    "games",
    "next",
    "open",
    "challenge",
    "challenges",
    "withdraw",
    "show",
    "showas",
    "history",
    "standings",
    "ratings",
    "set",
];

/// True if a lowercase word is a command that works without an open game.
pub(super) fn is_word(word: &str) -> bool {
    WORDS.contains(&word)
}

/// Carries out a command. True if `word` is one of these commands.
pub(super) fn carry_out(model: &mut Model, word: &str, rest: &str) -> bool {
    let done = match word {
        "games" => start(model, Request::OwnGames),
        "next" => start(model, Request::Next),
        "open" => game_id(rest).map(|id| goal::enter(model, id)),
        "challenge" => challenge(model, rest),
        "challenges" => start(model, Request::Challenges),
        "accept" if !rest.is_empty() && !rest.starts_with('#') => {
            challenges::accept(model, rest);
            Ok(())
        }
        "withdraw" => withdraw(model, rest),
        "reject" if !rest.is_empty() => start(model, Request::Decline { challenge: rest.to_owned() }),
        "reject" => {
            game::command(model, GameCommand::DeclineDraw {});
            Ok(())
        }
        "propose" => propose(model, rest),
        "queue" => queue(model, rest),
        "show" | "showas" => {
            let shown = named_game(model, rest);
            shown.and_then(|game| start(model, Request::Show { game, is_own: word == "showas" }))
        }
        "history" => history(model, rest),
        "standings" => standings(model, rest),
        "ratings" => ratings(model, rest),
        "set" => set(model, rest),
        _ => return false,
    };
    if let Err(why) = done {
        model.refuse(why);
    }
    true
}

/// The result of a command. The error is a message for the user.
type Done = Result<(), String>;

fn start(model: &mut Model, request: Request) -> Done {
    outbox::request(model, request);
    Ok(())
}

fn game_id(text: &str) -> Result<GameId, String> {
    text.parse().map_err(|_| text!("not-a-game-id", text))
}

/// Returns the game that the user named, or the open game.
fn named_game(model: &Model, rest: &str) -> Result<GameId, String> {
    match (&model.game, rest) {
        (Some(game), "") => Ok(game.summary.id),
        (None, "") => Err(text!("no-game-named")),
        (_, text) => game_id(text),
    }
}

/// The terms of a challenge, and the name of the challenged player.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Challenged {
    pub(super) name: Option<String>,
    pub(super) terms: Terms,
    pub(super) side: Option<Side>,
}

/// Parses the words after `challenge`, in any order.
pub(super) fn parse_challenge(rest: &str) -> Result<Challenged, String> {
    let mut name = None;
    let mut side = None;
    let mut terms = Terms {
        ruleset: "pbm".to_owned(),
        time: Time::Correspondence { days: 3 },
        private: false,
        secret: false,
        rated: false,
    };
    for word in rest.split_whitespace() {
        let small = word.to_ascii_lowercase();
        match small.as_str() {
            "red" => side = Some(Side::Red),
            "blue" => side = Some(Side::Blue),
            "rated" => terms.rated = true,
            "private" => terms.private = true,
            "secret" => terms.secret = true,
            "-small" => terms.ruleset = "pbm-small".to_owned(),
            _ if Ruleset::parse(&small).is_ok() => terms.ruleset = small,
            _ if small.starts_with(|letter: char| letter.is_ascii_digit()) || small == "none" => {
                terms.time = words::parse_time(&small)?;
                words::check_time(terms.time)?;
            }
            _ if name.is_none() => name = Some(word.to_owned()),
            _ => {
                let ids = Ruleset::all().iter().map(|ruleset| ruleset.id);
                return Err(match names::closest(word, ids) {
                    Some(meant) => text!("challenge-not-understood-meant", word, meant),
                    None => text!("challenge-not-understood", word),
                });
            }
        }
    }
    Ok(Challenged { name, terms, side })
}

fn challenge(model: &mut Model, rest: &str) -> Done {
    let Challenged { name, terms, side } = parse_challenge(rest)?;
    let cmd_id = outbox::send(model, |cmd_id| ClientToServer::Challenge { cmd_id, terms, side });
    if let Some(name) = name {
        model.challenges.addressed.insert(cmd_id.as_str().to_owned(), name);
    }
    Ok(())
}

fn withdraw(model: &mut Model, code: &str) -> Done {
    if code.is_empty() {
        return Err(text!("withdraw-usage"));
    }
    outbox::send(model, |cmd_id| ClientToServer::CancelChallenge { cmd_id, challenge: code.to_owned() });
    Ok(())
}

fn propose(model: &mut Model, rest: &str) -> Done {
    match rest {
        "" | "draw" => game::draw(model),
        "rematch" => game::rematch(model),
        _ => return Err(text!("propose-usage", text = rest)),
    }
    Ok(())
}

fn queue(model: &mut Model, rest: &str) -> Done {
    let open = model.game.as_ref().ok_or_else(|| text!("no-game-open"))?;
    let (game, ply, epoch) = (open.summary.id, open.view.ply, open.epoch);
    match rest {
        "" => return start(model, Request::Queue { game }),
        "clear" => return start(model, Request::ClearQueue { game }),
        _ => {}
    }
    if !matches!(open.summary.terms.time, Time::Correspondence { .. }) {
        return Err(text!("queue-days-only"));
    }
    if open.view.phase != Phase::Playing || open.own_side().is_none() {
        return Err(text!("queue-players-only"));
    }
    if open.is_own_turn() {
        return Err(text!("refusal-own-turn"));
    }
    let moves = parse_queue(rest)?;
    start(model, Request::SetQueue { game, ply, epoch, moves })
}

/// Parses queued moves such as `a4a5 if b7b6, a5a6`.
pub(super) fn parse_queue(text: &str) -> Result<Vec<QueuedMove>, String> {
    text.split(',').map(str::trim).map(queued).collect()
}

fn queued(text: &str) -> Result<QueuedMove, String> {
    let wrong = || text!("queue-not-understood", text);
    let parse = |act| command_text::parse(act).ok_or_else(wrong);
    let (act, condition) = text.split_once(" if ").unzip();
    let command = Some(parse(act.unwrap_or(text))?).filter(is_ply).ok_or_else(wrong)?;
    let after = match condition.map(parse).transpose()? {
        Some(GameCommand::Move { squares, .. }) => Some(squares),
        Some(_) => return Err(wrong()),
        None => None,
    };
    Ok(QueuedMove { command, after })
}

fn is_ply(act: &GameCommand) -> bool {
    matches!(act, GameCommand::Move { .. } | GameCommand::Remove { .. } | GameCommand::Place { .. })
}

fn history(model: &mut Model, rest: &str) -> Done {
    let mut words = rest.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(first), None, None) if first.parse::<GameId>().is_err() => {
            start(model, Request::Played { player: names::player(first)? })
        }
        (Some(first), Some(second), None) => {
            let (player, opponent) = (names::player(first)?, names::player(second)?);
            start(model, Request::HeadToHead { player, opponent })
        }
        (_, _, Some(_)) => Err(text!("history-usage")),
        _ => {
            let game = named_game(model, rest)?;
            start(model, Request::Moves { game })
        }
    }
}

fn standings(model: &mut Model, rest: &str) -> Done {
    let open = model.game.as_ref().map(|game| &game.summary.terms);
    let mut ruleset = open.map_or_else(|| "pbm".to_owned(), |terms| terms.ruleset.clone());
    let mut speed = open.and_then(|terms| Speed::of(terms.time)).unwrap_or(Speed::Correspondence);
    for word in rest.split_whitespace().map(str::to_ascii_lowercase) {
        if let Some(named) = Speed::from_name(&word) {
            speed = named;
        } else if Ruleset::all().iter().any(|ruleset| ruleset.id == word) {
            ruleset = word;
        } else {
            let known = Ruleset::all().iter().map(|ruleset| ruleset.id).chain(Speed::ALL.map(Speed::name));
            return Err(match names::closest(&word, known) {
                Some(meant) => text!("standings-not-understood-meant", word, meant),
                None => text!("standings-not-understood", word),
            });
        }
    }
    start(model, Request::Standings { ruleset, speed })
}

fn ratings(model: &mut Model, rest: &str) -> Done {
    let own = || model.login.player.as_ref().map(|player| player.name.clone()).unwrap_or_default();
    let player = if rest.is_empty() { own() } else { rest.to_owned() };
    let player = names::player(&player)?;
    start(model, Request::Ratings { player })
}

fn set(model: &mut Model, rest: &str) -> Done {
    match rest.to_ascii_lowercase().split_whitespace().collect::<Vec<_>>().as_slice() {
        [] => {}
        ["flip"] => model.options.flip = true,
        ["noflip"] => model.options.flip = false,
        ["numbers", "us"] => model.options.numbering = Numbering::Us,
        ["numbers", "eu"] => model.options.numbering = Numbering::Eu,
        _ => return Err(text!("set-usage", text = rest)),
    }
    let numbers = match model.options.numbering {
        Numbering::Us => "us",
        Numbering::Eu => "eu",
    };
    model.say(text!("settings", flip = model.options.flip, numbers));
    Ok(())
}

/// Splits a suffix such as `#12` off a line. The suffix is the number of the ply that the line is
/// meant for.
pub(super) fn move_number(text: &str) -> Result<(String, Option<Ply>), String> {
    let mut number = None;
    let mut rest = Vec::new();
    for word in text.split_whitespace() {
        match word.strip_prefix('#') {
            Some(digits) => {
                number = Some(digits.parse::<Ply>().map_err(|_| text!("not-a-ply", word))?);
            }
            None => rest.push(word),
        }
    }
    Ok((rest.join(" "), number))
}
