//! Arguments of git that run a program, or make git run one later.

use super::run_options::is_long;
use crate::{Span, Word};

/// Options of git sub-commands that run something.
const GIT: &[(&str, &[&str])] = &[
    ("grep", &["-O", "--open-files-in-pager"]),
    ("rebase", &["-x", "--exec"]),
    ("difftool", &["-x", "--extcmd", "-t", "--tool"]),
    ("mergetool", &["-t", "--tool"]),
    ("clone", &["-u", "--upload-pack", "-c", "--config"]),
    ("fetch", &["--upload-pack"]),
    ("pull", &["--upload-pack"]),
    ("ls-remote", &["--upload-pack", "--exec"]),
    ("push", &["--receive-pack", "--exec"]),
    ("archive", &["--exec", "--remote"]),
    ("filter-branch", &["-", "--"]),
    (
        "send-email",
        &["--smtp-server", "--to-cmd", "--cc-cmd", "--sendmail-cmd"],
    ),
    ("daemon", &["--access-hook"]),
];

/// Sections of the configuration whose values are programs, or lead to files that name some.
const SECTIONS: &[&str] = &[
    "alias.",
    "filter.",
    "pager.",
    "include.",
    "includeif.",
    "browser.",
    "man.",
    "protocol.",
    "url.",
    "submodule.",
    "credential.",
    "gui.",
    "guitool.",
    "trailer.",
];

/// The same for single keys, by their end or whole.
const KEYS: &[&str] = &[
    "pager",
    "editor",
    "sshcommand",
    "hookspath",
    "fsmonitor",
    "askpass",
    "gitproxy",
    "worktree",
    "attributesfile",
    "excludesfile",
    "external",
    "command",
    "textconv",
    "driver",
    "cmd",
    "program",
    "helper",
    "uploadpack",
    "receivepack",
    "path",
    "template",
    "templatedir",
    "vcs",
    "smtpserver",
    "tool",
    "bare",
    "defaultkeycommand",
    "alternaterefscommand",
];

/// What runs a program.
pub(super) fn find(words: &[Word]) -> Option<Span> {
    let (command, rest) = words.split_first()?;
    let name = command.literal()?;
    if name == "config" {
        return config(rest).then_some(command.span);
    }
    let second = rest.first().and_then(Word::literal);
    if matches!(
        (name, second),
        ("bisect", Some("run")) | ("submodule", Some("foreach"))
    ) || name == "filter-branch"
    {
        return Some(command.span);
    }
    let options = GIT
        .iter()
        .find(|(git, _)| *git == name)
        .map_or(&[][..], |(_, options)| options);
    rest.iter()
        .find(|word| {
            let text = word.prefix();
            text.starts_with("ext::")
                || is_long(text.strip_prefix("--").unwrap_or_default(), &["ext-diff"])
                || options
                    .iter()
                    .any(|option| match option.strip_prefix("--") {
                        Some(long) => text
                            .strip_prefix("--")
                            .is_some_and(|given| is_long(given, &[long])),
                        None => text.starts_with(option) && !text.starts_with("--"),
                    })
        })
        .map(|word| word.span)
}

/// Whether `git config` sets a key that makes git run something.
fn config(words: &[Word]) -> bool {
    let mut operands = words
        .iter()
        .filter(|word| !word.prefix().starts_with('-'))
        .peekable();
    let looks = words
        .iter()
        .filter_map(Word::literal)
        .any(|word| word.starts_with("--get") || matches!(word, "-l" | "--list"));
    let verb = operands.peek().and_then(|word| word.literal());
    if looks || matches!(verb, Some("get" | "list" | "unset" | "remove-section")) {
        return false;
    }
    if verb == Some("set") {
        operands.next();
    }
    let Some(key) = operands.next().filter(|_| operands.peek().is_some()) else {
        return false;
    };
    let Some(key) = key.literal().map(str::to_ascii_lowercase) else {
        return true;
    };
    let last = key.rsplit('.').next().unwrap_or_default();
    SECTIONS.iter().any(|section| key.starts_with(section)) || KEYS.contains(&last)
}

/// `--git-dir` outside of the working folder: the configuration there runs programs.
pub(super) fn other_repository(words: &[Word]) -> Option<Span> {
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.prefix();
        let value = match text.strip_prefix("--git-dir") {
            Some("") => words.next()?,
            Some(_) => word,
            None if text.starts_with('-') => continue,
            None => return None,
        };
        let path = value
            .literal()
            .map(|text| text.trim_start_matches("--git-dir="));
        let inside = path.is_some_and(|path| {
            !path.starts_with('/') && !path.split('/').any(|part| part == "..")
        });
        if !inside {
            return Some(value.span);
        }
    }
    None
}
