//! A game with its history, in which a client can go back and forward.

use flagfall_board::{Ply, Stamp};
use flagfall_protocol::{GameRecord, Player, PlayerKind, Recorder, Terms};
use flagfall_rules::{Event, Events, Game, Phase, Referee, Viewer, evolve, view};

use crate::refused::{Refused, STEPS_MAX};

/// The events of one command, and the time of the command.
struct Step {
    events: Events,
    at: Stamp,
}

/// A game at one moment of its history. Later moments are kept until another command is accepted.
pub(crate) struct History {
    start: Game,
    is_set_up: bool,
    steps: Vec<Step>,
    /// The number of steps that make up the start of the game. A client cannot go back further.
    first: usize,
    /// The number of steps from the start of the game to this moment.
    pub(crate) cursor: usize,
    /// The game at this moment.
    pub(crate) game: Game,
}

impl History {
    /// Creates a game in which both sides have to deploy.
    pub(crate) fn new(start: Game) -> History {
        History { game: start.clone(), start, is_set_up: false, steps: Vec::new(), first: 0, cursor: 0 }
    }

    /// Creates a game from a set-up position. The game ends immediately if the side to move, or
    /// both sides, cannot move (§A10).
    pub(crate) fn set_up(start: Game) -> Result<History, Refused> {
        let verdict = Referee.judge(&start);
        let at = start.latest();
        let mut history = History { is_set_up: true, ..History::new(start) };
        if !verdict.is_empty() {
            history.push(verdict, at, |_, _| ())?;
            history.first = 1;
        }
        Ok(history)
    }

    /// Carries out the events of a command, and drops all steps after the current moment. Calls
    /// `seen` with each event and the game after the event.
    ///
    /// # Errors
    /// [`Refused::TooMany`]. In this case nothing is carried out.
    pub(crate) fn push(
        &mut self,
        events: Events,
        at: Stamp,
        mut seen: impl FnMut(&Event, &Game),
    ) -> Result<(), Refused> {
        if self.cursor >= STEPS_MAX {
            return Err(Refused::TooMany);
        }
        for event in events.iter() {
            evolve(&mut self.game, event, at);
            seen(event, &self.game);
        }
        self.steps.truncate(self.cursor);
        self.steps.push(Step { events, at });
        self.cursor += 1;
        Ok(())
    }

    /// Goes to the moment after this ply, or to the latest moment if `ply` is `None`.
    ///
    /// # Errors
    /// [`Refused::NoSuchPly`] and [`Refused::NotStarted`]. In these cases the game does not
    /// change.
    pub(crate) fn go_to(&mut self, ply: Option<Ply>) -> Result<(), Refused> {
        let is_there = |game: &Game| game.phase() != Phase::Deploying && Some(game.ply()) == ply;
        let (mut game, mut cursor) = (self.start.clone(), 0);
        let mut first = (self.first == 0 && game.phase() != Phase::Deploying).then_some(game.ply());
        while cursor < self.first || (cursor < self.steps.len() && !is_there(&game)) {
            let Step { events, at } = &self.steps[cursor];
            events.iter().for_each(|event| evolve(&mut game, event, *at));
            cursor += 1;
            if cursor >= self.first && game.phase() != Phase::Deploying {
                first = first.or(Some(game.ply()));
            }
        }
        match (ply, first) {
            (Some(_), None) => return Err(Refused::NotStarted),
            (Some(ply), Some(first)) if !is_there(&game) => {
                return Err(Refused::NoSuchPly { ply, first, last: game.ply() });
            }
            (Some(_) | None, _) => (self.game, self.cursor) = (game, cursor),
        }
        Ok(())
    }

    /// Returns the record up to this moment.
    pub(crate) fn record(&self, audience: Viewer, terms: Terms) -> GameRecord {
        let mut recorder = Recorder::new(self.start.clone());
        for step in &self.steps[..self.cursor] {
            step.events.iter().for_each(|event| recorder.note(event, step.at));
        }
        let player =
            |name: &str| Player { id: name.to_owned(), name: name.to_owned(), kind: PlayerKind::Guest };
        let players = flagfall_board::PerSide::from_fn(|side| player(side.name()));
        let mut record = recorder.record(audience, terms, players);
        record.start = self.is_set_up.then(|| self.start_seen(audience));
        record
    }

    /// Returns the starting position with the ranks that the viewer may see. After the end of the
    /// game, these include the ranks that the end opened.
    fn start_seen(&self, viewer: Viewer) -> String {
        let mut start = self.start.clone();
        for step in &self.steps[..self.cursor] {
            let ends = step.events.iter().filter(|event| event.is_end());
            ends.for_each(|event| evolve(&mut start, event, step.at));
        }
        let text = Referee.position_text(self.start.position());
        let facts = text.rsplit_once(' ').map_or("", |(facts, _board)| facts);
        format!("{facts} {}", view(&start, viewer, start.latest()).board_text())
    }
}
