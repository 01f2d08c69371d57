//! Messages to the user.

use std::collections::VecDeque;

/// Messages to the user, oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notes {
    texts: VecDeque<String>,
    /// The number of notes, counted from the newest, that have not been printed yet.
    unprinted: usize,
}

impl Notes {
    pub const MAX: usize = 400;

    pub fn push(&mut self, text: String) {
        if self.texts.len() == Notes::MAX {
            self.texts.pop_front();
        }
        self.texts.push_back(text);
        self.unprinted = (self.unprinted + 1).min(self.texts.len());
    }

    /// Replaces all notes. The new notes count as printed.
    pub fn replace(&mut self, texts: Vec<String>) {
        self.texts = texts.into();
        self.unprinted = 0;
    }

    pub fn take_unprinted(&mut self) -> Vec<String> {
        let first = self.texts.len() - std::mem::take(&mut self.unprinted);
        self.texts.iter().skip(first).cloned().collect()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.texts.iter().map(String::as_str)
    }

    pub fn last(&self) -> Option<&str> {
        self.texts.back().map(String::as_str)
    }

    pub fn len(&self) -> usize {
        self.texts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}
