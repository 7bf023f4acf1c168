//! The real shells, asked for their opinion.

use std::io::Write as _;
use std::process::{Command, Stdio};

use tenon_shell::ShellGrammar;

/// Whether the shell of this dialect is installed; prints why a test is skipped if not.
pub(crate) fn installed(dialect: ShellGrammar) -> bool {
    let found = Command::new(dialect.to_string())
        .args(["-c", ":"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        say(&format!("skipped: {dialect} is not installed"));
    }
    found
}

/// Whether the shell takes the text for valid without running it. What makes it complain counts as invalid, also a
/// here-document without end or a wrong condition in `[[`, after which bash continues.
pub(crate) fn accepts(dialect: ShellGrammar, text: &str) -> bool {
    let output = Command::new(dialect.to_string())
        .args(["-n", "-c", "--", text])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output();
    output.is_ok_and(|output| output.status.success() && output.stderr.is_empty())
}

/// Prints a line about how a test went.
pub(crate) fn say(line: &str) {
    // A closed output is no reason to fail.
    let _ = writeln!(std::io::stdout(), "{line}");
}
