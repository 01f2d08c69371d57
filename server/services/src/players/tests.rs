//! Guests and accounts, on a memory store.

use std::net::IpAddr;

use flagfall_store_testing::TestStore;

use super::*;
use flagfall_base::jobs::JobWriter;

fn players(store: &Arc<TestStore>) -> Players {
    Players::new(store.clone(), Connections::new(), &Settings::default())
}

fn store() -> Arc<TestStore> {
    Arc::new(TestStore::new(SystemClock))
}

/// Returns the number of records in the store, not counting the key of guest tokens.
async fn records(store: &TestStore) -> usize {
    let mut count = 0;
    for prefix in ["players/", "names/", "tokens/", "new_guests/", "gone/", "leaving/", "revoked/"] {
        count += store.scan(flagfall_store::Key::new(prefix).unwrap(), None, 100).await.unwrap().len();
    }
    count
}

/// Stores a guest, as a guest's first action does.
async fn store_guest(players: &Players, store: &TestStore, guest: &Principal) -> Player {
    let Standing { player, conditions, writes, .. } = players.standing(guest).await.unwrap();
    assert_eq!(store.update(Update { conditions, writes }).await, Ok(UpdateOutcome::Ok));
    player
}

#[tokio::test]
async fn a_guest_comes_back_with_their_token_even_to_another_server_and_nothing_is_stored() {
    let store = store();
    let guest = players(&store).register(Some("Ana")).await.unwrap();
    assert_eq!(guest.identity.player.name, "Ana");
    let again = players(&store).authenticate(&guest.token.expose()).await.unwrap();
    assert_eq!(again, guest.identity);
    assert_eq!(records(&store).await, 0);
}

#[tokio::test]
async fn a_stored_guest_is_known_as_version_0_1_knows_them() {
    let store = store();
    let players = players(&store);
    let guest = players.register(Some("Ana")).await.unwrap();
    store_guest(&players, &store, &guest.identity).await;
    assert_eq!(records(&store).await, 4, "the player, the name, the token, and that they are new");
    let by_hash = players.look_up_stored(&guest.token).await.unwrap();
    assert_eq!(by_hash.player, guest.identity.player);
    assert_eq!(players.authenticate(&guest.token.expose()).await.unwrap(), guest.identity);
    let standing = players.standing(&guest.identity).await.unwrap();
    assert!(!standing.is_new && standing.writes.is_empty());
}

#[tokio::test]
async fn a_taken_claimed_or_reserved_name_gets_a_number() {
    let store = store();
    let here = players(&store);
    let first = here.register(Some("Ana")).await.unwrap().identity;
    for wanted in ["ANA", "Admin", "random"] {
        let other = here.register(Some(wanted)).await.unwrap();
        let name = &other.identity.player.name;
        assert!(name.starts_with(&format!("{wanted}-")), "{name}");
        assert_ne!(other.identity.player.id, first.player.id);
        assert_eq!(here.authenticate(&other.token.expose()).await.unwrap(), other.identity);
    }
    // Another server does not know the name until the guest is stored.
    let there = players(&store);
    let second = there.register(Some("ana")).await.unwrap().identity;
    assert_eq!(second.player.name, "ana");
    assert_eq!(store_guest(&there, &store, &second).await.name, "ana");
    let renamed = store_guest(&here, &store, &first).await;
    assert!(renamed.name.starts_with("Ana-"), "{}", renamed.name);
    assert!(there.register(Some("ana")).await.unwrap().identity.player.name.starts_with("ana-"));
}

#[tokio::test]
async fn without_a_name_one_is_found() {
    let guest = players(&store()).register(None).await.unwrap().identity.player;
    assert_eq!(guest.name, format!("guest-{}", &guest.id[..8]));
}

#[tokio::test]
async fn of_two_acts_at_once_one_stores_the_guest() {
    let store = store();
    let players = players(&store);
    let guest = players.register(None).await.unwrap().identity;
    let first = players.standing(&guest).await.unwrap();
    let second = players.standing(&guest).await.unwrap();
    for (standing, outcome) in [(first, UpdateOutcome::Ok), (second.clone(), UpdateOutcome::Conflict)] {
        let update = Update { conditions: standing.conditions, writes: standing.writes };
        assert_eq!(store.update(update).await, Ok(outcome));
    }
    assert!(second.is_outdated(&*store).await.unwrap());
    assert!(!players.standing(&guest).await.unwrap().is_outdated(&*store).await.unwrap());
}

#[tokio::test]
async fn an_expired_token_is_good_only_for_a_guest_who_is_stored() {
    let store = store();
    let settings = Settings::default();
    let brief = Settings {
        times: crate::settings::Times { guest: Duration::ZERO, ..settings.times.clone() },
        ..settings
    };
    let players = Players::new(store.clone(), Connections::new(), &brief);
    let guest = players.register(None).await.unwrap();
    let token = guest.token.expose();
    assert_eq!(players.authenticate(&token).await, Err(PlayerError::UnknownToken));
    let lasting = self::players(&store);
    store_guest(&lasting, &store, &guest.identity).await;
    assert_eq!(lasting.authenticate(&token).await.unwrap(), guest.identity);
}

const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

async fn sign_up(players: &Players, guest: Option<&Principal>, name: &str) -> flagfall_protocol::SignedUp {
    let password = flagfall_protocol::Secret::new("correct horse battery");
    players.sign_up(HOME, guest, name, &password, PlayerKind::Account).await.unwrap()
}

#[tokio::test]
async fn a_guest_who_signs_up_keeps_id_and_token_stored_before_or_not() {
    for is_stored in [false, true] {
        let store = store();
        let players = players(&store);
        let guest = players.register(Some("ana")).await.unwrap();
        if is_stored {
            store_guest(&players, &store, &guest.identity).await;
        }
        let made = sign_up(&players, Some(&guest.identity), "ana").await;
        assert_eq!(made.player.id, guest.identity.player.id);
        let known = players.authenticate(&guest.token.expose()).await.unwrap();
        assert_eq!((known.player, known.pass), (made.player, None));
    }
}

#[tokio::test]
async fn a_revoked_token_of_an_account_that_was_a_guest_is_dead_and_stays_dead_after_its_deletion() {
    let store = store();
    let players = players(&store);
    let guest = players.register(None).await.unwrap();
    sign_up(&players, Some(&guest.identity), "ana").await;
    let password = flagfall_protocol::Secret::new("correct horse battery");
    let other = players.log_in(HOME, None, "ana", &password, None).await.unwrap();
    let other = players.authenticate(other.token.expose()).await.unwrap();
    players.revoke_token(&other, &guest.identity.token_id).await.unwrap();
    let token = guest.token.expose();
    assert_eq!(players.authenticate(&token).await, Err(PlayerError::UnknownToken));
    players.delete(&other, &password, &JobWriter::default()).await.unwrap();
    assert_eq!(players.authenticate(&token).await, Err(PlayerError::UnknownToken));
    assert_eq!(players.standing(&guest.identity).await.unwrap_err(), PlayerError::UnknownToken);
}

#[tokio::test]
async fn a_closed_guest_cannot_return_as_an_unstored_guest() {
    let store = store();
    let players = players(&store);
    let guest = players.register(Some("ana")).await.unwrap();
    store_guest(&players, &store, &guest.identity).await;
    let note = |_: &Player| {
        let key = flagfall_store::Key::new("operator_log/1").unwrap();
        Ok(flagfall_store::Write::Put { key, value: Vec::new(), expires: None })
    };
    set_closed(&*store, "ana", true, note).await.unwrap();
    let (record, _) = players.read(&guest.identity.player.id).await.unwrap().unwrap();
    assert_eq!(record.expires, None, "the record outlives the token");
    assert_eq!(players.authenticate(&guest.token.expose()).await, Err(PlayerError::Closed));
    assert_eq!(players.standing(&guest.identity).await.unwrap_err(), PlayerError::Closed);
}

#[tokio::test(start_paused = true)]
async fn ten_wrong_passwords_of_a_stranger_keep_the_owner_from_nothing() {
    let players = players(&store());
    let made = sign_up(&players, None, "ana").await;
    let [right, wrong] = ["correct horse battery", "guess"].map(flagfall_protocol::Secret::new);
    let stranger: IpAddr = [198, 51, 100, 7].into();
    for _ in 0..10 {
        let refused = players.log_in(stranger, None, "ana", &wrong, None).await.unwrap_err();
        assert_eq!(refused, PlayerError::WrongPassword);
    }
    let refused = players.log_in(stranger, None, "ana", &right, None).await.unwrap_err();
    assert!(refused.to_string().starts_with("too_many_attempts ("), "{refused}");
    players.log_in([203, 0, 113, 9].into(), None, "ana", &right, None).await.unwrap();
    players.log_in(HOME, None, "ana", &right, None).await.unwrap();
    // Even from the stranger's network, the owner can log in with a device that was signed in
    // before. The device's token may have been revoked.
    let token = made.token.unwrap();
    let identity = players.authenticate(token.expose()).await.unwrap();
    players.revoke_token(&identity, &identity.token_id).await.unwrap();
    players.log_in(stranger, Some(token.expose()), "ana", &right, None).await.unwrap();
    let other = Some(&*"0".repeat(64));
    assert!(players.log_in(stranger, other, "ana", &right, None).await.is_err());
    // The recovery code works from any network.
    let new = flagfall_protocol::Secret::new("quite another one");
    players.recover(stranger, "ana", &made.recovery_code, &new, None).await.unwrap();
    tokio::time::advance(Duration::from_secs(15 * 60)).await;
    players.log_in(stranger, None, "ana", &new, None).await.unwrap();
}

#[tokio::test]
async fn unknown_tokens_and_bad_names_are_refused() {
    let store = Arc::new(TestStore::new(SystemClock));
    let players = players(&store);
    for token in ["", "nonsense", &"0".repeat(64)] {
        assert_eq!(players.authenticate(token).await, Err(PlayerError::UnknownToken));
    }
    let refused = players.register(Some("a b")).await.unwrap_err();
    assert_eq!(refused.to_string(), "bad_name (reason=characters)");
}

#[tokio::test]
async fn new_guests_are_limited() {
    let store = Arc::new(TestStore::new(SystemClock));
    let mut settings = Settings::default();
    settings.limits.guests_per_minute = 2;
    let players = Players::new(store.clone(), Connections::new(), &settings);
    players.register(None).await.unwrap();
    players.register(None).await.unwrap();
    let refused = players.register(None).await.unwrap_err();
    assert_eq!(refused.to_string(), "too_many (reason=new_guests)");
}

#[test]
fn house_players_are_known_by_level() {
    assert_eq!(house_player("random").unwrap().kind, PlayerKind::House);
    assert_eq!(house_player("brilliant"), None);
}

/// Measures the cost of a guest who only says hello, and the cost of storing a guest. Version 0.1
/// stored each guest immediately. Run `cargo test -p flagfall-services --lib
/// bytes_stored_per_guest -- --nocapture`, with `FLAGFALL_GUESTS=20000` for more guests.
#[test]
fn bytes_stored_per_guest() {
    let count = std::env::var("FLAGFALL_GUESTS").ok().and_then(|text| text.parse().ok()).unwrap_or(500_u32);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let disk = || -> u64 {
        let files = walk(folder.path());
        files.iter().map(|file| std::os::unix::fs::MetadataExt::blocks(&file.metadata().unwrap()) * 512).sum()
    };
    let options = flagfall_store::EmbeddedOptions::default();
    let embedded = flagfall_store::EmbeddedStore::open(folder.path(), SystemClock, &options).unwrap();
    let store = store();
    let mut settings = Settings::default();
    settings.limits.guests_per_minute = u32::MAX;
    let players = Players::new(store.clone(), Connections::new(), &settings);
    runtime.block_on(players.register(None)).unwrap();
    let mut guests: Vec<Principal> = Vec::with_capacity(usize::try_from(count).unwrap());
    let registered = allocation_counter::measure(|| {
        for _ in 0..count {
            guests.push(runtime.block_on(players.register(None)).unwrap().identity);
        }
    });
    // Do not count the memory of the copies that the test makes.
    let mut copies: Vec<Principal> = Vec::with_capacity(guests.len());
    let copy = |guest: &Principal| {
        let pass = guest.pass.as_deref().cloned().map(Arc::new);
        Principal { pass, ..guest.clone() }
    };
    let own = allocation_counter::measure(|| copies.extend(guests.iter().map(copy)));
    let unstored = (registered.bytes_current - own.bytes_current) / i64::from(count);
    assert_eq!(runtime.block_on(records(&store)), 0);
    assert!(unstored < 16, "{unstored} bytes of memory for each guest who did nothing");
    let disk_before = disk();
    let stored = allocation_counter::measure(|| {
        for guest in &guests {
            runtime.block_on(store_guest(&players, &store, guest));
        }
    });
    let stored = stored.bytes_current / i64::from(count);
    // Store all guests at the same time, because the store commits waiting updates together.
    let storing = guests.iter().map(async |guest| {
        let stay = settings.times.guest;
        let standing = standing(&embedded, &guest.player, guest.pass.as_deref(), stay).await.unwrap();
        let update = Update { conditions: standing.conditions, writes: standing.writes };
        embedded.update(update).await.unwrap();
    });
    runtime.block_on(futures_util::future::join_all(storing));
    let on_disk = (disk() - disk_before) / u64::from(count);
    println!("a guest who did nothing: {unstored} bytes of memory, 0 of disk");
    println!("a stored guest: {stored} bytes of a store in memory, {on_disk} of an embedded store's disk");
}

/// Returns all files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}
