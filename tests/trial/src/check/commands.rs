//! Checks a client's commands: each acknowledged command must be in the log, and each lawful
//! command must have been accepted.

use std::collections::{BTreeMap, HashMap, HashSet};

use flagfall_second_opinion::{At, Color};
use serde_json::Value;

use super::findings::Fault;
use super::game::Checker;
use super::sent_commands::{act_of, fits, game_command, is_choice, place_of, sent_commands};
use super::truth::Fact;
use crate::log::{ClientLog, Entry, Role, What};

/// Commands on the board.
const ACTS: &[&str] = &["move", "remove", "place", "color", "choose"];
/// The commands that end a turn.
const PLIES: &[&str] = &["move", "remove", "place"];
/// Codes that must never be the answer to a lawful command.
const UNLAWFUL: &[&str] = &[
    "malformed",
    "no_piece",
    "immovable",
    "not_in_line",
    "too_far",
    "lake",
    "own_piece",
    "blocked",
    "two_squares",
    "more_squares",
    "off_board",
    "strike_from_afar",
    "no_path",
    "no_supply_line",
    "color_wanted",
    "color_refused",
    "choice_pending",
    "no_choice",
    "choice_final",
    "reserve_rule",
    "no_scout_left",
    "not_in_pool",
    "no_reserve",
    "not_in_reserve",
    "flag_stays",
    "not_home",
    "not_empty",
    "cmd_id_reused",
    "internal",
    "no_such_game",
    "game_quarantined",
    "out_of_time",
];
/// Codes that mean "not now". The client repeats the command with the same id.
const FOR_NOW: &[&str] = &["store_unavailable", "too_many", "stopping", "superseded", "paused"];

/// The answers to a client's commands.
#[derive(Default)]
struct Answers {
    /// The acknowledgement of each command, with its time, by command id.
    accepted: HashMap<String, (Value, u64)>,
    /// The refusal of each command, by command id.
    refused: HashMap<String, Value>,
    /// The connection over which each command was first sent, by command id: its number, and the
    /// time at which it was opened.
    first_sent: HashMap<String, (usize, u64)>,
    /// The connection now.
    connection: (usize, u64),
    /// Commands that were acknowledged but are not in the log: id, time and epoch.
    lost: Vec<(String, u64, Option<u64>)>,
    /// The last epoch that the client was told.
    epoch: Option<u64>,
    /// Ids of commands that were based on a lost branch, which is a part of the log that was lost
    /// and replaced.
    astray: HashSet<String>,
}

impl Checker<'_> {
    /// Checks that every acknowledged command is in the log, and that no command was acknowledged
    /// in two different ways.
    pub(super) fn check_commands(&mut self, client: &ClientLog) {
        let color = match client.role {
            Role::Red => 0,
            Role::Blue => 1,
            Role::Spectator(_) => return,
        };
        let sent = sent_commands(client);
        let mut answers = Answers { astray: self.sent_astray(color, client), ..Answers::default() };
        for Entry { at, what } in &client.entries {
            let text = match what {
                What::Received(text) => text,
                What::Connected(_) => {
                    answers.connection = (answers.connection.0 + 1, *at);
                    continue;
                }
                What::Sent(text) => {
                    if let Some((id, ..)) = game_command(text) {
                        answers.first_sent.entry(id).or_insert(answers.connection);
                    }
                    continue;
                }
                What::Dropped => continue,
            };
            let Some(parsed) = self.look_at(color, text, *at) else { continue };
            let value = parsed.value;
            if parsed.kind == "game" {
                answers.epoch = value["epoch"].as_u64();
            }
            let Some(id) = value["cmd_id"].as_str() else { continue };
            match parsed.kind.as_str() {
                "accepted" => self.check_accepted(color, id, sent.get(id), (*at, &value), &mut answers),
                "refused" => self.check_refused(color, id, sent.get(id), (*at, &value), &mut answers),
                _ => {}
            }
        }
        self.check_refused_moves(color, &sent, &answers);
        for (id, at, epoch) in answers.lost {
            let is_told =
                client.entries.iter().filter(|entry| entry.at >= at).any(|entry| match &entry.what {
                    What::Received(text) => self.look_at(color, text, entry.at).is_some_and(|parsed| {
                        parsed.kind == "game" && parsed.value["epoch"].as_u64() != epoch
                    }),
                    _ => false,
                });
            self.findings.lost_acks += 1;
            if !is_told {
                self.fault(
                    Fault::Unexplained,
                    &format!("{id} was acknowledged in epoch {epoch:?}, and is gone"),
                );
            }
        }
    }

    fn check_accepted(
        &mut self,
        color: Color,
        id: &str,
        sent: Option<&(u64, Value)>,
        (at, value): (u64, &Value),
        answers: &mut Answers,
    ) {
        let outcome = value["outcome"].clone();
        if let Some((before, accepted_at)) = answers.accepted.insert(id.to_owned(), (outcome.clone(), at)) {
            if before != outcome && !self.is_lost(accepted_at) {
                self.fault(Fault::Doubled, &format!("{id} was accepted as {before} and as {outcome}"));
            }
            return;
        }
        let Some((ply, command)) = sent else { return };
        if PLIES.iter().any(|kind| command["kind"] == **kind) {
            self.findings.moves_acked += 1;
        } else {
            self.findings.others_acked += 1;
        }
        if self.is_in_log(color, *ply, command, &outcome) {
            return;
        }
        if self.is_lost(at) {
            answers.lost.push((id.to_owned(), at, answers.epoch));
        } else {
            let what = format!("{id}, {command} at ply {ply}, acknowledged as {outcome}");
            self.fault(Fault::Missing, &what);
        }
    }

    fn check_refused(
        &mut self,
        color: Color,
        id: &str,
        sent: Option<&(u64, Value)>,
        (at, value): (u64, &Value),
        answers: &mut Answers,
    ) {
        let code = value["code"].as_str().unwrap_or_default();
        let is_own_act = sent.is_some_and(|(_, command)| ACTS.iter().any(|kind| command["kind"] == **kind));
        let is_flag = code == "out_of_time" && self.truth.is_out_of_time();
        if is_own_act && UNLAWFUL.contains(&code) && !is_flag {
            let is_lawful = sent.is_none_or(|(ply, command)| self.is_lawful(color, *ply, command));
            if answers.astray.contains(id) && !is_lawful {
                self.findings.astray_refusals += 1;
            } else {
                self.fault(Fault::Refusal, &format!("{id}: {value}"));
            }
        }
        if !FOR_NOW.contains(&code) {
            if answers.accepted.get(id).is_some_and(|(_, accepted_at)| !self.is_lost(*accepted_at)) {
                self.fault(Fault::Missing, &format!("{id} was accepted, and then refused: {value}"));
            }
            // A server that has heard of a later epoch refuses the command, while a server that
            // has not may still carry out a copy that was sent to it over an earlier connection.
            let first = answers.first_sent.get(id);
            let is_copy_left = code == "stale_epoch"
                && first.is_some_and(|(number, opened)| {
                    *number < answers.connection.0 && !self.is_lost_between(*opened, at)
                });
            if !self.is_lost(at) && !is_copy_left {
                answers.refused.insert(id.to_owned(), value.clone());
            }
        }
    }

    /// Returns the commands that the client first sent after a view of a lost branch. If the
    /// client sends such a command again, the command is judged by the remaining branch.
    fn sent_astray(&self, color: Color, client: &ClientLog) -> HashSet<String> {
        let (mut astray, mut known) = (HashSet::new(), HashSet::new());
        let mut is_astray = false;
        for Entry { at, what } in &client.entries {
            match what {
                What::Sent(text) => {
                    let Some(id) = game_command(text).map(|(id, ..)| id) else { continue };
                    if known.insert(id.clone()) && is_astray {
                        astray.insert(id);
                    }
                }
                What::Received(text) if is_of_game(text) => {
                    let value: Value = serde_json::from_str(text).unwrap_or_default();
                    let seq = value["seq"].as_u64().unwrap_or_default();
                    // At any other time, a message that does not match the log is a separate
                    // fault.
                    is_astray = self.is_lost(*at) && !self.fits(color, seq, &value);
                }
                What::Received(_) | What::Connected(_) | What::Dropped => {}
            }
        }
        astray
    }

    /// True if the command was lawful on the log's boards throughout this ply. A side that must
    /// name a color or make a choice may do nothing else.
    fn is_lawful(&self, color: Color, ply: u64, command: &Value) -> bool {
        let mut boards = self.truth.boards.iter().filter(|board| board.ply == ply).peekable();
        let is_lawful = |act| boards.peek().is_some() && boards.all(|board| board.is_lawful(color, &act));
        act_of(command).is_some_and(is_lawful)
    }

    /// Checks that a command whose last answer was a refusal is not in the log, unless it was
    /// sent again.
    fn check_refused_moves(
        &mut self,
        color: Color,
        sent: &BTreeMap<String, (u64, Value)>,
        answers: &Answers,
    ) {
        let wish = |id: &String| {
            let (ply, command) = sent.get(id)?;
            Some((*ply, place_of(command)?))
        };
        let granted: HashSet<(u64, (Option<At>, At))> = answers.accepted.keys().filter_map(wish).collect();
        for (id, refusal) in &answers.refused {
            let (Some(wished), Some((ply, command))) = (wish(id), sent.get(id)) else { continue };
            let mut steps = self.truth.steps.iter().zip(&self.truth.boards[1..]);
            let is_made = steps.any(|(taken, after)| {
                taken.color == color && taken.ply == *ply && fits(taken, after, command)
            });
            if is_made && !answers.accepted.contains_key(id) && !granted.contains(&wished) {
                self.fault(Fault::Refusal, &format!("{id} was refused, and is in the log: {refusal}"));
            }
        }
    }

    fn is_in_log(&self, color: Color, ply: u64, command: &Value, outcome: &Value) -> bool {
        let Some(seq) = outcome["seq"].as_u64().and_then(|seq| usize::try_from(seq).ok()) else {
            return false;
        };
        // The direct consequence of a command has the last sequence number that the command
        // caused.
        (seq.saturating_sub(3)..seq).rev().any(|index| {
            let Some(told) = self.told[color].get(index) else { return false };
            let before = &self.states[color][index];
            match (&told.fact, command["kind"].as_str().unwrap_or_default()) {
                (Fact::Board(by, _), kind) if ACTS.contains(&kind) => {
                    let after = self.truth.boards.get(before.steps + 1);
                    let taken = self.truth.steps.get(before.steps).zip(after);
                    *by == color
                        && before.ply() == ply
                        && taken.is_some_and(|(taken, after)| fits(taken, after, command))
                }
                (Fact::Chosen(by, _), "choose") => {
                    *by == color && before.ply() == ply && is_choice(told, command)
                }
                (Fact::Deployed(setup), "deploy") => {
                    let text = command["setup"].as_str().unwrap_or_default();
                    text.chars().filter(|letter| !letter.is_whitespace()).eq(setup.chars())
                }
                (Fact::Ended(winner, reason), "resign") => reason == "resigned" && *winner == Some(1 - color),
                // An illegal move is accepted, but loses the game (§U7).
                (Fact::Ended(winner, reason), "move") => {
                    reason == "illegal_act"
                        && *winner == Some(1 - color)
                        && !self.is_lawful(color, ply, command)
                }
                (Fact::DrawOffered(by), "offer_draw") | (Fact::DrawDeclined(by), "decline_draw") => {
                    *by == color
                }
                (Fact::Ended(None, reason), "offer_draw" | "accept_draw") => reason == "draw_agreed",
                _ => false,
            }
        })
    }
}

/// True if a text shows a game or an event of a game.
fn is_of_game(text: &str) -> bool {
    text.contains(r#""type":"game""#) || text.contains(r#""type":"event""#)
}

#[cfg(test)]
pub(super) mod tests {
    use flagfall_protocol::{Terms, Time};
    use serde_json::json;

    use super::*;
    use crate::check::{Findings, check_game};
    use crate::log::{GameLog, Loss};
    use crate::plan::GamePlan;
    use crate::site::History;

    /// The period of a loss. Around this period, Blue is shown events and sends commands.
    pub(in crate::check) const LOSS: Loss = Loss { from: 5_000, until: 6_500 };

    /// Each side's pieces: a Scout and a Miner at the ends of the front row, the Flag in a back
    /// corner.
    fn setup() -> String {
        format!("9........8{}F.........", ".".repeat(20))
    }

    fn record(deploying: [Value; 2]) -> String {
        let [red, blue] = deploying;
        let told = [
            red,
            blue,
            json!({"kind": "started"}),
            json!({"kind": "moved", "side": "red", "move": "a4a5"}),
            json!({"kind": "ended", "outcome": {"reason": "resigned", "winner": "red"}}),
        ];
        let events: Vec<Value> = told.iter().map(|event| json!({"at": 4_000, "event": event})).collect();
        let opened = json!({"setup": setup(), "salt": "00"});
        let terms = json!({"ruleset": "barrage", "time": {"kind": "unlimited"}});
        json!({"terms": terms, "created": 1, "events": events, "deployments": {"red": opened, "blue": opened}})
            .to_string()
    }

    /// Blue sees a move by Red, answers with `squares`, and is refused over another connection.
    /// According to the log, Red's move is a4a5.
    pub(in crate::check) fn log(squares: &str, heard_of: Option<&str>) -> GameLog {
        let (deployed, ready) =
            (json!({"kind": "deployed", "setup": setup()}), |side| json!({"kind": "ready", "side": side}));
        let records = [
            record([deployed.clone(), ready("blue")]),
            record([ready("red"), deployed]),
            record([ready("red"), ready("blue")]),
        ];
        let text = |value: Value| value.to_string().into();
        let command = json!({"type": "command", "cmd_id": "blue-1-0", "ply": 1, "command": {"kind": "move", "move": squares}});
        let mut entries = vec![(1_000, What::Connected(0))];
        entries.extend(heard_of.map(|red| {
            let event = json!({"kind": "moved", "side": "red", "move": red});
            (5_500, What::Received(text(json!({"type": "event", "seq": 4, "event": event, "change": {}}))))
        }));
        entries.extend([
            (5_600, What::Sent(text(command.clone()))),
            (5_700, What::Dropped),
            (9_000, What::Connected(1)),
            (9_010, What::Sent(text(command))),
            (
                9_020,
                What::Received(text(
                    json!({"type": "refused", "cmd_id": "blue-1-0", "code": "blocked", "seq": 4}),
                )),
            ),
        ]);
        let entries = entries.into_iter().map(|(at, what)| Entry { at, what }).collect();
        GameLog {
            plan: GamePlan {
                number: 0,
                terms: Terms {
                    ruleset: "barrage".to_owned(),
                    time: Time::Unlimited {},
                    private: false,
                    secret: false,
                    rated: false,
                },
                is_blue_secret: false,
                setups: Default::default(),
                resign: None,
                is_flag_to_fall: false,
                breaks_rules: false,
                think_ms: 0,
                tired_at: u16::MAX,
                seed: 0,
            },
            game: "000000000000".to_owned(),
            clients: vec![ClientLog { role: Role::Blue, entries }],
            is_archived: false,
            records,
        }
    }

    /// Returns how many lawful commands were refused, and how many refusals a lost branch
    /// explains.
    fn refusals(log: &GameLog, losses: &[Loss]) -> (u64, u64) {
        let mut findings = Findings::default();
        check_game(log, &History { losses: losses.to_vec(), ..History::default() }, &mut findings);
        assert_eq!(findings.count(Fault::Unended), 0);
        (findings.count(Fault::Refusal), findings.astray_refusals)
    }

    #[test]
    fn a_command_of_a_lost_branch_is_judged_by_the_log_that_is_left() {
        // After j4i4 by Red, Blue's Scout could have gone from j7 to j3. According to the log, a
        // Miner is in its way.
        assert_eq!(refusals(&log("j7j3", Some("j4i4")), &[LOSS]), (0, 1));
    }

    #[test]
    fn only_a_lost_branch_excuses_a_refusal() {
        assert_eq!(refusals(&log("j7j3", Some("j4i4")), &[]), (1, 0), "nothing was lost");
        assert_eq!(refusals(&log("j7j3", None), &[LOSS]), (1, 0), "Blue was shown nothing of a lost branch");
        assert_eq!(refusals(&log("j7j5", Some("j4i4")), &[LOSS]), (1, 0), "the log would take it");
    }

    #[test]
    fn a_copy_under_way_may_be_carried_out_after_a_refusal_for_the_epoch() {
        let with = |code: &str, sent: std::ops::Range<usize>| {
            let mut log = log("j7j5", None);
            let entries = &mut log.clients[0].entries;
            let What::Received(refused) = &mut entries.last_mut().unwrap().what else { panic!() };
            *refused = refused.replace("blocked", code).into();
            drop(entries.drain(sent));
            for record in &mut log.records {
                let mut value: Value = serde_json::from_str(record).unwrap();
                let moved = json!({"kind": "moved", "side": "blue", "move": "j7j5"});
                let events = value["events"].as_array_mut().unwrap();
                events.insert(4, json!({"at": 4_000, "event": moved}));
                *record = value.to_string();
            }
            log
        };
        assert_eq!(refusals(&with("stale_epoch", 0..0), &[]).0, 0);
        assert_eq!(refusals(&with("stale_epoch", 0..0), &[LOSS]).0, 1, "no copy can have survived");
        assert_eq!(refusals(&with("stale_epoch", 1..3), &[]).0, 1, "there was no other copy");
        assert_eq!(refusals(&with("stale_ply", 0..0), &[]).0, 1, "it was not for the epoch");
    }
}
