//! Deployments and moves as players type them for a play-by-mail server, and the board as the
//! server prints it (§P4, §P5).

use std::fmt::Write;

use flagfall_board::{PerSide, Side, Square};
use flagfall_protocol::Time;
use flagfall_rules::{Identity, Move, Ruleset, View, Viewer, view};

use super::error::{ExportError, ImportError};
use super::format::Format;
use super::plain::{Games, Plain, named, squeezed};
use super::told::{in_words, outcome_of};

/// The words with which text in this format begins.
pub(super) const FIRST_WORDS: &str = "Stratego by mail";

/// The two games of the play-by-mail server. Rulesets with the same army and board count as the
/// same game, even if one has additional rules.
const GAMES: Games = Games {
    format: Format::Pbm,
    rulesets: &[("pbm", &["pbm", "classic", "tournament"]), ("pbm-small", &["pbm-small"])],
};

pub(super) fn write(plain: &Plain) -> Result<String, ExportError> {
    let game = GAMES.name_of(plain.ruleset)?;
    let (_, end) = plain.play("pbm").map_err(|error| ExportError::False(error.to_string()))?;
    let mut text = format!("{FIRST_WORDS}\nGame: {game}\n");
    // Writing to a string cannot fail.
    for side in Side::BOTH {
        let _ = writeln!(text, "{side}: {}", plain.players[side]);
    }
    let _ = writeln!(text, "Result: {}", in_words(&plain.outcome));
    for side in Side::BOTH {
        let _ = writeln!(text, "\n{side} deploys:");
        let letters: Vec<char> = plain.deployments[side].chars().collect();
        for row in letters.chunks(usize::from(plain.ruleset.shape.columns)) {
            let _ = writeln!(text, "{}", row.iter().collect::<String>());
        }
    }
    text.push_str("\nMoves:\n");
    for (number, squares) in (1..).zip(&plain.moves) {
        let _ = writeln!(text, "{number:>4} {}-{}", squares.from, squares.to);
    }
    text.push_str("\nBoard:\n");
    text.push_str(&board(&view(&end, Viewer::Public, end.latest())));
    Ok(text)
}

/// Formats the board, with Red at the bottom. Red's pieces are in slashes, Blue's in brackets.
fn board(view: &View) -> String {
    let shape = &view.ruleset.shape;
    let mut text = String::new();
    for row in (0..shape.rows).rev() {
        let _ = write!(text, "{:>2} ", row + 1);
        for square in (0..shape.columns).filter_map(|column| Square::new(column, row)) {
            let piece = view.pieces.iter().find(|piece| piece.square == square);
            let cell = match piece {
                Some(piece) => {
                    let letter = match piece.identity {
                        Identity::Known(rank) => rank.letter(),
                        Identity::Coin => 'o',
                        // A hidden piece that has moved gets a different symbol.
                        Identity::OneOf(_) | Identity::Hidden if piece.is_moved => '?',
                        Identity::OneOf(_) | Identity::Hidden => '#',
                    };
                    let [left, right] = match piece.side {
                        Side::Red => ['/', '\\'],
                        Side::Blue => ['[', ']'],
                    };
                    format!("{left}{letter}{right}")
                }
                None if view.lakes.contains(square) => "~~~".to_owned(),
                None => " . ".to_owned(),
            };
            let _ = write!(text, " {cell}");
        }
        text.push('\n');
    }
    let letters: String =
        (0..shape.columns).map(|column| format!("  {} ", char::from(b'a' + column))).collect();
    let _ = writeln!(text, "   {}", letters.trim_end());
    text
}

/// The part of the text to which a line belongs.
#[derive(Clone, Copy)]
enum Part {
    Head,
    Deployment(Side),
    Moves,
}

pub(super) fn read(text: &str, wanted: Option<&'static Ruleset>) -> Result<Plain, ImportError> {
    let mut part = Part::Head;
    let (mut game, mut outcome) = (None, None);
    let mut players = PerSide::from_fn(|_| "unknown".to_owned());
    let mut deployments = PerSide::<String>::default();
    let mut moves = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let wrong = |what: String| ImportError::Line { line: number, what };
        if line.is_empty() || line == FIRST_WORDS {
            continue;
        }
        match line {
            "Red deploys:" => part = Part::Deployment(Side::Red),
            "Blue deploys:" => part = Part::Deployment(Side::Blue),
            "Moves:" => part = Part::Moves,
            // Ignore the board, which is only for people and follows from the moves.
            "Board:" => break,
            line => match part {
                Part::Head => match line.split_once(':').map(|(name, value)| (name, value.trim())) {
                    Some(("Game", value)) => game = Some(value.to_owned()),
                    Some(("Red", value)) => players.red = named(value),
                    Some(("Blue", value)) => players.blue = named(value),
                    Some(("Result", value)) => {
                        let wanted = || wrong("the result must look like Red wins (resigned)".to_owned());
                        outcome = Some(outcome_of(value).ok_or_else(wanted)?);
                    }
                    _ => return Err(wrong("expected Game, Red, Blue or Result".to_owned())),
                },
                Part::Deployment(side) => deployments[side].push_str(&squeezed(line)),
                Part::Moves => moves
                    .push(move_of(line).ok_or_else(|| wrong("expected a move such as 1 a4-a5".to_owned()))?),
            },
        }
    }
    let game = game.ok_or("a line Game: pbm or Game: pbm-small is missing")?;
    let outcome = outcome.ok_or("a line Result is missing: only games that are over can be read")?;
    Ok(Plain {
        ruleset: GAMES.ruleset(&game, wanted)?,
        lakes: None,
        time: Time::Unlimited {},
        players,
        deployments,
        moves,
        outcome,
    })
}

/// Parses a move such as `a4-a5` or `a4a5`, with or without the number of the move.
fn move_of(line: &str) -> Option<Move> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let word = match words[..] {
        [word] => word,
        [number, word] if number.trim_end_matches('.').parse::<u32>().is_ok() => word,
        _ => return None,
    };
    word.replace('-', "").parse().ok()
}
