//! The terminal-coder vocabulary: every details object says `ok`.

mod files;
mod lsp;
mod patch;
mod planning;
mod runtime;
mod search;

use serde_json::Value;
use tenon_contract::Operation;
use tenon_tools::{
    ExecuteParams, FindParams, GrepParams, ListParams, PatchParams, ReadParams, WriteParams,
};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::dialect::{CommandShell, Dialect, DialectId};
use crate::field::NOTEBOOK_CELLS;
use crate::schema_source::SchemaSource;
use crate::spellings::{
    COMMAND, CONTENT, DIRECTORY, FILE, FIRST_LINE, GLOB, LIMIT, LINES, PATCH, PATTERN,
};
use crate::{Convert, Field, Renderer};

pub(crate) static DIALECT: Dialect = Dialect {
    id: DialectId::Coder,
    tools: TOOLS,
    shell: CommandShell::PosixLogin,
    reports_languages: true,
};

/// Lines of a page unless more are asked for, and at most.
const PAGE_LINES: u64 = 50;
const PAGE_MOST_LINES: u64 = 200;
/// Matches of a search unless more are asked for.
const MATCHES: u64 = 200;

const TOOLS: &[ToolBinding] = &[
    ToolBinding {
        operation: Operation::Read,
        name: "read",
        label: "Read",
        description: include_str!("coder/descriptions/read.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("path").aliases(FILE),
            Field::same("offset")
                .aliases(FIRST_LINE)
                .convert(Convert::ClampedIfGiven {
                    absent: 1,
                    most: u64::MAX,
                })
                .describe("First line, 1-based; 0 and below mean 1."),
            Field::same("limit")
                .aliases(LINES)
                .convert(Convert::ClampedIfGiven {
                    absent: PAGE_LINES,
                    most: PAGE_MOST_LINES,
                })
                .describe("Maximum number of lines, up to 200; 0 and below mean 50."),
            Field::fixed("default_limit", || Value::from(PAGE_LINES)),
            Field::fixed("past_end", || Value::Bool(true)),
            NOTEBOOK_CELLS,
        ]),
        operation_params: SchemaSource::params::<ReadParams>(),
        renderer: Renderer::of::<files::CoderReadDetails>(),
    },
    ToolBinding {
        operation: Operation::Write,
        name: "write",
        label: "Write",
        description: include_str!("coder/descriptions/write.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("path").aliases(FILE),
            Field::same("content").aliases(CONTENT),
        ]),
        operation_params: SchemaSource::params::<WriteParams>(),
        renderer: Renderer::of::<files::CoderWriteDetails>(),
    },
    ToolBinding {
        operation: Operation::List,
        name: "list",
        label: "List",
        description: include_str!("coder/descriptions/list.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("path").aliases(DIRECTORY),
            // The details have no mark for a listing that is cut short.
            Field::fixed("limit", || Value::from(u32::MAX)),
        ]),
        operation_params: SchemaSource::params::<ListParams>(),
        renderer: Renderer::of::<files::CoderListDetails>(),
    },
    ToolBinding {
        operation: Operation::Find,
        name: "glob",
        label: "Glob",
        description: include_str!("coder/descriptions/glob.md"),
        category: Category::Search,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("pattern")
                .aliases(GLOB)
                .describe("Glob pattern relative to the workspace."),
            Field::fixed("relative_only", || Value::Bool(true)),
            Field::fixed("count_all", || Value::Bool(true)),
        ]),
        operation_params: SchemaSource::params::<FindParams>(),
        renderer: Renderer::of::<search::CoderGlobDetails>(),
    },
    ToolBinding {
        operation: Operation::Grep,
        name: "grep",
        label: "Grep",
        description: include_str!("coder/descriptions/grep.md"),
        category: Category::Search,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("pattern").aliases(PATTERN).digits(),
            Field::same("path").aliases(DIRECTORY),
            Field::renamed("max_matches", "limit")
                .aliases(LIMIT)
                .convert(Convert::Clamped {
                    absent: MATCHES,
                    most: u64::MAX,
                })
                .describe("Maximum number of matching lines; 0 and below mean 200."),
        ]),
        operation_params: SchemaSource::params::<GrepParams>(),
        renderer: Renderer::of::<search::CoderGrepDetails>(),
    },
    ToolBinding {
        operation: Operation::Patch,
        name: "patch",
        label: "Patch",
        description: include_str!("coder/descriptions/patch.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("patch")
                .aliases(PATCH)
                .describe("The patch: a unified diff."),
            Field::same("dry_run"),
        ]),
        operation_params: SchemaSource::params::<PatchParams>(),
        renderer: Renderer::of::<patch::CoderPatchDetails>(),
    },
    ToolBinding {
        operation: Operation::Execute,
        name: "bash",
        label: "Bash",
        description: include_str!("coder/descriptions/bash.md"),
        category: Category::Runtime,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("command").aliases(COMMAND),
            Field::fixed("apart", || Value::Bool(true)),
            Field::fixed("report_timeout", || Value::Bool(true)),
        ]),
        operation_params: SchemaSource::params::<ExecuteParams>(),
        renderer: Renderer::of::<runtime::CoderBashDetails>(),
    },
    planning::TODOREAD,
    planning::TODOWRITE,
    planning::SKILL,
    planning::TASK,
    lsp::LSP_DIAGNOSTICS,
    lsp::LSP_DEFINITION,
    lsp::LSP_HOVER,
];
