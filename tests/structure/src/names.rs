//! Finds the module that a path names, through imports and re-exports.

use std::collections::BTreeSet;

use crate::modules::{Module, Tree};

/// A reference from one module to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The module that contains the reference.
    pub from: usize,
    /// The module that is referred to.
    pub to: usize,
    /// The line of the reference in the file of the first module.
    pub line: usize,
}

/// The target that a name refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Target {
    Module(usize),
    ItemOf(usize),
}

impl Target {
    fn module(self) -> usize {
        match self {
            Target::Module(module) | Target::ItemOf(module) => module,
        }
    }
}

/// Names that are being looked up. They are recorded because a chain of imports may lead back to
/// its beginning.
type Asked = BTreeSet<(usize, String)>;

impl Tree {
    /// Returns all paths in product code that refer to another module.
    ///
    /// If a parent re-exports items of its children, this does not count as a reference to the
    /// children.
    #[must_use]
    pub fn edges(&self) -> Vec<Edge> {
        let mut edges = Vec::new();
        for (from, module) in self.modules.iter().enumerate() {
            for import in &module.imports {
                for to in self.named(from, &import.path) {
                    if to != from && !(import.is_reexport && self.is_inside(to, from)) {
                        edges.push(Edge { from, to, line: import.line });
                    }
                }
            }
            for mention in &module.mentions {
                let others = self.named(from, &mention.path).into_iter().filter(|to| *to != from);
                edges.extend(others.map(|to| Edge { from, to, line: mention.line }));
            }
        }
        edges.sort_unstable();
        edges
    }

    fn is_inside(&self, inner: usize, outer: usize) -> bool {
        self.modules[inner].path.starts_with(&self.modules[outer].path)
    }

    /// Returns the modules that a path in a module refers to. Empty if the path refers to another
    /// crate or to a local name.
    fn named(&self, from: usize, path: &[String]) -> BTreeSet<usize> {
        let targets = self.resolve(from, path, &mut Asked::new());
        targets.into_iter().map(Target::module).collect()
    }

    fn resolve(&self, from: usize, path: &[String], asked: &mut Asked) -> BTreeSet<Target> {
        let (mut at, mut rest) = (from, path);
        let mut is_explicit = false;
        while let Some((first, others)) = rest.split_first() {
            at = match (first.as_str(), self.modules[at].parent) {
                ("crate" | "$crate", _) if !is_explicit => 0,
                ("self", _) => at,
                ("super", Some(parent)) => parent,
                _ => break,
            };
            is_explicit = true;
            rest = others;
        }
        let mut targets = BTreeSet::from([Target::Module(at)]);
        for (place, name) in rest.iter().enumerate() {
            let Some(module) = targets.iter().find_map(|target| match target {
                Target::Module(module) => Some(*module),
                Target::ItemOf(_) => None,
            }) else {
                // The rest of the path is inside an item, such as a variant or a function of a
                // type.
                return targets;
            };
            let is_last = place + 1 == rest.len();
            let mut found = self.look_up(module, name, asked);
            if !is_last && found.iter().any(|target| matches!(target, Target::Module(_))) {
                found.retain(|target| matches!(target, Target::Module(_)));
            }
            if found.is_empty() {
                // A macro may define this name, which a parser cannot see.
                let is_here = is_explicit || place > 0;
                return if is_here { BTreeSet::from([Target::ItemOf(module)]) } else { found };
            }
            targets = found;
        }
        targets
    }

    /// Returns what a name refers to in a module.
    fn look_up(&self, at: usize, name: &str, asked: &mut Asked) -> BTreeSet<Target> {
        let module: &Module = &self.modules[at];
        let mut found = BTreeSet::new();
        if !asked.insert((at, name.to_owned())) {
            return found;
        }
        found.extend(module.children.get(name).map(|child| Target::Module(*child)));
        if module.items.contains(name) {
            found.insert(Target::ItemOf(at));
        }
        for import in module.imports.iter().filter(|import| import.name.as_deref() == Some(name)) {
            let targets = self.resolve(at, &import.path, asked);
            if targets.iter().any(|target| !self.is_inside(target.module(), at)) {
                // The name is imported from another module. A path through the import counts as a
                // reference to this module as well.
                found.insert(Target::ItemOf(at));
            }
            found.extend(targets);
        }
        if found.is_empty() {
            for import in module.imports.iter().filter(|import| import.name.is_none()) {
                for target in self.resolve(at, &import.path, asked) {
                    // Only modules are searched, because the variants of an enum are not known
                    // here.
                    if let Target::Module(module) = target
                        && module != at
                    {
                        found.extend(self.look_up(module, name, asked));
                    }
                }
            }
        }
        asked.remove(&(at, name.to_owned()));
        found
    }
}
