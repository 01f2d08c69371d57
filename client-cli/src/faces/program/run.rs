//! The shell around a [`Session`]. It uses the client's shell for networking and files, and the
//! umpire's code to run the program's processes.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use flagfall_board::{GameId, Side};
use flagfall_umpire::bout;
use flagfall_umpire::environment;
use flagfall_umpire::process::{Arena, Event, QUIT_GRACE, Running};
use flagfall_umpire::program::Program;
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;

use super::session::{Input, Output, Session};
use crate::model::Message;
use crate::shell::{Outcome, Shell, now_ms};
use crate::{text, words};

/// Maximum number of queued events from the program. A program that prints more has to wait.
const EVENTS_MAX: usize = 32;

pub struct Runner {
    shell: Shell,
    session: Session,
    arena: Arena,
    program: Program,
    /// The folder for the standard error of the programs, with one file for each game.
    logs: Option<PathBuf>,
    running: Option<(Running, mpsc::Receiver<Event>)>,
    started: Instant,
}

impl Runner {
    /// Creates a runner for this program. The runner ends leftover processes in the arena after
    /// each game.
    pub fn new(
        shell: Shell,
        session: Session,
        arena: Arena,
        program: Program,
        logs: Option<PathBuf>,
    ) -> Runner {
        Runner { shell, session, arena, program, logs, running: None, started: Instant::now() }
    }

    /// Plays until the session ends, waits for the program to exit, and returns the exit code of
    /// `flagfall`.
    pub async fn run(
        mut self,
        mut stop: mpsc::Receiver<()>,
        out: &mut impl Write,
        errors: &mut impl Write,
    ) -> io::Result<u8> {
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut at = self.started;
        let mut input = Input::Client(Message::Started);
        loop {
            let end = self.step(at, input, errors).await?;
            for note in self.session.model.notes.take_unprinted() {
                writeln!(out, "{note}")?;
            }
            out.flush()?;
            if let Some(code) = end {
                for word in &self.session.model.last_words {
                    writeln!(errors, "{}", text!("error-line", message = word))?;
                }
                return Ok(code);
            }
            (at, input) = self.next(&mut stop, &mut tick).await;
        }
    }

    async fn next(
        &mut self,
        stop: &mut mpsc::Receiver<()>,
        tick: &mut tokio::time::Interval,
    ) -> (Instant, Input) {
        let deadline = self.session.deadline().map(|deadline| self.started + deadline);
        let Runner { shell, running, .. } = self;
        let input = tokio::select! {
            biased;
            Some(()) = stop.recv() => Input::Stop,
            // Read the program's output before checking the time limit. Output that was printed
            // in time counts, even if this client was too busy to read it.
            Some(event) = heard(running) => return (event.at, Input::Program(event.input)),
            message = shell.next() => Input::Client(message),
            () = sleep_until(deadline) => Input::Program(bout::Input::Tick),
            _ = tick.tick() => Input::Client(Message::Tick),
        };
        (Instant::now(), input)
    }

    /// Handles an input and carries out the outputs. Returns the exit code if the session ends.
    async fn step(&mut self, at: Instant, input: Input, errors: &mut impl Write) -> io::Result<Option<u8>> {
        let mut inputs = vec![input];
        while let Some(input) = inputs.pop() {
            self.session.model.clock.now = now_ms();
            let now = at.saturating_duration_since(self.started);
            for output in self.session.step(now, input) {
                match output {
                    Output::Client(effect) => match self.shell.carry_out(effect).await {
                        Outcome::Done => {}
                        Outcome::Happened(message) => inputs.insert(0, Input::Client(message)),
                        Outcome::Exit(code) => return Ok(Some(code)),
                    },
                    Output::Start(game, side) => {
                        if let Err(error) = self.start(game, side) {
                            let (program, why) = (&self.program.name, error.to_string());
                            complain(errors, text!("program-not-started", program, why))?;
                            inputs.insert(0, Input::Program(bout::Input::Gone(side)));
                        }
                    }
                    Output::Tell(text) => {
                        if let Some((program, _)) = &self.running {
                            if !program.tell(text) {
                                inputs.insert(0, Input::Program(bout::Input::Unread(Side::Red)));
                            }
                            if !self.session.has_failed() {
                                program.note_asked();
                            }
                        }
                    }
                    Output::Mute => {
                        if let Some((program, _)) = &self.running {
                            program.mute();
                        }
                    }
                    Output::Finish => self.finish(errors).await?,
                    Output::Complain(words) => {
                        let (program, complaint) = (&self.program.name, words);
                        complain(errors, text!("program-complaint", program, complaint))?;
                    }
                }
            }
        }
        Ok(None)
    }

    fn start(&mut self, game: GameId, side: Side) -> io::Result<()> {
        let (sender, events) = mpsc::channel(EVENTS_MAX);
        let log = self.logs.as_ref().map(|folder| folder.join(format!("{game}.err")));
        let open = self.session.model.game.as_ref();
        let variables =
            open.map_or_else(Vec::new, |open| environment::variables(&open.view.ruleset, open.view.lakes));
        let program = Running::start(&self.arena, &self.program, &variables, side, sender, log)?;
        self.running = Some((program, events));
        Ok(())
    }

    async fn finish(&mut self, errors: &mut impl Write) -> io::Result<()> {
        let Some((program, events)) = self.running.take() else { return Ok(()) };
        // Ignore the program's output after this point.
        drop(events);
        let aftermath = program.finish(QUIT_GRACE).await;
        self.arena.sweep();
        if self.session.is_late()
            && let Some(processor) = aftermath.processor
        {
            let seconds = format!("{:.2}", processor.as_secs_f64());
            complain(errors, text!("program-processor", seconds))?;
        }
        let last = words::clean(&aftermath.stderr_tail);
        if !last.is_empty() && self.session.has_failed() {
            complain(errors, text!("program-last-words", text = last))?;
        }
        Ok(())
    }
}

fn complain(errors: &mut impl Write, message: String) -> io::Result<()> {
    writeln!(errors, "{}", words::clean(&text!("error-line", message)))
}

/// Returns the program's next event. `None` if no program runs or its output has closed.
async fn heard(running: &mut Option<(Running, mpsc::Receiver<Event>)>) -> Option<Event> {
    match running {
        Some((_, events)) => events.recv().await,
        None => None,
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
        None => std::future::pending().await,
    }
}
