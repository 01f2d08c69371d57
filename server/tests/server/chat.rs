//! Tests of chat, blocks and reports. Only the two players of a game receive chat messages.

use crate::common::{Client, House, settings};
use flagfall_board::{GameId, Side};
use flagfall_protocol::{
    Accepted, ClientToServer, CommandId, GameCommand, Phrase, ReportState, Said, ServerToClient, Terms, Time,
};
use flagfall_services::operator::{Deed, Operator, OperatorError, acts, latest_reports};
use flagfall_store::SystemClock;
use flagfall_store_testing::TestStore;

fn terms() -> Terms {
    Terms {
        ruleset: "barrage".to_owned(),
        time: Time::Fischer { base_s: 600, increment_s: 5 },
        private: false,
        secret: false,
        rated: false,
    }
}

fn cmd(id: &str) -> CommandId {
    id.parse().unwrap()
}

fn text(text: &str) -> Said {
    Said::Text { text: text.to_owned() }
}

/// Returns `Ok` if the command was accepted, or the code of the refusal.
async fn answer(client: &mut Client, id: &str) -> Result<(), String> {
    let id = cmd(id);
    client
        .find(|message| match message {
            ServerToClient::Accepted { cmd_id, .. } if cmd_id == id => Some(Ok(())),
            ServerToClient::Refused { cmd_id, code, .. } if cmd_id.as_ref() == Some(&id) => {
                Some(Err(code.as_str().to_owned()))
            }
            _ => None,
        })
        .await
}

async fn say(client: &mut Client, id: &str, game: GameId, said: Said) -> Result<(), String> {
    client.tell(&ClientToServer::Say { cmd_id: cmd(id), game, said }).await;
    answer(client, id).await
}

async fn hear(client: &mut Client) -> (Side, Said) {
    client
        .find(|message| match message {
            ServerToClient::Said { side, said, .. } => Some((side, said)),
            _ => None,
        })
        .await
}

/// Starts a game. `red` creates a challenge, and `blue` accepts it.
async fn begin(red: &mut Client, blue: &mut Client, id: &str) -> GameId {
    begin_on(terms(), red, blue, id).await
}

async fn begin_on(terms: Terms, red: &mut Client, blue: &mut Client, id: &str) -> GameId {
    red.tell(&ClientToServer::Challenge { cmd_id: cmd(id), terms, side: Some(Side::Red) }).await;
    let challenge = red
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Challenge { challenge, .. }, .. } => {
                Some(challenge)
            }
            _ => None,
        })
        .await;
    blue.tell(&ClientToServer::AcceptChallenge { cmd_id: cmd(id), challenge, secret: false }).await;
    blue.find(|message| match message {
        ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
        _ => None,
    })
    .await
}

async fn open(client: &mut Client, game: GameId) {
    client.tell(&ClientToServer::OpenGame { game, since: None }).await;
    client.find(|message| matches!(message, ServerToClient::Game { .. }).then_some(())).await;
}

/// Returns all messages that a client receives until the game ends, as text.
async fn until_the_end(client: &mut Client) -> Vec<String> {
    let mut texts = Vec::new();
    client
        .find(|message| {
            texts.push(serde_json::to_string(&message).unwrap());
            matches!(
                &message,
                ServerToClient::Event { event: flagfall_protocol::GameEvent::Ended { .. }, .. }
            )
            .then_some(())
        })
        .await;
    texts
}

#[tokio::test]
async fn chat_reaches_both_players_on_two_servers_and_no_spectator() {
    let store = TestStore::announcing(SystemClock);
    let one = House::open_on(store.clone(), settings()).await;
    let two = House::open_on(store, settings()).await;
    let (mut ana, ..) = one.guest("ana").await;
    let (mut bo, ..) = one.guest("bo").await;
    let (mut cy, ..) = one.guest("cy").await;
    let (mut dee, _, dee_token) = one.guest("dee").await;
    let mut dee_there = two.again(&dee_token).await;
    let game = begin(&mut ana, &mut dee, "1").await;
    let other = begin(&mut bo, &mut cy, "1").await;
    let (mut eve, ..) = one.guest("eve").await;
    let (mut eve_there, ..) = two.guest("eve").await;
    open(&mut ana, game).await;
    for client in [&mut eve, &mut eve_there] {
        open(client, game).await;
        open(client, other).await;
    }
    open(&mut bo, other).await;

    say(&mut ana, "a", game, text("the password is swordfish")).await.unwrap();
    let said = (Side::Red, text("the password is swordfish"));
    assert_eq!(hear(&mut dee).await, said);
    assert_eq!(hear(&mut dee_there).await, said, "on every server");
    let phrase = Said::Phrase { phrase: Phrase::GoodLuck };
    say(&mut dee_there, "b", game, phrase.clone()).await.unwrap();
    assert_eq!(hear(&mut ana).await, (Side::Blue, phrase));

    // Players without a seat in a game cannot chat there, even while they watch the game.
    for client in [&mut eve, &mut bo] {
        assert_eq!(say(client, "c", game, text("hi")).await, Err("not_your_game".to_owned()));
    }
    // Neither the spectators nor the players of the other game may have received any of the
    // messages.
    ana.tell(&ClientToServer::Command {
        cmd_id: cmd("e"),
        game,
        ply: 0,
        epoch: None,
        command: GameCommand::Abort {},
    })
    .await;
    bo.tell(&ClientToServer::Command {
        cmd_id: cmd("e"),
        game: other,
        ply: 0,
        epoch: None,
        command: GameCommand::Abort {},
    })
    .await;
    for client in [&mut eve, &mut eve_there, &mut bo] {
        let told = until_the_end(client).await;
        assert!(
            told.iter().all(|text| !text.contains("swordfish") && !text.contains("\"said\"")),
            "{told:?}"
        );
    }
    // The record must not contain the messages either. After the game, players may still chat.
    let record = one.get(&format!("/api/games/{game}/record")).await;
    assert!(record.status == 200 && !record.body.contains("swordfish"));
    say(&mut ana, "f", game, text("thanks")).await.unwrap();
    assert_eq!(hear(&mut dee).await.1, Said::Phrase { phrase: Phrase::GoodLuck });
    assert_eq!(hear(&mut dee).await, (Side::Red, text("thanks")));
    two.close().await;
    one.close().await;
}

#[tokio::test]
async fn chat_is_limited() {
    let house = House::open(settings()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let game = begin(&mut ana, &mut bo, "1").await;
    for (at, unfit) in ["", " ", "\u{1b}[2J", &"x".repeat(201)].into_iter().enumerate() {
        let refused = say(&mut ana, &format!("unfit-{at}"), game, text(unfit)).await;
        assert_eq!(refused, Err("bad_text".to_owned()), "{unfit:?}");
    }
    let mut answers = Vec::new();
    for at in 0..8 {
        answers.push(say(&mut ana, &format!("fast-{at}"), game, text("hi")).await);
    }
    assert!(answers.contains(&Err("too_many".to_owned())), "{answers:?}");
    ana.tell(&ClientToServer::PlayBot {
        cmd_id: cmd("b"),
        bot: "random".to_owned(),
        terms: terms(),
        side: None,
    })
    .await;
    let against = ana
        .find(|message| match message {
            ServerToClient::Accepted { outcome: Accepted::Started { game, .. }, .. } => Some(game),
            _ => None,
        })
        .await;
    let report = ClientToServer::Report { cmd_id: cmd("r"), game: against, reason: "too strong".to_owned() };
    ana.tell(&report).await;
    assert_eq!(answer(&mut ana, "r").await, Err("house_player".to_owned()));
    house.close().await;
}

#[tokio::test]
async fn a_blocked_player_cannot_chat_or_be_paired() {
    let mut settings = settings();
    settings.times.pool_wave = std::time::Duration::from_secs(3_600);
    let house = House::open(settings).await;
    let (mut ana, _, ana_token) = house.guest("ana").await;
    let (mut bo, _, bo_token) = house.guest("bo").await;
    let (mut cy, ..) = house.guest("cy").await;
    let game = begin(&mut ana, &mut bo, "1").await;
    assert_eq!(house.ask("PUT", "/api/blocks/BO", &ana_token, "").await.status, 204);
    assert_eq!(house.ask("PUT", "/api/blocks/bo", &ana_token, "").await.status, 204);
    let list = house.ask("GET", "/api/blocks", &ana_token, "").await.json();
    assert_eq!(
        (list["players"].as_array().unwrap().len(), list["players"][0]["name"].as_str()),
        (1, Some("bo"))
    );
    assert_eq!(
        house.ask("GET", "/api/blocks", &bo_token, "").await.json()["players"].as_array().unwrap().len(),
        0
    );
    for (path, status) in [("/api/blocks/nobody", 404), ("/api/blocks/ana", 400)] {
        assert_eq!(house.ask("PUT", path, &ana_token, "").await.status, status, "{path}");
    }
    assert_eq!(say(&mut bo, "a", game, text("hey")).await, Err("blocked".to_owned()));
    // Nor can Ana write to Bo, who could not answer.
    assert_eq!(say(&mut ana, "a", game, text("bye")).await, Err("blocked".to_owned()));

    // Neither Ana nor Bo can accept an offer from the other, because Ana has blocked Bo.
    for (offerer, wanted) in [(&mut ana, Err("blocked".to_owned())), (&mut cy, Ok(()))] {
        offerer
            .tell(&ClientToServer::Seek { cmd_id: cmd("s"), terms: terms(), side: None, rating: None })
            .await;
        let seek = offerer
            .find(|message| match message {
                ServerToClient::Accepted { outcome: Accepted::Seek { seek }, .. } => Some(seek),
                _ => None,
            })
            .await;
        let id = format!("t-{seek}");
        bo.tell(&ClientToServer::AcceptSeek { cmd_id: cmd(&id), seek, secret: false }).await;
        assert_eq!(answer(&mut bo, &id).await, wanted);
    }
    // The pool does not pair Ana with Bo, but pairs both with other players.
    for client in [&mut ana, &mut bo] {
        client.tell(&ClientToServer::EnterPool { cmd_id: cmd("p"), terms: terms() }).await;
        answer(client, "p").await.unwrap();
    }
    house.lobby.hold_wave().await.unwrap();
    for client in [&mut ana, &mut bo] {
        client.tell(&ClientToServer::LeavePool { cmd_id: cmd("q") }).await;
        assert_eq!(answer(client, "q").await, Ok(()), "nobody was paired");
    }
    for client in [&mut ana, &mut bo, &mut cy] {
        client.tell(&ClientToServer::EnterPool { cmd_id: cmd("u"), terms: terms() }).await;
        answer(client, "u").await.unwrap();
    }
    house.lobby.hold_wave().await.unwrap();
    cy.tell(&ClientToServer::LeavePool { cmd_id: cmd("v") }).await;
    assert_eq!(answer(&mut cy, "v").await, Err("already_paired".to_owned()), "paired with one of the two");

    assert_eq!(house.ask("DELETE", "/api/blocks/bo", &ana_token, "").await.status, 204);
    say(&mut bo, "z", game, text("hey")).await.unwrap();
    house.close().await;
}

#[tokio::test]
async fn a_player_who_blocks_their_opponent_has_no_rematch_with_them() {
    let house = House::open(settings()).await;
    let (mut ana, _, ana_token) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let game = begin(&mut ana, &mut bo, "1").await;
    let abort = GameCommand::Abort {};
    ana.tell(&ClientToServer::Command { cmd_id: cmd("2"), game, ply: 0, epoch: None, command: abort }).await;
    answer(&mut ana, "2").await.unwrap();
    ana.tell(&ClientToServer::Rematch { cmd_id: cmd("3"), game }).await;
    answer(&mut ana, "3").await.unwrap();
    assert_eq!(house.ask("PUT", "/api/blocks/bo", &ana_token, "").await.status, 204);
    bo.tell(&ClientToServer::Rematch { cmd_id: cmd("4"), game }).await;
    assert_eq!(answer(&mut bo, "4").await, Err("blocked".to_owned()));
    house.close().await;
}

#[tokio::test]
async fn chat_and_reports_do_not_reveal_a_private_game() {
    let house = House::open(settings()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let (mut eve, ..) = house.guest("eve").await;
    let game = begin_on(Terms { private: true, ..terms() }, &mut ana, &mut bo, "1").await;
    assert_eq!(say(&mut eve, "a", game, text("hi")).await, Err("no_such_game".to_owned()));
    eve.tell(&ClientToServer::Report { cmd_id: cmd("b"), game, reason: "I know".to_owned() }).await;
    assert_eq!(answer(&mut eve, "b").await, Err("no_such_game".to_owned()));
    say(&mut ana, "a", game, text("hi")).await.unwrap();
    house.close().await;
}

#[tokio::test]
async fn a_report_reaches_the_operators_once_a_game() {
    let house = House::open(settings()).await;
    let (mut ana, ..) = house.guest("ana").await;
    let (mut bo, ..) = house.guest("bo").await;
    let (mut eve, ..) = house.guest("eve").await;
    let game = begin(&mut ana, &mut bo, "1").await;
    let report =
        |id: &str, reason: &str| ClientToServer::Report { cmd_id: cmd(id), game, reason: reason.to_owned() };
    ana.tell(&report("a", "they stall")).await;
    assert_eq!(answer(&mut ana, "a").await, Ok(()));
    ana.tell(&report("b", "he still does")).await;
    assert_eq!(answer(&mut ana, "b").await, Err("reported_before".to_owned()));
    eve.tell(&report("a", "I saw it")).await;
    assert_eq!(answer(&mut eve, "a").await, Err("not_your_game".to_owned()));
    bo.tell(&report("a", "\u{1b}]0;")).await;
    assert_eq!(answer(&mut bo, "a").await, Err("bad_text".to_owned()));
    let reports = latest_reports(&house.store).await.unwrap();
    let told: Vec<(&str, &str, &str)> = reports
        .iter()
        .map(|report| (report.reporter.name.as_str(), report.reported.name.as_str(), report.reason.as_str()))
        .collect();
    assert_eq!(told, [("ana", "bo", "they stall")]);
    house.close().await;
}

#[tokio::test]
async fn players_see_what_operators_decided_about_their_own_reports() {
    let house = House::open(settings()).await;
    let (mut ana, _, ana_token) = house.guest("ana").await;
    let (mut bo, _, bo_token) = house.guest("bo").await;
    let mut games = Vec::new();
    for id in ["1", "2"] {
        let game = begin(&mut ana, &mut bo, id).await;
        let report =
            ClientToServer::Report { cmd_id: cmd(&format!("r{id}")), game, reason: "they stall".to_owned() };
        ana.tell(&report).await;
        assert_eq!(answer(&mut ana, &format!("r{id}")).await, Ok(()));
        games.push(game);
    }
    let states = async |token: &str| -> Vec<(String, String)> {
        let listed = house.ask("GET", "/api/me/reports", token, "").await.json();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let reports = listed["reports"].as_array().unwrap().iter();
        reports.map(|report| (text(&report["game"]), text(&report["state"]))).collect()
    };
    let are = |first: &str, second: &str| {
        vec![(games[1].to_string(), second.to_owned()), (games[0].to_string(), first.to_owned())]
    };
    assert_eq!(states(&ana_token).await, are("open", "open"));
    assert_eq!(states(&bo_token).await, []);
    let refused = house.ask("GET", "/api/me/reports", "", "").await;
    assert_eq!((refused.status, refused.json()["code"].as_str()), (401, Some("bad_token")));

    let operator = Operator::new(&house.store, "they were only slow").unwrap();
    let decided = operator.decide(games[0], "bo", ReportState::Nothing).await;
    assert_eq!(decided, Err(OperatorError::NoSuchReport), "bo has reported nobody");
    operator.decide(games[0], "Ana", ReportState::Nothing).await.unwrap();
    assert_eq!(states(&ana_token).await, are("nothing", "open"));
    let log = acts(&house.store).await.unwrap();
    assert!(
        matches!(&log[..], [act] if matches!(&act.deed, Deed::Decided { name, state: ReportState::Nothing, .. } if name == "ana")),
        "{log:?}"
    );

    // Closing the account decides the open reports, and leaves earlier decisions as they
    // are.
    Operator::new(&house.store, "they stall").unwrap().close("bo").await.unwrap();
    assert_eq!(states(&ana_token).await, are("nothing", "acted"));
    let export = house.ask("GET", "/api/account", &ana_token, "").await.json();
    assert_eq!(export["reports"].as_array().unwrap().len(), 2);
    house.close().await;
}
