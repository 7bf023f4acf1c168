//! Bundlers, packagers and test runners.

use super::PARTLY;
use crate::operands::arguments::OneDash;
use crate::operands::table::Spec;

/// The rows.
pub(super) const PACKAGERS: &[Spec] = &[
    Spec {
        names: &["npm", "npx"],
        write_options: &[
            "pack-destination",
            "cache",
            "logs-dir",
            "prefix",
            "userconfig",
            "globalconfig",
        ],
        ..PARTLY
    },
    Spec {
        names: &["pnpm", "yarn"],
        write_options: &[
            "pack-destination",
            "store-dir",
            "modules-dir",
            "virtual-store-dir",
            "lockfile-dir",
            "out",
            "filename",
            "modules-folder",
            "cache-folder",
            "global-folder",
        ],
        ..PARTLY
    },
    Spec {
        names: &["pip", "uv"],
        values: "if",
        long_values: &["index-url", "extra-index-url", "find-links", "python"],
        read_options: &["r", "requirement", "c", "constraint", "e", "editable"],
        write_options: &[
            "t",
            "target",
            "d",
            "dest",
            "w",
            "wheel-dir",
            "root",
            "prefix",
            "src",
            "log",
            "report",
            "cache-dir",
            "o",
            "output-file",
            "out-dir",
        ],
        ..PARTLY
    },
    Spec {
        names: &["tsc"],
        one_dash: OneDash::All,
        values: "pt",
        write_options: &[
            "outDir",
            "outdir",
            "outFile",
            "outfile",
            "declarationDir",
            "declarationdir",
            "tsBuildInfoFile",
            "tsbuildinfofile",
            "generateTrace",
            "generatetrace",
            "generateCpuProfile",
            "generatecpuprofile",
        ],
        ..PARTLY
    },
    Spec {
        names: &[
            "esbuild",
            "vite",
            "parcel",
            "bun",
            "rspack",
            "tsup",
            "unbuild",
            "microbundle",
            "ncc",
        ],
        write_options: &[
            "outfile", "outdir", "outDir", "out-dir", "metafile", "dist-dir", "o", "d",
        ],
        ..PARTLY
    },
    Spec {
        names: &[
            "babel", "swc", "rollup", "webpack", "sass", "lessc", "postcss", "terser", "uglifyjs",
            "svgo",
        ],
        write_options: &[
            "o",
            "d",
            "out-file",
            "out-dir",
            "file",
            "dir",
            "output",
            "output-path",
        ],
        ..PARTLY
    },
    Spec {
        names: &[
            "jest",
            "vitest",
            "nyc",
            "c8",
            "mocha",
            "playwright",
            "cypress",
        ],
        values: "cgt",
        write_options: &[
            "outputFile",
            "coverageDirectory",
            "coverage.reportsDirectory",
            "report-dir",
            "reports-dir",
            "temp-dir",
            "temp-directory",
            "output",
            "cacheDirectory",
        ],
        ..PARTLY
    },
    Spec {
        names: &["pytest", "coverage", "mypy", "pylint", "nosetests"],
        values: "kmpcnWr",
        write_options: &[
            "junitxml",
            "junit-xml",
            "basetemp",
            "report-log",
            "o",
            "d",
            "data-file",
            "cache-dir",
            "html-report",
            "txt-report",
            "log-file",
        ],
        ..PARTLY
    },
    Spec {
        names: &["docker", "podman", "buildah", "skopeo"],
        values: "ftvpemwuhl",
        write_options: &["o", "output", "iidfile", "cidfile", "metadata-file"],
        ..PARTLY
    },
    Spec {
        names: &["gh", "glab"],
        values: "RpBHtbFl",
        write_options: &["D", "dir", "O", "output"],
        ..PARTLY
    },
    Spec {
        names: &["terraform", "tofu"],
        one_dash: OneDash::All,
        long_values: &["var", "target"],
        read_options: &["var-file"],
        write_options: &["out", "state", "state-out", "backup"],
        ..PARTLY
    },
];
