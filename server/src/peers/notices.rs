//! Notices that servers send each other, and how they are handled.

use std::time::Duration;

use flagfall_board::{GameId, Side};
use flagfall_protocol::{CloseCode, ServerToClient};
use flagfall_store::{Notice as Heard, StoreError};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::Peers;
use super::seats::{SeatNews, Seating};
use crate::gateway::{Connections, Payload};
use crate::table::Tables;

/// Heartbeats between two full listings of a server's seats.
const LISTING_EVERY: u32 = 5;
/// Time between two checks for silent servers.
const LOOK: Duration = Duration::from_millis(500);

/// A notice to other servers. A server ignores kinds that it does not know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice {
    /// A sign of life, with the seats that have changed.
    Seats {
        /// The server that sends it.
        server: String,
        /// The seats.
        seats: Vec<Seating>,
        /// Those of the empty seats that were left on purpose.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left: Vec<(GameId, Side)>,
    },
    /// A server may have missed notices: all others list their seats.
    Ask {
        /// The server that asks.
        server: String,
    },
    /// A message to players, wherever they are connected.
    Message {
        /// The server that sends it. It has informed its own players already.
        server: String,
        /// The players.
        players: Vec<String>,
        /// The message.
        message: Box<ServerToClient>,
    },
    /// The connections of a player who has become an account, or has another name now, must be
    /// closed. They reconnect with the new identity.
    Renewed {
        /// The server that sends it. It has closed its own connections already.
        server: String,
        /// The player.
        player: String,
    },
    /// A server checks that it hears itself.
    Probe {
        /// A unique text.
        probe: String,
    },
    /// A server is stopping.
    Gone {
        /// That server.
        server: String,
    },
}

impl Peers {
    /// Sends a notice to all servers.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn tell(&self, notice: &Notice) -> Result<(), StoreError> {
        let Some(inner) = &self.inner else { return Ok(()) };
        // Serializing a notice cannot fail.
        inner.store.tell(serde_json::to_vec(notice).unwrap_or_default()).await
    }

    /// Sends signs of life and changed seats to other servers, until the future is dropped.
    pub async fn tell_seats(&self, tables: &Tables, beat: Duration) {
        let Some(seats) = tables.seats() else { return std::future::pending().await };
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
                let server = seats.server().to_owned();
                let SeatNews { seats: told, left } = news.clone();
                if let Err(error) = self.tell(&Notice::Seats { server, seats: told, left }).await {
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
    pub async fn listen(&self, tables: &Tables) {
        let notices = self.inner.as_ref().and_then(|inner| inner.store.notices());
        let (Some(mut notices), Some(seats)) = (notices, tables.seats()) else {
            return std::future::pending().await;
        };
        let mut looks = interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.ask(seats.server()).await;
        loop {
            tokio::select! {
                biased;
                heard = notices.recv() => match heard {
                    Ok(Heard::Told(bytes)) => {
                        // Perhaps from another version.
                        if let Ok(notice) = serde_json::from_slice(&bytes) {
                            self.heed(tables, notice);
                        }
                    }
                    Ok(Heard::Missed) | Err(RecvError::Lagged(_)) => self.ask(seats.server()).await,
                    Err(RecvError::Closed) => return std::future::pending().await,
                },
                _ = looks.tick() => tell_tables(tables, &seats.expire(Instant::now())),
            }
        }
    }

    async fn ask(&self, server: &str) {
        let asked = self.tell(&Notice::Ask { server: server.to_owned() }).await;
        if let Err(error) = asked {
            // Every server lists all its seats every few seconds anyway.
            tracing::debug!(%error, "could not ask other servers for their seats");
        }
    }

    fn heed(&self, tables: &Tables, notice: Notice) {
        let Some(seats) = tables.seats() else { return };
        match notice {
            Notice::Seats { server, seats: told, left } => {
                let told = SeatNews { seats: told, left };
                let now = Instant::now();
                let was_blind = seats.sighted_since(now).is_none();
                tell_tables(tables, &seats.hear(now, tables.now(), &server, &told));
                if was_blind && seats.sighted_since(now).is_some() {
                    // From now on, absence counts.
                    tables.note_all_seats();
                }
            }
            Notice::Ask { server } if server != seats.server() => seats.repeat(),
            Notice::Ask { .. } => {}
            Notice::Message { server, players, message } if server != seats.server() => {
                let payload = Payload::new(&message);
                players.iter().for_each(|player| tables.connections().notify(player, &payload));
            }
            Notice::Renewed { server, player } if server != seats.server() => {
                tables.connections().close_player(&player, CloseCode::Renewed);
            }
            Notice::Message { .. } | Notice::Renewed { .. } | Notice::Probe { .. } => {}
            Notice::Gone { server } => tell_tables(tables, &seats.forget(&server)),
        }
    }

    /// Sends players a message wherever they are connected. On other servers it arrives only if the
    /// notice can be sent now.
    pub async fn notify(&self, connections: &Connections, players: &[&str], message: &ServerToClient) {
        let payload = Payload::new(message);
        players.iter().for_each(|player| connections.notify(player, &payload));
        let Some(inner) = &self.inner else { return };
        let players = players.iter().map(ToString::to_string).collect();
        let message = Box::new(message.clone());
        if let Err(error) = self.tell(&Notice::Message { server: inner.id.clone(), players, message }).await {
            tracing::debug!(%error, "could not send a message to players on other servers");
        }
    }

    /// Closes all connections of a player who has become an account or has another name now. They
    /// reconnect with the new identity.
    pub async fn renew(&self, connections: &Connections, player: &str) {
        connections.close_player(player, CloseCode::Renewed);
        let Some(inner) = &self.inner else { return };
        let notice = Notice::Renewed { server: inner.id.clone(), player: player.to_owned() };
        if let Err(error) = self.tell(&notice).await {
            tracing::debug!(%error, "could not close a player's connections to other servers");
        }
    }

    /// Tells other servers that this one is stopping.
    pub async fn say_farewell(&self, tables: &Tables) {
        let Some(seats) = tables.seats() else { return };
        if let Err(error) = self.tell(&Notice::Gone { server: seats.server().to_owned() }).await {
            tracing::debug!(%error, "could not tell other servers that this one is stopping; they will notice");
        }
    }
}

fn tell_tables(tables: &Tables, games: &[GameId]) {
    games.iter().for_each(|game| tables.note_seats(*game));
}
