//! Examples of bodies and answers, by the names of their types.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

static EXAMPLES: LazyLock<BTreeMap<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).expect("examples.json is JSON"));

/// Types that have no example here, because a single example would be too long. The documents in
/// docs/protocol have examples of views and records.
const TOO_LONG: &[&str] = &["AccountExport", "Game", "GameRecord"];

/// Returns the example of a type, and checks that it parses. `None` for the types in
/// [`TOO_LONG`].
pub(super) fn example<T: JsonSchema + Serialize + DeserializeOwned>() -> Option<Value> {
    let name = T::schema_name();
    let Some(example) = EXAMPLES.get(&*name) else {
        assert!(TOO_LONG.contains(&&*name), "examples.json has no {name}");
        return None;
    };
    let read: T = serde_json::from_value(example.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(serde_json::to_value(read).expect("it is JSON"), *example, "the example of {name}");
    Some(example.clone())
}
