//! Options that stand between the name of a program and its sub-command.

use super::Invocation;
use super::grammar::{Grammar, Unclear};
use crate::Word;
use crate::by_name::{ByName, by_names};

/// A program with sub-commands.
struct Program {
    names: &'static [&'static str],
    grammar: Grammar,
    /// Options whose value is a folder into which the program changes.
    folder: &'static [&'static str],
}

const NONE: Grammar = Grammar {
    flags: "",
    values: "",
    optional: "",
    long_flags: &[],
    long_values: &[],
    long_optional: &[],
    permutes: false,
};

/// Sources: the manuals of git 2.39, docker 24, kubectl 1.28, npm 10, cargo 1.95, systemctl 252, gh 2.
const PROGRAMS: &[Program] = &[
    Program {
        names: &["git"],
        grammar: Grammar {
            flags: "pPhv",
            values: "Cc",
            long_flags: &[
                "bare",
                "glob-pathspecs",
                "help",
                "html-path",
                "icase-pathspecs",
                "info-path",
                "literal-pathspecs",
                "man-path",
                "no-advice",
                "no-lazy-fetch",
                "no-optional-locks",
                "no-pager",
                "no-replace-objects",
                "noglob-pathspecs",
                "paginate",
                "version",
            ],
            long_values: &[
                "attr-source",
                "config-env",
                "git-dir",
                "namespace",
                "super-prefix",
                "work-tree",
            ],
            long_optional: &["exec-path", "list-cmds"],
            ..NONE
        },
        folder: &["C", "work-tree"],
    },
    Program {
        names: &["docker"],
        grammar: Grammar {
            flags: "Dv",
            values: "cHl",
            long_flags: &["debug", "tls", "tlsverify", "version", "help"],
            long_values: &[
                "config",
                "context",
                "host",
                "log-level",
                "tlscacert",
                "tlscert",
                "tlskey",
            ],
            ..NONE
        },
        folder: &[],
    },
    // Not those that name programs: `--conmon`, `--runtime`, `--hooks-dir`, `--network-cmd-path`.
    Program {
        names: &["podman", "podman-remote"],
        grammar: Grammar {
            flags: "rvh",
            values: "c",
            long_flags: &[
                "help",
                "noout",
                "remote",
                "syslog",
                "transient-store",
                "version",
            ],
            long_values: &[
                "cgroup-manager",
                "connection",
                "context",
                "events-backend",
                "host",
                "identity",
                "imagestore",
                "log-level",
                "namespace",
                "network-config-dir",
                "out",
                "root",
                "runroot",
                "ssh",
                "storage-driver",
                "storage-opt",
                "tmpdir",
                "url",
                "volumepath",
            ],
            ..NONE
        },
        folder: &[],
    },
    // Not `--cni-path`, which names programs.
    Program {
        names: &["nerdctl", "nerdctl.lima", "finch"],
        grammar: Grammar {
            flags: "vh",
            values: "aHn",
            long_flags: &[
                "debug",
                "debug-full",
                "experimental",
                "help",
                "insecure-registry",
                "kube-hide-dupe",
                "version",
            ],
            long_values: &[
                "address",
                "bridge-ip",
                "cgroup-manager",
                "data-root",
                "host",
                "host-gateway-ip",
                "namespace",
                "snapshotter",
                "storage-driver",
            ],
            ..NONE
        },
        folder: &[],
    },
    Program {
        names: &["kubectl", "oc"],
        grammar: Grammar {
            values: "nsv",
            long_flags: &[
                "insecure-skip-tls-verify",
                "match-server-version",
                "warnings-as-errors",
                "help",
            ],
            long_values: &[
                "as",
                "as-group",
                "as-uid",
                "cache-dir",
                "certificate-authority",
                "client-certificate",
                "client-key",
                "cluster",
                "context",
                "kubeconfig",
                "log-flush-frequency",
                "namespace",
                "password",
                "profile",
                "profile-output",
                "request-timeout",
                "server",
                "tls-server-name",
                "token",
                "user",
                "username",
                "v",
            ],
            ..NONE
        },
        folder: &[],
    },
    Program {
        names: &["npm"],
        grammar: Grammar {
            flags: "gsqdfy",
            values: "Cw",
            long_flags: &[
                "force",
                "global",
                "json",
                "no-audit",
                "no-color",
                "no-fund",
                "no-progress",
                "offline",
                "prefer-offline",
                "quiet",
                "silent",
                "verbose",
                "version",
                "help",
                "workspaces",
                "ws",
                "include-workspace-root",
                "iwr",
                "if-present",
                "ignore-scripts",
                "yes",
                "legacy-peer-deps",
            ],
            long_values: &[
                "access",
                "cache",
                "loglevel",
                "otp",
                "prefix",
                "registry",
                "tag",
                "userconfig",
                "workspace",
            ],
            ..NONE
        },
        folder: &["C", "prefix"],
    },
    Program {
        names: &["pnpm", "yarn"],
        grammar: Grammar {
            flags: "rw",
            values: "CF",
            long_flags: &[
                "recursive",
                "silent",
                "offline",
                "workspace-root",
                "json",
                "verbose",
                "version",
                "help",
            ],
            long_values: &["cwd", "dir", "filter", "registry"],
            ..NONE
        },
        folder: &["C", "dir", "cwd"],
    },
    Program {
        names: &["cargo"],
        grammar: Grammar {
            flags: "qvVh",
            values: "CZ",
            long_flags: &[
                "frozen", "help", "list", "locked", "offline", "quiet", "verbose", "version",
            ],
            long_values: &["color", "config", "explain"],
            ..NONE
        },
        folder: &["C"],
    },
    Program {
        names: &["systemctl"],
        grammar: Grammar {
            flags: "alqr",
            values: "HMnopst",
            long_flags: &[
                "all",
                "full",
                "global",
                "no-pager",
                "now",
                "quiet",
                "system",
                "user",
                "no-legend",
                "help",
                "version",
            ],
            long_values: &[
                "host", "machine", "output", "property", "root", "state", "type", "lines",
            ],
            ..NONE
        },
        folder: &[],
    },
];

/// Settings that `git -c` may give without running anything: names, colours, formats.
const HARMLESS_GIT_SETTINGS: &[&str] = &[
    "advice.",
    "color.",
    "column.",
    "user.name",
    "user.email",
    "core.quotepath",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.abbrev",
    "core.ignorecase",
    "core.filemode",
    "core.longpaths",
    "init.defaultbranch",
    "commit.gpgsign",
    "tag.gpgsign",
    "push.default",
    "pull.rebase",
    "pull.ff",
    "merge.ff",
    "merge.conflictstyle",
    "rerere.enabled",
    "push.autosetupremote",
    "push.followtags",
    "diff.colormoved",
    "core.symlinks",
    "core.whitespace",
    "core.precomposeunicode",
    "rebase.autostash",
    "fetch.prune",
    "diff.algorithm",
    "diff.renames",
    "diff.context",
    "log.",
    "format.",
    "gc.auto",
    "http.version",
    "protocol.version",
    "status.",
    "versionsort.",
];

static BY_NAME: ByName<Program> = ByName::new(|| by_names(PROGRAMS, |program| program.names));

/// Takes folders and global options out of what a rule sees; folders that the options name go into `folders`.
pub(super) fn strip(base: &str, invocation: &mut Invocation) {
    let Some(name) = invocation.words.first() else {
        return;
    };
    // Programs that are known as another one have options of their own before a sub-command.
    let own = super::names::program_name(name.literal().map_or(base, super::base_name));
    let program = BY_NAME.find(own).or_else(|| BY_NAME.find(base));
    let named_plainly = name.literal() == Some(base);
    if program.is_none() && named_plainly {
        return;
    }
    // `cargo +nightly …` chooses a toolchain.
    let mut arguments = invocation.words.behind(1);
    if base == "cargo" && arguments.first().is_some_and(chooses_toolchain) {
        arguments = arguments.behind(1);
    }
    let name = if named_plainly {
        name.clone()
    } else {
        Word::synthetic(base, name.span)
    };
    let mut behind = arguments.clone();
    match program.map(|program| (program, program.grammar.split(&arguments))) {
        Some((program, Ok(split))) => {
            if !split.operands.is_empty() {
                behind = split.operands;
            }
            for option in &split.options {
                if program.folder.contains(&option.name.as_str()) {
                    invocation.folders.extend(option.value.clone());
                }
                if runs_program(base, option) {
                    let what = "a setting that can name a program to run";
                    invocation.not_understood(what, option.span);
                }
            }
        }
        Some((_, Err(Unclear(span)))) => {
            invocation.not_understood("an option before a sub-command that is not known", span);
        }
        None => {}
    }
    let manual = behind.first().and_then(|word| manual_name(base, word));
    // Nothing was taken out.
    if named_plainly && behind.len() + 1 == invocation.words.len() && manual.is_none() {
        return;
    }
    let mut plain = vec![name];
    plain.extend(behind.iter().cloned());
    if let (Some(manual), Some(word)) = (manual, plain.get_mut(1)) {
        *word = Word::synthetic(manual, word.span);
    }
    invocation.plain = Some(plain.into());
}

/// Whether this key of git's configuration can be set without running anything.
pub(super) fn is_harmless_setting(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    HARMLESS_GIT_SETTINGS
        .iter()
        .any(|harmless| match harmless.strip_suffix('.') {
            Some(_) => key.starts_with(harmless),
            None => key == *harmless,
        })
}

/// The name that a sub-command has in the manual, where this is another one for it.
fn manual_name(base: &str, word: &Word) -> Option<&'static str> {
    manual_command(base, word.literal()?)
}

/// The name that a sub-command of a program has in its manual, where this is another one for it.
///
/// ```
/// assert_eq!(tenon_shell::manual_command("npm", "i"), Some("install"));
/// assert_eq!(tenon_shell::manual_command("npm", "install"), None);
/// ```
#[must_use]
pub fn manual_command(program: &str, name: &str) -> Option<&'static str> {
    match (program, name) {
        ("git", "send-pack" | "http-push") => Some("push"),
        ("git", "fetch-pack") => Some("fetch"),
        ("git", "stage") => Some("add"),
        ("git", "init-db") => Some("init"),
        ("cargo", "b") => Some("build"),
        ("cargo", "c") => Some("check"),
        ("cargo", "d") => Some("doc"),
        ("cargo", "r") => Some("run"),
        ("cargo", "t") => Some("test"),
        ("cargo", "rm") => Some("remove"),
        ("npm", _) => super::packages::manual_name(name),
        _ => None,
    }
}

fn chooses_toolchain(word: &Word) -> bool {
    word.literal().is_some_and(|text| text.starts_with('+'))
}

fn runs_program(base: &str, option: &super::grammar::Given) -> bool {
    match (base, option.name.as_str()) {
        ("git", "c") => {
            let setting = option
                .value
                .as_ref()
                .and_then(Word::literal)
                .map(str::to_ascii_lowercase);
            !setting.is_some_and(|setting| {
                let key = setting.split('=').next().unwrap_or_default();
                key == "safe.directory" || is_harmless_setting(key)
            })
        }
        // The folder itself is the repository then, and what stands in it its configuration.
        ("git", "config-env" | "bare") => true,
        ("git", "exec-path") => option.value.is_some(),
        // Clients load their plugins and helpers from there.
        ("cargo" | "docker", "config") => true,
        _ => false,
    }
}
