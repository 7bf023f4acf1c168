//! Questions and their answers.

use tenon_contract::{ToolContext, ToolError};
use tenon_lsp::{AskError, Query, QueryAnswer, Question, Reply, ServerStatus, Unavailable};
use tenon_workspace::Located;

use super::facts::{ActionFact, Listed, findings};
use super::sources::Sources;
use super::{
    Lsp, LspFound, LspOperation, LspOutput, LspParams, Shortfall, addressed, readable, settled,
    symbols,
};
use crate::blocking::blocking;

impl Lsp {
    /// Asks, and reports the answer.
    pub(super) async fn answer(
        &self,
        file: Located,
        params: LspParams,
        context: &ToolContext,
    ) -> Result<LspOutput, ToolError> {
        readable(&file, context).await?;
        let mut output = LspOutput::new(params.operation, file.name());
        let address = addressed(&file, &params, context).await?;
        let place = file.clone();
        let name = params.query.filter(|query| !query.is_empty());
        let reported = match params.operation.query(name) {
            Some(query) => {
                let question = Question {
                    file,
                    address,
                    query,
                };
                self.ask(&mut output, question, context).await
            }
            None if params.operation == LspOperation::CodeActions => {
                let offered = self
                    .servers
                    .actions(&file, &address, context.cancellation())
                    .await;
                offered.map(|offered| {
                    output.server = Some(offered.server);
                    output.notes = offered.notes;
                    let actions = offered.actions.into_iter().map(ActionFact::from);
                    output.found = Ok(LspFound::Actions(Listed::new(actions.collect())));
                })
            }
            None => self.diagnose(&mut output, &file, context).await,
        };
        let mut output = settled(output, reported)?;
        if output.operation == LspOperation::DocumentSymbol {
            output = blocking(context.clone(), move |_| {
                symbols::instead(&place, &mut output)?;
                Ok(output)
            })
            .await?;
        }
        Ok(output)
    }

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
        if let QueryAnswer::Hover(contents) = &reply.answer {
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
            QueryAnswer::Places(places) => !places.iter().any(|place| sources.hides(&place.uri)),
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
            None => Ok(LspFound::Diagnostics(Listed::new(findings(&report)))),
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
        QueryAnswer::Places(places) => LspFound::Locations(sources.places(places, operation)),
        QueryAnswer::Hover(contents) => LspFound::Contents(contents.clone()),
        QueryAnswer::Symbols(symbols) => LspFound::Symbols(sources.symbols(symbols, operation)),
        QueryAnswer::Items(items)
            if matches!(
                operation,
                LspOperation::IncomingCalls | LspOperation::OutgoingCalls
            ) =>
        {
            LspFound::Calls(sources.calls(items, operation))
        }
        QueryAnswer::Items(items) => LspFound::Items(sources.items(items)),
    }
}
