//! Rust.

use serde_json::json;

use super::{Quirks, Readiness, RootRule, ServerSpec};

pub(super) fn presets(trusted: bool) -> Vec<ServerSpec> {
    let mut server = ServerSpec::preset("rust", "rust-analyzer", "rust-analyzer", &[], &[".rs"])
        .install("rustup component add rust-analyzer")
        .root(RootRule::Cargo)
        .watched(&["Cargo.toml", "Cargo.lock", "rust-project.json"])
        // Build scripts, macros and `cargo check` run code of the workspace and of its dependencies.
        .options(json!({
            "cargo": { "buildScripts": { "enable": trusted } },
            "procMacro": { "enable": trusted },
            "checkOnSave": trusted,
            "cachePriming": { "enable": false },
            "workspace": { "symbol": { "search": { "kind": "all_symbols", "limit": 1000 } } },
        }))
        .quirks(Quirks {
            readiness: Readiness::Status,
            opens_changed: true,
            symbols_max: Some(1_000),
            // Of rustup, without the component.
            absent_marks: &[
                "Unknown binary 'rust-analyzer'",
                "'rust-analyzer' is not installed",
            ],
            ..Quirks::default()
        });
    if !trusted {
        // A `.cargo/config.toml` of the workspace can name another compiler; the environment wins over it.
        for (name, value) in [
            ("RUSTC", "rustc"),
            ("RUSTC_WRAPPER", ""),
            ("RUSTC_WORKSPACE_WRAPPER", ""),
        ] {
            server.environment.insert(name.to_owned(), value.to_owned());
        }
    }
    vec![server]
}
