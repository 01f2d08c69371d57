//! A session that is over, and the part of it that is compared with the other session.

use super::seat::{PUBLIC, Seat};
use crate::check::Stream;
use crate::log::What;

/// A session that is over.
pub(super) struct Played {
    pub seats: [Seat; 3],
    /// The seat with the secret.
    pub hider: usize,
    /// The seats that must not see the secret: the other player and the public.
    pub watching: [usize; 2],
    pub opaque: Vec<String>,
    pub put_off: Vec<u64>,
    pub was_hit: Vec<bool>,
    pub disturbed: Option<usize>,
    /// The acts at which servers are killed.
    pub kills: Vec<usize>,
    /// True if the session's clients use several servers. Messages about connections and presence
    /// then have no fixed order.
    pub is_spread: bool,
    pub is_end_open: bool,
}

impl Played {
    /// Returns two counts for an outage: the events that told each client about it, and the times
    /// that a server could not accept a command yet.
    fn disturbance(&self, outage: usize) -> Option<([u64; 3], u64)> {
        let [red, blue, public] = self.seats.each_ref().map(|seat| seat.lapses.get(outage).copied());
        Some(([red?, blue?, public?], *self.put_off.get(outage)?))
    }

    /// Returns the act up to which the session can be compared with the other one, or `None` if
    /// it can be compared completely.
    ///
    /// The two sessions may differ after an unplanned disturbance, or after an outage that was
    /// reported to their clients in different ways.
    pub(super) fn comparable_until(&self, other: &Played) -> Option<usize> {
        let is_unlike = |outage: usize| {
            let [one, other] = [self, other].map(|session| session.disturbance(outage));
            one != other || one.is_none_or(|(_, put_off)| put_off > 0)
        };
        let unlike = self.kills.iter().enumerate().find(|(outage, _)| is_unlike(*outage));
        self.disturbed.into_iter().chain(other.disturbed).chain(unlike.map(|(_, act)| *act)).min()
    }

    /// Returns the number of kills of the session's own servers, either before this act or in
    /// total.
    pub(super) fn kills_outlived(&self, until: Option<usize>) -> usize {
        let before = self.kills.iter().filter(|act| until.is_none_or(|until| **act < until)).count();
        self.was_hit.iter().take(before).filter(|was_hit| **was_hit).count()
    }

    /// Returns the texts that were sent to one of the three clients, either before this act or in
    /// total.
    pub(super) fn stream(&self, who: usize, until: Option<usize>) -> Stream {
        let seat = &self.seats[who];
        let end = until.and_then(|act| seat.marks.get(act).copied());
        let end = end.unwrap_or(seat.client.log.entries.len());
        let is_of_outage =
            |at: usize| seat.outages_at.iter().any(|(from, until)| (*from..*until).contains(&at));
        let mut texts = Vec::new();
        let mut fetched = seat.fetched.iter().peekable();
        for (at, entry) in seat.client.log.entries.iter().enumerate().take(end) {
            while let Some((_, text)) = fetched.next_if(|(after, _)| *after <= at) {
                texts.push(text.clone());
            }
            if let What::Received(text) = &entry.what
                && !is_of_outage(at)
                && let Some(text) = self.comparable(text)
            {
                texts.push(text);
            }
        }
        texts.extend(fetched.filter(|(after, _)| *after <= end).map(|(_, text)| text.clone()));
        if self.is_end_open
            && who != PUBLIC
            && let Some(end) = texts.iter().position(|text| text.contains(r#""kind":"ended""#))
        {
            // The end of the game reveals the deployments to a player.
            texts.truncate(end);
        }
        Stream { viewer: ["Red", "Blue", "the public"][who].to_owned(), texts, opaque: self.opaque.clone() }
    }

    /// Returns the part of a text that must be the same in both sessions.
    ///
    /// Leaves out pings and the time from which a game can be claimed, because they depend on the
    /// clock. With several servers, also leaves out presence, because servers learn of it at
    /// different times.
    fn comparable(&self, text: &str) -> Option<String> {
        let is_of = |kind: &str| text.starts_with(&format!(r#"{{"type":"{kind}""#));
        let of_lines: &[&str] = if self.is_spread { &["presence", "game_started"] } else { &[] };
        if ["ping", "claimable", "store_state"].into_iter().any(is_of)
            || of_lines.iter().any(|kind| is_of(kind))
        {
            return None;
        }
        if !is_of("game") {
            return Some(text.to_owned());
        }
        let text = without_object(text, "claimable_at");
        let text = if self.is_spread { without_object(&text, "left") } else { text };
        Some(if self.is_spread { without_object(&text, "presence") } else { text })
    }
}

/// Removes a field from the text of a JSON object. The field's value must be an object that
/// contains no other objects.
fn without_object(text: &str, name: &str) -> String {
    let Some((before, rest)) = text.split_once(&format!(r#","{name}":{{"#)) else { return text.to_owned() };
    let after = rest.split_once('}').map_or("", |(_, after)| after);
    format!("{before}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_left_out_and_nothing_else() {
        let text = r#"{"seq":3,"presence":{"red":"away","blue":"present"},"rematch":["red"]}"#;
        assert_eq!(without_object(text, "presence"), r#"{"seq":3,"rematch":["red"]}"#);
        assert_eq!(without_object(text, "claimable_at"), text);
    }
}
