//! Changes that a server works out on request: another name for a symbol, repairs and refactorings.

use serde_json::{Value, json};
use tenon_contract::limits;
use tenon_workspace::Located;
use tokio_util::sync::CancellationToken;

use crate::error::RequestError;
use crate::language_servers::LanguageServers;
use crate::protocol::message::ResponseError;
use crate::protocol::position::{Encoding, Span};
use crate::queries::address::Address;
use crate::queries::ask::OpenedServer;
use crate::queries::query::{AskError, Asker, Fault};
use crate::queries::workspace_edit::{ProposalFault, ProposedChange, proposed};
use crate::server::capabilities::Feature;
use crate::server::readiness::Early;
use crate::server::session::{Patience, ServerSession};

/// Commands of servers that only propose a change, by `workspace/applyEdit`. Others run programs or write files
/// themselves, such as `gopls.tidy` or the installation of types.
const PROPOSING: &[&str] = &[
    "_typescript.applyFixAllCodeAction",
    "_typescript.applyRefactoring",
    "_typescript.applyWorkspaceEdit",
    "_typescript.organizeImports",
    "clangd.applyFix",
    "clangd.applyRename",
    "clangd.applyTweak",
    "eslint.applyAllFixes",
    "eslint.applySameFixes",
    "eslint.applySingleFix",
    "gopls.apply_fix",
    "pyright.organizeimports",
    "basedpyright.organizeimports",
];

/// A change that a server proposes. Nothing was changed.
#[derive(Debug)]
pub struct Proposal {
    /// Who proposes it.
    pub server: String,
    /// In which units its spans count.
    pub encoding: Encoding,
    /// The name that was asked about.
    pub name: Option<String>,
    /// What it is called, for a code action.
    pub title: Option<String>,
    /// What was understood otherwise than it was said.
    pub notes: Vec<String>,
    /// The steps in their order.
    pub changes: Vec<ProposedChange>,
}

/// A repair or refactoring that a server offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// What it is called.
    pub title: String,
    /// Such as `quickfix` or `refactor.extract`.
    pub kind: Option<String>,
    /// Whether the server thinks that it is the right one.
    pub is_preferred: bool,
    /// Why it cannot be used now.
    pub disabled: Option<String>,
}

/// The actions that a server offers.
#[derive(Debug)]
pub struct Actions {
    /// Who offers them.
    pub server: String,
    /// What was understood otherwise than it was said.
    pub notes: Vec<String>,
    /// In the server's order.
    pub actions: Vec<Action>,
}

impl From<ProposalFault> for Fault {
    fn from(fault: ProposalFault) -> Self {
        Self::Request(RequestError::Malformed {
            method: "workspace edit".to_owned(),
            fault: fault.to_string(),
        })
    }
}

impl LanguageServers {
    /// What it takes to give the symbol at an address another name. Waits until the server knows the whole project: a
    /// rename that misses a place breaks the code.
    ///
    /// # Errors
    /// [`AskError`]; a server that does not know the whole project in time is a failure here.
    pub async fn rename(
        &self,
        file: &Located,
        address: &Address,
        new_name: &str,
        cancellation: &CancellationToken,
    ) -> Result<Proposal, AskError> {
        let mut attempt = 1;
        loop {
            let opened = self.open(file, Some(Feature::Rename), cancellation).await?;
            let asker = Asker {
                session: &opened.session,
                document: &opened.document,
                patience: Patience::of(limits::LSP_READY_TIMEOUT),
                cancellation,
            };
            match asker.rename(address, new_name).await {
                Ok(proposal) => return Ok(proposal),
                Err(fault) => opened.judge(fault, Feature::Rename, &mut attempt).await?,
            }
        }
    }

    /// What a server offers for a place: for the line, or for the name on it.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn actions(
        &self,
        file: &Located,
        address: &Address,
        cancellation: &CancellationToken,
    ) -> Result<Actions, AskError> {
        let mut attempt = 1;
        loop {
            let opened = self
                .open(file, Some(Feature::CodeAction), cancellation)
                .await?;
            match offered(&opened, address, cancellation).await {
                Ok((items, note)) => {
                    return Ok(Actions {
                        server: opened.session.name().to_owned(),
                        notes: note.into_iter().collect(),
                        actions: items.iter().filter_map(action).collect(),
                    });
                }
                Err(fault) => {
                    opened
                        .judge(fault, Feature::CodeAction, &mut attempt)
                        .await?
                }
            }
        }
    }

    /// What one of the actions would change: the one of exactly this title, else the only one that contains it.
    ///
    /// # Errors
    /// [`AskError`]; `Ok(Err(actions))` when none or several fit.
    pub async fn action(
        &self,
        file: &Located,
        address: &Address,
        title: &str,
        cancellation: &CancellationToken,
    ) -> Result<Result<Proposal, Vec<Action>>, AskError> {
        let mut attempt = 1;
        loop {
            let opened = self
                .open(file, Some(Feature::CodeAction), cancellation)
                .await?;
            let chosen = async {
                let (items, note) = offered(&opened, address, cancellation).await?;
                let Some(item) = choose(&items, title) else {
                    return Ok(Err(items.iter().filter_map(action).collect()));
                };
                if let Some(reason) = action(item).and_then(|action| action.disabled) {
                    return Err(disabled(&reason));
                }
                let changes = changes_of(&opened, item.clone(), cancellation).await?;
                Ok(Ok(Proposal {
                    server: opened.session.name().to_owned(),
                    encoding: opened.session.encoding(),
                    name: None,
                    title: item.get("title").and_then(Value::as_str).map(str::to_owned),
                    notes: note.into_iter().collect(),
                    changes,
                }))
            };
            match chosen.await {
                Ok(chosen) => return Ok(chosen),
                Err(fault) => {
                    opened
                        .judge(fault, Feature::CodeAction, &mut attempt)
                        .await?
                }
            }
        }
    }
}

impl Asker<'_> {
    async fn rename(&self, address: &Address, new_name: &str) -> Result<Proposal, Fault> {
        let found = self.find(address)?;
        let mut params = self.at(&found);
        let mut notes: Vec<String> = found.note.clone().into_iter().collect();
        if let Some(declared) = self.declared(&found).await? {
            params = json!({ "textDocument": { "uri": declared.document.uri }, "position": declared.position });
            notes.push(declared.note);
        }
        self.prepare_rename(&params).await?;
        if let Some(params) = params.as_object_mut() {
            params.insert("newName".to_owned(), new_name.into());
        }
        notes.extend(self.session.partial_view(&self.document.located).await);
        let settled = self
            .session
            .settled(
                "textDocument/rename",
                &params,
                Early::Never,
                self.patience,
                self.cancellation,
            )
            .await?;
        if !settled.is_complete {
            return Err(RequestError::TimedOut {
                method: "textDocument/rename".to_owned(),
                seconds: self.patience.limit.as_secs(),
            }
            .into());
        }
        let changes = proposed(&settled.value)?;
        check_versions(self.session, &changes, "textDocument/rename").await?;
        Ok(Proposal {
            server: self.session.name().to_owned(),
            encoding: self.session.encoding(),
            name: self.text_of(Some(&found)).map(str::to_owned),
            title: None,
            notes,
            changes,
        })
    }

    /// Asks whether the symbol can be renamed, where the server answers that.
    async fn prepare_rename(&self, params: &Value) -> Result<(), Fault> {
        const METHOD: &str = "textDocument/prepareRename";
        let state = &self.session.server_state;
        if !state.features(|features| features.prepares_rename()) {
            return Ok(());
        }
        let asked = self.session.ask_value(METHOD, params, self.cancellation);
        if !asked.await?.is_null() {
            return Ok(());
        }
        let error = ResponseError::new(
            ResponseError::REQUEST_FAILED,
            "the symbol at this place cannot be renamed",
        );
        Err(RequestError::Refused {
            method: METHOD.to_owned(),
            error,
        }
        .into())
    }
}

/// The actions for a place, with the findings there: repairs are offered for what the client shows.
async fn offered(
    opened: &OpenedServer,
    address: &Address,
    cancellation: &CancellationToken,
) -> Result<(Vec<Value>, Option<String>), Fault> {
    let asker = Asker {
        session: &opened.session,
        document: &opened.document,
        patience: Patience::of(limits::LSP_REQUEST_TIMEOUT),
        cancellation,
    };
    let encoding = opened.session.encoding();
    let (range, note) = match (
        address.line,
        address.character.is_some() || address.symbol.is_some(),
    ) {
        (Some(line), false) if (1..=opened.document.text.lines()).contains(&line) => {
            let text = &opened.document.text;
            let at = |character| crate::protocol::position::Position {
                line: line - 1,
                character,
            };
            let span = Span {
                start: at(0),
                end: at(u32::MAX),
            };
            (text.convert(span, Encoding::Utf16, encoding), None)
        }
        _ => {
            let found = asker.find(address)?;
            (
                opened.document.text.span(&found.range, encoding),
                found.note,
            )
        }
    };
    let findings = opened
        .session
        .findings(&opened.document, cancellation)
        .await?;
    let touches = |item: &Value| {
        let span = item
            .get("range")
            .and_then(|range| serde_json::from_value::<Span>(range.clone()).ok());
        span.is_some_and(|span| span.start <= range.end && range.start <= span.end)
    };
    let here: Vec<&Value> = findings.items.iter().filter(|item| touches(item)).collect();
    let params = json!({
        "textDocument": { "uri": opened.document.uri },
        "range": range,
        "context": { "diagnostics": here, "triggerKind": 1 },
    });
    let answer = opened
        .session
        .ask_value("textDocument/codeAction", &params, cancellation)
        .await?;
    Ok((answer.as_array().cloned().unwrap_or_default(), note))
}

/// A command that is not known to do nothing but propose is not run: nobody has judged what it does.
fn may_do_more(command: &str) -> Fault {
    let message = format!(
        "the action is the command `{command}`, which may do more than propose a change; it was not run"
    );
    not_run("workspace/executeCommand", message)
}

/// An action that is listed, and that the server does not do at this place.
fn disabled(reason: &str) -> Fault {
    let message = format!("the action cannot be used here: {reason}");
    not_run("textDocument/codeAction", message)
}

fn not_run(method: &str, message: String) -> Fault {
    Fault::Request(RequestError::Refused {
        method: method.to_owned(),
        error: ResponseError::new(ResponseError::REQUEST_FAILED, message),
    })
}

fn action(item: &Value) -> Option<Action> {
    Some(Action {
        title: item.get("title")?.as_str()?.to_owned(),
        kind: item.get("kind").and_then(Value::as_str).map(str::to_owned),
        is_preferred: item.get("isPreferred").and_then(Value::as_bool) == Some(true),
        disabled: item
            .get("disabled")
            .and_then(|disabled| disabled.get("reason")?.as_str().map(str::to_owned)),
    })
}

fn choose<'a>(items: &'a [Value], title: &str) -> Option<&'a Value> {
    let of = |item: &'a Value| item.get("title").and_then(Value::as_str);
    let exact = items.iter().find(|item| of(item) == Some(title));
    exact.or_else(|| {
        let mut like = items
            .iter()
            .filter(|item| of(item).is_some_and(|known| known.contains(title)));
        like.next().filter(|_| like.next().is_none())
    })
}

/// What an action changes: what it holds, what it holds once it is completed, and what its command asks for.
async fn changes_of(
    opened: &OpenedServer,
    mut item: Value,
    cancellation: &CancellationToken,
) -> Result<Vec<ProposedChange>, Fault> {
    let session = &opened.session;
    if item.get("edit").is_none()
        && session
            .server_state
            .features(|features| features.resolves_code_actions())
        && item.get("command").is_none_or(Value::is_object)
    {
        item = session
            .ask_value("codeAction/resolve", &item, cancellation)
            .await?;
    }
    let mut changes = match item.get("edit") {
        Some(edit) => proposed(edit)?,
        None => Vec::new(),
    };
    // An action holds a command; or it is one, with its name as a text.
    let command = match item.get("command") {
        Some(Value::Object(command)) => Some(
            json!({ "command": command.get("command"), "arguments": command.get("arguments") }),
        ),
        Some(Value::String(command)) => {
            Some(json!({ "command": command, "arguments": item.get("arguments") }))
        }
        _ => None,
    };
    if let Some(params) = command.filter(|_| changes.is_empty()) {
        let name = params.get("command").and_then(Value::as_str);
        if !name.is_some_and(|name| PROPOSING.contains(&name)) {
            return Err(may_do_more(name.unwrap_or_default()));
        }
        session.server_state.collect_edits();
        let done = session
            .ask_value("workspace/executeCommand", &params, cancellation)
            .await;
        let collected = session.server_state.collected();
        check_done(done, !collected.is_empty())?;
        for edit in &collected {
            changes.extend(proposed(edit)?);
        }
    }
    check_versions(session, &changes, "textDocument/codeAction").await?;
    Ok(changes)
}

/// What the end of a command says of what it proposed. "Method not found" is about what the command asked this client
/// behind its change, such as to let a user name what was extracted: the server has listed the command itself.
fn check_done(done: Result<Value, RequestError>, has_proposed: bool) -> Result<(), RequestError> {
    match done {
        Err(RequestError::Refused { method, error })
            if error.code == ResponseError::METHOD_NOT_FOUND =>
        {
            if has_proposed {
                return Ok(());
            }
            let error = ResponseError::new(ResponseError::REQUEST_FAILED, error.message);
            Err(RequestError::Refused { method, error })
        }
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}

/// Refuses changes to another version of a file than the one that was sent: their places may fit it by accident. Of files
/// that are not open a version says nothing.
async fn check_versions(
    session: &ServerSession,
    changes: &[ProposedChange],
    method: &str,
) -> Result<(), RequestError> {
    for change in changes {
        let ProposedChange::Text {
            path,
            version: Some(version),
            ..
        } = change
        else {
            continue;
        };
        let sent = session.version_of(path).await.map(i64::from);
        if let Some(sent) = sent.filter(|sent| sent != version) {
            let file = path.display();
            let fault = format!(
                "it changes version {version} of `{file}`, and version {sent} was sent. Call again in a moment"
            );
            let method = method.to_owned();
            return Err(RequestError::Malformed { method, fault });
        }
    }
    Ok(())
}
