//! House players at a table. Only a few of them think at a time. They think on separate threads,
//! not on those that serve connections.

use std::sync::Arc;

use super::header::GameHeader;
use super::thinking::{ThinkingRoom, ThinkingShare};
use flagfall_base::telemetry::{HOUSE_SECONDS, HOUSE_WAIT_SECONDS};
use flagfall_board::{PerSide, Side};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_rules::{Command, View};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use parking_lot::Mutex;

/// A house player's decision: the player's side, the view that the player saw, and the command.
pub(super) type Thought = (Side, Box<View>, Option<Command>);

/// The house players of one game. Boxed, because most games have none.
pub(super) struct HousePlayers(Option<Box<Players>>);

struct Players {
    seats: PerSide<Option<(Level, Arc<Mutex<HousePlayer>>)>>,
    room: ThinkingRoom,
    thoughts: FuturesUnordered<BoxFuture<'static, Thought>>,
}

impl HousePlayers {
    pub(super) fn new(header: &GameHeader, room: ThinkingRoom) -> HousePlayers {
        let seat = |side: Side| {
            let level = header.players[side].id.strip_prefix("house-").and_then(Level::from_name)?;
            let player = HousePlayer::new(level, side, seed(), Effort::default());
            Some((level, Arc::new(Mutex::new(player))))
        };
        let seats = PerSide::from_fn(seat);
        let has_any = Side::BOTH.into_iter().any(|side| seats[side].is_some());
        let players = || Players { seats, room, thoughts: FuturesUnordered::new() };
        HousePlayers(has_any.then(|| Box::new(players())))
    }

    /// Makes the house player of a side think about a view.
    pub(super) fn think(&self, side: Side, view: Box<View>, share: ThinkingShare) {
        let Some(players) = &self.0 else { return };
        let Some((level, player)) = players.seats[side].clone() else { return };
        let room = players.room.clone();
        let thinking = async move {
            let asked = std::time::Instant::now();
            let place = room.enter(share).await;
            let started = std::time::Instant::now();
            metrics::histogram!(HOUSE_WAIT_SECONDS).record(started - asked);
            let thought = ThinkingRoom::think(place, move || (think(&player, side, &view), view)).await;
            metrics::histogram!(HOUSE_SECONDS, "level" => level.name()).record(started.elapsed());
            match thought {
                Ok((command, view)) => (side, view, command),
                // The runtime is shutting down. This error cannot be a panic of the house player,
                // because `think` catches panics.
                Err(_stopped) => std::future::pending().await,
            }
        };
        players.thoughts.push(thinking.boxed());
    }

    pub(super) fn are_thinking(&self) -> bool {
        self.0.as_ref().is_some_and(|players| !players.thoughts.is_empty())
    }

    /// Waits for the next finished thought. Returns `None` if no house player of this game is
    /// thinking.
    pub(super) async fn thought(&mut self) -> Option<Thought> {
        self.0.as_mut()?.thoughts.next().await
    }
}

/// Asks a house player for a command. If it panics, a random player takes its place, so the game
/// continues.
fn think(player: &Mutex<HousePlayer>, side: Side, view: &View) -> Option<Command> {
    let mut player = player.lock();
    let chosen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| player.choose(view)));
    chosen.unwrap_or_else(|_| {
        tracing::error!(ruleset = view.ruleset.id, ply = view.ply, "a defect stopped a house player");
        *player = HousePlayer::new(Level::Random, side, seed(), Effort::default());
        player.choose(view)
    })
}

fn seed() -> u64 {
    let mut seed = [0; 8];
    // Without random bits, house players play similar games, which does no harm.
    let _no_seed = getrandom::fill(&mut seed);
    u64::from_ne_bytes(seed)
}
