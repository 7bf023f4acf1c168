//! Python.

use serde_json::json;

use super::{Canary, Quirks, Readiness, RootRule, ServerSpec};
use crate::protocol::position::Encoding;

const FILES: &[&str] = &[".py", ".pyi"];
const ROOT: RootRule = RootRule::Nearest(&[
    &[
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "pyrightconfig.json",
    ],
    &["requirements.txt", "Pipfile"],
]);
const WATCHED: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "pyrightconfig.json",
    "tox.ini",
    "ruff.toml",
];

pub(super) fn presets() -> Vec<ServerSpec> {
    let pylsp = ServerSpec::preset("python", "pylsp", "pylsp", &[], FILES)
        // Without the extra there is no linter, and every file looks clean.
        .install("pip install 'python-lsp-server[all]'")
        .quirks(Quirks {
            // It says nothing and counts code points.
            encoding: Some(Encoding::Utf32),
            // These hand on the columns of Python's own parser, which are bytes.
            sources: &[("pyflakes", Encoding::Utf8), ("pylint", Encoding::Utf8)],
            readiness: Readiness::Immediate,
            canary: Some(Canary {
                file: ".tenon_canary.py",
                text: "undefined_name\n",
                needs: "pyflakes",
                install: "pip install 'python-lsp-server[all]'",
            }),
            ..Quirks::default()
        });
    let pyright = |name: &str, command: &str, install: &str| {
        let analysis = json!({ "autoSearchPaths": true, "useLibraryCodeForTypes": true, "diagnosticMode": "openFilesOnly" });
        ServerSpec::preset("python", name, command, &["--stdio"], FILES)
            .install(install)
            .settings(json!({ "python": { "analysis": analysis }, "basedpyright": { "analysis": analysis } }))
    };
    let ruff = ServerSpec::preset("python", "ruff", "ruff", &["server"], FILES)
        .install("pip install ruff")
        .quirks(Quirks {
            readiness: Readiness::Immediate,
            ..Quirks::default()
        })
        .linter();
    [
        pylsp,
        pyright(
            "basedpyright",
            "basedpyright-langserver",
            "pip install basedpyright",
        ),
        pyright("pyright", "pyright-langserver", "npm install -g pyright"),
        ruff,
    ]
    .into_iter()
    .map(|spec| spec.root(ROOT).watched(WATCHED))
    .collect()
}
