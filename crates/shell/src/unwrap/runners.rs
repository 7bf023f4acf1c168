//! Programs that run what their arguments say, in ways that are not read.

use std::sync::LazyLock;

use hashbrown::HashSet;

use crate::word::Word;

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
    "pkexec",
    "rlwrap",
    "screen",
    "setpriv",
    "socat",
    "ssh-agent",
    "start-stop-daemon",
    "systemd-run",
    "tmux",
    "unbuffer",
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

/// Whether the arguments show that it is another program of that name: `sg -p PATTERN` is ast-grep.
pub(super) fn is_other(base: &str, arguments: &[Word]) -> bool {
    let first = arguments.first().and_then(Word::literal);
    match base {
        "sg" => matches!(first, Some("-p" | "--pattern")),
        "crontab" => matches!(arguments, [only] if only.literal() == Some("-l")),
        "screen" => matches!(arguments, [only] if matches!(only.literal(), Some("-ls" | "-list"))),
        "tmux" => {
            first.is_some_and(|command| SHOWN_BY_TMUX.contains(&command))
                && arguments.iter().all(shows)
        }
        _ => false,
    }
}

/// Commands of `tmux` that show something.
const SHOWN_BY_TMUX: &[&str] = &[
    "-V",
    "capture-pane",
    "capturep",
    "has",
    "has-session",
    "list-clients",
    "list-panes",
    "list-sessions",
    "list-windows",
    "ls",
    "lsc",
    "lsp",
    "lsw",
];

/// Whether an argument of `tmux` begins no further command, runs none in a format, and writes no file.
fn shows(word: &Word) -> bool {
    word.literal()
        .is_some_and(|text| !text.contains("#(") && !text.ends_with(';'))
}

/// Whether a program runs what its arguments say.
pub(super) fn is_runner(base: &str) -> bool {
    // The program loader runs its first operand.
    let loaders = ["ld-linux", "ld-musl", "ld.so", "ld64.so"];
    RUNNERS_BY_NAME.contains(base)
        || base.starts_with("ld") && loaders.iter().any(|loader| base.starts_with(loader))
}
