//! Passes information about a game to programs in environment variables. Additional lines in the
//! dialogue would break programs that were written for other umpires.

use flagfall_board::{Square, SquareSet};

/// The variable with the ruleset, including the changes of a custom game.
pub const RULESET: &str = "FLAGFALL_RULESET";
/// The variable with the lakes. The dialogue shows them only with the first board, after the
/// deployment.
pub const LAKES: &str = "FLAGFALL_LAKES";

/// Returns the variables of a game, with their values.
pub fn variables(ruleset: &str, lakes: SquareSet) -> Vec<(&'static str, String)> {
    vec![(RULESET, ruleset.to_owned()), (LAKES, lakes_text(lakes))]
}

/// Formats lakes in the protocol's coordinates: `2,4 3,4 2,5 3,5`.
fn lakes_text(lakes: SquareSet) -> String {
    let squares = lakes.iter().map(|square| format!("{},{}", square.column(), square.row()));
    squares.collect::<Vec<_>>().join(" ")
}

/// Parses the value of [`LAKES`]. `None` if it is malformed.
pub fn read_lakes(text: &str) -> Option<SquareSet> {
    let square = |word: &str| {
        let (x, y) = word.split_once(',')?;
        Square::new(x.parse().ok()?, y.parse().ok()?)
    };
    text.split_ascii_whitespace().map(square).collect()
}

#[cfg(test)]
mod tests {
    use flagfall_rules::Entropy;
    use flagfall_rules::rulesets::{CLASSIC, COURSE};

    use super::*;

    #[test]
    fn lakes_come_back_from_their_text() {
        for byte in 0..28 {
            let lakes = COURSE.draw_lakes(&Entropy([byte; 32]));
            assert_eq!(read_lakes(&lakes_text(lakes)), Some(lakes));
        }
        let classic = variables(CLASSIC.id, CLASSIC.shape.lakes);
        assert_eq!(classic[0], (RULESET, "classic".to_owned()));
        assert_eq!(classic[1], (LAKES, "2,4 3,4 6,4 7,4 2,5 3,5 6,5 7,5".to_owned()));
        for wrong in ["2", "2,", "2,4 x", "2,99", "c5"] {
            assert_eq!(read_lakes(wrong), None, "{wrong}");
        }
    }
}
