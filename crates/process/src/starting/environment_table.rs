//! The tables behind a command's environment: what passes, what never does, what is set. What a call may not give
//! stands in `tenon_contract::variables`, since a command text may not set it unasked either.
//!
//! Entries are patterns, separated by spaces; `*` stands for any text. Names are compared without
//! regard to case, since some programs read their variables so (`npm_config_*`, `http_proxy`) and Windows does.

/// Variables of the host that every command gets, unless their name or value gives away a secret.
pub(crate) const PASSED: &[&str] = &[
    // The user and the machine.
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TZ TMPDIR TMP TEMP XDG_* HOSTNAME",
    // Whether this is a build machine: tools behave accordingly, so it is neither set nor removed.
    "CI",
    // Where toolchains live and how they are set.
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

/// A variable whose name contains one of these words is a secret.
pub(crate) const SECRET_WORDS: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
];

/// What is set for every command, so that nothing waits for a user.
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

pub use tenon_contract::variables::refused_in_calls;

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
    let Some((first, _)) = pattern.split_once('*') else {
        return pattern.eq_ignore_ascii_case(name);
    };
    // Most names begin otherwise, and are passed over without a copy.
    let begins = name.get(..first.len());
    if !begins.is_some_and(|start| start.eq_ignore_ascii_case(first)) {
        return false;
    }
    let pattern = pattern.to_ascii_uppercase();
    let name = name.to_ascii_uppercase();
    let mut rest = name.get(first.len()..).unwrap_or_default();
    let mut parts = pattern.split('*').skip(1).peekable();
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
