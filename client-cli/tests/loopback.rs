//! Tests of the client over a real socket, against a minimal server that the test controls.

use std::time::Duration;

use flagfall::config::ConfigDir;
use flagfall::faces::lines;
use flagfall::model::{Face, Goal, How, Model, Options, Secret, Wish};
use flagfall::net::address::{Address, Addresses};
use flagfall::net::dial::{DialError, Dialer};
use flagfall::net::http;
use flagfall::net::socket::new_guest;
use flagfall::random::Random;
use flagfall::shell::Shell;
use flagfall_board::Numbering;
use flagfall_protocol::{ClientToServer, GameCommand};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message as Frame;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::{WebSocketStream, accept_async};

const GAME: &str = "0123456789ab";

type Socket = WebSocketStream<TcpStream>;

/// The server's end of a socket.
struct Peer {
    socket: Socket,
}

impl Peer {
    async fn accept(listener: &TcpListener) -> Peer {
        let (stream, _) = listener.accept().await.expect("a connection");
        Peer { socket: accept_async(stream).await.expect("a handshake") }
    }

    async fn hear(&mut self) -> ClientToServer {
        loop {
            match self.socket.next().await.expect("a frame").expect("no error") {
                Frame::Text(text) => return serde_json::from_str(&text).expect("a message of the protocol"),
                Frame::Binary(_) | Frame::Close(_) | Frame::Frame(_) => panic!("a text is wanted"),
                Frame::Ping(_) | Frame::Pong(_) => {}
            }
        }
    }

    async fn say(&mut self, text: String) {
        self.socket.send(Frame::text(text)).await.expect("sent");
    }

    async fn welcome(&mut self, token: &str) -> ClientToServer {
        let hello = self.hear().await;
        let token = if token.is_empty() { String::new() } else { format!(r#""token":"{token}","#) };
        self.say(format!(
            r#"{{"type":"welcome","protocol":1,"server":"test","player":{{"id":"p1","name":"ann","kind":"guest"}},{token}"server_time":1,"games":[]}}"#
        ))
        .await;
        hello
    }

    async fn close(mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "so it is told".into() };
        self.socket.close(Some(frame)).await.expect("closed");
        while self.socket.next().await.is_some_and(|frame| frame.is_ok()) {}
    }

    /// Shows the game `barrage`: Red (the client) has a Scout on a1, and Blue has a piece on a8.
    async fn show_game(&mut self, seq: u64, ply: u16, turn: &str, pieces: &str) {
        self.say(format!(
            r#"{{"type":"game","game":{{"id":"{GAME}","terms":{{"ruleset":"barrage","time":{{"kind":"unlimited"}}}},
            "players":{{"red":{{"id":"p1","name":"ann","kind":"guest"}},"blue":{{"id":"p2","name":"bob","kind":"guest"}}}},"created":1,"phase":"playing","ply":{ply}}},
            "audience":"red","driving":true,"epoch":1,"seq":{seq},"presence":{{"red":"present","blue":"present"}},
            "view":{{"audience":"red","ruleset":"barrage","phase":"playing","ready":{{"red":true,"blue":true}},"lakes":["c5"],"pieces":{pieces},
            "captured":{{"red":{{}},"blue":{{}}}},"ply":{ply},"turn":"{turn}","commitments":{{"red":null,"blue":null}}}}}}"#
        ))
        .await;
    }
}

/// A running client, with its output and its input lines.
struct Client {
    task: tokio::task::JoinHandle<(u8, String)>,
    lines: mpsc::Sender<String>,
    folder: tempfile::TempDir,
    _stop: mpsc::Sender<()>,
}

impl Client {
    fn start(address: &Address, goal: Goal, token: Option<&str>) -> Client {
        let folder = tempfile::tempdir().expect("a folder");
        let config = ConfigDir::new(Some(folder.path().to_owned()));
        let credential = config.credential(address, None, None).expect("a credential");
        let options = Options {
            server: address.to_string(),
            authority_file: None,
            name: None,
            numbering: Numbering::Us,
            flip: true,
            credential_file: credential.path().display().to_string(),
            color: false,
            face: Face::Script,
        };
        let mut model = Model::new(options, goal, Random::System);
        if let Some(token) = token {
            credential.save_token(&Secret::new(token), "ann").expect("written");
        }
        model.login.token = credential.token();
        let addresses = Addresses { first: address.clone(), others: Vec::new() };
        let shell = Shell::new(dialer(), addresses, config, credential);
        let (lines, receiver) = mpsc::channel(1);
        let (stop, stop_receiver) = mpsc::channel(1);
        let task = tokio::spawn(async move {
            let mut out = Vec::new();
            let code =
                lines::run(shell, &mut model, receiver, stop_receiver, &mut out).await.expect("written");
            (code, String::from_utf8(out).expect("text"))
        });
        Client { task, lines, folder, _stop: stop }
    }

    async fn line(&self, text: &str) {
        self.lines.send(text.to_owned()).await.expect("taken");
    }

    async fn end(self) -> (u8, String) {
        let Client { task, lines, .. } = self;
        drop(lines);
        timeout(Duration::from_secs(20), task).await.expect("it ends").expect("it does not panic")
    }
}

fn dialer() -> Dialer {
    Dialer::new(None).expect("no file is read")
}

async fn listen() -> (TcpListener, Address) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    (listener, Address::parse(&format!("127.0.0.1:{port}")).expect("an address"))
}

fn go_on() -> Goal {
    Goal::Play(Wish { how: How::Game(GAME.parse().expect("an id")), ..Wish::default() })
}

#[tokio::test]
async fn a_line_that_drops_between_a_move_and_its_answer_loses_nothing() {
    let (listener, address) = listen().await;
    let client = Client::start(&address, go_on(), None);
    client.line("a1a5").await;
    let mut peer = Peer::accept(&listener).await;
    assert!(matches!(peer.welcome("s3cret").await, ClientToServer::Hello { token: None, .. }));
    assert!(matches!(peer.hear().await, ClientToServer::OpenGame { since: None, .. }));
    peer.show_game(3, 0, "red", r#"["a1r9","a8b?"]"#).await;
    let first = peer.hear().await;
    assert!(matches!(&first, ClientToServer::Command { ply: 0, command: GameCommand::Move { .. }, .. }));
    // This connection and the next one break without a close frame.
    drop(peer);
    drop(listener.accept().await.expect("a connection"));
    let mut peer = Peer::accept(&listener).await;
    let hello = peer.welcome("").await;
    assert!(matches!(hello, ClientToServer::Hello { token: Some(token), .. } if token.expose() == "s3cret"));
    let open = peer.hear().await;
    assert!(matches!(open, ClientToServer::OpenGame { since: Some(since), .. } if since.seq == 3));
    peer.show_game(3, 0, "red", r#"["a1r9","a8b?"]"#).await;
    let again = peer.hear().await;
    assert_eq!(again, first, "the same command with the same id");
    let ClientToServer::Command { cmd_id, .. } = again else { panic!("a command") };
    peer.say(format!(
        r#"{{"type":"event","game":"{GAME}","seq":4,"event":{{"kind":"moved","side":"red","move":"a1a5","piece":"9"}},"change":{{"turn":"blue","pieces":["a5r9'*"]}}}}"#
    ))
    .await;
    peer.say(format!(
        r#"{{"type":"accepted","cmd_id":"{}","outcome":{{"kind":"game","game":"{GAME}","seq":4}}}}"#,
        cmd_id.as_str()
    ))
    .await;
    let (code, out) = client.end().await;
    assert_eq!(code, 0, "{out}");
    for words in
        ["Reconnecting.", "Connected again.", "Red moves a1a5.", "You left.", "To go on: flagfall play"]
    {
        assert!(out.contains(words), "{words:?} in\n{out}");
    }
    assert!(!out.contains('\u{1b}'), "no escape codes");
}

#[tokio::test]
async fn a_gap_is_filled_by_asking_for_the_game() {
    let (listener, address) = listen().await;
    let client = Client::start(&address, go_on(), Some("known"));
    let mut peer = Peer::accept(&listener).await;
    assert!(matches!(peer.welcome("").await, ClientToServer::Hello { token: Some(_), .. }));
    peer.hear().await;
    peer.show_game(3, 1, "blue", r#"["a1r9","a8b?"]"#).await;
    peer.say(format!(
        r#"{{"type":"event","game":"{GAME}","seq":5,"event":{{"kind":"draw_offered","side":"blue"}},"change":{{"turn":"red"}}}}"#
    ))
    .await;
    assert!(
        matches!(peer.hear().await, ClientToServer::OpenGame { since: Some(since), .. } if since.seq == 3)
    );
    peer.show_game(5, 2, "red", r#"["a1r9","a7b?'"]"#).await;
    client.line("quit").await;
    let (code, out) = client.end().await;
    assert_eq!(code, 0, "{out}");
}

#[tokio::test]
async fn a_final_close_code_ends_the_client_with_a_word() {
    let (listener, address) = listen().await;
    let client = Client::start(&address, go_on(), Some("known"));
    let mut peer = Peer::accept(&listener).await;
    peer.hear().await;
    peer.close(4103).await;
    let (code, out) = client.end().await;
    assert_eq!(code, 1);
    assert!(out.contains("so it is told"), "{out}");
}

#[tokio::test]
async fn a_guest_the_server_does_not_know_becomes_a_new_one_that_is_kept() {
    let (listener, address) = listen().await;
    let client = Client::start(&address, go_on(), Some("stale"));
    let mut peer = Peer::accept(&listener).await;
    assert!(matches!(peer.hear().await, ClientToServer::Hello { token: Some(_), .. }));
    peer.say(r#"{"type":"refused","code":"bad_token","message":"this token is unknown"}"#.to_owned()).await;
    drop(peer);
    let mut peer = Peer::accept(&listener).await;
    assert!(matches!(peer.welcome("fresh").await, ClientToServer::Hello { token: None, .. }));
    assert!(matches!(peer.hear().await, ClientToServer::OpenGame { .. }), "the command goes on");
    peer.show_game(3, 1, "blue", r#"["a1r9","a8b?"]"#).await;
    let kept = client.folder.path().to_owned();
    client.line("quit").await;
    let (lines, folder, task) = (client.lines, client.folder, client.task);
    drop(lines);
    let (code, out) = timeout(Duration::from_secs(20), task).await.expect("it ends").expect("no panic");
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("You are now a new guest"), "{out}");
    let again = ConfigDir::new(Some(kept)).credential(&address, None, None).expect("a credential");
    assert_eq!(again.token(), Some(Secret::new("fresh")));
    drop(folder);
}

#[tokio::test]
async fn a_new_guest_is_made_for_commands_without_a_game() {
    let (listener, address) = listen().await;
    let addresses = Addresses { first: address, others: Vec::new() };
    let made = tokio::spawn(async move { new_guest(&dialer(), &addresses, Some("ann".to_owned())).await });
    let mut peer = Peer::accept(&listener).await;
    let hello = peer.welcome("fresh").await;
    assert!(matches!(hello, ClientToServer::Hello { token: None, name: Some(name), .. } if name == "ann"));
    let (token, player) = made.await.expect("no panic").expect("a guest");
    assert_eq!((token.expose(), player.name.as_str()), ("fresh", "ann"));
}

#[tokio::test]
async fn an_invalid_message_is_reported_and_the_client_goes_on() {
    let (listener, address) = listen().await;
    let client = Client::start(&address, go_on(), None);
    let mut peer = Peer::accept(&listener).await;
    peer.welcome("t").await;
    peer.hear().await;
    for text in ["", "{", "[1]", r#"{"type":"unheard_of"}"#, r#"{"type":"game","game":7}"#] {
        peer.say(text.to_owned()).await;
    }
    peer.show_game(3, 0, "red", r#"["a1r9","a8b?"]"#).await;
    // The first line waits until the game is shown, and the second line waits for the first.
    client.line("board").await;
    client.line("quit").await;
    let (code, out) = client.end().await;
    assert_eq!(code, 0);
    assert!(out.contains("does not understand") && out.contains("you play Red"), "{out}");
}

#[tokio::test]
async fn no_server_and_a_foreign_server_get_different_messages() {
    let port = flagfall_tests::OwnPort::claim().expect("a port");
    let address = Address::parse(&port.address().to_string()).expect("an address");
    let (code, out) = Client::start(&address, Goal::Games, None).end().await;
    assert_eq!(code, 3);
    assert!(out.contains("refused") && out.contains("--server"), "{out}");

    let (listener, address) = listen().await;
    let client = Client::start(&address, Goal::Games, None);
    answer(&listener, "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await;
    let (code, out) = client.end().await;
    assert_eq!(code, 3);
    assert!(out.contains("404"), "{out}");
}

/// Answers one HTTP request. Returns the request.
async fn answer(listener: &TcpListener, response: &str) -> String {
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).await.expect("read") == 1 {
        request.push(byte[0]);
    }
    stream.write_all(response.as_bytes()).await.expect("written");
    stream.shutdown().await.expect("shut down");
    String::from_utf8(request).expect("text")
}

#[tokio::test]
async fn records_are_fetched_with_the_credential_and_refusals_have_the_servers_words() {
    let dialer = dialer();
    let (listener, address) = listen().await;
    let token = Secret::new("s3cret");
    let get = http::get(&dialer, &address, "/api/games/x/record", Some(&token));
    let (got, request) =
        tokio::join!(get, answer(&listener, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"));
    assert_eq!(got.expect("a body"), b"{}");
    let request = request.to_ascii_lowercase();
    assert!(request.starts_with("get /api/games/x/record http/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: bearer s3cret"), "{request}");

    let get = http::get(&dialer, &address, "/api/games/x/record", None);
    let refusal = "HTTP/1.1 404 Not Found\r\ncontent-length: 24\r\n\r\n{\"message\":\"none of it\"}";
    let (got, request) = tokio::join!(get, answer(&listener, refusal));
    assert!(
        matches!(got, Err(http::HttpError::Refused { status: 404, message, .. }) if message == "none of it")
    );
    assert!(!request.to_ascii_lowercase().contains("authorization"));

    let get = http::get(&dialer, &address, "/", None);
    let (got, _) = tokio::join!(get, answer(&listener, "nonsense\r\n\r\n"));
    assert!(matches!(got, Err(http::HttpError::Unreachable { source: DialError::NotUnderstood, .. })));
}
