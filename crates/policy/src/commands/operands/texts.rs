//! Which arguments of programs are texts and code.

use super::super::name_set::NameSet;

/// Programs whose arguments are texts or names of what is there to be seen.
pub(super) static SAYING_NOTHING: NameSet = NameSet::new(|| {
    let names = [
        "echo", "printf", "test", "[", "[[", "ls", "export", "cd", "pwd", "mkdir", "exit", "true",
        "false", ":", "which", "type", "set", "read",
    ];
    names.into_iter().collect()
});

/// Programs that are given code or queries, which name files between quotes and signs.
pub(super) static TAKING_CODE: NameSet = NameSet::new(|| {
    let names = [
        "python",
        "python2",
        "python3",
        "node",
        "nodejs",
        "deno",
        "bun",
        "perl",
        "ruby",
        "php",
        "lua",
        "Rscript",
        "R",
        "julia",
        "osascript",
        "sqlite3",
        "sqlite",
        "duckdb",
        "psql",
        "mysql",
        "mariadb",
        "mongosh",
        "yq",
        "q",
        "mlr",
        "clickhouse-client",
        "clickhouse-local",
        "tsx",
        "ts-node",
        "ffmpeg",
        "ffprobe",
        "gnuplot",
        "octave",
    ];
    names.into_iter().collect()
});

/// Long options whose value is a text.
pub(super) const TEXTS: &[&str] = &[
    "exclude",
    "include",
    "ignore",
    "hide",
    "glob",
    "regexp",
    "expression",
    "label",
    "suffix",
    "separator",
    "delimiter",
    "format",
    "pattern",
    "message",
];
