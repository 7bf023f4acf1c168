//! The rules of the house that a program can check.

mod circles;
mod dialect_names;
mod exports;
mod layers;
mod map;
mod mask;
mod modules;
mod outside;
mod project;
mod retired;
mod shape;
mod source;
mod words;
mod workplaces;

use std::error::Error;
use std::fmt;
use std::io::Write;
use std::path::Path;

use project::Project;
use tenon_dialects::DialectId;

/// One place that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Violation {
    path: String,
    /// Counted from 1.
    line: usize,
    rule: String,
}

impl Violation {
    fn new(path: &str, line: usize, rule: String) -> Self {
        Self {
            path: path.to_owned(),
            line,
            rule,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.rule)
    }
}

/// Checks the project in this directory; whether no rule is broken.
pub(crate) fn run(root: &Path, out: &mut impl Write) -> Result<bool, Box<dyn Error>> {
    let violations = violations(&Project::read(root)?);
    for violation in &violations {
        writeln!(out, "{violation}")?;
    }
    Ok(violations.is_empty())
}

fn violations(project: &Project) -> Vec<Violation> {
    let dialects: Vec<&str> = DialectId::ALL.iter().map(|id| id.name()).collect();
    let mut violations = [
        circles::check(project),
        layers::check(project),
        outside::check(project),
        shape::check(project),
        exports::check(project),
        dialect_names::check(project, &dialects),
        map::check(project),
        retired::check(project),
        words::check(project),
        workplaces::check(project),
    ]
    .concat();
    violations.sort();
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_are_reported_in_the_order_of_files_and_lines() {
        let project = Project::of(&[
            ("ARCHITECTURE.md", "`crates/tools`"),
            ("crates/tools/Cargo.toml", "[dependencies]\nnapi = \"3\"\n"),
            ("crates/tools/src/mod.rs", "use std::env;\nuse std::fs;\n"),
        ]);
        let reported: Vec<String> = violations(&project)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            reported,
            [
                "crates/tools/Cargo.toml:2: `napi` occurs only in the binding, not in `tools`",
                "crates/tools/src/mod.rs:1: `std::env` is used only in workspace, search, process, web, browser, canvas, store, serve and in tests",
                "crates/tools/src/mod.rs:1: there is no `mod.rs`: a module is `name.rs` beside its directory `name/`",
                "crates/tools/src/mod.rs:2: `std::fs` is used only in workspace, search, process, web, browser, canvas, store, serve and in tests",
            ]
        );
    }
}
