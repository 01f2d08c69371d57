//! Checks for passwords that are easy to guess: common passwords, the player's name, repetitions,
//! and keyboard walks.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Common passwords, in the form in which [`is_common`] looks them up.
static COMMON: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("common-passwords.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
});

/// The rows of common keyboards, to recognize keyboard walks.
const ROWS: [&str; 5] = ["1234567890", "qwertyuiop", "qwertzuiop", "asdfghjkl", "yxcvbnm"];
/// The number of runs below which a password counts as a keyboard walk (see [`runs`]).
const RUNS_MIN: usize = 4;
/// The shortest part that a password may repeat without counting as common.
const UNIT_MIN: usize = 6;
/// The number of letters that a password must have in addition to a short name.
const REST_MIN: usize = 6;
/// The length of a long name. A password must not contain a long name at all, but may contain a
/// shorter one by chance.
const LONG_NAME: usize = 4;
/// The smallest length of a password that has only digits.
const DIGITS_MIN: usize = 12;

/// True if this password would be among the first guesses.
pub(super) fn is_common(password: &str) -> bool {
    let folded: Vec<char> = password.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    let is_short_number = folded.iter().all(char::is_ascii_digit) && folded.len() < DIGITS_MIN;
    let unit = unit(&folded);
    let is_repetition = unit.len() < folded.len() && unit.len() < UNIT_MIN;
    is_short_number
        || is_repetition
        || runs(unit) < RUNS_MIN
        || is_listed(unit)
        || is_listed(&folded)
        || is_listed(&password.to_lowercase().chars().collect::<Vec<_>>())
}

pub(super) fn has_name(password: &str, name: &str) -> bool {
    let fold = |text: &str| text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (password, name) = (fold(password), fold(name));
    if name.is_empty() || !password.contains(&name) {
        return false;
    }
    let rest = password.replace(&name, "").chars().filter(|c| c.is_alphabetic()).count();
    name.chars().count() >= LONG_NAME || rest < REST_MIN
}

/// True if the list contains the text. Look-alike digits and symbols in the text may also be read
/// as letters (`3` as `e`). Digits and symbols at the end are ignored.
fn is_listed(text: &[char]) -> bool {
    let plain: String = text.iter().collect();
    let with_letters = |one: char| -> String {
        let letter = |c: &char| match c {
            '0' => 'o',
            '1' => one,
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            '!' => 'i',
            other => *other,
        };
        text.iter().map(letter).collect()
    };
    let stem = |text: &str| {
        let stem = text.trim_end_matches(|c: char| !c.is_alphabetic());
        COMMON.contains(stem)
    };
    let trimmed = plain.trim_end_matches(|c: char| !c.is_alphabetic()).chars().count();
    // Before digits are read as letters, also strip the digits at the end, so that `monkey1` is
    // found as `monkey`.
    let cut = |text: String| text.chars().take(trimmed).collect::<String>();
    stem(&plain)
        || stem(&with_letters('i'))
        || stem(&with_letters('l'))
        || stem(&cut(with_letters('i')))
        || stem(&cut(with_letters('l')))
}

/// Returns the shortest part that makes up the text when it is repeated, or the whole text if
/// there is no such part.
fn unit(text: &[char]) -> &[char] {
    (1..=text.len() / 2)
        .map(|length| &text[..length])
        .find(|unit| text.chunks(unit.len()).all(|chunk| unit.starts_with(chunk)))
        .unwrap_or(text)
}

/// Returns the number of runs. Within a run, each character is equal to the one before it, or
/// next to it in the alphabet or on the keyboard.
fn runs(text: &[char]) -> usize {
    let breaks = text.windows(2).filter(|pair| !are_neighbors(pair[0], pair[1])).count();
    breaks + usize::from(!text.is_empty())
}

fn are_neighbors(one: char, other: char) -> bool {
    let place = |row: &str, letter: char| row.chars().position(|key| key == letter);
    let in_row = |row: &&str| {
        place(row, one).zip(place(row, other)).is_some_and(|(one, other)| one.abs_diff(other) <= 1)
    };
    u32::from(one).abs_diff(u32::from(other)) <= 1 || ROWS.iter().any(in_row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_passwords_are_recognized_in_every_disguise() {
        for password in [
            "password",
            "Password1!",
            "p@ssw0rd",
            "12345678",
            "87654321",
            "qwertyuiop",
            "qwerty123",
            "asdfghjk",
            "zxcvbnm1",
            "1q2w3e4r",
            "iloveyou",
            "ILoveYou2",
            "sunshine99",
            "football",
            "trustno1",
            "dragon1234",
            "aaaaaaaa",
            "abcabcabc",
            "monkeymonkey",
            "abcdefgh",
            "letmein!!!",
            "11223344",
            "20260101",
            "yxcvbnm123",
        ] {
            assert!(is_common(password), "{password}");
        }
    }

    #[test]
    fn made_up_passwords_are_accepted() {
        for password in [
            "correct horse battery",
            "another password",
            "quite another one",
            "pässwörter",
            "x7$k29!q",
            "bQ8vTz1m",
            "walrus on ice",
            "gelbe Gießkanne",
            "7 dwarves dance",
            "928471650283",
        ] {
            assert!(!is_common(password), "{password}");
        }
    }

    #[test]
    fn a_password_has_more_in_it_than_the_name() {
        for (password, name) in [
            ("carolcarol", "carol"),
            ("Carol-2026", "carol"),
            ("my carol rocks", "Carol"),
            ("bobbob-bob7", "bob"),
        ] {
            assert!(has_name(password, name), "{password}");
        }
        for (password, name) in
            [("bobsled champion", "bob"), ("walrus on ice", "carol"), ("altogether", "al")]
        {
            assert!(!has_name(password, name), "{password}");
        }
    }

    #[test]
    fn the_list_is_in_the_form_in_which_it_is_looked_up() {
        assert!(COMMON.len() > 5_000);
        for entry in COMMON.iter() {
            assert!(entry.ends_with(char::is_alphabetic) && entry.to_lowercase() == *entry, "{entry}");
        }
    }
}
