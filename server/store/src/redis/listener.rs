//! The listener: receives announcements of appends by other servers, and messages between
//! servers. Announcements are only hints, so missing some does no harm.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::GameId;
use futures_util::StreamExt;
use redis::Msg;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use super::options::RedisOptions;
use super::request_error::{RequestError, within};
use super::shared::Shared;
use crate::store::{Announcement, StoreMessage};

/// What follows the game in the announcement that its log was retired.
const RETIRED: &str = " retired";
/// The time between two checks that Redis still answers.
const PULSE: Duration = Duration::from_secs(1);
/// The minimum and maximum delay between attempts to subscribe.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// Listens forever, and reconnects when the connection is lost.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut pause = RETRY.0;
    loop {
        let began = Instant::now();
        let Err(error) = listen(&shared).await;
        tracing::debug!(%error, "announcements cannot be received");
        pause = if began.elapsed() > RETRY.1 { RETRY.0 } else { (pause * 2).min(RETRY.1) };
        sleep(pause).await;
    }
}

/// Listens until the connection is lost.
async fn listen(shared: &Shared) -> Result<std::convert::Infallible, RequestError> {
    let RedisOptions { connect_timeout, answer_timeout, audit, .. } = shared.options;
    let client = shared.address.client(connect_timeout).await?;
    let connection = within(connect_timeout, client.get_async_pubsub(), RequestError::of_connecting).await?;
    let (mut sink, mut messages) = connection.split();
    let keys = &shared.keys;
    let channels = [&keys.announcements, &keys.single_announcements, &keys.notices];
    within(answer_timeout, sink.subscribe(&channels), RequestError::of_error).await?;
    // Announcements and messages sent before this subscription were missed.
    shared.are_guards_missed.store(true, Ordering::SeqCst);
    announce(shared, Announcement::Everything);
    shared.notices.send(StoreMessage::Missed).ok();
    let mut own_last = None;
    let mut pulse = interval(PULSE);
    pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut audit = interval(audit.max(Duration::from_millis(1)));
    audit.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick of an interval comes immediately, so it is skipped.
    audit.tick().await;
    loop {
        tokio::select! {
            heard = messages.next() => hear(shared, &heard.ok_or_else(|| RequestError::not_done("the connection to Redis was lost"))?, &mut own_last),
            // A frozen server or a dead connection is silent, so a ping is needed to detect it.
            _ = pulse.tick() => {
                within(answer_timeout, sink.ping::<redis::Value>(), RequestError::of_error).await?;
            }
            // Redis may have dropped the subscription without an error, so announcements may have
            // been missed.
            _ = audit.tick() => announce(shared, Announcement::Everything),
        }
    }
}

/// Handles a message. Ignores announcements of this process's own appends. `own_last` is the last
/// append in this process's latest message. The other channel may repeat this append without
/// naming the sender.
fn hear(shared: &Shared, message: &Msg, own_last: &mut Option<Announcement>) {
    let bytes = message.get_payload_bytes();
    let channel = message.get_channel_name();
    if channel == shared.keys.notices {
        // A send error only means that there is no receiver.
        shared.notices.send(StoreMessage::Told(bytes.into())).ok();
    } else if channel == shared.keys.announcements {
        if let Some(game) = parse_retired(bytes) {
            // The log of a game that is over needs no other announcement.
            return shared.held.lock().forget(game);
        }
        match parse_all(bytes) {
            Some((mark, appended)) if mark == shared.mark => *own_last = appended.last().copied(),
            Some((_, appended)) => appended.into_iter().for_each(|appended| announce(shared, appended)),
            None => announce(shared, Announcement::Everything),
        }
    } else {
        let appended = std::str::from_utf8(bytes).ok().and_then(parse);
        if appended.is_none() || appended != *own_last {
            announce(shared, appended.unwrap_or(Announcement::Everything));
        }
    }
}

/// Parses an announcement. Returns the number by which its sender is recognized, and the appends
/// of one call.
fn parse_all(bytes: &[u8]) -> Option<(u64, Vec<Announcement>)> {
    let (mark, lines) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    Some((mark.parse().ok()?, lines.split('\n').map(parse).collect::<Option<_>>()?))
}

/// Returns the announcement that a log was retired.
pub(super) fn retired(mark: u64, game: GameId) -> String {
    format!("{mark}\n{game}{RETIRED}")
}

fn parse_retired(bytes: &[u8]) -> Option<GameId> {
    let (_, line) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    line.strip_suffix(RETIRED)?.parse().ok()
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
        assert_eq!(parse_retired(retired(7, games[0]).as_bytes()), Some(games[0]));
        assert_eq!(parse_retired(text.as_bytes()), None);
        assert_eq!((parse(&format!("{} 12", games[0])), parse(""), parse("x 1")), (Some(one), None, None));
    }
}
