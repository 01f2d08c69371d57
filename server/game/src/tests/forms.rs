//! The two forms of log entries: mixed in one log, in exports, and while servers are upgraded one
//! by one.

use std::collections::BTreeSet;
use std::sync::Arc;

use flagfall_base::cluster::MemberInfo;
use flagfall_board::{Chance, GameId, Side};
use flagfall_protocol::{Code, GameCommand, Phase, ServerToClient, Time};
use flagfall_rules::Viewer;
use flagfall_store::record::Form;
use flagfall_store::{
    Append, AppendOutcome, EmbeddedOptions, EmbeddedStore, Head, SecretBytes, Store as _, StoredEntry,
    SystemClock, Transfer as _,
};
use flagfall_store_testing::{ManualClock, TestStore, import};
use flagfall_transfer::export;
use tempfile::TempDir;

use super::harness::{
    Client, DAYS, Hand, START, TestServer, command, deploy_both, header, load, new_game, open, run_tasks,
};
use crate::record::record;
use crate::replay::replay;
use crate::search::read_all;
use crate::{InForm, NewCommand, TableError};

fn forms(stored: &[StoredEntry]) -> Vec<Option<Form>> {
    stored.iter().map(|entry| Form::of(&entry.body)).collect()
}

#[test]
fn a_game_whose_server_changes_form_has_both_in_its_log() {
    for ruleset in ["classic", "quantum", "shadowflash-3"] {
        let (mut hand, mut ana, mut bo) = Hand::playing(&header(ruleset));
        let mut twin = hand.twin();
        let known = hand.log().len();
        for (seed, form) in (0..).zip([Form::Binary, Form::Json, Form::Binary]) {
            hand.table.write_form = form;
            hand.play(&mut ana, &mut bo, 4, &mut Chance::new(seed));
        }
        let both = [Form::Json, Form::Binary].map(Some).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(forms(&hand.log()).into_iter().skip(known).collect::<BTreeSet<_>>(), both);
        twin.table.catch_up(&hand.log()[known..]).unwrap();
        let reloaded = load(&hand.store, hand.id);
        for other in [&twin.table, &reloaded] {
            assert!(other.game == hand.table.game && other.head == hand.table.head, "{ruleset}");
        }
    }
}

fn embedded(folder: &TempDir) -> EmbeddedStore {
    EmbeddedStore::open(folder.path(), SystemClock, &EmbeddedOptions::default()).unwrap()
}

/// Returns a store that is in a folder and contains this log.
async fn embedded_with(folder: &TempDir, game: GameId, stored: Vec<StoredEntry>) -> EmbeddedStore {
    let store = embedded(folder);
    let taken = store.take_over(game, Head::START, stored).await;
    assert!(matches!(taken, Ok(AppendOutcome::Ok { .. })));
    store
}

#[tokio::test]
async fn an_export_in_one_form_has_the_same_games() {
    let (mut hand, mut ana, mut bo) = Hand::playing(&header("classic"));
    for form in [Form::Json, Form::Binary] {
        hand.table.write_form = form;
        hand.play(&mut ana, &mut bo, 5, &mut Chance::new(1));
    }
    let folder = TempDir::new().unwrap();
    let store = embedded_with(&folder, hand.id, hand.log()).await;
    for form in [Form::Json, Form::Binary] {
        let mut exported = Vec::new();
        let mut in_form = InForm::new(form);
        let examined = export(
            &store,
            &mut exported,
            Some(&mut |game, entry| in_form.rewrite(game, entry)),
            None,
            |_| {},
        )
        .await
        .unwrap();
        assert!(examined.damaged.is_empty());
        let folder = TempDir::new().unwrap();
        let other = embedded(&folder);
        import(&other, &exported).await.unwrap();
        let stored = read_all(&other, hand.id, 0).await.unwrap();
        assert!(forms(&stored).into_iter().skip(1).all(|found| found == Some(form)));
        let (_, game, _) = replay(hand.id, &stored, |_, _| {}).unwrap();
        assert!(game == hand.table.game);
    }
}

/// Appends an entry in a newer form that this version cannot read.
async fn append_newer(store: &TestStore, game: GameId) {
    let append = Append {
        game,
        expected: store.head(game).await.unwrap(),
        deadline: None,
        not_before: None,
        bodies: vec![SecretBytes::new(vec![3, 1, 2])],
        writes: Vec::new(),
    };
    assert!(matches!(store.append(append).await, Ok(AppendOutcome::Ok { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_game_in_a_newer_form_is_refused_and_others_go_on() {
    let server = TestServer::new().await;
    let games = [server.game(1).await.id(), server.game(2).await.id()];
    append_newer(&server.store, games[0]).await;
    let server = server.restart().await;
    assert_eq!(server.tables.find(games[0]).await.err(), Some(TableError::TooNew));
    let finished = server.tables.finished(games[0]).await;
    assert_eq!(finished.err(), Some(TableError::TooNew));
    assert_eq!(server.store.quarantined().await, Ok(Vec::new()));
    let other = server.tables.find(games[1]).await.unwrap();
    deploy_both(&other).await;
    assert_eq!(other.facts.phase(), Phase::Playing);
}

#[tokio::test(start_paused = true)]
async fn a_game_that_a_newer_server_continues_is_too_new_here_and_not_damaged() {
    let (one, _) = TestServer::pair().await;
    let table = one.game(1).await;
    deploy_both(&table).await;
    let mut ana = Client::new("ana");
    open(&table, &ana).await;
    run_tasks().await;
    ana.read();
    append_newer(&one.store, table.id()).await;
    command(&table, &ana, "late", GameCommand::Resign {}).await;
    run_tasks().await;
    let told = ana.read();
    let codes = told.iter().filter_map(|message| match message {
        ServerToClient::Refused { code, .. } => Some(("refused", code.as_str())),
        ServerToClient::GameUnavailable { code, .. } => Some(("unavailable", code.as_ref()?.as_str())),
        _ => None,
    });
    let codes: Vec<_> = codes.collect();
    assert_eq!(codes, [("refused", Code::SERVER_TOO_OLD), ("unavailable", Code::SERVER_TOO_OLD)], "{told:?}");
    assert_eq!(one.store.quarantined().await, Ok(Vec::new()));
}

#[tokio::test]
async fn an_export_names_a_game_in_a_newer_form_and_keeps_what_is_before() {
    let (hand, ..) = Hand::playing(&header("classic"));
    let entries = hand.log().len() as u64;
    append_newer(&hand.store, hand.id).await;
    let folder = TempDir::new().unwrap();
    let store = embedded_with(&folder, hand.id, hand.log()).await;
    let mut exported = Vec::new();
    let mut in_form = InForm::new(Form::Json);
    let examined =
        export(&store, &mut exported, Some(&mut |game, entry| in_form.rewrite(game, entry)), None, |_| {})
            .await
            .unwrap();
    assert_eq!(examined.tally.entries, entries);
    let [(game, reason)] = examined.damaged.as_slice() else { panic!("one game is damaged") };
    assert!(*game == hand.id && reason.contains("form 3"), "{reason}");
}

/// A server on a shared store. A server of version 0.1 writes form 1, and does not say which
/// forms it can read.
struct Member {
    server: TestServer,
    is_old: bool,
}

impl Member {
    async fn start(store: &TestStore, clock: &Arc<ManualClock>, is_old: bool) -> Member {
        let set = |settings: &mut crate::TableSettings| {
            settings.write_form = is_old.then_some(Form::Json);
        };
        Member { server: TestServer::with(store.clone(), clock.clone(), set).await, is_old }
    }

    async fn meet(&self) {
        let reads_form = (!self.is_old).then_some(Form::NEWEST.number());
        self.server.tables.peers().meet(&MemberInfo { reads_form, ..MemberInfo::default() }).await.unwrap();
    }

    async fn stop(self) {
        let is_last = self.server.tables.peers().leave().await;
        self.server.tables.stop(is_last).await;
    }

    /// Makes a move in the game on this server.
    async fn play(&self, game: GameId, chance: &mut Chance) {
        let hand = Hand::on(self.server.store.clone(), self.server.clock.clone(), game);
        let ply = hand.table.game.ply();
        let player = if hand.table.game.turn() == Some(Side::Red) { "ana" } else { "bo" };
        let command = NewCommand {
            player: player.to_owned(),
            cmd_id: format!("m-{ply}").parse().unwrap(),
            ply,
            command: hand.any_move(chance).unwrap(),
        };
        self.server.tables.command(game, command).await.unwrap();
        assert_eq!(load(&self.server.store, game).game.ply(), ply + 1);
    }
}

/// Lets one second pass: all servers renew their records, and then one ply is played in every game.
/// Every second, a game is played on a different server.
async fn second(members: &[Member], games: &[GameId], number: usize, chance: &mut Chance) {
    members[0].server.advance(1_000).await;
    for member in members {
        member.meet().await;
    }
    for (at, game) in games.iter().enumerate() {
        members[(at + number) % members.len()].play(*game, chance).await;
    }
}

#[tokio::test(start_paused = true)]
async fn three_servers_are_upgraded_one_by_one_and_no_game_stands_still() {
    let clock = Arc::new(ManualClock::new(START));
    let store = TestStore::announcing(clock.clone());
    let mut members = Vec::new();
    for _ in 0..3 {
        members.push(Member::start(&store, &clock, true).await);
    }
    let mut games = Vec::new();
    for (number, member) in (1..).zip(&members[..2]) {
        games.push(member.server.playing(number, Time::Unlimited {}).await);
    }
    let mut chance = Chance::new(5);
    for upgraded in 0..=3 {
        for number in 0..12 {
            second(&members, &games, number, &mut chance).await;
            let is_time = upgraded == 3 && number >= 9;
            for game in &games {
                let stored = read_all(&store, *game, 0).await.unwrap();
                let has_binary = forms(&stored).contains(&Some(Form::Binary));
                assert_eq!(has_binary, is_time, "{upgraded} servers after {number} seconds");
            }
        }
        if upgraded < 3 {
            members.remove(0).stop().await;
            members.push(Member::start(&store, &clock, false).await);
        }
    }
    // If a server of the old version joins later, it can read the games that begin after it has
    // joined.
    members.push(Member::start(&store, &clock, true).await);
    members[3].meet().await;
    second(&members[..3], &games, 0, &mut chance).await;
    let game = members[0].server.playing(9, Time::Unlimited {}).await;
    assert!(forms(&read_all(&store, game, 0).await.unwrap()).iter().all(|form| *form == Some(Form::Json)));
}

#[tokio::test(start_paused = true)]
async fn games_with_choices_have_whole_turns_when_every_server_can_read_that() {
    let fischer = Time::Fischer { base_s: 60, increment_s: 5 };
    for (form, ruleset, time, is_whole) in [
        (None, "quantum", DAYS, true),
        (None, "quantum,ties=attacker", Time::Delay { base_s: 60, free_s: 5 }, true),
        (None, "quantum", fischer, false),
        (None, "classic", DAYS, false),
        (Some(Form::Json), "quantum", DAYS, false),
    ] {
        let clock = Arc::new(ManualClock::new(START));
        let set = |settings: &mut crate::TableSettings| settings.write_form = form;
        let server = TestServer::with(TestStore::new(clock.clone()), clock, set).await;
        let mut new = new_game(1, ["ana", "bo"]);
        (new.terms.ruleset, new.terms.time) = (ruleset.to_owned(), time);
        let id = server.create(new).await.id();
        let mut stored = read_all(&server.store, id, 0).await.unwrap();
        assert_eq!(record(id, &stored, Viewer::Public).unwrap().whole_turns, is_whole, "{ruleset}");
        // An export for version 0.1 does not have the mark.
        let mut in_form = InForm::new(Form::Json);
        stored[0].body = in_form.rewrite(id, &stored[0]).unwrap();
        assert_eq!(in_form.changed().lock().contains(&id), is_whole);
        assert!(!record(id, &stored, Viewer::Public).unwrap().whole_turns);
    }
}
