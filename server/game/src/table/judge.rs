//! Judges commands against the replica.

use super::command::{Asked, CommandKey, Done};
use super::input::Output;
use super::state::Table;
use super::work::Flight;
use flagfall_base::delivery::Outbox;
use flagfall_base::refusals;
use flagfall_board::{Side, Stamp};
use flagfall_protocol::{Code, GameCommand, Refusal};
use flagfall_rules::{Event, Events, decide, decide_claim};
use flagfall_store::SecretBytes;

/// The number of times that a side may change its deployment.
const CHANGES_MAX: u8 = 50;
/// A side that has given this many commands since the last ply, such as offers and answers, cannot
/// offer a draw.
const OFFERS_MAX: u8 = 10;

impl Table {
    /// Judges one command and starts its append.
    pub(super) fn judge(&mut self, now: Stamp, asked: Box<Asked>, outputs: &mut Vec<Output>) {
        let Some(side) = asked.side() else { return };
        let key = CommandKey::new(side, asked.cmd_id.as_str());
        if let Some(done) = self.accepted.find(key).filter(|_| !forgets_commands()) {
            return self.accept_again(*asked, &done);
        }
        if !asked.is_new && self.accepted.may_know(key) && !forgets_commands() {
            self.work.flight = Some(Flight::Search);
            return outputs.push(Output::Search { asked });
        }
        let connection = asked.reply.outbox().map(Outbox::connection);
        let is_superseded =
            connection.and_then(|id| self.audiences.find_player(id)).is_some_and(|player| !player.is_driving);
        let round_trip_ms = asked.reply.outbox().map_or(0, Outbox::round_trip_ms);
        let lag_ms = self.game.lag_credit_ms(side, round_trip_ms, now);
        let is_lost = is_of_lost_branch(&asked, self.epoch);
        let events = match self.decide(now, side, &asked) {
            Ok(events) if !is_superseded && !is_lost => events,
            // The log may have entries that the replica lacks, perhaps even this command. Read
            // the log first, because a command that was accepted must not be refused later.
            _ if !asked.is_current => {
                self.work.flight = Some(Flight::Confirm { asked });
                return outputs.push(Output::Read { after: self.head.seq });
            }
            _ if is_lost => {
                return self.refuse(*asked, Refusal::from(&StaleEpoch));
            }
            Ok(_) => return self.refuse(*asked, Refusal::new(Code::SUPERSEDED)),
            Err(refusal) => return self.refuse(*asked, Refusal::from(&refusal)),
        };
        let is_timed = events.iter().next().is_some_and(|event| event.ends_time_of().is_some());
        let lag_ms = if is_timed { lag_ms } else { 0 };
        let fingerprint = asked.fingerprint();
        let stamp = asked.stamp(&self.header.players[side].id, fingerprint);
        let deadline = self.game.deadline().map(|deadline| deadline.plus_ms(lag_ms.into()));
        match self.append_of(now, events.iter(), lag_ms, Some(&stamp), deadline) {
            Some(append) => {
                if let Some(outbox) = asked.reply.outbox() {
                    let bytes: usize = append.bodies.iter().map(SecretBytes::len).sum();
                    // Count the command's bytes twice, because a house player answers each move
                    // with one of about the same size.
                    outbox.note_stored(if self.header.has_house() { 2 * bytes } else { bytes });
                }
                outputs.push(Output::Append(append));
                let (done, events) = (Done { key, fingerprint, seq: 0 }, Box::new(events));
                self.work.flight = Some(Flight::Command { asked, done, side, lag_ms, events });
            }
            None => {
                tracing::error!(game = %self.id(), "the events of a command cannot be encoded");
                self.refuse(*asked, refusals::defect());
            }
        }
    }

    fn decide(&self, now: Stamp, side: Side, asked: &Asked) -> Result<Events, flagfall_rules::Refusal> {
        if let GameCommand::Claim { result } = asked.command {
            let claim_at = self.claim_at(side.opponent());
            return decide_claim(&self.game, side, asked.ply, result, now, claim_at);
        }
        let command = asked.command.to_command(side, self.game.terms().ruleset)?;
        // Judge the command as if it were in time. The store gets the deadline and decides
        // whether the command really is in time.
        let in_time = self.game.deadline().unwrap_or(now);
        let events = decide(&self.game, side, asked.ply, &command, now.min(in_time), &asked.entropy)?;
        self.check_repeats(side, &asked.command, &events)?;
        Ok(events)
    }

    /// Refuses a change of a deployment, or a draw offer, if the side has given many commands since
    /// the last ply. Otherwise, two players could make the log as long as they like.
    fn check_repeats(
        &self,
        side: Side,
        command: &GameCommand,
        events: &Events,
    ) -> Result<(), flagfall_rules::Refusal> {
        let given = self.since_ply[side];
        match command {
            GameCommand::Deploy { .. } if given > CHANGES_MAX => {
                Err(flagfall_rules::Refusal::DeploymentFinal)
            }
            // An offer that accepts the opponent's offer ends the game.
            GameCommand::OfferDraw {} if given >= OFFERS_MAX && !events.iter().any(Event::is_end) => {
                Err(flagfall_rules::Refusal::DrawOfferedRecently { plies_left: 1 })
            }
            _ => Ok(()),
        }
    }
}

/// True if a test planted a fault in the server: repeated commands are not recognized.
fn forgets_commands() -> bool {
    #[cfg(feature = "planted-faults")]
    return flagfall_store::planted::is_planted(flagfall_store::planted::FORGET_COMMAND_IDS);
    #[cfg(not(feature = "planted-faults"))]
    false
}

/// The refusal of a command from an earlier epoch.
///
/// When the store has lost acknowledged entries, a new epoch begins. A command of an earlier
/// epoch may answer moves that are lost. The log might still accept the command, but in a
/// position that the player has not seen. If the command itself is in the log, it was carried
/// out, and a repeat of it is accepted. Servers learn of an epoch at different times, so a
/// command of an epoch later than the table's is judged as usual. The append of such a command
/// shows whether this replica matches the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", Refusal::from(self))]
pub struct StaleEpoch;

impl From<&StaleEpoch> for Refusal {
    fn from(_: &StaleEpoch) -> Refusal {
        Refusal::new(Code::STALE_EPOCH)
    }
}

/// True if the command answers a position that was lost before this epoch began. A deployment
/// does not answer a position: the player still wants it after a loss, and may miss the deadline
/// if it is refused.
pub(super) fn is_of_lost_branch(asked: &Asked, epoch: u64) -> bool {
    asked.epoch.is_some_and(|earlier| earlier < epoch) && !matches!(asked.command, GameCommand::Deploy { .. })
}
