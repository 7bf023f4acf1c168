//! Judges what a call says it will touch.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use compact_str::CompactString;
use tenon_contract::{Access, Effect, Operation, PathClaim, posix_path};
use tenon_programs::Catalogue;
use tenon_shell::{ShellKind, has_other_language, shell_kind};

use crate::commands::resolve::KnownDirectories;
use crate::decision::{Cause, Exact, Judgement, PartDecision, PartKind, Why};
use crate::paths::{ClaimPlaces, Root};
use crate::rule::{Kind, Pattern, Rule};
use crate::rules::{RuleSet, User};
use crate::verdict::{DefaultMode, Verdict};

/// One call, as far as policy sees it.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// What it does.
    pub operation: Operation,
    /// The trace that it leaves.
    pub effect: Effect,
    /// The name of the tool; rules on tools of hosts and MCP servers compare it.
    pub tool: &'a str,
    /// What it will touch.
    pub access: &'a Access,
}

/// Decides from what a call states. Pure and total: the same question gives the same answer.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(crate) rules: Arc<RuleSet>,
    pub(crate) mode: DefaultMode,
    pub(crate) root: PathBuf,
    /// The root, for comparison.
    pub(crate) compared_root: Root,
    pub(crate) shell: ShellKind,
    /// The shell that runs commands, where its language is not one that is read.
    pub(crate) unread_shell: Option<String>,
    pub(crate) trusts_system_directories: bool,
    /// What names of commands can begin with.
    pub(crate) directories: KnownDirectories,
    /// Whether commands may write to the directories for temporary files where all files may be written.
    pub(crate) trusts_temporary: bool,
    /// Which programs are known.
    pub(crate) catalogue: Catalogue,
    /// The same with what may only make a decision stricter.
    pub(crate) untrusted: Option<Catalogue>,
}

/// Why a file is asked about whose name begins with a dash.
pub(crate) fn like_an_option(path: &str) -> String {
    format!(
        "The name of `{path}` begins with `-`: a program that is given `*` there takes it for an option. Choose another name."
    )
}

impl Engine {
    /// An engine over these rules for the workspace at this absolute directory. Commands are taken to be run by bash.
    #[must_use]
    pub fn new(
        rules: impl Into<Arc<RuleSet>>,
        mode: DefaultMode,
        root: impl Into<PathBuf>,
    ) -> Self {
        let root = posix_path(&root.into()).into_owned();
        Self {
            rules: rules.into(),
            mode,
            compared_root: Root::new(&root),
            directories: KnownDirectories::of(&root),
            root,
            shell: ShellKind::Bash,
            unread_shell: None,
            trusts_system_directories: false,
            trusts_temporary: true,
            catalogue: Catalogue::BUILT_IN,
            untrusted: None,
        }
    }

    /// The absolute home directory of commands, for `~/name`.
    #[must_use]
    pub fn with_home(mut self, home: Option<PathBuf>) -> Self {
        self.directories = self.directories.with_home(home.as_deref());
        self
    }

    /// The absolute directories of the system for temporary files, links followed. Commands may write there where all files
    /// may be written.
    #[must_use]
    pub fn with_temporary_directories(mut self, directories: Vec<PathBuf>) -> Self {
        self.directories = self.directories.with_temporary(directories);
        self
    }

    /// The directories for temporary files, as far as commands may write there.
    pub(crate) fn temporary(&self) -> &[PathBuf] {
        match self.trusts_temporary {
            true => self.directories.temporary(),
            false => &[],
        }
    }

    /// Which programs are known. With `untrusted` every command is judged twice, with each of them, and the stricter decision
    /// holds: it has rows that may only make stricter.
    #[must_use]
    pub fn with_catalogue(mut self, catalogue: Catalogue, untrusted: Option<Catalogue>) -> Self {
        self.catalogue = catalogue;
        self.untrusted = untrusted;
        self
    }

    /// Which programs are known, with those of files that are not trusted.
    pub(crate) fn all_programs(&self) -> &Catalogue {
        self.untrusted.as_ref().unwrap_or(&self.catalogue)
    }

    /// The shell that runs commands. Its reading must succeed; the findings of every reading count.
    #[must_use]
    pub fn with_shell(mut self, shell: ShellKind) -> Self {
        self.shell = shell;
        self
    }

    /// The program that runs commands, by its path: one that is not known counts as any POSIX shell.
    #[must_use]
    pub fn with_shell_program(self, program: &Path) -> Self {
        let kind = match program.file_name().and_then(OsStr::to_str) {
            Some("busybox") => Some(ShellKind::Dash),
            name => name.and_then(shell_kind),
        };
        // `PowerShell.exe`
        let stem = program.file_stem().and_then(OsStr::to_str);
        let stem = stem.map(str::to_ascii_lowercase);
        self.with_shell(kind.unwrap_or(ShellKind::Posix))
            .with_unread_shell(stem.filter(|name| has_other_language(name)))
    }

    /// The shell that runs commands, where it speaks another language than POSIX shells do, such as PowerShell: what it makes of
    /// a text is not known, so that no rule allows it. Rules that deny still hold for what a POSIX shell would run.
    #[must_use]
    pub fn with_unread_shell(mut self, shell: Option<String>) -> Self {
        self.unread_shell = shell;
        self
    }

    /// Whether a rule on `git` also allows `/bin/git` and `/usr/bin/git` (docs/policy.md, "What a rule on a command allows"). Default: no.
    #[must_use]
    pub fn with_system_directories(mut self, trusted: bool) -> Self {
        self.trusts_system_directories = trusted;
        self
    }

    /// Whether nothing was restricted: no rules, and everything is allowed. Commands then run unasked, whatever
    /// they say; there is no consent that they could evade.
    pub(crate) fn is_unrestricted(&self) -> bool {
        self.mode == DefaultMode::Allow && self.rules.is_empty()
    }

    /// Whether any rule could keep a file from being read.
    #[must_use]
    pub fn may_hide(&self) -> bool {
        let mut strict = self
            .rules
            .of(Verdict::Deny)
            .chain(self.rules.of(Verdict::Ask));
        strict.any(|rule| matches!(rule.pattern, Pattern::Path(_)))
    }

    /// Whether rules keep this file from being read, so that a search must leave it out of its results (docs/policy.md, "Rules").
    #[must_use]
    pub fn hides(&self, operation: Operation, tool: &str, claim: &PathClaim) -> bool {
        self.hiding(operation, tool, claim).is_some()
    }

    /// The number of the first rule that does, for [`hiding_rule`](Self::hiding_rule).
    #[must_use]
    pub fn hiding(&self, operation: Operation, tool: &str, claim: &PathClaim) -> Option<usize> {
        self.hiding_place(
            User {
                operation,
                tool,
                arguments: &[],
            },
            &ClaimPlaces::new(claim, &self.compared_root),
        )
    }

    /// Whether rules keep a file below the workspace root from being read, by clean names that lead over no link.
    #[must_use]
    pub fn hides_below(&self, operation: Operation, tool: &str, names: &str) -> bool {
        self.hiding_below(operation, tool, names).is_some()
    }

    /// The number of the first rule that does.
    #[must_use]
    pub fn hiding_below(&self, operation: Operation, tool: &str, names: &str) -> Option<usize> {
        self.hiding_place(
            User {
                operation,
                tool,
                arguments: &[],
            },
            &ClaimPlaces::below(names, &self.compared_root),
        )
    }

    fn hiding_place(&self, user: User<'_>, places: &ClaimPlaces<'_>) -> Option<usize> {
        self.strict_rules().position(|rule| {
            rule.glob().is_some_and(|glob| {
                rule.binds_file(Kind::Read, places, user)
                    && places.either(|place| glob.matches_name(place))
            })
        })
    }

    /// The rule of this number as it was written, and whether it denies; otherwise it requires approval.
    #[must_use]
    pub fn hiding_rule(&self, number: usize) -> Option<(&str, bool)> {
        let rule = self.strict_rules().nth(number)?;
        Some((&rule.text.rule, rule.list == Verdict::Deny))
    }

    fn strict_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules
            .of(Verdict::Deny)
            .chain(self.rules.of(Verdict::Ask))
    }

    /// The hosts that deny rules keep every tool of the web from, as lists of hosts have them: `example.com`, and
    /// `*.example.com` for those below it.
    #[must_use]
    pub fn denied_hosts(&self) -> Vec<String> {
        let denied = self.rules.of(Verdict::Deny);
        let patterns = denied.filter(|rule| rule.binds(Kind::Host));
        patterns
            .filter_map(|rule| match &rule.pattern {
                Pattern::Host(host) => Some(host.bound()),
                _ => None,
            })
            .flatten()
            .collect()
    }

    /// The decision on one file that is used by this call.
    pub(crate) fn file<'e>(
        &'e self,
        kind: Kind,
        claim: &PathClaim,
        user: User<'_>,
        dangerous: bool,
        judgement: &mut Judgement<'e>,
    ) -> PartDecision {
        let places = ClaimPlaces::new(claim, &self.compared_root);
        let bound = self.file_rules(kind, &places, user, judgement);
        self.file_part(kind, &claim.name, user.operation, dangerous, &bound)
    }

    /// What decides on the use of a file; notes the rules that match.
    pub(crate) fn file_rules<'e>(
        &'e self,
        kind: Kind,
        places: &ClaimPlaces<'_>,
        user: User<'_>,
        judgement: &mut Judgement<'e>,
    ) -> FileRules<'e> {
        let mut strict: Option<&'e Rule> = None;
        for rule in self.rules.strict_on(places) {
            if rule.binds_file(kind, places, user) {
                judgement.matched(rule);
                if strict.is_none_or(|known| known.list < rule.list) {
                    strict = Some(rule);
                }
            }
        }
        let mut allow = self.rules.allowing_on(places);
        let allowing = allow.find(|rule| rule.allows_file(kind, places, user));
        if let Some(rule) = allowing {
            judgement.matched(rule);
        }
        let writes = matches!(kind, Kind::Write | Kind::Delete);
        FileRules {
            strict,
            allowing,
            protected: writes.then(|| places.protected()).flatten(),
            is_option: kind == Kind::Write && places.is_option(),
        }
    }

    /// The part for the use of a file on which this decides.
    pub(crate) fn file_part(
        &self,
        kind: Kind,
        path: &str,
        operation: Operation,
        dangerous: bool,
        bound: &FileRules<'_>,
    ) -> PartDecision {
        let part = part_kind(kind);
        let mut decided = self.weigh(part, path, bound.strict, bound.allowing, dangerous);
        match bound.protected {
            Some(name) if decided.verdict == Verdict::Allow => {
                decided.verdict = Verdict::Ask;
                let reason = format!(
                    "`{path}` is protected (`{name}`): it can run code or change settings."
                );
                let rule = Some(Cause::Setting(format!("protected: {name}")));
                decided.why = Why::Sentence(Box::new((reason, rule)));
            }
            Some(name) if decided.verdict == Verdict::Ask && decided.why == Why::Mode => {
                let reason = format!(
                    "`{path}` is protected (`{name}`): it can run code or change settings."
                );
                decided = decided.in_words(reason);
            }
            Some(_) => {}
            None if bound.is_option && decided.verdict == Verdict::Allow => {
                decided.verdict = Verdict::Ask;
                decided.why = Why::sentence(like_an_option(path));
            }
            None if bound.is_option => {}
            None if can_be_said(path) => {
                decided.exact = Exact::Path(rule_name(kind, operation));
            }
            None => {}
        }
        decided.may_remember = decided.exact.is_some();
        decided
    }

    /// Strict rules first, then what allows, then the mode (docs/policy.md, "The verdict").
    pub(crate) fn weigh(
        &self,
        kind: PartKind,
        subject: impl Into<CompactString>,
        strict: Option<&Rule>,
        allowing: Option<&Rule>,
        dangerous: bool,
    ) -> PartDecision {
        match strict.or(allowing) {
            Some(rule) => {
                PartDecision::new(kind, subject, rule.list, Why::Rule(Arc::clone(&rule.text)))
            }
            None => PartDecision::new(kind, subject, self.mode.verdict(dangerous), Why::Mode),
        }
    }
}

/// What decides on the use of a file.
pub(crate) struct FileRules<'e> {
    /// The strictest rule that denies or asks.
    pub(crate) strict: Option<&'e Rule>,
    /// A rule that allows.
    pub(crate) allowing: Option<&'e Rule>,
    /// The protected name on the way to a file that is changed or removed.
    pub(crate) protected: Option<&'static str>,
    /// Whether the name of a file that is written begins as an option does.
    pub(crate) is_option: bool,
}

const fn part_kind(kind: Kind) -> PartKind {
    match kind {
        Kind::Write => PartKind::Write,
        Kind::Delete => PartKind::Delete,
        Kind::Host => PartKind::Host,
        Kind::Name => PartKind::Name,
        Kind::Command => PartKind::Command,
        Kind::Read => PartKind::Read,
        Kind::None => PartKind::Tool,
    }
}

/// The name under which a rule on this use is written.
pub(crate) const fn rule_name(kind: Kind, operation: Operation) -> &'static str {
    match (kind, operation) {
        (Kind::Host, Operation::WebRequest) => "web_request",
        (Kind::Host, Operation::Browser) => "browser",
        (Kind::Host, _) => "WebFetch",
        (Kind::Name, Operation::Task | Operation::SessionsSpawn) => "Task",
        (Kind::Name, Operation::SessionsSend) => "Session",
        (Kind::Name, Operation::Cron) => "Cron",
        (Kind::Name, Operation::Message) => "Message",
        (Kind::Name, _) => "Skill",
        (Kind::Delete, Operation::Delete) => "delete",
        (Kind::Write | Kind::Delete, _) => "Edit",
        _ => "Read",
    }
}

/// Whether a pattern can say exactly this path.
fn can_be_said(name: &str) -> bool {
    let climbs = name.contains("..")
        && Path::new(name)
            .components()
            .any(|part| part == std::path::Component::ParentDir);
    !name.starts_with('~') && !climbs
}

#[cfg(test)]
mod tests;
