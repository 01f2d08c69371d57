//! Explains a ruleset in words, generated from the ruleset's data.

use std::fmt::Write;

use flagfall_board::{Numbering, Rank, Side, Square};
use flagfall_rules::{Bombs, Disclosure, Fill, Lakes, Ruleset, Start, Ties};
use unicode_width::UnicodeWidthStr;

use crate::{pictures, text, texts, words};

pub fn list() -> String {
    let mut page = text!("rulesets") + "\n\n";
    for ruleset in Ruleset::all() {
        let mut id = ruleset.id;
        for line in words::wrap(&texts::words().ruleset_summary(ruleset), 62) {
            let _ = writeln!(page, "  {id:<14} {line}");
            id = "";
        }
    }
    page
}

/// Explains a ruleset: army, board, moves, strikes, repetition, the end of the game.
pub fn ruleset(ruleset: &Ruleset, numbering: Numbering) -> String {
    let summary = words::wrap(&texts::words().ruleset_summary(ruleset), 78).join("\n");
    let mut page = text!("rules-title", title = texts::words().ruleset_title(ruleset), id = ruleset.id)
        + "\n"
        + &summary
        + "\n";
    army(ruleset, numbering, &mut page);
    board(ruleset, &mut page);
    let afar = ruleset.strikes_afar;
    section(&text!("rules-moving"), &[text!("rules-moves", afar, chips = ruleset.chips)], &mut page);
    additions(ruleset, &mut page);
    section(&text!("rules-striking"), &striking(ruleset), &mut page);
    section(&text!("rules-repetition"), &repetition(ruleset), &mut page);
    section(&text!("rules-end"), &ending(ruleset), &mut page);
    for picture in pictures::of(ruleset, numbering) {
        page.push_str(&picture);
    }
    custom_games(ruleset, &mut page);
    page
}

/// Lists the options that a custom game may change, with their values as users type them.
fn custom_games(ruleset: &Ruleset, page: &mut String) {
    let example = ruleset.changeable.first().and_then(|option| {
        let value = option.values().iter().find(|value| !value.is_in(ruleset))?;
        Some(format!("{},{}={}", ruleset.unchanged().id, option.name(), value.name))
    });
    let Some(example) = example else {
        return section(&text!("rules-changes"), &[text!("rules-changes-none")], page);
    };
    section(&text!("rules-changes"), &[text!("rules-custom-some", example)], page);
    for option in ruleset.changeable {
        for value in option.values() {
            let mark = if value.is_in(ruleset) { "*" } else { " " };
            let mut named = format!("{mark} {}={}", option.name(), value.name);
            for line in words::wrap(&texts::words().rule_meaning(*option, *value), 52) {
                let _ = writeln!(page, "  {named:<21} {line}");
                named.clear();
            }
        }
    }
    indented(&text!("rules-custom-mark"), page);
}

fn section(title: &str, paragraphs: &[String], page: &mut String) {
    let _ = write!(page, "\n{title}\n");
    paragraphs.iter().for_each(|paragraph| indented(paragraph, page));
}

/// Indents a paragraph, and wraps it to the width of the narrowest terminal that can show a
/// board.
fn indented(paragraph: &str, page: &mut String) {
    for line in words::wrap(paragraph, 76) {
        let _ = writeln!(page, "  {line}");
    }
}

/// Returns a text argument for the fate of a Bomb that beats its attacker.
const fn bombs(ruleset: &Ruleset) -> &'static str {
    match ruleset.bombs {
        Bombs::Stay => "stay",
        Bombs::LeaveWithAttacker => "leave",
    }
}

fn army(ruleset: &Ruleset, numbering: Numbering, page: &mut String) {
    section(&text!("rules-army", count = ruleset.army.len()), &[], page);
    let mut ranks: Vec<(Rank, u8)> = ruleset.army.iter().collect();
    ranks.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    for (rank, count) in ranks {
        let note = match rank {
            Rank::Flag => text!("rules-note-flag"),
            Rank::Bomb => text!("rules-note-bomb", bombs = bombs(ruleset)),
            Rank::Scout => text!("rules-note-scout"),
            Rank::Phoenix => text!("rules-note-phoenix"),
            Rank::General if ruleset.shadowflash => text!("rules-note-flash", squares = 2_u8),
            Rank::Colonel if ruleset.shadowflash => text!("rules-note-flash", squares = 3_u8),
            Rank::Major if ruleset.shadowflash => text!("rules-note-flash", squares = 4_u8),
            Rank::Miner => text!("rules-note-miner"),
            Rank::Spy => text!("rules-note-spy", rank = ruleset.spy_beats),
            _ => String::new(),
        };
        let (figure, name, count) = (rank.figure(numbering), text!("rank", rank), format!("x{count}"));
        let mut head = format!("  {figure:>2}  {name:<11} {count}   ");
        let width = head.width();
        let mut lines = words::wrap(&note, 80 - width);
        lines.extend(note.is_empty().then(String::new));
        for line in lines {
            let _ = writeln!(page, "{}", format!("{head:width$}{line}").trim_end());
            head.clear();
        }
    }
}

fn board(ruleset: &Ruleset, page: &mut String) {
    let shape = &ruleset.shape;
    let lakes = ruleset.lakes == Lakes::OfTheShape;
    section(&text!("rules-board", columns = shape.columns, rows = shape.rows, lakes), &[], page);
    for row in (0..shape.rows).rev() {
        let squares = (0..shape.columns).filter_map(|column| Square::new(column, row));
        let letters = squares.map(|square| match square {
            square if shape.lakes.contains(square) => " ~",
            square if shape.home(Side::Red).contains(square) => " r",
            square if shape.home(Side::Blue).contains(square) => " b",
            _ => " .",
        });
        let _ = writeln!(page, "  {:>2}{}", row + 1, letters.collect::<String>());
    }
    let columns: String =
        (0..shape.columns).map(|column| format!(" {}", char::from(b'a' + column))).collect();
    let _ = writeln!(page, "    {columns}");
    let deployment = match ruleset.fill {
        _ if ruleset.start == Start::Coins => text!("rules-deploy-coins"),
        Fill::EveryHomeSquare if ruleset.reserve => text!("rules-deploy-reserve"),
        Fill::EveryHomeSquare => text!("rules-deploy-all"),
        Fill::AnyHomeSquares => text!("rules-deploy-some"),
    };
    indented(&deployment, page);
    if shape.has_joints() {
        indented(&text!("rules-joints"), page);
    }
    if ruleset.lakes == Lakes::Drawn {
        indented(&text!("rules-drawn-lakes"), page);
    }
}

/// Adds sections about coins, reserve, labels and chips, if the ruleset has them (§Q, §S).
fn additions(ruleset: &Ruleset, page: &mut String) {
    let has_coins = ruleset.start == Start::Coins;
    let has_lines = ruleset.supply_lines || ruleset.shadowflash;
    for (has_it, title, paragraph) in [
        (has_coins, text!("rules-coins"), text!("rules-coins-text")),
        (has_coins, text!("rules-reserve-rule"), text!("rules-reserve-rule-text")),
        (ruleset.reserve, text!("rules-reserve"), text!("rules-reserve-text")),
        (ruleset.labels, text!("rules-labels"), text!("rules-labels-text")),
        (ruleset.chips, text!("rules-chips"), text!("rules-chips-text")),
        (has_lines, text!("rules-lines"), text!("rules-lines-text")),
    ] {
        if has_it {
            section(&title, &[paragraph], page);
        }
    }
}

fn striking(ruleset: &Ruleset) -> [String; 3] {
    let disclosure = match ruleset.disclosure {
        Disclosure::Both => "both",
        Disclosure::SilentDefense => "silent",
    };
    let ties = match ruleset.ties {
        Ties::BothLeave => "both",
        Ties::AttackerWins => "attacker",
        Ties::DefenderWins => "defender",
    };
    [
        text!("rules-disclosure", disclosure),
        text!("rules-outcome", ties, advances = ruleset.winner_advances, bombs = bombs(ruleset)),
        text!("rules-spy", rank = ruleset.spy_beats, labels = ruleset.labels),
    ]
}

fn repetition(ruleset: &Ruleset) -> Vec<String> {
    let mut paragraphs = vec![match ruleset.two_squares_limit {
        Some(limit) => text!("rules-two-squares", limit),
        None => text!("rules-no-two-squares"),
    }];
    if ruleset.more_squares {
        paragraphs.push(text!("rules-more-squares"));
    }
    paragraphs
}

fn ending(ruleset: &Ruleset) -> Vec<String> {
    let mut paragraphs = Vec::new();
    if ruleset.illegal_act_loses {
        paragraphs.push(text!("rules-illegal"));
        paragraphs.push(text!("rules-illegal-here"));
    }
    paragraphs.push(text!("rules-win", blocked = ruleset.blocked_draws));
    let (notice, plies) = (Ruleset::LIMIT_NOTICE, ruleset.ply_limit);
    paragraphs.push(match ruleset.quiet_limit {
        Some(quiet) => text!("rules-quiet", quiet, notice, plies),
        None => text!("rules-limit", plies),
    });
    paragraphs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulesets_are_explained_from_their_data() {
        insta::assert_snapshot!(
            "barrage",
            ruleset(Ruleset::find("barrage").expect("a ruleset"), Numbering::Us)
        );
        insta::assert_snapshot!(
            "pbm-small",
            ruleset(Ruleset::find("pbm-small").expect("a ruleset"), Numbering::Eu)
        );
        insta::assert_snapshot!(
            "original",
            ruleset(Ruleset::find("original").expect("a ruleset"), Numbering::Us)
        );
        insta::assert_snapshot!(
            "silent-defense",
            ruleset(Ruleset::find("silent-defense").expect("a ruleset"), Numbering::Us)
        );
        insta::assert_snapshot!(
            "course",
            ruleset(Ruleset::find("course").expect("a ruleset"), Numbering::Us)
        );
        insta::assert_snapshot!("list", list());
    }

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        for rules in Ruleset::all() {
            let text = ruleset(rules, Numbering::Us) + &list();
            let widest = text.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
            assert!(widest.chars().count() <= 80, "{widest}");
        }
    }
}
