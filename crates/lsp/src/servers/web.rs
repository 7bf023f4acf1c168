//! JSON, YAML, HTML and CSS.

use serde_json::json;

use super::{Quirks, Readiness, ServerSpec};

pub(super) fn presets() -> Vec<ServerSpec> {
    let extracted = "npm install -g vscode-langservers-extracted";
    let quirks = Quirks {
        readiness: Readiness::Immediate,
        ..Quirks::default()
    };
    let validate = json!({ "validate": true });
    vec![
        // Schemas from the network stay there: fetching them would reach any address that a file names.
        ServerSpec::preset("json", "vscode-json-language-server", "vscode-json-language-server", &["--stdio"], &[".json", ".jsonc"])
            .install(extracted)
            .options(json!({ "provideFormatter": false, "handledSchemaProtocols": ["file"] }))
            .settings(json!({ "json": { "validate": { "enable": true }, "schemaDownload": { "enable": false }, "schemas": [] } }))
            .quirks(quirks),
        ServerSpec::preset("yaml", "yaml-language-server", "yaml-language-server", &["--stdio"], &[".yaml", ".yml"])
            .install("npm install -g yaml-language-server")
            .settings(json!({
                "yaml": {
                    "validate": true,
                    "schemaStore": { "enable": false },
                    "kubernetesCRDStore": { "enable": false },
                },
                "redhat": { "telemetry": { "enabled": false } },
            }))
            .quirks(quirks),
        ServerSpec::preset("html", "vscode-html-language-server", "vscode-html-language-server", &["--stdio"], &[".html", ".htm"])
            .install(extracted)
            .options(json!({ "provideFormatter": false, "embeddedLanguages": { "css": true, "javascript": true } }))
            .settings(json!({ "html": { "validate": { "scripts": true, "styles": true } } }))
            .quirks(quirks),
        ServerSpec::preset("css", "vscode-css-language-server", "vscode-css-language-server", &["--stdio"], &[".css", ".scss", ".less"])
            .install(extracted)
            .settings(json!({ "css": validate, "scss": validate, "less": validate }))
            .quirks(quirks),
    ]
}
