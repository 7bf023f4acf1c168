//! The everyday programs that change files, and those whose arguments name files in other ways.

use super::table::{PLAIN, Role, Spec};

/// Programs that write, copy, move, remove or fetch files.
pub(super) const CHANGERS: &[Spec] = &[
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
