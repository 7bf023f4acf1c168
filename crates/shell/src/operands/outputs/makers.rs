//! Programs that fetch, convert, encrypt or record.

use super::PARTLY;
use crate::operands::arguments::OneDash;
use crate::operands::table::{PLAIN, Role, Spec};

/// The rows.
pub(super) const MAKERS: &[Spec] = &[
    Spec {
        names: &["openssl"],
        one_dash: OneDash::All,
        long_values: &[
            "pass", "passin", "passout", "days", "subj", "newkey", "name", "md", "iv", "K", "k",
            "S",
        ],
        read_options: &[
            "in",
            "inkey",
            "key",
            "cert",
            "certfile",
            "CA",
            "CAfile",
            "CAkey",
            "signature",
            "sign",
            "verify",
            "kfile",
            "rand",
            "config",
        ],
        write_options: &["out", "keyout", "CAout", "CAserial", "writerand"],
        ..PARTLY
    },
    Spec {
        names: &["gpg", "gpg2"],
        values: "ru",
        long_values: &[
            "recipient",
            "local-user",
            "homedir",
            "passphrase",
            "cipher-algo",
            "batch-size",
        ],
        read_options: &["passphrase-file", "options"],
        write_options: &[
            "o",
            "output",
            "logger-file",
            "status-file",
            "attribute-file",
        ],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["age", "rage", "sops", "minisign", "signify"],
        values: "rxm",
        read_options: &["i", "identity", "R", "recipients-file", "s"],
        write_options: &["o", "output"],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["ssh-keygen"],
        values: "bCtNPmrOYsVzMSTwnWZaDI",
        read_options: &["F", "R"],
        write_options: &["f"],
        ..PARTLY
    },
    Spec {
        names: &[
            "flex",
            "lex",
            "bison",
            "yacc",
            "byacc",
            "xsltproc",
            "xmllint",
            "tidy",
            "iconv",
            "msgfmt",
            "xgettext",
            "swig",
            "cython",
            "exiftool",
            "trivy",
            "grype",
            "semgrep",
            "pip-compile",
            "vsce",
            "yt-dlp",
            "youtube-dl",
        ],
        one_dash: OneDash::These(&["outdir", "out"]),
        write_options: &["o", "output", "outfile", "output-file", "out", "outdir"],
        ..PARTLY
    },
    Spec {
        names: &["hugo", "mkdocs", "jekyll"],
        values: "fs",
        write_options: &["d", "destination", "site-dir"],
        ..PARTLY
    },
    Spec {
        names: &["tcpdump", "tshark", "dumpcap"],
        values: "icCGsTyWBzfY",
        read_options: &["r", "F"],
        write_options: &["w"],
        ..PARTLY
    },
    Spec {
        names: &["script"],
        role: Role::Write,
        values: "cEm",
        long_values: &["command", "echo", "logging-format", "output-limit"],
        write_options: &[
            "O",
            "log-out",
            "I",
            "log-in",
            "B",
            "log-io",
            "T",
            "log-timing",
        ],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["aria2c", "axel"],
        values: "sxjkn",
        long_values: &["split", "max-connection-per-server", "header", "user-agent"],
        read_options: &["i", "input-file", "load-cookies"],
        write_options: &[
            "o",
            "out",
            "output",
            "d",
            "dir",
            "l",
            "log",
            "save-session",
            "save-cookies",
        ],
        ..PARTLY
    },
    Spec {
        names: &["http", "https", "xh", "xhs"],
        values: "aAs",
        write_options: &["o", "output"],
        ..PARTLY
    },
    Spec {
        names: &[
            "pg_dump",
            "pg_dumpall",
            "mysqldump",
            "mongodump",
            "mongoexport",
        ],
        values: "hpUudtnNc",
        write_options: &["f", "file", "r", "result-file", "o", "out"],
        ..PARTLY
    },
    Spec {
        names: &[
            "pandoc",
            "dot",
            "neato",
            "rsvg-convert",
            "inkscape",
            "plantuml",
            "mmdc",
            "cwebp",
            "asciidoctor",
        ],
        values: "tTq",
        write_options: &[
            "o",
            "output",
            "output-file",
            "extract-media",
            "log",
            "export-filename",
            "D",
        ],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &[
            "convert",
            "magick",
            "pdftotext",
            "pdftoppm",
            "qpdf",
            "wkhtmltopdf",
        ],
        role: Role::Copy { deletes: false },
        one_dash: OneDash::All,
        write_options: &["write", "path"],
        read_options: &["i"],
        partly: true,
        ..PLAIN
    },
    Spec {
        // Values of options that are not known here count as files, too.
        names: &["ffmpeg"],
        role: Role::Write,
        one_dash: OneDash::All,
        read_options: &["i"],
        partly: true,
        ..PLAIN
    },
    Spec {
        names: &["fd"],
        values: "eEtdScgoj",
        long_values: &[
            "extension",
            "exclude",
            "type",
            "max-depth",
            "size",
            "color",
            "owner",
            "threads",
            "changed-within",
            "changed-before",
        ],
        leading: 1,
        read_options: &["base-directory", "search-path", "ignore-file"],
        ..PLAIN
    },
    Spec {
        names: &["sd"],
        role: Role::Write,
        values: "nf",
        leading: 2,
        partly: true,
        ..PLAIN
    },
];
