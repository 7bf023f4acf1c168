//! The shape of files: their length, the length of functions, `lib.rs`, no `mod.rs`.

use super::Violation;
use super::project::{Project, TextFile, is_test_file};
use super::source::Source;

/// Most lines of a file, without its tests. A file is one subject, whose length follows from it; a longer one has two.
const FILE_MAX_LINES: usize = 900;
/// Most lines of a function, from its `fn` to its closing brace.
const FUNCTION_MAX_LINES: usize = 60;

pub(crate) fn check(project: &Project) -> Vec<Violation> {
    let rust = project.sources.iter().flat_map(check_source);
    let facade = project.files.iter().filter(|file| is_script(&file.path));
    rust.chain(facade.filter_map(check_script)).collect()
}

fn check_source(source: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    if source.path.ends_with("/mod.rs") {
        let rule =
            "there is no `mod.rs`: a module is `name.rs` beside its directory `name/`".to_owned();
        violations.push(Violation::new(&source.path, 1, rule));
    }
    if is_test_file(&source.path) {
        return violations;
    }
    violations.extend(too_long(&source.path, source.lines_without_tests()));
    for function in source
        .functions()
        .iter()
        .filter(|function| function.lines > FUNCTION_MAX_LINES)
    {
        let rule = format!(
            "`{}` has {} lines, a function has at most {FUNCTION_MAX_LINES}",
            function.name, function.lines
        );
        violations.push(Violation::new(&source.path, function.line, rule));
    }
    if source.path.ends_with("src/lib.rs") {
        violations.extend(check_library(source));
    }
    violations
}

fn too_long(path: &str, lines: usize) -> Option<Violation> {
    let rule =
        format!("the file has {lines} lines without tests, at most {FILE_MAX_LINES} are allowed");
    (lines > FILE_MAX_LINES).then(|| Violation::new(path, FILE_MAX_LINES + 1, rule))
}

fn is_script(path: &str) -> bool {
    let directories = ["js/", "bin/", "scripts/"];
    let endings = [".js", ".mjs", ".cjs"];
    directories
        .iter()
        .any(|directory| path.starts_with(directory))
        && endings.iter().any(|ending| path.ends_with(ending))
}

fn check_script(file: &TextFile) -> Option<Violation> {
    too_long(&file.path, file.text.lines().count())
}

/// `lib.rs` holds documentation, modules and uses, and nothing else.
fn check_library(source: &Source) -> Option<Violation> {
    let is_allowed = |statement: &str| {
        let statement = statement
            .strip_prefix("pub")
            .unwrap_or(statement)
            .trim_start();
        let statement = match statement.strip_prefix('(') {
            Some(scope) => scope
                .split_once(')')
                .map_or(statement, |(_, rest)| rest.trim_start()),
            None => statement,
        };
        let is_use = statement.starts_with("use ");
        is_use
            || ((statement.starts_with("mod ") || statement.starts_with("extern crate "))
                && !statement.contains('{'))
    };
    let mut at = 0;
    for statement in source.code.split_inclusive(';') {
        let item = without_attributes(statement);
        if !item.is_empty() && !is_allowed(item) {
            let place = at + statement.len() - statement.trim_start().len();
            let rule = "`lib.rs` holds documentation, `mod` and `use`, and nothing else".to_owned();
            return Some(Violation::new(&source.path, source.line(place), rule));
        }
        at += statement.len();
    }
    None
}

fn without_attributes(statement: &str) -> &str {
    let mut item = statement.trim();
    while item.starts_with("#[") || item.starts_with("#![") {
        let Some(end) = super::source::closing(item) else {
            break;
        };
        item = item.get(end..).unwrap_or_default().trim_start();
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(path: &str, text: &str) -> Vec<String> {
        let violations = check(&Project::of(&[(path, text)]));
        violations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn files_have_at_most_900_lines_without_tests() {
        let lines = "// a\n".repeat(900);
        let tests = format!("{lines}#[cfg(test)]\nmod tests {{\n{lines}}}\n");
        assert_eq!(reported("crates/a/src/b.rs", &tests), Vec::<String>::new());
        assert_eq!(
            reported("crates/a/tests/b.rs", &format!("{lines}//\n")),
            Vec::<String>::new()
        );
        for path in ["crates/a/src/b.rs", "js/b.js"] {
            assert_eq!(
                reported(path, &format!("{lines}//\n")),
                [format!(
                    "{path}:901: the file has 901 lines without tests, at most 900 are allowed"
                )]
            );
        }
    }

    #[test]
    fn functions_have_at_most_60_lines() {
        let function = |inner: usize| format!("\nfn long() {{\n{}}}\n", "    a();\n".repeat(inner));
        assert_eq!(reported("src/a.rs", &function(58)), Vec::<String>::new());
        assert_eq!(
            reported("src/a.rs", &function(59)),
            ["src/a.rs:2: `long` has 61 lines, a function has at most 60"]
        );
    }

    #[test]
    fn a_library_root_holds_documentation_modules_and_uses() {
        let allowed = "//! Docs: fn a() {}\n\n#![warn(x)]\n\nmod a;\n#[cfg(unix)]\npub(crate) mod b;\npub use a::{A, b::{self, C}};\n#[cfg(test)]\nmod tests;\n";
        assert_eq!(
            reported("crates/a/src/lib.rs", allowed),
            Vec::<String>::new()
        );
        let rule = "`lib.rs` holds documentation, `mod` and `use`, and nothing else";
        for (text, line) in [
            ("mod a;\n\nfn b() {}\n", 3),
            ("mod a { }\n", 1),
            ("pub const A: u8 = 1;\n", 1),
        ] {
            assert_eq!(
                reported("src/lib.rs", text),
                [format!("src/lib.rs:{line}: {rule}")]
            );
        }
    }

    #[test]
    fn a_module_is_not_called_mod() {
        assert_eq!(
            reported("crates/a/tests/support/mod.rs", ""),
            [
                "crates/a/tests/support/mod.rs:1: there is no `mod.rs`: a module is `name.rs` beside its directory `name/`"
            ]
        );
    }
}
