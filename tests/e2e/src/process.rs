//! A child process and its output.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for any step. It is far longer than needed, so that tests do not fail on a slow
/// machine.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// The number of transcript lines to print after a failure.
const SHOWN_LINES: usize = 80;

/// All output of a process so far.
#[derive(Debug, Default)]
struct Transcript {
    lines: Vec<String>,
    /// Lines of the standard error only.
    errors: Vec<String>,
    /// Lines of the standard output only.
    printed: Vec<String>,
    open_streams: usize,
}

#[derive(Debug, Default)]
struct Output {
    transcript: Mutex<Transcript>,
    changed: Condvar,
}

impl Output {
    fn lock(&self) -> MutexGuard<'_, Transcript> {
        self.transcript.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(self: &Arc<Output>, stream: impl Read + Send + 'static, is_error: bool) {
        self.lock().open_streams += 1;
        let shared = Arc::clone(self);
        thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut bytes = Vec::new();
            while stream.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                bytes.clear();
                let mut transcript = shared.lock();
                let alone = if is_error { &mut transcript.errors } else { &mut transcript.printed };
                alone.push(line.clone());
                transcript.lines.push(line);
                shared.changed.notify_all();
            }
            shared.lock().open_streams -= 1;
            shared.changed.notify_all();
        });
    }
}

/// How a process ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The exit code of the process. `None` if a signal ended the process.
    pub code: Option<i32>,
    /// The whole output of the process in one text.
    pub said: String,
    /// The standard output of the process.
    pub printed: String,
}

impl Ended {
    /// Checks that the process ended with this exit code and that its output contains all of
    /// these words.
    ///
    /// # Panics
    /// If the exit code or the output is different.
    pub fn expect(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.said);
        for word in words {
            assert!(self.said.contains(word), "{word:?} is missing in:\n{}", self.said);
        }
        assert!(!self.said.contains("panicked"), "{}", self.said);
    }
}

/// A command without the Flagfall settings of the person who runs the tests.
#[must_use]
pub fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}

/// A process that is killed when this value is dropped.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    shared: Arc<Output>,
    /// The number of lines that earlier waits have already consumed.
    at: usize,
    status: Option<ExitStatus>,
    patience: Duration,
}

impl Process {
    /// Starts a process. Failure messages contain the name.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn start(name: &str, command: &mut Command) -> Process {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let shared = Arc::new(Output::default());
        if let Some(stdout) = child.stdout.take() {
            shared.read(stdout, false);
        }
        if let Some(stderr) = child.stderr.take() {
            shared.read(stderr, true);
        }
        let input = child.stdin.take();
        Process { name: name.to_owned(), child, input, shared, at: 0, status: None, patience: TIMEOUT }
    }

    /// Changes the time limit, for commands that build first.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Process {
        self.patience = patience;
        self
    }

    /// Runs a command to its end, without input.
    #[must_use]
    pub fn run(command: &mut Command) -> Ended {
        let name = format!("{command:?}");
        let mut process = Process::start(&name, command);
        process.input = None;
        process.ended()
    }

    /// Writes a line to the process's input.
    ///
    /// # Panics
    /// If the process no longer reads its input.
    pub fn type_line(&mut self, line: &str) {
        let written = self.input.as_mut().map(|input| writeln!(input, "{line}").and_then(|()| input.flush()));
        if !matches!(written, Some(Ok(()))) {
            self.fail(&format!("it does not take {line:?}"));
        }
    }

    /// Waits for the next line that contains this text, and returns it. Earlier lines are
    /// skipped, and later waits do not find them.
    ///
    /// # Panics
    /// If the line does not come in time, or the output has ended.
    pub fn expect(&mut self, part: &str) -> String {
        self.expect_one_of(&[part])
    }

    /// Waits for the next line that contains one of these texts.
    ///
    /// # Panics
    /// If none comes in time.
    pub fn expect_one_of(&mut self, parts: &[&str]) -> String {
        let shared = Arc::clone(&self.shared);
        let deadline = Instant::now() + self.patience;
        let mut transcript = shared.lock();
        loop {
            while let Some(line) = transcript.lines.get(self.at) {
                self.at += 1;
                if parts.iter().any(|part| line.contains(part)) {
                    return line.clone();
                }
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if transcript.open_streams == 0 || left.is_zero() {
                drop(transcript);
                self.fail(&format!("none of {parts:?} came"));
            }
            (transcript, _) =
                shared.changed.wait_timeout(transcript, left).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns the whole output of the process so far.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.shared.lock().lines.clone()
    }

    /// Returns the standard error of the process so far.
    #[must_use]
    pub fn error_lines(&self) -> Vec<String> {
        self.shared.lock().errors.clone()
    }

    /// True if any line so far contains this text.
    #[must_use]
    pub fn has_said(&self, part: &str) -> bool {
        self.shared.lock().lines.iter().any(|line| line.contains(part))
    }

    /// Waits until the process ends. A process that was killed has no exit code.
    ///
    /// # Panics
    /// If it does not end in time.
    pub fn ended(&mut self) -> Ended {
        let shared = Arc::clone(&self.shared);
        let deadline = Instant::now() + self.patience;
        let mut transcript = shared.lock();
        while transcript.open_streams > 0 {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                drop(transcript);
                self.fail("it does not end");
            }
            (transcript, _) =
                shared.changed.wait_timeout(transcript, left).unwrap_or_else(PoisonError::into_inner);
        }
        let (said, printed) = (transcript.lines.join("\n"), transcript.printed.join("\n"));
        drop(transcript);
        let status = self.child.wait().expect("a child of ours");
        self.status = Some(status);
        Ended { code: status.code(), said, printed }
    }

    /// Closes the process's input, as Ctrl-D does.
    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// Kills the process, as a crash would, and waits until it is gone.
    ///
    /// # Panics
    /// If it cannot be killed.
    pub fn kill(&mut self) {
        self.child.kill().expect("a child of ours");
        self.status = Some(self.child.wait().expect("a child of ours"));
    }

    /// Asks the process to end, as a service manager does.
    ///
    /// # Panics
    /// If the signal cannot be sent.
    pub fn terminate(&mut self) {
        self.signal("TERM");
    }

    /// Suspends the process, as if the machine had frozen.
    ///
    /// # Panics
    ///
    /// If the signal cannot be sent.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// Lets a suspended process continue.
    ///
    /// # Panics
    ///
    /// If the signal cannot be sent.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("sh").args(["-c", "kill -\"$1\" \"$2\"", "sh", name, &id]).status();
        assert!(sent.is_ok_and(|status| status.success()), "no signal to {}", self.name);
    }

    /// Fails the test and prints the process's last lines.
    ///
    /// # Panics
    /// Always.
    pub fn fail(&self, why: &str) -> ! {
        let lines = self.lines();
        let hidden = lines.len().saturating_sub(SHOWN_LINES);
        panic!("{}: {why}. Its last lines:\n{}", self.name, lines[hidden..].join("\n"));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.status.is_none() {
            // The process may already have ended by itself.
            self.child.kill().ok();
            self.child.wait().ok();
        }
    }
}
