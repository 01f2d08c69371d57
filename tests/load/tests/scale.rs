//! Measures some parts of `scale` with small numbers, to check that the benchmark still works. The
//! measured figures do not matter.

mod common;

use common::run_load;

#[test]
fn a_short_run_comes_to_a_figure_beside_each_target() {
    let words = "scale --only lobby,crowd,masters --games 2 4 --joins 20 --changes 20 --spectators 90 \
                 --crowd-plies 3 --appending 10 --append-rounds 1";
    let (is_ok, printed) = run_load(words);
    assert!(is_ok, "the benchmark failed; its error is above, and before it came:\n{printed}");
    for figure in [
        "a lobby join at 4 games, to one at 2 ",
        "bytes to a watcher of a busy lobby, ",
        "Redis's processor time for an append, three masters to one Redis",
        "99 % to the last of 90 spectators, to bare relays ",
    ] {
        let has_figure = |line: &str| line.starts_with(figure) && line.contains(" at most ");
        assert!(printed.lines().any(has_figure), "no figure for {figure:?} in:\n{printed}");
    }
}
