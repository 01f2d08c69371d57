//! The lobby, where games are arranged: seeks, challenges, house players.
//!
//! Open offers are kept in the store, so any server may accept them. State in memory (the known
//! seeks and the watchers) is protected by mutexes, which are never held across an await. The
//! lobby is not an actor, because then one player's commit would have to wait for another
//! player's, although the store can commit concurrent updates together. The commands of one
//! player run one after the other, so a command that is sent over two connections has only one
//! outcome.

mod board;
mod challenges;
mod command;
mod guests;
mod invitations;
mod lists;
mod memory;
mod offer;
mod opening;
mod outcomes;
mod plans;
mod pool;
mod pool_returns;
mod refusal;
mod seeks;
mod shown;
#[cfg(test)]
mod tests;
mod wave;

use std::collections::BTreeSet;
use std::future::ready;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_bots::Level;
use flagfall_protocol::{Accepted, Code, CommandId, Conduct};
use flagfall_protocol::{GameSummary, Phase, Player, Refusal, Terms};
use flagfall_store::{Expect, Key, Store, StoreError, SystemClock, Update, WallClock, Write};
use metrics::{counter, histogram};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

pub use board::LobbyWish;
pub use challenges::Challenge;
pub use command::LobbyCommand;
pub(crate) use memory::PLAN_MS;
pub(crate) use pool::ended_waits;
pub(crate) use pool_returns::pool_return;
pub use refusal::{check_rated, check_terms};

use self::board::Board;
use self::memory::{CommandRecord, Kept};
use self::offer::{Closing, forget_closing, gone};
use self::pool::Pool;
use self::refusal::{blocked, no_such_challenge, no_such_seek, opponent_busy, own_offer, store_unclear};
use self::refusal::{not_found, too_many, unclear};
use self::seeks::{SeekRecord, Seeks};
use crate::Refused;
use crate::blocks::are_apart;
use crate::left_games::conduct_of;
use crate::players::{Standing, house_player};
use crate::settings::{Settings, ms};
use flagfall_base::admission::{Limit, Scope, count_hit};
use flagfall_base::cluster::Peers;
use flagfall_base::committed::Committed;
use flagfall_base::delivery::{ConnectionId, Connections};
use flagfall_base::keys::{CHALLENGES, CHALLENGES_OF, POOL};
use flagfall_base::places::{code_in_reach, game_id_in_reach};
use flagfall_base::random::random_side;
use flagfall_base::telemetry as names;
use flagfall_game::{NewGame, TableError, Tables};

/// The maximum number of commands that are carried out at once. Other commands wait.
const COMMANDS_MAX: u32 = 1_024;

/// The shortest time between two lobby messages to a watcher.
const INTERVAL: Duration = Duration::from_millis(500);

/// The number of locks that make the commands of a player run one after the other. The hash of a
/// player's id selects the lock.
const TURNS: usize = 64;

/// The lobby. Cheap to clone; all clones share the same state.
#[derive(Clone)]
pub struct Lobby {
    inner: Arc<Inner>,
}

struct Inner {
    store: Arc<dyn Store>,
    tables: Tables,
    connections: Connections,
    settings: Settings,
    pool: Pool,
    seeks: Mutex<Seeks>,
    board: Mutex<Board>,
    turns: Vec<Arc<tokio::sync::Mutex<()>>>,
    /// This lock is held from counting the open seeks until a new seek is stored, so that the
    /// count stays correct.
    opening: tokio::sync::Mutex<()>,
    changed: Notify,
    committed: Committed,
    is_stopping: AtomicBool,
}

impl Lobby {
    /// Returns an empty lobby. The caller must also run [`Lobby::run`] in the background.
    pub fn new(store: Arc<dyn Store>, tables: Tables, connections: Connections, settings: Settings) -> Lobby {
        let pool = Pool::new(store.clone(), tables.clone(), connections.clone(), &settings.times);
        Lobby {
            inner: Arc::new(Inner {
                store,
                tables,
                connections,
                settings,
                pool,
                seeks: Mutex::default(),
                board: Mutex::default(),
                turns: std::iter::repeat_with(Default::default).take(TURNS).collect(),
                opening: tokio::sync::Mutex::default(),
                changed: Notify::new(),
                committed: Committed::new(COMMANDS_MAX),
                is_stopping: AtomicBool::new(false),
            }),
        }
    }

    /// Carries out a command. When this returns, the changes are in the store. Repeating the
    /// command returns the same outcome. Once begun, the command continues even if the caller is
    /// dropped.
    ///
    /// A refusal usually means that nothing has changed. There are two exceptions. If the store
    /// becomes unreachable or the server stops, the command may have been stored. If the game
    /// could not be created, the offer may have been taken.
    pub async fn handle(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: LobbyCommand,
    ) -> Result<Accepted, Refused> {
        let (lobby, player, cmd_id) = (self.clone(), player.clone(), cmd_id.clone());
        // Take the player's lock before taking a place for committed work. So a player takes at
        // most one place, even if they open and close many connections.
        let turn = self.inner.turn(&player.id).clone().lock_owned().await;
        let carried = async move {
            let outcome = lobby.carry_out(&player, &cmd_id, command).await;
            drop(turn);
            outcome
        };
        self.inner.committed.run(carried).await
    }

    /// Waits until all commands that have begun are carried out.
    pub async fn commands_finished(&self) {
        self.inner.committed.finished().await;
    }

    /// Carries out a command. The caller holds the player's lock.
    async fn carry_out(
        &self,
        player: &Player,
        cmd_id: &CommandId,
        command: LobbyCommand,
    ) -> Result<Accepted, Refused> {
        let began = Instant::now();
        let handled = self.inner.handle(player, cmd_id, &command).await;
        let result = match handled {
            Ok((_, true)) => "accepted",
            Ok((_, false)) => "repeated",
            Err(_) => "refused",
        };
        counter!(names::LOBBY_COMMANDS, "command" => command.name(), "result" => result).increment(1);
        histogram!(names::LOBBY_COMMAND_SECONDS).record(began.elapsed().as_secs_f64());
        handled.map(|(outcome, _)| outcome).map_err(unclear)
    }

    pub async fn show_challenge(&self, code: &str) -> Result<Challenge, Refused> {
        let found = challenges::find(&self.inner.store, code).await;
        found.map(|(challenge, ..)| challenge).map_err(unclear)
    }

    /// Refuses a rematch if the two players have blocked each other, or if the game is rated and
    /// this player must wait because they left games. The game's table checks the rest.
    pub async fn check_rematch(&self, player: &Player, game: GameId) -> Result<(), Refused> {
        let Ok(table) = self.inner.tables.find_for(Some(&player.id), game).await else { return Ok(()) };
        let GameSummary { players, terms, phase, .. } = table.summary();
        let side = Side::BOTH.into_iter().find(|side| players[*side].id == player.id);
        let Some(side) = side.filter(|_| phase == Phase::Over) else { return Ok(()) };
        let store = &*self.inner.store;
        if are_apart(store, &player.id, &players[side.opponent()].id).await? {
            return Err(blocked());
        }
        if terms.rated { check_conduct(store, &player.id).await } else { Ok(()) }
    }

    pub fn unwatch(&self, connection: ConnectionId) {
        self.inner.board.lock().unwatch(connection);
    }

    /// True if this command was accepted before, so that repeating it returns the same outcome.
    pub async fn has_carried_out(&self, player: &Player, cmd_id: &CommandId, command: &LobbyCommand) -> bool {
        matches!(self.inner.recall(player, cmd_id, command).await, Ok(Some(_)))
    }

    /// True if a seek is open, as far as this server knows.
    pub fn has_seek(&self, id: &str) -> bool {
        self.inner.seeks.lock().has(id)
    }

    /// True if a player waits in the pool, or if the store does not answer.
    pub async fn is_waiting(&self, player_id: &str) -> bool {
        let Ok(key) = POOL.key([&player_id]) else { return false };
        self.inner.store.get(key).await.map_or(true, |found| found.is_some())
    }

    /// Returns the players connected to this server who have an open seek. Servers of earlier
    /// versions need this list.
    pub fn seekers_here(&self) -> BTreeSet<String> {
        let seeks = self.inner.seeks.lock();
        let here = seeks.seekers().filter(|player| self.inner.connections.is_online(player));
        here.map(str::to_owned).collect()
    }

    /// Withdraws all offers of a deleted account. After an error, some may still be open.
    pub async fn forget(&self, player: &Player) -> Result<(), Refused> {
        let seeks = self.inner.close_all(player).await;
        let place = self.inner.pool.forget(player).await;
        let challenges = challenges::close_all(&self.inner.store, player).await;
        if let Ok(closed) = &challenges {
            for challenge in closed {
                self.inner.tell_addressees(challenge, Closing::Withdrawn, None).await;
            }
        }
        seeks.and(place)?;
        challenges.map(drop)
    }

    /// Makes the lobby refuse new commands, except withdrawals.
    pub fn stop(&self) {
        self.inner.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Runs one wave of the pool now. After an error, the next wave handles the remaining
    /// players.
    pub async fn hold_wave(&self) -> Result<(), StoreError> {
        self.inner.pool.hold_wave().await
    }

    /// Runs waves of the pool until the future is dropped.
    pub async fn run_pool(&self) {
        let mut waves = interval(self.inner.settings.times.pool_wave.max(Duration::from_millis(1)));
        waves.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            waves.tick().await;
            if self.inner.is_stopping.load(Ordering::Relaxed) {
                return std::future::pending().await;
            }
            if let Err(error) = self.inner.pool.hold_wave().await {
                flagfall_base::store_errors::note_refusal(
                    &error,
                    "a wave of the pool failed; the next wave continues with the rest",
                );
            }
        }
    }

    /// Informs watchers and closes abandoned seeks, until the future is dropped. Sleeps while
    /// there are no seeks and no watchers. If other servers share the store, looks every few
    /// seconds whether a notice of an opened seek was missed.
    pub async fn run(&self) {
        self.inner.read_seeks().await;
        loop {
            if !self.inner.is_busy() {
                let peers = self.inner.peers();
                tokio::select! {
                    () = self.inner.changed.notified() => {}
                    () = sleep_until(peers.next_beat(seeks::REREAD)), if peers.is_shared() => {}
                }
            }
            // Wait, so that changes within one interval are sent together.
            tokio::time::sleep(INTERVAL).await;
            self.inner.tick().await;
        }
    }
}

impl Inner {
    fn turn(&self, player_id: &str) -> &Arc<tokio::sync::Mutex<()>> {
        let mut hasher = DefaultHasher::new();
        player_id.hash(&mut hasher);
        &self.turns[usize::try_from(hasher.finish() % TURNS as u64).unwrap_or(0)]
    }

    fn is_busy(&self) -> bool {
        let has_seeks = {
            let seeks = self.seeks.lock();
            !seeks.is_read || seeks.len() > 0
        };
        self.peers().has_former() || has_seeks || self.board.lock().is_watched()
    }

    fn peers(&self) -> &Peers {
        self.tables.peers()
    }

    /// Returns the outcome of a command that was carried out before. If a crash kept its game
    /// from being created, creates the game.
    async fn repeat(&self, record: CommandRecord) -> Handled {
        if let Some(plan) = record.game {
            match self.tables.find(plan.id).await {
                Ok(_) | Err(TableError::Quarantined | TableError::TooNew) => {}
                Err(TableError::NotFound) => self.make(plan).await?,
                Err(error @ (TableError::Unavailable | TableError::Failed)) => return Err(not_found(error)),
            }
        }
        Ok((record.outcome, false))
    }
}

/// A command that is being carried out, and its player.
struct Asker<'a> {
    inner: &'a Inner,
    player: &'a Player,
    cmd_id: &'a CommandId,
    command: &'a LobbyCommand,
    standing: &'a Standing,
}

/// The answer to a command. The `bool` is false if the command had already been carried out
/// before.
type Handled = Result<(Accepted, bool), Refused>;

impl Asker<'_> {
    async fn cancel_seek(&self, seek_id: &str) -> Handled {
        let (record, key, bytes) = self.find_seek(seek_id).await?;
        if record.seek.seeker.id != self.player.id {
            return Err(no_such_seek());
        }
        self.close_seek(seek_id, Closing::Withdrawn, Accepted::Done {}, None, (key, bytes), None).await
    }

    async fn accept_seek(&self, seek_id: &str, secret: bool) -> Handled {
        self.check_games().await?;
        let (SeekRecord { seek, opened_by, .. }, key, bytes) = self.find_seek(seek_id).await?;
        if seek.seeker.id == self.player.id {
            return Err(own_offer());
        }
        check_rated(&seek.terms, [seek.seeker.kind, self.player.kind])?;
        self.check_range(&seek).await?;
        self.check_conduct_for(&seek.terms).await?;
        self.check_opponent(&seek.seeker).await?;
        let (plan, outcome) = self.plan(&seek.seeker, &seek.terms, seek.side, secret)?;
        let opening = self.inner.remember_taken(&seek.seeker, opened_by.as_ref(), Stamp(0)).await?;
        let found = (key, bytes);
        let handled = self.close_seek(seek_id, Closing::Taken, outcome, Some(plan), found, opening).await;
        if handled.is_err()
            && !self.inner.seeks.lock().has(seek_id)
            && let Ok((record, ..)) = seeks::find(&self.inner.store, seek_id).await
        {
            // The seek is still in the store, so the list must contain it.
            self.inner.seeks.lock().open(record);
            self.inner.changed.notify_one();
        }
        handled
    }

    /// Reads a seek from the store. If the store does not have it, also removes it from this
    /// server's list, so that watchers do not see it.
    async fn find_seek(&self, seek_id: &str) -> Result<(SeekRecord, Key, Vec<u8>), Refused> {
        let found = seeks::find(&self.inner.store, seek_id).await;
        if matches!(&found, Err(refused) if refused.is(Code::NO_SUCH_SEEK))
            && self.inner.seeks.lock().has(seek_id)
        {
            self.inner.seeks.lock().remove(seek_id);
            self.inner.changed.notify_one();
        }
        found
    }

    /// Carries out a command that closes a seek, if the seek is still open. `opening` are the
    /// writes of [`Inner::remember_taken`].
    async fn close_seek(
        &self,
        seek_id: &str,
        closing: Closing,
        outcome: Accepted,
        game: Option<NewGame>,
        (key, bytes): (Key, Vec<u8>),
        opening: Option<[Write; 2]>,
    ) -> Handled {
        let store = &*self.inner.store;
        let open = Write::Put { key: key.clone(), value: bytes.clone(), expires: None };
        let mut again = vec![open, forget_closing(seek_id)?];
        let conditions = vec![(key.clone(), Expect::Value(bytes))];
        let mut writes = vec![Write::Delete { key }, closing.note(store, seek_id)?];
        if let Some([shorter, as_before]) = opening {
            writes.push(shorter);
            again.push(as_before);
        }
        let update = Update { conditions, writes };
        let kept = self.keep(outcome, game, update).await?;
        // The seek is gone, because this command or an earlier one has closed it. Tell the other
        // servers while the game is being created, so that the creation does not wait for them.
        let finished = self.finish(kept, gone(store, seek_id, no_such_seek), again);
        let ((), finished) = tokio::join!(self.inner.note_closed(seek_id), finished);
        finished
    }

    async fn challenge(&self, terms: &Terms, side: Option<Side>) -> Handled {
        let terms = &check_terms(terms)?;
        check_rated(terms, [self.player.kind; 2])?;
        self.check_conduct_for(terms).await?;
        let max = self.inner.settings.limits.challenges_per_player;
        let own = CHALLENGES_OF.under([&self.player.id])?;
        let own = self.inner.store.scan(own, None, max).await?.len();
        if own >= max {
            count_hit(Limit::Offers, Scope::Player);
            return Err(too_many("challenges", own));
        }
        let expires = SystemClock.now().plus_ms(ms(self.inner.settings.times.challenge)).0;
        let challenge = Challenge {
            code: code_in_reach(&*self.inner.store, |code| CHALLENGES.key([&code]))?,
            challenger: self.player.clone(),
            terms: terms.clone(),
            side,
            expires,
            opened_by: Some(self.cmd_id.clone()),
        };
        let outcome = Accepted::Challenge { challenge: challenge.code.clone(), expires };
        let opening = Update { conditions: Vec::new(), writes: challenge.opening()?.into() };
        let kept = self.keep(outcome, None, opening).await?;
        self.finish(kept, ready(store_unclear()), Vec::new()).await
    }

    async fn cancel_challenge(&self, code: &str) -> Handled {
        let (challenge, key, bytes) = challenges::find(&self.inner.store, code).await?;
        if challenge.challenger.id != self.player.id {
            return Err(no_such_challenge());
        }
        let conditions = vec![(key, Expect::Value(bytes))];
        let store = &*self.inner.store;
        let writes = challenge.closing(store, Closing::Withdrawn)?.into();
        let kept = self.keep(Accepted::Done {}, None, Update { conditions, writes }).await?;
        if let Kept::New(_) = kept {
            self.inner.tell_addressees(&challenge, Closing::Withdrawn, None).await;
        }
        self.finish(kept, gone(store, code, no_such_challenge), Vec::new()).await
    }

    async fn accept_challenge(&self, code: &str, secret: bool) -> Handled {
        self.check_games().await?;
        let (challenge, key, bytes) = challenges::find(&self.inner.store, code).await?;
        if challenge.challenger.id == self.player.id {
            return Err(own_offer());
        }
        check_rated(&challenge.terms, [challenge.challenger.kind, self.player.kind])?;
        self.check_conduct_for(&challenge.terms).await?;
        self.check_opponent(&challenge.challenger).await?;
        let (plan, outcome) = self.plan(&challenge.challenger, &challenge.terms, challenge.side, secret)?;
        let store = &*self.inner.store;
        let mut writes = Vec::from(challenge.closing(store, Closing::Taken)?);
        writes.push(Write::Delete { key: challenges::invited_key(&self.player.id, code)? });
        let mut again: Vec<Write> = challenge.opening()?.into_iter().chain([forget_closing(code)?]).collect();
        let Challenge { challenger, opened_by, expires, .. } = &challenge;
        let opening = self.inner.remember_taken(challenger, opened_by.as_ref(), Stamp(*expires)).await?;
        if let Some([shorter, as_before]) = opening {
            writes.push(shorter);
            again.push(as_before);
        }
        let closing = Update { conditions: vec![(key, Expect::Value(bytes))], writes };
        let kept = self.keep(outcome, Some(plan), closing).await?;
        if let Kept::New(_) = kept {
            self.inner.tell_challenger(&challenge, self.player, true).await;
            self.inner.tell_addressees(&challenge, Closing::Taken, Some(self.player)).await;
        }
        self.finish(kept, gone(store, code, no_such_challenge), again).await
    }

    async fn play_bot(&self, bot: &str, terms: &Terms, side: Option<Side>) -> Handled {
        let terms = &check_terms(terms)?;
        let house = house_player(bot).ok_or_else(no_such_bot)?;
        check_rated(terms, [house.kind, self.player.kind])?;
        self.check_games().await?;
        // In the plan, the house player has made the offer and the player accepts it. So
        // `terms.secret` is what the accepting player asked for.
        let (plan, outcome) = self.plan(&house, terms, side.map(Side::opponent), terms.secret)?;
        let kept = self.keep(outcome, Some(plan), Update::default()).await?;
        self.finish(kept, ready(store_unclear()), Vec::new()).await
    }

    /// Plans a game between the player who made the offer and the requester. Returns the plan,
    /// and the answer to the requester.
    fn plan(
        &self,
        offerer: &Player,
        terms: &Terms,
        wanted: Option<Side>,
        secret: bool,
    ) -> Result<(NewGame, Accepted), Refused> {
        // Check the capacity before the offer is used up.
        self.inner.tables.check_capacity()?;
        let offerer_side = wanted.map_or_else(random_side, Ok)?;
        let side = offerer_side.opponent();
        let is_secret = |of: Side| if of == side { secret } else { terms.secret };
        let plan = NewGame {
            id: game_id_in_reach(&*self.inner.store)?,
            terms: terms.clone(),
            players: PerSide::from_fn(|of| if of == side { self.player.clone() } else { offerer.clone() }),
            secret: PerSide::from_fn(is_secret),
            previous: None,
        };
        let outcome = Accepted::Started { game: plan.id, side };
        Ok((plan, outcome))
    }

    /// Refuses to pair the requester if they left games and must therefore wait.
    async fn check_conduct(&self) -> Result<(), Refused> {
        check_conduct(&*self.inner.store, &self.player.id).await
    }

    /// Calls [`Self::check_conduct`] if the terms are rated. So a player who must wait for the
    /// pool cannot accept or make rated offers during the wait.
    async fn check_conduct_for(&self, terms: &Terms) -> Result<(), Refused> {
        if terms.rated { self.check_conduct().await } else { Ok(()) }
    }

    async fn check_games(&self) -> Result<(), Refused> {
        let playing = self.inner.tables.count_games_of(&self.player.id).await.map_err(not_found)?;
        if playing < self.inner.settings.limits.games_per_player {
            return Ok(());
        }
        count_hit(Limit::Games, Scope::Player);
        Err(too_many("games", playing))
    }

    async fn check_opponent(&self, opponent: &Player) -> Result<(), Refused> {
        if are_apart(&*self.inner.store, &self.player.id, &opponent.id).await? {
            return Err(blocked());
        }
        let playing = self.inner.tables.count_games_of(&opponent.id).await.map_err(not_found)?;
        let has_room = playing < self.inner.settings.limits.games_per_player;
        if has_room { Ok(()) } else { Err(opponent_busy()) }
    }

    /// Creates the game of a stored command. `conflict` returns the refusal to use if the offer
    /// has changed. `offer` contains the writes that open the offer again if the game cannot be
    /// created.
    async fn finish(
        &self,
        kept: Kept,
        conflict: impl Future<Output = Refused>,
        offer: Vec<Write>,
    ) -> Handled {
        match kept {
            Kept::New(record) => {
                if let Some(plan) = record.game {
                    self.make_or_take_back(plan, offer).await?;
                }
                Ok((record.outcome, true))
            }
            Kept::Before(record) => self.inner.repeat(record).await,
            Kept::Conflict => Err(conflict.await),
        }
    }
}

/// Refuses if the player left games and must therefore wait.
async fn check_conduct(store: &dyn Store, player_id: &str) -> Result<(), Refused> {
    match conduct_of(store, player_id).await? {
        Conduct { left_games: _, wait_s: 0 } => Ok(()),
        Conduct { left_games, wait_s } => {
            let refusal = Refusal::new(Code::LEFT_GAMES).with("count", left_games);
            Err(refusal.with("seconds", wait_s).into())
        }
    }
}

fn no_such_bot() -> Refused {
    Refusal::new(Code::NO_SUCH_BOT).with("known", Level::ALL.map(Level::name).join(", ")).into()
}
