//! Files of a crate that import each other in a circle: to understand one of them, all have to be read.
//!
//! What counts is where a name is defined, not the file that passes it on with `pub use`.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::modules::{Module, Modules};
use super::project::{Project, crate_of, is_test_file};
use super::source::Source;

/// How many files may import each other in a circle.
const MOST: usize = 6;

/// The files of one crate by their modules, without `crate::`. The root is the empty name.
type Files<'p> = BTreeMap<String, &'p Source>;

/// Every crate with a circle of more files than it may have.
pub(crate) fn check(project: &Project) -> Vec<Violation> {
    let crates = project.crates();
    let too_large = crates.into_iter().filter_map(|name| {
        let largest = largest_circle(&files_of(project, name))?;
        let (count, first) = (largest.len(), largest.first()?);
        let rule = format!(
            "{count} files import each other in a circle, at most {MOST} may: {}",
            largest.join(", ")
        );
        (count > MOST).then(|| Violation::new(first, 1, rule))
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
    let modules: Modules<'_> = { files.iter() }
        .map(|(module, source)| (module.as_str(), Module::of(&source.code)))
        .collect();
    let imports: Vec<BTreeSet<usize>> = { files.keys() }
        .map(|module| {
            let others = modules.imports(module).into_iter();
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
    fn a_larger_circle_is_reported_with_its_files() {
        let next = |at: usize| {
            let next = (at + 1) % 7;
            format!("use crate::m{next}::X{next};\npub struct X{at};\n")
        };
        let mut files = vec![("crates/edit/Cargo.toml".to_owned(), String::new())];
        files.extend((0..7).map(|at| (format!("crates/edit/src/m{at}.rs"), next(at))));
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let reported: Vec<String> = check(&Project::of(&files))
            .iter()
            .map(ToString::to_string)
            .collect();
        let names: Vec<String> = (0..7)
            .map(|at| format!("crates/edit/src/m{at}.rs"))
            .collect();
        let rule = "7 files import each other in a circle, at most 6 may";
        assert_eq!(
            reported,
            [format!(
                "crates/edit/src/m0.rs:1: {rule}: {}",
                names.join(", ")
            )]
        );
    }
}
