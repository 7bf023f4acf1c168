//! Settings files: JSON, JSON5 or YAML, named by the host and never picked up by themselves.
//!
//! Several merge: their rules are taken together, deny always winning, and the strictest default mode holds. A file
//! that lies inside of the workspace could have been written by anybody who may write there, so it can only
//! restrict unless the host trusts it.

mod source;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::{Permissions, ProgramRow, Resolver, RuleSet, is_protected};
use tenon_workspace::Workspace;

use crate::lsp_options::LspOptions;
use crate::options::{ModeName, Options, PermissionOptions, ToolOptions};
use crate::programs::GivenRows;
use source::Source;

/// Where settings come from.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SettingsOption {
    /// A file: `.json`, `.json5`, `.jsonc`, `.yaml` or `.yml`.
    File(PathBuf),
    /// Several files, merged.
    Files(Vec<PathBuf>),
    /// Files, and whether they are trusted.
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
    /// Whether files inside the workspace may allow something too. Default: false.
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
    /// Servers of the Model Context Protocol. Ignored with a notice: they are programs that run, so the host names them in its own
    /// option `mcpServers`.
    pub mcp_servers: Option<Value>,
    /// Language servers, as in the options of the toolkit.
    pub lsp: Option<LspOptions>,
    /// What programs of yours do, as in the options of the toolkit. Rows of a file inside the workspace can only make a
    /// decision stricter: a command is judged without them and with them.
    #[serde(default)]
    pub programs: Vec<ProgramRow>,
}

/// Settings that were read, with what the host should know about them.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// What was left out or is odd, a sentence each.
    pub(crate) notices: Vec<String>,
    /// Lists of tools from files that can only restrict: they take tools away, and add none.
    pub(crate) narrower: Vec<ToolOptions>,
    /// A list of `allow` rules was left out. That everything else requires approval stays (D3 of the contract).
    implies_ask: bool,
}

/// Reads the settings that the options name into the options.
pub(crate) fn apply(options: &mut Options, workspace: &Workspace) -> Result<Merged, ToolError> {
    let mut rows = GivenRows::default();
    rows.add(std::mem::take(&mut options.programs), None, true);
    let merged = merge(options, workspace, &mut rows)?;
    options.known_programs = rows.known()?;
    Ok(merged)
}

fn merge(
    options: &mut Options,
    workspace: &Workspace,
    rows: &mut GivenRows,
) -> Result<Merged, ToolError> {
    let mut merged = Merged::default();
    let meaning = options.meaning();
    let (files, trust) = match options.settings.take() {
        None => return Ok(merged),
        Some(SettingsOption::Inline(mut settings)) => {
            let programs = std::mem::take(&mut settings.programs);
            rows.add(programs, Some("settings"), true);
            check_rules(&settings.permissions, None, &meaning)?;
            merged
                .notices
                .extend(without_servers(&settings, "`settings`"));
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
        let file = format!("`{}`", source.name);
        merged.notices.extend(without_servers(&settings, &file));
        let place = source.place_in(workspace);
        let is_trusted = trust || place.is_none();
        let programs = std::mem::take(&mut settings.programs);
        rows.add(programs, Some(&source.name), is_trusted);
        if !is_trusted {
            restrict(&mut settings, &source.name, &mut merged);
        }
        merged
            .notices
            .extend(place.as_deref().and_then(|place| unprotected(place, &file)));
        add(options, settings);
    }
    let mode = &mut options.permissions.default_mode;
    if merged.implies_ask && mode.is_none() {
        *mode = Some(ModeName::Ask);
    }
    Ok(merged)
}

/// The notice about a file that an agent can change which may change files.
fn unprotected(place: &Path, file: &str) -> Option<String> {
    let place = place.to_string_lossy();
    (!is_protected(&place)).then(|| {
        format!(
            "{file} is inside the workspace, where the agent can change it for the next start. Keep it in `.tenon`, which is protected, or deny `Edit({place})`."
        )
    })
}

/// The notice about servers in a file: they are programs that run, so the application names them. Files are shared with other agents.
fn without_servers(settings: &Settings, place: &str) -> Option<String> {
    settings.mcp_servers.as_ref().map(|_| {
        format!(
            "`mcpServers` in {place} is ignored. Use the option `mcpServers`, or `importMcpServers` with the text of the file."
        )
    })
}

/// Takes out of settings what opens anything, and keeps what it implied for everything else.
fn restrict(settings: &mut Settings, file: &str, merged: &mut Merged) {
    let mut dropped = Vec::new();
    if !std::mem::take(&mut settings.permissions.allow).is_empty() {
        dropped.push("permissions.allow");
        merged.implies_ask |= settings.permissions.default_mode.is_none();
    }
    if matches!(settings.permissions.default_mode, Some(ModeName::Allow)) {
        settings.permissions.default_mode = None;
        dropped.push("permissions.defaultMode");
    }
    if std::mem::take(&mut settings.permissions.trust_system_directories) {
        dropped.push("permissions.trustSystemDirectories");
    }
    if !std::mem::take(&mut settings.tools.add).is_empty() {
        dropped.push("tools.add");
    }
    // By themselves these lists can only take tools away; joined with the lists of the host they could add some.
    merged.narrower.push(std::mem::take(&mut settings.tools));
    // It names programs to be run.
    if settings.lsp.take().is_some() {
        dropped.push("lsp");
    }
    if !dropped.is_empty() {
        let members: Vec<String> = dropped.iter().map(|member| format!("`{member}`")).collect();
        merged.notices.push(format!(
            "`{file}` is inside the workspace, so it can only restrict: {} {} ignored. Set `trust: true` to use all of it.",
            members.join(", "),
            if dropped.len() == 1 { "is" } else { "are" },
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
        programs: _,
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
    own.trust_system_directories |= permissions.trust_system_directories;
    own.default_mode = match (own.default_mode, permissions.default_mode) {
        (Some(one), Some(other)) => Some(stricter(one, other)),
        (one, other) => one.or(other),
    };
    options.tools.profile = options.tools.profile.or(tools.profile);
    options.tools.allow.extend(tools.allow);
    options.tools.deny.extend(tools.deny);
    options.tools.add.extend(tools.add);
    options.tools.show = options.tools.show.or(tools.show);
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

/// Rules are compiled file by file, so that a fault is reported with its file.
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

#[cfg(test)]
mod tests;
