//! Files of a crate that import each other in a circle: whoever opens one of them has to read all.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::project::{Project, crate_of, is_test_file};
use super::source::{Source, closing};

/// How many files may import each other in a circle.
const MOST: usize = 6;

/// Crates whose circles are larger, with the size of the largest one, and two that have to be easier to read than the others. A number
/// here only shrinks.
const OTHERS: &[(&str, usize)] = &[
    ("browser", 34),
    ("contract", 8),
    ("cron", 10),
    ("dialects", 68),
    ("helper", 8),
    ("lsp", 31),
    ("policy", 5),
    ("process", 40),
    ("runtime", 59),
    ("search", 36),
    ("shell", 5),
    ("store", 18),
    ("syntax", 14),
    ("web", 10),
    ("workspace", 48),
];

/// The files of one crate by their modules, without `crate::`. The root is the empty name.
type Files<'p> = BTreeMap<String, &'p Source>;

/// Every crate with a circle of more files than it may have.
pub(crate) fn check(project: &Project) -> Vec<Violation> {
    let crates = project.crates();
    let too_large = crates.into_iter().filter_map(|name| {
        let largest = largest_circle(&files_of(project, name))?;
        let known = OTHERS.iter().find(|(known, _)| *known == name);
        let most = known.map_or(MOST, |(_, most)| *most);
        let (count, first) = (largest.len(), largest.first()?);
        let rule = format!(
            "{count} files import each other in a circle, at most {most} may: {}",
            largest.join(", ")
        );
        (count > most).then(|| Violation::new(first, 1, rule))
    });
    too_large.collect()
}

fn files_of<'p>(project: &'p Project, name: &str) -> Files<'p> {
    let own = project
        .sources
        .iter()
        .filter(|source| crate_of(&source.path) == Some(name) && !is_test_file(&source.path));
    let start = format!("crates/{name}/src/");
    let modules = own.filter_map(|source| {
        let module = source.path.strip_prefix(&start)?.strip_suffix(".rs")?;
        let module = if module == "lib" { "" } else { module };
        Some((module.replace('/', "::"), source))
    });
    modules.collect()
}

/// The paths of the files of the largest circle, in order.
fn largest_circle(files: &Files<'_>) -> Option<Vec<String>> {
    let names: Vec<&String> = files.keys().collect();
    let imports: Vec<BTreeSet<usize>> = files
        .iter()
        .map(|(module, source)| {
            let targets = paths(&source.code)
                .into_iter()
                .filter_map(|path| target(module, &path, files));
            let others = targets.filter(|target| target != module);
            others
                .filter_map(|target| names.iter().position(|name| **name == target))
                .collect()
        })
        .collect();
    let reached: Vec<BTreeSet<usize>> = (0..names.len()).map(|at| reached(at, &imports)).collect();
    let circle = |at: usize| -> Vec<usize> {
        let others = reached.get(at).into_iter().flatten().copied();
        let back = |other: &usize| reached.get(*other).is_some_and(|from| from.contains(&at));
        others.filter(back).collect()
    };
    let largest = (0..names.len()).map(circle).max_by_key(Vec::len)?;
    let sources: Vec<&&Source> = files.values().collect();
    let paths = largest.iter().filter_map(|at| sources.get(*at));
    Some(paths.map(|source| source.path.clone()).collect())
}

/// What a file reaches by one import or more.
fn reached(from: usize, imports: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut left = vec![from];
    while let Some(at) = left.pop() {
        for next in imports.get(at).into_iter().flatten() {
            if found.insert(*next) {
                left.push(*next);
            }
        }
    }
    found
}

/// All paths in the code of a file: those of its imports one by one, and those in its expressions.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = next_path(rest) {
        let start = rest.get(at..).unwrap_or_default();
        let length = start
            .find(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '_' | ':')))
            .unwrap_or(start.len());
        let path = start.get(..length).unwrap_or_default();
        let behind = start.get(length..).unwrap_or_default();
        let group_end = closing(behind).filter(|_| behind.starts_with('{'));
        match group_end {
            Some(end) if path.ends_with("::") => {
                let group = behind.get(1..end - 1).unwrap_or_default();
                found.extend(
                    members(group)
                        .iter()
                        .map(|member| format!("{path}{member}")),
                );
                rest = behind.get(end..).unwrap_or_default();
            }
            _ => {
                found.push(path.to_owned());
                rest = behind;
            }
        }
        if length == 0 {
            break;
        }
    }
    found
}

/// Where the next path begins that can lead to a file of this crate.
fn next_path(code: &str) -> Option<usize> {
    let is_name = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == ':';
    let mut from = 0;
    while let Some(at) = code.get(from..).and_then(|rest| rest.find("::")) {
        let end = from + at;
        let before = code.get(..end).unwrap_or_default();
        let start = before
            .char_indices()
            .rev()
            .take_while(|(_, sign)| is_name(*sign))
            .last()
            .map(|(place, _)| place);
        if let Some(start) = start.filter(|start| *start >= from) {
            return Some(start);
        }
        from = end + 2;
    }
    None
}

/// The members of a group of imports, inner groups included, each as the rest of a path.
fn members(group: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let parts = group.split(|sign: char| {
        match sign {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        sign == ',' && depth == 0
    });
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        match part.split_once('{') {
            Some((path, inner)) => {
                let inner = inner.trim_end().trim_end_matches('}');
                found.extend(
                    members(inner)
                        .iter()
                        .map(|member| format!("{path}{member}")),
                );
            }
            None => found.extend(part.split_whitespace().next().map(str::to_owned)),
        }
    }
    found
}

/// The file that a path in this module leads to, if one of this crate.
fn target(module: &str, path: &str, files: &Files<'_>) -> Option<String> {
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
        // A module of this file, as `child::item`.
        child => {
            at.push(child);
            files.contains_key(&at.join("::")).then_some(())?;
            at.pop();
        }
    }
    for part in parts {
        at.push(part);
        if !files.contains_key(&at.join("::")) {
            at.pop();
            break;
        }
    }
    let found = at.join("::");
    files.contains_key(&found).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(files: &[(&str, &str)]) -> Vec<String> {
        let project = Project::of(files);
        largest_circle(&files_of(&project, "edit")).unwrap_or_default()
    }

    #[test]
    fn imports_in_every_form_close_a_circle_and_declarations_do_not() {
        let lib = ("crates/edit/src/lib.rs", "mod a;\nmod b;\nmod c;\n");
        let b = ("crates/edit/src/b.rs", "mod inner;\nuse inner::X;\n");
        let inner = "use super::super::c::{self, d::{E, F}, G as H};\n";
        let inner = ("crates/edit/src/b/inner.rs", inner);
        for back in [
            "use crate::a;",
            "use crate::{std::x, a::{One, Two}};",
            "fn f() -> crate::a::One { g() }",
            "use super::a::One;",
        ] {
            let found = circle(&[
                lib,
                ("crates/edit/src/a.rs", "use super::b::inner::X;"),
                b,
                inner,
                ("crates/edit/src/c.rs", back),
            ]);
            let expected = ["a.rs", "b/inner.rs", "c.rs"];
            assert_eq!(
                found,
                expected.map(|name| format!("crates/edit/src/{name}")),
                "{back}"
            );
        }
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::a::One;\n}\n";
        let none = [
            lib,
            ("crates/edit/src/a.rs", "use crate::c::X;"),
            ("crates/edit/src/c.rs", tests),
        ];
        assert_eq!(circle(&none), Vec::<String>::new());
    }

    #[test]
    fn a_larger_circle_is_told_with_its_files() {
        let next = |at: usize| format!("use crate::m{}::X;\n", (at + 1) % 7);
        let mut files = vec![("crates/edit/Cargo.toml".to_owned(), String::new())];
        files.extend((0..7).map(|at| (format!("crates/edit/src/m{at}.rs"), next(at))));
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let told: Vec<String> = check(&Project::of(&files))
            .iter()
            .map(ToString::to_string)
            .collect();
        let names: Vec<String> = (0..7)
            .map(|at| format!("crates/edit/src/m{at}.rs"))
            .collect();
        let rule = "7 files import each other in a circle, at most 6 may";
        assert_eq!(
            told,
            [format!(
                "crates/edit/src/m0.rs:1: {rule}: {}",
                names.join(", ")
            )]
        );
    }
}
