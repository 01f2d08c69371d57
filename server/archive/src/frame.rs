//! The parts that all formats share. A game begins with a byte for the format and the game's id.
//! It ends with the head of the log, the signature and the checksum.

use flagfall_board::GameId;
use flagfall_protocol::{RecordSignature, SignatureText};
use flagfall_store::{Hash, Head, ReadError, SecretBytes, Store, StoredEntry};
use sha2::{Digest as _, Sha256};

use crate::binary::{self, NotBinary};
use crate::bytes::Reader;
use crate::error::{DecodeError, ENDS_EARLY, Refused};
use crate::front::read_game_id;
use crate::game::{Encoded, Log};
use crate::plain;

const PLAIN: u8 = 0;
const BINARY: u8 = 1;

const CHECKSUM_BYTES: usize = 4;
const HASH_BYTES: usize = 32;
/// The id of the key, and the signature.
const SIGNATURE_BYTES: usize = 8 + 64;

/// Encodes the log of a game, with the server's signature of the result. The log must be complete.
///
/// # Errors
/// [`Refused`] if the signature does not have the form of a signature, or if compression fails.
pub fn encode(
    game: GameId,
    log: &[StoredEntry],
    signature: Option<&RecordSignature>,
) -> Result<Encoded, Refused> {
    let (format, content) = match binary::encode(game, log) {
        Ok(content) => (BINARY, content),
        Err(NotBinary) => (PLAIN, plain::encode(log).map_err(|_| Refused::Compression)?),
    };
    let head = log.iter().fold(Head::START, |head, stored| head.then(game, &stored.body));
    let mut bytes = vec![format];
    bytes.extend_from_slice(&game.bits().to_le_bytes());
    bytes.extend_from_slice(&content.bytes);
    bytes.extend_from_slice(&head.hash.0);
    if let Some(signature) = signature {
        bytes.extend_from_slice(&signature_bytes(signature).ok_or(Refused::Key)?);
    }
    let checksum = checksum(&bytes, content.bodies.iter());
    bytes.extend_from_slice(&checksum);
    Ok(Encoded { bytes: SecretBytes::new(bytes), head })
}

/// Decodes an archived game.
///
/// Never panics. The memory that it needs is proportional to the number of bytes, plus at most 16
/// MiB for the compressed format.
///
/// # Errors
/// [`DecodeError`] if the bytes are damaged, or if this version does not support them.
pub fn decode(bytes: &[u8]) -> Result<Log, DecodeError> {
    let (covered, wanted) = bytes.split_last_chunk::<CHECKSUM_BYTES>().ok_or(ENDS_EARLY)?;
    let mut reader = Reader::new(covered);
    let format = reader.byte()?;
    let game = read_game_id(&mut reader)?;
    let entries = match format {
        PLAIN => plain::decode(&mut reader)?,
        BINARY => binary::decode(game, &mut reader)?,
        newer => return Err(DecodeError::NewerFormat(newer)),
    };
    let head = Head { seq: entries.len() as u64, hash: Hash(reader.array::<HASH_BYTES>()?) };
    let signature = match reader.left() {
        0 => None,
        SIGNATURE_BYTES => read_signature(&reader.array::<SIGNATURE_BYTES>()?),
        _ => return Err(DecodeError::Damaged("its end has a wrong length")),
    };
    let bodies = entries.iter().skip(1).map(|entry| &entry.body);
    if checksum(covered, bodies) != *wanted {
        return Err(DecodeError::Checksum);
    }
    Ok(Log { game, entries, head, signature })
}

/// Returns the id of the key and the signature as bytes. `None` if the id is not 16 hexadecimal
/// digits.
pub(crate) fn signature_bytes(signature: &RecordSignature) -> Option<Vec<u8>> {
    Some([&key_bytes(&signature.key)?[..], &signature.value.0].concat())
}

/// Parses the bytes that [`signature_bytes`] returned.
fn read_signature(bytes: &[u8]) -> Option<RecordSignature> {
    let (key, value) = bytes.split_first_chunk()?;
    let value = SignatureText(value.try_into().ok()?);
    Some(RecordSignature { key: format!("{:016x}", u64::from_be_bytes(*key)), value })
}

/// Returns the signature of an archived game. `None` if the game is not archived or has no
/// signature.
///
/// # Errors
/// [`ReadError`] if the store or the archive cannot be read.
pub async fn archived_signature(
    store: &dyn Store,
    game: GameId,
) -> Result<Option<RecordSignature>, ReadError> {
    Ok(store.archived_signature(game).await?.and_then(|bytes| read_signature(&bytes)))
}

/// Returns the id of a key as bytes. The id must be 16 lowercase hexadecimal digits.
fn key_bytes(key: &str) -> Option<[u8; 8]> {
    let number = u64::from_str_radix(key, 16).ok()?;
    (format!("{number:016x}") == key).then(|| number.to_be_bytes())
}

/// Returns the first bytes of a SHA-256 over the encoded bytes and the decoded bodies.
fn checksum<'a>(bytes: &[u8], bodies: impl Iterator<Item = &'a SecretBytes>) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = Sha256::new();
    hasher.update(b"flagfall archive 1\0");
    hasher.update((bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
    for body in bodies {
        hasher.update((body.len() as u64).to_le_bytes());
        hasher.update(body.expose());
    }
    let sum: [u8; 32] = hasher.finalize().into();
    let [a, b, c, d, ..] = sum;
    [a, b, c, d]
}
