//! Arguments that make a program run another one. They are not followed, only noticed.

use super::grammar::{Grammar, Unclear};
use super::{Invocation, sed};
use crate::{Span, Word};

/// Options of a program that run something.
struct RunOptions {
    names: &'static [&'static str],
    /// Letters of short options; they count anywhere in a cluster.
    letters: &'static str,
    /// Long options, without dashes. Abbreviations count too.
    long: &'static [&'static str],
}

const RUN_OPTIONS: &[RunOptions] = &[
    RunOptions {
        names: &["rg"],
        letters: "",
        long: &["pre", "hostname-bin"],
    },
    RunOptions {
        names: &["sort", "gsort"],
        letters: "",
        long: &["compress-program"],
    },
    RunOptions {
        names: &["split", "gsplit"],
        letters: "",
        long: &["filter"],
    },
    RunOptions {
        names: &["tar", "gtar", "bsdtar"],
        letters: "IF",
        long: &[
            "checkpoint-action",
            "to-command",
            "use-compress-program",
            "info-script",
            "new-volume-script",
            "rsh-command",
            "rmt-command",
        ],
    },
    RunOptions {
        names: &["cpio"],
        letters: "",
        long: &["rsh-command", "to-stdout-command"],
    },
    RunOptions {
        names: &["zip"],
        letters: "T",
        long: &["unzip-command", "test"],
    },
    RunOptions {
        names: &["vim", "vi", "nvim", "view", "ex", "gvim", "vimdiff"],
        letters: "cSs",
        long: &["cmd"],
    },
    RunOptions {
        names: &["emacs"],
        letters: "fl",
        long: &["eval", "load", "funcall", "script", "batch"],
    },
    RunOptions {
        names: &["ed", "red"],
        letters: "",
        long: &[],
    },
    RunOptions {
        names: &["man"],
        letters: "PH",
        long: &["pager", "html"],
    },
    RunOptions {
        names: &["wget"],
        letters: "e",
        long: &["execute", "use-askpass"],
    },
    RunOptions {
        names: &["make", "gmake"],
        letters: "",
        long: &["eval"],
    },
    RunOptions {
        names: &["tcpdump"],
        letters: "z",
        long: &[],
    },
    RunOptions {
        names: &["diff", "sdiff"],
        letters: "",
        long: &["diff-program"],
    },
    RunOptions {
        names: &["mapfile", "readarray"],
        letters: "C",
        long: &[],
    },
    RunOptions {
        names: &["compgen", "complete"],
        letters: "CFW",
        long: &[],
    },
    RunOptions {
        names: &["bind"],
        letters: "xf",
        long: &[],
    },
    RunOptions {
        names: &["enable"],
        letters: "f",
        long: &[],
    },
    RunOptions {
        names: &["npm", "npx", "pnpm", "yarn"],
        letters: "",
        long: &["script-shell", "node-options"],
    },
];

/// Programs that run what their arguments say in ways that are not followed.
const RUNNERS: &[&str] = &[
    "at",
    "batch",
    "crontab",
    "daemonize",
    "entr",
    "expect",
    "fc",
    "gdb",
    "lldb",
    "ltrace",
    "perf",
    "pkexec",
    "rlwrap",
    "screen",
    "setpriv",
    "socat",
    "ssh-agent",
    "start-stop-daemon",
    "strace",
    "systemd-run",
    "tmux",
    "unbuffer",
    "valgrind",
    "capsh",
    "firejail",
    "bwrap",
    "proot",
    "sg",
    "newgrp",
    "setuidgid",
    "chpst",
    "s6-setuidgid",
    "gosu",
    "su-exec",
    "ts-node-script",
    "run-parts",
    "logrotate",
    "inotifywait-run",
    "watchexec",
    "hyperfine",
];

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

/// Notices what runs a program.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation) {
    // The program loader runs its first operand.
    let loader = ["ld-linux", "ld-musl", "ld.so", "ld64.so"]
        .iter()
        .any(|loader| base.starts_with(loader));
    if loader || RUNNERS.contains(&base) {
        let span = invocation.span();
        invocation.not_understood("a program that runs what its arguments say", span);
        return;
    }
    let words: Vec<Word> = invocation.plain_words.get(1..).unwrap_or_default().to_vec();
    let found = match base {
        "git" => git(&words),
        "ssh" | "scp" | "sftp" => ssh(&words),
        "rsync" => rsync(&words),
        "sed" | "gsed" => sed(&words),
        "awk" | "gawk" | "mawk" | "nawk" => awk(&words),
        _ => RUN_OPTIONS
            .iter()
            .find(|options| options.names.contains(&base))
            .and_then(|options| options.find(&words)),
    };
    if let Some(span) = found {
        invocation.not_understood("an argument that makes the program run another one", span);
    }
}

impl RunOptions {
    fn find(&self, words: &[Word]) -> Option<Span> {
        words
            .iter()
            .take_while(|word| word.literal() != Some("--"))
            .find(|word| {
                let text = word.prefix();
                match text.strip_prefix("--") {
                    Some(long) => is_long(long, self.long),
                    None => text.strip_prefix(['-', '+']).is_some_and(|letters| {
                        letters.contains(|letter| self.letters.contains(letter))
                    }),
                }
            })
            .map(|word| word.span)
    }
}

/// Whether this is one of the long options, perhaps abbreviated, perhaps with a value.
fn is_long(given: &str, options: &[&str]) -> bool {
    let name = given.split('=').next().unwrap_or_default();
    !name.is_empty() && options.iter().any(|option| option.starts_with(name))
}

fn git(words: &[Word]) -> Option<Span> {
    let (command, rest) = words.split_first()?;
    let name = command.literal()?;
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

fn ssh(words: &[Word]) -> Option<Span> {
    words
        .iter()
        .find(|word| {
            let text = word.prefix().to_ascii_lowercase();
            [
                "proxycommand",
                "localcommand",
                "knownhostscommand",
                "proxyusefdpass",
                "pkcs11provider",
                "securitykeyprovider",
            ]
            .iter()
            .any(|option| text.contains(option))
                || text.starts_with("-f")
        })
        .map(|word| word.span)
}

/// `rsync -e` with anything but ssh, and `--rsync-path`.
fn rsync(words: &[Word]) -> Option<Span> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.prefix();
        let shell = match text.strip_prefix("--") {
            Some(long) if long.starts_with("rsh=") => {
                Some(long.trim_start_matches("rsh=").to_owned())
            }
            Some("rsh") => words.next().map(Word::prefix),
            Some(long) if is_long(long, &["rsync-path"]) => return Some(word.span),
            Some(_) => None,
            None if text.starts_with('-') && text.ends_with('e') => words.next().map(Word::prefix),
            None if text.starts_with("-e") => text.get(2..).map(str::to_owned),
            None => None,
        };
        if shell.is_some_and(|shell| shell != "ssh" && !shell.starts_with("ssh ")) {
            return Some(word.span);
        }
    }
    None
}

/// The options of GNU sed.
const SED: Grammar = Grammar {
    flags: "nrEsuz",
    values: "efl",
    optional: "i",
    long_flags: &[
        "quiet",
        "silent",
        "debug",
        "follow-symlinks",
        "posix",
        "regexp-extended",
        "separate",
        "sandbox",
        "unbuffered",
        "null-data",
        "help",
        "version",
    ],
    long_values: &["expression", "file", "line-length"],
    long_optional: &["in-place"],
    permutes: true,
};

/// A script for sed that runs something or names a file. `-f` names a script that is not read here.
fn sed(words: &[Word]) -> Option<Span> {
    let split = match SED.split(words) {
        Ok(split) => split,
        // An opaque operand cannot be told from an option.
        Err(Unclear(_)) => return None,
    };
    let given: Vec<&Word> = split
        .options
        .iter()
        .filter(|option| matches!(option.name.as_str(), "e" | "expression"))
        .filter_map(|option| option.value.as_ref())
        .collect();
    let scripts = if given.is_empty() && !split.has(&["f", "file"]) {
        split.operands.first().into_iter().collect()
    } else {
        given
    };
    scripts
        .into_iter()
        .find(|script| script.literal().is_some_and(sed::reaches_out))
        .map(|script| script.span)
}

/// A program text for awk that calls `system`, opens a pipe or writes a file.
fn awk(words: &[Word]) -> Option<Span> {
    words
        .iter()
        .find(|word| {
            let text = word.prefix();
            let dense: String = text
                .chars()
                .filter(|character| !character.is_whitespace())
                .collect();
            text.contains("system")
                || text.contains("@load")
                || [
                    "|\"", "|&", "|getline", "\"|", ">\"", "|cmd", "|(", ">$", ">(",
                ]
                .iter()
                .any(|mark| dense.contains(mark))
        })
        .map(|word| word.span)
}
