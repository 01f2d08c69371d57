//! Checks commands of lost branches. A command with an earlier epoch than the game's must be
//! refused, unless it is in the log or is a deployment.
//!
//! A command that was carried out in a later epoch is recognized by its sequence number. The
//! number is higher than that of the view shown over the same connection in that epoch.
//!
//! A server may still carry out such a command if it has not heard of the later epoch yet, or if
//! it got the command before that epoch began. The checker reports a fault only if neither is
//! possible: the command was first sent over that connection, or before a loss that left no
//! server and no Redis alive.

use std::collections::HashMap;

use serde_json::Value;

use super::findings::Fault;
use super::game::Checker;
use crate::log::{ClientLog, Entry, Role, What};

/// A command as it was first sent.
struct Sent {
    line: usize,
    /// The time at which the connection of this command was opened.
    since: u64,
    epoch: u64,
    is_deployment: bool,
}

/// The game as it was last shown over a connection.
#[derive(Clone, Copy)]
struct Shown {
    at: u64,
    epoch: u64,
    seq: u64,
}

impl Checker<'_> {
    /// Checks that no command was carried out in a later epoch than its own. Also checks that no
    /// command was refused as outdated in its own epoch.
    pub(super) fn check_epochs(&mut self, client: &ClientLog) {
        if matches!(client.role, Role::Spectator(_)) {
            return;
        }
        let (mut line, mut since, mut shown) = (0, 0, None);
        let mut sent: HashMap<String, Sent> = HashMap::new();
        for Entry { at, what } in &client.entries {
            self.now = *at;
            let text = match what {
                What::Connected(_) | What::Dropped => {
                    (line, since, shown) = (line + 1, *at, None);
                    continue;
                }
                What::Sent(text) | What::Received(text) => text,
            };
            // Do not parse messages that are neither an answer nor a view. Most messages are of
            // this kind.
            let kind = ["command", "game", "accepted", "refused"]
                .into_iter()
                .find(|kind| text.contains(&format!(r#""type":"{kind}""#)));
            let Some(kind) = kind else { continue };
            let value: Value = serde_json::from_str(text).unwrap_or_default();
            let id = value["cmd_id"].as_str().unwrap_or_default();
            match kind {
                "command" => {
                    let Some(epoch) = value["epoch"].as_u64() else { continue };
                    let is_deployment = value["command"]["kind"] == "deploy";
                    sent.entry(id.to_owned()).or_insert(Sent { line, since, epoch, is_deployment });
                }
                "game" => {
                    shown = value["epoch"].as_u64().zip(value["seq"].as_u64()).map(|(epoch, seq)| Shown {
                        at: *at,
                        epoch,
                        seq,
                    });
                }
                _ => {
                    let Some((sent, shown)) = sent.get(id).zip(shown) else { continue };
                    let is_stale = sent.epoch < shown.epoch && !sent.is_deployment;
                    if kind == "refused" && value["code"] == "stale_epoch" {
                        self.findings.astray_refusals += 1;
                        if !is_stale {
                            self.fault(Fault::Refusal, &format!("{id} was of the game's epoch: {value}"));
                        }
                    } else if kind == "accepted"
                        && is_stale
                        && value["outcome"]["seq"].as_u64().is_some_and(|seq| seq > shown.seq)
                        && (sent.line == line || self.is_lost_between(sent.since, shown.at))
                    {
                        let (made, carried_out) = (sent.epoch, shown.epoch);
                        self.fault(
                            Fault::Astray,
                            &format!(
                                "{id} was made in epoch {made}, and carried out in {carried_out}: {value}"
                            ),
                        );
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check::commands::tests::{LOSS, log};
    use crate::check::{Findings, check_game};
    use crate::log::Loss;
    use crate::site::History;

    fn entry(at: u64, what: What) -> Entry {
        Entry { at, what }
    }

    fn sent(at: u64, epoch: u64, kind: &str) -> Entry {
        let command = json!({"type": "command", "cmd_id": "blue-1-0", "ply": 1, "epoch": epoch, "command": {"kind": kind}});
        entry(at, What::Sent(command.to_string().into()))
    }

    /// The game is shown in the seventh epoch, up to the fourth sequence number.
    fn shown(at: u64) -> Entry {
        entry(at, What::Received(json!({"type": "game", "epoch": 7, "seq": 4}).to_string().into()))
    }

    fn accepted(seq: u64) -> Entry {
        let accepted =
            json!({"type": "accepted", "cmd_id": "blue-1-0", "outcome": {"kind": "game", "seq": seq}});
        entry(9_020, What::Received(accepted.to_string().into()))
    }

    fn check(entries: Vec<Entry>, losses: &[Loss]) -> Findings {
        let mut log = log("j7j5", None);
        log.clients[0].entries = entries;
        let mut findings = Findings::default();
        check_game(&log, &History { losses: losses.to_vec(), ..History::default() }, &mut findings);
        findings
    }

    fn astray(entries: Vec<Entry>, losses: &[Loss]) -> u64 {
        check(entries, losses).count(Fault::Astray)
    }

    #[test]
    fn an_old_epochs_command_after_a_newer_view_is_astray() {
        let line = |epoch, kind, seq| {
            vec![entry(9_000, What::Connected(1)), shown(9_005), sent(9_010, epoch, kind), accepted(seq)]
        };
        assert_eq!(astray(line(6, "resign", 5), &[]), 1);
        assert_eq!(astray(line(6, "resign", 4), &[]), 0, "the log had it");
        assert_eq!(astray(line(6, "deploy", 5), &[]), 0, "a deployment is taken");
        assert_eq!(astray(line(7, "resign", 5), &[]), 0);
        assert_eq!(astray(line(8, "resign", 5), &[]), 0, "the server may not know the epoch");
    }

    #[test]
    fn an_earlier_send_may_explain_a_result_if_another_server_was_up() {
        let lines = || {
            vec![
                entry(1_000, What::Connected(0)),
                sent(5_600, 6, "resign"),
                entry(5_700, What::Dropped),
                entry(9_000, What::Connected(1)),
                shown(9_005),
                sent(9_010, 6, "resign"),
                accepted(5),
            ]
        };
        assert_eq!(astray(lines(), &[]), 0);
        assert_eq!(astray(lines(), &[LOSS]), 1);
    }

    #[test]
    fn a_refusal_for_the_epoch_is_due_to_earlier_ones_alone() {
        let refused = json!({"type": "refused", "cmd_id": "blue-1-0", "code": "stale_epoch", "seq": 4});
        let line = |epoch| {
            let refused = entry(9_020, What::Received(refused.to_string().into()));
            vec![entry(9_000, What::Connected(1)), shown(9_005), sent(9_010, epoch, "resign"), refused]
        };
        let findings = check(line(6), &[]);
        assert_eq!((findings.count(Fault::Refusal), findings.astray_refusals), (0, 1));
        assert_eq!(check(line(7), &[]).count(Fault::Refusal), 1);
    }
}
