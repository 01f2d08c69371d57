//! Formats results for people and programs, as text, Markdown or CSV.

use std::fmt::Write as _;
use std::time::Duration;

use flagfall_board::Side;
use flagfall_words::counted;

use crate::series::{Plan, Played};
use crate::standings::{Standing, by_side, endings, head_to_head, mean_plies, standings};

/// The output format of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For a terminal.
    Text,
    /// For a web page: tables in GitHub's Markdown.
    Markdown,
    /// For a spreadsheet. Contains only the standings, with one line for each program.
    Csv,
}

/// Maximum number of faults to list. The others are only counted.
const FAULTS_MAX: usize = 20;

/// Formats the results of the games played so far, which may be only a part of the plan.
pub fn results(plan: &Plan, played: &[Played], format: Format) -> String {
    let standings = standings(plan.programs.len(), played);
    match format {
        Format::Text => page(plan, played, &standings, false),
        Format::Markdown => page(plan, played, &standings, true),
        Format::Csv => csv(plan, &standings),
    }
}

const HEADINGS: [&str; 11] =
    ["#", "program", "games", "won", "drawn", "lost", "faults", "score", "95 %", "time a move", "longest"];

/// Returns the first cells of a program's row: its place, its name, and its numbers of games.
fn counts(plan: &Plan, standing: &Standing) -> Vec<String> {
    let Standing { program, place, won, drawn, lost, faults, .. } = standing;
    let mut cells = vec![place.to_string(), plan.programs[*program].name.clone()];
    cells.extend([standing.games(), *won, *drawn, *lost, *faults].map(|count| count.to_string()));
    cells
}

fn row(plan: &Plan, standing: &Standing) -> Vec<String> {
    let dash = || "-".to_owned();
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let mut cells = counts(plan, standing);
    cells.extend([
        standing.score().map_or_else(dash, |score| format!("{} %", percent(score))),
        standing.interval().map_or_else(dash, |(low, high)| format!("{}-{}", percent(low), percent(high))),
        standing.mean_thought().map_or_else(dash, duration),
        standing.mean_thought().map_or_else(dash, |_| duration(standing.thinking.longest)),
    ]);
    cells
}

/// Formats a duration for people.
fn duration(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1000.0;
    if ms >= 1000.0 {
        format!("{:.2} s", ms / 1000.0)
    } else if ms >= 10.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{ms:.1} ms")
    }
}

/// Returns facts about the games that are not in a table, one per line.
fn facts(plan: &Plan, played: &[Played]) -> Vec<String> {
    let mut facts = Vec::new();
    let planned = plan.fixtures.len();
    if played.len() < planned {
        let games = counted(planned, "game", "games");
        facts.push(format!("Not complete: {} of {games} played.", played.len()));
    }
    let (won, nobody) = by_side(played);
    facts.push(format!("Red won {}, Blue won {}, nobody {nobody}.", won.red, won.blue));
    let ends: Vec<String> = endings(played).iter().map(|(code, count)| format!("{code} {count}")).collect();
    if !ends.is_empty() {
        facts.push(format!("Games ended by {}.", ends.join(", ")));
    }
    if let Some(plies) = mean_plies(played) {
        facts.push(format!("Mean length: {plies:.1} plies."));
    }
    facts
}

fn faults(plan: &Plan, played: &[Played]) -> Vec<String> {
    let mut faults: Vec<String> = played
        .iter()
        .flat_map(|game| Side::BOTH.map(|side| (game, side)))
        .filter_map(|(game, side)| {
            let name = &plan.programs[game.fixture.sides[side]].name;
            let fault = game.faults[side].as_ref()?;
            Some(format!("game {}, {name} ({side}): {fault}", game.fixture.number))
        })
        .collect();
    if faults.len() > FAULTS_MAX {
        let more = faults.len() - FAULTS_MAX;
        faults.truncate(FAULTS_MAX);
        faults.push(format!("and {more} more (--log keeps them all)"));
    }
    faults
}

fn title(plan: &Plan, played: &[Played]) -> String {
    let seconds = plan.limits.turn.as_secs_f64();
    let games = counted(played.len(), "game", "games");
    format!("{}, {games}, {seconds} s a turn", plan.ruleset.id)
}

/// Returns a table of each program's points against each other program, in the order of the
/// standings. `None` for fewer than three programs.
fn cross_table(plan: &Plan, played: &[Played], standings: &[Standing]) -> Option<Vec<Vec<String>>> {
    if plan.programs.len() < 3 {
        return None;
    }
    let mut rows = vec![vec!["#".to_owned(), "program".to_owned()]];
    rows[0].extend((1..=standings.len()).map(|column| column.to_string()));
    for (index, one) in standings.iter().enumerate() {
        let mut row = vec![(index + 1).to_string(), plan.programs[one.program].name.clone()];
        row.extend(standings.iter().map(|other| match head_to_head(played, one.program, other.program) {
            _ if one.program == other.program => "x".to_owned(),
            (_, 0) => "-".to_owned(),
            (halves, games) => format!("{}/{games}", points(halves)),
        }));
        rows.push(row);
    }
    Some(rows)
}

/// Formats a number of half points as points.
fn points(halves: u32) -> String {
    if halves.is_multiple_of(2) { (halves / 2).to_string() } else { format!("{}.5", halves / 2) }
}

fn page(plan: &Plan, played: &[Played], standings: &[Standing], is_markdown: bool) -> String {
    let table = if is_markdown { markdown_table } else { aligned };
    let (heading, bullet) = if is_markdown { ("## ", "- ") } else { ("", "") };
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(standings.iter().map(|standing| row(plan, standing)));
    let mut text = format!("{heading}{}\n\n", title(plan, played));
    table(&mut text, &rows);
    if let Some(rows) = cross_table(plan, played, standings) {
        text.push_str("\nPoints of each against each:\n\n");
        table(&mut text, &rows);
    }
    text.push('\n');
    facts(plan, played).iter().for_each(|fact| line(&mut text, &format!("{bullet}{fact}")));
    let faults = faults(plan, played);
    if !faults.is_empty() {
        text.push_str(if is_markdown { "\nFaults:\n\n" } else { "\nFaults:\n" });
    }
    for fault in faults {
        // Quote a program's output, so that it is not interpreted as Markdown.
        let quoted = || format!("- `{}`", fault.replace('`', "'"));
        line(&mut text, &if is_markdown { quoted() } else { format!("  {fault}") });
    }
    text
}

fn line(text: &mut String, words: &str) {
    text.push_str(words);
    text.push('\n');
}

/// Aligns the second column, which contains names, to the left, and all other columns to the
/// right.
fn aligned(text: &mut String, rows: &[Vec<String>]) {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let mut words = String::new();
        for (column, (word, width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _infallible = match column {
                1 => write!(words, "  {word:<width$}"),
                0 => write!(words, "{word:>width$}"),
                _ => write!(words, "  {word:>width$}"),
            };
        }
        line(text, words.trim_end());
    }
}

fn markdown_table(text: &mut String, rows: &[Vec<String>]) {
    for (index, row) in rows.iter().enumerate() {
        line(text, &format!("| {} |", row.join(" | ")));
        if index == 0 {
            let marks: Vec<&str> =
                (0..row.len()).map(|column| if column == 1 { "---" } else { "---:" }).collect();
            line(text, &format!("| {} |", marks.join(" | ")));
        }
    }
}

/// Formats the standings as CSV. Names are words of the protocol, so they contain no commas or
/// quotes.
fn csv(plan: &Plan, standings: &[Standing]) -> String {
    let mut text = String::from(
        "place,program,games,won,drawn,lost,faults,score,low_95,high_95,mean_move_ms,longest_move_ms\n",
    );
    for standing in standings {
        let share = |share: Option<f64>| share.map_or_else(String::new, |share| format!("{share:.4}"));
        let ms = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1000.0);
        let (low, high) = standing.interval().unzip();
        let mut cells = counts(plan, standing);
        cells.extend([
            share(standing.score()),
            share(low),
            share(high),
            standing.mean_thought().map_or_else(String::new, ms),
            standing.mean_thought().map_or_else(String::new, |_| ms(standing.thinking.longest)),
        ]);
        line(&mut text, &cells.join(","));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use flagfall_rules::rulesets::PBM;

    use super::*;
    use crate::bout::Limits;
    use crate::program::Program;
    use crate::series::round_robin;
    use crate::standings::tests::game;

    fn plan(names: &[&str]) -> Plan {
        let program = |name: &&str| Program {
            name: (*name).to_owned(),
            path: PathBuf::new(),
            arguments: Vec::new(),
            folder: None,
        };
        Plan {
            ruleset: &PBM,
            limits: Limits::default(),
            programs: names.iter().map(program).collect(),
            fixtures: round_robin(names.len(), 2),
            parallel: 1,
            records: None,
            logs: None,
        }
    }

    fn played() -> Vec<Played> {
        let mut played = vec![
            game(1, 0, 1, Some(Side::Red)),
            game(2, 0, 2, Some(Side::Red)),
            game(3, 1, 2, None),
            game(4, 1, 0, Some(Side::Blue)),
            game(5, 2, 0, Some(Side::Red)),
        ];
        played[4].faults.blue = Some("no answer within 2 s; its last words: `oh`".to_owned());
        played
    }

    #[test]
    fn text_is_a_table_and_says_what_is_missing() {
        assert_eq!(
            results(&plan(&["ann", "bob", "carl"]), &played(), Format::Text),
            "\
pbm, 5 games, 2 s a turn

#  program  games  won  drawn  lost  faults   score       95 %  time a move  longest
1  ann          4    3      0     1       1  75.0 %  30.1-95.4        12 ms    30 ms
2  carl         3    1      1     1       0  50.0 %  12.5-87.5        12 ms    30 ms
3  bob          3    0      1     2       0  16.7 %   1.8-69.0        12 ms    30 ms

Points of each against each:

#  program    1      2      3
1  ann        x    1/2    2/2
2  carl     1/2      x  0.5/1
3  bob      0/2  0.5/1      x

Not complete: 5 of 6 games played.
Red won 3, Blue won 1, nobody 1.
Games ended by flag_captured 4, quiet_limit 1.
Mean length: 23.0 plies.

Faults:
  game 5, ann (Blue): no answer within 2 s; its last words: `oh`
"
        );
    }

    #[test]
    fn markdown_has_tables_and_no_markup_of_programs() {
        let text = results(&plan(&["ann", "bob", "carl"]), &played(), Format::Markdown);
        assert!(text.contains("| # | program | games |"), "{text}");
        assert!(text.contains("| ---: | --- | ---: |"), "{text}");
        assert!(text.contains("| 1 | ann | 4 | 3 | 0 | 1 | 1 | 75.0 % |"), "{text}");
        assert!(
            text.contains("- `game 5, ann (Blue): no answer within 2 s; its last words: 'oh'`\n"),
            "{text}"
        );
    }

    #[test]
    fn csv_is_a_line_for_each_program() {
        let text = results(&plan(&["ann", "bob", "carl"]), &played(), Format::Csv);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(lines[1], "1,ann,4,3,0,1,1,0.7500,0.3006,0.9544,12.000,30.000");
        let columns = |line: &str| line.split(',').count();
        assert!(lines.iter().all(|line| columns(line) == columns(lines[0])));
    }

    #[test]
    fn without_a_game_there_are_no_figures() {
        let text = results(&plan(&["ann", "bob"]), &[], Format::Text);
        assert!(text.contains("Not complete: 0 of 2 games played."), "{text}");
        assert!(!text.contains("NaN"), "{text}");
    }

    #[test]
    fn many_faults_are_counted() {
        let mut game = game(1, 0, 1, Some(Side::Red));
        game.faults.blue = Some("it ended".to_owned());
        let text = results(&plan(&["ann", "bob"]), &vec![game; 50], Format::Text);
        assert!(text.contains("and 30 more"), "{text}");
    }
}
