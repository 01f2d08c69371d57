//! Shares the thinking time of house players among the people who play against them.
//!
//! Only a few house players may think at once. When a place is free, it goes to one network: the
//! one with the fewest house players thinking. Among several such networks, it goes to the one that
//! has used the least time. Within the network, a player is chosen in the same way. Of this
//! player's games, the one that has waited longest gets the place. So if one player has 500 games,
//! another player with a single game waits at most until the thoughts that are under way have
//! ended. Each choice looks at all networks, and then at all players of the chosen network.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use flagfall_base::admission::Network;

/// The number of accounts above which all idle ones are removed. Below this number, an idle
/// account is kept if it has used more time than others.
const IDLE_MAX: usize = 4_096;

/// The network and the player who are charged for a house player's thinking.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct ThinkingShare {
    /// The network from which the opponent is connected to this server. If it is unknown, the
    /// opponent is treated as a network with one player.
    pub(super) network: Option<Network>,
    pub(super) player: Arc<str>,
}

/// A network, or a player whose network is unknown.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Branch {
    Network(Network),
    Alone(Arc<str>),
}

impl ThinkingShare {
    fn branch(&self) -> Branch {
        self.network.map_or_else(|| Branch::Alone(self.player.clone()), Branch::Network)
    }
}

#[derive(Default)]
struct Account {
    spent: Duration,
    thinking: usize,
    waiting: usize,
    /// The value of [`Room::picks`] when this account was last picked, or began to wait. Accounts
    /// that are otherwise equal take turns in the order of this value.
    picked: u64,
}

impl Account {
    const fn is_idle(&self) -> bool {
        self.thinking == 0 && self.waiting == 0
    }

    /// Begins to wait. Time spent idle does not give an account an advantage over others.
    fn wait(&mut self, ticket: u64, least: Duration) {
        if self.is_idle() {
            self.spent = self.spent.max(least);
            self.picked = ticket;
        }
        self.waiting += 1;
    }

    fn start(&mut self, ticket: u64) {
        self.waiting -= 1;
        self.thinking += 1;
        self.picked = ticket;
    }

    fn stop(&mut self, used: Duration) {
        self.thinking = self.thinking.saturating_sub(1);
        self.spent += used;
    }

    const fn order(&self) -> (usize, Duration, u64) {
        (self.thinking, self.spent, self.picked)
    }
}

#[derive(Default)]
struct Player {
    account: Account,
    /// The waiting games, with their tickets.
    waiting: VecDeque<(u64, oneshot::Sender<()>)>,
}

#[derive(Default)]
struct Crowd {
    account: Account,
    /// The most time that any player had used at the moment they were picked.
    least: Duration,
    players: HashMap<Arc<str>, Player>,
}

struct Room {
    free: usize,
    /// The most time that any network had used at the moment it was picked.
    least: Duration,
    /// A counter that grows with every new wait and every pick. Its value at the start of a wait
    /// is the ticket.
    picks: u64,
    networks: HashMap<Branch, Crowd>,
}

impl Room {
    /// Begins to wait for a place. Returns a ticket, and a receiver that gets a message when a
    /// place is assigned to the ticket.
    fn wait(&mut self, share: &ThinkingShare) -> (u64, oneshot::Receiver<()>) {
        self.picks += 1;
        let network = self.networks.entry(share.branch()).or_default();
        network.account.wait(self.picks, self.least);
        let player = network.players.entry(share.player.clone()).or_default();
        player.account.wait(self.picks, network.least);
        let (sender, admitted) = oneshot::channel();
        player.waiting.push_back((self.picks, sender));
        (self.picks, admitted)
    }

    /// Gives free places to those who wait, in turn.
    fn admit(&mut self) {
        while self.free > 0
            && let Some(next) = self.pick()
        {
            self.free -= 1;
            // If the receiver is gone, dropping its `Place` frees the place.
            let _has_gone = next.send(());
        }
    }

    /// Removes the game whose turn it is from the queue, and returns its sender.
    fn pick(&mut self) -> Option<oneshot::Sender<()>> {
        let waiting = self.networks.values_mut().filter(|network| network.account.waiting > 0);
        let network = waiting.min_by_key(|network| network.account.order())?;
        let waiting = network.players.values_mut().filter(|player| player.account.waiting > 0);
        let player = waiting.min_by_key(|player| player.account.order())?;
        let (_ticket, next) = player.waiting.pop_front()?;
        self.picks += 1;
        self.least = self.least.max(network.account.spent);
        network.least = network.least.max(player.account.spent);
        network.account.start(self.picks);
        player.account.start(self.picks);
        Some(next)
    }

    fn stop(&mut self, share: &ThinkingShare, used: Duration) {
        if let Some(network) = self.networks.get_mut(&share.branch()) {
            network.account.stop(used);
            if let Some(player) = network.players.get_mut(&share.player) {
                player.account.stop(used);
            }
        }
        self.forget_idle(share);
    }

    /// Ends a wait. Returns false if the ticket already has a place.
    fn cancel(&mut self, share: &ThinkingShare, ticket: u64) -> bool {
        if let Some(network) = self.networks.get_mut(&share.branch())
            && let Some(player) = network.players.get_mut(&share.player)
            && let Some(at) = player.waiting.iter().position(|(waiting, _)| *waiting == ticket)
        {
            player.waiting.remove(at);
            player.account.waiting -= 1;
            network.account.waiting -= 1;
            self.forget_idle(share);
            return true;
        }
        false
    }

    /// Forgets idle accounts that do not differ from new ones.
    fn forget_idle(&mut self, share: &ThinkingShare) {
        let branch = share.branch();
        if let Some(network) = self.networks.get_mut(&branch) {
            let least = network.least;
            let is_new = |player: &Player| player.account.is_idle() && player.account.spent <= least;
            if network.players.get(&share.player).is_some_and(is_new) {
                network.players.remove(&share.player);
            }
            if network.players.len() > IDLE_MAX {
                network.players.retain(|_, player| !player.account.is_idle());
            }
            if network.account.is_idle() && network.account.spent <= self.least {
                self.networks.remove(&branch);
            }
        }
        if self.networks.len() > IDLE_MAX {
            self.networks.retain(|_, network| !network.account.is_idle());
        }
        if self.networks.values().all(|network| network.account.is_idle()) {
            self.networks.clear();
            (self.least, self.picks) = (Duration::ZERO, 0);
        }
    }
}

/// The room in which house players think, a few at a time. Cheap to clone.
#[derive(Clone)]
pub(super) struct ThinkingRoom(Arc<Mutex<Room>>);

impl ThinkingRoom {
    pub(super) fn new(places: usize) -> ThinkingRoom {
        let (free, least, networks) = (places.max(1), Duration::ZERO, HashMap::new());
        ThinkingRoom(Arc::new(Mutex::new(Room { free, least, picks: 0, networks })))
    }

    /// Runs a thought on a separate thread. The place stays taken until the thought ends.
    pub(super) fn think<T: Send + 'static>(
        place: Place,
        thought: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        tokio::task::spawn_blocking(move || {
            let _place = place;
            thought()
        })
    }

    /// Waits for a place. Dropping the returned place frees it.
    pub(super) async fn enter(&self, share: ThinkingShare) -> Place {
        let (admitted, mut place) = {
            let mut room = self.0.lock();
            let (ticket, admitted) = room.wait(&share);
            room.admit();
            (admitted, Place { room: self.clone(), share, ticket, since: None })
        };
        // This cannot fail, because the room keeps the sender while the ticket waits.
        let _admitted = admitted.await;
        place.since = Some(Instant::now());
        place
    }
}

pub(super) struct Place {
    room: ThinkingRoom,
    share: ThinkingShare,
    ticket: u64,
    since: Option<Instant>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut room = self.room.0.lock();
        if !room.cancel(&self.share, self.ticket) {
            let used = self.since.map(|since| since.elapsed()).unwrap_or_default();
            room.stop(&self.share, used);
            room.free += 1;
            room.admit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THINK: Duration = Duration::from_millis(10);

    fn share(network: Option<u8>, player: &str) -> ThinkingShare {
        let network = network.map(|last| Network::of(std::net::IpAddr::from([192, 0, 2, last])));
        ThinkingShare { network, player: player.into() }
    }

    /// Plays a game whose house player thinks without a break. Whenever the game gets a place,
    /// adds the player to `log`.
    fn play(room: &ThinkingRoom, share: ThinkingShare, log: &Arc<Mutex<Vec<Arc<str>>>>) {
        let (room, log) = (room.clone(), log.clone());
        tokio::spawn(async move {
            loop {
                let place = room.enter(share.clone()).await;
                log.lock().push(share.player.clone());
                tokio::time::sleep(THINK).await;
                drop(place);
            }
        });
    }

    /// Returns the longest wait of `newcomer` while the games of `others` are played.
    async fn wait_of(newcomer: ThinkingShare, others: Vec<ThinkingShare>) -> Duration {
        let (room, log) = (ThinkingRoom::new(1), Arc::default());
        for other in others {
            play(&room, other, &log);
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
        let mut longest = Duration::ZERO;
        for _ in 0..20 {
            let asked = Instant::now();
            let place = room.enter(newcomer.clone()).await;
            longest = longest.max(asked.elapsed());
            tokio::time::sleep(THINK).await;
            drop(place);
            tokio::time::sleep(Duration::from_millis(137)).await;
        }
        longest
    }

    #[tokio::test(start_paused = true)]
    async fn five_hundred_games_of_one_player_delay_another_by_one_thought() {
        let greedy = vec![share(None, "greedy"); 500];
        assert!(wait_of(share(None, "honest"), greedy).await <= 2 * THINK);
    }

    #[tokio::test(start_paused = true)]
    async fn five_hundred_players_of_one_network_delay_another_network_by_one_thought() {
        let crowd: Vec<_> = (0..500).map(|number| share(Some(1), &format!("guest {number}"))).collect();
        assert!(wait_of(share(Some(2), "honest"), crowd.clone()).await <= 2 * THINK);
        // Players of one network share its time. A player whose network is unknown counts as a
        // network.
        assert!(wait_of(share(None, "honest"), crowd).await <= 2 * THINK);
    }

    #[tokio::test(start_paused = true)]
    async fn players_of_one_network_share_its_time() {
        let mut crowd = vec![share(Some(1), "greedy"); 500];
        crowd.push(share(Some(1), "modest"));
        assert!(wait_of(share(Some(1), "honest"), crowd).await <= 3 * THINK);
    }

    #[tokio::test(start_paused = true)]
    async fn every_player_gets_as_much_time_regardless_of_their_games() {
        let (room, log) = (ThinkingRoom::new(2), Arc::new(Mutex::new(Vec::new())));
        for (player, games) in [("ana", 300), ("bo", 30), ("cy", 3)] {
            (0..games).for_each(|_| play(&room, share(None, player), &log));
        }
        tokio::time::sleep(Duration::from_secs(30)).await;
        let log = log.lock();
        for player in ["ana", "bo", "cy"] {
            let thoughts = log.iter().filter(|who| ***who == *player).count();
            assert!(
                thoughts.abs_diff(log.len() / 3) < log.len() / 30,
                "{player}: {thoughts} of {}",
                log.len()
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_wait_or_place_goes_to_the_next() {
        let room = ThinkingRoom::new(1);
        let first = room.enter(share(None, "ana")).await;
        let waiting = tokio::spawn({
            let room = room.clone();
            async move { drop(room.enter(share(None, "bo")).await) }
        });
        tokio::task::yield_now().await;
        waiting.abort();
        assert!(waiting.await.unwrap_err().is_cancelled());
        let mut admitted = Box::pin(room.enter(share(None, "cy")));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(admitted.as_mut().poll(&mut context).is_pending());
        drop(first);
        // Drop a future that got a place while it waited but never used it.
        drop(admitted);
        drop(room.enter(share(None, "di")).await);
        let room = room.0.lock();
        assert_eq!((room.free, room.networks.len()), (1, 0));
    }
}
