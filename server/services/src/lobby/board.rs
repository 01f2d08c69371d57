//! The watchers of the lobby. They are first sent everything that the lobby shows. After that,
//! they are sent changes, at most once per interval of the lobby.
//!
//! Watchers with the same filter form a group. Within a group, all watchers get the same payloads,
//! which are made once.

use std::cell::LazyCell;
use std::collections::HashMap;

use flagfall_protocol::{LobbyFilter, LobbyLists, ServerToClient};
use metrics::counter;

use flagfall_base::delivery::{ConnectionId, Outbox, Payload};

pub(super) const LISTED_GAMES_MAX: usize = 30;
/// The number of intervals for which minor changes wait. A change is minor if only plies and the
/// number of players have changed.
const MINOR_CHANGES_SKIPPED: u32 = 9;

/// How a watcher wants to be informed of the lobby.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LobbyWish {
    /// True if the watcher wants only changes after the first message. Otherwise, it gets the
    /// complete lists each time.
    pub changes: bool,
    pub filter: LobbyFilter,
}

/// The state of the lobby as it is shown to a group of watchers.
pub(super) struct Shown {
    pub(super) lists: LobbyLists,
    pub(super) online: u32,
    /// The number of changes that this server had made to its list of seeks when these lists were
    /// made.
    pub(super) version: u64,
}

#[derive(Default)]
pub(super) struct Board {
    groups: HashMap<LobbyFilter, Group>,
    /// The filter of each watcher.
    filters: HashMap<ConnectionId, LobbyFilter>,
}

struct Group {
    watchers: HashMap<ConnectionId, Watcher>,
    /// The state that was last sent to all watchers who are not ahead.
    told: State,
    /// The state that was sent to the latest watchers, if it is newer than `told`.
    fresh: Option<State>,
    skipped: u32,
}

struct Watcher {
    outbox: Outbox,
    /// True if the watcher is sent changes, and not the complete lists each time.
    sees_changes: bool,
    /// True if the watcher was sent a newer state than the others. Its next message must contain
    /// complete lists, because the next change is based on the state of the others.
    is_ahead: bool,
}

struct State {
    shown: Shown,
    number: u64,
    /// The messages with the complete lists: first the one without `number`, then the one with it.
    payloads: [Option<Payload>; 2],
}

impl State {
    fn new(shown: Shown, number: u64) -> State {
        State { shown, number, payloads: [None, None] }
    }

    fn payload(&mut self, has_number: bool) -> Payload {
        let State { shown: Shown { lists, online, .. }, number, payloads } = self;
        let make = || {
            let LobbyLists { seeks, games } = lists.clone();
            let number = has_number.then_some(*number);
            Payload::new(&ServerToClient::Lobby { seeks, games, players_online: *online, number })
        };
        payloads[usize::from(has_number)].get_or_insert_with(make).clone()
    }
}

impl Group {
    fn add(&mut self, outbox: Outbox, sees_changes: bool, version: u64) -> bool {
        let is_ahead = self.told.shown.version != version;
        let newest = match (is_ahead, &mut self.fresh) {
            (false, _) => &mut self.told,
            (true, Some(fresh)) if fresh.shown.version == version => fresh,
            (true, _) => return false,
        };
        outbox.send(newest.payload(sees_changes));
        self.watchers.insert(outbox.connection(), Watcher { outbox, sees_changes, is_ahead });
        true
    }

    fn tell(&mut self, shown: Shown) {
        let change = self.told.shown.lists.change_to(&shown.lists);
        let is_ahead = self.watchers.values().any(|watcher| watcher.is_ahead);
        let is_changed = !change.is_empty() || self.told.shown.online != shown.online;
        let is_major = is_ahead || change.is_major(&self.told.shown.lists);
        if is_changed && !is_major && self.skipped < MINOR_CHANGES_SKIPPED {
            self.skipped += 1;
            self.told.shown.version = shown.version;
            return;
        }
        if !is_changed {
            self.told.shown.version = shown.version;
        } else {
            self.skipped = 0;
            self.told = State::new(shown, self.told.number + 1);
            counter!(flagfall_base::telemetry::LOBBY_BROADCASTS).increment(1);
        }
        self.fresh = None;
        let (number, players_online) = (self.told.number, self.told.shown.online);
        let changed =
            LazyCell::new(|| Payload::new(&ServerToClient::LobbyChanged { number, change, players_online }));
        for watcher in self.watchers.values_mut() {
            if std::mem::take(&mut watcher.is_ahead) || (is_changed && !watcher.sees_changes) {
                watcher.outbox.send(self.told.payload(watcher.sees_changes));
            } else if is_changed {
                watcher.outbox.send(changed.clone());
            }
        }
    }
}

impl Board {
    /// Adds a watcher, and sends it everything that the lobby shows at the moment. Returns false
    /// if the board has no lists that include all changes of the seeks up to `version`. The
    /// caller must then use [`Board::watch_shown`].
    pub(super) fn watch(&mut self, outbox: &Outbox, wish: &LobbyWish, version: u64) -> bool {
        self.unwatch(outbox.connection());
        self.add(outbox, wish, version)
    }

    fn add(&mut self, outbox: &Outbox, wish: &LobbyWish, version: u64) -> bool {
        let group = self.groups.get_mut(&wish.filter);
        let added = group.is_some_and(|group| group.add(outbox.clone(), wish.changes, version));
        if added {
            self.filters.insert(outbox.connection(), wish.filter.clone());
        }
        added
    }

    /// Adds a watcher, and sends it these lists.
    pub(super) fn watch_shown(&mut self, outbox: &Outbox, wish: &LobbyWish, shown: Shown) {
        let version = shown.version;
        match self.groups.get_mut(&wish.filter) {
            Some(group) => group.fresh = Some(State::new(shown, group.told.number)),
            None => {
                let told = State::new(shown, 0);
                let group = Group { watchers: HashMap::new(), told, fresh: None, skipped: 0 };
                self.groups.insert(wish.filter.clone(), group);
            }
        }
        self.add(outbox, wish, version);
    }

    pub(super) fn unwatch(&mut self, connection: ConnectionId) {
        let filter = self.filters.remove(&connection);
        if let Some(group) = filter.and_then(|filter| self.groups.get_mut(&filter)) {
            group.watchers.remove(&connection);
        }
        // Drop groups without watchers, because their state is soon out of date.
        self.groups.retain(|_, group| !group.watchers.is_empty());
    }

    pub(super) fn is_watched(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Returns the filters of all watchers who are still connected.
    pub(super) fn filters_watched(&mut self) -> Vec<LobbyFilter> {
        for group in self.groups.values_mut() {
            group.watchers.retain(|_, watcher| !watcher.outbox.is_closed());
        }
        self.groups.retain(|_, group| !group.watchers.is_empty());
        let groups = &self.groups;
        self.filters.retain(|connection, filter| {
            groups.get(filter).is_some_and(|group| group.watchers.contains_key(connection))
        });
        self.groups.keys().cloned().collect()
    }

    pub(super) fn tell(&mut self, filter: &LobbyFilter, shown: Shown) {
        if let Some(group) = self.groups.get_mut(filter) {
            group.tell(shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use flagfall_board::GameId;
    use flagfall_protocol::{
        GameSummary, Phase, Player, PlayerKind, RatingPoint, RatingRange, Seek, Terms, Time,
    };

    use super::*;
    use std::task::{Context, Poll, Waker};

    use crate::lobby::tests::reading::poll_next;
    use flagfall_base::delivery::{OutboxReader, outbox};

    fn seek(id: &str) -> Seek {
        Seek {
            id: id.to_owned(),
            seeker: Player { id: "ana".to_owned(), name: "ana".to_owned(), kind: PlayerKind::Guest },
            terms: Terms {
                ruleset: "classic".to_owned(),
                time: Time::Unlimited {},
                private: false,
                secret: false,
                rated: false,
            },
            side: None,
            rating: None,
            seeker_rating: None,
        }
    }

    fn shown(seeks: &[&str], online: u32, version: u64) -> Shown {
        let seeks = seeks.iter().map(|id| seek(id)).collect();
        Shown { lists: LobbyLists { seeks, games: Vec::new() }, online, version }
    }

    fn watch(board: &mut Board, outbox: &Outbox, changes: bool, shown: Shown) {
        let wish = LobbyWish { changes, ..LobbyWish::default() };
        if !board.watch(outbox, &wish, shown.version) {
            board.watch_shown(outbox, &wish, shown);
        }
    }

    fn tell(board: &mut Board, shown: Shown) {
        assert_eq!(board.filters_watched(), [LobbyFilter::default()]);
        board.tell(&LobbyFilter::default(), shown);
    }

    /// Returns the messages that were sent since the last call.
    fn sent(reader: &mut OutboxReader) -> Vec<ServerToClient> {
        let mut cx = Context::from_waker(Waker::noop());
        let mut messages = Vec::new();
        while let Poll::Ready(Ok(payload)) = poll_next(reader, &mut cx) {
            messages.push(serde_json::from_str(payload.as_str()).unwrap());
        }
        messages
    }

    /// Returns the ids of the seeks that a client shows after these messages.
    fn follow(lists: &mut LobbyLists, known: &mut Option<u64>, messages: Vec<ServerToClient>) -> Vec<String> {
        for message in messages {
            match message {
                ServerToClient::Lobby { seeks, games, number, .. } => {
                    (*lists, *known) = (LobbyLists { seeks, games }, number);
                }
                ServerToClient::LobbyChanged { number, change, .. } => {
                    assert_eq!(Some(number), known.map(|known| known + 1));
                    *known = Some(number);
                    lists.apply(change);
                }
                message => panic!("{message:?}"),
            }
        }
        lists.seeks.iter().map(|seek| seek.id.clone()).collect()
    }

    #[test]
    fn watchers_get_the_lobby_and_then_changes_or_the_lobby_again() {
        let (modern, mut modern_reader) = outbox(ConnectionId::next());
        let (plain, mut plain_reader) = outbox(ConnectionId::next());
        let mut board = Board::default();
        watch(&mut board, &modern, true, shown(&["s1"], 1, 0));
        watch(&mut board, &plain, false, shown(&["s1"], 1, 0));
        let (mut lists, mut number) = Default::default();
        assert_eq!(follow(&mut lists, &mut number, sent(&mut modern_reader)), ["s1"]);
        assert!(matches!(sent(&mut plain_reader)[..], [ServerToClient::Lobby { number: None, .. }]));
        tell(&mut board, shown(&["s1", "s2"], 1, 1));
        let changes = sent(&mut modern_reader);
        assert!(matches!(changes[..], [ServerToClient::LobbyChanged { .. }]), "{changes:?}");
        assert_eq!(follow(&mut lists, &mut number, changes), ["s1", "s2"]);
        assert!(
            matches!(&sent(&mut plain_reader)[..], [ServerToClient::Lobby { seeks, .. }] if seeks.len() == 2)
        );
        tell(&mut board, shown(&["s1", "s2"], 1, 1));
        assert_eq!(modern.queued() + plain.queued(), 0, "nothing has changed");
    }

    #[test]
    fn a_watcher_who_is_ahead_of_the_others_gets_the_lobby_again() {
        let (first, mut first_reader) = outbox(ConnectionId::next());
        let (late, mut late_reader) = outbox(ConnectionId::next());
        let mut board = Board::default();
        watch(&mut board, &first, true, shown(&["s1"], 1, 0));
        let (mut of_first, mut first_number) = Default::default();
        follow(&mut of_first, &mut first_number, sent(&mut first_reader));
        watch(&mut board, &late, true, shown(&["s1", "s2"], 1, 1));
        let (mut of_late, mut late_number) = Default::default();
        assert_eq!(follow(&mut of_late, &mut late_number, sent(&mut late_reader)), ["s1", "s2"], "at once");
        // `s2` is closed before the first watcher hears of it.
        for (seeks, version) in [(&["s1"][..], 2), (&["s1", "s3"], 3)] {
            tell(&mut board, shown(seeks, 1, version));
            assert_eq!(follow(&mut of_first, &mut first_number, sent(&mut first_reader)), seeks);
            assert_eq!(follow(&mut of_late, &mut late_number, sent(&mut late_reader)), seeks);
        }
    }

    #[test]
    fn the_number_of_players_rides_along_now_and_then() {
        let (outbox, _reader) = outbox(ConnectionId::next());
        let mut board = Board::default();
        watch(&mut board, &outbox, true, shown(&[], 1, 0));
        let told = outbox.queued();
        for online in 0..MINOR_CHANGES_SKIPPED {
            tell(&mut board, shown(&[], online + 2, 0));
        }
        assert_eq!(outbox.queued(), told);
        tell(&mut board, shown(&[], 50, 0));
        assert_eq!(outbox.queued(), told + 1);
    }

    #[test]
    fn former_watchers_get_no_updates() {
        let (staying, _staying_reader) = outbox(ConnectionId::next());
        let (leaving, leaving_reader) = outbox(ConnectionId::next());
        let mut board = Board::default();
        watch(&mut board, &staying, true, shown(&[], 2, 0));
        watch(&mut board, &leaving, true, shown(&[], 2, 0));
        drop(leaving_reader);
        board.unwatch(staying.connection());
        assert!(board.filters_watched().is_empty() && !board.is_watched());
        board.tell(&LobbyFilter::default(), shown(&["s1"], 2, 1));
        assert_eq!(staying.queued(), 1);
    }

    #[test]
    fn a_full_lobby_fits_into_a_message() {
        let player = || Player { id: "x".repeat(12), name: "x".repeat(20), kind: PlayerKind::Guest };
        let terms = || Terms {
            ruleset: "tournament".to_owned(),
            time: Time::Fischer { base_s: 86_400, increment_s: 3_600 },
            private: false,
            secret: true,
            rated: false,
        };
        let seeks = (0..super::super::shown::LISTED_SEEKS_MAX)
            .map(|_| Seek {
                id: "x".repeat(12),
                seeker: player(),
                terms: terms(),
                side: Some(flagfall_board::Side::Blue),
                rating: Some(RatingRange { min: Some(4_000), max: Some(4_000) }),
                seeker_rating: Some(RatingPoint { rating: 4_000, deviation: 500, provisional: false }),
            })
            .collect();
        let games = (0..LISTED_GAMES_MAX)
            .map(|_| GameSummary {
                id: GameId::from_random([0; 12]),
                terms: terms(),
                players: flagfall_board::PerSide::from_fn(|_| player()),
                created: u64::MAX,
                phase: Phase::Playing,
                ply: u16::MAX,
                turn: Some(flagfall_board::Side::Blue),
                outcome: None,
            })
            .collect();
        let payload = Payload::new(&ServerToClient::Lobby {
            seeks,
            games,
            players_online: 1_000_000,
            number: Some(u64::MAX),
        });
        assert!(
            payload.len() < flagfall_base::delivery::PAYLOAD_BYTES_MAX * 3 / 4,
            "{} bytes",
            payload.len()
        );
    }
}
