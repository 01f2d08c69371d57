//! The watchers of the lobby. They are first sent everything that the lobby shows. After that,
//! they are sent changes, at most once per interval of the lobby.

use std::collections::HashMap;

use flagfall_board::GameId;
use flagfall_protocol::{GameSummary, Phase, Seek, ServerToClient};
use metrics::counter;

use flagfall_base::delivery::{ConnectionId, Outbox, Payload};

pub(super) const LISTED_GAMES_MAX: usize = 30;
/// The number of intervals for which changes wait if only plies and the number of players have
/// changed.
const MINOR_CHANGES_SKIPPED: u32 = 9;

#[derive(Default)]
pub(super) struct Board {
    watchers: HashMap<ConnectionId, Outbox>,
    told: Option<Told>,
    skipped: u32,
}

#[derive(PartialEq, Eq)]
struct Told {
    seeks: Vec<Seek>,
    games: Vec<(GameId, Phase)>,
    payload: Payload,
}

impl Board {
    /// Adds a watcher, and sends it everything that the lobby shows at the moment.
    pub(super) fn watch(&mut self, outbox: Outbox, seeks: Vec<Seek>, games: Vec<GameSummary>, online: usize) {
        outbox.send(Payload::new(&message(seeks, games, online)));
        self.watchers.insert(outbox.connection(), outbox);
    }

    pub(super) fn unwatch(&mut self, connection: ConnectionId) {
        self.watchers.remove(&connection);
    }

    pub(super) fn is_watched(&self) -> bool {
        !self.watchers.is_empty()
    }

    pub(super) fn tell(&mut self, seeks: Vec<Seek>, games: Vec<GameSummary>, online: usize) {
        self.watchers.retain(|_, outbox| !outbox.is_closed());
        if self.watchers.is_empty() {
            self.told = None;
            return;
        }
        let listed: Vec<_> = games.iter().map(|game| (game.id, game.phase)).collect();
        let is_major = self.told.as_ref().is_none_or(|told| told.seeks != seeks || told.games != listed);
        if !is_major && self.skipped < MINOR_CHANGES_SKIPPED {
            self.skipped += 1;
            return;
        }
        self.skipped = 0;
        let payload = Payload::new(&message(seeks.clone(), games, online));
        if self.told.as_ref().is_some_and(|told| told.payload == payload) {
            return;
        }
        counter!(flagfall_base::telemetry::LOBBY_BROADCASTS).increment(1);
        for outbox in self.watchers.values() {
            outbox.send(payload.clone());
        }
        self.told = Some(Told { seeks, games: listed, payload });
    }
}

fn message(seeks: Vec<Seek>, games: Vec<GameSummary>, online: usize) -> ServerToClient {
    ServerToClient::Lobby { seeks, games, players_online: u32::try_from(online).unwrap_or(u32::MAX) }
}

#[cfg(test)]
mod tests {
    use flagfall_protocol::{Player, PlayerKind, RatingPoint, RatingRange, Terms, Time};

    use super::*;
    use flagfall_base::delivery::outbox;

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

    #[test]
    fn a_watcher_gets_the_seeks_and_then_their_changes() {
        let (outbox, _reader) = outbox(ConnectionId::next());
        let mut board = Board::default();
        board.watch(outbox.clone(), Vec::new(), Vec::new(), 1);
        assert_eq!(outbox.queued(), 1);
        board.tell(vec![seek("s1")], Vec::new(), 1);
        assert_eq!(outbox.queued(), 2);
        board.tell(vec![seek("s1")], Vec::new(), 1);
        assert_eq!(outbox.queued(), 2);
        board.tell(Vec::new(), Vec::new(), 1);
        assert_eq!(outbox.queued(), 3);
    }

    #[test]
    fn the_number_of_players_rides_along_now_and_then() {
        let (outbox, _reader) = outbox(ConnectionId::next());
        let mut board = Board::default();
        board.watch(outbox.clone(), Vec::new(), Vec::new(), 1);
        board.tell(Vec::new(), Vec::new(), 1);
        let told = outbox.queued();
        for online in 0..MINOR_CHANGES_SKIPPED {
            board.tell(Vec::new(), Vec::new(), online as usize + 2);
        }
        assert_eq!(outbox.queued(), told);
        board.tell(Vec::new(), Vec::new(), 50);
        assert_eq!(outbox.queued(), told + 1);
    }

    #[test]
    fn former_watchers_get_no_updates() {
        let (staying, _staying_reader) = outbox(ConnectionId::next());
        let (leaving, leaving_reader) = outbox(ConnectionId::next());
        let mut board = Board::default();
        board.watch(staying.clone(), Vec::new(), Vec::new(), 2);
        board.watch(leaving, Vec::new(), Vec::new(), 2);
        drop(leaving_reader);
        board.unwatch(staying.connection());
        board.tell(vec![seek("s1")], Vec::new(), 2);
        assert_eq!(staying.queued(), 1);
        assert!(!board.is_watched());
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
        let payload = Payload::new(&message(seeks, games, 1_000_000));
        assert!(
            payload.len() < flagfall_base::delivery::PAYLOAD_BYTES_MAX * 3 / 4,
            "{} bytes",
            payload.len()
        );
    }
}
