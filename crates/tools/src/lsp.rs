//! Asks a language server.

mod facts;
mod shortfall;
mod sources;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Operation, Output, Tool, ToolContext, ToolError};
use tenon_lsp::{
    Address, Answer, AskError, LanguageServers, Query, Question, Reply, ServerStatus, Unavailable,
};
use tenon_workspace::Located;

pub use facts::{CallFact, FindingFact, Listed, PlaceFact, SymbolFact};
pub use shortfall::Shortfall;

use crate::blocking::blocking;
use sources::Sources;

/// What to ask.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LspParams {
    /// What to ask for.
    pub operation: LspOperation,
    /// Path of the file, absolute or relative to the workspace.
    pub path: String,
    /// Line of the name, counted from 1.
    #[schemars(range(min = 1))]
    pub line: Option<u64>,
    /// Character of the name on its line, counted from 1.
    #[schemars(range(min = 1))]
    pub character: Option<u64>,
    /// The name itself, instead of `character`.
    pub symbol: Option<String>,
    /// For symbols of the workspace: what their names are like. Default: the name at the place.
    pub query: Option<String>,
}

/// What to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LspOperation {
    /// Where the name is declared.
    GoToDefinition,
    /// Where it is used.
    FindReferences,
    /// What it is.
    Hover,
    /// The symbols of the file.
    DocumentSymbol,
    /// Symbols of the workspace by name.
    WorkspaceSymbol,
    /// Where an interface or abstract member is implemented.
    GoToImplementation,
    /// The function at the place.
    PrepareCallHierarchy,
    /// Who calls it.
    IncomingCalls,
    /// Whom it calls.
    OutgoingCalls,
    /// Where its type is declared.
    GoToTypeDefinition,
    /// What it is derived from.
    Supertypes,
    /// What is derived from it.
    Subtypes,
    /// What is wrong with the file.
    Diagnostics,
}

impl LspOperation {
    /// As it stands in details.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GoToDefinition => "goToDefinition",
            Self::FindReferences => "findReferences",
            Self::Hover => "hover",
            Self::DocumentSymbol => "documentSymbol",
            Self::WorkspaceSymbol => "workspaceSymbol",
            Self::GoToImplementation => "goToImplementation",
            Self::PrepareCallHierarchy => "prepareCallHierarchy",
            Self::IncomingCalls => "incomingCalls",
            Self::OutgoingCalls => "outgoingCalls",
            Self::GoToTypeDefinition => "goToTypeDefinition",
            Self::Supertypes => "supertypes",
            Self::Subtypes => "subtypes",
            Self::Diagnostics => "diagnostics",
        }
    }

    /// The question; `None` for diagnostics, which are asked for otherwise.
    fn query(self, name: Option<String>) -> Option<Query> {
        Some(match self {
            Self::GoToDefinition => Query::Definition,
            Self::FindReferences => Query::References,
            Self::Hover => Query::Hover,
            Self::DocumentSymbol => Query::DocumentSymbols,
            Self::WorkspaceSymbol => Query::WorkspaceSymbols(name),
            Self::GoToImplementation => Query::Implementation,
            Self::PrepareCallHierarchy => Query::PrepareCalls,
            Self::IncomingCalls => Query::IncomingCalls,
            Self::OutgoingCalls => Query::OutgoingCalls,
            Self::GoToTypeDefinition => Query::TypeDefinition,
            Self::Supertypes => Query::Supertypes,
            Self::Subtypes => Query::Subtypes,
            Self::Diagnostics => return None,
        })
    }
}

/// What came of a question.
#[derive(Debug)]
pub struct LspOutput {
    /// What was asked for.
    pub operation: LspOperation,
    /// The file, as answers name it.
    pub path: String,
    /// Who was asked; nothing when there is none for such files.
    pub server: Option<String>,
    /// How it stands.
    pub status: ServerStatus,
    /// The name that was asked about.
    pub name: Option<String>,
    /// What was understood otherwise than it was said.
    pub notes: Vec<String>,
    /// What was found, or why nothing is known.
    pub found: Result<LspFound, Shortfall>,
}

impl Output for LspOutput {}

/// What a server found.
#[derive(Debug)]
pub enum LspFound {
    /// Places.
    Locations(Listed<PlaceFact>),
    /// Symbols of the file or the workspace.
    Symbols(Listed<SymbolFact>),
    /// The members that a hierarchy begins with, or its types.
    Items(Listed<SymbolFact>),
    /// Callers or called ones.
    Calls(Listed<CallFact>),
    /// Markdown; empty when the server has nothing to say.
    Contents(String),
    /// What is wrong with the file.
    Diagnostics(Listed<FindingFact>),
}

/// The operation that asks language servers.
#[derive(Debug)]
pub struct Lsp {
    servers: LanguageServers,
}

impl Lsp {
    /// Asks these servers.
    #[must_use]
    pub fn new(servers: LanguageServers) -> Self {
        Self { servers }
    }
}

/// A located file and what to ask about it.
#[derive(Debug)]
pub struct LspPlan {
    file: Located,
    params: LspParams,
}

impl Tool for Lsp {
    const OPERATION: Operation = Operation::Lsp;
    type Params = LspParams;
    type Plan = LspPlan;
    type Output = LspOutput;

    fn plan(&self, params: LspParams) -> Result<(Access, LspPlan), ToolError> {
        let file = self.servers.workspace().locate(&params.path)?;
        let access = Access::reading(file.claim().clone());
        Ok((access, LspPlan { file, params }))
    }

    async fn run(&self, plan: LspPlan, context: ToolContext) -> Result<LspOutput, ToolError> {
        let LspPlan { file, params } = plan;
        let place = file.clone();
        // A file that cannot be read is an error of the call; what follows is about servers.
        blocking(context.clone(), move |_| Ok(place.open_file()?)).await?;
        let mut output = LspOutput {
            operation: params.operation,
            path: file.name().to_owned(),
            server: None,
            status: ServerStatus::Ready,
            name: None,
            notes: Vec::new(),
            found: Ok(LspFound::Contents(String::new())),
        };
        let query = params
            .operation
            .query(params.query.filter(|query| !query.is_empty()));
        let number =
            |value: Option<u64>| value.map(|value| u32::try_from(value).unwrap_or(u32::MAX));
        let address = Address {
            line: number(params.line),
            character: number(params.character),
            symbol: params.symbol,
        };
        let told = match query {
            Some(query) => {
                self.ask(
                    &mut output,
                    Question {
                        file,
                        address,
                        query,
                    },
                    &context,
                )
                .await
            }
            None => self.diagnose(&mut output, &file, &context).await,
        };
        match told {
            Ok(()) => Ok(output),
            Err(AskError::File(error)) => Err(error.into()),
            Err(AskError::Address(fault)) => Err(ToolError::new(fault.code(), fault.to_string())),
            Err(AskError::Unavailable(reason)) => match *reason {
                Unavailable::Cancelled => Err(ToolError::cancelled()),
                reason => {
                    output.server = reason.server().map(str::to_owned);
                    output.status = reason.status();
                    output.found = Err(Shortfall::of(&reason));
                    Ok(output)
                }
            },
        }
    }
}

impl Lsp {
    async fn ask(
        &self,
        output: &mut LspOutput,
        question: Question,
        context: &ToolContext,
    ) -> Result<(), AskError> {
        let reply = self.servers.ask(&question, context.cancellation()).await?;
        output.server = Some(reply.server.clone());
        output.status = reply.status;
        output.name.clone_from(&reply.name);
        output.notes.clone_from(&reply.notes);
        let sources = || Sources::new(&self.servers, context, &reply);
        if let Answer::Hover(contents) = &reply.answer {
            let shown = self.is_shown(&question, &sources(), context).await?;
            output.found = Ok(LspFound::Contents(if shown {
                contents.clone()
            } else {
                String::new()
            }));
            return Ok(());
        }
        let (sources, operation) = (sources(), output.operation);
        let found = blocking(context.clone(), move |_| {
            Ok(facts(&reply, sources, operation))
        })
        .await;
        // Only an abort ends the reading of the places.
        output.found =
            Ok(found.map_err(|_| AskError::Unavailable(Box::new(Unavailable::Cancelled)))?);
        Ok(())
    }

    /// Whether what is said of a name may be shown: not when it is declared in a file that rules keep from being read.
    async fn is_shown(
        &self,
        question: &Question,
        sources: &Sources,
        context: &ToolContext,
    ) -> Result<bool, AskError> {
        if context.visibility().is_none() {
            return Ok(true);
        }
        let question = Question {
            query: Query::Definition,
            ..question.clone()
        };
        let declared = self.servers.ask(&question, context.cancellation()).await?;
        Ok(match declared.answer {
            Answer::Places(places) => !places.iter().any(|place| sources.hides(&place.uri)),
            _ => true,
        })
    }

    async fn diagnose(
        &self,
        output: &mut LspOutput,
        file: &Located,
        context: &ToolContext,
    ) -> Result<(), AskError> {
        let report = self
            .servers
            .diagnostics(file, context.cancellation())
            .await?;
        output.server = Some(report.servers.join(", "));
        output.status = report.status;
        output.found = match Shortfall::of_report(&report) {
            Some(shortfall) => Err(shortfall),
            None => Ok(LspFound::Diagnostics(facts::findings(&report))),
        };
        if let Err(shortfall) = &output.found
            && shortfall.install.is_some()
        {
            output.status = ServerStatus::Unsupported;
        }
        Ok(())
    }
}

fn facts(reply: &Reply, mut sources: Sources, operation: LspOperation) -> LspFound {
    match &reply.answer {
        Answer::Places(places) => LspFound::Locations(sources.places(places, operation)),
        Answer::Hover(contents) => LspFound::Contents(contents.clone()),
        Answer::Symbols(symbols) => LspFound::Symbols(sources.symbols(symbols, operation)),
        Answer::Items(items)
            if matches!(
                operation,
                LspOperation::IncomingCalls | LspOperation::OutgoingCalls
            ) =>
        {
            LspFound::Calls(sources.calls(items, operation))
        }
        Answer::Items(items) => LspFound::Items(sources.items(items)),
    }
}
