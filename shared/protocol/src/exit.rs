//! The exit codes that the client and the server share.

/// The exit code of a program. The client and the server use the same codes, so that the author
/// of a script needs only one table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The program did what it was asked to do.
    Done = 0,
    /// The result is negative: the server refused a request, a record is invalid, a store is
    /// damaged, or a server is unhealthy.
    Refused = 1,
    /// The command line or the configuration is wrong. The program did nothing.
    Usage = 2,
    /// The network failed: no server answered, the connection was lost permanently, or a server
    /// could not listen.
    Network = 3,
    /// A file or the store could not be read or written.
    Storage = 4,
    /// The program was stopped by Ctrl-C or another signal before its work was done.
    Interrupted = 130,
}

impl Exit {
    /// Every code.
    pub const ALL: [Exit; 6] =
        [Exit::Done, Exit::Refused, Exit::Usage, Exit::Network, Exit::Storage, Exit::Interrupted];

    /// The table of exit codes that both programs print in their help.
    pub const HELP: &str = "\
Exit codes:
  0    done
  1    refused: the server refused the command, a record is false, a store is damaged, a server is not healthy
  2    wrong usage: the command line or the configuration is wrong
  3    network: no server answers, the connection is lost, the server cannot listen
  4    storage: a file or the store cannot be read or written
  130  interrupted";

    /// Returns the exit code as a number.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_code_once_and_so_does_the_page_of_the_client() {
        let page = include_str!("../../../docs/client.md");
        for exit in Exit::ALL {
            let code = exit.code().to_string();
            let lines = Exit::HELP.lines().filter(|line| line.split_whitespace().next() == Some(&code));
            assert_eq!(lines.count(), 1, "{exit:?}");
            assert!(page.contains(&format!("\n| {code} | ")), "{exit:?}");
        }
    }
}
