use std::fmt;
use std::str::FromStr;

use flagfall_board::{ChipColor, Rank, RankSet, Side, Square, SquareSet};
use flagfall_rules::{Identity, Laid, Move, SeenPiece};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! text_serde {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// A text that does not have the form its place wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct TextError(&'static str);

/// A move: two squares, as in `a4a5`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct MoveText(pub Move);

impl fmt::Display for MoveText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for MoveText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<MoveText, TextError> {
        text.parse().map(MoveText).map_err(|_| TextError("not a move: two squares are wanted, as in a4a5"))
    }
}

text_serde!(MoveText);

/// What is known of a rank: its letter, `?` if nothing is known, `[9P]` for one of several ranks,
/// `o` for a coin, which has no rank yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct IdentityText(pub Identity);

impl fmt::Display for IdentityText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Identity::Known(rank) => write!(f, "{}", rank.letter()),
            Identity::OneOf(ranks) => {
                f.write_str("[")?;
                ranks.iter().try_for_each(|rank| write!(f, "{}", rank.letter()))?;
                f.write_str("]")
            }
            Identity::Coin => f.write_str("o"),
            Identity::Hidden => f.write_str("?"),
        }
    }
}

impl FromStr for IdentityText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<IdentityText, TextError> {
        const ERROR: TextError = TextError(
            "not a rank: a letter of 1-9, S, B, F, P, a list of them in brackets, o for a coin, or ?",
        );
        let mut letters = text.chars();
        let identity = match (letters.next(), letters.as_str()) {
            (Some('?'), "") => Identity::Hidden,
            (Some('o'), "") => Identity::Coin,
            (Some('['), rest) => {
                let inside = rest.strip_suffix(']').filter(|inside| !inside.is_empty()).ok_or(ERROR)?;
                let ranks: Option<RankSet> = inside
                    .chars()
                    .map(Rank::from_letter)
                    .collect::<Option<Vec<_>>>()
                    .map(|ranks| ranks.into_iter().collect());
                Identity::OneOf(ranks.ok_or(ERROR)?)
            }
            (Some(letter), "") => Identity::Known(Rank::from_letter(letter).ok_or(ERROR)?),
            _ => return Err(ERROR),
        };
        Ok(IdentityText(identity))
    }
}

text_serde!(IdentityText);

/// Chips that changed in a move: their squares and the letter of their new color (`r`, `y`, `b`,
/// `g`), as in `a7a8=g`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct LaidText(pub Laid);

impl fmt::Display for LaidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.squares().iter().try_for_each(|square| write!(f, "{square}"))?;
        write!(f, "={}", self.0.color().letter())
    }
}

impl FromStr for LaidText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<LaidText, TextError> {
        const ERROR: TextError =
            TextError("not chips: one to four squares of a line and a color letter are wanted, as in a7a8=g");
        let (squares, color) = text.split_once('=').ok_or(ERROR)?;
        let color = ChipColor::from_name(color).ok_or(ERROR)?;
        let mut set = SquareSet::EMPTY;
        let mut rest = squares;
        while !rest.is_empty() {
            let next = rest.char_indices().skip(1).find(|(_, letter)| letter.is_ascii_alphabetic());
            let (square, more) = next.map_or((rest, ""), |(at, _)| rest.split_at(at));
            set.insert(square.parse().map_err(|_| ERROR)?);
            rest = more;
        }
        Laid::new(set, color).map(LaidText).ok_or(ERROR)
    }
}

text_serde!(LaidText);

/// A piece on the board: its square, its side (`r` or `b`), its rank, then `'` if it has moved, `*`
/// if its rank is public and `^` if it is labeled. `a4r9'*` is Red's Scout on a4, moved and known
/// to all. `j7b?` is a blue piece that has not moved and whose rank is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct PieceText(pub SeenPiece);

impl fmt::Display for PieceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SeenPiece { square, side, identity, is_moved, is_revealed, is_labeled } = self.0;
        let side = match side {
            Side::Red => 'r',
            Side::Blue => 'b',
        };
        write!(f, "{square}{side}{}", IdentityText(identity))?;
        f.write_str(if is_moved { "'" } else { "" })?;
        f.write_str(if is_revealed { "*" } else { "" })?;
        f.write_str(if is_labeled { "^" } else { "" })
    }
}

impl FromStr for PieceText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<PieceText, TextError> {
        const ERROR: TextError =
            TextError("not a piece: square, r or b, rank, marks are wanted, as in a4r9'*");
        let side_at = text.char_indices().skip(2).find(|(_, letter)| *letter == 'r' || *letter == 'b');
        let (square, rest) = side_at.and_then(|(at, _)| text.split_at_checked(at)).ok_or(ERROR)?;
        let square: Square = square.parse().map_err(|_| ERROR)?;
        let side = if rest.starts_with('r') { Side::Red } else { Side::Blue };
        let rest = &rest[1..];
        let (rest, is_labeled) = rest.strip_suffix('^').map_or((rest, false), |rest| (rest, true));
        let (rest, is_revealed) = rest.strip_suffix('*').map_or((rest, false), |rest| (rest, true));
        let (rest, is_moved) = rest.strip_suffix('\'').map_or((rest, false), |rest| (rest, true));
        let IdentityText(identity) = rest.parse()?;
        Ok(PieceText(SeenPiece { square, side, identity, is_moved, is_revealed, is_labeled }))
    }
}

text_serde!(PieceText);

/// 32 bytes as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct HexBytes(pub [u8; 32]);

impl fmt::Display for HexBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for HexBytes {
    type Err = TextError;

    fn from_str(text: &str) -> Result<HexBytes, TextError> {
        bytes_of(text).map(HexBytes).ok_or(TextError("64 hexadecimal digits are wanted"))
    }
}

text_serde!(HexBytes);

/// An Ed25519 signature: 64 bytes as 128 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema)]
#[schemars(with = "String")]
pub struct SignatureText(pub [u8; 64]);

impl fmt::Display for SignatureText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for SignatureText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<SignatureText, TextError> {
        bytes_of(text).map(SignatureText).ok_or(TextError("128 hexadecimal digits are wanted"))
    }
}

text_serde!(SignatureText);

/// The bytes of a text of hexadecimal digits, two for each.
fn bytes_of<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(bytes)
}
