//! What is there.

use tenon_contract::{ErrorCode, ToolContext, ToolError, limits};
use tenon_workspace::{FileKind, Located, read_text};

use super::place::kind_of;
use super::{MemoryEntry, MemoryFact, MemoryOutput};

/// Levels of directories that are listed.
const LEVELS: usize = 2;

pub(super) fn view(
    place: &Located,
    range: Option<(i64, i64)>,
    context: &ToolContext,
) -> Result<MemoryOutput, ToolError> {
    let path = place.name().to_owned();
    let fact = match kind_of(place)? {
        (FileKind::Directory, bytes) => {
            let mut entries = Vec::new();
            list(place, &path, 1, &mut entries, context)?;
            MemoryFact::Listed {
                path,
                bytes,
                entries,
            }
        }
        (FileKind::File, _) => shown(place, range)?,
        (other, _) => {
            let message = format!("`{path}` is {}.", other.describe());
            return Err(ToolError::new(ErrorCode::NotAFile, message));
        }
    };
    Ok(MemoryOutput {
        fact,
        changes: Vec::new(),
    })
}

fn shown(place: &Located, range: Option<(i64, i64)>) -> Result<MemoryFact, ToolError> {
    let file = read_text(place, limits::MEMORY_FILE_MAX_BYTES)?;
    let all: Vec<&str> = file.text().split('\n').collect();
    let (first, last) = range.unwrap_or((1, -1));
    let first = usize::try_from(first.max(1)).unwrap_or(usize::MAX);
    // A negative number is the end.
    let last = usize::try_from(last).unwrap_or(all.len()).min(all.len());
    let lines = all.get(first - 1..last).unwrap_or_default();
    Ok(MemoryFact::Shown {
        path: place.name().to_owned(),
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        first,
    })
}

fn list(
    place: &Located,
    shown: &str,
    level: usize,
    entries: &mut Vec<MemoryEntry>,
    context: &ToolContext,
) -> Result<(), ToolError> {
    context.check()?;
    let cancelled = || context.cancellation().is_cancelled();
    let mut listing = place.list(limits::MEMORY_FILES_MAX, &cancelled)?.entries;
    listing.retain(|entry| !entry.name.starts_with('.') && entry.name != "node_modules");
    listing.sort_by(|one, other| one.name.cmp(&other.name));
    for entry in listing {
        let is_directory = entry.kind == FileKind::Directory;
        if !is_directory && entry.kind != FileKind::File {
            continue;
        }
        let path = format!("{shown}/{}", entry.name);
        let below = is_directory.then(|| place.child(&entry.name)).transpose()?;
        let bytes = match &below {
            Some(directory) => directory.metadata()?.size,
            None => entry.size,
        };
        entries.push(MemoryEntry {
            path: path.clone(),
            is_directory,
            bytes,
        });
        if let Some(directory) = below.filter(|_| level < LEVELS) {
            list(&directory, &path, level + 1, entries, context)?;
        }
    }
    Ok(())
}
