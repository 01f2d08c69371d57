//! The graph of a crate's modules: at the top level, and between the children of each parent.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;

use crate::modules::Tree;

/// A place in the sources.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Site {
    /// The file.
    pub file: PathBuf,
    /// The line.
    pub line: usize,
}

/// The edges between the children of one parent, and between these children and the parent's own
/// code.
///
/// Code inside a child counts as part of that child.
#[derive(Debug, Default)]
pub struct Level {
    /// The modules that have an edge, by path.
    names: Vec<String>,
    /// Every edge, with the first place in the sources that causes it.
    edges: BTreeMap<(usize, usize), Site>,
}

/// An edge of a cycle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The module that contains the reference.
    pub from: String,
    /// The module that is referred to.
    pub to: String,
    /// The first place in the sources with this reference.
    pub site: Site,
}

/// A strongly connected component of the graph: from every module in it, there is a path to every
/// other one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// The modules, by name.
    pub modules: Vec<String>,
    /// A cycle for each import that points upward. Each cycle consists of this import and the
    /// shortest way back.
    pub cycles: Vec<Vec<Step>>,
}

/// In larger components, the order is approximated instead of searched exhaustively.
const EXACT_MAX: usize = 14;

/// The cycles of a crate, level by level.
#[must_use]
pub fn components(tree: &Tree) -> Vec<Component> {
    let mut levels: BTreeMap<Vec<String>, Level> = BTreeMap::new();
    for edge in tree.edges() {
        let (from, to) = (&tree.modules[edge.from], &tree.modules[edge.to]);
        let shared = from.path.iter().zip(&to.path).take_while(|(one, other)| one == other).count();
        let level = levels.entry(from.path[..shared].to_vec()).or_default();
        let child = |path: &[String]| level_name(&path[..path.len().min(shared + 1)]);
        let (from_name, to_name) = (child(&from.path), child(&to.path));
        let ends = (level.index(from_name), level.index(to_name));
        let site = Site { file: from.file.clone(), line: edge.line };
        level.edges.entry(ends).or_insert(site);
    }
    levels.values().flat_map(Level::components).collect()
}

fn level_name(path: &[String]) -> String {
    if path.is_empty() { "crate root".to_owned() } else { path.join("::") }
}

impl Level {
    fn index(&mut self, name: String) -> usize {
        match self.names.iter().position(|known| *known == name) {
            Some(index) => index,
            None => {
                self.names.push(name);
                self.names.len() - 1
            }
        }
    }

    fn next(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges.range((from, 0)..=(from, usize::MAX)).map(|((_, to), _)| *to)
    }

    fn reached(&self, from: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut left = vec![from];
        while let Some(at) = left.pop() {
            left.extend(self.next(at).filter(|to| reached.insert(*to)));
        }
        reached
    }

    fn components(&self) -> Vec<Component> {
        let reached: Vec<BTreeSet<usize>> = (0..self.names.len()).map(|from| self.reached(from)).collect();
        let mut seen = BTreeSet::new();
        let mut components = Vec::new();
        for from in 0..self.names.len() {
            let members: Vec<usize> = (reached[from].iter().copied())
                .filter(|to| *to == from || reached[*to].contains(&from))
                .collect();
            if members.len() > 1 && seen.insert(members.clone()) {
                components.push(self.component(&members));
            }
        }
        components
    }

    fn component(&self, members: &[usize]) -> Component {
        let is_inside = |(from, to): &(usize, usize)| members.contains(from) && members.contains(to);
        let inner: Vec<(usize, usize)> = self.edges.keys().copied().filter(is_inside).collect();
        let order = top_down(members, &inner);
        let place = |module: usize| order.iter().position(|other| *other == module);
        let upward = inner.iter().filter(|(from, to)| place(*from) > place(*to));
        let cycles = upward.map(|(from, to)| self.cycle(*from, *to, members)).collect();
        let mut modules: Vec<String> = members.iter().map(|module| self.names[*module].clone()).collect();
        modules.sort_unstable();
        Component { modules, cycles }
    }

    /// Returns the cycle that consists of an edge and the shortest way back.
    fn cycle(&self, from: usize, to: usize, members: &[usize]) -> Vec<Step> {
        let mut came_from = BTreeMap::from([(to, to)]);
        let mut queue = VecDeque::from([to]);
        while let Some(at) = queue.pop_front() {
            for next in self.next(at).filter(|next| members.contains(next)) {
                came_from.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    at
                });
            }
        }
        let mut back = vec![from];
        while let Some(before) =
            back.last().and_then(|last| came_from.get(last)).filter(|_| back.last() != Some(&to))
        {
            back.push(*before);
        }
        back.push(from);
        back.reverse();
        back.windows(2)
            .filter_map(|pair| {
                let site = self.edges.get(&(pair[0], pair[1]))?.clone();
                Some(Step { from: self.names[pair[0]].clone(), to: self.names[pair[1]].clone(), site })
            })
            .collect()
    }
}

/// Returns the modules in an order with importers first, so that few edges point upward.
fn top_down(members: &[usize], edges: &[(usize, usize)]) -> Vec<usize> {
    let place = |module: &usize| members.iter().position(|member| member == module);
    let edges: Vec<(usize, usize)> =
        edges.iter().filter_map(|(from, to)| Some((place(from)?, place(to)?))).collect();
    let order = if members.len() <= EXACT_MAX {
        best_order(members.len(), &edges)
    } else {
        good_order(members.len(), &edges)
    };
    order.into_iter().map(|place| members[place]).collect()
}

/// Finds the best order by dynamic programming. For each set of modules on top, it computes the
/// fewest upward edges.
fn best_order(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut targets = vec![0_usize; count];
    edges.iter().for_each(|(from, to)| targets[*from] |= 1 << to);
    // For each set of modules on top, its cost and its lowest module.
    let mut best = vec![(usize::MAX, 0); 1 << count];
    best[0] = (0, 0);
    for set in 0..1_usize << count {
        for lowest in (0..count).filter(|module| set >> module & 1 == 0) {
            let upward = (targets[lowest] & set).count_ones() as usize;
            let (next, cost) = (set | 1 << lowest, best[set].0.saturating_add(upward));
            if cost < best[next].0 {
                best[next] = (cost, lowest);
            }
        }
    }
    let mut set = (1 << count) - 1;
    let mut order = Vec::with_capacity(count);
    while set != 0 {
        let lowest = best[set].1;
        order.push(lowest);
        set &= !(1 << lowest);
    }
    order.reverse();
    order
}

/// Finds a good order by moving modules to better places until no move improves the order.
fn good_order(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let out = |module: &usize| edges.iter().filter(|(from, _)| from == module).count();
    let into = |module: &usize| edges.iter().filter(|(_, to)| to == module).count();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|module| into(module) as isize - out(module) as isize);
    let upward = |order: &[usize]| {
        let mut places = vec![0; count];
        order.iter().enumerate().for_each(|(place, module)| places[*module] = place);
        edges.iter().filter(|(from, to)| places[*from] > places[*to]).count()
    };
    let mut least = upward(&order);
    loop {
        let mut is_better = false;
        for from in 0..count {
            for to in 0..count {
                let mut other = order.clone();
                let module = other.remove(from);
                other.insert(to, module);
                let cost = upward(&other);
                if cost < least {
                    (order, least, is_better) = (other, cost, true);
                }
            }
        }
        if !is_better {
            return order;
        }
    }
}
