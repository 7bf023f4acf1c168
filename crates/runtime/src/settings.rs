//! Settings files (SPEC section 5): JSON, JSON5 or YAML, named by the host and never picked up by themselves.
//!
//! Several merge: their rules are taken together, deny always winning, and the strictest default mode holds. A file
//! that lies inside of the workspace could have been written by anybody who may write there, so it can only
//! restrict unless the host trusts it.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::{DefaultMode, Permissions, Resolver, RuleSet};
use tenon_workspace::Workspace;

use crate::lsp_options::LspOptions;
use crate::options::{ModeName, Options, PermissionOptions, ToolOptions};

/// Largest settings file in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Where settings come from.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SettingsOption {
    /// A file: `.json`, `.json5`, `.jsonc`, `.yaml` or `.yml`.
    File(PathBuf),
    /// Several files, merged.
    Files(Vec<PathBuf>),
    /// Files with what the host says about them.
    Named(SettingsFiles),
    /// The settings themselves.
    Inline(Box<Settings>),
}

/// Settings files with what the host says about them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SettingsFiles {
    /// The files, merged.
    pub files: Vec<PathBuf>,
    /// Whether files inside of the workspace may allow something too. Default: false.
    #[serde(default)]
    pub trust: bool,
}

/// The content of a settings file.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// Who may do what.
    #[serde(default)]
    pub permissions: PermissionOptions,
    /// Which tools exist for the agent.
    #[serde(default)]
    pub tools: ToolOptions,
    /// Servers of the Model Context Protocol, as in the options of the toolkit.
    pub mcp_servers: Option<Value>,
    /// Language servers, as in the options of the toolkit.
    pub lsp: Option<LspOptions>,
}

/// Settings that were read, with what the host should hear about them.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// What was left out or is odd, a sentence each.
    pub(crate) notices: Vec<String>,
}

/// Reads the settings that the options name into the options.
pub(crate) fn apply(options: &mut Options, workspace: &Workspace) -> Result<Merged, ToolError> {
    let mut merged = Merged::default();
    let meaning = options.meaning();
    let (files, trust) = match options.settings.take() {
        None => return Ok(merged),
        Some(SettingsOption::Inline(settings)) => {
            check_rules(&settings.permissions, None, &meaning)?;
            add(options, *settings);
            return Ok(merged);
        }
        Some(SettingsOption::File(file)) => (vec![file], false),
        Some(SettingsOption::Files(files)) => (files, false),
        Some(SettingsOption::Named(named)) => (named.files, named.trust),
    };
    for file in files {
        let source = Source::read(&file)?;
        let mut settings = source.parse()?;
        check_rules(&settings.permissions, Some(&source), &meaning)?;
        if !trust
            && workspace
                .roots()
                .any(|root| source.target.starts_with(root))
        {
            restrict(&mut settings, &source.name, &mut merged.notices);
        }
        add(options, settings);
    }
    Ok(merged)
}

/// Takes out of settings what opens anything.
fn restrict(settings: &mut Settings, file: &str, notices: &mut Vec<String>) {
    let mut dropped = Vec::new();
    if !std::mem::take(&mut settings.permissions.allow).is_empty() {
        dropped.push("permissions.allow");
    }
    if matches!(settings.permissions.default_mode, Some(ModeName::Allow)) {
        settings.permissions.default_mode = None;
        dropped.push("permissions.defaultMode");
    }
    if std::mem::take(&mut settings.permissions.trust_system_folders) {
        dropped.push("permissions.trustSystemFolders");
    }
    if settings.tools.profile.take().is_some() {
        dropped.push("tools.profile");
    }
    if !std::mem::take(&mut settings.tools.allow).is_empty() {
        dropped.push("tools.allow");
    }
    // A group of this name could take members out of one that the host denies.
    if !std::mem::take(&mut settings.tools.groups).is_empty() {
        dropped.push("tools.groups");
    }
    if settings.mcp_servers.take().is_some() {
        dropped.push("mcpServers");
    }
    // It names programs to be run.
    if settings.lsp.take().is_some() {
        dropped.push("lsp");
    }
    if !dropped.is_empty() {
        let members: Vec<String> = dropped.iter().map(|member| format!("`{member}`")).collect();
        notices.push(format!(
            "`{file}` lies inside of the workspace, so it can only restrict: {} was left out. Say `trust: true` to take it whole.",
            members.join(", ")
        ));
    }
}

/// Merges: lists are joined, the strictest mode holds.
fn add(options: &mut Options, settings: Settings) {
    let Settings {
        permissions,
        tools,
        mcp_servers: _,
        lsp,
    } = settings;
    let lsp = lsp.unwrap_or_default();
    options.lsp.trust_workspace |= lsp.trust_workspace;
    let own_wish = options.lsp.diagnostics_after_edit.take();
    options.lsp.diagnostics_after_edit = own_wish.or(lsp.diagnostics_after_edit);
    for (language, server) in lsp.servers {
        options.lsp.servers.entry(language).or_insert(server);
    }
    let own = &mut options.permissions;
    own.deny.extend(permissions.deny);
    own.ask.extend(permissions.ask);
    own.allow.extend(permissions.allow);
    own.trust_system_folders |= permissions.trust_system_folders;
    own.default_mode = match (own.default_mode, permissions.default_mode) {
        (Some(one), Some(other)) => Some(stricter(one, other)),
        (one, other) => one.or(other),
    };
    options.tools.profile = options.tools.profile.or(tools.profile);
    options.tools.allow.extend(tools.allow);
    options.tools.deny.extend(tools.deny);
    for (name, members) in tools.groups {
        options
            .tools
            .groups
            .entry(name)
            .or_default()
            .extend(members);
    }
}

const fn stricter(one: ModeName, other: ModeName) -> ModeName {
    match (one, other) {
        (ModeName::Deny, _) | (_, ModeName::Deny) => ModeName::Deny,
        (ModeName::Ask, _) | (_, ModeName::Ask) => ModeName::Ask,
        (ModeName::Allow, ModeName::Allow) => ModeName::Allow,
    }
}

/// Rules are compiled file by file, so that a fault is told with its file.
fn check_rules(
    permissions: &PermissionOptions,
    source: Option<&Source>,
    meaning: Resolver<'_>,
) -> Result<(), ToolError> {
    let permissions: Permissions = permissions.to_permissions();
    let Err(errors) = RuleSet::new(&permissions, meaning) else {
        return Ok(());
    };
    let faults: Vec<String> = errors
        .iter()
        .map(
            |error| match source.map(|source| (source, source.place_of(&error.rule))) {
                Some((source, Some((line, column)))) => {
                    format!("`{}`, line {line}, column {column}: {error}", source.name)
                }
                Some((source, None)) => format!("`{}`: {error}", source.name),
                None => error.to_string(),
            },
        )
        .collect();
    Err(ToolError::new(ErrorCode::InvalidParams, faults.join(" "))
        .with("option", "options.settings")
        .with("errors", faults))
}

/// A file that was read.
struct Source {
    name: String,
    target: PathBuf,
    text: String,
}

impl Source {
    fn read(file: &Path) -> Result<Self, ToolError> {
        let name = file.display().to_string();
        let unreadable = |why: String| {
            ToolError::new(
                ErrorCode::InvalidParams,
                format!("The settings file `{name}` cannot be read: {why}"),
            )
            .with("option", "options.settings")
        };
        let parent = file
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        let leaf = file
            .file_name()
            .and_then(std::ffi::OsStr::to_str)
            .ok_or_else(|| unreadable("It names no file.".into()))?;
        let fault = |error: tenon_workspace::Error| unreadable(error.to_string());
        let folder = Workspace::open::<PathBuf>(parent, &[]).map_err(fault)?;
        let located = folder.locate(leaf).map_err(fault)?;
        let text = located
            .open_file()
            .and_then(|open| open.read_text(MAX_BYTES))
            .map_err(fault)?;
        Ok(Self {
            target: located.target().to_owned(),
            text: text.text().to_owned(),
            name,
        })
    }

    fn parse(&self) -> Result<Settings, ToolError> {
        let extension = Path::new(&self.name)
            .extension()
            .and_then(std::ffi::OsStr::to_str)
            .unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "json" => serde_json::from_str(&self.text).map_err(|error| {
                let told = error.to_string();
                let told = told
                    .split(" at line ")
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                self.broken(Some((error.line(), error.column())), &told)
            }),
            "json5" | "jsonc" => json5::from_str(&self.text).map_err(|error| {
                let place = error
                    .position()
                    .map(|position| (position.line + 1, position.column + 1));
                let told = error.to_string();
                let told = told
                    .split(" at line ")
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                self.broken(place, &told)
            }),
            "yaml" | "yml" => {
                // A file that was cut off to nothing must not mean that nothing is restricted.
                let parsed = self.parse_yaml()?;
                parsed
                    .ok_or_else(|| self.broken(None, "it is empty; `{}` says that nothing is set"))
            }
            _ => Err(self.broken(
                None,
                "its name must end in `.json`, `.json5`, `.jsonc`, `.yaml` or `.yml`",
            )),
        }
    }

    fn parse_yaml(&self) -> Result<Option<Settings>, ToolError> {
        serde_saphyr::from_str(&self.text).map_err(|error| {
            let error = error.without_snippet();
            let place = error.location().map(|location| {
                (
                    usize::try_from(location.line()).unwrap_or_default(),
                    usize::try_from(location.column()).unwrap_or_default(),
                )
            });
            let told = error.to_string();
            self.broken(place, told.lines().next().unwrap_or_default())
        })
    }

    fn broken(&self, place: Option<(usize, usize)>, fault: &str) -> ToolError {
        let at = place.map_or_else(String::new, |(line, column)| {
            format!(", line {line}, column {column}")
        });
        let message = format!(
            "The settings file `{}`{at} cannot be used: {}.",
            self.name,
            fault.trim_end_matches('.')
        );
        let error = ToolError::new(ErrorCode::InvalidParams, message)
            .with("option", "options.settings")
            .with("file", self.name.as_str());
        match place {
            Some((line, column)) => error.with("line", line).with("column", column),
            None => error,
        }
    }

    /// Line and column of a rule, counted from 1, as far as it is written plainly.
    fn place_of(&self, rule: &str) -> Option<(usize, usize)> {
        let quoted = serde_json::to_string(rule).ok()?;
        let at = self
            .text
            .find(&quoted)
            .map(|at| at + 1)
            .or_else(|| self.text.find(rule).filter(|_| !rule.is_empty()))?;
        let before = self.text.get(..at)?;
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        Some((line, column))
    }
}

/// What holds where no rule matches, in the words of settings.
pub(crate) const fn mode_of(mode: ModeName) -> DefaultMode {
    match mode {
        ModeName::Allow => DefaultMode::Allow,
        ModeName::Ask => DefaultMode::Ask,
        ModeName::Deny => DefaultMode::Deny,
    }
}

#[cfg(test)]
mod tests;
