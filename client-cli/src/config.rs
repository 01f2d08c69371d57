//! The client's files: credentials for each server, commitments, and saved deployments.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use flagfall_board::GameId;

use crate::commitments::Shown;
use crate::model::Secret;
use crate::names::is_plain_letter;
use crate::net::address::Address;

/// Maximum number of guests on this machine for each server and name.
const SLOTS_MAX: usize = 32;
/// The file with the name of the account that logged in most recently.
const LATEST_ACCOUNT: &str = "latest-account";
const ACCOUNT_FILE: &str = "account-";
/// Maximum number of seats to store for a guest. Each seat names a game that the guest plays. If
/// there are more, only the newest are kept.
const SEATS_MAX: usize = 50;

/// Maximum number of files to keep for former guests that the server does not recognize.
const ASIDE_MAX: usize = 9;
const COMMITMENTS_MAX: usize = 500;

#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct ConfigError {
    path: PathBuf,
    source: io::Error,
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> ConfigError + '_ {
    move |source| ConfigError { path: path.to_owned(), source }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigDir {
    pub(crate) root: PathBuf,
}

#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    token: String,
    name: String,
    /// Games in which the guest has a seat, oldest first.
    seats: Vec<String>,
}

/// A credential, reserved for this process while this value exists.
///
/// Two clients on one machine must not play as the same guest. The second client finds that the
/// first guest's file is locked, so it uses another guest. Several clients may use the same
/// account.
#[derive(Debug)]
pub struct Credential {
    path: PathBuf,
    _lock: Option<File>,
}

impl ConfigDir {
    /// Uses the given folder, or else the system's default folder for Flagfall.
    pub fn new(named: Option<PathBuf>) -> ConfigDir {
        let usual =
            || directories::ProjectDirs::from("", "", "flagfall").map(|dirs| dirs.config_dir().to_owned());
        ConfigDir { root: named.or_else(usual).unwrap_or_else(|| PathBuf::from(".flagfall")) }
    }

    /// Picks the credential to play with: that of an account, or of a guest that no other client
    /// uses.
    ///
    /// If `game` is given, prefers a credential with a seat in that game.
    pub fn credential(
        &self,
        server: &Address,
        name: Option<&str>,
        game: Option<&str>,
    ) -> Result<Credential, ConfigError> {
        let folder = self.guests(server);
        create_private_dir(&folder)?;
        let seats = game.map(|game| seats(&folder, name, game)).unwrap_or_default();
        // Both players of a game may use this machine, so take a seat that no other client uses.
        for path in &seats {
            if let Some(credential) = Credential::locked(path)? {
                return Ok(credential);
            }
        }
        // A hung client may still hold the lock. The user named the game, so use the seat anyway.
        let held = seats.into_iter().next().map(Credential::shared);
        if let Some(credential) = held.or_else(|| account(&folder, name)) {
            return Ok(credential);
        }
        for slot in 1..=SLOTS_MAX {
            if let Some(credential) = Credential::locked(&slot_path(&folder, name, slot))? {
                return Ok(credential);
            }
        }
        Ok(Credential::shared(slot_path(&folder, name, 1)))
    }

    /// Returns a guest to use if files cannot be written. This guest can play, but cannot return
    /// later.
    pub fn unkept_credential(&self, server: &Address, name: Option<&str>) -> Credential {
        Credential::shared(slot_path(&self.guests(server), name, 1))
    }

    fn guests(&self, server: &Address) -> PathBuf {
        self.root.join("guests").join(server.file_name())
    }

    /// Returns the commitments that this server showed, by game.
    pub fn commitments(&self, server: &Address) -> BTreeMap<GameId, Shown> {
        let read = |path: &PathBuf| {
            let game = path.file_stem()?.to_str()?.parse().ok()?;
            let shown = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
            Some((game, shown))
        };
        files(&self.commitments_folder(server)).iter().filter_map(read).collect()
    }

    /// Saves the commitments of a game. Deletes the oldest file if there are too many.
    pub fn keep_commitments(&self, server: &Address, game: GameId, shown: &Shown) -> Result<(), ConfigError> {
        let folder = self.commitments_folder(server);
        let path = folder.join(format!("{game}.json"));
        write_json(&path, shown)?;
        let kept = files(&folder);
        if kept.len() > COMMITMENTS_MAX {
            let changed = |path: &PathBuf| fs::metadata(path).and_then(|of| of.modified()).ok();
            let oldest = kept.iter().filter(|kept| **kept != path).min_by_key(|path| changed(path));
            // If the old file cannot be deleted, the only effect is one file too many.
            drop(oldest.map(fs::remove_file));
        }
        Ok(())
    }

    fn commitments_folder(&self, server: &Address) -> PathBuf {
        self.root.join("commitments").join(server.file_name())
    }

    /// Returns a credential without locking it, for commands that do not play.
    ///
    /// Prefers a credential with a seat in the game. If there is none, returns the account's
    /// credential or that of the first guest.
    pub fn shared_credential(&self, server: &Address, name: Option<&str>, game: Option<&str>) -> Credential {
        let folder = self.guests(server);
        let seat = game.and_then(|game| seats(&folder, name, game).into_iter().next());
        let credential = seat.map(Credential::shared).or_else(|| account(&folder, name));
        credential.unwrap_or_else(|| Credential::shared(slot_path(&folder, name, 1)))
    }

    pub fn account_credential(&self, server: &Address, name: &str) -> Option<Credential> {
        account(&self.guests(server), Some(name))
    }

    /// Saves an account's credential, and makes the account the default.
    pub fn keep_account(&self, server: &Address, token: &Secret, name: &str) -> Result<(), ConfigError> {
        let folder = self.guests(server);
        Credential::shared(account_path(&folder, name)).save_token(token, name)?;
        write_private(&folder.join(LATEST_ACCOUNT), name.as_bytes())
    }

    /// Returns the saved deployments: for each ruleset, the texts by name.
    pub fn setups(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        let mut setups: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for ruleset in flagfall_rules::Ruleset::all() {
            for path in files(&self.root.join("setups").join(ruleset.id)) {
                let name = path.file_stem().and_then(|name| name.to_str());
                if let (Some(name), Ok(text)) = (name, fs::read_to_string(&path)) {
                    let by_name = setups.entry(ruleset.id.to_owned()).or_default();
                    by_name.insert(name.to_owned(), text.trim().to_owned());
                }
            }
        }
        setups
    }

    pub fn save_setup(&self, ruleset: &str, name: &str, text: &str) -> Result<PathBuf, ConfigError> {
        let path = self.setup_path(ruleset, name);
        write_private(&path, format!("{text}\n").as_bytes())?;
        Ok(path)
    }

    pub fn delete_setup(&self, ruleset: &str, name: &str) -> Result<(), ConfigError> {
        let path = self.setup_path(ruleset, name);
        fs::remove_file(&path).map_err(at(&path))
    }

    fn setup_path(&self, ruleset: &str, name: &str) -> PathBuf {
        self.root.join("setups").join(ruleset).join(format!("{name}.txt"))
    }
}

impl Credential {
    fn shared(path: PathBuf) -> Credential {
        Credential { path, _lock: None }
    }

    /// Takes the lock file beside `path`. `None` if another process holds the lock.
    ///
    /// The lock is on a separate file because each save replaces the credential file.
    fn locked(path: &Path) -> Result<Option<Credential>, ConfigError> {
        let beside = path.with_extension("lock");
        let file = open_private(&beside, OpenOptions::new().write(true).create(true).truncate(false))
            .map_err(at(&beside))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Credential { path: path.to_owned(), _lock: Some(file) })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(at(&beside)(error)),
        }
    }

    pub fn token(&self) -> Option<Secret> {
        Some(read(&self.path).token).filter(|token| !token.is_empty()).map(Secret::new)
    }

    /// Returns the player's name, which the server sent with the credential. The name can be
    /// empty.
    pub fn name(&self) -> String {
        read(&self.path).name
    }

    pub fn is_account(&self) -> bool {
        is_account_file(&self.path) && self.token().is_some()
    }

    pub fn forget(&self) -> Result<(), ConfigError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(&self.path)(error)),
            _ => Ok(()),
        }
    }

    /// Moves the former guest's file out of the way.
    ///
    /// If the former guest has no seats, their file is deleted. Otherwise, the file is renamed.
    /// The server's address may now lead to a different server, but the seats are still valid on
    /// the former server.
    pub fn set_aside(&self) -> Result<(), ConfigError> {
        if read(&self.path).seats.is_empty() {
            return self.forget();
        }
        let aside = |number: usize| self.path.with_extension(format!("previous-{number}.json"));
        let free = (1..ASIDE_MAX).find(|number| !aside(*number).exists()).unwrap_or(ASIDE_MAX);
        fs::rename(&self.path, aside(free)).map_err(at(&self.path))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn save_token(&self, token: &Secret, name: &str) -> Result<(), ConfigError> {
        self.change(|kept| {
            token.expose().clone_into(&mut kept.token);
            name.clone_into(&mut kept.name);
        })
    }

    pub fn save_seat(&self, game: &str) -> Result<(), ConfigError> {
        if read(&self.path).seats.iter().any(|seat| seat == game) {
            return Ok(());
        }
        self.change(|kept| {
            kept.seats.push(game.to_owned());
            let excess = kept.seats.len().saturating_sub(SEATS_MAX);
            kept.seats.drain(..excess);
        })
    }

    fn change(&self, change: impl FnOnce(&mut Kept)) -> Result<(), ConfigError> {
        let mut kept = read(&self.path);
        change(&mut kept);
        write_json(&self.path, &kept)
    }
}

/// Reads a credential file. A damaged file counts as empty: the credential is lost, but the
/// client works.
fn read(path: &Path) -> Kept {
    fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

/// True if this is the name of a file with an account's credential.
pub fn is_account_file(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(ACCOUNT_FILE))
}

/// Returns the path of an account's credential. Names that differ only in case share a path.
fn account_path(folder: &Path, name: &str) -> PathBuf {
    let name: String = name.chars().filter(|letter| is_plain_letter(*letter)).take(40).collect();
    folder.join(format!("{ACCOUNT_FILE}{}.json", name.to_ascii_lowercase()))
}

/// Returns the account with this name. Without a name, returns the account that logged in most
/// recently, or else any account.
fn account(folder: &Path, name: Option<&str>) -> Option<Credential> {
    let known = |path| Some(Credential::shared(path)).filter(Credential::is_account);
    match name {
        Some(name) => known(account_path(folder, name)),
        None => {
            let latest = fs::read_to_string(folder.join(LATEST_ACCOUNT)).unwrap_or_default();
            known(account_path(folder, &latest)).or_else(|| files(folder).into_iter().find_map(known))
        }
    }
}

fn slot_path(folder: &Path, name: Option<&str>, slot: usize) -> PathBuf {
    let plain = |letter| if is_plain_letter(letter) { letter } else { '_' };
    let name: String = name.unwrap_or("guest").chars().map(plain).take(40).collect();
    let kind = if name == "guest" { "default" } else { "named" };
    let number = if slot == 1 { String::new() } else { format!("-{slot}") };
    folder.join(format!("{kind}-{name}{number}.json"))
}

/// Returns the paths of credentials with a seat in the game. If `name` is given, only those with
/// that name.
fn seats(folder: &Path, name: Option<&str>, game: &str) -> Vec<PathBuf> {
    let mut seats = files(folder);
    if let Some(named) = name {
        seats.retain(|path| {
            *path == account_path(folder, named)
                || (1..=SLOTS_MAX).any(|slot| *path == slot_path(folder, name, slot))
        });
    }
    seats.retain(|path| read(path).seats.iter().any(|seat| seat == game));
    seats
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_kept = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "json" || kind == "txt");
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_kept).collect();
    paths.sort();
    paths
}

fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

fn create_private_dir(path: &Path) -> Result<(), ConfigError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(at(path))
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), ConfigError> {
    let text = serde_json::to_vec_pretty(value).map_err(io::Error::from).map_err(at(path))?;
    write_private(path, &text)
}

/// Atomically writes a file that only its owner may read, by writing a new file and renaming it.
/// The folder is created if it does not exist.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), ConfigError> {
    if let Some(folder) = path.parent() {
        create_private_dir(folder)?;
    }
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    let write = || -> io::Result<()> {
        let mut file = open_private(&beside, OpenOptions::new().write(true).create(true).truncate(true))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|error| {
        // The partial file is useless. If it cannot be removed, it does no harm.
        drop(fs::remove_file(&beside));
        at(path)(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Address {
        Address::parse("127.0.0.1:7171").expect("an address")
    }

    #[test]
    fn a_credential_is_there_on_the_next_run_and_only_its_owner_may_read_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        let credential = config.credential(&server(), None, None).expect("a credential");
        assert_eq!(credential.token(), None);
        credential.save_token(&Secret::new("t0ken"), "ann").expect("written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(credential.path()).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(credential);
        let credential = config.credential(&server(), None, None).expect("a credential");
        assert_eq!(credential.token(), Some(Secret::new("t0ken")));
    }

    #[test]
    fn a_second_client_is_another_guest_and_a_game_finds_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        let first = config.credential(&server(), None, None).expect("a credential");
        let second = config.credential(&server(), None, None).expect("a credential");
        let named = config.credential(&server(), Some("bob"), None).expect("a credential");
        assert_ne!(first.path(), second.path());
        assert_ne!(first.path(), named.path());
        second.save_seat("0123456789ab").expect("written");
        second.save_seat("0123456789ab").expect("written");
        let path = second.path().to_owned();
        drop(second);
        let again = config.credential(&server(), None, Some("0123456789ab")).expect("a credential");
        assert_eq!(again.path(), path);
        let shared = config.shared_credential(&server(), None, Some("0123456789ab"));
        assert_eq!(shared.path(), path);
    }

    #[test]
    fn of_two_guests_in_one_game_the_one_that_is_free_or_named_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        let credential =
            |name| config.credential(&server(), name, Some("0123456789ab")).expect("a credential");
        let (first, second) = (credential(Some("ann")), credential(Some("bob")));
        first.save_seat("0123456789ab").expect("written");
        second.save_seat("0123456789ab").expect("written");
        let path = second.path().to_owned();
        drop(second);
        assert_eq!(credential(None).path(), path);
        drop(first);
        assert_eq!(credential(Some("bob")).path(), path);
        let shared = config.shared_credential(&server(), Some("bob"), Some("0123456789ab"));
        assert_eq!(shared.path(), path);
        assert!(credential(Some("cat")).path().ends_with("named-cat.json"));
    }

    #[test]
    fn a_spectators_credential_is_saved() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().join("below")));
        let looking = config.shared_credential(&server(), None, None);
        looking.save_token(&Secret::new("t0ken"), "ann").expect("written");
        let playing = config.credential(&server(), None, None).expect("a credential");
        assert_eq!(playing.token(), Some(Secret::new("t0ken")));
    }

    #[test]
    fn an_account_is_used_by_all_clients_until_it_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        let keep = |name: &str| config.keep_account(&server(), &Secret::new(name), name).expect("written");
        let token = |name| config.credential(&server(), name, None).expect("a credential").token();
        let guest = config.credential(&server(), None, None).expect("a credential");
        guest.save_token(&Secret::new("guest"), "ann").expect("written");
        keep("Ann");
        keep("Robot");
        assert_eq!(token(None), Some(Secret::new("Robot")));
        assert_eq!(token(Some("aNN")), Some(Secret::new("Ann")));
        assert_eq!(token(Some("bob")), None);
        let one = config.credential(&server(), None, None).expect("a credential");
        let two = config.credential(&server(), None, None).expect("a credential");
        assert!(one.is_account() && one.path() == two.path() && one.name() == "Robot");
        one.forget().expect("deleted");
        assert_eq!(token(None), Some(Secret::new("Ann")));
        config.account_credential(&server(), "ann").expect("an account").forget().expect("deleted");
        drop(guest);
        let guest = config.credential(&server(), None, None).expect("a credential");
        assert!(!guest.is_account() && guest.token() == Some(Secret::new("guest")));
    }

    #[test]
    fn a_forgotten_guest_with_seats_is_kept_aside_and_found_by_its_game() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        let credential = config.credential(&server(), None, None).expect("a credential");
        credential.save_token(&Secret::new("old"), "ann").expect("written");
        credential.save_seat("0123456789ab").expect("written");
        credential.set_aside().expect("moved");
        assert_eq!(credential.token(), None);
        credential.save_token(&Secret::new("new"), "bob").expect("written");
        credential.set_aside().expect("deleted");
        assert_eq!(credential.token(), None);
        credential.save_token(&Secret::new("newer"), "cy").expect("written");
        drop(credential);
        let token = |game| config.credential(&server(), None, game).expect("a credential").token();
        assert_eq!(token(None), Some(Secret::new("newer")));
        assert_eq!(token(Some("0123456789ab")), Some(Secret::new("old")));
    }

    #[test]
    fn commitments_are_there_on_the_next_run_and_each_server_has_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        let game: GameId = "0123456789ab".parse().expect("an id");
        let red = Some(flagfall_protocol::Commitment([3; 32]));
        let commitments = flagfall_board::PerSide::new(red, None);
        let shown = Shown { epoch: 1, commitments, late: false };
        config.keep_commitments(&server(), game, &shown).expect("written");
        assert_eq!(config.commitments(&server()).get(&game), Some(&shown));
        let other = Address::parse("127.0.0.1:7172").expect("an address");
        assert!(config.commitments(&other).is_empty());
    }

    #[test]
    fn a_damaged_file_is_no_credential() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        let credential = config.credential(&server(), None, None).expect("a credential");
        fs::write(credential.path(), b"{\"token\": \"half").expect("written");
        assert_eq!(credential.token(), None);
    }

    #[test]
    fn deployments_are_saved_listed_and_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        config.save_setup("barrage", "corner", "..F").expect("written");
        assert_eq!(config.setups()["barrage"]["corner"], "..F");
        config.delete_setup("barrage", "corner").expect("deleted");
        assert!(config.setups().is_empty());
        assert!(config.delete_setup("barrage", "corner").is_err());
        for name in ["", "a/b", "..", "random", "ä", &"x".repeat(31)] {
            assert!(!flagfall_protocol::SavedDeployment::is_name(name), "{name:?} is no name of a file");
        }
    }
}
