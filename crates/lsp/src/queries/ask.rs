//! The way of a question: a server is found, sent what changed, and asked. Where it ends on the way, it is started and
//! asked once more.

use std::sync::Arc;

use tenon_contract::limits;
use tenon_workspace::Located;
use tokio_util::sync::CancellationToken;

use crate::error::{CloseReason, RequestError};
use crate::freshness::documents::Document;
use crate::freshness::refresh::RefreshError;
use crate::language_servers::LanguageServers;
use crate::protocol::message::ResponseError;
use crate::queries::query::{AskError, Asker, Fault, QueryAnswer, Question, Reply};
use crate::server::capabilities::Feature;
use crate::server::session::{Patience, ServerSession};
use crate::server::unavailable::{ServerStatus, Unavailable};

/// A server that ends under a question is started and asked again, this often.
const ATTEMPTS: usize = 2;

impl LanguageServers {
    /// Asks a question.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn ask(
        &self,
        question: &Question,
        cancellation: &CancellationToken,
    ) -> Result<Reply, AskError> {
        let mut attempt = 1;
        loop {
            let feature = question.query.feature();
            let opened = self
                .open(&question.file, Some(feature), cancellation)
                .await?;
            let asker = Asker {
                session: &opened.session,
                document: &opened.document,
                patience: Patience::of(question.query.limit()),
                cancellation,
            };
            let asked = tokio::select! {
                biased;
                () = cancellation.cancelled() => Err(Fault::Request(RequestError::Cancelled)),
                asked = asker.fresh(question) => asked,
            };
            match asked {
                Ok((mut answer, is_complete, found)) => {
                    let name = asker.text_of(found.as_ref()).map(str::to_owned);
                    let mut notes: Vec<String> =
                        found.and_then(|found| found.note).into_iter().collect();
                    if question.query.is_about_project() {
                        notes.extend(opened.session.partial_view(&question.file).await);
                    }
                    if let QueryAnswer::Hover(text) = &mut answer {
                        notes.extend(bound_hover(text));
                    }
                    return Ok(Reply {
                        is_capped: opened.session.has_capped(&answer, &question.query),
                        server: opened.session.name().to_owned(),
                        encoding: opened.session.encoding(),
                        status: if is_complete {
                            ServerStatus::Ready
                        } else {
                            ServerStatus::Indexing
                        },
                        name,
                        notes,
                        answer,
                        document: opened.document,
                    });
                }
                Err(fault) => opened.judge(fault, feature, &mut attempt).await?,
            }
        }
    }

    /// The server for a file, which knows it as it is on disk now. One that ends meanwhile is started again once.
    pub(crate) async fn open(
        &self,
        file: &Located,
        feature: Option<Feature>,
        cancellation: &CancellationToken,
    ) -> Result<OpenedServer, AskError> {
        let session = self
            .session(file, feature, cancellation)
            .await
            .map_err(unavailable)?;
        OpenedServer::new(session, file, cancellation).await
    }
}

fn unavailable(reason: Unavailable) -> AskError {
    AskError::Unavailable(Box::new(reason))
}

/// A server that knows a file.
pub(crate) struct OpenedServer {
    pub(crate) session: Arc<ServerSession>,
    pub(crate) document: Document,
    _in_use: crate::server::session::ServerUse,
}

impl OpenedServer {
    pub(crate) async fn new(
        session: Arc<ServerSession>,
        file: &Located,
        cancellation: &CancellationToken,
    ) -> Result<Self, AskError> {
        let in_use = session.in_use();
        match session.refresh(file, cancellation).await {
            Ok(document) => Ok(Self {
                session,
                document,
                _in_use: in_use,
            }),
            Err(RefreshError::File(error)) => Err(error.into()),
            Err(RefreshError::Request(error)) => Err(unavailable(no_answer(&session, error).await)),
        }
    }

    /// What a failure means: to try once more, or the end of it.
    pub(crate) async fn judge(
        &self,
        fault: Fault,
        feature: Feature,
        attempt: &mut usize,
    ) -> Result<(), AskError> {
        match fault {
            Fault::Address(fault) => Err(fault.into()),
            Fault::File(error) => Err(error.into()),
            Fault::Request(RequestError::Closed(reason))
                if *attempt < ATTEMPTS && !matches!(reason, CloseReason::ShutDown) =>
            {
                *attempt += 1;
                Ok(())
            }
            Fault::Request(RequestError::Refused { error, .. })
                if error.code == ResponseError::METHOD_NOT_FOUND =>
            {
                Err(unavailable(Unavailable::unsupported(
                    &self.session,
                    Some(feature),
                )))
            }
            Fault::Request(error) => Err(unavailable(no_answer(&self.session, error).await)),
        }
    }
}

async fn no_answer(session: &ServerSession, error: RequestError) -> Unavailable {
    let error = session.reported_by_end(error).await;
    match &error {
        RequestError::Closed(_) => session.stderr.drained().await,
        RequestError::TimedOut { .. } => session.note_unanswered(),
        _ => {}
    }
    let status = match &error {
        RequestError::Cancelled => return Unavailable::Cancelled,
        RequestError::TimedOut { .. } if session.server_state.progress().is_busy() => {
            ServerStatus::Indexing
        }
        _ => ServerStatus::Failed,
    };
    let complaint = matches!(error, RequestError::Closed(_))
        .then(|| session.complaint())
        .flatten();
    Unavailable::NoAnswer {
        server: session.name().to_owned(),
        error,
        complaint,
        status,
    }
}

/// Cuts an overlong hover text at the end of a line, if there is one near; what the caller has to know of it.
fn bound_hover(text: &mut String) -> Option<String> {
    let most = limits::LSP_HOVER_MAX_BYTES;
    let whole = text.len();
    if whole <= most {
        return None;
    }
    let end = text.floor_char_boundary(most);
    let kept = text.get(..end).unwrap_or_default();
    let end = kept
        .rfind('\n')
        .filter(|at| *at > most / 2)
        .unwrap_or(kept.len());
    text.truncate(end);
    // A block of code that is cut stays one.
    if text.lines().filter(|line| line.starts_with("```")).count() % 2 == 1 {
        text.push_str("\n```");
    }
    Some(format!(
        "The hover text was cut to {} KB of {} KB.",
        most / 1024,
        whole.div_ceil(1024)
    ))
}
