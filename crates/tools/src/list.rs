//! Lists one directory.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ErrorCode, NextStep, Operation, Output, Tool, ToolContext, ToolError, limits,
};
use tenon_workspace::{DirectoryListing, FileKind, Located, Workspace};

use crate::blocking::blocking;
use crate::visible::KeptBack;

/// What to list.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Directory, absolute or relative to the workspace. Default: the workspace.
    pub path: Option<String>,
    /// Maximum number of entries. Default: 500.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
}

/// What the directory holds.
#[derive(Debug)]
pub struct ListOutput {
    /// The directory, as answers name it.
    pub path: String,
    /// Its entries, sorted by name without regard to case, dot files included.
    pub entries: Vec<ListEntry>,
    /// How many there are in all.
    pub total: usize,
    /// Whether some are left out.
    pub truncated: bool,
    /// The limit that held.
    pub limit: usize,
    /// What rules kept back.
    pub kept_back: Option<KeptBack>,
}

/// One entry.
#[derive(Debug)]
pub struct ListEntry {
    /// Its name.
    pub name: String,
    /// Its path, as answers name it.
    pub path: String,
    /// Whether it is a directory, or a link to one inside the workspace.
    pub is_directory: bool,
    /// Bytes; 0 for directories.
    pub bytes: u64,
}

impl Output for ListOutput {}

/// The list operation.
#[derive(Debug)]
pub struct List {
    workspace: Workspace,
}

impl List {
    /// Lists within `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }
}

/// A located directory.
#[derive(Debug)]
pub struct ListPlan {
    directory: Located,
    params: ListParams,
}

impl Tool for List {
    const OPERATION: Operation = Operation::List;
    type Params = ListParams;
    type Plan = ListPlan;
    type Output = ListOutput;

    fn plan(&self, params: ListParams) -> Result<(Access, ListPlan), ToolError> {
        let directory = self
            .workspace
            .locate_existing(params.path.as_deref().unwrap_or("."))?;
        Ok((
            Access::reading(directory.claim().clone()),
            ListPlan { directory, params },
        ))
    }

    async fn run(&self, plan: ListPlan, context: ToolContext) -> Result<ListOutput, ToolError> {
        blocking(context, move |context| {
            let ListPlan { directory, params } = plan;
            let limit = params.limit.map_or(limits::LIST_DEFAULT_ENTRIES, |limit| {
                usize::try_from(limit).unwrap_or(usize::MAX)
            });
            let limit = limit.min(limits::RESULTS_MAX);
            let (listing, kept_back) = visible(&directory, limit, context)?;
            let prefix = if directory.name() == "." {
                String::new()
            } else {
                format!("{}/", directory.name())
            };
            let entries = listing.entries.into_iter().map(|entry| {
                let is_directory = entry.kind == FileKind::Directory;
                ListEntry {
                    path: format!("{prefix}{}", entry.name),
                    name: entry.name,
                    is_directory,
                    bytes: if is_directory { 0 } else { entry.size },
                }
            });
            Ok(ListOutput {
                path: directory.name().to_owned(),
                entries: entries.collect(),
                total: listing.total,
                truncated: listing.truncated,
                limit,
                kept_back,
            })
        })
        .await
    }
}

fn is_file(place: &Located) -> ToolError {
    let name = place.name();
    if let Some(error) = place
        .metadata()
        .ok()
        .and_then(|found| special(name, found.kind))
    {
        return error;
    }
    ToolError::new(ErrorCode::NotADirectory, format!("`{name}` is a file."))
        .with("path", name)
        .then(NextStep::read_file("see it"))
}

/// What is neither a directory nor a file that could be read instead.
pub(crate) fn special(name: &str, kind: FileKind) -> Option<ToolError> {
    if kind == FileKind::File {
        return None;
    }
    let message = format!("`{name}` is {}, not a directory.", kind.describe());
    Some(ToolError::new(ErrorCode::NotADirectory, message).with("path", name))
}

/// The listing without what rules keep back, which is counted apart and is not in the totals.
fn visible(
    directory: &Located,
    limit: usize,
    context: &ToolContext,
) -> Result<(DirectoryListing, Option<KeptBack>), ToolError> {
    let cancelled = || context.cancellation().is_cancelled();
    let list = |limit| {
        let listing = directory.list(limit, &cancelled);
        listing.map_err(|error| match ToolError::from(error) {
            error if error.code == ErrorCode::NotADirectory => is_file(directory),
            error => error,
        })
    };
    let Some(visibility) = context.visibility() else {
        return Ok((list(limit)?, None));
    };
    let mut listing = list(usize::MAX)?;
    let root = directory.workspace().root();
    let (mut kept_back, mut rules) = (0, BTreeSet::new());
    // An entry that cannot be located leads outside; it is shown as the link that it is.
    listing.entries.retain(|entry| {
        let Ok(child) = directory.child(&entry.name) else {
            return true;
        };
        let is_hidden = visibility.hides(child.claim());
        if is_hidden {
            kept_back += 1;
            rules.extend(visibility.hidden_by(child.name(), root));
        }
        !is_hidden
    });
    listing.total = listing.entries.len();
    listing.truncated = listing.total > limit;
    listing.entries.truncate(limit);
    let kept_back = KeptBack::by(context, kept_back, rules.into_iter());
    Ok((listing, kept_back))
}
