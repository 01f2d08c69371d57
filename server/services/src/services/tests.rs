use std::sync::Arc;

use flagfall_base::jobs::{Claimed, JobError};
use flagfall_base::keys::TURN_DUE;
use flagfall_base::transact::write;
use flagfall_board::{GameId, PerSide, Stamp};
use flagfall_game::{NewCommand, NewGame};
use flagfall_protocol::{GameCommand, Player, PlayerKind, Terms, Time};
use flagfall_store::{Key, Store, SystemClock, Write};
use flagfall_store_testing::{ManualClock, TestStore, WriteFault};

use crate::services::Services;
use crate::settings::Settings;

#[tokio::test]
async fn everything_goes_or_the_job_stays() {
    let store = TestStore::new(Arc::new(ManualClock::new(Stamp(1_000))));
    let services = Services::assemble(Settings::default(), Arc::new(store.clone()), None).await.unwrap();
    let player = Player { id: "ann".to_owned(), name: "Ann".to_owned(), kind: PlayerKind::Account };
    let key = |text: &str| Key::new(text.to_owned()).unwrap();
    let put = |text: &str, value: &[u8]| Write::Put { key: key(text), value: value.into(), expires: None };
    let theirs = [
        "deployments/ann/classic/one",
        "preferences/ann",
        "rating_history/ann/classic/blitz/1",
        "played/ann/all/1",
        "notices/ann/1",
        "dead_jobs/notices/ann/2",
        "challenges_of/ann/abcdefghij",
        "pool/ann",
    ];
    let blocks: Vec<String> = (0..600).map(|number| format!("blocks/ann/{number}")).collect();
    let all: Vec<&str> = theirs.into_iter().chain(blocks.iter().map(String::as_str)).collect();
    for keys in all.chunks(32) {
        write(&store, keys.iter().map(|text| put(text, b"")).collect()).await.unwrap();
    }
    let leaving = put("leaving/ann", &serde_json::to_vec(&player).unwrap());
    write(&store, vec![leaving, put("blocks/bob/ann", b"")]).await.unwrap();
    // The outcome of the first deletion is unknown.
    store.fail_next(WriteFault::UnknownBeforeWriting);
    assert!(services.erasure.erase_now("ann").await.is_err());
    assert_eq!(left_of(&store, &all).await, ["pool/ann"], "other parts go on");
    assert!(store.get(key("leaving/ann")).await.unwrap().is_some());
    services.erasure.erase_now("ann").await.unwrap();
    assert_eq!(left_of(&store, &all).await, Vec::<&str>::new());
    assert!(store.get(key("leaving/ann")).await.unwrap().is_none());
    assert!(store.get(key("blocks/bob/ann")).await.unwrap().is_some());
}

async fn left_of<'key>(store: &TestStore, keys: &[&'key str]) -> Vec<&'key str> {
    let mut left = Vec::new();
    for text in keys {
        if store.get(Key::new((*text).to_owned()).unwrap()).await.unwrap().is_some() {
            left.push(*text);
        }
    }
    left
}

#[tokio::test]
async fn the_job_of_a_game_that_cannot_be_read_is_left_for_an_operator() {
    let store: Arc<dyn Store> = Arc::new(TestStore::new(SystemClock));
    let services = Services::assemble(Settings::default(), store.clone(), None).await.unwrap();
    let due = TURN_DUE.key([&GameId::from_random([7; 12])]).unwrap();
    write(&*store, vec![Write::Put { key: due.clone(), value: Vec::new(), expires: None }]).await.unwrap();
    let job = Claimed::now(&store, due.clone()).await.unwrap().unwrap();
    assert!(matches!(services.turns.do_job(&job).await, Err(JobError::Damaged(_))));
    assert!(store.get(due).await.unwrap().is_some());
}

#[tokio::test]
async fn a_server_that_has_not_read_a_move_leaves_the_job_of_the_turn() {
    let store: Arc<dyn Store> = Arc::new(TestStore::new(SystemClock));
    let assemble = || Services::assemble(Settings::default(), store.clone(), None);
    let (here, other) = (assemble().await.unwrap(), assemble().await.unwrap());
    let player = |id: &str| Player { id: id.to_owned(), name: id.to_owned(), kind: PlayerKind::Account };
    let (id, ruleset, time) =
        (GameId::from_random([7; 12]), "pbm".to_owned(), Time::Correspondence { days: 3 });
    let terms = Terms { ruleset, time, private: false, secret: false, rated: false };
    let players = PerSide::new(player("ann"), player("bob"));
    let new = NewGame { id, terms, players, secret: PerSide::default(), previous: None };
    here.tables.create(new).await.unwrap();
    let command = GameCommand::Deploy { setup: "939492493956691S9575574BB7668B88BF7B88B9".to_owned() };
    let deploy = NewCommand { player: "ann".to_owned(), cmd_id: "1".parse().unwrap(), ply: 0, command };
    assert!(other.tables.command(id, deploy).await.is_ok());
    let due = TURN_DUE.key([&id]).unwrap();
    let job = Claimed::now(&store, due.clone()).await.unwrap().unwrap();
    assert!(matches!(here.turns.do_job(&job).await, Err(JobError::Later(_))));
    assert!(store.get(due.clone()).await.unwrap().is_some());
    other.turns.do_job(&job).await.unwrap();
    assert!(store.get(due).await.unwrap().is_none());
}
