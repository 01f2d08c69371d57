//! The list of public games. Each record `public/AGE/GAME`, called a line, is the summary of a
//! running game. Lines are sorted from the newest game to the oldest.
//!
//! A server shows the games in its memory and the newest lines, which it reads every few seconds.
//! So it opens no game to show the list, and every server lists the same games. The server that has
//! a game in memory writes the game's line before the game rests. While the game is in memory, the
//! line is also written every half minute, except for a game on a live clock if there are no other
//! servers. Plies do not update the line. The end of a game deletes its line. A server of version
//! 0.1 that ends a game on a live clock does not delete the line, so lines without a running game
//! are deleted when they are found.

use std::collections::{HashMap, HashSet};

use flagfall_board::{GameId, PerSide, Ply, Stamp};
use flagfall_protocol::{GameSummary, Phase, Player};
use flagfall_store::{Key, Write};

use super::header::GameHeader;
use flagfall_base::keys::{PUBLIC, time16};

/// The number of lines that are read. It is larger than the number that any list shows, because
/// some of these games may have just ended.
pub(super) const LINES_MAX: usize = 128;
/// A time later than the start of any game. A key contains this time minus the start of the game,
/// so the newest game comes first.
const END_OF_TIME_MS: u64 = 9_999_999_999_999_999;
pub(super) fn line_key(game: GameId, header: &GameHeader, created: Stamp) -> Option<Key> {
    let age = END_OF_TIME_MS.saturating_sub(created.0);
    PUBLIC.key([&time16(Stamp(age)), &game]).ok().filter(|_| !header.terms.private)
}

pub(super) fn opening_line(header: &GameHeader, game: &GameSummary) -> Option<Write> {
    let key = line_key(game.id, header, Stamp(game.created))?;
    Some(Write::Put { key, value: serde_json::to_vec(game).ok()?, expires: None })
}

/// Returns the write that deletes a game's line when the game ends.
pub(super) fn closing(game: GameId, header: &GameHeader, created: Stamp) -> Option<Write> {
    Some(Write::Delete { key: line_key(game, header, created)? })
}

/// Returns a game's progress as a value that grows during the game.
pub(super) fn progress_of(phase: Phase, ply: Ply) -> (bool, Ply) {
    (phase != Phase::Deploying, ply)
}

/// The lines that were last read, and the summaries of games that have gone to rest since then.
#[derive(Default, Debug)]
pub(super) struct PublicGames {
    read: Vec<GameSummary>,
    /// Games that have gone to rest recently. Each is stored with the number of reads that had
    /// begun before it went to rest.
    rested: Vec<(u64, GameSummary)>,
    reads: u64,
}

impl PublicGames {
    /// Records the start of a read. The read may miss games that go to rest after this moment.
    pub(super) fn begin_reading(&mut self) {
        self.reads += 1;
    }

    pub(super) fn replace(&mut self, read: Vec<GameSummary>) {
        self.read = read;
        self.rested.retain(|(reads, _)| *reads >= self.reads);
    }

    /// Returns the known lines that are missing in `read` because their games cannot be read now.
    pub(super) fn missed(&self, read: &[GameSummary], is_away: impl Fn(GameId) -> bool) -> Vec<GameSummary> {
        let read: HashSet<GameId> = read.iter().map(|game| game.id).collect();
        self.read.iter().filter(|game| !read.contains(&game.id) && is_away(game.id)).cloned().collect()
    }

    /// Returns the players of the games whose lines were read, with the names that were looked up
    /// for them.
    pub(super) fn players(&self) -> impl Iterator<Item = (GameId, PerSide<Player>)> {
        self.read.iter().map(|game| (game.id, game.players.clone()))
    }

    pub(super) fn note_rest(&mut self, game: GameSummary) {
        self.rested.retain(|(_, rested)| rested.id != game.id);
        self.rested.push((self.reads, game));
        // Drop the oldest game, because lists show only the newest.
        if self.rested.len() > LINES_MAX
            && let Some(oldest) = (0..self.rested.len()).min_by_key(|at| self.rested[*at].1.created)
        {
            self.rested.swap_remove(oldest);
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &GameSummary> {
        let rested = self.rested.iter().map(|(_, game)| game);
        let of_each: HashMap<GameId, &GameSummary> =
            self.read.iter().chain(rested).map(|game| (game.id, game)).collect();
        of_each.into_values()
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
    fn games_that_cannot_be_read_keep_their_lines() {
        let mut games = PublicGames::default();
        games.replace(vec![game(1, 5), game(2, 5), game(3, 5)]);
        let read = vec![game(1, 6)];
        let missed = games.missed(&read, |id| id == game(1, 0).id || id == game(2, 0).id);
        assert_eq!(missed, [game(2, 5)], "the third one has ended");
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
