//! The listener: hears what other servers append. What it tells is a hint; nothing is lost when it hears nothing.

use std::sync::Arc;
use std::time::Duration;

use flagfall_board::GameId;
use futures_util::StreamExt;
use redis::Msg;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use super::link::{Fault, bounded, connected};
use super::shared::Shared;
use crate::store::{Announcement, Notice};

/// The time between two looks whether Redis is still there.
const PULSE: Duration = Duration::from_secs(1);
/// The least and the most time between two tries to subscribe.
const RETRY: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// Listens for ever, over as many connections as it takes.
pub(super) async fn run(shared: Arc<Shared>) {
    let mut pause = RETRY.0;
    loop {
        let began = Instant::now();
        let Err(fault) = listen(&shared).await;
        tracing::debug!(why = fault.into_why(), "announcements are not heard");
        pause = if began.elapsed() > RETRY.1 { RETRY.0 } else { (pause * 2).min(RETRY.1) };
        sleep(pause).await;
    }
}

/// Listens until the connection is lost.
async fn listen(shared: &Shared) -> Result<std::convert::Infallible, Fault> {
    let patience = shared.patience();
    let client = shared.address.client(patience.connect).await?;
    let connection = connected(patience.connect, client.get_async_pubsub()).await?;
    let (mut sink, mut messages) = connection.split();
    let channels = [&shared.keys.channel, &shared.keys.notices];
    bounded(patience.answer, sink.subscribe(&channels)).await?;
    // Whatever was appended or told while nobody listened was heard by nobody.
    announce(shared, Announcement::Everything);
    shared.notices.send(Notice::Missed).ok();
    let mut pulse = interval(PULSE);
    pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut audit = interval(shared.options.audit.max(Duration::from_millis(1)));
    audit.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The first tick of an interval comes at once.
    audit.tick().await;
    loop {
        tokio::select! {
            heard = messages.next() => hear(shared, &heard.ok_or_else(lost)?),
            // A server that is frozen, or a line that is dead, says nothing.
            _ = pulse.tick() => drop(bounded(patience.answer, sink.ping::<redis::Value>()).await?),
            // A subscription may be deaf without anybody noticing.
            _ = audit.tick() => announce(shared, Announcement::Everything),
        }
    }
}

fn lost() -> Fault {
    Fault::not_done("the connection to Redis was lost")
}

fn hear(shared: &Shared, message: &Msg) {
    let bytes = message.get_payload_bytes();
    if message.get_channel_name() == shared.keys.notices {
        // An error says that nobody wants to know.
        shared.notices.send(Notice::Told(bytes.into())).ok();
    } else {
        announce(shared, parse(bytes).unwrap_or(Announcement::Everything));
    }
}

fn parse(bytes: &[u8]) -> Option<Announcement> {
    let (game, seq) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
    let game: GameId = game.parse().ok()?;
    Some(Announcement::Appended { game, seq: seq.parse().ok()? })
}

fn announce(shared: &Shared, announcement: Announcement) {
    // An error says that nobody wants to know.
    shared.announcements.send(announcement).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_name_game_and_number() {
        let game = GameId::from_random([7; 12]);
        let parsed = parse(format!("{game} 12").as_bytes());
        assert_eq!(parsed, Some(Announcement::Appended { game, seq: 12 }));
        assert_eq!((parse(b""), parse(b"x 1"), parse(b"\xff 1")), (None, None, None));
    }
}
