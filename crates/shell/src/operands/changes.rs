//! The everyday programs that change files, and those whose arguments name files in other ways.

use super::table::{PLAIN, Role, Spec};

/// Programs that write, copy, move, remove or fetch files.
pub(super) const CHANGERS: &[Spec] = &[
    Spec {
        names: &["tee", "sponge", "mkdir", "mkfifo", "mknod", "setfacl"],
        role: Role::Write,
        values: "mZ",
        long_values: &["mode"],
        ..PLAIN
    },
    Spec {
        names: &["ed", "red", "nano", "pico", "code"],
        role: Role::ReadWrite,
        values: "prsTYCo",
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
        names: &["truncate"],
        role: Role::Write,
        values: "s",
        long_values: &["size", "length", "offset"],
        read_options: &["r", "reference"],
        ..PLAIN
    },
    Spec {
        names: &["fallocate"],
        role: Role::Write,
        values: "lo",
        long_values: &["length", "offset"],
        ..PLAIN
    },
    Spec {
        // `-w` can be a mode (`chmod -w file`), so the first operand counts as a file then.
        names: &["chmod", "chown", "chgrp", "chattr"],
        role: Role::Write,
        leading: 1,
        without_leading: &[
            "reference",
            "w",
            "r",
            "x",
            "X",
            "s",
            "t",
            "u",
            "g",
            "o",
            "a",
            "i",
            "A",
            "S",
        ],
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
            "gzip",
            "gunzip",
            "bzip2",
            "bunzip2",
            "compress",
            "uncompress",
            "lz4",
            "pigz",
        ],
        role: Role::Replace,
        values: "S",
        long_values: &["suffix"],
        ..PLAIN
    },
    Spec {
        names: &["xz", "unxz", "lzma", "unlzma"],
        role: Role::Replace,
        values: "STMFC",
        long_values: &["suffix", "threads", "memlimit", "format", "check"],
        read_options: &["files", "files0"],
        ..PLAIN
    },
    Spec {
        names: &["zstd", "unzstd", "zstdmt"],
        role: Role::Replace,
        values: "TMB",
        long_values: &["threads", "memory", "format"],
        read_options: &["D", "patch-from", "filelist"],
        write_options: &["o", "output-dir-flat", "output-dir-mirror"],
        ..PLAIN
    },
    Spec {
        names: &["cp"],
        role: Role::Copy { deletes: false },
        values: "tS",
        long_values: &["target-directory", "suffix", "no-preserve", "sparse"],
        write_options: &["t", "target-directory"],
        ..PLAIN
    },
    Spec {
        names: &["mv"],
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
        long_values: &["group", "mode", "owner", "suffix", "strip-program"],
        long_flags: &["strip", "directory"],
        write_options: &["t", "target-directory"],
        ..PLAIN
    },
    Spec {
        names: &["rsync"],
        role: Role::Copy { deletes: false },
        values: "efBM",
        long_values: &[
            "rsh",
            "exclude",
            "include",
            "filter",
            "block-size",
            "bwlimit",
            "max-size",
            "min-size",
            "port",
            "timeout",
            "info",
            "out-format",
            "rsync-path",
            "chmod",
            "chown",
            "suffix",
            "remote-option",
        ],
        long_flags: &["compress", "backup", "delete"],
        read_options: &[
            "exclude-from",
            "include-from",
            "files-from",
            "password-file",
            "compare-dest",
            "copy-dest",
            "link-dest",
            "read-batch",
        ],
        write_options: &[
            "log-file",
            "backup-dir",
            "temp-dir",
            "T",
            "partial-dir",
            "write-batch",
            "only-write-batch",
        ],
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
        values: "nPt",
        write_options: &["b", "temp-path", "O", "output-file", "lf", "logfile-path"],
        ..PLAIN
    },
    Spec {
        names: &["patch"],
        role: Role::Write,
        values: "pBDFVYzg",
        long_values: &[
            "strip",
            "fuzz",
            "ifdef",
            "prefix",
            "basename-prefix",
            "suffix",
            "version-control",
            "quoting-style",
            "read-only",
            "reject-format",
            "get",
        ],
        long_flags: &["version"],
        read_options: &["i", "input"],
        write_options: &["o", "output", "r", "reject-file", "d", "directory"],
        ..PLAIN
    },
    WGET,
    DENO,
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
        names: &["ruby"],
        role: Role::InPlace,
        values: "eErIFCKT",
        read_options: &["r"],
        ..PLAIN
    },
    Spec {
        names: &[
            "bash", "sh", "dash", "zsh", "ksh", "python", "node", "php", "tsx", "lua",
        ],
        values: "cemrWXoO",
        long_values: &["require", "import", "loader", "rcfile", "init-file"],
        read_options: &["r", "require", "import", "rcfile", "init-file"],
        without_leading: &[],
        ..PLAIN
    },
];

/// The options of `deno`, several of which have a value behind `=` only.
pub(super) const DENO: Spec = Spec {
    names: &["deno"],
    values: "LneR",
    long_values: &[
        "log-level",
        "ext",
        "name",
        "seed",
        "location",
        "target",
        "icon",
        "filter",
    ],
    long_flags: &["coverage", "lock", "env-file"],
    read_options: &[
        "c",
        "config",
        "import-map",
        "lock",
        "env-file",
        "cert",
        "preload",
    ],
    write_options: &["o", "output", "outdir", "root", "coverage", "junit-path"],
    ..PLAIN
};

/// The options of `wget`; what it is given are addresses.
pub(super) const WGET: Spec = Spec {
    names: &["wget", "wget2"],
    leading: usize::MAX,
    values: "eBtTwQUlARDIX",
    long_values: &[
        "header",
        "execute",
        "user-agent",
        "tries",
        "timeout",
        "wait",
        "quota",
        "limit-rate",
        "level",
        "accept",
        "reject",
        "domains",
        "post-data",
        "user",
        "password",
        "base",
        "cut-dirs",
        "method",
    ],
    read_options: &[
        "i",
        "input-file",
        "post-file",
        "body-file",
        "config",
        "load-cookies",
        "certificate",
        "private-key",
        "ca-certificate",
        "ca-directory",
        "crl-file",
        "warc-dedup",
        "use-askpass",
    ],
    write_options: &[
        "O",
        "output-document",
        "o",
        "output-file",
        "a",
        "append-output",
        "P",
        "directory-prefix",
        "save-cookies",
        "rejected-log",
        "hsts-file",
        "warc-file",
        "warc-tempdir",
    ],
    ..PLAIN
};
