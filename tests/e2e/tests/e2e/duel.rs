//! Two clients in a game, with a copy of the game inside the test.

use flagfall_board::{PerSide, Side, Square, SquareSet};
use flagfall_e2e::{Client, Mirror, Ply, Server, Site};
use flagfall_rules::{Lakes, Ruleset};

/// Red is Ann, Blue is Bob.
pub(crate) struct Duel {
    pub(crate) id: String,
    pub(crate) mirror: Mirror,
    pub(crate) clients: PerSide<Client>,
}

impl Duel {
    /// Starts a game: Ann offers it, Bob accepts, and both deploy.
    pub(crate) fn begin(server: &Server, site: &Site, ruleset: &str, time: &str, seed: u64) -> Duel {
        Duel::begin_with(server, site, &["--rules", ruleset, "--time", time], ruleset, seed)
    }

    /// Like [`Duel::begin`], but with these arguments for both clients.
    #[expect(clippy::print_stdout, reason = "a test that fails shows its seed")]
    pub(crate) fn begin_with(server: &Server, site: &Site, words: &[&str], ruleset: &str, seed: u64) -> Duel {
        println!("{ruleset}: seed {seed}");
        let mut red = server.client(site, "ann", &[&["play", "--side", "red"], words].concat());
        red.expect("Your offer is in the lobby");
        let mut blue = server.client(site, "bob", &[&["play"], words].concat());
        // If the server already has a player named Ann, the new Ann has a number after her name.
        blue.expect("You take ann");
        let id = blue.game();
        assert_eq!(red.game(), id);
        let is_drawn = Ruleset::find(ruleset).is_some_and(|ruleset| ruleset.lakes == Lakes::Drawn);
        let lakes = is_drawn.then(|| {
            let told = [&mut red, &mut blue].map(|client| lakes(&client.expect("The lakes of this game")));
            assert_eq!(told[0], told[1], "both are told the same lakes");
            told[0]
        });
        Duel::deployed(id, Mirror::new(ruleset, seed, lakes), PerSide::new(red, blue))
    }

    /// Lets both sides deploy in a new game without drawn lakes.
    pub(crate) fn between(id: String, ruleset: &str, seed: u64, red: Client, blue: Client) -> Duel {
        Duel::deployed(id, Mirror::new(ruleset, seed, None), PerSide::new(red, blue))
    }

    fn deployed(id: String, mirror: Mirror, mut clients: PerSide<Client>) -> Duel {
        for side in Side::BOTH.into_iter().filter(|side| !mirror.setups[*side].is_empty()) {
            clients[side].type_line(&format!("deploy {}", mirror.setups[side]));
        }
        for side in Side::BOTH.into_iter().filter(|side| !mirror.setups[*side].is_empty()) {
            clients[side].expect("The game starts.");
        }
        Duel { id, mirror, clients }
    }

    /// A spectator who has opened the game.
    pub(crate) fn spectator(&self, server: &Server, site: &Site, name: &str) -> Client {
        let mut spectator = server.client(site, name, &["watch", &self.id]);
        assert_eq!(spectator.game(), self.id);
        spectator
    }

    /// Types a random legal move and waits until both players have read it.
    pub(crate) fn play(&mut self) -> Ply {
        let ply = self.mirror.play();
        self.carry_out(&ply);
        ply
    }

    /// Plays this many plies without a strike.
    pub(crate) fn play_quietly(&mut self, plies: usize) {
        for _ in 0..plies {
            let ply = self.mirror.play_quietly();
            self.carry_out(&ply);
            assert_eq!(ply.end, None);
        }
    }

    fn carry_out(&mut self, ply: &Ply) {
        self.clients[ply.side].type_line(&ply.typed);
        for side in Side::BOTH {
            for sentence in &ply.heard[side] {
                self.clients[side].expect(sentence);
            }
        }
    }

    /// Waits until both players have read this text.
    pub(crate) fn expect(&mut self, part: &str) {
        for side in Side::BOTH {
            self.clients[side].expect(part);
        }
    }
}

/// Returns the lakes that are listed at the end of a line.
fn lakes(line: &str) -> SquareSet {
    let squares = line.rsplit(':').next().unwrap_or_default().trim().trim_end_matches('.');
    squares.split(' ').map(|square| square.parse::<Square>().expect("a square")).collect()
}
