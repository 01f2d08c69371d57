//! Laws about the views that audiences get.

use flagfall_board::{Side, Stamp};
use flagfall_rules::secret::{SecretRecord, to_record};
use flagfall_rules::{
    GameView, Identity, PendingStrike, SeenExchange, SeenMove, SeenPlacing, View, Viewer, see, see_change,
    view,
};
use flagfall_tests::Logged;

use crate::{Law, hold};

/// A client that applies events must have the same view as a client that requests a new view.
struct Applied;

impl Law for Applied {
    fn event(&mut self, logged: &Logged) {
        // The earlier view may come from any moment, because the event replaces its clock.
        let now = logged.at;
        for viewer in Viewer::ALL {
            let mut held = view(&logged.before, viewer, Stamp(now.0 - 5)).seen;
            let fresh = view(&logged.after, viewer, now).seen;
            match see(&logged.event, &logged.after, viewer) {
                Some(event) => {
                    let change = see_change(&logged.event, &logged.after, viewer, now);
                    let (event, change) = (through_json(&event), through_json(&change));
                    held.apply(&event, &change);
                    assert_eq!(held, fresh, "{viewer:?} after {:?}", logged.event);
                }
                None => {
                    let before = view(&logged.before, viewer, now).seen;
                    assert_eq!(before, fresh, "{viewer:?}: a hidden event changed the view");
                }
            }
            assert_eq!(through_json(&fresh), fresh);
        }
    }
}

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).expect("JSON");
    serde_json::from_str(&text).expect("the same type")
}

#[test]
fn a_view_with_its_events_applied_is_the_view_afterwards() {
    hold("applied views", 8, || Applied);
}

/// An audience's sequence numbers skip only events that it must not see: the other side's new
/// deployments, and its choices in a strike.
#[derive(Default)]
struct Numbers {
    seq: [u64; 3],
    all: u64,
    private: [u64; 3],
}

impl Law for Numbers {
    fn event(&mut self, logged: &Logged) {
        self.all += 1;
        for (index, viewer) in Viewer::ALL.into_iter().enumerate() {
            let is_private = match to_record(&logged.event) {
                SecretRecord::Deployed { side, .. } => !viewer.is_side(side) && logged.before.is_ready(side),
                SecretRecord::Chosen { side, .. } => !viewer.is_side(side),
                _ => false,
            };
            let seen = see(&logged.event, &logged.after, viewer);
            assert_eq!(seen.is_none(), is_private, "{viewer:?} {:?}", logged.event);
            self.seq[index] += u64::from(seen.is_some());
            self.private[index] += u64::from(is_private);
        }
    }

    fn end(&mut self, _table: &flagfall_tests::Match) {
        for index in 0..3 {
            assert_eq!(self.seq[index] + self.private[index], self.all);
        }
    }
}

#[test]
fn numbers_count_only_what_is_seen() {
    hold("numbers", 20, Numbers::default);
}

/// Both players know everything that the public knows.
struct Subset;

fn knows_less(less: Identity, more: Identity) -> bool {
    match (less, more) {
        // Two audiences always know the same about a coin, even if one of them knows more about
        // other pieces.
        (Identity::Coin, _) | (_, Identity::Coin) => less == more,
        (Identity::Hidden, _) => true,
        (Identity::Known(one), Identity::Known(other)) => one == other,
        (Identity::OneOf(one), Identity::Known(other)) => one.contains(other),
        (Identity::OneOf(one), Identity::OneOf(other)) => other.without(one).is_empty(),
        (Identity::Known(_) | Identity::OneOf(_), _) => false,
    }
}

fn move_knows_less(less: Option<SeenMove>, more: Option<SeenMove>) -> bool {
    let (Some(less), Some(more)) = (less, more) else { return less == more };
    let strikes = match (less.strike, more.strike) {
        (None, None) => true,
        (Some(less), Some(more)) => {
            knows_less(less.attacker, more.attacker)
                && knows_less(less.defender, more.defender)
                && (less.attacker_fate, less.defender_fate) == (more.attacker_fate, more.defender_fate)
        }
        _ => false,
    };
    (less.side, less.squares, less.laid) == (more.side, more.squares, more.laid)
        && knows_less(less.piece, more.piece)
        && strikes
}

fn exchange_knows_less(less: Option<SeenExchange>, more: Option<SeenExchange>) -> bool {
    match (less, more) {
        (Some(SeenExchange::Placed(less_placing)), Some(SeenExchange::Placed(more_placing))) => {
            let as_more = SeenPlacing { piece: more_placing.piece, ..less_placing };
            as_more == more_placing && knows_less(less_placing.piece, more_placing.piece)
        }
        _ => less == more,
    }
}

#[track_caller]
fn check_subset(public: &View, player: &View) {
    // Compares each field separately, so that this code must be updated when a field is added.
    let GameView {
        audience: _,
        ruleset,
        phase,
        paused,
        ready,
        deploy_deadline,
        own_deployment,
        lakes,
        pieces,
        captured,
        ply,
        turn,
        last_move,
        last_exchange,
        reserve,
        chips,
        owed_color,
        pools,
        pending_strike,
        refused_moves,
        more_squares,
        clock,
        draw_offer,
        plies_to_limit,
        commitments,
        opened,
        outcome,
    } = &public.seen;
    assert_eq!(ruleset, &player.seen.ruleset);
    assert_eq!(phase, &player.phase);
    assert_eq!(paused, &player.paused);
    assert_eq!(ready, &player.ready);
    assert_eq!(deploy_deadline, &player.deploy_deadline);
    assert_eq!(own_deployment, &None);
    assert_eq!(lakes, &player.lakes);
    assert_eq!(pieces.len(), player.pieces.len());
    for (less, more) in pieces.iter().zip(&player.pieces) {
        assert_eq!((less.square, less.side), (more.square, more.side));
        assert_eq!((less.is_moved, less.is_revealed), (more.is_moved, more.is_revealed));
        assert_eq!(less.is_labeled, more.is_labeled);
        assert!(knows_less(less.identity, more.identity), "{less:?} {more:?}");
    }
    assert_eq!(captured, &player.captured);
    assert_eq!(ply, &player.ply);
    assert_eq!(turn, &player.turn);
    assert!(move_knows_less(*last_move, player.last_move));
    assert!(exchange_knows_less(*last_exchange, player.last_exchange));
    match (reserve, &player.reserve) {
        (Some(less), Some(more)) => {
            for side in Side::BOTH {
                let (less, more) = (less[side], more[side]);
                assert_eq!((less.size, less.labeled), (more.size, more.labeled));
                assert!(less.unlabeled.is_none() || less.unlabeled == more.unlabeled);
            }
        }
        (None, None) => {}
        _ => panic!("only one audience has a reserve"),
    }
    assert_eq!(chips, &player.chips);
    assert_eq!(owed_color, &player.owed_color);
    assert!(refused_moves.is_empty());
    assert_eq!(more_squares, &None);
    assert_eq!(pools, &player.pools);
    let own_choice = player.pending_strike.and_then(|strike| strike.own_choice);
    assert_eq!(pending_strike.map(|strike| PendingStrike { own_choice, ..strike }), player.pending_strike);
    assert_eq!(pending_strike.and_then(|strike| strike.own_choice), None);
    // After its choice in a pending strike, a side sees its own clock stop, but the public does
    // not (§Q4). The same is true if the game ends during the strike.
    let is_veiled = pending_strike.is_some() || outcome.is_some() && pools.is_some();
    match (clock, player.clock) {
        (Some(less), Some(more)) if is_veiled => {
            let Viewer::Player(side) = player.audience else { panic!("a player") };
            let other = side.opponent();
            assert_eq!(less.remaining_ms[other], more.remaining_ms[other]);
            assert_eq!(less.is_running(other), more.is_running(other));
        }
        (less, more) => assert_eq!(less, &more),
    }
    assert_eq!(draw_offer, &player.draw_offer);
    assert_eq!(plies_to_limit, &player.plies_to_limit);
    assert_eq!(commitments, &player.commitments);
    for side in Side::BOTH {
        assert!(opened[side].is_none() || opened[side] == player.opened[side]);
    }
    assert_eq!(outcome, &player.outcome);
}

impl Law for Subset {
    fn event(&mut self, logged: &Logged) {
        let public = view(&logged.after, Viewer::Public, logged.at);
        for side in Side::BOTH {
            check_subset(&public, &view(&logged.after, Viewer::Player(side), logged.at));
        }
    }
}

#[test]
fn the_public_knows_what_both_players_know() {
    hold("the public view is a subset", 10, || Subset);
}
