//! The table of wrappers.

use super::commands;
use super::grammar::{Grammar, Split, Unclear};
use super::shells;
use super::{Context, Invocation};
use crate::Word;

/// A program that runs the command behind its own arguments.
struct Wrapper {
    name: &'static str,
    grammar: Grammar,
    /// How many operands stand before the command (`timeout 5 …`).
    operands: usize,
    /// Whether assignments may stand before the command (`env A=1 …`).
    assignments: bool,
    /// Options that mean that no command is run.
    without_command: &'static [&'static str],
    /// Options whose value is a folder in which the command runs.
    folder: &'static [&'static str],
    /// Whether a rule that allows the inner command covers the wrapper.
    transparent: bool,
    /// Whether a shell is started when no command is given.
    starts_shell: bool,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    grammar: Grammar {
        flags: "",
        values: "",
        optional: "",
        long_flags: &[],
        long_values: &[],
        long_optional: &[],
        permutes: false,
    },
    operands: 0,
    assignments: false,
    without_command: &["help", "version"],
    folder: &[],
    transparent: false,
    starts_shell: false,
};

const NO_OPTIONS: Grammar = PLAIN.grammar;

/// Sources: the manuals of GNU coreutils 9.1, util-linux 2.38, sudo 1.9, OpenDoas 6.8, bash 5.2, dash 0.5.12.
const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "timeout",
        grammar: Grammar {
            flags: "vfp",
            values: "ks",
            long_flags: &[
                "foreground",
                "preserve-status",
                "verbose",
                "help",
                "version",
            ],
            long_values: &["kill-after", "signal"],
            ..NO_OPTIONS
        },
        operands: 1,
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "nohup",
        grammar: Grammar {
            long_flags: &["help", "version"],
            ..NO_OPTIONS
        },
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        grammar: Grammar {
            flags: "0123456789",
            values: "n",
            long_flags: &["help", "version"],
            long_values: &["adjustment"],
            ..NO_OPTIONS
        },
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "ionice",
        grammar: Grammar {
            flags: "thV",
            values: "cnpPu",
            long_flags: &["ignore", "help", "version"],
            long_values: &["class", "classdata", "pid", "pgid", "uid"],
            ..NO_OPTIONS
        },
        without_command: &[
            "p", "P", "u", "pid", "pgid", "uid", "h", "V", "help", "version",
        ],
        ..PLAIN
    },
    Wrapper {
        name: "setsid",
        grammar: Grammar {
            flags: "cfwhV",
            long_flags: &["ctty", "fork", "wait", "help", "version"],
            ..NO_OPTIONS
        },
        ..PLAIN
    },
    Wrapper {
        name: "stdbuf",
        grammar: Grammar {
            values: "ioe",
            long_flags: &["help", "version"],
            long_values: &["input", "output", "error"],
            ..NO_OPTIONS
        },
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "time",
        grammar: Grammar {
            flags: "apvqV",
            values: "fo",
            long_flags: &[
                "append",
                "portability",
                "verbose",
                "quiet",
                "help",
                "version",
            ],
            long_values: &["format", "output"],
            ..NO_OPTIONS
        },
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "command",
        grammar: Grammar {
            flags: "pvV",
            ..NO_OPTIONS
        },
        without_command: &["v", "V"],
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        name: "builtin",
        ..PLAIN
    },
    Wrapper {
        name: "exec",
        grammar: Grammar {
            flags: "cl",
            values: "a",
            ..NO_OPTIONS
        },
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        grammar: Grammar {
            flags: "AbBEHiKklnPsSVv",
            values: "CDghpRrtTUu",
            long_flags: &[
                "askpass",
                "background",
                "bell",
                "set-home",
                "login",
                "shell",
                "list",
                "validate",
                "stdin",
                "non-interactive",
                "preserve-groups",
                "remove-timestamp",
                "reset-timestamp",
                "version",
                "help",
            ],
            long_values: &[
                "close-from",
                "chdir",
                "group",
                "host",
                "prompt",
                "chroot",
                "role",
                "command-timeout",
                "type",
                "other-user",
                "user",
            ],
            long_optional: &["preserve-env"],
            ..NO_OPTIONS
        },
        assignments: true,
        without_command: &[
            "l",
            "list",
            "K",
            "remove-timestamp",
            "V",
            "version",
            "v",
            "validate",
            "help",
        ],
        folder: &["D", "chdir"],
        ..PLAIN
    },
    Wrapper {
        name: "doas",
        grammar: Grammar {
            flags: "Lns",
            values: "aCu",
            ..NO_OPTIONS
        },
        without_command: &["L", "C"],
        starts_shell: true,
        ..PLAIN
    },
    Wrapper {
        name: "chroot",
        grammar: Grammar {
            long_flags: &["skip-chdir", "help", "version"],
            long_values: &["groups", "userspec"],
            ..NO_OPTIONS
        },
        operands: 1,
        starts_shell: true,
        ..PLAIN
    },
    Wrapper {
        name: "unshare",
        grammar: Grammar {
            flags: "fcr",
            values: "RwSGl",
            optional: "muinpUCT",
            long_flags: &[
                "fork",
                "map-root-user",
                "map-current-user",
                "map-auto",
                "keep-caps",
                "help",
                "version",
            ],
            long_values: &[
                "map-user",
                "map-group",
                "map-users",
                "map-groups",
                "propagation",
                "setgroups",
                "root",
                "wd",
                "setuid",
                "setgid",
                "load-interp",
                "monotonic",
                "boottime",
            ],
            long_optional: &[
                "mount",
                "uts",
                "ipc",
                "net",
                "pid",
                "user",
                "cgroup",
                "time",
                "kill-child",
                "mount-proc",
                "mount-binfmt",
            ],
            ..NO_OPTIONS
        },
        folder: &["w", "wd"],
        starts_shell: true,
        ..PLAIN
    },
    Wrapper {
        name: "nsenter",
        grammar: Grammar {
            flags: "aFZe",
            values: "tSG",
            optional: "muinpUCTrwW",
            long_flags: &[
                "all",
                "no-fork",
                "follow-context",
                "preserve-credentials",
                "env",
                "help",
                "version",
            ],
            long_values: &["target", "setuid", "setgid"],
            long_optional: &[
                "mount", "uts", "ipc", "net", "pid", "user", "cgroup", "time", "root", "wd", "wdns",
            ],
            ..NO_OPTIONS
        },
        folder: &["w", "wd", "W", "wdns", "r", "root"],
        starts_shell: true,
        ..PLAIN
    },
    Wrapper {
        name: "noglob",
        ..PLAIN
    },
    Wrapper {
        name: "nocorrect",
        ..PLAIN
    },
    Wrapper {
        name: "chrt",
        grammar: Grammar {
            flags: "abdefhiormRvV",
            values: "TPD",
            long_flags: &[
                "all-tasks",
                "batch",
                "deadline",
                "ext",
                "fifo",
                "idle",
                "other",
                "max",
                "rr",
                "reset-on-fork",
                "verbose",
                "help",
                "version",
            ],
            long_values: &["sched-runtime", "sched-period", "sched-deadline"],
            ..NO_OPTIONS
        },
        operands: 1,
        without_command: &["m", "max", "help", "version", "h", "V"],
        ..PLAIN
    },
    Wrapper {
        name: "taskset",
        grammar: Grammar {
            flags: "achV",
            long_flags: &["all-tasks", "cpu-list", "help", "version"],
            ..NO_OPTIONS
        },
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        name: "setarch",
        grammar: Grammar {
            flags: "BFILRSTXZv",
            long_flags: &["32bit", "addr-no-randomize", "verbose", "help", "version"],
            ..NO_OPTIONS
        },
        operands: 1,
        starts_shell: true,
        ..PLAIN
    },
    Wrapper {
        name: "catchsegv",
        ..PLAIN
    },
    Wrapper {
        name: "fakeroot",
        grammar: Grammar {
            flags: "uhv",
            values: "lsib",
            long_flags: &["unknown-is-real", "help", "version"],
            long_values: &["lib", "faked"],
            ..NO_OPTIONS
        },
        starts_shell: true,
        ..PLAIN
    },
    Wrapper {
        name: "dbus-run-session",
        grammar: Grammar {
            long_flags: &["help", "version"],
            long_values: &["config-file", "dbus-daemon"],
            ..NO_OPTIONS
        },
        ..PLAIN
    },
    Wrapper {
        name: "xvfb-run",
        grammar: Grammar {
            flags: "alh",
            values: "efnpsw",
            long_flags: &["auto-servernum", "listen-tcp", "help"],
            long_values: &[
                "error-file",
                "auth-file",
                "server-num",
                "xauth-protocol",
                "server-args",
                "wait",
            ],
            ..NO_OPTIONS
        },
        ..PLAIN
    },
    Wrapper {
        name: "caffeinate",
        grammar: Grammar {
            flags: "dimsu",
            values: "tw",
            ..NO_OPTIONS
        },
        ..PLAIN
    },
];

/// Finds what the command named `base` runs.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation, context: Context<'_>) {
    if shells::look_inside(base, invocation, context)
        || commands::look_inside(base, invocation, context)
    {
        return;
    }
    if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == base) {
        wrapper.look_inside(invocation, context);
    }
}

impl Wrapper {
    fn look_inside(&self, invocation: &mut Invocation, context: Context<'_>) {
        let arguments = arguments(invocation);
        match self.grammar.split(&arguments) {
            Err(Unclear(span)) => {
                invocation.not_understood("an option of a wrapper that is not known", span)
            }
            Ok(split) => self.run(invocation, &split, context),
        }
    }

    fn run(&self, invocation: &mut Invocation, split: &Split, context: Context<'_>) {
        if split.has(self.without_command) {
            return;
        }
        invocation.transparent = self.transparent;
        for option in self.folder {
            invocation.folders.extend(split.value(&[option]).cloned());
        }
        let mut command = split.operands.as_slice();
        for _ in 0..self.operands {
            let Some((operand, rest)) = command.split_first() else {
                return;
            };
            if operand.expansion.splits || operand.expansion.globs || operand.expansion.braces {
                invocation
                    .not_understood("an expansion before the command of a wrapper", operand.span);
                return;
            }
            command = rest;
        }
        if self.operands > 0
            && let Some(first) = command.first()
            && first.literal() == Some("--")
        {
            command = command.get(1..).unwrap_or_default();
        }
        if self.assignments {
            command = commands::take_assignments(command, invocation);
        }
        if command.is_empty() && (self.starts_shell || split.has(&["i", "s", "login", "shell"])) {
            shells::read_from_input(invocation, None, context);
        }
        let inner = context.command(command);
        invocation.inner.extend(inner);
    }
}

/// The words behind the name.
pub(super) fn arguments(invocation: &Invocation) -> Vec<Word> {
    invocation.words.get(1..).unwrap_or_default().to_vec()
}
