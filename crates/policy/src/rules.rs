//! All rules of an agent, compiled and checked.

use tenon_contract::{ArgumentClaim, Operation, PathClaim};

use crate::command_index::CommandIndex;
use crate::command_pattern::{CommandPattern, Fit};
use crate::file_index::FileIndex;
use crate::glob::{PathGlob, Segment};
use crate::paths::ClaimPlaces;
use crate::rule::{Kind, Pattern, Rule, RuleText, Subject, kind_of};
use crate::verdict::{DefaultMode, Verdict};

/// The lists as a host or a settings file writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// Never, and nobody can change that.
    pub deny: Vec<RuleText>,
    /// Ask the user, even where an allow rule matches.
    pub ask: Vec<RuleText>,
    /// Without asking.
    pub allow: Vec<RuleText>,
    /// What holds where no rule matches. `None` chooses by [`Permissions::mode`].
    pub default_mode: Option<DefaultMode>,
}

impl Permissions {
    /// What holds where no rule matches: what was given; else `ask` as soon as something is
    /// allowed; else with an approver `ask` for what is dangerous; else `allow`.
    #[must_use]
    pub fn mode(&self, has_approver: bool) -> DefaultMode {
        match self.default_mode {
            Some(mode) => mode,
            None if !self.allow.is_empty() => DefaultMode::Ask,
            None if has_approver => DefaultMode::AskIfDangerous,
            None => DefaultMode::Allow,
        }
    }
}

/// What deny and ask rules are about.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bounds {
    /// Whether some are on commands.
    pub(crate) commands: bool,
    /// Whether some are on files.
    pub(crate) files: bool,
    /// Whether some are on hosts.
    pub(crate) hosts: bool,
    /// Those that name a file to run, by their places.
    pub(crate) scripts: Vec<usize>,
}

/// Compiled rules. Their order never matters.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    pub(crate) rules: Vec<Rule>,
    /// Deny and ask rules on commands, by the name of the command.
    pub(crate) strict: CommandIndex,
    /// Allow rules on commands, by the name of the command.
    pub(crate) allowing: CommandIndex,
    /// Deny and ask rules on files.
    pub(crate) files_strict: FileIndex,
    /// Allow rules on files.
    pub(crate) files_allowing: FileIndex,
    /// Whether a deny or ask rule names a file without a pattern.
    pub(crate) names_files: bool,
    pub(crate) bounds: Bounds,
}

impl RuleSet {
    /// Whether there is no rule at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The deny rules that can match a command, then the ask rules.
    pub(crate) fn strict_on_commands(&self) -> impl Iterator<Item = &Rule> {
        let places = self.strict.all().iter();
        places.filter_map(|place| self.rules.get(*place))
    }

    /// The deny rules that can bind a file, then the ask rules.
    pub(crate) fn strict_on_files(&self) -> impl Iterator<Item = &Rule> {
        let places = self.files_strict.all().iter();
        places.filter_map(|place| self.rules.get(*place))
    }

    /// Whether the rule at this place is one of [`Self::strict_on_files`].
    pub(crate) fn is_strict_on_files(&self, place: usize) -> bool {
        self.files_strict.all().binary_search(&place).is_ok()
    }

    /// Those of [`Self::strict_on_files`] that can bind this one.
    pub(crate) fn strict_on(&self, places: &ClaimPlaces<'_>) -> impl Iterator<Item = &Rule> {
        let near = self.files_strict.near(places);
        near.filter_map(|place| self.rules.get(place))
    }

    /// The place of the first of [`Self::strict_on`] that is such a rule.
    pub(crate) fn strict_place(
        &self,
        places: &ClaimPlaces<'_>,
        test: impl Fn(&Rule) -> bool,
    ) -> Option<usize> {
        let mut near = self.files_strict.near(places);
        near.find(|place| self.rules.get(*place).is_some_and(&test))
    }

    /// The allow rules that can cover this file.
    pub(crate) fn allowing_on(&self, places: &ClaimPlaces<'_>) -> impl Iterator<Item = &Rule> {
        let near = self.files_allowing.near(places);
        near.filter_map(|place| self.rules.get(place))
    }

    pub(crate) fn of(&self, list: Verdict) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.list == list)
    }
}

/// Who uses a file, for the question which rules bind the use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct User<'a> {
    pub(crate) operation: Operation,
    pub(crate) tool: &'a str,
    /// What a tool of an MCP server is called with.
    pub(crate) arguments: &'a [ArgumentClaim],
}

impl Rule {
    /// What it says of commands.
    pub(crate) const fn command(&self) -> Option<&CommandPattern> {
        match &self.pattern {
            Pattern::Command(pattern) => Some(pattern),
            _ => None,
        }
    }

    /// What it says of files.
    pub(crate) const fn glob(&self) -> Option<&PathGlob> {
        match &self.pattern {
            Pattern::Path(glob) => Some(glob),
            _ => None,
        }
    }

    /// Whether a deny or ask rule binds this use of a file: by name or by target (docs/policy.md, "Rules").
    pub(crate) fn binds_file(&self, kind: Kind, places: &ClaimPlaces<'_>, user: User<'_>) -> bool {
        if self.subject == Subject::OutsideWrite {
            return matches!(kind, Kind::Write | Kind::Delete) && places.leads_out();
        }
        self.is_about(kind, user)
            && match &self.pattern {
                Pattern::Any => true,
                Pattern::Path(glob) => places.either(|place| glob.matches(place)),
                Pattern::Command(_)
                | Pattern::Host(_)
                | Pattern::Name(_)
                | Pattern::Arguments(_) => false,
            }
    }

    /// Whether it distinguishes files. A word of a program that is not known says nothing to a rule about all
    /// files: it might be one, whatever it is.
    pub(crate) fn names_files(&self) -> bool {
        matches!(&self.pattern, Pattern::Path(glob) if !glob.is_everything())
    }

    /// Whether every path that it is about has this name in it.
    pub(crate) fn lies_within(&self, name: &str) -> bool {
        match &self.pattern {
            Pattern::Path(glob) => glob.written_names().all(|names| names.contains(&name)),
            _ => false,
        }
    }

    /// Whether something below this directory may be bound.
    pub(crate) fn may_bind_below(&self, kind: Kind, places: &ClaimPlaces<'_>) -> bool {
        self.binds(kind)
            && match &self.pattern {
                Pattern::Any => true,
                Pattern::Path(glob) => places.either(|place| glob.may_match_below(place)),
                Pattern::Command(_)
                | Pattern::Host(_)
                | Pattern::Name(_)
                | Pattern::Arguments(_) => false,
            }
    }

    /// Whether it names a place by an absolute path that may lie below this directory.
    pub(crate) fn names_a_place_below(&self, kind: Kind, places: &ClaimPlaces<'_>) -> bool {
        let Pattern::Path(glob) = &self.pattern else {
            return false;
        };
        self.binds(kind) && places.either(|place| glob.may_match_anchored_below(place))
    }

    /// Whether a path of this form may be bound; no form means any path.
    pub(crate) fn may_bind_form(&self, kind: Kind, form: Option<&[Segment]>) -> bool {
        self.binds(kind)
            && match (&self.pattern, form) {
                (Pattern::Any, _) | (Pattern::Path(_), None) => true,
                (Pattern::Path(glob), Some([.., last @ Segment::Literal(_)]))
                    if self.is_about_a_file_name() =>
                {
                    glob.overlaps(std::slice::from_ref(last))
                }
                (Pattern::Path(glob), Some(form)) => glob.overlaps(form),
                (
                    Pattern::Command(_)
                    | Pattern::Host(_)
                    | Pattern::Name(_)
                    | Pattern::Arguments(_),
                    _,
                ) => false,
            }
    }

    /// Whether an allow rule on files covers every path of this form.
    pub(crate) fn covers_form(&self, kind: Kind, form: &[Segment]) -> bool {
        self.binds(kind)
            && match &self.pattern {
                Pattern::Any => true,
                Pattern::Path(glob) => glob.covers_form(form),
                Pattern::Command(_)
                | Pattern::Host(_)
                | Pattern::Name(_)
                | Pattern::Arguments(_) => false,
            }
    }

    /// Whether the rule is about files of a name, in whatever directory: `.env`, `.env.*`, `*.pem`.
    fn is_about_a_file_name(&self) -> bool {
        self.specifier().is_some_and(|name| {
            let ends = name.rsplit_once('.').is_some_and(|(before, ending)| {
                !before.is_empty() && !ending.is_empty() && !ending.contains(['*', '?', '[', '{'])
            });
            !name.contains('/') && (ends || name.starts_with(".env"))
        })
    }

    /// Whether an allow rule covers this use of a file: name and target both (docs/policy.md, "Rules").
    pub(crate) fn allows_file(&self, kind: Kind, places: &ClaimPlaces<'_>, user: User<'_>) -> bool {
        self.covers(kind, user)
            && match &self.pattern {
                Pattern::Any => true,
                Pattern::Path(glob) => places.both(|place| glob.matches(place)),
                Pattern::Arguments(pattern) => pattern.allows(user.arguments),
                Pattern::Command(_) | Pattern::Host(_) | Pattern::Name(_) => false,
            }
    }

    /// Whether a deny or ask rule is about a use of this kind by this user.
    pub(crate) fn is_about(&self, kind: Kind, user: User<'_>) -> bool {
        self.binds(kind)
            || (self.subject.names(user.operation, user.tool) && kind_of(user.operation) == kind)
    }

    /// Whether an allow rule may cover a use of this kind by this user: `Edit` covers all that edit, `Read` all
    /// that look at files, and never one the other.
    fn covers(&self, kind: Kind, user: User<'_>) -> bool {
        let used = kind_of(user.operation);
        if used == Kind::Command {
            // A redirection: that the command is allowed says nothing about its files.
            return self.binds(kind);
        }
        if self.subject.names(user.operation, user.tool) {
            return true;
        }
        match self.subject {
            // What an edit reads and removes belongs to the edit.
            Subject::Operation(own) => {
                (kind_of(own) == Kind::Write && used == Kind::Write)
                    || (own == Operation::Read && used == Kind::Read)
                    // The commands that tests are run by, and those that a process runs, are judged by themselves.
                    || (own == Operation::Read
                        && kind == Kind::Read
                        && matches!(user.operation, Operation::RunTests | Operation::Process))
            }
            Subject::Every
            | Subject::NetworkWrite
            | Subject::OutsideWrite
            | Subject::Group(_)
            | Subject::Foreign(_)
            | Subject::Exactly(_) => false,
        }
    }

    /// Whether a rule on this tool names what the call uses by its name. Rules without a name are about the tool.
    pub(crate) fn names_used(&self, name: &str, user: User<'_>) -> bool {
        self.subject.names(user.operation, user.tool)
            && matches!(&self.pattern, Pattern::Name(pattern) if pattern.matches(name))
    }

    pub(crate) fn binds_host(&self, host: Option<&str>, user: User<'_>) -> Fit {
        let about = self.binds(Kind::Host) || self.subject.names(user.operation, user.tool);
        match (&self.pattern, host) {
            _ if !about => Fit::No,
            (Pattern::Any, _) => Fit::Yes,
            (Pattern::Host(_), None) => Fit::Perhaps,
            (Pattern::Host(pattern), Some(host)) if pattern.binds(host) => Fit::Yes,
            _ => Fit::No,
        }
    }

    pub(crate) fn allows_host(&self, host: &str, user: User<'_>) -> bool {
        self.subject.names(user.operation, user.tool)
            && match &self.pattern {
                Pattern::Any => true,
                Pattern::Host(pattern) => pattern.allows(host),
                Pattern::Arguments(pattern) => pattern.allows(user.arguments),
                Pattern::Path(_) | Pattern::Command(_) | Pattern::Name(_) => false,
            }
    }
}

/// The claim of a path text that is given without a disk, as in the examples of a rule.
pub(crate) fn textual_claim(path: &str) -> PathClaim {
    PathClaim {
        name: path.to_owned(),
        target: crate::paths::within(std::path::Path::new("/"), path),
    }
}
