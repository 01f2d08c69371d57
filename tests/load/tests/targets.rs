//! Measures all targets briefly with few games, to check that the benchmark still works. The
//! measured figures do not matter.

mod common;

use common::run_load;

#[test]
fn a_short_run_comes_to_a_figure_beside_each_target() {
    let words = "targets --rounds 1 --games 8 --moves 4 --append-ms 20 --paced-ms 100";
    let (is_ok, printed) = run_load(words);
    assert!(is_ok, "the benchmark failed; its error is above, and before it came:\n{printed}");
    let figures = printed.lines().filter(|line| line.contains(" at most ") || line.contains(" at least "));
    let figures: Vec<&str> = figures.collect();
    let count = |start: &str| figures.iter().filter(|line| line.starts_with(start)).count();
    assert_eq!(count("appends a second, "), 8, "{printed}");
    assert_eq!(count("processor time a move, "), 3, "{printed}");
    assert_eq!(count("processor time a move at 1000 a second, "), 2, "{printed}");
    assert_eq!(count("99 % to the opponent at 2000 moves a second, "), 3, "{printed}");
    assert_eq!(count("99 % to the opponent at 8000 moves a second, "), 3, "{printed}");
}
