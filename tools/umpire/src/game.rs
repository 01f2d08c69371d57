//! Plays one game between two running programs. This is the shell around a bout.

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use flagfall_board::{PerSide, Side};
use tokio::sync::{mpsc, watch};

use crate::bout::{Bout, Input, Output};
use crate::process::{Aftermath, Arena, Event, QUIT_GRACE, Running};
use crate::program::Program;

/// Maximum number of events that wait for the umpire. A program that prints more is blocked.
const EVENTS_MAX: usize = 32;
/// The time within which programs must end when the umpire itself is being stopped.
const STOP_GRACE: Duration = Duration::from_millis(100);

/// Plays a bout to its end. Writes the standard error of each program to its file in `logs`. When
/// this function returns, both programs have ended.
pub(crate) async fn play(
    arena: &Arena,
    programs: PerSide<&Program>,
    logs: PerSide<Option<PathBuf>>,
    mut bout: Bout,
    mut stop: watch::Receiver<bool>,
) -> (Bout, PerSide<Aftermath>) {
    let (sender, mut events) = mpsc::channel(EVENTS_MAX);
    let variables = bout.variables();
    let running = PerSide::from_fn(|side| {
        Running::start(arena, programs[side], &variables, side, sender.clone(), logs[side].clone())
    });
    drop(sender);
    // Start the time limits only after both programs have been started.
    let started = Instant::now();
    let openings = bout.start();
    carry_out(&mut bout, Duration::ZERO, &running, openings);
    for side in Side::BOTH {
        if running[side].is_err() {
            take(&mut bout, started.elapsed(), Input::Gone(side), &running);
        }
    }
    while let Some(deadline) = bout.deadline() {
        tokio::select! {
            biased;
            Ok(_) = stop.wait_for(|is_stopped| *is_stopped) => {
                take(&mut bout, started.elapsed(), Input::Stop, &running);
            }
            Some(event) = events.recv() => hear(&mut bout, started, event, &running),
            () = tokio::time::sleep_until((started + deadline).into()) => {
                // A line that was printed in time counts, even if the umpire was too busy to read
                // it in time.
                while let Ok(event) = events.try_recv() {
                    hear(&mut bout, started, event, &running);
                }
                take(&mut bout, started.elapsed(), Input::Tick, &running);
            }
        }
    }
    // Ignore the programs' output after this point.
    drop(events);
    let grace = if *stop.borrow() { STOP_GRACE } else { QUIT_GRACE };
    let PerSide { red, blue } = running;
    let (red, blue) = tokio::join!(finish(red, grace), finish(blue, grace));
    arena.sweep();
    (bout, PerSide::new(red, blue))
}

async fn finish(running: io::Result<Running>, grace: Duration) -> Aftermath {
    match running {
        Ok(running) => running.finish(grace).await,
        Err(error) => {
            let stderr_tail = format!("it could not be started: {error}");
            Aftermath { stderr_tail, ..Aftermath::default() }
        }
    }
}

fn hear(bout: &mut Bout, started: Instant, event: Event, running: &PerSide<io::Result<Running>>) {
    take(bout, event.at.saturating_duration_since(started), event.input, running);
}

fn take(bout: &mut Bout, now: Duration, input: Input, running: &PerSide<io::Result<Running>>) {
    let outputs = bout.step(now, input);
    carry_out(bout, now, running, outputs);
}

fn carry_out(bout: &mut Bout, now: Duration, running: &PerSide<io::Result<Running>>, outputs: Vec<Output>) {
    let mut outputs = VecDeque::from(outputs);
    while let Some(output) = outputs.pop_front() {
        match output {
            Output::Tell(side, text) => {
                if let Ok(program) = &running[side] {
                    if !program.tell(text) {
                        outputs.extend(bout.step(now, Input::Unread(side)));
                    }
                    if bout.ending().is_none() {
                        program.note_asked();
                    }
                }
            }
            Output::Mute(side) => {
                if let Ok(program) = &running[side] {
                    program.mute();
                }
            }
        }
    }
}
