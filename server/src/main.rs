//! The server program. The library contains its code.

use std::process::ExitCode;

/// Memory for a move is often allocated on one thread and freed on another. mimalloc reuses such
/// memory at little cost.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub(crate) fn main() -> ExitCode {
    flagfall_server::program::main()
}
