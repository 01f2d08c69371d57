//! Lists, tables and small charts of a player's running and finished games.

use flagfall_board::Side;
use flagfall_protocol::{
    DeploymentTally, GameCommand, GameScore, HeadToHead, MoveQueue, OwnGame, OwnGames, Phase, PlayedGame,
    PlayedGames, QueuedMove, RatingHistory, Statistics, Tally,
};
use flagfall_rules::Ruleset;
use unicode_width::UnicodeWidthStr;

use crate::{deployments, text, texts, words};

/// Lists a player's running games, the most urgent first.
pub fn own_games(own: &OwnGames, server_flag: &str) -> Vec<String> {
    let mut lines = Vec::new();
    if own.games.is_empty() {
        lines.push(text!("games-none"));
    } else {
        lines.push(text!("games-head", server = server_flag));
        let heads = [
            "column-game",
            "column-turn",
            "column-left",
            "column-ply",
            "column-you",
            "column-against",
            "column-what",
        ];
        lines.extend(table(heads, own.games.iter().map(|game| row(game, own.server_time))));
    }
    for game in &own.unavailable {
        lines.push(format!("  {}", text!("games-unavailable", game = *game)));
    }
    lines
}

fn row(own: &OwnGame, now: u64) -> [String; 7] {
    let OwnGame { game, side, to_act, deadline, draw_offered } = own;
    let turn = match (game.phase, to_act) {
        (Phase::Deploying, true) => text!("turn-deploy"),
        (Phase::Playing, true) => text!("turn-own"),
        (Phase::Deploying | Phase::Playing | Phase::Over, _) => text!("turn-theirs"),
    };
    let left = deadline.map_or_else(|| "-".to_owned(), |at| words::clock(at.saturating_sub(now)));
    let terms = words::terms_in_short(&game.terms);
    let what = if *draw_offered { text!("row-draw-offered", terms) } else { terms };
    [
        game.id.to_string(),
        turn,
        left,
        text!("row-ply", ply = game.ply),
        text!("side", side = *side),
        words::player(&game.players[side.opponent()]),
        what,
    ]
}

/// Returns the message for a player who asks for the next game when it is not their turn in any
/// other game.
pub fn no_next(own: &OwnGames, is_one_open: bool, server_flag: &str) -> String {
    let waits = own.games.iter().filter(|own| !own.to_act).filter_map(|own| own.deadline);
    let left = waits
        .min()
        .map_or_else(|| "none".to_owned(), |deadline| words::clock(deadline.saturating_sub(own.server_time)));
    match (own.games.len(), is_one_open) {
        (0, _) => text!("next-none", server = server_flag),
        (1, true) => text!("next-no-other"),
        (count, true) => text!("next-waits-other", count),
        (count, false) => text!("next-waits", count, left),
    }
}

/// Formats rows as lines with aligned columns, with two spaces before each column. `heads`
/// contains the text ids of the headings.
pub fn table<const N: usize>(heads: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> Vec<String> {
    let heads = heads.map(|head| texts::words().text(head));
    let rows: Vec<[String; N]> = std::iter::once(heads).chain(rows).collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let line = |row: &[String; N]| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str("  ");
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width()));
        }
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Formats the queued moves of a game on one line.
pub fn queue(queue: &MoveQueue) -> String {
    if queue.moves.is_empty() {
        return text!("queue-empty");
    }
    let one = |queued: &QueuedMove| {
        let condition = queued.after.map_or_else(String::new, |after| format!(" if {}", after));
        format!("{}{condition}", act(&queued.command))
    };
    let moves: Vec<String> = queue.moves.iter().map(one).collect();
    text!("queue-list", ply = queue.ply, moves = moves.join(", "))
}

/// Formats a command on the board the way a player types it.
fn act(command: &GameCommand) -> String {
    let colored = |color: &Option<flagfall_board::ChipColor>| {
        color.map_or_else(String::new, |color| format!(" {}", color.name()))
    };
    match command {
        GameCommand::Move { squares, path, color } => {
            let path = path.map(|path| path.symbol().to_string()).unwrap_or_default();
            format!("{squares}{path}{}", colored(color))
        }
        GameCommand::Remove { square } => format!("remove {square}"),
        GameCommand::Place { square, rank, labeled, color } => {
            let labeled = if *labeled { "labeled " } else { "" };
            format!("place {labeled}{} {square}{}", rank.name(), colored(color))
        }
        other => format!("{other:?}"),
    }
}

pub fn played(played: &PlayedGames, server_flag: &str) -> Vec<String> {
    if played.games.is_empty() {
        return vec![text!("played-none", player = words::player(&played.player))];
    }
    let mut lines = vec![text!("played-head", player = words::player(&played.player))];
    lines.extend(games(&played.games));
    let players = &played.player.name;
    let more = |next: &String| text!("played-more", server = server_flag, players, next);
    lines.extend(played.next.as_ref().map(more));
    lines
}

fn games(games: &[PlayedGame]) -> Vec<String> {
    let rows = games.iter().map(|played| {
        let ended = words::date(played.ended);
        let result = text!("played-result", score = score(played.score), reason = &played.reason);
        [
            played.game.to_string(),
            ended.split(' ').next().unwrap_or_default().to_owned(),
            text!("side", side = played.side),
            words::player(&played.opponent),
            text!("played-what", ruleset = &played.ruleset, time = words::time(played.time)),
            if played.erased { format!("{result} ({})", text!("played-erased")) } else { result },
        ]
    });
    let heads =
        ["column-game", "column-ended", "column-side", "column-against", "column-what", "column-result"];
    table(heads, rows)
}

fn score(score: GameScore) -> &'static str {
    match score {
        GameScore::Won => "won",
        GameScore::Drawn => "drawn",
        GameScore::Lost => "lost",
    }
}

pub fn head_to_head(both: &HeadToHead, server_flag: &str) -> Vec<String> {
    let (player, opponent) = (words::player(&both.player), words::player(&both.opponent));
    if both.tallies.is_empty() {
        return vec![text!("both-none", player, opponent)];
    }
    let mut lines = vec![text!("both-head", player, opponent)];
    let rows = both.tallies.iter().map(|of| tally_row(&of.ruleset, of.tally));
    lines.extend(table(TALLY_HEADS, rows));
    lines.push(String::new());
    lines.extend(games(&both.games));
    let players = format!("{} {}", both.player.name, both.opponent.name);
    let more = |next: &String| text!("played-more", server = server_flag, players = &players, next);
    lines.extend(both.next.as_ref().map(more));
    lines
}

const TALLY_HEADS: [&str; 6] =
    ["column-ruleset", "column-games", "column-won", "column-drawn", "column-lost", "column-score"];

fn tally_row(what: &str, tally: Tally) -> [String; 6] {
    [
        what.to_owned(),
        tally.games().to_string(),
        tally.won.to_string(),
        tally.drawn.to_string(),
        tally.lost.to_string(),
        bar(tally),
    ]
}

/// Formats the share of points won, as a bar of ten cells and in percent.
fn bar(tally: Tally) -> String {
    let games = tally.games();
    if games == 0 {
        return String::new();
    }
    // Count half points, because a draw is worth half a point.
    let halves = u64::from(tally.won) * 2 + u64::from(tally.drawn);
    let percent = halves * 50 / u64::from(games);
    let full = usize::try_from(percent.div_ceil(10)).unwrap_or(10).min(10);
    format!("{}{} {percent:>3} %", "#".repeat(full), ".".repeat(10 - full))
}

pub fn statistics(statistics: &Statistics) -> Vec<String> {
    if statistics.rulesets.is_empty() {
        return vec![text!("statistics-none")];
    }
    let mut rows = Vec::new();
    for of in &statistics.rulesets {
        rows.push(tally_row(&of.ruleset, of.by_side.red.plus(of.by_side.blue)));
        for side in Side::BOTH {
            if of.by_side[side].games() > 0 {
                rows.push(tally_row(&format!("  {}", text!("statistics-side", side)), of.by_side[side]));
            }
        }
    }
    let mut lines = table(TALLY_HEADS, rows);
    for of in statistics.rulesets.iter().filter(|of| !of.by_deployment.is_empty()) {
        lines.push(String::new());
        lines.push(text!("statistics-deployments", ruleset = &of.ruleset));
        let ruleset = Ruleset::find(&of.ruleset);
        for DeploymentTally { setup, tally } in &of.by_deployment {
            let text = setup.expose();
            lines.push(match ruleset {
                Some(ruleset) => format!("  {}", deployments::text::in_rows(text, ruleset)),
                None => format!("  {text}"),
            });
            let Tally { won, drawn, lost } = *tally;
            let tally = text!("statistics-tally", won, drawn, lost, bar = bar(*tally));
            lines.push(format!("    {tally}"));
        }
    }
    lines
}

const CHART_ROWS: usize = 8;
const CHART_COLUMNS: usize = 60;

/// Draws a chart of a player's ratings, oldest first. Empty if there are fewer than two ratings.
pub fn rating_chart(history: &RatingHistory) -> Vec<String> {
    let mut ratings: Vec<u32> = history.games.iter().rev().map(|game| game.after.rating).collect();
    if let Some(first) = history.games.last() {
        ratings.insert(0, first.before.rating);
    }
    if ratings.len() < 2 {
        return Vec::new();
    }
    let columns = ratings.len().min(CHART_COLUMNS);
    // If there are more ratings than columns, each column covers several games and shows the last
    // of their ratings.
    let column = |at: usize| ratings[(at + 1) * ratings.len() / columns - 1];
    let shown: Vec<u32> = (0..columns).map(column).collect();
    let (low, high) = (shown.iter().min().copied().unwrap_or(0), shown.iter().max().copied().unwrap_or(0));
    let step = (high - low).div_ceil(CHART_ROWS as u32 - 1).max(1);
    let row_of = |rating: u32| ((rating - low) / step) as usize;
    let mut lines: Vec<String> = (0..CHART_ROWS)
        .rev()
        .map(|row| {
            let cells: String =
                shown.iter().map(|rating| if row_of(*rating) == row { '*' } else { ' ' }).collect();
            format!("  {:>5} | {cells}", low + row as u32 * step).trim_end().to_owned()
        })
        .collect();
    lines.push(format!("        +-{}", "-".repeat(columns)));
    let (count, speed) = (history.games.len(), history.speed.name());
    lines.push(format!("{:10}{}", "", text!("chart-caption", count, speed, ruleset = &history.ruleset)));
    let undone = history.games.iter().filter(|game| game.undone).count();
    if undone > 0 {
        lines.push(format!("{:10}{}", "", text!("chart-undone", count = undone)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_points_counts_draws_as_halves() {
        let of = |won, drawn, lost| bar(Tally { won, drawn, lost });
        assert_eq!(of(1, 0, 1), "#####.....  50 %");
        assert_eq!(of(0, 1, 0), "#####.....  50 %");
        assert_eq!(of(3, 0, 0), "########## 100 %");
        assert_eq!(of(0, 0, 2), "..........   0 %");
        assert_eq!(of(0, 0, 0), "");
    }

    #[test]
    fn reverted_ratings_are_listed_below_the_chart() {
        let history = |undone: bool| -> RatingHistory {
            serde_json::from_value(serde_json::json!({
                "player": { "id": "a", "name": "ana", "kind": "account" },
                "ruleset": "classic", "speed": "rapid",
                "games": [{
                    "game": "0fxm529wdncz", "at": 1, "opponent": { "id": "b", "name": "bo", "kind": "account" },
                    "score": "won", "undone": undone,
                    "before": { "rating": 1500, "deviation": 500 }, "after": { "rating": 1700, "deviation": 400 }
                }]
            }))
            .expect("a history")
        };
        let last = |undone| rating_chart(&history(undone)).last().cloned().unwrap_or_default();
        assert!(last(true).contains("undid the rating change of 1 of these games"), "{}", last(true));
        assert!(last(false).contains("1 game; rapid speed"), "{}", last(false));
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["a", "bb"], ["cccccc", "d"]].map(|row| row.map(str::to_owned));
        assert_eq!(
            table(["column-game", "column-ply"], rows),
            ["  game    ply", "  a       bb", "  cccccc  d"]
        );
    }
}
