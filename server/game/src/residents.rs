//! The games that this server has in memory or is creating, and the number of running games.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use flagfall_base::cluster::Seats;
use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_store::{Store, Topic};

use super::facts::Facts;
use super::handle::{Message, TableHandle};
use super::listing::number_of;
use super::mailbox::Mailbox;
use super::public_list::PublicGames;
use parking_lot::Mutex;

/// The games that this server has in memory or is creating.
pub(super) struct Residents {
    follower: Follower,
    pub(super) index: Mutex<Index>,
    /// The public games that are shown in lists while they are at rest.
    pub(super) public_games: Mutex<PublicGames>,
    /// The number of running games, in memory or at rest. It is the store's last count, plus the
    /// games created here and minus the games ended here since that count began.
    pub(super) running: AtomicI64,
}

/// Follows games for as long as they are in memory.
pub(super) struct Follower {
    pub(super) store: Arc<dyn Store>,
    /// The connections of players on all servers; `None` if no other server can append.
    pub(super) seats: Option<Seats>,
}

impl Follower {
    /// Begins to follow a game. Returns false if the store did not confirm this in time. Appends of
    /// other servers may then be missed.
    pub(super) async fn follow(&self, game: GameId) -> bool {
        if let Some(seats) = &self.seats {
            seats.follow(game);
        }
        self.store.follow(Topic::Game(game)).await
    }

    pub(super) fn unfollow(&self, game: GameId) {
        self.store.unfollow(&Topic::Game(game));
        if let Some(seats) = &self.seats {
            seats.unfollow(game);
        }
    }
}

/// A followed game whose table is about to be added. If this value is dropped instead, the game
/// is unfollowed.
pub(super) struct Followed<'a> {
    residents: &'a Residents,
    game: GameId,
}

impl Followed<'_> {
    /// Adds the game's table. The game is then followed until the table leaves memory.
    pub(super) fn insert(self, handle: &TableHandle) {
        let mut index = self.residents.index.lock();
        let heard = index.opening.remove(&self.game).unwrap_or_default();
        index.insert(handle.clone());
        drop(index);
        handle.hear(heard);
        std::mem::forget(self);
    }
}

impl Drop for Followed<'_> {
    fn drop(&mut self) {
        let mut index = self.residents.index.lock();
        index.opening.remove(&self.game);
        // Unfollow while the index is locked, so that the game cannot be opened again at the same
        // time.
        self.residents.follower.unfollow(self.game);
    }
}

#[derive(Default)]
pub(super) struct Index {
    pub(super) tables: HashMap<GameId, TableHandle>,
    /// The games that are being opened. The value is the highest entry number that was announced
    /// since the opening began.
    pub(super) opening: HashMap<GameId, u64>,
    /// The running games in memory, sorted by a hash of the player's id. Two players may have the
    /// same hash, so a search must also check the game's header.
    seats: BTreeSet<(u64, GameId)>,
    /// The running public games in memory, by the time of their creation.
    public: BTreeSet<(Stamp, GameId)>,
    /// The games that this server is creating, in the order of the requests.
    pub(super) making: Vec<Making>,
    pub(super) is_stopping: bool,
}

/// A game that is being created.
#[derive(Clone)]
pub(super) struct Making {
    pub(super) number: u64,
    pub(super) game: GameId,
    pub(super) players: PerSide<String>,
}

impl Index {
    pub(super) fn insert(&mut self, handle: TableHandle) {
        let game = handle.id();
        if handle.is_running() {
            let players = &handle.facts.header.players;
            self.seats.extend(Side::BOTH.map(|side| (number_of(&players[side].id), game)));
            if !handle.facts.header.terms.private {
                self.public.insert((handle.facts.created, game));
            }
        }
        self.tables.insert(game, handle);
    }

    fn is_of(&self, facts: &Arc<Facts>) -> bool {
        self.tables.get(&facts.id).is_some_and(|handle| Arc::ptr_eq(&handle.facts, facts))
    }

    /// Removes a game that has stopped running on this server from the lists of running games.
    fn remove_running(&mut self, facts: &Facts) {
        for side in Side::BOTH {
            self.seats.remove(&(number_of(&facts.header.players[side].id), facts.id));
        }
        self.public.remove(&(facts.created, facts.id));
    }

    /// Returns the running public games in memory, newest first.
    pub(super) fn newest_public(&self) -> impl Iterator<Item = &TableHandle> {
        let handles = self.public.iter().rev().filter_map(|(_, game)| self.tables.get(game));
        handles.filter(|handle| handle.is_running())
    }
}

impl Residents {
    pub(super) fn new(follower: Follower) -> Residents {
        Residents {
            follower,
            index: Mutex::default(),
            public_games: Mutex::default(),
            running: AtomicI64::default(),
        }
    }

    /// Begins to follow a game that is about to be opened. The returned flag is false if appends of
    /// other servers may be missed. Call this for one game at a time, and only if it is not in
    /// memory.
    pub(super) async fn follow(&self, game: GameId) -> (Followed<'_>, bool) {
        // Create this first, so that the game is unfollowed even if the caller is dropped while
        // it waits.
        let followed = Followed { residents: self, game };
        self.index.lock().opening.insert(game, 0);
        let is_certain = self.follower.follow(game).await;
        (followed, is_certain)
    }

    pub(super) fn handle(&self, game: GameId) -> Option<TableHandle> {
        self.index.lock().tables.get(&game).cloned()
    }

    /// Passes on an announcement that the log of a game has at least this many entries. Returns
    /// false if the game is neither in memory nor being opened.
    pub(super) fn hear(&self, game: GameId, seq: u64) -> bool {
        let mut index = self.index.lock();
        if let Some(handle) = index.tables.get(&game).cloned() {
            drop(index);
            handle.hear(seq);
            return true;
        }
        let heard = index.opening.get_mut(&game);
        heard.map(|heard| *heard = seq.max(*heard)).is_some()
    }

    /// Makes the tables that are being opened read their logs again, because announcements may
    /// have been missed.
    pub(super) fn doubt_opening(&self) {
        self.index.lock().opening.values_mut().for_each(|heard| *heard = u64::MAX);
    }

    pub(super) fn running_handles(&self) -> Vec<TableHandle> {
        self.index.lock().tables.values().filter(|handle| handle.is_running()).cloned().collect()
    }

    pub(super) fn is_making(&self, game: GameId) -> bool {
        self.index.lock().making.iter().any(|making| making.game == game)
    }

    pub(super) fn games_of(&self, player: &str) -> BTreeSet<GameId> {
        let number = number_of(player);
        let index = self.index.lock();
        let seats = index.seats.range((number, GameId::from_random([0; 12]))..);
        let seats = seats.take_while(|(other, _)| *other == number);
        // The table may be missing because a defect ended it. It will be opened again, so the game
        // counts.
        let has_seat = |game: &GameId| index.tables.get(game).is_none_or(|handle| handle.has_seat(player));
        seats.map(|(_, game)| *game).filter(has_seat).collect()
    }

    /// Records that a game has ended, so that it does not count as running.
    pub(super) fn note_end(&self, facts: &Facts) {
        self.index.lock().remove_running(facts);
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    /// Removes an ended table from the index. Does nothing if the index already contains a
    /// different table for the same game.
    pub(super) fn forget(&self, facts: &Arc<Facts>) {
        let mut index = self.index.lock();
        if index.is_of(facts) {
            index.tables.remove(&facts.id);
            // Unfollow while the index is locked, so that the game cannot be opened again at the
            // same time.
            self.follower.unfollow(facts.id);
        }
    }

    /// Removes a table from memory, unless a message may still be sent to it. Returns true if the
    /// table was removed. A later search for the game then reads its log.
    pub(super) fn let_go(&self, facts: &Arc<Facts>, mailbox: &Mailbox<Box<Message>>) -> bool {
        let mut index = self.index.lock();
        let own_senders = usize::from(index.is_of(facts));
        // No handle can be created in the meantime, because handles come only from the index, and
        // the index is locked.
        if mailbox.senders() > own_senders || !mailbox.is_empty() {
            return false;
        }
        if own_senders > 0 {
            index.tables.remove(&facts.id);
            self.follower.unfollow(facts.id);
            index.remove_running(facts);
            let summary = facts.summary();
            if summary.outcome.is_none() && !summary.terms.private {
                self.public_games.lock().note_rest(summary);
            }
        }
        true
    }
}
