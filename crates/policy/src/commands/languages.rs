//! Programs that run code of a language, from a file, their arguments or their input.

/// By their names without a version.
pub(super) const LANGUAGES: &[&str] = &[
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
    "nodejs",
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

/// The name of a program without the version at its end: `python` of `python3.12`, `lua` of `lua5.4`.
pub(super) fn without_version(base: &str) -> &str {
    match base.as_bytes().last() {
        Some(b'0'..=b'9' | b'.') => {
            base.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
        }
        _ => base,
    }
}
