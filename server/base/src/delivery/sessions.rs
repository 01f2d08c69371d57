//! The registry of open connections and their players.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use flagfall_protocol::{CloseCode, PoolStatus, ServerToClient};
use flagfall_store::{Store, Topic};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::payload::Payload;
use super::recent_tokens::{RecentTokens, Visit};
use super::send_queue::{ConnectionId, Outbox};
use crate::admission::{Limit, Network, Scope, count_hit};
use crate::identity::{GuestPass, Principal, TokenHash};

/// The registry of open connections and their players. Cheap to clone; all clones share the same
/// data.
#[derive(Clone)]
pub struct Connections {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    emptied: Notify,
    /// The store, through which this server receives other servers' notices for its players.
    store: OnceLock<Arc<dyn Store>>,
    is_store_away: AtomicBool,
}

#[derive(Default)]
struct State {
    all: HashMap<ConnectionId, Outbox>,
    /// The connections of each connected player, oldest first. No list is empty.
    players: HashMap<Arc<str>, Vec<Entry>>,
    anonymous: HashMap<ConnectionId, Outbox>,
    recent_tokens: RecentTokens,
    is_closing: bool,
}

#[derive(Clone)]
struct Entry {
    outbox: Outbox,
    /// The id of the token with which the connection was opened.
    token: Arc<str>,
    network: Option<Network>,
    /// The data needed to store the guest, who may not be in the store yet. `None` for other
    /// players.
    pass: Option<Arc<GuestPass>>,
}

/// The entry of a connection in the registry. When it is dropped, the connection is removed from
/// the registry.
pub struct Registration {
    shared: Arc<Shared>,
    outbox: Outbox,
    network: Option<Network>,
    player: Option<Arc<str>>,
    visit: Option<Visit>,
}

impl Default for Connections {
    fn default() -> Connections {
        Connections::remembering(10_000, Duration::from_secs(15 * 60))
    }
}

impl Connections {
    pub fn new() -> Connections {
        Connections::default()
    }

    pub fn remembering(absent_max: usize, time: Duration) -> Connections {
        let recent_tokens = RecentTokens::new(absent_max, time);
        let state = Mutex::new(State { recent_tokens, ..State::default() });
        Connections { shared: Arc::new(Shared { state, ..Shared::default() }) }
    }

    /// Lets other servers reach the players who connect after this call. Only the first call has an
    /// effect.
    pub fn follow_players(&self, store: Arc<dyn Store>) {
        let _is_first = self.shared.store.set(store).is_ok();
    }

    #[must_use]
    pub fn enter(&self, outbox: Outbox, network: Option<Network>) -> Registration {
        let mut state = self.shared.state.lock();
        if state.is_closing {
            outbox.close(CloseCode::Shutdown);
        }
        state.all.insert(outbox.connection(), outbox.clone());
        drop(state);
        Registration { shared: self.shared.clone(), outbox, network, player: None, visit: None }
    }

    pub fn notify(&self, player_id: &str, payload: &Payload) {
        // Copy the outboxes and release the lock before sending, because sending wakes tasks.
        let entries = self.shared.state.lock().players.get(player_id).cloned();
        for entry in entries.iter().flatten() {
            entry.outbox.send(payload.clone());
        }
    }

    /// Sets a player's pool status. Each of their connections sends it with the next ping.
    pub fn set_pool(&self, player_id: &str, status: Option<PoolStatus>) {
        let state = self.shared.state.lock();
        for entry in state.players.get(player_id).into_iter().flatten() {
            entry.outbox.set_pool(status);
        }
    }

    /// True if connected players were last told that the store is unavailable.
    pub fn is_store_away(&self) -> bool {
        self.shared.is_store_away.load(Ordering::SeqCst)
    }

    pub fn note_store(&self, is_available: bool) {
        if self.shared.is_store_away.swap(!is_available, Ordering::SeqCst) != is_available {
            return;
        }
        let state = self.shared.state.lock();
        let players = state.players.values().flatten().map(|entry| &entry.outbox);
        let outboxes: Vec<Outbox> = players.chain(state.anonymous.values()).cloned().collect();
        drop(state);
        let payload = Payload::new(&ServerToClient::StoreState { available: is_available, game: None });
        for outbox in outboxes {
            outbox.send(payload.clone());
        }
    }

    /// Closes the connections that a player has opened with this token, because the token is not
    /// valid.
    pub fn close_token(&self, player_id: &str, token_id: &str, code: CloseCode) {
        let entries = {
            let mut state = self.shared.state.lock();
            state.recent_tokens.forget_token(player_id, token_id);
            state.players.get(player_id).cloned()
        };
        for entry in entries.iter().flatten().filter(|entry| &*entry.token == token_id) {
            entry.outbox.close(code);
        }
    }

    pub fn forget_token(&self, player_id: &str, token_id: &str) {
        self.shared.state.lock().recent_tokens.forget_token(player_id, token_id);
    }

    pub fn forget_absent(&self) {
        self.shared.state.lock().recent_tokens.forget_absent();
    }

    /// True if the token was valid recently and this server has not learned of its revocation.
    pub fn remembers(&self, token: &TokenHash) -> bool {
        self.shared.state.lock().recent_tokens.knows(Instant::now(), token)
    }

    pub fn close_player(&self, player_id: &str, code: CloseCode) {
        let entries = {
            let mut state = self.shared.state.lock();
            state.recent_tokens.forget_player(player_id);
            state.players.get(player_id).cloned()
        };
        for entry in entries.iter().flatten() {
            entry.outbox.close(code);
        }
    }

    /// Returns each connected player with the ids of the tokens that their connections use. Each
    /// pair occurs only once.
    pub fn tokens(&self) -> BTreeSet<(Arc<str>, Arc<str>)> {
        let state = self.shared.state.lock();
        let tokens = |(player, entries): (&Arc<str>, &Vec<Entry>)| {
            entries.iter().map(|entry| (player.clone(), entry.token.clone())).collect::<Vec<_>>()
        };
        state.players.iter().flat_map(tokens).collect()
    }

    /// Returns the data needed to store a guest who is connected to this server, or was recently.
    /// A guest's commands may still be running after the guest has disconnected.
    pub fn pass_of(&self, player_id: &str) -> Option<Arc<GuestPass>> {
        let state = self.shared.state.lock();
        let entries = state.players.get(player_id);
        let connected = entries.into_iter().flatten().find_map(|entry| entry.pass.clone());
        connected.or_else(|| state.recent_tokens.pass_of(player_id))
    }

    pub fn is_online(&self, player_id: &str) -> bool {
        self.shared.state.lock().players.contains_key(player_id)
    }

    pub fn network_of(&self, player_id: &str) -> Option<Network> {
        self.shared.state.lock().players.get(player_id)?.last()?.network
    }

    /// Returns the number of open connections, including those whose player is not known yet.
    pub fn len(&self) -> usize {
        self.shared.state.lock().all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of open connections whose player is known.
    pub fn identified(&self) -> usize {
        self.shared.state.lock().players.values().map(Vec::len).sum()
    }

    /// Returns the number of open connections of anonymous clients.
    pub fn anonymous(&self) -> usize {
        self.shared.state.lock().anonymous.len()
    }

    pub fn players_online(&self) -> usize {
        self.shared.state.lock().players.len()
    }

    /// Closes all connections. Connections that are opened later are closed as well.
    pub fn close_all(&self, code: CloseCode) {
        let mut state = self.shared.state.lock();
        state.is_closing = true;
        let outboxes: Vec<Outbox> = state.all.values().cloned().collect();
        drop(state);
        for outbox in outboxes {
            outbox.close(code);
        }
    }

    pub async fn emptied(&self) {
        loop {
            let emptied = self.shared.emptied.notified();
            tokio::pin!(emptied);
            emptied.as_mut().enable();
            if self.is_empty() {
                return;
            }
            emptied.await;
        }
    }
}

impl Registration {
    /// Assigns the connection to a player. If the player then has more than `connections_max`
    /// connections, closes the oldest ones with [`CloseCode::TooManyConnections`], because the
    /// player is probably using the newest ones.
    pub fn identify(&mut self, player_id: &str, token_id: &str, connections_max: usize) {
        let shared = self.shared.clone();
        let surplus = self.identify_in(&mut shared.state.lock(), player_id, token_id, connections_max);
        close_surplus(surplus);
    }

    /// True if the connection belongs to a player.
    pub fn is_identified(&self) -> bool {
        self.player.is_some()
    }

    /// Registers the client as anonymous.
    pub fn enter_anonymously(&mut self) {
        let outbox = self.outbox.clone();
        self.shared.state.lock().anonymous.insert(outbox.connection(), outbox);
    }

    /// Remembers whose token this is, while the connection is open and for some time after that.
    pub fn remember(&mut self, token: TokenHash, identity: &Principal) {
        let mut state = self.shared.state.lock();
        self.visit = state.recent_tokens.enter(token, identity);
        self.keep_pass(&mut state, identity);
    }

    fn keep_pass(&self, state: &mut State, identity: &Principal) {
        let entries = state.players.get_mut(&*identity.player.id);
        let own = entries.into_iter().flatten().find(|entry| entry.outbox == self.outbox);
        if let Some(own) = own {
            own.pass = identity.pass.clone();
        }
    }

    /// Forgets a token whose validity could not be confirmed.
    pub fn forget(&mut self, token: TokenHash) {
        self.shared.state.lock().recent_tokens.forget(token);
    }

    /// Like [`Registration::identify`], but does not ask the store. Identifies the player if the
    /// token was recently valid. The token is looked up and the connection is registered under
    /// the same lock, so a revocation always finds either the remembered token or the connection.
    pub fn identify_by_memory(&mut self, token: TokenHash, connections_max: usize) -> Option<Principal> {
        let shared = self.shared.clone();
        let mut state = shared.state.lock();
        let (visit, identity) = state.recent_tokens.enter_again(Instant::now(), token)?;
        self.visit = Some(visit);
        let surplus = self.identify_in(&mut state, &identity.player.id, &identity.token_id, connections_max);
        self.keep_pass(&mut state, &identity);
        drop(state);
        close_surplus(surplus);
        Some(identity)
    }

    fn identify_in(
        &mut self,
        state: &mut State,
        player_id: &str,
        token_id: &str,
        connections_max: usize,
    ) -> Vec<Entry> {
        let player: Arc<str> = player_id.into();
        let entries = state.players.entry(player.clone()).or_default();
        if entries.is_empty()
            && let Some(store) = self.shared.store.get()
        {
            // The call itself begins to follow the topic, so the future need not be awaited.
            drop(store.follow(Topic::Player(player.clone())));
        }
        let token = token_id.into();
        // Reserve space for only one more connection, because most players have only one.
        entries.reserve_exact(1);
        entries.push(Entry { outbox: self.outbox.clone(), token, network: self.network, pass: None });
        let surplus = entries.drain(..entries.len().saturating_sub(connections_max.max(1))).collect();
        self.player = Some(player);
        surplus
    }
}

fn close_surplus(surplus: Vec<Entry>) {
    for entry in surplus {
        count_hit(Limit::Connections, Scope::Player);
        entry.outbox.close(CloseCode::TooManyConnections);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.all.remove(&self.outbox.connection());
        state.anonymous.remove(&self.outbox.connection());
        if let Some(visit) = self.visit.take() {
            state.recent_tokens.leave(Instant::now(), visit);
        }
        if let Some(player) = &self.player
            && let Some(entries) = state.players.get_mut(player)
        {
            entries.retain(|entry| entry.outbox != self.outbox);
            if entries.is_empty() {
                state.players.remove(player);
                if let Some(store) = self.shared.store.get() {
                    store.unfollow(&Topic::Player(player.clone()));
                }
            }
        }
        let is_empty = state.all.is_empty();
        drop(state);
        if is_empty {
            self.shared.emptied.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::super::reading::{next, poll_next};
    use super::super::send_queue::{OutboxReader, outbox};
    use super::*;

    fn ping() -> Payload {
        Payload::new(&ServerToClient::Ping { id: 1, server_time: 0, heads: Vec::new(), pool: None })
    }

    fn connect(connections: &Connections) -> (Registration, OutboxReader) {
        let (outbox, reader) = outbox(ConnectionId::next());
        (connections.enter(outbox, None), reader)
    }

    #[tokio::test]
    async fn a_message_reaches_all_connections_of_its_player_only() {
        let connections = Connections::new();
        let (mut first, mut first_reader) = connect(&connections);
        let (mut second, mut second_reader) = connect(&connections);
        let (mut other, _other_reader) = connect(&connections);
        first.identify("ana", "t", 8);
        second.identify("ana", "t", 8);
        other.identify("bo", "t", 8);
        connections.notify("ana", &ping());
        connections.notify("nobody", &ping());
        for reader in [&mut first_reader, &mut second_reader] {
            assert_eq!(next(reader).await, Ok(ping()));
        }
        assert_eq!(other.outbox.queued(), 0);
        assert_eq!((connections.len(), connections.players_online()), (3, 2));
    }

    #[tokio::test]
    async fn the_oldest_connection_goes_when_there_are_too_many() {
        let connections = Connections::new();
        let (mut first, mut first_reader) = connect(&connections);
        let (mut second, _second_reader) = connect(&connections);
        let (mut third, _third_reader) = connect(&connections);
        for registration in [&mut first, &mut second, &mut third] {
            registration.identify("ana", "t", 2);
        }
        assert_eq!(next(&mut first_reader).await, Err(CloseCode::TooManyConnections));
        assert!(!second.outbox.is_closed() && !third.outbox.is_closed());
    }

    #[tokio::test]
    async fn the_connections_of_a_revoked_token_are_closed_and_no_others() {
        let connections = Connections::new();
        let (mut phone, mut phone_reader) = connect(&connections);
        let (mut desk, _desk_reader) = connect(&connections);
        let (mut other, _other_reader) = connect(&connections);
        phone.identify("ana", "t1", 8);
        desk.identify("ana", "t2", 8);
        other.identify("bo", "t1", 8);
        connections.close_token("ana", "t1", CloseCode::TokenRevoked);
        assert_eq!(next(&mut phone_reader).await, Err(CloseCode::TokenRevoked));
        assert!(!desk.outbox.is_closed() && !other.outbox.is_closed());
    }

    #[test]
    fn a_player_is_online_until_the_last_connection_is_gone() {
        let connections = Connections::new();
        let (mut first, _first_reader) = connect(&connections);
        let (mut second, _second_reader) = connect(&connections);
        first.identify("ana", "t", 8);
        second.identify("ana", "t", 8);
        drop(first);
        assert!(connections.is_online("ana"));
        drop(second);
        assert!(!connections.is_online("ana"));
        assert!(connections.is_empty());
    }

    #[test]
    fn anonymous_clients_are_nobodys_and_hear_of_the_store() {
        let connections = Connections::new();
        let (mut anonymous, _reader) = connect(&connections);
        let (greeting, _greeting_reader) = connect(&connections);
        anonymous.enter_anonymously();
        assert_eq!((connections.anonymous(), connections.identified(), connections.len()), (1, 0, 2));
        assert_eq!(connections.players_online(), 0);
        connections.note_store(false);
        assert_eq!((anonymous.outbox.queued(), greeting.outbox.queued()), (1, 0));
        drop(anonymous);
        assert_eq!(connections.anonymous(), 0);
    }

    #[tokio::test]
    async fn closing_all_reaches_late_comers_too() {
        let connections = Connections::new();
        let (first, mut first_reader) = connect(&connections);
        connections.close_all(CloseCode::Shutdown);
        let (late, mut late_reader) = connect(&connections);
        for reader in [&mut first_reader, &mut late_reader] {
            assert_eq!(next(reader).await, Err(CloseCode::Shutdown));
        }
        let waiting = tokio::spawn({
            let connections = connections.clone();
            async move { connections.emptied().await }
        });
        drop(first);
        drop(late);
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn an_outage_and_its_end_are_announced_once_to_all() {
        let connections = Connections::new();
        let (mut one, mut reader) = connect(&connections);
        let (_greeting, mut stranger) = connect(&connections);
        one.identify("ana", "t", 8);
        for is_available in [true, false, false, true, true] {
            connections.note_store(is_available);
            assert_eq!(connections.is_store_away(), !is_available);
        }
        for available in [false, true] {
            let told = Payload::new(&ServerToClient::StoreState { available, game: None });
            assert_eq!(next(&mut reader).await, Ok(told));
        }
        assert_eq!(one.outbox.queued(), 0);
        assert_eq!(poll_next(&mut stranger, &mut Context::from_waker(Waker::noop())), Poll::Pending);
    }
}
