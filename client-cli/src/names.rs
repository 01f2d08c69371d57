//! Names that people type. Case does not matter, and an unknown name gets a suggestion.

use crate::{text, texts};
use flagfall_bots::Level;
use flagfall_rules::{NoSuchRuleset, Ruleset};
use flagfall_umpire::line::can_tell;

/// The number of letters for which a suggestion tolerates one typing error. It always tolerates at
/// least one.
const LETTERS_PER_SLIP: usize = 3;

/// The value of the text argument if no name is similar.
const NONE_MEANT: &str = "none";

/// Returns the candidate most similar to the word. `None` if none is similar enough.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let slips_max = (word.chars().count() / LETTERS_PER_SLIP).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, &candidate.to_lowercase()), candidate))
        .filter(|(slips, _)| *slips <= slips_max)
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// Returns the ruleset with this id, which may include a custom game's changes. Ignores the case
/// of letters. The error explains what is wrong and suggests a similar id.
pub fn ruleset(text: &str) -> Result<&'static Ruleset, String> {
    let text = text.trim().to_lowercase();
    Ruleset::parse(&text).map_err(|error| {
        let id = text.split(',').next().unwrap_or_default();
        let ids = || Ruleset::all().iter().map(|ruleset| ruleset.id);
        match error {
            NoSuchRuleset::Unknown => text!(
                "no-ruleset",
                id,
                meant = closest(id, ids()).unwrap_or(NONE_MEANT),
                ids = ids().collect::<Vec<_>>().join(", ")
            ),
            error => texts::refusal(&error),
        }
    })
}

/// Returns the ruleset with this id, if the line protocol can express all its events. The error
/// explains what is wrong with the id, or lists the rulesets that can be used.
pub fn tellable_ruleset(id: &str) -> Result<&'static Ruleset, String> {
    let found = ruleset(id)?;
    if can_tell(found) {
        return Ok(found);
    }
    let tellable = Ruleset::all().iter().filter(|ruleset| can_tell(ruleset));
    let ids: Vec<&str> = tellable.map(|ruleset| ruleset.id).collect();
    Err(text!("ruleset-not-for-programs", ruleset = id, rulesets = ids.join(", ")))
}

/// Returns the house players' level with this name. Ignores the case of letters. The error lists
/// the known names and suggests a similar one.
pub fn level(text: &str) -> Result<Level, String> {
    let names = || Level::ALL.iter().map(|level| level.name());
    Level::from_name(&text.to_lowercase()).ok_or_else(|| unknown("level", text, names()))
}

/// Returns the message about a name that does not exist.
pub fn unknown<'a>(kind: &str, text: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let list = names.clone().collect::<Vec<_>>().join(", ");
    text!("no-such-name", kind, name = text, meant = closest(text, names).unwrap_or(NONE_MEANT), names = list)
}

/// Checks that a player's name is safe as part of a URL path.
pub fn player(text: &str) -> Result<String, String> {
    if is_plain(text) { Ok(text.to_owned()) } else { Err(text!("not-a-player", name = text)) }
}

/// True for text that consists of letters, digits, hyphens and underscores. Such text is safe in
/// a path.
pub fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_plain_letter)
}

pub(crate) fn is_plain_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognized_and_a_stranger_is_not() {
        let ids = || Ruleset::all().iter().map(|ruleset| ruleset.id);
        for (word, meant) in [
            ("clasic", Some("classic")),
            ("CLASSIC", Some("classic")),
            ("barage", Some("barrage")),
            ("shadowflash1", Some("shadowflash-1")),
            ("chess", None),
            ("", None),
        ] {
            assert_eq!(closest(word, ids()), meant, "{word}");
        }
    }

    #[test]
    fn names_are_read_in_any_case_and_unknown_ones_get_a_suggestion() {
        assert_eq!(ruleset("Classic").map(|ruleset| ruleset.id), Ok("classic"));
        assert_eq!(
            ruleset("PBM,Quiet=50").map(|ruleset| ruleset.id),
            ruleset("pbm,quiet=50").map(|it| it.id)
        );
        let error = ruleset("clasic").expect_err("no ruleset");
        assert!(error.starts_with("there is no ruleset `clasic`. Did you mean `classic`?"), "{error}");
        assert_eq!(level("GOOD").map(Level::name), Ok("good"));
        let error = level("godo").expect_err("no level");
        assert!(error.starts_with("there is no level `godo`. Did you mean `good`?"), "{error}");
    }
}
