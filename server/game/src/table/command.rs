//! Player commands, and how the table recognizes a repeated command.

use flagfall_board::{Ply, Side};
use flagfall_protocol::{CommandId, GameCommand};
use flagfall_rules::Entropy;
use flagfall_store::record::CommandStamp;
use sha2::{Digest, Sha256};
use smallvec::SmallVec;

use crate::reply::Reply;

/// The number of command outcomes that are kept in memory. Older outcomes are found in the log.
const RECENT_MAX: usize = 4;
const KNOWN_STEP: usize = 16;

/// A player's command. It does not implement `Debug`, because it can be a planned move, which is
/// secret.
#[derive(Clone)]
pub struct NewCommand {
    pub player: String,
    /// The id of the command. A command that repeats an earlier id gets the answer to the earlier
    /// command.
    pub cmd_id: CommandId,
    pub ply: Ply,
    pub command: GameCommand,
}

/// Who gave a command.
pub enum Author {
    /// The player in this seat. The sender has looked it up.
    Seat(Side),
    /// The player with this id. The table looks for their seat, if they have one.
    Player(String),
}

/// A command that waits or is being handled.
pub struct Asked {
    pub(crate) reply: Reply,
    pub(crate) author: Author,
    pub(crate) cmd_id: CommandId,
    pub(crate) ply: Ply,
    pub(crate) epoch: Option<u64>,
    pub(crate) command: GameCommand,
    pub(crate) entropy: Entropy,
    /// True if the log was searched for the command's id and does not contain it.
    pub(crate) is_new: bool,
    /// True if the replica was checked and matches the log, so a refusal based on the replica is
    /// correct.
    pub(crate) is_current: bool,
}

impl Asked {
    /// Returns a command together with the random bytes that it needs. `epoch` is the epoch in
    /// which the player gave the command, if known.
    pub fn new(reply: Reply, command: NewCommand, epoch: Option<u64>) -> Box<Asked> {
        let NewCommand { player, cmd_id, ply, command } = command;
        Asked::by(Author::Player(player), reply, cmd_id, ply, command, epoch)
    }

    /// Like [`Asked::new`], for any author.
    pub fn by(
        author: Author,
        reply: Reply,
        cmd_id: CommandId,
        ply: Ply,
        command: GameCommand,
        epoch: Option<u64>,
    ) -> Box<Asked> {
        let entropy = entropy_for(&command);
        let (is_new, is_current) = (false, false);
        Box::new(Asked { reply, author, cmd_id, ply, epoch, command, entropy, is_new, is_current })
    }

    /// Returns the author's side. `None` if the table has not looked for their seat yet.
    pub(crate) const fn side(&self) -> Option<Side> {
        match self.author {
            Author::Seat(side) => Some(side),
            Author::Player(_) => None,
        }
    }

    /// Returns a hash that distinguishes different commands with the same id. The stamp in the
    /// log contains only this hash of the command, so it does not reveal a deployment.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = Sha256::new();
        hasher.update(self.ply.to_be_bytes());
        // A plain move fits into the buffer, so it needs no allocation.
        let mut text = SmallVec::<[u8; 64]>::new();
        // Serialization never fails. If it did, all commands would have the same fingerprint.
        serde_json::to_writer(&mut text, &self.command).ok();
        hasher.update(text);
        let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(hasher.finalize());
        u64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// Returns the stamp that is written to the log, so that a repeat of the command can be
    /// recognized. `player` is the author's id.
    pub(super) fn stamp<'a>(&'a self, player: &'a str, fingerprint: u64) -> CommandStamp<'a> {
        CommandStamp { player: player.into(), cmd_id: self.cmd_id.as_str().into(), fingerprint }
    }
}

/// Returns random bytes for a command that needs them.
fn entropy_for(command: &GameCommand) -> Entropy {
    let mut bytes = [0; 32];
    if matches!(command, GameCommand::Deploy { .. }) && getrandom::fill(&mut bytes).is_err() {
        // Without random bytes, the salt of a commitment could be guessed, which would reveal the
        // deployment. So end the task.
        panic!("the operating system provides no random bytes");
    }
    Entropy(bytes)
}

/// A hash of a side and a command id. Guards of archived games contain it, so it never changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CommandKey(u64);

impl CommandKey {
    pub(crate) fn new(side: Side, cmd_id: &str) -> CommandKey {
        let mut hasher = Sha256::new();
        hasher.update([u8::from(side == Side::Red)]);
        hasher.update(cmd_id.as_bytes());
        let [a, b, c, d, e, f, g, h, ..] = <[u8; 32]>::from(hasher.finalize());
        CommandKey(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }

    pub(crate) fn of_number(number: u64) -> CommandKey {
        CommandKey(number)
    }

    /// Returns 32 bits of the key. They are stored for every command of a game; whole keys would
    /// take up too much memory. With fewer bits, a new command would often look like an earlier
    /// one, and the server would search the whole log for it.
    pub(crate) fn bits(self) -> u32 {
        let [a, b, c, d, ..] = self.0.to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Done {
    pub(crate) key: CommandKey,
    pub(crate) fingerprint: u64,
    /// The sequence number of the command's last event, as counted for the acting side.
    pub(crate) seq: u64,
}

#[derive(Default)]
pub(crate) struct AcceptedCommands {
    /// The latest outcomes, oldest first.
    pub(crate) recent: Vec<Done>,
    /// A few bits of the key of every accepted command. If a command's bits are not in this list,
    /// the command is new.
    pub(crate) known: Vec<u32>,
}

impl AcceptedCommands {
    pub(super) fn note(&mut self, done: Done) {
        // All events of a command have the same stamp. The outcome is that of the last event.
        if let Some(last) = self.recent.last_mut().filter(|last| last.key == done.key) {
            last.seq = done.seq;
            return;
        }
        if self.known.len() == self.known.capacity() {
            self.known.reserve_exact(KNOWN_STEP);
        }
        self.known.push(done.key.bits());
        if self.recent.len() == RECENT_MAX {
            self.recent.remove(0);
        }
        self.recent.push(done);
    }

    /// Returns the outcome of a command, if it is in memory.
    pub(super) fn find(&self, key: CommandKey) -> Option<Done> {
        self.recent.iter().find(|done| done.key == key).copied()
    }

    /// Stores the last commands of an archived game, whose log has no ids of commands. Unlike
    /// [`note`](Self::note), keeps all of them.
    pub(crate) fn recall(&mut self, commands: impl Iterator<Item = Done>) {
        self.recent = commands.collect();
    }

    /// True if the log may contain this command, although it is not in `recent`.
    pub(super) fn may_know(&self, key: CommandKey) -> bool {
        self.known.contains(&key.bits())
    }
}
