//! Planned games: the update that takes an offer also writes the plan of its game (`plans/GAME`), and the game's first append removes it.
//!
//! So a server that dies between the two leaves a plan, and any server makes the game: nobody loses an offer and gets no game for it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use flagfall_board::Side;
use flagfall_protocol::{Phase, PlayerKind, ServerToClient};
use flagfall_store::{Expect, Store, StoreError, Update, Write};
use serde::{Deserialize, Serialize};
use tokio::time::{MissedTickBehavior, interval};

use super::memory::GamePlan;
use super::refusal::LobbyRefusal;
use super::{Inner, Lobby};
use crate::table::CreateError;
use flagfall_base::delivery::Payload;
use flagfall_base::keys::PLANS;
use flagfall_base::scan::Scan;

/// A plan that is older than this was left behind: making a game takes milliseconds.
const LEFT_AFTER_MS: u64 = 3_000;
/// The time between two looks for planned games that no server has made.
const PLANS_LOOK: Duration = Duration::from_secs(2);
/// Plans read at once.
const CHUNK: usize = 256;
/// How long a plan is kept that no server could carry out, in milliseconds: as long as the outcome of its command.
const PLAN_MS: u64 = 24 * 3_600_000;

/// A planned game, as the store keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct PlanRecord {
    plan: GamePlan,
    /// Since when it is planned, in milliseconds since 1970.
    since: u64,
}

/// What plans a game.
pub(super) fn planning(store: &dyn Store, plan: &GamePlan) -> Result<Write, LobbyRefusal> {
    let since = store.now();
    let key = PLANS.key([&plan.id])?;
    let value = serde_json::to_vec(&PlanRecord { plan: plan.clone(), since: since.0 })
        .map_err(|_| LobbyRefusal::Internal("unwritable plan"))?;
    Ok(Write::Put { key, value, expires: Some(since.plus_ms(PLAN_MS)) })
}

impl Lobby {
    /// Makes the games whose servers died before they did.
    ///
    /// # Errors
    /// [`StoreError`]: what is left is found again.
    pub async fn complete_plans(&self) -> Result<(), StoreError> {
        self.inner.complete_plans().await
    }

    /// Makes planned games that no server has made, until the future is dropped.
    pub async fn run_plans(&self) {
        let mut looks = interval(PLANS_LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            if self.inner.is_stopping.load(Ordering::Relaxed) {
                return std::future::pending().await;
            }
            if let Err(error) = self.complete_plans().await {
                flagfall_base::store_errors::note_refusal(
                    &error,
                    "planned games were not looked for; they will be",
                );
            }
        }
    }
}

impl Inner {
    async fn complete_plans(&self) -> Result<(), StoreError> {
        let mut scan = Scan::new(&*self.store, PLANS.all()?, CHUNK);
        while let Some(records) = scan.next().await? {
            for (key, bytes) in records {
                // Of another version, perhaps: then others carry it out.
                let Ok(PlanRecord { plan, since }) = serde_json::from_slice(&bytes) else { continue };
                if self.store.now().0.saturating_sub(since) < LEFT_AFTER_MS {
                    continue;
                }
                let game = plan.id;
                match self.make(plan).await {
                    Ok(()) => {
                        tracing::info!(%game, "a planned game that its server had left was made");
                        // The game may have been there before, and then its first append left the plan.
                        let conditions = vec![(key.clone(), Expect::Value(bytes))];
                        self.store.update(Update { conditions, writes: vec![Write::Delete { key }] }).await?;
                    }
                    Err(refusal) => tracing::debug!(%game, %refusal, "a planned game was not made"),
                }
            }
        }
        Ok(())
    }

    /// Makes the game and tells its players who are here; other servers tell theirs when they open it.
    pub(super) async fn make(&self, plan: GamePlan) -> Result<(), LobbyRefusal> {
        let game = match self.tables.create(plan.clone().into()).await {
            Ok(game) => game,
            Err(
                error @ (CreateError::TooManyGames(_)
                | CreateError::NoMemory
                | CreateError::ServerFull(_)
                | CreateError::NoSuchRuleset),
            ) => {
                self.drop_plan(&plan).await?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        };
        for side in Side::BOTH.into_iter().filter(|_| game.phase != Phase::Over) {
            let player = &game.players[side];
            if player.kind != PlayerKind::House {
                let message = ServerToClient::GameStarted { game: game.clone(), side };
                self.connections.notify(&player.id, &Payload::new(&message));
            }
        }
        self.changed.notify_one();
        Ok(())
    }

    /// A planned game that cannot be made is planned no more.
    async fn drop_plan(&self, plan: &GamePlan) -> Result<(), LobbyRefusal> {
        let key = PLANS.key([&plan.id])?;
        self.store.update(Update { conditions: Vec::new(), writes: vec![Write::Delete { key }] }).await?;
        Ok(())
    }
}
