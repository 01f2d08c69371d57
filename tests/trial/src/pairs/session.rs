//! One of the two sessions of a pair: both players and a spectator, moved by a script one step after the other.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use flagfall_board::{GameId, Side, SquareSet};
use flagfall_protocol::{
    ClientToServer, Code, CommandId, GameCommand, GameEvent, Position, Presence, ServerToClient, Terms, Time,
};
use flagfall_rules::{Lakes, Ruleset};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use tokio::sync::{mpsc, watch};
use tokio::time::{Duration, sleep};

use super::twins::{Act, Order};
use super::{Killed, PairPlan};
use crate::arena::arrange;
use crate::chance::chance_for;
use crate::check::Stream;
use crate::client::Client;
use crate::error::TrialError;
use crate::http;
use crate::log::{Role, TextPool, What};
use crate::plan::GamePlan;

/// Games that are made until one has the lakes of the course: there are 28 pairs of them, so all of these miss with a chance of 10^-12.
const DRAWS_MAX: usize = 800;
/// How long a server that cannot take a command now is left alone.
const PAUSE: Duration = Duration::from_millis(50);
/// How often it is asked again.
const REPEATS_MAX: usize = 200;
/// The spectator's number among the three.
const PUBLIC: usize = 2;

/// What a session hears of the servers.
pub(super) struct Links {
    /// Where each server listens.
    pub servers: Vec<watch::Receiver<Vec<SocketAddr>>>,
    /// Told when the session stands still.
    pub arrived: mpsc::Sender<()>,
    /// What was killed since.
    pub killed: watch::Receiver<Killed>,
}

/// A session that is over.
pub(super) struct Played {
    seats: [Seat; 3],
    /// The one whose secret it is.
    pub hider: usize,
    /// Those who must not see it: the other player and the public.
    pub watching: [usize; 2],
    opaque: Vec<String>,
    put_off: Vec<u64>,
    was_hit: Vec<bool>,
    disturbed: Option<usize>,
    /// At which acts servers are killed.
    kills: Vec<usize>,
    /// Whether connections and presence come over several servers, and so in no order.
    is_spread: bool,
    is_end_open: bool,
}

/// One of the three, and what it has been shown.
struct Seat {
    client: Client,
    /// Its server's number, and where that listens.
    server: usize,
    addresses: watch::Receiver<Vec<SocketAddr>>,
    seen: Option<Position>,
    /// Events it was told of, and is to be told of.
    events: u64,
    due: u64,
    /// Where in its log each outage begins, and where the session goes on.
    outages_at: Vec<(usize, usize)>,
    /// Over each outage, how many events told of the outage itself.
    lapses: Vec<u64>,
    /// Whether servers are being killed, or it has not heard yet what came of it.
    is_in_outage: bool,
    /// Whether it was told of trouble that nobody planned, on a machine too busy for its servers.
    is_disturbed: bool,
    /// How long its log was before each act.
    marks: Vec<usize>,
    /// What it read over HTTP, and after so many entries of its log.
    fetched: Vec<(usize, String)>,
    /// Which sides are there, as far as it was told.
    presence: [Presence; 2],
}

impl Seat {
    fn address(&self) -> Result<SocketAddr, TrialError> {
        let address = self.addresses.borrow().first().copied();
        address.ok_or_else(|| TrialError::Defect("no server".to_owned()))
    }

    async fn next(&mut self, what: &str) -> Result<ServerToClient, TrialError> {
        let Some(message) = self.client.receive().await else {
            return Err(self.client.error("-", format!("the line broke, waiting for {what}")));
        };
        match &message {
            ServerToClient::Game { epoch, seq, presence, .. } => {
                if let Some(before) = self.seen {
                    self.lapse(seq.saturating_sub(before.seq) + u64::from(before.epoch != *epoch));
                }
                self.seen = Some(Position { epoch: *epoch, seq: *seq });
                self.presence = [presence[Side::Red], presence[Side::Blue]];
            }
            ServerToClient::Event { seq, event, .. } => {
                if let Some(seen) = &mut self.seen {
                    seen.seq = *seq;
                }
                if matches!(event, GameEvent::Paused { .. } | GameEvent::Resumed { .. }) {
                    self.lapse(1);
                } else {
                    self.events += 1;
                }
            }
            ServerToClient::Presence { side, presence, .. } => self.presence[*side as usize] = *presence,
            ServerToClient::StoreState { .. } => self.is_disturbed |= !self.is_in_outage,
            _ => {}
        }
        Ok(message)
    }

    /// Takes note of so many events of an outage.
    fn lapse(&mut self, events: u64) {
        self.is_disturbed |= events > 0 && !self.is_in_outage;
        self.lapses.last_mut().into_iter().for_each(|lapses| *lapses += events);
    }

    /// Sends a command and waits for its answer: none, or why it is refused.
    async fn ask(
        &mut self,
        message: &ClientToServer,
        id: &CommandId,
    ) -> Result<Option<(Code, String)>, TrialError> {
        self.client.send(message).await;
        loop {
            match self.next("an answer").await? {
                ServerToClient::Accepted { cmd_id, .. } if cmd_id == *id => return Ok(None),
                ServerToClient::Refused { cmd_id: Some(cmd_id), code, message, .. } if cmd_id == *id => {
                    return Ok(Some((code, message)));
                }
                _ => {}
            }
        }
    }

    /// Opens the game. What was missed comes along.
    async fn open(&mut self, game: GameId) -> Result<(), TrialError> {
        self.client.send(&ClientToServer::OpenGame { game, since: self.seen }).await;
        while !matches!(self.next("the game").await?, ServerToClient::Game { .. }) {}
        self.events = self.due;
        Ok(())
    }

    /// Reads until it has been told of everything.
    async fn catch_up(&mut self) -> Result<(), TrialError> {
        while self.events < self.due {
            self.next("an event").await?;
        }
        Ok(())
    }

    /// Reads until it was told this of a side.
    async fn await_presence(&mut self, side: usize, presence: Presence) -> Result<(), TrialError> {
        while self.presence[side] != presence {
            self.next("who is there").await?;
        }
        Ok(())
    }

    /// Reads whatever comes, for as long as it is polled: pings want answers.
    async fn idle(&mut self) -> Infallible {
        while self.client.is_connected() {
            // A line that breaks now was killed.
            let _broken = self.next("nothing").await;
        }
        std::future::pending().await
    }
}

/// One of the three, and the two others.
fn apart(seats: &mut [Seat; 3], who: usize) -> (&mut Seat, [&mut Seat; 2]) {
    let [red, blue, spectator] = seats;
    match who {
        0 => (red, [blue, spectator]),
        1 => (blue, [red, spectator]),
        _ => (spectator, [red, blue]),
    }
}

/// Does something while others read whatever comes.
async fn beside<T, const COUNT: usize>(others: [&mut Seat; COUNT], work: impl Future<Output = T>) -> T {
    let mut listening: FuturesUnordered<_> = others.into_iter().map(|seat| Box::pin(seat.idle())).collect();
    tokio::select! {
        biased;
        done = work => done,
        Some(never) = listening.next() => match never {},
    }
}

struct Session<'a> {
    plan: &'a PairPlan,
    variant: usize,
    /// Red, Blue, the spectator.
    seats: [Seat; 3],
    game: GameId,
    links: Links,
    is_spread: bool,
    /// After each outage, how often a server could not take a command yet.
    put_off: Vec<u64>,
    /// Whether each outage was one of this session's servers.
    was_hit: Vec<bool>,
    /// The act in which it met with trouble that nobody planned.
    disturbed: Option<usize>,
}

/// Plays one session of a pair.
///
/// # Errors
/// [`TrialError`] when the script cannot be carried out.
pub(super) async fn play(plan: &PairPlan, variant: usize, links: Links) -> Result<Played, TrialError> {
    let count = links.servers.len();
    // On one server everything comes in one order, on several nothing but events and answers does.
    // A game with drawn lakes is made many times, and those called off are to be gone for whoever made them.
    let is_even = (plan.number + plan.number / Ruleset::all().len()).is_multiple_of(2);
    let is_spread = count > 1 && !is_even && plan.ruleset.lakes != Lakes::Drawn;
    let pool = Arc::new(TextPool::default());
    let make = |role: Role, number: usize| {
        let name = format!("p{}-{variant}{number}-{:04x}", plan.number, plan.seed & 0xffff);
        let server = (plan.number + if is_spread { number } else { 0 }) % count.max(1);
        let chance = chance_for(plan.seed, "pair client", number);
        Seat {
            client: Client::new(name, role, links.servers[server].clone(), pool.clone(), chance),
            server,
            addresses: links.servers[server].clone(),
            seen: None,
            events: 0,
            due: 0,
            outages_at: Vec::new(),
            lapses: Vec::new(),
            is_in_outage: false,
            is_disturbed: false,
            marks: Vec::new(),
            fetched: Vec::new(),
            presence: Default::default(),
        }
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

/// Makes the game, again and again where chance has to draw the lakes of the course first. Its id, and the challenge's code.
async fn make_game(plan: &PairPlan, seats: &mut [Seat; 3]) -> Result<(GameId, Option<String>), TrialError> {
    let [red, blue, _] = seats;
    let is_drawn = plan.ruleset.lakes == Lakes::Drawn;
    for draw in 0..DRAWS_MAX {
        let game = arrange(&game_plan(plan, draw), &mut red.client, &mut blue.client).await?;
        if !is_drawn {
            let challenge = red.client.log.entries.iter().find_map(|entry| match &entry.what {
                What::Received(text) => challenge_in(text),
                What::Connected(_) | What::Dropped | What::Sent(_) => None,
            });
            return Ok((game, challenge));
        }
        if lakes_of(red, game).await? == Some(plan.lakes) {
            // The games before this one are nobody's business.
            for seat in [&mut *red, &mut *blue] {
                seat.client.drop_line();
                seat.client.log.entries.clear();
                seat.client.connect().await?;
            }
            return Ok((game, None));
        }
        call_off(&mut red.client, game, draw).await?;
    }
    Err(TrialError::Defect(format!("{}: no game has these lakes", plan.name)))
}

fn game_plan(plan: &PairPlan, draw: usize) -> GamePlan {
    GamePlan {
        number: plan.number * DRAWS_MAX + draw,
        terms: Terms {
            ruleset: plan.ruleset.id.to_owned(),
            time: Time::Unlimited {},
            private: false,
            secret: true,
            rated: false,
        },
        is_blue_secret: true,
        setups: Default::default(),
        resign: None,
        is_flag_to_fall: false,
        breaks_rules: false,
        think_ms: 0,
        tired_at: u16::MAX,
        seed: plan.seed,
    }
}

async fn lakes_of(seat: &Seat, game: GameId) -> Result<Option<SquareSet>, TrialError> {
    let text = http::get(seat.address()?, game.as_str(), "", seat.client.token.as_deref()).await?;
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let squares = value["view"]["lakes"].as_array();
    Ok(squares.map(|squares| squares.iter().filter_map(|square| square.as_str()?.parse().ok()).collect()))
}

async fn call_off(red: &mut Client, game: GameId, draw: usize) -> Result<(), TrialError> {
    let id = command_id(&format!("abort-{draw}"))?;
    let command = GameCommand::Abort {};
    red.send(&ClientToServer::Command { cmd_id: id.clone(), game, ply: 0, epoch: None, command }).await;
    while let Some(message) = red.receive().await {
        match message {
            ServerToClient::Accepted { cmd_id, .. } if cmd_id == id => return Ok(()),
            ServerToClient::Refused { cmd_id: Some(cmd_id), code, message, .. } if cmd_id == id => {
                return Err(red.error(game.as_str(), format!("{code}: {message}")));
            }
            _ => {}
        }
    }
    Err(red.error(game.as_str(), "the line broke while a game was called off"))
}

fn command_id(text: &str) -> Result<CommandId, TrialError> {
    text.parse().map_err(|_| TrialError::Defect("a command id".to_owned()))
}

impl Session<'_> {
    async fn follow_script(&mut self) -> Result<(), TrialError> {
        for who in 0..3 {
            self.open(who).await?;
        }
        for (number, act) in self.plan.acts.iter().enumerate() {
            self.seats.iter_mut().for_each(|seat| seat.marks.push(seat.client.log.entries.len()));
            let done = match act {
                Act::Order(order) => self.order(number, order).await,
                Act::Drop(side) => self.drop_and_resume(*side as usize).await,
                Act::Fetch => self.fetch().await,
                Act::Outage => self.outlive_kill().await,
            };
            // A line that nobody killed ends the session: up to there it can be compared.
            let is_broken = done.is_err() && self.seats.iter().any(|seat| !seat.client.is_connected());
            if is_broken || self.seats.iter().any(|seat| seat.is_disturbed) {
                self.disturbed.get_or_insert(number);
            }
            if done.is_err() {
                return if self.disturbed.is_some() { Ok(()) } else { done };
            }
        }
        Ok(())
    }

    /// Opens the game; the others are told who is there.
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

    /// Who else has the game open.
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
                    // It is about the outage, not about the game.
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
                    let what = format!("{command:?} was taken");
                    return Err(self.seats[order.side as usize].client.error(game.as_str(), what));
                }
                _ => {
                    let [red, blue, spectator] = &mut self.seats;
                    tokio::try_join!(red.catch_up(), blue.catch_up(), spectator.catch_up())?;
                    return Ok(());
                }
            }
        }
        let what = format!("{command:?} was not taken for long");
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

    /// Stands still until servers are killed and up again, and comes back.
    async fn outlive_kill(&mut self) -> Result<(), TrialError> {
        let before = self.links.killed.borrow().count;
        for seat in &mut self.seats {
            // From here on what is told of the outage is counted.
            seat.lapses.push(0);
            seat.is_in_outage = true;
            seat.outages_at.push((seat.client.log.entries.len(), usize::MAX));
        }
        self.put_off.push(0);
        let gone = |_| TrialError::Defect("nobody kills servers any more".to_owned());
        self.links.arrived.send(()).await.map_err(|_| TrialError::Defect("nobody waits".to_owned()))?;
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

    /// What is told of the outage itself comes when it comes, but before anything is judged: a command that is refused waits for it.
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

    /// The viewer and the public read the game as it stands.
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

/// Whether a server refuses this because of what happens to it.
fn is_for_now(code: &str) -> bool {
    [Code::STORE_UNAVAILABLE, Code::TOO_MANY, Code::STOPPING, "paused"].contains(&code)
}

impl Played {
    /// Over an outage: how many events told each of the three of it, and how often a server could not take a command yet.
    fn disturbance(&self, outage: usize) -> Option<([u64; 3], u64)> {
        let [red, blue, public] = self.seats.each_ref().map(|seat| seat.lapses.get(outage).copied());
        Some(([red?, blue?, public?], *self.put_off.get(outage)?))
    }

    /// The act up to which it can be compared with another session; none when with all of it. Beyond trouble that nobody planned, and beyond an
    /// outage that they were told of unlike, they are two courses.
    pub(super) fn comparable_until(&self, other: &Played) -> Option<usize> {
        let is_unlike = |outage: usize| {
            let [one, other] = [self, other].map(|session| session.disturbance(outage));
            one != other || one.is_none_or(|(_, put_off)| put_off > 0)
        };
        let unlike = self.kills.iter().enumerate().find(|(outage, _)| is_unlike(*outage));
        self.disturbed.into_iter().chain(other.disturbed).chain(unlike.map(|(_, act)| *act)).min()
    }

    /// How many kills of its own servers it has outlived before this act, or in all.
    pub(super) fn kills_outlived(&self, until: Option<usize>) -> usize {
        let before = self.kills.iter().filter(|act| until.is_none_or(|until| **act < until)).count();
        self.was_hit.iter().take(before).filter(|was_hit| **was_hit).count()
    }

    /// What one of the three was sent before this act, or in all.
    pub(super) fn stream(&self, who: usize, until: Option<usize>) -> Stream {
        let seat = &self.seats[who];
        let end = until.and_then(|act| seat.marks.get(act).copied());
        let end = end.unwrap_or(seat.client.log.entries.len());
        let is_of_outage =
            |at: usize| seat.outages_at.iter().any(|(from, until)| (*from..*until).contains(&at));
        let mut texts = Vec::new();
        let mut fetched = seat.fetched.iter().peekable();
        for (at, entry) in seat.client.log.entries.iter().enumerate().take(end) {
            while let Some((_, text)) = fetched.next_if(|(after, _)| *after <= at) {
                texts.push(text.clone());
            }
            if let What::Received(text) = &entry.what
                && !is_of_outage(at)
                && let Some(text) = self.comparable(text)
            {
                texts.push(text);
            }
        }
        texts.extend(fetched.filter(|(after, _)| *after <= end).map(|(_, text)| text.clone()));
        if self.is_end_open
            && who != PUBLIC
            && let Some(end) = texts.iter().position(|text| text.contains(r#""kind":"ended""#))
        {
            // To a player the end opens the deployments.
            texts.truncate(end);
        }
        Stream { viewer: ["Red", "Blue", "the public"][who].to_owned(), texts, opaque: self.opaque.clone() }
    }

    /// A text as far as it is to be the same in both sessions. Pings come by the clock, and so does from when on a game can be claimed; who is there is known
    /// to several servers sooner or later.
    fn comparable(&self, text: &str) -> Option<String> {
        let is_of = |kind: &str| text.starts_with(&format!(r#"{{"type":"{kind}""#));
        let of_lines: &[&str] = if self.is_spread { &["presence", "game_started"] } else { &[] };
        if ["ping", "claimable", "store_state"].into_iter().any(is_of)
            || of_lines.iter().any(|kind| is_of(kind))
        {
            return None;
        }
        if !is_of("game") {
            return Some(text.to_owned());
        }
        let text = without_object(text, "claimable_at");
        Some(if self.is_spread { without_object(&text, "presence") } else { text })
    }
}

/// The text of a JSON object without the field of this name, whose value is an object with nothing but numbers and words.
fn without_object(text: &str, name: &str) -> String {
    let Some((before, rest)) = text.split_once(&format!(r#","{name}":{{"#)) else { return text.to_owned() };
    let after = rest.split_once('}').map_or("", |(_, after)| after);
    format!("{before}{after}")
}

/// The code of the challenge by which the game was made.
fn challenge_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(r#""challenge":""#)?;
    rest.split('"').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_left_out_and_nothing_else() {
        let text = r#"{"seq":3,"presence":{"red":"away","blue":"present"},"rematch":["red"]}"#;
        assert_eq!(without_object(text, "presence"), r#"{"seq":3,"rematch":["red"]}"#);
        assert_eq!(without_object(text, "claimable_at"), text);
    }
}
