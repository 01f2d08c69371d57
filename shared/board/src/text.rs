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
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(|$error| serde::de::Error::custom($message))
            }
        }
    };
}
