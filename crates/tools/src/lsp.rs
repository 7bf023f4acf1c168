//! Asks a language server, and makes the changes that it proposes.

mod answer;
mod facts;
mod indent;
mod output;
mod params;
mod placement;
mod proposal;
mod reshape;
mod shortfall;
mod sources;
mod symbols;

use tenon_contract::{Access, Effect, ErrorCode, Operation, Preview, Tool, ToolContext, ToolError};
use tenon_lsp::{Action, Address, AskError, LanguageServers, Proposal, Unavailable};
use tenon_workspace::Located;

pub use facts::{
    ActionFact, CallFact, ChangedFileFact, ChangesFact, FindingFact, Listed, PlaceFact, SymbolFact,
};
pub use output::{LspFound, LspOutput};
pub use params::{LspOperation, LspParams};
pub use shortfall::Shortfall;

pub(crate) use facts::findings;

use crate::blocking::blocking;
use crate::commit::{commit, preview};
use crate::session::FileSession;
use proposal::Steps;

/// The operation that asks language servers.
#[derive(Debug)]
pub struct Lsp {
    servers: LanguageServers,
    session: FileSession,
    may_change: bool,
}

impl Lsp {
    /// Asks these servers about the files of a session. Only where it may change files, as agents with a tool for
    /// that may, it makes what servers propose.
    #[must_use]
    pub const fn new(servers: LanguageServers, session: FileSession, may_change: bool) -> Self {
        Self {
            servers,
            session,
            may_change,
        }
    }
}

/// A located file and what to ask about it.
#[derive(Debug)]
pub struct LspPlan {
    file: Located,
    params: LspParams,
    stage: Stage,
}

/// How far a call has come before it runs.
#[derive(Debug)]
enum Stage {
    /// It asks.
    Question,
    /// It works with the symbols of the text.
    Syntax,
    /// A server has to say what it would change.
    Unproposed,
    /// A server said so.
    Proposed(Box<Proposed>),
    /// No server could.
    Unavailable(Box<LspOutput>),
}

/// A proposal with the files that it concerns, as they were read when it came.
#[derive(Debug)]
struct Proposed {
    output: LspOutput,
    title: Option<String>,
    steps: Steps,
}

impl Tool for Lsp {
    const OPERATION: Operation = Operation::Lsp;
    type Params = LspParams;
    type Plan = LspPlan;
    type Output = LspOutput;

    fn plan(&self, params: LspParams) -> Result<(Access, LspPlan), ToolError> {
        let file = self.servers.workspace().locate_existing(&params.path)?;
        params.check()?;
        let operation = params.operation;
        if operation.is_proposal() || operation.changes_symbol() {
            self.check(&params)?;
        }
        let claim = file.claim().clone();
        let (access, stage) = if operation.is_proposal() {
            (Access::reading(claim), Stage::Unproposed)
        } else if operation.changes_symbol() && !params.is_dry() {
            let reads = vec![claim.clone()];
            let access = Access {
                reads,
                ..Access::writing(claim)
            };
            (access, Stage::Syntax)
        } else if operation.is_by_syntax() {
            (Access::reading(claim), Stage::Syntax)
        } else {
            (Access::reading(claim), Stage::Question)
        };
        let plan = LspPlan {
            file,
            params,
            stage,
        };
        Ok((access, plan))
    }

    fn effect(plan: &LspPlan) -> Effect {
        match &plan.stage {
            Stage::Proposed(_) if !plan.params.is_dry() => Effect::Mutate,
            Stage::Syntax if plan.params.operation.changes_symbol() && !plan.params.is_dry() => {
                Effect::Mutate
            }
            _ => Effect::Observe,
        }
    }

    fn is_provisional(plan: &LspPlan) -> bool {
        matches!(plan.stage, Stage::Unproposed)
    }

    async fn survey(
        &self,
        plan: LspPlan,
        context: ToolContext,
    ) -> Result<(Access, LspPlan), ToolError> {
        let LspPlan { file, params, .. } = plan;
        readable(&file, &context).await?;
        let mut output = LspOutput::new(params.operation, file.name());
        let proposed = self.proposal(&file, &params, &context).await;
        let proposal = match proposed {
            Ok(proposal) => proposal,
            Err(Refused::Call(error)) => return Err(error),
            Err(Refused::Ask(error)) => {
                let output = settled(output, Err(error))?;
                let access = Access::reading(file.claim().clone());
                let stage = Stage::Unavailable(Box::new(output));
                return Ok((
                    access,
                    LspPlan {
                        file,
                        params,
                        stage,
                    },
                ));
            }
        };
        output.server = Some(proposal.server.clone());
        output.name.clone_from(&proposal.name);
        output.notes.clone_from(&proposal.notes);
        let title = proposal.title.clone();
        let workspace = self.session.workspace.clone();
        let new_name = params.new_name.clone();
        let steps = blocking(context, move |_| {
            Steps::of(&workspace, &proposal, new_name.as_deref())
        })
        .await?;
        let access = steps.access(&file, params.is_dry());
        let stage = Stage::Proposed(Box::new(Proposed {
            output,
            title,
            steps,
        }));
        Ok((
            access,
            LspPlan {
                file,
                params,
                stage,
            },
        ))
    }

    fn preview(&self, plan: &LspPlan) -> Result<Option<Preview>, ToolError> {
        match &plan.stage {
            Stage::Proposed(proposed) if !plan.params.is_dry() => {
                let draft = proposed.steps.draft(&self.session)?;
                Ok(Some(preview(&draft.changes, draft.reported.diff)))
            }
            Stage::Syntax if plan.params.operation.changes_symbol() && !plan.params.is_dry() => {
                let (_, steps) = symbols::changed(&plan.file, &plan.params, &self.session)?;
                let draft = steps.draft(&self.session)?;
                Ok(Some(preview(&draft.changes, draft.reported.diff)))
            }
            _ => Ok(None),
        }
    }

    async fn run(&self, plan: LspPlan, context: ToolContext) -> Result<LspOutput, ToolError> {
        let LspPlan {
            file,
            params,
            stage,
        } = plan;
        match stage {
            Stage::Question => self.answer(file, params, &context).await,
            Stage::Syntax => self.by_syntax(file, params, context).await,
            Stage::Unavailable(output) => Ok(*output),
            Stage::Proposed(proposed) => self.make(*proposed, params.is_dry(), context).await,
            Stage::Unproposed => Err(ToolError::internal("no server was asked what to change")),
        }
    }
}

/// Why there is no proposal.
enum Refused {
    /// The call is wrong.
    Call(ToolError),
    /// No server answered.
    Ask(AskError),
}

impl Lsp {
    /// Refuses changes where none may be made.
    fn check(&self, params: &LspParams) -> Result<(), ToolError> {
        if !self.may_change && !params.is_dry() {
            let message = format!(
                "`{}` changes files, which this session does not allow. A dry run shows what would change.",
                params.operation.as_str()
            );
            return Err(ToolError::new(ErrorCode::PolicyDenied, message)
                .with("subject", params.operation.as_str()));
        }
        Ok(())
    }

    async fn proposal(
        &self,
        file: &Located,
        params: &LspParams,
        context: &ToolContext,
    ) -> Result<Proposal, Refused> {
        let address = addressed(file, params, context)
            .await
            .map_err(Refused::Call)?;
        let stop = context.cancellation();
        if params.operation == LspOperation::Rename {
            let name = params.new_name.as_deref().unwrap_or_default();
            let proposal = self.servers.rename(file, &address, name, stop).await;
            return proposal.map_err(Refused::Ask);
        }
        let title = params.title.as_deref().unwrap_or_default();
        let chosen = self.servers.action(file, &address, title, stop).await;
        chosen
            .map_err(Refused::Ask)?
            .map_err(|offered| Refused::Call(no_such_action(title, &offered)))
    }

    /// Makes a proposal, or only shows it.
    async fn make(
        &self,
        proposed: Proposed,
        is_dry: bool,
        context: ToolContext,
    ) -> Result<LspOutput, ToolError> {
        let session = self.session.clone();
        blocking(context, move |context| {
            make(proposed, is_dry, &session, context)
        })
        .await
    }

    /// Reads or changes symbols of the text.
    async fn by_syntax(
        &self,
        file: Located,
        params: LspParams,
        context: ToolContext,
    ) -> Result<LspOutput, ToolError> {
        let session = self.session.clone();
        blocking(context, move |context| {
            if !params.operation.changes_symbol() {
                return symbols::read(&file, &params);
            }
            let (output, steps) = symbols::changed(&file, &params, &session)?;
            let proposed = Proposed {
                output,
                title: None,
                steps,
            };
            make(proposed, params.is_dry(), &session, context)
        })
        .await
    }
}

/// Makes changes, or only reports them.
fn make(
    proposed: Proposed,
    is_dry: bool,
    session: &FileSession,
    context: &ToolContext,
) -> Result<LspOutput, ToolError> {
    let Proposed {
        mut output,
        title,
        steps,
    } = proposed;
    let draft = steps.draft(session)?;
    let mut reported = draft.reported;
    context.check()?;
    if !is_dry {
        let warnings = commit(draft.changes, draft.notes, session, context)?;
        reported.warnings.extend(warnings);
    }
    reported.applied = !is_dry;
    reported.title = title;
    output.found = Ok(LspFound::Changes(reported));
    Ok(output)
}

/// What a call says of its place, and where a name is that it gives without a line.
async fn addressed(
    file: &Located,
    params: &LspParams,
    context: &ToolContext,
) -> Result<Address, ToolError> {
    let mut address = params.address();
    if address.name_in_file().is_none() {
        return Ok(address);
    }
    let file = file.clone();
    blocking(context.clone(), move |_| {
        address.place = symbols::place_of(&address, &file);
        Ok(address)
    })
    .await
}

/// A file that cannot be read is an error of the call; all other failures are about servers.
pub(crate) async fn readable(file: &Located, context: &ToolContext) -> Result<(), ToolError> {
    let place = file.clone();
    blocking(context.clone(), move |_| Ok(place.open_file()?)).await?;
    Ok(())
}

/// What becomes of a question: its answer, why nothing is known, or that the call is wrong.
fn settled(mut output: LspOutput, reported: Result<(), AskError>) -> Result<LspOutput, ToolError> {
    match reported {
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

fn no_such_action(title: &str, offered: &[Action]) -> ToolError {
    let titles: Vec<&str> = offered.iter().map(|action| action.title.as_str()).collect();
    let message = if titles.is_empty() {
        "Nothing was changed: there are no actions for this place. Pass the line of an error or warning, or another symbol.".to_owned()
    } else {
        let listed: Vec<String> = titles.iter().map(|title| format!("`{title}`")).collect();
        format!(
            "Nothing was changed: `{title}` does not match exactly one action. Available actions: {}.",
            listed.join(", ")
        )
    };
    ToolError::new(ErrorCode::NoMatch, message).with("offered", titles)
}
