//! Lists one folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_workspace::{FileKind, FolderListing, Located, Workspace};

use crate::blocking::blocking;

/// What to list.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Path of the folder, absolute or relative to the workspace. Default: the workspace itself.
    pub path: Option<String>,
    /// Most entries to show. Default: 500.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
}

/// What the folder holds.
#[derive(Debug)]
pub struct ListOutput {
    /// The folder, as answers name it.
    pub path: String,
    /// Its entries, sorted by name without regard to case, dot files included.
    pub entries: Vec<ListEntry>,
    /// How many there are in all.
    pub total: usize,
    /// Whether some are left out.
    pub truncated: bool,
    /// The limit that held.
    pub limit: usize,
}

/// One entry.
#[derive(Debug)]
pub struct ListEntry {
    /// Its name.
    pub name: String,
    /// Its path, as answers name it.
    pub path: String,
    /// Whether it is a folder, or a link to one inside the workspace.
    pub is_folder: bool,
    /// Bytes; 0 for folders.
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

/// A located folder.
#[derive(Debug)]
pub struct ListPlan {
    folder: Located,
    params: ListParams,
}

impl Tool for List {
    const OPERATION: Operation = Operation::List;
    type Params = ListParams;
    type Plan = ListPlan;
    type Output = ListOutput;

    fn plan(&self, params: ListParams) -> Result<(Access, ListPlan), ToolError> {
        let folder = self
            .workspace
            .locate_existing(params.path.as_deref().unwrap_or("."))?;
        Ok((
            Access::reading(folder.claim().clone()),
            ListPlan { folder, params },
        ))
    }

    async fn run(&self, plan: ListPlan, context: ToolContext) -> Result<ListOutput, ToolError> {
        blocking(context, move |context| {
            let ListPlan { folder, params } = plan;
            let limit = params.limit.map_or(limits::LIST_DEFAULT_ENTRIES, |limit| {
                usize::try_from(limit).unwrap_or(usize::MAX)
            });
            let limit = limit.min(limits::RESULTS_MAX);
            let listing = visible(&folder, limit, context)?;
            let prefix = if folder.name() == "." {
                String::new()
            } else {
                format!("{}/", folder.name())
            };
            let entries = listing.entries.into_iter().map(|entry| {
                let is_folder = entry.kind == FileKind::Folder;
                ListEntry {
                    path: format!("{prefix}{}", entry.name),
                    name: entry.name,
                    is_folder,
                    bytes: if is_folder { 0 } else { entry.size },
                }
            });
            Ok(ListOutput {
                path: folder.name().to_owned(),
                entries: entries.collect(),
                total: listing.total,
                truncated: listing.truncated,
                limit,
            })
        })
        .await
    }
}

/// The listing without what rules keep back: it leaves no trace, in the totals neither.
fn visible(
    folder: &Located,
    limit: usize,
    context: &ToolContext,
) -> Result<FolderListing, ToolError> {
    let cancelled = || context.cancellation().is_cancelled();
    let Some(visibility) = context.visibility() else {
        return Ok(folder.list(limit, &cancelled)?);
    };
    let mut listing = folder.list(usize::MAX, &cancelled)?;
    // An entry that cannot be located leads outside; it is shown as the link that it is.
    listing.entries.retain(|entry| {
        folder
            .child(&entry.name)
            .map_or(true, |child| !visibility.hides(child.claim()))
    });
    listing.total = listing.entries.len();
    listing.truncated = listing.total > limit;
    listing.entries.truncate(limit);
    Ok(listing)
}
