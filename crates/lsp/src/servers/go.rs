//! Go.

use serde_json::json;

use super::{Quirks, Readiness, RootRule, ServerSpec};

pub(super) fn presets() -> Vec<ServerSpec> {
    vec![
        ServerSpec::preset("go", "gopls", "gopls", &[], &[".go", "go.mod"])
            .install("go install golang.org/x/tools/gopls@latest")
            .root(RootRule::Nearest(&[&["go.work"], &["go.mod"]]))
            .watched(&["go.sum", "go.work"])
            // The hundred that it returns at most would be those of the standard library else.
            .settings(json!({ "gopls": { "symbolScope": "workspace" } }))
            .quirks(Quirks {
                symbols_max: Some(100),
                readiness: Readiness::Immediate,
                ..Quirks::default()
            }),
    ]
}
