//! Where the text comes from that a tree of agents has read, and that the user did not write.
//!
//! One memory for a tree: what a sub-agent reads its parent may receive, and the other way round. The same is kept in one
//! row of the store, under the first session of the tree, so that another toolkit of the session knows it as well.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use futures_util::FutureExt;
use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_policy::{Source, SourceSet, escaped};
use tenon_state::{SessionRecords, SourceEntry, redacted_text};
use tenon_workspace::{VersionControl, Workspace};

/// Where text of a result comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Origin {
    /// What kind of source it is.
    pub source: Source,
    /// The place: the host, the MCP server, the file.
    pub from: String,
}

/// A place that text came from which the tree of agents has read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceRead {
    /// What kind of source it is.
    pub source: Source,
    /// The place: the host, the MCP server, the file.
    pub from: String,
    /// The tool that brought the text first. Missing where the host has said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The call that brought it first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The session in which that was: the first one, or that of a sub-agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

impl SourceRead {
    fn of(entry: &SourceEntry) -> Option<Self> {
        Some(Self {
            source: Source::from_name(&entry.source)?,
            from: entry.from.clone(),
            tool: entry.tool.clone(),
            tool_call_id: entry.tool_call_id.clone(),
            session: entry.session.clone(),
            at: entry.at,
        })
    }
}

/// Who brings text in.
pub(crate) struct Bringer<'b> {
    /// The session in which that is.
    pub(crate) session: &'b str,
    /// The tool and the id of its call; nothing where it is the host.
    pub(crate) call: Option<(&'b str, &'b str)>,
}

/// The memory of one tree. Cheap to clone; clones are the same memory.
#[derive(Clone)]
pub(crate) struct Taint(Arc<Inner>);

struct Inner {
    /// Of the first session of the tree.
    records: SessionRecords,
    /// Whether other toolkits may write to that row.
    is_shared: bool,
    versions: VersionControl,
    known: Mutex<ReadSources>,
}

#[derive(Default)]
struct ReadSources {
    entries: Vec<SourceEntry>,
    /// What the store did not take yet.
    unsaved: Vec<SourceEntry>,
    /// Whether the store was read, or there is nothing to be read.
    is_read: bool,
    /// Files that calls of this tree have written: they bring in nothing that was not read before.
    own: HashSet<PathBuf>,
}

impl Taint {
    pub(crate) fn new(records: SessionRecords, is_shared: bool, workspace: &Workspace) -> Self {
        let known = ReadSources {
            is_read: !is_shared,
            ..ReadSources::default()
        };
        Self(Arc::new(Inner {
            records,
            is_shared,
            versions: VersionControl::of(workspace.roots()),
            known: Mutex::new(known),
        }))
    }

    /// The sources that were read, as far as is known here. Until the store was read it may have any.
    pub(crate) fn sources(&self) -> SourceSet {
        let needs = !self.known().is_read;
        // A store in memory answers at once. Nobody waits for another one here.
        if needs && self.refresh().now_or_never().is_none() {
            return SourceSet::ALL;
        }
        let known = self.known();
        if !known.is_read {
            return SourceSet::ALL;
        }
        set_of(&known.entries)
    }

    /// Learns what other toolkits of the session have read. Where the store fails, every source was read.
    pub(crate) async fn refresh(&self) {
        let is_full = set_of(&self.known().entries) == SourceSet::ALL;
        if !self.0.is_shared || is_full {
            self.known().is_read = true;
            return;
        }
        match self.0.records.sources().await {
            Ok(entries) => {
                let mut known = self.known();
                SourceEntry::enter(&mut known.entries, &entries);
                known.is_read = true;
            }
            Err(error) => {
                self.known().is_read = false;
                self.0.records.warn(&format!(
                    "Which sources were read before cannot be read, so rules after sources hold: {error}"
                ));
            }
        }
    }

    /// Notes that text of these places was read. Those that are new to the tree.
    pub(crate) async fn add(&self, who: Bringer<'_>, origins: &[Origin]) -> Vec<SourceRead> {
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = at.map_or(0, |at| u64::try_from(at.as_millis()).unwrap_or(u64::MAX));
        let entry = |origin: &Origin| SourceEntry {
            source: origin.source.name().to_owned(),
            from: origin.from.clone(),
            tool: who.call.map(|(tool, _)| tool.to_owned()),
            tool_call_id: who.call.map(|(_, id)| id.to_owned()),
            session: Some(who.session.to_owned()),
            at,
        };
        let new: Vec<SourceEntry> = origins.iter().map(entry).collect();
        let (entered, unsaved) = {
            let mut known = self.known();
            let entered = SourceEntry::enter(&mut known.entries, &new);
            known.unsaved.extend(entered.iter().cloned());
            (entered, known.unsaved.clone())
        };
        self.save(&unsaved).await;
        entered.iter().filter_map(SourceRead::of).collect()
    }

    async fn save(&self, unsaved: &[SourceEntry]) {
        if unsaved.is_empty() {
            return;
        }
        match self.0.records.add_sources(unsaved).await {
            Ok(()) => {
                let mut known = self.known();
                known.unsaved.retain(|entry| !unsaved.contains(entry));
            }
            // It is known here all the same, and tried again with the next one.
            Err(error) => self.0.records.warn(&format!(
                "Which sources were read could not be stored, and is kept in memory: {error}"
            )),
        }
    }

    /// The places that were read, the first one first.
    pub(crate) fn read(&self) -> Vec<SourceRead> {
        let known = self.known();
        known.entries.iter().filter_map(SourceRead::of).collect()
    }

    /// Notes that calls of this tree have written these files.
    pub(crate) fn wrote(&self, files: impl IntoIterator<Item = PathBuf>) {
        let mut known = self.known();
        for file in files {
            if known.own.len() < limits::LEDGER_MAX_FILES {
                known.own.insert(file);
            }
        }
    }

    /// Whether there is a file that neither version control has nor this tree has written.
    pub(crate) fn lacks(&self, path: &Path, below: bool) -> bool {
        !self.known().own.contains(path) && self.0.versions.lacks(path, below)
    }

    fn known(&self) -> MutexGuard<'_, ReadSources> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn set_of(entries: &[SourceEntry]) -> SourceSet {
    let sources = entries.iter();
    sources
        .filter_map(|entry| Source::from_name(&entry.source))
        .collect()
}

/// The name of a place as it is shown: bounded, without secrets and without what cannot be seen.
pub(crate) fn place_name(from: &str) -> String {
    let cut = from.floor_char_boundary(limits::SOURCE_NAME_MAX_BYTES);
    escaped(redacted_text(from.get(..cut).unwrap_or_default()))
}

/// The place that a host says its text comes from.
///
/// # Errors
/// A source that there is not, and a place without a name.
pub(crate) fn reported_by_host(source: &str, from: &str) -> Result<Origin, ToolError> {
    let wrong = |message: String| Err(ToolError::new(ErrorCode::InvalidParams, message));
    let Some(source) = Source::from_name(source) else {
        let shown: String = source.chars().take(80).collect();
        let known = Source::known();
        return wrong(format!(
            "There is no source `{}`. Known: {known}.",
            escaped(shown)
        ));
    };
    if from.trim().is_empty() {
        return wrong(
            "`from` is empty. Say where the text comes from, such as a host or a file.".to_owned(),
        );
    }
    Ok(Origin {
        source,
        from: place_name(from),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_names_a_known_source_and_a_place() {
        let origin = reported_by_host("mcp", "docs").unwrap();
        assert_eq!((origin.source, origin.from.as_str()), (Source::Mcp, "docs"));
        let message = |source, from| reported_by_host(source, from).unwrap_err().message;
        assert_eq!(
            message("web", "x"),
            "There is no source `web`. Known: `network`, `mcp`, `untracked`."
        );
        assert_eq!(
            message("mcp", " "),
            "`from` is empty. Say where the text comes from, such as a host or a file."
        );
    }
}
