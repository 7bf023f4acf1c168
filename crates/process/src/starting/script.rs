//! How the text of a command reaches its shell: as the last argument, or by a private file when it
//! is longer than one argument may be.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::output::private_directory::PrivateDirectory;
use crate::starting::shell::ShellFamily;
use crate::{ProcessError, Shell};

/// Longest text that is passed as an argument: what Linux takes in one (`MAX_ARG_STRLEN`), and less
/// on Windows, where a whole command line holds 32 767 characters and cmd takes 8191.
const ARGUMENT_MAX_BYTES: usize = if cfg!(windows) {
    8_000
} else {
    tenon_contract::limits::EXECUTE_ARGUMENT_MAX_BYTES
};

/// The argument that makes the shell run the script, and the file that must outlive the run.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) argument: OsString,
    /// Removed when dropped.
    pub(crate) file: Option<ScriptFile>,
}

/// A private file with the text of one command.
#[derive(Debug)]
pub(crate) struct ScriptFile(PathBuf);

impl Drop for ScriptFile {
    fn drop(&mut self) {
        // It may be gone with its directory already; nothing is lost then.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Delivery {
    pub(crate) fn new(
        script: &str,
        shell: &Shell,
        directory: &PrivateDirectory,
    ) -> Result<Self, ProcessError> {
        if script.contains('\0') {
            return Err(ProcessError::Nul {
                what: "The command".into(),
            });
        }
        if script.len() <= ARGUMENT_MAX_BYTES {
            return Ok(Self {
                argument: script.into(),
                file: None,
            });
        }
        let family = shell.family();
        let (path, mut file) = directory
            .create("script", extension(family))
            .map_err(ProcessError::io("Making a file for the long command"))?;
        let kept = ScriptFile(path);
        file.write_all(script.as_bytes())
            .map_err(ProcessError::io("Writing the long command to a file"))?;
        Ok(Self {
            argument: reading(family, &kept.0),
            file: Some(kept),
        })
    }
}

const fn extension(family: ShellFamily) -> &'static str {
    match family {
        ShellFamily::Bash | ShellFamily::Posix => "sh",
        ShellFamily::PowerShell => "ps1",
        ShellFamily::Cmd => "cmd",
    }
}

/// A short script that runs the long one in the same shell: `$0`, the exit code, standard input
/// and the handling of syntax errors stay what they are for an argument.
///
/// Bash gets `eval`, which is what it does with the argument of `-c`; its `.` would also accept
/// `return`. Other shells cannot read a file without another program, except by `.`.
fn reading(family: ShellFamily, path: &Path) -> OsString {
    let [before, after] = match family {
        ShellFamily::Bash => ["eval \"$(<'", "')\""],
        ShellFamily::Posix => [". '", "'"],
        ShellFamily::PowerShell => [". '", "'"],
        ShellFamily::Cmd => ["call \"", "\""],
    };
    // The name is ours but for the directory it lies in.
    let quote = if family == ShellFamily::PowerShell {
        "''"
    } else {
        "'\\''"
    };
    let mut argument = OsString::from(before);
    argument.push(quoted(path, quote));
    argument.push(after);
    argument
}

#[cfg(unix)]
fn quoted(path: &Path, quote: &str) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let mut bytes = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'\'' => bytes.extend_from_slice(quote.as_bytes()),
            other => bytes.push(*other),
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(windows)]
fn quoted(path: &Path, quote: &str) -> OsString {
    path.to_string_lossy().replace('\'', quote).into()
}
