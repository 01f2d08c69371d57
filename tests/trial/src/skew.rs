//! Wall clocks that jump, and connections that are led to other ports. For this purpose, a small C
//! library is built when needed and loaded into servers and Redis.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::error::TrialError;

const SOURCES: [(&str, &str); 2] =
    [("clock.c", include_str!("../preload/clock.c")), ("ports.c", include_str!("../preload/ports.c"))];

/// The library that makes a process's clock jump, and its connections go elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Preload(PathBuf);

impl Preload {
    /// Builds the library in this folder. The error says why this is not possible, for example
    /// because there is no C compiler.
    pub(crate) async fn build(folder: &Path) -> Result<Preload, String> {
        const WHAT: &str = "clock jumps, and links between a server and a master";
        if !cfg!(target_os = "linux") {
            return Err(format!("{WHAT}: skipped, because they need Linux"));
        }
        let library = folder.join("preload.so");
        let skipped = |why: String| format!("{WHAT}: skipped, because no library could be built: {why}");
        let mut command = Command::new("cc");
        command.args(["-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o"]).arg(&library);
        for (name, source) in SOURCES {
            std::fs::write(folder.join(name), source).map_err(|error| skipped(error.to_string()))?;
            command.arg(folder.join(name));
        }
        let output = command.output().await.map_err(|error| skipped(format!("cc: {error}")))?;
        if !output.status.success() {
            return Err(skipped(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(Preload(library))
    }

    /// Returns the environment variables with which a program's connections go to the second
    /// port of a pair instead of the first one.
    pub(crate) fn lead(&self, pairs: impl Iterator<Item = (u16, u16)>) -> Vec<(String, String)> {
        let pairs: Vec<String> = pairs.map(|(from, to)| format!("{from}={to}")).collect();
        let library = self.0.display().to_string();
        vec![("LD_PRELOAD".to_owned(), library), ("FLAGFALL_PORTS".to_owned(), pairs.join(","))]
    }
}

/// A process's wall clock, which can be ahead of the machine's clock or behind it.
#[derive(Debug)]
pub(crate) struct Skew {
    library: Preload,
    path: PathBuf,
    file: File,
    off_ms: i64,
}

impl Skew {
    /// Creates a clock that agrees with the machine's clock.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) fn new(library: &Preload, path: PathBuf) -> Result<Skew, TrialError> {
        let file = File::create(&path).map_err(TrialError::io("making a clock"))?;
        let mut skew = Skew { library: library.clone(), path, file, off_ms: 0 };
        skew.jump(0)?;
        Ok(skew)
    }

    /// The number of milliseconds by which the clock is ahead.
    #[must_use]
    pub(crate) fn off_ms(&self) -> i64 {
        self.off_ms
    }

    /// Jumps forward or back.
    ///
    /// # Errors
    /// [`TrialError::Io`].
    pub(crate) fn jump(&mut self, by_ms: i64) -> Result<(), TrialError> {
        self.off_ms += by_ms;
        let bytes = self.off_ms.to_ne_bytes();
        self.file.write_all_at(&bytes, 0).map_err(TrialError::io("setting a clock"))
    }

    /// The environment variables that give a program this clock.
    pub(crate) fn environment(&self) -> [(&'static str, &Path); 2] {
        [("LD_PRELOAD", &self.library.0), ("FLAGFALL_CLOCK", &self.path)]
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::process::Stdio;

    use super::*;
    use crate::log::now_ms;

    #[tokio::test]
    async fn a_process_sees_its_clock_jump() {
        let folder = tempfile::tempdir().unwrap();
        let library = match Preload::build(folder.path()).await {
            Ok(library) => library,
            Err(why) => return eprintln!("{why}"),
        };
        let mut skew = Skew::new(&library, folder.path().join("clock")).unwrap();
        for by_ms in [0, 600_500, -1_200_750] {
            skew.jump(by_ms).unwrap();
            let mut date = Command::new("date");
            date.arg("+%s%3N").envs(skew.environment()).stdin(Stdio::null());
            let before = i64::try_from(now_ms()).unwrap();
            let said = String::from_utf8(date.output().await.unwrap().stdout).unwrap();
            let after = i64::try_from(now_ms()).unwrap();
            let said: i64 = said.trim().parse().unwrap();
            let expected = before + skew.off_ms() - 1..=after + skew.off_ms() + 1;
            assert!(expected.contains(&said), "{said} is not in {expected:?}");
        }
    }

    #[tokio::test]
    async fn a_process_is_led_to_another_port() {
        let folder = tempfile::tempdir().unwrap();
        let library = match Preload::build(folder.path()).await {
            Ok(library) => library,
            Err(why) => return eprintln!("{why}"),
        };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        // Nobody listens on the second of these ports.
        for (named, is_led) in [(1, true), (2, false)] {
            let mut dial = Command::new("bash");
            dial.arg("-c").arg(format!("echo >/dev/tcp/127.0.0.1/{named}"));
            dial.envs(library.lead([(3, 4), (1, port)].into_iter())).stderr(Stdio::null());
            assert_eq!(dial.status().await.unwrap().success(), is_led);
        }
    }
}
