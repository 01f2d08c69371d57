//! Words for people: terms, clocks, events, endings.

mod clocks;

use flagfall_board::{Numbering, Rank, Side, Square, SquareSet, Stamp};
use flagfall_protocol::{
    Conduct, Fate, GameCommand, GameEvent, GameSummary, GameView, Leaderboard, LeaderboardEntry, OwedColor,
    PendingStrike, Phase, Player, PlayerKind, Presence, Profile, RankCounts, RatingChange, RatingInfo,
    RatingPoint, SeenExchange, SeenMove, SeenOutcome, SeenPlacing, SeenReserve, SeenStrike, Terms,
};
use flagfall_rules::{Identity, Move, Ruleset, View};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub use clocks::{TimeError, check_time, clock, parse_time, seconds, span, time};

/// A player's name. Programs are marked wherever a player is named, house players too.
#[must_use]
pub fn player(player: &Player) -> String {
    let name = clean_line(&player.name);
    match player.kind {
        PlayerKind::Bot => format!("{name} (bot)"),
        PlayerKind::House => format!("{name} (house)"),
        PlayerKind::Guest | PlayerKind::Account => name,
    }
}

/// A player's public profile.
#[must_use]
pub fn profile(profile: &Profile) -> String {
    let kind = match profile.player.kind {
        PlayerKind::Guest => "a guest",
        PlayerKind::Account => "a player",
        PlayerKind::Bot => "a bot: a program plays",
        PlayerKind::House => "a house player",
    };
    let name = clean_line(&profile.player.name);
    let mut text = format!("{name}, {kind}, here since {}.\n", date(profile.created));
    if !profile.ratings.is_empty() {
        text.push_str(&format!(
            "\n{:<16}  {:<14}  {:>7}  {:>5}  {}\n",
            "ruleset", "speed", "rating", "games", "last"
        ));
    }
    for RatingInfo { ruleset, speed, now, games, last } in &profile.ratings {
        let (speed, rating, last) = (speed.name(), rating(*now), date(*last));
        text.push_str(&format!("{ruleset:<16}  {speed:<14}  {rating:>7}  {games:>5}  {last}\n"));
    }
    text
}

/// A rating, with a question mark if it is provisional.
#[must_use]
pub fn rating(point: RatingPoint) -> String {
    format!("{}{}", point.rating, if point.provisional { "?" } else { "" })
}

/// What a rated game did to the ratings, and to the player's own if they played.
#[must_use]
pub fn rating_change(change: &RatingChange, own: Option<Side>) -> String {
    let of = |side: Side| {
        let (before, after) = (change.before[side], change.after[side]);
        let by = i64::from(after.rating) - i64::from(before.rating);
        format!("{} → {} ({by:+})", rating(before), rating(after))
    };
    match own {
        Some(side) => format!("Your rating: {}. Theirs: {}.", of(side), of(side.opponent())),
        None => format!("Ratings: Red {}, Blue {}.", of(Side::Red), of(Side::Blue)),
    }
}

/// The leaderboard of a ruleset at a speed.
#[must_use]
pub fn leaderboard(board: &Leaderboard) -> String {
    let who = if board.bots { "bots" } else { "players" };
    let mut text = format!("{}, {}, {who}\n", ruleset_title(&board.ruleset), board.speed.name());
    if board.entries.is_empty() {
        text.push_str("Nobody has played enough rated games lately: flagfall play --rated\n");
        return text;
    }
    text.push_str(&format!("{:>4}  {:>7}  {:>5}  {}\n", "", "rating", "games", "name"));
    for LeaderboardEntry { place, player: who, now, games } in &board.entries {
        text.push_str(&format!("{place:>4}  {:>7}  {games:>5}  {}\n", rating(*now), player(who)));
    }
    text
}

/// All terms of a game, for a player who is to agree to them.
#[must_use]
pub fn terms(terms: &Terms) -> String {
    let mut words = terms_in_short(terms);
    if let Some(ruleset) = Ruleset::find(&terms.ruleset) {
        ruleset.changes().for_each(|(_, value)| words.push_str(&format!("; {}", value.meaning)));
    }
    words
}

/// The terms in a few words. Leaves out the changes of a custom game.
#[must_use]
pub fn terms_in_short(terms: &Terms) -> String {
    let mut words = format!("{}, {}", ruleset_title(&terms.ruleset), time(terms.time));
    if terms.rated {
        words.push_str(", rated");
    }
    if terms.private {
        words.push_str(", private");
    }
    if terms.secret {
        words.push_str(", deployments stay secret");
    }
    words
}

/// A ruleset's title, or its id if this client does not know it.
#[must_use]
pub fn ruleset_title(id: &str) -> String {
    Ruleset::find(id).map_or_else(|| id.to_owned(), |ruleset| ruleset.title.to_owned())
}

/// A game in a line: `abc…  Classic, 10+5  Ann (Red) – Bob (Blue)  ply 12`.
#[must_use]
pub fn summary(game: &GameSummary) -> String {
    let state = match (&game.outcome, game.turn) {
        (Some(ended), _) => outcome(ended),
        (None, Some(turn)) => format!("ply {}, {turn} to move", game.ply),
        (None, None) => "deploying".to_owned(),
    };
    let (red, blue) = (player(&game.players.red), player(&game.players.blue));
    format!("{}  {red} (Red) - {blue} (Blue)  {}  {state}", game.id, terms_in_short(&game.terms))
}

/// Squares separated by spaces: `c5 d5`.
#[must_use]
pub fn squares(squares: SquareSet) -> String {
    squares.iter().map(|square| square.to_string()).collect::<Vec<_>>().join(" ")
}

/// A time in UTC: `2026-11-21 06:40`.
#[must_use]
pub fn date(ms: u64) -> String {
    Stamp(ms).utc()
}

/// Wraps a text at spaces into lines of at most this many columns.
#[must_use]
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

/// Shortens a text to this many columns. A cut shows as an ellipsis.
#[must_use]
pub fn shorten(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let kept = fit(text, columns.saturating_sub(1));
    if columns == 0 { kept } else { format!("{}…", kept.trim_end()) }
}

/// The text in exactly this many columns: cut, or padded with spaces.
#[must_use]
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

/// Folds a line for a terminal of this many columns: breaks at a space and indents the rest a
/// little more.
#[must_use]
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

/// Replaces characters that control a terminal or hide other text with question marks. Keeps line
/// ends.
///
/// Texts of servers and players pass through here before they are printed.
#[must_use]
pub fn clean(text: &str) -> String {
    text.chars().map(|letter| if is_steering(letter) && letter != '\n' { '?' } else { letter }).collect()
}

/// The same for a name, which has only one line.
#[must_use]
pub fn clean_line(text: &str) -> String {
    text.chars().map(|letter| if is_steering(letter) { '?' } else { letter }).collect()
}

/// True for control characters (C0, C1), line separators, the controls of writing direction, and
/// tag characters.
fn is_steering(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
}

/// What happened to a command that the server did not carry out.
#[must_use]
pub fn not_done(command: &GameCommand) -> String {
    match command {
        GameCommand::Deploy { setup: _ } => "Your deployment was not handed in".to_owned(),
        GameCommand::Move { squares, path: _, color: _ } => format!("Your move {squares} was not made"),
        GameCommand::Remove { square } => format!("Your piece on {square} was not taken off the board"),
        GameCommand::Place { square, rank: _, labeled: _, color: _ } => {
            format!("Your piece was not placed on {square}")
        }
        GameCommand::Color { color: _ } => "Your chip was not laid".to_owned(),
        GameCommand::Choose { rank: _ } => "Your choice was not taken".to_owned(),
        GameCommand::OfferDraw {} => "Your draw offer was not made".to_owned(),
        GameCommand::AcceptDraw {} => "You have not agreed to a draw".to_owned(),
        GameCommand::DeclineDraw {} => "You have declined no draw".to_owned(),
        GameCommand::Resign {} => "You have not resigned".to_owned(),
        GameCommand::Abort {} => "You have not called the game off".to_owned(),
        GameCommand::Claim { result: _ } => "Your claim was not made".to_owned(),
    }
}

/// Gives a text a capital and a full stop.
#[must_use]
pub fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{}{end}", first.to_uppercase(), letters.as_str())
}

/// A player's presence.
#[must_use]
pub fn presence(presence: Presence) -> &'static str {
    match presence {
        Presence::Present => "present",
        Presence::Reconnecting => "reconnecting",
        Presence::Away => "away",
    }
}

/// The consequences for a player of games that they left.
#[must_use]
pub fn conduct(conduct: Conduct) -> String {
    let Conduct { left_games, wait_s } = conduct;
    match (left_games, wait_s) {
        (0, _) => "You have left no game within a day.\n".to_owned(),
        (_, 0) => format!("Games you left within a day, or did not deploy in: {left_games}.\n"),
        (_, _) => format!(
            "Games you left within a day, or did not deploy in: {left_games}. You can be paired again in {}.\n",
            clock(wait_s * 1_000)
        ),
    }
}

/// How a game ended, as a sentence.
#[must_use]
pub fn outcome(outcome: &SeenOutcome) -> String {
    let loser = outcome.winner.map(Side::opponent);
    let why = match (outcome.reason.as_str(), loser) {
        ("flag_captured", Some(loser)) => format!("{loser}'s Flag is taken"),
        ("no_legal_move", Some(loser)) => format!("{loser} has no legal move"),
        ("both_blocked", _) => "neither side can move".to_owned(),
        ("resigned", Some(loser)) => format!("{loser} resigned"),
        ("draw_agreed", _) => "draw agreed".to_owned(),
        ("quiet_limit" | "quiet_move_limit", _) => "too many moves without a capture".to_owned(),
        ("ply_limit", _) => "the game reached its longest length".to_owned(),
        ("out_of_time", Some(loser)) => format!("{loser} ran out of time"),
        ("out_of_time", None) => "both ran out of time".to_owned(),
        ("abandoned", Some(loser)) => format!("{loser} abandoned the game"),
        ("abandoned", None) => "claimed when a side had left".to_owned(),
        ("illegal_act", Some(loser)) => format!("{loser} broke the rules"),
        ("illegal_act", None) => "both broke the rules".to_owned(),
        ("forfeited_reserve", Some(loser)) => format!("{loser} forfeited its reserve"),
        ("aborted", _) => return "The game was called off.".to_owned(),
        (other, _) => other.replace('_', " "),
    };
    match outcome.winner {
        Some(winner) => format!("{winner} wins: {why}."),
        None => format!("A draw: {why}."),
    }
}

/// An event as a sentence.
#[must_use]
pub fn event(event: &GameEvent) -> String {
    match event {
        GameEvent::Deployed { .. } => "Your deployment is handed in.".to_owned(),
        GameEvent::Ready { side } => format!("{side} is ready."),
        GameEvent::Started { .. } => "Both sides are ready. The game starts.".to_owned(),
        GameEvent::Moved(seen) => moved(seen),
        GameEvent::Struck(strike) => struck(strike),
        GameEvent::Chosen { side, rank } => format!("{side} chooses {rank}."),
        GameEvent::Removed { side, square } => removed(*side, *square),
        GameEvent::Placed(seen) => placed(seen),
        GameEvent::Colored { side, square, color } => {
            format!("{side} lays a {} chip on {square}.", color.name())
        }
        GameEvent::DrawOffered { side } => format!("{side} offers a draw."),
        GameEvent::DrawDeclined { side } => format!("{side} declines the draw."),
        GameEvent::Paused { .. } => "The game is paused while the server is away; no clock runs.".to_owned(),
        GameEvent::Resumed { .. } => "The game goes on.".to_owned(),
        GameEvent::Ended { outcome: ended, .. } => outcome(ended),
    }
}

/// A ply as a sentence: `Red moves a4a5.`, `Red's Scout strikes Blue's Bomb on b7: the Scout
/// leaves.`
#[must_use]
pub fn moved(seen: &SeenMove) -> String {
    let chips = seen.laid.map_or_else(String::new, |laid| {
        let squares: Vec<String> = laid.squares().iter().map(|square| square.to_string()).collect();
        format!(" Now {}: {}.", laid.color().name(), squares.join(" "))
    });
    format!("{}{chips}", bare_move(seen))
}

fn removed(side: Side, square: Square) -> String {
    format!("{side} takes its piece on {square} off the board.")
}

fn placed(seen: &SeenPlacing) -> String {
    let SeenPlacing { side, square, piece, labeled, color } = *seen;
    let chip = color.map_or_else(String::new, |color| format!(", on a {} chip", color.name()));
    let label = if labeled { "labeled " } else { "" };
    let what = match piece {
        Identity::Hidden => "piece".to_owned(),
        Identity::Known(_) | Identity::OneOf(_) | Identity::Coin => identity(piece),
    };
    format!("{side} brings a {label}{what} on at {square}{chip}.")
}

/// A ply between board and reserve as a sentence.
#[must_use]
pub fn exchanged(seen: &SeenExchange) -> String {
    match seen {
        SeenExchange::Removed { side, square } => removed(*side, *square),
        SeenExchange::Placed(seen) => placed(seen),
    }
}

/// Who has to name a color, as a sentence.
#[must_use]
pub fn owed(view: &GameView) -> Option<String> {
    let OwedColor { side, square } = view.owed_color?;
    Some(if view.audience.side() == Some(side) {
        format!("Name the color of your chip on {square} first, as in color green.")
    } else {
        format!("{side} has yet to name the color of its chip on {square}.")
    })
}

/// A pending strike as a sentence: `Red strikes a4a5: Red and Blue choose what their coins are.`
fn struck(strike: &PendingStrike) -> String {
    let PendingStrike { side, squares, owes, own_choice: _ } = strike;
    let who = match (owes[*side], owes[side.opponent()]) {
        (true, true) => format!("{side} and {} choose what their coins are", side.opponent()),
        (true, false) => format!("{side} chooses what its coin is"),
        (false, _) => format!("{} chooses what its coin is", side.opponent()),
    };
    format!("{side} strikes {squares}: {who}.")
}

/// What the pending strike asks of the viewer or of others, as a sentence. The choices are those of
/// the viewer's pool (§Q4).
#[must_use]
pub fn choice(view: &GameView) -> Option<String> {
    let strike = view.pending_strike.as_ref().filter(|_| view.phase == Phase::Playing)?;
    let PendingStrike { side, squares, owes, own_choice } = strike;
    let Some(own) = view.audience.side().filter(|own| owes[*own]) else { return Some(struck(strike)) };
    if let Some(rank) = own_choice {
        return Some(format!(
            "Your choice is taken: {rank}. It is final; the strike is resolved when all have chosen."
        ));
    }
    let Move { from, to } = *squares;
    let coin = if *side == own { from } else { to };
    let choices = View::of(view.clone()).map(|view| view.own_choices()).unwrap_or_default();
    let names: Vec<String> = choices.iter().rev().map(|rank| rank.name().to_lowercase()).collect();
    let example = names.first().map_or_else(String::new, |name| format!(", as in choose {name}"));
    Some(format!("Choose what your coin on {coin} is{example}. It can be: {}.", names.join(", ")))
}

/// A side's pool as a sentence.
#[must_use]
pub fn pool(side: Side, pool: &RankCounts) -> String {
    let left: Vec<String> = pool.iter().rev().map(|(rank, count)| format!("{count} {rank}")).collect();
    if left.is_empty() {
        return format!("{side}'s pool is empty.");
    }
    format!("{side}'s coins can still be: {}.", left.join(", "))
}

/// A side's reserve as a sentence: its size, and its known pieces.
#[must_use]
pub fn reserve(side: Side, reserve: &SeenReserve) -> String {
    let SeenReserve { size, labeled, unlabeled } = reserve;
    let list = |counts: &RankCounts| -> Vec<String> {
        counts.iter().rev().map(|(rank, count)| format!("{count} {rank}")).collect()
    };
    let mut known = unlabeled.as_ref().map(list).unwrap_or_default();
    known.extend(list(labeled).into_iter().map(|text| format!("{text} labeled")));
    if known.is_empty() {
        return format!("{side} has {size} in reserve.");
    }
    format!("{side} has {size} in reserve: {}.", known.join(", "))
}

/// A move or strike without its chips.
fn bare_move(seen: &SeenMove) -> String {
    let SeenMove { side, squares: Move { from, to }, piece, strike, laid: _ } = *seen;
    let Some(SeenStrike { attacker, attacker_fate, defender, defender_fate }) = strike else {
        return match piece {
            // Only mention what others cannot know: the player's own pieces are on the board.
            Identity::OneOf(_) => format!("{side} moves {from}{to}: it is {}.", identity(piece)),
            Identity::Known(_) | Identity::Coin | Identity::Hidden => format!("{side} moves {from}{to}."),
        };
    };
    let other = side.opponent();
    let (ours, theirs) = (identity(attacker), identity(defender));
    // Two of a kind are told apart by their owners.
    let is_same = attacker == defender;
    let (short, other_short) = if is_same {
        (format!("{side}'s {ours}"), format!("{other}'s {theirs}"))
    } else {
        (format!("the {ours}"), format!("the {theirs}"))
    };
    let is_flag = defender == Identity::Known(Rank::Flag);
    let result = match (attacker_fate, defender_fate) {
        (Fate::Leaves, Fate::Leaves) => "both leave".to_owned(),
        (Fate::Leaves, Fate::Advances) => format!("{short} leaves, {other_short} goes to {from}"),
        (Fate::Leaves, Fate::Stays) => format!("{short} leaves"),
        (Fate::Stays | Fate::Advances, Fate::Leaves) if is_flag => "the Flag is taken".to_owned(),
        (Fate::Stays | Fate::Advances, Fate::Leaves) => format!("{other_short} leaves"),
        (Fate::Stays | Fate::Advances, Fate::Stays | Fate::Advances) => "both stay".to_owned(),
    };
    format!("{side}'s {ours} strikes {other}'s {theirs} on {to}: {result}.")
}

fn identity(identity: Identity) -> String {
    match identity {
        Identity::Known(rank) => rank.to_string(),
        Identity::OneOf(ranks) => {
            let names: Vec<String> = ranks.iter().map(|rank| rank.to_string()).collect();
            names.join(" or ")
        }
        Identity::Coin => "coin".to_owned(),
        Identity::Hidden => "hidden piece".to_owned(),
    }
}

/// A rank with its figure: `Marshal (1)`. Flag, Bomb and Spy need none.
#[must_use]
pub fn rank(rank: Rank, numbering: Numbering) -> String {
    let figure = rank.figure(numbering);
    if figure.starts_with(|letter: char| letter.is_ascii_digit()) {
        format!("{rank} ({figure})")
    } else {
        rank.to_string()
    }
}

#[cfg(test)]
mod tests;
