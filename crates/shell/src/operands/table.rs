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

const PLAIN: Spec = Spec {
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

pub(super) const SPECS: &[Spec] = &[
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
    Spec {
        names: &[
            "tee", "sponge", "mkdir", "mkfifo", "mknod", "ed", "nano", "pico", "code", "setfacl",
        ],
        role: Role::Write,
        values: "mZ",
        long_values: &["mode"],
        ..PLAIN
    },
    Spec {
        names: &["touch"],
        role: Role::Write,
        values: "drt",
        long_values: &["date", "reference", "time"],
        read_options: &["r", "reference"],
        ..PLAIN
    },
    Spec {
        names: &["truncate", "fallocate"],
        role: Role::Write,
        values: "srlo",
        long_values: &["size", "reference", "length", "offset"],
        ..PLAIN
    },
    Spec {
        names: &["chmod", "chown", "chgrp", "chattr"],
        role: Role::Write,
        leading: 1,
        without_leading: &["reference"],
        read_options: &["reference"],
        ..PLAIN
    },
    Spec {
        names: &["vim", "vi", "nvim", "ex", "view", "emacs"],
        role: Role::ReadWrite,
        values: "cSstuTw",
        write_options: &["w"],
        ..PLAIN
    },
    Spec {
        names: &["rm", "unlink", "rmdir", "trash", "trash-put", "srm"],
        role: Role::Delete,
        ..PLAIN
    },
    Spec {
        names: &["shred"],
        role: Role::Replace,
        values: "ns",
        long_values: &["iterations", "size", "random-source"],
        ..PLAIN
    },
    Spec {
        names: &[
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "zstd", "unzstd", "lz4",
            "compress",
        ],
        role: Role::Replace,
        values: "STo",
        write_options: &["o"],
        ..PLAIN
    },
    Spec {
        names: &["cp", "gcp"],
        role: Role::Copy { deletes: false },
        values: "tS",
        long_values: &["target-directory", "suffix"],
        write_options: &["t", "target-directory"],
        ..PLAIN
    },
    Spec {
        names: &["mv", "gmv"],
        role: Role::Copy { deletes: true },
        values: "tS",
        long_values: &["target-directory", "suffix"],
        write_options: &["t", "target-directory"],
        ..PLAIN
    },
    Spec {
        names: &["ln", "link"],
        role: Role::Copy { deletes: false },
        values: "tS",
        long_values: &["target-directory", "suffix"],
        write_options: &["t", "target-directory"],
        ..PLAIN
    },
    Spec {
        names: &["install"],
        role: Role::Copy { deletes: false },
        values: "gmotS",
        long_values: &["group", "mode", "owner", "target-directory", "suffix"],
        write_options: &["t", "target-directory"],
        ..PLAIN
    },
    Spec {
        names: &["rsync"],
        role: Role::Copy { deletes: false },
        values: "efBTM",
        long_values: &[
            "rsh",
            "exclude",
            "include",
            "exclude-from",
            "include-from",
            "files-from",
            "filter",
            "temp-dir",
            "log-file",
            "backup-dir",
        ],
        read_options: &["exclude-from", "include-from", "files-from"],
        write_options: &["log-file", "backup-dir", "temp-dir", "T"],
        ..PLAIN
    },
    Spec {
        names: &["scp"],
        role: Role::Copy { deletes: false },
        values: "cFiJloPSX",
        read_options: &["F", "i"],
        ..PLAIN
    },
    Spec {
        names: &["zip"],
        role: Role::FirstWriteThenRead,
        values: "bnPtx",
        ..PLAIN
    },
    Spec {
        names: &["unzip"],
        values: "dxP",
        write_options: &["d"],
        ..PLAIN
    },
    Spec {
        names: &["patch"],
        role: Role::Write,
        values: "pioBdDFrVYz",
        long_values: &["strip", "input", "output", "directory", "reject-file"],
        read_options: &["i", "input"],
        write_options: &["o", "output", "r", "reject-file", "d", "directory"],
        ..PLAIN
    },
    Spec {
        names: &["curl"],
        role: Role::Read,
        leading: usize::MAX,
        values: "oTKbcDEFHXdAeurmwxyYzPQU",
        long_values: &[
            "output",
            "upload-file",
            "config",
            "cookie",
            "cookie-jar",
            "dump-header",
            "output-dir",
            "cacert",
            "cert",
            "key",
            "trace",
            "trace-ascii",
        ],
        read_options: &[
            "T",
            "upload-file",
            "K",
            "config",
            "b",
            "cookie",
            "cacert",
            "cert",
            "key",
            "E",
        ],
        write_options: &[
            "o",
            "output",
            "c",
            "cookie-jar",
            "D",
            "dump-header",
            "output-dir",
            "trace",
            "trace-ascii",
        ],
        ..PLAIN
    },
    Spec {
        names: &["wget"],
        leading: usize::MAX,
        values: "OoaPiUeQtTwA",
        long_values: &[
            "output-document",
            "output-file",
            "append-output",
            "directory-prefix",
            "input-file",
            "post-file",
            "body-file",
        ],
        read_options: &["i", "input-file", "post-file", "body-file"],
        write_options: &[
            "O",
            "output-document",
            "o",
            "output-file",
            "a",
            "append-output",
            "P",
            "directory-prefix",
        ],
        ..PLAIN
    },
    Spec {
        names: &["time"],
        leading: usize::MAX,
        values: "fo",
        long_values: &["format", "output"],
        write_options: &["o", "output"],
        ..PLAIN
    },
    Spec {
        names: &["xargs"],
        leading: usize::MAX,
        values: "adEILnPs",
        long_values: &["arg-file"],
        read_options: &["a", "arg-file"],
        ..PLAIN
    },
    Spec {
        names: &[
            "bash", "sh", "dash", "zsh", "ksh", "python", "python3", "node", "ruby", "php", "deno",
            "bun", "tsx", "lua",
        ],
        values: "cemrWXoO",
        long_values: &["require", "import", "loader", "rcfile", "init-file"],
        read_options: &["r", "require", "import", "rcfile", "init-file"],
        without_leading: &[],
        ..PLAIN
    },
];
