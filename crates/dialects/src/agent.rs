//! The AgentTool vocabulary, as users of pi and OpenClaw know it.

mod automation;
mod browser;
mod canvas;
mod files;
mod lsp;
mod memory;
mod messaging;
mod patch;
mod planning;
mod process;
mod runtime;
mod search;
mod sessions;
mod web;

use serde_json::Value;
use tenon_contract::Operation;
use tenon_tools::{
    EditParams, ExecuteParams, FindParams, GrepParams, ListParams, PatchParams, ReadParams,
    WebFetchParams, WebSearchParams, WriteParams,
};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::dialect::{CommandShell, Dialect, DialectId};
use crate::field::{IGNORED, NEWEST, NOTEBOOK_CELLS};
use crate::schema_source::SchemaSource;
use crate::spellings::{
    self, COMMAND, CONTENT, FILE, FIRST_LINE, GLOB, INCLUDE, LIMIT, LINES, PATCH, PATTERN,
    WORKING_DIRECTORY,
};
use crate::{Convert, Field, Renderer};

pub(crate) static DIALECT: Dialect = Dialect {
    id: DialectId::Agent,
    tools: TOOLS,
    shell: CommandShell::Usual,
    reports_languages: false,
};

const FILE_PATH: Field = Field::renamed("file_path", "path").aliases(FILE);
/// Where a search that ran out of time continues.
const CURSOR: Field =
    Field::same("cursor").describe("Continues a timed-out search: the cursor in its notice.");
const DIRECTORY: Field = Field::same("path").aliases(spellings::DIRECTORY);

const TOOLS: &[ToolBinding] = &[
    ToolBinding {
        operation: Operation::Read,
        name: "read",
        label: "Read",
        description: include_str!("agent/descriptions/read.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            FILE_PATH,
            Field::same("offset").aliases(FIRST_LINE),
            Field::same("limit").aliases(LINES).describe("Maximum number of lines."),
            Field::same("more").aliases(&["files", "file_paths", "paths"]),
            NOTEBOOK_CELLS,
        ]),
        operation_params: SchemaSource::params::<ReadParams>(),
        renderer: Renderer::of::<files::AgentReadDetails>(),
    },
    ToolBinding {
        operation: Operation::Write,
        name: "write",
        label: "Write",
        description: include_str!("agent/descriptions/write.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[FILE_PATH, Field::same("content").aliases(CONTENT)]),
        operation_params: SchemaSource::params::<WriteParams>(),
        renderer: Renderer::of::<files::AgentWriteDetails>(),
    },
    ToolBinding {
        operation: Operation::Edit,
        name: "edit",
        label: "Edit",
        description: include_str!("agent/descriptions/edit.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::typed::<files::AgentEditParams>(),
        operation_params: SchemaSource::params::<EditParams>(),
        renderer: Renderer::of::<files::AgentEditDetails>(),
    },
    ToolBinding {
        operation: Operation::Patch,
        name: "apply_patch",
        label: "Apply patch",
        description: include_str!("agent/descriptions/apply_patch.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::renamed("input", "patch")
                .aliases(PATCH)
                .describe("The patch."),
            Field::renamed("dryRun", "dry_run").aliases(&["preview"]),
        ]),
        operation_params: SchemaSource::params::<PatchParams>(),
        renderer: Renderer::of::<patch::AgentApplyPatchDetails>(),
    },
    ToolBinding {
        operation: Operation::List,
        name: "ls",
        label: "List",
        description: include_str!("agent/descriptions/ls.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            DIRECTORY.describe("Directory to list. Default: the workspace."),
            Field::same("limit").aliases(LIMIT),
        ]),
        operation_params: SchemaSource::params::<ListParams>(),
        renderer: Renderer::of::<files::AgentLsDetails>(),
    },
    ToolBinding {
        operation: Operation::Find,
        name: "find",
        label: "Find",
        description: include_str!("agent/descriptions/find.md"),
        category: Category::Search,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("pattern").aliases(GLOB).describe("Glob pattern."),
            DIRECTORY.describe("Directory to search. Default: the workspace."),
            Field::same("limit").aliases(LIMIT),
            Field::same("fuzzy").describe("Letters in order with gaps, words in any order. Default: false."),
            NEWEST,
            IGNORED,
            CURSOR,
        ]),
        operation_params: SchemaSource::params::<FindParams>(),
        renderer: Renderer::of::<search::AgentFindDetails>(),
    },
    ToolBinding {
        operation: Operation::Grep,
        name: "grep",
        label: "Grep",
        description: include_str!("agent/descriptions/grep.md"),
        category: Category::Search,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("pattern").aliases(PATTERN).digits().describe("Regular expression."),
            DIRECTORY.describe("File or directory to search. Default: the workspace."),
            Field::same("glob").aliases(INCLUDE),
            Field::renamed("ignoreCase", "ignore_case").aliases(&["caseInsensitive", "-i"]),
            Field::same("literal"),
            Field::same("context").aliases(&["-C", "context_lines"]),
            Field::same("limit").aliases(LIMIT).at_least_one(),
            Field::same("multiline"),
            NEWEST,
            IGNORED,
            CURSOR,
        ]),
        operation_params: SchemaSource::params::<GrepParams>(),
        renderer: Renderer::of::<search::AgentGrepDetails>(),
    },
    ToolBinding {
        operation: Operation::Execute,
        name: "exec",
        label: "Exec",
        description: include_str!("agent/descriptions/exec.md"),
        category: Category::Runtime,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("command").aliases(COMMAND),
            Field::renamed("workdir", "directory")
                .aliases(WORKING_DIRECTORY)
                .describe("Working directory. Default: the workspace."),
            Field::renamed("env", "environment").aliases(&["environment"]),
            Field::same("timeout")
                .aliases(&["timeoutSeconds"])
                .convert(Convert::Seconds)
                .describe("Time limit in seconds. Default: 120[[; none in the background{{?process}}]]."),
            Field::same("background").aliases(&["run_in_background", "is_background"]).needs(Operation::Process),
            Field::renamed("yieldMs", "yield_after").aliases(&["yield_time_ms"]).describe(
                "Move it to the background after this many milliseconds.",
            ).needs(Operation::Process),
            Field::renamed("pty", "terminal").aliases(&["tty"]),
            Field::same("rows"),
            Field::same("columns").aliases(&["cols"]),
            Field::renamed("waitFor", "wait_for").describe(
                "Run it in the background; return when one of these holds, it ends, or `yieldMs` (default 30000) have passed.",
            ).needs(Operation::Process),
            Field::fixed("apart", || Value::Bool(false)),
        ]),
        operation_params: SchemaSource::params::<ExecuteParams>(),
        renderer: Renderer::of::<runtime::AgentExecDetails>(),
    },
    process::BINDING,
    lsp::BINDING,
    ToolBinding {
        operation: Operation::WebSearch,
        name: "web_search",
        label: "Web search",
        description: include_str!("agent/descriptions/web_search.md"),
        category: Category::Web,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("query").aliases(&["q", "search_query"]).digits(),
            Field::same("count").aliases(&["limit", "max_results", "num_results"]).at_least_one(),
            Field::renamed("allowedDomains", "allowed_domains").aliases(&["include_domains", "domains"]),
            Field::renamed("blockedDomains", "blocked_domains").aliases(&["exclude_domains"]),
        ]),
        operation_params: SchemaSource::params::<WebSearchParams>(),
        renderer: Renderer::of::<web::AgentWebSearchDetails>(),
    },
    ToolBinding {
        operation: Operation::WebFetch,
        name: "web_fetch",
        label: "Web fetch",
        description: include_str!("agent/descriptions/web_fetch.md"),
        category: Category::Web,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("url").aliases(&["uri", "link", "address"]),
            Field::same("prompt").aliases(&["question", "query"]),
            Field::renamed("maxChars", "max_chars").aliases(&["max_length", "max_characters"]).at_least_one(),
            Field::same("offset").aliases(&["start_index"]),
            Field::same("format")
                .aliases(&["extract_mode"])
                .describe("`html` is the source of the page. Default: `markdown`."),
        ]),
        operation_params: SchemaSource::params::<WebFetchParams>(),
        renderer: Renderer::of::<web::AgentWebFetchDetails>(),
    },
    browser::BINDING,
    planning::TODO_READ,
    planning::TODO_WRITE,
    memory::BINDING,
    planning::SKILL,
    planning::TASK,
    sessions::SPAWN,
    sessions::SEND,
    sessions::SUBAGENTS,
    sessions::LIST,
    sessions::STATUS,
    sessions::HISTORY,
    planning::ASK_USER,
    automation::CRON,
    messaging::MESSAGE,
    canvas::BINDING,
    planning::EXIT_PLAN,
];
