//! Deployments as numbers.
//!
//! All arrangements of an army on its home squares are sorted by their texts (§P4) and numbered.
//! For sorting, ranks come in the order of [`Rank::ALL`], and empty squares come last. The number
//! of a `classic` deployment has 111 bits, but its text has 320 bits.

use flagfall_board::Rank;
use flagfall_rules::Ruleset;

/// The number of letters that a deployment's text may contain: one for each rank, and one for
/// empty squares.
const LETTERS: usize = Rank::COUNT + 1;

/// All arrangements of a ruleset's army on its home squares.
pub(crate) struct Arrangements {
    /// The number of times that each letter occurs.
    counts: [u8; LETTERS],
    /// The number of home squares.
    squares: u8,
    /// The number of arrangements. Even its product with `squares` fits into a `u128`.
    total: u128,
}

impl Arrangements {
    /// Returns the arrangements of a ruleset's whole army. `None` if the army does not fit on its
    /// home squares, or if the number of arrangements exceeds 128 bits.
    pub(crate) fn of(ruleset: &Ruleset) -> Option<Arrangements> {
        let squares = u8::try_from(ruleset.shape.home_len()).ok()?;
        let mut counts = [0; LETTERS];
        ruleset.army.iter().for_each(|(rank, count)| counts[rank as usize] = count);
        counts[Rank::COUNT] = squares.checked_sub(u8::try_from(ruleset.army.len()).ok()?)?;
        // After each step, the product is an integer, because it contains a complete binomial
        // coefficient.
        let (mut total, mut placed) = (1_u128, 0);
        for count in counts {
            for nth in 1..=u128::from(count) {
                placed += 1;
                total = total.checked_mul(placed)? / nth;
            }
        }
        total.checked_mul(u128::from(squares))?;
        Some(Arrangements { counts, squares, total })
    }

    /// Returns the number of bytes that are needed for the highest number.
    pub(crate) fn bytes(&self) -> usize {
        (u128::BITS - (self.total - 1).leading_zeros()).div_ceil(8) as usize
    }

    /// Returns the number of a deployment. `None` if the text is not one of the arrangements.
    pub(crate) fn number(&self, text: &str) -> Option<u128> {
        let mut walk = Walk::new(self);
        let mut number = 0;
        for letter in text.chars() {
            let place = place(letter)?;
            number += (0..place).map(|lower| walk.share(lower)).sum::<u128>();
            walk.take(place)?;
        }
        (walk.left == 0).then_some(number)
    }

    /// Returns the text of the deployment with this number. `None` if the number is too high.
    pub(crate) fn text(&self, mut number: u128) -> Option<String> {
        let mut walk = Walk::new(self);
        let mut text = String::with_capacity(self.squares.into());
        while walk.left > 0 {
            let mut place = 0;
            while number >= walk.share(place) {
                number -= walk.share(place);
                place += 1;
                if place == LETTERS {
                    return None;
                }
            }
            walk.take(place)?;
            text.push(Rank::ALL.get(place).map_or('.', |rank| rank.letter()));
        }
        Some(text)
    }
}

fn place(letter: char) -> Option<usize> {
    if letter == '.' { Some(Rank::COUNT) } else { Rank::from_letter(letter).map(|rank| rank as usize) }
}

/// The arrangements that begin with certain letters.
struct Walk {
    counts: [u8; LETTERS],
    left: u8,
    arrangements: u128,
}

impl Walk {
    fn new(all: &Arrangements) -> Walk {
        Walk { counts: all.counts, left: all.squares, arrangements: all.total }
    }

    /// Returns the number of arrangements in which this letter comes next.
    fn share(&self, place: usize) -> u128 {
        match self.left {
            0 => 0,
            left => self.arrangements * u128::from(self.counts[place]) / u128::from(left),
        }
    }

    fn take(&mut self, place: usize) -> Option<()> {
        self.arrangements = self.share(place);
        self.counts[place] = self.counts[place].checked_sub(1)?;
        self.left = self.left.checked_sub(1)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use flagfall_board::Rank;
    use flagfall_rules::Army;
    use flagfall_rules::rulesets::{BARRAGE, CLASSIC, PBM_SMALL, SHADOWFLASH_3};
    use flagfall_tests::{Chance, random_setup};

    use super::*;

    #[test]
    fn every_arrangement_of_a_small_army_has_its_own_number() {
        let mut small = PBM_SMALL.clone();
        small.shape.columns = 2;
        small.shape.home_rows = 3;
        small.army = Army::of(&[(Rank::Flag, 1), (Rank::Scout, 2)]);
        let all = Arrangements::of(&small).unwrap();
        assert_eq!((all.total, all.bytes()), (60, 1), "6! / (1! 2! 3!)");
        let texts: BTreeSet<String> = (0..60).map(|number| all.text(number).unwrap()).collect();
        assert_eq!(texts.len(), 60);
        for (number, text) in (0..60).map(|number| (number, all.text(number).unwrap())) {
            assert_eq!(all.number(&text), Some(number), "{text}");
        }
        assert_eq!(all.text(0).as_deref(), Some("F99..."));
        assert_eq!(all.text(59).as_deref(), Some("...99F"));
        assert_eq!(all.text(60), None);
        for wrong in ["F99..", "F99....", "F9....", "F999..", "F99..?", ""] {
            assert_eq!(all.number(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn deployments_of_real_armies_come_back() {
        let mut chance = Chance::new(3);
        for (ruleset, bytes) in [(&CLASSIC, 14), (&BARRAGE, 6)] {
            let all = Arrangements::of(ruleset).unwrap();
            assert_eq!(all.bytes(), bytes, "{}", ruleset.id);
            for _ in 0..200 {
                let text = random_setup(ruleset, &mut chance);
                let number = all.number(&text).unwrap();
                assert!(number < all.total);
                assert_eq!(all.text(number).unwrap(), text);
            }
            assert_eq!(all.text(all.total), None);
            assert_eq!(all.text(u128::MAX), None);
        }
        assert!(Arrangements::of(&SHADOWFLASH_3).is_none(), "its army is larger than its home rows");
    }
}
