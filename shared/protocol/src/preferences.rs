//! Preferences that an account keeps on the server for its clients.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The maximum number of an account's preferences.
pub const PREFERENCES_MAX: usize = 32;
/// The maximum number of characters of a preference's name.
pub const PREFERENCE_NAME_LEN_MAX: usize = 32;
/// The maximum number of characters of a preference's value.
pub const PREFERENCE_VALUE_LEN_MAX: usize = 64;

/// The preferences of an account, such as `"theme":"dark"`, at most 32. Only clients know what they
/// mean. The answer from `GET` and `PATCH /api/me/preferences`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Preferences {
    /// Values by name. A client must ignore what it does not know, because other clients of the
    /// account may know it.
    pub preferences: BTreeMap<String, String>,
}

/// Changes some preferences of an account, and leaves the others as they are. `PATCH
/// /api/me/preferences`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePreferences {
    /// New values by name. `null` removes a preference. A name has 1 to 32 of `a` to `z`, `0` to
    /// `9` and `_`. A value has at most 64 printable ASCII characters.
    pub preferences: BTreeMap<String, Option<String>>,
}

impl ChangePreferences {
    /// Returns the preferences after this change. Returns `None` if a name or value is not
    /// allowed, or if there would be more than [`PREFERENCES_MAX`].
    pub fn apply(&self, to: &Preferences) -> Option<Preferences> {
        let mut preferences = to.preferences.clone();
        for (name, value) in &self.preferences {
            match value {
                _ if !is_name(name) => return None,
                Some(value) if !is_value(value) => return None,
                Some(value) => preferences.insert(name.clone(), value.clone()),
                None => preferences.remove(name),
            };
        }
        (preferences.len() <= PREFERENCES_MAX).then_some(Preferences { preferences })
    }
}

fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    (1..=PREFERENCE_NAME_LEN_MAX).contains(&name.len()) && name.bytes().all(is_allowed)
}

fn is_value(value: &str) -> bool {
    value.len() <= PREFERENCE_VALUE_LEN_MAX && value.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(name: &str, value: Option<&str>) -> ChangePreferences {
        let value = value.map(str::to_owned);
        ChangePreferences { preferences: BTreeMap::from([(name.to_owned(), value)]) }
    }

    #[test]
    fn a_change_sets_and_removes_what_it_names() {
        let none = Preferences::default();
        let dark = change("theme", Some("dark")).apply(&none).unwrap();
        let both = change("board", Some("")).apply(&dark).unwrap();
        assert_eq!(
            both.preferences.into_iter().collect::<Vec<_>>(),
            [("board".to_owned(), String::new()), ("theme".to_owned(), "dark".to_owned())]
        );
        assert_eq!(change("theme", None).apply(&dark), Some(none));
        assert_eq!(change("board", None).apply(&dark), Some(dark));
    }

    #[test]
    fn names_values_and_their_number_have_limits() {
        let none = Preferences::default();
        let (longest, value) = ("a_9".repeat(11)[..32].to_owned(), "~ ".repeat(32));
        assert!(change(&longest, Some(&value)).apply(&none).is_some());
        for name in ["", "Theme", "the-me", "thème", "a b", &format!("{longest}a")] {
            assert_eq!(change(name, Some("dark")).apply(&none), None, "{name}");
            assert_eq!(change(name, None).apply(&none), None, "{name}");
        }
        for value in ["é", "\n", "\u{7f}", &format!("{value}x")] {
            assert_eq!(change("theme", Some(value)).apply(&none), None, "{value}");
        }
        let names = (0..32).map(|number| (format!("n{number}"), String::new()));
        let full = Preferences { preferences: names.collect() };
        assert_eq!(change("more", Some("")).apply(&full), None);
        assert!(change("n7", Some("new")).apply(&full).is_some());
        let exchange = [change("n7", None).preferences, change("more", Some("")).preferences];
        let exchange = ChangePreferences { preferences: exchange.into_iter().flatten().collect() };
        assert!(exchange.apply(&full).is_some());
    }
}
