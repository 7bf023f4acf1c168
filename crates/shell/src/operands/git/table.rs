//! Sub-commands of git and their options.

use crate::operands::table::{PLAIN, Spec};

/// Sub-commands whose operands are addresses and names of branches, which have colons.
pub(super) const TALKING: &[&str] = &[
    "clone",
    "config",
    "fetch",
    "ls-remote",
    "pull",
    "push",
    "remote",
    "submodule",
    "bundle",
    "commit",
];

/// A sub-command with the options that name files, and those with a value of another kind. All take `--output` that
/// compare or show.
pub(super) const SUB_COMMANDS: &[Spec] = &[
    Spec {
        names: &[
            "log",
            "show",
            "diff",
            "diff-tree",
            "diff-index",
            "diff-files",
            "whatchanged",
        ],
        values: "nSGL",
        optional: "UMCBlX",
        write_options: &["output"],
        read_options: &["O"],
        long_values: &[
            "max-count",
            "skip",
            "since",
            "after",
            "until",
            "before",
            "author",
            "committer",
            "grep",
            "date",
            "format",
            "diff-filter",
            "word-diff-regex",
        ],
        long_flags: &["no-index", "dirstat", "show-signature", "graph", "color"],
        ..PLAIN
    },
    Spec {
        names: &["blame", "annotate"],
        values: "L",
        optional: "MC",
        read_options: &["S", "contents", "ignore-revs-file"],
        long_values: &["date", "abbrev", "ignore-rev"],
        ..PLAIN
    },
    Spec {
        names: &["archive"],
        write_options: &["o", "output"],
        long_values: &["format", "prefix", "remote", "exec", "mtime"],
        read_options: &["add-file"],
        ..PLAIN
    },
    Spec {
        names: &["format-patch"],
        write_options: &["o", "output-directory", "output"],
        values: "vn",
        optional: "UMCBlX",
        long_values: &[
            "start-number",
            "subject-prefix",
            "suffix",
            "signature",
            "to",
            "cc",
            "from",
            "base",
            "reroll-count",
        ],
        read_options: &["signature-file", "description-file"],
        ..PLAIN
    },
    Spec {
        names: &["bugreport", "diagnose"],
        write_options: &["o", "output-directory"],
        values: "s",
        ..PLAIN
    },
    Spec {
        names: &["grep"],
        values: "eABCmO",
        read_options: &["f"],
        long_values: &[
            "max-count",
            "max-depth",
            "threads",
            "context",
            "parent-basename",
        ],
        long_flags: &["untracked", "no-index", "no-exclude-standard"],
        ..PLAIN
    },
    Spec {
        names: &["cat-file"],
        long_values: &["path"],
        long_flags: &["batch", "batch-check", "batch-command", "batch-all-objects"],
        ..PLAIN
    },
    Spec {
        names: &["checkout-index"],
        long_values: &["prefix", "stage"],
        long_flags: &["all", "stdin"],
        ..PLAIN
    },
    Spec {
        names: &["commit", "tag", "notes", "commit-tree"],
        read_options: &["F", "file", "t", "template", "pathspec-from-file"],
        values: "mCcup",
        optional: "S",
        long_values: &["message", "author", "date", "trailer", "reuse-message"],
        long_flags: &["fixup", "squash"],
        ..PLAIN
    },
    Spec {
        names: &["merge", "pull", "rebase", "cherry-pick", "revert"],
        values: "msXxo",
        optional: "SrjC",
        read_options: &["F", "file"],
        long_values: &[
            "message",
            "strategy",
            "strategy-option",
            "onto",
            "exec",
            "mainline",
            "cleanup",
            "into-name",
            "depth",
            "refmap",
            "server-option",
        ],
        long_flags: &["quit", "quiet"],
        ..PLAIN
    },
    Spec {
        names: &["am", "apply"],
        values: "pC",
        long_values: &["directory", "include", "exclude", "whitespace"],
        long_flags: &["check", "cached"],
        write_options: &["build-fake-ancestor"],
        ..PLAIN
    },
    Spec {
        names: &["hash-object"],
        values: "t",
        long_values: &["path"],
        long_flags: &["stdin", "stdin-paths"],
        ..PLAIN
    },
    Spec {
        names: &["config"],
        values: "t",
        read_options: &["f", "file"],
        long_values: &["type", "default", "url", "value", "comment", "blob"],
        long_flags: &[
            "get",
            "get-all",
            "get-regexp",
            "get-urlmatch",
            "get-color",
            "get-colorbool",
            "list",
        ],
        ..PLAIN
    },
    Spec {
        names: &["interpret-trailers"],
        long_values: &["trailer", "where", "if-exists", "if-missing"],
        long_flags: &["in-place"],
        ..PLAIN
    },
    Spec {
        names: &["merge-file"],
        values: "L",
        long_values: &["marker-size", "diff-algorithm"],
        long_flags: &["stdout", "object-id"],
        ..PLAIN
    },
    Spec {
        names: &["fast-export"],
        write_options: &["export-marks"],
        read_options: &["import-marks", "import-marks-if-exists"],
        long_values: &["refspec", "anonymize-map"],
        ..PLAIN
    },
    Spec {
        names: &["mailsplit"],
        values: "df",
        write_options: &["o"],
        ..PLAIN
    },
    Spec {
        names: &["index-pack"],
        values: "o",
        long_values: &["max-input-size", "index-version"],
        ..PLAIN
    },
    Spec {
        names: &["ls-files"],
        values: "x",
        read_options: &["X", "exclude-from"],
        long_values: &["exclude", "exclude-per-directory", "with-tree", "format"],
        ..PLAIN
    },
    Spec {
        names: &["fmt-merge-msg"],
        values: "m",
        read_options: &["F", "file"],
        long_values: &["message", "into-name"],
        ..PLAIN
    },
    Spec {
        names: &["clone"],
        values: "objcu",
        long_values: &[
            "origin",
            "branch",
            "depth",
            "config",
            "upload-pack",
            "jobs",
            "filter",
            "shallow-since",
            "shallow-exclude",
            "server-option",
            "bundle-uri",
            "revision",
        ],
        read_options: &["template", "reference", "reference-if-able"],
        write_options: &["separate-git-dir"],
        long_flags: &["recurse-submodules", "sparse", "single-branch"],
        ..PLAIN
    },
    Spec {
        names: &["init"],
        values: "b",
        long_values: &["initial-branch", "object-format"],
        read_options: &["template"],
        write_options: &["separate-git-dir"],
        ..PLAIN
    },
    Spec {
        names: &["clean"],
        values: "e",
        long_values: &["exclude"],
        long_flags: &["dry-run"],
        ..PLAIN
    },
    Spec {
        names: &["rm"],
        long_flags: &["cached"],
        long_values: &["pathspec-from-file"],
        ..PLAIN
    },
    Spec {
        names: &["stash"],
        values: "m",
        long_values: &["message", "pathspec-from-file"],
        long_flags: &["include-untracked", "all"],
        ..PLAIN
    },
    Spec {
        names: &["worktree"],
        values: "bB",
        long_values: &["reason"],
        ..PLAIN
    },
    Spec {
        names: &["submodule"],
        values: "b",
        long_values: &["branch", "name", "depth", "jobs"],
        read_options: &["reference"],
        ..PLAIN
    },
    Spec {
        names: &["checkout", "restore", "switch"],
        values: "bBcCs",
        long_values: &["source", "conflict", "orphan", "create", "force-create"],
        long_flags: &["staged", "worktree", "patch", "detach", "force", "track"],
        read_options: &["pathspec-from-file"],
        ..PLAIN
    },
    Spec {
        names: &["reset", "read-tree", "update-index"],
        write_options: &["index-output"],
        long_values: &["pathspec-from-file", "prefix", "cacheinfo"],
        long_flags: &["hard", "merge", "keep", "reset", "index-info", "stdin"],
        ..PLAIN
    },
];
