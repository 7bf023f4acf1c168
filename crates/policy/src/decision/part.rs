//! The verdict on one thing that a call does.

use std::borrow::Cow;
use std::sync::Arc;

use compact_str::CompactString;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use tenon_shell::{Word, Words};

use crate::rule::{Rule, RuleText};
use crate::verdict::Verdict;

/// The verdict on one thing that a call does.
///
/// Why it holds and which rule would stand for it is put into words when it is asked for: a text can have thousands of
/// parts, and of those that are allowed nobody reads the reasons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartDecision {
    /// What it does.
    pub kind: PartKind,
    /// What holds for it.
    pub verdict: Verdict,
    /// Whether an answer *always* may be remembered as the exact rule: never for opaque text, wrappers, interpreters
    /// (docs/policy.md, "Approvals").
    pub may_remember: bool,
    /// Whether the text gives it another directory, variables or input. An answer *always* is then remembered for the
    /// very call, not as a rule.
    pub is_bound: bool,
    pub(crate) subject: CompactString,
    pub(crate) why: Why,
    pub(crate) exact: Exact,
}

/// Why a verdict holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    /// This rule says so.
    Rule(Arc<RuleText>),
    /// No rule is about it: the default mode.
    Mode,
    /// A sentence that begins with the subject and continues with this.
    After(&'static str),
    /// It uses something of which it is not known what it runs: what kind of thing, and the word, where it is one.
    Uses(&'static str, Option<CompactString>),
    /// It uses this name, which the text gives another meaning.
    Redefined(CompactString),
    /// What is below the subject may be what this rule is about.
    Below(Arc<RuleText>, Verdict),
    /// The subject may be what this rule is about, and why that cannot be determined.
    MayBe(Arc<RuleText>, Verdict, &'static str),
    /// A sentence, and what is the cause.
    Sentence(Box<(String, Option<Cause>)>),
}

/// What of the settings is the cause of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    /// This rule of this list.
    Rule(Arc<RuleText>, Verdict),
    /// Something that is no rule of a list, by its name.
    Setting(String),
}

/// The rule that stands for exactly one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Exact {
    /// None can.
    None,
    /// One on a command of these words, which are all literal.
    Command(Words),
    /// One of this tool on the path that is the subject.
    Path(&'static str),
    /// This one.
    Rule(String),
}

impl Exact {
    pub(crate) fn is_some(&self) -> bool {
        *self != Self::None
    }
}

impl From<Option<String>> for Exact {
    fn from(rule: Option<String>) -> Self {
        rule.map_or(Self::None, Self::Rule)
    }
}

impl Why {
    /// A sentence without a rule.
    pub(crate) fn sentence(text: impl Into<String>) -> Self {
        Self::Sentence(Box::new((text.into(), None)))
    }

    /// A sentence about what a rule is the cause of.
    pub(crate) fn because_of(rule: &Rule, text: String) -> Self {
        let cause = Cause::Rule(Arc::clone(&rule.text), rule.list);
        Self::Sentence(Box::new((text, Some(cause))))
    }
}

impl PartDecision {
    /// A part for which no rule can stand.
    pub(crate) fn new(
        kind: PartKind,
        subject: impl Into<CompactString>,
        verdict: Verdict,
        why: Why,
    ) -> Self {
        Self {
            kind,
            verdict,
            may_remember: false,
            is_bound: false,
            subject: subject.into(),
            why,
            exact: Exact::None,
        }
    }

    /// The same for a reason of which more is known.
    pub(crate) fn in_words(mut self, reason: String) -> Self {
        let cause = self.cause();
        self.why = Why::Sentence(Box::new((reason, cause)));
        self
    }

    /// The same with a sentence about all of its subject, where the part shows only the beginning.
    pub(crate) fn about(self, subject: &str) -> Self {
        if self.subject == subject {
            return self;
        }
        let whole = Self {
            subject: subject.into(),
            ..self.clone()
        };
        self.in_words(whole.reason())
    }

    /// The command as it is written, the path, the host.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Why the verdict holds, in a sentence.
    #[must_use]
    pub fn reason(&self) -> String {
        let (what, subject) = (self.kind.words(), &self.subject);
        match &self.why {
            Why::Rule(rule) => rule_reason(rule, self.verdict, what, subject),
            Why::Mode => {
                let mode = match self.verdict {
                    Verdict::Allow => "allows it",
                    Verdict::Ask => "requires approval",
                    Verdict::Deny => "denies it",
                };
                format!("No rule matches {what} `{subject}`; the default mode {mode}.")
            }
            Why::After(rest) => format!("`{subject}`{rest}"),
            Why::Uses(what, None) => format!("`{subject}` uses {what}."),
            Why::Uses(what, Some(word)) => format!("`{subject}` uses `{word}`, {what}."),
            Why::Redefined(name) => {
                format!("`{subject}`: the text redefines `{name}`.")
            }
            Why::Below(rule, _) => format!(
                "`{}` is used with everything below it, which may contain files that the rule `{}` protects.",
                subject.strip_suffix("/**").unwrap_or(subject),
                rule.rule
            ),
            Why::MayBe(rule, _, why) => format!(
                "{} `{subject}` may match the rule `{}`: {why}.",
                crate::display::capital(what),
                rule.rule
            ),
            Why::Sentence(sentence) => sentence.0.clone(),
        }
    }

    /// The rule that decided, as it was written, else the setting that did.
    #[must_use]
    pub fn rule(&self) -> Option<String> {
        self.cause().map(|cause| match cause {
            Cause::Rule(rule, _) => rule.rule.clone(),
            Cause::Setting(name) => name,
        })
    }

    /// The list in which the rule that decided stands. Nothing where no rule did.
    #[must_use]
    pub fn list(&self) -> Option<Verdict> {
        match self.cause()? {
            Cause::Rule(_, list) => Some(list),
            Cause::Setting(_) => None,
        }
    }

    fn cause(&self) -> Option<Cause> {
        match &self.why {
            Why::Rule(rule) => Some(Cause::Rule(Arc::clone(rule), self.verdict)),
            Why::Below(rule, list) | Why::MayBe(rule, list, _) => {
                Some(Cause::Rule(Arc::clone(rule), *list))
            }
            Why::Mode => {
                let mode = format!("permissions.defaultMode: {}", self.verdict.name());
                Some(Cause::Setting(mode))
            }
            Why::After(_) | Why::Uses(..) | Why::Redefined(_) => None,
            Why::Sentence(sentence) => sentence.1.clone(),
        }
    }

    /// Whether nothing of the settings decided.
    pub(crate) fn is_free(&self) -> bool {
        match &self.why {
            Why::Rule(_) | Why::Below(..) | Why::MayBe(..) | Why::Mode => false,
            Why::After(_) | Why::Uses(..) | Why::Redefined(_) => true,
            Why::Sentence(sentence) => sentence.1.is_none(),
        }
    }

    /// The rule that stands for exactly this part. `None` where no rule can.
    #[must_use]
    pub fn exact_rule(&self) -> Option<String> {
        match &self.exact {
            Exact::None => None,
            Exact::Command(words) => Some(crate::rule_text::exact_command(
                words.iter().filter_map(Word::literal),
            )),
            Exact::Path(tool) => Some(crate::rule_text::exact_path(tool, &self.subject)),
            Exact::Rule(rule) => Some(rule.clone()),
        }
    }
}

/// What a rule of this list says, in a sentence.
fn rule_reason(rule: &RuleText, list: Verdict, what: &str, subject: &str) -> String {
    let (colon, because) = match &rule.because {
        Some(because) => (": ", because.as_str()),
        None => ("", ""),
    };
    let name = &rule.rule;
    let because = because.trim_end_matches('.');
    match list {
        Verdict::Allow => format!("Allowed by the rule `{name}`{colon}{because}."),
        Verdict::Ask => {
            let what = crate::display::capital(what);
            format!("{what} `{subject}` requires approval by the rule `{name}`{colon}{because}.")
        }
        Verdict::Deny => format!("Denied by the rule `{name}`{colon}{because}."),
    }
}

/// The verdict on one thing that a call does.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "PartDecision")]
struct PartView<'p> {
    /// What it does.
    kind: PartKind,
    /// The command as it is written, the path, the host.
    subject: &'p str,
    /// What holds for it.
    verdict: Verdict,
    /// Why.
    reason: Cow<'p, str>,
    /// The rule that decided, as it was written, else the setting that did.
    matched_rule: Option<String>,
    /// The list in which that rule stands. Missing where no rule decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Verdict>,
    /// The rule that stands for exactly this part. Missing where no rule can.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact_rule: Option<String>,
}

impl Serialize for PartDecision {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let view = PartView {
            kind: self.kind,
            subject: &self.subject,
            verdict: self.verdict,
            reason: self.reason().into(),
            matched_rule: self.rule(),
            list: self.list(),
            exact_rule: self.exact_rule(),
        };
        view.serialize(serializer)
    }
}

impl JsonSchema for PartDecision {
    fn schema_name() -> Cow<'static, str> {
        PartView::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        PartView::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        PartView::json_schema(generator)
    }
}

/// What a part does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// Uses the tool.
    Tool,
    /// Runs a simple command.
    Command,
    /// Reads a file or directory.
    Read,
    /// Creates or changes a file.
    Write,
    /// Removes a file or directory.
    Delete,
    /// Connects to a host.
    Host,
    /// Uses a skill or a sub-agent, by its name.
    Name,
    /// Sets a variable that can load or choose code.
    Variable,
    /// Changes the working directory.
    Directory,
    /// Something that cannot be determined from the text.
    Unclear,
}

impl PartKind {
    /// How a sentence names it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Tool => "the tool",
            Self::Command => "the command",
            Self::Read => "reading",
            Self::Write => "writing",
            Self::Delete => "deleting",
            Self::Host => "the host",
            Self::Name => "using",
            Self::Variable => "the variable",
            Self::Directory => "changing to",
            Self::Unclear => "the text",
        }
    }
}
