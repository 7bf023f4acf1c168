//! Nobody below `dialects` knows a dialect.

use super::Violation;
use super::project::{Project, crate_of, is_test_file};

/// The crates that serve every dialect alike.
const BELOW: &[&str] = &[
    "contract",
    "workspace",
    "search",
    "process",
    "edit",
    "shell",
    "state",
    "policy",
    "browser",
    "tools",
];

/// `names` are those of the dialects.
pub(crate) fn check(project: &Project, names: &[&str]) -> Vec<Violation> {
    let is_below = |path: &str| {
        crate_of(path).is_some_and(|name| BELOW.contains(&name)) && !is_test_file(path)
    };
    let mut violations = Vec::new();
    for source in project
        .sources
        .iter()
        .filter(|source| is_below(&source.path))
    {
        for at in source.places_of("DialectId") {
            let rule = "`DialectId` is not known below `dialects`: make the difference a property of a binding".to_owned();
            violations.push(Violation::new(&source.path, source.line(at), rule));
        }
        for literal in source
            .literals
            .iter()
            .filter(|literal| names.contains(&literal.content.as_str()))
        {
            let rule = format!(
                "the dialect `{}` is not known below `dialects`: make the difference a property of a binding",
                literal.content
            );
            violations.push(Violation::new(
                &source.path,
                source.line(literal.start),
                rule,
            ));
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_named_only_where_dialects_are_known() {
        let text = "// for \"agent\"\nif name == \"agent\" {}\nlet a = \"an agent\";\nuse tenon_dialects::DialectId;\n#[cfg(test)]\nmod tests { const A: &str = \"agent\"; }\n";
        let project = Project::of(&[
            ("crates/tools/src/a.rs", text),
            ("crates/runtime/src/a.rs", text),
        ]);
        let reported: Vec<String> = check(&project, &["agent"])
            .iter()
            .map(ToString::to_string)
            .collect();
        let rule = "is not known below `dialects`: make the difference a property of a binding";
        assert_eq!(
            reported,
            [
                format!("crates/tools/src/a.rs:4: `DialectId` {rule}"),
                format!("crates/tools/src/a.rs:2: the dialect `agent` {rule}"),
            ]
        );
    }
}
