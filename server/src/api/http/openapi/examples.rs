//! An example of each body and answer, by the name of its type.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

static EXAMPLES: LazyLock<BTreeMap<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).expect("examples.json is JSON"));

/// Types whose values fill pages. docs/protocol explains views and records with examples.
const TOO_LONG: &[&str] = &["AccountExport", "Game", "GameRecord"];

/// The example of a type. Every type but those of [`TOO_LONG`] has one, and the type reads it.
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
