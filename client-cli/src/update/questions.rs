//! Answers questions about the game in line-based mode, for example about a square, a rank or the
//! clocks. A screen reader therefore need not read the whole board.

use flagfall_board::{Side, Square};
use flagfall_protocol::Phase;
use flagfall_rules::{Identity, Ruleset, SeenPiece};

use crate::model::{Model, OpenGame};
use crate::{command_text, plain, status, targets, text, words};

const WORDS: [&str; 11] =
    ["status", "clocks", "last", "reserve", "pool", "pools", "captured", "losses", "square", "row", "rank"];

/// Answers a question. True if `word` is a question.
pub(super) fn answer(model: &mut Model, word: &str, rest: &str) -> bool {
    if !WORDS.contains(&word) {
        return false;
    }
    let lines = match &model.game {
        Some(game) => answer_about(model, game, word, rest),
        None => vec![text!("no-game-yet")],
    };
    model.say_all(lines);
    true
}

fn answer_about(model: &Model, game: &OpenGame, word: &str, rest: &str) -> Vec<String> {
    match (word, game.ruleset) {
        ("status", _) => status(model, game),
        ("clocks", _) => clocks(model, game),
        ("last", _) => or_else(status::happened(&game.view), || text!("no-move-yet")),
        ("reserve", _) => reserve(game),
        ("pool" | "pools", _) => pools(game),
        (_, None) => vec![text!("screen-unknown-ruleset", ruleset = &game.view.ruleset)],
        ("square", Some(ruleset)) => square(model, game, ruleset, rest),
        ("row", Some(ruleset)) => row(model, game, ruleset, rest),
        ("rank", Some(ruleset)) => rank(game, ruleset, rest),
        (_, Some(ruleset)) => losses(game, ruleset),
    }
}

/// Returns the lines, or a single default line if there are none.
fn or_else(lines: Vec<String>, line: impl FnOnce() -> String) -> Vec<String> {
    if lines.is_empty() { vec![line()] } else { lines }
}

fn status(model: &Model, game: &OpenGame) -> Vec<String> {
    let view = &game.view;
    let mut lines = vec![match view.phase {
        Phase::Deploying => text!("status-deploying"),
        Phase::Playing => match view.turn {
            Some(side) => text!("status-turn", ply = view.ply, side),
            None => text!("status-ply", ply = view.ply),
        },
        Phase::Over => view.outcome.as_ref().map(words::outcome).unwrap_or_default(),
    }];
    for side in Side::BOTH {
        let player = words::player(&game.summary.players[side]);
        let presence = status::presence(game, side);
        let clock = game.remaining_ms(side, model.server_now());
        let clock = clock.map_or_else(|| "none".to_owned(), words::clock);
        let ready = match (view.phase, view.ready[side]) {
            (Phase::Deploying, true) => "yes",
            (Phase::Deploying, false) => "no",
            (Phase::Playing | Phase::Over, _) => "started",
        };
        lines.push(text!("status-player", side, player, presence, clock, ready));
    }
    lines.extend(status::claim(model));
    if let Some(side) = view.draw_offer {
        lines.push(text!("event-draw-offered", side));
    }
    lines.extend(status::happened(view).into_iter().map(|event| text!("status-last", event)));
    lines.extend(words::owed(view));
    lines.extend(words::choice(view));
    lines
}

fn clocks(model: &Model, game: &OpenGame) -> Vec<String> {
    let now = model.server_now();
    if let (Phase::Deploying, Some(deadline)) = (game.view.phase, game.view.deploy_deadline) {
        return vec![text!("answer-deploy-clock", left = words::clock(deadline.0.saturating_sub(now)))];
    }
    let clock = |side: Side| {
        let clock = words::clock(game.remaining_ms(side, now)?);
        let free = game.free_ms(side, now).map_or(0, |ms| ms.div_ceil(1_000));
        let runs = game.view.is_to_act(side) && !game.view.paused;
        Some(text!("answer-clock", side, clock, free, runs))
    };
    let clocks = Side::BOTH.into_iter().filter_map(clock).collect();
    or_else(clocks, || text!("leave-no-clock"))
}

fn losses(game: &OpenGame, ruleset: &Ruleset) -> Vec<String> {
    Side::BOTH.into_iter().flat_map(|side| plain::losses(&game.view, ruleset, side)).collect()
}

fn reserve(game: &OpenGame) -> Vec<String> {
    match &game.view.reserve {
        None => vec![text!("refusal-no-reserve")],
        Some(reserves) => Side::BOTH.into_iter().map(|side| words::reserve(side, &reserves[side])).collect(),
    }
}

fn pools(game: &OpenGame) -> Vec<String> {
    match &game.view.pools {
        None => vec![text!("no-coins")],
        Some(pools) => Side::BOTH.into_iter().map(|side| words::pool(side, &pools[side])).collect(),
    }
}

/// Describes the piece on a square, in play or in the deployment editor.
fn described(model: &Model, game: &OpenGame, square: Square) -> String {
    let deployed = game.editor.as_ref().and_then(|editor| editor.rank_at(square));
    match deployed {
        Some(rank) => text!("panel-square", square, rank = words::rank(rank, model.options.numbering)),
        None => status::square(model, game, square),
    }
}

fn square(model: &Model, game: &OpenGame, ruleset: &Ruleset, rest: &str) -> Vec<String> {
    let square = rest.to_ascii_lowercase().parse().ok();
    match square.filter(|square| ruleset.shape.squares().contains(*square)) {
        Some(square) => vec![described(model, game, square)],
        None => vec![text!("answer-square-usage")],
    }
}

/// Describes each square of a row, one per line. Leaves out empty squares.
fn row(model: &Model, game: &OpenGame, ruleset: &Ruleset, rest: &str) -> Vec<String> {
    let number = rest.parse::<u8>().ok();
    let Some(number) = number.filter(|number| (1..=ruleset.shape.rows).contains(number)) else {
        return vec![text!("answer-row-usage", rows = ruleset.shape.rows)];
    };
    let is_taken = |square: &Square| {
        let is_deployed = game.editor.as_ref().is_some_and(|editor| editor.rank_at(*square).is_some());
        is_deployed || game.view.lakes.contains(*square) || targets::piece_at(&game.view, *square).is_some()
    };
    let squares = ruleset.shape.squares();
    let taken = squares.iter().filter(|square| square.row() + 1 == number && is_taken(square));
    let lines = taken.map(|square| described(model, game, square)).collect();
    or_else(lines, || text!("answer-row-empty", row = number))
}

/// Says where each side's known pieces of a rank are, how many have been lost, and how many are
/// left.
fn rank(game: &OpenGame, ruleset: &Ruleset, rest: &str) -> Vec<String> {
    let Some(rank) = command_text::rank(rest) else { return vec![text!("answer-rank-usage")] };
    let answer = |side: Side| {
        let losses = targets::losses(&game.view, ruleset, side);
        let (_, lost, left) = losses.into_iter().find(|(found, _, _)| *found == rank)?;
        let is_it = |piece: &&SeenPiece| piece.side == side && piece.identity == Identity::Known(rank);
        let pieces = game.view.pieces.iter().filter(is_it);
        let squares: Vec<String> = pieces.map(|piece| piece.square.to_string()).collect();
        let (count, coins) = (squares.len(), game.view.pools.is_some());
        Some(text!("answer-rank", side, rank, lost, left, coins, count, squares = squares.join(", ")))
    };
    or_else(Side::BOTH.into_iter().filter_map(answer).collect(), || text!("answer-no-rank", rank))
}
