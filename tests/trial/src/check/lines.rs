//! Checks a client's connections over time. Measures how long the client took to reach another
//! server after its own was killed. Checks that the client was told in time that the store was
//! unavailable.

use serde_json::Value;

use super::findings::{Fault, Findings};
use crate::log::{Away, ClientLog, Death, Disturbance, Entry, What};
use crate::site::History;

/// The time within which a server that loses its store promises to tell all its clients.
const TOLD_MAX_MS: u64 = 2_500;
/// The additional time if only a part of the store is lost. Servers notice that from the last
/// answer, when they look at all parts.
const PART_MORE_MS: u64 = 2_000;
/// Clients must be told within this time that the store is available again, because servers try
/// to reconnect at least every second.
const BACK_MAX_MS: u64 = 10_000;

/// One connection, from its beginning to its end.
struct Connection<'a> {
    server: usize,
    from: u64,
    until: u64,
    entries: &'a [Entry],
}

/// What a report of the store's state is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    /// The whole store.
    Store,
    /// The part with the client's game.
    Part,
}

impl Connection<'_> {
    /// Returns the time of the first report, at or after a moment, that this is unavailable or
    /// available.
    fn told(&self, of: Of, is_available: bool, since: u64) -> Option<u64> {
        let mut since = self.entries.iter().filter(|entry| entry.at >= since);
        since.find(|entry| state_in(&entry.what) == Some((of, is_available))).map(|entry| entry.at)
    }

    /// True if the last report before a moment said that this was unavailable.
    fn is_told_before(&self, of: Of, moment: u64) -> bool {
        let before = self.entries.iter().filter(|entry| entry.at < moment);
        let mut states = before.filter_map(|entry| state_in(&entry.what));
        states.rfind(|(told, _)| *told == of) == Some((of, false))
    }

    fn is_let_in_before(&self, moment: u64) -> bool {
        let mut before = self.entries.iter().filter(|entry| entry.at < moment);
        before.any(|entry| is_kind(&entry.what, r#""type":"welcome""#))
    }

    /// True if a game was open on the connection before a moment.
    fn has_game_before(&self, moment: u64) -> bool {
        let mut before = self.entries.iter().filter(|entry| entry.at < moment);
        before.any(|entry| is_kind(&entry.what, r#""type":"game""#))
    }

    fn count(&self, is_it: impl Fn(&What) -> bool) -> u64 {
        self.entries.iter().filter(|entry| is_it(&entry.what)).count() as u64
    }
}

fn is_kind(what: &What, kind: &str) -> bool {
    matches!(what, What::Received(text) if text.contains(kind))
}

fn state_in(what: &What) -> Option<(Of, bool)> {
    let What::Received(text) = what else { return None };
    if !text.contains(r#""store_state""#) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let of = if value["game"].is_null() { Of::Store } else { Of::Part };
    (value["type"] == "store_state").then(|| value["available"].as_bool()).flatten().map(|state| (of, state))
}

pub(super) fn check_lines(game: &str, client: &ClientLog, history: &History, findings: &mut Findings) {
    let mut lines = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let entries = &client.entries;
    for (at, entry) in entries.iter().enumerate() {
        match entry.what {
            What::Connected(server) => open = Some((server, at)),
            What::Dropped => {
                if let Some((server, from)) = open.take() {
                    let (from_ms, until) = (entries[from].at, entry.at);
                    lines.push(Connection { server, from: from_ms, until, entries: &entries[from..at] });
                }
            }
            What::Sent(_) | What::Received(_) => {}
        }
    }
    for line in &lines {
        check_states(game, client, line, findings);
        let is_of_game = |away: &&Away| {
            away.server == line.server && away.games.as_ref().is_none_or(|games| games.contains(game))
        };
        let aways: Vec<&Away> = history.aways.iter().filter(is_of_game).collect();
        for away in &aways {
            let mut later: Vec<&Away> =
                aways.iter().copied().filter(|later| later.from >= away.until).collect();
            later.sort_by_key(|later| later.from);
            check_away(game, client, line, (away, &later), history, findings);
        }
        for death in history.deaths.iter().filter(|death| death.server == line.server) {
            if line.from <= death.at && line.until >= death.at {
                measure_move(client, *death, findings);
                if line.has_game_before(death.at) {
                    check_move(game, client, *death, history, findings);
                }
            }
        }
    }
}

/// Checks that the state of the store is reported once, and once more to a client that requests a
/// game. It must not be reported as an error for each command.
fn check_states(game: &str, client: &ClientLog, line: &Connection<'_>, findings: &mut Findings) {
    let asked = line.count(|what| matches!(what, What::Sent(text) if text.contains(r#""open_game""#)));
    for of in [Of::Store, Of::Part] {
        let told = |state| line.count(|what| state_in(what) == Some((of, state)));
        let (away, back) = (told(false), told(true));
        if away > back + 1 + asked {
            let what = format!(
                "{game}: {:?} was told {away} times that its {of:?} is away, and {back} times that it is back",
                client.role
            );
            findings.fault(Fault::Untold, what);
        }
    }
}

fn check_away(
    game: &str,
    client: &ClientLog,
    line: &Connection<'_>,
    (away, later): (&Away, &[&Away]),
    history: &History,
    findings: &mut Findings,
) {
    let (of, more_ms) = if away.games.is_some() { (Of::Part, PART_MORE_MS) } else { (Of::Store, 0) };
    let promised = away.from + TOLD_MAX_MS + more_ms;
    let late = away.from + history.told_max_ms + more_ms;
    // A client also ends a connection whose server is silent, so expect the message only if the
    // connection lasted long enough.
    let is_long = away.until >= promised;
    let lives = line.from <= away.from && line.until >= promised;
    // A client that has not been welcomed yet learns the state of the store from its welcome.
    if !is_long || !lives || !line.is_let_in_before(away.from) || line.is_told_before(of, away.from) {
        return;
    }
    // Only clients that have one of its games open learn that a part is away.
    if of == Of::Part && !line.has_game_before(away.from) {
        return;
    }
    let spans = match of {
        Of::Store => [&mut findings.told_away_ms, &mut findings.told_back_ms],
        Of::Part => [&mut findings.told_part_away_ms, &mut findings.told_part_back_ms],
    };
    match line.told(of, false, away.from) {
        Some(at) if at <= late.min(away.until) => spans[0].push(at - away.from),
        // The store came back, or the connection ended, before the report was late.
        _ if late > away.until.min(line.until) => return,
        told => {
            let what = format!(
                "{game}, {}: {:?} on server {}, whose {of:?} was away from {} to {}, was told {told:?}",
                history.trouble_at(away.from),
                client.role,
                line.server,
                away.from,
                away.until
            );
            return findings.fault(Fault::Untold, what);
        }
    }
    let told = line.told(of, true, away.from);
    // If the store became unavailable again before the report, that must end, too.
    let mut back = away.until;
    for later in later {
        if later.from <= back + BACK_MAX_MS && told.is_none_or(|at| later.from < at) {
            back = back.max(later.until);
        }
    }
    match told {
        Some(at) if at <= back + BACK_MAX_MS => {
            if back == away.until {
                spans[1].push(at.saturating_sub(back));
            }
        }
        // The connection ended before the report.
        None if line.until <= back + BACK_MAX_MS => {}
        told => {
            let what = format!(
                "{game}, {}: {:?} on server {}, whose {of:?} was back at {back}, was told {told:?}",
                history.trouble_at(back),
                client.role,
                line.server
            );
            findings.fault(Fault::Untold, what);
        }
    }
}

/// Measures the time until the client of a killed server was welcomed, was shown its game, and
/// had its command answered.
fn measure_move(client: &ClientLog, death: Death, findings: &mut Findings) {
    let later = client.entries.iter().filter(|entry| entry.at >= death.at);
    let mut received = later.filter_map(|entry| match &entry.what {
        What::Received(text) => Some((entry.at, text)),
        _ => None,
    });
    let mut first = |kind: &str| {
        let found = received.find(|(_, text)| text.contains(kind));
        found.map(|(at, _)| at - death.at)
    };
    // Search for the welcome first, because it skips the last messages from the killed server.
    findings.let_in_ms.extend(first(r#""type":"welcome""#));
    findings.shown_ms.extend(first(r#""type":"game""#));
    let Some((id, sent_at)) = under_way(client, death.at) else { return };
    let answer =
        client.entries.iter().filter(|entry| entry.at >= sent_at).find_map(|entry| match &entry.what {
            What::Received(text) if text.contains(r#""accepted""#) && text.contains(&format!("\"{id}\"")) => {
                Some(entry.at)
            }
            _ => None,
        });
    findings.answered_ms.extend(answer.map(|at| at.saturating_sub(death.at)));
}

/// Checks that another server shows the game in time to the client of a killed server, if nothing
/// else is wrong.
fn check_move(game: &str, client: &ClientLog, death: Death, history: &History, findings: &mut Findings) {
    let later = || client.entries.iter().filter(|entry| entry.at >= death.at);
    let dropped = later().position(|entry| entry.what == What::Dropped).unwrap_or(0);
    let shown = later().skip(dropped).find(|entry| is_kind(&entry.what, r#""type":"game""#));
    // A client that has seen the end of the game does not return.
    let Some(shown) = shown else { return };
    let until = shown.at.min(death.at + history.elsewhere_max_ms);
    let is_on = |server: usize| {
        let mut meanwhile = later().filter(|entry| entry.at <= until);
        meanwhile.any(|entry| entry.what == What::Connected(server))
    };
    let is_disturbing = |trouble: &Disturbance| {
        // A disturbance whose period contains the moment of the kill is the kill itself. A
        // disturbance that ended exactly at that moment is a different one, because a killed
        // server is not back immediately.
        let is_its_own = (trouble.from..trouble.until).contains(&death.at) && trouble.slow.is_none();
        let is_meanwhile =
            trouble.from <= until && trouble.until.saturating_add(trouble.aftermath_ms) >= death.at;
        !is_its_own && is_meanwhile && trouble.slow.is_none_or(is_on)
    };
    if history.troubles.iter().any(is_disturbing) {
        return;
    }
    findings.shown_undisturbed_ms.push(shown.at - death.at);
    if shown.at - death.at > history.elsewhere_max_ms {
        let what = format!(
            "{game}: {:?}, whose server {} was killed at {}, was shown the game again after {} ms",
            client.role,
            death.server,
            death.at,
            shown.at - death.at
        );
        findings.fault(Fault::Stranded, what);
    }
}

/// Returns the command that had been sent but not answered at a moment, and the time at which it
/// was first sent.
fn under_way(client: &ClientLog, at: u64) -> Option<(String, u64)> {
    let before = client.entries.iter().filter(|entry| entry.at <= at);
    let mut open: Option<(String, u64)> = None;
    for Entry { at, what } in before {
        let text = match what {
            What::Sent(text) | What::Received(text) => text,
            What::Connected(_) | What::Dropped => continue,
        };
        let Some((_, rest)) = text.split_once(r#""cmd_id":""#) else { continue };
        let Some((id, _)) = rest.split_once('"') else { continue };
        match what {
            What::Sent(_) if open.as_ref().is_none_or(|(under_way, _)| under_way != id) => {
                open = Some((id.to_owned(), *at));
            }
            What::Received(_) if open.as_ref().is_some_and(|(under_way, _)| under_way == id) => open = None,
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::log::Role;

    const KILLED_AT: u64 = 10_000;
    const BACK_AT: u64 = 13_500;

    /// Returns the number of stranded clients if a spectator is shown the game three seconds
    /// after the kill of its server.
    fn stranded(earlier: Option<Disturbance>) -> u64 {
        let game = || What::Received(r#"{"type":"game"}"#.into());
        let happened = [
            (0, What::Connected(1)),
            (10, game()),
            (KILLED_AT + 1, What::Dropped),
            (KILLED_AT + 20, What::Connected(2)),
            (KILLED_AT + 3_000, game()),
            (KILLED_AT + 9_000, What::Dropped),
        ];
        let entries = happened.into_iter().map(|(at, what)| Entry { at, what }).collect();
        let client = ClientLog { role: Role::Spectator(0), entries };
        let own = Disturbance { from: KILLED_AT, until: BACK_AT, aftermath_ms: 1_000, slow: None };
        let history = History {
            elsewhere_max_ms: 2_000,
            deaths: vec![Death { server: 1, at: KILLED_AT }],
            troubles: earlier.into_iter().chain([own]).collect(),
            ..History::default()
        };
        let mut findings = Findings::default();
        check_lines("game", &client, &history, &mut findings);
        findings.count(Fault::Stranded)
    }

    /// Returns the number of clients that were told too late, or not at all, that the part of the
    /// store with these games was away and back. The only client has the game `game` open.
    fn untold(games: &[&str], told_away_at: u64, state: &str) -> u64 {
        untold_within(2_500, games, told_away_at, state)
    }

    /// Like [`untold`], with another limit.
    fn untold_within(told_max_ms: u64, games: &[&str], told_away_at: u64, state: &str) -> u64 {
        let text = |text: &str| What::Received(text.into());
        let happened = [
            (0, What::Connected(1)),
            (10, text(r#"{"type":"welcome"}"#)),
            (20, text(r#"{"type":"game"}"#)),
            (told_away_at, text(&state.replace('?', "false"))),
            (KILLED_AT + 6_000, text(&state.replace('?', "true"))),
            (KILLED_AT + 20_000, What::Dropped),
        ];
        let entries = happened.into_iter().map(|(at, what)| Entry { at, what }).collect();
        let client = ClientLog { role: Role::Red, entries };
        let games = Arc::new(games.iter().map(ToString::to_string).collect());
        let away = Away { server: 1, from: KILLED_AT, until: KILLED_AT + 5_200, games: Some(games) };
        let history = History { aways: vec![away], told_max_ms, ..History::default() };
        let mut findings = Findings::default();
        check_lines("game", &client, &history, &mut findings);
        findings.count(Fault::Untold)
    }

    #[test]
    fn clients_are_told_of_the_part_with_their_game_alone() {
        const OF_PART: &str = r#"{"type":"store_state","available":?,"game":"game"}"#;
        const OF_ALL: &str = r#"{"type":"store_state","available":?}"#;
        assert_eq!(untold(&["game"], KILLED_AT + 4_400, OF_PART), 0);
        assert_eq!(untold(&["game"], KILLED_AT + 4_600, OF_PART), 1, "too late");
        assert_eq!(untold(&["game"], KILLED_AT + 2_000, OF_ALL), 1, "the rest of the store is there");
        assert_eq!(untold(&["other"], KILLED_AT + 4_600, OF_PART), 0);
        assert_eq!(untold_within(20_000, &["game"], KILLED_AT + 4_600, OF_PART), 0, "busy machine");
        assert_eq!(untold_within(20_000, &["game"], KILLED_AT + 5_500, OF_PART), 0, "it was back");
    }

    /// Returns the same for a client of a store that was away in these periods, and that was told
    /// that it was back at this moment, if ever.
    fn untold_after(aways: &[(u64, u64)], told_back_at: Option<u64>) -> u64 {
        let text = |text: &str| What::Received(text.into());
        let happened = [
            Some((0, What::Connected(1))),
            Some((10, text(r#"{"type":"welcome"}"#))),
            Some((11_000, text(r#"{"type":"store_state","available":false}"#))),
            told_back_at.map(|at| (at, text(r#"{"type":"store_state","available":true}"#))),
            Some((40_000, What::Dropped)),
        ];
        let entries = happened.into_iter().flatten().map(|(at, what)| Entry { at, what }).collect();
        let client = ClientLog { role: Role::Spectator(0), entries };
        let away = |(from, until): &(u64, u64)| Away { server: 1, from: *from, until: *until, games: None };
        let history =
            History { aways: aways.iter().map(away).collect(), told_max_ms: 2_500, ..History::default() };
        let mut findings = Findings::default();
        check_lines("game", &client, &history, &mut findings);
        findings.count(Fault::Untold)
    }

    #[test]
    fn a_store_that_leaves_again_at_once_is_back_when_it_stays() {
        let chain = [(10_000, 15_200), (15_250, 20_000), (20_050, 22_600)];
        assert_eq!(untold_after(&chain, Some(25_280)), 0);
        assert_eq!(untold_after(&chain, Some(33_000)), 1, "too late");
        assert_eq!(untold_after(&chain, None), 1, "never");
        assert_eq!(untold_after(&chain[..1], Some(25_280)), 1, "it stayed the first time");
    }

    #[test]
    fn a_kill_alone_excuses_no_stranded_client() {
        assert_eq!(stranded(None), 1);
    }

    #[test]
    fn an_unfinished_recovery_at_the_kill_excuses_a_stranded_client() {
        let ended_at = |until| Disturbance { from: 5_000, until, aftermath_ms: 4_000, slow: None };
        assert_eq!(stranded(Some(ended_at(KILLED_AT - 4_001))), 1);
        for until in [KILLED_AT - 1, KILLED_AT] {
            assert_eq!(stranded(Some(ended_at(until))), 0, "{until}");
        }
    }
}
