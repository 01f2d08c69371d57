//! Explains a ruleset in words, generated from its data.

use std::fmt::Write;

use flagfall_board::{Numbering, Rank, Side, Square};
use flagfall_rules::{Bombs, Disclosure, Fill, Lakes, Ruleset, Start, Ties};

use crate::{pictures, words};

/// Lists every ruleset, one line each.
#[must_use]
pub fn list() -> String {
    let mut text = "The rulesets (flagfall rules ID explains one):\n\n".to_owned();
    for ruleset in Ruleset::all() {
        let mut id = ruleset.id;
        for line in words::wrap(ruleset.summary, 62) {
            let _ = writeln!(text, "  {id:<14} {line}");
            id = "";
        }
    }
    text
}

/// Explains a ruleset: army, board, moves, strikes, repetition, the end.
#[must_use]
pub fn ruleset(ruleset: &Ruleset, numbering: Numbering) -> String {
    let summary = words::wrap(ruleset.summary, 78).join("\n");
    let mut text = format!("{} ({})\n{summary}\n", ruleset.title, ruleset.id);
    army(ruleset, numbering, &mut text);
    board(ruleset, &mut text);
    section("Moving", &moving(ruleset), &mut text);
    for (title, lines) in additions(ruleset) {
        section(title, &lines, &mut text);
    }
    section("Striking", &striking(ruleset), &mut text);
    section("Repetition", &repetition(ruleset), &mut text);
    section("The end", &ending(ruleset), &mut text);
    for picture in pictures::of(ruleset, numbering) {
        text.push_str(&picture);
    }
    custom_games(ruleset, &mut text);
    text
}

/// Lists what a custom game may change, with the values as they are typed.
fn custom_games(ruleset: &Ruleset, text: &mut String) {
    let _ = write!(text, "\nCustom games\n");
    let example = ruleset.changeable.first().and_then(|option| {
        let value = option.values().iter().find(|value| option.value_in(ruleset) != Some(**value))?;
        Some(format!("flagfall play --rules {},{}={}", ruleset.unchanged().id, option.name(), value.name))
    });
    let Some(example) = example else {
        indented("No rule may be changed.", text);
        return;
    };
    indented(&format!("Casual games may change single rules, each by its name: {example}"), text);
    for option in ruleset.changeable {
        for value in option.values() {
            let mark = if option.value_in(ruleset) == Some(*value) { "*" } else { " " };
            let mut named = format!("{mark} {}={}", option.name(), value.name);
            for line in words::wrap(value.meaning, 52) {
                let _ = writeln!(text, "  {named:<21} {line}");
                named.clear();
            }
        }
    }
    indented("* as it is here", text);
}

/// Writes a title and its sentences. A sentence that ends a source line ends the output line too.
fn section(title: &str, lines: &[String], text: &mut String) {
    let _ = write!(text, "\n{title}\n");
    for paragraph in lines.join("\n").split(".\n") {
        let end = if paragraph.ends_with('.') { "" } else { "." };
        indented(&format!("{paragraph}{end}"), text);
    }
}

/// Indents a paragraph. It is as wide as the narrowest terminal that shows a board.
fn indented(paragraph: &str, text: &mut String) {
    for line in words::wrap(paragraph, 76) {
        let _ = writeln!(text, "  {line}");
    }
}

fn army(ruleset: &Ruleset, numbering: Numbering, text: &mut String) {
    let _ = write!(text, "\nThe army: {} pieces a side, the strongest first\n", ruleset.army.len());
    let mut ranks: Vec<(Rank, u8)> = ruleset.army.iter().collect();
    ranks.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    for (rank, count) in ranks {
        let note = match rank {
            Rank::Flag => "never moves; who loses it has lost",
            Rank::Bomb => match ruleset.bombs {
                Bombs::Stay => "never moves; beats every attacker but the Miner",
                Bombs::LeaveWithAttacker => "never moves; takes every attacker along but the Miner",
            },
            Rank::Scout => "moves any distance",
            Rank::Phoenix => "moves any distance; its strike labels and takes nothing",
            Rank::General if ruleset.shadowflash => "flashes up to 2 squares",
            Rank::Colonel if ruleset.shadowflash => "flashes up to 3 squares",
            Rank::Major if ruleset.shadowflash => "flashes up to 4 squares",
            Rank::Miner => "removes Bombs",
            Rank::Spy if ruleset.spy_beats == Rank::General => "beats the General when it strikes first",
            Rank::Spy => "beats the Marshal when it strikes first",
            _ => "",
        };
        let line = format!("  {:>2}  {:<11} x{count}   {note}", rank.figure(numbering), rank.to_string());
        let _ = writeln!(text, "{}", line.trim_end());
    }
}

fn board(ruleset: &Ruleset, text: &mut String) {
    let shape = &ruleset.shape;
    let lakes = match ruleset.lakes {
        Lakes::OfTheShape => ", ~ is lake",
        Lakes::Drawn => "",
    };
    let _ = write!(
        text,
        "\nThe board: {} columns, {} rows; r and b are the home rows{lakes}\n",
        shape.columns, shape.rows
    );
    for row in (0..shape.rows).rev() {
        let squares = (0..shape.columns).filter_map(|column| Square::new(column, row));
        let letters = squares.map(|square| match square {
            square if shape.lakes.contains(square) => " ~",
            square if shape.home(Side::Red).contains(square) => " r",
            square if shape.home(Side::Blue).contains(square) => " b",
            _ => " .",
        });
        let _ = writeln!(text, "  {:>2}{}", row + 1, letters.collect::<String>());
    }
    let columns: String =
        (0..shape.columns).map(|column| format!(" {}", char::from(b'a' + column))).collect();
    let _ = writeln!(text, "    {columns}");
    let fill = match ruleset.fill {
        _ if ruleset.start == Start::Coins => {
            "Nobody deploys: the game begins with a coin on every home square, and each side's army waits in its pool, for all to see."
        }
        Fill::EveryHomeSquare if ruleset.reserve => {
            "Each side fills its home rows with any of its pieces, the Flag among them, unseen by the other; the rest is its reserve."
        }
        Fill::EveryHomeSquare => "Each side fills its home rows, unseen by the other.",
        Fill::AnyHomeSquares => {
            "Each side puts its army on any of its home squares, unseen by the other; the rest stay empty."
        }
    };
    indented(fill, text);
    if shape.has_joints() {
        indented(
            "Edges join: the columns a b c g h i j n o p from row 10 to row 1, all rows but 5 and 6 from column p to column a. Squares on both sides of a \
             joint are neighbors, and the lines of Scouts and Phoenixes run through.",
            text,
        );
    }
    if ruleset.lakes == Lakes::Drawn {
        indented(
            "Two lakes of 2x2 squares lie in rows 5 and 6. Chance draws them for every game; they may touch, and never overlap. \
             Everybody sees them before the armies are placed.",
            text,
        );
    }
}

fn moving(ruleset: &Ruleset) -> Vec<String> {
    let scout = if ruleset.strikes_afar {
        "A Scout goes any number of empty squares in a line and may strike at the end of it;"
    } else {
        "A Scout goes any number of empty squares in a line, or strikes a neighboring square;"
    };
    let proof = if ruleset.chips {
        "what a move proves of a piece everybody is shown: that it is one of a few ranks, or which."
    } else {
        "a move of more than one square shows everybody that it is a Scout."
    };
    [
        "Red begins. A turn is one move or strike with one piece: one square along a row or a",
        "column, never diagonally, never onto a lake or an own piece. Flag and Bombs never move.",
        scout,
        proof,
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Sections about coins, reserve, labels and chips, if the ruleset has them (§Q, §S).
fn additions(ruleset: &Ruleset) -> Vec<(&'static str, Vec<String>)> {
    let mut sections = Vec::new();
    if ruleset.start == Start::Coins {
        sections.push((
            "Coins",
            "A coin goes one square like a piece, and nobody knows what it is, not even its owner. One that goes several squares becomes a Scout of the pool at that \
             moment, as long as there is one. When a coin is in a strike, its owner says which piece of the pool it is: never a Bomb or the Flag when it strikes or has moved \
             before. If both are coins, both choose unseen, and the strike is resolved when both have; both clocks run meanwhile. A choice is final. \
             What a coin has become it stays, known to all. The Flag falls when a struck coin must be it.",
        ));
        sections.push((
            "The reserve rule",
            "At any time as many coins must stand unmoved as Bombs and Flag are left in the pool: what would break that is refused. Whoever has no other act forfeits the game.",
        ));
    }
    if ruleset.reserve {
        sections.push((
            "The reserve",
            "Instead of moving, a side may take one of its pieces off the board into its reserve (never the Flag), or bring one of its reserve \
             onto an empty square of its home rows. The other side sees where, and never which: what was known of a piece that is taken off is lost. \
             What was captured is gone for good.",
        ));
    }
    if ruleset.labels {
        sections.push((
            "Labels",
            "Whatever beats a striking Scout is labeled: face up for the rest of the game, on the board and in reserve. So is whatever the Phoenix strikes; \
             nothing is taken then, and the Phoenix stays where it is. Any other piece that strikes a Phoenix takes it. When the Phoenix strikes the Flag, it has found it and won.",
        ));
    }
    if ruleset.chips {
        sections.push((
            "Chips",
            "Whenever a piece lands on a square, its owner lays a red, yellow, blue or green chip there, in place of the one that lay there: with a move, a strike \
             that wins, a piece brought on. A defender that wins and goes to its attacker's square lands as well: its owner names the color before anything else. Chips stay when pieces \
             leave, and serve both sides.",
        ));
    }
    if ruleset.supply_lines || ruleset.shadowflash {
        sections.push((
            "Lines of chips",
            "Supply line: a movable piece goes any distance over empty squares that all bear the color of its own square. Shadowflash: a General up to 2, a Colonel \
             up to 3, a Major up to 4 empty squares that bear chips of any color; every square it enters takes the color of the square it came from. Neither \
             strikes at its end. Nobody is told by which rule a piece moved.",
        ));
    }
    sections.into_iter().map(|(title, text)| (title, vec![text.to_owned()])).collect()
}

fn striking(ruleset: &Ruleset) -> Vec<String> {
    let disclosure = match ruleset.disclosure {
        Disclosure::Both => "A move onto an enemy piece is a strike; both ranks are shown to everybody.",
        Disclosure::SilentDefense => {
            "A move onto an enemy piece is a strike; it shows the attacker to everybody. A defender that wins stays hidden, \
             unless a Scout struck it; whatever leaves is shown."
        }
    };
    let equals = match ruleset.ties {
        Ties::BothLeave => "equals both leave",
        Ties::AttackerWins => "of equals the attacker stays",
        Ties::DefenderWins => "of equals the defender stays",
    };
    let winner = match (ruleset.winner_advances, ruleset.bombs) {
        (true, Bombs::Stay) => {
            "The winner goes to the loser's square, attacker or defender; only a Bomb stays where it is."
        }
        (true, Bombs::LeaveWithAttacker) => "The winner goes to the loser's square, attacker or defender.",
        (false, _) => "A winning attacker goes to the square it struck.",
    };
    let bombs = match ruleset.bombs {
        Bombs::Stay => "A Bomb beats all attackers but the Miner, who removes it.",
        Bombs::LeaveWithAttacker => {
            "A Bomb and its attacker both leave, but for the Miner, who removes it and stays."
        }
    };
    vec![
        disclosure.to_owned(),
        format!("The stronger piece stays, the weaker leaves; {equals}. {winner} {bombs}"),
        format!(
            "The Spy beats the {} when the Spy strikes. Any other piece that strikes a Spy beats it{}; two Spies are equals.",
            ruleset.spy_beats,
            if ruleset.labels { ", but for the Phoenix, which labels it" } else { "" }
        ),
    ]
}

fn repetition(ruleset: &Ruleset) -> Vec<String> {
    let mut lines = Vec::new();
    match ruleset.two_squares_limit {
        Some(limit) => {
            lines.push(format!(
                "Two squares: a piece may go back and forth between the same two squares {limit} times in a"
            ));
            lines.push("row; then it must do something else, or another piece moves.".to_owned());
        }
        None => lines.push("A piece may go back and forth as often as it likes.".to_owned()),
    }
    if ruleset.more_squares {
        lines.push(
            "More squares: who chases a piece on and on may not bring back a position that the chase"
                .to_owned(),
        );
        lines.push("had before.".to_owned());
    }
    lines
}

fn ending(ruleset: &Ruleset) -> Vec<String> {
    let mut lines = Vec::new();
    if ruleset.illegal_act_loses {
        lines.push(
            "Whoever makes an illegal move, or hands in an illegal deployment, has lost at once; deployments are judged together, and two \
             illegal ones are a draw. This program asks again before it sends an illegal move, and hands in no illegal deployment."
                .to_owned(),
        );
    }
    lines.extend([
        if ruleset.blocked_draws {
            "Who takes the enemy Flag wins. Who cannot move on his turn loses; if neither side could,"
        } else {
            "Who takes the enemy Flag wins. Who has nothing but the Flag on the board, and nothing in reserve, loses."
        }
        .to_owned(),
        if ruleset.blocked_draws {
            "the game is a draw. A side may resign, run out of time, or agree on a draw."
        } else {
            "A side may resign, run out of time, or agree on a draw."
        }
        .to_owned(),
    ]);
    if let Some(limit) = ruleset.quiet_limit {
        lines.push(format!(
            "After {limit} moves of both sides together without a capture the game is a draw,"
        ));
        lines.push(format!(
            "announced {} moves ahead; in any case after {} moves.",
            Ruleset::LIMIT_NOTICE,
            ruleset.ply_limit
        ));
    } else {
        lines.push(format!("After {} moves the game is a draw.", ruleset.ply_limit));
    }
    lines
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
