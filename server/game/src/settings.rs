//! The settings that all tables of a server share.

use std::sync::Arc;

use flagfall_protocol::LagQuota;
use flagfall_store::record::Form;

use super::features::Features;
use flagfall_base::delivery::Connections;
use flagfall_base::memory::MemoryGuard;

#[derive(Clone)]
pub struct TableSettings {
    pub deploy_ms: u64,
    /// Lag compensation in new games; `None` for no compensation.
    pub lag_quota: Option<LagQuota>,
    pub claim_ms: u64,
    pub spectators_max: usize,
    pub games_per_player_max: usize,
    pub running_games_max: usize,
    /// Limits new games by the memory in use.
    pub memory: MemoryGuard,
    /// How long a running game stays in memory after the last connection closed it, in
    /// milliseconds; on a live clock at most a minute.
    pub rest_ms: u64,
    /// The form in which log entries are written, regardless of what other servers can read.
    /// `None` for the newest form that all of them can read.
    pub write_form: Option<Form>,
    /// Writes the records and jobs that follow from events, outside the game.
    pub features: Arc<dyn Features>,
    /// Where players are notified of new games.
    pub connections: Connections,
}
