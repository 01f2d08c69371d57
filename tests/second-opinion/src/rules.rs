//! Rulesets by id: the built-in rulesets, and those of custom games. The id of a custom game
//! names its changes.

use std::collections::BTreeMap;

/// Red or Blue, as numbers 0 and 1.
pub type Color = usize;

/// The letters of §P4 in order: first `F`, `B` and `S`, then the digits, and finally the Phoenix.
pub const LETTERS: &str = "FBS987654321P";
/// A piece that has no rank yet (§Q1).
pub const COIN: char = 'o';

/// The number of pieces of each letter.
pub type Counts = BTreeMap<char, u64>;

/// The pieces that survive a strike between equals (§A6, §D1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// Neither piece.
    Neither,
    /// The attacker.
    Attacker,
    /// The defender.
    Defender,
}

/// A ruleset.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Columns of the board.
    pub columns: i8,
    /// Rows of the board.
    pub rows: i8,
    /// Home rows of each side.
    pub home: i8,
    /// The lakes. None if they are drawn for each game (§U2).
    pub lakes: Option<&'static [&'static str]>,
    /// Each side's pieces.
    pub army: &'static [(char, u64)],
    /// The rank that a Spy's strike takes (§A6, §P2).
    pub spy_beats: char,
    /// The pieces that survive a strike between equals.
    pub ties: Ties,
    /// True if a defender that beats anything but a Scout stays hidden (§D1).
    pub is_silent: bool,
    /// True if a Bomb leaves the board together with the attacker that it beats (§U3).
    pub takes_bombs_along: bool,
    /// True if a Scout may strike at the end of a long move (§C2, §O1).
    pub strikes_afar: bool,
    /// True if a defender that wins moves to the attacker's square (§O1, §U4).
    pub winner_advances: bool,
    /// True if an illegal act loses the game (§U7).
    pub illegal_loses: bool,
    /// The number of moves in a row that may cross the same border (§C3).
    pub two_squares: Option<usize>,
    /// True if a chase must end (§T).
    pub more_squares: bool,
    /// True if pieces are coins until their first strike (§Q).
    pub coins: bool,
    /// True if pieces can go to a reserve and return from it (§S1.5).
    pub reserve: bool,
    /// True if there are labels, a Phoenix, chips and joints (§S2).
    pub chips: bool,
    /// True if there are supply lines and flashes (§S3).
    pub lines: bool,
    /// The number of plies without a capture after which a game is drawn (§A12).
    pub quiet_limit: Option<u64>,
}

/// §A3.
const LAKES: &[&str] = &["c5", "d5", "g5", "h5", "c6", "d6", "g6", "h6"];
/// §P3.
const SMALL_LAKES: &[&str] = &["c4", "f4", "c5", "f5"];
/// §S1.2.
const ISLANDS: &[&str] = &["d5", "e5", "f5", "k5", "l5", "m5", "d6", "e6", "f6", "k6", "l6", "m6"];
const PRINTED_ISLANDS: &[&str] = &["c5", "d5", "e5", "k5", "l5", "m5", "c6", "d6", "e6", "k6", "l6", "m6"];

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
    ties: Ties::Neither,
    is_silent: false,
    takes_bombs_along: false,
    strikes_afar: true,
    winner_advances: false,
    illegal_loses: false,
    two_squares: Some(3),
    more_squares: false,
    coins: false,
    reserve: false,
    chips: false,
    lines: false,
    quiet_limit: Some(200),
};
const TOURNAMENT: Rules = Rules { more_squares: true, ..CLASSIC };
const BARRAGE: Rules = Rules { army: SHORT_ARMY, ..TOURNAMENT };
const PBM: Rules = Rules { two_squares: None, ..CLASSIC };
const PBM_SMALL: Rules =
    Rules { columns: 8, rows: 8, home: 3, lakes: Some(SMALL_LAKES), army: SMALL_ARMY, spy_beats: '2', ..PBM };
const ORIGINAL: Rules = Rules { strikes_afar: false, winner_advances: true, two_squares: None, ..CLASSIC };
const SILENT: Rules = Rules { is_silent: true, ties: Ties::Attacker, ..CLASSIC };
const COURSE: Rules = Rules {
    lakes: None,
    takes_bombs_along: true,
    winner_advances: true,
    illegal_loses: true,
    two_squares: None,
    ..CLASSIC
};
const SHADOWFLASH_1: Rules = Rules {
    columns: 16,
    lakes: Some(ISLANDS),
    army: THREE_ARMIES,
    reserve: true,
    quiet_limit: Some(600),
    ..ORIGINAL
};
const SHADOWFLASH_2: Rules = Rules { army: THREE_ARMIES_AND_PHOENIX, chips: true, ..SHADOWFLASH_1 };
const SHADOWFLASH_3: Rules = Rules { lines: true, ..SHADOWFLASH_2 };
const QUANTUM: Rules = Rules { coins: true, ..CLASSIC };

/// Returns the ruleset with this id. The id of a custom game lists its changes, as in
/// `classic,ties=attacker,quiet=off`.
#[must_use]
pub fn rules(id: &str) -> Option<Rules> {
    let mut words = id.split(',');
    let mut rules = built_in(words.next()?)?.clone();
    for change in words {
        rules.change(change.split_once('=')?)?;
    }
    Some(rules)
}

fn built_in(id: &str) -> Option<&'static Rules> {
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

impl Rules {
    /// The pieces of a side.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.army.iter().copied().collect()
    }

    /// Changes one rule (RULES, custom games).
    fn change(&mut self, change: (&str, &str)) -> Option<()> {
        match change {
            ("ties", "both") => self.ties = Ties::Neither,
            ("ties", "attacker") => self.ties = Ties::Attacker,
            ("ties", "defender") => self.ties = Ties::Defender,
            ("disclosure", value) => self.is_silent = either(value, "silent", "both")?,
            ("bombs", value) => self.takes_bombs_along = either(value, "leave", "stay")?,
            ("scout-strike", value) => self.strikes_afar = either(value, "far", "near")?,
            ("winner", value) => self.winner_advances = either(value, "any", "attacker")?,
            ("more-squares", value) => self.more_squares = either(value, "on", "off")?,
            ("two-squares", "off") => self.two_squares = None,
            ("two-squares", number) => self.two_squares = Some(number.parse().ok()?),
            ("quiet", "off") => self.quiet_limit = None,
            ("quiet", number) => self.quiet_limit = Some(number.parse().ok()?),
            ("islands", value) => {
                self.lakes =
                    Some(if either(value, "printed", "mirrored")? { PRINTED_ISLANDS } else { ISLANDS });
            }
            _ => return None,
        }
        Some(())
    }

    /// The letters of pieces that move.
    pub fn movable(&self) -> impl Iterator<Item = char> {
        self.army.iter().map(|(letter, _)| *letter).filter(|letter| is_movable(*letter))
    }
}

/// Returns true for the first value, false for the second, and `None` for any other value.
fn either(value: &str, yes: &str, no: &str) -> Option<bool> {
    (value == yes || value == no).then_some(value == yes)
}

/// True if pieces of this letter can move (§A5).
#[must_use]
pub fn is_movable(letter: char) -> bool {
    letter != 'F' && letter != 'B'
}

/// True if pieces of this letter move any distance (§C2, §S2.2).
#[must_use]
pub(crate) fn is_runner(letter: char) -> bool {
    letter == '9' || letter == 'P'
}

/// A set of letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Letters(u16);

impl Letters {
    /// All letters.
    pub const ALL: Letters = Letters((1 << 13) - 1);

    /// True if the set contains a letter.
    #[must_use]
    pub fn contains(self, letter: char) -> bool {
        LETTERS.find(letter).is_some_and(|place| self.0 & (1 << place) != 0)
    }

    /// The letters that are in both sets.
    #[must_use]
    pub fn both(self, other: Letters) -> Letters {
        Letters(self.0 & other.0)
    }

    /// True if this set contains all letters of another set.
    #[must_use]
    pub fn covers(self, other: Letters) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if this set has exactly one letter.
    #[must_use]
    pub fn is_single(self) -> bool {
        self.0.count_ones() == 1
    }
}

impl FromIterator<char> for Letters {
    fn from_iter<T: IntoIterator<Item = char>>(letters: T) -> Letters {
        let places = letters.into_iter().filter_map(|letter| LETTERS.find(letter));
        Letters(places.fold(0, |all, place| all | 1 << place))
    }
}

/// Writes the set as messages do: `[9P]`.
impl std::fmt::Display for Letters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let letters: String = LETTERS.chars().filter(|letter| self.contains(*letter)).collect();
        write!(f, "[{letters}]")
    }
}

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

/// The name of a rank in messages.
#[must_use]
pub fn rank_name(letter: char) -> &'static str {
    NAMES.into_iter().find(|(one, _)| *one == letter).map_or("nothing", |(_, name)| name)
}

/// The letter of a rank of this name.
#[must_use]
pub fn letter_of(name: &str) -> Option<char> {
    NAMES.into_iter().find(|(_, one)| *one == name).map(|(letter, _)| letter)
}

/// The colors of chips: by letter, and by name in messages.
pub const CHIPS: [(char, &str); 4] = [('r', "red"), ('y', "yellow"), ('b', "blue"), ('g', "green")];

/// The letter of a chip's color.
#[must_use]
pub fn chip_of(name: &str) -> Option<char> {
    CHIPS.into_iter().find(|(_, one)| *one == name).map(|(letter, _)| letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_written_in_their_order() {
        let letters: Letters = "P93".chars().collect();
        assert_eq!(letters.to_string(), "[93P]");
        assert!(Letters::ALL.covers(letters) && !letters.covers(Letters::ALL) && letters.contains('9'));
    }

    #[test]
    fn a_custom_game_changes_its_base() {
        let custom = rules("classic,ties=defender,two-squares=5,quiet=off").expect("a ruleset");
        assert_eq!((custom.ties, custom.two_squares, custom.quiet_limit), (Ties::Defender, Some(5), None));
        assert!(rules("classic,bombs=fly").is_none() && rules("chess").is_none());
    }
}
