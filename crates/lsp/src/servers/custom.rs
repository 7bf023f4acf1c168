//! Servers that the host adds to the table, or puts in the place of others.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::{Quirks, Role, RootRule, ServerSpec, language_named, presets};

/// A server as the host describes it (`lsp.servers.<language>`).
#[derive(Debug, Clone, PartialEq)]
pub struct CustomServer {
    /// The program: a name that is looked up in `PATH`, or an absolute path.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Endings of file names, with or without the dot. Empty: those of the language in the table.
    pub extensions: Vec<String>,
    /// `initializationOptions`.
    pub initialization_options: Option<Value>,
    /// What `workspace/configuration` is answered from.
    pub settings: Option<Value>,
    /// Variables that are set for it.
    pub environment: BTreeMap<String, String>,
    /// The command that installs it.
    pub install: Option<String>,
}

impl CustomServer {
    /// Whether it is known which files it is for: those that the host names, else those of a server of the table that is of this
    /// language or has this program.
    #[must_use]
    pub fn has_files(&self, language: &str) -> bool {
        let language = language_named(language);
        let is_sibling =
            |spec: &ServerSpec| spec.language == language || spec.command == self.program();
        !self.extensions.is_empty() || presets(false).iter().any(is_sibling)
    }

    /// The program without its directory and extension.
    fn program(&self) -> &str {
        let stem = Path::new(&self.command).file_stem();
        stem.and_then(|stem| stem.to_str()).unwrap_or(&self.command)
    }

    /// The row of the table: what the host left out comes from the server of the same program there, if it is known.
    pub(crate) fn into_spec(self, language: &str, trusted: bool) -> ServerSpec {
        let program = self.program().to_owned();
        let table = presets(trusted);
        let known = table.iter().find(|spec| spec.command == program);
        let sibling = table
            .iter()
            .find(|spec| spec.language == language_named(language));
        let mut spec = known.cloned().unwrap_or_else(|| ServerSpec {
            root: sibling.map_or(RootRule::Workspace, |spec| spec.root),
            watched: sibling.map(|spec| spec.watched.clone()).unwrap_or_default(),
            role: Role::Full,
            quirks: Quirks {
                // Who knows when it reads what changed.
                opens_changed: true,
                ..Quirks::default()
            },
            ..ServerSpec::preset(language, &program, &self.command, &[], &[])
        });
        // `sh` and `bash` are one language, whatever the host calls it.
        spec.language = language_named(language);
        language.clone_into(&mut spec.spelling);
        let files = if self.extensions.is_empty() {
            sibling.map(|spec| spec.files.clone()).unwrap_or_default()
        } else {
            self.extensions
                .into_iter()
                .map(|text| dotted(&text))
                .collect()
        };
        if !files.is_empty() {
            spec.files = files;
        }
        spec.command = self.command;
        spec.arguments = self.arguments;
        spec.initialization_options = self
            .initialization_options
            .unwrap_or(spec.initialization_options);
        spec.settings = match self.settings {
            Some(settings) => merged(spec.settings, settings),
            None => spec.settings,
        };
        spec.environment.extend(self.environment);
        spec.install = self.install.or(spec.install);
        spec.is_configured = true;
        spec
    }
}

/// `.py` and `*.py` as `.py`; a name with a capital or a dot inside, such as `Makefile`, as it is.
fn dotted(text: &str) -> String {
    let text = text.trim_start_matches('*');
    let is_name =
        text.starts_with('.') || text.contains('.') || text.chars().any(char::is_uppercase);
    if is_name {
        text.to_owned()
    } else {
        format!(".{text}")
    }
}

/// The members of `over` on those of `under`, object by object.
fn merged(under: Value, over: Value) -> Value {
    match (under, over) {
        (Value::Object(mut under), Value::Object(over)) => {
            for (name, value) in over {
                let below = under.remove(&name).unwrap_or(Value::Null);
                under.insert(name, merged(below, value));
            }
            Value::Object(under)
        }
        (_, over) => over,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoding;
    use serde_json::json;

    fn custom(command: &str) -> CustomServer {
        CustomServer {
            command: command.to_owned(),
            arguments: vec!["-v".to_owned()],
            extensions: Vec::new(),
            initialization_options: None,
            settings: None,
            environment: BTreeMap::new(),
            install: None,
        }
    }

    #[test]
    fn a_known_program_keeps_what_is_odd_about_it() {
        let spec = custom("/opt/bin/pylsp").into_spec("py", false);
        assert_eq!(spec.quirks.encoding, Some(Encoding::Utf32));
        assert_eq!(
            (
                spec.language.as_str(),
                spec.spelling.as_str(),
                spec.name.as_str(),
                spec.command.as_str()
            ),
            ("python", "py", "pylsp", "/opt/bin/pylsp")
        );
        assert_eq!(spec.arguments, ["-v"]);
        assert!(spec.handles("a.py") && spec.is_configured);
    }

    #[test]
    fn a_new_language_has_the_files_that_the_host_names() {
        let mut server = custom("zls");
        server.extensions = vec!["zig".into(), "*.zon".into(), "Makefile".into()];
        let spec = server.into_spec("zig", false);
        assert_eq!(spec.files, [".zig", ".zon", "Makefile"]);
        assert_eq!(spec.install, None);
    }

    #[test]
    fn settings_are_laid_over_those_of_the_table() {
        let mut server = custom("bash-language-server");
        server.settings = Some(json!({ "bashIde": { "logLevel": "debug" } }));
        let spec = server.into_spec("sh", false);
        assert_eq!(
            spec.settings,
            json!({ "bashIde": { "backgroundAnalysisMaxFiles": 2000, "logLevel": "debug" } })
        );
    }
}
