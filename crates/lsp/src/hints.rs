//! What is missing, reported once when a toolkit is made.

use crate::language_servers::LanguageServers;
use crate::servers::{Role, ServerSpec};

/// Languages of programs: data and mark-up are read well enough without a server.
const REPORTED: &[&str] = &["bash", "python", "typescript", "rust", "go", "c"];
/// Most entries of the workspace's root directory that are looked at.
const ENTRIES_MAX: usize = 500;

impl LanguageServers {
    /// One hint for each configured language whose server is not installed: those that the host names and, where
    /// `by_files`, those of the table of which a file lies in the root directory of the workspace. Looks at the disk;
    /// starts nothing.
    #[must_use]
    pub fn hints(&self, by_files: bool) -> Vec<String> {
        let names = if by_files {
            self.root_names()
        } else {
            Vec::new()
        };
        let mut reported: Vec<&str> = Vec::new();
        let mut hints = Vec::new();
        for spec in self
            .servers()
            .iter()
            .filter(|spec| spec.role == Role::Full || spec.is_configured)
        {
            let is_meant = spec.is_configured
                || (REPORTED.contains(&spec.language.as_str())
                    && names.iter().any(|name| spec.handles(name)));
            if !is_meant || reported.contains(&spec.language.as_str()) {
                continue;
            }
            reported.push(&spec.language);
            let mut same = self
                .servers()
                .iter()
                .filter(|other| other.language == spec.language);
            if same.all(|other| self.program(other).is_none()) {
                hints.push(hint(spec));
            }
        }
        hints
    }

    fn root_names(&self) -> Vec<String> {
        let listed = self
            .workspace()
            .locate(".")
            .and_then(|root| root.list(ENTRIES_MAX, &|| false));
        // A root that cannot be listed holds no evidence.
        listed
            .map(|listing| {
                listing
                    .entries
                    .into_iter()
                    .map(|entry| entry.name)
                    .collect()
            })
            .unwrap_or_default()
    }
}

fn hint(spec: &ServerSpec) -> String {
    let ServerSpec {
        spelling: language,
        name,
        install,
        ..
    } = spec;
    match install {
        Some(install) => format!("[LSP] {language}: {name} is not installed, run: {install}"),
        None => {
            let command = &spec.command;
            let why = match command.contains(std::path::is_separator) {
                true => "is not an executable file",
                false => "was not found in `PATH`",
            };
            format!("[LSP] {language}: {name} is not installed; `{command}` {why}")
        }
    }
}
