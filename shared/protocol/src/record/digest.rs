//! The digest of a finished game, which the server signs. docs/protocol/RECORDS.md defines it for
//! other programs.
//!
//! The digest covers only what the public saw while the game was played. The digest is therefore
//! the same for every audience, and it does not change when the deployments are opened at the
//! end. It does not cover player names, because a player's name may change.

use flagfall_board::Side;
use flagfall_rules::EndReason;
use flagfall_view::{GameEvent, HexBytes, Identity, SeenMove, SeenPlacing, SeenStrike, Viewer};
use sha2::{Digest as _, Sha256};

use super::{GameRecord, RecordedEvent};
use crate::terms::Time;

/// The version of the digest's definition, which is the first field of every digest.
pub const DIGEST_VERSION: &str = "flagfall-digest-1";

/// The bytes that precede the digest in a signed message.
const SIGNED_PREFIX: &[u8] = b"flagfall-signature-1\0";

/// Returns the message that a server signs for a digest.
pub fn signed_message(digest: HexBytes) -> Vec<u8> {
    [SIGNED_PREFIX, &digest.0].concat()
}

/// Returns the id of a public key: the first 16 hexadecimal digits of its SHA-256.
pub fn key_id(public: &HexBytes) -> String {
    let mut id = HexBytes(Sha256::digest(public.0).into()).to_string();
    id.truncate(16);
    id
}

impl GameRecord {
    /// Returns the digest of the game, if this is the public record. Returns `None` before the
    /// end of the game, and for a player's record, which needs [`GameRecord::digest_with`].
    pub fn digest(&self) -> Option<HexBytes> {
        if self.audience == Viewer::Public { self.digest_with(&self.events) } else { None }
    }

    /// Returns the digest of the game, given the public events of the game in `public`. Returns
    /// `None` in three cases: the game has not ended, `public` contains an event that the public
    /// never sees, or the record lacks choices that the digest covers.
    pub fn digest_with(&self, public: &[RecordedEvent]) -> Option<HexBytes> {
        let outcome = self.outcome.as_ref().filter(|_| !self.omits_choices())?;
        let mut fields = Fields(Sha256::new());
        fields.add(DIGEST_VERSION);
        fields.add(&self.game.to_string());
        fields.add(&self.terms.ruleset);
        let whole_turns = if self.whole_turns { " whole" } else { "" };
        fields.add(&(time(self.terms.time) + whole_turns));
        fields.add(if self.terms.rated { "rated" } else { "casual" });
        fields.add(if self.terms.private { "private" } else { "open" });
        fields.add(if self.terms.secret { "secret" } else { "shown" });
        fields.add(&self.created.to_string());
        fields.add(&self.deploy_ms.map_or_else(String::new, |ms| ms.to_string()));
        let quota = self.lag_quota.map(|quota| format!("{} {}", quota.per_ply_ms, quota.stock_ms));
        fields.add(&quota.unwrap_or_default());
        let lakes = self.lakes.iter().flatten().map(ToString::to_string).collect::<Vec<_>>();
        fields.add(&lakes.join(" "));
        fields.add(self.start.as_deref().unwrap_or_default());
        for side in Side::BOTH {
            fields.add(&self.players[side].id);
        }
        for side in Side::BOTH {
            fields.add(&self.commitments[side].map_or_else(String::new, |hash| hash.to_string()));
        }
        let is_resolved = |index: usize| {
            outcome.reason != EndReason::Aborted.code()
                && public[index..].iter().any(|later| matches!(later.event, GameEvent::Moved(_)))
        };
        let mut acts = Vec::with_capacity(public.len());
        for (index, recorded) in public.iter().enumerate() {
            // A choice stays secret if its strike was never resolved (§Q4).
            if matches!(recorded.event, GameEvent::Chosen { .. }) && !is_resolved(index) {
                continue;
            }
            acts.push(format!("{} {} {}", recorded.at, recorded.lag_ms, act(&recorded.event)?));
        }
        fields.add(&acts.len().to_string());
        acts.iter().for_each(|act| fields.add(act));
        fields.add(outcome.winner.map_or("", Side::name));
        fields.add(&outcome.reason);
        Some(HexBytes(fields.0.finalize().into()))
    }
}

/// A hash of a list of strings. Each string is preceded by its length, so that two different
/// lists never produce the same bytes.
struct Fields(Sha256);

impl Fields {
    fn add(&mut self, text: &str) {
        let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.0.update(len.to_be_bytes());
        self.0.update(text);
    }
}

fn time(time: Time) -> String {
    match time {
        Time::Unlimited {} => "unlimited".to_owned(),
        Time::Fischer { base_s, increment_s } => format!("fischer {base_s} {increment_s}"),
        Time::Delay { base_s, free_s } => format!("delay {base_s} {free_s}"),
        Time::Correspondence { days } => format!("correspondence {days}"),
    }
}

/// Returns the line that represents an event in the digest. Returns `None` for an event that the
/// public never sees.
fn act(event: &GameEvent) -> Option<String> {
    Some(match event {
        GameEvent::Deployed { setup: _ } => return None,
        GameEvent::Ready { side } => format!("ready {}", side.name()),
        // The commitments are not repeated here, because the digest has separate fields for them.
        GameEvent::Started { commitments: _ } => "started".to_owned(),
        GameEvent::Moved(seen) => moved(seen),
        GameEvent::Struck(strike) => {
            let owing = Side::BOTH.into_iter().filter(|side| strike.owes[*side]).map(Side::name);
            let owing = owing.collect::<Vec<_>>().join(" ");
            format!("struck {} {} {owing}", strike.side.name(), strike.squares)
        }
        GameEvent::Chosen { side, rank } => format!("chosen {} {}", side.name(), rank.letter()),
        GameEvent::Removed { side, square } => format!("removed {} {square}", side.name()),
        GameEvent::Placed(seen) => {
            let SeenPlacing { side, square, piece, labeled, color } = *seen;
            // The public may see this piece's rank after the end, but during play it saw only the
            // ranks of labeled pieces.
            let piece = if labeled { piece } else { Identity::Hidden };
            let label = if labeled { "^" } else { "" };
            let color = color.map(|color| format!(" {}", color.letter())).unwrap_or_default();
            format!("placed {} {square} {piece}{label}{color}", side.name())
        }
        GameEvent::Colored { side, square, color } => {
            format!("colored {} {square} {}", side.name(), color.letter())
        }
        GameEvent::DrawOffered { side } => format!("draw_offered {}", side.name()),
        GameEvent::DrawDeclined { side } => format!("draw_declined {}", side.name()),
        GameEvent::Paused { since } => format!("paused {}", since.0),
        GameEvent::Resumed { since: Some(since) } => format!("resumed {}", since.0),
        GameEvent::Resumed { since: None } => "resumed".to_owned(),
        GameEvent::Ended { outcome: _, opened: _ } => "ended".to_owned(),
    })
}

fn moved(seen: &SeenMove) -> String {
    let SeenMove { side, squares, piece, strike, laid } = seen;
    let mut text = format!("moved {} {squares} {piece}", side.name());
    if let Some(SeenStrike { attacker, attacker_fate, defender, defender_fate }) = strike {
        let (attacker_fate, defender_fate) = (attacker_fate.name(), defender_fate.name());
        text.push_str(&format!(" strikes {attacker} {attacker_fate} {defender} {defender_fate}"));
    }
    if let Some(laid) = laid {
        text.push_str(&format!(" lays {laid}"));
    }
    text
}
