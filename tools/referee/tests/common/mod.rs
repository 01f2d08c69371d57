//! Shared code for these tests: a client that speaks JSON to a session, and random numbers from a
//! seed that the test prints.

#![allow(dead_code, reason = "every test uses some of it")]

use flagfall_referee::Session;
use flagfall_rules::{Ruleset, Start};
use serde_json::{Value, json};

/// xorshift64* (Vigna 2016).
pub(crate) struct Chance(u64);

impl Chance {
    /// Creates a source of random numbers from this seed.
    pub(crate) fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns the seed in `FLAGFALL_SEED`. Without one, returns `seed`.
    pub(crate) fn seed_or(seed: u64) -> u64 {
        std::env::var("FLAGFALL_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) * end as u64) >> 32) as usize
    }

    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A random deployment.
    pub(crate) fn setup(&mut self, ruleset: &Ruleset) -> String {
        let letters = |(rank, count): (flagfall_board::Rank, u8)| {
            std::iter::repeat_n(rank.letter(), usize::from(count))
        };
        let mut letters: Vec<char> = ruleset.army.iter().flat_map(letters).collect();
        if ruleset.reserve {
            // The Flag comes first, because it must be on the board. Draw the other pieces at
            // random.
            for end in (2..letters.len()).rev() {
                letters.swap(end, 1 + self.below(end));
            }
        }
        letters.resize(ruleset.shape.home_len(), '.');
        for end in (1..letters.len()).rev() {
            letters.swap(end, self.below(end + 1));
        }
        letters.into_iter().collect()
    }
}

/// A session, to which tests send requests as JSON.
#[derive(Default)]
pub(crate) struct Client {
    pub(crate) session: Session,
}

impl Client {
    pub(crate) fn ask(&mut self, request: Value) -> Value {
        let answer = self.session.answer(&request.to_string());
        assert!(!answer.contains('\n'), "{answer}");
        serde_json::from_str(&answer).expect("an answer is JSON")
    }

    /// Sends a request and returns the answer, which must not be a refusal.
    pub(crate) fn done(&mut self, request: Value) -> Value {
        let answer = self.ask(request.clone());
        assert_ne!(answer["type"], "refused", "{request}: {answer}");
        answer
    }

    /// Sends a request that must be refused. Returns the code of the refusal.
    pub(crate) fn refused(&mut self, request: Value) -> String {
        let before = self.ask(json!({ "type": "show", "audience": "everything" }));
        let answer = self.ask(request.clone());
        assert_eq!(answer["type"], "refused", "{request}: {answer}");
        assert_ne!(answer["message"], "", "{request}");
        let after = self.ask(json!({ "type": "show", "audience": "everything" }));
        assert_eq!(before, after, "what is refused changes nothing: {request}");
        answer["code"].as_str().expect("a code").to_owned()
    }

    pub(crate) fn everything(&mut self) -> Value {
        self.done(json!({ "type": "show", "audience": "everything" }))
    }

    /// Deploys both sides at random, if the ruleset has deployments. Returns the state of the game.
    pub(crate) fn deploy(&mut self, ruleset: &Ruleset, chance: &mut Chance) -> Value {
        if ruleset.start == Start::Coins {
            let everything = self.everything();
            return json!({ "phase": "playing", "ply": everything["ply"], "turn": everything["turn"] });
        }
        let mut stands = Value::Null;
        for side in ["red", "blue"] {
            let command = json!({ "kind": "deploy", "setup": chance.setup(ruleset) });
            stands = self.done(json!({ "type": "command", "side": side, "command": command }));
        }
        stands
    }
}
