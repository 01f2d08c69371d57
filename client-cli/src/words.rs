//! Words for people: terms, clocks, events, outcomes.

mod clocks;

use flagfall_board::{Numbering, Rank, Side, Square, SquareSet, Stamp};
use flagfall_protocol::{
    Conduct, Fate, GameCommand, GameEvent, GameSummary, GameView, Leaderboard, LeaderboardEntry, OwedColor,
    PendingStrike, Phase, Player, PlayerKind, Profile, RankCounts, RatingChange, RatingInfo, RatingPoint,
    RatingRange, SeenExchange, SeenMove, SeenOutcome, SeenPlacing, SeenReserve, SeenStrike, Terms,
};
use flagfall_rules::{Identity, Move, Ruleset, View};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::{text, texts};

pub use clocks::{check_time, clock, parse_time, seconds, span, time};

/// Returns a player's name. Programs, including house players, are marked as such.
pub fn player(player: &Player) -> String {
    let name = clean_line(&player.name);
    match player.kind {
        PlayerKind::Bot => text!("player-bot", name),
        PlayerKind::House => text!("player-house", name),
        PlayerKind::Guest | PlayerKind::Account => name,
    }
}

pub fn profile(profile: &Profile) -> String {
    let kind = match profile.player.kind {
        PlayerKind::Guest => "guest",
        PlayerKind::Account => "account",
        PlayerKind::Bot => "bot",
        PlayerKind::House => "house",
    };
    let (name, since) = (clean_line(&profile.player.name), date(profile.created));
    let mut text = text!("profile", name, kind, since) + "\n";
    if !profile.ratings.is_empty() {
        let ids = ["column-ruleset", "column-speed", "column-rating", "column-games", "column-last"];
        let [ruleset, speed, rating, games, last] = ids.map(|id| texts::words().text(id));
        text.push_str(&format!("\n{ruleset:<16}  {speed:<14}  {rating:>7}  {games:>6}  {last}\n"));
    }
    for RatingInfo { ruleset, speed, now, games, last } in &profile.ratings {
        let (speed, rating, last) = (speed.name(), rating(*now), date(*last));
        text.push_str(&format!("{ruleset:<16}  {speed:<14}  {rating:>7}  {games:>6}  {last}\n"));
    }
    text
}

/// Returns the number of columns that the longer of the two sides' names takes up.
pub fn side_width() -> usize {
    Side::BOTH.map(|side| text!("side", side).width()).into_iter().max().unwrap_or_default()
}

/// Formats a rating, with a question mark if it is provisional.
pub fn rating(point: RatingPoint) -> String {
    format!("{}{}", point.rating, if point.provisional { "?" } else { "" })
}

/// Returns the text arguments for a rating range: which bounds it has, the lower bound, and the
/// upper bound.
pub fn rating_range(range: Option<RatingRange>) -> (&'static str, u32, u32) {
    match range {
        Some(RatingRange { min: Some(min), max: Some(max) }) => ("both", min, max),
        Some(RatingRange { min: Some(min), max: None }) => ("min", min, 0),
        Some(RatingRange { min: None, max: Some(max) }) => ("max", 0, max),
        Some(RatingRange { min: None, max: None }) | None => ("any", 0, 0),
    }
}

/// Describes how a rated game changed the ratings. If the viewer is one of the game's players,
/// their own rating comes first.
pub fn rating_change(change: &RatingChange, own: Option<Side>) -> String {
    let of = |side: Side| {
        let (before, after) = (change.before[side], change.after[side]);
        let by = i64::from(after.rating) - i64::from(before.rating);
        text!("rating-change", before = rating(before), after = rating(after), change = format!("{by:+}"))
    };
    match own {
        Some(side) => text!("rating-change-own", own = of(side), theirs = of(side.opponent())),
        None => text!("rating-change-both", red = of(Side::Red), blue = of(Side::Blue)),
    }
}

pub fn leaderboard(board: &Leaderboard) -> String {
    let (ruleset, speed) = (ruleset_title(&board.ruleset), board.speed.name());
    let mut text = text!("leaderboard", ruleset, speed, bots = board.bots) + "\n";
    if board.entries.is_empty() {
        return text + &text!("leaderboard-empty") + "\n";
    }
    let [rating, games, name] = [text!("column-rating"), text!("column-games"), text!("column-name")];
    text.push_str(&format!("{:>4}  {rating:>7}  {games:>6}  {name}\n", ""));
    for LeaderboardEntry { place, player: who, now, games } in &board.entries {
        text.push_str(&format!("{place:>4}  {:>7}  {games:>6}  {}\n", self::rating(*now), player(who)));
    }
    text
}

/// Describes all terms of a game, for a player who has to agree to them.
pub fn terms(terms: &Terms) -> String {
    let mut words = terms_in_short(terms);
    if let Some(ruleset) = Ruleset::find(&terms.ruleset) {
        for (option, value) in ruleset.changes() {
            words.push_str(&format!("; {}", texts::words().rule_meaning(option, value)));
        }
    }
    words
}

/// Describes the terms in a few words. Leaves out the changes of a custom game.
pub fn terms_in_short(terms: &Terms) -> String {
    let Terms { ruleset, time: clock, rated, private, secret } = terms;
    let (ruleset, time) = (ruleset_title(ruleset), time(*clock));
    text!("terms", ruleset, time, rated = *rated, private = *private, secret = *secret)
}

/// Returns a ruleset's title, or its id if this client does not support the ruleset.
pub fn ruleset_title(id: &str) -> String {
    Ruleset::find(id).map_or_else(|| id.to_owned(), |ruleset| texts::words().ruleset_title(ruleset))
}

/// Describes a game in one line: `abc…  Classic, 10+5  Ann (Red) – Bob (Blue)  ply 12`.
pub fn summary(game: &GameSummary) -> String {
    let state = match (&game.outcome, game.turn) {
        (Some(ended), _) => outcome(ended),
        (None, Some(turn)) => text!("state-playing", ply = game.ply, side = turn),
        (None, None) => text!("state-deploying"),
    };
    let (red, blue) = (player(&game.players.red), player(&game.players.blue));
    let terms = terms_in_short(&game.terms);
    text!("summary", game = game.id, red, blue, terms, state)
}

/// Formats squares, separated by spaces: `c5 d5`.
pub fn squares(squares: SquareSet) -> String {
    squares.iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
}

pub fn date(ms: u64) -> String {
    Stamp(ms).utc()
}

/// Wraps text at spaces into lines of at most `width` columns.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Shortens text to this many columns. Text that was cut ends with an ellipsis.
pub fn shorten(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let kept = fit(text, columns.saturating_sub(1));
    if columns == 0 { kept } else { format!("{}…", kept.trim_end()) }
}

/// Fits text to exactly this many columns: cuts it, or pads it with spaces.
pub fn fit(text: &str, columns: usize) -> String {
    let mut width = 0;
    let fits = |letter: &char| {
        let next = width + letter.width().unwrap_or(0);
        let is_fitting = next <= columns;
        width = if is_fitting { next } else { width };
        is_fitting
    };
    let kept: String = text.chars().take_while(fits).collect();
    kept + &" ".repeat(columns - width)
}

/// Folds a line for a terminal of this many columns: breaks it at spaces, and indents the
/// following lines a little more.
pub fn fold(line: &str, columns: usize) -> Vec<String> {
    let indent = line.len() - line.trim_start_matches(' ').len() + 2;
    let (mut lines, mut rest) = (Vec::new(), line.to_owned());
    while rest.width() > columns {
        let mut width = 0;
        let fits = |(at, letter): (usize, char)| {
            width += letter.width().unwrap_or(0);
            (letter == ' ' && at > indent && width <= columns + 1).then_some(at)
        };
        let Some(at) = rest.char_indices().filter_map(fits).last() else { break };
        let more = format!("{:indent$}{}", "", rest[at..].trim_start());
        rest.truncate(at);
        lines.push(rest.trim_end().to_owned());
        rest = more;
    }
    lines.push(rest);
    lines
}

/// Puts a question mark in place of each character that controls the terminal or hides other
/// text. Keeps line endings.
///
/// All texts from servers and players pass through this function before they are printed.
pub fn clean(text: &str) -> String {
    text.chars().map(|letter| if is_steering(letter) && letter != '\n' { '?' } else { letter }).collect()
}

/// Like [`clean`], for a name, which has only one line.
pub fn clean_line(text: &str) -> String {
    text.chars().map(|letter| if is_steering(letter) { '?' } else { letter }).collect()
}

/// True for control characters (C0, C1), line separators, characters that control writing
/// direction, and tag characters.
fn is_steering(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// Describes a command that the server did not carry out.
pub fn not_done(command: &GameCommand) -> String {
    match command {
        GameCommand::Deploy { .. } => text!("not-done-deploy"),
        GameCommand::Move { squares, .. } => text!("not-done-move", squares = *squares),
        GameCommand::Remove { square } => text!("not-done-remove", square = *square),
        GameCommand::Place { square, .. } => text!("not-done-place", square = *square),
        GameCommand::Color { .. } => text!("not-done-color"),
        GameCommand::Choose { .. } => text!("not-done-choose"),
        GameCommand::OfferDraw {} => text!("not-done-offer-draw"),
        GameCommand::AcceptDraw {} => text!("not-done-accept-draw"),
        GameCommand::DeclineDraw {} => text!("not-done-decline-draw"),
        GameCommand::Resign {} => text!("not-done-resign"),
        GameCommand::Abort {} => text!("not-done-abort"),
        GameCommand::Claim { .. } => text!("not-done-claim"),
    }
}

/// Capitalizes text and adds a final period.
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}

/// Describes the consequences for a player who has left games.
pub fn conduct(conduct: Conduct) -> String {
    let Conduct { left_games, wait_s } = conduct;
    let text = match (left_games, wait_s) {
        (0, _) => text!("conduct-none"),
        (_, 0) => text!("conduct-left", count = left_games),
        (_, _) => text!("conduct-waiting", count = left_games, left = clock(wait_s * 1_000)),
    };
    text + "\n"
}

/// Describes how a game ended, as a sentence.
pub fn outcome(outcome: &SeenOutcome) -> String {
    let winner = outcome.winner.map_or("none", Side::name);
    text!("outcome", winner, reason = &outcome.reason)
}

pub fn event(event: &GameEvent) -> String {
    match event {
        GameEvent::Deployed { .. } => text!("event-deployed"),
        GameEvent::Ready { side } => text!("event-ready", side = *side),
        GameEvent::Started { .. } => text!("event-started"),
        GameEvent::Moved(seen) => moved(seen),
        GameEvent::Struck(strike) => struck(strike),
        GameEvent::Chosen { side, rank } => text!("event-chosen", side = *side, rank = *rank),
        GameEvent::Removed { side, square } => removed(*side, *square),
        GameEvent::Placed(seen) => placed(seen),
        GameEvent::Colored { side, square, color } => {
            text!("event-colored", side = *side, square = *square, color = *color)
        }
        GameEvent::DrawOffered { side } => text!("event-draw-offered", side = *side),
        GameEvent::DrawDeclined { side } => text!("event-draw-declined", side = *side),
        GameEvent::Paused { .. } => text!("event-paused"),
        GameEvent::Resumed { .. } => text!("event-resumed"),
        GameEvent::Ended { outcome: ended, .. } => outcome(ended),
    }
}

/// Describes a ply as a sentence: `Red moves a4a5.`, `Red's Scout strikes Blue's Bomb on b7 and
/// is lost.`
pub fn moved(seen: &SeenMove) -> String {
    let Some(laid) = seen.laid else { return bare_move(seen) };
    let chips = text!("move-chips", color = laid.color(), squares = squares(laid.squares()));
    text!("move-and-chips", move = bare_move(seen), chips)
}

fn removed(side: Side, square: Square) -> String {
    text!("event-removed", side, square)
}

fn placed(seen: &SeenPlacing) -> String {
    let SeenPlacing { side, square, piece, labeled, color } = *seen;
    let rank = match piece {
        Identity::Hidden => "piece".to_owned(),
        Identity::Known(_) | Identity::OneOf(_) | Identity::Coin => key(piece),
    };
    match color {
        Some(color) => text!("event-placed-on-chip", side, square, rank, labeled, color),
        None => text!("event-placed", side, square, rank, labeled),
    }
}

/// Describes a ply between board and reserve, as a sentence.
pub fn exchanged(seen: &SeenExchange) -> String {
    match seen {
        SeenExchange::Removed { side, square } => removed(*side, *square),
        SeenExchange::Placed(seen) => placed(seen),
    }
}

/// Says who has to choose a color, as a sentence.
pub fn owed(view: &GameView) -> Option<String> {
    let OwedColor { side, square } = view.owed_color?;
    Some(if view.audience.side() == Some(side) {
        text!("owed-color-own", square)
    } else {
        text!("owed-color", side, square)
    })
}

/// Describes a pending strike as a sentence: `Red strikes a4a5. Both sides must choose what their
/// coins are.`
fn struck(strike: &PendingStrike) -> String {
    let PendingStrike { side, squares, owes, own_choice: _ } = strike;
    let choosing = match (owes[*side], owes[side.opponent()]) {
        (true, true) => "both",
        (true, false) => "attacker",
        (false, _) => "defender",
    };
    text!("strike-pending", side = *side, squares = *squares, choosing)
}

/// Describes the pending strike as a sentence. If the viewer still has to choose a rank, the
/// sentence lists the ranks that they may choose from their pool (§Q4).
pub fn choice(view: &GameView) -> Option<String> {
    let strike = view.pending_strike.as_ref().filter(|_| view.phase == Phase::Playing)?;
    let PendingStrike { side, squares, owes, own_choice } = strike;
    let Some(own) = view.audience.side().filter(|own| owes[*own]) else { return Some(struck(strike)) };
    if let Some(rank) = own_choice {
        return Some(text!("choice-taken", rank = *rank));
    }
    let Move { from, to } = *squares;
    let coin = if *side == own { from } else { to };
    let choices = View::of(view.clone()).map(|view| view.own_choices()).unwrap_or_default();
    let names: Vec<&str> = choices.iter().rev().map(|rank| rank.name()).collect();
    let example = names.first().copied().unwrap_or_default();
    Some(text!("choose-coin", square = coin, example, names = names.join(", ")))
}

/// Describes a side's pool, as a sentence.
pub fn pool(side: Side, pool: &RankCounts) -> String {
    let left: Vec<String> = pool.iter().rev().map(|(rank, count)| text!("rank-count", rank, count)).collect();
    if left.is_empty() {
        return text!("pool-empty", side);
    }
    text!("pool", side, pieces = left.join(", "))
}

/// Describes a side's reserve, as a sentence: its size and its known pieces.
pub fn reserve(side: Side, reserve: &SeenReserve) -> String {
    let SeenReserve { size, labeled, unlabeled } = reserve;
    let ranks = unlabeled.iter().flat_map(|counts| counts.iter().rev());
    let mut known: Vec<String> = ranks.map(|(rank, count)| text!("rank-count", rank, count)).collect();
    let labeled = labeled.iter().rev();
    known.extend(labeled.map(|(rank, count)| text!("rank-count-labeled", rank, count)));
    if known.is_empty() {
        return text!("reserve", side, count = *size);
    }
    text!("reserve-known", side, count = *size, pieces = known.join(", "))
}

/// Describes a move or strike without its chips.
fn bare_move(seen: &SeenMove) -> String {
    let SeenMove { side, squares, piece, strike, laid: _ } = *seen;
    let Some(SeenStrike { attacker, attacker_fate, defender, defender_fate }) = strike else {
        return match piece {
            // Mention a rank only if the move proved something about it. The player can see their
            // own ranks on the board.
            Identity::OneOf(_) => text!("move-proof", side, squares, rank = key(piece)),
            Identity::Known(_) | Identity::Coin | Identity::Hidden => text!("move", side, squares),
        };
    };
    let (attacker, defender, Move { from, to: square }) = (key(attacker), key(defender), squares);
    match (attacker_fate, defender_fate) {
        (Fate::Leaves, Fate::Leaves) => text!("strike-both-lost", side, attacker, defender, square),
        (Fate::Leaves, Fate::Advances) => {
            text!("strike-lost-advance", side, attacker, defender, square, from)
        }
        (Fate::Leaves, Fate::Stays) => text!("strike-lost", side, attacker, defender, square),
        (Fate::Stays | Fate::Advances, Fate::Leaves) => text!("strike-won", side, attacker, defender, square),
        (Fate::Stays | Fate::Advances, Fate::Stays | Fate::Advances) => {
            text!("strike-both-stay", side, attacker, defender, square)
        }
    }
}

/// Returns a piece's identity as a text argument.
fn key(identity: Identity) -> String {
    match identity {
        Identity::Known(rank) => rank.name().to_owned(),
        Identity::OneOf(ranks) => {
            let names = ranks.iter().map(|rank| text!("rank", rank));
            names.reduce(|first, last| text!("list-or", first, last)).unwrap_or_default()
        }
        Identity::Coin => "coin".to_owned(),
        Identity::Hidden => "hidden".to_owned(),
    }
}

/// Returns a rank with the number on its pieces: `Marshal (1)`. Flag, Bomb and Spy have no
/// number.
pub fn rank(rank: Rank, numbering: Numbering) -> String {
    let figure = rank.figure(numbering);
    if figure.starts_with(|letter: char| letter.is_ascii_digit()) {
        text!("rank-figure", rank, figure)
    } else {
        text!("rank", rank)
    }
}

#[cfg(test)]
mod tests;
