//! Tests of `flagfall umpire` with real programs: small scripts, each with a different fault.
//!
//! The tests check which side loses with which result, and that no process is left. Only tests of
//! lateness have short limits. In all other tests, the programs themselves end the game.

#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use flagfall_tests::write_script;

const BINARY: &str = env!("CARGO_BIN_EXE_flagfall");
/// Time limits that no program should reach. If a program is late despite these limits, the
/// umpire is at fault.
const PATIENT: [&str; 4] = ["--turn-time", "60", "--deploy-time", "60"];

const DEPLOY_RED: &str = "read opening; printf 'FB8sB479B8\\nBB31555583\\n6724898974\\n967B669999\\n'";
/// A script that reads START and the rows of the first board.
const READ_BOARD: &str = "for i in 1 2 3 4 5 6 7 8 9 10 11; do read row; done";

/// A folder with programs that record their process ids.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Stage {
        Stage { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a shell script that records its process id. `$NOTE` in `lines` records the id of a
    /// nested shell.
    fn script(&self, name: &str, lines: &str) -> String {
        let pids = self.path("pids");
        let note = format!("echo $$ >> '{}'", pids.display());
        let text = format!("#!/bin/sh\n{note}\n{}\n", lines.replace("$NOTE", &note));
        let path = self.path(name);
        write_script(&path, &text);
        path.to_str().expect("text").to_owned()
    }

    /// Writes a script that runs a house player.
    fn honest(&self, rules: &str) -> String {
        self.script("honest", &format!("exec '{BINARY}' bot --line random --rules {rules} --seed 5"))
    }

    fn umpire(&self, arguments: &[&str]) -> Command {
        // Limit the memory, so that the umpire fails if it stores all of a program's excessive
        // output.
        let mut command = Command::new("sh");
        command
            .args(["-c", "ulimit -v 2000000; exec \"$0\" umpire \"$@\"", BINARY])
            .args(arguments)
            .env("FLAGFALL_CONFIG_DIR", self.folder.path())
            .env("FLAGFALL_LANGUAGE", "en");
        command
    }

    /// Runs a misbehaving Red against a house player. Returns the results in the log and the
    /// record.
    fn misbehaves(&self, lines: &str, limits: &[&str]) -> Verdict {
        let (red, blue) = (self.script("culprit", lines), self.honest("pbm"));
        let record = self.path("record");
        let record = record.to_str().expect("text");
        let mut arguments = vec!["--rules", "pbm", "--red", &red, "--blue", &blue, "--record", record];
        arguments.extend(limits);
        let output = self.umpire(&arguments).output().expect("the umpire runs");
        self.nothing_is_left();
        Verdict::new(&output, Path::new(record))
    }

    /// Runs a Red that does not deploy in time. Blue has the same time, and may be late as well on
    /// a busy machine. Then both get more time in another game. Returns the time limit, too.
    fn deploys_late(lines: &str) -> (Verdict, &'static str) {
        let limits = ["0.3", "3", "30"].into_iter().map(|seconds| {
            let limits = ["--turn-time", "60", "--deploy-time", seconds];
            (Stage::new().misbehaves(lines, &limits), seconds)
        });
        let mut games = limits.skip_while(|(verdict, _)| verdict.quit.contains("BOTH_ILLEGAL"));
        games.next().expect("Blue deploys in time")
    }

    /// Asserts that no recorded process is still running, and no other process of its group or
    /// session.
    fn nothing_is_left(&self) {
        let pids = fs::read_to_string(self.path("pids")).expect("ids");
        let pids: Vec<i32> = pids.lines().map(|pid| pid.parse().expect("an id")).collect();
        assert!(!pids.is_empty());
        for entry in fs::read_dir("/proc").expect("a list of processes").flatten() {
            let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
            let (start, fields) = stat.rsplit_once(')').expect("a name");
            let fields: Vec<&str> = fields.split_whitespace().collect();
            let own = start.split(' ').next().unwrap_or_default();
            let ids = [own, fields[2], fields[3]].map(|id| id.parse().unwrap_or(0));
            let is_ours = ids.iter().any(|id| pids.contains(id));
            assert!(!is_ours || fields[0] == "Z", "still running: {stat}");
        }
    }
}

/// The results of one game in its log and record.
struct Verdict {
    quit: String,
    reason: String,
    winner: String,
    fault: String,
    stdout: String,
}

impl Verdict {
    fn new(output: &Output, record: &Path) -> Verdict {
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{stdout}{stderr}");
        let log = read(record, "log");
        let line =
            |start: &str| log.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
        let json: serde_json::Value = serde_json::from_str(&read(record, "json")).expect("a record");
        let outcome = |field: &str| json["outcome"][field].as_str().unwrap_or("nobody").to_owned();
        Verdict {
            quit: line("QUIT "),
            reason: outcome("reason"),
            winner: outcome("winner"),
            fault: line("culprit: "),
            stdout,
        }
    }

    #[track_caller]
    fn is(&self, quit: &str, reason: &str, fault: &str) {
        assert!(self.quit.starts_with(quit), "{} is not {quit}: {}", self.quit, self.fault);
        assert_eq!((self.reason.as_str(), self.winner.as_str()), (reason, "blue"));
        assert!(self.fault.contains(fault), "{}", self.fault);
        assert!(self.stdout.contains(&format!("Games ended by {reason} 1.")), "{}", self.stdout);
    }
}

/// Returns the contents of the only file with this extension in a folder.
fn read(folder: &Path, ending: &str) -> String {
    let files = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == ending)).collect();
    assert_eq!(files.len(), 1, "{ending}: {files:?}");
    fs::read_to_string(files.remove(0)).expect("text")
}

fn plays(answer: &str) -> String {
    format!("{DEPLOY_RED}; {READ_BOARD}; {answer}")
}

#[test]
fn answers_against_the_rules_lose() {
    for (answer, fault) in [
        ("echo '0 0 DOWN'", "Flags and Bombs never move"),
        ("echo '0 6 UP'", "That piece is not yours"),
        ("echo '2 3 DOWN'", "No piece can enter a lake"),
        ("echo 'I resign'", "is neither"),
        ("echo", "is neither"),
        ("printf '\\377\\376\\n'", "not UTF-8"),
    ] {
        let verdict = Stage::new().misbehaves(&plays(&format!("{answer}; read quit")), &PATIENT);
        verdict.is("QUIT culprit RED ILLEGAL 1 148 148", "illegal_act", fault);
    }
}

#[test]
fn a_line_without_an_end_loses_when_it_is_too_long() {
    let line = "printf '%2000s' x; read quit; read more";
    let verdict = Stage::new().misbehaves(&plays(line), &PATIENT);
    verdict.is("QUIT culprit RED ILLEGAL 1", "illegal_act", "more than 1024 bytes");
    let verdict = Stage::new().misbehaves(&plays("exec cat /dev/zero"), &PATIENT);
    verdict.is("QUIT culprit RED ILLEGAL 1", "illegal_act", "more than 1024 bytes");
}

#[test]
fn a_flood_of_lines_loses_and_takes_no_memory() {
    let stage = Stage::new();
    let verdict = stage.misbehaves(&plays("echo '0 3 DOWN'; exec yes"), &PATIENT);
    // The extra lines may arrive during Blue's turn or on Red's next turn. The fault is therefore
    // an extra line or a wrong answer.
    verdict.is("QUIT culprit RED ILLEGAL 2", "illegal_act", "");
    let verdict = Stage::new().misbehaves("exec yes", &PATIENT);
    verdict.is("QUIT culprit RED ILLEGAL 0 0 0", "illegal_act", "letters");
}

#[test]
fn a_move_out_of_turn_loses() {
    let verdict =
        Stage::new().misbehaves(&plays("printf '0 3 DOWN\\n0 4 DOWN\\n'; cat > /dev/null"), &PATIENT);
    verdict.is("QUIT culprit RED ILLEGAL 2", "illegal_act", "it wrote \"0 4 DOWN\" without being asked");
    let early = format!("{DEPLOY_RED}; echo '0 3 DOWN'; cat > /dev/null");
    // Blue deploys only after Red has sent too much.
    let stage = Stage::new();
    let gate = stage.path("gate");
    let made = Command::new("mkfifo").arg(&gate).status().expect("mkfifo runs");
    assert!(made.success());
    let red = stage.script("culprit", &early.replace("; cat", &format!("; : > '{}'; cat", gate.display())));
    let player = format!("read go < '{}'; exec '{BINARY}' bot --line random --rules pbm", gate.display());
    let blue = stage.script("honest", &player);
    let record = stage.path("record");
    let mut command = stage.umpire(&["--rules", "pbm", "--red", &red, "--blue", &blue, "--record"]);
    let output = command.arg(&record).args(PATIENT).output().expect("the umpire runs");
    stage.nothing_is_left();
    Verdict::new(&output, &record).is("QUIT culprit RED ILLEGAL 1", "illegal_act", "without being asked");
}

#[test]
fn a_wrong_army_loses() {
    let two_flags = DEPLOY_RED.replace("FB8s", "FF8s");
    let verdict = Stage::new().misbehaves(&format!("{two_flags}; read quit"), &PATIENT);
    verdict.is(
        "QUIT culprit RED ILLEGAL 0 0 0",
        "illegal_act",
        "an illegal deployment. Flag: 2 placed, but the army has 1",
    );
    let stranger = DEPLOY_RED.replace("FB8s", "FB8x");
    let verdict = Stage::new().misbehaves(&format!("{stranger}; read quit"), &PATIENT);
    verdict.is("QUIT culprit RED ILLEGAL 0 0 0", "illegal_act", "'x' in line 1");
}

#[test]
fn a_program_that_ends_early_loses() {
    for (lines, quit, fault) in [
        ("exit 0".to_owned(), "QUIT culprit RED ILLEGAL 0 0 0", "it ended"),
        ("read opening; exit 3".to_owned(), "QUIT culprit RED ILLEGAL 0 0 0", "exit status: 3"),
        (plays("exit 4"), "QUIT culprit RED ILLEGAL 1 148 148", "exit status: 4"),
        (plays("kill -SEGV $$"), "QUIT culprit RED ILLEGAL 1 148 148", "signal: 11"),
        (plays("echo oh no >&2; exit 5"), "QUIT culprit RED ILLEGAL 1 148 148", "its last words: oh no"),
        (plays("printf '0 3 DO'"), "QUIT culprit RED ILLEGAL 1 148 148", "it ended"),
        (
            plays("exec 1>&-; read forever; read more; read more"),
            "QUIT culprit RED ILLEGAL 1",
            "closed its output",
        ),
    ] {
        let verdict = Stage::new().misbehaves(&lines, &PATIENT);
        verdict.is(quit, "abandoned", fault);
    }
}

#[test]
fn a_late_program_loses_even_if_it_must_be_killed() {
    let stubborn = "trap '' TERM INT HUP; while :; do sleep 1000; done";
    let (verdict, seconds) = Stage::deploys_late(stubborn);
    let fault = format!("no answer within {seconds} s");
    verdict.is("QUIT culprit RED ILLEGAL 0 0 0", "out_of_time", &fault);
    let verdict = Stage::new().misbehaves(&plays(stubborn), &["--turn-time", "0.3", "--deploy-time", "60"]);
    verdict.is("QUIT culprit RED ILLEGAL 1 148 148", "out_of_time", "no answer within 0.3 s");
}

#[test]
fn a_late_answer_is_reported_with_the_time_by_the_clock_and_on_the_processor() {
    let asleep = plays("sleep 1000");
    let verdict = Stage::new().misbehaves(&asleep, &["--turn-time", "0.3", "--deploy-time", "60"]);
    let fault = "no answer within 0.3 s, in which it used 0.0";
    verdict.is("QUIT culprit RED ILLEGAL 1 148 148", "out_of_time", fault);
    assert!(verdict.fault.contains(" s of processor time"), "{}", verdict.fault);
}

/// Some programs of the competition cut the opponent's name at its last `/`, and crash if there
/// is none.
#[test]
fn a_historical_program_that_takes_the_opponents_name_for_a_path_plays() {
    let historical = DEPLOY_RED.replace(
        "read opening;",
        "read side opponent width height; case \"$opponent\" in */?*) ;; *) kill -SEGV $$ ;; esac;",
    );
    let verdict = Stage::new().misbehaves(&format!("{historical}; {READ_BOARD}; echo SURRENDER"), &PATIENT);
    verdict.is("QUIT culprit RED SURRENDER 1 148 148", "resigned", "");
    assert_eq!(verdict.fault, "", "it did nothing wrong");
}

#[test]
fn programs_learn_the_drawn_lakes_before_they_deploy() {
    let stage = Stage::new();
    let heard = stage.path("heard");
    let lines = format!(
        "echo \"$FLAGFALL_RULESET $FLAGFALL_LAKES\" > '{}'; {DEPLOY_RED}; {READ_BOARD}; echo SURRENDER",
        heard.display()
    );
    let (red, blue) = (stage.script("culprit", &lines), stage.honest("course"));
    let record = stage.path("record");
    let record = record.to_str().expect("text");
    let mut arguments = vec!["--rules", "course", "--red", &red, "--blue", &blue, "--record", record];
    arguments.extend(PATIENT);
    let output = stage.umpire(&arguments).output().expect("the umpire runs");
    let verdict = Verdict::new(&output, Path::new(record));
    verdict.is("QUIT culprit RED SURRENDER 1 148 148", "resigned", "");
    let json: serde_json::Value = serde_json::from_str(&read(Path::new(record), "json")).expect("a record");
    let square = |name: &str| {
        let column = name.as_bytes()[0] - b'a';
        let row: u8 = name[1..].parse().expect("a row");
        format!("{column},{}", row - 1)
    };
    let lakes = json["lakes"].as_array().expect("lakes were drawn");
    let lakes: Vec<String> = lakes.iter().map(|lake| square(lake.as_str().expect("a square"))).collect();
    let heard = fs::read_to_string(heard).expect("what it found");
    assert_eq!(heard.trim(), format!("course {}", lakes.join(" ")));
}

#[test]
fn a_program_that_never_reads_does_not_block_the_umpire() {
    let (verdict, _) = Stage::deploys_late("exec sleep 1000");
    verdict.is("QUIT culprit RED ILLEGAL 0 0 0", "out_of_time", "no answer");
}

#[test]
fn children_of_programs_end_with_them() {
    let child = "sh -c '$NOTE; trap \"\" TERM; while :; do sleep 1000; done' &";
    // The first shell ends, so its child becomes an orphan outside the program's process group.
    let daemon = "setsid sh -c '$NOTE; (trap \"\" TERM; while :; do sleep 1000; done) &' &";
    for start in [child, daemon] {
        let lines = format!("{start} {}", plays("exit 6")).replace("'$NOTE", "'NOTE");
        let stage = Stage::new();
        let note = format!("echo $$ >> \"{}\"", stage.path("pids").display());
        let verdict =
            stage.misbehaves(&lines.replace("NOTE", &note), &["--turn-time", "0.5", "--deploy-time", "60"]);
        // The child keeps the output open, so only the time limit ends the wait.
        assert_eq!(verdict.winner, "blue");
        assert!(verdict.quit.starts_with("QUIT culprit RED ILLEGAL 1"), "{}", verdict.quit);
    }
}

#[test]
fn messages_after_the_end_change_nothing() {
    let stage = Stage::new();
    let verdict = stage.misbehaves(&plays("echo SURRENDER; echo '0 3 DOWN'; exec yes"), &PATIENT);
    assert!(verdict.quit.starts_with("QUIT culprit RED SURRENDER 1 148 148"), "{}", verdict.quit);
    assert_eq!((verdict.reason.as_str(), verdict.winner.as_str()), ("resigned", "blue"));
    let verdict = Stage::new().misbehaves(&plays("echo SURRENDER"), &PATIENT);
    assert_eq!((verdict.reason.as_str(), verdict.fault.as_str()), ("resigned", ""));
}

#[test]
fn both_may_lose() {
    let stage = Stage::new();
    let culprit = stage.script("culprit", "exit 1");
    let record = stage.path("record");
    let mut command = stage.umpire(&["--rules", "pbm", "--red", &culprit, "--blue", &culprit, "--record"]);
    let output = command.arg(&record).args(PATIENT).output().expect("the umpire runs");
    stage.nothing_is_left();
    let verdict = Verdict::new(&output, &record);
    assert_eq!(verdict.quit, "QUIT culprit RED BOTH_ILLEGAL 0 0 0");
    assert_eq!((verdict.reason.as_str(), verdict.winner.as_str()), ("illegal_act", "nobody"));
}

#[test]
fn standard_error_is_kept_within_a_bound() {
    let stage = Stage::new();
    stage.misbehaves(&plays("yes complaint | head -c 1000000 >&2; exit 1"), &PATIENT);
    let kept = read(&stage.path("record"), "stderr");
    assert!(kept.starts_with("complaint\ncomplaint\n"));
    assert!(kept.len() < 66_000 && kept.contains("more were dropped"), "{}", kept.len());
}

#[test]
fn a_program_that_cannot_be_started_is_named_before_any_game() {
    let stage = Stage::new();
    let honest = stage.honest("pbm");
    fs::write(stage.path("plain"), "no program").expect("written");
    for (name, first) in
        [("lost-interpreter", "/no/such/interpreter"), ("env-interpreter", "/usr/bin/env nopython")]
    {
        write_script(&stage.path(name), &format!("#!{first}\n"));
    }
    for (name, word) in [
        ("missing", "there is no program"),
        ("plain", "not executable"),
        ("lost-interpreter", "its interpreter /no/such/interpreter is not installed"),
        ("env-interpreter", "its interpreter nopython is not installed"),
    ] {
        let path = stage.path(name);
        let record = stage.path("record");
        let mut command = stage.umpire(&["--rules", "pbm", "--blue", &honest, "--red"]);
        let output = command.arg(&path).arg("--record").arg(&record).output().expect("the umpire runs");
        let verdict = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{verdict}");
        assert!(verdict.contains(word) && verdict.contains(name), "{verdict}");
        assert!(!record.exists(), "no game was played");
    }
}

/// Starts an umpire whose programs hang, and sends it a signal once both programs hang.
fn stopped(signal: &str) {
    let stage = Stage::new();
    let gate = stage.path("gate");
    assert!(Command::new("mkfifo").arg(&gate).status().expect("mkfifo runs").success());
    let hang = "trap '' TERM INT HUP; while :; do sleep 1000; done";
    let child =
        format!("sh -c 'echo $$ >> \"{}\"; {}' &", stage.path("pids").display(), hang.replace("''", "\"\""));
    let lines = format!("{child} echo ready > '{}'; {hang}", gate.display());
    let (red, blue) = (stage.script("culprit", &lines), stage.script("other", &lines));
    let mut command = stage.umpire(&["--rules", "pbm", "--red", &red, "--blue", &blue]);
    command.args(PATIENT).stdout(Stdio::piped()).stderr(Stdio::piped());
    // To check the programs, the umpire first starts each one and kills it immediately. These
    // programs may also write to the gate, but the programs in the game certainly do.
    let umpire = command.spawn().expect("the umpire runs");
    let mut ready = 0;
    while ready < 2 {
        let mut words = String::new();
        File::open(&gate).and_then(|mut gate| gate.read_to_string(&mut words)).expect("a gate");
        ready += words.lines().count();
    }
    let pid = umpire.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().expect("kill runs").success());
    let output = umpire.wait_with_output().expect("it ends");
    stage.nothing_is_left();
    let verdict = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{verdict}");
    assert!(verdict.contains("stopped after 0 of 1 game;"), "{verdict}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Not complete: 0 of 1 game played."));
}

#[test]
fn ctrl_c_leaves_nothing_running() {
    stopped("-INT");
}

#[test]
fn sigterm_leaves_nothing_running() {
    stopped("-TERM");
}

#[test]
fn a_class_plays_a_round_robin_in_which_broken_programs_cost_only_their_own_games() {
    let stage = Stage::new();
    let class = stage.path("class");
    fs::create_dir_all(class.join("dora")).expect("made");
    let bot = |seed: u32| format!("exec '{BINARY}' bot --line random --rules barrage --seed {seed}");
    fs::rename(stage.script("ann", &bot(1)), class.join("ann")).expect("moved");
    fs::rename(stage.script("run", &bot(2)), class.join("dora/run")).expect("moved");
    fs::rename(stage.script("broken", "exit 1"), class.join("broken")).expect("moved");
    fs::write(class.join("notes.txt"), "to do").expect("written");
    let (record, table) = (stage.path("record"), stage.path("table.csv"));
    let mut command = stage.umpire(&["--rules", "barrage", "--parallel", "2", "--format", "csv", "--all"]);
    command.arg(&class).arg("--record").arg(&record).arg("--out").arg(&table).args(PATIENT);
    let output = command.output().expect("the umpire runs");
    stage.nothing_is_left();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    assert!(stderr.contains("Playing: ann, broken, dora."), "{stderr}");
    assert!(stderr.contains("Not playing: notes.txt, because it is not executable"), "{stderr}");
    assert!(stdout.contains("Points of each against each:"), "{stdout}");
    let records = fs::read_dir(&record).expect("records").flatten();
    let json = records.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "json"));
    assert_eq!(json.count(), 6);
    let csv = fs::read_to_string(&table).expect("a table");
    let broken = csv.lines().find(|line| line.contains(",broken,")).expect("a line");
    assert!(broken.starts_with("3,broken,4,0,0,4,4,0.0000,"), "{broken}");
}

#[test]
fn a_ruleset_without_words_and_a_folder_without_programs_are_refused() {
    let stage = Stage::new();
    for (arguments, word) in [
        (&["--rules", "chess", "--red", "sh", "--blue", "sh"][..], "there is no ruleset"),
        (&["--rules", "pbm", "--red", "sh"][..], "--blue"),
        (&["--rules", "pbm", "--all", "/nowhere"][..], "/nowhere"),
        (
            &["--rules", "pbm", "--red", "sh", "--blue", "sh", "--turn-time", "0"][..],
            "0.001 and 86400 seconds",
        ),
    ] {
        let output = stage.umpire(arguments).output().expect("the umpire runs");
        let verdict = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{verdict}");
        assert!(verdict.contains(word), "{verdict}");
    }
}

#[test]
fn the_program_that_the_page_shows_plays_without_a_fault() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no python3");
        return;
    }
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol/UMPIRE.md"))
        .expect("the page");
    let (_, rest) = page.split_once("```python\n").expect("a program");
    let (program, _) = rest.split_once("```").expect("its end");
    let stage = Stage::new();
    fs::write(stage.path("first.py"), program).expect("written");
    let first = stage.script("first", &format!("exec python3 -u '{}'", stage.path("first.py").display()));
    let (honest, record) = (stage.honest("pbm"), stage.path("record"));
    let mut command =
        stage.umpire(&["--rules", "pbm", "--red", &first, "--blue", &honest, "--games", "2", "--swap"]);
    let output = command.arg("--record").arg(&record).args(PATIENT).output().expect("the umpire runs");
    stage.nothing_is_left();
    let verdict = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && verdict.contains("pbm, 2 games") && !verdict.contains("Faults:"),
        "{verdict}"
    );
}

#[test]
fn records_are_true_however_the_games_ended() {
    let stage = Stage::new();
    let honest = stage.honest("course");
    let late = stage.script("late", "exec sleep 1000");
    let (wrong, gone) = (plays("echo '0 0 DOWN'; read quit"), plays("exit 1"));
    let (wrong, gone) = (stage.script("wrong", &wrong), stage.script("gone", &gone));
    let army = stage.script("army", &format!("{}; read quit", DEPLOY_RED.replace("FB8s", "FF8s")));
    let record = stage.path("record");
    for (red, blue, deploy_time) in [
        (&honest, &honest, "60"),
        (&wrong, &honest, "60"),
        (&gone, &honest, "60"),
        (&army, &honest, "60"),
        (&army, &late, "0.3"),
        (&late, &late, "0.3"),
    ] {
        for rules in ["course", "pbm"] {
            // With pbm, the house player ends the game early, because it does not accept the lakes.
            let mut command = stage.umpire(&["--rules", rules, "--red", red, "--blue", blue, "--record"]);
            command.arg(&record).args(["--turn-time", "60", "--deploy-time", deploy_time]);
            assert!(command.output().expect("the umpire runs").status.success());
        }
    }
    stage.nothing_is_left();
    let output = Command::new(BINARY).arg("check").arg(&record).output().expect("the check runs");
    let verdict = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && verdict.contains("12 records:") && verdict.contains(" 0 false"),
        "{verdict}"
    );
}

#[test]
fn a_record_file_is_shown_without_a_server() {
    let stage = Stage::new();
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/protocol/messages.md"))
        .expect("the page");
    let record = page.lines().find(|line| line.starts_with("{\"format\":1")).expect("a record in the page");
    let path = stage.path("final.json");
    fs::write(&path, record).expect("written");
    let show = |arguments: &[&str]| {
        let mut command = Command::new(BINARY);
        // No server listens on the discard port.
        command.args(["record", "--server", "127.0.0.1:9"]).args(arguments);
        command.env("FLAGFALL_CONFIG_DIR", stage.folder.path()).env("FLAGFALL_LANGUAGE", "en");
        let output = command.output().expect("the client runs");
        let verdict = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{verdict}");
        String::from_utf8(output.stdout).expect("text")
    };
    let path = path.to_str().expect("text");
    let text = show(&[path]);
    assert!(text.contains("a4a7") && text.contains("ana"), "{text}");
    let steps = show(&[path, "--step", "--plain"]);
    let boards = steps.lines().filter(|line| line.starts_with("10 ")).count();
    assert!(boards > 4, "a board for each event: {steps}");
    let json: serde_json::Value = serde_json::from_str(&show(&[path, "--json"])).expect("JSON");
    assert_eq!(json["game"], "0fxm529wdncz");
    let output = Command::new(BINARY).args(["record", "none.json"]).output().expect("the client runs");
    let verdict = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && verdict.contains("nor an existing file"), "{verdict}");
}
