//! The options of programs before their sub-commands.

use crate::unwrap::grammar::Grammar;

/// A program with sub-commands.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    pub(super) grammar: Grammar,
    /// Options whose value is a folder into which the program changes.
    pub(super) folder: &'static [&'static str],
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
pub(super) const PROGRAMS: &[Program] = &[
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
