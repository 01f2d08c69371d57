//! A model of the buckets. It tries all orders of the steps of two transactions, of two servers
//! that resolve locks, and of one server that tidies up. The server of a transaction may be lost
//! after any step, or one of its answers may be lost.

use std::collections::{BTreeMap, HashSet};

use super::*;

/// A key: its bucket, and a number.
type Place = (usize, u8);

/// A transaction of the model.
#[derive(Clone, Debug)]
struct Plan {
    primary: usize,
    others: Vec<usize>,
    /// Records that must have the value 0.
    conditions: Vec<Place>,
    writes: Vec<Place>,
    /// The value that the transaction writes.
    value: u8,
}

impl Plan {
    fn name(&self) -> Name {
        Name { primary: self.primary, deadline: Stamp(0), id: (1, self.value.into()) }
    }

    fn places(&self, bucket: usize) -> impl Iterator<Item = u8> {
        let places = self.conditions.iter().chain(&self.writes);
        places.filter(move |place| place.0 == bucket).map(|place| place.1)
    }
}

/// Deliberate errors in the scripts of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flaw {
    None,
    /// A decision is made although the transaction was aborted.
    DecidesAfterAbort,
    /// A prepared transaction does not lock its records.
    LocksNothing,
    /// A decision is forgotten before the transaction is finished in all buckets.
    ForgetsEarly,
}

#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
struct Bucket {
    values: BTreeMap<u8, u8>,
    /// For each locked record, the transaction that has locked it.
    locks: BTreeMap<u8, usize>,
    intents: Vec<usize>,
    decisions: BTreeMap<usize, bool>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Maker {
    machine: Machine,
    /// The calls that were sent. Even if the server is lost, they may still be carried out.
    sent: Vec<Call>,
    /// False once an answer was lost.
    is_whole: bool,
    is_alive: bool,
}

/// The remaining calls of a server that has found a lock, or a decision about an unfinished
/// transaction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Helper {
    transaction: usize,
    calls: Vec<Call>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    buckets: Vec<Bucket>,
    makers: Vec<Maker>,
    resolvers: [Option<Helper>; 2],
    tidier: Option<Helper>,
    is_late: bool,
}

struct Model {
    plans: Vec<Plan>,
    flaw: Flaw,
    seen: HashSet<World>,
    waiting: Vec<World>,
    outcomes: HashSet<(usize, Outcome)>,
}

impl World {
    fn new(plans: &[Plan]) -> World {
        let maker = |plan: &Plan| {
            let mut machine = Machine::new(plan.primary, plan.others.clone());
            let sent = machine.take_calls();
            Maker { machine, sent, is_whole: true, is_alive: true }
        };
        World {
            buckets: vec![Bucket::default(); 3],
            makers: plans.iter().map(maker).collect(),
            resolvers: [None, None],
            tidier: None,
            is_late: false,
        }
    }

    /// Does the same as the script for this call.
    fn run(&mut self, plans: &[Plan], at: usize, call: Call, flaw: Flaw) -> Answer {
        let plan = &plans[at];
        match call {
            Call::Prepare { bucket } | Call::Decide { bucket } => {
                let is_decision = matches!(call, Call::Decide { .. });
                let found = &mut self.buckets[bucket];
                let is_over = self.is_late || found.decisions.contains_key(&at);
                if is_decision && is_over && flaw != Flaw::DecidesAfterAbort {
                    return Answer::Late;
                }
                if let Some(other) = plan.places(bucket).find_map(|place| found.locks.get(&place)) {
                    return Answer::Locked(plans[*other].name());
                }
                let mut conditions = plan.conditions.iter().filter(|place| place.0 == bucket);
                if conditions.any(|place| found.values.get(&place.1).is_some_and(|value| *value != 0)) {
                    return Answer::Conflict;
                }
                if is_decision {
                    found.write(plan, bucket);
                    found.decisions.insert(at, true);
                } else {
                    found.intents.push(at);
                    if flaw != Flaw::LocksNothing {
                        found.locks.extend(plan.places(bucket).map(|place| (place, at)));
                    }
                }
            }
            Call::Finish { bucket, is_committed } => {
                let found = &mut self.buckets[bucket];
                if found.intents.contains(&at) {
                    if is_committed {
                        found.write(plan, bucket);
                    }
                    found.locks.retain(|_, other| *other != at);
                    found.intents.retain(|other| *other != at);
                }
            }
            Call::Forget { bucket } => {
                self.buckets[bucket].decisions.remove(&at);
            }
        }
        Answer::Ok
    }

    /// Returns the decision about a transaction, like the script `resolve`.
    fn resolve(&mut self, plans: &[Plan], at: usize) -> Option<bool> {
        let decisions = &mut self.buckets[plans[at].primary].decisions;
        if self.is_late {
            decisions.entry(at).or_insert(false);
        }
        decisions.get(&at).copied()
    }

    /// Returns the value of a record as readers see it. For each lock, a reader asks for the
    /// decision.
    fn value(&self, plans: &[Plan], (bucket, place): Place) -> u8 {
        let found = &self.buckets[bucket];
        let writer = found.intents.iter().find(|at| {
            let is_committed = self.buckets[plans[**at].primary].decisions.get(*at) == Some(&true);
            is_committed
                && found.locks.get(&place) == Some(*at)
                && plans[**at].writes.contains(&(bucket, place))
        });
        writer.map_or_else(|| found.values.get(&place).copied().unwrap_or(0), |at| plans[*at].value)
    }

    /// Finishes all transactions, as servers do after a while.
    fn settle(mut self, plans: &[Plan], flaw: Flaw) -> World {
        self.is_late = true;
        for bucket in 0..self.buckets.len() {
            for at in self.buckets[bucket].intents.clone() {
                let is_committed = self.resolve(plans, at).expect("it is late");
                self.run(plans, at, Call::Finish { bucket, is_committed }, flaw);
            }
        }
        self
    }
}

impl Bucket {
    fn write(&mut self, plan: &Plan, bucket: usize) {
        let places = plan.writes.iter().filter(|place| place.0 == bucket);
        self.values.extend(places.map(|place| (place.1, plan.value)));
    }
}

impl Model {
    /// Tries all orders. Returns an error if a check fails in one of them.
    fn explore(plans: Vec<Plan>, flaw: Flaw) -> (Model, Result<(), String>) {
        let world = World::new(&plans);
        let mut model =
            Model { plans, flaw, seen: HashSet::new(), waiting: vec![world], outcomes: HashSet::new() };
        while let Some(world) = model.waiting.pop() {
            if !model.seen.insert(world.clone()) {
                continue;
            }
            if let Err(what) = model.check(&world) {
                return (model, Err(format!("{what}: {world:?}")));
            }
            model.go_on(&world);
        }
        (model, Ok(()))
    }

    /// Checks that each transaction is visible completely or not at all, and that its outcome
    /// agrees with what is visible.
    fn check(&mut self, world: &World) -> Result<(), &'static str> {
        self.check_values(world)?;
        if world.makers.iter().any(|maker| !maker.sent.is_empty()) {
            return Ok(());
        }
        let settled = world.clone().settle(&self.plans, self.flaw);
        if settled.buckets.iter().any(|bucket| !bucket.locks.is_empty() || !bucket.intents.is_empty()) {
            return Err("a lock remains");
        }
        self.check_values(&settled)
    }

    fn check_values(&mut self, world: &World) -> Result<(), &'static str> {
        let is_seen = |plan: &Plan| {
            let mut seen = plan.writes.iter().map(|place| world.value(&self.plans, *place) == plan.value);
            let first = seen.next();
            seen.all(|next| Some(next) == first).then_some(first == Some(true))
        };
        let mut count = 0;
        for (at, maker) in world.makers.iter().enumerate() {
            let is_seen = is_seen(&self.plans[at]).ok_or("a part of a transaction is seen")?;
            count += usize::from(is_seen);
            let Some(outcome) = maker.machine.outcome() else { continue };
            self.outcomes.insert((at, outcome.clone()));
            match outcome {
                Outcome::Committed if !is_seen && self.plans[at].conditions.is_empty() => {}
                Outcome::Committed if !is_seen => return Err("a transaction is lost"),
                Outcome::Committed | Outcome::Unknown => {}
                _ if is_seen => return Err("a transaction is made that was refused"),
                _ => {}
            }
        }
        if count > 1 { Err("two transactions are seen that exclude each other") } else { Ok(()) }
    }

    /// Adds all worlds that can follow this one.
    fn go_on(&mut self, world: &World) {
        let mut next = Vec::new();
        for at in 0..world.makers.len() {
            self.go_on_with_maker(world, at, &mut next);
        }
        for number in 0..2 {
            self.go_on_with_resolver(world, number, &mut next);
        }
        self.go_on_with_tidier(world, &mut next);
        if !world.is_late {
            next.push(World { is_late: true, ..world.clone() });
        }
        self.waiting.append(&mut next);
    }

    fn go_on_with_maker(&self, world: &World, at: usize, next: &mut Vec<World>) {
        let maker = &world.makers[at];
        for (number, call) in maker.sent.iter().enumerate() {
            let taken = || {
                let mut world = world.clone();
                world.makers[at].sent.remove(number);
                world
            };
            let mut carried_out = taken();
            let answer = carried_out.run(&self.plans, at, *call, self.flaw);
            let mut lost = vec![taken(), carried_out.clone()];
            if !maker.is_alive {
                next.append(&mut lost);
                continue;
            }
            carried_out.makers[at].hear(*call, answer);
            next.push(carried_out);
            if maker.is_whole {
                for mut world in lost {
                    world.makers[at].is_whole = false;
                    world.makers[at].hear(*call, Answer::InDoubt(String::new()));
                    next.push(world);
                }
            }
        }
        if maker.is_alive && maker.is_whole && !maker.sent.is_empty() {
            let mut world = world.clone();
            world.makers[at].is_alive = false;
            next.push(world);
        }
    }

    fn go_on_with_resolver(&self, world: &World, number: usize, next: &mut Vec<World>) {
        if world.resolvers[number].is_some() {
            let mut world = world.clone();
            let helper = world.resolvers[number].take().unwrap();
            for call in helper.calls {
                world.run(&self.plans, helper.transaction, call, self.flaw);
            }
            return next.push(world);
        }
        for bucket in 0..world.buckets.len() {
            for at in &world.buckets[bucket].intents {
                let mut world = world.clone();
                let Some(is_committed) = world.resolve(&self.plans, *at) else { continue };
                let calls = vec![Call::Finish { bucket, is_committed }];
                world.resolvers[number] = Some(Helper { transaction: *at, calls });
                next.push(world);
            }
        }
    }

    fn go_on_with_tidier(&self, world: &World, next: &mut Vec<World>) {
        let mut after = world.clone();
        if let Some(helper) = &mut after.tidier {
            let (transaction, call) = (helper.transaction, helper.calls.remove(0));
            if helper.calls.is_empty() {
                after.tidier = None;
            }
            after.run(&self.plans, transaction, call, self.flaw);
            return next.push(after);
        }
        for (at, plan) in self.plans.iter().enumerate() {
            if world.buckets[plan.primary].decisions.get(&at) == Some(&true) {
                let finish = |bucket: &usize| Call::Finish { bucket: *bucket, is_committed: true };
                let mut calls: Vec<Call> = plan.others.iter().map(finish).collect();
                let forget = Call::Forget { bucket: plan.primary };
                let is_early = self.flaw == Flaw::ForgetsEarly;
                calls.insert(if is_early { 0 } else { calls.len() }, forget);
                let tidier = Some(Helper { transaction: at, calls });
                next.push(World { tidier, ..world.clone() });
            }
        }
    }
}

impl Maker {
    fn hear(&mut self, call: Call, answer: Answer) {
        self.machine.answer(call, answer);
        self.sent.extend(self.machine.take_calls());
        self.sent.sort_unstable();
    }
}

/// Two transactions, each of which makes a condition of the other false.
fn rivals() -> Vec<Plan> {
    vec![
        Plan {
            primary: 0,
            others: vec![1, 2],
            conditions: vec![(0, 0), (1, 0)],
            writes: vec![(0, 0), (1, 0), (2, 0)],
            value: 1,
        },
        Plan {
            primary: 1,
            others: vec![2],
            conditions: vec![(1, 0)],
            writes: vec![(1, 0), (2, 0)],
            value: 2,
        },
    ]
}

/// Two transactions that write the same records without a condition.
fn overwriters() -> Vec<Plan> {
    let plan = |primary, other, value| {
        let writes = vec![(0, 0), (1, 0)];
        Plan { primary, others: vec![other], conditions: Vec::new(), writes, value }
    };
    vec![plan(0, 1, 1), plan(1, 0, 2)]
}

#[test]
fn a_transaction_is_made_completely_or_not_at_all_if_servers_are_lost() {
    for plans in [rivals(), overwriters()] {
        let (model, found) = Model::explore(plans, Flaw::None);
        assert_eq!(found, Ok(()));
        let has = |wanted: fn(&Outcome) -> bool| {
            (0..2).all(|at| model.outcomes.iter().any(|(of, outcome)| *of == at && wanted(outcome)))
        };
        assert!(model.seen.len() > 1_000, "{} worlds", model.seen.len());
        assert!(has(|outcome| *outcome == Outcome::Committed) && has(|outcome| *outcome == Outcome::Unknown));
        assert!(has(|outcome| *outcome == Outcome::Late));
        assert!(has(|outcome| matches!(outcome, Outcome::Locked(_))));
    }
}

#[test]
fn the_model_finds_flaws() {
    for flaw in [Flaw::DecidesAfterAbort, Flaw::LocksNothing, Flaw::ForgetsEarly] {
        let found = [rivals(), overwriters()].map(|plans| Model::explore(plans, flaw).1.is_err());
        assert!(found.contains(&true), "{flaw:?}");
    }
}

#[test]
fn names_and_decisions_read_back() {
    let name = Name { primary: 63, deadline: Stamp(1_700_000_000_000), id: (0xdead_beef, 7) };
    assert_eq!(name.to_string().parse(), Ok(name));
    for wrong in ["", "1 2 3", "1 2 3 4 5", "a 2 3 4"] {
        assert_eq!(wrong.parse::<Name>(), Err(()), "{wrong}");
    }
    let committed = format!("c{}", others_text(&[1, 20]));
    assert_eq!(Decision::parse(&committed), Some(Decision::Committed { others: vec![1, 20] }));
    assert_eq!((Decision::parse("a"), Decision::parse("")), (Some(Decision::Aborted), None));
}
