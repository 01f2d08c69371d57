use flagfall_board::Side;
use flagfall_rules::{Ruleset, Setup};

use crate::Chance;

/// Returns a random deployment, in the text form of RULES §P4 without spaces.
#[must_use]
pub fn random_setup(ruleset: &Ruleset, chance: &mut Chance) -> String {
    let mut letters: Vec<char> = ruleset
        .army
        .iter()
        .flat_map(|(rank, count)| std::iter::repeat_n(rank.letter(), usize::from(count)))
        .collect();
    if ruleset.reserve {
        // The Flag comes first, so it is always on the board. The other pieces are random.
        chance.shuffle(&mut letters[1..]);
    }
    letters.resize(ruleset.shape.home_len(), '.');
    chance.shuffle(&mut letters);
    letters.into_iter().collect()
}

/// Returns text that has the right length and letters, but does not describe an army.
#[must_use]
pub fn wrong_setup(ruleset: &Ruleset, chance: &mut Chance) -> String {
    let mut letters: Vec<char> = random_setup(ruleset, chance).chars().collect();
    let place = chance.below(letters.len());
    letters[place] = if matches!(letters[place], 'F' | '.') { 'B' } else { 'F' };
    letters.into_iter().collect()
}

/// Parses text that has the right length and letters as a setup.
///
/// # Panics
/// If the text is not a setup.
#[must_use]
pub fn setup_of(text: &str, side: Side, ruleset: &Ruleset) -> Setup {
    match Setup::from_text(text, side, ruleset) {
        Ok(setup) => setup,
        Err(refusal) => panic!("{refusal}: {text}"),
    }
}
