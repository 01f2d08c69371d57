//! Generates the tables and the examples of docs/protocol/messages.md from the code.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod tables;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use flagfall_board::{GameId, PerSide, Side, Stamp};
use flagfall_protocol::{
    Accepted, ClientToServer, EventPosition, GameCommand, GameEvent, GameHead, GameSummary, GameView,
    LobbyLists, PROTOCOL_VERSION, Player, PlayerKind, Presence, Recorder, Refusal, Secret, Seek, SeenOutcome,
    ServerToClient, Terms, Time, ViewChange,
};
use flagfall_rules::{
    Command, Entropy, Event, Game, GameTerms, Move, Ruleset, Setup, TimeControl, Viewer, decide, evolve, see,
    see_change, view,
};
use flagfall_tests::check_generated;
use serde::Serialize;

const EXAMPLES: [&str; 2] = [
    "<!-- examples: made by `cargo test -p flagfall-protocol`; do not edit -->\n",
    "<!-- end of examples -->\n",
];
const TABLES: [&str; 2] =
    ["<!-- tables: made by `cargo test -p flagfall-protocol`; do not edit -->\n", "<!-- end of tables -->\n"];
const CREATED: Stamp = Stamp(1_764_000_000_000);
/// The epoch of the store.
const OPENED_IN: u64 = CREATED.0;
const RED: &str = "9....1..9. .......... .S........ F8B2......";
const BLUE: &str = "..9.1..... ...9...... ..S....... ......2B8F";

struct Shown {
    game: Game,
    seq: u64,
    at: Stamp,
    /// The events that Red received, with their times and changes.
    log: Vec<(Stamp, GameEvent, ViewChange)>,
    recorder: Recorder,
}

impl Shown {
    fn new() -> Shown {
        let terms = GameTerms {
            game: id(),
            ruleset: Ruleset::find("barrage").unwrap(),
            lakes: Ruleset::find("barrage").unwrap().shape.lakes,
            time: TimeControl::Fischer { base_ms: 600_000, increment_ms: 5_000 },
            deploy_ms: 300_000,
            created: CREATED,
            secret: PerSide::default(),
        };
        let game = Game::new(terms);
        Shown { recorder: Recorder::new(game.clone()), game, seq: 0, at: CREATED, log: Vec::new() }
    }

    fn act(&mut self, side: Side, command: &Command) {
        self.at = self.at.plus_ms(4_000);
        let entropy = Entropy([if side == Side::Red { 17 } else { 34 }; 32]);
        let events = decide(&self.game, side, self.game.ply(), command, self.at, &entropy).unwrap();
        for event in events {
            self.take(&event);
        }
    }

    fn take(&mut self, event: &Event) {
        evolve(&mut self.game, event, self.at);
        self.recorder.note(event, self.at);
        let viewer = Viewer::Player(Side::Red);
        if let Some(seen) = see(event, &self.game, viewer) {
            self.seq += 1;
            let change = see_change(event, &self.game, viewer, self.at);
            self.log.push((self.at, seen, change));
        }
    }

    fn play(&mut self, side: Side, squares: &str) {
        self.act(side, &Command::Move(squares.parse().unwrap()));
    }

    fn deploy(&mut self, side: Side, text: &str) {
        let ruleset = self.game.terms().ruleset;
        self.act(side, &Command::Deploy(Setup::from_text(text, side, ruleset).unwrap()));
    }

    fn view(&self) -> GameView {
        view(&self.game, Viewer::Player(Side::Red), self.at).seen
    }

    fn event(&self, index: usize) -> ServerToClient {
        let (_, event, change) = self.log[index].clone();
        ServerToClient::Event { game: id(), seq: index as u64 + 1, event, change, abort: None }
    }
}

fn id() -> GameId {
    "0fxm529wdncz".parse().unwrap()
}

fn player(id: &str, name: &str, kind: PlayerKind) -> Player {
    Player { id: id.to_owned(), name: name.to_owned(), kind }
}

fn terms() -> Terms {
    Terms {
        ruleset: "barrage".to_owned(),
        time: Time::Fischer { base_s: 600, increment_s: 5 },
        private: false,
        secret: false,
        rated: false,
    }
}

fn summary(game: &Game) -> GameSummary {
    GameSummary {
        id: id(),
        terms: terms(),
        players: PerSide::new(
            player("ngb26gkdxbq5", "ana", PlayerKind::Guest),
            player("house-random", "random", PlayerKind::House),
        ),
        created: CREATED.0,
        phase: game.phase(),
        ply: game.ply(),
        turn: game.turn(),
        outcome: game.outcome().map(SeenOutcome::from),
    }
}

struct Page(String);

impl Page {
    fn heading(&mut self, text: &str) {
        write!(self.0, "\n#### {text}\n\n").unwrap();
    }

    fn example(&mut self, who: &str, message: &impl Serialize) {
        writeln!(self.0, "{who}\n\n```json\n{}\n```\n", serde_json::to_string(message).unwrap()).unwrap();
    }
}

fn examples() -> String {
    let mut page = Page(String::new());
    let cmd = |text: &str| text.parse().unwrap();
    page.heading("Hello");
    let hello = ClientToServer::Hello {
        protocol: PROTOCOL_VERSION,
        token: None,
        name: Some("ana".to_owned()),
        client: Some("my-client 1.0".to_owned()),
        session: false,
    };
    page.example("A new guest says hello:", &hello);
    let welcome = ServerToClient::Welcome {
        protocol: PROTOCOL_VERSION,
        server: "flagfall-server 0.1.0".to_owned(),
        player: Some(player("ngb26gkdxbq5", "ana", PlayerKind::Guest)),
        token: Some(Secret::new("keep-this-secret")),
        server_time: CREATED.0,
        claim_seconds: Some(60),
        games: Vec::new(),
        page: None,
        about: false,
        lobby_changes: true,
        page_url: Some("https://play.example.org".to_owned()),
    };
    page.example("The server answers. With the token, the client is the same guest next time:", &welcome);

    page.heading("Lobby");
    let seek =
        ClientToServer::Seek { cmd_id: cmd("c-1"), terms: terms(), side: Some(Side::Red), rating: None };
    page.example("A seek, open to anyone:", &seek);
    let accepted = Accepted::Seek { seek: "7hqz2m4kx0ab".to_owned() };
    page.example(
        "The server accepts it:",
        &ServerToClient::Accepted { cmd_id: cmd("c-1"), outcome: accepted },
    );
    let seek = Seek {
        id: "7hqz2m4kx0ab".to_owned(),
        seeker: player("ngb26gkdxbq5", "ana", PlayerKind::Guest),
        terms: terms(),
        side: Some(Side::Red),
        rating: None,
        seeker_rating: None,
    };
    let before = LobbyLists {
        seeks: vec![Seek { id: "m4kx0ab7hqz2".to_owned(), ..seek.clone() }],
        ..LobbyLists::default()
    };
    let after = LobbyLists { seeks: vec![before.seeks[0].clone(), seek.clone()], ..LobbyLists::default() };
    let change = before.change_to(&after);
    let lobby =
        ServerToClient::Lobby { seeks: vec![seek], games: Vec::new(), players_online: 2, number: None };
    page.example("Every client that has the lobby open receives the whole lobby:", &lobby);
    let changed = ServerToClient::LobbyChanged { number: 8, change, players_online: 2 };
    page.example(
        "A client that asked for changes receives, when the same player opens another seek:",
        &changed,
    );
    let bot = ClientToServer::PlayBot {
        cmd_id: cmd("c-2"),
        bot: "random".to_owned(),
        terms: terms(),
        side: Some(Side::Red),
    };
    page.example("A game against the house:", &bot);
    let mut shown = Shown::new();
    let started = Accepted::Started { game: id(), side: Side::Red };
    page.example("The game is made:", &ServerToClient::Accepted { cmd_id: cmd("c-2"), outcome: started });
    let started = ServerToClient::GameStarted { game: summary(&shown.game), side: Side::Red };
    page.example("All connections of a player receive the player's new games:", &started);

    page.heading("A game");
    page.example("Open it:", &ClientToServer::OpenGame { game: id(), since: None });
    shown.deploy(Side::Blue, BLUE);
    let opened = |shown: &Shown, events: Vec<GameEvent>| ServerToClient::Game {
        game: summary(&shown.game),
        audience: Viewer::Player(Side::Red),
        driving: true,
        epoch: OPENED_IN,
        seq: shown.seq,
        view: shown.view(),
        events,
        presence: PerSide::new(Presence::Present, Presence::Present),
        left: PerSide::default(),
        claimable_at: PerSide::default(),
        rematch: Vec::new(),
        abort: None,
    };
    page.example(
        "The whole view. Blue is ready. Nothing else is known about Blue:",
        &opened(&shown, Vec::new()),
    );
    let deploy = GameCommand::Deploy { setup: RED.to_owned() };
    let command = ClientToServer::Command {
        cmd_id: cmd("c-3"),
        game: id(),
        ply: 0,
        epoch: Some(OPENED_IN),
        command: deploy,
    };
    page.example("Red deploys:", &command);
    shown.deploy(Side::Red, RED);
    page.example("Red's own deployment, as an event:", &shown.event(1));
    page.example("The game starts. Blue's pieces are `?`:", &shown.event(2));
    let done = Accepted::Game { game: id(), seq: shown.seq };
    page.example(
        "The command is accepted and on disk:",
        &ServerToClient::Accepted { cmd_id: cmd("c-3"), outcome: done },
    );
    let go = GameCommand::from("a4a7".parse::<Move>().unwrap());
    let command = ClientToServer::Command {
        cmd_id: cmd("c-4"),
        game: id(),
        ply: 0,
        epoch: Some(OPENED_IN),
        command: go,
    };
    page.example("A Scout moves three squares, which shows that it is a Scout:", &command);
    shown.play(Side::Red, "a4a7");
    page.example("Everybody sees it:", &shown.event(3));
    shown.play(Side::Blue, "f7f6");
    page.example("Blue answers with a piece that stays hidden:", &shown.event(4));
    shown.play(Side::Red, "f4f5");
    shown.play(Side::Blue, "f6f5");
    page.example("A strike. Both ranks are public now:", &shown.event(6));

    page.heading("Refusals");
    let refusal = Refusal::from(&flagfall_rules::Refusal::StalePly { named: 3, current: 4 });
    let message = flagfall_words::english().refusal(&refusal);
    let Refusal { code, args } = refusal;
    let refused = ServerToClient::Refused {
        cmd_id: Some(cmd("c-9")),
        game: Some(id()),
        code,
        args,
        message,
        seq: Some(shown.seq),
        request: Some("4f7d20a1c96be358".to_owned()),
    };
    page.example("A command for an earlier ply is refused:", &refused);

    page.heading("Coming back");
    let since = Some(EventPosition { epoch: OPENED_IN, seq: 5 });
    page.example(
        "After a dropped connection, send `hello` with the token, then:",
        &ClientToServer::OpenGame { game: id(), since },
    );
    let missed = shown.log[5..].iter().map(|(_, event, _)| event.clone()).collect();
    page.example("The view, with the missed events:", &opened(&shown, missed));
    let ping = ServerToClient::Ping {
        id: 12,
        server_time: shown.at.0,
        heads: vec![GameHead { game: id(), seq: shown.seq }],
        pool: None,
    };
    page.example("Every five seconds the server sends:", &ping);
    page.example("The client answers:", &ClientToServer::Pong { id: 12 });

    page.heading("An absence");
    let gone = |presence| ServerToClient::Presence { game: id(), side: Side::Blue, presence, left: true };
    page.example(
        "Blue closes the game. Every client that has the game open immediately receives:",
        &gone(Presence::Reconnecting),
    );
    page.example("Half a minute later:", &gone(Presence::Away));
    let at = Some(shown.at.0 + 30_000);
    let claimable = ServerToClient::Claimable { game: id(), gone: Side::Blue, at };
    page.example("Red may claim the game from this time on, unless Blue is back by then:", &claimable);
    let claim = GameCommand::Claim { result: flagfall_protocol::ClaimedResult::Draw };
    let claim = ClientToServer::Command {
        cmd_id: cmd("c-8"),
        game: id(),
        ply: 4,
        epoch: Some(OPENED_IN),
        command: claim,
    };
    page.example("Red claims a draw:", &claim);

    page.heading("The end");
    shown.act(Side::Blue, &Command::Resign);
    page.example("Deployments and salts are opened:", &shown.event(7));
    let players = summary(&shown.game).players;
    let record = shown.recorder.record(Viewer::Player(Side::Red), terms(), players);
    page.example("The record, from `/api/games/0fxm529wdncz/record`:", &record);
    page.0
}

/// Returns the path of a page of the protocol's documentation.
fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol").join(name)
}

fn read(name: &str) -> String {
    std::fs::read_to_string(page(name)).unwrap()
}

/// Returns the page, with this text inserted between the two markers.
fn with_between(page: &str, [begin, end]: [&str; 2], text: &str) -> String {
    let (before, rest) = page.split_once(begin).unwrap_or_else(|| panic!("{begin} is missing"));
    let (_, after) = rest.split_once(end).unwrap_or_else(|| panic!("{end} is missing"));
    format!("{before}{begin}{text}\n{end}{after}")
}

#[test]
fn the_tables_and_examples_of_the_messages_are_fresh() {
    let document = with_between(&read("messages.md"), TABLES, &tables::tables());
    let document = with_between(&document, EXAMPLES, &examples());
    check_generated(&page("messages.md"), &document, "flagfall-protocol");
}

/// This test reads the schemas in the repository, so that it does not depend on the code that
/// generates the tables.
#[test]
fn the_documents_name_everything_that_is_sent() {
    let pages: String =
        ["README.md", "messages.md", "rulesets.md", "outages.md", "http.md", "RECORDS.md"].map(read).concat();
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    let mut count = 0;
    for schema in ["client_to_server.json", "server_to_client.json", "record.json"] {
        let schema = std::fs::read_to_string(schemas.join(schema)).unwrap();
        for name in tables::names(&serde_json::from_str(&schema).unwrap()) {
            assert!(pages.contains(&format!("`{name}`")), "docs/protocol does not name {name}");
            count += 1;
        }
    }
    assert!(count > 300, "{count} names are found in the schemas");
}

#[test]
fn every_message_and_game_command_is_explained_outside_the_tables() {
    let messages = with_between(&with_between(&read("messages.md"), TABLES, ""), EXAMPLES, "");
    let pages = messages + &["README.md", "rulesets.md", "outages.md"].map(read).concat();
    let names = tables::messages_and_commands();
    assert!(names.len() > 50, "{names:?}");
    for name in names {
        assert!(pages.contains(&format!("`{name}`")), "no text of docs/protocol is about {name}");
    }
}

#[test]
fn the_documents_name_every_refusal_of_the_rules() {
    let document = read("messages.md");
    let source =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/src/refusal.rs"))
            .unwrap();
    let values = source.split(" = \"").skip(1).filter_map(|rest| rest.split('"').next());
    // A value with a space is not a code, but the reason in an attribute, such as `reason = "…"`.
    let codes: Vec<&str> = values.filter(|code| !code.contains(' ')).collect();
    assert!(codes.len() > 20, "the codes are found in the source");
    for code in codes {
        assert!(document.contains(&format!("`{code}`")), "docs/protocol/messages.md does not name {code}");
    }
}

#[test]
fn unknown_fields_are_refused_in_every_message() {
    let messages = [
        r#"{"type":"hello","protocol":1}"#,
        r#"{"type":"pong","id":1}"#,
        r#"{"type":"open_lobby"}"#,
        r#"{"type":"close_lobby"}"#,
        r#"{"type":"my_games"}"#,
        r#"{"type":"cancel_seek","cmd_id":"c","seek":"s"}"#,
        r#"{"type":"accept_seek","cmd_id":"c","seek":"s"}"#,
        r#"{"type":"show_challenge","challenge":"s"}"#,
        r#"{"type":"accept_challenge","cmd_id":"c","challenge":"s"}"#,
        r#"{"type":"cancel_challenge","cmd_id":"c","challenge":"s"}"#,
        r#"{"type":"open_game","game":"0fxm529wdncz"}"#,
        r#"{"type":"close_game","game":"0fxm529wdncz"}"#,
        r#"{"type":"rematch","cmd_id":"c","game":"0fxm529wdncz"}"#,
        r#"{"type":"command","cmd_id":"c","game":"0fxm529wdncz","ply":0,"command":{"kind":"resign"}}"#,
    ];
    for message in messages {
        assert!(serde_json::from_str::<ClientToServer>(message).is_ok(), "{message}");
        let stranger = message.replacen('{', r#"{"stranger":1,"#, 1);
        assert!(serde_json::from_str::<ClientToServer>(&stranger).is_err(), "{stranger}");
    }
    let inner =
        r#"{"type":"command","cmd_id":"c","game":"0fxm529wdncz","ply":0,"command":{"kind":"resign","x":1}}"#;
    assert!(serde_json::from_str::<ClientToServer>(inner).is_err());
}
