//! The notices that servers send each other, and how they are handled.

use std::time::Duration;

use flagfall_board::GameId;
use flagfall_protocol::{CloseCode, Seek, ServerToClient};
use flagfall_store::{StoreError, StoreMessage};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::seats::{SeatNews, Seats};
use super::{Inner, Peers};
use crate::delivery::{Connections, Payload};

/// A server lists all its seats again after this number of heartbeats.
const LISTING_EVERY: u32 = 5;
/// The time between two checks for silent servers.
const LOOK: Duration = Duration::from_millis(500);

/// A notice to other servers. Servers ignore kinds of notices that they do not know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum BusMessage {
    /// A heartbeat, with the seats that have changed since the last one.
    Seats {
        server: String,
        #[serde(flatten)]
        news: SeatNews,
    },
    /// A request to list all seats, from a server that may have missed notices.
    Ask {
        server: String,
    },
    /// A message to players on any server.
    Message {
        /// The server that sends the notice. It has already informed its own players.
        server: String,
        players: Vec<String>,
        message: Box<ServerToClient>,
    },
    Renewed {
        /// The server that sends the notice. It has already closed its own connections.
        server: String,
        player: String,
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
    Gone {
        server: String,
    },
}

/// A seek that was opened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpenedSeek {
    pub seek: Seek,
    /// The time at which it was opened, in milliseconds since 1970.
    pub since: u64,
    /// The id of the seek that was opened before it, if `seek_turn` named one. A server that knows
    /// all seeks up to that one still knows all.
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
    /// Called after another server has opened a seek.
    fn seek_opened(&self, opened: OpenedSeek);
    /// Called after another server has closed a seek.
    fn seek_closed(&self, seek: &str);
}

impl Peers {
    pub async fn tell(&self, notice: &BusMessage) -> Result<(), StoreError> {
        let Some(inner) = &self.inner else { return Ok(()) };
        // Serializing a notice cannot fail.
        inner.store.tell(serde_json::to_vec(notice).unwrap_or_default()).await
    }

    /// Sends heartbeats and changed seats to other servers, until the future is dropped.
    pub async fn tell_seats(&self, seats: &Seats, beat: Duration) {
        let mut beats = interval(beat.max(Duration::from_millis(1)));
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut count: u32 = 0;
        loop {
            tokio::select! {
                _ = beats.tick() => {
                    if count.is_multiple_of(LISTING_EVERY) {
                        seats.repeat();
                    }
                    count = count.wrapping_add(1);
                }
                () = seats.changed().notified() => {}
            }
            loop {
                let (news, is_all) = seats.take_news();
                let notice = BusMessage::Seats { server: seats.server().to_owned(), news: news.clone() };
                if let Err(error) = self.tell(&notice).await {
                    tracing::debug!(%error, "could not send this server's seats to other servers");
                    seats.put_back(&news);
                    break;
                }
                if is_all {
                    break;
                }
            }
        }
    }

    /// Handles notices from other servers, until the future is dropped.
    pub async fn listen(&self, seats: &Seats, connections: &Connections, news: &impl News) {
        let Some(inner) = &self.inner else { return std::future::pending().await };
        let Some(mut notices) = inner.store.notices() else { return std::future::pending().await };
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.request_seats(seats.server()).await;
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
                    Ok(StoreMessage::Missed) | Err(RecvError::Lagged(_)) => self.request_seats(seats.server()).await,
                    Err(RecvError::Closed) => return std::future::pending().await,
                },
                _ = looks.tick() => news.seats_changed(&seats.expire(Instant::now())),
            }
        }
    }

    async fn request_seats(&self, server: &str) {
        // A failure does no harm, because every server lists all its seats again within seconds.
        let notice = BusMessage::Ask { server: server.to_owned() };
        self.try_tell(&notice, "could not ask other servers for their seats").await;
    }

    /// Sends a notice whose loss does no harm.
    async fn try_tell(&self, notice: &BusMessage, failure: &'static str) {
        if let Err(error) = self.tell(notice).await {
            tracing::debug!(%error, "{failure}");
        }
    }

    /// Sends a message to players. Players on this server always get it. Players on other servers
    /// get it if the store accepts the notice.
    pub async fn notify(&self, connections: &Connections, players: &[&str], message: &ServerToClient) {
        let payload = Payload::new(message);
        players.iter().for_each(|player| connections.notify(player, &payload));
        let Some(inner) = &self.inner else { return };
        let players = players.iter().map(ToString::to_string).collect();
        let message = Box::new(message.clone());
        let notice = BusMessage::Message { server: inner.id.clone(), players, message };
        self.try_tell(&notice, "could not send a message to players on other servers").await;
    }

    /// Closes a player's connections on all servers, because the player has become an account or
    /// has a new name. The clients then reconnect and get the new identity.
    pub async fn renew(&self, connections: &Connections, player: &str) {
        connections.close_player(player, CloseCode::Renewed);
        let Some(inner) = &self.inner else { return };
        let notice = BusMessage::Renewed { server: inner.id.clone(), player: player.to_owned() };
        self.try_tell(&notice, "could not ask other servers to close a player's connections").await;
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

    pub async fn say_goodbye(&self, seats: &Seats) {
        let notice = BusMessage::Gone { server: seats.server().to_owned() };
        self.try_tell(&notice, "could not tell other servers that this server is stopping").await;
    }
}

impl Inner {
    fn act_on(&self, notice: BusMessage, seats: &Seats, connections: &Connections, news: &impl News) {
        match notice {
            BusMessage::Seats { server, news: changed } => {
                let now = Instant::now();
                let was_blind = seats.sighted_since(now).is_none();
                news.seats_changed(&seats.hear(now, self.store.now(), &server, &changed));
                if was_blind && seats.sighted_since(now).is_some() {
                    news.sight_regained();
                }
            }
            BusMessage::Ask { server } if server != seats.server() => seats.repeat(),
            BusMessage::Message { server, players, message } if server != seats.server() => {
                let payload = Payload::new(&message);
                players.iter().for_each(|player| connections.notify(player, &payload));
            }
            BusMessage::Renewed { server, player } if server != seats.server() => {
                connections.close_player(&player, CloseCode::Renewed);
            }
            BusMessage::SeekOpened { server, opened } if server != seats.server() => {
                news.seek_opened(*opened);
            }
            BusMessage::SeekClosed { server, seek } if server != seats.server() => news.seek_closed(&seek),
            BusMessage::Gone { server } => news.seats_changed(&seats.forget(&server)),
            BusMessage::Ask { .. }
            | BusMessage::Message { .. }
            | BusMessage::Renewed { .. }
            | BusMessage::SeekOpened { .. }
            | BusMessage::SeekClosed { .. }
            | BusMessage::Probe { .. } => {}
        }
    }
}
