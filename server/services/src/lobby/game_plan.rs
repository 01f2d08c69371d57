//! The plan of a game, and its record.

use flagfall_store::{Store, Write};
use serde::{Deserialize, Serialize};

use super::refusal::LobbyRefusal;
use flagfall_base::jobs::not_before;
use flagfall_base::keys::PLANS;
use flagfall_game::NewGame;

/// Age in milliseconds after which a plan counts as abandoned: creating a game takes milliseconds.
const LEFT_AFTER_MS: u64 = 3_000;
pub(crate) const PLAN_MS: u64 = 24 * 3_600_000;

/// A planned game, as the store keeps it, besides the state of the job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct PlanRecord {
    pub(super) plan: NewGame,
}

pub(super) fn planning(store: &dyn Store, plan: &NewGame) -> Result<Write, LobbyRefusal> {
    let since = store.now();
    let key = PLANS.key([&plan.id])?;
    let fields = serde_json::to_vec(&PlanRecord { plan: plan.clone() })
        .map_err(|error| LobbyRefusal::internal(&error))?;
    // The command that plans the game also creates it. The job is for the case that it does not.
    let value = not_before(&fields, since, since.plus_ms(LEFT_AFTER_MS));
    Ok(Write::Put { key, value, expires: Some(since.plus_ms(PLAN_MS)) })
}
