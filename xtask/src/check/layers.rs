//! Which crate may depend on which, from the manifests.

use super::Violation;
use super::project::{Project, TextFile};

/// Every crate of the engine and what it may use of ours. A crate that is not here has no place yet.
const LAYERS: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("document", &["contract"]),
    ("edit", &[]),
    ("helper", &[]),
    ("programs", &[]),
    ("shell", &["programs"]),
    ("syntax", &[]),
    ("secrets", &["contract"]),
    ("tokens", &[]),
    ("condense", &["tokens"]),
    ("workspace", &["contract", "edit"]),
    ("search", &["contract", "edit"]),
    ("process", &["contract", "helper"]),
    ("lsp", &["contract", "workspace", "search", "process"]),
    ("web", &["contract", "document"]),
    ("browser", &["contract", "process", "web"]),
    ("mcp", &["contract", "process", "web", "store", "state"]),
    (
        "canvas",
        &["contract", "syntax", "process", "web", "browser"],
    ),
    ("state", &["contract", "secrets", "store"]),
    ("store", &["contract"]),
    ("cron", &["contract", "store"]),
    ("sessions", &["contract", "store"]),
    ("policy", &["contract", "programs", "shell"]),
    ("judge", &["contract", "policy"]),
    (
        "tools",
        &[
            "browser",
            "condense",
            "contract",
            "workspace",
            "search",
            "secrets",
            "process",
            "web",
            "document",
            "edit",
            "lsp",
            "syntax",
            "tokens",
            "state",
            "store",
            "cron",
            "canvas",
            "sessions",
        ],
    ),
    (
        "dialects",
        &[
            "browser",
            "contract",
            "workspace",
            "search",
            "process",
            "web",
            "edit",
            "tools",
            "lsp",
            "state",
            "canvas",
            "sessions",
        ],
    ),
    (
        "runtime",
        &[
            "browser",
            "contract",
            "workspace",
            "search",
            "process",
            "web",
            "edit",
            "shell",
            "condense",
            "secrets",
            "tokens",
            "policy",
            "tools",
            "dialects",
            "lsp",
            "mcp",
            "state",
            "store",
            "cron",
            "canvas",
            "sessions",
        ],
    ),
    ("border", &["contract", "runtime"]),
    ("serve", &["contract", "border"]),
    ("workspace-hack", &[]),
];
/// What the binding may use of ours.
const BINDING: &[&str] = &["contract", "border", "runtime"];

/// Crates without input and output, and what they must therefore not use.
const PURE: &[&str] = &[
    "contract", "document", "edit", "programs", "shell", "syntax", "policy", "judge", "dialects",
    "state",
];
const IMPURE_DEPENDENCIES: &[&str] = &[
    "tokio", "rustix", "libc", "tempfile", "ignore", "reqwest", "hyper",
];
/// What only the binding may use.
const BINDING_DEPENDENCIES: &[&str] = &["napi", "napi-derive", "napi-build"];

/// One line of a manifest that names a dependency of the built crate (not of its tests).
struct Dependency<'a> {
    line: usize,
    name: &'a str,
}

pub(crate) fn check(project: &Project) -> Vec<Violation> {
    let manifests = project
        .files
        .iter()
        .filter(|file| file.path.ends_with("Cargo.toml"));
    manifests.flat_map(check_manifest).collect()
}

fn check_manifest(manifest: &TextFile) -> Vec<Violation> {
    let violation = |line: usize, rule: String| Violation::new(&manifest.path, line, rule);
    let (owner, allowed) = match manifest.path.strip_prefix("crates/") {
        Some(rest) => {
            let owner = rest.strip_suffix("/Cargo.toml").unwrap_or(rest);
            match LAYERS.iter().find(|(name, _)| *name == owner) {
                Some((_, allowed)) => (owner, *allowed),
                None => {
                    let rule = format!(
                        "`{owner}` has no layer: add it to the table of `cargo xtask check` and to ARCHITECTURE.md"
                    );
                    return vec![violation(1, rule)];
                }
            }
        }
        None if manifest.path == "Cargo.toml" => ("the binding", BINDING),
        None => return Vec::new(),
    };
    let is_binding = manifest.path == "Cargo.toml";
    let dependencies = dependencies(&manifest.text);
    let judged = dependencies.iter().filter_map(|Dependency { line, name }| {
        if let Some(ours) = name.strip_prefix("tenon-") {
            let rule = format!(
                "`{owner}` must not depend on `{ours}`: it may use {}",
                list(allowed)
            );
            return (!allowed.contains(&ours)).then(|| violation(*line, rule));
        }
        if !is_binding && BINDING_DEPENDENCIES.contains(name) {
            return Some(violation(
                *line,
                format!("`{name}` occurs only in the binding, not in `{owner}`"),
            ));
        }
        let is_impure = PURE.contains(&owner) && IMPURE_DEPENDENCIES.contains(name);
        is_impure.then(|| {
            violation(
                *line,
                format!("`{owner}` is pure: it must not depend on `{name}`"),
            )
        })
    });
    judged.collect()
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        return "nothing of ours".to_owned();
    }
    names.join(", ")
}

/// The dependencies of all platforms, without those of tests.
fn dependencies(manifest: &str) -> Vec<Dependency<'_>> {
    let mut found = Vec::new();
    let mut counts = false;
    for (index, line) in manifest.lines().enumerate() {
        let line = line.trim();
        let line_number = index + 1;
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let is_list = |section: &str| {
                let last = section.rsplit('.').next().unwrap_or_default();
                matches!(last, "dependencies" | "build-dependencies")
                    && !section.starts_with("workspace")
            };
            counts = is_list(section);
            // `[dependencies.name]`
            if let Some((list, name)) = section.rsplit_once('.').filter(|(list, _)| is_list(list)) {
                found.push(Dependency {
                    line: line_number,
                    name,
                });
                counts = list.is_empty();
            }
        } else if counts && !line.is_empty() && !line.starts_with('#') {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            found.push(Dependency {
                line: line_number,
                name,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(path: &str, manifest: &str) -> Vec<String> {
        let violations = check(&Project::of(&[(path, manifest)]));
        violations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_crate_uses_what_is_below_it() {
        let manifest = "[package]\nname = \"tenon-policy\"\n\n[dependencies]\ntenon-contract.workspace = true\nserde = { workspace = true }\n\n[dev-dependencies]\ntenon-runtime.workspace = true\ntokio.workspace = true\n";
        assert_eq!(
            reported("crates/policy/Cargo.toml", manifest),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_crate_that_reaches_up_or_out_is_reported_line_by_line() {
        let manifest = "[dependencies]\ntenon-tools.workspace = true\ntokio = \"1\"\nnapi.workspace = true\n\n[target.'cfg(unix)'.dependencies]\nrustix.workspace = true\n\n[dependencies.tenon-runtime]\npath = \"x\"\n";
        assert_eq!(
            reported("crates/contract/Cargo.toml", manifest),
            [
                "crates/contract/Cargo.toml:2: `contract` must not depend on `tools`: it may use nothing of ours",
                "crates/contract/Cargo.toml:3: `contract` is pure: it must not depend on `tokio`",
                "crates/contract/Cargo.toml:4: `napi` occurs only in the binding, not in `contract`",
                "crates/contract/Cargo.toml:7: `contract` is pure: it must not depend on `rustix`",
                "crates/contract/Cargo.toml:9: `contract` must not depend on `runtime`: it may use nothing of ours",
            ]
        );
    }

    #[test]
    fn the_binding_uses_the_runtime_and_every_crate_has_a_layer() {
        let manifest = "[dependencies]\nnapi = \"3\"\ntenon-runtime.workspace = true\ntenon-policy.workspace = true\n\n[workspace.dependencies]\ntenon-shell = { path = \"crates/shell\" }\n";
        assert_eq!(
            reported("Cargo.toml", manifest),
            [
                "Cargo.toml:4: `the binding` must not depend on `policy`: it may use contract, border, runtime"
            ]
        );
        assert_eq!(
            reported("crates/new/Cargo.toml", ""),
            [
                "crates/new/Cargo.toml:1: `new` has no layer: add it to the table of `cargo xtask check` and to ARCHITECTURE.md"
            ]
        );
    }
}
