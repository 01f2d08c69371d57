//! The server with a planted fault, for the trial's checker to find. It is only built with the
//! feature `planted-faults`.

use std::process::ExitCode;

#[path = "../main.rs"]
mod server;

fn main() -> ExitCode {
    server::main()
}
