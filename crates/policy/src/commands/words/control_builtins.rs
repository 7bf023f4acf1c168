//! Commands that steer a text instead of doing something.

use tenon_programs::words::shells::CONTROL;
use tenon_shell::{Inner, Invocation, Word};

use crate::commands::words::NameSet;

static STEERING: NameSet = NameSet::new(|| CONTROL.iter().copied().collect());

fn literal_name(invocation: &Invocation) -> Option<&str> {
    invocation.words.first().and_then(Word::literal)
}

/// `cd x`, and `command cd x`.
pub(crate) fn is_directory_change(invocation: &Invocation) -> bool {
    matches!(
        literal_name(invocation),
        Some("cd" | "chdir" | "pushd" | "popd")
    ) || through(invocation, is_directory_change)
}

/// Built-ins that read lines into an array, where no option can give them a command to run (`-C`).
const READING_LINES: &[&str] = &["mapfile", "readarray"];

/// `mapfile -t lines`.
fn reads_lines(invocation: &Invocation) -> bool {
    let runs = |word: &Word| {
        let text = word.literal();
        text.is_none_or(|text| text.starts_with('-') && text.contains('C'))
    };
    literal_name(invocation).is_some_and(|name| READING_LINES.contains(&name))
        && invocation.inner.is_empty()
        && !invocation.words.iter().skip(1).any(runs)
}

/// `exec` with nothing to run. What its redirections open is looked at as for other commands.
pub(crate) fn only_redirects(invocation: &Invocation) -> bool {
    literal_name(invocation) == Some("exec")
        && invocation.words.len() == 1
        && invocation.inner.is_empty()
}

/// A built-in of [`CONTROL`], perhaps behind a wrapper.
pub(crate) fn is_control(invocation: &Invocation) -> bool {
    let shows_name = |name: &str| {
        let option = invocation.words.get(1).and_then(Word::literal);
        name == "command" && matches!(option, Some("-v" | "-V"))
    };
    literal_name(invocation).is_some_and(|name| STEERING.contains(name) || shows_name(name))
        && invocation.inner.is_empty()
        || reads_lines(invocation)
        || through(invocation, is_control)
}

fn through(invocation: &Invocation, test: fn(&Invocation) -> bool) -> bool {
    let inner_is = |inner: &Inner| matches!(inner, Inner::Command(command) if test(command));
    invocation.transparent && !invocation.inner.is_empty() && invocation.inner.iter().all(inner_is)
}
