//! The server with a deliberate fault, which the trial's checker has to find. Built only with the
//! feature `planted-faults`.

use std::process::ExitCode;

#[path = "../main.rs"]
mod server;

fn main() -> ExitCode {
    server::main()
}
