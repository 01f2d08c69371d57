//! StraDoS2, the XML format of Gravon's game archive.
//!
//! The root element `stratego` contains one `game` with an attribute `type`. The game contains a
//! `field`, whose attribute `content` is the board at the start, with one letter for each square:
//! A1 first, then the rest of row 1, then row 2 and so on. It also contains `move`s with `source`
//! and `target`, two `player`s, and a `result` with `type` and `winner`. The columns are A to I
//! and K.

use std::fmt::Write;

use flagfall_board::{PerSide, Rank, Side, Square};
use flagfall_protocol::{SeenOutcome, Time};
use flagfall_rules::{Move, Ruleset};
use roxmltree::{Document, Node, ParsingOptions};

use super::error::{ExportError, ImportError};
use super::format::Format;
use super::plain::{Games, Plain, named};

/// Maximum number of XML nodes in a document. A game of 5,000 plies has about 10,000 elements,
/// with whitespace between them.
const NODES_MAX: u32 = 50_000;

/// The ranks in the order of their letters. The letters start at B for Red and at N for Blue.
const RANKS: [Rank; 12] = [
    Rank::Bomb,
    Rank::Spy,
    Rank::Scout,
    Rank::Miner,
    Rank::Sergeant,
    Rank::Lieutenant,
    Rank::Captain,
    Rank::Major,
    Rank::Colonel,
    Rank::General,
    Rank::Marshal,
    Rank::Flag,
];

const COLUMNS: &[u8; 10] = b"ABCDEFGHIK";
const EMPTY: char = 'A';
const LAKE: char = '_';

/// The possible rulesets of each type. The files do not state the repetition rules, so several
/// rulesets share a type. An import assumes the first one.
const TYPES: Games = Games {
    format: Format::Strados,
    rulesets: &[("classic", &["classic", "tournament", "pbm"]), ("barrage", &["barrage"])],
};

/// The result types in the files, each with the matching end reason. An export uses the first
/// type that matches.
const RESULTS: [(u8, &str); 9] = [
    (0, "no_legal_move"),
    (1, "flag_captured"),
    (2, "both_blocked"),
    (3, "resigned"),
    (4, "draw_agreed"),
    (11, "out_of_time"),
    (12, "out_of_time"),
    (14, "abandoned"),
    (13, "abandoned"),
];

pub(super) fn write(plain: &Plain) -> Result<String, ExportError> {
    let kind = TYPES.name_of(plain.ruleset)?;
    let SeenOutcome { winner, reason } = &plain.outcome;
    let result = RESULTS.iter().find(|(_, code)| code == reason);
    let no_word = || ExportError::End { format: TYPES.format.name(), reason: reason.clone() };
    let (result, _) = result.ok_or_else(no_word)?;
    if winner.is_none() && !["both_blocked", "draw_agreed"].contains(&reason.as_str()) {
        return Err(no_word());
    }
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<stratego>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, " <game type=\"{kind}\">\n  <field content=\"{}\"/>", field(plain));
    for (number, Move { from, to }) in (1..).zip(&plain.moves) {
        let _ = writeln!(
            text,
            "  <move id=\"{number}\" source=\"{}\" target=\"{}\"/>",
            square_text(*from),
            square_text(*to)
        );
    }
    for (number, side) in (1..).zip(Side::BOTH) {
        let _ = writeln!(text, "  <player id=\"{number}\">{}</player>", escaped(&plain.players[side]));
    }
    let winner = match winner {
        Some(Side::Red) => 1,
        Some(Side::Blue) => 2,
        None => 3,
    };
    let _ = writeln!(text, "  <result type=\"{result}\" winner=\"{winner}\"/>\n </game>\n</stratego>");
    Ok(text)
}

fn field(plain: &Plain) -> String {
    let shape = &plain.ruleset.shape;
    let mut letters = vec![EMPTY; 100];
    let place = |square: Square| usize::from(square.row()) * 10 + usize::from(square.column());
    shape.lakes.iter().for_each(|square| letters[place(square)] = LAKE);
    for (side, first) in [(Side::Red, b'B'), (Side::Blue, b'N')] {
        for (index, letter) in plain.deployments[side].chars().enumerate() {
            let rank =
                Rank::from_letter(letter).and_then(|rank| RANKS.iter().position(|other| *other == rank));
            if let (Some(square), Some(rank)) = (shape.home_square(side, index), rank) {
                letters[place(square)] = char::from(first + rank as u8);
            }
        }
    }
    letters.into_iter().collect()
}

fn square_text(square: Square) -> String {
    let column = COLUMNS.get(usize::from(square.column())).copied().unwrap_or(b'?');
    format!("{}{}", char::from(column), square.row() + 1)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

pub(super) fn read(text: &str, ruleset: Option<&'static Ruleset>) -> Result<Plain, ImportError> {
    // Refuse document type definitions, because games need no entities, and entities can expand
    // without limit.
    let options = ParsingOptions { allow_dtd: false, nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| format!("this is not the XML of a game: {error}"))?;
    let root = document.root_element();
    let games: Vec<Node<'_, '_>> = root.descendants().filter(|node| node.has_tag_name("game")).collect();
    let [game] = games[..] else {
        return Err(format!("the file has {} games; it must have one", games.len()).into());
    };
    let kind = attribute(game, "type")?;
    let ruleset = TYPES.ruleset(kind, ruleset)?;
    let field = only(game, "field")
        .map_err(|_| "the file has no board: the game ended before both sides had deployed")?;
    let deployments = deployments(attribute(field, "content")?, ruleset, field)?;
    let mut moves = Vec::new();
    for node in game.children().filter(|node| node.has_tag_name("move")) {
        moves.push(Move { from: square(node, "source")?, to: square(node, "target")? });
    }
    let names: Vec<String> = game
        .children()
        .filter(|node| node.has_tag_name("player"))
        .map(|node| node.text().unwrap_or_default().trim().to_owned())
        .collect();
    let [red, blue] = &names[..] else {
        return Err(format!("the number of players in the file must be 2, not {}", names.len()).into());
    };
    Ok(Plain {
        ruleset,
        lakes: None,
        time: Time::Unlimited {},
        players: PerSide::new(named(red), named(blue)),
        deployments,
        moves,
        outcome: result(only(game, "result")?)?,
    })
}

fn deployments(content: &str, ruleset: &Ruleset, node: Node<'_, '_>) -> Result<PerSide<String>, ImportError> {
    let shape = &ruleset.shape;
    let letters: Vec<char> = content.chars().collect();
    if letters.len() != 100 {
        return Err(wrong(node, format!("the board has {} squares; it must have 100", letters.len())));
    }
    let mut texts = PerSide::from_fn(|_| vec!['.'; shape.home_len()]);
    for (index, letter) in letters.into_iter().enumerate() {
        let square = Square::new((index % 10) as u8, (index / 10) as u8);
        let square = square.ok_or_else(|| wrong(node, "a square is outside the board".to_owned()))?;
        let is_lake = shape.lakes.contains(square);
        let place =
            |side| (0..shape.home_len()).find(|place| shape.home_square(side, *place) == Some(square));
        let piece = match letter {
            'B'..='M' => Some((Side::Red, letter as u8 - b'B')),
            'N'..='Y' => Some((Side::Blue, letter as u8 - b'N')),
            EMPTY if !is_lake => None,
            LAKE if is_lake => continue,
            _ => return Err(wrong(node, format!("{letter:?} cannot stand on {square}"))),
        };
        if let Some((side, rank)) = piece {
            let place = place(side)
                .ok_or_else(|| wrong(node, format!("{side}'s piece on {square} is outside its home rows")))?;
            texts[side][place] = RANKS[usize::from(rank)].letter();
        }
    }
    Ok(PerSide::from_fn(|side| texts[side].iter().collect()))
}

fn square(node: Node<'_, '_>, name: &str) -> Result<Square, ImportError> {
    let text = attribute(node, name)?;
    let column = text.bytes().next().and_then(|letter| {
        // Some files in the archive use J instead of K for the last column.
        COLUMNS.iter().position(|other| *other == letter).or((letter == b'J').then_some(9))
    });
    let row = text.get(1..).and_then(|digits| digits.parse::<u8>().ok()).filter(|row| (1..=10).contains(row));
    column.zip(row).and_then(|(column, row)| Square::new(column as u8, row - 1)).ok_or_else(|| {
        wrong(node, format!("{text:?} is not a square: write A to I or K and a row, as in A4"))
    })
}

fn result(node: Node<'_, '_>) -> Result<SeenOutcome, ImportError> {
    let number = |name| {
        attribute(node, name)?.parse::<u8>().map_err(|_| wrong(node, format!("{name} is not a number")))
    };
    let (kind, winner) = (number("type")?, number("winner")?);
    let reason = RESULTS.iter().find(|(number, _)| *number == kind).map(|(_, reason)| *reason);
    let reason =
        reason.ok_or_else(|| wrong(node, format!("results of the type {kind} are not supported")))?;
    let winner = match winner {
        1 => Some(Side::Red),
        2 => Some(Side::Blue),
        3 => None,
        _ => return Err(wrong(node, "the winner must be 1, 2 or 3".to_owned())),
    };
    Ok(SeenOutcome { winner, reason: reason.to_owned() })
}

fn only<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Result<Node<'a, 'input>, ImportError> {
    let mut found = node.children().filter(|child| child.has_tag_name(name));
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(wrong(node, format!("there must be exactly one {name}"))),
    }
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, ImportError> {
    node.attribute(name).ok_or_else(|| wrong(node, format!("{name} is missing")))
}

fn wrong(node: Node<'_, '_>, what: String) -> ImportError {
    let line = node.document().text_pos_at(node.range().start).row as usize;
    ImportError::Line { line, what }
}
