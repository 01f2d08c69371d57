//! The rulesets for which laws are checked.

use flagfall_rules::Ruleset;

/// Custom rulesets. Every change that custom games may make occurs in at least one of them.
///
/// They also combine changes that no built-in ruleset combines.
const CUSTOM: [&str; 10] = [
    "classic,ties=attacker,disclosure=silent,bombs=leave,scout-strike=near,winner=any,two-squares=5,more-squares=on,quiet=100",
    "tournament,ties=defender,winner=any,two-squares=off,more-squares=off,quiet=400",
    "barrage,ties=defender,disclosure=silent,bombs=leave,quiet=off",
    "pbm,disclosure=silent,winner=any,two-squares=3",
    "pbm-small,bombs=leave,scout-strike=near,more-squares=on",
    "original,disclosure=silent,scout-strike=far,winner=attacker",
    "silent-defense,ties=both,bombs=leave,winner=any",
    "course,quiet=600",
    "quantum,ties=defender,bombs=leave,two-squares=off,quiet=400",
    "shadowflash-3,ties=attacker,quiet=400,islands=printed",
];

/// The rulesets named in `FLAGFALL_RULESETS`, separated by spaces; otherwise every built-in
/// ruleset and some custom ones.
#[must_use]
pub fn rulesets() -> Vec<&'static Ruleset> {
    let Ok(names) = std::env::var("FLAGFALL_RULESETS") else { return all_rulesets() };
    let named = |name: &str| Ruleset::find(name).ok_or_else(|| format!("no ruleset {name}"));
    match names.split_whitespace().map(named).collect() {
        Ok(rulesets) => rulesets,
        Err(error) => panic!("FLAGFALL_RULESETS: {error}"),
    }
}

fn all_rulesets() -> Vec<&'static Ruleset> {
    let custom = CUSTOM.into_iter().filter_map(Ruleset::find);
    Ruleset::all().iter().copied().chain(custom).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_is_made_somewhere() {
        let rulesets = all_rulesets();
        assert_eq!(rulesets.len(), Ruleset::all().len() + CUSTOM.len(), "a custom ruleset is invalid");
        for base in Ruleset::all() {
            assert!(
                rulesets.iter().any(|ruleset| ruleset.base.is_some_and(|changed| {
                    changed.changeable == base.changeable && changed.shape.columns == base.shape.columns
                })),
                "nothing like {} is changed",
                base.id
            );
        }
        for option in flagfall_rules::RuleOption::ALL {
            for value in option.values() {
                assert!(
                    rulesets.iter().any(|ruleset| value.is_in(ruleset)),
                    "{}={}",
                    option.name(),
                    value.name
                );
            }
        }
    }
}
