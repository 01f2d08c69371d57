//! Tests that bad input at every interface gets a clear answer, and that a running game goes on.

use flagfall_e2e::{
    Answer, Ended, Process, Server, Site, Socket, client_program, command, exchange, get, request,
    server_program,
};
use flagfall_tests::{Chance, OwnPort};
use serde_json::Value;

use crate::duel::Duel;

#[test]
fn a_wrong_command_line_of_the_client_is_answered_in_words() {
    let site = Site::new();
    let server = site.serve();
    let with_server: &[(&[&str], i32, &str)] = &[
        (&["play", "--rules", "chess"], 2, "there is no ruleset `chess`"),
        (&["play", "--time", "ten"], 2, "\"ten\" is not a clock; write 10+5"),
        (&["play", "--time", "99999+1"], 2, "out of range"),
        (&["play", "--bot", "gandalf"], 2, "there is no level `gandalf`"),
        (&["play", "--side", "green"], 2, "red or blue"),
        (&["play", "--bot", "random", "--challenge"], 2, "cannot be used with"),
        (&["play", "--frobnicate"], 2, "--frobnicate"),
        (&["play", "--accept", "nonsense"], 1, "This challenge is not open"),
        (&["play", "--game", "000000000000"], 1, "no game"),
        (&["watch", "000000000000"], 1, "no game"),
        (&["watch", "nonsense!"], 2, "nonsense!"),
        (&["watch"], 0, "No public game is running at the moment."),
        (&["record", "000000000000"], 1, "no game"),
        (&["rules", "chess"], 2, "there is no ruleset `chess`"),
        (&["frobnicate"], 2, "frobnicate"),
    ];
    for (words, code, answer) in with_server {
        server.run_client(&site, "ann", words).expect(*code, &[answer]);
    }
    for (words, answer) in [
        (&["setups", "save", "barrage", "../up", "F"], "A name consists of 1 to 30 letters"),
        (&["setups", "save", "barrage", "corner", "F"], "Not saved. "),
    ] {
        let mut client = command(&client_program());
        let folder = site.path().join("setups");
        Process::run(client.args(words).arg("--config-dir").arg(folder)).expect(2, &[answer]);
    }
    for name in ["x", "no spaces", "a-name-much-too-long-for-a-person", "Äpfel"] {
        let ended = server.run_client(&site, name, &["games"]);
        assert!(ended.code != Some(0) && ended.said.contains("name"), "{name}: {}", ended.said);
    }

    let nobody = OwnPort::claim().expect("a port");
    let elsewhere: &[(String, i32, &[&str])] = &[
        (
            nobody.address().to_string(),
            3,
            &["Cannot reach ws://127.0.0.1:", "Check that the server is running there", "--server"],
        ),
        (format!("{}", server.metrics), 3, &["Cannot reach", "404"]),
        ("ftp://play.example".to_owned(), 2, &["is not a server address"]),
        ("127.0.0.1:99999".to_owned(), 2, &["is not a server address"]),
        ("no-such-host.invalid".to_owned(), 3, &["Cannot reach"]),
    ];
    for (address, code, answers) in elsewhere {
        let mut client = site.client_command("ann", &["games", "--server", address]);
        Process::run(&mut client).expect(*code, answers);
    }

    let file = site.path().join("file");
    std::fs::write(&file, "not a folder").expect("a file");
    let mut client = command(&client_program());
    let words = ["games", "--plain", "--server", &server.address.to_string(), "--config-dir"];
    let ended = Process::run(client.args(words).arg(&file).env("HOME", &file));
    // `--config-dir` names a file here, but listing games needs no stored files.
    assert!(ended.code == Some(0), "{ended:?}");
}

#[test]
fn a_wrong_command_line_of_the_server_is_answered_in_words() {
    let site = Site::new();
    let file = site.path().join("file");
    std::fs::write(&file, "not a folder").expect("a file");
    let file = file.to_str().expect("text");
    let flags: &[(&[&str], i32, &str)] = &[
        (&["--listen", "7171"], 2, "--listen"),
        (&["--listen", "127.0.0.1:99999"], 2, "--listen"),
        (&["--listen", "192.0.2.1:7171"], 3, "cannot listen on 192.0.2.1:7171 (--listen)"),
        (&["--data", file], 2, "exists but is not a folder"),
        (&["--data", &format!("{file}/below")], 4, "below"),
        (&["--store", "cloud"], 2, "--store"),
        (&["--deploy-seconds", "0"], 2, "--deploy-seconds"),
        (&["--ping-seconds", "10"], 2, "--pong-seconds (10) must be more than --ping-seconds (10)"),
        (&["--frobnicate"], 2, "--frobnicate"),
        (&["--log", "loud=very"], 2, "--log"),
        (&["surplus"], 2, "surplus"),
    ];
    for (words, code, answer) in flags {
        run_server(&site, words, &[]).expect(*code, &[answer]);
    }
    for (variable, value) in
        [("FLAGFALL_LISTEN", "nowhere"), ("FLAGFALL_DEPLOY_SECONDS", "soon"), ("FLAGFALL_LOG_FORMAT", "xml")]
    {
        let ended = run_server(&site, &[], &[(variable, value)]);
        assert!(ended.code == Some(2) && ended.said.contains(value), "{variable}: {}", ended.said);
    }

    let server = site.serve();
    let taken = server.address.to_string();
    let other = site.path().join("other");
    let other = other.to_str().expect("text");
    run_server(&site, &["--listen", &taken, "--data", other], &[])
        .expect(3, &[&format!("cannot listen on {taken} (--listen)"), "in use"]);
    run_server(&site, &["--metrics-listen", &taken, "--data", other], &[])
        .expect(3, &[&format!("cannot listen on {taken} (--metrics-listen)")]);
    let data = site.data();
    let data = data.to_str().expect("text");
    run_server(&site, &["--data", data], &[]).expect(4, &["another"]);
    assert_eq!(get(server.address, "/health").status, 200);
}

/// Runs a server that must refuse to start. `words` may override the free ports and the data
/// folder that this function chooses.
fn run_server(site: &Site, words: &[&str], environment: &[(&str, &str)]) -> Ended {
    let mut server = command(&server_program());
    server.current_dir(site.path()).envs(environment.iter().copied()).args(words);
    let sets = |what: &str| {
        let variable = format!("FLAGFALL_{}", what[2..].replace('-', "_").to_uppercase());
        words.contains(&what) || environment.iter().any(|(name, _)| *name == variable)
    };
    for listener in ["--listen", "--metrics-listen"] {
        if !sets(listener) {
            server.args([listener, "127.0.0.1:0"]);
        }
    }
    if !sets("--data") {
        server.arg("--data").arg(site.path().join("unused"));
    }
    Process::run(&mut server)
}

#[test]
fn junk_over_http_is_answered_in_words() {
    let site = Site::new();
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(6));
    let at = server.address;
    let head = format!("Host: {at}\r\nConnection: close\r\n");

    let junk: &[&[u8]] = &[
        b"\x00\x01\x02\x03\xff\xfe\r\n\r\n",
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
    ];
    for bytes in junk {
        let answer = exchange(at, bytes);
        assert!(matches!(answer.status, 0 | 400..=499 | 505), "{bytes:?}: {answer:?}");
    }
    let large = format!("GET / HTTP/1.1\r\n{head}X: {}\r\n\r\n", "x".repeat(100_000));
    assert!(matches!(exchange(at, large.as_bytes()).status, 0 | 400 | 431), "large headers");
    let many = format!("GET / HTTP/1.1\r\n{head}{}\r\n", "X: y\r\n".repeat(2_000));
    assert!(matches!(exchange(at, many.as_bytes()).status, 0 | 400 | 431), "many headers");
    let long = get(at, &format!("/{}", "x".repeat(100_000)));
    assert!(matches!(long.status, 0 | 400 | 404 | 414 | 431), "{}", long.status);
    let body =
        format!("GET /api/games HTTP/1.1\r\n{head}Content-Length: 100000\r\n\r\n{}", "x".repeat(100_000));
    assert!(matches!(exchange(at, body.as_bytes()).status, 0 | 200 | 413), "a large body");

    assert_error(&get(at, "/api/nothing"), 404, "no_such_path");
    assert_error(&get(at, "/assets/../../etc/passwd"), 404, "no_such_path");
    for path in ["/nothing", "/../../etc/passwd"] {
        let answer = get(at, path);
        assert!(answer.status == 404 && answer.body.starts_with("<!doctype html>"), "{path}: {answer:?}");
    }
    assert_error(&get(at, "/api/games/%00"), 404, "no_such_game");
    assert_error(&get(at, "/api/games/000000000000/record"), 404, "no_such_game");
    assert_error(&get(at, &format!("/api/games/{}/record?format=xml", duel.id)), 400, "bad_query");
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert_error(&request(at, method, "/health"), 405, "method_not_allowed");
    }
    assert_error(&get(at, "/ws"), 426, "upgrade_expected");
    let token =
        format!("GET /api/games/{} HTTP/1.1\r\n{head}Authorization: Bearer nonsense\r\n\r\n", duel.id);
    let answer = exchange(at, token.as_bytes());
    assert_eq!(answer.status, 401, "{answer:?}");
    let foreign = format!(
        "GET /ws HTTP/1.1\r\nHost: {at}\r\nOrigin: https://evil.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    assert_eq!(exchange(at, foreign.as_bytes()).status, 403);
    goes_on(&server, &mut duel);
}

/// Checks that the body is JSON that describes the error, both for programs and for people.
fn assert_error(answer: &Answer, status: u16, code: &str) {
    assert_eq!(answer.status, status, "{answer:?}");
    let body: Value =
        serde_json::from_str(&answer.body).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    assert_eq!(body["code"], code, "{answer:?}");
    assert!(body["message"].as_str().is_some_and(|message| message.len() > 10), "{answer:?}");
}

const HELLO: &str = r#"{"type":"hello","protocol":1}"#;

#[test]
fn junk_over_a_web_socket_is_answered_in_words() {
    let site = Site::new();
    let server = site.serve();
    let mut duel = Duel::begin(&server, &site, "barrage", "none", Chance::seed_or(9));
    let deep = format!("{}{}", "[".repeat(4_000), "]".repeat(4_000));
    let refused: &[(&str, &str)] = &[
        ("", "not JSON"),
        ("}{", "not JSON"),
        ("null", "not a message"),
        (&deep, "nested deeper"),
        (r#"{"type":"give_me_everything"}"#, "not a message"),
        (r#"{"type":"my_games","and":"more"}"#, "unknown field"),
        (r#"{"type":"open_game"}"#, "missing field"),
        (r#"{"type":"open_game","game":"000000000000"}"#, "no game"),
        (r#"{"type":"open_game","game":7}"#, "not a message"),
        (r#"{"type":"hello","protocol":1}"#, ""),
    ];
    for (text, word) in refused {
        let mut socket = Socket::connect(server.address);
        socket.send_text(HELLO);
        assert!(socket.message().expect("an answer").contains("\"welcome\""));
        socket.send_text(text);
        let answer = until(&mut socket, "\"refused\"");
        assert!(answer.contains(word), "{text:.60}: {answer}");
        // The connection must still work.
        socket.send_text(r#"{"type":"my_games"}"#);
        until(&mut socket, "\"my_games\"");
        socket.finish();
    }

    let closed = |code: u16, act: &dyn Fn(&mut Socket)| {
        let mut socket = Socket::connect(server.address);
        act(&mut socket);
        let (messages, closed) = socket.drain();
        assert_eq!(closed, code, "{messages:?}");
    };
    closed(4106, &|socket| socket.send_text(r#"{"type":"my_games"}"#));
    closed(4102, &|socket| socket.send_text(r#"{"type":"hello","protocol":99}"#));
    closed(4100, &|socket| socket.send_text(r#"{"type":"hello","protocol":1,"token":"nonsense"}"#));
    closed(4104, &|socket| socket.send_text(r#"{"type":"hello","protocol":1,"name":"no spaces"}"#));
    closed(1003, &|socket| socket.send_binary(b"\x00\xff"));
    closed(1009, &|socket| socket.send_text(&format!("\"{}\"", "x".repeat(9_000))));
    closed(1002, &|socket| socket.send_bytes(&[0xff; 64]));
    closed(1007, &|socket| socket.send_bytes(b"\x81\x82\x00\x00\x00\x00\xff\xff"));
    closed(4003, &|socket| {
        socket.send_text(HELLO);
        for _ in 0..300 {
            socket.send_text(r#"{"type":"my_games"}"#);
        }
    });
    goes_on(&server, &mut duel);
}

/// Returns the next message that contains this text.
fn until(socket: &mut Socket, part: &str) -> String {
    loop {
        match socket.message() {
            Ok(message) if message.contains(part) => return message,
            Ok(_) => {}
            Err(code) => panic!("closed with {code} before {part}"),
        }
    }
}

fn goes_on(server: &Server, duel: &mut Duel) {
    duel.play_quietly(2);
    assert_eq!(get(server.address, "/health").status, 200);
    assert!(!server.has_said("panic"), "{}", server.lines().join("\n"));
}
