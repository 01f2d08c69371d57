//! Encodes a game and checks that nothing is lost, so that its log can be deleted.

use flagfall_board::{GameId, Side};
use flagfall_game::recorder;
use flagfall_game::replay::{self, ReplayError};
use flagfall_protocol::{RecordScope, RecordSignature, Recorder};
use flagfall_rules::Viewer;
use flagfall_store::{Head, StoredEntry};

use crate::error::Refused;
use crate::frame::{decode, encode};
use crate::game::{Encoded, Log};
use crate::plain;

/// Every scope of records, with the viewers who may request it.
const AUDIENCES: [(RecordScope, Viewer); 6] = [
    (RecordScope::Red, Viewer::Player(Side::Red)),
    (RecordScope::Blue, Viewer::Player(Side::Blue)),
    (RecordScope::Public, Viewer::Public),
    (RecordScope::All, Viewer::Player(Side::Red)),
    (RecordScope::All, Viewer::Player(Side::Blue)),
    (RecordScope::All, Viewer::Public),
];

fn differs(what: impl Into<String>) -> Refused {
    Refused::Differs { what: what.into() }
}

/// Encodes the log of a finished game, and checks the result. For the check, the bytes are
/// decoded and both logs are replayed. Then all events, stamps and lag compensations are
/// compared, and so are the records for every audience. If this version cannot replay the log,
/// the bodies are compared instead.
///
/// `head` is the head of the log according to the store.
///
/// # Errors
/// [`Refused`] if anything differs, so the caller must keep the log.
pub fn encode_checked(
    game: GameId,
    log: &[StoredEntry],
    head: Head,
    signature: Option<&RecordSignature>,
) -> Result<Encoded, Refused> {
    if log.is_empty() || !(1..).zip(log).all(|(seq, stored)| stored.seq == seq) {
        return Err(Refused::Incomplete);
    }
    let encoded = encode(game, log, signature)?;
    if encoded.head() != head {
        return Err(Refused::Head);
    }
    let decoded = decode(encoded.expose())?;
    if decoded.game != game || decoded.head != head {
        return Err(differs("the id or the head"));
    }
    if decoded.signature.as_ref() != signature {
        return Err(differs("the signature"));
    }
    compare(game, log, &decoded)?;
    Ok(encoded)
}

fn compare(id: GameId, log: &[StoredEntry], decoded: &Log) -> Result<(), Refused> {
    let Log { game: _, entries, head: _, signature: _ } = decoded;
    if log.len() != entries.len() {
        return Err(differs("the number of entries"));
    }
    let Ok((header, game, _)) = replay::replay(id, log, |_, _| {}) else {
        return compare_bodies(log, entries);
    };
    if game.outcome().is_none() {
        return Err(Refused::Running);
    }
    let unreadable = |_: ReplayError| differs("an entry that cannot be read");
    let (first, _) = replay::open(id, &entries[0]).map_err(unreadable)?;
    if first != header.clone().without_names() || log[0].at != entries[0].at {
        return Err(differs("the header"));
    }
    for (stored, other) in log.iter().zip(entries).skip(1) {
        let [one, two] = [stored, other].map(|entry| replay::entry(&header, entry).map_err(unreadable));
        let (one, two) = (one?, two?);
        if one.event != two.event || one.at != two.at || one.lag_ms != two.lag_ms {
            return Err(differs(format!("entry {}", stored.seq)));
        }
    }
    let (_, recorder_of_log) = recorder(id, log).map_err(unreadable)?;
    let (_, recorder_of_decoded) = recorder(id, entries).map_err(unreadable)?;
    for (scope, requester) in AUDIENCES {
        // The archive stores no names of players, so both records get the same players.
        let record = |recorder: &Recorder| {
            recorder.record_as(scope, requester, header.terms.clone(), header.players.clone())
        };
        if record(&recorder_of_log) != record(&recorder_of_decoded) {
            return Err(differs(format!("the record \"{}\" for {requester:?}", scope.name())));
        }
    }
    Ok(())
}

/// Compares the entries of a log that this version cannot replay.
fn compare_bodies(log: &[StoredEntry], entries: &[StoredEntry]) -> Result<(), Refused> {
    let wanted = plain::stripped(log);
    for ((stored, body), other) in log.iter().zip(&wanted).zip(entries) {
        if other.at != stored.at || other.body != *body {
            return Err(differs(format!("entry {}", stored.seq)));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "../tests/archive/played.rs"]
pub(crate) mod played;

#[cfg(test)]
mod tests {
    use flagfall_rules::rulesets::CLASSIC;
    use flagfall_store::record::{self, Form};

    use super::played::game_of;
    use super::*;

    #[test]
    fn every_planted_difference_is_found() {
        let played = game_of(&CLASSIC, 5, 10);
        let decoded = decode(encode(played.id, &played.log, None).unwrap().expose()).unwrap();
        let last = decoded.entries.len() - 1;
        let found = |plant: &dyn Fn(&mut Log)| {
            let mut decoded = decoded.clone();
            plant(&mut decoded);
            compare(played.id, &played.log, &decoded).map_err(|refused| refused.to_string())
        };
        let says = |what: &str| Err(format!("the decoded game differs from the log in {what}"));
        assert_eq!(found(&|_| ()), Ok(()));
        assert_eq!(found(&|log| drop(log.entries.pop())), says("the number of entries"));
        assert_eq!(found(&|log| log.entries[7].at.0 += 1), says("entry 8"));
        assert_eq!(found(&|log| log.entries[0].at.0 -= 1), says("the header"));
        let other = decoded.entries[last].body.clone();
        assert_eq!(found(&|log| log.entries[7].body = other.clone()), says("entry 8"));
        let lagging = |log: &mut Log| {
            let entry = replay::entry(&played.header, &log.entries[7]).unwrap();
            let body =
                record::encode(Form::Binary, played.header.seats(), None, entry.lag_ms + 1, &entry.event);
            log.entries[7].body = body.unwrap();
        };
        assert_eq!(found(&lagging), says("entry 8"));
        let quicker = |log: &mut Log| {
            let mut header = played.header.clone().without_names();
            header.deploy_ms -= 1;
            log.entries[0].body = record::encode_header(&header).unwrap();
        };
        assert_eq!(found(&quicker), says("the header"));
    }
}
