//! Types that messages and records write as one text.

/// A text without the form that its place requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct TextError(
    /// The form that the place requires.
    pub &'static str,
);

/// Serializes a type as its `Display` text and reads it back with `FromStr`.
macro_rules! text_serde {
    ($type:ty) => {
        text_serde!($type, |error| error);
    };
    ($type:ty, |$error:ident| $message:expr) => {
        #[cfg(feature = "serde")]
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(|$error| serde::de::Error::custom($message))
            }
        }
    };
}

pub(crate) use text_serde;

/// Gives a type the JSON Schema of another type with the same form.
macro_rules! schema_as {
    ($type:ty, $form:ty) => {
        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                <$form>::inline_schema()
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$form>::schema_name()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                <$form>::schema_id()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$form>::json_schema(generator)
            }
        }
    };
}

pub(crate) use schema_as;
