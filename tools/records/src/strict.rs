//! Reads JSON, but refuses objects that repeat a field, because two programs could read different
//! games from such a file.

use std::fmt;

use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A JSON value whose objects do not repeat fields.
pub(crate) struct Strict(pub(crate) Value);

impl<'de> de::Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Strict, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

/// Parses JSON text in which no object repeats a field.
///
/// # Errors
/// If the text is not valid JSON, repeats a field, or does not fit the type `T`.
pub(crate) fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str::<Strict>(text).and_then(|Strict(value)| serde_json::from_value(value))
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Strict, A::Error> {
        let values = std::iter::from_fn(|| seq.next_element::<Strict>().transpose());
        let values: Result<Vec<Value>, _> = values.map(|value| value.map(|Strict(value)| value)).collect();
        values.map(|values| Strict(values.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strict, A::Error> {
        let mut values = Map::new();
        while let Some((name, Strict(value))) = map.next_entry::<String, Strict>()? {
            if values.contains_key(&name) {
                return Err(de::Error::custom(format!("the field {name:?} is named twice in one object")));
            }
            values.insert(name, value);
        }
        Ok(Strict(Value::Object(values)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_named_twice_is_refused_at_every_depth() {
        for text in [r#"{"a":1,"a":1}"#, r#"[{"b":{"a":1,"c":[],"a":2}}]"#, r#"{"a":1,"\u0061":1}"#] {
            let error = from_str::<Value>(text).expect_err("refused").to_string();
            assert!(error.contains("the field \"a\" is named twice"), "{error}");
        }
    }

    #[test]
    fn all_other_json_is_read_as_ever() {
        let text = r#"{"a":[1,-2,3.5,18446744073709551615,true,null,"\u00e4"],"b":{"a":{}},"c":""}"#;
        assert_eq!(from_str::<Value>(text).ok(), serde_json::from_str(text).ok());
    }
}
