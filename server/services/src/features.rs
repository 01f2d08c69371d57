//! The records and jobs that are written together with a game's events.

use flagfall_board::{GameId, Side, Stamp};
use flagfall_store::{Key, Store, Write};
use futures_util::future::BoxFuture;

use crate::ended::ended;
use crate::histories::has_played;
use crate::left_games;
use crate::lobby::{ended_waits, pool_return};
use crate::prune::guest_ended;
use crate::turns::turn_job;
use flagfall_base::jobs::JobWriter;
use flagfall_base::keys::{PLAYED_DUE, PROOF_DUE, RATING_DUE};
use flagfall_game::{Features, GameEnd, GameHeader, Milestone};

#[derive(Clone)]
pub(crate) struct ServerFeatures {
    pub(crate) jobs: JobWriter,
    pub(crate) signs: bool,
}

impl ServerFeatures {
    fn job(&self, key: Key, now: Stamp) -> Write {
        Write::Put { key, value: self.jobs.job(now), expires: None }
    }

    fn acted(&self, game: GameId, header: &GameHeader, now: Stamp) -> impl Iterator<Item = Write> {
        turn_job(game, header).map(|key| self.job(key, now)).into_iter()
    }

    fn ended(&self, game: GameId, header: &GameHeader, end: GameEnd, now: Stamp) -> Vec<Write> {
        let rating = RATING_DUE.key([&game]).ok().filter(|_| header.terms.rated);
        let proof = PROOF_DUE.key([&game]).ok().filter(|_| self.signs);
        let jobs = [rating, PLAYED_DUE.key([&game]).ok(), proof].into_iter().flatten();
        let left = Side::BOTH.into_iter().filter(|side| end.left[*side]);
        let marks = left.filter_map(|side| left_games::mark(&header.players[side].id, game, now));
        jobs.map(|key| self.job(key, now))
            .chain(ended(game, now))
            .chain(guest_ended(game, header, now))
            .chain(marks)
            .chain(end.spoiled_by.and_then(|by| pool_return(game, header, by, now)))
            .collect()
    }
}

impl Features for ServerFeatures {
    fn writes(&self, game: GameId, header: &GameHeader, milestone: Milestone, now: Stamp) -> Vec<Write> {
        match milestone {
            Milestone::Opened => self.acted(game, header, now).chain(ended_waits(header)).collect(),
            Milestone::Acted => self.acted(game, header, now).collect(),
            Milestone::Ended(end) => self.ended(game, header, end, now),
        }
    }

    fn note_end(&self, game: GameId) {
        for kind in [&RATING_DUE, &PLAYED_DUE, &PROOF_DUE] {
            kind.key([&game]).into_iter().for_each(|job| self.jobs.wake_for(kind.name, job));
        }
    }

    fn has_played<'a>(&'a self, store: &'a dyn Store, player: &'a str, game: GameId) -> BoxFuture<'a, bool> {
        Box::pin(async move { has_played(store, player, game).await.unwrap_or(false) })
    }
}
