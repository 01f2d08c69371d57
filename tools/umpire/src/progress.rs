//! Shows progress while games are played. On a terminal, one line is updated. Otherwise, a few
//! lines are printed.

use flagfall_words::counted;
use std::io::{self, Write};

use crate::series::{Plan, Played};
use crate::standings::{Standing, standings};

/// Maximum number of programs to name in a line. The others are only counted.
const NAMED_MAX: usize = 4;
/// Number of lines to print for a whole plan if the output is not a terminal.
const LINES_MAX: usize = 10;

/// Shows how much of a plan has been played.
pub struct Progress<W> {
    to: W,
    is_terminal: bool,
    told: usize,
}

impl<W: Write> Progress<W> {
    /// Creates a progress display that writes to `to`. On a terminal, it updates one line.
    pub fn new(to: W, is_terminal: bool) -> Progress<W> {
        Progress { to, is_terminal, told: 0 }
    }

    /// Shows the results so far, and the number of games in progress.
    pub fn tell(&mut self, plan: &Plan, played: &[Played], under_way: usize) -> io::Result<()> {
        let planned = plan.fixtures.len();
        if self.is_terminal {
            let line = line(plan, played, under_way);
            // Shorten the line so that a usual terminal does not wrap it, because a wrapped line
            // cannot be overwritten.
            let line: String = line.chars().take(79).collect();
            write!(self.to, "\r\x1b[K{line}")?;
            return self.to.flush();
        }
        let step = played.len() * LINES_MAX / planned.max(1);
        if step > self.told {
            self.told = step;
            writeln!(self.to, "{}", line(plan, played, under_way))?;
        }
        Ok(())
    }

    /// Clears the line, so that other output can be printed.
    pub fn clear(&mut self) -> io::Result<()> {
        if self.is_terminal {
            write!(self.to, "\r\x1b[K")?;
            self.to.flush()?;
        }
        Ok(())
    }
}

fn line(plan: &Plan, played: &[Played], under_way: usize) -> String {
    let games = counted(plan.fixtures.len(), "game", "games");
    let mut line = format!("{} of {games}", played.len());
    if under_way > 0 {
        line.push_str(&format!(", {under_way} under way"));
    }
    let standings = standings(plan.programs.len(), played);
    let points = |standing: &Standing| {
        format!("{} {:.1}", plan.programs[standing.program].name, f64::from(standing.half_points()) / 2.0)
    };
    let mut names: Vec<String> = standings.iter().take(NAMED_MAX).map(points).collect();
    if standings.len() > NAMED_MAX {
        names.push(format!("{} more", standings.len() - NAMED_MAX));
    }
    format!("{line}: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use flagfall_board::Side;
    use flagfall_rules::rulesets::PBM;

    use super::*;
    use crate::bout::Limits;
    use crate::program::Program;
    use crate::series::duel;
    use crate::standings::tests::game;

    fn told(is_terminal: bool, games: usize) -> String {
        let program = |name: &str| Program {
            name: name.to_owned(),
            path: PathBuf::new(),
            arguments: Vec::new(),
            folder: None,
        };
        let plan = Plan {
            ruleset: &PBM,
            limits: Limits::default(),
            programs: vec![program("ann"), program("bob")],
            fixtures: duel(games, false),
            parallel: 1,
            records: None,
            logs: None,
        };
        let mut text = Vec::new();
        let mut progress = Progress::new(&mut text, is_terminal);
        let mut played = Vec::new();
        progress.tell(&plan, &played, 1).expect("told");
        for number in 1..=games {
            played.push(game(number, 0, 1, Some(Side::Red)));
            progress.tell(&plan, &played, usize::from(number < games)).expect("told");
        }
        progress.clear().expect("cleared");
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn a_terminal_has_one_line_that_changes() {
        let text = told(true, 3);
        assert!(!text.contains('\n'));
        assert!(text.contains("\r\x1b[K2 of 3 games, 1 under way: ann 2.0, bob 0.0"), "{text:?}");
        assert!(text.ends_with("\r\x1b[K"));
    }

    #[test]
    fn elsewhere_there_are_few_lines() {
        assert_eq!(told(false, 1), "1 of 1 game: ann 1.0, bob 0.0\n");
        assert_eq!(told(false, 200).lines().count(), 10);
        assert!(told(false, 200).starts_with("20 of 200 games, 1 under way: ann 20.0, bob 0.0\n"));
    }
}
