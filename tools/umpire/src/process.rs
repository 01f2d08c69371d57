//! A running program with its pipes. The program's output is limited. Ending the program ends its
//! whole process group.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use flagfall_board::Side;
use rustix::process::{Pid, Signal, WaitOptions, getpgrp, getpid, kill_process, kill_process_group, waitpid};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::bout::Input;
use crate::lines::LineCutter;
use crate::processor::processor_time;
use crate::program::Program;

/// The time within which a program must end after it receives the result of the game.
pub const QUIT_GRACE: Duration = Duration::from_secs(1);
/// The time within which a program must end after SIGTERM. After that, it gets SIGKILL.
const TERM_GRACE: Duration = Duration::from_millis(500);
/// How long to keep reading a program's output after the program has ended, if another process
/// keeps the output open. The program's own output is already in the pipe.
const LAST_WORDS_GRACE: Duration = Duration::from_millis(100);
/// The maximum time to wait for pipes that other processes keep open after the program has ended.
const PIPE_GRACE: Duration = Duration::from_millis(200);
/// Maximum number of messages that wait to be written to a program, in addition to those in the
/// pipe.
const UNREAD_MAX: usize = 64;
/// Maximum size of the standard error that is kept for each program and game, in bytes.
pub const STDERR_BYTES_MAX: usize = 64 * 1024;
/// Number of bytes at the end of the standard error that are shown to people.
const STDERR_TAIL_BYTES: usize = 300;

/// Maximum number of rounds in one sweep. Each round ends one generation of orphans.
const GENERATIONS_MAX: usize = 16;

/// An event of a program, and the time at which the umpire noticed it.
#[derive(Debug)]
pub struct Event {
    /// The time.
    pub at: Instant,
    /// The event.
    pub input: Input,
}

/// The programs that this process is running. The set is needed to tell programs from stray
/// processes.
#[derive(Clone, Default)]
pub struct Arena {
    live: Arc<Mutex<BTreeSet<i32>>>,
    is_adopting: bool,
}

impl Arena {
    /// Creates an arena that makes this process the parent of all orphans of its programs.
    /// Processes that left their program's group can then also be ended. Call this function only
    /// in a process that has no child processes except programs.
    pub fn adopting() -> Arena {
        #[cfg(target_os = "linux")]
        let is_adopting = rustix::process::set_child_subreaper(Some(getpid())).is_ok();
        #[cfg(not(target_os = "linux"))]
        let is_adopting = false;
        Arena { is_adopting, ..Arena::default() }
    }

    fn with_live<T>(&self, change: impl FnOnce(&mut BTreeSet<i32>) -> T) -> T {
        change(&mut self.live.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends all processes that finished programs left outside their process groups. First ends
    /// the orphans that this process has adopted, then the children of those orphans, and so on.
    pub fn sweep(&self) {
        if !self.is_adopting {
            return;
        }
        // Each round ends one generation of orphans.
        for _ in 0..GENERATIONS_MAX {
            let orphans = orphans(|| self.with_live(|live| live.clone()));
            if orphans.is_empty() {
                return;
            }
            for pid in orphans.into_iter().filter_map(Pid::from_raw) {
                // If the process is already gone, both calls fail without harm.
                let _gone = kill_process(pid, Signal::KILL);
                let _gone = waitpid(Some(pid), WaitOptions::empty());
            }
        }
    }
}

/// Returns the child processes of this process that belong neither to a running program's group
/// nor to this process's own group.
///
/// Programs of other games may start or end while the processes are listed. Therefore, programs
/// that were running just before or just after the listing also count as running.
fn orphans(live: impl Fn() -> BTreeSet<i32>) -> Vec<i32> {
    let (own, own_group) = (getpid().as_raw_nonzero().get(), getpgrp().as_raw_nonzero().get());
    let before = live();
    let children: Vec<(i32, i32)> = processes()
        .filter(|(_, parent, group)| *parent == own && *group != own_group)
        .map(|(pid, _, group)| (pid, group))
        .collect();
    let after = live();
    let is_live = |number: &i32| before.contains(number) || after.contains(number);
    children.into_iter().filter(|(pid, group)| !is_live(pid) && !is_live(group)).map(|(pid, _)| pid).collect()
}

/// Returns every process with its parent and its group. Returns no processes if the system has no
/// `/proc` in the format of Linux.
fn processes() -> impl Iterator<Item = (i32, i32, i32)> {
    std::fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name is in parentheses and may contain any character, so search for the last
        // parenthesis.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(1);
        Some((pid, fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    })
}

/// Which part of a program's output to read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// All output.
    On,
    /// Only output that is already in the pipe, because the program has ended.
    Last,
    /// No output. The output stays in the pipe, and a full pipe blocks the program.
    Off,
    /// All output, which is then discarded.
    Drain,
}

/// A running program.
pub struct Running {
    arena: Arena,
    group: Option<Pid>,
    to_program: Option<mpsc::Sender<String>>,
    reading: Arc<watch::Sender<Reading>>,
    /// The exit status, once the program has ended.
    exit: watch::Receiver<Option<ExitStatus>>,
    pipes: Vec<JoinHandle<()>>,
    stderr: JoinHandle<String>,
    is_finished: bool,
    /// The processor time that the program had used when it was last asked for an answer, in
    /// microseconds.
    processor_when_asked: AtomicU64,
}

/// Information about a program that has ended.
#[derive(Clone, Debug, Default)]
pub struct Aftermath {
    /// The exit status. `None` if the program had to be killed.
    pub exit: Option<ExitStatus>,
    /// The last part of the program's standard error.
    pub stderr_tail: String,
    /// The processor time that the program used since it was last asked for an answer. `None` if
    /// the system does not report it.
    pub processor: Option<Duration>,
}

fn command(program: &Program) -> Command {
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).process_group(0).kill_on_drop(true);
    if let Some(folder) = &program.folder {
        command.current_dir(folder);
    }
    command
}

/// Checks that a program can be started, by starting it and killing it immediately.
pub async fn probe(program: &Program) -> io::Result<()> {
    let mut command = command(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    kill_group(group_of(&child), Signal::KILL);
    child.wait().await.map(|_| ())
}

fn group_of(child: &Child) -> Option<Pid> {
    child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
}

/// Sends a signal to a whole process group. Does nothing if the group is empty.
fn kill_group(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        let _nobody = kill_process_group(group, signal);
    }
}

impl Running {
    /// Starts a program with these environment variables. Sends its events to `events`, and
    /// writes its standard error to the file `log`. The file is created only if there is output.
    pub fn start(
        arena: &Arena,
        program: &Program,
        variables: &[(&'static str, String)],
        side: Side,
        events: mpsc::Sender<Event>,
        log: Option<PathBuf>,
    ) -> io::Result<Running> {
        let mut command = command(program);
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Hold the lock, so that no sweep runs between the start of the program and its entry in
        // the set.
        let mut child = arena.with_live(|live| {
            let child = command.spawn()?;
            live.extend(child.id().and_then(|id| i32::try_from(id).ok()));
            io::Result::Ok(child)
        })?;
        let group = group_of(&child);
        let (to_program, from_umpire) = mpsc::channel(UNREAD_MAX);
        let (reading, is_reading) = watch::channel(Reading::On);
        let reading = Arc::new(reading);
        let mut pipes = Vec::new();
        pipes.extend(child.stdin.take().map(|pipe| tokio::spawn(write(pipe, from_umpire))));
        pipes.extend(child.stdout.take().map(|pipe| tokio::spawn(read(side, pipe, is_reading, events))));
        let stderr = child.stderr.take();
        let stderr = tokio::spawn(async move {
            match stderr {
                Some(pipe) => keep(pipe, log).await,
                None => String::new(),
            }
        });
        let (ended, exit) = watch::channel(None);
        pipes.push(tokio::spawn(await_end(child, Arc::clone(&reading), ended)));
        let (arena, to_program) = (arena.clone(), Some(to_program));
        Ok(Running {
            arena,
            group,
            to_program,
            reading,
            exit,
            pipes,
            stderr,
            is_finished: false,
            processor_when_asked: AtomicU64::new(0),
        })
    }

    /// Sends text to the program without waiting. False if too many messages are waiting already.
    #[must_use]
    pub fn tell(&self, text: String) -> bool {
        match self.to_program.as_ref().map(|pipe| pipe.try_send(text)) {
            Some(Err(mpsc::error::TrySendError::Full(_))) => false,
            // A program that has closed its input may still print moves.
            Some(Ok(()) | Err(mpsc::error::TrySendError::Closed(_))) | None => true,
        }
    }

    /// Stores the current processor time of the program, because the program is being asked for
    /// an answer.
    pub fn note_asked(&self) {
        let micros = self.processor_time().map_or(0, |time| time.as_micros());
        self.processor_when_asked.store(u64::try_from(micros).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Returns the processor time that the program has used since it was last asked for an answer.
    /// `None` if the system does not report it.
    pub fn processor_since_asked(&self) -> Option<Duration> {
        let before = Duration::from_micros(self.processor_when_asked.load(Ordering::Relaxed));
        self.processor_time().map(|now| now.saturating_sub(before))
    }

    fn processor_time(&self) -> Option<Duration> {
        processor_time(self.group?.as_raw_nonzero().get())
    }

    /// Stops reading the program's output until [`Running::finish`] is called.
    pub fn mute(&self) {
        self.reading.send_replace(Reading::Off);
    }

    /// Waits for the program to end, but for at most `grace`. Then ends its whole process group
    /// with SIGTERM and SIGKILL.
    pub async fn finish(mut self, grace: Duration) -> Aftermath {
        let processor = self.processor_since_asked();
        self.reading.send_replace(Reading::Drain);
        // Close the program's input after the last text.
        self.to_program = None;
        let exit = timeout(grace, self.ended()).await.ok().flatten();
        if exit.is_none() {
            kill_group(self.group, Signal::TERM);
            // Ignore the exit status after a signal, because it says nothing about the program.
            let _by_force = timeout(TERM_GRACE, self.ended()).await;
        }
        self.end();
        // The program has ended or has been killed. Wait until its process has been reaped.
        self.ended().await;
        let deadline = tokio::time::Instant::now() + PIPE_GRACE;
        for pipe in std::mem::take(&mut self.pipes) {
            let abort = pipe.abort_handle();
            if tokio::time::timeout_at(deadline, pipe).await.is_err() {
                abort.abort();
            }
        }
        let abort = self.stderr.abort_handle();
        let tail = tokio::time::timeout_at(deadline, &mut self.stderr).await;
        abort.abort();
        Aftermath { exit, stderr_tail: tail.ok().and_then(Result::ok).unwrap_or_default(), processor }
    }

    /// Waits until the program has ended. Returns its exit status.
    async fn ended(&mut self) -> Option<ExitStatus> {
        self.exit.wait_for(Option::is_some).await.ok().and_then(|exit| *exit)
    }

    /// Kills the remaining processes of the group. The system assigns process ids in rising
    /// order, so it does not reuse the group's id this soon.
    fn end(&mut self) {
        kill_group(self.group, Signal::KILL);
        // Also kill the program by its process id, because it may have left its group.
        if let (Some(program), None) = (self.group, *self.exit.borrow()) {
            let _gone = kill_process(program, Signal::KILL);
        }
        if !self.is_finished {
            self.is_finished = true;
            let group = self.group.map(|group| group.as_raw_nonzero().get());
            self.arena.with_live(|live| group.map(|group| live.remove(&group)));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.is_finished {
            self.end();
        }
    }
}

/// Waits until the program has ended. Then tells the reader to stop after the output that is
/// already in the pipe, because another process may keep the pipe open.
async fn await_end(
    mut child: Child,
    reading: Arc<watch::Sender<Reading>>,
    ended: watch::Sender<Option<ExitStatus>>,
) {
    let exit = child.wait().await;
    reading.send_if_modified(|reading| {
        let is_on = *reading == Reading::On;
        if is_on {
            *reading = Reading::Last;
        }
        is_on
    });
    // A program whose exit status cannot be read counts as ended too.
    ended.send_replace(Some(exit.unwrap_or_default()));
}

async fn write(mut pipe: ChildStdin, mut texts: mpsc::Receiver<String>) {
    while let Some(text) = texts.recv().await {
        if pipe.write_all(text.as_bytes()).await.is_err() {
            // The program has closed its input.
            return;
        }
    }
}

async fn read(
    side: Side,
    mut pipe: ChildStdout,
    mut reading: watch::Receiver<Reading>,
    events: mpsc::Sender<Event>,
) {
    let mut cutter = LineCutter::default();
    let mut buffer = vec![0; 4096];
    let mut cuts = Vec::new();
    loop {
        let mode = *reading.borrow_and_update();
        let count = tokio::select! {
            changed = reading.changed() => match changed {
                Ok(()) => continue,
                Err(_) => return,
            },
            count = pipe.read(&mut buffer), if mode != Reading::Off => count.unwrap_or(0),
            () = tokio::time::sleep(LAST_WORDS_GRACE), if mode == Reading::Last => 0,
        };
        let at = Instant::now();
        if count == 0 {
            if mode != Reading::Drain {
                // Sending fails only if the game is already over.
                let _over = events.send(Event { at, input: Input::Gone(side) }).await;
            }
            return;
        }
        if mode != Reading::Drain {
            cutter.push(&buffer[..count], |cut| cuts.push(cut));
            for cut in cuts.drain(..) {
                let _over = events.send(Event { at, input: Input::Said(side, cut) }).await;
            }
        }
    }
}

/// Reads standard error until it is closed. Writes the first part to the log, and returns the
/// last part.
async fn keep(mut pipe: ChildStderr, log: Option<PathBuf>) -> String {
    let mut buffer = vec![0; 4096];
    let mut tail: Vec<u8> = Vec::new();
    let mut file: Option<File> = None;
    let (mut kept, mut lost) = (0, 0);
    loop {
        let count = pipe.read(&mut buffer).await.unwrap_or(0);
        let bytes = &buffer[..count];
        if count == 0 {
            break;
        }
        if kept == 0 {
            // Ignore this error. If the folder is not writable, writing the records and moves
            // fails too, and that error is reported.
            file = log.as_ref().and_then(|path| File::create(path).ok());
        }
        let room = bytes.len().min(STDERR_BYTES_MAX - kept);
        if let Some(open) = &mut file
            && open.write_all(&bytes[..room]).is_err()
        {
            file = None;
        }
        kept += room;
        lost += bytes.len() - room;
        tail.extend_from_slice(bytes);
        tail.drain(..tail.len().saturating_sub(STDERR_TAIL_BYTES));
    }
    if let (Some(file), true) = (&mut file, lost > 0) {
        let _full = writeln!(file, "\n[the umpire kept {kept} bytes, {lost} more were dropped]");
    }
    String::from_utf8_lossy(&tail).trim().to_owned()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::lines::Cut;

    fn program(script: &str) -> Program {
        Program {
            name: "sh".to_owned(),
            path: "/bin/sh".into(),
            arguments: vec!["-c".to_owned(), script.to_owned()],
            folder: None,
        }
    }

    fn start(script: &str) -> (Running, mpsc::Receiver<Event>) {
        let (sender, events) = mpsc::channel(8);
        let arena = Arena::default();
        let variables = [("FLAGFALL_TEST", "lakes".to_owned())];
        let running = Running::start(&arena, &program(script), &variables, Side::Red, sender, None);
        (running.expect("started"), events)
    }

    fn is_running(group: Pid) -> bool {
        let group = group.as_raw_nonzero().get();
        let is_zombie = |pid: i32| {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            stat.rsplit_once(')').is_none_or(|(_, fields)| fields.trim_start().starts_with('Z'))
        };
        processes().any(|(pid, _, its)| its == group && !is_zombie(pid))
    }

    #[tokio::test]
    async fn unread_input_is_bounded_and_blocks_no_one() {
        let (running, _events) = start("exec sleep 1000");
        let board = "x".repeat(110);
        let mut told = 0;
        // The writing task takes messages until the pipe is full.
        while running.tell(board.clone()) {
            told += 1;
            assert!(told < 10_000, "the queue has no bound");
            tokio::task::yield_now().await;
        }
        assert!(told >= UNREAD_MAX);
        let group = running.group.expect("a group");
        running.finish(Duration::ZERO).await;
        assert!(!is_running(group));
    }

    #[tokio::test]
    async fn a_program_that_is_dropped_is_killed_with_its_children() {
        let (running, mut events) = start("trap '' TERM; sleep 1000 & echo ready; sleep 1000");
        let event = events.recv().await.expect("a word");
        assert!(matches!(event.input, Input::Said(Side::Red, _)));
        let group = running.group.expect("a group");
        assert!(is_running(group));
        let mut exit = running.exit.clone();
        drop(running);
        // The program has been killed, but it remains a zombie until it is reaped.
        assert!(exit.wait_for(Option::is_some).await.is_ok());
        while is_running(group) {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn programs_that_start_or_end_during_a_sweep_are_no_orphans() {
        let arena = Arena::default();
        let live = || arena.with_live(|live| live.clone());
        let begin = || {
            let (sender, _events) = mpsc::channel(8);
            Running::start(&arena, &program("exec sleep 1000"), &[], Side::Red, sender, None)
                .expect("started")
        };
        let number = |running: &Running| running.group.expect("a group").as_raw_nonzero().get();
        // Start a program between the two reads of the set of running programs, as if it started
        // during the listing.
        let started = std::cell::RefCell::new(None);
        let found = orphans(|| {
            let seen = live();
            started.borrow_mut().get_or_insert_with(begin);
            seen
        });
        let running = started.into_inner().expect("started");
        assert!(!found.contains(&number(&running)), "started between the looks");
        let looks = std::cell::Cell::new(0);
        let found = orphans(|| {
            looks.set(looks.get() + 1);
            if looks.get() == 1 { live() } else { BTreeSet::new() }
        });
        assert!(!found.contains(&number(&running)), "over between the looks");
        assert!(orphans(BTreeSet::new).contains(&number(&running)), "a process of no program");
        running.finish(Duration::ZERO).await;
    }

    #[tokio::test]
    async fn a_muted_program_waits() {
        let (running, mut events) = start("echo one; read go; yes");
        assert!(events.recv().await.is_some());
        running.mute();
        assert!(running.tell("go\n".to_owned()));
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        assert!(events.try_recv().is_err(), "nothing is read");
        running.finish(Duration::ZERO).await;
    }

    #[tokio::test]
    async fn a_program_finds_the_game_in_its_environment() {
        let (running, mut events) = start("echo \"$FLAGFALL_TEST\"; read end");
        let event = events.recv().await.expect("a word");
        assert_eq!(event.input, Input::Said(Side::Red, Cut::Line("lakes".to_owned())));
        running.finish(QUIT_GRACE).await;
    }

    #[tokio::test]
    async fn processor_time_counts_from_the_question_and_with_children() {
        // The program is busy before the umpire asks it. After the question, its child is
        // busy, and then the program waits.
        let busy = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done";
        let script = format!("{busy}; echo ready; read go; sh -c '{busy}'; echo done; read end");
        let (running, mut events) = start(&script);
        assert!(events.recv().await.is_some());
        running.note_asked();
        let before = running.processor_time().expect("a time");
        assert!(before > Duration::ZERO);
        assert!(running.processor_since_asked().expect("a time") < before);
        assert!(running.tell("go\n".to_owned()));
        assert!(events.recv().await.is_some());
        let aftermath = running.finish(Duration::ZERO).await;
        assert!(aftermath.processor.expect("a time") > Duration::ZERO);
    }

    #[tokio::test]
    async fn a_programs_exit_status_and_last_output_are_known() {
        let (running, mut events) = start("echo oh no >&2; exit 7");
        let event = events.recv().await.expect("its end");
        assert_eq!(event.input, Input::Gone(Side::Red));
        let aftermath = running.finish(QUIT_GRACE).await;
        assert_eq!(aftermath.exit.and_then(|exit| exit.code()), Some(7));
        assert_eq!(aftermath.stderr_tail, "oh no");
    }
}
