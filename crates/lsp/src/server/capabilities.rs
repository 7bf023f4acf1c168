//! What the client says it can, and what a server can, by its answer to `initialize` and by what it registers later.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::protocol::position::Encoding;

/// What a server can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Where a name is declared.
    Definition,
    /// Where the type of a name is declared.
    TypeDefinition,
    /// Where an interface or abstract member is implemented.
    Implementation,
    /// Where a name is used.
    References,
    /// What a name is.
    Hover,
    /// The symbols of a file.
    DocumentSymbol,
    /// Symbols of the project by name.
    WorkspaceSymbol,
    /// Who calls, and who is called.
    CallHierarchy,
    /// Super- and subtypes.
    TypeHierarchy,
    /// Another name for a symbol.
    Rename,
    /// Repairs and refactorings.
    CodeAction,
    /// Findings on request; those that come unasked need no feature.
    PullDiagnostics,
}

impl Feature {
    /// What it is, in words for a sentence.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Definition => "definitions",
            Self::TypeDefinition => "type definitions",
            Self::Implementation => "implementations",
            Self::References => "references",
            Self::Hover => "hover",
            Self::DocumentSymbol => "document symbols",
            Self::WorkspaceSymbol => "workspace symbols",
            Self::CallHierarchy => "call hierarchies",
            Self::TypeHierarchy => "type hierarchies",
            Self::Rename => "rename",
            Self::CodeAction => "code actions",
            Self::PullDiagnostics => "diagnostics",
        }
    }

    /// The member of `ServerCapabilities`, and the method that dynamic registration names.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Definition => ("definitionProvider", "textDocument/definition"),
            Self::TypeDefinition => ("typeDefinitionProvider", "textDocument/typeDefinition"),
            Self::Implementation => ("implementationProvider", "textDocument/implementation"),
            Self::References => ("referencesProvider", "textDocument/references"),
            Self::Hover => ("hoverProvider", "textDocument/hover"),
            Self::DocumentSymbol => ("documentSymbolProvider", "textDocument/documentSymbol"),
            Self::WorkspaceSymbol => ("workspaceSymbolProvider", "workspace/symbol"),
            Self::CallHierarchy => ("callHierarchyProvider", "textDocument/prepareCallHierarchy"),
            Self::TypeHierarchy => ("typeHierarchyProvider", "textDocument/prepareTypeHierarchy"),
            Self::Rename => ("renameProvider", "textDocument/rename"),
            Self::CodeAction => ("codeActionProvider", "textDocument/codeAction"),
            Self::PullDiagnostics => ("diagnosticProvider", "textDocument/diagnostic"),
        }
    }
}

/// How a server wants to hear of changes of an open file (LSP `TextDocumentSyncKind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncKind {
    /// It does not: the file is closed and opened again.
    None,
    /// The whole text.
    Full,
    /// Ranges; the client sends one that spans the old text.
    Incremental,
}

/// What one server can.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerFeatures {
    fixed: Value,
    /// Registrations that came later. Several may have the same id: pyrefly registers for more files under that of the first.
    registered: Vec<Registration>,
}

/// One registration of a server (LSP `Registration`).
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Registration {
    pub(crate) id: String,
    pub(crate) method: String,
    #[serde(rename = "registerOptions", default)]
    pub(crate) options: Value,
}

impl ServerFeatures {
    /// By the `capabilities` of the answer to `initialize`.
    pub(crate) fn new(fixed: Value) -> Self {
        Self {
            fixed,
            registered: Vec::new(),
        }
    }

    pub(crate) fn register(&mut self, registration: Registration) {
        self.registered.push(registration);
    }

    /// Takes over what was registered with `earlier`.
    pub(crate) fn adopt(&mut self, earlier: Self) {
        self.registered.extend(earlier.registered);
    }

    pub(crate) fn unregister(&mut self, id: &str) {
        self.registered.retain(|registration| registration.id != id);
    }

    /// Whether the server can be asked for this.
    pub(crate) fn has(&self, feature: Feature) -> bool {
        let (member, method) = feature.names();
        is_provided(self.fixed.get(member)) || self.registered_for(method).next().is_some()
    }

    /// The registrations of this method.
    pub(crate) fn registered_for(&self, method: &str) -> impl Iterator<Item = &Registration> {
        self.registered
            .iter()
            .filter(move |registration| registration.method == method)
    }

    /// The identifiers under which diagnostics are pulled: each is a set of its own.
    pub(crate) fn diagnostic_identifiers(&self) -> Vec<Option<String>> {
        let (member, method) = Feature::PullDiagnostics.names();
        let fixed = self
            .fixed
            .get(member)
            .filter(|provider| is_provided(Some(provider)));
        let registered = self
            .registered_for(method)
            .map(|registration| &registration.options);
        let mut identifiers: Vec<Option<String>> = fixed
            .into_iter()
            .chain(registered)
            .map(|options| {
                options
                    .get("identifier")
                    .and_then(Value::as_str)
                    .map(str::to_owned)
            })
            .collect();
        identifiers.sort();
        identifiers.dedup();
        identifiers
    }

    /// How it counts characters.
    pub(crate) fn encoding(&self) -> Encoding {
        let named = self.fixed.get("positionEncoding").and_then(Value::as_str);
        named.and_then(Encoding::named).unwrap_or_default()
    }

    /// How it wants to hear of changes.
    pub(crate) fn sync_kind(&self) -> SyncKind {
        let sync = self.fixed.get("textDocumentSync").unwrap_or(&Value::Null);
        match sync
            .as_u64()
            .or_else(|| sync.get("change").and_then(Value::as_u64))
        {
            Some(2) => SyncKind::Incremental,
            Some(1) => SyncKind::Full,
            _ => SyncKind::None,
        }
    }

    /// Whether it wants to hear that a file was saved, and whether with its text. A server that states a number only, as those of the
    /// first versions of the protocol do, wants to.
    pub(crate) fn saving(&self) -> Option<bool> {
        let fixed = match self.fixed.get("textDocumentSync") {
            Some(Value::Number(kind)) if kind.as_u64() != Some(0) => return Some(false),
            Some(sync) => sync.get("save").filter(|save| is_provided(Some(save))),
            None => None,
        };
        let registered = self.registered_for("textDocument/didSave");
        let stated = fixed.into_iter().chain(registered.map(|it| &it.options));
        stated
            .map(|save| save.get("includeText").and_then(Value::as_bool) == Some(true))
            .reduce(|one, other| one || other)
    }

    /// Whether it executes this command.
    pub(crate) fn has_command(&self, command: &str) -> bool {
        let commands = self
            .fixed
            .get("executeCommandProvider")
            .and_then(|provider| provider.get("commands")?.as_array());
        commands.is_some_and(|commands| commands.iter().any(|known| known == command))
    }

    /// Whether a code action has to be completed before it can be used.
    pub(crate) fn resolves_code_actions(&self) -> bool {
        self.states(Feature::CodeAction, "resolveProvider")
    }

    /// Whether it can say beforehand what would be renamed.
    pub(crate) fn prepares_rename(&self) -> bool {
        self.states(Feature::Rename, "prepareProvider")
    }

    /// Whether an option of a feature is set, in the answer to `initialize` or in what was registered later.
    fn states(&self, feature: Feature, option: &str) -> bool {
        let (member, method) = feature.names();
        let registered = self.registered_for(method).map(|it| &it.options);
        let mut options = self.fixed.get(member).into_iter().chain(registered);
        options.any(|options| options.get(option).and_then(Value::as_bool) == Some(true))
    }
}

fn is_provided(provider: Option<&Value>) -> bool {
    !matches!(provider, None | Some(Value::Null | Value::Bool(false)))
}

/// What the client can (LSP `ClientCapabilities`).
pub(crate) fn client_capabilities() -> Value {
    let dynamic = json!({ "dynamicRegistration": true });
    json!({
        // The encoding of answers first: with it nothing has to be converted.
        "general": { "positionEncodings": ["utf-16", "utf-8", "utf-32"] },
        "workspace": {
            "applyEdit": true,
            "workspaceEdit": {
                "documentChanges": true,
                "resourceOperations": ["create", "rename", "delete"],
                "failureHandling": "abort",
            },
            "didChangeConfiguration": dynamic,
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            "symbol": { "dynamicRegistration": true, "symbolKind": symbol_kinds() },
            "executeCommand": dynamic,
            "workspaceFolders": true,
            "configuration": true,
            "diagnostics": { "refreshSupport": true },
        },
        "textDocument": of_documents(),
        "window": { "workDoneProgress": true },
        // rust-analyzer shows by it when it has loaded a project.
        "experimental": { "serverStatusNotification": true },
    })
}

fn symbol_kinds() -> Value {
    json!({ "valueSet": (1..=26).collect::<Vec<u8>>() })
}

fn of_documents() -> Value {
    let dynamic = json!({ "dynamicRegistration": true });
    let linked = json!({ "dynamicRegistration": true, "linkSupport": true });
    let action_kinds = [
        "",
        "quickfix",
        "refactor",
        "refactor.extract",
        "refactor.inline",
        "refactor.rewrite",
        "source",
        "source.organizeImports",
        "source.fixAll",
    ];
    json!({
        "synchronization": { "dynamicRegistration": true, "didSave": true },
        "definition": linked,
        "typeDefinition": linked,
        "implementation": linked,
        "references": dynamic,
        "hover": { "dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"] },
        "documentSymbol": {
            "dynamicRegistration": true,
            "symbolKind": symbol_kinds(),
            "hierarchicalDocumentSymbolSupport": true,
        },
        "codeAction": {
            "dynamicRegistration": true,
            "codeActionLiteralSupport": { "codeActionKind": { "valueSet": action_kinds } },
            "isPreferredSupport": true,
            "disabledSupport": true,
            "dataSupport": true,
            "resolveSupport": { "properties": ["edit", "command"] },
        },
        "rename": { "dynamicRegistration": true, "prepareSupport": true },
        "publishDiagnostics": {
            "relatedInformation": true,
            "versionSupport": true,
            "codeDescriptionSupport": true,
            "dataSupport": true,
            "tagSupport": { "valueSet": [1, 2] },
        },
        "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": false },
        "callHierarchy": dynamic,
        "typeHierarchy": dynamic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_member_that_the_client_states_is_one_of_the_protocol() {
        let mut stated = client_capabilities();
        // lsp-types 0.97 calls it `diagnostic`; LSP 3.17 has `diagnostics`.
        let refresh = stated["workspace"]
            .as_object_mut()
            .unwrap()
            .remove("diagnostics");
        assert_eq!(refresh, Some(json!({ "refreshSupport": true })));
        let understood: lsp_types::ClientCapabilities =
            serde_json::from_value(stated.clone()).unwrap();
        assert_eq!(serde_json::to_value(understood).unwrap(), stated);
    }

    #[test]
    fn features_are_stated_or_registered_later() {
        let mut features = ServerFeatures::new(json!({
            "hoverProvider": true, "definitionProvider": false, "referencesProvider": {},
            "textDocumentSync": 2, "positionEncoding": "utf-8",
        }));
        let has = |features: &ServerFeatures| {
            [
                Feature::Hover,
                Feature::Definition,
                Feature::References,
                Feature::PullDiagnostics,
            ]
            .map(|feature| features.has(feature))
        };
        assert_eq!(has(&features), [true, false, true, false]);
        assert_eq!(
            (features.sync_kind(), features.encoding(), features.saving()),
            (SyncKind::Incremental, Encoding::Utf8, Some(false))
        );
        let registration = json!({ "id": "1", "method": "textDocument/diagnostic", "registerOptions": { "identifier": "pyright" } });
        features.register(serde_json::from_value(registration).unwrap());
        assert_eq!(has(&features), [true, false, true, true]);
        assert_eq!(
            features.diagnostic_identifiers(),
            [Some("pyright".to_owned())]
        );
        features.unregister("1");
        assert_eq!(has(&features), [true, false, true, false]);
    }

    #[test]
    fn options_of_a_feature_may_be_registered_later() {
        let mut features = ServerFeatures::new(json!({ "renameProvider": true }));
        let states = |features: &ServerFeatures| {
            [features.resolves_code_actions(), features.prepares_rename()]
        };
        assert_eq!(states(&features), [false, false]);
        for (method, options) in [
            (
                "textDocument/codeAction",
                json!({ "resolveProvider": true }),
            ),
            ("textDocument/rename", json!({ "prepareProvider": true })),
        ] {
            let registration =
                json!({ "id": method, "method": method, "registerOptions": options });
            features.register(serde_json::from_value(registration).unwrap());
        }
        assert_eq!(states(&features), [true, true]);
        let fixed = json!({ "codeActionProvider": { "resolveProvider": true }, "renameProvider": { "prepareProvider": true } });
        assert_eq!(states(&ServerFeatures::new(fixed)), [true, true]);
    }

    #[test]
    fn a_server_that_registers_for_saved_files_hears_of_them() {
        let mut features = ServerFeatures::new(json!({ "textDocumentSync": { "change": 2 } }));
        assert_eq!(features.saving(), None);
        let options = json!({ "documentSelector": null, "includeText": true });
        let method = "textDocument/didSave";
        let registration = json!({ "id": "1", "method": method, "registerOptions": options });
        features.register(serde_json::from_value(registration).unwrap());
        assert_eq!(features.saving(), Some(true));
    }

    #[test]
    fn the_sync_of_a_server_is_a_number_or_an_object() {
        let of = |sync: Value| {
            let features = ServerFeatures::new(json!({ "textDocumentSync": sync }));
            (features.sync_kind(), features.saving())
        };
        assert_eq!(of(json!(1)), (SyncKind::Full, Some(false)));
        assert_eq!(of(json!(0)), (SyncKind::None, None));
        assert_eq!(of(json!({ "change": 1 })), (SyncKind::Full, None));
        assert_eq!(
            of(json!({ "change": 2, "save": { "includeText": true } })),
            (SyncKind::Incremental, Some(true))
        );
        assert_eq!(of(json!({ "save": true })), (SyncKind::None, Some(false)));
        assert_eq!(of(Value::Null), (SyncKind::None, None));
    }
}
