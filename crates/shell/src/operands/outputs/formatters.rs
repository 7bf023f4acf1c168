//! Programs that change the files that they are given in place, perhaps with an option only.

use crate::operands::table::{PLAIN, Role, Spec};

/// The rows.
pub(super) const FORMATTERS: &[Spec] = &[
    Spec {
        names: &["prettier", "gofmt", "goimports", "gofumpt", "shfmt"],
        role: Role::Rewrite(&["w", "write", "list-different-write"]),
        long_values: &["config", "ignore-path", "parser", "log-level"],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["eslint", "stylelint", "standard", "xo", "oxlint"],
        role: Role::Rewrite(&["fix"]),
        values: "cf",
        long_values: &[
            "config",
            "ext",
            "format",
            "rule",
            "plugin",
            "parser",
            "max-warnings",
        ],
        write_options: &["o", "output-file", "cache-location", "cache-file"],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["biome"],
        role: Role::Rewrite(&["write", "fix", "apply"]),
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["clang-format", "autopep8", "yapf"],
        role: Role::Rewrite(&["i", "in-place", "inplace"]),
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["rustfmt", "black", "isort", "dos2unix", "unix2dos"],
        role: Role::Rewrite(&[]),
        values: "lt",
        long_values: &[
            "edition",
            "config",
            "config-path",
            "line-length",
            "target-version",
            "profile",
            "emit",
        ],
        long_flags: &["check", "diff", "check-only"],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["ast-grep", "sg"],
        role: Role::Rewrite(&["U", "update-all"]),
        values: "prlc",
        long_values: &[
            "pattern",
            "rewrite",
            "lang",
            "config",
            "rule",
            "inline-rules",
        ],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["comby"],
        role: Role::Rewrite(&["i", "in-place"]),
        values: "dj",
        leading: 2,
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["ruff"],
        role: Role::Rewrite(&["fix"]),
        long_values: &["select", "ignore", "config", "line-length"],
        write_options: &["o", "output-file", "cache-dir"],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["rubocop"],
        role: Role::Rewrite(&[
            "a",
            "A",
            "x",
            "autocorrect",
            "autocorrect-all",
            "auto-correct",
        ]),
        write_options: &["o", "out"],
        partly: true,
        ..PLAIN
    },
];
