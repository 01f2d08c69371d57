//! Tests games, accounts and webhooks through a TLS proxy, and every reason why a client may not
//! trust the proxy.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use flagfall_e2e::{Authority, Client, Ended, Process, Proxy, Server, Site, Validity, client_program};

const PASSWORD: &str = "correct horse battery";

/// A server behind a proxy whose certificate is for `localhost`.
struct Stage {
    site: Site,
    server: Server,
    proxy: Proxy,
    authority: PathBuf,
}

impl Stage {
    fn new() -> Stage {
        Stage::with_certificate(&["localhost"], Validity::Now)
    }

    fn with_certificate(names: &[&str], validity: Validity) -> Stage {
        let site = Site::new();
        let server = site.serve();
        let authority = Authority::new();
        let proxy = Proxy::before(server.address, authority.certificate(names, validity));
        let authority = authority.file(site.path());
        Stage { site, server, proxy, authority }
    }

    fn command(&self, who: &str, words: &[&str]) -> Command {
        let mut client = self.site.client_command(who, words);
        client.args(["--server", &self.proxy.url("localhost"), "--ca"]).arg(&self.authority);
        client
    }

    /// Runs a client through the proxy with these lines as its input.
    fn run(&self, words: &[&str], lines: &[&str]) -> Ended {
        run(&mut self.command("ann", words), lines)
    }

    /// Returns the errors of two commands to this server, one over WebSocket and one over HTTP.
    /// Both must fail.
    fn refusals(&self, url: &str, authority: Option<&Path>) -> [String; 2] {
        [["games"], ["leaderboard"]].map(|words| {
            let mut client = self.site.client_command("ann", &words);
            client.args(["--server", url]);
            if let Some(file) = authority {
                client.arg("--ca").arg(file);
            }
            let ended = Process::run(&mut client);
            ended.expect(3, &[]);
            ended.said
        })
    }
}

/// Runs a client with these lines as its input.
fn run(client: &mut Command, lines: &[&str]) -> Ended {
    let mut process = Process::start("ann", client);
    for line in lines {
        process.type_line(line);
    }
    process.end_input();
    process.ended()
}

fn all_say(said: &[String; 2], words: &[&str]) {
    for said in said {
        for word in words {
            assert!(said.contains(word), "{word:?} is missing in:\n{said}");
        }
    }
}

#[test]
fn a_person_plays_a_house_player_through_the_proxy() {
    let stage = Stage::new();
    let words = ["play", "--bot", "random", "--rules", "barrage", "--side", "red", "--setup", "random"];
    let mut process = Process::start("ann", &mut stage.command("ann", &words));
    process.expect("The game starts.");
    process.type_line("resign yes");
    process.type_line("quit");
    process.ended().expect(0, &["Blue wins: Red resigned."]);
}

#[test]
fn programs_play_a_whole_game_one_in_tls_and_one_without() {
    let stage = Stage::new();
    let program = |seed: u32| {
        format!("'{}' bot --line random --rules barrage --seed {seed}", client_program().display())
    };
    let words = |program: &'static str, side: &'static [&'static str]| {
        [&["bot", "--exec", program, "--rules", "barrage", "--time", "none", "--turn-time", "600"], side]
            .concat()
    };
    let (red, blue) = (program(1).leak(), program(2).leak());
    let mut ann = Process::start("ann", &mut stage.command("ann", &words(red, &["--side", "red"])));
    ann.expect("Your offer is in the lobby");
    let mut bob: Client = stage.server.client(&stage.site, "bob", &words(blue, &[]));
    let game = bob.game();
    for ended in [ann.ended(), bob.ended()] {
        ended.expect(0, &["Games 1: "]);
    }
    stage.run(&["record", &game, "--json"], &[]).expect(0, &["barrage", "\"moved\""]);
}

#[test]
fn a_feeds_address_uses_https_behind_the_proxy() {
    let stage = Stage::new();
    stage.run(&["signup", "Ann"], &[PASSWORD]).expect(0, &["Welcome, Ann"]);
    stage.run(&["whoami"], &[]).expect(0, &["You are Ann on wss://localhost:"]);
    stage.run(&["feed"], &[]).expect(0, &[&format!("https://localhost:{}/", stage.proxy.address.port())]);
    stage.run(&["games"], &[]).expect(0, &["You have no running game."]);
}

#[test]
fn a_certificate_of_an_unknown_authority_is_not_believed() {
    let stage = Stage::new();
    let words = ["issued by an authority that is not trusted here", "--ca FILE"];
    all_say(&stage.refusals(&stage.proxy.url("localhost"), None), &words);
    // A different authority with the same name.
    let elsewhere = tempfile::tempdir().expect("a folder");
    let other = Authority::new().file(elsewhere.path());
    all_say(&stage.refusals(&stage.proxy.url("localhost"), Some(&other)), &words);
}

#[test]
fn a_certificate_for_another_name_is_not_believed() {
    let stage = Stage::with_certificate(&["club.example"], Validity::Now);
    let advice = format!("--server https://club.example:{}", stage.proxy.address.port());
    let words = ["not for this name but for club.example", &advice];
    all_say(&stage.refusals(&stage.proxy.url("localhost"), Some(&stage.authority)), &words);
}

#[test]
fn a_certificate_is_believed_in_its_time() {
    let url = |stage: &Stage| stage.proxy.url("localhost");
    let stage = Stage::with_certificate(&["localhost"], Validity::Past);
    let words = ["its certificate has expired", "The certificate expired on 2021-01-01", "has to renew it"];
    all_say(&stage.refusals(&url(&stage), Some(&stage.authority)), &words);
    let stage = Stage::with_certificate(&["localhost"], Validity::Future);
    let words = ["its certificate is not valid yet", "clock"];
    all_say(&stage.refusals(&url(&stage), Some(&stage.authority)), &words);
}

#[test]
fn an_address_is_believed_where_the_certificate_names_it() {
    let stage = Stage::with_certificate(&["127.0.0.1"], Validity::Now);
    let mut client = stage.site.client_command("ann", &["games"]);
    client.args(["--server", &stage.proxy.url("127.0.0.1"), "--ca"]).arg(&stage.authority);
    Process::run(&mut client).expect(0, &["You have no running game."]);
}

#[test]
fn tls_to_a_server_without_it_and_the_reverse_say_what_to_type() {
    let stage = Stage::new();
    let port = stage.server.address.port();
    let said = stage.refusals(&format!("https://localhost:{port}"), Some(&stage.authority));
    all_say(&said, &["TLS", &format!("--server http://localhost:{port}")]);
    let port = stage.proxy.address.port();
    let said = stage.refusals(&format!("localhost:{port}"), None);
    all_say(&said, &["TLS", &format!("--server https://localhost:{port}")]);
}

#[test]
fn a_proxy_that_sends_on_to_tls_is_understood() {
    let (listener, address) = plain_listener();
    let answers = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().expect("a client");
            answer(
                &mut stream,
                "HTTP/1.1 308 Permanent Redirect\r\nLocation: https://localhost/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
        }
    });
    let stage = Stage::new();
    let said = stage.refusals(&format!("http://localhost:{}", address.port()), None);
    all_say(&said, &["the server requires an encrypted connection", "--server https://localhost."]);
    answers.join().expect("both answered");
}

#[test]
fn a_file_that_is_no_authority_is_refused_before_anything_is_dialed() {
    let stage = Stage::new();
    let file = stage.site.path().join("wrong.pem");
    std::fs::write(&file, "not a certificate").expect("written");
    for words in [&["games"][..], &["leaderboard"], &["record", "0123456789ab"]] {
        let mut client = stage.site.client_command("ann", words);
        let ended = Process::run(client.args(["--server", "localhost:1", "--ca"]).arg(&file));
        ended.expect(2, &["--ca", "wrong.pem", "it contains no certificate", "BEGIN CERTIFICATE"]);
    }
}

#[test]
fn webhooks_use_tls_with_authorities_of_the_operator() {
    let (listener, address) = plain_listener();
    let folder = tempfile::tempdir().expect("a folder");
    let authority = Authority::new();
    let hook = Proxy::before(address, authority.certificate(&["localhost"], Validity::Now));
    let answers = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("the server calls");
        answer(&mut stream, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    });
    let tested = |flags: &[&str]| {
        let site = Site::new();
        let server = Server::start(site.server_command(0).arg("--webhooks-to-private").args(flags));
        let ann = |words: &[&str], lines: &[&str]| {
            let mut client = site.client_command("ann", words);
            run(client.args(["--server", &server.address.to_string()]), lines)
        };
        ann(&["signup", "Ann"], &[PASSWORD]).expect(0, &["Welcome, Ann"]);
        ann(&["webhook", "set", &hook.url("localhost")], &[]).expect(0, &["is sent to"]);
        ann(&["webhook", "test"], &[])
    };
    tested(&[]).expect(1, &["The test notice was not delivered", "this address cannot be reached from here"]);
    let file = authority.file(folder.path());
    let trusting = tested(&["--webhook-ca", file.to_str().expect("text")]);
    trusting.expect(0, &["The webhook works. The test was answered with 204."]);
    assert!(answers.join().expect("it was called").starts_with("POST / HTTP/1.1"));
}

#[test]
fn a_server_refuses_to_start_with_invalid_authorities() {
    let site = Site::new();
    let file = site.path().join("wrong.pem");
    std::fs::write(&file, "not a certificate").expect("written");
    let mut command = site.server_command(0);
    let ended = Process::run(command.arg("--webhook-ca").arg(&file));
    ended.expect(2, &["--webhook-ca", "wrong.pem", "it contains no certificate"]);
}

fn plain_listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    (listener, address)
}

/// Reads a whole request, answers it, and returns it. The answer might be lost if it were sent
/// before the whole request has been read.
fn answer(stream: &mut TcpStream, answer: &str) -> String {
    let mut text = String::new();
    let mut bytes = [0; 4096];
    while !is_whole(&text) {
        let count = stream.read(&mut bytes).expect("a request");
        assert!(count > 0, "it ended in the middle: {text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    stream.write_all(answer.as_bytes()).expect("answered");
    text
}

fn is_whole(request: &str) -> bool {
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return false };
    let length = head.to_ascii_lowercase().lines().find_map(|line| {
        let value = line.strip_prefix("content-length:")?;
        value.trim().parse::<usize>().ok()
    });
    body.len() >= length.unwrap_or(0)
}
