//! The modules of one crate: what each defines, what it imports, and where a path leads.

use std::collections::{BTreeMap, BTreeSet};

use super::source::closing;

/// Longest chain of re-exports that is followed.
const MAX_REEXPORTS: usize = 8;

/// What introduces the name of an item.
const ITEMS: &[&str] = &[
    "struct ", "enum ", "trait ", "fn ", "type ", "const ", "static ", "union ", "mod ",
];

/// One `use` of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Import {
    /// The path, without the name under which it is imported.
    path: String,
    /// What it is called here.
    name: String,
    /// Passed on with `pub use`, and not used in the file itself.
    is_passed_on: bool,
}

/// One file of a crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Module {
    defined: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in expressions and types.
    paths: Vec<String>,
}

impl Module {
    /// Reads the masked code of a file.
    pub(crate) fn of(code: &str) -> Self {
        let (uses, rest) = split_uses(code);
        let words: BTreeSet<&str> = { rest.lines() }
            .filter(|line| !declares_module(line))
            .flat_map(|line| line.split(|sign: char| !is_name(sign)))
            .filter(|word| !word.is_empty())
            .collect();
        let imports = uses.into_iter().flat_map(|(is_public, tree)| {
            let words = &words;
            members(&tree).into_iter().map(move |(path, alias)| {
                let last = path.rsplit("::").next().unwrap_or_default().to_owned();
                let name = alias.unwrap_or(last);
                let is_passed_on = is_public && !words.contains(name.as_str());
                Import {
                    path,
                    name,
                    is_passed_on,
                }
            })
        });
        Self {
            imports: imports.collect(),
            defined: defined(&rest),
            paths: paths(&rest),
        }
    }

    fn imported(&self, name: &str) -> Option<&str> {
        let import = self.imports.iter().find(|import| import.name == name)?;
        Some(&import.path)
    }
}

/// All files of a crate by their modules, without `crate::`. The root is the empty name.
#[derive(Debug, Default)]
pub(crate) struct Modules<'m>(BTreeMap<&'m str, Module>);

impl<'m> FromIterator<(&'m str, Module)> for Modules<'m> {
    fn from_iter<I: IntoIterator<Item = (&'m str, Module)>>(modules: I) -> Self {
        Self(modules.into_iter().collect())
    }
}

impl Modules<'_> {
    /// The other modules that define what a module uses.
    pub(crate) fn imports(&self, module: &str) -> BTreeSet<String> {
        let Some(read) = self.0.get(module) else {
            return BTreeSet::new();
        };
        let used = read.imports.iter().filter(|import| !import.is_passed_on);
        let paths = used.map(|import| &import.path).chain(&read.paths);
        paths
            .filter_map(|path| self.home(module, path, 0))
            .filter(|home| home != module)
            .collect()
    }

    /// The module that defines what a path in a module leads to, if it is one of this crate.
    fn home(&self, module: &str, path: &str, depth: usize) -> Option<String> {
        if depth > MAX_REEXPORTS {
            return None;
        }
        let mut parts: Vec<&str> = path.split("::").filter(|part| !part.is_empty()).collect();
        let mut at: Vec<&str> = module.split("::").filter(|part| !part.is_empty()).collect();
        match *parts.first()? {
            "crate" => {
                at.clear();
                parts.remove(0);
            }
            "self" => drop(parts.remove(0)),
            "super" => {
                while parts.first() == Some(&"super") {
                    at.pop();
                    parts.remove(0);
                }
            }
            first => {
                at.push(first);
                let is_child = self.0.contains_key(at.join("::").as_str());
                at.pop();
                if !is_child {
                    // The name of a module that was imported.
                    let import = self.0.get(module)?.imported(first)?;
                    let starts = ["crate", "self", "super"];
                    let is_own = starts.iter().any(|start| import.starts_with(start));
                    (is_own && parts.len() > 1).then_some(())?;
                    let whole = format!("{import}::{}", parts.get(1..)?.join("::"));
                    return self.home(module, &whole, depth + 1);
                }
            }
        }
        let mut parts = parts.into_iter().peekable();
        while let Some(&part) = parts.peek() {
            at.push(part);
            if !self.0.contains_key(at.join("::").as_str()) {
                at.pop();
                break;
            }
            parts.next();
        }
        let found = at.join("::");
        let reached = self.0.get(found.as_str())?;
        match parts.next() {
            Some(name) if !reached.defined.contains(name) => match reached.imported(name) {
                Some(import) => self.home(&found, import, depth + 1),
                None => Some(found),
            },
            _ => Some(found),
        }
    }
}

fn is_name(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Every `use` of a file (whether it is public, and its tree), and the code without them.
fn split_uses(code: &str) -> (Vec<(bool, String)>, String) {
    let mut uses = Vec::new();
    let mut rest = String::with_capacity(code.len());
    let mut statement = String::new();
    for line in code.lines() {
        let trimmed = line.trim_start();
        if statement.is_empty() && !begins_use(trimmed) {
            rest.push_str(line);
            rest.push('\n');
            continue;
        }
        statement.push_str(trimmed);
        statement.push(' ');
        if trimmed.contains(';') {
            let is_public = statement.starts_with("pub");
            let tree = statement.split_once("use ").map(|(_, tree)| tree);
            let tree = tree.unwrap_or_default().trim_end().trim_end_matches(';');
            uses.push((is_public, tree.to_owned()));
            statement.clear();
        }
    }
    (uses, rest)
}

fn begins_use(line: &str) -> bool {
    let line = line.strip_prefix("pub").map_or(line, |behind| {
        let behind = behind.trim_start();
        match behind.strip_prefix('(') {
            Some(scope) => scope
                .split_once(')')
                .map_or("", |(_, rest)| rest.trim_start()),
            None => behind,
        }
    });
    line.starts_with("use ")
}

/// Whether a line is `mod name;`, which names a file and uses nothing in it.
fn declares_module(line: &str) -> bool {
    let line = line.trim();
    line.ends_with(';') && line.split_whitespace().rev().nth(1) == Some("mod")
}

/// The names of items.
fn defined(code: &str) -> BTreeSet<String> {
    let names = ITEMS.iter().flat_map(|item| {
        code.match_indices(item).filter_map(move |(at, _)| {
            let before = code.get(..at)?.chars().next_back();
            let name = code.get(at + item.len()..)?;
            let end = name.find(|sign: char| !is_name(sign)).unwrap_or(name.len());
            let is_item = !before.is_some_and(is_name) && end > 0;
            is_item.then(|| name.get(..end).unwrap_or_default().to_owned())
        })
    });
    names.collect()
}

/// All paths with `::` in the code of a file.
fn paths(code: &str) -> Vec<String> {
    let signs = |sign: char| !(is_name(sign) || sign == ':');
    let words = code.split(signs).filter(|word| word.contains("::"));
    words
        .map(|word| word.trim_matches(':').to_owned())
        .filter(|word| word.contains("::"))
        .collect()
}

/// The paths of a tree of imports, each with the name that `as` gives it.
fn members(tree: &str) -> Vec<(String, Option<String>)> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let (path, alias) = match tree.split_once(" as ") {
            Some((path, alias)) => (path, Some(alias.trim().to_owned())),
            None => (tree, None),
        };
        let path = path.trim();
        let path = path.strip_suffix("::self").unwrap_or(path);
        return vec![(path.to_owned(), alias)];
    };
    let (start, group) = tree.split_at(open);
    let end = closing(group).unwrap_or(group.len());
    let inner = group.get(1..end - 1).unwrap_or_default();
    let mut depth = 0_usize;
    let parts = inner.split(|sign: char| {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        sign == ',' && depth == 0
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    parts
        .flat_map(|part| match part {
            "self" => vec![(start.trim_end_matches(':').to_owned(), None)],
            part => members(&format!("{start}{part}")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(files: &[(&str, &str)], module: &str) -> Vec<String> {
        let modules = files.iter().map(|(name, code)| (*name, Module::of(code)));
        let modules: Modules<'_> = modules.collect();
        modules.imports(module).into_iter().collect()
    }

    #[test]
    fn a_name_belongs_to_the_file_that_defines_it_however_it_is_passed_on() {
        let files = [
            (
                "",
                "mod a;\nmod b;\npub use a::Thing;\npub use b::{self, inner::Other as Renamed};\n",
            ),
            ("a", "pub struct Thing;\n"),
            ("b", "mod inner;\npub(crate) use inner::{\n    Other,\n};\n"),
            ("b::inner", "pub enum Other {}\n"),
            ("one", "use crate::Thing;\nuse crate::b::Other;\n"),
            (
                "two",
                "fn f() -> crate::Renamed { crate::b::Other::new() }\n",
            ),
            ("three", "use crate::b;\nfn f() { b::Other::new() }\n"),
        ];
        assert_eq!(imports(&files, "one"), ["a", "b::inner"]);
        assert_eq!(imports(&files, "two"), ["b::inner"]);
        assert_eq!(imports(&files, "three"), ["b", "b::inner"]);
        assert_eq!(imports(&files, ""), Vec::<String>::new());
    }

    #[test]
    fn what_a_file_passes_on_and_uses_itself_is_imported() {
        let files = [
            ("a", "mod b;\npub use b::{One, Two};\nfn f(one: One) {}\n"),
            ("a::b", "pub struct One;\n"),
        ];
        assert_eq!(imports(&files, "a"), ["a::b"]);
    }
}
