//! The listener: receives announcements of appends by other servers, and messages between
//! servers. Announcements are only hints, so missing some does no harm.
//!
//! Each game has a channel. This process hears only of appends to the games that it follows.
//! Servers of earlier versions cannot follow single games. While there may be such servers, all
//! appends are also announced on a channel that every server hears.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flagfall_board::GameId;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Pipeline, PushInfo, PushKind, Value};
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use super::interest::Change;
use super::options::RedisOptions;
use super::request_error::{RequestError, checked, within};
use super::shared::Shared;
use crate::store::{Announcement, StoreMessage, Topic};

/// The first byte of an announcement on the channel of a topic. [`TOLD`] is the first byte of a
/// message.
const APPENDED: u8 = b'a';
const TOLD: u8 = b't';
/// The time between two checks that Redis still answers.
const PULSE: Duration = Duration::from_secs(1);
/// The minimum and maximum delay between attempts to subscribe.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));
/// The maximum number of topics whose subscriptions are changed in one request.
const CHUNK: usize = 512;

/// Listens forever, and reconnects when the connection is lost.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut pause = RETRY.0;
    loop {
        let began = Instant::now();
        let Err(error) = listen(&shared).await;
        if error == RequestError::Forbidden {
            // Only the listener is certain to lack a permission. The writer may have all
            // permissions that it needs.
            tracing::error!(%error, "messages of other servers cannot be received");
        } else {
            tracing::debug!(%error, "announcements cannot be received");
        }
        pause = if began.elapsed() > RETRY.1 { RETRY.0 } else { (pause * 2).min(RETRY.1) };
        sleep(pause).await;
    }
}

/// The listener's connection. Incoming messages are passed to [`hear`].
struct Ear<'a> {
    shared: &'a Shared,
    connection: MultiplexedConnection,
    /// True if this connection has subscribed to the channel for servers of earlier versions.
    hears_former: bool,
}

/// Listens until the connection is lost.
async fn listen(shared: &Arc<Shared>) -> Result<std::convert::Infallible, RequestError> {
    let RedisOptions { connect_timeout, answer_timeout, audit, .. } = shared.options;
    let client = shared.address.client_for_messages(connect_timeout).await?;
    let (lost, has_heard) = (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)));
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(connect_timeout))
        .set_response_timeout(Some(answer_timeout))
        .set_push_sender(receiver(shared.clone(), lost.clone(), has_heard.clone()));
    let connecting = client.get_multiplexed_async_connection_with_config(&config);
    let connection = within(connect_timeout, connecting, RequestError::of_connecting).await?;
    let mut ear = Ear { shared, connection, hears_former: false };
    ear.subscribe("SUBSCRIBE", &[&shared.keys.retired, &shared.keys.notices]).await?;
    ear.hear_former().await?;
    ear.tell_changes(shared.interest.take_all()).await?;
    // Announcements and messages sent before this subscription were missed.
    shared.are_guards_missed.store(true, Ordering::SeqCst);
    announce(shared, Announcement::Everything);
    shared.notices.send(StoreMessage::Missed).ok();
    let connections = shared.stats.lock().connections;
    let mut pulse = shared.ticks(PULSE);
    let mut audit = interval(audit.max(Duration::from_millis(1)));
    audit.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick of an interval comes immediately, so it is skipped.
    audit.tick().await;
    loop {
        tokio::select! {
            () = lost.notified() => return Err(RequestError::not_done("the connection to Redis was lost")),
            () = shared.interest.changed() => {
                if ear.hear_former().await? {
                    announce(shared, Announcement::Everything);
                }
                ear.tell_changes(shared.interest.take_changes()).await?;
            }
            // A frozen server or a dead connection is silent, so a ping is needed to detect it.
            _ = pulse.tick() => {
                if shared.keys.is_bucket() && shared.stats.lock().connections != connections {
                    return Err(RequestError::not_done("the bucket may be at another master"));
                }
                if !has_heard.swap(false, Ordering::Relaxed) {
                    ear.send(Pipeline::new().cmd("PING")).await?;
                }
            }
            // Redis may have dropped the subscription without an error, so announcements may have
            // been missed.
            _ = audit.tick() => announce(shared, Announcement::Everything),
        }
    }
}

impl Ear<'_> {
    /// Sends commands and waits for their answers.
    async fn send(&mut self, commands: &Pipeline) -> Result<(), RequestError> {
        let count = commands.len();
        let sending = self.connection.send_packed_commands(commands, 0, count);
        let answers = within(self.shared.options.answer_timeout, sending, RequestError::of_error).await?;
        answers.into_iter().try_for_each(|answer| checked(answer).map(drop))
    }

    /// Sends one command for each channel, because on a cluster, the channels of one command must
    /// be in one slot.
    async fn subscribe(&mut self, command: &str, channels: &[&str]) -> Result<(), RequestError> {
        let mut commands = Pipeline::new();
        for channel in channels {
            commands.cmd(command).arg(*channel);
        }
        self.send(&commands).await
    }

    /// Subscribes to the channel for servers of earlier versions if such servers may exist, and
    /// otherwise unsubscribes. Returns true if it has subscribed.
    async fn hear_former(&mut self) -> Result<bool, RequestError> {
        let has_former = self.shared.interest.has_former();
        if has_former == self.hears_former {
            return Ok(false);
        }
        let command = if has_former { "SUBSCRIBE" } else { "UNSUBSCRIBE" };
        self.subscribe(command, &[&self.shared.keys.announcements]).await?;
        self.hears_former = has_former;
        Ok(has_former)
    }

    /// Subscribes to the channels of newly followed topics, and unsubscribes from the others.
    async fn tell_changes(&mut self, changes: Vec<Change>) -> Result<(), RequestError> {
        let mut changes = changes.into_iter();
        loop {
            let chunk: Vec<Change> = changes.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                return Ok(());
            }
            let mut commands = Pipeline::new();
            for Change { topic, is_followed, .. } in &chunk {
                let command = if *is_followed { "SSUBSCRIBE" } else { "SUNSUBSCRIBE" };
                commands.cmd(command).arg(self.shared.keys.channel(topic));
            }
            self.send(&commands).await?;
            for Change { topic, waiting, .. } in chunk {
                // A caller that has stopped waiting may have read the game's log before this
                // subscription, so it may have missed appends. Callers never wait for a player's
                // topic.
                let are_late = waiting.into_iter().filter(|_| matches!(topic, Topic::Game(_)));
                if are_late.map(|waiting| waiting.send(())).any(|sent| sent.is_err()) {
                    announce(self.shared, Announcement::Everything);
                }
            }
        }
    }
}

/// Returns the function that the connection calls with each message. It sets `has_heard`.
fn receiver(
    shared: Arc<Shared>,
    lost: Arc<Notify>,
    has_heard: Arc<AtomicBool>,
) -> impl Fn(PushInfo) -> Result<(), ()> + Send + Sync {
    move |PushInfo { kind, data }| {
        has_heard.store(true, Ordering::Relaxed);
        match (kind, &data[..]) {
            (PushKind::Disconnection, _) => lost.notify_one(),
            (
                PushKind::Message | PushKind::SMessage,
                [Value::BulkString(channel), Value::BulkString(message)],
            ) => {
                hear(&shared, channel, message);
            }
            // Other messages need no action, such as the confirmation of a subscription.
            _ => {}
        }
        Ok(())
    }
}

/// Handles a message. Ignores announcements of this process's own appends.
fn hear(shared: &Shared, channel: &[u8], message: &[u8]) {
    let keys = &shared.keys;
    if channel == keys.notices.as_bytes() {
        hear_notice(shared, message);
    } else if channel == keys.retired.as_bytes() {
        forget_retired(shared, std::str::from_utf8(message).ok());
    } else if channel == keys.announcements.as_bytes() {
        match parse_all(message) {
            Some((mark, _)) if mark == shared.mark => {}
            Some((_, appended)) => appended.into_iter().for_each(|appended| announce(shared, appended)),
            None => announce(shared, Announcement::Everything),
        }
    } else {
        match message.split_first() {
            Some((&TOLD, notice)) => hear_notice(shared, notice),
            Some((&APPENDED, announcement)) => match parse_of_game(announcement) {
                Some((mark, _)) if mark == shared.mark => {}
                found => {
                    let appended = keys.game_of_channel(channel).zip(found);
                    let appended = appended.map(|(game, (_, seq))| Announcement::Appended { game, seq });
                    announce(shared, appended.unwrap_or(Announcement::Everything));
                }
            },
            // A later version may send other kinds of messages.
            Some(_) | None => {}
        }
    }
}

fn hear_notice(shared: &Shared, notice: &[u8]) {
    // A send error only means that there is no receiver.
    shared.notices.send(StoreMessage::Told(notice.into())).ok();
}

fn forget_retired(shared: &Shared, game: Option<&str>) {
    if let Some(game) = game.and_then(|game| game.parse().ok()) {
        shared.held.lock().forget(game);
    }
}

/// Returns a message with this notice, for the channel of a topic.
pub(super) fn told(notice: &[u8]) -> Vec<u8> {
    [&[TOLD], notice].concat()
}

/// Parses an announcement on the channel of a game, without its first byte. Returns the number by
/// which its sender is recognized, and the number of the last entry.
fn parse_of_game(bytes: &[u8]) -> Option<(u64, u64)> {
    let (mark, seq) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
    Some((mark.parse().ok()?, seq.parse().ok()?))
}

/// Parses an announcement to servers of earlier versions. Returns the number by which its sender
/// is recognized, and the appends of one call.
fn parse_all(bytes: &[u8]) -> Option<(u64, Vec<Announcement>)> {
    let (mark, lines) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    Some((mark.parse().ok()?, lines.split('\n').map(parse).collect::<Option<_>>()?))
}

fn parse(line: &str) -> Option<Announcement> {
    let (game, seq) = line.split_once(' ')?;
    let game: GameId = game.parse().ok()?;
    Some(Announcement::Appended { game, seq: seq.parse().ok()? })
}

fn announce(shared: &Shared, announcement: Announcement) {
    // A send error only means that there is no receiver.
    shared.announcements.send(announcement).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_name_sender_games_and_numbers() {
        let games = [1, 2].map(|byte| GameId::from_random([byte; 12]));
        let text = format!("7\n{} 12\n{} 3", games[0], games[1]);
        let [one, other] =
            [(games[0], 12), (games[1], 3)].map(|(game, seq)| Announcement::Appended { game, seq });
        assert_eq!(parse_all(text.as_bytes()), Some((7, vec![one, other])));
        assert_eq!(parse_all(format!("7\n{} 12", games[0]).as_bytes()), Some((7, vec![one])));
        for wrong in ["", "7", "7\n", "x\n1 2", &format!("7\n{} 12\nx 3", games[0])] {
            assert_eq!(parse_all(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!((parse(&format!("{} 12", games[0])), parse(""), parse("x 1")), (Some(one), None, None));
        assert_eq!(
            (parse_of_game(b"7 12"), parse_of_game(b"7"), parse_of_game(b"x 1")),
            (Some((7, 12)), None, None)
        );
    }
}
