//! Results of strikes (§A6, §D1, §O1, §P2, §S2, §U3).

use crate::rules::{Rules, Ties, is_movable, is_runner};

/// The result of a strike: the letter and fate of the attacker, then those of the defender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strike {
    /// The attacker's letter and fate. Everybody is shown the attacker.
    pub attacker: (char, &'static str),
    /// The defender's letter and fate.
    pub defender: (char, &'static str),
    /// True if everybody is shown the defender.
    pub is_defender_shown: bool,
    /// True if the strike labels the defender (§S2.1, §S2.2).
    pub labels: bool,
}

impl Rules {
    /// Returns whether the attacker survives, and whether the defender survives (§A6, §D1, §P2,
    /// §S2.2, §U3).
    fn survivors(&self, attacker: char, defender: char) -> (bool, bool) {
        match (attacker, defender) {
            ('P', _) => (true, true),
            (_, 'F' | 'P') | ('8', 'B') => (true, false),
            (_, 'B') => (false, !self.takes_bombs_along),
            (one, other) if one == other => (self.ties == Ties::Attacker, self.ties == Ties::Defender),
            ('S', other) => (other == self.spy_beats, other != self.spy_beats),
            (_, 'S') => (true, false),
            // Pieces with smaller digits are stronger.
            (one, other) => (one < other, other < one),
        }
    }

    /// The result of a strike.
    #[must_use]
    pub fn strike(&self, attacker: char, defender: char) -> Strike {
        let fates = match self.survivors(attacker, defender) {
            (true, true) => ("stays", "stays"),
            (true, false) => ("advances", "leaves"),
            (false, true) if self.winner_advances && is_movable(defender) => ("leaves", "advances"),
            (false, true) => ("leaves", "stays"),
            (false, false) => ("leaves", "leaves"),
        };
        let leaves = fates.1 == "leaves";
        Strike {
            attacker: (attacker, fates.0),
            defender: (defender, fates.1),
            is_defender_shown: !self.is_silent || attacker == '9' || leaves,
            labels: self.chips && is_runner(attacker) && !leaves,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::rules;

    fn check(id: &str, attacker: char, defender: char, fates: (&str, &str)) {
        let found = rules(id).expect("a ruleset").strike(attacker, defender);
        assert_eq!((found.attacker.1, found.defender.1), fates, "{id}: {attacker} strikes {defender}");
    }

    #[test]
    fn strikes_are_as_the_rules_say() {
        let (wins, loses, both) = (("advances", "leaves"), ("leaves", "stays"), ("leaves", "leaves"));
        for (attacker, defender, fates) in [
            ('1', '2', wins),
            ('7', '6', loses),
            ('5', '5', both),
            ('S', '1', wins),
            ('S', '2', loses),
            ('S', 'S', both),
            ('9', 'S', wins),
            ('1', 'S', wins),
            ('8', 'B', wins),
            ('1', 'B', loses),
            ('S', 'B', loses),
            ('S', 'F', wins),
            ('9', 'F', wins),
        ] {
            check("classic", attacker, defender, fates);
        }
        check("pbm-small", 'S', '2', wins);
        check("original", '7', '6', ("leaves", "advances"));
        check("original", '7', 'B', loses);
        check("course", '7', 'B', both);
        check("course", '8', 'B', wins);
        check("silent-defense", '5', '5', wins);
        check("silent-defense", 'S', 'S', wins);
        check("silent-defense", '1', 'B', loses);
        check("shadowflash-2", 'P', '1', ("stays", "stays"));
        check("shadowflash-2", 'P', 'F', ("stays", "stays"));
        check("shadowflash-2", 'S', 'P', wins);
    }

    #[test]
    fn a_silent_winner_is_shown_to_scouts_and_labels_are_given_by_runners() {
        let shown = |attacker, defender| {
            rules("silent-defense").expect("a ruleset").strike(attacker, defender).is_defender_shown
        };
        assert_eq!([shown('7', '6'), shown('9', '6'), shown('5', '6')], [false, true, true]);
        let labels =
            |attacker, defender| rules("shadowflash-2").expect("a ruleset").strike(attacker, defender).labels;
        assert_eq!(
            [labels('9', '5'), labels('P', 'F'), labels('9', 'S'), labels('7', '5')],
            [true, true, false, false]
        );
        assert!(!rules("shadowflash-1").expect("a ruleset").strike('9', '5').labels);
    }
}
