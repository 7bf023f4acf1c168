//! Programs that are not known and may run what their arguments say, as new wrappers do every year.

use tenon_shell::{Dialect, Invocation, Word, examine};

use super::strict;
use super::strict::base_name;
use crate::command_pattern::Fit;
use crate::rule::{Kind, Pattern, Rule};

/// Programs whose arguments are never a command, however much they look like one.
const PLAIN: &[&str] = &[
    "echo",
    "printf",
    "cat",
    "ls",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "sed",
    "awk",
    "gawk",
    "mawk",
    "head",
    "tail",
    "sort",
    "uniq",
    "wc",
    "cut",
    "tr",
    "tee",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "rmdir",
    "touch",
    "chmod",
    "chown",
    "ln",
    "stat",
    "file",
    "du",
    "df",
    "diff",
    "cmp",
    "comm",
    "test",
    "[",
    "[[",
    "man",
    "info",
    "help",
    "which",
    "type",
    "whereis",
    "whatis",
    "apropos",
    "tldr",
    "hash",
    "git",
    "gh",
    "npm",
    "pnpm",
    "yarn",
    "pip",
    "pip3",
    "cargo",
    "go",
    "rustup",
    "brew",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "apk",
    "pacman",
    "make",
    "cmake",
    "tsc",
    "eslint",
    "prettier",
    "jest",
    "vitest",
    "pytest",
    "node",
    "python",
    "python3",
    "ruby",
    "perl",
    "php",
    "java",
    "javac",
    "rustc",
    "gcc",
    "g++",
    "clang",
    "cc",
    "ld",
    "ar",
    "curl",
    "wget",
    "tar",
    "zip",
    "unzip",
    "gzip",
    "gunzip",
    "xz",
    "find",
    "fd",
    "xargs",
    "jq",
    "yq",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "date",
    "sleep",
    "seq",
    "expr",
    "export",
    "readonly",
    "declare",
    "typeset",
    "local",
    "unset",
    "alias",
    "unalias",
    "set",
    "shopt",
    "cd",
    "pushd",
    "popd",
    "read",
    "return",
    "exit",
    "kill",
    "pkill",
    "pgrep",
    "killall",
    "ps",
    "top",
    "id",
    "whoami",
    "hostname",
    "uname",
    "dpkg",
    "rpm",
    "rsync",
    "scp",
    "vim",
    "vi",
    "nano",
    "less",
    "more",
    "md5sum",
    "sha256sum",
    "sha1sum",
    "base64",
    "xxd",
    "od",
    "hexdump",
    "strings",
    "tree",
    "true",
    "false",
    ":",
    "let",
    "shift",
    "wait",
    "trap",
    "command",
];

/// The rule that denies or asks for what the arguments of an unknown program may run: words that begin with the name
/// of a command, or one word that is a command text.
pub(super) fn rule<'e>(strict: &[&'e Rule], invocation: &Invocation) -> Option<&'e Rule> {
    let known = |command: &Invocation| {
        command.base_name().is_none_or(|name| PLAIN.contains(&name)) || !command.inner.is_empty()
    };
    let chain = invocation.chain();
    let unknown = chain.iter().find(|command| !known(command))?;
    strict.iter().copied().find(|rule| {
        let Pattern::Command(pattern) = &rule.pattern else {
            return false;
        };
        rule.subject.binds(Kind::Command)
            && pattern.words.first().is_some_and(|name| {
                let words = &unknown.words;
                (1..words.len())
                    .any(|place| runs(rule, name, words.get(place..).unwrap_or_default()))
            })
    })
}

/// Whether a command that `rule` is about begins with these words, or stands in the first of them.
fn runs(rule: &Rule, name: &str, words: &[Word]) -> bool {
    let Some(text) = words.first().and_then(Word::literal) else {
        return false;
    };
    if !text.contains(name) {
        return false;
    }
    if let Pattern::Command(pattern) = &rule.pattern
        && pattern.fit(Some(base_name(text)), words) == Fit::Yes
    {
        return true;
    }
    text.contains([' ', '\t', '\n', ';'])
        && examine(text, Dialect::Bash)
            .commands()
            .any(|command| strict::fit(rule, command) == Fit::Yes)
}
