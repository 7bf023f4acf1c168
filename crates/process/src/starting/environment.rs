//! The environment of a command: an allow list, the host's rules, settings against prompts, and
//! what the call gives.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tenon_contract::limits;
use tenon_contract::variables::is_plain_value;

use crate::ProcessError;
use crate::starting::environment_table::{
    PASSED, SETTINGS, TERMINAL_SETTINGS, holds_a_password, listed, matches, names_a_secret,
    refused_in_calls,
};

/// The variable by which the processes of a command are found again. Descendants inherit it.
pub(crate) const MARK: &str = "TENON_COMMAND";

/// What the host wants changed about the environment of every command.
///
/// Without rules a command gets the variables that toolchains, locales and networks need; those
/// whose name contains KEY, TOKEN, SECRET, PASSWORD, PASSWD, PASSPHRASE or CREDENTIAL, and those
/// whose value is an address with a password, are removed. Patterns may hold `*` and are compared
/// ignoring case. Order: `drop` beats `pass`, `add` beats `drop`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentRules {
    /// Set for every command, secret or not, and instead of the settings against prompts
    /// (`PAGER`, `EDITOR`, `GIT_TERMINAL_PROMPT`, `TERM`, …).
    pub add: BTreeMap<String, OsString>,
    /// More names of the host's environment to pass. A pattern such as `AWS_*` or `*` lets
    /// no secret through; a name written out does, since it was meant.
    pub pass: Vec<String>,
    /// Names or patterns that are not passed.
    pub drop: Vec<String>,
}

impl EnvironmentRules {
    /// Whether no command gets this variable of the host.
    #[must_use]
    pub fn drops(&self, name: &str) -> bool {
        self.drop.iter().any(|pattern| matches(pattern, name))
    }
}

/// The host's environment as it was when the toolkit was made, filtered.
///
/// It is read once: other threads of a Node process may change the environment at any time, and
/// reading it then is not safe. It is filtered with the first command: each variable is compared with every pattern (0.1 ms for 35
/// variables), and a toolkit that only reads files needs none.
#[derive(Clone)]
pub(crate) struct BaseEnvironment(Arc<Snapshot>);

struct Snapshot {
    host: Vec<(OsString, OsString)>,
    rules: EnvironmentRules,
    filtered: OnceLock<BTreeMap<OsString, OsString>>,
}

/// The last one: most toolkits of a process share it.
static LAST: Mutex<Option<BaseEnvironment>> = Mutex::new(None);

impl fmt::Debug for BaseEnvironment {
    /// Without what the host has and commands do not get.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_tuple("BaseEnvironment")
            .field(self.filtered())
            .finish()
    }
}

impl BaseEnvironment {
    pub(crate) fn of_this_process(rules: &EnvironmentRules) -> Self {
        let host: Vec<_> = std::env::vars_os().collect();
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && last.0.host == host
            && last.0.rules == *rules
        {
            return last.clone();
        }
        let base = Self::new(host, rules);
        *last = Some(base.clone());
        base
    }

    fn new(host: Vec<(OsString, OsString)>, rules: &EnvironmentRules) -> Self {
        Self(Arc::new(Snapshot {
            host,
            rules: rules.clone(),
            filtered: OnceLock::new(),
        }))
    }

    /// What every command gets.
    fn filtered(&self) -> &BTreeMap<OsString, OsString> {
        let Snapshot {
            host,
            rules,
            filtered,
        } = &*self.0;
        filtered.get_or_init(|| {
            let passed = host
                .iter()
                .filter(|(name, value)| passes(name, value, rules));
            let mut variables: BTreeMap<OsString, OsString> = passed.cloned().collect();
            for (name, value) in SETTINGS {
                variables.insert(name.into(), value.into());
            }
            for (name, value) in &rules.add {
                variables.insert(name.into(), value.clone());
            }
            variables
        })
    }

    /// The same with what the call gives and the mark of the command.
    pub(crate) fn for_command(
        &self,
        given: &BTreeMap<String, String>,
        mark: &str,
        has_terminal: bool,
    ) -> Result<BTreeMap<OsString, OsString>, ProcessError> {
        let mut variables = self.filtered().clone();
        if has_terminal {
            for_terminal(&mut variables);
        }
        for (name, value) in given {
            check_given(name, value)?;
            variables.insert(name.into(), value.into());
        }
        variables.insert(MARK.into(), mark.into());
        Ok(variables)
    }

    /// The same with what the host sets for a service and its mark.
    pub(crate) fn for_service(
        &self,
        set: &BTreeMap<String, OsString>,
        mark: &str,
    ) -> BTreeMap<OsString, OsString> {
        let mut variables = self.filtered().clone();
        for (name, value) in set {
            variables.insert(name.into(), value.clone());
        }
        variables.insert(MARK.into(), mark.into());
        variables
    }

    /// One variable of it.
    pub(crate) fn variable(&self, name: &str) -> Option<&OsString> {
        crate::starting::program::variable(self.filtered(), name)
    }
}

/// What a terminal changes: programs may draw, and prompts may ask. Pagers print and editors fail as
/// everywhere; what the host set instead stays.
fn for_terminal(variables: &mut BTreeMap<OsString, OsString>) {
    for (name, default) in SETTINGS {
        let name = OsStr::new(name);
        if variables.get(name).is_none_or(|value| value != default) {
            continue;
        }
        match TERMINAL_SETTINGS.iter().find(|(known, _)| name == *known) {
            Some((_, Some(value))) => {
                variables.insert(name.into(), value.into());
            }
            Some((_, None)) => {
                variables.remove(name);
            }
            None => {}
        }
    }
    // Lines of boxes as the characters they are, which the kept screen understands.
    variables
        .entry("NCURSES_NO_UTF8_ACS".into())
        .or_insert_with(|| "1".into());
}

fn passes(name: &OsStr, value: &OsStr, rules: &EnvironmentRules) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    if name == MARK || rules.drops(name) {
        return false;
    }
    if rules.pass.iter().any(|exact| exact == name) {
        return true;
    }
    let known = listed(PASSED, name) || rules.pass.iter().any(|pattern| matches(pattern, name));
    known && !names_a_secret(name) && !holds_a_password(&value.to_string_lossy())
}

/// Whether a command can be started with this variable.
///
/// # Errors
///
/// The name is none that a variable can have or one that a call may not set, or the value is too long or has a NUL byte.
pub fn check_given(name: &str, value: &str) -> Result<(), ProcessError> {
    // Refused before the spelling is judged: exported functions (`BASH_FUNC_x%%`) are both.
    if refused_in_calls(name) && !is_plain_value(name, value) {
        return Err(ProcessError::RefusedVariable { name: name.into() });
    }
    let mut letters = name.chars();
    let begins_well = letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !begins_well || !letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
        return Err(ProcessError::InvalidVariableName { name: name.into() });
    }
    if value.contains('\0') {
        return Err(ProcessError::Nul {
            what: format!("The variable `{name}`"),
        });
    }
    let bytes = name.len() + 1 + value.len();
    let max = limits::EXECUTE_ARGUMENT_MAX_BYTES;
    if bytes > max {
        let name = name.into();
        return Err(ProcessError::VariableTooLong { name, bytes, max });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(pairs: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    fn host_of(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        table(pairs).into_iter().collect()
    }

    fn base(host: &[(&str, &str)], rules: &EnvironmentRules) -> BTreeMap<OsString, OsString> {
        let mut variables = BaseEnvironment::new(host_of(host), rules)
            .filtered()
            .clone();
        variables.retain(|name, value| {
            !SETTINGS
                .iter()
                .any(|(setting, default)| name == setting && value == default)
        });
        variables
    }

    const HOST: &[(&str, &str)] = &[
        ("PATH", "/bin"),
        ("LC_ALL", "C.UTF-8"),
        ("AWS_REGION", "eu"),
        ("AWS_SECRET_ACCESS_KEY", "s"),
        ("GITHUB_TOKEN", "t"),
        ("XDG_API_KEY", "k"),
        ("HTTPS_PROXY", "http://u:p@proxy"),
        ("NO_PROXY", "localhost"),
        ("EDITOR", "vim"),
        ("CI", "true"),
        ("TENON_COMMAND", "outer"),
        ("SSH_AUTH_SOCK", "/run/agent"),
    ];

    #[test]
    fn by_default_the_list_passes_and_secrets_do_not() {
        assert_eq!(
            base(HOST, &EnvironmentRules::default()),
            table(&[
                ("CI", "true"),
                ("LC_ALL", "C.UTF-8"),
                ("NO_PROXY", "localhost"),
                ("PATH", "/bin")
            ])
        );
    }

    #[test]
    fn the_host_passes_drops_and_adds() {
        let rules = EnvironmentRules {
            add: [
                ("EDITOR".to_owned(), "ed".into()),
                ("NO_PROXY".to_owned(), "x".into()),
            ]
            .into(),
            pass: vec![
                "AWS_*".into(),
                "GITHUB_TOKEN".into(),
                "SSH_AUTH_SOCK".into(),
            ],
            drop: vec!["LC_*".into(), "NO_PROXY".into()],
        };
        assert_eq!(
            base(HOST, &rules),
            table(&[
                ("AWS_REGION", "eu"),
                ("CI", "true"),
                ("EDITOR", "ed"),
                ("GITHUB_TOKEN", "t"),
                ("NO_PROXY", "x"),
                ("PATH", "/bin"),
                ("SSH_AUTH_SOCK", "/run/agent"),
            ])
        );
    }

    #[test]
    fn what_is_printed_of_it_has_no_variable_that_commands_do_not_get() {
        let base = BaseEnvironment::new(
            vec![("GITHUB_TOKEN".into(), "hidden".into())],
            &EnvironmentRules::default(),
        );
        assert_eq!(
            format!("{base:?}"),
            format!("BaseEnvironment({:?})", base.filtered())
        );
        assert_eq!(base.filtered().get(OsStr::new("GITHUB_TOKEN")), None);
    }

    #[test]
    fn editors_fail_and_pagers_print() {
        let base = BaseEnvironment::new(host_of(HOST), &EnvironmentRules::default());
        let variables = base.filtered();
        for (name, value) in [
            ("EDITOR", "false"),
            ("GIT_EDITOR", "false"),
            ("PAGER", "cat"),
            ("TERM", "dumb"),
        ] {
            assert_eq!(
                variables.get(OsStr::new(name)),
                Some(&OsString::from(value))
            );
        }
        assert_eq!(variables.get(OsStr::new("NO_COLOR")), None);
    }

    #[test]
    fn in_a_terminal_prompts_may_ask_and_editors_still_fail() {
        let rules = EnvironmentRules {
            add: [("SUDO_ASKPASS".to_owned(), "/opt/ask".into())].into(),
            ..EnvironmentRules::default()
        };
        let base = BaseEnvironment::new(host_of(HOST), &rules);
        let variables = base.for_command(&BTreeMap::new(), "m", true).unwrap();
        let found = |name: &str| variables.get(OsStr::new(name)).map(|value| value.to_str());
        let some = |value| Some(Some(value));
        assert_eq!(
            [
                found("TERM"),
                found("GIT_TERMINAL_PROMPT"),
                found("SSH_ASKPASS_REQUIRE"),
                found("SUDO_ASKPASS"),
                found("GIT_EDITOR"),
                found("PAGER"),
                found("NCURSES_NO_UTF8_ACS"),
            ],
            [
                some("xterm-256color"),
                None,
                None,
                some("/opt/ask"),
                some("false"),
                some("cat"),
                some("1"),
            ]
        );
    }

    #[test]
    fn a_call_sets_plain_variables_and_no_others() {
        let base = BaseEnvironment::new(host_of(HOST), &EnvironmentRules::default());
        let give = |name: &str, value: &str| {
            base.for_command(&[(name.to_owned(), value.to_owned())].into(), "m", false)
                .map(|variables| variables.get(OsStr::new(name)).cloned())
                .map_err(|error| error.to_string())
        };
        assert_eq!(give("GREETING", "hello"), Ok(Some("hello".into())));
        assert_eq!(give("API_KEY", "own"), Ok(Some("own".into())));
        assert_eq!(
            give("NODE_OPTIONS", "--no-warnings"),
            Ok(Some("--no-warnings".into()))
        );
        assert!(give("NODE_OPTIONS", "--require ./x").is_err() && give("GIT_TRACE", "x").is_err());
        assert_eq!(
            give("LD_PRELOAD", "x"),
            Err("The variable `LD_PRELOAD` cannot be set by a call, because it makes programs load or run other code. Leave it out.".into())
        );
        assert_eq!(
            give("A B", "x"),
            Err("`A B` is not the name of an environment variable. Use letters, digits and `_`, and do not begin with a digit.".into())
        );
        assert!(give("", "x").is_err() && give("A=B", "x").is_err() && give("1A", "x").is_err());
        assert!(give("A", "x\0y").is_err_and(|text| text.contains("NUL")));
    }
}
