//! The tool-manager vocabulary: camelCase parameters, one category a tool.

mod diagnostics;
mod files;
mod git;
mod search;
mod testing;

use serde_json::{Value, json};
use tenon_contract::Operation;
use tenon_tools::{FindParams, GitStatusParams, GrepParams, ReadParams, WriteParams};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::dialect::{CommandShell, Dialect, DialectId};
use crate::field::NOTEBOOK_CELLS;
use crate::schema_source::SchemaSource;
use crate::spellings::{
    CONTENT, DIRECTORY, FILE, FIRST_LINE, GLOB, INCLUDE, LIMIT, LINES, PATTERN,
};
use crate::{Convert, Field, Renderer};

pub(crate) static DIALECT: Dialect = Dialect {
    id: DialectId::Manager,
    tools: TOOLS,
    shell: CommandShell::Usual,
    reports_languages: false,
};

const COUNT_ALL: Field = Field::fixed("count_all", || Value::Bool(true));

const TOOLS: &[ToolBinding] = &[
    ToolBinding {
        operation: Operation::Read,
        name: "read_file",
        label: "Read file",
        description: include_str!("manager/descriptions/read_file.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("path").aliases(FILE),
            Field::same("encoding")
                .convert(Convert::Default(|| json!("utf-8")))
                .describe("`utf-8` for text in any encoding, `ascii` for text that must be ASCII, `base64` for the bytes of any file."),
            Field::same("offset").aliases(FIRST_LINE).number(),
            Field::same("limit").aliases(LINES).number(),
            NOTEBOOK_CELLS,
        ]),
        operation_params: SchemaSource::params::<ReadParams>(),
        renderer: Renderer::of::<files::ManagerReadDetails>(),
    },
    ToolBinding {
        operation: Operation::Write,
        name: "write_file",
        label: "Write file",
        description: include_str!("manager/descriptions/write_file.md"),
        category: Category::FileSystem,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("path").aliases(FILE),
            Field::same("content").aliases(CONTENT),
            Field::renamed("createDirs", "create_directories")
                .convert(Convert::Default(|| Value::Bool(true)))
                .describe("Create missing directories."),
        ]),
        operation_params: SchemaSource::params::<WriteParams>(),
        renderer: Renderer::of::<files::ManagerWriteDetails>(),
    },
    ToolBinding {
        operation: Operation::Find,
        name: "search_files",
        label: "Search files",
        description: include_str!("manager/descriptions/search_files.md"),
        category: Category::Search,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::same("pattern").aliases(GLOB),
            Field::renamed("directory", "path")
                .aliases(DIRECTORY)
                .convert(Convert::Default(|| json!(".")))
                .describe("Directory to search, absolute or relative to the workspace."),
            Field::same("ignore")
                .aliases(&["exclude"])
                .convert(Convert::Default(|| json!(["node_modules", ".git", "dist"])))
                .describe("What to skip besides ignored files, in gitignore syntax. Your list replaces the default."),
            Field::renamed("maxResults", "limit")
                .aliases(LIMIT)
                .convert(Convert::Default(|| json!(100)))
                .describe("Maximum number of paths.").number(),
            COUNT_ALL,
        ]),
        operation_params: SchemaSource::params::<FindParams>(),
        renderer: Renderer::of::<search::ManagerSearchFilesDetails>(),
    },
    ToolBinding {
        operation: Operation::Grep,
        name: "search_code",
        label: "Search code",
        description: include_str!("manager/descriptions/search_code.md"),
        category: Category::CodeAnalysis,
        level: 0,
        params: ParamsCodec::Fields(&[
            Field::renamed("query", "pattern")
                .aliases(PATTERN)
                .digits()
                .describe("Plain text, or a regular expression with `regex`."),
            Field::renamed("files", "globs")
                .aliases(INCLUDE)

                .describe("Only files that match one of these globs, such as `*.ts`, `src/**/*.js` or `!*.min.js`. Default: all files."),
            Field::renamed("regex", "literal")
                .aliases(&["isRegex", "useRegex"])
                .convert(Convert::Negated { absent: true })
                .describe("Take `query` as a regular expression."),
            Field::renamed("caseInsensitive", "ignore_case")
                .aliases(&["ignoreCase"])
                .convert(Convert::Default(|| Value::Bool(true)))
                .describe("Ignore case."),
            Field::renamed("maxResults", "limit")
                .aliases(LIMIT)
                .convert(Convert::Default(|| json!(50)))
                .at_least_one()
                .describe("Maximum number of matching lines.")
                .number(),
            COUNT_ALL,
        ]),
        operation_params: SchemaSource::params::<GrepParams>(),
        renderer: Renderer::of::<search::ManagerSearchCodeDetails>(),
    },
    diagnostics::BINDING,
    testing::BINDING,
    ToolBinding {
        operation: Operation::GitStatus,
        name: "git_status",
        label: "Git status",
        description: include_str!("manager/descriptions/git_status.md"),
        category: Category::Git,
        level: 0,
        params: ParamsCodec::Fields(&[Field::renamed("directory", "path")
            .aliases(DIRECTORY)
            .convert(Convert::Default(|| json!(".")))
            .describe("Directory in the repository, absolute or relative to the workspace.")]),
        operation_params: SchemaSource::params::<GitStatusParams>(),
        renderer: Renderer::of::<git::ManagerGitStatusDetails>(),
    },
];
