//! Games that are over, read from their logs.

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{GameRecord, Player, Secret, Terms};
use flagfall_rules::{EndReason, Viewer, view};
use flagfall_store::Store;

use super::error::TableError;
use super::registry::Tables;
use super::search::read_all;
use super::{record, replay};

#[derive(Clone, Debug)]
pub struct Finished {
    pub terms: Terms,
    pub players: PerSide<Player>,
    pub winner: Option<Side>,
    pub reason: EndReason,
    pub plies: u16,
    pub created: Stamp,
    pub ended: Stamp,
}

/// A finished game, including the deployments that only its players may see.
#[derive(Clone, Debug)]
pub struct Archived {
    /// The part of the game that is visible to everyone who may see the game.
    pub finished: Finished,
    /// The deployment of each side that deployed, in the notation of §P4 without spaces. Each
    /// deployment may be shown only to the player of its side.
    pub deployments: PerSide<Option<Secret>>,
}

impl Tables {
    pub async fn finished(&self, game: GameId) -> Result<Option<Finished>, TableError> {
        finished(self.store(), game).await
    }

    /// Returns the game's record as the public may see it, even if the game is private. Players
    /// have the names that are in the log, so most have none.
    pub async fn public_record(&self, game: GameId) -> Result<GameRecord, TableError> {
        let stored = read_all(self.store(), game, 0).await?;
        if stored.is_empty() {
            return Err(TableError::NotFound);
        }
        Ok(record::record(game, &stored, Viewer::Public)?)
    }

    /// Like [`Tables::finished`], but includes the deployment of each side.
    pub async fn archive(&self, game: GameId) -> Result<Option<Archived>, TableError> {
        archive(self.store(), game).await
    }
}

pub async fn finished(store: &dyn Store, game: GameId) -> Result<Option<Finished>, TableError> {
    Ok(archive(store, game).await?.map(|archived| archived.finished))
}

async fn archive(store: &dyn Store, game: GameId) -> Result<Option<Archived>, TableError> {
    let stored = read_all(store, game, 0).await?;
    if stored.is_empty() {
        return Err(TableError::NotFound);
    }
    let (header, game, _) = replay::replay(game, &stored, |_, _| {})?;
    let Some(outcome) = game.outcome() else { return Ok(None) };
    let finished = Finished {
        terms: header.terms,
        players: header.players,
        winner: outcome.winner,
        reason: outcome.reason,
        plies: game.ply(),
        created: game.terms().created,
        ended: game.latest(),
    };
    // Take the deployment from the view of its side, so that it is redacted by the same rules as
    // all other views.
    let own = |side: Side| {
        let seen = view(&game, Viewer::Player(side), game.latest()).seen;
        seen.opened[side].clone().map(|opened| Secret::new(opened.setup))
    };
    Ok(Some(Archived { finished, deployments: PerSide::from_fn(own) }))
}
