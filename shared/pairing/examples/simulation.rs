//! Simulates the ranked pool without a network. Simulated people come, wait, play and leave. Each
//! has a true strength. The server's code pairs and rates them. The program prints how long
//! people wait, how much the ratings of opponents differ, and how fast ratings approach the true
//! strengths.
//!
//! `cargo run --release -p flagfall-pairing --example simulation -- --players 2000 --days 14`

#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use clap::Parser;
use fastrand::Rng;
use flagfall_pairing::{Settings, Waiting, pair};
use flagfall_rating::{Entrant, Rating, Score, rate};

/// Simulates the ranked pool.
#[derive(Parser)]
struct Args {
    /// The number of people.
    #[arg(long, default_value_t = 2000)]
    players: usize,
    /// The number of days to simulate.
    #[arg(long, default_value_t = 14.0)]
    days: f64,
    /// The average number of visits of each person in a day.
    #[arg(long, default_value_t = 1.0)]
    visits: f64,
    /// The average number of games that a person plays on a visit.
    #[arg(long, default_value_t = 3.0)]
    games: f64,
    /// The average length of a game, in minutes.
    #[arg(long, default_value_t = 12.0)]
    minutes: f64,
    /// The number of seconds from one wave to the next.
    #[arg(long, default_value_t = 5.0)]
    wave: f64,
    /// The number of minutes for which a player waits for a game before giving up.
    #[arg(long, default_value_t = 10.0)]
    patience: f64,
    /// The standard deviation of the true strengths, in rating points.
    #[arg(long, default_value_t = 350.0)]
    spread: f64,
    /// The advantage of moving first, in rating points.
    #[arg(long, default_value_t = 0.0)]
    first_move: f64,
    /// The amount subtracted from a pair's cost for each missed wave.
    #[arg(long, default_value_t = Settings::default().wave_bonus)]
    wave_bonus: f64,
    /// The basic limit for the cost of a pair. Some pairs have a higher limit.
    #[arg(long, default_value_t = Settings::default().cost_allowed)]
    cost_allowed: f64,
    /// The amount added to a pair's limit for each point of excess deviation, if both ratings are
    /// uncertain.
    #[arg(long, default_value_t = Settings::default().deviation_widening)]
    deviation_widening: f64,
    /// The seed. Runs with the same seed give the same result.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// The number of seconds since the start of the simulation.
type Seconds = f64;

struct Person {
    strength: f64,
    rating: Rating,
    rated_at: Seconds,
    games: u32,
    first_surplus: i32,
    last_opponent: Option<usize>,
    games_to_play: u32,
    waits_since: Option<Seconds>,
}

enum Event {
    Arrives(usize),
    Ends { first: usize, second: usize },
}

/// The events, in order of time.
#[derive(Default)]
struct Agenda {
    times: BinaryHeap<Reverse<(u64, usize)>>,
    events: Vec<Option<Event>>,
}

impl Agenda {
    fn put(&mut self, at: Seconds, event: Event) {
        self.times.push(Reverse(((at * 1000.0) as u64, self.events.len())));
        self.events.push(Some(event));
    }

    fn take_until(&mut self, until: Seconds) -> Option<(Seconds, Event)> {
        let Reverse((at, index)) = *self.times.peek()?;
        let at = at as f64 / 1000.0;
        if at > until {
            return None;
        }
        self.times.pop();
        Some((at, self.events[index].take()?))
    }
}

/// The measurements. They leave out the first half of the simulated days, because ratings are not
/// yet settled and people do not yet come at a constant rate.
#[derive(Default)]
struct Counted {
    waits_s: Vec<f64>,
    rating_gaps: Vec<f64>,
    /// The rating differences in games in which at least one player's rating is certain.
    certain_gaps: Vec<f64>,
    /// The rating differences in games in which both ratings are uncertain.
    uncertain_gaps: Vec<f64>,
    /// The waiting times of players with an uncertain rating, in seconds.
    uncertain_waits_s: Vec<f64>,
    strength_gaps: Vec<f64>,
    gave_up: usize,
    repeats: usize,
    pool_sizes: Vec<f64>,
    imbalances: Vec<f64>,
}

/// The numbers of games after which the error of ratings is measured.
const MILESTONES: [u32; 6] = [1, 5, 10, 20, 40, 80];

struct Simulation {
    args: Args,
    settings: Settings,
    chance: Rng,
    people: Vec<Person>,
    pool: Vec<usize>,
    agenda: Agenda,
    counted: Counted,
    errors: [Vec<f64>; MILESTONES.len()],
}

impl Simulation {
    fn new(args: Args) -> Simulation {
        let mut chance = Rng::with_seed(args.seed);
        let people = (0..args.players)
            .map(|_| Person {
                strength: 1500.0 + args.spread * normal(&mut chance),
                rating: Rating::START,
                rated_at: 0.0,
                games: 0,
                first_surplus: 0,
                last_opponent: None,
                games_to_play: 0,
                waits_since: None,
            })
            .collect();
        let settings = Settings {
            wave_bonus: args.wave_bonus,
            cost_allowed: args.cost_allowed,
            deviation_widening: args.deviation_widening,
            ..Settings::default()
        };
        let mut simulation = Simulation {
            args,
            settings,
            chance,
            people,
            pool: Vec::new(),
            agenda: Agenda::default(),
            counted: Counted::default(),
            errors: Default::default(),
        };
        for person in 0..simulation.people.len() {
            simulation.plan_visit(person, 0.0);
        }
        simulation
    }

    fn run(&mut self) {
        let end = self.args.days * 86_400.0;
        let mut now = 0.0;
        while now < end {
            now += self.args.wave;
            while let Some((at, event)) = self.agenda.take_until(now) {
                match event {
                    Event::Arrives(person) => self.arrive(person, at),
                    Event::Ends { first, second } => self.finish(first, second, at),
                }
            }
            self.wave(now, now > end / 2.0);
        }
    }

    fn plan_visit(&mut self, person: usize, now: Seconds) {
        let pause = exponential(&mut self.chance, 86_400.0 / self.args.visits);
        self.agenda.put(now + pause, Event::Arrives(person));
    }

    fn arrive(&mut self, person: usize, now: Seconds) {
        let games = 1.0 + exponential(&mut self.chance, self.args.games - 1.0);
        self.people[person].games_to_play = games.round() as u32;
        self.enter(person, now);
    }

    fn enter(&mut self, person: usize, now: Seconds) {
        self.people[person].waits_since = Some(now);
        self.pool.push(person);
    }

    fn wave(&mut self, now: Seconds, counts: bool) {
        let patience = self.args.patience * 60.0;
        let people = &self.people;
        let (stays, leaves): (Vec<usize>, Vec<usize>) =
            self.pool.iter().partition(|person| now - people[**person].waits_since.unwrap_or(now) < patience);
        self.pool = stays;
        if counts {
            self.counted.gave_up += leaves.len();
            self.counted.pool_sizes.push(self.pool.len() as f64);
        }
        for person in leaves {
            self.plan_visit(person, now);
        }
        let waiting: Vec<Waiting<usize>> =
            self.pool.iter().map(|person| self.waiting(*person, now)).collect();
        let chance = &mut self.chance;
        let pairs = pair(&waiting, &self.settings, || chance.bool());
        let mut is_playing = vec![false; self.people.len()];
        for found in &pairs {
            (is_playing[found.first], is_playing[found.second]) = (true, true);
            self.begin(found.first, found.second, now, counts);
        }
        self.pool.retain(|person| !is_playing[*person]);
    }

    fn waiting(&self, person: usize, now: Seconds) -> Waiting<usize> {
        let who = &self.people[person];
        Waiting {
            player: person,
            rating: self.aged(person, now).value,
            deviation: self.aged(person, now).deviation,
            waves_missed: ((now - who.waits_since.unwrap_or(now)) / self.args.wave) as u32,
            first_surplus: who.first_surplus,
            last_opponent: who.last_opponent,
            apart: Vec::new(),
        }
    }

    fn begin(&mut self, first: usize, second: usize, now: Seconds, counts: bool) {
        if counts {
            let counted = &mut self.counted;
            let (one, other) = (&self.people[first], &self.people[second]);
            for person in [one, other] {
                counted.waits_s.push(now - person.waits_since.unwrap_or(now));
            }
            let gap = (one.rating.value - other.rating.value).abs();
            counted.rating_gaps.push(gap);
            let is_uncertain = |person: &Person| person.rating.deviation > self.settings.certain_deviation;
            if is_uncertain(one) && is_uncertain(other) {
                counted.uncertain_gaps.push(gap);
            } else {
                counted.certain_gaps.push(gap);
            }
            for person in [one, other].into_iter().filter(|person| is_uncertain(person)) {
                counted.uncertain_waits_s.push(now - person.waits_since.unwrap_or(now));
            }
            counted.strength_gaps.push((one.strength - other.strength).abs());
            counted.repeats += usize::from(one.last_opponent == Some(second));
        }
        for (person, opponent, surplus) in [(first, second, 1), (second, first, -1)] {
            let person = &mut self.people[person];
            person.waits_since = None;
            person.last_opponent = Some(opponent);
            person.first_surplus += surplus;
        }
        let length = exponential(&mut self.chance, self.args.minutes * 60.0);
        self.agenda.put(now + length, Event::Ends { first, second });
    }

    fn aged(&self, person: usize, now: Seconds) -> Rating {
        self.people[person].rating.aged((now - self.people[person].rated_at) / 86_400.0)
    }

    fn finish(&mut self, first: usize, second: usize, now: Seconds) {
        let difference = self.people[first].strength + self.args.first_move - self.people[second].strength;
        let first_wins = self.chance.f64() < 1.0 / (1.0 + 10_f64.powf(-difference / 400.0));
        let score = if first_wins { Score::Win } else { Score::Loss };
        let entrant = |person: usize| Entrant {
            rating: self.people[person].rating,
            idle_days: (now - self.people[person].rated_at) / 86_400.0,
        };
        let (one, other) = rate(entrant(first), entrant(second), score, 0.0);
        for (person, rating) in [(first, one), (second, other)] {
            let who = &mut self.people[person];
            (who.rating, who.rated_at) = (rating, now);
            who.games += 1;
            if let Some(milestone) = MILESTONES.iter().position(|games| *games == who.games) {
                self.errors[milestone].push((who.rating.value - who.strength).abs());
            }
            who.games_to_play = who.games_to_play.saturating_sub(1);
            if who.games_to_play > 0 {
                self.enter(person, now);
            } else {
                self.plan_visit(person, now);
            }
        }
    }

    fn print(&mut self) {
        for person in &self.people {
            self.counted.imbalances.push(f64::from(person.first_surplus.abs()));
        }
        let games = self.counted.rating_gaps.len();
        println!(
            "{} players, {} days; counted: the last half, {games} games, {:.1} in the pool at a wave",
            self.args.players,
            self.args.days,
            mean(&self.counted.pool_sizes)
        );
        let counted = &mut self.counted;
        println!("                      median     90 %     99 %      max");
        print_row("wait, s", &mut counted.waits_s);
        print_row("uncertain: wait, s", &mut counted.uncertain_waits_s);
        print_row("rating gap", &mut counted.rating_gaps);
        print_row("one certain: gap", &mut counted.certain_gaps);
        print_row("both uncertain: gap", &mut counted.uncertain_gaps);
        print_row("strength gap", &mut counted.strength_gaps);
        print_row("side imbalance, games", &mut counted.imbalances);
        println!(
            "gave up: {} ({:.2} %); the same opponent again: {} ({:.2} %)",
            counted.gave_up,
            100.0 * counted.gave_up as f64 / (counted.waits_s.len() + counted.gave_up).max(1) as f64,
            counted.repeats,
            100.0 * counted.repeats as f64 / games.max(1) as f64
        );
        println!("\nrating and true strength, mean distance");
        for (games, errors) in MILESTONES.iter().zip(&self.errors) {
            if !errors.is_empty() {
                println!("after {games:>3} games: {:>5.0} points ({} players)", mean(errors), errors.len());
            }
        }
        println!("strengths scatter by {:.0} around their mean", mean_distance(&self.people));
    }
}

/// Returns the mean error that the ratings would have if all of them were 1500.
fn mean_distance(people: &[Person]) -> f64 {
    mean(&people.iter().map(|person| (person.strength - 1500.0).abs()).collect::<Vec<_>>())
}

fn print_row(name: &str, values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values.get((share * values.len() as f64) as usize).or(values.last()).copied();
    let [median, ninety, ninety_nine, max] = [0.5, 0.9, 0.99, 1.0].map(|share| at(share).unwrap_or(0.0));
    println!("{name:<22}{median:>6.0} {ninety:>8.0} {ninety_nine:>8.0} {max:>8.0}");
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn exponential(chance: &mut Rng, mean: f64) -> f64 {
    -mean * (1.0 - chance.f64()).ln()
}

/// Returns a random number from an approximately normal distribution with mean 0 and standard
/// deviation 1. It is the sum of twelve uniform random numbers, minus six.
fn normal(chance: &mut Rng) -> f64 {
    (0..12).map(|_| chance.f64()).sum::<f64>() - 6.0
}

fn main() {
    let mut simulation = Simulation::new(Args::parse());
    simulation.run();
    simulation.print();
}
