//! Serde for types that are written as text.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{Error, Visitor};

/// Parses a type from a string, which is not copied. `explain` makes the message of an error.
///
/// # Errors
/// The value is not a string, or the type's parser does not accept the string.
pub fn parse_text<'de, T: FromStr, D: Deserializer<'de>, M: fmt::Display>(
    deserializer: D,
    explain: impl FnOnce(T::Err) -> M,
) -> Result<T, D::Error> {
    struct Text<T, F>(F, PhantomData<T>);

    impl<T: FromStr, M: fmt::Display, F: FnOnce(T::Err) -> M> Visitor<'_> for Text<T, F> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(|error| E::custom((self.0)(error)))
        }
    }

    deserializer.deserialize_str(Text(explain, PhantomData))
}

/// Implements serde for a type that is serialized as its `Display` text and read with `FromStr`.
///
/// The optional second argument replaces the message of the parser's error.
#[macro_export]
macro_rules! text_serde {
    ($type:ty) => {
        $crate::text_serde!($type, |error| error);
    };
    ($type:ty, |$error:ident| $message:expr) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::parse_text(deserializer, |$error| $message)
            }
        }
    };
}
