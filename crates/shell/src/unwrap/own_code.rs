//! Options that name a file or module which is run as code: the settings that a project finds by itself are its own,
//! another file that an option names need not be.

use super::run_options::is_long;
use crate::by_name::{ByName, by_names};
use crate::{Span, Word};

/// Options of a program whose value is run as code.
struct Loading {
    names: &'static [&'static str],
    /// Letters of short options.
    letters: &'static str,
    /// Long options, without dashes. Abbreviations count too.
    long: &'static [&'static str],
}

const LOADING: &[Loading] = &[
    Loading {
        names: &["eslint"],
        letters: "cf",
        long: &[
            "config",
            "rulesdir",
            "resolve-plugins-relative-to",
            "parser",
            "plugin",
            "format",
        ],
    },
    Loading {
        names: &["prettier"],
        letters: "",
        long: &[
            "config",
            "plugin",
            "plugin-search-dir",
            "config-precedence-file",
        ],
    },
    Loading {
        names: &["jest"],
        letters: "c",
        long: &[
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
    },
    Loading {
        names: &["vitest"],
        letters: "cr",
        long: &[
            "config",
            "globalSetup",
            "environment",
            "reporter",
            "root",
            "dir",
            "runner",
            "setupFiles",
        ],
    },
    Loading {
        names: &["mocha"],
        letters: "ruR",
        long: &["require", "config", "reporter", "ui", "file", "opts"],
    },
    Loading {
        names: &[
            "webpack",
            "rollup",
            "vite",
            "tsup",
            "playwright",
            "babel",
            "stylelint",
            "cypress",
            "nyc",
            "c8",
            "esbuild",
        ],
        letters: "c",
        long: &["config", "config-file", "configPlugin", "plugin", "require"],
    },
    Loading {
        names: &["gradle", "gradlew"],
        letters: "Ibc",
        long: &["init-script", "build-file", "settings-file"],
    },
];

static BY_NAME: ByName<Loading> = ByName::new(|| by_names(LOADING, |loading| loading.names));

/// The first option of the program that names other code.
pub(super) fn find(base: &str, words: &[Word]) -> Option<Span> {
    if matches!(base, "pytest" | "py.test") {
        return pytest(words);
    }
    let loading = BY_NAME.find(base)?;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.prefix();
        if text == "--" {
            return None;
        }
        let value = match text.strip_prefix("--") {
            Some(long) if is_long(long, loading.long) => {
                long.split_once('=').map(|(_, value)| value.to_owned())
            }
            Some(_) => continue,
            None => match text
                .strip_prefix('-')
                .and_then(|letters| letters.find(|letter| loading.letters.contains(letter)))
            {
                Some(place) => text
                    .get(place + 2..)
                    .filter(|value| !value.is_empty())
                    .map(str::to_owned),
                None => continue,
            },
        };
        let value = match value {
            Some(value) if word.literal().is_some() => Some(value),
            Some(_) => None,
            None => rest
                .clone()
                .next()
                .and_then(Word::literal)
                .map(str::to_owned),
        };
        if !value.is_some_and(|value| is_own(&value)) {
            return Some(word.span);
        }
    }
    None
}

/// The name of a package, or of settings that programs find by themselves.
fn is_own(value: &str) -> bool {
    let name = value.trim_start_matches("./");
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let is_code = matches!(
        ending,
        "js" | "cjs" | "mjs" | "ts" | "cts" | "mts" | "json" | "yml" | "yaml" | "toml" | "gradle"
    );
    if name.contains(['/', '\\', '$']) {
        // A package of a scope.
        return value.starts_with('@') && value.matches('/').count() == 1 && !is_code;
    }
    if value.starts_with("./") || is_code || name.starts_with('.') {
        let tool = stem.strip_suffix(".config").unwrap_or_default();
        let plain = !tool.is_empty() && tool.bytes().all(|byte| byte.is_ascii_lowercase());
        return plain
            || name == "package.json"
            || [
                ".eslintrc",
                ".prettierrc",
                ".mocharc",
                ".babelrc",
                ".stylelintrc",
            ]
            .contains(&stem)
            || [
                ".eslintrc",
                ".prettierrc",
                ".mocharc",
                ".babelrc",
                ".stylelintrc",
            ]
            .contains(&name);
    }
    true
}

/// pytest: settings, plugins and processes that an option names, and a file of further arguments.
fn pytest(words: &[Word]) -> Option<Span> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.prefix();
        let next = || rest.clone().next().and_then(Word::literal).unwrap_or("?");
        let loads = if text.starts_with('@') {
            true
        } else if let Some(long) = text.strip_prefix("--") {
            is_long(long, &["tx"])
                || (is_long(long, &["override-ini"]) && {
                    let value = long.split_once('=').map_or_else(next, |(_, value)| value);
                    !is_plain_setting(value)
                })
        } else if let Some(value) = text.strip_prefix("-p") {
            let value = if value.is_empty() { next() } else { value };
            !value.starts_with("no:") && !PLUGINS.contains(&value)
        } else if let Some(value) = text.strip_prefix("-o") {
            let value = if value.is_empty() { next() } else { value };
            !is_plain_setting(value)
        } else {
            false
        };
        if loads {
            return Some(word.span);
        }
    }
    None
}

/// Plugins of pytest that projects switch on by name.
const PLUGINS: &[&str] = &[
    "xdist",
    "pytest_cov",
    "cov",
    "randomly",
    "asyncio",
    "pytest_asyncio",
    "anyio",
    "timeout",
    "pytester",
];

/// A setting of pytest that says how it tells results.
fn is_plain_setting(value: &str) -> bool {
    let name = value.split('=').next().unwrap_or_default();
    [
        "log_",
        "console_",
        "junit_",
        "faulthandler_",
        "xfail_",
        "cache_dir",
        "asyncio_",
        "timeout",
        "testpaths",
        "tmp_path_",
    ]
    .iter()
    .any(|start| name.starts_with(start))
}
