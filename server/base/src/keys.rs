//! The keyspace: the key, value, owner and lifetime of each kind of side record.
//!
//! A key consists of the name of its kind and its parts, separated by slashes:
//! `left/PLAYER/GAME`. This is the only file of the server that makes keys. The exceptions are
//! the games' logs and the stores' internal data, which `server/store/src/embedded/change.rs` and
//! `server/store/src/redis/layout.rs` define.

use std::fmt::Display;

use flagfall_board::{GameId, Stamp};
use flagfall_store::{Key, StoreError};

/// A kind of side record. Its keys have `N` parts after the name.
#[derive(Clone, Copy, Debug)]
pub struct RecordKind<const N: usize> {
    pub name: &'static str,
}

impl<const N: usize> RecordKind<N> {
    pub fn key(&self, parts: [&dyn Display; N]) -> Result<Key, StoreError> {
        Ok(Key::new(self.text(&parts))?)
    }

    /// Returns the prefix of all keys of this kind.
    pub fn all(&self) -> Result<Key, StoreError> {
        self.under([])
    }

    /// Returns the prefix of the keys of this kind that begin with these parts.
    pub fn under<const M: usize>(&self, parts: [&dyn Display; M]) -> Result<Key, StoreError> {
        Ok(Key::new(self.text(&parts) + "/")?)
    }

    /// Returns a key that comes after all keys of this kind that begin with these parts, and
    /// before all others that follow them.
    pub fn past<const M: usize>(&self, parts: [&dyn Display; M]) -> Result<Key, StoreError> {
        // The character that follows the slash in byte order.
        Ok(Key::new(self.text(&parts) + "0")?)
    }

    /// Returns the part of a key after the name of the kind. `None` if the key is of another
    /// kind.
    pub fn rest<'key>(&self, key: &'key Key) -> Option<&'key str> {
        std::str::from_utf8(key.as_bytes()).ok()?.strip_prefix(self.name)?.strip_prefix('/')
    }

    /// Parses the last part of a key as the id of a game.
    pub fn game(&self, key: &Key) -> Option<GameId> {
        self.rest(key)?.rsplit('/').next()?.parse().ok()
    }

    pub fn time_and_game(&self, key: &Key) -> Option<(Stamp, GameId)> {
        let (time, game) = self.rest(key)?.split_once('/')?;
        Some((Stamp(time.parse().ok()?), game.parse().ok()?))
    }

    fn text(&self, parts: &[&dyn Display]) -> String {
        let mut text = self.name.to_owned();
        for part in parts {
            text.push('/');
            text.push_str(&part.to_string());
        }
        text
    }
}

/// A [`RecordKind`], as it appears in the documentation. `owner` is the file that reads and
/// writes the record, relative to `server/`.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub parts: &'static [&'static str],
    pub value: &'static str,
    pub owner: &'static str,
    pub lifetime: &'static str,
}

/// Returns a time as a part of a key. It has 16 digits, so that keys sort by time.
pub fn time16(at: Stamp) -> String {
    format!("{:016}", at.0)
}

/// Returns a time as a part of a key, for older kinds, which use 15 digits.
pub fn time15(at: Stamp) -> String {
    format!("{:015}", at.0)
}

/// The upper limit of timestamps in [`descending_time`].
const MOMENT_MAX: u64 = 9_999_999_999_999;

/// Returns a time as a part of a key, so that the latest time comes first in the order of keys.
pub fn descending_time(at: Stamp) -> String {
    format!("{:013}", MOMENT_MAX.saturating_sub(at.0))
}

/// Parses a part of a key that [`descending_time`] has made.
pub fn time_of_descending(part: &str) -> Option<Stamp> {
    Some(Stamp(MOMENT_MAX.saturating_sub(part.parse().ok()?)))
}

/// Returns the part of a key after a prefix. `None` if the key does not begin with this prefix.
pub fn last_part(key: &Key, prefix: &Key) -> Option<String> {
    std::str::from_utf8(key.as_bytes().strip_prefix(prefix.as_bytes())?).ok().map(str::to_owned)
}

pub fn page_key(prefix: &Key, after: &str) -> Option<Key> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let prefix = std::str::from_utf8(prefix.as_bytes()).ok()?;
    let is_fit = (1..=40).contains(&after.len()) && after.bytes().all(is_plain);
    Key::new(format!("{prefix}{after}")).ok().filter(|_| is_fit)
}

/// Returns the key that another server has sent as text. `None` if it is not of a kind that this
/// server knows.
pub fn told_key(text: &str) -> Option<Key> {
    let (name, _) = text.split_once('/')?;
    KINDS.iter().find(|kind| kind.name == name)?;
    Key::new(text.to_owned()).ok()
}

/// Returns the key of the job with this kind and id. `None` if they do not form a valid key.
pub fn job_key(kind: &str, id: &str) -> Option<Key> {
    Key::new(format!("{kind}/{id}")).ok()
}

/// Returns the prefix with which the keys of all jobs of a kind begin.
pub fn jobs_of(kind: &str) -> Result<Key, StoreError> {
    Ok(Key::new(format!("{kind}/"))?)
}

const fn count(parts: &[&str]) -> usize {
    parts.len()
}

/// Declares the kinds, and lists all of them in [`KINDS`] in the same order.
macro_rules! keyspace {
    ($($(#[$doc:meta])+ $id:ident[$($part:literal),*] = $name:literal, $value:literal, $owner:literal, $lifetime:literal;)+) => {
        $($(#[$doc])+
        pub static $id: RecordKind<{ count(&[$($part),*]) }> =
            RecordKind { name: $name };)+

        pub static KINDS: &[Row] = &[$(Row { name: $name, parts: &[$($part),*], value: $value, owner: $owner, lifetime: $lifetime }),+];
    };
}

keyspace! {
    /// A running game.
    LIVE["GAME"] = "live", "JSON: the earliest time at which a flag may fall, the players' names, and who is away", "game/src/listing.rs", "until the game ends";
    /// A running game of a player.
    SEAT["PLAYER", "GAME"] = "seat", "empty", "game/src/table/commit.rs", "until the game ends";
    /// The time at which to check a game, because a player's time may have run out by then.
    FLAGS["TIME", "GAME"] = "flags", "empty", "game/src/listing.rs", "until the game is checked; with an archive, about an hour after its end at most";
    /// A game in which a house player (a player run by the server) has to act.
    HOUSE["GAME"] = "house", "the start of the turn, in decimal", "game/src/listing.rs", "until the house player has acted";
    /// A new game. Other servers read this record to notify the game's players.
    NEWS["GAME"] = "news", "JSON: both players", "game/src/listing.rs", "60 s";
    /// A game that servers of version 0.1 must open.
    AWAKE["GAME"] = "awake", "empty", "game/src/listing.rs", "until the game ends";
    /// The summary of a running public game.
    PUBLIC["AGE", "GAME"] = "public", "JSON: GameSummary", "game/src/public_games.rs", "until the game ends";
    /// Exists if the lists of running games are complete.
    LISTS_WHOLE[] = "lists_whole", "empty", "game/src/rest.rs", "permanent";
    /// The rematch of a game.
    REMATCH["GAME"] = "rematch", "the game's id", "game/src/creation.rs", "until the game is archived and its guard has expired, or the game is pruned";
    /// The id with which any server creates the rematch of a game.
    REMATCH_ID["GAME"] = "rematch_id", "the rematch's id", "game/src/creation.rs", "1 hour";
    /// The latest 1,024 outages.
    OUTAGES[] = "outages", "JSON: pairs of times", "store/src/store.rs", "permanent";
    /// The guard of a retired or deleted log, in stores other than Redis.
    GUARD["GAME"] = "guard", "binary: Guard", "store/src/guard.rs", "1 hour";
    /// The export that is being imported.
    IMPORTING[] = "importing", "JSON: the first line of the export", "transfer/src/import.rs", "until the import is complete";
    /// An open seek.
    SEEKS["ID"] = "seeks", "JSON: SeekRecord", "services/src/lobby/seeks.rs", "until the seek is accepted, withdrawn or abandoned";
    /// The seek that was opened last. If two seeks are opened at the same moment, one of the
    /// writes fails because of this record and is tried again, so that both seeks are counted.
    SEEK_TURN[] = "seek_turn", "the seek's id", "services/src/lobby/seeks.rs", "1 min";
    /// An open challenge.
    CHALLENGES["CODE"] = "challenges", "JSON: ChallengeRecord", "services/src/lobby/challenges.rs", "1 day";
    /// A player's open challenge.
    CHALLENGES_OF["PLAYER", "CODE"] = "challenges_of", "empty", "services/src/lobby/challenges.rs", "1 day";
    /// A challenge that is addressed to this player.
    INVITED["PLAYER", "CODE"] = "invited", "empty", "services/src/lobby/invitations.rs", "1 day";
    /// A player to whom a challenge is addressed.
    ADDRESSED["CODE", "PLAYER"] = "addressed", "empty", "services/src/lobby/invitations.rs", "1 day";
    /// How a seek or a challenge was closed, for players who try to accept it afterwards.
    CLOSED_OFFERS["ID"] = "closed_offers", "`taken`, `withdrawn` or `declined`", "services/src/lobby/offer.rs", "1 hour";
    /// The outcome of an accepted lobby command.
    COMMANDS["PLAYER", "COMMAND"] = "commands", "JSON", "services/src/lobby/memory.rs", "1 hour; of a command that opens an offer, 1 day or as long as a challenge is open, but 1 hour once the offer is accepted; of a game with a house player, 1 day";
    /// Job: create a planned game.
    PLANS["GAME"] = "plans", "JSON: PlanRecord and state of the job", "services/src/lobby/plans.rs", "until the game's first append";
    /// A player who is waiting in the pool.
    POOL["PLAYER"] = "pool", "JSON: PoolRecord", "services/src/lobby/pool.rs", "45 s after the last renewal";
    /// Exists if the guardian of a class of the pool has paired its players lately.
    POOL_WAVES["CLASS"] = "pool_waves", "empty", "services/src/lobby/wave.rs", "5 s and one wave";
    /// A pair of players whose game is about to be created.
    PAIRED["GAME"] = "paired", "JSON: both players", "services/src/lobby/wave.rs", "10 min";
    /// The game into which a player was last paired.
    PAIRED_OF["PLAYER"] = "paired_of", "the game's id", "services/src/lobby/wave.rs", "30 days";
    /// The pool records of two players as they were before the players were paired.
    POOLED["GAME"] = "pooled", "JSON", "services/src/lobby/pool_returns.rs", "1 hour";
    /// The players who may return to the pool because their game was aborted.
    POOL_RETURNS["GAME"] = "pool_returns", "JSON: the sides", "services/src/lobby/pool_returns.rs", "1 min";
    /// A marker for a player who has left a game.
    LEFT["PLAYER", "GAME"] = "left", "the time, in decimal", "services/src/left_games.rs", "1 day";
    /// A player.
    PLAYERS["ID"] = "players", "JSON: PlayerRecord", "services/src/players/record.rs", "guests: 90 days after their last visit";
    /// A name that is in use.
    NAMES["NAME"] = "names", "the player's id", "services/src/players/record.rs", "until the player's record is deleted";
    /// A token, identified by its SHA-256.
    TOKENS["HASH"] = "tokens", "the player's id", "services/src/players/record.rs", "until the token is revoked or the player's record is deleted";
    /// A deleted account.
    GONE["ID"] = "gone", "empty", "services/src/players/record.rs", "permanent";
    /// Job: delete the remaining data of a deleted account.
    LEAVING["ID"] = "leaving", "JSON: Player and state of the job", "services/src/players/record.rs", "until all data is removed";
    /// A token that was recently revoked. Other servers read this record.
    REVOKED["TOKEN"] = "revoked", "the player's id", "services/src/players/record.rs", "5 min";
    /// An account that an operator has recently closed. Other servers read this record.
    CLOSED["ID"] = "closed", "empty", "services/src/players/closure.rs", "5 min";
    /// A stored guest who has not played yet.
    NEW_GUESTS["TIME", "ID"] = "new_guests", "empty", "services/src/players/standing.rs", "2 days";
    /// A secret key that all servers share.
    SECRETS["NAME"] = "secrets", "32 bytes; `push`: PKCS #8", "services/src/players/guest.rs", "permanent";
    /// A player whom another player has blocked.
    BLOCKS["PLAYER", "OTHER"] = "blocks", "empty", "services/src/blocks.rs", "until the block is removed; at most 100 per player";
    /// A saved deployment.
    DEPLOYMENTS["PLAYER", "RULESET", "NAME"] = "deployments", "JSON: SavedDeployment", "services/src/deployments.rs", "until the deployment or the account is deleted; at most 50 per ruleset";
    /// The preferences that an account keeps for its clients.
    PREFERENCES["PLAYER"] = "preferences", "JSON: Preferences", "services/src/preferences.rs", "until the account is deleted; at most 32 names";
    /// How the monthly dumps of public games show a player. Without this record, they show a
    /// pseudonym.
    DUMP_LISTING["PLAYER"] = "dump_listing", "JSON: DumpListing", "services/src/dump.rs", "until the account is deleted; `none`: permanent";
    /// Job: rate a game.
    RATING_DUE["GAME"] = "rating_due", "JSON: state of the job; version 0.1: empty", "services/src/ratings/record.rs", "until the job is done";
    /// A rating job that version 0.1 set aside because of damaged data.
    RATING_ASIDE["GAME"] = "rating_aside", "a description of the damage", "base/src/jobs/dead.rs", "until an operator retries or discards the job";
    /// A player's rating.
    RATINGS["PLAYER", "RULESET", "SPEED"] = "ratings", "JSON: RatingRecord", "services/src/ratings/record.rs", "until the account is deleted";
    /// A change of a player's rating, kept until the game's line in the history contains it. The
    /// latest change comes first in the order of keys.
    RATING_HISTORY["PLAYER", "RULESET", "SPEED", "NUMBER"] = "rating_history", "JSON: HistoryRecord", "services/src/histories/rating_record.rs", "until it is a part of a line, or the account is deleted";
    /// A place on a leaderboard.
    LEADERS["LIST", "RULESET", "SPEED", "PLACE", "PLAYER"] = "leaders", "JSON", "services/src/ratings/record.rs", "until the account is deleted";
    /// The changes that a game made to its players' ratings.
    RATED["GAME"] = "rated", "JSON", "services/src/ratings/record.rs", "until the game is archived, its guard has expired, and the histories of its players tell the same";
    /// A marker for a game whose effect on ratings was undone.
    UNRATED["GAME"] = "unrated", "JSON", "services/src/ratings/record.rs", "permanent";
    /// The results of the first mover in a ruleset, as version 0.1 counts them.
    FIRST_MOVE["RULESET"] = "first_move", "JSON", "services/src/ratings/first_move.rs", "permanent";
    /// The results of the first mover in the games of a ruleset whose ids end in the same letter or
    /// digit.
    FIRST_MOVES["RULESET", "LETTER"] = "first_moves", "JSON", "services/src/ratings/first_move.rs", "permanent";
    /// Job: enter a game into its players' histories.
    PLAYED_DUE["GAME"] = "played_due", "JSON: state of the job; version 0.1: empty", "services/src/histories/record.rs", "until the job is done";
    /// The history of an account: its latest games, and the numbers of its volumes.
    HISTORY["PLAYER"] = "history", "binary: Book", "services/src/histories/book.rs", "until the account is deleted";
    /// A volume of a history. It never changes.
    VOLUMES["PLAYER", "NUMBER"] = "volumes", "binary: Volume", "services/src/histories/book.rs", "until it is archived, or the account is deleted";
    /// Job: merge the volumes of a history, and move them to the archive.
    HISTORY_DUE["PLAYER"] = "history_due", "JSON: state of the job", "services/src/histories/shelve.rs", "until the job is done";
    /// A game in a player's history, until it is a line of [`HISTORY`]. The latest game comes
    /// first in the order of keys.
    PLAYED["PLAYER", "SHELF", "TIME-GAME"] = "played", "JSON", "services/src/histories/record.rs", "until it is a line, or the player is deleted";
    /// A game of two players against each other. The latest game comes first in the order of keys.
    VERSUS["PLAYER", "OPPONENT", "SHELF", "TIME-GAME"] = "versus", "JSON", "services/src/histories/record.rs", "until it is a line, or the player is deleted";
    /// A player's results against another player.
    TALLY["PLAYER", "OPPONENT", "RULESET"] = "tally", "JSON: Tally", "services/src/histories/record.rs", "until it is a line, or the player is deleted";
    /// A player's results by ruleset, side and deployment.
    FIGURES["PLAYER", "RULESET"] = "figures", "JSON: Figures", "services/src/histories/record.rs", "until it is a line, or the player is deleted";
    /// A public game that ended recently. The latest game comes first in the order of keys.
    LATEST["TIME-GAME"] = "latest", "JSON: GameSummary", "services/src/histories/latest.rs", "until newer games replace it; about 64 are kept";
    /// Job: sign a game.
    PROOF_DUE["GAME"] = "proof_due", "JSON: state of the job", "services/src/proof.rs", "until the job is done";
    /// A game's signature.
    PROOF["GAME"] = "proof", "JSON", "services/src/proof.rs", "until the game is archived and its guard has expired, or the game is pruned";
    /// A public signing key.
    SIGNING_KEY["ID"] = "signing_key", "32 bytes", "services/src/proof.rs", "permanent";
    /// Job: play queued moves in a correspondence game, and notify the player whose turn it is.
    TURN_DUE["GAME"] = "turn_due", "JSON: state of the job; version 0.1: the number of an entry", "services/src/turns.rs", "until the job is done";
    /// Queued moves.
    QUEUE["GAME", "PLAYER"] = "queue", "JSON", "services/src/turns/queue.rs", "until the moves are made or the game ends";
    /// A player's webhook.
    WEBHOOKS["PLAYER"] = "webhooks", "JSON", "services/src/notices.rs", "until the account is deleted";
    /// A marker for a player whose webhook was tested a moment ago.
    WEBHOOK_TESTS["PLAYER"] = "webhook_tests", "empty", "services/src/notices.rs", "10 s";
    /// Job: send a notice to a webhook.
    NOTICES["PLAYER", "ID"] = "notices", "JSON: WaitingNotice and state of the job", "services/src/notices.rs", "until the notice is delivered or dropped";
    /// A browser that is notified of a player's turns.
    PUSH["PLAYER", "ID"] = "push", "JSON: PushRecord", "services/src/notices/push.rs", "until the account is deleted or the push service ends it; at most 5 per player";
    /// Job: send a notice to a browser.
    PUSHES["PLAYER", "ID"] = "pushes", "JSON: WaitingNotice and state of the job", "services/src/notices/push.rs", "until the notice is delivered or dropped";
    /// The address to which a player gets e-mail.
    EMAIL["PLAYER"] = "email", "JSON: EmailRecord", "services/src/notices/email.rs", "until the player removes the address or the account is deleted";
    /// The times at which a player asked for confirmation mails.
    EMAIL_ASKED_BY["PLAYER"] = "email_asked_by", "JSON: times", "services/src/notices/email.rs", "1 day";
    /// The times at which confirmation mails to an address were asked for. The address is
    /// identified by its SHA-256.
    EMAIL_ASKED_FOR["HASH"] = "email_asked_for", "JSON: times", "services/src/notices/email.rs", "1 day";
    /// Job: send a mail.
    MAILS["PLAYER", "ID"] = "mails", "JSON: WaitingMail and state of the job", "services/src/notices/mailing.rs", "until the mail is sent or dropped";
    /// The latest notice about a game that was sent to a player's webhook, browsers and e-mail
    /// address.
    TOLD["PLAYER", "GAME"] = "told", "the notice's id", "services/src/notices.rs", "until the game ends; at most 60 days";
    /// A player's feed, identified by the SHA-256 of its secret.
    FEEDS["HASH"] = "feeds", "the player's id", "services/src/notices/feed.rs", "until the account is deleted";
    /// The feed of a player.
    FEED_OF["PLAYER"] = "feed_of", "the feed's hash", "services/src/notices/feed.rs", "until the account is deleted";
    /// A report to operators.
    REPORTS["TIME-GAME-PLAYER"] = "reports", "JSON", "services/src/reports.rs", "180 days";
    /// A marker for a game that a player has reported.
    REPORT_OF["GAME", "PLAYER"] = "report_of", "empty", "services/src/reports.rs", "180 days";
    /// A report that a player has sent. The latest report comes first in the order of keys.
    REPORTS_BY["PLAYER", "TIME-GAME"] = "reports_by", "the last part of the report's key", "services/src/reports.rs", "180 days";
    /// A marker for a player who has sent a report within the last day.
    REPORTED["PLAYER", "GAME"] = "reported", "empty", "services/src/reports.rs", "1 day";
    /// An operator's action.
    OPERATOR_LOG["TIME-ID"] = "operator_log", "JSON", "services/src/operator.rs", "permanent";
    /// A finished game that will be archived, or packed in a store without an archive.
    ENDED["TIME", "GAME"] = "ended", "empty", "services/src/ended.rs", "until the game is archived or packed";
    /// The archive that has the finished games of the store.
    KNOWN_ARCHIVE[] = "known_archive", "JSON: KnownArchive", "archive/src/known.rs", "permanent";
    /// A game that an operator has erased. It must not come back.
    ERASED["GAME"] = "erased", "empty", "services/src/erased_games.rs", "permanent";
    /// Job: remove a game that an operator has erased.
    ERASING["GAME"] = "erasing", "JSON: state of the job", "services/src/erased_games.rs", "until the game is removed";
    /// A game that an operator has erased recently. Servers that have it in memory forget it.
    ERASED_LATELY["GAME"] = "erased_lately", "empty", "services/src/erased_games.rs", "5 min";
    /// A finished casual game of guests that will be deleted.
    GUEST_ENDED["TIME", "GAME"] = "guest_ended", "empty", "services/src/prune.rs", "until the game is deleted";
    /// An operator's action on a job, or the erasure of a game.
    OPERATOR_JOBS["TIME-ID"] = "operator_jobs", "JSON", "services/src/operator.rs", "permanent";
    /// A job that failed permanently.
    DEAD_JOBS["KIND", "ID"] = "dead_jobs", "JSON: DeadRecord", "base/src/jobs/dead.rs", "until an operator retries or discards the job";
    /// A server's entry in the list of running servers.
    SERVERS["ID"] = "servers", "JSON: MemberInfo", "base/src/cluster.rs", "3 s";
    /// A record that `/health` writes and reads to check the store.
    HEALTH["NAME"] = "health", "16 bytes", "src/api/http/health.rs", "permanent";
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use flagfall_tests::{check_generated, product_sources};

    use super::*;

    #[test]
    fn a_key_is_its_name_and_its_parts() {
        let game = GameId::from_random([7; 12]);
        let key = FLAGS.key([&time16(Stamp(42)), &game]).unwrap();
        assert_eq!(key.as_bytes(), format!("flags/0000000000000042/{game}").as_bytes());
        assert!(key.as_bytes().starts_with(FLAGS.all().unwrap().as_bytes()));
        assert_eq!((FLAGS.game(&key), LIVE.game(&key)), (Some(game), None));
        assert_eq!(FLAGS.time_and_game(&key), Some((Stamp(42), game)));
        assert_eq!(SEAT.under([&"ana"]).unwrap().as_bytes(), b"seat/ana/");
        assert_eq!(LISTS_WHOLE.key([]).unwrap().as_bytes(), b"lists_whole");
        assert_eq!(OUTAGES.key([]).unwrap().as_bytes(), flagfall_store::OUTAGES_KEY.as_bytes());
        assert_eq!(IMPORTING.key([]).unwrap().as_bytes(), flagfall_store::IMPORT_KEY.as_bytes());
        assert_eq!(KNOWN_ARCHIVE.key([]).unwrap().as_bytes(), flagfall_store::ARCHIVE_KEY.as_bytes());
        assert_eq!(time15(Stamp(42)).len(), 15);
    }

    #[test]
    fn no_other_file_makes_keys() {
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut sources = product_sources(&server);
        // Leave out the store, its export and the archive, because they handle keys as bytes.
        sources.retain(|(path, _)| {
            !["store", "transfer", "archive"].iter().any(|name| path.starts_with(server.join(name)))
        });
        let without_others = |text: &str| text.replace("CommandKey::new(", "").replace("PublicKey::new(", "");
        let makes_keys = |text: &str| without_others(text).contains("Key::new(");
        let makers: Vec<&PathBuf> =
            sources.iter().filter(|(_, text)| makes_keys(text)).map(|(path, _)| path).collect();
        assert!(sources.len() > 50 && makers.len() == 1 && makers[0].ends_with("keys.rs"), "{makers:?}");
    }

    #[test]
    fn every_owner_is_a_file() {
        let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let missing: Vec<_> = KINDS.iter().filter(|kind| !server.join(kind.owner).is_file()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// Run with `FLAGFALL_UPDATE=1` to rewrite the table.
    #[test]
    fn the_page_lists_every_kind() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/internals/keyspace.md");
        let text = std::fs::read_to_string(&page).unwrap();
        let start = text.find("| key |").unwrap();
        let mut wanted = text[..start].to_owned();
        wanted.push_str("| key | value | owner | lifetime |\n|---|---|---|---|\n");
        for Row { name, parts, value, owner, lifetime } in KINDS {
            let key: Vec<&str> = std::iter::once(name).chain(*parts).copied().collect();
            wanted.push_str(&format!("| `{}` | {value} | `{owner}` | {lifetime} |\n", key.join("/")));
        }
        check_generated(&page, &wanted, "flagfall-base");
    }

    #[test]
    fn no_two_kinds_share_a_name() {
        let mut names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        assert!(names.iter().all(|name| !name.contains('/')));
    }

    #[test]
    fn a_list_goes_on_after_the_end_of_its_last_page() {
        let prefix = PLAYED.under([&"ann", &"all"]).unwrap();
        let key = PLAYED.key([&"ann", &"all", &"000-game"]).unwrap();
        assert_eq!(page_key(&prefix, &last_part(&key, &prefix).unwrap()), Some(key));
        for wrong in ["", "../all/1", "a/b", &"9".repeat(41)] {
            assert_eq!(page_key(&prefix, wrong), None, "{wrong}");
        }
    }
}
