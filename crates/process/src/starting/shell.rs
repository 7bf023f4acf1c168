//! Which shell runs a script.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A shell and the arguments that come before the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// The program. A bare name is looked up in the `PATH` of the host.
    pub path: PathBuf,
    /// Arguments in front of the script, such as `-c`.
    pub arguments: Vec<String>,
}

/// The families of shells that differ in how a script reaches them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShellFamily {
    Bash,
    Posix,
    PowerShell,
    Cmd,
}

impl Shell {
    /// Any shell with its arguments.
    #[must_use]
    pub fn new(
        path: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            path: path.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
        }
    }

    /// `bash -c` where bash exists, else `sh -c`; on Windows PowerShell 7, Windows PowerShell or cmd.
    ///
    /// Bash is taken from `/bin` or `/usr/bin` before any other directory of `PATH`, so that a
    /// program of that name in a user's directory is not run by accident.
    #[must_use]
    pub fn default_shell() -> Self {
        #[cfg(unix)]
        return posix_default();
        #[cfg(windows)]
        return windows_default();
    }

    /// `/bin/sh -lc`: the shell of the `coder` dialect. A login shell runs the user's profile first.
    #[must_use]
    pub fn posix_login() -> Self {
        Self::new("/bin/sh", ["-lc"])
    }

    pub(crate) fn family(&self) -> ShellFamily {
        let name = self.path.file_stem().unwrap_or(OsStr::new(""));
        match name.to_string_lossy().to_ascii_lowercase().as_str() {
            "bash" => ShellFamily::Bash,
            "pwsh" | "powershell" => ShellFamily::PowerShell,
            "cmd" => ShellFamily::Cmd,
            _ => ShellFamily::Posix,
        }
    }

    /// The program to start: as given when the path has a directory, else from the host's `PATH`.
    ///
    /// An absolute path keeps the spawn on the fast path of the standard library, which falls back
    /// to a fork when it has to search a `PATH` that differs from the host's.
    pub(crate) fn program(&self) -> PathBuf {
        if self.path.components().count() == 1 && !self.path.has_root() {
            found_in_path(&self.path).unwrap_or_else(|| self.path.clone())
        } else {
            self.path.clone()
        }
    }
}

#[cfg(unix)]
fn posix_default() -> Shell {
    let fixed = ["/bin/bash", "/usr/bin/bash"].map(PathBuf::from);
    let bash = fixed
        .into_iter()
        .find(|path| path.is_file())
        .or_else(|| found_in_path(Path::new("bash")));
    match bash {
        Some(path) => Shell::new(path, ["-c"]),
        None => Shell::new("/bin/sh", ["-c"]),
    }
}

#[cfg(windows)]
fn windows_default() -> Shell {
    const QUIET: [&str; 4] = ["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"];
    ["pwsh.exe", "powershell.exe"]
        .into_iter()
        .find_map(|name| found_in_path(Path::new(name)))
        .map_or_else(
            || Shell::new("cmd.exe", ["/D", "/S", "/C"]),
            |path| Shell::new(path, QUIET),
        )
}

fn found_in_path(name: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|candidate| candidate.is_file())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn bash_is_the_default_where_it_exists() {
        let shell = Shell::default_shell();
        assert_eq!(shell.arguments, ["-c"]);
        assert!(shell.path.is_absolute());
        assert_eq!(
            shell.family() == ShellFamily::Bash,
            Path::new("/bin/bash").exists() || found_in_path(Path::new("bash")).is_some()
        );
    }

    #[test]
    fn the_login_shell_is_the_systems_sh() {
        assert_eq!(
            Shell::posix_login(),
            Shell {
                path: "/bin/sh".into(),
                arguments: vec!["-lc".into()]
            }
        );
    }

    #[test]
    fn a_bare_name_becomes_an_absolute_path_and_a_given_path_stays() {
        assert!(Shell::new("sh", ["-c"]).program().is_absolute());
        assert_eq!(Shell::new("./sh", ["-c"]).program(), PathBuf::from("./sh"));
        assert_eq!(
            Shell::new("no-such-shell-at-all", ["-c"]).program(),
            PathBuf::from("no-such-shell-at-all")
        );
    }
}
