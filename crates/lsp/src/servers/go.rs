//! Go.

use super::{Quirks, Readiness, RootRule, ServerSpec};

pub(super) fn presets() -> Vec<ServerSpec> {
    vec![
        ServerSpec::preset("go", "gopls", "gopls", &[], &[".go", "go.mod"])
            .install("go install golang.org/x/tools/gopls@latest")
            .root(RootRule::Nearest(&[&["go.work"], &["go.mod"]]))
            .watched(&["go.sum", "go.work"])
            .quirks(Quirks {
                readiness: Readiness::Immediate,
                ..Quirks::default()
            }),
    ]
}
