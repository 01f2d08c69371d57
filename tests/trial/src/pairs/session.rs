//! One of the two sessions of a pair: both players and a spectator, who follow a script step by
//! step.

use std::net::SocketAddr;
use std::sync::Arc;

use flagfall_board::GameId;
use flagfall_protocol::{ClientToServer, Code, GameCommand, Presence};
use flagfall_rules::{Lakes, Ruleset};
use tokio::sync::{mpsc, watch};
use tokio::time::{Duration, sleep};

use super::making::{command_id, make_game};
use super::plan::PairPlan;
use super::played::Played;
use super::seat::{PUBLIC, Seat, apart, beside};
use super::twins::{Act, Order};
use crate::chance::chance_for;
use crate::client::Client;
use crate::error::TrialError;
use crate::http;
use crate::log::{Role, TextPool};
use crate::proxy::Proxy;

/// The pause before a command is repeated to a server that cannot accept it now.
const PAUSE: Duration = Duration::from_millis(50);
/// The maximum number of times that a command is repeated.
const REPEATS_MAX: usize = 200;
/// The progress of the kills.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Killed {
    /// The number of completed kills.
    pub count: usize,
    /// The server that was killed last. None if all servers were killed.
    pub server: Option<usize>,
}

/// A session's access to the servers and to the run.
pub(super) struct Links {
    /// The address of each server.
    pub servers: Vec<watch::Receiver<Vec<SocketAddr>>>,
    /// Notified when the session waits for a kill.
    pub arrived: mpsc::Sender<()>,
    /// The progress of the kills.
    pub killed: watch::Receiver<Killed>,
    /// If the session's connections are to break: the act before which they break, and the
    /// proxies that break them.
    pub breaks: Option<(usize, Vec<Arc<Proxy>>)>,
}

struct Session<'a> {
    plan: &'a PairPlan,
    variant: usize,
    seats: [Seat; 3],
    game: GameId,
    links: Links,
    is_spread: bool,
    /// For each outage, the number of times that a server could not accept a command yet.
    put_off: Vec<u64>,
    /// For each outage, true if it affected a server of this session.
    was_hit: Vec<bool>,
    /// The act at which the session's first unplanned disturbance happened.
    disturbed: Option<usize>,
}

/// Plays one session of a pair.
///
/// # Errors
/// [`TrialError`] if the script cannot be carried out.
pub(super) async fn play(plan: &PairPlan, variant: usize, links: Links) -> Result<Played, TrialError> {
    let count = links.servers.len();
    // With one server, all messages have a fixed order. With several servers, only events and
    // answers do. A game with drawn lakes always uses one server. Such a game is created many
    // times, and its players must wait until each aborted game is gone.
    let is_even = (plan.number + plan.number / Ruleset::all().len()).is_multiple_of(2);
    let is_spread = count > 1 && !is_even && plan.ruleset.lakes != Lakes::Drawn;
    let pool = Arc::new(TextPool::default());
    let make = |role: Role, number: usize| {
        let name = format!("p{}-{variant}{number}-{:04x}", plan.number, plan.seed & 0xffff);
        let server = (plan.number + if is_spread { number } else { 0 }) % count.max(1);
        let chance = chance_for(plan.seed, "pair client", number);
        let addresses = links.servers[server].clone();
        Seat::new(Client::new(name, role, addresses.clone(), pool.clone(), chance), server, addresses)
    };
    let mut seats = [make(Role::Red, 0), make(Role::Blue, 1), make(Role::Spectator(0), PUBLIC)];
    for seat in &mut seats[..PUBLIC] {
        seat.client.connect().await?;
    }
    let (game, challenge) = make_game(plan, &mut seats).await?;
    seats[PUBLIC].client.connect().await?;
    let mut session = Session {
        plan,
        variant,
        seats,
        game,
        links,
        is_spread,
        put_off: Vec::new(),
        was_hit: Vec::new(),
        disturbed: None,
    };
    session.follow_script().await?;
    Ok(session.over(challenge))
}

impl Session<'_> {
    async fn follow_script(&mut self) -> Result<(), TrialError> {
        for who in 0..3 {
            self.open(who).await?;
            let seat = &mut self.seats[who];
            seat.breaks_planned = seat.client.counts.breaks;
        }
        for (number, act) in self.plan.acts.iter().enumerate() {
            self.seats.iter_mut().for_each(|seat| seat.marks.push(seat.client.log.entries.len()));
            if let Some((_, lines)) = self.links.breaks.as_ref().filter(|(act, _)| *act == number) {
                lines.iter().for_each(|line| line.break_all());
            }
            let done = match act {
                Act::Order(order) => self.order(number, order).await,
                Act::Drop(side) => self.drop_and_resume(*side as usize).await,
                Act::Fetch => self.fetch().await,
                Act::Outage => self.outlive_kill().await,
            };
            // The connection broke without a kill, or there was another unplanned disturbance.
            // Compare the session only up to this point.
            if self.seats.iter().any(|seat| seat.is_disturbed || seat.is_broken()) {
                self.disturbed.get_or_insert(number);
            }
            if done.is_err() {
                return if self.disturbed.is_some() { Ok(()) } else { done };
            }
        }
        Ok(())
    }

    /// Opens the game. The other clients are told that this client is present.
    async fn open(&mut self, who: usize) -> Result<(), TrialError> {
        let (game, (seat, others)) = (self.game, apart(&mut self.seats, who));
        beside(others, seat.open(game)).await?;
        if who != PUBLIC && !self.is_spread {
            for other in self.others_watching(who) {
                self.seats[other].await_presence(who, Presence::Present).await?;
            }
        }
        Ok(())
    }

    /// The other clients that have the game open.
    fn others_watching(&self, who: usize) -> Vec<usize> {
        let is_open = |seat: &Seat| seat.client.is_connected() && seat.seen.is_some();
        (0..3).filter(|other| *other != who && is_open(&self.seats[*other])).collect()
    }

    async fn order(&mut self, number: usize, order: &Order) -> Result<(), TrialError> {
        let Some(command) = &order.commands[self.variant] else { return Ok(()) };
        let id = command_id(&format!("c-{number}"))?;
        let (game, ply) = (self.game, order.ply);
        let message =
            ClientToServer::Command { cmd_id: id.clone(), game, ply, epoch: None, command: command.clone() };
        for (seat, told) in self.seats.iter_mut().zip(order.told[self.variant]) {
            seat.due += told;
        }
        for _ in 0..REPEATS_MAX {
            let (seat, others) = apart(&mut self.seats, order.side as usize);
            let refusal = beside(others, seat.ask(&message, &id)).await?;
            match refusal {
                Some((code, _)) if is_for_now(code.as_str()) => {
                    // This refusal is about the outage, not about the game.
                    self.put_off.last_mut().into_iter().for_each(|count| *count += 1);
                    let seat = &mut self.seats[order.side as usize];
                    seat.is_disturbed |= !seat.is_in_outage;
                    sleep(PAUSE).await;
                }
                Some((code, text)) if !order.is_refused => {
                    let what = format!("{command:?}: {code}: {text}");
                    return Err(self.seats[order.side as usize].client.error(game.as_str(), what));
                }
                None if order.is_refused => {
                    let what = format!("{command:?} was accepted");
                    return Err(self.seats[order.side as usize].client.error(game.as_str(), what));
                }
                _ => {
                    let [red, blue, spectator] = &mut self.seats;
                    tokio::try_join!(red.catch_up(), blue.catch_up(), spectator.catch_up())?;
                    return Ok(());
                }
            }
        }
        let what = format!("{command:?} was not accepted in time");
        Err(self.seats[order.side as usize].client.error(game.as_str(), what))
    }

    async fn drop_and_resume(&mut self, who: usize) -> Result<(), TrialError> {
        self.seats[who].client.drop_line();
        if who != PUBLIC && !self.is_spread {
            for other in self.others_watching(who) {
                self.seats[other].await_presence(who, Presence::Reconnecting).await?;
            }
        }
        self.connect_and_open(who).await
    }

    async fn connect_and_open(&mut self, who: usize) -> Result<(), TrialError> {
        let (seat, others) = apart(&mut self.seats, who);
        beside(others, Box::pin(seat.client.connect())).await?;
        self.open(who).await
    }

    /// Waits until servers have been killed and restarted, then reconnects.
    async fn outlive_kill(&mut self) -> Result<(), TrialError> {
        let before = self.links.killed.borrow().count;
        for seat in &mut self.seats {
            // From this point on, count the events about the outage.
            seat.lapses.push(0);
            seat.is_in_outage = true;
            seat.outages_at.push((seat.client.log.entries.len(), usize::MAX));
        }
        self.put_off.push(0);
        let gone = |_| TrialError::Defect("no more servers are killed".to_owned());
        self.links.arrived.send(()).await.map_err(|_| TrialError::Defect("no task waits".to_owned()))?;
        let killed = self.links.killed.wait_for(|killed| killed.count > before);
        let killed = *beside(self.seats.each_mut(), killed).await.map_err(gone)?;
        let is_killed = |seat: &Seat| killed.server.is_none_or(|server| server == seat.server);
        let cut: Vec<usize> = (0..3).filter(|who| is_killed(&self.seats[*who])).collect();
        self.was_hit.push(!cut.is_empty());
        for who in &cut {
            let client = &mut self.seats[*who].client;
            while client.receive().await.is_some() {}
        }
        for who in 0..3 {
            if cut.contains(&who) {
                self.connect_and_open(who).await?;
                let seat = &mut self.seats[who];
                seat.breaks_planned = seat.client.counts.breaks;
            }
        }
        self.hear_of_outage().await?;
        for seat in &mut self.seats {
            let end = seat.client.log.entries.len();
            seat.outages_at.last_mut().into_iter().for_each(|outage| outage.1 = end);
            seat.is_in_outage = false;
        }
        for who in 0..3 {
            self.drop_and_resume(who).await?;
        }
        Ok(())
    }

    /// Reads all events about the outage. They come at no fixed time, but always before the
    /// server decides on a command. So this function sends a command that must be refused, and
    /// waits for the refusal.
    async fn hear_of_outage(&mut self) -> Result<(), TrialError> {
        let (side, commands) =
            (self.plan.hider, [Some(GameCommand::DeclineDraw {}), Some(GameCommand::DeclineDraw {})]);
        let order = Order { side, ply: 0, commands, told: [[0; 3]; 2], is_refused: true };
        self.order(usize::MAX - self.put_off.len(), &order).await?;
        let told = self.seats[side as usize].lapses.last().copied();
        for seat in &mut self.seats {
            while seat.lapses.last().copied() < told {
                seat.next("what happened to the clocks").await?;
            }
        }
        Ok(())
    }

    /// The viewer and the public read the game over HTTP.
    async fn fetch(&mut self) -> Result<(), TrialError> {
        let viewer = self.plan.hider.opponent() as usize;
        for who in [viewer, PUBLIC] {
            let (game, (seat, mut others)) = (self.game, apart(&mut self.seats, who));
            let token = if who == PUBLIC { None } else { seat.client.token.clone() };
            for under in ["", "/record", "/record.txt"] {
                let (address, after) = (seat.address()?, seat.client.log.entries.len());
                let [one, other] = &mut others;
                let read = http::get(address, game.as_str(), under, token.as_deref());
                let text = beside([seat, one, other], read).await?;
                seat.fetched.push((after, text));
            }
        }
        Ok(())
    }

    fn over(self, challenge: Option<String>) -> Played {
        let mut opaque = vec![self.game.as_str().to_owned()];
        for Seat { client, .. } in &self.seats {
            opaque.extend([client.player_id.clone(), client.name.clone()]);
            opaque.extend(client.token.clone());
        }
        opaque.extend(challenge);
        let hider = self.plan.hider as usize;
        Played {
            seats: self.seats,
            hider,
            watching: [1 - hider, PUBLIC],
            opaque,
            put_off: self.put_off,
            was_hit: self.was_hit,
            disturbed: self.disturbed,
            kills: self.plan.kills(),
            is_spread: self.is_spread,
            is_end_open: self.plan.is_end_open,
        }
    }
}

/// True if this code means that a server refused a command because of an outage.
fn is_for_now(code: &str) -> bool {
    [Code::STORE_UNAVAILABLE, Code::TOO_MANY, Code::STOPPING, "paused"].contains(&code)
}
