//! What a call will touch, stated before it runs.
//!
//! Policy, approval previews, locks, history and telemetry all read this one statement; none of
//! them knows a tool. It is a claim *at a time*: the workspace checks containment again, on the
//! very handle it uses, when the call runs.

use std::any::Any;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Weak};

use crate::{ErrorCode, ToolError};

/// Everything that one call will read, write, delete, run and call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Files and directories whose content the call looks at.
    pub reads: Vec<PathClaim>,
    /// Files that the call creates or changes.
    pub writes: Vec<PathClaim>,
    /// Files that the call removes.
    pub deletes: Vec<PathClaim>,
    /// Command lines that the call hands to a shell.
    pub commands: Vec<CommandClaim>,
    /// Hosts that the call connects to.
    pub hosts: Vec<HostClaim>,
    /// What the call uses by its name alone: a skill, a sub-agent.
    pub names: Vec<String>,
    /// What rules may call it as well, where it has several names.
    pub also_named: Vec<String>,
    /// What a tool of an MCP server is called with, for rules on its arguments.
    pub arguments: Vec<ArgumentClaim>,
    /// What the call says to people outside.
    pub message: Option<MessageClaim>,
    /// What the call types into commands that run.
    pub inputs: Vec<InputClaim>,
    /// Commands of this toolkit, running or over, that the call looks after: each was judged before
    /// it was started.
    pub sessions: Vec<String>,
}

impl Access {
    /// A call that only reads `path`.
    #[must_use]
    pub fn reading(path: PathClaim) -> Self {
        Self {
            reads: vec![path],
            ..Self::default()
        }
    }

    /// A call that creates or changes `path`.
    #[must_use]
    pub fn writing(path: PathClaim) -> Self {
        Self {
            writes: vec![path],
            ..Self::default()
        }
    }

    /// A call that looks at `path` and changes it.
    #[must_use]
    pub fn changing(path: PathClaim) -> Self {
        Self {
            reads: vec![path.clone()],
            ..Self::writing(path)
        }
    }

    /// A call that removes `path`.
    #[must_use]
    pub fn deleting(path: PathClaim) -> Self {
        Self {
            deletes: vec![path],
            ..Self::default()
        }
    }

    /// A call that connects to `host`.
    #[must_use]
    pub fn connecting(host: HostClaim) -> Self {
        Self {
            hosts: vec![host],
            ..Self::default()
        }
    }

    /// A call that uses a skill or a sub-agent.
    #[must_use]
    pub fn using(name: impl Into<String>) -> Self {
        Self {
            names: vec![name.into()],
            ..Self::default()
        }
    }

    /// Whether the call touches nothing that rules are about.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The paths that must not be changed by two calls at once.
    pub fn changed(&self) -> impl Iterator<Item = &PathClaim> {
        self.writes.iter().chain(&self.deletes)
    }
}

/// One top-level argument of a call, as rules compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentClaim {
    /// Its name.
    pub name: String,
    /// Its value as a text; of a list every entry.
    pub values: Vec<String>,
    /// Whether that is all of it: an object, or a list with one in it, cannot be compared.
    pub is_whole: bool,
}

/// What a call says to people outside, whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageClaim {
    /// What is done: `send`, `edit`, `delete` or `react`.
    pub action: String,
    /// The channel.
    pub channel: String,
    /// Who gets it, as the channel knows them.
    pub target: Option<String>,
    /// Who gets it, as users know them.
    pub name: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// Which message is edited, removed or reacted to.
    pub message_id: Option<String>,
    /// The emoji of a reaction.
    pub emoji: Option<String>,
    /// The message that it replies to.
    pub reply_to: Option<String>,
    /// The thread that it goes into.
    pub thread_id: Option<String>,
    /// In how many parts it is sent.
    pub parts: usize,
    /// What goes with it, with sizes.
    pub media: Vec<String>,
}

/// One path, as it was named and as it resolves. A deny rule must match neither (docs/policy.md, "Rules").
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathClaim {
    /// As named: normalised, relative to the workspace root with `/` (absolute when it lies in an
    /// additional directory), links not followed.
    pub name: String,
    /// Absolute, every link followed as far as the path exists.
    pub target: PathBuf,
}

/// Which files the results of a call must leave out: a rule that keeps a file from being read also
/// keeps it out of searches and listings (docs/policy.md, "Rules").
pub trait Visibility: Send + Sync {
    /// Whether this file is kept back.
    fn hides(&self, file: &PathClaim) -> bool;

    /// The same for the file of this path below the workspace root `root`, which lists of directories lead to: it is clean, and
    /// no link is on the way. Searches ask it of every file that they see.
    fn hides_listed(&self, path: &str, root: &Path) -> bool {
        self.hides(&PathClaim {
            name: path.to_owned(),
            target: root.join(path),
        })
    }

    /// As [`hides_listed`](Self::hides_listed), with the number of the rule that keeps the file back, for
    /// [`rule`](Self::rule).
    fn hidden_by(&self, path: &str, root: &Path) -> Option<u8> {
        self.hides_listed(path, root).then_some(u8::MAX)
    }

    /// The rule of this number, and whether it denies; otherwise it requires approval.
    fn rule(&self, _number: u8) -> Option<(String, bool)> {
        None
    }

    /// By which rules [`hides_listed`](Self::hides_listed) answers, where the path alone decides. Nothing when it depends on
    /// what is on the disk.
    fn rules(&self) -> Option<RulesIdentity> {
        None
    }
}

/// Distinguishes the rules of one [`Visibility`] from those of another: equal ones answer the same for a path, always.
#[derive(Debug, Clone)]
pub struct RulesIdentity {
    /// Keeps the place in memory from being used for others, not the rules themselves.
    rules: Weak<dyn Any + Send + Sync>,
    user: String,
}

impl RulesIdentity {
    /// Of what `rules`, which never change, say about `user`.
    #[must_use]
    pub fn new(rules: &Arc<dyn Any + Send + Sync>, user: impl Into<String>) -> Self {
        Self {
            rules: Arc::downgrade(rules),
            user: user.into(),
        }
    }
}

impl PartialEq for RulesIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.rules.ptr_eq(&other.rules) && self.user == other.user
    }
}

impl Eq for RulesIdentity {}

/// The future of a [`RedirectPolicy`]'s answer.
pub type HopFuture<'a> = Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'a>>;

/// Decides whether a running call may go on to a host that nobody knew of when the call was judged, such as where a
/// redirect leads. May ask a user, so a call's own clock stops meanwhile.
pub trait RedirectPolicy: Send + Sync {
    /// Succeeds when the call may go from one host on to the other.
    ///
    /// # Errors
    /// The refusal, reported for the model.
    fn judge<'a>(&'a self, from: &'a HostClaim, to: &'a HostClaim) -> HopFuture<'a>;

    /// Succeeds when a page may open a document of this host, or send something there. Whether a rule or a user has
    /// named the host for that.
    ///
    /// # Errors
    /// The refusal, reported for the model. By default everything is refused.
    fn visit<'a>(&'a self, visit: &'a Visit) -> VisitFuture<'a> {
        let message = format!(
            "`{}` was not opened: nobody can decide about it.",
            visit.to.url
        );
        Box::pin(std::future::ready(Err(ToolError::new(
            ErrorCode::PolicyDenied,
            message,
        ))))
    }
}

/// The future of [`RedirectPolicy::visit`].
pub type VisitFuture<'a> = Pin<Box<dyn Future<Output = Result<bool, ToolError>> + Send + 'a>>;

/// A document that a page is about to open, or a request that it is about to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The page.
    pub from: HostClaim,
    /// Where it goes.
    pub to: HostClaim,
    /// Whether it sends something there that needs approval unless a rule allows the host.
    pub sends: bool,
    /// Whether that holds where nothing is restricted, too.
    pub is_strict: bool,
    /// Whether a user may be asked: a call waits for it.
    pub may_ask: bool,
}

/// One command line before it is given to a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandClaim {
    /// The text, unchanged.
    pub text: String,
    /// The directory it starts in.
    pub directory: PathClaim,
    /// The environment variables that the call itself sets.
    pub environment: Vec<GivenVariable>,
}

/// An environment variable that a call gives its command.
#[derive(Clone, PartialEq, Eq)]
pub struct GivenVariable {
    /// Its name.
    pub name: String,
    /// Its value, which policy judges like one that a text sets, and which is shown nowhere.
    pub value: String,
}

impl GivenVariable {
    /// A variable with this value.
    #[must_use]
    pub fn new(name: &str, value: &str) -> Self {
        Self {
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }

    /// Whether the value is of no consequence, as [`is_plain_value`](crate::variables::is_plain_value) says: a compiler by
    /// its plain name.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        crate::variables::is_plain_value(&self.name, &self.value)
    }
}

/// Values can be secrets, and messages of errors print claims.
impl std::fmt::Debug for GivenVariable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("GivenVariable")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Something that is typed into a command that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputClaim {
    /// The command, as it was judged before it was started.
    pub command: CommandClaim,
    /// What is typed, control characters included.
    pub text: String,
}

/// One host that will be connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostClaim {
    /// Lower-case name or literal address, without a trailing dot.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The address as the caller gave it.
    pub url: String,
}
