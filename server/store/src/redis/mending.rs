//! What others left half done, and what Redis lost: carried out to the end, and given back.

use flagfall_board::GameId;
use redis::{Pipeline, Value};

use super::answers::{self, Appended};
use super::held::{Compared, HeldEntry};
use super::layout::{WriteArguments, parse_pending_member, pending_member};
use super::link::{Fault, Link, Script, parsed};
use super::writer::{Prepared, Writer};
use crate::clock::{SystemClock, WallClock};
use crate::value::Head;

/// How long an append may be listed as unfinished by another server before it counts as abandoned, in milliseconds.
const ABANDONED_MS: u64 = 60_000;

/// Side records to be carried out for an append.
pub(super) struct Intent<'a> {
    pub(super) game: GameId,
    pub(super) seq: u64,
    pub(super) writes: &'a [WriteArguments],
}

impl Writer {
    /// Carries the side records of appends out and strikes them from the list.
    pub(super) async fn carry_out(&self, link: &mut Link, intents: &[Intent<'_>]) -> Result<(), Fault> {
        let keys = &self.shared.keys;
        for attempt in 0..2 {
            let mut commands = Pipeline::new();
            commands.ignore_errors();
            for intent in intents {
                let names = [keys.values.as_str(), &keys.names, &keys.expiries, &keys.applied, &keys.pending];
                let mut apply = link.call(Script::Apply, &names);
                apply.arg(intent.game.as_str()).arg(intent.seq).arg(pending_member(intent.game, intent.seq));
                apply.arg(intent.writes.concat());
                commands.add_command(apply);
            }
            let answers: Result<Vec<Value>, Fault> =
                link.send(&commands).await?.into_iter().map(parsed).collect();
            match answers {
                Err(Fault::ScriptGone) if attempt == 0 => link.load_scripts().await?,
                answers => return answers.map(drop),
            }
        }
        Ok(())
    }

    /// Finishes appends whose writer was lost before their side records were carried out: all, or those listed up to a moment.
    pub(super) async fn finish_pending(&self, link: &mut Link, until: Option<u64>) -> Result<(), Fault> {
        let keys = &self.shared.keys;
        let until = until.map_or_else(|| "+inf".to_owned(), |until| until.to_string());
        let mut look = redis::cmd("ZRANGEBYSCORE");
        look.arg(&keys.pending).arg("-inf").arg(until).arg("WITHSCORES");
        let pending: Vec<(Vec<u8>, f64)> = link.ask(&look).await?;
        let parse = |(member, since): (Vec<u8>, f64)| Some((parse_pending_member(&member)?, since as u64));
        let mut pending: Vec<((GameId, u64), u64)> = pending.into_iter().filter_map(parse).collect();
        // Those of a game in their order: of what is carried out late, the latest counts.
        pending.sort_unstable();
        for ((game, seq), since) in pending {
            let id = format!("{seq}-0");
            let found: Value = link.ask(redis::cmd("XRANGE").arg(keys.log(game)).arg(&id).arg(&id)).await?;
            let found = answers::stream(found)?.and_then(|entries| entries.into_iter().next());
            let is_abandoned = SystemClock.now().0.saturating_sub(since) > ABANDONED_MS;
            match found {
                Some(entry) => {
                    self.carry_out(link, &[Intent { game, seq, writes: &entry.writes }]).await?;
                }
                // Its append was not made; or is being made right now.
                None if is_abandoned => {
                    let member = pending_member(game, seq);
                    link.ask::<u64>(redis::cmd("ZREM").arg(&keys.pending).arg(member)).await?;
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Gives the log of a game back what it has lost; whether that was something.
    pub(super) async fn is_restored(&mut self, game: GameId, head: Head) -> bool {
        let missing = match self.shared.held().compare(game, head) {
            Compared::Short(missing) => missing,
            Compared::Whole | Compared::Other => return false,
        };
        let Some(mut link) = self.link.clone() else { return false };
        match self.restore(&mut link, game, head, missing).await {
            Ok(is_done) => is_done,
            Err(fault) => {
                self.lose_link(&fault);
                false
            }
        }
    }

    /// Looks whether the logs of games have all that is held of them, and gives back what they have lost; likewise their side records.
    pub(super) async fn give_back(&self, link: &mut Link, games: &[GameId]) -> Result<(), Fault> {
        let keys = &self.shared.keys;
        let held: Vec<(GameId, Head)> = {
            let held = self.shared.held();
            games.iter().filter_map(|game| Some((*game, held.head(*game)?))).collect()
        };
        let mut commands = Pipeline::new();
        commands.ignore_errors();
        for (game, head) in &held {
            let (log, id) = (keys.log(*game), format!("{}-0", head.seq));
            commands.cmd("XRANGE").arg(&log).arg(&id).arg(&id);
            commands.cmd("XREVRANGE").arg(&log).arg("+").arg("-").arg("COUNT").arg(1);
            commands.cmd("HGET").arg(&keys.applied).arg(game.as_str());
        }
        let mut answers = link.send(&commands).await?.into_iter();
        for (game, head) in held {
            let (Some(same), Some(last), Some(applied)) = (answers.next(), answers.next(), answers.next())
            else {
                break;
            };
            if answers::head(parsed(same)?) != Some(head) {
                let Some(last) = answers::head(parsed(last)?) else { continue };
                let compared = self.shared.held().compare(game, last);
                match compared {
                    Compared::Short(missing) => drop(self.restore(link, game, last, missing).await?),
                    Compared::Whole | Compared::Other => {
                        self.shared.held().forget(game);
                        continue;
                    }
                }
            }
            let applied: Option<u64> = parsed(applied)?;
            let lost = self.shared.held().writes_after(game, applied.unwrap_or(0));
            for (seq, writes) in &lost {
                self.carry_out(link, &[Intent { game, seq: *seq, writes }]).await?;
            }
        }
        Ok(())
    }

    async fn restore(
        &self,
        link: &mut Link,
        game: GameId,
        head: Head,
        missing: Vec<HeldEntry>,
    ) -> Result<bool, Fault> {
        let count = missing.len();
        let mut at = head;
        // One append an entry: each has side records of its own, and another server may be doing the same.
        for entry in missing {
            let (expected, writes) = (at, entry.writes.clone());
            at = entry.head;
            let append = Prepared {
                game,
                expected,
                deadline: None,
                entries: vec![entry],
                is_stamped: true,
                outage: None,
                writes,
            };
            let mut commands = Pipeline::new();
            self.add_append(link, &append, commands.ignore_errors());
            let answer = link.send(&commands).await?.pop().unwrap_or(Value::Nil);
            match answers::appended(answer)? {
                Appended::Ok { .. } if append.writes.is_empty() => {}
                Appended::Ok { .. } => {
                    let intent = Intent { game, seq: at.seq, writes: &append.writes };
                    self.carry_out(link, &[intent]).await?;
                }
                // Another server was first: with the same, or the next look tells.
                Appended::Conflict { head } if head.seq >= at.seq => {}
                _ => return Ok(false),
            }
        }
        self.shared.note_restored(game, count);
        Ok(true)
    }
}
