//! Tickets: the reserved places for offers and games that commands are about to create.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use flagfall_board::GameId;
use tokio::time::Instant;

use super::Admission;
use super::counts::{Counts, Held, Holder, Holding, Wanted, address, forget_empty};
use super::limits::{LATER, Limit, Scope, TooMany};
use super::network::Client;

/// The shortest time between two checks of the offers and games of a holder.
const VERIFY: Duration = Duration::from_secs(1);

/// A place reserved for a command in progress that creates an offer or a game. Dropping the
/// ticket means that nothing was created, and frees the place.
pub struct Ticket {
    counts: Arc<Counts>,
    holders: Vec<Holder>,
    wanted: Wanted,
}

impl Admission {
    /// Reserves a place for an offer that a command is about to open.
    pub fn begin_offer(&self, client: Client) -> Result<Ticket, TooMany> {
        self.begin(address(client), Wanted::Offer)
    }

    /// Reserves a place for a game that a player's command is about to start.
    pub fn begin_game(&self, client: Client, player_id: &str, is_house: bool) -> Result<Ticket, TooMany> {
        let player = is_house.then(|| Holder::Player(player_id.to_owned()));
        self.begin(address(client).into_iter().chain(player).collect(), Wanted::Game { is_house })
    }

    fn begin(&self, holders: Vec<Holder>, wanted: Wanted) -> Result<Ticket, TooMany> {
        let mut holdings = self.counts.holdings.lock();
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
        Ok(Ticket { counts: self.counts.clone(), holders, wanted })
    }

    fn full(&self, holder: &Holder, holding: &Holding, wanted: Wanted) -> Option<(Limit, Scope)> {
        let limits = &self.counts.limits;
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

    /// Counts a running game for the address from which its player has opened it, unless the game
    /// is already counted. Never refuses a game.
    pub fn note_game(&self, client: Client, player_id: &str, game: GameId, is_house: bool) {
        let player = is_house.then(|| Holder::Player(player_id.to_owned()));
        let held = Held::Game { game, is_house };
        let mut holdings = self.counts.holdings.lock();
        for holder in address(client).into_iter().chain(player) {
            let holding = holdings.entry(holder).or_default();
            // Above the limit, more games make no difference, so do not store them.
            if holding.held.len() < self.counts.limits.games_per_address {
                holding.held.insert(held.clone());
            }
        }
    }

    /// Returns the offers and games of a holder that should be checked now. Empty if the holder
    /// was checked a moment ago.
    pub fn to_verify(&self, holder: &Holder, now: Instant) -> Vec<Held> {
        let mut holdings = self.counts.holdings.lock();
        let Some(holding) = holdings.get_mut(holder) else { return Vec::new() };
        if holding.looked_at.is_some_and(|at| now.saturating_duration_since(at) < VERIFY) {
            return Vec::new();
        }
        holding.looked_at = Some(now);
        holding.held.iter().cloned().collect()
    }

    pub fn holders(&self) -> Vec<Holder> {
        self.counts.holdings.lock().keys().cloned().collect()
    }

    /// Removes ended offers and games from a holder's count.
    pub fn release(&self, holder: &Holder, ended: &[Held]) {
        let mut holdings = self.counts.holdings.lock();
        if let Some(holding) = holdings.get_mut(holder) {
            holding.held.retain(|held| !ended.contains(held));
        }
        forget_empty(&mut holdings, holder);
    }
}

impl Ticket {
    pub fn keep(self, held: &Held) {
        let mut holdings = self.counts.holdings.lock();
        for holder in &self.holders {
            holdings.entry(holder.clone()).or_default().held.insert(held.clone());
        }
        // Release the lock here, because dropping the ticket takes this lock.
        drop(holdings);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut holdings = self.counts.holdings.lock();
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

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket")
    }
}
