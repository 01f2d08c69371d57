//! Suggested and random deployments in the text format of RULES §P4. The row nearest the enemy
//! comes first.

use flagfall_board::{Chance, Rank, Side, SquareSet};
use flagfall_bots::{random_setup, sensible_setup};
use flagfall_rules::{Ruleset, Setup};

use crate::random::Random;

/// Returns a deployment generated in the same way as a house player's. `lakes` are the lakes of
/// this game.
pub fn suggested(ruleset: &Ruleset, lakes: SquareSet, side: Side, chance: &mut Random) -> String {
    text(&sensible_setup(ruleset, lakes, side, &mut Chance::new(chance.bits())), side, ruleset)
}

/// Returns a deployment with the army placed at random on the home squares.
pub fn random(ruleset: &Ruleset, side: Side, chance: &mut Random) -> String {
    text(&random_setup(ruleset, side, &mut Chance::new(chance.bits())), side, ruleset)
}

fn text(setup: &Setup, side: Side, ruleset: &Ruleset) -> String {
    // A generated setup is always valid. If it were not, the editor would show an empty board.
    setup.deploy(side, ruleset).map(flagfall_rules::Deployment::into_text).unwrap_or_default()
}

/// Returns the text with a space between rows, which is easier to read and edit.
pub fn in_rows(text: &str, ruleset: &Ruleset) -> String {
    let letters: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let rows: Vec<String> =
        letters.chunks(usize::from(ruleset.shape.columns).max(1)).map(|row| row.iter().collect()).collect();
    rows.join(" ")
}

/// Returns the rank on each home square of a deployment text, `None` for an empty square.
pub fn places(text: &str, ruleset: &Ruleset) -> Result<Vec<Option<Rank>>, flagfall_rules::SetupRefusal> {
    Setup::from_text(text, Side::Red, ruleset)?.deploy(Side::Red, ruleset)?;
    let letters = text.chars().filter(|letter| !letter.is_whitespace());
    Ok(letters.take(ruleset.shape.home_len()).map(Rank::from_letter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggested_and_random_deployments_are_legal_on_both_sides_and_differ() {
        let mut chance = Random::Seeded(Chance::new(3));
        for ruleset in Ruleset::all() {
            for side in Side::BOTH {
                let lakes = ruleset.shape.lakes;
                let texts = [0; 20].map(|_| suggested(ruleset, lakes, side, &mut chance));
                let more = [0; 20].map(|_| random(ruleset, side, &mut chance));
                for text in texts.iter().chain(&more) {
                    let setup = Setup::from_text(text, side, ruleset).expect("a text");
                    setup.deploy(side, ruleset).expect("a deployment");
                }
                assert!(texts.iter().skip(1).any(|text| *text != texts[0]), "{}", ruleset.id);
            }
        }
    }
}
