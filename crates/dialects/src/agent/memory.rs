//! memory: notes that outlive a session.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{Content, FileChange, Operation};
use tenon_tools::{MemoryEntry, MemoryFact, MemoryOutput, MemoryParams};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::memory_text;
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;
use crate::{Field, Renderer};

/// The row of `memory`. Its parameters are those of Anthropic's memory tool in every vocabulary.
pub(super) const BINDING: ToolBinding = ToolBinding {
    operation: Operation::Memory,
    name: "memory",
    label: "Memory",
    description: include_str!("descriptions/memory.md"),
    category: Category::Session,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("command")
            .aliases(&["action", "operation"])
            .describe("What to do."),
        Field::same("path").aliases(&["file_path"]),
        Field::same("view_range"),
        Field::same("file_text").aliases(&["content", "text"]),
        Field::same("old_str").aliases(&["old_string", "old_text"]),
        Field::same("new_str").aliases(&["new_string", "new_text"]),
        Field::same("insert_line").aliases(&["line"]),
        Field::same("insert_text"),
        Field::same("old_path").aliases(&["from"]),
        Field::same("new_path").aliases(&["to"]),
    ]),
    operation_params: SchemaSource::params::<MemoryParams>(),
    renderer: Renderer::of::<MemoryDetails>(),
};

/// One file or directory of the memory.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryItem {
    /// Its path.
    path: String,
    /// Whether it is a directory.
    is_dir: bool,
    /// Its size.
    size_bytes: u64,
}

/// Details of `memory`. Which are there depends on the command.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryDetails {
    /// The path that was asked for; of `rename`, the new one.
    path: String,
    /// view of a directory: what is in it, down to two levels.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<MemoryItem>>,
    /// Lines that are shown: the number of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<usize>,
    /// Lines that are shown: the number of the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    /// The files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<FileChange>,
}

impl ResultView for MemoryDetails {
    type Output = MemoryOutput;

    fn render(output: MemoryOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = memory_text(&output.fact);
        let (path, items, lines) = match output.fact {
            MemoryFact::Listed { path, entries, .. } => (path, Some(entries), None),
            MemoryFact::Shown { path, lines, first }
            | MemoryFact::Replaced { path, lines, first } => {
                (path, None, Some((first, lines.len())))
            }
            MemoryFact::Created(path)
            | MemoryFact::Inserted(path)
            | MemoryFact::Deleted(path)
            | MemoryFact::Renamed { to: path, .. } => (path, None, None),
        };
        let lines = lines.filter(|(_, count)| *count > 0);
        let details = Self {
            path,
            items: items.map(|items| items.into_iter().map(item).collect()),
            start_line: lines.map(|(first, _)| first),
            end_line: lines.map(|(first, count)| first + count - 1),
            changes: output.changes,
        };
        (vec![Content::Text(text)], details)
    }
}

fn item(entry: MemoryEntry) -> MemoryItem {
    MemoryItem {
        path: entry.path,
        is_dir: entry.is_directory,
        size_bytes: entry.bytes,
    }
}
