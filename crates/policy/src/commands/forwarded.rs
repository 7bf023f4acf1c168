//! Programs that are not known and may run what their arguments say, as new wrappers do every year.

use std::cell::OnceCell;

use tenon_shell::{Dialect, Examination, Invocation, Word, examine};

use super::name_set::NameSet;
use super::strict;
use super::strict::base_name;
use crate::command_pattern::Fit;
use crate::rule::{Pattern, Rule};
use crate::rules::RuleSet;

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

static KNOWN: NameSet = NameSet::new(|| PLAIN.iter().copied().collect());

/// Programs of containers, whose own commands have the names of other programs: `docker rm`, `docker volume rm`.
const CONTAINERS: &[&str] = &["docker", "podman", "nerdctl", "docker-compose"];

/// Words of theirs behind which one of their own commands stands.
const MANAGEMENT: &[&str] = &[
    "builder",
    "buildx",
    "compose",
    "config",
    "container",
    "context",
    "image",
    "manifest",
    "network",
    "node",
    "plugin",
    "pod",
    "secret",
    "service",
    "stack",
    "volume",
];

/// Package managers among the programs that are known, and the commands by which they, and extensions of theirs, run another
/// program.
const MANAGERS: &[&str] = &["npm", "pnpm", "yarn", "cargo", "go", "pip", "brew", "gh"];
const RUNNING: &[&str] = &[
    "exec",
    "dlx",
    "each",
    "foreach",
    "ws",
    "workspaces",
    "workspace",
];

fn runs_something(command: &Invocation) -> bool {
    let words = command.words.iter().skip(1).filter_map(Word::literal);
    let mut own = words
        .filter(|word| !word.starts_with('-'))
        .take(3)
        .enumerate();
    own.any(|(place, word)| RUNNING.contains(&word) || (place == 0 && word == "x"))
}

/// How many words in front are the program itself and its own command.
fn own_words(command: &Invocation) -> usize {
    let is_container = command
        .base_name()
        .is_some_and(|name| CONTAINERS.contains(&name));
    if !is_container {
        return 1;
    }
    let manages = |word: &&Word| {
        word.literal()
            .is_some_and(|word| MANAGEMENT.contains(&word))
    };
    let behind = command.words.iter().skip(1);
    behind.take_while(manages).count() + 2
}

/// The rule that denies or asks for what the arguments of an unknown program may run: words that begin with the name
/// of a command, or one word that is a command text.
pub(super) fn rule<'e>(rules: &'e RuleSet, invocation: &Invocation) -> Option<&'e Rule> {
    let known = |command: &Invocation| {
        let runs = || {
            command
                .base_name()
                .is_some_and(|name| MANAGERS.contains(&name))
                && runs_something(command)
        };
        !command.inner.is_empty()
            || command
                .base_name()
                .is_none_or(|name| KNOWN.contains(name) && !runs())
    };
    let chain = invocation.chain();
    let unknown = chain.iter().find(|command| !known(command))?;
    let words: Vec<Argument<'_>> = (own_words(unknown)..unknown.words.len())
        .filter_map(|place| Argument::new(unknown.words.get(place..)?))
        .collect();
    let strict = rules.strict.all().iter();
    strict
        .filter_map(|place| rules.rules.get(*place))
        .find(|rule| {
            let Pattern::Command(pattern) = &rule.pattern else {
                return false;
            };
            let Some(name) = pattern.words.first() else {
                return false;
            };
            let letters = letters(name);
            words.iter().any(|word| {
                letters & !word.letters == 0 && word.text.contains(name.as_str()) && word.runs(rule)
            })
        })
}

/// An argument that may be, or begin, what the program runs.
struct Argument<'w> {
    text: &'w str,
    /// It and the arguments behind it.
    words: &'w [Word],
    /// Which bytes occur in it, as far as a glance tells.
    letters: u64,
    /// The commands of its text, once they are asked for.
    examination: OnceCell<Examination>,
}

impl<'w> Argument<'w> {
    fn new(words: &'w [Word]) -> Option<Self> {
        let text = words.first()?.literal()?;
        Some(Self {
            text,
            words,
            letters: letters(text),
            examination: OnceCell::new(),
        })
    }

    /// Whether a command that `rule` is about begins here, or stands in the text.
    fn runs(&self, rule: &Rule) -> bool {
        if let Pattern::Command(pattern) = &rule.pattern
            && pattern.fit(Some(base_name(self.text)), self.words) == Fit::Yes
        {
            return true;
        }
        self.text.contains([' ', '\t', '\n', ';'])
            && self
                .examination
                .get_or_init(|| examine(self.text, Dialect::Bash))
                .commands()
                .any(|command| strict::fit(rule, command) == Fit::Yes)
    }
}

/// One bit for each byte that occurs: a text without one of the bits of a name does not hold the name.
fn letters(text: &str) -> u64 {
    text.bytes()
        .fold(0, |letters, byte| letters | 1 << (byte & 63))
}
