//! The list of public games: `public/AGE/GAME` is the summary of a running game, newest first.
//!
//! A server shows the games in its memory and the newest of these lines, which it reads every few
//! seconds. So it opens no game to show a list, and every server lists the same games. The server
//! that has a game in memory writes its line before the game rests. While the game is in memory,
//! the line is also written every half a minute if there may be other servers or the clock is slow.
//! A ply writes nothing. The end of a game deletes its line. Version 0.1 does not know the lines of
//! games on live clocks, so lines without a game are deleted.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flagfall_board::{GameId, PerSide, Ply, Stamp};
use flagfall_protocol::{GameSummary, Phase, Player};
use flagfall_store::{Expect, Key, StoreError, Update, UpdateOutcome, Write};
use futures_util::StreamExt as _;

use super::actor::{Shared, TableHandle};
use super::header::GameHeader;
use super::listing::{Listing, live_key};
use super::registry::Tables;
use flagfall_base::keys::{PUBLIC, Time16};
use flagfall_base::names::players_today;

/// Lines that are read: more than any list shows, because some belong to games that have just
/// ended.
const LINES_MAX: usize = 128;
/// A moment after all games. A key counts back from it, so that the newest game comes first.
const END_OF_TIME_MS: u64 = 9_999_999_999_999_999;
/// Games whose lines or players are looked up at once.
const AT_ONCE: usize = 16;

/// The key of a game's line; `None` for a private game.
fn line_key(game: GameId, header: &GameHeader, created: Stamp) -> Option<Key> {
    let age = END_OF_TIME_MS.saturating_sub(created.0);
    PUBLIC.key([&Time16(Stamp(age)), &game]).ok().filter(|_| !header.terms.private)
}

/// Writes the first line of a game.
pub(super) fn opening_line(header: &GameHeader, game: &GameSummary) -> Option<Write> {
    let key = line_key(game.id, header, Stamp(game.created))?;
    Some(Write::Put { key, value: serde_json::to_vec(game).ok()?, expires: None })
}

/// Deletes the line of a game that ends.
pub(super) fn closing(game: GameId, header: &GameHeader, created: Stamp) -> Option<Write> {
    Some(Write::Delete { key: line_key(game, header, created)? })
}

/// A game's progress, as a value that grows.
pub(super) fn progress_of(phase: Phase, ply: Ply) -> (bool, Ply) {
    (phase != Phase::Deploying, ply)
}

/// The lines as they were last read, and those of games that have gone to rest since.
#[derive(Default, Debug)]
pub(super) struct PublicGames {
    read: Vec<GameSummary>,
    /// Games that have gone to rest since the last read began.
    rested: Vec<GameSummary>,
    /// Games that went to rest before that read began.
    rested_before: Vec<GameSummary>,
}

impl PublicGames {
    /// Begins a read, which may miss games that go to rest from now on.
    fn begin_reading(&mut self) {
        for game in std::mem::take(&mut self.rested) {
            keep(&mut self.rested_before, game);
        }
    }

    /// Takes over what was read.
    fn replace(&mut self, read: Vec<GameSummary>) {
        self.read = read;
        self.rested_before.clear();
    }

    /// Notes that a game goes to rest.
    pub(super) fn note_rest(&mut self, game: GameSummary) {
        keep(&mut self.rested, game);
    }

    /// Each game once, as it was last known.
    pub(super) fn iter(&self) -> impl Iterator<Item = &GameSummary> {
        let of_each: HashMap<GameId, &GameSummary> = self
            .read
            .iter()
            .chain(&self.rested_before)
            .chain(&self.rested)
            .map(|game| (game.id, game))
            .collect();
        of_each.into_values()
    }
}

/// Adds a game to a list that holds each game once and only the newest.
fn keep(games: &mut Vec<GameSummary>, game: GameSummary) {
    games.retain(|kept| kept.id != game.id);
    games.push(game);
    if games.len() > LINES_MAX
        && let Some(oldest) = (0..games.len()).min_by_key(|at| games[*at].created)
    {
        games.swap_remove(oldest);
    }
}

/// Guard that says, while it exists, that a line is being written.
struct Noting(Arc<Shared>);

impl Drop for Noting {
    fn drop(&mut self) {
        self.0.is_noting.store(false, Ordering::Relaxed);
    }
}

impl Tables {
    pub(super) fn public_games(&self) -> MutexGuard<'_, PublicGames> {
        let public_games: &Mutex<PublicGames> = &self.inner.public_games;
        public_games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the newest lines and looks up the players' current names; of unchanged lines only if
    /// `is_thorough`.
    ///
    /// # Errors
    /// [`StoreError`]: what was known stays.
    pub(super) async fn read_public_games(&self, is_thorough: bool) -> Result<(), StoreError> {
        self.public_games().begin_reading();
        let records = self.store().scan(PUBLIC.all()?, None, LINES_MAX).await?;
        let mut lines: Vec<GameSummary> = Vec::with_capacity(records.len());
        for (key, value) in records {
            // A line of another version may not parse; other servers show it.
            let Ok(line) = serde_json::from_slice::<GameSummary>(&value) else { continue };
            if !(is_thorough && self.clear_line(key, line.id).await?) {
                lines.push(line);
            }
        }
        let mut known: HashMap<GameId, PerSide<Player>> = HashMap::new();
        if !is_thorough {
            known.extend(self.public_games().read.iter().map(|game| (game.id, game.players.clone())));
        }
        let lines = lines.into_iter().map(|mut line| {
            let known = known.remove(&line.id);
            async move {
                line.players = match known {
                    Some(players) => players,
                    None => players_today(self.store(), &line.players).await,
                };
                line
            }
        });
        let read = futures_util::stream::iter(lines).buffered(AT_ONCE).collect().await;
        self.public_games().replace(read);
        Ok(())
    }

    /// Deletes a line whose game does not run; true if it did.
    async fn clear_line(&self, key: Key, game: GameId) -> Result<bool, StoreError> {
        let Some(live) = live_key(game) else { return Ok(false) };
        if self.handle(game).is_some() || self.store().get(live.clone()).await?.is_some() {
            return Ok(false);
        }
        let conditions = vec![(live, Expect::Absent)];
        let writes = vec![Write::Delete { key }];
        Ok(self.store().update(Update { conditions, writes }).await? == UpdateOutcome::Ok)
    }

    /// Writes the lines of games in memory that have progressed and that others would miss.
    pub(super) async fn note_lines(&self) {
        let is_missed = |handle: &TableHandle| self.seats().is_some() || handle.shared.header.is_slow();
        let handles = self.running_handles().into_iter();
        let handles = handles.filter(|handle| is_missed(handle) && handle.shared.has_gone_on());
        let noted = handles.map(|handle| async move { self.note_line(handle.id(), &handle.shared).await });
        let mut noted = futures_util::stream::iter(noted).buffer_unordered(AT_ONCE);
        while let Some(noted) = noted.next().await {
            if let Err(error) = noted {
                tracing::debug!(%error, "could not update the list of public games; trying again");
            }
        }
    }

    /// Writes a game's line in the background if the game has progressed.
    pub(super) fn note_line_soon(&self, game: GameId, shared: &Arc<Shared>) {
        if !shared.has_gone_on() || shared.is_noting.swap(true, Ordering::Relaxed) {
            return;
        }
        let (tables, noting) = (self.clone(), Noting(shared.clone()));
        tokio::spawn(async move {
            if let Err(error) = tables.note_line(game, &noting.0).await {
                tracing::debug!(%game, %error, "could not update the list of public games; the game stays in memory until then");
            }
        });
    }

    /// Writes who is away from a game and its progress, unless the lists say so already. Writes
    /// nothing for a game that is not on the list of running games.
    pub(super) async fn note_line(&self, game: GameId, shared: &Shared) -> Result<(), StoreError> {
        let Some(live) = live_key(game) else { return Ok(()) };
        let (summary, absence) = (shared.summary(game), shared.absence());
        let progress = progress_of(summary.phase, summary.ply);
        let mut update = Update::default();
        if let Some(listed) = self.store().get(live.clone()).await? {
            update.conditions.push((live, Expect::Value(listed.clone())));
            let listing = Listing::read(&listed).filter(|listing| !listing.absence.is_like(&absence));
            let replaced = listing.and_then(|listing| (Listing { absence, ..listing }).replace(game, listed));
            update.writes.extend(replaced.into_iter().flat_map(|replaced| replaced.writes));
            if let Some(key) = line_key(game, &shared.header, shared.created) {
                let before = self.store().get(key.clone()).await?;
                let known =
                    before.as_deref().and_then(|line| serde_json::from_slice::<GameSummary>(line).ok());
                if known.is_none_or(|known| progress_of(known.phase, known.ply) < progress) {
                    let value = serde_json::to_vec(&summary).unwrap_or_default();
                    update.conditions.push((key.clone(), before.map_or(Expect::Absent, Expect::Value)));
                    update.writes.push(Write::Put { key, value, expires: None });
                }
            }
        }
        // On a conflict, another server has written it, the game's due has moved on, or the game is
        // over. It is tried again then.
        if update.writes.is_empty() || self.store().update(update).await? == UpdateOutcome::Ok {
            shared.note_progress(progress);
            shared.note_absence(absence);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::harness::header;
    use super::*;

    fn game(number: u8, ply: Ply) -> GameSummary {
        let GameHeader { terms, players, .. } = header("classic");
        let mut bytes = [number & 31; 12];
        bytes[0] = number >> 5;
        let (id, created) = (GameId::from_random(bytes), u64::from(number));
        GameSummary { id, terms, players, created, phase: Phase::Playing, ply, turn: None, outcome: None }
    }

    fn plies(games: &PublicGames) -> Vec<(u64, Ply)> {
        let mut plies: Vec<_> = games.iter().map(|game| (game.created, game.ply)).collect();
        plies.sort_unstable();
        plies
    }

    #[test]
    fn a_game_that_goes_to_rest_while_lines_are_read_is_not_missed() {
        let mut games = PublicGames::default();
        games.note_rest(game(1, 5));
        games.begin_reading();
        games.note_rest(game(2, 7));
        assert_eq!(plies(&games), [(1, 5), (2, 7)], "shown while it is read");
        games.replace(vec![game(1, 6)]);
        assert_eq!(plies(&games), [(1, 6), (2, 7)]);
        games.begin_reading();
        games.replace(vec![game(1, 6)]);
        assert_eq!(plies(&games), [(1, 6)], "the next reading knows better");
    }

    #[test]
    fn readings_that_fail_lose_nothing_and_keep_a_bounded_number() {
        let mut games = PublicGames::default();
        for number in 0..=200 {
            games.note_rest(game(number, 0));
            games.begin_reading();
        }
        let kept = plies(&games);
        assert_eq!((kept.len(), kept[0].0), (LINES_MAX, 201 - LINES_MAX as u64), "the newest");
    }

    #[test]
    fn lines_stand_with_the_newest_first_and_private_games_have_none() {
        let id = GameId::from_random([7; 12]);
        let mut header = header("classic");
        let keys = [1_764_000_000_001, 1_764_000_000_000, 5]
            .map(|created| line_key(id, &header, Stamp(created)).unwrap());
        assert!(keys.is_sorted());
        header.terms.private = true;
        assert_eq!(line_key(id, &header, Stamp(5)), None);
    }
}
