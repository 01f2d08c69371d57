//! Creates all services of a server and connects them.

use std::sync::Arc;

use flagfall_base::cluster::Peers;
use flagfall_base::delivery::Connections;
use flagfall_base::jobs::{JobKind, JobWriter, Jobs};
use flagfall_base::keys::{
    ERASING, HISTORY_DUE, LEAVING, MAILS, NOTICES, PLAYED_DUE, PROOF_DUE, PUSHES, RATING_DUE, TURN_DUE,
};
use flagfall_base::store_errors::note_refusal;
use flagfall_game::{StartError, Tables};
use flagfall_store::Store;

use crate::deployments::Deployments;
use crate::erased_games;
use crate::erasure::Erasure;
use crate::features::ServerFeatures;
use crate::histories::Histories;
use crate::jobs::{by, with_notices, with_plans};
use crate::lobby::Lobby;
use crate::notices::{Notices, Sender};
use crate::players::Players;
use crate::proof::{Proofs, SigningKey};
use crate::ratings::Ratings;
use crate::settings::{Role, Settings};
use crate::turns::Turns;

/// The maximum number of disconnected players who are remembered.
const VISITORS_REMEMBERED: usize = 10_000;

pub struct Services {
    pub settings: Settings,
    /// The store, which contains the logs of games and the small records.
    pub store: Arc<dyn Store>,
    pub players: Players,
    /// Seeks, challenges and the pool.
    pub lobby: Lobby,
    pub tables: Tables,
    pub ratings: Ratings,
    /// Correspondence: jobs of turns, and queued moves.
    pub turns: Turns,
    pub notices: Notices,
    pub histories: Histories,
    pub proofs: Proofs,
    pub deployments: Deployments,
    pub erasure: Arc<Erasure>,
    pub jobs: Jobs,
    pub connections: Connections,
    pub peers: Peers,
}

impl Services {
    pub async fn assemble(
        settings: Settings,
        store: Arc<dyn Store>,
        key: Option<SigningKey>,
    ) -> Result<Services, StartError> {
        let connections = Connections::remembering(VISITORS_REMEMBERED, settings.times.visitor_memory);
        let jobs = JobWriter::new(settings.role == Role::Full);
        let features = Arc::new(ServerFeatures { jobs: jobs.clone(), signs: key.is_some() });
        let for_tables = settings.for_tables(connections.clone(), features);
        let tables = Tables::start(store.clone(), for_tables).await?;
        let proofs = Proofs::new(store.clone(), tables.clone(), key.map(Arc::new));
        if let Err(error) = proofs.publish_key().await {
            note_refusal(&error, "cannot publish the signing key at start; will do it with the first game");
        }
        let players = Players::new(store.clone(), connections.clone(), &settings);
        if let Err(error) = players.look_after_guest_key().await {
            note_refusal(&error, "cannot read the key of guest tokens at start; will try again");
        }
        let peers = tables.peers().clone();
        let ratings =
            Ratings::new(store.clone(), tables.clone(), connections.clone(), settings.ignores_first_move);
        let histories = Histories::new(store.clone(), tables.clone());
        let deployments = Deployments::new(store.clone());
        let sender = Sender::new(settings.webhooks, &settings.webhook_trust);
        let contact = settings.contact().map(Arc::from);
        let relay = settings.relay.clone();
        let notices = Notices::new(store.clone(), tables.clone(), sender, jobs.clone(), contact, relay);
        let turns = Turns::new(store.clone(), tables.clone(), notices.clone(), jobs.clone());
        let lobby = Lobby::new(store.clone(), tables.clone(), connections.clone(), settings.clone());
        let erasure = Arc::new(Erasure {
            store: store.clone(),
            lobby: lobby.clone(),
            ratings: ratings.clone(),
            histories: histories.clone(),
            deployments: deployments.clone(),
            notices: notices.clone(),
        });
        let mut services = Services {
            jobs: Jobs::new(store.clone(), jobs).shared_among(peers.clone()),
            settings,
            store,
            players,
            lobby,
            tables,
            ratings,
            turns,
            notices,
            histories,
            proofs,
            deployments,
            erasure,
            connections,
            peers,
        };
        services.jobs = with_handlers(&services);
        Ok(services)
    }
}

impl Services {
    /// Begins to send no more webhooks, pushes and mails, because the server is stopping. Returns
    /// when none of them is on its way.
    pub async fn finish_notices(&self) {
        self.notices.close();
        self.jobs.finish(&[NOTICES.name, PUSHES.name, MAILS.name]).await;
    }
}

/// Returns a job runner with a handler for each kind of job. The handler that signs games exists
/// only if there is a key.
fn with_handlers(services: &Services) -> Jobs {
    let Services { ratings, histories, proofs, turns, notices, lobby, erasure, settings, store, .. } =
        services;
    let turn = JobKind { look: settings.times.turn_look, ..JobKind::new(TURN_DUE.name) };
    let leaving = JobKind { has_fields: true, ..JobKind::new(LEAVING.name) };
    let jobs = (services.jobs.clone())
        .with(
            JobKind::new(RATING_DUE.name),
            by(ratings, |ratings, job| async move { ratings.do_job(&job).await }),
        )
        .with(
            JobKind::new(PLAYED_DUE.name),
            by(histories, |histories, job| async move { histories.do_job(&job).await }),
        )
        .with(
            JobKind::new(HISTORY_DUE.name),
            by(histories, |histories, job| async move { histories.shelve(&job).await }),
        )
        .with(turn, by(turns, |turns, job| async move { turns.do_job(&job).await }))
        .with(
            JobKind::new(ERASING.name),
            by(store, |store, job| async move { erased_games::do_job(&*store, &job).await }),
        )
        .with(leaving, by(erasure, |erasure, job| async move { erasure.do_job(&job).await }));
    let jobs = with_plans(with_notices(jobs, notices, settings.times.turn_look), lobby);
    let sign = by(proofs, |proofs, job| async move { proofs.do_job(&job).await });
    if proofs.key.is_some() { jobs.with(JobKind::new(PROOF_DUE.name), sign) } else { jobs }
}

#[cfg(test)]
mod tests;
