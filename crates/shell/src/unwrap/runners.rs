//! Programs that run what their arguments say, in ways that are not read.

use std::sync::LazyLock;

use hashbrown::HashSet;

use crate::Word;

/// Programs that run what their arguments say in ways that are not followed.
const RUNNERS: &[&str] = &[
    "at",
    "batch",
    "crontab",
    "daemonize",
    "entr",
    "expect",
    "fc",
    "gdb",
    "lldb",
    "ltrace",
    "perf",
    "pkexec",
    "rlwrap",
    "screen",
    "setpriv",
    "socat",
    "ssh-agent",
    "start-stop-daemon",
    "strace",
    "systemd-run",
    "tmux",
    "unbuffer",
    "valgrind",
    "capsh",
    "firejail",
    "bwrap",
    "proot",
    "sg",
    "newgrp",
    "setuidgid",
    "chpst",
    "s6-setuidgid",
    "gosu",
    "su-exec",
    "ts-node-script",
    "run-parts",
    "logrotate",
    "inotifywait-run",
    "watchexec",
    "hyperfine",
];

static RUNNERS_BY_NAME: LazyLock<HashSet<&str>> =
    LazyLock::new(|| RUNNERS.iter().copied().collect());

/// Whether the arguments tell that it is another program of that name: `sg -p PATTERN` is ast-grep.
pub(super) fn is_other(base: &str, arguments: &[Word]) -> bool {
    let first = arguments.first().and_then(Word::literal);
    base == "sg" && matches!(first, Some("-p" | "--pattern"))
}

/// Whether a program runs what its arguments say.
pub(super) fn is_runner(base: &str) -> bool {
    // The program loader runs its first operand.
    let loaders = ["ld-linux", "ld-musl", "ld.so", "ld64.so"];
    RUNNERS_BY_NAME.contains(base)
        || base.starts_with("ld") && loaders.iter().any(|loader| base.starts_with(loader))
}
