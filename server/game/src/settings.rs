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
    /// The lag compensation of new games; `None` for no compensation.
    pub lag_quota: Option<LagQuota>,
    pub claim_ms: u64,
    pub spectators_max: usize,
    pub games_per_player_max: usize,
    pub running_games_max: usize,
    /// The guard that refuses new games when the process uses too much memory.
    pub memory: MemoryGuard,
    /// The time after which a game without a clock is aborted if nothing happens in it, in
    /// milliseconds.
    pub idle_ms: u64,
    /// Like `idle_ms`, for games against house players.
    pub idle_house_ms: u64,
    /// The time that a running game stays in memory after its last connection closed, in
    /// milliseconds. Games on a live clock stay for at most a minute.
    pub rest_ms: u64,
    /// True if this server only shows games to spectators. Its tables append nothing of their own:
    /// no fallen flags, no outages, and no moves of house players.
    pub is_relay: bool,
    /// The form in which log entries are written, even if other servers cannot read it. `None`
    /// for the newest form that all servers can read.
    pub write_form: Option<Form>,
    /// The features that write records and jobs for the consequences of events.
    pub features: Arc<dyn Features>,
    /// The connections through which players are notified of new games.
    pub connections: Connections,
}
