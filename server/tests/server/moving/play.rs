//! Fills a service with games, as its users do.

use std::path::PathBuf;

use flagfall_board::{GameId, PerSide, Side};
use flagfall_bots::{Effort, HousePlayer, Level};
use flagfall_protocol::{Accepted, ClientToServer, GameCommand, GameView, ServerToClient, Terms, Time};
use flagfall_rules::{Command, Phase, Ruleset, View};

use crate::common::Client;
use crate::histories::ask;

/// How a game ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    Resigned(Side),
    Drawn,
    Aborted,
    /// The game goes on.
    Running,
    /// The game is played until somebody has won, at most this many plies.
    Natural,
}

/// Maximum number of plies of a game that ends by itself.
const NATURAL_PLIES: u16 = 2_000;

/// Two accounts with a connection each. The first one plays Red.
pub(super) struct Pair {
    pub(super) clients: PerSide<Client>,
    pub(super) commands: u32,
    /// Deployments that people made, for each ruleset. Empty if the files are missing.
    pub(super) setups: Vec<(&'static str, Vec<String>)>,
}

/// Reads deployments that people made. They are not part of this repository.
pub(super) fn setups_of_people() -> Vec<(&'static str, Vec<String>)> {
    let folder = std::env::var_os("FLAGFALL_TEST_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")),
        PathBuf::from,
    );
    let read = |ruleset: &'static str| {
        let text = std::fs::read_to_string(folder.join(format!("setups-{ruleset}.txt"))).ok()?;
        Some((ruleset, text.lines().map(str::to_owned).collect()))
    };
    let found: Vec<_> = ["classic", "barrage"].into_iter().filter_map(read).collect();
    if found.is_empty() {
        eprintln!("no deployments of people in {}: all are made up", folder.display());
    }
    found
}

impl Pair {
    fn next_id(&mut self) -> String {
        self.commands += 1;
        format!("c{}", self.commands)
    }

    async fn view(&mut self, side: Side, game: GameId) -> GameView {
        let client = &mut self.clients[side];
        client.tell(&ClientToServer::OpenGame { game, since: None }).await;
        client
            .find(|message| match message {
                ServerToClient::Game { game: summary, view, .. } if summary.id == game => Some(view),
                _ => None,
            })
            .await
    }

    async fn act(&mut self, side: Side, game: GameId, ply: u16, command: GameCommand) {
        let cmd_id = self.next_id().parse().unwrap();
        let command = ClientToServer::Command { cmd_id, game, ply, epoch: None, command };
        ask(&mut self.clients[side], command).await;
    }

    /// Returns the deployment of a person for a ruleset, if there is one.
    fn setup_of_a_person(&mut self, ruleset: &str) -> Option<GameCommand> {
        let (_, setups) = self.setups.iter_mut().find(|(of, _)| *of == ruleset)?;
        Some(GameCommand::Deploy { setup: setups.pop()? })
    }

    /// Plays a game for this number of plies, and then to its end.
    pub(super) async fn play(
        &mut self,
        ruleset: &'static Ruleset,
        terms: Terms,
        plies: u16,
        ending: Ending,
    ) -> GameId {
        let cmd_id = self.next_id().parse().unwrap();
        let asked = ClientToServer::Challenge { cmd_id, terms, side: Some(Side::Red) };
        let asked = ask(&mut self.clients.red, asked).await;
        let Accepted::Challenge { challenge, .. } = asked else { panic!("{asked:?}") };
        let cmd_id = self.next_id().parse().unwrap();
        let taken = ClientToServer::AcceptChallenge { cmd_id, challenge, secret: false };
        let started = ask(&mut self.clients.blue, taken).await;
        let Accepted::Started { game, .. } = started else { panic!("{started:?}") };
        if ending == Ending::Aborted {
            self.act(Side::Blue, game, 0, GameCommand::Abort {}).await;
            return game;
        }
        let seed = u64::from(self.commands);
        let mut minds =
            PerSide::from_fn(|side| HousePlayer::new(Level::Simple, side, seed, Effort { nodes: 1 }));
        let last = if ending == Ending::Natural { NATURAL_PLIES } else { plies };
        'game: loop {
            for side in Side::BOTH {
                let view = View::of(self.view(side, game).await).unwrap();
                if view.phase == Phase::Over {
                    return game;
                }
                if view.phase == Phase::Playing && view.ply >= last {
                    self.end(game, view.ply, ending).await;
                    break 'game;
                }
                let command = match minds[side].choose(&view) {
                    Some(Command::Deploy(setup)) => {
                        let own = self.setup_of_a_person(ruleset.id);
                        own.unwrap_or_else(|| GameCommand::Deploy {
                            setup: setup.deploy(side, ruleset).unwrap().into_text(),
                        })
                    }
                    Some(command) => GameCommand::from_command(&command).unwrap(),
                    None => continue,
                };
                self.act(side, game, view.ply, command).await;
            }
        }
        game
    }

    async fn end(&mut self, game: GameId, ply: u16, ending: Ending) {
        match ending {
            Ending::Resigned(side) => self.act(side, game, ply, GameCommand::Resign {}).await,
            Ending::Drawn => {
                self.act(Side::Red, game, ply, GameCommand::OfferDraw {}).await;
                self.act(Side::Blue, game, ply, GameCommand::AcceptDraw {}).await;
            }
            Ending::Natural | Ending::Aborted | Ending::Running => {}
        }
    }
}

/// Returns the terms of a game with a live clock.
pub(super) fn terms(ruleset: &Ruleset, private: bool, rated: bool) -> Terms {
    let time = Time::Fischer { base_s: 600, increment_s: 5 };
    Terms { ruleset: ruleset.id.to_owned(), time, private, secret: false, rated }
}
