//! Ends the program.

use flagfall_protocol::Exit;

use crate::model::{Effect, Model};
use crate::words;

pub(super) fn exit(model: &mut Model, code: Exit, word: impl Into<String>) {
    let word = words::clean(&word.into());
    if model.options.face.is_lines() {
        model.say(word);
    } else {
        model.last_words.push(word);
    }
    model.effects.push(Effect::Exit { code: code.code() });
}
