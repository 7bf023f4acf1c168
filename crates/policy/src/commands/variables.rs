//! Variables that load or choose code (B8).

use super::name_set::NameSet;
use crate::commands::Context;
use crate::decision::{Judgement, PartKind, Why};

const NAMES: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "EDITOR",
    "VISUAL",
    "FCEDIT",
    "BROWSER",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "CLASSPATH",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "TAR_OPTIONS",
    "HOME",
    "CDPATH",
    "SHELL",
    "BASH_CMDS",
    "BASH_ALIASES",
    "RUSTC",
    "GOFLAGS",
    "MAKEFLAGS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "GCONV_PATH",
    "XDG_CONFIG_HOME",
    "ZDOTDIR",
    "OPENSSL_CONF",
    "KUBECONFIG",
    "POSIXLY_CORRECT",
    "EXECIGNORE",
    "BASH_LOADABLES_PATH",
    "MANOPT",
];

const PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "PYTHON",
    "PERL5",
    "RUBY",
    "npm_config_",
    "NPM_CONFIG_",
    "LESS",
    "BASH_FUNC_",
];

const SUFFIXES: &[&str] = &[
    "PAGER",
    "_EDITOR",
    "_WRAPPER",
    "_RUNNER",
    "_CONFIG_PATH",
    "_PROXY",
    "_proxy",
];

static KNOWN: NameSet = NameSet::new(|| NAMES.iter().copied().collect());

/// Whether a value of this variable can load or choose code.
pub(crate) fn chooses_code(name: &str) -> bool {
    KNOWN.contains(name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

impl<'e> Context<'e, '_> {
    /// Adds a part for a variable that can load or choose code.
    pub(crate) fn variable(&self, name: &str, who: &str, judgement: &mut Judgement<'e>) {
        if !self.open && chooses_code(name) {
            let reason = format!("{who} sets `{name}`, which can load or choose code.");
            judgement.add(self.floor(PartKind::Variable, name, Why::sentence(reason)));
        }
    }

    /// Adds a part for a variable whose name is not known.
    pub(crate) fn unknown_variable(&self, subject: &str, judgement: &mut Judgement<'e>) {
        if !self.open {
            let reason = "The name of the variable that is set cannot be told from the text.";
            judgement.add(self.floor(PartKind::Variable, subject, Why::sentence(reason)));
        }
    }
}
