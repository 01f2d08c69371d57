//! The program `flagfall-load`. It has the system's allocator, and so has the bare relay in it.

fn main() -> Result<(), flagfall_load::LoadError> {
    flagfall_load::main()
}
