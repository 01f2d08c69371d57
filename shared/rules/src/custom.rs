//! Custom games: named rulesets in which a player has changed some rules.
//!
//! The changes are part of the ruleset's id, as in `classic,ties=attacker,quiet=off`. The id
//! alone therefore defines the rules of a game in an offer, a record or a log.

use std::sync::OnceLock;

use thiserror::Error;

use crate::ruleset::{Bombs, Disclosure, RuleOption, Ruleset, Ties};
use crate::rulesets;

/// A value that an option can have.
#[derive(Clone, Copy, Debug)]
pub struct OptionValue {
    /// The value's name in ruleset ids.
    pub name: &'static str,
    /// The function that gives the option this value in a ruleset.
    make: fn(&mut Ruleset),
}

/// The possible values of each option, in the same order as the options.
const VALUES: [&[OptionValue]; RuleOption::ALL.len()] = [
    &[
        value("both", |ruleset| ruleset.ties = Ties::BothLeave),
        value("attacker", |ruleset| ruleset.ties = Ties::AttackerWins),
        value("defender", |ruleset| ruleset.ties = Ties::DefenderWins),
    ],
    &[
        value("both", |ruleset| ruleset.disclosure = Disclosure::Both),
        value("silent", |ruleset| ruleset.disclosure = Disclosure::SilentDefense),
    ],
    &[
        value("stay", |ruleset| ruleset.bombs = Bombs::Stay),
        value("leave", |ruleset| ruleset.bombs = Bombs::LeaveWithAttacker),
    ],
    &[
        value("far", |ruleset| ruleset.strikes_afar = true),
        value("near", |ruleset| ruleset.strikes_afar = false),
    ],
    &[
        value("attacker", |ruleset| ruleset.winner_advances = false),
        value("any", |ruleset| ruleset.winner_advances = true),
    ],
    &[
        value("off", |ruleset| ruleset.two_squares_limit = None),
        value("3", |ruleset| ruleset.two_squares_limit = Some(3)),
        value("5", |ruleset| ruleset.two_squares_limit = Some(5)),
    ],
    &[
        value("off", |ruleset| ruleset.more_squares = false),
        value("on", |ruleset| ruleset.more_squares = true),
    ],
    &[
        value("off", |ruleset| ruleset.quiet_limit = None),
        value("100", |ruleset| ruleset.quiet_limit = Some(100)),
        value("200", |ruleset| ruleset.quiet_limit = Some(200)),
        value("400", |ruleset| ruleset.quiet_limit = Some(400)),
        value("600", |ruleset| ruleset.quiet_limit = Some(600)),
    ],
    &[
        value("mirrored", |ruleset| ruleset.shape.lakes = rulesets::MIRRORED),
        value("printed", |ruleset| ruleset.shape.lakes = rulesets::PRINTED),
    ],
];

const fn value(name: &'static str, make: fn(&mut Ruleset)) -> OptionValue {
    OptionValue { name, make }
}

impl RuleOption {
    /// The values that this option can have.
    pub const fn values(self) -> &'static [OptionValue] {
        VALUES[self as usize]
    }

    /// The value that this option has in a ruleset. `None` if the option does not offer this value.
    pub fn value_in(self, ruleset: &Ruleset) -> Option<OptionValue> {
        self.values().iter().copied().find(|value| value.is_in(ruleset))
    }
}

impl OptionValue {
    /// True if the option has this value in a ruleset.
    pub fn is_in(self, ruleset: &Ruleset) -> bool {
        let mut changed = ruleset.clone();
        (self.make)(&mut changed);
        changed == *ruleset
    }
}

/// Why some text is not the id of a ruleset.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[error("{}", self.code())]
#[expect(missing_docs, reason = "the names of the fields say what they hold")]
pub enum NoSuchRuleset {
    /// No ruleset has this name.
    Unknown,
    /// The text after the ruleset's name is not `option=value`.
    NotAnOption,
    /// No option has this name.
    NoSuchOption { base: &'static str },
    /// The ruleset does not allow this option to be changed.
    Fixed { base: &'static str, option: RuleOption },
    /// The option has no such value.
    NoSuchValue { option: RuleOption },
    /// The same option appears twice.
    Twice { option: RuleOption },
}

impl NoSuchRuleset {
    /// True if the ruleset exists and the error is in one of the changes.
    pub const fn is_about_changes(&self) -> bool {
        !matches!(self, NoSuchRuleset::Unknown)
    }

    /// The error's code in messages, which never changes.
    pub const fn code(&self) -> &'static str {
        if self.is_about_changes() { "bad_rule_change" } else { "no_such_ruleset" }
    }

    /// The valid alternatives: the rulesets, the options of the ruleset, or the values of the
    /// option.
    pub fn known(&self) -> Vec<&'static str> {
        match self {
            NoSuchRuleset::Unknown => Ruleset::all().iter().map(|ruleset| ruleset.id).collect(),
            NoSuchRuleset::NoSuchOption { base } | NoSuchRuleset::Fixed { base, option: _ } => {
                let ruleset = Ruleset::all().iter().find(|ruleset| ruleset.id == *base);
                let changeable = ruleset.map(|ruleset| ruleset.changeable).unwrap_or_default();
                changeable.iter().map(|option| option.name()).collect()
            }
            NoSuchRuleset::NoSuchValue { option } => option.values().iter().map(|value| value.name).collect(),
            NoSuchRuleset::NotAnOption | NoSuchRuleset::Twice { option: _ } => Vec::new(),
        }
    }
}

impl Ruleset {
    /// Returns the ruleset with this id. Changes may follow the id, as in
    /// `classic,ties=attacker,quiet=off`.
    ///
    /// The order of the changes does not matter, and changes without effect are ignored. For
    /// example, `classic,ties=both` is the same as `classic`. To compare rulesets, use
    /// [`Ruleset::id`], which is always the same for the same ruleset.
    ///
    /// # Errors
    /// [`NoSuchRuleset`] describes the error.
    pub fn parse(text: &str) -> Result<&'static Ruleset, NoSuchRuleset> {
        let mut parts = text.split(',');
        let id = parts.next().unwrap_or_default();
        let base =
            Ruleset::all().iter().copied().find(|ruleset| ruleset.id == id).ok_or(NoSuchRuleset::Unknown)?;
        let mut changes: Vec<(RuleOption, OptionValue)> = Vec::new();
        for part in parts {
            let (option, value) = change(base, part)?;
            if changes.iter().any(|(other, _)| *other == option) {
                return Err(NoSuchRuleset::Twice { option });
            }
            changes.push((option, value));
        }
        changes.retain(|(_, value)| !value.is_in(base));
        if changes.is_empty() { Ok(base) } else { custom(base, &changes).ok_or(NoSuchRuleset::Unknown) }
    }

    /// Does the same as [`Ruleset::parse`], but returns `None` instead of an error.
    pub fn find(id: &str) -> Option<&'static Ruleset> {
        Ruleset::parse(id).ok()
    }

    /// The named ruleset on which this custom ruleset is based. For a named ruleset, the ruleset
    /// itself.
    pub fn unchanged(&self) -> &Ruleset {
        self.base.unwrap_or(self)
    }

    /// The options that this custom ruleset changes, with their new values.
    pub fn changes(&self) -> impl Iterator<Item = (RuleOption, OptionValue)> + '_ {
        let base = self.base;
        RuleOption::ALL.into_iter().filter_map(move |option| {
            let value = option.value_in(self)?;
            (!value.is_in(base?)).then_some((option, value))
        })
    }
}

fn change(base: &'static Ruleset, part: &str) -> Result<(RuleOption, OptionValue), NoSuchRuleset> {
    let (name, value) = part.split_once('=').ok_or(NoSuchRuleset::NotAnOption)?;
    let option = RuleOption::from_name(name).ok_or(NoSuchRuleset::NoSuchOption { base: base.id })?;
    if !base.changeable.contains(&option) {
        return Err(NoSuchRuleset::Fixed { base: base.id, option });
    }
    let value = (option.values().iter().copied())
        .find(|known| known.name == value)
        .ok_or(NoSuchRuleset::NoSuchValue { option })?;
    Ok((option, value))
}

fn custom(base: &'static Ruleset, changes: &[(RuleOption, OptionValue)]) -> Option<&'static Ruleset> {
    let mut place = 0;
    for option in options_of(base).rev() {
        let asked = changes.iter().find(|(other, _)| *other == option).map(|(_, value)| *value);
        let value = asked.or_else(|| option.value_in(base))?;
        let digit = option.values().iter().position(|known| known.name == value.name)?;
        place = place * option.values().len() + digit;
    }
    combinations(base)?.get(place)
}

/// The options that a custom game may change in a ruleset, in the order in which ids list them.
fn options_of(base: &'static Ruleset) -> impl DoubleEndedIterator<Item = RuleOption> {
    RuleOption::ALL.into_iter().filter(|option| base.changeable.contains(option))
}

/// Returns a ruleset for every combination of option values of a named ruleset. The combinations
/// are computed on first use. All named rulesets together have a few thousand of them.
fn combinations(base: &'static Ruleset) -> Option<&'static [Ruleset]> {
    static RULESETS: [OnceLock<Vec<Ruleset>>; rulesets::COUNT] = [const { OnceLock::new() }; rulesets::COUNT];

    let number = rulesets::ALL.iter().position(|ruleset| ruleset.id == base.id)?;
    let rulesets = RULESETS[number].get_or_init(|| {
        let count = options_of(base).map(|option| option.values().len()).product();
        (0..count).map(|place| changed(base, &changes_at(base, place))).collect()
    });
    Some(rulesets)
}

/// Returns the changes for the combination at an index, in the order of the options.
fn changes_at(base: &'static Ruleset, place: usize) -> Vec<(RuleOption, OptionValue)> {
    let mut rest = place;
    let mut changes = Vec::new();
    for option in options_of(base) {
        let values = option.values();
        let value = values[rest % values.len()];
        rest /= values.len();
        if !value.is_in(base) {
            changes.push((option, value));
        }
    }
    changes
}

/// Creates a ruleset from `base` and these changes. The memory of its id is leaked, because
/// rulesets are never freed.
fn changed(base: &'static Ruleset, changes: &[(RuleOption, OptionValue)]) -> Ruleset {
    let names = changes.iter().map(|(option, value)| format!(",{}={}", option.name(), value.name));
    let id = base.id.to_owned() + &names.collect::<String>();
    let mut ruleset = Ruleset { id: id.leak(), base: Some(base), ..base.clone() };
    changes.iter().for_each(|(_, value)| (value.make)(&mut ruleset));
    ruleset
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> &'static Ruleset {
        Ruleset::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn changes_change_what_they_name_and_nothing_else() {
        let classic = named("classic");
        let custom = named("classic,ties=attacker");
        assert_eq!(custom.ties, Ties::AttackerWins);
        let as_before = Ruleset { ties: classic.ties, base: None, id: classic.id, ..custom.clone() };
        assert_eq!(as_before, *classic);
        assert_eq!(custom.unchanged(), classic);
        assert_eq!(classic.unchanged(), classic);
    }

    #[test]
    fn the_order_of_changes_makes_no_other_ruleset() {
        let one = named("tournament,quiet=off,more-squares=off,bombs=leave");
        let other = named("tournament,bombs=leave,quiet=off,more-squares=off");
        assert!(std::ptr::eq(one, other));
        assert_eq!(one.id, "tournament,bombs=leave,more-squares=off,quiet=off");
        let changes: Vec<_> = one.changes().map(|(option, value)| (option.name(), value.name)).collect();
        assert_eq!(changes, [("bombs", "leave"), ("more-squares", "off"), ("quiet", "off")]);
        assert!(std::ptr::eq(named(one.id), one));
    }

    #[test]
    fn a_change_to_what_the_ruleset_has_is_none() {
        for (text, id) in [
            ("classic,ties=both", "classic"),
            ("classic,two-squares=3,quiet=200", "classic"),
            ("classic,quiet=off,ties=both", "classic,quiet=off"),
            ("silent-defense,ties=attacker,bombs=leave", "silent-defense,bombs=leave"),
        ] {
            assert!(std::ptr::eq(named(text), named(id)), "{text} is {}", named(text).id);
            assert_eq!(named(text).id, id);
        }
        for base in Ruleset::all() {
            for option in base.changeable {
                let value = option.value_in(base).expect("a value");
                let text = format!("{},{}={}", base.id, option.name(), value.name);
                assert!(std::ptr::eq(named(&text), *base), "{text}");
            }
        }
    }

    #[test]
    fn errors_in_custom_rulesets_are_named() {
        const NOT_AN_OPTION: NoSuchRuleset = NoSuchRuleset::NotAnOption;
        let fixed = |base, option| NoSuchRuleset::Fixed { base, option };
        let twice = NoSuchRuleset::Twice { option: RuleOption::Ties };
        for (text, error, known) in [
            ("chess", NoSuchRuleset::Unknown, "classic"),
            ("", NoSuchRuleset::Unknown, "classic"),
            ("classic,", NOT_AN_OPTION, ""),
            ("classic,ties", NOT_AN_OPTION, ""),
            ("classic,lakes=many", NoSuchRuleset::NoSuchOption { base: "classic" }, "ties"),
            ("classic,ties=nobody", NoSuchRuleset::NoSuchValue { option: RuleOption::Ties }, "both"),
            ("classic,ties=attacker,ties=attacker", twice, ""),
            ("classic,ties=both,ties=both", twice, ""),
            ("classic,islands=printed", fixed("classic", RuleOption::Islands), "ties"),
            ("silent-defense,disclosure=both", fixed("silent-defense", RuleOption::Disclosure), "ties"),
            ("course,ties=attacker", fixed("course", RuleOption::Ties), "quiet"),
            ("shadowflash-3,winner=attacker", fixed("shadowflash-3", RuleOption::Winner), "ties"),
        ] {
            let found = Ruleset::parse(text).expect_err(text);
            assert_eq!(found, error, "{text}");
            assert_eq!(found.known().first().copied().unwrap_or_default(), known, "{text}");
        }
    }

    #[test]
    fn every_ruleset_may_change_what_the_rules_say() {
        let all_but_islands =
            ["ties", "disclosure", "bombs", "scout-strike", "winner", "two-squares", "more-squares", "quiet"];
        for base in Ruleset::all() {
            let expected: Vec<&str> = match base.id {
                "silent-defense" => {
                    all_but_islands.into_iter().filter(|name| *name != "disclosure").collect()
                }
                "course" => vec!["quiet"],
                "quantum" => vec!["ties", "bombs", "two-squares", "quiet"],
                "shadowflash-1" | "shadowflash-2" | "shadowflash-3" => vec!["ties", "quiet", "islands"],
                _ => all_but_islands.to_vec(),
            };
            let options: Vec<&str> = base.changeable.iter().map(|option| option.name()).collect();
            assert_eq!(options, expected, "{}", base.id);
            for option in base.changeable {
                assert!(option.value_in(base).is_some(), "{} {}", base.id, option.name());
                for value in option.values().iter().filter(|value| !value.is_in(base)) {
                    let text = format!("{},{}={}", base.id, option.name(), value.name);
                    let custom = named(&text);
                    assert_eq!(custom.id, text);
                    assert_eq!(option.value_in(custom).map(|found| found.name), Some(value.name), "{text}");
                    assert_eq!(custom.changes().count(), 1, "{text}");
                }
            }
        }
    }

    #[test]
    fn every_combination_is_found_by_its_name() {
        let mut count = 0;
        for base in Ruleset::all() {
            for ruleset in combinations(base).expect(base.id) {
                let found = named(ruleset.id);
                if ruleset.changes().next().is_none() {
                    assert!(std::ptr::eq(found, *base), "{}", ruleset.id);
                } else {
                    assert!(std::ptr::eq(found, ruleset), "{}", ruleset.id);
                }
                count += 1;
            }
        }
        // Every computed combination takes up a few hundred bytes of memory, so there must not be
        // too many.
        assert!((1_000..15_000).contains(&count), "{count}");
    }
}
