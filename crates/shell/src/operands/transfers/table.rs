//! The programs that take whole folders in, or bring them: containers, stores of objects, backups.

use super::Elsewhere::{Address, Colon};
use super::{Transfer, Verb, Way};
use crate::operands::table::{PLAIN, Spec};

pub(super) const fn verb(words: &'static [&'static str], way: Way) -> Verb {
    with(words, way, &[], &[])
}

pub(super) const fn with(
    words: &'static [&'static str],
    way: Way,
    reads: &'static [&'static str],
    writes: &'static [&'static str],
) -> Verb {
    Verb {
        words,
        way,
        reads,
        writes,
    }
}

pub(super) const fn row(
    names: &'static [&'static str],
    values: &'static str,
    long_values: &'static [&'static str],
    verbs: &'static [Verb],
) -> Transfer {
    Transfer {
        names,
        spec: Spec {
            values,
            long_values,
            ..PLAIN
        },
        verbs,
    }
}

/// Sources: the manuals of docker 28, podman 5, buildah 1.39, kubectl 1.32, aws 2, gsutil 5, gcloud 500, az 2, rclone 1.69,
/// restic 0.17, borg 1.4.
pub(super) const TRANSFERS: &[Transfer] = &[
    row(
        &["docker", "podman", "nerdctl"],
        "vepuwhlmco",
        &[
            "volume", "mount", "opt", "name", "env-file", "network", "platform",
        ],
        &[
            verb(&["cp"], Way::Copies(Colon)),
            verb(&["container", "cp"], Way::Copies(Colon)),
            verb(&["compose", "cp"], Way::Copies(Colon)),
            verb(&["plugin", "create"], Way::Takes(1)),
            verb(&["build"], Way::Builds),
            verb(&["buildx", "build"], Way::Builds),
            verb(&["buildx", "b"], Way::Builds),
            verb(&["image", "build"], Way::Builds),
            verb(&["builder", "build"], Way::Builds),
        ],
    ),
    row(
        &["docker-compose", "podman-compose"],
        "vepufw",
        &["volume", "file", "name", "user", "workdir"],
        &[verb(&["cp"], Way::Copies(Colon))],
    ),
    row(
        &["buildah"],
        "v",
        &["volume", "mount"],
        &[
            verb(&["build"], Way::Builds),
            verb(&["bud"], Way::Builds),
            verb(&["copy"], Way::Takes(1)),
            verb(&["add"], Way::Takes(1)),
        ],
    ),
    row(
        &["kubectl", "oc"],
        "ncf",
        &[
            "namespace",
            "container",
            "context",
            "from-file",
            "from-env-file",
            "from-dir",
            "retries",
        ],
        &[
            verb(&["cp"], Way::Copies(Colon)),
            verb(&["rsync"], Way::Copies(Colon)),
            with(
                &["create"],
                Way::Options,
                &["from-file", "from-env-file"],
                &[],
            ),
            with(
                &["start-build"],
                Way::Options,
                &["from-dir", "from-file"],
                &[],
            ),
        ],
    ),
    row(
        &["aws"],
        "",
        &[
            "profile",
            "region",
            "endpoint-url",
            "output",
            "query",
            "exclude",
            "include",
            "acl",
            "storage-class",
            "content-type",
            "cache-control",
            "metadata",
            "sse",
            "sse-kms-key-id",
            "metadata-directive",
            "source-region",
            "expires",
            "page-size",
            "color",
        ],
        &[
            verb(&["s3", "cp"], Way::Copies(Address)),
            verb(&["s3", "mv"], Way::Copies(Address)),
            verb(&["s3", "sync"], Way::Copies(Address)),
            verb(&["deploy", "push"], Way::TakesOrHere),
        ],
    ),
    row(
        &["s3cmd", "s5cmd"],
        "cm",
        &[
            "config",
            "exclude",
            "include",
            "endpoint-url",
            "profile",
            "rexclude",
        ],
        &[
            verb(&["put"], Way::Copies(Address)),
            verb(&["get"], Way::Copies(Address)),
            verb(&["cp"], Way::Copies(Address)),
            verb(&["mv"], Way::Copies(Address)),
            verb(&["sync"], Way::Copies(Address)),
        ],
    ),
    row(
        &["gsutil"],
        "hox",
        &["exclude"],
        &[
            verb(&["cp"], Way::Copies(Address)),
            verb(&["mv"], Way::Copies(Address)),
            verb(&["rsync"], Way::Copies(Address)),
        ],
    ),
    row(
        &["gcloud"],
        "x",
        &[
            "project", "region", "zone", "source", "exclude", "tag", "config", "account", "format",
        ],
        &[
            verb(&["storage", "cp"], Way::Copies(Address)),
            verb(&["storage", "mv"], Way::Copies(Address)),
            verb(&["storage", "rsync"], Way::Copies(Address)),
            verb(&["compute", "scp"], Way::Copies(Colon)),
            with(&["builds", "submit"], Way::TakesOrHere, &["source"], &[]),
            with(&["run", "deploy"], Way::Options, &["source"], &[]),
            with(&["functions", "deploy"], Way::Options, &["source"], &[]),
            verb(&["app", "deploy"], Way::TakesOrHere),
        ],
    ),
    row(
        &["az"],
        "sdcfnor",
        &[
            "source",
            "destination",
            "container",
            "file",
            "account-name",
            "pattern",
            "name",
            "registry",
            "image",
        ],
        &[
            with(
                &["storage", "blob", "upload-batch"],
                Way::Options,
                &["s", "source"],
                &[],
            ),
            with(
                &["storage", "blob", "sync"],
                Way::Options,
                &["s", "source"],
                &[],
            ),
            with(
                &["storage", "blob", "upload"],
                Way::Options,
                &["f", "file"],
                &[],
            ),
            with(
                &["storage", "file", "upload-batch"],
                Way::Options,
                &["s", "source"],
                &[],
            ),
            with(
                &["storage", "blob", "download-batch"],
                Way::Options,
                &[],
                &["d", "destination"],
            ),
            with(
                &["storage", "file", "download-batch"],
                Way::Options,
                &[],
                &["d", "destination"],
            ),
            with(
                &["storage", "blob", "download"],
                Way::Options,
                &[],
                &["f", "file"],
            ),
            verb(&["acr", "build"], Way::TakesOrHere),
            verb(&["webapp", "up"], Way::TakesOrHere),
        ],
    ),
    row(
        &["azcopy"],
        "",
        &["include-pattern", "exclude-pattern", "from-to", "log-level"],
        &[
            verb(&["copy"], Way::Copies(Address)),
            verb(&["cp"], Way::Copies(Address)),
            verb(&["sync"], Way::Copies(Address)),
        ],
    ),
    row(
        &["rclone"],
        "",
        &[
            "config",
            "exclude",
            "include",
            "filter",
            "filter-from",
            "transfers",
            "checkers",
            "bwlimit",
            "max-age",
            "min-age",
            "max-size",
            "min-size",
            "log-level",
            "stats",
        ],
        &[
            verb(&["copy"], Way::Copies(Colon)),
            verb(&["sync"], Way::Copies(Colon)),
            verb(&["move"], Way::Copies(Colon)),
            verb(&["copyto"], Way::Copies(Colon)),
            verb(&["moveto"], Way::Copies(Colon)),
            verb(&["serve"], Way::Takes(1)),
            verb(&["bisync"], Way::Copies(Colon)),
        ],
    ),
    row(
        &["restic"],
        "reHopt",
        &[
            "files-from",
            "files-from-raw",
            "files-from-verbatim",
            "repo",
            "exclude",
            "tag",
            "host",
            "option",
            "target",
            "include",
            "exclude-file",
            "iexclude",
        ],
        &[
            verb(&["backup"], Way::Takes(0)),
            with(&["restore"], Way::Options, &[], &["t", "target"]),
        ],
    ),
    row(
        &["borg"],
        "Cep",
        &[
            "compression",
            "exclude",
            "exclude-from",
            "pattern",
            "comment",
            "rsh",
        ],
        &[
            verb(&["create"], Way::Takes(1)),
            verb(&["extract"], Way::Brings),
        ],
    ),
    row(
        &["duplicity", "unison"],
        "",
        &["exclude", "include", "encrypt-key", "time"],
        &[
            verb(&["restore"], Way::Copies(Address)),
            verb(&["full"], Way::Copies(Address)),
            verb(&["incremental"], Way::Copies(Address)),
            verb(&[], Way::Copies(Address)),
        ],
    ),
    row(
        &["bup"],
        "nr",
        &["name", "remote"],
        &[verb(&["save"], Way::Takes(0))],
    ),
    row(
        &["kopia"],
        "",
        &["tags", "description"],
        &[
            verb(&["snapshot", "create"], Way::Takes(0)),
            verb(&["snap", "create"], Way::Takes(0)),
        ],
    ),
];
