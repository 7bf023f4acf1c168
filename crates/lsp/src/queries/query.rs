//! Questions about the code, and what servers answer to them.

use std::time::Duration;

use serde_json::{Value, json};
use tenon_contract::{ErrorCode, limits};
use tenon_workspace::Located;
use tokio_util::sync::CancellationToken;

use crate::error::RequestError;
use crate::freshness::documents::Document;
use crate::protocol::position::{Encoding, Position};
use crate::protocol::wire::{self, RawItem, RawPlace, RawSymbol};
use crate::queries::address::{self, Address, AddressFault, FoundName};
use crate::server::capabilities::Feature;
use crate::server::readiness::{Early, Settled};
use crate::server::session::{Patience, ServerSession};
use crate::server::unavailable::{ServerStatus, Unavailable};

/// The requests that the hierarchies begin with.
const CALLS: &str = "textDocument/prepareCallHierarchy";
const TYPES: &str = "textDocument/prepareTypeHierarchy";

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Where the name is declared.
    Definition,
    /// Where its type is declared.
    TypeDefinition,
    /// Where it is implemented.
    Implementation,
    /// Where it is used, its declaration included.
    References,
    /// What it is.
    Hover,
    /// The symbols of the file.
    DocumentSymbols,
    /// The symbols of the project whose names are like this; without it, like the name at the address.
    WorkspaceSymbols(Option<String>),
    /// The function at the address.
    PrepareCalls,
    /// Who calls it.
    IncomingCalls,
    /// Whom it calls.
    OutgoingCalls,
    /// The type at the address.
    PrepareTypes,
    /// What it is derived from.
    Supertypes,
    /// What is derived from it.
    Subtypes,
}

impl Query {
    /// What a server must be able to do.
    #[must_use]
    pub const fn feature(&self) -> Feature {
        match self {
            Self::Definition => Feature::Definition,
            Self::TypeDefinition => Feature::TypeDefinition,
            Self::Implementation => Feature::Implementation,
            Self::References => Feature::References,
            Self::Hover => Feature::Hover,
            Self::DocumentSymbols => Feature::DocumentSymbol,
            Self::WorkspaceSymbols(_) => Feature::WorkspaceSymbol,
            Self::PrepareCalls | Self::IncomingCalls | Self::OutgoingCalls => {
                Feature::CallHierarchy
            }
            Self::PrepareTypes | Self::Supertypes | Self::Subtypes => Feature::TypeHierarchy,
        }
    }

    /// How long it may take, all its requests together: less where the answer is about one name or one list.
    pub(crate) const fn limit(&self) -> Duration {
        match self {
            Self::Definition
            | Self::TypeDefinition
            | Self::Hover
            | Self::DocumentSymbols
            | Self::WorkspaceSymbols(_)
            | Self::PrepareCalls
            | Self::PrepareTypes => limits::LSP_ANSWER_TIMEOUT,
            Self::Implementation
            | Self::References
            | Self::IncomingCalls
            | Self::OutgoingCalls
            | Self::Supertypes
            | Self::Subtypes => limits::LSP_READY_TIMEOUT,
        }
    }

    /// Whether a name in the file has to be known.
    const fn needs_name(&self) -> bool {
        !matches!(
            self,
            Self::DocumentSymbols | Self::WorkspaceSymbols(Some(_))
        )
    }
}

/// What a server answered, in its own units.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryAnswer {
    /// Places.
    Places(Vec<RawPlace>),
    /// Markdown; empty when there is nothing to say.
    Hover(String),
    /// Symbols.
    Symbols(Vec<RawSymbol>),
    /// Members of a hierarchy.
    Items(Vec<RawItem>),
}

/// An answer and what is to be known of it.
#[derive(Debug)]
pub struct Reply {
    /// Who answered.
    pub server: String,
    /// In which units it counts.
    pub encoding: Encoding,
    /// The file as the server knew it.
    pub document: Document,
    /// Whether the server knows the whole project.
    pub status: ServerStatus,
    /// Whether the server stopped at its own limit: there may be more.
    pub is_capped: bool,
    /// The name that was asked about.
    pub name: Option<String>,
    /// What was understood otherwise than it was said.
    pub notes: Vec<String>,
    /// The answer.
    pub answer: QueryAnswer,
}

/// Why a question was not answered.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// There is no server, or it gave none.
    #[error("no language server answered")]
    Unavailable(Box<Unavailable>),
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] tenon_workspace::Error),
    /// The address means nothing in the file.
    #[error(transparent)]
    Address(#[from] AddressFault),
}

impl AddressFault {
    /// The kind of it in the words of the contract.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Nothing | Self::Line { .. } | Self::NoName { .. } => ErrorCode::InvalidParams,
            Self::NoSymbol { .. } => ErrorCode::NoMatch,
        }
    }
}

/// A failure within a conversation.
pub(crate) enum Fault {
    Request(RequestError),
    Address(AddressFault),
    File(tenon_workspace::Error),
}

impl From<RequestError> for Fault {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

/// One conversation about one file.
pub(crate) struct Asker<'a> {
    pub(crate) session: &'a ServerSession,
    pub(crate) document: &'a Document,
    pub(crate) patience: Patience,
    pub(crate) cancellation: &'a CancellationToken,
}

impl Asker<'_> {
    /// The name that an address means.
    pub(crate) fn find(&self, address: &Address) -> Result<FoundName, Fault> {
        address::resolve(&self.document.text, address).map_err(Fault::Address)
    }

    /// Where a byte of the file is, for the server.
    pub(crate) fn position(&self, offset: usize) -> Position {
        self.document.text.position(offset, self.session.encoding())
    }

    /// The usual params of a question about a place.
    pub(crate) fn at(&self, found: &FoundName) -> Value {
        json!({ "textDocument": { "uri": self.document.uri }, "position": self.position(found.range.start) })
    }

    async fn settled(
        &self,
        method: &str,
        params: &Value,
        early: Early,
    ) -> Result<Settled, RequestError> {
        self.session
            .settled(method, params, early, self.patience, self.cancellation)
            .await
    }

    /// Asks the question.
    pub(crate) async fn answer(
        &self,
        query: &Query,
        address: &Address,
    ) -> Result<(QueryAnswer, bool, Option<FoundName>), Fault> {
        let found = if query.needs_name() {
            Some(self.find(address)?)
        } else {
            None
        };
        let at = found.as_ref().map_or(Value::Null, |found| self.at(found));
        let (answer, is_complete) = match query {
            Query::Definition
            | Query::TypeDefinition
            | Query::Implementation
            | Query::References => self.places(query, at).await?,
            Query::Hover => self.hover(&at).await?,
            Query::DocumentSymbols => self.document_symbols().await?,
            Query::WorkspaceSymbols(query) => {
                let name = query.as_deref().or_else(|| self.text_of(found.as_ref()));
                self.project_symbols(name.unwrap_or_default()).await?
            }
            _ => {
                let (prepare, next) = steps(query);
                self.hierarchy(prepare, found.as_ref(), next).await?
            }
        };
        Ok((answer, is_complete, found))
    }

    async fn hover(&self, at: &Value) -> Result<(QueryAnswer, bool), RequestError> {
        const METHOD: &str = "textDocument/hover";
        let settled = self.settled(METHOD, at, Early::Something).await?;
        let text = wire::hover_text(&settled.value).map_err(|fault| RequestError::Malformed {
            method: METHOD.to_owned(),
            fault,
        })?;
        Ok((QueryAnswer::Hover(text), settled.is_complete))
    }

    async fn project_symbols(&self, name: &str) -> Result<(QueryAnswer, bool), RequestError> {
        let params = json!({ "query": name });
        let settled = self
            .settled("workspace/symbol", &params, Early::Never)
            .await?;
        Ok((
            QueryAnswer::Symbols(wire::flat_symbols(&settled.value)),
            settled.is_complete,
        ))
    }

    async fn places(
        &self,
        query: &Query,
        mut at: Value,
    ) -> Result<(QueryAnswer, bool), RequestError> {
        let (method, early) = match query {
            Query::TypeDefinition => ("textDocument/typeDefinition", Early::Something),
            Query::Implementation => ("textDocument/implementation", Early::Never),
            Query::References => ("textDocument/references", Early::Never),
            _ => ("textDocument/definition", Early::Something),
        };
        if let (Query::References, Some(params)) = (query, at.as_object_mut()) {
            params.insert("context".to_owned(), json!({ "includeDeclaration": true }));
        }
        let settled = self.settled(method, &at, early).await?;
        Ok((
            QueryAnswer::Places(wire::places(&settled.value)),
            settled.is_complete,
        ))
    }

    /// The symbols of the file. They are those of its text, whatever else the server has loaded; only none at all may
    /// mean that it has not come to it yet.
    async fn document_symbols(&self) -> Result<(QueryAnswer, bool), RequestError> {
        const METHOD: &str = "textDocument/documentSymbol";
        let params = json!({ "textDocument": { "uri": self.document.uri } });
        let answer: Value = self
            .session
            .ask(METHOD, &params, self.patience, self.cancellation)
            .await?;
        let symbols = wire::symbols(&answer);
        if !symbols.is_empty() || self.document.text.text().trim().is_empty() {
            return Ok((QueryAnswer::Symbols(symbols), true));
        }
        let settled = self.settled(METHOD, &params, Early::Something).await?;
        let symbols = wire::symbols(&settled.value);
        Ok((QueryAnswer::Symbols(symbols), settled.is_complete))
    }

    /// The members at a place, or those that `next` leads to from each of them.
    async fn hierarchy(
        &self,
        prepare: &str,
        found: Option<&FoundName>,
        next: Option<(&str, Option<&str>)>,
    ) -> Result<(QueryAnswer, bool), RequestError> {
        let at = found.map_or(Value::Null, |found| self.at(found));
        let mut prepared = self.settled(prepare, &at, Early::Something).await?;
        let mut items = wire::hierarchy(&prepared.value, None);
        if let (true, Some(found)) = (items.is_empty(), found)
            && let Some(declared) = self.declared(found).await?
        {
            // Of a name that is only imported here servers of TypeScript know no hierarchy.
            let uri = declared.document.uri;
            let at = json!({ "textDocument": { "uri": uri }, "position": declared.position });
            prepared = self.settled(prepare, &at, Early::Something).await?;
            items = wire::hierarchy(&prepared.value, None);
        }
        let Some((method, member)) = next else {
            return Ok((QueryAnswer::Items(items), prepared.is_complete));
        };
        let mut is_complete = prepared.is_complete;
        let mut members = Vec::new();
        for item in items {
            let settled = self
                .settled(method, &json!({ "item": item.item }), Early::Never)
                .await?;
            is_complete &= settled.is_complete;
            for item in wire::hierarchy(&settled.value, member) {
                if !members.contains(&item) {
                    members.push(item);
                }
            }
        }
        Ok((QueryAnswer::Items(members), is_complete))
    }

    pub(crate) fn text_of(&self, found: Option<&FoundName>) -> Option<&str> {
        self.document.text.text().get(found?.range.clone())
    }
}

/// The request that a hierarchy begins with, and the one that leads on, with what it calls each end.
const fn steps(query: &Query) -> (&'static str, Option<(&'static str, Option<&'static str>)>) {
    match query {
        Query::IncomingCalls => (CALLS, Some(("callHierarchy/incomingCalls", Some("from")))),
        Query::OutgoingCalls => (CALLS, Some(("callHierarchy/outgoingCalls", Some("to")))),
        Query::PrepareTypes => (TYPES, None),
        Query::Supertypes => (TYPES, Some(("typeHierarchy/supertypes", None))),
        Query::Subtypes => (TYPES, Some(("typeHierarchy/subtypes", None))),
        _ => (CALLS, None),
    }
}

/// What is asked of which file.
#[derive(Debug, Clone)]
pub struct Question {
    /// The file.
    pub file: Located,
    /// The name in it.
    pub address: Address,
    /// What about it.
    pub query: Query,
}
