//! Which tools exist at all: a profile, then an allow list, then a deny list that always wins.

mod tool_name;

use std::collections::BTreeMap;

use serde::Deserialize;
use tenon_contract::{Group, Operation};

use self::tool_name::ForeignName;
pub(crate) use self::tool_name::plain;

/// A named starting set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Only the state of the session.
    Minimal,
    /// Files, search, language servers, commands and sessions.
    Coding,
    /// Messages and sessions.
    Messaging,
    /// Everything.
    #[default]
    Full,
}

impl Profile {
    fn includes(self, operation: Operation) -> bool {
        match self {
            Self::Full => true,
            Self::Minimal => operation == Operation::SessionStatus,
            Self::Coding => matches!(
                operation.group(),
                Group::Fs
                    | Group::Search
                    | Group::Lsp
                    | Group::Runtime
                    | Group::Sessions
                    | Group::Status
            ),
            Self::Messaging => matches!(
                operation.group(),
                Group::Messaging | Group::Sessions | Group::Status
            ),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Coding => "coding",
            Self::Messaging => "messaging",
            Self::Full => "full",
        }
    }
}

/// The lists as a host writes them: names of tools in any spelling, or `group:name`.
#[derive(Debug, Clone, Default)]
pub struct ExposureLists {
    /// The set to start from.
    pub profile: Profile,
    /// Only these of the profile; empty means all of it.
    pub allow: Vec<String>,
    /// None of these, whatever else is said.
    pub deny: Vec<String>,
    /// The host's own groups: name to members, which may be groups again.
    pub groups: BTreeMap<String, Vec<String>>,
}

/// Why the lists cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExposureError {
    /// A `group:` that neither tenon nor the host defines.
    #[error(
        "Unknown group `{entry}` in `tools.{list}`. Available: {known}, and those of `tools.groups`."
    )]
    UnknownGroup {
        /// The entry.
        entry: String,
        /// Which list.
        list: &'static str,
        /// Names of the built-in groups.
        known: String,
    },
    /// Groups that contain each other.
    #[error("The group `{0}` in `tools.groups` contains itself. Remove the cycle.")]
    Circular(String),
    /// An entry without text.
    #[error("An entry of `tools.{0}` is empty. Write the name of a tool or `group:name`.")]
    Empty(&'static str),
}

/// Compiled lists.
#[derive(Debug, Clone)]
pub struct Exposure {
    profile: Profile,
    allow: Vec<(String, Member)>,
    deny: Vec<(String, Member)>,
    /// Lists that may only take tools away, each with a profile of its own.
    narrower: Vec<Self>,
}

/// One thing an entry stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Member {
    Operation(Operation),
    Group(Group),
    /// A name that only the host knows (a custom or MCP tool).
    Name(ForeignName),
}

/// An entry that names nothing that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName<'a> {
    /// Which list it is in: `allow` or `deny`.
    pub list: &'static str,
    /// As the host wrote it; a group of the host where the name is a member of one.
    pub entry: &'a str,
    /// The name itself.
    pub name: &'a str,
}

/// Why a tool is not exposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The entry or profile that keeps it out, as the host wrote it.
    pub rule: String,
}

/// How a spelling is resolved to an operation.
pub type Resolver<'a> = &'a dyn Fn(&str) -> Option<Operation>;

/// How an entry begins that names a group.
const GROUP: &str = "group:";

const GROUPS: [Group; 13] = [
    Group::Fs,
    Group::Search,
    Group::Runtime,
    Group::Web,
    Group::Sessions,
    Group::Status,
    Group::Messaging,
    Group::Lsp,
    Group::Git,
    Group::Planning,
    Group::Automation,
    Group::Ui,
    Group::Foreign,
];

/// The names of the built-in groups, without `group:`.
#[must_use]
pub fn group_names() -> [&'static str; 13] {
    GROUPS.map(Group::name)
}

/// The built-in group of this name.
pub(crate) fn group_named(name: &str) -> Option<Group> {
    GROUPS
        .into_iter()
        .find(|known| plain(known.name()) == plain(name))
}

impl Exposure {
    /// Compiles the lists. `resolve` knows the aliases of every dialect.
    ///
    /// # Errors
    /// Unknown or circular groups, empty entries: nothing is dropped in silence.
    pub fn new(lists: &ExposureLists, resolve: Resolver<'_>) -> Result<Self, ExposureError> {
        let compile = |entries: &[String], list| {
            let mut members = Vec::new();
            for entry in entries {
                expand(
                    entry,
                    entry,
                    list,
                    lists,
                    resolve,
                    &mut Vec::new(),
                    &mut members,
                )?;
            }
            Ok(members)
        };
        Ok(Self {
            profile: lists.profile,
            allow: compile(&lists.allow, "allow")?,
            deny: compile(&lists.deny, "deny")?,
            narrower: Vec::new(),
        })
    }

    /// The same without the tools that other lists, compiled by themselves, do not expose.
    #[must_use]
    pub fn narrowed_by(mut self, other: Self) -> Self {
        self.narrower.push(other);
        self
    }

    /// The entries that name neither a tool of a vocabulary, nor a group, nor one of `known` (tools of the host), nor a
    /// tool of an MCP server. Such an entry of the deny list denies nothing.
    pub fn unknown<'a>(&'a self, known: &'a [String]) -> impl Iterator<Item = UnknownName<'a>> {
        let all = std::iter::once(self).chain(&self.narrower);
        let lists = all.flat_map(|one| [("allow", &one.allow), ("deny", &one.deny)]);
        lists.flat_map(move |(list, members)| {
            members.iter().filter_map(move |(entry, member)| {
                let Member::Name(own) = member else {
                    return None;
                };
                let is_known = own.plain == "*"
                    || own.is_of_server()
                    || known.iter().any(|name| own.means(name));
                let name = own.written.as_str();
                (!is_known).then_some(UnknownName { list, entry, name })
            })
        })
    }

    /// Why the tool `name`, which does `operation`, is not exposed; nothing when it is.
    #[must_use]
    pub fn refusal(&self, name: &str, operation: Operation) -> Option<Refusal> {
        self.refusal_of_any(name, &[operation])
    }

    /// The entry of the deny list that keeps the tool `name` out; nothing when none does. For tools that the host has
    /// asked for by name, whatever its profile and its allow list say of the rest.
    #[must_use]
    pub fn denial(&self, name: &str, operation: Operation) -> Option<Refusal> {
        self.denial_of_any(name, &[operation])
    }

    /// Why the tool `name` of the host is not exposed, whose name means `meant` to everybody else; nothing when it is.
    #[must_use]
    pub fn refusal_of_foreign(&self, name: &str, meant: Option<Operation>) -> Option<Refusal> {
        match meant {
            Some(meant) => self.refusal_of_any(name, &[Operation::Foreign, meant]),
            None => self.refusal(name, Operation::Foreign),
        }
    }

    /// The entry of the deny list that names this operation or its group.
    #[must_use]
    pub fn denied(&self, operation: Operation) -> Option<&str> {
        let names = |member: &Member| match member {
            Member::Operation(own) => *own == operation,
            Member::Group(group) => operation.group() == *group,
            Member::Name(_) => false,
        };
        let entry = self.deny.iter().find(|(_, member)| names(member));
        let narrower = || self.narrower.iter().find_map(|one| one.denied(operation));
        entry.map(|(entry, _)| entry.as_str()).or_else(narrower)
    }

    fn denial_of_any(&self, name: &str, readings: &[Operation]) -> Option<Refusal> {
        let denied = self.deny.iter().find(|(_, member)| {
            readings
                .iter()
                .any(|operation| member.covers(name, *operation) || member.closes(*operation))
        });
        denied.map(|(entry, _)| Refusal {
            rule: format!("tools.deny: {entry}"),
        })
    }

    /// The first of the readings of a tool is what it is.
    fn refusal_of_any(&self, name: &str, readings: &[Operation]) -> Option<Refusal> {
        let denied = self.denial_of_any(name, readings);
        if denied.is_some() {
            return denied;
        }
        let listed = || {
            self.allow.iter().any(|(_, member)| {
                readings
                    .iter()
                    .any(|operation| member.covers(name, *operation))
            })
        };
        let own = readings.first().copied().unwrap_or(Operation::Foreign);
        // No profile but `full` knows what a host brings; it is shown beside one where the host names it.
        let named = own == Operation::Foreign && listed();
        if !named && !self.profile.includes(own) {
            return Some(Refusal {
                rule: format!("tools.profile: {}", self.profile.name()),
            });
        }
        if !self.allow.is_empty() && !listed() {
            return Some(Refusal {
                rule: "tools.allow".to_owned(),
            });
        }
        let mut narrower = self.narrower.iter();
        narrower.find_map(|one| one.refusal_of_any(name, readings))
    }

    /// Whether a tool is exposed of which only the name is known, in any dialect's spelling. A name that no dialect
    /// has is that of a tool of the host or of an MCP server.
    #[must_use]
    pub fn allows(&self, name: &str, resolve: Resolver<'_>) -> bool {
        let operation = resolve(name).unwrap_or(Operation::Foreign);
        self.refusal(name, operation).is_none()
    }
}

fn expand(
    entry: &str,
    origin: &str,
    list: &'static str,
    lists: &ExposureLists,
    resolve: Resolver<'_>,
    open: &mut Vec<String>,
    members: &mut Vec<(String, Member)>,
) -> Result<(), ExposureError> {
    let entry = entry.trim();
    if entry.is_empty() {
        return Err(ExposureError::Empty(list));
    }
    let Some(group) = entry
        .split_at_checked(GROUP.len())
        .filter(|(start, _)| start.eq_ignore_ascii_case(GROUP))
        .map(|(_, name)| name)
    else {
        // A tool of the host is meant by its name: they are all one operation.
        let member = resolve(entry)
            .filter(|operation| *operation != Operation::Foreign)
            .map_or_else(|| Member::Name(ForeignName::new(entry)), Member::Operation);
        members.push((origin.to_owned(), member));
        return Ok(());
    };
    if let Some(own) = lists.groups.get(group) {
        if open.iter().any(|name| name == group) {
            return Err(ExposureError::Circular(group.to_owned()));
        }
        open.push(group.to_owned());
        for member in own {
            expand(member, origin, list, lists, resolve, open, members)?;
        }
        open.pop();
        return Ok(());
    }
    let Some(known) = group_named(group) else {
        let known = GROUPS
            .map(|group| format!("`group:{}`", group.name()))
            .join(", ");
        return Err(ExposureError::UnknownGroup {
            entry: entry.to_owned(),
            list,
            known,
        });
    };
    members.push((origin.to_owned(), Member::Group(known)));
    Ok(())
}

impl Member {
    fn covers(&self, name: &str, operation: Operation) -> bool {
        match self {
            Self::Operation(own) => *own == operation,
            Self::Group(group) => operation.group() == *group,
            Self::Name(own) => own.means(name),
        }
    }

    /// Denying to write also denies every other way of changing a file's content.
    fn closes(&self, operation: Operation) -> bool {
        let writes = matches!(
            operation,
            Operation::Edit | Operation::Patch | Operation::NotebookEdit
        );
        *self == Self::Operation(Operation::Write) && writes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(name: &str) -> Option<Operation> {
        match name {
            "bash" => Some(Operation::Execute),
            _ => Operation::from_name(name),
        }
    }

    fn exposed(lists: &ExposureLists) -> Vec<&'static str> {
        let exposure = Exposure::new(lists, &resolve).unwrap();
        let tools = [
            Operation::Read,
            Operation::Write,
            Operation::Patch,
            Operation::Grep,
            Operation::Execute,
            Operation::SessionStatus,
        ];
        tools
            .into_iter()
            .filter(|tool| exposure.refusal(tool.name(), *tool).is_none())
            .map(Operation::name)
            .collect()
    }

    fn lists(profile: Profile, allow: &[&str], deny: &[&str]) -> ExposureLists {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        ExposureLists {
            profile,
            allow: owned(allow),
            deny: owned(deny),
            groups: BTreeMap::new(),
        }
    }

    #[test]
    fn an_empty_allow_list_means_all_of_the_profile() {
        assert_eq!(
            exposed(&lists(Profile::Coding, &[], &[])),
            [
                "read",
                "write",
                "patch",
                "grep",
                "execute",
                "session_status"
            ]
        );
        assert_eq!(
            exposed(&lists(Profile::Minimal, &[], &[])),
            ["session_status"]
        );
    }

    #[test]
    fn a_profile_knows_no_tool_of_the_host_unless_the_host_names_it() {
        let allows = |lists: &ExposureLists, name: &str| {
            Exposure::new(lists, &resolve)
                .unwrap()
                .allows(name, &resolve)
        };
        let full = lists(Profile::Full, &[], &[]);
        assert!(allows(&full, "deploy") && allows(&full, "mcp__github__push"));
        let coding = lists(Profile::Coding, &[], &[]);
        assert!(allows(&coding, "bash") && !allows(&coding, "deploy"));
        let named = lists(
            Profile::Coding,
            &["Group:FS", "de-ploy", "mcp__github__*"],
            &[],
        );
        assert!(allows(&named, "Deploy") && allows(&named, "mcp__github__push"));
        assert!(!allows(&named, "mcp__other__push") && !allows(&named, "bash"));
        // What the profile leaves out of our own does not come back by a list.
        let minimal = lists(Profile::Minimal, &["read", "deploy"], &[]);
        assert!(!allows(&minimal, "read") && allows(&minimal, "deploy"));
    }

    #[test]
    fn deny_wins_over_allow_in_every_spelling() {
        assert_eq!(
            exposed(&lists(Profile::Full, &["read", "bash"], &["execute"])),
            ["read"]
        );
    }

    #[test]
    fn denying_write_closes_the_other_ways_to_write() {
        assert_eq!(
            exposed(&lists(Profile::Full, &["group:fs"], &["write"])),
            ["read"]
        );
    }

    #[test]
    fn own_groups_may_name_groups_but_not_themselves() {
        let mut own = lists(Profile::Full, &["group:looking"], &[]);
        own.groups
            .insert("looking".into(), vec!["read".into(), "group:search".into()]);
        assert_eq!(exposed(&own), ["read", "grep"]);
        own.groups
            .insert("looking".into(), vec!["group:looking".into()]);
        assert_eq!(
            Exposure::new(&own, &resolve).unwrap_err(),
            ExposureError::Circular("looking".into())
        );
    }

    #[test]
    fn an_unknown_group_is_an_error_and_an_unknown_name_a_foreign_tool() {
        let error =
            Exposure::new(&lists(Profile::Full, &[], &["group:nope"]), &resolve).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("Unknown group `group:nope` in `tools.deny`. Available: `group:fs`"),
            "{error}"
        );
        let exposure =
            Exposure::new(&lists(Profile::Full, &[], &["mcp__github__*"]), &resolve).unwrap();
        assert!(
            exposure
                .refusal("mcp__github__push", Operation::Foreign)
                .is_some()
        );
        assert!(
            exposure
                .refusal("mcp__gitlab__push", Operation::Foreign)
                .is_none()
        );
    }

    #[test]
    fn a_server_is_named_with_all_its_tools_and_no_other_server() {
        for entry in ["mcp__git", "MCP__Git", "mcp__git__*", "mcp__g-it"] {
            let denied = Exposure::new(&lists(Profile::Full, &[], &[entry]), &resolve).unwrap();
            let allowed = Exposure::new(&lists(Profile::Full, &[entry], &[]), &resolve).unwrap();
            for (name, means) in [
                ("mcp__git__push", true),
                ("mcp__GIT__push__all", true),
                ("mcp__github__push", false),
                ("mcp__gi__tpush", false),
                ("mcp__other__git", false),
            ] {
                let is_denied = denied.refusal(name, Operation::Foreign).is_some();
                let is_allowed = allowed.refusal(name, Operation::Foreign).is_none();
                assert_eq!((is_denied, is_allowed), (means, means), "{entry}, {name}");
            }
        }
    }

    #[test]
    fn a_list_that_names_one_tool_of_the_host_does_not_mean_the_others() {
        let meaning = |name: &str| match name {
            "deploy" | "report" => Some(Operation::Foreign),
            _ => resolve(name),
        };
        let denied = Exposure::new(&lists(Profile::Full, &[], &["deploy"]), &meaning).unwrap();
        assert!(denied.refusal("deploy", Operation::Foreign).is_some());
        assert_eq!(denied.refusal("report", Operation::Foreign), None);
        let allowed = Exposure::new(&lists(Profile::Full, &["deploy"], &[]), &meaning).unwrap();
        assert_eq!(allowed.refusal("deploy", Operation::Foreign), None);
        assert!(allowed.refusal("report", Operation::Foreign).is_some());
    }

    #[test]
    fn names_of_nothing_that_is_known_are_reported() {
        let mut lists = lists(
            Profile::Full,
            &["read", "group:own", "deploy"],
            &["nosuch", "bash", "group:fs", "mcp__github__*", "rep*", "*"],
        );
        lists
            .groups
            .insert("own".into(), vec!["grep".into(), "gerp".into()]);
        let exposure = Exposure::new(&lists, &resolve).unwrap();
        let known = ["Deploy".to_owned(), "report".to_owned()];
        let unknown: Vec<_> = exposure
            .unknown(&known)
            .map(|unknown| (unknown.list, unknown.entry, unknown.name))
            .collect();
        assert_eq!(
            unknown,
            [("allow", "group:own", "gerp"), ("deny", "nosuch", "nosuch")]
        );
    }

    #[test]
    fn a_tool_of_the_host_is_bound_by_what_its_name_means() {
        let refusal = |allow: &[&str], deny: &[&str], name: &str, meant| {
            let exposure = Exposure::new(&lists(Profile::Full, allow, deny), &resolve).unwrap();
            let refusal = exposure.refusal_of_foreign(name, meant);
            refusal.map(|refusal| refusal.rule)
        };
        let grep = Some(Operation::Grep);
        assert_eq!(refusal(&[], &[], "deploy", None), None);
        assert_eq!(refusal(&[], &[], "grep", grep), None);
        assert_eq!(
            refusal(&[], &["grep"], "grep", grep),
            Some("tools.deny: grep".to_owned())
        );
        assert_eq!(
            refusal(&[], &["deploy"], "De_ploy", None),
            Some("tools.deny: deploy".to_owned())
        );
        assert_eq!(
            refusal(&["read"], &[], "deploy", None),
            Some("tools.allow".to_owned())
        );
        assert_eq!(refusal(&["deploy"], &[], "deploy", None), None);
        assert_eq!(refusal(&["group:foreign"], &[], "deploy", None), None);
        assert_eq!(refusal(&["grep"], &[], "grep", grep), None);
    }
}
