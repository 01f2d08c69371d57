//! Open offers and running games, counted for the clients whose commands made them.
//!
//! An offer or a game ends in many ways, also on other servers, so ends are not reported here.
//! Instead, what is held is checked again when a limit is reached, and now and then: see
//! [`Admission::to_verify`].

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use flagfall_board::GameId;
use tokio::time::Instant;

use super::{Admission, Client, LATER, Limit, Network, Scope, TooMany};

/// Shortest time between two checks of one holder.
const VERIFY: Duration = Duration::from_secs(1);

/// An open offer or a running game.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Held {
    /// A seek, by id.
    Seek(String),
    /// A challenge, by code.
    Challenge(String),
    /// A place in the pool, by player.
    PoolPlace(String),
    /// A game.
    Game {
        /// Its id.
        game: GameId,
        /// True if it is against the house.
        is_house: bool,
    },
}

/// The client or player it counts for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Holder {
    /// An address.
    Address(Network),
    /// A player; counts only games against the house.
    Player(String),
}

/// What a command is about to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Offer,
    Game { is_house: bool },
}

/// What each holder holds.
pub(crate) type Holdings = HashMap<Holder, Holding>;

#[derive(Default)]
pub(crate) struct Holding {
    held: BTreeSet<Held>,
    /// Commands under way; what they make is not known yet.
    pending: Vec<Wanted>,
    looked_at: Option<Instant>,
}

impl Holding {
    fn count(&self, is_counted: impl Fn(Wanted) -> bool) -> usize {
        let held = self.held.iter().filter(|held| is_counted(held.kind())).count();
        held + self.pending.iter().filter(|wanted| is_counted(**wanted)).count()
    }
}

impl Held {
    fn kind(&self) -> Wanted {
        match self {
            Held::Seek(_) | Held::Challenge(_) | Held::PoolPlace(_) => Wanted::Offer,
            Held::Game { is_house, .. } => Wanted::Game { is_house: *is_house },
        }
    }
}

/// A command under way that makes something. Dropping the ticket means that nothing was made.
#[derive(Debug)]
pub struct Ticket {
    admission: Admission,
    holders: Vec<Holder>,
    wanted: Wanted,
}

impl Admission {
    /// Reserves a place for an offer that a command is about to open.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn begin_offer(&self, client: Client) -> Result<Ticket, TooMany> {
        self.begin(address(client), Wanted::Offer)
    }

    /// Reserves a place for a game that a player's command is about to start.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn begin_game(&self, client: Client, player_id: &str, is_house: bool) -> Result<Ticket, TooMany> {
        let player = is_house.then(|| Holder::Player(player_id.to_owned()));
        self.begin(address(client).into_iter().chain(player).collect(), Wanted::Game { is_house })
    }

    fn begin(&self, holders: Vec<Holder>, wanted: Wanted) -> Result<Ticket, TooMany> {
        let mut holdings = self.holdings();
        for holder in &holders {
            let Some(holding) = holdings.get(holder) else { continue };
            if let Some((limit, scope)) = self.full(holder, holding, wanted) {
                return Err(TooMany { limit, scope, wait: LATER });
            }
        }
        for holder in &holders {
            holdings.entry(holder.clone()).or_default().pending.push(wanted);
        }
        drop(holdings);
        Ok(Ticket { admission: self.clone(), holders, wanted })
    }

    /// The limit that a holder has reached.
    fn full(&self, holder: &Holder, holding: &Holding, wanted: Wanted) -> Option<(Limit, Scope)> {
        let limits = &self.shared.limits;
        let is_house = |kind: Wanted| kind == Wanted::Game { is_house: true };
        let is_full = |max: usize, is_counted: &dyn Fn(Wanted) -> bool| holding.count(is_counted) >= max;
        match (holder, wanted) {
            (Holder::Address(_), Wanted::Offer) => {
                let is_reached = is_full(limits.offers_per_address, &|kind| kind == Wanted::Offer);
                is_reached.then_some((Limit::Offers, Scope::Address))
            }
            (Holder::Address(_), Wanted::Game { is_house: wants_house }) => {
                if is_full(limits.games_per_address, &|kind| kind != Wanted::Offer) {
                    return Some((Limit::Games, Scope::Address));
                }
                let is_reached = wants_house && is_full(limits.house_games_per_address, &is_house);
                is_reached.then_some((Limit::HouseGames, Scope::Address))
            }
            (Holder::Player(_), _) => {
                let is_reached = is_full(limits.house_games_per_player, &is_house);
                is_reached.then_some((Limit::HouseGames, Scope::Player))
            }
        }
    }

    /// Counts a running game for the address from which its player has it open, unless it counts
    /// already. Nothing is refused because of it.
    pub fn note_game(&self, client: Client, player_id: &str, game: GameId, is_house: bool) {
        let player = is_house.then(|| Holder::Player(player_id.to_owned()));
        let held = Held::Game { game, is_house };
        let mut holdings = self.holdings();
        for holder in address(client).into_iter().chain(player) {
            let holding = holdings.entry(holder).or_default();
            // More than the limit need not be remembered.
            if holding.held.len() < self.shared.limits.games_per_address {
                holding.held.insert(held.clone());
            }
        }
    }

    /// What a holder holds, if it is time to check it again; otherwise empty.
    #[must_use]
    pub fn to_verify(&self, holder: &Holder, now: Instant) -> Vec<Held> {
        let mut holdings = self.holdings();
        let Some(holding) = holdings.get_mut(holder) else { return Vec::new() };
        if holding.looked_at.is_some_and(|at| now.saturating_duration_since(at) < VERIFY) {
            return Vec::new();
        }
        holding.looked_at = Some(now);
        holding.held.iter().cloned().collect()
    }

    /// All holders.
    #[must_use]
    pub fn holders(&self) -> Vec<Holder> {
        self.holdings().keys().cloned().collect()
    }

    /// Removes offers and games that are closed or over.
    pub fn release(&self, holder: &Holder, ended: &[Held]) {
        let mut holdings = self.holdings();
        if let Some(holding) = holdings.get_mut(holder) {
            holding.held.retain(|held| !ended.contains(held));
        }
        forget_empty(&mut holdings, holder);
    }
}

/// The address, unless its network is exempt from limits.
fn address(client: Client) -> Vec<Holder> {
    if client.is_trusted { Vec::new() } else { vec![Holder::Address(client.network)] }
}

fn forget_empty(holdings: &mut Holdings, holder: &Holder) {
    if holdings.get(holder).is_some_and(|holding| holding.held.is_empty() && holding.pending.is_empty()) {
        holdings.remove(holder);
    }
}

impl Ticket {
    /// Records what the command has made.
    pub fn keep(self, held: &Held) {
        let mut holdings = self.admission.holdings();
        for holder in &self.holders {
            holdings.entry(holder.clone()).or_default().held.insert(held.clone());
        }
        // Release the lock first: dropping the ticket takes it again.
        drop(holdings);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut holdings = self.admission.holdings();
        for holder in &self.holders {
            if let Some(holding) = holdings.get_mut(holder)
                && let Some(at) = holding.pending.iter().position(|wanted| *wanted == self.wanted)
            {
                holding.pending.swap_remove(at);
            }
            forget_empty(&mut holdings, holder);
        }
    }
}

impl Holder {
    /// The holders that a refusal may be about.
    #[must_use]
    pub fn of(client: Client, player_id: &str) -> Vec<Holder> {
        let mut holders = address(client);
        holders.push(Holder::Player(player_id.to_owned()));
        holders
    }
}
