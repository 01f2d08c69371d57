//! The notices that servers send each other, and how they are handled.

use std::ops::Not;
use std::time::Duration;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{CloseCode, Seek, ServerToClient};
use flagfall_store::{StoreError, StoreMessage, Topic};
use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, sleep_until, timeout};

use super::seats::{Outgoing, SeatNews, Seats};
use super::{Inner, Peers};
use crate::delivery::{Connections, Payload};

/// After this many heartbeats, all seats are listed again for servers of earlier versions.
const LISTING_EVERY: u32 = 5;
/// The time between two checks for silent servers.
const LOOK: Duration = Duration::from_secs(1);
/// The maximum time for which the opening of a game waits for other servers to report which of
/// their players have it open. Players of servers that answer later are shown later.
const ANSWERS_WAIT: Duration = Duration::from_millis(100);
/// The maximum number of topics to which notices are sent at the same time.
const TELL_AT_ONCE: usize = 64;

/// A notice to other servers. Servers ignore kinds of notices that they do not know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum BusMessage {
    /// A heartbeat. For servers of earlier versions, it also contains the seats that have changed
    /// since the sender's last heartbeat.
    Seats {
        server: String,
        #[serde(flatten)]
        news: SeatNews,
        /// True if these seats are meant only for servers that do not follow topics. The others get
        /// them in another notice.
        #[serde(default, skip_serializing_if = "Not::not")]
        is_copy: bool,
    },
    /// A request to list all seats, sent by a server that may have missed notices. Only servers
    /// of earlier versions need this notice.
    Ask {
        server: String,
    },
    /// Some or all seats of a game on the sending server. Sent to the game's followers.
    GameSeats {
        server: String,
        game: GameId,
        #[serde(flatten)]
        news: SeatNews,
        /// The server whose request this notice answers. `None` if the notice reports changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer_to: Option<String>,
    },
    /// A request for all seats of a game. Sent to the game's followers.
    AskSeats {
        server: String,
        game: GameId,
    },
    /// A player has offered a rematch of a game. Sent to the game's followers.
    RematchOffered {
        server: String,
        game: GameId,
        side: Side,
    },
    /// A message to players on any server.
    Message {
        /// The server that sends the notice. It has already informed its own players.
        server: String,
        players: Vec<String>,
        message: Box<ServerToClient>,
        /// True if this notice is meant only for servers that do not follow topics. The others get
        /// the message in another notice.
        #[serde(default, skip_serializing_if = "Not::not")]
        is_copy: bool,
    },
    Renewed {
        /// The server that sends the notice. It has already closed its own connections.
        server: String,
        player: String,
        /// True if this notice is meant only for servers that do not follow topics. The others get
        /// another notice.
        #[serde(default, skip_serializing_if = "Not::not")]
        is_copy: bool,
    },
    /// An empty notice to the followers of a player. The sender only wants to know whether there
    /// are any followers.
    Reach {},
    /// Tells a guardian that work is due, and contains the keys of the work's records.
    Due {
        keys: Vec<String>,
    },
    /// Tokens were revoked, accounts were closed or games were erased a moment ago. Receivers look
    /// in the store to find out which.
    Withdrawn {
        server: String,
    },
    /// A seek was opened.
    SeekOpened {
        server: String,
        #[serde(flatten)]
        opened: Box<OpenedSeek>,
    },
    /// A seek was accepted, withdrawn or abandoned.
    SeekClosed {
        server: String,
        /// The id of the seek.
        seek: String,
    },
    /// A notice with which a server checks that it receives its own notices.
    Probe {
        probe: String,
    },
    /// A server has begun to stop and does no more work for others. Its players are still
    /// connected. Servers of earlier versions learn only from `Gone` that it stops.
    Leaving {
        server: String,
    },
    Gone {
        server: String,
    },
}

/// A seek that was opened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpenedSeek {
    pub seek: Seek,
    /// The time at which the seek was opened, in milliseconds since 1970.
    pub since: u64,
    /// The id of the seek that was opened just before this one, if `seek_turn` contained it. A
    /// server that has all seeks up to that one has not missed any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// Handles news from other servers about games that this server has in memory, and about seeks.
pub trait News: Sync {
    /// Called after players have opened or closed these games on other servers.
    fn seats_changed(&self, games: &[GameId]);
    /// Called when this server receives notices again after a silence. From then on, absences are
    /// measured from this moment.
    fn sight_regained(&self);
    /// Called after a player has offered a rematch of this game on another server.
    fn rematch_offered(&self, game: GameId, side: Side);
    /// Called after another server has opened a seek.
    fn seek_opened(&self, opened: OpenedSeek);
    /// Called after another server has closed a seek.
    fn seek_closed(&self, seek: &str);
    /// Called after another server has found due work of which this server is the guardian. `keys`
    /// are the keys of the work's records.
    fn work_due(&self, keys: &[String]);
    /// Called after another server has reported that tokens, accounts or games were withdrawn.
    fn withdrawn(&self);
}

impl Peers {
    pub async fn tell(&self, notice: &BusMessage) -> Result<(), StoreError> {
        let Some(inner) = &self.inner else { return Ok(()) };
        // Serializing a notice cannot fail.
        inner.store.tell(serde_json::to_vec(notice).unwrap_or_default()).await
    }

    pub(super) async fn tell_followers(&self, topic: Topic, notice: &BusMessage) -> Result<u64, StoreError> {
        let Some(inner) = &self.inner else { return Ok(0) };
        inner.store.tell_followers(topic, serde_json::to_vec(notice).unwrap_or_default()).await
    }

    /// Sends heartbeats and changed seats to other servers, until the future is dropped.
    pub async fn tell_seats(&self, seats: &Seats, beat: Duration) {
        let mut next_beat = Instant::now();
        let mut count: u32 = 0;
        loop {
            let is_beat = tokio::select! {
                () = sleep_until(next_beat) => true,
                () = seats.changed().notified() => false,
            };
            if is_beat {
                next_beat = self.next_beat(beat);
                if count.is_multiple_of(LISTING_EVERY) && self.has_former() {
                    seats.repeat();
                }
                count = count.wrapping_add(1);
            }
            self.tell_followers_of_games(seats, is_beat).await;
            self.tell_all(seats, is_beat).await;
        }
    }

    /// Sends notices to the followers of games: changed seats, answers and requests. Changed
    /// seats and requests that could not be sent are sent again later.
    async fn tell_followers_of_games(&self, seats: &Seats, is_beat: bool) {
        let Outgoing { news, answers, asks } = seats.take_outgoing(is_beat);
        let server = || seats.server().to_owned();
        let told = news.into_iter().map(|(game, news)| async move {
            let notice =
                BusMessage::GameSeats { server: server(), game, news: news.clone(), answer_to: None };
            if let Err(error) = self.tell_followers(Topic::Game(game), &notice).await {
                tracing::debug!(%error, "could not send this server's seats to other servers");
                seats.put_back(game, &news);
            }
        });
        stream::iter(told).buffer_unordered(TELL_AT_ONCE).collect::<()>().await;
        let answered = answers.into_iter().map(|(game, asker)| async move {
            let (news, answer_to) = (seats.of_game(game), Some(asker));
            let notice = BusMessage::GameSeats { server: server(), game, news, answer_to };
            if let Err(error) = self.tell_followers(Topic::Game(game), &notice).await {
                // Without the answer, the other server shows the players a little later.
                tracing::debug!(%error, "could not answer which players have a game open");
            }
        });
        stream::iter(answered).buffer_unordered(TELL_AT_ONCE).collect::<()>().await;
        let asked = asks.into_iter().map(|game| async move {
            match self.ask_followers(seats, game).await {
                Ok(_) => seats.note_asked(Instant::now(), game),
                Err(error) => {
                    tracing::debug!(%error, "could not ask other servers for their seats");
                    seats.ask_again(game);
                }
            }
        });
        stream::iter(asked).buffer_unordered(TELL_AT_ONCE).collect::<()>().await;
    }

    /// Sends the changed seats that servers of earlier versions need. If `is_beat`, also sends a
    /// heartbeat to all servers.
    async fn tell_all(&self, seats: &Seats, is_beat: bool) {
        let mut is_due = is_beat;
        loop {
            let (news, is_last) = seats.take_listing(self.has_former());
            if !is_due && news == SeatNews::default() {
                return;
            }
            is_due = false;
            let notice = BusMessage::Seats { server: seats.server().to_owned(), news, is_copy: true };
            if let Err(error) = self.tell(&notice).await {
                // If this notice is lost, the next listing contains its seats.
                tracing::debug!(%error, "could not send a heartbeat to other servers");
                return;
            }
            if is_last {
                return;
            }
        }
    }

    /// Asks other servers which of their players have a game open, and waits a moment for the
    /// answers. Call this after following the game.
    pub async fn ask_seats(&self, seats: &Seats, game: GameId) {
        let mut answers = seats.expect_answers(game);
        match self.ask_followers(seats, game).await {
            Ok(followers) => {
                let answered = answers.wait_for(|answers| answers + 1 >= followers);
                // An answer that comes later is handled like a change of seats.
                let _is_late = timeout(ANSWERS_WAIT, answered).await.is_err();
            }
            Err(error) => tracing::debug!(%error, "could not ask other servers for their seats"),
        }
        seats.expect_no_answers(game);
    }

    /// Tells the other servers that have a game open that a player has offered a rematch. If the
    /// notice is lost, the rematch still begins when the opponent offers one too.
    pub async fn tell_rematch_offered(&self, game: GameId, side: Side) {
        let Some(inner) = &self.inner else { return };
        let notice = BusMessage::RematchOffered { server: inner.id.clone(), game, side };
        if let Err(error) = self.tell_followers(Topic::Game(game), &notice).await {
            tracing::debug!(%error, "could not tell other servers about an offer of a rematch");
        }
    }

    async fn ask_followers(&self, seats: &Seats, game: GameId) -> Result<u64, StoreError> {
        let notice = BusMessage::AskSeats { server: seats.server().to_owned(), game };
        self.tell_followers(Topic::Game(game), &notice).await
    }

    /// Handles notices from other servers, until the future is dropped.
    pub async fn listen(&self, seats: &Seats, connections: &Connections, news: &impl News) {
        let Some(inner) = &self.inner else { return std::future::pending().await };
        let Some(mut notices) = inner.store.notices() else { return std::future::pending().await };
        let mut next_look = self.next_beat(LOOK);
        // This call itself begins to follow the topic, so the future need not be awaited. Until the
        // store confirms it, other servers do this server's overdue work.
        drop(inner.store.follow(Topic::Server(inner.id.as_str().into())));
        self.request_seats(seats).await;
        loop {
            tokio::select! {
                biased;
                heard = notices.recv() => match heard {
                    Ok(StoreMessage::Told(bytes)) => {
                        // Ignore notices that cannot be parsed. A server of another version may
                        // have sent them.
                        if let Ok(notice) = serde_json::from_slice(&bytes) {
                            inner.act_on(notice, seats, connections, news);
                        }
                    }
                    Ok(StoreMessage::Missed) | Err(RecvError::Lagged(_)) => self.request_seats(seats).await,
                    Err(RecvError::Closed) => return std::future::pending().await,
                },
                () = sleep_until(next_look) => {
                    next_look = self.next_beat(LOOK);
                    news.seats_changed(&seats.expire(Instant::now()));
                }
            }
        }
    }

    /// Asks for all seats, because notices may have been missed.
    async fn request_seats(&self, seats: &Seats) {
        seats.ask_for_all();
        if self.has_former() {
            // A failure does no harm, because servers of earlier versions list all seats again
            // within seconds anyway.
            let notice = BusMessage::Ask { server: seats.server().to_owned() };
            self.try_tell(&notice, "could not ask other servers for their seats").await;
        }
    }

    /// Sends a notice whose loss does no harm.
    async fn try_tell(&self, notice: &BusMessage, failure: &'static str) {
        if let Err(error) = self.tell(notice).await {
            tracing::debug!(%error, "{failure}");
        }
    }

    /// Sends a notice for a player to the servers to which the player is connected. `copy` is the
    /// notice for servers of earlier versions. The loss of a notice does no harm.
    async fn try_tell_player(&self, player: &str, notice: &BusMessage, copy: BusMessage) {
        if let Err(error) = self.tell_followers(Topic::Player(player.into()), notice).await {
            tracing::debug!(%error, "could not send a notice for a player to other servers");
        }
        if self.has_former() {
            self.try_tell(&copy, "could not send a notice for a player to all servers").await;
        }
    }

    /// Sends a message to players. Players on this server always get it. Players on other servers
    /// get it if the store accepts the notice.
    pub async fn notify(&self, connections: &Connections, players: &[&str], message: &ServerToClient) {
        let payload = Payload::new(message);
        players.iter().for_each(|player| connections.notify(player, &payload));
        let Some(inner) = &self.inner else { return };
        for player in players {
            let notice = |is_copy| BusMessage::Message {
                server: inner.id.clone(),
                players: vec![(*player).to_owned()],
                message: Box::new(message.clone()),
                is_copy,
            };
            self.try_tell_player(player, &notice(false), notice(true)).await;
        }
    }

    /// Closes a player's connections on all servers, because the player has become an account or
    /// has a new name. The clients then reconnect and get the new identity.
    pub async fn renew(&self, connections: &Connections, player: &str) {
        connections.close_player(player, CloseCode::Renewed);
        let Some(inner) = &self.inner else { return };
        let notice =
            |is_copy| BusMessage::Renewed { server: inner.id.clone(), player: player.to_owned(), is_copy };
        self.try_tell_player(player, &notice(false), notice(true)).await;
    }

    /// True if a player is connected to any server, or if the store does not answer.
    pub async fn is_online(&self, player: &str) -> bool {
        let reached = self.tell_followers(Topic::Player(player.into()), &BusMessage::Reach {}).await;
        reached.map_or(true, |followers| followers > 0)
    }

    pub async fn tell_seek_opened(&self, opened: OpenedSeek) {
        let Some(inner) = &self.inner else { return };
        let notice = BusMessage::SeekOpened { server: inner.id.clone(), opened: Box::new(opened) };
        self.try_tell(&notice, "could not tell other servers about an opened seek").await;
    }

    pub async fn tell_seek_closed(&self, seek: &str) {
        let Some(inner) = &self.inner else { return };
        let notice = BusMessage::SeekClosed { server: inner.id.clone(), seek: seek.to_owned() };
        self.try_tell(&notice, "could not tell other servers about a closed seek").await;
    }

    /// Tells the other servers to look for withdrawn tokens, accounts and games.
    pub async fn tell_withdrawn(&self) {
        let Some(inner) = &self.inner else { return };
        let notice = BusMessage::Withdrawn { server: inner.id.clone() };
        self.try_tell(&notice, "could not tell other servers what was withdrawn").await;
    }

    /// Tells other servers that this server does no more work for them.
    pub(super) async fn say_leaving(&self, server: &str) {
        let notice = BusMessage::Leaving { server: server.to_owned() };
        self.try_tell(&notice, "could not tell other servers that this server is stopping").await;
    }

    pub async fn say_goodbye(&self, seats: &Seats) {
        let notice = BusMessage::Gone { server: seats.server().to_owned() };
        self.try_tell(&notice, "could not tell other servers that this server is stopping").await;
    }
}

impl Inner {
    fn act_on(&self, notice: BusMessage, seats: &Seats, connections: &Connections, news: &impl News) {
        match notice {
            BusMessage::Seats { server, news: changed, is_copy } => {
                let now = Instant::now();
                self.watch.lock().note_heard(&server, now);
                let was_blind = seats.sighted_since(now).is_none();
                let changed = if is_copy { SeatNews::default() } else { changed };
                news.seats_changed(&seats.hear(now, self.store.now(), &server, &changed));
                if was_blind && seats.sighted_since(now).is_some() {
                    news.sight_regained();
                }
            }
            BusMessage::Ask { server } if server != seats.server() => seats.repeat(),
            BusMessage::GameSeats { server, game, news: told, answer_to } if server != seats.server() => {
                if seats.hear_of_game(Instant::now(), &server, game, &told) {
                    news.seats_changed(&[game]);
                }
                if answer_to.is_some_and(|asker| asker == seats.server()) {
                    seats.note_answer(game);
                }
            }
            BusMessage::AskSeats { server, game } if server != seats.server() => seats.answer(game, server),
            BusMessage::RematchOffered { server, game, side } if server != seats.server() => {
                news.rematch_offered(game, side);
            }
            BusMessage::Message { server, players, message, is_copy: false } if server != seats.server() => {
                let payload = Payload::new(&message);
                players.iter().for_each(|player| connections.notify(player, &payload));
            }
            BusMessage::Renewed { server, player, is_copy: false } if server != seats.server() => {
                connections.close_player(&player, CloseCode::Renewed);
            }
            BusMessage::SeekOpened { server, opened } if server != seats.server() => {
                news.seek_opened(*opened);
            }
            BusMessage::SeekClosed { server, seek } if server != seats.server() => news.seek_closed(&seek),
            BusMessage::Due { keys } => news.work_due(&keys),
            BusMessage::Withdrawn { server } if server != seats.server() => news.withdrawn(),
            BusMessage::Leaving { server } if server != seats.server() => {
                self.watch.lock().note_gone(&server, Instant::now());
            }
            BusMessage::Gone { server } => {
                self.watch.lock().note_gone(&server, Instant::now());
                news.seats_changed(&seats.forget(&server));
            }
            BusMessage::Ask { .. }
            | BusMessage::GameSeats { .. }
            | BusMessage::AskSeats { .. }
            | BusMessage::RematchOffered { .. }
            | BusMessage::Message { .. }
            | BusMessage::Renewed { .. }
            | BusMessage::Reach {}
            | BusMessage::SeekOpened { .. }
            | BusMessage::SeekClosed { .. }
            | BusMessage::Withdrawn { .. }
            | BusMessage::Probe { .. }
            | BusMessage::Leaving { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use flagfall_store::Store;
    use flagfall_store_testing::TestStore;

    use super::super::MemberInfo;
    use super::*;

    #[tokio::test]
    async fn a_server_is_the_last_if_only_relays_stay_and_the_others_hear_that_it_leaves() {
        let store: Arc<dyn Store> = Arc::new(TestStore::announcing(flagfall_store::SystemClock));
        let servers = ["1", "2", "relay"].map(|id| Peers::new(store.clone(), id.to_owned(), None));
        for (server, is_relay) in servers.iter().zip([false, false, true]) {
            server.meet(&MemberInfo { is_relay, ..MemberInfo::default() }).await.unwrap();
        }
        let mut notices = store.notices().unwrap();
        assert!(!servers[0].leave().await && servers[1].leave().await);
        for server in ["1", "2"] {
            let expected = BusMessage::Leaving { server: server.to_owned() };
            let expected = StoreMessage::Told(serde_json::to_vec(&expected).unwrap().into());
            assert_eq!(notices.try_recv().unwrap(), expected);
        }
    }
}
