//! The queue for slow hashes. Only a few hashes are computed at a time. Clients take turns, so a
//! client with many requests does not delay the others.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use flagfall_base::admission::Network;

/// The client for whom a hash is computed. Clients take turns, so each has a fair share of the
/// queue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Share {
    Network(Network),
    /// A device that is or was signed in. The text identifies the device.
    Device(String),
}

#[derive(Clone)]
pub(super) struct HashQueue {
    state: Arc<Mutex<State>>,
}

struct State {
    at_once: usize,
    waiting_max: usize,
    running: usize,
    /// The clients that have waiting requests, in the order in which they get turns.
    lines: VecDeque<(Share, VecDeque<oneshot::Sender<Turn>>)>,
}

/// The permission to compute one hash. When it is dropped, the next computation may begin.
pub(super) struct Turn {
    state: Arc<Mutex<State>>,
}

/// The queue is full, and the requester cannot take a place from another client.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Full;

impl HashQueue {
    pub(super) fn new(at_once: usize, waiting_max: usize) -> HashQueue {
        let state = State { at_once, waiting_max, running: 0, lines: VecDeque::new() };
        HashQueue { state: Arc::new(Mutex::new(state)) }
    }

    /// Waits for a turn. May return [`Full`] after waiting, if this client has several places in
    /// the queue and another client needs one.
    pub(super) async fn turn(&self, share: Share) -> Result<Turn, Full> {
        let place = self.enter(share)?;
        place.await.map_err(|_| Full)
    }

    fn enter(&self, share: Share) -> Result<oneshot::Receiver<Turn>, Full> {
        let (ours, theirs) = oneshot::channel();
        let mut state = self.state.lock();
        state.forget_gone();
        if state.waiting() >= state.waiting_max && state.running >= state.at_once {
            let own = state.lines.iter().find(|(of, _)| *of == share).map_or(0, |(_, line)| line.len());
            state.make_room(own)?;
        }
        match state.lines.iter_mut().find(|(of, _)| *of == share) {
            Some((_, line)) => line.push_back(ours),
            None => state.lines.push_back((share, VecDeque::from([ours]))),
        }
        let next = state.next_turns(&self.state);
        drop(state);
        give(next);
        Ok(theirs)
    }

    /// Returns the number of places taken, by running and by waiting requests.
    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        let state = self.state.lock();
        state.running + state.waiting()
    }
}

impl State {
    fn waiting(&self) -> usize {
        self.lines.iter().map(|(_, line)| line.len()).sum()
    }

    /// Removes the last request of the client with the most waiting requests, if that client has
    /// more than `own` + 1 of them.
    fn make_room(&mut self, own: usize) -> Result<(), Full> {
        let longest = self.lines.iter_mut().map(|(_, line)| line).max_by_key(|line| line.len());
        // The client's task notices that the sender for its turn was dropped.
        longest.filter(|line| line.len() > own + 1).ok_or(Full)?.pop_back();
        Ok(())
    }

    /// Removes the requests that were canceled.
    fn forget_gone(&mut self) {
        self.lines.iter_mut().for_each(|(_, line)| line.retain(|place| !place.is_closed()));
        self.lines.retain(|(_, line)| !line.is_empty());
    }

    /// Starts turns until as many are running as are allowed.
    fn next_turns(&mut self, state: &Arc<Mutex<State>>) -> Vec<(oneshot::Sender<Turn>, Turn)> {
        let mut next = Vec::new();
        while self.running < self.at_once {
            let Some((share, mut line)) = self.lines.pop_front() else { break };
            let place = line.pop_front().filter(|place| !place.is_closed());
            if !line.is_empty() {
                self.lines.push_back((share, line));
            }
            if let Some(place) = place {
                self.running += 1;
                next.push((place, Turn { state: state.clone() }));
            }
        }
        next
    }
}

/// Hands out turns. If a requester has gone, their turn is dropped, and the next one begins.
fn give(turns: Vec<(oneshot::Sender<Turn>, Turn)>) {
    for (place, turn) in turns {
        place.send(turn).ok();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.state.lock();
        state.running -= 1;
        let next = state.next_turns(&self.state);
        drop(state);
        give(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(last: u8) -> Share {
        Share::Network(Network::of([192, 0, 2, last].into()))
    }

    type Place = oneshot::Receiver<Turn>;

    /// Returns the labels of the places that have just got their turn.
    fn having(places: &mut [(u8, Place)], turns: &mut Vec<(u8, Turn)>) -> Vec<u8> {
        let mut now = Vec::new();
        for (who, place) in places {
            if let Ok(turn) = place.try_recv() {
                now.push(*who);
                turns.push((*who, turn));
            }
        }
        now
    }

    #[test]
    fn an_address_with_many_requests_leaves_every_other_turn_to_another() {
        let queue = HashQueue::new(1, 32);
        let mut places: Vec<_> = (0..20).map(|_| (1, queue.enter(network(1)).unwrap())).collect();
        places.extend((0..3).map(|_| (2, queue.enter(network(2)).unwrap())));
        let (mut turns, mut order) = (Vec::new(), Vec::new());
        for _ in 0..8 {
            order.extend(having(&mut places, &mut turns));
            turns.clear();
        }
        assert_eq!(order, [1, 1, 2, 1, 2, 1, 2, 1]);
    }

    #[test]
    fn an_address_that_fills_the_queue_gives_way_to_others() {
        let queue = HashQueue::new(1, 4);
        let mut flood: Vec<_> = (0..5).map(|_| (1, queue.enter(network(1)).unwrap())).collect();
        assert!(queue.enter(network(1)).is_err(), "one at work and four in line");
        let mut other = vec![(2, queue.enter(network(2)).unwrap())];
        assert!(matches!(flood[4].1.try_recv(), Err(oneshot::error::TryRecvError::Closed)));
        let third = queue.enter(network(3)).unwrap();
        assert_eq!(queue.taken(), 5);
        let mut turns = Vec::new();
        assert_eq!(having(&mut flood, &mut turns), [1]);
        turns.clear();
        assert_eq!(having(&mut flood, &mut turns), [1]);
        turns.clear();
        assert_eq!(having(&mut other, &mut turns), [2]);
        drop(third);
    }

    #[test]
    fn lines_of_one_are_not_pushed_out() {
        let queue = HashQueue::new(1, 3);
        let places: Vec<_> = (0..4).map(|who| queue.enter(network(who)).unwrap()).collect();
        assert!(queue.enter(network(9)).is_err());
        drop(places);
        assert!(queue.enter(network(9)).is_ok(), "a request that was given up takes no place");
    }

    #[tokio::test]
    async fn a_turn_that_ends_lets_the_next_one_begin_even_past_those_who_left() {
        let queue = HashQueue::new(2, 8);
        let first = queue.turn(network(1)).await.unwrap();
        let _second = queue.turn(network(1)).await.unwrap();
        let left = queue.enter(network(1)).unwrap();
        let mut waiting = queue.enter(network(1)).unwrap();
        drop(left);
        assert!(waiting.try_recv().is_err());
        drop(first);
        assert!(waiting.try_recv().is_ok());
    }
}
