//! Suggested and random deployments, as texts of RULES §P4: the row nearest the enemy first.
//!
//! The suggested ones follow the usual advice: the Flag in the back row behind Bombs, other Bombs as a decoy, Scouts and a few strong
//! pieces in front, Miners held back for the end, the Spy within reach of the General.

use flagfall_board::{Rank, Side};
use flagfall_rules::{Fill, Ruleset, Setup};

use crate::chance::Chance;

const LAYOUTS: &[&str] = &[
    // 10x10, forty pieces.
    "9629519469 457S379695 698374B8B9 78B8B58BFB",
    "5913996269 47S6497593 9B87688475 BFB89B58BB",
    "6915949329 47936S7596 B856B478B9 FB87898B5B",
    "9396529169 547974S389 7986B5B679 8B4BFB858B",
    // 8x8, twenty-four pieces.
    "95927459 7S8B7493 8BFB78B8",
    "92975497 S58974B3 7B8FB88B",
    "39579429 7S487B59 8BF8B78B",
    // 10x10, eight pieces.
    "..9.1...9. .....2S... ...8...... ....FB....",
    "9....2..9. ...1.S.... ......8... .BF.......",
    ".1......29 .......S.. .9...8.... ......BF..",
    ".9..1..... ..2......9 ..S.....8. ........FB",
];

/// A suggested deployment for the ruleset, mirrored by a coin; none where no layout fits its board and army.
pub fn suggested(ruleset: &Ruleset, chance: &mut Chance) -> Option<String> {
    let fitting: Vec<&str> =
        LAYOUTS.iter().copied().filter(|layout| is_deployment(layout, ruleset)).collect();
    let layout = fitting.get(chance.below(fitting.len()))?;
    let text: Vec<char> = layout.chars().filter(|letter| !letter.is_whitespace()).collect();
    if chance.coin() { Some(mirrored(&text, ruleset)) } else { Some(text.into_iter().collect()) }
}

/// The army at random on the home squares.
pub fn random(ruleset: &Ruleset, chance: &mut Chance) -> String {
    let mut letters: Vec<char> = ruleset
        .army
        .iter()
        .flat_map(|(rank, count)| std::iter::repeat_n(rank.letter(), usize::from(count)))
        .collect();
    if ruleset.fill == Fill::AnyHomeSquares {
        letters.resize(ruleset.shape.home_len(), '.');
    }
    chance.shuffle(&mut letters);
    letters.into_iter().collect()
}

/// The text in rows with blanks between them, easier to read and to edit.
#[must_use]
pub fn in_rows(text: &str, ruleset: &Ruleset) -> String {
    let letters: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace()).collect();
    let rows: Vec<String> =
        letters.chunks(usize::from(ruleset.shape.columns).max(1)).map(|row| row.iter().collect()).collect();
    rows.join(" ")
}

/// The rank or the empty square at every place of a text.
///
/// # Errors
/// What [`Setup`] says of the text.
pub fn places(text: &str, ruleset: &Ruleset) -> Result<Vec<Option<Rank>>, flagfall_rules::SetupRefusal> {
    Setup::from_text(text, Side::Red, ruleset)?.deploy(Side::Red, ruleset)?;
    let letters = text.chars().filter(|letter| !letter.is_whitespace());
    Ok(letters.take(ruleset.shape.home_len()).map(Rank::from_letter).collect())
}

fn mirrored(text: &[char], ruleset: &Ruleset) -> String {
    text.chunks(usize::from(ruleset.shape.columns).max(1)).flat_map(|row| row.iter().rev()).collect()
}

fn is_deployment(text: &str, ruleset: &Ruleset) -> bool {
    places(text, ruleset).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ruleset_has_several_suggested_deployments_and_every_layout_serves_one() {
        for ruleset in Ruleset::all() {
            let count = LAYOUTS.iter().filter(|layout| is_deployment(layout, ruleset)).count();
            assert!(count >= 3, "{}: {count}", ruleset.id);
        }
        for layout in LAYOUTS {
            assert!(Ruleset::all().iter().any(|ruleset| is_deployment(layout, ruleset)), "{layout}");
        }
    }

    #[test]
    fn suggested_and_random_deployments_are_legal_on_both_sides() {
        let mut chance = Chance::Seeded(3);
        for ruleset in Ruleset::all() {
            for side in Side::BOTH {
                for _ in 0..20 {
                    let suggested = suggested(ruleset, &mut chance).expect("there are layouts");
                    for text in [suggested, random(ruleset, &mut chance)] {
                        let setup = Setup::from_text(&text, side, ruleset).expect("a text");
                        setup.deploy(side, ruleset).expect("a deployment");
                    }
                }
            }
        }
    }

    #[test]
    fn the_suggested_flag_stands_in_the_back_row() {
        let mut chance = Chance::Seeded(4);
        for ruleset in Ruleset::all() {
            for _ in 0..20 {
                let text = suggested(ruleset, &mut chance).expect("there are layouts");
                let flag = text.find('F').expect("a Flag");
                assert!(flag >= ruleset.shape.home_len() - usize::from(ruleset.shape.columns));
            }
        }
    }
}
