//! bash and sh.

use serde_json::json;

use super::{Canary, Quirks, Readiness, ServerSpec};
use crate::protocol::position::Encoding;

pub(super) fn presets() -> Vec<ServerSpec> {
    let files = &[".sh", ".bash", ".ksh"];
    vec![
        ServerSpec::preset("bash", "bash-language-server", "bash-language-server", &["start"], files)
            .install("npm install -g bash-language-server")
            .watched(&[".shellcheckrc"])
            // What it logs is how it shows that it has read the other files.
            .settings(json!({ "bashIde": { "logLevel": "info", "backgroundAnalysisMaxFiles": 2000 } }))
            .quirks(Quirks {
                readiness: Readiness::Log("BackgroundAnalysis: Completed"),
                sources: &[("shellcheck", Encoding::Utf32)],
                checks_one_file: true,
                opens_changed: true,
                canary: Some(Canary {
                    file: ".tenon-canary.sh",
                    text: "#!/bin/sh\nunused=$1\necho $2\n",
                    needs: "shellcheck",
                    install: "apt install shellcheck",
                }),
                ..Quirks::default()
            }),
    ]
}
