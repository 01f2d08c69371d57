use std::fmt;
use std::str::FromStr;

use flagfall_view::{HexBytes, TextError};
use schemars::JsonSchema;

/// An Ed25519 signature: 64 bytes, written as 128 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct SignatureText(pub [u8; 64]);

impl SignatureText {
    fn halves(&self) -> [HexBytes; 2] {
        [0, 32].map(|start| HexBytes(std::array::from_fn(|index| self.0[start + index])))
    }
}

impl fmt::Display for SignatureText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.halves().iter().try_for_each(|half| write!(f, "{half}"))
    }
}

impl FromStr for SignatureText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<SignatureText, TextError> {
        const ERROR: TextError = TextError("128 hexadecimal digits are wanted");
        let (first, second) = text.split_at_checked(64).ok_or(ERROR)?;
        let halves: [HexBytes; 2] = [first.parse().map_err(|_| ERROR)?, second.parse().map_err(|_| ERROR)?];
        Ok(SignatureText(std::array::from_fn(|index| halves[index / 32].0[index % 32])))
    }
}

flagfall_board::text_serde!(SignatureText);
