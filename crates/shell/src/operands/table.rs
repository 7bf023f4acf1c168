//! The everyday programs that take names of files.

/// What is done to the operands.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Read,
    Write,
    Delete,
    ReadWrite,
    /// Read, replaced by another file and removed (`gzip`).
    Replace,
    /// Read, and written with `-i`.
    InPlace,
    /// The first is read, the others are written (`uniq in out`).
    FirstReadThenWrite,
    /// The first is written, the others are read (`zip out in`).
    FirstWriteThenRead,
    /// All but the last are read (and removed), the last is written.
    Copy {
        deletes: bool,
    },
}

pub(super) struct Spec {
    pub(super) names: &'static [&'static str],
    pub(super) role: Role,
    /// Letters of options with a value.
    pub(super) values: &'static str,
    /// Long options whose value may stand in the next word.
    pub(super) long_values: &'static [&'static str],
    /// Options whose value is a file to read.
    pub(super) read_options: &'static [&'static str],
    /// Options whose value is a file to write.
    pub(super) write_options: &'static [&'static str],
    /// How many operands in front are no files.
    pub(super) leading: usize,
    /// Options that take the place of the leading operands.
    pub(super) without_leading: &'static [&'static str],
}

pub(super) const PLAIN: Spec = Spec {
    names: &[],
    role: Role::Read,
    values: "",
    long_values: &[],
    read_options: &[],
    write_options: &[],
    leading: 0,
    without_leading: &[],
};

/// `tar` is read by a function of its own.
pub(super) const TAR: Spec = Spec {
    values: "fCTXbgHIKLNVF",
    long_values: &[
        "file",
        "directory",
        "files-from",
        "exclude-from",
        "exclude",
        "transform",
        "strip-components",
    ],
    ..PLAIN
};

/// Programs that read files, some of them with an option that changes them.
pub(super) const READERS: &[Spec] = &[
    Spec {
        names: &[
            "cat",
            "tac",
            "nl",
            "wc",
            "less",
            "more",
            "most",
            "file",
            "stat",
            "md5sum",
            "sha1sum",
            "sha224sum",
            "sha256sum",
            "sha384sum",
            "sha512sum",
            "b2sum",
            "cksum",
            "sum",
            "rev",
            "strings",
            "readlink",
            "realpath",
            "zcat",
            "bzcat",
            "xzcat",
            "zless",
            "lsattr",
            "getfacl",
            "source",
            ".",
            "open",
            "xdg-open",
            "ls",
            "dir",
            "vdir",
            "du",
            "tree",
            "exa",
            "eza",
            "comm",
            "cmp",
            "diff3",
            "paste",
            "join",
            "pr",
            "tsort",
            "hexyl",
        ],
        ..PLAIN
    },
    Spec {
        names: &["head", "tail"],
        values: "ncs",
        long_values: &["lines", "bytes", "pid"],
        ..PLAIN
    },
    Spec {
        names: &["cut"],
        values: "bcdf",
        long_values: &["bytes", "characters", "delimiter", "fields"],
        ..PLAIN
    },
    Spec {
        names: &["od", "hexdump"],
        values: "AjNtwSesn",
        ..PLAIN
    },
    Spec {
        names: &["fold", "fmt", "expand", "unexpand", "column"],
        values: "wtsco",
        ..PLAIN
    },
    Spec {
        names: &["base64", "base32", "basenc"],
        values: "w",
        long_values: &["wrap"],
        ..PLAIN
    },
    Spec {
        names: &["bat", "batcat"],
        values: "lrHmp",
        long_values: &["language", "style", "theme", "line-range"],
        ..PLAIN
    },
    Spec {
        names: &["diff", "colordiff", "sdiff"],
        values: "CUIFSxXW",
        long_values: &["exclude", "exclude-from", "label", "width"],
        read_options: &["X", "exclude-from", "from-file", "to-file"],
        write_options: &["o", "output"],
        ..PLAIN
    },
    Spec {
        names: &["grep", "egrep", "fgrep", "zgrep", "rgrep"],
        values: "efmABCdD",
        long_values: &[
            "regexp",
            "file",
            "max-count",
            "include",
            "exclude",
            "exclude-from",
            "context",
        ],
        read_options: &["f", "file", "exclude-from"],
        leading: 1,
        without_leading: &["e", "f", "regexp", "file"],
        ..PLAIN
    },
    Spec {
        names: &["rg", "ag", "ack"],
        values: "efmABCgtTjMrd",
        long_values: &[
            "regexp",
            "file",
            "max-count",
            "glob",
            "iglob",
            "type",
            "type-not",
            "context",
            "ignore-file",
            "replace",
            "sort",
        ],
        read_options: &["f", "file", "ignore-file"],
        leading: 1,
        without_leading: &["e", "f", "regexp", "file", "files", "type-list"],
        ..PLAIN
    },
    Spec {
        names: &["sed", "gsed"],
        role: Role::InPlace,
        values: "efl",
        long_values: &["expression", "file", "line-length"],
        read_options: &["f", "file"],
        leading: 1,
        without_leading: &["e", "f", "expression", "file"],
        ..PLAIN
    },
    Spec {
        names: &["awk", "gawk", "mawk", "nawk"],
        role: Role::InPlace,
        values: "Ffvie",
        long_values: &["file", "field-separator", "assign", "source"],
        read_options: &["f", "file"],
        leading: 1,
        without_leading: &["f", "e", "file", "source"],
        ..PLAIN
    },
    Spec {
        names: &["perl"],
        role: Role::InPlace,
        values: "eEIMmF",
        leading: 0,
        ..PLAIN
    },
    Spec {
        names: &["jq", "yq", "gojq"],
        values: "L",
        long_values: &["arg", "argjson", "indent"],
        read_options: &["f", "from-file", "L"],
        leading: 1,
        without_leading: &["f", "from-file"],
        role: Role::InPlace,
        ..PLAIN
    },
    Spec {
        names: &["sort", "gsort"],
        values: "kotTS",
        long_values: &[
            "key",
            "output",
            "field-separator",
            "temporary-directory",
            "files0-from",
        ],
        read_options: &["files0-from"],
        write_options: &["o", "output", "T", "temporary-directory"],
        ..PLAIN
    },
    Spec {
        names: &["uniq"],
        role: Role::FirstReadThenWrite,
        values: "fsw",
        ..PLAIN
    },
    Spec {
        names: &["xxd"],
        role: Role::FirstReadThenWrite,
        values: "clsgoR",
        ..PLAIN
    },
    Spec {
        names: &["split", "csplit"],
        role: Role::FirstReadThenWrite,
        values: "abClnt",
        ..PLAIN
    },
];
