//! The cross-platform vocabulary in three levels.

mod details;
mod lsp;
mod planning;
mod process;
mod web;

use serde_json::Value;
use tenon_contract::Operation;
use tenon_tools::{
    EditParams, ExecuteParams, FindParams, GrepParams, NotebookEditParams, ReadParams,
    WebFetchParams, WebSearchParams, WriteParams,
};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::dialect::{CommandShell, Dialect, DialectId};
use crate::field::{IGNORED, NEWEST, NOTEBOOK_CELLS};
use crate::schema_source::SchemaSource;
use crate::spellings::{
    COMMAND, CONTENT, DIRECTORY, FILE, FIRST_LINE, GLOB, INCLUDE, LIMIT, LINES, PATTERN,
    WORKING_DIRECTORY,
};
use crate::{Convert, Field, Renderer};

pub(crate) static DIALECT: Dialect = Dialect {
    id: DialectId::Canonical,
    tools: TOOLS,
    shell: CommandShell::Usual,
    reports_languages: true,
};

const FILE_PATH: Field = Field::renamed("file_path", "path")
    .aliases(FILE)
    .describe("Absolute file path.");

const TOOLS: &[ToolBinding] = &[
    ToolBinding {
        operation: Operation::Read,
        name: "Read",
        label: "Read",
        description: include_str!("canonical/descriptions/Read.md"),
        category: Category::FileSystem,
        level: 1,
        params: ParamsCodec::Fields(&[
            FILE_PATH,
            Field::same("offset").aliases(FIRST_LINE),
            Field::same("limit").aliases(LINES),
            Field::same("pages")
                .aliases(&["page", "page_range"])
                .digits(),
            NOTEBOOK_CELLS,
        ]),
        operation_params: SchemaSource::params::<ReadParams>(),
        renderer: Renderer::of::<details::CanonicalReadDetails>(),
    },
    ToolBinding {
        operation: Operation::Write,
        name: "Write",
        label: "Write",
        description: include_str!("canonical/descriptions/Write.md"),
        category: Category::FileSystem,
        level: 1,
        params: ParamsCodec::Fields(&[FILE_PATH, Field::same("content").aliases(CONTENT)]),
        operation_params: SchemaSource::params::<WriteParams>(),
        renderer: Renderer::of::<details::CanonicalWriteDetails>(),
    },
    ToolBinding {
        operation: Operation::Edit,
        name: "Edit",
        label: "Edit",
        description: include_str!("canonical/descriptions/Edit.md"),
        category: Category::FileSystem,
        level: 1,
        params: ParamsCodec::typed::<details::CanonicalEditParams>(),
        operation_params: SchemaSource::params::<EditParams>(),
        renderer: Renderer::of::<details::CanonicalEditDetails>(),
    },
    ToolBinding {
        operation: Operation::Find,
        name: "Glob",
        label: "Glob",
        description: include_str!("canonical/descriptions/Glob.md"),
        category: Category::Search,
        level: 1,
        params: ParamsCodec::Fields(&[
            Field::same("pattern").aliases(GLOB),
            Field::same("path").aliases(DIRECTORY),
            NEWEST,
            IGNORED,
            Field::fixed("count_all", || Value::Bool(true)),
        ]),
        operation_params: SchemaSource::params::<FindParams>(),
        renderer: Renderer::of::<details::CanonicalGlobDetails>(),
    },
    ToolBinding {
        operation: Operation::Grep,
        name: "Grep",
        label: "Grep",
        description: include_str!("canonical/descriptions/Grep.md"),
        category: Category::Search,
        level: 1,
        params: ParamsCodec::Fields(&[
            Field::same("pattern").aliases(PATTERN).digits(),
            Field::same("path").aliases(DIRECTORY),
            Field::same("glob").aliases(INCLUDE),
            Field::renamed("output_mode", "mode").describe("What to return. Default: `content`."),
            Field::renamed("-i", "ignore_case").aliases(&["ignore_case", "case_insensitive"]),
            Field::renamed("-n", "line_numbers").aliases(&["line_numbers", "show_line_numbers"]),
            Field::renamed("-A", "after")
                .aliases(&["after_context"])
                .describe("Lines of context after each match. Default: `-C`."),
            Field::renamed("-B", "before")
                .aliases(&["before_context"])
                .describe("Lines of context before each match. Default: `-C`."),
            Field::renamed("-C", "context").aliases(&["context"]),
            Field::renamed("-o", "only_matching")
                .aliases(&["only_matching"])
                .describe("Show only the matched parts, one a line. Default: false."),
            Field::renamed("head_limit", "limit")
                .aliases(LIMIT)
                .convert(Convert::Default(|| Value::from(250)))
                .describe("Maximum number of matches, or of files in the other modes. 0 for all."),
            Field::same("offset"),
            Field::same("multiline"),
            Field::renamed("type", "type"),
            NEWEST,
            IGNORED,
            Field::fixed("count_all", || Value::Bool(true)),
        ]),
        operation_params: SchemaSource::params::<GrepParams>(),
        renderer: Renderer::of::<details::CanonicalGrepDetails>(),
    },
    ToolBinding {
        operation: Operation::Execute,
        name: "Bash",
        label: "Bash",
        description: include_str!("canonical/descriptions/Bash.md"),
        category: Category::Runtime,
        level: 1,
        params: ParamsCodec::Fields(&[
            Field::same("command").aliases(COMMAND),
            Field::same("timeout")
                .aliases(&["timeout_ms"])
                .convert(Convert::Stated(|| Value::from(120_000)))
                .describe("Time limit in milliseconds[[; none in the background{{?process}}]]."),
            Field::renamed("cwd", "directory").aliases(WORKING_DIRECTORY),
            Field::renamed("run_in_background", "background")
                .aliases(&["background"])
                .needs(Operation::Process),
            Field::fixed("timeout_in_foreground", || Value::Bool(true)),
            Field::fixed("apart", || Value::Bool(true)),
        ]),
        operation_params: SchemaSource::params::<ExecuteParams>(),
        renderer: Renderer::of::<details::CanonicalBashDetails>(),
    },
    planning::ASK_USER_QUESTION,
    planning::TODO_WRITE,
    planning::TODO_READ,
    lsp::LSP,
    process::BASH_OUTPUT,
    process::KILL_BASH,
    ToolBinding {
        operation: Operation::NotebookEdit,
        name: "NotebookEdit",
        label: "Notebook edit",
        description: include_str!("canonical/descriptions/NotebookEdit.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::renamed("notebook_path", "path")
                .aliases(FILE)
                .describe("Absolute path of the notebook."),
            Field::same("cell_id")
                .aliases(&["cell_number", "cell_index"])
                .digits(),
            Field::same("new_source").aliases(&["source", "content", "new_string"]),
            Field::same("cell_type").describe("Default: unchanged, or `code` for a new cell."),
            Field::same("edit_mode")
                .aliases(&["mode"])
                .describe("What to do. Default: `replace`."),
        ]),
        operation_params: SchemaSource::params::<NotebookEditParams>(),
        renderer: Renderer::of::<details::CanonicalNotebookEditDetails>(),
    },
    ToolBinding {
        operation: Operation::WebFetch,
        name: "WebFetch",
        label: "Web fetch",
        description: include_str!("canonical/descriptions/WebFetch.md"),
        category: Category::Web,
        level: 3,
        params: ParamsCodec::Fields(&[
            Field::same("url").aliases(&["uri"]),
            Field::same("prompt")
                .aliases(&["question", "query"])
                .required()
                .describe("Question about the page, or what to look for."),
            Field::same("offset").aliases(&["start_index"]),
        ]),
        operation_params: SchemaSource::params::<WebFetchParams>(),
        renderer: Renderer::of::<web::CanonicalWebFetchDetails>(),
    },
    ToolBinding {
        operation: Operation::WebSearch,
        name: "WebSearch",
        label: "Web search",
        description: include_str!("canonical/descriptions/WebSearch.md"),
        category: Category::Web,
        level: 3,
        params: ParamsCodec::Fields(&[
            Field::same("query")
                .aliases(&["q", "search_query"])
                .digits(),
            Field::same("allowed_domains").aliases(&["include_domains", "domains"]),
            Field::same("blocked_domains").aliases(&["exclude_domains"]),
            Field::fixed("count", || Value::from(10)),
        ]),
        operation_params: SchemaSource::params::<WebSearchParams>(),
        renderer: Renderer::of::<web::CanonicalWebSearchDetails>(),
    },
];
