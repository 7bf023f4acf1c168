//! Questions to the host that wait for an answer: one way for all the parts that the host supplies.
//!
//! A request goes out over the channel with the name of the part that is asked ([`Callback`]), and its
//! answer comes back by its number. Partial answers may come before. Anyone who gives up waiting drops
//! the future; the host is then informed that nobody wants the answer any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_contract::{CancellationToken, ErrorCode, ToolError};
use tokio::sync::oneshot;

use crate::envelope::Parts;
use crate::message::{Message, Wire};

/// The part of the host that is asked; `js/host-requests.js` has a function for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callback {
    /// `onApproval`.
    Approve,
    /// Checks the parameters of a tool of the host.
    Check,
    /// What a tool of the host wants to have asked before it runs.
    Question,
    /// Runs a tool of the host.
    Run,
    /// `host.askUser`.
    AskUser,
    /// `host.runAgent`.
    RunAgent,
    /// What a running agent receives meanwhile.
    RunMessage,
    /// `host.onSessionEvent`.
    SessionEvent,
    /// `host.sendMessage`.
    SendMessage,
    /// `host.channels`.
    Channels,
    /// `host.onCron`.
    OnCron,
    /// `host.summarise`.
    Summarise,
    /// `host.showCanvas`.
    ShowCanvas,
    /// `host.browser`.
    Browser,
    /// `web.search.provider`, where it is a function.
    Search,
    /// `web.fetch.resolve`.
    Resolve,
    /// `session.store`, where it is an object.
    Store,
    /// What MCP servers ask and report.
    Mcp,
    /// The functions of `hooks`.
    Hooks,
    /// The search of that store, where it has one.
    StoreSearch,
    /// The watch of that store, where it has one.
    StoreWatch,
}

impl Callback {
    const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Check => "check",
            Self::Question => "question",
            Self::Run => "run",
            Self::AskUser => "askUser",
            Self::RunAgent => "runAgent",
            Self::RunMessage => "runMessage",
            Self::SessionEvent => "onSessionEvent",
            Self::SendMessage => "sendMessage",
            Self::Channels => "channels",
            Self::OnCron => "onCron",
            Self::Summarise => "summarise",
            Self::ShowCanvas => "showCanvas",
            Self::Browser => "browser",
            Self::Search => "search",
            Self::Resolve => "resolve",
            Self::Store => "store",
            Self::StoreSearch => "storeSearch",
            Self::StoreWatch => "storeWatch",
            Self::Mcp => "mcp",
            Self::Hooks => "hooks",
        }
    }
}

impl Callback {
    /// The same of one request: an agent that works in the background, that nobody waits for, or whose own time limit ends
    /// it keeps no call waiting.
    pub(crate) fn is_endless_for(self, has_limit: bool, request: &serde_json::Value) -> bool {
        let has_own_limit =
            request.get("timeoutMs").is_some() || request.pointer("/budget/wallMs").is_some();
        let is_waited_for = request.get("ticket").is_some_and(|ticket| ticket != 0)
            && request.get("background").is_none_or(|it| it != true);
        self.is_endless(has_limit || has_own_limit) && is_waited_for
    }

    /// Whether no time limit ends the wait: a user or another agent answers. The limit that the host has set for
    /// every call holds for questions and agents as well.
    pub(crate) const fn is_endless(self, has_limit: bool) -> bool {
        match self {
            Self::Approve | Self::Check | Self::Question => true,
            Self::AskUser | Self::RunAgent => !has_limit,
            // A call waits for it, and has its own limit.
            Self::Mcp => false,
            Self::Run
            | Self::RunMessage
            | Self::SessionEvent
            | Self::OnCron
            | Self::SendMessage
            | Self::Channels
            | Self::Summarise
            | Self::ShowCanvas
            | Self::Browser
            | Self::Search
            | Self::Resolve
            | Self::Store
            | Self::StoreSearch
            | Self::StoreWatch
            | Self::Hooks => false,
        }
    }
}

/// What the host says.
pub struct Reply {
    /// Whether it is an answer, not a failure.
    pub is_ok: bool,
    /// The answer, or why there is none.
    pub json: String,
    /// What goes to the model.
    pub content: Parts,
}

type OnProgress = Arc<dyn Fn(Reply) + Send + Sync>;

/// The requests of one toolkit that wait.
#[derive(Clone)]
pub(crate) struct HostRequests {
    channel: Arc<dyn Wire>,
    /// Whether the host has set a time limit for every call.
    has_limit: bool,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    last: u32,
    waiting: HashMap<u32, Waiting>,
}

struct Waiting {
    answer: oneshot::Sender<Reply>,
    on_progress: Option<OnProgress>,
}

impl HostRequests {
    /// HostRequests that go out over `channel`.
    pub(crate) fn new(channel: Arc<dyn Wire>, has_limit: bool) -> Self {
        Self {
            channel,
            has_limit,
            open: Arc::default(),
        }
    }

    /// Asks and waits.
    ///
    /// # Errors
    /// When nobody can answer any more.
    pub(crate) async fn ask(
        &self,
        port: Callback,
        json: String,
        on_progress: Option<OnProgress>,
    ) -> Result<Reply, ToolError> {
        let is_endless = port.is_endless(self.has_limit);
        self.ask_until(port, json, on_progress, is_endless, None)
            .await
    }

    /// Asks and waits, also after the host was asked to end.
    ///
    /// # Errors
    /// When nobody can answer any more.
    pub(crate) async fn ask_until(
        &self,
        port: Callback,
        json: String,
        on_progress: Option<OnProgress>,
        is_endless: bool,
        end: Option<CancellationToken>,
    ) -> Result<Reply, ToolError> {
        let gone = || {
            let message = "The host is shutting down.";
            ToolError::new(ErrorCode::Cancelled, message)
        };
        let (mut question, answer) = self.open(on_progress);
        let message = Message::request(question.number, port.name(), json, is_endless);
        if !self.channel.send(message) {
            question.is_open = false;
            return Err(gone());
        }
        let mut answer = answer;
        let reply = match &end {
            None => answer.await,
            Some(end) => tokio::select! {
                reply = &mut answer => reply,
                () = end.cancelled() => {
                    self.channel.send(Message::withdrawn(question.number));
                    answer.await
                }
            },
        };
        let reply = reply.map_err(|_| gone())?;
        question.is_open = false;
        Ok(reply)
    }

    /// Asks for partial answers, until what is returned is dropped. Nothing when nobody can answer any more.
    pub(crate) fn subscribe(
        &self,
        port: Callback,
        json: String,
        on_progress: OnProgress,
    ) -> Option<Subscription> {
        let (number, _) = self.enter(Some(on_progress));
        let subscription = Subscription {
            requests: self.clone(),
            number,
        };
        let message = Message::request(number, port.name(), json, false);
        self.channel.send(message).then_some(subscription)
    }

    /// Whether the host has set a time limit for every call.
    pub(crate) fn has_limit(&self) -> bool {
        self.has_limit
    }

    /// Hands in an answer. One that nobody waits for any more is passed over.
    pub(crate) fn answer(&self, number: u32, reply: Reply) {
        let waiting = self.lock().waiting.remove(&number);
        if let Some(waiting) = waiting {
            // The call may have been aborted meanwhile; then nobody is left to inform.
            let _ = waiting.answer.send(reply);
        }
    }

    /// Hands in a partial answer.
    pub(crate) fn progress(&self, number: u32, reply: Reply) {
        let listener = self
            .lock()
            .waiting
            .get(&number)
            .and_then(|waiting| waiting.on_progress.clone());
        if let Some(listener) = listener {
            listener(reply);
        }
    }

    fn open(&self, on_progress: Option<OnProgress>) -> (Question<'_>, oneshot::Receiver<Reply>) {
        let (number, receiver) = self.enter(on_progress);
        let question = Question {
            requests: self,
            number,
            is_open: true,
        };
        (question, receiver)
    }

    /// A number for a request.
    fn enter(&self, on_progress: Option<OnProgress>) -> (u32, oneshot::Receiver<Reply>) {
        let (answer, receiver) = oneshot::channel();
        let mut open = self.lock();
        loop {
            open.last = open.last.wrapping_add(1);
            if !open.waiting.contains_key(&open.last) {
                break;
            }
        }
        let number = open.last;
        let waiting = Waiting {
            answer,
            on_progress,
        };
        open.waiting.insert(number, waiting);
        (number, receiver)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request whose partial answers somebody wants; dropped, it is taken back.
pub(crate) struct Subscription {
    requests: HostRequests,
    number: u32,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.requests.lock().waiting.remove(&self.number);
        self.requests.channel.send(Message::withdrawn(self.number));
    }
}

/// A request on its way; dropped before its answer came, it is taken back.
struct Question<'r> {
    requests: &'r HostRequests,
    number: u32,
    is_open: bool,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        self.requests.lock().waiting.remove(&self.number);
        if self.is_open {
            self.requests.channel.send(Message::withdrawn(self.number));
        }
    }
}
