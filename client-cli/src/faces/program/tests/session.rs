//! Tests of sessions with broken connections and servers that refuse commands.

use std::time::Duration;

use flagfall_board::{Chance, PerSide, Side};
use flagfall_protocol::{
    Accepted, ClientToServer, Code, CommandId, GameCommand, GameSummary, GameView, RefusalArgs,
    ServerToClient, Time,
};
use flagfall_rules::rulesets::PBM_SMALL;
use flagfall_umpire::bout;

use super::host::Host;
use super::{Program, said};
use crate::faces::program::dialogue::Limits;
use crate::faces::program::session::{Input, Output, Session};
use crate::fixtures::{START, options};
use crate::model::{Effect, Face, Goal, Link, Message, Model, Wish};
use crate::random::Random;

/// Returns a session of player p1, online and waiting for an opponent.
fn session(games: Option<u32>) -> Session {
    let wish =
        Wish { ruleset: Some("pbm-small".to_owned()), time: Some(Time::Unlimited {}), ..Wish::default() };
    let options = crate::model::Options { face: Face::Program, ..options() };
    let mut model = Model::new(options, Goal::Play(wish), Random::Seeded(Chance::new(5)));
    model.clock.now = START;
    let mut session = Session::new(model, Limits::default(), games);
    client(&mut session, Message::Started);
    connect(&mut session);
    let sent = receives(&mut session, lobby());
    let [ClientToServer::Seek { cmd_id, .. }] = &sends(&sent)[..] else { panic!("{sent:?}") };
    let outcome = Accepted::Seek { seek: "s1".to_owned() };
    receives(&mut session, ServerToClient::Accepted { cmd_id: cmd_id.clone(), outcome });
    session
}

fn lobby() -> ServerToClient {
    ServerToClient::Lobby { seeks: Vec::new(), games: Vec::new(), players_online: 1, number: None }
}

fn client(session: &mut Session, message: Message) -> Vec<Output> {
    session.step(Duration::ZERO, Input::Client(message))
}

fn receives(session: &mut Session, message: ServerToClient) -> Vec<Output> {
    client(session, Message::Received(Box::new(message)))
}

fn connect(session: &mut Session) -> Vec<Output> {
    connect_with(session, Vec::new())
}

/// Connects the session. The welcome lists these games as p1's running games.
fn connect_with(session: &mut Session, running: Vec<GameSummary>) -> Vec<Output> {
    client(session, Message::Connected);
    let welcome = format!(
        r#"{{"type":"welcome","protocol":1,"server":"test","player":{{"id":"p1","name":"ann","kind":"guest"}},"token":"t","server_time":{START},"games":[]}}"#
    );
    let mut welcome = serde_json::from_str(&welcome).expect("a welcome");
    if let ServerToClient::Welcome { games, .. } = &mut welcome {
        *games = running;
    }
    receives(session, welcome)
}

fn program(session: &mut Session, line: &str) -> Vec<Output> {
    session.step(Duration::ZERO, Input::Program(said(line)))
}

fn sends(outputs: &[Output]) -> Vec<ClientToServer> {
    outputs
        .iter()
        .filter_map(|output| match output {
            Output::Client(Effect::Send(message)) => Some(message.clone()),
            _ => None,
        })
        .collect()
}

fn told(outputs: &[Output]) -> String {
    outputs.iter().map(|output| if let Output::Tell(text) = output { text.as_str() } else { "" }).collect()
}

fn exit_code(outputs: &[Output]) -> Option<u8> {
    match outputs.last() {
        Some(Output::Client(Effect::Exit { code })) => Some(*code),
        _ => None,
    }
}

/// Starts the game, in which p1 plays this side.
fn begin(session: &mut Session, host: &Host, side: Side) -> Vec<Output> {
    let summary = host.summary.clone();
    let outputs = receives(session, ServerToClient::GameStarted { game: summary, side });
    let [ClientToServer::CloseLobby {}, ClientToServer::OpenGame { .. }] = &sends(&outputs)[..] else {
        panic!("{outputs:?}");
    };
    let mut outputs = receives(session, host.whole(side, None));
    outputs.retain(|output| !matches!(output, Output::Client(Effect::SaveSeat { .. })));
    outputs
}

fn host(id: u8) -> Host {
    Host::with_id(&PBM_SMALL, PBM_SMALL.shape.lakes, Time::Unlimited {}, id)
}

/// A session with its game, and programs for both sides. p1 is Red.
struct Stage {
    session: Session,
    host: Host,
    programs: PerSide<Program>,
}

impl Stage {
    /// Creates a stage on which Red has answered with its first move.
    fn new(games: Option<u32>) -> Stage {
        let mut stage = Stage {
            session: session(games),
            host: host(1),
            programs: PerSide::from_fn(|side| Program::new(&PBM_SMALL, side as u64)),
        };
        let mut outputs = begin(&mut stage.session, &stage.host, Side::Red);
        assert_eq!(outputs.remove(0), Output::Start(stage.host.id(), Side::Red));
        for event in stage.blue("BLUE ann 8 8\n") {
            assert_eq!(receives(&mut stage.session, event), []);
        }
        let deployed = stage.red(&told(&outputs));
        let shown = stage.serve(&deployed);
        assert!(told(&shown).starts_with("START\n"), "{shown:?}");
        let answered = stage.red(&told(&shown));
        assert!(matches!(sends(&answered)[..], [ClientToServer::Command { .. }]), "{answered:?}");
        // At this point the server has not received the move yet.
        stage
    }

    /// Passes text to Blue's program, and carries out the program's command.
    fn blue(&mut self, text: &str) -> Vec<ServerToClient> {
        let lines = self.programs.blue.hear(text);
        let command = if lines.len() > 1 {
            let setup =
                flagfall_umpire::line::deployment_text(&lines, Side::Blue, &PBM_SMALL).expect("a deployment");
            GameCommand::Deploy { setup }
        } else {
            GameCommand::Resign {}
        };
        self.host.ask(Side::Blue, &command).expect("taken").red
    }

    /// Passes text to Red's program. Returns the outputs after its answer.
    fn red(&mut self, text: &str) -> Vec<Output> {
        let lines = self.programs.red.hear(text);
        lines.iter().flat_map(|line| program(&mut self.session, line)).collect()
    }

    /// Makes the server accept the command in `outputs`. Returns the session's new outputs.
    fn serve(&mut self, outputs: &[Output]) -> Vec<Output> {
        let [ClientToServer::Command { cmd_id, command, .. }] = &sends(outputs)[..] else {
            panic!("{outputs:?}")
        };
        let events = self.host.ask(Side::Red, command).expect("taken").red;
        let mut outputs = Vec::new();
        for event in events {
            outputs.extend(receives(&mut self.session, event));
        }
        outputs.extend(receives(&mut self.session, accepted(&self.host, cmd_id)));
        outputs
    }

    /// Returns the command that has no answer yet.
    fn pending(&self) -> ClientToServer {
        let pending = &self.session.model.connection.pending;
        assert_eq!(pending.len(), 1, "{pending:?}");
        pending[0].message.clone()
    }

    fn refuse(&mut self, code: &str) -> Vec<Output> {
        let ClientToServer::Command { cmd_id, .. } = self.pending() else { panic!("a command") };
        let refused = ServerToClient::Refused {
            cmd_id: Some(cmd_id),
            game: Some(self.host.id()),
            code: Code::new(code),
            args: RefusalArgs::default(),
            message: "not now".to_owned(),
            seq: Some(self.host.seq(Side::Red)),
            request: None,
        };
        receives(&mut self.session, refused)
    }

    fn reconnect(&mut self) -> Vec<Output> {
        let lost =
            client(&mut self.session, Message::Disconnected { code: Some(4000), why: "stops".to_owned() });
        assert_eq!(lost, [Output::Client(Effect::Connect { delay_ms: 0 })], "the program hears nothing");
        let connection = &self.session.model.connection;
        assert_eq!((connection.link, connection.failures), (Link::Dialing, 0));
        connect_with(&mut self.session, vec![self.host.summary.clone()])
    }

    fn resigns(&mut self, side: Side) -> Vec<Output> {
        let events = self.host.ask(side, &GameCommand::Resign {}).expect("taken").red;
        events.into_iter().flat_map(|event| receives(&mut self.session, event)).collect()
    }
}

fn accepted(host: &Host, cmd_id: &CommandId) -> ServerToClient {
    let outcome = Accepted::Game { game: host.id(), seq: host.seq(Side::Red) };
    ServerToClient::Accepted { cmd_id: cmd_id.clone(), outcome }
}

fn command_of(message: &ClientToServer) -> (&CommandId, &GameCommand) {
    match message {
        ClientToServer::Command { cmd_id, command, .. } => (cmd_id, command),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_move_in_doubt_goes_out_again_with_its_id_and_is_made_once() {
    // The server receives the move, but its answer and the event arrive only on the next
    // connection.
    let mut stage = Stage::new(None);
    let first = stage.pending();
    let (cmd_id, command) = command_of(&first);
    let seq = stage.host.seq(Side::Red);
    stage.host.ask(Side::Red, command).expect("taken");
    let outputs = stage.reconnect();
    let [ClientToServer::OpenGame { since: Some(since), .. }, again] = &sends(&outputs)[..] else {
        panic!("{outputs:?}")
    };
    assert_eq!((since.seq, again), (seq, &first));
    let shown = receives(&mut stage.session, stage.host.whole(Side::Red, Some(seq)));
    assert!(told(&shown).ends_with(" OK\n") && told(&shown).lines().count() == 1, "{shown:?}");
    assert_eq!(sends(&shown), []);
    assert_eq!(receives(&mut stage.session, accepted(&stage.host, cmd_id)), []);
    assert_eq!(client(&mut stage.session, Message::Tick), []);
    assert_eq!(sends(&stage.reconnect()).len(), 1, "the game is opened, nothing is in doubt");
}

/// Returns the whole game in a new epoch.
fn in_next_epoch(host: &Host, change: impl FnOnce(&mut GameView)) -> ServerToClient {
    let mut whole = host.whole(Side::Red, None);
    let ServerToClient::Game { epoch, view, .. } = &mut whole else { panic!("{whole:?}") };
    *epoch += 1;
    change(view);
    whole
}

#[test]
fn a_move_that_a_new_epoch_does_not_take_is_made_again_where_the_board_is_the_same() {
    let mut stage = Stage::new(None);
    let first = stage.pending();
    stage.reconnect();
    assert_eq!(receives(&mut stage.session, in_next_epoch(&stage.host, |_| {})), []);
    assert_eq!(stage.refuse(Code::STALE_EPOCH), [], "the program hears nothing");
    let outputs = client(&mut stage.session, Message::Tick);
    let [again @ ClientToServer::Command { epoch: Some(epoch), .. }] = &sends(&outputs)[..] else {
        panic!("{outputs:?}")
    };
    assert!(command_of(again).1 == command_of(&first).1 && command_of(again).0 != command_of(&first).0);
    assert_eq!(Some(*epoch), stage.session.model.game.as_ref().map(|game| game.epoch));
    assert!(!stage.session.has_failed());
}

#[test]
fn a_program_whose_board_was_lost_does_not_play_on() {
    let mut stage = Stage::new(None);
    stage.reconnect();
    let whole = in_next_epoch(&stage.host, |view| {
        view.pieces.pop();
    });
    let outputs = receives(&mut stage.session, whole);
    assert!(stage.session.has_failed());
    // The session gives up the game, because the program's position no longer exists.
    let [ClientToServer::Command { epoch: Some(epoch), command: GameCommand::Resign {}, .. }] =
        &sends(&outputs)[..]
    else {
        panic!("{outputs:?}")
    };
    assert_eq!(Some(*epoch), stage.session.model.game.as_ref().map(|game| game.epoch));
}

#[test]
fn a_lost_move_is_sent_again_without_asking_the_program() {
    let mut stage = Stage::new(None);
    let first = stage.pending();
    let outputs = stage.reconnect();
    assert_eq!(told(&outputs), "");
    let shown = receives(&mut stage.session, stage.host.whole(Side::Red, Some(stage.host.seq(Side::Red))));
    assert_eq!(shown, []);
    assert_eq!(stage.pending(), first);
    let outcome = stage.serve(&[Output::Client(Effect::Send(first))]);
    assert!(told(&outcome).ends_with(" OK\n"), "{outcome:?}");
}

#[test]
fn a_temporary_refusal_is_retried_under_a_new_id() {
    for code in ["paused", Code::STORE_UNAVAILABLE, Code::INTERNAL, Code::STOPPING, Code::TOO_MANY] {
        let mut stage = Stage::new(None);
        let first = stage.pending();
        assert_eq!(stage.refuse(code), [], "{code}");
        let again = client(&mut stage.session, Message::Tick);
        let [again] = &sends(&again)[..] else { panic!("{again:?}") };
        assert_eq!(command_of(again).1, command_of(&first).1);
        assert_ne!(command_of(again).0, command_of(&first).0, "the log may hold the old id as refused");
        assert_eq!(client(&mut stage.session, Message::Tick), [], "it is on its way");
    }
}

#[test]
fn a_move_that_the_server_holds_against_the_rules_is_no_fault_of_the_program() {
    let mut stage = Stage::new(None);
    let outputs = stage.refuse("two_squares");
    assert!(outputs.contains(&Output::Mute));
    assert_eq!(command_of(&stage.pending()).1, &GameCommand::Resign {}, "its move may count as made");
    let ended = stage.resigns(Side::Red);
    assert_eq!(exit_code(&ended), Some(1));
}

#[test]
fn each_game_has_a_program_of_its_own_and_the_last_ends_the_session() {
    let mut stage = Stage::new(Some(2));
    stage.reconnect();
    receives(&mut stage.session, stage.host.whole(Side::Red, Some(stage.host.seq(Side::Red))));
    let over = stage.resigns(Side::Blue);
    assert!(told(&over).starts_with("QUIT ann RED DEFAULT 1 "), "{over:?}");
    assert!(over.contains(&Output::Finish));
    assert_eq!(exit_code(&over), None);
    assert!(matches!(sends(&over)[..], [ClientToServer::CloseGame { .. }, ClientToServer::OpenLobby { .. }]));
    assert!(matches!(sends(&receives(&mut stage.session, lobby()))[..], [ClientToServer::Seek { .. }]));
    assert!(!stage.session.model.notes.iter().any(|note| note.contains("You have a running game")));

    stage.host = host(2);
    let begun = begin(&mut stage.session, &stage.host, Side::Red);
    assert_eq!(
        begun[..2],
        [Output::Start(stage.host.id(), Side::Red), Output::Tell("RED ./bob 8 8\n".to_owned())]
    );
    let events = stage.host.ask(Side::Blue, &GameCommand::Abort {}).expect("taken").red;
    let over: Vec<Output> =
        events.into_iter().flat_map(|event| receives(&mut stage.session, event)).collect();
    assert_eq!(exit_code(&over), Some(0));
    assert_eq!(stage.session.tally.to_string(), "Games 2: won 1, drawn 0, lost 0, aborted 1.");
}

#[test]
fn a_program_that_dies_costs_its_game_and_ends_the_session_with_a_code_of_its_own() {
    let mut session = session(None);
    let host = &mut host(3);
    begin(&mut session, host, Side::Red);
    let outputs = session.step(Duration::ZERO, Input::Program(bout::Input::Gone(Side::Red)));
    let [sent] = &sends(&outputs)[..] else { panic!("{outputs:?}") };
    assert_eq!(command_of(sent).1, &GameCommand::Abort {});
    // The connection breaks before the server answers. The session must give up the game
    // as soon as it is connected again.
    client(&mut session, Message::Disconnected { code: None, why: "gone".to_owned() });
    let back = connect(&mut session);
    assert!(sends(&back).contains(sent));
    receives(&mut session, host.whole(Side::Red, Some(0)));
    let events = host.ask(Side::Red, &GameCommand::Abort {}).expect("taken").red;
    let over: Vec<Output> = events.into_iter().flat_map(|event| receives(&mut session, event)).collect();
    assert_eq!(told(&over), "QUIT ann RED INTERNAL_ERROR 0 0 0\n");
    assert!(over.contains(&Output::Finish));
    assert_eq!(exit_code(&over), Some(9));
}

#[test]
fn the_program_ends_before_its_session() {
    let ends = |mut stage: Stage, message: Message, code: u8| {
        let outputs = client(&mut stage.session, message);
        let finish = outputs.iter().position(|output| *output == Output::Finish);
        assert_eq!((finish.is_some(), exit_code(&outputs)), (true, Some(code)), "{outputs:?}");
    };
    let received = |message| Message::Received(Box::new(message));
    let game = host(1).id();
    for code in [4100, 4102, 4104] {
        ends(Stage::new(None), Message::Disconnected { code: Some(code), why: "no".to_owned() }, 1);
    }
    ends(Stage::new(None), received(ServerToClient::Superseded { game }), 1);
    ends(
        Stage::new(None),
        received(ServerToClient::GameUnavailable {
            game,
            code: None,
            message: "damaged".to_owned(),
            request: None,
        }),
        1,
    );
    let gone = ServerToClient::Refused {
        cmd_id: None,
        game: Some(game),
        code: Code::new(Code::NO_SUCH_GAME),
        args: RefusalArgs::default(),
        message: "there is no such game".to_owned(),
        seq: None,
        request: None,
    };
    ends(Stage::new(None), received(gone), 1);
}

#[test]
fn a_stop_gives_the_game_up_and_a_second_one_does_not_wait() {
    let mut stage = Stage::new(None);
    let outputs = stage.session.step(Duration::ZERO, Input::Stop);
    assert!(outputs.contains(&Output::Mute));
    assert!(sends(&outputs).iter().any(|sent| *command_of(sent).1 == GameCommand::Resign {}), "{outputs:?}");
    let over = stage.resigns(Side::Red);
    assert_eq!((exit_code(&over), told(&over).is_empty()), (Some(130), false));

    let mut stage = Stage::new(None);
    assert_eq!(exit_code(&stage.session.step(Duration::ZERO, Input::Stop)), None);
    let outputs = stage.session.step(Duration::ZERO, Input::Stop);
    assert_eq!((exit_code(&outputs), outputs.contains(&Output::Finish)), (Some(130), true));

    // If the server does not answer, the session ends after a few ticks.
    let mut stage = Stage::new(None);
    assert_eq!(exit_code(&stage.session.step(Duration::ZERO, Input::Stop)), None);
    let code = (0..4).find_map(|_| exit_code(&client(&mut stage.session, Message::Tick)));
    assert_eq!(code, Some(130));

    let mut waiting = session(None);
    let outputs = waiting.step(Duration::ZERO, Input::Stop);
    assert!(matches!(sends(&outputs)[..], [ClientToServer::CancelSeek { .. }]));
    assert_eq!((exit_code(&outputs), outputs.contains(&Output::Finish)), (Some(0), false));
}

#[test]
fn a_game_that_has_begun_is_not_for_a_program() {
    let mut stage = Stage::new(None);
    let begun: GameSummary = stage.host.summary.clone();
    let mut other = session(None);
    receives(&mut other, ServerToClient::GameStarted { game: begun, side: Side::Red });
    let outputs = receives(&mut other, stage.host.whole(Side::Red, None));
    assert!(
        matches!(&outputs[..], [.., Output::Complain(why), Output::Client(Effect::Exit { code: 1 })] if why.contains("has begun"))
    );
    assert_eq!(sends(&stage.reconnect()).len(), 2);
}
