//! Parses typed actions on the board, as words or in move notation.

use flagfall_board::{ChipColor, Rank, Sign, Square};
use flagfall_protocol::GameCommand;
use flagfall_rules::{Move, MoveCommand, Placing};

use crate::input::latin;

/// Parses one action.
///
/// A move is `a4a5`, `a4-a5` or `A4 A5`, followed by `+` or `-` for the path and a color for its
/// chip, if needed. In words: `place scout a4 green`, `place labeled 9 a4`, `remove a4`, `color
/// green`, `choose captain`. In short: `9@a4=g`, `9^@a4=g`, `-a4`, `=g`, `!5`. Also accepts the
/// letters that the same keys type on a Russian keyboard.
pub fn parse(text: &str) -> Option<GameCommand> {
    let text: String = text.trim().chars().map(latin).collect();
    let text = text.as_str();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match word.to_ascii_lowercase().as_str() {
        "place" => place(rest),
        "remove" => square(rest).map(|square| GameCommand::Remove { square }),
        "color" => ChipColor::from_name(rest.trim()).map(|color| GameCommand::Color { color }),
        "choose" => rank(rest.trim()).map(|rank| GameCommand::Choose { rank }),
        "move" => moving(rest).map(GameCommand::from),
        _ => short(text).or_else(|| moving(text).map(GameCommand::from)),
    }
}

fn square(text: &str) -> Option<Square> {
    text.trim().parse().ok()
}

fn short(text: &str) -> Option<GameCommand> {
    if let Some(color) = text.strip_prefix('=') {
        return ChipColor::from_name(color.trim()).map(|color| GameCommand::Color { color });
    }
    if let Some(letter) = text.strip_prefix('!') {
        return rank(letter.trim()).map(|rank| GameCommand::Choose { rank });
    }
    if let Some(rest) = text.strip_prefix('-') {
        return square(rest).map(|square| GameCommand::Remove { square });
    }
    text.parse::<Placing>().ok().map(placed)
}

fn placed(placing: Placing) -> GameCommand {
    let Placing { square, rank, is_labeled, color } = placing;
    GameCommand::Place { square, rank, labeled: is_labeled, color }
}

/// Parses the text after `place`: an optional `labeled`, then rank, square and an optional color.
fn place(rest: &str) -> Option<GameCommand> {
    let mut words = rest.split_whitespace().peekable();
    let is_labeled = words.next_if(|word| word.eq_ignore_ascii_case("labeled")).is_some();
    let rank = rank(words.next()?)?;
    let square = square(words.next()?)?;
    let color = match words.next() {
        Some(color) => Some(ChipColor::from_name(color)?),
        None => None,
    };
    words.next().is_none().then_some(placed(Placing { square, rank, is_labeled, color }))
}

/// Parses a rank: its name, or its letter in deployments.
pub(crate) fn rank(word: &str) -> Option<Rank> {
    let mut letters = word.chars();
    let by_letter = letters.next().and_then(Rank::from_letter).filter(|_| letters.next().is_none());
    by_letter.or_else(|| Rank::ALL.into_iter().find(|rank| rank.name().eq_ignore_ascii_case(word)))
}

/// Parses a move with an optional path and an optional color.
fn moving(text: &str) -> Option<MoveCommand> {
    let colored = text.rsplit_once(|letter: char| letter.is_whitespace() || letter == '=');
    let colored = colored.and_then(|(squares, color)| Some((squares, ChipColor::from_name(color.trim())?)));
    let (squares, color) = colored.map_or((text, None), |(squares, color)| (squares, Some(color)));
    let squares = squares.trim();
    let (squares, path) = match (squares.strip_suffix('+'), squares.strip_suffix('-')) {
        (Some(squares), _) => (squares, Some(Sign::Plus)),
        (_, Some(squares)) => (squares, Some(Sign::Minus)),
        (None, None) => (squares, None),
    };
    let is_between = |letter: &char| letter.is_whitespace() || *letter == '-';
    let squeezed: String = squares.chars().filter(|letter| !is_between(letter)).collect();
    let squares: Move = squeezed.to_ascii_lowercase().parse().ok()?;
    Some(MoveCommand { squares, path, color })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> String {
        parse(text).map_or_else(|| "nothing".to_owned(), |act| serde_json::to_string(&act).expect("JSON"))
    }

    #[test]
    fn moves_are_read_with_path_and_color() {
        let plain = r#"{"kind":"move","move":"a4a5"}"#;
        for text in ["a4a5", "A4 A5", "a4-a5", "move a4a5", "move a4 a5", "ф4ф5", "ьщму Ф4 Ф5"] {
            assert_eq!(json(text), plain, "{text}");
        }
        let green = r#"{"kind":"move","move":"a4a5","color":"green"}"#;
        for text in ["a4a5 green", "a4a5=g", "a4 a5 g", "move a4-a5 GREEN"] {
            assert_eq!(json(text), green, "{text}");
        }
        assert_eq!(json("a1a7-"), r#"{"kind":"move","move":"a1a7","path":"-"}"#);
        assert_eq!(json("a1-a7+ b"), r#"{"kind":"move","move":"a1a7","path":"+","color":"blue"}"#);
    }

    #[test]
    fn reserve_and_colors_are_read_in_words_and_short() {
        for text in ["place scout a4 green", "place 9 a4 g", "9@a4=g"] {
            assert_eq!(
                json(text),
                r#"{"kind":"place","square":"a4","rank":"scout","color":"green"}"#,
                "{text}"
            );
        }
        for text in ["place labeled bomb b1", "Place LABELED B b1", "B^@b1"] {
            assert_eq!(
                json(text),
                r#"{"kind":"place","square":"b1","rank":"bomb","labeled":true}"#,
                "{text}"
            );
        }
        for text in ["remove a4", "-a4"] {
            assert_eq!(json(text), r#"{"kind":"remove","square":"a4"}"#, "{text}");
        }
        for text in ["color yellow", "=y"] {
            assert_eq!(json(text), r#"{"kind":"color","color":"yellow"}"#, "{text}");
        }
    }

    #[test]
    fn choices_are_read_in_words_and_short() {
        for text in ["choose captain", "Choose CAPTAIN", "choose 5", "!5", "! captain"] {
            assert_eq!(json(text), r#"{"kind":"choose","rank":"captain"}"#, "{text}");
        }
    }

    #[test]
    fn unknown_words_are_no_moves() {
        for text in [
            "choose",
            "choose a4",
            "!",
            "!x",
            "",
            "draw",
            "a4",
            "place",
            "place 9",
            "place a4 9",
            "place 9 a4 pink",
            "remove",
            "color",
            "color a4",
            "=",
            "-",
            "a4a5 pink",
            "place 9 a4 green green",
            "é",
            "a4a5=é",
        ] {
            assert_eq!(json(text), "nothing", "{text:?}");
        }
    }
}
