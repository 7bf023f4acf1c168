//! The programs that publish a folder, or make one text of it.

use super::Elsewhere::Colon;
use super::table::{row, verb, with};
use super::{Transfer, Way};

/// Sources: the manuals of gh 2, npm 11, yarn 4, vercel 41, netlify 19, wrangler 4, repomix 0.2.
pub(super) const PUBLISHERS: &[Transfer] = &[
    row(
        &["gh"],
        "RtnFDO",
        &[
            "repo",
            "title",
            "notes",
            "notes-file",
            "target",
            "desc",
            "filename",
            "name",
            "pattern",
            "dir",
            "output",
        ],
        &[
            verb(&["release", "create"], Way::Takes(1)),
            verb(&["release", "upload"], Way::Takes(1)),
            verb(&["gist", "create"], Way::Takes(0)),
            with(
                &["release", "download"],
                Way::Brings,
                &[],
                &["D", "dir", "O", "output"],
            ),
            with(&["run", "download"], Way::Brings, &[], &["D", "dir"]),
        ],
    ),
    row(
        &["npm", "pnpm", "bun"],
        "w",
        &[
            "tag",
            "access",
            "otp",
            "registry",
            "pack-destination",
            "workspace",
            "filter",
        ],
        &[
            verb(&["publish"], Way::TakesOrHere),
            verb(&["pack"], Way::TakesOrHere),
            verb(&["pm", "pack"], Way::TakesOrHere),
        ],
    ),
    row(
        &["yarn"],
        "f",
        &["tag", "access", "filename", "out", "otp"],
        &[
            verb(&["publish"], Way::TakesOrHere),
            verb(&["pack"], Way::TakesOrHere),
            verb(&["npm", "publish"], Way::TakesOrHere),
        ],
    ),
    row(
        &["vercel", "now"],
        "AbeSt",
        &[
            "cwd",
            "token",
            "env",
            "build-env",
            "scope",
            "local-config",
            "name",
        ],
        &[
            with(&["deploy"], Way::TakesOrHere, &["cwd"], &[]),
            with(&[], Way::TakesOrHere, &["cwd"], &[]),
        ],
    ),
    row(
        &["netlify", "ntl"],
        "dsm",
        &["dir", "site", "message", "functions"],
        &[with(
            &["deploy"],
            Way::TakesOrHere,
            &["d", "dir", "functions"],
            &[],
        )],
    ),
    row(
        &["wrangler"],
        "",
        &["project-name", "branch", "env", "name"],
        &[
            verb(&["pages", "deploy"], Way::TakesOrHere),
            verb(&["pages", "publish"], Way::TakesOrHere),
        ],
    ),
    row(
        &["flyctl", "fly", "railway", "firebase", "heroku", "eb"],
        "ace",
        &["config", "app", "service", "environment", "only", "message"],
        &[
            verb(&["deploy"], Way::TakesOrHere),
            verb(&["up"], Way::TakesOrHere),
        ],
    ),
    row(
        &["surge"],
        "pd",
        &["project", "domain"],
        &[with(&[], Way::TakesOrHere, &["p", "project"], &[])],
    ),
    row(
        &[
            "repomix",
            "code2prompt",
            "files-to-prompt",
            "gitingest",
            "yek",
        ],
        "oie",
        &[
            "output",
            "include",
            "ignore",
            "extension",
            "exclude",
            "style",
            "remote",
            "tokens",
        ],
        &[verb(&[], Way::TakesOrHere)],
    ),
    row(
        &["ipfs", "croc", "wormhole"],
        "",
        &["code"],
        &[
            verb(&["add"], Way::Takes(0)),
            verb(&["send"], Way::Takes(0)),
        ],
    ),
    row(
        &["huggingface-cli", "hf"],
        "",
        &[
            "local-dir",
            "include",
            "exclude",
            "revision",
            "repo-type",
            "token",
            "cache-dir",
            "commit-message",
        ],
        &[
            with(
                &["download"],
                Way::Options,
                &[],
                &["local-dir", "cache-dir"],
            ),
            verb(&["upload"], Way::Takes(1)),
            verb(&["upload-large-folder"], Way::Takes(1)),
        ],
    ),
    row(
        &["kaggle"],
        "pfdcvm",
        &["path", "file", "dataset"],
        &[
            with(&["datasets", "download"], Way::Brings, &[], &["p", "path"]),
            with(
                &["competitions", "download"],
                Way::Brings,
                &[],
                &["p", "path"],
            ),
            with(
                &["datasets", "create"],
                Way::TakesOrHere,
                &["p", "path"],
                &[],
            ),
            with(
                &["datasets", "version"],
                Way::TakesOrHere,
                &["p", "path"],
                &[],
            ),
            with(&["kernels", "push"], Way::TakesOrHere, &["p", "path"], &[]),
        ],
    ),
    row(
        &["wandb"],
        "npt",
        &["name", "project", "type"],
        &[verb(&["artifact", "put"], Way::Takes(0))],
    ),
    row(
        &["degit", "tiged"],
        "",
        &["mode"],
        &[verb(&[], Way::Copies(Colon))],
    ),
    row(
        &["mksquashfs", "genisoimage", "mkisofs"],
        "oVAb",
        &["exclude"],
        &[verb(&[], Way::Takes(0))],
    ),
    row(
        &["vsce", "ovsx", "lerna"],
        "oipm",
        &["out", "packagePath", "pat", "target", "message"],
        &[
            verb(&["package"], Way::TakesOrHere),
            verb(&["publish"], Way::TakesOrHere),
        ],
    ),
    row(
        &["helm"],
        "dnf",
        &["destination", "version", "app-version"],
        &[verb(&["package"], Way::Takes(0))],
    ),
];
