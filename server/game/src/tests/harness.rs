//! Shared parts of the tests: clients, a table that a test drives step by step, and servers on a
//! store that fails on request.

mod client;
mod hand;
mod server;
mod store;

use std::task::{Context, Poll, Waker};

use flagfall_base::keys::{LEFT, POOL_RETURNS};
use flagfall_board::{Chance, GameId, PerSide, Side, Square, Stamp};
use flagfall_bots::random_setup;
use flagfall_protocol::{Code, GameCommand, Player, PlayerKind, Terms, Time};
use flagfall_rules::{Entropy, Ruleset};
use flagfall_store::record;
use flagfall_store::{Append, AppendOutcome, Head, Store, Write};
use flagfall_store_testing::TestStore;
use futures_util::future::BoxFuture;

pub(super) use client::Client;
pub(super) use hand::{Hand, load, play_plies};
pub(super) use server::{
    DAYS, TestServer, close, command, command_at, deploy_both, keys, new_game, open, rematch, run_tasks,
    settings,
};

use crate::features::{Features, Milestone};
use crate::header::GameHeader;
use crate::listing::index_keys;

pub(super) const START: Stamp = Stamp(1_000_000);
pub(super) const CLAIM_MS: u64 = 60_000;
pub(super) const DEPLOY_MS: u64 = 300_000;
pub(super) const REST_MS: u64 = 600_000;
pub(super) const IDLE_MS: u64 = 90 * 24 * 60 * 60_000;
pub(super) const IDLE_HOUSE_MS: u64 = 7 * 24 * 60 * 60_000;

/// Returns the result of a future that is ready immediately, such as a future of the memory
/// store.
pub(super) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the store does not answer at once"),
    }
}

pub(super) fn player(id: &str) -> Player {
    let kind = if id.starts_with("house-") { PlayerKind::House } else { PlayerKind::Guest };
    Player { id: id.to_owned(), name: id.to_owned(), kind }
}

pub(crate) fn header(ruleset: &str) -> GameHeader {
    GameHeader {
        terms: Terms {
            ruleset: ruleset.to_owned(),
            time: Time::Fischer { base_s: 60, increment_s: 5 },
            private: false,
            secret: false,
            rated: false,
        },
        players: PerSide::new(player("ana"), player("bo")),
        secret: PerSide::default(),
        deploy_ms: DEPLOY_MS,
        lakes: drawn_lakes(ruleset),
        previous: None,
        lag_quota: None,
        whole_turns: false,
    }
}

/// Returns lakes for rulesets that draw them. They are always the same.
fn drawn_lakes(ruleset: &str) -> Option<Vec<Square>> {
    let ruleset = Ruleset::find(ruleset)?;
    let lakes = ruleset.draw_lakes(&Entropy([3; 32]));
    (lakes != ruleset.shape.lakes).then(|| lakes.iter().collect())
}

pub(super) fn setup_text(ruleset: &str, side: Side, seed: u64) -> String {
    let ruleset = Ruleset::find(ruleset).unwrap();
    random_setup(ruleset, side, &mut Chance::new(seed)).deploy(side, ruleset).unwrap().into_text()
}

/// Returns a deployment of the whole army. It is random, but depends only on the seed.
pub(super) fn deploy(ruleset: &str, side: Side, seed: u64) -> GameCommand {
    GameCommand::Deploy { setup: setup_text(ruleset, side, seed) }
}

pub(super) fn make_game(store: &TestStore, id: GameId, header: &GameHeader) {
    let body = record::encode_header(header).unwrap();
    let writes =
        index_keys(id, header).map(|key| Write::Put { key, value: Vec::new(), expires: None }).collect();
    let append = Append {
        game: id,
        expected: Head::START,
        deadline: None,
        not_before: None,
        bodies: vec![body],
        writes,
    };
    assert!(matches!(now(store.append(append)), Ok(AppendOutcome::Ok { .. })));
}

/// Returns the number of games that a player has left, as recorded by [`NotingFeatures`].
pub(super) async fn left_games(store: &TestStore, player: &str) -> usize {
    store.scan(LEFT.under([&player]).unwrap(), None, 10).await.unwrap().len()
}

/// Features that record which players left a game, and which players did not cause its abort.
pub(super) struct NotingFeatures;

impl Features for NotingFeatures {
    fn writes(&self, game: GameId, header: &GameHeader, event: Milestone, _now: Stamp) -> Vec<Write> {
        let Milestone::Ended(end) = event else { return Vec::new() };
        let put = |key, value| Write::Put { key, value, expires: None };
        let ids = |is_it: &dyn Fn(Side) -> bool| -> Vec<&str> {
            let sides = Side::BOTH.into_iter().filter(|side| is_it(*side));
            sides.map(|side| header.players[side].id.as_str()).collect()
        };
        let left = ids(&|side| end.left[side]);
        let mut writes: Vec<Write> =
            left.iter().map(|id| put(LEFT.key([id, &game]).unwrap(), Vec::new())).collect();
        if let Some(by) = end.spoiled_by {
            let innocent = ids(&|side| !by[side] && !header.has_house());
            writes.push(put(POOL_RETURNS.key([&game]).unwrap(), serde_json::to_vec(&innocent).unwrap()));
        }
        writes
    }

    fn has_played<'a>(&'a self, _: &'a dyn Store, _: &'a str, _: GameId) -> BoxFuture<'a, bool> {
        Box::pin(std::future::ready(false))
    }

    fn note_end(&self, _game: GameId) {}
}

pub(super) fn code(code: &'static str) -> String {
    Code::new(code).as_str().to_owned()
}
