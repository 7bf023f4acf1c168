//! The tables behind a command's environment: what passes, what never does, what is set, what a
//! call may not give.
//!
//! Entries are patterns, separated by blanks; `*` stands for any text. Names are compared without
//! regard to case, since some programs read their variables so (`npm_config_*`, `http_proxy`) and Windows does.

/// Variables of the host that every command gets, unless their name or value gives away a secret.
pub(crate) const PASSED: &[&str] = &[
    // The person and the machine.
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TZ TMPDIR TMP TEMP XDG_* HOSTNAME",
    // Whether this is a build machine: tools behave accordingly, so it is neither set nor removed.
    "CI",
    // Where toolchains live and what they were told.
    "CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS RUST_BACKTRACE",
    "RUST_LOG GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOPROXY GOFLAGS GOTOOLCHAIN NVM_DIR",
    "NVM_BIN NVM_INC FNM_* VOLTA_HOME N_PREFIX NODE_ENV NODE_PATH NODE_OPTIONS",
    "COREPACK_HOME PNPM_HOME BUN_INSTALL DENO_DIR DENO_INSTALL YARN_CACHE_FOLDER",
    "npm_config_registry npm_config_cache npm_config_prefix npm_config_userconfig",
    "PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_* PYTHONPATH PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE PYTHONUTF8 PIP_INDEX_URL PIP_CACHE_DIR UV_* POETRY_HOME",
    "RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH BUNDLE_PATH JAVA_HOME JDK_HOME MAVEN_HOME",
    "M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME ANDROID_SDK_ROOT SDKMAN_DIR",
    "KOTLIN_HOME DOTNET_ROOT NUGET_PACKAGES GHCUP_* OPAM* OCAML* MIX_* HEX_HOME ERL_*",
    "JULIA_* FLUTTER_ROOT ASDF_* MISE_* NIX_* IN_NIX_SHELL GUIX_* HOMEBREW_PREFIX",
    "HOMEBREW_CELLAR HOMEBREW_REPOSITORY CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS",
    "CPATH LIBRARY_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_* SDKROOT",
    "DEVELOPER_DIR MACOSX_DEPLOYMENT_TARGET CUDA_HOME CUDA_PATH",
    // How the network is reached. A value that holds a password is removed all the same.
    "HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE",
    "GIT_SSL_CAINFO CARGO_HTTP_CAINFO PIP_CERT",
    // Who commits. What configures git otherwise is read from its files.
    "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL",
    // Windows cannot start much without these.
    "SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE HOMEDRIVE HOMEPATH USERNAME",
    "USERDOMAIN COMPUTERNAME APPDATA LOCALAPPDATA ProgramData ProgramFiles",
    "ProgramFiles(x86) ProgramW6432 CommonProgramFiles PUBLIC OS NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE PSModulePath",
];

/// A variable whose name contains one of these words is a secret (POLICY.md X4).
pub(crate) const SECRET_WORDS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
];

/// What is set for every command, so that nothing waits for a person.
///
/// Pagers print. Editors *fail*: one that succeeds without doing anything would let
/// `git rebase -i` rewrite history and `git commit` take an unedited message. Prompts of git and
/// ssh fail. `CI` and `NO_COLOR` are left alone; a dumb terminal and a pipe are enough for tools to
/// write plain text.
pub(crate) const SETTINGS: &[(&str, &str)] = &[
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("GCM_INTERACTIVE", "never"),
    ("SSH_ASKPASS", "false"),
    ("SSH_ASKPASS_REQUIRE", "force"),
    ("SUDO_ASKPASS", "false"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
    ("TERM", "dumb"),
];

/// What becomes of those settings for a command with a terminal: another value, or nothing. A
/// terminal was asked for to answer prompts in it.
pub(crate) const TERMINAL_SETTINGS: &[(&str, Option<&str>)] = &[
    ("TERM", Some("xterm-256color")),
    ("GIT_TERMINAL_PROMPT", None),
    ("GIT_ASKPASS", None),
    ("SSH_ASKPASS", None),
    ("SSH_ASKPASS_REQUIRE", None),
    ("SUDO_ASKPASS", None),
    ("PIP_NO_INPUT", None),
];

/// Names that a call may not set, because they load or choose code (POLICY.md B8 and X4).
pub(crate) const REFUSED: &[&str] = &[
    // Where programs are found, and as whom.
    "PATH HOME SHELL IFS CDPATH PATHEXT ComSpec",
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
    "GIT_* GCM_* RSYNC_RSH CVS_RSH SVN_SSH SSH_SK_PROVIDER",
    // Interpreters and build tools.
    "NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE npm_config_* YARN_* PNPM_*",
    "BUN_OPTIONS DENO_* PYTHON* PERL5* PERLLIB RUBY* GEM_* BUNDLE_* JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS CLASSPATH MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS",
    "LUA_* PHPRC PHP_INI_SCAN_DIR R_PROFILE* R_ENVIRON* DOTNET_STARTUP_HOOKS CORECLR_*",
    "COR_* RUSTC RUSTDOC RUSTFLAGS RUSTC_* CARGO_BUILD_* CARGO_TARGET_*_LINKER CARGO_HOME",
    "RUSTUP_* GOFLAGS GOTOOLCHAIN MAKEFLAGS MAKEFILES GNUMAKEFLAGS MFLAGS",
    "CMAKE_TOOLCHAIN_FILE TAR_OPTIONS XDG_CONFIG_* XDG_DATA_* KUBECONFIG DOCKER_CONFIG",
    "PIP_CONFIG_FILE PSModulePath",
    // The mark by which the processes of a command are found again.
    "TENON_COMMAND",
];

/// Names of the families above that load nothing, and that calls have good reasons to set.
const HARMLESS: &[&str] = &[
    "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING",
    "PYTHONFAULTHANDLER GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE GIT_OPTIONAL_LOCKS GIT_MERGE_AUTOEDIT NO_PROXY",
];

/// Whether a call may not set this variable, because programs load or choose code by it.
///
/// The same families as the assignments that the policy engine asks about (POLICY.md B8), with
/// those of further interpreters and less a few names that load nothing (`PYTHONUNBUFFERED`,
/// `GIT_AUTHOR_DATE`).
#[must_use]
pub fn refused_in_calls(name: &str) -> bool {
    listed(REFUSED, name) && !listed(HARMLESS, name)
}

/// Whether one of the patterns of the table fits the name.
pub(crate) fn listed(table: &[&str], name: &str) -> bool {
    table
        .iter()
        .flat_map(|line| line.split(' '))
        .any(|pattern| matches(pattern, name))
}

/// Whether the name announces a secret.
pub(crate) fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// Whether the value is an address with a password in it (`https://user:password@host`).
pub(crate) fn holds_a_password(value: &str) -> bool {
    value.split([',', ' ', '|']).any(|part| {
        let Some((_, rest)) = part.split_once("://") else {
            return false;
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        authority.rsplit_once('@').is_some()
    })
}

/// Whether `name` fits `pattern`: equal, or around its `*`s, without regard to ASCII case.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let pattern = pattern.to_ascii_uppercase();
    let name = name.to_ascii_uppercase();
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut rest = rest;
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names_around_their_stars() {
        let table = [
            ("PATH", "PATH", true),
            ("PATH", "Path", true),
            ("PATH", "PATHS", false),
            ("LC_*", "LC_ALL", true),
            ("LC_*", "XLC_ALL", false),
            ("*_PROXY", "https_proxy", true),
            ("*", "ANYTHING", true),
            ("CARGO_TARGET_*_LINKER", "CARGO_TARGET_X86_LINKER", true),
            ("CARGO_TARGET_*_LINKER", "CARGO_TARGET_DIR", false),
            ("A*B*C", "AxBxC", true),
            ("A*B*C", "AxC", false),
        ];
        for (pattern, name, expected) in table {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn variables_that_load_or_choose_code_are_refused_and_plain_ones_are_not() {
        let refused = [
            "PATH LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV IFS PS4",
            "PROMPT_COMMAND SHELLOPTS NODE_OPTIONS NODE_PATH GIT_SSH_COMMAND GIT_SSH",
            "GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_PAGER PAGER MANPAGER EDITOR VISUAL",
            "BROWSER PYTHONPATH PYTHONSTARTUP PERL5LIB PERL5OPT RUBYOPT RUBYLIB",
            "JAVA_TOOL_OPTIONS RUSTC_WRAPPER CARGO_TARGET_X_RUNNER npm_config_script_shell",
            "NPM_CONFIG_PREFIX LESSOPEN LESSCLOSE TAR_OPTIONS OPENSSL_CONF AWS_CONFIG_PATH",
            "HTTPS_PROXY http_proxy HOME ld_preload TENON_COMMAND BASH_FUNC_ls%%",
        ];
        for name in refused.iter().flat_map(|line| line.split(' ')) {
            assert!(refused_in_calls(name), "{name}");
        }
        let plain = [
            "FOO DEBUG PORT NODE_ENV CI RUST_LOG RUST_BACKTRACE API_KEY TZ LANG LC_ALL",
            "FORCE_COLOR NO_COLOR DATABASE_URL PATHS MY_ENV PYTHONUNBUFFERED GIT_AUTHOR_DATE",
            "CC",
        ];
        for name in plain.iter().flat_map(|line| line.split(' ')) {
            assert!(!refused_in_calls(name), "{name}");
        }
    }

    #[test]
    fn secrets_are_known_by_name_or_by_a_password_in_an_address() {
        for name in [
            "GITHUB_TOKEN",
            "aws_secret_access_key",
            "DB_PASSWORD",
            "GOOGLE_APPLICATION_CREDENTIALS",
        ] {
            assert!(names_a_secret(name), "{name}");
        }
        assert!(!names_a_secret("PATH"));
        assert!(holds_a_password("http://user:pass@proxy:3128"));
        assert!(holds_a_password(
            "https://proxy.golang.org,https://token@private.example"
        ));
        assert!(!holds_a_password("http://proxy:3128/a@b"));
        assert!(!holds_a_password("localhost,127.0.0.1"));
    }
}
