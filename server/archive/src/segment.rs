//! Segments: objects with up to 4,096 archived games each.
//!
//! A segment consists of checksummed frames, as in `flagfall_store::segment`. There is one frame
//! for each game, one for the footer, and one for the end.
//!
//! ```text
//! header  mark, archive, number, checksum (24)
//! games   a frame each, whose payload is the encoded game
//! footer  a frame: for each game, sorted by id, id (8) · place (4) · length (4) · hash (8)
//! end     a frame: place of the footer (4) · its length (4) · SHA-256 of all bytes before (32)
//! ```
//!
//! Numbers are little-endian. A place is the position of a frame, and a length is the length of
//! the whole frame. A hash is the beginning of the SHA-256 of the encoded game. Where a game was
//! removed, there may be a frame of zeros. A reader that knows a game's place needs one read.
//! Other readers read the end, the footer and the game.

use std::collections::BTreeMap;
use std::ops::Range;

use flagfall_board::GameId;
use flagfall_store::SecretBytes;
use flagfall_store::segment::{FrameWriter, HEADER_BYTES, PREFIX_BYTES, Seal, parse_or_repair};
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::bytes::Reader;
use crate::error::DecodeError;
use crate::front::read_game_id;
use crate::game::Encoded;
use crate::objects::{ArchiveStore, ObjectError, ObjectName};

/// The maximum number of games in a segment.
pub const GAMES_MAX: usize = 4_096;
/// The maximum length of a segment before its footer. A segment with only one game may be longer.
pub const BYTES_MAX: usize = 8 * 1024 * 1024;

const GAME: u8 = 1;
const FOOTER: u8 = 2;
const END: u8 = 3;
/// A frame of zeros that replaces a removed game.
const REMOVED: u8 = 4;

/// The length of a game's line in the footer.
const LINE_BYTES: usize = 8 + 4 + 4 + 8;
/// The length of a frame with an empty payload.
const FRAME_BYTES: usize = PREFIX_BYTES + 1;
/// The length of the last frame.
const END_BYTES: usize = FRAME_BYTES + 4 + 4 + 32;

/// The place of a game in a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The position of the game's frame.
    pub at: u32,
    /// The length of the game's frame.
    pub length: u32,
    /// The first bytes of the SHA-256 of the encoded game.
    pub hash: [u8; 8],
}

impl Place {
    fn range(&self) -> Range<u64> {
        u64::from(self.at)..u64::from(self.at) + u64::from(self.length)
    }
}

/// Why a segment cannot be read.
#[derive(Debug, Error)]
pub enum SegmentError {
    /// The object cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The segment is damaged. `what` quotes nothing from the segment.
    #[error("the segment is damaged: {what}")]
    Damaged {
        /// What is damaged.
        what: &'static str,
    },
    /// The bytes of a game are damaged.
    #[error("game {game} is damaged")]
    Game {
        /// The game.
        game: GameId,
    },
}

const fn damaged(what: &'static str) -> SegmentError {
    SegmentError::Damaged { what }
}

impl From<DecodeError> for SegmentError {
    fn from(_: DecodeError) -> SegmentError {
        damaged("its footer cannot be read")
    }
}

/// Builds a segment in memory.
#[derive(Debug)]
pub struct SegmentWriter {
    seal: Seal,
    frames: FrameWriter,
    games: BTreeMap<u64, (GameId, Place)>,
}

impl SegmentWriter {
    /// Begins a segment. Each segment of an archive must have a different number.
    #[must_use]
    pub fn new(seal: Seal) -> SegmentWriter {
        let frames = FrameWriter::new(seal, HEADER_BYTES as u64, Vec::new());
        SegmentWriter { seal, frames, games: BTreeMap::new() }
    }

    /// Adds a game. Returns false and changes nothing if the segment is full or already has a
    /// game with this id.
    pub fn add(&mut self, game: GameId, encoded: &Encoded) -> bool {
        let end = self.frames.end() as usize + FRAME_BYTES + encoded.len();
        let is_full = self.games.len() >= GAMES_MAX || end > BYTES_MAX && !self.games.is_empty();
        if is_full || self.games.contains_key(&game.bits()) {
            return false;
        }
        let (at, length) = self.frames.push(GAME, |out| out.extend_from_slice(encoded.expose()));
        let place = Place { at: at as u32, length, hash: hash(encoded.expose()) };
        self.games.insert(game.bits(), (game, place));
        true
    }

    /// Returns the number of games that were added.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// Ends the segment. Returns its bytes and the places of the games, sorted by id.
    #[must_use]
    pub fn finish(self) -> (SecretBytes, Vec<(GameId, Place)>) {
        let games: Vec<_> = self.games.into_values().collect();
        (finish(self.seal, self.frames, &games), games)
    }
}

/// Adds the footer and the last frame. Returns the bytes of the segment.
fn finish(seal: Seal, mut frames: FrameWriter, games: &[(GameId, Place)]) -> SecretBytes {
    let (at, length) = frames.push(FOOTER, |out| {
        for (game, Place { at, length, hash }) in games {
            out.extend_from_slice(&game.bits().to_le_bytes());
            out.extend_from_slice(&at.to_le_bytes());
            out.extend_from_slice(&length.to_le_bytes());
            out.extend_from_slice(hash);
        }
    });
    let header = seal.header();
    let sum: [u8; 32] = Sha256::new().chain_update(header).chain_update(frames.bytes()).finalize().into();
    frames.push(END, |out| {
        out.extend_from_slice(&(at as u32).to_le_bytes());
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&sum);
    });
    SecretBytes::new([&header[..], frames.bytes()].concat())
}

/// Returns a segment without some of its games. The removed games are replaced with zeros, so the
/// other games keep their places.
///
/// # Errors
/// The first damage in the segment.
pub(crate) fn without(
    seal: Seal,
    bytes: &[u8],
    is_removed: impl Fn(GameId) -> bool,
) -> Result<SecretBytes, SegmentError> {
    let mut kept = Vec::new();
    let mut games = check(seal, bytes, |game, encoded| kept.push((game, encoded)))?;
    games.retain(|(game, _)| !is_removed(*game));
    kept.retain(|(game, _)| !is_removed(*game));
    let mut in_order: Vec<_> = games.iter().map(|(_, place)| *place).zip(kept).collect();
    in_order.sort_unstable_by_key(|(place, _)| place.at);
    let mut frames = FrameWriter::new(seal, HEADER_BYTES as u64, Vec::new());
    for (place, (game, encoded)) in in_order {
        fill(&mut frames, place.at.into());
        let (at, _) = frames.push(GAME, |out| out.extend_from_slice(encoded.expose()));
        if at != u64::from(place.at) {
            return Err(SegmentError::Game { game });
        }
    }
    Ok(finish(seal, frames, &games))
}

/// Fills the space of removed games with zeros, up to the position of the next game.
fn fill(frames: &mut FrameWriter, to: u64) {
    let gap = to.saturating_sub(frames.end()) as usize;
    if let Some(zeros) = gap.checked_sub(FRAME_BYTES) {
        frames.push(REMOVED, |out| out.resize(out.len() + zeros, 0));
    }
}

fn hash(encoded: &[u8]) -> [u8; 8] {
    let sum: [u8; 32] = Sha256::digest(encoded).into();
    let [a, b, c, d, e, f, g, h, ..] = sum;
    [a, b, c, d, e, f, g, h]
}

/// A segment whose footer has been read.
#[derive(Clone, Debug)]
pub struct Segment {
    name: ObjectName,
    seal: Seal,
    /// Sorted by id.
    games: Vec<(GameId, Place)>,
}

impl Segment {
    /// Reads the footer of a segment.
    ///
    /// # Errors
    /// [`SegmentError`] if the segment cannot be read, or its footer is damaged.
    pub async fn open(
        store: &dyn ArchiveStore,
        name: &ObjectName,
        seal: Seal,
    ) -> Result<Segment, SegmentError> {
        let length = store.length(name).await?.ok_or_else(|| ObjectError::Absent(name.clone()))?;
        let end = length.checked_sub(END_BYTES as u64).ok_or(damaged("it is too short"))?;
        let last = store.get(name, end..length).await?;
        let (footer, _) = read_end(seal, end, &last)?;
        if footer.end != end {
            return Err(damaged("its footer is not before its end"));
        }
        let frame = store.get(name, footer.clone()).await?;
        let games = read_footer(seal, footer.start, &frame)?;
        Ok(Segment { name: name.clone(), seal, games })
    }

    /// Returns the games of the segment with their places, sorted by id.
    #[must_use]
    pub fn games(&self) -> &[(GameId, Place)] {
        &self.games
    }

    /// Reads a game. Returns `None` if the game is not in the segment.
    ///
    /// # Errors
    /// [`SegmentError`] if the game cannot be read, or is damaged.
    pub async fn read(
        &self,
        store: &dyn ArchiveStore,
        game: GameId,
    ) -> Result<Option<SecretBytes>, SegmentError> {
        let found = self.games.binary_search_by_key(&game.bits(), |(game, _)| game.bits());
        let Ok(nth) = found else { return Ok(None) };
        read_at(store, &self.name, self.seal, game, self.games[nth].1).await.map(Some)
    }
}

/// Reads a game at a known place, which takes one ranged read. Repairs a single flipped bit in a
/// game of at most 2 KiB.
///
/// # Errors
/// [`SegmentError`] if the game cannot be read, or is damaged.
pub async fn read_at(
    store: &dyn ArchiveStore,
    name: &ObjectName,
    seal: Seal,
    game: GameId,
    place: Place,
) -> Result<SecretBytes, SegmentError> {
    let bytes = store.get(name, place.range()).await?;
    game_in(seal, game, place, &bytes)
}

/// Reads a game whose frame is known. Unlike [`read_at`], does not need the game's hash.
pub(crate) async fn read_frame(
    store: &dyn ArchiveStore,
    name: &ObjectName,
    seal: Seal,
    game: GameId,
    at: u32,
    length: u32,
) -> Result<SecretBytes, SegmentError> {
    let bytes = store.get(name, u64::from(at)..u64::from(at) + u64::from(length)).await?;
    let frame = parse_or_repair(&bytes, seal, at.into())
        .filter(|frame| frame.tag == GAME && frame.length == length)
        .ok_or(SegmentError::Game { game })?;
    Ok(SecretBytes::new(frame.payload.into_owned()))
}

/// Parses the frame of a game.
fn game_in(seal: Seal, game: GameId, place: Place, bytes: &[u8]) -> Result<SecretBytes, SegmentError> {
    let frame = parse_or_repair(bytes, seal, place.at.into())
        .filter(|frame| frame.tag == GAME && frame.length == place.length)
        .ok_or(SegmentError::Game { game })?;
    if hash(&frame.payload) != place.hash {
        return Err(SegmentError::Game { game });
    }
    Ok(SecretBytes::new(frame.payload.into_owned()))
}

/// Checks a whole segment: its SHA-256, its footer, and each game. Calls `each` with every game
/// that can be read. Returns the places of all games, sorted by id.
///
/// # Errors
/// The first damage. If only games are damaged, `each` was called with all other games.
pub fn check(
    seal: Seal,
    bytes: &[u8],
    mut each: impl FnMut(GameId, SecretBytes),
) -> Result<Vec<(GameId, Place)>, SegmentError> {
    let (before, last) = bytes.split_last_chunk::<END_BYTES>().ok_or(damaged("it is too short"))?;
    let (footer, sum) = read_end(seal, before.len() as u64, last)?;
    if Seal::of_header(before) != Some(seal) {
        return Err(damaged("its header is damaged or of another segment"));
    }
    let slice = |range: Range<u64>| before.get(range.start as usize..range.end as usize);
    let frame = slice(footer.clone()).ok_or(damaged("its footer is outside"))?;
    let games = read_footer(seal, footer.start, frame)?;
    let mut fault = None;
    for (game, place) in &games {
        match slice(place.range()).map(|bytes| game_in(seal, *game, *place, bytes)) {
            Some(Ok(encoded)) => each(*game, encoded),
            Some(Err(_)) | None => fault = fault.or(Some(SegmentError::Game { game: *game })),
        }
    }
    if let Some(fault) = fault {
        return Err(fault);
    }
    if <[u8; 32]>::from(Sha256::digest(before)) != sum {
        return Err(damaged("its hash does not match"));
    }
    Ok(games)
}

/// Parses the last frame. Returns the range of the footer, and the SHA-256 of all bytes before
/// this frame.
fn read_end(seal: Seal, at: u64, bytes: &[u8]) -> Result<(Range<u64>, [u8; 32]), SegmentError> {
    let frame = parse_or_repair(bytes, seal, at).filter(|frame| frame.tag == END);
    let frame = frame.ok_or(damaged("its end is damaged"))?;
    let mut reader = Reader::new(&frame.payload);
    let (start, length) = (u32::from_le_bytes(reader.array()?), u32::from_le_bytes(reader.array()?));
    let start = u64::from(start);
    Ok((start..start + u64::from(length), reader.array()?))
}

fn read_footer(seal: Seal, at: u64, bytes: &[u8]) -> Result<Vec<(GameId, Place)>, SegmentError> {
    let frame = parse_or_repair(bytes, seal, at).filter(|frame| frame.tag == FOOTER);
    let frame = frame.ok_or(damaged("its footer is damaged"))?;
    let mut reader = Reader::new(&frame.payload);
    let mut games = Vec::with_capacity(frame.payload.len() / LINE_BYTES);
    while reader.left() > 0 {
        let game = read_game_id(&mut reader)?;
        let (at, length) = (u32::from_le_bytes(reader.array()?), u32::from_le_bytes(reader.array()?));
        games.push((game, Place { at, length, hash: reader.array()? }));
    }
    if !games.is_sorted_by_key(|(game, _)| game.bits()) {
        return Err(damaged("its footer is not sorted"));
    }
    Ok(games)
}
