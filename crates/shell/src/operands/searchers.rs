//! Programs that search folders by themselves: an option whose value was taken for the pattern would leave the pattern
//! as the one file that is searched, in place of the folder.

use super::table::{PLAIN, Spec};

/// Long options of GNU grep whose value may stand in the next word. Source: the manual of 3.11.
pub const GREP_VALUES: &[&str] = &[
    "regexp",
    "max-count",
    "include",
    "exclude",
    "exclude-dir",
    "context",
    "before-context",
    "after-context",
    "directories",
    "devices",
    "binary-files",
    "label",
    "group-separator",
    "file",
    "exclude-from",
];

/// The same of ripgrep. Source: `rg --help` of 13 to 15.
pub const RIPGREP_VALUES: &[&str] = &[
    "regexp",
    "max-count",
    "glob",
    "iglob",
    "type",
    "type-not",
    "type-add",
    "type-clear",
    "context",
    "after-context",
    "before-context",
    "color",
    "colors",
    "context-separator",
    "dfa-size-limit",
    "encoding",
    "engine",
    "field-context-separator",
    "field-match-separator",
    "generate",
    "hostname-bin",
    "hyperlink-format",
    "max-columns",
    "max-depth",
    "maxdepth",
    "max-filesize",
    "path-separator",
    "pre",
    "pre-glob",
    "regex-size-limit",
    "replace",
    "sort",
    "sortr",
    "threads",
    "file",
    "ignore-file",
];

/// Programs that look for patterns.
pub(super) const SEARCHERS: &[Spec] = &[
    Spec {
        names: &[
            "grep", "egrep", "fgrep", "zgrep", "rgrep", "zegrep", "zfgrep", "bzgrep", "xzgrep",
        ],
        values: "emABCdD",
        long_values: GREP_VALUES,
        long_flags: &["binary", "color", "colour"],
        read_options: &["f", "file", "exclude-from"],
        leading: 1,
        without_leading: &["e", "f", "regexp", "file"],
        searches: true,
        ..PLAIN
    },
    Spec {
        names: &["rg"],
        values: "efmABCgtTjMrdE",
        long_values: RIPGREP_VALUES,
        // It begins like `--ignore-file`.
        long_flags: &["ignore"],
        read_options: &["f", "file", "ignore-file"],
        leading: 1,
        without_leading: &["e", "f", "regexp", "file", "files", "type-list"],
        searches: true,
        ..PLAIN
    },
    // Source: `man ag` of 2.2, `ack --man` of 3.
    Spec {
        names: &["ag", "ack"],
        values: "efmABCgtTjMrdGpW",
        long_values: &[
            "regexp",
            "max-count",
            "glob",
            "iglob",
            "type",
            "type-not",
            "context",
            "replace",
            "sort",
            "depth",
            "file-search-regex",
            "ignore",
            "ignore-dir",
            "max-depth",
            "output",
            "pager",
            "path-to-ignore",
            "width",
            "workers",
            "color-filename",
            "color-lineno",
            "color-line-number",
            "color-match",
            "color-path",
        ],
        // They begin like those with a value.
        long_flags: &["color", "files-with-matches", "files-without-matches"],
        read_options: &["f", "file", "ignore-file"],
        leading: 1,
        without_leading: &["e", "f", "regexp", "file", "files", "type-list"],
        searches: true,
        ..PLAIN
    },
];
