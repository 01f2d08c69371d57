//! Tests of a Redis Cluster that has lost a master. The games on that master cannot continue, but
//! all others can.

use std::collections::HashMap;

use flagfall_base::identity::Token;
use redis::Value;

use super::*;

/// A game, and its connected players.
struct Played {
    game: GameId,
    players: [Client; 2],
}

/// Starts a cluster whose other masters answer while one is away.
async fn cluster() -> Cluster {
    let cluster = Cluster::start().await;
    for node in &cluster.0 {
        let _: Value = node.ask(&["CONFIG", "SET", "cluster-require-full-coverage", "no"]).await;
    }
    cluster
}

/// Waits for a message about the part of the store that contains this game.
async fn told(client: &mut Client) -> (bool, Option<GameId>) {
    client
        .find(|message| match message {
            ServerToClient::StoreState { available, game } => Some((available, game)),
            _ => None,
        })
        .await
}

/// Makes a move. The player must not be told anything about the store before the move is accepted.
async fn step_undisturbed(client: &mut Client, game: GameId, ply: Ply, squares: &str) {
    let command = GameCommand::Move { squares: squares.parse().unwrap(), path: None, color: None };
    let cmd_id = format!("ply-{ply}").parse().unwrap();
    client.tell(&ClientToServer::Command { cmd_id, game, ply, epoch: None, command }).await;
    client
        .find(|message| match message {
            ServerToClient::Accepted { .. } => Some(()),
            ServerToClient::Refused { .. } | ServerToClient::StoreState { .. } => panic!("{message:?}"),
            _ => None,
        })
        .await;
}

#[tokio::test]
async fn only_games_whose_master_is_away_stand_still_and_only_their_players_are_told() {
    let mut cluster = cluster().await;
    let server = Running::start(&["--store", &cluster.address().to_string()]);
    let (mut away, mut others) = (Vec::new(), Vec::new());
    while away.is_empty() || others.is_empty() {
        let (red, _, blue, _, game) = game(&server).await;
        let logs: Vec<String> = cluster.0[0].ask(&["KEYS", &format!("*{game}*:log")]).await;
        let played = Played { game, players: [red, blue] };
        if logs.is_empty() { others.push(played) } else { away.push(played) }
    }
    cluster.0[0].kill();
    for Played { game, players } in &mut away {
        for player in players.iter_mut() {
            assert_eq!(told(player).await, (false, Some(*game)));
        }
        let refused = step(&mut players[0], *game, 0, "a4a5").await;
        assert!(refused.as_ref().is_err_and(|why| why.starts_with("store_unavailable")), "{refused:?}");
        // The game can still be shown. A client that opens it gets the message again.
        view(&mut players[1], *game).await;
        assert_eq!(told(&mut players[1]).await, (false, Some(*game)));
    }
    for Played { game, players: [red, blue] } in &mut others {
        step_undisturbed(red, *game, 0, "a4a5").await;
        step_undisturbed(blue, *game, 1, "a7a6").await;
    }
    cluster.0[0].start_again();
    for Played { game, players } in &mut away {
        for player in players.iter_mut() {
            assert_eq!(told(player).await, (true, Some(*game)));
        }
        step(&mut players[0], *game, 0, "a4a5").await.unwrap();
        step(&mut players[1], *game, 1, "a7a6").await.unwrap();
    }
    for Played { game, players: [red, _] } in &mut others {
        step_undisturbed(red, *game, 2, "a5a4").await;
    }
}

/// Returns the values of the side records on a node, by their keys.
async fn records_on(node: &RedisServer) -> HashMap<String, String> {
    let mut all = HashMap::new();
    for values in node.ask::<Vec<String>>(&["KEYS", "*:values"]).await {
        let found: HashMap<String, Vec<u8>> = node.ask(&["HGETALL", &values]).await;
        all.extend(found.into_iter().map(|(key, value)| (key, String::from_utf8_lossy(&value).into_owned())));
    }
    all
}

/// A player who logs in while a master is away.
struct Known {
    token: String,
    is_away: bool,
}

impl Running {
    /// Says hello with a token. Returns the code of the refusal, if there is one.
    async fn try_again(&self, token: &str) -> Result<Client, String> {
        let (socket, _) =
            tokio_tungstenite::connect_async(format!("ws://{}/ws", self.address)).await.unwrap();
        let mut client = Client { socket };
        client.say(&format!(r#"{{"type":"hello","protocol":1,"token":"{token}"}}"#)).await;
        let answer = client
            .find(|message| match message {
                ServerToClient::Welcome { .. } => Some(Ok(())),
                ServerToClient::Refused { code, message, .. } => Some(Err(format!("{code}: {message}"))),
                _ => None,
            })
            .await;
        answer.map(|()| client)
    }
}

#[tokio::test]
async fn while_a_master_is_away_players_whose_records_are_there_are_told_to_try_again() {
    let mut cluster = cluster().await;
    let address = cluster.address().to_string();
    let (one, other) = (Running::start(&["--store", &address]), Running::start(&["--store", &address]));
    let mut known: Vec<Known> = Vec::new();
    let has = |known: &[Known], is_away: bool| known.iter().any(|player| player.is_away == is_away);
    while !has(&known, true) || !has(&known, false) {
        let (_, red_token, _, blue_token, _) = game(&one).await;
        let records = records_on(&cluster.0[0]).await;
        for token in [red_token, blue_token] {
            // A guest's token has no record of its own, but the player's record contains its hash.
            let hash = token.parse::<Token>().unwrap().hash();
            let is_theirs =
                |(key, player): (&String, &String)| key.starts_with("players/") && player.contains(&hash);
            known.push(Known { is_away: records.iter().any(is_theirs), token });
        }
    }
    cluster.0[0].kill();
    for player in &known {
        match other.try_again(&player.token).await {
            Ok(_) => assert!(!player.is_away),
            Err(refusal) => {
                assert!(player.is_away, "{refusal}");
                assert_eq!(
                    refusal,
                    "store_unavailable: The server cannot reach its store. Try again in a moment."
                );
            }
        }
    }
    cluster.0[0].start_again();
    for player in &known {
        while other.try_again(&player.token).await.is_err() {
            // Wait as a client does, because the number of hellos is limited.
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
}

#[tokio::test]
async fn a_server_starts_while_a_master_is_away_and_new_players_come_and_play() {
    let mut cluster = cluster().await;
    let address = cluster.address().to_string();
    let server = Running::start(&["--store", &address]);
    let (token, away) = loop {
        let (_, token, _, _, game) = game(&server).await;
        let is_on = async |node: &RedisServer, key: &str| {
            records_on(node).await.keys().any(|name| name.starts_with("seat/") && name.contains(key))
        };
        let logs: Vec<String> = cluster.0[2].ask(&["KEYS", &format!("*{game}*:log")]).await;
        // The game is at the third master, and the places of its players are elsewhere.
        if !logs.is_empty() && !is_on(&cluster.0[2], game.as_str()).await {
            break (token, game);
        }
    };
    drop(server);
    cluster.0[2].kill();
    let server = Running::start(&["--store", &address]);
    for _ in 0..4 {
        let (mut red, _, mut blue, _, game) = game(&server).await;
        step(&mut red, game, 0, "a4a5").await.unwrap();
        step(&mut blue, game, 1, "a7a6").await.unwrap();
    }
    let mut player = server.try_again(&token).await.unwrap();
    let mut open = async || {
        player.tell(&ClientToServer::OpenGame { game: away, since: None }).await;
        player
            .find(|message| match message {
                ServerToClient::Game { .. } => Some(Ok(())),
                ServerToClient::Refused { code, .. } => Some(Err(code)),
                _ => None,
            })
            .await
    };
    assert!(open().await.is_err_and(|code| code.as_str() == "store_unavailable"));
    cluster.0[2].start_again();
    while open().await.is_err() {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    drop(server);
    // Without the list of outages, clocks of games could be wrong.
    cluster.0[1].kill();
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall-server"));
    command.env_clear().args(["--listen", "127.0.0.1:0", "--metrics-listen", "none", "--store", &address]);
    let refused = command.output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    let missing = format!("the master 127.0.0.1:{}: ", cluster.0[1].port());
    assert!(!refused.status.success() && said.contains(&missing), "{said}");
}
