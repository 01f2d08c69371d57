//! Paired sessions: one game played twice by a script, with two pieces exchanged that are never seen.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use flagfall_board::{GameId, PerSide, Side, Square, Stamp};
use flagfall_bots::Chance;
use flagfall_protocol::{
    ClientToServer, CommandId, GameCommand, GameEvent, MoveText, Position, Presence, ServerToClient, Terms,
    Time,
};
use flagfall_rules::{Command, Entropy, Game, GameTerms, Move, Ruleset, Setup, TimeControl, decide, evolve};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::arena::arrange;
use crate::chance::{between, chance_for, once_in};
use crate::check::{PairLog, Stream};
use crate::client::Client;
use crate::error::TrialError;
use crate::http;
use crate::log::{Role, TextPool, What};
use crate::plan::{GamePlan, Options, SetupFiles};

/// Attempts to find a game in which two pieces can be exchanged.
const ATTEMPTS_MAX: usize = 200;
/// Pairs played at a time.
const AT_ONCE: usize = 8;

/// A game to be played twice.
#[derive(Clone, Debug)]
pub(crate) struct PairPlan {
    number: usize,
    ruleset: &'static Ruleset,
    /// Whose pieces are exchanged.
    hider: Side,
    /// Both sides' deployments in both sessions: `[session][side]`.
    setups: [[String; 2]; 2],
    moves: Vec<Move>,
    /// Where one of the exchanged pieces stands at each ply: what the other side tries to move.
    exchanged_at: Vec<Square>,
    name: String,
    seed: u64,
}

/// Finds games in which two unlike pieces of one side are never seen, and both deployments allow the same moves.
#[must_use]
pub(crate) fn plan_pairs(options: &Options, setups: &SetupFiles, count: usize) -> Vec<PairPlan> {
    (0..count)
        .filter_map(|number| {
            let mut chance = chance_for(options.seed, "pair", number);
            (0..ATTEMPTS_MAX).find_map(|_| plan_pair(number, options.seed, setups, &mut chance))
        })
        .collect()
}

fn plan_pair(number: usize, seed: u64, setups: &SetupFiles, chance: &mut Chance) -> Option<PairPlan> {
    let ruleset = Ruleset::find(["classic", "barrage", "tournament", "pbm", "pbm-small"][number % 5])?;
    let hider = if once_in(chance, 2) { Side::Red } else { Side::Blue };
    let compact = |text: String| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let first = [Side::Red, Side::Blue].map(|side| compact(setups.choose(ruleset, side, chance)));
    let most = if ruleset.id == "barrage" { 24 } else { 90 };
    let wanted = between(chance, most / 2, most);

    let mut game = deployed(ruleset, &first)?;
    let mut moves = Vec::new();
    // Where the hider's pieces stand, by their places in the deployment; those that were seen are taken out.
    let mut hidden: HashMap<Square, usize> = (0..first[hider as usize].len())
        .filter_map(|place| Some((ruleset.shape.home_square(hider, place)?, place)))
        .filter(|(_, place)| first[hider as usize].as_bytes().get(*place) != Some(&b'.'))
        .collect();
    let mut trail = Vec::new();
    while moves.len() < wanted {
        let legal = game.legal_moves()?;
        let squares = legal.nth(chance.below(legal.len().max(1)))?;
        let Move { from, to } = squares;
        let is_strike = game.position().occupied(game.turn()?.opponent()).contains(to);
        if let Some(place) = hidden.remove(&from)
            && !is_strike
        {
            hidden.insert(to, place);
        } else {
            hidden.remove(&to);
        }
        carry_out(&mut game, squares)?;
        moves.push(squares);
        trail.push(hidden.clone());
    }
    // Those that stand hidden now were never struck; the other deployment must allow the same moves.
    let mut places: Vec<usize> = hidden.values().copied().collect();
    places.sort_unstable();
    for _ in 0..40 {
        let (one, other) = (places[chance.below(places.len())], places[chance.below(places.len())]);
        let mut letters: Vec<char> = first[hider as usize].chars().collect();
        if letters[one] == letters[other] {
            continue;
        }
        letters.swap(one, other);
        let mut second = first.clone();
        second[hider as usize] = letters.iter().collect();
        let is_long_by = |place: usize| has_run(&trail, place);
        if is_long_by(one) || is_long_by(other) || !allows(ruleset, &second, &moves) {
            continue;
        }
        let home = |place: usize| ruleset.shape.home_square(hider, place);
        let exchanged_at: Option<Vec<Square>> = std::iter::once(home(one))
            .chain(
                trail.iter().map(|at| at.iter().find(|(_, place)| **place == one).map(|(square, _)| *square)),
            )
            .collect();
        return Some(PairPlan {
            number,
            ruleset,
            hider,
            name: format!(
                "pair {number} ({}): {}'s {} and {} exchanged",
                ruleset.id, hider, letters[other], letters[one]
            ),
            setups: [first, second],
            moves,
            exchanged_at: exchanged_at?,
            seed,
        });
    }
    None
}

/// Whether the piece ever went more than one square: then its rank is known.
fn has_run(trail: &[HashMap<Square, usize>], place: usize) -> bool {
    let at = |seen: &HashMap<Square, usize>| {
        seen.iter().find(|(_, other)| **other == place).map(|(square, _)| *square)
    };
    trail.windows(2).any(|two| match (at(&two[0]), at(&two[1])) {
        (Some(from), Some(to)) => from.column().abs_diff(to.column()) + from.row().abs_diff(to.row()) > 1,
        _ => true,
    })
}

fn deployed(ruleset: &'static Ruleset, setups: &[String; 2]) -> Option<Game> {
    let mut game = Game::new(GameTerms {
        game: GameId::from_random([1; 12]),
        ruleset,
        lakes: ruleset.draw_lakes(&Entropy([0; 32])),
        time: TimeControl::Unlimited,
        deploy_ms: u64::from(u32::MAX),
        created: Stamp(0),
        secret: PerSide::default(),
    });
    for side in Side::BOTH {
        let setup = Setup::from_text(&setups[side as usize], side, ruleset).ok()?;
        ask(&mut game, side, Command::Deploy(setup))?;
    }
    Some(game)
}

fn ask(game: &mut Game, side: Side, command: Command) -> Option<()> {
    let events = decide(game, side, game.ply(), &command, Stamp(0), &Entropy([7; 32])).ok()?;
    events.iter().for_each(|event| evolve(game, event, Stamp(0)));
    game.outcome().is_none().then_some(())
}

fn carry_out(game: &mut Game, squares: Move) -> Option<()> {
    let side = game.turn()?;
    ask(game, side, Command::Move(squares.into()))
}

fn allows(ruleset: &'static Ruleset, setups: &[String; 2], moves: &[Move]) -> bool {
    deployed(ruleset, setups)
        .is_some_and(|mut game| moves.iter().all(|squares| carry_out(&mut game, *squares).is_some()))
}

/// Plays every pair, both sessions of each.
///
/// # Errors
/// [`TrialError`] when a script cannot be carried out.
pub(crate) async fn play_pairs(
    addresses: watch::Receiver<Vec<SocketAddr>>,
    plans: Vec<PairPlan>,
) -> Result<Vec<PairLog>, TrialError> {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut tasks: JoinSet<Result<PairLog, TrialError>> = JoinSet::new();
    for plan in plans {
        let (room, addresses) = (room.clone(), addresses.clone());
        tasks.spawn(async move {
            let _place = room.acquire().await.map_err(|error| TrialError::Defect(error.to_string()))?;
            let one = Box::pin(Session::play(&plan, 0, addresses.clone())).await?;
            let other = Box::pin(Session::play(&plan, 1, addresses)).await?;
            Ok(PairLog { name: plan.name, sessions: [one, other] })
        });
    }
    let mut logs = Vec::new();
    while let Some(played) = tasks.join_next().await {
        logs.push(played.map_err(|error| TrialError::Defect(error.to_string()))??);
    }
    logs.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(logs)
}

/// One of the two sessions: both players and a spectator, moved by a script one step after the other.
struct Session<'a> {
    plan: &'a PairPlan,
    /// Red, Blue, the spectator.
    clients: [Client; 3],
    game: GameId,
    seen: [Option<Position>; 3],
    plies_seen: [usize; 3],
    commands: u32,
    /// What was fetched over HTTP: by the viewer, by the public.
    fetched: [Vec<String>; 2],
}

impl Session<'_> {
    async fn play(
        plan: &PairPlan,
        variant: usize,
        addresses: watch::Receiver<Vec<SocketAddr>>,
    ) -> Result<Vec<Stream>, TrialError> {
        let pool = Arc::new(TextPool::default());
        let make = |role: Role, number: usize| {
            let name = format!("p{}-{variant}{number}-{:04x}", plan.number, plan.seed & 0xffff);
            Client::new(
                name,
                role,
                addresses.clone(),
                pool.clone(),
                chance_for(plan.seed, "pair client", number),
            )
        };
        let mut clients = [make(Role::Red, 0), make(Role::Blue, 1), make(Role::Spectator(0), 2)];
        for client in &mut clients {
            client.connect().await?;
        }
        let game_plan = GamePlan {
            number: plan.number,
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
            think_ms: 0,
            tired_at: u16::MAX,
            seed: plan.seed,
        };
        let [red, blue, _] = &mut clients;
        let game = arrange(&game_plan, red, blue).await?;
        let mut session = Session {
            plan,
            clients,
            game,
            seen: [None; 3],
            plies_seen: [0; 3],
            commands: 0,
            fetched: Default::default(),
        };
        let address = addresses.borrow().first().copied();
        let address = address.ok_or_else(|| TrialError::Defect("no server".to_owned()))?;
        session.follow_script(variant, address).await?;
        Ok(session.streams())
    }

    async fn follow_script(&mut self, variant: usize, address: SocketAddr) -> Result<(), TrialError> {
        for who in 0..3 {
            self.open(who).await?;
        }
        let hider = self.plan.hider as usize;
        let viewer = 1 - hider;
        for side in [0, 1] {
            let setup = self.plan.setups[variant][side].clone();
            self.order(side, 0, GameCommand::Deploy { setup }).await?;
        }
        let mut chance = chance_for(self.plan.seed, "pair script", self.plan.number);
        for (index, squares) in self.plan.moves.clone().into_iter().enumerate() {
            let (ply, mover) = (u16::try_from(index).unwrap_or(u16::MAX), index % 2);
            if once_in(&mut chance, 8) {
                self.probe(viewer, ply).await?;
            }
            if once_in(&mut chance, 12) {
                self.drop_and_resume(viewer, index).await?;
            }
            if once_in(&mut chance, 25) {
                self.order(viewer, ply, GameCommand::OfferDraw {}).await?;
                self.order(hider, ply, GameCommand::DeclineDraw {}).await?;
            }
            self.order(mover, ply, GameCommand::from(MoveText(squares))).await?;
            if index == self.plan.moves.len() / 2 {
                self.fetch(viewer, address).await?;
            }
        }
        let last = u16::try_from(self.plan.moves.len()).unwrap_or(u16::MAX);
        self.probe(viewer, last).await?;
        self.order(hider, last, GameCommand::Resign {}).await?;
        for who in [viewer, 2] {
            self.until(who, "the end", |message| {
                matches!(message, ServerToClient::Event { event: GameEvent::Ended { .. }, .. })
            })
            .await?;
        }
        self.fetch(viewer, address).await
    }

    /// Tries what must be refused: to move the other side's exchanged piece, a ply too early, a deployment too late.
    async fn probe(&mut self, viewer: usize, ply: u16) -> Result<(), TrialError> {
        let from = self.plan.exchanged_at[usize::from(ply)];
        let beside =
            flagfall_board::Direction::ALL.into_iter().filter_map(|direction| from.neighbor(direction));
        for to in beside.take(2) {
            self.order(viewer, ply, GameCommand::from(MoveText(Move { from, to }))).await?;
        }
        if let (Some(from), Some(to)) = (Square::new(0, 0), Square::new(0, 1)) {
            self.order(viewer, ply + 1, GameCommand::from(MoveText(Move { from, to }))).await?;
        }
        let setup = self.plan.setups[0][viewer].clone();
        self.order(viewer, ply, GameCommand::Deploy { setup }).await
    }

    async fn drop_and_resume(&mut self, viewer: usize, plies: usize) -> Result<(), TrialError> {
        while self.plies_seen[viewer] < plies {
            self.next(viewer, "the last ply").await?;
        }
        self.clients[viewer].drop_line();
        for who in [1 - viewer, 2] {
            self.until(who, "that a line dropped", |message| {
                matches!(message, ServerToClient::Presence { presence: Presence::Reconnecting, .. })
            })
            .await?;
        }
        self.clients[viewer].connect().await?;
        self.open(viewer).await
    }

    async fn open(&mut self, who: usize) -> Result<(), TrialError> {
        let open = ClientToServer::OpenGame { game: self.game, since: self.seen[who] };
        self.clients[who].send(&open).await;
        self.until(who, "the game", |message| matches!(message, ServerToClient::Game { .. })).await
    }

    /// Gives an order and waits for its answer, whichever.
    async fn order(&mut self, who: usize, ply: u16, command: GameCommand) -> Result<(), TrialError> {
        self.commands += 1;
        let id: CommandId = format!("c-{}", self.commands)
            .parse()
            .map_err(|_| TrialError::Defect("a command id".to_owned()))?;
        let message = ClientToServer::Command { cmd_id: id.clone(), game: self.game, ply, command };
        self.clients[who].send(&message).await;
        self.until(who, "an answer", |message| match message {
            ServerToClient::Accepted { cmd_id, .. } => *cmd_id == id,
            ServerToClient::Refused { cmd_id, .. } => cmd_id.as_ref() == Some(&id),
            _ => false,
        })
        .await
    }

    async fn until(
        &mut self,
        who: usize,
        what: &str,
        is_it: impl Fn(&ServerToClient) -> bool,
    ) -> Result<(), TrialError> {
        loop {
            if is_it(&self.next(who, what).await?) {
                return Ok(());
            }
        }
    }

    async fn next(&mut self, who: usize, what: &str) -> Result<ServerToClient, TrialError> {
        let Some(message) = self.clients[who].receive().await else {
            return Err(
                self.clients[who].error(self.game.as_str(), format!("the line broke, waiting for {what}"))
            );
        };
        match &message {
            ServerToClient::Game { epoch, seq, view, .. } => {
                self.seen[who] = Some(Position { epoch: *epoch, seq: *seq });
                self.plies_seen[who] = usize::from(view.ply);
            }
            ServerToClient::Event { seq, event, .. } => {
                if let Some(seen) = &mut self.seen[who] {
                    seen.seq = *seq;
                }
                self.plies_seen[who] += usize::from(matches!(event, GameEvent::Moved(_)));
            }
            _ => {}
        }
        Ok(message)
    }

    async fn fetch(&mut self, viewer: usize, address: SocketAddr) -> Result<(), TrialError> {
        let is_over = !self.fetched[1].is_empty();
        let (game, token) = (self.game.as_str(), self.clients[viewer].token.as_deref());
        for under in ["", "/record", "/record.txt"] {
            if !is_over {
                // After the end the players are told everything.
                self.fetched[0].push(http::get(address, game, under, token).await?);
            }
            self.fetched[1].push(http::get(address, game, under, None).await?);
        }
        Ok(())
    }

    fn streams(self) -> Vec<Stream> {
        let viewer = 1 - self.plan.hider as usize;
        let mut opaque = vec![self.game.as_str().to_owned()];
        for client in &self.clients {
            opaque.extend([client.player_id.clone(), client.name.clone()]);
            opaque.extend(client.token.clone());
        }
        opaque.extend(received(&self.clients[0]).iter().find_map(|text| challenge_in(text)));
        let [of_viewer, of_public] = self.fetched;
        let mut streams = Vec::new();
        for (who, fetched) in [(viewer, of_viewer), (2, of_public)] {
            let mut texts: Vec<String> = received(&self.clients[who]);
            if who == viewer
                && let Some(end) = texts.iter().position(|text| text.contains(r#""kind":"ended""#))
            {
                // To a player the end opens the deployments.
                texts.truncate(end);
            }
            texts.extend(fetched);
            let viewer = ["Red", "Blue", "the public"][who].to_owned();
            streams.push(Stream { viewer, texts, opaque: opaque.clone() });
        }
        streams
    }
}

/// The code of the challenge by which the game was made.
fn challenge_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(r#""challenge":""#)?;
    rest.split('"').next().map(str::to_owned)
}

fn received(client: &Client) -> Vec<String> {
    let texts = client.log.entries.iter().filter_map(|entry| match &entry.what {
        What::Received(text) => Some(text.to_string()),
        What::Connected(_) | What::Dropped | What::Sent(_) => None,
    });
    texts.filter(|text| !text.contains(r#""type":"ping""#)).collect()
}
