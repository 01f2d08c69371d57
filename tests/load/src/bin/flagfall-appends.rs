//! The same program as `flagfall-load`, but with the server's allocator. It measures appends,
//! because the stores and the bare media run in this process.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), flagfall_load::LoadError> {
    flagfall_load::main()
}
