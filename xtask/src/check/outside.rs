//! Files, processes and the environment are reached only from the crates that own them.

use super::Violation;
use super::project::{Project, crate_of, is_test_file};
use super::source::{Source, closing};

/// The crates that own the outside world.
const OWNERS: &[&str] = &[
    "workspace",
    "search",
    "process",
    "web",
    "browser",
    "canvas",
    "store",
    "serve",
];
/// What they own.
const OWNED: &[&str] = &[
    "std::fs",
    "std::env",
    "std::process",
    "std::net",
    "tokio::fs",
    "tokio::process",
    "tokio::net",
];
/// The files of the facade that read the environment: which addon to load no option can say, since options go to the
/// addon; and servers' entries name variables, as their format has it.
const READERS: &[&str] = &["js/load.js", "js/mcp-client/config.js"];

pub(crate) fn check(project: &Project) -> Vec<Violation> {
    let sources = project
        .sources
        .iter()
        .filter(|source| is_bound(&source.path));
    let mut violations: Vec<Violation> = sources.flat_map(check_source).collect();
    let facade = project
        .files
        .iter()
        .filter(|file| file.path.starts_with("js/") && file.path.ends_with(".js"))
        .filter(|file| !READERS.contains(&file.path.as_str()));
    for file in facade {
        for (index, _) in file
            .text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.contains("process.env"))
        {
            let rule = "the facade does not read `process.env`: it hands options on".to_owned();
            violations.push(Violation::new(&file.path, index + 1, rule));
        }
    }
    violations
}

/// Whether a file is code of the engine or the binding outside of the owners.
fn is_bound(path: &str) -> bool {
    let is_ours = match crate_of(path) {
        Some(name) => !OWNERS.contains(&name),
        None => path.starts_with("src/"),
    };
    is_ours && !is_test_file(path)
}

fn check_source(source: &Source) -> Vec<Violation> {
    let named = OWNED
        .iter()
        .flat_map(|path| source.places_of(path).map(move |at| (at, *path)));
    let mut found: Vec<(usize, String)> = named
        .map(|(at, path)| (source.line(at), path.to_owned()))
        .collect();
    for root in ["std", "tokio"] {
        let opening = format!("{root}::{{");
        for (at, _) in source.code.match_indices(&opening) {
            let group = source
                .code
                .get(at + opening.len() - 1..)
                .unwrap_or_default();
            let group = closing(group)
                .and_then(|end| group.get(1..end - 1))
                .unwrap_or_default();
            let paths = members(group).map(|member| format!("{root}::{member}"));
            let owned = paths.filter(|path| OWNED.contains(&path.as_str()));
            found.extend(owned.map(|path| (source.line(at), path)));
        }
    }
    let rule = |path: &str| {
        format!(
            "`{path}` is used only in {} and in tests",
            OWNERS.join(", ")
        )
    };
    let violations = found
        .iter()
        .map(|(line, path)| Violation::new(&source.path, *line, rule(path)));
    violations.collect()
}

/// The first names of the members of `{fs::{self, File}, io}`, without the braces.
fn members(group: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let parts = group.split(move |letter: char| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    parts.filter_map(|part| part.trim().split([':', ' ']).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(files: &[(&str, &str)]) -> Vec<String> {
        let violations = check(&Project::of(files));
        violations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_outside_world_is_reached_from_its_owners_and_from_tests() {
        let uses = "use std::fs;\n";
        let none = reported(&[
            ("crates/workspace/src/a.rs", uses),
            ("crates/tools/tests/a.rs", uses),
            (
                "crates/tools/src/a.rs",
                "// std::fs\nuse std::path::Path;\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n",
            ),
            ("xtask/src/main.rs", uses),
            ("js/load.js", "process.env.TENON_NATIVE"),
        ]);
        assert_eq!(none, Vec::<String>::new());
    }

    #[test]
    fn every_way_to_name_it_is_found() {
        let text = "use std::{\n    collections::HashMap,\n    fs::{self, File},\n    io,\n};\nfn a() { std::env::var(\"A\"); tokio::process::Command::new(\"a\"); }\n";
        let rule = "is used only in workspace, search, process, web, browser, canvas, store, serve and in tests";
        assert_eq!(
            reported(&[
                ("crates/tools/src/a.rs", text),
                ("js/a.js", "\nconst a = process.env.A\n")
            ]),
            [
                format!("crates/tools/src/a.rs:6: `std::env` {rule}"),
                format!("crates/tools/src/a.rs:6: `tokio::process` {rule}"),
                format!("crates/tools/src/a.rs:1: `std::fs` {rule}"),
                "js/a.js:2: the facade does not read `process.env`: it hands options on".to_owned(),
            ]
        );
    }
}
