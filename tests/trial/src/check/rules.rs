//! The checker's own rulesets and results of strikes, written from the pages of rules and not from
//! the engine.

use std::collections::BTreeMap;

/// Red or Blue, as numbers 0 and 1.
pub(super) type Color = usize;

/// The letters of §P4 in their order: first those that are no digits; the Phoenix is last.
pub(super) const LETTERS: &str = "FBS987654321P";
/// A piece that has no rank yet (§Q1).
pub(super) const COIN: char = 'o';

/// How many pieces of each letter.
pub(super) type Counts = BTreeMap<char, u64>;

/// A ruleset as far as the checker needs it.
#[derive(Debug)]
pub(super) struct Rules {
    /// Columns, and rows.
    pub columns: i8,
    pub rows: i8,
    /// Home rows of each side.
    pub home: i8,
    /// None if they are drawn (§U2).
    pub lakes: Option<&'static [&'static str]>,
    /// Each side's pieces.
    pub army: &'static [(char, u64)],
    pub spy_beats: char,
    /// §D1.
    pub is_silent: bool,
    /// §U3.
    pub takes_bombs_along: bool,
    /// §C2, §O1.
    pub strikes_afar: bool,
    pub winner_advances: bool,
    /// §U7.
    pub illegal_loses: bool,
    /// §C3, §T.
    pub two_squares: bool,
    pub more_squares: bool,
    /// §Q.
    pub coins: bool,
    /// §S1.5.
    pub reserve: bool,
    /// §S2: labels, a Phoenix, chips and joints.
    pub chips: bool,
    /// §S3: supply lines and flashes.
    pub lines: bool,
    /// §A12.
    pub quiet_limit: u64,
}

/// §A3.
const LAKES: &[&str] = &["c5", "d5", "g5", "h5", "c6", "d6", "g6", "h6"];
/// §P3.
const SMALL_LAKES: &[&str] = &["c4", "f4", "c5", "f5"];
/// §S1.2.
const ISLANDS: &[&str] = &["d5", "e5", "f5", "k5", "l5", "m5", "d6", "e6", "f6", "k6", "l6", "m6"];

/// §A2.
const ARMY: &[(char, u64)] = &[
    ('F', 1),
    ('B', 6),
    ('S', 1),
    ('9', 8),
    ('8', 5),
    ('7', 4),
    ('6', 4),
    ('5', 4),
    ('4', 3),
    ('3', 2),
    ('2', 1),
    ('1', 1),
];
/// §P2.
const SMALL_ARMY: &[(char, u64)] =
    &[('F', 1), ('B', 4), ('S', 1), ('9', 4), ('8', 4), ('7', 4), ('5', 2), ('4', 2), ('3', 1), ('2', 1)];
/// §B1.
const SHORT_ARMY: &[(char, u64)] = &[('F', 1), ('B', 1), ('S', 1), ('9', 2), ('8', 1), ('2', 1), ('1', 1)];
/// §S1.3.
const THREE_ARMIES: &[(char, u64)] = &[
    ('F', 1),
    ('B', 15),
    ('S', 3),
    ('9', 24),
    ('8', 15),
    ('7', 12),
    ('6', 12),
    ('5', 12),
    ('4', 9),
    ('3', 6),
    ('2', 3),
    ('1', 3),
];
/// §S2.2.
const THREE_ARMIES_AND_PHOENIX: &[(char, u64)] = &[
    ('F', 1),
    ('B', 15),
    ('S', 3),
    ('9', 24),
    ('8', 15),
    ('7', 12),
    ('6', 12),
    ('5', 12),
    ('4', 9),
    ('3', 6),
    ('2', 3),
    ('1', 3),
    ('P', 1),
];

const CLASSIC: Rules = Rules {
    columns: 10,
    rows: 10,
    home: 4,
    lakes: Some(LAKES),
    army: ARMY,
    spy_beats: '1',
    is_silent: false,
    takes_bombs_along: false,
    strikes_afar: true,
    winner_advances: false,
    illegal_loses: false,
    two_squares: true,
    more_squares: false,
    coins: false,
    reserve: false,
    chips: false,
    lines: false,
    quiet_limit: 200,
};
const TOURNAMENT: Rules = Rules { more_squares: true, ..CLASSIC };
const BARRAGE: Rules = Rules { army: SHORT_ARMY, ..TOURNAMENT };
const PBM: Rules = Rules { two_squares: false, ..CLASSIC };
const PBM_SMALL: Rules =
    Rules { columns: 8, rows: 8, home: 3, lakes: Some(SMALL_LAKES), army: SMALL_ARMY, spy_beats: '2', ..PBM };
const ORIGINAL: Rules = Rules { strikes_afar: false, winner_advances: true, two_squares: false, ..CLASSIC };
const SILENT: Rules = Rules { is_silent: true, ..CLASSIC };
const COURSE: Rules = Rules {
    lakes: None,
    takes_bombs_along: true,
    winner_advances: true,
    illegal_loses: true,
    two_squares: false,
    ..CLASSIC
};
const SHADOWFLASH_1: Rules = Rules {
    columns: 16,
    lakes: Some(ISLANDS),
    army: THREE_ARMIES,
    reserve: true,
    quiet_limit: 600,
    ..ORIGINAL
};
const SHADOWFLASH_2: Rules = Rules { army: THREE_ARMIES_AND_PHOENIX, chips: true, ..SHADOWFLASH_1 };
const SHADOWFLASH_3: Rules = Rules { lines: true, ..SHADOWFLASH_2 };
const QUANTUM: Rules = Rules { coins: true, ..CLASSIC };

/// The ruleset of an id.
#[must_use]
pub(super) fn rules(id: &str) -> Option<&'static Rules> {
    Some(match id {
        "classic" => &CLASSIC,
        "tournament" => &TOURNAMENT,
        "barrage" => &BARRAGE,
        "pbm" => &PBM,
        "pbm-small" => &PBM_SMALL,
        "original" => &ORIGINAL,
        "silent-defense" => &SILENT,
        "course" => &COURSE,
        "shadowflash-1" => &SHADOWFLASH_1,
        "shadowflash-2" => &SHADOWFLASH_2,
        "shadowflash-3" => &SHADOWFLASH_3,
        "quantum" => &QUANTUM,
        _ => return None,
    })
}

/// The result of a strike: letter and fate of the attacker, then of the defender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Strike {
    /// The attacker's letter and fate. Everybody is shown it.
    pub attacker: (char, &'static str),
    /// The defender's letter and fate.
    pub defender: (char, &'static str),
    /// Whether everybody is shown the defender.
    pub is_defender_shown: bool,
    /// Whether the strike labels the defender (§S2.1, §S2.2).
    pub labels: bool,
}

impl Rules {
    /// The pieces of a side.
    #[must_use]
    pub(super) fn counts(&self) -> Counts {
        self.army.iter().copied().collect()
    }

    /// Whether the attacker and the defender survive (§A6, §D1, §P2, §S2.2, §U3).
    fn survivors(&self, attacker: char, defender: char) -> (bool, bool) {
        match (attacker, defender) {
            ('P', _) => (true, true),
            (_, 'F' | 'P') | ('8', 'B') => (true, false),
            (_, 'B') => (false, !self.takes_bombs_along),
            (one, other) if one == other => (self.is_silent, false),
            ('S', other) => (other == self.spy_beats, other != self.spy_beats),
            (_, 'S') => (true, false),
            // Smaller digits are stronger.
            (one, other) => (one < other, other < one),
        }
    }

    /// The result of a strike.
    #[must_use]
    pub(super) fn strike(&self, attacker: char, defender: char) -> Strike {
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

    /// The letters of pieces that move.
    pub(super) fn movable(&self) -> impl Iterator<Item = char> {
        self.army.iter().map(|(letter, _)| *letter).filter(|letter| is_movable(*letter))
    }
}

/// Whether pieces of this letter ever move (§A5).
#[must_use]
pub(super) fn is_movable(letter: char) -> bool {
    letter != 'F' && letter != 'B'
}

/// Whether pieces of this letter move any distance (§C2, §S2.2).
#[must_use]
pub(super) fn is_runner(letter: char) -> bool {
    letter == '9' || letter == 'P'
}

/// A set of letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Letters(u16);

impl Letters {
    /// All of them.
    pub(super) const ALL: Letters = Letters((1 << 13) - 1);

    #[must_use]
    pub(super) fn contains(self, letter: char) -> bool {
        LETTERS.find(letter).is_some_and(|place| self.0 & (1 << place) != 0)
    }

    /// Those in both.
    #[must_use]
    pub(super) fn both(self, other: Letters) -> Letters {
        Letters(self.0 & other.0)
    }

    /// True if it contains all of another set.
    #[must_use]
    pub(super) fn covers(self, other: Letters) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub(super) fn is_single(self) -> bool {
        self.0.count_ones() == 1
    }
}

impl FromIterator<char> for Letters {
    fn from_iter<T: IntoIterator<Item = char>>(letters: T) -> Letters {
        let places = letters.into_iter().filter_map(|letter| LETTERS.find(letter));
        Letters(places.fold(0, |all, place| all | 1 << place))
    }
}

/// As in messages: `[9P]`.
impl std::fmt::Display for Letters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letters: String = LETTERS.chars().filter(|letter| self.contains(*letter)).collect();
        write!(f, "[{letters}]")
    }
}

/// Ranks' names in messages.
const NAMES: [(char, &str); 13] = [
    ('F', "flag"),
    ('B', "bomb"),
    ('S', "spy"),
    ('9', "scout"),
    ('8', "miner"),
    ('7', "sergeant"),
    ('6', "lieutenant"),
    ('5', "captain"),
    ('4', "major"),
    ('3', "colonel"),
    ('2', "general"),
    ('1', "marshal"),
    ('P', "phoenix"),
];

/// A rank's name in messages.
#[must_use]
pub(super) fn rank_name(letter: char) -> &'static str {
    NAMES.into_iter().find(|(one, _)| *one == letter).map_or("nothing", |(_, name)| name)
}

/// The letter of a rank of this name.
#[must_use]
pub(super) fn letter_of(name: &str) -> Option<char> {
    NAMES.into_iter().find(|(_, one)| *one == name).map(|(letter, _)| letter)
}

/// The colors of chips: by letter, and by name in messages.
pub(super) const CHIPS: [(char, &str); 4] = [('r', "red"), ('y', "yellow"), ('b', "blue"), ('g', "green")];

/// The letter of a chip's color.
#[must_use]
pub(super) fn chip_of(name: &str) -> Option<char> {
    CHIPS.into_iter().find(|(_, one)| *one == name).map(|(letter, _)| letter)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let shown = |attacker, defender| SILENT.strike(attacker, defender).is_defender_shown;
        assert_eq!([shown('7', '6'), shown('9', '6'), shown('5', '6')], [false, true, true]);
        let labels = |attacker, defender| SHADOWFLASH_2.strike(attacker, defender).labels;
        assert_eq!(
            [labels('9', '5'), labels('P', 'F'), labels('9', 'S'), labels('7', '5')],
            [true, true, false, false]
        );
        assert!(!SHADOWFLASH_1.strike('9', '5').labels);
    }

    #[test]
    fn letters_are_written_in_their_order() {
        let letters: Letters = "P93".chars().collect();
        assert_eq!(letters.to_string(), "[93P]");
        assert!(Letters::ALL.covers(letters) && !letters.covers(Letters::ALL) && letters.contains('9'));
    }
}
