//! The table of options whose value is run as code.

use crate::by_name::{ByName, by_names};

/// Options of a program whose value is run as code, or is settings that name some.
pub(super) struct Loading {
    names: &'static [&'static str],
    /// Letters of short options.
    pub(super) letters: &'static str,
    /// Long options, without dashes. Abbreviations count too.
    pub(super) long: &'static [&'static str],
    /// Long options of which abbreviations do not count.
    pub(super) exact: &'static [&'static str],
    /// Long options that are asked about whatever their value is.
    pub(super) always: &'static [&'static str],
}

/// A row of the table.
const fn row(
    names: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
    exact: &'static [&'static str],
    always: &'static [&'static str],
) -> Loading {
    Loading {
        names,
        letters,
        long,
        exact,
        always,
    }
}

/// Sources: the manuals of the programs.
const LOADING: &[Loading] = &[
    row(
        &["eslint"],
        "cf",
        &["config", "parser", "plugin", "format"],
        &[],
        &["rulesdir", "resolve-plugins-relative-to"],
    ),
    row(
        &["prettier"],
        "",
        &[
            "config",
            "plugin",
            "plugin-search-dir",
            "config-precedence-file",
        ],
        &[],
        &[],
    ),
    row(
        &["jest"],
        "c",
        &[
            "config",
            "globalSetup",
            "globalTeardown",
            "runner",
            "setupFiles",
            "setupFilesAfterEnv",
            "testEnvironment",
            "transform",
            "resolver",
            "reporters",
            "preset",
            "testRunner",
            "testSequencer",
            "testResultsProcessor",
            "snapshotSerializers",
            "watchPlugins",
            "dependencyExtractor",
            "prettierPath",
            "modulePathDirs",
        ],
        &[
            "env",
            "filter",
            "coverageReporters",
            "haste",
            "snapshotResolver",
            "moduleDirectories",
            "modulePaths",
        ],
        &["moduleNameMapper", "globals"],
    ),
    row(
        &["vitest"],
        "cr",
        &[
            "config",
            "globalSetup",
            "environment",
            "reporter",
            "root",
            "dir",
            "runner",
            "setupFiles",
        ],
        &[
            "browser.provider",
            "pool",
            "snapshotSerializers",
            "typecheck.checker",
            "diff",
            "workspace",
        ],
        &[
            "coverage.customProviderModule",
            "execArgv",
            "poolOptions.forks.execArgv",
            "poolOptions.threads.execArgv",
            "poolOptions.vmThreads.execArgv",
            "sequence.sequencer",
        ],
    ),
    row(
        &["mocha"],
        "ruR",
        &["require", "config", "reporter", "ui", "file", "opts"],
        &["loader", "import", "package"],
        &["node-option"],
    ),
    row(
        &["webpack", "vite", "c8", "esbuild"],
        "c",
        &["config", "config-file", "configPlugin", "plugin", "require"],
        &[],
        &[],
    ),
    row(
        &["gradle", "gradlew"],
        "Ibc",
        &["init-script", "build-file", "settings-file"],
        &[],
        &[],
    ),
    row(
        &["rollup"],
        "cp",
        &["config", "config-file", "configPlugin", "plugin", "require"],
        &[],
        &[
            "watch.onStart",
            "watch.onBundleStart",
            "watch.onBundleEnd",
            "watch.onEnd",
            "watch.onError",
        ],
    ),
    row(
        &["babel", "babel-node"],
        "r",
        &["config", "config-file", "configPlugin", "plugin", "require"],
        &["plugins", "presets"],
        &[],
    ),
    row(
        &["stylelint"],
        "cf",
        &["config", "config-file", "configPlugin", "plugin", "require"],
        &["custom-syntax", "custom-formatter", "formatter"],
        &[],
    ),
    row(
        &["nyc"],
        "",
        &["config", "config-file", "configPlugin", "plugin", "require"],
        &["nycrc-path"],
        &[],
    ),
    row(
        &["playwright"],
        "c",
        &["config", "config-file", "configPlugin", "plugin", "require"],
        &["reporter"],
        &[],
    ),
    row(
        &["tsup"],
        "",
        &["config", "config-file", "configPlugin", "plugin", "require"],
        &[],
        &["onSuccess"],
    ),
    row(&["swc"], "", &["config-file"], &[], &[]),
    row(&["ava"], "r", &[], &["config", "require"], &[]),
    row(
        &["ts-node", "tsx", "ts-node-esm"],
        "r",
        &[],
        &["require", "import", "loader"],
        &[],
    ),
    row(
        &[
            "lint-staged",
            "commitlint",
            "graphql-codegen",
            "drizzle-kit",
            "svgo",
            "typedoc",
        ],
        "cgrx",
        &[],
        &["config", "require", "extends", "plugin", "options"],
        &[],
    ),
    row(
        &["postcss"],
        "u",
        &[],
        &["config", "use", "parser", "stringifier", "syntax"],
        &[],
    ),
    row(&["lessc"], "", &[], &["plugin"], &[]),
    row(&["jsdoc"], "ct", &[], &["configure", "template"], &[]),
    row(
        &["markdownlint", "markdownlint-cli2"],
        "r",
        &[],
        &["rules"],
        &[],
    ),
    row(&["knex"], "", &[], &["knexfile"], &[]),
    row(&["prisma"], "", &[], &["schema"], &[]),
    row(&["rspec"], "rf", &[], &["require", "format"], &[]),
    row(
        &["rubocop"],
        "rcf",
        &[],
        &["require", "config", "format"],
        &[],
    ),
    row(
        &["rake"],
        "fr",
        &[],
        &["rakefile", "require"],
        &["execute", "execute-print", "execute-continue"],
    ),
    row(
        &["phpunit"],
        "c",
        &[],
        &["bootstrap", "configuration", "extension"],
        &[],
    ),
    row(
        &["phpstan", "psalm"],
        "ca",
        &[],
        &["configuration", "autoload-file", "config", "bootstrap"],
        &[],
    ),
    row(
        &["php-cs-fixer", "phpcs"],
        "",
        &[],
        &["config", "standard"],
        &[],
    ),
    row(&["mypy"], "", &[], &["config-file"], &["python-executable"]),
    row(
        &["pylint"],
        "",
        &[],
        &["rcfile", "load-plugins"],
        &["init-hook"],
    ),
    row(&["flake8"], "", &[], &["config", "append-config"], &[]),
    row(&["coverage"], "", &[], &["rcfile"], &[]),
    row(&["tox", "nox"], "cf", &[], &["conf", "noxfile"], &[]),
    row(&["pre-commit"], "c", &[], &["config"], &[]),
    row(&["sphinx-build"], "cD", &[], &["conf-dir", "define"], &[]),
    row(&["mkdocs"], "f", &[], &["config-file"], &[]),
    row(&["alembic", "gunicorn"], "c", &[], &["config"], &[]),
    row(
        &["asciidoctor", "asciidoctor-pdf"],
        "r",
        &[],
        &["require"],
        &[],
    ),
    row(&["task", "go-task"], "t", &[], &["taskfile"], &[]),
    row(&["jupyter"], "", &[], &["config"], &[]),
    row(&["cypress"], "", &["config-file"], &[], &[]),
];

static BY_NAME: ByName<Loading> = ByName::new(|| by_names(LOADING, |loading| loading.names));

/// The options of this program whose value is run as code.
pub(super) fn loading_of(base: &str) -> Option<&'static Loading> {
    BY_NAME.find(base)
}
