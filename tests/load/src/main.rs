//! The program `flagfall-load`. It uses the system's allocator, also in the bare relay.

fn main() -> Result<(), flagfall_load::LoadError> {
    flagfall_load::main()
}
