//! ARCHITECTURE.md is the map: every crate is on it.

use super::Violation;
use super::project::Project;

const MAP: &str = "ARCHITECTURE.md";

pub(crate) fn check(project: &Project) -> Vec<Violation> {
    let Some(map) = project.text(MAP) else {
        return vec![Violation::new(
            MAP,
            1,
            "the map of the project is missing".to_owned(),
        )];
    };
    let missing = project
        .crates()
        .into_iter()
        .filter(|name| !map.contains(&format!("`crates/{name}`")));
    let violations =
        missing.map(|name| Violation::new(MAP, 1, format!("`crates/{name}` is not on the map")));
    violations.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_that_is_not_on_the_map_is_named() {
        let manifests = [
            ("crates/edit/Cargo.toml", ""),
            ("crates/shell/Cargo.toml", ""),
        ];
        let reported = |files: &[(&str, &str)]| {
            let violations = check(&Project::of(&[&manifests, files].concat()));
            violations
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            reported(&[]),
            ["ARCHITECTURE.md:1: the map of the project is missing"]
        );
        assert_eq!(
            reported(&[("ARCHITECTURE.md", "| `crates/edit` | pure |")]),
            ["ARCHITECTURE.md:1: `crates/shell` is not on the map"]
        );
    }
}
