//! House players play complete games of every ruleset.

use flagfall_base::background::Background;
use flagfall_board::{Chance, ChipColor, Direction, Rank, Side, Square};
use flagfall_protocol::{GameCommand, GameView, Phase, ServerToClient, Time};
use flagfall_rules::{Identity, Move, MoveCommand, Ruleset, SeenPiece, Start};

use super::harness::{Client, TestServer, command, command_at, deploy, new_game};
use crate::TableHandle;

#[tokio::test(start_paused = true)]
async fn house_players_play_whole_games_of_every_ruleset() {
    let server = TestServer::new().await;
    for (number, ruleset) in (1..).zip(Ruleset::all()) {
        let mut new = new_game(number, ["ana", "house-random"]);
        (new.terms.time, new.terms.ruleset) = (Time::Unlimited {}, ruleset.id.to_owned());
        let table = server.create(new).await;
        play_against_the_house(&table, ruleset).await;
        let record = table.record(&Background::new("test", 1), None, None).await.unwrap();
        let has_deployed = ruleset.start == Start::Deployments;
        assert!(record.outcome.is_some(), "{}", ruleset.id);
        assert_eq!(record.deployments.blue.is_some(), has_deployed, "{}", ruleset.id);
    }
}

async fn play_against_the_house(table: &TableHandle, ruleset: &Ruleset) {
    let mut chance = Chance::new(5);
    let mut ana = Client::new("ana");
    if ruleset.start == Start::Deployments {
        command(table, &ana, "deploy", deploy(ruleset.id, Side::Red, 4)).await;
        assert!(matches!(ana.next().await, ServerToClient::Accepted { .. }));
    }
    for number in 0..6000 {
        wait_for_turn(table).await;
        let (summary, _, view) = table.look(Some("ana")).await.unwrap();
        if summary.phase == Phase::Over {
            return;
        }
        let command = any_command(ruleset, &view, &mut chance);
        command_at(table, &ana, &format!("c{number}"), view.ply, command).await;
        let answer = ana.next().await;
        assert!(matches!(answer, ServerToClient::Accepted { .. }), "{answer:?}");
    }
    panic!("the game does not end");
}

async fn wait_for_turn(table: &TableHandle) {
    // The house player thinks on another thread.
    loop {
        let (summary, _, view) = table.look(Some("ana")).await.unwrap();
        if summary.phase == Phase::Over || view.is_to_act(Side::Red) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

/// Returns a command that is possible in a player's view. If a choice of color is pending, this
/// is the choice. Otherwise, it is a move, or, if there is no legal move, a removal or a placing.
fn any_command(ruleset: &Ruleset, view: &GameView, chance: &mut Chance) -> GameCommand {
    let color = ChipColor::ALL[chance.below(4)];
    if view.owed_color.is_some() {
        return GameCommand::Color { color };
    }
    if view.pending_strike.is_some() {
        let choices = choices(view);
        return GameCommand::Choose { rank: choices[chance.below(choices.len())] };
    }
    let moves = legal_moves(ruleset, view);
    if moves.is_empty() {
        let own =
            |piece: &&SeenPiece| piece.side == Side::Red && piece.identity != Identity::Known(Rank::Flag);
        return match view.pieces.iter().find(own) {
            Some(piece) => GameCommand::Remove { square: piece.square },
            None => any_placing(ruleset, view, color),
        };
    }
    let squares = moves[chance.below(moves.len())];
    let color = ruleset.chips.then_some(color);
    MoveCommand { squares, path: None, color }.into()
}

/// Returns the ranks that a player may choose for their struck coin. If the coin has moved, these
/// are only movable ranks. If all unmoved coins are needed for Bombs and the Flag, these are only
/// immovable ranks (§Q4, §Q6).
fn choices(view: &GameView) -> Vec<Rank> {
    let strike = view.pending_strike.unwrap();
    let at = if strike.side == Side::Red { strike.squares.from } else { strike.squares.to };
    let coin = view.pieces.iter().find(|piece| piece.square == at).unwrap();
    let pool = &view.pools.as_ref().unwrap()[Side::Red];
    let is_heavy = |rank| matches!(rank, Rank::Flag | Rank::Bomb);
    let is_allowed =
        |rank| if is_heavy(rank) { !coin.is_moved } else { coin.is_moved || may_spare_a_coin(view) };
    pool.iter().map(|(rank, _)| rank).filter(|rank| is_allowed(*rank)).collect()
}

/// True if Red has more unmoved coins than it needs for Bombs and the Flag (§Q6).
fn may_spare_a_coin(view: &GameView) -> bool {
    let Some(pools) = &view.pools else { return false };
    let bound: usize = [Rank::Flag, Rank::Bomb].iter().map(|rank| usize::from(pools[Side::Red][*rank])).sum();
    let is_unmoved_coin =
        |piece: &SeenPiece| piece.side == Side::Red && piece.identity == Identity::Coin && !piece.is_moved;
    view.pieces.iter().filter(|piece| is_unmoved_coin(piece)).count() > bound
}

/// Returns the placing of the reserve's first piece on the first empty square of Red's home.
fn any_placing(ruleset: &Ruleset, view: &GameView, color: ChipColor) -> GameCommand {
    let reserve = &view.reserve.as_ref().expect("a reserve")[Side::Red];
    let unlabeled = reserve.unlabeled.as_ref().expect("one's own");
    let kinds = [(&reserve.labeled, true), (unlabeled, false)];
    let (rank, is_labeled) = kinds
        .iter()
        .find_map(|(ranks, is_labeled)| Some((ranks.iter().next()?.0, *is_labeled)))
        .expect("a side with nothing has lost");
    let is_empty = |square: &_| view.pieces.iter().all(|piece| piece.square != *square);
    let square = ruleset.shape.home(Side::Red).iter().find(is_empty).expect("an empty square");
    let color = ruleset.chips.then_some(color);
    GameCommand::Place { square, rank, labeled: is_labeled, color }
}

/// Returns the moves that are legal in a player's view, taking repetition rules into account.
fn legal_moves(ruleset: &Ruleset, view: &GameView) -> Vec<Move> {
    let at = |square: Square| view.pieces.iter().find(|piece| piece.square == square);
    let mut moves = Vec::new();
    for piece in view.pieces.iter().filter(|piece| piece.side == Side::Red) {
        let reach = match piece.identity {
            Identity::Known(Rank::Flag | Rank::Bomb) => 0,
            Identity::Known(Rank::Scout | Rank::Phoenix) => 20,
            Identity::Known(_) => 1,
            Identity::Coin => usize::from(piece.is_moved || may_spare_a_coin(view)),
            Identity::OneOf(_) | Identity::Hidden => continue,
        };
        for direction in Direction::ALL {
            let mut square = piece.square;
            for step in 0..reach {
                let Some(next) = square.neighbor(direction) else { break };
                let is_open = ruleset.shape.squares().contains(next) && !view.lakes.contains(next);
                if !is_open || at(next).is_some_and(|other| other.side == Side::Red) {
                    break;
                }
                let is_strike = at(next).is_some();
                if !is_strike || step == 0 || ruleset.strikes_afar {
                    moves.push(Move { from: piece.square, to: next });
                }
                if is_strike {
                    break;
                }
                square = next;
            }
        }
    }
    moves.retain(|squares| !view.refused_moves.contains(squares));
    moves
}
