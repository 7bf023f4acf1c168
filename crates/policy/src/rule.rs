//! One rule: `Tool` or `Tool(specifier)`, and after which sources it holds.

use std::sync::Arc;

mod unusual;

use serde::Serialize;
use tenon_contract::{Group, Operation};

use crate::argument_pattern::ArgumentPattern;
use crate::command_pattern::{CommandPattern, Width};
use crate::exposure::{Resolver, group_named, plain};
use crate::glob::{GlobExtent, PathGlob};
use crate::host::HostPattern;
use crate::name_pattern::NamePattern;
use crate::small_letters::SmallLetters;
use crate::sources::{SourceSet, condition, without_condition};
use crate::verdict::Verdict;

/// A rule as a host or a settings file writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RuleText {
    /// `Tool` or `Tool(specifier)`, with a condition `Tool after network, mcp`.
    pub rule: String,
    /// Why it exists; shown with every decision that it makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// Calls that it must match: commands, paths or hosts, as the rule's specifier takes them. Verified at load.
    #[serde(rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    /// Calls that it must not match. Verified at load.
    #[serde(rename = "noMatch", skip_serializing_if = "Vec::is_empty")]
    pub no_matches: Vec<String>,
}

impl From<&str> for RuleText {
    fn from(rule: &str) -> Self {
        Self {
            rule: rule.to_owned(),
            ..Self::default()
        }
    }
}

/// Why a rule cannot be used. Nothing is dropped in silence (docs/policy.md, "Rules").
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Invalid rule in `permissions.{list}[{index}]`: `{rule}` {problem}{}.", place(*.at))]
pub struct RuleError {
    /// The list: `deny`, `ask` or `allow`.
    pub list: &'static str,
    /// Its place in the list, from 0.
    pub index: usize,
    /// The rule as it was written.
    pub rule: String,
    /// Offset of the fault in the rule, in bytes.
    pub at: usize,
    /// What is wrong with it, and what to write instead.
    pub problem: String,
}

fn place(at: usize) -> String {
    if at == 0 {
        String::new()
    } else {
        format!(" (byte {at} of the rule)")
    }
}

/// A compiled rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) text: Arc<RuleText>,
    pub(crate) list: Verdict,
    pub(crate) index: usize,
    pub(crate) subject: Subject,
    pub(crate) pattern: Pattern,
    /// It holds once text of one of these was read; always where there is none.
    pub(crate) after: SourceSet,
    /// The kinds of use that the subject binds, one bit each.
    kinds: u8,
    /// Its pattern for disks that ignore case.
    pub(crate) small_letters: SmallLetters,
}

/// Which tools a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// `*`
    Every,
    /// `NetworkWrite`: tools that send something to other machines.
    NetworkWrite,
    /// `OutsideWrite`: changes of files outside the workspace directory, by any program or tool.
    OutsideWrite,
    /// An operation, in any spelling.
    Operation(Operation),
    /// `group:fs`
    Group(Group),
    /// A tool that only the host knows; with a star at the end a prefix. In lower case without separators.
    Foreign(String),
    /// A tool of a server in a rule that allows, as it is written; with a star at the end a prefix.
    Exactly(String),
}

/// What the specifier says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// None, or `*`.
    Any,
    Path(PathGlob),
    Command(CommandPattern),
    Host(HostPattern),
    Name(NamePattern),
    /// What a tool of an MCP server is called with.
    Arguments(ArgumentPattern),
}

/// What kind of specifier a tool takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Read,
    Write,
    Delete,
    Command,
    Host,
    /// The name of a skill or a sub-agent.
    Name,
    None,
}

impl Kind {
    const ALL: [Self; 7] = [
        Self::Read,
        Self::Write,
        Self::Delete,
        Self::Command,
        Self::Host,
        Self::Name,
        Self::None,
    ];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// What kind of specifier rules on an operation take.
pub(crate) const fn kind_of(operation: Operation) -> Kind {
    match operation {
        Operation::Read
        | Operation::List
        | Operation::Find
        | Operation::Grep
        | Operation::GitStatus
        | Operation::Lsp
        | Operation::Diagnostics => Kind::Read,
        Operation::Write | Operation::Edit | Operation::Patch | Operation::NotebookEdit => {
            Kind::Write
        }
        Operation::Delete => Kind::Delete,
        Operation::Execute => Kind::Command,
        Operation::WebFetch | Operation::WebRequest | Operation::Browser => Kind::Host,
        Operation::Skill
        | Operation::Task
        | Operation::SessionsSpawn
        | Operation::SessionsSend
        | Operation::Cron
        | Operation::Message => Kind::Name,
        _ => Kind::None,
    }
}

type Fault = (usize, String);

impl Rule {
    /// Compiles one entry of a list.
    pub(crate) fn new(
        text: &RuleText,
        list: Verdict,
        index: usize,
        resolve: Resolver<'_>,
    ) -> Result<Self, RuleError> {
        parse(&text.rule, list, resolve)
            .map(|(subject, pattern, after)| Self {
                after,
                text: Arc::new(text.clone()),
                list,
                index,
                kinds: subject.kinds(),
                small_letters: SmallLetters::default(),
                subject,
                pattern,
            })
            .map_err(|(at, problem)| RuleError {
                list: list.name(),
                index,
                rule: text.rule.clone(),
                at,
                problem,
            })
    }

    /// Whether the rule binds a use of this kind, by any program or tool.
    pub(crate) const fn binds(&self, kind: Kind) -> bool {
        self.kinds & kind.bit() != 0
    }

    /// What stands in its parentheses.
    pub(crate) fn specifier(&self) -> Option<&str> {
        let (bare, _) = without_condition(&self.text.rule);
        bare.split_once('(')?.1.strip_suffix(')')
    }
}

fn parse(
    rule: &str,
    list: Verdict,
    resolve: Resolver<'_>,
) -> Result<(Subject, Pattern, SourceSet), Fault> {
    if rule.is_empty() {
        return Err((0, "is empty. Write `Tool` or `Tool(specifier)`".to_owned()));
    }
    unusual::hidden(rule)?;
    let (bare, at) = without_condition(rule);
    let after = match at {
        None => SourceSet::NONE,
        Some(at) if list == Verdict::Allow => {
            return Err((
                at,
                "has a condition, which is only for `deny` and `ask`: nothing that was read before allows more. Remove ` after …`".to_owned(),
            ));
        }
        Some(at) => condition(rule.get(at..).unwrap_or_default(), at)?,
    };
    let (subject, pattern) = parse_bare(bare, list, resolve)?;
    Ok((subject, pattern, after))
}

/// The rule without its condition.
fn parse_bare(
    rule: &str,
    list: Verdict,
    resolve: Resolver<'_>,
) -> Result<(Subject, Pattern), Fault> {
    let fault = |at: usize, problem: &str| Err((at, problem.to_owned()));
    let (name, specifier) = match rule.split_once('(') {
        None => (rule, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(specifier) => (name, Some((name.len() + 1, specifier))),
            None => {
                return fault(
                    name.len(),
                    "has a `(` whose `)` is not its last character. Write `Tool(specifier)`",
                );
            }
        },
    };
    if let Some(at) = name.find(|letter: char| letter == ')' || letter.is_whitespace()) {
        return fault(
            at,
            "has a space or a `)` in the tool name. Write `Tool` or `Tool(specifier)`",
        );
    }
    let mut subject = subject(name, resolve)?;
    if list == Verdict::Allow && matches!(subject, Subject::NetworkWrite | Subject::OutsideWrite) {
        return fault(
            0,
            "is only for `deny` and `ask`. Allow the tools, paths or hosts by their names",
        );
    }
    if let Subject::Foreign(own) = &subject
        && list == Verdict::Allow
        && own.starts_with("mcp__")
    {
        // A server may have tools whose names differ only in case: what allows one allows no other.
        let rest = own
            .strip_prefix(&name.to_ascii_lowercase())
            .unwrap_or_default();
        subject = Subject::Exactly(format!("{name}{rest}"));
    }
    let pattern = match specifier {
        None => Pattern::Any,
        Some((at, "")) => {
            return fault(
                at,
                "has an empty specifier. Remove the parentheses to match every call",
            );
        }
        Some((_, "*")) => Pattern::Any,
        Some((at, specifier)) => {
            pattern(&subject, specifier, list).map_err(|(place, problem)| (at + place, problem))?
        }
    };
    Ok((subject, pattern))
}

fn subject(name: &str, resolve: Resolver<'_>) -> Result<Subject, Fault> {
    if name == "*" {
        return Ok(Subject::Every);
    }
    match name {
        "NetworkWrite" => return Ok(Subject::NetworkWrite),
        "OutsideWrite" => return Ok(Subject::OutsideWrite),
        _ => {}
    }
    if let Some(group) = name.strip_prefix("group:") {
        return group_named(group)
            .map(Subject::Group)
            .ok_or_else(|| (6, "names an unknown group. Available: `group:fs`, `group:search`, `group:runtime`, `group:web` and the other built-in groups".to_owned()));
    }
    if name.to_ascii_lowercase().starts_with("mcp__") {
        return foreign(name);
    }
    if let Some(at) = name.find('*') {
        return Err((
            at,
            "has a `*` in the tool name. Only `*` alone and `mcp__server__*` are supported"
                .to_owned(),
        ));
    }
    match resolve(name) {
        Some(Operation::Foreign) => Ok(Subject::Foreign(plain(name))),
        Some(operation) => Ok(Subject::Operation(operation)),
        None => Err((
            0,
            format!(
                "names the unknown tool `{name}`. Write the name of a tool in any dialect, or `mcp__server__tool`"
            ),
        )),
    }
}

/// `mcp__server`, `mcp__server__tool`, `mcp__server__*`, `mcp__*`.
fn foreign(name: &str) -> Result<Subject, Fault> {
    let rest = name.get(5..).unwrap_or_default();
    let (server, tool) = rest
        .split_once("__")
        .map_or((rest, None), |(server, tool)| (server, Some(tool)));
    if server.is_empty() || tool == Some("") {
        return Err((
            5,
            "does not name a tool of an MCP server. Write `mcp__server__tool` or `mcp__server__*`"
                .to_owned(),
        ));
    }
    let starred = |part: &str| part.strip_suffix('*').unwrap_or(part).contains('*');
    if starred(server) || tool.is_some_and(starred) || (server.ends_with('*') && tool.is_some()) {
        return Err((
            5,
            "has a `*` that is not its last character. Write `mcp__server__*`".to_owned(),
        ));
    }
    // The two underscores stay: `mcp__a__*` must not cover the server `ab`.
    let name = name.to_ascii_lowercase();
    Ok(Subject::Foreign(
        if tool.is_none() && !name.ends_with('*') {
            format!("{name}__*")
        } else {
            name
        },
    ))
}

fn pattern(subject: &Subject, specifier: &str, list: Verdict) -> Result<Pattern, Fault> {
    if let Subject::Foreign(name) | Subject::Exactly(name) = subject
        && name.starts_with("mcp__")
    {
        return ArgumentPattern::new(specifier)
            .map(Pattern::Arguments)
            .map_err(|error| (error.at, error.problem));
    }
    let kind = match subject {
        Subject::Operation(operation) => kind_of(*operation),
        Subject::Group(Group::Search) => Kind::Read,
        Subject::Group(Group::Web) => Kind::Host,
        Subject::Every
        | Subject::NetworkWrite
        | Subject::OutsideWrite
        | Subject::Group(_)
        | Subject::Foreign(_)
        | Subject::Exactly(_) => Kind::None,
    };
    match kind {
        Kind::Read | Kind::Write | Kind::Delete => {
            unusual::path(specifier)?;
            let reach = if list == Verdict::Allow { GlobExtent::Narrow } else { GlobExtent::Wide };
            PathGlob::new(specifier, reach).map(Pattern::Path).map_err(|error| (error.at, error.problem))
        }
        Kind::Command => {
            unusual::command(specifier)?;
            let width = if list == Verdict::Allow { Width::Narrow } else { Width::Wide };
            CommandPattern::new(specifier, width).map(Pattern::Command).map_err(|error| (error.at, error.problem))
        }
        Kind::Host => match specifier.strip_prefix("domain:") {
            Some(host) => HostPattern::new(host)
                .map(Pattern::Host)
                .map_err(|error| (error.at + 7, error.problem.to_owned())),
            None => Err((0, "has a specifier without `domain:`. Write for example `WebFetch(domain:example.com)`".to_owned())),
        },
        Kind::Name => NamePattern::new(specifier)
            .map(Pattern::Name)
            .map_err(|error| (error.at, error.problem.to_owned())),
        Kind::None => Err((0, "has a specifier, which this tool does not take. Remove the parentheses".to_owned())),
    }
}

/// The operation for which rules on agents are written, whichever of both ways starts one.
const fn agent(operation: Operation) -> Operation {
    match operation {
        Operation::SessionsSpawn => Operation::Task,
        operation => operation,
    }
}

impl Subject {
    /// Whether the rule is about this tool itself.
    pub(crate) fn names(&self, operation: Operation, tool: &str) -> bool {
        match self {
            Self::Every => true,
            // They are about what a call does, and not about which tool does it.
            Self::NetworkWrite | Self::OutsideWrite => false,
            // To start an agent and to start it and wait are one thing.
            Self::Operation(own) => agent(*own) == agent(operation),
            Self::Group(group) => operation.group() == *group,
            Self::Foreign(_) | Self::Exactly(_) if operation != Operation::Foreign => false,
            Self::Exactly(own) => match own.strip_suffix('*') {
                Some(prefix) => tool.starts_with(prefix),
                None => tool == own,
            },
            Self::Foreign(own) => {
                let tool = if own.starts_with("mcp__") {
                    tool.to_ascii_lowercase()
                } else {
                    plain(tool)
                };
                match own.strip_suffix('*') {
                    Some(prefix) => tool.starts_with(prefix),
                    None => tool == *own,
                }
            }
        }
    }

    /// The kinds of use that a rule on this subject binds.
    fn kinds(&self) -> u8 {
        Kind::ALL
            .into_iter()
            .filter(|kind| self.binds(*kind))
            .fold(0, |kinds, kind| kinds | kind.bit())
    }

    /// Whether a rule on this subject binds a use of this kind, by any program or tool (docs/policy.md, "Rules").
    fn binds(&self, kind: Kind) -> bool {
        let covers = |operation: Operation| match kind {
            // A file that may not be read may not be found in other ways either.
            Kind::Read => operation == Operation::Read,
            Kind::Write => kind_of(operation) == Kind::Write,
            Kind::Delete => matches!(kind_of(operation), Kind::Write | Kind::Delete),
            Kind::Command => operation == Operation::Execute,
            Kind::Host => kind_of(operation) == Kind::Host,
            Kind::Name | Kind::None => false,
        };
        match self {
            Self::Every => true,
            Self::Operation(operation) => covers(*operation),
            Self::Group(group) => Operation::ALL
                .iter()
                .any(|operation| operation.group() == *group && covers(*operation)),
            Self::NetworkWrite | Self::OutsideWrite | Self::Foreign(_) | Self::Exactly(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(name: &str) -> Option<Operation> {
        match name {
            "Bash" => Some(Operation::Execute),
            "WebFetch" => Some(Operation::WebFetch),
            "own_tool" => Some(Operation::Foreign),
            "TodoWrite" => Some(Operation::TodoWrite),
            _ => Operation::from_name(&name.to_lowercase()),
        }
    }

    fn fault(rule: &str) -> String {
        Rule::new(&rule.into(), Verdict::Deny, 2, &resolve)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_rule_that_does_not_parse_says_where_and_what_to_write() {
        let faults: Vec<String> = [
            "",
            "Bsh(x)",
            "Bash(",
            "Bash()",
            "Bash (x)",
            "Bash(git:* push)",
            "Bash(git $x)",
            "Bash(* push)",
            "Read(a/../b)",
            "Read(a[b)",
            "WebFetch(example.com)",
            "WebFetch(domain:https://x.y)",
            "mcp__",
            "mcp__a__",
            "mcp__*__b",
            "Re*",
            "TodoWrite(x)",
            "Skill(a*b)",
            "group:nope",
            "Bash(x) ",
            "Bash(rm\u{200b}:*)",
            "Bash(rm\u{a0}x)",
            "Bash(rm:＊)",
            "Bash(ｒｍ:*)",
            "Re\u{200b}ad",
            "Read( .env )",
            "Read(.env )",
            "Read(!secrets/**)",
            "Read($HOME/x)",
            "Read(${HOME}/x)",
            "Read(file:///x)",
            "Read(secrets/＊)",
            "Bash after",
            "Bash after ",
            "Bash after webb",
            "Bash(git push:*) after network,",
            "Bash after network, Mcp",
            "Bash after mcp, mcp",
            "Bash after network mcp",
            "Bash()  after mcp",
            "NetworkWrite(x)",
            "OutsideWrite(a/**) after mcp",
        ]
        .into_iter()
        .map(fault)
        .collect();
        insta::assert_snapshot!(faults.join("\n"));
    }

    #[test]
    fn unusual_names_of_files_and_words_are_no_faults() {
        for rule in [
            "Read(app/routes/$id.tsx)",
            "Read($lib/x)",
            "Read(\\!important.md)",
            "Read(!(a|b).md)",
            "Read(日本語/（一）.md)",
            "Read(👩\u{200d}💻.md)",
            "Read(a b.md)",
            "Bash(git commit -m '修复：＊')",
            "Bash(./deploy.sh:*)",
        ] {
            let parsed = Rule::new(&rule.into(), Verdict::Deny, 0, &resolve);
            assert!(parsed.is_ok(), "{rule}: {parsed:?}");
        }
    }

    #[test]
    fn names_of_servers_are_compared_whole() {
        let rule = |text: &str| {
            Rule::new(&text.into(), Verdict::Deny, 0, &resolve)
                .unwrap()
                .subject
        };
        assert!(rule("mcp__git").names(Operation::Foreign, "mcp__git__push"));
        assert!(!rule("mcp__git").names(Operation::Foreign, "mcp__github__push"));
        assert!(rule("mcp__git__*").names(Operation::Foreign, "MCP__git__push"));
        let allow = |text: &str| {
            Rule::new(&text.into(), Verdict::Allow, 0, &resolve)
                .unwrap()
                .subject
        };
        assert!(allow("mcp__Git__push").names(Operation::Foreign, "mcp__Git__push"));
        assert!(!allow("mcp__git__push").names(Operation::Foreign, "mcp__git__PUSH"));
        assert!(allow("mcp__git").names(Operation::Foreign, "mcp__git__PUSH"));
        assert!(!allow("mcp__git").names(Operation::Foreign, "mcp__Git__push"));
        assert!(allow("mcp__git__*").names(Operation::Foreign, "mcp__git__push"));
        assert!(rule("own_tool").names(Operation::Foreign, "ownTool"));
        assert!(!rule("own_tool").names(Operation::Read, "read"));
    }
}
