//! Creates games.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_protocol::{GameSummary, Phase, Player, PlayerKind, ServerToClient, Terms, Time};
use flagfall_rules::{Entropy, Lakes, Ruleset, Start};
use flagfall_store::record::Form;
use flagfall_store::{Append, AppendOutcome, Head, Write, record};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::actor::Registry;
use super::error::{CreateError, TableError};
use super::features::Milestone;
use super::handle::TableHandle;
use super::header::GameHeader;
use super::listing;
use super::registry::Tables;
use super::residents::Making;
use flagfall_base::admission::{Limit, Scope, count_hit};
use flagfall_base::keys::{PLANS, REMATCH, REMATCH_ID};
use flagfall_base::places::game_id_in_reach;
use flagfall_base::random::random_bytes;
use flagfall_base::transact::write_if;

/// The time for which the id chosen for a rematch is kept, in milliseconds. It is long enough for
/// every attempt to create the rematch. Once the rematch exists, its own record is found.
const REMATCH_ID_MS: u64 = 60 * 60 * 1_000;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NewGame {
    pub id: GameId,
    pub terms: Terms,
    pub players: PerSide<Player>,
    /// For each player, true if their deployment stays private after the end of the game.
    pub secret: PerSide<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<GameId>,
}

/// Draws the lakes of a new game if its ruleset has random lakes. If the creation is retried, the
/// game keeps the lakes that an earlier attempt wrote to the log.
fn drawn_lakes(ruleset: &str) -> Result<Option<Vec<Square>>, CreateError> {
    let ruleset = Ruleset::find(ruleset).ok_or(CreateError::NoSuchRuleset)?;
    let lakes = match ruleset.lakes {
        Lakes::OfTheShape => return Ok(None),
        Lakes::Drawn => ruleset.draw_lakes(&Entropy(random_bytes().map_err(|_| CreateError::NoChance)?)),
    };
    Ok(Some(lakes.iter().collect()))
}

impl Tables {
    /// Creates a game and its table. When this returns, the game is durable. Repeating the call
    /// with the same id changes nothing. After [`CreateError::Unavailable`] the game may exist,
    /// so try again with the same id.
    pub async fn create(&self, new: NewGame) -> Result<GameSummary, CreateError> {
        let header = GameHeader {
            lakes: drawn_lakes(&new.terms.ruleset)?,
            deploy_ms: new.terms.time.deploy_ms(self.host.settings.deploy_ms),
            lag_quota: self.host.settings.lag_quota.filter(|_| new.terms.time.gives_lag_back()),
            whole_turns: self.has_whole_turns(&new.terms),
            terms: new.terms,
            players: new.players,
            secret: new.secret,
            previous: new.previous,
        };
        let id = new.id;
        if let Some(handle) = self.residents().handle(id) {
            return Ok(handle.summary());
        }
        header.game_terms(id, Stamp(0)).ok_or(CreateError::NoSuchRuleset)?;
        self.check_capacity()?;
        let making = self.begin_making(id, &header)?;
        making.check_room(&header).await?;
        let id = match header.previous {
            Some(previous) => self.rematch_id(previous, id).await?,
            None => id,
        };
        self.create_now(id, &header).await
    }

    /// True if the header of a new game with these terms says that turns begin with their whole
    /// time. That makes a difference only with coins, and not every server may be able to read it.
    fn has_whole_turns(&self, terms: &Terms) -> bool {
        let is_renewed = matches!(terms.time, Time::Delay { .. } | Time::Correspondence { .. });
        let has_choices = Ruleset::find(&terms.ruleset).is_some_and(|ruleset| ruleset.start == Start::Coins);
        is_renewed && has_choices && self.host.peers.write_form() >= Form::Binary
    }

    /// Returns the id for the rematch of a game: `drawn`, or the id that another server or an
    /// earlier attempt has already chosen. So a game never has two rematches.
    async fn rematch_id(&self, previous: GameId, drawn: GameId) -> Result<GameId, CreateError> {
        let away = |_| CreateError::Unavailable;
        let key = REMATCH_ID.key([&previous]).map_err(away)?;
        let expires = Some(self.now().plus_ms(REMATCH_ID_MS));
        let put = Write::Put { key: key.clone(), value: drawn.as_str().into(), expires };
        if write_if(self.store(), key.clone(), None, vec![put]).await.map_err(away)? {
            return Ok(drawn);
        }
        let chosen = self.store().get(key).await.map_err(away)?;
        let chosen = chosen.as_deref().and_then(|chosen| std::str::from_utf8(chosen).ok()?.parse().ok());
        chosen.ok_or(CreateError::Unavailable)
    }

    /// Refuses new games while memory is short, or if the server has too many running games.
    pub fn check_capacity(&self) -> Result<(), CreateError> {
        let settings = &self.host.settings;
        let (refused, reason) = if !settings.memory.has_room_for_games() {
            (CreateError::NoMemory, "memory")
        } else if self.running_count() >= settings.running_games_max {
            (CreateError::ServerFull(settings.running_games_max), "running_games")
        } else {
            return Ok(());
        };
        metrics::counter!(flagfall_base::telemetry::GAMES_REFUSED, "reason" => reason).increment(1);
        Err(refused)
    }

    async fn create_now(&self, id: GameId, header: &GameHeader) -> Result<GameSummary, CreateError> {
        let mut logged = header.clone();
        // Version 0.1 has no listings with names.
        if self.host.peers.write_form() >= Form::Binary {
            logged = logged.without_names();
        }
        let body = record::encode_header(&logged).map_err(|_| CreateError::Unavailable)?;
        let mut writes = listing::opening(id, header, self.now());
        if let Some(key) = header.previous.and_then(|previous| REMATCH.key([&previous]).ok()) {
            writes.push(Write::Put { key, value: id.as_str().into(), expires: None });
        }
        writes.extend(self.host.settings.features.writes(id, header, Milestone::Opened, self.now()));
        writes.extend(PLANS.key([&id]).map(|key| Write::Delete { key }));
        let append = Append {
            game: id,
            expected: Head::START,
            deadline: None,
            not_before: None,
            bodies: vec![body],
            writes,
        };
        match self.host.store.append(append).await {
            // On a conflict, the log exists already. No other game has this id, so an earlier
            // attempt must have written the log.
            Ok(AppendOutcome::Ok { .. } | AppendOutcome::Conflict { .. }) => {}
            Ok(AppendOutcome::Unknown) => {
                let head = self.host.store.head(id).await.map_err(|_| CreateError::Unavailable)?;
                if head == Head::START {
                    return Err(CreateError::Unavailable);
                }
            }
            Ok(_) | Err(_) => return Err(CreateError::Unavailable),
        }
        // In metrics, a custom ruleset counts as its base, because there are thousands of custom
        // rulesets.
        let base = header.terms.ruleset.split(',').next().unwrap_or_default().to_owned();
        metrics::counter!(flagfall_base::telemetry::GAMES_MADE, "ruleset" => base).increment(1);
        self.residents().running.fetch_add(1, Ordering::Relaxed);
        let handle = self.find(id).await.map_err(|_| CreateError::Unavailable)?;
        Ok(handle.summary())
    }

    /// Tells both players that their game has started, whichever servers they are connected to.
    /// Does nothing if the game is over.
    pub async fn tell_start(&self, game: &GameSummary) {
        for side in Side::BOTH.into_iter().filter(|_| game.phase != Phase::Over) {
            let player = &game.players[side];
            if player.kind != PlayerKind::House {
                let started = ServerToClient::GameStarted { game: game.clone(), side };
                self.peers().notify(self.connections(), &[&player.id], &started).await;
            }
        }
    }

    /// Registers a game that is about to be created. Call this before counting games. Then, of two
    /// games that are created at once, the later one counts the earlier one.
    fn begin_making(&self, game: GameId, header: &GameHeader) -> Result<Made<'_>, CreateError> {
        let mut index = self.residents().index.lock();
        if index.is_stopping {
            return Err(CreateError::Stopping);
        }
        let players = PerSide::from_fn(|side: Side| header.players[side].id.clone());
        let earlier = index.making.clone();
        let number = earlier.last().map_or(0, |last| last.number + 1);
        index.making.push(Making { number, game, players });
        Ok(Made { tables: self, number, game, earlier })
    }
}

impl Registry for Tables {
    fn find(&self, game: GameId) -> BoxFuture<'_, Result<TableHandle, TableError>> {
        Tables::find(self, game).boxed()
    }

    /// Creates the rematch with sides swapped, and notifies both players. Does nothing if another
    /// server has created it.
    fn create_rematch(
        &self,
        game: GameId,
        header: Arc<GameHeader>,
    ) -> BoxFuture<'static, Result<GameId, CreateError>> {
        let tables = self.clone();
        async move {
            if let Some(rematch) = tables.rematch_of(game).await {
                return Ok(rematch);
            }
            let new = NewGame {
                id: game_id_in_reach(tables.store()).map_err(|_| CreateError::NoChance)?,
                terms: header.terms.clone(),
                players: PerSide::from_fn(|side: Side| header.players[side.opponent()].clone()),
                secret: PerSide::from_fn(|side: Side| header.secret[side.opponent()]),
                previous: Some(game),
            };
            let summary = tables.create(new).await?;
            tables.tell_start(&summary).await;
            Ok(summary.id)
        }
        .boxed()
    }
}

/// A guard that registers a game while this server creates it.
struct Made<'a> {
    tables: &'a Tables,
    number: u64,
    game: GameId,
    /// The creations that began before this one. Their games may not be in the store yet.
    earlier: Vec<Making>,
}

impl Made<'_> {
    /// Checks that neither player has too many running games. Games at rest count too.
    async fn check_room(&self, header: &GameHeader) -> Result<(), CreateError> {
        let max = self.tables.host.settings.games_per_player_max;
        for side in Side::BOTH.into_iter().filter(|side| !header.is_house(*side)) {
            let player = &header.players[side].id;
            let is_theirs = |making: &&Making| Side::BOTH.iter().any(|side| making.players[*side] == *player);
            let mut games = self.tables.seats_of(player).await.map_err(|_| CreateError::Unavailable)?;
            games.extend(self.earlier.iter().filter(is_theirs).map(|making| making.game));
            if games.len() < max || games.contains(&self.game) {
                continue;
            }
            let playable = self.tables.count_playable(&games).await.map_err(|_| CreateError::Unavailable)?;
            if playable >= max {
                count_hit(Limit::Games, Scope::Player);
                return Err(CreateError::TooManyGames(max));
            }
        }
        Ok(())
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        self.tables.residents().index.lock().making.retain(|making| making.number != self.number);
    }
}
