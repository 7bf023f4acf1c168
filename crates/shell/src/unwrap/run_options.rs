//! Arguments that make a program run another one. They are not followed, only noticed.

use super::grammar::{Grammar, Unclear};
use super::{Invocation, awk, build_tools, git, own_code, packages, remote, runners, sed, tar};
use crate::by_name::{ByName, by_names};
use crate::{Span, Word, Words};

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
        letters: "cSsu",
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
        letters: "PHC",
        long: &["pager", "html", "config-file"],
    },
    RunOptions {
        names: &["wget"],
        letters: "e",
        long: &["execute", "use-askpass"],
    },
    RunOptions {
        names: &["ssh-add"],
        letters: "seS",
        long: &[],
    },
    RunOptions {
        names: &["apt", "apt-get", "aptitude"],
        letters: "oc",
        long: &["option", "config-file"],
    },
    RunOptions {
        names: &["rpm"],
        letters: "E",
        long: &["eval", "define", "pipe", "macros", "rcfile"],
    },
    RunOptions {
        names: &["curl"],
        letters: "",
        long: &["engine"],
    },
    RunOptions {
        names: &["bat", "batcat", "delta"],
        letters: "",
        long: &["pager"],
    },
    RunOptions {
        names: &["pytest", "py.test"],
        letters: "c",
        long: &["config-file", "rootdir", "confcutdir"],
    },
    RunOptions {
        names: &["pip", "pip3"],
        letters: "",
        long: &["python"],
    },
    RunOptions {
        names: &["kubectl", "oc"],
        letters: "",
        long: &["kubeconfig"],
    },
    RunOptions {
        names: &["yq"],
        letters: "",
        long: &["security-enable-system-operator"],
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
];

/// Notices what runs a program.
pub(super) fn look_inside(base: &str, invocation: &mut Invocation) {
    if runners::is_runner(base) {
        let span = invocation.span();
        invocation.not_understood("a program that runs what its arguments say", span);
        return;
    }
    let found = match base {
        "go" | "make" | "gmake" | "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "cargo" => {
            of_build_tool(base, invocation)
        }
        _ => of_program(base, invocation),
    };
    if let Some(span) = found {
        invocation.not_understood("an argument that makes the program run another one", span);
    }
}

/// The same for tools of which more is noted.
fn of_build_tool(base: &str, invocation: &mut Invocation) -> Option<Span> {
    let words = &invocation.plain().behind(1);
    let found = match base {
        "go" => build_tools::go(words, invocation),
        "make" | "gmake" => build_tools::make(words, invocation),
        "cargo" => build_tools::cargo(words, invocation),
        _ => packages::find(base, words, invocation),
    };
    found.or_else(|| own_code::find(base, words))
}

/// What makes another program run a program.
fn of_program(base: &str, invocation: &Invocation) -> Option<Span> {
    let words = invocation.plain().get(1..).unwrap_or_default();
    let found = match base {
        "git" => git::find(words).or_else(|| git::other_repository(&invocation.words)),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "rustc" => {
            build_tools::compiler(words)
        }
        "ssh" | "scp" | "sftp" | "ssh-copy-id" => remote::find(base, words),
        "rsync" => remote::rsync(words),
        "gh" => gh(words),
        "sed" | "gsed" => sed(&invocation.plain().behind(1)),
        "awk" | "gawk" | "mawk" | "nawk" => awk::find(&invocation.plain().behind(1)),
        "kubectl" | "oc" => by_table(base, &invocation.words.behind(1)),
        "tar" | "gtar" | "bsdtar" => by_table(base, words).or_else(|| tar::find(words)),
        "less" | "more" | "most" => plus_command(words),
        "vim" | "vi" | "nvim" | "view" | "ex" | "gvim" | "vimdiff" => {
            plus_command(words).or_else(|| by_table(base, words))
        }
        _ => by_table(base, words),
    };
    found.or_else(|| own_code::find(base, words))
}

static BY_NAME: ByName<RunOptions> = ByName::new(|| by_names(RUN_OPTIONS, |options| options.names));

/// Whether the table has options of this program.
pub(super) fn has_options(base: &str) -> bool {
    let options = BY_NAME.find(base);
    options.is_some_and(|options| {
        base != "diff" && !(options.letters.is_empty() && options.long.is_empty())
    })
}

fn by_table(base: &str, words: &[Word]) -> Option<Span> {
    BY_NAME.find(base).and_then(|options| options.find(words))
}

/// `+command` of editors and pagers; a line number, a search, the ends of the file are none.
fn plus_command(words: &[Word]) -> Option<Span> {
    let runs = |word: &&Word| {
        word.prefix().strip_prefix('+').is_some_and(|command| {
            !command.starts_with('/')
                && !command
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || matches!(byte, b'g' | b'G' | b'F'))
        })
    };
    words.iter().find(runs).map(|word| word.span)
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
pub(super) fn is_long(given: &str, options: &[&str]) -> bool {
    let name = given.split('=').next().unwrap_or_default();
    !name.is_empty() && options.iter().any(|option| option.starts_with(name))
}

/// Commands of gh that are its own: others are aliases, which may be shell texts, and extensions.
const GH: &[&str] = &[
    "api",
    "attestation",
    "auth",
    "browse",
    "cache",
    "codespace",
    "completion",
    "cs",
    "gist",
    "gpg-key",
    "help",
    "issue",
    "label",
    "org",
    "pr",
    "preview",
    "project",
    "release",
    "repo",
    "ruleset",
    "run",
    "search",
    "secret",
    "ssh-key",
    "status",
    "variable",
    "version",
    "workflow",
];

fn gh(words: &[Word]) -> Option<Span> {
    let command = words.first()?;
    let verb = words.get(1).and_then(Word::literal);
    let known = match command.literal() {
        Some("-R" | "--repo") => return gh(words.get(2..)?),
        Some(name) if name.starts_with("--repo=") => return gh(words.get(1..)?),
        Some("alias" | "config" | "extension" | "ext" | "extensions") => {
            matches!(verb, Some("list" | "ls" | "get"))
        }
        Some(name) => matches!(name, "-h" | "--help" | "--version") || GH.contains(&name),
        None => false,
    };
    (!known).then_some(command.span)
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
fn sed(words: &Words) -> Option<Span> {
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
