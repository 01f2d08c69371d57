//! The modules of a crate, read from its sources, with what each module imports, defines and
//! mentions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Item, Meta, UseTree, Visibility};

use crate::StructureError;

/// The modules of one crate. The first is the crate's root.
#[derive(Debug, Default)]
pub struct Tree {
    /// The modules.
    pub modules: Vec<Module>,
    /// The files that were read, each listed once.
    pub files: BTreeMap<PathBuf, SourceFile>,
}

/// A file of product code.
#[derive(Debug, Default)]
pub struct SourceFile {
    /// The ranges of lines that are compiled only for tests, each with its first and last line.
    pub test_lines: Vec<(usize, usize)>,
}

impl SourceFile {
    /// True if a line is compiled only for tests.
    pub(crate) fn is_for_tests(&self, line: usize) -> bool {
        self.test_lines.iter().any(|(first, last)| (*first..=*last).contains(&line))
    }
}

/// A module. Its children are separate modules.
#[derive(Debug)]
pub struct Module {
    /// The module's path from the crate's root. The root's path is empty.
    pub path: Vec<String>,
    /// The module's file.
    pub file: PathBuf,
    /// The module that declares this module.
    pub parent: Option<usize>,
    /// The modules that this module declares.
    pub children: BTreeMap<String, usize>,
    /// The names of the items that the module defines.
    pub items: BTreeSet<String>,
    /// The module's imports.
    pub imports: Vec<Import>,
    /// The paths in the module's code, except imports.
    pub mentions: Vec<Mention>,
}

/// One name of a use declaration.
#[derive(Debug)]
pub struct Import {
    /// The name of the import in this module. `None` for a glob import.
    pub name: Option<String>,
    /// The path of the imported item.
    pub path: Vec<String>,
    /// True if other modules may import the name from this module.
    pub is_reexport: bool,
    /// The line.
    pub line: usize,
}

/// A path in the code.
#[derive(Debug)]
pub struct Mention {
    /// The path.
    pub path: Vec<String>,
    /// The line.
    pub line: usize,
}

impl Tree {
    /// Reads a crate from its root file.
    ///
    /// # Errors
    /// If a file is missing or is not Rust.
    pub fn read(root: &Path) -> Result<Tree, StructureError> {
        let mut tree = Tree::default();
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        tree.modules.push(Module::new(Vec::new(), root, None));
        tree.read_file(0, root, &folder)?;
        Ok(tree)
    }

    fn read_file(&mut self, module: usize, path: &Path, folder: &Path) -> Result<(), StructureError> {
        let read_error = |source| StructureError::Read { path: path.to_owned(), source };
        let text = std::fs::read_to_string(path).map_err(read_error)?;
        let file = syn::parse_file(&text).map_err(|error| StructureError::Parse {
            path: path.to_owned(),
            line: error.span().start().line,
            message: error.to_string(),
        })?;
        self.files.entry(path.to_owned()).or_default();
        self.read_items(module, &file.items, path, folder)
    }

    /// Reads the items of a module. The files of its child modules are in `folder`.
    fn read_items(
        &mut self,
        module: usize,
        items: &[Item],
        file: &Path,
        folder: &Path,
    ) -> Result<(), StructureError> {
        for item in items {
            if is_for_tests(attributes(item)) {
                let lines = lines_of(item);
                self.files.entry(file.to_owned()).or_default().test_lines.push(lines);
                continue;
            }
            if let Item::Mod(child) = item {
                self.read_module(module, child, file, folder)?;
                continue;
            }
            let mut reader = Reader { module: &mut self.modules[module], test_lines: Vec::new() };
            reader.module.items.extend(name_of(item));
            reader.visit_item(item);
            let test_lines = reader.test_lines;
            self.files.entry(file.to_owned()).or_default().test_lines.extend(test_lines);
        }
        Ok(())
    }

    fn read_module(
        &mut self,
        parent: usize,
        item: &syn::ItemMod,
        file: &Path,
        folder: &Path,
    ) -> Result<(), StructureError> {
        let name = item.ident.to_string();
        let path = [&self.modules[parent].path[..], std::slice::from_ref(&name)].concat();
        let child = self.modules.len();
        self.modules.push(Module::new(path, file, Some(parent)));
        self.modules[parent].children.insert(name.clone(), child);
        if let Some((_, items)) = &item.content {
            return self.read_items(child, items, file, &folder.join(&name));
        }
        let beside = file.parent().unwrap_or(Path::new(""));
        let (found, inner) = match path_attribute(&item.attrs) {
            Some(named) => {
                let named = beside.join(named);
                let inner = named.parent().unwrap_or(beside).to_owned();
                (Some(named), inner)
            }
            None => {
                let places = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
                (places.into_iter().find(|place| place.is_file()), folder.join(&name))
            }
        };
        let line = item.ident.span().start().line;
        let found = found.ok_or(StructureError::NoFile { path: file.to_owned(), line, module: name })?;
        self.modules[child].file.clone_from(&found);
        self.read_file(child, &found, &inner)
    }
}

impl Module {
    fn new(path: Vec<String>, file: &Path, parent: Option<usize>) -> Module {
        Module {
            path,
            file: file.to_owned(),
            parent,
            children: BTreeMap::new(),
            items: BTreeSet::new(),
            imports: Vec::new(),
            mentions: Vec::new(),
        }
    }
}

/// Reads one item of a module.
struct Reader<'a> {
    module: &'a mut Module,
    test_lines: Vec<(usize, usize)>,
}

impl Reader<'_> {
    fn mention(&mut self, path: Vec<String>, span: Span) {
        self.module.mentions.push(Mention { path, line: span.start().line });
    }

    fn import(&mut self, tree: &UseTree, path: &mut Vec<String>, is_reexport: bool) {
        let mut push = |name: Option<String>, path: Vec<String>, span: Span| {
            self.module.imports.push(Import { name, path, is_reexport, line: span.start().line });
        };
        match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                self.import(&inner.tree, path, is_reexport);
                path.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                push(path.last().cloned(), path.clone(), name.ident.span());
            }
            UseTree::Name(name) => {
                let last = name.ident.to_string();
                push(Some(last.clone()), [&path[..], &[last]].concat(), name.ident.span());
            }
            UseTree::Rename(rename) if rename.ident == "self" => {
                push(Some(rename.rename.to_string()), path.clone(), rename.ident.span());
            }
            UseTree::Rename(rename) => {
                let path = [&path[..], &[rename.ident.to_string()]].concat();
                push(Some(rename.rename.to_string()), path, rename.ident.span());
            }
            UseTree::Glob(glob) => push(None, path.clone(), glob.span()),
            UseTree::Group(group) => {
                for inner in &group.items {
                    self.import(inner, path, is_reexport);
                }
            }
        }
    }

    /// Finds the paths in the tokens of a macro call, which cannot be parsed.
    fn scan(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut span = Span::call_site();
        let mut colons = 0;
        // A path continues after two colons. A field or a method is not a path.
        let mut follows_dot = false;
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) => {
                    if path.is_empty() || colons != 2 {
                        self.scanned(&mut path, span, follows_dot, false);
                        span = ident.span();
                        follows_dot = colons == usize::MAX;
                    }
                    path.push(ident.to_string());
                    colons = 0;
                    continue;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() && colons < 2 => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    let is_call = group.delimiter() == Delimiter::Parenthesis;
                    self.scanned(&mut path, span, follows_dot, is_call);
                    self.scan(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {
                    self.scanned(&mut path, span, follows_dot, false);
                }
            }
            let is_dot = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '.');
            colons = if is_dot { usize::MAX } else { 0 };
        }
        self.scanned(&mut path, span, follows_dot, false);
    }

    fn scanned(&mut self, path: &mut Vec<String>, span: Span, follows_dot: bool, is_call: bool) {
        let path = std::mem::take(path);
        if !follows_dot && is_meant(&path, is_call) {
            self.mention(path, span);
        }
    }

    /// Finds the paths in an attribute's strings, such as `with = "crate::text"`.
    fn scan_texts(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.scan_texts(group.stream()),
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    let text = text.trim_matches('"');
                    let is_path =
                        ["crate::", "self::", "super::"].iter().any(|start| text.starts_with(start));
                    if is_path && !text.contains(char::is_whitespace) {
                        self.mention(text.split("::").map(str::to_owned).collect(), literal.span());
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

/// True if a path may name an item of a module. A single lowercase name is a variable unless it
/// is called.
fn is_meant(path: &[String], is_call: bool) -> bool {
    match path {
        [] => false,
        [name] => is_call || name.starts_with(char::is_uppercase),
        _ => true,
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_for_tests(attributes(item)) {
            self.test_lines.push(lines_of(item));
        } else {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        let attributes: &[Attribute] = match item {
            syn::ImplItem::Const(item) => &item.attrs,
            syn::ImplItem::Fn(item) => &item.attrs,
            syn::ImplItem::Type(item) => &item.attrs,
            syn::ImplItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if is_for_tests(attributes) {
            self.test_lines.push(lines_of(item));
        } else {
            syn::visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // `use ::name` names another crate.
        if item.leading_colon.is_none() {
            let is_reexport = !matches!(item.vis, Visibility::Inherited);
            self.import(&item.tree, &mut Vec::new(), is_reexport);
        }
    }

    /// The path of `pub(in path)` only limits who may use an item, so it is not an import.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if path.leading_colon.is_none() && is_meant(&names, false) {
            self.mention(names, path.span());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(function) = &*call.func
            && let Some(name) = function.path.get_ident()
            && !name.to_string().starts_with(char::is_uppercase)
        {
            self.mention(vec![name.to_string()], name.span());
        }
        syn::visit::visit_expr_call(self, call);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.visit_path(&item.path);
        self.scan(item.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let name = attribute.path();
        if let Meta::List(list) = &attribute.meta
            && !name.is_ident("cfg")
            && !name.is_ident("doc")
        {
            self.scan(list.tokens.clone());
            self.scan_texts(list.tokens.clone());
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

fn lines_of(item: &impl Spanned) -> (usize, usize) {
    let span = item.span();
    (span.start().line, span.end().line)
}

/// The file that `#[path = "..."]` names.
fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("path")).find_map(|attribute| {
        match &attribute.meta.require_name_value().ok()?.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        }
    })
}

/// True if an item is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(|attribute| {
        let condition = attribute.parse_args::<Meta>();
        condition.is_ok_and(|condition| !may_hold_without_tests(&condition))
    })
}

/// True if a condition may hold in a build without `test`. All other conditions count as
/// possible.
fn may_hold_without_tests(condition: &Meta) -> bool {
    let inner = |list: &syn::MetaList| {
        let parser = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated;
        list.parse_args_with(parser).into_iter().flatten().collect::<Vec<Meta>>()
    };
    match condition {
        Meta::Path(path) => !path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => inner(list).iter().all(may_hold_without_tests),
        Meta::List(list) if list.path.is_ident("any") => inner(list).iter().any(may_hold_without_tests),
        Meta::List(_) | Meta::NameValue(_) => true,
    }
}
