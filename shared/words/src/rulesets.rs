//! Texts about rulesets and about the rules that custom games change.

use flagfall_protocol::{RuleOptionInfo, RuleValueInfo, RulesetData, RulesetInfo};
use flagfall_rules::{OptionValue, RuleOption, Ruleset};

use crate::{Words, args};

impl Words {
    /// Returns a ruleset's title, such as `Classic`.
    pub fn ruleset_title(&self, ruleset: &Ruleset) -> String {
        let title = self.text(&format!("ruleset-title-{}", ruleset.unchanged().id));
        if ruleset.base.is_none() {
            return title;
        }
        self.format("ruleset-title-custom", &args! { "title" => title })
    }

    /// Returns a sentence that says how a ruleset differs from others.
    pub fn ruleset_summary(&self, ruleset: &Ruleset) -> String {
        let unchanged = ruleset.unchanged();
        if ruleset.base.is_none() {
            return self.text(&format!("ruleset-summary-{}", unchanged.id));
        }
        let changes = ruleset.changes().map(|(option, value)| self.rule_meaning(option, value));
        let changes = changes.collect::<Vec<_>>().join("; ");
        let title = self.ruleset_title(unchanged);
        self.format("ruleset-summary-custom", &args! { "title" => title, "changes" => changes })
    }

    /// Returns the meaning of an option's value, such as `if the ranks are equal, the attacker
    /// stays`.
    pub fn rule_meaning(&self, option: RuleOption, value: OptionValue) -> String {
        self.text(&format!("rule-{}-{}", option.name(), value.name))
    }

    /// Returns the description of a ruleset, for use in messages.
    pub fn ruleset_info(&self, ruleset: &Ruleset) -> RulesetInfo {
        RulesetInfo {
            id: ruleset.id.to_owned(),
            title: self.ruleset_title(ruleset),
            summary: self.ruleset_summary(ruleset),
            rules: RulesetData::from(ruleset),
            options: self.rule_options(ruleset),
        }
    }

    /// Returns the options of a ruleset that a custom game may change.
    pub fn rule_options(&self, ruleset: &Ruleset) -> Vec<RuleOptionInfo> {
        let info = |option: &RuleOption| RuleOptionInfo {
            name: option.name().to_owned(),
            value: option.value_in(ruleset).map(|value| value.name.to_owned()).unwrap_or_default(),
            values: (option.values().iter())
                .map(|value| RuleValueInfo {
                    name: value.name.to_owned(),
                    meaning: self.rule_meaning(*option, *value),
                })
                .collect(),
        };
        ruleset.changeable.iter().map(info).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use flagfall_tests::all_texts;

    use super::*;
    use crate::{ENGLISH, english};

    #[test]
    fn every_ruleset_and_every_value_has_its_text_and_no_other_has_one() {
        let ids = Ruleset::all().iter().map(|ruleset| ruleset.id).chain(["custom"]);
        let mut named: BTreeSet<String> =
            ids.flat_map(|id| [format!("ruleset-title-{id}"), format!("ruleset-summary-{id}")]).collect();
        for option in RuleOption::ALL {
            named
                .extend(option.values().iter().map(|value| format!("rule-{}-{}", option.name(), value.name)));
        }
        let is_named = |id: &String| id.starts_with("ruleset-") || id.starts_with("rule-");
        let known: BTreeSet<String> = all_texts(ENGLISH).into_keys().filter(is_named).collect();
        assert_eq!(known, named);
    }

    #[test]
    fn a_custom_ruleset_lists_its_changes() {
        let ruleset = Ruleset::find("tournament,bombs=leave,more-squares=off,quiet=off").expect("a ruleset");
        assert_eq!(english().ruleset_title(ruleset), "Tournament (custom)");
        assert_eq!(
            english().ruleset_summary(ruleset),
            "Tournament, changed: a Bomb leaves with its attacker; no more-squares rule; \
             no draw for lack of captures."
        );
    }
}
