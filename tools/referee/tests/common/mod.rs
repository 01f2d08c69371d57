//! Shared code for these tests: a client that speaks JSON to a session.

#![allow(dead_code, reason = "every test uses some of it")]

use flagfall_referee::Session;
use flagfall_rules::{Ruleset, Start};
use flagfall_tests::{Chance, random_setup};
use serde_json::{Value, json};

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
            let command = json!({ "kind": "deploy", "setup": random_setup(ruleset, chance) });
            stands = self.done(json!({ "type": "command", "side": side, "command": command }));
        }
        stands
    }
}
