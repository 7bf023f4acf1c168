//! TypeScript and JavaScript.

use serde_json::json;

use super::{Companion, Quirks, Readiness, Recheck, Reload, ServerSpec};
use crate::protocol::position::Encoding;

const FILES: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
const WATCHED: &[&str] = &["tsconfig.json", "jsconfig.json", "package.json"];

/// How both servers around a tsserver find their diagnostics.
const TSSERVER: Quirks = Quirks {
    encoding: Some(Encoding::JavaScript),
    sources: &[],
    readiness: Readiness::Observed,
    recheck: Recheck::Resend,
    checks_one_file: false,
    reload: Some(Reload::Tsserver),
    opens_changed: false,
    tsserver: true,
    canary: None,
    symbols_max: None,
    index_file: None,
    absent_marks: &[],
};

pub(super) fn presets(trusted: bool) -> Vec<ServerSpec> {
    let (tsgo, server, vtsls) = (tsgo(), around_tsserver(trusted), vtsls(trusted));
    // The tsgo of a project is its own TypeScript; without trust it is not looked at, and the others come first.
    let mut chain = if trusted {
        vec![tsgo, server, vtsls]
    } else {
        vec![server, vtsls, tsgo]
    };
    chain.push(linter(
        "biome",
        "biome",
        &["lsp-proxy"],
        "npm install -g @biomejs/biome",
    ));
    if trusted {
        // Its configuration is a program.
        let eslint = linter(
            "eslint",
            "vscode-eslint-language-server",
            &["--stdio"],
            "npm install -g vscode-langservers-extracted",
        );
        chain.push(eslint.settings(eslint_settings()));
    }
    chain
        .into_iter()
        .map(|spec| spec.watched(WATCHED))
        .collect()
}

fn tsgo() -> ServerSpec {
    ServerSpec::preset("typescript", "tsgo", "tsgo", &["--lsp", "--stdio"], FILES)
        .install("npm install -g @typescript/native-preview")
        .quirks(Quirks {
            symbols_max: Some(256),
            readiness: Readiness::Immediate,
            ..Quirks::default()
        })
}

/// Types are never fetched from the network, one tsserver does the work of two, and it hears of changed files from the
/// client at once instead of from watchers of its own at some time.
fn around_tsserver(trusted: bool) -> ServerSpec {
    let name = "typescript-language-server";
    let server = ServerSpec::preset("typescript", name, name, &["--stdio"], FILES)
        .install("npm install -g typescript-language-server typescript@5")
        .quirks(TSSERVER)
        .options(json!({
            "disableAutomaticTypingAcquisition": true,
            "hostInfo": "tenon",
            "tsserver": { "useSyntaxServer": "never", "useClientFileWatcher": true },
        }));
    if trusted {
        return server;
    }
    // Else it would load that of the workspace, which is code of the workspace.
    let companion = Companion {
        file: "node_modules/typescript/lib/tsserver.js",
        option: "/tsserver/path",
        install: "npm install -g typescript@5",
    };
    ServerSpec {
        companion: Some(companion),
        ..server
    }
}

/// It ends with an error when it is asked to take changes from the client (0.3.0), so it reads its projects again.
fn vtsls(trusted: bool) -> ServerSpec {
    let language = json!({
        "disableAutomaticTypeAcquisition": true,
        "tsserver": { "useSyntaxServer": "never" },
    });
    ServerSpec::preset("typescript", "vtsls", "vtsls", &["--stdio"], FILES)
        .install("npm install -g @vtsls/language-server")
        .quirks(Quirks {
            reload: Some(Reload::Command("typescript.reloadProjects")),
            symbols_max: Some(256),
            ..TSSERVER
        })
        .settings(json!({
            "typescript": language,
            "javascript": language,
            "vtsls": { "autoUseWorkspaceTsdk": trusted },
        }))
}

fn linter(name: &str, command: &str, arguments: &[&str], install: &str) -> ServerSpec {
    ServerSpec::preset("typescript", name, command, arguments, FILES)
        .install(install)
        .quirks(Quirks {
            readiness: Readiness::Immediate,
            ..Quirks::default()
        })
        .linter()
}

/// It asks for its whole settings object, and fails where a member is missing.
fn eslint_settings() -> serde_json::Value {
    json!({
        "validate": "on",
        "run": "onType",
        "packageManager": null,
        "useESLintClass": false,
        "experimental": {},
        "codeAction": { "disableRuleComment": { "enable": true, "location": "separateLine" }, "showDocumentation": { "enable": true } },
        "codeActionOnSave": { "enable": false, "mode": "all" },
        "format": false,
        "quiet": false,
        "onIgnoredFiles": "off",
        "options": {},
        "rulesCustomizations": [],
        "problems": { "shortenToSingleLine": false },
        "nodePath": null,
        "workingDirectory": { "mode": "auto" },
    })
}
