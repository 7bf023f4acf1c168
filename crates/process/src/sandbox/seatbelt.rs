//! The sandbox of macOS: a profile for `/usr/bin/sandbox-exec`.
//!
//! Paths are handed over as parameters and never become part of the text, so that no path can add a
//! rule to it. Rules further down win.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::{PROXY_PORT, Sandbox, SandboxNetwork};

/// A profile and its parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatbeltProfile {
    /// The text.
    pub text: String,
    /// Names in the text and the paths that they stand for.
    pub parameters: Vec<(String, PathBuf)>,
}

/// What every program needs to start and to run others.
const BASE: &str = r#"(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow user-preference-read)
(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))
(allow ipc-posix-sem)
(allow mach-lookup
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership")
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.bsd.dirhelper")
  (global-name "com.apple.SecurityServer")
  (global-name "com.apple.trustd.agent"))
(allow file-read*)
(allow file-ioctl (regex #"^/dev/(tty|ptmx|dtracehelper)"))
(allow pseudo-tty)
(allow file-write* file-ioctl (regex #"^/dev/tty[a-z0-9]*$") (literal "/dev/ptmx"))
(allow file-write-data
  (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
"#;

/// The profile for this sandbox. `temporary` is the private directory for temporary files.
#[must_use]
pub fn seatbelt_profile(sandbox: &Sandbox, temporary: &Path) -> SeatbeltProfile {
    let mut profile = SeatbeltProfile {
        text: BASE.to_owned(),
        parameters: Vec::new(),
    };
    profile.parameter("TEMPORARY", temporary);
    profile.line(r#"(allow file-write* (subpath (param "TEMPORARY")))"#);
    if sandbox.writable {
        for (index, root) in sandbox.roots.iter().enumerate() {
            let name = format!("WORKSPACE_{index}");
            profile.line(&format!(
                r#"(allow file-write* (subpath (param "{name}")))"#
            ));
            profile.parameter(&name, root);
        }
        profile.protect(sandbox);
    }
    match &sandbox.network {
        SandboxNetwork::None => {
            profile.line(r#"(deny network*)"#);
        }
        SandboxNetwork::Proxy(_) => {
            profile.line(r#"(deny network*)"#);
            profile.line(&format!(
                r#"(allow network-outbound (remote ip "localhost:{PROXY_PORT}"))"#
            ));
        }
        SandboxNetwork::Host => {
            profile.line(r#"(allow network-outbound (remote ip))"#);
            profile.line(r#"(allow network-inbound (local ip))"#);
            profile.line(r#"(allow network-bind (local ip))"#);
            profile.line(r#"(allow system-socket)"#);
        }
    }
    profile
}

impl SeatbeltProfile {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn parameter(&mut self, name: &str, path: &Path) {
        self.parameters.push((name.to_owned(), path.to_owned()));
    }

    /// Protected names at any depth, in any case of letters, since the usual file systems there do
    /// not distinguish case.
    fn protect(&mut self, sandbox: &Sandbox) {
        let names = &sandbox.protected;
        let mut patterns = Vec::new();
        for directory in names.directories {
            if *directory == ".git" {
                let git = letters(".git");
                patterns.push(format!("/{git}/{}(/|$)", letters("hooks")));
                patterns.push(format!("/{git}/{}(/|$)", letters("info")));
                for file in ["config", "config.worktree", "commondir"] {
                    patterns.push(format!("/{git}/{}$", letters(file)));
                }
                patterns.push(format!("/{git}$"));
            } else {
                patterns.push(format!("/{}(/|$)", letters(directory)));
            }
        }
        for file in names.files {
            patterns.push(format!("/{}$", letters(file)));
        }
        for (directory, name) in names.in_directory {
            patterns.push(format!("/{}/{}(/|$)", letters(directory), letters(name)));
        }
        for pattern in patterns {
            self.line(&format!(r##"(deny file-write* (regex #"{pattern}"))"##));
        }
    }

    /// The arguments of `/usr/bin/sandbox-exec` before the program.
    #[must_use]
    pub fn arguments(&self) -> Vec<std::ffi::OsString> {
        let mut arguments = vec!["-p".into(), self.text.clone().into()];
        for (name, path) in &self.parameters {
            let mut value = std::ffi::OsString::from(name);
            value.push("=");
            value.push(path);
            arguments.push("-D".into());
            arguments.push(value);
        }
        arguments
    }
}

/// A name as a regular expression in which case does not count.
fn letters(name: &str) -> String {
    let mut pattern = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphabetic() {
            let (lower, upper) = (letter.to_ascii_lowercase(), letter.to_ascii_uppercase());
            // Writing into a text cannot fail.
            let _ = write!(pattern, "[{lower}{upper}]");
        } else if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' {
            pattern.push(letter);
        } else {
            let _ = write!(pattern, "[{letter}]");
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProtectedNames;

    fn profile(writable: bool, network: SandboxNetwork) -> SeatbeltProfile {
        let sandbox = Sandbox {
            roots: vec!["/Users/u/project \"(allow default)".into()],
            writable,
            network,
            required: true,
            protected: ProtectedNames {
                directories: &[".git", ".vscode"],
                files: &[".npmrc"],
                in_directory: &[(".cargo", "config.toml")],
            },
        };
        seatbelt_profile(&sandbox, Path::new("/private/tmp/t"))
    }

    /// What follows the rules that hold for every command.
    fn rest(profile: &SeatbeltProfile) -> Vec<&str> {
        profile.text.strip_prefix(BASE).unwrap().lines().collect()
    }

    #[test]
    fn writes_go_to_the_workspace_but_not_to_protected_names_and_the_network_is_closed() {
        assert_eq!(
            rest(&profile(true, SandboxNetwork::None)),
            [
                r#"(allow file-write* (subpath (param "TEMPORARY")))"#,
                r#"(allow file-write* (subpath (param "WORKSPACE_0")))"#,
                r##"(deny file-write* (regex #"/[.][gG][iI][tT]/[hH][oO][oO][kK][sS](/|$)"))"##,
                r##"(deny file-write* (regex #"/[.][gG][iI][tT]/[iI][nN][fF][oO](/|$)"))"##,
                r##"(deny file-write* (regex #"/[.][gG][iI][tT]/[cC][oO][nN][fF][iI][gG]$"))"##,
                r##"(deny file-write* (regex #"/[.][gG][iI][tT]/[cC][oO][nN][fF][iI][gG][.][wW][oO][rR][kK][tT][rR][eE][eE]$"))"##,
                r##"(deny file-write* (regex #"/[.][gG][iI][tT]/[cC][oO][mM][mM][oO][nN][dD][iI][rR]$"))"##,
                r##"(deny file-write* (regex #"/[.][gG][iI][tT]$"))"##,
                r##"(deny file-write* (regex #"/[.][vV][sS][cC][oO][dD][eE](/|$)"))"##,
                r##"(deny file-write* (regex #"/[.][nN][pP][mM][rR][cC]$"))"##,
                r##"(deny file-write* (regex #"/[.][cC][aA][rR][gG][oO]/[cC][oO][nN][fF][iI][gG][.][tT][oO][mM][lL](/|$)"))"##,
                "(deny network*)",
            ]
        );
    }

    #[test]
    fn read_only_leaves_the_temporary_directory_alone_to_be_written() {
        assert_eq!(
            rest(&profile(false, SandboxNetwork::Host)),
            [
                r#"(allow file-write* (subpath (param "TEMPORARY")))"#,
                "(allow network-outbound (remote ip))",
                "(allow network-inbound (local ip))",
                "(allow network-bind (local ip))",
                "(allow system-socket)",
            ]
        );
    }

    #[test]
    fn everything_is_denied_that_is_not_allowed_and_paths_are_parameters() {
        let profile = profile(true, SandboxNetwork::None);
        assert!(profile.text.starts_with("(version 1)\n(deny default)\n"));
        assert!(!profile.text.contains("allow default"));
        assert!(!profile.text.contains("appleevent"));
        let opened = profile.text.matches('(').count();
        assert_eq!(opened, profile.text.matches(')').count());
        let arguments = profile.arguments();
        assert_eq!(
            arguments[2..],
            [
                "-D",
                "TEMPORARY=/private/tmp/t",
                "-D",
                "WORKSPACE_0=/Users/u/project \"(allow default)",
            ]
        );
    }
}
