//! House players: they see a view and answer a command.
