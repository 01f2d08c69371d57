//! The parts of the index: sorted lists of games with their places.
//!
//! ```text
//! header   mark, archive, number, checksum (24)
//! blocks   frames of 3,276 games, fewer in the last:
//!          id (8) · segment (4) · position (4) · length (4)
//! summary  a frame: the first id of every block (8 each) · SHA-256 of all bytes before (32)
//! ```
//!
//! Numbers are little-endian. Nothing in a part is secret.

use std::ops::Range;

use flagfall_board::GameId;
use flagfall_store::segment::{FrameWriter, HEADER_BYTES, PREFIX_BYTES, Seal, parse_or_repair};
use sha2::{Digest as _, Sha256};
use tokio::sync::OnceCell;

use super::error::{ArchiveError, damaged};
use super::location::Location;
use super::manifest::PartLine;
use super::names;
use crate::bytes::Reader;
use crate::error::DecodeError;
use crate::front::read_game_id;
use crate::objects::ArchiveStore;

const BLOCK: u8 = 1;
const SUMMARY: u8 = 2;
/// The length of a line, which describes one game.
const LINE_BYTES: usize = 8 + Location::BYTES;
/// The number of games in a full block, which takes up at most 64 KiB.
pub(crate) const BLOCK_GAMES: usize = (64 * 1024 - FRAME_BYTES) / LINE_BYTES;
/// The length of a frame with an empty payload.
const FRAME_BYTES: usize = PREFIX_BYTES + 1;
/// The maximum number of games in a part. It limits the memory for merging parts.
pub(crate) const PART_GAMES: usize = 256 * BLOCK_GAMES;

/// A line of the index: a game and its place.
pub(crate) type Line = (GameId, Location);

/// Returns the position of a block in a part, if all blocks before it are full.
const fn block_at(nth: usize) -> usize {
    HEADER_BYTES + nth * (FRAME_BYTES + BLOCK_GAMES * LINE_BYTES)
}

fn blocks(games: u32) -> usize {
    (games as usize).div_ceil(BLOCK_GAMES)
}

/// Returns the position of the summary.
fn summary_at(games: u32) -> usize {
    HEADER_BYTES + blocks(games) * FRAME_BYTES + games as usize * LINE_BYTES
}

/// Builds a part from lines that are sorted by id. `None` if there are no lines.
pub(crate) fn write(seal: Seal, lines: &[Line]) -> Option<(Vec<u8>, PartLine)> {
    let (first, last) = (lines.first()?.0, lines.last()?.0);
    let mut frames = FrameWriter::new(seal, HEADER_BYTES as u64, Vec::new());
    for block in lines.chunks(BLOCK_GAMES) {
        frames.push(BLOCK, |out| {
            for (game, location) in block {
                out.extend_from_slice(&game.bits().to_le_bytes());
                out.extend_from_slice(&location.to_bytes());
            }
        });
    }
    let sum = hash(seal, frames.bytes());
    frames.push(SUMMARY, |out| {
        for (game, _) in lines.iter().step_by(BLOCK_GAMES) {
            out.extend_from_slice(&game.bits().to_le_bytes());
        }
        out.extend_from_slice(&sum);
    });
    let bytes = [&seal.header()[..], frames.bytes()].concat();
    let line =
        PartLine { number: seal.number, games: lines.len() as u32, first, last, bytes: bytes.len() as u32 };
    Some((bytes, line))
}

fn hash(seal: Seal, frames: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(seal.header()).chain_update(frames).finalize().into()
}

/// A part of the index. Only the bytes that are needed are read.
#[derive(Debug)]
pub(crate) struct Part {
    seal: Seal,
    pub(crate) line: PartLine,
    /// True if the part is small enough for all its lines to stay in memory.
    is_resident: bool,
    lines: OnceCell<Vec<Line>>,
    /// The first id of every block.
    firsts: OnceCell<Vec<GameId>>,
}

impl Part {
    pub(crate) fn new(seal: Seal, line: PartLine, is_resident: bool) -> Part {
        Part { seal, line, is_resident, lines: OnceCell::new(), firsts: OnceCell::new() }
    }

    /// Reads the data that is kept in memory.
    pub(crate) async fn load(&self, store: &dyn ArchiveStore) -> Result<(), ArchiveError> {
        if self.is_resident {
            self.keep_all(store).await?;
        } else {
            self.firsts.get_or_try_init(|| self.read_firsts(store)).await?;
        }
        Ok(())
    }

    /// Returns all lines, and keeps them in memory.
    pub(crate) async fn keep_all(&self, store: &dyn ArchiveStore) -> Result<&[Line], ArchiveError> {
        Ok(self.lines.get_or_try_init(|| self.read_all(store)).await?)
    }

    fn fault(&self, what: &'static str) -> ArchiveError {
        damaged(&names::index(self.line.number), what)
    }

    async fn read(&self, store: &dyn ArchiveStore, range: Range<usize>) -> Result<Vec<u8>, ArchiveError> {
        let range = range.start as u64..range.end as u64;
        Ok(store.get(&names::index(self.line.number), range).await?)
    }

    async fn read_firsts(&self, store: &dyn ArchiveStore) -> Result<Vec<GameId>, ArchiveError> {
        let at = summary_at(self.line.games);
        let bytes = self.read(store, at..self.line.bytes as usize).await?;
        Ok(self.parse_summary(at, &bytes)?.0)
    }

    fn parse_summary(&self, at: usize, bytes: &[u8]) -> Result<(Vec<GameId>, [u8; 32]), ArchiveError> {
        let frame = parse_or_repair(bytes, self.seal, at as u64).filter(|frame| frame.tag == SUMMARY);
        let frame = frame.ok_or_else(|| self.fault("its summary is damaged"))?;
        let mut reader = Reader::new(&frame.payload);
        let mut parse = || -> Result<_, DecodeError> {
            let firsts = (0..blocks(self.line.games)).map(|_| read_game_id(&mut reader));
            Ok((firsts.collect::<Result<Vec<_>, _>>()?, reader.array()?))
        };
        parse().map_err(|_| self.fault("its summary is damaged"))
    }

    fn parse_block(&self, at: usize, bytes: &[u8]) -> Result<Vec<Line>, ArchiveError> {
        let frame = parse_or_repair(bytes, self.seal, at as u64).filter(|frame| frame.tag == BLOCK);
        let frame = frame.ok_or_else(|| self.fault("a block is damaged"))?;
        let mut reader = Reader::new(&frame.payload);
        let mut lines = Vec::with_capacity(frame.payload.len() / LINE_BYTES);
        while reader.left() > 0 {
            let mut line = || Ok((read_game_id(&mut reader)?, Location::from_bytes(reader.array()?)));
            lines.push(line().map_err(|_: DecodeError| self.fault("a block is damaged"))?);
        }
        Ok(lines)
    }

    fn block_range(&self, nth: usize) -> Range<usize> {
        block_at(nth)..block_at(nth + 1).min(summary_at(self.line.games))
    }

    async fn block(&self, store: &dyn ArchiveStore, nth: usize) -> Result<Vec<Line>, ArchiveError> {
        let range = self.block_range(nth);
        self.parse_block(range.start, &self.read(store, range).await?)
    }

    /// Reads and checks the whole part.
    pub(crate) async fn read_all(&self, store: &dyn ArchiveStore) -> Result<Vec<Line>, ArchiveError> {
        let bytes = self.read(store, 0..self.line.bytes as usize).await?;
        let at = summary_at(self.line.games);
        let (before, summary) =
            bytes.split_at_checked(at).ok_or_else(|| self.fault("it has a wrong length"))?;
        let (firsts, sum) = self.parse_summary(at, summary)?;
        let mut lines = Vec::with_capacity(self.line.games as usize);
        for (nth, first) in firsts.iter().enumerate() {
            let range = self.block_range(nth);
            let block = self.parse_block(range.start, &before[range])?;
            if block.first().map(|(game, _)| game) != Some(first) {
                return Err(self.fault("its summary does not match"));
            }
            lines.extend(block);
        }
        let is_sorted = lines.is_sorted_by(|(one, _), (two, _)| one.bits() < two.bits());
        if !is_sorted || lines.len() != self.line.games as usize {
            return Err(self.fault("its games are not sorted"));
        }
        if before.get(..HEADER_BYTES) != Some(&self.seal.header()[..])
            || hash(self.seal, &before[HEADER_BYTES..]) != sum
        {
            return Err(self.fault("its hash does not match"));
        }
        Ok(lines)
    }

    /// True if the id is in the part's range of ids.
    pub(crate) fn covers(&self, game: GameId) -> bool {
        (self.line.first.bits()..=self.line.last.bits()).contains(&game.bits())
    }

    /// Looks up a game. `None` if it is not found, or if the part is not in memory.
    pub(crate) fn find_in_memory(&self, game: GameId) -> Option<Location> {
        let lines = self.lines.get().filter(|_| self.covers(game))?;
        find_in(lines, game).map(|(_, location)| location)
    }

    /// Looks up games. The ids must be sorted, so that each block is read at most once.
    pub(crate) async fn find(
        &self,
        store: &dyn ArchiveStore,
        games: &[GameId],
        found: &mut Vec<Line>,
    ) -> Result<(), ArchiveError> {
        self.load(store).await?;
        let mut block: Option<(usize, Vec<Line>)> = None;
        for game in games.iter().filter(|game| self.covers(**game)) {
            if let Some(lines) = self.lines.get() {
                found.extend(find_in(lines, *game));
                continue;
            }
            let firsts = self.firsts.get().map_or(&[][..], Vec::as_slice);
            let nth = firsts.partition_point(|first| first.bits() <= game.bits());
            // The id comes before the first block.
            let Some(nth) = nth.checked_sub(1) else { continue };
            if block.as_ref().is_none_or(|(read, _)| *read != nth) {
                block = Some((nth, self.block(store, nth).await?));
            }
            found.extend(block.as_ref().and_then(|(_, lines)| find_in(lines, *game)));
        }
        Ok(())
    }
}

fn find_in(lines: &[Line], game: GameId) -> Option<Line> {
    let nth = lines.binary_search_by_key(&game.bits(), |(game, _)| game.bits()).ok()?;
    lines.get(nth).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::FolderStore;

    const SEAL: Seal = Seal { store: 77, number: 3 };

    fn line(number: u64) -> Line {
        let location = Location { segment: number as u32, at: 24, length: 900 };
        (GameId::from_bits(number * 7 + 3).unwrap(), location)
    }

    #[tokio::test]
    async fn each_game_is_in_its_block() {
        let folder = tempfile::TempDir::new().unwrap();
        let store = FolderStore::open(folder.path()).unwrap();
        let lines: Vec<Line> = (0..2 * BLOCK_GAMES as u64 + 1).map(line).collect();
        let (bytes, part_line) = write(SEAL, &lines).unwrap();
        assert!(bytes.len() < lines.len() * LINE_BYTES + 1_000);
        assert!(block_at(1) - block_at(0) <= 64 * 1024);
        store.put_if_absent(&names::index(3), bytes.clone()).await.unwrap();
        let part = Part::new(SEAL, part_line, false);
        assert_eq!(part.read_all(&store).await.unwrap(), lines);
        let last = lines.len() - 1;
        let edges = [0, 1, BLOCK_GAMES - 1, BLOCK_GAMES, 2 * BLOCK_GAMES - 1, 2 * BLOCK_GAMES, last];
        for nth in edges {
            let mut found = Vec::new();
            part.find(&store, &[lines[nth].0], &mut found).await.unwrap();
            assert_eq!(found, [lines[nth]]);
        }
        let mut found = Vec::new();
        let all: Vec<GameId> = lines.iter().map(|(game, _)| *game).collect();
        part.find(&store, &all, &mut found).await.unwrap();
        assert_eq!(found, lines);
        for absent in [0, 4, 7 * BLOCK_GAMES as u64 + 2, u64::from(u32::MAX)] {
            let mut found = Vec::new();
            part.find(&store, &[GameId::from_bits(absent).unwrap()], &mut found).await.unwrap();
            assert_eq!(found, []);
        }

        // The other blocks can be read if one is damaged.
        let mut damaged = bytes;
        damaged[block_at(1) + 100..block_at(1) + 200].fill(0x55);
        store.delete(&names::index(3)).await.unwrap();
        store.put_if_absent(&names::index(3), damaged).await.unwrap();
        let find = async |nth: usize| part.find(&store, &[lines[nth].0], &mut Vec::new()).await;
        assert!(find(0).await.is_ok() && find(last).await.is_ok());
        assert!(find(BLOCK_GAMES).await.unwrap_err().is_damage());
        assert!(part.read_all(&store).await.unwrap_err().is_damage());
    }
}
