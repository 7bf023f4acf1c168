//! Variables of an environment by which programs load or choose code (docs/policy.md, "Commands"): the one table for what a
//! call may not give its command, and for what a command text sets itself.
//!
//! Entries are patterns, separated by spaces; `*` stands for any text.

mod values;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub use values::{is_plain_value, is_rust_toolchain};

/// Names that a call may not set, and that a command text may not set unasked.
const REFUSED: &[&str] = &[
    // Where programs are found, and as whom.
    "PATH HOME SHELL IFS CDPATH PATHEXT ComSpec COMSPEC",
    // What shells read.
    "ENV BASH_ENV BASHOPTS SHELLOPTS PS0 PS1 PS4 PROMPT_COMMAND BASH_FUNC_*",
    "BASH_LOADABLES_PATH BASH_XTRACEFD ZDOTDIR FPATH INPUTRC",
    // What the loader and the C library read.
    "LD_* DYLD_* GCONV_PATH GLIBC_TUNABLES LOCPATH NLSPATH HOSTALIASES MALLOC_* TERMINFO*",
    "TERMCAP OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_ENGINES OPENSSL_MODULES",
    // Programs that others start.
    "*PAGER PAGER* EDITOR VISUAL *_EDITOR FCEDIT BROWSER LESS* *_ASKPASS SSH_ASKPASS*",
    "*_WRAPPER *_RUNNER *_PROXY *_CONFIG_PATH",
    // Git and ssh: helpers, hooks, configuration, transports.
    "GIT_* GCM_* RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH SSH_SK_PROVIDER",
    // Interpreters and build tools.
    "NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE npm_config_* YARN_* PNPM_*",
    "BUN_OPTIONS DENO_* PYTHON* PERL5* PERLLIB RUBY* GEM_* BUNDLE_* JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS CLASSPATH MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS",
    "LUA_* PHPRC PHP_INI_SCAN_DIR R_PROFILE* R_ENVIRON* DOTNET_STARTUP_HOOKS CORECLR_*",
    "COR_* RUSTC RUSTDOC RUSTFLAGS RUSTC_* CARGO_BUILD_* CARGO_TARGET_*_LINKER CARGO_HOME",
    "RUSTUP_* GOFLAGS GOTOOLCHAIN MAKEFLAGS MAKEFILES GNUMAKEFLAGS MFLAGS",
    "CMAKE_TOOLCHAIN_FILE TAR_OPTIONS XDG_CONFIG_* XDG_DATA_* KUBECONFIG DOCKER_CONFIG",
    "PIP_CONFIG_FILE PSModulePath VIMINIT EXINIT ZIP ZIPOPT",
    // The mark by which the processes of a command are found again.
    "TENON_COMMAND",
];

/// Names that may be set once somebody was asked: calls have good reasons for them more often than not, and a value
/// that is of no consequence is known by [`is_plain_value`].
const ASKED: &[&str] = &[
    "AWKPATH AWKLIBPATH BASH_CMDS BASH_ALIASES POSIXLY_CORRECT EXECIGNORE MANOPT MANROFFOPT MAILRC GNUPGHOME",
    // Compilers and their settings.
    "CC CXX CPP FC AS LD AR NM RANLIB STRIP OBJCOPY HOSTCC HOSTCXX CC_FOR_BUILD",
    "CFLAGS CXXFLAGS CPPFLAGS LDFLAGS FFLAGS CGO_*FLAGS RUSTDOCFLAGS CARGO_ENCODED_RUSTFLAGS",
    "COMPILER_PATH GCC_EXEC_PREFIX GCC_SPECS LIBRARY_PATH CPATH C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH CCACHE_COMPILER CCACHE_PREFIX* CCACHE_CONFIGPATH CCACHE_PATH",
    "CONFIG_SHELL CONFIG_SITE PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR *_LAUNCHER",
    "CMAKE_*_PATH CMAKE_MAKE_PROGRAM NINJAFLAGS SCONSFLAGS RAKEOPT",
    // Cargo and rustup, go.
    "CARGO CARGO_ALIAS_* CARGO_REGISTRIES_* CARGO_REGISTRY_* CARGO_SOURCE_* CARGO_HOST_*",
    "CARGO_UNSTABLE_* CARGO_TARGET_*_RUSTFLAGS RUSTFMT GOENV GOROOT GOPROXY GOCACHEPROG GOAUTH GCCGO",
    // The Java world.
    "JAVA_HOME JAVACMD M2_HOME MAVEN_HOME MAVEN_* GRADLE_HOME GRADLE_USER_HOME ANT_OPTS ANT_ARGS ANT_HOME",
    "SBT_OPTS SCALA_HOME KOTLIN_HOME CATALINA_OPTS LEIN_JVM_OPTS JVM_OPTS",
    // Scripting languages and their test runners.
    "PERL_* HARNESS_* PYTEST_ADDOPTS PYTEST_PLUGINS PYLINTRC JUPYTER_* IPYTHONDIR PIP_* UV_* POETRY_*",
    "IRBRC COMPOSER COMPOSER_HOME COMPOSER_BIN_DIR COMPOSER_VENDOR_DIR R_LIBS* R_HOME TCLLIBPATH",
    "TCL_LIBRARY GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH JULIA_LOAD_PATH JULIA_DEPOT_PATH",
    "JULIA_PROJECT ERL_* ELIXIR_ERL_OPTIONS MIX_EXS MIX_HOME MIX_ARCHIVES CAML_LD_LIBRARY_PATH",
    "OCAMLPATH GHC_PACKAGE_PATH SWIFT_EXEC DEVELOPER_DIR NIX_PATH NIX_CONFIG NIX_CONF_DIR NIX_SSHOPTS NIX_REMOTE",
    "DOTNET_ROOT DOTNET_ROOT_* DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE",
    // The JavaScript world.
    "BUN_INSTALL TS_NODE_COMPILER TS_NODE_PROJECT TS_NODE_CWD ESBUILD_BINARY_PATH SASS_BINARY_PATH",
    "*_EXECUTABLE_PATH CHROME_BIN CHROME_PATH ELECTRON_OVERRIDE_DIST_PATH ELECTRON_RUN_AS_NODE COREPACK_HOME",
    "COREPACK_NPM_REGISTRY COREPACK_INTEGRITY_KEYS BROWSERSLIST_CONFIG LEFTHOOK_CONFIG LEFTHOOK_BIN",
    "PRE_COMMIT_HOME TURBO_BINARY_PATH",
    // Programs with files of options, or with programs of their own.
    "CURL_HOME WGETRC SYSTEM_WGETRC RSYNC_* UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT GREP_OPTIONS",
    "ACK_OPTIONS BAT_OPTS FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS FZF_DEFAULT_OPTS_FILE MYSQL_HOME",
    "PGSERVICEFILE PGSYSCONFDIR PSQLRC HGRCPATH HGMERGE *EDITOR DIFFPROG ANSIBLE_* VAGRANT_*",
    "TF_CLI_* HELM_PLUGINS HELM_*_HOME KUBECTL_EXTERNAL_DIFF AWS_CONFIG_FILE",
    "AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG CLOUDSDK_PYTHON* BUILDX_CONFIG DOCKER_HOST BUILDKIT_HOST",
    "MAGICK_* GS_LIB GS_OPTIONS GIO_EXTRA_MODULES GTK_MODULES GTK_PATH QT_PLUGIN_PATH",
    "QT_QPA_PLATFORM_PLUGIN_PATH DBUS_*_ADDRESS",
    // Files that programs read, and show in their errors, or write.
    "MAGIC DATEMSK SSLKEYLOGFILE TAPE",
];

/// Names of the families above that load nothing, and that calls have good reasons to set.
const HARMLESS: &[&str] = &[
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING",
    "PYTHONFAULTHANDLER GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT NO_PROXY",
    "CARGO_BUILD_JOBS CARGO_BUILD_INCREMENTAL PIP_NO_INPUT PIP_DISABLE_PIP_VERSION_CHECK",
    "PIP_NO_CACHE_DIR PIP_QUIET UV_NO_PROGRESS UV_OFFLINE npm_config_loglevel npm_config_fund",
    "npm_config_audit npm_config_progress npm_config_update_notifier YARN_ENABLE_TELEMETRY",
    "YARN_ENABLE_IMMUTABLE_INSTALLS BUNDLE_WITHOUT BUNDLE_JOBS BUNDLE_RETRY JUPYTER_PLATFORM_DIRS",
];

/// Names that programs read in any case, wherever they run.
const ANY_CASE: &[&str] = &["npm_config_* pnpm_config_* yarn_* *_proxy"];

/// Patterns, made ready for looking up many names.
struct Patterns {
    whole: HashSet<String>,
    /// What stands around the stars, by the first letter.
    beginning: HashMap<u8, Vec<Vec<String>>>,
    /// The same of patterns that begin with a star.
    ending: Vec<Vec<String>>,
    /// With which two letters whole names and patterns begin, and with which patterns end that begin with a star: most
    /// names are none of them by that alone.
    begins: Pairs,
    ends: Pairs,
}

/// A set of two letters each.
struct Pairs(Vec<u64>);

impl Pairs {
    fn new() -> Self {
        Self(vec![0; 1 << 10])
    }

    fn place(pair: [u8; 2]) -> (usize, u64) {
        let number = u16::from_be_bytes(pair);
        (usize::from(number >> 6), 1 << (number & 63))
    }

    /// Adds these two letters; everything where there are not as many.
    fn add(&mut self, pair: Option<[u8; 2]>) {
        let Some(pair) = pair else {
            return self.0.fill(u64::MAX);
        };
        let (place, bit) = Self::place(pair);
        if let Some(bits) = self.0.get_mut(place) {
            *bits |= bit;
        }
    }

    fn has(&self, pair: [u8; 2]) -> bool {
        let (place, bit) = Self::place(pair);
        self.0.get(place).is_some_and(|bits| bits & bit != 0)
    }
}

impl Patterns {
    /// The patterns of some tables; `fold` writes them in capitals.
    fn new(tables: &[&[&str]], fold: bool) -> Self {
        let mut patterns = Self {
            whole: HashSet::new(),
            beginning: HashMap::new(),
            ending: Vec::new(),
            begins: Pairs::new(),
            ends: Pairs::new(),
        };
        for pattern in tables
            .iter()
            .flat_map(|table| table.iter())
            .flat_map(|line| line.split(' '))
        {
            let pattern = if fold {
                pattern.to_ascii_uppercase()
            } else {
                pattern.to_owned()
            };
            if pattern.starts_with('*') {
                let last = pattern.rsplit('*').next().unwrap_or_default();
                patterns.ends.add(last.as_bytes().last_chunk().copied());
            } else {
                let first = pattern.split('*').next().unwrap_or_default();
                patterns.begins.add(first.as_bytes().first_chunk().copied());
            }
            if pattern.contains('*') {
                let parts = pattern.split('*').map(str::to_owned).collect();
                let list = match pattern.as_bytes().first() {
                    Some(first) if *first != b'*' => patterns.beginning.entry(*first).or_default(),
                    _ => &mut patterns.ending,
                };
                list.push(parts);
            } else {
                patterns.whole.insert(pattern);
            }
        }
        patterns
    }

    /// Whether a name can be one of them by its first and last letters, folded by `fold`.
    fn can_fit(&self, name: &str, fold: impl Fn(u8) -> u8) -> bool {
        let name = name.as_bytes();
        match (name.first_chunk::<2>(), name.last_chunk::<2>()) {
            (Some(first), Some(last)) => {
                self.begins.has(first.map(&fold)) || self.ends.has(last.map(&fold))
            }
            // What is shorter fits nothing, unless everything does.
            _ => self.begins.has([0; 2]) || self.ends.has([0; 2]),
        }
    }

    fn fit(&self, name: &str) -> bool {
        if !self.can_fit(name, |byte| byte) {
            return false;
        }
        let first = name.as_bytes().first();
        let beginning = first.and_then(|first| self.beginning.get(first));
        let mut patterns = beginning.into_iter().flatten().chain(&self.ending);
        self.whole.contains(name) || patterns.any(|parts| fits(parts, name))
    }
}

/// Whether the name consists of these parts, in order, with anything between them.
fn fits(parts: &[String], name: &str) -> bool {
    let [first, between @ .., last] = parts else {
        return false;
    };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else {
        return false;
    };
    for part in between {
        let Some((_, after)) = rest.split_once(part.as_str()) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last.as_str())
}

static REFUSED_FOLDED: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[REFUSED], true));
static ASKED_FOLDED: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[ASKED], true));
static WRITTEN: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[REFUSED, ASKED], false));
static ANY_CASE_FOLDED: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[ANY_CASE], true));
static HARMLESS_FOLDED: LazyLock<Patterns> = LazyLock::new(|| Patterns::new(&[HARMLESS], true));

/// Whether a call may not set this variable, in whatever case it is written (Windows and some programs read any):
/// programs load or choose code by it.
#[must_use]
pub fn refused_in_calls(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    REFUSED_FOLDED.fit(&name) && !HARMLESS_FOLDED.fit(&name)
}

/// Whether a variable that a call gives its command can load or choose code, in whatever case it is written: what is
/// refused, and what somebody has to be asked about.
#[must_use]
pub fn chooses_code_in_calls(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    (REFUSED_FOLDED.fit(&name) || ASKED_FOLDED.fit(&name)) && !HARMLESS_FOLDED.fit(&name)
}

/// Whether a variable that a shell sets can load or choose code. Other than in [`chooses_code_in_calls`] the case
/// counts, since scripts name variables of their own `path` and `shell`, but for names that programs read in any case
/// (`Npm_Config_Script_Shell`).
///
/// ```
/// use tenon_contract::variables::chooses_code;
/// assert!(chooses_code("PATH") && chooses_code("Npm_Config_Script_Shell"));
/// assert!(!chooses_code("path") && !chooses_code("NODE_ENV"));
/// ```
#[must_use]
pub fn chooses_code(name: &str) -> bool {
    // Most names of scripts are short and small.
    if name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    {
        return false;
    }
    if WRITTEN.fit(name) {
        return !HARMLESS_FOLDED.fit(&name.to_ascii_uppercase());
    }
    if !name.contains('_') || !ANY_CASE_FOLDED.can_fit(name, |byte| byte.to_ascii_uppercase()) {
        return false;
    }
    let folded = name.to_ascii_uppercase();
    ANY_CASE_FOLDED.fit(&folded) && !HARMLESS_FOLDED.fit(&folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<'n>(lines: &'n [&'n str]) -> impl Iterator<Item = &'n str> {
        lines.iter().flat_map(|line| line.split(' '))
    }

    #[test]
    fn variables_that_load_or_choose_code_are_known_and_plain_ones_are_not() {
        let refused = [
            "PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV IFS PS4",
            "PROMPT_COMMAND SHELLOPTS NODE_OPTIONS NODE_PATH GIT_SSH_COMMAND GIT_SSH",
            "GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_PAGER PAGER MANPAGER EDITOR VISUAL",
            "BROWSER PYTHONPATH PYTHONSTARTUP PERL5LIB PERL5OPT RUBYOPT RUBYLIB",
            "JAVA_TOOL_OPTIONS RUSTC_WRAPPER CARGO_TARGET_X_RUNNER npm_config_script_shell",
            "NPM_CONFIG_PREFIX Npm_Config_Script_Shell LESSOPEN LESSCLOSE TAR_OPTIONS OPENSSL_CONF",
            "AWS_CONFIG_PATH HTTPS_PROXY http_proxy HOME TENON_COMMAND BASH_FUNC_ls%%",
            "GNUMAKEFLAGS MAKEFILES MFLAGS RSYNC_CONNECT_PROG ZIPOPT VIMINIT CARGO_TARGET_X86_LINKER",
        ];
        for name in names(&refused) {
            assert!(refused_in_calls(name), "{name}");
            assert!(chooses_code_in_calls(name), "{name}");
            assert!(chooses_code(name), "{name}");
        }
        for name in [
            "CC",
            "CXX",
            "CURL_HOME",
            "WGETRC",
            "JAVA_HOME",
            "CGO_LDFLAGS",
        ] {
            assert!(!refused_in_calls(name), "{name}");
            assert!(chooses_code_in_calls(name), "{name}");
            assert!(chooses_code(name), "{name}");
        }
        for name in ["ld_preload", "Path", "home"] {
            assert!(refused_in_calls(name), "{name}");
            assert!(!chooses_code(name), "{name}");
        }
    }

    #[test]
    fn no_name_is_left_out_for_its_first_and_last_letters() {
        let tables = [REFUSED, ASKED, ANY_CASE];
        for name in tables.into_iter().flat_map(names) {
            for between in ["", "X", "LONG_NAME"] {
                let name = name.replace('*', between);
                assert_eq!(
                    refused_in_calls(&name) || ASKED_FOLDED.fit(&name.to_ascii_uppercase()),
                    {
                        let name = name.to_ascii_uppercase();
                        let of = |tables: &[&[&str]]| {
                            let lines = tables.iter().flat_map(|table| table.iter());
                            lines.flat_map(|line| line.split(' ')).any(|pattern| {
                                let parts: Vec<String> = pattern
                                    .to_ascii_uppercase()
                                    .split('*')
                                    .map(str::to_owned)
                                    .collect();
                                if parts.len() == 1 {
                                    parts[0] == name
                                } else {
                                    fits(&parts, &name)
                                }
                            })
                        };
                        (of(&[REFUSED]) && !of(&[HARMLESS])) || of(&[ASKED])
                    },
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn what_everybody_sets_is_no_concern() {
        let plain = [
            "FOO DEBUG PORT NODE_ENV CI RUST_LOG RUST_BACKTRACE API_KEY TZ LANG LC_ALL TERM COLUMNS",
            "FORCE_COLOR NO_COLOR DATABASE_URL PATHS MY_ENV PYTHONUNBUFFERED GIT_AUTHOR_DATE GOOS GOARCH",
            "CGO_ENABLED CARGO_TARGET_DIR CARGO_TERM_COLOR CARGO_INCREMENTAL CARGO_PROFILE_DEV_DEBUG",
            "RAILS_ENV RACK_ENV MIX_ENV DJANGO_SETTINGS_MODULE FLASK_APP AWS_PROFILE AWS_REGION HUSKY",
            "CMAKE_BUILD_PARALLEL_LEVEL CTEST_OUTPUT_ON_FAILURE GTEST_FILTER TMPDIR no_proxy VERSION",
            "DOTNET_CLI_TELEMETRY_OPTOUT NEXT_TELEMETRY_DISABLED VITE_API_URL DOCKER_BUILDKIT PGPASSWORD",
            "PGHOST PGUSER TAG BASE_URL SKIP TARGET OUT x i f file files dir name path",
        ];
        for name in names(&plain) {
            assert!(!refused_in_calls(name) || name == "path", "{name}");
            assert!(!chooses_code(name), "{name}");
        }
    }
}
