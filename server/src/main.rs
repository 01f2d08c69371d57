//! The server as a program. What it does is in the library.

use std::process::ExitCode;

/// Memory allocated for a move on one thread is freed on another. mimalloc makes that memory
/// reusable at little cost.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub(crate) fn main() -> ExitCode {
    flagfall_server::program::main()
}
