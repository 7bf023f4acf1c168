//! Programs that run code of a language, from a file, their arguments or their input.

/// By their names without a version.
pub(crate) const LANGUAGES: &[&str] = &[
    "R",
    "Rscript",
    "bun",
    "deno",
    "elixir",
    "erl",
    "groovy",
    "iex",
    "irb",
    "julia",
    "lua",
    "luajit",
    "node",
    "osascript",
    "perl",
    "php",
    "pypy",
    "python",
    "ruby",
    "scala",
    "tclsh",
    "ts-node",
    "tsx",
];
