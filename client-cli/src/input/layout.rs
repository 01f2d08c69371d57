//! The letters of a Russian keyboard.

/// The letters of a Russian keyboard, row by row, without and with Shift.
const RUSSIAN: &str = "йцукенгшщзхъфывапролджэячсмитьбюёЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮЁ";
/// The letters that the same keys type on a Latin keyboard.
const LATIN: &str = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>~";

/// Returns the letter that the same key types on a Latin keyboard, so that players need not
/// switch layouts. Other characters are returned unchanged.
pub fn latin(letter: char) -> char {
    let place = RUSSIAN.chars().position(|other| other == letter);
    place.and_then(|place| LATIN.chars().nth(place)).unwrap_or(letter)
}
