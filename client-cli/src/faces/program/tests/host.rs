//! A game on a server: the engine, and the messages to the players.

use flagfall_board::{GameId, PerSide, Side, SquareSet, Stamp};
use flagfall_protocol::{
    GameCommand, GameEvent, GameSummary, GameView, Player, PlayerKind, Presence, ServerToClient, Terms, Time,
    ViewChange,
};
use flagfall_rules::{
    Entropy, Event, Game, GameTerms, Outcome, Refusal, Ruleset, TimeControl, Viewer, decide, decide_pause,
    decide_resume, decide_verdict, evolve, see, see_change, view,
};

use crate::fixtures::START;

const EPOCH: u64 = 1;

pub(super) struct Host {
    pub(super) game: Game,
    pub(super) summary: GameSummary,
    now: Stamp,
    /// The events that each side has seen, oldest first.
    shown: PerSide<Vec<(GameEvent, ViewChange)>>,
}

impl Host {
    pub(super) fn new(ruleset: &'static Ruleset, lakes: SquareSet, time: Time) -> Host {
        Host::with_id(ruleset, lakes, time, 7)
    }

    pub(super) fn with_id(ruleset: &'static Ruleset, lakes: SquareSet, time: Time, id: u8) -> Host {
        let id = GameId::from_random([id; 12]);
        let game = Game::new(GameTerms {
            game: id,
            ruleset,
            lakes,
            time: TimeControl::from(time),
            deploy_ms: 300_000,
            created: Stamp(START),
            secret: PerSide::new(false, false),
        });
        let player = |id: &str, name: &str| Player {
            id: id.to_owned(),
            name: name.to_owned(),
            kind: PlayerKind::Guest,
        };
        let summary = GameSummary {
            id,
            terms: Terms {
                ruleset: ruleset.id.to_owned(),
                time,
                private: false,
                secret: false,
                rated: false,
            },
            players: PerSide::new(player("p1", "ann"), player("p2", "bob")),
            created: START,
            phase: flagfall_protocol::Phase::Deploying,
            ply: 0,
            turn: None,
            outcome: None,
        };
        Host { game, summary, now: Stamp(START), shown: PerSide::default() }
    }

    pub(super) fn id(&self) -> GameId {
        self.summary.id
    }

    pub(super) fn seq(&self, side: Side) -> u64 {
        self.shown[side].len() as u64
    }

    pub(super) fn view(&self, side: Side) -> GameView {
        view(&self.game, Viewer::Player(side), self.now).seen
    }

    /// Carries out a command from a side. Returns the messages to each side.
    pub(super) fn ask(
        &mut self,
        side: Side,
        command: &GameCommand,
    ) -> Result<PerSide<Vec<ServerToClient>>, Refusal> {
        let command = command.to_command(side, self.game.terms().ruleset)?;
        self.now = self.now.plus_ms(10);
        let entropy = Entropy([side as u8; 32]);
        let events = decide(&self.game, side, self.game.ply(), &command, self.now, &entropy)?;
        Ok(self.carry_out(events))
    }

    pub(super) fn pause(&mut self) -> PerSide<Vec<ServerToClient>> {
        let events = decide_pause(&self.game, self.now);
        self.carry_out(events)
    }

    pub(super) fn resume(&mut self) -> PerSide<Vec<ServerToClient>> {
        let events = decide_resume(&self.game);
        self.carry_out(events)
    }

    pub(super) fn verdict(&mut self, outcome: Outcome) -> PerSide<Vec<ServerToClient>> {
        let events = decide_verdict(&self.game, outcome);
        self.carry_out(events)
    }

    fn carry_out(&mut self, events: impl IntoIterator<Item = Event>) -> PerSide<Vec<ServerToClient>> {
        let mut told: PerSide<Vec<ServerToClient>> = PerSide::default();
        for event in events {
            evolve(&mut self.game, &event, self.now);
            for side in Side::BOTH {
                let viewer = Viewer::Player(side);
                let Some(seen) = see(&event, &self.game, viewer) else { continue };
                let change = see_change(&event, &self.game, viewer, self.now);
                self.shown[side].push((seen.clone(), change.clone()));
                let seq = self.seq(side);
                told[side].push(ServerToClient::Event {
                    game: self.id(),
                    seq,
                    event: seen,
                    change,
                    abort: None,
                });
            }
        }
        told
    }

    /// Returns the answer to `open_game`, with the events after number `since`.
    pub(super) fn whole(&self, side: Side, since: Option<u64>) -> ServerToClient {
        let skip = since.map_or(usize::MAX, |since| usize::try_from(since).expect("a number"));
        ServerToClient::Game {
            game: self.summary.clone(),
            audience: Viewer::Player(side),
            driving: true,
            epoch: EPOCH,
            seq: self.seq(side),
            view: self.view(side),
            events: self.shown[side].iter().skip(skip).map(|(event, _)| event.clone()).collect(),
            presence: PerSide::new(Presence::Present, Presence::Present),
            left: PerSide::default(),
            claimable_at: PerSide::default(),
            rematch: Vec::new(),
            abort: None,
        }
    }
}
