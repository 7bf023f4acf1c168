//! The everyday programs that take names of files.

use super::arguments::OneDash;

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
    /// Written with one of these options, or always where there are none but for what only checks; a folder with
    /// everything that git tracks below it.
    Rewrite(&'static [&'static str]),
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
    /// Letters of options with a value, beside those that name files.
    pub(super) values: &'static str,
    /// Letters of options whose value can only stand in the same word.
    pub(super) optional: &'static str,
    /// Long options whose value may stand in the next word, beside those that name files.
    pub(super) long_values: &'static [&'static str],
    /// Long options whose value, if they have one, stands behind `=`: those that begin like one with a value, and
    /// those that something depends on.
    pub(super) long_flags: &'static [&'static str],
    /// Options whose value is a file to read.
    pub(super) read_options: &'static [&'static str],
    /// Options whose value is a file to write.
    pub(super) write_options: &'static [&'static str],
    /// How many operands in front are no files.
    pub(super) leading: usize,
    /// Options that take the place of the leading operands.
    pub(super) without_leading: &'static [&'static str],
    /// Whether files that options name say what is looked for: what is searched are the operands.
    pub(super) searches: bool,
    /// Which options of several letters are behind one dash.
    pub(super) one_dash: OneDash,
    /// Whether the program uses files beside those that are known here.
    pub(super) partly: bool,
}

pub(super) const PLAIN: Spec = Spec {
    names: &[],
    role: Role::Read,
    values: "",
    optional: "",
    long_values: &[],
    long_flags: &[],
    read_options: &[],
    write_options: &[],
    leading: 0,
    without_leading: &[],
    searches: false,
    one_dash: OneDash::None,
    partly: false,
};

/// Programs that read files, some of them with an option that changes them.
pub(super) const READERS: &[Spec] = &[
    Spec {
        names: &[
            "cat",
            "tac",
            "nl",
            "wc",
            "more",
            "most",
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
            "lsattr",
            "getfacl",
            "source",
            ".",
            "open",
            "xdg-open",
            "ls",
            "dir",
            "vdir",
            "eza",
            "comm",
            "cmp",
            "diff3",
            "paste",
            "join",
            "tsort",
            "hexyl",
        ],
        read_options: &["files0-from", "exclude-from"],
        long_values: &["block-size", "exclude", "time-style", "max-depth"],
        ..PLAIN
    },
    Spec {
        names: &["file"],
        values: "FPe",
        long_values: &["separator", "parameter", "exclude", "exclude-quiet"],
        read_options: &["f", "files-from", "m", "magic-file"],
        ..PLAIN
    },
    Spec {
        names: &["du"],
        values: "Bdt",
        long_values: &[
            "block-size",
            "max-depth",
            "threshold",
            "exclude",
            "time-style",
        ],
        read_options: &["X", "exclude-from", "files0-from"],
        long_flags: &["time"],
        ..PLAIN
    },
    Spec {
        names: &["less", "zless"],
        values: "bhjpPtxyzD#",
        read_options: &["k", "lesskey-file", "T", "tag-file"],
        write_options: &["o", "O", "log-file", "LOG-FILE"],
        long_values: &["pattern", "prompt", "tag", "tabs", "jump-target"],
        ..PLAIN
    },
    Spec {
        names: &["tree"],
        values: "LPI",
        write_options: &["o"],
        read_options: &["gitfile", "infofile"],
        ..PLAIN
    },
    Spec {
        names: &["head", "tail"],
        values: "nc",
        long_values: &[
            "lines",
            "bytes",
            "pid",
            "sleep-interval",
            "max-unchanged-stats",
        ],
        ..PLAIN
    },
    Spec {
        names: &["cut"],
        values: "bcdf",
        long_values: &["bytes", "characters", "delimiter", "fields"],
        ..PLAIN
    },
    Spec {
        names: &["od"],
        values: "AjNtS",
        optional: "w",
        ..PLAIN
    },
    Spec {
        names: &["hexdump", "hd"],
        values: "ens",
        read_options: &["f", "format-file"],
        ..PLAIN
    },
    Spec {
        names: &["fold"],
        values: "w",
        ..PLAIN
    },
    Spec {
        names: &["fmt"],
        values: "wpg",
        ..PLAIN
    },
    Spec {
        names: &["expand", "unexpand"],
        values: "t",
        ..PLAIN
    },
    Spec {
        names: &["pr"],
        values: "DhlNowW",
        ..PLAIN
    },
    Spec {
        names: &["column"],
        values: "nONlEHRTWripcos",
        long_values: &[
            "separator",
            "output-separator",
            "output-width",
            "table-columns",
        ],
        long_flags: &["table"],
        ..PLAIN
    },
    Spec {
        names: &["base64", "base32", "basenc"],
        values: "w",
        long_values: &["wrap"],
        ..PLAIN
    },
    Spec {
        names: &["bat"],
        values: "lrHm",
        long_values: &["language", "style", "theme", "line-range"],
        ..PLAIN
    },
    Spec {
        names: &["diff", "colordiff"],
        values: "CUIFSxWLD",
        long_values: &[
            "exclude",
            "label",
            "width",
            "ifdef",
            "ignore-matching-lines",
            "show-function-line",
            "starting-file",
            "tabsize",
            "horizon-lines",
            "line-format",
            "palette",
        ],
        long_flags: &["unified", "context", "color"],
        read_options: &["X", "exclude-from", "from-file", "to-file"],
        ..PLAIN
    },
    Spec {
        names: &["sdiff"],
        values: "Iw",
        long_values: &["ignore-matching-lines", "width", "tabsize", "diff-program"],
        write_options: &["o", "output"],
        ..PLAIN
    },
    Spec {
        names: &["sed"],
        role: Role::InPlace,
        values: "el",
        optional: "i",
        long_values: &["expression", "line-length"],
        long_flags: &["in-place"],
        read_options: &["f", "file"],
        leading: 1,
        without_leading: &["e", "f", "expression", "file"],
        ..PLAIN
    },
    Spec {
        names: &["awk"],
        role: Role::InPlace,
        values: "Fvile",
        optional: "odpDL",
        long_values: &["field-separator", "assign", "source", "include", "load"],
        long_flags: &["lint", "debug"],
        read_options: &["f", "file", "E", "exec"],
        write_options: &["profile", "pretty-print", "dump-variables", "o", "d", "p"],
        leading: 1,
        without_leading: &["f", "e", "file", "source", "E", "exec"],
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
        long_values: &["arg", "argjson", "indent"],
        read_options: &["f", "from-file", "L"],
        leading: 1,
        without_leading: &["f", "from-file"],
        role: Role::InPlace,
        ..PLAIN
    },
    Spec {
        names: &["sort"],
        values: "ktS",
        long_values: &[
            "key",
            "field-separator",
            "buffer-size",
            "batch-size",
            "parallel",
            "compress-program",
        ],
        long_flags: &["check", "sort"],
        read_options: &["files0-from", "random-source"],
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
        values: "clsgoRn",
        ..PLAIN
    },
    Spec {
        names: &["split"],
        role: Role::FirstReadThenWrite,
        values: "abClnt",
        long_values: &[
            "additional-suffix",
            "bytes",
            "filter",
            "line-bytes",
            "lines",
            "number",
            "separator",
            "suffix-length",
        ],
        long_flags: &["numeric-suffixes", "hex-suffixes"],
        ..PLAIN
    },
    Spec {
        names: &["csplit"],
        values: "bn",
        long_values: &["digits", "suffix-format"],
        write_options: &["f", "prefix"],
        ..PLAIN
    },
];
