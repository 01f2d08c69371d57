//! Tests of meetings between servers.

use std::sync::Arc;

use flagfall_board::Stamp;
use flagfall_store_testing::{ManualClock, TestStore, WriteFault};

use super::*;

fn info(online: usize, seekers: &[&str]) -> MemberInfo {
    let seekers = seekers.iter().map(ToString::to_string).collect();
    MemberInfo { online, seekers, archive: Some(7), ..MemberInfo::of_this_version() }
}

fn of_version_0_1() -> MemberInfo {
    MemberInfo { reads_form: None, ..info(1, &[]) }
}

fn servers<const N: usize>(store: &Arc<dyn Store>, ids: [&str; N]) -> [Peers; N] {
    ids.map(|id| Peers::new(store.clone(), id.to_owned(), None))
}

#[tokio::test]
async fn servers_know_of_each_other_until_one_leaves_or_is_silent() {
    let clock = Arc::new(ManualClock::new(Stamp(1_000)));
    let store: Arc<dyn Store> = Arc::new(TestStore::announcing(clock.clone()));
    let [one, two, three] = servers(&store, ["1", "2", "3"]);
    one.meet(&info(5, &["ana"])).await.unwrap();
    two.meet(&info(7, &[])).await.unwrap();
    three.meet(&info(1, &[])).await.unwrap();
    assert_eq!((two.online(), three.online()), (5, 12));
    assert!(three.is_listed_seeker("ana") && !one.is_listed_seeker("ana"));
    assert!(!three.leave().await);
    clock.advance_ms(ALIVE_MS);
    two.meet(&info(7, &[])).await.unwrap();
    assert_eq!(two.online(), 0, "one was silent for too long");
    assert!(two.leave().await, "nobody else is there");
}

#[tokio::test]
async fn servers_whose_records_are_away_are_known_while_they_are_heard() {
    let store = TestStore::announcing(ManualClock::new(Stamp(1_000)));
    let [one, two, three] = servers(&(Arc::new(store.clone()) as Arc<dyn Store>), ["1", "2", "3"]);
    for _ in 0..=MEETINGS {
        for (online, peers) in [(1, &one), (2, &two), (4, &three)] {
            peers.meet(&info(online, &[])).await.unwrap();
        }
    }
    let hear = |peers: &Peers, servers: &[&str]| {
        let mut watch = peers.inner.as_ref().unwrap().watch.lock();
        servers.iter().for_each(|server| watch.note_heard(server, Instant::now()));
    };
    assert_eq!((one.online(), two.online(), one.write_form()), (6, 5, Form::NEWEST));
    store.take_away(&["servers/2"]);
    hear(&one, &["1", "2", "3"]);
    one.meet(&info(1, &[])).await.unwrap();
    assert_eq!(one.online(), 6);
    assert_eq!(one.write_form(), Form::Json, "there may be a server that cannot read another form");
    assert!(!one.has_former());
    assert!(one.can_archive(), "no server has lost its archive");
    hear(&one, &["4"]);
    one.meet(&info(1, &[])).await.unwrap();
    assert!(!one.can_archive(), "the fourth server may have none");
    assert!(two.meet(&info(2, &[])).await.is_err(), "its record is not renewed");
    assert_eq!(two.online(), 5, "it can still read the others'");
    // The third server hears itself, but not the second one.
    hear(&three, &["1", "3"]);
    three.meet(&info(4, &[])).await.unwrap();
    assert_eq!(three.online(), 1);
    assert!(three.can_archive());
    three.meet(&MemberInfo { archive: Some(8), ..info(4, &[]) }).await.unwrap();
    assert!(!three.can_archive(), "it has another archive");
    assert!(!three.leave().await, "there may be others");
    store.take_away(&["servers/"]);
    one.meet(&info(1, &[])).await.unwrap_err();
    assert_eq!(one.online(), 6, "the silence is not long enough");
}

#[tokio::test]
async fn a_server_alone_on_its_store_is_the_last() {
    let peers = Peers::new(Arc::new(TestStore::default()), "1".to_owned(), None);
    peers.meet(&info(5, &["ana"])).await.unwrap();
    assert!(!peers.is_shared() && peers.leave().await);
    assert_eq!(peers.write_form(), Form::NEWEST, "it waits for no other");
}

/// Returns the form before the first meeting, and the form after each of `meetings` meetings.
async fn forms(peers: &Peers, meetings: u32) -> Vec<Form> {
    let mut forms = vec![peers.write_form()];
    for _ in 0..meetings {
        peers.meet(&info(0, &[])).await.unwrap();
        forms.push(peers.write_form());
    }
    forms
}

/// Returns the expected forms: form 1 until enough meetings have been held, then the newest
/// form.
fn expected() -> Vec<Form> {
    let mut forms = vec![Form::Json; MEETINGS as usize];
    forms.push(Form::NEWEST);
    forms
}

#[tokio::test]
async fn a_new_form_is_written_once_all_servers_have_read_it_for_a_while() {
    let clock = Arc::new(ManualClock::new(Stamp(1_000)));
    let store: Arc<dyn Store> = Arc::new(TestStore::announcing(clock.clone()));
    let [new, old, other] = servers(&store, ["new", "old", "other"]);
    old.meet(&of_version_0_1()).await.unwrap();
    other.meet(&info(0, &[])).await.unwrap();
    assert!(forms(&new, 2 * MEETINGS).await.iter().all(|form| *form == Form::Json));
    assert!(!old.leave().await);
    assert_eq!(forms(&new, MEETINGS).await, expected());
    old.meet(&of_version_0_1()).await.unwrap();
    assert_eq!(forms(&new, 1).await, [Form::NEWEST, Form::Json], "an old server joins later");
    clock.advance_ms(ALIVE_MS);
    assert_eq!(forms(&new, MEETINGS).await, expected(), "and dies");
}

#[tokio::test]
async fn topics_are_enough_once_all_servers_have_followed_them_for_a_while() {
    let clock = Arc::new(ManualClock::new(Stamp(1_000)));
    let memory = TestStore::announcing(clock.clone());
    let store: Arc<dyn Store> = Arc::new(memory.clone());
    let [new, old] = servers(&store, ["new", "old"]);
    let meet = async |meetings: u32| {
        for _ in 0..meetings {
            new.meet(&info(0, &[])).await.unwrap();
        }
        new.has_former()
    };
    old.meet(&of_version_0_1()).await.unwrap();
    assert!(meet(2 * MEETINGS).await, "an old server is there");
    clock.advance_ms(ALIVE_MS);
    assert!(meet(MEETINGS - 1).await);
    assert!(!meet(1).await);
    memory.fail_next(WriteFault::Unavailable);
    assert!(new.meet(&info(0, &[])).await.is_err());
    assert!(!new.has_former(), "an outage brings no old server");
    old.meet(&of_version_0_1()).await.unwrap();
    assert!(meet(1).await, "one joins later");
}

#[tokio::test]
async fn games_are_archived_once_all_servers_have_had_the_same_archive_for_a_while() {
    let store: Arc<dyn Store> = Arc::new(TestStore::announcing(ManualClock::new(Stamp(1_000))));
    let [new, other] = servers(&store, ["new", "other"]);
    for (archive, can_archive) in [(None, false), (Some(8), false), (Some(7), true), (None, false)] {
        other.meet(&MemberInfo { archive, ..info(0, &[]) }).await.unwrap();
        let mut allowed = false;
        for _ in 0..MEETINGS {
            assert!(!allowed, "not before the last of the meetings");
            new.meet(&info(0, &[])).await.unwrap();
            allowed = new.can_archive();
        }
        assert_eq!(allowed, can_archive, "{archive:?}");
    }
    new.meet(&MemberInfo { archive: None, ..info(0, &[]) }).await.unwrap();
    assert!(!new.can_archive(), "it has none itself");
}

#[tokio::test]
async fn volumes_are_written_once_all_servers_can_read_them() {
    let store: Arc<dyn Store> = Arc::new(TestStore::announcing(ManualClock::new(Stamp(1_000))));
    let [new, other] = servers(&store, ["new", "other"]);
    for (other_info, reads_volumes) in
        [(of_version_0_1(), false), (info(0, &[]), true), (of_version_0_1(), false)]
    {
        other.meet(&other_info).await.unwrap();
        for _ in 0..MEETINGS {
            new.meet(&info(0, &[])).await.unwrap();
        }
        assert_eq!(new.can_write_volumes(), reads_volumes);
    }
    let alone = |form| Peers::new(Arc::new(TestStore::new(ManualClock::new(Stamp(1)))), String::new(), form);
    assert!(alone(None).can_write_volumes() && !alone(Some(Form::Json)).can_write_volumes());
}

#[tokio::test]
async fn records_of_unknown_servers_and_meetings_that_fail_count_as_form_1() {
    let store: Arc<dyn Store> = Arc::new(TestStore::announcing(ManualClock::new(Stamp(1_000))));
    let [new, ..] = servers(&store, ["new"]);
    let put = |value: &[u8]| {
        let (key, value) = (SERVERS.key([&"odd"]).unwrap(), value.to_vec());
        Update { conditions: Vec::new(), writes: vec![Write::Put { key, value, expires: None }] }
    };
    for (record, reads) in [
        (r#"{"online":1,"seekers":[]}"#, false),
        (r#"{"online":1,"seekers":[],"reads_form":1}"#, false),
        (r#"{"online":1,"seekers":[],"reads_form":"2"}"#, false),
        (r#"{"online":1,"seekers":[],"reads_form":900}"#, false),
        ("", false),
        (r#"{"online":1,"seekers":[],"reads_form":2}"#, true),
        (r#"{"online":1,"seekers":[],"reads_form":3,"more":1}"#, true),
    ] {
        store.update(put(record.as_bytes())).await.unwrap();
        let last = forms(&new, MEETINGS).await.pop();
        assert_eq!(last, Some(if reads { Form::NEWEST } else { Form::Json }), "{record}");
    }
}

#[tokio::test]
async fn a_failed_meeting_begins_the_count_anew() {
    let memory = TestStore::announcing(ManualClock::new(Stamp(1_000)));
    let store: Arc<dyn Store> = Arc::new(memory.clone());
    let [new, ..] = servers(&store, ["new"]);
    assert_eq!(forms(&new, MEETINGS).await, expected());
    memory.fail_next(WriteFault::Unavailable);
    assert!(new.meet(&info(0, &[])).await.is_err());
    assert_eq!(forms(&new, MEETINGS).await, expected());
}

#[tokio::test]
async fn an_operator_can_force_a_form() {
    let store: Arc<dyn Store> = Arc::new(TestStore::announcing(ManualClock::new(Stamp(1_000))));
    for form in [Form::Json, Form::Binary] {
        let peers = Peers::new(store.clone(), "1".to_owned(), Some(form));
        assert!(forms(&peers, MEETINGS).await.iter().all(|written| *written == form));
    }
}
