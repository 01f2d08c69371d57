//! The open seeks, as a pure state machine: time and presence are arguments.

use std::collections::HashMap;
use std::time::Duration;

use flagfall_protocol::Seek;
use tokio::time::Instant;

use super::refusal::LobbyRefusal;

/// The open seeks, oldest first.
#[derive(Default, Debug)]
pub struct Seeks {
    open: Vec<(u64, Seek)>,
    next_number: u64,
    /// Seekers without a connection, and since when.
    gone_since: HashMap<String, Instant>,
}

/// A seek that was taken out to make a game of it; it can be put back in its old place.
#[derive(Clone, PartialEq, Debug)]
pub struct TakenSeek {
    number: u64,
    /// What was offered.
    pub seek: Seek,
}

impl Seeks {
    /// Whether a player may open another one.
    ///
    /// # Errors
    /// [`LobbyRefusal::TooManySeeks`], [`LobbyRefusal::LobbyFull`].
    pub fn check_room(&self, player_id: &str, per_player: usize, max: usize) -> Result<(), LobbyRefusal> {
        let own = self.open.iter().filter(|(_, seek)| seek.seeker.id == player_id).count();
        if own >= per_player {
            Err(LobbyRefusal::TooManySeeks(own))
        } else if self.open.len() >= max {
            Err(LobbyRefusal::LobbyFull)
        } else {
            Ok(())
        }
    }

    /// Opens a seek.
    pub fn open(&mut self, seek: Seek) {
        self.open.push((self.next_number, seek));
        self.next_number += 1;
    }

    /// Whether a player's own seek is open.
    #[must_use]
    pub fn is_open(&self, player_id: &str, seek_id: &str) -> bool {
        self.open.iter().any(|(_, seek)| seek.id == seek_id && seek.seeker.id == player_id)
    }

    /// Takes a player's own seek back; whether there was one.
    pub fn cancel(&mut self, player_id: &str, seek_id: &str) -> bool {
        let before = self.open.len();
        self.open.retain(|(_, seek)| seek.id != seek_id || seek.seeker.id != player_id);
        self.open.len() < before
    }

    /// Takes all of a player's seeks back; whether there were any.
    pub fn cancel_all(&mut self, player_id: &str) -> bool {
        let before = self.open.len();
        self.open.retain(|(_, seek)| seek.seeker.id != player_id);
        self.open.len() < before
    }

    /// Takes a seek out for a player who accepts it: nobody else gets it from now on.
    ///
    /// # Errors
    /// [`LobbyRefusal::NoSuchSeek`], [`LobbyRefusal::OwnOffer`].
    pub fn take(&mut self, seek_id: &str, acceptor_id: &str) -> Result<TakenSeek, LobbyRefusal> {
        let at = self.open.iter().position(|(_, seek)| seek.id == seek_id).ok_or(LobbyRefusal::NoSuchSeek)?;
        if self.open[at].1.seeker.id == acceptor_id {
            return Err(LobbyRefusal::OwnOffer);
        }
        let (number, seek) = self.open.remove(at);
        Ok(TakenSeek { number, seek })
    }

    /// Puts a seek back of which no game came.
    pub fn put_back(&mut self, taken: TakenSeek) {
        let at = self.open.partition_point(|(number, _)| *number < taken.number);
        self.open.insert(at, (taken.number, taken.seek));
    }

    /// Drops the seeks whose seekers have been gone for `grace`; whether there were any.
    pub fn drop_abandoned(
        &mut self,
        now: Instant,
        grace: Duration,
        is_online: impl Fn(&str) -> bool,
    ) -> bool {
        let gone_since = &mut self.gone_since;
        let open = &self.open;
        gone_since
            .retain(|player, _| open.iter().any(|(_, seek)| seek.seeker.id == *player) && !is_online(player));
        for (_, seek) in open {
            if !is_online(&seek.seeker.id) {
                gone_since.entry(seek.seeker.id.clone()).or_insert(now);
            }
        }
        let before = self.open.len();
        self.open.retain(|(_, seek)| {
            gone_since.get(&seek.seeker.id).is_none_or(|since| now.saturating_duration_since(*since) < grace)
        });
        self.open.len() < before
    }

    /// The open seeks, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<Seek> {
        self.open.iter().map(|(_, seek)| seek.clone()).collect()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocol::{Player, PlayerKind, Terms, Time};

    use super::*;

    const GRACE: Duration = Duration::from_secs(10);

    fn seek(id: &str, seeker: &str) -> Seek {
        Seek {
            id: id.to_owned(),
            seeker: Player { id: seeker.to_owned(), name: seeker.to_owned(), kind: PlayerKind::Guest },
            terms: Terms {
                ruleset: "classic".to_owned(),
                time: Time::Unlimited {},
                private: false,
                secret: false,
                rated: false,
            },
            side: None,
        }
    }

    fn ids(seeks: &Seeks) -> Vec<String> {
        seeks.list().into_iter().map(|seek| seek.id).collect()
    }

    #[test]
    fn a_seek_is_taken_once_and_never_by_its_seeker() {
        let mut seeks = Seeks::default();
        seeks.open(seek("s1", "ana"));
        assert_eq!(seeks.take("s1", "ana"), Err(LobbyRefusal::OwnOffer));
        assert!(seeks.take("s1", "bo").is_ok());
        assert_eq!(seeks.take("s1", "cy"), Err(LobbyRefusal::NoSuchSeek));
    }

    #[test]
    fn a_seek_that_is_put_back_keeps_its_place() {
        let mut seeks = Seeks::default();
        for id in ["s1", "s2", "s3"] {
            seeks.open(seek(id, id));
        }
        let taken = seeks.take("s2", "bo").unwrap();
        seeks.put_back(taken);
        assert_eq!(ids(&seeks), ["s1", "s2", "s3"]);
    }

    #[test]
    fn only_the_seeker_takes_a_seek_back() {
        let mut seeks = Seeks::default();
        seeks.open(seek("s1", "ana"));
        assert!(!seeks.cancel("bo", "s1"));
        assert!(seeks.cancel("ana", "s1"));
        assert!(!seeks.cancel("ana", "s1"));
        seeks.open(seek("s2", "ana"));
        seeks.open(seek("s3", "bo"));
        assert!(seeks.cancel_all("ana"));
        assert!(!seeks.cancel_all("ana"));
        assert_eq!(ids(&seeks), ["s3"]);
    }

    #[test]
    fn a_player_has_a_few_seeks_and_the_lobby_a_few_more() {
        let mut seeks = Seeks::default();
        seeks.open(seek("s1", "ana"));
        assert_eq!(seeks.check_room("ana", 1, 9), Err(LobbyRefusal::TooManySeeks(1)));
        assert_eq!(seeks.check_room("bo", 1, 1), Err(LobbyRefusal::LobbyFull));
        assert_eq!(seeks.check_room("bo", 1, 2), Ok(()));
    }

    #[test]
    fn seeks_go_when_the_seeker_has_been_gone_for_the_grace_time() {
        let start = Instant::now();
        let mut seeks = Seeks::default();
        seeks.open(seek("s1", "ana"));
        seeks.open(seek("s2", "bo"));
        let only_bo = |player: &str| player == "bo";
        assert!(!seeks.drop_abandoned(start, GRACE, only_bo));
        assert!(!seeks.drop_abandoned(start + GRACE / 2, GRACE, only_bo));
        assert!(seeks.drop_abandoned(start + GRACE, GRACE, only_bo));
        assert_eq!(ids(&seeks), ["s2"]);
    }

    #[test]
    fn a_seeker_who_comes_back_in_time_keeps_his_seeks() {
        let start = Instant::now();
        let mut seeks = Seeks::default();
        seeks.open(seek("s1", "ana"));
        assert!(!seeks.drop_abandoned(start, GRACE, |_| false));
        assert!(!seeks.drop_abandoned(start + GRACE / 2, GRACE, |_| true));
        assert!(!seeks.drop_abandoned(start + GRACE, GRACE, |_| false));
        assert!(!seeks.drop_abandoned(start + GRACE + GRACE / 2, GRACE, |_| false));
        assert!(seeks.drop_abandoned(start + GRACE + GRACE, GRACE, |_| false));
    }
}
