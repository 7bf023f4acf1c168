//! Paths of the model within the directory, and what is below them.

use tenon_contract::{ErrorCode, PathClaim, ToolError, limits};
use tenon_workspace::{Error, FileKind, Located, Workspace};

use super::{ROOT, refusal};

/// Everything that a path stands for.
#[derive(Debug)]
pub(super) struct MemoryTree {
    /// The path itself.
    pub(super) top: Located,
    pub(super) files: Vec<Located>,
    /// Parents before what is in them.
    pub(super) directories: Vec<Located>,
}

impl MemoryTree {
    pub(super) fn claims(&self) -> Vec<PathClaim> {
        self.files.iter().map(|file| file.claim().clone()).collect()
    }
}

/// The place that the model names, under the name by which it knows it.
pub(super) fn located(workspace: &Workspace, name: &str) -> Result<Located, ToolError> {
    let rest = name.strip_prefix(ROOT);
    let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
        return Err(refusal(&format!(
            "Path must start with {ROOT}, got: {name}"
        )));
    };
    let place = workspace
        .locate(&format!("./{}", rest.trim_start_matches('/')))
        .map_err(|error| match error {
            Error::OutsideWorkspace { .. } => outside(name),
            error => error.into(),
        })?;
    let shown = match place.name() {
        "." => ROOT.to_owned(),
        below => format!("{ROOT}/{below}"),
    };
    Ok(place.named(&shown))
}

fn outside(name: &str) -> ToolError {
    let message = format!("Path {name} would escape {ROOT} directory");
    ToolError::new(ErrorCode::OutsideWorkspace, message).with("path", name)
}

pub(super) fn absent(name: &str) -> ToolError {
    let message = format!("The path {name} does not exist. Please provide a valid path.");
    ToolError::new(ErrorCode::NotFound, message).with("path", name)
}

/// What stands at a place, with its size.
pub(super) fn kind_of(place: &Located) -> Result<(FileKind, u64), ToolError> {
    match place.metadata() {
        Ok(found) => Ok((found.kind, found.size)),
        Err(Error::NotFound { .. }) => Err(absent(place.name())),
        Err(error) => Err(error.into()),
    }
}

/// A file or a directory with all that is below it.
pub(super) fn tree_of(top: &Located, verb: &str) -> Result<MemoryTree, ToolError> {
    if top.name() == ROOT {
        return Err(refusal(&format!(
            "Cannot {verb} the {ROOT} directory itself"
        )));
    }
    let mut tree = MemoryTree {
        top: top.clone(),
        files: Vec::new(),
        directories: Vec::new(),
    };
    let (kind, _) =
        kind_of(top).map_err(|_| refusal(&format!("The path {} does not exist", top.name())))?;
    add(&mut tree, top.clone(), kind)?;
    Ok(tree)
}

fn add(tree: &mut MemoryTree, place: Located, kind: FileKind) -> Result<(), ToolError> {
    if tree.files.len() + tree.directories.len() >= limits::MEMORY_FILES_MAX {
        let most = limits::MEMORY_FILES_MAX;
        let message = format!(
            "`{}` has more than {most} files. Work on its parts one after the other.",
            tree.top.name()
        );
        return Err(ToolError::new(ErrorCode::TooLarge, message));
    }
    match kind {
        FileKind::File => tree.files.push(place),
        FileKind::Directory => {
            let listing = place.list(limits::MEMORY_FILES_MAX + 1, &|| false)?;
            tree.directories.push(place.clone());
            for entry in listing.entries {
                let name = format!("{}/{}", place.name(), entry.name);
                // What a link leads to is not to go with it.
                if entry.is_link {
                    let message = format!("`{name}` is a link, which stays where it is.");
                    return Err(ToolError::new(ErrorCode::NotAFile, message).with("path", name));
                }
                add(tree, place.child(&entry.name)?.named(&name), entry.kind)?;
            }
        }
        other => {
            let message = format!("`{}` is {}.", place.name(), other.describe());
            return Err(ToolError::new(ErrorCode::NotAFile, message));
        }
    }
    Ok(())
}
