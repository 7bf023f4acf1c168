//! The editor-client vocabulary: results are text, diffs and images.

mod edit;
mod texts;

use serde_json::Value;
use tenon_contract::Operation;
use tenon_tools::{
    DeleteParams, EditParams, ExecuteParams, GrepParams, ListParams, ReadParams, WebRequestParams,
    WebSearchParams, WriteParams,
};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::dialect::{CommandShell, Dialect, DialectId};
use crate::field::NOTEBOOK_CELLS;
use crate::schema_source::SchemaSource;
use crate::spellings::{COMMAND, CONTENT, DIRECTORY, FILE, INCLUDE, PATTERN, WORKING_DIRECTORY};
use crate::{Field, Renderer};

pub(crate) static DIALECT: Dialect = Dialect {
    id: DialectId::Acp,
    tools: TOOLS,
    shell: CommandShell::Usual,
    reports_languages: false,
};

const TOOLS: &[ToolBinding] = &[
    ToolBinding {
        operation: Operation::Read,
        name: "read_file",
        label: "Read file",
        description: include_str!("acp/descriptions/read_file.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[Field::same("path").aliases(FILE), NOTEBOOK_CELLS]),
        operation_params: SchemaSource::params::<ReadParams>(),
        renderer: Renderer::of::<texts::AcpReadDetails>(),
    },
    ToolBinding {
        operation: Operation::Write,
        name: "write_file",
        label: "Write file",
        description: include_str!("acp/descriptions/write_file.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("path").aliases(FILE),
            Field::same("content").aliases(CONTENT),
        ]),
        operation_params: SchemaSource::params::<WriteParams>(),
        renderer: Renderer::of::<texts::AcpWriteDetails>(),
    },
    ToolBinding {
        operation: Operation::List,
        name: "list_directory",
        label: "List directory",
        description: include_str!("acp/descriptions/list_directory.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("path").aliases(DIRECTORY),
            Field::fixed("limit", || Value::from(u32::MAX)),
        ]),
        operation_params: SchemaSource::params::<ListParams>(),
        renderer: Renderer::of::<texts::AcpListDetails>(),
    },
    ToolBinding {
        operation: Operation::Grep,
        name: "search_files",
        label: "Search files",
        description: include_str!("acp/descriptions/search_files.md"),
        category: Category::Search,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::renamed("query", "pattern")
                .aliases(PATTERN)
                .digits()
                .describe("Regular expression; text that is not a valid one, such as `call(`, is searched as it is."),
            Field::same("path").aliases(DIRECTORY),
            Field::renamed("includePattern", "glob").aliases(INCLUDE),
            Field::fixed("literal_if_invalid", || Value::Bool(true)),
        ]),
        operation_params: SchemaSource::params::<GrepParams>(),
        renderer: Renderer::of::<texts::AcpSearchDetails>(),
    },
    ToolBinding {
        operation: Operation::Edit,
        name: "edit_file",
        label: "Edit file",
        description: include_str!("acp/descriptions/edit_file.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::typed::<edit::AcpEditParams>(),
        operation_params: SchemaSource::params::<EditParams>(),
        renderer: Renderer::of::<edit::AcpEditDetails>(),
    },
    ToolBinding {
        operation: Operation::Execute,
        name: "run_command",
        label: "Run command",
        description: include_str!("acp/descriptions/run_command.md"),
        category: Category::Runtime,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("command").aliases(COMMAND),
            Field::renamed("cwd", "directory").aliases(WORKING_DIRECTORY),
        ]),
        operation_params: SchemaSource::params::<ExecuteParams>(),
        renderer: Renderer::of::<texts::AcpCommandDetails>(),
    },
    ToolBinding {
        operation: Operation::Delete,
        name: "delete_file",
        label: "Delete file",
        description: include_str!("acp/descriptions/delete_file.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[Field::same("path").aliases(FILE)]),
        operation_params: SchemaSource::params::<DeleteParams>(),
        renderer: Renderer::of::<texts::AcpDeleteDetails>(),
    },
    ToolBinding {
        operation: Operation::WebSearch,
        name: "web_search",
        label: "Web search",
        description: include_str!("acp/descriptions/web_search.md"),
        category: Category::Web,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("query").aliases(&["q", "search_query"]).digits(),
            Field::fixed("count", || Value::from(10)),
        ]),
        operation_params: SchemaSource::params::<WebSearchParams>(),
        renderer: Renderer::of::<texts::AcpWebSearchDetails>(),
    },
    ToolBinding {
        operation: Operation::WebRequest,
        name: "web_request",
        label: "Web request",
        description: include_str!("acp/descriptions/web_request.md"),
        category: Category::Web,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("url").aliases(&["uri"]),
            Field::same("method"),
            Field::same("headers"),
            Field::same("body").aliases(&["data", "payload"]),
        ]),
        operation_params: SchemaSource::params::<WebRequestParams>(),
        renderer: Renderer::of::<texts::AcpWebRequestDetails>(),
    },
];
